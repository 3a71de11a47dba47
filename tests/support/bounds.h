/* Bounds of what is accepted: just beyond one a configuration is refused with the words that help, just inside it
 * runs. */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "scenario.h"

enum { BOUND_SET_MOST = 5 };

typedef struct bound {
    const char *always[BOUND_SET_MOST]; /* with this, ... */
    const char *good; /* ... this is accepted, NULL: that alone is ... */
    const char *bad; /* ... and this is not, */
    const char *says; /* in these words */
} bound;

/* Fails the test unless all hold, on a chain of two switches with two hosts each. */
void check_bounds(const bound *bounds, size_t n);

#endif
