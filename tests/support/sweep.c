#include "sweep.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static const char BASE[] = "run: {duration: 300 us, warmup: 50 us}\n"
                           "topology: {kind: single, hosts: 8}\n"
                           "traffic: [{name: F, pattern: uniform, arrival: poisson, load: 0.5}]\n";
static const char STUDY[] =
    "experiment: many\nbase: base.yaml\nseeds: 2\n"
    "vary: {load: {key: traffic.F.load, values: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}\n"
    "checks:\n"
    "  rises: {of: {of: 'trend({1, 3, 6}, {t(0.1), t(0.3), t(0.6)})', rule: trend}}\n"
    "let: {t: 'function(l) return all{load = l}:total() end'}\n"
    "figures: [{name: f, kind: line, over: load, series: [{name: n, of: 't(x)'}]}]\n";
/* Long enough to be caught at work: 100 s of simulated time. */
static const char ENDLESS[] = "experiment: endless\nbase: base.yaml\nset: {run.duration: 100 s}\n"
                              "vary: {load: {key: traffic.F.load, values: [0.1, 0.2, 0.3]}}\n";

int sweep_enter(void **state)
{
    /* Workers that outlive their parent would become children of this process. */
    return prog_enter(state) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0;
}

int sweep_fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    prog_write("base.yaml", BASE);
    prog_write("many.yaml", STUDY);
    prog_write("endless.yaml", ENDLESS);
    return 0;
}

void sweep_expect(prog_answer got, int status, const char *what)
{
    if (got.status != status || strstr(got.err, what) == NULL)
        fail_msg("status %d, expected %d and `%s` in: %s", got.status, status, what, got.err);
}

void sweep_assert_sound(const char *db, const char *runs)
{
    assert_string_equal(prog_ask(db, "SELECT count(*) FROM run"), runs);
    assert_string_equal(prog_ask(db, "SELECT count(DISTINCT config_hash || seed) FROM run"), runs);
    assert_string_equal(prog_ask(db, "SELECT count(*) FROM run WHERE outcome = 'ok' AND id NOT IN"
                                     " (SELECT run_id FROM scalar)"),
                        "0");
    assert_string_equal(prog_ask(db, "PRAGMA integrity_check"), "ok");
}

/* Children of a process, from /proc; how many were found. */
static size_t children_of(pid_t parent, pid_t *child, size_t max)
{
    size_t n = 0;
    DIR *d = opendir("/proc");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[300], state;
        int pid, ppid;
        snprintf(path, sizeof(path), "/proc/%.200s/stat", e->d_name);
        FILE *f = e->d_name[0] >= '0' && e->d_name[0] <= '9' ? fopen(path, "r") : NULL;
        if (f == NULL)
            continue;
        char name[32];
        if (fscanf(f, "%d (%31[^)]) %c %d", &pid, name, &state, &ppid) == 4 && ppid == parent &&
            state != 'Z' && n < max && strcmp(name, "coppice trial") != 0)
            child[n++] = pid;
        fclose(f);
    }
    closedir(d);
    return n;
}

void sweep_nap(long milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&t, NULL);
}

size_t sweep_workers(pid_t parent)
{
    pid_t child[8];
    return children_of(parent, child, COP_LEN(child));
}

/* Sleeps of 10 ms until a process must be hanging: no test is judged by how long it takes. */
#define PATIENCE 60000

void sweep_wait_for_workers(pid_t parent, pid_t *child, size_t n)
{
    /* The same at two looks: one that only builds has its name a moment after it began. */
    pid_t before = 0;
    for (int i = 0; i < PATIENCE && (children_of(parent, child, n) < n || child[0] != before);
         i++) {
        before = children_of(parent, child, n) == n ? child[0] : 0;
        sweep_nap(10);
    }
    assert_int_equal(children_of(parent, child, n), n);
}

void sweep_wait_for_words(prog_how how, const char *words)
{
    for (int i = 0; i < PATIENCE && strstr(prog_said(how), words) == NULL; i++)
        sweep_nap(10);
    assert_non_null(strstr(prog_said(how), words));
}

void sweep_assert_no_orphans(void)
{
    pid_t left[8];
    for (int i = 0; i < PATIENCE; i++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (children_of(getpid(), left, 8) == 0)
            return;
        sweep_nap(10);
    }
    fail_msg("a worker is still there");
}
