/* Applications: times of small programs against what they must be, to the picosecond. */
#include "app_fixture.h"

#define NET(bytes) idle_us(bytes, 0, 2, 10)

static void expect(const char *goal, const char *options, double us)
{
    cop_result r;
    assert_int_equal(run_goal(&r, goal, options, NULL), 0);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.packets_in_flight, 0);
    assert_us(job_us(&r, 0), us);
    assert_us(scalar(&r, "job/j/completion"), us);
    assert_path(&r, 0);
    cop_result_free(&r);
}

static void test_eager_message(void **state)
{
    (void)state;
    static const char one[] = "num_ranks 2\nrank 0 {\nsend 5000b to 1 tag 3\n}\n"
                              "rank 1 {\nrecv 5000b from 0 tag 3\n}\n";
    expect(one, "", NET(5000));
    /* o + O s at both ends; g and G hold back only what follows. */
    expect(one, ", overhead: 1 us, overhead_per_byte: 1 ns, gap: 9 us", 2 * (1 + 5) + NET(5000));
    /* Other sizes; half a byte is rounded up, and nothing shrinks to nothing. */
    expect(one, ", bytes_scale: 0.5", NET(2500));
    expect(one, ", bytes_scale: 1.0001", NET(5001));
    expect(one, ", bytes_scale: 0.000001", NET(1));
    /* A message of no bytes is sent as one byte. */
    expect("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n", "", NET(1));
}

static void test_dependencies(void **state)
{
    (void)state;
    expect("num_ranks 2 // ranks\nrank 1 {\na: recv 8b from 0 tag 1\nb: calc 500\nb requires a\n"
           "c: send 8b to 0 tag 2\nc requires b\n}\nrank 0 {\na: calc 1000\nb: send 8b to 1 tag 1\n"
           "b requires a\nc: recv 8b from 1 tag 2 /* back\nagain */\nc requires b\n}\n",
           "", 1.5 + 2 * NET(8));
    expect("num_ranks 1\nrank 0 {\na: calc 300\nb: calc 200\nb requires a\n}\n", "", 0.5);
    /* The start is enough for irequires: on another CPU both run at once. */
    expect("num_ranks 1\nrank 0 {\na: calc 300\nb: calc 200 cpu 1\nb irequires a\n}\n", "", 0.3);
    expect("num_ranks 1\nrank 0 {\na: calc 300\nb: calc 200\nb irequires a\n}\n", "", 0.5);
    expect("num_ranks 1\nrank 0 {\na: calc 7\n}\n", ", calc_unit: 1 us, compute_scale: 0.5", 3.5);
    expect("num_ranks 1\nrank 0 {\n}\n", ", start: 3 us", 0);
}

/* Two messages of one NIC: one behind the other on the wire; or g + (s-1) G apart. */
static void test_gap(void **state)
{
    (void)state;
    static const char two[] = "num_ranks 3\nrank 0 {\nsend 100b to 1\nsend 100b to 2\n}\n"
                              "rank 1 {\nrecv 100b from 0\n}\nrank 2 {\nrecv 100b from 0\n}\n";
    expect(two, "", 0.08 + NET(100));
    expect(two, ", gap: 5 us, gap_per_byte: 10 ns", 5 + 0.99 + NET(100));
    expect(two, ", overhead: 2 us", 2 * 2 + NET(100) + 2);
}

/* Longer messages ask first: request, grant, data. The send ends when its last byte has left. */
static void test_rendezvous(void **state)
{
    (void)state;
    static const char one[] = "num_ranks 2\nrank 0 {\na: send 5000b to 1\nb: calc 1000000\n"
                              "b requires a\n}\nrank 1 {\nrecv 5000b from 0\n}\n";
    double shake = 2 * NET(64), wire = 5000 * 0.8 / 1e3;
    expect(one, ", eager: 4 KiB", shake + wire + 1000);
    expect(one, "", 1000);
    /* Requests and grants of another size. */
    expect(one, ", eager: 4 KiB, request: 1 KiB", 2 * NET(1024) + wire + 1000);
    /* The receive is posted late: the grant waits for it, and so do data and sender. */
    static const char late[] = "num_ranks 2\nrank 0 {\na: send 5000b to 1\n}\n"
                               "rank 1 {\nc: calc 90000\na: recv 5000b from 0\na requires c\n}\n";
    expect(late, ", eager: 4 KiB", 90 + NET(64) + NET(5000));
    expect(late, "", 90);
}

