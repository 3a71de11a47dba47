// Messages of 101 to 104 bytes, with barriers and a bcast between; 102 is where recording is off.
#include <mpi.h>
#include <stdio.h>

static void message(int rank, int bytes)
{
    static char data[256];
    if (rank == 0)
        MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, data[3] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    message(rank, 101);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    message(rank, 102);
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    message(rank, 103);
    MPI_Bcast(data, 3, MPI_INT, 0, MPI_COMM_WORLD);
    message(rank, 104);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("the end\n");
    MPI_Finalize();
    return 0;
}
