// Tags of the trace: those of the program, of all communicators, and of collectives, in one range below 2^31.
//
// On MPI_COMM_WORLD the program's tags stay as they are. If tags times communicators would not fit (some libraries count
// down from the highest tag), tags are written as their position among those that occur.
#include "wrap.h"
#include "write.h"
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1024 }; // collectives of a communicator that can be under way at once

struct list {
    int32_t *tag;
    size_t tags, room;
};

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void unique(struct list *l)
{
    size_t n = 0;
    if (l->tags)
        qsort(l->tag, l->tags, sizeof *l->tag, by_value);
    for (size_t i = 0; i < l->tags; i++)
        if (!n || l->tag[n - 1] != l->tag[i])
            l->tag[n++] = l->tag[i];
    l->tags = n;
}

static void add(struct list *l, int32_t tag)
{
    if (l->tags == l->room) {
        unique(l);
        if (l->tags >= l->room / 2) {
            l->room = l->room ? 2 * l->room : 4096;
            l->tag = rec_realloc(l->tag, l->room, sizeof *l->tag);
        }
    }
    l->tag[l->tags++] = tag;
}

static bool own_tag(const struct rec_record *r)
{
    return (r->kind == REC_SEND || r->kind == REC_RECV) && !(r->flags & REC_COLLECTIVE);
}

// All tags that occur at some rank, by halves: a rank merges what its partner has, rank 0 tells all.
static void know(struct rec_tags *t, struct rec_spool *s)
{
    struct list l = {0};
    struct rec_record r;
    rec_spool_rewind(s);
    while (rec_spool_next(s, &r))
        if (own_tag(&r))
            add(&l, r.tag);
    unique(&l);
    for (int bit = 1; bit < rec.ranks; bit *= 2) {
        int n = (int)l.tags;
        if (rec.rank & bit) {
            PMPI_Send(&n, 1, MPI_INT, rec.rank - bit, 1, rec.world);
            PMPI_Send(l.tag, n, MPI_INT32_T, rec.rank - bit, 1, rec.world);
            break;
        }
        if (rec.rank + bit >= rec.ranks)
            continue;
        PMPI_Recv(&n, 1, MPI_INT, rec.rank + bit, 1, rec.world, MPI_STATUS_IGNORE);
        int32_t *theirs = rec_realloc(NULL, (size_t)n, sizeof *theirs);
        PMPI_Recv(theirs, n, MPI_INT32_T, rec.rank + bit, 1, rec.world, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++)
            add(&l, theirs[i]);
        unique(&l);
        free(theirs);
    }
    int n = (int)l.tags;
    PMPI_Bcast(&n, 1, MPI_INT, 0, rec.world);
    l.tag = rec_realloc(l.tag, (size_t)n, sizeof *l.tag);
    PMPI_Bcast(l.tag, n, MPI_INT32_T, 0, rec.world);
    t->known = l.tag;
    t->knowns = (size_t)n;
    t->tags = (uint32_t)n;
}

bool rec_tags_agree(struct rec_tags *t, struct rec_spool *s)
{
    uint32_t most[3] = {1, 1, 1}, all[3]; // contexts, tags, numbers
    struct rec_record r;
    rec_spool_rewind(s);
    while (rec_spool_next(s, &r)) {
        if (r.kind != REC_SEND && r.kind != REC_RECV)
            continue;
        uint32_t *m = &most[own_tag(&r) ? 1 : 2], n = r.tag < 0 ? 1 : (uint32_t)r.tag + 1;
        *m = n > *m ? n : *m;
        most[0] = r.context + 1 > most[0] ? r.context + 1 : most[0];
    }
    PMPI_Allreduce(most, all, 3, MPI_UINT32_T, MPI_MAX, rec.world);
    *t = (struct rec_tags){all[0], all[1], all[2] > NUMBERS ? NUMBERS : all[2], NULL, 0};
    if (!rec_tags_fit(t))
        know(t, s);
    return rec_tags_fit(t);
}

void rec_tags_free(struct rec_tags *t)
{
    free((void *)(uintptr_t)t->known);
}
