/* Random scenarios: every combination of topology, routing, queueing, flow control, switch, end
 * node and traffic that the configuration can express must run without losing anything.
 *
 * Each scenario follows from its number alone. The simulator itself accounts for every packet, byte
 * and credit and for the order of packets; here its results are compared with each other. Input
 * that is refused must be refused with a remedy, and most scenarios must run. Queueing schemes,
 * congestion controls and arbitrations are drawn from the program's own lists: each must have run.
 * A failure prints the number and the configuration. COPPICE_ROUNDS multiplies the number of
 * scenarios. Run from the top of the source tree, where examples/ is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "base/rng.h"
#include "cc/cc_list.h"
#include "net/net_cfg.h"
#include "queue/queue_list.h"
#include "scenario.h"

#define SCENARIOS 1500u
#define ROW 400u /* longest piece of text written at once */

typedef struct draw {
    uint32_t number;
    cop_rng rng;
    char text[8192];
    size_t used;
    uint32_t hosts, mtu, link_gbps;
    uint64_t duration_ns, warmup_ns;
    bool drain, random; /* random: another seed must give another run */
    bool credit, onoff, sectioned, strict;
    const char *queueing, *cc, *arbitration;
} draw;

static const struct {
    const char *topology;
    uint32_t hosts;
    const char *routing[7];
} networks[] = {
    {"single, hosts: 5", 5, {"minhop", "updn"}},
    {"chain, hosts: [2, 0, 3]", 5, {"minhop", "updn"}},
    {"full, switches: 4, hosts: 2", 8, {"minhop", "updn"}},
    {"kary-ntree, k: 2, n: 3",
     8,
     {"auto", "dmodk", "destro", "det", "ftree", "adaptive-tree", "updn"}},
    {"fat-tree, ports: 4, levels: 2", 8, {"dmodk", "ftree", "adaptive-tree", "minhop"}},
    {"xgft, children: [3, 3], parents: [1, 2]", 9, {"det", "destro", "adaptive-tree", "updn"}},
    {"torus, radix: [4]", 4, {"dor", "adaptive-cube", "updn"}},
    {"torus, radix: [3, 4]", 12, {"dor", "adaptive-cube", "updn"}},
    {"mesh, radix: [3, 3]", 9, {"auto", "dor", "adaptive-cube", "updn"}},
    {"hypercube, dims: 3, hosts: 2", 16, {"dor", "adaptive-cube", "updn"}},
    {"dragonfly, p: 1, a: 2, h: 1", 6, {"dragonfly-min", "dragonfly-valiant", "updn"}},
    {"dragonfly, p: 2, a: 4, h: 1, groups: 3",
     24,
     {"dragonfly-min", "dragonfly-valiant, to: group", "dragonfly-valiant, intra: valiant"}},
    {"omega, radix: 2, stages: 3", 8, {"destination-tag", "auto"}},
    {"butterfly, radix: 3, stages: 2", 9, {"destination-tag"}},
    {"file, path: examples/fabric16.net", 16, {"auto", "minhop", "updn"}},
};

static uint32_t below(draw *d, uint32_t n)
{
    return cop_rng_below(&d->rng, n);
}

static uint32_t between(draw *d, uint32_t least, uint32_t most)
{
    return least + below(d, most - least + 1);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})
#define ONE_OF(d, ...) (TEXTS(__VA_ARGS__)[below((d), (uint32_t)COP_LEN(TEXTS(__VA_ARGS__)))])

static void put(draw *d, const char *fmt, ...) COP_PRINTF(2, 3);
static void put(draw *d, const char *fmt, ...)
{
    va_list ap;
    assert_true(d->used + ROW < sizeof(d->text));
    va_start(ap, fmt);
    d->used += (size_t)vsnprintf(d->text + d->used, ROW, fmt, ap);
    va_end(ap);
}

static void put_run(draw *d)
{
    d->duration_ns = between(d, 8, 40) * 1000;
    d->warmup_ns = below(d, 2) ? d->duration_ns / 4 : 0;
    d->drain = below(d, 2);
    put(d,
        "run: {duration: %" PRIu64 " ns, warmup: %" PRIu64 " ns, seed: %u, flows: yes, drain: %s",
        d->duration_ns, d->warmup_ns, below(d, 1000), d->drain ? "yes" : "no");
    if (below(d, 4) == 0)
        put(d, ", sample: %u ns", between(d, 100, 5000));
    put(d, "}\n");
}

