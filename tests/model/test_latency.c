/* End-to-end latency of lone messages, to the picosecond, against a formula written here.
 *
 * A packet of L bytes starts on its first link when the host may send. From a link of pace c (time
 * per byte) and delay d, started at s, it may start on the next link at
 *     s + d + min(header, L) c + pipeline      cut-through
 *     s + d + L c + pipeline                   store-and-forward
 * but not before the packet ahead of it has left that link, and on a faster link not before
 * s + d + L c - L c', or the link would run dry. It is delivered with its last byte, or when a
 * slower sink has taken it in. Rows gran0-22 and qcn-70 of the claims. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* Links of a path are letters: h host, t between switches, g between dragonfly groups. */
typedef struct machine {
    uint64_t host_gbps, trunk_gbps, global_gbps;
    uint64_t host_ns, trunk_ns, global_ns;
    uint64_t pipeline_ns, header, mtu;
    uint64_t inject_gbps, receive_gbps; /* 0: as the link */
    bool saf;
    const char *architecture, *queueing, *flow_control;
} machine;

static const machine usual = {.host_gbps = 16,
                              .trunk_gbps = 16,
                              .global_gbps = 16,
                              .host_ns = 15,
                              .trunk_ns = 40,
                              .global_ns = 400,
                              .pipeline_ns = 100,
                              .header = 64,
                              .mtu = 2048,
                              .architecture = "ib",
                              .queueing = "voqsw",
                              .flow_control = "credit"};

static const char *const architectures[] = {"ib", "iq", "cioq"};

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Picoseconds. The documented rounding: the time per byte upwards to 2^-16 ps, then the time of the
 * packet upwards to 1 ps; exact for rates that divide 8000. */
static uint64_t time_of(uint64_t bytes, uint64_t gbps)
{
    uint64_t per_byte = (((uint64_t)8000 << 16) + gbps - 1) / gbps;
    return (bytes * per_byte + 65535) / 65536;
}

static uint64_t rate_of(const machine *m, char link)
{
    return link == 'h' ? m->host_gbps : link == 't' ? m->trunk_gbps : m->global_gbps;
}

static uint64_t delay_of(const machine *m, char link)
{
    return 1000 * (link == 'h' ? m->host_ns : link == 't' ? m->trunk_ns : m->global_ns);
}

typedef struct expected {
    uint64_t first, last, sum; /* ps after the start of the message; sum over its packets */
} expected;

static expected formula(const machine *m, const char *path, uint64_t message)
{
    uint64_t free_at[32] = {0}, inject_free = 0, sink_free = 0;
    expected e = {0};
    size_t n = strlen(path);
    for (uint64_t left = message; left > 0;) {
        uint64_t bytes = left < m->mtu ? left : m->mtu, start = inject_free;
        left -= bytes;
        if (m->inject_gbps)
            inject_free = max_of(start, free_at[0]) + time_of(bytes, m->inject_gbps);
        for (size_t i = 0;; i++) {
            uint64_t rate = rate_of(m, path[i]);
            start = max_of(start, free_at[i]);
            free_at[i] = start + time_of(bytes, rate);
            uint64_t head = start + delay_of(m, path[i]), tail = head + time_of(bytes, rate);
            if (i + 1 == n) {
                uint64_t done = tail;
                if (m->receive_gbps)
                    done = max_of(tail, max_of(head, sink_free) + time_of(bytes, m->receive_gbps));
                sink_free = done;
                break;
            }
            uint64_t seen = m->saf || bytes < m->header ? bytes : m->header;
            uint64_t next = rate_of(m, path[i + 1]);
            start = head + time_of(seen, rate) + 1000 * m->pipeline_ns;
            if (next > rate)
                start = max_of(start, tail - time_of(bytes, next));
        }
        if (e.first == 0)
            e.first = sink_free;
        e.last = sink_free;
        e.sum += sink_free;
    }
    return e;
}

static void run_message(const machine *m, const char *network, uint32_t from, uint32_t to,
                        uint64_t message, cop_result *r)
{
    char yaml[2048], nic[128] = "";
    if (m->inject_gbps)
        scn_text(nic, sizeof(nic), ", inject_rate: %d Gbit/s", (int)m->inject_gbps);
    if (m->receive_gbps)
        scn_text(nic + strlen(nic), sizeof(nic) - strlen(nic), ", receive_rate: %d Gbit/s",
                 (int)m->receive_gbps);
    scn_text(yaml, sizeof(yaml),
             "run: {duration: 1 ms, sample: 1 ms}\n"
             "%s\n"
             "link: {host_rate: %d Gbit/s, trunk_rate: %d Gbit/s, global_rate: %d Gbit/s,\n"
             "       host_delay: %d ns, trunk_delay: %d ns, global_delay: %d ns,\n"
             "       override_file: yes}\n"
             "switch: {architecture: %s, switching: %s, pipeline: %d ns, header: %d B}\n"
             "queueing: {kind: %s}\n"
             "flow_control: {kind: %s}\n"
             "nic: {mtu: %d B%s}\n"
             "traffic:\n"
             "  - {from: [%u], pattern: fixed, to: %u, message: %d B, messages: 1}\n",
             network, (int)m->host_gbps, (int)m->trunk_gbps, (int)m->global_gbps, (int)m->host_ns,
             (int)m->trunk_ns, (int)m->global_ns, m->architecture,
             m->saf ? "store-and-forward" : "cut-through", (int)m->pipeline_ns, (int)m->header,
             m->queueing, m->flow_control, (int)m->mtu, nic, from, to, (int)message);
    scn_run(yaml, NULL, 0, r, NULL);
}

