/* Closed-loop exchanges: latency and bandwidth against closed forms, order of messages, and what
 * congestion does to them. */
#include "exchange_fixture.h"

static void test_ping_pong(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 8, 63, 64, 65, 2047, 2048, 2049, 65536, 2000000};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        for (uint32_t overhead = 0; overhead <= 26; overhead += 26) {
            cop_result r;
            double us = idle_us(sizes[i], overhead, 2, 10);
            run(&r,
                "run: {duration: %.6f us}\ntopology: {kind: single, hosts: 3}\n"
                "nic: {overhead: %u B}\nlink: {rate: 10 Gbit/s, delay: 20 ns}\n"
                "traffic: [{name: pp, from: [0, 2], exchange: ping-pong, message: %u B}]\n",
                20 * us + 0.01, overhead, sizes[i]);
            assert_us(scalar(&r, "exchange/pp/latency_min"), us);
            assert_us(scalar(&r, "exchange/pp/latency_avg"), us);
            assert_us(scalar(&r, "exchange/pp/latency_max"), us);
            assert_us(scalar(&r, "exchange/pp/bandwidth_avg") * us, sizes[i]);
            assert_true(scalar(&r, "exchange/pp/rounds") == 10);
            assert_true(scalar(&r, "exchange/pp/0-2/steps") == 10);
            assert_int_equal(r.stream[0].delivered_bytes, 10u * sizes[i]);
            cop_result_free(&r);
        }
    }
}

static void test_think_and_distance(void **state)
{
    (void)state;
    cop_result r;
    run(&r, "run: {duration: 1 ms, warmup: 100 us}\ntopology: {kind: chain, hosts: [2, 0, 2]}\n"
            "link: {rate: 40 Gbit/s, delay: 20 ns}\n"
            "traffic:\n"
            "  - {name: far, from: [0, 3], exchange: ping-pong, message: 8 KiB, think: 1 us}\n"
            "  - {name: near, from: [2], exchange: none, pattern: fixed, to: 1, messages: 1}\n");
    assert_us(scalar(&r, "exchange/far/latency_avg"), 1.0 + idle_us(8192, 0, 4, 40));
    cop_result_free(&r);
}

/* A throttled flow: the packets of a message start at the distance of the congestion control. */
static void test_paced(void **state)
{
    (void)state;
    cop_result r;
    run(&r, "run: {duration: 1 ms}\ntopology: {kind: single, hosts: 2}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\ncc: {kind: pace, rate: 2 Gbit/s}\n"
            "traffic: [{name: pp, exchange: ping-pong, message: 10 KiB}]\n");
    assert_us(scalar(&r, "exchange/pp/latency_avg"), 4 * MTU * 4.0 / 1e3 + idle_us(MTU, 0, 2, 10));
    cop_result_free(&r);
}

/* Both messages of a rank leave back to back, and no rank receives two at once. */
static void test_rings(void **state)
{
    (void)state;
    static const char *const kinds[] = {"natural-ring", "random-ring"};
    for (size_t k = 0; k < COP_LEN(kinds); k++) {
        for (uint32_t n = 2; n <= 9; n++) {
            for (uint32_t bytes = 8; bytes <= 200000; bytes *= 25) {
                cop_result r;
                double step = idle_us(bytes, 0, 2, 20) + bytes * 0.4 / 1e3;
                run(&r,
                    "run: {duration: %.6f us}\ntopology: {kind: single, hosts: 9}\n"
                    "link: {rate: 20 Gbit/s, delay: 20 ns}\n"
                    "traffic: [{name: ring, from: 0-%u, exchange: %s, message: %u B}]\n",
                    6.5 * step, n - 1, kinds[k], bytes);
                assert_us(scalar(&r, "exchange/ring/latency_min"), step / 2);
                assert_us(scalar(&r, "exchange/ring/latency_max"), step / 2);
                assert_us(scalar(&r, "exchange/ring/bandwidth_avg") * step, 2.0 * bytes);
                assert_true(scalar(&r, "exchange/ring/rounds") == 6);
                assert_int_equal(r.n_streams, 2 * n);
                cop_result_free(&r);
            }
        }
    }
}

/* The neighbours make one ring through all ranks, another one with another seed. */
static void test_random_order(void **state)
{
    (void)state;
    uint32_t next[2][32] = {{0}};
    for (uint32_t seed = 0; seed < 2; seed++) {
        cop_result r;
        run(&r,
            "run: {duration: 20 us, seed: %u}\ntopology: {kind: single, hosts: 32}\n"
            "traffic: [{name: ring, exchange: random-ring, message: 100 B}]\n",
            seed + 1);
        assert_int_equal(r.n_streams, 64);
        for (uint32_t i = 0; i < 64; i += 2) { /* streams of a host: to the right, to the left */
            assert_int_equal(r.stream[i].host, i / 2);
            next[seed][i / 2] = r.stream[i].dst;
        }
        for (uint32_t i = 1; i < 64; i += 2)
            assert_int_equal(next[seed][r.stream[i].dst], i / 2);
        uint32_t at = 0, length = 0;
        do {
            at = next[seed][at];
            length++;
        } while (at != 0 && length < 100);
        assert_int_equal(length, 32);
        cop_result_free(&r);
    }
    assert_true(memcmp(next[0], next[1], sizeof(next[0])) != 0);
}

