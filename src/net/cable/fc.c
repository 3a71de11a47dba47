/* Flow control: the return rings, blocking and waking, and the two credit schemes.
 *
 * credit   M-fc-credit: the sender counts blocks of 64 bytes per buffer section, starting with the
 *          whole section; a packet takes its blocks when it starts, and they come back when its
 *          last byte has left the receiver's buffer, one link delay (+ processing) later.
 * shared   the lanes of a port have `reserve` blocks each and share the rest. Only the sender fills
 *          that buffer, so it does the book-keeping for all lanes.
 * ib       M-fc-ibabs: a return contains the total ever granted, not the difference. A lost message
 *          is corrected by the next one, at the latest by the periodic refresh.
 * Invariant, checked after every run: credit + returns in flight + blocks on the wire and in the
 * buffer = capacity, for every section of every link. */
#include "net/cable/fc.h"

#include "base/mem.h"
#include "base/rng.h"
#include "net/cable/fc_state.h"

void cop_ring_init(cop_ring *r, cop_return *first)
{
    *r = (cop_ring){.v = first, .mask = COP_RING_FIRST - 1};
}

void cop_ring_fini(cop_ring *r)
{
    if (r->mask >= COP_RING_FIRST)
        cop_free(r->v);
    *r = (cop_ring){0};
}

void cop_ring_insert_slow(cop_ring *r, cop_return ret)
{
    uint32_t n = r->end - r->at;
    if (n > r->mask) {
        uint32_t cap = (r->mask + 1) * 2;
        cop_return *v = cop_alloc_array(cap, sizeof(*v));
        for (uint32_t i = 0; i < n; i++)
            v[i] = r->v[(r->at + i) & r->mask];
        cop_ring_fini(r);
        *r = (cop_ring){.v = v, .end = n, .mask = cap - 1};
    }
    uint32_t i = r->end++;
    for (; i != r->at && r->v[(i - 1) & r->mask].t > ret.t; i--)
        r->v[i & r->mask] = r->v[(i - 1) & r->mask];
    r->v[i & r->mask] = ret;
}

static bool comes_first(const cop_return *a, const cop_return *b)
{
    return a->t == b->t && a->section < b->section;
}

/* Returns of one time in the order of their sections: requests that wait for them compete again in
 * that order, independent of the order in which the switch at the far end sent packets on. */
static void order_due(cop_ring *r, cop_time now)
{
    for (uint32_t i = r->at; i != r->end && r->v[i & r->mask].t <= now; i++) {
        cop_return ret = r->v[i & r->mask];
        uint32_t at = i;
        for (; at != r->at && comes_first(&ret, &r->v[(at - 1) & r->mask]); at--)
            r->v[at & r->mask] = r->v[(at - 1) & r->mask];
        r->v[at & r->mask] = ret;
    }
}

static __attribute__((noinline)) void settle_sections(cop_net *net, uint32_t port)
{
    cop_ring *r = &net->out[port].ring;
    if (net->section_waiters[port])
        order_due(r, net->now);
    while (cop_ring_due(r, net->now)) {
        cop_return ret = cop_ring_pop(r);
        net->fc->settle(net, port, &ret);
        net->section_open(net, port, ret.section);
    }
}

void cop_fc_settle_all(cop_net *net, uint32_t port)
{
    cop_ring *r = &net->out[port].ring;
    if (net->sectioned) {
        settle_sections(net, port);
        return;
    }
    while (cop_ring_due(r, net->now)) {
        cop_return ret = cop_ring_pop(r);
        net->fc->settle(net, port, &ret);
    }
}

void cop_fc_arm(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    const cop_ring *r = &net->out[port].ring;
    if (!(out->waits & COP_WAIT_CREDIT) || r->at == r->end ||
        r->v[r->at & r->mask].t >= out->credit_at)
        return;
    out->credit_at = r->v[r->at & r->mask].t;
    cop_net_push(net, out->credit_at, COP_EV_CREDIT, port);
}

void cop_fc_return(cop_net *net, uint32_t port, cop_return ret)
{
    cop_ring_insert(&net->out[port].ring, ret);
    cop_fc_arm(net, port);
}

void cop_fc_unblock(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    for (uint32_t left = out->vl_blocked; left; left &= left - 1) {
        uint32_t vl = (uint32_t)__builtin_ctz(left);
        /* With private sections a host tries each message again. */
        if (net->sectioned || cop_fc_fits(net, port, vl, net->out[port].lane[vl].need))
            cop_fc_open(out, 1u << vl);
    }
}

bool cop_fc_came(cop_net *net, uint32_t port)
{
    cop_out *out = &net->out[port];
    if (out->credit_at != net->now)
        return false;
    out->credit_at = COP_NEVER;
    cop_fc_settle(net, port);
    return true;
}

static bool ring_has(const cop_ring *r, uint32_t s)
{
    for (uint32_t i = r->at; i != r->end; i++)
        if (r->v[i & r->mask].section == s)
            return true;
    return false;
}

bool cop_fc_coming(const cop_net *net, uint32_t port, uint32_t s)
{
    const cop_out *out = &net->out[port];
    if (net->fc->mixed) /* refused packets are always sent again */
        return out->busy_until > net->now || out->ring.at != out->ring.end ||
               net->in[out->to].wire_head != COP_NONE;
    return ring_has(&out->ring, s) ||
           (net->fc->later != NULL && ring_has(net->fc->later(net, out->to), s));
}

