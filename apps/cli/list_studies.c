/* `coppice list metrics` and `coppice list experiments`: what study files can ask, and which there
 * are. */
#include "list_studies.h"

#include "base/text.h"
#include "cli.h"
#include "studies.h"
#include "study/eval.h"

#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>

static int print_list(json_t *list)
{
    json_dumpf(list, stdout, JSON_INDENT(2)); /* main() reports what could not be written */
    putchar('\n');
    json_decref(list);
    return COP_EXIT_OK;
}

int cop_list_metrics(bool json)
{
    cop_arena arena = {0};
    cop_metric_info *m;
    size_t n = cop_eval_metrics(&arena, &m);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", m[i].name, "args",
                                              m[i].args, "met", m[i].met, "help", m[i].help));
        if (!json) {
            const char *call = cop_arena_printf(&arena, "r:%s(%s)", m[i].name, m[i].args);
            printf("%-48s %-7s %s\n", call, m[i].met, m[i].help);
        }
    }
    cop_arena_free(&arena);
    if (json)
        return print_list(list);
    json_decref(list);
    puts("\nr is a run of a study; docs/EXPERIMENTS.md explains expressions.");
    return COP_EXIT_OK;
}

static void list_one(cop_study *s, json_t *list, bool json)
{
    cop_arena *arena = &s->arena;
    json_t *checks = json_array();
    for (size_t i = 0; i < s->n_checks; i++)
        json_array_append_new(checks, json_string(s->check[i].id));
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", s->name, "paper", s->paper,
                                    "title", s->title, "file", s->file, "checks", checks));
    if (!json)
        printf("%-26s %-6s %3zu checks\n    %s\n", cop_plain_copy(arena, s->name),
               cop_plain_copy(arena, s->paper), s->n_checks, cop_plain_copy(arena, s->title));
}

int cop_list_experiments(bool json)
{
    char pattern[PATH_MAX + 16], found[PATH_MAX];
    cop_err err = {0};
    glob_t files = {0};
    json_t *list = json_array();
    cop_ledger l;
    if (cop_ledger_load(&l, cop_find_data("claims", found, sizeof(found)), &err) != 0) {
        json_decref(list);
        return cop_cli_faults(&err);
    }
    snprintf(pattern, sizeof(pattern), "%s/*.yaml",
             cop_find_data("experiments", found, sizeof(found)));
    (void)glob(pattern, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        cop_study s;
        if (cop_study_load(&s, files.gl_pathv[i], "quick", &l, &err) != 0)
            continue;
        list_one(&s, list, json);
        cop_study_free(&s);
    }
    globfree(&files);
    cop_ledger_free(&l);
    if (err.faults > 0) {
        json_decref(list);
        return cop_cli_faults(&err);
    }
    if (json)
        return print_list(list);
    json_decref(list);
    return COP_EXIT_OK;
}
