/* Figures and verdicts as CSV (RFC 4180, comma, full stop, one head line).
 *
 * A figure is written long, one value per line, so that curves with different x fit in one file.
 * What the paper expects follows in the columns low and high, under the name "expected ...".
 * web/src/csv.js writes the same files in the browser.
 */
#include "report/report_int.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* -- cells -- */

/* A decimal number and nothing else. */
static bool is_number(const char *text)
{
    const char *digits = "0123456789";
    text += *text == '+' || *text == '-';
    size_t whole = strspn(text, digits), part = 0;
    text += whole;
    if (*text == '.') {
        part = strspn(++text, digits);
        text += part;
    }
    if (whole + part > 0 && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '+' || *text == '-';
        size_t power = strspn(text, digits);
        whole = power > 0 ? whole : 0;
        part = power > 0 ? part : 0;
        text += power;
    }
    return whole + part > 0 && *text == '\0';
}

/* A spreadsheet computes text that begins like this, and may run programs while it does so. */
static bool is_formula(const char *text)
{
    return text[0] != '\0' && strchr("=+-@\t\r\n", text[0]) != NULL && !is_number(text);
}

/* An apostrophe in front makes a spreadsheet take the rest as text. Tabs and semicolons part cells in
 * some countries, so what holds one is quoted too. */
static void text_cell(FILE *out, const char *prefix, const char *text)
{
    bool formula = prefix[0] == '\0' && is_formula(text);
    if (prefix[0] == '\0' && !formula && strpbrk(text, ",;\t\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fprintf(out, "\"%s%s", prefix, formula ? "'" : "");
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void cell(FILE *out, const json_t *v)
{
    if (json_is_integer(v))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_number(v))
        fprintf(out, "%.10g", json_number_value(v));
    else if (json_is_string(v))
        text_cell(out, "", json_string_value(v));
    else if (json_is_boolean(v))
        fputs(json_is_true(v) ? "true" : "false", out);
}

/* Cells of a line that may go on; NULL is an empty cell. */
static void cells(FILE *out, const json_t *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            fputc(',', out);
        cell(out, v[i]);
    }
}
#define CELLS(out, ...)                                                                            \
    cells((out), (const json_t *const[]){__VA_ARGS__},                                             \
          sizeof((const json_t *const[]){__VA_ARGS__}) / sizeof(json_t *))

/* A whole line. */
static void line(FILE *out, const json_t *const *v, size_t n)
{
    cells(out, v, n);
    fputs("\r\n", out);
}
#define LINE(out, ...)                                                                             \
    line((out), (const json_t *const[]){__VA_ARGS__},                                              \
         sizeof((const json_t *const[]){__VA_ARGS__}) / sizeof(json_t *))

/* -- kinds of figures -- */

/* "rate (Gbit/s)", as the axis is called; `otherwise` where it has no name. */
static void axis_cell(FILE *out, const json_t *f, const char *axis, const char *otherwise)
{
    const char *label = cop_report_get(json_object_get(f, axis), "label");
    const char *unit = cop_report_get(json_object_get(f, axis), "unit");
    cop_arena a = {0};
    label = label[0] ? label : otherwise;
    text_cell(out, "", unit[0] ? cop_arena_printf(&a, "%s (%s)", label, unit) : label);
    cop_arena_free(&a);
}

/* Is a value of the figure not steady? Then a column says of each whether it is. */
static bool any_unsteady(const json_t *f)
{
    size_t i;
    json_t *s;
    COP_EACH (json_object_get(f, "series"), i, s)
        if (json_array_size(json_object_get(s, "unsteady")) > 0)
            return true;
    return json_array_size(json_object_get(f, "unsteady")) > 0;
}

static void steady_head(FILE *out, const json_t *f)
{
    if (any_unsteady(f))
        fputs(",steady", out);
}

/* Of value k of a series; NULL: what is expected. */
static void steady_cell(FILE *out, const json_t *f, const json_t *s, size_t k)
{
    if (any_unsteady(f))
        fprintf(out, ",%s", s == NULL ? "" : cop_report_unsteady(s, k) ? "no" : "yes");
}

