/* One process per run, as many at a time as there are cores.
 *
 * In:  plans. Out: every point's run is in the database, as a result or as a failure.
 * Invariants:
 *   - a run is stored by the process that made it, in one transaction, before that process ends: at
 *     any moment, even after SIGKILL, the database holds exactly the runs that had ended;
 *   - points with the same configuration and seed are one run, also across studies;
 *   - nobody has the database open across a fork (SQLite forbids it);
 *   - a run that dies takes nothing with it: the parent records what it died of.
 * Processes rather than threads, because a crash or the kernel's memory killer then costs one run. */
#include "study/pool.h"

#include "exp/run.h"
#include "store/store.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_STORED = 0, CHILD_REFUSED = 2, CHILD_CANNOT_STORE = 4, CHILD_CHANGED = 5 };
#define MAX_JOBS 256
#define STORE_PATIENCE_MS 600000
#define LOOK_NS 100000000 /* how long to sleep between looks at the progress */

/* What a worker tells its parent; in shared memory. */
typedef struct slot {
    volatile double share;
    volatile uint64_t packet_hops;
    char text[1024]; /* why it could not */
} slot;

typedef struct job {
    cop_point *point; /* the first that wants it */
    const cop_study *study;
    cop_arena *arena; /* of the study */
    pid_t pid; /* 0: not started, or ended */
    unsigned slot;
} job;

typedef struct pool {
    int said[MAX_JOBS]; /* what a worker wrote to stderr; -1: nowhere to keep it */
    const cop_pool_opts *o;
    job *job;
    size_t n_jobs, next; /* next: first that may not have been started */
    slot *slots; /* [jobs] */
    bool busy[MAX_JOBS];
    unsigned jobs;
    cop_pool_view view;
    double hops_done;
    struct timespec started;
    sigset_t signals, before;
    cop_err *err;
} pool;

/* -- which runs -- */

static int by_run(const void *a, const void *b)
{
    const cop_point *x = *(cop_point *const *)a, *y = *(cop_point *const *)b;
    if (x->config_hash != y->config_hash)
        return x->config_hash < y->config_hash ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

static int look_up(cop_store *s, const cop_pool_opts *o, cop_point *p, cop_arena *arena,
                   cop_err *err)
{
    int64_t id =
        cop_store_find_run(s, p->config_hash, p->seed, o->any_model ? NULL : cop_model_id(), err);
    if (id < 0)
        return (int)id;
    p->run_id = id;
    if (id > 0) {
        enum cop_outcome outcome = COP_OUTCOME_FAILED;
        int rc = cop_store_load_outcome(s, id, &outcome, arena, &p->detail, err);
        if (rc < 0)
            return rc;
        p->outcome = (int)outcome;
        if (outcome == COP_OUTCOME_FAILED && o->retry)
            p->run_id = 0;
    }
    return 0;
}

/* All points sorted so that equal runs are neighbours; frees with cop_free. */
static cop_point **sorted_points(cop_plan *const *plans, size_t n_plans, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < n_plans; i++)
        *n += plans[i]->n_points;
    cop_point **all = cop_alloc(*n * sizeof(cop_point *));
    size_t at = 0;
    for (size_t i = 0; i < n_plans; i++)
        for (size_t k = 0; k < plans[i]->n_points; k++)
            all[at++] = &plans[i]->point[k];
    qsort(all, *n, sizeof(cop_point *), by_run);
    return all;
}

/* Points whose twin ran get its result. */
static void share_results(cop_plan *const *plans, size_t n_plans)
{
    size_t n;
    cop_point **all = sorted_points(plans, n_plans, &n);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (by_run(&all[i], &all[first]) != 0)
            first = i;
        for (size_t k = first; all[i]->run_id == 0 && k < n && by_run(&all[k], &all[i]) == 0; k++) {
            all[i]->run_id = all[k]->run_id;
            all[i]->outcome = all[k]->outcome;
            all[i]->detail = all[k]->detail;
        }
    }
    cop_free(all);
}

