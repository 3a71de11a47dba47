/* Latency of a lone message by a formula.
 *
 * A packet of L bytes starts on its first link when the host may send. From a link of pace c (time
 * per byte) and delay d, started at s, it may start on the next link at
 *     s + d + min(header, L) c + pipeline      cut-through
 *     s + d + L c + pipeline                   store-and-forward
 * but not before the packet ahead of it has left that link, and on a faster link not before
 * s + d + L c - L c', or the link would run dry. It is delivered with its last byte, or when a
 * slower sink has taken it in. */
#ifndef COP_LATENCY_FIXTURE_H
#define COP_LATENCY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "scenario.h"

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

/* What follows `architecture:` in the run file. */
static const char *const architectures[] = {"ib", "iq", "cioq", "ib, output_buffer: 40 KiB"};

static inline uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Picoseconds. The documented rounding: the time per byte upwards to 2^-16 ps, then the time of the
 * packet upwards to 1 ps; exact for rates that divide 8000. */
static inline uint64_t time_of(uint64_t bytes, uint64_t gbps)
{
    uint64_t per_byte = (((uint64_t)8000 << 16) + gbps - 1) / gbps;
    return (bytes * per_byte + 65535) / 65536;
}

static inline uint64_t rate_of(const machine *m, char link)
{
    return link == 'h' ? m->host_gbps : link == 't' ? m->trunk_gbps : m->global_gbps;
}

static inline uint64_t delay_of(const machine *m, char link)
{
    return 1000 * (link == 'h' ? m->host_ns : link == 't' ? m->trunk_ns : m->global_ns);
}

typedef struct expected {
    uint64_t first, last, sum; /* ps after the start of the message; sum over its packets */
} expected;

static inline expected formula(const machine *m, const char *path, uint64_t message)
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

static inline void run_message(const machine *m, const char *network, uint32_t from, uint32_t to,
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

static inline void check(const machine *m, const char *network, uint32_t from, uint32_t to,
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

typedef struct route {
    const char *network;
    uint32_t from, to;
    const char *path;
} route;

#endif
