/* What both tests of the result database need: a folder, a synthetic result, questions in SQL. */
#ifndef COP_STORE_FIXTURE_H
#define COP_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "store/store_int.h"

enum { SERIES_N = 1000 };

/* A fresh folder and the database in it; removed after the test. */
typedef struct place {
    char dir[64], db[128], wal[160], shm[160];
} place;

static inline int place_make(void **state)
{
    place *p = cop_alloc(sizeof(*p));
    strcpy(p->dir, "/tmp/cop_store_XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    assert_int_equal(chmod(p->dir, 0755), 0);
    snprintf(p->db, sizeof(p->db), "%s/r%%?#.db", p->dir); /* marks that mean something in a URI */
    snprintf(p->wal, sizeof(p->wal), "%s-wal", p->db);
    snprintf(p->shm, sizeof(p->shm), "%s-shm", p->db);
    *state = p;
    return 0;
}

static inline int place_remove(void **state)
{
    place *p = *state;
    chmod(p->dir, 0755);
    unlink(p->db);
    unlink(p->wal);
    unlink(p->shm);
    int rc = rmdir(p->dir); /* fails if a test or the store left anything else behind */
    cop_free(p);
    return rc;
}

static const cop_store_meta META = {
    .name = "hot-spot",
    .title = "a hot spot, \"quoted\" and 'quoted'",
    .config_text = "topology:\n  kind: fattree\n",
    .version = "0.1",
    .command = "coppice run x.yaml",
    .started_at = "2026-01-31T12:00:00Z",
    .seed = -7,
    .config_hash = 0xfedcba9876543210u,
};

static inline void fill_series(cop_result *r)
{
    r->n_series = 2;
    r->series = COP_NEW_ARRAY(&r->arena, cop_series, 2);
    r->series[0] = (cop_series){.name = "throughput/F1", .unit = "Gbit/s", .n = SERIES_N};
    r->series[1] = (cop_series){.name = "empty", .unit = "ns"};
    double *v = COP_NEW_ARRAY(&r->arena, double, SERIES_N);
    for (int i = 0; i < SERIES_N; i++)
        v[i] = (double)i / 7.0;
    v[0] = -0.0;
    v[1] = __builtin_nan("");
    v[2] = __builtin_inf();
    v[3] = 0x1p-1074;
    r->series[0].v = v;
}

static inline void fill_lists(cop_result *r, uint32_t ports, uint32_t nodes)
{
    r->n_streams = 2;
    r->stream = COP_NEW_ARRAY(&r->arena, cop_stream_result, 2);
    r->stream[0] = (cop_stream_result){"F1", 3, COP_NONE, 900, 800, 1.5, 250.5, 10, false};
    r->stream[1] = (cop_stream_result){"F1", 4, 9, 1000, 0, 0.5, 0.0, 0, false};
    r->n_nodes = nodes;
    r->node = COP_NEW_ARRAY(&r->arena, cop_node_result, nodes);
    for (uint32_t i = 0; i < nodes; i++)
        r->node[i] =
            (cop_node_result){cop_arena_printf(&r->arena, "h%u", i), i, 2 * i, 0.5, 1.0, "V", 0.25};
    r->n_ports = ports;
    r->port = COP_NEW_ARRAY(&r->arena, cop_port_result, ports);
    for (uint32_t i = 0; i < ports; i++)
        r->port[i] = (cop_port_result){cop_arena_printf(&r->arena, "s%u/1", i),
                                       cop_arena_printf(&r->arena, "h%u", i), 0.25, i * 1.5, i};
    r->n_flows = 3;
    r->flow = COP_NEW_ARRAY(&r->arena, cop_flow_result, 3);
    r->flow[0] = (cop_flow_result){0, 1, 5, 10240};
    r->flow[1] = (cop_flow_result){0, 2, 0, 0}; /* empty: not stored */
    r->flow[2] = (cop_flow_result){1, 0, 1, 64};
    r->n_scalars = 2;
    r->scalar = COP_NEW_ARRAY(&r->arena, cop_scalar, 2);
    r->scalar[0] = (cop_scalar){"cc.marked", "packets", 12.0};
    r->scalar[1] = (cop_scalar){"cc.unknown", "ns", __builtin_nan("")};
}

static inline cop_result make_result(uint32_t ports, uint32_t nodes)
{
    cop_result r = {.outcome = COP_OUTCOME_DEADLOCK,
                    .detail = "a waits for b\nb waits for a",
                    .sim_time = 1234567890123,
                    .warmup = 500,
                    .sample = 10 * COP_US,
                    .run_hash = 0x00000000deadbeefu,
                    .packets_injected = 1000,
                    .packets_delivered = 990,
                    .packets_in_flight = 10,
                    .events = (uint64_t)1 << 60,
                    .packet_hops = 4000,
                    .throughput_gbps = 12.75,
                    .cpu_seconds = 0.5,
                    .n_hosts = 16,
                    .n_switches = 20};
    r.latency = COP_NEW_ARRAY(&r.arena, cop_hist, 1);
    r.transit = COP_NEW_ARRAY(&r.arena, cop_hist, 1); /* stays empty */
    cop_rng rng = cop_rng_make(1, COP_RNG_TEST, 0);
    for (int i = 0; i < 5000; i++) {
        uint64_t v =
            cop_rng_u64(&rng); /* one draw per expression: the order is then the same everywhere */
        cop_hist_add(r.latency, 1 + (v >> (24 + cop_rng_below(&rng, 40))));
    }
    fill_series(&r);
    fill_lists(&r, ports, nodes);
    return r;
}

/* Store the usual small result; 0 or the fault. Usable in child processes. */
static inline int store_small(const char *db, int64_t *id, cop_err *err)
{
    cop_result r = make_result(20, 16);
    int rc = cop_store_run(db, &META, &r, id, err);
    cop_arena_free(&r.arena);
    return rc;
}

static inline cop_store *must_open(const char *path, bool write)
{
    cop_store *s;
    cop_err err = {0};
    if (cop_store_open(&s, path, write, &err) != 0)
        fail_msg("%s", err.text);
    return s;
}

static inline int64_t ask(cop_store *s, const char *sql)
{
    cop_err err = {0};
    int64_t v = 0;
    if (cop_store_ask(s, sql, &v, &err) != 0)
        fail_msg("%s: %s", sql, err.text);
    return v;
}

/* The file is sound and holds so many whole runs. */
static inline void assert_runs(const char *path, int64_t runs)
{
    cop_store *s = must_open(path, false);
    assert_int_equal(ask(s, "SELECT count(*) FROM run"), runs);
    assert_int_equal(ask(s, "SELECT count(DISTINCT run_id) FROM scalar"), runs);
    assert_int_equal(ask(s, "SELECT count(DISTINCT run_id) FROM hist"), runs);
    assert_int_equal(ask(s, "SELECT count(*) FROM pragma_integrity_check"
                            " WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(ask(s, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    cop_store_close(s);
}

static inline char *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("%s: cannot be read; run the tests from the top folder", path);
    char *data = cop_alloc((size_t)8 << 20);
    *bytes = fread(data, 1, ((size_t)8 << 20) - 1, f);
    fclose(f);
    return data;
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, place_make, place_remove)

#endif
