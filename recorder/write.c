// The end: all ranks' records become one GOAL file, written by rank 0.
//
// Each rank turns its records into text piece by piece and sends the pieces; rank 0 takes the ranks in order. So the ranks need
// no common file system, and memory stays at one piece. Collective over all ranks, on a communicator of the recorder's own: whatever the program has under
// way on MPI_COMM_WORLD meets none of it.
#include "write.h"
#include "wrap.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20, PIECE_TAG = 7 };

// The message of a receive that never ended is not known.
static void give_up(struct rec_request *q)
{
    struct rec_record nothing = {.kind = REC_CALC};
    if (q->kind != REC_REQ_RECV || !q->active || !q->ref.op || q->probed)
        return;
    rec_spool_patch(&rec.to.spool, q->ref.at, &nothing);
    rec.partial = true;
}

static void head(FILE *f)
{
    static const char *const clocks[] = {"CPU time of the process", "CPU time of the thread",
                                         "wall-clock time"};
    fprintf(f, "// recorded by libcoppice-mpi; computation: %s x %g, in ns\nnum_ranks %d\n",
            clocks[rec.options.clock], rec.options.scale, rec.ranks);
}

// The text of one rank; at rank 0 from its own records or as it comes.
static void block(int rank, struct rec_text *text, char *piece)
{
    uint64_t op = 0;
    int n = 0;
    if (rec.rank == 0)
        fprintf(rec.file, "\nrank %d {\n", rank);
    do {
        if (rec.rank == rank)
            n = (int)rec_text_next(text, &rec.to.spool, &op, piece, PIECE);
        if (rank != 0 && rec.rank == rank) {
            PMPI_Send(piece, n, MPI_CHAR, 0, PIECE_TAG, rec.world);
        } else if (rank != 0) {
            MPI_Status s;
            PMPI_Recv(piece, PIECE, MPI_CHAR, rank, PIECE_TAG, rec.world, &s);
            PMPI_Get_count(&s, MPI_CHAR, &n);
        }
        if (rec.rank == 0)
            fwrite(piece, 1, (size_t)n, rec.file);
    } while (n);
    if (rec.rank == 0)
        fprintf(rec.file, "}\n");
}

static void tell(const struct rec_text *t, const char *path)
{
    uint64_t mine[6] = {t->sends, t->recvs, t->calcs, t->dropped, t->sent_bytes, t->calc_ns},
             all[6];
    PMPI_Reduce(mine, all, 6, MPI_UINT64_T, MPI_SUM, 0, rec.world);
    if (rec.rank != 0)
        return;
    bool bad = ferror(rec.file) || fflush(rec.file);
    int fault = errno;
    if (fclose(rec.file) && !bad) {
        bad = true;
        fault = errno;
    }
    if (bad) {
        fprintf(stderr, "coppice-mpi: %s cannot be written: %s\n", rec.options.out,
                strerror(fault));
        return;
    }
    fprintf(stderr,
            "coppice-mpi: %s: %d ranks, %" PRIu64 " sends (%" PRIu64 " bytes), %" PRIu64
            " receives, %" PRIu64 " computations (%.6f s)\n",
            path, rec.ranks, all[0], all[4], all[1], all[2], (double)all[5] * 1e-9);
    if (all[3])
        fprintf(stderr, "coppice-mpi: %" PRIu64 " messages lack their other end and are left out\n",
                all[3]);
    if (!all[0])
        fprintf(stderr,
                "coppice-mpi: nothing was sent. Calls from Fortran are not seen under Open MPI; "
                "see recorder/README.md\n");
}

// Messages under way are left out of later traces.
static void forget(struct rec_request *q)
{
    q->ref = (struct rec_ref){0, 0};
    q->probed = false;
    q->active &= !q->persistent;
}

static void begin_again(void)
{
    rec_spool_reset(&rec.to.spool);
    rec.to.ops = 0;
    rec.to.cut = rec.clash;
    rec.partial = false;
    rec_cursor_free(&rec.to.main);
    rec_request_each(forget);
    rec_probe_forget();
}

bool rec_file_of(int region, char *path, size_t room)
{
    const char *out = rec.options.out, *mark = region >= 0 ? strchr(out, '%') : NULL;
    int n = mark ? snprintf(path, room, "%.*s%s%s", (int)(mark - out), out,
                            rec.options.region[region].name, mark + 1)
                 : snprintf(path, room, "%s", out);
    return n >= 0 && (size_t)n < room;
}

static void open_file(int region, char *path, size_t room)
{
    rec_file_of(region, path, room);
    rec.file = fopen(path, "w");
    if (!rec.file) {
        fprintf(stderr, "coppice-mpi: %s: %s\n", path, strerror(errno));
        PMPI_Abort(MPI_COMM_WORLD, 2);
    }
}

void rec_write(int region)
{
    char path[4096] = "";
    struct rec_tags tags;
    struct rec_text text = {.tags = &tags,
                            .keep_any = rec.options.keep_any,
                            .notes = rec.options.notes,
                            .min_bytes = rec.options.min_bytes};
    int mine, any = 0;
    rec_computed();
    rec_request_each(give_up);
    mine = rec.partial || rec.to.cut || rec.to.spool.fault || region >= 0;
    PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, rec.world);
    bool fits = rec_tags_agree(&tags, &rec.to.spool);
    struct rec_cut *cut = NULL;
    if (fits && any) {
        cut = rec_cut_new(&rec.to.spool, &tags, rec.ranks);
        text.keep = rec_cut_keep;
        text.state = cut;
    }
    if (!fits && rec.rank == 0)
        fprintf(stderr,
                "coppice-mpi: %u communicators with %u tags are too many for GOAL; no trace\n",
                tags.contexts, tags.tags);
    if (fits) {
        char *piece = rec_realloc(NULL, PIECE, 1);
        rec_spool_rewind(&rec.to.spool);
        if (rec.rank == 0) {
            open_file(region, path, sizeof path);
            head(rec.file);
        }
        for (int rank = 0; rank < rec.ranks; rank++)
            if (rec.rank == 0 || rec.rank == rank)
                block(rank, &text, piece);
        free(piece);
        tell(&text, path);
    }
    rec_tags_free(&tags);
    rec_cut_free(cut);
    begin_again();
}
