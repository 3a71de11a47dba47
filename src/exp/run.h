/* From a configuration to a result: build the network, simulate, collect. */
#ifndef COP_RUN_H
#define COP_RUN_H

#include "exp/config.h"
#include "net/step.h"
#include "stats/result.h"
#include "tree/now.h"

#include <stdio.h>

typedef struct cop_watch cop_watch;

/* The ports of a network, as results number them. */
typedef struct cop_run_ports {
    uint32_t n_ports, n_hosts, n_switches;
    const char *const *name, *const *to; /* [n_ports] */
    const char *const *host; /* [n_hosts] names; a host's port is called as the host */
    const char *topology; /* its kind */
    cop_time duration;
    cop_units_cfg units; /* what a cycle and a flit are, if the run file says so */
} cop_run_ports;

/* Hooks that observe a run; all may be zero. */
typedef struct cop_run_hooks {
    const char *watch; /* packets to trace: "src=3,dst=7,from=12,count=5" */
    FILE *watch_out; /* NULL: no lines */
    cop_packet_fn packet; /* told each of their steps; may be NULL */
    void *packet_ctx;
    /* With run.trees: called once, before anything moves; then after each sample. */
    void (*ports)(void *ctx, const cop_run_ports *p);
    void (*trees)(void *ctx, const cop_tree_now *now);
    void *trees_ctx;
    bool only_asked; /* run.trees: auto is no, as one of many runs */
    /* Called at every sample and about every million events; `end` is the configured duration.
     * true: stop, there is to be no result. */
    bool (*progress)(void *ctx, cop_time now, cop_time end, uint64_t packet_hops);
    void *progress_ctx;
} cop_run_hooks;

/* Simulate. 0 also when the outcome is a deadlock; *result is then to be freed. -COP_E_STOPPED when
 * `progress` wanted that. `hooks` may be NULL. */
int cop_run(cop_config *c, const cop_run_hooks *hooks, cop_result *result, cop_err *err);
/* Fingerprint of the code that decides results, without comments: the same text, the same results.
 */
const char *cop_model_id(void);
/* Fingerprint of the behaviour of that code: the golden runs and their values (tests/golden). */
const char *cop_behaviour_id(void);
/* Build topology and routing, check channel dependencies, print facts; simulate nothing. `report`
 * may be NULL. */
int cop_check_network(cop_config *c, FILE *report, cop_err *err);
/* The same, then the forwarding table of the switch called `name` (s5), as YAML (route/flow_table.h). */
int cop_check_table(cop_config *c, const char *name, FILE *out, cop_err *err);
/* Build all of it, show it to `look`, simulate nothing. */
int cop_look_network(cop_config *c, void (*look)(void *ctx, const struct cop_net *net), void *ctx,
                     cop_err *err);
void cop_result_free(cop_result *r);

#endif
