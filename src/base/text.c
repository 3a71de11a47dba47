#include "base/text.h"

#include "base/opt.h"

#include <string.h>

/* What a character is shown as: itself (0), a space or a question mark. */
static char stand_in(uint32_t c)
{
    if (c < 0x20 || c == 0x7f)
        return ' ';
    bool control = c >= 0x80 && c < 0xa0;
    bool line = c == 0x2028 || c == 0x2029;
    bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                     (c >= 0x2066 && c <= 0x2069);
    bool hidden = c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
    return control || line || direction || hidden || c == COP_NONE ? '?' : 0;
}

bool cop_is_plain(uint32_t c)
{
    return stand_in(c) == 0;
}

static size_t clean(char *text, bool keep_lines)
{
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        const char *from = at;
        char instead = stand_in(cop_utf8_next(&at));
        if (instead != 0 && !(keep_lines && *from == '\n')) {
            *to++ = instead;
            continue;
        }
        size_t n = (size_t)(at - from);
        memmove(to, from, n);
        to += n;
    }
    *to = '\0';
    return (size_t)(to - text);
}

size_t cop_plain(char *text)
{
    return clean(text, false);
}

size_t cop_plain_lines(char *text)
{
    return clean(text, true);
}

const char *cop_plain_copy(cop_arena *a, const char *text)
{
    if (text == NULL)
        return "";
    for (const char *at = text; *at != '\0';)
        if (stand_in(cop_utf8_next(&at)) != 0) {
            char *copy = cop_arena_strdup(a, text);
            cop_plain(copy);
            return copy;
        }
    return text;
}

size_t cop_columns(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}
