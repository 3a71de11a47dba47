/* InfiniBand congestion control: shared by its files. The rules are functions over plain structs,
 * so that tests can run them step by step without a network.
 *
 *   ibcc_opts.c     options                             ibcc_switch.c   port state, marking
 *   ibcc_preset.c   presets, resolved parameters        ibcc_source.c   CCTI and its timer
 *   ibcc_auto.c     values that fit the network         ibcc_cct.c      the table of delays
 *   ibcc_params.c   validation                          ibcc_own.c      private CCTI values
 *   ibcc.c          the hooks of net/cc.h */
#ifndef COP_CC_IBCC_H
#define COP_CC_IBCC_H

#include "base/opt.h"
#include "net/cc.h"

#include <stdio.h>

#define IBCC_MAX_ENTRIES 65536 /* of the table of delays */

/* Values of options; where the first is AUTO, the preset decides. */
enum ibcc_preset { IBCC_TESTBED, IBCC_SIMULATOR, IBCC_FAT_TREE, IBCC_PFISTER, IBCC_AUTO };
enum ibcc_evaluate { IBCC_EVALUATE_AUTO, IBCC_VOQ, IBCC_OUTPUT, IBCC_CONTRIBUTORS };
enum ibcc_root { IBCC_ROOT_AUTO, IBCC_AT_ENTRY, IBCC_AT_MARK };
enum ibcc_mask { IBCC_MASK_NONE, IBCC_MASK_HOSTS, IBCC_MASK_ALL };
enum ibcc_marking { IBCC_RANDOM, IBCC_COUNTED };
enum ibcc_shape { IBCC_SHAPE_AUTO, IBCC_LINEAR, IBCC_QUADRATIC, IBCC_TIMES, IBCC_ENCODED };
enum ibcc_level { IBCC_QP, IBCC_SL };
enum ibcc_becn { IBCC_BY_CNP, IBCC_BY_ACK, IBCC_BY_NEXT_ACK };
enum ibcc_timer { IBCC_TIMER_AUTO, IBCC_FREE_RUNNING, IBCC_PER_SL, IBCC_RESTART };
enum ibcc_from { IBCC_FROM_END, IBCC_FROM_START };

typedef struct ibcc_cfg { /* as configured; ibcc_opts.c explains */
    int preset;
    int64_t senders; /* that share one hot spot; 0: not given */
    /* switches */
    int64_t threshold, host_threshold;
    cop_ints port_threshold; /* switch, port, weight, ... */
    uint64_t threshold_reference;
    double threshold_share;
    uint64_t threshold_bytes;
    double threshold_mtus;
    double hysteresis_mtus;
    uint64_t hysteresis_bytes;
    int evaluate, root_test;
    int victim_mask;
    cop_ints port_victim_mask; /* switch, port, 0 or 1, ... */
    int64_t packet_size, marking_rate;
    double marking_probability;
    int marking;
    int credit_mask;
    int64_t cs_threshold;
    const char *cs_return_delay; /* shift:multiplier */
    /* end nodes */
    int becn, level;
    int64_t cct_entries;
    int cct_shape;
    uint64_t cct_delay_ps;
    int64_t cct_index;
    cop_times cct_times;
    const char *cct_encoded; /* shift:multiplier, ... */
    bool cct_scale;
    int delay_from;
    int64_t ccti_increase, ccti_limit, ccti_min;
    uint64_t ccti_timer_ps;
    int64_t ccti_timer_units;
    int timer;
    bool timer_phase;
    int64_t trigger_threshold;
    cop_ints sl_ccti,
        host_ccti; /* level or host, timer units, increase, limit, min, ...; -1: as all */
} ibcc_cfg;

typedef struct ibcc_ratio { /* of a packet's own time on the wire: multiplier / 2^shift */
    uint32_t multiplier;
    uint8_t shift;
} ibcc_ratio;

/* The table of delays: times for a packet of full size, or ratios of the packet's time. */
typedef struct ibcc_cct {
    uint32_t n, mtu_bytes;
    bool scale; /* times are for a full packet, shorter ones wait less */
    cop_time *time; /* [n]; NULL: ratios */
    ibcc_ratio *ratio; /* [n]; NULL: times */
} ibcc_cct;

