/* The network as it is built, before anything moves: what configuration and topology say must be in its
 * numbers, whatever the run makes of them (test_build_bounds.c: what is refused). */
#include "net_fixture.h"

#include "net/cable/cable.h"
#include "net/cable/fc_state.h"
#include "net/switch/switch.h"

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
        assert_true(in->wire_head == COP_NONE);
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
    assert_true(w->net.sectioned && w->net.section_waiters != NULL);
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
        bool per_output, sectioned, quick, credit, hooks;
    } cases[] = {
        {{"queueing.kind=voqsw"}, true, false, true, true, false},
        {{"queueing.kind=1q"}, false, false, false, true, false},
        {{"queueing.kind=voqnet"}, false, true, false, true, false},
        {{"queueing.kind=voqsw", "switch.architecture=iq"}, true, false, true, true, false},
        {{"queueing.kind=voqsw", "switch.architecture=cioq"}, true, false, true, false, false},
        {{"queueing.kind=voqsw", "switch.output_buffer=4 KiB"}, true, false, true, false, false},
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
        assert_int_equal(net->blocked_waits, cases[i].credit ? COP_WAIT_LANES : 0);
        assert_int_equal(net->short_waits, cases[i].credit ? COP_WAIT_SHORT : COP_WAIT_ROOM);
        assert_int_equal(net->hooks, cases[i].hooks);
        assert_int_equal(net->node == NULL, cases[i].per_output);
        assert_int_equal(net->served != NULL, i == 7);
        assert_int_equal(net->fill != NULL, net->cc->at_switch.on_fill && !cases[i].per_output);
        assert_int_equal(net->words, 1);
        assert_int_equal(net->plain_input, net->per_output && net->lft);
        assert_int_equal(net->due_entity != NULL, net->looks_ahead);
        lab_free(w);
    }
}

/* Flows are kept for controls whose sources do something. */
static void flows_of_sources(void **state)
{
    (void)state;
    static const char *const react[] = {"cc.react=yes", "cc.react=no"};
    for (size_t i = 0; i < COP_LEN(react); i++) {
        const char *const set[] = {"cc.kind=qcn", react[i]};
        net_lab *w = lab_build(CHAIN, set, COP_LEN(set));
        assert_int_equal(w->net.cc_flows, i == 0);
        lab_free(w);
    }
}

/* Where there are output buffers, of what size, and who decides. */
static void architectures(void **state)
{
    (void)state;
    static const struct {
        const char *set[2];
        uint64_t bytes;
        bool matched;
    } cases[] = {
        {{"switch.architecture=ib"}, 0, false},
        {{"switch.architecture=iq"}, 0, true},
        {{"switch.architecture=cioq"}, 100000, true},
        {{"switch.architecture=ib", "switch.output_buffer=4 KiB"}, 4096, false},
        {{"switch.architecture=iq", "switch.output_buffer=0"}, 0, true},
        {{"switch.architecture=cioq", "switch.output_buffer=4 KiB"}, 4096, true},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(CHAIN, cases[i].set, cases[i].set[1] ? 2 : 1);
        const cop_net *net = &w->net;
        assert_int_equal(net->output_bytes, cases[i].bytes);
        assert_int_equal(net->obuf != NULL, cases[i].bytes > 0);
        assert_int_equal(net->arch->buffered, cases[i].bytes > 0);
        assert_int_equal(net->iq != NULL, cases[i].matched);
        assert_int_equal(net->arch->matched, cases[i].matched);
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
                    assert_true(net->per_output || cop_net_first_node(net, q)->in == port);
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
        assert_int_equal(pr->sure_from + pr->sure_span, pr->end);
        assert_int_equal(pr->sure_from - pr->warmup, 9 * COP_US - pr->sure_sent);
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

/* A bucket of the event queue has room for sixteen events, the ring for four packets, a cable there and
 * back and a pipeline. Eight ports that send packets of 2^20 ps make 16 events in that time, so a bucket is
 * 2^20 ps; the ring is 2^11 of them, and would be 2^12 or 2^10 with one more or less. */
static void event_queue(void **state)
{
    (void)state;
    static const struct {
        const char *delay;
        uint32_t bits;
    } cases[] = {
        {"1066644.672 ns", 11}, {"1067170 ns", 12}, {"530298.048 ns", 11}, {"529773 ns", 10}};
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        char link[96];
        const char *set[] = {"topology={kind: single, hosts: 4}",
                             scn_text(link, sizeof(link),
                                      "link={rate: 7812500000 bit/s, delay: %s}", cases[i].delay),
                             "switch.pipeline=10 us", "nic={mtu: 1000 B, overhead: 24 B}",
                             "switch.buffer=6000 B"};
        net_lab *w = lab_build(CHAIN, set, 5);
        assert_int_equal(w->net.out[0].pace, 1024 * ONE);
        assert_int_equal(w->net.evq.shift, 20);
        assert_int_equal(w->net.evq.mask, (1u << cases[i].bits) - 1);
        lab_free(w);
    }
}

/* Which functions serve a kind of flow control, and that there are no others. */
static void flow_controls(void **state)
{
    (void)state;
    const cop_fc_ops *const ops[] = {&cop_fc_credit, &cop_fc_ib, &cop_fc_onoff, &cop_fc_acknack};
    static const char *const kinds[] = {"flow_control.kind=credit", "flow_control.kind=ib",
                                        "flow_control.kind=on-off", "flow_control.kind=ack-nack"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        net_lab *w = lab_build(CHAIN, &kinds[i], 1);
        assert_ptr_equal(w->net.fc, ops[i]);
        assert_int_equal(w->net.plain_credit, i == 0);
        cop_err err = {0};
        struct cop_fc_state *own = w->net.fc_state;
        w->c.fc.kind = 4;
        assert_int_equal(cop_fc_init(&w->net, &err), -COP_E_INPUT);
        assert_string_equal(err.text, "flow_control.kind 4 is unknown");
        w->net.fc_state = own;
        lab_free(w);
        if (i >= 1)
            continue;
        w = lab_build(CHAIN, SET("switch.shared_lanes=yes"));
        assert_ptr_equal(w->net.fc, &cop_fc_credit_shared);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),
        cmocka_unit_test(flow_controls),
        cmocka_unit_test(event_queue),
        cmocka_unit_test(buffers),
        cmocka_unit_test(end_nodes),
        cmocka_unit_test(short_cuts),
        cmocka_unit_test(flows_of_sources),
        cmocka_unit_test(queues),
        cmocka_unit_test(probes),
        cmocka_unit_test(words_of_masks),
        cmocka_unit_test(architectures),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
