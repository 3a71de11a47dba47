/* What the parts of draw.c share: numbers and names at random, and text that is added to a scenario.
 *
 * One draw per expression: in which order a compiler evaluates two of them is its own choice, and
 * scenario n must be the same for all. Hence PUT_NUMBER and PUT_NAME, one after the other. */
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

/* 0, or as often a number of that range. */
static inline uint32_t maybe(draw *d, uint32_t least, uint32_t most)
{
    return below(d, 2) ? between(d, least, most) : 0;
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})
#define ONE_OF(d, ...) (TEXTS(__VA_ARGS__)[below((d), (uint32_t)COP_LEN(TEXTS(__VA_ARGS__)))])

#define NUMBERS(...) ((const uint32_t[]){__VA_ARGS__})
#define ONE_OF_NUMBERS(d, ...)                                                                     \
    (NUMBERS(__VA_ARGS__)[below((d), (uint32_t)COP_LEN(NUMBERS(__VA_ARGS__)))])

/* Append to the text of the scenario, at most DRAW_ROW - 1 characters at once. */
#define DRAW_ROW 400u
void draw_put(draw *d, const char *fmt, ...) COP_PRINTF(2, 3);
/* One drawn number, or one of the names, at the only place for it in the format. */
#define PUT_NUMBER(d, fmt, least, most) draw_put((d), fmt, between((d), (least), (most)))
#define PUT_NAME(d, fmt, ...) draw_put((d), fmt, ONE_OF((d), __VA_ARGS__))

/* The section `traffic`, of one to three entries; hosts and duration have been drawn. */
void draw_traffic(draw *d);

#endif
