/* coppice reproduce: run the published experiments and judge what the papers claim. */
#include "base/opt.h"
#include "catalogue.h"
#include "cli.h"
#include "find_claims.h"
#include "ledger_list.h"
#include "report/report.h"
#include "studies.h"
#include "study/validation.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const struct option long_options[] = {{"list", no_argument, NULL, 'l'},
                                             {"all", no_argument, NULL, 'A'},
                                             {"scale", required_argument, NULL, 'S'},
                                             {"jobs", required_argument, NULL, 'J'},
                                             {"db", required_argument, NULL, 'd'},
                                             {"json", no_argument, NULL, 'j'},
                                             {"judge", no_argument, NULL, 'g'},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"retry", no_argument, NULL, 'r'},
                                             {"any-build", no_argument, NULL, 'a'},
                                             {"claims", required_argument, NULL, 'c'},
                                             {"experiments", required_argument, NULL, 'e'},
                                             {"validation", required_argument, NULL, 'v'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

typedef struct request {
    cop_studies_opts o;
    const char *claims, *experiments, *scale, *validation;
    bool list, all, json, help;
    char **names;
    int n_names;
} request;

static int parse(request *q, int argc, char **argv)
{
    int got;
    int64_t n;
    while ((got = getopt_long(argc, argv, ":lAS:J:d:jgqrav:c:e:h", long_options, NULL)) != -1) {
        if (got == 'h')
            q->help = true;
        else if (got == 'l')
            q->list = true;
        else if (got == 'A')
            q->all = true;
        else if (got == 'S')
            q->scale = optarg;
        else if (got == 'd')
            q->o.db = optarg;
        else if (got == 'j')
            q->json = true;
        else if (got == 'g')
            q->o.only_judge = true;
        else if (got == 'q')
            q->o.quiet = true;
        else if (got == 'r')
            q->o.retry = true;
        else if (got == 'a')
            q->o.any_model = true;
        else if (got == 'v')
            q->validation = optarg;
        else if (got == 'c')
            q->claims = optarg;
        else if (got == 'e')
            q->experiments = optarg;
        else if (got == 'J' && cop_parse_int(optarg, &n, NULL) == 0 && n >= 1 && n <= 256)
            q->o.jobs = (unsigned)n;
        else if (got == 'J')
            return cop_cli_usage(&cop_cmd_reproduce, "--jobs `%s`; give a number from 1 to 256",
                                 optarg);
        else
            return cop_cli_bad_option(&cop_cmd_reproduce, long_options, got, argv);
    }
    q->names = argv + optind;
    q->n_names = argc - optind;
    if (strcmp(q->scale, "quick") != 0 && strcmp(q->scale, "full") != 0)
        return cop_cli_usage(&cop_cmd_reproduce, "--scale `%s`; give quick or full", q->scale);
    for (int i = 0; i < q->n_names; i++)
        if (q->names[i][0] == '\0')
            return cop_cli_usage(&cop_cmd_reproduce, "an empty name; give papers, experiments or "
                                                     "checks, or --all; --list names them");
    if (!q->help && !q->list && !q->all && q->n_names == 0 && q->validation == NULL)
        return cop_cli_usage(&cop_cmd_reproduce, "what? Give papers, experiments or checks, or "
                                                 "--all; --list names them");
    return COP_EXIT_OK;
}

/* Verdicts that are already in the database; none if there is no database. */
static int read_verdicts(const request *q, cop_arena *arena, cop_verdicts *v)
{
    cop_err err = {0};
    cop_store *s;
    cop_study_record *list = NULL;
    *v = (cop_verdicts){0};
    if (access(q->o.db, F_OK) != 0)
        return COP_EXIT_OK;
    int rc = cop_store_open(&s, q->o.db, false, &err);
    if (rc == 0)
        rc = cop_store_studies(s, arena, &list, &v->n, &err);
    v->study = list;
    cop_store_close(s);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

/* The first name that no check has; NULL: all mean something. */
static const char *unknown_name(const request *q, const cop_ledger *l)
{
    for (int n = 0; n < q->n_names; n++) {
        bool known = false;
        for (size_t i = 0; i < l->n_papers && !known; i++)
            for (size_t k = 0; k < l->paper[i].n_claims && !known; k++)
                known = cop_claim_wanted(&l->paper[i].claim[k], &l->paper[i], &q->names[n], 1);
        if (!known)
            return q->names[n];
    }
    return NULL;
}

/* "; did you mean a, b or c?" after a name that nothing has. */
static const char *suggestion(const cop_ledger *l, const char *name, cop_arena *a)
{
    const char *list[8];
    size_t n = cop_find_experiments(l, name, list, COP_LEN(list));
    const char *text = n > 0 ? "; did you mean " : ";";
    for (size_t i = 0; i < n; i++)
        text = cop_arena_printf(a, "%s%s%s", text,
                                i == 0      ? ""
                                : i + 1 < n ? ", "
                                            : " or ",
                                list[i]);
    return n > 0 ? cop_arena_printf(a, "%s?", text) : text;
}

static int refuse_unknown(const cop_ledger *l, const char *name)
{
    cop_arena a = {0};
    int status = cop_cli_usage(&cop_cmd_reproduce,
                               "no paper, experiment or check is called `%s`%s `--list` alone "
                               "names the papers",
                               name, suggestion(l, name, &a));
    cop_arena_free(&a);
    return status;
}

/* An unknown name that rewords a paper's name, or fits one experiment, stands for that. */
static void understand(request *q, const cop_ledger *l)
{
    for (int n = 0; n < q->n_names; n++) {
        request one = {.names = &q->names[n], .n_names = 1};
        const char *list[2];
        if (unknown_name(&one, l) == NULL)
            continue;
        if ((list[0] = cop_find_paper(l, q->names[n])) == NULL &&
            cop_find_experiments(l, q->names[n], list, 2) != 1)
            continue;
        fprintf(stderr, "`%s` is %s\n", q->names[n], list[0]);
        q->names[n] = (char *)list[0];
    }
}

/* May `--list` be asked about this name? Experiments that no paper has checks in have some of their own. */
static int check_name(const request *q, const cop_ledger *l, const cop_verdicts *v, char *name)
{
    const request one = {.names = &name, .n_names = 1};
    if (unknown_name(&one, l) == NULL || cop_verdicts_have(v, name))
        return COP_EXIT_OK;
    char found[PATH_MAX];
    cop_catalogue c = {0};
    cop_err spoiled = {0}, err = {0};
    const char *dir =
        q->experiments ? q->experiments : cop_find_data("experiments", found, sizeof(found));
    if (cop_catalogue_load(&c, dir, q->scale, l, &spoiled, &err) != 0)
        return cop_cli_faults(&err);
    bool known = cop_catalogue_pick(&c, &name, 1) == NULL;
    cop_catalogue_free(&c);
    if (!known)
        return refuse_unknown(l, name);
    printf("%s: %s has nothing of it; `coppice reproduce %s` makes it\n", name, q->o.db, name);
    return COP_EXIT_OK;
}

static int list(request *q, const cop_ledger *l)
{
    cop_arena arena = {0};
    cop_verdicts v;
    understand(q, l);
    int status = read_verdicts(q, &arena, &v);
    for (int n = 0; n < q->n_names && status == COP_EXIT_OK; n++)
        status = check_name(q, l, &v, q->names[n]);
    if (status == COP_EXIT_OK) {
        if (q->json) {
            cop_ledger_json(l, &v, q->names, q->n_names);
        } else {
            cop_ledger_list(l, &v, q->names, q->n_names);
            printf("\nStates are those in %s; docs/validation has the published ones.\n", q->o.db);
        }
    }
    cop_arena_free(&arena);
    return status;
}

typedef struct bill {
    cop_validation_cost *cost;
    const cop_verdicts *v;
} bill;

/* Is the run behind a verdict of this study? */
static const cop_study_point *point_of(const cop_study_record *r, int64_t run_id)
{
    for (size_t k = 0; k < r->n_points; k++)
        if (r->point[k].run_id == run_id)
            return &r->point[k];
    return NULL;
}

/* Adds up what the runs took, once for each scale. Of the 648-host forest under congestion control the
 * slowest counts; the first replaces NaN. */
static int add_cost(void *user, const cop_store_entry *run)
{
    bill *b = user;
    cop_validation_cost *c = b->cost;
    bool counted[2] = {false, false};
    for (size_t i = 0; i < b->v->n; i++) {
        const cop_study_record *r = &b->v->study[i];
        const cop_study_point *p = point_of(r, run->id);
        bool full = strcmp(r->scale, "full") == 0;
        double half = run->cpu_seconds / run->sim_time_ns * 0.5e9;
        if (p == NULL)
            continue;
        if (strcmp(r->name, "gran4-table2") == 0 && strstr(p->label, "cc on") != NULL &&
            !(half < c->half_second))
            c->half_second = half;
        c->runs[full] += !counted[full];
        c->cpu_seconds[full] += counted[full] ? 0.0 : run->cpu_seconds + run->build_seconds;
        counted[full] = true;
    }
    return 0;
}

static int read_cost(const request *q, const cop_verdicts *v, cop_validation_cost *c)
{
    cop_err err = {0};
    cop_store *s;
    *c = (cop_validation_cost){.half_second = NAN};
    bill b = {.cost = c, .v = v};
    int rc = cop_store_open(&s, q->o.db, false, &err);
    if (rc == 0)
        rc = cop_store_runs(s, add_cost, &b, &err);
    cop_store_close(s);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

/* A database that holds verdicts without their runs (tools/verdicts.py) does not know what they cost; the
 * file that is written again does. */
static void keep_cost(const char *dir, cop_validation_cost *c)
{
    cop_arena a = {0};
    cop_validation_page *pages;
    size_t n;
    cop_err none = {0};
    if (cop_validation_read(dir, &a, &pages, &n, &none) == 0 && n > 0)
        cop_validation_keep_cost(pages[n - 1].text, c);
    cop_arena_free(&a);
}

/* Keep verdicts of the experiments as they are now; others stay in the database. */
static void keep_current(cop_verdicts *v, const cop_catalogue *c, bool any_model,
                         cop_study_record *kept)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (cop_catalogue_current(c, &v->study[i], any_model))
            kept[n++] = v->study[i];
    *v = (cop_verdicts){.study = kept, .n = n};
}

/* Write the tables of all checks, from everything the database holds. */
static int write_validation(const request *q, const cop_ledger *l, const cop_catalogue *c)
{
    char claims[PATH_MAX], experiments[PATH_MAX], golden[PATH_MAX];
    cop_validation_inputs in = {
        .claims = q->claims ? q->claims : cop_find_data("claims", claims, sizeof(claims)),
        .experiments = q->experiments
                           ? q->experiments
                           : cop_find_data("experiments", experiments, sizeof(experiments)),
        .golden = cop_find_data("tests/golden", golden, sizeof(golden))};
    cop_arena arena = {0};
    cop_verdicts v;
    cop_err err = {0};
    cop_validation_cost cost;
    int status = read_verdicts(q, &arena, &v);
    if (status == COP_EXIT_OK) {
        keep_current(&v, c, q->o.any_model, COP_NEW_ARRAY(&arena, cop_study_record, v.n));
        status = read_cost(q, &v, &cost);
        keep_cost(q->validation, &cost);
    }
    if (status == COP_EXIT_OK) {
        cop_validation_page *pages;
        size_t n = cop_validation_pages(l, v.study, v.n, &in, &cost, &arena, &pages);
        if (cop_validation_write(q->validation, pages, n, &err) != 0)
            status = cop_cli_faults(&err);
    }
    cop_arena_free(&arena);
    return status;
}

/* Read the experiments, plan and rehearse those that are wanted. Faults of other files do not
 * matter. */
static int load_wanted(const request *q, const cop_ledger *l, cop_catalogue *c, cop_studies *all,
                       cop_err *err)
{
    char found[PATH_MAX];
    cop_err spoiled = {0};
    const char *dir =
        q->experiments ? q->experiments : cop_find_data("experiments", found, sizeof(found));
    int rc = cop_catalogue_load(c, dir, q->scale, l, &spoiled, err);
    if (rc != 0)
        return rc;
    const char *unused = cop_catalogue_pick(c, q->names, q->n_names);
    if (spoiled.faults > 0 && (q->all || unused != NULL)) {
        *err = spoiled;
        return -COP_E_INPUT;
    }
    if (unused != NULL) {
        cop_arena a = {0};
        rc = cop_err_add(err, COP_E_INPUT,
                         "no experiment is called `%s` or checks it%s `coppice reproduce --list` "
                         "and `coppice list experiments` name what there is",
                         unused, suggestion(l, unused, &a));
        cop_arena_free(&a);
        return rc;
    }
    for (size_t i = 0; i < c->n; i++)
        if ((q->all || (q->n_names > 0 && c->entry[i].wanted)) &&
            cop_studies_add(all, c->entry[i].file, q->scale, l, err) != 0)
            rc = -COP_E_INPUT;
    return rc;
}

/* Checks that no experiment produces belong into the database too: reports count them. */
static int store_waiting(const request *q, const cop_ledger *l, cop_catalogue *c)
{
    cop_err err = {0};
    cop_store *s;
    cop_study_record *list = COP_NEW_ARRAY(&c->arena, cop_study_record, l->n_papers);
    size_t n = cop_catalogue_waiting(c, l, q->scale, list);
    int rc = cop_store_open(&s, q->o.db, true, &err);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = cop_store_put_study(s, &list[i], &err);
    cop_store_close(s);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

static bool any_failed(const cop_studies *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->record[i].n_verdicts; k++)
            if (strcmp(all->record[i].verdict[k].state, "fail") == 0)
                return true;
    return false;
}

/* The command that makes one experiment again. */
static const char *command_of(void *ctx, const cop_study *s, cop_arena *a)
{
    const request *q = ctx;
    return cop_arena_printf(a, "coppice reproduce %s --scale %s --db %s", s->name, q->scale,
                            q->o.db);
}

/* What an experiment ranks is its result; other figures are for the report. */
static void show_rankings(const cop_studies *all, cop_style style)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->record[i].n_figures; k++)
            cop_report_ranking_text(all->record[i].figure[k].spec, stdout, style.width);
}

