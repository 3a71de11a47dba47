/* The part of a study file that says what to make of the runs: checks and figures.
 *
 * Bands of published values come from the ledger and cannot be given again here, so that no
 * experiment can widen one. Relations that the ledger states in words get their bands here, by a
 * rule of the ledger (sign, trend, inner maximum) or as explicit bounds. */
#include "base/opt.h"
#include "base/rng.h"
#include "study/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The ledger's words for relations, as bounds on what the functions of metrics/ return. */
static const struct {
    const char *name;
    enum cop_rule rule;
    double low;
} rules[] = {
    {"sign", COP_RULE_SIGN, 0.02}, /* above(a, b) */
    {"trend", COP_RULE_BAND, 0.7}, /* trend(xs, ys) */
    {"inner maximum", COP_RULE_BAND, 0.05}, /* inner_maximum(ys) */
    {"shown", COP_RULE_SHOWN, -INFINITY},
};

static void read_rule(cop_study_reader *r, int node, cop_item *it)
{
    const char *text = cop_doc_text(&r->doc, node);
    for (size_t i = 0; text != NULL && i < COP_LEN(rules); i++)
        if (strcmp(text, rules[i].name) == 0) {
            it->rule = rules[i].rule;
            it->low = rules[i].low;
            it->high = INFINITY;
            return;
        }
    cop_study_fault(r, node, "unknown rule; write sign, trend, inner maximum or shown");
}

/* Bounds given in the study itself. */
static bool read_own_band(cop_study_reader *r, int map, cop_item *it)
{
    int rule = cop_doc_get(&r->doc, map, "rule"), value = cop_doc_get(&r->doc, map, "value");
    int bounds = cop_doc_get(&r->doc, map, "min") || cop_doc_get(&r->doc, map, "max");
    if ((rule != 0) + (value != 0) + (bounds != 0) > 1 ||
        (value == 0 && cop_doc_get(&r->doc, map, "tolerance")))
        cop_study_fault(r, map,
                        "give one: `rule`, `value` with `tolerance`, or `min` and `max`; not more");
    it->value = cop_study_real(r, map, "value");
    it->low = cop_study_real(r, map, "min");
    it->high = cop_study_real(r, map, "max");
    if (rule) {
        read_rule(r, rule, it);
        return true;
    }
    if (!isnan(it->value)) {
        const char *t = cop_study_text(r, map, "tolerance", "exact");
        if (cop_band_around(it->value, t, &it->low, &it->high) != 0)
            cop_study_fault(r, map, "tolerance `%s` is none; write `5 %%`, 0.2 or exact", t);
        return true;
    }
    bool any = !isnan(it->low) || !isnan(it->high);
    it->low = isnan(it->low) ? -INFINITY : it->low;
    it->high = isnan(it->high) ? INFINITY : it->high;
    if (it->low > it->high)
        cop_study_fault(r, map, "`min` is above `max`");
    return any;
}

static void read_item(cop_study_reader *r, cop_check *c, const char *what, int node)
{
    static const char *const keys[] = {"of", "value", "tolerance", "min", "max", "rule"};
    cop_item *it = &c->item[c->n_items++];
    bool map = cop_doc_type(&r->doc, node) == COP_NODE_MAP;
    *it = (cop_item){.what = what, .own = c->claim == NULL};
    if (map && !cop_study_keys(r, node, "a measured value", keys, COP_LEN(keys)))
        return;
    int of = map ? cop_doc_get(&r->doc, node, "of") : node;
    it->of = cop_study_expr(r, of ? of : node);
    bool own = map && read_own_band(r, node, it);
    it->own |= own && it->rule == COP_RULE_BAND;
    const cop_band *b = c->claim ? cop_claim_band(c->claim, what) : NULL;
    bool named = b != NULL && b->name[0] != '\0';
    if (own && named)
        cop_study_fault(r, node, "the ledger gives the value of `%s`; leave the bounds out", what);
    if (c->claim && c->claim->shown) {
        if (own && it->rule != COP_RULE_SHOWN)
            cop_study_fault(r, node, "the ledger says that `%s` is shown; leave the bounds out",
                            c->id);
        *it = (cop_item){.what = what,
                         .of = it->of,
                         .rule = COP_RULE_SHOWN,
                         .value = NAN,
                         .low = -INFINITY,
                         .high = INFINITY};
        return;
    }
    if (own)
        return;
    if (b == NULL) {
        cop_study_fault(r, node, "nothing says what `%s` must be; write min, max, value or rule",
                        what);
        return;
    }
    it->value = b->value;
    it->low = b->low;
    it->high = b->high;
}

