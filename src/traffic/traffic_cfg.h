/* One entry of the `traffic` list: who sends, where to, when, how much; and how streams are made of
 * the entries. The option table cop_traffic_opts explains every field to the user. */
#ifndef COP_TRAFFIC_CFG_H
#define COP_TRAFFIC_CFG_H

#include "base/opt.h"
#include "net/traffic.h"

enum cop_pattern {
    COP_PATTERN_UNIFORM,
    COP_PATTERN_FIXED,
    COP_PATTERN_ALL_TO_ONE,
    COP_PATTERN_LIST,
    COP_PATTERN_HOTSPOT,
    COP_PATTERN_HOT_REGION,
    COP_PATTERN_GROUP,
    COP_PATTERN_RANDOM_PERMUTATION,
    COP_PATTERN_BIT_REVERSAL,
    COP_PATTERN_BIT_COMPLEMENT,
    COP_PATTERN_SHUFFLE,
    COP_PATTERN_TRANSPOSE,
    COP_PATTERN_TORNADO,
    COP_PATTERN_NEIGHBOUR,
    COP_PATTERN_FOREST,
};

/* Closed-loop exchanges (exchange_kinds.c). */
enum cop_exchange {
    COP_EXCHANGE_NONE,
    COP_EXCHANGE_PING_PONG,
    COP_EXCHANGE_ALL_PAIRS,
    COP_EXCHANGE_NATURAL_RING,
    COP_EXCHANGE_RANDOM_RING,
    COP_EXCHANGE_TRANSPOSE,
    COP_EXCHANGE_ALL_TO_ALL,
};

/* How ranks of a job are put on hosts (app.c). */
enum cop_placement {
    COP_PLACE_LINEAR,
    COP_PLACE_RANDOM,
    COP_PLACE_SPREAD,
    COP_PLACE_GROUPS,
    COP_PLACE_FILE,
};

enum cop_to_order { COP_TO_ROUND_ROBIN, COP_TO_RANDOM, COP_TO_BY_SOURCE };

enum cop_arrival {
    COP_ARRIVAL_SATURATED,
    COP_ARRIVAL_CONSTANT,
    COP_ARRIVAL_BERNOULLI,
    COP_ARRIVAL_POISSON,
    COP_ARRIVAL_PULSES,
    COP_ARRIVAL_ON_OFF,
};

enum cop_pulse_arrival { COP_PULSE_BERNOULLI, COP_PULSE_CONSTANT, COP_PULSE_POISSON };
enum cop_burst_law { COP_BURSTS_EXPONENTIAL, COP_BURSTS_PARETO };
enum cop_phase { COP_PHASE_AUTO, COP_PHASE_TOGETHER, COP_PHASE_RANDOM };
enum cop_region_place { COP_REGION_FIRST, COP_REGION_SPREAD };
enum cop_mix { COP_MIX_DRAWN, COP_MIX_EVEN };
enum cop_size_kind { COP_SIZE_FIXED, COP_SIZE_UNIFORM, COP_SIZE_BIMODAL, COP_SIZE_LIST };

typedef struct cop_traffic_cfg {
    const char *name; /* "": "traffic" and the entry's number from 0 */
    const char *from, *except; /* sets of hosts as text, see hosts.c */
    double share; /* of these hosts, picked at random */
    int pattern; /* enum cop_pattern */
    const char *to; /* host, by number or name; "": not given */
    cop_ints to_list;
    int to_order; /* enum cop_to_order */
    bool self; /* uniform destinations may be the sender */
    double hot_share, region;
    int region_place; /* enum cop_region_place */
    int64_t offset, group_size;
    double b_share, v_share, p; /* forest */
    int64_t hotspots;
    uint64_t lifetime_ps;
    int mix; /* enum cop_mix: of a B node's two parts */
    bool contribute;
    const char *trace; /* file of a program; "": none */
    int collective; /* enum cop_collective */
    int64_t ranks; /* 0: as many as there is room for */
    int64_t repeat, root;
    uint64_t reduce_rate_bps; /* 0: it takes no time */
    int placement; /* enum cop_placement */
    const char *placement_file;
    int64_t ranks_per_host, nics;
    uint64_t overhead_ps, overhead_byte_ps, gap_ps, gap_byte_ps; /* o, O, g, G */
    uint64_t eager_bytes, request_bytes; /* S; 0: all are eager */
    uint64_t local_latency_ps, local_rate_bps;
    uint64_t calc_unit_ps;
    double compute_scale, bytes_scale;
    int exchange; /* enum cop_exchange */
    uint64_t think_ps;
    int arrival; /* enum cop_arrival */
    uint64_t rate_bps; /* 0: not given */
    double load; /* 0: not given */
    uint64_t low_rate_bps;
    double low_load;
    uint64_t high_time_ps, low_time_ps;
    int pulse_arrival; /* enum cop_pulse_arrival */
    uint64_t on_mean_ps, off_mean_ps;
    int bursts; /* enum cop_burst_law */
    double tail; /* of Pareto bursts */
    uint64_t slot_ps; /* bernoulli: 0: the time of a mean message at full rate */
    int phase; /* enum cop_phase */
    uint64_t message_bytes;
    int size_kind; /* enum cop_size_kind */
    uint64_t size_min_bytes, size_max_bytes, size_small_bytes, size_large_bytes;
    double small_share;
    cop_ints sizes, weights;
    int64_t messages; /* per stream; 0: no limit */
    uint64_t patience_ps; /* 0: messages wait for ever */
    uint64_t start_ps, stop_ps;
    cop_times active; /* on, off, on, off, ... */
    int64_t sl;
} cop_traffic_cfg;

extern const cop_opt cop_traffic_opts[];

struct cop_topo;
/* Marks the hosts that `text` names: all, names, numbers, ranges, separated by commas. */
int cop_host_set(const struct cop_topo *t, const char *text, uint8_t *mark, cop_err *err);

/* Facts of the network that traffic needs. */
typedef struct cop_traffic_ctx {
    uint64_t seed;
    const uint64_t *inject_bps; /* [n_hosts] most a host can send: min(link, nic.inject_rate) */
    uint64_t mtu_bytes;
    uint64_t duration_ps; /* nothing is generated at or after it */
    uint64_t warmup_ps; /* exchanges are measured from then on */
    const char *(*where)(const void *ctx, size_t entry, const char *option, char *buf, size_t size);
    const void *where_ctx; /* "file:line:column" of an entry's option, for messages */
} cop_traffic_ctx;

/* Make the streams of all entries. *tr is overwritten; t must outlive it, `entries` need not. After
 * a failure *tr holds nothing. */
int cop_traffic_build(cop_traffic *tr, const cop_topo *t, const cop_traffic_cfg *entries, size_t n,
                      const cop_traffic_ctx *ctx, cop_err *err);
void cop_traffic_free(cop_traffic *tr);

#endif
