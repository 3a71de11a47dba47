/* The pending event set: the only place where the order of events is defined.
 *
 * An event is 16 bytes: when, which kind, which entity. It carries no payload and no pointer; the
 * state of the entity defines what is due. Events run in the order of (time, kind, entity),
 * whatever the order in which they were pushed, so results do not depend on insertion order or on
 * the implementation.
 * Nothing is ever cancelled: an entity that no longer needs an event ignores it when it comes.
 *
 * Two implementations behind the same functions: a ring of buckets (fast) and a binary heap (the
 * reference). A handler may only push keys greater than the key it is handling (checked). */
#ifndef COP_EVQ_H
#define COP_EVQ_H

#include "base/base.h"

/* Kinds in the order in which they run at one instant: first what frees resources, then what
 * brings packets, then sources, and arbitration last, so that it sees all requests of the instant.
 */
enum cop_ev_kind {
    COP_EV_CREDIT, /* port: credits or a resume reach a blocked sender */
    COP_EV_RELEASE, /* port: buffer space becomes free at a receiver that waits for it */
    COP_EV_CONTROL, /* port: a link-level control message reaches the sender */
    COP_EV_MESSAGE, /* port: a message of the routing has come in */
    COP_EV_NOTICE, /* switch: it makes a notification */
    COP_EV_ARRIVE, /* port: a packet at the input has been routed (hosts: its head is here) */
    COP_EV_FLIT, /* port: wormhole: a packet's head has been routed (hosts: all of it is here) */
    COP_EV_HEAD, /* queue: its head may now request an output */
    COP_EV_PATIENCE, /* queue: its head may have waited for too long (recover.c) */
    COP_EV_APP, /* rank of an application: something is due */
    COP_EV_NIC, /* host: try to send */
    COP_EV_TX, /* port: output buffer may send its next packet */
    COP_EV_ARB, /* output port or switch: arbitrate */
    COP_EV_SAMPLE, /* the run: take samples, check for deadlocks */
    COP_EV_KINDS
};

typedef struct cop_ev {
    cop_time t;
    uint32_t id; /* kind << 28 | entity */
    uint32_t unused;
} cop_ev;
_Static_assert(sizeof(cop_ev) == 16, "an event is 16 bytes");

#define COP_EV_ENTITY_BITS 28
static inline uint32_t cop_ev_id(enum cop_ev_kind kind, uint32_t entity)
{
    return (uint32_t)kind << COP_EV_ENTITY_BITS | entity;
}
static inline enum cop_ev_kind cop_ev_kind_of(uint32_t id)
{
    return (enum cop_ev_kind)(id >> COP_EV_ENTITY_BITS);
}
static inline uint32_t cop_ev_entity_of(uint32_t id)
{
    return id & ((1u << COP_EV_ENTITY_BITS) - 1);
}
/* Inside a bucket an event is one 64-bit key: the lower half of its time above its id. Buckets are
 * aligned and narrower than 2^32 ps, so keys order as events do. */
static inline uint64_t cop_ev_key(cop_time t, uint32_t id)
{
    return t << 32 | id;
}
static inline bool cop_ev_before(cop_ev a, cop_ev b)
{
    return a.t != b.t ? a.t < b.t : a.id < b.id;
}

/* The most places of the run that cop_evq_ahead can read. */
#define COP_EVQ_AHEAD 16u

/* A binary heap of events by value. */
typedef struct cop_heap {
    cop_ev *v;
    size_t n, cap;
} cop_heap;

typedef struct cop_chunk_keys { /* the events of one bucket, in the order of pushing */
    uint64_t *v;
    uint32_t n, cap;
} cop_chunk_keys;

