/* Forests of congestion trees: roles, shares of hot and other traffic, hot spots that move. */
#include "traffic_fixture.h"

static void count_roles(const rig *r, uint32_t count[4])
{
    memset(count, 0, 4 * sizeof(*count));
    for (uint32_t h = 0; h < r->topo.n_hosts; h++)
        count[r->tr.role[h]]++;
}

static void forest_silent(void **state)
{
    (void)state;
    rig r;
    uint32_t count[4], hot[8], members[648] = {0};
    rig_one(&r, 648, 135 * GBIT / 10, "pattern=forest; v_share=20 %; hotspots=8");
    count_roles(&r, count);
    assert_int_equal(count[COP_ROLE_V], 130);
    assert_int_equal(count[COP_ROLE_C], 518);
    assert_int_equal(r.tr.n_hotspots, 8);
    assert_int_equal(cop_traffic_hotspots(&r.tr, 50 * COP_MS, hot), 8);
    uint32_t silent = 0, total = 0;
    for (uint32_t h = 0; h < 648; h++) {
        if (r.tr.host_stream0[h] == r.tr.host_stream0[h + 1]) {
            silent++; /* only a contributor that is its own hotspot */
            assert_int_equal(r.tr.role[h], COP_ROLE_C);
            members[h]++;
            continue;
        }
        const cop_stream *s = first_of(&r, h);
        assert_true(s->saturated);
        if (r.tr.role[h] == COP_ROLE_V) {
            assert_int_equal(s->part, COP_PART_UNIFORM);
            assert_int_equal(s->fixed_dst, COP_NONE);
        } else {
            assert_int_equal(s->part, COP_PART_HOTSPOT);
            members[s->fixed_dst]++;
        }
    }
    assert_int_equal(r.tr.n_streams + silent, 648);
    for (uint32_t k = 0; k < 8; k++) {
        assert_in_range(members[hot[k]], 64, 65);
        total += members[hot[k]];
        for (uint32_t j = 0; j < k; j++)
            assert_int_not_equal(hot[j], hot[k]);
    }
    assert_int_equal(total, 518);

    rig v; /* the reference run has the same places, without contributors */
    uint32_t same[8];
    rig_one(&v, 648, 135 * GBIT / 10, "pattern=forest; v_share=20 %; contribute=no");
    assert_memory_equal(v.tr.role, r.tr.role, 648);
    assert_int_equal(v.tr.n_streams, 130);
    cop_traffic_hotspots(&v.tr, 0, same);
    assert_memory_equal(same, hot, sizeof(hot));
    rig_free(&v);
    rig_free(&r);
}

static void forest_windy(void **state)
{
    (void)state;
    rig r;
    uint32_t count[4];
    rig_one(&r, 648, 135 * GBIT / 10, "pattern=forest; b_share=25 %; v_share=20 %; p=30 %");
    count_roles(&r, count);
    assert_int_equal(count[COP_ROLE_B], 162);
    assert_int_equal(count[COP_ROLE_V], 97); /* 20 % of 486 */
    uint32_t both = 0;
    for (uint32_t h = 0; h < 648; h++) {
        uint32_t s0 = r.tr.host_stream0[h];
        if (r.tr.role[h] != COP_ROLE_B || r.tr.host_stream0[h + 1] - s0 != 2)
            continue;
        both++;
        uint64_t sent[2] = {0, 0};
        cop_time t = 0;
        while (t < 300 * COP_US) {
            uint32_t i = r.tr.stream[s0].t_next <= r.tr.stream[s0 + 1].t_next ? 0 : 1;
            t = r.tr.stream[s0 + i].t_next;
            cop_msg m = take_at(&r, s0 + i, t);
            sent[i] += m.bytes;
            if (i == 0)
                assert_int_equal(m.dst, r.tr.stream[s0].fixed_dst);
            double budget = (double)t * 13.5e9 / 8e12 * (i == 0 ? 0.3 : 0.7);
            assert_true((double)sent[i] <= budget + 4096.0 + 1.0);
            assert_true((double)sent[i] >= budget - 1.0);
        }
        assert_int_equal(r.tr.stream[s0].part, COP_PART_HOTSPOT);
        assert_int_equal(r.tr.stream[s0 + 1].part, COP_PART_UNIFORM);
    }
    assert_true(both >= 162 - 8);
    rig_free(&r);
    rig_one(&r, 64, GBIT, "pattern=forest; b_share=100 %; p=0 %");
    assert_int_equal(r.tr.n_streams, 64);
    assert_int_equal(r.tr.stream[9].part, COP_PART_UNIFORM);
    rig_free(&r);
}

