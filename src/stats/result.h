/* The result of a run: plain values, owned by one arena. Written by stats/, read by the
 * command line, the database and tests. Nothing here refers to the simulation any more. */
#ifndef COP_RESULT_H
#define COP_RESULT_H

#include "base/hist.h"
#include "base/mem.h"
#include "base/outcome.h"

#define COP_MAX_PATH 10000
#define COP_MAX_SLICES 40000

/* One series over time: n bins of sample_ps each, bin i covers [i, i+1) * sample_ps. */
typedef struct cop_series {
    const char *name; /* "throughput/F1", "network/throughput", ... */
    const char *unit; /* "Gbit/s", "ns", "bytes", "packets" */
    uint32_t n;
    double *v;
} cop_series;

/* One stream: one generator at one host. */
typedef struct cop_stream_result {
    const char *entry; /* name of the traffic entry */
    uint32_t host;
    uint32_t dst; /* fixed destination, or COP_NONE */
    uint64_t sent_bytes, delivered_bytes; /* payload, whole run */
    double gbps; /* delivered after the warm-up */
    double latency_mean_ns; /* of packets delivered after the warm-up */
    uint64_t packets; /* delivered after the warm-up */
    bool starves; /* none was, though a message has waited for half of that time or more */
} cop_stream_result;

typedef struct cop_node_result { /* one host, after the warm-up */
    const char *name;
    uint64_t sent_bytes, received_bytes;
    double sent_gbps, received_gbps;
    const char *role; /* in a forest of congestion trees: "V", "C", "B"; else "" */
    double hotspot; /* share of the measured time in which it was a hotspot of a forest */
} cop_node_result;

typedef struct cop_port_result { /* one directed link, after the warm-up */
    const char *name, *to;
    double utilisation; /* share of time the wire was busy */
    double mean_queue_bytes; /* waiting for this port, at samples */
    uint64_t max_queue_bytes;
} cop_port_result;

typedef struct cop_flow_result { /* one (source, destination), when run.flows is on */
    uint32_t src, dst;
    uint64_t packets, bytes; /* delivered after the warm-up */
} cop_flow_result;

/* -- congestion trees, when run.trees is on; ports by their place in cop_result.port -- */

typedef struct cop_frame { /* the network at a sample */
    cop_time t, span; /* its end; time since the frame before */
    uint32_t *waiting; /* [n_ports] bytes, at its end; UINT32_MAX: as many or more */
    uint8_t *blocked, *use; /* [n_ports] share of 255 of the sample */
    /* Whose packets wait where, of ports that were looked at for that: port, how many flows, how many of them
     * follow (COP_MOST_NAMED at most), and of each of these source, destination, bytes. */
    uint32_t *flow;
    uint32_t n_flow; /* words */
} cop_frame;

#define COP_MOST_NAMED 3

typedef struct cop_tree_member {
    uint32_t port, depth; /* the root: 0 */
    uint32_t next; /* member that blocks it; the root: COP_NONE */
    uint32_t bytes; /* that stand for it */
} cop_tree_member;

typedef struct cop_tree_frame { /* a tree at a sample */
    uint32_t tree, frame; /* places in cop_result */
    uint32_t root;
    uint32_t links; /* members, also if they are not kept */
    uint64_t bytes;
    uint32_t n_members, n_contributors, n_victims; /* kept */
    bool counted; /* contributors and victims were looked for */
    cop_tree_member *member; /* root first, then by depth */
    uint32_t *contributor; /* hosts */
    uint32_t *victim; /* source, destination, ... */
} cop_tree_frame;

typedef struct cop_tree_root { /* where a root was */
    uint32_t port;
    cop_time begin, end;
} cop_tree_root;

/* unjudged: seen at too few samples to tell the others apart */
enum cop_tree_kind { COP_TREE_UNJUDGED, COP_TREE_SILENT, COP_TREE_WINDY, COP_TREE_MOVING };

typedef struct cop_tree_result { /* one tree over its life; docs/MODEL.md */
    uint32_t n_roots; /* one more than it has moved */
    cop_tree_root *root;
    cop_time begin, end;
    uint32_t samples, links, depth;
    bool counted; /* contributors and victims were looked for; else they are 0 and mean nothing */
    uint32_t contributors;
    uint64_t victims;
    double loss; /* of the victims; NaN: not known */
    double bytes_mean;
    uint64_t bytes_max;
    double similarity, overlap, contributor_overlap; /* NaN: too short */
    enum cop_tree_kind kind;
} cop_tree_result;

