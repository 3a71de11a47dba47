/* A small tree with numbers known by hand, for tests of metrics:
 *
 *            s2
 *          /    \
 *        s0      s1       10 ms of simulated time, 2 ms of it warm-up, bins of 1 ms.
 *       /  \    /  \      h2 is a hotspot: its switch port is full, and queues reach back to s0.
 *      h0  h1  h2  h3 */
#ifndef COP_METRICS_FIXTURE_H
#define COP_METRICS_FIXTURE_H

#include "study_fixture.h"

#define HEAD "experiment: e\nbase: base.yaml\n"

static inline void tree_series(cop_result *r)
{
    static const char *const names[] = {"throughput/A", "throughput/B", "network/throughput",
                                        "received/h0",  "received/h1",  "received/h2",
                                        "received/h3"};
    static const double from[] = {1, 10, 11, 2, 4, 6, 1}, step[] = {1, -1, 0, 0, 0, 0, 1};
    r->n_series = COP_LEN(names);
    r->series = COP_NEW_ARRAY(&r->arena, cop_series, COP_LEN(names));
    for (size_t i = 0; i < COP_LEN(names); i++)
        r->series[i] = (cop_series){names[i], "Gbit/s", 10, bins(&r->arena, from[i], step[i])};
}

static inline void tree_lists(cop_result *r)
{
    static const cop_stream_result streams[] = {{"U", 0, 2, 100, 90, 2, 100, 10, false},
                                                {"U", 1, 2, 100, 80, 4, 200, 30, false},
                                                {"W", 3, 2, 9, 9, 8, 50, 1, false}};
    static const cop_node_result nodes[] = {{"h0", 1, 1, 2, 1, "V", 0},
                                            {"h1", 1, 1, 4, 2, "C", 0},
                                            {"h2", 1, 1, 0, 3, "C", 1},
                                            {"h3", 1, 1, 8, 6, "B", 0.5}};
    static const cop_port_result ports[] = {
        /* towards, share of time in use, mean and most bytes that wait */
        {"h0", "s0.0", 0.2, 0, 0},           {"h1", "s0.1", 0.4, 0, 0},
        {"h2", "s1.0", 0.0, 0, 0},           {"h3", "s1.1", 0.8, 0, 0},
        {"s0.0", "h0", 0.5, 5000, 7000}, /* they wait behind others: the link is not full */
        {"s0.1", "h1", 0.2, 100, 300},       {"s0.2", "s2.0", 0.5, 6000, 8000},
        {"s1.0", "h2", 1.0, 20000, 30000},   {"s1.1", "h3", 0.6, 0, 100},
        {"s1.2", "s2.1", 1.0, 2000, 4000},   {"s2.0", "s0.2", 0.25, 0, 900},
        {"s2.1", "s1.2", 0.25, 10000, 12000}};
    r->stream = COP_NEW_ARRAY(&r->arena, cop_stream_result, COP_LEN(streams));
    memcpy(r->stream, streams, sizeof(streams));
    r->n_streams = COP_LEN(streams);
    r->node = COP_NEW_ARRAY(&r->arena, cop_node_result, COP_LEN(nodes));
    memcpy(r->node, nodes, sizeof(nodes));
    r->n_nodes = COP_LEN(nodes);
    r->port = COP_NEW_ARRAY(&r->arena, cop_port_result, COP_LEN(ports));
    memcpy(r->port, ports, sizeof(ports));
    r->n_ports = COP_LEN(ports);
}

static inline cop_result make_tree(void)
{
    static cop_hist latency;
    cop_result r = {.sim_time = 10 * COP_MS,
                    .warmup = 2 * COP_MS,
                    .sample = COP_MS,
                    .packets_injected = 100,
                    .packet_hops = 460,
                    .n_hosts = 4,
                    .n_switches = 3,
                    .latency = &latency};
    latency = (cop_hist){0};
    cop_hist_add(&latency, 1000 * 1000);
    cop_hist_add(&latency, 3000 * 1000);
    tree_series(&r);
    tree_lists(&r);
    return r;
}

/* Expressions over one run, `r`. */
static inline cop_eval *open_run(stage *s, cop_result *r)
{
    must_read(s, HEAD "runs: [{name: r}]\n", "full");
    store_made(s, 0, r);
    find_points(s);
    return open_expressions(s);
}

/* Expressions over that tree. */
static inline cop_eval *open_tree(stage *s)
{
    cop_result r = make_tree();
    return open_run(s, &r);
}

#endif
