/* The public interface, through include/coppice.h alone, and the example that uses it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <coppice.h>

#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define main embed_main
int embed_main(void);
#include "../../examples/embed.c"
#undef main

static const char victims[] = "name: victims\n"
                              "run: {duration: 1 ms, warmup: 200 us, sample: 10 us}\n"
                              "topology: {kind: chain, hosts: [3, 4]}\n"
                              "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                              "traffic:\n"
                              "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                              "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";

static const char uniform[] = "run: {duration: 100 us}\n"
                              "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                              "traffic: [{name: all, arrival: poisson, load: 60 %}]\n";

static coppice_result *run_text(const char *text, const char *assignment)
{
    coppice_config *c = coppice_open_text("test.yaml", text);
    if (assignment != NULL)
        coppice_set(c, assignment);
    coppice_result *r = coppice_run(c);
    assert_string_equal(coppice_error(c), "");
    coppice_close(c);
    assert_non_null(r);
    return r;
}

static uint64_t hash_of(const char *text, const char *assignment)
{
    coppice_result *r = run_text(text, assignment);
    uint64_t hash = coppice_hash(r);
    coppice_free(r);
    return hash;
}

static void test_scalars(void **state)
{
    (void)state;
    coppice_result *r = run_text(victims, NULL);
    assert_int_equal(coppice_outcome(r), COPPICE_OK);
    assert_string_equal(coppice_detail(r), "");
    assert_true(coppice_scalar(r, "packets_delivered") > 500);
    assert_true(coppice_scalar(r, "packets_injected") ==
                coppice_scalar(r, "packets_delivered") + coppice_scalar(r, "packets_in_flight"));
    assert_true(coppice_scalar(r, "packets_lost") == 0);
    assert_true(coppice_scalar(r, "sim_time_ns") == 1e6);
    /* One full link to the hot host, and the victim held to the same share of a third. */
    assert_true(fabs(coppice_scalar(r, "throughput_total_gbps") - 40.0 / 3) < 0.05);
    assert_true(coppice_scalar(r, "latency_ns.p50") <= coppice_scalar(r, "latency_ns.p99"));
    assert_true(isnan(coppice_scalar(r, "no such number")));
    size_t n = 0;
    while (coppice_scalar_name(r, n) != NULL) {
        assert_non_null(coppice_scalar_unit(r, n));
        for (size_t k = 0; k < n; k++)
            assert_string_not_equal(coppice_scalar_name(r, k), coppice_scalar_name(r, n));
        n++;
    }
    assert_true(n > 20);
    assert_null(coppice_scalar_unit(r, n));
    coppice_free(r);
}

static void test_streams_and_series(void **state)
{
    (void)state;
    coppice_result *r = run_text(victims, NULL);
    assert_int_equal(coppice_stream_count(r), 4);
    assert_int_equal(coppice_stream_find(r, "nobody"), -1);
    int64_t found = coppice_stream_find(r, "victim");
    assert_true(found >= 0);
    size_t victim = (size_t)found;
    assert_string_equal(coppice_stream_entry(r, victim), "victim");
    assert_int_equal(coppice_stream_host(r, victim), 0);
    assert_int_equal(coppice_stream_dst(r, victim), 3);
    assert_true(coppice_stream_gbps(r, victim) > 3.2 && coppice_stream_gbps(r, victim) < 3.5);
    assert_true(coppice_stream_latency_ns(r, victim) > 0);
    assert_true(coppice_stream_sent_bytes(r, victim) > coppice_stream_delivered_bytes(r, victim));
    /* The series of the stream adds up to what was delivered. */
    size_t n = 1;
    const double *v = coppice_series(r, "throughput/victim", &n);
    assert_non_null(v);
    assert_int_equal(n, 100);
    double bytes = 0, bin_ns = coppice_sample_ns(r);
    assert_true(bin_ns == 1e4);
    for (size_t i = 0; i < n; i++)
        bytes += v[i] * bin_ns / 8;
    assert_true(fabs(bytes - (double)coppice_stream_delivered_bytes(r, victim)) < 1);
    assert_null(coppice_series(r, "throughput/nobody", &n));
    assert_int_equal(n, 0);
    assert_ptr_equal(coppice_series(r, "throughput/victim", NULL), v);
    size_t names = 0;
    for (; coppice_series_name(r, names) != NULL; names++)
        assert_non_null(coppice_series(r, coppice_series_name(r, names), NULL));
    assert_int_equal(names, 4 + 3);
    assert_string_equal(coppice_series_unit(r, 0), "Gbit/s");
    coppice_free(r);
    r = run_text(uniform, NULL);
    assert_int_equal(coppice_stream_dst(r, 0), -1);
    coppice_free(r);
}

