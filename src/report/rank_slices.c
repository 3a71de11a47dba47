/* What ranks did when, for the timeline: see ranks.h and, for the rules, the head of ranks.c.
 *
 * In:   table job_slice. Out: of each row a list of slices; or, where there are too many, where a row is several ranks, or where slices were
 *       joined when they were stored, of `bins` equal parts of the time how busy the row was. */
#include "report/ranks.h"

#include <string.h>

enum { MAX_SLICES = 24000, MAX_CELLS = 40000, KINDS = 3 };

static int measure_slice(void *user, const cop_cell *cells, size_t n)
{
    cop_ranks_chart *c = user;
    int64_t at = cop_ranks_row_of(c, cells, n);
    double from = cop_ranks_number(cells, n, "from_ns"), to = cop_ranks_number(cells, n, "to_ns");
    c->n_slices++;
    c->to = fmax(c->to, to);
    if (at >= 0 && to >= from)
        c->row[at].sum[strcmp(cop_report_column(cells, n, "kind").text, "calc") != 0] += to - from;
    return 0;
}

/* What of a slice the rank was busy; 1 unless slices were joined. */
static double busy_part(const cop_ranks_row *r, bool messages)
{
    double known = messages ? r->overhead : r->compute;
    return r->sum[messages] > known && known >= 0.0 ? known / r->sum[messages] : 1.0;
}

static bool is_joined(const cop_ranks_row *r)
{
    return r->sum[0] + r->sum[1] > 1.02 * (r->compute + r->overhead) + 1.0;
}

static void add_busy(cop_ranks_chart *c, int64_t row, size_t kind, double from, double to)
{
    double length = (c->to - c->from) / (double)c->bins;
    double *busy = c->busy + (size_t)row * c->bins * KINDS;
    double share = busy_part(&c->row[row], kind > 0);
    if (!(length > 0.0) || !(from >= c->from) || !(to <= c->to))
        return;
    size_t last = (size_t)fmin((to - c->from) / length, (double)c->bins - 1.0);
    for (size_t b = (size_t)((from - c->from) / length); b <= last && b < c->bins; b++) {
        double begin = c->from + (double)b * length;
        double part = fmin(to, begin + length) - fmax(from, begin);
        busy[b * KINDS + kind] += part > 0.0 ? part * share : 0.0;
    }
}

static int add_slice(void *user, const cop_cell *cells, size_t n)
{
    static const char *const kinds[KINDS] = {"calc", "send", "recv"};
    cop_ranks_chart *c = user;
    int64_t at = cop_ranks_row_of(c, cells, n);
    cop_cell name = cop_report_column(cells, n, "kind");
    double from = cop_ranks_number(cells, n, "from_ns"), to = cop_ranks_number(cells, n, "to_ns");
    size_t kind = 0;
    while (kind < KINDS && strcmp(kinds[kind], name.text) != 0)
        kind++;
    if (at < 0 || kind == KINDS || !(to >= from))
        return 0;
    if (c->bins > 0) {
        add_busy(c, at, kind, from, to);
        return 0;
    }
    json_t *list = json_array_get(c->lists, (size_t)at);
    json_array_append_new(list, json_integer((json_int_t)kind));
    json_array_append_new(list, cop_ranks_ns(from));
    json_array_append_new(list, cop_ranks_ns(to - from));
    return 0;
}

static void make_cells(const cop_ranks_chart *c)
{
    double whole = (c->to - c->from) / (double)c->bins;
    for (int64_t r = 0; r < c->n_rows; r++) {
        json_t *list = json_array_get(c->lists, (size_t)r);
        double all = whole * (double)(c->row[r].n > 0 ? c->row[r].n : 1);
        for (size_t b = 0; b < c->bins; b++) {
            const double *busy = c->busy + ((size_t)r * c->bins + b) * KINDS;
            if (busy[0] + busy[1] + busy[2] < 0.005 * all)
                continue;
            json_array_append_new(list, json_integer((json_int_t)b));
            for (size_t k = 0; k < KINDS; k++)
                json_array_append_new(list, json_integer(lround(100.0 * busy[k] / all)));
        }
    }
}

int cop_ranks_read_slices(cop_ranks_chart *c)
{
    cop_drawing *d = c->d;
    double end = json_number_value(json_object_get(d->run, "sim_time_ns"));
    int rc = cop_store_browse(d->store, COP_BROWSE_JOB_SLICE, d->id, measure_slice, c, d->err);
    for (int64_t i = 0; i < c->n_rows; i++) {
        c->to = fmax(c->to, c->row[i].open ? end : c->row[i].end);
        json_array_append_new(c->lists, json_array());
    }
    bool joined = false;
    for (int64_t i = 0; i < c->n_rows; i++)
        joined = joined || is_joined(&c->row[i]);
    if (c->n_slices > MAX_SLICES || c->each > 1 || joined) {
        c->bins = (size_t)(MAX_CELLS / c->n_rows);
        c->busy = cop_alloc_array((size_t)c->n_rows * c->bins, KINDS * sizeof(*c->busy));
    }
    if (rc == 0)
        rc = cop_store_browse(d->store, COP_BROWSE_JOB_SLICE, d->id, add_slice, c, d->err);
    if (c->bins > 0)
        make_cells(c);
    return rc;
}
