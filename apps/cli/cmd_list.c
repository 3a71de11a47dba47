/* coppice list: mechanisms and options of run files, from the registries and option tables. */
#include "cli.h"
#include "docs.h"
#include "exp/plugins.h"
#include "families.h"
#include "list_studies.h"
#include "wrap.h"

#include <jansson.h>
#include <string.h>

#define MAX_ITEMS 128

static const struct option long_options[] = {{"json", no_argument, NULL, 'j'},
                                             {"docs", no_argument, NULL, 'D'},
                                             {"plugin", required_argument, NULL, 'p'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static json_t *option_json(const cop_opt *o)
{
    char type[600];
    json_t *j = json_object();
    json_object_set_new(j, "name", json_string(o->name));
    json_object_set_new(j, "type", json_string(cop_opt_describe(o, type, sizeof(type))));
    json_object_set_new(j, "default", o->def ? json_string(o->def) : json_null());
    json_object_set_new(j, "help", json_string(o->help));
    return j;
}

static json_t *item_json(const char *section, const cop_plugin *p)
{
    json_t *j = json_object(), *options = json_array();
    json_object_set_new(j, "name", json_string(p->name));
    json_object_set_new(j, "summary", json_string(p->summary ? p->summary : ""));
    json_object_set_new(j, "source", json_string(p->source ? p->source : ""));
    for (const cop_opt *o = p->opts; o != NULL && o->type != COP_OPT_END; o++)
        json_array_append_new(options, option_json(o));
    json_object_set_new(j, "options", options);
    char values[300];
    const char *observed = cop_family_observed(p, values, sizeof(values));
    json_object_set_new(j, "observe", observed ? json_string(observed) : json_null());
    const char *example = cop_family_example(section, p->name);
    json_object_set_new(j, "example", example ? json_string(example) : json_null());
    return j;
}

static int print_json(json_t *j)
{
    json_dumpf(j, stdout, JSON_INDENT(2)); /* main() reports what could not be written */
    fputc('\n', stdout);
    json_decref(j);
    return COP_EXIT_OK;
}

static int list_families(bool json)
{
    json_t *all = json_array();
    cop_arena arena = {0};
    for (const cop_family *f = cop_families; f->name != NULL; f++) {
        json_t *j = json_object();
        json_object_set_new(j, "name", json_string(f->name));
        json_object_set_new(j, "section", json_string(f->section));
        json_object_set_new(j, "summary", json_string(f->help));
        json_array_append_new(all, j);
        if (!json)
            cop_wrap_item(stdout, cop_arena_printf(&arena, "%-14s %s", f->name, f->section), 30,
                          f->help);
    }
    cop_arena_free(&arena);
    if (json)
        return print_json(all);
    json_decref(all);
    puts("experiments                   published experiments that `coppice reproduce`\n"
         "                              runs\n"
         "metrics                       what study files can ask of a run\n\n"
         "`coppice list FAMILY` names what there is, `coppice list FAMILY NAME` the\noptions.");
    return COP_EXIT_OK;
}

static int list_items(const cop_family *f, const cop_plugin_set *more, bool json)
{
    cop_plugin p;
    json_t *all = json_array();
    cop_arena arena = {0};
    int width = 12;
    for (size_t i = 0; f->at(f, more, i, &p); i++)
        width = (int)strlen(p.name) > width ? (int)strlen(p.name) : width;
    for (size_t i = 0; f->at(f, more, i, &p); i++) {
        json_array_append_new(all, item_json(f->section, &p));
        if (json)
            continue;
        cop_wrap_item(stdout, p.name, width + 2, p.summary ? p.summary : "");
        if (p.source != NULL && p.source[0] != '\0')
            cop_wrap_item(stdout, "", width + 2, cop_arena_printf(&arena, "[%s]", p.source));
    }
    cop_arena_free(&arena);
    if (json)
        return print_json(all);
    json_decref(all);
    return COP_EXIT_OK;
}

static void print_options(const cop_opt *table)
{
    char type[600];
    cop_arena arena = {0};
    if (table == NULL || table->type == COP_OPT_END)
        puts("\nno options");
    for (const cop_opt *o = table; o != NULL && o->type != COP_OPT_END; o++) {
        const char *what = cop_opt_describe(o, type, sizeof(type)), *def = cop_opt_default(o);
        putchar('\n');
        cop_wrap_item(stdout, cop_arena_printf(&arena, "  %s:", o->name), 6,
                      def ? cop_arena_printf(&arena, "%s; default %s", what, def)
                          : cop_arena_printf(&arena, "%s; required", what));
        cop_wrap_item(stdout, "", 6, o->help);
    }
    cop_arena_free(&arena);
}

static void print_one(const char *section, const cop_plugin *p)
{
    cop_arena arena = {0};
    char values[300];
    cop_wrap_item(stdout, cop_arena_printf(&arena, "%s:", p->name), 2,
                  p->summary ? p->summary : "");
    if (p->source != NULL && p->source[0] != '\0')
        cop_wrap_item(stdout, "source:", 2, p->source);
    if (p->note != NULL)
        cop_wrap_item(stdout, "acts at a distance:", 2, p->note);
    if (cop_family_brings(p, values, sizeof(values)) != NULL)
        cop_wrap_item(stdout, "brings, where the file leaves it open:", 2, values);
    if (cop_family_observed(p, values, sizeof(values)) != NULL)
        cop_wrap_item(stdout, "run.observe:", 2, values);
    const char *example = cop_family_example(section, p->name);
    if (example != NULL)
        cop_wrap_item(stdout, "example:", 2, example);
    cop_arena_free(&arena);
    print_options(p->opts);
}

static int list_one(const cop_family *f, const cop_plugin_set *more, const char *name, bool json)
{
    const char *names[MAX_ITEMS];
    cop_plugin p;
    size_t n = 0;
    for (; n < MAX_ITEMS && f->at(f, more, n, &p); n++) {
        names[n] = p.name;
        if (strcmp(p.name, name) != 0)
            continue;
        if (json)
            return print_json(item_json(f->section, &p));
        print_one(f->section, &p);
        return COP_EXIT_OK;
    }
    char shown[48];
    const char *near = cop_nearest(name, names, n);
    cop_excerpt(name, shown, sizeof(shown));
    if (near != NULL)
        return cop_cli_usage(&cop_cmd_list, "no `%s` among %s; did you mean `%s`?", shown, f->name,
                             near);
    return cop_cli_usage(&cop_cmd_list, "no `%s` among %s; `coppice list %s` names them", shown,
                         f->name, f->name);
}

static int unknown_family(const char *name)
{
    const char *names[MAX_ITEMS];
    size_t n = 0;
    for (const cop_family *f = cop_families; f->name != NULL; f++)
        names[n++] = f->name;
    char shown[48];
    const char *near = cop_nearest(name, names, n);
    cop_excerpt(name, shown, sizeof(shown));
    if (near != NULL)
        return cop_cli_usage(&cop_cmd_list, "unknown family `%s`; did you mean `%s`?", shown, near);
    return cop_cli_usage(&cop_cmd_list, "unknown family `%s`; `coppice list` names them", shown);
}

typedef struct request {
    bool json, docs, help;
    cop_plugin_set plugins; /* from outside */
    char **word;
    int words;
} request;

static int parse(request *q, int argc, char **argv)
{
    int got;
    while ((got = getopt_long(argc, argv, ":jp:h", long_options, NULL)) != -1) {
        switch (got) {
        case 'j':
            q->json = true;
            break;
        case 'D':
            q->docs = true;
            break;
        case 'p':
            if (cop_cli_plugin(&q->plugins, optarg) != COP_EXIT_OK)
                return COP_EXIT_INPUT;
            break;
        case 'h':
            q->help = true;
            return COP_EXIT_OK;
        default:
            return cop_cli_bad_option(&cop_cmd_list, long_options, got, argv);
        }
    }
    q->word = argv + optind;
    q->words = argc - optind;
    if (q->words > 2 || (q->docs && q->words > 0))
        return cop_cli_usage(&cop_cmd_list, "too many words; `coppice list --help` explains");
    return COP_EXIT_OK;
}

static int list(const request *q)
{
    if (q->help) {
        cop_cli_help(&cop_cmd_list, stdout);
        return COP_EXIT_OK;
    }
    if (q->docs) {
        cop_docs_config(stdout);
        return COP_EXIT_OK;
    }
    if (q->words == 0)
        return list_families(q->json);
    const char *family = q->word[0], *word = q->words > 1 ? q->word[1] : NULL;
    if (strcmp(family, "metrics") == 0)
        return cop_list_metrics(word, q->json);
    if (strcmp(family, "experiments") == 0)
        return cop_list_experiments(word, q->json);
    const cop_family *f = cop_family_find(family);
    const cop_section *s = cop_section_find(family);
    if (f == NULL && s != NULL && s->opts != NULL && word == NULL) {
        word = family;
        f = cop_family_find(COP_FAMILY_SECTIONS);
    }
    if (f == NULL)
        return unknown_family(family);
    return word == NULL ? list_items(f, &q->plugins, q->json)
                        : list_one(f, &q->plugins, word, q->json);
}

static int list_run(int argc, char **argv)
{
    request q = {0};
    int status = parse(&q, argc, argv);
    if (status == COP_EXIT_OK)
        status = list(&q);
    cop_plugins_free(&q.plugins);
    return status;
}

const cop_command cop_cmd_list = {
    .name = "list",
    .usage = "list [topologies|routings|traffic|queueing|hosts|cc|flow-control|sections [NAME]] "
             "[--json] "
             "[--plugin FILE]\n"
             "       coppice list --docs\n"
             "       coppice list experiments|metrics [WORD] [--json]",
    .help = "name what can be simulated: one line and the source of each, and all options\n"
            "\n"
            "Without a family: the families. With a family: its members. With a name too: that\n"
            "member's options with type, range, default and meaning.\n"
            "`experiments` are the studies that come with coppice, `metrics` what study files can "
            "ask of\n"
            "a run; with a WORD those that have it in their name, paper or text.\n"
            "\n"
            "Options\n"
            "  -j, --json  print JSON\n"
            "      --docs  print docs/CONFIG.md: every section, plug-in and option\n"
            "  -p, --plugin FILE  with the mechanisms of a shared object (docs/ADDING.md)\n"
            "  -h, --help  this text\n"
            "\n"
            "Examples\n"
            "  coppice list\n"
            "  coppice list topologies\n"
            "  coppice list cc pace\n"
            "  coppice list --docs > docs/CONFIG.md\n",
    .run = list_run};
