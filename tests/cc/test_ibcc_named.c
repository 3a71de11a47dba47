/* Presets of InfiniBand's congestion control by name alone, no other option of cc: what the documents say of their
 * own examples. And the default, auto: never worse than no control by more than 2 %, in networks with hot spots
 * and without. Run from the top of the source tree. */
#include "ibcc_net_fixture.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define SETUPS "experiments/setups/"

typedef struct outcome {
    double total, hot, others; /* Gbit/s: of all; a hot host, a host that is none, on average */
} outcome;

/* `root` names a hot host where the traffic has no forest; COP_NONE: none. */
static outcome measure(const char *yaml, const char *const *set, size_t n, uint32_t root)
{
    cop_result r;
    outcome o = {0};
    uint32_t n_hot = 0;
    scn_run(yaml, set, n, &r, NULL);
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

static char *setup(const char *name)
{
    char path[128], *text;
    size_t len;
    cop_err err = {0};
    snprintf(path, sizeof(path), SETUPS "%s.yaml", name);
    if (cop_file_read(path, 1 << 20, &text, &len, &err) != 0)
        fail_msg("%s", err.text);
    return text;
}

/* gran1-5, gran1-6: the victim has what its host can send, the contributors a quarter of the hot link each. */
static void two_switches(void **state)
{
    (void)state;
    static const char *const presets[] = {"cc.preset=testbed", "cc.preset=simulator"};
    static const char *const hot_flow[] = {"F2", "F3", "F4", "F5"};
    char *yaml = setup("2sw7");
    for (size_t i = 0; i < COP_LEN(presets); i++)
        for (unsigned seed = 1; seed <= 2; seed++) {
            char number[32];
            snprintf(number, sizeof(number), "run.seed=%u", seed);
            const char *const set[] = {"cc.kind=ibcc", presets[i], "run.duration=300 ms",
                                       "run.warmup=150 ms", number};
            cop_result r;
            scn_run(yaml, set, COP_LEN(set), &r, NULL);
            near(scn_gbps(&r, "F1"), 13.0, 0.05);
            for (size_t f = 0; f < COP_LEN(hot_flow); f++)
                near(scn_gbps(&r, hot_flow[f]), 13.0 / 4, 0.08);
            cop_result_free(&r);
        }
    cop_free(yaml);
}

/* gran1-14: about 9 (Paper I) and 10.06 (Paper III) for the same set-up, 10 % beyond either end. */
static void trunk(void **state)
{
    (void)state;
    const char *const set[] = {"cc.kind=ibcc",      "cc.preset=testbed",  "run.duration=300 ms",
                               "run.warmup=150 ms", "traffic.F2.start=0", "traffic.F3.start=0"};
    char *yaml = setup("gran1-sc2");
    cop_result r;
    scn_run(yaml, set, COP_LEN(set), &r, NULL);
    double mean = (scn_gbps(&r, "F1") + scn_gbps(&r, "F2") + scn_gbps(&r, "F3")) / 3.0;
    assert_true(mean > 0.9 * 9.0 && mean < 1.1 * 10.06);
    cop_result_free(&r);
    cop_free(yaml);
}

/* Paper IV, table II, on 128 hosts: hot spots receive 13.17 of 13.6 Gbit/s with control, and the others are freed. */
static void silent_forest(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 80 ms, warmup: 50 ms}\n"
        "topology: {kind: fat-tree, ports: 16, levels: 2}\n"
        "routing: {kind: dmodk}\n"
        "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
        "nic: {inject_rate: 13.5 Gbit/s, receive_rate: 13.6 Gbit/s, mtu: 2 KiB}\n"
        "traffic: [{name: forest, pattern: forest, b_share: 0 %, v_share: 20 %, hotspots: 2, "
        "message: 4 KiB}]\n";
    const char *const on[] = {"cc.kind=ibcc", "cc.preset=fat-tree"};
    outcome none = measure(yaml, NULL, 0, COP_NONE), with = measure(yaml, on, 2, COP_NONE);
    near(with.hot, 13.17, 0.05);
    assert_true(with.others > 5.0 * none.others);
}

