/* Words of users: the known name nearest to a misspelt one, excerpts and places for messages;
 * looking up options and their words. */
#include "base/opt.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define MAX_WORD 48

/* Case, `-` and `_` do not count as differences between names. */
static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' ? '-' : c;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edits that turn a into b: insert, delete, replace, swap neighbours (optimal string alignment). */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned rows[3][MAX_WORD + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned differ = folded(a[i - 1]) != folded(b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + differ);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1]) && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[nb];
}

const char *cop_nearest(const char *wrong, const char *const *names, size_t n)
{
    size_t length = strlen(wrong);
    if (length == 0 || length > MAX_WORD)
        return NULL;
    const char *best = NULL;
    unsigned best_distance = 0;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(names[i]);
        if (other > MAX_WORD)
            continue;
        unsigned d = edit_distance(wrong, length, names[i], other);
        /* A beginning or an end of a name counts as a small edit: "buf", "tree". */
        if (length >= 3 && other > length && d == other - length &&
            (edit_distance(wrong, length, names[i], length) == 0 ||
             edit_distance(wrong, length, names[i] + other - length, length) == 0))
            d = 1;
        size_t longer = length > other ? length : other;
        if (d <= (longer + 1) / 3 && (best == NULL || d < best_distance)) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}

const char *cop_excerpt(const char *text, char *buf, size_t size)
{
    size_t n = strnlen(text, size - 1);
    memcpy(buf, text, n);
    buf[n] = '\0';
    if (text[n] != '\0' && n >= 4) {
        /* Cut before the dots, and never inside a UTF-8 character. */
        size_t cut = n - 3;
        while (cut > 0 && ((unsigned char)buf[cut] & 0xc0) == 0x80)
            cut--;
        memcpy(buf + cut, "...", 4);
    }
    (void)cop_plain(buf);
    return buf;
}

uint32_t cop_utf8_next(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    unsigned extra = s[0] < 0x80 ? 0 : s[0] < 0xc2 ? 4 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : 3;
    uint32_t c = extra == 0 ? s[0] : s[0] & (0x3fu >> extra);
    bool good = extra < 4 && s[0] < 0xf5;
    for (unsigned i = 1; good && i <= extra; i++) {
        good = (s[i] & 0xc0) == 0x80;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (!good || (extra == 2 && c < 0x800) || (extra == 3 && (c < 0x10000 || c > 0x10ffff)) ||
        (c >= 0xd800 && c <= 0xdfff)) {
        (*text)++;
        return COP_NONE;
    }
    *text += extra + 1;
    return c;
}

const char *cop_where_text(const cop_where *w, char *buf, size_t size)
{
    if (w->line > 0)
        snprintf(buf, size, "%s:%u:%u", w->file, w->line, w->column);
    else
        snprintf(buf, size, "%s", w->file);
    return buf;
}

const cop_opt *cop_opt_find(const cop_opt *table, const char *name)
{
    for (const cop_opt *o = table; o != NULL && o->type != COP_OPT_END; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

const char *cop_opt_word(const cop_opt *o)
{
    return o->type != COP_OPT_ENUM && o->names != NULL ? o->names[0] : NULL;
}
