// Non-blocking messages of two ranks; the order of posting is kept, waits are where the program waits.
//  0| l1: send 4b to 1 tag 1
//  0| l2: send 8b to 1 tag 1
//  0| l2 irequires l1
//  0| l3: recv 12b from 1 tag 2
//  0| l3 irequires l2
//  0| l4: recv 16b from 1 tag 3
//  0| l4 irequires l3
//  0| l5: send 20b to 1 tag 4
//  0| l5 requires l1
//  0| l5 requires l2
//  0| l5 requires l3
//  0| l5 irequires l4
//  0| l6: send 1b to 1 tag 5
//  0| l6 requires l4
//  0| l6 requires l5
//  0| l7: calc 0
//  0| l7 requires l6
//  1| l1: recv 4b from 0 tag 1
//  1| l2: recv 8b from 0 tag 1
//  1| l2 irequires l1
//  1| l3: send 12b to 0 tag 2
//  1| l3 requires l2
//  1| l4: send 16b to 0 tag 3
//  1| l4 requires l1
//  1| l4 requires l3
//  1| l5: recv 20b from 0 tag 4
//  1| l5 requires l4
//  1| l6: recv 1b from 0 tag 5
//  1| l6 requires l5
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, index, data[4][64];
    MPI_Request r[4];
    MPI_Status s[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(data[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Issend(data[1], 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Irecv(data[2], 64, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r[2]);
        MPI_Irecv(data[3], 64, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &r[3]);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        MPI_Send(data[0], 5, MPI_INT, 1, 4, MPI_COMM_WORLD);
        while (!flag)
            MPI_Testany(4, r, &index, &flag, s); // three of them are null
        MPI_Send(data[0], 0, MPI_INT, 1, 5, MPI_COMM_WORLD);
        // taken back: an empty computation stays
        MPI_Irecv(data[0], 1, MPI_INT, 1, 77, MPI_COMM_WORLD, &r[0]);
        MPI_Cancel(&r[0]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(data[0], 64, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(data[1], 64, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Wait(&r[1], &s[0]);
        MPI_Send(data[2], 3, MPI_INT, 0, 2, MPI_COMM_WORLD);
        while (!flag)
            MPI_Testall(2, r, &flag, s);
        MPI_Send(data[3], 4, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(data[0], 5, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data[0], 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
