/* Counters and series of runs with congestion control. */
#ifndef COP_IBCC_NET_FIXTURE_H
#define COP_IBCC_NET_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "named.h"
#include "scenario.h"

static inline void near(double value, double expected, double tolerance)
{
    if (fabs(value - expected) > tolerance * fabs(expected)) {
        print_error("%g, expected %g within %g %%\n", value, expected, tolerance * 100.0);
        fail();
    }
}

/* Hosts 0 and 3 overload host 1; host 2 sends to host 4 untouched. */
static const char hot[] = "run: {duration: 2 ms}\n"
                          "topology: {kind: single, hosts: 5}\n"
                          "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                          "cc: {kind: ibcc, preset: testbed, ccti_timer: 20 us}\n"
                          "traffic:\n"
                          "  - {name: hot, from: [0, 3], pattern: fixed, to: 1}\n"
                          "  - {name: cold, from: [2], pattern: fixed, to: 4}\n";

#endif
