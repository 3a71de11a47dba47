/* What `check` says of a fabric (src/exp/facts.c), on networks small enough to count by hand. */
#include "config_fixture.h"

#include "exp/run.h"

#include <stdio.h>
#include <stdlib.h>

/* The lines of a network with one stream. */
static void facts_of(const char *network, char *text, size_t size)
{
    char yaml[512];
    cop_config c;
    cop_err err = {0};
    snprintf(yaml, sizeof(yaml), "%s\ntraffic: [{pattern: uniform}]\n", network);
    load_good(&c, yaml, NULL, 0);
    char *said = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&said, &n);
    assert_non_null(out);
    int rc = cop_check_network(&c, out, &err);
    fclose(out);
    if (rc != 0)
        fail_msg("%s", err.text);
    snprintf(text, size, "%s", said);
    free(said);
    cop_config_free(&c);
}

/* Hosts 0-2 and 3-6 at two switches with one cable of 20 Gbit/s: 30 and 40 over 20. Of the pairs of hosts 12
 * cross the cable in each direction. */
static void two_switches(void **state)
{
    char text[4096];
    (void)state;
    facts_of("topology: {kind: chain, hosts: [3, 4]}\n"
             "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s}",
             text, sizeof(text));
    expect(text, "# links of 10 Gbit/s: 7 to hosts, 0 between switches\n");
    expect(text, "# links of 20 Gbit/s: 0 to hosts, 1 between switches\n");
    expect(text, "hosts of a switch have 2 times what its other links carry at s1, 1.5 where it is "
                 "least\n");
    expect(text, "has 1 times the mean of all pairs of hosts (s0.3); 0 of 2 have none\n");
}

/* 1, 2 and 3 hosts in a row: 5 pairs over each direction of the first cable, 9 over the second; 9 over their mean
 * of 7. The switch in the middle has two cables for two hosts. */
static void chain_of_three(void **state)
{
    char text[4096];
    (void)state;
    facts_of("topology: {kind: chain, hosts: [1, 2, 3]}\nlink: {rate: 10 Gbit/s}", text,
             sizeof(text));
    expect(text, "# links of 10 Gbit/s: 6 to hosts, 2 between switches\n");
    expect(text, "have 3 times what its other links carry at s2, 1 where it is least\n");
    expect(text, "has 1.29 times the mean of all pairs of hosts (s1.");
    expect(text, "; 0 of 4 have none\n");
}

/* A pair of hosts loads a slow link for longer. Three groups of two switches of two hosts: 16 pairs on each link between
 * groups; on a local one 4 of its switches, 8 that leave by the far one's link and 8 that came in by the near one's. */
static void rates_count(void **state)
{
    char text[4096];
    (void)state;
    facts_of("topology: {kind: dragonfly, p: 2, a: 2, h: 1}\nlink: {rate: 10 Gbit/s}", text,
             sizeof(text));
    expect(text, "has 1.11 times the mean of all pairs of hosts (s0.2); 0 of 12 have none\n");
    facts_of("topology: {kind: dragonfly, p: 2, a: 2, h: 1}\n"
             "link: {rate: 10 Gbit/s, global_rate: 5 Gbit/s}",
             text, sizeof(text)); /* 32 over a mean of 26 */
    expect(text, "has 1.23 times the mean of all pairs of hosts for its rate (s0.3); 0 of 12 ");
    facts_of("topology: {kind: dragonfly, p: 4, a: 8, h: 4, groups: 8}\nlink: {rate: 10 Gbit/s}",
             text, sizeof(text)); /* parallel links: 272 over 164864 / 680 */
    expect(text, "has 1.12 times the mean of all pairs of hosts (");
}

/* A full tree with D-Mod-K is balanced, and not oversubscribed. */
static void tree(void **state)
{
    char text[4096];
    (void)state;
    facts_of("topology: {kind: kary-ntree, k: 4, n: 2}\nlink: {rate: 16 Gbit/s}", text,
             sizeof(text));
    expect(text, "# links of 16 Gbit/s: 16 to hosts, 16 between switches\n");
    expect(text, "have 1 times what its other links carry (none)\n");
    expect(text, "has 1 times the mean of all pairs of hosts (s0.4); 0 of 32 have none\n");
}

/* One switch has no other links; a routing with a choice has no balance. */
static void nothing_to_say(void **state)
{
    char text[4096];
    (void)state;
    facts_of("topology: {kind: single, hosts: 4}\nlink: {rate: 10 Gbit/s}", text, sizeof(text));
    expect(text, "# links of 10 Gbit/s: 4 to hosts, 0 between switches\n");
    assert_null(strstr(text, "oversubscription"));
    assert_null(strstr(text, "balance"));
    facts_of("topology: {kind: kary-ntree, k: 4, n: 2}\nrouting: {kind: adaptive-tree}", text,
             sizeof(text));
    expect(text, "oversubscription");
    assert_null(strstr(text, "balance"));
}

