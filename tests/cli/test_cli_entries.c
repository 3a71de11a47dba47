/* The table of traffic entries names sources that get nothing through while the others of their entry do. */
#include "program.h"

/* Hosts send to their neighbours, and what crosses from one switch to another has next to nothing. */
static const char ring[] = "run: {duration: 1 ms, warmup: 200 us}\n"
                           "topology: {kind: chain, hosts: [41, 1]}\n"
                           "link: {rate: 10 Gbit/s, trunk_rate: 1 Mbit/s}\n"
                           "traffic: [{name: ring, pattern: neighbour, arrival: poisson,"
                           " load: 50 %}]\n";

static void test_starving(void **state)
{
    (void)state;
    prog_empty_folder();
    prog_write("ring.yaml", ring);
    prog_answer a = PROG_RUN("run", "ring.yaml", "--quiet");
    PROG_EXPECT(strstr(a.out, "STARVING: 2 of 42 get nothing through: h40, h41\n"), a, "%s", a.out);
    a = PROG_RUN("run", "ring.yaml", "--quiet", "--set", "link.trunk_rate=10 Gbit/s");
    PROG_EXPECT(a.status == 0 && strstr(a.out, "STARVING") == NULL, a, "%s", a.out);
    /* five cross, four are named */
    a = PROG_RUN("run", "ring.yaml", "--quiet", "--set", "topology.hosts=[9, 8, 8, 8, 8]");
    PROG_EXPECT(strstr(a.out, "STARVING: 5 of 41 get nothing through: h8, h16, h24, h32, ...\n"), a,
                "%s", a.out);
    /* too short to tell */
    a = PROG_RUN("run", "ring.yaml", "--quiet", "--set", "run={duration: 10 us}");
    PROG_EXPECT(strstr(a.out, "STARVING") == NULL, a, "%s", a.out);
}

/* Who has nothing to send does not starve: it is done, it has drawn no message yet, or it is a rank that only receives. */
static void test_not_starving(void **state)
{
    (void)state;
    static const char *const traffic[] = {
        "run: {duration: 3 ms, warmup: 800 us}\n"
        "traffic: [{pattern: all-to-one, to: 0, message: 2 KiB, messages: 40}]\n",
        "run: {duration: 1 ms}\n"
        "traffic: [{pattern: uniform, message: 64 KiB, arrival: poisson, load: 10 %}]\n",
        "run: {duration: 2 ms, until: jobs}\n"
        "traffic: [{collective: broadcast-binomial, message: 32 KiB, repeat: 10}]\n"};
    for (size_t i = 0; i < sizeof(traffic) / sizeof(traffic[0]); i++) {
        char yaml[400];
        prog_empty_folder();
        snprintf(yaml, sizeof(yaml), "topology: {kind: torus, radix: [8, 8]}\n%s", traffic[i]);
        prog_write("all.yaml", yaml);
        prog_answer a = PROG_RUN("run", "all.yaml", "--quiet");
        PROG_EXPECT(a.status == 0 && strstr(a.out, " 64 ") != NULL, a, "%s", a.out);
        PROG_EXPECT(strstr(a.out, "STARVING") == NULL, a, "%s", a.out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_starving),
                                       cmocka_unit_test(test_not_starving)};
    return cmocka_run_group_tests(tests, prog_enter, prog_leave);
}
