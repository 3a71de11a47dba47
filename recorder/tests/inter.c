// Two halves that talk over an intercommunicator, then merge; and groups that only their members know.
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ranks, data[16] = {0}, members[2] = {0, 3};
    MPI_Comm half, inter, all, few = MPI_COMM_NULL;
    MPI_Group world, group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &inter);
    // member i of one half to member i of the other: 0 to 2, 1 to 3
    if (rank < 2)
        MPI_Send(data, 10 + rank, MPI_CHAR, rank, 1, inter);
    else
        MPI_Recv(data, 16, MPI_CHAR, MPI_ANY_SOURCE, 1, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, rank < 2, &all); // the second half comes first
    MPI_Bcast(data, 14, MPI_CHAR, 0, all);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &group);
    if (rank == 0 || rank == 3)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &few);
    if (few != MPI_COMM_NULL) {
        MPI_Bcast(data, 15, MPI_CHAR, 1, few);
        MPI_Comm_free(&few);
    }
    MPI_Finalize();
    return 0;
}