/* A column for each seed, behind the others. */
static void seed_heads(FILE *out, const json_t *f)
{
    size_t i;
    json_t *seed;
    COP_EACH (json_object_get(f, "seeds"), i, seed)
        fprintf(out, ",seed %" JSON_INTEGER_FORMAT, json_integer_value(seed));
    fputs("\r\n", out);
}

static void seed_cells(FILE *out, const json_t *f, const json_t *values)
{
    for (size_t i = 0; i < json_array_size(json_object_get(f, "seeds")); i++) {
        fputc(',', out);
        cell(out, json_array_get(values, i));
    }
    fputs("\r\n", out);
}

/* The x of a point: a number, or one of the names that the axis has. */
static const json_t *x_cell(const json_t *f, const json_t *x)
{
    const json_t *names = json_object_get(json_object_get(f, "x"), "names");
    double at = json_number_value(x);
    const json_t *name = at >= 0.0 ? json_array_get(names, (size_t)at) : NULL;
    return name ? name : x;
}

static void expected_curve(const json_t *f, const json_t *e, FILE *out)
{
    size_t k;
    json_t *p;
    const json_t *points = json_object_get(e, "points");
    COP_EACH (points, k, p) {
        text_cell(out, "expected ", cop_report_get(e, "name"));
        CELLS(out, NULL, json_array_get(p, 0), json_array_get(p, 1), NULL, NULL, NULL);
        steady_cell(out, f, NULL, 0);
        seed_cells(out, f, NULL);
    }
    /* A band: a line for each end of its range. */
    for (int end = 0; !json_is_array(points) && end < 2; end++) {
        text_cell(out, "expected ", cop_report_get(e, "name"));
        CELLS(out, NULL, json_object_get(e, end ? "to" : "from"), json_object_get(e, "value"), NULL,
              json_object_get(e, "low"), json_object_get(e, "high"));
        steady_cell(out, f, NULL, 0);
        seed_cells(out, f, NULL);
    }
}

static void csv_curves(const json_t *f, FILE *out)
{
    size_t i, k;
    json_t *s, *p;
    fputs("series,", out);
    axis_cell(out, f, "x", "x");
    fputc(',', out);
    axis_cell(out, f, "y", "y");
    fputs(",ci,low,high", out);
    steady_head(out, f);
    seed_heads(out, f);
    COP_EACH (json_object_get(f, "series"), i, s)
        COP_EACH (json_object_get(s, "points"), k, p) {
            CELLS(out, json_object_get(s, "name"), x_cell(f, json_array_get(p, 0)),
                  json_array_get(p, 1), json_array_get(json_object_get(s, "ci"), k), NULL, NULL);
            steady_cell(out, f, s, k);
            seed_cells(out, f, json_array_get(json_object_get(s, "seeds"), k));
        }
    COP_EACH (json_object_get(f, "expected"), i, s)
        expected_curve(f, s, out);
}

static void csv_bars(const json_t *f, FILE *out)
{
    size_t i, k;
    json_t *s, *v;
    axis_cell(out, f, "x", "category");
    fputs(",series,", out);
    axis_cell(out, f, "y", "value");
    fputs(",ci,low,high", out);
    steady_head(out, f);
    seed_heads(out, f);
    COP_EACH (json_object_get(f, "series"), i, s)
        COP_EACH (json_object_get(s, "values"), k, v) {
            CELLS(out, json_array_get(json_object_get(f, "categories"), k),
                  json_object_get(s, "name"), v, json_array_get(json_object_get(s, "ci"), k), NULL,
                  NULL);
            steady_cell(out, f, s, k);
            seed_cells(out, f, json_array_get(json_object_get(s, "seeds"), k));
        }
    COP_EACH (json_object_get(f, "expected"), i, s) {
        cell(out, json_object_get(s, "category"));
        fputc(',', out);
        text_cell(out, "expected ", cop_report_get(s, "series"));
        CELLS(out, NULL, json_object_get(s, "value"), NULL, json_object_get(s, "low"),
              json_object_get(s, "high"));
        steady_cell(out, f, NULL, 0);
        seed_cells(out, f, NULL);
    }
}

