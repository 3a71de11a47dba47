/* Running a configuration from a string in tests. */
#ifndef COP_TEST_SCENARIO_H
#define COP_TEST_SCENARIO_H

#include "exp/run.h"

/* Load and run `yaml` with up to n `key.path=value` overrides. Returns 0, or the negative error with
 * the message in err (may be NULL: then any error is fatal and printed). */
int scn_run(const char *yaml, const char *const *set, size_t n, cop_result *r, cop_err *err);

/* The same with plug-ins from outside, which must outlive the result. */
int scn_run_with(const struct cop_plugin_set *more, const char *yaml, const char *const *set,
                 size_t n, cop_result *r, cop_err *err);

/* Delivered Gbit/s after the warm-up of all streams of the named traffic entry, added up. */
double scn_gbps(const cop_result *r, const char *entry);

/* How many times the usual length random tests shall have: COPPICE_ROUNDS, or 1. */
uint32_t scn_rounds(void);

/* printf into a static-free buffer owned by the caller. */
const char *scn_text(char *buf, size_t size, const char *fmt, ...) COP_PRINTF(3, 4);

#endif
