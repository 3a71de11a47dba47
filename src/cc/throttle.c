/* Injection throttling by marks, as in the hybrids of Papers V and VI: ith, ib-ith, ccfit, ecocc.
 *
 * Role     slows down the sources of congestion trees while the queueing scheme, which found the
 *          root, may isolate them meanwhile. Both share the detector: the scheme reports which
 *          outputs have a queue above its threshold (cop_net_roots), this file marks and
 *          throttles.
 * Switch   a packet that leaves an output in the congestion state, and is not shorter than
 *          `packet_size`, is marked (FECN) with probability `marking`. An output is in the state
 *          while it has such a queue; with `credit_test` only from the first packet on that leaves
 *          credit for another one behind: InfiniBand's rule for roots (Paper V, II), printed for
 *          ith and ib-ith, while ccfit and ecocc use their queues alone.
 * Sink     answers each marked packet at once (CNP with BECN).
 * Source   per destination: index into a table of delays (CCT), time of the last packet (LTI) and a
 *          timer. A notification adds `increase` to the index; each time the timer expires, the
 *          index falls by one. `restart`: a notification also starts the timer anew (Paper V,
 *          III-D), otherwise it goes on "at regular intervals" (Paper VI, 3.2). The next packet may
 *          start at LTI + CCT[index], LTI being the start of the last one or (delay_from: end) its
 *          end, with the index at the time of the arbiter's call.
 *          CCT[i] = longest * (i / longest_at)^2, or linear.
 * Timers   are not events: the index is brought up to date when it is used.
 * Names    ith, ib-ith  throttling alone, with the marking and the timers of Papers V and VI
 *                       (there: of Paper III), on any scheme that finds roots: queueing hfdi with
 *                       `queues: 0`.
 *          ccfit        with fbicm: thresholds detect, stop, go, high, low.
 *          ecocc        with hfdi: thresholds high and low.
 *          Each brings the scheme that it needs, if the run file names none.
 * Values   timer, longest and increase are `auto`: throttle_plan.c.
 * Source   M-ith, M-ibith, M-ccfit, M-ccfit-ia, M-ecocc, M-ecocc-hca. Paper III gives the table of
 *          ib-ith, i^2 * 7/106^2 us; for the others no table is given (G-gran5-5, G-gran6-3,
 *          G-gran6-4). */
#include "cc/throttle.h"
#include "base/opt.h"
#include "base/rng.h"
#include "cc/cc_all.h"

#include <stdio.h>
#include <string.h>

static const char *const limit_word[] = {"limit", "0", NULL};
static const char *const auto_word[] = {"auto", NULL};
static const char *const from_names[] = {"start", "end", NULL};
static const char *const shape_names[] = {"quadratic", "linear", NULL};

typedef struct throttle_flow {
    cop_time last; /* start, or end (delay_from), of its last packet */
    cop_time since; /* last start or expiry of the timer */
    uint32_t index;
    uint32_t becns; /* so far, to be observed */
} throttle_flow;

typedef struct throttle_run {
    throttle_plan *of; /* [n_hosts] */
} throttle_run;

typedef struct throttle_port {
    uint64_t drawn; /* random numbers used */
    uint32_t rooted; /* credit_test: lanes that had credit since the output has a queue above */
} throttle_port;

#define T(field) offsetof(throttle_cfg, field)
/* Options whose defaults differ between these congestion controls. */
#define TIMER(def)                                                                                 \
    "timer", COP_OPT_TIME, T(timer_ps), def, 1000, 1e12, auto_word,                                \
        "time after which a source's index falls by one (CCTI_Timer); auto: by `senders`"
#define RESTART(def)                                                                               \
    "restart", COP_OPT_BOOL, T(restart), def, 0, 0, NULL,                                          \
        "each notification starts the timer anew; no: it goes on at regular intervals"
#define MARKING(def)                                                                               \
    "marking", COP_OPT_SHARE, T(marking), def, 0, 1, NULL,                                         \
        "share of the packets that are marked at a congested output"
#define CREDIT(def)                                                                                \
    "credit_test", COP_OPT_BOOL, T(credit_test), def, 0, 0, NULL,                                  \
        "an output enters the congestion state only if it has credit for another packet"
#define LONGEST(def)                                                                               \
    "longest", COP_OPT_TIME, T(longest_ps), def, 1, 1e12, auto_word,                               \
        "delay at the index `longest_at`; auto: by `senders`"
