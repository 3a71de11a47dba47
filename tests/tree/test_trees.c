/* Congestion trees on networks where the tree is known: which ports, which hosts, who suffers, how much. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#define TREES "run.trees=yes", "run.tree_sample=20 us"

static const char two_switch[] = "run: {duration: 2 ms, warmup: 500 us}\n"
                                 "topology: {kind: chain, hosts: [3, 4]}\n"
                                 "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                                 "switch: {buffer: 64 KiB}\n"
                                 "traffic:\n"
                                 "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                                 "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";

static const cop_tree_frame *last_frame(const cop_result *r, uint32_t tree)
{
    const cop_tree_frame *last = NULL;
    for (uint32_t i = 0; i < r->n_tree_frames; i++)
        if (r->tree_frame[i].tree == tree)
            last = &r->tree_frame[i];
    assert_non_null(last);
    return last;
}

static bool has_member(const cop_result *r, const cop_tree_frame *f, const char *port)
{
    for (uint32_t i = 0; i < f->n_members; i++)
        if (strcmp(r->port[f->member[i].port].name, port) == 0)
            return true;
    return false;
}

static void assert_members(const cop_result *r, const cop_tree_frame *f, const char *const *ports,
                           uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!has_member(r, f, ports[i]))
            fail_msg("%s is not in the tree", ports[i]);
    assert_int_equal(f->n_members, n);
    assert_int_equal(f->links, n);
}

/* Every member but the root leads, link by link, to the root. */
static void assert_rooted(const cop_tree_frame *f)
{
    assert_int_equal(f->member[0].depth, 0);
    assert_int_equal(f->member[0].port, f->root);
    for (uint32_t i = 1; i < f->n_members; i++) {
        uint32_t k = 0;
        while (k < i && f->member[k].port != f->member[i].next)
            k++;
        assert_true(k < i);
        assert_int_equal(f->member[i].depth, f->member[k].depth + 1);
    }
}

/* A port belongs to a tree if more than `tree_threshold` waits for it: with more than all memory none does. */
static void test_threshold(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        uint32_t trees, members;
    } all[] = {{"run.tree_threshold=auto", 1, 6}, {"run.tree_threshold=16 MiB", 0, 0}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        const char *const set[] = {TREES, all[i].set};
        cop_result r;
        scn_run(two_switch, set, COP_LEN(set), &r, NULL);
        assert_int_equal(r.n_trees, all[i].trees);
        if (r.n_trees > 0)
            assert_int_equal(last_frame(&r, 0)->n_members, all[i].members);
        cop_result_free(&r);
    }
}

/* gran0-5: the root is the port of the second switch to E5; branches reach E2, E6, E7 and, through the
 * buffer that they share, E1, which has nothing to do with it and loses two thirds. */
static void test_two_switches(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=1q", "queueing.kind=voqsw"};
    static const char *const members[] = {"s1.1", "s0.3", "h0", "h1", "h5", "h6"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        const char *const set[] = {TREES, kinds[i]};
        cop_result r;
        scn_run(two_switch, set, COP_LEN(set), &r, NULL);
        assert_true(r.trees_asked);
        assert_int_equal(r.n_frames, 100);
        assert_int_equal(r.n_trees, 1);
        const cop_tree_result *t = &r.tree[0];
        const cop_tree_frame *f = last_frame(&r, 0);
        assert_string_equal(r.port[f->root].name, "s1.1");
        assert_string_equal(r.port[f->root].to, "h4");
        assert_members(&r, f, members, COP_LEN(members));
        assert_rooted(f);
        assert_int_equal(t->kind, COP_TREE_SILENT);
        assert_int_equal(t->contributors, 3);
        assert_int_equal(t->victims, 1);
        assert_int_equal(f->n_victims, 1);
        assert_int_equal(f->victim[0], 0);
        assert_int_equal(f->victim[1], 3);
        assert_true(fabs(t->loss - 2.0 / 3.0) < 0.02);
        assert_int_equal(t->n_roots, 1);
        assert_int_equal(t->end, 2 * COP_MS);
        assert_true(t->begin < 100 * COP_US);
        assert_true(t->overlap > 0.99);
        assert_int_equal(t->depth, 2);
        cop_result_free(&r);
    }
}

