/* Applications of a run: a table of jobs, one of collectives, and the timeline of ranks.
 *
 * In:   tables job, job_rank, job_collective, job_path, job_slice. Out: figures `jobs`, `collectives`
 *       (tables) and `ranks`, of a kind of its own:
 *   from, to  ns that it covers
 *   jobs      [{name, program, ranks, start, end, compute, overhead, network, wait (of the critical path; ns),
 *             collectives: [[name, ranks, start, end]], path: [[row, from, to, kind]], the last step first}]
 *   rows      [[job, first rank, last rank, host, end, compute, overhead, waiting]]; of several ranks end is
 *             the last one, times are means, host is null
 *   slices    of each row [kind, from, length, ...], ns; kind: 0 calc, 1 send, 2 recv
 *   cells     instead of slices, `bins` equal parts of the time: of each row [bin, percent calc, send, recv, ...]
 * Bounds  MAX_ROWS rows, else a row is several ranks that follow each other; MAX_SLICES slices and a rank per
 *         row, else MAX_CELLS cells. What a page shows is bounded, however large a job is.
 * Joined  Slices of a large job were joined when it was stored (docs/RESULTS.md), and what they then cover is
 *         more than the rank was busy. They become cells, too, in the proportion that is known of the rank. */
#include "report/ranks.h"

#include <string.h>

static json_t *scaled(const cop_ranks_chart *c, double v)
{
    return cop_report_real(v / c->d->ns_per_unit);
}

/* -- jobs -- */

static void add_job_row(cop_ranks_chart *c, const cop_cell *cells, size_t n)
{
    double start = cop_ranks_number(cells, n, "start_ns"),
           end = cop_ranks_number(cells, n, "end_ns");
    static const char *const part[] = {"path_compute_ns", "path_overhead_ns", "path_network_ns",
                                       "path_wait_ns"};
    double parts[COP_LEN(part)], sum = 0.0;
    for (size_t i = 0; i < COP_LEN(part); i++)
        sum += parts[i] = cop_ranks_number(cells, n, part[i]);
    json_t *row = json_array();
    json_array_append_new(row, cop_report_string(cop_report_column(cells, n, "name").text));
    /* Of a trace the file's name: a table has no room for where it lies, the configuration says that. */
    const char *program = cop_report_column(cells, n, "program").text;
    const char *slash = program ? strrchr(program, '/') : NULL;
    json_array_append_new(row, cop_report_string(slash ? slash + 1 : program));
    json_array_append_new(row, json_integer(cop_report_column(cells, n, "ranks").i));
    json_array_append_new(row, isnan(end) ? json_string("not finished") : scaled(c, end - start));
    for (size_t i = 0; i < COP_LEN(part); i++)
        json_array_append_new(row,
                              sum > 0.0 ? cop_report_real(100.0 * parts[i] / sum) : json_null());
    json_array_append_new(row, json_integer(cop_report_column(cells, n, "messages").i));
    json_array_append_new(row,
                          cop_report_real(cop_ranks_number(cells, n, "network_mean_ns") / 1e3));
    json_array_append_new(c->table, row);
}

static int add_job(void *user, const cop_cell *cells, size_t n)
{
    cop_ranks_chart *c = user;
    int64_t number = cop_report_column(cells, n, "job").i;
    int64_t ranks = cop_report_column(cells, n, "ranks").i;
    if (c->n_jobs == MAX_JOBS || number != (int64_t)c->n_jobs)
        return 1;
    add_job_row(c, cells, n);
    json_t *o = json_object();
    json_object_set_new(o, "name", cop_report_string(cop_report_column(cells, n, "name").text));
    json_object_set_new(o, "program",
                        cop_report_string(cop_report_column(cells, n, "program").text));
    json_object_set_new(o, "ranks", json_integer(ranks));
    json_object_set_new(o, "start", cop_ranks_ns(cop_ranks_number(cells, n, "start_ns")));
    json_object_set_new(o, "end", cop_ranks_ns(cop_ranks_number(cells, n, "end_ns")));
    json_object_set_new(o, "compute", cop_ranks_ns(cop_ranks_number(cells, n, "path_compute_ns")));
    json_object_set_new(o, "overhead",
                        cop_ranks_ns(cop_ranks_number(cells, n, "path_overhead_ns")));
    json_object_set_new(o, "network", cop_ranks_ns(cop_ranks_number(cells, n, "path_network_ns")));
    json_object_set_new(o, "wait", cop_ranks_ns(cop_ranks_number(cells, n, "path_wait_ns")));
    json_object_set_new(o, "collectives", json_array());
    json_object_set_new(o, "path", json_array());
    json_array_append_new(c->jobs, o);
    ranks = ranks < 0 || ranks > INT32_MAX ? 0 : ranks;
    c->job[c->n_jobs++] = (cop_ranks_job){.o = o, .ranks = ranks};
    c->n_ranks += ranks;
    c->from = fmin(c->from, cop_ranks_number(cells, n, "start_ns"));
    return 0;
}

