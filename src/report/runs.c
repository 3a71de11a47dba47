/* The figures of a run that belongs to no experiment: an overview.
 *
 * In:  a stored run. Out: `scalars` and `figures` in its object, in the form of docs/REPORT.md.
 *   throughput   of each traffic entry over time
 *   latency      mean over time, and its distribution
 *   entries      one line per traffic entry
 * Further series, of births and `run.observe`: observed.c. Figures of ports: ports.c.
 */
#include "report/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 1200, MANY_CURVES = 8, MAX_CURVES = 24 };

/* -- parts of a figure -- */

json_t *cop_report_axis(const char *label, const char *unit, bool log)
{
    return json_pack("{s:s, s:s, s:b}", "label", label, "unit", unit, "log", log);
}

json_t *cop_report_time_axis(const cop_drawing *d)
{
    json_t *x = cop_report_axis("time", d->time_unit, false);
    double end = json_number_value(json_object_get(d->run, "sim_time_ns")) / d->ns_per_unit;
    json_object_set_new(x, "min", json_integer(0));
    json_object_set_new(x, "max", cop_report_real(end));
    return x;
}

json_t *cop_report_figure(cop_drawing *d, const char *name, const char *title, const char *kind)
{
    json_t *f = json_pack("{s:s, s:s, s:s}", "name", name, "title", title, "kind", kind);
    json_array_append_new(d->figures, f);
    return f;
}

static json_t *curve(const char *name)
{
    json_t *c = json_object();
    json_object_set_new(c, "name", cop_report_string(name));
    json_object_set_new(c, "points", json_array());
    return c;
}

static void add_point(json_t *c, double x, double y)
{
    json_t *p = json_array();
    json_array_append_new(p, cop_report_real(x));
    json_array_append_new(p, cop_report_real(y));
    json_array_append_new(json_object_get(c, "points"), p);
}

/* -- over time -- */

typedef struct name_list {
    char **name;
    size_t n, cap;
    cop_drawing *d;
} name_list;

static int add_name(void *user, const cop_cell *cells, size_t n)
{
    name_list *l = user;
    l->name = cop_grow(l->name, &l->cap, l->n + 1, sizeof(*l->name));
    l->name[l->n++] = cop_arena_strdup(&l->d->arena, cop_report_column(cells, n, "name").text);
    l->d->sample_ns = cop_report_column(cells, n, "sample_ns").real;
    return 0;
}

/* Samples that the run reached: one that was stopped has bins behind its end, with nothing in
 * them. */
static uint32_t reached(const cop_drawing *d, uint32_t n)
{
    double bins = ceil(json_number_value(json_object_get(d->run, "sim_time_ns")) / d->sample_ns);
    return bins >= 0.0 && bins < n ? (uint32_t)bins : n;
}