int cop_pool_find(cop_plan *const *plans, size_t n_plans, const cop_pool_opts *o, cop_err *err)
{
    cop_store *s;
    int rc = cop_store_open(&s, o->db, true, err);
    if (rc != 0)
        return rc;
    for (size_t i = 0; rc == 0 && i < n_plans; i++)
        for (size_t k = 0; rc == 0 && k < plans[i]->n_points; k++)
            rc = look_up(s, o, &plans[i]->point[k], plans[i]->arena, err);
    cop_store_close(s);
    return rc;
}

/* One job per different run that is missing. Kept in the order of the studies. */
static void make_jobs(pool *p, cop_plan *const *plans, size_t n_plans)
{
    size_t n, different = 0;
    cop_point **all = sorted_points(plans, n_plans, &n);
    for (size_t i = 0; i < n; i++) {
        bool twin = i > 0 && by_run(&all[i], &all[i - 1]) == 0;
        different += !twin;
        p->view.found += !twin && all[i]->run_id > 0;
    }
    p->view.total = different;
    p->job = cop_alloc((different + 1) * sizeof(*p->job));
    for (size_t i = 0; i < n_plans; i++)
        for (size_t k = 0; k < plans[i]->n_points; k++) {
            cop_point *want = &plans[i]->point[k];
            cop_point **first = bsearch(&want, all, n, sizeof(cop_point *), by_run);
            while (first > all && by_run(&first[-1], &want) == 0)
                first--;
            /* The first point in the sorted order stands for its twins; it is taken when met. */
            if (want->run_id == 0 && *first != NULL && (*first)->outcome != -1) {
                (*first)->outcome = -1;
                p->job[p->n_jobs++] =
                    (job){.point = want, .study = plans[i]->study, .arena = plans[i]->arena};
            }
        }
    cop_free(all);
}

/* -- one run, in a process of its own -- */

static void on_progress(void *ctx, cop_time now, cop_time end, uint64_t packet_hops)
{
    slot *sl = ctx;
    sl->share = end ? (double)now / (double)end : 0.0;
    sl->packet_hops = packet_hops;
}

static int refuse(slot *sl, const cop_err *err, int status)
{
    snprintf(sl->text, sizeof(sl->text), "%.1000s", err->text);
    return status;
}

static int load_config(const job *j, cop_config *c, cop_err *err)
{
    cop_override *set = cop_alloc(j->point->n_set * sizeof(*set));
    for (size_t i = 0; i < j->point->n_set; i++)
        set[i].text = j->point->set[i];
    int rc = cop_config_load(c, j->point->base, NULL, set, j->point->n_set, err);
    cop_free(set);
    return rc;
}

/* The command that repeats one run alone. */
static const char *run_command(const cop_point *p, cop_arena *a)
{
    const char *text = cop_arena_printf(a, "coppice run %s", p->base);
    for (size_t i = 0; i < p->n_set; i++)
        text = cop_arena_printf(a, "%s --set '%s'", text, p->set[i]);
    return text;
}

static int store_result(const pool *p, const job *j, cop_config *c, const cop_result *r,
                        const char *started_at, cop_err *err)
{
    cop_arena arena = {0};
    cop_store_meta meta = {.name = j->study->name,
                           .title = j->point->label,
                           .config_text = c ? cop_config_print(c) : "",
                           .version = p->o->version,
                           .model = cop_model_id(),
                           .command = run_command(j->point, &arena),
                           .started_at = started_at,
                           .seed = j->point->seed,
                           .config_hash = j->point->config_hash};
    cop_store *s;
    int rc = cop_store_open(&s, p->o->db, true, err);
    if (rc == 0) {
        /* All workers may want to store at the same time, and a result is worth waiting for. */
        cop_store_patience(s, STORE_PATIENCE_MS);
        rc = cop_store_add(s, &meta, r, NULL, err);
        cop_store_close(s);
    }
    cop_arena_free(&arena);
    return rc;
}

