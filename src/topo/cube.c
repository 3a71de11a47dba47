/* Tori, meshes and hypercubes: switches on a grid.
 *
 * Role: k-ary n-cubes of any radix per dimension, shape COP_SHAPE_CUBE (coordinates and port order:
 * see cop_cube_shape in topo.h).
 * Invariants: neighbours differ by one in one coordinate. A hypercube is a mesh of radix 2.
 * Simplification: a torus dimension of radix 2 has one cable between its two switches, not two.
 * Source: Dally, "Performance Analysis of k-ary n-cube Interconnection Networks", IEEE Trans.
 * Computers 1990. */
#include "topo/build.h"
#include "topo/topo_cfg.h"

#include <stdio.h>

static void cable_dimension(cop_topo *t, uint32_t dim, uint32_t stride)
{
    uint32_t radix = t->shape.u.cube.radix[dim], plus = 2 * dim, minus = plus + 1;
    for (uint32_t s = 0; s < t->n_switches; s++) {
        uint32_t c = s / stride % radix, next = s + stride;
        if (c + 1 == radix) {
            if (!t->shape.u.cube.wrap[dim])
                continue;
            next = s - c * stride;
        }
        cop_topo_cable(t, cop_topo_switch_port(t, s, plus),
                       cop_topo_switch_port(t, next, radix == 2 ? plus : minus), COP_LINK_TRUNK);
    }
}

static int build_grid(cop_topo *t, const char *kind, const cop_cube_shape *shape, cop_err *err)
{
    uint64_t switches = 1;
    for (uint32_t i = 0; i < shape->dims; i++)
        switches = cop_sat_mul(switches, shape->radix[i]);
    uint32_t ports = 2 * shape->dims + shape->hosts_per_switch;
    int rc = cop_topo_check_size(kind, cop_sat_mul(switches, shape->hosts_per_switch),
                                 cop_sat_mul(switches, ports), ports, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    t->shape.kind = COP_SHAPE_CUBE;
    t->shape.u.cube = *shape;
    uint32_t n = (uint32_t)switches;
    cop_topo_begin_equal(t, n * shape->hosts_per_switch, n, ports);
    uint32_t stride = 1;
    for (uint32_t i = 0; i < shape->dims; i++) {
        cable_dimension(t, i, stride);
        stride *= shape->radix[i];
    }
    for (uint32_t h = 0; h < t->n_hosts; h++)
        cop_topo_attach(t, h, h / shape->hosts_per_switch,
                        2 * shape->dims + h % shape->hosts_per_switch);
    return cop_topo_finish(t, err);
}

static int build_cube(cop_topo *t, const char *kind, const cop_cube_cfg *cfg, bool wrap,
                      cop_err *err)
{
    if (cfg->radix.n < 1 || cfg->radix.n > COP_MAX_DIMS)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: radix has %zu items; needs one per dimension, 1 to %d",
                           kind, cfg->radix.n, COP_MAX_DIMS);
    int rc = cop_topo_check_range(kind, "hosts", cfg->hosts, 1, COP_MAX_PORTS, err);
    cop_cube_shape shape = {.dims = (uint32_t)cfg->radix.n,
                            .hosts_per_switch = (uint32_t)cfg->hosts};
    for (size_t i = 0; i < cfg->radix.n && rc == 0; i++) {
        char option[32];
        snprintf(option, sizeof(option), "radix[%zu]", i);
        rc = cop_topo_check_range(kind, option, cfg->radix.v[i], 2, COP_MAX_HOSTS, err);
        shape.radix[i] = (uint32_t)cfg->radix.v[i];
        shape.wrap[i] = wrap && shape.radix[i] > 2;
    }
    return rc != 0 ? rc : build_grid(t, kind, &shape, err);
}

static int build_torus(cop_topo *t, const void *cfg, cop_err *err)
{
    return build_cube(t, cop_topo_torus.name, cfg, true, err);
}

static int build_mesh(cop_topo *t, const void *cfg, cop_err *err)
{
    return build_cube(t, cop_topo_mesh.name, cfg, false, err);
}

static int build_hypercube(cop_topo *t, const void *config, cop_err *err)
{
    const char *kind = cop_topo_hypercube.name;
    const cop_hypercube_cfg *cfg = config;
    int rc = cop_topo_check_range(kind, "dims", cfg->dims, 1, COP_MAX_DIMS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "hosts", cfg->hosts, 1, COP_MAX_PORTS, err);
    if (rc != 0)
        return rc;
    cop_cube_shape shape = {.dims = (uint32_t)cfg->dims, .hosts_per_switch = (uint32_t)cfg->hosts};
    for (uint32_t i = 0; i < shape.dims; i++)
        shape.radix[i] = 2;
    return build_grid(t, kind, &shape, err);
}

static const cop_opt cube_opts[] = {{"radix", COP_OPT_INTS, offsetof(cop_cube_cfg, radix), NULL, 2,
                                     COP_MAX_HOSTS, NULL,
                                     "switches along each dimension (k), first dimension first"},
                                    {"hosts", COP_OPT_INT, offsetof(cop_cube_cfg, hosts), "1", 1,
                                     COP_MAX_PORTS, NULL, "hosts per switch"},
                                    {0}};

static const cop_opt hypercube_opts[] = {{"dims", COP_OPT_INT, offsetof(cop_hypercube_cfg, dims),
                                          NULL, 1, COP_MAX_DIMS, NULL,
                                          "dimensions (n); 2^n switches"},
                                         {"hosts", COP_OPT_INT, offsetof(cop_hypercube_cfg, hosts),
                                          "1", 1, COP_MAX_PORTS, NULL, "hosts per switch"},
                                         {0}};

static const char cube_source[] =
    "Dally, Performance Analysis of k-ary n-cube Interconnection Networks, IEEE Trans. Comp. 1990";

const cop_topo_ops cop_topo_torus = {.name = "torus",
                                     .summary = "grid of switches whose dimensions close to rings",
                                     .source = cube_source,
                                     .opts = cube_opts,
                                     .cfg_size = sizeof(cop_cube_cfg),
                                     .build = build_torus};

const cop_topo_ops cop_topo_mesh = {.name = "mesh",
                                    .summary = "grid of switches with open ends",
                                    .source = cube_source,
                                    .opts = cube_opts,
                                    .cfg_size = sizeof(cop_cube_cfg),
                                    .build = build_mesh};

const cop_topo_ops cop_topo_hypercube = {.name = "hypercube",
                                         .summary = "two switches along each of n dimensions",
                                         .source = cube_source,
                                         .opts = hypercube_opts,
                                         .cfg_size = sizeof(cop_hypercube_cfg),
                                         .build = build_hypercube};
