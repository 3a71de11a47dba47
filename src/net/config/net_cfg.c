/* Option tables of the sections link, switch, flow_control, nic and run. */
#include "net/net_cfg.h"

#define PS(x) ((double)(x))
#define MAX_RATE 1e14
#define MAX_TIME 1e16

static const char *const arch_names[] = {"ib", "iq", "cioq", NULL};
static const char *const switching_names[] = {"cut-through", "store-and-forward", "wormhole", NULL};
static const char *const reuse_names[] = {"auto", "tail", "empty", NULL};
static const char *const arb_names[] = {"round-robin", "age", "random", "flows", "transit", NULL};
static const char *const match_names[] = {"islip", "rrm", NULL};
static const char *const output_credit_names[] = {"wire", "crossbar", NULL};
static const char *const vlarb_names[] = {"round-robin", "ib", "strict", NULL};
static const char *const fc_names[] = {"credit", "ib", "on-off", "ack-nack", NULL};
static const char *const order_names[] = {"fifo", "round-robin", NULL};
static const char *const ack_names[] = {"none", "message", "packet", NULL};
static const char *const notify_names[] = {"arrival", "delivery", NULL};
static const char *const until_names[] = {"duration", "jobs", NULL};
static const char *const trees_names[] = {"no", "yes", "auto", NULL};
static const char *const queue_names[] = {"ring", "heap", NULL};
static const char *const birth_names[] = {"no", "generation", "injection", NULL};

/* Words for "not given". A second name 0 is that of older files; zero itself would have no meaning
 * there. */
static const char *const inherit[] = {"inherit", NULL};
static const char *const inherit_or_0[] = {"inherit", "0", NULL};
static const char *const automatic[] = {"auto", NULL};
static const char *const packet[] = {"packet", NULL};
static const char *const auto_or_0[] = {"auto", "0", NULL};
static const char *const link_or_0[] = {"link", "0", NULL};
static const char *const switch_or_0[] = {"switch", "0", NULL};

#define O(field) offsetof(cop_host_own, field)
const cop_opt cop_own_opts[] = {
    {"rate", COP_OPT_RATE, O(rate_bps), "inherit", 1e6, MAX_RATE, inherit,
     "data rate of their links; inherit: as section link, or a topology file, says"},
    {"delay", COP_OPT_TIME, O(delay_ps), "inherit", 1, 3e9, inherit,
     "propagation delay of their links"},
    {"inject_rate", COP_OPT_RATE, O(inject_rate_bps), "inherit", 1e6, MAX_RATE, inherit,
     "most that they send; inherit: as section nic says"},
    {"receive_rate", COP_OPT_RATE, O(receive_rate_bps), "inherit", 1e6, MAX_RATE, inherit,
     "most that they take in: one that is slower than its link is the root of a congestion tree"},
    {0}};

#define L(field) offsetof(cop_link_cfg, field)
const cop_opt cop_link_opts[] = {
    {"rate", COP_OPT_RATE, L(rate_bps), "16 Gbit/s", 1e6, MAX_RATE, NULL,
     "data rate of every link whose class has no rate of its own"},
    {"delay", COP_OPT_TIME, L(delay_ps), "20 ns", 1, 3e9, NULL,
     "propagation delay of every link whose class has none of its own"},
    {"host_rate", COP_OPT_RATE, L(host_rate_bps), "inherit", 1e6, MAX_RATE, inherit_or_0,
     "links between hosts and switches; inherit: `rate`"},
    {"host_delay", COP_OPT_TIME, L(host_delay_ps), "inherit", 1, 3e9, inherit,
     "inherit: `delay`. A link has a delay: 0 is refused"},
    {"trunk_rate", COP_OPT_RATE, L(trunk_rate_bps), "inherit", 1e6, MAX_RATE, inherit_or_0,
     "links between switches (dragonfly: inside a group); inherit: `rate`"},
    {"trunk_delay", COP_OPT_TIME, L(trunk_delay_ps), "inherit", 1, 3e9, inherit,
     "inherit: `delay`"},
    {"global_rate", COP_OPT_RATE, L(global_rate_bps), "inherit", 1e6, MAX_RATE, inherit_or_0,
     "links between dragonfly groups; inherit: `rate`"},
    {"global_delay", COP_OPT_TIME, L(global_delay_ps), "inherit", 1, 3e9, inherit,
     "inherit: `delay`"},
    {"override_file", COP_OPT_BOOL, L(override_file), "no", 0, 0, NULL,
     "use these rates also where a topology file states its own"},
    {0}};

