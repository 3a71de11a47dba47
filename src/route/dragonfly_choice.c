/* Minimal or not, packet by packet at the first switch. See dragonfly_choice.h. */
#include "route/dragonfly_choice.h"

#include <stdio.h>

enum {
    CHOSEN = 1,
    TURNED = 2,
    AGAIN = 4,
    ASKED = 8
}; /* hop->state: has chosen; was in the group it visits; twice; routed on arrival (`decide:
      head`) */

#define LATE                                                                                       \
    (1u                                                                                            \
     << 31) /* in hop->mid, dependency check only: chosen at the second switch, if it is in the first group */

const char *const cop_choice_via_names[] = {"other", "any-but-source", "own-port", NULL};
const char *const cop_choice_decide_names[] = {"arrival", "head", NULL};

/* The global link that belongs to port `in_port` of a switch. */
static uint16_t own_link(const cop_dragonfly *d, uint32_t in_port)
{
    return (uint16_t)(cop_dragonfly_global0(d) + in_port % d->h);
}

/* The switch behind that link; COP_NONE: no cable. */
static uint32_t own_far(const cop_route *r, const cop_dragonfly *d, uint32_t sw, uint32_t in_port)
{
    uint32_t to = r->topo->port[cop_topo_switch_port(r->topo, sw, own_link(d, in_port))].to;
    return to == COP_NONE ? COP_NONE : r->topo->port[to].owner;
}

/* Does a packet at its first switch, which visits `group`, leave by the link of its port? Others of
 * the switch may lead to that group, too. */
static bool by_own_link(const cop_choice *c, const cop_hop *hop, uint32_t group)
{
    return c->via == COP_CHOICE_OWN_PORT && hop->in_port < c->map.p &&
           c->own[hop->sw * c->map.p + hop->in_port] == group;
}

/* The first port on the path to the group that a packet visits. */
static uint16_t visit_port(const cop_choice *c, const cop_hop *hop, uint32_t group)
{
    return by_own_link(c, hop, group) ? own_link(&c->map, hop->in_port)
                                      : cop_dragonfly_port(&c->map, &c->ports, hop, group);
}

/* Number i of the groups that a path from group `from` to group `to` may visit; COP_NONE: past the
 * last. */
static uint32_t nth_group(const cop_choice *c, uint32_t from, uint32_t to, uint32_t i)
{
    uint32_t other = c->via == COP_CHOICE_ANY_BUT_SOURCE ? from : to;
    uint32_t low = from < other ? from : other, high = from < other ? other : from;
    uint32_t group = i + (i >= low ? 1 : 0);
    group += low != high && group >= high ? 1 : 0;
    return group < c->map.groups ? group : COP_NONE;
}

static uint32_t count_groups(const cop_choice *c)
{
    uint32_t taken = c->via == COP_CHOICE_ANY_BUT_SOURCE ? 1 : 2;
    return c->map.groups > taken ? c->map.groups - taken : 0;
}

/* A packet's random numbers at one switch are consecutive, and so are those of neighbouring
 * switches: the second decision draws from another part of the stream, to avoid the numbers of the
 * first. */
#define DRAWS_AGAIN ((uint64_t)1 << 62)

/* First hop by `port`, on lane 0 of a global link. */
static cop_cand on_lane(const cop_dragonfly *d, uint16_t port, uint8_t local_vl)
{
    return (cop_cand){.port = port, .vl = port < cop_dragonfly_global0(d) ? local_vl : 0};
}

#define BY_TABLE COP_PORT_NONE

/* Non-minimal entries like `e`: to hosts of groups `from` to `to` - 1. */
static void add_visit(const cop_dragonfly *d, cop_flow_table *t, cop_flow_entry e, uint32_t sw,
                      uint32_t from, uint32_t to)
{
    uint32_t hosts = d->by_hosts.by, unit = e.out == BY_TABLE && d->parallel ? 1 : hosts;
    bool table = e.out == BY_TABLE;
    for (uint32_t dst = from * hosts; dst < to * hosts; dst += unit) {
        e.dst_first = dst;
        e.dst_last = dst + unit - 1;
        if (table)
            e.out = cop_dragonfly_leave(d, &(cop_hop){.sw = sw, .in_port = e.in_first, .dst = dst},
                                        e.visit, 0, 0)
                        .port;
        cop_flow_add(t, e);
    }
}

