// Rank 0 works, rank 1 sleeps, 60 ms each, between two messages.
#include <mpi.h>
#include <time.h>
#include <unistd.h>

static void work(double seconds)
{
    struct timespec t;
    double begin, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    begin = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    do {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    } while (now - begin < seconds);
}

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        work(0.06);
        MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        usleep(60000);
        MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