#define S(field) offsetof(cop_switch_cfg, field)
const cop_opt cop_switch_opts[] = {
    {"architecture", COP_OPT_ENUM, S(architecture), "ib", 0, 0, arch_names,
     "ib: input buffers with a read port per output (InfiniBand), output buffers if "
     "`output_buffer` "
     "says so; iq: one read port per input, matched; cioq: iq with crossbar speed-up and output "
     "buffers"},
    {"switching", COP_OPT_ENUM, S(switching), "cut-through", 0, 0, switching_names,
     "virtual cut-through (forward after the header); store-and-forward; wormhole: flit by flit, "
     "buffers of a few flits, a packet that waits holds its lanes"},
    {"flit", COP_OPT_BYTES, S(flit_bytes), "64 B", 1, 65536, NULL,
     "wormhole: unit of buffers, credits and turns on the wire; a buffer holds as many as fit; "
     "units.flit, if given, is the default"},
    {"reuse", COP_OPT_ENUM, S(reuse), "auto", 0, 0, reuse_names,
     "wormhole: a lane is given to the next packet when the tail of the one before has been sent, "
     "or when "
     "its buffer is known to be empty; auto: empty if the routing gives a choice and avoids "
     "deadlocks, else tail"},
    {"allocation", COP_OPT_TIME, S(allocation_ps), "0 s", 0, 1e10, NULL,
     "wormhole: a head takes a lane of its output as soon as that is free and has room, and its "
     "first flit may go this much later (routers that allocate lanes and wires one after the "
     "other); 0 s: it takes both together"},
    {"pipeline", COP_OPT_TIME, S(pipeline_ps), "100 ns", 0, 1e10, NULL,
     "from the header's arrival until the packet may request its output"},
    {"header", COP_OPT_BYTES, S(header_bytes), "64 B", 0, 65536, NULL,
     "bytes that must arrive before a packet is routed"},
    {"buffer", COP_OPT_BYTES, S(buffer_bytes), "64 KiB", 1, 1e11, NULL,
     "input buffer of one port: of each lane, or of all lanes with `shared_lanes`; with voqnet: of "
     "each destination"},
    {"host_buffer", COP_OPT_BYTES, S(host_buffer_bytes), "inherit", 1, 1e11, inherit_or_0,
     "`buffer` of the ports that hosts feed (injection queues); inherit: `buffer`"},
    {"trunk_buffer", COP_OPT_BYTES, S(trunk_buffer_bytes), "inherit", 1, 1e11, inherit,
     "`buffer` of the ports that other switches feed (dragonfly: of the same group)"},
    {"global_buffer", COP_OPT_BYTES, S(global_buffer_bytes), "inherit", 1, 1e11, inherit,
     "`buffer` of the ports that links between dragonfly groups feed"},
    {"lanes", COP_OPT_INT, S(lanes), "auto", 1, COP_MAX_VL, auto_or_0,
     "virtual lanes per link; auto: as many as routing and queueing need, or as many as a routing "
     "which any number will do for does well with"},
    {"host_lanes", COP_OPT_INT, S(host_lanes), "inherit", 1, COP_MAX_VL, inherit,
     "lanes of links between hosts and switches, from lane 0 on; the others have no buffer there. "
     "Refused if a packet could take one of those"},
    {"trunk_lanes", COP_OPT_INT, S(trunk_lanes), "inherit", 1, COP_MAX_VL, inherit,
     "lanes of links between switches (dragonfly: inside a group)"},
    {"global_lanes", COP_OPT_INT, S(global_lanes), "inherit", 1, COP_MAX_VL, inherit,
     "lanes of links between dragonfly groups"},
    {"shared_lanes", COP_OPT_BOOL, S(shared_lanes), "no", 0, 0, NULL,
     "lanes of a port share its buffer beyond `reserve`"},
    {"reserve", COP_OPT_BYTES, S(reserve_bytes), "packet", 1, 1e11, packet,
     "with `shared_lanes`: part of the buffer that belongs to each lane alone; packet: one packet"},
    {"arbitration", COP_OPT_ENUM, S(arbitration), "round-robin", 0, 0, arb_names,
     "among the inputs that request one lane of an output; flows: the sending host that waits "
     "longest for a turn, so an input has as many turns as senders (needs a record of all "
     "senders); transit: those fed by switches before those fed by hosts, which can starve"},
    {"matching", COP_OPT_ENUM, S(matching), "islip", 0, 0, match_names,
     "iq, cioq: islip moves pointers on accepted grants only; rrm moves them always"},
    {"iterations", COP_OPT_INT, S(iterations), "2", 1, 16, NULL,
     "iq, cioq: rounds of the matching"},
    {"read_ports", COP_OPT_INT, S(read_ports), "auto", 1, COP_MAX_PORTS, automatic,
     "iq, cioq: packets that an input can send at a time, from different queues; auto: one, and "
     "with ib "
     "one per output"},
    {"speedup", COP_OPT_REAL, S(speedup), "2", 1, 64, NULL,
     "with output buffers: crossbar rate over the rate of the switch's fastest link"},
    {"output_buffer", COP_OPT_BYTES, S(output_buffer_bytes), "auto", 0, 1e11, automatic,
     "buffer between crossbar and wire of one output port: of each lane, or of all lanes with "
     "`output_shared`; auto: 100 kB with cioq, none with ib; iq has none, cioq is not without"},
    {"output_shared", COP_OPT_BOOL, S(output_shared), "no", 0, 0, NULL,
     "lanes of a port share its output buffer beyond `output_reserve`"},
    {"output_reserve", COP_OPT_BYTES, S(output_reserve_bytes), "packet", 1, 1e11, packet,
     "with `output_shared`: part of the output buffer that belongs to each lane alone; packet: one "
     "packet"},
    {"output_credit", COP_OPT_ENUM, S(output_credit), "wire", 0, 0, output_credit_names,
     "with output buffers: a packet needs room behind the link when it leaves (wire), or before it "
     "crosses, so that none waits for credit in an output buffer, and its lane holds no more there "
     "than fits behind the link (crossbar)"},
    {"sl2vl", COP_OPT_INTS, S(sl2vl), "", 0, COP_MAX_VL - 1, NULL,
     "virtual lane of each service level, from level 0 on, as OpenSM's qos_sl2vl; where the "
     "routing "
     "needs several lanes (datelines, dragonflies), the first of them. Not given: with a "
     "forwarding table level n has lane n modulo the lanes of data, elsewhere levels choose no "
     "lane"},
    {"port_sl2vl", COP_OPT_INTS, S(port_sl2vl), "", 0, 65535, NULL,
     "forwarding tables: other maps of pairs of ports: switch, input, output, lane of each of the "
     "16 "
     "levels, switch, input, output, ..."},
    {"vl_arbitration", COP_OPT_ENUM, S(vl_arbitration), "round-robin", 0, 0, vlarb_names,
     "among virtual lanes: round-robin, InfiniBand's high and low tables, or highest lane first "
     "(strict: also among lanes of data)"},
    {"vl_high", COP_OPT_INTS, S(vl_high), "", 0, 255, NULL,
     "ib: high-priority table as vl, weight, vl, weight, ...; weight in 64-byte units"},
    {"vl_low", COP_OPT_INTS, S(vl_low), "", 0, 255, NULL, "ib: low-priority table, same form"},
    {"vl_high_limit", COP_OPT_INT, S(vl_high_limit), "255", 0, 255, NULL,
     "ib: Limit of High-Priority, in 4 KiB units; 0 = one packet, 255 = no limit"},
    {0}};

