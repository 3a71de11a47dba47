/* Private to traffic/: an entry after the build.
 *
 * Entries and rates are immutable after the build; a stream changes only when it is taken from.
 * Each entry has its own seed, derived from the run's seed and the entry's number, and inside an
 * entry random streams are keyed by host and part. Appending an entry therefore changes nothing in
 * those before it, and neither does the network's reaction. */
#ifndef COP_TRAFFIC_PRIV_H
#define COP_TRAFFIC_PRIV_H

#include "traffic/traffic_cfg.h"

typedef unsigned __int128 traffic_u128;

#define TRAFFIC_WINDOW_DRAWS 40 /* a period of activity has 2^40 values of each random stream */

/* How a stream finds the destination of a message. */
enum traffic_dest {
    DEST_FIXED,
    DEST_UNIFORM,
    DEST_HOTSPOT,
    DEST_REGION,
    DEST_GROUP,
    DEST_LIST_TURN,
    DEST_LIST_RANDOM,
    DEST_SLOT, /* hotspot of its subset in the present slot of a forest */
};

/* How a stream finds the time of its next message. */
enum traffic_gen { GEN_SATURATED, GEN_CONSTANT, GEN_BERNOULLI, GEN_POISSON, GEN_EXCHANGE, GEN_APP };

/* What switches a stream between its two rates. */
enum traffic_wave { WAVE_NONE, WAVE_SQUARE, WAVE_BURSTS };

/* Entities of the entry's COP_RNG_PLACE streams. */
enum traffic_place { PLACE_SHARE, PLACE_PERMUTATION, PLACE_ROLES, PLACE_HOTSPOTS, PLACE_RANKS };

/* Time is made of work: w (bytes, Q16) take w * num / den picoseconds, exactly. */
typedef struct traffic_rate {
    uint64_t bps; /* mean rate; 0: nothing is generated */
    uint64_t host_bps; /* the host's limit: clock of Bernoulli slots */
    uint64_t num,
        den; /* lowest terms; of host_bps for Bernoulli, else of bps; 1: slots of given length */
    cop_geometric chance; /* Bernoulli: of a slot */
    uint8_t gen;
} traffic_rate;

typedef struct traffic_forest {
    cop_time t0, t_end, lifetime; /* lifetime 0: one slot */
    uint32_t n_hot, n_slots;
    uint32_t *hot; /* [n_slots][n_hot] */
    /* Needed by the build only: */
    uint32_t *subset; /* [n_hosts] of contributors, else COP_NONE */
    uint8_t *role; /* [n_hosts] */
    uint32_t *own_slot0; /* [n_hosts + 1] */
    uint32_t *own_slot; /* slots in which a contributor is its subset's hotspot, ascending */
} traffic_forest;

typedef struct traffic_exchange traffic_exchange; /* exchange.c */

typedef struct traffic_entry {
    uint64_t seed;
    uint32_t n_hosts;
    uint32_t n_src, *src; /* ascending host numbers */
    /* where to */
    uint32_t to, region, group_size, groups, offset;
    bool spread; /* of the region: evenly over all hosts */
    bool self; /* uniform destinations include the sender */
    uint64_t hot_bits; /* hot_share, or p of a forest, as a threshold for 64 random bits */
    uint32_t n_list, *list;
    traffic_forest forest;
    /* how much */
    int size_kind;
    uint32_t size_min, size_span, size_small, size_large;
    uint64_t small_bits, mean_q16;
    uint32_t n_sizes, *size, *size_sum; /* size_sum: running total of weights */
    /* when */
    uint8_t gen, wave;
    bool random_phase;
    cop_time slot; /* Bernoulli: length of a slot; 0: a mean message at the host's full rate */
    cop_time length[2]; /* of high and low phases; WAVE_BURSTS: means */
    double tail; /* WAVE_BURSTS: index of Pareto lengths; 0: they are exponential */
    cop_time start; /* of the entry */
    cop_times active; /* its periods, if it has any; of the configuration */
    uint32_t limit; /* messages per stream; 0: none */
    cop_time patience; /* messages that wait longer are given up; 0: none is */
    traffic_exchange *exchange; /* NULL: what is sent does not depend on what arrives */
} traffic_entry;

typedef struct traffic_model {
    traffic_entry *entry;
    traffic_rate *rate;
} traffic_model;

/* State of cop_traffic_build. */
typedef struct traffic_build {
    cop_traffic *tr;
    const cop_topo *topo;
    const cop_traffic_ctx *ctx;
    cop_err *err;
    traffic_entry *entry; /* of all entries */
    uint32_t at; /* entry being built */
    uint8_t *used; /* [n_hosts] sources of earlier entries */
    traffic_rate *rate; /* grows */
    size_t n_rates, cap_rates;
    cop_stream *stream; /* grows */
    size_t n_streams, cap_streams;
    uint32_t n_links; /* streams of exchanges */
} traffic_build;

