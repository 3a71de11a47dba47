/* Service levels and lanes: a level has the lanes that the map says, on tables and on routings that need
 * several of them; arbitration tables then separate levels; the dependency check sees the map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "named.h"
#include "scenario.h"

/* -- the victim of experiments/setups/2sw7.yaml -- */

static void run_2sw7(const char *const *set, size_t n, cop_result *r)
{
    cop_config c;
    cop_err err = {0};
    cop_override all[8];
    for (size_t i = 0; i < n; i++)
        all[i] = (cop_override){.text = set[i]};
    if (cop_config_load(&c, "experiments/setups/2sw7.yaml", NULL, all, n, &err) != 0 ||
        cop_run(&c, NULL, r, &err) != 0)
        fail_msg("%s", err.text);
    cop_config_free(&c);
}

/* F1 goes elsewhere than the others, and shares a trunk with two of them. On a lane of its own it has all that its host
 * can send, 13 Gbit/s; the others have what they had, as F1 takes nothing from the host that they all go to. */
static void test_victim_has_its_rate(void **state)
{
    (void)state;
    static const struct {
        const char *set[5];
        double gbps;
    } cases[] = {{{"switch.lanes=2"}, 13.1 / 6},
                 {{"switch.lanes=2", "traffic.F1.sl=1"}, 13.0},
                 {{"traffic.F1.sl=1", "switch.sl2vl=[0, 1]"}, 13.0},
                 {{"traffic.F1.sl=1", "switch.lanes=2", "switch.sl2vl=[1, 0]"}, 13.0},
                 {{"traffic.F1.sl=1", "switch.lanes=2", "switch.sl2vl=[0, 0]"}, 13.1 / 6},
                 {{"traffic.F1.sl=3", "switch.lanes=2"}, 13.0}, /* 3 modulo 2 */
                 {{"traffic.F1.sl=2", "switch.lanes=2"}, 13.1 / 6},
                 {{"traffic.F1.sl=1", "switch.lanes=2", "nic.control_vl=1"}, 13.1 / 6},
                 /* As OpenSM has it, beyond the levels in use with lanes that there are not. */
                 {{"traffic.F1.sl=1", "switch.sl2vl=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"}, 13.0},
                 /* On the trunk alone; and at a pair of ports by which F1 does not go. */
                 {{"traffic.F1.sl=1", "switch.lanes=2", "switch.sl2vl=[0, 0]",
                   "switch.port_sl2vl=[0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
                  13.0},
                 {{"traffic.F1.sl=1", "switch.lanes=2", "switch.sl2vl=[0, 0]",
                   "switch.port_sl2vl=[0, 1, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]"},
                  13.1 / 6}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        size_t n = 0;
        while (n < COP_LEN(cases[i].set) && cases[i].set[n] != NULL)
            n++;
        run_2sw7(cases[i].set, n, &r);
        if (fabs(scn_gbps(&r, "F1") - cases[i].gbps) > 0.01)
            fail_msg("case %zu: %g", i, scn_gbps(&r, "F1"));
        assert_true(fabs(scn_gbps(&r, "F4") - 13.1 / 3) < 0.01);
        assert_true(fabs(scn_gbps(&r, "F2") - 13.1 / 6) < 0.01);
        cop_result_free(&r);
    }
}

/* -- routings that need several lanes -- */

/* A level that begins at lane n does there what it does from lane 0 on where nothing else is: the same run. */
static void test_lanes_behind_others(void **state)
{
    (void)state;
    static const struct {
        const char *network;
        int lanes; /* of the routing */
    } cases[] = {
        {"topology: {kind: kary-ntree, k: 2, n: 3}\n", 1},
        {"topology: {kind: kary-ntree, k: 2, n: 3}\nrouting: {kind: adaptive-tree}\n", 1},
        {"topology: {kind: kary-ntree, k: 2, n: 3}\nrouting: {kind: random-tree}\n", 1},
        {"topology: {kind: mesh, radix: [3, 3]}\nrouting: {kind: dor}\n", 3},
        {"topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: dor}\n", 2},
        {"topology: {kind: torus, radix: [5, 3]}\nrouting: {kind: dor, choice: free}\n", 4},
        {"topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: adaptive-cube}\n", 4},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: dragonfly-min}\n", 2},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
         "routing: {kind: dragonfly-valiant}\n",
         4},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: ugal}\n", 4},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}\nrouting: {kind: piggyback}\n", 4}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char yaml[1024], narrow[80], wide[80];
        cop_result a, b;
        int n = cases[i].lanes;
        scn_text(
            yaml, sizeof(yaml),
            "run: {duration: 60 us, drain: yes, seed: %zu}\n%s"
            "switch: {buffer: 8 KiB}\nnic: {mtu: 1 KiB, ack: message}\n"
            "traffic: [{pattern: uniform, arrival: poisson, load: 70 %%, message: 3 kB, sl: 2}]\n",
            i + 1, cases[i].network);
        scn_text(narrow, sizeof(narrow), "switch={buffer: 8 KiB, lanes: %d}", n);
        /* Tables would take level 2 to a lane of its own, where there are several: not to lane 0. */
        scn_run(yaml, (const char *const[]){narrow, "switch.sl2vl=[0, 0, 0]"}, 2, &a, NULL);
        scn_text(wide, sizeof(wide), "switch={buffer: 8 KiB, lanes: %d, sl2vl: [0, 0, %d]}", 2 * n,
                 n);
        scn_run(yaml, (const char *const[]){wide}, 1, &b, NULL);
        assert_int_equal(b.outcome, COP_OUTCOME_OK);
        assert_true(a.packets_delivered > 500);
        if (a.run_hash != b.run_hash)
            fail_msg("case %zu: another run on lanes from %d on", i, n);
        cop_result_free(&a);
        cop_result_free(&b);
    }
}

