/* The network of a random scenario: topology, routing and links.
 *
 * Three of four scenarios are on one of a few networks whose numbers are known to be telling. The others are on any
 * topology of the program's list, with options that are drawn from its table until it builds a small network. So one
 * that is added to the list takes part at once; where its table alone does not lead to a network (a required text, or
 * sizes that seldom fit), it needs a row here: tests/topo/test_topo.c and tests/whole/test_scenarios.c say so. Plug-ins from
 * outside stand in the list behind the program's own: so does the one of tests/whole/test_draw.c. */
#include "draw_int.h"

#include <stdio.h>
#include <string.h>

#include "exp/plugins.h"
#include "route/route.h"

static const char *const networks[] = {
    "single, hosts: 5",
    "chain, hosts: [2, 0, 3]",
    "full, switches: 4, hosts: 2",
    "kary-ntree, k: 2, n: 3",
    "kary-ntree, k: 4, n: 2",
    "fat-tree, ports: 4, levels: 2",
    "xgft, children: [3, 3], parents: [1, 2]",
    "rail-tree, pods: 2, servers: 2, rails: 2, spines: 2",
    "torus, radix: [4]",
    "torus, radix: [3, 4]",
    "mesh, radix: [3, 3]",
    "hypercube, dims: 3, hosts: 2",
    "dragonfly, p: 1, a: 2, h: 1",
    "dragonfly, p: 2, a: 4, h: 1, groups: 3",
    "dragonfly, p: 1, a: 2, h: 3",
    "dragonfly, p: 2, a: 3, h: 1",
    "omega, radix: 2, stages: 3",
    "butterfly, radix: 3, stages: 2",
    "file, path: examples/fabric16.net",
    "file, path: tests/golden/four.net",
};

/* Fewer hosts have too little to say to each other, more make thousands of scenarios slow. */
#define LEAST_HOSTS 4u
#define MOST_HOSTS 40u
#define MOST_SWITCHES 60u
#define TURNS                                                                                      \
    60u /* for one topology: two lists of a length, the first item of one given, still fit within these */

bool draw_load(const draw *d, const char *more, cop_config *c, cop_topo *t, cop_err *err)
{
    char text[3 * DRAW_ROW];
    assert_true(snprintf(text, sizeof(text), "topology: {kind: %s}\n%s", d->topology, more) <
                (int)sizeof(text));
    *t = (cop_topo){0};
    if (cop_config_load_with(c, d->more, "draw.yaml", text, NULL, 0, err) != 0)
        return false; /* options that have no use together */
    if (c->topo->build(t, c->topo_cfg, err) == 0)
        return true;
    cop_topo_free(t);
    cop_config_free(c);
    return false;
}

/* Does the routing accept the shape of the topology, and close no cycle? */
static bool fits(draw *d, const char *routing)
{
    char text[2 * DRAW_ROW];
    cop_config c;
    cop_err err = {0};
    cop_topo t;
    cop_route r;
    cop_cdg_result cdg;
    snprintf(text, sizeof(text), "routing: {kind: %s}\ntraffic: [{}]\n", routing);
    if (!draw_load(d, text, &c, &t, &err))
        return false;
    bool good = cop_route_init(&r, c.route, &t, c.route_cfg, 0, &err) == 0;
    if (good) {
        cop_cdg_check(&r, NULL, 0, &cdg);
        good = (cdg.acyclic || r.facts.patience_ps > 0) && !cdg.unreachable;
        cop_cdg_free(&cdg);
        cop_route_fini(&r);
    }
    d->routing = c.route->name;
    cop_topo_free(&t);
    cop_config_free(&c);
    return good;
}

/* Can d->topology be built, is it small, and is there a routing for it? What is known then is written down. */
static bool stands(draw *d)
{
    cop_config c;
    cop_topo t;
    cop_err err = {0};
    if (!draw_load(d, "traffic: [{}]\n", &c, &t, &err))
        return false;
    d->network = c.topo->name;
    d->hosts = t.n_hosts;
    d->own_rates = t.n_speeds > 1;
    bool small =
        t.n_hosts >= LEAST_HOSTS && t.n_hosts <= MOST_HOSTS && t.n_switches <= MOST_SWITCHES;
    cop_topo_free(&t);
    cop_config_free(&c);
    return small && (fits(d, COP_ROUTING_AUTO) || fits(d, "updn"));
}