/* "unjudged", "silent", ...; NULL if there is no such kind. */
const char *cop_tree_kind_name(int kind);
typedef struct cop_job_result { /* one application */
    const char *name, *program; /* of the entry; file or collective */
    uint32_t ranks;
    uint64_t operations, left; /* left: not finished */
    bool stuck; /* it can never finish */
    const char *waits; /* not finished: who waits for what; else "" */
    cop_time start, end; /* end COP_NEVER: not finished */
    uint64_t messages, bytes; /* delivered */
    double network_mean_ns, network_max_ns; /* of a message: from the hand-over to its last byte */
    /* What its end depended on; the parts add up to end - start. */
    cop_time path_compute, path_overhead, path_network, path_wait;
    uint64_t path_steps;
} cop_job_result;

typedef struct cop_rank_result {
    uint32_t job, rank, host; /* host: of its first NIC */
    cop_time end; /* COP_NEVER: not finished */
    cop_time compute, overhead; /* of its CPUs */
    cop_time waiting; /* no CPU at work between the job's start and its end, or that of the run */
    uint64_t sends, receives, bytes_sent, bytes_received;
} cop_rank_result;

typedef struct cop_collective_result {
    uint32_t job;
    const char *name;
    uint32_t ranks; /* that take part */
    cop_time start, end; /* first operation begins, last one ends; COP_NEVER: not finished */
} cop_collective_result;

typedef struct cop_path_result { /* a step of the critical path, the last one first */
    uint32_t job, step, rank, line;
    const char *kind; /* "calc", "send", "recv", "wait" */
    cop_time from, to, compute, overhead, network, wait;
} cop_path_result;

typedef struct cop_slice_result { /* of the timeline of a rank; what no slice covers is waiting */
    uint32_t job, rank;
    const char *kind; /* "calc", "send", "recv" */
    cop_time from, to;
} cop_slice_result;

typedef struct cop_scalar {
    const char *name, *unit;
    double value;
} cop_scalar;

typedef struct cop_result {
    cop_arena arena;
    enum cop_outcome outcome;
    const char *detail; /* one or more lines for people; NULL if all is well */
    cop_time sim_time, warmup, sample;
    uint64_t run_hash;
    /* counts of the whole run */
    uint64_t packets_injected, packets_delivered, packets_in_flight, packets_lost;
    uint64_t bytes_injected, bytes_delivered;
    uint64_t events, packet_hops;
    uint64_t credits_missing; /* credit blocks unaccounted for at the end: always 0 */
    /* after the warm-up */
    double throughput_gbps; /* mean per host, delivered payload */
    double throughput_total_gbps; /* sum over hosts */
    double little_mean_in_network; /* time average of packets in the network ... */
    double little_rate_times_latency; /* ... equals arrival rate x mean time in it */
    cop_hist *latency; /* generation -> delivery, ps */
    cop_hist *transit; /* injection (first byte leaves the host) -> delivery, ps */
    double cpu_seconds, build_seconds;
    uint64_t peak_rss_bytes;
    uint32_t n_hosts, n_switches;
    uint32_t n_series, n_streams, n_nodes, n_ports, n_flows, n_scalars;
    cop_series *series;
    cop_stream_result *stream;
    cop_node_result *node;
    cop_port_result *port;
    cop_flow_result *flow;
    uint32_t n_jobs, n_ranks, n_collectives, n_path, n_slices;
    cop_job_result *job;
    cop_rank_result *rank;
    cop_collective_result *collective;
    cop_path_result *path; /* of each job, at most COP_MAX_PATH steps */
    cop_slice_result *slice; /* of each job, about COP_MAX_SLICES; short ones are joined */
    const char *const *rested; /* mechanisms that did nothing, and why, a line each */
    uint32_t n_rested;
    cop_scalar *scalar; /* named extras: congestion control counters, ... */
    bool trees_asked; /* run.trees */
    bool film; /* frames and trees at each sample are kept; else of a frame only its times */
    uint32_t n_trees, n_frames, n_tree_frames;
    uint64_t trees_dropped; /* found, too small to be kept */
    cop_tree_result *tree; /* heaviest first */
    cop_frame *frame;
    cop_tree_frame *tree_frame; /* by tree and frame */
} cop_result;

#endif
