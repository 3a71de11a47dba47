// A random program: all ranks draw the same steps from the same seed. usage: random SEED STEPS
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static int draw(int n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)n);
}

enum { MOST = 1 << 15, COMMS = 6 };
static char in[8 * MOST * 8], out[8 * MOST];

// A permutation of the members, the same everywhere.
static void shuffle(int *order, int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = draw(i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

static void point_to_point(MPI_Comm comm)
{
    int me, n, order[64], to = 0, from = 0, bytes = draw(4) ? draw(300) : draw(MOST), how = draw(7),
                          tag = draw(5);
    MPI_Request r[2];
    MPI_Status s;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    shuffle(order, n);
    for (int i = 0; i < n; i++)
        if (order[i] == me) {
            to = order[(i + 1) % n];
            from = order[(i + n - 1) % n];
        }
bool_:
    switch (how) {
    case 0:
        MPI_Sendrecv(out, bytes, MPI_CHAR, to, tag, in, MOST, MPI_CHAR, from, tag, comm,
                     MPI_STATUS_IGNORE);
        break;
    case 1: // the receive from any source: a barrier keeps other messages out of it
        MPI_Irecv(in, MOST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r[0]);
        MPI_Isend(out, bytes, MPI_CHAR, to, tag, comm, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Barrier(comm);
        break;
    case 2: {
        int flag = 0;
        MPI_Isend(out, bytes, MPI_CHAR, to, tag, comm, &r[0]);
        while (!flag)
            MPI_Iprobe(from, tag, comm, &flag, &s);
        MPI_Recv(in, MOST, MPI_CHAR, from, tag, comm, &s);
        MPI_Wait(&r[0], &s);
        break;
    }
    case 3:
        MPI_Send_init(out, bytes, MPI_CHAR, to, tag, comm, &r[0]);
        MPI_Recv_init(in, MOST, MPI_CHAR, from, tag, comm, &r[1]);
        for (int i = 0; i < 3; i++) {
            int done = 0, k, index[2];
            MPI_Startall(2, r);
            while (done < 2) {
                MPI_Waitsome(2, r, &k, index, MPI_STATUSES_IGNORE);
                done += k;
            }
        }
        MPI_Request_free(&r[0]);
        MPI_Request_free(&r[1]);
        break;
    case 4: // in two rounds of blocking calls
        if (n % 2)
            how = 0;
        else
            how = 6;
        goto bool_;
    case 5: {
        int done = 0, flag, index;
        MPI_Irecv(in, MOST, MPI_CHAR, from, tag, comm, &r[0]);
        MPI_Issend(out, bytes, MPI_CHAR, to, tag, comm, &r[1]);
        while (done < 2) {
            MPI_Testany(2, r, &index, &flag, &s);
            done += flag && index != MPI_UNDEFINED;
        }
        break;
    }
    case 6: {
        int place = 0;
        for (int i = 0; i < n; i++)
            if (order[i] == me)
                place = i;
        if (n % 2) {
            MPI_Sendrecv(out, bytes, MPI_CHAR, to, tag, in, MOST, MPI_CHAR, from, tag, comm,
                         MPI_STATUS_IGNORE);
        } else if (place % 2 == 0) {
            MPI_Ssend(out, bytes, MPI_CHAR, to, tag, comm);
            MPI_Recv(in, MOST, MPI_CHAR, from, tag, comm, &s);
        } else {
            MPI_Recv(in, MOST, MPI_CHAR, from, tag, comm, &s);
            MPI_Send(out, bytes, MPI_CHAR, to, tag, comm);
        }
        break;
    }
    }
}

static void collective(MPI_Comm comm)
{
    int me, n, counts[64], back[64], at[64] = {0},
                                     bytes = draw(3) ? 8 * draw(40) : 8 * draw(MOST / 8);
    MPI_Request r[2];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    int root = draw(n), how = draw(17);
    for (int i = 0; i < n; i++)
        counts[i] = 8 * draw(30);
    switch (how) {
    case 0:
        MPI_Bcast(out, bytes, MPI_CHAR, root, comm);
        break;
    case 1:
        MPI_Reduce(out, in, bytes / 8, MPI_LONG, MPI_SUM, root, comm);
        break;
    case 2:
        MPI_Allreduce(MPI_IN_PLACE, in, bytes / 8, MPI_LONG, MPI_SUM, comm);
        break;
    case 3:
        MPI_Gather(out, bytes, MPI_CHAR, in, bytes / 8, MPI_LONG, root, comm);
        break;
    case 4:
        MPI_Scatter(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, root, comm);
        break;
    case 5:
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, bytes, MPI_CHAR, comm);
        break;
    case 6:
        MPI_Alltoall(out, bytes / 8, MPI_CHAR, in, bytes / 8, MPI_CHAR, comm);
        break;
    case 7:
        MPI_Gatherv(out, counts[me], MPI_CHAR, in, counts, at, MPI_CHAR, root, comm);
        break;
    case 8:
        MPI_Scatterv(in, counts, at, MPI_CHAR, out, counts[me], MPI_CHAR, root, comm);
        break;
    case 9:
        MPI_Allgatherv(out, counts[me], MPI_CHAR, in, counts, at, MPI_CHAR, comm);
        break;
    case 10: // member i sends counts[(i + j) % n] to member j
        for (int i = 0; i < n; i++)
            back[i] = counts[(i + me) % n];
        MPI_Alltoallv(out, back, at, MPI_CHAR, in, back, at, MPI_CHAR, comm);
        break;
    case 11:
        for (int i = 0; i < n; i++)
            counts[i] /= 8;
        MPI_Reduce_scatter(out, in, counts, MPI_LONG, MPI_SUM, comm);
        break;
    case 12:
        MPI_Scan(out, in, bytes / 8, MPI_LONG, MPI_SUM, comm);
        MPI_Exscan(out, in, bytes / 8, MPI_LONG, MPI_SUM, comm);
        break;
    case 13: // two at once, ended in the other order
        MPI_Ibcast(out, bytes, MPI_CHAR, root, comm, &r[0]);
        MPI_Iallreduce(out + MOST, in, 4, MPI_LONG, MPI_SUM, comm, &r[1]);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        break;
    case 14:
        MPI_Ibarrier(comm, &r[0]);
        point_to_point(comm);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        break;
    case 15:
        MPI_Reduce_scatter_block(out, in, 1 + bytes / 64, MPI_LONG, MPI_SUM, comm);
        break;
    case 16:
        MPI_Barrier(comm);
        break;
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Comm comm[COMMS], other;
    MPI_Init(&argc, &argv);
    state = (uint64_t)atoi(argv[1]) * 7919 + 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < COMMS; i++)
        comm[i] = MPI_COMM_WORLD;
    for (int step = 0; step < atoi(argv[2]); step++) {
        int which = draw(COMMS), what = draw(10);
        if (what == 0 && which > 0) {
            int parts = 1 + draw(3), key = draw(2) ? rank : -rank;
            MPI_Comm_split(MPI_COMM_WORLD, rank % parts, key, &other);
            if (comm[which] != MPI_COMM_WORLD)
                MPI_Comm_free(&comm[which]);
            comm[which] = other;
        } else if (what == 1 && which > 0) {
            MPI_Comm_dup(comm[which], &other);
            if (comm[which] != MPI_COMM_WORLD)
                MPI_Comm_free(&comm[which]);
            comm[which] = other;
        } else {
            // draws depend on the size of the communicator: each step has its own
            uint64_t before = state;
            state += (uint64_t)step;
            if (what < 6)
                point_to_point(comm[which]);
            else
                collective(comm[which]);
            state = before + 12345;
        }
    }
    MPI_Finalize();
    return 0;
}
