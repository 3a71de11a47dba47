/* A dragonfly whose switches have loads, pauses, flags and probabilities in the test's hands, and where its links and
 * minimal ways lead, written down from docs/MODEL.md without the maps and compiled tables of src/route. */
#ifndef COP_DECISION_FIXTURE_H
#define COP_DECISION_FIXTURE_H

#include "route_fixture.h"

#include "base/opt.h"
#include "route/flow_table.h"
#include "topo/topo_cfg.h"

#include <stdio.h>
#include <stdlib.h>

#define PORTS 16
#define LANES 4
#define SWITCHES 128

/* -- where links lead -- */

typedef cop_dragonfly_shape dragonfly;

static inline uint32_t first_global(const dragonfly *d)
{
    return d->p + d->a - 1;
}

/* The switch behind a port that faces one; COP_NONE: no cable. */
static inline uint32_t behind(const dragonfly *d, uint32_t sw, uint32_t port)
{
    uint32_t group = sw / d->a, place = sw % d->a;
    if (port < first_global(d))
        return group * d->a + port - d->p + (port - d->p >= place ? 1 : 0);
    if (d->groups == 1)
        return COP_NONE;
    uint32_t k = place * d->h + port - first_global(d) + 1;
    uint32_t before = (k - 1) / (d->groups - 1) * (d->groups - 1), o = k - before;
    uint32_t back = before + d->groups - o; /* number of the link at its other end */
    return back > d->a * d->h ? COP_NONE
                              : (group + d->groups - o) % d->groups * d->a + (back - 1) / d->h;
}

/* Number i of the global links from a group to another, in the order of their switches and ports: its switch here, and
 * its port; COP_NONE past the last. */
static inline uint32_t nth_link(const dragonfly *d, uint32_t from, uint32_t to, uint32_t i,
                                uint32_t *port)
{
    for (uint32_t sw = from * d->a; sw < (from + 1) * d->a; sw++)
        for (*port = first_global(d); *port < first_global(d) + d->h; ++*port) {
            uint32_t far = behind(d, sw, *port);
            if (far != COP_NONE && far / d->a == to && i-- == 0)
                return sw;
        }
    return COP_NONE;
}

/* The link from the group of switch `from` to group `to` that a packet takes which `from` sends to host `dst`. */
static inline uint32_t link_of(const dragonfly *d, uint32_t from, uint32_t to, uint32_t dst,
                               uint32_t *port)
{
    uint32_t n = 0, hosts = d->a * d->p, place[SWITCHES * 4];
    while (nth_link(d, from / d->a, to, n, port) != COP_NONE)
        n++;
    assert_true(hosts <= COP_LEN(place));
    cop_rng rng = cop_rng_make(0, COP_RNG_PLACE, 0);
    cop_rng_permutation(&rng, place, hosts);
    return nth_link(d, from / d->a, to, (from % d->a * n / d->a + place[dst % hosts]) % n, port);
}

/* The same at switch `sw`, for a packet that came in by port `in`: it may have been sent here for a link. */
static inline uint32_t global_link(const dragonfly *d, uint32_t sw, uint32_t in, uint32_t to,
                                   uint32_t dst, uint32_t *port)
{
    bool local = in >= d->p && in < first_global(d);
    if (local && link_of(d, behind(d, sw, in), to, dst, port) == sw)
        return sw;
    return link_of(d, sw, to, dst, port);
}

static inline uint32_t local_port(const dragonfly *d, uint32_t sw, uint32_t to)
{
    return to > sw ? d->p + to % d->a - 1 : d->p + to % d->a;
}

static inline uint32_t port_to_group(const dragonfly *d, uint32_t sw, uint32_t in, uint32_t group,
                                     uint32_t dst)
{
    uint32_t port, gate = global_link(d, sw, in, group, dst, &port);
    return gate == sw ? port : local_port(d, sw, gate);
}

static inline uint32_t minimal_port(const dragonfly *d, uint32_t sw, uint32_t in, uint32_t dst)
{
    uint32_t target = dst / d->p;
    return target / d->a == sw / d->a ? local_port(d, sw, target)
                                      : port_to_group(d, sw, in, target / d->a, dst);
}

/* The port by which the switch behind `port` of `sw` hears from it. */
static inline uint32_t far_port(const dragonfly *d, uint32_t sw, uint32_t port)
{
    return port < first_global(d) ? local_port(d, behind(d, sw, port), sw) : first_global(d);
}

static inline uint32_t minimal_links(const dragonfly *d, uint32_t sw, uint32_t in, uint32_t dst)
{
    uint32_t links = 0;
    for (; sw != dst / d->p; links++) {
        uint32_t port = minimal_port(d, sw, in, dst);
        in = far_port(d, sw, port);
        sw = behind(d, sw, port);
    }
    return links;
}

/* -- switches -- */

typedef struct
    rule { /* a routing with its options, as the program and as the reference read them */
    const char *kind;
    const char *option[6][2];
    bool by_lane; /* ugal */
    uint64_t threshold, margin;
    uint32_t factor_4; /* 4 x factor */
    bool compare, over; /* qcn-switch */
    double lf, pi, th1, th2, decay;
    uint32_t packets, feedback; /* notifications carry multiples of it */
} rule;

enum via { VIA_OTHER, VIA_ANY, VIA_OWN };

