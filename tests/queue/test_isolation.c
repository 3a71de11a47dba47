/* Isolation of congested flows by the queueing scheme: small networks with known answers.
 *
 * Who is freed, and with how many queues; that queues are taken, given back and cost nothing at rest;
 * which outputs count as congested; turns between queues; the hardware it takes; what is refused.
 * Together with throttling of the sources: test_isolation_hybrids.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isolation_fixture.h"
#include "net/net.h"

/* -- the victim of one tree -- */

/* gran0-4: one special queue is enough for one tree; gran0-2, gran0-15: none is not. */
static void test_one_queue_frees_the_victim(void **state)
{
    (void)state;
    static const char *const kinds[][2] = {{"queueing.kind=fbicm", NULL},
                                           {"queueing.kind=fbicm", "queueing.propagate=high"},
                                           {"queueing.kind=recn", NULL},
                                           {"queueing.kind=hfdi", "queueing.root_stop=yes"},
                                           {"queueing.kind=hfdi", "queueing.local=yes"}};
    for (size_t k = 0; k < COP_LEN(kinds); k++)
        for (int queues = 0; queues < 3; queues++) {
            const char *set[] = {kinds[k][0],
                                 queues == 0   ? "queueing.queues=0"
                                 : queues == 1 ? "queueing.queues=1"
                                               : "queueing.queues=2",
                                 kinds[k][1]};
            cop_result r;
            run_ok(two_switches, set, set[2] ? 3 : 2, &r);
            near(scn_gbps(&r, "victim"), queues ? 10.0 : 10.0 / 3, 0.02);
            near(scn_gbps(&r, "hot"), 10.0, 0.01);
            for (uint32_t s = 0; s < r.n_streams; s++)
                if (strcmp(r.stream[s].entry, "hot") == 0)
                    near(r.stream[s].gbps, 10.0 / 3, 0.03);
            assert_true((scalar(&r, "isolation.moved") > 0) == (queues > 0));
            cop_result_free(&r);
        }
}

/* gran0-18: three trees cross the input of the second switch. With as many queues the victim gets
 * what it asks for; with one less, one tree shares the normal queue with it, packet by packet. */
static void test_one_tree_too_many(void **state)
{
    (void)state;
    static const char trees[] = "run: {duration: 2 ms, warmup: 500 us}\n"
                                "topology: {kind: chain, hosts: [4, 10]}\n"
                                "link: {rate: 10 Gbit/s, trunk_rate: 40 Gbit/s, delay: 20 ns}\n"
                                "switch: {buffer: 256 KiB}\n"
                                "queueing: {kind: fbicm}\n"
                                "traffic:\n"
                                "  - {name: victim, from: [0], pattern: fixed, to: 4,"
                                " arrival: constant, load: 80 %}\n"
                                "  - {name: t1, from: [1, 8, 9], pattern: fixed, to: 5}\n"
                                "  - {name: t2, from: [2, 10, 11], pattern: fixed, to: 6}\n"
                                "  - {name: t3, from: [3, 12, 13], pattern: fixed, to: 7}\n";
    static const char *const queues[] = {"queueing.queues=2", "queueing.queues=3"};
    cop_result r;
    run_ok(trees, &queues[0], 1, &r);
    assert_true(scn_gbps(&r, "victim") < 7.2);
    assert_true(scalar(&r, "isolation.no_queue") > 100);
    cop_result_free(&r);
    run_ok(trees, &queues[1], 1, &r);
    near(scn_gbps(&r, "victim"), 8.0, 0.01);
    near(scn_gbps(&r, "t3"), 10.0, 0.01);
    cop_result_free(&r);
}

/* -- queues are given back -- */

