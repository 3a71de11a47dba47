/* UGAL with local information, on dragonflies.
 *
 * Rule     the non-minimal path is taken if q_min H_min > q_other H_other + threshold: q the bytes
 *          that wait for a path's first port, all lanes (`loads: lane`: its first lane), plus those
 *          sent on its first lane and not yet released behind, H its number of links.
 * Source   Singh, PhD thesis, Stanford 2005; Kim et al., ISCA 2008 (UGAL-L); G-qcn-8. */
#include "route/dragonfly_choice.h"

static const char *const load_names[] = {"port", "lane", NULL};

typedef struct ugal_cfg {
    cop_choice_cfg choice;
    int loads;
    uint64_t threshold_bytes;
} ugal_cfg;

static uint64_t load_of(const ugal_cfg *cfg, const cop_route_view *view, cop_cand c)
{
    return cfg->loads == 0 ? view->load(view->ctx, c.port, c.vl)
                           : view->can->lane_load(view->ctx, c.port, c.vl);
}

static bool ugal_rule(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                      const cop_route_view *view)
{
    const ugal_cfg *cfg = r->cfg;
    cop_route_soon(view, w->minimal.port);
    cop_route_soon(view, w->other.port);
    uint64_t minimal = load_of(cfg, view, w->minimal), around = load_of(cfg, view, w->other);
    bool other = minimal * w->minimal_links > around * w->other_links + cfg->threshold_bytes;
    if (COP_UNLIKELY(cop_choice_watched(view)))
        cop_choice_says_loads(r, hop, w, view, other, minimal, around);
    return other;
}

static int ugal_setup(cop_route *r, const void *cfg, cop_err *err)
{
    cop_choice *c = COP_NEW_ARRAY(&r->arena, cop_choice, 1);
    r->facts.bar[0] =
        (struct cop_bar){"threshold", ((const ugal_cfg *)cfg)->threshold_bytes / COP_MINIMAL_LINKS};
    return cop_choice_setup(r, c, &((const ugal_cfg *)cfg)->choice, err);
}

static unsigned ugal_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                           cop_cand *cand)
{
    return cop_choice_route(r, hop, view, cand, ugal_rule);
}

static const cop_opt ugal_opts[] = {
    COP_CHOICE_OPTS(ugal_cfg, "other"),
    {"loads", COP_OPT_ENUM, offsetof(ugal_cfg, loads), "port", 0, 0, load_names,
     "what is compared: all that waits for a port, or what waits for the lane"},
    {"threshold", COP_OPT_BYTES, offsetof(ugal_cfg, threshold_bytes), "0", 0, 1e12, NULL,
     "the minimal way is kept unless its product is so much larger"},
    {0}};

const cop_route_ops cop_route_ugal = {
    .name = "ugal",
    .summary = "dragonfly: minimal or not by the queues of the first switch (UGAL-L)",
    .source = "Singh, Stanford 2005; Kim et al., ISCA 2008; M-ugal",
    .opts = ugal_opts,
    .cfg_size = sizeof(ugal_cfg),
    .asks_lanes = true,
    .setup = ugal_setup,
    .route = ugal_route,
    .mid = cop_choice_mid,
    .table = cop_choice_table,
    .condition = "q(#) H <= q(other) H(other) + threshold",
};