/* For packets that came in by ports first to last and leave by `out` (BY_TABLE: as others to that
 * group) to visit a group: to all groups but this one and `but`, which may be the same. */
static void add_visits(const cop_dragonfly *d, cop_flow_table *t, uint32_t sw, uint16_t first,
                       uint16_t last, uint32_t visit, uint16_t out, uint32_t but)
{
    uint32_t here = sw / d->a, low = here < but ? here : but, high = here < but ? but : here;
    cop_flow_entry e = {
        .in_first = first, .in_last = last, .priority = COP_FLOW_LOW, .out = out, .visit = visit};
    add_visit(d, t, e, sw, 0, low);
    add_visit(d, t, e, sw, low + 1, high);
    add_visit(d, t, e, sw, high + 1, d->groups);
}

/* Entries of `own-port`: one global link for each port that a host feeds. */
static void add_own(const cop_route *r, const cop_choice *c, uint32_t sw, cop_flow_table *t)
{
    const cop_dragonfly *d = &c->map;
    for (uint16_t in = 0; c->via == COP_CHOICE_OWN_PORT && in < d->p; in++) {
        uint32_t far = own_far(r, d, sw, in);
        if (far != COP_NONE)
            add_visits(d, t, sw, in, in, far / d->a, own_link(d, in), sw / d->a);
    }
}

void cop_choice_table(const cop_route *r, uint32_t sw, cop_flow_table *t)
{
    const cop_choice *c = r->state;
    const cop_dragonfly *d = &c->map;
    uint32_t here = sw / d->a;
    uint16_t in = (uint16_t)(c->via == COP_CHOICE_OWN_PORT ? d->p : 0), last,
             end = (uint16_t)(c->progressive ? cop_dragonfly_global0(d) : d->p);
    cop_dragonfly_entries(r, d, sw, true, t);
    add_own(r, c, sw, t);
    for (; in < end; in = (uint16_t)(last + 1)) {
        last = cop_dragonfly_like(d, in, end);
        for (uint32_t group = 0; group < d->groups; group++) /* drawn among these */
            if (group != here)
                add_visits(d, t, sw, in, last, group, BY_TABLE,
                           c->via == COP_CHOICE_ANY_BUT_SOURCE ? here : group);
    }
}

static void compile(cop_route *r, cop_choice *c)
{
    const cop_dragonfly *d = &c->map;
    uint32_t switches = d->groups * d->a;
    cop_dragonfly_compile(&c->ports, r, d, true);
    if (c->via != COP_CHOICE_OWN_PORT)
        return;
    c->own = COP_NEW_ARRAY(&r->arena, uint32_t, (size_t)switches * d->p);
    for (uint32_t i = 0; i < switches * d->p; i++)
        c->own[i] = COP_NONE;
    for (uint32_t sw = 0; sw < switches; sw++) {
        cop_flow_table t = {0};
        add_own(r, c, sw, &t);
        for (size_t i = 0; i < t.n; i++)
            c->own[sw * d->p + t.entry[i].in_first] = t.entry[i].visit;
        cop_flow_free(&t);
    }
}

/* Ports with a cable; a dragonfly with fewer groups than its full size has ports without. */
static void count_links(cop_route *r, cop_choice *c)
{
    const cop_dragonfly *d = &c->map;
    const cop_topo *t = r->topo;
    c->global_links = COP_NEW_ARRAY(&r->arena, uint16_t, d->groups * d->a);
    for (uint32_t sw = 0; sw < d->groups * d->a; sw++) {
        for (uint32_t p = cop_dragonfly_global0(d); p < cop_topo_ports_of(t, sw); p++)
            if (t->port[cop_topo_switch_port(t, sw, p)].to != COP_NONE)
                c->global_links[sw]++;
        if (c->global_links[sw] > c->most_global_links)
            c->most_global_links = c->global_links[sw];
    }
}

