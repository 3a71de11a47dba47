/* The machine of a random scenario: one function per section of the configuration, in the order in
 * which sections depend on each other (a switch's buffer on the flow control, a congestion control on
 * the queueing scheme). Every number that is drawn shifts all that follow: scenario n is another one
 * after a change here. */
#include "draw_int.h"

#include <stdio.h>
#include <string.h>

#include "base/opt.h"
#include "cc/cc_list.h"
#include "host/host_list.h"
#include "net/net_cfg.h"
#include "queue/queue_list.h"
#include "route/route.h"

void draw_put(draw *d, const char *fmt, ...)
{
    va_list ap;
    assert_true(d->used + DRAW_ROW < sizeof(d->text));
    va_start(ap, fmt);
    d->used += (size_t)vsnprintf(d->text + d->used, DRAW_ROW, fmt, ap);
    va_end(ap);
}

static void put_run(draw *d)
{
    d->duration_ns = between(d, 8, 40) * 1000;
    d->warmup_ns = below(d, 2) ? d->duration_ns / 4 : 0;
    d->drain = below(d, 2);
    draw_put(d, "run: {duration: %" PRIu64 " ns, warmup: %" PRIu64 " ns, flows: yes, drain: %s",
             d->duration_ns, d->warmup_ns, d->drain ? "yes" : "no");
    PUT_NUMBER(d, ", seed: %u", 0, 999);
    if (below(d, 4) == 0)
        PUT_NUMBER(d, ", sample: %u ns", 100, 5000);
    draw_put(d, "}\n");
}

/* Rules of isolation for which there are two readings. */
static void put_readings(draw *d)
{
    if (strcmp(d->queueing, "hfdi") != 0) {
        PUT_NAME(d, ", propagate: %s", "stop", "high");
        return;
    }
    PUT_NAME(d, ", root_stop: %s", "yes", "no");
    PUT_NAME(d, ", second: %s", "packet", "crossing");
    PUT_NAME(d, ", list: %s", "growing", "detected");
}

/* Thresholds small enough for the small buffers here. */
static void put_isolation(draw *d)
{
    uint32_t low = below(d, 2), high = low + between(d, 1, 2), go = below(d, 3);
    draw_put(d, ", low: %u, high: %u", low, high);
    PUT_NUMBER(d, ", queues: %u", 0, 3);
    PUT_NAME(d, ", priority: %s", "normal-first", "round-robin", "congested-first", "age");
    PUT_NUMBER(d, ", guard: %u", 1, 5);
    PUT_NAME(d, ", control_first: %s", "yes", "yes", "no");
    if (strcmp(d->queueing, "hfdi") == 0) {
        PUT_NAME(d, ", local: %s", "yes", "no");
        draw_put(d, ", lifetime: %u ns", maybe(d, 0, 4999));
    } else {
        PUT_NUMBER(d, ", detect: %u", 1, 3);
        draw_put(d, ", go: %u, stop: %u", go, (go > high ? go : high) + between(d, 1, 2));
    }
    if (strcmp(d->queueing, "recn") != 0)
        PUT_NUMBER(d, ", destinations: %u", 1, 4);
    put_readings(d);
}

bool draw_isolates(const draw *d)
{
    return cop_queue_find(d->queueing)->runtime.finds_roots;
}

/* Wormhole switching: what else there is must fit it. */
static void put_worm(draw *d)
{
    d->worm = below(d, 8) == 0 && !cop_route_find(d->routing)->on_notice;
    if (!d->worm)
        return;
    uint32_t flit = ONE_OF_NUMBERS(d, 4, 16, 33, 64, 128);
    d->queueing = "1q";
    d->arch = "ib";
    d->credit = true;
    draw_put(d, "queueing: {kind: 1q}\nflow_control: {delay: %u ns}\n", maybe(d, 1, 60));
    draw_put(d, "switch: {switching: wormhole, flit: %u B", flit);
    uint32_t places = between(d, 1, 8), rest = below(d, 3);
    draw_put(d, ", buffer: %u B", flit * places + rest);
    PUT_NUMBER(d, ", header: %u B", 0, flit);
    PUT_NUMBER(d, ", pipeline: %u ns", 0, 149);
    PUT_NAME(d, ", reuse: %s", "auto", "auto", "empty");
    draw_put(d, ", allocation: %u ns", maybe(d, 1, 60));
    uint32_t n = 0;
    while (draw_arbitrations()[n])
        n++;
    d->arbitration = draw_arbitrations()[below(d, n)];
    d->strict = below(d, 2);
    draw_put(d, ", arbitration: %s", d->arbitration);
    draw_put(d, ", vl_arbitration: %s", d->strict ? "strict" : "round-robin");
    if (below(d, 3) == 0)
        PUT_NUMBER(d, ", lanes: %u", 2, 8);
    draw_put(d, "}\n");
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
    draw_put(d, "queueing: {kind: %s", d->queueing);
    if (draw_isolates(d))
        put_isolation(d);
    else if (strcmp(d->queueing, "dbbm") == 0 || strcmp(d->queueing, "obqa") == 0)
        PUT_NUMBER(d, ", queues: %u", 1, 6);
    else if (strcmp(d->queueing, "vftree") == 0)
        PUT_NUMBER(d, ", lanes: %u", 1, 4);
    draw_put(d, "}\n");
}