#define FROM(def)                                                                                  \
    "delay_from", COP_OPT_ENUM, T(delay_from), def, 0, 0, from_names,                              \
        "the delay counts from the start or the end of the packet before"

/* Options with common defaults. */
#define PACKET_SIZE                                                                                \
    "packet_size", COP_OPT_BYTES, T(packet_bytes), "0", 0, 1e9, NULL,                              \
        "shorter packets are not marked"
#define INCREASE                                                                                   \
    "increase", COP_OPT_INT, T(increase), "auto", 1, 1023, auto_word,                              \
        "added to the index by each notification (CCTI_Increase); auto: 4, or 1, as the papers "   \
        "print "                                                                                   \
        "it, where `timer` is given"
#define SENDERS                                                                                    \
    "senders", COP_OPT_INT, T(senders), "auto", 2, 1e9, auto_word,                                 \
        "that share a hot spot, for `timer` and `longest`; auto: of each end node those that the " \
        "traffic has for what it overloads, and 2 where it overloads nothing"
#define LIMIT "limit", COP_OPT_INT, T(limit), "127", 1, 1023, NULL, "largest index (CCTI_Limit)"
#define AT                                                                                         \
    "longest_at", COP_OPT_INT, T(longest_at), "limit", 1, 1023, limit_word,                        \
        "index that has the delay `longest`. The table of Paper III: 106, and 7 us"
#define TABLE                                                                                      \
    "table", COP_OPT_ENUM, T(shape), "quadratic", 0, 0, shape_names,                               \
        "how the delay grows with the index"

#define OPTS(restart, marking, credit, from)                                                       \
    {                                                                                              \
        {TIMER("auto")}, {RESTART(restart)}, {MARKING(marking)}, {PACKET_SIZE}, {CREDIT(credit)},  \
            {INCREASE}, {LIMIT}, {LONGEST("auto")}, {AT}, {TABLE}, {FROM(from)}, {SENDERS},        \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static const cop_opt ith_opts[] = OPTS("yes", "85 %", "yes", "end");
static const cop_opt ccfit_opts[] = OPTS("yes", "85 %", "no", "end");
static const cop_opt ib_ith_opts[] = OPTS("no", "50 %", "yes", "start");
static const cop_opt ecocc_opts[] = OPTS("no", "50 %", "no", "start");

/* -- switches -- */

/* Is the lane of the output by which p has just left in the congestion state? */
static bool congested(struct cop_net *net, const throttle_cfg *cfg, uint32_t port, const cop_pkt *p)
{
    uint32_t vl = p->out_vl;
    if (cop_net_roots(net, port) == 0)
        return false;
    if (!cfg->credit_test)
        return true;
    throttle_port *st = cop_net_cc_port(net, port);
    if (!(st->rooted >> vl & 1) && cop_net_has_credit(net, port, p))
        st->rooted |= 1u << vl;
    return st->rooted >> vl & 1;
}

/* The last queue is below its threshold: the state ends, and must be entered again. */
static void throttle_on_root(struct cop_net *net, uint32_t port, uint32_t roots)
{
    throttle_port *st = cop_net_cc_port(net, port);
    if (roots == 0)
        st->rooted = 0;
}

static void throttle_on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    const throttle_cfg *cfg = cop_net_cc_cfg(net);
    if (!congested(net, cfg, port, p) || (p->flags & COP_PKT_CONTROL) ||
        p->bytes < cfg->packet_bytes)
        return;
    throttle_port *st = cop_net_cc_port(net, port);
    uint64_t draw = cop_rng_at(cop_net_info(net)->seed, COP_RNG_MARK, port, st->drawn++);
    if ((double)(draw >> 11) * 0x1p-53 < cfg->marking)
        p->flags |= COP_PKT_FECN;
}

/* -- end nodes -- */

static uint16_t throttle_on_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)net, (void)host;
    return p->flags & COP_PKT_FECN ? COP_PKT_CNP | COP_PKT_BECN : 0;
}

static void throttle_start(struct cop_net *net)
{
    const throttle_cfg *cfg = cop_net_cc_cfg(net);
    const cop_netinfo *info = cop_net_info(net);
    throttle_run *run = cop_net_cc_net(net);
    run->of = cop_net_cc_alloc(net, info->n_hosts, sizeof(*run->of));
    for (uint32_t h = 0; h < info->n_hosts; h++)
        run->of[h] = throttle_plan_of(cfg, throttle_senders(cfg, info, h),
                                      cop_net_inject_time(net, h, info->mtu_bytes));
}

