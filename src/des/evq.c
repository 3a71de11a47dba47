/* Pending events: bucket ring with a heap for the far future, and the heap alone as reference.
 *
 * Ring: time is cut into buckets of 2^shift ps. Bucket number b lives in slot b & mask; only the
 * buckets cur .. cur + mask are in the ring, later events wait in the `far` heap. Inside a bucket
 * an event is one 64-bit key. A bucket is sorted once, when its turn comes; events pushed into it
 * meanwhile (arbitrations of the same instant) are collected, and merged in when they are due. Cost
 * per event does not depend on the number of pending events. */
#include "des/evq.h"

#include "base/mem.h"

#include <string.h>

static void heap_push(cop_heap *h, cop_ev ev)
{
    h->v = cop_grow(h->v, &h->cap, h->n + 1, sizeof(cop_ev));
    size_t i = h->n++;
    while (i > 0) {
        size_t up = (i - 1) / 2;
        if (!cop_ev_before(ev, h->v[up]))
            break;
        h->v[i] = h->v[up];
        i = up;
    }
    h->v[i] = ev;
}

static cop_ev heap_pop(cop_heap *h)
{
    cop_ev top = h->v[0], last = h->v[--h->n];
    size_t i = 0, n = h->n;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && cop_ev_before(h->v[child + 1], h->v[child]))
            child++;
        if (!cop_ev_before(h->v[child], last))
            break;
        h->v[i] = h->v[child];
        i = child;
    }
    h->v[i] = last;
    return top;
}

static void chunk_grow(cop_chunk_keys *c)
{
    COP_CHECK(c->cap <= UINT32_MAX / 2);
    c->cap = c->cap ? c->cap * 2 : 16;
    c->v = cop_realloc_array(c->v, c->cap, sizeof(uint64_t));
}

static inline void chunk_add(cop_chunk_keys *c, uint64_t key)
{
    if (COP_UNLIKELY(c->n == c->cap))
        chunk_grow(c);
    c->v[c->n++] = key;
}

static void chunk_reserve(cop_chunk_keys *c, uint32_t n)
{
    if (c->cap >= n)
        return;
    c->cap = n;
    c->v = cop_realloc_array(c->v, n, sizeof(uint64_t));
}