int cop_choice_setup(cop_route *r, cop_choice *c, const cop_choice_cfg *cfg, cop_err *err)
{
    int rc = cop_dragonfly_init(&c->map, r, err);
    if (rc != 0)
        return rc;
    count_links(r, c);
    c->via = cfg->via;
    c->progressive = cfg->progressive;
    r->facts.blind = c->progressive ? COP_BLIND_NEVER : COP_BLIND_IN_TRANSIT;
    c->at_head = r->facts.at_head = cfg->decide == COP_DECIDE_HEAD;
    r->facts.vls = c->progressive ? 4 : 3;
    /* With one link between two groups the table leads to the own one, whichever host it is. */
    r->facts.hosts_alike = c->via != COP_CHOICE_OWN_PORT || !c->map.parallel;
    r->facts.control_vls = 2;
    r->facts.control_global_vls = 1;
    r->state = c;
    if (count_groups(c) == 0 && (c->via != COP_CHOICE_OWN_PORT || c->map.groups == 1))
        r->facts.idle = "there is no other group to visit, so that all packets go minimal";
    compile(r, c);
    return 0;
}

/* Does the link of a host's port lead to group `to`? With parallel links, in addition to the
 * minimal one. */
static bool own_beside(const cop_choice *c, uint32_t host, uint32_t to)
{
    return c->via == COP_CHOICE_OWN_PORT && c->map.parallel && c->own[host] == to;
}

/* The dependency check enumerates all groups, independent of the rule: COP_NONE, the minimal path,
 * first; with `progressive` once more for packets that choose at their second switch. Packets
 * inside a group have the minimal path only. */
bool cop_choice_mid(const cop_route *r, uint32_t src, uint32_t dst, uint32_t i, uint32_t *mid)
{
    const cop_choice *c = r->state;
    const cop_dragonfly *d = &c->map;
    uint32_t from = cop_dragonfly_group_of(d, src), to = cop_dragonfly_group_of(d, dst);
    *mid = COP_NONE;
    if (i == 0)
        return true;
    if (from == to)
        return false;
    uint32_t beside = own_beside(c, src, to), n = count_groups(c);
    if (i <= beside) {
        *mid = to;
        return true;
    }
    i -= beside;
    if (i > n * (c->progressive ? 2 : 1))
        return false;
    *mid = nth_group(c, from, to, (i - 1) % n) | (i > n ? LATE : 0);
    return true;
}

static uint32_t draw_group(const cop_route *r, const cop_hop *hop, const cop_route_view *view)
{
    const cop_choice *c = r->state;
    const cop_dragonfly *d = &c->map;
    if (c->via == COP_CHOICE_OWN_PORT && hop->in_port < d->p)
        return c->own[hop->sw * d->p + hop->in_port];
    uint32_t n = count_groups(c);
    if (n == 0 || view->rng == NULL)
        return COP_NONE;
    return nth_group(c, cop_dragonfly_group(d, hop->sw), cop_dragonfly_group_of(d, hop->dst),
                     cop_rng_below(view->rng, n));
}

/* Lanes of local hops: in the source's group (a second one there), in the visited group. */
static uint8_t visit_vl(const cop_choice *c)
{
    return c->progressive ? 2 : 1;
}

void cop_choice_says(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                     const cop_route_view *view, bool other, const char *why)
{
    char minimal[64], around[64], text[320];
    const cop_topo *t = r->topo;
    cop_topo_port_name(t, cop_topo_switch_port(t, hop->sw, w->minimal.port), minimal,
                       sizeof(minimal));
    cop_topo_port_name(t, cop_topo_switch_port(t, hop->sw, w->other.port), around, sizeof(around));
    if (other)
        snprintf(text, sizeof(text), "around (group %u, %s), not minimal (%s): %s", w->via, around,
                 minimal, why);
    else
        snprintf(text, sizeof(text), "minimal (%s), not around (group %u, %s): %s", minimal, w->via,
                 around, why);
    view->can->says(view->ctx, hop->in_port, text);
}

void cop_choice_says_loads(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                           const cop_route_view *view, bool other, uint64_t minimal,
                           uint64_t around)
{
    char why[120];
    snprintf(why, sizeof(why),
             "load times links: %" PRIu64 " B x %u minimal, %" PRIu64 " B x %u around", minimal,
             w->minimal_links, around, w->other_links);
    cop_choice_says(r, hop, w, view, other, why);
}

