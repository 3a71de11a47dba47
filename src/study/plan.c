/* Expands a study into runs, and checks every configuration before the first one starts.
 *
 * In:  a study. Out: one point per seed, block and combination of axis values, with its overrides
 * and the hash of its configuration, by which a finished run is found again. */
#include "base/file.h"
#include "exp/config.h"
#include "study/read.h"
#include "study/trial.h"

#include <stdio.h>
#include <string.h>

#define MAX_POINTS 100000
#define MAX_REFUSED 200 /* runs that are looked at for a fault that others have not */
#define MAX_LABELS ((size_t)16 << 20) /* bytes of the names of all runs */

/* a * b, or a number above MAX_POINTS if it is more than that. */
static size_t times(size_t a, size_t b)
{
    return b != 0 && a > MAX_POINTS / b ? MAX_POINTS + 1 : a * b;
}

static size_t combinations(const cop_block *b)
{
    size_t n = 1;
    for (size_t i = 0; i < b->n_axes; i++)
        n = times(n, b->axis[i].n_values);
    return n;
}

/* JSON text: what is between the quotes. */
static const char *quoted(cop_arena *a, const char *text)
{
    char *out = cop_arena_array(a, 6, strlen(text) + 1), *at = out;
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            at += sprintf(at, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            at += sprintf(at, "\\u%04x", (unsigned)*text);
        else
            *at++ = *text;
    }
    return out;
}

static void name_point(cop_study *s, cop_point *p)
{
    const cop_block *b = p->block;
    const char *label = s->n_blocks > 1 || b->n_axes == 0 ? b->name : "";
    const char *axes = cop_arena_printf(&s->arena, "{\"run\": \"%s\"", quoted(&s->arena, b->name));
    for (size_t i = 0; i < b->n_axes; i++) {
        const cop_axis *a = &b->axis[i];
        const char *v = a->value[p->value[i]].label;
        label = cop_arena_printf(&s->arena, "%s%s%s %s", label, label[0] ? ", " : "", a->name, v);
        axes = cop_arena_printf(&s->arena, "%s, \"%s\": \"%s\"", axes, quoted(&s->arena, a->name),
                                quoted(&s->arena, v));
    }
    p->label = label;
    p->axes = cop_arena_printf(&s->arena, "%s}", axes);
}

static void add_all(cop_point *p, const char **set, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(set[i], "base=", 5) == 0)
            p->base = set[i] + 5;
        else
            p->set[p->n_set++] = set[i];
}

static void collect_set(cop_study *s, cop_point *p)
{
    const cop_block *b = p->block;
    size_t n = s->n_set + b->n_set + 1;
    for (size_t i = 0; i < b->n_axes; i++)
        n += b->axis[i].value[p->value[i]].n_set;
    p->set = COP_NEW_ARRAY(&s->arena, const char *, n);
    p->base = s->base;
    add_all(p, s->set, s->n_set);
    add_all(p, b->set, b->n_set);
    for (size_t i = 0; i < b->n_axes; i++)
        add_all(p, b->axis[i].value[p->value[i]].set, b->axis[i].value[p->value[i]].n_set);
    p->set[p->n_set++] = cop_arena_printf(&s->arena, "run.seed=%" PRId64, p->seed);
}

static int check_config(cop_plan *plan, cop_study *s, cop_point *p, cop_err *err)
{
    cop_config c;
    cop_err inner = {0};
    cop_override *set = COP_NEW_ARRAY(&s->arena, cop_override, p->n_set);
    for (size_t i = 0; i < p->n_set; i++)
        set[i].text = p->set[i];
    for (size_t i = 0; i + 1 < p->n_set; i++) /* the last one is the study's own */
        if (strncmp(p->set[i], "run.seed=", strlen("run.seed=")) == 0)
            return cop_err_add(
                err, COP_E_INPUT,
                "%s: run `%s`: run.seed would be overruled by the study's seeds; say "
                "`seeds: 5` or `seeds: [3, 7]`",
                p->block->where, p->label);
    if (cop_config_load_with(&c, s->plugins, p->base, NULL, set, p->n_set, &inner) != 0)
        return cop_point_refuse(s, p, &inner, err);
    p->config_hash = cop_config_hash(&c);
    if (plan->config == NULL)
        plan->config = cop_arena_strdup(&s->arena, cop_config_print(&c));
    cop_config_free(&c);
    return 0;
}

const char *cop_block_gap(const cop_block *b, const uint32_t *value)
{
    for (size_t i = 0; i < b->n_gaps; i++) {
        bool hit = true;
        for (size_t k = 0; k < b->n_axes; k++)
            hit &= b->gap[i].hit[k] == NULL || b->gap[i].hit[k][value[k]];
        if (hit)
            return b->gap[i].why;
    }
    return NULL;
}

/* Combination number i, the last axis fastest. */
static void values_of(const cop_block *b, size_t i, uint32_t *value)
{
    for (size_t k = b->n_axes; k-- > 0;) {
        value[k] = (uint32_t)(i % b->axis[k].n_values);
        i /= b->axis[k].n_values;
    }
}

