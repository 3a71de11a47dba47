/* End-to-end latency of lone messages, to the picosecond, in every network and through every switch,
 * against the formula of latency_fixture.h. */
#include "latency_fixture.h"

/* The formula itself, on numbers small enough for a pencil. */
static void formula_by_hand(void **state)
{
    (void)state;
    machine m = usual; /* 2048 bytes take 1024 ns, the header takes 32 ns */
    assert_int_equal(formula(&m, "hh", 2048).last, (15 + 32 + 100 + 15 + 1024) * 1000);
    m.saf = true;
    assert_int_equal(formula(&m, "hh", 2048).last, (15 + 1024 + 100 + 15 + 1024) * 1000);
    assert_int_equal(formula(&m, "hh", 2049).last, (15 + 2 * 1024 + 100 + 15) * 1000 + 500);
    m.saf = false;
    m.trunk_gbps = 32; /* fast link: starts 512 ns before the tail is in */
    assert_int_equal(formula(&m, "hth", 2048).first, (15 + 512 + 40 + 16 + 100 + 15 + 1024) * 1000);
}

/* Where a path is not obvious, the comment says why it has that length. */
static const route routes[] = {
    {"topology: {kind: single, hosts: 4}", 0, 3, "hh"},
    {"topology: {kind: chain, hosts: [1, 0, 0, 1]}", 0, 1, "httth"},
    {"topology: {kind: chain, hosts: [2, 1]}", 1, 2, "hth"},
    {"topology: {kind: kary-ntree, k: 4, n: 3}", 0, 3, "hh"},
    {"topology: {kind: kary-ntree, k: 4, n: 3}", 0, 4, "htth"},
    {"topology: {kind: kary-ntree, k: 4, n: 3}", 0, 63, "htttth"},
    {"topology: {kind: fat-tree, ports: 8}", 5, 31, "htth"},
    {"topology: {kind: fat-tree, ports: 4, levels: 3}", 0, 15, "htttth"},
    {"topology: {kind: xgft, children: [3, 2, 2], parents: [1, 2, 3]}", 0, 11, "htttth"},
    {"topology: {kind: torus, radix: [4, 4]}", 0, 10, "htttth"}, /* two steps in each dimension */
    {"topology: {kind: torus, radix: [4, 4]}", 0, 15, "htth"}, /* once round the edge in each */
    {"topology: {kind: torus, radix: [5, 3], hosts: 2}", 1, 4, "htth"},
    {"topology: {kind: mesh, radix: [4, 4]}", 0, 15, "htttttth"}, /* gran0-7: five in between */
    {"topology: {kind: hypercube, dims: 4}", 0, 15, "htttth"}, /* gran0-7: three in between */
    {"topology: {kind: full, switches: 5, hosts: 2}", 0, 9, "hth"},
    {"topology: {kind: full, switches: 5, hosts: 2}", 8, 9, "hh"},
    {"topology: {kind: omega, radix: 2, stages: 3}", 3, 6, "htth"},
    {"topology: {kind: omega, radix: 4, stages: 2}", 15, 0, "hth"},
    {"topology: {kind: butterfly, radix: 2, stages: 4}", 3, 12, "httth"},
    {"topology: {kind: file, path: examples/fabric16.net}", 0, 3, "hh"},
    {"topology: {kind: file, path: examples/fabric16.net}", 0, 15, "htth"},
    {"topology: {kind: file, path: examples/fabric16.net}\nrouting: {kind: minhop}", 3, 8, "htth"},
    /* Group 0 reaches group 8 from its first switch and is entered by the last one (offset 1). */
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 1, "hh"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 6, "hth"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 71, "hgh"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 0, 64, "hgth"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 71, "htgh"},
    {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 64, "htgth"},
    /* Three groups leave one to go round by. Switch 0 of a group leads to the group below, switch 1
     * to the one above; both ends of a cable sit on different switches. So 0 -> 2 -> 1 needs a
     * local hop in the middle, whichever switch of group 2 is the intermediate one. */
    {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 1, 2,
     "htgtgth"},
    {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant, to: group}",
     0, 2, "hgtgth"},
    {"topology: {kind: dragonfly, p: 1, a: 1, h: 2}\nrouting: {kind: dragonfly-valiant}", 0, 2,
     "hggh"},
    {"topology: {kind: dragonfly, p: 2, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 0, 3,
     "hth"}, /* inside a group: minimal */
};

/* Every network, both switching modes, all architectures, from 1 byte to several packets. */
static void every_network(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 64, 65, 2048, 3 * 2048 + 100};
    for (size_t i = 0; i < COP_LEN(routes); i++)
        for (int saf = 0; saf < 2; saf++)
            for (size_t a = 0; a < COP_LEN(architectures); a++)
                for (size_t s = 0; s < COP_LEN(sizes); s++) {
                    machine m = usual;
                    m.saf = saf;
                    m.architecture = architectures[a];
                    m.queueing = s % 2 ? "1q" : "voqsw";
                    const route *p = &routes[i];
                    check(&m, p->network, p->from, p->to, p->path, sizes[s]);
                }
}

/* Adaptive routing spreads the packets of a message, so only a lone packet has a closed form. */
static void adaptive_paths(void **state)
{
    (void)state;
    static const route path[] = {
        {"topology: {kind: fat-tree, ports: 8}\nrouting: {kind: adaptive-tree}", 5, 31, "htth"},
        {"topology: {kind: kary-ntree, k: 3, n: 3}\nrouting: {kind: adaptive-tree}", 0, 26,
         "htttth"},
        {"topology: {kind: torus, radix: [4, 4]}\nrouting: {kind: adaptive-cube}", 0, 5, "htth"},
    };
    for (size_t i = 0; i < COP_LEN(path); i++)
        for (int saf = 0; saf < 2; saf++)
            for (uint64_t bytes = 1; bytes <= 2048; bytes += 2047) {
                machine m = usual;
                m.saf = saf;
                check(&m, path[i].network, path[i].from, path[i].to, path[i].path, bytes);
            }
}

/* How buffers are organised and protected costs a lone message nothing. */
static void queueing_and_flow_control(void **state)
{
    (void)state;
    static const char *const queueings[] = {"1q", "voqsw", "voqnet", "dbbm", "vftree"};
    static const char *const controls[] = {"credit", "ib", "on-off", "ack-nack"};
    for (size_t q = 0; q < COP_LEN(queueings); q++)
        for (size_t f = 0; f < COP_LEN(controls); f++) {
            machine m = usual;
            m.queueing = queueings[q];
            m.flow_control = controls[f];
            m.trunk_gbps = 40;
            check(&m, "topology: {kind: kary-ntree, k: 2, n: 3}", 0, 7, "htttth", 9000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula_by_hand),
        cmocka_unit_test(every_network),
        cmocka_unit_test(adaptive_paths),
        cmocka_unit_test(queueing_and_flow_control),
    };
    return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
