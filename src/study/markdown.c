/* See markdown.h. */
#include "study/markdown.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE 100

void cop_markdown_put(cop_markdown *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int need = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    m->at = cop_grow(m->at, &m->capacity, m->used + (size_t)need + 1, 1);
    va_start(ap, fmt);
    vsnprintf(m->at + m->used, (size_t)need + 1, fmt, ap);
    va_end(ap);
    m->used += (size_t)need;
}

void cop_markdown_cell(cop_markdown *m, const char *text)
{
    cop_markdown_put(m, " ");
    for (; *text; text++) {
        if (*text == '|')
            cop_markdown_put(m, "\\|");
        else if (*text == '<' || *text == '>')
            cop_markdown_put(m, *text == '<' ? "&lt;" : "&gt;");
        else
            cop_markdown_put(m, "%c", *text == '\n' ? ' ' : *text);
    }
    cop_markdown_put(m, " |");
}

/* Would a line that begins with this word be no prose: an item, a heading, a table, a number? */
static bool begins_something(const char *word)
{
    size_t n = strcspn(word, " \n"), digits = strspn(word, "0123456789");
    return (n == 1 && strchr("*-+|>", word[0]) != NULL) || word[0] == '#' ||
           (digits > 0 && digits + 1 == n && strchr(".)", word[digits]) != NULL);
}

/* Bytes up to where a line may end: a word, and those that may not begin a line. */
static size_t piece(const char *text)
{
    size_t n = strcspn(text, " \n");
    while (text[n] != '\0' && begins_something(text + n + strspn(text + n, " \n"))) {
        n += strspn(text + n, " \n");
        n += strcspn(text + n, " \n");
    }
    return n;
}

void cop_markdown_prose(cop_markdown *m, const char *head, const char *text)
{
    cop_arena a = {0};
    size_t indent = strlen(head), at = indent;
    bool first = true;
    cop_markdown_put(m, "%s", head);
    for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n")) {
        size_t n = piece(text);
        const char *word = cop_arena_printf(&a, "%.*s", (int)n, text);
        bool fits = first || at + 1 + cop_columns(word) <= LINE;
        if (!first && fits)
            cop_markdown_put(m, " ");
        else if (!first)
            cop_markdown_put(m, "\n%*s", (int)indent, "");
        at = (fits ? at + !first : indent) + cop_columns(word);
        cop_markdown_put(m, "%s", word);
        text += n;
        first = false;
    }
    cop_markdown_put(m, "\n");
    cop_arena_free(&a);
}
