/* A result file as one document.
 *
 * In:  the path of a result file. Out: the document of report_int.h, or one line of what is wrong.
 * Experiments are sorted by name, with numbers in names counted as numbers; checks and figures keep
 * the order of their study. JSON inside the file is parsed here: text that is
 * none means that the file was changed by hand, and is a fault. Runs that were made for one of these
 * experiments, as it was before it was edited, are counted and not shown.
 */
#include "report/report_int.h"

#include "base/mem.h"
#include "store/study.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    cop_store *store;
    const char *path;
    json_t *doc; /* owned by the report */
    json_t *taken; /* ids of runs that belong to an experiment */
    json_t *studies; /* their names */
    json_int_t left_over; /* runs made for them that none shows */
    cop_err *err;
} reader;

static void set_text(json_t *o, const char *key, const char *text)
{
    json_object_set_new(o, key, cop_report_string(text ? text : ""));
}

/* JSON of the file as member `key`; no text is null. */
static int set_json(const reader *rd, json_t *o, const char *key, const char *text,
                    const char *what, const char *of)
{
    json_error_t fault;
    json_t *v = text && text[0] ? json_loads(text, JSON_DECODE_ANY, &fault) : json_null();
    if (v == NULL)
        return cop_err_add(rd->err, COP_E_IO,
                           "%s: %s of %s has been changed and makes no sense (%s); run the "
                           "experiment again",
                           rd->path, what, of, fault.text);
    json_object_set_new(o, key, v);
    return 0;
}

static int add_point(reader *rd, json_t *list, const cop_study_point *p, const char *of)
{
    char id[32];
    json_t *o = json_object();
    json_array_append_new(list, o);
    set_text(o, "label", p->label);
    json_object_set_new(o, "seed", json_integer(p->seed));
    json_object_set_new(o, "run_id", p->run_id ? json_integer(p->run_id) : json_null());
    set_text(o, "outcome", p->outcome);
    snprintf(id, sizeof(id), "%" PRId64, p->run_id);
    json_object_set_new(rd->taken, id, json_true());
    return set_json(rd, o, "axes", p->axes, "a point", of);
}

/* Whether other seeds could turn the verdict; evaluate.c marks the items on which it hangs. */
static bool is_narrow(const json_t *items)
{
    size_t i;
    json_t *item;
    COP_EACH (items, i, item)
        if (json_is_true(json_object_get(item, "narrow")))
            return true;
    return false;
}

static int add_verdict(const reader *rd, json_t *list, const cop_study_verdict *v)
{
    json_t *o = json_object();
    json_array_append_new(list, o);
    set_text(o, "id", v->id);
    set_text(o, "paper", v->paper);
    set_text(o, "where", v->place);
    set_text(o, "metric", v->metric);
    set_text(o, "kind", v->kind);
    set_text(o, "expected", v->expected);
    set_text(o, "tolerance", v->tolerance);
    set_text(o, "state", v->state);
    set_text(o, "measured", v->measured);
    set_text(o, "explain", v->explain);
    int rc = set_json(rd, o, "items", v->items, "the verdict", v->id);
    if (is_narrow(json_object_get(o, "items")))
        set_text(o, "narrow", "narrow");
    return rc;
}

static int add_figure(const reader *rd, json_t *list, const cop_study_figure *f, const char *of,
                      const char *config)
{
    json_t *o = json_object();
    int rc = set_json(rd, o, "spec", f->spec, "a figure", of);
    json_t *spec = json_object_get(o, "spec");
    if (rc == 0 && !json_is_object(spec))
        rc = cop_err_add(rd->err, COP_E_IO,
                         "%s: a figure of %s has been changed and makes no sense (no object); run "
                         "the experiment again",
                         rd->path, of);
    json_int_t run = json_integer_value(json_object_get(spec, "run"));
    if (rc == 0 && run > 0 && strcmp(cop_report_get(spec, "kind"), "network") == 0)
        rc = cop_report_run_network(rd->store, run, config, spec, rd->err);
    if (rc == 0) {
        set_text(spec, "name", f->name);
        json_array_append(list, spec);
    }
    json_decref(o);
    return rc;
}

static json_t *member_list(json_t *o, const char *key)
{
    json_t *list = json_array();
    json_object_set_new(o, key, list);
    return list;
}

