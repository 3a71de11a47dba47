/* The pool of runs from inside: what it shows while it works, which runs it makes, finds, shares and
 * makes again, what it does to signals, and what is stored with each run. */
#include "study_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "study/worker.h"

#define HEAD                                                                                       \
    "experiment: e\nbase: base.yaml\n"                                                             \
    "set: {run.duration: 50 us, run.warmup: 0 s, run.sample: 10 us,"                               \
    " traffic.0.arrival: poisson}\n"
/* Blocks a and b are the same runs. */
#define TWINS(values)                                                                              \
    HEAD "seeds: 2\nvary: {d: {key: link.delay, values: [" values "]}}\n"                          \
         "runs: [{name: a}, {name: b}]\n"

/* What the pool has shown. */
typedef struct watcher {
    cop_pool_view first, last;
    size_t looks, most_running;
    size_t n_ended;
    char ended[16][32]; /* labels in the order of their ends */
    int outcome[16];
    int raise; /* this signal, while something runs */
} watcher;

static void check_signals(void)
{
    sigset_t now;
    struct sigaction a;
    assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
    assert_true(sigismember(&now, SIGCHLD) && sigismember(&now, SIGINT) &&
                sigismember(&now, SIGTERM));
    assert_int_equal(sigaction(SIGCHLD, NULL, &a), 0);
    assert_true(a.sa_handler == SIG_DFL);
}

static void watch(void *ctx, const cop_pool_view *v)
{
    watcher *w = ctx;
    check_signals();
    if (w->looks++ == 0)
        w->first = w->last = *v;
    assert_true(v->done >= w->last.done && v->found >= w->last.found);
    assert_true(v->share >= 0.0 && v->share <= 1.0);
    assert_true(v->seconds >= w->last.seconds);
    assert_true(v->packet_hops >= w->last.packet_hops);
    assert_int_equal(v->total, w->first.total);
    assert_int_equal(v->elsewhere, 0);
    assert_true((v->latest == NULL) == (v->done == 0));
    if (v->done > w->last.done) {
        snprintf(w->ended[w->n_ended], sizeof(w->ended[0]), "%s", v->latest);
        w->outcome[w->n_ended++] = v->latest_outcome;
    }
    w->most_running = v->running > w->most_running ? v->running : w->most_running;
    /* As soon as the run tells how far it is; a slow machine gets time for that. */
    if (w->raise && v->running > 0 && (v->packet_hops > 0 || w->looks > 100)) {
        assert_true(v->packet_hops == 0 || (v->share > 0.0 && v->share < 0.5));
        raise(w->raise);
    }
    w->last = *v;
}

static int run_pool(stage *s, cop_pool_opts o, watcher *w)
{
    cop_plan *plans[] = {&s->plan};
    *w = (watcher){.raise = w->raise};
    o.db = s->db;
    o.show = watch;
    o.show_ctx = w;
    return cop_pool_run(plans, 1, &o, &s->err);
}

