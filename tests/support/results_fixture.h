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

#include "named.h"
#include "scenario.h"

/* A sum of a few products: all but rounding. */
static inline void same_number(const char *what, double is, double want)
{
    if (!(fabs(is - want) <= 1e-9 * fabs(want)))
        fail_msg("%s is %.15g, not %.15g", what, is, want);
}

static inline void same_series(const cop_result *r, const char *name, const char *unit,
                               const double *want, uint32_t n)
{
    const cop_series *s = series(r, name);
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

/* Links of 10 Gbit/s (0.8 ns per byte) and 20 ns, packets of 2 KiB (1638.4 ns), 64 bytes of header
 * (51.2 ns), a pipeline of 100 ns. */
#define BYTES 2048.0
#define WIRE_NS (BYTES * 0.8)
#define HOP_NS (20 + 51.2 + 100) /* from the start on one link to the start on the next */

/* From 9 us on, hosts 0 and 1 send a packet each every 10 us, at the same time, to host 2. Host 0
 * comes first; at the samples, 1 us later, the packet of host 1 waits. Host 3 sends a third one
 * with the first two, before the warm-up. The last pair, at 99 us, arrives behind the end. */
static const char pairs[] =
    "run: {duration: 100 us, warmup: 30 us, sample: 10 us, flows: yes}\n"
    "topology: {kind: single, hosts: 4}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {pipeline: 100 ns, header: 64 B}\n"
    "nic: {mtu: 2 KiB}\n"
    "traffic:\n"
    "  - {name: pair, from: [0, 1], pattern: fixed, to: 2, arrival: constant, start: 9 us,"
    " rate: 1.6384 Gbit/s, message: 2 KiB}\n"
    "  - {name: early, from: [3], pattern: fixed, to: 2, messages: 1, message: 2 KiB, start: 9 "
    "us}\n";
#define FIRST_NS (HOP_NS + 20 + WIRE_NS)
#define SECOND_NS (FIRST_NS + WIRE_NS)
/* Of host 0's packet so much is taken in before the bin ends, 1 us after its start; the rest, and all of
 * the others, in the next one. */
#define BEFORE_CUT ((1000 - HOP_NS - 20) / WIRE_NS)

#endif
