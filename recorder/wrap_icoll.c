// Collectives, non-blocking.
//
// The record is made after the call, which gives the request. Sizes are those of this rank; counts are looked at only where MPI says that they matter (at the root, or not in place).
#include "wrap.h"

// Counts per member matter at the root; elsewhere the own block.
#define ROOTV(count, type, counts, types)                                                          \
    {                                                                                              \
        .root = root, .bytes = rec_is_root(comm, root) ? 0 : rec_bytes(count, type),               \
        .out = rec_is_root(comm, root) ? rec_counts(rec_comm_size(comm), counts, types, 0) : NULL  \
    }

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ibarrier(comm, request);
    struct rec_sizes s = {.root = 0};
    int rc = PMPI_Ibarrier(comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_BARRIER, "Ibarrier", &s, *request);
    return rec_leave(rc);
}

int MPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ibcast(buf, count, type, root, comm, request);
    struct rec_sizes s = {.root = root, .bytes = rec_bytes(count, type)};
    int rc = PMPI_Ibcast(buf, count, type, root, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_BCAST, "Ibcast", &s, *request);
    return rec_leave(rc);
}

int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ireduce(sendbuf, recvbuf, count, type, op, root, comm, request);
    struct rec_sizes s = {.root = root, .bytes = rec_bytes(count, type)};
    int rc = PMPI_Ireduce(sendbuf, recvbuf, count, type, op, root, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_REDUCE, "Ireduce", &s, *request);
    return rec_leave(rc);
}

int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iallreduce(sendbuf, recvbuf, count, type, op, comm, request);
    struct rec_sizes s = {.bytes = rec_bytes(count, type)};
    int rc = PMPI_Iallreduce(sendbuf, recvbuf, count, type, op, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_ALLREDUCE, "Iallreduce", &s, *request);
    return rec_leave(rc);
}

int MPI_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                            request);
    struct rec_sizes s = {.root = root,
                          .bytes = rec_is_root(comm, root) ? rec_bytes(recvcount, recvtype)
                                                           : rec_bytes(sendcount, sendtype)};
    int rc = PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                          request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_GATHER, "Igather", &s, *request);
    return rec_leave(rc);
}

int MPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                             root, comm, request);
    struct rec_sizes s = ROOTV(sendcount, sendtype, recvcounts, recvtype);
    int rc = PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                           root, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_GATHERV, "Igatherv", &s, *request);
    return rec_leave(rc);
}

int MPI_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                             request);
    struct rec_sizes s = {.root = root,
                          .bytes = rec_is_root(comm, root) ? rec_bytes(sendcount, sendtype)
                                                           : rec_bytes(recvcount, recvtype)};
    int rc = PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                           request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_SCATTER, "Iscatter", &s, *request);
    return rec_leave(rc);
}

int MPI_Iscatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                              root, comm, request);
    struct rec_sizes s = ROOTV(recvcount, recvtype, sendcounts, sendtype);
    int rc = PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                            root, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_SCATTERV, "Iscatterv", &s, *request);
    return rec_leave(rc);
}

int MPI_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                               request);
    struct rec_sizes s = {.bytes = rec_bytes(recvcount, recvtype)};
    int rc =
        PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_ALLGATHER, "Iallgather", &s, *request);
    return rec_leave(rc);
}

int MPI_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                comm, request);
    struct rec_sizes s = {.out = rec_counts(rec_comm_size(comm), recvcounts, recvtype, 0)};
    int rc = PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                              comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_ALLGATHERV, "Iallgatherv", &s, *request);
    return rec_leave(rc);
}

int MPI_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                              request);
    struct rec_sizes s = {.bytes = rec_bytes(recvcount, recvtype)};
    int rc =
        PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_ALLTOALL, "Ialltoall", &s, *request);
    return rec_leave(rc);
}

int MPI_Ialltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                               recvtype, comm, request);
    struct rec_sizes s = {.out = sendbuf == MPI_IN_PLACE
                                     ? rec_counts(rec_comm_size(comm), recvcounts, recvtype, 0)
                                     : rec_counts(rec_comm_size(comm), sendcounts, sendtype, 0),
                          .in = rec_counts(rec_comm_size(comm), recvcounts, recvtype, 1)};
    int rc = PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                             recvtype, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_ALLTOALLV, "Ialltoallv", &s, *request);
    return rec_leave(rc);
}

int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                               rdispls, recvtypes, comm, request);
    struct rec_sizes s = {.out = sendbuf == MPI_IN_PLACE
                                     ? rec_counts_of(rec_comm_size(comm), recvcounts, recvtypes, 0)
                                     : rec_counts_of(rec_comm_size(comm), sendcounts, sendtypes, 0),
                          .in = rec_counts_of(rec_comm_size(comm), recvcounts, recvtypes, 1)};
    int rc = PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                             recvtypes, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_ALLTOALLV, "Ialltoallw", &s, *request);
    return rec_leave(rc);
}

int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, request);
    struct rec_sizes s = {.out = rec_counts(rec_comm_size(comm), recvcounts, type, 0)};
    int rc = PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_REDUCE_SCATTER, "Ireduce_scatter", &s, *request);
    return rec_leave(rc);
}

int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm, request);
    struct rec_sizes s = {.bytes = rec_bytes(recvcount, type),
                          .out = rec_same(rec_comm_size(comm), rec_bytes(recvcount, type))};
    int rc = PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_REDUCE_SCATTER, "Ireduce_scatter_block", &s, *request);
    return rec_leave(rc);
}

int MPI_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iscan(sendbuf, recvbuf, count, type, op, comm, request);
    struct rec_sizes s = {.bytes = rec_bytes(count, type)};
    int rc = PMPI_Iscan(sendbuf, recvbuf, count, type, op, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_SCAN, "Iscan", &s, *request);
    return rec_leave(rc);
}

int MPI_Iexscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Request *request)
{
    if (!rec_enter())
        return PMPI_Iexscan(sendbuf, recvbuf, count, type, op, comm, request);
    struct rec_sizes s = {.bytes = rec_bytes(count, type)};
    int rc = PMPI_Iexscan(sendbuf, recvbuf, count, type, op, comm, request);
    if (rc == MPI_SUCCESS)
        rec_collective_begin(comm, REC_SCAN, "Iexscan", &s, *request);
    return rec_leave(rc);
}
