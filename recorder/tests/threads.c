// Asks for more threads than can be recorded.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, provided, data = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("provided %d\n", provided);
    MPI_Allreduce(MPI_IN_PLACE, &data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
