/* Shared by the files of src/tree.
 *
 *   watch.c   looks and samples: shares of time, frames, what a sample may cost
 *   find.c    from held channels to trees: which channel is blocked by which
 *   waiting.c flows that wait for each port
 *   census.c  contributors and victims of a tree
 *   follow.c  the same tree at the next sample
 *   judge.c   silent, windy or moving: from records to results
 *
 * A channel is a lane of a sending port: port * lanes + lane. */
#ifndef COP_TREE_INT_H
#define COP_TREE_INT_H

#include "tree/tree.h"

#define LOOKS 8 /* per sample; the last one is at its end */
#define LEAST_SHARE 16 /* one in so many bytes behind a channel must stand for what blocks it */
#define MOST_FLOWS 20000 /* victims that a frame keeps of one tree */
#define MOST_KEPT ((uint64_t)1 << 24) /* words of members and flows, all frames together */
#define MOST_RECORDS 1024
#define PATIENCE 2 /* samples that a tree may be missed and still be the same */

typedef struct tree_edge { /* bytes behind a held channel stand for another */
    uint32_t from, to; /* channels */
    uint32_t bytes;
    uint32_t next; /* edge to the same channel, or COP_NONE */
} tree_edge;

typedef struct tree_found { /* one tree of one sample */
    uint32_t root; /* port of the topology */
    uint32_t first, n; /* members in watch.member */
    uint64_t bytes;
    uint32_t record;
    bool counted;
    uint32_t contributor0, n_contributors; /* in watch.host_list */
    uint32_t victim0, n_victims; /* pairs in watch.flow_list */
} tree_found;

typedef struct tree_channel { /* a member */
    uint32_t channel, depth, next, bytes; /* next: channel; bytes: that stand for it */
} tree_channel;

/* A set of flows that grows: open addressing, key + 1. */
typedef struct tree_flows {
    uint64_t *key;
    size_t mask, n;
} tree_flows;
void cop_tree_flows_add(tree_flows *f, uint64_t key);
void cop_tree_flows_join(tree_flows *into, const tree_flows *other);
void cop_tree_flows_free(tree_flows *f);

typedef struct tree_record { /* a tree over its life */
    bool live;
    uint32_t root, number;
    cop_time begin, end;
    uint32_t samples, links, depth, missed;
    uint32_t counts; /* samples at which contributors and victims were looked for */
    uint64_t bytes_max;
    double bytes_sum, weight; /* weight: bytes x time */
    double wanted, delivered; /* of its victims' streams, bytes */
    uint16_t *hosts; /* [n_hosts] samples in which it was a contributor */
    uint64_t *streams; /* [words of streams] of its victims, at the last census */
    tree_flows victims;
} tree_record;

typedef struct tree_kept { /* a tree at a sample, kept until the end */
    uint32_t record, frame, root, links;
    uint64_t bytes;
    bool counted;
    uint32_t n_members, n_contributors, n_victims;
    cop_tree_member *member; /* heap, as the next two */
    uint32_t *contributor, *victim;
} tree_kept;

typedef struct tree_tally { /* packets of a flow that wait for an output */
    uint64_t flow; /* source << 32 | destination */
    uint32_t out, bytes;
    bool used;
} tree_tally;

