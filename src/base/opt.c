/* Option tables: text into the fields of a struct, checked, and back.
 *
 * Inputs: a table (cop_opt), the struct it describes, the text a user wrote and where.
 * Outputs: the filled field, or one fault that names the place, the option and what would be
 * right.
 * Invariant: cop_opt_print followed by cop_opt_parse restores the field bit for bit. */
#include "base/opt.h"

#include <stdio.h>
#include <string.h>

#define UNLIMITED 1.8e19 /* a maximum from here on allows "never" */

typedef union value {
    bool b;
    int64_t i;
    double d;
    uint64_t u;
    int e;
    const char *s;
} value;

typedef struct out {
    char *buf;
    size_t size, used;
} out;

static void out_add(out *o, const char *text)
{
    for (; *text && o->used + 1 < o->size; text++)
        o->buf[o->used++] = *text;
    if (o->size > 0)
        o->buf[o->used] = '\0';
}

static const char *const bool_names[] = {"true", "false", "yes", "no", "on", "off"};

static int parse_bool(const char *text, bool *b, cop_err *err)
{
    for (size_t i = 0; i < COP_LEN(bool_names); i++) {
        if (strcmp(text, bool_names[i]) == 0) {
            *b = i % 2 == 0;
            return 0;
        }
    }
    char shown[48];
    return cop_err_add(err, COP_E_INPUT, "`%s` is neither yes nor no; write `yes` or `no`",
                       cop_excerpt(text, shown, sizeof(shown)));
}

static size_t count_names(const char *const *names)
{
    size_t n = 0;
    while (names[n] != NULL)
        n++;
    return n;
}

/* A name that is yes or no may be written as any word of that meaning. */
static bool is_name(const char *text, const char *name)
{
    bool yes = strcmp(name, "yes") == 0;
    for (size_t i = 0; (yes || strcmp(name, "no") == 0) && i < COP_LEN(bool_names); i++)
        if ((i % 2 == 0) == yes && strcmp(text, bool_names[i]) == 0)
            return true;
    return strcmp(text, name) == 0;
}

static int parse_enum(const cop_opt *o, const char *text, int *e, cop_err *err)
{
    size_t n = count_names(o->names);
    for (size_t i = 0; i < n; i++) {
        if (is_name(text, o->names[i])) {
            *e = (int)i;
            return 0;
        }
    }
    char shown[48], list[512];
    cop_excerpt(text, shown, sizeof(shown));
    out all = {list, sizeof(list), 0};
    list[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        out_add(&all, i ? ", " : "");
        out_add(&all, o->names[i]);
    }
    const char *near = cop_nearest(text, o->names, n);
    if (near != NULL)
        return cop_err_add(err, COP_E_INPUT, "`%s` is not known; did you mean `%s`? (one of %s)",
                           shown, near, list);
    return cop_err_add(err, COP_E_INPUT, "`%s` is not known; write one of %s", shown, list);
}

/* The stored value for "not given" of an option: 0, or another if 0 is a value. */
static uint64_t not_given(const cop_opt *o)
{
    return o->min > 0 ? 0 : COP_OPT_OPEN;
}

static bool is_word(const cop_opt *o, value v)
{
    bool real = o->type == COP_OPT_REAL || o->type == COP_OPT_SHARE;
    return real ? v.d >= 0.0 && v.d <= 0.0 : v.u == not_given(o); /* also of an int64_t */
}

static int parse_value(const cop_opt *o, const char *text, value *v, cop_err *err)
{
    const char *word = cop_opt_word(o);
    if (word != NULL && strcmp(text, word) == 0) {
        *v = (value){.u = not_given(o)}; /* all bits 0 are 0.0, too */
        return 0;
    }
    switch (o->type) {
    case COP_OPT_BOOL:
        return parse_bool(text, &v->b, err);
    case COP_OPT_INT:
        return cop_parse_int(text, &v->i, err);
    case COP_OPT_REAL:
        return cop_parse_real(text, &v->d, err);
    case COP_OPT_SHARE:
        return cop_parse_share(text, &v->d, err);
    case COP_OPT_TIME:
        return cop_parse_time(text, &v->u, err);
    case COP_OPT_BYTES:
        return cop_parse_bytes(text, &v->u, err);
    case COP_OPT_RATE:
        return cop_parse_rate(text, &v->u, err);
    case COP_OPT_ENUM:
        return parse_enum(o, text, &v->e, err);
    case COP_OPT_STRING:
        v->s = text;
        return 0;
    default:
        cop_panic(__FILE__, __LINE__, "option table has a known type");
    }
}

