// Prints the GOAL text of one collective among P ranks, without MPI: for the tests of collective.c.
// usage: expand NAME P ROOT BYTES. With counts per member (v) member i has BYTES * (i % 3), so that some have none.
#include "record.h"
#include <stdlib.h>
#include <string.h>

static uint64_t amount(uint64_t bytes, int from, int to)
{
    return bytes * (uint64_t)((from + to) % 3);
}

static void one_rank(enum rec_collective which, int ranks, int me, int root, uint64_t bytes,
                     const int *world)
{
    struct recording to = {0};
    uint64_t *out = rec_realloc(NULL, (size_t)ranks, sizeof *out);
    uint64_t *in = rec_realloc(NULL, (size_t)ranks, sizeof *in);
    struct rec_sizes s = {root, bytes, out, in};
    if (rec_spool_open(&to.spool, "/tmp"))
        exit(2);
    for (int i = 0; i < ranks; i++) {
        out[i] = which == REC_ALLTOALLV ? amount(bytes, me, i) : amount(bytes, i, 0);
        in[i] = amount(bytes, i, me);
    }
    if (which == REC_GATHERV || which == REC_SCATTERV)
        s.bytes = amount(bytes, me, 0);
    struct rec_team t = {&to, &to.main, ranks, me, world, 0, 5};
    struct rec_record mark = {.kind = REC_CALC, .value = 1};
    rec_emit(&to, &to.main, mark);
    rec_expand(&t, which, &s);
    mark.value = 2;
    rec_emit(&to, &to.main, mark);

    char text[4096];
    struct rec_tags tags = {1, 1, 8, NULL, 0};
    struct rec_text how = {.tags = &tags};
    uint64_t op = 0;
    size_t n;
    printf("rank %d {\n", me);
    rec_spool_rewind(&to.spool);
    while ((n = rec_text_next(&how, &to.spool, &op, text, sizeof text)) > 0)
        fwrite(text, 1, n, stdout);
    printf("}\n");
    rec_spool_close(&to.spool);
    rec_cursor_free(&to.main);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    int which = 0, ranks = argc == 5 ? atoi(argv[2]) : 0;
    while (argc == 5 && which < REC_COLLECTIVES && strcmp(argv[1], rec_collective_name(which)) != 0)
        which++;
    if (ranks < 1 || which == REC_COLLECTIVES) {
        fprintf(stderr, "usage: expand NAME P ROOT BYTES\n");
        return 2;
    }
    int *world = rec_realloc(NULL, (size_t)ranks, sizeof *world);
    for (int i = 0; i < ranks; i++)
        world[i] = i;
    printf("num_ranks %d\n", ranks);
    for (int me = 0; me < ranks; me++)
        one_rank((enum rec_collective)which, ranks, me, atoi(argv[3]), strtoull(argv[4], NULL, 10),
                 world);
    free(world);
    return 0;
}