static int show(const request *q, const cop_ledger *l, const cop_studies *all, cop_catalogue *c)
{
    cop_verdicts v = {.study = all->record, .n = all->n};
    if (q->json)
        cop_ledger_json(l, &v, q->names, q->n_names);
    else {
        cop_studies_show(stdout, all, cop_cli_style(stdout));
        puts("Ids of checks, places in the papers, tolerances: coppice reproduce --list NAME");
        show_rankings(all, cop_cli_style(stdout));
    }
    int status = q->all ? store_waiting(q, l, c) : COP_EXIT_OK;
    if (status == COP_EXIT_OK && q->validation)
        status = write_validation(q, l, c);
    return status == COP_EXIT_OK && any_failed(all) ? COP_EXIT_CHECK : status;
}

static int reproduce(request *q, const cop_ledger *l)
{
    cop_studies all = {0};
    cop_catalogue c = {0};
    cop_err err = {0};
    int status;
    q->o.command_of = command_of;
    q->o.command_ctx = q;
    if (load_wanted(q, l, &c, &all, &err) != 0) {
        status = cop_cli_faults(&err);
    } else if (!q->all && q->n_names == 0) { /* what the database holds is written as it is */
        status = write_validation(q, l, &c);
    } else {
        status = cop_studies_run(&all, &q->o);
        if (status == COP_EXIT_OK)
            status = show(q, l, &all, &c);
    }
    cop_studies_free(&all);
    cop_catalogue_free(&c);
    return status;
}

