/* Role: when messages come into being: a stream's first and next t_next.
 * Mechanism: a process asks for an amount of work (bytes, Q16); a rate turns work into time by an
 *   exact fraction whose remainder the stream keeps, so rates do not drift however long a run is:
 *     constant   the work of a message is its own size; the first one comes at the start;
 *     poisson    exponential work whose mean is the mean size;
 *     bernoulli  slots of the mean message at the host's full rate, or of a given length, counted from
 *                the start; each has a message with the chance that makes the rate (rate / full rate),
 *                independently.
 *   The two parts of a B node (forest, mix: drawn) are one process with the rate of both: each of its
 *   messages is for the hotspot with chance p. Each part has a stream that follows all of the process,
 *   with the same random numbers, and keeps what is its own; so they stay independent queues.
 *   Pulses and bursts switch between two rates. Work goes on across the switch at the new rate; a
 *   Bernoulli slot in which the rate changes has the chance of its mean rate, so that pulses keep
 *   their share however slots fall on them. A Poisson or Bernoulli process has no memory, so drawing
 *   again after a switch leaves its law unchanged.
 *   Bursts and the times between them are exponential, or Pareto with a common tail index
 *   (Willinger, Taqqu, Sherman, Wilson 1997: the sum of many is self-similar). A stream begins in the
 *   middle: on with chance on / (on + off), and the first phase is the rest of one that it falls
 *   into, so the mean rate holds from the start on.
 * Invariant: times never decrease; no t_next at or after t_stop. Draws depend on seed, entry, host
 *   and part only, never on when the network takes the messages.
 * Simplification: work left at a switch of rates is rounded to 2^-16 byte. */
#include "traffic/traffic_priv.h"

#define MAX_SLOTS ((uint64_t)1 << 40) /* keeps slots x mean size x num below 2^128 */

