/* Whole networks with QCN: to run one, and the adversarial traffic that its switches route around. */
#ifndef COP_TEST_QCN_FIXTURE_H
#define COP_TEST_QCN_FIXTURE_H

#include "named.h"
#include "net_fixture.h"

static inline void run(const char *yaml, const char *const *set, size_t n, cop_result *r)
{
    cop_err err = {0};
    if (scn_run(yaml, set, n, r, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(r->outcome, COP_OUTCOME_OK);
}

#define RUN(r, yaml, ...)                                                                          \
    run(yaml, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL},                              \
        sizeof((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL}) / sizeof(char *) - 1, r)

/* All hosts of a group send to the next one: one global link for eight hosts. */
static const char adversarial[] =
    "run: {duration: 1 ms, warmup: 600 us, sample: 20 us, drain: yes, births: generation}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, delay: 40 ns, global_delay: 400 ns}\n"
    "switch: {architecture: cioq, speedup: 2, buffer: 100 kB, host_buffer: 200 kB, output_buffer: "
    "100 kB,"
    " pipeline: 200 ns, lanes: 5, vl_arbitration: strict}\n"
    "nic: {mtu: 1000 B, overhead: 0 B, control_bytes: 64 B, control_vl: 3}\n"
    "routing: {kind: qcn-switch}\n"
    "cc: {kind: qcn, react: no, w: 0}\n"
    "traffic: [{pattern: group-adversarial, group_size: 8, offset: 1, arrival: bernoulli, slot: "
    "200 ns,"
    " load: 40 %, message: 1000 B}]\n";

#endif
