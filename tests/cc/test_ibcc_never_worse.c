/* InfiniBand's congestion control by its bare name (preset auto), against no control: jobs alone and beside hot
 * traffic, hosts that are slower than others, and 648 hosts with fast links. Never worse by more than 2 %; where trees
 * stand in the way, much better. More networks: test_ibcc_named.c. Run from the top of the source tree; with
 * COPPICE_ROUNDS also 400 Gbit/s and windy trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "named.h"
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>

#define BARE "cc.kind=ibcc"

/* -- jobs -- */

#define JOB(topology, rate)                                                                        \
    "run: {duration: 100 ms, until: jobs}\n"                                                       \
    "topology: " topology "\n"                                                                     \
    "link: {rate: " rate " Gbit/s, delay: 20 ns}\n"                                                \
    "nic: {mtu: 2 KiB}\n"
#define TREE_128 "{kind: fat-tree, ports: 16, levels: 2}\nrouting: {kind: dmodk}"
#define TORUS_36 "{kind: torus, radix: [6, 6], hosts: 1}\nrouting: {kind: dor}"
#define TORUS_64 "{kind: torus, radix: [8, 8], hosts: 1}\nrouting: {kind: dor}"
#define TRACE(from, name, scale)                                                                   \
    "{name: hpcc, from: \"" from "\", trace: traces/" name ".goal.gz, bytes_scale: " scale         \
    ", eager: unlimited}"

/* How long the job takes, in us; COPPICE tells if it does not end. */
static double job_takes(const char *yaml, const char *set)
{
    cop_result r;
    scn_run(yaml, &set, set != NULL, &r, NULL);
    double us = scalar_or(&r, "job/hpcc/completion", INFINITY);
    cop_result_free(&r);
    return us;
}

/* Transposes share inner channels by two to four flows, random rings hosts. */
static void jobs_alone(void **state)
{
    (void)state;
    static const char *const yaml[] = {
        JOB(TREE_128, "25") "traffic: [" TRACE("all", "hpcc128-ptrans", "16") "]\n",
        JOB(TREE_128, "100") "traffic: [" TRACE("all", "hpcc128-ptrans", "16") "]\n",
        JOB(TREE_128, "100") "traffic: [" TRACE("all", "hpcc64-randring-bw", "0.05") "]\n",
        JOB(TORUS_36, "16") "traffic: [" TRACE("0-15", "hpcc16-ptrans", "8") "]\n",
        JOB(TORUS_64, "16") "traffic: [" TRACE("all", "hpcc64-ptrans", "16") "]\n",
        JOB(TORUS_64, "16") "traffic: [" TRACE("all", "hpcc64-randring-bw", "0.05") "]\n"};
    for (size_t i = 0; i < COP_LEN(yaml); i++) {
        double none = job_takes(yaml[i], NULL), with = job_takes(yaml[i], BARE);
        if (with > 1.02 * none || none > 1e5)
            fail_msg("%zu: %g us, %g without control", i, with, none);
    }
}

/* A plan that is asked for throttles jobs: what the bare name leaves out does harm to them. */
static void jobs_with_senders(void **state)
{
    (void)state;
    static const char yaml[] =
        JOB(TORUS_36, "16") "traffic: [" TRACE("0-15", "hpcc16-ptrans", "8") "]\n";
    assert_true(job_takes(yaml, "cc={kind: ibcc, senders: 8, threshold: 3}") >
                1.02 * job_takes(yaml, NULL));
}

/* The hot traffic is slowed down, so that the job gets through. */
static void jobs_beside_hot_spots(void **state)
{
    (void)state;
    static const char disjoint[] =
        JOB(TREE_128, "25") "traffic:\n"
                            "  - {name: hot, from: \"0-126:4\", except: [60], pattern: fixed, to: "
                            "60}\n  - " TRACE("1-127:4,2-127:4", "hpcc64-ptrans", "16") "\n";
    static const char crossed[] =
        JOB(TORUS_64, "16") "traffic:\n"
                            "  - {name: hot, from: \"0-63:5\", except: [20], pattern: fixed, to: "
                            "20}\n  - {name: hpcc, from: rest, except: [20], trace: "
                            "traces/hpcc16-ptrans.goal.gz, bytes_scale: 2, eager: unlimited}\n";
    assert_true(job_takes(disjoint, BARE) <= 1.02 * job_takes(disjoint, NULL));
    double none = job_takes(crossed, NULL), with = job_takes(crossed, BARE);
    if (with > 0.5 * none || with > 1e5)
        fail_msg("%g us, %g without control", with, none);
}

