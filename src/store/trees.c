/* Congestion trees: from a result into the tables, and back.
 *
 * Lists of numbers (ports of a frame, members, hosts, flows) are blobs: little-endian numbers, packed by
 * zlib, which any language unpacks. A file may have been edited by hand: what does not unpack to the
 * expected size is refused. Loading brings trees back with their members at each sample, and leaves frames
 * and flows in the file. */
#include "store/rows.h"
#include "store/store_int.h"

#include <endian.h>
#include <sqlite3.h>
#include <string.h>
#include <zlib.h>

#define LEVEL 6

/* -- writing -- */

/* Of one column: SQLite reads it when the row ends. */
typedef struct packer {
    char *raw, *packed;
    size_t cap_raw, cap_packed;
} packer;

static char *room(packer *p, size_t bytes)
{
    p->raw = cop_grow(p->raw, &p->cap_raw, bytes + 1, 1);
    return p->raw;
}

static void put_packed(cop_rows *w, packer *p, size_t bytes)
{
    uLongf length = compressBound(bytes);
    p->packed = cop_grow(p->packed, &p->cap_packed, length, 1);
    if (compress2((Bytef *)p->packed, &length, (const Bytef *)p->raw, bytes, LEVEL) != Z_OK)
        cop_out_of_memory();
    cop_put_blob(w, p->packed, length);
}

static void copy_numbers(char *to, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = htole32(v[i]);
        memcpy(to + i * sizeof(x), &x, sizeof(x));
    }
}

static void put_numbers(cop_rows *w, packer *p, const uint32_t *v, size_t n)
{
    copy_numbers(room(p, cop_product(n, sizeof(*v))), v, n);
    put_packed(w, p, n * sizeof(*v));
}

