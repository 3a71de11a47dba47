/* `coppice list metrics` and `coppice list experiments`: what study files can ask, and which there
 * are. */
#include "list_studies.h"

#include "base/opt.h"
#include "base/text.h"
#include "cli.h"
#include "find_claims.h"
#include "studies.h"
#include "study/eval.h"
#include "wrap.h"

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

static bool has(const char *text, const char *word)
{
    return word == NULL || (text != NULL && strcasestr(text, word) != NULL);
}

static int nothing_has(const char *word, const char *list)
{
    char shown[48];
    cop_excerpt(word, shown, sizeof(shown));
    fprintf(stderr, "coppice list: none of the %s has `%s`; `coppice list %s` names all\n", list,
            shown, list);
    return COP_EXIT_INPUT;
}

int cop_list_metrics(const char *word, bool json)
{
    cop_arena arena = {0};
    cop_metric_info *m;
    size_t n = cop_eval_metrics(&arena, &m);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        if (!has(m[i].name, word) && !has(m[i].help, word))
            continue;
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", m[i].name, "args",
                                              m[i].args, "met", m[i].met, "help", m[i].help));
        if (!json) {
            const char *call = cop_arena_printf(&arena, "r:%s(%s)", m[i].name, m[i].args);
            printf("%-48s %s\n", call, m[i].met);
            cop_wrap_item(stdout, "", 4, m[i].help);
        }
    }
    cop_arena_free(&arena);
    bool none = json_array_size(list) == 0;
    if (json && !none)
        return print_list(list);
    json_decref(list);
    if (none)
        return nothing_has(word, "metrics");
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
    if (json)
        return;
    printf("%-26s %-6s %3zu check%s\n", cop_plain_copy(arena, s->name),
           cop_plain_copy(arena, s->paper), s->n_checks, s->n_checks == 1 ? "" : "s");
    cop_wrap_item(stdout, "", 4, cop_plain_copy(arena, s->title));
}

/* The word itself, or what people call it (find_claims.h). */
static bool wanted(const cop_study *s, const char *word, const char *const *found_by, size_t n)
{
    bool yes =
        has(s->name, word) || has(s->paper, word) || has(s->title, word) || has(s->about, word);
    for (size_t i = 0; i < n && !yes; i++)
        yes = strcmp(s->name, found_by[i]) == 0;
    return yes;
}

int cop_list_experiments(const char *word, bool json)
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
    const char *found_by[64];
    size_t n_found = word ? cop_find_experiments(&l, word, found_by, COP_LEN(found_by)) : 0;
    snprintf(pattern, sizeof(pattern), "%s/*.yaml",
             cop_find_data("experiments", found, sizeof(found)));
    (void)glob(pattern, 0, NULL, &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        cop_study s;
        if (cop_study_load(&s, files.gl_pathv[i], "quick", &l, &err) != 0)
            continue;
        if (wanted(&s, word, found_by, n_found))
            list_one(&s, list, json);
        cop_study_free(&s);
    }
    globfree(&files);
    cop_ledger_free(&l);
    if (err.faults > 0) {
        json_decref(list);
        return cop_cli_faults(&err);
    }
    bool none = json_array_size(list) == 0;
    if (json && !none)
        return print_list(list);
    json_decref(list);
    return none && word != NULL ? nothing_has(word, "experiments") : COP_EXIT_OK;
}
