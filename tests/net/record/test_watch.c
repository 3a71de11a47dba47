/* Watched packets: which ones are, what is written of each step, and where the trace ends. */
#include "net_fixture.h"

#include "net/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char two[] = "run: {duration: 20 us}\n"
                          "topology: {kind: chain, hosts: [2, 1]}\n"
                          "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
                          "switch: {pipeline: 100 ns, header: 64 B}\n"
                          "nic: {mtu: 1000 B}\n"
                          "traffic: [{from: [1], pattern: fixed, to: 2, message: 2500 B,"
                          " messages: 1}]\n";

/* A row of wanted packets for a specification: host 1 to 2, and others that differ in one thing. */
static void which_packets(void **state)
{
    (void)state;
    static const cop_pkt some[] = {{.src = 1, .dst = 2, .seq = 5}, {.src = 0, .dst = 2, .seq = 5},
                                   {.src = 1, .dst = 0, .seq = 5}, {.src = 1, .dst = 2, .seq = 4},
                                   {.src = 1, .dst = 2, .seq = 6}, {.src = 1, .dst = 2, .seq = 7}};
    static const struct {
        const char *spec, *wanted;
    } cases[] = {
        {"", "yyyyyy"},
        {"src=1", "ynyyyy"},
        {"dst=2", "yynyyy"},
        {"src=0", "nynnnn"},
        {"dst=0", "nnynnn"},
        {"from=5", "yyynyy"},
        {"count=5", "nnnynn"},
        {"count=6", "yyyynn"},
        {"from=5,count=1", "yyynnn"},
        {"from=5,count=2", "yyynyn"},
        {"src=1,dst=2,from=6,count=1", "nnnnyn"},
        {"count=1,from=4,dst=2,src=1", "nnnynn"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(two, NULL, 0);
        cop_err err = {0};
        assert_int_equal(cop_watch_init(&w->net, cases[i].spec, stderr, 10, &err), 0);
        for (size_t k = 0; k < COP_LEN(some); k++)
            if (cop_watch_wants(&w->net, &some[k]) != (cases[i].wanted[k] == 'y'))
                fail_msg("%s: packet %zu", cases[i].spec, k);
        lab_free(w);
    }
}

static void wrong_specifications(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *says;
    } cases[] = {
        {"src", "`src` has no value"},   {"src=", "`` is not a number"},
        {"src=1,dst=x", "`x` is not"},   {"from=1x", "`1x` is not"},
        {"count=-1", "`-1` is not"},     {"host=1", "unknown part `host`"},
        {"src=3", "the last host is 2"}, {"dst=3", "the last host is 2"},
        {"count=0", "watches nothing"},  {"src=1,count=0", "watches nothing"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(two, NULL, 0);
        cop_err err = {0};
        assert_int_equal(cop_watch_init(&w->net, cases[i].spec, stderr, 10, &err), -COP_E_INPUT);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("%s: `%s` does not say `%s`", cases[i].spec, err.text, cases[i].says);
        assert_null(w->net.watch);
        lab_free(w);
    }
}

static char *trace(const char *spec, uint64_t lines, const char *set)
{
    net_lab *w = lab_build(two, &set, set ? 1 : 0);
    cop_err err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(cop_watch_init(&w->net, spec, out, lines, &err), 0);
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
    fclose(out);
    lab_free(w);
    return text;
}

/* The third packet, 500 bytes at 1 ns each, starts behind two of 1000. It is queued 10 + 64 + 100 ns
 * later, may not pass those before it, and so on. */
static void every_step(void **state)
{
    (void)state;
    static const char expected[] =
        "   2000.000 ns  packet 1:2 -> 2   500 B vl 0  injected at h1\n"
        "   2000.000 ns  packet 1:2 -> 2   500 B vl 0  sent by h1, tail at s0.1 at 2510.000 ns\n"
        "   2174.000 ns  packet 1:2 -> 2   500 B vl 0  queued at s0.1 for s0.2, 500 B wait there\n"
        "   2174.000 ns  packet 1:2 -> 2   500 B vl 0  sent by s0.2, tail at s1.1 at 2684.000 ns\n"
        "   2348.000 ns  packet 1:2 -> 2   500 B vl 0  queued at s1.1 for s1.0, 500 B wait there\n"
        "   2348.000 ns  packet 1:2 -> 2   500 B vl 0  sent by s1.0, tail at h2 at 2858.000 ns\n"
        "   2358.000 ns  packet 1:2 -> 2   500 B vl 0  delivered to h2 by 2858.000 ns, latency "
        "2858.000 "
        "ns\n";
    char *text = trace("from=2", 100, NULL);
    assert_string_equal(text, expected);
    free(text);
    /* A sink at half the rate takes 2000 ns from the head on: the first packet's comes at 358 ns. */
    text = trace("count=1", 100, "nic.receive_rate=4 Gbit/s");
    assert_non_null(strstr(text, "delivered to h2 by 2358.000 ns, latency 2358.000 ns"));
    free(text);
}

static unsigned lines_of(const char *text)
{
    unsigned n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* The last line that is allowed says so; with as many as there are steps, and one, nothing is cut. */
static void the_trace_ends(void **state)
{
    (void)state;
    for (uint64_t limit = 1; limit <= 23; limit++) {
        char *text = trace("", limit, NULL);
        assert_int_equal(lines_of(text), limit < 21 ? limit : 21); /* three packets, seven steps */
        assert_int_equal(strstr(text, "the trace ends here") != NULL, limit <= 21);
        free(text);
    }
}

static const char crowded[] = "run: {duration: 1 ms}\n"
                              "topology: {kind: chain, hosts: [3, 4]}\n"
                              "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                              "switch: {buffer: 64 KiB}\n"
                              "traffic:\n"
                              "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                              "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";
static const char groups[] = "run: {duration: 100 us}\n"
                             "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
                             "routing: {kind: qcn-switch}\n"
                             "cc: {kind: qcn, react: no, every: 1, share: 1, qeq: 4 KiB}\n"
                             "traffic: [{from: [0-7], pattern: group-adversarial}]\n";

static const char square[] =
    "run: {duration: 20 us}\n"
    "topology: {kind: torus, radix: [4, 4]}\n"
    "switch: {buffer: 256 B}\n"
    "nic: {mtu: 64 B}\n"
    "link: {rate: 8 Gbit/s}\n"
    "traffic: [{from: [1, 2, 3, 4, 8, 9], pattern: fixed, to: 0, message: 64 B}]\n";

static char *trace_of(const char *yaml, const char *spec, const char *const *set, size_t n,
                      uint64_t *hash)
{
    net_lab *w = lab_build(yaml, set, n);
    cop_err err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (spec != NULL)
        assert_int_equal(cop_watch_init(&w->net, spec, out, 100000, &err), 0);
    cop_net_run(&w->net, NULL, NULL);
    fclose(out);
    *hash = cop_net_hash(&w->net);
    lab_free(w);
    return text;
}

/* Marks with their reason, what answers a watched packet with its fields, and messages and pauses at ports at which it
 * waits. Watching changes nothing. */
static void mechanisms_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *spec, *set[2], *says[6];
    } cases[] = {
        {crowded,
         "src=1,from=60,count=20",
         {"cc.kind=ibcc", "cc.level=qp"},
         {"gets FECN from s1.1: congestion state", "  BECN 4:", "for the queue pair 1 -> 4",
          "heard by h1: ccti ", " ns, FECN"}},
        {crowded,
         "src=1,from=60,count=20",
         {"cc.kind=ibcc", "cc.level=sl"},
         {"for service level 0 of host 1"}},
        {crowded, "src=1,from=30,count=1", {"nic.ack=packet"}, {"  ack 4:", "delivered to h1"}},
        {crowded,
         "src=1,from=40,count=2",
         {"queueing.kind=fbicm"},
         {"at s0.1: line 0 for s0.3 lane 0: taken", "told to h1: allocate line 0: root ",
          "told to h1: stop line 0", "at h1: heard from s0.1: go line 0"}},
        {crowded,
         "src=1,count=60",
         {"queueing.kind=hfdi"},
         {"found a root", "told to s0.3: allocate line", "stop line", "go line"}},
        {crowded,
         "src=1,from=40,count=1",
         {"flow_control.kind=on-off"},
         {"at s1.4: PAUSE of section 0, ", "at s1.4: end of PAUSE of section 0, "}},
        {groups,
         "src=0,count=40",
         {NULL},
         {"  CNM ", "made at s0.", ": feedback ", " of 63 about"}},
        /* what the routing decides of a packet, with both ways and why; what a notification changes */
        {groups,
         "src=0,count=40",
         {NULL},
         {"gets its way at s0.0: minimal (s0.", "not around (group ",
          "): P of the minimal port is 100 %\n", "): drew N ",
          "heard at s0.4: P of s0.4 falls to "}},
        {groups,
         "src=0,from=35,count=5",
         {NULL},
         {"gets its way at s0.0: around (group ", "not minimal (s0."}},
        {groups,
         "src=0,count=40",
         {"routing.kind=ugal", "cc.kind=none"},
         {"): load times links: ", " B x 3 minimal, "}},
        {groups,
         "src=0,count=40",
         {"routing.kind=piggyback", "routing.factor=0.5"},
         {"): load times links: ", "): the global link is flagged\n"}},
        {square,
         "src=2,count=20",
         {"cc.kind=fern-1"},
         {"at s0.0: congestion, 3 buffers of lane 1 in use, threshold 2: host 2 is told",
          "at h2: told at once of congestion: delay 128 ns, 1 heard",
          "at h2: the next message waits for a delay of 256 ns"}},
        {square,
         "src=2,count=20",
         {"cc.kind=fern-1", "cc.notify=packets"},
         {"  message 0:21", "made at s0.0: congestion,", "host 2 is the culprit",
          "heard by h2: delay 128 ns"}},
        {square,
         "src=2,count=20",
         {"cc.kind=fern-2", "cc.detections=1"},
         {"at h2: told at once of congestion: delay 128 ns, 1 heard",
          "at h2: the next message waits for a delay of 128 ns", "another culprit of lane ",
          "told at once of no congestion any more"}},
        {square,
         "src=2,count=20",
         {"cc.kind=fern-local"},
         {"at s1.0: congestion, 3 buffers of lane 1 in use, threshold 2: host 1 is told"}},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        uint64_t hash, plain;
        size_t n = 0;
        while (n < 2 && cases[i].set[n] != NULL)
            n++;
        char *text = trace_of(cases[i].yaml, cases[i].spec, cases[i].set, n, &hash);
        for (size_t k = 0; k < COP_LEN(cases[i].says) && cases[i].says[k]; k++)
            if (strstr(text, cases[i].says[k]) == NULL)
                fail_msg("case %zu: `%s` is not in\n%s", i, cases[i].says[k], text);
        for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 100)
                fail_msg("case %zu: %zu columns: %.*s", i, strcspn(line, "\n"),
                         (int)strcspn(line, "\n"), line);
        free(text);
        free(trace_of(cases[i].yaml, NULL, cases[i].set, n, &plain));
        assert_true(hash == plain);
    }
}

/* What happens where no watched packet is, or after the last has gone, is not told. */
static void others_are_silent(void **state)
{
    (void)state;
    static const char *const set[] = {"queueing.kind=fbicm"};
    uint64_t hash;
    char *text = trace_of(crowded, "src=1,from=40,count=1", set, 1, &hash);
    char *last = strstr(text, "delivered to h4");
    assert_non_null(last);
    assert_non_null(strstr(last, " ns\n"));
    assert_string_equal(strstr(last, " ns\n"), " ns\n");
    assert_null(strstr(text, "at h5"));
    assert_null(strstr(text, "at s1.2:"));
    free(text);
    /* No packet goes from host 1 to itself, or to 3: nothing happens that concerns one. */
    static const char *const none[] = {"src=1,dst=1", "src=1,dst=3"};
    for (size_t i = 0; i < COP_LEN(none); i++) {
        text = trace_of(crowded, none[i], set, 1, &hash);
        assert_string_equal(text, "");
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_packets),        cmocka_unit_test(wrong_specifications),
        cmocka_unit_test(every_step),           cmocka_unit_test(the_trace_ends),
        cmocka_unit_test(mechanisms_are_named), cmocka_unit_test(others_are_silent),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