/* The talk, pfis-7: with its guidelines the others have what they had before the hot spot, and the hot port stays full. */
static void fat_tree_32(void **state)
{
    (void)state;
    char *yaml = setup("pfis-32");
    const char *const none[] = {"run.duration=6 ms", "run.warmup=4 ms"};
    const char *const pfister[] = {"run.duration=6 ms", "run.warmup=4 ms", "cc.kind=ibcc",
                                   "cc.preset=pfister"};
    const char *const simulator[] = {"run.duration=6 ms", "run.warmup=4 ms", "cc.kind=ibcc",
                                     "cc.preset=simulator"};
    outcome a = measure(yaml, none, 2, 31), b = measure(yaml, pfister, 4, 31),
            c = measure(yaml, simulator, 4, 31);
    near(a.total / 32.0 / 24.0, 0.264, 0.1); /* 1 / (1 + 0.09 x 31): all sources wait */
    assert_true(b.total > 0.7 * 32.0 * 24.0); /* 0.80 less what the hot port cannot take */
    assert_true(b.hot > 0.95 * 24.0);
    assert_true(c.total >= 0.98 * a.total && c.hot > 0.95 * 24.0);
    cop_free(yaml);
}

/* -- auto -- */

/* Of the mean over seeds: what all receive, what hot hosts do, what the others do: at least 98 %. `gain`: by how much all
 * together must win. */
static void never_worse(const char *yaml, const char *const *set, size_t n, unsigned seeds,
                        uint32_t root, double gain)
{
    outcome sum[2] = {{0}};
    for (unsigned seed = 1; seed <= seeds; seed++)
        for (int on = 0; on < 2; on++) {
            const char *all[8];
            char number[32];
            snprintf(number, sizeof(number), "run.seed=%u", seed);
            for (size_t i = 0; i < n; i++)
                all[i] = set[i];
            all[n] = number;
            all[n + 1] = "cc.kind=ibcc";
            outcome o = measure(yaml, all, n + 1 + (size_t)on, root);
            sum[on].total += o.total;
            sum[on].hot += o.hot;
            sum[on].others += o.others;
        }
    if (sum[1].total < gain * sum[0].total || sum[1].hot < 0.98 * sum[0].hot ||
        sum[1].others < 0.98 * sum[0].others)
        fail_msg("with control %g in all, hot %g, others %g; without %g, %g, %g", sum[1].total,
                 sum[1].hot, sum[1].others, sum[0].total, sum[0].hot, sum[0].others);
}

#define NETWORK                                                                                    \
    "run: {duration: 8 ms, warmup: 4 ms}\n"                                                        \
    "link: {rate: 16 Gbit/s, delay: 20 ns}\n"                                                      \
    "nic: {mtu: 2 KiB}\n"
#define TREE "topology: {kind: kary-ntree, k: 4, n: 3}\nrouting: {kind: dmodk}\n"
#define TORUS "topology: {kind: torus, radix: [8, 8], hosts: 1}\nrouting: {kind: dor}\n"
#define TWO_TREES                                                                                  \
    "traffic: [{name: t, pattern: forest, b_share: 0 %, v_share: 20 %, hotspots: 2, message: "     \
    "4 KiB}]\n"
#define NO_TREE "traffic: [{name: t, pattern: uniform, message: 4 KiB}]\n"

static void auto_of_pfister(void **state)
{
    (void)state;
    char *yaml = setup("pfis-32");
    const char *const set[] = {"run.duration=6 ms", "run.warmup=4 ms"};
    never_worse(yaml, set, 2, 3, 31, 2.3);
    cop_free(yaml);
}

static void auto_of_two_trees(void **state)
{
    (void)state;
    never_worse(NETWORK TREE TWO_TREES, NULL, 0, 3, COP_NONE, 4.0);
    never_worse(NETWORK TORUS TWO_TREES, NULL, 0, 3, COP_NONE, 1.5);
}

static void auto_of_no_tree(void **state)
{
    (void)state;
    const char *const set[] = {"run.duration=3 ms", "run.warmup=1500 us"};
    const char *const part[] = {"run.duration=3 ms", "run.warmup=1500 us",
                                "traffic.t.arrival=poisson", "traffic.t.load=60 %"};
    never_worse(NETWORK TREE NO_TREE, set, 2, 3, COP_NONE, 0.98);
    never_worse(NETWORK TREE NO_TREE, part, 4, 1, COP_NONE, 0.98);
    never_worse(NETWORK TORUS NO_TREE, set, 2, 3, COP_NONE, 0.98);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_switches),    cmocka_unit_test(trunk),
        cmocka_unit_test(silent_forest),   cmocka_unit_test(fat_tree_32),
        cmocka_unit_test(auto_of_pfister), cmocka_unit_test(auto_of_two_trees),
        cmocka_unit_test(auto_of_no_tree),
    };
    return cmocka_run_group_tests_name("ibcc by name", tests, NULL, NULL);
}