static void test_trees_come_and_go(void **state)
{
    (void)state;
    static const char *const sets[][3] = {
        {"queueing.kind=fbicm", "queueing.destinations=4", "switch.architecture=iq"},
        {"queueing.kind=recn", "switch.architecture=ib", "switch.buffer=32 KiB"},
        {"queueing.kind=hfdi", "switch.architecture=ib", "queueing.lifetime=1 us"},
        {"queueing.kind=hfdi", "switch.architecture=ib", "queueing.root_stop=yes"},
        {"queueing.kind=hfdi", "queueing.local=yes", "switch.architecture=ib"},
        {"queueing.kind=fbicm", "cc.kind=ccfit", "switch.architecture=cioq"},
        {"queueing.kind=hfdi", "cc.kind=ecocc", "switch.architecture=ib"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(burst, sets[i], 3, &r);
        assert_int_equal(r.packets_in_flight, 0);
        double all = scalar(&r, "isolation/queues_free.at_end");
        assert_true(level(&r, "isolation/queues_used", 8, 15) > 4.0);
        assert_true(level(&r, "isolation/queues_used", 8, 15) +
                        level(&r, "isolation/queues_free", 8, 15) ==
                    all);
        assert_true(level(&r, "isolation/queues_used", 60, 80) < 1.0);
        assert_int_equal(scalar(&r, "isolation/queues_used.at_end"), 0);
        assert_int_equal(scalar(&r, "isolation/ports_without_queue.at_end"), 0);
        assert_int_equal(scalar(&r, "isolation/lines.at_end"), 0);
        assert_true(scalar(&r, "isolation.queues_taken") > 0);
        assert_int_equal(scalar(&r, "isolation.queues_taken"),
                         scalar(&r, "isolation.queues_freed"));
        assert_int_equal(scalar(&r, "isolation.sent_allocate"),
                         scalar(&r, "isolation.sent_deallocate"));
        assert_true(scalar(&r, "isolation.sent_stop") > 0);
        assert_true(scalar(&r, "isolation.sent_go") <= scalar(&r, "isolation.sent_stop"));
        cop_result_free(&r);
    }
}

/* gran6-32: where nothing is congested, isolation changes nothing. */
static void test_at_rest(void **state)
{
    (void)state;
    static const char calm[] = "run: {duration: 100 us}\n"
                               "topology: {kind: kary-ntree, k: 4, n: 2}\n"
                               "traffic: [{pattern: tornado, arrival: constant, load: 40 %}]\n";
    static const char *const plain[] = {"queueing.kind=1q", "queueing.kind=voqsw"};
    static const char *const with[] = {"queueing.kind=fbicm", "queueing.kind=hfdi"};
    for (size_t i = 0; i < COP_LEN(plain); i++) {
        cop_result a, b;
        run_ok(calm, &plain[i], 1, &a);
        run_ok(calm, &with[i], 1, &b);
        assert_true(a.packets_delivered > 100);
        assert_int_equal(a.run_hash, b.run_hash);
        assert_int_equal(scalar(&b, "isolation.queues_taken"), 0);
        cop_result_free(&a);
        cop_result_free(&b);
    }
}

/* gran6-27: at the root's own switch hfdi needs no special queue, the others do. */
static void test_local_root(void **state)
{
    (void)state;
    static const char star[] = "run: {duration: 100 us}\n"
                               "topology: {kind: single, hosts: 5}\n"
                               "traffic: [{from: [1-4], pattern: fixed, to: 0}]\n";
    static const char *const sets[][2] = {{"queueing.kind=hfdi", "queueing.local=no"},
                                          {"queueing.kind=hfdi", "queueing.local=yes"},
                                          {"queueing.kind=fbicm", "queueing.queues=2"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(star, sets[i], 2, &r);
        assert_int_equal(scalar(&r, "isolation.roots"), 4);
        assert_int_equal(scalar(&r, "isolation.queues_taken"), i == 0 ? 0 : 4);
        cop_result_free(&r);
    }
}

/* An end node holds back what is stopped, and nothing else. */
static void test_end_nodes_hold_back(void **state)
{
    (void)state;
    static const char star[] = "run: {duration: 2 ms, warmup: 500 us, flows: yes}\n"
                               "topology: {kind: single, hosts: 6}\n"
                               "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                               "traffic:\n"
                               "  - {name: hot, from: [0, 2, 3], pattern: fixed, to: 1}\n"
                               "  - {name: cold, from: [0], pattern: fixed, to: 5}\n";
    static const char *const kinds[] = {"queueing.kind=fbicm", "queueing.kind=recn",
                                        "queueing.kind=hfdi", "queueing.kind=voqsw"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        cop_result r;
        const char *set[] = {kinds[i], "queueing.priority=round-robin", "queueing.root_stop=yes"};
        run_ok(star, set, i < 2 ? 2 : i == 2 ? 3 : 1, &r);
        near(scn_gbps(&r, "hot"), 10.0, 0.01);
        /* Without it, what waits in the switch for host 1 leaves no room for the rest. */
        near(scn_gbps(&r, "cold"), i < 3 ? 20.0 / 3 : 10.0 / 3, 0.02);
        cop_result_free(&r);
    }
}

/* -- the congestion state of outputs -- */

typedef struct spy {
    uint32_t most; /* queues that named one output at a time */
    uint64_t in_state, elsewhere; /* packets that left an output in the state: to host 4, others */
    uint32_t last; /* at the last packet to host 4 */
} spy;

static void look(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    union {
        const void *in;
        spy *out;
    } u = {.in = cop_net_cc_cfg(net)};
    uint32_t roots = cop_net_roots(net, port);
    bool exit = cop_topo_exit_port(cop_net_info(net)->topo, 4) == port;
    assert_true(!exit || p->dst == 4);
    u.out->most = roots > u.out->most ? roots : u.out->most;
    if (roots > 0)
        *(exit ? &u.out->in_state : &u.out->elsewhere) += 1;
    if (exit)
        u.out->last = roots;
}

/* gran5-29: queues two hops from the root do not put their output into the state. gran5-30: the root
 * is in it for as long as one of its three queues says so, and not when all is over. */
static void test_congestion_state(void **state)
{
    (void)state;
    static const cop_cc_ops spying = {.name = "spy", .at_switch.on_dequeue = look};
    static const char *const sets[][2] = {{"queueing.kind=fbicm", "queueing.queues=2"},
                                          {"queueing.kind=hfdi", "queueing.root_stop=yes"},
                                          {"queueing.kind=voqsw", "run.drain=yes"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_config c;
        cop_result r;
        cop_err err = {0};
        spy s = {0};
        const cop_override set[] = {
            {.text = sets[i][0]}, {.text = sets[i][1]}, {.text = "run.drain=yes"}};
        assert_int_equal(cop_config_load(&c, "test.yaml", two_switches, set, 3, &err), 0);
        c.cc = &spying;
        c.cc_cfg = &s;
        assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_int_equal(s.elsewhere, 0);
        assert_int_equal(s.most, i < 2 ? 3 : 0);
        assert_true((s.in_state > 1000) == (i < 2));
        assert_int_equal(s.last, 0);
        cop_result_free(&r);
        cop_config_free(&c);
    }
}

/* -- order between normal and special queues -- */

/* Paper V, case 2 as reconstructed in G-gran5-3: with equal turns of the inputs at each output every rate is
 * known, gran5-17 with the victim freed. The order inside an input, where the hot flow and the victim
 * ask for different outputs, must not take away a turn. */
static void test_turns(void **state)
{
    (void)state;
    static const char case2[] = "run: {duration: 4 ms, warmup: 2 ms}\n"
                                "topology: {kind: kary-ntree, k: 2, n: 3}\n"
                                "link: {rate: 2.5 GB/s, delay: 20 ns}\n"
                                "switch: {architecture: iq}\n"
                                "queueing: {kind: fbicm}\n"
                                "traffic:\n"
                                "  - {name: F0, from: [0], pattern: fixed, to: 6}\n"
                                "  - {name: F1, from: [1], pattern: fixed, to: 4}\n"
                                "  - {name: F2, from: [2], pattern: fixed, to: 6}\n"
                                "  - {name: F3, from: [3], pattern: fixed, to: 6}\n"
                                "  - {name: F4, from: [4], pattern: fixed, to: 6}\n";
    static const char *const sets[][2] = {
        {"queueing.kind=fbicm", "queueing.priority=round-robin"},
        {"queueing.kind=fbicm", "queueing.priority=normal-first"},
        {"queueing.kind=fbicm", "queueing.priority=congested-first"},
        {"queueing.kind=fbicm", "queueing.priority=age"},
        {"queueing.kind=recn", "queueing.priority=normal-first"}};
    cop_result r;
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        run_ok(case2, sets[i], 2, &r);
        near(scn_gbps(&r, "F4"), 10.0, 0.005);
        near(scn_gbps(&r, "F0"), 5.0, 0.005);
        near(scn_gbps(&r, "F2"), 2.5, 0.005);
        near(scn_gbps(&r, "F3"), 2.5, 0.005);
        near(scn_gbps(&r, "F1"), 15.0, 0.005);
        cop_result_free(&r);
    }
}

/* -- cost: the supplement of Paper VI, tables 5 and section 8 -- */

static void test_cost(void **state)
{
    (void)state;
    const struct {
        const char *levels, *destinations;
        double cam, sram;
    } sizes[] = {{"topology.n=3", "queueing.destinations=8", 576, 315},
                 {"topology.n=4", "queueing.destinations=16", 1296, 315},
                 {"topology.n=5", "queueing.destinations=32", 3024, 315}};
    static const char tree[] = "run: {duration: 1 ns}\n"
                               "topology: {kind: kary-ntree, k: 4, n: 3}\n"
                               "queueing: {kind: hfdi, local: no}\n"
                               "switch: {buffer: 128 KiB}\n"
                               "traffic: [{from: [0], pattern: fixed, to: 1}]\n";
    static const char *const voqnet[] = {"queueing.kind=voqnet", "switch.buffer=4 KiB"};
    cop_result r;
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        const char *set[] = {sizes[i].levels, sizes[i].destinations};
        run_ok(tree, set, 2, &r);
        assert_int_equal(scalar(&r, "hardware.cam_lines_per_port"), 9);
        assert_int_equal(scalar(&r, "hardware.cam_cells_per_port"), sizes[i].cam);
        assert_int_equal(scalar(&r, "hardware.sram_cells_per_port"), sizes[i].sram);
        assert_int_equal(scalar(&r, "hardware.ram_bytes_per_port"), 131072);
        cop_result_free(&r);
    }
    run_ok(tree, voqnet, 2, &r);
    assert_int_equal(scalar(&r, "hardware.ram_bytes_per_port"), 262144); /* gran5-26 */
    assert_int_equal(scalar(&r, "hardware.cam_lines_per_port"), 0);
    cop_result_free(&r);
}

/* -- what cannot work is refused -- */

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *set[3], *says;
    } cases[] = {
        {{"cc.kind=ccfit", "queueing.kind=hfdi"}, "leave queueing.kind out, or set it to fbicm"},
        {{"cc.kind=ecocc", "queueing.kind=voqsw"}, "leave queueing.kind out, or set it to hfdi"},
        {{"cc.kind=ith", "queueing.kind=voqsw"}, "leave queueing.kind out, or set it to hfdi"},
        {{"queueing.kind=hfdi", "queueing.low=4"}, "make it smaller"},
        {{"queueing.kind=fbicm", "queueing.go=10"}, "make it smaller"},
        {{"queueing.kind=hfdi", "topology={kind: torus, radix: [4, 4]}",
          "routing.kind=adaptive-cube"},
         "escape lanes instead; choose a routing without"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        cop_err err = {0};
        size_t n = cases[i].set[2] ? 3 : 2;
        assert_int_equal(scn_run(n == 3 ? burst : two_switches, cases[i].set, n, &r, &err),
                         -COP_E_INPUT);
        if (strstr(err.text, cases[i].says) == NULL)
            print_error("%s\n", err.text);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_non_null(strchr(err.text, ';'));
    }
}

