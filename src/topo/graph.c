/* The graph under every topology: builder, checks, names.
 *
 * Role: generators give the numbers of hosts, switches and ports, and the cables; this file numbers
 * them and validates the result before it is routed or simulated. Inputs/outputs: cop_topo_begin,
 * then cables, then cop_topo_finish; *t is immutable afterwards.
 * Invariants after finish: port[p].to = q exactly when port[q].from = p; both directions of every
 * host end at a switch; every host can send to every other host over switches only.
 * Simplification: in a large one-way network reachability is checked from as many entry switches as
 * REACH_STEPS allows; the multistage generators guarantee the rest by construction. */
#include "topo/build.h"

#include "topo/walk.h"

#include <stdio.h>

#define REACH_STEPS ((uint64_t)1 << 26)

int cop_topo_check_range(const char *kind, const char *option, int64_t value, int64_t low,
                         int64_t high, cop_err *err)
{
    if (value >= low && value <= high)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "topology %s: %s is %" PRId64 "; must be %" PRId64 " to %" PRId64, kind,
                       option, value, low, high);
}

int cop_topo_check_size(const char *kind, uint64_t hosts, uint64_t ports, uint64_t most,
                        cop_err *err)
{
    if (hosts == 0)
        return cop_err_add(err, COP_E_INPUT, "topology %s: no hosts; needs at least one", kind);
    if (most > COP_MAX_PORTS)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: a switch would need %" PRIu64
                           " ports, at most %u fit; choose a smaller network",
                           kind, most, COP_MAX_PORTS);
    if (hosts > COP_MAX_HOSTS)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: would have more hosts than fit; at most %u, choose a "
                           "smaller network",
                           kind, COP_MAX_HOSTS);
    if (cop_sat_add(ports, hosts) > COP_MAX_NET_PORTS)
        return cop_err_add(err, COP_E_INPUT,
                           "topology %s: would have more ports than fit; at most %u, choose a "
                           "smaller network",
                           kind, COP_MAX_NET_PORTS);
    return 0;
}

void cop_topo_begin(cop_topo *t, uint32_t n_hosts, uint32_t n_switches,
                    const uint32_t *ports_of_switch)
{
    COP_CHECK(t->port == NULL && n_hosts > 0 && n_hosts <= COP_MAX_HOSTS);
    t->n_hosts = n_hosts;
    t->n_switches = n_switches;
    t->n_speeds = 1;
    t->sw_port0 = COP_NEW_ARRAY(&t->arena, uint32_t, (size_t)n_switches + 1);
    uint64_t sum = 0;
    for (uint32_t s = 0; s < n_switches; s++) {
        t->sw_port0[s] = (uint32_t)sum;
        sum += ports_of_switch[s];
        COP_CHECK(sum <= COP_MAX_NET_PORTS - n_hosts);
    }
    t->sw_port0[n_switches] = t->host_port0 = (uint32_t)sum;
    t->n_ports = t->host_port0 + n_hosts;
    t->port = COP_NEW_ARRAY(&t->arena, cop_port, t->n_ports);
    cop_port *p = t->port;
    for (uint32_t s = 0; s < n_switches; s++)
        for (uint32_t i = 0; i < ports_of_switch[s]; i++)
            *p++ = (cop_port){.to = COP_NONE, .from = COP_NONE, .owner = s, .local = (uint16_t)i};
    for (uint32_t h = 0; h < n_hosts; h++)
        *p++ = (cop_port){.to = COP_NONE, .from = COP_NONE, .owner = n_switches + h};
}

void cop_topo_begin_equal(cop_topo *t, uint32_t n_hosts, uint32_t n_switches, uint32_t ports)
{
    uint32_t *sizes = cop_alloc_array(n_switches, sizeof(*sizes));
    for (uint32_t s = 0; s < n_switches; s++)
        sizes[s] = ports;
    cop_topo_begin(t, n_hosts, n_switches, sizes);
    cop_free(sizes);
}

void cop_topo_one_way(cop_topo *t, uint32_t a, uint32_t b, enum cop_link_class cls)
{
    COP_CHECK(a < t->n_ports && b < t->n_ports && a != b);
    COP_CHECK(t->port[a].to == COP_NONE && t->port[b].from == COP_NONE);
    t->port[a].to = b;
    t->port[b].from = a;
    t->port[a].link_class = (uint8_t)cls;
}

void cop_topo_cable(cop_topo *t, uint32_t a, uint32_t b, enum cop_link_class cls)
{
    cop_topo_one_way(t, a, b, cls);
    cop_topo_one_way(t, b, a, cls);
}

void cop_topo_attach(cop_topo *t, uint32_t host, uint32_t sw, uint32_t local)
{
    cop_topo_cable(t, cop_topo_host_port(t, host), cop_topo_switch_port(t, sw, local),
                   COP_LINK_HOST);
}

