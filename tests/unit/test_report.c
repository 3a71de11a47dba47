/* Reports: what a file says reaches the page, the CSV files and the terminal unharmed, whatever is
 * in it; and a fault is one line that leaves nothing behind. */
#include "store_fixture.h"

#include "report/report_int.h"
#include "store/study.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#define HOSTILE "</script><script>alert(1)</script><!-- & \"quoted\", 'so'"

static cop_study_verdict study_verdicts[] = {
    {"p-2", "p", "fig 1", "two, \"quoted\"", "printed", "2", "5 %", "fail", "3.5", "for a\nreason",
     "[{\"what\": \"x\", \"value\": 3.5}]"},
    {"p-10", "p", "", "ten", "printed", "10", "", "pass", "10.1", "", "[]"},
    {"p-3", "p", "", "thr\x1b[31mee", "printed", "3", "", "recorded", "", "", ""},
    {"q-1", "q", "", "never", "order", "1", "", "not-run", "", "", ""},
};

static cop_study_figure study_figures[] = {
    {"first", "{\"kind\": \"line\", \"series\": [{\"name\": \"s\", \"points\": [[1, 2.5]],"
              " \"ci\": [0.5]}]}"},
    {"../f/2", "{\"kind\": \"table\", \"columns\": [\"a\"], \"rows\": [[1]]}"},
};

/* Two studies, one with everything in it. */
static void put_studies(const place *p, int64_t run)
{
    cop_study_point point = {"a", "{\"load\": 0.5}", 1, run, "ok", ""};
    cop_study_record e2 = {.name = "e2",
                           .scale = "full",
                           .title = "Second",
                           .paper = "p",
                           .about = "",
                           .choices = "[{\"what\": \"w\", \"why\": \"y\"}]",
                           .config = "",
                           .command = "coppice reproduce e2",
                           .inputs = "",
                           .seeds = 1,
                           .runs = 1,
                           .point = &point,
                           .n_points = run != 0,
                           .verdict = study_verdicts,
                           .n_verdicts = COP_LEN(study_verdicts),
                           .figure = study_figures,
                           .n_figures = COP_LEN(study_figures)};
    cop_study_record e10 = {.name = "e10",
                            .scale = "full",
                            .title = "Tenth",
                            .paper = "p",
                            .about = "",
                            .choices = "",
                            .config = "",
                            .command = "",
                            .inputs = ""};
    cop_store *s = must_open(p->db, true);
    cop_err err = {0};
    if (cop_store_put_study(s, &e10, &err) != 0 || cop_store_put_study(s, &e2, &err) != 0)
        fail_msg("%s", err.text);
    cop_store_close(s);
}

/* -- helpers -- */

static void change(const char *db, const char *sql)
{
    cop_store *s = must_open(db, true);
    cop_err err = {0};
    if (cop_store_exec(s, sql, &err) != 0)
        fail_msg("%s", err.text);
    cop_store_close(s);
}

static void make_study(const place *p)
{
    int64_t id;
    assert_int_equal(store_small(p->db, &id, NULL), 0);
    put_studies(p, 0);
    change(p->db, "UPDATE experiment SET updated_at = '2999-01-01T00:00:00Z' WHERE name = 'e10'");
}

static cop_report *must_read(const char *db)
{
    cop_report *r;
    cop_err err = {0};
    if (cop_report_read(&r, db, "9.9", &err) != 0)
        fail_msg("%s", err.text);
    return r;
}

/* What a writer writes; to be freed with free(). */
static char *written(void (*write)(const void *what, FILE *out), const void *what)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    write(what, f);
    fclose(f);
    return text;
}

static void write_html(const void *r, FILE *out)
{
    cop_report_html(r, out);
}

static void write_plain(const void *r, FILE *out)
{
    cop_report_text(r, out, false, 100);
}

static void write_colour(const void *r, FILE *out)
{
    cop_report_text(r, out, true, 60);
}

static size_t occurrences(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, word)) != NULL; s++)
        n++;
    return n;
}

