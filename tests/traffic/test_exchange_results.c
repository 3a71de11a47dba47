/* Every number that an exchange leaves behind, by closed forms: best, worst and mean, of entries
 * and of streams, after the warm-up. */
#include "exchange_fixture.h"

typedef struct want {
    const char *name, *unit;
    double value;
} want;

static void expect_scalars(const cop_result *r, const want *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < r->n_scalars && strcmp(r->scalar[k].name, all[i].name) != 0)
            k++;
        if (k == r->n_scalars)
            fail_msg("no scalar %s", all[i].name);
        assert_string_equal(r->scalar[k].unit, all[i].unit);
        if (fabs(r->scalar[k].value - all[i].value) > 1e-9 * (all[i].value + 1))
            fail_msg("%s is %.9f, not %.9f", all[i].name, r->scalar[k].value, all[i].value);
    }
}

static uint32_t exchange_scalars(const cop_result *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_scalars; i++)
        n += strncmp(r->scalar[i].name, "exchange/", 9) == 0;
    return n;
}

/* Two pairs, one of them apart by a trunk: best, worst and mean differ. A round takes two messages.
 * With the warm-up at the end of the third round of the far pair, and the end in its eleventh, it
 * has eight rounds that count (the third ends in time); the near one has more. */
static void test_every_number_of_pairs(void **state)
{
    (void)state;
    const double near = idle_us(1000, 0, 2, 10), far = idle_us(1000, 0, 3, 10);
    const double from = 6 * far, to = 21 * far; /* us: 3 rounds, 10 rounds and a half */
    const double steps = floor(to / near) - ceil(from / near) + 1; /* there or back */
    cop_result r;
    run(&r,
        "run: {duration: %.6f us, warmup: %.6f us}\ntopology: {kind: chain, hosts: [3, 1]}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "traffic: [{name: pp, exchange: ping-pong, message: 1000 B}]\n",
        to, from);
    const want all[] = {
        {"exchange/pp/rounds", "rounds", 8},
        {"exchange/pp/elapsed", "us", 21 * far},
        {"exchange/pp/latency_min", "us", near},
        {"exchange/pp/latency_avg", "us", (near + far) / 2},
        {"exchange/pp/latency_max", "us", far},
        {"exchange/pp/bandwidth_min", "MB/s", 1000 / far},
        {"exchange/pp/bandwidth_avg", "MB/s", (1000 / near + 1000 / far) / 2},
        {"exchange/pp/bandwidth_max", "MB/s", 1000 / near},
        {"exchange/pp/latency_best", "us", near},
        {"exchange/pp/latency_worst", "us", far},
        {"exchange/pp/2-3/steps", "steps", 8}, /* that end after 7, 9, ... 21 messages */
        {"exchange/pp/3-2/steps", "steps", 8}, /* 6, 8, ... 20 */
        {"exchange/pp/2-3/latency_min", "us", far},
        {"exchange/pp/2-3/latency_avg", "us", far},
        {"exchange/pp/2-3/latency_max", "us", far},
        {"exchange/pp/2-3/bandwidth_min", "MB/s", 1000 / far},
        {"exchange/pp/2-3/bandwidth_avg", "MB/s", 1000 / far},
        {"exchange/pp/2-3/bandwidth_max", "MB/s", 1000 / far},
        {"exchange/pp/1-0/latency_avg", "us", near},
    };
    expect_scalars(&r, all, COP_LEN(all));
    assert_true(scalar(&r, "exchange/pp/0-1/steps") + scalar(&r, "exchange/pp/1-0/steps") == steps);
    assert_int_equal(exchange_scalars(&r), 11 + 4 * 7);
    cop_result_free(&r);
}

/* Steps of one stream that differ: while another host sends to the same place, every message there
 * waits. */
