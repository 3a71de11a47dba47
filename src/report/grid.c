/* A table of texts for a terminal (grid.h). */
#include "report/grid.h"

#include "base/mem.h"
#include "base/text.h"

#include <math.h>

#define GAP 2 /* between columns; rankings have many, and one */
#define MAX_CELL 28

cop_grid cop_grid_new(cop_arena *a, size_t rows, size_t columns)
{
    cop_grid g = {COP_NEW_ARRAY(a, const char *, cop_product(rows, columns)), rows, columns, GAP,
                  false};
    for (size_t i = 0; i < rows * columns; i++)
        g.cell[i] = "";
    return g;
}

const char **cop_grid_at(const cop_grid *g, size_t row, size_t column)
{
    return &g->cell[row * g->columns + column];
}

double cop_grid_real(const json_t *v)
{
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static size_t shown_columns(const char *text)
{
    size_t n = cop_columns(text);
    return n > MAX_CELL ? MAX_CELL : n;
}

static size_t column_width(const cop_grid *g, size_t column)
{
    size_t most = 1;
    for (size_t i = 0; i < g->rows; i++) {
        size_t n = shown_columns(*cop_grid_at(g, i, column));
        most = n > most ? n : most;
    }
    return most;
}

static void put_cell(FILE *out, const char *text, size_t width, bool right)
{
    size_t n = cop_columns(text), shown = n > width ? width : n;
    fprintf(out, "%*s", right ? (int)(width - shown) : 0, "");
    for (size_t left = n > width ? width - 1 : n; *text != '\0'; text++) {
        if (((unsigned char)*text & 0xc0) != 0x80 && left-- == 0)
            break;
        fputc(*text, out);
    }
    fputs(n > width ? "…" : "", out);
    if (!right)
        fprintf(out, "%*s", (int)(width - shown), "");
}

/* The first column and those from `from` up to `to`. */
static void put_part(const cop_grid *g, size_t from, size_t to, FILE *out)
{
    size_t names = column_width(g, 0);
    for (size_t i = 0; i < g->rows; i++) {
        fputs("  ", out);
        put_cell(out, *cop_grid_at(g, i, 0), names, false);
        for (size_t k = from; k < to; k++) {
            fprintf(out, "%*s", (int)g->gap, "");
            put_cell(out, *cop_grid_at(g, i, k), column_width(g, k), true);
        }
        fputc('\n', out);
    }
}

void cop_grid_print(const cop_grid *g, FILE *out, unsigned width)
{
    size_t names = column_width(g, 0) + 2;
    for (size_t from = 1; from < g->columns;) {
        size_t used = names, to = from;
        while (to < g->columns && (to == from || used + g->gap + column_width(g, to) <= width))
            used += g->gap + column_width(g, to++);
        put_part(g, from, to, out);
        from = to;
    }
}
