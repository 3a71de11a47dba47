/* Isolation of congested flows: sizes, thresholds, order between queues, cost. See iso.h. */
#include "queue/iso.h"

const char *const iso_priority_names[] = {"normal-first", "round-robin", "congested-first",
                                          "age",          "roots-last",  NULL};

const char *const iso_propagate_names[] = {"stop", "high", NULL};
const char *const iso_growth_names[] = {"growing", "detected", NULL};
const char *const iso_second_names[] = {"packet", "crossing", NULL};

const cop_gauge iso_counters[] = {{"isolation.roots", "lines"},
                                  {"isolation.queues_taken", "queues"},
                                  {"isolation.queues_freed", "queues"},
                                  {"isolation.moved", "packets"},
                                  {"isolation.no_queue", "packets"},
                                  {"isolation.sent_allocate", "messages"},
                                  {"isolation.sent_stop", "messages"},
                                  {"isolation.sent_go", "messages"},
                                  {"isolation.sent_deallocate", "messages"},
                                  {"isolation.roots_doubtful", "lines"},
                                  {"isolation.threshold_detect", "packets"},
                                  {"isolation.threshold_stop", "packets"},
                                  {"isolation.threshold_go", "packets"},
                                  {"isolation.threshold_high", "packets"},
                                  {"isolation.threshold_low", "packets"},
                                  {0}};
const cop_gauge iso_levels[] = {{"isolation/queues_used", "queues"},
                                {"isolation/queues_free", "queues"},
                                {"isolation/ports_without_queue", "ports"},
                                {"isolation/lines", "lines"},
                                {0}};

static uint32_t lines_of(const iso_cfg *cfg, const cop_netinfo *info, bool voq)
{
    bool own = voq && !iso_local_queues(cfg);
    return (uint32_t)cfg->queues + (own ? info->max_ports * info->lanes : 0);
}

static size_t line_bytes(const iso_cfg *cfg)
{
    size_t bytes = sizeof(iso_line) + (size_t)cfg->destinations * sizeof(uint32_t);
    return (bytes + 7) / 8 * 8;
}

size_t iso_port_bytes(const iso_cfg *cfg, const cop_netinfo *info, bool voq)
{
    return sizeof(iso_port) + cop_product((size_t)2 * lines_of(cfg, info, voq), line_bytes(cfg));
}

/* Special queues of all inputs that have a cable. */
static int64_t special_queues(const cop_netinfo *info, uint32_t per_input)
{
    int64_t inputs = 0;
    for (uint32_t p = 0; p < info->topo->host_port0; p++)
        inputs += info->topo->port[p].from != COP_NONE;
    return inputs * per_input;
}

void iso_start(struct cop_net *net, bool voq, bool by_path)
{
    iso_cfg own = *(const iso_cfg *)cop_net_queue_cfg(net), *cfg = &own;
    const cop_netinfo *info = cop_net_info(net);
    if (by_path)
        own.destinations = 1; /* the destination that a line was made for */
    iso_rules *r = cop_net_queue_common(net);
    uint32_t packet = info->mtu_bytes;
    *r = (iso_rules){.queues = (uint32_t)cfg->queues,
                     .destinations = (uint32_t)cfg->destinations,
                     .lanes = info->lanes,
                     .lines = lines_of(cfg, info, voq),
                     .control0 = UINT32_MAX,
                     .line_bytes = line_bytes(cfg),
                     .detect = (uint32_t)cfg->detect * packet,
                     .stop = (uint32_t)cfg->stop * packet,
                     .go = (uint32_t)cfg->go * packet,
                     .high = (uint32_t)cfg->high * packet,
                     .low = (uint32_t)cfg->low * packet,
                     .lifetime_ps = cfg->lifetime_ps,
                     .guard = (uint32_t)cfg->guard,
                     .priority = cfg->priority,
                     .voq = voq,
                     .own_lines = voq && !iso_local_queues(cfg),
                     .root_stop = cfg->root_stop,
                     .fixed = cfg->list == ISO_DETECTED,
                     .by_crossing = cfg->second == ISO_BY_CROSSING,
                     .by_path = by_path};
    cop_net_queue_level(net)[ISO_FREE] = special_queues(info, r->queues);
    cop_net_queue_counter(net)[ISO_TH_DETECT] =
        (uint64_t)cfg->detect; /* hfdi has no such option: 0 */
    cop_net_queue_counter(net)[ISO_TH_STOP] = (uint64_t)cfg->stop;
    cop_net_queue_counter(net)[ISO_TH_GO] = (uint64_t)cfg->go;
    cop_net_queue_counter(net)[ISO_TH_HIGH] = (uint64_t)cfg->high;
    cop_net_queue_counter(net)[ISO_TH_LOW] = (uint64_t)cfg->low;
}