/* What the critical path of a late grant is made of: the computation that kept the receive back. */
static void test_path_of_late_grant(void **state)
{
    (void)state;
    cop_result r;
    run_goal(&r,
             "num_ranks 2\nrank 0 {\na: send 5000b to 1\nb: calc 1000\nb requires a\n}\n"
             "rank 1 {\nc: calc 90000\na: recv 5000b from 0\na requires c\n}\n",
             ", eager: 4 KiB", NULL);
    assert_us((double)r.job[0].path_compute / 1e6, 91);
    assert_us((double)r.job[0].path_network / 1e6, NET(64) + 5000 * 0.8 / 1e3);
    assert_path(&r, 0);
    assert_int_equal(r.job[0].path_steps, 3);
    cop_result_free(&r);
    /* A send, and behind it a small one that lets the receiver post: no loop in the path. */
    run_goal(&r,
             "num_ranks 2\nrank 0 {\nsend 5000b to 1 tag 1\nsend 8b to 1 tag 2\n}\n"
             "rank 1 {\na: recv 8b from 0 tag 2\nb: recv 5000b from 0 tag 1\nb requires a\n}\n",
             ", eager: 4 KiB, overhead: 1 us", NULL);
    assert_path(&r, 0);
    cop_result_free(&r);
    run_goal(&r,
             "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb irequires a\n}\n"
             "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n",
             ", overhead: 1 us", NULL);
    assert_path(&r, 0);
    assert_us(job_us(&r, 0), 4 + 2 * NET(8));
    cop_result_free(&r);
}

static void test_several_cpus(void **state)
{
    (void)state;
    cop_result r;
    run_goal(&r, "num_ranks 1\nrank 0 {\ncalc 100\ncalc 100 cpu 1\ncalc 300\ncalc 50 cpu 1\n}\n",
             "", NULL);
    assert_us(job_us(&r, 0), 0.4);
    assert_int_equal(r.rank[0].compute, 550000);
    assert_int_equal(r.rank[0].waiting, 0);
    cop_result_free(&r);
    run_goal(&r,
             "num_ranks 2\nrank 0 {\ncalc 1000\na: recv 8b from 1\nb: calc 500\nb requires a\n}\n"
             "rank 1 {\na: calc 2000\nb: send 8b to 0\nb requires a\n}\n",
             "", NULL);
    double end = 2 + NET(8) + 0.5;
    assert_us(job_us(&r, 0), end);
    assert_us((double)r.rank[0].waiting / 1e6, end - 1.5);
    assert_us((double)r.rank[1].end / 1e6, 2);
    cop_result_free(&r);
}

/* A receive takes the first message that fits; an exact one leaves those of others alone. */
static void test_wildcards(void **state)
{
    (void)state;
    static const char any[] =
        "num_ranks 3\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from 1 tag 5\n"
        "c: calc 10000\nc requires a\n}\n"
        "rank 1 {\na: calc 1000\nb: send 8b to 0 tag 5\nb requires a\nc: calc 5000\nc requires b\n"
        "d: send 8b to 0 tag 5\nd requires c\n}\nrank 2 {\n}\n";
    expect(any, "", 1 + NET(8) + 10); /* `a` was posted before `b`, and takes the first */
    static const char tag[] =
        "num_ranks 3\nrank 0 {\na: recv 8b from -1 tag 9\nc: calc 10000\nc requires a\n"
        "d: recv 8b from 2 tag -1\n}\nrank 1 {\na: calc 3000\nb: send 8b to 0 tag 9\nb requires "
        "a\n}\n"
        "rank 2 {\nsend 8b to 0 tag 7\n}\n";
    expect(tag, "", 3 + NET(8) + 10);
    /* Unexpected messages, and a receive with any that searches them. */
    expect(
        "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\nsend 8b to 1 tag 2\n}\nrank 1 {\nz: calc 9000\n"
        "a: recv 8b from -1 tag 2\na requires z\nb: recv 8b from 0 tag -1\nb requires a\n}\n",
        "", 9);
}

/* Ranks of one host, and a rank that sends to itself, do not use the network. */
static void test_local(void **state)
{
    (void)state;
    static const char two[] =
        "num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nrecv 1000b from 0\n}\n";
    cop_result r;
    run_goal(&r, two, ", ranks_per_host: 2, local_latency: 300 ns, local_rate: 8 Gbit/s", NULL);
    assert_us(job_us(&r, 0), 1.3);
    assert_int_equal(r.packets_injected, 0);
    cop_result_free(&r);
    run_goal(&r, "num_ranks 1\nrank 0 {\nsend 1000b to 0\nrecv 1000b from 0\n}\n",
             ", local_latency: 300 ns, eager: 10 B", NULL);
    assert_us(job_us(&r, 0), 0.9);
    cop_result_free(&r);
}

/* Several NICs: what goes by number 1 comes in at number 1 of the other. */
static void test_several_nics(void **state)
{
    (void)state;
    static const char two[] = "num_ranks 2\nrank 0 {\nsend 20000b to 1 tag 1\n"
                              "send 20000b to 1 tag 2 nic 1\n}\n"
                              "rank 1 {\nrecv 20000b from 0 tag 1\nrecv 20000b from 0 tag 2\n}\n";
    expect(two, "", NET(40000));
    expect(two, ", nics: 2", NET(20000));
    cop_result r;
    run_goal(&r, two, ", nics: 2, from: 4-9", NULL);
    assert_int_equal(r.n_streams, 4);
    assert_true(r.node[4].sent_bytes == 20000 && r.node[5].sent_bytes == 20000);
    assert_true(r.node[6].received_bytes == 20000 && r.node[7].received_bytes == 20000);
    cop_result_free(&r);
}

