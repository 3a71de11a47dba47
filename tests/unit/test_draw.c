/* Random scenarios are the same on all machines: the texts of many, as one number. Compilers
 * evaluate the arguments of a call in different orders, so two draws in one expression would show
 * here with another compiler or machine (tools/golden.sh builds it with several;
 * tools/check_order.py reads the code). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/mem.h"
#include "draw.h"
#include "exp/plugin.h"
#include "exp/plugins.h"
#include "scenario.h"

#define SCENARIOS 2000u
/* After a change of the draws, or of the lists they draw from, this is another number. */
#define EXPECTED UINT64_C(0x4deb2df943835b3f)

static uint64_t hash_of(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return h;
}

static void test_texts(void **state)
{
    (void)state;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    draw *d = cop_alloc(sizeof(*d));
    for (uint32_t i = 0; i < SCENARIOS; i++) {
        draw_scenario(d, i);
        h = hash_of(h, d->text);
    }
    if (h != EXPECTED)
        fail_msg("the first %u scenarios have hash 0x%016" PRIx64
                 "; if what is drawn was changed on purpose, write it at EXPECTED",
                 SCENARIOS, h);
    cop_free(d);
}

/* A scenario follows from its number alone, whatever was drawn before. */
static void test_order_of_numbers(void **state)
{
    (void)state;
    draw *d = cop_alloc(sizeof(*d)), *e = cop_alloc(sizeof(*e));
    for (uint32_t i = 0; i < 50; i++) {
        draw_scenario(d, i);
        draw_scenario(e, i + 1);
        assert_string_not_equal(d->text, e->text);
        draw_scenario(e, i);
        assert_string_equal(d->text, e->text);
    }
    cop_free(d);
    cop_free(e);
}

/* -- a topology that nothing here knows -- */

typedef struct wheel_cfg {
    int64_t spokes, axle;
    cop_ints hosts;
    int rim;
} wheel_cfg;

static const char *const rim_names[] = {"closed", "open", NULL};

static const cop_opt wheel_opts[] = {
    {"spokes", COP_OPT_INT, offsetof(wheel_cfg, spokes), NULL, 3, 64, NULL, "switches on the rim"},
    {"hosts", COP_OPT_INTS, offsetof(wheel_cfg, hosts), NULL, 1, 8, NULL,
     "of the switches on the rim in turn; a list that is not longer than `spokes`"},
    {"axle", COP_OPT_INT, offsetof(wheel_cfg, axle), "0", 0, 8, NULL, "hosts in the middle"},
    {"rim", COP_OPT_ENUM, offsetof(wheel_cfg, rim), "closed", 0, 0, rim_names, "a ring, or a row"},
    {0}};

/* Switch 0 is the middle: its hosts, then the spokes. The others: to the middle, next, previous, hosts. */
static int wheel_build(cop_topo *t, const void *config, cop_err *err)
{
    const wheel_cfg *cfg = config;
    uint32_t n = (uint32_t)cfg->spokes, axle = (uint32_t)cfg->axle, hosts = axle, h = 0;
    uint32_t ports[65] = {axle + n};
    if (n % 2 == 0)
        return cop_err_add(err, COP_E_INPUT, "topology wheel: %u spokes; give an odd number", n);
    if (cfg->hosts.n > n)
        return cop_err_add(err, COP_E_INPUT, "topology wheel: %zu items; give at most %u",
                           cfg->hosts.n, n);
    for (uint32_t s = 1; s <= n; s++) {
        uint32_t here = (uint32_t)cfg->hosts.v[s % cfg->hosts.n];
        ports[s] = 3 + here;
        hosts += here;
    }
    t->kind = "wheel";
    cop_topo_begin(t, hosts, n + 1, ports);
    for (; h < axle; h++)
        cop_topo_cable(t, cop_topo_host_port(t, h), cop_topo_switch_port(t, 0, h), COP_LINK_HOST);
    for (uint32_t s = 1; s <= n; s++) {
        for (uint32_t i = 3; i < ports[s]; i++)
            cop_topo_cable(t, cop_topo_host_port(t, h++), cop_topo_switch_port(t, s, i),
                           COP_LINK_HOST);
        cop_topo_cable(t, cop_topo_switch_port(t, s, 0), cop_topo_switch_port(t, 0, axle + s - 1),
                       COP_LINK_TRUNK);
        if (s < n || cfg->rim == 0)
            cop_topo_cable(t, cop_topo_switch_port(t, s, 1), cop_topo_switch_port(t, s % n + 1, 2),
                           COP_LINK_TRUNK);
    }
    return cop_topo_finish(t, err);
}

static const cop_topo_ops wheel = {.name = "wheel",
                                   .summary = "a ring of switches around one",
                                   .source = "this test",
                                   .opts = wheel_opts,
                                   .cfg_size = sizeof(wheel_cfg),
                                   .build = wheel_build};
static const coppice_plugins wheels = {.interface = COP_INTERFACE, COP_TOPOLOGIES(&wheel)};

/* It is drawn as often as others that are in the list, in different shapes, and its scenarios run. */
static void test_new_topology_takes_part(void **state)
{
    (void)state;
    cop_err err = {0};
    cop_plugin_set *set = cop_alloc(sizeof(*set));
    draw *d = cop_alloc(sizeof(*d));
    uint32_t drawn = 0, ran = 0, kinds = 0;
    uint64_t delivered = 0, seen[SCENARIOS];
    assert_int_equal(cop_plugins_add(set, &wheels, &err), 0);
    for (uint32_t i = 0; i < SCENARIOS; i++) {
        draw_scenario_with(d, i, set);
        if (strcmp(d->network, "wheel") != 0)
            continue;
        cop_result r;
        int rc = scn_run_with(set, d->text, NULL, 0, &r, &err);
        assert_true(rc == 0 || rc == -COP_E_INPUT);
        uint64_t h = hash_of(0, d->topology);
        uint32_t k = 0;
        while (k < kinds && seen[k] != h)
            k++;
        seen[k] = h;
        kinds += k == kinds;
        drawn++;
        if (rc != 0)
            continue;
        if (r.outcome != COP_OUTCOME_OK)
            fail_msg("scenario %u: %s\n%s", i, r.detail, d->text);
        ran++;
        delivered += r.packets_delivered;
        cop_result_free(&r);
    }
    print_message("%u of %u scenarios on wheels of %u kinds, %u ran, %" PRIu64 " packets\n", drawn,
                  SCENARIOS, kinds, ran, delivered);
    assert_true(drawn >= SCENARIOS / 100);
    assert_true(kinds >= drawn / 2 && ran >= drawn / 2);
    assert_true(delivered > 100 * (uint64_t)ran);
    cop_plugins_free(set);
    cop_free(set);
    cop_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_order_of_numbers),
                                       cmocka_unit_test(test_new_topology_takes_part)};
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