static void choose(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                   cop_choice_rule rule, uint8_t local_vl)
{
    const cop_choice *c = r->state;
    const cop_dragonfly *d = &c->map;
    cop_ways w = {.via = draw_group(r, hop, view),
                  .for_good = !c->at_head || hop->in_port >= d->p || (hop->state & ASKED)};
    hop->state |= ASKED;
    if (w.via == COP_NONE)
        return;
    uint16_t port = cop_dragonfly_port(d, &c->ports, hop, cop_dragonfly_group_of(d, hop->dst));
    w.minimal = on_lane(d, port, local_vl);
    w.other = on_lane(d, visit_port(c, hop, w.via), local_vl);
    if (!c->no_links) {
        w.minimal_links = cop_dragonfly_distance(d, hop->sw, hop->in_port, hop->dst);
        w.other_links = by_own_link(c, hop, w.via)
                            ? 1 + cop_dragonfly_distance(d, own_far(r, d, hop->sw, hop->in_port),
                                                         COP_PORT_NONE, hop->dst)
                            : cop_dragonfly_detour(d, hop->sw, hop->in_port, w.via, hop->dst);
    }
    if (rule(r, hop, &w, view))
        hop->mid = w.via;
}

/* Hops without a choice: most hops. Packets that came from another switch, without
 * `progressive`. */
static inline void follow(const cop_route *r, const cop_choice *c, cop_hop *hop, cop_cand *cand)
{
    const cop_dragonfly *d = &c->map;
    uint8_t last = hop->apart ? 1 : (uint8_t)(r->facts.vls - 1);
    if (hop->mid != COP_NONE && !(hop->state & TURNED)) {
        if (cop_dragonfly_group(d, hop->sw) != hop->mid) {
            *cand = on_lane(d, cop_dragonfly_port(d, &c->ports, hop, hop->mid), 0);
            return;
        }
        hop->state |= TURNED;
    }
    bool turned = hop->mid != COP_NONE;
    *cand = cop_dragonfly_next(d, &c->ports, hop, turned ? visit_vl(c) : 0, turned, last);
}

unsigned cop_choice_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand, cop_choice_rule rule)
{
    const cop_choice *c = r->state;
    const cop_dragonfly *d = &c->map;
    if (COP_LIKELY(hop->in_port >= d->p && !c->progressive)) {
        follow(r, c, hop, cand);
        return 1;
    }
    uint32_t here = cop_dragonfly_group(d, hop->sw), to = cop_dragonfly_group_of(d, hop->dst);
    uint8_t last = hop->apart ? 1 : (uint8_t)(r->facts.vls - 1), local_vl = 0;
    bool first = hop->in_port < d->p, inside = cop_dragonfly_is_local(d, hop->in_port);
    if (inside && here != to && !(hop->state & TURNED) && c->progressive && here != hop->mid)
        local_vl = 1; /* a second local hop in the first group */
    if (hop->mid != COP_NONE && (hop->mid & LATE) && !first)
        hop->mid = inside && here != to ? hop->mid & ~LATE : COP_NONE;
    if (c->at_head && first && view != NULL) { /* this decision is final */
        hop->mid = COP_NONE;
        hop->state &= (uint8_t)~CHOSEN;
    }
    if (view != NULL && !hop->control && here != to && hop->mid == COP_NONE) {
        if (first && !(hop->state & CHOSEN)) {
            hop->state |= CHOSEN;
            choose(r, hop, view, rule, 0);
        } else if (c->progressive && inside && !(hop->state & AGAIN)) {
            hop->state |= AGAIN;
            if (view->rng != NULL)
                view->rng->counter ^= DRAWS_AGAIN;
            choose(r, hop, view, rule, 1);
        }
    }
    if (hop->mid == COP_NONE || (hop->mid & LATE)) {
        *cand = cop_dragonfly_next(d, &c->ports, hop, local_vl, 0, last);
        return 1;
    }
    if (here == hop->mid)
        hop->state |= TURNED;
    if (hop->state & TURNED)
        *cand = cop_dragonfly_next(d, &c->ports, hop, visit_vl(c), 1, last);
    else
        *cand = on_lane(d, visit_port(c, hop, hop->mid), local_vl);
    return 1;
}