typedef struct ibcc_params { /* numbers that follow from options, preset and network */
    double upper_share; /* of the reference; < 0: by weight */
    uint64_t upper_bytes; /* 0: by share or weight */
    uint64_t reference_bytes, hysteresis_bytes;
    int64_t weight; /* of ports without port_threshold; -1: the threshold is a share */
    bool gap_yields; /* the gap is at most three quarters of the threshold */
    uint64_t mark_below; /* a packet is marked if a 64-bit draw is below; UINT64_MAX: always */
    uint32_t mark_gap; /* counted: eligible packets between two marks */
    uint32_t least_bytes; /* shorter packets are not marked */
    uint32_t increase, limit, min; /* of the CCTI */
    uint32_t trigger; /* CCTI that is logged; 0: none */
    cop_time period_ps;
    bool restart; /* a BECN restarts the flow's timer */
    bool per_sl; /* otherwise: each service level has its timer */
    int evaluate;
    bool root_at_mark; /* credit is tested for each mark, not as the state is entered */
    uint32_t cct_entries;
    int cct_shape;
    cop_time cct_delay_ps;
    uint32_t cct_index;
    bool host_roots; /* ports between switches mark nothing, unless port_threshold says so */
} ibcc_params;

enum ibcc_senders { IBCC_GIVEN, IBCC_OFFERED, IBCC_GUESSED };
typedef struct ibcc_plan { /* preset auto; ibcc_auto.c explains */
    enum ibcc_senders from;
    uint32_t senders;
    double packet_ps, share_ps, round_trip_ps, loop_ps, gain;
    uint32_t timer_units, increase, marking_rate;
    cop_time delay_ps; /* of the last entry */
} ibcc_plan;

#define IBCC_IF_ROOT 2
/* One lane of an output port, or one section of it if buffers are private to destinations: one
 * state per set of credits. Half a cache line. */
typedef struct ibcc_lane {
    uint32_t upper, lower; /* bytes */
    uint32_t sum; /* bytes waiting in all inputs */
    uint16_t inputs; /* inputs with bytes that wait */
    uint16_t over_upper, over_lower; /* IBCC_VOQ: inputs above the thresholds */
    uint8_t congested; /* 0: no; 1: yes; IBCC_IF_ROOT: marks while it has credit */
    uint8_t masked; /* Victim_Mask: may enter without credit */
    uint32_t since_mark; /* eligible packets since the last mark */
    uint64_t draws;
} ibcc_lane;

typedef struct ibcc_input { /* one lane of an input with credit starvation */
    uint32_t bytes, limit;
    cop_time last; /* when the last credit was returned */
} ibcc_input;

typedef struct ibcc_flow {
    cop_time last; /* end (delay_from: start) of its last packet */
    cop_time falls; /* next tick, while the index is above its minimum */
    uint64_t unit; /* of the last packet, its bytes or its time on the wire; 0: none yet */
    uint32_t becns;
    uint16_t above; /* CCTI - CCTI_Min */
    uint16_t own; /* run->own: parameters of its level and host */
} ibcc_flow;
_Static_assert(sizeof(ibcc_flow) <= 32, "with the network's part of a flow one cache line");

typedef struct ibcc_receiver { /* of a flow, at its destination */
    bool owed; /* a BECN waits for the next acknowledgement */
} ibcc_receiver;

typedef struct ibcc_run { /* state of a run */
    ibcc_params par;
    ibcc_cct cct;
    int marking, delay_from;
    bool special; /* `input` is there, or there are more sections than lanes */
    uint16_t answer; /* flags of the packet that carries a BECN; 0: the next acknowledgement does */
    uint32_t lanes, sections; /* sections: the lanes, unless buffers are private */
    uint64_t seed;
    ibcc_lane *lane; /* [n_ports * sections] */
    ibcc_input *input; /* [n_ports * lanes]; NULL: no credit starvation */
    ibcc_ratio return_delay;
    bool phases; /* end nodes are not synchronised: their timers have phases */
    ibcc_params
        *own; /* [1, 1 for jobs, hosts with rows][levels]: at sources; NULL: `par` for all */
    uint16_t *own_host; /* [host] its first in `own` */
    uint64_t triggers, starved, notified; /* notified: flows with a BECN or more */
} ibcc_run;

/* ibcc_opts.c */
extern const cop_opt ibcc_opts[];

/* ibcc_params.c */
int ibcc_check(const void *cfg, const cop_netinfo *info, cop_err *err);
/* "shift:multiplier, ..." into list[max]; returns their number, or -1 if the text is not of that
 * form. */
int64_t ibcc_parse_ratios(const char *text, ibcc_ratio *list, size_t max);