typedef struct place { /* a switch */
    /* Bytes that wait for a lane, and those sent on it and not released behind. */
    uint64_t waiting[PORTS][LANES], sent[PORTS][LANES];
    bool shut[PORTS][LANES];
    double p[PORTS], last[PORTS]; /* qcn-switch, by the reference */
    uint32_t count[PORTS];
    _Alignas(16) char state[PORTS][64]; /* what the routing itself keeps */
    uint64_t own[16];
} place;

typedef struct line { /* of a printed table */
    uint32_t priority, in[2], to[2], out, visit;
    char condition[80];
} line;

typedef struct world {
    cop_topo t;
    cop_route r;
    cop_arena arena;
    dragonfly d;
    const rule *rule;
    enum via via;
    bool progressive, head;
    place at[SWITCHES];
    line *table[SWITCHES]; /* read when first asked for, ends with priority 0 */
    cop_rng rng;
} world;

typedef struct spot { /* what a routing is shown */
    world *w;
    uint32_t sw;
} spot;

static inline uint64_t all_waiting(const place *s, uint32_t port)
{
    uint64_t sum = 0;
    for (uint32_t vl = 0; vl < LANES; vl++)
        sum += s->waiting[port][vl];
    return sum;
}

static inline place *place_of(void *ctx)
{
    return &((spot *)ctx)->w->at[((spot *)ctx)->sw];
}

static inline uint64_t see_load(void *ctx, uint32_t port, uint32_t vl)
{
    return all_waiting(place_of(ctx), port) + place_of(ctx)->sent[port][vl];
}

static inline uint64_t see_lane(void *ctx, uint32_t port, uint32_t vl)
{
    return place_of(ctx)->waiting[port][vl] + place_of(ctx)->sent[port][vl];
}

static inline uint64_t see_waiting(void *ctx, uint32_t port)
{
    return all_waiting(place_of(ctx), port);
}

static inline bool see_open(void *ctx, uint32_t port, uint32_t vl)
{
    return !place_of(ctx)->shut[port][vl];
}

static inline void *see_port(void *ctx, uint32_t port)
{
    return place_of(ctx)->state[port];
}

static inline void *see_own(void *ctx)
{
    return place_of(ctx)->own;
}

static inline void see_tell(void *ctx, uint32_t port, uint64_t body);

static const cop_route_can sight = {.lane_load = see_lane,
                                    .open = see_open,
                                    .waiting = see_waiting,
                                    .port = see_port,
                                    .own = see_own,
                                    .tell = see_tell};

static inline cop_route_view view_of(spot *s, cop_rng *rng)
{
    return (cop_route_view){s, see_load, rng, &sight};
}

/* Neighbours hear at once. */
static inline void see_tell(void *ctx, uint32_t port, uint64_t body)
{
    world *w = ((spot *)ctx)->w;
    const cop_port *there =
        &w->t.port[w->t.port[cop_topo_switch_port(&w->t, ((spot *)ctx)->sw, port)].to];
    spot far = {w, there->owner};
    cop_route_view view = view_of(&far, NULL);
    w->r.ops->on_message(&w->r, far.sw, &view, there->local, body);
}

static inline void set_option(world *w, void *cfg, const char *name, const char *value)
{
    cop_err err = {0};
    cop_where at = {0};
    const cop_opt *opt = cop_opt_find(w->r.ops->opts, name);
    assert_non_null(opt);
    assert_int_equal(cop_opt_parse(opt, cfg, value, &w->arena, &at, &err), 0);
}

static inline world *world_make(const cop_dragonfly_cfg *shape, const rule *its, enum via via,
                                bool progressive, bool head)
{
    static const char *const vias[] = {"other", "any-but-source", "own-port"};
    world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    w->rule = its;
    w->via = via;
    w->progressive = progressive;
    w->head = head;
    w->rng = cop_rng_make(11, COP_RNG_TEST, 0);
    build(&w->t, "dragonfly", shape);
    w->d = w->t.shape.u.dragonfly;
    assert_true(w->t.n_switches <= SWITCHES && first_global(&w->d) + w->d.h <= PORTS);
    w->r.ops = cop_route_find(its->kind);
    assert_non_null(w->r.ops);
    void *cfg = cop_arena_alloc(&w->arena, w->r.ops->cfg_size);
    cop_opt_defaults(w->r.ops->opts, cfg, &w->arena);
    set_option(w, cfg, "via", vias[via]);
    set_option(w, cfg, "progressive", progressive ? "yes" : "no");
    set_option(w, cfg, "decide", head ? "head" : "arrival");
    for (size_t i = 0; i < COP_LEN(its->option) && its->option[i][0]; i++)
        set_option(w, cfg, its->option[i][0], its->option[i][1]);
    start(&w->r, its->kind, &w->t, cfg, 0);
    assert_true(w->r.facts.vls <= LANES && w->r.facts.port_size <= sizeof(w->at[0].state[0]) &&
                w->r.facts.switch_size <= sizeof(w->at[0].own));
    for (uint32_t sw = 0; sw < w->t.n_switches; sw++) {
        spot s = {w, sw};
        cop_route_view view = view_of(&s, NULL);
        for (uint32_t port = 0; port < PORTS; port++)
            w->at[sw].p[port] = 100.0;
        if (w->r.ops->prepare)
            w->r.ops->prepare(&w->r, sw, &view);
    }
    return w;
}

static inline void world_free(world *w)
{
    for (uint32_t sw = 0; sw < w->t.n_switches; sw++)
        free(w->table[sw]);
    cop_route_fini(&w->r);
    cop_topo_free(&w->t);
    cop_arena_free(&w->arena);
    free(w);
}

#endif