static int reproduce_run(int argc, char **argv)
{
    request q = {.scale = "quick", .o = {.db = "reproduce.db"}};
    int status = parse(&q, argc, argv);
    if (q.help)
        cop_cli_help(&cop_cmd_reproduce, stdout);
    if (q.help || status != COP_EXIT_OK)
        return status;
    cop_ledger l;
    cop_err err = {0};
    char found[PATH_MAX];
    const char *dir = q.claims ? q.claims : cop_find_data("claims", found, sizeof(found));
    if (cop_ledger_load(&l, dir, &err) != 0)
        return cop_cli_faults(&err);
    status = q.list ? list(&q, &l) : reproduce(&q, &l);
    cop_ledger_free(&l);
    return status;
}

const cop_command cop_cmd_reproduce = {
    .name = "reproduce",
    .usage =
        "reproduce --list | --all | PAPER|EXPERIMENT|CHECK... [--scale quick|full] [--jobs N]\n"
        "                   [--db FILE] [--json] [--judge] [--retry] [--any-build]",
    .help =
        "run the published experiments and judge what the papers claim\n"
        "\n"
        "Each check of the ledger is pass, fail, not-run (no experiment has produced it yet) or\n"
        "recorded (not judged: a constant that no simulation produces, or a measured value for\n"
        "which the source gives no measure). Narrow: other seeds could turn the verdict. Runs are\n"
        "stored as they end; the same command goes on where it was stopped and repeats nothing.\n"
        "\n"
        "Options\n"
        "  -l, --list            list the ledger with the state of each check in the database;\n"
        "                        without names: counts by paper\n"
        "  -A, --all             all experiments\n"
        "  -S, --scale SCALE     quick (default): fewer points, shorter runs; full: the paper's\n"
        "  -J, --jobs N          simulations at a time (default: one per core)\n"
        "  -d, --db FILE         results (default: reproduce.db)\n"
        "  -j, --json            a list of objects instead of tables\n"
        "  -g, --judge           simulate nothing; judge what the database holds\n"
        "  -r, --retry           simulate runs again that failed before\n"
        "  -a, --any-build       take results of other builds of coppice as they are\n"
        "  -q, --quiet           no progress\n"
        "  -v, --validation DIR  write all verdicts in the database as Markdown to the folder: a\n"
        "                        file for each paper, and README.md; alone: and judge nothing\n"
        "  -c, --claims DIR      where the ledger is (default: beside the program, or installed)\n"
        "  -e, --experiments DIR where the experiments are (likewise)\n"
        "\n"
        "Exit status 1: a check failed.\n"
        "\n"
        "Examples\n"
        "  coppice reproduce --list\n"
        "  coppice reproduce gran1-fig7\n"
        "  coppice reproduce gran4 --scale full --db thesis.db\n",
    .run = reproduce_run};