#define F(field) offsetof(cop_fc_cfg, field)
const cop_opt cop_fc_opts[] = {
    {"kind", COP_OPT_ENUM, F(kind), "credit", 0, 0, fc_names,
     "credit: relative credits per lane in 64-byte blocks; ib: InfiniBand's absolute credit limit; "
     "on-off: PAUSE per priority (PFC); ack-nack: send, drop when full, resend"},
    {"delay", COP_OPT_TIME, F(delay_ps), "0", 0, 1e9, NULL,
     "receiver's processing before a credit, PAUSE or ack goes on the wire"},
    {"refresh", COP_OPT_TIME, F(refresh_ps), "20 us", 1000, 1e12, NULL,
     "ib: period of unsolicited credit updates, which repair lost ones"},
    {"loss", COP_OPT_SHARE, F(loss), "0", 0, 0.999, NULL, "ib: share of credit messages lost"},
    {"xoff", COP_OPT_BYTES, F(xoff_bytes), "auto", 1, 1e12, automatic,
     "on-off: PAUSE when free space falls below this (T_off); auto: computed from rate and delay"},
    {"xon", COP_OPT_BYTES, F(xon_bytes), "auto", 1, 1e12, automatic,
     "on-off: resume when free space rises above this (T_on); auto: one packet above xoff"},
    {"unsafe", COP_OPT_BOOL, F(unsafe), "no", 0, 0, NULL,
     "on-off: run with a head-room that can overflow; the run ends when it does"},
    {0}};