static int add_experiment(reader *rd, const cop_study_record *r)
{
    json_t *e = json_object();
    json_array_append_new(json_object_get(rd->doc, "experiments"), e);
    set_text(e, "name", r->name);
    json_object_set_new_nocheck(rd->studies, r->name, json_true());
    set_text(e, "scale", r->scale);
    set_text(e, "title", r->title);
    set_text(e, "paper", r->paper);
    set_text(e, "about", r->about);
    set_text(e, "config", r->config);
    set_text(e, "command", r->command);
    set_text(e, "updated_at", r->updated_at);
    json_object_set_new(e, "seeds", json_integer(r->seeds));
    json_object_set_new(e, "runs", json_integer(r->runs));
    json_object_set_new(e, "failed", json_integer(r->failed));
    json_t *verdicts = member_list(e, "verdicts"), *figures = member_list(e, "figures");
    json_t *points = member_list(e, "points");
    int rc = set_json(rd, e, "choices", r->choices, "the list of choices", r->name);
    for (size_t i = 0; rc == 0 && i < r->n_verdicts; i++)
        rc = add_verdict(rd, verdicts, &r->verdict[i]);
    for (size_t i = 0; rc == 0 && i < r->n_figures; i++)
        rc = add_figure(rd, figures, &r->figure[i], r->name, r->config);
    for (size_t i = 0; rc == 0 && i < r->n_points; i++)
        rc = add_point(rd, points, &r->point[i], r->name);
    return rc;
}

static int add_experiments(reader *rd)
{
    cop_arena arena = {0};
    cop_study_record *list = NULL;
    size_t n = 0;
    int rc = cop_store_studies(rd->store, &arena, &list, &n, rd->err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add_experiment(rd, &list[i]);
    cop_arena_free(&arena);
    return rc;
}

static json_t *hash_text(uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof(text), "%016" PRIx64, hash);
    return json_string(text);
}

static int add_run(void *user, const cop_store_entry *r)
{
    reader *rd = user;
    char id[32];
    snprintf(id, sizeof(id), "%" PRId64, r->id);
    if (strcmp(r->stored_at, cop_report_get(rd->doc, "date")) > 0)
        json_object_set_new(rd->doc, "date", cop_report_string(r->stored_at));
    if (json_object_get(rd->taken, id) != NULL)
        return 0;
    if (r->outcome == COP_OUTCOME_FAILED)
        return 0; /* of a study that was corrected since */
    if (json_object_get(rd->studies, r->name) != NULL && cop_store_by_study(r->command)) {
        rd->left_over++;
        return 0;
    }
    json_t *o = json_object();
    json_object_set_new(o, "id", json_integer(r->id));
    json_object_set_new(o, "name", cop_report_string(r->name));
    json_object_set_new(o, "title", cop_report_string(r->title));
    json_object_set_new(o, "version", cop_report_string(r->version));
    json_object_set_new(o, "command", cop_report_string(r->command));
    json_object_set_new(o, "config", cop_report_string(r->config_text));
    json_object_set_new(o, "seed", json_integer(r->seed));
    json_object_set_new(o, "run_hash", hash_text(r->run_hash));
    json_object_set_new(o, "outcome", json_string(cop_outcome_name((int)r->outcome)));
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
    return d ? d : strcmp(cop_report_get(x, "scale"), cop_report_get(y, "scale"));
}

static void sort(json_t *array)
{
    size_t n = json_array_size(array);
    json_t **item = cop_alloc_array(n, sizeof(*item)); /* each holds a reference */
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
    COP_EACH (json_object_get(doc, "experiments"), i, e) {
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
    int rc = add_experiments(rd); /* first: their runs are no runs of their own */
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
    rd.taken = json_object();
    rd.studies = json_object();
    json_object_set_new(rd.doc, "version", cop_report_string(version));
    json_object_set_new(rd.doc, "database", cop_report_string(slash ? slash + 1 : db_path));
    json_object_set_new(rd.doc, "date", json_string(""));
    json_object_set_new(rd.doc, "experiments", json_array());
    json_object_set_new(rd.doc, "runs", json_array());
    rc = read_all(&rd);
    json_object_set_new(rd.doc, "left_over", json_integer(rd.left_over));
    cop_store_close(rd.store);
    json_decref(rd.taken);
    json_decref(rd.studies);
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
