/* Queueing schemes: how many queues and sections an input has, into which one a packet goes, and what
 * the memory costs. Every packet of every network has a queue of its own kind inside the layout. */
#include "net_fixture.h"

#include "queue/iso.h"
#include "queue/queue_list.h"

#include <string.h>

static const char star[] = "run: {duration: 1 us}\n"
                           "topology: {kind: chain, hosts: [3, 5]}\n"
                           "switch: {buffer: 64 KiB, lanes: 3, architecture: iq}\n"
                           "nic: {mtu: 2 KiB}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n";

typedef struct expected {
    const char *set[4];
    uint32_t
        queues; /* of an input of a switch with 6 ports: 5 hosts and a cable; 3 lanes, 8 hosts */
    uint32_t sections; /* 0: a lane each */
    bool per_output;
} expected;

static const expected layouts[] = {
    {{"queueing.kind=1q"}, 3, 0, false},
    {{"queueing.kind=voqsw"}, 18, 0, true},
    {{"queueing.kind=damq"}, 18, 0, true},
    {{"queueing.kind=voqnet"}, 24, 24, false},
    {{"queueing.kind=dbbm", "queueing.queues=5"}, 15, 0, false},
    {{"queueing.kind=dbbm"}, 24, 0, false},
    {{"queueing.kind=obqa"}, 12, 0, false},
    {{"queueing.kind=vftree", "queueing.lanes=3"}, 18, 0, true},
    /* special ones, normal ones, those for control packets */
    {{"queueing.kind=fbicm", "queueing.queues=4"}, 4 + 3 + 3, 0, false},
    {{"queueing.kind=recn", "queueing.queues=4", "queueing.control_first=no"}, 4 + 3, 0, false},
    {{"queueing.kind=hfdi", "switch.architecture=ib"}, 2 + 18, 0, false},
    {{"queueing.kind=hfdi", "switch.architecture=ib", "nic.ack=message"}, 2 + 18 + 18, 0, false},
    {{"queueing={kind: hfdi, control_first: no}", "switch.architecture=ib", "nic.ack=packet"},
     2 + 18,
     0,
     false},
};

static size_t length(const char *const *set)
{
    size_t n = 0;
    while (n < 4 && set[n] != NULL)
        n++;
    return n;
}

static void sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(layouts); i++) {
        const expected *e = &layouts[i];
        net_lab *w = lab_build(star, e->set, length(e->set));
        const cop_net *net = &w->net;
        cop_queue_layout l = {0};
        cop_net_cost cost;
        net->queue_ops->layout(net->queue_cfg, &net->info, 6, &l);
        if (l.queues != e->queues)
            fail_msg("%s: %u queues, not %u", e->set[0], l.queues, e->queues);
        assert_int_equal(l.sections, e->sections);
        assert_int_equal(l.per_output, e->per_output);
        cop_net_port_cost(net, &cost); /* of the largest switch */
        assert_int_equal(cost.queues, e->queues);
        assert_int_equal(cost.ram_bytes, 65536 * (e->sections ? e->sections : 3));
        lab_free(w);
    }
}

/* A switch with one port, the least there is, has the queues of one output. */
static void least_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint32_t queues;
    } all[] = {{"queueing.kind=1q", 3}, {"queueing.kind=voqsw", 3}, {"queueing.kind=voqnet", 3}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        const char *set[] = {all[i].kind, "topology={kind: single, hosts: 1}", "traffic=[]"};
        net_lab *w = lab_build(star, set, COP_LEN(set));
        cop_net_cost cost;
        cop_net_port_cost(&w->net, &cost);
        assert_int_equal(cost.queues, all[i].queues);
        assert_int_equal(cost.ram_bytes, 3 * 65536);
        lab_free(w);
    }
}

/* Where a packet goes depends on what the scheme names, and on nothing else; no two that must be apart
 * share a queue, and no queue is outside the layout. */
static void queue_of_a_packet(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(layouts); i++) {
        net_lab *w = lab_build(star, layouts[i].set, length(layouts[i].set));
        const cop_net *net = &w->net;
        const char *kind = net->queue_ops->name;
        uint32_t special = strcmp(kind, "fbicm") == 0 || strcmp(kind, "recn") == 0 ? 4
                           : strcmp(kind, "hfdi") == 0                             ? 2
                                                                                   : 0;
        bool used[64] = {false};
        for (uint32_t dst = 0; dst < 8; dst++)
            for (uint32_t out = 0; out < 6; out++)
                for (uint32_t vl = 0; vl < 3; vl++)
                    for (uint32_t out_vl = 0; out_vl < 3; out_vl++) {
                        cop_pkt p = {.dst = dst,
                                     .out = (uint16_t)out,
                                     .vl = (uint8_t)vl,
                                     .out_vl = (uint8_t)out_vl};
                        uint32_t q = net->queue_ops->select(net->queue_cfg, &net->info, &p);
                        uint32_t want = strcmp(kind, "1q") == 0       ? vl
                                        : strcmp(kind, "voqnet") == 0 ? dst * 3 + vl
                                        : strcmp(kind, "dbbm") == 0
                                            ? dst % (layouts[i].queues / 3) * 3 + vl
                                        : strcmp(kind, "obqa") == 0 ? out % 4 * 3 + vl
                                        : special == 4              ? 4 + vl
                                                                    : special + out * 3 + out_vl;
                        assert_int_equal(q, want);
                        assert_true(q < layouts[i].queues);
                        used[q] = true;
                        if (layouts[i].sections)
                            assert_int_equal(
                                net->queue_ops->section(net->queue_cfg, &net->info, &p, vl),
                                dst * 3 + vl);
                        if (special == 0)
                            continue;
                        /* A control packet has a queue beside that of data, if there is one. */
                        p.flags = COP_PKT_ACK;
                        uint32_t c = net->queue_ops->select(net->queue_cfg, &net->info, &p);
                        const iso_rules *r = cop_net_queue_common(&w->net);
                        const iso_cfg *cfg = net->queue_cfg;
                        if (r->control0 == UINT32_MAX)
                            assert_int_equal(c < layouts[i].queues, !cfg->control_first);
                        else
                            assert_int_equal(c - r->control0, q - special);
                        if (c < layouts[i].queues)
                            used[c] = true;
                    }
        for (uint32_t q = special; q < layouts[i].queues; q++)
            assert_true(used[q]);
        lab_free(w);
    }
}

