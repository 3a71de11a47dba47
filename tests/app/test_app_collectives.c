/* Collectives on one switch without contention: their times are sums of times of single messages,
 * to the picosecond, for powers of two and other numbers of ranks; and everything that should arrive does. */
#include "app_fixture.h"

#include "app/coll.h"

#define OPTIONS "eager: unlimited, "

static double t(uint64_t bytes)
{
    return bytes > 0 ? idle_us(bytes, 0, 2, 10) : 0;
}

static void run_collective(cop_result *r, const char *kind, uint32_t n, uint64_t bytes,
                           const char *options)
{
    run(r,
        "run: {duration: 1 s, until: jobs}\ntopology: {kind: single, hosts: %u}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "traffic: [{name: j, collective: %s, ranks: %u, message: %" PRIu64 " B, " OPTIONS "%s}]\n",
        n < 2 ? 2 : n, kind, n, bytes, options);
    assert_path(r, 0);
    assert_int_equal(r->packets_in_flight, 0);
}

static void expect(const char *kind, uint32_t n, uint64_t bytes, double us)
{
    cop_result r;
    run_collective(&r, kind, n, bytes, "");
    if (fabs(job_us(&r, 0) - us) > EXACT)
        print_error("%s of %u ranks, %" PRIu64 " bytes\n", kind, n, bytes);
    assert_us(job_us(&r, 0), us);
    assert_us(scalar(&r, "job/j/collective_max"), us);
    assert_int_equal(r.collective[0].ranks, n);
    cop_result_free(&r);
}

static uint32_t log2_up(uint32_t n)
{
    uint32_t k = 0;
    while ((1u << k) < n)
        k++;
    return k;
}

static uint32_t log2_down(uint32_t n)
{
    return log2_up(n + 1) - 1;
}

static void test_rings(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 9; n++)
        for (uint64_t part = 1; part <= 30000; part = part * 13 + 1) {
            uint64_t s = part * n;
            expect("all-reduce-ring", n, s, 2 * (n - 1) * t(part));
            expect("reduce-scatter-ring", n, s, (n - 1) * t(part));
            expect("reduce-scatter-pairwise", n, s, (n - 1) * t(part));
            expect("all-gather-ring", n, s, (n - 1) * t(part));
            expect("all-to-all-pairwise", n, s, (n - 1) * t(part));
        }
}

/* Beyond a power of two members that go on at once wait for those that were given something first, and
 * some messages have come by then: the time lies between those of the steps alone, and twice that of all of it: the
 * wire to a member carries two messages at a time at most, one from before and one of its own round. */
static void expect_between(const char *kind, uint32_t n, uint64_t bytes, double steps, double fold)
{
    cop_result r;
    run_collective(&r, kind, n, bytes, "");
    double us = job_us(&r, 0);
    double most = 2 * (steps + fold);
    if (us <= steps || us > most)
        print_error("%s of %u ranks, %" PRIu64 " bytes: %f\n", kind, n, bytes, us);
    assert_true(us > steps && us <= most);
    cop_result_free(&r);
}

static void test_powers(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 12; n++)
        for (uint64_t part = 1; part <= 20000; part = part * 17 + 1) {
            uint32_t low = 1u << log2_down(n), steps = log2_down(n);
            uint64_t s = part * low;
            double halves = 0;
            for (uint32_t k = 1; k <= steps; k++)
                halves += t(s >> k);
            if (low == n) {
                expect("all-reduce-doubling", n, s, steps * t(s));
                expect("all-reduce-rabenseifner", n, s, 2 * halves);
            } else {
                expect_between("all-reduce-doubling", n, s, steps * t(s), 2 * t(s));
                expect_between("all-reduce-rabenseifner", n, s, 2 * halves, 2 * t(s));
            }
            expect("barrier", n, s, log2_up(n) * t(1));
        }
    for (uint32_t n = 2; n <= 16; n *= 2) { /* parts of 100 bytes each */
        double halves = 0;
        for (uint32_t k = 1; k <= log2_up(n); k++)
            halves += t((100 * n) >> k);
        expect("reduce-scatter-halving", n, 100 * n, halves);
        expect("all-gather-doubling", n, 100 * n, halves);
    }
}

static void test_bruck(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 13; n++) {
        double gather = 0, exchange = 0;
        for (uint32_t bit = 1; bit < n; bit *= 2) {
            uint32_t count = 0;
            for (uint32_t j = 0; j < n; j++)
                count += (j & bit) != 0;
            gather += t(500 * (bit < n - bit ? bit : n - bit));
            exchange += t(500 * count);
        }
        expect("all-gather-bruck", n, 500 * n, gather);
        expect("all-to-all-bruck", n, 500 * n, exchange);
    }
}