static void put_flow_control(draw *d)
{
    const char *kind = ONE_OF(d, "credit", "credit", "ib", "on-off", "ack-nack");
    d->onoff = strcmp(kind, "on-off") == 0;
    d->credit = strcmp(kind, "credit") == 0;
    d->counted = d->credit || strcmp(kind, "ib") == 0;
    draw_put(d, "flow_control: {kind: %s, delay: %u ns", kind, maybe(d, 1, 60));
    if (strcmp(kind, "ib") == 0) {
        draw_put(d, ", loss: %u %%", maybe(d, 0, 20));
        PUT_NUMBER(d, ", refresh: %u ns", 500, 3000);
    }
    draw_put(d, "}\n");
}

static void put_lane_tables(draw *d)
{
    PUT_NAME(d, ", vl_arbitration: ib, vl_high_limit: %s", "0", "1", "3", "255");
    uint32_t high = below(d, 1u << 16);
    for (uint32_t table = 0; table < 2; table++) {
        draw_put(d, ", %s: [", table ? "vl_low" : "vl_high");
        const char *comma = "";
        for (uint32_t vl = 0; vl < 16; vl++)
            if ((high >> vl & 1) != table) {
                draw_put(d, "%s%u, %u", comma, vl, between(d, 1, 255));
                comma = ", ";
            }
        draw_put(d, "]");
    }
}

/* Two first lanes, so far apart that most routings fit between them. */
static void put_levels(draw *d)
{
    uint32_t high = below(d, 1u << 16), apart = between(d, 1, 4);
    draw_put(d, ", sl2vl: [");
    for (uint32_t level = 0; level < 16; level++)
        draw_put(d, "%s%u", level ? ", " : "", (high >> level & 1) * apart);
    draw_put(d, "]");
    if (below(d, 4) > 0)
        return;
    draw_put(d, ", port_sl2vl: [%u", below(d, 2));
    PUT_NUMBER(d, ", %u", 0, 2);
    PUT_NUMBER(d, ", %u", 0, 2);
    for (uint32_t level = 0; level < 16; level++)
        PUT_NUMBER(d, ", %u", 0, 1);
    draw_put(d, "]");
}

const char *const *draw_arbitrations(void)
{
    const cop_opt *o = cop_switch_opts;
    while (strcmp(o->name, "arbitration") != 0)
        o++;
    return o->names;
}

/* Output buffers of a switch: always with cioq, now and then with ib. */
static void put_outputs(draw *d, uint32_t wire, bool shared_inputs)
{
    bool ib = strcmp(d->arch, "ib") == 0;
    d->output_buffers = strcmp(d->arch, "cioq") == 0 || (ib && !d->sectioned && below(d, 3) == 0);
    if (!d->output_buffers)
        return;
    uint32_t blocks = (wire + 63) / 64, least = blocks;
    draw_put(d, ", speedup: %s", ONE_OF(d, "1", "1.5", "2", "4"));
    d->output_shared = below(d, 3) == 0;
    if (d->output_shared) {
        uint32_t reserve = between(d, blocks, 2 * blocks);
        least = 8 * reserve;
        draw_put(d, ", output_shared: yes");
        if (below(d, 2))
            draw_put(d, ", output_reserve: %u B", 64 * reserve);
    }
    draw_put(d, ", output_buffer: %u B", 64 * between(d, least, least + 5 * blocks));
    if (d->counted && !shared_inputs && below(d, 3) == 0)
        draw_put(d, ", output_credit: crossbar");
}

