/* The containers of the network against plain references: rings of returns, the heap of throttled
 * flows, the table of flows and that of pairs, lists of requests. Random operations, and their bounds. */
#include "net_fixture.h"

#include "base/rng.h"
#include "host/host.h"
#include "host/host_list.h"
#include "net/cable/cable.h"
#include "net/flow/flow.h"
#include "net/switch/request.h"

#include <stdlib.h>
#include <string.h>

static uint32_t draw(cop_rng *rng, uint32_t below)
{
    return (uint32_t)(cop_rng_unit(rng) * below);
}

/* -- returns on their way -- */

/* Out comes what went in, by time, and of equal times in the order in which it was put in. */
static void rings_keep_the_order(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(1, COP_RNG_LINK, 0);
    for (int round = 0; round < 200; round++) {
        cop_ring r;
        cop_return want[256];
        uint32_t n = 0, spread = 1 + draw(&rng, 30);
        cop_time now = 1;
        cop_return first[COP_RING_FIRST];
        cop_ring_init(&r, first);
        for (uint32_t k = 0; k < 120; k++) {
            cop_return ret = {.t = now + draw(&rng, spread), .section = k, .blocks = 3 * k};
            cop_ring_insert(&r, ret);
            uint32_t i = n++;
            for (; i > 0 && want[i - 1].t > ret.t; i--)
                want[i] = want[i - 1];
            want[i] = ret;
            if (draw(&rng, 3) == 0)
                now += draw(&rng, spread);
            while (draw(&rng, 4) != 0 && n > 0 && want[0].t <= now) {
                assert_true(cop_ring_due(&r, now) && !cop_ring_due(&r, want[0].t - 1));
                cop_return got = cop_ring_pop(&r);
                assert_int_equal(got.t, want[0].t);
                assert_int_equal(got.section, want[0].section);
                assert_int_equal(got.blocks, want[0].blocks);
                memmove(want, want + 1, --n * sizeof(*want));
            }
            assert_int_equal(r.end - r.at, n);
            assert_int_equal(cop_ring_due(&r, now), n > 0 && want[0].t <= now);
        }
        cop_ring_fini(&r);
    }
}

/* -- throttled flows of a host -- */

static const cop_cc_ops with_flows = {.name = "flows", .flow_size = 24};

/* The flow that may go first comes first; of equals the one whose message was taken first. */
static void throttled_flows_come_in_time(void **state)
{
    (void)state;
    cop_rng rng = cop_rng_make(2, COP_RNG_LINK, 0);
    for (int round = 0; round < 100; round++) {
        cop_nic nic = {0};
        cop_net net = {.cc = &with_flows,
                       .host_ops = &cop_host_simple,
                       .nic = &nic,
                       .info.n_hosts = 40,
                       .send_free = COP_NONE};
        uint32_t in[64], n = 0, n_flows = 0;
        cop_flow_init(&net);
        for (uint32_t k = 0; k < 60; k++) {
            if (n_flows < 40 && draw(&rng, 3) != 0) {
                uint32_t flow = cop_flow_of(&net, 0, n_flows++, 3), s = cop_send_new(&net);
                net.send[s] = (cop_send){.flow = flow, .serial = 1000 - k, .next = 77};
                cop_flow_append(&net, s);
                cop_throttle_add(&net, flow, draw(&rng, 8));
                assert_true(cop_flow_at(&net, flow)->throttled);
                in[n++] = flow;
            } else if (n > 0) {
                uint32_t best = 0;
                for (uint32_t i = 1; i < n; i++) {
                    const cop_flow *a = cop_flow_at(&net, in[i]), *b = cop_flow_at(&net, in[best]);
                    if (a->t_ok < b->t_ok ||
                        (a->t_ok == b->t_ok && net.send[a->head].serial < net.send[b->head].serial))
                        best = i;
                }
                assert_int_equal(cop_throttle_next(&net, &nic), cop_flow_at(&net, in[best])->t_ok);
                assert_int_equal(cop_throttle_pop(&net, 0), in[best]);
                assert_false(cop_flow_at(&net, in[best])->throttled);
                in[best] = in[--n];
            }
            assert_int_equal(nic.throttled_n, n);
        }
        while (n-- > 0)
            cop_throttle_pop(&net, 0);
        assert_int_equal(cop_throttle_next(&net, &nic), COP_NEVER);
        cop_flow_fini(&net);
        cop_free(nic.throttled);
        cop_free(net.send);
    }
}

