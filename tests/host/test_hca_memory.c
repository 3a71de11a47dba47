/* End nodes of kind `hca`: generation queues that do not fit into the machine are refused before the run. */
#include "net_fixture.h"

#include "host/hca.h"

#include <string.h>

/* Terabytes are refused, on any machine; who cannot fill the queues is not. */
static void test_saturated_streams_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const char yaml[] = "run: {duration: 1 ns}\ntopology: {kind: single, hosts: 64}\n"
                               "host: {kind: hca, generation: 1000000}\n"
                               "traffic: [{pattern: uniform}]\n";
    static const struct {
        const char *set[2];
        bool fits;
    } cases[] = {
        {{"topology.hosts=512", "traffic.0.pattern=uniform"}, false},
        {{"host.generation=1000", "traffic.0.pattern=random-permutation"}, true},
        {{"topology.hosts=512", "traffic.0={arrival: poisson, load: 90 %}"}, true},
        {{"topology.hosts=512", "host.generation=4"}, true},
        {{"topology.hosts=512", "traffic.0={messages: 100}"}, true},
        {{"topology.hosts=512", "host={kind: simple}"}, true},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++) {
        cop_err err = {0};
        cop_result r;
        int rc = scn_run(yaml, cases[i].set, 2, &r, &err);
        assert_int_equal(rc, cases[i].fits ? 0 : -COP_E_INPUT);
        if (rc == 0) {
            cop_result_free(&r);
            continue;
        }
        assert_non_null(strstr(err.text, "test.yaml:3:7: saturated streams fill the generation"));
        assert_non_null(strstr(err.text, "lower host.generation"));
    }
}

/* Counting ahead draws from the streams and puts them back: nothing that is sent depends on it. */
static void test_counting_ahead_leaves_the_streams_alone(void **state)
{
    (void)state;
    static const char yaml[] =
        "topology: {kind: single, hosts: 16}\n"
        "host: {kind: hca, generation: 3}\n"
        "traffic:\n"
        "  - {from: [0-7], pattern: list, to_list: [1, 5, 9], to_order: random}\n"
        "  - {from: [0-3], size_distribution: uniform, messages: 20}\n"
        "  - {from: [8-15], pattern: hotspot, to: 2, active: [1 us, 2 us, 4 us]}\n";
    net_lab *w = lab_build(yaml, NULL, 0);
    cop_traffic *tr = w->net.traffic;
    cop_err err = {0};
    size_t bytes = tr->n_streams * sizeof(cop_stream);
    cop_stream *before = cop_alloc(bytes);
    memcpy(before, tr->stream, bytes);
    assert_int_equal(cop_hca_check(w->net.host_cfg, &w->net, &err), 0);
    assert_memory_equal(before, tr->stream, bytes);
    cop_free(before);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturated_streams_that_do_not_fit_are_refused),
        cmocka_unit_test(test_counting_ahead_leaves_the_streams_alone),
    };
    return cmocka_run_group_tests_name("hca_memory", tests, NULL, NULL);
}
