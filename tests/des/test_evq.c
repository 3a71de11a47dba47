/* Pending events: ring and heap against a sorted array.
 *
 * The oracle is an array kept in order by insertion, the plainest thing that can be right. Every
 * test draws its events from the counter-based generator, so a failure repeats. Twins (the same key
 * pushed twice) may come out once or twice: the oracle keeps one, and `take` skips the second. */
#include "evq_fixture.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

typedef struct oracle {
    cop_ev *v; /* v[at .. n) in order, all different */
    size_t at, n, cap;
} oracle;

static void oracle_push(oracle *o, cop_ev ev)
{
    size_t low = o->at, high = o->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (cop_ev_before(o->v[mid], ev))
            low = mid + 1;
        else
            high = mid;
    }
    if (low < o->n && same(o->v[low], ev))
        return;
    o->v = cop_grow(o->v, &o->cap, o->n + 1, sizeof(cop_ev));
    memmove(&o->v[low + 1], &o->v[low], (o->n - low) * sizeof(cop_ev));
    o->v[low] = ev;
    o->n++;
}

static bool oracle_pop(oracle *o, cop_time until, cop_ev *ev)
{
    if (o->at == o->n || o->v[o->at].t > until)
        return false;
    *ev = o->v[o->at++];
    return true;
}

/* -- a queue beside its oracle -- */

typedef struct pair {
    cop_evq q;
    oracle o;
    cop_ev last; /* popped last */
    bool any; /* something was popped */
    uint64_t popped, twins;
} pair;

static void pair_init(pair *p, shape s)
{
    *p = (pair){0};
    cop_evq_init(&p->q, s.heap, s.bucket_ps, s.span_ps);
    assert_true(cop_evq_empty(&p->q));
}

static void pair_fini(pair *p)
{
    cop_evq_fini(&p->q);
    cop_free(p->o.v);
}

static void pair_push(pair *p, cop_time t, uint32_t id)
{
    cop_evq_push(&p->q, t, id);
    oracle_push(&p->o, (cop_ev){.t = t, .id = id});
}

/* Pop from both; false when both have nothing by `until`. */
static bool pair_pop(pair *p, cop_time until)
{
    cop_ev want = {0}, got = {0};
    bool is_due = oracle_pop(&p->o, until, &want);
    bool came = cop_evq_pop(&p->q, until, &got);
    while (came && p->any && same(got, p->last)) {
        p->twins++;
        came = cop_evq_pop(&p->q, until, &got);
    }
    assert_int_equal(came, is_due);
    if (!came)
        return false;
    assert_int_equal(got.t, want.t);
    assert_int_equal(got.id, want.id);
    p->last = got;
    p->any = true;
    p->popped++;
    return true;
}

static void pair_drain(pair *p)
{
    while (pair_pop(p, COP_NEVER)) {
    }
    assert_true(cop_evq_empty(&p->q));
}

/* -- random mixes -- */

typedef struct mix {
    const char *name;
    uint32_t start; /* events at the beginning */
    uint32_t entities; /* dense or sparse numbers */
    cop_time step_ps; /* lockstep: times are multiples of it; 0: any time */
    cop_time near_ps; /* most events come within this time */
    unsigned far_percent, same_percent;
} mix;

static const mix mixes[] = {
    {"few, spread", 20, 1000, 0, COP_US, 5, 10},
    {"many, spread", 3000, 100000, 0, COP_US, 5, 5},
    {"lockstep of 200", 200, 256, 100 * COP_NS, 200 * COP_NS, 2, 40},
    {"lockstep of 2000, dense", 2000, 3000, 100 * COP_NS, 100 * COP_NS, 0, 30},
    {"lockstep of 2000, sparse", 2000, 1u << COP_EV_ENTITY_BITS, 100 * COP_NS, 100 * COP_NS, 0, 30},
    {"a few times in one bucket", 1500, 2000, COP_NS, 3 * COP_NS, 0, 20},
    {"far future", 300, 500, 0, COP_NS, 60, 5},
};

/* Two draws, one after the other: compilers differ in how they order those of one expression. */
static uint32_t some_id(cop_rng *r, uint32_t entities)
{
    enum cop_ev_kind kind = (enum cop_ev_kind)cop_rng_below(r, COP_EV_KINDS);
    return cop_ev_id(kind, cop_rng_below(r, entities));
}

/* A key greater than the one being handled. */
static void push_later(pair *p, const mix *m, cop_rng *r)
{
    cop_time t = p->any ? p->last.t : 0;
    uint32_t percent = cop_rng_below(r, 100), shift = 20 + cop_rng_below(r, 24);
    if (percent < m->far_percent)
        t += COP_US + (cop_rng_u64(r) >> shift);
    else if (percent >= m->far_percent + m->same_percent)
        t += 1 + cop_rng_u64(r) % m->near_ps;
    if (m->step_ps && percent < 90)
        t = (t + m->step_ps - 1) / m->step_ps * m->step_ps;
    cop_ev ev = {.t = t, .id = some_id(r, m->entities)};
    if (p->any && !cop_ev_before(p->last, ev))
        ev.t++;
    pair_push(p, ev.t, ev.id);
}