/* -- for the deadlock watch -- */

static uint32_t beyond_reserve(const cop_section *sec)
{
    return sec->used > sec->credit ? sec->used - sec->credit : 0;
}

static uint64_t returned(const cop_ring *r, uint32_t s)
{
    uint64_t sum = 0;
    for (uint32_t i = r->at; i != r->end; i++)
        if (r->v[i & r->mask].section == s)
            sum += r->v[i & r->mask].blocks & ~COP_IB_LOST;
    return sum;
}

uint64_t cop_fc_held(const cop_net *net, uint32_t port, uint32_t s)
{
    size_t at = (size_t)net->out[port].to * net->sections + s;
    if (net->fc->in_bytes)
        return net->fc_state->hold[at].bytes - returned(net->fc->later(net, net->out[port].to), s);
    uint32_t *behind = net->fc_state->behind;
    return cop_fc_section(net, port, s)->used - returned(&net->out[port].ring, s) -
           (behind ? behind[(size_t)port * net->sections + s] : 0);
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

bool cop_fc_fits_beside(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks,
                        uint64_t stays, uint64_t beyond)
{
    const cop_section *sec = cop_fc_section(net, port, s);
    size_t at = (size_t)net->out[port].to * net->sections + s;
    if (net->fc->in_bytes) {
        const cop_inbuf *b = &net->fc_state->inbuf[net->out[port].to];
        return less(net->fc_state->hold[at].capacity, stays) > b->xon;
    }
    if (net->shared_free == NULL)
        return less(sec->capacity, stays) >= blocks;
    uint64_t shared = net->shared_free[port];
    for (uint32_t i = 0; i < net->sections; i++)
        shared += beyond_reserve(cop_fc_section(net, port, i));
    return less(sec->credit, stays) + less(shared, beyond) >= blocks;
}

/* -- relative credits (fc.h has them inline; shared lanes and ib build on these) -- */

static void credit_take(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    cop_section *sec = cop_fc_section(net, port, s);
    COP_ASSERT(sec->credit >= blocks);
    sec->credit -= blocks;
    sec->used += blocks;
}

static void credit_give(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks, cop_time t)
{
    cop_return ret = {.t = cop_fc_back(net, port, t), .section = s, .blocks = blocks};
    cop_fc_return(net, net->in[port].from, ret);
}

static void credit_settle(cop_net *net, uint32_t port, const cop_return *r)
{
    cop_section *sec = cop_fc_section(net, port, r->section);
    sec->credit += r->blocks;
    sec->used -= r->blocks;
}

const cop_fc_ops cop_fc_credit = {
    .take = credit_take, .give = credit_give, .settle = credit_settle};

/* -- lanes that share a buffer: section.credit is the lane's private reserve, fixed -- */

static bool shared_fits(const cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    const cop_section *sec = cop_fc_section(net, port, s);
    uint32_t own = sec->credit > sec->used ? sec->credit - sec->used : 0;
    return blocks <= own || blocks - own <= net->shared_free[port];
}

static void shared_take(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks)
{
    cop_section *sec = cop_fc_section(net, port, s);
    uint32_t before = beyond_reserve(sec);
    sec->used += blocks;
    net->shared_free[port] -= beyond_reserve(sec) - before;
}

static void shared_settle(cop_net *net, uint32_t port, const cop_return *r)
{
    cop_section *sec = cop_fc_section(net, port, r->section);
    uint32_t before = beyond_reserve(sec);
    sec->used -= r->blocks;
    net->shared_free[port] += before - beyond_reserve(sec);
}

const cop_fc_ops cop_fc_credit_shared = {
    .fits = shared_fits, .take = shared_take, .give = credit_give, .settle = shared_settle};

/* -- InfiniBand: absolute limits. `granted` is counted by the receiver, in the order in which space
 * becomes free; the sender's credit follows when a message arrives. -- */

static void ib_give(cop_net *net, uint32_t port, uint32_t s, uint32_t blocks, cop_time t)
{
    uint32_t sender = net->in[port].from;
    cop_return ret = {.t = cop_fc_back(net, port, t), .section = s, .blocks = blocks};
    if (net->fc_cfg->loss > 0.0) {
        cop_rng rng = cop_rng_make(net->info.seed, COP_RNG_LINK, port);
        rng.counter = net->fc_state->draws[port]++;
        if (cop_rng_unit(&rng) < net->fc_cfg->loss) {
            cop_time period = net->fc_cfg->refresh_ps;
            cop_return refresh = {.t = (ret.t / period + 1) * period, .section = s};
            ret.blocks |= COP_IB_LOST;
            cop_fc_return(net, sender, refresh);
        }
    }
    cop_fc_return(net, sender, ret);
}

static void ib_settle(cop_net *net, uint32_t port, const cop_return *r)
{
    cop_section *sec = cop_fc_section(net, port, r->section);
    uint32_t *behind = &net->fc_state->behind[(size_t)port * net->sections + r->section];
    *behind += r->blocks & ~COP_IB_LOST;
    if (r->blocks & COP_IB_LOST)
        return;
    sec->credit += *behind;
    sec->used -= *behind;
    *behind = 0;
}

const cop_fc_ops cop_fc_ib = {.take = credit_take, .give = ib_give, .settle = ib_settle};