static const char *print_value(const cop_opt *o, value v, char *buf, size_t size)
{
    if (cop_opt_word(o) != NULL && is_word(o, v)) {
        snprintf(buf, size, "%s", cop_opt_word(o));
        return buf;
    }
    switch (o->type) {
    case COP_OPT_BOOL:
        snprintf(buf, size, "%s", v.b ? "yes" : "no");
        return buf;
    case COP_OPT_INT:
        snprintf(buf, size, "%" PRId64, v.i);
        return buf;
    case COP_OPT_REAL:
        return cop_print_real(v.d, buf, size);
    case COP_OPT_SHARE:
        return cop_print_share(v.d, buf, size);
    case COP_OPT_TIME:
        return cop_print_time(v.u, buf, size);
    case COP_OPT_BYTES:
        return cop_print_bytes(v.u, buf, size);
    case COP_OPT_RATE:
        return cop_print_rate(v.u, buf, size);
    case COP_OPT_ENUM:
        snprintf(buf, size, "%s", o->names[v.e]);
        return buf;
    default:
        snprintf(buf, size, "%s", v.s ? v.s : "");
        return buf;
    }
}

static bool has_range(const cop_opt *o)
{
    enum cop_opt_type t = o->type;
    return t != COP_OPT_BOOL && t != COP_OPT_ENUM && t != COP_OPT_STRING && t != COP_OPT_END &&
           (o->min < 0 || o->min > 0 || o->max < 0 || o->max > 0);
}

static bool in_range(const cop_opt *o, value v)
{
    if (!has_range(o))
        return true;
    enum cop_opt_type t = o->type;
    double x = t == COP_OPT_INT                          ? (double)v.i
               : t == COP_OPT_REAL || t == COP_OPT_SHARE ? v.d
                                                         : (double)v.u;
    return x >= o->min && (o->max < o->min || x <= o->max);
}

/* A bound of the range in the option's own unit. */
static const char *print_bound(const cop_opt *o, double bound, char *buf, size_t size)
{
    value v;
    switch (o->type) {
    case COP_OPT_INT:
        v.i = (int64_t)bound;
        break;
    case COP_OPT_REAL:
    case COP_OPT_SHARE:
        v.d = bound;
        break;
    default:
        v.u = bound >= UNLIMITED ? COP_NEVER : (uint64_t)bound;
        break;
    }
    return print_value(o, v, buf, size);
}

/* "1 ps .. 10 s, or 0"; false if every value is allowed. */
static bool print_range(const cop_opt *o, out *text)
{
    if (!has_range(o))
        return false;
    char buf[64];
    out_add(text, print_bound(o, o->min, buf, sizeof(buf)));
    bool open = o->max < o->min || o->max >= 9.2e18;
    if (!open) {
        out_add(text, " .. ");
        out_add(text, print_bound(o, o->max, buf, sizeof(buf)));
    } else {
        out_add(text, o->type == COP_OPT_TIME && o->max >= UNLIMITED ? " .. never" : " or more");
    }
    value def;
    const char *other = cop_opt_word(o);
    if (other == NULL && o->def != NULL && parse_value(o, o->def, &def, NULL) == 0 &&
        !in_range(o, def))
        other = o->def;
    out_add(text, other ? ", or " : "");
    out_add(text, other ? other : "");
    return true;
}

/* The default is right by definition, also where it lies outside of the range ("0 = as the link").
 */
static bool is_default(const cop_opt *o, value v)
{
    value def;
    if (o->def == NULL || parse_value(o, o->def, &def, NULL) != 0)
        return false;
    enum cop_opt_type t = o->type;
    if (t == COP_OPT_INT)
        return v.i == def.i;
    if (t == COP_OPT_REAL || t == COP_OPT_SHARE)
        return v.d >= def.d && v.d <= def.d;
    return v.u == def.u;
}

static int check_range(const cop_opt *o, value v, const char *text, cop_err *err)
{
    const char *word = cop_opt_word(o);
    bool open = word != NULL && is_word(o, v) && (o->names[1] != NULL || strcmp(text, word) == 0);
    if (in_range(o, v) || open || (word == NULL && is_default(o, v)))
        return 0;
    char range[160], shown[48];
    out r = {range, sizeof(range), 0};
    print_range(o, &r);
    return cop_err_add(err, COP_E_INPUT, "`%s` is out of range; give %s",
                       cop_excerpt(text, shown, sizeof(shown)), range);
}

static void store_value(const cop_opt *o, void *cfg, value v, cop_arena *arena)
{
    void *field = (char *)cfg + o->offset;
    switch (o->type) {
    case COP_OPT_BOOL:
        *(bool *)field = v.b;
        break;
    case COP_OPT_INT:
        *(int64_t *)field = v.i;
        break;
    case COP_OPT_REAL:
    case COP_OPT_SHARE:
        *(double *)field = v.d;
        break;
    case COP_OPT_ENUM:
        *(int *)field = v.e;
        break;
    case COP_OPT_STRING:
        *(const char **)field = cop_arena_strdup(arena, v.s);
        break;
    default:
        *(uint64_t *)field = v.u;
        break;
    }
}

