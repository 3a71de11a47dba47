/* Parts of a result by name, and numbers that must agree to the last digits. */
#ifndef COP_RESULTS_FIXTURE_H
#define COP_RESULTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "scenario.h"

/* A sum of a few products: all but rounding. */
static inline void same_number(const char *what, double is, double want)
{
    if (!(fabs(is - want) <= 1e-9 * fabs(want)))
        fail_msg("%s is %.15g, not %.15g", what, is, want);
}

static inline const cop_series *series_of(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0)
            return &r->series[i];
    fail_msg("no series %s", name);
    return NULL;
}

static inline void same_series(const cop_result *r, const char *name, const char *unit,
                               const double *want, uint32_t n)
{
    const cop_series *s = series_of(r, name);
    assert_string_equal(s->unit, unit);
    assert_int_equal(s->n, n);
    for (uint32_t i = 0; i < n; i++)
        same_number(name, s->v[i], want[i]);
}

static inline const cop_port_result *port_of(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_ports; i++)
        if (strcmp(r->port[i].name, name) == 0)
            return &r->port[i];
    fail_msg("no port %s", name);
    return NULL;
}

static inline double scalar_of(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    fail_msg("no scalar %s", name);
    return 0.0;
}

#endif
