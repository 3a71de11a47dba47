/* The machine model's own configuration sections and their option tables (net_cfg.c). */
#ifndef COP_NET_CFG_H
#define COP_NET_CFG_H

#include "base/opt.h"

/* Options of single hosts, in section `hosts`; 0: as all others. */
typedef struct cop_host_own {
    const char *hosts; /* names of hosts; NULL once they are resolved */
    uint64_t rate_bps, delay_ps; /* of their links, both ways */
    uint64_t inject_rate_bps, receive_rate_bps;
} cop_host_own;

typedef struct cop_link_cfg { /* section `link` */
    const cop_host_own *own; /* [n_hosts], once hosts are resolved; NULL: no host has options */
    uint64_t rate_bps, delay_ps;
    uint64_t host_rate_bps, host_delay_ps; /* 0, "inherit": as rate, delay */
    uint64_t trunk_rate_bps, trunk_delay_ps;
    uint64_t global_rate_bps, global_delay_ps;
    bool override_file; /* use these rates also where a topology file states its own */
} cop_link_cfg;

enum cop_arch { COP_ARCH_IB, COP_ARCH_IQ, COP_ARCH_CIOQ };
enum cop_switching { COP_SWITCHING_VCT, COP_SWITCHING_SAF, COP_SWITCHING_WORM };
enum cop_reuse { COP_REUSE_AUTO, COP_REUSE_TAIL, COP_REUSE_EMPTY };
/* The last is no option: it replaces round robin if the queueing scheme orders inputs. */
enum cop_arb {
    COP_ARB_RR,
    COP_ARB_AGE,
    COP_ARB_RANDOM,
    COP_ARB_FLOWS,
    COP_ARB_TRANSIT,
    COP_ARB_ORDER
};
enum cop_matching { COP_MATCH_ISLIP, COP_MATCH_RRM };
enum cop_output_credit { COP_CREDIT_WIRE, COP_CREDIT_CROSSBAR };
enum cop_vlarb { COP_VLARB_RR, COP_VLARB_IB, COP_VLARB_STRICT };

#define COP_SPEEDUP 2.0 /* default of switch.speedup */
#define COP_FLIT_BYTES 64 /* default of switch.flit */

typedef struct cop_switch_cfg { /* section `switch` */
    int architecture; /* enum cop_arch */
    int switching; /* enum cop_switching */
    uint64_t flit_bytes; /* wormhole: unit of buffers and credits */
    int reuse; /* enum cop_reuse: wormhole: when a lane is given to the next packet */
    uint64_t allocation_ps; /* wormhole: lane taken -> first flit may go; 0: with the wire */
    uint64_t pipeline_ps; /* header received -> may request its output */
    uint64_t header_bytes; /* must be received before routing */
    uint64_t buffer_bytes; /* input buffer of one port: per lane if private, in all if shared */
    /* The same of a port fed by a link of that class; 0: `buffer_bytes`. */
    uint64_t host_buffer_bytes, trunk_buffer_bytes, global_buffer_bytes;
    int64_t lanes; /* virtual lanes; 0 = what routing and queueing need */
    int64_t host_lanes, trunk_lanes, global_lanes; /* of links of that class; 0: all `lanes` */
    bool shared_lanes; /* lanes share the port's buffer beyond `reserve_bytes` each */
    uint64_t reserve_bytes; /* shared lanes: private part of each lane; 0 = one MTU */
    int arbitration; /* enum cop_arb: among inputs of an output */
    int matching; /* enum cop_matching: iq and cioq */
    int64_t iterations; /* of the matching */
    int64_t read_ports; /* iq and cioq: of an input; 0: not given, one */
    double
        speedup; /* in front of output buffers: crossbar rate / fastest link rate of the switch */
    uint64_t output_buffer_bytes; /* ib, cioq: per output port, and lane if private; COP_OPT_OPEN:
                                     not given */
    bool output_shared; /* lanes share the output buffer beyond `output_reserve_bytes` each */
    uint64_t output_reserve_bytes; /* 0: not given, one packet */
    int output_credit; /* enum cop_output_credit: when room behind the link is taken */
    cop_ints sl2vl; /* first lane of each service level; empty: automatic */
    cop_ints port_sl2vl; /* of pairs of ports: switch, input, output, 16 lanes, ... */
    int vl_arbitration; /* enum cop_vlarb */
    cop_ints vl_high; /* IB tables: vl, weight, vl, weight, ...; weight in 64-byte units */
    cop_ints vl_low;
    int64_t vl_high_limit; /* in 4 KiB units, 255 = unlimited, 0 = one packet */
} cop_switch_cfg;

