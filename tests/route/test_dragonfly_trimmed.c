/* Dragonflies with fewer groups than could be, so that two groups have several links: what the network accepts is what
 * the busiest channel lets through, and the links between two groups share the load.
 *
 * Even     if each pair of groups shared its n links evenly, a link between groups would carry a p a p / n pairs of hosts,
 *          and one inside a group from s to x its own p p, for each link of x that leaves the group p a p / n, and as much
 *          for each link of s that enters it.
 * Routed   the pairs that dragonfly-min puts on each channel, by following all of them. With uniform traffic a channel
 *          with w pairs carries L w / (hosts - 1) at load L, so the network saturates at (hosts - 1) / max w. */
#include "route_fixture.h"
#include "scenario.h"

#include "topo/topo_cfg.h"

#include <math.h>
#include <stdio.h>

static const cop_dragonfly_cfg shapes[] = {{4, 8, 4, 8}, {2, 4, 2, 5}, {2, 4, 2, 3}, {4, 4, 2, 4},
                                           {1, 4, 4, 2}, {3, 6, 3, 7}, {2, 6, 2, 6}, {4, 8, 2, 6},
                                           {3, 5, 4, 6}, {2, 8, 4, 9}};

static const char network[] =
    "run: {duration: 75 us, warmup: 30 us}\n"
    "link: {rate: 40 Gbit/s, delay: 20 ns, global_delay: 40 ns}\n"
    "switch: {architecture: cioq, speedup: 2, pipeline: 50 ns, buffer: 100 kB,\n"
    "         output_buffer: 100 kB}\n"
    "nic: {mtu: 500 B}\n"
    "traffic: [{name: t, pattern: uniform, message: 500 B, arrival: bernoulli}]\n"
    "topology: {kind: dragonfly, p: 1, a: 2, h: 1}\n";

static uint32_t links_between(const cop_topo *t, uint32_t from, uint32_t to)
{
    uint32_t n = 0, a = t->shape.u.dragonfly.a;
    for (uint32_t p = 0; p < t->host_port0; p++)
        if (t->port[p].link_class == COP_LINK_GLOBAL && t->port[p].to != COP_NONE)
            n += t->port[p].owner / a == from && t->port[t->port[p].to].owner / a == to;
    return n;
}

/* Pairs of hosts that switch `sw` would exchange with other groups by its own links. */
static double by_own_links(const cop_topo *t, uint32_t sw)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    double pairs = 0.0;
    for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
        if (t->port[p].link_class == COP_LINK_GLOBAL && t->port[p].to != COP_NONE)
            pairs += (double)(d->p * d->a * d->p) /
                     links_between(t, sw / d->a, t->port[t->port[p].to].owner / d->a);
    return pairs;
}

/* Pairs of hosts on the busiest link between switches, if links between groups are shared evenly. */
static double even(const cop_topo *t)
{
    const cop_dragonfly_shape *d = &t->shape.u.dragonfly;
    double most = 0.0;
    for (uint32_t g = 1; g < d->groups; g++) /* from group 0: all are alike */
        most = fmax(most, (double)(d->a * d->p * d->a * d->p) / links_between(t, 0, g));
    for (uint32_t s = 0; s < d->a; s++)
        for (uint32_t x = 0; x < d->a; x++)
            if (s != x)
                most = fmax(most, d->p * d->p + by_own_links(t, x) + by_own_links(t, s));
    return most;
}

/* The same as dragonfly-min routes. */
static uint32_t routed(const cop_topo *t)
{
    cop_route r;
    start(&r, "dragonfly-min", t, NULL, 0);
    uint32_t *pairs = cop_alloc(t->n_ports * sizeof(*pairs)), most = 0;
    for (uint32_t src = 0; src < t->n_hosts; src++)
        for (uint32_t dst = 0; dst < t->n_hosts; dst++)
            if (src != dst)
                assert_true(travel(&r, src, dst, NULL, NULL, pairs) > 0);
    for (uint32_t p = 0; p < t->host_port0; p++)
        if (t->port[p].to != COP_NONE && !cop_topo_is_host_port(t, t->port[p].to))
            most = pairs[p] > most ? pairs[p] : most;
    cop_free(pairs);
    cop_route_fini(&r);
    return most;
}

static const char *shape_text(char *buf, size_t size, const cop_dragonfly_cfg *s)
{
    return scn_text(buf, size, "topology={kind: dragonfly, p: %d, a: %d, h: %d, groups: %d}",
                    (int)s->p, (int)s->a, (int)s->h, (int)s->groups);
}

/* Accepted at `load` of the hosts' links, and the use of the busiest link between switches. */
static double accepted(const cop_dragonfly_cfg *shape, double load, uint32_t seed, double *busiest)
{
    char size[96], offered[48], from[32];
    const char *const set[] = {shape_text(size, sizeof(size), shape), "routing.kind=dragonfly-min",
                               scn_text(offered, sizeof(offered), "traffic.t.load=%.4f", load),
                               scn_text(from, sizeof(from), "run.seed=%u", seed)};
    cop_result r;
    scn_run(network, set, COP_LEN(set), &r, NULL);
    if (r.outcome != COP_OUTCOME_OK)
        fail_msg("%s: %s", size, r.detail);
    double rate = r.throughput_gbps / 40.0;
    *busiest = 0.0;
    for (uint32_t i = 0; i < r.n_ports; i++) {
        unsigned sw, port;
        if (sscanf(r.port[i].name, "s%u.%u", &sw, &port) == 2 && port >= shape->p)
            *busiest = fmax(*busiest, r.port[i].utilisation);
    }
    cop_result_free(&r);
    return rate;
}

