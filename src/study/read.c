/* A study file into a cop_study.
 *
 * In:  YAML, the scale, the ledger. Out: the structs of study.h, or every fault with its place.
 * Files are small, so all is copied into the study's arena and the document forgotten. */
#include "study/read.h"

#include "base/opt.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SEEDS 1000
#define MAX_ENTRIES 10000 /* of a list or map: names are compared with one another */

int cop_study_fault(cop_study_reader *r, int node, const char *fmt, ...)
{
    char where[512], what[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    (void)cop_plain(what);
    cop_where w = cop_doc_where(&r->doc, node, &r->s->arena);
    r->faults++;
    return cop_err_add(r->err, COP_E_INPUT, "%s: %s", cop_where_text(&w, where, sizeof(where)),
                       what);
}

const char *cop_study_where(cop_study_reader *r, int node)
{
    char where[512];
    cop_where w = cop_doc_where(&r->doc, node, &r->s->arena);
    return cop_arena_strdup(&r->s->arena, cop_where_text(&w, where, sizeof(where)));
}

bool cop_study_keys(cop_study_reader *r, int map, const char *what, const char *const *names,
                    size_t n)
{
    unsigned before = r->faults;
    if (cop_doc_type(&r->doc, map) != COP_NODE_MAP) {
        cop_study_fault(r, map, "%s is not a map; write `key: value` pairs", what);
        return false;
    }
    for (size_t i = 0; i < cop_doc_count(&r->doc, map); i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *name = cop_doc_text(&r->doc, key);
        bool known = false;
        for (size_t k = 0; name != NULL && k < n; k++)
            known |= strcmp(name, names[k]) == 0;
        if (known)
            continue;
        const char *near = name ? cop_nearest(name, names, n) : NULL;
        cop_study_fault(r, key, "unknown key `%s` of %s; %s%s%s", name ? name : "?", what,
                        near ? "did you mean `" : "the first is `", near ? near : names[0], "`?");
    }
    return r->faults == before;
}

const char *cop_study_text(cop_study_reader *r, int map, const char *key, const char *or_else)
{
    int node = cop_doc_get(&r->doc, map, key);
    const char *text = node ? cop_doc_text(&r->doc, node) : NULL;
    if (node && text == NULL)
        cop_study_fault(r, node, "`%s` is not a single value; write one line of text", key);
    if (node == 0 && or_else == NULL)
        cop_study_fault(r, map, "`%s` is missing; write `%s: ...`", key, key);
    return cop_arena_strdup(&r->s->arena, text ? text : or_else ? or_else : "");
}

double cop_study_real(cop_study_reader *r, int map, const char *key)
{
    double v = NAN;
    int node = cop_doc_get(&r->doc, map, key);
    if (node && cop_parse_real(cop_doc_text(&r->doc, node) ? cop_doc_text(&r->doc, node) : "", &v,
                               NULL) != 0)
        cop_study_fault(r, node, "`%s` is not a number; write one such as 6.5", key);
    return v;
}

bool cop_study_flag(cop_study_reader *r, int map, const char *key)
{
    const char *text = cop_study_text(r, map, key, "false");
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        cop_study_fault(r, cop_doc_get(&r->doc, map, key), "`%s` is neither true nor false", key);
    return strcmp(text, "true") == 0;
}

cop_expr cop_study_expr(cop_study_reader *r, int node)
{
    const char *text = cop_doc_text(&r->doc, node);
    if (text == NULL || text[0] == '\0') {
        cop_study_fault(r, node,
                        "no expression; write Lua, such as \"on:mean('F1', '1 ms', '2 ms')\"");
        text = "0";
    }
    return (cop_expr){.text = cop_arena_strdup(&r->s->arena, text),
                      .where = cop_study_where(r, node)};
}

size_t cop_study_count(cop_study_reader *r, int node, enum cop_node type, const char *form)
{
    if (node == 0 || cop_doc_type(&r->doc, node) == type)
        return node ? cop_doc_count(&r->doc, node) : 0;
    cop_study_fault(r, node, "%s", form);
    return 0;
}

const char **cop_study_words(cop_study_reader *r, int map, const char *key, size_t *n)
{
    int list = cop_doc_get(&r->doc, map, key);
    *n = 0;
    if (list == 0)
        return NULL;
    if (cop_doc_type(&r->doc, list) != COP_NODE_LIST) {
        cop_study_fault(r, list, "`%s` is not a list; write [a, b]", key);
        return NULL;
    }
    const char **words = COP_NEW_ARRAY(&r->s->arena, const char *, cop_doc_count(&r->doc, list));
    for (size_t i = 0; i < cop_doc_count(&r->doc, list); i++) {
        int item = cop_doc_item(&r->doc, list, i);
        const char *text = cop_doc_text(&r->doc, item);
        if (text == NULL)
            cop_study_fault(r, item, "an item of `%s` is not a single value", key);
        words[(*n)++] = cop_arena_strdup(&r->s->arena, text ? text : "");
    }
    return words;
}

/* Blocks and `let` values are names in expressions. */
static void check_name(cop_study_reader *r, int node, const char *name)
{
    static const char *const taken[] = {
        "and",  "break", "do",    "else",  "elseif", "end", "false", "for",    "function",
        "goto", "if",    "in",    "local", "nil",    "not", "or",    "repeat", "return",
        "then", "true",  "until", "while", "x",      "y",   "s"};
    bool good = name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9');
    for (const char *c = name; *c; c++)
        good &= (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                *c == '_';
    if (!good)
        cop_study_fault(r, node,
                        "`%s` cannot be a name in expressions; use letters, digits and _, not a "
                        "digit first",
                        name);
    for (size_t i = 0; i < COP_LEN(taken); i++)
        if (strcmp(name, taken[i]) == 0)
            cop_study_fault(r, node, "`%s` already means something in expressions; choose another",
                            name);
}

static void read_block(cop_study_reader *r, int node, int vary, cop_block *b)
{
    static const char *const keys[] = {"name", "set", "vary", "leave_out", "scale"};
    int gaps = cop_doc_get(&r->doc, cop_doc_root(&r->doc), "leave_out");
    b->axis = COP_NEW_ARRAY(&r->s->arena, cop_axis, COP_STUDY_MAX_AXES);
    b->where = cop_study_where(r, node);
    b->name = "";
    cop_study_read_axes(r, vary, b);
    if (node == cop_doc_root(&r->doc)) {
        b->name = "all";
        cop_study_read_gaps(r, gaps, b);
        return;
    }
    if (!cop_study_keys(r, node, "a block of runs", keys, COP_LEN(keys)))
        return;
    b->name = cop_study_text(r, node, "name", NULL);
    check_name(r, node, b->name);
    b->set = cop_study_read_set(r, cop_doc_get(&r->doc, node, "set"), &b->n_set);
    cop_study_read_axes(r, cop_doc_get(&r->doc, node, "vary"), b);
    cop_study_read_gaps(r, gaps, b);
    cop_study_read_gaps(r, cop_doc_get(&r->doc, node, "leave_out"), b);
}

static void read_blocks(cop_study_reader *r, int root)
{
    cop_study *s = r->s;
    int list = cop_doc_get(&r->doc, root, "runs"), vary = cop_doc_get(&r->doc, root, "vary");
    size_t n = cop_study_count(r, list, COP_NODE_LIST,
                               "`runs` is not a list; begin each block with `- name: ...`");
    s->block = COP_NEW_ARRAY(&s->arena, cop_block, n + 1);
    s->absent = COP_NEW_ARRAY(&s->arena, cop_block, n + 1);
    if (list == 0) {
        s->n_blocks = 1;
        read_block(r, root, vary, &s->block[0]);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int item = cop_doc_item(&r->doc, list, i);
        int scale = cop_doc_get(&r->doc, item, "scale");
        const char *only = scale ? cop_study_text(r, item, "scale", "") : s->scale;
        if (strcmp(only, "quick") != 0 && strcmp(only, "full") != 0)
            cop_study_fault(r, scale, "`scale` is neither quick nor full");
        if (strcmp(only, s->scale) != 0) {
            read_block(r, item, vary, &s->absent[s->n_absent++]);
            continue;
        }
        read_block(r, item, vary, &s->block[s->n_blocks]);
        for (size_t k = 0; k < s->n_blocks; k++)
            if (s->block[k].name[0] && strcmp(s->block[k].name, s->block[s->n_blocks].name) == 0)
                cop_study_fault(r, item, "two blocks are called `%s`; names are unique",
                                s->block[k].name);
        s->n_blocks++;
    }
}

static int64_t count_seeds(cop_study_reader *r, int node)
{
    int64_t n = 1;
    enum cop_node type = cop_doc_type(&r->doc, node);
    const char *text = cop_doc_text(&r->doc, node);
    bool good =
        node == 0 || type == COP_NODE_LIST || (text != NULL && cop_parse_int(text, &n, NULL) == 0);
    if (type == COP_NODE_LIST)
        n = (int64_t)cop_doc_count(&r->doc, node);
    if (good && n >= 1 && n <= MAX_SEEDS)
        return n;
    cop_study_fault(r, node, "`seeds` is not a number of seeds; write 1 to %d, or a list",
                    MAX_SEEDS);
    return 1;
}

static void read_seeds(cop_study_reader *r, int node)
{
    cop_study *s = r->s;
    bool list = cop_doc_type(&r->doc, node) == COP_NODE_LIST;
    size_t n = (size_t)count_seeds(r, node);
    s->n_seeds = n;
    s->seed = COP_NEW_ARRAY(&s->arena, int64_t, n);
    for (size_t i = 0; i < n; i++) {
        s->seed[i] = (int64_t)i + 1;
        if (!list || i >= cop_doc_count(&r->doc, node))
            continue;
        int item = cop_doc_item(&r->doc, node, i);
        const char *text = cop_doc_text(&r->doc, item);
        if (text == NULL || cop_parse_int(text, &s->seed[i], NULL) != 0)
            cop_study_fault(r, item, "a seed is not a whole number");
        /* A seed given twice would make the interval too narrow. */
        for (size_t k = 0; k < i; k++)
            if (s->seed[k] == s->seed[i])
                cop_study_fault(r, item, "seed %" PRId64 " is there twice", s->seed[i]);
    }
}

static void read_choices(cop_study_reader *r, int list)
{
    static const char *const keys[] = {"what", "why"};
    cop_study *s = r->s;
    size_t n = cop_study_count(r, list, COP_NODE_LIST,
                               "`choices` is not a list; begin each with `- what: ...`");
    s->choice = COP_NEW_ARRAY(&s->arena, cop_choice, n);
    for (size_t i = 0; i < n; i++) {
        int item = cop_doc_item(&r->doc, list, i);
        if (cop_study_keys(r, item, "a choice", keys, COP_LEN(keys)))
            s->choice[s->n_choices++] = (cop_choice){.what = cop_study_text(r, item, "what", NULL),
                                                     .why = cop_study_text(r, item, "why", NULL)};
    }
}

/* Values of the file, then those of the scale, which may replace them by name. */
static void read_lets(cop_study_reader *r, int map)
{
    cop_study *s = r->s;
    size_t n =
        cop_study_count(r, map, COP_NODE_MAP, "`let` is not a map; write `name: expression`");
    cop_let *all = COP_NEW_ARRAY(&s->arena, cop_let, s->n_lets + n);
    for (size_t i = 0; i < s->n_lets; i++)
        all[i] = s->let[i];
    s->let = all;
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *name = cop_study_flow(r, key);
        check_name(r, key, name);
        size_t at = 0;
        while (at < s->n_lets && strcmp(all[at].name, name) != 0)
            at++;
        all[at] = (cop_let){.name = name, .of = cop_study_expr(r, value)};
        s->n_lets += at == s->n_lets;
    }
}

static void append_set(cop_study *s, const char **more, size_t n)
{
    const char **all = COP_NEW_ARRAY(&s->arena, const char *, s->n_set + n);
    for (size_t i = 0; i < s->n_set + n; i++)
        all[i] = i < s->n_set ? s->set[i] : more[i - s->n_set];
    s->set = all;
    s->n_set += n;
}

/* Results are stored in a file of this name. */
static void check_file_name(cop_study_reader *r, int node, const char *name)
{
    if (node && (name[0] == '\0' || name[0] == '.' || name[0] == '-' || strlen(name) > 100 ||
                 strpbrk(name, "/\\ \t\n") != NULL))
        cop_study_fault(r, node, "`%s` cannot be the name of a file; use letters, digits, - and .",
                        name);
}

/* A name in expressions has one meaning. */
static void check_lets(cop_study_reader *r, int root)
{
    cop_study *s = r->s;
    for (size_t i = 0; i < s->n_lets; i++)
        for (size_t k = 0; k < s->n_blocks; k++)
            if (strcmp(s->let[i].name, s->block[k].name) == 0)
                cop_study_fault(r, root, "`%s` is a block of runs and a `let` value",
                                s->let[i].name);
}

static bool check_counts(cop_study_reader *r)
{
    for (int node = 1; node <= r->doc.n_file_nodes; node++)
        if (cop_doc_count(&r->doc, node) > MAX_ENTRIES) {
            cop_study_fault(r, node, "more than %d entries; make several studies of it",
                            MAX_ENTRIES);
            return false;
        }
    return true;
}

/* The first section of what is a run file and nothing of a study; 0: there is none. */
static int run_file_part(cop_study_reader *r, int root)
{
    static const char *const parts[] = {"topology", "run", "traffic"}, *const of_studies[] = {
                                                                           "experiment", "paper",
                                                                           "choices",    "set",
                                                                           "seeds",      "vary",
                                                                           "runs",       "let",
                                                                           "checks",     "figures"};
    for (size_t i = 0; i < COP_LEN(of_studies); i++)
        if (cop_doc_get(&r->doc, root, of_studies[i]))
            return 0;
    for (size_t i = 0; i < COP_LEN(parts); i++) {
        int node = cop_doc_get(&r->doc, root, parts[i]);
        bool as_in_runs = node && (i >= 2 || cop_doc_type(&r->doc, node) == COP_NODE_MAP);
        if (as_in_runs)
            return node;
    }
    return 0;
}

static void read_root(cop_study_reader *r, int root)
{
    static const char *const keys[] = {"experiment", "title",  "paper",   "about", "choices",
                                       "base",       "set",    "seeds",   "vary",  "runs",
                                       "let",        "checks", "figures", "quick", "full",
                                       "leave_out",  "average"};
    static const char *const scale_keys[] = {"set", "seeds", "let"};
    cop_study *s = r->s;
    int run = run_file_part(r, root);
    if (run != 0) {
        cop_study_fault(
            r, run, "this is a run file: `coppice run` takes it, and a study names it as `base`");
        return;
    }
    if (!cop_study_keys(r, root, "a study", keys, COP_LEN(keys)))
        return;
    s->name = cop_study_text(r, root, "experiment", NULL);
    check_file_name(r, cop_doc_get(&r->doc, root, "experiment"), s->name);
    s->title = cop_study_text(r, root, "title", s->name);
    s->paper = cop_study_text(r, root, "paper", "");
    s->about = cop_study_text(r, root, "about", "");
    s->base = cop_study_beside(s, cop_study_text(r, root, "base", NULL));
    int base = cop_doc_get(&r->doc, root, "base");
    struct stat st;
    /* Refuse devices and pipes: they may have no end, and can be read only once. */
    if (base && (access(s->base, R_OK) != 0 || stat(s->base, &st) != 0 || !S_ISREG(st.st_mode)))
        cop_study_fault(r, base, "%s cannot be read; `base` names a run file beside the study",
                        s->base);
    s->set = cop_study_read_set(r, cop_doc_get(&r->doc, root, "set"), &s->n_set);
    read_choices(r, cop_doc_get(&r->doc, root, "choices"));
    read_lets(r, cop_doc_get(&r->doc, root, "let"));
    int seeds = cop_doc_get(&r->doc, root, "seeds"), scale = cop_doc_get(&r->doc, root, s->scale);
    if (scale && cop_study_keys(r, scale, s->scale, scale_keys, COP_LEN(scale_keys))) {
        size_t n;
        const char **more = cop_study_read_set(r, cop_doc_get(&r->doc, scale, "set"), &n);
        append_set(s, more, n);
        read_lets(r, cop_doc_get(&r->doc, scale, "let"));
        if (cop_doc_get(&r->doc, scale, "seeds"))
            seeds = cop_doc_get(&r->doc, scale, "seeds");
    }
    read_seeds(r, seeds);
    s->average = cop_study_flag(r, root, "average");
    read_blocks(r, root);
    check_lets(r, cop_doc_get(&r->doc, root, "let"));
    cop_study_read_checks(r, cop_doc_get(&r->doc, root, "checks"));
    cop_study_read_figures(r, cop_doc_get(&r->doc, root, "figures"));
}

int cop_study_load(cop_study *s, const char *file, const char *scale, const cop_ledger *ledger,
                   cop_err *err)
{
    cop_err own = {0};
    *s = (cop_study){0};
    s->file = cop_arena_strdup(&s->arena, file);
    s->scale = scale;
    cop_study_reader r = {.s = s, .ledger = ledger, .err = err ? err : &own};
    int rc = cop_doc_load(&r.doc, s->file, NULL, r.err);
    if (rc == 0) {
        if (check_counts(&r))
            cop_study_check_once(&r);
        if (r.faults == 0)
            read_root(&r, cop_doc_root(&r.doc));
        cop_doc_free(&r.doc);
        rc = r.faults ? -COP_E_INPUT : 0;
    }
    if (rc == 0)
        rc = cop_study_fingerprint(s, r.err);
    if (rc != 0)
        cop_study_free(s);
    return rc;
}

void cop_study_free(cop_study *s)
{
    cop_arena_free(&s->arena);
    *s = (cop_study){0};
}
