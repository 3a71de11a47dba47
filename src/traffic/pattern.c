/* Role: where messages go. Checks the options of a pattern, aims each stream when it is made, and
 * draws the destination of each message.
 * Invariant: a destination is never the sender, but for uniform ones with `self`. A host that a fixed pattern would make send to
 * itself (a permutation's fixed point, the target of all-to-one) has no stream. Sources: hotspot:
 * Pfister and Norton 1985, a share h of all references to one place, the rest uniform over all,
 * including that place; the hot host itself sends uniform traffic only. hot-region and
 * group-adversarial: the HR and ADV patterns of dragonfly studies. random-permutation is drawn
 * among permutations without a fixed point, all equally likely. */
#include "traffic/traffic_priv.h"

#include <stdlib.h>

static bool uses_to(int pattern)
{
    return pattern == COP_PATTERN_FIXED || pattern == COP_PATTERN_ALL_TO_ONE ||
           pattern == COP_PATTERN_HOTSPOT;
}

static const char *pattern_name(int pattern)
{
    return cop_opt_find(cop_traffic_opts, "pattern")->names[pattern];
}

static int read_to(traffic_build *b, const char *text, traffic_entry *e)
{
    char *end;
    unsigned long host = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0') {
        return traffic_fault(b, "to",
                             "`to` is \"%s\"; write the number of a host, 0 to %u, or its name",
                             text, e->n_hosts - 1);
    }
    if (host >= e->n_hosts) {
        return traffic_fault(b, "to", "`to` is host %s; give one from 0 to %u", text,
                             e->n_hosts - 1);
    }
    e->to = (uint32_t)host;
    return 0;
}

static int check_to(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    const char *name = pattern_name(cfg->pattern);
    bool given = cfg->to != NULL && cfg->to[0] != '\0';
    if (!uses_to(cfg->pattern)) {
        if (given) {
            return traffic_fault(b, "to",
                                 "pattern %s has no single target; remove `to`, or use pattern "
                                 "fixed, all-to-one or hotspot",
                                 name);
        }
        return 0;
    }
    if (!given)
        return traffic_fault(
            b, "to", "pattern %s needs `to`, the host to send to; give one, such as `to: 0`", name);
    e->to = traffic_named_host(b->topo, cfg->to);
    if (e->to == COP_NONE && read_to(b, cfg->to, e) != 0)
        return -COP_E_INPUT;
    for (uint32_t i = 0; i < e->n_src && cfg->pattern == COP_PATTERN_FIXED; i++) {
        if (e->src[i] == e->to) {
            return traffic_fault(b, "from",
                                 "host %u would send to itself; put it into `except`, or use "
                                 "pattern all-to-one",
                                 e->to);
        }
    }
    return 0;
}

static int check_list(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    const cop_ints *l = &cfg->to_list;
    if (cfg->pattern != COP_PATTERN_LIST) {
        if (l->n > 0) {
            return traffic_fault(b, "to_list", "only pattern list has a `to_list`, this is %s",
                                 pattern_name(cfg->pattern));
        }
        return 0;
    }
    if (l->n == 0)
        return traffic_fault(b, "to_list",
                             "pattern list needs `to_list`, the hosts to send to; give one, such "
                             "as `to_list: [0, 1]`");
    e->list = COP_NEW_ARRAY(&b->tr->arena, uint32_t, l->n);
    uint8_t *seen = cop_alloc(e->n_hosts);
    int rc = 0;
    for (size_t i = 0; i < l->n && rc == 0; i++) {
        int64_t h = l->v[i];
        if (h >= (int64_t)e->n_hosts) {
            rc = traffic_fault(b, "to_list",
                               "`to_list` names host %" PRId64 "; give hosts from 0 to %u", h,
                               e->n_hosts - 1);
        } else if (seen[h]) {
            rc = traffic_fault(b, "to_list",
                               "`to_list` names host %" PRId64 " twice; name each host once", h);
        } else {
            seen[h] = 1;
            e->list[e->n_list++] = (uint32_t)h;
        }
    }
    cop_free(seen);
    return rc;
}