static void test_saturation_is_that_of_the_busiest_channel(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(shapes); i++) {
        cop_topo t;
        char size[96];
        build(&t, "dragonfly", &shapes[i]);
        shape_text(size, sizeof(size), &shapes[i]);
        double most = routed(&t), limit = (t.n_hosts - 1) / most, busiest;
        if (most > 1.2 * even(&t))
            fail_msg("%s: %.0f pairs on the busiest link, %.0f if shared", size, most, even(&t));
        for (uint32_t seed = 1; seed <= 2; seed++) {
            double below = fmin(0.94 * limit, 0.9), above = 1.12 * limit;
            double got = accepted(&shapes[i], below, seed, &busiest);
            if (got < 0.985 * below)
                fail_msg("%s: %.3f of %.3f accepted, limit %.3f", size, got, below, limit);
            if (above >= 1.0)
                continue;
            got = accepted(&shapes[i], above, seed, &busiest);
            if (got > 0.985 * above || busiest < 0.99)
                fail_msg("%s: %.3f of %.3f accepted, limit %.3f", size, got, above, limit);
        }
        cop_topo_free(&t);
    }
}

typedef struct use { /* of the links from one group to another */
    double most, least;
} use;

/* Use of each link between groups: those of two groups differ by `factor` at most. */
static void compare_links(const cop_topo *t, const cop_result *r, double factor, const char *what)
{
    uint32_t groups = t->shape.u.dragonfly.groups, a = t->shape.u.dragonfly.a, pairs = 0;
    use *u = cop_alloc((size_t)groups * groups * sizeof(*u));
    for (uint32_t i = 0; i < r->n_ports; i++) {
        unsigned sw, local;
        if (sscanf(r->port[i].name, "s%u.%u", &sw, &local) != 2)
            continue;
        const cop_port *p = &t->port[cop_topo_switch_port(t, sw, local)];
        if (p->link_class != COP_LINK_GLOBAL || p->to == COP_NONE)
            continue;
        use *of = &u[sw / a * groups + t->port[p->to].owner / a];
        double v = r->port[i].utilisation;
        of->least = of->most == 0.0 ? v : fmin(of->least, v);
        of->most = fmax(of->most, v);
    }
    for (uint32_t i = 0; i < groups * groups; i++) {
        pairs += u[i].most > 0.02;
        if (u[i].most > 0.02 && u[i].most > factor * u[i].least)
            fail_msg("%s: links from group %u to %u carry %.3f to %.3f", what, i / groups,
                     i % groups, u[i].least, u[i].most);
    }
    assert_true(pairs >= groups); /* at least those of the adversarial pattern */
    cop_free(u);
}

/* Whatever the routing does not decide by queues is shared evenly. What it does decide, under adversarial traffic, differs
 * from switch to switch: one with a link of its own to the next group sees its queue, others that of a local link. */
static void test_links_between_two_groups_share(void **state)
{
    (void)state;
    static const char *const routings[] = {"kind: dragonfly-min",
                                           "kind: dragonfly-valiant",
                                           "kind: dragonfly-valiant, to: group",
                                           "kind: ugal",
                                           "kind: ugal, progressive: yes",
                                           "kind: piggyback",
                                           "kind: pause, via: other",
                                           "kind: qcn-switch, via: other"};
    static const char *const patterns[] = {"pattern: uniform",
                                           "pattern: group-adversarial, offset: 1"};
    const cop_dragonfly_cfg shape = {3, 6, 3, 7}; /* three links between two groups */
    cop_topo t;
    build(&t, "dragonfly", &shape);
    for (size_t i = 0; i < COP_LEN(routings); i++)
        for (size_t k = 0; k < COP_LEN(patterns); k++) {
            char size[96], routing[80], traffic[160];
            bool told = strstr(routings[i], "qcn") != NULL;
            bool chooses = strstr(routings[i], "dragonfly") == NULL && k == 1;
            const char *const set[] = {
                shape_text(size, sizeof(size), &shape),
                scn_text(routing, sizeof(routing), "routing={%s}", routings[i]),
                scn_text(traffic, sizeof(traffic),
                         "traffic=[{name: t, %s, message: 500 B, arrival: bernoulli, load: 0.3}]",
                         patterns[k]),
                told ? "cc={kind: qcn, react: no, w: 0, every: 10}" : "cc.kind=none"};
            cop_result r;
            scn_run(network, set, COP_LEN(set), &r, NULL);
            compare_links(&t, &r, chooses ? 3.0 : 1.6, routing);
            cop_result_free(&r);
        }
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saturation_is_that_of_the_busiest_channel),
        cmocka_unit_test(test_links_between_two_groups_share)};
    return cmocka_run_group_tests_name("dragonfly_trimmed", tests, NULL, NULL);
}
