/* One run in a process of its own.
 *
 * In:  a point of a study. Out: its run is in the database, in one transaction, before the process
 * ends; or nothing is, and the exit status and the slot say why.
 * Invariant: what is stored under a hash was made from the configuration of that hash. */
#include "study/worker.h"

#include "exp/plugins.h"
#include "exp/run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STORE_PATIENCE_MS 600000

static bool on_progress(void *ctx, cop_time now, cop_time end, uint64_t packet_hops)
{
    cop_slot *sl = ctx;
    sl->share = end ? (double)now / (double)end : 0.0;
    sl->packet_hops = packet_hops;
    return false;
}

static int refuse(cop_slot *sl, const cop_err *err, int status)
{
    snprintf(sl->text, sizeof(sl->text), "%.1000s", err->text);
    return status;
}

static int load_config(const cop_task *t, cop_config *c, cop_err *err)
{
    cop_override *set = cop_alloc_array(t->point->n_set, sizeof(*set));
    for (size_t i = 0; i < t->point->n_set; i++)
        set[i].text = t->point->set[i];
    int rc =
        cop_config_load_with(c, t->study->plugins, t->point->base, NULL, set, t->point->n_set, err);
    cop_free(set);
    return rc;
}

/* The command that repeats one run alone. */
static const char *run_command(const cop_task *t, cop_arena *a)
{
    const cop_point *p = t->point;
    const char *text =
        cop_arena_printf(a, "coppice run %s%s", p->base, cop_plugins_words(t->study->plugins, a));
    for (size_t i = 0; i < p->n_set; i++)
        text = cop_arena_printf(a, "%s --set '%s'", text, p->set[i]);
    return text;
}

static int store_result(const cop_task *t, cop_config *c, const cop_result *r,
                        const char *started_at, cop_err *err)
{
    cop_arena arena = {0};
    cop_store_meta meta = {.name = t->study->name,
                           .title = t->point->label,
                           .config_text = c ? cop_config_print(c) : "",
                           .version = t->version,
                           .model = cop_model_id(),
                           .behaviour = cop_behaviour_id(),
                           .command = run_command(t, &arena),
                           .started_at = started_at,
                           .seed = t->point->seed,
                           .config_hash = t->point->config_hash};
    cop_store *s;
    int rc = cop_store_open(&s, t->db, true, err);
    if (rc == 0) {
        /* All workers may want to store at the same time, and a result is worth waiting for. */
        cop_store_patience(s, STORE_PATIENCE_MS);
        rc = cop_store_add(s, &meta, r, NULL, err);
        cop_store_close(s);
    }
    cop_arena_free(&arena);
    return rc;
}

int cop_worker_make(const cop_task *t, cop_slot *sl)
{
    char started_at[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(started_at, sizeof(started_at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    cop_config c;
    cop_result r;
    cop_err err = {0};
    cop_run_hooks hooks = {.progress = on_progress, .progress_ctx = sl, .only_asked = true};
    /* All configurations were good when the plan was made, and runs are found by that hash. */
    if (load_config(t, &c, &err) != 0 || cop_config_hash(&c) != t->point->config_hash)
        return COP_WORKER_CHANGED;
    if (cop_run(&c, &hooks, &r, &err) != 0)
        return refuse(sl, &err, COP_WORKER_REFUSED);
    if (store_result(t, &c, &r, started_at, &err) != 0)
        return refuse(sl, &err, COP_WORKER_CANNOT_STORE);
    return COP_WORKER_STORED;
}

/* The first line a worker wrote to stderr: of out of memory, or of a broken invariant. */
static void last_words(int said, char *buf, size_t size)
{
    ssize_t n = said < 0 ? 0 : pread(said, buf, size - 1, 0);
    buf[n > 0 ? n : 0] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
}

bool cop_worker_was_stopped(const cop_worker_end *end)
{
    static const int faults[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
    char words[400];
    last_words(end->said, words, sizeof(words));
    if (!WIFSIGNALED(end->status))
        return end->told[0] == '\0' && strstr(words, COP_NO_MEMORY) != NULL;
    for (size_t i = 0; i < COP_LEN(faults); i++)
        if (WTERMSIG(end->status) == faults[i])
            return false;
    return true;
}

const char *cop_worker_why(const cop_worker_end *end, cop_arena *arena)
{
    char words[400];
    int status = end->status;
    last_words(end->said, words, sizeof(words));
    if (WIFSIGNALED(status))
        return cop_arena_printf(arena, "the process was ended by signal %d (%s)%s%s",
                                WTERMSIG(status), strsignal(WTERMSIG(status)), words[0] ? "; " : "",
                                words);
    return cop_arena_strdup(arena, end->told[0] ? end->told
                                   : words[0]   ? words
                                                : "the process ended without a result");
}

int cop_worker_record_failure(const cop_task *t, const char *why, cop_err *err)
{
    cop_result r = {.outcome = COP_OUTCOME_FAILED, .detail = why};
    cop_config c;
    cop_err ignored = {0};
    bool loaded = load_config(t, &c, &ignored) == 0;
    int rc = store_result(t, loaded ? &c : NULL, &r, NULL, err);
    if (loaded)
        cop_config_free(&c);
    return rc;
}
