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

/* Behind `lead` spaces. */
static void wrap_comment(FILE *out, size_t lead, const char *text, size_t n)
{
    size_t mark = strncmp(text, "# ", n < 2 ? n : 2) == 0 ? (n < 2 ? n : 2) : 0;
    const char *before = "# ";
    text += mark, n -= mark;
    do {
        size_t k = fits(text, n, WIDTH - lead - strlen(before));
        fprintf(out, "%*s%s%.*s\n", (int)lead, "", k > 0 ? before : "#", (int)k, text);
        while (k < n && text[k] == ' ')
            k++;
        text += k, n -= k, before = "#   ";
    } while (n > 0);
}

void cop_wrap_comment(FILE *out, const char *text, size_t n)
{
    wrap_comment(out, 0, text, n);
}

void cop_wrap_comments(FILE *out, const char *text)
{
    for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (text[0] == '#')
            wrap_comment(out, 0, text, n);
        else
            fprintf(out, "%.*s\n", (int)n, text);
    }
}

/* Where in a line of YAML we are. */
typedef struct yaml_place {
    char quote; /* that is open; 0: none */
    unsigned depth; /* of brackets */
} yaml_place;

/* Go on over line[i]; the number of bytes. */
static size_t step_over(yaml_place *p, const char *line, size_t i)
{
    char c = line[i];
    if (p->quote != '\0') {
        if (c == '\\' && p->quote == '"')
            return 2;
        p->quote = c == p->quote ? '\0' : p->quote;
    } else if (c == '"' || c == '\'') {
        p->quote = c;
    } else if (c == '[' || c == '{') {
        p->depth++;
    } else if ((c == ']' || c == '}') && p->depth > 0) {
        p->depth--;
    }
    return 1;
}

/* May the line go on below from the space at i? Inside quotes, and behind a comma inside brackets, a line break is a space. */
static bool may_break(const yaml_place *p, const char *line, size_t i)
{
    if (line[i] != ' ' || i == 0 || strchr(" \\", line[i - 1]) != NULL || line[i + 1] == ' ')
        return false;
    return p->quote != '\0' || (p->depth > 0 && line[i - 1] == ',');
}

static void wrap_yaml_line(FILE *out, const char *line, size_t n)
{
    yaml_place p = {0};
    size_t lead = indent_of(line), last = 0, start = 0, used = 0;
    for (size_t i = 0, step; i < n; i += step) {
        if (may_break(&p, line, i))
            last = i;
        if (p.quote == '\0' && p.depth == 0 && strncmp(line + i, " # ", 3) == 0) {
            fprintf(out, "%.*s\n", (int)(i - start), line + start);
            wrap_comment(out, lead + 2, line + i + 1, n - i - 1);
            return;
        }
        step = step_over(&p, line, i);
        for (size_t k = i; k < i + step; k++)
            used += ((unsigned char)line[k] & 0xc0) != 0x80;
        if (used <= WIDTH || last <= start)
            continue;
        fprintf(out, "%.*s\n%*s", (int)(last - start), line + start, (int)lead + 4, "");
        start = last + 1, used = lead + 4;
        for (size_t k = start; k < i + step; k++)
            used += ((unsigned char)line[k] & 0xc0) != 0x80;
    }
    fprintf(out, "%.*s\n", (int)(n - start), line + start);
}

void cop_wrap_yaml(FILE *out, const char *text)
{
    cop_arena arena = {0};
    for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (text[0] == '#')
            wrap_comment(out, 0, text, n);
        else if (cop_columns(cop_arena_printf(&arena, "%.*s", (int)n, text)) <= WIDTH)
            fprintf(out, "%.*s\n", (int)n, text);
        else
            wrap_yaml_line(out, text, n);
    }
    cop_arena_free(&arena);
}
