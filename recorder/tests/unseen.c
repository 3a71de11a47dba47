// Calls that are not recorded, and are said not to be.
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, n = 2, one = 1, in[4], out[4] = {0};
    void *base;
    MPI_Win win;
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_free(&win);
    }
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &one, 0, &ring);
    MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