static void check(const machine *m, const char *network, uint32_t from, uint32_t to,
                  const char *path, uint64_t message)
{
    cop_result r;
    expected e = formula(m, path, message);
    run_message(m, network, from, to, message, &r);
    uint64_t packets = (message + m->mtu - 1) / m->mtu;
    if (r.latency->count != packets || r.latency->min != e.first || r.latency->max != e.last ||
        r.latency->sum_lo != e.sum)
        fail_msg("%s, %u to %u by %s, %s, %s, %d bytes: %d packets, %" PRIu64 " to %" PRIu64
                 " ps, expected %" PRIu64 " to %" PRIu64,
                 network, from, to, path, m->architecture, m->saf ? "SAF" : "VCT", (int)message,
                 (int)r.latency->count, r.latency->min, r.latency->max, e.first, e.last);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.packets_delivered, packets);
    assert_int_equal(r.packet_hops, packets * strlen(path));
    cop_result_free(&r);
}

/* The formula itself, on numbers small enough for a pencil. */
static void formula_by_hand(void **state)
{
    (void)state;
    machine m = usual; /* 2048 bytes take 1024 ns, the header takes 32 ns */
    assert_int_equal(formula(&m, "hh", 2048).last, (15 + 32 + 100 + 15 + 1024) * 1000);
    m.saf = true;
    assert_int_equal(formula(&m, "hh", 2048).last, (15 + 1024 + 100 + 15 + 1024) * 1000);
    assert_int_equal(formula(&m, "hh", 2049).last, (15 + 2 * 1024 + 100 + 15) * 1000 + 500);
    m.saf = false;
    m.trunk_gbps = 32; /* fast link: starts 512 ns before the tail is in */
    assert_int_equal(formula(&m, "hth", 2048).first, (15 + 512 + 40 + 16 + 100 + 15 + 1024) * 1000);
}

typedef struct route {
    const char *network;
    uint32_t from, to;
    const char *path;
} route;

/* Where a path is not obvious, the comment says why it has that length. */
static const route routes[] = {
    {"topology: {kind: single, hosts: 4}", 0, 3, "hh"},
    {"topology: {kind: chain, hosts: [1, 0, 0, 1]}", 0, 1, "httth"},
    {"topology: {kind: chain, hosts: [2, 1]}", 1, 2, "hth"},
    {"topology: {kind: kary-ntree, k: 4, n: 3}", 0, 3, "hh"},
    {"topology: {kind: kary-ntree, k: 4, n: 3}", 0, 4, "htth"},
    {"topology: {kind: kary-ntree, k: 4, n: 3}", 0, 63, "htttth"},
    {"topology: {kind: fat-tree, ports: 8}", 5, 31, "htth"},
    {"topology: {kind: fat-tree, ports: 4, levels: 3}", 0, 15, "htttth"},
    {"topology: {kind: xgft, children: [3, 2, 2], parents: [1, 2, 3]}", 0, 11, "htttth"},
    {"topology: {kind: torus, radix: [4, 4]}", 0, 10, "htttth"}, /* two steps in each dimension */
    {"topology: {kind: torus, radix: [4, 4]}", 0, 15, "htth"}, /* once round the edge in each */
    {"topology: {kind: torus, radix: [5, 3], hosts: 2}", 1, 4, "htth"},
    {"topology: {kind: mesh, radix: [4, 4]}", 0, 15, "htttttth"}, /* gran0-7: five in between */
    {"topology: {kind: hypercube, dims: 4}", 0, 15, "htttth"}, /* gran0-7: three in between */
    {"topology: {kind: full, switches: 5, hosts: 2}", 0, 9, "hth"},
    {"topology: {kind: full, switches: 5, hosts: 2}", 8, 9, "hh"},
    {"topology: {kind: omega, radix: 2, stages: 3}", 3, 6, "htth"},
    {"topology: {kind: omega, radix: 4, stages: 2}", 15, 0, "hth"},
    {"topology: {kind: butterfly, radix: 2, stages: 4}", 3, 12, "httth"},
    {"topology: {kind: file, path: examples/fabric16.net}", 0, 3, "hh"},
    {"topology: {kind: file, path: examples/fabric16.net}", 0, 15, "htth"},
    {"topology: {kind: file, path: examples/fabric16.net}\nrouting: {kind: minhop}", 3, 8, "htth"},
    /* Group 0 reaches group 8 from its first switch and is entered by the last one (offset 1). */
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 1, "hh"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 6, "hth"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 71, "hgh"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 64, "hgth"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 71, "htgh"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 64, "htgth"},
    /* Three groups leave one to go round by. Switch 0 of a group leads to the group below, switch 1
     * to the one above; both ends of a cable sit on different switches. So 0 -> 2 -> 1 needs a
     * local hop in the middle, whichever switch of group 2 is the intermediate one. */
    {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 1, 2,
     "htgtgth"},
    {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant, to: group}",
     0, 2, "hgtgth"},
    {"topology: {kind: dragonfly, p: 1, a: 1, h: 2}\nrouting: {kind: dragonfly-valiant}", 0, 2,
     "hggh"},
    {"topology: {kind: dragonfly, p: 2, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 0, 3,
     "hth"}, /* inside a group: minimal */
};

