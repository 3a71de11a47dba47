/* The result database: what goes in comes out, as values, as tables and as documented queries. */
#include "store_fixture.h"

#include <time.h>

static int keep_entry(void *user, const cop_store_entry *e)
{
    cop_store_entry *runs = user;
    runs[e->id - 1] = *e;
    return 0;
}

static int check_first_entry(void *user, const cop_store_entry *e)
{
    (*(int *)user)++;
    assert_string_equal(e->name, META.name);
    assert_string_equal(e->title, META.title);
    assert_string_equal(e->config_text, META.config_text);
    assert_string_equal(e->version, META.version);
    assert_string_equal(e->command, META.command);
    assert_string_equal(e->started_at, META.started_at);
    assert_int_equal(strlen(e->stored_at), strlen(META.started_at));
    assert_string_equal(e->detail, "a waits for b\nb waits for a");
    assert_int_equal(e->outcome, COP_OUTCOME_DEADLOCK);
    assert_true(e->config_hash == META.config_hash && e->run_hash == 0xdeadbeefu);
    assert_true(e->seed == -7 && e->events == (uint64_t)1 << 60 && e->packet_hops == 4000);
    assert_true(e->sim_time_ns == 1234567890.123 && e->warmup_ns == 0.5);
    assert_true(e->sample_ns == 10000.0 && e->hosts == 16 && e->switches == 20);
    return 42; /* stops */
}

static void two_runs_come_back(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    int64_t first = 0, second = 0;
    assert_int_equal(store_small(p->db, &first, &err), 0);
    cop_result r = {.outcome = COP_OUTCOME_OK};
    cop_store_meta bare = {.seed = INT64_MIN, .config_hash = 1};
    assert_int_equal(cop_store_run(p->db, &bare, &r, &second, &err), 0);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);

    cop_store *s = must_open(p->db, false);
    cop_store_entry runs[2] = {0};
    assert_int_equal(cop_store_runs(s, keep_entry, runs, &err), 0);
    assert_true(runs[0].id == 1 && runs[1].id == 2 && runs[1].seed == INT64_MIN);
    assert_true(runs[1].outcome == COP_OUTCOME_OK && runs[1].detail == NULL);
    int calls = 0;
    assert_int_equal(cop_store_runs(s, check_first_entry, &calls, &err), 42);
    assert_int_equal(calls, 1);
    assert_int_equal(cop_store_find_run(s, META.config_hash, -7, NULL, &err), 1);
    assert_int_equal(cop_store_find_run(s, META.config_hash, 7, NULL, &err), 0);
    assert_int_equal(cop_store_find_run(s, 1, INT64_MIN, NULL, &err), 2);
    assert_int_equal(err.faults, 0);
    cop_store_close(s);
    assert_int_equal(access(p->wal, F_OK), -1); /* closing leaves one file */
}

/* What a model does is kept beside its runs; a model of which that is unknown stands for itself. */
static void behaviour_of_a_model(void **state)
{
    const place *p = *state;
    cop_result r = {0};
    cop_err err = {0};
    cop_store_meta meta = META;
    int64_t known = 0, unknown = 0;
    meta.model = "0123";
    assert_int_equal(cop_store_run(p->db, &meta, &r, &unknown, &err), 0);
    meta.model = "4567";
    meta.behaviour = "89ab";
    assert_int_equal(cop_store_run(p->db, &meta, &r, &known, &err), 0);
    assert_int_equal(cop_store_run(p->db, &meta, &r, NULL, &err), 0);
    cop_store *s = must_open(p->db, false);
    cop_arena arena = {0};
    enum cop_outcome outcome;
    const char *detail, *behaviour;
    assert_int_equal(cop_store_load_outcome(s, known, &outcome, &arena, &detail, &behaviour, &err),
                     1);
    assert_string_equal(behaviour, "89ab");
    assert_int_equal(
        cop_store_load_outcome(s, unknown, &outcome, &arena, &detail, &behaviour, &err), 1);
    assert_string_equal(behaviour, "0123");
    assert_int_equal(ask(s, "SELECT count(*) FROM meta WHERE key LIKE 'behaviour of %'"), 1);
    cop_arena_free(&arena);
    cop_store_close(s);
}

static double scalar_of(cop_store *s, const char *name)
{
    cop_err err = {0};
    double v = -1.0;
    assert_int_equal(cop_store_scalar(s, 1, name, &v, &err), 1);
    return v;
}

