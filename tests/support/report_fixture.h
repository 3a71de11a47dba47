/* Databases with studies in them, some hostile, and reports of them as text. */
#ifndef COP_REPORT_FIXTURE_H
#define COP_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report_int.h"
#include "store/study.h"
#include "store_fixture.h"

static cop_study_verdict study_verdicts[] = {
    {"p-2", "p", "fig 1", "two, \"quoted\"", "printed", "2", "5 %", "fail", "3.5", "for a\nreason",
     "[{\"what\": \"x\", \"value\": 3.5}]"},
    {"p-10", "p", "", "ten", "printed", "10", "", "pass", "10.1", "",
     "[{\"narrow\": false}, {\"narrow\": true}]"},
    {"p-3", "p", "", "thr\x1b[31mee", "printed", "3", "", "recorded", "", "", ""},
    {"q-1", "q", "", "never", "order", "1", "", "not-run", "", "", ""},
};

static cop_study_figure study_figures[] = {
    {"first", "{\"kind\": \"line\", \"series\": [{\"name\": \"s\", \"points\": [[1, 2.5]],"
              " \"ci\": [0.5]}]}"},
    {"../f/2", "{\"kind\": \"table\", \"columns\": [\"a\"], \"rows\": [[1]]}"},
};

/* Two studies, one with everything in it. */
static inline void put_studies(const place *p, int64_t run)
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

static inline void change(const char *db, const char *sql)
{
    cop_store *s = must_open(db, true);
    cop_err err = {0};
    if (cop_store_exec(s, sql, &err) != 0)
        fail_msg("%s", err.text);
    cop_store_close(s);
}

static inline void make_study(const place *p)
{
    int64_t id;
    assert_int_equal(store_small(p->db, &id, NULL), 0);
    put_studies(p, 0);
    change(p->db, "UPDATE experiment SET updated_at = '2999-01-01T00:00:00Z' WHERE name = 'e10'");
}

static inline cop_report *must_read(const char *db)
{
    cop_report *r;
    cop_err err = {0};
    if (cop_report_read(&r, db, "9.9", &err) != 0)
        fail_msg("%s", err.text);
    return r;
}

/* What a writer writes; to be freed with free(). */
/* Not inlined: gcc 12 then takes what open_memstream allocates for the local pointer to it. */
__attribute__((noinline, unused)) static char *written(void (*write)(const void *what, FILE *out),
                                                       const void *what)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    write(what, f);
    fclose(f);
    return text;
}

static inline size_t occurrences(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, word)) != NULL; s++)
        n++;
    return n;
}

#endif
