/* Curves over time in a terminal.
 *
 * Mechanism: every character cell holds dots_x x dots_y dots: 2 x 4 in Braille patterns with
 * colour, 1 x 1 as letters without. A column of dots shows the mean of the values that fall into
 * it; columns are joined by vertical strokes, so steep steps stay connected. Simplification: a cell
 * has one colour, that of the line drawn last. */
#include "plot.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define MARGIN 9 /* columns of y labels and axis */
#define MAX_ROWS 60

typedef struct canvas {
    unsigned columns, rows; /* cells */
    unsigned dots_x, dots_y; /* per cell */
    unsigned char *bits; /* Braille dots of a cell */
    unsigned char *line; /* 1 + line drawn last; 255: several, without colour */
    double y_max;
} canvas;

static const char *const colours[] = {"\033[36m", "\033[33m", "\033[35m", "\033[32m",
                                      "\033[94m", "\033[31m", "\033[97m", "\033[90m"};
/* Dots of a Braille pattern, [column][row from the top]. */
static const unsigned char braille[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

/* A round number not below v whose quarters are round too. */
static double nice_ceiling(double v)
{
    const double steps[] = {1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8};
    double power = 1;
    while (power * 10 <= v)
        power *= 10;
    while (power > v)
        power /= 10;
    for (size_t i = 0; i < COP_LEN(steps); i++)
        if (power * steps[i] >= v)
            return power * steps[i];
    return power * 10;
}

static double top_of(const cop_plot_line *lines, size_t n)
{
    double top = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < lines[i].n; k++)
            if (isfinite(lines[i].y[k]) && lines[i].y[k] > top)
                top = lines[i].y[k];
    return top > 1e-12 && top < 1e300 ? nice_ceiling(top) : 1;
}

static void put_dot(canvas *c, unsigned x, unsigned y, unsigned char line)
{
    unsigned column = x / c->dots_x, row = c->rows - 1 - y / c->dots_y;
    size_t cell = (size_t)row * c->columns + column;
    unsigned char owner = (unsigned char)(line + 1);
    c->bits[cell] |= braille[x % c->dots_x][3 - y % c->dots_y];
    bool shared = c->line[cell] != 0 && c->line[cell] != owner && c->dots_x == 1;
    c->line[cell] = shared ? 255 : owner;
}

/* Mean of the values of dot column x; false if there is none. */
static bool column_value(const cop_plot_line *l, size_t longest, unsigned x, unsigned columns,
                         double *value)
{
    size_t from = (size_t)x * longest / columns, to = ((size_t)x + 1) * longest / columns;
    double sum = 0;
    size_t count = 0;
    for (size_t k = from; k < (to > from ? to : from + 1) && k < l->n; k++) {
        if (isfinite(l->y[k])) {
            sum += l->y[k];
            count++;
        }
    }
    *value = count ? sum / (double)count : 0;
    return count > 0;
}

static void draw_line(canvas *c, const cop_plot_line *l, size_t longest, unsigned char number)
{
    unsigned columns = c->columns * c->dots_x, rows = c->rows * c->dots_y;
    bool joined = false;
    unsigned before = 0;
    for (unsigned x = 0; x < columns; x++) {
        double v;
        if (!column_value(l, longest, x, columns, &v)) {
            joined = false;
            continue;
        }
        double at = v <= 0 ? 0 : v / c->y_max * (rows - 1) + 0.5;
        unsigned y = at >= rows - 1 ? rows - 1 : (unsigned)at;
        unsigned low = joined && before < y ? before + 1 : y;
        unsigned high = joined && before > y ? before - 1 : y;
        for (unsigned k = low; k <= high; k++)
            put_dot(c, x, k, number);
        put_dot(c, x, y, number);
        before = y;
        joined = true;
    }
}

/* Prints one cell; `colour` NULL: as a letter, else the line whose colour is switched on. */
static void print_cell(FILE *out, const canvas *c, size_t cell, unsigned *colour)
{
    unsigned owner = c->line[cell];
    if (owner == 0) {
        fputc(' ', out);
        return;
    }
    if (colour == NULL) {
        fputc(owner == 255 ? '*' : 'A' + (int)((owner - 1) % 26), out);
        return;
    }
    if (*colour != owner)
        fputs(colours[(owner - 1) % COP_LEN(colours)], out);
    *colour = owner;
    /* U+2800 + bits in UTF-8 */
    fprintf(out, "%c%c%c", 0xe2, 0xa0 | c->bits[cell] >> 6, 0x80 | (c->bits[cell] & 0x3f));
}

/* Four digits, or all of a larger number as long as it fits the margin: 12000, not 1.2e+04. */
static int print_number(char *buf, size_t size, double v)
{
    return snprintf(buf, size, v >= 1e4 && v < 9999999.5 ? "%.0f" : "%.4g", v);
}

