/* Claims of the papers that follow from the set-up alone: no congestion control, small networks,
 * shares and rates known in closed form. Each check names its row of the claims catalogue and uses
 * that row's tolerance. Rows gran0-6 to gran0-9 (counts of topologies) are in test_topo_tree.c and
 * test_topo_cube.c, gran0-22 and qcn-70 (latencies) in test_latency_links.c. */
#ifndef COP_CLAIMS_FIXTURE_H
#define COP_CLAIMS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "scenario.h"

static inline void near(const char *row, double got, double want, double relative)
{
    double off = got - want;
    if (!(off <= relative * want && -off <= relative * want))
        fail_msg("%s: %.5f, expected %.5f within %.1f %%", row, got, want, 100.0 * relative);
}

static inline void between(const char *row, double got, double low, double high)
{
    if (!(got >= low && got <= high))
        fail_msg("%s: %.5f, expected %.5f to %.5f", row, got, low, high);
}

static inline const cop_port_result *port_of(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_ports; i++)
        if (strcmp(r->port[i].name, name) == 0)
            return &r->port[i];
    fail_msg("no port %s", name);
    return NULL;
}

/* Mean throughput of an entry over the bins of [from, to); an entry may have several series. */
static inline double window(const cop_result *r, const char *entry, cop_time from, cop_time to)
{
    char name[64];
    size_t len = (size_t)snprintf(name, sizeof(name), "throughput/%s", entry);
    double sum = 0.0;
    uint32_t found = 0, bins = (uint32_t)((to - from) / r->sample);
    for (uint32_t i = 0; i < r->n_series; i++) {
        const char *is = r->series[i].name;
        if (strncmp(is, name, len) != 0 || (is[len] != '\0' && is[len] != '/'))
            continue;
        found++;
        for (uint32_t b = 0; b < bins; b++)
            sum += r->series[i].v[from / r->sample + b];
    }
    assert_true(found > 0 && bins > 0);
    return sum / bins;
}

static inline void run_ok(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    scn_run(yaml, set, n, r, NULL);
    if (r->outcome != COP_OUTCOME_OK)
        fail_msg("outcome %d: %s", r->outcome, r->detail);
    assert_int_equal(r->packets_lost, 0);
    assert_int_equal(r->packets_injected, r->packets_delivered + r->packets_in_flight);
}

#endif