static void put_network(draw *d)
{
    size_t k = below(d, COP_LEN(networks)), n = 0;
    while (n < COP_LEN(networks[k].routing) && networks[k].routing[n])
        n++;
    d->hosts = networks[k].hosts;
    put(d, "topology: {kind: %s}\nrouting: {kind: %s}\n", networks[k].topology,
        networks[k].routing[below(d, (uint32_t)n)]);
    d->link_gbps = between(d, 8, 100);
    put(d, "link: {rate: %u Gbit/s, delay: %u ns", d->link_gbps, between(d, 1, 100));
    if (below(d, 3) == 0)
        put(d, ", trunk_rate: %u Gbit/s, trunk_delay: %u ns", between(d, 8, 100),
            between(d, 1, 200));
    if (below(d, 4) == 0)
        put(d, ", global_rate: %u Gbit/s, global_delay: %u ns", between(d, 8, 100),
            between(d, 100, 500));
    put(d, "}\n");
}

/* Thresholds small enough for the small buffers here. */
static void put_isolation(draw *d)
{
    uint32_t low = below(d, 2), high = low + between(d, 1, 2), go = below(d, 3);
    put(d, ", queues: %u, low: %u, high: %u, priority: %s, guard: %u, control_first: %s",
        below(d, 4), low, high, ONE_OF(d, "normal-first", "round-robin", "congested-first", "age"),
        between(d, 1, 5), ONE_OF(d, "yes", "yes", "no"));
    if (strcmp(d->queueing, "hfdi") == 0)
        put(d, ", local: %s, lifetime: %u ns, destinations: %u", ONE_OF(d, "yes", "no"),
            below(d, 2) * below(d, 5000), between(d, 1, 4));
    else
        put(d, ", detect: %u, go: %u, stop: %u", between(d, 1, 3), go,
            (go > high ? go : high) + between(d, 1, 2));
    if (strcmp(d->queueing, "fbicm") == 0)
        put(d, ", destinations: %u", between(d, 1, 4));
}

static bool isolates(const draw *d)
{
    return cop_queue_find(d->queueing)->finds_roots;
}

static void put_queueing(draw *d)
{
    uint32_t n = 0;
    while (cop_queueings[n])
        n++;
    d->queueing = cop_queueings[below(d, n)]->name;
    if (below(d, 5) == 0) /* more of what has most states */
        d->queueing = ONE_OF(d, "fbicm", "recn", "hfdi", "hfdi");
    d->sectioned = strcmp(d->queueing, "voqnet") == 0;
    put(d, "queueing: {kind: %s", d->queueing);
    if (isolates(d))
        put_isolation(d);
    else if (strcmp(d->queueing, "dbbm") == 0 || strcmp(d->queueing, "obqa") == 0)
        put(d, ", queues: %u", between(d, 1, 6));
    else if (strcmp(d->queueing, "vftree") == 0)
        put(d, ", lanes: %u", between(d, 1, 4));
    put(d, "}\n");
}

static void put_flow_control(draw *d)
{
    const char *kind = ONE_OF(d, "credit", "credit", "ib", "on-off", "ack-nack");
    d->onoff = strcmp(kind, "on-off") == 0;
    d->credit = strcmp(kind, "credit") == 0;
    put(d, "flow_control: {kind: %s, delay: %u ns", kind, below(d, 2) * between(d, 1, 60));
    if (strcmp(kind, "ib") == 0)
        put(d, ", loss: %u %%, refresh: %u ns", below(d, 2) * below(d, 21), between(d, 500, 3000));
    put(d, "}\n");
}

static void put_lane_tables(draw *d)
{
    put(d, ", vl_arbitration: ib, vl_high_limit: %s", ONE_OF(d, "0", "1", "3", "255"));
    uint32_t high = below(d, 1u << 16);
    for (uint32_t table = 0; table < 2; table++) {
        put(d, ", %s: [", table ? "vl_low" : "vl_high");
        const char *comma = "";
        for (uint32_t vl = 0; vl < 16; vl++)
            if ((high >> vl & 1) != table) {
                put(d, "%s%u, %u", comma, vl, between(d, 1, 255));
                comma = ", ";
            }
        put(d, "]");
    }
}

