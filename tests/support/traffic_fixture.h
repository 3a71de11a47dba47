/* Traffic without a network: who sends, where to, when, how much. Tests use closed forms and bounds of
 * several standard deviations; all draws follow from fixed seeds, so a test that passes once passes
 * always. */
#ifndef COP_TRAFFIC_FIXTURE_H
#define COP_TRAFFIC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "traffic/traffic_cfg.h"

#define GBIT UINT64_C(1000000000)
#define MAX_ENTRIES 4

typedef struct rig {
    cop_arena arena;
    cop_topo topo;
    uint64_t *inject;
    cop_traffic_ctx ctx;
    cop_traffic_cfg cfg[MAX_ENTRIES];
    size_t n;
    cop_traffic tr;
    cop_err err;
} rig;

static inline void rig_init(rig *r, uint32_t n_hosts, uint64_t inject_bps)
{
    memset(r, 0, sizeof(*r));
    r->topo.n_hosts = n_hosts;
    r->inject = COP_NEW_ARRAY(&r->arena, uint64_t, n_hosts);
    for (uint32_t h = 0; h < n_hosts; h++)
        r->inject[h] = inject_bps;
    r->ctx = (cop_traffic_ctx){
        .seed = 7, .inject_bps = r->inject, .mtu_bytes = 2048, .duration_ps = 100 * COP_SECOND};
}

/* Options as "name=value; name=value". */
static inline void rig_entry(rig *r, const char *text)
{
    cop_traffic_cfg *cfg = &r->cfg[r->n++];
    cop_opt_defaults(cop_traffic_opts, cfg, &r->arena);
    char *copy = cop_arena_strdup(&r->arena, text), *save = NULL;
    for (char *item = strtok_r(copy, ";", &save); item; item = strtok_r(NULL, ";", &save)) {
        item += strspn(item, " ");
        char *value = strchr(item, '=');
        assert_non_null(value);
        *value++ = '\0';
        const cop_opt *o = cop_opt_find(cop_traffic_opts, item);
        assert_non_null(o);
        if (cop_opt_parse(o, cfg, value, &r->arena, NULL, &r->err) != 0)
            fail_msg("%s: %s", text, r->err.text);
    }
}

static inline int rig_try(rig *r)
{
    return cop_traffic_build(&r->tr, &r->topo, r->cfg, r->n, &r->ctx, &r->err);
}

static inline void rig_build(rig *r)
{
    int rc = rig_try(r);
    if (rc != 0)
        print_error("%s\n", r->err.text);
    assert_int_equal(rc, 0);
}

static inline void rig_free(rig *r)
{
    static const cop_traffic none;
    cop_traffic_free(&r->tr);
    assert_memory_equal(&r->tr, &none, sizeof(none));
    cop_arena_free(&r->arena);
}

/* A network of one entry. */
static inline void rig_one(rig *r, uint32_t n_hosts, uint64_t inject_bps, const char *text)
{
    rig_init(r, n_hosts, inject_bps);
    rig_entry(r, text);
    rig_build(r);
}

static inline cop_stream *first_of(rig *r, uint32_t host)
{
    assert_true(r->tr.host_stream0[host] < r->tr.host_stream0[host + 1]);
    return &r->tr.stream[r->tr.host_stream0[host]];
}

static inline cop_msg take_at(rig *r, uint32_t s, cop_time now)
{
    cop_msg m;
    cop_traffic_take(&r->tr, s, now, &m);
    assert_true(m.dst != r->tr.stream[s].host || r->cfg[r->tr.stream[s].entry].self);
    assert_true(m.dst < r->topo.n_hosts && m.bytes > 0);
    return m;
}

static inline void assert_share(uint64_t count, uint64_t n, double p)
{
    double sigma2 = (double)n * p * (1.0 - p), d = (double)count - (double)n * p;
    assert_true(d * d <= 20.0 * sigma2 + 1.0); /* 4.5 standard deviations */
}

#endif
