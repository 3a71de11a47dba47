/* Exchanges without a network: who sends to whom in each phase, when each message leaves, what is
 * measured and what results say of it, against a plain reference that knows the delay of every
 * message. */
#include "traffic_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stats/exchange.h"

enum { MAX_RANKS = 12, ROUNDS = 3, BYTES = 1000 };
#define THINK (7 * COP_US)
#define START (50 * COP_US)

/* Whom rank r sends to in a step, one after the other; how many. By the words of the option. */
static uint32_t peers_of(const char *kind, uint32_t n, uint32_t r, uint32_t step, uint32_t *to)
{
    if (strcmp(kind, "ping-pong") == 0) {
        to[0] = r % 2 == 0 ? r + 1 : r - 1;
        return step % 2 == r % 2 && to[0] < n;
    }
    if (strcmp(kind, "all-pairs") == 0) {
        uint32_t phase = step % (n * (n - 1)), at = 0;
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = a + 1; b < n; b++, at += 2) {
                to[0] = r == a ? b : a;
                if ((phase == at && r == a) || (phase == at + 1 && r == b))
                    return 1;
            }
        return 0;
    }
    if (strcmp(kind, "natural-ring") == 0) {
        to[0] = (r + 1) % n;
        to[1] = (r + n - 1) % n;
        return 2;
    }
    if (strcmp(kind, "all-to-all") == 0) {
        to[0] = (r + 1 + step % (n - 1)) % n;
        return 1;
    }
    uint32_t rows = 1; /* grid-transpose: row i, column j to row j, column i */
    for (uint32_t i = 1; i * i <= n; i++)
        rows = n % i == 0 ? i : rows;
    to[0] = r % (n / rows) * rows + r / (n / rows);
    return to[0] != r;
}

static uint32_t phases_of(const char *kind, uint32_t n)
{
    return strcmp(kind, "ping-pong") == 0    ? 2
           : strcmp(kind, "all-pairs") == 0  ? n * (n - 1)
           : strcmp(kind, "all-to-all") == 0 ? n - 1
                                             : 1;
}

/* Delays differ, from one message to the next as well. */
static cop_time delay_of(uint32_t from, uint32_t to, uint32_t nth)
{
    return 1000 + cop_rng_at(5, COP_RNG_TEST, from * 64 + to, nth) % (20 * COP_US);
}

typedef struct reference {
    uint32_t n, sent[MAX_RANKS][MAX_RANKS]; /* messages so far */
    cop_time t_sent[MAX_RANKS][MAX_RANKS][ROUNDS];
    cop_exchange_stat stat[MAX_RANKS][MAX_RANKS];
    uint32_t rounds[MAX_RANKS];
    bool idle[MAX_RANKS];
    cop_time last;
} reference;

static void add_to(cop_exchange_stat *s, cop_time latency)
{
    double rate = BYTES * 1e6 / (double)latency;
    if (s->steps++ == 0)
        *s = (cop_exchange_stat){1, 0, 0, latency, latency, rate, rate};
    s->bytes += BYTES;
    s->sum_ps += latency;
    s->min_ps = latency < s->min_ps ? latency : s->min_ps;
    s->max_ps = latency > s->max_ps ? latency : s->max_ps;
    s->min_mbytes_s = rate < s->min_mbytes_s ? rate : s->min_mbytes_s;
    s->max_mbytes_s = rate > s->max_mbytes_s ? rate : s->max_mbytes_s;
}

/* One step of all ranks: from when they enter it to when they leave. */
static void reference_step(reference *x, const char *kind, uint32_t step, const cop_time *enter,
                           cop_time *leave, cop_time warmup)
{
    uint32_t to[2], phases = phases_of(kind, x->n);
    memcpy(leave, enter, x->n * sizeof(*leave));
    for (uint32_t r = 0; r < x->n; r++) {
        uint32_t n = peers_of(kind, x->n, r, step, to);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t p = to[i], nth = x->sent[r][p]++;
            x->idle[r] = x->idle[p] = false;
            x->t_sent[r][p][nth] = enter[r] + THINK;
            cop_time arrived = enter[r] + THINK + delay_of(r, p, nth);
            cop_time met = arrived > enter[p] ? arrived : enter[p];
            leave[r] = met > leave[r] ? met : leave[r];
            leave[p] = arrived > leave[p] ? arrived : leave[p];
        }
    }
    for (uint32_t r = 0; r < x->n; r++) {
        uint32_t n = peers_of(kind, x->n, r, step, to);
        x->last = leave[r] > x->last ? leave[r] : x->last;
        if (leave[r] < warmup)
            continue;
        x->rounds[r] += step % phases == phases - 1;
        for (uint32_t i = 0; i < n; i++)
            add_to(&x->stat[r][to[i]], (leave[r] - enter[r]) / n);
    }
}