/* Every number that the ledger expects must be measured. */
static void check_complete(cop_study_reader *r, const cop_check *c, int node)
{
    for (size_t i = 0; c->claim && i < c->claim->n_bands; i++) {
        const cop_band *b = &c->claim->band[i];
        bool found = false;
        for (size_t k = 0; k < c->n_items; k++) {
            const cop_item *it = &c->item[k];
            bool same = it->low == b->low && it->high == b->high;
            found |= b->name[0] == '\0' ? same : strcmp(it->what, b->name) == 0;
        }
        if (!found)
            cop_study_fault(r, node, "check %s does not measure %s%s; the ledger expects it", c->id,
                            b->name[0] ? b->name : "its value", "");
    }
}

static void read_items(cop_study_reader *r, cop_check *c, int of)
{
    bool several = cop_doc_type(&r->doc, of) == COP_NODE_MAP && !cop_doc_get(&r->doc, of, "of");
    size_t n = several ? cop_doc_count(&r->doc, of) : 1;
    c->item = COP_NEW_ARRAY(&r->s->arena, cop_item, n + 1);
    if (!several) {
        read_item(r, c, "", of);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, of, i, &key, &value);
        const char *name = cop_doc_text(&r->doc, key);
        read_item(r, c, cop_arena_strdup(&r->s->arena, name ? name : ""), value);
    }
}

static void read_check(cop_study_reader *r, const char *id, int node, cop_check *c)
{
    static const char *const keys[] = {"of", "explain", "note", "metric", "scale", "average"};
    *c = (cop_check){.id = id,
                     .where = cop_study_where(r, node),
                     .metric = "",
                     .explain = "",
                     .note = "",
                     .average = r->s->average};
    c->claim = r->ledger ? cop_ledger_find(r->ledger, id, &c->paper) : NULL;
    if (r->ledger && c->claim == NULL && r->s->paper[0] != '\0') {
        cop_study_fault(r, node, "check `%s` is not in the ledger; see `coppice reproduce --list`",
                        id);
        return;
    }
    int of = node;
    if (cop_doc_type(&r->doc, node) == COP_NODE_MAP) {
        if (!cop_study_keys(r, node, "a check", keys, COP_LEN(keys)))
            return;
        c->metric = cop_study_text(r, node, "metric", "");
        if (cop_doc_get(&r->doc, node, "average"))
            c->average = cop_study_flag(r, node, "average");
        c->explain = cop_study_text(r, node, "explain", "");
        c->note = cop_study_text(r, node, "note", "");
        const char *scale = cop_study_text(r, node, "scale", "");
        c->full_only = strcmp(scale, "full") == 0;
        if (scale[0] && !c->full_only)
            cop_study_fault(r, node, "`scale` of a check is full, or left out");
        of = cop_doc_get(&r->doc, node, "of");
    }
    if (of == 0) {
        cop_study_fault(r, node, "check `%s` measures nothing; write `of: expression`", id);
        return;
    }
    read_items(r, c, of);
    check_complete(r, c, node);
}

void cop_study_read_checks(cop_study_reader *r, int map)
{
    cop_study *s = r->s;
    size_t n =
        cop_study_count(r, map, COP_NODE_MAP, "`checks` is not a map; write `id: expression`");
    s->check = COP_NEW_ARRAY(&s->arena, cop_check, n);
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *id = cop_doc_text(&r->doc, key);
        for (size_t k = 0; id != NULL && k < s->n_checks; k++)
            if (strcmp(s->check[k].id, id) == 0)
                cop_study_fault(r, key, "check `%s` is there twice", id);
        read_check(r, cop_arena_strdup(&s->arena, id ? id : ""), value, &s->check[s->n_checks++]);
    }
}

/* -- figures -- */

static cop_label read_label(cop_study_reader *r, int fig, const char *key)
{
    static const char *const keys[] = {"label", "unit", "log", "min", "max"};
    cop_label l = {.label = "", .unit = "", .min = NAN, .max = NAN};
    int map = cop_doc_get(&r->doc, fig, key);
    if (map && cop_study_keys(r, map, "an axis of a figure", keys, COP_LEN(keys)))
        l = (cop_label){.label = cop_study_text(r, map, "label", ""),
                        .unit = cop_study_text(r, map, "unit", ""),
                        .log = cop_study_flag(r, map, "log"),
                        .min = cop_study_real(r, map, "min"),
                        .max = cop_study_real(r, map, "max")};
    return l;
}