/* A buffer per destination: the tree stays, and has packets of its contributors only. */
static void test_no_victims(void **state)
{
    (void)state;
    static const char *const set[] = {TREES, "queueing.kind=voqnet"};
    static const char *const members[] = {"s1.1", "s0.3", "h1", "h5", "h6"};
    cop_result r;
    scn_run(two_switch, set, COP_LEN(set), &r, NULL);
    assert_int_equal(r.n_trees, 1);
    assert_members(&r, last_frame(&r, 0), members, COP_LEN(members));
    assert_int_equal(r.tree[0].victims, 0);
    assert_int_equal(r.tree[0].contributors, 3);
    assert_true(isnan(r.tree[0].loss));
    cop_result_free(&r);
}

static const char four_ary[] =
    "run: {duration: 1 ms}\n"
    "topology: {kind: kary-ntree, k: 4, n: 3}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 64 KiB}\n"
    "traffic:\n"
    "  - {name: hot, from: [16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60], pattern: fixed,"
    " to: 0}\n";

/* gran0-10: all ways to the host meet at one top switch, and there is the root. Its links: the root, one from
 * each of the three other subtrees, and for each of twelve sources its leaf's and its own. */
static void test_root_at_the_top(void **state)
{
    (void)state;
    static const char *const set[] = {TREES, "routing.kind=dmodk"};
    cop_result r;
    scn_run(four_ary, set, COP_LEN(set), &r, NULL);
    assert_int_equal(r.n_trees, 1);
    const cop_tree_frame *f = last_frame(&r, 0);
    assert_string_equal(r.port[f->root].name, "s32.0");
    assert_int_equal(f->links, 1 + 3 + 12 + 12);
    assert_rooted(f);
    uint32_t at[4] = {0};
    for (uint32_t i = 0; i < f->n_members; i++)
        at[f->member[i].depth]++;
    assert_int_equal(at[1], 3);
    assert_int_equal(at[2], 12);
    assert_int_equal(at[3], 12);
    assert_int_equal(f->n_contributors, 12);
    assert_int_equal(r.tree[0].kind, COP_TREE_SILENT);
    assert_int_equal(r.tree[0].victims, 0);
    cop_result_free(&r);
}

/* gran0-11: adaptive routing moves the root to the last switch and makes the tree wider. */
static void test_root_at_the_leaf(void **state)
{
    (void)state;
    static const char *const set[] = {TREES, "routing.kind=adaptive-tree"};
    cop_result r;
    scn_run(four_ary, set, COP_LEN(set), &r, NULL);
    assert_true(r.n_trees >= 1);
    assert_string_equal(r.port[r.tree[0].root[0].port].name, "s0.0");
    assert_string_equal(r.port[r.tree[0].root[0].port].to, "h0");
    assert_true(r.tree[0].links > 28);
    assert_int_equal(r.tree[0].contributors, 12);
    cop_result_free(&r);
}

/* The hot spot goes from host 4 to host 3 at half time: one tree, which moves. */
static void test_moving(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 2 ms}\n"
        "topology: {kind: chain, hosts: [3, 4]}\n"
        "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
        "traffic:\n"
        "  - {name: first, from: [1, 5, 6], pattern: fixed, to: 4, stop: 1 ms}\n"
        "  - {name: second, from: [1, 5, 6], pattern: fixed, to: 3, start: 1 ms}\n";
    static const char *const set[] = {TREES};
    cop_result r;
    scn_run(yaml, set, COP_LEN(set), &r, NULL);
    assert_int_equal(r.n_trees, 1);
    const cop_tree_result *t = &r.tree[0];
    assert_int_equal(t->kind, COP_TREE_MOVING);
    assert_int_equal(t->n_roots, 2);
    assert_string_equal(r.port[t->root[0].port].to, "h4");
    assert_string_equal(r.port[t->root[1].port].to, "h3");
    assert_true(t->root[1].begin >= 1 * COP_MS && t->root[1].begin < 1200 * COP_US);
    assert_int_equal(t->contributors, 3);
    cop_result_free(&r);
}

