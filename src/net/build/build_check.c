/* Validation before a network is built: of options of more than one section, and by the plug-ins.
 * Each fault is one line that names the place of the option. */
#include "net/build/build_check.h"

#include "net/config/config.h"
#include "net/worm/worm.h"

#include <stdio.h>
#include <string.h>

#define MOST_INPUT UINT32_MAX

/* Does the network have links of the class (enum cop_link_class)? Options of other classes are not
 * validated. */
static bool has_links(const cop_topo *t, unsigned link_class)
{
    for (uint32_t p = 0; p < t->n_ports; p++)
        if (t->port[p].to != COP_NONE && t->port[p].link_class == link_class)
            return true;
    return false;
}

/* The longest packet, which every buffer must have room for; with the place of its size if that was
 * given. */
static const char *largest(const cop_net_parts *pt, char *buf, size_t size)
{
    bool control = pt->nic->control_bytes > pt->nic->mtu_bytes + pt->nic->overhead_bytes;
    const char *option = control ? "nic.control_bytes" : "nic.mtu";
    char where[256], section[256], bytes[32];
    /* An option that was given has its own place; its section has one only if some option was
     * given. */
    const char *at = cop_build_at(pt, option, where, sizeof(where));
    bool given = strncmp(at, "--set", 5) == 0
                     ? strncmp(at + 6, option, strlen(option)) == 0
                     : strcmp(at, cop_build_at(pt, "nic", section, sizeof(section))) != 0;
    cop_print_bytes(control ? pt->nic->control_bytes : pt->nic->mtu_bytes, bytes, sizeof(bytes));
    snprintf(buf, size, "one %s (%s %s%s%s%s)", control ? "control packet" : "packet", option,
             bytes, given ? " of " : "", given ? at : "", control ? "" : ", + overhead");
    return buf;
}

/* Bytes of a queue are counted in 32 bits, and one may contain all lanes of its input. */
static int refuse_deep(const cop_net *net, const cop_net_parts *pt, const char *option,
                       uint32_t lanes, cop_err *err)
{
    char where[256], most[32];
    uint32_t parts = net->sectioned || pt->sw->shared_lanes ? 1 : lanes;
    return cop_err_add(err, COP_E_INPUT, "%s: %s is too large; an input holds at most %s%s",
                       cop_build_at(pt, option, where, sizeof(where)), option,
                       cop_print_bytes(MOST_INPUT / parts, most, sizeof(most)),
                       parts > 1 ? " for each of its lanes" : "");
}

static bool too_deep(const cop_net *net, const cop_switch_cfg *sw, uint64_t bytes, uint32_t lanes)
{
    return bytes > MOST_INPUT / (net->sectioned || sw->shared_lanes ? 1 : lanes);
}