enum cop_fc { COP_FC_CREDIT, COP_FC_IB, COP_FC_ONOFF, COP_FC_ACKNACK };
typedef struct cop_fc_cfg { /* section `flow_control` */
    int kind; /* enum cop_fc */
    uint64_t delay_ps; /* receiver's processing before a credit or PAUSE goes on the wire */
    uint64_t refresh_ps; /* ib: period of unsolicited credit updates */
    double loss; /* ib: share of credit messages lost */
    uint64_t xoff_bytes; /* onoff: send PAUSE when free space falls below; 0 = computed */
    uint64_t xon_bytes; /* onoff: resume when free space rises above; 0 = computed */
    bool unsafe; /* onoff: accept a head-room that can lose (for experiments; ends in status 3) */
} cop_fc_cfg;

enum cop_nic_order { COP_NIC_FIFO, COP_NIC_RR };
enum cop_ack { COP_ACK_NONE, COP_ACK_MESSAGE, COP_ACK_PACKET };
enum cop_notify { COP_NOTIFY_ARRIVAL, COP_NOTIFY_DELIVERY };
typedef struct cop_nic_cfg {
    const cop_host_own *own; /* [n_hosts], as in cop_link_cfg */
    uint64_t inject_rate_bps; /* 0: the link's */
    uint64_t receive_rate_bps; /* 0: the link's */
    uint64_t mtu_bytes; /* longest packet */
    uint64_t buffer_bytes; /* receive buffer; 0: as a switch input */
    uint64_t overhead_bytes; /* added to each packet on the wire, not counted as payload */
    int order; /* enum cop_nic_order: among flows that may send */
    int64_t backlog; /* messages of throttled or blocked flows set aside per stream */
    int ack; /* enum cop_ack */
    int notify; /* enum cop_notify: when a notification for a mark is sent */
    uint64_t control_bytes; /* size of ACK and notification packets */
    int64_t control_vl; /* lane of control packets; -1: as data */
} cop_nic_cfg;

/* Limits of the rates at which host `h` sends and takes in; 0: as its link. */
static inline uint64_t cop_nic_inject_bps(const cop_nic_cfg *nic, uint32_t h)
{
    return nic->own && nic->own[h].inject_rate_bps ? nic->own[h].inject_rate_bps
                                                   : nic->inject_rate_bps;
}
static inline uint64_t cop_nic_receive_bps(const cop_nic_cfg *nic, uint32_t h)
{
    return nic->own && nic->own[h].receive_rate_bps ? nic->own[h].receive_rate_bps
                                                    : nic->receive_rate_bps;
}

enum cop_births { COP_BIRTHS_NONE, COP_BIRTHS_GENERATION, COP_BIRTHS_INJECTION };

/* auto: in runs with a display, as often as the progress of the run pays for it, without keeping
 * frames */
enum cop_trees { COP_TREES_NO, COP_TREES_YES, COP_TREES_AUTO };
enum cop_until { COP_UNTIL_DURATION, COP_UNTIL_JOBS };
typedef struct cop_run_cfg { /* section `run` */
    uint64_t duration_ps, warmup_ps, sample_ps;
    int until; /* enum cop_until */
    int64_t seed;
    bool drain; /* go on after `duration` with sources off until the network is empty */
    bool allow_deadlock; /* run also when the routing's dependency check finds a cycle */
    int queue; /* event queue: 0 bucket ring, 1 heap */
    int births; /* enum cop_births: series of latency and detours by the time packets come from */
    bool flows; /* per (source, destination) table of delivered bytes and order check */
    int trees; /* enum cop_trees: find congestion trees (tree/) */
    uint64_t tree_sample_ps, tree_threshold_bytes; /* 0: auto */
    uint64_t watch_limit; /* trace lines at most */
    const char *observe; /* values to record over time, see observe.c */
} cop_run_cfg;

extern const cop_opt cop_own_opts[], cop_link_opts[], cop_switch_opts[], cop_fc_opts[],
    cop_nic_opts[], cop_run_opts[];

#endif
