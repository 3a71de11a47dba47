/* Drawing of trials: first the machine, then, when its topology is known, the messages.
 * What the reference has not is not drawn; test_flit.c lists it. */
#include "flit_trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BASE_MBPS 64000u
#define MAX_MESSAGES 160u
#define MAX_CUTS 3u /* packets of one message */

static const struct {
    const char *topology, *routing, *run;
} networks[] = {
    {"{kind: single, hosts: 3}", "minhop", ""},
    {"{kind: single, hosts: 6}", "updn", ""},
    {"{kind: chain, hosts: [2, 3]}", "minhop", ""},
    {"{kind: chain, hosts: [2, 1, 2]}", "updn", ""},
    {"{kind: chain, hosts: [2, 0, 1, 2]}", "minhop", ""},
    {"{kind: kary-ntree, k: 2, n: 2}", "dmodk", ""},
    {"{kind: kary-ntree, k: 2, n: 3}", "destro", ""},
    {"{kind: fat-tree, ports: 4}", "ftree", ""},
    {"{kind: xgft, children: [3, 2], parents: [1, 2]}", "det", ""},
    {"{kind: xgft, children: [2, 3], parents: [1, 1]}", "dmodk", ""},
    {"{kind: torus, radix: [4], hosts: 2}", "updn", ""},
    {"{kind: torus, radix: [3, 3]}", "updn", ""},
    {"{kind: mesh, radix: [2, 3]}", "dor", ""},
    {"{kind: hypercube, dims: 3}", "dor", ""},
    {"{kind: full, switches: 4, hosts: 2}", "minhop", ""},
    {"{kind: omega, radix: 2, stages: 3}", "destination-tag", ""},
    {"{kind: butterfly, radix: 3, stages: 2}", "destination-tag", ""},
    {"{kind: dragonfly, p: 1, a: 2, h: 1}", "updn", ""},
    {"{kind: torus, radix: [4], hosts: 2}", "dor, datelines: no, ties: plus",
     ", allow_deadlock: yes"},
    {"{kind: torus, radix: [5]}", "dor, datelines: no", ", allow_deadlock: yes"},
};

static uint32_t below(trial *x, uint32_t n)
{
    return cop_rng_below(&x->rng, n);
}

static uint32_t between(trial *x, uint32_t least, uint32_t most)
{
    return least + below(x, most - least + 1);
}

void trial_write(trial *x, const char *fmt, ...)
{
    va_list ap;
    x->yaml = cop_grow(x->yaml, &x->size, x->used + 512, 1);
    va_start(ap, fmt);
    x->used += (size_t)vsnprintf(x->yaml + x->used, 512, fmt, ap);
    va_end(ap);
}

/* Only powers of 2 and 5 times a tick give the same whole picoseconds per byte in both. */
static uint32_t draw_slow(trial *x)
{
    static const uint32_t choice[] = {1, 1, 2, 2, 4, 5, 8};
    return choice[below(x, COP_LEN(choice))];
}

static void draw_machine(trial *x)
{
    x->kind = x->number % COP_LEN(networks);
    x->deadlocks = networks[x->kind].run[0] != '\0';
    bool one_rate = below(x, 3) == 0;
    for (int c = 0; c < 3; c++) {
        x->slow[c] = c > 0 && one_rate ? x->slow[0] : draw_slow(x);
        x->delay[c] = between(x, 1, 25);
    }
    x->pipeline = below(x, 2) ? between(x, 1, 25) : 0;
    x->credit = below(x, 2) ? between(x, 1, 10) : 0;
    x->header = below(x, 5) * 32;
    x->overhead = below(x, 3) == 0 ? 16 : 0;
    x->sink_slow = below(x, 2) ? 2 * draw_slow(x) : 0;
    x->least_flits = (x->header + FLIT - 1) / FLIT + (x->header == 0);
    x->mtu_flits = between(x, x->least_flits, 8);
    x->buffer_flits = between(x, x->mtu_flits, 3 * x->mtu_flits);
    x->sink_flits = below(x, 2) ? between(x, x->mtu_flits, 2 * x->mtu_flits) : 0;
    x->saf = below(x, 4) == 0;
    x->iq = below(x, 2);
    x->absolute = below(x, 4) == 0;
    x->queueing = below(x, 2) ? FR_VOQ : FR_FIFO;
    x->lanes = x->queueing == FR_VOQ && !x->iq && below(x, 2) ? between(x, 2, 3) : 1;
    x->output_flits = below(x, 2) ? between(x, x->mtu_flits, 3 * x->mtu_flits) : 0;
    if (x->output_flits && below(x, 2)) {
        x->output_reserve = between(x, x->mtu_flits, 2 * x->mtu_flits);
        x->output_flits = x->lanes * x->output_reserve + below(x, 3 * x->mtu_flits);
    }
    x->reads = x->iq && below(x, 2) ? between(x, 2, 4) : 1;
    x->speedup = between(x, 1, 2); /* a flit of the fastest link is two ticks */
}

