/* The network as it is built, before anything moves: what configuration and topology say must be in its
 * numbers, whatever the run makes of them; and sizes are refused just below what is needed. */
#include "net_fixture.h"

#include "net/arch.h"
#include "net/build_check.h"
#include "net/fc.h"
#include "net/fc_state.h"

#include <string.h>

/* Hosts 0 and 1 at switch 0, one host at each of the others; ports of a switch: hosts first. */
#define CHAIN                                                                                      \
    "run: {duration: 10 us, sample: 3 us, warmup: 1 us}\n"                                         \
    "topology: {kind: chain, hosts: [2, 1, 1]}\n"                                                  \
    "link: {host_rate: 8 Gbit/s, trunk_rate: 16 Gbit/s, host_delay: 30 ns, trunk_delay: 70 ns}\n"  \
    "switch: {buffer: 6000 B, pipeline: 90 ns, header: 50 B}\n"                                    \
    "flow_control: {delay: 11 ns}\n"                                                               \
    "nic: {mtu: 1000 B, overhead: 40 B}\n"                                                         \
    "traffic: [{from: [0], pattern: fixed, to: 1}]\n"
#define ONE (1ul << 16) /* a pace of 1 ps per byte */
#define SET(...)                                                                                   \
    ((const char *const[]){__VA_ARGS__}),                                                          \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static void links(void **state)
{
    (void)state;
    net_lab *w = lab_build(CHAIN, NULL, 0);
    const cop_net *net = &w->net;
    assert_int_equal(net->topo->n_switches, 3);
    assert_true(net->multi_rate);
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_out *out = &net->out[p];
        const cop_in *in = &net->in[p];
        bool host = p >= net->host_port0, to_host = out->to >= net->host_port0;
        bool host_link = host || to_host;
        assert_true(out->to != COP_NONE && in->from == out->to);
        assert_int_equal(out->pace, (host_link ? 1000 : 500) * ONE);
        assert_int_equal(out->delay_ps, host_link ? 30000 : 70000);
        assert_int_equal(in->pace, out->pace);
        assert_int_equal(in->back_ps, out->delay_ps + 11000);
        assert_int_equal(in->header_ps, host ? 0 : host_link ? 50000 : 25000);
        assert_int_equal(in->pipeline_ps, host ? 0 : 90000);
        assert_true(out->busy_until == 0 && out->arb_at == COP_NEVER &&
                    out->credit_at == COP_NEVER);
        assert_true(in->wire_head == COP_NONE && in->read_until == 0);
        assert_int_equal(out->sw, host ? COP_NONE : net->topo->port[p].owner);
        assert_int_equal(in->sw, out->sw);
        assert_int_equal(out->port0 + out->local, p);
        assert_int_equal(in->port0 + in->local, p);
    }
    /* The longest of the links takes 1.04 us; 10000 hops. */
    assert_int_equal(net->patience_ps, 10000ul * (1040000 + 2 * 70000 + 90000));
    lab_free(w);
    w = lab_build(CHAIN, SET("switch.switching=store-and-forward", "link.trunk_rate=8 Gbit/s",
                             "nic.receive_rate=4 Gbit/s"));
    assert_int_equal(w->net.in[0].header_ps, COP_NEVER);
    assert_int_equal(w->net.in[w->net.host_port0].header_ps, 0);
    assert_false(w->net.multi_rate);
    assert_int_equal(w->net.patience_ps, 10000ul * (2080000 + 2 * 70000 + 90000));
    lab_free(w);
}

/* Blocks behind a port: of a switch input, of one that a host feeds, of a host. */
static void expect_room(const net_lab *w, uint32_t first, uint32_t between, uint32_t last)
{
    const cop_net *net = &w->net;
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        for (uint32_t s = 0; s < net->sections; s++) {
            const cop_section *sec = &net->out[p].section[s];
            bool host = p >= net->host_port0, to_host = net->out[p].to >= net->host_port0;
            assert_int_equal(sec->capacity, to_host ? last : host ? first : between);
            assert_true(sec->used == 0 && sec->wait == COP_NONE);
            if (!net->shared_free)
                assert_int_equal(sec->credit, sec->capacity);
        }
}