static void read_curves(cop_study_reader *r, int fig, cop_figure *f)
{
    int list = cop_doc_get(&r->doc, fig, "series");
    static const char *const keys[] = {"name", "of", "for", "dash", "unit", "better", "log"};
    size_t n = list ? cop_doc_count(&r->doc, list) : 0;
    if (list == 0 || cop_doc_type(&r->doc, list) != COP_NODE_LIST) {
        cop_study_fault(r, list ? list : fig, "figure `%s` has no `series`; write a list", f->name);
        return;
    }
    f->curve = COP_NEW_ARRAY(&r->s->arena, cop_curve, n);
    for (size_t i = 0; i < n; i++) {
        int item = cop_doc_item(&r->doc, list, i);
        if (!cop_study_keys(r, item, "a series", keys, COP_LEN(keys)))
            continue;
        int over = cop_doc_get(&r->doc, item, "for"), of = cop_doc_get(&r->doc, item, "of");
        f->curve[f->n_curves++] =
            (cop_curve){.name = cop_study_text(r, item, "name", NULL),
                        .of = cop_study_expr(r, of ? of : item),
                        .over_series = over ? cop_study_text(r, item, "for", "") : NULL,
                        .dash = cop_study_flag(r, item, "dash"),
                        .unit = cop_study_text(r, item, "unit", ""),
                        .better = cop_study_text(r, item, "better", ""),
                        .log = cop_study_flag(r, item, "log")};
        const char *better = f->curve[f->n_curves - 1].better;
        if (better[0] && strcmp(better, "high") != 0 && strcmp(better, "low") != 0)
            cop_study_fault(r, item, "`better` is neither high nor low; leave it out if none is");
    }
}

/* What only a ranking has: tables, order, rows that belong together. */
static void read_ranking(cop_study_reader *r, int map, cop_figure *f)
{
    int tabs = cop_doc_get(&r->doc, map, "for"), groups = cop_doc_get(&r->doc, map, "groups");
    bool ranking = strcmp(f->kind, "ranking") == 0;
    f->tabs = tabs ? cop_study_text(r, map, "for", "") : NULL;
    f->rank = cop_study_text(r, map, "rank", "");
    if (!ranking && (tabs || groups || f->rank[0]))
        cop_study_fault(r, map, "only a figure of kind ranking has `for`, `rank` and `groups`");
    size_t n =
        cop_study_count(r, groups, COP_NODE_MAP, "`groups` is not a map; write `name: [rows]`");
    f->group = COP_NEW_ARRAY(&r->s->arena, cop_group, n + 1);
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, groups, i, &key, &value);
        cop_group *g = &f->group[f->n_groups++];
        g->name = cop_study_flow(r, key);
        g->row = cop_study_words(r, groups, g->name, &g->n_rows);
    }
}

static void read_points(cop_study_reader *r, int list, cop_mark_expected *e)
{
    size_t n = cop_doc_type(&r->doc, list) == COP_NODE_LIST ? cop_doc_count(&r->doc, list) : 0;
    if (list && n == 0)
        cop_study_fault(r, list, "`points` is not a list; write [[x, y], [x, y]]");
    e->points = (double(*)[2])cop_arena_array(&r->s->arena, n + 1, sizeof(*e->points));
    for (size_t i = 0; i < n; i++) {
        int pair = cop_doc_item(&r->doc, list, i);
        for (size_t k = 0; k < 2; k++) {
            bool two =
                cop_doc_type(&r->doc, pair) == COP_NODE_LIST && cop_doc_count(&r->doc, pair) == 2;
            int item = two ? cop_doc_item(&r->doc, pair, k) : 0;
            const char *text = item ? cop_doc_text(&r->doc, item) : NULL;
            if (text == NULL || cop_parse_real(text, &e->points[i][k], NULL) != 0)
                cop_study_fault(r, pair, "a point is not a pair of numbers; write [x, y]");
        }
    }
    e->n_points = n;
}

static cop_expr optional_expr(cop_study_reader *r, int map, const char *key)
{
    int node = cop_doc_get(&r->doc, map, key);
    return node ? cop_study_expr(r, node) : (cop_expr){0};
}

