/* Option table of one entry of the `traffic` list. */
#include "app/coll.h"
#include "traffic/traffic_cfg.h"

#define MAX_RATE 1e14
#define MAX_TIME 1e16
#define MAX_HOST 1e9
#define MAX_BYTES 268435456.0 /* 256 MiB */
#define NEVER 18446744073709551615.0

static const char *const pattern_names[] = {"uniform",
                                            "fixed",
                                            "all-to-one",
                                            "list",
                                            "hotspot",
                                            "hot-region",
                                            "group-adversarial",
                                            "random-permutation",
                                            "bit-reversal",
                                            "bit-complement",
                                            "perfect-shuffle",
                                            "transpose",
                                            "tornado",
                                            "neighbour",
                                            "forest",
                                            NULL};
static const char *const exchange_names[] = {"none",         "ping-pong",   "all-pairs",
                                             "natural-ring", "random-ring", "grid-transpose",
                                             "all-to-all",   NULL};
static const char *const placement_names[] = {"linear", "random", "spread", "groups", "file", NULL};
static const char *const to_order_names[] = {"round-robin", "random", "by-source", NULL};
static const char *const arrival_names[] = {"saturated", "constant", "bernoulli", "poisson",
                                            "pulses",    "on-off",   NULL};
static const char *const pulse_names[] = {"bernoulli", "constant", "poisson", NULL};
static const char *const burst_names[] = {"exponential", "pareto", NULL};
static const char *const phase_names[] = {"auto", "together", "random", NULL};
static const char *const region_names[] = {"first", "spread", NULL};
static const char *const mix_names[] = {"drawn", "even", NULL};
static const char *const size_names[] = {"fixed", "uniform", "bimodal", "list", NULL};

/* Words for "not given". A second name 0 is for older files, in options for which 0 is no value. */
static const char *const auto_or_0[] = {"auto", "0", NULL};
static const char *const automatic[] = {"auto", NULL};
static const char *const never_or_0[] = {"never", "0", NULL};
static const char *const per_message[] = {"message", NULL};
static const char *const unlimited[] = {"unlimited", NULL};