/* Two levels on a torus: one is blocked by its hot spot, the other has what it has without. */
static void test_levels_on_a_torus(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 200 us, warmup: 50 us}\ntopology: {kind: torus, radix: [4, 4]}\n"
        "routing: {kind: dor}\nswitch: {buffer: 8 KiB}\nnic: {receive_rate: 16 Gbit/s}\n"
        "traffic:\n  - {name: hot, from: [0-4, 6-15], pattern: fixed, to: 5, arrival: poisson,\n   "
        "  load: %s}\n"
        "  - {name: other, from: all, pattern: uniform, arrival: poisson,\n     load: 20 %%, sl: "
        "1}\n";
    static const struct {
        const char *sl2vl, *hot;
    } cases[] = {{"switch.sl2vl=[0, 0]", "1 %"},
                 {"switch.sl2vl=[0, 0]", "100 %"},
                 {"switch.sl2vl=[0, 2]", "100 %"}};
    double gbps[3];
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char text[1024];
        cop_result r;
        scn_text(text, sizeof(text), yaml, cases[i].hot);
        scn_run(text, &cases[i].sl2vl, 1, &r, NULL);
        gbps[i] = scn_gbps(&r, "other");
        assert_true(scalar(&r, "input_sections") == (i == 2 ? 4 : 2));
        cop_result_free(&r);
    }
    assert_true(gbps[1] < 0.6 * gbps[0]);
    assert_true(gbps[2] > 0.98 * gbps[0]);
}

/* -- arbitration tables -- */

/* Two hosts send all they have to a third, on lanes of their own: weights share its link, and a high lane goes first
 * as far as its limit lets it. */