/* Pairs of hosts take turns to overload the same host: the root stays, the branches change. */
static void test_windy(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 4 ms}\n"
        "topology: {kind: fat-tree, ports: 8, levels: 2}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "traffic:\n"
        "  - {name: a, from: [4, 8], pattern: fixed, to: 0, stop: 1 ms}\n"
        "  - {name: b, from: [12, 16], pattern: fixed, to: 0, start: 1 ms, stop: 2 ms}\n"
        "  - {name: c, from: [20, 24], pattern: fixed, to: 0, start: 2 ms, stop: 3 ms}\n"
        "  - {name: d, from: [28, 5], pattern: fixed, to: 0, start: 3 ms}\n";
    static const char *const set[] = {"run.trees=yes", "run.tree_sample=40 us"};
    cop_result r;
    scn_run(yaml, set, COP_LEN(set), &r, NULL);
    assert_true(r.n_trees >= 1);
    const cop_tree_result *t = &r.tree[0];
    assert_int_equal(t->kind, COP_TREE_WINDY);
    assert_int_equal(t->n_roots, 1);
    assert_int_equal(t->contributors, 8);
    assert_true(t->contributor_overlap < 0.5);
    assert_true(t->similarity < 0.6);
    cop_result_free(&r);
}

/* No host is overloaded: there is no tree, and frames have the exact use of links. */
static void test_no_tree(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ms}\n"
                               "topology: {kind: chain, hosts: [3, 4]}\n"
                               "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                               "traffic:\n"
                               "  - {name: a, from: [0], pattern: fixed, to: 3}\n"
                               "  - {name: b, from: [1], pattern: fixed, to: 4, arrival: constant,"
                               " load: 50 %}\n";
    static const char *const set[] = {TREES};
    cop_result r;
    scn_run(yaml, set, COP_LEN(set), &r, NULL);
    assert_int_equal(r.n_trees, 0);
    assert_int_equal(r.n_frames, 50);
    for (uint32_t i = 1; i < r.n_frames; i++) {
        assert_int_equal(r.frame[i].t, (i + 1) * 20 * COP_US);
        assert_int_equal(r.frame[i].span, 20 * COP_US);
        for (uint32_t p = 0; p < r.n_ports; p++) {
            double use = r.frame[i].use[p] / 255.0;
            assert_int_equal(r.frame[i].blocked[p], 0);
            if (strcmp(r.port[p].name, "h0") == 0 || strcmp(r.port[p].to, "h3") == 0)
                assert_true(use > 0.99);
            else if (strcmp(r.port[p].name, "h1") == 0 || strcmp(r.port[p].to, "h4") == 0)
                assert_true(use > 0.4 && use < 0.6);
            else if (strcmp(r.port[p].name, "s0.3") == 0)
                assert_true(use > 0.70 && use < 0.80);
            else
                assert_int_equal(r.frame[i].use[p], 0);
        }
    }
    cop_result_free(&r);
}

