/* The way whose first port has less waiting, on dragonflies: a routing from outside.
 *
 *   cc -shared -fPIC -O2 $(pkg-config --cflags coppice-plugin) emptier.c -o emptier.so
 *   coppice run dragonfly.yaml --plugin ./emptier.so --set routing.kind=emptier --set cc.kind=none
 *
 * In the source tree the flags are -Isrc. docs/ADDING.md explains every part.
 *
 * Rule     the other way is taken if fewer bytes, less `margin`, wait for its first port than for the minimal one's. */
#include <exp/plugin.h>

typedef struct emptier_cfg {
    cop_choice_cfg choice;
    uint64_t margin_bytes;
} emptier_cfg;

static bool emptier_rule(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                         const cop_route_view *view)
{
    (void)hop;
    const emptier_cfg *cfg = r->cfg;
    return view->can->waiting(view->ctx, w->minimal.port) >
           view->can->waiting(view->ctx, w->other.port) + cfg->margin_bytes;
}

static int emptier_setup(cop_route *r, const void *cfg, cop_err *err)
{
    cop_choice *c = COP_NEW_ARRAY(&r->arena, cop_choice, 1);
    /* No margin that buffers cannot hold: it would be refused with what they can. */
    r->facts.bar[0] = (struct cop_bar){"margin", ((const emptier_cfg *)cfg)->margin_bytes};
    return cop_choice_setup(r, c, &((const emptier_cfg *)cfg)->choice, err);
}

static unsigned emptier_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                              cop_cand *cand)
{
    return cop_choice_route(r, hop, view, cand, emptier_rule);
}

static const cop_opt emptier_opts[] = {COP_CHOICE_OPTS(emptier_cfg, "other"),
                                       {"margin", COP_OPT_BYTES,
                                        offsetof(emptier_cfg, margin_bytes), "2 kB", 0, 1e12, NULL,
                                        "the minimal way is kept unless so much more waits for it"},
                                       {0}};

static const cop_route_ops emptier = {.name = "emptier",
                                      .summary =
                                          "dragonfly: the way whose first port has less waiting",
                                      .source = "example of docs/ADDING.md",
                                      .opts = emptier_opts,
                                      .cfg_size = sizeof(emptier_cfg),
                                      .setup = emptier_setup,
                                      .route = emptier_route,
                                      .mid = cop_choice_mid,
                                      .table = cop_choice_table,
                                      .condition = "q(#) <= q(other) + margin"};

COPPICE_PLUGINS(COP_ROUTINGS(&emptier));
