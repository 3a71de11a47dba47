/* See verdict_cells.h. Numbers have four digits; where that would make a value that fails look like one
 * that passes, six. */
#include "verdict_cells.h"

#include "base/text.h"
#include "study/evaluate.h"

#include <math.h>
#include <string.h>

/* An interval below that share of the value would not change the digits that are shown. */
#define SEEN 5e-4
/* From the paper's value, as a share of it: then the row says what the value must be. */
#define FAR 0.1

static double number_of(const json_t *item, const char *key)
{
    const json_t *n = json_object_get(item, key);
    return json_is_number(n) ? json_number_value(n) : NAN;
}

static const char *text_of(const json_t *item, const char *key, cop_arena *a)
{
    const char *text = json_string_value(json_object_get(item, key));
    return cop_plain_copy(a, cop_arena_strdup(a, text ? text : "")); /* outlives the item */
}

static const char *number_text(double v, int digits, cop_arena *a)
{
    double size = fabs(v);
    if (size >= 1e3 && size < 1e7)
        return cop_arena_printf(a, "%.0f", v);
    return cop_arena_printf(a, "%.*g", digits, v);
}

/* Between bounds; "" if there are none. */
static const char *range_text(double low, double high, int digits, cop_arena *a)
{
    const char *from = number_text(low, digits, a), *to = number_text(high, digits, a);
    if (isnan(low) && isnan(high))
        return "";
    if (isnan(low))
        return cop_arena_printf(a, "≤ %s", to);
    if (isnan(high))
        return cop_arena_printf(a, "≥ %s", from);
    return strcmp(from, to) == 0 ? from : cop_arena_printf(a, "%s to %s", from, to);
}

/* Origin of a number: printed in the source, from theory of its set-up, or our own bound. */
static const char *source_of(const cop_study_verdict *v, const json_t *item)
{
    size_t n = strlen(v->tolerance), ours = strlen("(ours)");
    bool bound = isnan(number_of(item, "expected"));
    if (strcmp(v->kind, "own") == 0 || json_is_true(json_object_get(item, "own")))
        return "asked";
    if (bound && n >= ours && strcmp(v->tolerance + n - ours, "(ours)") == 0)
        return "asked";
    return strcmp(v->kind, "derived") == 0 ? "theory" : "paper";
}

static bool has_rule(const json_t *item, const char *name)
{
    const char *rule = json_string_value(json_object_get(item, "rule"));
    return rule != NULL && strcmp(rule, name) == 0;
}

static const char *paper_cell(const cop_study_verdict *v, const json_t *item, int digits,
                              cop_arena *a)
{
    double value = number_of(item, "expected");
    const char *text = !isnan(value) ? number_text(value, digits, a)
                       : has_rule(item, "sign")
                           ? "> 0"
                           : range_text(number_of(item, "low"), number_of(item, "high"), digits, a);
    return text[0] ? cop_arena_printf(a, "%s %s", source_of(v, item), text) : "";
}

/* Behind the point, of a confidence interval in one digit. */
static int decimals_of(double ci)
{
    int n = 0;
    for (; ci < 0.95 && n < 9; n++)
        ci *= 10.0;
    return n;
}

/* A value with its interval has no more digits than that tells, unless the verdict hangs on them. */
static const char *here_cell(const json_t *item, int digits, cop_arena *a)
{
    double value = number_of(item, "value"), ci = number_of(item, "ci");
    bool sure = json_is_true(json_object_get(item, "pass")) &&
                !json_is_true(json_object_get(item, "narrow"));
    const char *unit = text_of(item, "unit", a), *text = number_text(value, digits, a);
    if (isnan(value))
        return "";
    if (ci > SEEN * fabs(value))
        text = cop_arena_printf(a, "%s ± %.*f",
                                sure ? cop_arena_printf(a, "%.*f", decimals_of(ci), value) : text,
                                decimals_of(ci), ci);
    return cop_arena_printf(a, "here %s%s%s", text, unit[0] ? " " : "", unit);
}

static const char *with_narrow(const char *word, bool narrow)
{
    if (!narrow)
        return word;
    return strcmp(word, "FAIL") == 0 ? "FAIL, narrow" : "pass, narrow";
}

const char *cop_verdict_word(const cop_study_verdict *v)
{
    const char *word = strcmp(v->state, "fail") == 0      ? "FAIL"
                       : strcmp(v->state, "not-run") == 0 ? "not run"
                                                          : v->state;
    return with_narrow(word, cop_verdict_narrow(v));
}

/* Of one value among several; one that is alone has the check's. */
static const char *word_of(const cop_study_verdict *v, const json_t *item, bool alone)
{
    const json_t *pass = json_object_get(item, "pass");
    bool narrow = json_is_true(json_object_get(item, "narrow"));
    if (alone)
        return cop_verdict_word(v);
    if (json_is_boolean(pass))
        return with_narrow(json_is_true(pass) ? "pass" : "FAIL", narrow);
    return isnan(number_of(item, "value")) ? "not run" : "shown";
}

/* A value that fails must not look like one that passes. */
static int digits_of(const json_t *item, cop_arena *a)
{
    double value = number_of(item, "value");
    const char *keys[] = {"low", "high"};
    for (size_t i = 0; i < COP_LEN(keys) && json_is_false(json_object_get(item, "pass")); i++) {
        double bound = number_of(item, keys[i]);
        if (value != bound && !isnan(bound) &&
            strcmp(number_text(value, 4, a), number_text(bound, 4, a)) == 0)
            return 6;
    }
    return 4;
}

static const char *below_of(const json_t *item, const char *word, int digits, cop_arena *a)
{
    double value = number_of(item, "value"), expected = number_of(item, "expected"),
           least = number_of(item, "least"), most = number_of(item, "most");
    bool bad = strncmp(word, "FAIL", 4) == 0 || strstr(word, "narrow") != NULL;
    bool far = !isnan(value) && fabs(value - expected) > FAR * fabs(expected);
    const char *must = has_rule(item, "sign")
                           ? ""
                           : range_text(number_of(item, "low"), number_of(item, "high"), digits, a);
    const char *text = "";
    if ((bad || far) && must[0] && !isnan(expected))
        text = cop_arena_printf(a, "must be %s", must);
    if (bad && least < most)
        text = cop_arena_printf(a, "%s%sseeds gave %s", text, text[0] ? "; " : "",
                                range_text(least, most, digits, a));
    return text;
}

/* Names of the ledger are single words: cc_on. */
static const char *name_of(const char *word, cop_arena *a)
{
    char *name = cop_arena_strdup(a, word);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    return name;
}

cop_verdict_cells cop_verdict_cells_of(const cop_study_verdict *v, const json_t *item, bool alone,
                                       cop_arena *a)
{
    int digits = digits_of(item, a);
    const char *subject = text_of(item, "subject", a), *what = text_of(item, "what", a);
    cop_verdict_cells c = {.subject = name_of(subject[0] ? subject : what, a),
                           .paper = paper_cell(v, item, digits, a),
                           .here = here_cell(item, digits, a),
                           .verdict = word_of(v, item, alone),
                           .note = text_of(item, "note", a)};
    c.below = below_of(item, c.verdict, digits, a);
    return c;
}