/* ibcc_preset.c */
ibcc_params ibcc_resolve(const ibcc_cfg *cfg, const cop_netinfo *info);

/* ibcc_auto.c */
ibcc_plan ibcc_plan_for(const ibcc_cfg *cfg, const cop_netinfo *info);
/* Are hosts that run jobs alone never throttled? */
bool ibcc_spares_jobs(const ibcc_cfg *cfg, const cop_netinfo *info);
void ibcc_explain(const void *cfg, const cop_netinfo *info, FILE *out);

/* ibcc_cct.c: memory is the caller's, [par->cct_entries]. */
void ibcc_cct_fill(ibcc_cct *t, const ibcc_params *par, const ibcc_cfg *cfg, uint32_t mtu_bytes);
/* `unit` is the packet's time on the wire if the table contains ratios, else its bytes. */
cop_time ibcc_cct_delay(const ibcc_cct *t, uint32_t index, uint64_t unit);
static inline cop_time ibcc_ratio_of(ibcc_ratio r, cop_time wire_ps)
{
    return wire_ps * r.multiplier >> r.shift;
}

/* ibcc_switch.c */
/* The fill at which weight w triggers, and its lower partner; UINT32_MAX: never. */
uint32_t ibcc_upper_of(const ibcc_params *par, int64_t weight);
uint32_t ibcc_lower_of(const ibcc_params *par, uint32_t upper);
void ibcc_switch_start(ibcc_run *run, const ibcc_cfg *cfg, const cop_netinfo *info);
/* One input's bytes have changed. Returns true if the lane would enter the congestion state if it
 * is the root, that is, has credit. */
bool ibcc_lane_fill(ibcc_lane *l, int evaluate, uint32_t before, uint32_t after);
/* Is a packet of this size, which leaves now, marked? `entity` names the lane's random numbers. */
bool ibcc_lane_mark(const ibcc_run *run, ibcc_lane *l, uint32_t entity, uint32_t bytes);
void ibcc_on_fill(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before, uint32_t after,
                  const cop_pkt *p);
void ibcc_on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p);
cop_time ibcc_credit_time(struct cop_net *net, uint32_t in, uint32_t vl, uint32_t bytes,
                          cop_time t);

/* ibcc_own.c */
int ibcc_own_check(const ibcc_cfg *cfg, const ibcc_params *par, const cop_netinfo *info,
                   cop_err *err);
/* Parameters of a service level at hosts without rows in host_ccti. */
ibcc_params ibcc_own_level(const ibcc_cfg *cfg, const ibcc_params *par, uint32_t level);
void ibcc_own_start(struct cop_net *net, ibcc_run *run, const ibcc_cfg *cfg,
                    const cop_netinfo *info);
/* Parameters of a flow, by the index that it keeps. */
static inline const ibcc_params *ibcc_params_of(const ibcc_run *run, const ibcc_flow *f)
{
    return run->own ? &run->own[f->own] : &run->par;
}
/* Index of the parameters of a flow, if `own` exists. */
static inline uint16_t ibcc_own_of(const ibcc_run *run, uint32_t host, uint8_t sl)
{
    return (uint16_t)(run->own_host[host] + sl);
}

/* ibcc_source.c */
/* CCTI at time `now`; applies the timer's ticks since the last call. */
uint32_t ibcc_ccti(const ibcc_params *par, ibcc_flow *f, cop_time now);
/* A notification has come; true if the CCTI has reached the trigger. */
bool ibcc_becn(const ibcc_params *par, ibcc_flow *f, cop_time now, cop_time phase);
/* When the flow may send, if no further notification comes: see the rules in ibcc_source.c. */
cop_time ibcc_earliest(const ibcc_params *par, const ibcc_cct *cct, ibcc_flow *f, cop_time now);
/* Phase of the timer of a service level of a host. */
cop_time ibcc_phase(const ibcc_run *run, uint32_t host, uint8_t sl);
cop_time ibcc_next_send(struct cop_net *net, void *flow, cop_time now);
void ibcc_on_send(struct cop_net *net, void *flow, const cop_pkt *p);
void ibcc_on_control(struct cop_net *net, void *flow, const cop_pkt *p);

/* -- ibcc_words.c -- */
void ibcc_tell(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what, char *buf,
               size_t size);
bool ibcc_rested(struct cop_net *net, char *buf, size_t size);
double ibcc_flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which);

#endif