static void chunk_swap(cop_chunk_keys *a, cop_chunk_keys *b)
{
    cop_chunk_keys t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(uint64_t *v, size_t n)
{
    for (uint64_t *next = v + 1, *end = v + n; next < end; next++) {
        uint64_t key = *next, *at = next;
        if (key < v[0])
            for (; at > v; at--)
                at[0] = at[-1];
        else /* the first one ends the search */
            for (; key < at[-1]; at--)
                at[0] = at[-1];
        *at = key;
    }
}

#define DIGIT_BITS 8
#define DIGITS (1u << DIGIT_BITS)

/* One pass of a radix sort: `from` into `to`, by the digit at `shift`; of its bits those in `mask`,
 * in which keys differ. */
static void radix_pass(const uint64_t *from, uint64_t *to, uint32_t n, unsigned shift,
                       uint32_t mask)
{
    uint32_t start[DIGITS], sum = 0;
    memset(start, 0, (mask + 1) * sizeof(start[0]));
    for (uint32_t i = 0; i < n; i++)
        start[from[i] >> shift & mask]++;
    for (uint32_t d = 0; d <= mask; d++) {
        uint32_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < n; i++)
        to[start[from[i] >> shift & mask]++] = from[i];
}

/* Defer a set of arbitrations until their instant; returns one of them. */
static uint32_t hold(cop_evq *q, uint64_t *set, size_t words, cop_time t)
{
    uint32_t one = 0;
    for (size_t w = 0; w < words; w++) {
        if (set[w])
            one = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(set[w]);
        q->held[w] = set[w];
        set[w] = 0;
    }
    q->held_words = (uint32_t)words;
    q->held_t = t;
    return one;
}

void cop_evq_release_held(cop_evq *q)
{
    for (uint32_t w = 0; w < q->held_words; w++) {
        if (q->held[w] == 0)
            continue;
        q->due[w] |= q->held[w];
        q->due_first = w < q->due_first ? w : q->due_first;
        q->due_last = w > q->due_last ? w : q->due_last;
    }
    q->held_words = 0;
}

/* Each word costs about 12 instructions (of four kinds); a radix sort up to 1650, and 24 per
 * event. */
#define SPARSE_WORDS 128

/* A chunk of events of one instant, as synchronous saturated networks make them. Entities are
 * dense, so a bit per kind and entity is the quickest way to put them in order (duplicates become
 * one). False: too sparse. */
static bool sort_one_instant(cop_evq *q, cop_chunk_keys *c, uint64_t differ)
{
    uint32_t kinds = 0, n = c->n;
    /* Upper bound of the entities: bits of the first one, and bits in which any other differs. */
    size_t words = cop_ev_entity_of((uint32_t)(c->v[0] | differ)) / 64 + 1;
    if (words > SPARSE_WORDS + n)
        return false; /* scanning the bits would cost more than sorting */
    if (q->bits_words < words) { /* all bits are 0 between uses */
        cop_free(q->bits);
        q->bits_words = 2 * words;
        q->bits = cop_alloc_array(cop_product(COP_EV_KINDS, q->bits_words), sizeof(uint64_t));
    }
    uint64_t *set_of[COP_EV_KINDS];
    for (unsigned kind = 0; kind < COP_EV_KINDS; kind++)
        set_of[kind] = &q->bits[kind * q->bits_words];
    for (const uint64_t *key = c->v, *end = key + n; key < end; key++) {
        uint32_t id = (uint32_t)*key, kind = id >> COP_EV_ENTITY_BITS;
        kinds |= 1u << kind;
        set_of[kind][cop_ev_entity_of(id) / 64] |= (uint64_t)1 << (id % 64);
    }
    uint64_t time = c->v[0] & ~(uint64_t)UINT32_MAX;
    uint64_t *out = c->v;
    for (; kinds; kinds &= kinds - 1) {
        uint32_t kind = (uint32_t)__builtin_ctz(kinds);
        uint64_t *set = set_of[kind], base = time | cop_ev_id((enum cop_ev_kind)kind, 0);
        if (kind == COP_EV_ARB && q->due_words >= words && q->held_words == 0) {
            *out++ =
                base + hold(q, set, words, q->high | time >> 32); /* one of them represents all */
            continue;
        }
        for (size_t w = 0; w < words; w++, base += 64) {
            for (uint64_t bits = set[w]; bits; bits &= bits - 1)
                *out++ = base + (uint64_t)__builtin_ctzll(bits);
            set[w] = 0;
        }
    }
    c->n = (uint32_t)(out - c->v);
    return true;
}

/* Sort a chunk: short ones by insertion, long ones of one instant by kind and entity, others by
 * radix, lowest digit first, leaving out the bits in which all keys agree. */
static void sort_chunk(cop_evq *q, cop_chunk_keys *c)
{
    cop_chunk_keys *spare = &q->spare;
    if (c->n <= 32) {
        insertion_sort(c->v, c->n);
        return;
    }
    uint64_t differ = 0;
    uint64_t first = c->v[0];
    for (const uint64_t *key = c->v + 1, *end = c->v + c->n; key < end; key++)
        differ |= *key ^ first;
    if (differ >> 32 == 0 && sort_one_instant(q, c, differ))
        return;
    chunk_reserve(spare, c->n);
    while (differ) {
        unsigned shift = (unsigned)__builtin_ctzll(differ);
        radix_pass(c->v, spare->v, c->n, shift, differ >> shift & (DIGITS - 1));
        spare->n = c->n;
        chunk_swap(c, spare);
        differ = shift + DIGIT_BITS < 64 ? differ & ~(uint64_t)0 << (shift + DIGIT_BITS) : 0;
    }
}

/* Put the end marks behind the current run: one, and one for each place that cop_evq_ahead may
 * read. */
static void end_run(cop_evq *q)
{
    cop_chunk_keys *run = &q->run;
    if (run->cap - run->n <= COP_EVQ_AHEAD)
        chunk_reserve(run, 2 * run->n + COP_EVQ_AHEAD + 1);
    for (uint32_t i = 0; i <= COP_EVQ_AHEAD; i++)
        run->v[run->n + i] = UINT64_MAX;
}

static uint32_t round_up_pow2(uint64_t x, uint32_t min_bits, uint32_t max_bits)
{
    uint32_t bits = min_bits;
    while (bits < max_bits && ((uint64_t)1 << bits) < x)
        bits++;
    return bits;
}

void cop_evq_init(cop_evq *q, bool use_heap, cop_time bucket_ps, cop_time span_ps)
{
    *q = (cop_evq){.use_heap = use_heap, .late_min = UINT64_MAX, .due_first = COP_NONE};
    end_run(q);
    if (use_heap)
        return;
    q->shift = round_up_pow2(bucket_ps, 2, 31);
    uint32_t bits = round_up_pow2(span_ps >> q->shift, 10, 20);
    size_t n = (size_t)1 << bits;
    q->mask = (uint32_t)(n - 1);
    q->bucket = cop_alloc_array(n, sizeof(*q->bucket));
    for (size_t i = 0; i < n; i++)
        q->bucket[i] = &q->none;
    q->nonempty = cop_alloc_array(n / 64, sizeof(uint64_t));
}

void cop_evq_use_due(cop_evq *q, uint32_t n)
{
    q->due_words = n / 64 + 1;
    q->due = cop_alloc_array(q->due_words, sizeof(uint64_t));
    q->held = cop_alloc_array(q->due_words, sizeof(uint64_t));
}

void cop_evq_fini(cop_evq *q)
{
    for (uint32_t i = 0; i < q->n_chunks; i++) {
        cop_free(q->chunk[i]->v);
        cop_free(q->chunk[i]);
    }
    cop_free(q->chunk);
    cop_free(q->free_chunk);
    cop_free(q->far.v);
    cop_free(q->early.v);
    cop_free(q->bucket);
    cop_free(q->nonempty);
    cop_free(q->run.v);
    cop_free(q->late.v);
    cop_free(q->spare.v);
    cop_free(q->bits);
    cop_free(q->due);
    cop_free(q->held);
    *q = (cop_evq){0};
}

/* An empty chunk; the one used last, which is likely in the cache. */
static cop_chunk_keys *new_chunk(cop_evq *q)
{
    if (q->n_free)
        return q->free_chunk[--q->n_free];
    size_t cap = q->cap_chunks;
    q->chunk = cop_grow(q->chunk, &q->cap_chunks, (size_t)q->n_chunks + 1, sizeof(*q->chunk));
    if (cap != q->cap_chunks)
        q->free_chunk = cop_realloc_array(q->free_chunk, q->cap_chunks, sizeof(*q->free_chunk));
    return q->chunk[q->n_chunks++] = cop_alloc(sizeof(cop_chunk_keys));
}

static void ring_add(cop_evq *q, cop_time t, uint32_t id)
{
    uint32_t slot = (uint32_t)(t >> q->shift) & q->mask;
    if (q->bucket[slot] == &q->none) {
        q->bucket[slot] = new_chunk(q);
        q->nonempty[slot / 64] |= (uint64_t)1 << (slot % 64);
        q->buckets_used++;
    }
    chunk_add(q->bucket[slot], cop_ev_key(t, id));
}

/* Any place but a bucket of the ring after the current one. In heap mode the ring has no bucket. */
static void push_aside(cop_evq *q, cop_time t, uint32_t id)
{
    cop_ev ev = {.t = t, .id = id};
    if (q->use_heap) {
        heap_push(&q->far, ev);
    } else if (t >> q->shift == q->cur) {
        uint64_t key = cop_ev_key(t, id);
        chunk_add(&q->late, key);
        q->late_min = key < q->late_min ? key : q->late_min;
    } else {
        bool early = t >> q->shift < q->cur;
        heap_push(early ? &q->early : &q->far, ev);
        if (early)
            q->late_min = 0; /* every pop takes the slow path */
    }
}

void cop_evq_push_slow(cop_evq *q, cop_time t, uint32_t id)
{
    if ((t >> q->shift) - q->cur - 1 < q->mask)
        ring_add(q, t, id);
    else
        push_aside(q, t, id);
}

/* The first non-empty bucket after cur; the ring must not be empty. */
static uint64_t next_bucket(const cop_evq *q)
{
    uint32_t words = (q->mask + 1) / 64;
    uint32_t slot = (uint32_t)(q->cur + 1) & q->mask, word = slot / 64;
    uint64_t bits = q->nonempty[word] & ~(uint64_t)0 << (slot % 64);
    for (uint32_t i = 0; bits == 0; i++) {
        COP_ASSERT(i <= words);
        word = word + 1 == words ? 0 : word + 1;
        bits = q->nonempty[word];
    }
    uint32_t found = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return q->cur + 1 + ((found - slot) & q->mask);
}

/* The current bucket is empty: sort the next one into `run`. False: nothing pending by `until`. */
static bool advance(cop_evq *q, cop_time until)
{
    if (q->buckets_used == 0 && q->far.n == 0)
        return false;
    uint64_t next = q->buckets_used ? next_bucket(q) : UINT64_MAX;
    if (q->far.n && q->far.v[0].t >> q->shift < next)
        next = q->far.v[0].t >> q->shift;
    if (next > until >> q->shift)
        return false;
    q->cur = next;
    q->high = next << q->shift & ~(uint64_t)UINT32_MAX;
    while (q->far.n && (q->far.v[0].t >> q->shift) - q->cur <= q->mask) {
        cop_ev ev = heap_pop(&q->far);
        ring_add(q, ev.t, ev.id);
    }
    uint32_t slot = (uint32_t)q->cur & q->mask;
    cop_chunk_keys *c = q->bucket[slot];
    q->bucket[slot] = &q->none;
    q->nonempty[slot / 64] &= ~((uint64_t)1 << (slot % 64));
    q->buckets_used--;
    chunk_swap(&q->run, c);
    c->n = 0;
    q->free_chunk[q->n_free++] = c;
    q->run_at = 0;
    sort_chunk(q, &q->run);
    end_run(q);
    return true;
}

/* An event pushed into the current bucket is due before the rest of it: sort and merge. */
static void merge_late(cop_evq *q)
{
    sort_chunk(q, &q->late);
    uint32_t a = q->run_at, b = 0, n = 0;
    chunk_reserve(&q->spare, q->run.n - a + q->late.n);
    uint64_t *out = q->spare.v;
    const uint64_t *run = q->run.v, *late = q->late.v;
    while (a < q->run.n && b < q->late.n)
        out[n++] = late[b] < run[a] ? late[b++] : run[a++];
    while (b < q->late.n)
        out[n++] = late[b++];
    while (a < q->run.n)
        out[n++] = run[a++];
    q->spare.n = n;
    chunk_swap(&q->run, &q->spare);
    end_run(q);
    q->run_at = 0;
    q->late.n = 0;
    q->late_min = UINT64_MAX;
}

static bool heap_mode_pop(cop_evq *q, cop_heap *h, cop_time until, cop_ev *ev)
{
    if (h->n == 0 || h->v[0].t > until)
        return false;
    *ev = heap_pop(h);
    cop_evq_remember(q, *ev);
    return true;
}

bool cop_evq_pop_slow(cop_evq *q, cop_time until, cop_ev *ev)
{
    if (q->use_heap)
        return heap_mode_pop(q, &q->far, until, ev);
    if (q->early.n)
        return heap_mode_pop(q, &q->early, until, ev);
    if (q->late.n)
        merge_late(q);
    q->late_min = UINT64_MAX;
    if (q->run_at == q->run.n && !advance(q, until))
        return false;
    uint64_t key = q->run.v[q->run_at];
    *ev = (cop_ev){.t = q->high | key >> 32, .id = (uint32_t)key};
    if (ev->t > until)
        return false;
    q->run_at++;
    cop_evq_remember(q, *ev);
    return true;
}

bool cop_evq_empty(const cop_evq *q)
{
    return q->far.n == 0 && q->early.n == 0 && q->late.n == 0 && q->run_at == q->run.n &&
           q->buckets_used == 0;
}