/* Inputs that read one packet at a time, with queues for several outputs that do not run empty, and
 * often packets of one size, so that the same inputs and outputs miss each other for long. */
static void draw_crowded(trial *x)
{
    static const uint32_t safe[] = {0, 1, 2, 1, 3, 1, 4, 5, 8, 14};
    x->kind = safe[x->number % COP_LEN(safe)];
    x->deadlocks = false;
    x->iq = true;
    x->queueing = below(x, 8) ? FR_VOQ : FR_FIFO;
    x->lanes = 1;
    x->mtu_flits = between(x, x->least_flits, x->least_flits + 2);
    if (below(x, 5))
        x->least_flits = x->mtu_flits;
    x->sink_flits = 0;
    x->output_reserve = 0;
    x->reads = below(x, 8) ? 1 : 2;
    x->output_flits = below(x, 4) ? 0 : between(x, x->mtu_flits, 4 * x->mtu_flits);
    x->phase = between(x, 50, 100);
    x->buffer_flits = between(x, 30, 120) * x->mtu_flits; /* the starved queue must not fill it */
    if (below(x, 5)) {
        x->slow[1] = x->slow[2] = x->slow[0];
        x->sink_slow = 0;
    }
}

static void write_machine(trial *x)
{
    char queueing[64] = "1q";
    if (x->queueing == FR_VOQ)
        strcpy(queueing, "voqsw");
    if (x->lanes > 1)
        snprintf(queueing, sizeof(queueing), "vftree, lanes: %u", x->lanes);
    trial_write(x, "run: {duration: 20 ms, sample: 10 us%s}\n", networks[x->kind].run);
    trial_write(x, "topology: %s\nrouting: {kind: %s}\nqueueing: {kind: %s}\n",
                networks[x->kind].topology, networks[x->kind].routing, queueing);
    static const char *const class[] = {"host", "trunk", "global"};
    trial_write(x, "link: {");
    for (int c = 0; c < 3; c++)
        trial_write(x, "%s%s_rate: %u Mbit/s, %s_delay: %u ns", c ? ", " : "", class[c],
                    BASE_MBPS / x->slow[c], class[c], x -> delay[c] * 4);
    trial_write(x, "}\nswitch: {architecture: %s, switching: %s, iterations: 16, pipeline: %u ns, ",
                !x->iq            ? "ib"
                : x->output_flits ? "cioq"
                                  : "iq",
                x->saf ? "store-and-forward" : "cut-through", x->pipeline * 4);
    if (x->output_flits)
        trial_write(x, "output_buffer: %u B, speedup: %u, ", x->output_flits * FLIT, x->speedup);
    if (x->reads > 1)
        trial_write(x, "read_ports: %u, ", x->reads);
    if (x->output_reserve)
        trial_write(x, "output_shared: yes, output_reserve: %u B, ", x->output_reserve * FLIT);
    trial_write(x, "header: %u B, buffer: %u B}\n", x->header, x->buffer_flits * FLIT);
    trial_write(x, "flow_control: {kind: %s, delay: %u ns}\n", x->absolute ? "ib" : "credit",
                x->credit * 4);
    trial_write(x, "nic: {mtu: %u B, overhead: %u B, control_bytes: 1 B, buffer: %u B",
                x->mtu_flits * FLIT - x->overhead, x->overhead, x->sink_flits * FLIT);
    if (x->sink_slow)
        trial_write(x, ", receive_rate: %u Mbit/s", BASE_MBPS / x->sink_slow);
    trial_write(x, "}\ntraffic:\n");
}

