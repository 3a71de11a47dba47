/* Isolation on switches with a queue per output: the flow isolation of EcoCC.
 *
 * hfdi     M-hfdi-voq, M-ecocc   normal queues are those of the outputs (cold-packet queues), so a
 *          full one identifies its root without doubt. It needs no special (hot-packet) queue at
 *          that switch; its line is sent to the switch upstream at once, with the destinations
 *          seen. There the first packet that matches takes a hot-packet queue. Two thresholds do
 *          everything: above `high` the first time allocate, then stop; below `low` go. Stop and go
 *          are "between consecutive HPQs" (3.1.2): the line of a cold-packet queue sends neither. A
 *          hot-packet queue that is empty becomes free, whether it was stopped or not.
 * local    also take a hot-packet queue at the root's switch: HFDI "requires this allocation",
 *          EcoCC does not (supplement of Paper VI, 9.1). Without it the root's cold-packet queue
 *          fills the buffer, and victims stay blocked; cc ecocc brings `no`, and throttles. Section
 *          4.1 has "EcoCC without throttling" instead: HFDI with `no` (G-gran6-8).
 * root_stop the other reading: the line of a cold-packet queue, too, has a bit for a stop that it
 *          sent (supplement 8), so it may send one.
 * second   the second time that HTh is reached: `crossing`, after the queue was not above it; or
 *          `packet`, the next packet that finds it above. Stop keeps hot-packet queues from being
 *          oversubscribed; with `crossing` a queue that only grows would never send it.
 * list     `detected`: the dList is that of packets that cross the root when it is detected; no
 *          message adds to it. `growing`: destinations that come to the queue later are listed and
 *          sent upstream, too, as a tree of many flows soon has more than those of its detection.
 * priority round-robin: Paper VI (3.1.1, footnote) requires a fair scheduler; Paper V lets victims
 *          go first, for fbicm.
 * queues 0 no isolation: a switch with a queue per output that finds its roots, for throttling
 *          alone.
 * Queues   special ones first, then one per output and lane, then as many for control packets,
 *          which have priority; these exist only if end nodes send control packets. A special queue
 *          contains packets of one output and lane.
 * Source   Paper VI, section 3.1, supplement 6 to 8; rules in iso.h. `low` is not legible
 *          (G-gran6-1), the lifetime of a line is not printed. Paper VI does not say how
 *          notifications cross a switch and refers to CCFIT for the end node: there they pass data
 *          and stay out of special queues (M-ccfit-ia). */
#include "queue/iso.h"

#define I(field) offsetof(iso_cfg, field)
static const cop_opt hfdi_opts[] = {
    {"queues", COP_OPT_INT, I(queues), "2", 0, 64, NULL,
     "special queues per input port (HPQs); 0 = none: the switch only finds roots"},
    {"destinations", COP_OPT_INT, I(destinations), "8", 1, 1024, NULL,
     "that a CAM line can list (dList)"},
    {"high", COP_OPT_INT, I(high), "4", 1, 10000, NULL,
     "a queue above so many packets of full size is congested (HTh)"},
    {"low", COP_OPT_INT, I(low), "2", 0, 10000, NULL,
     "and is no longer below so many packets (LTh)"},
    {"local", COP_OPT_BOOL, I(local), "yes", 0, 0, NULL,
     "take a special queue also at the switch of the root"},
    {"root_stop", COP_OPT_BOOL, I(root_stop), "no", 0, 0, NULL,
     "the queue of an output stops special queues upstream, as special queues do"},
    {"list", COP_OPT_ENUM, I(list), "growing", 0, 0, iso_growth_names,
     "a root's line also lists destinations that come later, or only those that waited when it was "
     "detected"},
    {"second", COP_OPT_ENUM, I(second), "packet", 0, 0, iso_second_names,
     "a queue that is above `high` a second time sends stop: at the next packet, or when it was at "
     "or below "
     "`high` in between"},
    {"lifetime", COP_OPT_TIME, I(lifetime_ps), "20 us", 0, 1e12, NULL,
     "a root's line is given up when its queue is below `low`, and was not above `high` for so "
     "long"},
    {"priority", COP_OPT_ENUM, I(priority), "round-robin", 0, 0, iso_priority_names,
     "between normal and special queues of one input; roots-last: normal first, also among the "
     "inputs of an output, where `guard` is counted then (the thesis wishes for it; rule ours)"},
    {"guard", COP_OPT_INT, I(guard), "4", 1, 1000000, NULL,
     "with a preferred kind: so many of its packets, then one of the other"},
    {"control_first", COP_OPT_BOOL, I(control_first), "yes", 0, 0, NULL,
     "notifications and acknowledgements pass data in switches"},
    {0}};

