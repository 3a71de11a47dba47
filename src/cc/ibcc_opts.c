/* Options of the InfiniBand congestion control, under the names of the InfiniBand specification
 * where it has one. Options that are not given come from a preset, see ibcc_params.c. */
#include "cc/ibcc.h"

static const char *const preset_names[] = {"testbed", "simulator", "fat-tree",
                                           "pfister", "auto",      NULL};
static const char *const evaluate_names[] = {"auto", "voq", "output", "contributors", NULL};
static const char *const mask_names[] = {"none", "hosts", "all", NULL};
static const char *const marking_names[] = {"random", "counted", NULL};
static const char *const shape_names[] = {"auto", "linear", "quadratic", "times", "encoded", NULL};
static const char *const becn_names[] = {"cnp", "ack", "next-ack", NULL};
static const char *const level_names[] = {"qp", "sl", NULL};
static const char *const timer_names[] = {"auto", "free-running", "per-sl", "restart", NULL};
static const char *const root_names[] = {"auto", "enter", "mark", NULL};
static const char *const from_names[] = {"end", "start", NULL};

/* Words for "not given". A second name 0 is that of older files; zero itself would have no meaning
 * there. */
static const char *const auto_or_0[] = {"auto", "0", NULL};
static const char *const preset_or_0[] = {"preset", "0", NULL};
static const char *const by_weight[] = {"weight", NULL};
static const char *const by_mtus[] = {"mtus", NULL};
static const char *const by_rate[] = {"rate", NULL};
static const char *const by_preset[] = {"preset", NULL};
static const char *const none_or_0[] = {"none", "0", NULL};

