/* Fat trees: XGFT, k-ary n-tree, the full tree of equal switches, and the rail-optimised tree.
 *
 * Role: three descriptions of one structure, the extended generalized fat tree; every result has
 * shape COP_SHAPE_TREE (coordinates and port order: see cop_tree_shape in topo.h).
 * Invariants: nodes of level l number w[1]..w[l] * m[l+1]..m[levels]; a host has one parent.
 * A rail-optimised tree has a leaf for each rail of each pod: NIC r of all servers of the pod. A
 * host here is a NIC; hosts of a leaf follow each other, as in every tree (which is what routings
 * want).
 * Sources: Ohring, Ibel, Das, Kumar, "On Generalized Fat Trees", IPPS 1995 (XGFT); Petrini,
 * Vanneschi, "k-ary n-trees", IPPS 1997. */
#include "topo/build.h"
#include "topo/topo_cfg.h"

#include <stdio.h>

static uint64_t nodes_of_level(const cop_tree_shape *s, uint32_t level)
{
    uint64_t n = 1;
    for (uint32_t i = 1; i <= s->levels; i++)
        n = cop_sat_mul(n, i <= level ? s->w[i] : s->m[i]);
    return n;
}

static int check_tree(const char *kind, const cop_tree_shape *s, cop_err *err)
{
    uint64_t ports = 0, most = 0;
    for (uint32_t l = 1; l <= s->levels; l++) {
        uint64_t radix = (uint64_t)s->m[l] + s->w[l + 1];
        most = cop_max64(most, radix);
        ports = cop_sat_add(ports, cop_sat_mul(nodes_of_level(s, l), radix));
    }
    return cop_topo_check_size(kind, nodes_of_level(s, 0), ports, most, err);
}

/* Cable the switches of level l to their children. A node's number splits into c[l], the part below
 * it and the part above it; child j has c[l] = j, and the parent's c[l] is the child's up port. */
static void cable_level(cop_topo *t, uint32_t l)
{
    const cop_tree_shape *s = &t->shape.u.tree;
    uint64_t below = 1;
    for (uint32_t i = 1; i < l; i++)
        below *= s->w[i];
    uint32_t count = s->level0[l + 1] - s->level0[l];
    for (uint32_t x = 0; x < count; x++) {
        uint64_t low = x % below, own = x / below % s->w[l], high = x / below / s->w[l];
        for (uint32_t j = 0; j < s->m[l]; j++) {
            uint32_t child = (uint32_t)(low + below * (j + high * s->m[l]));
            if (l == 1) {
                cop_topo_attach(t, child, s->level0[1] + x, j);
                continue;
            }
            cop_topo_cable(
                t, cop_topo_switch_port(t, s->level0[l] + x, j),
                cop_topo_switch_port(t, s->level0[l - 1] + child, s->m[l - 1] + (uint32_t)own),
                COP_LINK_TRUNK);
        }
    }
}

