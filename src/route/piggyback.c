/* Piggyback routing on dragonflies.
 *
 * Rule     the non-minimal path is taken by the rule of UGAL-L, or if the global link of the
 *          minimal path is flagged.
 * Flags    a switch flags one of its global links if more bytes wait for it than factor x the mean
 *          over its global links + margin. When a flag changes it sends a message to the other
 *          switches of its group, which arrives one local link later.
 * State    per switch: the flags of each switch of its group, a word each.
 * Source   Jiang, Kim, Dally, "Indirect adaptive routing on large scale interconnection networks",
 *          ISCA 2009; M-pb, G-qcn-8. */
#include "route/dragonfly_choice.h"

#include <math.h>

#define FACTOR 2.0
#define MARGIN_BYTES 5000u

typedef struct piggyback_cfg {
    cop_choice_cfg choice;
    double factor;
    uint64_t margin_bytes, threshold_bytes;
} piggyback_cfg;

static uint64_t *flags_of(const cop_route_view *view)
{
    return view->can->own(view->ctx);
}

static bool piggyback_rule(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                           const cop_route_view *view)
{
    const piggyback_cfg *cfg = r->cfg;
    const cop_dragonfly *d = &((const cop_choice *)r->state)->map;
    const cop_gateway *g = cop_dragonfly_gateway(d, hop->sw, hop->in_port,
                                                 cop_dragonfly_group_of(d, hop->dst), hop->dst);
    if (flags_of(view)[cop_rest(g->sw, d->by_a)] >> (g->port - cop_dragonfly_global0(d)) & 1) {
        if (COP_UNLIKELY(cop_choice_watched(view)))
            cop_choice_says(r, hop, w, view, true, "the global link is flagged");
        return true;
    }
    uint64_t minimal = view->load(view->ctx, w->minimal.port, w->minimal.vl),
             around = view->load(view->ctx, w->other.port, w->other.vl);
    bool other = minimal * w->minimal_links > around * w->other_links + cfg->threshold_bytes;
    if (COP_UNLIKELY(cop_choice_watched(view)))
        cop_choice_says_loads(r, hop, w, view, other, minimal, around);
    return other;
}

/* The load of a global link has changed: update the flags. */
static void look(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port)
{
    const piggyback_cfg *cfg = r->cfg;
    const cop_dragonfly *d = &((const cop_choice *)r->state)->map;
    uint32_t global0 = cop_dragonfly_global0(d);
    if (port < global0)
        return;
    uint64_t sum = 0, now = 0;
    for (uint32_t i = 0; i < d->h; i++)
        sum += view->can->waiting(view->ctx, global0 + i);
    double mean = (double)sum / ((const cop_choice *)r->state)->global_links[sw];
    double limit = cfg->factor * mean + (double)cfg->margin_bytes;
    for (uint32_t i = 0; i < d->h; i++)
        now |= (uint64_t)((double)view->can->waiting(view->ctx, global0 + i) > limit) << i;
    uint64_t *flags = &flags_of(view)[cop_rest(sw, d->by_a)];
    if (*flags == now)
        return;
    *flags = now;
    for (uint32_t p = d->p; p < global0; p++)
        view->can->tell(view->ctx, p, now);
}

static void on_message(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port,
                       uint64_t body)
{
    const cop_dragonfly *d = &((const cop_choice *)r->state)->map;
    flags_of(view)[cop_rest(cop_dragonfly_neighbour(d, sw, port), d->by_a)] = body;
}

static int piggyback_setup(cop_route *r, const void *cfg, cop_err *err)
{
    cop_choice *c = COP_NEW_ARRAY(&r->arena, cop_choice, 1);
    int rc = cop_choice_setup(r, c, &((const piggyback_cfg *)cfg)->choice, err);
    if (rc == 0 && c->map.h > 64)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: a switch has %u global links, at most 64 fit; use "
                           "ugal",
                           r->ops->name, c->map.h);
    if (rc != 0)
        return rc;
    const piggyback_cfg *own = cfg;
    uint32_t links = c->most_global_links;
    if (own->factor >= links && own->factor != FACTOR)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: of %u global links none has more than %u times their mean; "
                           "make factor smaller",
                           r->ops->name, links, links);
    if (own->factor >= links)
        r->facts.idle =
            "no global link has twice the mean of its switch, so none is flagged; a smaller "
            "routing.factor flags";
    /* If all waits for one link, the mean is a share of that: w > factor w / links + margin. */
    double alone = 1.0 - own->factor / links;
    if (own->margin_bytes != MARGIN_BYTES) /* the defaults are no mistake */
        r->facts.bar[0] =
            (struct cop_bar){"margin", (uint64_t)((double)own->margin_bytes /
                                                  (alone > 0.0 ? fmax(alone, 1e-6) : 1.0))};
    r->facts.bar[1] = (struct cop_bar){"threshold", own->threshold_bytes / COP_MINIMAL_LINKS};
    r->facts.switch_size = c->map.a * sizeof(uint64_t);
    return 0;
}

static unsigned piggyback_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                cop_cand *cand)
{
    return cop_choice_route(r, hop, view, cand, piggyback_rule);
}

static const cop_opt piggyback_opts[] = {
    COP_CHOICE_OPTS(piggyback_cfg, "other"),
    {"factor", COP_OPT_REAL, offsetof(piggyback_cfg, factor), "2", 0, 1e6, NULL,
     "a global link is flagged if more waits for it than this times the mean of the switch's "
     "links"},
    {"margin", COP_OPT_BYTES, offsetof(piggyback_cfg, margin_bytes), "5000 B", 0, 1e12, NULL,
     "and so much more"},
    {"threshold", COP_OPT_BYTES, offsetof(piggyback_cfg, threshold_bytes), "0", 0, 1e12, NULL,
     "as of ugal"},
    {0}};

const cop_route_ops cop_route_piggyback = {
    .name = "piggyback",
    .summary = "dragonfly: as ugal, and around global links that a switch of the group has flagged",
    .source = "Jiang, Kim, Dally, ISCA 2009; M-pb",
    .opts = piggyback_opts,
    .cfg_size = sizeof(piggyback_cfg),
    .setup = piggyback_setup,
    .route = piggyback_route,
    .mid = cop_choice_mid,
    .table = cop_choice_table,
    .condition = "not flagged, q(#) H <= q(other) H(other) + threshold",
    .on_send = look,
    .on_wait = look,
    .on_message = on_message,
};
