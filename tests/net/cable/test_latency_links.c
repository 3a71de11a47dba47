/* End-to-end latency of lone messages, to the picosecond, over links of different rates and lengths,
 * against the formula of latency_fixture.h. Rows gran0-22 and qcn-70 of the claims. */
#include "latency_fixture.h"

/* Slow and fast links in every order, end nodes slower than their links, long messages. */
static void rate_mixes(void **state)
{
    (void)state;
    static const struct {
        uint64_t host, trunk, global, inject, receive;
    } mix[] = {
        {10, 40, 10, 0, 0},  {40, 10, 40, 0, 0},   {10, 25, 100, 0, 0}, {100, 25, 10, 0, 0},
        {10, 100, 25, 0, 0}, {16, 32, 32, 13, 13}, {16, 32, 32, 0, 5},  {16, 32, 32, 13, 0},
        {40, 10, 40, 25, 4}, {14, 56, 13, 0, 0},   {400, 1, 400, 0, 0}, {1, 400, 1, 0, 0},
    };
    static const route path[] = {
        {"topology: {kind: chain, hosts: [1, 0, 1]}", 0, 1, "htth"},
        {"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 64, "htgth"},
        {"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 1, 2,
         "htgtgth"},
    };
    static const uint64_t sizes[] = {1, 63, 64, 700, 2048, 2049, 7 * 2048 + 33};
    for (size_t x = 0; x < COP_LEN(mix); x++)
        for (size_t i = 0; i < COP_LEN(path); i++)
            for (int saf = 0; saf < 2; saf++)
                for (size_t a = 0; a < COP_LEN(architectures); a++)
                    for (size_t s = 0; s < COP_LEN(sizes); s++) {
                        machine m = usual;
                        m.host_gbps = mix[x].host;
                        m.trunk_gbps = mix[x].trunk;
                        m.global_gbps = mix[x].global;
                        m.inject_gbps = mix[x].inject;
                        m.receive_gbps = mix[x].receive;
                        m.saf = saf;
                        m.architecture = architectures[a];
                        m.queueing = (x + s) % 2 ? "1q" : "voqsw";
                        check(&m, path[i].network, path[i].from, path[i].to, path[i].path,
                              sizes[s]);
                    }
}

/* Bytes that a packet carries besides payload take time on every link. */
static void overhead_counts_on_the_wire(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 1 ms}\n"
            "topology: {kind: single, hosts: 2}\n"
            "link: {rate: 8 Gbit/s, delay: 10 ns}\n"
            "switch: {pipeline: 50 ns, header: 16 B}\n"
            "nic: {mtu: 1000 B, overhead: 26 B}\n"
            "traffic:\n"
            "  - {from: [0], pattern: fixed, to: 1, message: 2000 B, messages: 1}\n",
            NULL, 0, &r, NULL);
    /* 1 ns per byte: two packets of 1026 bytes, the second right behind the first. */
    assert_int_equal(r.latency->min, (10 + 16 + 50 + 10 + 1026) * COP_NS);
    assert_int_equal(r.latency->max, (10 + 16 + 50 + 10 + 2 * 1026) * COP_NS);
    assert_int_equal(r.bytes_delivered, 2 * 1026);
    assert_int_equal(r.stream[0].delivered_bytes, 2000);
    cop_result_free(&r);
}

static uint64_t measured(const machine *m, const char *network, uint32_t to)
{
    cop_result r;
    run_message(m, network, 0, to, m->mtu, &r);
    uint64_t latency = r.latency->max;
    assert_int_equal(r.latency->count, 1);
    cop_result_free(&r);
    return latency;
}

/* gran0-22: one more hop costs a packet time with store-and-forward, a header time with
 * cut-through, each with one link delay and one pipeline. Exact, the row allows a cycle per hop. */
static void one_more_hop(void **state)
{
    (void)state;
    for (int saf = 0; saf < 2; saf++) {
        machine m = usual;
        m.saf = saf;
        char network[64] = "topology: {kind: chain, hosts: [1, 1]}";
        uint64_t before = measured(&m, network, 1);
        for (int hops = 3; hops < 8; hops++) {
            char zeros[32] = "";
            for (int i = 2; i < hops; i++)
                strcat(zeros, "0, ");
            scn_text(network, sizeof(network), "topology: {kind: chain, hosts: [1, %s1]}", zeros);
            uint64_t now = measured(&m, network, 1);
            uint64_t bytes_time = (saf ? 1024 : 32) * COP_NS;
            assert_int_equal(now - before, bytes_time + 40 * COP_NS + 100 * COP_NS);
            before = now;
        }
    }
}

/* qcn-70: longest paths in the paper's machine, host links taken out. The paper's sum has no header
 * time; the row allows 5 %, the sum is met exactly. */
static void dragonfly_longest_paths(void **state)
{
    (void)state;
    static const struct {
        route r;
        uint64_t ns;
    } want[] = {
        {{"topology: {kind: dragonfly, p: 2, a: 4, h: 2}", 7, 64, "htgth"}, 1480},
        {{"topology: {kind: dragonfly, p: 6, a: 12, h: 6, groups: 13}", 71, 864, "htgth"}, 1480},
        {{"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 0, 2,
          "hgtgth"},
         2080},
        {{"topology: {kind: dragonfly, p: 1, a: 2, h: 1}\nrouting: {kind: dragonfly-valiant}", 1, 2,
          "htgtgth"},
         2320},
    };
    for (size_t a = 0; a < COP_LEN(architectures); a++)
        for (size_t i = 0; i < COP_LEN(want); i++) {
            machine m = usual;
            m.host_gbps = m.trunk_gbps = m.global_gbps = 40;
            m.host_ns = 7;
            m.pipeline_ns = 200;
            m.header = 0;
            m.mtu = 1000;
            m.architecture = architectures[a];
            const route *p = &want[i].r;
            cop_result r;
            run_message(&m, p->network, p->from, p->to, 1000, &r);
            assert_int_equal(r.latency->max, (want[i].ns + 2 * 7) * COP_NS);
            cop_result_free(&r);
            check(&m, p->network, p->from, p->to, p->path, 1000);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rate_mixes),
        cmocka_unit_test(overhead_counts_on_the_wire),
        cmocka_unit_test(one_more_hop),
        cmocka_unit_test(dragonfly_longest_paths),
    };
    return cmocka_run_group_tests_name("latency_links", tests, NULL, NULL);
}
