/* Shapes of event queues, and when two events are twins. */
#ifndef COP_EVQ_FIXTURE_H
#define COP_EVQ_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "des/evq.h"

static inline bool same(cop_ev a, cop_ev b)
{
    return a.t == b.t && a.id == b.id;
}

typedef struct shape {
    bool heap;
    cop_time bucket_ps, span_ps;
} shape;

static const shape shapes[] = {
    {true, 0, 0},
    {false, 4 * COP_NS, 4 * COP_US},
    {false, 1, 1}, /* 4 ps, the smallest ring */
    {false, 0, 0}, /* nonsense is made usable */
    {false, 1000, COP_MS}, /* narrow buckets, a wide ring */
    {false, COP_SECOND, 10 * COP_SECOND} /* everything in a few buckets */,
    {false, UINT64_MAX, UINT64_MAX},
};

#endif