static void scalars_have_json_names(void **state)
{
    const place *p = *state;
    cop_result r = make_result(1, 1);
    cop_err err = {0};
    assert_int_equal(cop_store_run(p->db, &META, &r, NULL, &err), 0);
    cop_store *s = must_open(p->db, false);
    assert_true(scalar_of(s, "packets_injected") == 1000.0);
    assert_true(scalar_of(s, "packets_delivered") == 990.0);
    assert_true(scalar_of(s, "packets_in_flight") == 10.0);
    assert_true(scalar_of(s, "packets_lost") == 0.0);
    assert_true(scalar_of(s, "throughput_gbps") == 12.75);
    assert_true(scalar_of(s, "throughput_total_gbps") == 0.0);
    assert_true(scalar_of(s, "latency_ns.mean") == cop_hist_mean(r.latency) / 1000.0);
    assert_true(scalar_of(s, "latency_ns.p50") == cop_hist_quantile(r.latency, 0.5) / 1000.0);
    assert_true(scalar_of(s, "latency_ns.p99") == cop_hist_quantile(r.latency, 0.99) / 1000.0);
    assert_true(scalar_of(s, "latency_ns.max") == (double)r.latency->max / 1000.0);
    assert_true(scalar_of(s, "sim_time_ns") == 1234567890.123);
    assert_true(scalar_of(s, "packet_hops_per_cpu_second") == 8000.0);
    assert_true(scalar_of(s, "peak_rss_bytes") == 0.0);
    assert_true(scalar_of(s, "cc.marked") == 12.0);
    assert_true(scalar_of(s, "transit_ns.count") == 0.0);
    double none = scalar_of(s, "transit_ns.mean"), nan = scalar_of(s, "cc.unknown");
    assert_true(none != none && nan != nan); /* no sample is not a latency of 0 */
    double v;
    assert_int_equal(cop_store_scalar(s, 1, "no such", &v, &err), 0);
    assert_int_equal(cop_store_scalar(s, 9, "events", &v, &err), 0);
    cop_store_close(s);
    cop_arena_free(&r.arena);
}

static void series_and_hist_come_back(void **state)
{
    const place *p = *state;
    cop_result r = make_result(1, 1);
    cop_err err = {0};
    assert_int_equal(cop_store_run(p->db, &META, &r, NULL, &err), 0);
    cop_store *s = must_open(p->db, false);
    cop_arena a = {0};
    cop_series got = {0};
    assert_int_equal(cop_store_series(s, 1, "throughput/F1", &got, &a, &err), 1);
    assert_string_equal(got.name, "throughput/F1");
    assert_string_equal(got.unit, "Gbit/s");
    assert_int_equal(got.n, SERIES_N);
    assert_memory_equal(got.v, r.series[0].v, SERIES_N * sizeof(double));
    assert_int_equal(cop_store_series(s, 1, "empty", &got, &a, &err), 1);
    assert_int_equal(got.n, 0);
    assert_int_equal(cop_store_series(s, 1, "none", &got, &a, &err), 0);
    /* The eighth value is 7/7; its least significant byte comes first. */
    assert_int_equal(ask(s, "SELECT hex(substr(data, 57, 8)) = '000000000000F03F' FROM series"
                            " WHERE name = 'throughput/F1'"),
                     1);
    cop_hist *h = cop_alloc(sizeof(*h));
    assert_int_equal(cop_store_hist(s, 1, "latency", h, &err), 1);
    assert_memory_equal(h->bin, r.latency->bin, sizeof(h->bin));
    assert_true(h->count == 5000 && h->min == r.latency->min && h->max == r.latency->max);
    double mean = cop_hist_mean(r.latency), back = cop_hist_mean(h);
    assert_true(back > mean * (1 - 1e-12) && back < mean * (1 + 1e-12));
    assert_int_equal(cop_store_hist(s, 1, "transit", h, &err), 0);
    assert_int_equal(ask(s, "SELECT count(*) FROM hist WHERE count = 0"), 0);
    assert_int_equal(err.faults, 0);
    cop_free(h);
    cop_store_close(s);
    cop_arena_free(&a);
    cop_arena_free(&r.arena);
}