int iso_check(const iso_cfg *cfg, const cop_netinfo *info, cop_err *err)
{
    int64_t most = cfg->high > cfg->stop ? cfg->high : cfg->stop;
    most = cfg->detect > most ? cfg->detect : most;
    if ((uint64_t)most * info->mtu_bytes > UINT32_MAX)
        return cop_err_add(
            err, COP_E_INPUT,
            "queueing: a threshold of %d packets of %u bytes is 4 GiB or more; make it "
            "smaller",
            (int)most, info->mtu_bytes);
    if (cfg->low >= cfg->high)
        return cop_err_add(err, COP_E_INPUT,
                           "queueing.low %d must be below queueing.high %d; make it smaller",
                           (int)cfg->low, (int)cfg->high);
    return 0;
}

static uint32_t bits_for(uint32_t values)
{
    uint32_t bits = 0;
    while (((uint64_t)1 << bits) < values)
        bits++;
    return bits;
}

/* Cells of a line as in the supplement of Paper VI, section 8: 6 for the output of at most 64
 * ports, 6 for hops, 4 for the next line, and the list; three bits and a 32-bit timer in SRAM. */
void iso_cost(const iso_cfg *cfg, const cop_netinfo *info, uint32_t lines, cop_queue_cost *c)
{
    uint32_t port_bits = bits_for(info->max_ports);
    uint64_t fixed = (port_bits > 6 ? port_bits : 6) + 6 + 4;
    uint64_t list = (uint64_t)cfg->destinations * bits_for(info->n_hosts);
    *c = (cop_queue_cost){
        .cam_lines = lines, .cam_cells = lines * (fixed + list), .sram_cells = lines * 35u};
}

iso_port *iso_passed(struct cop_net *net, uint32_t port, uint32_t out)
{
    const iso_rules *r = cop_net_queue_common(net);
    bool by_output = r->priority == ISO_ROOTS_LAST && !iso_at_host(net, port);
    return cop_net_queue_state(net, by_output ? iso_output(net, port, out) : port);
}

/* Queues that are due go first, then control packets. If normal queues are preferred, a special
 * queue is due when `guard` of their packets have left the input (roots-last: by its output) since
 * its last one; if special queues are preferred, normal ones are due when `guard` special packets
 * have left in a row. With round-robin none is due. */
uint64_t iso_order(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    const iso_rules *r = cop_net_queue_common(net);
    iso_port *in = cop_net_queue_state(net, port);
    bool special = q < r->queues;
    if (q >= r->control0)
        return 1;
    switch (r->priority) {
    case ISO_ROOTS_LAST: /* at the root itself all packets go to it */
        if (special && iso_in_line(r, in, q)->next == ISO_NO_LINE)
            return 2;
        /* fall through */
    case ISO_NORMAL_FIRST:
        if (!special)
            return 2;
        return iso_passed(net, port, p->out)->normal_sent - iso_in_line(r, in, q)->waits_from >=
                       r->guard
                   ? 0
                   : 3;
    case ISO_CONGESTED_FIRST:
        if (special)
            return 2;
        return in->special_run >= r->guard ? 0 : 3;
    case ISO_AGE:
        return p->t_inj + 2;
    default:
        return 2;
    }
}