static void test_overrides(void **state)
{
    (void)state;
    coppice_config *c = coppice_open_text("test.yaml", uniform);
    assert_null(coppice_text(c));
    coppice_set(c, "switch.buffer=8 KiB");
    coppice_set(c, "traffic.all.load=30 %");
    assert_int_equal(coppice_check(c), 0);
    assert_non_null(strstr(coppice_text(c), "buffer: 8 KiB"));
    coppice_result *low = coppice_run(c);
    /* The effective configuration is a configuration. */
    coppice_result *again = run_text(coppice_text(c), NULL);
    assert_true(coppice_hash(low) == coppice_hash(again));
    coppice_set(c, "traffic.all.load=60 %"); /* the later one counts */
    coppice_result *high = coppice_run(c);
    coppice_close(c);
    double ratio = coppice_scalar(high, "throughput_gbps") / coppice_scalar(low, "throughput_gbps");
    assert_true(ratio > 1.8 && ratio < 2.2);
    coppice_free(low);
    coppice_free(again);
    coppice_free(high);
}

static void assert_fault(coppice_config *c, const char *part)
{
    assert_null(coppice_run(c));
    assert_null(coppice_text(c));
    if (strstr(coppice_error(c), part) == NULL)
        fail_msg("no `%s` in `%s`", part, coppice_error(c));
}

static void test_errors(void **state)
{
    (void)state;
    coppice_config *c = coppice_open_text("bad.yaml", "topology: {kind: single, hosts: 4}\n"
                                                      "switch: {bufer: 64 KiB, pipeline: 100}\n");
    assert_int_equal(coppice_check(c), -1);
    assert_fault(c, "bad.yaml:2:10:");
    assert_fault(c, "did you mean `buffer`?");
    assert_fault(c, "\nbad.yaml:2:"); /* the second fault is on a line of its own */
    coppice_close(c);
    c = coppice_open("no/such/file.yaml");
    assert_fault(c, "no/such/file.yaml: cannot be read");
    coppice_close(c);
    c = coppice_open_text("test.yaml", uniform);
    coppice_set(c, "switch.buffer");
    assert_fault(c, "switch.buffer");
    coppice_close(c);
    /* What only the built network shows; and a later override repairs it. */
    c = coppice_open_text("test.yaml", uniform);
    coppice_set(c, "switch.buffer=1 KiB");
    assert_fault(c, "too small");
    coppice_set(c, "switch.buffer=4 KiB");
    coppice_result *r = coppice_run(c);
    assert_non_null(r);
    assert_string_equal(coppice_error(c), "");
    coppice_free(r);
    coppice_close(c);
    coppice_close(NULL);
    coppice_free(NULL);
}

static void test_outcome(void **state)
{
    (void)state;
    coppice_result *r = run_text("run: {duration: 1 ms, allow_deadlock: yes}\n"
                                 "topology: {kind: torus, radix: [5]}\n"
                                 "routing: {kind: dor, datelines: no}\n"
                                 "switch: {buffer: 2 KiB}\n"
                                 "traffic: [{pattern: tornado}]\n",
                                 NULL);
    assert_int_equal(coppice_outcome(r), COPPICE_DEADLOCK);
    assert_non_null(strstr(coppice_detail(r), "cycle of waiting ports"));
    coppice_free(r);
}