#define C(field) offsetof(ibcc_cfg, field)
const cop_opt ibcc_opts[] = {
    {"preset", COP_OPT_ENUM, C(preset), "auto", 0, 0, preset_names,
     "values of the options that are not given (auto, -1, or `preset`): testbed (hardware of Gran "
     "et al. 2010, table I), simulator (the same values in the simulator of their Papers I and "
     "II), "
     "fat-tree (Gran et al. 2012), pfister (the guidelines of Pfister et al. for this network); "
     "auto: values that follow from this network and `senders`, and the rules of hardware"},
    {"senders", COP_OPT_INT, C(senders), "auto", 1, 1e9, auto_or_0,
     "senders that share one hot spot (H), for which presets auto and pfister make the table of "
     "delays and its steps; auto: preset auto takes the most that the traffic of this file brings "
     "to an overloaded host, or, if it overloads none, the square root of the number of hosts, and "
     "hosts that run jobs alone are not throttled; "
     "pfister takes all hosts"},
    {"threshold", COP_OPT_INT, C(threshold), "-1", -1, 15, NULL,
     "Threshold of every port: 0 never marks, 1 (late) .. 15 (early) at (16 - weight) / 16 of the "
     "reference; -1 = preset: 15, auto 3, pfister 90 %"},
    {"host_threshold", COP_OPT_INT, C(host_threshold), "-1", -1, 15, NULL,
     "Threshold of ports that face hosts; -1 = `threshold`"},
    {"port_threshold", COP_OPT_INTS, C(port_threshold), "", 0, 1e9, NULL,
     "Threshold of single ports: switch, port, weight, switch, port, weight, ..."},
    {"threshold_reference", COP_OPT_BYTES, C(threshold_reference), "preset", 1, 1e9, preset_or_0,
     "fill that counts as 100 %, for each output and lane; preset: 72 full packets, auto and "
     "pfister switch.buffer"},
    {"threshold_share", COP_OPT_SHARE, C(threshold_share), "weight", 1e-6, 1, by_weight,
     "upper threshold as a share of the reference instead of a weight"},
    {"threshold_bytes", COP_OPT_BYTES, C(threshold_bytes), "weight", 1, 1e9, by_weight,
     "upper threshold in bytes instead of a weight"},
    {"threshold_mtus", COP_OPT_REAL, C(threshold_mtus), "weight", 1e-6, 1e6, by_weight,
     "upper threshold in packets of full size instead of a weight"},
    {"hysteresis_mtus", COP_OPT_REAL, C(hysteresis_mtus), "-1", -1, 1e6, NULL,
     "upper - lower threshold in packets of full size; 0 = one threshold; -1 = preset: 3.25, "
     "auto at most three quarters of the threshold, pfister 5 % of the reference. The lower "
     "threshold is at least 0"},
    {"hysteresis", COP_OPT_BYTES, C(hysteresis_bytes), "mtus", 1, 1e9, by_mtus,
     "the same in bytes; mtus: by `hysteresis_mtus`"},
    {"evaluate", COP_OPT_ENUM, C(evaluate), "auto", 0, 0, evaluate_names,
     "what is compared with the threshold: each queue (input, output, lane); the sum over the "
     "inputs of an output; that sum with threshold / number of inputs that contribute; auto = "
     "preset: output, pfister voq"},
    {"root_test", COP_OPT_ENUM, C(root_test), "auto", 0, 0, root_names,
     "when a port shows that it is the root of congestion, by credit for another packet: as it "
     "enters the congestion state, or at every mark; auto = preset: enter, pfister mark"},
    {"victim_mask", COP_OPT_ENUM, C(victim_mask), "hosts", 0, 0, mask_names,
     "Victim_Mask: ports that need no credit for the congestion state and its marks: none, those "
     "that face hosts, all"},
    {"port_victim_mask", COP_OPT_INTS, C(port_victim_mask), "", 0, 1e9, NULL,
     "Victim_Mask of single ports: switch, port, 0 or 1, switch, port, 0 or 1, ..."},
    {"packet_size", COP_OPT_INT, C(packet_size), "-1", -1, 65535, NULL,
     "Packet_Size in 64-byte units: shorter packets are never marked; -1 = preset: 8; fat-tree, "
     "pfister, auto 0"},
    {"marking_rate", COP_OPT_INT, C(marking_rate), "-1", -1, 65535, NULL,
     "Marking_Rate: mean number of eligible packets between two marked ones; -1 = preset: 1, "
     "fat-tree and pfister 0, auto 1 or what small steps need"},
    {"marking_probability", COP_OPT_SHARE, C(marking_probability), "rate", 1e-6, 1, by_rate,
     "share of the eligible packets that is marked; rate: by marking_rate"},
    {"marking", COP_OPT_ENUM, C(marking), "random", 0, 0, marking_names,
     "marking_rate as a chance 1 / (rate + 1) for each packet, or by counting them"},
    {"credit_mask", COP_OPT_ENUM, C(credit_mask), "hosts", 0, 0, mask_names,
     "Credit_Mask: input ports with credit starvation, for end nodes without congestion control"},
    {"cs_threshold", COP_OPT_INT, C(cs_threshold), "0", 0, 15, NULL,
     "CS_Threshold: weight of the input buffer's fill at which credit starvation begins; 0 = "
     "never"},
    {"cs_return_delay", COP_OPT_STRING, C(cs_return_delay), "0:0", 0, 0, NULL,
     "CS_ReturnDelay between two credits, as shift:multiplier of the packet's time"},
    {"becn", COP_OPT_ENUM, C(becn), "cnp", 0, 0, becn_names,
     "what carries the BECN: a notification packet; an acknowledgement for each marked packet, or "
     "that of nic.ack; next-ack: only an acknowledgement that nic.ack sends, of this packet or the "
     "next one of its queue pair, one BECN for all marks since the last"},
    {"level", COP_OPT_ENUM, C(level), "qp", 0, 0, level_names,
     "what is throttled: a queue pair (source, destination, service level), or all that a host "
     "sends "
     "on a service level"},
    {"cct_entries", COP_OPT_INT, C(cct_entries), "128", 128, IBCC_MAX_ENTRIES, NULL,
     "size of the congestion control table (CCT)"},
    {"cct_shape", COP_OPT_ENUM, C(cct_shape), "auto", 0, 0, shape_names,
     "linear or quadratic up to cct_delay at cct_index; cct_times; cct_encoded; auto: the list "
     "that is "
     "given, else as preset: quadratic, pfister linear"},
    {"cct_delay", COP_OPT_TIME, C(cct_delay_ps), "preset", 1, 1e12, by_preset,
     "delay after a full packet at cct_index; preset: 7 us, fat-tree 70 us, pfister 2/3 H us, "
     "auto 4 H packets' times"},
    {"cct_index", COP_OPT_INT, C(cct_index), "preset", 1, IBCC_MAX_ENTRIES, by_preset,
     "entry that has cct_delay; preset: 106 (the manufacturer's default is 95), pfister and auto "
     "the last"},
    {"cct_times", COP_OPT_TIMES, C(cct_times), "", 0, 1e12, NULL,
     "the table as times after a full packet, from entry 0 on, which is 0; the last one goes on"},
    {"cct_encoded", COP_OPT_STRING, C(cct_encoded), "", 0, 0, NULL,
     "the table as hardware has it, shift:multiplier, ...: delay = packet time * multiplier / "
     "2^shift"},
    {"cct_scale", COP_OPT_BOOL, C(cct_scale), "yes", 0, 0, NULL,
     "times of the table are for a full packet, a shorter one waits in proportion"},
    {"delay_from", COP_OPT_ENUM, C(delay_from), "end", 0, 0, from_names,
     "the delay counts from the end of a packet, as the end node injects it, or from its start"},
    {"ccti_increase", COP_OPT_INT, C(ccti_increase), "-1", -1, 65535, NULL,
     "CCTI_Increase per BECN; -1 = preset: 1, pfister min(N/6, H/2), auto 8 or less"},
    {"ccti_limit", COP_OPT_INT, C(ccti_limit), "-1", -1, IBCC_MAX_ENTRIES - 1, NULL,
     "CCTI_Limit: the index does not rise above it; -1 = the table's last"},
    {"ccti_min", COP_OPT_INT, C(ccti_min), "0", 0, IBCC_MAX_ENTRIES - 1, NULL,
     "CCTI_Min: the index begins there and does not fall below it"},
    {"ccti_timer", COP_OPT_TIME, C(ccti_timer_ps), "preset", 1, 1e15, by_preset,
     "CCTI_Timer: the index falls by one in this time; preset: 150 us, pfister 10 us, auto "
     "by H packets' times or the round trip"},
    {"ccti_timer_units", COP_OPT_INT, C(ccti_timer_units), "none", 1, 65535, none_or_0,
     "CCTI_Timer in units of 1.024 us, as hardware has it; none: `ccti_timer`"},
    {"timer", COP_OPT_ENUM, C(timer), "auto", 0, 0, timer_names,
     "free-running: a tick for all flows of a host at once; per-sl: for those of one service "
     "level; restart: each flow has a timer, which a BECN starts anew; auto = preset: testbed "
     "and auto per-sl, pfister free-running, else restart"},
    {"timer_phase", COP_OPT_BOOL, C(timer_phase), "yes", 0, 0, NULL,
     "free-running, per-sl: timers tick at different times; no = all at multiples of their "
     "period"},
    {"trigger_threshold", COP_OPT_INT, C(trigger_threshold), "0", 0, IBCC_MAX_ENTRIES - 1, NULL,
     "Trigger_Threshold: a flow that reaches this index is counted (ccti_triggers); 0 = none"},
    {"sl_ccti", COP_OPT_INTS, C(sl_ccti), "", -1, 1e9, NULL,
     "single service levels: level, CCTI_Timer in units of 1.024 us, CCTI_Increase, CCTI_Limit, "
     "CCTI_Min, level, ...; -1 = as all. CCTI_Increase 0: the level is never throttled"},
    {"host_ccti", COP_OPT_INTS, C(host_ccti), "", -1, 1e9, NULL,
     "the same of single hosts, which goes before that of levels: host, CCTI_Timer, CCTI_Increase, "
     "CCTI_Limit, CCTI_Min, host, ..."},
    {0}};
