/* Figures of the further series of a run: births, what `run.observe` asked for, levels of the queueing scheme.
 *
 * In:  the series that are stored, by name. Out: one figure for all of one kind, which is what stands before the `/`
 *      in their names: p_min/s0.7 and p_min/s0.8 are two curves of `p_min`.
 * Where a kind has too many to tell apart, those are drawn whose values change most, none that are
 * flat, and the note says so; all are in the database. */
#include "report/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CURVES = 24, MAX_FIGURES = 12 };

typedef struct observed {
    const char *name, *unit;
    size_t kind_length; /* of the name, without what follows the kind */
    double range; /* greatest less least value */
} observed;

typedef struct observed_list {
    observed *v;
    size_t n, cap;
    cop_drawing *d;
} observed_list;

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int add_observed(void *user, const cop_cell *cells, size_t n)
{
    observed_list *l = user;
    const char *name = cop_report_column(cells, n, "name").text;
    if (starts(name, "throughput/") || starts(name, "network/") ||
        strcmp(name, "births/packets") == 0 || cop_report_column(cells, n, "n").i == 0)
        return 0; /* drawn by runs.c; a count that says little; nothing */
    l->v = cop_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
    observed *o = &l->v[l->n];
    *o =
        (observed){.name = cop_arena_strdup(&l->d->arena, name),
                   .unit = cop_arena_strdup(&l->d->arena, cop_report_column(cells, n, "unit").text),
                   .kind_length = strcspn(name, "/")};
    if (starts(name, "births/"))
        o->kind_length = strlen(name); /* each has a unit of its own */
    l->n++;
    return 0;
}

static int read_range(cop_drawing *d, observed *o)
{
    cop_arena arena = {0};
    cop_series s = {0};
    int rc = cop_store_series(d->store, d->id, o->name, &s, &arena, d->err);
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; rc > 0 && i < s.n; i++)
        if (isfinite(s.v[i])) {
            least = fmin(least, s.v[i]);
            most = fmax(most, s.v[i]);
        }
    o->range = most > least ? most - least : 0.0;
    cop_arena_free(&arena);
    return rc < 0 ? rc : 0;
}

/* s0.9 before s0.10. */
static int by_name(const void *a, const void *b)
{
    const observed *x = a, *y = b;
    return strverscmp(x->name, y->name);
}

static int most_first(const void *a, const void *b)
{
    const observed *x = a, *y = b;
    if (x->range != y->range)
        return x->range < y->range ? 1 : -1;
    return by_name(a, b);
}

/* Those of one kind, one after the other. */
static int by_kind(const void *a, const void *b)
{
    const observed *x = a, *y = b;
    size_t n = x->kind_length < y->kind_length ? x->kind_length : y->kind_length;
    int order = memcmp(x->name, y->name, n);
    if (order == 0 && x->kind_length != y->kind_length)
        order = x->kind_length < y->kind_length ? -1 : 1;
    return order != 0 ? order : by_name(a, b);
}

/* What values in this unit are multiplied with to be drawn, and the unit they have then. */
static double drawn_in(const cop_drawing *d, const observed *o, const char **unit)
{
    *unit = o->unit;
    if (strcmp(o->unit, "bytes") == 0) {
        *unit = cop_report_queue_unit(d);
        return cop_report_queue(d, 1.0);
    }
    if (strcmp(o->unit, "ns") == 0) {
        *unit = cop_report_latency_unit(d);
        return cop_report_latency(d, 1.0);
    }
    if (strcmp(o->unit, "Gbit/s") == 0 && cop_report_in_flits(d)) {
        *unit = "flit/cycle";
        return cop_report_rate(d, 1.0);
    }
    return 1.0;
}

static const char *title_of(cop_drawing *d, const observed *o, size_t n)
{
    if (strcmp(o->name, "births/latency") == 0)
        return "Latency by time of birth";
    if (strcmp(o->name, "births/misrouted") == 0)
        return "Packets on non-minimal ways by time of birth";
    size_t length = n == 1 ? strlen(o->name) : o->kind_length; /* one curve has no legend */
    return cop_arena_printf(&d->arena, "%.*s over time", (int)length, o->name);
}