/* Files in the folder apart from the database and its companions. */
static unsigned strangers(const place *p)
{
    unsigned n = 0;
    DIR *d = opendir(p->dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.' && strncmp(e->d_name, "r%?#.db", 7) != 0;
    closedir(d);
    return n;
}

/* -- the document -- */

static void order_and_place(void **state)
{
    make_study(*state);
    cop_report *r = must_read(((place *)*state)->db);
    const json_t *es = json_object_get(r->doc, "experiments"), *e2 = json_array_get(es, 0);
    assert_int_equal(json_array_size(es), 2);
    assert_string_equal(cop_report_get(e2, "name"), "e2"); /* 2 before 10 */
    const json_t *vs = json_object_get(e2, "verdicts");
    assert_int_equal(json_array_size(vs), 4);
    assert_string_equal(cop_report_get(json_array_get(vs, 0), "id"), "p-2");
    assert_string_equal(cop_report_get(json_array_get(vs, 0), "where"), "fig 1");
    assert_string_equal(cop_report_get(json_array_get(vs, 1), "id"), "p-10");
    assert_true(json_is_array(json_object_get(json_array_get(vs, 0), "items")));
    assert_string_equal(cop_report_get(json_array_get(json_object_get(e2, "figures"), 0), "name"),
                        "first");
    assert_string_equal(cop_report_get(r->doc, "date"), "2999-01-01T00:00:00Z");
    cop_report_size n = cop_report_count(r);
    assert_int_equal(n.experiments, 2);
    assert_int_equal(n.checks, 4);
    assert_int_equal(n.failed, 1);
    assert_int_equal(n.runs, 1);
    cop_report_free(r);
}

/* A run of an experiment is not shown a second time as a run of its own. */
static void points_take_runs(void **state)
{
    const place *p = *state;
    make_study(p);
    put_studies(p, 1);
    cop_report *r = must_read(p->db);
    assert_int_equal(cop_report_count(r).runs, 0);
    const json_t *points =
        json_object_get(json_array_get(json_object_get(r->doc, "experiments"), 0), "points");
    assert_int_equal(json_array_size(points), 1);
    cop_report_free(r);
}

/* A file without the tables of experiments: figures of the run, from what was stored. */
static void plain_run(void **state)
{
    const place *p = *state;
    int64_t id;
    assert_int_equal(store_small(p->db, &id, NULL), 0);
    cop_report *r = must_read(p->db);
    const json_t *run = json_array_get(json_object_get(r->doc, "runs"), 0);
    const json_t *figures = json_object_get(run, "figures");
    static const char *const names[] = {"throughput", "distribution", "links",
                                        "queues",     "entries",      "network"};
    assert_int_equal(json_array_size(figures), COP_LEN(names));
    for (size_t i = 0; i < COP_LEN(names); i++)
        assert_string_equal(cop_report_get(json_array_get(figures, i), "name"), names[i]);
    /* 1000 samples over 1.23 s of simulated time; the second is NaN */
    const json_t *curve = json_array_get(json_object_get(json_array_get(figures, 0), "series"), 0);
    assert_string_equal(cop_report_get(curve, "name"), "F1");
    const json_t *points = json_object_get(curve, "points");
    assert_int_equal(json_array_size(points), SERIES_N);
    assert_true(json_is_null(json_array_get(json_array_get(points, 1), 1)));
    const json_t *last = json_array_get(points, SERIES_N - 1);
    assert_true(fabs(json_number_value(json_array_get(last, 0)) - 1233.950606) < 1e-3);
    assert_true(fabs(json_number_value(json_array_get(last, 1)) - 999.0 / 7.0) < 1e-9);
    /* the distribution ends at 100 % */
    const json_t *share = json_object_get(
        json_array_get(json_object_get(json_array_get(figures, 1), "series"), 0), "points");
    const json_t *end = json_array_get(share, json_array_size(share) - 1);
    assert_true(fabs(json_number_value(json_array_get(end, 1)) - 100.0) < 1e-9);
    /* 20 ports of 20 switches; hosts 0 to 15 are known as hosts, 16 to 19 are not in the file */
    const json_t *net = json_array_get(figures, 5);
    assert_int_equal(json_array_size(json_object_get(net, "links")), 20);
    assert_int_equal(json_array_size(json_object_get(net, "nodes")), 40);
    cop_report_free(r);
}

static void many_runs(void **state)
{
    const place *p = *state;
    int64_t id;
    for (int i = 0; i < COP_REPORT_DRAWN_RUNS + 3; i++)
        assert_int_equal(store_small(p->db, &id, NULL), 0);
    cop_report *r = must_read(p->db);
    const json_t *runs = json_object_get(r->doc, "runs");
    assert_int_equal(json_array_size(runs), COP_REPORT_DRAWN_RUNS + 3);
    assert_null(json_object_get(json_array_get(runs, 2), "figures"));
    assert_non_null(json_object_get(json_array_get(runs, 3), "figures"));
    cop_report_free(r);
}

/* -- the page -- */

static void page_is_closed_to_text(void **state)
{
    const place *p = *state;
    cop_result res = make_result(2, 2);
    cop_store_meta meta = META;
    meta.title = HOSTILE;
    meta.name = "{{script}}\x01";
    meta.command = "bytes \xff\xc3\x28 end";
    assert_int_equal(cop_store_run(p->db, &meta, &res, NULL, NULL), 0);
    cop_arena_free(&res.arena);
    cop_report *r = must_read(p->db);
    char *page = written(write_html, r);
    assert_int_equal(occurrences(page, "</script"), 2); /* the document's and the script's */
    assert_null(strstr(page, "<script>alert"));
    const char *json = strstr(page, "id=\"document\">");
    assert_non_null(json);
    json += strlen("id=\"document\">");
    const char *close = strstr(json, "</script>");
    assert_non_null(close);
    for (const char *s = json; s < close; s++)
        assert_true(*s != '<' && *s != '>' && *s != '&');
    json_t *doc = json_loadb(json, (size_t)(close - json), 0, NULL);
    assert_non_null(doc);
    const json_t *run = json_array_get(json_object_get(doc, "runs"), 0);
    assert_string_equal(cop_report_get(run, "title"), HOSTILE);
    assert_string_equal(cop_report_get(run, "name"), "{{script}}\x01");
    assert_string_equal(cop_report_get(run, "command"), "bytes \xef\xbf\xbd\xef\xbf\xbd( end");
    json_decref(doc);
    free(page);
    cop_report_free(r);
}

static void page_is_repeatable(void **state)
{
    const place *p = *state;
    make_study(p);
    cop_report *a = must_read(p->db), *b = must_read(p->db);
    char *x = written(write_html, a), *y = written(write_html, b);
    assert_string_equal(x, y);
    assert_null(strstr(x, "src=\"http"));
    free(x);
    free(y);
    cop_report_free(a);
    cop_report_free(b);
}

/* -- CSV -- */

static void csv_of(const char *spec, const char *expected)
{
    json_t *f = json_loads(spec, 0, NULL);
    assert_non_null(f);
    char *text = written(cop_report_csv_figure, f);
    assert_string_equal(text, expected);
    free(text);
    json_decref(f);
}

static void csv_kinds(void **state)
{
    (void)state;
    csv_of("{\"kind\": \"line\", \"series\": [{\"name\": \"a, \\\"b\\\"\", \"points\": [[1, 2.5],"
           " [2, null]], \"ci\": [0.25, null]}], \"expected\": [{\"name\": \"a\", \"from\": 0,"
           " \"to\": null, \"value\": 3, \"low\": 2, \"high\": 4}, {\"name\": \"b\", \"points\":"
           " [[5, 6]], \"tolerance\": 0.1}]}",
           "series,x,y,ci,low,high\r\n"
           "\"a, \"\"b\"\"\",1,2.5,0.25,,\r\n"
           "\"a, \"\"b\"\"\",2,,,,\r\n"
           "\"expected a\",0,3,,2,4\r\n"
           "\"expected a\",,3,,2,4\r\n"
           "\"expected b\",5,6,,,\r\n");
    csv_of("{\"kind\": \"bar\", \"categories\": [\"c\", \"d\"], \"series\": [{\"name\": \"s\","
           " \"values\": [1, 2], \"ci\": null}], \"expected\": [{\"category\": \"d\", \"series\":"
           " null, \"value\": 2.5, \"low\": null, \"high\": 3}]}",
           "category,series,value,ci,low,high\r\n"
           "c,s,1,,,\r\nd,s,2,,,\r\nd,\"expected \",2.5,,,3\r\n");
    csv_of("{\"kind\": \"heatmap\", \"xs\": [1, 2], \"ys\": [\"u\"], \"cells\": [[1, 0, 0.5],"
           " [9, 0, 1]]}",
           "x,y,z\r\n2,u,0.5\r\n,u,1\r\n");
    csv_of("{\"kind\": \"network\", \"nodes\": [{\"name\": \"h0\"}, {\"name\": \"s0\"}], \"links\":"
           " [[0, 1, 0.25, 7], {\"from\": \"s0\", \"to\": \"h0\", \"use\": 1, \"queue\": 0}]}",
           "from,to,use,queue_bytes\r\nh0,s0,0.25,7\r\ns0,h0,1,0\r\n");
    csv_of("{\"kind\": \"table\", \"columns\": [\"a\", \"b\"], \"rows\": [[\"x\\ny\", true]]}",
           "a,b\r\n\"x\ny\",true\r\n");
    csv_of("{\"kind\": \"line\"}", "series,x,y,ci,low,high\r\n");
    csv_of("{\"kind\": 7, \"series\": 3}", "");
}

static void csv_files(void **state)
{
    const place *p = *state;
    char dir[128], path[256], verdicts[256];
    make_study(p);
    cop_report *r = must_read(p->db);
    snprintf(dir, sizeof(dir), "%s/csv", p->dir);
    cop_err err = {0};
    assert_int_equal(cop_report_save_csv(r, dir, &err), 0);
    snprintf(path, sizeof(path), "%s/e2@full-.._f_2.csv", dir);
    snprintf(verdicts, sizeof(verdicts), "%s/verdicts.csv", dir);
    size_t n;
    char *text = read_file(path, &n);
    assert_string_equal(text, "a\r\n1\r\n");
    cop_free(text);
    text = read_file(verdicts, &n);
    assert_non_null(strstr(text,
                           "p-2,p,e2,full,fig 1,\"two, \"\"quoted\"\"\",printed,2,5 %,fail,3.5,"
                           "\"for a\nreason\"\r\n"));
    assert_int_equal(occurrences(text, "\r\n"), 5);
    cop_free(text);
    char remove[160];
    snprintf(remove, sizeof(remove), "rm -r '%s'", dir);
    assert_int_equal(system(remove), 0);
    cop_report_free(r);
}

/* -- text -- */

static void text_table(void **state)
{
    const place *p = *state;
    make_study(p);
    cop_report *r = must_read(p->db);
    char *text = written(write_plain, r);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "  e2         full         4     1     1        1         1   "
                                 "Second\n"));
    assert_non_null(strstr(text, "  p-2    fail      two, \"quoted\"\n"));
    assert_non_null(strstr(text, "because   for a reason\n"));
    assert_non_null(strstr(text, "deadlock"));
    free(text);
    text = written(write_colour, r);
    assert_non_null(strstr(text, "\x1b[31mfail"));
    assert_null(strstr(text, "thr\x1b"));
    free(text);
    cop_report_free(r);
}

