// Blocking messages of three ranks, and what is written of them (rank| line).
//  0| l1: send 40b to 1 tag 7
//  0| l2: send 16b to 2 tag 8
//  0| l2 requires l1
//  0| l3: recv 12b from 2 tag 9
//  0| l3 requires l2
//  0| l4: recv 24b from 2 tag 1
//  0| l4 requires l3
//  0| l5: send 24b to 1 tag 1
//  0| l5 irequires l4
//  0| l6: recv 1b from 1 tag 3
//  0| l6 requires l4
//  0| l6 requires l5
//  0| l7: send 8b to 0 tag 5
//  0| l7 requires l6
//  0| l8: recv 8b from 0 tag 5
//  0| l8 irequires l7
//  1| l1: recv 40b from 0 tag 7
//  1| l2: recv 24b from 0 tag 1
//  1| l2 requires l1
//  1| l3: send 24b to 2 tag 1
//  1| l3 irequires l2
//  1| l4: send 1b to 0 tag 3
//  1| l4 requires l2
//  1| l4 requires l3
//  2| l1: recv 16b from 0 tag 8
//  2| l2: send 12b to 0 tag 9
//  2| l2 requires l1
//  2| l3: recv 24b from 1 tag 1
//  2| l3 requires l2
//  2| l4: send 24b to 0 tag 1
//  2| l4 irequires l3
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, data[64] = {0};
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // 4 of 8 integers: 16 bytes travel, not 32
    MPI_Type_vector(4, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Send(data, 10, MPI_INT, 1, 7, MPI_COMM_WORLD);
        MPI_Ssend(data, 1, column, 2, 8, MPI_COMM_WORLD);
        // more room than is sent, from any source, any tag
        MPI_Recv(data, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(data, 10, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, 4, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(data, 3, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
    MPI_Sendrecv_replace(data, 6, MPI_INT, (rank + 1) % 3, 1, (rank + 2) % 3, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    // MPI_PROC_NULL
    MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // nothing inside, written with one byte
    if (rank == 1)
        MPI_Send(data, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(data, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        // to oneself; buffered: nothing waits for the rest of it
        void *buffer = malloc(4096);
        MPI_Buffer_attach(buffer, 4096);
        MPI_Bsend(data, 2, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Recv(data, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int size;
        MPI_Buffer_detach(&buffer, &size);
        free(buffer);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
