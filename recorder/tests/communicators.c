// Ranks of MPI_COMM_WORLD are written, tags of communicators and collectives are kept apart.
// The program has tag 0 only, and MPI_COMM_WORLD two collectives: an allgather of 8 bytes and an allreduce of 4 for the split
// into ranks 0, 2 and 1, 3. So a communicator has 3 tags, and both halves are number 2: 6 is a message, 7 the reduce.
//  0| l1: recv 8b from 1 tag 1
//  0| l2: send 8b to 3 tag 1
//  0| l2 irequires l1
//  0| l3: recv 16b from 2 tag 1
//  0| l3 requires l1
//  0| l3 requires l2
//  0| l4: send 16b to 2 tag 1
//  0| l4 irequires l3
//  0| l5: recv 4b from 1 tag 2
//  0| l5 requires l3
//  0| l5 requires l4
//  0| l6: send 4b to 1 tag 2
//  0| l6 irequires l5
//  0| l7: recv 4b from 2 tag 2
//  0| l7 requires l5
//  0| l7 requires l6
//  0| l8: send 4b to 2 tag 2
//  0| l8 irequires l7
//  0| l9: send 12b to 2 tag 6
//  0| l9 requires l7
//  0| l9 requires l8
//  0| l10: recv 24b from 2 tag 7
//  0| l10 requires l9
//  1| l1: recv 8b from 2 tag 1
//  1| l2: send 8b to 0 tag 1
//  1| l2 irequires l1
//  1| l3: recv 16b from 3 tag 1
//  1| l3 requires l1
//  1| l3 requires l2
//  1| l4: send 16b to 3 tag 1
//  1| l4 irequires l3
//  1| l5: recv 4b from 0 tag 2
//  1| l5 requires l3
//  1| l5 requires l4
//  1| l6: send 4b to 0 tag 2
//  1| l6 irequires l5
//  1| l7: recv 4b from 3 tag 2
//  1| l7 requires l5
//  1| l7 requires l6
//  1| l8: send 4b to 3 tag 2
//  1| l8 irequires l7
//  1| l9: send 12b to 3 tag 6
//  1| l9 requires l7
//  1| l9 requires l8
//  1| l10: recv 24b from 3 tag 7
//  1| l10 requires l9
//  2| l1: recv 8b from 3 tag 1
//  2| l2: send 8b to 1 tag 1
//  2| l2 irequires l1
//  2| l3: recv 16b from 0 tag 1
//  2| l3 requires l1
//  2| l3 requires l2
//  2| l4: send 16b to 0 tag 1
//  2| l4 irequires l3
//  2| l5: recv 4b from 3 tag 2
//  2| l5 requires l3
//  2| l5 requires l4
//  2| l6: send 4b to 3 tag 2
//  2| l6 irequires l5
//  2| l7: recv 4b from 0 tag 2
//  2| l7 requires l5
//  2| l7 requires l6
//  2| l8: send 4b to 0 tag 2
//  2| l8 irequires l7
//  2| l9: recv 12b from 0 tag 6
//  2| l9 requires l7
//  2| l9 requires l8
//  2| l10: send 24b to 0 tag 7
//  2| l10 requires l9
//  3| l1: recv 8b from 0 tag 1
//  3| l2: send 8b to 2 tag 1
//  3| l2 irequires l1
//  3| l3: recv 16b from 1 tag 1
//  3| l3 requires l1
//  3| l3 requires l2
//  3| l4: send 16b to 1 tag 1
//  3| l4 irequires l3
//  3| l5: recv 4b from 2 tag 2
//  3| l5 requires l3
//  3| l5 requires l4
//  3| l6: send 4b to 2 tag 2
//  3| l6 irequires l5
//  3| l7: recv 4b from 1 tag 2
//  3| l7 requires l5
//  3| l7 requires l6
//  3| l8: send 4b to 1 tag 2
//  3| l8 irequires l7
//  3| l9: recv 12b from 1 tag 6
//  3| l9 requires l7
//  3| l9 requires l8
//  3| l10: send 24b to 1 tag 7
//  3| l10 requires l9
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[64] = {0}, other[64];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    int me = rank / 2;
    if (me == 0)
        MPI_Send(data, 3, MPI_INT, 1, 0, half);
    else
        MPI_Recv(data, 3, MPI_INT, 0, 0, half, MPI_STATUS_IGNORE);
    MPI_Reduce(data, other, 6, MPI_INT, MPI_SUM, 0, half);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