/* Phases: no rank gets ahead, and one pair at a time means idle latency for every pair. */
static void test_phases(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint32_t streams, phases;
    } cases[] = {{"all-pairs", 30, 30}, {"all-to-all", 30, 5}, {"grid-transpose", 4, 1}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_result r;
        double us = idle_us(5000, 0, 2, 10), round = us * cases[i].phases;
        run(&r,
            "run: {duration: %.6f us, drain: no}\ntopology: {kind: single, hosts: 6}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
            "traffic: [{name: x, exchange: %s, message: 5000 B}]\n",
            4 * round + us / 2, cases[i].kind);
        assert_int_equal(r.n_streams, cases[i].streams);
        assert_us(scalar(&r, "exchange/x/latency_best"), us);
        assert_us(scalar(&r, "exchange/x/latency_worst"), us);
        assert_true(scalar(&r, "exchange/x/rounds") == 4);
        assert_us(scalar(&r, "exchange/x/elapsed"), 4 * round);
        for (uint32_t s = 0; s < r.n_streams; s++)
            assert_in_range(r.stream[s].delivered_bytes, 4 * 5000, 5 * 5000);
        cop_result_free(&r);
    }
}

/* A limit on messages ends the exchange; packets that overtake each other complete no message. */
static void test_limit_and_order(void **state)
{
    (void)state;
    static const char *const networks[] = {
        "topology: {kind: kary-ntree, k: 2, n: 3}\nrouting: {kind: adaptive-tree}\n",
        "topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: adaptive-cube}\n",
        "topology: {kind: dragonfly, p: 2, a: 4, h: 1}\nrouting: {kind: dragonfly-valiant}\n"};
    static const char *const kinds[] = {"ping-pong", "natural-ring", "random-ring", "all-to-all"};
    for (size_t n = 0; n < COP_LEN(networks); n++) {
        for (size_t k = 0; k < COP_LEN(kinds); k++) {
            cop_result r;
            run(&r,
                "run: {duration: 20 ms, drain: yes}\n%sswitch: {buffer: 6 KiB}\n"
                "traffic:\n"
                "  - {name: x, exchange: %s, message: 30000 B, messages: 7, from: 0-7}\n"
                "  - {name: noise, pattern: uniform, arrival: poisson, load: 30 %%, stop: 1 ms}\n",
                networks[n], kinds[k]);
            assert_int_equal(r.packets_in_flight, 0);
            for (uint32_t s = 0; s < r.n_streams; s++)
                if (strcmp(r.stream[s].entry, "x") == 0)
                    assert_int_equal(r.stream[s].delivered_bytes, 7 * 30000);
            cop_result_free(&r);
        }
    }
}

/* The victim of a hot spot behind a shared trunk, with and without a buffer per destination. Only the
 * way there is congested. */
static void test_victim(void **state)
{
    (void)state;
    double there[3], back[3];
    for (int i = 0; i < 3; i++) {
        cop_result r;
        run(&r,
            "run: {duration: 4 ms, warmup: 1 ms}\ntopology: {kind: chain, hosts: [3, 4]}\n"
            "link: {rate: 16 Gbit/s, trunk_rate: 32 Gbit/s, delay: 20 ns}\n"
            "queueing: {kind: %s}\n"
            "traffic:\n"
            "  - {name: lat, from: [0, 3], exchange: ping-pong, message: 8 B}\n"
            "  - {name: hot, from: [1, 2, 5, 6], pattern: fixed, to: 4, start: %s}\n",
            i == 2 ? "voqnet" : "voqsw", i == 0 ? "1 s" : "0 us");
        there[i] = scalar(&r, "exchange/lat/0-3/latency_avg");
        back[i] = scalar(&r, "exchange/lat/3-0/latency_avg");
        assert_true(scalar(&r, "exchange/lat/rounds") > 100);
        cop_result_free(&r);
    }
    assert_us(there[0], back[0]);
    assert_us(back[1], back[0]);
    assert_true(there[1] > 10 * there[0]);
    assert_true(there[2] < 2 * there[0]);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *entry, *complaint;
    } cases[] = {
        {"exchange: ping-pong, pattern: neighbour", "remove `pattern`"},
        {"exchange: ping-pong, arrival: poisson, load: 10 %", "remove `arrival`"},
        {"exchange: ping-pong, load: 10 %", "saturated sources have no `load`"},
        {"exchange: ping-pong, to: 1", "has no single target"},
        {"exchange: ping-pong, active: [1 us, 2 us]", "use `start` and `stop`"},
        {"exchange: natural-ring, from: [3]", "needs two hosts"},
        {"exchange: grid-transpose", "a product of two numbers above 1; it is 7"},
        {"exchange: ring", "natural-ring"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char yaml[512];
        cop_result r;
        cop_err err = {0};
        snprintf(yaml, sizeof(yaml), "topology: {kind: single, hosts: 7}\ntraffic: [{%s}]\n",
                 cases[i].entry);
        assert_int_not_equal(scn_run(yaml, NULL, 0, &r, &err), 0);
        if (strstr(err.text, cases[i].complaint) == NULL)
            print_error("%s: %s\n", cases[i].entry, err.text);
        assert_non_null(strstr(err.text, cases[i].complaint));
        assert_non_null(strstr(err.text, "test.yaml:2:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ping_pong),       cmocka_unit_test(test_think_and_distance),
        cmocka_unit_test(test_paced),           cmocka_unit_test(test_rings),
        cmocka_unit_test(test_random_order),    cmocka_unit_test(test_phases),
        cmocka_unit_test(test_limit_and_order), cmocka_unit_test(test_victim),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