/* Buffers of switch inputs and of sinks: one packet of each lane that shares them must fit. */
static int check_buffers(const cop_net *net, const cop_net_parts *pt, uint64_t wire, cop_err *err)
{
    const cop_switch_cfg *sw = pt->sw;
    uint64_t host = sw->host_buffer_bytes, trunk = sw->trunk_buffer_bytes,
             global = sw->global_buffer_bytes, nic = pt->nic->buffer_bytes;
    bool has[] = {[COP_LINK_HOST] = has_links(pt->topo, COP_LINK_HOST),
                  [COP_LINK_TRUNK] = has_links(pt->topo, COP_LINK_TRUNK),
                  [COP_LINK_GLOBAL] = has_links(pt->topo, COP_LINK_GLOBAL)};
    bool inherited = (has[COP_LINK_HOST] && (host == 0 || nic == 0)) ||
                     (has[COP_LINK_TRUNK] && trunk == 0) || (has[COP_LINK_GLOBAL] && global == 0);
    const struct {
        const char *option;
        uint64_t bytes; /* 0: not given */
        uint32_t lanes;
        bool used;
    } all[] = {
        {"switch.buffer", sw->buffer_bytes, net->lanes, inherited},
        {"switch.host_buffer", host, cop_class_lanes(sw, COP_LINK_HOST, net->lanes),
         has[COP_LINK_HOST]},
        {"switch.trunk_buffer", trunk, cop_class_lanes(sw, COP_LINK_TRUNK, net->lanes),
         has[COP_LINK_TRUNK]},
        {"switch.global_buffer", global, cop_class_lanes(sw, COP_LINK_GLOBAL, net->lanes),
         has[COP_LINK_GLOBAL]},
        {"nic.buffer", nic, cop_class_lanes(sw, COP_LINK_HOST, net->lanes), has[COP_LINK_HOST]}};
    int rc = 0;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        if (!all[i].used)
            continue;
        char where[256], have[32], need[32], packet[400];
        uint64_t reserves = (sw->reserve_bytes ? sw->reserve_bytes : wire) * all[i].lanes;
        uint64_t least = sw->shared_lanes ? cop_max64(reserves, wire) : wire;
        bool sink = i + 1 == COP_LEN(all); /* a sink has no queues */
        if (!sink && too_deep(net, sw, all[i].bytes, all[i].lanes))
            rc = refuse_deep(net, pt, all[i].option, all[i].lanes, err);
        if (all[i].bytes != 0 && all[i].bytes < least)
            rc = cop_err_add(err, COP_E_INPUT, "%s: %s %s is too small; at least %s for %s",
                             cop_build_at(pt, all[i].option, where, sizeof(where)), all[i].option,
                             cop_print_bytes(all[i].bytes, have, sizeof(have)),
                             cop_print_bytes(least, need, sizeof(need)),
                             sw->shared_lanes ? "the reserves of all lanes"
                                              : largest(pt, packet, sizeof(packet)));
    }
    return rc;
}

/* Lanes on which end nodes inject: that of control packets, and those over which the queueing
 * scheme spreads. Where the routing is a table a packet stays on its lane, otherwise only the first
 * link matters here, and later lanes were validated with the routing. */
static int check_injected(const cop_net *net, const cop_net_parts *pt, unsigned link_class,
                          const char *option, cop_err *err)
{
    char where[256];
    int64_t have = cop_class_lanes(pt->sw, link_class, net->lanes);
    if (have > net->lanes)
        return cop_err_add(err, COP_E_INPUT, "%s: %s %d exceed switch.lanes %u; raise switch.lanes",
                           cop_build_at(pt, option, where, sizeof(where)), option, (int)have,
                           net->lanes);
    if (cop_class_lanes(pt->sw, link_class, 0) == 0) /* as many as all links */
        option = "switch.lanes";
    int64_t control = net->info.answers ? pt->nic->control_vl : -1;
    if (control > 0)
        control += link_class == COP_LINK_GLOBAL ? pt->route->facts.control_global_vls
                                                 : pt->route->facts.control_vls;
    if (link_class != COP_LINK_HOST && !pt->route->facts.single && control > have)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: control packets from lane %d on need %d lanes with routing %s, links with "
            "%s have %d; give them more, or choose a lower nic.control_vl",
            cop_build_at(pt, "nic.control_vl", where, sizeof(where)), (int)pt->nic->control_vl,
            (int)control, pt->route->ops->name, option, (int)have);
    if (link_class != COP_LINK_HOST && !pt->route->facts.single)
        return 0;
    int64_t spread = pt->queue->inject_vl ? pt->queue->lanes(pt->queue_cfg) : 1;
    if (spread > have && spread <= net->lanes)
        return cop_err_add(
            err, COP_E_INPUT, "%s: queueing %s spreads packets over %d lanes; give %s as many",
            cop_build_at(pt, option, where, sizeof(where)), pt->queue->name, (int)spread, option);
    if (pt->nic->control_vl >= have && pt->nic->control_vl < net->lanes)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: nic.control_vl %d does not exist on links with %s %d; choose a lower "
            "lane or give them more",
            cop_build_at(pt, "nic.control_vl", where, sizeof(where)), (int)pt->nic->control_vl,
            option, (int)have);
    return 0;
}