static const char *const *arbitrations(void)
{
    const cop_opt *o = cop_switch_opts;
    while (strcmp(o->name, "arbitration") != 0)
        o++;
    return o->names;
}

/* Buffers are small enough to block often, and large enough for the head-room of on/off. */
static void put_switch(draw *d, uint32_t wire)
{
    const char *arch = d->sectioned ? ONE_OF(d, "ib", "iq") : ONE_OF(d, "ib", "ib", "iq", "cioq");
    bool shared = !d->onoff && !d->sectioned && below(d, d->credit ? 3 : 20) == 0;
    uint32_t blocks = (wire + 63) / 64, least = shared ? 8 * blocks : blocks;
    uint32_t buffer = 64 * between(d, least, least + 6 * blocks);
    put(d, "switch: {architecture: %s, switching: %s, pipeline: %u ns, header: %u B, buffer: %u B",
        arch, ONE_OF(d, "cut-through", "cut-through", "store-and-forward"), below(d, 150),
        below(d, 130),
        d->onoff ? buffer + 3 * wire + between(d, 500, 5000) * d->link_gbps / 8 : buffer);
    uint32_t n = 0;
    while (arbitrations()[n])
        n++;
    d->arbitration = arbitrations()[below(d, 3) ? below(d, n) : 0]; /* more of the usual one */
    put(d, ", arbitration: %s, matching: %s, iterations: %u", d->arbitration,
        ONE_OF(d, "islip", "rrm"), between(d, 1, 4));
    if (strcmp(arch, "cioq") == 0)
        put(d, ", speedup: %s, output_buffer: %u B", ONE_OF(d, "1", "1.5", "2", "4"),
            between(d, wire + 64, 6 * wire));
    if (shared)
        put(d, ", shared_lanes: yes");
    if (below(d, 3) == 0)
        put(d, ", lanes: %u", between(d, shared ? 1 : 2, 8));
    if (below(d, 4) == 0)
        put_lane_tables(d);
    else
        put(d, ", vl_arbitration: %s", (d->strict = below(d, 2)) ? "strict" : "round-robin");
    put(d, "}\n");
}

static void put_nic(draw *d, uint32_t overhead)
{
    put(d, "nic: {mtu: %u B, overhead: %u B, order: %s, backlog: %s", d->mtu, overhead,
        ONE_OF(d, "fifo", "round-robin"), ONE_OF(d, "1", "3", "256"));
    if (below(d, 3) == 0)
        put(d, ", ack: %s, control_bytes: %u B", ONE_OF(d, "message", "packet"),
            between(d, 1, 128));
    if (below(d, 8) == 0)
        put(d, ", control_vl: %u", below(d, 2));
    if (below(d, 4) == 0)
        put(d, ", inject_rate: %u Gbit/s", between(d, d->link_gbps / 2, d->link_gbps));
    if (below(d, 4) == 0)
        put(d, ", receive_rate: %u Gbit/s", between(d, d->link_gbps / 2, d->link_gbps));
    put(d, "}\n");
}

/* Thresholds, tables and timers at the scale of these short runs. */
static void put_ibcc(draw *d)
{
    put(d, ", preset: %s, evaluate: %s, victim_mask: %s, marking: %s",
        ONE_OF(d, "testbed", "fat-tree", "pfister"), ONE_OF(d, "voq", "output", "contributors"),
        ONE_OF(d, "none", "hosts", "all"), ONE_OF(d, "random", "counted"));
    put(d, ", threshold: %u, hysteresis_mtus: %u, marking_rate: %u, packet_size: %u", below(d, 16),
        below(d, 4), below(d, 3), below(d, 4));
    put(d, ", becn: %s, level: %s, timer: %s, delay_from: %s", ONE_OF(d, "cnp", "ack"),
        ONE_OF(d, "qp", "qp", "sl"), ONE_OF(d, "free-running", "restart"),
        ONE_OF(d, "end", "start"));
    put(d, ", ccti_increase: %u, ccti_min: %u, ccti_timer: %u ns", between(d, 0, 20), below(d, 2),
        between(d, 100, 20000));
    put(d, ", cct_delay: %u ns, cct_index: %u", between(d, 10, 5000), between(d, 1, 127));
    if (below(d, 4) == 0)
        put(d, ", cs_threshold: %u, cs_return_delay: 1:%u, credit_mask: %s", between(d, 1, 15),
            below(d, 20), ONE_OF(d, "hosts", "all"));
}