static void buffers(void **state)
{
    (void)state;
    net_lab *w = lab_build(CHAIN, NULL, 0);
    expect_room(w, 93, 93, 93); /* 6000 / 64 = 93.75 */
    assert_true(w->net.plain_credit && w->net.section_waiters == NULL);
    assert_int_equal(w->net.info.mtu_bytes, 1040);
    assert_int_equal(w->net.max_blocks, 17);
    lab_free(w);
    w = lab_build(CHAIN, SET("switch.host_buffer=2 KiB", "switch.lanes=2"));
    assert_int_equal(w->net.sections, 2);
    expect_room(w, 32, 93, 93);
    lab_free(w);
    w = lab_build(CHAIN, SET("nic.buffer=4 KiB", "nic.control_bytes=1100 B"));
    expect_room(w, 93, 93, 64);
    assert_int_equal(w->net.info.mtu_bytes, 1100); /* the longest packet is a control packet */
    lab_free(w);
    w = lab_build(CHAIN, SET("switch.shared_lanes=yes", "switch.lanes=3"));
    expect_room(w, 93, 93, 93);
    for (uint32_t p = 0; p < w->net.topo->n_ports; p++) {
        assert_int_equal(w->net.out[p].section[2].credit, 17); /* one packet each */
        assert_int_equal(w->net.shared_free[p], 93 - 3 * 17);
    }
    assert_false(w->net.plain_credit);
    lab_free(w);
    w = lab_build(CHAIN, SET("switch.shared_lanes=yes", "switch.lanes=2", "switch.reserve=2000 B"));
    assert_int_equal(w->net.out[0].section[0].credit, 31);
    assert_int_equal(w->net.shared_free[0], 93 - 2 * 31);
    lab_free(w);
    w = lab_build(CHAIN, SET("queueing.kind=voqnet"));
    assert_int_equal(w->net.sections, 4); /* a destination each */
    assert_true(w->net.sectioned && w->net.section_waiters != NULL && !w->net.simple_wake);
    expect_room(w, 93, 93, 93);
    lab_free(w);
}

/* Limits of end nodes count where they are below the link. */
static void end_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *gbps;
        uint64_t pace;
    } cases[] = {{"4", 2000 * ONE}, {"7", 74898286}, {"8", 0}, {"9", 0}, {"16", 0}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char inject[64], receive[64];
        const char *set[] = {
            scn_text(inject, sizeof(inject), "nic.inject_rate=%s Gbit/s", cases[i].gbps),
            scn_text(receive, sizeof(receive), "nic.receive_rate=%s Gbit/s", cases[i].gbps)};
        for (int which = 0; which < 2; which++) {
            net_lab *w = lab_build(CHAIN, &set[which], 1);
            for (uint32_t h = 0; h < w->topo.n_hosts; h++) {
                const cop_nic *nic = &w->net.nic[h];
                assert_int_equal(nic->inject_pace, which == 0 ? cases[i].pace : 0);
                assert_int_equal(nic->receive_pace, which == 1 ? cases[i].pace : 0);
                assert_true(nic->wake == COP_NEVER && nic->rx_free == 0 && nic->inject_free == 0);
            }
            lab_free(w);
        }
    }
}

/* Which short cuts the data path may take. */
static void short_cuts(void **state)
{
    (void)state;
    static const struct {
        const char *set[2];
        bool per_output, sectioned, quick, simple, hooks;
    } cases[] = {
        {{"queueing.kind=voqsw"}, true, false, true, true, false},
        {{"queueing.kind=1q"}, false, false, false, true, false},
        {{"queueing.kind=voqnet"}, false, true, false, false, false},
        {{"queueing.kind=voqsw", "switch.architecture=iq"}, true, false, true, false, false},
        {{"queueing.kind=voqsw", "switch.architecture=cioq"}, true, false, true, false, false},
        {{"queueing.kind=voqsw", "switch.arbitration=age"}, true, false, false, true, false},
        {{"queueing.kind=voqsw", "switch.arbitration=flows"}, true, false, false, true, true},
        {{"queueing.kind=voqsw", "cc.kind=ibcc"}, true, false, true, true, true},
        {{"queueing.kind=voqsw", "cc.kind=pace"}, true, false, true, true, false},
        {{"queueing.kind=hfdi", "switch.architecture=ib"}, false, false, false, true, true},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(CHAIN, cases[i].set, cases[i].set[1] ? 2 : 1);
        const cop_net *net = &w->net;
        assert_int_equal(net->per_output, cases[i].per_output);
        assert_int_equal(net->sectioned, cases[i].sectioned);
        assert_int_equal(net->quick_pick, cases[i].quick);
        assert_int_equal(net->simple_wake, cases[i].simple);
        assert_int_equal(net->hooks, cases[i].hooks);
        assert_int_equal(net->queue_read == NULL, cases[i].per_output);
        assert_int_equal(net->served != NULL, i == 6);
        assert_int_equal(net->fill != NULL, net->cc->on_fill && !cases[i].per_output);
        assert_int_equal(net->words, 1);
        assert_false(net->large);
        lab_free(w);
    }
}