#define N(field) offsetof(cop_nic_cfg, field)
const cop_opt cop_nic_opts[] = {
    {"inject_rate", COP_OPT_RATE, N(inject_rate_bps), "link", 1e6, MAX_RATE, link_or_0,
     "most an end node sends (PCIe limit); link: as its link"},
    {"receive_rate", COP_OPT_RATE, N(receive_rate_bps), "link", 1e6, MAX_RATE, link_or_0,
     "most an end node takes in; slower than the link back-pressures it; link: as its link"},
    {"mtu", COP_OPT_BYTES, N(mtu_bytes), "2 KiB", 1, 1 << 20, NULL,
     "payload of the longest packet; messages are cut into packets of this size"},
    {"buffer", COP_OPT_BYTES, N(buffer_bytes), "switch", 1, 1e11, switch_or_0,
     "receive buffer per lane; switch: as `buffer` of switches"},
    {"overhead", COP_OPT_BYTES, N(overhead_bytes), "0", 0, 1024, NULL,
     "bytes each packet carries on the wire besides payload"},
    {"order", COP_OPT_ENUM, N(order), "fifo", 0, 0, order_names,
     "host.kind simple: among flows that may send, oldest message first, or flows in turn"},
    {"backlog", COP_OPT_INT, N(backlog), "4096", 1, 1 << 20, NULL,
     "host.kind simple: messages of throttled or blocked flows that a stream sets aside before it "
     "waits"},
    {"ack", COP_OPT_ENUM, N(ack), "none", 0, 0, ack_names,
     "acknowledgement packets: none, per message, per packet"},
    {"notify", COP_OPT_ENUM, N(notify), "arrival", 0, 0, notify_names,
     "when a congestion notification is made: as soon as the marked packet has arrived in the "
     "receive buffer, or when the end node has taken it in from there, as acknowledgements are"},
    {"control_bytes", COP_OPT_BYTES, N(control_bytes), "64 B", 1, 4096, NULL,
     "size of acknowledgements and congestion notifications; sent before data"},
    {"control_vl", COP_OPT_INT, N(control_vl), "-1", -1, COP_MAX_VL - 1, NULL,
     "first virtual lane of control packets, which need two on tori and dragonflies; -1 = the lane "
     "routing gives to data"},
    {0}};