static void test_tables_share_a_link(void **state)
{
    (void)state;
    static const struct {
        const char *set[3];
        double share; /* of level 1 */
    } cases[] = {
        {{"switch.vl_low=[0, 64, 1, 64]"}, 0.5},
        {{"switch.vl_low=[0, 32, 1, 96]"}, 0.75},
        {{"switch.vl_low=[0, 224, 1, 32]"}, 0.125},
        {{"switch.vl_low=[0, 1]", "switch.vl_high=[1, 1]"}, 1.0},
        /* 4 KiB of the high lane, two packets, then one of the low one; 16 KiB: eight; one packet each. */
        {{"switch.vl_low=[0, 1]", "switch.vl_high=[1, 1]", "switch.vl_high_limit=1"}, 2.0 / 3},
        {{"switch.vl_low=[0, 1]", "switch.vl_high=[1, 1]", "switch.vl_high_limit=4"}, 8.0 / 9},
        {{"switch.vl_low=[0, 1]", "switch.vl_high=[1, 1]", "switch.vl_high_limit=0"}, 0.5}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        const char *set[] = {"switch.vl_arbitration=ib", cases[i].set[0], cases[i].set[1],
                             cases[i].set[2]};
        size_t n = cases[i].set[1] == NULL ? 2 : cases[i].set[2] == NULL ? 3 : 4;
        scn_run("run: {duration: 2 ms, warmup: 100 us}\ntopology: {kind: single, hosts: 3}\n"
                "link: {rate: 10 Gbit/s}\nswitch: {lanes: 2}\nnic: {mtu: 2 KiB}\n"
                "traffic:\n  - {name: low, from: [0], pattern: fixed, to: 2}\n"
                "  - {name: high, from: [1], pattern: fixed, to: 2, sl: 1}\n",
                set, n, &r, NULL);
        if (fabs(scn_gbps(&r, "high") - 10.0 * cases[i].share) > 0.05 ||
            fabs(scn_gbps(&r, "high") + scn_gbps(&r, "low") - 10.0) > 0.02)
            fail_msg("case %zu: high %g, low %g", i, scn_gbps(&r, "high"), scn_gbps(&r, "low"));
        cop_result_free(&r);
    }
}

/* A stream with a long queue on a blocked lane does not keep another lane of its host waiting. */
static void test_a_host_with_two_lanes(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 2 ms, warmup: 1 ms}\ntopology: {kind: single, hosts: 4}\n"
            "link: {rate: 10 Gbit/s}\nswitch: {lanes: 2, buffer: 8 KiB}\n"
            "traffic:\n  - {name: hot, from: [0, 1, 2], pattern: fixed, to: 3, arrival: poisson,\n"
            "     load: 90 %, message: 2 KiB}\n"
            "  - {name: free, from: [0], pattern: fixed, to: 1, arrival: poisson, load: 40 %,\n"
            "     message: 2 KiB, sl: 1}\n",
            NULL, 0, &r, NULL);
    assert_true(fabs(scn_gbps(&r, "free") - 4.0) < 0.2);
    assert_true(fabs(scn_gbps(&r, "hot") - 10.0) < 0.01);
    cop_result_free(&r);
}

/* -- the dependency check -- */

#define RING                                                                                       \
    "run: {duration: 50 us}\ntopology: {kind: torus, radix: [5]}\nrouting: {kind: minhop}\n"       \
    "switch: {buffer: 4 KiB, lanes: 2}\ntraffic: [{pattern: uniform}]\n"
#define LANE_1 "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1"

/* A ring of five: no packet goes further than two links, so a way that comes over switch 0 may end on lane 1, and no
 * cycle is left. One direction alone is not enough. */
static void test_check_sees_maps_of_ports(void **state)
{
    (void)state;
    static const char both[] = "switch.port_sl2vl=[0, 0, 1, " LANE_1 ", 0, 1, 0, " LANE_1 "]";
    static const char one[] = "switch.port_sl2vl=[0, 0, 1, " LANE_1 "]";
    cop_result r;
    cop_err err = {0};
    assert_int_equal(scn_run(RING, NULL, 0, &r, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "has a cycle of channel dependencies"));
    err = (cop_err){0};
    assert_int_equal(scn_run(RING, (const char *const[]){"switch.sl2vl=[0]", one}, 2, &r, &err),
                     -COP_E_INPUT);
    assert_non_null(strstr(err.text, "has a cycle of channel dependencies"));
    scn_run(RING, (const char *const[]){"switch.sl2vl=[0]", both}, 2, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_true(r.packets_delivered > 50);
    cop_result_free(&r);
}

/* -- what is shown -- */

static void test_check_names_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *set, *line;
    } cases[] = {
        {"switch.lanes=1", NULL},
        {"switch.lanes=2", "# first lanes of service levels: level 0 lane 0, level 3 lane 1\n"},
        {"switch.sl2vl=[2, 0, 0, 1]",
         "# first lanes of service levels: level 0 lane 2, level 3 lane 1\n"},
        {"switch={sl2vl: [0, 0, 0, 0], lanes: 2, port_sl2vl: [0, 0, 1, " LANE_1 "]}",
         "level 3 lane 0; and others at some ports\n"}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_config c;
        cop_err err = {0};
        cop_override set = {.text = cases[i].set};
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_int_equal(cop_config_load(&c, "a.yaml",
                                         "topology: {kind: single, hosts: 2}\n"
                                         "traffic: [{from: [0]}, {from: [1], sl: 3}]\n",
                                         &set, 1, &err),
                         0);
        if (cop_check_network(&c, out, &err) != 0)
            fail_msg("%s", err.text);
        fclose(out);
        if (cases[i].line ? strstr(text, cases[i].line) == NULL
                          : strstr(text, "service levels") != NULL)
            fail_msg("case %zu: %s", i, text);
        cop_free_foreign(text);
        cop_config_free(&c);
    }
}