/* A binomial tree is as deep as its deepest member: a member's messages leave one after the other, so the
 * k-th round of the root begins when the wire is free. */
static void test_trees(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 16; n *= 2)
        for (uint64_t s = 1; s <= 50000; s = s * 19 + 1) {
            expect("reduce-binomial", n, s, log2_up(n) * t(s));
            expect("all-reduce-tree", n, s, 2 * log2_up(n) * t(s));
            expect("broadcast-binomial", n, s, log2_up(n) * t(s));
        }
}

/* Every rank gets what it should, for any number of ranks and any size. */
static void test_bytes(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < COP_COLL_KINDS; kind++)
        for (uint32_t n = 1; n <= 11; n++)
            for (uint64_t s = 1; s <= 3000; s = s * 7 + 1) {
                cop_result r;
                run_collective(&r, cop_collective_names[kind], n, s, "root: 0");
                uint64_t sent = 0, got = 0;
                for (uint32_t i = 0; i < n; i++) {
                    sent += r.rank[i].bytes_sent;
                    got += r.rank[i].bytes_received;
                    assert_true(r.rank[i].end != COP_NEVER);
                }
                assert_int_equal(sent, got);
                uint64_t least = (n - 1) * s; /* of what must reach all members in the end */
                if (kind == COP_COLL_ALL_TO_ALL_PAIRWISE || kind == COP_COLL_ALL_TO_ALL_LINEAR) {
                    uint64_t own = 0;
                    for (uint32_t i = 0; i < n; i++)
                        own += s * (i + 1) / n - s * i / n;
                    assert_int_equal(own, s);
                    assert_int_equal(got, n * s - s);
                } else if (kind == COP_COLL_ALL_REDUCE_RING) {
                    assert_int_equal(got, 2 * least);
                } else if (kind == COP_COLL_ALL_GATHER_RING || kind == COP_COLL_ALL_GATHER_BRUCK ||
                           kind == COP_COLL_ALL_GATHER_DOUBLING ||
                           kind == COP_COLL_BROADCAST_BINOMIAL ||
                           kind == COP_COLL_REDUCE_BINOMIAL ||
                           kind == COP_COLL_REDUCE_SCATTER_RING ||
                           kind == COP_COLL_REDUCE_SCATTER_PAIRWISE) {
                    assert_int_equal(got, least);
                } else if (kind == COP_COLL_ALL_REDUCE_TREE) {
                    assert_int_equal(got, 2 * least);
                } else if (kind == COP_COLL_GATHER_LINEAR || kind == COP_COLL_SCATTER_LINEAR) {
                    assert_int_equal(got, s - s / n);
                }
                cop_result_free(&r);
            }
}

/* Repetition, computation before each, and a rate at which what came is added up. */
static void test_programs(void **state)
{
    (void)state;
    cop_result r;
    run_collective(&r, "all-reduce-ring", 4, 8000,
                   "repeat: 5, think: 10 us, reduce_rate: 1 Gbit/s");
    double once = 6 * t(2000) + 3 * 16;
    assert_us(job_us(&r, 0), 5 * (10 + once));
    assert_us(scalar(&r, "job/j/collective_min"), once);
    assert_int_equal(r.n_collectives, 5);
    assert_string_equal(r.collective[4].name, "all-reduce-ring#5");
    assert_us((double)r.job[0].path_compute / 1e6, 5 * (10 + 3 * 16));
    cop_result_free(&r);
    /* Other roots take as long. */
    for (uint32_t root = 0; root < 8; root++) {
        char option[32];
        snprintf(option, sizeof(option), "root: %u", root);
        run_collective(&r, "broadcast-binomial", 8, 4000, option);
        assert_us(job_us(&r, 0), 3 * t(4000));
        assert_int_equal(r.rank[root].receives, 0);
        cop_result_free(&r);
    }
}

/* Two jobs beside background traffic; placements put ranks where they say. */
static void test_jobs(void **state)
{
    (void)state;
    cop_result r;
    run(&r, "run: {duration: 10 ms, until: jobs}\n"
            "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
            "traffic:\n"
            "  - {name: a, from: 0-31, collective: all-reduce-ring, message: 64 KiB, ranks: 16, "
            "placement: spread}\n"
            "  - {name: b, from: 32-71, collective: all-to-all-pairwise, message: 32 KiB, ranks: "
            "20, start: 5 us, placement: random}\n"
            "  - {name: back, from: 20-50, arrival: poisson, load: 10 %%}\n");
    assert_int_equal(r.n_jobs, 2);
    assert_int_equal(r.job[1].start, 5000000);
    assert_path(&r, 0);
    assert_path(&r, 1);
    cop_time last = cop_max64(r.job[0].end, r.job[1].end);
    assert_int_equal(r.sim_time, last);
    for (uint32_t i = 0; i < 16; i++) /* groups of 8 hosts in turn */
        assert_int_equal(r.rank[i].host, i % 4 * 8 + i / 4);
    uint64_t seen = 0;
    for (uint32_t i = 16; i < 36; i++) {
        assert_in_range(r.rank[i].host, 32, 71);
        assert_false(seen >> (r.rank[i].host - 32) & 1);
        seen |= UINT64_C(1) << (r.rank[i].host - 32);
    }
    cop_result_free(&r);
}