static int check_sizes(const cop_topo *t, cop_err *err)
{
    char name[128];
    for (uint32_t s = 0; s < t->n_switches; s++)
        if (cop_topo_ports_of(t, s) > COP_MAX_PORTS)
            return cop_err_add(err, COP_E_INPUT, "switch %s has %u ports; a switch has at most %u",
                               cop_topo_switch_name(t, s, name, sizeof(name)),
                               cop_topo_ports_of(t, s), COP_MAX_PORTS);
    return 0;
}

static int check_pairs(const cop_topo *t, cop_err *err)
{
    char name[128];
    for (uint32_t p = 0; p < t->n_ports; p++) {
        uint32_t to = t->port[p].to, from = t->port[p].from;
        bool good = (to == COP_NONE || (to < t->n_ports && t->port[to].from == p)) &&
                    (from == COP_NONE || (from < t->n_ports && t->port[from].to == p));
        if (!good)
            return cop_err_add(err, COP_E_INPUT,
                               "port %s: the other end of its cable is not cabled back; both ends "
                               "of a cable must name each other",
                               cop_topo_port_name(t, p, name, sizeof(name)));
    }
    return 0;
}

static int check_hosts(const cop_topo *t, cop_err *err)
{
    char name[128];
    uint32_t first = COP_NONE, bad = 0;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        const cop_port *p = &t->port[cop_topo_host_port(t, h)];
        /* COP_NONE is greater than any switch port. */
        if (p->to < t->host_port0 && p->from < t->host_port0)
            continue;
        if (bad++ == 0)
            first = h;
    }
    if (bad == 0)
        return 0;
    return cop_err_add(
        err, COP_E_INPUT,
        "host %s is not cabled to a switch in both directions (%u such hosts); every "
        "host needs a switch to send to and one to hear from",
        cop_topo_host_name(t, first, name, sizeof(name)), bad);
}

/* In a full-duplex network one search is enough for all pairs: paths can be walked backwards. */
static int check_reach(const cop_topo *t, cop_err *err)
{
    bool duplex = true;
    for (uint32_t p = 0; p < t->n_ports && duplex; p++)
        duplex = t->port[p].to == t->port[p].from;
    uint64_t searches = duplex ? 1 : REACH_STEPS / t->n_ports + 1;
    cop_walk w;
    cop_walk_init(&w, t);
    bool *done = cop_alloc_array(t->n_switches, sizeof(*done));
    int rc = 0;
    for (uint32_t h = 0; h < t->n_hosts && searches > 0 && rc == 0; h++) {
        uint32_t sw = cop_topo_entry_switch(t, h);
        if (done[sw])
            continue;
        done[sw] = true;
        searches--;
        cop_walk_from(&w, t, sw);
        for (uint32_t d = 0; d < t->n_hosts && rc == 0; d++) {
            if (w.dist[t->port[cop_topo_exit_port(t, d)].owner] != COP_NONE)
                continue;
            char a[128], b[128];
            rc = cop_err_add(err, COP_E_INPUT,
                             "no path from host %s to host %s; all hosts must be in one network",
                             cop_topo_host_name(t, h, a, sizeof(a)),
                             cop_topo_host_name(t, d, b, sizeof(b)));
        }
    }
    cop_free(done);
    cop_walk_fini(&w);
    return rc;
}

int cop_topo_finish(cop_topo *t, cop_err *err)
{
    int rc = check_sizes(t, err);
    if (rc == 0)
        rc = check_pairs(t, err);
    if (rc == 0)
        rc = check_hosts(t, err);
    if (rc == 0)
        rc = check_reach(t, err);
    return rc;
}

void cop_topo_free(cop_topo *t)
{
    cop_arena_free(&t->arena);
    *t = (cop_topo){0};
}

const char *cop_topo_host_name(const cop_topo *t, uint32_t host, char *buf, size_t size)
{
    if (t->host_name != NULL)
        snprintf(buf, size, "%s", t->host_name[host]);
    else
        snprintf(buf, size, "h%u", host);
    return buf;
}

const char *cop_topo_switch_name(const cop_topo *t, uint32_t sw, char *buf, size_t size)
{
    if (t->switch_name != NULL)
        snprintf(buf, size, "%s", t->switch_name[sw]);
    else
        snprintf(buf, size, "s%u", sw);
    return buf;
}

const char *cop_topo_port_name(const cop_topo *t, uint32_t port, char *buf, size_t size)
{
    if (cop_topo_is_host_port(t, port))
        return cop_topo_host_name(t, port - t->host_port0, buf, size);
    const cop_port *p = &t->port[port];
    if (t->switch_name != NULL)
        snprintf(buf, size, "%s.%u", t->switch_name[p->owner], p->local + 1u);
    else
        snprintf(buf, size, "s%u.%u", p->owner, p->local);
    return buf;
}
