/* QCN-Switch by its name alone, on a small dragonfly (h = 2) with links, buffers and packets of the paper: no congestion
 * control, comparison, sampling or lane is set.
 *
 * Benito et al., figure 8: adversarial traffic goes around, with Valiant's throughput or more (qcn-32), where the
 * minimal way carries 1 / (a p) (qcn-4); the bound of detours by other groups is 7/16 here, 0.5 with large h (qcn-6). Uniform
 * traffic below saturation goes minimal: at most 1 % around (qcn-75), latency that of minimal routing within 3 % (qcn-29).
 * UGAL and Piggyback by name do as well under adversarial traffic, Valiant its bound. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

/* Links, buffers and packets of table I. */
static const char network[] =
    "run: {duration: 1000 us, warmup: 700 us}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, delay: 40 ns, global_delay: 400 ns}\n"
    "switch: {architecture: cioq, speedup: 2, pipeline: 200 ns, buffer: 100 kB,\n"
    "         host_buffer: 200 kB, output_buffer: 100 kB}\n"
    "flow_control: {kind: on-off}\n"
    "nic: {mtu: 1000 B}\n"
    "traffic: [{name: t, pattern: uniform, arrival: bernoulli, message: 1000 B}]\n";

#define MINIMAL (1.0 / 8) /* the one link to the next group, of a p hosts */
#define AROUND (7.0 / 16) /* by any of the seven other groups, each link twice */
#define MOST (MINIMAL + AROUND)

typedef struct seen {
    double accepted, latency_us, misrouted; /* of a link; mean; per cent of the packets */
} seen;

static seen run(const char *routing, const char *pattern, const char *load, uint32_t seed)
{
    char kind[64], traffic[64], offered[64], number[32];
    const char *const set[] = {scn_text(kind, sizeof(kind), "routing.kind=%s", routing),
                               scn_text(traffic, sizeof(traffic), "traffic.t.pattern=%s", pattern),
                               scn_text(offered, sizeof(offered), "traffic.t.load=%s", load),
                               scn_text(number, sizeof(number), "run.seed=%u", seed)};
    cop_result r;
    scn_run(network, set, COP_LEN(set), &r, NULL);
    if (r.outcome != COP_OUTCOME_OK)
        fail_msg("%s: %s", kind, r.detail);
    seen s = {.accepted = r.throughput_gbps / 40.0, .latency_us = cop_hist_mean(r.latency) * 1e-6};
    for (uint32_t i = 0; i < r.n_scalars; i++)
        if (strcmp(r.scalar[i].name, "misrouted_share") == 0)
            s.misrouted = r.scalar[i].value;
    cop_result_free(&r);
    return s;
}

static void test_adversarial(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 3; seed++) {
        seen all = run("qcn-switch", "group-adversarial", "1", seed);
        if (all.accepted < AROUND || all.accepted > MOST || all.misrouted < 60.0)
            fail_msg("adversarial, seed %u: %.3f accepted, %.1f %% misrouted", seed, all.accepted,
                     all.misrouted);
        double minimal = run("dragonfly-min", "group-adversarial", "1", seed).accepted;
        assert_true(minimal < 1.03 * MINIMAL && minimal > 0.97 * MINIMAL);
    }
}

static void test_uniform(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 3; seed++) {
        seen qcn = run("qcn-switch", "uniform", "0.6", seed),
             min = run("dragonfly-min", "uniform", "0.6", seed);
        if (qcn.misrouted > 1.0 || qcn.accepted < 0.98 * min.accepted ||
            qcn.latency_us > 1.03 * min.latency_us)
            fail_msg(
                "uniform, seed %u: %.2f %% misrouted, %.3f and %.3f accepted, %.2f and %.2f us",
                seed, qcn.misrouted, qcn.accepted, min.accepted, qcn.latency_us, min.latency_us);
    }
}

static void test_others(void **state)
{
    (void)state;
    double valiant = run("dragonfly-valiant", "group-adversarial", "1", 1).accepted,
           ugal = run("ugal", "group-adversarial", "1", 1).accepted,
           piggyback = run("piggyback", "group-adversarial", "1", 1).accepted;
    if (valiant < 0.42 || valiant > AROUND + 0.005)
        fail_msg("Valiant: %.3f accepted", valiant);
    if (ugal < AROUND || ugal > MOST || piggyback < AROUND || piggyback > MOST)
        fail_msg("ugal %.3f, piggyback %.3f accepted", ugal, piggyback);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adversarial),
                                       cmocka_unit_test(test_uniform),
                                       cmocka_unit_test(test_others)};
    return cmocka_run_group_tests_name("qcn_bare", tests, NULL, NULL);
}