/* A job's rates are over its own time, not that of the run, which goes on; those of other traffic are not touched. */
static void test_rates(void **state)
{
    (void)state;
    cop_result r;
    run(&r,
        "run: {duration: 4 ms}\nlink: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "topology: {kind: single, hosts: 8}\n"
        "traffic:\n"
        "  - {name: a, from: 0-3, collective: all-reduce-ring, message: 64 KiB, start: 100 us}\n"
        "  - {name: back, from: [6], pattern: fixed, to: 7}\n");
    double took = (double)(r.job[0].end - r.job[0].start);
    assert_true(took > 0 && took < 4e8 && r.job[0].start == 100 * COP_US);
    for (uint32_t i = 0; i < r.n_streams; i++) {
        double span = strcmp(r.stream[i].entry, "a") == 0 ? took : 4e9;
        double gbps = (double)r.stream[i].delivered_bytes * 8000.0 / span;
        assert_true(gbps > 1.0 && fabs(r.stream[i].gbps - gbps) < 0.01);
    }
    cop_result_free(&r);
}

/* A run that ends with its jobs, long before its duration, is looked at all the same: samples begin close together and
 * grow rarer. */
static void test_trees_of_jobs(void **state)
{
    (void)state;
    static const char *const duration[] = {"10 ms", "1 s", "100 s"};
    for (size_t i = 0; i < COP_LEN(duration); i++) {
        cop_result r;
        char yaml[600];
        snprintf(yaml, sizeof(yaml),
                 "run: {duration: %s, until: jobs}\nlink: {rate: 10 Gbit/s, delay: 20 ns}\n"
                 "topology: {kind: chain, hosts: [3, 4]}\n"
                 "traffic:\n"
                 "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                 "  - {name: j, from: [0, 2, 3], collective: all-reduce-ring, message: 2 MiB}\n",
                 duration[i]);
        scn_run(yaml, NULL, 0, &r, NULL);
        assert_true(r.job[0].end != COP_NEVER && r.sim_time == r.job[0].end);
        assert_true(r.n_frames >= 20 && r.n_trees >= 1);
        assert_string_equal(r.port[r.tree[0].root[0].port].name, "s1.1");
        assert_true(r.tree[0].kind == COP_TREE_SILENT);
        assert_true(r.frame[0].t <= r.sim_time / 20);
        assert_true(r.frame[r.n_frames - 1].t >= r.sim_time / 2);
        cop_result_free(&r);
    }
}

/* A rail-optimised tree: ranks in the order of servers, the NICs of a rank at different leaves. */
static void test_rails(void **state)
{
    (void)state;
    cop_result r;
    run(&r, "run: {duration: 10 ms, until: jobs}\n"
            "topology: {kind: rail-tree, pods: 2, servers: 3, rails: 4, spines: 3}\n"
            "traffic: [{name: j, collective: barrier}]\n");
    assert_int_equal(r.n_hosts, 24);
    assert_int_equal(r.n_switches, 2 * 4 + 3);
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t server = i / 4, rail = i % 4;
        assert_int_equal(r.rank[i].host, (server / 3 * 4 + rail) * 3 + server % 3);
    }
    cop_result_free(&r);
    /* With four NICs each, messages by NIC 2 stay in rail 2, and inside a pod below its leaf. */
    char path[32], yaml[1024];
    write_temp(path,
               "num_ranks 6\nrank 0 {\nsend 4000b to 2 nic 2\n}\nrank 1 {\n}\n"
               "rank 2 {\nrecv 4000b from 0 nic 2\n}\nrank 3 {\n}\nrank 4 {\n}\nrank 5 {\n}\n");
    snprintf(yaml, sizeof(yaml),
             "run: {duration: 10 ms, until: jobs}\nlink: {rate: 10 Gbit/s, delay: 20 ns}\n"
             "topology: {kind: rail-tree, pods: 2, servers: 3, rails: 4, spines: 3}\n"
             "traffic: [{name: j, trace: %s, nics: 4}]\n",
             path);
    scn_run(yaml, NULL, 0, &r, NULL);
    unlink(path);
    assert_us(job_us(&r, 0), t(4000));
    assert_int_equal(r.node[2 * 3 + 0].sent_bytes, 4000);
    assert_int_equal(r.node[2 * 3 + 2].received_bytes, 4000);
    assert_int_equal(r.packet_hops, 2 * 2);
    cop_result_free(&r);
}

