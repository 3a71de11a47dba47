/* Whole simulations from a fuzzer: every byte chooses one option of a small network, so all inputs
 * are near to sensible and the combinations are what is searched. A configuration is refused with
 * messages that name a remedy, or it runs: then nothing is lost, everything is accounted for, a
 * routing without cycles does not deadlock, and both event queues give the same run. */
#include "exp/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct source {
    const uint8_t *data;
    size_t left;
} source;

static uint32_t below(source *s, uint32_t n)
{
    if (s->left == 0)
        return 0;
    s->left--;
    return *s->data++ % n;
}

typedef struct text {
    char v[4096];
    size_t n;
} text;

static void add(text *t, const char *line)
{
    size_t n = strlen(line);
    COP_CHECK(t->n + n + 2 < sizeof(t->v));
    memcpy(t->v + t->n, line, n);
    t->n += n;
    t->v[t->n] = '\0';
}

#define PICK(s, ...)                                                                               \
    ((const char *const[]){__VA_ARGS__})[below(                                                    \
        (s), (uint32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))]

static void add_network(text *t, source *s)
{
    add(t, "topology: ");
    add(t, PICK(s, "{kind: single, hosts: 5}\n", "{kind: chain, hosts: [2, 1, 3]}\n",
                "{kind: full, switches: 3, hosts: 2}\n", "{kind: kary-ntree, k: 2, n: 3}\n",
                "{kind: xgft, children: [3, 2], parents: [1, 2]}\n",
                "{kind: torus, radix: [4], hosts: 2}\n", "{kind: torus, radix: [3, 3]}\n",
                "{kind: mesh, radix: [3, 2], hosts: 1}\n", "{kind: hypercube, dims: 3}\n",
                "{kind: dragonfly, p: 1, a: 2, h: 1}\n", "{kind: omega, radix: 2, stages: 3}\n",
                "{kind: butterfly, radix: 3, stages: 2}\n"));
    add(t, "routing: ");
    add(t,
        PICK(s, "{kind: auto}\n", "{kind: minhop}\n", "{kind: updn}\n", "{kind: adaptive-tree}\n",
             "{kind: adaptive-cube}\n", "{kind: dragonfly-valiant, to: group, intra: valiant}\n",
             "{kind: dragonfly-valiant}\n", "{kind: dor, datelines: no}\n",
             "{kind: dor, ties: random}\n", "{kind: random-tree}\n",
             "{kind: dragonfly-valiant, via: any-but-source}\n"));
    add(t, "link: {delay: ");
    add(t, PICK(s, "20 ns", "1 ps", "1 us", "333 ps"));
    add(t, PICK(s, "", ", trunk_rate: 40 Gbit/s", ", host_rate: 3 Gbit/s",
                ", global_rate: 100 Gbit/s"));
    add(t, "}\n");
    add(t, "queueing: ");
    add(t, PICK(s, "{kind: voqsw}\n", "{kind: 1q}\n", "{kind: voqnet}\n",
                "{kind: dbbm, queues: 2}\n", "{kind: vftree, lanes: 3}\n",
                "{kind: fbicm, detect: 1, high: 2, low: 1, stop: 3, go: 1}\n",
                "{kind: recn, queues: 1, detect: 1, high: 1, low: 0, stop: 2, go: 0}\n",
                "{kind: hfdi, high: 1, low: 0, lifetime: 0}\n",
                "{kind: hfdi, high: 2, low: 1, local: yes, destinations: 1}\n"));
}