/* Is this line in the run's configuration? Of the sections only `run` has these options. */
static bool run_says(const cop_drawing *d, const char *line)
{
    const char *config = cop_report_get(d->run, "config");
    return config != NULL && strstr(config, line) != NULL;
}

static const char *note_of_births(cop_drawing *d)
{
    return cop_arena_printf(&d->arena, "Of the packets that %s a sample (run.births)%s.",
                            run_says(d, "\n  births: injection") ? "began to leave their host in"
                                                                 : "came into being in",
                            run_says(d, "\n  drain: yes")
                                ? ""
                                : ", as far as they have been delivered: the slow ones of the last "
                                  "samples are missing");
}

/* Of `n` series `shown` are drawn. */
static const char *note_of(cop_drawing *d, const observed *o, size_t n, size_t shown)
{
    if (starts(o->name, "births/"))
        return note_of_births(d);
    if (n <= MAX_CURVES)
        return NULL;
    if (o->range == 0.0)
        return cop_arena_printf(&d->arena, "None of the %zu changes; one is drawn, all are stored.",
                                n);
    const char *most = shown < MAX_CURVES ? "whose values change" : "whose values change most";
    return cop_arena_printf(&d->arena, "The %zu of %zu %s; the others are stored.", shown, n, most);
}

/* `n` series of one kind. */
static int draw_kind(cop_drawing *d, observed *o, size_t n)
{
    json_t *curves = json_array();
    const char *unit;
    size_t all = n;
    double scale = drawn_in(d, o, &unit);
    const char *kind = cop_arena_printf(&d->arena, "%.*s", (int)o->kind_length, o->name);
    int rc = 0;
    for (size_t i = 0; n > MAX_CURVES && rc == 0 && i < n; i++)
        rc = read_range(d, &o[i]);
    if (n > MAX_CURVES) {
        qsort(o, n, sizeof(*o), most_first);
        n = MAX_CURVES;
        while (n > 1 && o[n - 1].range == 0.0)
            n--; /* lines that stay flat say nothing beside those that do not */
        qsort(o, n, sizeof(*o), by_name);
    }
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const char *what = o[i].name + o[i].kind_length;
        rc = cop_report_add_series(d, curves, o[i].name, *what == '/' ? what + 1 : kind, scale);
    }
    if (rc == 0 && json_array_size(curves) > 0) {
        const char *name = starts(kind, "births/") ? kind + strlen("births/") : kind;
        bool birth = name != kind;
        const char *note = note_of(d, o, all, n), *title = title_of(d, o, n);
        json_t *f = cop_report_figure(
            d, cop_arena_printf(&d->arena, "%s%s", birth ? "births-" : "observed-", name), title,
            "time");
        if (note != NULL)
            json_object_set_new(f, "note", json_string(note));
        json_object_set_new(f, "x", cop_report_time_axis(d));
        json_object_set_new(f, "y", cop_report_axis(name, unit, false));
        json_object_set(f, "series", curves);
    }
    json_decref(curves);
    return rc;
}

int cop_report_draw_observed(cop_drawing *d)
{
    observed_list l = {.d = d};
    int rc = cop_store_browse(d->store, COP_BROWSE_SERIES, d->id, add_observed, &l, d->err);
    if (l.n > 1)
        qsort(l.v, l.n, sizeof(*l.v), by_kind);
    size_t figures = 0;
    for (size_t i = 0, end; rc == 0 && i < l.n && figures < MAX_FIGURES; i = end, figures++) {
        for (end = i + 1; end < l.n && l.v[end].kind_length == l.v[i].kind_length &&
                          memcmp(l.v[end].name, l.v[i].name, l.v[i].kind_length) == 0;)
            end++;
        rc = draw_kind(d, &l.v[i], end - i);
    }
    cop_free(l.v);
    return rc;
}
