/* coppice sweep STUDY.yaml: many runs from one file, on all cores, resumable. */
#include "base/opt.h"
#include "cli.h"
#include "exp/plugins.h"
#include "report/report.h"
#include "studies.h"

#include <limits.h>
#include <string.h>

static const struct option long_options[] = {{"jobs", required_argument, NULL, 'J'},
                                             {"db", required_argument, NULL, 'd'},
                                             {"scale", required_argument, NULL, 'S'},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"retry", no_argument, NULL, 'r'},
                                             {"any-build", no_argument, NULL, 'a'},
                                             {"plugin", required_argument, NULL, 'p'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

typedef struct request {
    cop_studies_opts o;
    cop_plugin_set plugins; /* from outside */
    const char *file, *scale;
    bool help;
} request;

static int parse(request *q, int argc, char **argv)
{
    int got;
    int64_t n;
    while ((got = getopt_long(argc, argv, ":J:d:S:qrap:h", long_options, NULL)) != -1) {
        switch (got) {
        case 'J':
            if (cop_parse_int(optarg, &n, NULL) != 0 || n < 1 || n > 256)
                return cop_cli_usage(&cop_cmd_sweep, "--jobs `%s`; give a number from 1 to 256",
                                     optarg);
            q->o.jobs = (unsigned)n;
            break;
        case 'd':
            q->o.db = optarg;
            break;
        case 'S':
            q->scale = optarg;
            break;
        case 'q':
            q->o.quiet = true;
            break;
        case 'r':
            q->o.retry = true;
            break;
        case 'a':
            q->o.any_model = true;
            break;
        case 'p':
            if (cop_cli_plugin(&q->plugins, optarg) != COP_EXIT_OK)
                return COP_EXIT_INPUT;
            break;
        case 'h':
            q->help = true;
            return COP_EXIT_OK;
        default:
            return cop_cli_bad_option(&cop_cmd_sweep, long_options, got, argv);
        }
    }
    if (strcmp(q->scale, "quick") != 0 && strcmp(q->scale, "full") != 0)
        return cop_cli_usage(&cop_cmd_sweep, "--scale `%s`; give quick or full", q->scale);
    if (optind + 1 != argc)
        return cop_cli_usage(&cop_cmd_sweep,
                             "give one study file (`coppice sweep --help` explains)");
    q->file = argv[optind];
    return COP_EXIT_OK;
}

/* Did all runs come to their end? */
static int status_of(const cop_studies *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const cop_study_record *r = &all->record[i];
        size_t there = 0;
        for (size_t k = 0; k < r->n_points; k++)
            there += r->point[k].run_id > 0;
        if (r->failed > 0 || there < r->n_points)
            return COP_EXIT_RESULT;
    }
    return COP_EXIT_OK;
}

static const char *command_of(void *ctx, const cop_study *s, cop_arena *a)
{
    const request *q = ctx;
    (void)s;
    return cop_arena_printf(a, "coppice sweep %s%s --db %s%s", q->file,
                            strcmp(q->scale, "quick") == 0 ? " --scale quick" : "", q->o.db,
                            cop_plugins_words(&q->plugins, a));
}

static int sweep(request *q)
{
    cop_studies all = {.plugins = &q->plugins};
    cop_err err = {0};
    /* A study of the papers can be swept like any other; the ledger knows its checks. */
    cop_ledger l = {0};
    char found[PATH_MAX];
    bool known = cop_ledger_load(&l, cop_find_data("claims", found, sizeof(found)), NULL) == 0;
    if (cop_studies_add(&all, q->file, q->scale, known ? &l : NULL, &err) != 0) {
        cop_studies_free(&all);
        cop_ledger_free(&l);
        return cop_cli_faults(&err);
    }
    if (q->o.db == NULL)
        q->o.db = cop_arena_printf(&all.arena, "%s.db", all.study[0].name);
    q->o.command_of = command_of;
    q->o.command_ctx = q;
    int status = cop_studies_run(&all, &q->o);
    if (status == COP_EXIT_OK) {
        cop_style style = cop_cli_style(stdout);
        cop_studies_show(stdout, &all, style);
        for (size_t i = 0; i < all.record[0].n_figures; i++)
            cop_report_spec_text(all.record[0].figure[i].spec, stdout, style.width);
        fputc('\n', stdout);
        printf("%" PRId64 " runs in %s; `coppice report %s -o report.html` draws them\n",
               all.record[0].runs, q->o.db, q->o.db);
        status = status_of(&all);
    }
    cop_studies_free(&all);
    cop_ledger_free(&l);
    return status;
}

static int sweep_run(int argc, char **argv)
{
    request q = {.scale = "full"};
    int status = parse(&q, argc, argv);
    if (q.help)
        cop_cli_help(&cop_cmd_sweep, stdout);
    else if (status == COP_EXIT_OK)
        status = sweep(&q);
    cop_plugins_free(&q.plugins);
    return status;
}

const cop_command cop_cmd_sweep = {
    .name = "sweep",
    .usage =
        "sweep STUDY.yaml [--jobs N] [--db FILE] [--scale quick|full] [--retry] [--any-build]\n"
        "                   [--plugin FILE]",
    .help =
        "run all points of a study on all cores\n"
        "\n"
        "A study names a base configuration, what varies, the seeds, and which values and figures "
        "to\n"
        "make of the runs (docs/EXPERIMENTS.md). Each run is stored as it ends. A sweep that was\n"
        "stopped, even killed, goes on where it was when the same command is given again; no\n"
        "finished run is repeated. A run that fails or ends in a deadlock is stored as such. One "
        "that the\n"
        "machine ended (killed, no memory) is made once more, alone; if that does not help, "
        "nothing "
        "is\n"
        "stored of it and the same command tries again.\n"
        "\n"
        "Options\n"
        "  -J, --jobs N         simulations at a time (default: one per core)\n"
        "  -d, --db FILE        results (default: NAME.db, after the study's name)\n"
        "  -S, --scale SCALE    quick or full (default: full)\n"
        "  -r, --retry          simulate runs again that failed before\n"
        "  -a, --any-build      take results of other builds of coppice as they are; normally "
        "only\n"
        "                       those of the same simulator code count\n"
        "  -q, --quiet          no progress\n"
        "  -p, --plugin FILE    add mechanisms of your own from a shared object, whose code runs "
        "as\n"
        "                       part of the program (docs/ADDING.md)\n"
        "\n"
        "Exit status 3: a run failed, ended in a deadlock or is missing.\n"
        "\n"
        "Example\n"
        "  coppice sweep study.yaml && coppice report study.db -o study.html\n",
    .run = sweep_run};
