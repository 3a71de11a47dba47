/* List options: items, integer ranges "0-7" and "0-7:2", text such as "[1, 2]" split at commas.
 *
 * Invariant: printed text parses to the same list; runs of integers are printed as ranges. */
#include "base/opt.h"

#include <stdio.h>
#include <string.h>

#define MAX_ITEMS ((uint64_t)1 << 20) /* of one list */
#define MAX_ARENA_BYTES ((size_t)1 << 29) /* of all lists: a range expands a short text a lot */
#define ITEM_TEXT 80

bool cop_opt_is_list(const cop_opt *o)
{
    return o->type == COP_OPT_INTS || o->type == COP_OPT_REALS || o->type == COP_OPT_TIMES;
}

cop_opt cop_opt_item(const cop_opt *o)
{
    cop_opt item = *o;
    if (!cop_opt_is_list(o))
        return item;
    item.type = o->type == COP_OPT_INTS    ? COP_OPT_INT
                : o->type == COP_OPT_REALS ? COP_OPT_REAL
                                           : COP_OPT_TIME;
    item.offset = 0;
    item.def = NULL;
    return item;
}

typedef struct range {
    int64_t first, last, step;
} range;

/* The '-' between two numbers, not the sign of the first one. */
static const char *range_dash(const char *text)
{
    const char *s = text + strspn(text, " ");
    s += *s == '-' || *s == '+';
    size_t digits = strspn(s, "0123456789");
    s += digits;
    s += strspn(s, " ");
    return digits > 0 && *s == '-' ? s : NULL;
}

static bool copy_part(const char *from, const char *to, char *buf)
{
    size_t n = (size_t)(to - from);
    if (n >= ITEM_TEXT)
        return false;
    memcpy(buf, from, n);
    buf[n] = '\0';
    return true;
}

static int parse_range(const cop_opt *item, const char *text, range *r, cop_err *why)
{
    const char *dash = range_dash(text);
    if (dash == NULL) {
        r->step = 1;
        int rc = cop_opt_parse(item, &r->first, text, NULL, NULL, why);
        r->last = r->first;
        return rc;
    }
    char first[ITEM_TEXT], last[ITEM_TEXT], shown[48];
    const char *colon = strchr(dash, ':');
    const char *end = colon ? colon : dash + strlen(dash);
    r->step = 1;
    if (!copy_part(text, dash, first) || !copy_part(dash + 1, end, last) ||
        cop_parse_int(first, &r->first, NULL) != 0 || cop_parse_int(last, &r->last, NULL) != 0 ||
        (colon && cop_parse_int(colon + 1, &r->step, NULL) != 0) || r->step < 1 ||
        r->last < r->first)
        return cop_err_add(why, COP_E_INPUT,
                           "%s: `%s` is not a range; write one such as `0-7` or `0-6:2`",
                           item->name, cop_excerpt(text, shown, sizeof(shown)));
    int64_t checked;
    int rc = cop_opt_parse(item, &checked, first, NULL, NULL, why);
    return rc ? rc : cop_opt_parse(item, &checked, last, NULL, NULL, why);
}

static uint64_t range_count(const range *r)
{
    return ((uint64_t)r->last - (uint64_t)r->first) / (uint64_t)r->step + 1;
}

static int too_long(const cop_opt *o, cop_err *why)
{
    return cop_err_add(why, COP_E_INPUT,
                       "%s: the list is too long; give at most %" PRIu64
                       " items and %zu MiB in all lists",
                       o->name, MAX_ITEMS, MAX_ARENA_BYTES >> 20);
}

static int parse_ints(const cop_opt *o, const char *const *items, size_t n, cop_ints *list,
                      cop_arena *arena, cop_err *why)
{
    cop_opt item = cop_opt_item(o);
    range r = {0};
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        int rc = parse_range(&item, items[i], &r, why);
        if (rc != 0)
            return rc;
        uint64_t count = range_count(&r);
        if (count > MAX_ITEMS || (total += count) > MAX_ITEMS ||
            arena->total + total * sizeof(int64_t) > MAX_ARENA_BYTES)
            return too_long(o, why);
    }
    list->v = COP_NEW_ARRAY(arena, int64_t, total);
    list->n = 0;
    for (size_t i = 0; i < n; i++) {
        parse_range(&item, items[i], &r, NULL);
        uint64_t count = range_count(&r);
        for (uint64_t k = 0; k < count; k++)
            list->v[list->n++] = r.first + (int64_t)k * r.step;
    }
    return 0;
}

