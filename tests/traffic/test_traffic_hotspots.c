/* Hotspots of a forest: when they move, and how often they may; and how shares are drawn. */
#include "traffic_fixture.h"

#include "traffic/traffic_priv.h"

/* Hotspots move at the start of the entry plus whole lifetimes, to the picosecond; before and after it
 * there are none. */
static void when_they_move(void **state)
{
    (void)state;
    static const struct {
        cop_time t;
        uint32_t slot;
    } all[] = {{0, 4},          {5 * COP_MS - 1, 4}, {5 * COP_MS, 0}, {6 * COP_MS - 1, 0},
               {6 * COP_MS, 1}, {7 * COP_MS - 1, 1}, {7 * COP_MS, 2}, {8 * COP_MS - 1, 2},
               {8 * COP_MS, 3}, {9 * COP_MS - 1, 3}, {9 * COP_MS, 4}, {90 * COP_MS, 4}};
    rig r;
    uint32_t slot[4][4], hot[4];
    rig_init(&r, 500, 10 * GBIT);
    r.ctx.duration_ps = 9 * COP_MS;
    rig_entry(&r, "pattern=forest; hotspots=4; lifetime=1 ms; start=5 ms");
    rig_build(&r);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(cop_traffic_hotspots(&r.tr, (5 + i) * COP_MS, slot[i]), 4);
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(slot[i], slot[k], sizeof(hot));
    }
    for (size_t i = 0; i < COP_LEN(all); i++) {
        assert_int_equal(cop_traffic_hotspots(&r.tr, all[i].t, hot), all[i].slot < 4 ? 4 : 0);
        if (all[i].slot < 4)
            assert_memory_equal(hot, slot[all[i].slot], sizeof(hot));
    }
    rig_free(&r);
}

/* The table of hotspots has 2^22 places; the message tells how many moves that makes. */
static void too_many_moves(void **state)
{
    (void)state;
    static const struct {
        cop_time duration;
        const char *why;
    } all[] = {{1048576 * COP_US, NULL},
               {1048576 * COP_US + 1,
                "hotspots move 1048576 times in the run; choose a `lifetime` with at most 1048575 "
                "moves"},
               {2000000 * COP_US,
                "hotspots move 1999999 times in the run; choose a `lifetime` with at most 1048575 "
                "moves"}};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        rig r;
        rig_init(&r, 8, 10 * GBIT);
        r.ctx.duration_ps = all[i].duration;
        rig_entry(&r, "pattern=forest; hotspots=4; lifetime=1 us; v_share=100 %");
        assert_int_equal(rig_try(&r), all[i].why ? -COP_E_INPUT : 0);
        if (all[i].why && strstr(r.err.text, all[i].why) == NULL)
            fail_msg("not `%s`: %s", all[i].why, r.err.text);
        if (all[i].why == NULL)
            cop_traffic_free(&r.tr);
        cop_arena_free(&r.arena);
    }
}

/* A share of 1 is always met, of 0 never, whatever is drawn. */
static void shares(void **state)
{
    (void)state;
    static const struct {
        double share;
        uint64_t drawn;
        bool hit;
    } all[] = {{1.0, 0, true},
               {1.0, UINT64_MAX, true},
               {0.0, 0, false},
               {0.0, UINT64_MAX, false},
               {0.5, ((uint64_t)1 << 63) - 1, true},
               {0.5, (uint64_t)1 << 63, false},
               {0.25, ((uint64_t)1 << 62) - 1, true},
               {0.25, (uint64_t)1 << 62, false}};
    for (size_t i = 0; i < COP_LEN(all); i++)
        assert_int_equal(traffic_share_hit(traffic_share_bits(all[i].share), all[i].drawn),
                         all[i].hit);
    assert_int_equal(traffic_share_of(0.5, 3), 2); /* to the nearest */
    assert_int_equal(traffic_share_of(0.49, 3), 1);
    assert_int_equal(traffic_share_of(1.0, 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(when_they_move),
                                       cmocka_unit_test(too_many_moves), cmocka_unit_test(shares)};
    return cmocka_run_group_tests_name("traffic_hotspots", tests, NULL, NULL);
}