static void lists_come_back(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *s = must_open(p->db, false);
    assert_int_equal(ask(s, "SELECT count(*) FROM flow"), 2);
    assert_int_equal(ask(s, "SELECT bytes FROM flow WHERE src = 0 AND dst = 1"), 10240);
    assert_int_equal(ask(s, "SELECT dst IS NULL FROM stream WHERE stream = 0"), 1);
    assert_int_equal(ask(s, "SELECT latency_mean_ns = 250.5 AND delivered_bytes = 800"
                            " AND packets = 10 AND host = 3 FROM stream WHERE stream = 0"),
                     1);
    assert_int_equal(ask(s, "SELECT dst = 9 AND latency_mean_ns IS NULL FROM stream"
                            " WHERE stream = 1"),
                     1);
    assert_int_equal(ask(s, "SELECT count(*) FROM node"), 16);
    assert_int_equal(ask(s, "SELECT sent_bytes = 15 AND received_bytes = 30 AND sent_gbps = 0.5"
                            " AND received_gbps = 1 FROM node WHERE name = 'h15'"),
                     1);
    assert_int_equal(ask(s, "SELECT count(*) FROM port"), 20);
    assert_int_equal(ask(s, "SELECT to_name = 'h19' AND utilisation = 0.25 AND max_queue_bytes = 19"
                            " AND mean_queue_bytes = 28.5 FROM port WHERE name = 's19/1'"),
                     1);
    /* Jain's index of 1.5 and 0.5: 2^2 / (2 * 2.5) = 0.8 */
    assert_int_equal(ask(s, "SELECT jain = 0.8 AND streams = 2 AND latency_mean_ns = 250.5"
                            " AND total_gbps = 2 FROM entry WHERE entry = 'F1'"),
                     1);
    assert_int_equal(ask(s, "SELECT throughput_gbps = 12.75 AND outcome = 'deadlock'"
                            " AND run_hash = '00000000deadbeef' FROM summary"),
                     1);
    assert_int_equal(ask(s, "SELECT max(cumulative) = 1.0 AND abs(sum(share) - 1) < 1e-9"
                            " FROM distribution"),
                     1);
    assert_int_equal(ask(s, "SELECT count(*) FROM hist a JOIN hist b ON a.bin + 1 = b.bin"
                            " WHERE a.high_ns <> b.low_ns"),
                     0);
    cop_store_close(s);
}

static void deleting_a_run_cascades(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    for (int i = 0; i < 3; i++)
        assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *s = must_open(p->db, true);
    assert_int_equal(cop_store_exec(s, "DELETE FROM run WHERE id = 2", &err), 0);
    /* as the sqlite3 shell does it */
    assert_int_equal(
        cop_store_exec(s, "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id = 3", &err), 0);
    const char *const tables[] = {"scalar", "series", "stream", "node", "port", "flow", "hist"};
    for (size_t i = 0; i < COP_LEN(tables); i++) {
        char sql[128];
        snprintf(sql, sizeof(sql), "SELECT min(run_id) = 1 AND max(run_id) = 1 FROM %s", tables[i]);
        assert_int_equal(ask(s, sql), 1);
    }
    cop_store_close(s);
    int64_t id = 0;
    assert_int_equal(store_small(p->db, &id, &err), 0);
    assert_int_equal(id, 4); /* numbers are not used again */
    assert_runs(p->db, 2);
}

static void large_result_is_quick(void **state)
{
    const place *p = *state;
    cop_result r = make_result(10000, 5000);
    cop_err err = {0};
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    assert_int_equal(cop_store_run(p->db, &META, &r, NULL, &err), 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    assert_true(seconds < 30.0); /* some tenths; row by row it would be minutes */
    cop_arena_free(&r.arena);
    assert_runs(p->db, 1);
}

/* Every query that docs/RESULTS.md shows runs on a stored result. */
static void documented_queries_run(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *s = must_open(p->db, true);
    size_t bytes;
    int queries = 0;
    char *doc = read_file("docs/RESULTS.md", &bytes), *at = doc;
    while ((at = strstr(at, "```sql\n")) != NULL) {
        char *sql = at + strlen("```sql\n"), *end = strstr(sql, "```");
        assert_non_null(end);
        *end = '\0';
        if (cop_store_exec(s, sql, &err) != 0)
            fail_msg("%s\n%s", sql, err.text);
        queries++;
        at = end + 1;
    }
    assert_true(queries >= 5);
    cop_free(doc);
    cop_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(two_runs_come_back),      IN_PLACE(behaviour_of_a_model),
        IN_PLACE(scalars_have_json_names), IN_PLACE(series_and_hist_come_back),
        IN_PLACE(lists_come_back),         IN_PLACE(deleting_a_run_cascades),
        IN_PLACE(large_result_is_quick),   IN_PLACE(documented_queries_run),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
