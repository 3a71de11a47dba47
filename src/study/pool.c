/* One process per run, as many at a time as there are cores.
 *
 * In:  plans. Out: every point's run is in the database, as a result or as a failure.
 * Invariants:
 *   - a run is made by one sweep, however many want it at the same time: that sweep has claimed it
 *     and then found no result; the others wait for the result or for the claim;
 *   - a run is stored by the process that made it, in one transaction, before that process ends: at
 *     any moment, even after SIGKILL, the database holds exactly the runs that had ended;
 *   - points with the same configuration and seed are one run, also across studies;
 *   - the database is closed during a fork (SQLite forbids it);
 *   - a run that dies takes nothing with it: the parent records what it died of;
 *   - a run that was killed or found no memory has not failed: it is made once more, alone, and if
 *     that does not help it is left out, not stored.
 * Processes rather than threads, because a crash or the kernel's memory killer then costs one run. */
#include "study/pool_int.h"

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
    bool again; /* the machine ended it once */
} job;

typedef struct pool {
    int said[MAX_JOBS]; /* what a worker wrote to stderr; -1: nowhere to keep it */
    const cop_pool_opts *o;
    job *job;
    size_t n_jobs, next; /* next: first that was not looked at yet */
    cop_claims *claims;
    job **held; /* [n_jobs] looked at while another sweep had claimed them */
    size_t n_held;
    job **again; /* [n_jobs] that the machine ended; their claims are kept */
    size_t n_again, next_again;
    cop_slot *slots; /* [jobs] */
    job *busy[MAX_JOBS]; /* what worker i makes; NULL: nothing */
    unsigned jobs;
    cop_pool_view view;
    double hops_done;
    struct timespec started;
    sigset_t signals, before;
    cop_err *err;
} pool;

/* -- which runs (pool_find.c) -- */

/* One job per different run that is missing. Kept in the order of the studies. */
static void make_jobs(pool *p, cop_plan *const *plans, size_t n_plans)
{
    size_t n, different = 0;
    cop_point **all = cop_pool_sorted(plans, n_plans, &n);
    for (size_t i = 0; i < n; i++) {
        bool twin = i > 0 && cop_pool_by_run(&all[i], &all[i - 1]) == 0;
        different += !twin;
        p->view.found += !twin && all[i]->run_id > 0;
    }
    p->view.total = different;
    p->job = cop_alloc_array(different + 1, sizeof(*p->job));
    p->held = cop_alloc_array(different + 1, sizeof(*p->held));
    p->again = cop_alloc_array(different + 1, sizeof(*p->again));
    for (size_t i = 0; i < n_plans; i++)
        for (size_t k = 0; k < plans[i]->n_points; k++) {
            cop_point *want = &plans[i]->point[k];
            cop_point **first = bsearch(&want, all, n, sizeof(cop_point *), cop_pool_by_run);
            while (first > all && cop_pool_by_run(&first[-1], &want) == 0)
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
        /* Standard error of a worker goes into the database, not over the progress bar. */
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
        rc = cop_pool_look_up(s, p->o, j->task.point, false, j->arena, p->err);
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
    /* Runs that another sweep had claimed, when there is nothing else to do: ended by now, or free
 * because that sweep has died. */
    size_t n = p->n_held;
    p->n_held = 0;
    for (size_t i = 0; i < n; i++)
        if (rc == 0 && p->view.running < p->jobs)
            rc = offer(p, p->held[i]);
        else
            p->held[p->n_held++] = p->held[i];
    /* Those that the machine ended, each alone, so that it has all the memory there is. */
    if (rc == 0 && p->view.running == 0 && p->n_held == 0 && p->next_again < p->n_again)
        rc = start(p, p->again[p->next_again++]);
    return rc;
}

/* The machine ended a run for the first time: it is made again. */
static void put_off(pool *p, job *j, const char *why)
{
    j->again = true;
    p->again[p->n_again++] = j;
    p->view.stopped++;
    p->view.stopped_why = cop_arena_printf(j->arena, "`%s`, seed %" PRId64 ": %s",
                                           j->task.point->label, j->task.point->seed, why);
}

/* For the second time: it is left out, and nothing is stored. */
static void leave_out(job *j, const char *why)
{
    cop_point *point = j->task.point;
    point->run_id = 0;
    point->detail =
        cop_arena_printf(j->arena,
                         "%s, twice; nothing is stored, the same command tries again (short of "
                         "memory? see what else runs)",
                         why);
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
    cop_worker_end end = {status, told, p->said[at]};
    const char *why = cop_worker_why(&end, j->arena);
    bool stopped = code != COP_WORKER_STORED && cop_worker_was_stopped(&end);
    if (stopped && !j->again) {
        put_off(p, j, why);
        return 0;
    }
    if (stopped)
        leave_out(j, why);
    else if (code != COP_WORKER_STORED)
        rc = cop_worker_record_failure(&j->task, why, p->err);
    if (rc == 0 && !stopped)
        rc = look_again(p, j);
    if (rc != 0)
        return rc;
    drop(p, j);
    int outcome = stopped ? COP_OUTCOME_FAILED : point->outcome;
    p->view.done++;
    p->view.failed += outcome == COP_OUTCOME_FAILED;
    p->view.latest = point->label;
    p->view.latest_outcome = outcome;
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
    while (rc == 0 && (p->next < p->n_jobs || p->n_held > 0 || p->view.running > 0 ||
                       p->next_again < p->n_again)) {
        rc = start_some(p);
        look(p);
        struct timespec patience = {.tv_nsec = LOOK_NS};
        /* Nothing to wait for if the last runs have turned up in the database. */
        bool idle = p->view.running == 0 && p->n_held == 0 && p->next_again == p->n_again;
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
    /* The caller may have set SIGCHLD to be ignored; then no end of a worker would be seen. */
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
    cop_free(p.again);
    cop_free(p.held);
    cop_free(p.job);
    if (rc == 0)
        cop_pool_share(plans, n_plans);
    return rc;
}