/* Where the routing chooses lanes, those above the lanes of control packets are unused. */
static int check_idle_lanes(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    const cop_route *r = pt->route;
    char where[256];
    uint32_t vls = r->facts.control_vls > r->facts.control_global_vls ? r->facts.control_vls
                                                                      : r->facts.control_global_vls;
    int64_t used = pt->nic->control_vl + vls;
    bool alike = pt->sw->host_lanes == 0 && pt->sw->trunk_lanes == 0 && pt->sw->global_lanes == 0;
    if (r->facts.single || pt->nic->control_vl <= 0 || used >= net->lanes || pt->sw->lanes == 0 ||
        !alike)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "%s: data have the lanes below nic.control_vl %d, control packets %u from "
                       "there on, and %d of switch.lanes are unused; set nic.control_vl to "
                       "%d, or switch.lanes to %d",
                       cop_build_at(pt, "nic.control_vl", where, sizeof(where)),
                       (int)pt->nic->control_vl, vls, (int)(net->lanes - used),
                       (int)(net->lanes - vls), (int)used);
}

static int check_lanes(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    static const char *const options[] = {[COP_LINK_HOST] = "switch.host_lanes",
                                          [COP_LINK_TRUNK] = "switch.trunk_lanes",
                                          [COP_LINK_GLOBAL] = "switch.global_lanes"};
    char where[256];
    if (pt->nic->control_vl >= (int64_t)net->lanes)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: nic.control_vl %d does not exist; lanes are 0 to %u: give "
                           "switch.lanes more, or set switch.lanes to auto",
                           cop_build_at(pt, "nic.control_vl", where, sizeof(where)),
                           (int)pt->nic->control_vl, net->lanes - 1);
    int rc = 0;
    for (unsigned c = 0; c < COP_LEN(options) && rc == 0; c++)
        if (has_links(pt->topo, c))
            rc = check_injected(net, pt, c, options[c], err);
    return rc == 0 ? check_idle_lanes(net, pt, err) : rc;
}

#define MAX_BINS 1000000 /* of the time series */

static int check_times(const cop_net_parts *pt, cop_err *err)
{
    char where[256];
    int rc = 0;
    uint64_t sample = pt->run->sample_ps ? pt->run->sample_ps : pt->run->duration_ps / 100 + 1;
    if (pt->run->duration_ps / sample > MAX_BINS)
        rc = cop_err_add(err, COP_E_INPUT,
                         "%s: run.sample cuts the run into more than %d bins; make it larger",
                         cop_build_at(pt, "run.sample", where, sizeof(where)), MAX_BINS);
    if (pt->run->warmup_ps >= pt->run->duration_ps)
        rc = cop_err_add(
            err, COP_E_INPUT,
            "%s: run.warmup leaves nothing to measure; make it shorter than run.duration",
            cop_build_at(pt, "run.warmup", where, sizeof(where)));
    return rc;
}

/* Output buffers must have room for a packet of full size, `wire` bytes, of each lane. */
static int check_outputs(const cop_net *net, const cop_net_parts *pt, uint64_t wire, cop_err *err)
{
    char where[256], have[32], need[32], packet[400];
    uint64_t reserve = pt->sw->output_reserve_bytes ? pt->sw->output_reserve_bytes : wire;
    uint64_t least = pt->sw->output_shared ? reserve * net->lanes : wire;
    if (pt->sw->output_shared && reserve < wire)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: switch.output_reserve does not hold one packet; set it to at least %s",
            cop_build_at(pt, "switch.output_reserve", where, sizeof(where)),
            cop_print_bytes(wire, need, sizeof(need)));
    if (net->output_bytes >= least)
        return 0;
    return cop_err_add(
        err, COP_E_INPUT, "%s: switch.output_buffer %s is too small; at least %s for %s",
        cop_build_at(pt, "switch.output_buffer", where, sizeof(where)),
        cop_print_bytes(net->output_bytes, have, sizeof(have)),
        cop_print_bytes(least, need, sizeof(need)),
        pt->sw->output_shared ? "the reserves of all lanes" : largest(pt, packet, sizeof(packet)));
}

