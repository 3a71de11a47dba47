/* Networks for the flit-level reference whose answers can be worked out by hand: switches in a row or
 * a ring. One tick is one flit on the default link. In the tests n, D, H, P stand for flits per packet,
 * link delay, header time and pipeline, in ticks. */
#ifndef COP_FLITREF_FIXTURE_H
#define COP_FLITREF_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flitref.h"

#define TICK ((cop_time)1000)
#define FLIT 64u
#define D 2u
#define H 1u
#define P 3u
#define HOP                                                                                        \
    (D + H + P) /* start on one link -> start on the next, cut-through, nothing in the way */
#define MAX_STARTS 64u

typedef struct rig {
    cop_topo t;
    fr_cfg c;
    fr_counts counts;
    cop_time flit[64], delay[64], sink[16], busy_until[64];
    uint16_t lft[64];
    uint32_t watch; /* port whose starts are recorded */
    size_t n_starts;
    uint32_t start_src[MAX_STARTS];
    uint64_t started[64]; /* packets per link in t_from <= now < t_to */
    cop_time t_from, t_to;
} rig;

static inline void on_start(void *ctx, cop_time now, uint32_t port, const fr_packet *pkt)
{
    rig *g = ctx;
    assert_true(now >= g->busy_until[port]);
    g->busy_until[port] = now + pkt->bytes / FLIT * g->flit[port];
    if (now >= g->t_from && now < g->t_to)
        g->started[port]++;
    if (port == g->watch && g->n_starts < MAX_STARTS)
        g->start_src[g->n_starts++] = pkt->src;
}

/* Switches in a row (or a ring, routed to the right), each with k hosts on local ports 0 .. k-1,
 * its left neighbour on port k and its right one on k + 1. Host h hangs on switch h / k. */
static inline void build(rig *g, uint32_t switches, uint32_t k, bool ring)
{
    uint32_t sizes[16] = {0};
    *g = (rig){.watch = COP_NONE, .t_to = COP_NEVER};
    for (uint32_t s = 0; s < switches; s++)
        sizes[s] = k + 2;
    cop_topo_begin(&g->t, switches * k, switches, sizes);
    for (uint32_t h = 0; h < switches * k; h++)
        cop_topo_cable(&g->t, cop_topo_host_port(&g->t, h),
                       cop_topo_switch_port(&g->t, h / k, h % k), COP_LINK_HOST);
    for (uint32_t s = 0; s + !ring < switches; s++)
        cop_topo_cable(&g->t, cop_topo_switch_port(&g->t, s, k + 1),
                       cop_topo_switch_port(&g->t, (s + 1) % switches, k), COP_LINK_TRUNK);
    assert_int_equal(cop_topo_finish(&g->t, NULL), 0);
    for (uint32_t s = 0; s < switches; s++)
        for (uint32_t h = 0; h < switches * k; h++)
            g->lft[s * switches * k + h] =
                (uint16_t)(h / k == s ? h % k : (ring || h / k > s ? k + 1 : k));
    for (uint32_t p = 0; p < g->t.n_ports; p++) {
        g->flit[p] = TICK;
        g->delay[p] = D * TICK;
    }
    g->c = (fr_cfg){.tick_ps = TICK,
                    .flit_bytes = FLIT,
                    .flit_ps = g->flit,
                    .delay_ps = g->delay,
                    .pipeline_ps = P * TICK,
                    .header_bytes = H * FLIT,
                    .buffer_bytes = 64 * FLIT,
                    .lanes = 1,
                    .iterations = 1,
                    .lft = g->lft,
                    .on_start = on_start,
                    .on_start_ctx = g};
}

static inline fr_packet packet(uint32_t t, uint32_t src, uint32_t dst, uint32_t flits)
{
    return (fr_packet){.t = t * TICK, .src = src, .dst = dst, .bytes = flits * FLIT};
}

static inline int run(rig *g, fr_packet *pkts, size_t n)
{
    int outcome = flitref_run(&g->t, &g->c, pkts, n, 1000000 * TICK, &g->counts);
    cop_topo_free(&g->t);
    return outcome;
}

#endif
