// Messages: from calls to records. Receives get source, tag and length from the status of their end.
#include "wrap.h"
#include <stdlib.h>

uint64_t rec_bytes(int count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS ||
        size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

uint64_t rec_status_bytes(const MPI_Status *status)
{
    MPI_Count n = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &n);
    return n > 0 ? (uint64_t)n : 0;
}

struct rec_record rec_record_of(uint8_t kind, struct rec_comm *c, int peer, int tag, uint64_t bytes)
{
    bool any = peer == MPI_ANY_SOURCE;
    struct rec_record r = {.kind = kind,
                           .flags = any ? REC_ANY : 0,
                           .peer = any || peer < 0 || peer >= c->size ? -1 : c->world[peer],
                           .tag = tag == MPI_ANY_TAG ? -1 : tag,
                           .context = c->context,
                           .value = bytes};
    return r;
}

// Records the computation since the last operation; too short ones are added to the next one.
void rec_computed(void)
{
    double ns = (double)rec.calc_ns * rec.options.scale;
    if (ns < (double)rec.options.min_calc_ns && rec_on())
        return;
    rec.calc_ns = 0;
    if (ns < 1 || !rec_on())
        return;
    struct rec_record r = {.kind = REC_CALC, .value = ns < 1e18 ? (uint64_t)ns : (uint64_t)1e18};
    rec_emit(&rec.to, &rec.to.main, r);
}

static struct rec_ref emit(struct rec_record r)
{
    rec_computed();
    return rec_emit(&rec.to, &rec.to.main, r);
}

struct rec_ref rec_message(uint8_t kind, struct rec_comm *c, int peer, int tag, uint64_t bytes,
                           struct rec_record *kept)
{
    struct rec_ref none = {0, 0};
    if (!c || peer == MPI_PROC_NULL || !rec_on())
        return none;
    struct rec_record r = rec_record_of(kind, c, peer, tag, bytes);
    if (r.peer < 0 && !(r.flags & REC_ANY)) {
        rec_warn(REC_WARN_SPAWN, "messages to processes outside MPI_COMM_WORLD are not recorded");
        return none;
    }
    if (kept)
        *kept = r;
    return emit(r);
}

// -- messages that a probe has found; few at a time --

struct probed {
    struct rec_ref ref;
    struct rec_record record;
    uint64_t message; // of MPI_Mprobe, or 0
};
static struct probed *found;
static size_t founds, found_room;

void rec_probe_forget(void)
{
    founds = 0;
}

void rec_probe_add(struct rec_ref ref, const struct rec_record *r, uint64_t message)
{
    if (founds == found_room) {
        found_room = found_room ? 2 * found_room : 16;
        found = rec_realloc(found, found_room, sizeof *found);
    }
    found[founds++] = (struct probed){ref, *r, message};
}

static struct rec_ref take(size_t i, struct rec_record *record)
{
    struct rec_ref ref = found[i].ref;
    *record = found[i].record;
    for (founds--; i < founds; i++)
        found[i] = found[i + 1];
    return ref;
}

struct rec_ref rec_probe_take(uint32_t context, int source, int tag, struct rec_record *record)
{
    struct rec_ref none = {0, 0};
    for (size_t i = 0; i < founds; i++) {
        const struct rec_record *r = &found[i].record;
        if (!found[i].message && r->context == context && (source < 0 || r->peer == source) &&
            (tag < 0 || r->tag == tag))
            return take(i, record);
    }
    return none;
}

struct rec_ref rec_probe_take_message(uint64_t message, struct rec_record *record)
{
    struct rec_ref none = {0, 0};
    for (size_t i = 0; i < founds; i++)
        if (found[i].message == message)
            return take(i, record);
    return none;
}

bool rec_probe_known(uint32_t context, int source, int tag)
{
    for (size_t i = 0; i < founds; i++) {
        const struct rec_record *r = &found[i].record;
        if (!found[i].message && r->context == context && r->peer == source && r->tag == tag)
            return true;
    }
    return false;
}

struct rec_ref rec_received(struct rec_comm *c, int posted_source, const MPI_Status *status)
{
    struct rec_ref none = {0, 0};
    struct rec_record r;
    if (!c || posted_source == MPI_PROC_NULL || status->MPI_SOURCE < 0 ||
        status->MPI_SOURCE >= c->size)
        return none;
    r = rec_record_of(REC_RECV, c, status->MPI_SOURCE, status->MPI_TAG, rec_status_bytes(status));
    if (posted_source == MPI_ANY_SOURCE)
        r.flags |= REC_ANY;
    struct rec_record earlier;
    struct rec_ref ref = founds ? rec_probe_take(r.context, r.peer, r.tag, &earlier) : none;
    if (ref.op)
        return ref;
    return rec_on() && r.peer >= 0 ? emit(r) : none;
}

// -- the end of a request --

static void receive_ended(struct rec_request *q, const MPI_Status *status)
{
    struct rec_record r = q->record;
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled || status->MPI_SOURCE < 0 || status->MPI_SOURCE >= q->comm->size) {
        r = (struct rec_record){.kind = REC_CALC};
    } else {
        r.peer = q->comm->world[status->MPI_SOURCE];
        r.tag = status->MPI_TAG;
        r.value = rec_status_bytes(status);
    }
    if (q->probed && (cancelled || r.peer != q->record.peer || r.tag != q->record.tag)) {
        rec_probe_add(q->ref, &q->record, 0); // it was another message that the receive took
        q->ref = (struct rec_ref){0, 0};
        if (!cancelled && rec_on())
            q->ref = emit(r);
    } else if (q->ref.op && !q->probed) {
        rec_spool_patch(&rec.to.spool, q->ref.at, &r);
    }
}

static void send_ended(struct rec_request *q, const MPI_Status *status)
{
    struct rec_record r = {.kind = REC_CALC};
    int cancelled = 0;
    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled && q->ref.op)
        rec_spool_patch(&rec.to.spool, q->ref.at, &r);
}

void rec_ended(uint64_t key, const MPI_Status *status)
{
    struct rec_request *q = rec_request_find(key);
    if (!q || !q->active)
        return;
    rec_computed(); // overlapped with the message; what follows waits for it
    if (q->kind == REC_REQ_RECV)
        receive_ended(q, status);
    else if (q->kind == REC_REQ_SEND)
        send_ended(q, status);
    rec_want(&rec.to.main, q->ref.op);
    if (q->persistent)
        q->active = false;
    else
        rec_request_remove(q);
}

uint64_t *rec_keys(int n, const MPI_Request *r)
{
    static uint64_t *keys;
    static int room;
    if (n > room) {
        room = n;
        keys = rec_realloc(keys, (size_t)n, sizeof *keys);
    }
    for (int i = 0; i < n; i++)
        keys[i] = rec_request_key(r[i]);
    return keys;
}

MPI_Status *rec_statuses(int n)
{
    static MPI_Status *statuses;
    static int room;
    if (n > room) {
        room = n;
        statuses = rec_realloc(statuses, (size_t)n, sizeof *statuses);
    }
    return statuses;
}
