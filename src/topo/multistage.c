/* Omega network and butterfly: columns of switches that packets cross in one direction.
 *
 * Role: one-way networks with a single path between any two hosts, shape COP_SHAPE_MULTISTAGE.
 * A position is a wire between two columns, written as `stages` digits in base radix; the lowest
 * digit is the port, the others are the row. Column c changes the lowest digit only; the wiring
 * between columns permutes digits, so that each column sets a different digit of the destination.
 * Invariants: hosts = radix^stages; every input reaches every output by exactly one path.
 * Sources: Lawrie, "Access and Alignment of Data in an Array Processor", IEEE Trans. Computers 1975
 * (Omega); Dally, Towles, "Principles and Practices of Interconnection Networks", 2004, ch. 4
 * (butterfly). */
#include "topo/build.h"
#include "topo/topo_cfg.h"

/* Perfect shuffle: the highest digit becomes the lowest. */
static uint32_t shuffle(uint32_t pos, uint32_t radix, uint32_t hosts)
{
    uint32_t rows = hosts / radix;
    return pos % rows * radix + pos / rows;
}

/* Exchange the lowest digit with the one of weight `weight` = radix^i. */
static uint32_t swap_digit(uint32_t pos, uint32_t radix, uint32_t weight)
{
    uint32_t low = pos % radix, high = pos / weight % radix;
    return pos - low - high * weight + high + low * weight;
}

static void cable_columns(cop_topo *t)
{
    const cop_multistage_shape *s = &t->shape.u.multistage;
    uint32_t n = t->n_hosts;
    /* Port numbers of a column follow its positions: column c starts at c * n. */
    for (uint32_t pos = 0; pos < n; pos++) {
        uint32_t in = s->butterfly ? pos : shuffle(pos, s->radix, n);
        cop_topo_one_way(t, cop_topo_host_port(t, pos), in, COP_LINK_HOST);
        cop_topo_one_way(t, (s->stages - 1) * n + pos, cop_topo_host_port(t, pos), COP_LINK_HOST);
    }
    uint32_t weight = n;
    for (uint32_t c = 0; c + 1 < s->stages; c++) {
        weight /= s->radix;
        for (uint32_t pos = 0; pos < n; pos++) {
            uint32_t in =
                s->butterfly ? swap_digit(pos, s->radix, weight) : shuffle(pos, s->radix, n);
            cop_topo_one_way(t, c * n + pos, (c + 1) * n + in, COP_LINK_TRUNK);
        }
    }
}

static int build_multistage(cop_topo *t, const char *kind, const cop_multistage_cfg *cfg,
                            bool butterfly, cop_err *err)
{
    int rc = cop_topo_check_range(kind, "radix", cfg->radix, 2, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "stages", cfg->stages, 1, 24, err);
    if (rc != 0)
        return rc;
    cop_multistage_shape s = {(uint32_t)cfg->radix, (uint32_t)cfg->stages, butterfly};
    uint64_t hosts = 1;
    for (uint32_t i = 0; i < s.stages; i++)
        hosts = cop_sat_mul(hosts, s.radix);
    rc = cop_topo_check_size(kind, hosts, cop_sat_mul(hosts, s.stages), s.radix, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    t->shape.kind = COP_SHAPE_MULTISTAGE;
    t->shape.u.multistage = s;
    cop_topo_begin_equal(t, (uint32_t)hosts, (uint32_t)hosts / s.radix * s.stages, s.radix);
    cable_columns(t);
    return cop_topo_finish(t, err);
}

static int build_omega(cop_topo *t, const void *cfg, cop_err *err)
{
    return build_multistage(t, cop_topo_omega.name, cfg, false, err);
}

static int build_butterfly(cop_topo *t, const void *cfg, cop_err *err)
{
    return build_multistage(t, cop_topo_butterfly.name, cfg, true, err);
}

static const cop_opt multistage_opts[] = {
    {"radix", COP_OPT_INT, offsetof(cop_multistage_cfg, radix), NULL, 2, COP_MAX_PORTS, NULL,
     "inputs, and outputs, of a switch (k)"},
    {"stages", COP_OPT_INT, offsetof(cop_multistage_cfg, stages), NULL, 1, 24, NULL,
     "columns of switches (n); k^n hosts"},
    {0}};

const cop_topo_ops cop_topo_omega = {
    .name = "omega",
    .summary = "one-way columns of switches with a perfect shuffle before each",
    .source = "Lawrie, Access and Alignment of Data in an Array Processor, IEEE Trans. Comp. 1975",
    .opts = multistage_opts,
    .cfg_size = sizeof(cop_multistage_cfg),
    .build = build_omega};

const cop_topo_ops cop_topo_butterfly = {
    .name = "butterfly",
    .summary = "k-ary n-fly: one-way columns of switches, a digit exchange between columns",
    .source = "Dally, Towles, Principles and Practices of Interconnection Networks, 2004",
    .opts = multistage_opts,
    .cfg_size = sizeof(cop_multistage_cfg),
    .build = build_butterfly};
