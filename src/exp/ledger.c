/* Reading the ledger. Every entry is checked: known keys, unique ids that carry the paper's key, a
 * kind, an expectation of a known form, a tolerance. What is wrong is said with file and line. */
#include "exp/ledger.h"

#include "base/opt.h"
#include "exp/config_doc.h"

#include <math.h>
#include <string.h>

#define MAX_RENDERED 200 /* items of a list; each step copies those before it */

static const char *const paper_keys[] = {"gran0", "gran1", "gran2", "gran3", "gran4",
                                         "gran5", "gran6", "fern",  "qcn",   "pfis"};
static const char *const kind_names[] = {"printed", "derived", "order", "shape"};
static const char *const state_names[] = {"pass", "fail", "not-run", "recorded"};
static const char *const claim_keys[] = {"id",    "where",    "setup",     "experiment", "metric",
                                         "kind",  "expected", "tolerance", "needs",      "note",
                                         "bound", "subject",  "unit"};
static const char *const expected_keys[] = {"value", "values", "min", "max", "relation", "record"};

typedef struct reader {
    cop_ledger *l;
    cop_doc *doc;
    cop_err *err;
    const char *key; /* of the paper */
} reader;

static int fault(reader *r, int node, const char *what, const char *right)
{
    char where[512];
    cop_where w = cop_doc_where(r->doc, node, &r->l->arena);
    return cop_err_add(r->err, COP_E_INPUT, "%s: %s; %s", cop_where_text(&w, where, sizeof(where)),
                       what, right);
}

/* A node as one line of YAML, for people. */
static const char *render(reader *r, int node)
{
    cop_arena *a = &r->l->arena;
    enum cop_node type = cop_doc_type(r->doc, node);
    if (type == COP_NODE_SCALAR)
        return cop_arena_strdup(a, cop_doc_text(r->doc, node) ? cop_doc_text(r->doc, node) : "");
    const char *text = "";
    for (size_t i = 0; i < cop_doc_count(r->doc, node); i++) {
        const char *comma = i ? ", " : "";
        int key = 0, value = 0;
        if (i == MAX_RENDERED)
            return cop_arena_printf(a, "%s, ...", text);
        if (type == COP_NODE_MAP) {
            cop_doc_pair(r->doc, node, i, &key, &value);
            text = cop_arena_printf(a, "%s%s%s %s", text, comma, render(r, key), render(r, value));
        } else {
            text = cop_arena_printf(a, "%s%s%s", text, comma,
                                    render(r, cop_doc_item(r->doc, node, i)));
        }
    }
    return text;
}

