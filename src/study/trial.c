/* Looks for runs that cannot be built, before the first one starts: a mistake shows before hours of work.
 *
 * In:  plans, whose configurations are good. Out: one line for each fault of a network, with the place of the setting.
 * Rules  values of axes that no network had yet come first: most faults are those of one setting.
 *        It stops after a few seconds; the other runs report their faults when they start. A child
 *        process builds the networks: its death is harmless. */
#include "study/trial.h"

#include "base/opt.h"
#include "exp/config.h"
#include "exp/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 2.0
#define MOST_FAULTS 8

/* -- where the study has what is wrong -- */

static const char *place_in(const cop_study *s, const char *set)
{
    for (const cop_setting *k = s->setting; k != NULL; k = k->next)
        if (k->text == set)
            return k->where;
    return NULL;
}

/* The place in the study of the setting that causes a fault; NULL: it is not in the study. A fault
 * begins with the setting, or with a place in the run file and may then name a setting that
 * conflicts. *rest: the text that faults of other runs at this place may share. */
static const char *place_of(const cop_study *s, const cop_point *p, const char *line,
                            const char **rest)
{
    const char *named = NULL;
    *rest = line;
    for (size_t i = p->n_set; i-- > 0;) {
        char shown[120], text[140];
        int n =
            snprintf(text, sizeof(text), "--set %s", cop_excerpt(p->set[i], shown, sizeof(shown)));
        const char *at = n > 0 ? strstr(line, text) : NULL, *where = place_in(s, p->set[i]);
        if (at == NULL || where == NULL)
            continue;
        if (at == line && strncmp(at + n, ": ", 2) == 0) {
            *rest = at + n + 2;
            return where;
        }
        if (named == NULL && strchr(",;:) ", at[n]) != NULL)
            named = where;
    }
    return named;
}

/* Has another run said the same of the same place? */
static bool is_said(const cop_err *err, const char *where, const char *rest, const char *way_out)
{
    size_t n_where = strlen(where), n_rest = strlen(rest), n_out = strlen(way_out);
    for (const char *line = err ? err->text : ""; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        if (n > n_where + n_rest + n_out && strncmp(line, where, n_where) == 0 &&
            line[n_where] == ':' && strncmp(line + n - n_out - n_rest, rest, n_rest) == 0)
            return true;
        line += n + (line[n] == '\n');
    }
    return false;
}

int cop_point_refuse(const cop_study *s, const cop_point *p, cop_err *inner, cop_err *err)
{
    for (char *line = inner->text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        const char *rest, *where = place_of(s, p, line, &rest);
        const char *way_out = "";
        if (where == NULL && p->block->n_axes > 1)
            way_out = "; if that is only so with others of its axes, name them in `leave_out`";
        where = where ? where : p->block->where;
        if (!is_said(err, where, rest, way_out))
            cop_err_add(err, inner->code, "%s: run `%s`: %s%s", where, p->label, line, way_out);
    }
    return -inner->code;
}

const char *cop_point_located(const cop_study *s, const cop_point *p, const char *fault,
                              cop_arena *arena)
{
    const char *rest, *where = place_of(s, p, fault, &rest);
    return where ? cop_arena_printf(arena, "%s: %s", where, fault) : fault;
}

/* -- building -- */

typedef struct trial {
    cop_plan *const *plans;
    size_t n_plans;
    struct timespec started;
    cop_err err;
} trial;

static bool is_over(const trial *t)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    double seconds = (double)(now.tv_sec - t->started.tv_sec) +
                     (double)(now.tv_nsec - t->started.tv_nsec) * 1e-9;
    return seconds > PATIENCE_S || t->err.faults >= MOST_FAULTS;
}

static void try_point(trial *t, const cop_study *s, const cop_point *p)
{
    cop_config c;
    cop_err inner = {0};
    cop_override *set = cop_alloc_array(p->n_set, sizeof(*set));
    for (size_t i = 0; i < p->n_set; i++)
        set[i].text = p->set[i];
    if (cop_config_load_with(&c, s->plugins, p->base, NULL, set, p->n_set, &inner) == 0) {
        if (cop_check_network(&c, NULL, &inner) != 0)
            (void)cop_point_refuse(s, p, &inner, &t->err);
        cop_config_free(&c);
    }
    cop_free(set);
}

/* Has it a value that no run before it had? Marks its values. */
static bool has_news(bool *const *seen, const cop_point *p)
{
    bool news = false;
    for (size_t k = 0; k < p->block->n_axes; k++) {
        news |= !seen[k][p->value[k]];
        seen[k][p->value[k]] = true;
    }
    return news || p->block->n_axes == 0;
}

/* Runs of one plan: those with a new value, or the others. */
static void try_plan(trial *t, const cop_plan *plan, bool news)
{
    bool *seen[COP_LEN(plan->point->value)] = {0};
    const cop_block *block = NULL;
    for (size_t i = 0; i < plan->per_seed && !is_over(t); i++) {
        const cop_point *p = &plan->point[i];
        for (size_t k = 0; p->block != block && k < COP_LEN(seen); k++) {
            cop_free(seen[k]);
            seen[k] = k < p->block->n_axes
                          ? cop_alloc_array(p->block->axis[k].n_values, sizeof(bool))
                          : NULL;
        }
        block = p->block;
        if (has_news(seen, p) == news && p->run_id == 0)
            try_point(t, plan->study, p);
    }
    for (size_t k = 0; k < COP_LEN(seen); k++)
        cop_free(seen[k]);
}

static void tell(int to, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(to, text, n);
        if (done <= 0)
            return;
        text += done, n -= (size_t)done;
    }
}

/* In the process that builds. */
static void try_all(trial *t, int to)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t->started);
    for (int news = 1; news >= 0; news--)
        for (size_t i = 0; i < t->n_plans; i++)
            try_plan(t, t->plans[i], news);
    tell(to, t->err.text, strlen(t->err.text));
}

static void hear(int from, cop_err *err)
{
    char text[sizeof(err->text)];
    size_t used = 0;
    ssize_t n;
    while (used + 1 < sizeof(text) && ((n = read(from, text + used, sizeof(text) - 1 - used)) > 0 ||
                                       (n < 0 && errno == EINTR)))
        used += n > 0 ? (size_t)n : 0;
    text[used] = '\0';
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        cop_err_add(err, COP_E_INPUT, "%s", line);
    }
}

int cop_plans_try(cop_plan *const *plans, size_t n_plans, cop_err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0; /* the runs say it themselves */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)prctl(PR_SET_NAME, COP_TRIAL_NAME);
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (getppid() != parent || nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0)
            _exit(1);
        trial t = {.plans = plans, .n_plans = n_plans};
        try_all(&t, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    unsigned before = err ? err->faults : 0;
    cop_err heard = {0};
    if (pid > 0)
        hear(ends[0], err ? err : &heard);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return (err ? err->faults - before : heard.faults) > 0 ? -COP_E_INPUT : 0;
}