#define R(field) offsetof(cop_run_cfg, field)
const cop_opt cop_run_opts[] = {
    {"duration", COP_OPT_TIME, R(duration_ps), "1 ms", 1, MAX_TIME, NULL, "simulated time"},
    {"until", COP_OPT_ENUM, R(until), "duration", 0, 0, until_names,
     "jobs: the run ends when all jobs (`trace`, `collective` of traffic entries) have ended, or "
     "after `duration`"},
    {"warmup", COP_OPT_TIME, R(warmup_ps), "0", 0, MAX_TIME, NULL,
     "what happens before is not counted in means and histograms"},
    {"sample", COP_OPT_TIME, R(sample_ps), "auto", 1, MAX_TIME, auto_or_0,
     "bin of the time series; auto: duration / 100"},
    {"seed", COP_OPT_INT, R(seed), "1", 0, 9e15, NULL, "same configuration and seed, same bits"},
    {"drain", COP_OPT_BOOL, R(drain), "no", 0, 0, NULL,
     "after `duration` stop the sources and run until the network is empty"},
    {"allow_deadlock", COP_OPT_BOOL, R(allow_deadlock), "no", 0, 0, NULL,
     "run although the routing's channel dependencies have a cycle"},
    {"event_queue", COP_OPT_ENUM, R(queue), "ring", 0, 0, queue_names,
     "pending events: bucket ring, or binary heap (reference; same results but for "
     "`events`, where the ring takes events that mean the same as one)"},
    {"births", COP_OPT_ENUM, R(births), "no", 0, 0, birth_names,
     "series of latency and of non-minimal ways by the time at which packets come into being, or "
     "begin to leave their host; the latency counts from there. Of the last ones the slow are "
     "missing, unless `drain` waits for them"},
    {"flows", COP_OPT_BOOL, R(flows), "no", 0, 0, NULL,
     "keep delivered bytes per source and destination, and check order"},
    {"observe", COP_OPT_STRING, R(observe), "", 0, 0, NULL,
     "further series, separated by commas, one value at the end of each bin: queue/PORT (bytes "
     "that wait for an "
     "output), "
     "voq/IN>OUT (in one input of a switch for one output), received/HOST or received/all (rates "
     "of "
     "what hosts take in), injected/HOST, injected/all or injected/s0-3 (what hosts send, or the "
     "mean host of each switch), sent/PORT (what an output sends), notices/PORT (notifications "
     "that a switch makes about an output), "
     "notices/all (their numbers by port and addressed host, as scalars), and what the congestion "
     "control shows of "
     "flows and ports, such as ccti/F1 or state/s1.4, and the routing of ports, such as p_min/s0.7 "
     "(qcn-switch); s0-3.4-7 is ports 4 to 7 of four switches; see docs/MODEL.md"},
    {"trees", COP_OPT_ENUM, R(trees), "auto", 0, 0, trees_names,
     "find congestion trees at samples and follow them; docs/MODEL.md says what a tree is. auto: "
     "in single runs, as often as costs less than 3 %, and only the trees are kept; not in "
     "sweeps and studies. yes: also pictures of the network over time, to be played"},
    {"tree_sample", COP_OPT_TIME, R(tree_sample_ps), "auto", 4, MAX_TIME, auto_or_0,
     "time from sample to sample of `trees`; auto: duration / 100, of which those are left out "
     "that would make the run take 3 % more instructions"},
    {"tree_threshold", COP_OPT_BYTES, R(tree_threshold_bytes), "auto", 1, 1e12, auto_or_0,
     "bytes that wait for a port that is the root of a tree, at least; auto: half of the smallest "
     "input buffer of its switch"},
    {"watch_limit", COP_OPT_INT, R(watch_limit), "1000", 0, 1e9, NULL,
     "--watch: trace lines at most"},
    {0}};