static void make_rows(cop_ranks_chart *c)
{
    c->each = c->n_ranks / MAX_ROWS + (c->n_ranks % MAX_ROWS != 0);
    c->each = c->each < 1 ? 1 : c->each;
    for (size_t i = 0; i < c->n_jobs; i++) {
        c->job[i].row0 = c->n_rows;
        c->n_rows += c->job[i].ranks / c->each + (c->job[i].ranks % c->each != 0);
    }
    c->row = cop_alloc_array((size_t)c->n_rows + 1, sizeof(*c->row));
}

/* Row of the rank in the cells, -1 if there is no such rank. */
int64_t cop_ranks_row_of(const cop_ranks_chart *c, const cop_cell *cells, size_t n)
{
    int64_t number = cop_report_column(cells, n, "job").i;
    int64_t rank = cop_report_column(cells, n, "rank").i;
    if (number < 0 || number >= (int64_t)c->n_jobs || rank < 0 || rank >= c->job[number].ranks)
        return -1;
    return c->job[number].row0 + rank / c->each;
}

static int add_rank(void *user, const cop_cell *cells, size_t n)
{
    cop_ranks_chart *c = user;
    int64_t at = cop_ranks_row_of(c, cells, n), rank = cop_report_column(cells, n, "rank").i;
    if (at < 0)
        return 0;
    cop_ranks_row *r = &c->row[at];
    double end = cop_ranks_number(cells, n, "end_ns");
    if (r->n++ == 0) {
        r->job = cop_report_column(cells, n, "job").i;
        r->first = rank;
        r->host = cop_report_column(cells, n, "host").i;
    }
    r->last = rank;
    r->open = r->open || isnan(end);
    r->end = fmax(r->end, end);
    r->compute += cop_ranks_number(cells, n, "compute_ns");
    r->overhead += cop_ranks_number(cells, n, "overhead_ns");
    r->waiting += cop_ranks_number(cells, n, "waiting_ns");
    return 0;
}