/* Links of a class may have more room than the others, and no more lanes than most routings use. */
static void put_classes(draw *d, uint32_t buffer)
{
    static const char *const classes[] = {"host", "trunk", "global"};
    const char *kind = classes[below(d, 3)];
    uint32_t more = between(d, 1, 3);
    draw_put(d, ", %s_buffer: %u B", kind, buffer * more);
    if (below(d, 2) == 0)
        PUT_NUMBER(d, ", host_lanes: %u", 1, 2);
    if (below(d, 6) == 0)
        draw_put(d, ", %s_lanes: %u", ONE_OF(d, "trunk", "global"), 2);
}

/* Buffers are small enough to block often, and large enough for the head-room of on/off. */
static void put_switch(draw *d, uint32_t wire)
{
    d->arch = d->sectioned ? ONE_OF(d, "ib", "iq") : ONE_OF(d, "ib", "ib", "iq", "cioq");
    bool shared = !d->onoff && !d->sectioned && below(d, d->credit ? 3 : 20) == 0;
    uint32_t blocks = (wire + 63) / 64, least = shared ? 8 * blocks : blocks;
    uint32_t buffer = 64 * between(d, least, least + 6 * blocks);
    if (d->onoff)
        buffer += 3 * wire + between(d, 500, 5000) * d->link_gbps / 8;
    draw_put(d, "switch: {architecture: %s, buffer: %u B", d->arch, buffer);
    PUT_NAME(d, ", switching: %s", "cut-through", "cut-through", "store-and-forward");
    PUT_NUMBER(d, ", pipeline: %u ns", 0, 149);
    PUT_NUMBER(d, ", header: %u B", 0, 129);
    uint32_t n = 0;
    while (draw_arbitrations()[n])
        n++;
    d->arbitration = draw_arbitrations()[below(d, 3) ? below(d, n) : 0]; /* more of the usual one */
    draw_put(d, ", arbitration: %s", d->arbitration);
    PUT_NAME(d, ", matching: %s", "islip", "rrm");
    PUT_NUMBER(d, ", iterations: %u", 1, 4);
    put_outputs(d, wire, shared);
    d->read_ports = strcmp(d->arch, "ib") && below(d, 2) ? between(d, 1, 5) : 0;
    if (d->read_ports)
        draw_put(d, ", read_ports: %u", d->read_ports);
    if (shared)
        draw_put(d, ", shared_lanes: yes");
    if (below(d, 3) == 0)
        PUT_NUMBER(d, ", lanes: %u", shared ? 1 : 2, 8);
    if (below(d, 4) == 0)
        put_classes(d, buffer);
    else if (below(d, 6) == 0)
        put_levels(d);
    if (below(d, 4) == 0)
        put_lane_tables(d);
    else
        draw_put(d, ", vl_arbitration: %s", (d->strict = below(d, 2)) ? "strict" : "round-robin");
    draw_put(d, "}\n");
}

static void put_nic(draw *d, uint32_t overhead)
{
    draw_put(d, "nic: {mtu: %u B, overhead: %u B", d->mtu, overhead);
    PUT_NAME(d, ", order: %s", "fifo", "round-robin");
    PUT_NAME(d, ", backlog: %s", "1", "3", "256");
    d->acks = below(d, 3) == 0;
    if (d->acks) {
        PUT_NAME(d, ", ack: %s", "message", "packet");
        PUT_NUMBER(d, ", control_bytes: %u B", 1, 128);
    } else if (below(d, 4) == 0) {
        PUT_NUMBER(d, ", control_bytes: %u B", 1, d->mtu);
    }
    if (below(d, 4) == 0)
        draw_put(d, ", notify: delivery");
    if (below(d, 8) == 0)
        PUT_NUMBER(d, ", control_vl: %u", 0, 1);
    if (below(d, 4) == 0)
        PUT_NUMBER(d, ", inject_rate: %u Gbit/s", d->link_gbps / 2, d->link_gbps);
    if (below(d, 4) == 0)
        PUT_NUMBER(d, ", receive_rate: %u Gbit/s", d->link_gbps / 2, d->link_gbps);
    draw_put(d, "}\n");
}

/* Some host, or two, with something of its own. */
static void put_hosts(draw *d)
{
    draw_put(d, "hosts: {%u: {", below(d, d->hosts));
    PUT_NUMBER(d, "receive_rate: %u Gbit/s", d->link_gbps / 4, d->link_gbps);
    if (below(d, 2))
        PUT_NUMBER(d, ", delay: %u ns", 1, 300);
    draw_put(d, "}, 1-%u: {", d->hosts - 1);
    PUT_NAME(d, "%s", "rate", "inject_rate", "receive_rate");
    PUT_NUMBER(d, ": %u Gbit/s", 8, d->link_gbps);
    draw_put(d, "}}\n");
}

