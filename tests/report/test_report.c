/* Reports: what a file says reaches the page unharmed, whatever is in it; order, places, runs without a
 * study. */
#include "report_fixture.h"

#include <math.h>

#define HOSTILE "</script><script>alert(1)</script><!-- & \"quoted\", 'so'"

/* -- helpers -- */

static void write_html(const void *r, FILE *out)
{
    cop_report_html(r, out);
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
    /* 1000 samples of 10 us; the second is NaN */
    const json_t *curve = json_array_get(json_object_get(json_array_get(figures, 0), "series"), 0);
    assert_string_equal(cop_report_get(curve, "name"), "F1");
    const json_t *points = json_object_get(curve, "points");
    assert_int_equal(json_array_size(points), SERIES_N);
    assert_true(json_is_null(json_array_get(json_array_get(points, 1), 1)));
    const json_t *last = json_array_get(points, SERIES_N - 1);
    assert_true(fabs(json_number_value(json_array_get(last, 0)) - 9.995) < 1e-9);
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

/* Nothing sampled, nothing sent: there is a page all the same. */
static void bare_run(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    cop_result bare = {.sim_time = COP_MS, .n_hosts = 1};
    cop_store_meta meta = {.name = "bare"};
    assert_int_equal(cop_store_run(p->db, &meta, &bare, NULL, &err), 0);
    cop_report *r = must_read(p->db);
    assert_int_equal(json_array_size(json_object_get(r->doc, "runs")), 1);
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

/* Both pages hold the licences of the libraries that they hold, each with its copyright line and its conditions, and for
 * ECharts the notice that its licence asks for. */
static void licences(void **state)
{
    (void)state;
    static const char *const all[] = {
        "echarts 6.1.0\n",
        "Apache License\n",
        "Version 2.0, January 2004",
        "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
        "\nApache ECharts\nCopyright 2017-",
        "zrender 6.",
        "Baidu Inc.",
        "Redistributions in binary form must reproduce the above copyright notice",
        "d3-zoom 3.0.",
        "d3-selection 3.0.",
        "d3-quadtree 3.0.",
        "Mike Bostock",
        "provided that the above copyright notice\nand this permission notice appear in all copies",
        "tslib 2.",
        "Microsoft Corporation.",
    };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cop_report_live_page(out);
    fclose(out);
    assert_null(strstr(text, "{{licences}}"));
    for (size_t i = 0; i < COP_LEN(all); i++) {
        if (strstr(cop_report_licences, all[i]) == NULL)
            fail_msg("`%s` is not among the licences", all[i]);
    }
    assert_non_null(strstr(text, cop_report_licences));
    assert_non_null(strstr(cop_report_page, "{{licences}}"));
    cop_free_foreign(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(licences),
        IN_PLACE(order_and_place),
        IN_PLACE(points_take_runs),
        IN_PLACE(plain_run),
        IN_PLACE(bare_run),
        IN_PLACE(many_runs),
        IN_PLACE(page_is_closed_to_text),
        IN_PLACE(page_is_repeatable),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