static void put_throttle(draw *d)
{
    put(d, ", timer: %u ns, marking: %u %%, longest: %u ns, increase: %u, limit: %u, table: %s",
        between(d, 100, 5000), below(d, 101), between(d, 0, 10000), between(d, 1, 20),
        between(d, 1, 200), ONE_OF(d, "quadratic", "linear"));
    if (below(d, 3) == 0)
        put(d, ", packet_size: %u B", below(d, 2 * d->mtu));
}

/* Would this control be refused with the scheme that was drawn? */
static bool suits(const draw *d, const char *cc)
{
    if (strcmp(cc, "ith") == 0 || strcmp(cc, "ib-ith") == 0)
        return isolates(d);
    const char *needs = strcmp(cc, "ccfit") == 0 ? "fbicm" : strcmp(cc, "ecocc") == 0 ? "hfdi" : "";
    return needs[0] == '\0' || strcmp(d->queueing, needs) == 0;
}

static void put_cc(draw *d)
{
    const char *fit[32];
    uint32_t n = 0;
    for (size_t i = 0; cop_ccs[i] && n < COP_LEN(fit); i++)
        if (suits(d, cop_ccs[i]->name))
            fit[n++] = cop_ccs[i]->name;
    d->cc = below(d, 3) ? fit[below(d, n)] : "none";
    put(d, "cc: {kind: %s", d->cc);
    if (strcmp(d->cc, "pace") == 0)
        put(d, ", rate: %u Gbit/s", between(d, 1, d->link_gbps));
    else if (strcmp(d->cc, "ibcc") == 0)
        put_ibcc(d);
    else if (strcmp(d->cc, "none") != 0)
        put_throttle(d);
    put(d, "}\n");
}

static void put_pattern(draw *d, bool first)
{
    const char *kind =
        ONE_OF(d, "uniform", "uniform", "fixed", "all-to-one", "list", "hotspot", "hot-region",
               "group-adversarial", "random-permutation", "bit-reversal", "bit-complement",
               "perfect-shuffle", "transpose", "tornado", "neighbour", "forest");
    uint32_t to = below(d, d->hosts);
    /* Bit permutations are for some numbers of hosts only. */
    bool bits = strstr("bit-reversal bit-complement perfect-shuffle transpose", kind) != NULL;
    if (bits && d->hosts != 16 && d->hosts != 4)
        kind = "uniform";
    /* A later entry may not get a packet through in time. */
    d->random |= first && (strcmp(kind, "uniform") == 0 || strcmp(kind, "hotspot") == 0);
    put(d, ", pattern: %s", kind);
    if (strcmp(kind, "fixed") == 0)
        put(d, ", to: %u, except: [%u]", to, to);
    else if (strcmp(kind, "all-to-one") == 0 || strcmp(kind, "hotspot") == 0)
        put(d, ", to: %u", to);
    else if (strcmp(kind, "list") == 0)
        put(d, ", to_list: [%u, %u, %u], to_order: %s", to, (to + 1) % d->hosts,
            (to + 2) % d->hosts, ONE_OF(d, "round-robin", "random", "by-source"));
    else if (strcmp(kind, "group-adversarial") == 0)
        put(d, ", group_size: 1, offset: %u", between(d, 1, d->hosts - 1));
    else if (strcmp(kind, "hot-region") == 0)
        put(d, ", region: 40 %%");
    else if (strcmp(kind, "forest") == 0)
        put(d, ", hotspots: %u, b_share: %u %%, lifetime: %u us", between(d, 1, 2), below(d, 100),
            below(d, 8));
}

static void put_arrival(draw *d)
{
    uint32_t load = between(d, 1, 99);
    switch (below(d, 7)) {
    case 0:
        put(d, ", arrival: constant, load: %u %%, phase: %s", load,
            ONE_OF(d, "together", "random"));
        break;
    case 1:
        put(d, ", arrival: bernoulli, load: %u %%", load);
        break;
    case 2:
        put(d, ", arrival: poisson, load: %u %%", load);
        break;
    case 3:
        put(d, ", arrival: pulses, load: %u %%, high_time: %u ns, low_time: %u ns", load,
            between(d, 100, 5000), between(d, 100, 5000));
        put(d, ", pulse_arrival: %s", ONE_OF(d, "bernoulli", "constant", "poisson"));
        break;
    case 4:
        put(d, ", arrival: on-off, load: %u %%, on_mean: %u ns, off_mean: %u ns", load,
            between(d, 100, 5000), between(d, 100, 5000));
        break;
    default:
        put(d, ", arrival: saturated");
        return;
    }
    if (below(d, 4) == 0)
        put(d, ", patience: %u ns", between(d, 1, 5000));
}

