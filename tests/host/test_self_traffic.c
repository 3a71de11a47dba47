/* Uniform traffic that may go to its sender: such a packet goes to the first switch and back, on every
 * topology, routing and switch, and takes as long as one to a neighbour on that switch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scenario.h"

/* Two hosts, one switch: a packet in an idle network has the same way to either of them. */
static void test_time_of_the_way(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 10 ms, flows: yes}\n"
            "topology: {kind: single, hosts: 2}\n"
            "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
            "switch: {pipeline: 100 ns, header: 64 B}\n"
            "nic: {mtu: 2 KiB}\n"
            "traffic: [{from: [0], pattern: uniform, self: yes, arrival: constant, load: 1 %,"
            " message: 2 KiB}]\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.n_flows, 2);
    assert_true(r.flow[0].dst == 0 && r.flow[1].dst == 1);
    assert_true(r.flow[0].packets > 20 && r.flow[1].packets > 20);
    uint64_t way = 20 * COP_NS + 51200 + 100 * COP_NS + 20 * COP_NS + 1638400;
    assert_int_equal(r.latency->min, way);
    assert_int_equal(r.latency->max, way);
    assert_int_equal(r.packet_hops, 2 * r.packets_delivered);
    cop_result_free(&r);
}

/* Every host gets its share of its own packets, and all arrive. */
static void test_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing;
        uint32_t hosts;
    } networks[] = {{"chain, hosts: [1, 0, 2]", "updn", 3},
                    {"full, switches: 4, hosts: 1", "minhop", 4},
                    {"kary-ntree, k: 2, n: 2", "dmodk", 4},
                    {"kary-ntree, k: 2, n: 2", "adaptive-tree", 4},
                    {"torus, radix: [4]", "dor", 4},
                    {"torus, radix: [3, 3]", "adaptive-cube", 9},
                    {"mesh, radix: [2, 3]", "dor", 6},
                    {"dragonfly, p: 1, a: 2, h: 1", "dragonfly-min", 6},
                    {"dragonfly, p: 1, a: 2, h: 1", "dragonfly-valiant", 6},
                    {"omega, radix: 2, stages: 2", "destination-tag", 4},
                    {"butterfly, radix: 2, stages: 2", "destination-tag", 4}};
    static const char *const machines[] = {"architecture: ib", "architecture: iq",
                                           "architecture: cioq"};
    static const char *const queueings[] = {"1q", "voqsw", "hfdi", "fbicm"};
    for (size_t i = 0; i < COP_LEN(networks); i++)
        for (size_t k = 0; k < COP_LEN(machines) * COP_LEN(queueings); k++) {
            char yaml[1024];
            cop_result r;
            cop_err err = {0};
            const char *queueing = queueings[k / COP_LEN(machines)];
            scn_text(yaml, sizeof(yaml),
                     "run: {duration: 2 ms, flows: yes}\n"
                     "topology: {kind: %s}\nrouting: {kind: %s}\n"
                     "switch: {%s, buffer: 8 KiB}\nqueueing: {kind: %s}\nnic: {ack: message}\n"
                     "traffic: [{pattern: uniform, self: yes, message: 1 KiB, messages: 200}]\n",
                     networks[i].topology, networks[i].routing, machines[k % COP_LEN(machines)],
                     queueing);
            int rc = scn_run(yaml, NULL, 0, &r, &err);
            if (rc != 0 && strstr(err.text, "adaptive") != NULL)
                continue; /* isolation needs tables */
            if (rc != 0 || r.outcome != COP_OUTCOME_OK)
                fail_msg("%s%s", yaml, rc != 0 ? err.text : r.detail);
            assert_int_equal(r.packets_in_flight, 0);
            uint64_t own = 0, all = 0;
            for (uint32_t f = 0; f < r.n_flows; f++) {
                own += r.flow[f].src == r.flow[f].dst ? r.flow[f].packets : 0;
                all += r.flow[f].packets;
            }
            double share = (double)own / (double)all;
            if (share < 0.75 / networks[i].hosts || share > 1.35 / networks[i].hosts)
                fail_msg("%s: %g of %" PRIu64 " packets go to their sender", yaml, share, all);
            cop_result_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_of_the_way),
                                       cmocka_unit_test(test_everywhere)};
    return cmocka_run_group_tests_name("self_traffic", tests, NULL, NULL);
}
