/* Studies from the command line. See studies.h. */
#include "studies.h"

#include "base/text.h"
#include "build_info.h"
#include "exp/run.h"
#include "show.h"
#include "study/evaluate.h"
#include "study/trial.h"
#include "verdict_rows.h"
#include "wrap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BAR 40
#define MAX_BAD_SHOWN 20

const char *cop_find_data(const char *name, char *buf, size_t size)
{
    /* Of a checkout; where `make install` puts it, seen from the program; beside the program. */
    const char *const places[] = {"..", cop_build_data, "."};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    /* A build may lie deeper: build/debug/coppice. */
    for (int up = 0; up < 2; up++)
        for (size_t i = 0; i < COP_LEN(places); i++) {
            snprintf(buf, size, "%s/%s%s/%s", self, up ? "../" : "", places[i], name);
            if (access(buf, R_OK) == 0)
                return buf;
        }
    snprintf(buf, size, "%s", name);
    return buf;
}

int cop_studies_add(cop_studies *all, const char *file, const char *scale, const cop_ledger *ledger,
                    cop_err *err)
{
    /* Plans point to their studies, so neither may move: room is made once, by the first call. */
    if (all->capacity == 0) {
        all->capacity = 512;
        all->study = cop_alloc_array(all->capacity, sizeof(*all->study));
        all->plan = cop_alloc_array(all->capacity, sizeof(*all->plan));
        all->record = cop_alloc_array(all->capacity, sizeof(*all->record));
    }
    if (all->n == all->capacity)
        return cop_err_add(err, COP_E_INPUT, "%s: more than %zu studies at once", file,
                           all->capacity);
    cop_study *s = &all->study[all->n];
    int rc = cop_study_load(s, file, scale, ledger, err);
    if (rc != 0)
        return rc;
    s->plugins = all->plugins;
    rc = cop_plan_make(&all->plan[all->n], s, err);
    if (rc == 0)
        rc = cop_study_rehearse(&all->plan[all->n], err);
    if (rc == 0)
        all->n++;
    else
        cop_study_free(s);
    return rc;
}

void cop_studies_free(cop_studies *all)
{
    for (size_t i = 0; i < all->n; i++)
        cop_study_free(&all->study[i]);
    cop_free(all->study);
    cop_free(all->plan);
    cop_free(all->record);
    cop_arena_free(&all->arena);
    *all = (cop_studies){0};
}

/* -- progress -- */

typedef struct bar {
    FILE *out;
    bool terminal;
    unsigned width;
    size_t told; /* runs reported line by line, where there is no terminal */
    bool waits; /* told that it waits for others */
    size_t stopped; /* runs that the machine ended, told so far */
} bar;

static const char *duration(double seconds, char *buf, size_t size)
{
    if (seconds >= 5400)
        snprintf(buf, size, "%.1f h", seconds / 3600);
    else if (seconds >= 90)
        snprintf(buf, size, "%.0f min", seconds / 60);
    else
        snprintf(buf, size, "%.0f s", seconds);
    return buf;
}

static void draw(bar *b, const cop_pool_view *v)
{
    char left[32], text[160], line[MAX_BAR + 1];
    double rest = v->share > 0 ? v->seconds / v->share - v->seconds : 0;
    snprintf(text, sizeof(text),
             "%zu of %zu done, %zu running%s%.0zu%s%.0zu, %.1f M hops/s, %s left", v->done,
             v->total - v->found, v->running, v->elsewhere ? ", elsewhere " : "", v->elsewhere,
             v->failed ? ", failed " : "", v->failed,
             v->seconds > 0 ? (double)v->packet_hops / v->seconds / 1e6 : 0.0,
             duration(rest, left, sizeof(left)));
    size_t taken = strlen(text) + 12, room = b->width > taken ? b->width - taken : 0;
    size_t length = room < MAX_BAR ? room : MAX_BAR, filled = (size_t)((double)length * v->share);
    memset(line, '.', length);
    memset(line, '#', filled);
    line[length] = '\0';
    char whole[sizeof(line) + sizeof(text) + 16];
    snprintf(whole, sizeof(whole), "[%s] %3.0f %%  %s", line, v->share * 100, text);
    /* A line that is too long would wrap, and every step add another. */
    fprintf(b->out, "\r%.*s\033[K", (int)b->width - 1, whole);
    fflush(b->out);
}

static void on_progress(void *ctx, const cop_pool_view *v)
{
    bar *b = ctx;
    if (v->stopped > b->stopped) {
        cop_arena a = {0};
        fprintf(b->out, "%srun %s; it is made once more, alone, at the end\n",
                b->terminal ? "\r\033[K" : "", cop_plain_copy(&a, v->stopped_why));
        cop_arena_free(&a);
        b->stopped = v->stopped;
    }
    if (b->terminal) {
        draw(b, v);
    } else if (v->done > b->told && v->latest != NULL) {
        cop_arena a = {0};
        fprintf(b->out, "%zu of %zu done; %s: %s\n", v->done, v->total - v->found,
                cop_plain_copy(&a, v->latest), cop_outcome_name(v->latest_outcome));
        cop_arena_free(&a);
        b->told = v->done;
    } else if (v->elsewhere > 0 && v->running == 0 && !b->waits) {
        fprintf(b->out, "waiting for %zu run%s that another sweep makes\n", v->elsewhere,
                v->elsewhere > 1 ? "s" : "");
        b->waits = true;
    }
}

