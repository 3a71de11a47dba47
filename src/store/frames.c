/* Frames of a stored run, one at a time: what is in them, and who takes part in the trees of them. In: rows of
 * `frame` and `tree_frame`; nothing in a file is believed: sizes are checked before memory is taken. */
#include "store/store_int.h"

#include <endian.h>
#include <sqlite3.h>
#include <zlib.h>

/* zlib makes of a byte at most a thousand and some. */
#define MOST_GROWTH 1100

static cop_time picoseconds(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps >= 1.0 && ps < 0x1p63 ? (cop_time)ps : 0;
}

int64_t cop_store_newest_frames(cop_store *s, cop_err *err)
{
    int64_t id = 0;
    if (!cop_store_has_trees(s))
        return 0;
    int rc = cop_store_ask(s, "SELECT ifnull(max(run_id), 0) FROM frame", &id, err);
    return rc == 0 ? id : rc;
}

int cop_store_frame(cop_store *s, int64_t run_id, uint32_t frame, uint32_t n_ports, cop_frame *f,
                    cop_arena *arena, cop_err *err)
{
    sqlite3_stmt *st = cop_store_prepare(
        s, "SELECT time_ns, span_ns, data FROM frame WHERE run_id = ? AND frame = ?", err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run_id);
    (void)sqlite3_bind_int64(st, 2, frame);
    int rc = cop_store_step(s, st, err);
    if (rc > 0) {
        size_t each = sizeof(uint32_t) + 2;
        uLongf bytes = cop_product(n_ports, each);
        char *raw = cop_arena_array(arena, n_ports, each);
        const void *data = sqlite3_column_blob(st, 2);
        int got = data ? uncompress((Bytef *)raw, &bytes, data, (uLongf)sqlite3_column_bytes(st, 2))
                       : Z_DATA_ERROR;
        *f = (cop_frame){.t = picoseconds(cop_store_real(st, 0)),
                         .span = picoseconds(cop_store_real(st, 1)),
                         .waiting = (uint32_t *)(void *)raw,
                         .blocked = (uint8_t *)raw + n_ports * sizeof(uint32_t),
                         .use = (uint8_t *)raw + n_ports * (sizeof(uint32_t) + 1)};
        for (uint32_t i = 0; i < n_ports; i++)
            f->waiting[i] = le32toh(f->waiting[i]);
        if (got != Z_OK || bytes != n_ports * each)
            rc = cop_err_add(err, COP_E_IO,
                             "%s: frame %u does not unpack to %u ports; it was edited", s->path,
                             frame, n_ports);
    }
    sqlite3_finalize(st);
    return rc;
}

/* Numbers of a packed column, `each` together; so many pairs or singles in *n. NULL: they do not unpack. */
static uint32_t *numbers(sqlite3_stmt *st, int column, size_t each, cop_arena *arena, uint32_t *n)
{
    const void *data = sqlite3_column_blob(st, column);
    uLongf packed = (uLongf)sqlite3_column_bytes(st, column), bytes = 0;
    uint32_t *word = NULL;
    int got = Z_BUF_ERROR;
    for (uLongf room = packed * 4 + 64; got == Z_BUF_ERROR && data != NULL; room *= 4) {
        if (room > packed * MOST_GROWTH * 4 + 64)
            break;
        word = cop_arena_array(arena, room / 4, sizeof(*word));
        bytes = room / 4 * 4;
        got = uncompress((Bytef *)word, &bytes, data, packed);
    }
    if (got != Z_OK || bytes % (each * sizeof(*word)) != 0)
        return NULL;
    for (size_t i = 0; i < bytes / sizeof(*word); i++)
        word[i] = le32toh(word[i]);
    *n = (uint32_t)(bytes / (each * sizeof(*word)));
    return word;
}

int cop_store_tree_parts(cop_store *s, int64_t run_id, cop_tree_frame *f, cop_arena *arena,
                         cop_err *err)
{
    sqlite3_stmt *st = cop_store_prepare(
        s,
        "SELECT contributors, victims FROM tree_frame WHERE run_id = ? AND tree = ? AND frame <= ?"
        " AND contributors IS NOT NULL AND victims IS NOT NULL ORDER BY frame DESC LIMIT 1",
        err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run_id);
    (void)sqlite3_bind_int64(st, 2, (int64_t)f->tree + 1);
    (void)sqlite3_bind_int64(st, 3, f->frame);
    int rc = cop_store_step(s, st, err);
    if (rc > 0) {
        f->contributor = numbers(st, 0, 1, arena, &f->n_contributors);
        f->victim = numbers(st, 1, 2, arena, &f->n_victims);
        f->counted = true;
        if (f->contributor == NULL || f->victim == NULL)
            rc = cop_err_add(err, COP_E_IO,
                             "%s: who takes part in tree %u does not unpack; it was edited",
                             s->path, f->tree + 1);
    }
    sqlite3_finalize(st);
    return rc;
}