int cop_report_add_series(cop_drawing *d, json_t *curves, const char *series, const char *name,
                          double scale)
{
    cop_series s = {0};
    int rc = cop_store_series(d->store, d->id, series, &s, &d->arena, d->err);
    if (rc <= 0)
        return rc;
    uint32_t samples = reached(d, s.n), bundle = (samples + MAX_POINTS - 1) / MAX_POINTS;
    double step = d->sample_ns / d->ns_per_unit;
    json_t *c = curve(name);
    for (uint32_t i = 0; i < samples; i += bundle) {
        double sum = 0.0;
        uint32_t n = 0;
        for (uint32_t k = i; k < samples && k < i + bundle; k++)
            if (isfinite(s.v[k])) {
                sum += s.v[k];
                n++;
            }
        double middle = (i + fmin(bundle, samples - i) / 2.0) * step;
        add_point(c, middle, n > 0 ? sum / n * scale : NAN);
    }
    json_array_append_new(curves, c);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Length of what stands before a mark and a number at the end of the first n characters; n if there
 * are none. */
static size_t before_number(const char *name, size_t n, char mark)
{
    size_t digits = 0;
    while (digits < n && name[n - 1 - digits] >= '0' && name[n - 1 - digits] <= '9')
        digits++;
    bool found = digits > 0 && digits + 1 < n && name[n - 1 - digits] == mark;
    return found ? n - digits - 1 : n;
}

/* Length of the name of the traffic entry in "entry/3" and "entry/3#2", the series of its
 * streams. */
static size_t entry_length(const char *name)
{
    size_t n = strlen(name), host = before_number(name, n, '#');
    size_t entry = before_number(name, host, '/');
    return entry < host ? entry : n;
}

/* Add the points of `c` to those of the curve before it. */
static void add_up(json_t *before, const json_t *c)
{
    size_t i;
    json_t *p;
    COP_EACH (json_object_get(c, "points"), i, p) {
        json_t *sum = json_array_get(json_object_get(before, "points"), i);
        double v =
            json_number_value(json_array_get(sum, 1)) + json_number_value(json_array_get(p, 1));
        if (sum != NULL)
            json_array_set_new(sum, 1, cop_report_real(v));
    }
}

/* One curve per entry instead of one per stream. */
static void merge_streams(json_t *curves)
{
    for (size_t i = 0; i < json_array_size(curves);) {
        json_t *c = json_array_get(curves, i), *before = i ? json_array_get(curves, i - 1) : NULL;
        const char *name = cop_report_get(c, "name");
        char *entry = cop_alloc(strlen(name) + 1);
        memcpy(entry, name, entry_length(name));
        if (before != NULL && strcmp(cop_report_get(before, "name"), entry) == 0) {
            add_up(before, c);
            json_array_remove(curves, i);
        } else {
            json_object_set_new(c, "name", cop_report_string(entry));
            i++;
        }
        cop_free(entry);
    }
}

static int count_streams(void *user, const cop_cell *cells, size_t n)
{
    json_object_set_new_nocheck(user, cop_report_column(cells, n, "entry").text,
                                json_integer(cop_report_column(cells, n, "streams").i));
    return 0;
}

/* Nodes of which a curve is the mean: those of its entry if it is the curve of an entry, or of a
 * stream whose entry is drawn as a sum; else its own. */
static double nodes_of(cop_drawing *d, const json_t *streams, const char *name, bool merged)
{
    size_t length = merged ? entry_length(name) : strlen(name);
    const json_t *n =
        json_object_get(streams, cop_arena_printf(&d->arena, "%.*s", (int)length, name));
    return n != NULL ? json_number_value(n) : 1.0;
}

/* Gbit/s are drawn as they are, flits per cycle as those of one node: sums of curves are weighted
 * by `nodes`. */
static int add_throughput(cop_drawing *d, json_t *curves, const char *series, const char *name,
                          double nodes)
{
    if (!cop_report_in_flits(d))
        return cop_report_add_series(d, curves, series, name, 1.0);
    size_t before = json_array_size(curves);
    int rc = cop_report_add_series(d, curves, series, name, cop_report_rate(d, 1.0) / nodes);
    if (json_array_size(curves) > before)
        json_object_set_new(json_array_get(curves, before), "nodes", cop_report_real(nodes));
    return rc;
}

static int draw_throughput(cop_drawing *d, const name_list *l)
{
    static const char prefix[] = "throughput/";
    json_t *curves = json_array(), *streams = json_object();
    int rc = cop_store_browse(d->store, COP_BROWSE_ENTRY, d->id, count_streams, streams, d->err);
    if (l->n > 1) /* the list of none is NULL, which qsort must not see */
        qsort(l->name, l->n, sizeof(*l->name), by_number);
    size_t found = 0;
    for (size_t i = 0; i < l->n; i++)
        found += strncmp(l->name[i], prefix, strlen(prefix)) == 0;
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        const char *name = l->name[i] + strlen(prefix);
        if (strncmp(l->name[i], prefix, strlen(prefix)) == 0)
            rc = add_throughput(d, curves, l->name[i], name,
                                nodes_of(d, streams, name, found > MANY_CURVES));
    }
    json_decref(streams);
    double hosts = json_number_value(json_object_get(d->run, "hosts"));
    if (rc == 0 && found == 0)
        rc = add_throughput(d, curves, "network/throughput", "all", hosts > 0.0 ? hosts : 1.0);
    if (found > MANY_CURVES)
        merge_streams(curves);
    while (json_array_size(curves) > MAX_CURVES)
        json_array_remove(curves, MAX_CURVES);
    json_t *f = cop_report_figure(d, "throughput", "Throughput over time", "time");
    json_object_set_new(f, "wide", json_true());
    json_object_set_new(f, "x", cop_report_time_axis(d));
    json_object_set_new(f, "y",
                        cop_report_axis("throughput",
                                        cop_report_in_flits(d) ? "flit/cycle/node" : "Gbit/s",
                                        false));
    json_object_set_new(f, "series", curves);
    return rc;
}

static int draw_latency_over_time(cop_drawing *d)
{
    json_t *curves = json_array();
    int rc = cop_report_add_series(d, curves, "network/latency", "mean latency",
                                   cop_report_latency(d, 1.0));
    if (rc == 0 && json_array_size(curves) > 0) {
        json_t *f = cop_report_figure(d, "latency", "Latency over time", "time");
        json_object_set_new(f, "note",
                            json_string("Mean of the packets that arrived in a sample, "
                                        "from generation to delivery."));
        json_object_set_new(f, "x", cop_report_time_axis(d));
        json_object_set_new(f, "y", cop_report_axis("latency", cop_report_latency_unit(d), false));
        json_object_set(f, "series", curves);
    }
    json_decref(curves);
    return rc;
}

/* -- distribution -- */

typedef struct rows_of {
    cop_drawing *d;
    json_t *list;
} rows_of;

static int add_bin(void *user, const cop_cell *cells, size_t n)
{
    const rows_of *to = user;
    json_t *curves = to->list;
    const char *name = cop_report_column(cells, n, "name").text;
    json_t *c = json_array_get(curves, json_array_size(curves) - 1);
    if (c == NULL || strcmp(cop_report_get(c, "name"), name) != 0) {
        c = curve(name);
        json_array_append_new(curves, c);
        add_point(c, cop_report_latency(to->d, cop_report_column(cells, n, "low_ns").real), 0.0);
    }
    add_point(c, cop_report_latency(to->d, cop_report_column(cells, n, "high_ns").real),
              100.0 * cop_report_column(cells, n, "cumulative").real);
    return 0;
}

