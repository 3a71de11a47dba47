/* Small networks for first steps, models with known answers and victims: single, full, chain.
 *
 * Local ports of every switch: its hosts first, then the other switches in ascending order (chain:
 * left, then right neighbour). Hosts are numbered switch by switch. No routing needs their
 * structure, so the shape is COP_SHAPE_ANY. */
#include "topo/build.h"
#include "topo/topo_cfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A name in `from` or `to` means one host. */
static int check_unique(const cop_topo *t, cop_err *err)
{
    int rc = 0;
    char **sorted = cop_alloc_array((size_t)t->n_hosts + 1, sizeof(*sorted));
    memcpy(sorted, t->host_name, t->n_hosts * sizeof(*sorted));
    qsort(sorted, t->n_hosts, sizeof(*sorted), by_name);
    for (uint32_t i = 1; i < t->n_hosts && rc == 0; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            char shown[60];
            rc = cop_err_add(err, COP_E_INPUT,
                             "topology %s: two hosts are called `%s`; names are unique", t->kind,
                             cop_excerpt(sorted[i], shown, sizeof(shown)));
        }
    cop_free(sorted);
    return rc;
}

/* Give the hosts the names of option `names`. */
static int name_hosts(cop_topo *t, const char *names, cop_err *err)
{
    static const char between[] = " \t,[]";
    uint32_t n = 0;
    if (names == NULL || names[strspn(names, between)] == '\0')
        return 0;
    t->host_name = COP_NEW_ARRAY(&t->arena, char *, t->n_hosts);
    for (const char *p = names + strspn(names, between); *p != '\0'; p += strspn(p, between)) {
        size_t len = strcspn(p, between);
        if (n < t->n_hosts)
            t->host_name[n] = cop_arena_printf(&t->arena, "%.*s", (int)len, p);
        n++;
        p += len;
    }
    if (n == t->n_hosts)
        return check_unique(t, err);
    return cop_err_add(err, COP_E_INPUT, "topology %s: %u names for %u hosts; give one for each",
                       t->kind, n, t->n_hosts);
}

static int build_single(cop_topo *t, const void *config, cop_err *err)
{
    const cop_single_cfg *cfg = config;
    const char *kind = cop_topo_single.name;
    int rc = cop_topo_check_range(kind, "hosts", cfg->hosts, 1, COP_MAX_PORTS, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    uint32_t hosts = (uint32_t)cfg->hosts;
    cop_topo_begin_equal(t, hosts, 1, hosts);
    for (uint32_t h = 0; h < hosts; h++)
        cop_topo_attach(t, h, 0, h);
    rc = name_hosts(t, cfg->names, err);
    return rc != 0 ? rc : cop_topo_finish(t, err);
}

static int build_full(cop_topo *t, const void *config, cop_err *err)
{
    const cop_full_cfg *cfg = config;
    const char *kind = cop_topo_full.name;
    int rc = cop_topo_check_range(kind, "switches", cfg->switches, 1, COP_MAX_PORTS, err);
    if (rc == 0)
        rc = cop_topo_check_range(kind, "hosts", cfg->hosts, 1, COP_MAX_PORTS, err);
    if (rc != 0)
        return rc;
    uint32_t n = (uint32_t)cfg->switches, hosts = (uint32_t)cfg->hosts, ports = hosts + n - 1;
    rc = cop_topo_check_size(kind, (uint64_t)n * hosts, (uint64_t)n * ports, ports, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    cop_topo_begin_equal(t, n * hosts, n, ports);
    for (uint32_t h = 0; h < t->n_hosts; h++)
        cop_topo_attach(t, h, h / hosts, h % hosts);
    /* The list of other switches skips the switch itself: b is at b - 1 seen from a < b, a at a
     * seen from b. */
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            cop_topo_cable(t, cop_topo_switch_port(t, a, hosts + b - 1),
                           cop_topo_switch_port(t, b, hosts + a), COP_LINK_TRUNK);
    return cop_topo_finish(t, err);
}

static uint32_t chain_ports(const cop_ints *hosts, size_t s)
{
    return (uint32_t)hosts->v[s] + (s > 0) + (s + 1 < hosts->n);
}

static int check_chain(const char *kind, const cop_ints *hosts, cop_err *err)
{
    if (hosts->n == 0 || hosts->n > COP_MAX_HOSTS)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: hosts has %zu items; needs one per switch, 1 to %u", kind,
                           hosts->n, COP_MAX_HOSTS);
    uint64_t sum = 0, ports = 0, most = 0;
    for (size_t s = 0; s < hosts->n; s++) {
        char option[32];
        snprintf(option, sizeof(option), "hosts[%zu]", s);
        int rc = cop_topo_check_range(kind, option, hosts->v[s], 0, COP_MAX_PORTS, err);
        if (rc != 0)
            return rc;
        sum += (uint64_t)hosts->v[s];
        ports += chain_ports(hosts, s);
        most = cop_max64(most, chain_ports(hosts, s));
    }
    return cop_topo_check_size(kind, sum, ports, most, err);
}

static int build_chain(cop_topo *t, const void *config, cop_err *err)
{
    const cop_ints *hosts = &((const cop_chain_cfg *)config)->hosts;
    const char *kind = cop_topo_chain.name;
    int rc = check_chain(kind, hosts, err);
    if (rc != 0)
        return rc;
    t->kind = kind;
    uint32_t n = (uint32_t)hosts->n, n_hosts = 0;
    uint32_t *sizes = cop_alloc_array(n, sizeof(*sizes));
    for (uint32_t s = 0; s < n; s++) {
        sizes[s] = chain_ports(hosts, s);
        n_hosts += (uint32_t)hosts->v[s];
    }
    cop_topo_begin(t, n_hosts, n, sizes);
    cop_free(sizes);
    uint32_t h = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t here = (uint32_t)hosts->v[s];
        for (uint32_t i = 0; i < here; i++)
            cop_topo_attach(t, h++, s, i);
        if (s + 1 < n)
            cop_topo_cable(t, cop_topo_switch_port(t, s, here + (s > 0)),
                           cop_topo_switch_port(t, s + 1, (uint32_t)hosts->v[s + 1]),
                           COP_LINK_TRUNK);
    }
    rc = name_hosts(t, ((const cop_chain_cfg *)config)->names, err);
    return rc != 0 ? rc : cop_topo_finish(t, err);
}