/* One or two rows for any of n: timer, increase, limit and least index. */
static void put_own_ccti(draw *d, const char *option, uint32_t n)
{
    uint32_t rows = between(d, 1, 2);
    for (uint32_t row = 0; row < rows; row++) {
        if (row > 0)
            draw_put(d, ", ");
        else
            draw_put(d, ", %s: [", option);
        draw_put(d, "%u", below(d, n));
        PUT_NUMBER(d, ", %u", 1, 20);
        PUT_NUMBER(d, ", %u", 0, 20);
        PUT_NUMBER(d, ", %u", 5, 127);
        PUT_NUMBER(d, ", %u", 1, 5);
    }
    draw_put(d, "]");
}

/* Thresholds, tables and timers at the scale of these short runs. */
static void put_ibcc(draw *d)
{
    PUT_NAME(d, ", preset: %s", "testbed", "simulator", "fat-tree", "pfister");
    PUT_NAME(d, ", evaluate: %s", "auto", "voq", "output", "contributors");
    PUT_NAME(d, ", victim_mask: %s", "none", "hosts", "all");
    PUT_NAME(d, ", marking: %s", "random", "counted");
    PUT_NAME(d, ", root_test: %s", "auto", "enter", "mark");
    PUT_NUMBER(d, ", threshold: %u", 0, 15);
    PUT_NUMBER(d, ", hysteresis_mtus: %u", 0, 3);
    PUT_NUMBER(d, ", marking_rate: %u", 0, 2);
    PUT_NUMBER(d, ", packet_size: %u", 0, 3);
    const char *level = ONE_OF(d, "qp", "qp", "sl");
    d->per_level = strcmp(level, "sl") == 0;
    const char *waits = d->acks && !d->per_level ? "next-ack" : "cnp";
    const char *becn = ONE_OF(d, "cnp", "ack", waits);
    draw_put(d, ", level: %s, becn: %s", level, becn);
    PUT_NAME(d, ", timer: %s", "auto", "free-running", "per-sl", "restart");
    PUT_NAME(d, ", delay_from: %s", "end", "start");
    PUT_NUMBER(d, ", ccti_increase: %u", 0, 20);
    PUT_NUMBER(d, ", ccti_min: %u", 0, 1);
    PUT_NUMBER(d, ", ccti_timer: %u ns", 100, 20000);
    PUT_NUMBER(d, ", cct_delay: %u ns", 10, 5000);
    PUT_NUMBER(d, ", cct_index: %u", 1, 127);
    if (below(d, 6) == 0)
        put_own_ccti(d, "sl_ccti", 16);
    if (below(d, 6) == 0)
        put_own_ccti(d, "host_ccti", d->hosts);
    if (below(d, 4) == 0) {
        PUT_NUMBER(d, ", cs_threshold: %u", 1, 15);
        PUT_NUMBER(d, ", cs_return_delay: 1:%u", 0, 19);
        PUT_NAME(d, ", credit_mask: %s", "hosts", "all");
    }
}

static void put_throttle(draw *d)
{
    PUT_NUMBER(d, ", timer: %u ns", 100, 5000);
    PUT_NUMBER(d, ", marking: %u %%", 0, 100);
    PUT_NUMBER(d, ", longest: %u ns", 0, 10000);
    PUT_NUMBER(d, ", increase: %u", 1, 20);
    PUT_NUMBER(d, ", limit: %u", 1, 200);
    PUT_NAME(d, ", table: %s", "quadratic", "linear");
    PUT_NAME(d, ", restart: %s", "yes", "no");
    PUT_NAME(d, ", credit_test: %s", "yes", "no");
    draw_put(d, ", longest_at: %u", maybe(d, 1, 200));
    if (below(d, 3) == 0)
        PUT_NUMBER(d, ", packet_size: %u B", 0, 2 * d->mtu - 1);
}

static bool throttles(const char *cc)
{
    return strcmp(cc, "ith") == 0 || strcmp(cc, "ib-ith") == 0 || strcmp(cc, "ccfit") == 0 ||
           strcmp(cc, "ecocc") == 0;
}

/* Facts of a control whose options are all 0. */
static cop_cc_facts draw_facts(const cop_cc_ops *ops)
{
    static const uint64_t zeros[64];
    assert_true(ops->cfg_size <= sizeof(zeros));
    return cop_cc_facts_of(ops, zeros, NULL);
}

