/* A table of texts for a terminal: filled cell by cell, printed in lines of at most `width` columns. Private to
 * src/report. */
#ifndef COP_REPORT_GRID_H
#define COP_REPORT_GRID_H

#include "report/report_int.h"

typedef struct cop_grid {
    const char **cell; /* rows x columns, the first of both are names */
    size_t rows, columns, gap;
    bool intervals; /* values of several seeds have a ± */
} cop_grid;

/* All cells empty, in the arena. */
cop_grid cop_grid_new(cop_arena *a, size_t rows, size_t columns);
const char **cop_grid_at(const cop_grid *g, size_t row, size_t column);
/* A number of the document; not finite: it is none. */
double cop_grid_real(const json_t *v);
/* One that is wider is cut into several, each with the first column. */
void cop_grid_print(const cop_grid *g, FILE *out, unsigned width);

/* A ranking has tables of its own (ranking_text.c). */
void cop_ranking_print(const json_t *f, FILE *out, unsigned width, cop_arena *a);

#endif
