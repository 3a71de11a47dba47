/* A result file as one document.
 *
 * In:  the path of a result file. Out: the document of report_int.h, or one line of what is wrong.
 * Experiments and checks are sorted by name, with numbers in names counted as numbers, so that the
 * order does not depend on which finished first. JSON inside the file is parsed here: text that is
 * none means that the file was changed by hand, and is a fault.
 */
#include "report/report_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    cop_store *store;
    const char *path;
    json_t *doc; /* owned by the report */
    json_t *by_key; /* "name\nscale" -> the experiment's object */
    json_t *taken; /* ids of runs that belong to an experiment */
    cop_err *err;
} reader;

static int makes_no_sense(const reader *rd, const char *what, const char *why)
{
    return cop_err_add(rd->err, COP_E_IO,
                       "%s: %s has been changed and makes no sense (%s); delete it there, or run "
                       "the experiment again",
                       rd->path, what, why);
}

/* "figure cct of gran1-fig7" */
static void describe(const cop_cell *cells, size_t n, const char *table, char *buf, size_t size)
{
    cop_cell id = cop_report_column(cells, n, "id"), name = cop_report_column(cells, n, "name");
    cop_cell exp = cop_report_column(cells, n, "experiment");
    snprintf(buf, size, "%s %s%s%s", table, id.kind == COP_CELL_TEXT ? id.text : name.text,
             exp.text[0] ? " of " : "", exp.text);
}

static json_t *parsed(const reader *rd, const cop_cell *c, const char *what)
{
    if (c->kind != COP_CELL_TEXT || c->text[0] == '\0')
        return json_null();
    json_error_t fault;
    json_t *v = json_loads(c->text, JSON_DECODE_ANY, &fault);
    if (v == NULL)
        (void)makes_no_sense(rd, what, fault.text);
    return v;
}

/* NULL on a fault. */
static json_t *row_object(const reader *rd, const cop_cell *cells, size_t n, const char *table)
{
    char what[256], key[128];
    json_t *o = json_object();
    for (size_t i = 0; i < n; i++) {
        const char *name = cells[i].name;
        size_t len = strlen(name);
        bool is_json = len > 5 && strcmp(name + len - 5, "_json") == 0;
        if (!is_json) {
            json_object_set_new(o, name, cop_report_cell(&cells[i]));
            continue;
        }
        describe(cells, n, table, what, sizeof(what));
        snprintf(key, sizeof(key), "%.*s", (int)(len - 5), name);
        json_t *v = parsed(rd, &cells[i], what);
        if (v == NULL) {
            json_decref(o);
            return NULL;
        }
        json_object_set_new(o, key, v);
    }
    return o;
}

static void experiment_key(const json_t *row, const char *name_column, char *buf, size_t size)
{
    snprintf(buf, size, "%s\n%s", cop_report_get(row, name_column), cop_report_get(row, "scale"));
}

static json_t *place_experiment(reader *rd, const char *key, json_t *e)
{
    json_object_set_new(e, "verdicts", json_array());
    json_object_set_new(e, "figures", json_array());
    json_object_set_new(e, "points", json_array());
    json_object_set_nocheck(rd->by_key, key, e);
    json_array_append_new(json_object_get(rd->doc, "experiments"), e);
    return e;
}

/* The experiment a row belongs to; made if somebody stored the row alone. */
static json_t *experiment_of(reader *rd, const json_t *row)
{
    char key[512];
    experiment_key(row, "experiment", key, sizeof(key));
    json_t *e = json_object_get(rd->by_key, key);
    if (e != NULL)
        return e;
    e = json_object();
    json_object_set_new(e, "name", cop_report_string(cop_report_get(row, "experiment")));
    json_object_set_new(e, "scale", cop_report_string(cop_report_get(row, "scale")));
    return place_experiment(rd, key, e);
}

static int add_experiment(void *user, const cop_cell *cells, size_t n)
{
    reader *rd = user;
    char key[512];
    json_t *e = row_object(rd, cells, n, "experiment");
    if (e == NULL)
        return -COP_E_IO;
    experiment_key(e, "name", key, sizeof(key));
    place_experiment(rd, key, e);
    return 0;
}

static int add_verdict(void *user, const cop_cell *cells, size_t n)
{
    reader *rd = user;
    char key[512];
    json_t *v = row_object(rd, cells, n, "verdict");
    if (v == NULL)
        return -COP_E_IO;
    experiment_key(v, "experiment", key, sizeof(key));
    json_t *e = json_object_get(rd->by_key, key);
    json_array_append_new(e ? json_object_get(e, "verdicts") : json_object_get(rd->doc, "unplaced"),
                          v);
    return 0;
}

static int add_figure(void *user, const cop_cell *cells, size_t n)
{
    reader *rd = user;
    json_t *row = row_object(rd, cells, n, "figure");
    if (row == NULL)
        return -COP_E_IO;
    json_t *spec = json_object_get(row, "spec");
    int rc = 0;
    if (json_is_object(spec)) {
        json_object_set(spec, "name", json_object_get(row, "name"));
        json_array_append(json_object_get(experiment_of(rd, row), "figures"), spec);
    } else {
        char what[256];
        describe(cells, n, "figure", what, sizeof(what));
        rc = makes_no_sense(rd, what, "no object");
    }
    json_decref(row);
    return rc;
}

static int add_point(void *user, const cop_cell *cells, size_t n)
{
    reader *rd = user;
    char id[32];
    json_t *p = row_object(rd, cells, n, "point");
    if (p == NULL)
        return -COP_E_IO;
    snprintf(id, sizeof(id), "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(p, "run_id")));
    json_object_set_new(rd->taken, id, json_true());
    json_array_append_new(json_object_get(experiment_of(rd, p), "points"), p);
    return 0;
}

static json_t *hash_text(uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof(text), "%016" PRIx64, hash);
    return json_string(text);
}

