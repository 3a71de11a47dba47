/* Where lines break. A line of a description is known by its indentation: an option begins with a dash, its text behind two
 * spaces, and lines that go on stand under that text. */
#include "wrap.h"

#include "base/mem.h"
#include "base/text.h"

#include <string.h>

#define WIDTH 80

/* How many bytes of `text` fit, up to a space; all of it if it is short enough or has none. */
static size_t fits(const char *text, size_t n, size_t columns)
{
    size_t used = 0, last = 0, i = 0;
    for (; i < n && used <= columns; i++) {
        if (text[i] == ' ')
            last = i;
        used += ((unsigned char)text[i] & 0xc0) != 0x80; /* not the rest of a character */
    }
    if (used <= columns)
        return n;
    if (last > 0)
        return last;
    while (i < n && text[i] != ' ') /* a word that is too long for any line */
        i++;
    return i;
}

void cop_wrap_item(FILE *out, const char *head, int column, const char *text)
{
    size_t wide = cop_columns(head), from = (size_t)column;
    fputs(head, out);
    if (wide < from)
        fprintf(out, "%*s", (int)(from - wide), "");
    else if (wide > 0)
        fputc(' ', out), wide++;
    size_t at = wide > from ? wide : from, left = strlen(text);
    do {
        size_t n = fits(text, left, at < WIDTH - 20 ? WIDTH - at : 20);
        fwrite(text, 1, n, out);
        fputc('\n', out);
        n += strspn(text + n, " ");
        text += n, left -= n, at = from;
        if (left > 0)
            fprintf(out, "%*s", (int)from, "");
    } while (left > 0);
}

static size_t indent_of(const char *line)
{
    return strspn(line, " ");
}

/* The column at which the text of a line begins: behind the option or command that it describes. */
static size_t text_column(const char *line, size_t n)
{
    size_t lead = indent_of(line);
    for (size_t i = lead; lead > 0 && i + 2 < n; i++)
        if (line[i] == ' ' && line[i + 1] == ' ')
            return i + indent_of(line + i);
    return lead;
}

/* Does `next` go on with what stands before it at column `from`? */
static bool goes_on(const char *next, size_t from)
{
    size_t lead = indent_of(next);
    return next[lead] != '\n' && next[lead] != '\0' && next[lead] != '-' && lead == from;
}

void cop_wrap_lines(FILE *out, const char *text)
{
    cop_arena arena = {0};
    const char *over = ""; /* what did not fit into the line before */
    size_t from = 0;
    while (*text != '\0' || *over != '\0') {
        size_t n = strcspn(text, "\n");
        const char *line;
        if (*over != '\0' && goes_on(text, from)) {
            line = cop_arena_printf(&arena, "%*s%s %.*s", (int)from, "", over, (int)(n - from),
                                    text + from);
            text += n + (text[n] == '\n');
        } else if (*over != '\0') {
            line = cop_arena_printf(&arena, "%*s%s", (int)from, "", over);
        } else {
            line = cop_arena_printf(&arena, "%.*s", (int)n, text);
            text += n + (text[n] == '\n');
        }
        size_t length = strlen(line), lead = indent_of(line),
               k = lead + fits(line + lead, length - lead, WIDTH - lead);
        bool continued = *over != '\0';
        over = line + k + indent_of(line + k);
        /* Under the text of this line, or where the next one shows that it is. */
        if (*over != '\0' && !continued)
            from = goes_on(text, indent_of(text)) && indent_of(text) > lead
                       ? indent_of(text)
                       : text_column(line, length);
        fprintf(out, "%.*s\n", (int)k, line);
    }
    cop_arena_free(&arena);
}

void cop_wrap_comment(FILE *out, const char *text, size_t n)
{
    size_t mark = strncmp(text, "# ", n < 2 ? n : 2) == 0 ? (n < 2 ? n : 2) : 0;
    const char *before = "# ";
    text += mark, n -= mark;
    do {
        size_t k = fits(text, n, WIDTH - strlen(before));
        fprintf(out, "%s%.*s\n", k > 0 ? before : "#", (int)k, text);
        while (k < n && text[k] == ' ')
            k++;
        text += k, n -= k, before = "#   ";
    } while (n > 0);
}