#define NAMES_HELP "of the hosts in order, separated by spaces or commas; not given: h0, h1, ..."

static const cop_opt single_opts[] = {
    {"hosts", COP_OPT_INT, offsetof(cop_single_cfg, hosts), NULL, 1, COP_MAX_PORTS, NULL, "hosts"},
    {"names", COP_OPT_STRING, offsetof(cop_single_cfg, names), "", 0, 0, NULL, NAMES_HELP},
    {0}};

static const cop_opt full_opts[] = {{"switches", COP_OPT_INT, offsetof(cop_full_cfg, switches),
                                     NULL, 1, COP_MAX_PORTS, NULL,
                                     "switches, each cabled to every other"},
                                    {"hosts", COP_OPT_INT, offsetof(cop_full_cfg, hosts), "1", 1,
                                     COP_MAX_PORTS, NULL, "hosts per switch"},
                                    {0}};

static const cop_opt chain_opts[] = {
    {"hosts", COP_OPT_INTS, offsetof(cop_chain_cfg, hosts), NULL, 0, COP_MAX_PORTS, NULL,
     "hosts of each switch, left to right; [3, 4] is two switches and seven hosts"},
    {"names", COP_OPT_STRING, offsetof(cop_chain_cfg, names), "", 0, 0, NULL, NAMES_HELP},
    {0}};

const cop_topo_ops cop_topo_single = {.name = "single",
                                      .summary = "one switch",
                                      .source = "own; the smallest network",
                                      .opts = single_opts,
                                      .cfg_size = sizeof(cop_single_cfg),
                                      .build = build_single};

const cop_topo_ops cop_topo_full = {.name = "full",
                                    .summary = "switches that are all cabled to each other",
                                    .source = "own; the complete graph",
                                    .opts = full_opts,
                                    .cfg_size = sizeof(cop_full_cfg),
                                    .build = build_full};

const cop_topo_ops cop_topo_chain = {.name = "chain",
                                     .summary = "a row of switches, neighbours joined by one cable",
                                     .source = "own; parking lots and small victim networks",
                                     .opts = chain_opts,
                                     .cfg_size = sizeof(cop_chain_cfg),
                                     .build = build_chain};
