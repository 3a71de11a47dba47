/* Decisions of the dragonfly routings that choose, as docs/MODEL.md states them, for switches of decision_fixture.h; and
 * what notifications and packets that leave make of the probabilities of `qcn-switch`. Counts which ties and boundaries
 * have been met. */
#ifndef COP_DECISION_RULE_H
#define COP_DECISION_RULE_H

#include "decision_fixture.h"

#include <math.h>

typedef struct packet {
    uint32_t number, dst, sw, in;
    uint32_t visit; /* COP_NONE: minimal so far */
    bool turned; /* has been in the group that it visits */
    bool control, apart;
} packet;

typedef struct answer {
    uint32_t port, vl, visit;
} answer;

typedef struct ways { /* first hops and links of both */
    uint32_t port, vl, links, other_port, other_vl, other_links, visit;
} ways;

typedef struct seen { /* how often; each must have happened */
    uint32_t around, late, changed, equal_products, at_limit, n_is_p, n_is_1, n_is_100,
        to_its_group, same_port, no_cable, no_group, same_group, same_switch, without_entry;
} seen;

static inline bool has_cable(const world *w, uint32_t sw, uint32_t port)
{
    return port < w->d.p || behind(&w->d, sw, port) != COP_NONE;
}

static inline uint32_t ports_of(const world *w)
{
    return first_global(&w->d) + w->d.h;
}

/* -- probabilities -- */

static inline void rise(const rule *r, double *p)
{
    *p = r->over ? 100.0 : fmin(*p + r->pi, 100.0);
}

static inline void fall(const rule *r, double *p, double f)
{
    *p = r->over ? 0.0 : fmax(*p * (1.0 - r->lf * f), 0.0);
}

/* What MODEL.md says of a notification with feedback f. */
static inline void note(const world *w, place *s, uint32_t sw, uint32_t port, double f)
{
    const rule *r = w->rule;
    double sum = 0.0, n = 0.0;
    s->count[port] = 0;
    s->last[port] = f;
    for (uint32_t i = w->d.p; i < ports_of(w); i++)
        if (has_cable(w, sw, i)) {
            sum += s->last[i];
            n += 1.0;
        }
    if (!r->compare)
        fall(r, &s->p[port], f);
    else if (f < sum / n - r->th1)
        rise(r, &s->p[port]);
    else if (f > sum / n + r->th2)
        fall(r, &s->p[port], f - sum / n);
}

/* -- the choice -- */

/* What waits for a port, with `loads: lane` for its lane, and what was sent on that lane. */
static inline uint64_t load_at(const world *w, uint32_t sw, uint32_t port, uint32_t vl)
{
    const place *s = &w->at[sw];
    return (w->rule->by_lane ? s->waiting[port][vl] : all_waiting(s, port)) + s->sent[port][vl];
}

/* More bytes wait for it than factor x mean + margin? */
static inline bool flagged(const world *w, uint32_t sw, uint32_t port, seen *met)
{
    uint64_t sum = 0, n = 0;
    for (uint32_t i = first_global(&w->d); i < ports_of(w); i++) {
        sum += all_waiting(&w->at[sw], i);
        n += has_cable(w, sw, i);
    }
    uint64_t has = 4 * n * all_waiting(&w->at[sw], port),
             limit = w->rule->factor_4 * sum + 4 * n * w->rule->margin;
    met->at_limit += has == limit;
    return has > limit;
}

static inline bool product_is_larger(const world *w, uint32_t sw, const ways *y, seen *met)
{
    uint64_t minimal = load_at(w, sw, y->port, y->vl) * y->links,
             other = load_at(w, sw, y->other_port, y->other_vl) * y->other_links;
    met->equal_products += minimal == other + w->rule->threshold && y->port != y->other_port;
    return minimal > other + w->rule->threshold;
}

static inline bool exceeds(const world *w, uint32_t sw, uint32_t port, uint32_t n, seen *met)
{
    double p = w->at[sw].p[port];
    met->n_is_p += (double)n == p && n < 100;
    met->n_is_1 += n == 1 && p > 0.0 && p < 1.0;
    met->n_is_100 += n == 100 && p >= 99.0 && p < 100.0;
    return n > p;
}

/* Does the rule send the packet around? */
static inline bool goes_around(const world *w, const packet *k, const ways *y, uint32_t n,
                               seen *met)
{
    const char *kind = w->rule->kind;
    uint32_t port;
    if (strcmp(kind, "qcn-switch") == 0)
        return exceeds(w, k->sw, y->port, n, met);
    if (strcmp(kind, "pause") == 0)
        return w->at[k->sw].shut[y->port][y->vl];
    bool larger = product_is_larger(w, k->sw, y, met);
    if (strcmp(kind, "ugal") == 0)
        return larger;
    uint32_t gate = global_link(&w->d, k->sw, k->in, k->dst / w->d.p / w->d.a, k->dst, &port);
    return flagged(w, gate, port, met) || larger;
}