/* -- what is refused -- */

static void refused(const char *network, const char *const *set, size_t n, const char *says)
{
    char yaml[1024];
    cop_result r;
    cop_err err = {0};
    scn_text(yaml, sizeof(yaml),
             "run: {duration: 10 us}\n%straffic: [{pattern: uniform}, {pattern: uniform, sl: 1}]\n",
             network);
    assert_int_equal(scn_run(yaml, set, n, &r, &err), -COP_E_INPUT);
    if (strstr(err.text, says) == NULL || strchr(err.text, '\n') != NULL)
        fail_msg("`%s` does not say `%s`, or is not one line", err.text, says);
}

#define REFUSED(network, says, ...)                                                                \
    refused(network, (const char *const[]){__VA_ARGS__},                                           \
            COP_LEN(((const char *const[]){__VA_ARGS__})), says)

static void test_refusals(void **state)
{
    (void)state;
    static const char tree[] = "topology: {kind: kary-ntree, k: 2, n: 2}\n";
    static const char torus[] = "topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: dor}\n";
    REFUSED(tree, "has no lane for service level 1", "switch.sl2vl=[0]");
    REFUSED(tree, "service level 1 has lane 15, which carries no data", "switch.sl2vl=[0, 15]");
    REFUSED(tree, "service level 1 begins at lane 2, and data have lanes 0 to 1",
            "switch.sl2vl=[0, 2]", "switch.lanes=2");
    REFUSED(tree, "data have lanes 0 to 0; choose a lower one, or raise nic.control_vl",
            "switch.sl2vl=[0, 1]", "switch.lanes=2", "nic.control_vl=1");
    REFUSED(tree, "switch.sl2vl has 17 lanes", "switch.sl2vl=[0-14, 0, 0]");
    REFUSED(tree, "chooses lanes by destination", "switch.sl2vl=[0, 1]", "queueing.kind=vftree");
    REFUSED(tree, "are exceptions from switch.sl2vl", "switch.port_sl2vl=[0]");
    REFUSED(tree, "port_sl2vl has 1 numbers", "switch.sl2vl=[0, 1]", "switch.port_sl2vl=[0]");
    REFUSED(tree, "switch 0 has no port 9", "switch.sl2vl=[0, 1]",
            "switch.port_sl2vl=[0, 0, 9, " LANE_1 "]");
    REFUSED(tree, "service level 0 begins at lane 1, and data have lanes 0 to 0", "switch.lanes=1",
            "switch.sl2vl=[0, 0]", "switch.port_sl2vl=[0, 0, 1, " LANE_1 "]");
    REFUSED(torus, "needs 2 lanes for each service level, and has 1", "switch.sl2vl=[0, 1]");
    REFUSED(torus, "needs 2 lanes for each service level, and has 1", "switch.sl2vl=[0, 2]",
            "switch.lanes=3");
    REFUSED(torus, "only forwarding tables", "switch.sl2vl=[0, 2]",
            "switch.port_sl2vl=[0, 0, 1, " LANE_1 "]");
    REFUSED("topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: true-adaptive}\n",
            "resolves deadlocks on lane 0", "switch.sl2vl=[0, 3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_victim_has_its_rate),
                                       cmocka_unit_test(test_lanes_behind_others),
                                       cmocka_unit_test(test_levels_on_a_torus),
                                       cmocka_unit_test(test_tables_share_a_link),
                                       cmocka_unit_test(test_a_host_with_two_lanes),
                                       cmocka_unit_test(test_check_sees_maps_of_ports),
                                       cmocka_unit_test(test_check_names_lanes),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