static int draw_distribution(cop_drawing *d)
{
    json_t *curves = json_array();
    rows_of to = {d, curves};
    int rc = cop_store_browse(d->store, COP_BROWSE_HIST, d->id, add_bin, &to, d->err);
    if (rc == 0 && json_array_size(curves) > 0) {
        json_t *f = cop_report_figure(d, "distribution", "Distribution of latency", "line");
        json_object_set_new(f, "note",
                            json_string("Share of packets that took at most so long. "
                                        "Transit counts from the first byte's leaving "
                                        "the host."));
        json_object_set_new(f, "x", cop_report_axis("latency", cop_report_latency_unit(d), true));
        json_object_set_new(f, "y", cop_report_axis("packets", "%", false));
        json_object_set(f, "series", curves);
    }
    json_decref(curves);
    return rc;
}

/* -- traffic entries -- */

static int add_entry(void *user, const cop_cell *cells, size_t n)
{
    static const char *const columns[] = {"entry",    "streams",  "total_gbps", "mean_gbps",
                                          "min_gbps", "max_gbps", "jain"};
    const rows_of *to = user;
    json_t *row = json_array();
    for (size_t i = 0; i < COP_LEN(columns); i++) {
        cop_cell c = cop_report_column(cells, n, columns[i]);
        if (c.kind == COP_CELL_REAL && strstr(columns[i], "gbps") != NULL)
            c.real = cop_report_rate(to->d, c.real);
        json_array_append_new(row, cop_report_cell(&c));
    }
    cop_cell latency = cop_report_column(cells, n, "latency_mean_ns");
    json_array_append_new(row, latency.kind == COP_CELL_NULL
                                   ? json_null()
                                   : cop_report_real(cop_report_latency(to->d, latency.real)));
    json_array_append_new(to->list, row);
    return 0;
}

static int draw_entries(cop_drawing *d)
{
    json_t *rows = json_array();
    rows_of to = {d, rows};
    int rc = cop_store_browse(d->store, COP_BROWSE_ENTRY, d->id, add_entry, &to, d->err);
    json_t *f = cop_report_figure(d, "entries", "Traffic entries", "table");
    json_object_set_new(
        f, "columns",
        json_pack("[s, s, s, s, s, s, s, s]", "entry", "streams",
                  cop_report_in_flits(d) ? "total flit/cycle" : "total Gbit/s", "mean", "least",
                  "most", "fairness (Jain)",
                  cop_arena_printf(&d->arena, "latency %s", cop_report_latency_unit(d))));
    json_object_set_new(f, "rows", rows);
    return rc;
}

/* -- all of it -- */

static int add_scalar(void *user, const cop_cell *cells, size_t n)
{
    json_t *row = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(row, cop_report_cell(&cells[i]));
    json_array_append_new(user, row);
    return 0;
}

static int draw(cop_drawing *d)
{
    name_list names = {.d = d};
    cop_report_ports ports = {.d = d};
    json_t *scalars = json_array();
    json_object_set_new(d->run, "scalars", scalars);
    int rc = cop_store_browse(d->store, COP_BROWSE_SCALAR, d->id, add_scalar, scalars, d->err);
    if (rc == 0)
        rc = cop_store_browse(d->store, COP_BROWSE_SERIES, d->id, add_name, &names, d->err);
    if (rc == 0)
        rc = cop_report_read_ports(&ports);
    if (rc == 0)
        rc = draw_throughput(d, &names);
    if (rc == 0)
        rc = draw_latency_over_time(d);
    if (rc == 0)
        rc = cop_report_draw_observed(d);
    if (rc == 0)
        rc = draw_distribution(d);
    if (rc == 0) {
        cop_report_draw_bars(d, &ports, false);
        cop_report_draw_bars(d, &ports, true);
        rc = draw_entries(d);
    }
    if (rc == 0)
        rc = cop_report_draw_network(d, &ports);
    if (rc == 0)
        rc = cop_report_draw_ranks(d);
    cop_free(names.name);
    cop_free(ports.port);
    return rc;
}

int cop_report_draw_run(cop_store *s, json_t *run, cop_err *err)
{
    cop_drawing d = {.store = s, .run = run, .err = err};
    d.id = json_integer_value(json_object_get(run, "id"));
    bool ms = json_number_value(json_object_get(run, "sim_time_ns")) >= 1e6;
    int rc = cop_report_read_units(&d);
    d.ns_per_unit = d.cycle_ns > 0.0 ? d.cycle_ns : ms ? 1e6 : 1e3;
    d.time_unit = d.cycle_ns > 0.0 ? "cycles" : ms ? "ms" : "µs";
    d.figures = json_array();
    json_object_set_new(run, "figures", d.figures);
    if (rc == 0)
        rc = draw(&d);
    cop_arena_free(&d.arena);
    return rc;
}