/* Would this control be refused with the scheme that was drawn? */
static bool suits(const draw *d, const char *cc)
{
    const cop_cc_ops *ops = cop_cc_find(cc);
    if (d->worm &&
        (ops->at_switch.credit_time || ops->at_switch.on_leave || draw_facts(ops).notifies))
        return false;
    if (strcmp(cc, "ith") == 0 || strcmp(cc, "ib-ith") == 0)
        return draw_isolates(d);
    const char *needs = strcmp(cc, "ccfit") == 0 ? "fbicm" : strcmp(cc, "ecocc") == 0 ? "hfdi" : "";
    return needs[0] == '\0' || strcmp(d->queueing, needs) == 0;
}

/* qcn samples by packets or by time, and what is behind `react` in its table is for sources that do: options that would be
 * refused beside the others are left out. */
static void put_qcn(draw *d)
{
    enum { MOST = 32 };
    const cop_opt *opts = cop_cc_find("qcn")->opts;
    const char *but[MOST] = {"react"};
    uint32_t n = 1;
    bool react = below(d, 2), by_time = below(d, 2);
    but[n++] = by_time ? "every" : "period";
    if (by_time)
        but[n++] = "host_every";
    for (const cop_opt *o = cop_opt_find(opts, "react") + 1; !react && o->name && n + 1 < MOST; o++)
        but[n++] = o->name;
    draw_put(d, ", react: %s", react ? "yes" : "no");
    draw_put_options(d, opts, but);
}

static void put_cc(draw *d)
{
    const char *fit[32];
    uint32_t n = 0;
    for (size_t i = 0; cop_ccs[i] && n < COP_LEN(fit); i++)
        if (suits(d, cop_ccs[i]->name))
            fit[n++] = cop_ccs[i]->name;
    d->cc = below(d, 3) ? fit[below(d, n)] : "none";
    if (draw_isolates(d) && below(d, 4) == 0) /* more of those that few schemes suit */
        d->cc = strcmp(d->queueing, "fbicm") == 0  ? "ccfit"
                : strcmp(d->queueing, "hfdi") == 0 ? "ecocc"
                                                   : "ith";
    if (cop_route_find(d->routing)->on_notice) /* a routing that waits to be told */
        d->cc = "qcn";
    draw_put(d, "cc: {kind: %s", d->cc);
    if (strcmp(d->cc, "pace") == 0)
        PUT_NUMBER(d, ", rate: %u Gbit/s", 1, d->link_gbps);
    else if (strcmp(d->cc, "ibcc") == 0)
        put_ibcc(d);
    else if (throttles(d->cc))
        put_throttle(d);
    else if (strcmp(d->cc, "qcn") == 0)
        put_qcn(d);
    else
        draw_put_options(d, cop_cc_find(d->cc)->opts, NULL);
    if (strcmp(d->cc, "qcn") == 0)
        d->per_level = strstr(d->text, ", limit: host") != NULL;
    else if (strcmp(d->cc, "ibcc") != 0)
        d->per_level = draw_facts(cop_cc_find(d->cc)).flow_is_sl; /* whatever its options are */
    draw_put(d, "}\n");
}

static void put_host(draw *d)
{
    uint32_t n = 0;
    while (cop_hosts[n])
        n++;
    const cop_host_ops *ops = cop_hosts[below(d, n)];
    if (ops->flow_size && d->per_level)
        ops = cop_hosts[0]; /* a flow for each destination: would be refused */
    d->host = ops->name;
    draw_put(d, "host: {kind: %s", ops->name);
    draw_put_options(d, ops->opts, NULL);
    draw_put(d, "}\n");
}

void draw_scenario(draw *d, uint32_t number)
{
    draw_scenario_with(d, number, NULL);
}

void draw_scenario_with(draw *d, uint32_t number, const struct cop_plugin_set *more)
{
    *d = (draw){.number = number, .more = more, .rng = cop_rng_make(number, COP_RNG_TEST, 2)};
    uint32_t overhead = maybe(d, 0, 64);
    d->mtu = between(d, 1, 8) * 256;
    d->mtu -= below(d, 3) * 7;
    put_run(d);
    draw_network(d);
    put_worm(d);
    if (!d->worm) {
        put_queueing(d);
        put_flow_control(d);
        put_switch(d, d->mtu + overhead);
    }
    put_nic(d, overhead);
    put_cc(d);
    put_host(d);
    draw_traffic(d);
    if (below(d, 8) == 0)
        put_hosts(d);
}
