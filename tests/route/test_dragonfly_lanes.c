/* Lanes of the dragonfly routings that choose: how many, what of them notifications need, and the four classes of the
 * paper. Every dragonfly up to h = 4 is in test_dragonfly_cycles.c; here a few, the largest by a sample. */
#include "route_fixture.h"

#include "base/opt.h"
#include "topo/topo_cfg.h"

static void check_cycles(const cop_dragonfly_cfg *size, uint64_t budget)
{
    cop_topo t;
    build(&t, "dragonfly", size);
    const cop_route_ops *ops;
    for (uint32_t i = 0; (ops = nth_choosing(i)) != NULL; i++)
        for (int k = 0; k < 6; k++) {
            cop_arena arena = {0};
            void *cfg = cop_arena_alloc(&arena, ops->cfg_size);
            cop_opt_defaults(ops->opts, cfg, &arena);
            cop_err err = {0};
            cop_where at = {0};
            static const char *const vias[] = {"other", "any-but-source", "own-port"};
            cop_opt_parse(cop_opt_find(ops->opts, "via"), cfg, vias[k % 3], &arena, &at, &err);
            cop_opt_parse(cop_opt_find(ops->opts, "progressive"), cfg, k < 3 ? "no" : "yes", &arena,
                          &at, &err);
            cop_route r;
            cop_cdg_result cdg;
            start(&r, ops->name, &t, cfg, 0);
            assert_int_equal(r.facts.vls, k < 3 ? 3 : 4);
            assert_int_equal(r.facts.control_vls, 2);
            cop_cdg_check(&r, NULL, budget, &cdg);
            if (!cdg.acyclic || cdg.unreachable)
                fail_msg("%s on dragonfly %u %u %u: a cycle, or no way", ops->name,
                         (unsigned)size->p, (unsigned)size->a, (unsigned)size->h);
            cop_cdg_free(&cdg);
            cop_route_fini(&r);
            cop_arena_free(&arena);
        }
    cop_topo_free(&t);
}

static void test_no_cycle(void **state)
{
    (void)state;
    const cop_dragonfly_cfg small[] = {{1, 2, 1, 0}, {2, 4, 2, 0}, {2, 4, 2, 5},
                                       {1, 4, 2, 2}, {3, 4, 1, 1}, {1, 3, 2, 4}};
    for (size_t i = 0; i < COP_LEN(small); i++)
        check_cycles(&small[i], 0);
    check_cycles(&(cop_dragonfly_cfg){3, 6, 3, 0}, 200000);
    check_cycles(&(cop_dragonfly_cfg){4, 8, 4, 0}, 200000);
}

/* Follow a packet from switch `sw` and check that (lane, global after local) rises with every hop between switches, which
 * leaves no cycle among all packets that obey it; control packets' lanes begin at `base`. */
static uint32_t climb(const cop_route *r, uint32_t sw, uint16_t in, uint32_t dst, uint32_t mid,
                      bool control, uint32_t base)
{
    const cop_topo *t = r->topo;
    cop_hop hop = {
        .in_port = in, .dst = dst, .mid = mid, .control = control, .apart = control && base > 0};
    uint32_t rank = 0, lanes = 0;
    for (uint32_t hops = 0;; hops++) {
        cop_cand c;
        assert_true(hops < 8);
        hop.sw = sw;
        assert_int_equal(r->ops->route(r, &hop, NULL, &c), 1);
        uint32_t port = cop_topo_switch_port(t, sw, c.port), to = t->port[port].to;
        if (cop_topo_is_host_port(t, to))
            return lanes;
        uint32_t vl = c.vl + base,
                 next = 1 + 2 * vl + (t->port[port].link_class == COP_LINK_GLOBAL);
        assert_true(next > rank);
        rank = next;
        lanes = vl + 1 > lanes ? vl + 1 : lanes;
        sw = t->port[to].owner;
        hop.in_port = t->port[to].local;
        hop.in_vl = c.vl;
    }
}

/* Table I of Benito et al.: four classes in all. Notifications begin on the third one, on which data make their last hop
 * only: together they have no cycle. */
static void test_four_classes(void **state)
{
    (void)state;
    const cop_dragonfly_cfg sizes[] = {{2, 4, 2, 0}, {3, 6, 3, 0}, {2, 4, 2, 5}};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        cop_topo t;
        cop_route r;
        uint32_t data = 0, told = 0, mid;
        build(&t, "dragonfly", &sizes[i]);
        start(&r, "qcn-switch", &t, NULL, 0);
        uint32_t p = t.shape.u.dragonfly.p;
        for (uint32_t dst = 0; dst < t.n_hosts; dst++) {
            for (uint32_t src = 0; src < t.n_hosts; src += 5)
                for (uint32_t k = 0; r.ops->mid(&r, src, dst, k, &mid); k++) {
                    uint32_t n = climb(&r, src / p, (uint16_t)(src % p), dst, mid, false, 0);
                    data = n > data ? n : data;
                }
            for (uint32_t sw = 0; sw < t.n_switches; sw++) {
                uint32_t n = climb(&r, sw, COP_PORT_NONE, dst, COP_NONE, true, 2);
                told = n > told ? n : told;
            }
        }
        assert_int_equal(data, 3);
        assert_int_equal(told, 4);
        cop_route_fini(&r);
        cop_topo_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_cycle),
        cmocka_unit_test(test_four_classes),
    };
    return cmocka_run_group_tests_name("dragonfly_lanes", tests, NULL, NULL);
}
