/* What order costs in a torus: dimension order keeps the packets of a flow in order, one way at a tie and one lane (docs/MODEL.md,
 * ties on rings), as InfiniBand demands. 8-ary 2-cube, four lanes of one message each, messages of 16 flits of 4 bytes, a flit per
 * nanosecond: loads are in flits per cycle and node, latency in cycles.
 *
 * Perfect shuffle, b5..b0 to b4..b0 b5. Host 8 y + x sends from (x, y). Of hosts 16, 20, 24 and 28 all packets leave column 0 of
 * row 3 upwards: 16 to 32, 20 to 40 and 24 to 48 have no other shortest way, and 28 to 56 goes from row 3 to row 7, four
 * rows either way. So that link carries three flows, and a fourth if the tie goes that way; eight such groups of four hosts are
 * there, one for each column of each half. Where four share a link of 1 flit per cycle, they have 0.25 each at most, whatever
 * they are offered. A tie that is drawn for each packet takes half of the fourth flow away: 3.5 flows, 0.286 each.
 *
 * Bounds of ratios are below what each of three seeds gives, which stands beside them. */
#include "net_fixture.h"
#include "scenario.h"

#include <string.h>

static const char torus[] =
    "run: {duration: 24 us, warmup: 8 us, flows: yes}\n"
    "topology: {kind: torus, radix: [8, 8]}\n"
    "link: {rate: 32 Gbit/s, delay: 1 ns}\n"
    "switch: {pipeline: 2 ns, header: 4 B, buffer: 64 B, lanes: 4}\n"
    "queueing: {kind: 1q}\n"
    "nic: {mtu: 64 B}\n"
    "traffic: [{name: load, pattern: uniform, arrival: bernoulli, load: 0.3, message: 64 B}]\n";

#define SEEDS 3
#define GROUPS 8
static const char *const shuffle[] = {"traffic.load.pattern=perfect-shuffle",
                                      "traffic.load.load=0.28"};
static const char *const free_choice[] = {"routing.choice=free", "routing.ties=random"};

typedef struct figures {
    double accepted, latency;
    double least, most; /* of the groups: mean of four hosts */
} figures;

static double of_host(const cop_result *r, uint32_t host)
{
    for (uint32_t s = 0; s < r->n_streams; s++)
        if (r->stream[s].host == host)
            return r->stream[s].gbps / 32;
    fail_msg("host %u sends nothing", host);
    return 0.0;
}

/* Hosts 16 to 31 upwards, 32 to 47 downwards: four rows of one column each. */
static double of_group(const cop_result *r, uint32_t g)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 4; i++)
        sum += of_host(r, 16 + g / 4 * 16 + g % 4 + 4 * i);
    return sum / 4;
}

static figures run(unsigned seed, const char *const *one, size_t n_one, const char *const *two,
                   size_t n_two)
{
    char text[32];
    const char *set[8] = {scn_text(text, sizeof(text), "run.seed=%u", seed)};
    size_t n = 1;
    for (size_t i = 0; i < n_one; i++)
        set[n++] = one[i];
    for (size_t i = 0; i < n_two; i++)
        set[n++] = two[i];
    cop_result r;
    scn_run(torus, set, n, &r, NULL);
    if (r.outcome != COP_OUTCOME_OK)
        fail_msg("outcome %d: %s", r.outcome, r.detail);
    figures f = {.accepted = r.throughput_gbps / 32,
                 .latency = cop_hist_mean(r.latency) / 1e3,
                 .least = 1.0};
    for (uint32_t g = 0; one == shuffle && g < GROUPS; g++) {
        double mean = of_group(&r, g);
        f.least = mean < f.least ? mean : f.least;
        f.most = mean > f.most ? mean : f.most;
    }
    cop_result_free(&r);
    return f;
}

static void above(const char *what, unsigned seed, double got, double low)
{
    if (!(got >= low))
        fail_msg("%s, seed %u: %.4f, not %.4f or more", what, seed, got, low);
}

/* Four flows in order share a link, 0.25 each at most, and fill nine tenths of it (0.2188 to 0.2223); where there are three, they
 * have more. The network accepts 0.254 to 0.257 of the 0.271 that 62 of 64 hosts offer, and with a free choice 0.265 to
 * 0.270: 1.043, 1.051 and 1.051 times as much. */
static void test_shuffle(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        figures order = run(seed, shuffle, 2, NULL, 0), any = run(seed, shuffle, 2, free_choice, 2);
        above("in order", seed, order.accepted, 0.245);
        above("a full link", seed, order.least, 0.21);
        above("0.25 for each of four", seed, 0.25, order.least);
        above("three on a link", seed, order.most, 0.26);
        above("half a flow less", seed, any.least, 0.26);
        above("gain", seed, any.accepted / order.accepted, 1.03);
    }
}

/* A fixed lane of one message cannot be used while its credit comes back: latency at a load of 0.3 is 1.09 times as long (in
 * three dimensions 1.11, 67.3 and 60.6 cycles), and at 0.8 a free choice accepts 1.19, 1.17 and 1.16 times as much. */
static void test_uniform(void **state)
{
    (void)state;
    static const char *const full[] = {"traffic.load.load=0.8"};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        figures order = run(seed, NULL, 0, NULL, 0), any = run(seed, NULL, 0, free_choice, 1);
        above("latency", seed, order.latency / any.latency, 1.07);
        above("accepted in order", seed, order.accepted / any.accepted, 0.999);
        order = run(seed, full, 1, NULL, 0);
        any = run(seed, full, 1, free_choice, 1);
        above("gain at saturation", seed, any.accepted / order.accepted, 1.12);
    }
}

static uint64_t overtaken(const char *const *set, size_t n)
{
    net_lab *w = lab_build(torus, set, n);
    uint64_t sum = 0, packets = 0;
    cop_net_run(&w->net, NULL, NULL);
    assert_int_equal(w->net.stop, COP_OUTCOME_OK);
    const cop_pairs *flows = &w->net.probe.flow;
    for (size_t i = 0; i <= flows->mask; i++)
        if (flows->v[i].key != 0) {
            sum += flows->v[i].misordered;
            packets += flows->v[i].packets;
        }
    assert_true(packets > 10000);
    lab_free(w);
    return sum;
}

/* The default keeps flows in order, beyond saturation too; each half of the free choice gives that up. */
static void test_order(void **state)
{
    (void)state;
    static const char *const full[] = {"traffic.load.load=0.8", "switch.lanes=4"};
    static const char *const lanes[] = {"traffic.load.load=0.8", "routing.choice=free"};
    static const char *const ties[] = {"traffic.load.load=0.8", "routing.ties=random"};
    assert_int_equal(overtaken(full, 2), 0);
    assert_int_equal(overtaken(shuffle, 2), 0);
    assert_true(overtaken(lanes, 2) > 0);
    assert_true(overtaken(ties, 2) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shuffle),
                                       cmocka_unit_test(test_uniform),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests_name("torus order", tests, NULL, NULL);
}