/* -- faults -- */

static void refuses(const char *db, const char *word)
{
    cop_report *r = (cop_report *)(uintptr_t)1;
    cop_err err = {0};
    assert_true(cop_report_read(&r, db, "9.9", &err) < 0);
    assert_null(r);
    if (strstr(err.text, word) == NULL || strchr(err.text, '\n') != NULL)
        fail_msg("`%s` is not one line with `%s`", err.text, word);
}

static void bad_databases(void **state)
{
    const place *p = *state;
    refuses("/nonexistent/x.db", "/nonexistent/x.db: No such file");
    refuses(p->dir, "is a folder");
    FILE *f = fopen(p->db, "w");
    assert_non_null(f);
    fputs("not a database, but long enough to look at: ............................", f);
    fclose(f);
    refuses(p->db, "is not an SQLite database");
    unlink(p->db);
    make_study(p);
    change(p->db, "UPDATE figure SET spec = '{\"kind\": ' WHERE name = 'first'");
    refuses(p->db, "a figure of e2 has been changed");
    change(p->db, "UPDATE figure SET spec = '[1]' WHERE name = 'first'");
    refuses(p->db, "a figure of e2 has been changed");
    change(p->db, "DELETE FROM figure; UPDATE verdict SET items = 'x' WHERE id = 'p-2'");
    refuses(p->db, "the verdict of p-2 has been changed");
    change(p->db, "PRAGMA application_id = 77");
    refuses(p->db, p->db);
}