static json_t *rows_of(const cop_ranks_chart *c)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < c->n_rows; i++) {
        const cop_ranks_row *r = &c->row[i];
        double n = r->n > 0 ? (double)r->n : 1.0;
        json_t *row =
            json_pack("[I, I, I]", (json_int_t)r->job, (json_int_t)r->first, (json_int_t)r->last);
        json_array_append_new(row, r->n == 1 ? json_integer(r->host) : json_null());
        json_array_append_new(row, r->open ? json_null() : cop_ranks_ns(r->end));
        json_array_append_new(row, cop_ranks_ns(r->compute / n));
        json_array_append_new(row, cop_ranks_ns(r->overhead / n));
        json_array_append_new(row, cop_ranks_ns(r->waiting / n));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* -- collectives and the critical path -- */

static int add_collective(void *user, const cop_cell *cells, size_t n)
{
    cop_ranks_chart *c = user;
    int64_t number = cop_report_column(cells, n, "job").i;
    if (number < 0 || number >= (int64_t)c->n_jobs)
        return 0;
    if (c->n_collectives++ >= MAX_COLLECTIVES)
        return 0;
    double start = cop_ranks_number(cells, n, "start_ns"),
           end = cop_ranks_number(cells, n, "end_ns");
    cop_cell name = cop_report_column(cells, n, "name");
    json_t *list = json_object_get(c->job[number].o, "collectives");
    json_t *mark = json_array(), *row = json_array();
    json_array_append_new(mark, cop_report_string(name.text));
    json_array_append_new(mark, json_integer(cop_report_column(cells, n, "ranks").i));
    json_array_append_new(mark, cop_ranks_ns(start));
    json_array_append_new(mark, cop_ranks_ns(end));
    json_array_append_new(list, mark);
    json_array_append(row, json_object_get(c->job[number].o, "name"));
    json_array_append_new(row, cop_report_string(name.text));
    json_array_append_new(row, json_integer(cop_report_column(cells, n, "ranks").i));
    json_array_append_new(row, scaled(c, start));
    json_array_append_new(row, scaled(c, end));
    json_array_append_new(row, scaled(c, end - start));
    json_array_append_new(c->collectives, row);
    return 0;
}

static int add_step(void *user, const cop_cell *cells, size_t n)
{
    cop_ranks_chart *c = user;
    int64_t at = cop_ranks_row_of(c, cells, n);
    if (at < 0)
        return 0;
    json_t *path = json_object_get(c->job[cop_report_column(cells, n, "job").i].o, "path");
    if (json_array_size(path) >= MAX_PATH)
        return 0;
    json_t *step = json_pack("[I]", (json_int_t)at);
    json_array_append_new(step, cop_ranks_ns(cop_ranks_number(cells, n, "from_ns")));
    json_array_append_new(step, cop_ranks_ns(cop_ranks_number(cells, n, "to_ns")));
    json_array_append_new(step, cop_report_string(cop_report_column(cells, n, "kind").text));
    json_array_append_new(path, step);
    return 0;
}

/* -- figures -- */

static void draw_tables(cop_ranks_chart *c)
{
    const char *unit = c->d->time_unit;
    json_t *f = cop_report_figure(c->d, "jobs", "Jobs", "table");
    json_t *columns = json_pack("[s, s, s]", "job", "program", "ranks");
    json_array_append_new(columns,
                          json_string(cop_arena_printf(&c->d->arena, "completion %s", unit)));
    static const char *const more[] = {"computation %", "overhead %", "network %",
                                       "waiting %",     "messages",   "mean message µs"};
    for (size_t i = 0; i < COP_LEN(more); i++)
        json_array_append_new(columns, json_string(more[i]));
    json_object_set_new(f, "columns", columns);
    json_object_set(f, "rows", c->table);
    json_object_set_new(f, "note",
                        json_string("Shares are those of the critical path, which "
                                    "determines the completion."));
    if (json_array_size(c->collectives) == 0)
        return;
    f = cop_report_figure(c->d, "collectives", "Collectives", "table");
    columns = json_pack("[s, s, s]", "job", "collective", "ranks");
    static const char *const times[] = {"from", "to", "completion"};
    for (size_t i = 0; i < COP_LEN(times); i++)
        json_array_append_new(columns,
                              json_string(cop_arena_printf(&c->d->arena, "%s %s", times[i], unit)));
    json_object_set_new(f, "columns", columns);
    json_object_set(f, "rows", c->collectives);
    if (c->n_collectives > MAX_COLLECTIVES)
        json_object_set_new(f, "note",
                            json_string(cop_arena_printf(&c->d->arena, "The first %d of %zu.",
                                                         MAX_COLLECTIVES, c->n_collectives)));
}

static void draw_timeline(cop_ranks_chart *c)
{
    json_t *f = cop_report_figure(c->d, "ranks", "Timeline of ranks", "ranks");
    json_object_set_new(f, "x", cop_report_axis("time", c->d->time_unit, false));
    if (c->d->cycle_ns > 0.0)
        json_object_set_new(f, "cycle_ns", cop_report_real(c->d->cycle_ns));
    json_object_set_new(f, "from", cop_ranks_ns(c->from));
    json_object_set_new(f, "to", cop_ranks_ns(c->to));
    json_object_set_new(f, "rows", rows_of(c));
    json_object_set(f, "jobs", c->jobs);
    json_object_set(f, c->bins ? "cells" : "slices", c->lists);
    if (c->bins)
        json_object_set_new(f, "bins", json_integer((json_int_t)c->bins));
    if (c->each > 1)
        json_object_set_new(f, "note",
                            json_string(cop_arena_printf(
                                &c->d->arena, "A row is the mean of %d ranks.", (int)c->each)));
}

static int read(cop_ranks_chart *c)
{
    cop_drawing *d = c->d;
    int rc = cop_store_browse(d->store, COP_BROWSE_JOB, d->id, add_job, c, d->err);
    rc = rc > 0 ? 0 : rc;
    if (rc != 0 || c->n_ranks == 0)
        return rc;
    make_rows(c);
    rc = cop_store_browse(d->store, COP_BROWSE_JOB_RANK, d->id, add_rank, c, d->err);
    if (rc == 0)
        rc =
            cop_store_browse(d->store, COP_BROWSE_JOB_COLLECTIVE, d->id, add_collective, c, d->err);
    if (rc == 0)
        rc = cop_store_browse(d->store, COP_BROWSE_JOB_PATH, d->id, add_step, c, d->err);
    return rc == 0 ? cop_ranks_read_slices(c) : rc;
}

int cop_report_draw_ranks(cop_drawing *d)
{
    cop_ranks_chart *c = cop_alloc(sizeof(*c));
    *c = (cop_ranks_chart){.d = d,
                           .table = json_array(),
                           .collectives = json_array(),
                           .jobs = json_array(),
                           .lists = json_array(),
                           .from = INFINITY};
    int rc = read(c);
    if (rc == 0 && c->n_rows > 0 && c->to > c->from) {
        draw_timeline(c);
        draw_tables(c);
    }
    json_decref(c->table);
    json_decref(c->collectives);
    json_decref(c->jobs);
    json_decref(c->lists);
    cop_free(c->row);
    cop_free(c->busy);
    cop_free(c);
    return rc;
}
