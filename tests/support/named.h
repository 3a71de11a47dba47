/* Scalars and series of a result by their names. A test that asks for one that is not there fails. */
#ifndef COP_TEST_NAMED_H
#define COP_TEST_NAMED_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exp/run.h"

/* For names that only some runs have. */
static inline double scalar_or(const cop_result *r, const char *name, double otherwise)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    return otherwise;
}

static inline double scalar(const cop_result *r, const char *name)
{
    double value = scalar_or(r, name, NAN);
    if (isnan(value))
        fail_msg("no scalar `%s`", name);
    return value;
}

/* NULL if there is none. */
static inline const cop_series *series_if_any(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0)
            return &r->series[i];
    return NULL;
}

static inline const cop_series *series(const cop_result *r, const char *name)
{
    const cop_series *found = series_if_any(r, name);
    if (found == NULL)
        fail_msg("no series `%s`", name);
    return found;
}

#endif
