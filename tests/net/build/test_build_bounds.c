/* Sizes of a network that are refused just below what is needed, and numbers that would not fit. */
#include "net_fixture.h"

#include "exp/world.h"
#include "net/build/build_check.h"

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
#define SET(...)                                                                                   \
    ((const char *const[]){__VA_ARGS__}),                                                          \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static int try(const char *const *set, size_t n, cop_err *err)
{
    cop_result r;
    int rc = scn_run(CHAIN, set, n, &r, err);
    if (rc == 0)
        cop_result_free(&r);
    return rc;
}

/* A network of more queues than fit is refused before it is routed. */
static void refused_before_it_is_routed(void **state)
{
    (void)state;
    static const char text[] = "topology: {kind: dragonfly, p: 1, a: 40, h: 40}\n"
                               "traffic: [{pattern: uniform}]\n";
    cop_config c;
    cop_err err = {0};
    cop_world *w = cop_alloc(sizeof(*w));
    assert_int_equal(cop_config_load(&c, "large.yaml", text, NULL, 0, &err), 0);
    assert_int_equal(cop_world_build(w, &c, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "queueing voqsw makes 409856000 queues, more than fit"));
    assert_null(w->route.ops);
    cop_world_free(w);
    cop_config_free(&c);
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
         "at least 1088 B for one packet"},
        {{"switch.architecture=ib", "switch.output_buffer=1088 B"},
         "switch.output_buffer=1087 B",
         "at least 1088 B for one packet"},
        {{"switch.lanes=3", "switch.output_shared=yes", "switch.output_buffer=3264 B"},
         "switch.output_buffer=3263 B",
         "at least 3264 B for the reserves of all lanes"},
        {{"switch.output_buffer=20 kB", "switch.output_shared=yes", "switch.output_reserve=1088 B"},
         "switch.output_reserve=1087 B",
         "switch.output_reserve does not hold one packet; set it to at least"},
        {{"switch.lanes=3", "switch.shared_lanes=yes", "switch.buffer=3264 B"},
         "switch.buffer=3263 B",
         "the reserves of all lanes"},
        {{"switch.lanes=2", "switch.shared_lanes=yes", "switch.reserve=1088 B"},
         "switch.reserve=1087 B",
         "switch.reserve does not hold one packet; set it to at least"},
        {{"switch.lanes=3", "nic.control_vl=2"}, "nic.control_vl=3", "lanes are 0 to 2"},
        {{"switch.buffer=4294967295 B"}, "switch.buffer=4 GiB", "an input holds at most"},
        {{"switch.lanes=4", "switch.buffer=1 GB"},
         "switch.buffer=1 GiB",
         "switch.buffer is too large; an input holds at most 1073741823 B for each of its lanes"},
        {{"switch.lanes=4", "switch.shared_lanes=yes", "switch.buffer=4 GB"},
         "switch.buffer=5 GB",
         "an input holds at most"},
        {{"switch.switching=wormhole", "queueing.kind=1q", "switch.buffer=64 MiB"},
         "switch.buffer=67108928 B",
         "keeps a time for each flit: at most 1048576 in a buffer; make it smaller"},
        {{"switch.switching=wormhole", "queueing.kind=1q", "nic.buffer=64 MiB"},
         "nic.buffer=67108928 B",
         "keeps a time for each flit"},
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
                           .route = &w->route,
                           .run = &w->c.run,
                           .sw = &w->c.sw,
                           .fc = &w->c.fc,
                           .nic = &w->c.nic,
                           .queue = &many,
                           .cc = w->c.cc,
                           .host = w->c.host};
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
        cmocka_unit_test(just_enough),
        cmocka_unit_test(refused_before_it_is_routed),
        cmocka_unit_test(numbers_of_queues),
    };
    return cmocka_run_group_tests_name("build_bounds", tests, NULL, NULL);
}
