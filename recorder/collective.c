// Collective operations as sends and receives among the members of a communicator.
//
// PMPI sees that a collective was called, not the messages inside it. They are written as one of the usual algorithms
// would send them, so that readers of the trace need no collectives. The algorithm of the MPI
// library is not known; the choices below are close to those of Open MPI and MPICH for their sizes.
// The arithmetic of reductions takes no time. A collective without data sends nothing, except a
// barrier.
//
//   barrier          dissemination: in round k to the member 2^k after me
//   bcast            binomial tree; from LARGE_BCAST on scatter by a binomial tree, then a ring
//   reduce           binomial tree
//   allreduce        recursive doubling (members beyond a power of two hand over to a neighbour first);
//                    from LARGE_ALLREDUCE on a ring, reduce-scatter then allgather
//   gather, scatter  binomial tree; with counts per member (v) the root and each member in turn
//   allgather        Bruck; from LARGE_ALLGATHER in all on a ring, and with counts (v) always a ring
//   alltoall         pairwise: in step k to the member k after me, from the one k before; Bruck for blocks of
//                    up to SMALL_BLOCK bytes among MANY members or more; with counts (v, w) pairwise, empty ones left out
//   reduce_scatter   pairwise: each member gets the others' parts of its block
//   scan, exscan     in round k to the member 2^k after me, up to the last
//
// Order: a step begins when the one before has ended; within it the receive is posted first.
#include "record.h"
#include <stdlib.h>

enum {
    LARGE_BCAST = 512 << 10,
    LARGE_ALLREDUCE = 10000,
    LARGE_ALLGATHER = 80 << 10,
    SMALL_BLOCK = 200,
    MANY = 12,
};

static const char *const names[REC_COLLECTIVES] = {
    "barrier",  "bcast",     "reduce",     "allreduce", "gather",    "gatherv",        "scatter",
    "scatterv", "allgather", "allgatherv", "alltoall",  "alltoallv", "reduce_scatter", "scan",
};

const char *rec_collective_name(int which)
{
    return names[which];
}

static void post(const struct rec_team *t, uint8_t kind, int peer, uint64_t bytes)
{
    struct rec_record r = {.kind = kind,
                           .flags = REC_COLLECTIVE,
                           .peer = t->world[peer],
                           .tag = t->number,
                           .context = t->context,
                           .value = bytes};
    struct rec_ref ref = rec_emit(t->to, t->cursor, r);
    rec_want(t->cursor, ref.op);
}

static void send(const struct rec_team *t, int peer, uint64_t bytes)
{
    post(t, REC_SEND, peer, bytes);
}

static void receive(const struct rec_team *t, int peer, uint64_t bytes)
{
    post(t, REC_RECV, peer, bytes);
}

// Both at once. A peer below 0 is none.
static void exchange(const struct rec_team *t, int to, uint64_t out, int from, uint64_t in)
{
    struct rec_record r = {.kind = REC_RECV,
                           .flags = REC_COLLECTIVE,
                           .tag = t->number,
                           .context = t->context,
                           .value = in};
    struct rec_ref a = {0, 0}, b = {0, 0};
    if (from >= 0) {
        r.peer = t->world[from];
        a = rec_emit(t->to, t->cursor, r);
    }
    if (to >= 0) {
        r.kind = REC_SEND;
        r.peer = t->world[to];
        r.value = out;
        b = rec_emit(t->to, t->cursor, r);
    }
    rec_want(t->cursor, a.op);
    rec_want(t->cursor, b.op);
}

static int member(const struct rec_team *t, int after)
{
    return (int)(((int64_t)t->me + after + t->size) % t->size);
}

// Bytes of part i when a vector is dealt to all members.
static uint64_t part(const struct rec_team *t, uint64_t bytes, int i)
{
    uint64_t n = (uint64_t)t->size, k = (uint64_t)i;
    return bytes / n + (k < bytes % n);
}

static uint64_t parts(const struct rec_team *t, uint64_t bytes, int from, int count)
{
    uint64_t n = (uint64_t)t->size, rest = bytes % n, a = (uint64_t)from, b = a + (uint64_t)count;
    return bytes / n * (uint64_t)count + (b < rest ? b : rest) - (a < rest ? a : rest);
}

static void barrier(const struct rec_team *t)
{
    for (int64_t step = 1; step < t->size; step *= 2)
        exchange(t, member(t, (int)step), 0, member(t, -(int)step), 0);
}

// Ranks as the tree counts them, from the root.
static int from_root(const struct rec_team *t, int root)
{
    return (t->me - root + t->size) % t->size;
}

