/* See bounds.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bounds.h"

#include <string.h>

static const char base[] = "run: {duration: 10 ns}\n"
                           "topology: {kind: chain, hosts: [2, 2]}\n"
                           "switch: {buffer: 64 KiB}\n"
                           "nic: {mtu: 2048 B, overhead: 0 B}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n";

static int try(const char *const *set, size_t n, cop_err *err)
{
    cop_result r;
    int rc = scn_run(base, set, n, &r, err);
    if (rc == 0)
        cop_result_free(&r);
    return rc;
}

void check_bounds(const bound *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *set[BOUND_SET_MOST + 1];
        size_t k = 0;
        for (; k < BOUND_SET_MOST && b[i].always[k] != NULL; k++)
            set[k] = b[i].always[k];
        set[k] = b[i].good;
        cop_err err = {0};
        if (try(set, k + (b[i].good != NULL), &err) != 0)
            fail_msg("%.80s is refused: %s", b[i].good ? b[i].good : set[0], err.text);
        set[k] = b[i].bad;
        err = (cop_err){0};
        if (try(set, k + 1, &err) != -COP_E_INPUT)
            fail_msg("%.80s is accepted", b[i].bad);
        if (strstr(err.text, b[i].says) == NULL)
            fail_msg("%.80s: `%s` does not say `%s`", b[i].bad, err.text, b[i].says);
        if (strchr(err.text, '\n') != NULL || strchr(err.text, ';') == NULL)
            fail_msg("%.80s: `%s` is more than a line, or has no remedy", b[i].bad, err.text);
    }
}