static void damaged_database(void **state)
{
    const place *p = *state;
    make_study(p);
    size_t n;
    char *data = read_file(p->db, &n);
    assert_true(n > 16384);
    memset(data + 4096, 0x5a, n - 4096);
    FILE *f = fopen(p->db, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
    cop_free(data);
    refuses(p->db, "damaged");
}

/* Save with room for 64 KiB only: what a full disk does in the middle of a file. */
static int save_on_a_full_disk(const cop_report *r, const char *path, cop_err *err)
{
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){.rlim_cur = 65536, .rlim_max = old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int rc = cop_report_save_html(r, path, err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    return rc;
}

static void bad_outputs(void **state)
{
    const place *p = *state;
    char path[128];
    make_study(p);
    cop_report *r = must_read(p->db);
    cop_err err = {0};
    assert_true(cop_report_save_html(r, "/nonexistent/r.html", &err) < 0);
    assert_non_null(strstr(err.text, "/nonexistent/r.html: cannot be written"));
    err = (cop_err){0};
    assert_true(cop_report_save_html(r, p->dir, &err) < 0);
    assert_non_null(strstr(err.text, "is a folder"));
    err = (cop_err){0};
    assert_true(cop_report_save_html(r, "/dev/full", &err) < 0);
    assert_non_null(strstr(err.text, "No space left"));
    err = (cop_err){0};
    assert_true(cop_report_save_csv(r, p->db, &err) < 0);
    assert_non_null(strstr(err.text, "is not a folder"));
    assert_int_equal(cop_report_save_html(r, "/dev/null", &err), 0);
    assert_int_equal(strangers(p), 0);
    /* An older page survives a fault, and nothing is left beside it. */
    snprintf(path, sizeof(path), "%s/r.html", p->dir);
    assert_int_equal(cop_report_save_html(r, path, &err), 0);
    size_t before, after;
    cop_free(read_file(path, &before));
    err = (cop_err){0};
    assert_true(save_on_a_full_disk(r, path, &err) < 0);
    assert_non_null(strstr(err.text, "cannot be written"));
    cop_free(read_file(path, &after));
    assert_int_equal(before, after);
    assert_int_equal(strangers(p), 1);
    unlink(path);
    cop_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(order_and_place),
        IN_PLACE(points_take_runs),
        IN_PLACE(plain_run),
        IN_PLACE(many_runs),
        IN_PLACE(page_is_closed_to_text),
        IN_PLACE(page_is_repeatable),
        cmocka_unit_test(csv_kinds),
        IN_PLACE(csv_files),
        IN_PLACE(text_table),
        IN_PLACE(bad_databases),
        IN_PLACE(damaged_database),
        IN_PLACE(bad_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
