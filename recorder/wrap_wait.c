// Waits, tests, probes: what the operations after them wait for.
//
// A test that succeeds is a wait. One that finds nothing leaves no trace. A probe that finds a message records the receive at
// once, because from there on the program knows that the message has come; the receive that follows is the same operation.
#include "wrap.h"
#include <string.h>

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Wait(request, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t key = rec_request_key(*request);
    int rc = PMPI_Wait(request, s);
    if (rc == MPI_SUCCESS)
        rec_ended(key, s);
    return rec_leave(rc);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    if (!rec_enter())
        return PMPI_Waitall(n, requests, statuses);
    MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? rec_statuses(n) : statuses;
    uint64_t *keys = rec_keys(n, requests);
    int rc = PMPI_Waitall(n, requests, s);
    for (int i = 0; rc == MPI_SUCCESS && i < n; i++)
        rec_ended(keys[i], &s[i]);
    return rec_leave(rc);
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Waitany(n, requests, index, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t *keys = rec_keys(n, requests);
    int rc = PMPI_Waitany(n, requests, index, s);
    if (rc == MPI_SUCCESS && *index != MPI_UNDEFINED)
        rec_ended(keys[*index], s);
    return rec_leave(rc);
}

typedef int some_call(int, MPI_Request[], int *, int[], MPI_Status[]);

static int some(some_call *call, int n, MPI_Request requests[], int *done, int indices[],
                MPI_Status statuses[])
{
    if (!rec_enter())
        return call(n, requests, done, indices, statuses);
    MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? rec_statuses(n) : statuses;
    uint64_t *keys = rec_keys(n, requests);
    int rc = call(n, requests, done, indices, s);
    if (rc == MPI_SUCCESS && *done != MPI_UNDEFINED)
        for (int i = 0; i < *done; i++)
            rec_ended(keys[indices[i]], &s[i]);
    rec.polled = rc == MPI_SUCCESS && *done == 0;
    return rec_leave(rc);
}

int MPI_Waitsome(int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    return some(PMPI_Waitsome, n, requests, done, indices, statuses);
}

int MPI_Testsome(int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    return some(PMPI_Testsome, n, requests, done, indices, statuses);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Test(request, flag, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t key = rec_request_key(*request);
    int rc = PMPI_Test(request, flag, s);
    if (rc == MPI_SUCCESS && *flag)
        rec_ended(key, s);
    rec.polled = rc == MPI_SUCCESS && !*flag;
    return rec_leave(rc);
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    if (!rec_enter())
        return PMPI_Testall(n, requests, flag, statuses);
    MPI_Status *s = statuses == MPI_STATUSES_IGNORE ? rec_statuses(n) : statuses;
    uint64_t *keys = rec_keys(n, requests);
    int rc = PMPI_Testall(n, requests, flag, s);
    for (int i = 0; rc == MPI_SUCCESS && *flag && i < n; i++)
        rec_ended(keys[i], &s[i]);
    rec.polled = rc == MPI_SUCCESS && !*flag;
    return rec_leave(rc);
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Testany(n, requests, index, flag, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t *keys = rec_keys(n, requests);
    int rc = PMPI_Testany(n, requests, index, flag, s);
    if (rc == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED)
        rec_ended(keys[*index], s);
    rec.polled = rc == MPI_SUCCESS && !*flag;
    return rec_leave(rc);
}

// It has ended, but its request stays until it is waited for.
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Request_get_status(request, flag, status);
    int rc = PMPI_Request_get_status(request, flag, status);
    struct rec_request *q = rec_request_find(rec_request_key(request));
    if (rc == MPI_SUCCESS && *flag && q && q->active) {
        rec_computed();
        rec_want(&rec.to.main, q->ref.op);
    }
    rec.polled = rc == MPI_SUCCESS && !*flag;
    return rec_leave(rc);
}

// The message of a receive from any source stays unknown: neither it nor its send can be recorded.
int MPI_Request_free(MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Request_free(request);
    struct rec_request *q = rec_request_find(rec_request_key(*request));
    int rc = PMPI_Request_free(request);
    if (rc == MPI_SUCCESS && q) {
        if (q->kind == REC_REQ_RECV && q->active && (q->record.peer < 0 || q->record.tag < 0)) {
            struct rec_record nothing = {.kind = REC_CALC};
            rec_spool_patch(&rec.to.spool, q->ref.at, &nothing);
            rec.partial = true;
        }
        rec_request_remove(q);
    }
    return rec_leave(rc);
}

// -- probes --

static void probed(MPI_Comm comm, int source, const MPI_Status *s, uint64_t message)
{
    struct rec_comm *c = rec_comm_of(comm);
    if (!c || source == MPI_PROC_NULL || !rec_on() || s->MPI_SOURCE < 0 ||
        s->MPI_SOURCE >= c->size || c->world[s->MPI_SOURCE] < 0)
        return;
    struct rec_record r =
        rec_record_of(REC_RECV, c, s->MPI_SOURCE, s->MPI_TAG, rec_status_bytes(s));
    if (source == MPI_ANY_SOURCE)
        r.flags |= REC_ANY;
    if (!message && rec_probe_known(r.context, r.peer, r.tag))
        return;
    rec_computed();
    struct rec_ref ref = rec_emit(&rec.to, &rec.to.main, r);
    rec_want(&rec.to.main, ref.op);
    if (ref.op)
        rec_probe_add(ref, &r, message);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Probe(source, tag, comm, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Probe(source, tag, comm, s);
    if (rc == MPI_SUCCESS)
        probed(comm, source, s, 0);
    return rec_leave(rc);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Iprobe(source, tag, comm, flag, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Iprobe(source, tag, comm, flag, s);
    if (rc == MPI_SUCCESS && *flag)
        probed(comm, source, s, 0);
    rec.polled = rc == MPI_SUCCESS && !*flag;
    return rec_leave(rc);
}

static uint64_t message_key(MPI_Message m)
{
    uint64_t key = 0;
    _Static_assert(sizeof m <= sizeof key, "a message is a pointer or an integer");
    memcpy(&key, &m, sizeof m);
    return m == MPI_MESSAGE_NO_PROC || m == MPI_MESSAGE_NULL ? 0 : key;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Mprobe(source, tag, comm, message, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Mprobe(source, tag, comm, message, s);
    if (rc == MPI_SUCCESS && message_key(*message))
        probed(comm, source, s, message_key(*message));
    return rec_leave(rc);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Improbe(source, tag, comm, flag, message, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Improbe(source, tag, comm, flag, message, s);
    if (rc == MPI_SUCCESS && *flag && message_key(*message))
        probed(comm, source, s, message_key(*message));
    rec.polled = rc == MPI_SUCCESS && !*flag;
    return rec_leave(rc);
}

// The message was recorded when it was found, and everything since waits for it.
int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Mrecv(buf, count, type, message, status);
    struct rec_record r;
    uint64_t key = message_key(*message);
    int rc = PMPI_Mrecv(buf, count, type, message, status);
    if (rc == MPI_SUCCESS && key)
        rec_probe_take_message(key, &r);
    return rec_leave(rc);
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Imrecv(buf, count, type, message, request);
    struct rec_record r;
    uint64_t key = message_key(*message);
    int rc = PMPI_Imrecv(buf, count, type, message, request);
    if (rc == MPI_SUCCESS && key)
        rec_probe_take_message(key, &r);
    return rec_leave(rc);
}
