/* The dependency check on a topology and a routing. */
#ifndef COP_CDG_FIXTURE_H
#define COP_CDG_FIXTURE_H

#include "topo_fixture.h"

#include "route/route_cfg.h"

static inline void start(cop_route *r, const cop_route_ops *ops, const cop_topo *t, const void *cfg,
                         uint32_t lanes)
{
    cop_err err = {0};
    if (cop_route_init(r, ops, t, cfg, lanes, &err) != 0)
        fail_msg("%s: %s", ops->name, err.text);
}

/* Checks the whole routing and returns the result; the caller frees it. */
static inline cop_cdg_result check(const cop_topo *t, const char *name, const void *cfg,
                                   uint32_t lanes)
{
    cop_route r;
    cop_cdg_result c;
    start(&r, cop_route_find(name), t, cfg, lanes);
    cop_cdg_check(&r, NULL, 0, &c);
    assert_false(c.sampled);
    assert_false(c.unreachable);
    assert_int_equal(c.bad_src, COP_NONE);
    assert_true((c.cycle_len == 0) == c.acyclic);
    cop_route_fini(&r);
    return c;
}

#endif
