/* Events as the simulator runs them: arbitrations that are due, those kept aside, and the rule that
 * handlers push only later keys. */
#include "evq_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"

/* -- arbitrations that are due, run as the simulator runs them -- */

enum { DUE_ENTITIES = 300 };

typedef struct machine { /* executes events; what an event pushes depends on its key alone */
    cop_evq q;
    bool plain; /* a queue without due set: arbitrations are popped like others */
    uint32_t seed, gaps; /* how many different times to the next event */
    uint64_t budget; /* events still to push */
    cop_time clock;
    cop_ev last; /* executed */
    uint64_t hash, executed;
} machine;

static void machine_push(machine *m, cop_time t, uint32_t id)
{
    cop_ev ev = {.t = t, .id = id};
    if (m->budget > 0 && (m->executed == 0 || cop_ev_before(m->last, ev))) {
        m->budget--;
        cop_evq_push(&m->q, t, id);
    }
}

static void machine_due(machine *m, uint32_t entity)
{
    if (m->plain)
        cop_evq_push(&m->q, m->clock, cop_ev_id(COP_EV_ARB, entity));
    else
        cop_evq_due_now(&m->q, entity);
}

static void execute(machine *m, cop_ev ev)
{
    if (m->executed > 0 && same(ev, m->last))
        return; /* a twin */
    m->last = ev;
    m->executed++;
    m->hash = (m->hash ^ ev.t ^ (uint64_t)ev.id << 32) * 0x9E3779B97F4A7C15u;
    cop_rng r = cop_rng_make(m->seed, COP_RNG_TEST, ev.id);
    r.counter = ev.t << 8;
    enum cop_ev_kind kind = cop_ev_kind_of(ev.id);
    if (kind < COP_EV_ARB && cop_rng_below(&r, 3) == 0)
        machine_due(m, cop_rng_below(&r, DUE_ENTITIES));
    for (uint32_t n = cop_rng_below(&r, 4); n > 0; n--) {
        cop_time gap = 1 + (cop_time)cop_rng_below(&r, m->gaps) * 700;
        uint32_t k = cop_rng_below(&r, 20);
        enum cop_ev_kind next = k < 10 ? COP_EV_ARB : k < 19 ? COP_EV_ARRIVE : COP_EV_SAMPLE;
        machine_push(m, ev.t + gap, cop_ev_id(next, cop_rng_below(&r, DUE_ENTITIES)));
    }
}

static void execute_due(machine *m)
{
    uint32_t first = m->q.due_first, last = m->q.due_last;
    cop_time t = m->clock;
    m->q.due_first = COP_NONE;
    m->q.due_last = 0;
    for (uint32_t w = first; w <= last; w++) {
        uint64_t bits = m->q.due[w];
        m->q.due[w] = 0;
        for (; bits; bits &= bits - 1)
            execute(
                m, (cop_ev){t, cop_ev_id(COP_EV_ARB, w * 64 + (uint32_t)__builtin_ctzll(bits)), 0});
    }
}

static void machine_run(machine *m)
{
    cop_ev ev;
    for (;;) {
        bool due = !m->plain && m->q.due_first != COP_NONE;
        if (!cop_evq_pop(&m->q, due ? m->clock : COP_NEVER, &ev)) {
            if (!due)
                break;
            execute_due(m);
            continue;
        }
        m->clock = ev.t;
        if (cop_ev_kind_of(ev.id) == COP_EV_ARB && !m->plain) {
            cop_evq_arb_popped(&m->q, ev.t, cop_ev_entity_of(ev.id));
            continue;
        }
        if (due && cop_ev_kind_of(ev.id) > COP_EV_ARB)
            execute_due(m);
        execute(m, ev);
    }
    assert_true(cop_evq_empty(&m->q));
}

static void machine_start(machine *m, shape s, bool plain, uint32_t gaps, uint32_t seed)
{
    *m = (machine){.plain = plain, .seed = seed, .gaps = gaps, .budget = 20000};
    cop_evq_init(&m->q, s.heap, s.bucket_ps, s.span_ps);
    if (!plain)
        cop_evq_use_due(&m->q, DUE_ENTITIES);
    for (uint32_t e = 0; e < DUE_ENTITIES; e++)
        machine_push(m, 1000, cop_ev_id(e % 2 ? COP_EV_ARRIVE : COP_EV_ARB, e));
}

