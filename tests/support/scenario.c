#include "scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int scn_run(const char *yaml, const char *const *set, size_t n, cop_result *r, cop_err *err)
{
    return scn_run_with(NULL, yaml, set, n, r, err);
}

int scn_run_with(const struct cop_plugin_set *more, const char *yaml, const char *const *set,
                 size_t n, cop_result *r, cop_err *err)
{
    cop_config c;
    cop_err own = {0}, *e = err ? err : &own;
    cop_override overrides[32];
    COP_CHECK(n <= COP_LEN(overrides));
    for (size_t i = 0; i < n; i++)
        overrides[i] = (cop_override){.text = set[i]};
    int rc = cop_config_load_with(&c, more, "test.yaml", yaml, overrides, n, e);
    if (rc == 0) {
        rc = cop_run(&c, NULL, r, e);
        cop_config_free(&c);
    }
    if (rc && err == NULL) {
        fprintf(stderr, "%s\n", own.text);
        abort();
    }
    return rc;
}

double scn_gbps(const cop_result *r, const char *entry)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < r->n_streams; i++)
        if (strcmp(r->stream[i].entry, entry) == 0)
            sum += r->stream[i].gbps;
    return sum;
}

uint32_t scn_rounds(void)
{
    const char *text = getenv("COPPICE_ROUNDS");
    int n = text ? atoi(text) : 1;
    return n > 0 ? (uint32_t)n : 1;
}

const char *scn_text(char *buf, size_t size, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, size, fmt, ap);
    va_end(ap);
    return buf;
}