static void make_reference(reference *x, const char *kind, uint32_t n, cop_time warmup)
{
    cop_time enter[MAX_RANKS], leave[MAX_RANKS], latest;
    *x = (reference){.n = n};
    for (uint32_t r = 0; r < n; r++) {
        enter[r] = START;
        x->idle[r] = true;
    }
    for (uint32_t step = 0; step < ROUNDS * phases_of(kind, n); step++) {
        reference_step(x, kind, step, enter, leave, warmup);
        latest = 0;
        for (uint32_t r = 0; r < n; r++)
            latest = leave[r] > latest ? leave[r] : latest;
        bool in_step = strcmp(kind, "all-pairs") == 0;
        for (uint32_t r = 0; r < n; r++)
            enter[r] = in_step ? latest : leave[r];
    }
}

/* Tell of a message in two pieces, the last one first. */
static void deliver(rig *r, uint32_t s, uint32_t bytes, cop_time t)
{
    cop_time before[2 * MAX_RANKS * MAX_RANKS];
    for (uint32_t i = 0; i < r->tr.n_streams; i++)
        before[i] = r->tr.stream[i].t_next;
    assert_int_equal(cop_traffic_arrived(&r->tr, s, bytes / 4, t), 0);
    uint32_t woken = cop_traffic_arrived(&r->tr, s, bytes - bytes / 4, t - 500), changed = 0;
    assert_int_equal(woken, r->tr.n_woken);
    for (uint32_t i = 0; i < r->tr.n_streams; i++) {
        bool told = false;
        for (uint32_t k = 0; k < woken; k++)
            told |= r->tr.woken[k] == i;
        assert_int_equal(told, r->tr.stream[i].t_next != before[i]);
        changed += told;
    }
    assert_int_equal(woken, changed);
}

static void run_all(rig *r, const reference *x)
{
    uint32_t sent[MAX_RANKS][MAX_RANKS] = {{0}};
    for (;;) {
        uint32_t s = 0;
        for (uint32_t i = 1; i < r->tr.n_streams; i++)
            if (r->tr.stream[i].t_next < r->tr.stream[s].t_next)
                s = i;
        const cop_stream *st = &r->tr.stream[s];
        cop_time t = st->t_next;
        if (t == COP_NEVER)
            break;
        cop_msg m = take_at(r, s, t);
        uint32_t nth = sent[st->host][m.dst]++;
        assert_int_equal(m.bytes, BYTES);
        assert_true(nth < ROUNDS);
        assert_int_equal(t, x->t_sent[st->host][m.dst][nth]);
        assert_int_equal(st->t_next, COP_NEVER); /* until something arrives */
        deliver(r, s, m.bytes, t + delay_of(st->host, m.dst, nth));
    }
    assert_memory_equal(sent, x->sent, sizeof(sent));
}

static void same_stat(const cop_exchange_stat *is, const cop_exchange_stat *want)
{
    assert_int_equal(is->steps, want->steps);
    assert_int_equal(is->bytes, want->bytes);
    assert_int_equal(is->sum_ps, want->sum_ps);
    assert_int_equal(is->min_ps, want->min_ps);
    assert_int_equal(is->max_ps, want->max_ps);
    assert_true(is->min_mbytes_s == want->min_mbytes_s);
    assert_true(is->max_mbytes_s == want->max_mbytes_s);
}

/* -- what a result says of it -- */

typedef struct told {
    cop_arena arena;
    cop_scalar *v;
    uint32_t n, used;
} told;

static void expect_scalar(told *t, const char *of, const char *name, const char *unit, double want)
{
    char full[100];
    snprintf(full, sizeof(full), "exchange/%s/%s", of, name);
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i].name, full) == 0) {
            assert_string_equal(t->v[i].unit, unit);
            if (!(fabs(t->v[i].value - want) <= 1e-12 * fabs(want)))
                fail_msg("%s is %.17g, not %.17g", full, t->v[i].value, want);
            t->used++;
            return;
        }
    fail_msg("no %s", full);
}