static size_t open_files(void)
{
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

static void must_run(stage *s, cop_pool_opts o, watcher *w)
{
    size_t before = open_files();
    if (run_pool(s, o, w) != 0)
        fail_msg("%s", s->err.text);
    assert_int_equal(open_files(), before);
    assert_int_equal(w->last.running, 0);
    assert_true(w->last.share == 1.0);
    assert_int_equal(w->last.found + w->last.done, w->last.total);
}

/* One value from the database. */
static const char *ask(stage *s, const char *sql)
{
    static char said[512];
    sqlite3 *d;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(s->db, &d), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(d, sql, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    const unsigned char *text = sqlite3_column_text(q, 0);
    snprintf(said, sizeof(said), "%s", text ? (const char *)text : "NULL");
    sqlite3_finalize(q);
    sqlite3_close(d);
    return said;
}

/* Every point has the run of its twin in the other block, and no other. Points are by seed, block,
 * value. */
static void check_shared(const cop_plan *p, size_t values)
{
    for (size_t i = 0; i < p->n_points; i++) {
        assert_true(p->point[i].run_id > 0);
        assert_int_equal(p->point[i].outcome, COP_OUTCOME_OK);
        for (size_t k = 0; k < p->n_points; k++) {
            bool twins = i / (2 * values) == k / (2 * values) && i % values == k % values;
            assert_int_equal(p->point[i].run_id == p->point[k].run_id, twins);
        }
    }
}

/* 12 points, 6 runs, one after the other in the order of the study. */
static void test_each_run_once(void **state)
{
    static const char *const order[] = {"a, d 10 ns", "a, d 20 ns", "a, d 30 ns"};
    stage *s = *state;
    watcher w = {0};
    struct timespec before, after;
    must_read(s, TWINS("10 ns, 20 ns, 30 ns"), "full");
    assert_int_equal(s->plan.n_points, 12);
    clock_gettime(CLOCK_MONOTONIC, &before);
    must_run(s, (cop_pool_opts){.jobs = 1}, &w);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double took = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)after.tv_nsec -
                  1e-9 * (double)before.tv_nsec;
    assert_true(w.last.seconds > 0.0 && w.last.seconds <= took);
    assert_int_equal(w.first.total, 6);
    assert_int_equal(w.first.found + w.first.done + w.first.failed, 0);
    assert_int_equal(w.first.running, 1);
    assert_int_equal(w.most_running, 1);
    assert_int_equal(w.last.done, 6);
    assert_int_equal(w.last.failed, 0);
    assert_int_equal(w.n_ended, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(w.ended[i], order[i % 3]);
        assert_int_equal(w.outcome[i], COP_OUTCOME_OK);
    }
    check_shared(&s->plan, 3);
    assert_string_equal(ask(s, "SELECT group_concat(title || seed) FROM (SELECT * FROM run"
                               " ORDER BY id)"),
                        "a, d 10 ns1,a, d 20 ns1,a, d 30 ns1,a, d 10 ns2,a, d 20 ns2,a, d 30 ns2");
    assert_true(w.last.packet_hops <= (uint64_t)atoll(ask(s, "SELECT sum(packet_hops) FROM run")));
}

/* What is there is found, the rest made; a second study shares it. */
static void test_found(void **state)
{
    stage *s = *state;
    watcher w = {0};
    must_read(s, TWINS("10 ns, 20 ns"), "full");
    must_run(s, (cop_pool_opts){.jobs = 2}, &w);
    assert_int_equal(w.first.running, 2);
    assert_int_equal(w.most_running, 2);
    assert_int_equal(w.last.done, 4);
    must_read(s, TWINS("10 ns, 20 ns"), "full");
    must_run(s, (cop_pool_opts){.jobs = 2}, &w);
    assert_int_equal(w.looks, 1);
    assert_int_equal(w.last.found, 4);
    assert_int_equal(w.last.packet_hops, 0);
    check_shared(&s->plan, 2);
    must_read(s, TWINS("5 ns, 10 ns, 20 ns, 40 ns"), "full");
    must_run(s, (cop_pool_opts){.jobs = 1000}, &w);
    assert_int_equal(w.last.total, 8);
    assert_int_equal(w.first.found, 4);
    assert_int_equal(w.first.running, 4); /* all that are missing */
    assert_int_equal(w.last.done, 4);
    check_shared(&s->plan, 4);
    assert_string_equal(ask(s, "SELECT count(*) FROM run"), "8");
}

/* A ring without datelines can deadlock: the run is refused, which is a result. */
#define RING "{topology: {kind: torus, radix: [6], hosts: 1}, routing: {kind: dor, datelines: no}}"
#define THREE                                                                                      \
    HEAD "runs: [{name: good}, {name: ring, set: " RING "},"                                       \
         " {name: last, set: {link.delay: 99 ns}}]\n"

static void test_failures(void **state)
{
    stage *s = *state;
    watcher w = {0};
    must_read(s, THREE, "full");
    must_run(s, (cop_pool_opts){.jobs = 1}, &w);
    assert_int_equal(w.last.done, 3);
    assert_int_equal(w.last.failed, 1);
    assert_int_equal(w.n_ended, 3);
    for (size_t i = 0; i < 3; i++) {
        static const char *const order[] = {"good", "ring", "last"};
        assert_string_equal(w.ended[i], order[i]);
        assert_int_equal(w.outcome[i], i == 1 ? COP_OUTCOME_FAILED : COP_OUTCOME_OK);
        assert_int_equal(s->plan.point[i].outcome, w.outcome[i]);
        assert_int_equal(s->plan.point[i].run_id, i + 1);
    }
    assert_non_null(strstr(s->plan.point[1].detail, "/study.yaml:"));
    assert_non_null(strstr(s->plan.point[1].detail, "can deadlock"));
    must_read(s, THREE, "full"); /* not again unasked */
    must_run(s, (cop_pool_opts){.jobs = 1}, &w);
    assert_int_equal(w.last.found, 3);
    for (int64_t id = 4; id <= 5; id++) { /* asked, it alone is made again, each time */
        must_read(s, THREE, "full");
        must_run(s, (cop_pool_opts){.jobs = 1, .retry = true}, &w);
        assert_int_equal(w.last.found, 2);
        assert_int_equal(w.last.done, 1);
        assert_int_equal(w.last.failed, 1);
        assert_int_equal(s->plan.point[1].run_id, id);
        assert_int_equal(s->plan.point[1].outcome, COP_OUTCOME_FAILED);
        assert_int_equal(s->plan.point[2].run_id, 3);
    }
}

/* Who, what and when; the command makes the run again. */
static void test_stored_with_a_run(void **state)
{
    stage *s = *state;
    watcher w = {0};
    char want[512];
    must_read(s, HEAD "seeds: [7]\nruns: [{name: one, set: {link.delay: 9 ns}}]\n", "full");
    must_run(s, (cop_pool_opts){.jobs = 1, .version = "1.2.3"}, &w);
    snprintf(want, sizeof(want),
             "e|one|1.2.3|7|coppice run %s --set 'run.duration=50 us' --set 'run.warmup=0 s'"
             " --set 'run.sample=10 us' --set 'traffic.0.arrival=poisson' --set 'link.delay=9 ns' "
             "--set 'run.seed=7'",
             s->base);
    assert_string_equal(ask(s, "SELECT name || '|' || title || '|' || version || '|' || seed ||"
                               " '|' || command FROM run"),
                        want);
    assert_string_equal(ask(s, "SELECT model FROM run"), cop_model_id());
    assert_string_equal(
        ask(s, "SELECT abs(strftime('%s', stored_at) - strftime('%s', started_at)) < 60 FROM run"),
        "1");
    assert_string_equal(ask(s, "SELECT instr(config, '9 ns') > 0 FROM run"), "1");
}

/* A file that holds what a worker wrote; -1: it was not kept. */
static int keep(const char *wrote)
{
    int said = wrote ? memfd_create("said", 0) : -1;
    if (said >= 0)
        assert_int_equal(write(said, wrote, strlen(wrote)), strlen(wrote));
    return said;
}

/* What is told of a worker that died: its signal, what it told, or the first line of what it wrote.
 * And whether the machine ended it. */
static void test_last_words(void **state)
{
    static const struct {
        int status;
        const char *told, *wrote; /* wrote: NULL: it was not kept */
        const char *want;
        bool stopped;
    } all[] = {
        {SIGKILL, "", NULL, "the process was ended by signal 9 (Killed)", true},
        {SIGKILL, "told", "", "the process was ended by signal 9 (Killed)", true},
        {SIGTERM, "", "", "the process was ended by signal 15 (Terminated)", true},
        {SIGXCPU, "", "", "the process was ended by signal 24 (CPU time limit exceeded)", true},
        {SIGABRT, "", "first\nsecond\n", "the process was ended by signal 6 (Aborted); first",
         false},
        {SIGSEGV, "", COP_NO_MEMORY,
         "the process was ended by signal 11 (Segmentation fault); " COP_NO_MEMORY, false},
        {2 << 8, "", "coppice: " COP_NO_MEMORY "\n", "coppice: " COP_NO_MEMORY, true},
        {2 << 8, "told", COP_NO_MEMORY, "told", false},
        {3 << 8, "told", "first\n", "told", false},
        {3 << 8, "", "first\nsecond", "first", false},
        {3 << 8, "", "only", "only", false},
        {3 << 8, "", "\nsecond", "the process ended without a result", false},
        {3 << 8, "", NULL, "the process ended without a result", false},
    };
    (void)state;
    cop_arena a = {0};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        cop_worker_end end = {all[i].status, all[i].told, keep(all[i].wrote)};
        assert_string_equal(cop_worker_why(&end, &a), all[i].want);
        assert_int_equal(cop_worker_was_stopped(&end), all[i].stopped);
        if (end.said >= 0)
            close(end.said);
    }
    /* As much as a line of a terminal or two. */
    char line[1000];
    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    cop_worker_end end = {3 << 8, "", keep(line)};
    assert_int_equal(strlen(cop_worker_why(&end, &a)), 399);
    close(end.said);
    cop_arena_free(&a);
}

