/* One process per run, as many at a time as there are cores.
 *
 * In:  plans. Out: every point's run is in the database, as a result or as a failure.
 * Invariants:
 *   - a run is made by one sweep, however many want it at the same time: who makes it has claimed it,
 *     and found no result after that; the others wait for the result or for the claim;
 *   - a run is stored by the process that made it, in one transaction, before that process ends: at
 *     any moment, even after SIGKILL, the database holds exactly the runs that had ended;
 *   - points with the same configuration and seed are one run, also across studies;
 *   - nobody has the database open across a fork (SQLite forbids it);
 *   - a run that dies takes nothing with it: the parent records what it died of.
 * Processes rather than threads, because a crash or the kernel's memory killer then costs one run. */
#include "study/pool.h"

#include "exp/run.h"
#include "store/claim.h"
#include "study/trial.h"
#include "study/worker.h"

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

#define MAX_JOBS 256
#define LOOK_NS 100000000 /* how long to sleep between looks at the progress */

typedef struct job {
    cop_task task; /* its point is the first that wants the run */
    cop_arena *arena; /* of the study */
    pid_t pid;
} job;

typedef struct pool {
    int said[MAX_JOBS]; /* what a worker wrote to stderr; -1: nowhere to keep it */
    const cop_pool_opts *o;
    job *job;
    size_t n_jobs, next; /* next: first that was not looked at yet */
    cop_claims *claims;
    job **held; /* [n_jobs] looked at while another sweep had claimed them */
    size_t n_held;
    cop_slot *slots; /* [jobs] */
    job *busy[MAX_JOBS]; /* what worker i makes; NULL: nothing */
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

/* The result of a point, if there is one. `first`: so far nobody looked; a failure that is to be made
 * again counts as none, then and as long as it is the newest. */
static int look_up(cop_store *s, const cop_pool_opts *o, cop_point *p, bool first, cop_arena *arena,
                   cop_err *err)
{
    int64_t id =
        cop_store_find_run(s, p->config_hash, p->seed, o->any_model ? NULL : cop_model_id(), err);
    if (id < 0)
        return (int)id;
    p->run_id = id;
    if (id > 0) {
        enum cop_outcome outcome = COP_OUTCOME_FAILED;
        int rc = cop_store_load_outcome(s, id, &outcome, arena, &p->detail, &p->model, err);
        if (rc < 0)
            return rc;
        p->outcome = (int)outcome;
        if (first && o->retry && outcome == COP_OUTCOME_FAILED)
            p->failed_id = id;
        if (id == p->failed_id)
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
    cop_point **all = cop_alloc_array(*n, sizeof(cop_point *));
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
            all[i]->model = all[k]->model;
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
            rc = look_up(s, o, &plans[i]->point[k], true, plans[i]->arena, err);
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
    p->job = cop_alloc_array(different + 1, sizeof(*p->job));
    p->held = cop_alloc_array(different + 1, sizeof(*p->held));
    for (size_t i = 0; i < n_plans; i++)
        for (size_t k = 0; k < plans[i]->n_points; k++) {
            cop_point *want = &plans[i]->point[k];
            cop_point **first = bsearch(&want, all, n, sizeof(cop_point *), by_run);
            while (first > all && by_run(&first[-1], &want) == 0)
                first--;
            /* The first point in the sorted order stands for its twins; it is taken when met. */
            if (want->run_id == 0 && *first != NULL && (*first)->outcome != -1) {
                (*first)->outcome = -1;
                cop_task task = {want, plans[i]->study, p->o->db, p->o->version};
                p->job[p->n_jobs++] = (job){.task = task, .arena = plans[i]->arena};
            }
        }
    cop_free(all);
}

/* -- the parent -- */

static int start(pool *p, job *j)
{
    unsigned at = 0;
    while (p->busy[at])
        at++;
    p->slots[at] = (cop_slot){.share = 0.0};
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
            _exit(COP_WORKER_REFUSED);
        /* Last words go into the database, not across the progress bar. */
        if (p->said[at] >= 0)
            (void)dup2(p->said[at], STDERR_FILENO);
        _exit(cop_worker_make(&j->task, &p->slots[at]));
    }
    p->busy[at] = j;
    j->pid = pid;
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
    size_t ours = p->view.total - p->view.found;
    p->view.share = ours ? ((double)p->view.done + part) / (double)ours : 1.0;
    p->view.elsewhere = p->n_held;
    p->view.seconds = seconds_since(&p->started);
    p->view.packet_hops = (uint64_t)hops;
    p->o->show(p->o->show_ctx, &p->view);
}

/* Look once more what the database holds of a job's run. */
static int look_again(const pool *p, job *j)
{
    cop_store *s;
    int rc = cop_store_open(&s, p->o->db, true, p->err);
    if (rc == 0)
        rc = look_up(s, p->o, j->task.point, false, j->arena, p->err);
    cop_store_close(s);
    return rc;
}

static void drop(const pool *p, const job *j)
{
    cop_claim_drop(p->claims, j->task.point->config_hash, j->task.point->seed);
}

/* Start a run, unless another sweep makes it or has made it. */
static int offer(pool *p, job *j)
{
    const cop_point *point = j->task.point;
    if (!cop_claim_take(p->claims, point->config_hash, point->seed)) {
        p->held[p->n_held++] = j;
        return 0;
    }
    int rc = look_again(p, j);
    if (rc == 0 && point->run_id > 0) {
        p->view.found++;
        drop(p, j);
        return 0;
    }
    return rc == 0 ? start(p, j) : rc;
}

static int start_some(pool *p)
{
    int rc = 0;
    while (rc == 0 && p->view.running < p->jobs && p->next < p->n_jobs)
        rc = offer(p, &p->job[p->next++]);
    /* Those of others when there is nothing else to do: ended by now, or left by who has died. */
    size_t n = p->n_held;
    p->n_held = 0;
    for (size_t i = 0; i < n; i++)
        if (rc == 0 && p->view.running < p->jobs)
            rc = offer(p, p->held[i]);
        else
            p->held[p->n_held++] = p->held[i];
    return rc;
}

static int finish(pool *p, unsigned at, int status)
{
    const cop_slot *sl = &p->slots[at];
    job *j = p->busy[at];
    const cop_point *point = j->task.point;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, rc = 0;
    p->busy[at] = NULL;
    p->view.running--;
    p->hops_done += (double)sl->packet_hops;
    if (code == COP_WORKER_CANNOT_STORE)
        return cop_err_add(p->err, COP_E_IO, "%s", sl->text);
    if (code == COP_WORKER_CHANGED)
        return cop_err_add(p->err, COP_E_INPUT,
                           "%s, or a file it names, was changed after the start; give the same "
                           "command again",
                           point->base);
    const char *told = sl->text;
    if (code == COP_WORKER_REFUSED)
        told = cop_point_located(j->task.study, point, told, j->arena);
    if (code != COP_WORKER_STORED)
        rc = cop_worker_record_failure(&j->task, status, told, p->said[at], p->err);
    if (rc == 0)
        rc = look_again(p, j);
    if (rc != 0)
        return rc;
    drop(p, j);
    p->view.done++;
    p->view.failed += point->outcome == COP_OUTCOME_FAILED;
    p->view.latest = point->label;
    p->view.latest_outcome = point->outcome;
    return 0;
}

/* Collect every child that has ended. */
static int reap(pool *p)
{
    int status, rc = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (unsigned i = 0; i < p->jobs; i++)
            if (p->busy[i] != NULL && p->busy[i]->pid == pid && finish(p, i, status) != 0)
                rc = -1;
    return rc;
}

static void stop_all(pool *p)
{
    for (unsigned i = 0; i < p->jobs; i++)
        if (p->busy[i] != NULL)
            kill(p->busy[i]->pid, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

static int work(pool *p)
{
    int rc = 0;
    while (rc == 0 && (p->next < p->n_jobs || p->n_held > 0 || p->view.running > 0)) {
        rc = start_some(p);
        look(p);
        struct timespec patience = {.tv_nsec = LOOK_NS};
        /* Nothing to wait for if the last runs have turned up in the database. */
        bool idle = p->view.running == 0 && p->n_held == 0;
        int signal = idle ? 0 : sigtimedwait(&p->signals, NULL, &patience);
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
    p.claims = cop_claims_open(o->db);
    p.slots = mmap(NULL, cop_product(p.jobs, sizeof(cop_slot)), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
    munmap(p.slots, cop_product(p.jobs, sizeof(cop_slot)));
    cop_claims_close(p.claims);
    cop_free(p.held);
    cop_free(p.job);
    if (rc == 0)
        share_results(plans, n_plans);
    return rc;
}