static int check_groups(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    const cop_shape *shape = &b->topo->shape;
    uint64_t size = (uint64_t)cfg->group_size;
    if (size == 0 && shape->kind == COP_SHAPE_DRAGONFLY)
        size = (uint64_t)shape->u.dragonfly.p * shape->u.dragonfly.a;
    if (size == 0) {
        return traffic_fault(
            b, "pattern", "group-adversarial needs groups; use a dragonfly or give `group_size`");
    }
    if (e->n_hosts == size)
        return traffic_fault(b, "pattern",
                             "group-adversarial sends to another group, and all %u hosts are one; "
                             "use more groups, or "
                             "give a smaller `group_size`",
                             e->n_hosts);
    if (e->n_hosts % size != 0 || e->n_hosts / size < 2) {
        return traffic_fault(b, "group_size",
                             "%u hosts do not make two or more groups of %" PRIu64
                             "; choose a `group_size` that divides them",
                             e->n_hosts, size);
    }
    e->group_size = (uint32_t)size;
    e->groups = e->n_hosts / e->group_size;
    int64_t k = cfg->offset % (int64_t)e->groups;
    e->offset = (uint32_t)(k < 0 ? k + (int64_t)e->groups : k);
    if (e->offset == 0) {
        return traffic_fault(b, "offset",
                             "`offset` %" PRId64 " of %u groups is a host's own group; use another",
                             cfg->offset, e->groups);
    }
    return 0;
}

static void draw_permutation(traffic_build *b, traffic_entry *e)
{
    cop_rng r = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_PERMUTATION);
    e->list = COP_NEW_ARRAY(&b->tr->arena, uint32_t, e->n_hosts);
    bool moved = false; /* one permutation in e has no fixed point */
    while (!moved) {
        cop_rng_permutation(&r, e->list, e->n_hosts);
        moved = true;
        for (uint32_t i = 0; i < e->n_hosts && moved; i++)
            moved = e->list[i] != i;
    }
}

