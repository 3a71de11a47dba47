/* Options of the InfiniBand congestion control, and what it is told about a network. */
#ifndef COP_IBCC_FIXTURE_H
#define COP_IBCC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cc/ibcc.h"

#define MTU 2048u

static const cop_netinfo facts = {
    .n_hosts = 32, .mtu_bytes = MTU, .buffer_bytes = 65536, .lanes = 1};

static inline ibcc_cfg defaults(cop_arena *arena)
{
    ibcc_cfg c = {0};
    cop_opt_defaults(ibcc_opts, &c, arena);
    c.preset = IBCC_TESTBED; /* auto asks the network, which is not here */
    return c;
}

#endif