static const throttle_plan *plan_of(struct cop_net *net, uint32_t src)
{
    const throttle_run *run = cop_net_cc_net(net);
    return &run->of[src];
}

static cop_time delay_of(const throttle_cfg *cfg, const throttle_plan *plan, uint32_t index)
{
    uint64_t at = (uint64_t)(cfg->longest_at ? cfg->longest_at : cfg->limit);
    return cfg->shape == THROTTLE_LINEAR ? plan->longest_ps * index / at
                                         : plan->longest_ps * index * index / (at * at);
}

/* Apply the timer's expiries since the last call. */
static void settle(const throttle_plan *plan, throttle_flow *f, cop_time now)
{
    uint64_t steps = (now - f->since) / plan->timer_ps;
    f->index = steps < f->index ? f->index - (uint32_t)steps : 0;
    f->since += steps * plan->timer_ps;
}

static void throttle_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    const throttle_cfg *cfg = cop_net_cc_cfg(net);
    throttle_flow *f = flow;
    if (!(p->flags & COP_PKT_BECN))
        return;
    const throttle_plan *plan = plan_of(net, cop_net_flow_source(flow));
    settle(plan, f, cop_net_now(net));
    if (cfg->restart || f->index == 0)
        f->since = cop_net_now(net);
    f->becns++;
    f->index += plan->increase;
    if (f->index > (uint32_t)cfg->limit)
        f->index = (uint32_t)cfg->limit;
}

/* The delay shrinks while the packet waits: the first instant at which enough time has passed. */
static cop_time throttle_next_send(struct cop_net *net, void *flow, cop_time now)
{
    const throttle_cfg *cfg = cop_net_cc_cfg(net);
    throttle_flow *f = flow;
    if (f->index == 0)
        return now;
    const throttle_plan *plan = plan_of(net, cop_net_flow_source(flow));
    settle(plan, f, now);
    uint32_t index = f->index;
    cop_time t = f->last + delay_of(cfg, plan, index), falls = f->since + plan->timer_ps;
    while (index > 0 && t > falls) {
        t = cop_max64(falls, f->last + delay_of(cfg, plan, --index));
        falls += plan->timer_ps;
    }
    return t;
}

static void throttle_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    const throttle_cfg *cfg = cop_net_cc_cfg(net);
    throttle_flow *f = flow;
    f->last = cop_net_now(net);
    if (cfg->delay_from == THROTTLE_FROM_END)
        f->last += cop_net_inject_time(net, p->src, p->bytes);
}

/* -- what can be observed -- */

static const cop_value flow_values[] = {
    {"ccti", "index"}, {"delay", "ns"}, {"rate", "Gbit/s"}, {"becns", "packets"}, {0}};
static const cop_value port_values[] = {{"state", "queues"}, {0}};

/* The rate is that of packets of full size. */
static double throttle_flow_value(struct cop_net *net, const void *flow, uint32_t src,
                                  unsigned which)
{
    const throttle_cfg *cfg = cop_net_cc_cfg(net);
    throttle_flow f = *(const throttle_flow *)flow;
    const throttle_plan *plan = plan_of(net, src);
    settle(plan, &f, cop_net_now(net));
    uint32_t bytes = cop_net_info(net)->mtu_bytes;
    cop_time delay = delay_of(cfg, plan, f.index), sends = cop_net_inject_time(net, src, bytes);
    cop_time apart = cfg->delay_from == THROTTLE_FROM_END ? sends + delay : cop_max64(sends, delay);
    switch (which) {
    case 0:
        return f.index;
    case 1:
        return (double)delay / COP_NS;
    case 2:
        return bytes * 8.0 / ((double)apart / COP_NS);
    default:
        return f.becns;
    }
}

/* Queues that keep the output in the congestion state. */
static double throttle_port_value(struct cop_net *net, uint32_t port, uint32_t vl, unsigned which)
{
    (void)vl, (void)which;
    return cop_net_roots(net, port);
}

/* -- in words -- */

static void throttle_tell(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what,
                          char *buf, size_t size)
{
    (void)what;
    if (p->flags & COP_PKT_CONTROL)
        snprintf(buf, size, "for the flow %u -> %u", p->dst, p->src);
    else
        snprintf(buf, size, "%u queues hold the output to be a root", cop_net_roots(net, port));
}