static int real(const struct rec_team *t, int root, int v)
{
    return (int)(((int64_t)v + root) % t->size);
}

static void bcast_tree(const struct rec_team *t, int root, uint64_t bytes)
{
    int v = from_root(t, root);
    int64_t bit = 1;
    while (bit < t->size && !(v & bit))
        bit *= 2;
    if (v)
        receive(t, real(t, root, v - (int)bit), bytes);
    for (bit /= 2; bit; bit /= 2)
        if (v + bit < t->size)
            send(t, real(t, root, v + (int)bit), bytes);
}

static void reduce_tree(const struct rec_team *t, int root, uint64_t bytes)
{
    int v = from_root(t, root);
    for (int64_t bit = 1; bit < t->size; bit *= 2) {
        if (v & bit) {
            send(t, real(t, root, v - (int)bit), bytes);
            return;
        }
        if (v + bit < t->size)
            receive(t, real(t, root, v + (int)bit), bytes);
    }
}

// Blocks that member v of the tree holds for those below it: `bit` of them, fewer at the end.
static int below(const struct rec_team *t, int64_t v, int64_t bit)
{
    return (int)(v + bit <= t->size ? bit : t->size - v);
}

// Blocks of `block` bytes, or (block 0) the parts of `whole` bytes.
static uint64_t load(const struct rec_team *t, int64_t v, int64_t bit, uint64_t block,
                     uint64_t whole)
{
    int n = below(t, v, bit);
    return block ? block * (uint64_t)n : parts(t, whole, (int)v, n);
}

static void scatter_tree(const struct rec_team *t, int root, uint64_t block, uint64_t whole)
{
    int v = from_root(t, root);
    int64_t bit = 1;
    while (bit < t->size && !(v & bit))
        bit *= 2;
    if (v)
        receive(t, real(t, root, v - (int)bit), load(t, v, bit, block, whole));
    for (bit /= 2; bit; bit /= 2)
        if (v + bit < t->size)
            send(t, real(t, root, v + (int)bit), load(t, v + bit, bit, block, whole));
}

static void gather_tree(const struct rec_team *t, int root, uint64_t block)
{
    int v = from_root(t, root);
    for (int64_t bit = 1; bit < t->size; bit *= 2) {
        if (v & bit) {
            send(t, real(t, root, v - (int)bit), load(t, v, bit, block, 0));
            return;
        }
        if (v + bit < t->size)
            receive(t, real(t, root, v + (int)bit), load(t, v + bit, bit, block, 0));
    }
}

// The parts of `bytes`, counted from the root, go once round.
static void ring_parts(const struct rec_team *t, int root, uint64_t bytes)
{
    int v = from_root(t, root);
    for (int step = 0; step < t->size - 1; step++) {
        int out = (v - step + t->size) % t->size, in = (v - step - 1 + t->size) % t->size;
        exchange(t, member(t, 1), part(t, bytes, out), member(t, -1), part(t, bytes, in));
    }
}

static void bcast(const struct rec_team *t, int root, uint64_t bytes)
{
    if (bytes < LARGE_BCAST || bytes < (uint64_t)t->size) {
        bcast_tree(t, root, bytes);
    } else {
        scatter_tree(t, root, 0, bytes);
        ring_parts(t, root, bytes);
    }
}

static void allreduce_doubling(const struct rec_team *t, uint64_t bytes)
{
    int power = 1;
    while (power <= t->size / 2)
        power *= 2;
    int rest = t->size - power; // the first 2 * rest members pair up; the odd ones go on
    int me = t->me < 2 * rest ? t->me / 2 : t->me - rest;
    if (t->me < 2 * rest && t->me % 2 == 0) {
        send(t, t->me + 1, bytes);
        receive(t, t->me + 1, bytes);
        return;
    }
    if (t->me < 2 * rest)
        receive(t, t->me - 1, bytes);
    for (int bit = 1; bit < power; bit *= 2) {
        int other = me ^ bit, peer = other < rest ? 2 * other + 1 : other + rest;
        exchange(t, peer, bytes, peer, bytes);
    }
    if (t->me < 2 * rest)
        send(t, t->me - 1, bytes);
}

static void allreduce(const struct rec_team *t, uint64_t bytes)
{
    if (bytes < LARGE_ALLREDUCE || bytes < (uint64_t)t->size) {
        allreduce_doubling(t, bytes);
        return;
    }
    for (int step = 0; step < t->size - 1; step++)
        exchange(t, member(t, 1), part(t, bytes, member(t, -step)), member(t, -1),
                 part(t, bytes, member(t, -step - 1)));
    for (int step = 0; step < t->size - 1; step++)
        exchange(t, member(t, 1), part(t, bytes, member(t, 1 - step)), member(t, -1),
                 part(t, bytes, member(t, -step)));
}

