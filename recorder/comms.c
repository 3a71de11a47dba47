// Communicators: who their members are, and a number that keeps their messages apart.
//
// Rules: each process counts the contexts it knows; a new communicator gets the largest next number of its members, and
// all go on from there. So two communicators that share two processes never have the same, without
// communication outside. The data is an attribute of the communicator; duplicates do not inherit
// it.
#include "wrap.h"
#include <stdlib.h>

static int keyval = MPI_KEYVAL_INVALID;
static uint32_t next_context = 2; // after MPI_COMM_WORLD and MPI_COMM_SELF
static MPI_Group world_group;

void rec_comm_release(struct rec_comm *c)
{
    if (c && --c->refs == 0) {
        free(c->world);
        free(c);
    }
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    rec_comm_release(value);
    return MPI_SUCCESS;
}

static void add(MPI_Comm comm, uint32_t context)
{
    struct rec_comm *c = rec_realloc(NULL, 1, sizeof *c);
    int inter = 0;
    MPI_Group group;
    *c = (struct rec_comm){.refs = 1, .context = context, .is_world = comm == MPI_COMM_WORLD};
    PMPI_Comm_test_inter(comm, &inter);
    c->inter = inter != 0;
    if (inter) {
        PMPI_Comm_remote_group(comm, &group);
        c->me = -1;
    } else {
        PMPI_Comm_group(comm, &group);
        PMPI_Comm_rank(comm, &c->me);
    }
    PMPI_Group_size(group, &c->size);
    int *own = rec_realloc(NULL, (size_t)c->size, sizeof *own);
    c->world = rec_realloc(NULL, (size_t)c->size, sizeof *c->world);
    for (int i = 0; i < c->size; i++)
        own[i] = i;
    PMPI_Group_translate_ranks(group, c->size, own, world_group, c->world);
    for (int i = 0; i < c->size; i++)
        if (c->world[i] == MPI_UNDEFINED)
            c->world[i] = -1;
    free(own);
    PMPI_Group_free(&group);
    PMPI_Comm_set_attr(comm, keyval, c);
}

void rec_comms_begin(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    add(MPI_COMM_WORLD, 0);
    add(MPI_COMM_SELF, 1);
}

struct rec_comm *rec_comm_of(MPI_Comm comm)
{
    void *c = NULL;
    int found = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, keyval, &c, &found) != MPI_SUCCESS)
        return NULL;
    if (!found)
        rec_warn(
            REC_WARN_COMM,
            "a communicator was made by a call that is not recorded; its messages are not either");
    return found ? c : NULL;
}

void rec_comm_adopt(MPI_Comm comm)
{
    int inter = 0;
    uint32_t mine = next_context, theirs = 0;
    if (comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Allreduce(&mine, &theirs, 1, MPI_UINT32_T, MPI_MAX, comm);
    if (inter) { // each side has heard of the other: tell it the larger
        mine = theirs > mine ? theirs : mine;
        PMPI_Allreduce(&mine, &theirs, 1, MPI_UINT32_T, MPI_MAX, comm);
        theirs = theirs > mine ? theirs : mine;
    }
    next_context = theirs + 1;
    add(comm, theirs);
}
