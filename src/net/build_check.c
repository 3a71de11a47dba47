/* Checks before a network is built: those that need more than one section of the configuration, and
 * those of the plug-ins. Each fault is one line that names the place of the option. */
#include "net/build_check.h"

const char *cop_build_at(const cop_net_parts *pt, const char *option, char *buf, size_t size)
{
    return pt->where ? pt->where(pt->where_ctx, option, buf, size) : option;
}

#define MAX_BINS 1000000 /* of the time series */

/* Output buffers must hold a packet of full size, `wire` bytes, of each lane. */
static int check_outputs(const cop_net *net, const cop_net_parts *pt, uint64_t wire, cop_err *err)
{
    char where[256], have[32], need[32];
    uint64_t reserve = pt->sw->output_reserve_bytes ? pt->sw->output_reserve_bytes : wire;
    uint64_t least = pt->sw->output_shared ? reserve * net->lanes : wire;
    if (pt->sw->output_shared && reserve < wire)
        return cop_err_add(err, COP_E_INPUT, "%s: switch.output_reserve must hold one packet, %s",
                           cop_build_at(pt, "switch.output_reserve", where, sizeof(where)),
                           cop_print_bytes(wire, need, sizeof(need)));
    if (net->output_bytes >= least)
        return 0;
    return cop_err_add(
        err, COP_E_INPUT, "%s: switch.output_buffer %s is too small; at least %s for %s",
        cop_build_at(pt, "switch.output_buffer", where, sizeof(where)),
        cop_print_bytes(net->output_bytes, have, sizeof(have)),
        cop_print_bytes(least, need, sizeof(need)),
        pt->sw->output_shared ? "the reserves of all lanes" : "one packet (nic.mtu + overhead)");
}

static int check_sizes(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    char where[256], have[32], need[32];
    uint32_t mtu = net->info.mtu_bytes;
    uint64_t wire = (uint64_t)cop_blocks(mtu) * COP_BLOCK_BYTES;
    uint64_t shared = (pt->sw->reserve_bytes ? pt->sw->reserve_bytes : wire) * net->lanes;
    uint64_t least = pt->sw->shared_lanes ? cop_max64(shared, wire) : wire;
    int rc = 0;
    if (pt->sw->buffer_bytes < least)
        rc = cop_err_add(err, COP_E_INPUT, "%s: switch.buffer %s is too small; at least %s for %s",
                         cop_build_at(pt, "switch.buffer", where, sizeof(where)),
                         cop_print_bytes(pt->sw->buffer_bytes, have, sizeof(have)),
                         cop_print_bytes(least, need, sizeof(need)),
                         pt->sw->shared_lanes ? "the reserves of all lanes"
                                              : "one packet (nic.mtu + overhead)");
    if (pt->sw->host_buffer_bytes && pt->sw->host_buffer_bytes < least)
        rc = cop_err_add(err, COP_E_INPUT, "%s: switch.host_buffer %s is too small; at least %s",
                         cop_build_at(pt, "switch.host_buffer", where, sizeof(where)),
                         cop_print_bytes(pt->sw->host_buffer_bytes, have, sizeof(have)),
                         cop_print_bytes(least, need, sizeof(need)));
    if (pt->nic->buffer_bytes && pt->nic->buffer_bytes < least)
        rc = cop_err_add(err, COP_E_INPUT, "%s: nic.buffer %s is too small; at least %s",
                         cop_build_at(pt, "nic.buffer", where, sizeof(where)),
                         cop_print_bytes(pt->nic->buffer_bytes, have, sizeof(have)),
                         cop_print_bytes(least, need, sizeof(need)));
    if (pt->sw->shared_lanes && pt->sw->reserve_bytes && pt->sw->reserve_bytes < wire)
        rc = cop_err_add(err, COP_E_INPUT, "%s: switch.reserve must hold one packet, %s",
                         cop_build_at(pt, "switch.reserve", where, sizeof(where)),
                         cop_print_bytes(wire, need, sizeof(need)));
    if (net->output_bytes)
        rc = check_outputs(net, pt, wire, err) ? -COP_E_INPUT : rc;
    if (pt->nic->control_vl >= (int64_t)net->lanes)
        rc =
            cop_err_add(err, COP_E_INPUT, "%s: nic.control_vl %d does not exist; lanes are 0 to %u",
                        cop_build_at(pt, "nic.control_vl", where, sizeof(where)),
                        (int)pt->nic->control_vl, net->lanes - 1);
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

/* A queue is the entity of an event, and its place in request lists has 32 bits. */
static int check_queues(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    cop_queue_layout layout = {0};
    char where[256];
    uint64_t total = 0; /* cannot wrap: fewer than 2^28 ports of fewer than 2^32 queues each */
    for (uint32_t sw = 0; sw < pt->topo->n_switches; sw++) {
        uint32_t ports = cop_topo_ports_of(pt->topo, sw);
        pt->queue->layout(pt->queue_cfg, &net->info, ports, &layout);
        total += (uint64_t)ports * layout.queues;
    }
    if (pt->host->injection_queues) {
        pt->queue->layout(pt->queue_cfg, &net->info, 1, &layout);
        total += (uint64_t)net->info.n_hosts * layout.queues;
    }
    if (total < 1u << COP_EV_ENTITY_BITS && total * net->max_cand < COP_NONE)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "%s: queueing %s makes %" PRIu64
                       " queues, more than fit; choose another or a smaller network",
                       cop_build_at(pt, "queueing", where, sizeof(where)), net->queue_ops->name,
                       total);
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

/* Plug-ins do not know the file; their messages get the place of their section. */
static int check_plugins(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    cop_err inner = {0};
    char where[256];
    int rc = pt->queue->check ? pt->queue->check(pt->queue_cfg, &net->info, &inner) : 0;
    if (rc)
        return cop_err_add(err, inner.code, "%s: %s",
                           cop_build_at(pt, "queueing", where, sizeof(where)), inner.text);
    rc = pt->cc->check ? pt->cc->check(pt->cc_cfg, &net->info, &inner) : 0;
    if (rc)
        return cop_err_add(err, inner.code, "%s: %s", cop_build_at(pt, "cc", where, sizeof(where)),
                           inner.text);
    rc = pt->host->check ? pt->host->check(pt->host_cfg, net, &inner) : 0;
    if (rc)
        return cop_err_add(err, inner.code, "%s: %s",
                           cop_build_at(pt, "host", where, sizeof(where)), inner.text);
    return 0;
}

int cop_build_check(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    int rc = check_sizes(net, pt, err);
    if (rc == 0)
        rc = check_queues(net, pt, err);
    if (rc == 0)
        rc = check_combination(net, pt, err);
    return rc ? rc : check_plugins(net, pt, err);
}