/* A switch of n ports needs a word for 64 of them. */
static void words_of_masks(void **state)
{
    (void)state;
    static const struct {
        uint32_t hosts, words;
    } cases[] = {{63, 1}, {64, 1}, {65, 2}, {128, 2}, {129, 3}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char hosts[64];
        const char *set[] = {
            scn_text(hosts, sizeof(hosts), "topology={kind: single, hosts: %u}", cases[i].hosts)};
        net_lab *w = lab_build(CHAIN, set, 1);
        assert_int_equal(w->net.words, cases[i].words);
        assert_int_equal(w->net.quick_pick, cases[i].words == 1);
        assert_int_equal(w->net.info.max_ports, cases[i].hosts);
        lab_free(w);
    }
}

/* Queues and slots lie one behind the other, all of them and no more. */
static void queues(void **state)
{
    (void)state;
    static const char *const kinds[] = {"queueing.kind=1q", "queueing.kind=voqsw",
                                        "queueing.kind=voqnet"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        net_lab *w = lab_build(CHAIN, SET(kinds[i], "switch.lanes=2"));
        const cop_net *net = &w->net;
        uint32_t q = 0;
        uint64_t slots = 0;
        for (uint32_t sw = 0; sw < 3; sw++) {
            uint32_t ports = cop_topo_ports_of(net->topo, sw);
            uint32_t own = i == 0 ? 2 : i == 1 ? 2 * ports : 2 * 4;
            assert_int_equal(net->slot0[sw], slots);
            slots += 2ul * ports * ports;
            for (uint32_t k = 0; k < ports; k++) {
                uint32_t port = cop_topo_switch_port(net->topo, sw, k);
                assert_int_equal(net->in[port].queue0, q);
                for (uint32_t n = 0; n < own; n++, q++) {
                    assert_int_equal(net->queue_port[q], port);
                    assert_true(net->queue[q].head == COP_NONE && net->queue[q].bytes == 0);
                }
            }
        }
        assert_int_equal(net->n_queues, q);
        assert_int_equal(net->slot0[3], slots);
        lab_free(w);
    }
}

/* What is measured: bins of the series, also a short last one; streams, or entries if there are many. */
static void probes(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        uint64_t sample;
        uint32_t bins;
    } cases[] = {{"run.sample=3 us", 3000000, 4},    {"run.sample=2500 ns", 2500000, 4},
                 {"run.sample=2499 ns", 2499000, 5}, {"run.sample=10 us", 10000000, 1},
                 {"run.sample=11 us", 11000000, 1},  {"run.sample=0", 100000, 100}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(CHAIN, &cases[i].set, 1);
        const cop_probe *pr = &w->net.probe;
        assert_int_equal(pr->sample, cases[i].sample);
        assert_int_equal(pr->n_bins, cases[i].bins);
        assert_int_equal(pr->warmup, COP_US);
        assert_int_equal(pr->end, 10 * COP_US);
        assert_int_equal(pr->span, 9 * COP_US);
        lab_free(w);
    }
    for (uint32_t hosts = 64; hosts <= 65; hosts++) {
        char set[64];
        const char *sets[] = {
            scn_text(set, sizeof(set), "topology={kind: single, hosts: %u}", hosts),
            "traffic=[{from: [0], pattern: fixed, to: 1, stop: 1 us},"
            " {from: all, pattern: uniform}]"};
        net_lab *w = lab_build(CHAIN, sets, 2);
        const cop_probe *pr = &w->net.probe;
        assert_int_equal(w->traffic.n_streams, hosts + 1);
        assert_int_equal(pr->n_series, 2);
        assert_int_equal(pr->series_of[0], 0);
        assert_int_equal(pr->series_of[hosts], 1);
        lab_free(w);
    }
    net_lab *w = lab_build(CHAIN, SET("topology={kind: single, hosts: 64}",
                                      "traffic=[{from: all, pattern: uniform}]"));
    assert_int_equal(w->net.probe.n_series, 64);
    assert_int_equal(w->net.probe.series_of[63], 63);
    lab_free(w);
}

/* A bucket of the event queue has room for eight events, the ring for four packets, a cable there and
 * back and a pipeline. Eight ports that send packets of 2^20 ps make 16 events in that time, so a bucket is
 * 2^19 ps; the ring is 2^11 of them, and would be 2^12 or 2^10 with one more or less. */
static void event_queue(void **state)
{
    (void)state;
    static const struct {
        const char *delay;
        uint32_t bits;
    } cases[] = {{"529773.76 ns", 11}, {"530036 ns", 12}, {"261600.448 ns", 11}, {"261338 ns", 10}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char link[96];
        const char *set[] = {"topology={kind: single, hosts: 4}",
                             scn_text(link, sizeof(link),
                                      "link={rate: 7812500000 bit/s, delay: %s}", cases[i].delay),
                             "switch.pipeline=10 us", "nic={mtu: 1000 B, overhead: 24 B}",
                             "switch.buffer=6000 B"};
        net_lab *w = lab_build(CHAIN, set, 5);
        assert_int_equal(w->net.out[0].pace, 1024 * ONE);
        assert_int_equal(w->net.evq.shift, 19);
        assert_int_equal(w->net.evq.mask, (1u << cases[i].bits) - 1);
        lab_free(w);
    }
}

