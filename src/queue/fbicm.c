/* Isolation on switches with one normal queue per input: FBICM and RECN.
 *
 * fbicm    M-fbicm     a line lists destinations: one by the footnote of Paper V, the default; a
 *                      set by its section II and the supplement of Paper VI, 6. The root is the
 *                      output that the head of a full normal queue requests, which may be the wrong
 *                      one.
 * recn     M-recn-iq   for source routing: a line names the path to the root, so it catches exactly
 *                      the packets that cross it. Simpler: the input-queued form, no queues at
 *                      outputs; a queue of a nearer root is not split when a farther root
 *                      becomes known, but stops with it.
 * Queues   special ones first, then one normal queue per lane, then one per lane for control
 *          packets, which have priority (Paper V, III-B). A special queue contains packets of one
 *          output and lane, so it adds no dependency between channels.
 * propagate G-gran5-8: the flow control between CFQs carries the information upstream (III-D, event
 *          4), and that is stop and go (III-C): allocate is sent at `stop`, with the stop. None of
 *          the five thresholds (III-E) is for allocate alone. The other reading: at `high`, when
 *          the root begins to mark, and never later than at `stop`; the thesis (2.3.1) has a
 *          separate threshold, to allocate before the tree is there.
 * Source   Paper V, sections II and III; rules in iso.h. Thresholds: detection is not printed
 *          (G-gran5-4), the rest is Paper V's. */
#include "queue/iso.h"

#define I(field) offsetof(iso_cfg, field)
#define COMMON_OPTS                                                                                \
    {"queues", COP_OPT_INT, I(queues), "2",                                                        \
     0,        64,          NULL,      "special queues per input port (CFQs, SAQs)"},              \
        {"detect",  COP_OPT_INT,                                                                   \
         I(detect), "4",                                                                           \
         1,         10000,                                                                         \
         NULL,      "a normal queue above so many packets of full size has found congestion"},     \
        {"stop",                                                                                   \
         COP_OPT_INT,                                                                              \
         I(stop),                                                                                  \
         "10",                                                                                     \
         1,                                                                                        \
         10000,                                                                                    \
         NULL,                                                                                     \
         "a special queue above so many packets stops the one upstream; keep it above `high`, or " \
         "the root may never be marked"},                                                          \
        {"go",  COP_OPT_INT,                                                                       \
         I(go), "4",                                                                               \
         0,     10000,                                                                             \
         NULL,  "a special queue below so many packets lets the one upstream go on"},              \
        {"high",                                                                                   \
         COP_OPT_INT,                                                                              \
         I(high),                                                                                  \
         "4",                                                                                      \
         1,                                                                                        \
         10000,                                                                                    \
         NULL,                                                                                     \
         "a root's special queue above so many packets puts its output into the congestion "       \
         "state"},                                                                                 \
        {"low", COP_OPT_INT, I(low), "2", 0, 10000, NULL, "and leaves it below so many packets"},  \
        {"propagate",                                                                              \
         COP_OPT_ENUM,                                                                             \
         I(propagate),                                                                             \
         "stop",                                                                                   \
         0,                                                                                        \
         0,                                                                                        \
         iso_propagate_names,                                                                      \
         "threshold above which a special queue tells the switch upstream of its tree"},           \
        {"priority",                                                                               \
         COP_OPT_ENUM,                                                                             \
         I(priority),                                                                              \
         "normal-first",                                                                           \
         0,                                                                                        \
         0,                                                                                        \
         iso_priority_names,                                                                       \
         "between normal and special queues of one input; roots-last: normal first, also among "   \
         "the "                                                                                    \
         "inputs of an output, where `guard` is counted then (the thesis wishes for it; rule "     \
         "ours)"},                                                                                 \
        {"guard",  COP_OPT_INT,                                                                    \
         I(guard), "4",                                                                            \
         1,        1000000,                                                                        \
         NULL,     "with a preferred kind: so many of its packets, then one of the other"},        \
    {                                                                                              \
        "control_first", COP_OPT_BOOL, I(control_first), "yes", 0, 0, NULL,                        \
            "notifications and acknowledgements pass data in switches"                             \
    }

static const cop_opt fbicm_opts[] = {
    COMMON_OPTS,
    {"destinations", COP_OPT_INT, I(destinations), "1", 1, 1024, NULL, "that a CAM line can list"},
    {0}};
static const cop_opt recn_opts[] = {COMMON_OPTS, {0}};

static int fbicm_check(const void *config, const cop_netinfo *info, cop_err *err)
{
    const iso_cfg *cfg = config;
    int rc = iso_check(cfg, info, err);
    if (rc == 0 && cfg->go >= cfg->stop)
        rc = cop_err_add(err, COP_E_INPUT,
                         "queueing.go %d must be below queueing.stop %d; make it smaller",
                         (int)cfg->go, (int)cfg->stop);
    return rc;
}

