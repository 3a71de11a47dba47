// Persistent requests: an operation each time they start.
//  0| l1: send 8b to 1 tag 6
//  0| l2: recv 4b from 1 tag 5
//  0| l2 irequires l1
//  0| l3: send 8b to 1 tag 6
//  0| l3 requires l1
//  0| l3 requires l2
//  0| l4: recv 4b from 1 tag 5
//  0| l4 irequires l3
//  1| l1: recv 8b from 0 tag 6
//  1| l2: send 4b to 0 tag 5
//  1| l2 requires l1
//  1| l3: recv 8b from 0 tag 6
//  1| l3 requires l2
//  1| l4: send 4b to 0 tag 5
//  1| l4 requires l3
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[64];
    MPI_Request r[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send_init(data, 2, MPI_INT, 1, 6, MPI_COMM_WORLD, &r[0]);
        MPI_Recv_init(data + 8, 50, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
        for (int i = 0; i < 2; i++) {
            MPI_Startall(2, r);
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        }
        MPI_Request_free(&r[0]);
        MPI_Request_free(&r[1]);
    } else {
        MPI_Recv_init(data, 2, MPI_INT, 0, 6, MPI_COMM_WORLD, &r[0]);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&r[0]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        }
        MPI_Request_free(&r[0]);
    }
    MPI_Finalize();
    return 0;
}
