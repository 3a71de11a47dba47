/* The program in a folder with one good run file, good.yaml. */
#ifndef COP_CLI_FIXTURE_H
#define COP_CLI_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "program.h"

static const char good[] =
    "name: good\n"
    "run: {duration: 50 us, warmup: 10 us}\n"
    "topology: {kind: chain, hosts: [2, 2]}\n"
    "traffic:\n"
    "  - {name: F1, from: [0], pattern: fixed, to: 3}\n"
    "  - {name: F2, from: [1], pattern: fixed, to: 2, arrival: poisson, load: 30 %}\n";

/* Every test begins with good.yaml alone. */
static inline int fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    prog_write("good.yaml", good);
    return 0;
}

#endif
