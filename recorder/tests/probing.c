// A probe that finds a message is its receive; the receive that follows is no second one.
//  0| l1: send 8b to 1 tag 1
//  0| l2: send 12b to 1 tag 2
//  0| l2 requires l1
//  0| l3: send 16b to 1 tag 3
//  0| l3 requires l2
//  0| l4: send 20b to 1 tag 4
//  0| l4 requires l3
//  0| l5: recv 4b from 1 tag 9
//  0| l5 requires l4
//  1| l1: recv 8b from 0 tag 1
//  1| l2: recv 12b from 0 tag 2
//  1| l2 requires l1
//  1| l3: recv 16b from 0 tag 3
//  1| l3 requires l2
//  1| l4: recv 20b from 0 tag 4
//  1| l4 requires l3
//  1| l5: send 4b to 0 tag 9
//  1| l5 requires l4
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, n, data[64];
    MPI_Status s;
    MPI_Request r;
    MPI_Message m;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 1; i <= 4; i++)
            MPI_Send(data, 1 + i, MPI_INT, 1, i, MPI_COMM_WORLD);
        MPI_Recv(data, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &s);
    } else {
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &s);
        MPI_Probe(0, 1, MPI_COMM_WORLD, &s); // the same one again
        MPI_Get_count(&s, MPI_INT, &n);
        MPI_Recv(data, n, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
        while (!flag)
            MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, &s);
        MPI_Irecv(data, 64, MPI_INT, 0, 2, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &m, &s);
        MPI_Mrecv(data, 4, MPI_INT, &m, &s);
        for (flag = 0; !flag;)
            MPI_Improbe(0, 4, MPI_COMM_WORLD, &flag, &m, &s);
        MPI_Imrecv(data, 5, MPI_INT, &m, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Send(data, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