static int hfdi_check(const void *cfg, const cop_netinfo *info, cop_err *err)
{
    return iso_check(cfg, info, err);
}

/* The same number at every switch, so that a packet's flags and output give its queue. */
static uint32_t control0(const iso_cfg *cfg, const cop_netinfo *info)
{
    return (uint32_t)cfg->queues + info->max_ports * info->lanes;
}

static bool has_control(const iso_cfg *cfg, const cop_netinfo *info)
{
    return cfg->control_first && info->answers;
}

static void hfdi_layout(const void *config, const cop_netinfo *info, uint32_t ports,
                        cop_queue_layout *l)
{
    const iso_cfg *cfg = config;
    uint32_t before = has_control(cfg, info) ? control0(cfg, info) : (uint32_t)cfg->queues;
    *l = (cop_queue_layout){.queues = before + ports * info->lanes,
                            .pinned = (uint32_t)cfg->queues,
                            .orders_inputs = cfg->priority == ISO_ROOTS_LAST};
}

static uint32_t hfdi_select(const void *config, const cop_netinfo *info, const cop_pkt *p)
{
    const iso_cfg *cfg = config;
    uint32_t first = (uint32_t)cfg->queues;
    if (COP_UNLIKELY(p->flags & COP_PKT_CONTROL) && cfg->control_first)
        first = control0(cfg, info);
    return first + p->out * info->lanes + (info->one_path ? p->out_vl : p->vl);
}

static size_t hfdi_port_bytes(const void *cfg, const cop_netinfo *info)
{
    return iso_port_bytes(cfg, info, true);
}

static void hfdi_start(struct cop_net *net)
{
    iso_rules *r = cop_net_queue_common(net);
    iso_start(net, true, false);
    r->detect = r->propagate = r->stop = r->high;
    r->go = r->low;
    r->tells_first = true;
    const iso_cfg *cfg = cop_net_queue_cfg(net);
    if (has_control(cfg, cop_net_info(net)))
        r->control0 = control0(cfg, cop_net_info(net));
    if (r->queues == 0)
        r->propagate = UINT32_MAX; /* no switch upstream could isolate */
}

/* A packet does not go back by its input: one queue, and line, less than ports. */
static void hfdi_cost(const void *config, const cop_netinfo *info, uint32_t ports,
                      cop_queue_cost *c)
{
    const iso_cfg *cfg = config;
    uint32_t own = iso_local_queues(cfg) ? 0 : (ports - 1) * info->lanes;
    iso_cost(cfg, info, (uint32_t)cfg->queues + own, c);
}

const cop_queue_ops cop_queue_hfdi = {
    .name = "hfdi",
    .summary = "a queue per output, and queues given to hot destinations",
    .source = "Paper VI (EcoCC, HFDI) and its supplement",
    .opts = hfdi_opts,
    .cfg_size = sizeof(iso_cfg),
    .runtime.common_size = sizeof(iso_rules),
    .check = hfdi_check,
    .layout = hfdi_layout,
    .select = hfdi_select,
    .runtime.finds_roots = true,
    .cost = hfdi_cost,
    .runtime.tell = iso_message_tell,
    .runtime.rested = iso_rested,
    .runtime.counters = iso_counters,
    .runtime.levels = iso_levels,
    .runtime.port_bytes = hfdi_port_bytes,
    .runtime.start = hfdi_start,
    .runtime.on_head = iso_on_head,
    .runtime.on_enqueue = iso_on_enqueue,
    .runtime.on_dequeue = iso_on_dequeue,
    .runtime.on_control = iso_on_control,
    .runtime.order = iso_order,
    .runtime.hold = iso_hold};
