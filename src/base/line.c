/* See line.h. */
#include "base/line.h"

#include <string.h>

void cop_line_put(cop_line *l, const char *text)
{
    size_t n = strlen(text);
    l->at = cop_grow(l->at, &l->capacity, l->used + n + 1, 1);
    memcpy(l->at + l->used, text, n + 1);
    l->used += n;
}

const char *cop_line_take(cop_line *l, cop_arena *a)
{
    const char *text = cop_arena_strdup(a, l->at ? l->at : "");
    cop_free(l->at);
    *l = (cop_line){0};
    return text;
}