typedef struct cop_evq {
    bool use_heap;
    cop_ev last; /* key being handled */
    cop_heap far; /* beyond the ring; everything in heap mode */
    cop_heap early; /* pushed before the current bucket, after a pop that found no event by
                       `until` */
    /* ring mode */
    uint32_t shift; /* bucket width is 1 << shift picoseconds */
    uint32_t mask; /* number of buckets - 1; 0 in heap mode */
    uint64_t cur; /* absolute number of the bucket being emptied */
    cop_time high; /* the upper half of its times */
    cop_chunk_keys **bucket; /* keys of each bucket, &none if empty */
    cop_chunk_keys none; /* never any keys, no room for one */
    uint64_t *nonempty; /* bit per bucket */
    cop_chunk_keys **chunk; /* all chunks, owned */
    cop_chunk_keys **free_chunk; /* stack of those not in use */
    uint32_t n_chunks, n_free;
    size_t cap_chunks;
    uint32_t buckets_used;
    /* the current bucket: run[run_at .. run.n) is sorted, UINT64_MAX follows; `late` came in
     * meanwhile, unsorted */
    cop_chunk_keys run, late, spare;
    uint32_t run_at;
    uint64_t late_min; /* smallest of `late`, UINT64_MAX if none; 0 while `early` has events */
    uint64_t *bits; /* scratch of the sort: a bit per kind and entity, all 0 in between */
    size_t bits_words;
    /* Arbitrations due at this instant: a bit per entity. They run when nothing else is left at it,
     * in the order of entities, so they need no place in the sorted run. */
    uint64_t *due;
    size_t due_words;
    uint32_t due_first, due_last; /* words that may have bits; due_first COP_NONE: none is due */
    /* Deferred arbitrations: those of one coming instant, represented in the run by one of them. */
    uint64_t *held;
    uint32_t held_words; /* 0: none are deferred */
    cop_time held_t; /* the instant */
} cop_evq;

/* bucket_ps: requested bucket width (rounded to a power of two), about 16 events' worth of time;
 * span_ps: time the ring should cover. Both only matter for speed. */
void cop_evq_init(cop_evq *q, bool use_heap, cop_time bucket_ps, cop_time span_ps);
/* COP_EV_ARB will be used for entities below n. Without it, arbitrations are popped like others. */
void cop_evq_use_due(cop_evq *q, uint32_t n);
void cop_evq_fini(cop_evq *q);
void cop_evq_push_slow(cop_evq *q, cop_time t, uint32_t id);

/* Pushing the same (t, id) twice gives one event or two: handlers must work with both. */
static inline void cop_evq_push(cop_evq *q, cop_time t, uint32_t id)
{
    COP_ASSERT(cop_ev_before(q->last, ((cop_ev){.t = t, .id = id})) ||
               (q->last.t | q->last.id) == 0);
    uint64_t bucket = t >> q->shift;
    if (COP_LIKELY(bucket - q->cur - 1 < q->mask)) {
        cop_chunk_keys *k = q->bucket[(uint32_t)bucket & q->mask];
        if (COP_LIKELY(k->n < k->cap)) {
            k->v[k->n++] = cop_ev_key(t, id);
            return;
        }
    }
    cop_evq_push_slow(q, t, id);
}
/* Take the first event if its time is <= until. */
bool cop_evq_pop_slow(cop_evq *q, cop_time until, cop_ev *ev);

/* The key being handled, for the rule that handlers push only later keys. */
static inline void cop_evq_remember(cop_evq *q, cop_ev ev)
{
#ifdef NDEBUG
    (void)q, (void)ev;
#else
    q->last = ev;
#endif
}

/* Arbitrate `entity` after all other events of this instant. */
static inline void cop_evq_due_now(cop_evq *q, uint32_t entity)
{
    uint32_t word = entity / 64;
    q->due[word] |= (uint64_t)1 << (entity % 64);
    q->due_first = word < q->due_first ? word : q->due_first;
    q->due_last = word > q->due_last ? word : q->due_last;
}

/* A COP_EV_ARB popped at time t may represent many of its instant: make them all due. */
void cop_evq_release_held(cop_evq *q);
static inline void cop_evq_arb_popped(cop_evq *q, cop_time t, uint32_t entity)
{
    cop_evq_due_now(q, entity);
    if (q->held_words && q->held_t == t)
        cop_evq_release_held(q);
}

static inline bool cop_evq_pop(cop_evq *q, cop_time until, cop_ev *ev)
{
    uint64_t key = q->run.v[q->run_at]; /* UINT64_MAX behind the last */
    if (COP_LIKELY(key < q->late_min)) {
        *ev = (cop_ev){.t = q->high | key >> 32, .id = (uint32_t)key};
        if (ev->t > until)
            return false;
        q->run_at++;
        cop_evq_remember(q, *ev);
        return true;
    }
    cop_ev slow; /* so that *ev may stay in registers */
    bool came = cop_evq_pop_slow(q, until, &slow);
    *ev = slow;
    return came;
}
bool cop_evq_empty(const cop_evq *q);

/* The key of the event n < COP_EVQ_AHEAD places behind the next one, if it is known already, else
 * UINT64_MAX. Only a hint, for prefetching: events pushed meanwhile may come before it. */
static inline uint64_t cop_evq_ahead(const cop_evq *q, uint32_t n)
{
    return q->run.v[q->run_at + n];
}

#endif