static void print_rows(FILE *out, const canvas *c, bool colour)
{
    for (unsigned row = 0; row < c->rows; row++) {
        bool labelled = row % ((c->rows - 1) / 4) == 0;
        double value = c->y_max * (c->rows - 1 - row) / (c->rows - 1);
        char label[16] = "";
        if (labelled)
            print_number(label, sizeof(label), value);
        fprintf(out, "%7s %s", label, colour ? "\u2502" : "|");
        unsigned last = c->columns;
        while (last > 0 && c->line[(size_t)row * c->columns + last - 1] == 0)
            last--;
        unsigned switched_on = 0;
        for (unsigned i = 0; i < last; i++)
            print_cell(out, c, (size_t)row * c->columns + i, colour ? &switched_on : NULL);
        fputs(switched_on ? "\033[0m\n" : "\n", out);
    }
}

static const char *const time_units[] = {"ps", "ns", "us", "ms", "s"};

static void print_time_axis(FILE *out, unsigned columns, cop_time span, cop_time cycle, bool colour)
{
    double scale = 1;
    size_t unit = 0;
    for (; cycle == 0 && unit + 1 < COP_LEN(time_units) && (double)span / scale >= 2000; unit++)
        scale *= 1000;
    if (cycle > 0)
        scale = (double)cycle;
    fprintf(out, "%7s %s", "", colour ? "\u2514" : "+");
    for (unsigned i = 0; i < columns; i++)
        fputs(colour ? "\u2500" : "-", out);
    fprintf(out, "\n%*s", MARGIN, "");
    unsigned used = 0;
    for (unsigned tick = 0; tick <= 4; tick++) {
        char label[40];
        double v = (double)span * tick / 4 / scale;
        int n = print_number(label, sizeof(label), v);
        if (tick == 4)
            n += snprintf(label + n, sizeof(label) - (size_t)n, " %s",
                          cycle > 0 ? "cycles" : time_units[unit]);
        unsigned at = columns * tick / 4;
        unsigned start = at + (unsigned)n > columns ? columns - (unsigned)n : at;
        if (start < used)
            continue;
        fprintf(out, "%*s%s", (int)(start - used), "", label);
        used = start + (unsigned)n;
    }
    fputc('\n', out);
}

static void print_legend(FILE *out, const cop_plot_line *lines, size_t n, unsigned width,
                         bool colour)
{
    size_t used = MARGIN;
    cop_arena arena = {0};
    fprintf(out, "%*s", MARGIN, "");
    for (size_t i = 0; i < n; i++) {
        const char *name = cop_plain_copy(&arena, lines[i].name);
        size_t length = cop_columns(name) + 5;
        if (used + length > width && used > MARGIN) {
            fprintf(out, "\n%*s", MARGIN, "");
            used = MARGIN;
        }
        if (colour)
            fprintf(out, "%s\u2501\u2501\033[0m %s  ", colours[i % COP_LEN(colours)], name);
        else
            fprintf(out, "%c: %s  ", 'A' + (int)(i % 26), name);
        used += length;
    }
    bool several = n > 1 && !colour;
    if (several && used + strlen("*: several") > width)
        fprintf(out, "\n%*s", MARGIN, "");
    fputs(several ? "*: several\n" : "\n", out);
    cop_arena_free(&arena);
}

void cop_plot(FILE *out, const cop_plot_line *lines, size_t n, const cop_plot_axes *axes,
              bool colour)
{
    size_t longest = 0;
    for (size_t i = 0; i < n; i++)
        longest = lines[i].n > longest ? lines[i].n : longest;
    if (longest == 0)
        return;
    unsigned width = axes->width >= 40 ? axes->width : 100;
    unsigned rows = axes->height >= 5 && axes->height <= MAX_ROWS ? axes->height : 12;
    rows = rows / 4 * 4 + 1; /* every quarter of the axis is a row */
    canvas c = {.columns = width - MARGIN - 1, .rows = rows, .dots_x = 1, .dots_y = 1};
    if (colour) {
        c.dots_x = 2;
        c.dots_y = 4;
    }
    c.bits = cop_alloc_array(c.columns, rows);
    c.line = cop_alloc_array(c.columns, rows);
    c.y_max = top_of(lines, n);
    for (size_t i = 0; i < n && i < 250; i++)
        draw_line(&c, &lines[i], longest, (unsigned char)i);
    fprintf(out, "%s (%s)\n", axes->title, axes->y_unit);
    print_rows(out, &c, colour);
    print_time_axis(out, c.columns, axes->step * longest, axes->cycle, colour);
    print_legend(out, lines, n, width, colour);
    cop_free(c.bits);
    cop_free(c.line);
}
