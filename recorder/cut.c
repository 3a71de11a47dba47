// Messages of which only one end was recorded: left out, so that the trace can be run.
//
// When: a limit was reached, the region of interest was switched, a receive was given up. Then ranks may have recorded
// different stretches of time.
// Rule: messages from one rank to another with one tag are met in order. If the sender wrote n of them and the receiver m,
// the first min(n, m) of each are kept. A sender tells each receiver its n, which answers with the smaller one.
// State: one entry per peer, tag and direction, while the trace is written.
#include "wrap.h"
#include "write.h"
#include <stdlib.h>
#include <string.h>

struct entry {
    int64_t tag;
    int32_t peer;
    uint8_t kind;
    uint64_t count, kept, passed;
};

struct rec_cut {
    struct entry *entry; // sorted
    size_t entries, room;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->peer != y->peer)
        return x->peer < y->peer ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

// Sorts and makes one entry of those with the same key.
static void gather(struct rec_cut *c)
{
    size_t n = 0;
    if (c->entries)
        qsort(c->entry, c->entries, sizeof *c->entry, by_key);
    for (size_t i = 0; i < c->entries; i++) {
        if (n && by_key(&c->entry[n - 1], &c->entry[i]) == 0)
            c->entry[n - 1].count += c->entry[i].count;
        else
            c->entry[n++] = c->entry[i];
    }
    c->entries = n;
}

static void count_all(struct rec_cut *c, struct rec_spool *s, const struct rec_tags *tags)
{
    struct rec_record r;
    rec_spool_rewind(s);
    while (rec_spool_next(s, &r)) {
        if (r.kind != REC_SEND && r.kind != REC_RECV)
            continue;
        if (c->entries == c->room) {
            gather(c);
            if (c->entries >= c->room / 2) {
                c->room = c->room ? 2 * c->room : 4096;
                c->entry = rec_realloc(c->entry, c->room, sizeof *c->entry);
            }
        }
        c->entry[c->entries++] = (struct entry){rec_tag(tags, &r), r.peer, r.kind, 1, 0, 0};
    }
    gather(c);
}

static struct entry *find(struct rec_cut *c, uint8_t kind, int32_t peer, int64_t tag)
{
    struct entry key = {.kind = kind, .peer = peer, .tag = tag};
    return c->entries ? bsearch(&key, c->entry, c->entries, sizeof key, by_key) : NULL;
}

// What one rank asks another: how many did I send you with this tag?
struct question {
    int64_t tag;
    uint64_t count;
};

static void offsets(int n, const int *counts, int *at)
{
    for (int i = 0, sum = 0; i < n; sum += counts[i++])
        at[i] = sum;
}

static void agree(struct rec_cut *c, int ranks)
{
    MPI_Datatype pair;
    int *asked = rec_realloc(NULL, (size_t)ranks * 4, sizeof *asked), *told = asked + ranks;
    int *asked_at = told + ranks, *told_at = asked_at + ranks;
    size_t sends = 0, in = 0;
    memset(asked, 0, (size_t)ranks * sizeof *asked);
    for (size_t i = 0; i < c->entries; i++)
        if (c->entry[i].kind == REC_SEND) {
            asked[c->entry[i].peer]++;
            sends++;
        }
    PMPI_Type_contiguous(2, MPI_INT64_T, &pair);
    PMPI_Type_commit(&pair);
    PMPI_Alltoall(asked, 1, MPI_INT, told, 1, MPI_INT, rec.world);
    offsets(ranks, asked, asked_at);
    offsets(ranks, told, told_at);
    for (int i = 0; i < ranks; i++)
        in += (size_t)told[i];
    struct question *out = rec_realloc(NULL, sends, sizeof *out);
    struct question *heard = rec_realloc(NULL, in, sizeof *heard);
    for (size_t i = 0; i < sends; i++) // sends come first in the order of entries, peers in order
        out[i] = (struct question){c->entry[i].tag, c->entry[i].count};
    PMPI_Alltoallv(out, asked, asked_at, pair, heard, told, told_at, pair, rec.world);
    for (int rank = 0; rank < ranks; rank++)
        for (int i = told_at[rank]; i < told_at[rank] + told[rank]; i++) {
            struct entry *e = find(c, REC_RECV, rank, heard[i].tag);
            uint64_t mine = e ? e->count : 0;
            heard[i].count = mine < heard[i].count ? mine : heard[i].count;
            if (e)
                e->kept = heard[i].count;
        }
    PMPI_Alltoallv(heard, told, told_at, pair, out, asked, asked_at, pair, rec.world);
    for (size_t i = 0; i < sends; i++)
        c->entry[i].kept = out[i].count;
    PMPI_Type_free(&pair);
    free(out);
    free(heard);
    free(asked);
}

struct rec_cut *rec_cut_new(struct rec_spool *s, const struct rec_tags *tags, int ranks)
{
    struct rec_cut *c = rec_realloc(NULL, 1, sizeof *c);
    memset(c, 0, sizeof *c);
    count_all(c, s, tags);
    agree(c, ranks);
    return c;
}

bool rec_cut_keep(void *state, const struct rec_record *r, int64_t tag)
{
    struct entry *e = find(state, r->kind, r->peer, tag);
    return e && e->passed++ < e->kept;
}

void rec_cut_free(struct rec_cut *c)
{
    if (c)
        free(c->entry);
    free(c);
}
