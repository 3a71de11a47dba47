/* What the parts of draw.c share: numbers and names at random, and text that is added to a scenario. */
#ifndef COP_TEST_DRAW_INT_H
#define COP_TEST_DRAW_INT_H

#include "draw.h"

static inline uint32_t below(draw *d, uint32_t n)
{
    return cop_rng_below(&d->rng, n);
}

static inline uint32_t between(draw *d, uint32_t least, uint32_t most)
{
    return least + below(d, most - least + 1);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})
#define ONE_OF(d, ...) (TEXTS(__VA_ARGS__)[below((d), (uint32_t)COP_LEN(TEXTS(__VA_ARGS__)))])

/* Append to the text of the scenario, at most DRAW_ROW - 1 characters at once. */
#define DRAW_ROW 400u
void draw_put(draw *d, const char *fmt, ...) COP_PRINTF(2, 3);

/* The section `traffic`, of one to three entries; hosts and duration have been drawn. */
void draw_traffic(draw *d);

#endif