/* Add one fault at option `option` of the entry being built; returns -COP_E_INPUT. */
int traffic_fault(traffic_build *b, const char *option, const char *fmt, ...) COP_PRINTF(3, 4);

/* app.c: is the entry a job, and making it one; streams have their final numbers: attach them. */
bool traffic_is_app(const cop_traffic_cfg *cfg);
int traffic_app_build(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
void traffic_app_start(traffic_build *b);

/* place.c: the host of each NIC of each rank. */
int traffic_place_ranks(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                        uint32_t n_ranks, uint32_t *host);

/* hosts.c: the sources of the entry. */
int traffic_sources(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
/* The host of that name, as the topology has it or, if it names none, h0, h1, ...; COP_NONE: no such host. */
uint32_t traffic_named_host(const cop_topo *t, const char *name);
/* The host of that number, digits alone; COP_NONE: no such host. */
uint32_t traffic_numbered_host(const cop_topo *t, const char *text);

/* pattern.c */
int traffic_pattern_check(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
/* Aim the stream of the source number `place`; false if this host has no destination. */
bool traffic_pattern_aim(const cop_topo *t, const cop_traffic_cfg *cfg, const traffic_entry *e,
                         uint32_t place, cop_stream *s);
/* The k-th of the hot hosts: from host 0 on, or evenly spread over all. */
uint32_t traffic_hot_host(const traffic_entry *e, uint32_t k);
uint32_t traffic_pattern_draw(const traffic_entry *e, cop_stream *s, cop_time t_gen, cop_time now);

/* permute.c: COP_NONE if the pattern does not fit n hosts (pattern_check said so before). */
uint32_t traffic_permute(const cop_topo *t, int pattern, uint32_t host);
/* What the number of hosts must be, or NULL if it fits. */
const char *traffic_permute_needs(int pattern, uint32_t n_hosts);

/* forest.c */
int traffic_forest_build(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
uint32_t traffic_forest_slot(const traffic_forest *f, cop_time t);
/* Is the stream's host the hotspot of its own subset at time t? */
static inline bool traffic_forest_self(const traffic_forest *f, const cop_stream *s, cop_time t)
{
    return f->hot[(size_t)traffic_forest_slot(f, t) * f->n_hot + s->aux] == s->host;
}

/* size.c */
int traffic_size_check(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
uint32_t traffic_size_draw(const traffic_entry *e, cop_stream *s);

/* arrival_check.c */
int traffic_arrival_check(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e);
/* Rates of a host: high (the only one of most arrivals) and low. */
void traffic_host_rates(const traffic_build *b, const cop_traffic_cfg *cfg, uint32_t host,
                        uint64_t bps[2]);

/* arrival.c */
/* Chance of a message in a slot, so that messages of the mean size make the rate. */
double traffic_slot_chance(const traffic_entry *e, uint64_t bps, uint64_t host_bps);
/* First t_next of a stream whose t_next is its start; gen, host, part and counters are set. */
void traffic_arrival_start(traffic_build *b, const traffic_entry *e, cop_stream *s,
                           const uint64_t bps[2]);
cop_time traffic_arrival_next(const traffic_entry *e, const traffic_rate *rates, cop_stream *s,
                              uint32_t bytes);

/* Random stream of `purpose` of a stream, at its counter. Two streams that share one process by draw
 * both follow that process. */
static inline cop_rng traffic_rng(const traffic_entry *e, const cop_stream *s,
                                  enum cop_purpose purpose, uint64_t counter)
{
    uint32_t part = s->drawn && purpose != COP_RNG_DEST ? COP_PART_WHOLE : s->part;
    cop_rng r = cop_rng_make(e->seed, purpose, s->host * 4 + part);
    r.counter = counter;
    return r;
}

/* A share as a threshold for 64 random bits; 1 is all of them. */
static inline uint64_t traffic_share_bits(double share)
{
    return share >= 1.0 ? UINT64_MAX : (uint64_t)(share * 0x1p64);
}

static inline bool traffic_share_hit(uint64_t bits, uint64_t random)
{
    return random < bits || bits == UINT64_MAX;
}

/* Nearest whole number of hosts. */
static inline uint32_t traffic_share_of(double share, uint32_t n)
{
    uint32_t k = (uint32_t)(share * (double)n + 0.5);
    return k < n ? k : n;
}

#endif
