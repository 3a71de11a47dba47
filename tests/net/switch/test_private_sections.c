/* Buffers private to destinations (voqnet) and congestion controls: whether a port is the root of
 * congestion is asked for the section that a packet takes, not for another destination's, and what
 * waits is counted by section. */
#include "named.h"
#include "net/cc.h"
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Thesis figure 2.4: three flows to host 4, and a victim that shares a link with one of them. */
#define TWO_SWITCHES                                                                               \
    "topology: {kind: chain, hosts: [3, 4]}\n"                                                     \
    "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"                               \
    "switch: {buffer: 64 KiB}\n"                                                                   \
    "queueing: {kind: voqnet}\n"                                                                   \
    "traffic:\n"                                                                                   \
    "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"                                    \
    "  - {name: victim, from: [0], pattern: fixed, to: 3}\n"

/* The buffers keep the victim apart; a control must not join what they have separated. */
static void test_the_victim_stays_one(void **state)
{
    (void)state;
    static const char *const controls[] = {"cc.kind=none", "cc.evaluate=voq", "cc.evaluate=output",
                                           "cc.evaluate=contributors"};
    for (size_t i = 0; i < COP_LEN(controls); i++) {
        const char *const set[] = {"cc.kind=ibcc", controls[i]};
        cop_result r;
        scn_run("run: {duration: 20 ms, warmup: 500 us}\n" TWO_SWITCHES, set, 2, &r, NULL);
        assert_true(scn_gbps(&r, "victim") > 9.99);
        assert_true(scn_gbps(&r, "hot") > 4.0);
        if (i > 0) {
            assert_true(scalar(&r, "fecn/hot") > 100);
            assert_true(scalar(&r, "fecn/victim") == 0);
            assert_true(scalar(&r, "fecn_at/s1.1") == scalar(&r, "fecn")); /* the one root */
        }
        cop_result_free(&r);
    }
}

/* -- what the network tells -- */

#define MAX_PORTS 64u /* of all switches */
#define MAX_SECTIONS 64u

typedef struct tally { /* the control's configuration */
    uint64_t calls, wrong;
    uint64_t asked[8], without[8]; /* [host] packets to it at the trunk of switch 0 */
    uint32_t fill[MAX_PORTS][MAX_PORTS][MAX_SECTIONS]; /* [input][output][section] as told so far */
} tally;

/* The network hands the configuration out as const; this one is the test's own. */
static tally *tally_of(const struct cop_net *net)
{
    union {
        const void *in;
        tally *out;
    } u = {.in = cop_net_cc_cfg(net)};
    return u.out;
}

static void tally_fill(struct cop_net *net, uint32_t in, uint32_t out, uint32_t before,
                       uint32_t after, const cop_pkt *p)
{
    tally *t = tally_of(net);
    uint32_t section = cop_net_section(net, p);
    assert_true(in < MAX_PORTS && out < MAX_PORTS && section < cop_net_info(net)->sections);
    assert_true(cop_net_info(net)->sections <= MAX_SECTIONS);
    t->calls++;
    t->wrong += section % cop_net_info(net)->lanes != p->out_vl;
    t->wrong += t->fill[in][out][section] != before;
    t->wrong += (after > before ? after - before : before - after) != p->bytes;
    t->fill[in][out][section] = after;
}

static void ask_credit(struct cop_net *net, uint32_t in, uint32_t port, cop_pkt *p)
{
    (void)in;
    tally *t = tally_of(net);
    const cop_topo *topo = cop_net_info(net)->topo;
    if (port != cop_topo_switch_port(topo, 0, 3))
        return;
    t->asked[p->dst]++;
    t->without[p->dst] += !cop_net_has_credit(net, port, p);
}

static void run_with(const cop_cc_ops *ops, tally *t, const char *yaml)
{
    cop_config c;
    cop_result r;
    cop_err err = {0};
    assert_int_equal(cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err), 0);
    c.cc = ops;
    c.cc_cfg = t;
    assert_int_equal(cop_run(&c, NULL, &r, &err), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(r.packets_delivered > 100);
    cop_result_free(&r);
    cop_config_free(&c);
}

/* Behind the trunk the hot destination's buffer is full, the victim's is not; host 0 gets nothing. */
static void test_credit_is_that_of_the_packet(void **state)
{
    (void)state;
    static const cop_cc_ops asks = {.name = "asks", .at_switch.on_enqueue = ask_credit};
    tally *t = cop_alloc(sizeof(*t));
    run_with(&asks, t, "run: {duration: 5 ms}\n" TWO_SWITCHES);
    assert_true(t->asked[3] > 2000 && t->asked[4] > 500);
    assert_int_equal(t->without[3], 0);
    assert_true(t->without[4] > t->asked[4] * 9 / 10);
    cop_free(t);
}

/* Each (input, output, section) is counted by itself, whether a table gives the outputs, a routing
 * that takes detours and other lanes, or one that chooses among several. */
static void test_fills_by_section(void **state)
{
    (void)state;
    static const cop_cc_ops fills = {.name = "fills", .at_switch.on_fill = tally_fill};
    static const char *const networks[] = {
        "topology: {kind: kary-ntree, k: 2, n: 3}\nrouting: {kind: dmodk}\n",
        "topology: {kind: kary-ntree, k: 2, n: 3}\nrouting: {kind: adaptive-tree}\n",
        "topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}\n",
        "topology: {kind: torus, radix: [3, 3]}\nrouting: {kind: dor}\n"};
    static const char *const architectures[] = {"ib", "iq"};
    for (size_t i = 0; i < COP_LEN(networks) * COP_LEN(architectures); i++) {
        char yaml[1024];
        tally *t = cop_alloc(sizeof(*t));
        scn_text(yaml, sizeof(yaml),
                 "run: {duration: 100 us, drain: yes}\n%s"
                 "switch: {architecture: %s, buffer: 8 KiB}\nqueueing: {kind: voqnet}\n"
                 "traffic: [{pattern: uniform, message: 3 kB}]\n",
                 networks[i / 2], architectures[i % 2]);
        run_with(&fills, t, yaml);
        assert_true(t->calls > 1000);
        assert_int_equal(t->wrong, 0);
        static const uint32_t empty[MAX_PORTS][MAX_PORTS][MAX_SECTIONS];
        assert_memory_equal(t->fill, empty, sizeof(empty)); /* all have left */
        cop_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_victim_stays_one),
                                       cmocka_unit_test(test_credit_is_that_of_the_packet),
                                       cmocka_unit_test(test_fills_by_section)};
    return cmocka_run_group_tests_name("private_sections", tests, NULL, NULL);
}