/* Frames add up: use over all frames is the run's utilisation, waiting bytes are those of samples. */
static void test_frames_add_up(void **state)
{
    (void)state;
    static const char *const set[] = {TREES, "run.warmup=0", "run.sample=20 us"};
    cop_result r;
    scn_run(two_switch, set, COP_LEN(set), &r, NULL);
    for (uint32_t p = 0; p < r.n_ports; p++) {
        double use = 0, most = 0;
        for (uint32_t i = 0; i < r.n_frames; i++) {
            use += r.frame[i].use[p] / 255.0 / r.n_frames;
            most = r.frame[i].waiting[p] > most ? r.frame[i].waiting[p] : most;
        }
        assert_true(fabs(use - r.port[p].utilisation) < 0.01);
        assert_true(fabs(most - (double)r.port[p].max_queue_bytes) < 0.5);
    }
    cop_result_free(&r);
}

/* Words of a port in the list of who waits where; NULL: it is not there. */
static const uint32_t *waiters(const cop_frame *f, uint32_t port)
{
    for (uint32_t i = 0; i < f->n_flow; i += 3 + 3 * f->flow[i + 2])
        if (f->flow[i] == port)
            return &f->flow[i];
    return NULL;
}

/* Whose packets wait for a port: three flows to h4 at s1.1, of h1 and of the bystander at s0.3; all bytes of the
 * frame are theirs, also where queues are not those of one output. */
static void test_flows_at_ports(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                        "queueing.kind=voqnet"};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        const char *const set[] = {TREES, kinds[k]};
        cop_result r;
        scn_run(two_switch, set, COP_LEN(set), &r, NULL);
        const cop_frame *f = &r.frame[r.n_frames - 1];
        for (uint32_t p = 0; p < r.n_ports; p++) {
            const uint32_t *at = waiters(f, p);
            uint64_t sum = 0;
            assert_true((at != NULL) == (f->waiting[p] > 0));
            for (uint32_t i = 0; at != NULL && i < at[2]; i++)
                sum += at[3 + 3 * i + 2];
            assert_int_equal(sum, f->waiting[p]);
            if (strcmp(r.port[p].name, "s1.1") != 0)
                continue;
            assert_non_null(at);
            assert_int_equal(at[1], 3);
            assert_int_equal(at[2], 3);
            for (uint32_t i = 0; i < 3; i++)
                assert_true(at[3 + 3 * i + 1] == 4 && at[3 + 3 * i] != 0);
            assert_true(at[5] >= at[8] && at[8] >= at[11]);
        }
        cop_result_free(&r);
    }
}

/* Looking changes nothing: the run is the same bit for bit, also with a flow control that settles lazily. */
static void test_same_run(void **state)
{
    (void)state;
    static const char *const more[] = {
        "queueing.kind=1q",     "queueing.kind=voqnet",     "queueing.kind=hfdi",
        "queueing.kind=fbicm",  "flow_control.kind=on-off", "flow_control.kind=ack-nack",
        "flow_control.kind=ib", "switch.architecture=iq",   "switch.architecture=cioq"};
    for (size_t i = 0; i < COP_LEN(more); i++) {
        const char *const without[] = {more[i], "run.trees=no"}, *const with[] = {
                                                                     more[i], "run.trees=yes",
                                                                     "run.tree_sample=3 us"};
        cop_result a, b;
        scn_run(two_switch, without, 2, &a, NULL);
        scn_run(two_switch, with, 3, &b, NULL);
        assert_false(a.trees_asked);
        assert_int_equal(a.n_frames, 0);
        if (a.run_hash != b.run_hash || a.events != b.events)
            fail_msg("%s: a run that is looked at differs", more[i]);
        cop_result_free(&a);
        cop_result_free(&b);
    }
}

/* Samples that are chosen by themselves lie all over the run up to its end, and their number is what its ports and events pay for:
 * a sample takes 300 steps for each port at least, an event pays 11 (src/tree/watch.c). Where little moves, as in a
 * network full of trees, and in short runs there are few, but always some; in longer ones they say who takes part. */