static int check_sizes(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    char where[256], need[32];
    uint64_t wire = (uint64_t)cop_blocks(net->info.mtu_bytes) * COP_BLOCK_BYTES;
    if (net->arch == &cop_arch_worm)
        wire = 1; /* wormhole buffers are validated below */
    int rc = check_buffers(net, pt, wire, err);
    if (pt->sw->shared_lanes && pt->sw->reserve_bytes && pt->sw->reserve_bytes < wire)
        rc = cop_err_add(err, COP_E_INPUT,
                         "%s: switch.reserve does not hold one packet; set it to at least %s",
                         cop_build_at(pt, "switch.reserve", where, sizeof(where)),
                         cop_print_bytes(wire, need, sizeof(need)));
    if (net->output_bytes)
        rc = check_outputs(net, pt, wire, err) ? -COP_E_INPUT : rc;
    if (check_lanes(net, pt, err) != 0)
        rc = -COP_E_INPUT;
    return check_times(pt, err) != 0 ? -COP_E_INPUT : rc;
}

/* A queue is the entity of an event, and its place in request lists has 32 bits. */
static int check_queues(const cop_netinfo *info, const cop_net_parts *pt, uint32_t own_queues,
                        uint32_t max_cand, cop_err *err)
{
    cop_queue_layout layout = {0};
    char where[256];
    uint64_t total = 0; /* cannot wrap: fewer than 2^28 ports of fewer than 2^32 queues each */
    for (uint32_t sw = 0; sw < pt->topo->n_switches; sw++) {
        uint32_t ports = cop_topo_ports_of(pt->topo, sw);
        pt->queue->layout(pt->queue_cfg, info, ports, &layout);
        total += (uint64_t)ports * (layout.queues + own_queues);
    }
    if (pt->host->injection_queues) {
        pt->queue->layout(pt->queue_cfg, info, 1, &layout);
        total += (uint64_t)info->n_hosts * layout.queues;
    }
    if (layout.orders_inputs && pt->sw->arbitration != COP_ARB_RR)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: the queueing scheme decides among the inputs of an output here; "
                           "leave arbitration out, or choose another queueing.priority",
                           cop_build_at(pt, "switch.arbitration", where, sizeof(where)));
    if (total < 1u << COP_EV_ENTITY_BITS && total * max_cand < COP_NONE)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "%s: queueing %s makes %" PRIu64
                       " queues, more than fit; choose another or a smaller network",
                       cop_build_at(pt, "queueing", where, sizeof(where)), pt->queue->name, total);
}

int cop_net_check_size(const cop_net_parts *pt, cop_err *err)
{
    cop_netinfo info = {.topo = pt->topo,
                        .n_hosts = pt->topo->n_hosts,
                        .n_switches = pt->topo->n_switches,
                        .max_ports = cop_build_most_ports(pt->topo),
                        .lanes = pt->lanes ? pt->lanes : 1};
    return check_queues(&info, pt, 0, 1, err);
}

/* Following the tables from switch `sw`, is `dst` reached? */
static bool reaches(const cop_net_parts *pt, uint32_t sw, uint32_t dst)
{
    const cop_topo *t = pt->topo;
    for (uint32_t steps = 0; steps <= t->n_switches; steps++) {
        cop_hop hop = {.sw = sw, .in_port = COP_PORT_NONE, .src = dst, .dst = dst, .mid = COP_NONE};
        cop_cand cand[COP_MAX_CAND];
        if (pt->route->lft)
            cand[0].port = pt->route->lft[(size_t)sw * t->n_hosts + dst];
        else
            pt->route->ops->route(pt->route, &hop, NULL, cand);
        if (cand[0].port >= cop_topo_ports_of(t, sw))
            return false;
        uint32_t to = t->port[cop_topo_switch_port(t, sw, cand[0].port)].to;
        if (to == COP_NONE || cop_topo_is_host_port(t, to))
            return to == cop_topo_host_port(t, dst);
        sw = t->port[to].owner;
    }
    return false;
}

