// Operations of one rank and what they wait for; see record.h.
#include "record.h"
#include <stdlib.h>
#include <string.h>

void *rec_realloc(void *p, size_t n, size_t size)
{
    void *q = n > SIZE_MAX / size ? NULL : realloc(p, n > 0 ? n * size : 1);
    if (!q) {
        fprintf(stderr, "coppice-mpi: no memory for %zu x %zu bytes\n", n, size);
        abort();
    }
    return q;
}

void rec_want(struct rec_cursor *c, uint64_t op)
{
    if (!op)
        return;
    if (c->wanteds == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        c->wanted = rec_realloc(c->wanted, c->room, sizeof *c->wanted);
    }
    c->wanted[c->wanteds++] = op;
}

static bool put(struct recording *r, uint8_t kind, uint64_t op)
{
    struct rec_record d = {.kind = kind, .value = op};
    return rec_spool_append(&r->spool, &d);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Each once, in order; the last operation only with what is stronger, its end.
static bool put_dependencies(struct recording *r, struct rec_cursor *c)
{
    uint64_t before = 0;
    bool last_ends = c->last_wanted;
    if (c->last_wanted)
        rec_want(c, c->last);
    if (c->wanteds > 1)
        qsort(c->wanted, c->wanteds, sizeof *c->wanted, by_number);
    for (size_t i = 0; i < c->wanteds; i++) {
        if (c->wanted[i] == before)
            continue;
        before = c->wanted[i];
        last_ends |= before == c->last;
        if (!put(r, REC_REQUIRES, before))
            return false;
    }
    return last_ends || !c->last || put(r, REC_IREQUIRES, c->last);
}

struct rec_ref rec_emit(struct recording *r, struct rec_cursor *c, struct rec_record what)
{
    struct rec_ref none = {0, 0};
    if (r->cut || (r->limit && r->ops >= r->limit) || r->spool.fault) {
        r->cut = true;
        return none;
    }
    struct rec_ref ref = {r->ops + 1, r->spool.count};
    if (!rec_spool_append(&r->spool, &what) || !put_dependencies(r, c)) {
        r->cut = true;
        return none;
    }
    r->ops++;
    c->last = ref.op;
    c->last_wanted = what.kind == REC_CALC;
    c->wanteds = 0;
    return ref;
}

void rec_note(struct recording *r, int which, uint64_t bytes, int ranks)
{
    struct rec_record n = {.kind = REC_NOTE, .tag = which, .value = bytes, .peer = ranks};
    if (!r->cut && !rec_spool_append(&r->spool, &n))
        r->cut = true;
}

void rec_cursor_copy(struct rec_cursor *to, const struct rec_cursor *from)
{
    *to = *from;
    to->room = from->wanteds;
    to->wanted = NULL;
    if (from->wanteds) {
        to->wanted = rec_realloc(NULL, from->wanteds, sizeof *to->wanted);
        memcpy(to->wanted, from->wanted, from->wanteds * sizeof *to->wanted);
    }
}

void rec_cursor_free(struct rec_cursor *c)
{
    free(c->wanted);
    memset(c, 0, sizeof *c);
}