static void expect_spread(told *t, const char *of, const char *what, const char *unit, double min,
                          double avg, double max)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_min", what);
    expect_scalar(t, of, name, unit, min);
    snprintf(name, sizeof(name), "%s_avg", what);
    expect_scalar(t, of, name, unit, avg);
    snprintf(name, sizeof(name), "%s_max", what);
    expect_scalar(t, of, name, unit, max);
}

/* Means of streams, or of both ways of a pair together; and the best and worst step of all. */
static void expect_entry(told *t, const reference *x, bool pairs)
{
    double us[3] = {INFINITY, 0, 0}, mb[3] = {INFINITY, 0, 0}, best = INFINITY, worst = 0;
    uint32_t n = 0;
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t b = 0; b < x->n; b++) {
            const cop_exchange_stat *s = &x->stat[a][b], *back = &x->stat[b][a];
            double steps = (double)(s->steps + (pairs ? back->steps : 0));
            double sum = (double)(s->sum_ps + (pairs ? back->sum_ps : 0));
            best = s->steps > 0 ? fmin(best, (double)s->min_ps / 1e6) : best;
            worst = fmax(worst, (double)s->max_ps / 1e6);
            if (steps == 0 || (pairs && a > b))
                continue;
            double latency = sum / steps / 1e6, rate = steps * BYTES * 1e6 / sum;
            us[0] = fmin(us[0], latency);
            us[1] += latency;
            us[2] = fmax(us[2], latency);
            mb[0] = fmin(mb[0], rate);
            mb[1] += rate;
            mb[2] = fmax(mb[2], rate);
            n++;
        }
    if (n == 0)
        return;
    expect_spread(t, "traffic0", "latency", "us", us[0], us[1] / n, us[2]);
    expect_spread(t, "traffic0", "bandwidth", "MB/s", mb[0], mb[1] / n, mb[2]);
    expect_scalar(t, "traffic0", "latency_best", "us", best);
    expect_scalar(t, "traffic0", "latency_worst", "us", worst);
}

static void check_results(const rig *r, const reference *x, uint32_t rounds, bool pairs)
{
    told t = {0};
    uint32_t room = cop_count_exchanges(&r->tr);
    t.v = COP_NEW_ARRAY(&t.arena, cop_scalar, room);
    t.n = cop_collect_exchanges(&r->tr, &t.arena, t.v);
    assert_true(t.n <= room);
    expect_scalar(&t, "traffic0", "rounds", "rounds", rounds);
    expect_scalar(&t, "traffic0", "unfinished", "streams", 0);
    expect_scalar(&t, "traffic0", "elapsed", "us", (double)(x->last - START) / 1e6);
    expect_entry(&t, x, pairs);
    for (uint32_t s = 0; s < r->tr.n_streams && r->tr.n_streams <= 64; s++) {
        const cop_stream *st = &r->tr.stream[s];
        const cop_exchange_stat *is = &x->stat[st->host][st->fixed_dst];
        char of[64];
        if (is->steps == 0)
            continue;
        snprintf(of, sizeof(of), "traffic0/%u-%u", st->host, st->fixed_dst);
        expect_scalar(&t, of, "steps", "steps", (double)is->steps);
        expect_spread(&t, of, "latency", "us", (double)is->min_ps / 1e6,
                      (double)is->sum_ps / (double)is->steps / 1e6, (double)is->max_ps / 1e6);
        expect_spread(&t, of, "bandwidth", "MB/s", is->min_mbytes_s,
                      (double)is->bytes * 1e6 / (double)is->sum_ps, is->max_mbytes_s);
    }
    assert_int_equal(t.used, t.n); /* nothing else is told */
    cop_arena_free(&t.arena);
}