/* Value and bounds of a named check, or given here. */
static void read_expected(cop_study_reader *r, int map, cop_mark_expected *e)
{
    static const char *const keys[] = {"name", "check", "item",   "category",  "from", "to",
                                       "min",  "max",   "points", "tolerance", "value"};
    if (!cop_study_keys(r, map, "an expectation", keys, COP_LEN(keys)))
        return;
    *e = (cop_mark_expected){.name = cop_study_text(r, map, "name", "paper"),
                             .category = cop_study_text(r, map, "category", ""),
                             .from = optional_expr(r, map, "from"),
                             .to = optional_expr(r, map, "to"),
                             .value = cop_study_real(r, map, "value"),
                             .low = cop_study_real(r, map, "min"),
                             .high = cop_study_real(r, map, "max")};
    const char *id = cop_study_text(r, map, "check", "");
    const char *tolerance = cop_study_text(r, map, "tolerance", "");
    const cop_claim *c = id[0] && r->ledger ? cop_ledger_find(r->ledger, id, NULL) : NULL;
    const cop_band *b = c ? cop_claim_band(c, cop_study_text(r, map, "item", "")) : NULL;
    if (id[0] && r->ledger && b == NULL)
        cop_study_fault(r, map, "check `%s` gives no such value to draw", id);
    if (b != NULL) {
        e->value = b->value;
        e->low = isfinite(b->low) ? b->low : NAN;
        e->high = isfinite(b->high) ? b->high : NAN;
    } else if (!isnan(e->value) && tolerance[0]) {
        if (cop_band_around(e->value, tolerance, &e->low, &e->high) != 0)
            cop_study_fault(r, map, "tolerance `%s` is none; write `5 %%`, 0.2 or exact",
                            tolerance);
    }
    read_points(r, cop_doc_get(&r->doc, map, "points"), e);
    if (e->n_points && tolerance[0] && cop_parse_share(tolerance, &e->tolerance, NULL) != 0)
        cop_study_fault(r, map, "`tolerance` of points is not a share; write `5 %%`");
}

static void read_over(cop_study_reader *r, int fig, cop_figure *f)
{
    int node = cop_doc_get(&r->doc, fig, "over");
    if (node == 0)
        return;
    if (cop_doc_type(&r->doc, node) == COP_NODE_SCALAR) {
        f->over[0] = cop_study_text(r, fig, "over", "");
        return;
    }
    size_t n;
    const char **names = cop_study_words(r, fig, "over", &n);
    for (size_t i = 0; i < n && i < 2; i++)
        f->over[i] = names[i];
}

static void read_figure(cop_study_reader *r, int map, cop_figure *f)
{
    static const char *const keys[] = {
        "name",    "title",  "kind",   "note",  "x",        "y",   "z",    "over",  "categories",
        "columns", "checks", "series", "stack", "expected", "for", "rank", "groups"};
    static const char *const kinds[] = {"line",    "time",  "bar",    "heatmap",
                                        "network", "table", "ranking"};
    if (!cop_study_keys(r, map, "a figure", keys, COP_LEN(keys)))
        return;
    f->where = cop_study_where(r, map);
    f->name = cop_study_text(r, map, "name", NULL);
    f->title = cop_study_text(r, map, "title", f->name);
    f->kind = cop_study_text(r, map, "kind", NULL);
    f->note = cop_study_text(r, map, "note", "");
    f->stack = cop_study_flag(r, map, "stack");
    bool known = false;
    for (size_t i = 0; i < COP_LEN(kinds); i++)
        known |= strcmp(f->kind, kinds[i]) == 0;
    if (!known)
        cop_study_fault(r, map,
                        "unknown kind of figure `%s`; line, time, bar, heatmap, network, table "
                        "or ranking",
                        f->kind);
    f->x = read_label(r, map, "x");
    f->y = read_label(r, map, "y");
    f->z = read_label(r, map, "z");
    read_over(r, map, f);
    read_ranking(r, map, f);
    f->category = cop_study_words(r, map, "categories", &f->n_categories);
    f->column = cop_study_words(r, map, "columns", &f->n_columns);
    f->check = cop_study_words(r, map, "checks", &f->n_checks);
    read_curves(r, map, f);
    int list = cop_doc_get(&r->doc, map, "expected");
    size_t n = cop_doc_type(&r->doc, list) == COP_NODE_LIST ? cop_doc_count(&r->doc, list) : 0;
    if (list && n == 0)
        cop_study_fault(r, list, "`expected` is not a list; begin each with `- {name: ...}`");
    f->expected = COP_NEW_ARRAY(&r->s->arena, cop_mark_expected, n);
    for (size_t i = 0; i < n; i++)
        read_expected(r, cop_doc_item(&r->doc, list, i), &f->expected[f->n_expected++]);
}

void cop_study_read_figures(cop_study_reader *r, int list)
{
    cop_study *s = r->s;
    size_t n = cop_study_count(r, list, COP_NODE_LIST,
                               "`figures` is not a list; begin each with `- name: ...`");
    s->figure = COP_NEW_ARRAY(&s->arena, cop_figure, n);
    for (size_t i = 0; i < n; i++)
        read_figure(r, cop_doc_item(&r->doc, list, i), &s->figure[s->n_figures++]);
}