/* A flow without a time waits until it is roused; it blocks no other, and is counted. */
static void sleeping_flows(void **state)
{
    (void)state;
    cop_nic nic = {0};
    cop_net net = {.cc = &with_flows,
                   .host_ops = &cop_host_simple,
                   .nic = &nic,
                   .info.n_hosts = 4,
                   .send_free = COP_NONE};
    uint32_t flow[3];
    cop_flow_init(&net);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t s = cop_send_new(&net);
        flow[i] = cop_flow_of(&net, 0, i + 1, 0);
        net.send[s] = (cop_send){.flow = flow[i], .next = COP_NONE};
        cop_flow_append(&net, s);
        cop_throttle_add(&net, flow[i], i == 1 ? 5 : COP_NEVER);
    }
    assert_int_equal(net.flows_asleep, 2);
    assert_int_equal(cop_throttle_next(&net, &nic), 5);
    assert_false(cop_throttle_rouse(&net, flow[1])); /* its time will come */
    assert_true(cop_throttle_rouse(&net, flow[0]));
    assert_false(cop_throttle_rouse(&net, flow[0]));
    assert_int_equal(net.flows_asleep, 1);
    assert_false(cop_flow_at(&net, flow[0])->throttled);
    assert_true(cop_flow_at(&net, flow[2])->throttled);
    assert_int_equal(cop_throttle_pop(&net, 0), flow[1]);
    assert_true(cop_throttle_rouse(&net, flow[2]));
    assert_int_equal(net.flows_asleep, 0);
    assert_int_equal(cop_throttle_next(&net, &nic), COP_NEVER);
    cop_flow_fini(&net);
    cop_free(nic.throttled);
    cop_free(net.send);
}

/* Messages of a flow stand in a list to which both ends can be added. */
static void messages_of_a_flow(void **state)
{
    (void)state;
    cop_net net = {
        .cc = &with_flows, .host_ops = &cop_host_simple, .info.n_hosts = 4, .send_free = COP_NONE};
    cop_flow_init(&net);
    uint32_t flow = cop_flow_of(&net, 1, 2, 0);
    for (int twice = 0; twice < 2; twice++) {
        for (uint32_t k = 0; k < 6; k++) {
            uint32_t s = cop_send_new(&net);
            net.send[s] = (cop_send){.flow = flow, .serial = k};
            if (k % 2)
                cop_flow_append(&net, s);
            else
                cop_flow_prepend(&net, s);
        }
        static const uint32_t order[] = {4, 2, 0, 1, 3, 5};
        for (uint32_t k = 0; k < 6; k++) {
            uint32_t s = cop_flow_pop(&net, flow);
            assert_int_equal(net.send[s].serial, order[k]);
            cop_send_free(&net, s);
        }
        assert_int_equal(cop_flow_at(&net, flow)->head, COP_NONE);
        assert_int_equal(net.send_n, 6); /* the second time those of the first are used again */
    }
    cop_flow_fini(&net);
    cop_free(net.send);
}

/* -- the table of flows -- */

/* Each (source, destination, level) has a place of its own, is found again and starts with nothing:
 * in a table for all pairs, in a hash that grows (hosts beyond the square root of 2^21), or with a
 * flow per level, where the destination does not count. */
static void flows_have_places(void **state)
{
    (void)state;
    static const struct {
        uint32_t hosts;
        bool by_level, hashed;
    } cases[] = {{90, false, false},   {1448, false, false}, {1449, false, true},
                 {5000, false, true},  {5000, true, false},  {2097152, true, false},
                 {2097153, true, true}};
    enum { FLOWS = 6000 };
    static uint32_t number[FLOWS], src[FLOWS], dst[FLOWS];
    static uint8_t sl[FLOWS];
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_net net = {
            .cc = &with_flows, .host_ops = &cop_host_simple, .flow_is_sl = cases[i].by_level};
        net.info.n_hosts = cases[i].hosts;
        cop_flow_init(&net);
        assert_int_equal(net.flow_hash != NULL, cases[i].hashed);
        assert_true(net.flow_stride >= sizeof(cop_flow) + 24 && net.flow_stride % 16 == 0);
        for (uint32_t k = 0; k < FLOWS; k++) {
            src[k] = (uint32_t)((uint64_t)k * 7919 % cases[i].hosts);
            dst[k] = (uint32_t)((uint64_t)(k / 3) * 104729 % cases[i].hosts);
            sl[k] = (uint8_t)(k % 3 * 7);
            number[k] = cop_flow_of(&net, src[k], dst[k], sl[k]);
            const cop_flow *f = cop_flow_at(&net, number[k]);
            assert_true(f->known && f->head == COP_NONE && f->tail == COP_NONE && !f->throttled);
            assert_true(f->src == src[k] && f->sl == sl[k]);
            assert_int_equal(f->dst, cases[i].by_level ? 0 : dst[k]);
            uint8_t *own = cop_flow_state(&net, number[k]);
            own[0] = (uint8_t)(own[0] + 1), own[23] = (uint8_t)(own[23] + 1);
        }
        for (uint32_t k = 0; k < FLOWS; k++) {
            assert_int_equal(cop_flow_of(&net, src[k], dst[k], sl[k]), number[k]);
            assert_int_equal(cop_flow_find(&net, src[k], dst[k], sl[k]), number[k]);
            uint32_t same = 0, step = FLOWS / 97;
            for (uint32_t m = k % step; m < FLOWS; m += step) {
                bool equal =
                    src[m] == src[k] && sl[m] == sl[k] && (cases[i].by_level || dst[m] == dst[k]);
                assert_int_equal(number[m] == number[k], equal);
                same += equal;
            }
            assert_true(same >= 1);
        }
        assert_int_equal(cop_flow_find(&net, 3, 3, 1), COP_NONE); /* an unused level */
        assert_int_equal(cop_flow_find(&net, src[5], (dst[5] + 1) % cases[i].hosts, sl[5]) ==
                             COP_NONE,
                         !cases[i].by_level);
        cop_flow_fini(&net);
    }
}