/* -- run and judge -- */

static int simulate(cop_studies *all, cop_plan **plans, const cop_studies_opts *o, cop_err *err)
{
    bar b = {.out = stderr, .terminal = cop_cli_is_terminal(stderr), .width = 80};
    if (b.terminal)
        b.width = cop_cli_style(stderr).width;
    cop_pool_opts p = {.db = o->db,
                       .jobs = o->jobs,
                       .version = COP_VERSION,
                       .any_model = o->any_model,
                       .retry = o->retry,
                       .show = o->quiet ? NULL : on_progress,
                       .show_ctx = &b};
    /* A refused study leaves no database behind. */
    bool there = o->only_judge || access(o->db, F_OK) == 0;
    int rc = there ? cop_pool_find(plans, all->n, &p, err) : 0;
    if (rc == 0 && !o->only_judge)
        rc = cop_plans_try(plans, all->n, err);
    if (rc == 0 && !o->only_judge)
        rc = cop_pool_run(plans, all->n, &p, err);
    if (b.terminal && !o->quiet)
        fputs("\r\033[K", stderr);
    return rc;
}

static int judge(cop_studies *all, const cop_studies_opts *o, cop_err *err)
{
    cop_store *s;
    int rc = cop_store_open(&s, o->db, true, err);
    int faulty = 0;
    for (size_t i = 0; rc == 0 && i < all->n; i++) {
        /* An expression that turns out wrong spoils its check, not the other studies. */
        const char *command = o->command_of(o->command_ctx, &all->study[i], &all->arena);
        if (cop_study_evaluate(&all->plan[i], s, command, &all->arena, &all->record[i], err) != 0)
            faulty = -COP_E_INPUT;
        rc = cop_store_put_study(s, &all->record[i], err);
    }
    cop_store_close(s);
    return rc != 0 ? rc : faulty;
}

int cop_studies_run(cop_studies *all, const cop_studies_opts *o)
{
    cop_err err = {0};
    cop_plan **plans = cop_alloc_array(all->n + 1, sizeof(cop_plan *));
    for (size_t i = 0; i < all->n; i++)
        plans[i] = &all->plan[i];
    int rc = simulate(all, plans, o, &err);
    cop_free(plans);
    if (rc == -COP_E_STOPPED) {
        fprintf(stderr,
                "stopped; runs that had ended are in %s, the same command goes on from "
                "there\n",
                o->db);
        return COP_EXIT_STOPPED;
    }
    if (rc == 0)
        rc = judge(all, o, &err);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

/* -- tables -- */

static void show_record(FILE *out, const cop_study_record *r, cop_style style, cop_arena *a)
{
    if (style.width < 60)
        style.width = 60;
    const char *name = cop_plain_copy(a, r->name);
    if (style.colour)
        name = cop_arena_printf(a, "\033[1m%s\033[0m", name);
    fputc('\n', out);
    cop_wrap_item(out, cop_arena_printf(a, "%s ", name), 2, cop_plain_copy(a, r->title));
    size_t bad = 0, failed = 0;
    for (size_t i = 0; i < r->n_points; i++) {
        failed += strcmp(r->point[i].outcome, "failed") == 0;
        if (strcmp(r->point[i].outcome, "ok") != 0 && bad++ < MAX_BAD_SHOWN)
            fprintf(out, "  run `%s`, seed %" PRId64 ": %s%s%s\n",
                    cop_plain_copy(a, r->point[i].label), r->point[i].seed, r->point[i].outcome,
                    r->point[i].detail[0] ? ": " : "", cop_plain_copy(a, r->point[i].detail));
    }
    if (bad > MAX_BAD_SHOWN)
        fprintf(out, "  ... and %zu more\n", bad - MAX_BAD_SHOWN);
    if (failed > 0)
        fprintf(out, "  %zu failed; `--retry` simulates %s again\n", failed,
                failed == 1 ? "it" : "them");
    cop_verdict_rows_show(out, r->verdict, r->n_verdicts, style);
}

void cop_studies_show(FILE *out, const cop_studies *all, cop_style style)
{
    size_t pass = 0, fail = 0, narrow = 0, waiting = 0, recorded = 0;
    for (size_t i = 0; i < all->n; i++) {
        cop_arena arena = {0};
        show_record(out, &all->record[i], style, &arena);
        cop_arena_free(&arena);
        for (size_t k = 0; k < all->record[i].n_verdicts; k++) {
            const char *state = all->record[i].verdict[k].state;
            pass += strcmp(state, "pass") == 0;
            fail += strcmp(state, "fail") == 0;
            waiting += strcmp(state, "not-run") == 0;
            recorded += strcmp(state, "recorded") == 0;
            narrow += cop_verdict_narrow(&all->record[i].verdict[k]);
        }
    }
    size_t n = pass + fail + waiting + recorded;
    if (n > 0)
        fprintf(out, "\n%zu check%s: %zu pass, %zu fail (%zu narrow), %zu not run, %zu recorded\n",
                n, n == 1 ? "" : "s", pass, fail, narrow, waiting, recorded);
}
