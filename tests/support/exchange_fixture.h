/* Runs with exchanges, their scalars, and the time of a message in an idle network. */
#ifndef COP_EXCHANGE_FIXTURE_H
#define COP_EXCHANGE_FIXTURE_H

#include "named.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MTU 2048u
#define HEADER 64u
#define EXACT 1e-9 /* us: a thousandth of a picosecond */

static inline void run(cop_result *r, const char *fmt, ...) COP_PRINTF(2, 3);
static inline void run(cop_result *r, const char *fmt, ...)
{
    char yaml[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(yaml, sizeof(yaml), fmt, ap);
    va_end(ap);
    scn_run(yaml, NULL, 0, r, NULL);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    assert_int_equal(r->packets_injected, r->packets_delivered + r->packets_in_flight);
    assert_int_equal(r->credits_missing, 0);
}

static inline void assert_us(double is, double expected)
{
    if (fabs(is - expected) > EXACT)
        print_error("%.9f us, expected %.9f us\n", is, expected);
    assert_true(fabs(is - expected) <= EXACT);
}

/* Last byte of `bytes` (with `overhead` per packet) over n links of one rate, 20 ns each, in an idle
 * network of switches with a pipeline of 100 ns. */
static inline double idle_us(uint64_t bytes, uint32_t overhead, uint32_t links, uint32_t gbps)
{
    uint64_t packets = (bytes + MTU - 1) / MTU, wire = bytes + packets * overhead;
    uint64_t first = (bytes < MTU ? bytes : MTU) + overhead;
    uint64_t header = first < HEADER ? first : HEADER;
    double c = 8.0 / gbps; /* ns per byte */
    return (links * 20.0 + (links - 1) * ((double)header * c + 100.0) + (double)wire * c) / 1e3;
}

#endif