/* Messages that wait for each other, among all or some of the hosts. */
static void put_exchange(draw *d)
{
    static const char *const kinds[] = {"ping-pong",   "all-pairs",      "natural-ring",
                                        "random-ring", "grid-transpose", "all-to-all"};
    const char *kind = kinds[below(d, d->hosts == 5 ? 4 : 6)]; /* 5 hosts make no grid */
    put(d, ", exchange: %s, think: %u ns", kind, below(d, 2) * below(d, 500));
}

static void put_traffic(draw *d)
{
    uint32_t n = between(d, 1, 3);
    put(d, "traffic:\n");
    for (uint32_t i = 0; i < n; i++) {
        put(d, "  - {name: e%u", i);
        bool exchange = i > 0 && below(d, 4) == 0;
        if (exchange) {
            put_exchange(d);
        } else {
            put_pattern(d, i == 0);
            put_arrival(d);
        }
        if (!exchange && below(d, 3) == 0)
            put(d, ", share: %u %%", between(d, 30, 100));
        switch (below(d, 5)) {
        case 0:
            put(d, ", size_distribution: uniform, size_min: %u B, size_max: %u B",
                between(d, 1, 100), between(d, 100, 5000));
            break;
        case 1:
            put(d, ", size_distribution: bimodal, size_small: 64 B, size_large: %u B",
                between(d, 1000, 9000));
            break;
        case 2:
            put(d, ", size_distribution: list, sizes: [%u, %u, 3000], weights: [3, 2, 1]",
                between(d, 1, 100), between(d, 100, 1000));
            break;
        default:
            put(d, ", message: %u B", between(d, 1, 8000));
        }
        if (i > 0 && below(d, 2))
            put(d, ", start: %u ns, stop: %" PRIu64 " ns", below(d, 5000),
                5000 + below(d, 2) * d->duration_ns);
        else if (i > 0 && !exchange && below(d, 3) == 0)
            put(d, ", active: [1 us, 3 us, 4500 ns, %u ns]", between(d, 5000, 20000));
        if (below(d, 4) == 0)
            put(d, ", sl: %u", below(d, 16));
        put(d, "}\n");
    }
}

static void draw_scenario(draw *d, uint32_t number)
{
    *d = (draw){.number = number, .rng = cop_rng_make(number, COP_RNG_TEST, 2)};
    uint32_t overhead = below(d, 2) * between(d, 0, 64);
    d->mtu = between(d, 1, 8) * 256 - below(d, 3) * 7;
    put_run(d);
    put_network(d);
    put_queueing(d);
    put_flow_control(d);
    put_switch(d, d->mtu + overhead);
    put_nic(d, overhead);
    put_cc(d);
    put_traffic(d);
}

/* -- checks -- */

static bool complain(const draw *d, const char *what, double a, double b)
{
    print_error("scenario %u: %s: %.17g, %.17g\n", d->number, what, a, b);
    return false;
}

static bool equal(const draw *d, const char *what, uint64_t a, uint64_t b)
{
    return a == b || complain(d, what, (double)a, (double)b);
}

static const cop_series *series(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0)
            return &r->series[i];
    return NULL;
}

/* Both sides count the same packet-times except at the edges: a packet inside at the end is in the
 * integral only, for at most the whole span; of one that was inside at the beginning the other side
 * also counts the time before. */
static bool little_holds(const draw *d, const cop_result *r)
{
    const cop_series *inside = series(r, "network/packets");
    if (d->drain || (r->warmup > 0 && r->sample * 50 > d->duration_ns * COP_NS))
        return true; /* the last bin may reach into the draining; the first ones past the warm-up */
    double span = (double)(d->duration_ns - d->warmup_ns) * 1e3;
    uint32_t first = (uint32_t)(r->warmup / r->sample);
    double at_start = first > 0 ? inside->v[first - 1] + 2.0 : 0.0,
           at_end = inside->v[inside->n - 1];
    double a = r->little_mean_in_network, b = r->little_rate_times_latency;
    double slack = at_end + at_start * (double)r->transit->max / span + 0.01 * a + 1.0;
    return fabs(a - b) <= slack || complain(d, "Little's law", a, b);
}

