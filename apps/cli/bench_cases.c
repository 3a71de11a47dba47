#include "bench_cases.h"

#include "base/rng.h"
#include "des/evq.h"
#include "exp/run.h"

#include <string.h>
#include <time.h>

/* 20 Gbit/s signalling (4x DDR) is 16 Gbit/s of data; 2 KiB packets; every host sends to random
 * others as fast as it can; all statistics are on. */
#define FLOW                                                                                       \
    "link: {rate: 16 Gbit/s, delay: 20 ns}\n"                                                      \
    "nic: {mtu: 2 KiB}\n"                                                                          \
    "traffic: [{name: uniform, from: all, pattern: uniform, message: 4 KiB}]\n"
#define COMMON "switch: {buffer: 64 KiB}\n" FLOW

/* What queueing costs on the switches of an architecture. */
#define QUEUEING(suffix, architecture, kind)                                                       \
    {                                                                                              \
        .name = "fat-tree-648-" suffix,                                                            \
        .yaml = "topology: {kind: fat-tree, ports: 36, levels: 2}\n"                               \
                "queueing: {kind: " kind "}\n"                                                     \
                "switch: {architecture: " architecture ", buffer: 64 KiB}\n" FLOW,                 \
        .duration = "300 us", .brief = "100 us", .longer = "150 us", .repeats = 3,                 \
        .count_instructions = true                                                                 \
    }

/* The dragonfly of Benito et al., 5256 hosts at half load; `more`: of the switch and the network. */
#define DRAGONFLY(suffix, more)                                                                    \
    {                                                                                              \
        .name = "dragonfly-5256-" suffix,                                                          \
        .yaml = "topology: {kind: dragonfly, p: 6, a: 12, h: 6}\n"                                 \
                "link: {rate: 40 Gbit/s, delay: 40 ns, global_delay: 400 ns}\n"                    \
                "traffic: [{name: uniform, pattern: uniform, arrival: bernoulli, load: 50 %,\n"    \
                "  message: 1000 B}]\n" more,                                                      \
        .duration = "60 us", .repeats = 1                                                          \
    }
#define CIOQ                                                                                       \
    "queueing: {kind: 1q}\nflow_control: {kind: on-off}\n"                                         \
    "switch: {architecture: cioq, speedup: 2, pipeline: 200 ns, lanes: 4, buffer: 100 kB,\n"       \
    "  output_buffer: 100 kB, vl_arbitration: ib, vl_high: [3, 16], vl_low: [0, 16, 1, 16, 2, "    \
    "16]}\n"

/* The torus of Fernandez and Garcia, 512 nodes at saturation, 64-byte packets of 16 flits. */
#define TORUS(suffix, more)                                                                        \
    {                                                                                              \
        .name = "torus-512-" suffix,                                                               \
        .yaml = "units: {flit: 4 B, cycle: 1 ns}\n"                                                \
                "topology: {kind: torus, radix: [8, 8, 8]}\nqueueing: {kind: 1q}\n"                \
                "link: {rate: 1 flit/cycle, delay: 1 cycle}\n"                                     \
                "switch: {pipeline: 2 cycles, header: 1 flit, buffer: 48 flits, lanes: 2}\n"       \
                "nic: {mtu: 16 flits}\n"                                                           \
                "traffic: [{name: uniform, pattern: uniform, arrival: bernoulli, load: 0.65,\n"    \
                "  message: 64 B}]\n" more,                                                        \
        .duration = "20 us", .brief = "2 us", .longer = "3 us", .repeats = 3,                      \
        .count_instructions = true                                                                 \
    }