/* -- the table of pairs -- */

static void pairs_are_counted(void **state)
{
    (void)state;
    enum { PAIRS = 3000 };
    cop_probe pr = {.flow.mask = 15};
    pr.flow.v = cop_alloc_array(16, sizeof(cop_flow_probe));
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint32_t src = k % 61, dst = k / 61;
        assert_true(cop_probe_flow(&pr, src, dst, 10, 100 + k, true)); /* the first of its flow */
        assert_true(cop_probe_flow(&pr, src, dst, 11, 1, k % 2));
        assert_false(cop_probe_flow(&pr, src, dst, 11, 1, true)); /* not later than the last one */
        assert_false(cop_probe_flow(&pr, src, dst, 5, 1, false));
        assert_true(cop_probe_flow(&pr, src, dst, 12, 1, false));
    }
    assert_int_equal(pr.flow.n, PAIRS);
    assert_true(pr.flow.mask > 2 * PAIRS - 2 && pr.flow.mask < 8 * PAIRS);
    uint32_t found = 0;
    for (size_t i = 0; i <= pr.flow.mask; i++) {
        const cop_flow_probe *f = &pr.flow.v[i];
        if (f->key == 0)
            continue;
        uint32_t src = (uint32_t)((f->key - 1) >> 32), dst = (uint32_t)(f->key - 1);
        uint32_t k = dst * 61 + src;
        assert_true(src < 61 && k < PAIRS);
        assert_int_equal(f->packets, 2 + k % 2);
        assert_int_equal(f->bytes, 100 + k + 4); /* the caller passes the bytes to be counted */
        assert_int_equal(f->misordered, 2);
        assert_int_equal(f->last_seq, 12);
        found++;
    }
    assert_int_equal(found, PAIRS);
    cop_probe_fini(&pr);
}

/* -- requests -- */

/* Requests of one output and lane from several queues of an input: first come, first in the circle. */
static void requests_stand_in_line(void **state)
{
    (void)state;
    static const char *const set[] = {"queueing={kind: dbbm, queues: 12}"};
    net_lab *w = lab_build("run: {duration: 1 us}\n"
                           "topology: {kind: single, hosts: 4}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n",
                           set, 1);
    cop_net *net = &w->net;
    cop_rng rng = cop_rng_make(3, COP_RNG_LINK, 0);
    uint32_t line[12], n = 0, first = net->in[2].queue0;
    for (int k = 0; k < 3000; k++) {
        uint32_t q = draw(&rng, 12), i = 0;
        while (i < n && line[i] != q)
            i++;
        if (i == n) {
            cop_node_add(net, first + q, 1, 0);
            line[n++] = q;
        } else {
            cop_node_remove(net, first + q);
            memmove(line + i, line + i + 1, (n-- - i - 1) * sizeof(*line));
        }
        cop_node_remove(net, net->in[0].queue0); /* is in no list: nothing happens */
        uint32_t last = net->slot[cop_slot_of(net, 1, 0, 2)];
        assert_int_equal(cop_request_mask(net, 1, 0)[0], n > 0 ? 1u << 2 : 0);
        assert_int_equal(net->out[1].vl_ready, n > 0);
        assert_int_equal(last == COP_NONE, n == 0);
        for (uint32_t at = last, m = 0; m < n; m++) {
            assert_int_equal(net->node[net->node[at].next].prev, at);
            at = net->node[at].next;
            assert_int_equal(at, first + line[m]);
            assert_int_equal(net->node[at].port, 1);
        }
    }
    /* Another input's request is its own. */
    while (n > 0)
        cop_node_remove(net, first + line[--n]);
    cop_node_add(net, first, 1, 0);
    cop_node_add(net, net->in[3].queue0, 1, 0);
    cop_node_remove(net, first);
    assert_int_equal(cop_request_mask(net, 1, 0)[0], 1u << 3);
    assert_int_equal(net->out[1].vl_ready, 1);
    cop_node_remove(net, net->in[3].queue0);
    assert_int_equal(net->out[1].vl_ready, 0);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_keep_the_order),   cmocka_unit_test(throttled_flows_come_in_time),
        cmocka_unit_test(sleeping_flows),         cmocka_unit_test(messages_of_a_flow),
        cmocka_unit_test(flows_have_places),      cmocka_unit_test(pairs_are_counted),
        cmocka_unit_test(requests_stand_in_line),
    };
    return cmocka_run_group_tests_name("net_lists", tests, NULL, NULL);
}
