/* Text that grows. Zero-initialise. */
#ifndef COP_LINE_H
#define COP_LINE_H

#include "base/mem.h"

typedef struct cop_line {
    char *at; /* heap; NULL: empty */
    size_t used, capacity;
} cop_line;

void cop_line_put(cop_line *l, const char *text);
/* A copy of the text in the arena; the line is empty again. */
const char *cop_line_take(cop_line *l, cop_arena *a);

#endif