/* Every way of keeping arbitrations gives the order of plain events in a heap. */
static void test_due_arbitrations_keep_their_order(void **state)
{
    (void)state;
    static const uint32_t gaps[] = {1, 2, 3, 10, 1000};
    for (size_t g = 0; g < COP_LEN(gaps); g++)
        for (uint32_t seed = 1; seed <= 3; seed++) {
            machine want;
            machine_start(&want, shapes[0], true, gaps[g], seed);
            machine_run(&want);
            assert_true(want.executed > 1000);
            for (size_t s = 0; s < COP_LEN(shapes); s++) {
                machine got;
                machine_start(&got, shapes[s], false, gaps[g], seed);
                machine_run(&got);
                if (got.executed != want.executed || got.hash != want.hash)
                    print_error("%u gaps, seed %u, shape %zu: %" PRIu64 " events, not %" PRIu64
                                "\n",
                                gaps[g], seed, s, got.executed, want.executed);
                assert_int_equal(got.executed, want.executed);
                assert_int_equal(got.hash, want.hash);
                cop_evq_fini(&got.q);
            }
            cop_evq_fini(&want.q);
        }
}

/* Many arbitrations of one instant may be kept aside together; another one that is pushed later but
 * comes earlier must not take them along. */
static void test_arbitrations_kept_aside_stay_at_their_time(void **state)
{
    (void)state;
    enum { FIRST = 10000, SOON = FIRST + 500, LATER = FIRST + 1000, N = 100 };
    for (size_t s = 0; s < COP_LEN(shapes); s++) {
        machine m;
        cop_ev ev;
        m = (machine){.plain = false};
        cop_evq_init(&m.q, shapes[s].heap, shapes[s].bucket_ps, shapes[s].span_ps);
        cop_evq_use_due(&m.q, DUE_ENTITIES);
        cop_evq_push(&m.q, FIRST, cop_ev_id(COP_EV_ARRIVE, 0));
        assert_true(cop_evq_pop(&m.q, COP_NEVER, &ev));
        for (uint32_t e = 0; e < N; e++)
            cop_evq_push(&m.q, LATER, cop_ev_id(COP_EV_ARB, e));
        cop_evq_due_now(&m.q, 7);
        assert_false(cop_evq_pop(&m.q, FIRST, &ev)); /* the arbitrations of this instant run now */
        m.q.due[0] = 0;
        m.q.due_first = COP_NONE;
        m.q.due_last = 0;
        cop_evq_push(&m.q, SOON, cop_ev_id(COP_EV_ARB, 200));
        assert_true(cop_evq_pop(&m.q, COP_NEVER, &ev));
        assert_int_equal(ev.t, SOON);
        cop_evq_arb_popped(&m.q, ev.t, cop_ev_entity_of(ev.id));
        uint32_t due = 0;
        for (size_t w = 0; w < m.q.due_words; w++) {
            due += (uint32_t)__builtin_popcountll(m.q.due[w]);
            m.q.due[w] = 0;
        }
        assert_int_equal(due, 1);
        m.q.due_first = COP_NONE;
        m.q.due_last = 0;
        while (cop_evq_pop(&m.q, COP_NEVER, &ev)) {
            assert_int_equal(ev.t, LATER);
            cop_evq_arb_popped(&m.q, ev.t, cop_ev_entity_of(ev.id));
        }
        for (size_t w = 0; w < m.q.due_words; w++)
            due += (uint32_t)__builtin_popcountll(m.q.due[w]);
        assert_int_equal(due, 1 + N);
        cop_evq_fini(&m.q);
    }
}

/* -- the rule for handlers -- */

/* Does pushing (t, id) while (100 ns, id 5) is handled end the program? */
static bool push_aborts(bool heap, cop_time t, uint32_t id)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cop_evq q;
        cop_ev ev;
        cop_evq_init(&q, heap, COP_NS, COP_US);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(2);
        signal(SIGABRT, SIG_DFL);
        cop_evq_push(&q, 100 * COP_NS, 5);
        if (!cop_evq_pop(&q, COP_NEVER, &ev))
            _exit(3);
        cop_evq_push(&q, t, id);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGABRT;
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

static void test_handlers_push_later_keys_only(void **state)
{
    (void)state;
#ifdef NDEBUG
    skip(); /* the rule is checked in builds with assertions */
#endif
    for (int heap = 0; heap <= 1; heap++) {
        assert_true(push_aborts(heap, 100 * COP_NS - 1, 5));
        assert_true(push_aborts(heap, 0, 6));
        assert_true(push_aborts(heap, 100 * COP_NS, 4));
        assert_true(push_aborts(heap, 100 * COP_NS, 5));
        assert_false(push_aborts(heap, 100 * COP_NS, 6));
        assert_false(push_aborts(heap, 100 * COP_NS + 1, 0));
        assert_false(push_aborts(heap, COP_SECOND, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_due_arbitrations_keep_their_order),
        cmocka_unit_test(test_arbitrations_kept_aside_stay_at_their_time),
        cmocka_unit_test(test_handlers_push_later_keys_only),
    };
    return cmocka_run_group_tests_name("evq_due", tests, NULL, NULL);
}