static int build_tree(cop_topo *t, const char *kind, const cop_tree_shape *wanted, cop_err *err)
{
    int rc = check_tree(kind, wanted, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    t->shape.kind = COP_SHAPE_TREE;
    t->shape.u.tree = *wanted;
    cop_tree_shape *s = &t->shape.u.tree;
    uint32_t n = 0;
    for (uint32_t l = 1; l <= s->levels; l++) {
        s->level0[l] = n;
        n += (uint32_t)nodes_of_level(s, l);
    }
    s->level0[s->levels + 1] = n;
    uint32_t *sizes = cop_alloc_array(n, sizeof(*sizes));
    for (uint32_t l = 1; l <= s->levels; l++)
        for (uint32_t x = s->level0[l]; x < s->level0[l + 1]; x++)
            sizes[x] = s->m[l] + s->w[l + 1];
    cop_topo_begin(t, (uint32_t)nodes_of_level(s, 0), n, sizes);
    cop_free(sizes);
    for (uint32_t l = 1; l <= s->levels; l++)
        cable_level(t, l);
    return cop_topo_finish(t, err);
}

static int build_xgft(cop_topo *t, const void *config, cop_err *err)
{
    const char *kind = cop_topo_xgft.name;
    const cop_xgft_cfg *cfg = config;
    size_t levels = cfg->children.n;
    if (levels < 1 || levels > COP_MAX_LEVELS || cfg->parents.n != levels)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: children has %zu items and parents has %zu; both need one "
                           "per level, 1 to %d levels",
                           kind, levels, cfg->parents.n, COP_MAX_LEVELS);
    cop_tree_shape s = {.levels = (uint32_t)levels};
    for (size_t i = 0; i < levels; i++) {
        char option[32];
        snprintf(option, sizeof(option), "children[%zu]", i);
        int rc = cop_topo_check_range(kind, option, cfg->children.v[i], 1, COP_MAX_PORTS, err);
        if (rc != 0)
            return rc;
        snprintf(option, sizeof(option), "parents[%zu]", i);
        rc = cop_topo_check_range(kind, option, cfg->parents.v[i], 1, COP_MAX_PORTS, err);
        if (rc != 0)
            return rc;
        s.m[i + 1] = (uint32_t)cfg->children.v[i];
        s.w[i + 1] = (uint32_t)cfg->parents.v[i];
    }
    if (s.w[1] != 1)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: parents begins with %u; must begin with 1, a host has one "
                           "port",
                           kind, s.w[1]);
    return build_tree(t, kind, &s, err);
}

static int build_kary(cop_topo *t, const void *config, cop_err *err)
{
    const char *kind = cop_topo_kary.name;
    const cop_kary_cfg *cfg = config;
    int rc = cop_topo_check_range(kind, "k", cfg->k, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "n", cfg->n, 1, COP_MAX_LEVELS, err);
    if (rc != 0)
        return rc;
    cop_tree_shape s = {.levels = (uint32_t)cfg->n};
    for (uint32_t l = 1; l <= s.levels; l++) {
        s.m[l] = (uint32_t)cfg->k;
        s.w[l] = l == 1 ? 1 : (uint32_t)cfg->k;
    }
    return build_tree(t, kind, &s, err);
}

/* Half of the ports go up, except on the roots, which use all of them downwards. */
static int build_fat_tree(cop_topo *t, const void *config, cop_err *err)
{
    const char *kind = cop_topo_fat_tree.name;
    const cop_fat_tree_cfg *cfg = config;
    int rc = cop_topo_check_range(kind, "ports", cfg->ports, 2, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "levels", cfg->levels, 2, 3, err);
    if (rc != 0)
        return rc;
    if (cfg->ports % 2 != 0)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: ports is %" PRId64 "; must be even, half of them go up",
                           kind, cfg->ports);
    cop_tree_shape s = {.levels = (uint32_t)cfg->levels};
    uint32_t ports = (uint32_t)cfg->ports;
    for (uint32_t l = 1; l <= s.levels; l++) {
        s.m[l] = l == s.levels ? ports : ports / 2;
        s.w[l] = l == 1 ? 1 : ports / 2;
    }
    return build_tree(t, kind, &s, err);
}

static int build_rail(cop_topo *t, const void *config, cop_err *err)
{
    const char *kind = cop_topo_rail.name;
    const cop_rail_cfg *cfg = config;
    int rc = cop_topo_check_range(kind, "pods", cfg->pods, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "servers", cfg->servers, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "rails", cfg->rails, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "spines", cfg->spines, 1, COP_MAX_PORTS, err);
    if (rc != 0)
        return rc;
    cop_tree_shape s = {.levels = 2};
    s.m[1] = (uint32_t)cfg->servers;
    s.m[2] = (uint32_t)(cfg->pods * cfg->rails);
    s.w[1] = 1;
    s.w[2] = (uint32_t)cfg->spines;
    t->rails = (uint32_t)cfg->rails;
    t->pod_servers = (uint32_t)cfg->servers;
    return build_tree(t, kind, &s, err);
}