static void run_mix(shape s, const mix *m, uint32_t seed)
{
    pair p;
    pair_init(&p, s);
    cop_rng r = cop_rng_make(seed, COP_RNG_TEST, (uint32_t)(m - mixes));
    for (uint32_t i = 0; i < m->start; i++)
        push_later(&p, m, &r);
    /* Hold: on average one push per pop; then shrink. */
    for (uint32_t i = 0; i < 2 * m->start + 1000; i++) {
        if (!pair_pop(&p, COP_NEVER))
            break;
        for (uint32_t n = cop_rng_below(&r, 3); n > 0; n--)
            push_later(&p, m, &r);
    }
    uint64_t before = p.popped;
    pair_drain(&p);
    assert_true(p.popped > before || p.popped > m->start / 2);
    pair_fini(&p);
}

static void test_random_mixes(void **state)
{
    (void)state;
    for (size_t s = 0; s < COP_LEN(shapes); s++)
        for (size_t m = 0; m < COP_LEN(mixes); m++)
            for (uint32_t seed = 1; seed <= 2; seed++)
                run_mix(shapes[s], &mixes[m], seed);
}

/* -- each way of sorting a bucket -- */

/* `n` events at `times` different times of one bucket. */
static void fill_bucket(pair *p, cop_time start, uint32_t n, uint32_t times, uint32_t entities,
                        uint32_t seed)
{
    cop_rng r = cop_rng_make(seed, COP_RNG_TEST, n);
    for (uint32_t i = 0; i < n; i++) {
        cop_time t = start + cop_rng_below(&r, times);
        pair_push(p, t, some_id(&r, entities));
    }
}

static void test_sorts_of_a_bucket(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 31, 32, 33, 34, 100, 1000, 1001, 5000};
    for (size_t i = 0; i < COP_LEN(sizes); i++) {
        uint32_t n = sizes[i];
        pair p;
        pair_init(&p, (shape){false, 4096, COP_US});
        fill_bucket(&p, 1 << 20, n, 1, 2 * n, 1); /* one instant, dense */
        fill_bucket(&p, 2 << 20, n, 1, 1u << 28, 2); /* one instant, sparse */
        fill_bucket(&p, 3 << 20, n, 3, 2 * n, 3); /* a few times */
        fill_bucket(&p, 4 << 20, n, 4096, 1u << 28, 4); /* all bits differ */
        fill_bucket(&p, 5 << 20, n, 1, 1, 5); /* twins only */
        fill_bucket(&p, COP_SECOND, n, 1, 2 * n, 6); /* came by way of the heap */
        fill_bucket(&p, (cop_time)1 << 60, n, 1 << 20, 2 * n, 7); /* and over many buckets */
        pair_drain(&p);
        /* The dense instant of more than 32 events goes by bit sets, which leave their memory. */
        assert_int_equal(p.q.bits_words > 0, n > 32);
        for (size_t w = 0; w < p.q.bits_words; w++)
            assert_int_equal(p.q.bits[w], 0);
        pair_fini(&p);
    }
}

/* What comes into the bucket that is being emptied is merged, in small and large numbers. */
static void test_pushes_into_the_current_bucket(void **state)
{
    (void)state;
    static const uint32_t adds[] = {1, 5, 40, 1500};
    for (size_t i = 0; i < COP_LEN(adds); i++)
        for (uint32_t times = 1; times <= 3; times += 2) {
            pair p;
            pair_init(&p, (shape){false, 4096, COP_US});
            fill_bucket(&p, 4096, 100, times, 200, 1);
            for (uint32_t round = 0; round < 20 && pair_pop(&p, COP_NEVER); round++) {
                cop_rng r = cop_rng_make(round, COP_RNG_TEST, times);
                for (uint32_t k = 0; k < adds[i]; k++) {
                    cop_ev ev = {.t = p.last.t + cop_rng_below(&r, times)};
                    ev.id = cop_ev_id(COP_EV_SAMPLE, cop_rng_below(&r, 4000));
                    if (cop_ev_before(p.last, ev))
                        pair_push(&p, ev.t, ev.id);
                }
            }
            assert_true(p.popped == 20);
            pair_drain(&p);
            pair_fini(&p);
        }
}

/* -- order does not depend on the order of pushing -- */

static uint64_t popped_hash(cop_evq *q, uint64_t *n)
{
    cop_ev ev, last = {.t = COP_NEVER};
    uint64_t h = 0;
    *n = 0;
    while (cop_evq_pop(q, COP_NEVER, &ev)) {
        if (same(ev, last))
            continue;
        h = (h ^ ev.t ^ (uint64_t)ev.id << 32) * 0x9E3779B97F4A7C15u;
        last = ev;
        ++*n;
    }
    return h;
}