static void test_stuck(void **state)
{
    (void)state;
    cop_result r;
    /* Both send before they receive: with rendezvous that is the classical deadlock. */
    static const char cross[] =
        "num_ranks 2\nrank 0 {\na: send 9000b to 1\nb: recv 9000b from 1\n"
        "b requires a\n}\nrank 1 {\na: send 9000b to 0\nb: recv 9000b from 0\n"
        "b requires a\n}\n";
    expect(cross, "", NET(9000));
    run_goal(&r, cross, ", eager: 1 KiB", NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_STUCK);
    assert_non_null(strstr(r.detail,
                           "job j cannot finish: rank 0 waits in its send of 9000 bytes to "
                           "rank 1, tag 0, for which no receive is posted"));
    assert_non_null(strstr(r.detail, ":3); 4 of 4 operations are left"));
    assert_true(r.job[0].stuck && r.job[0].end == COP_NEVER);
    assert_true(scalar(&r, "job/j/finished") == 0.0);
    cop_result_free(&r);
    /* Receives with any that take what another needs. */
    run_goal(&r,
             "num_ranks 2\nrank 0 {\na: recv 8b from -1\nb: recv 8b from 1 tag 3\nb requires a\n}\n"
             "rank 1 {\na: send 8b to 0 tag 3\nb: send 8b to 0\n}\n",
             "", NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK); /* the second send has tag 0, which fits */
    cop_result_free(&r);
    run_goal(&r,
             "num_ranks 2\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from 1 tag 3\n"
             "b requires a\n}\nrank 1 {\na: send 8b to 0 tag 3\nb: send 8b to 0 tag 4\n"
             "b requires a\n}\n",
             "", NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_STUCK);
    assert_non_null(strstr(r.detail,
                           "rank 0 waits in its receive from rank 1, tag 3, which does not "
                           "come"));
    cop_result_free(&r);
}

/* A job that takes longer than the run is not stuck. */
static void test_unfinished(void **state)
{
    (void)state;
    cop_result r;
    run(&r, "run: {duration: 10 us}\ntopology: {kind: single, hosts: 4}\n"
            "traffic: [{name: j, collective: all-reduce-ring, message: 1 MiB, repeat: 3}]\n");
    assert_true(!r.job[0].stuck && r.job[0].end == COP_NEVER && r.job[0].left > 0);
    assert_non_null(strstr(r.job[0].waits, "waits in its receive from rank"));
    cop_result_free(&r);
    run(&r, "run: {duration: 10 us, drain: yes}\ntopology: {kind: single, hosts: 4}\n"
            "traffic: [{name: j, collective: all-reduce-ring, message: 1 MiB, repeat: 3}]\n");
    assert_int_equal(r.packets_in_flight, 0);
    assert_true(r.job[0].end == COP_NEVER);
    cop_result_free(&r);
}

/* Messages of a pair meet their receives in the order in which they were sent, though the network lets
 * later ones overtake: sizes tell which was which. */
static void test_order(void **state)
{
    (void)state;
    cop_result r;
    char goal[8192];
    size_t n = (size_t)snprintf(goal, sizeof(goal), "num_ranks 2\nrank 0 {\n");
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(goal + n, sizeof(goal) - n, "a%d: send %ub to 1\n%s", i,
                              i % 2 ? 8u : 30000u, "");
    n += (size_t)snprintf(goal + n, sizeof(goal) - n, "}\nrank 1 {\n");
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(
            goal + n, sizeof(goal) - n,
            i ? "a%d: recv 8b from 0\na%d requires a%d\n" : "a%d: recv 8b from 0\n", i, i, i - 1);
    snprintf(goal + n, sizeof(goal) - n, "}\n");
    char path[32], yaml[1024];
    write_temp(path, goal);
    snprintf(yaml, sizeof(yaml),
             "run: {duration: 1 s, until: jobs}\ntopology: {kind: kary-ntree, k: 4, n: 2}\n"
             "routing: {kind: adaptive-tree}\nnic: {order: round-robin}\n"
             "traffic:\n  - {name: j, trace: %s, placement: spread, ranks_per_host: 1}\n"
             "  - {name: back, from: 2-15, arrival: poisson, load: 60 %%}\n",
             path);
    scn_run(yaml, NULL, 0, &r, NULL);
    unlink(path);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.job[0].messages, 40);
    assert_int_equal(r.rank[1].receives, 40);
    assert_int_equal(r.rank[1].bytes_received, 20 * 30008);
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eager_message),
        cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_rendezvous),
        cmocka_unit_test(test_path_of_late_grant),
        cmocka_unit_test(test_several_cpus),
        cmocka_unit_test(test_wildcards),
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_several_nics),
        cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_unfinished),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
