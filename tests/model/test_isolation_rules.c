/* Isolation: what single rules of Papers V and VI do to a network, and the options where their words can
 * be read in two ways. What the schemes achieve: test_isolation.c. */
#include "isolation_fixture.h"

/* Paper VI, 3.1.2: stop and go are between special queues. The queue of the root's output stops nobody,
 * so it takes the whole buffer of the way that it shares with the victim, whatever waits in special
 * queues upstream: both get one packet in turn. */
static void test_root_takes_the_buffer(void **state)
{
    (void)state;
    static const char *const sets[][2] = {{"queueing.kind=hfdi", "queueing.root_stop=no"},
                                          {"queueing.kind=hfdi", "queueing.root_stop=yes"}};
    for (size_t i = 0; i < COP_LEN(sets); i++) {
        cop_result r;
        run_ok(two_switches, sets[i], 2, &r);
        near(scn_gbps(&r, "victim"), i ? 10.0 : 10.0 / 3, 0.02);
        near(scn_gbps(&r, "hot"), 10.0, 0.01);
        assert_true(scalar(&r, "isolation.moved") > 0);
        assert_true((scalar(&r, "isolation.sent_stop") > 100) == (i == 1));
        cop_result_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_takes_the_buffer),
    };
    return cmocka_run_group_tests_name("isolation rules", tests, NULL, NULL);
}
