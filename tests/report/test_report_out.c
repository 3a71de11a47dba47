/* Reports as CSV files and in the terminal; and faults, each one line that leaves nothing behind. */
#include "report_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

/* -- helpers -- */

static void write_plain(const void *r, FILE *out)
{
    cop_report_text(r, out, false, 100);
}

static void write_colour(const void *r, FILE *out)
{
    cop_report_text(r, out, true, 60);
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
    /* A lone CR parts lines too. Formulas become text; numbers stay numbers. */
    csv_of("{\"kind\": \"table\", \"columns\": [\"=a\", \"x\\ry\", \"x;y\"], \"rows\": [[\"=1+1\","
           " \"+x\", \"-x\", \"@x\", \"\\tx\", \"\\rx\", \"=\\\"q\\\"\"], [\"-1.5\", \"+5\", "
           "\"-1e-9\","
           " \"-.5\", \"-\", \"-1e\", \"-inf\", \"-1.5.2\", \"1-2\", -2.5]]}",
           "\"'=a\",\"x\ry\",\"x;y\"\r\n"
           "\"'=1+1\",\"'+x\",\"'-x\",\"'@x\",\"'\tx\",\"'\rx\",\"'=\"\"q\"\"\"\r\n"
           "-1.5,+5,-1e-9,-.5,\"'-\",\"'-1e\",\"'-inf\",\"'-1.5.2\",1-2,-2.5\r\n");
    csv_of("{\"kind\": \"line\"}", "series,x,y,ci,low,high\r\n");
    /* Where a value is not steady, each says whether it is; what is expected does not. */
    csv_of(
        "{\"kind\": \"line\", \"seeds\": [4], \"series\": [{\"name\": \"a\", \"points\": [[1, 2], "
        "[3, "
        "4]], \"unsteady\": [1], \"seeds\": [[2], [4]]}, {\"name\": \"b\", \"points\": [[1, 5]]}],"
        " \"expected\": [{\"name\": \"p\", \"points\": [[1, 6]]}]}",
        "series,x,y,ci,low,high,steady,seed 4\r\na,1,2,,,,yes,2\r\na,3,4,,,,no,4\r\n"
        "b,1,5,,,,yes,\r\n\"expected p\",1,6,,,,,\r\n");
    csv_of("{\"kind\": \"bar\", \"categories\": [\"c\"], \"series\": [{\"name\": \"s\", "
           "\"values\": [1],"
           " \"unsteady\": [0]}]}",
           "category,series,value,ci,low,high,steady\r\nc,s,1,,,,no\r\n");
    csv_of("{\"kind\": \"heatmap\", \"xs\": [1, 2], \"ys\": [\"u\"], \"unsteady\": [1], \"cells\":"
           " [[0, 0, 5], [1, 0, 6]]}",
           "x,y,z,steady\r\n1,u,5,yes\r\n2,u,6,no\r\n");
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
                           "\"for a\nreason\",\r\n"));
    assert_non_null(strstr(text, "p-10,p,e2,full,,ten,printed,10,,pass,10.1,,narrow\r\n"));
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
    assert_non_null(strstr(text, "none  0 runs")); /* e10 has no checks: no row of zeros */
    assert_non_null(strstr(text, "  e2         full         4     1     1        1         1   "
                                 "Second\n"));
    assert_non_null(strstr(text, "  p-2    fail      two, \"quoted\"\n"));
    assert_non_null(strstr(text, "  p-10   pass      narrow: ten\n"));
    assert_non_null(strstr(text, "because   for a reason\n"));
    assert_non_null(strstr(text, "deadlock"));
    free(text);
    text = written(write_colour, r);
    assert_non_null(strstr(text, "\x1b[31mfail"));
    assert_null(strstr(text, "thr\x1b"));
    free(text);
    cop_report_free(r);
}

/* What is not steady has an asterisk, and what has no value says why. */
static void text_figures(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *has;
    } all[] = {
        {"{\"kind\": \"line\", \"series\": [{\"name\": \"a\", \"points\": [[1, 2], [3, 2355]], "
         "\"ci\":"
         " [null, 4], \"unsteady\": [1]}]}",
         "2355 ± 4*\n  * not steady: what waits grew with the run, and so do latencies\n"},
        {"{\"kind\": \"bar\", \"categories\": [\"c\"], \"series\": [{\"name\": \"s\", \"values\": "
         "[7],"
         " \"unsteady\": [0]}]}",
         "7*\n"},
        {"{\"kind\": \"heatmap\", \"xs\": [1], \"ys\": [\"u\"], \"unsteady\": [0], \"cells\": [[0, "
         "0, "
         "5]]}",
         "5*\n"},
        {"{\"kind\": \"line\", \"series\": [], \"missing\": [{\"why\": \"w\", \"count\": 3, "
         "\"where\":"
         " [\"a at 1\", \"b\"]}]}",
         "\n  no value for a at 1; b and 1 more: w\n"},
    };
    for (size_t i = 0; i < COP_LEN(all); i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        cop_report_spec_text(all[i].spec, out, 100);
        fclose(out);
        if (strstr(text, all[i].has) == NULL)
            fail_msg("`%s` is not in `%s`", all[i].has, text);
        cop_free_foreign(text);
    }
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

/* Curves over time: means of sixteen spans, a point on a border belongs to the span before; few points stay as they are. */
static void text_over_time(void **state)
{
    static const char *const expected[] = {"\n  T: rate, mean of 2 seeds ± 95 % interval\n"
                                           "  time (us)    a    b\n"
                                           "  0            7    -\n"
                                           "  1           10     \n"
                                           "  2           20     \n"
                                           "  3           30  1.5\n",
                                           "\n  T: rate, mean of 2 seeds\n"
                                           "  until time (us)       a    b\n"
                                           "  2                12.333     \n"
                                           "  4                    35  1.5\n"
                                           "  6                    55     \n"};
    (void)state;
    char spec[4096];
    for (unsigned n = 16; n <= 33; n += 17) {
        size_t used = (size_t)snprintf(
            spec, sizeof(spec),
            "{\"kind\": \"time\", \"title\": \"T\", \"seeds\": [1, 2], \"x\": {\"label\": "
            "\"time\", "
            "\"unit\": \"us\"}, \"y\": {\"label\": \"rate\"}, \"series\": [{\"name\": \"a\", "
            "\"points\": [[0, 7]");
        for (unsigned i = 1; i < n; i++)
            used += (size_t)snprintf(spec + used, sizeof(spec) - used, ", [%u, %u]", i, 10 * i);
        used += (size_t)snprintf(spec + used, sizeof(spec) - used,
                                 "]}, {\"name\": \"b\", \"points\": [[0, null], [3, 1.5]]}]}");
        assert_true(used < sizeof(spec));
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        cop_report_spec_text(spec, out, 80);
        fclose(out);
        assert_true(size > strlen(expected[n > 16]));
        assert_memory_equal(text, expected[n > 16], strlen(expected[n > 16]));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_kinds), IN_PLACE(csv_files),
        IN_PLACE(text_table),        cmocka_unit_test(text_figures),
        IN_PLACE(bad_databases),     IN_PLACE(damaged_database),
        IN_PLACE(bad_outputs),       cmocka_unit_test(text_over_time),
    };
    return cmocka_run_group_tests_name("report_out", tests, NULL, NULL);
}