static const cop_opt rail_opts[] = {
    {"pods", COP_OPT_INT, offsetof(cop_rail_cfg, pods), NULL, 1, COP_MAX_PORTS, NULL,
     "groups of servers that share leaves"},
    {"servers", COP_OPT_INT, offsetof(cop_rail_cfg, servers), NULL, 1, COP_MAX_PORTS, NULL,
     "servers of a pod; a leaf has one NIC of each"},
    {"rails", COP_OPT_INT, offsetof(cop_rail_cfg, rails), NULL, 1, COP_MAX_PORTS, NULL,
     "NICs of a server, and leaves of a pod"},
    {"spines", COP_OPT_INT, offsetof(cop_rail_cfg, spines), NULL, 1, COP_MAX_PORTS, NULL,
     "switches of the upper level; every leaf has a link to each"},
    {0}};

static const cop_opt xgft_opts[] = {
    {"children", COP_OPT_INTS, offsetof(cop_xgft_cfg, children), NULL, 1, COP_MAX_PORTS, NULL,
     "children of a switch, one per level from the leaves up (m)"},
    {"parents", COP_OPT_INTS, offsetof(cop_xgft_cfg, parents), NULL, 1, COP_MAX_PORTS, NULL,
     "parents of a node, one per level from the hosts up; the first is 1 (w)"},
    {0}};

static const cop_opt kary_opts[] = {
    {"k", COP_OPT_INT, offsetof(cop_kary_cfg, k), NULL, 1, COP_MAX_PORTS, NULL,
     "children, and parents, of a switch; a switch has 2k ports, a root k"},
    {"n", COP_OPT_INT, offsetof(cop_kary_cfg, n), NULL, 1, COP_MAX_LEVELS, NULL,
     "levels of switches; k^n hosts"},
    {0}};

static const cop_opt fat_tree_opts[] = {
    {"ports", COP_OPT_INT, offsetof(cop_fat_tree_cfg, ports), NULL, 2, COP_MAX_PORTS, NULL,
     "ports of every switch (r), even; r^2/2 hosts with 2 levels, r^3/4 with 3"},
    {"levels", COP_OPT_INT, offsetof(cop_fat_tree_cfg, levels), "2", 2, 3, NULL,
     "levels of switches"},
    {0}};

const cop_topo_ops cop_topo_rail = {
    .name = "rail-tree",
    .summary = "rail-optimised tree: NIC r of all servers of a pod at one leaf; NICs are hosts",
    .source = "NVIDIA DGX SuperPOD reference architecture; Wang et al., Rail-only, HOTI 2024",
    .opts = rail_opts,
    .cfg_size = sizeof(cop_rail_cfg),
    .build = build_rail};

const cop_topo_ops cop_topo_xgft = {
    .name = "xgft",
    .summary = "extended generalized fat tree with any number of children and parents per level",
    .source = "Ohring, Ibel, Das, Kumar, On Generalized Fat Trees, IPPS 1995",
    .opts = xgft_opts,
    .cfg_size = sizeof(cop_xgft_cfg),
    .build = build_xgft};

const cop_topo_ops cop_topo_kary = {.name = "kary-ntree",
                                    .summary = "k-ary n-tree: k^n hosts, n*k^(n-1) switches",
                                    .source = "Petrini, Vanneschi, k-ary n-trees, IPPS 1997",
                                    .opts = kary_opts,
                                    .cfg_size = sizeof(cop_kary_cfg),
                                    .build = build_kary};

const cop_topo_ops cop_topo_fat_tree = {
    .name = "fat-tree",
    .summary = "largest full-bisection tree of switches with the same number of ports",
    .source = "Leiserson, Fat-Trees, IEEE Trans. Computers 1985; built as an XGFT",
    .opts = fat_tree_opts,
    .cfg_size = sizeof(cop_fat_tree_cfg),
    .build = build_fat_tree};