int traffic_pattern_check(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    if (e->n_hosts < 2)
        return traffic_fault(b, "pattern", "a network of one host has no traffic; use two or more");
    int rc = check_to(b, cfg, e);
    if (check_list(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    e->self = cfg->self;
    if (cfg->self && cfg->pattern != COP_PATTERN_UNIFORM && cfg->pattern != COP_PATTERN_HOTSPOT &&
        cfg->pattern != COP_PATTERN_HOT_REGION && cfg->pattern != COP_PATTERN_FOREST)
        rc = traffic_fault(b, "self",
                           "pattern %s draws no destinations among all hosts; remove `self`",
                           pattern_name(cfg->pattern));
    if (cfg->region_place != COP_REGION_FIRST && cfg->pattern != COP_PATTERN_HOT_REGION)
        rc = traffic_fault(b, "region_place",
                           "pattern %s has no hot region; set pattern to hot-region, or remove "
                           "`region_place`",
                           pattern_name(cfg->pattern));
    const char *needs = traffic_permute_needs(cfg->pattern, e->n_hosts);
    if (needs != NULL) {
        rc = traffic_fault(b, "pattern",
                           "%s needs the number of hosts to be %s; it is %u: change the topology "
                           "or the pattern",
                           pattern_name(cfg->pattern), needs, e->n_hosts);
    }
    e->hot_bits = traffic_share_bits(cfg->pattern == COP_PATTERN_FOREST ? cfg->p : cfg->hot_share);
    if (cfg->pattern == COP_PATTERN_HOT_REGION) {
        e->region = traffic_share_of(cfg->region, e->n_hosts);
        e->spread = cfg->region_place == COP_REGION_SPREAD;
        if (e->region == 0) {
            rc = traffic_fault(b, "region",
                               "`region` of %u hosts is less than half a host; use a larger share",
                               e->n_hosts);
        }
    }
    if (cfg->pattern == COP_PATTERN_GROUP && check_groups(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    if (cfg->pattern == COP_PATTERN_FOREST && traffic_forest_build(b, cfg, e) != 0)
        rc = -COP_E_INPUT;
    if (rc == 0 && cfg->pattern == COP_PATTERN_RANDOM_PERMUTATION)
        draw_permutation(b, e);
    return rc;
}

static bool aim_fixed(cop_stream *s, uint32_t dst)
{
    s->dest = DEST_FIXED;
    s->fixed_dst = dst;
    return dst != s->host;
}

static bool aim_list(const cop_traffic_cfg *cfg, const traffic_entry *e, uint32_t place,
                     cop_stream *s)
{
    s->aux = COP_NONE; /* the sender's own place in the list */
    for (uint32_t i = 0; i < e->n_list; i++) {
        if (e->list[i] == s->host)
            s->aux = i;
    }
    if (cfg->to_order == COP_TO_BY_SOURCE) {
        COP_ASSERT(e->n_list > 0);
        uint32_t i = place % e->n_list;
        return aim_fixed(s, e->list[i == s->aux ? (i + 1) % e->n_list : i]);
    }
    s->dest = cfg->to_order == COP_TO_RANDOM ? DEST_LIST_RANDOM : DEST_LIST_TURN;
    return e->n_list > 1 || s->aux == COP_NONE;
}

bool traffic_pattern_aim(const cop_topo *t, const cop_traffic_cfg *cfg, const traffic_entry *e,
                         uint32_t place, cop_stream *s)
{
    s->fixed_dst = COP_NONE;
    switch (cfg->pattern) {
    case COP_PATTERN_UNIFORM:
        s->dest = DEST_UNIFORM;
        return true;
    case COP_PATTERN_FIXED:
    case COP_PATTERN_ALL_TO_ONE:
        return aim_fixed(s, e->to);
    case COP_PATTERN_LIST:
        return aim_list(cfg, e, place, s);
    case COP_PATTERN_HOTSPOT:
        s->dest = s->host == e->to ? DEST_UNIFORM : DEST_HOTSPOT;
        return true;
    case COP_PATTERN_HOT_REGION:
        s->dest = e->region == 1 && s->host == 0 ? DEST_UNIFORM : DEST_REGION;
        return true;
    case COP_PATTERN_GROUP:
        s->dest = DEST_GROUP;
        return true;
    case COP_PATTERN_RANDOM_PERMUTATION:
        return aim_fixed(s, e->list[s->host]);
    default:
        return aim_fixed(s, traffic_permute(t, cfg->pattern, s->host));
    }
}

/* Any of 0 .. n-1 but `self`, which may lie outside. */
static uint32_t draw_other(cop_rng *r, uint32_t n, uint32_t self)
{
    if (self >= n)
        return cop_rng_below(r, n);
    uint32_t d = cop_rng_below(r, n - 1);
    return d + (d >= self);
}

uint32_t traffic_hot_host(const traffic_entry *e, uint32_t k)
{
    return e->spread ? (uint32_t)((uint64_t)k * e->n_hosts / e->region) : k;
}

/* Which of the hot hosts this is; COP_NONE: it is none, or host is COP_NONE. */
static uint32_t hot_place(const traffic_entry *e, uint32_t host)
{
    if (host == COP_NONE)
        return COP_NONE;
    uint32_t k =
        e->spread ? (uint32_t)(((uint64_t)host * e->region + e->n_hosts - 1) / e->n_hosts) : host;
    return k < e->region && traffic_hot_host(e, k) == host ? k : COP_NONE;
}

static uint32_t draw_slot(const traffic_entry *e, const cop_stream *s, cop_time t_gen, cop_time now)
{
    const traffic_forest *f = &e->forest;
    uint32_t dst = f->hot[(size_t)traffic_forest_slot(f, now) * f->n_hot + s->aux];
    /* A late message, taken while the sender itself is the hotspot, goes to the one it was made
     * for. Nothing is generated while the sender is the hotspot, so that one is another host. */
    if (dst == s->host)
        dst = f->hot[(size_t)traffic_forest_slot(f, t_gen) * f->n_hot + s->aux];
    return dst;
}

uint32_t traffic_pattern_draw(const traffic_entry *e, cop_stream *s, cop_time t_gen, cop_time now)
{
    if (s->dest == DEST_FIXED)
        return s->fixed_dst;
    if (s->dest == DEST_SLOT)
        return draw_slot(e, s, t_gen, now);
    cop_rng r = traffic_rng(e, s, COP_RNG_DEST, s->rng_dest);
    uint32_t dst = COP_NONE, but = e->self ? COP_NONE : s->host;
    switch (s->dest) {
    case DEST_UNIFORM:
        dst = draw_other(&r, e->n_hosts, but);
        break;
    case DEST_HOTSPOT:
        dst = traffic_share_hit(e->hot_bits, cop_rng_u64(&r)) ? e->to
                                                              : draw_other(&r, e->n_hosts, but);
        break;
    case DEST_REGION: {
        bool hot = traffic_share_hit(e->hot_bits, cop_rng_u64(&r));
        dst = hot ? traffic_hot_host(e, draw_other(&r, e->region, hot_place(e, but)))
                  : draw_other(&r, e->n_hosts, but);
        break;
    }
    case DEST_GROUP: {
        uint32_t g = (s->host / e->group_size + e->offset) % e->groups;
        dst = g * e->group_size + cop_rng_below(&r, e->group_size);
        break;
    }
    case DEST_LIST_TURN: {
        uint32_t i = s->n_sent % (e->n_list - (s->aux != COP_NONE));
        dst = e->list[i + (i >= s->aux)];
        break;
    }
    case DEST_LIST_RANDOM:
        dst = e->list[draw_other(&r, e->n_list, s->aux)];
        break;
    default:
        break;
    }
    COP_ASSERT(dst != COP_NONE);
    s->rng_dest = r.counter;
    return dst;
}