static void csv_heatmap(const json_t *f, FILE *out)
{
    size_t i;
    json_t *c;
    const json_t *xs = json_object_get(f, "xs"), *ys = json_object_get(f, "ys");
    axis_cell(out, f, "x", "x");
    fputc(',', out);
    axis_cell(out, f, "y", "y");
    fputc(',', out);
    axis_cell(out, f, "z", "z");
    steady_head(out, f);
    seed_heads(out, f);
    COP_EACH (json_object_get(f, "cells"), i, c) {
        CELLS(out, json_array_get(xs, (size_t)json_integer_value(json_array_get(c, 0))),
              json_array_get(ys, (size_t)json_integer_value(json_array_get(c, 1))),
              json_array_get(c, 2));
        steady_cell(out, f, f, i);
        seed_cells(out, f, json_array_get(json_object_get(f, "cell_seeds"), i));
    }
}

/* An end of a link is a name, or the number of a node. */
static const json_t *node_name(const json_t *f, const json_t *end)
{
    if (!json_is_integer(end))
        return end;
    const json_t *nodes = json_object_get(f, "nodes");
    return json_object_get(json_array_get(nodes, (size_t)json_integer_value(end)), "name");
}

static void csv_network(const json_t *f, FILE *out)
{
    static const char *const keys[] = {"from", "to", "use", "queue"};
    size_t i;
    json_t *l;
    fputs("from,to,use,queue_bytes\r\n", out);
    COP_EACH (json_object_get(f, "links"), i, l) {
        const json_t *v[4];
        for (size_t k = 0; k < 4; k++)
            v[k] = json_is_array(l) ? json_array_get(l, k) : json_object_get(l, keys[k]);
        LINE(out, node_name(f, v[0]), node_name(f, v[1]), v[2], v[3]);
    }
}

static void csv_row(const json_t *row, FILE *out)
{
    size_t i;
    json_t *v;
    COP_EACH (row, i, v) {
        if (i > 0)
            fputc(',', out);
        cell(out, v);
    }
    fputs("\r\n", out);
}

static void csv_table(const json_t *f, FILE *out)
{
    size_t i;
    json_t *row;
    csv_row(json_object_get(f, "columns"), out);
    COP_EACH (json_object_get(f, "rows"), i, row)
        csv_row(row, out);
}

static void csv_ranks(const json_t *f, FILE *out)
{
    size_t i;
    json_t *row;
    const json_t *jobs = json_object_get(f, "jobs");
    fputs("job,first_rank,last_rank,host,end_ns,compute_ns,overhead_ns,waiting_ns\r\n", out);
    COP_EACH (json_object_get(f, "rows"), i, row) {
        size_t job = (size_t)json_integer_value(json_array_get(row, 0));
        cell(out, json_object_get(json_array_get(jobs, job), "name"));
        for (size_t k = 1; k < json_array_size(row); k++) {
            fputc(',', out);
            cell(out, json_array_get(row, k));
        }
        fputs("\r\n", out);
    }
}

/* One value per line; those of a row that is left out are empty, with its reason. */
static void csv_ranking(const json_t *f, FILE *out)
{
    size_t i, k, n;
    json_t *tab, *row, *c;
    text_cell(out, "", "table");
    fputc(',', out);
    text_cell(out, "", cop_report_get(f, "rows"));
    fputs(",rank,tied,measure,unit,value,ci,why", out);
    seed_heads(out, f);
    const json_t *columns = json_object_get(f, "columns");
    COP_EACH (json_object_get(f, "tabs"), i, tab)
        COP_EACH (json_object_get(tab, "rows"), k, row)
            COP_EACH (json_object_get(row, "cells"), n, c) {
                const json_t *of = json_array_get(columns, n);
                CELLS(out, json_object_get(tab, "name"), json_object_get(row, "name"),
                      json_object_get(row, "rank"), json_object_get(row, "tied"),
                      json_object_get(of, "name"), json_object_get(of, "unit"),
                      json_object_get(c, "v"), json_object_get(c, "ci"),
                      json_object_get(row, "why"));
                seed_cells(out, f, json_object_get(c, "seeds"));
            }
}

void cop_report_csv_figure(const void *figure, FILE *out)
{
    static const struct {
        const char *kind;
        void (*write)(const json_t *f, FILE *out);
    } kinds[] = {{"line", csv_curves},     {"time", csv_curves},     {"bar", csv_bars},
                 {"heatmap", csv_heatmap}, {"network", csv_network}, {"table", csv_table},
                 {"ranks", csv_ranks},     {"ranking", csv_ranking}};
    const char *kind = cop_report_get(figure, "kind");
    for (size_t i = 0; i < COP_LEN(kinds); i++)
        if (strcmp(kind, kinds[i].kind) == 0)
            kinds[i].write(figure, out);
}