static void test_store(void **state)
{
    (void)state;
    char db[] = "/tmp/coppice-api-XXXXXX", sql[200];
    int fd = mkstemp(db);
    assert_true(fd >= 0);
    close(fd);
    coppice_result *r = run_text(victims, NULL);
    assert_int_equal(coppice_store(r, db), 1);
    assert_int_equal(coppice_store(r, db), 2);
    assert_string_equal(coppice_store_error(r), "");
    sqlite3 *handle;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(db, &handle), SQLITE_OK);
    /* Every stored number has the same name and value here. */
    assert_int_equal(sqlite3_prepare_v2(handle, "SELECT name, value FROM scalar WHERE run_id = 2",
                                        -1, &st, NULL),
                     SQLITE_OK);
    size_t n = 0;
    for (; sqlite3_step(st) == SQLITE_ROW; n++) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        if (coppice_scalar(r, name) != sqlite3_column_double(st, 1))
            fail_msg("%s differs", name);
    }
    assert_null(coppice_scalar_name(r, n));
    sqlite3_finalize(st);
    snprintf(sql, sizeof(sql),
             "SELECT name FROM run WHERE id = 2 AND name = 'victims' AND seed = 1 AND "
             "version = '%s' AND run_hash = '%016llx'",
             coppice_version(), (unsigned long long)coppice_hash(r));
    assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    sqlite3_finalize(st);
    sqlite3_close(handle);
    unlink(db);
    assert_int_equal(coppice_store(r, "/no/such/directory/x.db"), -1);
    assert_non_null(strstr(coppice_store_error(r), "/no/such/directory/x.db"));
    coppice_free(r);
}

typedef struct job {
    const char *text;
    uint64_t expected, found[4];
} job;

static void *run_job(void *arg)
{
    job *j = arg;
    for (size_t i = 0; i < 4; i++) {
        coppice_config *c = coppice_open_text("thread.yaml", j->text);
        coppice_result *r = coppice_run(c);
        j->found[i] = r ? coppice_hash(r) : 0;
        coppice_free(r);
        coppice_close(c);
    }
    return NULL;
}

/* No global state: neighbours in other threads change nothing. */
static void test_threads(void **state)
{
    (void)state;
    pthread_t thread[4];
    job jobs[4];
    for (size_t i = 0; i < 4; i++) {
        const char *text = i % 2 ? victims : uniform;
        jobs[i] = (job){.text = text, .expected = hash_of(text, NULL)};
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++)
            assert_true(jobs[i].found[k] == jobs[i].expected);
}

static void test_repeatable(void **state)
{
    (void)state;
    uint64_t first = hash_of(uniform, NULL), other = hash_of(uniform, "run.seed=2");
    assert_true(first != other);
    /* Two configurations open at once and run in turn give what each gives alone. */
    coppice_config *a = coppice_open_text("a.yaml", uniform);
    coppice_config *b = coppice_open_text("b.yaml", uniform);
    coppice_set(b, "run.seed=2");
    for (int i = 0; i < 2; i++) {
        coppice_result *x = coppice_run(a), *y = coppice_run(b);
        assert_true(coppice_hash(x) == first && coppice_hash(y) == other);
        coppice_free(x);
        coppice_free(y);
    }
    coppice_close(a);
    coppice_close(b);
    assert_true(hash_of(uniform, "run.event_queue=heap") == first);
}

static void test_example(void **state)
{
    (void)state;
    assert_int_equal(embed_main(), 0);
}

static void test_version(void **state)
{
    (void)state;
    int major, minor, patch, end = 0;
    assert_int_equal(sscanf(coppice_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
    assert_int_equal(end, strlen(coppice_version()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),   cmocka_unit_test(test_streams_and_series),
        cmocka_unit_test(test_overrides), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_outcome),   cmocka_unit_test(test_store),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_example),   cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
