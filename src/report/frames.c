/* The network over time: frames and congestion trees of a run, for the player of the page.
 *
 * In:  tables `frame`, `tree` and `tree_frame`. Out: members of a figure:
 *   frames       [[time_ns, data, frame]]     data as in the database (zlib), in base64
 *   trees        [{columns of the table}]     heaviest first
 *   tree_frames  [[tree, frame, members, contributors, victims]], the last three in base64 or null
 * A page must stay small enough to be sent: of many frames only every so many-th is kept, evenly. */
#include "report/runs.h"

#include <string.h>

enum { MAX_FRAMES = 160, MAX_TREES = 200 };
#define MAX_BYTES ((size_t)6 << 20) /* of the data of all frames */

typedef struct film {
    cop_drawing *d;
    json_t *frames, *trees, *tree_frames;
    size_t n, bytes; /* of all frames */
    size_t step, seen; /* every so many-th is kept */
    json_t *kept; /* numbers of frames */
    json_t *last; /* number of a tree -> who took part when that was looked up last */
} film;

static json_t *base64(const cop_cell *c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (c->kind != COP_CELL_DATA)
        return json_null();
    const unsigned char *in = c->data;
    char *text = cop_alloc((c->bytes + 2) / 3 * 4 + 1), *at = text;
    for (size_t i = 0; i < c->bytes; i += 3) {
        size_t left = c->bytes - i;
        uint32_t v = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                     (left > 2 ? in[i + 2] : 0);
        *at++ = digits[v >> 18];
        *at++ = digits[v >> 12 & 63];
        *at++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[v & 63] : '=';
    }
    json_t *s = json_stringn(text, (size_t)(at - text));
    cop_free(text);
    return s;
}

static int measure(void *user, const cop_cell *cells, size_t n)
{
    film *m = user;
    m->n++;
    m->bytes += cop_report_column(cells, n, "data").bytes;
    return 0;
}

static int add_frame(void *user, const cop_cell *cells, size_t n)
{
    film *m = user;
    char number[24];
    /* The last one is always there. */
    if ((m->n - 1 - m->seen++) % m->step != 0)
        return 0;
    cop_cell data = cop_report_column(cells, n, "data");
    int64_t frame = cop_report_column(cells, n, "frame").i;
    json_t *row = json_array();
    json_array_append_new(row, cop_report_real(cop_report_column(cells, n, "time_ns").real));
    json_array_append_new(row, base64(&data));
    json_array_append_new(row, json_integer(frame));
    json_array_append_new(m->frames, row);
    snprintf(number, sizeof(number), "%" PRId64, frame);
    json_object_set_new(m->kept, number, json_true());
    return 0;
}

static int add_tree(void *user, const cop_cell *cells, size_t n)
{
    film *m = user;
    if (json_array_size(m->trees) == MAX_TREES)
        return 1;
    json_t *tree = json_object();
    for (size_t i = 0; i < n; i++)
        if (strcmp(cells[i].name, "run_id") != 0 && cells[i].kind != COP_CELL_DATA)
            json_object_set_new(tree, cells[i].name, cop_report_cell(&cells[i]));
    json_array_append_new(m->trees, tree);
    return 0;
}

static int add_tree_frame(void *user, const cop_cell *cells, size_t n)
{
    film *m = user;
    char number[24];
    int64_t tree = cop_report_column(cells, n, "tree").i;
    int64_t frame = cop_report_column(cells, n, "frame").i;
    snprintf(number, sizeof(number), "%" PRId64, frame);
    cop_cell parts[3] = {cop_report_column(cells, n, "members"),
                         cop_report_column(cells, n, "contributors"),
                         cop_report_column(cells, n, "victims")};
    if (tree > MAX_TREES || parts[0].kind != COP_CELL_DATA)
        return 0;
    /* Who takes part is not looked up at every sample, and that one may be left out here. */
    char key[40];
    for (size_t i = 1; i < COP_LEN(parts); i++) {
        snprintf(key, sizeof(key), "%" PRId64 "/%zu", tree, i);
        if (parts[i].kind == COP_CELL_DATA)
            json_object_set_new(m->last, key, base64(&parts[i]));
    }
    if (json_object_get(m->kept, number) == NULL)
        return 0;
    json_t *row = json_pack("[I, I]", (json_int_t)tree, (json_int_t)frame);
    json_array_append_new(row, base64(&parts[0]));
    for (size_t i = 1; i < COP_LEN(parts); i++) {
        snprintf(key, sizeof(key), "%" PRId64 "/%zu", tree, i);
        json_t *known = json_object_get(m->last, key);
        json_array_append_new(row, known ? json_incref(known) : json_null());
    }
    json_array_append_new(m->tree_frames, row);
    return 0;
}

int cop_report_add_frames(cop_drawing *d, json_t *f)
{
    film m = {.d = d,
              .frames = json_array(),
              .trees = json_array(),
              .tree_frames = json_array(),
              .kept = json_object(),
              .last = json_object()};
    int rc = cop_store_browse(d->store, COP_BROWSE_FRAME, d->id, measure, &m, d->err);
    size_t by_bytes = (m.bytes + MAX_BYTES - 1) / MAX_BYTES;
    m.step = (m.n + MAX_FRAMES - 1) / MAX_FRAMES;
    m.step = by_bytes > m.step ? by_bytes : m.step;
    if (rc == 0 && m.n > 0)
        rc = cop_store_browse(d->store, COP_BROWSE_FRAME, d->id, add_frame, &m, d->err);
    if (rc == 0)
        rc = cop_store_browse(d->store, COP_BROWSE_TREE, d->id, add_tree, &m, d->err);
    rc = rc > 0 ? 0 : rc;
    if (rc == 0)
        rc = cop_store_browse(d->store, COP_BROWSE_TREE_FRAME, d->id, add_tree_frame, &m, d->err);
    if (json_array_size(m.frames) > 0) {
        json_object_set(f, "frames", m.frames);
        json_object_set(f, "trees", m.trees);
        json_object_set(f, "tree_frames", m.tree_frames);
    }
    json_decref(m.frames);
    json_decref(m.trees);
    json_decref(m.tree_frames);
    json_decref(m.kept);
    json_decref(m.last);
    return rc;
}