static bool streams_agree(const draw *d, const cop_result *r)
{
    uint64_t packets = 0, bytes = 0, received = 0, flow_packets = 0, flow_bytes = 0, delivered = 0;
    bool ok = true;
    for (uint32_t s = 0; s < r->n_streams; s++) {
        const cop_stream_result *st = &r->stream[s];
        packets += st->packets;
        delivered += st->delivered_bytes;
        if (st->delivered_bytes > st->sent_bytes)
            ok = complain(d, "a stream delivers more than it sends", (double)st->sent_bytes,
                          (double)st->delivered_bytes);
        if (d->drain)
            ok &= equal(d, "a drained stream's bytes sent, delivered", st->sent_bytes,
                        st->delivered_bytes);
    }
    for (uint32_t h = 0; h < r->n_nodes; h++)
        received += r->node[h].received_bytes;
    for (uint32_t f = 0; f < r->n_flows; f++) {
        flow_packets += r->flow[f].packets;
        flow_bytes += r->flow[f].bytes;
    }
    bytes =
        (uint64_t)llround(r->throughput_total_gbps * (double)(d->duration_ns - d->warmup_ns) / 8);
    ok &= equal(d, "packets of streams, in the histogram", packets, r->latency->count);
    ok &= equal(d, "packets of streams, flows", packets, flow_packets);
    ok &= equal(d, "bytes received by hosts, of flows", received, flow_bytes);
    ok &= equal(d, "bytes received by hosts, in the throughput", received, bytes);
    if (!d->drain && d->warmup_ns == 0)
        ok &= equal(d, "bytes received by hosts, of streams", received, delivered);
    return ok;
}

/* What a scheme took for a congestion tree it gives back when the tree is gone. */
static bool nothing_kept(const draw *d, const cop_result *r)
{
    bool ok = true;
    for (uint32_t i = 0; d->drain && i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, "isolation/queues_used.at_end") == 0 ||
            strcmp(r->scalar[i].name, "isolation/lines.at_end") == 0 ||
            strcmp(r->scalar[i].name, "isolation/ports_without_queue.at_end") == 0)
            ok &= equal(d, r->scalar[i].name, (uint64_t)r->scalar[i].value, 0);
    return ok;
}

static double scalar(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    return 0.0;
}

/* Notifications are packets too: each of them arrives. */
static bool notifications_arrive(const draw *d, const cop_result *r)
{
    double made = scalar(r, "notifications"), heard = scalar(r, "becn");
    return heard <= made && (!d->drain || heard == made)
               ? true
               : complain(d, "notifications, heard", made, heard);
}

static bool result_holds(const draw *d, const cop_result *r)
{
    if (r->outcome != COP_OUTCOME_OK) {
        print_error("scenario %u: %s\n", d->number, r->detail);
        return false;
    }
    bool ok = equal(d, "packets lost", r->packets_lost, 0);
    ok &= equal(d, "packets injected, delivered or in flight", r->packets_injected,
                r->packets_delivered + r->packets_in_flight);
    if (d->drain) {
        ok &= equal(d, "packets in flight after draining", r->packets_in_flight, 0);
        ok &= equal(d, "bytes injected, delivered", r->bytes_injected, r->bytes_delivered);
    }
    /* A packet that begins before the end counts as a whole: 4 KiB at 8 Gbit/s are 4.1 us. */
    double span = (double)(d->duration_ns - d->warmup_ns);
    for (uint32_t p = 0; p < r->n_ports; p++)
        if (r->port[p].utilisation > 1.0 + 2200.0 / span)
            ok = complain(d, "utilisation, most", r->port[p].utilisation, 1.0 + 2200.0 / span);
    if (strcmp(d->cc, "ibcc") != 0) /* its BECNs may ride on acknowledgements */
        ok &= notifications_arrive(d, r);
    return streams_agree(d, r) && little_holds(d, r) && nothing_kept(d, r) && ok;
}