struct cop_tree_watch {
    const cop_topo *topo;
    cop_tree_cfg cfg;
    uint32_t lanes, n_streams;
    size_t host_words, stream_words;
    bool per_output, private;
    uint32_t look_steps; /* of a port */
    uint32_t *index; /* [n_ports] place among results, or COP_NONE */
    uint32_t n_index;
    uint64_t *threshold; /* [n_switches] bytes that make a root */
    /* looks of this sample */
    uint32_t n_looks; /* of this sample so far */
    bool idle; /* this sample is left out */
    uint8_t *asks,
        *full; /* [channels] looks at which it had something to send; and no room for it */
    uint8_t *still; /* [n_ports] looks at which the wire was idle for that */
    uint32_t
        *vote; /* [queues] output channel its head waits for most; NULL if queues are per output */
    int8_t *votes;
    uint32_t n_queues;
    uint64_t *busy; /* [n_ports] ps, at the last frame */
    uint8_t *idle_wire; /* [n_ports] not busy all of the sample */
    uint64_t n_samples; /* with those left out */
    cop_time begin; /* of this sample */
    uint64_t *delivered; /* [n_streams] at the last frame */
    cop_time last;
    uint64_t spent; /* steps so far */
    uint64_t spent_before; /* this sample */
    uint64_t price; /* of a sample, steps: what the last one took */
    uint64_t spent_on_census, spent_on_waiting; /* of these */
    /* waiting.c: those of one switch, open addressing */
    tree_tally *tally;
    size_t n_tallies, tally_mask;
    size_t cap_flow; /* of the frame that is being made */
    /* find.c */
    uint8_t *held; /* [channels] */
    uint32_t *edge_to; /* [channels] first edge to it, or COP_NONE */
    uint64_t *waiting; /* [n_ports] bytes that wait for it at its switch */
    uint32_t
        *filled; /* where each queue is of one output: queues, counted from the first of an input,
                         of outputs for which something waits; those of a switch from its first port x lanes on */
    uint32_t *n_filled; /* [n_switches] */
    uint64_t *standing; /* [n_ports] bytes in queues whose head asks for it */
    tree_edge *edge;
    size_t n_edges, cap_edges;
    uint32_t *held_list;
    size_t n_held, cap_held;
    uint32_t *mark; /* [channels] number of the tree that it was last put in */
    uint32_t *seen; /* [channels] number of the tree for which acc is */
    uint32_t *acc; /* [channels] bytes behind it that stand for members */
    uint32_t *port_mark; /* [n_ports] the same of ports */
    uint32_t tree_no;
    tree_channel *channel;
    size_t n_channels, cap_channels;
    tree_found *found;
    size_t n_found, cap_found;
    /* census.c */
    uint32_t *host_list;
    size_t n_hosts, cap_hosts;
    uint64_t *flow_list; /* source << 32 | destination */
    size_t n_flows, cap_flows;
    uint64_t *sources; /* [host_words] with packets for it */
    uint64_t *wanted; /* [host_words] destinations behind the root */
    uint64_t *hot; /* [stream_words] streams with packets for the root */
    /* follow.c */
    tree_record *record;
    size_t n_records, cap_records;
    uint32_t next_number;
    uint64_t dropped;
    uint32_t *record_of; /* [n_ports] live record with this root, or COP_NONE */
    tree_kept *kept;
    size_t n_kept, cap_kept;
    uint64_t kept_words;
    cop_frame *frame;
    size_t n_frames, cap_frames;
    cop_tree_frame *told; /* for the listener */
    size_t cap_told;
    void (*tell)(void *ctx, const cop_tree_now *now);
    void *tell_ctx;
};

static inline void tree_bit_set(uint64_t *set, uint32_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline bool tree_bit(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

/* Is the budget (watch.c) enough for `more` steps? Always, if every sample is wanted. */
bool cop_tree_paid(const cop_tree_watch *w, const struct cop_net *net, uint64_t more);
/* Channel that the packets of this queue wait for, or COP_NONE. */
uint32_t cop_tree_target(const cop_tree_watch *w, uint32_t queue, const cop_queue_look *l);
void cop_tree_find(cop_tree_watch *w, const struct cop_net *net);
/* Which tree each one found is: a record that goes on, or a new one. */
void cop_tree_identify(cop_tree_watch *w, cop_time begin);
/* The flows that wait for each port, into f->flow. */
void cop_tree_waiting(cop_tree_watch *w, const struct cop_net *net, cop_frame *f);
/* Estimated steps of a census of this tree. */
uint64_t cop_tree_census_price(const cop_tree_watch *w, const struct cop_net *net,
                               const tree_found *t);
void cop_tree_census(cop_tree_watch *w, const struct cop_net *net, tree_found *t);
void cop_tree_follow(cop_tree_watch *w, const struct cop_net *net, cop_time now, cop_time span);

#endif
