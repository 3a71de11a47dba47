/* Curves over time in a terminal. */
#ifndef COP_PLOT_H
#define COP_PLOT_H

#include "base/base.h"

#include <stdio.h>

typedef struct cop_plot_line {
    const char *name;
    const double *y; /* n values; not finite: a gap */
    size_t n;
} cop_plot_line;

typedef struct cop_plot_axes {
    const char *title, *y_unit;
    cop_time step; /* time between two values */
    cop_time cycle; /* 0: time is in seconds, else in these */
    unsigned width,
        height; /* of the whole drawing in columns, of the curves in rows; 0: defaults */
} cop_plot_axes;

/* With colour: dots in block characters, a colour per line. Without: a letter per line. */
void cop_plot(FILE *out, const cop_plot_line *lines, size_t n, const cop_plot_axes *axes,
              bool colour);

#endif
