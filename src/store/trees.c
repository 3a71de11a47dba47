/* Congestion trees: from a result into the tables, and back.
 *
 * Lists of numbers (ports of a frame, members, hosts, flows) are blobs: little-endian numbers, packed by
 * zlib, which any language unpacks. A file may have been edited by hand: what does not unpack to the
 * expected size is refused. Loading brings trees back with their members at each sample, and leaves frames
 * and flows in the file. */
#include "store/rows.h"
#include "store/table.h"

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

static enum cop_tree_kind kind_of(const char *name)
{
    int kind = COP_TREE_MOVING;
    while (kind > 0 && strcmp(cop_tree_kind_name(kind), name) != 0)
        kind--;
    return (enum cop_tree_kind)kind;
}

static int load_tree(const cop_table *t, sqlite3_stmt *st, void *item)
{
    (void)t;
    bool counted = sqlite3_column_type(st, 5) != SQLITE_NULL;
    *(cop_tree_result *)item =
        (cop_tree_result){.begin = cop_store_ps(cop_store_real(st, 0)),
                          .end = cop_store_ps(cop_store_real(st, 1)),
                          .samples = cop_store_number(st, 2),
                          .links = cop_store_number(st, 3),
                          .depth = cop_store_number(st, 4),
                          .counted = counted,
                          .contributors = counted ? cop_store_number(st, 5) : 0,
                          .victims = cop_store_count(st, 6),
                          .loss = cop_store_real(st, 7),
                          .bytes_mean = cop_store_real(st, 8),
                          .bytes_max = cop_store_count(st, 9),
                          .similarity = cop_store_real(st, 10),
                          .overlap = cop_store_real(st, 11),
                          .contributor_overlap = cop_store_real(st, 12),
                          .kind = kind_of(cop_store_text(st, 13))};
    return 0;
}

static int load_root(const cop_table *t, sqlite3_stmt *st, void *item)
{
    cop_result *r = t->to;
    uint32_t tree = cop_store_number(st, 0) - 1;
    *(cop_tree_root *)item = (cop_tree_root){.port = cop_store_number(st, 1),
                                             .begin = cop_store_ps(cop_store_real(st, 2)),
                                             .end = cop_store_ps(cop_store_real(st, 3))};
    if (tree < r->n_trees && r->tree[tree].n_roots++ == 0)
        r->tree[tree].root = item;
    return 0;
}

/* Roots of all trees, in order; a tree without one shows that the file was edited. */
static void load_roots(cop_table *t, cop_result *r)
{
    uint32_t n;
    t->to = r;
    cop_tree_root *root = cop_table_load(t, "tree_root", "tree, port, begin_ns, end_ns",
                                         "tree, position", sizeof(*root), &n, load_root);
    for (uint32_t i = 0; root != NULL && i < r->n_trees; i++)
        if (r->tree[i].n_roots == 0) {
            r->tree[i].root = &root[n]; /* of none: a place to read from */
            r->tree[i].n_roots = 1;
        }
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

static int load_tree_frame(const cop_table *t, sqlite3_stmt *st, void *item)
{
    cop_tree_frame *f = item;
    *f = (cop_tree_frame){.tree = cop_store_number(st, 0) - 1,
                          .frame = cop_store_number(st, 1),
                          .root = cop_store_number(st, 2),
                          .links = cop_store_number(st, 3),
                          .bytes = cop_store_count(st, 4)};
    return load_members(t->s, st, f, t->arena, t->err);
}

static int load_time(const cop_table *t, sqlite3_stmt *st, void *item)
{
    (void)t;
    *(cop_frame *)item = (cop_frame){.t = cop_store_ps(cop_store_real(st, 0)),
                                     .span = cop_store_ps(cop_store_real(st, 1))};
    return 0;
}

void cop_store_load_trees(cop_table *t, cop_result *r)
{
    if (!cop_store_has_trees(t->s))
        return;
    /* When the frames were; what is in them stays in the file. */
    r->frame = cop_table_load(t, "frame", "time_ns, span_ns", "frame", sizeof(*r->frame),
                              &r->n_frames, load_time);
    r->film = r->n_frames > 0;
    r->trees_asked = r->film;
    for (uint32_t i = 0; i < r->n_scalars; i++)
        r->trees_asked |= strcmp(r->scalar[i].name, "trees.count") == 0;
    r->tree = cop_table_load(
        t, "tree",
        "begin_ns, end_ns, samples, links, depth, contributors, victims, loss, bytes_mean,"
        " bytes_max, similarity, overlap, contributor_overlap, kind",
        "tree", sizeof(*r->tree), &r->n_trees, load_tree);
    load_roots(t, r);
    r->tree_frame =
        cop_table_load(t, "tree_frame", "tree, frame, root_port, links, bytes, members",
                       "tree, frame", sizeof(*r->tree_frame), &r->n_tree_frames, load_tree_frame);
}