static int write_frames(cop_store *s, int64_t run, const cop_result *r, packer *p, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO frame VALUES (?,?,?,?,?)", err);
    size_t n = r->n_ports;
    for (uint32_t i = 0; i < r->n_frames; i++) {
        const cop_frame *f = &r->frame[i];
        size_t ports = cop_store_frame_ports(r->n_ports);
        char *raw = room(p, ports + f->n_flow * sizeof(uint32_t));
        memset(raw, 0, ports);
        copy_numbers(raw, f->waiting, n);
        copy_numbers(raw + ports, f->flow, f->n_flow);
        memcpy(raw + n * sizeof(uint32_t), f->blocked, n);
        memcpy(raw + n * (sizeof(uint32_t) + 1), f->use, n);
        cop_put_int(&w, i);
        cop_put_time(&w, f->t);
        cop_put_time(&w, f->span);
        put_packed(&w, p, ports + f->n_flow * sizeof(uint32_t));
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_roots(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO tree_root VALUES (?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_trees; i++)
        for (uint32_t k = 0; k < r->tree[i].n_roots; k++) {
            const cop_tree_root *in = &r->tree[i].root[k];
            cop_put_int(&w, i + 1);
            cop_put_int(&w, k);
            cop_put_int(&w, in->port);
            cop_put_time(&w, in->begin);
            cop_put_time(&w, in->end);
            cop_row_end(&w);
        }
    return cop_rows_close(&w);
}

static const char *port_text(const cop_result *r, uint32_t port, bool to)
{
    if (port >= r->n_ports)
        return "";
    return to ? r->port[port].to : r->port[port].name;
}

static int write_list(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(
        s, run, "INSERT INTO tree VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_trees; i++) {
        const cop_tree_result *t = &r->tree[i];
        uint32_t root = t->root[t->n_roots - 1].port;
        cop_put_int(&w, i + 1);
        cop_put_int(&w, root);
        cop_put_text(&w, port_text(r, root, false));
        cop_put_text(&w, port_text(r, root, true));
        cop_put_time(&w, t->begin);
        cop_put_time(&w, t->end);
        cop_put_int(&w, t->samples);
        cop_put_int(&w, t->links);
        cop_put_int(&w, t->depth);
        if (t->counted) {
            cop_put_int(&w, t->contributors);
            cop_put_count(&w, t->victims);
        } else {
            cop_put_null(&w);
            cop_put_null(&w);
        }
        cop_put_real(&w, t->loss);
        cop_put_real(&w, t->bytes_mean);
        cop_put_count(&w, t->bytes_max);
        cop_put_real(&w, t->similarity);
        cop_put_real(&w, t->overlap);
        cop_put_real(&w, t->contributor_overlap);
        cop_put_int(&w, t->n_roots - 1);
        cop_put_text(&w, cop_tree_kind_name((int)t->kind));
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_tree_frames(cop_store *s, int64_t run, const cop_result *r, packer *p,
                             cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO tree_frame VALUES (?,?,?,?,?,?,?,?,?)", err);
    _Static_assert(sizeof(cop_tree_member) == 4 * sizeof(uint32_t), "four numbers");
    for (uint32_t i = 0; i < r->n_tree_frames; i++) {
        const cop_tree_frame *f = &r->tree_frame[i];
        cop_put_int(&w, f->tree + 1);
        cop_put_int(&w, f->frame);
        cop_put_int(&w, f->root);
        cop_put_int(&w, f->links);
        cop_put_count(&w, f->bytes);
        put_numbers(&w, p, (const uint32_t *)(const void *)f->member, 4 * (size_t)f->n_members);
        if (f->counted) {
            put_numbers(&w, p + 1, f->contributor, f->n_contributors);
            put_numbers(&w, p + 2, f->victim, 2 * (size_t)f->n_victims);
        } else {
            cop_put_null(&w);
            cop_put_null(&w);
        }
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

int cop_store_write_trees(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    if (!r->trees_asked)
        return 0;
    packer p[3] = {{0}};
    int rc = write_list(s, run, r, err);
    if (rc == 0)
        rc = write_roots(s, run, r, err);
    if (rc == 0 && r->film)
        rc = write_frames(s, run, r, p, err);
    if (rc == 0 && r->film)
        rc = write_tree_frames(s, run, r, p, err);
    for (size_t i = 0; i < COP_LEN(p); i++) {
        cop_free(p[i].raw);
        cop_free(p[i].packed);
    }
    return rc;
}

/* -- reading -- */

bool cop_store_has_trees(cop_store *s)
{
    int64_t n = 0;
    cop_err unused = {0};
    return cop_store_ask(s, "SELECT count(*) FROM sqlite_master WHERE name = 'tree_frame'", &n,
                         &unused) == 0 &&
           n > 0;
}

static uint32_t number(sqlite3_stmt *st, int column)
{
    int64_t v = sqlite3_column_int64(st, column);
    return v < 0 || v >= UINT32_MAX ? COP_NONE : (uint32_t)v;
}

static cop_time picoseconds(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps >= 1.0 && ps < 0x1p63 ? (cop_time)ps : 0;
}

static enum cop_tree_kind kind_of(const char *name)
{
    int kind = COP_TREE_MOVING;
    while (kind > 0 && strcmp(cop_tree_kind_name(kind), name) != 0)
        kind--;
    return (enum cop_tree_kind)kind;
}

/* Rows of a run in a table, at most UINT32_MAX - 1. */
static uint32_t count_rows(cop_store *s, const char *sql, int64_t run, cop_err *err)
{
    sqlite3_stmt *st = cop_store_prepare(s, sql, err);
    if (st == NULL)
        return 0;
    (void)sqlite3_bind_int64(st, 1, run);
    uint32_t n = cop_store_step(s, st, err) > 0 ? number(st, 0) : 0;
    sqlite3_finalize(st);
    return n == COP_NONE ? 0 : n;
}

static int load_list(cop_store *s, int64_t run, cop_result *r, cop_err *err)
{
    uint32_t n = count_rows(s, "SELECT count(*) FROM tree WHERE run_id = ?", run, err);
    r->tree = COP_NEW_ARRAY(&r->arena, cop_tree_result, n);
    sqlite3_stmt *st = cop_store_prepare(
        s,
        "SELECT begin_ns, end_ns, samples, links, depth, contributors, victims, loss, bytes_mean,"
        " bytes_max, similarity, overlap, contributor_overlap, kind FROM tree WHERE run_id = ?"
        " ORDER BY tree",
        err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run);
    int rc = 0;
    while (r->n_trees < n && (rc = cop_store_step(s, st, err)) > 0)
        r->tree[r->n_trees++] =
            (cop_tree_result){.begin = picoseconds(cop_store_real(st, 0)),
                              .end = picoseconds(cop_store_real(st, 1)),
                              .samples = number(st, 2),
                              .links = number(st, 3),
                              .depth = number(st, 4),
                              .counted = sqlite3_column_type(st, 5) != SQLITE_NULL,
                              .contributors = number(st, 5),
                              .victims = cop_store_count(st, 6),
                              .loss = cop_store_real(st, 7),
                              .bytes_mean = cop_store_real(st, 8),
                              .bytes_max = cop_store_count(st, 9),
                              .similarity = cop_store_real(st, 10),
                              .overlap = cop_store_real(st, 11),
                              .contributor_overlap = cop_store_real(st, 12),
                              .kind = kind_of(cop_store_text(st, 13))};
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

/* Roots of all trees, in order; a tree without one shows that the file was edited. */
static int load_roots(cop_store *s, int64_t run, cop_result *r, cop_err *err)
{
    uint32_t n = count_rows(s, "SELECT count(*) FROM tree_root WHERE run_id = ?", run, err), i = 0;
    cop_tree_root *root = COP_NEW_ARRAY(&r->arena, cop_tree_root, (size_t)n + 1);
    for (uint32_t t = 0; t < r->n_trees; t++)
        r->tree[t].root = &root[n]; /* of none: a place to read from */
    sqlite3_stmt *st = cop_store_prepare(s,
                                         "SELECT tree, port, begin_ns, end_ns FROM tree_root WHERE"
                                         " run_id = ? ORDER BY tree, position",
                                         err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run);
    int rc = 0;
    for (; i < n && (rc = cop_store_step(s, st, err)) > 0; i++) {
        uint32_t t = number(st, 0) - 1;
        root[i] = (cop_tree_root){.port = number(st, 1),
                                  .begin = picoseconds(cop_store_real(st, 2)),
                                  .end = picoseconds(cop_store_real(st, 3))};
        if (t >= r->n_trees)
            continue;
        if (r->tree[t].n_roots++ == 0)
            r->tree[t].root = &root[i];
    }
    sqlite3_finalize(st);
    for (uint32_t t = 0; t < r->n_trees; t++)
        r->tree[t].n_roots = r->tree[t].n_roots ? r->tree[t].n_roots : 1;
    return rc < 0 ? rc : 0;
}

/* Members of a tree at a sample: as many as `links` says, or none were kept. */
static int load_members(cop_store *s, sqlite3_stmt *st, cop_tree_frame *f, cop_arena *arena,
                        cop_err *err)
{
    const void *data = sqlite3_column_blob(st, 5);
    uLongf packed = (uLongf)sqlite3_column_bytes(st, 5), bytes = 0;
    /* zlib makes of a byte at most a thousand and some */
    if (f->links == COP_NONE || f->links > packed * 1100)
        return cop_err_add(err, COP_E_IO, "%s: tree %u has members that cannot be; it was edited",
                           s->path, f->tree + 1);
    f->member = COP_NEW_ARRAY(arena, cop_tree_member, f->links);
    bytes = f->links * sizeof(*f->member);
    int got = data ? uncompress((Bytef *)f->member, &bytes, data, packed) : Z_DATA_ERROR;
    if (got != Z_OK || (bytes != 0 && bytes != f->links * sizeof(*f->member)))
        return cop_err_add(err, COP_E_IO,
                           "%s: tree %u has members that do not unpack; it was edited", s->path,
                           f->tree + 1);
    f->n_members = (uint32_t)(bytes / sizeof(*f->member));
    uint32_t *word = (uint32_t *)(void *)f->member;
    for (size_t i = 0; i < 4 * (size_t)f->n_members; i++)
        word[i] = le32toh(word[i]);
    return 0;
}

static int load_tree_frames(cop_store *s, int64_t run, cop_result *r, cop_err *err)
{
    uint32_t n = count_rows(s, "SELECT count(*) FROM tree_frame WHERE run_id = ?", run, err);
    r->tree_frame = COP_NEW_ARRAY(&r->arena, cop_tree_frame, n);
    sqlite3_stmt *st = cop_store_prepare(
        s,
        "SELECT tree, frame, root_port, links, bytes, members FROM tree_frame WHERE run_id = ?"
        " ORDER BY tree, frame",
        err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run);
    int rc = 0;
    while (r->n_tree_frames < n && (rc = cop_store_step(s, st, err)) > 0) {
        cop_tree_frame *f = &r->tree_frame[r->n_tree_frames++];
        *f = (cop_tree_frame){.tree = number(st, 0) - 1,
                              .frame = number(st, 1),
                              .root = number(st, 2),
                              .links = number(st, 3),
                              .bytes = cop_store_count(st, 4)};
        rc = load_members(s, st, f, &r->arena, err);
        if (rc < 0)
            break;
    }
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

/* When the frames were; what is in them stays in the file. */
static int load_times(cop_store *s, int64_t run, cop_result *r, cop_err *err)
{
    uint32_t n = count_rows(s, "SELECT count(*) FROM frame WHERE run_id = ?", run, err);
    r->frame = COP_NEW_ARRAY(&r->arena, cop_frame, n);
    sqlite3_stmt *st = cop_store_prepare(
        s, "SELECT time_ns, span_ns FROM frame WHERE run_id = ? ORDER BY frame", err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run);
    int rc = 0;
    while (r->n_frames < n && (rc = cop_store_step(s, st, err)) > 0)
        r->frame[r->n_frames++] = (cop_frame){.t = picoseconds(cop_store_real(st, 0)),
                                              .span = picoseconds(cop_store_real(st, 1))};
    sqlite3_finalize(st);
    r->film = r->n_frames > 0;
    r->trees_asked = r->film;
    for (uint32_t i = 0; i < r->n_scalars; i++)
        r->trees_asked |= strcmp(r->scalar[i].name, "trees.count") == 0;
    return rc < 0 ? rc : 0;
}

int cop_store_load_trees(cop_store *s, int64_t run, cop_result *r, cop_err *err)
{
    if (!cop_store_has_trees(s))
        return 0;
    int rc = load_times(s, run, r, err);
    if (rc == 0)
        rc = load_list(s, run, r, err);
    if (rc == 0)
        rc = load_roots(s, run, r, err);
    if (rc == 0)
        rc = load_tree_frames(s, run, r, err);
    return rc;
}