void trial_draw_machine(trial *x)
{
    draw_machine(x);
    if (x->crowded)
        draw_crowded(x);
    write_machine(x);
}

static uint8_t lane_of(const trial *x, uint32_t dst)
{
    return (uint8_t)(x->topo.port[cop_topo_exit_port(&x->topo, dst)].local % x->lanes);
}

static int by_time(const void *a, const void *b)
{
    const message *x = a, *y = b;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* Half of the hosts send to the hot one. The others begin with that, and then send to a host of their
 * own: what they have for the hot one waits in the switch, which always has something else to read. */
static uint32_t draw_crowded_destination(trial *x, uint32_t src, uint32_t hot)
{
    uint32_t hosts = x->topo.n_hosts, own = (src + 1) % hosts;
    bool by_turns = (src + hosts - hot) % 2 == 1;
    if (src != hot && (!by_turns || x->sent[src]++ < 3 || below(x, 20) == 0))
        return hot;
    if (own == hot)
        own = (src + 2) % hosts;
    return below(x, 100) ? own : below(x, hosts);
}

/* A host keeps to one lane: that of the first destination it draws. */
static uint32_t draw_destination(trial *x, uint32_t src, uint32_t hot, uint8_t *lane_of_host)
{
    uint32_t hosts = x->topo.n_hosts;
    for (;;) {
        uint32_t dst = below(x, 3) == 0 ? hot : below(x, hosts);
        if (x->deadlocks && below(x, 2))
            dst = (src + hosts / 2) % hosts;
        if (x->crowded)
            dst = draw_crowded_destination(x, src, hot);
        if (lane_of_host[src] == 0xff && dst != src)
            lane_of_host[src] = lane_of(x, dst);
        if (dst != src && lane_of(x, dst) == lane_of_host[src])
            return dst;
    }
}

void trial_draw_messages(trial *x)
{
    uint8_t lane_of_host[MAX_HOSTS];
    memset(lane_of_host, 0xff, sizeof(lane_of_host));
    assert_true(x->topo.n_hosts <= sizeof(lane_of_host));
    uint32_t hot = below(x, x->topo.n_hosts);
    uint32_t instants = between(x, 1, x->crowded ? 50 : 2000);
    x->n = x->crowded ? between(x, 500, MAX_CROWD) : between(x, 20, MAX_MESSAGES);
    for (uint32_t i = 0; i < x->n; i++) {
        message *m = &x->msg[i];
        m->entry = i;
        m->t = below(x, instants) * TICK;
        m->src = below(x, x->topo.n_hosts);
        if (x->crowded) /* hosts send one packet after the other, in different phases */
            m->t += m->src * x->phase * TICK;
        m->dst = draw_destination(x, m->src, hot, lane_of_host);
        m->lane = lane_of(x, m->dst);
        m->packets = below(x, 3) || x->crowded ? 1 : between(x, 1, MAX_CUTS);
        m->last_flits = between(x, x->least_flits, x->mtu_flits);
        uint32_t bytes = ((m->packets - 1) * x->mtu_flits + m->last_flits) * FLIT;
        trial_write(x,
                    "  - {name: m%u, from: [%u], pattern: fixed, to: %u, messages: 1, arrival: "
                    "constant, rate: 1 Mbit/s, start: %" PRIu64 " ns, message: %u B}\n",
                    i, m->src, m->dst, m->t / COP_NS, bytes - m->packets * x->overhead);
    }
    qsort(x->msg, x->n, sizeof(message), by_time);
    x->pkt = cop_alloc(x->n * MAX_CUTS * sizeof(fr_packet));
    for (uint32_t i = 0; i < x->n; i++)
        for (uint32_t k = 0; k < x->msg[i].packets; k++) {
            const message *m = &x->msg[i];
            uint32_t flits = k + 1 == m->packets ? m->last_flits : x->mtu_flits;
            x->pkt[x->n_pkts++] = (fr_packet){
                .t = m->t, .src = m->src, .dst = m->dst, .bytes = flits * FLIT, .lane = m->lane};
        }
}