/* Every network, both switching modes, all architectures, from 1 byte to several packets. */
static void every_network(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 64, 65, 2048, 3 * 2048 + 100};
    for (size_t i = 0; i < COP_LEN(routes); i++)
        for (int saf = 0; saf < 2; saf++)
            for (size_t a = 0; a < COP_LEN(architectures); a++)
                for (size_t s = 0; s < COP_LEN(sizes); s++) {
                    machine m = usual;
                    m.saf = saf;
                    m.architecture = architectures[a];
                    m.queueing = s % 2 ? "1q" : "voqsw";
                    const route *p = &routes[i];
                    check(&m, p->network, p->from, p->to, p->path, sizes[s]);
                }
}

/* Adaptive routing spreads the packets of a message, so only a lone packet has a closed form. */
static void adaptive_paths(void **state)
{
    (void)state;
    static const route path[] = {
        {"topology: {kind: fat-tree, ports: 8}\nrouting: {kind: adaptive-tree}", 5, 31, "htth"},
        {"topology: {kind: kary-ntree, k: 3, n: 3}\nrouting: {kind: adaptive-tree}", 0, 26,
         "htttth"},
        {"topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: adaptive-cube}", 0, 5, "htth"},
    };
    for (size_t i = 0; i < COP_LEN(path); i++)
        for (int saf = 0; saf < 2; saf++)
            for (uint64_t bytes = 1; bytes <= 2048; bytes += 2047) {
                machine m = usual;
                m.saf = saf;
                check(&m, path[i].network, path[i].from, path[i].to, path[i].path, bytes);
            }
}

/* How buffers are organised and protected costs a lone message nothing. */
static void queueing_and_flow_control(void **state)
{
    (void)state;
    static const char *const queueings[] = {"1q", "voqsw", "voqnet", "dbbm", "vftree"};
    static const char *const controls[] = {"credit", "ib", "on-off", "ack-nack"};
    for (size_t q = 0; q < COP_LEN(queueings); q++)
        for (size_t f = 0; f < COP_LEN(controls); f++) {
            machine m = usual;
            m.queueing = queueings[q];
            m.flow_control = controls[f];
            m.trunk_gbps = 40;
            check(&m, "topology: {kind: kary-ntree, k: 2, n: 3}", 0, 7, "htttth", 9000);
        }
}

/* Slow and fast links in every order, end nodes slower than their links, long messages. */
static void rate_mixes(void **state)
{
    (void)state;
    static const struct {
        uint64_t host, trunk, global, inject, receive;
    } mix[] = {
        {10, 40, 10, 0, 0},  {40, 10, 40, 0, 0},   {10, 25, 100, 0, 0}, {100, 25, 10, 0, 0},
        {10, 100, 25, 0, 0}, {16, 32, 32, 13, 13}, {16, 32, 32, 0, 5},  {16, 32, 32, 13, 0},
        {40, 10, 40, 25, 4}, {14, 56, 13, 0, 0},   {400, 1, 400, 0, 0}, {1, 400, 1, 0, 0},
    };
    static const route path[] = {
        {"topology: {kind: chain, hosts: [1, 0, 1]}", 0, 1, "htth"},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 64, "htgth"},
        {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 1, 2,
         "htgtgth"},
    };
    static const uint64_t sizes[] = {1, 63, 64, 700, 2048, 2049, 7 * 2048 + 33};
    for (size_t x = 0; x < COP_LEN(mix); x++)
        for (size_t i = 0; i < COP_LEN(path); i++)
            for (int saf = 0; saf < 2; saf++)
                for (size_t a = 0; a < COP_LEN(architectures); a++)
                    for (size_t s = 0; s < COP_LEN(sizes); s++) {
                        machine m = usual;
                        m.host_gbps = mix[x].host;
                        m.trunk_gbps = mix[x].trunk;
                        m.global_gbps = mix[x].global;
                        m.inject_gbps = mix[x].inject;
                        m.receive_gbps = mix[x].receive;
                        m.saf = saf;
                        m.architecture = architectures[a];
                        m.queueing = (x + s) % 2 ? "1q" : "voqsw";
                        check(&m, path[i].network, path[i].from, path[i].to, path[i].path,
                              sizes[s]);
                    }
}