/* The same scenario again: same bits, whatever the event queue; another seed, another run. */
static bool repeats(const draw *d, const cop_result *first)
{
    static const char *const again[] = {"run.event_queue=heap"};
    static const char *const other[] = {"run.seed=123456"};
    cop_result r;
    if (d->number % 2 == 0) {
        scn_run(d->text, again, d->number % 4 == 0, &r, NULL);
        bool same = equal(d, "run hash", first->run_hash, r.run_hash) &&
                    equal(d, "packet hops", first->packet_hops, r.packet_hops);
        cop_result_free(&r);
        return same;
    }
    if (d->number % 4 == 3 || !d->random || first->packets_delivered < 50)
        return true;
    cop_err err = {0};
    if (scn_run(d->text, other, 1, &r, &err) != 0)
        return err.code == COP_E_INPUT; /* other hosts were drawn, and they have no traffic */
    bool differs = r.run_hash != first->run_hash || complain(d, "hash does not see the seed", 0, 0);
    cop_result_free(&r);
    return differs;
}

static uint32_t rounds(void)
{
    const char *text = getenv("COPPICE_ROUNDS");
    int n = text ? atoi(text) : 1;
    return n > 0 ? (uint32_t)n : 1;
}

/* How many scenarios of each kind have run, not counting refused ones. */
typedef struct tally {
    uint32_t queueing[64], cc[64], arbitration[64];
    uint32_t stopped, notified; /* isolation sent a stop; sources were throttled by marks */
} tally;

static void count_run(tally *t, const draw *d, const cop_result *r)
{
    t->stopped += scalar(r, "isolation.sent_stop") > 0;
    t->notified += isolates(d) && scalar(r, "becn") > 0;
    for (size_t i = 0; cop_queueings[i]; i++)
        t->queueing[i] += strcmp(cop_queueings[i]->name, d->queueing) == 0;
    for (size_t i = 0; cop_ccs[i]; i++)
        t->cc[i] += strcmp(cop_ccs[i]->name, d->cc) == 0;
    for (size_t i = 0; arbitrations()[i]; i++)
        t->arbitration[i] += strcmp(arbitrations()[i], d->arbitration) == 0;
}

static bool enough(const char *name, uint32_t runs)
{
    if (runs >= SCENARIOS / 100)
        return true;
    print_error("%s: only %u scenarios\n", name, runs);
    return false;
}

static bool all_have_run(const tally *t)
{
    bool ok = enough("stop and go", t->stopped) && enough("hybrids", t->notified);
    for (size_t i = 0; cop_queueings[i]; i++)
        ok &= enough(cop_queueings[i]->name, t->queueing[i]);
    for (size_t i = 0; cop_ccs[i]; i++)
        ok &= enough(cop_ccs[i]->name, t->cc[i]);
    for (size_t i = 0; arbitrations()[i]; i++)
        ok &= enough(arbitrations()[i], t->arbitration[i]);
    print_message("%u with stop and go, %u with isolation and notifications\n", t->stopped,
                  t->notified);
    return ok;
}

static void test_random(void **state)
{
    (void)state;
    uint32_t n = SCENARIOS * rounds(), refused = 0, failed = 0;
    uint64_t hops = 0;
    tally ran = {0};
    draw *d = cop_alloc(sizeof(*d));
    for (uint32_t i = 0; i < n; i++) {
        cop_result r;
        cop_err err = {0};
        draw_scenario(d, i);
        int rc = scn_run(d->text, NULL, 0, &r, &err);
        bool ok;
        if (rc != 0) {
            refused++;
            /* A remedy follows the semicolon. */
            ok = rc == -COP_E_INPUT && strchr(err.text, ';') != NULL;
            if (!ok || getenv("COPPICE_REFUSED"))
                print_error("scenario %u refused: %s\n", i, err.text);
        } else {
            ok = result_holds(d, &r) && repeats(d, &r);
            hops += r.packet_hops;
            count_run(&ran, d, &r);
            cop_result_free(&r);
        }
        if (!ok && ++failed <= 5)
            fprintf(stderr, "%s\n", d->text);
    }
    cop_free(d);
    print_message("%u scenarios, %u refused, %u failed, %" PRIu64 " packet hops\n", n, refused,
                  failed, hops);
    assert_int_equal(failed, 0);
    assert_true(refused * 10 <= n * 3);
    assert_true(all_have_run(&ran));
}

/* -- deadlock -- */

static const char ring[] = "run: {duration: 200 us, warmup: 0 ns}\n"
                           "topology: {kind: torus, radix: [5], hosts: 2}\n"
                           "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
                           "switch: {buffer: 4 KiB}\n"
                           "routing: {kind: dor, datelines: no}\n"
                           "traffic: [{pattern: tornado}, {pattern: uniform}]\n";

