// Collectives: from a call to the messages of collective.c.
#include "wrap.h"

static bool team_of(MPI_Comm comm, const char *name, const struct rec_sizes *s, struct rec_team *t)
{
    struct rec_comm *c = rec_comm_of(comm);
    if (!c)
        return false;
    if (c->inter) {
        rec_warn(REC_WARN_INTER, "collectives of intercommunicators are not recorded");
        return false;
    }
    if (c->is_world)
        rec_world_call(name, s->bytes);
    *t = (struct rec_team){&rec.to, &rec.to.main, c->size, c->me, c->world, c->context, c->number};
    c->number = c->number == INT32_MAX ? 0 : c->number + 1;
    return rec_on();
}

static void expand(struct rec_team *t, enum rec_collective which, const struct rec_sizes *s)
{
    if (rec.options.notes)
        rec_note(t->to, (int)which, s->bytes, t->size);
    rec_expand(t, which, s);
}

void rec_collective(MPI_Comm comm, enum rec_collective which, const char *name,
                    const struct rec_sizes *s)
{
    struct rec_team t;
    if (!team_of(comm, name, s, &t))
        return;
    rec_computed();
    expand(&t, which, s);
}

// Beside the program: a cursor of its own, and an empty computation at which all of it has ended.
void rec_collective_begin(MPI_Comm comm, enum rec_collective which, const char *name,
                          const struct rec_sizes *s, MPI_Request request)
{
    struct rec_team t;
    struct rec_cursor beside;
    if (!team_of(comm, name, s, &t))
        return;
    rec_computed();
    rec_cursor_copy(&beside, &rec.to.main);
    t.cursor = &beside;
    uint64_t before = rec.to.ops;
    expand(&t, which, s);
    if (rec.to.ops != before) {
        struct rec_record end = {.kind = REC_CALC};
        struct rec_request *q = rec_request_add(request, rec_comm_of(comm));
        q->kind = REC_REQ_DONE;
        q->ref = rec_emit(&rec.to, &beside, end);
    }
    rec_cursor_free(&beside);
}

static uint64_t *room_for(int n, int which)
{
    static uint64_t *scratch[2];
    static int room[2];
    if (n > room[which]) {
        room[which] = n;
        scratch[which] = rec_realloc(scratch[which], (size_t)n, sizeof **scratch);
    }
    return scratch[which];
}

uint64_t *rec_counts(int n, const int *counts, MPI_Datatype type, int which)
{
    uint64_t *to = room_for(n, which), each = rec_bytes(1, type);
    for (int i = 0; i < n; i++)
        to[i] = counts[i] > 0 ? (uint64_t)counts[i] * each : 0;
    return to;
}

uint64_t *rec_counts_of(int n, const int *counts, const MPI_Datatype *types, int which)
{
    uint64_t *to = room_for(n, which);
    for (int i = 0; i < n; i++)
        to[i] = rec_bytes(counts[i], types[i]);
    return to;
}

uint64_t *rec_same(int n, uint64_t bytes)
{
    uint64_t *to = room_for(n, 0);
    for (int i = 0; i < n; i++)
        to[i] = bytes;
    return to;
}

int rec_comm_size(MPI_Comm comm)
{
    int n = 0;
    PMPI_Comm_size(comm, &n);
    return n;
}

bool rec_is_root(MPI_Comm comm, int root)
{
    int me = 0;
    PMPI_Comm_rank(comm, &me);
    return me == root;
}
