// Work beside a message, and work after it.
#include <mpi.h>
#include <time.h>

static void work(void)
{
    struct timespec t;
    long long begin = -1, now;
    do {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        now = t.tv_sec * 1000000000LL + t.tv_nsec;
        if (begin < 0)
            begin = now;
    } while (now - begin < 20000000);
}

int main(int argc, char **argv)
{
    int rank, data = 0;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
        work();
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        work();
    }
    MPI_Finalize();
    return 0;
}
