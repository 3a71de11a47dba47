// Every rank to every rank, in three communicators, with tags at both ends of the range.
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ranks, found, *most, data[512];
    MPI_Comm comm[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    MPI_Pcontrol(0);
    comm[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    MPI_Comm_dup(comm[1], &comm[2]);
    MPI_Pcontrol(1);
    int tags[4] = {0, 1, *most - 1, *most};
    for (int c = 2; c >= 0; c--)
        for (int t = 3; t >= 0; t--) {
            MPI_Request r;
            // posted in one order, sent in another: only tags tell them apart
            MPI_Isend(data, 100 * c + t + 1, MPI_CHAR, (rank + 1) % ranks, tags[t], comm[c], &r);
            MPI_Request_free(&r);
        }
    for (int c = 0; c < 3; c++)
        for (int t = 0; t < 4; t++)
            MPI_Recv(data, 400, MPI_CHAR, (rank + ranks - 1) % ranks, tags[t], comm[c],
                     MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