static void test_deadlock(void **state)
{
    (void)state;
    static const char *const allow[] = {"run.allow_deadlock=yes"};
    static const char *const arch[] = {"switch.architecture=ib", "switch.architecture=iq",
                                       "switch.architecture=cioq"};
    static const char *const queue[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                        "queueing.kind=dbbm", "queueing.kind=hfdi",
                                        "queueing.kind=fbicm"};
    static const char *const dateline[] = {"routing.datelines=yes"};
    cop_result r;
    cop_err err = {0};
    assert_int_equal(scn_run(ring, NULL, 0, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "cycle"));
    assert_non_null(strstr(err.text, "s0."));
    assert_non_null(strstr(err.text, "run.allow_deadlock"));
    for (size_t a = 0; a < COP_LEN(arch); a++)
        for (size_t q = 0; q < COP_LEN(queue); q++) {
            const char *set[] = {allow[0], arch[a], queue[q]};
            scn_run(ring, set, COP_LEN(set), &r, NULL);
            assert_int_equal(r.outcome, COP_OUTCOME_DEADLOCK);
            assert_non_null(strstr(r.detail, "deadlock at"));
            assert_non_null(strstr(r.detail, "/vl0 ->"));
            assert_non_null(strstr(r.detail, "(again)"));
            assert_true(r.sim_time < 100 * COP_US);
            assert_int_equal(r.packets_injected, r.packets_delivered + r.packets_in_flight);
            cop_result_free(&r);
        }
    scn_run(ring, dateline, 1, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(r.packets_delivered > 300);
    cop_result_free(&r);
}

/* -- offered traffic -- */

static const char light[] =
    "run: {duration: 100 us, drain: yes}\n"
    "topology: {kind: kary-ntree, k: 2, n: 3}\n"
    "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 16 KiB}\n"
    "traffic:\n"
    "  - {pattern: uniform, arrival: poisson, load: 20 %, size_distribution: uniform, size_max: 4 "
    "KiB}\n"
    "  - {pattern: hotspot, to: 3, arrival: bernoulli, load: 5 %, message: 1000 B}\n"
    "  - {from: [0-3], pattern: random-permutation, arrival: on-off, load: 50 %, on_mean: 1 us, "
    "off_mean: 9 us}\n";

/* What is offered depends on the seed alone: not on how the network treats it. */
static void test_same_offer(void **state)
{
    (void)state;
    static const char *const change[][2] = {
        {"cc.kind=pace", "cc.rate=100 Tbit/s"},
        {"cc.kind=ibcc", "cc.threshold=0"},
        {"queueing.kind=1q", "switch.architecture=iq"},
        {"queueing.kind=voqnet", "switch.arbitration=age"},
        {"switch.architecture=cioq", "flow_control.kind=ack-nack"},
        {"routing.kind=adaptive-tree", "switch.switching=store-and-forward"},
        {"flow_control.kind=ib", "flow_control.loss=10 %"},
        {"nic.order=round-robin", "nic.ack=packet"},
    };
    cop_result base, r;
    scn_run(light, NULL, 0, &base, NULL);
    assert_int_equal(base.outcome, COP_OUTCOME_OK);
    assert_true(base.packets_delivered > 200);
    for (size_t i = 0; i < COP_LEN(change); i++) {
        scn_run(light, change[i], 2, &r, NULL);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_int_equal(r.n_streams, base.n_streams);
        for (uint32_t s = 0; s < r.n_streams; s++) {
            assert_int_equal(r.stream[s].dst, base.stream[s].dst);
            assert_int_equal(r.stream[s].sent_bytes, base.stream[s].sent_bytes);
            assert_int_equal(r.stream[s].delivered_bytes, base.stream[s].delivered_bytes);
        }
        /* A limit nobody reaches, a threshold that never marks change nothing at all; forwarding later changes every time. */
        if (i <= 1)
            assert_int_equal(r.run_hash, base.run_hash);
        if (i == 5)
            assert_int_not_equal(r.run_hash, base.run_hash);
        cop_result_free(&r);
    }
    cop_result_free(&base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_same_offer),
    };
    return cmocka_run_group_tests_name("scenarios", tests, NULL, NULL);
}