static void test_insertion_order_does_not_matter(void **state)
{
    (void)state;
    enum { N = 4000 };
    cop_ev *ev = cop_alloc(N * sizeof(*ev));
    uint32_t *perm = cop_alloc(N * sizeof(*perm));
    cop_rng r = cop_rng_make(11, COP_RNG_TEST, 0);
    for (uint32_t i = 0; i < N; i++) {
        cop_time t = i % 4 == 0   ? 5 * COP_US
                     : i % 4 == 1 ? cop_rng_u64(&r) % COP_US
                     : i % 4 == 2 ? 7 * COP_US + i % 3
                                  : cop_rng_u64(&r) >> 20;
        ev[i] = (cop_ev){t, cop_ev_id((enum cop_ev_kind)(i % COP_EV_KINDS), i), 0};
    }
    uint64_t hash = 0, n = 0;
    for (uint32_t round = 0; round < 12; round++) {
        cop_rng_permutation(&r, perm, N);
        cop_evq q;
        cop_evq_init(&q, round % 3 == 2, 4 * COP_NS, 4 * COP_US);
        for (uint32_t i = 0; i < N; i++)
            cop_evq_push(&q, ev[perm[i]].t, ev[perm[i]].id);
        uint64_t h = popped_hash(&q, &n);
        assert_int_equal(n, N);
        if (round == 0)
            hash = h;
        assert_int_equal(h, hash);
        cop_evq_fini(&q);
    }
    cop_free(ev);
    cop_free(perm);
}

/* -- pops with a limit -- */

/* A pop that finds nothing in time must not lose its place: earlier events may still be pushed. */
static void test_until_then_earlier_pushes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(shapes); i++) {
        pair p;
        pair_init(&p, shapes[i]);
        pair_push(&p, 100 * COP_US, 7);
        pair_push(&p, COP_SECOND, 8);
        assert_false(pair_pop(&p, 100 * COP_US - 1));
        for (cop_time t = 0; t < 100 * COP_US; t += 999 * COP_NS) {
            pair_push(&p, t + 2, 1);
            pair_push(&p, t + 1, 5);
        }
        assert_true(pair_pop(&p, COP_NS));
        assert_false(pair_pop(&p, 1));
        while (pair_pop(&p, 50 * COP_US)) {
        }
        pair_push(&p, p.last.t, p.last.id + 1);
        pair_push(&p, 50 * COP_US + 1, 3);
        pair_drain(&p);
        pair_fini(&p);
    }
}

static void test_random_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(shapes); i++) {
        const mix *m = &mixes[0];
        pair p;
        pair_init(&p, shapes[i]);
        cop_rng r = cop_rng_make(3, COP_RNG_TEST, (uint32_t)i);
        cop_time until = 0;
        for (uint32_t round = 0; round < 3000; round++) {
            if (cop_rng_below(&r, 3) == 0)
                push_later(&p, m, &r);
            until = cop_max64(until, p.last.t) + cop_rng_below(&r, (uint32_t)COP_US);
            pair_pop(&p, until);
        }
        assert_true(p.popped > 500);
        pair_drain(&p);
        pair_fini(&p);
    }
}

static void test_empty_and_last_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(shapes); i++) {
        pair p;
        pair_init(&p, shapes[i]);
        assert_false(pair_pop(&p, 0));
        assert_false(pair_pop(&p, COP_NEVER));
        pair_push(&p, COP_NEVER - 1, 1);
        pair_push(&p, 0, 0);
        pair_push(&p, COP_NEVER - 1, 0);
        assert_false(cop_evq_empty(&p.q));
        assert_true(pair_pop(&p, 0));
        assert_int_equal(p.last.t, 0);
        assert_false(pair_pop(&p, COP_NEVER - 2));
        pair_push(&p, COP_NEVER - 2, 9);
        pair_drain(&p);
        assert_int_equal(p.popped, 4);
        assert_int_equal(p.last.id, 1);
        /* Used up is as good as new, but for the keys already handled. */
        assert_false(pair_pop(&p, COP_NEVER));
        pair_fini(&p);
    }
}

static void test_twins_come_once_or_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(shapes); i++)
        for (uint32_t n = 2; n < 200; n += 66) {
            pair p;
            pair_init(&p, shapes[i]);
            for (uint32_t copy = 0; copy < 2; copy++)
                for (uint32_t id = 0; id < n; id++)
                    pair_push(&p, COP_NS, id);
            pair_drain(&p);
            assert_int_equal(p.popped, n);
            assert_true(p.twins == 0 || p.twins == n);
            pair_fini(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_mixes),
        cmocka_unit_test(test_sorts_of_a_bucket),
        cmocka_unit_test(test_pushes_into_the_current_bucket),
        cmocka_unit_test(test_insertion_order_does_not_matter),
        cmocka_unit_test(test_until_then_earlier_pushes),
        cmocka_unit_test(test_random_limits),
        cmocka_unit_test(test_empty_and_last_instants),
        cmocka_unit_test(test_twins_come_once_or_twice),
    };
    return cmocka_run_group_tests_name("evq", tests, NULL, NULL);
}