static void test_failure_stored(void **state)
{
    stage *s = *state;
    must_read(s, HEAD, "full");
    cop_task task = {&s->plan.point[0], &s->study, s->db, "v"};
    assert_int_equal(cop_worker_record_failure(&task, "why it failed", &s->err), 0);
    assert_string_equal(ask(s, "SELECT outcome || version || detail FROM run"),
                        "failedvwhy it failed");
    assert_string_equal(ask(s, "SELECT sum(instr(config, '50 us') > 0) FROM run"), "1");
    assert_string_equal(ask(s, "SELECT started_at FROM run"), "NULL"); /* not known */
}

/* Who does not ask what went wrong still learns whether something did. */
static void test_without_messages(void **state)
{
    stage *s = *state;
    cop_plan *plans[] = {&s->plan};
    cop_pool_opts o = {.db = s->db, .jobs = 1};
    must_read(s, HEAD, "full");
    assert_int_equal(cop_pool_run(plans, 1, &o, NULL), 0);
    assert_int_equal(s->plan.point[0].run_id, 1);
    o.db = "/no/such/folder/r.db";
    assert_int_not_equal(cop_pool_run(plans, 1, &o, NULL), 0);
}

/* Results of another build count if they are asked for. */
static void test_models(void **state)
{
    stage *s = *state;
    cop_plan *plans[] = {&s->plan};
    cop_result r;
    must_read(s, HEAD, "full");
    make_synthetic(&r, 1);
    cop_store_meta meta = {.name = "e",
                           .model = "another",
                           .seed = s->plan.point[0].seed,
                           .config_hash = s->plan.point[0].config_hash};
    assert_int_equal(cop_store_run(s->db, &meta, &r, NULL, &s->err), 0);
    cop_arena_free(&r.arena);
    cop_pool_opts o = {.db = s->db};
    size_t before = open_files();
    assert_int_equal(cop_pool_find(plans, 1, &o, &s->err), 0);
    assert_int_equal(s->plan.point[0].run_id, 0);
    assert_int_equal(open_files(), before);
    o.any_model = true;
    assert_int_equal(cop_pool_find(plans, 1, &o, &s->err), 0);
    assert_int_equal(s->plan.point[0].run_id, 1);
}

