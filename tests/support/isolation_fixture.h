/* Runs of schemes that isolate congested flows: their counters, and two networks that several tests
 * use. A scheme and a control are set by overrides on them. */
#ifndef COP_ISOLATION_FIXTURE_H
#define COP_ISOLATION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "exp/run.h"
#include "named.h"
#include "scenario.h"

/* Mean of a series from bin `from` up to bin `to`. */
static inline double level(const cop_result *r, const char *name, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0) {
            double sum = 0.0;
            for (uint32_t b = from; b < to; b++)
                sum += r->series[i].v[b];
            return sum / (to - from);
        }
    print_error("no series %s\n", name);
    fail();
    return 0.0;
}

static inline void run_ok(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    scn_run(yaml, set, n, r, NULL);
    if (r->outcome != COP_OUTCOME_OK)
        print_error("%s\n", r->detail);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
    assert_int_equal(r->packets_lost, 0);
}

static inline void near(double value, double expected, double share)
{
    if (value < expected * (1.0 - share) || value > expected * (1.0 + share))
        print_error("%g, expected %g\n", value, expected);
    assert_true(value >= expected * (1.0 - share) && value <= expected * (1.0 + share));
}

/* Thesis fig. 2.4: three flows to host 4; the victim shares the double-rate link with one. */
static const char two_switches[] = "run: {duration: 2 ms, warmup: 500 us, flows: yes}\n"
                                   "topology: {kind: chain, hosts: [3, 4]}\n"
                                   "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                                   "traffic:\n"
                                   "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                                   "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";

/* Three congestion trees that last 100 us, on a tree with light traffic. */
static const char burst[] = "run: {duration: 800 us, sample: 10 us, drain: yes, flows: yes}\n"
                            "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                            "link: {rate: 20 Gbit/s, delay: 20 ns}\n"
                            "traffic:\n"
                            "  - {name: cold, pattern: uniform, arrival: poisson, load: 30 %}\n"
                            "  - {name: hot, from: [4-12], pattern: list, to_list: [0, 1, 14],"
                            " to_order: by-source,"
                            " start: 50 us, stop: 150 us}\n";

#endif
