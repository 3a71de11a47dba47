/* A folder with a base configuration and a study, and stored results with numbers known by hand. */
#ifndef COP_STUDY_FIXTURE_H
#define COP_STUDY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exp/run.h"
#include "store/study.h"
#include "study/eval.h"
#include "study/evaluate.h"
#include "study/pool.h"

typedef struct stage {
    char dir[64], base[96], file[96], db[96];
    cop_study study;
    cop_plan plan;
    cop_store *store;
    cop_err err;
} stage;

static const char BASE[] = "run: {duration: 10 ms, warmup: 2 ms, sample: 1 ms}\n"
                           "topology: {kind: single, hosts: 3}\n"
                           "traffic: [{name: F1, pattern: uniform, load: 0.5}]\n";

static inline void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline int stage_open(void **state)
{
    stage *s = cop_alloc(sizeof(*s));
    strcpy(s->dir, "/tmp/cop_study_XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    snprintf(s->base, sizeof(s->base), "%s/base.yaml", s->dir);
    snprintf(s->file, sizeof(s->file), "%s/study.yaml", s->dir);
    snprintf(s->db, sizeof(s->db), "%s/r.db", s->dir);
    write_text(s->base, BASE);
    *state = s;
    return 0;
}

static inline int stage_close(void **state)
{
    stage *s = *state;
    cop_store_close(s->store);
    cop_study_free(&s->study);
    remove(s->base);
    remove(s->file);
    remove(s->db);
    int rc = rmdir(s->dir);
    cop_free(s);
    return rc;
}

/* Read and plan a study of this text; 0 or the fault, in s->err. */
static inline int stage_read(stage *s, const char *text, const char *scale, const cop_ledger *l)
{
    cop_study_free(&s->study);
    s->err = (cop_err){0};
    write_text(s->file, text);
    int rc = cop_study_load(&s->study, s->file, scale, l, &s->err);
    return rc == 0 ? cop_plan_make(&s->plan, &s->study, &s->err) : rc;
}

static inline void must_read(stage *s, const char *text, const char *scale)
{
    if (stage_read(s, text, scale, NULL) != 0)
        fail_msg("%s", s->err.text);
}

static inline double *bins(cop_arena *a, double from, double step)
{
    double *v = COP_NEW_ARRAY(a, double, 10);
    for (int i = 0; i < 10; i++)
        v[i] = from + step * i;
    return v;
}

/* F1: 1, 2, ... 10 Gbit/s in bins of 1 ms; F2: 2, 2, 4, 4, ...; three hosts. All of it times f. */
static inline void make_synthetic(cop_result *r, double f)
{
    static cop_hist latency;
    *r = (cop_result){.sim_time = 10 * COP_MS,
                      .warmup = 2 * COP_MS,
                      .sample = COP_MS,
                      .run_hash = 0x123,
                      .events = 1000,
                      .packet_hops = 500,
                      .throughput_gbps = 7.0 / 3 * f,
                      .throughput_total_gbps = 7 * f,
                      .n_hosts = 3,
                      .n_switches = 1};
    latency = (cop_hist){0};
    cop_hist_add(&latency, 1000 * 1000);
    cop_hist_add(&latency, 3000 * 1000);
    r->latency = &latency;
    cop_arena *a = &r->arena;
    r->n_series = 3;
    r->series = COP_NEW_ARRAY(a, cop_series, 3);
    r->series[0] = (cop_series){"throughput/F1", "Gbit/s", 10, bins(a, f, f)};
    r->series[1] = (cop_series){"throughput/F2", "Gbit/s", 10, bins(a, 0, 0)};
    r->series[2] = (cop_series){"network/throughput", "Gbit/s", 10, bins(a, 0, 0)};
    for (int i = 0; i < 10; i++) {
        r->series[1].v[i] = f * (2 + 2 * (i / 2));
        r->series[2].v[i] = r->series[0].v[i] + r->series[1].v[i];
    }
    r->n_streams = 3;
    r->stream = COP_NEW_ARRAY(a, cop_stream_result, 3);
    r->stream[0] = (cop_stream_result){"F1", 0, 2, 100, 90, 3 * f, 100, 10, false};
    r->stream[1] = (cop_stream_result){"F1", 1, 2, 100, 80, 1 * f, 200, 30, false};
    r->stream[2] = (cop_stream_result){"F2", 2, COP_NONE, 100, 70, 2 * f, 0, 0, false};
    r->n_nodes = 3;
    r->node = COP_NEW_ARRAY(a, cop_node_result, 3);
    r->node[0] = (cop_node_result){"h0", 1, 2, 0.5, 1 * f, "V", 1.0};
    r->node[1] = (cop_node_result){"h1", 3, 4, 0.5, 2 * f, "C", 0.0};
    r->node[2] = (cop_node_result){"h2", 5, 6, 0.5, 4 * f, "", 0.5};
    r->n_ports = 2;
    r->port = COP_NEW_ARRAY(a, cop_port_result, 2);
    r->port[0] = (cop_port_result){"s0.0", "h0", 0.5, 100, 200};
    r->port[1] = (cop_port_result){"s0.1", "h1", 1.0, 5000, 9000};
    r->n_flows = 1;
    r->flow = COP_NEW_ARRAY(a, cop_flow_result, 1);
    r->flow[0] = (cop_flow_result){0, 2, 40, 4000};
}

/* Store a result for point i, and free it. */
static inline void store_made(stage *s, size_t i, cop_result *r)
{
    cop_err err = {0};
    cop_store_meta meta = {.name = s->study.name,
                           .model = cop_model_id(),
                           .behaviour = cop_behaviour_id(),
                           .seed = s->plan.point[i].seed,
                           .config_hash = s->plan.point[i].config_hash};
    if (cop_store_run(s->db, &meta, r, NULL, &err) != 0)
        fail_msg("%s", err.text);
    cop_arena_free(&r->arena);
}

/* The synthetic result for point i, times f. */
static inline void store_point(stage *s, size_t i, double f, enum cop_outcome outcome)
{
    cop_result r;
    make_synthetic(&r, f);
    r.outcome = outcome;
    r.detail = outcome == COP_OUTCOME_OK ? NULL : "h0 waits for h1\nand so on";
    store_made(s, i, &r);
}

/* Find the runs of all points and open the database. */
static inline void find_points(stage *s)
{
    cop_err err = {0};
    cop_plan *plans[] = {&s->plan};
    cop_pool_opts o = {.db = s->db};
    if (cop_pool_find(plans, 1, &o, &err) != 0 || cop_store_open(&s->store, s->db, true, &err) != 0)
        fail_msg("%s", err.text);
}

/* Expressions over the runs of the stage, for its first seed. */
static inline cop_eval *open_expressions(stage *s)
{
    cop_eval *e = cop_eval_open(&s->plan, s->store);
    if (cop_eval_seed(e, 0) != COP_EVAL_OK)
        fail_msg("%s", cop_eval_why(e));
    return e;
}

typedef struct answer {
    const char *of;
    double want;
} answer;

static inline void expect_answers(cop_eval *e, const answer *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cop_expr x = {all[i].of, "here"};
        double v = NAN;
        if (cop_eval_number(e, &x, &v) != COP_EVAL_OK)
            fail_msg("%s: %s", all[i].of, cop_eval_why(e));
        if (!(fabs(v - all[i].want) <= 1e-9 * fabs(all[i].want)))
            fail_msg("%s: %.17g, not %.17g", all[i].of, v, all[i].want);
    }
}

typedef struct refusal {
    const char *of;
    enum cop_eval_status status;
    const char *why;
} refusal;

static inline void expect_refusals(cop_eval *e, const refusal *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cop_expr x = {all[i].of, "here"};
        double v = 0;
        enum cop_eval_status st = cop_eval_number(e, &x, &v);
        if (st != all[i].status || strstr(cop_eval_why(e), all[i].why) == NULL)
            fail_msg("%s: status %d, %s; not `%s`", all[i].of, (int)st, cop_eval_why(e),
                     all[i].why);
        if (strstr(cop_eval_why(e), "metrics.lua:") != NULL) /* says nothing to who wrote it */
            fail_msg("%s: a line of our own code in: %s", all[i].of, cop_eval_why(e));
    }
}

#define ON_STAGE(test) cmocka_unit_test_setup_teardown(test, stage_open, stage_close)

#endif