/* Deadlocks that would be resolved after the run are not resolved. */
static void late_recovery(void **state)
{
    char text[4096];
    (void)state;
    facts_of("run: {duration: 100 us}\ntopology: {kind: torus, radix: [4]}\n"
             "routing: {kind: true-adaptive, timeout: 100 us}",
             text, sizeof(text));
    expect(text,
           "# warning: deadlocks are resolved after 100 us, and the run ends after 100 us; make "
           "routing.timeout shorter, or run.duration longer\n");
    facts_of("run: {duration: 100 us}\ntopology: {kind: torus, radix: [4]}\n"
             "routing: {kind: true-adaptive, timeout: 99 us}",
             text, sizeof(text));
    assert_null(strstr(text, "# warning"));
}

#define DRAGONFLY(groups, more)                                                                    \
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2, groups: " groups "}\n" more

#define ONE "topology: {kind: single, hosts: 4}\n"

#define TREE(routing, queues, buffer)                                                              \
    "topology: {kind: kary-ntree, k: 4, n: 2}\nrouting: {kind: " routing "}\n"                     \
    "queueing: {kind: fbicm, queues: " queues "}\nswitch: {buffer: " buffer "}\n"

/* What is allowed, and does nothing here or hardly what is meant. */
static void idle_parts(void **state)
{
    static const struct {
        const char *yaml, *says; /* NULL: nothing */
    } all[] = {
        {ONE "run: {duration: 10 us, sample: 11 us}",
         "run.sample, 11 us, is longer than the run, 10 us"},
        {ONE "run: {duration: 10 us, sample: 10 us}", NULL},
        {ONE "run: {duration: 10 us, trees: yes, tree_sample: 11 us}",
         "run.tree_sample, 11 us, is longer"},
        {ONE "run: {duration: 10 us, trees: yes, tree_sample: 5 us}", NULL},
        {ONE "run: {births: generation}", "set run.drain to yes"},
        {ONE "run: {births: injection, drain: yes}", NULL},
        {DRAGONFLY("2", "routing: {kind: ugal, via: other}"), "no other group to visit"},
        {DRAGONFLY("3", "routing: {kind: ugal, via: other}"), NULL},
        {DRAGONFLY("9", "routing: {kind: ugal}\ncc: {kind: qcn, react: no}"), "have no effect"},
        {DRAGONFLY("9", "routing: {kind: qcn-switch}\ncc: {kind: qcn, react: no}"), NULL},
        {DRAGONFLY("9", "routing: {kind: ugal}\ncc: {kind: qcn}"), "every 10 and share 100 %"},
        {DRAGONFLY("9", "routing: {kind: ugal}\ncc: {kind: qcn, every: 10, share: 100 %}"), NULL},
        {DRAGONFLY("9", "routing: {kind: qcn-switch}\ncc: {kind: qcn}"), NULL},
        {DRAGONFLY("9", "routing: {kind: qcn-switch, lf: 1.5e-5}\ncc: {kind: qcn}"), "with lf"},
        {DRAGONFLY("9", "routing: {kind: qcn-switch, lf: 2e-5}\ncc: {kind: qcn}"), NULL},
        {DRAGONFLY("9", "routing: {kind: qcn-switch, pi: 0.0009}\ncc: {kind: qcn}"), "with pi"},
        {DRAGONFLY("9", "routing: {kind: qcn-switch, pi: 0.001}\ncc: {kind: qcn}"), NULL},
        /* 8 ports, 10 packets of 2 KiB in each: 160 KiB */
        {TREE("adaptive-tree", "8", "159 KiB"), "the routing spreads one flow over many outputs"},
        {TREE("adaptive-tree", "8", "160 KiB"), NULL},
        {TREE("adaptive-tree", "7", "160 KiB"), "Use hfdi, or as many queueing.queues"},
        {TREE("random-tree", "2", "64 KiB"), "the routing spreads one flow over many outputs"},
        {TREE("dmodk", "2", "64 KiB"), NULL},
        {TREE("adaptive-tree", "0", "64 KiB"), NULL},
    };
    char text[4096];
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        facts_of(all[i].yaml, text, sizeof(text));
        if (all[i].says != NULL)
            expect(text, all[i].says);
        else if (strstr(text, "# warning") != NULL)
            fail_msg("%s: %s", all[i].yaml, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_switches),   cmocka_unit_test(chain_of_three),
        cmocka_unit_test(rates_count),    cmocka_unit_test(tree),
        cmocka_unit_test(nothing_to_say), cmocka_unit_test(late_recovery),
        cmocka_unit_test(idle_parts)};
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
