/* A run made by hand, stored and read as a report: every number of it can be worked out. */
#ifndef COP_REPORT_RUN_FIXTURE_H
#define COP_REPORT_RUN_FIXTURE_H

#include "report_fixture.h"

#include <math.h>

/* 100 us in bins of 10 us, the first two of them warm-up. A sends from h0, B from h1 and h2. */
static inline cop_result small_run(void)
{
    static cop_hist latency, transit;
    cop_result r = {.sim_time = 100 * COP_US,
                    .warmup = 20 * COP_US,
                    .sample = 10 * COP_US,
                    .run_hash = 0xabc,
                    .packets_injected = 60,
                    .packets_delivered = 59,
                    .packets_in_flight = 1,
                    .bytes_injected = 6000,
                    .bytes_delivered = 5900,
                    .events = 700,
                    .packet_hops = 180,
                    .throughput_gbps = 2.5,
                    .throughput_total_gbps = 7.5,
                    .little_mean_in_network = 1.25,
                    .little_rate_times_latency = 1.5,
                    .cpu_seconds = 0.5,
                    .build_seconds = 0.25,
                    .peak_rss_bytes = 4096,
                    .n_hosts = 3,
                    .n_switches = 2,
                    .latency = &latency,
                    .transit = &transit};
    latency = transit = (cop_hist){0};
    cop_hist_add(&latency, 1001);
    cop_hist_add(&latency, 3001);
    cop_hist_add(&latency, 3001);
    cop_hist_add(&latency, 7001);
    r.series = COP_NEW_ARRAY(&r.arena, cop_series, 4);
    r.n_series = 4;
    static const char *const names[] = {"throughput/A", "throughput/B/1", "throughput/B/2",
                                        "network/latency"};
    for (uint32_t i = 0; i < 4; i++) {
        r.series[i] = (cop_series){names[i], i == 3 ? "ns" : "Gbit/s", 10,
                                   COP_NEW_ARRAY(&r.arena, double, 10)};
        for (uint32_t k = 0; k < 10; k++)
            r.series[i].v[k] = i == 3 ? 500.0 * k : (i + 1) * 0.5 * k;
    }
    static const cop_stream_result streams[] = {{"A", 0, 2, 900, 800, 4.5, 1500.5, 30, false},
                                                {"B", 1, COP_NONE, 900, 800, 1.0, 1000, 10, false},
                                                {"B", 2, 0, 900, 800, 2.0, 4000, 20, false}};
    static const cop_node_result nodes[] = {{"h0", 1, 2, 0.5, 1.0, "", 0},
                                            {"h1", 3, 4, 0.5, 1.0, "", 0},
                                            {"h2", 5, 6, 0.5, 1.0, "", 0}};
    static const cop_port_result ports[] = {
        {"s0.0", "h0", 0.25, 512, 900},   {"s0.2", "s1.1", 0.5, 2048, 4096},
        {"s1.0", "h2", 0.5, 3072, 4096},  {"s1.1", "s0.2", 0.123456, 0.4, 1},
        {"s0.10", "h1", 0.5, 2048, 2048}, {"h0", "s0.0", 0, 0, 0}};
    static const cop_scalar scalars[] = {{"fecn", "packets", 12}, {"none", "ns", NAN}};
#define TABLE(list, field, count)                                                                  \
    r.field = COP_NEW_ARRAY(&r.arena, __typeof__(*r.field), COP_LEN(list));                        \
    memcpy(r.field, list, sizeof(list));                                                           \
    r.count = COP_LEN(list)
    TABLE(streams, stream, n_streams);
    TABLE(nodes, node, n_nodes);
    TABLE(ports, port, n_ports);
    TABLE(scalars, scalar, n_scalars);
    return r;
}

static inline cop_report *report_of(const place *p, cop_result *r)
{
    cop_err err = {0};
    if (cop_store_run(p->db, &META, r, NULL, &err) != 0)
        fail_msg("%s", err.text);
    cop_arena_free(&r->arena);
    return must_read(p->db);
}

static inline cop_report *small_report(const place *p)
{
    cop_result r = small_run();
    return report_of(p, &r);
}

static inline const json_t *run_of(const cop_report *r)
{
    return json_array_get(json_object_get(r->doc, "runs"), 0);
}

static inline const json_t *figure_of(const cop_report *r, const char *name)
{
    size_t i;
    json_t *f;
    COP_EACH (json_object_get(run_of(r), "figures"), i, f)
        if (strcmp(cop_report_get(f, "name"), name) == 0)
            return f;
    fail_msg("no figure %s", name);
    return NULL;
}

/* The same values, to the ten digits that the page has; what is whole there is whole here. */
static inline void same_json(const json_t *is, const char *want)
{
    const size_t how = JSON_ENCODE_ANY | JSON_SORT_KEYS | JSON_REAL_PRECISION(10);
    json_error_t fault;
    json_t *w = json_loads(want, JSON_DECODE_ANY, &fault);
    if (w == NULL)
        fail_msg("%s: %s", fault.text, want);
    char *a = json_dumps(is, how), *b = json_dumps(w, how);
    assert_string_equal(a, b);
    free(a);
    free(b);
    json_decref(w);
}

static inline const json_t *points_of(const json_t *figure, size_t curve)
{
    return json_object_get(json_array_get(json_object_get(figure, "series"), curve), "points");
}

#endif
