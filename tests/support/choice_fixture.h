/* A switch of a dragonfly that chooses between the minimal way and another: its loads, states and messages in the test's
 * hands, so that rules can be followed by hand. */
#ifndef COP_CHOICE_FIXTURE_H
#define COP_CHOICE_FIXTURE_H

#include "route_fixture.h"

#include "base/opt.h"
#include "topo/topo_cfg.h"

#define PORTS 64

typedef struct bench { /* the switch that decides */
    uint64_t load[PORTS], waiting[PORTS];
    bool shut[PORTS];
    char state[PORTS][64];
    uint64_t own[64];
    uint64_t told[PORTS];
    uint32_t tells;
} bench;

static inline uint64_t load_of(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return ((bench *)ctx)->load[port];
}

static inline uint64_t waits(void *ctx, uint32_t port)
{
    return ((bench *)ctx)->waiting[port];
}

static inline bool is_open(void *ctx, uint32_t port, uint32_t vl)
{
    (void)vl;
    return !((bench *)ctx)->shut[port];
}

static inline void *port_of(void *ctx, uint32_t port)
{
    return ((bench *)ctx)->state[port];
}

static inline void *own_of(void *ctx)
{
    return ((bench *)ctx)->own;
}

static inline void tell(void *ctx, uint32_t port, uint64_t body)
{
    bench *b = ctx;
    b->told[port] = body;
    b->tells++;
}

static const cop_route_can can = {.lane_load = load_of,
                                  .open = is_open,
                                  .waiting = waits,
                                  .port = port_of,
                                  .own = own_of,
                                  .tell = tell};

typedef struct lab {
    cop_topo t;
    cop_route r;
    bench b;
    cop_rng rng;
    cop_route_view view;
    cop_arena arena;
} lab;

/* p = 2, a = 4, h = 2: ports 0, 1 hosts, 2 to 4 switches of the group, 5 and 6 other groups. */
static inline void set_up_groups(lab *l, int64_t groups, const char *name, const char *const *set,
                                 size_t n)
{
    *l = (lab){.rng = cop_rng_make(3, COP_RNG_TEST, 1)};
    build(&l->t, "dragonfly", &(cop_dragonfly_cfg){2, 4, 2, groups});
    const cop_route_ops *ops = cop_route_find(name);
    void *cfg = cop_arena_alloc(&l->arena, ops->cfg_size);
    cop_opt_defaults(ops->opts, cfg, &l->arena);
    cop_err err = {0};
    cop_where at = {0};
    for (size_t i = 0; i + 1 < 2 * n; i += 2)
        assert_int_equal(
            cop_opt_parse(cop_opt_find(ops->opts, set[i]), cfg, set[i + 1], &l->arena, &at, &err),
            0);
    start(&l->r, name, &l->t, cfg, 0);
    l->view = (cop_route_view){&l->b, load_of, &l->rng, &can};
    if (ops->prepare)
        ops->prepare(&l->r, 0, &l->view);
}

static inline void set_up(lab *l, const char *name, const char *const *set, size_t n)
{
    set_up_groups(l, 0, name, set, n);
}

#define SET_UP(l, name, ...)                                                                       \
    set_up(l, name, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL},                        \
           (sizeof((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}) / sizeof(char *)) / 2)

static inline void tear_down(lab *l)
{
    cop_route_fini(&l->r);
    cop_topo_free(&l->t);
    cop_arena_free(&l->arena);
}

/* A packet of host 0 or 1 at switch 0: the group that it visits, COP_NONE: minimal. */
static inline uint32_t via(lab *l, uint32_t in_port, uint32_t dst, cop_cand *cand)
{
    cop_hop hop = {.in_port = (uint16_t)in_port, .src = in_port, .dst = dst, .mid = COP_NONE};
    assert_int_equal(l->r.ops->route(&l->r, &hop, &l->view, cand), 1);
    uint32_t first = hop.mid;
    cop_cand again;
    l->r.ops->route(&l->r, &hop, &l->view, &again); /* blocked and asked again: it has decided */
    assert_int_equal(hop.mid, first);
    assert_memory_equal(cand, &again, sizeof(again));
    return first;
}

#endif