static void add_switch(text *t, source *s)
{
    add(t, "switch: {buffer: ");
    add(t, PICK(s, "64 KiB", "4 KiB", "2 KiB", "16 KiB", "1 KiB", "2112 B"));
    add(t, PICK(s, "", ", architecture: iq", ", architecture: cioq, output_buffer: 4 KiB",
                ", architecture: iq, matching: rrm, iterations: 1",
                ", architecture: cioq, speedup: 1.5, output_buffer: 2112 B",
                ", architecture: cioq, output_credit: crossbar"));
    add(t, PICK(s, "", ", switching: store-and-forward", ", pipeline: 0, header: 0 B"));
    add(t, PICK(s, "", ", arbitration: age", ", arbitration: random", ", arbitration: transit"));
    add(t, PICK(s, "", ", lanes: 4", ", lanes: 2, vl_arbitration: strict",
                ", lanes: 3, vl_arbitration: ib, vl_high: [2, 1], vl_low: [0, 40, 1, 3],"
                " vl_high_limit: 1",
                ", shared_lanes: yes", ", shared_lanes: yes, lanes: 3, reserve: 2112 B"));
    add(t, "}\nflow_control: {kind: ");
    add(t, PICK(s, "credit}\n", "ib}\n", "ib, loss: 30 %, refresh: 1 us}\n", "on-off}\n",
                "on-off, delay: 1 us}\n", "ack-nack}\n", "credit, delay: 500 ns}\n"));
    add(t, "nic: {mtu: ");
    add(t, PICK(s, "2 KiB", "256 B", "2000 B", "100 B"));
    add(t, PICK(s, "", ", receive_rate: 4 Gbit/s", ", inject_rate: 7 Gbit/s"));
    add(t, PICK(s, "", ", ack: packet", ", ack: message, control_vl: 0",
                ", ack: packet,"
                " control_vl: 1, control_bytes: 200 B"));
    add(t, PICK(s, "", ", order: round-robin", ", overhead: 40 B", ", control_bytes: 1 B"));
    /* Throttled messages that were set aside must still be sent when a run drains: few of them. */
    add(t, PICK(s, ", backlog: 3}\n", ", backlog: 1}\n"));
    add(t, "cc: ");
    add(t, PICK(s, "{kind: none}\n", "{kind: pace, rate: 2 Gbit/s}\n"));
}

static void add_traffic(text *t, source *s)
{
    add(t, "traffic:\n");
    for (uint32_t n = 1 + below(s, 3); n > 0; n--) {
        add(t, "  - {from: ");
        add(t, PICK(s, "all", "[0-2]", "[1]", "[0, 3]"));
        add(t, ", pattern: ");
        add(t, PICK(s, "uniform", "fixed, to: 0", "all-to-one, to: 3", "neighbour", "tornado",
                    "random-permutation", "hotspot, to: 1", "list, to_list: [0, 2]"));
        add(t, PICK(s, "", ", arrival: poisson, load: 50 %", ", arrival: constant, load: 100 %",
                    ", arrival: bernoulli, load: 20 %",
                    ", arrival: on-off, rate: 9 Gbit/s, on_mean: 1 us, off_mean: 2 us"));
        add(t, PICK(s, "", ", message: 33 B", ", message: 5000 B",
                    ", size_distribution: uniform, size_min: 20 B, size_max: 3000 B"));
        add(t, PICK(s, "", ", messages: 3", ", start: 3 us", ", stop: 2 us"));
        add(t, "}\n");
    }
}

static bool simulate(const char *yaml, const char *set, cop_result *r)
{
    cop_config c;
    cop_err err = {0};
    cop_override o = {.text = set};
    int rc = cop_config_load(&c, "fuzz.yaml", yaml, &o, 1, &err);
    if (rc == 0)
        rc = cop_run(&c, NULL, r, &err);
    if ((rc == 0) != (err.faults == 0) || (rc != 0 && err.text[0] == '\0')) {
        fprintf(stderr, "status %d with %u faults: %s\n%s", rc, err.faults, err.text, yaml);
        abort();
    }
    cop_config_free(&c);
    return rc == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = {data, size};
    text t = {.n = 0};
    bool cyclic = below(&s, 8) == 7;
    add(&t, "run: {flows: yes, duration: ");
    add(&t, PICK(&s, "5 us", "1 us", "12 us"));
    add(&t, PICK(&s, "", ", drain: yes", ", warmup: 500 ns", ", sample: 300 ns"));
    add(&t, cyclic ? ", allow_deadlock: yes}\n" : "}\n");
    add_network(&t, &s);
    add_switch(&t, &s);
    add_traffic(&t, &s);
    cop_result ring, heap;
    if (!simulate(t.v, "run.event_queue=ring", &ring))
        return 0;
    bool good =
        ring.packets_lost == 0 && ring.credits_missing == 0 &&
        ring.packets_injected == ring.packets_delivered + ring.packets_in_flight &&
        (ring.outcome == COP_OUTCOME_OK || (cyclic && ring.outcome == COP_OUTCOME_DEADLOCK));
    COP_CHECK(simulate(t.v, "run.event_queue=heap", &heap));
    if (!good || heap.run_hash != ring.run_hash || heap.outcome != ring.outcome) {
        fprintf(stderr, "%s\nhash %016" PRIx64 ", with the heap %016" PRIx64 "\n%s",
                ring.detail ? ring.detail : "", ring.run_hash, heap.run_hash, t.v);
        abort();
    }
    cop_result_free(&ring);
    cop_result_free(&heap);
    return 0;
}