static void test_best_and_worst_step(void **state)
{
    (void)state;
    const double alone = idle_us(1000, 0, 2, 10);
    cop_result r;
    run(&r, "run: {duration: 1 ms}\ntopology: {kind: single, hosts: 3}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
            "traffic:\n"
            "  - {name: pp, from: [0, 1], exchange: ping-pong, message: 1000 B, messages: 5}\n"
            "  - {name: big, from: [2], pattern: fixed, to: 1, message: 20000 B, messages: 1}\n");
    assert_us(scalar(&r, "exchange/pp/1-0/latency_max"), alone); /* the way back is free */
    assert_us(scalar(&r, "exchange/pp/latency_best"), alone);
    assert_us(scalar(&r, "exchange/pp/0-1/latency_min"), alone);
    double worst = scalar(&r, "exchange/pp/0-1/latency_max");
    assert_true(worst > alone + 0.1);
    assert_us(scalar(&r, "exchange/pp/latency_worst"), worst);
    assert_us(scalar(&r, "exchange/pp/0-1/bandwidth_min") * worst, 1000);
    assert_us(scalar(&r, "exchange/pp/0-1/bandwidth_max") * alone, 1000);
    /* Bandwidth is all bytes over all the time, not the mean of the single ones. */
    assert_us(scalar(&r, "exchange/pp/0-1/bandwidth_avg") *
                  scalar(&r, "exchange/pp/0-1/latency_avg"),
              1000);
    assert_us(scalar(&r, "exchange/pp/elapsed"),
              5 * (alone + scalar(&r, "exchange/pp/0-1/latency_avg")));
    assert_us(scalar(&r, "exchange/pp/latency_avg"),
              (alone + scalar(&r, "exchange/pp/0-1/latency_avg")) / 2);
    assert_true(scalar(&r, "exchange/pp/rounds") == 5);
    cop_result_free(&r);
}

/* Congestion of one way all the time: the best step is one of the other way, the worst one of
 * this; also when each way was made just once. */
static void test_best_and_worst_of_both_ways(void **state)
{
    (void)state;
    const double alone = idle_us(1000, 0, 2, 10);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t to = i % 2;
        cop_result r;
        run(&r,
            "run: {duration: 200 us}\ntopology: {kind: single, hosts: 3}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
            "traffic:\n"
            "  - {name: pp, from: [0, 1], exchange: ping-pong, message: 1000 B, start: 50 us,"
            " messages: %u}\n"
            "  - {name: big, from: [2], pattern: fixed, to: %u}\n",
            i < 2 ? 1000000u : 1u, to);
        if (i >= 2)
            assert_true(scalar(&r, "exchange/pp/0-1/steps") == 1);
        const char *busy = to ? "exchange/pp/0-1/latency_max" : "exchange/pp/1-0/latency_max";
        const char *least = to ? "exchange/pp/0-1/latency_min" : "exchange/pp/1-0/latency_min";
        assert_true(scalar(&r, least) > alone + 0.1);
        assert_us(scalar(&r, "exchange/pp/latency_best"), alone);
        assert_us(scalar(&r, "exchange/pp/latency_worst"), scalar(&r, busy));
        cop_result_free(&r);
    }
}

/* A way that was never made has no best step: only the other one counts. */
static void test_one_way_only(void **state)
{
    (void)state;
    const double alone = idle_us(1000, 0, 2, 10);
    cop_result r;
    run(&r,
        "run: {duration: %.6f us}\ntopology: {kind: single, hosts: 2}\n"
        "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
        "traffic: [{name: pp, exchange: ping-pong, message: 1000 B}]\n",
        1.5 * alone);
    const want all[] = {
        {"exchange/pp/rounds", "rounds", 0},
        {"exchange/pp/latency_min", "us", alone},
        {"exchange/pp/latency_avg", "us", alone},
        {"exchange/pp/latency_max", "us", alone},
        {"exchange/pp/latency_best", "us", alone},
        {"exchange/pp/latency_worst", "us", alone},
        {"exchange/pp/0-1/steps", "steps", 1},
        {"exchange/pp/0-1/latency_min", "us", alone},
        {"exchange/pp/bandwidth_max", "MB/s", 1000 / alone},
    };
    expect_scalars(&r, all, COP_LEN(all));
    assert_int_equal(exchange_scalars(&r), 11 + 7); /* none of the way back */
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number_of_pairs),
        cmocka_unit_test(test_best_and_worst_step),
        cmocka_unit_test(test_best_and_worst_of_both_ways),
        cmocka_unit_test(test_one_way_only),
    };
    return cmocka_run_group_tests_name("exchange_results", tests, NULL, NULL);
}