static value load_value(const cop_opt *o, const void *cfg)
{
    const void *field = (const char *)cfg + o->offset;
    value v = {.u = 0};
    switch (o->type) {
    case COP_OPT_BOOL:
        v.b = *(const bool *)field;
        break;
    case COP_OPT_INT:
        v.i = *(const int64_t *)field;
        break;
    case COP_OPT_REAL:
    case COP_OPT_SHARE:
        v.d = *(const double *)field;
        break;
    case COP_OPT_ENUM:
        v.e = *(const int *)field;
        break;
    case COP_OPT_STRING:
        v.s = *(const char *const *)field;
        break;
    default:
        v.u = *(const uint64_t *)field;
        break;
    }
    return v;
}

static int parse_checked(const cop_opt *o, void *cfg, const char *text, cop_arena *arena,
                         cop_err *err)
{
    value v;
    cop_err why = {0};
    if (parse_value(o, text, &v, &why) != 0) {
        const char *word = cop_opt_word(o);
        return word ? cop_err_add(err, COP_E_INPUT, "%s, or `%s`", why.text, word)
                    : cop_err_add(err, COP_E_INPUT, "%s", why.text);
    }
    if (check_range(o, v, text, err) != 0)
        return -COP_E_INPUT;
    store_value(o, cfg, v, arena);
    return 0;
}

static int add_fault(const cop_opt *o, const cop_where *where, const cop_err *why, cop_err *err)
{
    char place[512];
    if (where == NULL || where->file == NULL)
        return cop_err_add(err, COP_E_INPUT, "%s: %s", o->name, why->text);
    return cop_err_add(err, COP_E_INPUT, "%s: %s: %s", cop_where_text(where, place, sizeof(place)),
                       o->name, why->text);
}

int cop_opt_parse(const cop_opt *o, void *cfg, const char *text, cop_arena *arena,
                  const cop_where *where, cop_err *err)
{
    if (cop_opt_is_list(o))
        return cop_opt_parse_list(o, cfg, &text, 1, arena, where, err);
    cop_err why = {0};
    if (parse_checked(o, cfg, text, arena, &why) == 0)
        return 0;
    return add_fault(o, where, &why, err);
}

void cop_opt_defaults(const cop_opt *table, void *cfg, cop_arena *arena)
{
    for (const cop_opt *o = table; o != NULL && o->type != COP_OPT_END; o++) {
        if (o->def == NULL)
            continue;
        if (cop_opt_is_list(o)) {
            COP_CHECK(cop_opt_parse_list(o, cfg, &o->def, 1, arena, NULL, NULL) == 0);
            continue;
        }
        value v;
        COP_CHECK(parse_value(o, o->def, &v, NULL) == 0);
        store_value(o, cfg, v, arena);
    }
}

const char *cop_opt_print(const cop_opt *o, const void *cfg, char *buf, size_t size)
{
    if (cop_opt_is_list(o))
        return cop_opt_print_list(o, cfg, buf, size);
    return print_value(o, load_value(o, cfg), buf, size);
}

size_t cop_opt_print_size(const cop_opt *o, const void *cfg)
{
    const void *field = (const char *)cfg + o->offset;
    if (o->type == COP_OPT_STRING)
        return strlen(*(const char *const *)field ? *(const char *const *)field : "") + 1;
    if (o->type == COP_OPT_ENUM)
        return strlen(o->names[*(const int *)field]) + 1;
    return cop_opt_is_list(o) ? cop_opt_print_list_size(o, cfg) : 64;
}

static const char *const type_names[] = {[COP_OPT_BOOL] = "yes or no",
                                         [COP_OPT_INT] = "integer",
                                         [COP_OPT_REAL] = "number",
                                         [COP_OPT_SHARE] = "share",
                                         [COP_OPT_TIME] = "time",
                                         [COP_OPT_BYTES] = "size",
                                         [COP_OPT_RATE] = "rate",
                                         [COP_OPT_ENUM] = "one of",
                                         [COP_OPT_STRING] = "text",
                                         [COP_OPT_INTS] = "list of integers",
                                         [COP_OPT_REALS] = "list of numbers",
                                         [COP_OPT_TIMES] = "list of times"};

const char *cop_opt_default(const cop_opt *o)
{
    if (o->def == NULL || o->def[0] != '\0')
        return o->def;
    return cop_opt_is_list(o) ? "[]" : "\"\"";
}

const char *cop_opt_describe(const cop_opt *o, char *buf, size_t size)
{
    out text = {buf, size, 0};
    char range[160];
    out r = {range, sizeof(range), 0};
    out_add(&text, type_names[o->type]);
    if (o->type == COP_OPT_ENUM) {
        for (size_t i = 0; o->names[i] != NULL; i++) {
            out_add(&text, i ? ", " : " ");
            out_add(&text, o->names[i]);
        }
        return buf;
    }
    cop_opt item = cop_opt_item(o);
    if (print_range(&item, &r)) {
        out_add(&text, ", ");
        out_add(&text, range);
    }
    return buf;
}