static inline bool from_host(const world *w, const packet *k)
{
    return k->in < w->d.p;
}

static inline bool from_group(const world *w, const packet *k)
{
    return k->in >= w->d.p && k->in < first_global(&w->d);
}

static inline bool may_choose(const world *w, const packet *k)
{
    return !k->control && k->visit == COP_NONE && k->sw / w->d.a != k->dst / w->d.p / w->d.a &&
           (from_host(w, k) || (w->progressive && from_group(w, k)));
}

static inline cop_rng draws_of(const world *w, const packet *k)
{
    cop_rng rng = cop_rng_make(k->number, COP_RNG_TEST, k->sw);
    if (!from_host(w, k))
        rng.counter ^= (uint64_t)1 << 62;
    return rng;
}

/* The group that the other way visits; COP_NONE: there is none. */
static inline uint32_t group_to_visit(const world *w, const packet *k, cop_rng *rng, seen *met)
{
    const dragonfly *d = &w->d;
    uint32_t here = k->sw / d->a, there = k->dst / d->p / d->a, group[SWITCHES], n = 0;
    if (w->via == VIA_OWN && from_host(w, k)) {
        uint32_t far = behind(d, k->sw, first_global(d) + k->in % d->h);
        met->no_cable += far == COP_NONE;
        return far == COP_NONE ? COP_NONE : far / d->a;
    }
    for (uint32_t g = 0; g < d->groups; g++)
        if (g != here && (g != there || w->via == VIA_ANY))
            group[n++] = g;
    met->no_group += n == 0;
    return n == 0 ? COP_NONE : group[cop_rng_below(rng, n)];
}

static inline uint32_t port_around(const world *w, const packet *k, uint32_t visit)
{
    const dragonfly *d = &w->d;
    return w->via == VIA_OWN && from_host(w, k) ? first_global(d) + k->in % d->h
                                                : port_to_group(d, k->sw, k->in, visit, k->dst);
}

/* Lane of the first hop: local 0, and 1 for a second one in the source's group; global 0. */
static inline uint32_t first_lane(const world *w, const packet *k, uint32_t port)
{
    return port < first_global(&w->d) && w->progressive && from_group(w, k) ? 1 : 0;
}

static inline uint32_t choose(const world *w, const packet *k, seen *met)
{
    const dragonfly *d = &w->d;
    cop_rng rng = draws_of(w, k);
    ways y = {.port = minimal_port(d, k->sw, k->in, k->dst),
              .links = minimal_links(d, k->sw, k->in, k->dst)};
    y.visit = group_to_visit(w, k, &rng, met);
    if (y.visit == COP_NONE)
        return COP_NONE;
    y.other_port = port_around(w, k, y.visit);
    y.vl = first_lane(w, k, y.port);
    y.other_vl = first_lane(w, k, y.other_port);
    uint32_t port, entry = behind(d, k->sw, y.other_port);
    if (entry / d->a != y.visit) {
        global_link(d, entry, far_port(d, k->sw, y.other_port), y.visit, k->dst, &port);
        entry = behind(d, entry, port);
        y.other_links++;
    }
    y.other_links += 1 + minimal_links(d, entry, first_global(d), k->dst);
    if (!goes_around(w, k, &y, 1 + cop_rng_below(&rng, 100), met))
        return COP_NONE;
    met->to_its_group += y.visit == k->dst / d->p / d->a;
    met->same_port += y.port == y.other_port;
    met->around++;
    met->late += !from_host(w, k);
    return y.visit;
}

/* What the switch does with a packet: output, lane, and group to visit from now on. */
static inline answer by_model(const world *w, const packet *k, seen *met)
{
    const dragonfly *d = &w->d;
    uint32_t target = k->dst / d->p, here = k->sw / d->a, there = target / d->a;
    answer x = {.visit = may_choose(w, k) ? choose(w, k, met) : k->visit};
    bool going = x.visit != COP_NONE && !k->turned && here != x.visit,
         back = x.visit != COP_NONE && !going;
    if (target == k->sw) {
        met->same_switch += from_host(w, k);
        x.port = k->dst % d->p;
        return x;
    }
    met->same_group += here == there && from_host(w, k);
    x.port = going ? port_around(w, k, x.visit) : minimal_port(d, k->sw, k->in, k->dst);
    if (x.port >= first_global(d))
        x.vl = back;
    else if (here == there)
        x.vl = k->apart ? 1 : w->progressive ? 3 : 2;
    else
        x.vl = !back ? first_lane(w, k, x.port) : w->progressive ? 2 : 1;
    return x;
}

#endif
