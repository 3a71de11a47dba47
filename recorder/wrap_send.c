// Sends and receives: blocking, non-blocking, persistent.
//
// A synchronous, ready or buffered send is written as a send: GOAL has one kind, and the simulator
// decides by length whether it waits for its receive. Nothing waits for the end of a buffered send.
#include "wrap.h"

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int start_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int blocking(send_call *call, bool waits, const void *buf, int count, MPI_Datatype type,
                    int dest, int tag, MPI_Comm comm)
{
    if (!rec_enter())
        return call(buf, count, type, dest, tag, comm);
    int rc = call(buf, count, type, dest, tag, comm);
    if (rc == MPI_SUCCESS) {
        struct rec_ref ref =
            rec_message(REC_SEND, rec_comm_of(comm), dest, tag, rec_bytes(count, type), NULL);
        if (waits)
            rec_want(&rec.to.main, ref.op);
    }
    return rec_leave(rc);
}

static int starting(start_call *call, const void *buf, int count, MPI_Datatype type, int dest,
                    int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return call(buf, count, type, dest, tag, comm, request);
    int rc = call(buf, count, type, dest, tag, comm, request);
    if (rc == MPI_SUCCESS) {
        struct rec_comm *c = rec_comm_of(comm);
        struct rec_record r;
        struct rec_ref ref = rec_message(REC_SEND, c, dest, tag, rec_bytes(count, type), &r);
        if (ref.op) {
            struct rec_request *q = rec_request_add(*request, c);
            q->kind = REC_REQ_SEND;
            q->ref = ref;
        }
    }
    return rec_leave(rc);
}

static int preparing(start_call *call, const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return call(buf, count, type, dest, tag, comm, request);
    int rc = call(buf, count, type, dest, tag, comm, request);
    struct rec_comm *c = rc == MPI_SUCCESS ? rec_comm_of(comm) : NULL;
    if (c && dest != MPI_PROC_NULL) {
        struct rec_request *q = rec_request_add(*request, c);
        q->kind = REC_REQ_SEND;
        q->persistent = true;
        q->active = false;
        q->record = rec_record_of(REC_SEND, c, dest, tag, rec_bytes(count, type));
    }
    return rec_leave(rc);
}

#define BLOCKING(name, waits)                                                                      \
    int MPI_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag,               \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        return blocking(PMPI_##name, waits, buf, count, type, dest, tag, comm);                    \
    }
#define STARTING(name, how)                                                                        \
    int MPI_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag,               \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        return how(PMPI_##name, buf, count, type, dest, tag, comm, request);                       \
    }
BLOCKING(Send, true)
BLOCKING(Ssend, true)
BLOCKING(Rsend, true)
BLOCKING(Bsend, false)
STARTING(Isend, starting)
STARTING(Issend, starting)
STARTING(Irsend, starting)
STARTING(Ibsend, starting)
STARTING(Send_init, preparing)
STARTING(Ssend_init, preparing)
STARTING(Rsend_init, preparing)
STARTING(Bsend_init, preparing)

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Recv(buf, count, type, source, tag, comm, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Recv(buf, count, type, source, tag, comm, s);
    if (rc == MPI_SUCCESS)
        rec_want(&rec.to.main, rec_received(rec_comm_of(comm), source, s).op);
    return rec_leave(rc);
}

// Posts a receive, unless a probe has recorded its message.
static struct rec_ref posted(struct rec_comm *c, int source, int tag, uint64_t bytes,
                             struct rec_record *r, bool *probed)
{
    struct rec_ref ref = {0, 0};
    if (c && source != MPI_PROC_NULL) {
        struct rec_record asked = rec_record_of(REC_RECV, c, source, tag, bytes);
        ref = rec_probe_take(asked.context, asked.peer, asked.tag, r);
    }
    *probed = ref.op != 0;
    return *probed ? ref : rec_message(REC_RECV, c, source, tag, bytes, r);
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Irecv(buf, count, type, source, tag, comm, request);
    int rc = PMPI_Irecv(buf, count, type, source, tag, comm, request);
    if (rc == MPI_SUCCESS) {
        struct rec_comm *c = rec_comm_of(comm);
        struct rec_record r;
        bool probed;
        struct rec_ref ref = posted(c, source, tag, rec_bytes(count, type), &r, &probed);
        if (ref.op) {
            struct rec_request *q = rec_request_add(*request, c);
            q->kind = REC_REQ_RECV;
            q->ref = ref;
            q->record = r;
            q->probed = probed;
        }
    }
    return rec_leave(rc);
}

int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Recv_init(buf, count, type, source, tag, comm, request);
    int rc = PMPI_Recv_init(buf, count, type, source, tag, comm, request);
    struct rec_comm *c = rc == MPI_SUCCESS ? rec_comm_of(comm) : NULL;
    if (c && source != MPI_PROC_NULL) {
        struct rec_request *q = rec_request_add(*request, c);
        q->kind = REC_REQ_RECV;
        q->persistent = true;
        q->active = false;
        q->record = rec_record_of(REC_RECV, c, source, tag, rec_bytes(count, type));
    }
    return rec_leave(rc);
}

static void started(MPI_Request request)
{
    struct rec_request *q = rec_request_find(rec_request_key(request));
    if (!q || !q->persistent || !rec_on())
        return;
    rec_computed();
    q->ref = rec_emit(&rec.to, &rec.to.main, q->record);
    q->active = q->ref.op != 0;
}

int MPI_Start(MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Start(request);
    int rc = PMPI_Start(request);
    if (rc == MPI_SUCCESS)
        started(*request);
    return rec_leave(rc);
}

int MPI_Startall(int count, MPI_Request requests[])
{
    if (!rec_enter())
        return PMPI_Startall(count, requests);
    int rc = PMPI_Startall(count, requests);
    for (int i = 0; rc == MPI_SUCCESS && i < count; i++)
        started(requests[i]);
    return rec_leave(rc);
}

// Both at once: the receive is posted, then the send.
static void both(struct rec_comm *c, int dest, int sendtag, uint64_t bytes, int source,
                 const MPI_Status *s)
{
    struct rec_ref in = rec_received(c, source, s);
    struct rec_ref out = rec_message(REC_SEND, c, dest, sendtag, bytes, NULL);
    rec_want(&rec.to.main, in.op);
    rec_want(&rec.to.main, out.op);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                             recvtype, source, recvtag, comm, status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                           recvtype, source, recvtag, comm, s);
    if (rc == MPI_SUCCESS)
        both(rec_comm_of(comm), dest, sendtag, rec_bytes(sendcount, sendtype), source, s);
    return rec_leave(rc);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                         int recvtag, MPI_Comm comm, MPI_Status *status)
{
    if (!rec_enter())
        return PMPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm,
                                     status);
    MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
    int rc = PMPI_Sendrecv_replace(buf, count, type, dest, sendtag, source, recvtag, comm, s);
    if (rc == MPI_SUCCESS)
        both(rec_comm_of(comm), dest, sendtag, rec_bytes(count, type), source, s);
    return rec_leave(rc);
}