static void test_auto_samples(void **state)
{
    static const char forest[] =
        "run: {trees: yes}\n"
        "topology: {kind: fat-tree, ports: 36, levels: 2}\n"
        "link: {rate: 16 Gbit/s, delay: 20 ns}\n"
        "nic: {inject_rate: 13.5 Gbit/s, receive_rate: 13.6 Gbit/s}\n"
        "traffic:\n"
        "  - {name: forest, pattern: forest, b_share: 0 %, v_share: 20 %, hotspots: 8}\n";
    static const char *const durations[] = {"run.duration=20 us", "run.duration=200 us",
                                            "run.duration=1 ms", "run.duration=8 ms"};
    static const uint32_t least[] = {1, 2, 2, 6}, quarters[] = {4, 4, 3, 1};
    (void)state;
    cop_result r;
    for (size_t k = 0; k < COP_LEN(durations); k++) {
        if (k > 0)
            cop_result_free(&r);
        scn_run(forest, &durations[k], 1, &r, NULL);
        uint64_t ports = r.n_ports, earned = 80000 + 170 * ports + 11 * r.events;
        assert_in_range(r.n_frames, least[k], earned / (300 * ports));
        cop_time gap = 0;
        assert_true(r.frame[r.n_frames - 1].t == r.sim_time); /* the end is always there */
        for (uint32_t i = 0; i < r.n_frames; i++)
            gap = cop_max64(gap, r.frame[i].span);
        assert_true(4 * gap <= quarters[k] * r.sim_time);
    }
    assert_true(r.n_trees >= 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(r.tree[i].samples >= 4 && r.tree[i].kind == COP_TREE_SILENT);
        assert_in_range(r.tree[i].contributors, 20, 200);
        assert_true(r.tree[i].victims > 20 && r.tree[i].loss > 0.5);
    }
    cop_result_free(&r);
}

/* By default a run names its trees, without pictures; one of many does not look, unless it is told to. */
static void test_default(void **state)
{
    static const char *const says[] = {NULL, "run.trees=auto", "run.trees=on", "run.trees=off"};
    (void)state;
    uint64_t hash = 0;
    for (size_t i = 0; i < COP_LEN(says); i++) {
        cop_result r;
        bool looks = i < 3;
        scn_run(two_switch, &says[i], says[i] ? 1 : 0, &r, NULL);
        assert_int_equal(r.trees_asked, looks);
        assert_int_equal(r.film, i == 2);
        assert_int_equal(r.n_trees, looks ? 1 : 0);
        if (looks) {
            assert_string_equal(r.port[r.tree[0].root[0].port].name, "s1.1");
            assert_int_equal(r.tree[0].kind, COP_TREE_SILENT);
            assert_true(r.tree[0].counted && r.tree[0].victims == 1);
        }
        assert_true(i == 0 || r.run_hash == hash);
        hash = r.run_hash;
        cop_result_free(&r);
    }
    for (int asked = 0; asked < 2; asked++) {
        cop_config c;
        cop_result r;
        cop_err err = {0};
        cop_override set = {.text = asked ? "run.trees=yes" : "run.trees=auto"};
        assert_int_equal(cop_config_load(&c, "two", two_switch, &set, 1, &err), 0);
        assert_int_equal(cop_run(&c, &(cop_run_hooks){.only_asked = true}, &r, &err), 0);
        assert_int_equal(r.trees_asked, asked);
        cop_result_free(&r);
        cop_config_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_switches),
                                       cmocka_unit_test(test_threshold),
                                       cmocka_unit_test(test_no_victims),
                                       cmocka_unit_test(test_root_at_the_top),
                                       cmocka_unit_test(test_root_at_the_leaf),
                                       cmocka_unit_test(test_moving),
                                       cmocka_unit_test(test_windy),
                                       cmocka_unit_test(test_no_tree),
                                       cmocka_unit_test(test_frames_add_up),
                                       cmocka_unit_test(test_same_run),
                                       cmocka_unit_test(test_flows_at_ports),
                                       cmocka_unit_test(test_auto_samples),
                                       cmocka_unit_test(test_default)};
    return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