/* -- what is refused -- */

static int try(const char *const *set, size_t n, cop_err *err)
{
    cop_result r;
    int rc = scn_run(CHAIN, set, n, &r, err);
    if (rc == 0)
        cop_result_free(&r);
    return rc;
}

/* Just enough, and a byte or one less. 1040 bytes are 17 blocks of 64, 1088 bytes. */
static void just_enough(void **state)
{
    (void)state;
    static const struct {
        const char *good[3], *bad, *says;
    } cases[] = {
        {{"switch.buffer=1088 B"}, "switch.buffer=1087 B", "switch.buffer "},
        {{"switch.host_buffer=1088 B"}, "switch.host_buffer=1087 B", "switch.host_buffer "},
        {{"nic.buffer=1088 B"}, "nic.buffer=1087 B", "nic.buffer "},
        {{"switch.architecture=cioq", "switch.output_buffer=1088 B"},
         "switch.output_buffer=1087 B",
         "switch.output_buffer must hold one packet"},
        {{"switch.lanes=3", "switch.shared_lanes=yes", "switch.buffer=3264 B"},
         "switch.buffer=3263 B",
         "the reserves of all lanes"},
        {{"switch.lanes=2", "switch.shared_lanes=yes", "switch.reserve=1088 B"},
         "switch.reserve=1087 B",
         "switch.reserve must hold one packet"},
        {{"switch.lanes=3", "nic.control_vl=2"}, "nic.control_vl=3", "lanes are 0 to 2"},
        {{"run.sample=1 ns", "run.duration=1 ms"}, "run.duration=1000001 ns", "more than 1000000"},
        {{"run.warmup=9999 ns"}, "run.warmup=10 us", "nothing to measure"},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        const char *set[4] = {cases[i].good[0], cases[i].good[1], cases[i].good[2]};
        size_t n = set[1] == NULL ? 1 : set[2] == NULL ? 2 : 3;
        cop_err err = {0};
        if (try(set, n, &err) != 0)
            fail_msg("%s", err.text);
        set[n] = cases[i].bad;
        if (try(set, n + 1, &err) != -COP_E_INPUT || strstr(err.text, cases[i].says) == NULL)
            fail_msg("%s: `%s` does not say `%s`", cases[i].bad, err.text, cases[i].says);
    }
}

/* Queues have numbers of 28 bits, and requests numbers of 32. No memory is needed to say so. */
static uint32_t queues_of_input;

static void many_queues(const void *cfg, const cop_netinfo *info, uint32_t ports,
                        cop_queue_layout *l)
{
    (void)cfg, (void)info, (void)ports;
    *l = (cop_queue_layout){.queues = queues_of_input};
}

static void numbers_of_queues(void **state)
{
    (void)state;
    static const cop_queue_ops many = {.name = "many", .layout = many_queues};
    static const struct {
        uint32_t queues, cand;
        bool fits;
    } cases[] = {{(1 << 26) - 1, 1, true},  {1 << 26, 1, false},       {(1 << 26) - 1, 15, true},
                 {(1 << 26) - 1, 16, true}, {(1 << 25) - 1, 32, true}, {1 << 25, 32, false},
                 {1 << 28, 1, false}};
    net_lab *w = lab_build(CHAIN, SET("topology={kind: single, hosts: 4}"));
    cop_net_parts parts = {.topo = &w->topo,
                           .run = &w->c.run,
                           .sw = &w->c.sw,
                           .fc = &w->c.fc,
                           .nic = &w->c.nic,
                           .queue = &many,
                           .cc = w->c.cc};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_err err = {0};
        queues_of_input = cases[i].queues;
        w->net.max_cand = cases[i].cand;
        assert_int_equal(cop_build_check(&w->net, &parts, &err), cases[i].fits ? 0 : -COP_E_INPUT);
        assert_int_equal(strstr(err.text, "more than fit") != NULL, !cases[i].fits);
    }
    w->net.max_cand = 1;
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),       cmocka_unit_test(event_queue),
        cmocka_unit_test(buffers),     cmocka_unit_test(end_nodes),
        cmocka_unit_test(short_cuts),  cmocka_unit_test(queues),
        cmocka_unit_test(probes),      cmocka_unit_test(words_of_masks),
        cmocka_unit_test(just_enough), cmocka_unit_test(numbers_of_queues),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