static int recn_check(const void *config, const cop_netinfo *info, cop_err *err)
{
    if (!info->table)
        return cop_err_add(err, COP_E_INPUT,
                           "queueing recn follows a packet's path ahead, which needs a routing by "
                           "switch and destination alone; use fbicm, or another routing");
    return fbicm_check(config, info, err);
}

/* A special queue contains packets of one output and fills up to `stop`: a congested flow that is
 * spread over outputs takes one for each, and as much of the buffer that they share with all
 * others. */
static const char *fbicm_idle(const void *config, const cop_netinfo *info)
{
    const iso_cfg *cfg = config;
    uint64_t filled = (uint64_t)cfg->stop * info->mtu_bytes * info->max_ports;
    if (!info->spreads || cfg->queues == 0 ||
        ((uint64_t)cfg->queues >= info->max_ports && filled <= info->transit_bytes))
        return NULL;
    return "the routing spreads one flow over many outputs: for each of them a congested flow "
           "takes "
           "a special queue of its own, and `stop` packets of the buffer; inputs run out of both, "
           "and all traffic is held up. Use hfdi, or as many queueing.queues as a switch has ports "
           "and room for `stop` packets in each";
}

static uint32_t control0(const iso_cfg *cfg, const cop_netinfo *info)
{
    return (uint32_t)cfg->queues + info->lanes;
}

static void fbicm_layout(const void *config, const cop_netinfo *info, uint32_t ports,
                         cop_queue_layout *l)
{
    const iso_cfg *cfg = config;
    (void)ports;
    *l = (cop_queue_layout){.queues = control0(cfg, info) + (cfg->control_first ? info->lanes : 0),
                            .pinned = (uint32_t)cfg->queues,
                            .orders_inputs = cfg->priority == ISO_ROOTS_LAST};
}

static uint32_t fbicm_select(const void *config, const cop_netinfo *info, const cop_pkt *p)
{
    const iso_cfg *cfg = config;
    if (cfg->control_first && (p->flags & COP_PKT_CONTROL))
        return control0(cfg, info) + p->vl;
    return (uint32_t)cfg->queues + p->vl;
}

static size_t fbicm_port_bytes(const void *config, const cop_netinfo *info)
{
    return iso_port_bytes(config, info, false);
}

/* A list of one destination is enough to identify a line. */
static size_t recn_port_bytes(const void *config, const cop_netinfo *info)
{
    iso_cfg cfg = *(const iso_cfg *)config;
    cfg.destinations = 1;
    return iso_port_bytes(&cfg, info, false);
}

static void own_rules(struct cop_net *net)
{
    iso_rules *r = cop_net_queue_common(net);
    const iso_cfg *cfg = cop_net_queue_cfg(net);
    r->needs_go = true; /* Paper V, III-C: becomes free when empty, and in the state of go */
    r->propagate = cfg->propagate == ISO_AT_HIGH && r->high < r->stop ? r->high : r->stop;
    if (cfg->control_first)
        r->control0 = control0(cfg, cop_net_info(net));
}

static void fbicm_start(struct cop_net *net)
{
    iso_start(net, false, false);
    own_rules(net);
}

static void recn_start(struct cop_net *net)
{
    iso_start(net, false, true);
    own_rules(net);
}

static void fbicm_cost(const void *config, const cop_netinfo *info, uint32_t ports,
                       cop_queue_cost *c)
{
    const iso_cfg *cfg = config;
    (void)ports;
    iso_cost(cfg, info, (uint32_t)cfg->queues, c);
}

#define ISO_HOOKS                                                                                  \
    .cfg_size = sizeof(iso_cfg), .runtime.common_size = sizeof(iso_rules),                         \
    .runtime.finds_roots = true, .runtime.counters = iso_counters, .runtime.levels = iso_levels,   \
    .idle = fbicm_idle, .layout = fbicm_layout, .select = fbicm_select, .cost = fbicm_cost,        \
    .runtime.on_head = iso_on_head, .runtime.on_enqueue = iso_on_enqueue,                          \
    .runtime.on_dequeue = iso_on_dequeue, .runtime.on_control = iso_on_control,                    \
    .runtime.order = iso_order, .runtime.hold = iso_hold, .runtime.tell = iso_message_tell,        \
    .runtime.rested = iso_rested

const cop_queue_ops cop_queue_fbicm = {.name = "fbicm",
                                       .summary =
                                           "one FIFO, and queues given to congested destinations",
                                       .source = "FBICM as described in Paper V; thesis 2.3.1",
                                       .opts = fbicm_opts,
                                       .check = fbicm_check,
                                       .runtime.port_bytes = fbicm_port_bytes,
                                       .runtime.start = fbicm_start,
                                       ISO_HOOKS};

const cop_queue_ops cop_queue_recn = {.name = "recn",
                                      .summary =
                                          "one FIFO, and queues given to paths to congested points",
                                      .source = "RECN-IQ as named in Papers V, VI; thesis 2.3.1",
                                      .opts = recn_opts,
                                      .check = recn_check,
                                      .runtime.port_bytes = recn_port_bytes,
                                      .runtime.start = recn_start,
                                      ISO_HOOKS};