/* All combinations of one block that are not left out. */
static void expand(cop_plan *plan, cop_study *s, const cop_block *b, int64_t seed)
{
    size_t n = combinations(b);
    for (size_t i = 0; i < n; i++) {
        cop_point p = {.block = b, .seed = seed};
        values_of(b, i, p.value);
        if (cop_block_gap(b, p.value) != NULL)
            continue;
        name_point(s, &p);
        collect_set(s, &p);
        plan->point[plan->n_points++] = p;
    }
}

/* Where each combination is among the points of a seed. */
static void find_places(cop_plan *plan, cop_study *s, size_t combinations_in_all)
{
    uint32_t value[COP_STUDY_MAX_AXES];
    size_t at = 0;
    plan->place = COP_NEW_ARRAY(&s->arena, uint32_t, combinations_in_all);
    for (size_t k = 0; k < s->n_blocks; k++)
        for (size_t i = 0; i < combinations(&s->block[k]); i++) {
            values_of(&s->block[k], i, value);
            bool gap = cop_block_gap(&s->block[k], value) != NULL;
            plan->place[at++] = gap ? COP_NONE : (uint32_t)plan->per_seed++;
        }
}

/* Bytes of the name of a run of this block, at most. */
static size_t longest_label(const cop_block *b)
{
    size_t n = strlen(b->name);
    for (size_t i = 0; i < b->n_axes; i++) {
        size_t longest = 0;
        for (size_t k = 0; k < b->axis[i].n_values; k++) {
            size_t m = strlen(b->axis[i].value[k].label);
            longest = m > longest ? m : longest;
        }
        n += strlen(b->axis[i].name) + longest;
    }
    return n;
}

static int check_size(const cop_study *s, size_t *in_all, cop_err *err)
{
    size_t labels = 0;
    *in_all = 0;
    for (size_t i = 0; i < s->n_blocks; i++) {
        const cop_block *b = &s->block[i];
        size_t n = combinations(b);
        *in_all += n;
        if (times(*in_all, s->n_seeds) > MAX_POINTS)
            return cop_err_add(err, COP_E_INPUT,
                               "%s: more than %d runs (values of all axes times seeds, of all "
                               "blocks together); make several studies of it",
                               b->where, MAX_POINTS);
        labels += n * s->n_seeds * longest_label(b);
        if (labels > MAX_LABELS)
            return cop_err_add(err, COP_E_INPUT,
                               "%s: the names of all runs have more than %zu MiB; use shorter "
                               "names or fewer runs",
                               b->where, MAX_LABELS >> 20);
    }
    return 0;
}

int cop_plan_make(cop_plan *plan, cop_study *s, cop_err *err)
{
    *plan = (cop_plan){.study = s, .arena = &s->arena};
    size_t in_all, refused = 0;
    int rc = check_size(s, &in_all, err);
    if (rc != 0)
        return rc;
    find_places(plan, s, in_all);
    if (in_all > 0 && plan->per_seed == 0)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: `leave_out` leaves nothing to run; keep a combination of the axes",
                           s->block[0].where);
    plan->point = COP_NEW_ARRAY(&s->arena, cop_point, cop_product(plan->per_seed, s->n_seeds));
    for (size_t k = 0; k < s->n_seeds; k++)
        for (size_t i = 0; i < s->n_blocks; i++)
            expand(plan, s, &s->block[i], s->seed[k]);
    for (size_t k = 0; k < s->n_seeds; k++)
        for (size_t i = 0;
             i < plan->per_seed && refused < MAX_REFUSED && (err == NULL || err->faults < 8); i++) {
            cop_point *p = &plan->point[k * plan->per_seed + i];
            /* Seeds do not change a configuration or its hash; each need only be possible. */
            if (k > 0 && i > 0)
                p->config_hash = plan->point[i].config_hash;
            else if (check_config(plan, s, p, err) != 0) {
                rc = -COP_E_INPUT;
                refused++;
            }
        }
    return rc;
}

/* The inverse of expand(): combinations count as in values_of(). */
cop_point *cop_plan_find(const cop_plan *p, const cop_block *b, const uint32_t *value, size_t seed)
{
    size_t at = 0, inside = 0;
    for (const cop_block *before = p->study->block; before < b; before++)
        at += combinations(before);
    for (size_t k = 0; k < b->n_axes; k++) {
        if (value[k] >= b->axis[k].n_values)
            return NULL;
        inside = inside * b->axis[k].n_values + value[k];
    }
    uint32_t place = p->place[at + inside];
    return place != COP_NONE && seed < p->study->n_seeds ? &p->point[seed * p->per_seed + place]
                                                         : NULL;
}

/* Over the files a study is made from. */
int cop_study_fingerprint(cop_study *s, cop_err *err)
{
    const char *const files[] = {s->file, s->base};
    s->inputs = COP_HASH_START;
    for (size_t i = 0; i < COP_LEN(files); i++)
        if (!cop_hash_file(&s->inputs, files[i]))
            return cop_err_add(err, COP_E_INPUT,
                               "%s: cannot be read; `base` names a run file beside the study",
                               files[i]);
    return 0;
}
