/* Non-minimal if the minimal output is PAUSEd, on dragonflies.
 *
 * Rule     the non-minimal path is taken if flow control does not admit a packet of full size to
 *          the minimal path's first lane now.
 * Source   the earlier proposal that Benito et al. compare with; M-pause-cond. */
#include "route/dragonfly_choice.h"

typedef struct pause_cfg {
    cop_choice_cfg choice;
} pause_cfg;

static bool pause_rule(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                       const cop_route_view *view)
{
    (void)r, (void)hop;
    return !view->can->open(view->ctx, w->minimal.port, w->minimal.vl);
}

static int pause_setup(cop_route *r, const void *cfg, cop_err *err)
{
    cop_choice *c = COP_NEW_ARRAY(&r->arena, cop_choice, 1);
    c->no_links = true;
    return cop_choice_setup(r, c, &((const pause_cfg *)cfg)->choice, err);
}

static unsigned pause_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                            cop_cand *cand)
{
    return cop_choice_route(r, hop, view, cand, pause_rule);
}

static const cop_opt pause_opts[] = {COP_CHOICE_OPTS(pause_cfg, "own-port"), {0}};

const cop_route_ops cop_route_pause = {
    .name = "pause",
    .summary = "dragonfly: minimal unless the minimal output is paused",
    .source = "Benito et al., section 2.2; M-pause-cond",
    .opts = pause_opts,
    .cfg_size = sizeof(pause_cfg),
    .setup = pause_setup,
    .route = pause_route,
    .mid = cop_choice_mid,
    .table = cop_choice_table,
    .condition = "open(#)",
};
