// Messages and receives that are under way where a trace is written: receives of anything at rank 0, and messages with the tags that
// the recorder's own messages have.
#include <mpi.h>
#include <stdio.h>

enum { MORE = 5 };

int main(int argc, char **argv)
{
    int rank, ranks;
    double part[5] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int other = 1; other < ranks; other++) { // received inside the region
        if (rank == other)
            MPI_Send(part, 5, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
        else if (rank == 0)
            MPI_Recv(part, 5, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    // Sent inside, received behind it; tags 1 and 7.
    static const int tags[2] = {1, 7};
    double mine[3] = {rank, 2.0 * rank, 3.0 * rank}, got[3];
    for (int i = 0; i < 2 && rank > 0; i++)
        MPI_Send(mine, 3, MPI_DOUBLE, rank - 1, tags[i], MPI_COMM_WORLD);
    // Posted inside, matched behind it: by anything.
    MPI_Comm anything = MPI_COMM_WORLD;
    MPI_Request request[MORE];
    double late[MORE];
    int right = 1;
    for (int i = 0; i < 2 && rank + 1 < ranks;
         i++) { // now, so that the receives below are met by what comes late
        MPI_Status s;
        MPI_Probe(rank + 1, tags[i], MPI_COMM_WORLD, &s);
    }
    if (rank == ranks - 1)
        for (int i = 0; i < MORE; i++)
            MPI_Irecv(&late[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, anything, &request[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 && rank + 1 < ranks; i++) {
        MPI_Recv(got, 3, MPI_DOUBLE, rank + 1, tags[i], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        right &= got[2] == 3.0 * (rank + 1);
    }
    for (int i = 0; i < MORE; i++) {
        double v = 10.0 + i;
        if (rank == 0)
            MPI_Send(&v, 1, MPI_DOUBLE, ranks - 1, 50 + i, MPI_COMM_WORLD);
    }
    if (rank == ranks - 1) {
        MPI_Waitall(MORE, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MORE; i++)
            right &= late[i] == 10.0 + i;
    }
    if (right)
        printf("right\n");
    MPI_Finalize();
    return 0;
}
