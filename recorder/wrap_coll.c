// Collectives, blocking.
//
// The record is made before the call: where the region of interest ends, the program may end too. Sizes are those of this rank;
// counts are looked at only where MPI says that they matter (at the root, or not in place).
#include "wrap.h"

// Counts per member matter at the root; elsewhere the own block.
#define ROOTV(count, type, counts, types)                                                          \
    {                                                                                              \
        .root = root, .bytes = rec_is_root(comm, root) ? 0 : rec_bytes(count, type),               \
        .out = rec_is_root(comm, root) ? rec_counts(rec_comm_size(comm), counts, types, 0) : NULL  \
    }

int MPI_Barrier(MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Barrier(comm);
    struct rec_sizes s = {.root = 0};
    rec_collective(comm, REC_BARRIER, "Barrier", &s);
    return rec_leave(PMPI_Barrier(comm));
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Bcast(buf, count, type, root, comm);
    struct rec_sizes s = {.root = root, .bytes = rec_bytes(count, type)};
    rec_collective(comm, REC_BCAST, "Bcast", &s);
    return rec_leave(PMPI_Bcast(buf, count, type, root, comm));
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               int root, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm);
    struct rec_sizes s = {.root = root, .bytes = rec_bytes(count, type)};
    rec_collective(comm, REC_REDUCE, "Reduce", &s);
    return rec_leave(PMPI_Reduce(sendbuf, recvbuf, count, type, op, root, comm));
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm);
    struct rec_sizes s = {.bytes = rec_bytes(count, type)};
    rec_collective(comm, REC_ALLREDUCE, "Allreduce", &s);
    return rec_leave(PMPI_Allreduce(sendbuf, recvbuf, count, type, op, comm));
}

int MPI_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
               int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    struct rec_sizes s = {.root = root,
                          .bytes = rec_is_root(comm, root) ? rec_bytes(recvcount, recvtype)
                                                           : rec_bytes(sendcount, sendtype)};
    rec_collective(comm, REC_GATHER, "Gather", &s);
    return rec_leave(
        PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

int MPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                            root, comm);
    struct rec_sizes s = ROOTV(sendcount, sendtype, recvcounts, recvtype);
    rec_collective(comm, REC_GATHERV, "Gatherv", &s);
    return rec_leave(PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                  recvtype, root, comm));
}

int MPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
    struct rec_sizes s = {.root = root,
                          .bytes = rec_is_root(comm, root) ? rec_bytes(sendcount, sendtype)
                                                           : rec_bytes(recvcount, recvtype)};
    rec_collective(comm, REC_SCATTER, "Scatter", &s);
    return rec_leave(
        PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
}

int MPI_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[],
                 MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                 int root, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                             root, comm);
    struct rec_sizes s = ROOTV(recvcount, recvtype, sendcounts, sendtype);
    rec_collective(comm, REC_SCATTERV, "Scatterv", &s);
    return rec_leave(PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                                   recvtype, root, comm));
}

int MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    struct rec_sizes s = {.bytes = rec_bytes(recvcount, recvtype)};
    rec_collective(comm, REC_ALLGATHER, "Allgather", &s);
    return rec_leave(
        PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

int MPI_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                               comm);
    struct rec_sizes s = {.out = rec_counts(rec_comm_size(comm), recvcounts, recvtype, 0)};
    rec_collective(comm, REC_ALLGATHERV, "Allgatherv", &s);
    return rec_leave(
        PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
}

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    struct rec_sizes s = {.bytes = rec_bytes(recvcount, recvtype)};
    rec_collective(comm, REC_ALLTOALL, "Alltoall", &s);
    return rec_leave(
        PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype, comm);
    struct rec_sizes s = {.out = sendbuf == MPI_IN_PLACE
                                     ? rec_counts(rec_comm_size(comm), recvcounts, recvtype, 0)
                                     : rec_counts(rec_comm_size(comm), sendcounts, sendtype, 0),
                          .in = rec_counts(rec_comm_size(comm), recvcounts, recvtype, 1)};
    rec_collective(comm, REC_ALLTOALLV, "Alltoallv", &s);
    return rec_leave(PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                    rdispls, recvtype, comm));
}

int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                  const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes, comm);
    struct rec_sizes s = {.out = sendbuf == MPI_IN_PLACE
                                     ? rec_counts_of(rec_comm_size(comm), recvcounts, recvtypes, 0)
                                     : rec_counts_of(rec_comm_size(comm), sendcounts, sendtypes, 0),
                          .in = rec_counts_of(rec_comm_size(comm), recvcounts, recvtypes, 1)};
    rec_collective(comm, REC_ALLTOALLV, "Alltoallw", &s);
    return rec_leave(PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                    rdispls, recvtypes, comm));
}

int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[],
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm);
    struct rec_sizes s = {.out = rec_counts(rec_comm_size(comm), recvcounts, type, 0)};
    rec_collective(comm, REC_REDUCE_SCATTER, "Reduce_scatter", &s);
    return rec_leave(PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm));
}

int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm);
    struct rec_sizes s = {.bytes = rec_bytes(recvcount, type),
                          .out = rec_same(rec_comm_size(comm), rec_bytes(recvcount, type))};
    rec_collective(comm, REC_REDUCE_SCATTER, "Reduce_scatter_block", &s);
    return rec_leave(PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op, comm));
}

int MPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Scan(sendbuf, recvbuf, count, type, op, comm);
    struct rec_sizes s = {.bytes = rec_bytes(count, type)};
    rec_collective(comm, REC_SCAN, "Scan", &s);
    return rec_leave(PMPI_Scan(sendbuf, recvbuf, count, type, op, comm));
}

int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    if (!rec_enter())
        return PMPI_Exscan(sendbuf, recvbuf, count, type, op, comm);
    struct rec_sizes s = {.bytes = rec_bytes(count, type)};
    rec_collective(comm, REC_SCAN, "Exscan", &s);
    return rec_leave(PMPI_Exscan(sendbuf, recvbuf, count, type, op, comm));
}