static bool throttle_rested(struct cop_net *net, char *buf, size_t size)
{
    char most[128];
    if (cop_net_marked(net) > 0)
        return false;
    snprintf(
        buf, size,
        "nothing was marked: queueing %s held no output to be a root when a packet left it, or "
        "none was drawn; most that waited for an output at a sample: %s",
        cop_net_info(net)->queueing, cop_net_most_waiting(net, most, sizeof(most)));
    return true;
}

/* -- queueing schemes that they require -- */

static int needs_roots(const void *cfg, const cop_netinfo *info, cop_err *err)
{
    (void)cfg;
    if (info->finds_roots)
        return 0;
    return cop_err_add(
        err, COP_E_INPUT,
        "cc: queueing %s does not find roots of congestion; leave queueing.kind out, "
        "or set it to hfdi, with queues 0 for no isolation",
        info->queueing);
}

static int needs(const char *cc, const char *queueing, const cop_netinfo *info, cop_err *err)
{
    if (strcmp(info->queueing, queueing) == 0)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "cc: %s shares its detector with queueing %s, not %s; leave queueing.kind "
                       "out, or set it to %s",
                       cc, queueing, info->queueing, queueing);
}

static int needs_fbicm(const void *cfg, const cop_netinfo *info, cop_err *err)
{
    (void)cfg;
    return needs("ccfit", "fbicm", info, err);
}

static int needs_hfdi(const void *cfg, const cop_netinfo *info, cop_err *err)
{
    (void)cfg;
    return needs("ecocc", "hfdi", info, err);
}

/* Throttling alone: a queue per output that finds its roots, and no isolation. Paper V gives a
 * priority of notifications for CCFIT only. */
static const cop_brought roots_alone[] = {{"queueing", "kind", "hfdi", false},
                                          {"queueing", "queues", "0", false},
                                          {"queueing", "control_first", "no", false},
                                          {0}};
static const cop_brought with_fbicm[] = {{"queueing", "kind", "fbicm", false}, {0}};
/* Supplement of Paper VI, 9.1: EcoCC needs no queue for a root of the same switch, HFDI does. */
static const cop_brought with_hfdi[] = {
    {"queueing", "kind", "hfdi", false}, {"queueing", "local", "no", false}, {0}};

static void throttle_facts(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts)
{
    (void)cfg;
    (void)info;
    facts->asks_contenders = true;
}

#define THROTTLE                                                                                   \
    .cfg_size = sizeof(throttle_cfg), .flow_size = sizeof(throttle_flow),                          \
    .port_size = sizeof(throttle_port), .net_size = sizeof(throttle_run), .facts = throttle_facts, \
    .explain = throttle_told, .start = throttle_start,                                             \
    .at_switch.on_dequeue = throttle_on_dequeue, .at_switch.on_root = throttle_on_root,            \
    .at_destination.on_deliver = throttle_on_deliver, .at_source.on_control = throttle_on_control, \
    .at_source.next_send = throttle_next_send, .at_source.on_send = throttle_on_send,              \
    .shown.flow_values = flow_values, .shown.port_values = port_values,                            \
    .shown.flow_value = throttle_flow_value, .shown.port_value = throttle_port_value,              \
    .shown.tell = throttle_tell, .shown.rested = throttle_rested

const cop_cc_ops cop_cc_ith = {.name = "ith",
                               .summary = "throttling by marks of congested outputs",
                               .source = "Paper V, ITh",
                               .opts = ith_opts,
                               .brings = roots_alone,
                               .check = needs_roots,
                               THROTTLE};
const cop_cc_ops cop_cc_ib_ith = {.name = "ib-ith",
                                  .summary = "the same with the values of InfiniBand hardware",
                                  .source = "Paper VI, IB-ITh; values of Paper III",
                                  .opts = ib_ith_opts,
                                  .brings = roots_alone,
                                  .check = needs_roots,
                                  THROTTLE};
const cop_cc_ops cop_cc_ccfit = {.name = "ccfit",
                                 .summary = "throttling on top of fbicm: hybrid, five thresholds",
                                 .source = "Paper V, CCFIT",
                                 .opts = ccfit_opts,
                                 .brings = with_fbicm,
                                 .check = needs_fbicm,
                                 THROTTLE};
const cop_cc_ops cop_cc_ecocc = {.name = "ecocc",
                                 .summary = "throttling on top of hfdi: hybrid, two thresholds",
                                 .source = "Paper VI, EcoCC",
                                 .opts = ecocc_opts,
                                 .brings = with_hfdi,
                                 .check = needs_hfdi,
                                 THROTTLE};