/* Every job finishes, and its messages are the same, whatever end nodes, queues and controls there are. */
static void test_other_machines(void **state)
{
    (void)state;
    static const char yaml[] =
        "run: {duration: 100 ms, until: jobs}\ntopology: {kind: kary-ntree, k: 4, n: 2}\n"
        "traffic:\n  - {name: a, collective: all-to-all-linear, message: 160 KiB, eager: 4 KiB}\n"
        "  - {name: b, collective: all-reduce-rabenseifner, message: 100 KiB, placement: random}\n"
        "  - {name: hot, from: 4-15, pattern: all-to-one, to: 0, arrival: poisson, load: 3 %}\n";
    static const char *const sets[][2] = {{"host.kind=hca"},
                                          {"queueing.kind=voqnet"},
                                          {"queueing.kind=fbicm"},
                                          {"queueing.kind=1q", "switch.architecture=iq"},
                                          {"switch.architecture=cioq"},
                                          {"cc.kind=ibcc"},
                                          {"cc.kind=ibcc", "host.kind=hca"},
                                          {"cc.kind=pace"},
                                          {"flow_control.kind=on-off"},
                                          {"flow_control.kind=ack-nack"},
                                          {"routing.kind=adaptive-tree", "nic.order=round-robin"},
                                          {"queueing.kind=1q", "switch.switching=wormhole"},
                                          {"nic.ack=packet"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        scn_run(yaml, sets[i], sets[i][1] != NULL ? 2 : 1, &r, NULL);
        if (r.outcome != COP_OUTCOME_OK)
            print_error("%s: %s\n", sets[i][0], r.detail);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_int_equal(r.job[0].messages, 16 * 15);
        assert_int_equal(r.job[0].bytes, 15 * 160 * 1024);
        assert_int_equal(r.job[1].messages, 16 * 8);
        assert_path(&r, 0);
        assert_path(&r, 1);
        assert_int_equal(r.credits_missing, 0);
        cop_result_free(&r);
    }
}

static void refused(const char *options, const char *what)
{
    cop_result r;
    cop_err err = {0};
    char yaml[1024];
    snprintf(yaml, sizeof(yaml),
             "run: {until: jobs}\ntopology: {kind: rail-tree, pods: 2, servers: 3, rails: 4, "
             "spines: 3}\n"
             "traffic: [{%s}]\n",
             options);
    assert_int_equal(scn_run(yaml, NULL, 0, &r, &err), -COP_E_INPUT);
    if (strstr(err.text, what) == NULL)
        print_error("%s, expected %s\n", err.text, what);
    assert_non_null(strstr(err.text, what));
}

static void test_refusals(void **state)
{
    (void)state;
    refused("from: 0-3", "there is no job to wait for");
    refused("collective: barrier, ranks: 30", "30 ranks need 30 hosts, and `from` has 24");
    refused("collective: barrier, nics: 3", "3 NICs of a rank do not divide the 4 of a server");
    refused("collective: barrier, trace: x", "an entry has a `trace` or a `collective`");
    refused("collective: barrier, pattern: tornado", "a job knows who sends to whom");
    refused("collective: barrier, arrival: poisson, load: 10 %", "a job knows when to send");
    refused("collective: barrier, exchange: all-to-all", "a job or an `exchange`");
    refused("collective: barrier, placement: file",
            "`placement: file` and `placement_file` belong");
    refused("collective: broadcast-binomial, root: 24", "root 24 of 24 ranks; give 0 to 23");
    refused("collective: all-to-all-linear, repeat: 1000000",
            "operations or more, which do not fit");
    refused("trace: /nowhere", "/nowhere: cannot be opened");
    refused("collective: barrier, bytes_scale: 2", "a collective has `message`");
    refused("trace: tests/golden/ping.goal, bytes_scale: 1000000",
            "a message of 30000 bytes would have more than 4294967280");
}

/* What sources with a rate of their own offer: the ranks of a job beside them have none. */
static void test_offered_beside_a_job(void **state)
{
    (void)state;
    cop_result r;
    run(&r, "run: {duration: 100 us}\ntopology: {kind: single, hosts: 4}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
            "traffic:\n"
            "  - {name: j, collective: all-reduce-ring, ranks: 3, message: 1 MiB}\n"
            "  - {name: t, from: [3], pattern: fixed, to: 0, arrival: constant, load: 20 %%}\n");
    assert_true(fabs(scalar(&r, "offered_gbps") - 2.0) < 0.01);
    assert_true(scalar(&r, "accepted_gbps") < 2.2);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offered_beside_a_job),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_bruck),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_trees_of_jobs),
        cmocka_unit_test(test_rails),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
