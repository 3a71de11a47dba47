/* Generators of topologies against closed forms: build one, refuse one, look at its ports. */
#ifndef COP_TOPO_FIXTURE_H
#define COP_TOPO_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "topo/topo.h"

#define INTS(...)                                                                                  \
    {                                                                                              \
        (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)               \
    }

static inline void build(cop_topo *t, const char *kind, const void *cfg)
{
    const cop_topo_ops *ops = cop_topo_find(kind);
    assert_non_null(ops);
    *t = (cop_topo){0};
    cop_err err = {0};
    int rc = ops->build(t, cfg, &err);
    if (rc != 0)
        fail_msg("%s: %s", kind, err.text);
    assert_string_equal(t->kind, kind);
}

/* Every port is numbered as promised, and in full-duplex networks both directions agree. */
static inline void check_ports(const cop_topo *t, bool duplex)
{
    uint32_t p = 0;
    for (uint32_t s = 0; s < t->n_switches; s++)
        for (uint32_t i = 0; i < cop_topo_ports_of(t, s); i++, p++) {
            assert_int_equal(t->port[p].owner, s);
            assert_int_equal(t->port[p].local, i);
            assert_int_equal(cop_topo_switch_port(t, s, i), p);
        }
    assert_int_equal(p, t->host_port0);
    assert_int_equal(t->n_ports, p + t->n_hosts);
    for (p = 0; p < t->n_ports; p++) {
        uint32_t to = t->port[p].to;
        if (duplex)
            assert_int_equal(to, t->port[p].from);
        if (to == COP_NONE)
            continue;
        assert_int_equal(t->port[to].from, p);
        bool host = cop_topo_is_host_port(t, p) || cop_topo_is_host_port(t, to);
        assert_true((t->port[p].link_class == COP_LINK_HOST) == host);
    }
}

static inline uint32_t used_ports(const cop_topo *t, uint32_t sw)
{
    uint32_t n = 0;
    for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
        n += t->port[p].to != COP_NONE;
    return n;
}

static inline uint32_t peer_switch(const cop_topo *t, uint32_t sw, uint32_t local)
{
    return t->port[t->port[cop_topo_switch_port(t, sw, local)].to].owner;
}

#endif
