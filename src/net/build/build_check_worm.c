/* Validation of wormhole switching: options it cannot be combined with, and sizes of its
 * buffers. */
#include "net/build/build_check.h"

#include "net/worm/worm.h"

#define MOST_FLITS (1u << 20)

static int refuse(const cop_net_parts *pt, const char *option, const char *why, const char *remedy,
                  cop_err *err)
{
    char where[256];
    return cop_err_add(err, COP_E_INPUT, "%s: wormhole switching %s; %s",
                       cop_build_at(pt, option, where, sizeof(where)), why, remedy);
}

/* A buffer has room for at least one flit, and for at most as many as arrival times are kept. */
static int check_places(const cop_net_parts *pt, cop_err *err)
{
    const cop_switch_cfg *sw = pt->sw;
    const struct {
        const char *option;
        uint64_t bytes; /* 0: not given */
    } all[] = {{"switch.buffer", sw->buffer_bytes},
               {"switch.host_buffer", sw->host_buffer_bytes},
               {"switch.trunk_buffer", sw->trunk_buffer_bytes},
               {"switch.global_buffer", sw->global_buffer_bytes},
               {"nic.buffer", pt->nic->buffer_bytes}};
    int rc = 0;
    for (size_t i = 0; i < COP_LEN(all); i++)
        if (all[i].bytes != 0 && all[i].bytes < sw->flit_bytes)
            rc = refuse(pt, all[i].option, "needs room for one flit (switch.flit) in every buffer",
                        "make it larger", err);
        else if (all[i].bytes / sw->flit_bytes > MOST_FLITS)
            rc =
                refuse(pt, all[i].option, "keeps a time for each flit: at most 1048576 in a buffer",
                       "make it smaller, or switch.flit larger", err);
    return rc;
}

int cop_build_check_worm(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    const cop_switch_cfg *sw = pt->sw;
    bool several = cop_worm_needs_empty(net, pt->route) && !pt->run->allow_deadlock;
    static const char other_cc[] =
        "use cut-through, or a cc that does without, as lopez, alo or pace";
    const struct {
        bool bad;
        const char *option, *why, *remedy;
    } all[] = {{sw->architecture != COP_ARCH_IB, "switch.architecture", "is there for ib only",
                "set switch.architecture to ib"},
               {net->output_bytes > 0, "switch.output_buffer", "has no output buffers",
                "leave out switch.output_buffer"},
               {!pt->queue->per_lane, "queueing", "reads each lane of an input in order",
                "set queueing.kind to 1q"},
               {pt->fc->kind != COP_FC_CREDIT, "flow_control", "counts credits per flit",
                "set flow_control.kind to credit"},
               {sw->shared_lanes, "switch.shared_lanes", "gives each lane a buffer of its own",
                "leave out switch.shared_lanes"},
               {sw->vl_arbitration == COP_VLARB_IB, "switch.vl_arbitration",
                "shares wires flit by flit, in turn or by rank",
                "set switch.vl_arbitration to round-robin or strict"},
               {sw->header_bytes > sw->flit_bytes, "switch.header",
                "has the header in the first flit", "make switch.header at most switch.flit"},
               {pt->cc->at_switch.credit_time != NULL, "cc",
                "gives credits back flit by flit, which this cc holds", other_cc},
               {cop_cc_facts_of(pt->cc, pt->cc_cfg, NULL).notifies, "cc",
                "has no place at a switch for packets that this cc makes there", other_cc},
               {pt->cc->at_switch.on_leave != NULL, "cc",
                "moves flits, and this cc watches whole packets leave inputs", other_cc},
               {several && sw->reuse == COP_REUSE_TAIL, "switch.reuse",
                "with a choice of ways can deadlock if packets follow each other into a buffer",
                "set switch.reuse to empty, or run.allow_deadlock to see it happen"}};
    int rc = check_places(pt, err);
    for (size_t i = 0; i < COP_LEN(all); i++)
        if (all[i].bad)
            rc = refuse(pt, all[i].option, all[i].why, all[i].remedy, err);
    return rc;
}
