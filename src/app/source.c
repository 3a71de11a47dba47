/* Bytes and lines of a file: see source.h. */
#include "app/source.h"

#include <stdarg.h>
#include <string.h>

int cop_source_open(cop_source *s, const char *path, const void *bytes, size_t len, cop_err *err)
{
    *s = (cop_source){.name = path, .err = err, .from_file = bytes == NULL};
    int rc = cop_bytes_open(&s->bytes, path, bytes, len, err);
    if (rc != 0)
        return rc;
    s->piece = cop_alloc(COP_SOURCE_PIECE);
    s->text = cop_alloc(COP_SOURCE_LINE);
    return 0;
}

void cop_source_close(cop_source *s)
{
    cop_bytes_close(&s->bytes);
    cop_free(s->piece);
    cop_free(s->text);
    *s = (cop_source){0};
}

bool cop_source_fill(cop_source *s)
{
    if (s->ended)
        return false;
    int64_t got = cop_bytes_read(&s->bytes, s->piece, COP_SOURCE_PIECE);
    s->at = 0;
    s->n = got > 0 ? (size_t)got : 0;
    s->ended = got <= 0;
    s->failed |= got < 0;
    return got > 0;
}

bool cop_source_end(cop_source *s)
{
    uint64_t from = s->offset;
    do {
        s->offset += s->n - s->at;
        s->at = s->n;
    } while (s->offset - from <= COP_SOURCE_PIECE && cop_source_fill(s));
    return s->ended && !s->failed;
}

bool cop_source_get(cop_source *s, void *to, size_t n)
{
    char *out = to;
    while (n > 0) {
        if (s->at == s->n && !cop_source_fill(s))
            return false;
        size_t part = s->n - s->at < n ? s->n - s->at : n;
        memcpy(out, s->piece + s->at, part);
        s->at += part;
        s->offset += part;
        out += part;
        n -= part;
    }
    return true;
}

size_t cop_source_peek(cop_source *s, void *to, size_t n)
{
    COP_CHECK(s->offset == 0);
    if (s->n == 0)
        (void)cop_source_fill(s);
    n = n < s->n ? n : s->n;
    memcpy(to, s->piece, n);
    return n;
}

/* Take one line, up to and without its end, into s->text; comments become a space. */
static bool take_line(cop_source *s)
{
    size_t used = 0;
    uint8_t c = 0, last = 0;
    bool skip = false, any = false;
    s->line++;
    while (cop_source_byte(s, &c)) {
        any = true;
        if (c == '\n')
            break;
        if (s->in_comment) {
            if (last == '*' && c == '/') {
                s->in_comment = false;
                c = 0;
            }
        } else if (!skip && last == '/' && (c == '/' || c == '*')) {
            skip = c == '/';
            s->in_comment = c == '*';
            s->text[used - 1] = ' ';
            c = 0;
        } else if (!skip) {
            if (used + 1 == COP_SOURCE_LINE || c == '\0') {
                s->failed = true;
                (void)cop_source_fault(s, c == '\0' ? "has a byte 0; is it a text file?"
                                                    : "is longer than 4095 characters; break it");
                return false;
            }
            s->text[used++] = (char)c;
        }
        last = c;
    }
    s->text[used] = '\0';
    if (!any)
        s->line--;
    return any && !s->failed;
}

char *cop_source_line(cop_source *s)
{
    while (take_line(s)) {
        char *from = s->text + strspn(s->text, " \t\r\f\v");
        if (*from != '\0')
            return from;
    }
    if (!s->failed && s->in_comment) {
        s->failed = true;
        (void)cop_source_fault(s, "the file ends inside a comment; close it with */");
    }
    return NULL;
}

static int fault(cop_source *s, bool line, uint64_t at, const char *fmt, va_list ap)
{
    char text[512];
    vsnprintf(text, sizeof(text), fmt, ap);
    s->failed = true;
    return cop_err_add(s->err, COP_E_INPUT, "%s:%s%" PRIu64 ": %s", s->name, line ? "" : " byte ",
                       at, text);
}

int cop_source_fault(cop_source *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = fault(s, true, s->line > 0 ? s->line : 1, fmt, ap);
    va_end(ap);
    return rc;
}

int cop_source_fault_at(cop_source *s, uint64_t offset, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = fault(s, false, offset, fmt, ap);
    va_end(ap);
    return rc;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

char *cop_word(char **text, size_t *length)
{
    char *p = *text;
    while (is_space(*p))
        p++;
    char *word = p;
    while (*p != '\0' && !is_space(*p))
        p++;
    *length = (size_t)(p - word);
    while (is_space(*p))
        p++;
    *text = p;
    return word;
}

bool cop_whole(const char *word, size_t n, uint64_t max, uint64_t *value)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = (uint64_t)(unsigned char)word[i] - '0';
        if (digit > 9 || v > (max - digit) / 10 || digit > max)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return n > 0 && v <= max;
}