/* -- hosts -- */

typedef struct outcome {
    double total, hot, others; /* Gbit/s: of all; a hot host, another one, on average */
} outcome;

static outcome measure(const char *yaml, const char *set, uint32_t root)
{
    cop_result r;
    outcome o = {0};
    uint32_t n_hot = 0;
    scn_run(yaml, &set, set != NULL, &r, NULL);
    assert_int_equal(r.packets_lost, 0);
    for (uint32_t h = 0; h < r.n_nodes; h++) {
        bool is_hot = r.node[h].hotspot > 0.5 || h == root;
        n_hot += is_hot;
        o.total += r.node[h].received_gbps;
        *(is_hot ? &o.hot : &o.others) += r.node[h].received_gbps;
    }
    o.others /= r.n_nodes - n_hot;
    o.hot /= n_hot ? n_hot : 1;
    cop_result_free(&r);
    return o;
}

static void never_worse(const char *yaml, uint32_t root, double gain)
{
    outcome none = measure(yaml, NULL, root), with = measure(yaml, BARE, root);
    if (with.total < gain * none.total || with.hot < 0.98 * none.hot ||
        with.others < 0.98 * none.others)
        fail_msg("%s: with control %g in all, hot %g, others %g; without %g, %g, %g", yaml,
                 with.total, with.hot, with.others, none.total, none.hot, none.others);
}

/* Host 5 takes a quarter of what others do: it is a hot spot of uniform traffic, and of a few senders. */
static void slow_host(void **state)
{
    (void)state;
#define SLOW                                                                                       \
    "run: {duration: 8 ms, warmup: 4 ms}\n"                                                        \
    "topology: {kind: kary-ntree, k: 4, n: 2}\nrouting: {kind: dmodk}\n"                           \
    "link: {rate: 20 Gbit/s, delay: 20 ns}\n"                                                      \
    "nic: {mtu: 2 KiB}\n"                                                                          \
    "hosts: {5: {receive_rate: 5 Gbit/s}}\n"
    never_worse(SLOW "traffic: [{name: t, pattern: uniform, message: 4 KiB}]\n", 5, 2.0);
    never_worse(SLOW "traffic:\n  - {name: hot, from: [1, 9], pattern: fixed, to: 5}\n"
                     "  - {name: victim, from: [2], pattern: fixed, to: 6}\n",
                5, 0.98);
}

/* -- 648 hosts -- */

#define LARGE(rate, end, from, more)                                                               \
    "run: {duration: " end ", warmup: " from "}\n"                                                 \
    "topology: {kind: fat-tree, ports: 36, levels: 2}\nrouting: {kind: dmodk}\n"                   \
    "link: {rate: " rate " Gbit/s, delay: 20 ns}\nnic: {mtu: 2 KiB}\n"                             \
    "traffic: [{name: t, message: 4 KiB, " more "}]\n"
#define SILENT "pattern: forest, b_share: 0 %, v_share: 20 %, hotspots: 8"
#define WINDY "pattern: forest, b_share: 100 %, p: 50 %, v_share: 20 %, hotspots: 8"

static void many_hosts(void **state)
{
    (void)state;
    never_worse(LARGE("100", "1 ms", "500 us", SILENT), COP_NONE, 3.0);
    never_worse(LARGE("100", "150 us", "75 us", "pattern: uniform"), COP_NONE, 0.98);
}

/* Measured is the second life of eight hot spots, from a fifth of it on. */
static void many_hosts_moving(void **state)
{
    (void)state;
    never_worse(LARGE("100", "2 ms", "1200 us", SILENT ", lifetime: 1 ms"), COP_NONE, 1.1);
}

static void many_hosts_long(void **state)
{
    (void)state;
    if (getenv("COPPICE_ROUNDS") == NULL)
        skip();
    never_worse(LARGE("100", "1 ms", "500 us", WINDY), COP_NONE, 3.0);
    never_worse(LARGE("400", "600 us", "300 us", SILENT), COP_NONE, 3.0);
    never_worse(LARGE("400", "600 us", "300 us", WINDY), COP_NONE, 3.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_alone),
        cmocka_unit_test(jobs_with_senders),
        cmocka_unit_test(jobs_beside_hot_spots),
        cmocka_unit_test(slow_host),
        cmocka_unit_test(many_hosts),
        cmocka_unit_test(many_hosts_moving),
        cmocka_unit_test(many_hosts_long),
    };
    return cmocka_run_group_tests_name("ibcc never worse", tests, NULL, NULL);
}