static int add_run(void *user, const cop_store_entry *r)
{
    static const char *const outcomes[] = {"ok", "deadlock", "loss", "broken"};
    reader *rd = user;
    char id[32];
    snprintf(id, sizeof(id), "%" PRId64, r->id);
    if (strcmp(r->stored_at, cop_report_get(rd->doc, "date")) > 0)
        json_object_set_new(rd->doc, "date", cop_report_string(r->stored_at));
    if (json_object_get(rd->taken, id) != NULL)
        return 0;
    json_t *o = json_object();
    json_object_set_new(o, "id", json_integer(r->id));
    json_object_set_new(o, "name", cop_report_string(r->name));
    json_object_set_new(o, "title", cop_report_string(r->title));
    json_object_set_new(o, "version", cop_report_string(r->version));
    json_object_set_new(o, "command", cop_report_string(r->command));
    json_object_set_new(o, "config", cop_report_string(r->config_text));
    json_object_set_new(o, "seed", json_integer(r->seed));
    json_object_set_new(o, "run_hash", hash_text(r->run_hash));
    json_object_set_new(o, "outcome", json_string(outcomes[r->outcome]));
    json_object_set_new(o, "detail", r->detail ? cop_report_string(r->detail) : json_null());
    json_object_set_new(o, "stored_at", cop_report_string(r->stored_at));
    json_object_set_new(o, "sim_time_ns", cop_report_real(r->sim_time_ns));
    json_object_set_new(o, "warmup_ns", cop_report_real(r->warmup_ns));
    json_object_set_new(o, "hosts", json_integer(r->hosts));
    json_object_set_new(o, "switches", json_integer(r->switches));
    json_array_append_new(json_object_get(rd->doc, "runs"), o);
    return 0;
}

/* -- order -- */

static int by_name(const void *a, const void *b)
{
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int d = strverscmp(cop_report_get(x, "name"), cop_report_get(y, "name"));
    if (d == 0)
        d = strverscmp(cop_report_get(x, "id"), cop_report_get(y, "id"));
    return d ? d : strcmp(cop_report_get(x, "scale"), cop_report_get(y, "scale"));
}

static void sort(json_t *array)
{
    size_t n = json_array_size(array);
    json_t **item = cop_alloc(n * sizeof(*item)); /* each holds a reference */
    for (size_t i = 0; i < n; i++)
        item[i] = json_incref(json_array_get(array, i));
    qsort(item, n, sizeof(*item), by_name);
    for (size_t i = 0; i < n; i++)
        json_array_set_new(array, i, item[i]);
    cop_free(item);
}

static void finish(json_t *doc)
{
    size_t i;
    json_t *e;
    sort(json_object_get(doc, "experiments"));
    sort(json_object_get(doc, "unplaced"));
    json_array_foreach(json_object_get(doc, "experiments"), i, e)
    {
        sort(json_object_get(e, "verdicts"));
        if (strcmp(cop_report_get(e, "updated_at"), cop_report_get(doc, "date")) > 0)
            json_object_set(doc, "date", json_object_get(e, "updated_at"));
    }
}

static int draw_newest_runs(reader *rd)
{
    json_t *runs = json_object_get(rd->doc, "runs");
    size_t n = json_array_size(runs);
    int rc = 0;
    for (size_t i = n > COP_REPORT_DRAWN_RUNS ? n - COP_REPORT_DRAWN_RUNS : 0; rc == 0 && i < n;
         i++)
        rc = cop_report_draw_run(rd->store, json_array_get(runs, i), rd->err);
    return rc;
}

static int read_all(reader *rd)
{
    static const struct {
        enum cop_browse_what what;
        cop_browse_fn add;
    } tables[] = {
        /* experiments first: the others are put where they belong */
        {COP_BROWSE_EXPERIMENT, add_experiment},
        {COP_BROWSE_VERDICT, add_verdict},
        {COP_BROWSE_FIGURE, add_figure},
        {COP_BROWSE_POINT, add_point},
    };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COP_LEN(tables); i++)
        rc = cop_store_browse(rd->store, tables[i].what, 0, tables[i].add, rd, rd->err);
    if (rc == 0)
        rc = cop_store_runs(rd->store, add_run, rd, rd->err);
    if (rc == 0)
        rc = draw_newest_runs(rd);
    if (rc == 0)
        finish(rd->doc);
    return rc;
}

int cop_report_read(cop_report **out, const char *db_path, const char *version, cop_err *err)
{
    reader rd = {.path = db_path, .err = err};
    *out = NULL;
    int rc = cop_store_open(&rd.store, db_path, false, err);
    if (rc != 0)
        return rc;
    const char *slash = strrchr(db_path, '/');
    rd.doc = json_object();
    rd.by_key = json_object();
    rd.taken = json_object();
    json_object_set_new(rd.doc, "version", cop_report_string(version));
    json_object_set_new(rd.doc, "database", cop_report_string(slash ? slash + 1 : db_path));
    json_object_set_new(rd.doc, "date", json_string(""));
    json_object_set_new(rd.doc, "experiments", json_array());
    json_object_set_new(rd.doc, "unplaced", json_array());
    json_object_set_new(rd.doc, "runs", json_array());
    rc = read_all(&rd);
    cop_store_close(rd.store);
    json_decref(rd.by_key);
    json_decref(rd.taken);
    if (rc != 0) {
        json_decref(rd.doc);
        return rc;
    }
    *out = cop_alloc(sizeof(**out));
    (*out)->doc = rd.doc;
    return 0;
}

void cop_report_free(cop_report *r)
{
    if (r == NULL)
        return;
    json_decref(r->doc);
    cop_free(r);
}