/* Every switch that sends notifications must reach every host, not only switches with hosts. */
static int check_reach(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    char where[256], name[64];
    if (!net->cc_facts.notifies || !pt->route->facts.single)
        return 0;
    for (uint32_t sw = 0; sw < pt->topo->n_switches; sw++)
        for (uint32_t dst = 0; dst < pt->topo->n_hosts; dst++)
            if (!reaches(pt, sw, dst))
                return cop_err_add(
                    err, COP_E_INPUT,
                    "%s: cc %s sends notifications from switches, and routing %s does not lead "
                    "from "
                    "switch %u to %s; use a network that can be crossed both ways, or another cc",
                    cop_build_at(pt, "cc", where, sizeof(where)), net->cc->name,
                    pt->route->ops->name, sw,
                    cop_topo_host_name(pt->topo, dst, name, sizeof(name)));
    return 0;
}

static bool counts_credit(const cop_fc_cfg *fc)
{
    return fc->kind == COP_FC_CREDIT || fc->kind == COP_FC_IB;
}

/* Options that would have no effect beside the others. */
static int check_idle(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    const cop_switch_cfg *sw = pt->sw;
    bool iq = sw->architecture == COP_ARCH_IQ, sized = sw->output_buffer_bytes != COP_OPT_OPEN;
    static const char pauses[] = "only on-off flow control pauses";
    const char *outputs = iq ? "use switch.architecture cioq, or ib with switch.output_buffer"
                             : "give switch.output_buffer a size";
    const struct {
        bool idle;
        const char *option, *why, *remedy;
    } all[] = {
        {iq && sized && sw->output_buffer_bytes > 0, "switch.output_buffer",
         "iq has no output buffers", "use switch.architecture cioq or ib"},
        {sw->output_shared && !net->output_bytes, "switch.output_shared",
         "there are no output buffers", outputs},
        {sw->output_credit == COP_CREDIT_CROSSBAR && !net->output_bytes, "switch.output_credit",
         "there are no output buffers", outputs},
        {sw->output_credit == COP_CREDIT_CROSSBAR && (sw->shared_lanes || !counts_credit(pt->fc)),
         "switch.output_credit", "only credit that a lane has for itself can be taken ahead",
         "use flow_control.kind credit or ib, and lanes with buffers of their own"},
        {sw->output_reserve_bytes && !sw->output_shared, "switch.output_reserve",
         "lanes do not share output buffers", "set switch.output_shared to yes"},
        {sw->reserve_bytes && !sw->shared_lanes, "switch.reserve",
         "lanes do not share input buffers", "set switch.shared_lanes to yes"},
        {sw->speedup > 1.0 && sw->speedup != COP_SPEEDUP && !net->output_bytes, "switch.speedup",
         "without output buffers nothing is faster than the wire", outputs},
        {sw->flit_bytes != COP_FLIT_BYTES && sw->switching != COP_SWITCHING_WORM, "switch.flit",
         "only wormhole switching has flits", "set switch.switching to wormhole"},
        {sw->allocation_ps != 0 && sw->switching != COP_SWITCHING_WORM, "switch.allocation",
         "only with wormhole switching packets hold lanes", "set switch.switching to wormhole"},
        {sw->reuse != COP_REUSE_AUTO && sw->switching != COP_SWITCHING_WORM, "switch.reuse",
         "only with wormhole switching packets hold lanes", "set switch.switching to wormhole"},
        {pt->fc->xoff_bytes && pt->fc->kind != COP_FC_ONOFF, "flow_control.xoff", pauses,
         "set flow_control.kind to on-off"},
        {pt->fc->xon_bytes && pt->fc->kind != COP_FC_ONOFF, "flow_control.xon", pauses,
         "set flow_control.kind to on-off"},
        {pt->fc->unsafe && pt->fc->kind != COP_FC_ONOFF, "flow_control.unsafe",
         "only on-off flow control can lose packets", "set flow_control.kind to on-off"},
        {pt->fc->loss > 0.0 && pt->fc->kind != COP_FC_IB, "flow_control.loss",
         "only with ib flow control credits are messages that may be lost",
         "set flow_control.kind to ib"}};
    char where[256];
    int rc = 0;
    for (size_t i = 0; i < COP_LEN(all); i++)
        if (all[i].idle)
            rc = cop_err_add(err, COP_E_INPUT, "%s: %s; %s, or leave out %s",
                             cop_build_at(pt, all[i].option, where, sizeof(where)), all[i].why,
                             all[i].remedy, all[i].option);
    return rc;
}