static void forest_moving(void **state)
{
    (void)state;
    enum { N = 40, HOT = 4, SLOTS = 50 };
    rig r;
    uint32_t hot[HOT], before[HOT] = {0};
    rig_init(&r, N, 10 * GBIT);
    r.ctx.duration_ps = SLOTS * COP_MS;
    rig_entry(&r, "pattern=forest; v_share=0 %; hotspots=4; lifetime=1 ms");
    rig_build(&r);
    uint32_t moves = 0, own = 0;
    for (cop_time slot = 0; slot < SLOTS; slot++) {
        cop_time from = slot * COP_MS, last = from + COP_MS - 1;
        assert_int_equal(cop_traffic_hotspots(&r.tr, from, hot), HOT);
        for (uint32_t k = 1; k < HOT; k++) {
            for (uint32_t j = 0; j < k; j++)
                assert_int_not_equal(hot[j], hot[k]);
        }
        moves += memcmp(hot, before, sizeof(hot)) != 0;
        memcpy(before, hot, sizeof(hot));
        cop_traffic_hotspots(&r.tr, last, hot);
        assert_memory_equal(hot, before, sizeof(hot));
        for (uint32_t h = 0; h < N; h++) {
            uint32_t sends = 0;
            for (uint32_t s = r.tr.host_stream0[h]; s < r.tr.host_stream0[h + 1]; s++) {
                if (r.tr.stream[s].t_next > from || r.tr.stream[s].t_stop <= from)
                    continue;
                sends++;
                uint32_t dst = take_at(&r, s, from).dst;
                assert_int_equal(take_at(&r, s, last - 1).dst, dst);
                assert_true(dst == hot[0] || dst == hot[1] || dst == hot[2] || dst == hot[3]);
            }
            own += sends == 0; /* silent while it is its own hotspot */
            if (sends == 0)
                assert_true(h == hot[0] || h == hot[1] || h == hot[2] || h == hot[3]);
            assert_true(sends <= 1);
        }
    }
    assert_int_equal(moves, SLOTS);
    assert_share(own, HOT * SLOTS, 0.25);
    rig_free(&r);

    /* B nodes taken late: the present hotspot counts, and never the sender itself. */
    rig_init(&r, N, 10 * GBIT);
    r.ctx.duration_ps = SLOTS * COP_MS;
    rig_entry(&r, "pattern=forest; b_share=100 %; p=90 %; hotspots=4; lifetime=1 ms");
    rig_build(&r);
    for (uint32_t s = 0; s < r.tr.n_streams; s++) {
        const cop_stream *st = &r.tr.stream[s];
        while (st->t_next != COP_NEVER) {
            uint64_t late = cop_rng_at(3, COP_RNG_TEST, s, st->n_sent) % (3 * COP_MS);
            cop_time now = st->t_next + late;
            cop_msg m = take_at(&r, s, now);
            if (st->part == COP_PART_UNIFORM || now >= r.ctx.duration_ps)
                continue;
            cop_traffic_hotspots(&r.tr, now, hot);
            bool self = hot[0] == st->host || hot[1] == st->host || hot[2] == st->host ||
                        hot[3] == st->host;
            assert_true(self || m.dst == hot[0] || m.dst == hot[1] || m.dst == hot[2] ||
                        m.dst == hot[3]);
        }
    }
    rig_free(&r);
}

/* Hotspots move every 1 ms, contributors send from 10 to 20 and from 30 ms on. In each of these slots a
 * host has one stream, unless it is its own hotspot; outside of them none. */
static void forest_moving_in_windows(void **state)
{
    (void)state;
    enum { N = 20, HOT = 4, SLOTS = 50 };
    rig r;
    uint32_t hot[HOT], own = 0;
    rig_init(&r, N, 10 * GBIT);
    r.ctx.duration_ps = SLOTS * COP_MS;
    rig_entry(&r, "pattern=forest; v_share=0 %; hotspots=4; lifetime=1 ms; active=[10 ms, 20 ms, "
                  "30 ms]");
    rig_build(&r);
    for (cop_time slot = 0; slot < SLOTS; slot++) {
        bool active = (slot >= 10 && slot < 20) || slot >= 30;
        cop_traffic_hotspots(&r.tr, slot * COP_MS, hot);
        for (uint32_t h = 0; h < N; h++) {
            uint32_t whole = 0, part = 0;
            for (uint32_t s = r.tr.host_stream0[h]; s < r.tr.host_stream0[h + 1]; s++) {
                const cop_stream *st = &r.tr.stream[s];
                whole += st->t_next <= slot * COP_MS && st->t_stop >= (slot + 1) * COP_MS;
                part += st->t_next < (slot + 1) * COP_MS && st->t_stop > slot * COP_MS;
            }
            bool is_hot = hot[0] == h || hot[1] == h || hot[2] == h || hot[3] == h;
            assert_int_equal(whole, part);
            assert_true(active ? whole == 1 || (whole == 0 && is_hot) : whole == 0);
            own += active && whole == 0;
        }
    }
    assert_share(own, HOT * 30, 0.25);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forest_silent),
        cmocka_unit_test(forest_windy),
        cmocka_unit_test(forest_moving),
        cmocka_unit_test(forest_moving_in_windows),
    };
    return cmocka_run_group_tests_name("traffic_forest", tests, NULL, NULL);
}