/* Bytes that a packet carries besides payload take time on every link. */
static void overhead_counts_on_the_wire(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 1 ms}\n"
            "topology: {kind: single, hosts: 2}\n"
            "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
            "switch: {pipeline: 50 ns, header: 16 B}\n"
            "nic: {mtu: 1000 B, overhead: 26 B}\n"
            "traffic:\n"
            "  - {from: [0], pattern: fixed, to: 1, message: 2000 B, messages: 1}\n",
            NULL, 0, &r, NULL);
    /* 1 ns per byte: two packets of 1026 bytes, the second right behind the first. */
    assert_int_equal(r.latency->min, (10 + 16 + 50 + 10 + 1026) * COP_NS);
    assert_int_equal(r.latency->max, (10 + 16 + 50 + 10 + 2 * 1026) * COP_NS);
    assert_int_equal(r.bytes_delivered, 2 * 1026);
    assert_int_equal(r.stream[0].delivered_bytes, 2000);
    cop_result_free(&r);
}

static uint64_t measured(const machine *m, const char *network, uint32_t to)
{
    cop_result r;
    run_message(m, network, 0, to, m->mtu, &r);
    uint64_t latency = r.latency->max;
    assert_int_equal(r.latency->count, 1);
    cop_result_free(&r);
    return latency;
}

/* gran0-22: one more hop costs a packet time with store-and-forward, a header time with
 * cut-through, each with one link delay and one pipeline. Exact, the row allows a cycle per hop. */
static void one_more_hop(void **state)
{
    (void)state;
    for (int saf = 0; saf < 2; saf++) {
        machine m = usual;
        m.saf = saf;
        char network[64] = "topology: {kind: chain, hosts: [1, 1]}";
        uint64_t before = measured(&m, network, 1);
        for (int hops = 3; hops < 8; hops++) {
            char zeros[32] = "";
            for (int i = 2; i < hops; i++)
                strcat(zeros, "0, ");
            scn_text(network, sizeof(network), "topology: {kind: chain, hosts: [1, %s1]}", zeros);
            uint64_t now = measured(&m, network, 1);
            uint64_t bytes_time = (saf ? 1024 : 32) * COP_NS;
            assert_int_equal(now - before, bytes_time + 40 * COP_NS + 100 * COP_NS);
            before = now;
        }
    }
}

/* qcn-70: longest paths in the paper's machine, host links taken out. The paper's sum has no header
 * time; the row allows 5 %, the sum is met exactly. */
static void dragonfly_longest_paths(void **state)
{
    (void)state;
    static const struct {
        route r;
        uint64_t ns;
    } want[] = {
        {{"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 64, "htgth"}, 1480},
        {{"topology: {kind: dragonfly, p: 6, a: 12, h: 6, groups: 13}", 71, 864, "htgth"}, 1480},
        {{"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 0, 2,
          "hgtgth"},
         2080},
        {{"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 1, 2,
          "htgtgth"},
         2320},
    };
    for (size_t a = 0; a < COP_LEN(architectures); a++)
        for (size_t i = 0; i < COP_LEN(want); i++) {
            machine m = usual;
            m.host_gbps = m.trunk_gbps = m.global_gbps = 40;
            m.host_ns = 7;
            m.pipeline_ns = 200;
            m.header = 0;
            m.mtu = 1000;
            m.architecture = architectures[a];
            const route *p = &want[i].r;
            cop_result r;
            run_message(&m, p->network, p->from, p->to, 1000, &r);
            assert_int_equal(r.latency->max, (want[i].ns + 2 * 7) * COP_NS);
            cop_result_free(&r);
            check(&m, p->network, p->from, p->to, p->path, 1000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula_by_hand), cmocka_unit_test(every_network),
        cmocka_unit_test(adaptive_paths),  cmocka_unit_test(queueing_and_flow_control),
        cmocka_unit_test(rate_mixes),      cmocka_unit_test(overhead_counts_on_the_wire),
        cmocka_unit_test(one_more_hop),    cmocka_unit_test(dragonfly_longest_paths),
    };
    return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