static bool stands_on(draw *d, const char *topology)
{
    snprintf(d->topology, sizeof(d->topology), "%s", topology);
    return stands(d);
}

bool draw_small(draw *d, const struct cop_plugin *p)
{
    size_t length = strlen(p->name);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        snprintf(d->topology, sizeof(d->topology), "%s", p->name);
        draw_sizes(d, p->opts, d->topology, sizeof(d->topology));
        if (stands(d))
            return true;
    }
    for (size_t i = 0; i < COP_LEN(networks); i++)
        if (strncmp(networks[i], p->name, length) == 0 && networks[i][length] == ',')
            return stands_on(d, networks[i]);
    return false;
}

/* A small network of any topology there is; false: what was drawn of it will not do. */
static bool draw_listed(draw *d)
{
    const cop_section *s = cop_section_find("topology");
    cop_plugin p;
    uint32_t n = 0;
    while (cop_plugin_at(s, d->more, n, &p))
        n++;
    return cop_plugin_at(s, d->more, below(d, n), &p) && draw_small(d, &p);
}

/* A routing with some of its choices, or that of the topology. */
static void draw_routing(draw *d, const cop_route_ops *ops, char *text, size_t size)
{
    char number[32];
    size_t used = (size_t)snprintf(text, size, "%s", ops ? ops->name : COP_ROUTING_AUTO);
    for (const cop_opt *o = ops ? ops->opts : NULL; o && o->type != COP_OPT_END; o++) {
        const char *value = strcmp(o->name, "path") == 0 ? "tests/golden/four.lft" : NULL;
        uint32_t values = o->type == COP_OPT_ENUM ? draw_count(o->names) : 0;
        if (values > 0 && below(d, 2))
            value = o->names[below(d, values)];
        if (o->type == COP_OPT_BOOL && below(d, 2))
            value = below(d, 2) ? "yes" : "no";
        if (values == 0 && o->type != COP_OPT_BOOL && below(d, 3) == 0 &&
            draw_number(d, o, 2000, number, sizeof(number)))
            value = number;
        if (value)
            used += (size_t)snprintf(text + used, size - used, ", %s: %s", o->name, value);
    }
}

/* Any routing of the program's list, its choices drawn, too, until one fits. One with many choices that do not suit
 * each other gets as many draws as the others have hits. */
static void put_routing(draw *d)
{
    char text[DRAW_ROW];
    uint32_t n = 0;
    bool good = false;
    while (cop_routings[n])
        n++;
    while (!good) {
        const cop_route_ops *ops = cop_routings[below(d, n)];
        ops = below(d, 8) > 0 ? ops : NULL;
        for (uint32_t turn = 0; turn < 12 && !good; turn++) {
            draw_routing(d, ops, text, sizeof(text));
            good = fits(d, text);
        }
    }
    draw_put(d, "routing: {kind: %s}\n", text);
}

void draw_network(draw *d)
{
    d->link_gbps = between(d, 8, 100);
    if (below(d, 4) > 0 || !draw_listed(d))
        assert_true(stands_on(d, networks[below(d, COP_LEN(networks))]));
    draw_put(d, "topology: {kind: %s}\n", d->topology);
    put_routing(d);
    draw_put(d, "link: {rate: %u Gbit/s", d->link_gbps);
    PUT_NUMBER(d, ", delay: %u ns", 1, 100);
    if (below(d, 3) == 0) {
        PUT_NUMBER(d, ", trunk_rate: %u Gbit/s", 8, 100);
        PUT_NUMBER(d, ", trunk_delay: %u ns", 1, 200);
    }
    if (below(d, 4) == 0) {
        PUT_NUMBER(d, ", global_rate: %u Gbit/s", 8, 100);
        PUT_NUMBER(d, ", global_delay: %u ns", 100, 500);
    }
    draw_put(d, "}\n");
}