static int simulate(const pool *p, const job *j, slot *sl)
{
    char started_at[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(started_at, sizeof(started_at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    cop_config c;
    cop_result r;
    cop_err err = {0};
    cop_run_hooks hooks = {.progress = on_progress, .progress_ctx = sl};
    /* All configurations were good when the plan was made, and runs are found by that hash. */
    if (load_config(j, &c, &err) != 0 || cop_config_hash(&c) != j->point->config_hash)
        return CHILD_CHANGED;
    if (cop_run(&c, &hooks, &r, &err) != 0)
        return refuse(sl, &err, CHILD_REFUSED);
    if (store_result(p, j, &c, &r, started_at, &err) != 0)
        return refuse(sl, &err, CHILD_CANNOT_STORE);
    return CHILD_STORED;
}

/* -- the parent -- */

static int start(pool *p, job *j)
{
    unsigned at = 0;
    while (p->busy[at])
        at++;
    p->slots[at] = (slot){.share = 0.0};
    if (p->said[at] >= 0 &&
        (ftruncate(p->said[at], 0) != 0 || lseek(p->said[at], 0, SEEK_SET) != 0))
        return cop_err_add(p->err, COP_E_IO, "cannot start a run: %s", strerror(errno));
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return cop_err_add(p->err, COP_E_MEMORY, "cannot start a process: %s; try fewer --jobs",
                           strerror(errno));
    if (pid == 0) {
        /* Ctrl-C goes to all processes of the terminal; the parent decides what it means. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(CHILD_REFUSED);
        /* Last words go into the database, not across the progress bar. */
        if (p->said[at] >= 0)
            (void)dup2(p->said[at], STDERR_FILENO);
        _exit(simulate(p, j, &p->slots[at]));
    }
    p->busy[at] = true;
    j->pid = pid;
    j->slot = at;
    p->view.running++;
    return 0;
}

static double seconds_since(const struct timespec *t0)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - t0->tv_sec) + (double)(t.tv_nsec - t0->tv_nsec) * 1e-9;
}

static void look(pool *p)
{
    if (p->o->show == NULL)
        return;
    double part = 0.0, hops = p->hops_done;
    for (unsigned i = 0; i < p->jobs; i++)
        if (p->busy[i]) {
            part += p->slots[i].share;
            hops += (double)p->slots[i].packet_hops;
        }
    p->view.share = p->n_jobs ? ((double)p->view.done + part) / (double)p->n_jobs : 1.0;
    p->view.seconds = seconds_since(&p->started);
    p->view.packet_hops = (uint64_t)hops;
    p->o->show(p->o->show_ctx, &p->view);
}

/* The first line a worker wrote to stderr: of out of memory, or of a broken invariant. */
static void last_words(const pool *p, const job *j, char *buf, size_t size)
{
    ssize_t n = p->said[j->slot] < 0 ? 0 : pread(p->said[j->slot], buf, size - 1, 0);
    buf[n > 0 ? n : 0] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
}

/* A run without a result: keep what it died of. */
static int record_failure(pool *p, job *j, int status, const char *text)
{
    char why[1600], said[400];
    last_words(p, j, said, sizeof(said));
    if (WIFSIGNALED(status))
        snprintf(why, sizeof(why), "the process was ended by signal %d (%s)%s%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), said[0] ? "; " : "", said);
    else
        snprintf(why, sizeof(why), "%s",
                 text[0]   ? text
                 : said[0] ? said
                           : "the process ended without a result");
    cop_result r = {.outcome = COP_OUTCOME_FAILED, .detail = why};
    cop_config c;
    cop_err ignored = {0};
    bool loaded = load_config(j, &c, &ignored) == 0;
    int rc = store_result(p, j, loaded ? &c : NULL, &r, NULL, p->err);
    if (loaded)
        cop_config_free(&c);
    return rc;
}

static int finish(pool *p, job *j, int status)
{
    const slot *sl = &p->slots[j->slot];
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, rc = 0;
    p->busy[j->slot] = false;
    j->pid = 0;
    p->view.running--;
    p->hops_done += (double)sl->packet_hops;
    if (code == CHILD_CANNOT_STORE)
        return cop_err_add(p->err, COP_E_IO, "%s", sl->text);
    if (code == CHILD_CHANGED)
        return cop_err_add(p->err, COP_E_INPUT,
                           "%s, or a file it names, was changed after the start; give the same "
                           "command again",
                           j->point->base);
    if (code != CHILD_STORED)
        rc = record_failure(p, j, status, sl->text);
    cop_store *s;
    if (rc == 0)
        rc = cop_store_open(&s, p->o->db, true, p->err);
    if (rc != 0)
        return rc;
    cop_pool_opts again = *p->o;
    again.retry = false;
    rc = look_up(s, &again, j->point, j->arena, p->err);
    cop_store_close(s);
    p->view.done++;
    p->view.failed += j->point->outcome == COP_OUTCOME_FAILED;
    p->view.latest = j->point->label;
    p->view.latest_outcome = j->point->outcome;
    return rc;
}

/* Collect every child that has ended. */
static int reap(pool *p)
{
    int status, rc = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < p->next; i++)
            if (p->job[i].pid == pid && finish(p, &p->job[i], status) != 0)
                rc = -1;
    return rc;
}

static void stop_all(pool *p)
{
    for (size_t i = 0; i < p->next; i++)
        if (p->job[i].pid > 0)
            kill(p->job[i].pid, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

static int work(pool *p)
{
    int rc = 0;
    while (rc == 0 && (p->next < p->n_jobs || p->view.running > 0)) {
        while (rc == 0 && p->view.running < p->jobs && p->next < p->n_jobs)
            rc = start(p, &p->job[p->next++]);
        look(p);
        struct timespec patience = {.tv_nsec = LOOK_NS};
        int signal = sigtimedwait(&p->signals, NULL, &patience);
        if (signal == SIGINT || signal == SIGTERM)
            rc = -COP_E_STOPPED;
        if (reap(p) != 0)
            rc = p->err ? -p->err->code : -COP_E_IO;
    }
    if (rc != 0)
        stop_all(p);
    look(p);
    return rc;
}

/* Those that came while it stopped: a second Ctrl-C must not cut off the message. */
static void forget_signals(const pool *p)
{
    static const struct timespec now = {0};
    while (sigtimedwait(&p->signals, NULL, &now) > 0)
        ;
}

int cop_pool_run(cop_plan *const *plans, size_t n_plans, const cop_pool_opts *o, cop_err *err)
{
    int rc = cop_pool_find(plans, n_plans, o, err);
    if (rc != 0)
        return rc;
    pool p = {.o = o, .err = err};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    p.jobs = o->jobs ? o->jobs : cores > 0 ? (unsigned)cores : 1;
    if (p.jobs > MAX_JOBS)
        p.jobs = MAX_JOBS;
    make_jobs(&p, plans, n_plans);
    p.slots = mmap(NULL, p.jobs * sizeof(slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    COP_CHECK(p.slots != MAP_FAILED);
    for (unsigned i = 0; i < p.jobs; i++)
        p.said[i] = memfd_create("coppice worker", MFD_CLOEXEC);
    /* Whoever started this program may ignore SIGCHLD; then no end of a worker would be told. */
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    (void)sigaction(SIGCHLD, &usual, &before);
    sigemptyset(&p.signals);
    sigaddset(&p.signals, SIGCHLD);
    sigaddset(&p.signals, SIGINT);
    sigaddset(&p.signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &p.signals, &p.before);
    clock_gettime(CLOCK_MONOTONIC, &p.started);
    rc = work(&p);
    forget_signals(&p);
    for (unsigned i = 0; i < p.jobs; i++)
        if (p.said[i] >= 0)
            close(p.said[i]);
    (void)sigaction(SIGCHLD, &before, NULL);
    sigprocmask(SIG_SETMASK, &p.before, NULL);
    munmap(p.slots, p.jobs * sizeof(slot));
    cop_free(p.job);
    if (rc == 0)
        share_results(plans, n_plans);
    return rc;
}