double traffic_slot_chance(const traffic_entry *e, uint64_t bps, uint64_t host_bps)
{
    if (e->slot == 0)
        return (double)bps / (double)host_bps;
    double bits = (double)e->mean_q16 / 0x1p16 * 8.0;
    return (double)bps * (double)e->slot / (bits * (double)COP_SECOND);
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Index of a rate in the table. Hosts of one kind come in a row: the newest ones are tried first.
 */
static uint32_t rate_index(traffic_build *b, const traffic_entry *e, uint8_t gen, uint64_t bps,
                           uint64_t host_bps)
{
    traffic_rate r = {.bps = bps, .host_bps = host_bps, .gen = gen};
    uint64_t clock = gen == GEN_BERNOULLI ? host_bps : bps;
    if (e->slot > 0) {
        r.num = r.den = 1;
    } else if (clock > 0) {
        uint64_t num = 8 * COP_SECOND, den = clock << 16, g = gcd(num, den);
        r.num = num / g;
        r.den = den / g;
    }
    r.chance = cop_geometric_of(traffic_slot_chance(e, bps, host_bps));
    for (size_t i = b->n_rates; i > 0 && i + 8 > b->n_rates; i--) {
        const traffic_rate *o = &b->rate[i - 1];
        if (o->gen == gen && o->bps == bps && o->host_bps == host_bps && o->den == r.den &&
            o->chance.p >= r.chance.p && o->chance.p <= r.chance.p)
            return (uint32_t)(i - 1);
    }
    b->rate = cop_grow(b->rate, &b->cap_rates, b->n_rates + 1, sizeof(r));
    b->rate[b->n_rates] = r;
    return (uint32_t)b->n_rates++;
}

static cop_time later(cop_time t, cop_time span)
{
    return span < COP_NEVER - t ? t + span : COP_NEVER;
}

/* How long a phase of random length takes; `rest`: one that has begun before. */
static cop_time draw_length(const traffic_entry *e, cop_rng *r, cop_time mean, bool rest)
{
    if (e->tail <= 0.0) /* no memory: the rest is like the whole */
        return cop_rng_exponential(r, mean);
    return rest ? cop_rng_pareto_rest(r, mean, e->tail) : cop_rng_pareto(r, mean, e->tail);
}

/* End of the phase that begins now; `rest`: that is under way. */
static void set_phase(const traffic_entry *e, cop_stream *s, cop_rng *r, bool rest)
{
    cop_time length = e->length[s->low];
    if (e->wave == WAVE_BURSTS)
        length = cop_max64(1, draw_length(e, r, length, rest));
    s->t_phase = later(s->t_phase, length);
}

static void begin_phase(const traffic_entry *e, cop_stream *s, cop_rng *r)
{
    set_phase(e, s, r, false);
}

static void divide(traffic_u128 x, uint64_t den, traffic_u128 *q, uint64_t *rem)
{
    COP_ASSERT(den > 0);
    if (COP_LIKELY(x >> 64 == 0)) {
        *q = (uint64_t)x / den;
        *rem = (uint64_t)x % den;
    } else {
        *q = x / den;
        *rem = (uint64_t)(x % den);
    }
}

static cop_time after_work(const traffic_entry *e, const traffic_rate *rates, cop_stream *s,
                           cop_rng *r, uint64_t work)
{
    cop_time t = s->t_next;
    for (;;) {
        const traffic_rate *rate = &rates[s->rate[s->low]];
        if (rate->bps != 0) {
            traffic_u128 span;
            uint64_t rem;
            divide((traffic_u128)work * rate->num + s->rem, rate->den, &span, &rem);
            if (span < s->t_phase - t) {
                s->rem = rem;
                return t + (cop_time)span;
            }
            traffic_u128 ticks = (traffic_u128)(s->t_phase - t) * rate->den;
            traffic_u128 done = ticks > s->rem ? (ticks - s->rem) / rate->num : 0;
            work -= done < work ? (uint64_t)done : work;
        }
        if (s->t_phase >= s->t_stop)
            return COP_NEVER;
        t = s->t_phase;
        s->rem = 0;
        s->low ^= 1;
        begin_phase(e, s, r);
    }
}

/* The phase of a square wave at time t, which is not before the present one; whole periods at once. */
static void phase_at(const traffic_entry *e, cop_stream *s, cop_rng *r, cop_time t)
{
    if (t < s->t_phase || s->t_phase >= s->t_stop)
        return;
    if (e->wave == WAVE_SQUARE)
        s->t_phase +=
            (t - s->t_phase) / (e->length[0] + e->length[1]) * (e->length[0] + e->length[1]);
    while (s->t_phase <= t && s->t_phase < s->t_stop) {
        s->low ^= 1;
        begin_phase(e, s, r);
    }
}

/* Chance of the slot from `begin` to `end`, in which the phase and perhaps others after it end. */
static double mixed_chance(const traffic_entry *e, const traffic_rate *rates, const cop_stream *s,
                           cop_time begin, cop_time end)
{
    if (end == begin)
        return rates[s->rate[s->low]].chance.p;
    cop_time other = e->length[!s->low], period = other + e->length[s->low];
    cop_time after = end - s->t_phase;
    cop_time in_other = after / period * other + cop_min64(after % period, other);
    double now = rates[s->rate[s->low]].chance.p, then = rates[s->rate[!s->low]].chance.p;
    return now + (then - now) * ((double)in_other / (double)(end - begin));
}

/* The first slot with a message, from `skip` slots after t_next on. */
static cop_time after_slots(const traffic_entry *e, const traffic_rate *rates, cop_stream *s,
                            cop_rng *r, uint64_t skip)
{
    cop_time t = s->t_next;
    while (t < s->t_stop) {
        const traffic_rate *rate = &rates[s->rate[s->low]];
        traffic_u128 slot = e->slot ? e->slot : (traffic_u128)e->mean_q16 * rate->num, span;
        bool changes = s->t_phase < s->t_stop;
        traffic_u128 ticks = changes ? (traffic_u128)(s->t_phase - t) * rate->den - s->rem : 0;
        traffic_u128 whole = ticks / slot; /* slots until the phase ends */
        uint64_t rem;
        if (rate->bps != 0) {
            uint64_t drawn = skip + cop_rng_geometric(r, rate->chance),
                     k = cop_min64(drawn, MAX_SLOTS);
            divide(slot * k + s->rem, rate->den, &span, &rem);
            if (changes ? k < whole : span < s->t_phase - t) {
                s->rem = rem;
                t += (cop_time)span;
                if (drawn <= MAX_SLOTS)
                    return t;
                skip = 0; /* as far as one can count; it has no memory */
                continue;
            }
        }
        if (!changes)
            return COP_NEVER;
        divide(slot * whole + s->rem, rate->den, &span, &rem);
        cop_time begin = later(t, (cop_time)span);
        if (whole * slot < ticks) { /* the rate changes in this slot, which may be t_next's own */
            uint64_t end_rem;
            divide(slot + rem, rate->den, &span, &end_rem);
            cop_time end = later(begin, (cop_time)span);
            if (whole >= skip && cop_rng_unit(r) < mixed_chance(e, rates, s, begin, end)) {
                s->rem = rem;
                return begin;
            }
            begin = end;
            rem = end_rem;
        }
        t = begin;
        s->rem = rem;
        phase_at(e, s, r, t);
        skip = 0;
    }
    return COP_NEVER;
}

static void set_next(cop_stream *s, cop_time t)
{
    s->t_next = t < s->t_stop ? t : COP_NEVER;
}

/* From the message at t_next, of so many bytes, to the one after it. */
static cop_time step(const traffic_entry *e, const traffic_rate *rates, cop_stream *s, cop_rng *r,
                     uint32_t bytes)
{
    if (s->gen == GEN_BERNOULLI)
        return after_slots(e, rates, s, r, 1);
    uint64_t work =
        s->gen == GEN_POISSON ? cop_rng_exponential(r, e->mean_q16) : (uint64_t)bytes << 16;
    return after_work(e, rates, s, r, work);
}

/* The first message of the stream's own kind from the one at t on. No messages for the hotspot are
 * made while the host is the hotspot itself. */
static cop_time first_own(const traffic_entry *e, const traffic_rate *rates, cop_stream *s,
                          cop_rng *r, cop_time t)
{
    bool wants_hot = s->part == COP_PART_HOTSPOT;
    while (t < s->t_stop) {
        bool hot = traffic_share_hit(e->hot_bits, cop_rng_u64(r));
        if (hot == wants_hot && !(hot && traffic_forest_self(&e->forest, s, t)))
            break;
        s->t_next = t;
        t = step(e, rates, s, r, traffic_size_draw(e, s));
    }
    return t;
}

/* Uniform in [0, n). */
static uint64_t below64(cop_rng *r, uint64_t n)
{
    return (uint64_t)((traffic_u128)cop_rng_u64(r) * n >> 64);
}

void traffic_arrival_start(traffic_build *b, const traffic_entry *e, cop_stream *s,
                           const uint64_t bps[2])
{
    uint64_t limit = b->ctx->inject_bps[s->host];
    s->t_phase = COP_NEVER;
    if (s->saturated || s->t_next >= s->t_stop) {
        set_next(s, s->t_next);
        return;
    }
    for (int i = 0; i < 2; i++)
        s->rate[i] = rate_index(b, e, s->gen, bps[i], limit);
    cop_rng r = traffic_rng(e, s, COP_RNG_ARRIVAL, s->rng_arrival);
    if (e->wave != WAVE_NONE) {
        uint64_t on = e->length[0], off = e->length[1];
        s->low = e->wave == WAVE_BURSTS && below64(&r, on + off) >= on;
        s->t_phase = s->t_next;
        set_phase(e, s, &r, true);
    }
    uint64_t lead = e->random_phase ? below64(&r, e->slot ? e->slot : e->mean_q16) : 0;
    cop_time t;
    if (s->gen == GEN_BERNOULLI) {
        traffic_u128 span;
        const traffic_rate *rate = &b->rate[s->rate[0]];
        divide((traffic_u128)lead * rate->num, rate->den, &span, &s->rem);
        s->t_next = later(s->t_next, (cop_time)span);
        phase_at(e, s, &r, s->t_next);
        t = after_slots(e, b->rate, s, &r, 0);
    } else {
        uint64_t work = s->gen == GEN_POISSON ? cop_rng_exponential(&r, e->mean_q16) : lead;
        t = after_work(e, b->rate, s, &r, work);
    }
    set_next(s, s->drawn ? first_own(e, b->rate, s, &r, t) : t);
    s->rng_arrival = r.counter;
}

cop_time traffic_arrival_next(const traffic_entry *e, const traffic_rate *rates, cop_stream *s,
                              uint32_t bytes)
{
    cop_rng r = traffic_rng(e, s, COP_RNG_ARRIVAL, s->rng_arrival);
    cop_time t = step(e, rates, s, &r, bytes);
    if (COP_UNLIKELY(s->drawn))
        t = first_own(e, rates, s, &r, t);
    s->rng_arrival = r.counter;
    return t < s->t_stop ? t : COP_NEVER;
}