/* -- no host starves -- */

/* Three flows through one input that reads one packet at a time, to three outputs: normal-first must give each
 * special queue its turn, not the same one again and again. */
static void test_guard_reaches_all(void **state)
{
    (void)state;
    static const char chain[] = "run: {duration: 4 ms, warmup: 1 ms}\n"
                                "topology: {kind: chain, hosts: [3, 3]}\n"
                                "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                                "switch: {architecture: iq}\n"
                                "traffic:\n"
                                "  - {name: A, from: [0], pattern: fixed, to: 3}\n"
                                "  - {name: B, from: [1], pattern: fixed, to: 4}\n"
                                "  - {name: C, from: [2], pattern: fixed, to: 5}\n";
    static const char *const sets[][3] = {
        {"queueing.kind=fbicm", "queueing.priority=normal-first", "queueing.guard=4"},
        {"queueing.kind=recn", "queueing.priority=normal-first", "queueing.guard=4"},
        {"queueing.kind=fbicm", "queueing.priority=congested-first", "queueing.guard=4"},
        {"queueing.kind=hfdi", "queueing.priority=normal-first", "queueing.local=yes"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(chain, sets[i], 3, &r);
        near(scn_gbps(&r, "A") + scn_gbps(&r, "B") + scn_gbps(&r, "C"), 10.0, 0.01);
        static const char *const names[] = {"A", "B", "C"};
        for (size_t k = 0; k < COP_LEN(names); k++)
            assert_true(scn_gbps(&r, names[k]) > 1.0);
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_queue_frees_the_victim),
        cmocka_unit_test(test_one_tree_too_many),
        cmocka_unit_test(test_trees_come_and_go),
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_local_root),
        cmocka_unit_test(test_end_nodes_hold_back),
        cmocka_unit_test(test_congestion_state),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_guard_reaches_all),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("isolation", tests, NULL, NULL);
}