static int check_combination(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    char where[256];
    if (net->sectioned && net->arch->buffered)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: queueing %s has a buffer per destination, which output buffers would "
            "mix again; use switch.architecture iq, or ib without switch.output_buffer",
            cop_build_at(pt, "queueing", where, sizeof(where)), net->queue_ops->name);
    if (pt->sw->architecture == COP_ARCH_CIOQ && !net->arch->buffered)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: cioq has output buffers; give them a size, or use switch.architecture iq",
            cop_build_at(pt, "switch.output_buffer", where, sizeof(where)));
    if (pt->route->ops->on_notice && !net->cc_facts.notifies)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: routing %s waits for notifications from switches, which cc %s does "
                           "not make; set cc.kind qcn",
                           cop_build_at(pt, "routing", where, sizeof(where)), pt->route->ops->name,
                           net->cc->name);
    if (pt->route->facts.asks_contested && !net->cc_facts.marks_contested)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: notifications of cc %s do not say which packets are in others' way; "
            "set routing.yields no, or cc.kind qcn",
            cop_build_at(pt, "routing.yields", where, sizeof(where)), net->cc->name);
    if (pt->sw->read_ports && !net->arch->matched)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: ib has a read port per output; use switch.architecture iq or cioq, or leave out "
            "read_ports",
            cop_build_at(pt, "switch.read_ports", where, sizeof(where)));
    if (net->sectioned && pt->sw->shared_lanes)
        return cop_err_add(
            err, COP_E_INPUT, "%s: queueing %s has private sections; leave out shared_lanes",
            cop_build_at(pt, "switch.shared_lanes", where, sizeof(where)), net->queue_ops->name);
    if (pt->sw->shared_lanes && pt->fc->kind != COP_FC_CREDIT)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: shared_lanes need flow_control.kind credit; set it, or leave out "
                           "shared_lanes",
                           cop_build_at(pt, "switch.shared_lanes", where, sizeof(where)));
    return 0;
}

/* Messages of plug-ins get the place of the option that they begin with, or of their section. */
static int located(const cop_net_parts *pt, const char *section, const cop_opt *o,
                   const cop_err *inner, cop_err *err)
{
    char where[256], option[96];
    size_t word = strcspn(inner->text, " ");
    snprintf(option, sizeof(option), "%s", section);
    for (; o != NULL && o->name != NULL; o++)
        if (strlen(o->name) == word && strncmp(o->name, inner->text, word) == 0)
            snprintf(option, sizeof(option), "%s.%s", section, o->name);
    return cop_err_add(err, inner->code, "%s: %s", cop_build_at(pt, option, where, sizeof(where)),
                       inner->text);
}

static int check_plugins(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    cop_err inner = {0};
    if (pt->queue->check && pt->queue->check(pt->queue_cfg, &net->info, &inner) != 0)
        return located(pt, "queueing", pt->queue->opts, &inner, err);
    if (pt->cc->check && pt->cc->check(pt->cc_cfg, &net->info, &inner) != 0)
        return located(pt, "cc", pt->cc->opts, &inner, err);
    if (pt->host->check && pt->host->check(pt->host_cfg, net, &inner) != 0)
        return located(pt, "host", pt->host->opts, &inner, err);
    return 0;
}

int cop_build_check(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    int rc = check_sizes(net, pt, err);
    if (rc == 0)
        rc = check_queues(&net->info, pt, net->own_queues, net->max_cand, err);
    if (rc == 0 && net->arch == &cop_arch_worm)
        rc = cop_build_check_worm(net, pt, err);
    if (rc == 0 && pt->route->facts.patience_ps > 0)
        rc = cop_build_check_recovery(net, pt, err);
    if (rc == 0)
        rc = cop_build_check_routing(net, pt, err);
    if (rc == 0)
        rc = check_combination(net, pt, err);
    if (rc == 0)
        rc = check_idle(net, pt, err);
    if (rc == 0)
        rc = check_reach(net, pt, err);
    if (rc == 0)
        rc = check_plugins(net, pt, err);
    return rc ? rc : cop_build_check_words(net, pt, err);
}
