/* Forests of congestion trees: roles, shares of hot and other traffic, hot spots that move. */
#include "traffic_fixture.h"

#include <stdio.h>

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
    rig_one(&r, 648, 135 * GBIT / 10,
            "pattern=forest; b_share=25 %; v_share=20 %; p=30 %; mix=even");
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

/* The stream of the host that comes next, or COP_NONE. */
static uint32_t next_of(const rig *r, uint32_t h)
{
    uint32_t best = COP_NONE;
    for (uint32_t s = r->tr.host_stream0[h]; s < r->tr.host_stream0[h + 1]; s++)
        if (r->tr.stream[s].t_next != COP_NEVER &&
            (best == COP_NONE || r->tr.stream[s].t_next < r->tr.stream[best].t_next))
            best = s;
    return best;
}

/* Frame I of Paper IV: one message after the other, each of them for the hotspot with chance p. The two
 * parts together are a constant stream without gaps, in a random phase; a train of hot messages has
 * a length k with chance (1 - p) p^(k - 1). Taking one part late does not change the other. */
static void forest_drawn(void **state)
{
    (void)state;
    rig r, late;
    const char *entry = "pattern=forest; b_share=100 %; p=30 %; hotspots=4";
    rig_one(&r, 64, 8 * GBIT, entry); /* a message of 4096 bytes in 4.096 us */
    rig_one(&late, 64, 8 * GBIT, entry);
    uint64_t hot = 0, all = 0, trains = 0, pairs = 0, phases = 0;
    cop_time first_phase = 0;
    for (uint32_t h = 0; h < 64; h++) {
        uint32_t s0 = r.tr.host_stream0[h];
        if (r.tr.host_stream0[h + 1] - s0 != 2)
            continue; /* a hotspot of its own subset */
        cop_time t = r.tr.stream[next_of(&r, h)].t_next;
        assert_true(t < 4096 * COP_NS);
        phases += t / COP_NS != first_phase / COP_NS;
        first_phase = t;
        uint32_t run = 0;
        for (uint32_t k = 0; k < 2000; k++, t += 4096 * COP_NS) {
            uint32_t s = next_of(&r, h);
            assert_int_equal(r.tr.stream[s].t_next, t);
            cop_msg m = take_at(&r, s, t), other = take_at(&late, s, t + 7 * COP_MS);
            assert_true(m.dst == other.dst && m.t_gen == t && other.t_gen == t);
            bool is_hot = s == s0;
            assert_true(!is_hot || m.dst == r.tr.stream[s0].fixed_dst);
            trains += is_hot && run == 0;
            pairs += is_hot && run == 1;
            run = is_hot ? run + 1 : 0;
            hot += is_hot;
            all++;
        }
    }
    assert_true(phases > 55 && all > 100000);
    assert_share(hot, all, 0.3);
    assert_share(pairs, trains, 0.3); /* of those that begin, so many have a second message */
    rig_free(&r);
    rig_free(&late);
}

/* The same for other arrivals and sizes: both parts together are the process of the whole host. */
static void forest_drawn_from_any_process(void **state)
{
    (void)state;
    static const char *const processes[] = {
        "arrival=poisson; load=40 %", "arrival=bernoulli; load=40 %; phase=together",
        "arrival=constant; load=40 %; size_distribution=uniform; size_min=100 B; size_max=9000 B",
        "arrival=on-off; load=80 %; on_mean=50 us; off_mean=50 us",
        "arrival=pulses; load=60 %; low_load=20 %; high_time=100 us; low_time=100 us"};
    for (size_t i = 0; i < COP_LEN(processes); i++) {
        rig r;
        char text[200];
        snprintf(text, sizeof(text), "pattern=forest; b_share=100 %%; p=60 %%; hotspots=2; %s",
                 processes[i]);
        rig_init(&r, 16, 8 * GBIT);
        r.ctx.duration_ps = 20 * COP_MS;
        rig_entry(&r, text);
        rig_build(&r);
        uint64_t bytes[2] = {0, 0}, count[2] = {0, 0}, hosts = 0;
        for (uint32_t h = 0; h < 16; h++) {
            uint32_t s0 = r.tr.host_stream0[h], s;
            if (r.tr.host_stream0[h + 1] - s0 != 2)
                continue;
            hosts++;
            cop_time before = COP_NEVER;
            while ((s = next_of(&r, h)) != COP_NONE) {
                cop_time t = r.tr.stream[s].t_next;
                assert_true(before == COP_NEVER || t >= before);
                before = t;
                bytes[s - s0] += take_at(&r, s, t).bytes;
                count[s - s0]++;
            }
        }
        assert_true(hosts >= 14 && count[0] + count[1] > 5000);
        assert_share(count[0], count[0] + count[1], 0.6);
        double load = (double)(bytes[0] + bytes[1]) / ((double)hosts * 20e-3 * 1e9);
        assert_true(load > 0.37 && load < 0.43);
        rig_free(&r);
    }
}

/* While a B node is its own hotspot it sends its other part as ever, and nothing takes the place of the
 * messages that would have been for the hotspot. */
static void forest_drawn_and_moving(void **state)
{
    (void)state;
    enum { N = 20, HOT = 4, SLOTS = 40 };
    rig r;
    uint32_t hot[HOT];
    uint64_t others = 0, silent = 0, messages = 0;
    rig_init(&r, N, 8 * GBIT);
    r.ctx.duration_ps = SLOTS * COP_MS;
    rig_entry(&r, "pattern=forest; b_share=100 %; p=50 %; hotspots=4; lifetime=1 ms");
    rig_build(&r);
    for (uint32_t h = 0; h < N; h++) {
        assert_int_equal(r.tr.host_stream0[h + 1] - r.tr.host_stream0[h], 2);
        uint32_t s0 = r.tr.host_stream0[h], s;
        uint64_t made[SLOTS][2] = {{0}};
        while ((s = next_of(&r, h)) != COP_NONE) {
            cop_time t = r.tr.stream[s].t_next;
            take_at(&r, s, t);
            made[t / COP_MS][s - s0]++;
            messages++;
        }
        for (cop_time slot = 0; slot < SLOTS; slot++) {
            cop_traffic_hotspots(&r.tr, slot * COP_MS, hot);
            bool is_hot = hot[0] == h || hot[1] == h || hot[2] == h || hot[3] == h;
            assert_true(made[slot][0] > 50 || (made[slot][0] == 0 && is_hot));
            assert_in_range(made[slot][0] + made[slot][1], made[slot][0] ? 244 : 80,
                            made[slot][0] ? 245 : 165);
            silent += made[slot][0] == 0;
            others += made[slot][1];
        }
    }
    assert_share(silent, HOT * SLOTS, 0.25);
    assert_share(others, messages + silent * 122, 0.5);
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
        cmocka_unit_test(forest_drawn),
        cmocka_unit_test(forest_drawn_from_any_process),
        cmocka_unit_test(forest_drawn_and_moving),
        cmocka_unit_test(forest_moving),
        cmocka_unit_test(forest_moving_in_windows),
    };
    return cmocka_run_group_tests_name("traffic_forest", tests, NULL, NULL);
}
