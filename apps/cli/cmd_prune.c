/* coppice prune STUDY.yaml...: runs that studies left behind as they were edited.
 *
 * In:  study files, and the database that their sweeps use.
 * Rules  a run is left over if it was made for one of the given studies (by name, and by its command:
 *        what `coppice run --db` stored belongs to no study), none of them asks for its configuration and seed
 *        at either scale, and no study that is stored in the database shows it. Those of other builds
 *        count as asked for, too: --any-build takes them.
 * Out:   their list; with --remove they are gone, and the file is smaller. */
#include "base/opt.h"
#include "base/text.h"
#include "cli.h"
#include "exp/plugins.h"
#include "studies.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LISTED 20

static const struct option long_options[] = {{"db", required_argument, NULL, 'd'},
                                             {"remove", no_argument, NULL, 'R'},
                                             {"plugin", required_argument, NULL, 'p'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

typedef struct request {
    const char *db;
    cop_plugin_set plugins;
    char **files;
    int n_files;
    bool remove, help;
} request;

typedef struct wanted {
    uint64_t config_hash;
    int64_t seed;
} wanted;

typedef struct search {
    const cop_studies *all;
    wanted *want; /* sorted */
    int64_t *shown; /* by stored studies, sorted */
    size_t n_want, n_shown;
    int64_t *id; /* left over */
    size_t n, capacity, runs;
    size_t still_shown; /* left over, but for a stored study that shows them */
} search;

static int parse(request *q, int argc, char **argv)
{
    int got;
    while ((got = getopt_long(argc, argv, ":d:p:h", long_options, NULL)) != -1) {
        if (got == 'd')
            q->db = optarg;
        else if (got == 'R')
            q->remove = true;
        else if (got == 'h')
            q->help = true;
        else if (got == 'p' && cop_cli_plugin(&q->plugins, optarg) != COP_EXIT_OK)
            return COP_EXIT_INPUT;
        else if (got != 'p')
            return cop_cli_bad_option(&cop_cmd_prune, long_options, got, argv);
    }
    q->files = argv + optind;
    q->n_files = argc - optind;
    if (!q->help && q->n_files == 0)
        return cop_cli_usage(&cop_cmd_prune,
                             "give the study files (`coppice prune --help` explains)");
    return COP_EXIT_OK;
}

/* Both scales of every file: a sweep at one scale keeps the runs of the other. */
static int read_studies(const request *q, cop_studies *all, cop_err *err)
{
    cop_ledger l = {0};
    char found[PATH_MAX];
    bool known = cop_ledger_load(&l, cop_find_data("claims", found, sizeof(found)), NULL) == 0;
    int rc = 0;
    for (int i = 0; rc == 0 && i < 2 * q->n_files; i++)
        rc =
            cop_studies_add(all, q->files[i / 2], i % 2 ? "full" : "quick", known ? &l : NULL, err);
    cop_ledger_free(&l);
    return rc;
}

static int by_run(const void *a, const void *b)
{
    const wanted *x = a, *y = b;
    if (x->config_hash != y->config_hash)
        return x->config_hash < y->config_hash ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void list_wanted(search *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->all->n; i++)
        n += f->all->plan[i].n_points;
    f->want = cop_alloc_array(n + 1, sizeof(*f->want));
    for (size_t i = 0; i < f->all->n; i++)
        for (size_t k = 0; k < f->all->plan[i].n_points; k++) {
            const cop_point *p = &f->all->plan[i].point[k];
            f->want[f->n_want++] = (wanted){p->config_hash, p->seed};
        }
    qsort(f->want, n, sizeof(*f->want), by_run);
}

static int list_shown(search *f, cop_store *s, cop_err *err)
{
    cop_arena arena = {0};
    cop_study_record *list = NULL;
    size_t n = 0, points = 0;
    int rc = cop_store_studies(s, &arena, &list, &n, err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        points += list[i].n_points;
    f->shown = cop_alloc_array(points + 1, sizeof(*f->shown));
    for (size_t i = 0; rc == 0 && i < n; i++)
        for (size_t k = 0; k < list[i].n_points; k++)
            f->shown[f->n_shown++] = list[i].point[k].run_id;
    qsort(f->shown, f->n_shown, sizeof(*f->shown), by_id);
    cop_arena_free(&arena);
    return rc;
}

static int look_at(void *user, const cop_store_entry *r)
{
    search *f = user;
    wanted w = {r->config_hash, r->seed};
    bool ours = false;
    f->runs++;
    for (size_t i = 0; i < f->all->n; i++)
        ours |= strcmp(f->all->study[i].name, r->name) == 0;
    if (!ours || !cop_store_by_study(r->command) ||
        bsearch(&w, f->want, f->n_want, sizeof(w), by_run) != NULL)
        return 0;
    if (bsearch(&r->id, f->shown, f->n_shown, sizeof(r->id), by_id) != NULL) {
        f->still_shown++;
        return 0;
    }
    cop_arena a = {0};
    if (f->n < MOST_LISTED)
        printf("run %" PRId64 "  %s: %s, seed %" PRId64 ", %s\n", r->id,
               cop_plain_copy(&a, r->name), cop_plain_copy(&a, r->title), r->seed, r->stored_at);
    else if (f->n == MOST_LISTED)
        puts("...");
    cop_arena_free(&a);
    f->id = cop_grow(f->id, &f->capacity, f->n + 1, sizeof(*f->id));
    f->id[f->n++] = r->id;
    return 0;
}

static double mebibytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size / 1048576.0 : 0.0;
}

static int prune(const request *q, search *f, cop_err *err)
{
    cop_store *s;
    size_t removed = 0;
    /* A file that is not there is not made. */
    int rc = cop_store_open(&s, q->db, q->remove && access(q->db, F_OK) == 0, err);
    if (rc != 0)
        return rc;
    list_wanted(f);
    rc = list_shown(f, s, err);
    if (rc == 0)
        rc = cop_store_runs(s, look_at, f, err);
    if (rc == 0 && q->remove && f->n > 0)
        rc = cop_store_remove(s, f->id, f->n, &removed, err);
    cop_store_close(s);
    if (rc != 0)
        return rc;
    if (q->remove)
        printf("%zu of %zu runs removed; %s has %.1f MiB\n", removed, f->runs, q->db,
               mebibytes(q->db));
    else
        printf("%zu of %zu runs in %s are left over%s\n", f->n, f->runs, q->db,
               f->n ? "; --remove removes them" : "");
    if (f->still_shown > 0)
        printf("%zu more %s not asked for any more, but a stored study shows %s: sweep it first\n",
               f->still_shown, f->still_shown == 1 ? "is" : "are",
               f->still_shown == 1 ? "it" : "them");
    return 0;
}

static int prune_run(int argc, char **argv)
{
    request q = {0};
    int status = parse(&q, argc, argv);
    if (q.help)
        cop_cli_help(&cop_cmd_prune, stdout);
    if (q.help || status != COP_EXIT_OK) {
        cop_plugins_free(&q.plugins);
        return status;
    }
    cop_studies all = {.plugins = &q.plugins};
    search f = {.all = &all};
    cop_err err = {0};
    int rc = read_studies(&q, &all, &err);
    if (rc == 0 && q.db == NULL)
        q.db = cop_arena_printf(&all.arena, "%s.db", all.study[0].name);
    if (rc == 0)
        rc = prune(&q, &f, &err);
    cop_free(f.want);
    cop_free(f.shown);
    cop_free(f.id);
    cop_studies_free(&all);
    cop_plugins_free(&q.plugins);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

const cop_command cop_cmd_prune = {
    .name = "prune",
    .usage = "prune STUDY.yaml ... [--db FILE] [--remove] [--plugin FILE]",
    .help =
        "list or remove runs that edited studies left behind\n"
        "\n"
        "A run is left over if a sweep made it for one of these studies, none of them asks for it\n"
        "any more, at either scale, and no study that is stored in the database shows it. What\n"
        "`coppice run --db` stored is never left over. Without --remove nothing is changed.\n"
        "\n"
        "Options\n"
        "  -d, --db FILE        results (default: NAME.db, after the first study's name)\n"
        "      --remove         remove them, and give their room on the disk back; not while\n"
        "                       another state of the study is being swept into the same file\n"
        "  -p, --plugin FILE    the mechanisms of your own that the studies use\n"
        "\n"
        "Example\n"
        "  coppice sweep study.yaml && coppice prune study.yaml --remove\n",
    .run = prune_run};