/* Lists whose items are 8-byte scalars. */
static int parse_scalars(const cop_opt *o, const char *const *items, size_t n, void *v,
                         cop_err *why)
{
    cop_opt item = cop_opt_item(o);
    if (o->type == COP_OPT_REALS)
        item.type = COP_OPT_SHARE; /* "30 %" is welcome too */
    for (size_t i = 0; i < n; i++) {
        item.offset = i * sizeof(uint64_t);
        int rc = cop_opt_parse(&item, v, items[i], NULL, NULL, why);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int parse_items(const cop_opt *o, void *field, const char *const *items, size_t n,
                       cop_arena *arena, cop_err *why)
{
    if (o->type == COP_OPT_INTS)
        return parse_ints(o, items, n, field, arena, why);
    if (n > MAX_ITEMS || arena->total + n * sizeof(uint64_t) > MAX_ARENA_BYTES)
        return too_long(o, why);
    void *v = cop_arena_array(arena, n, sizeof(uint64_t));
    int rc = parse_scalars(o, items, n, v, why);
    if (rc != 0)
        return rc;
    if (o->type == COP_OPT_REALS)
        *(cop_reals *)field = (cop_reals){v, n};
    else
        *(cop_times *)field = (cop_times){v, n};
    return 0;
}

/* Cut "[a, b]" or "a, b" into items, in place. */
static size_t split(char *text, char **items)
{
    size_t length = strlen(text);
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text[length - 1] = '\0';
        text++;
    }
    if (text[strspn(text, " \t")] == '\0')
        return 0;
    size_t n = 0;
    for (char *s = text; s != NULL;) {
        char *comma = strchr(s, ',');
        if (comma != NULL)
            *comma++ = '\0';
        items[n++] = s + strspn(s, " \t");
        s = comma;
    }
    return n;
}

int cop_opt_parse_list(const cop_opt *o, void *cfg, const char *const *items, size_t n,
                       cop_arena *arena, const cop_where *where, cop_err *err)
{
    void *field = (char *)cfg + o->offset;
    cop_err why = {0};
    int rc;
    if (n == 1) {
        size_t length = strlen(items[0]);
        char *text = cop_alloc(length + 1);
        memcpy(text, items[0], length);
        char **parts = cop_alloc_array(length + 1, sizeof(*parts));
        size_t n_parts = split(text, parts);
        rc = parse_items(o, field, (const char *const *)parts, n_parts, arena, &why);
        cop_free(parts);
        cop_free(text);
    } else {
        rc = parse_items(o, field, items, n, arena, &why);
    }
    if (rc == 0)
        return 0;
    char place[512];
    if (where == NULL || where->file == NULL)
        return cop_err_add(err, COP_E_INPUT, "%s", why.text);
    return cop_err_add(err, COP_E_INPUT, "%s: %s", cop_where_text(where, place, sizeof(place)),
                       why.text);
}

/* How many integers from v[0] on make one printed range, and its step. */
static size_t run_length(const int64_t *v, size_t n, int64_t *step)
{
    *step = 1;
    if (n < 3 || v[0] < 0 || v[1] <= v[0])
        return 1;
    *step = v[1] - v[0];
    size_t k = 2;
    while (k < n && v[k] > v[k - 1] && v[k] - v[k - 1] == *step)
        k++;
    return k >= 3 ? k : 1;
}

static size_t print_ints(const cop_ints *list, char *buf, size_t size, bool *cut)
{
    size_t used = 0, i = 0;
    while (i < list->n && used + ITEM_TEXT < size) {
        int64_t step;
        size_t k = run_length(list->v + i, list->n - i, &step);
        used += (size_t)snprintf(buf + used, size - used, "%s%" PRId64, i ? ", " : "", list->v[i]);
        if (k > 1)
            used += (size_t)snprintf(buf + used, size - used, "-%" PRId64, list->v[i + k - 1]);
        if (k > 1 && step > 1)
            used += (size_t)snprintf(buf + used, size - used, ":%" PRId64, step);
        i += k;
    }
    *cut = i < list->n;
    return used;
}

/* Times and numbers: 8 bytes each. */
static size_t print_scalars(const cop_opt *o, const void *v, size_t n, char *buf, size_t size,
                            bool *cut)
{
    cop_opt item = cop_opt_item(o);
    size_t used = 0, i = 0;
    for (; i < n && used + ITEM_TEXT < size; i++) {
        char one[64];
        item.offset = i * sizeof(uint64_t);
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
                                 cop_opt_print(&item, v, one, sizeof(one)));
    }
    *cut = i < n;
    return used;
}

const char *cop_opt_print_list(const cop_opt *o, const void *cfg, char *buf, size_t size)
{
    const void *field = (const char *)cfg + o->offset;
    if (size < 8)
        return "[...]";
    size_t used;
    bool cut;
    if (o->type == COP_OPT_INTS) {
        used = print_ints(field, buf + 1, size - 7, &cut);
    } else if (o->type == COP_OPT_REALS) {
        const cop_reals *list = field;
        used = print_scalars(o, list->v, list->n, buf + 1, size - 7, &cut);
    } else {
        const cop_times *list = field;
        used = print_scalars(o, list->v, list->n, buf + 1, size - 7, &cut);
    }
    buf[0] = '[';
    snprintf(buf + 1 + used, size - 1 - used, cut ? "...]" : "]");
    return buf;
}

size_t cop_opt_print_list_size(const cop_opt *o, const void *cfg)
{
    const void *field = (const char *)cfg + o->offset;
    size_t n = o->type == COP_OPT_INTS    ? ((const cop_ints *)field)->n
               : o->type == COP_OPT_REALS ? ((const cop_reals *)field)->n
                                          : ((const cop_times *)field)->n;
    return (n + 2) * ITEM_TEXT;
}