static void allgather(const struct rec_team *t, uint64_t block)
{
    if (block < LARGE_ALLGATHER / (uint64_t)t->size) {
        for (int64_t step = 1; step < t->size; step *= 2) {
            uint64_t n = (uint64_t)(step <= t->size - step ? step : t->size - step);
            exchange(t, member(t, -(int)step), n * block, member(t, (int)step), n * block);
        }
    } else {
        for (int step = 0; step < t->size - 1; step++)
            exchange(t, member(t, 1), block, member(t, -1), block);
    }
}

static void allgatherv(const struct rec_team *t, const uint64_t *bytes)
{
    for (int step = 0; step < t->size - 1; step++)
        exchange(t, member(t, 1), bytes[member(t, -step)], member(t, -1),
                 bytes[member(t, -step - 1)]);
}

static void alltoall(const struct rec_team *t, uint64_t block)
{
    if (block > SMALL_BLOCK || t->size < MANY) {
        for (int step = 1; step < t->size; step++)
            exchange(t, member(t, step), block, member(t, -step), block);
        return;
    }
    for (int64_t bit = 1; bit < t->size; bit *= 2) {
        uint64_t n = 0; // blocks whose distance has this bit
        for (int d = 1; d < t->size; d++)
            n += (d & bit) != 0;
        exchange(t, member(t, (int)bit), n * block, member(t, -(int)bit), n * block);
    }
}

static void alltoallv(const struct rec_team *t, const uint64_t *out, const uint64_t *in)
{
    for (int step = 1; step < t->size; step++) {
        int to = member(t, step), from = member(t, -step);
        exchange(t, out[to] ? to : -1, out[to], in[from] ? from : -1, in[from]);
    }
}

static void reduce_scatter(const struct rec_team *t, const uint64_t *bytes)
{
    for (int step = 1; step < t->size; step++) {
        int to = member(t, step), from = member(t, -step);
        exchange(t, bytes[to] ? to : -1, bytes[to], bytes[t->me] ? from : -1, bytes[t->me]);
    }
}

static void scan(const struct rec_team *t, uint64_t bytes)
{
    for (int64_t step = 1; step < t->size; step *= 2)
        exchange(t, t->me + step < t->size ? (int)(t->me + step) : -1, bytes,
                 t->me >= step ? (int)(t->me - step) : -1, bytes);
}

// The root with each other member in turn, blocks of their own length.
static void linear(const struct rec_team *t, const struct rec_sizes *s, uint8_t at_root)
{
    uint8_t at_others = at_root == REC_SEND ? REC_RECV : REC_SEND;
    if (t->me != s->root) {
        if (s->bytes)
            post(t, at_others, s->root, s->bytes);
        return;
    }
    for (int i = 0; i < t->size; i++)
        if (i != t->me && s->out[i])
            post(t, at_root, i, s->out[i]);
}

void rec_expand(const struct rec_team *t, enum rec_collective which, const struct rec_sizes *s)
{
    bool counted = which == REC_GATHERV || which == REC_SCATTERV || which == REC_ALLGATHERV ||
                   which == REC_ALLTOALLV || which == REC_REDUCE_SCATTER;
    if (t->size < 2 || (!s->bytes && !counted && which != REC_BARRIER))
        return;
    switch (which) {
    case REC_BARRIER:
        barrier(t);
        break;
    case REC_BCAST:
        bcast(t, s->root, s->bytes);
        break;
    case REC_REDUCE:
        reduce_tree(t, s->root, s->bytes);
        break;
    case REC_ALLREDUCE:
        allreduce(t, s->bytes);
        break;
    case REC_GATHER:
        gather_tree(t, s->root, s->bytes);
        break;
    case REC_GATHERV:
        linear(t, s, REC_RECV);
        break;
    case REC_SCATTER:
        scatter_tree(t, s->root, s->bytes, 0);
        break;
    case REC_SCATTERV:
        linear(t, s, REC_SEND);
        break;
    case REC_ALLGATHER:
        allgather(t, s->bytes);
        break;
    case REC_ALLGATHERV:
        allgatherv(t, s->out);
        break;
    case REC_ALLTOALL:
        alltoall(t, s->bytes);
        break;
    case REC_ALLTOALLV:
        alltoallv(t, s->out, s->in);
        break;
    case REC_REDUCE_SCATTER:
        reduce_scatter(t, s->out);
        break;
    case REC_SCAN:
        scan(t, s->bytes);
        break;
    case REC_COLLECTIVES:
        break;
    }
}