static bool known(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name != NULL && strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int check_keys(reader *r, int map, const char *const *names, size_t n)
{
    int rc = 0;
    if (cop_doc_type(r->doc, map) != COP_NODE_MAP)
        return fault(r, map, "not a map", "write `key: value` pairs");
    for (size_t i = 0; i < cop_doc_count(r->doc, map); i++) {
        int key, value;
        cop_doc_pair(r->doc, map, i, &key, &value);
        const char *name = cop_doc_text(r->doc, key);
        if (!known(name, names, n))
            rc = fault(
                r, key, "unknown key",
                cop_arena_printf(&r->l->arena, "keys are %s, ... %s", names[0], names[n - 1]));
    }
    return rc;
}

static const char *text_of(reader *r, int claim, const char *key, int *rc)
{
    int node = cop_doc_get(r->doc, claim, key);
    if (node == 0)
        *rc = fault(r, claim, cop_arena_printf(&r->l->arena, "`%s` is missing", key),
                    "every check needs it");
    return node ? render(r, node) : "";
}

static const char *text_or_none(reader *r, int claim, const char *key)
{
    int node = cop_doc_get(r->doc, claim, key);
    return node ? render(r, node) : "";
}

static int read_kind(reader *r, int claim, cop_claim *c)
{
    int node = cop_doc_get(r->doc, claim, "kind");
    const char *name = node ? cop_doc_text(r->doc, node) : NULL;
    for (size_t k = 0; k < COP_LEN(kind_names); k++)
        if (name != NULL && strcmp(name, kind_names[k]) == 0) {
            c->kind = (enum cop_claim_kind)k;
            return 0;
        }
    return fault(r, node ? node : claim, "unknown kind", "printed, derived, order or shape");
}

/* A number, if the node is one. */
static bool read_number(reader *r, int node, double *v)
{
    const char *text = cop_doc_text(r->doc, node);
    return text != NULL && cop_parse_real(text, v, NULL) == 0;
}

/* low and high from a tolerance node; false if it says nothing about numbers. */
static bool read_tolerance(reader *r, int node, cop_band *b)
{
    if (cop_doc_type(r->doc, node) == COP_NODE_SCALAR)
        return !isnan(b->value) &&
               cop_band_around(b->value, cop_doc_text(r->doc, node), &b->low, &b->high) == 0;
    int min = cop_doc_get(r->doc, node, "min"), max = cop_doc_get(r->doc, node, "max");
    b->low = -INFINITY;
    b->high = INFINITY;
    bool any = read_number(r, min, &b->low);
    return read_number(r, max, &b->high) || any;
}

/* Add the band of one number; its tolerance may stand under its name. */
static void add_band(reader *r, cop_claim *c, const char *name, int value, int tolerance)
{
    cop_band b = {.name = name, .value = NAN};
    if (value && !read_number(r, value, &b.value))
        return;
    int own = name[0] && cop_doc_type(r->doc, tolerance) == COP_NODE_MAP
                  ? cop_doc_get(r->doc, tolerance, name)
                  : 0;
    bool shared = cop_doc_type(r->doc, tolerance) == COP_NODE_MAP && name[0] == '\0' &&
                  cop_doc_get(r->doc, tolerance, "value") != 0;
    if (shared)
        own = cop_doc_get(r->doc, tolerance, "value");
    if (read_tolerance(r, own ? own : tolerance, &b))
        c->band[c->n_bands++] = b;
}

static bool has_bounds(reader *r, int node)
{
    return cop_doc_type(r->doc, node) == COP_NODE_MAP &&
           (cop_doc_get(r->doc, node, "min") || cop_doc_get(r->doc, node, "max"));
}

static void read_bands(reader *r, int expected, int tolerance, cop_claim *c)
{
    int value = cop_doc_get(r->doc, expected, "value"),
        values = cop_doc_get(r->doc, expected, "values");
    size_t n = cop_doc_type(r->doc, values) == COP_NODE_MAP ? cop_doc_count(r->doc, values) : 0;
    c->band = COP_NEW_ARRAY(&r->l->arena, cop_band, n + 1);
    for (size_t i = 0; i < n; i++) {
        int key, node;
        cop_doc_pair(r->doc, values, i, &key, &node);
        add_band(r, c, render(r, key), node, tolerance);
    }
    /* Where the paper gives bounds, the tolerance may say how far a measurement may go beyond. */
    bool bounds = has_bounds(r, expected), wider = has_bounds(r, tolerance);
    if (value || bounds)
        add_band(r, c, "", value, value || wider ? tolerance : expected);
}

/* How numbers are judged: a bound that is not printed in the source is marked as ours; a number
 * for which the source gives no bound is shown without a verdict. */
static int read_judging(reader *r, int claim, cop_claim *c)
{
    int bound = cop_doc_get(r->doc, claim, "bound");
    const char *whose = bound ? cop_doc_text(r->doc, bound) : NULL;
    c->shown = strcmp(c->tolerance, "shown") == 0;
    if (bound && (whose == NULL || strcmp(whose, "ours") != 0))
        return fault(r, bound, "unknown bound", "`bound` is ours, or left out");
    if (bound && c->shown)
        return fault(r, bound, "what is shown has no bound", "leave `bound` out");
    if (bound)
        c->tolerance = cop_arena_printf(&r->l->arena, "%s (ours)", c->tolerance);
    return 0;
}

static int read_claim(reader *r, int node, cop_claim *c)
{
    int rc = check_keys(r, node, claim_keys, COP_LEN(claim_keys));
    if (rc)
        return rc;
    c->id = text_of(r, node, "id", &rc);
    c->where = text_of(r, node, "where", &rc);
    c->setup = text_of(r, node, "setup", &rc);
    c->experiment = text_of(r, node, "experiment", &rc);
    c->metric = text_of(r, node, "metric", &rc);
    c->expected = text_of(r, node, "expected", &rc);
    c->tolerance = text_of(r, node, "tolerance", &rc);
    c->needs = text_of(r, node, "needs", &rc);
    int note = cop_doc_get(r->doc, node, "note"), expected = cop_doc_get(r->doc, node, "expected");
    c->note = note ? render(r, note) : NULL;
    c->subject = text_or_none(r, node, "subject");
    c->unit = text_or_none(r, node, "unit");
    if (read_judging(r, node, c) != 0)
        rc = -COP_E_INPUT;
    if (strncmp(c->id, r->key, strlen(r->key)) != 0)
        rc = fault(r, node, "the id does not begin with the paper's key", r->key);
    if (expected && check_keys(r, expected, expected_keys, COP_LEN(expected_keys)) != 0)
        rc = -COP_E_INPUT;
    else if (expected)
        c->record = cop_doc_get(r->doc, expected, "record") != 0;
    if (expected && rc == 0 && !c->record && !c->shown)
        read_bands(r, expected, cop_doc_get(r->doc, node, "tolerance"), c);
    return read_kind(r, node, c) != 0 ? -COP_E_INPUT : rc;
}

static int check_unique(reader *r, const cop_paper *p, int list)
{
    int rc = 0;
    for (size_t i = 0; i < p->n_claims; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(p->claim[i].id, p->claim[j].id) == 0)
                rc = fault(r, cop_doc_item(r->doc, list, i), "this id is there twice",
                           "ids are unique");
    return rc;
}

static int read_paper(reader *r, cop_paper *p)
{
    int root = cop_doc_root(r->doc), rc = 0, list = cop_doc_get(r->doc, root, "checks");
    p->key = r->key;
    p->title = text_of(r, root, "title", &rc);
    p->source = text_of(r, root, "source", &rc);
    p->note = cop_doc_get(r->doc, root, "note") ? text_of(r, root, "note", &rc) : NULL;
    if (strcmp(text_of(r, root, "paper", &rc), r->key) != 0)
        rc = fault(r, root, "`paper` is not the file's name", r->key);
    if (list == 0 || cop_doc_type(r->doc, list) != COP_NODE_LIST)
        return fault(r, root, "no list of checks", "write `checks:` and a list");
    p->n_claims = cop_doc_count(r->doc, list);
    p->claim = COP_NEW_ARRAY(&r->l->arena, cop_claim, p->n_claims);
    for (size_t i = 0; i < p->n_claims; i++)
        if (read_claim(r, cop_doc_item(r->doc, list, i), &p->claim[i]) != 0)
            rc = -COP_E_INPUT;
    return check_unique(r, p, list) != 0 ? -COP_E_INPUT : rc;
}

int cop_ledger_load(cop_ledger *l, const char *dir, cop_err *err)
{
    int rc = 0;
    *l = (cop_ledger){.n_papers = COP_LEN(paper_keys)};
    l->paper = COP_NEW_ARRAY(&l->arena, cop_paper, l->n_papers);
    for (size_t i = 0; i < l->n_papers; i++) {
        cop_doc doc;
        const char *file = cop_arena_printf(&l->arena, "%s/%s.yaml", dir, paper_keys[i]);
        if (cop_doc_load(&doc, file, NULL, err) != 0) {
            rc = -COP_E_INPUT;
            continue;
        }
        reader r = {.l = l, .doc = &doc, .err = err, .key = paper_keys[i]};
        if (read_paper(&r, &l->paper[i]) != 0)
            rc = -COP_E_INPUT;
        cop_doc_free(&doc);
    }
    if (rc)
        cop_ledger_free(l);
    return rc;
}

void cop_ledger_free(cop_ledger *l)
{
    cop_arena_free(&l->arena);
    *l = (cop_ledger){0};
}

const cop_claim *cop_ledger_find(const cop_ledger *l, const char *id, const cop_paper **paper)
{
    for (size_t p = 0; p < l->n_papers; p++)
        for (size_t i = 0; i < l->paper[p].n_claims; i++)
            if (strcmp(l->paper[p].claim[i].id, id) == 0) {
                if (paper != NULL)
                    *paper = &l->paper[p];
                return &l->paper[p].claim[i];
            }
    return NULL;
}

const cop_band *cop_claim_band(const cop_claim *c, const char *name)
{
    for (size_t i = 0; i < c->n_bands; i++)
        if (c->band[i].name[0] == '\0' || strcmp(c->band[i].name, name) == 0)
            return &c->band[i];
    return NULL;
}

int cop_band_around(double value, const char *tolerance, double *low, double *high)
{
    double t = 0.0;
    const char *percent = tolerance ? strchr(tolerance, '%') : NULL;
    if (tolerance == NULL)
        return -1;
    /* Fractions in the ledger have six digits. */
    if (strcmp(tolerance, "exact") == 0)
        t = 1e-6 * fabs(value);
    else if (percent != NULL && cop_parse_share(tolerance, &t, NULL) == 0)
        t *= fabs(value);
    else if (cop_parse_real(tolerance, &t, NULL) != 0)
        return -1;
    if (!(t >= 0.0))
        return -1;
    *low = value - t;
    *high = value + t;
    return 0;
}

enum cop_claim_state cop_claim_judge(const cop_claim *c)
{
    return c->record ? COP_CLAIM_RECORDED : COP_CLAIM_NOT_RUN;
}

const char *cop_claim_kind_name(enum cop_claim_kind k)
{
    return kind_names[k];
}

const char *cop_claim_state_name(enum cop_claim_state s)
{
    return state_names[s];
}