static void try_exchange(const char *kind, uint32_t n, cop_time warmup)
{
    rig r;
    reference x;
    char text[200];
    uint32_t links = 0, rounds = UINT32_MAX;
    rig_init(&r, n, 10 * GBIT);
    r.ctx.warmup_ps = warmup;
    snprintf(text, sizeof(text), "exchange=%s; think=7 us; start=50 us; message=%d B; messages=%d",
             kind, BYTES, ROUNDS);
    rig_entry(&r, text);
    rig_build(&r);
    make_reference(&x, kind, n, warmup);
    run_all(&r, &x);
    for (uint32_t a = 0; a < n; a++) {
        rounds = !x.idle[a] && x.rounds[a] < rounds ? x.rounds[a] : rounds;
        for (uint32_t b = 0; b < n; b++)
            links += x.sent[a][b] > 0;
    }
    assert_int_equal(r.tr.n_streams, links);
    for (uint32_t s = 0; s < links; s++)
        same_stat(cop_traffic_exchange_stat(&r.tr, s),
                  &x.stat[r.tr.stream[s].host][r.tr.stream[s].fixed_dst]);
    assert_int_equal(cop_traffic_exchange_rounds(&r.tr, 0), rounds);
    assert_int_equal(cop_traffic_exchange_elapsed(&r.tr, 0), x.last - START);
    bool pairs = strcmp(kind, "ping-pong") == 0 || strcmp(kind, "all-pairs") == 0;
    assert_int_equal(cop_traffic_exchange_returns(&r.tr, 0), pairs);
    check_results(&r, &x, rounds, pairs);
    rig_free(&r);
}

static void against_the_reference(void **state)
{
    static const struct {
        const char *kind;
        uint32_t n[4];
    } all[] = {{"ping-pong", {2, 4, 5, 9}},
               {"all-pairs", {2, 3, 4, 6}},
               {"natural-ring", {3, 4, 5, 12}},
               {"grid-transpose", {4, 6, 9, 12}},
               {"all-to-all", {2, 3, 8, 9}}} /* 56 streams are listed, 72 are not */;
    (void)state;
    for (size_t i = 0; i < COP_LEN(all); i++)
        for (size_t k = 0; k < 4; k++) {
            try_exchange(all[i].kind, all[i].n[k], 0);
            try_exchange(all[i].kind, all[i].n[k], START + 40 * COP_US);
            try_exchange(all[i].kind, all[i].n[k], COP_SECOND); /* nothing is measured */
        }
}

/* A ring in an order drawn by the seed: ranks have two neighbours, and the way round meets all. */
static void random_ring(void **state)
{
    (void)state;
    uint32_t natural = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        rig r;
        rig_init(&r, 20, GBIT);
        r.ctx.seed = seed;
        rig_entry(&r, "exchange=random-ring; from=0-18:2");
        rig_build(&r);
        assert_int_equal(r.tr.n_streams, 2 * 10);
        uint32_t at = 0, before = COP_NONE, met = 0;
        do {
            const cop_stream *s = first_of(&r, at);
            assert_int_equal(r.tr.host_stream0[at + 1] - r.tr.host_stream0[at], 2);
            uint32_t next = s[0].fixed_dst == before ? s[1].fixed_dst : s[0].fixed_dst;
            natural += (next + 20 - at) % 20 == 2 || (at + 20 - next) % 20 == 2;
            before = at;
            at = next;
            met++;
        } while (at != 0);
        assert_int_equal(met, 10);
        rig_free(&r);
    }
    assert_true(natural < 200 / 2); /* two of nine neighbours are those of the natural order */
}

/* No message at the end of the entry or later; one that is under way still counts. */
static void stopped(void **state)
{
    (void)state;
    rig r;
    rig_one(&r, 2, GBIT, "exchange=ping-pong; think=10 us; stop=40 us");
    const cop_stream *s = r.tr.stream;
    for (uint32_t i = 0; i < 3; i++) { /* at 10, 21 and 32 us; the next would be 43 us */
        assert_int_equal(s[i % 2].t_next, (10 + 11 * i) * COP_US);
        take_at(&r, i % 2, s[i % 2].t_next);
        cop_traffic_arrived(&r.tr, i % 2, 4096, (11 + 11 * i) * COP_US);
    }
    assert_true(s[0].t_next == COP_NEVER && s[1].t_next == COP_NEVER);
    assert_int_equal(cop_traffic_exchange_elapsed(&r.tr, 0), 33 * COP_US);
    assert_int_equal(cop_traffic_exchange_rounds(&r.tr, 0), 1);
    rig_free(&r);
    rig_one(&r, 2, GBIT, "pattern=fixed; from=0; to=1");
    assert_null(cop_traffic_exchange_stat(&r.tr, 0));
    assert_int_equal(cop_traffic_exchange_rounds(&r.tr, 0), 0);
    assert_int_equal(cop_traffic_exchange_elapsed(&r.tr, 0), 0);
    assert_false(cop_traffic_exchange_returns(&r.tr, 0));
    assert_int_equal(cop_traffic_arrived(&r.tr, 0, 1, 1), 0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_reference),
        cmocka_unit_test(random_ring),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests_name("traffic_exchange", tests, NULL, NULL);
}
