/* Frames of a stored run, one at a time, with contributors and victims of their trees. In: rows of
 * `frame` and `tree_frame`, which are not trusted: sizes are checked before memory is taken. */
#include "store/store_int.h"

#include <endian.h>
#include <sqlite3.h>
#include <zlib.h>

/* zlib unpacks a byte to at most 1032 bytes. */
#define MOST_GROWTH 1100
/* Hosts or flows of one tree: 16 million. This program stores no larger number. */
#define MOST_BYTES ((size_t)1 << 26)

int cop_store_has_frames(cop_store *s, int64_t run_id, cop_err *err)
{
    if (!cop_store_has_trees(s))
        return 0;
    sqlite3_stmt *st = cop_store_prepare(s, "SELECT 1 FROM frame WHERE run_id = ? LIMIT 1", err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run_id);
    int rc = cop_store_step(s, st, err);
    sqlite3_finalize(st);
    return rc;
}

int64_t cop_store_newest_frames(cop_store *s, cop_err *err)
{
    int64_t id = 0;
    if (!cop_store_has_trees(s))
        return 0;
    int rc = cop_store_ask(s, "SELECT ifnull(max(run_id), 0) FROM frame", &id, err);
    return rc == 0 ? id : rc;
}

/* A packed column into memory of the arena, of at most `most` bytes; filled up with zeros. NULL: it does not
 * unpack, or is longer than anything that was stored. */
static void *unpack(sqlite3_stmt *st, int column, size_t most, cop_arena *arena, size_t *bytes)
{
    const void *data = sqlite3_column_blob(st, column);
    size_t packed = (size_t)sqlite3_column_bytes(st, column), room = packed * 4 + 64;
    for (bool last = false; data != NULL && !last; room *= 4) {
        last = room >= most || room >= packed * MOST_GROWTH + 64;
        uLongf got = room < most ? room : most;
        void *raw = cop_arena_array(arena, got + 4, 1);
        int rc = uncompress(raw, &got, data, packed);
        *bytes = got;
        if (rc != Z_BUF_ERROR)
            return rc == Z_OK ? raw : NULL;
    }
    return NULL;
}

static void to_host(uint32_t *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        word[i] = le32toh(word[i]);
}

/* Are ports and numbers of flows in range, and does the list end with its last flow? */
static bool flows_fit(const uint32_t *word, size_t n, uint32_t n_ports)
{
    for (size_t i = 0; i < n;) {
        if (n - i < 3 || word[i] >= n_ports || word[i + 2] > COP_MOST_NAMED ||
            n - i - 3 < 3 * (size_t)word[i + 2])
            return false;
        i += 3 + 3 * (size_t)word[i + 2];
    }
    return true;
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
        size_t n = n_ports, ports = cop_store_frame_ports(n_ports), bytes = 0;
        /* of each port, and of its flows */
        size_t most = ports + cop_product(n, (3 + 3 * COP_MOST_NAMED) * sizeof(uint32_t));
        char *raw = unpack(st, 2, most, arena, &bytes);
        bool alone = bytes == n * (sizeof(uint32_t) + 2); /* as files without flows have it */
        if (raw != NULL && (alone || (bytes >= ports && bytes % 4 == 0))) {
            *f = (cop_frame){.t = cop_store_ps(cop_store_real(st, 0)),
                             .span = cop_store_ps(cop_store_real(st, 1)),
                             .waiting = (uint32_t *)(void *)raw,
                             .blocked = (uint8_t *)raw + n * sizeof(uint32_t),
                             .use = (uint8_t *)raw + n * (sizeof(uint32_t) + 1),
                             .flow = (uint32_t *)(void *)(raw + ports),
                             .n_flow = alone ? 0 : (uint32_t)((bytes - ports) / 4)};
            to_host(f->waiting, n);
            to_host(f->flow, f->n_flow);
        }
        if (raw == NULL || !(alone || (bytes >= ports && bytes % 4 == 0)) ||
            !flows_fit(f->flow, f->n_flow, n_ports))
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
    size_t bytes = 0;
    uint32_t *word = unpack(st, column, MOST_BYTES, arena, &bytes);
    if (word == NULL || bytes % (each * sizeof(*word)) != 0)
        return NULL;
    to_host(word, bytes / sizeof(*word));
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
                             "%s: contributors or victims of tree %u do not unpack; it was edited",
                             s->path, f->tree + 1);
    }
    sqlite3_finalize(st);
    return rc;
}
