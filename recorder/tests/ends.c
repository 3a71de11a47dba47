// A program that ends as its argument says: finalize; abort: rank 1 calls MPI_Abort; exit: rank 1 leaves without MPI_Finalize;
// return: all do; thread: rank 1 calls MPI_Finalize while another of its threads is in a call.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stay(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    pause(); // for ever, inside MPI_Comm_dup
    return MPI_SUCCESS;
}

static void *call(void *nothing)
{
    int key;
    MPI_Comm copy;
    MPI_Comm_create_keyval(stay, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    return nothing;
}

int main(int argc, char **argv)
{
    int rank, ranks, level, token = 1;
    const char *how = argc > 1 ? argv[1] : "finalize";
    MPI_Init_thread(&argc, &argv,
                    strcmp(how, "thread") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&token, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(how, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if ((strcmp(how, "exit") == 0 && rank == 1) || strcmp(how, "return") == 0)
        exit(4);
    if (strcmp(how, "thread") == 0 && rank == 1) {
        pthread_t other;
        pthread_create(&other, NULL, call, NULL);
        usleep(100000);
    }
    MPI_Finalize();
    _exit(0);
}