/* vftree: the destinations of a leaf take its lanes in turn, for any sender. */
static void lanes_of_vftree(void **state)
{
    (void)state;
    static const char *const set[] = {"queueing.kind=vftree", "queueing.lanes=2"};
    net_lab *w = lab_build(star, set, 2);
    const cop_queue_ops *ops = w->net.queue_ops;
    assert_int_equal(ops->lanes(w->net.queue_cfg), 2);
    for (uint32_t dst = 0; dst < 8; dst++) {
        uint32_t place = dst < 3 ? dst : dst - 3; /* at its switch */
        for (uint32_t src = 0; src < 8; src++)
            assert_int_equal(ops->inject_vl(w->net.queue_cfg, &w->net.info, src, dst, 1),
                             place % 2);
    }
    lab_free(w);
}

/* Options of the isolation schemes as bytes; what the schemes add to them. */
static void rules_of_isolation(void **state)
{
    (void)state;
    static const struct {
        const char *set[2];
        uint32_t detect, propagate, stop, go, high, low; /* packets */
        bool voq, own_lines, by_path;
        uint32_t lines, destinations;
    } cases[] = {
        {{"queueing={kind: fbicm, detect: 5, high: 6, stop: 9, go: 3, low: 1, destinations: 7}"},
         5,
         9,
         9,
         3,
         6,
         1,
         false,
         false,
         false,
         2,
         7},
        {{"queueing={kind: fbicm, detect: 5, high: 6, stop: 4, go: 3, low: 1}"},
         5,
         4,
         4,
         3,
         6,
         1,
         false,
         false,
         false,
         2,
         1},
        {{"queueing={kind: fbicm, detect: 5, high: 6, stop: 9, go: 3, low: 1, propagate: high}"},
         5,
         6,
         9,
         3,
         6,
         1,
         false,
         false,
         false,
         2,
         1},
        {{"queueing={kind: recn, queues: 3}"}, 4, 10, 10, 4, 4, 2, false, false, true, 3, 1},
        {{"queueing={kind: hfdi, local: no, high: 6, low: 2, queues: 3}", "switch.architecture=ib"},
         6,
         6,
         6,
         2,
         6,
         2,
         true,
         true,
         false,
         3 + 18,
         8},
        {{"queueing={kind: hfdi, high: 6, low: 2}", "switch.architecture=ib"},
         6,
         6,
         6,
         2,
         6,
         2,
         true,
         false,
         false,
         2,
         8},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        net_lab *w = lab_build(star, cases[i].set, cases[i].set[1] ? 2 : 1);
        const iso_rules *r = cop_net_queue_common(&w->net);
        uint32_t packet = w->net.info.mtu_bytes;
        assert_int_equal(r->detect, cases[i].detect * packet);
        assert_int_equal(r->propagate, cases[i].propagate * packet);
        assert_int_equal(r->stop, cases[i].stop * packet);
        assert_int_equal(r->go, cases[i].go * packet);
        assert_int_equal(r->high, cases[i].high * packet);
        assert_int_equal(r->low, cases[i].low * packet);
        assert_int_equal(r->voq, cases[i].voq);
        assert_int_equal(r->own_lines, cases[i].own_lines);
        assert_int_equal(r->by_path, cases[i].by_path);
        assert_int_equal(r->lines, cases[i].lines);
        assert_int_equal(r->destinations, cases[i].destinations);
        assert_int_equal(r->lanes, 3);
        /* What can be set is told as it was set; hfdi sets two of them. */
        const uint64_t *told = w->net.counter;
        assert_int_equal(told[ISO_TH_HIGH], cases[i].high);
        assert_int_equal(told[ISO_TH_LOW], cases[i].low);
        assert_int_equal(told[ISO_TH_DETECT], cases[i].voq ? 0 : cases[i].detect);
        assert_int_equal(told[ISO_TH_STOP], cases[i].voq ? 0 : cases[i].stop);
        assert_int_equal(told[ISO_TH_GO], cases[i].voq ? 0 : cases[i].go);
        /* Lines of both sides lie behind each other in the memory of a port, aligned. */
        assert_int_equal(r->line_bytes % 8, 0);
        assert_in_range(r->line_bytes, sizeof(iso_line) + 4 * r->destinations,
                        sizeof(iso_line) + 4 * r->destinations + 7);
        assert_int_equal(w->net.queue_port_bytes,
                         sizeof(iso_port) + 2 * (size_t)r->lines * r->line_bytes);
        lab_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(least_sizes),
        cmocka_unit_test(queue_of_a_packet),
        cmocka_unit_test(lanes_of_vftree),
        cmocka_unit_test(rules_of_isolation),
    };
    return cmocka_run_group_tests_name("queueing", tests, NULL, NULL);
}
