/* A run file for tests of the reader. */
#ifndef COP_CONFIG_FIXTURE_H
#define COP_CONFIG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "exp/config.h"

static const char base_text[] = "title: two switches\n"
                                "run: {duration: 2 ms, warmup: 500 us, seed: 7}\n"
                                "topology:\n"
                                "  kind: kary-ntree\n"
                                "  k: 4\n"
                                "  n: 3\n"
                                "link: {rate: 13.5 Gbit/s, delay: 20 ns}\n"
                                "switch:\n"
                                "  buffer: 64 KiB\n"
                                "traffic:\n"
                                "  - {name: F1, from: [0, 2-4], pattern: fixed, to: 9}\n"
                                "  - name: F2\n"
                                "    from: 5\n"
                                "    arrival: constant\n"
                                "    rate: 2.5 GB/s\n";

static inline void expect(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("text lacks `%s`: %s", part, text);
}

static inline void load_good(cop_config *c, const char *text, const char *const *set, size_t n)
{
    cop_override overrides[4] = {{.text = NULL}};
    cop_err err = {0};
    for (size_t i = 0; i < n; i++)
        overrides[i].text = set[i];
    if (cop_config_load(c, "dir/two.yaml", text, overrides, n, &err) != 0)
        fail_msg("%s", err.text);
}

#define TOPO "topology: {kind: kary-ntree, k: 4, n: 2}\n"

#endif