#define T(field) offsetof(cop_traffic_cfg, field)
const cop_opt cop_traffic_opts[] = {
    {"name", COP_OPT_STRING, T(name), "", 0, 0, NULL,
     "of the entry in results; not given: traffic0, traffic1, ... in order"},
    {"from", COP_OPT_STRING, T(from), "all", 0, 0, NULL,
     "sending hosts: all; rest (hosts no earlier entry uses); the name of an earlier entry (its "
     "hosts), or of a host if the topology has names; numbers from 0 and ranges such as \"0, 3, "
     "8-15, "
     "16-62:2\""},
    {"except", COP_OPT_STRING, T(except), "", 0, 0, NULL,
     "hosts taken out of `from`, written in the same way"},
    {"share", COP_OPT_SHARE, T(share), "100 %", 0, 1, NULL,
     "share of the hosts of `from` that send, picked at random by the seed"},
    {"pattern", COP_OPT_ENUM, T(pattern), "uniform", 0, 0, pattern_names,
     "destinations: any other host; one host `to` (all-to-one: but not from itself); `to_list`; "
     "hotspot `to`; hot region; a random host of another group; permutations of all hosts, where a "
     "host mapped to itself is silent; forest of congestion trees with V, C and B nodes"},
    {"to", COP_OPT_STRING, T(to), "", 0, 0, NULL,
     "fixed, all-to-one, hotspot: the host they aim at, by number from 0, or by name: h4, or the "
     "topology's own"},
    {"to_list", COP_OPT_INTS, T(to_list), "", 0, MAX_HOST, NULL,
     "list: hosts to send to; a sender in the list leaves itself out"},
    {"to_order", COP_OPT_ENUM, T(to_order), "round-robin", 0, 0, to_order_names,
     "list: message by message in turn; at random; or by-source: the i-th sender always sends to "
     "item i modulo the list's length"},
    {"self", COP_OPT_BOOL, T(self), "no", 0, 0, NULL,
     "uniform, hotspot, hot-region, forest: a destination drawn among all hosts may be the sender "
     "itself; such a packet goes to the first switch and back"},
    {"hot_share", COP_OPT_SHARE, T(hot_share), "25 %", 0, 1, NULL,
     "hotspot, hot-region: share of the messages to the hot place; the rest goes to any other "
     "host"},
    {"region", COP_OPT_SHARE, T(region), "12.5 %", 0, 1, NULL,
     "hot-region: share of all hosts that are hot"},
    {"region_place", COP_OPT_ENUM, T(region_place), "first", 0, 0, region_names,
     "hot-region: which hosts these are: from host 0 on, which fills whole groups of a network, or "
     "evenly spread over all"},
    {"offset", COP_OPT_INT, T(offset), "1", -MAX_HOST, MAX_HOST, NULL,
     "group-adversarial: group g sends to group g + offset"},
    {"group_size", COP_OPT_INT, T(group_size), "auto", 1, MAX_HOST, auto_or_0,
     "group-adversarial: hosts per group; auto: a group of the dragonfly"},
    {"b_share", COP_OPT_SHARE, T(b_share), "0 %", 0, 1, NULL,
     "forest: share of the senders that are B nodes (x), at random places"},
    {"v_share", COP_OPT_SHARE, T(v_share), "20 %", 0, 1, NULL,
     "forest: share of the other senders that are V nodes (uniform traffic); the rest are C nodes "
     "(all to their hotspot)"},
    {"p", COP_OPT_SHARE, T(p), "50 %", 0, 1, NULL,
     "forest: share of a B node's rate that is meant for its hotspot; the rest is uniform"},
    {"mix", COP_OPT_ENUM, T(mix), "drawn", 0, 0, mix_names,
     "forest: a B node draws for each message whether it is for the hotspot, with chance p; or its "
     "two parts come evenly, each at its share of the rate"},
    {"hotspots", COP_OPT_INT, T(hotspots), "8", 1, MAX_HOST, NULL,
     "forest: number of subsets of C and B nodes, each with a hotspot of its own"},
    {"lifetime", COP_OPT_TIME, T(lifetime_ps), "never", 1, MAX_TIME, never_or_0,
     "forest: all hotspots move at random after this time. A node is silent towards the "
     "hotspot while it is the hotspot itself"},
    {"contribute", COP_OPT_BOOL, T(contribute), "yes", 0, 0, NULL,
     "forest: no = same places, but nothing is sent to the hotspots (reference run)"},
    {"trace", COP_OPT_STRING, T(trace), "", 0, 0, NULL,
     "a job instead of `pattern` and `arrival`: a file that says what each rank computes, sends "
     "and receives (GOAL, Chakra, htsim; docs/TRACES.md). Its ranks are on the hosts of `from`"},
    {"collective", COP_OPT_ENUM, T(collective), "none", 0, 0, cop_collective_names,
     "a job: `repeat` times this collective operation of the ranks on the hosts of `from`; "
     "`message` is the vector that is reduced, broadcast, gathered, or has a part for each rank; "
     "`think` is computed before each"},
    {"ranks", COP_OPT_INT, T(ranks), "auto", 1, 1048576, automatic,
     "collective: how many ranks; auto: as many as there is room for"},
    {"repeat", COP_OPT_INT, T(repeat), "1", 1, 1e6, NULL, "collective: how often"},
    {"root", COP_OPT_INT, T(root), "0", 0, 1048575, NULL,
     "collective: the rank that broadcasts, gathers or scatters"},
    {"reduce_rate", COP_OPT_RATE, T(reduce_rate_bps), "unlimited", 1e6, 1e15, unlimited,
     "collective: how fast a rank adds up what it has received; unlimited: it takes no time"},
    {"placement", COP_OPT_ENUM, T(placement), "linear", 0, 0, placement_names,
     "job: ranks on the hosts of `from` in order; at random; one on each group of hosts in turn; "
     "group after group, the groups at random; or as `placement_file` says"},
    {"placement_file", COP_OPT_STRING, T(placement_file), "", 0, 0, NULL,
     "job: the host of each rank in order, by number or name (h4, or the topology's own, in quotes "
     "if it has spaces); # begins a comment"},
    {"ranks_per_host", COP_OPT_INT, T(ranks_per_host), "1", 1, 4096, NULL,
     "job: neighbouring ranks that share a host"},
    {"nics", COP_OPT_INT, T(nics), "1", 1, 256, NULL,
     "job: NICs of a rank, each a host of the network of its own: neighbours in `from`. An "
     "operation with `nic K` uses number K modulo this, at both ends"},
    {"overhead", COP_OPT_TIME, T(overhead_ps), "0", 0, MAX_TIME, NULL,
     "job: o of LogGOPS: what a send or a receive costs a CPU"},
    {"overhead_per_byte", COP_OPT_TIME, T(overhead_byte_ps), "0", 0, 1e6, NULL,
     "job: O of LogGOPS: and for each byte"},
    {"gap", COP_OPT_TIME, T(gap_ps), "0", 0, MAX_TIME, NULL,
     "job: g of LogGOPS: from one message of a NIC to the next at least"},
    {"gap_per_byte", COP_OPT_TIME, T(gap_byte_ps), "0", 0, 1e6, NULL,
     "job: G of LogGOPS: and for each byte but the first; the network's own rate counts besides"},
    {"eager", COP_OPT_BYTES, T(eager_bytes), "64 KiB", 1, 4294967280.0, unlimited,
     "job: S of LogGOPS: longer messages are announced, and sent when the receiver is ready for "
     "them; unlimited: none is"},
    {"request", COP_OPT_BYTES, T(request_bytes), "64 B", 1, 65536, NULL,
     "job: size of such an announcement, and of the answer"},
    {"local_latency", COP_OPT_TIME, T(local_latency_ps), "0", 0, MAX_TIME, NULL,
     "job: of messages between ranks of one host, which do not enter the network"},
    {"local_rate", COP_OPT_RATE, T(local_rate_bps), "unlimited", 1e6, 1e15, unlimited,
     "job: of those messages"},
    {"calc_unit", COP_OPT_TIME, T(calc_unit_ps), "1 ns", 1, 1e12, NULL,
     "trace: one unit of a GOAL file's `calc`"},
    {"compute_scale", COP_OPT_REAL, T(compute_scale), "1", 0, 1e6, NULL,
     "job: all computation takes so many times as long"},
    {"bytes_scale", COP_OPT_REAL, T(bytes_scale), "1", 1e-6, 1e6, NULL,
     "trace: all messages have so many times as many bytes, rounded to whole ones; what had some "
     "has at least one"},
    {"exchange", COP_OPT_ENUM, T(exchange), "none", 0, 0, exchange_names,
     "instead of `pattern` and `arrival`: messages that wait for each other, among the hosts of "
     "`from`. ping-pong: hosts 1 and 2, 3 and 4, ...; all-pairs: ping-pong of every pair, one pair "
     "at a time; rings: to both neighbours at once, on when both messages have arrived there and "
     "both from there; grid-transpose: of the grid of hosts; all-to-all: to each other one in "
     "turn"},
    {"think", COP_OPT_TIME, T(think_ps), "0", 0, MAX_TIME, NULL,
     "exchange: a host sends its next messages so long after those before are done (software); "
     "collective: computation before each"},
    {"arrival", COP_OPT_ENUM, T(arrival), "saturated", 0, 0, arrival_names,
     "saturated: always a message waiting; constant rate; bernoulli: chance of a message per "
     "`slot`; poisson; pulses: square wave; on-off: random bursts"},
    {"rate", COP_OPT_RATE, T(rate_bps), "0", 0, MAX_RATE, NULL,
     "what each sender generates; pulses, on-off: while on. Not for saturated; or give `load`"},
    {"load", COP_OPT_SHARE, T(load), "0 %", 0, 1, NULL,
     "`rate` as a share of what the host can send (link rate or nic.inject_rate)"},
    {"low_rate", COP_OPT_RATE, T(low_rate_bps), "0", 0, MAX_RATE, NULL,
     "pulses: rate between pulses; 0 = silent, or give `low_load`"},
    {"low_load", COP_OPT_SHARE, T(low_load), "0 %", 0, 1, NULL,
     "pulses: `low_rate` as a share of what the host can send"},
    {"high_time", COP_OPT_TIME, T(high_time_ps), "0", 0, MAX_TIME, NULL,
     "pulses: length of a pulse; the first one begins at the start"},
    {"low_time", COP_OPT_TIME, T(low_time_ps), "0", 0, MAX_TIME, NULL,
     "pulses: time between two pulses"},
    {"pulse_arrival", COP_OPT_ENUM, T(pulse_arrival), "bernoulli", 0, 0, pulse_names,
     "pulses: arrivals at either rate"},
    {"on_mean", COP_OPT_TIME, T(on_mean_ps), "0", 0, MAX_TIME, NULL,
     "on-off: mean length of a burst; constant rate inside"},
    {"off_mean", COP_OPT_TIME, T(off_mean_ps), "0", 0, MAX_TIME, NULL,
     "on-off: mean time between two bursts"},
    {"bursts", COP_OPT_ENUM, T(bursts), "exponential", 0, 0, burst_names,
     "on-off: how lengths of bursts and of the times between them are distributed. pareto: many "
     "are "
     "short and few very long, so that many senders together are bursty at all time scales "
     "(self-similar)"},
    {"tail", COP_OPT_REAL, T(tail), "1.5", 1.05, 100, NULL,
     "on-off, pareto: index a of the tail, P(longer than x) ~ x^-a. Below 2 the variance is "
     "infinite, and the sum of many senders has the Hurst parameter (3 - a) / 2"},
    {"slot", COP_OPT_TIME, T(slot_ps), "message", 1, MAX_TIME, per_message,
     "bernoulli: a sender decides once per slot of this length, with the chance that makes `rate`; "
     "message: the time that a mean message takes at full rate"},
    {"phase", COP_OPT_ENUM, T(phase), "auto", 0, 0, phase_names,
     "constant, bernoulli: all senders begin their first message time or slot together at the "
     "start, or each at a random part of it; auto = together, forest with drawn mix random"},
    {"message", COP_OPT_BYTES, T(message_bytes), "4 KiB", 1, MAX_BYTES, NULL,
     "size of each message, when `size_distribution` is fixed"},
    {"size_distribution", COP_OPT_ENUM, T(size_kind), "fixed", 0, 0, size_names,
     "of messages: `message`; any whole size from `size_min` to `size_max`; `size_small` or "
     "`size_large`; `sizes` with `weights`"},
    {"size_min", COP_OPT_BYTES, T(size_min_bytes), "64 B", 1, MAX_BYTES, NULL,
     "size_distribution uniform: smallest message"},
    {"size_max", COP_OPT_BYTES, T(size_max_bytes), "4 KiB", 1, MAX_BYTES, NULL,
     "size_distribution uniform: largest message"},
    {"size_small", COP_OPT_BYTES, T(size_small_bytes), "64 B", 1, MAX_BYTES, NULL,
     "size_distribution bimodal: short messages"},
    {"size_large", COP_OPT_BYTES, T(size_large_bytes), "4 KiB", 1, MAX_BYTES, NULL,
     "size_distribution bimodal: long messages"},
    {"small_share", COP_OPT_SHARE, T(small_share), "50 %", 0, 1, NULL,
     "size_distribution bimodal: share of the messages that are short"},
    {"sizes", COP_OPT_INTS, T(sizes), "", 1, MAX_BYTES, NULL,
     "size_distribution list: sizes in bytes, plain integers"},
    {"weights", COP_OPT_INTS, T(weights), "", 0, 4294967295.0, NULL,
     "size_distribution list: how often each of `sizes` comes, as integers; none = equally often"},
    {"messages", COP_OPT_INT, T(messages), "unlimited", 1, 4294967295.0, unlimited,
     "each sender stops after this many messages (of a period of activity)"},
    {"patience", COP_OPT_TIME, T(patience_ps), "unlimited", 1, MAX_TIME, unlimited,
     "messages that the host could not begin within this time are given up, except the last one: "
     "an application that does not run up a backlog; unlimited: all are sent, however late. Not "
     "for "
     "saturated"},
    {"start", COP_OPT_TIME, T(start_ps), "0", 0, MAX_TIME, NULL, "nothing is generated before"},
    {"stop", COP_OPT_TIME, T(stop_ps), "never", 0, NEVER, NULL,
     "nothing is generated from this time on"},
    {"active", COP_OPT_TIMES, T(active), "", 0, MAX_TIME, NULL,
     "times at which the entry goes on, off, on, off, ...; arrivals begin anew each time it goes "
     "on"},
    {"sl", COP_OPT_INT, T(sl), "0", 0, 15, NULL, "service level of the messages"},
    {0}};