/* Stopped by a signal: no process is left, no signal waits, and all is as before. */
static void test_stopped(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM};
    stage *s = *state;
    for (size_t i = 0; i < COP_LEN(signals); i++) {
        watcher w = {.raise = signals[i]};
        sigset_t now;
        struct sigaction a;
        signal(SIGCHLD, i ? SIG_IGN : SIG_DFL);
        must_read(s, HEAD "runs: [{name: long, set: {run.duration: 100 s, run.sample: 1 s}}]\n",
                  "full");
        assert_int_equal(run_pool(s, (cop_pool_opts){.jobs = 1}, &w), -COP_E_STOPPED);
        assert_true(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
        assert_int_equal(sigpending(&now), 0);
        assert_false(sigismember(&now, SIGINT) || sigismember(&now, SIGTERM));
        assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
        assert_false(sigismember(&now, SIGINT) || sigismember(&now, SIGTERM) ||
                     sigismember(&now, SIGCHLD));
        assert_int_equal(sigaction(SIGCHLD, NULL, &a), 0);
        assert_true(a.sa_handler == (i ? SIG_IGN : SIG_DFL));
        signal(SIGCHLD, SIG_DFL);
        assert_int_equal(s->plan.point[0].run_id, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STAGE(test_each_run_once),     ON_STAGE(test_found),      ON_STAGE(test_failures),
        ON_STAGE(test_stored_with_a_run), ON_STAGE(test_last_words), ON_STAGE(test_failure_stored),
        ON_STAGE(test_without_messages),  ON_STAGE(test_models),     ON_STAGE(test_stopped),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