/* -- verdicts -- */

void cop_report_each_verdict(const json_t *doc,
                             void (*fn)(void *user, const json_t *experiment, const json_t *v),
                             void *user)
{
    size_t i, k;
    json_t *e, *v;
    COP_EACH (json_object_get(doc, "experiments"), i, e)
        COP_EACH (json_object_get(e, "verdicts"), k, v)
            fn(user, e, v);
}

static const char *const verdict_columns[] = {
    "id",       "paper",     "experiment", "scale",    "where",   "metric", "kind",
    "expected", "tolerance", "state",      "measured", "explain", "narrow"};

static void csv_verdict(void *user, const json_t *experiment, const json_t *v)
{
    const json_t *values[COP_LEN(verdict_columns)];
    for (size_t i = 0; i < COP_LEN(verdict_columns); i++)
        values[i] = json_object_get(v, verdict_columns[i]);
    values[2] = json_object_get(experiment, "name");
    values[3] = json_object_get(experiment, "scale");
    line(user, values, COP_LEN(values));
}

void cop_report_csv_verdicts(const void *doc, FILE *out)
{
    for (size_t i = 0; i < COP_LEN(verdict_columns); i++)
        fprintf(out, "%s%s", i ? "," : "", verdict_columns[i]);
    fputs("\r\n", out);
    cop_report_each_verdict(doc, csv_verdict, out);
}

/* -- files -- */

typedef struct folder {
    const char *dir;
    json_t *used; /* file names so far */
    cop_err *err;
} folder;

/* Letters, digits and a few marks, so that the name works on any disk and in any shell. */
static void tame(char *name)
{
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && strchr("-_.@", *name) == NULL)
            *name = '_';
}

static int save_figure(folder *d, const json_t *f, const char *owner)
{
    char stem[200], name[224], path[4096];
    snprintf(stem, sizeof(stem), "%.90s-%.90s", owner, cop_report_get(f, "name"));
    tame(stem);
    snprintf(name, sizeof(name), "%s.csv", stem);
    for (unsigned i = 2; json_object_get(d->used, name) != NULL; i++)
        snprintf(name, sizeof(name), "%s-%u.csv", stem, i);
    json_object_set_new(d->used, name, json_true());
    snprintf(path, sizeof(path), "%s/%s", d->dir, name);
    return cop_report_save(path, cop_report_csv_figure, f, d->err);
}

static int save_figures(folder *d, const json_t *owner, const char *name)
{
    size_t i;
    json_t *f;
    COP_EACH (json_object_get(owner, "figures"), i, f) {
        int rc = save_figure(d, f, name);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int save_all(folder *d, const json_t *doc)
{
    char name[160], path[4096];
    size_t i;
    json_t *o;
    snprintf(path, sizeof(path), "%s/verdicts.csv", d->dir);
    int rc = cop_report_save(path, cop_report_csv_verdicts, doc, d->err);
    COP_EACH (json_object_get(doc, "experiments"), i, o) {
        const char *scale = cop_report_get(o, "scale");
        snprintf(name, sizeof(name), "%.100s%s%.40s", cop_report_get(o, "name"),
                 scale[0] ? "@" : "", scale);
        if (rc == 0)
            rc = save_figures(d, o, name);
    }
    COP_EACH (json_object_get(doc, "runs"), i, o) {
        snprintf(name, sizeof(name), "run-%" JSON_INTEGER_FORMAT,
                 json_integer_value(json_object_get(o, "id")));
        if (rc == 0)
            rc = save_figures(d, o, name);
    }
    return rc;
}

int cop_report_save_csv(const cop_report *r, const char *dir, cop_err *err)
{
    struct stat st;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return cop_err_add(err, COP_E_IO,
                           "%s: the folder cannot be made (%s); give one in a folder you may write",
                           dir, strerror(errno));
    if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
        return cop_err_add(err, COP_E_IO, "%s: is not a folder; give the name of a folder", dir);
    folder d = {.dir = dir, .used = json_object(), .err = err};
    int rc = save_all(&d, r->doc);
    json_decref(d.used);
    return rc;
}
