// New communicators, and what is not recorded.
//
// Making a communicator is a collective of its parent: its members agree on a number (an allreduce of 4 bytes), and a split
// collects colour and key of all before (an allgather of 8).
#include "wrap.h"

static void agree(MPI_Comm parent, bool split)
{
    struct rec_sizes s = {.bytes = 8};
    if (split)
        rec_collective(parent, REC_ALLGATHER, "Comm_split", &s);
    s.bytes = 4;
    rec_collective(parent, REC_ALLREDUCE, "Comm_new", &s);
}

// params, args: of the call; parent: its communicator; new: the pointer to the one it makes
#define MAKES(name, params, args, parent, new, split)                                              \
    int MPI_##name params                                                                          \
    {                                                                                              \
        if (!rec_enter())                                                                          \
            return PMPI_##name args;                                                               \
        int rc = PMPI_##name args;                                                                 \
        if (rc == MPI_SUCCESS) {                                                                   \
            agree(parent, split);                                                                  \
            rec_comm_adopt(*new);                                                                  \
        }                                                                                          \
        return rec_leave(rc);                                                                      \
    }

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), comm, made, false)
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made), comm,
      made, false)
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), comm,
      made, false)
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made),
      comm, made, true)
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made), comm, made, true)
MAKES(Cart_create,
      (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
      (comm, n, dims, periods, reorder, made), comm, made, false)
MAKES(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made), comm,
      made, true)
MAKES(Graph_create,
      (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (comm, n, index, edges, reorder, made), comm, made, false)
MAKES(Dist_graph_create,
      (MPI_Comm comm, int n, const int from[], const int degrees[], const int to[],
       const int weights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, n, from, degrees, to, weights, info, reorder, made), comm, made, true)
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int indegree, const int from[], const int fromweights[], int outdegree,
       const int to[], const int toweights[], MPI_Info info, int reorder, MPI_Comm *made),
      (comm, indegree, from, fromweights, outdegree, to, toweights, info, reorder, made), comm,
      made, false)

// Only the members of the group call it, so no collective of the parent is recorded.
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    if (!rec_enter())
        return PMPI_Comm_create_group(comm, group, tag, made);
    int rc = PMPI_Comm_create_group(comm, group, tag, made);
    if (rc == MPI_SUCCESS)
        rec_comm_adopt(*made);
    return rec_leave(rc);
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm *made)
{
    if (!rec_enter())
        return PMPI_Intercomm_create(local, leader, peer, remote_leader, tag, made);
    int rc = PMPI_Intercomm_create(local, leader, peer, remote_leader, tag, made);
    if (rc == MPI_SUCCESS)
        rec_comm_adopt(*made);
    return rec_leave(rc);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *made)
{
    if (!rec_enter())
        return PMPI_Intercomm_merge(comm, high, made);
    int rc = PMPI_Intercomm_merge(comm, high, made);
    if (rc == MPI_SUCCESS)
        rec_comm_adopt(*made);
    return rec_leave(rc);
}

// -- said, not recorded --

#define UNSEEN(name, params, args, warning, what)                                                  \
    int MPI_##name params                                                                          \
    {                                                                                              \
        if (!rec_enter())                                                                          \
            return PMPI_##name args;                                                               \
        rec_warn(warning, what);                                                                   \
        return rec_leave(PMPI_##name args);                                                        \
    }
#define WINDOW "one-sided communication (MPI_Win, MPI_Put, MPI_Get) is not recorded"
#define NEIGHBOUR "neighbourhood collectives (MPI_Neighbor_*, MPI_Ineighbor_*) are not recorded"

UNSEEN(Win_create,
       (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win),
       (base, size, unit, info, comm, win), REC_WARN_WINDOW, WINDOW)
UNSEEN(Win_allocate,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win), REC_WARN_WINDOW, WINDOW)
UNSEEN(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win),
       REC_WARN_WINDOW, WINDOW)
UNSEEN(Neighbor_alltoall,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), REC_WARN_NEIGHBOUR,
       NEIGHBOUR)
UNSEEN(Neighbor_allgather,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), REC_WARN_NEIGHBOUR,
       NEIGHBOUR)
UNSEEN(Ineighbor_alltoall,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request),
       REC_WARN_NEIGHBOUR, NEIGHBOUR)
UNSEEN(Neighbor_alltoallv,
       (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
        void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
        MPI_Comm comm),
       (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),
       REC_WARN_NEIGHBOUR, NEIGHBOUR)
UNSEEN(Comm_spawn,
       (const char *command, char *argv[], int most, MPI_Info info, int root, MPI_Comm comm,
        MPI_Comm *made, int codes[]),
       (command, argv, most, info, root, comm, made, codes), REC_WARN_SPAWN,
       "processes that MPI_Comm_spawn starts are not recorded")
