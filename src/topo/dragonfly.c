/* Dragonfly: groups of fully connected switches, groups joined by global links.
 *
 * Role: shape COP_SHAPE_DRAGONFLY; numbering, port order and the arrangement of the global links
 * are defined with cop_dragonfly_shape in topo.h. Invariants: every pair of groups has a cable; in
 * the full size, groups = a*h + 1, exactly one. With fewer groups each pair has at least floor(a*h
 * / (groups-1)) cables. Sources: Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable
 * Dragonfly Topology", ISCA 2008; the palm-tree arrangement is that of Camarero, Vallejo, Beivide,
 * "Topological Characterization of Hamming and Dragonfly Networks", ACM TACO 2014. */
#include "topo/build.h"
#include "topo/topo_cfg.h"

static uint32_t global_port(const cop_topo *t, uint32_t group, uint32_t link)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    return cop_topo_switch_port(t, group * d->a + (link - 1) / d->h,
                                d->p + d->a - 1 + (link - 1) % d->h);
}

static void cable_group(cop_topo *t, uint32_t group)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    for (uint32_t s = 0; s < d->a; s++) {
        uint32_t sw = group * d->a + s;
        for (uint32_t i = 0; i < d->p; i++)
            cop_topo_attach(t, sw * d->p + i, sw, i);
        /* The list of other switches skips the switch itself: u is at u - 1 seen from s < u, s at s
         * seen from u. */
        for (uint32_t u = s + 1; u < d->a; u++)
            cop_topo_cable(t, cop_topo_switch_port(t, sw, d->p + u - 1),
                           cop_topo_switch_port(t, group * d->a + u, d->p + s), COP_LINK_TRUNK);
    }
    if (d->groups == 1)
        return;
    for (uint32_t k = 1; k <= d->a * d->h; k++) {
        uint32_t base = (k - 1) / (d->groups - 1) * (d->groups - 1), o = k - base;
        uint32_t peer = (group + d->groups - o) % d->groups, back = base + d->groups - o;
        if (back <= d->a * d->h && group < peer) /* the lower group adds the cable */
            cop_topo_cable(t, global_port(t, group, k), global_port(t, peer, back),
                           COP_LINK_GLOBAL);
    }
}

static int check_groups(const cop_dragonfly_cfg *cfg, cop_err *err)
{
    int64_t most = cfg->a * cfg->h + 1; /* 0: as many */
    if (cfg->groups >= 0 && cfg->groups <= most)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "topology %s: groups is %" PRId64 "; must be 1 to %" PRId64 ", or most",
                       cop_topo_dragonfly.name, cfg->groups, most);
}

static int build_dragonfly(cop_topo *t, const void *config, cop_err *err)
{
    const char *kind = cop_topo_dragonfly.name;
    const cop_dragonfly_cfg *cfg = config;
    int rc = cop_topo_check_range(kind, "p", cfg->p, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "a", cfg->a, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "h", cfg->h, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = check_groups(cfg, err);
    if (rc != 0)
        return rc;
    uint32_t groups = (uint32_t)(cfg->groups ? cfg->groups : cfg->a * cfg->h + 1);
    cop_dragonfly_shape d = {(uint32_t)cfg->p, (uint32_t)cfg->a, (uint32_t)cfg->h, groups};
    uint64_t switches = (uint64_t)d.a * groups;
    uint32_t ports = d.p + d.a - 1 + d.h;
    rc = cop_topo_check_size(kind, switches * d.p, switches * ports, ports, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    t->shape.kind = COP_SHAPE_DRAGONFLY;
    t->shape.u.dragonfly = d;
    cop_topo_begin_equal(t, (uint32_t)switches * d.p, (uint32_t)switches, ports);
    for (uint32_t g = 0; g < groups; g++)
        cable_group(t, g);
    return cop_topo_finish(t, err);
}

static const char *const most_or_0[] = {"most", "0", NULL};

static const cop_opt dragonfly_opts[] = {
    {"p", COP_OPT_INT, offsetof(cop_dragonfly_cfg, p), NULL, 1, COP_MAX_PORTS, NULL,
     "hosts per switch, at its ports 0 to p-1"},
    {"a", COP_OPT_INT, offsetof(cop_dragonfly_cfg, a), NULL, 1, COP_MAX_PORTS, NULL,
     "switches per group; ports p to p+a-2 lead to the others, in ascending order"},
    {"h", COP_OPT_INT, offsetof(cop_dragonfly_cfg, h), NULL, 1, COP_MAX_PORTS, NULL,
     "global links per switch, ports p+a-1 to p+a+h-2; balanced: p = h, a = 2h. Link k = s*h + j + "
     "1 "
     "of switch s of group G, its j-th, leads to group G - k (palm tree): docs/MODEL.md"},
    {"groups", COP_OPT_INT, offsetof(cop_dragonfly_cfg, groups), "most", 1, COP_MAX_HOSTS,
     most_or_0, "groups (g); most: as many as possible, a*h + 1"},
    {0}};

const cop_topo_ops cop_topo_dragonfly = {
    .name = "dragonfly",
    .summary = "fully connected groups of switches, each pair of groups joined by a global link",
    .source = "Kim, Dally, Scott, Abts, Technology-Driven, Highly-Scalable Dragonfly, ISCA 2008",
    .opts = dragonfly_opts,
    .cfg_size = sizeof(cop_dragonfly_cfg),
    .build = build_dragonfly};
