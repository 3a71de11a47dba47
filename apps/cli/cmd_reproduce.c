/* coppice reproduce --list: the ledger of published claims, by paper, with the state of each check. */
#include "cli.h"
#include "exp/ledger.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option long_options[] = {{"list", no_argument, NULL, 'l'},
                                             {"claims", required_argument, NULL, 'c'},
                                             {"json", no_argument, NULL, 'j'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* claims/ beside the program's folder (a build in the source tree), or as installed. */
static const char *find_claims(char *buf, size_t size)
{
    static const char *const places[] = {"../claims", "../share/coppice/claims", "claims"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < COP_LEN(places); i++) {
        snprintf(buf, size, "%s/%s", self, places[i]);
        if (access(buf, R_OK) == 0)
            return buf;
    }
    return "claims";
}

typedef struct tally {
    unsigned kind[COP_CLAIM_KINDS], state[COP_CLAIM_STATES], all;
} tally;

static void count(tally *t, const cop_paper *p)
{
    for (size_t i = 0; i < p->n_claims; i++) {
        t->kind[p->claim[i].kind]++;
        t->state[cop_claim_judge(&p->claim[i])]++;
        t->all++;
    }
}

static void print_tally(const char *name, const tally *t, const char *title)
{
    printf("  %-7s %6u %8u %7u %6u %6u %6u %6u %8u   %s\n", name, t->all,
           t->kind[COP_CLAIM_PRINTED], t->kind[COP_CLAIM_DERIVED], t->kind[COP_CLAIM_ORDER],
           t->kind[COP_CLAIM_SHAPE], t->state[COP_CLAIM_PASS], t->state[COP_CLAIM_FAIL],
           t->state[COP_CLAIM_NOT_RUN], title);
}

static void list_papers(const cop_ledger *l)
{
    tally all = {0};
    printf("  %-7s %6s %8s %7s %6s %6s %6s %6s %8s\n", "paper", "checks", "printed", "derived",
           "order", "shape", "pass", "fail", "not run");
    for (size_t i = 0; i < l->n_papers; i++) {
        tally t = {0};
        count(&t, &l->paper[i]);
        count(&all, &l->paper[i]);
        print_tally(l->paper[i].key, &t, l->paper[i].title);
    }
    print_tally("all", &all, "");
    printf("\n  %u of them are constants that no simulation produces; they are recorded.\n",
           all.state[COP_CLAIM_RECORDED]);
}

static bool wanted(const cop_claim *c, const cop_paper *p, char **names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], p->key) == 0 || strcmp(names[i], c->id) == 0 ||
            strcmp(names[i], c->experiment) == 0)
            return true;
    return n == 0;
}

static void list_claims(const cop_ledger *l, char **names, int n)
{
    for (size_t i = 0; i < l->n_papers; i++)
        for (size_t k = 0; k < l->paper[i].n_claims; k++) {
            const cop_claim *c = &l->paper[i].claim[k];
            if (!wanted(c, &l->paper[i], names, n))
                continue;
            printf("%-12s %-9s %s (%s, %s)\n", c->id, cop_claim_state_name(cop_claim_judge(c)),
                   c->metric, cop_claim_kind_name(c->kind), c->where);
            printf("%-12s expected %s; tolerance %s; needs %s\n", "", c->expected, c->tolerance,
                   c->needs);
            if (c->note != NULL)
                printf("%-12s note: %s\n", "", c->note);
        }
}

static void list_json(const cop_ledger *l, char **names, int n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->n_papers; i++)
        for (size_t k = 0; k < l->paper[i].n_claims; k++) {
            const cop_claim *c = &l->paper[i].claim[k];
            if (!wanted(c, &l->paper[i], names, n))
                continue;
            json_t *o = json_object();
            json_object_set_new(o, "id", json_string(c->id));
            json_object_set_new(o, "paper", json_string(l->paper[i].key));
            json_object_set_new(o, "where", json_string(c->where));
            json_object_set_new(o, "experiment", json_string(c->experiment));
            json_object_set_new(o, "metric", json_string(c->metric));
            json_object_set_new(o, "kind", json_string(cop_claim_kind_name(c->kind)));
            json_object_set_new(o, "verdict",
                                json_string(cop_claim_state_name(cop_claim_judge(c))));
            json_object_set_new(o, "expected", json_string(c->expected));
            json_object_set_new(o, "measured", json_null());
            json_object_set_new(o, "tolerance", json_string(c->tolerance));
            json_array_append_new(list, o);
        }
    json_dumpf(list, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(list);
}

static int list(const char *dir, bool json, char **names, int n)
{
    cop_ledger l;
    cop_err err = {0};
    char found[PATH_MAX + 64];
    if (cop_ledger_load(&l, dir ? dir : find_claims(found, sizeof(found)), &err) != 0)
        return cop_cli_faults(&err);
    if (json)
        list_json(&l, names, n);
    else if (n > 0)
        list_claims(&l, names, n);
    else
        list_papers(&l);
    cop_ledger_free(&l);
    return COP_EXIT_OK;
}

static int reproduce_run(int argc, char **argv)
{
    bool show = false, json = false;
    const char *dir = NULL;
    int got;
    while ((got = getopt_long(argc, argv, ":lc:jh", long_options, NULL)) != -1) {
        if (got == 'h') {
            cop_cli_help(&cop_cmd_reproduce, stdout);
            return COP_EXIT_OK;
        }
        if (got == 'l')
            show = true;
        else if (got == 'c')
            dir = optarg;
        else if (got == 'j')
            json = true;
        else
            return cop_cli_bad_option(&cop_cmd_reproduce, long_options, got, argv);
    }
    if (!show)
        return cop_cli_usage(&cop_cmd_reproduce,
                             "no experiment can be run yet; use --list to read the ledger");
    return list(dir, json, argv + optind, argc - optind);
}

const cop_command cop_cmd_reproduce = {
    .name = "reproduce",
    .usage = "reproduce --list [PAPER|EXPERIMENT|CHECK]... [--json] [--claims DIR]",
    .help =
        "read the ledger of published claims\n"
        "\n"
        "Lists what the papers claim, check by check, with the state of each: pass, fail, not-run\n"
        "(no experiment has produced it yet) or recorded (a constant that no simulation "
        "produces).\n"
        "Without names: counts by paper. Running experiments is not there yet.\n"
        "\n"
        "  -l, --list         list instead of running\n"
        "  -j, --json         a list of objects\n"
        "  -c, --claims DIR   where the ledger is (default: beside the program, or as installed)\n"
        "\n"
        "Examples:\n"
        "  coppice reproduce --list\n"
        "  coppice reproduce --list gran2\n",
    .run = reproduce_run};