const cop_bench_case cop_bench_cases[] = {
    {.name = "fat-tree-648",
     .yaml = "topology: {kind: fat-tree, ports: 36, levels: 2}\n" COMMON,
     .duration = "600 us",
     .brief = "150 us",
     .longer = "250 us",
     .repeats = 5,
     .count_instructions = true},
    {.name = "fat-tree-648-poisson",
     .yaml =
         "topology: {kind: fat-tree, ports: 36, levels: 2}\n"
         "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
         "traffic: [{name: uniform, from: all, pattern: uniform, arrival: poisson, load: 80 %}]\n",
     .duration = "600 us",
     .brief = "150 us",
     .longer = "250 us",
     .repeats = 3,
     .count_instructions = true},
    {.name = "fat-tree-648-ibcc",
     .yaml = "topology: {kind: fat-tree, ports: 36, levels: 2}\n"
             "cc: {kind: ibcc, preset: fat-tree}\n" COMMON,
     .duration = "600 us",
     .brief = "150 us",
     .longer = "250 us",
     .repeats = 3,
     .count_instructions = true},
    {.name = "fat-tree-648-job",
     .yaml = "topology: {kind: fat-tree, ports: 36, levels: 2}\n"
             "switch: {buffer: 64 KiB}\nlink: {rate: 16 Gbit/s, delay: 20 ns}\n"
             "traffic: [{name: job, collective: all-to-all-linear, message: 2654208 B}]\n",
     .duration = "600 us",
     .brief = "150 us",
     .longer = "250 us",
     .repeats = 3,
     .count_instructions = true},
    QUEUEING("1q", "ib", "1q"),
    QUEUEING("fbicm", "ib", "fbicm"),
    QUEUEING("recn", "ib", "recn"),
    QUEUEING("hfdi", "ib", "hfdi"),
    QUEUEING("iq-1q", "iq", "1q"),
    QUEUEING("iq-fbicm", "iq", "fbicm"),
    QUEUEING("iq-recn", "iq", "recn"),
    QUEUEING("iq-hfdi", "iq", "hfdi"),
    QUEUEING("cioq-1q", "cioq", "1q"),
    QUEUEING("cioq-fbicm", "cioq", "fbicm"),
    QUEUEING("cioq-recn", "cioq", "recn"),
    QUEUEING("cioq-hfdi", "cioq", "hfdi"),
    TORUS("dor", "routing: {kind: dor}\n"),
    TORUS("adaptive", "routing: {kind: true-adaptive}\n"),
    TORUS("adaptive-fern", "routing: {kind: true-adaptive}\ncc: {kind: fern-1}\n"),
    DRAGONFLY("ugal", "nic: {mtu: 1000 B}\nrouting: {kind: ugal}\nswitch: {pipeline: 200 ns}\n"),
    DRAGONFLY("qcn", "nic: {mtu: 1000 B}\nrouting: {kind: qcn-switch}\n"
                     "cc: {kind: qcn, react: no, w: 0}\nswitch: {pipeline: 200 ns}\n"),
    DRAGONFLY("cioq-ugal", "nic: {mtu: 1000 B}\nrouting: {kind: ugal}\n" CIOQ),
    DRAGONFLY("cioq-qcn", "nic: {mtu: 1000 B, control_vl: 2}\ncc: {kind: qcn, react: no, w: 0}\n"
                          "routing: {kind: qcn-switch, decide: head}\n" CIOQ),
    {.name = "fat-tree-11664",
     .yaml = "topology: {kind: fat-tree, ports: 36, levels: 3}\n" COMMON,
     .duration = "60 us",
     .repeats = 2},
    {.name = "dragonfly-16512",
     .yaml = "topology: {kind: dragonfly, p: 8, a: 16, h: 8}\n" COMMON,
     .duration = "20 us",
     .repeats = 1},
    {.name = "fat-tree-101306",
     .yaml = "topology: {kind: fat-tree, ports: 74, levels: 3}\n" COMMON,
     .duration = "8 us",
     .repeats = 1},
};
const size_t cop_bench_n_cases = COP_LEN(cop_bench_cases);

bool cop_bench_measure(const cop_bench_case *c, const char *span, cop_bench_numbers *n)
{
    cop_config config;
    cop_result r;
    cop_err err = {0};
    char duration[64];
    snprintf(duration, sizeof(duration), "run.duration=%s", span ? span : c->duration);
    const cop_override set[] = {
        {.text = duration}, {.text = "run.sample=10 us"}, {.text = "run.trees=no"}};
    if (cop_config_load(&config, c->name, c->yaml, set, COP_LEN(set), &err) != 0 ||
        cop_run(&config, NULL, &r, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    *n = (cop_bench_numbers){.hops = (double)r.packet_hops,
                             .hops_per_second =
                                 r.cpu_seconds > 0.0 ? (double)r.packet_hops / r.cpu_seconds : 0.0,
                             .events_per_hop = (double)r.events / (double)r.packet_hops,
                             .build_seconds = r.build_seconds,
                             .peak_rss_bytes = r.peak_rss_bytes,
                             .hosts = r.n_hosts};
    bool ok = r.outcome == COP_OUTCOME_OK;
    cop_result_free(&r);
    cop_config_free(&config);
    return ok;
}

static double cpu_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* Increments as a network makes them: a packet time, a header and pipeline, a wire. */
static cop_time increment(uint64_t i)
{
    static const cop_time mix[] = {1024 * COP_NS, 152 * COP_NS, 20 * COP_NS, 512 * COP_NS};
    return mix[i % COP_LEN(mix)] + (i * 0x9E3779B97F4A7C15u >> 54);
}

double cop_bench_hold(bool heap, size_t pending)
{
    enum { HOLDS = 1000000 };
    cop_evq q;
    cop_time gap = 512 * COP_NS / (cop_time)pending;
    cop_evq_init(&q, heap, 8 * (gap ? gap : 1), 4096 * COP_NS);
    for (size_t i = 0; i < pending; i++)
        cop_evq_push(&q, 1 + increment(i) * (i % 7 + 1) / 7, cop_ev_id(COP_EV_ARRIVE, (uint32_t)i));
    double start = 0.0;
    for (uint64_t i = 0; i < 2 * (uint64_t)HOLDS; i++) {
        cop_ev ev;
        if (i == HOLDS)
            start = cpu_ns();
        COP_CHECK(cop_evq_pop(&q, COP_NEVER, &ev));
        cop_evq_push(&q, ev.t + increment(i), ev.id);
    }
    double ns = (cpu_ns() - start) / HOLDS;
    cop_evq_fini(&q);
    return ns;
}
