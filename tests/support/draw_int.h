/* What the parts of draw.c share: numbers and names at random, and text that is added to a scenario.
 *
 * One draw per expression: in which order a compiler evaluates two of them is its own choice, and
 * scenario n must be the same for all. Hence PUT_NUMBER and PUT_NAME, one after the other. */
#ifndef COP_TEST_DRAW_INT_H
#define COP_TEST_DRAW_INT_H

#include "draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exp/config.h"

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
void draw_put(draw *d, const char *fmt, ...) COP_PRINTF(2, 3);
/* One drawn number, or one of the names, at the only place for it in the format. */
#define PUT_NUMBER(d, fmt, least, most) draw_put((d), fmt, between((d), (least), (most)))
#define PUT_NAME(d, fmt, ...) draw_put((d), fmt, ONE_OF((d), __VA_ARGS__))

/* draw_options.c. A value of an option that is a number or a size, `longest` ns at most if it is a time; false: it is none. */
bool draw_number(draw *d, const cop_opt *o, uint32_t longest, char *text, size_t size);
/* Options of a plug-in that nothing here knows more about than its table says, but some: half of them are given. */
void draw_put_options(draw *d, const cop_opt *o, const char *const *but);
/* Append options of a topology to `text`: those that are required, and half of the others. What counts something is a
 * few more than the least, lists have up to three items and are as long as each other. */
void draw_sizes(draw *d, const cop_opt *o, char *text, size_t size);
/* How many names up to NULL. */
uint32_t draw_count(const char *const *names);

/* Read d->topology with other sections and build it; false: it is refused, and nothing is left to free. */
bool draw_load(const draw *d, const char *more, cop_config *c, cop_topo *t, cop_err *err);
/* The sections `topology`, `routing` and `link`. */
void draw_network(draw *d);

/* The section `traffic`, of one to three entries; hosts and duration have been drawn. */
void draw_traffic(draw *d);

#endif
