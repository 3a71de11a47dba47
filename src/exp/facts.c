/* Facts of a network without a simulation: rates of links, oversubscription of switches with hosts,
 * and how evenly the routing spreads pairs of hosts.
 *
 * In: topology, routing, rates. Out: lines that begin with "#". Balance is pairs of hosts over the rate of the link,
 * counted for routings that give one way per switch and destination; of large networks for a sample of the destinations. */
#include "exp/facts.h"

#include "base/opt.h"
#include "net/net.h"

#include <inttypes.h>
#include <string.h>

#define MAX_RATES 8
#define MAX_STEPS ((uint64_t)1 << 25)

static void print_rates(const cop_topo *t, const cop_link_cfg *link, const cop_units_cfg *units,
                        FILE *out)
{
    struct {
        uint64_t bps;
        uint32_t hosts, trunks;
    } found[MAX_RATES] = {{0}};
    size_t n = 0;
    for (uint32_t p = 0; p < t->n_ports; p++) {
        uint32_t to = t->port[p].to;
        if (to == COP_NONE || (to < p && t->port[to].to == p)) /* a cable once */
            continue;
        uint64_t bps = cop_net_link_rate(t, link, p);
        size_t i = 0;
        while (i < n && found[i].bps != bps)
            i++;
        if (i == MAX_RATES)
            return;
        found[i].bps = bps;
        n = i == n ? n + 1 : n;
        bool host = cop_topo_is_host_port(t, p) || cop_topo_is_host_port(t, to);
        found[i].hosts += host;
        found[i].trunks += !host;
    }
    for (size_t i = 0; i < n; i++) {
        char rate[32];
        fprintf(out, "# links of %s: %u to hosts, %u between switches\n",
                cop_units_print(units, COP_OPT_RATE, found[i].bps, rate, sizeof(rate)),
                found[i].hosts, found[i].trunks);
    }
}

/* Hosts' bit/s over that of the other links of their switch. */
static double pressure(const cop_topo *t, const cop_link_cfg *link, uint32_t sw, uint32_t *hosts)
{
    double down = 0.0, up = 0.0;
    *hosts = 0;
    for (uint32_t i = 0; i < cop_topo_ports_of(t, sw); i++) {
        uint32_t p = cop_topo_switch_port(t, sw, i);
        if (t->port[p].to == COP_NONE)
            continue;
        bool host = cop_topo_is_host_port(t, t->port[p].to);
        *hosts += host;
        *(host ? &down : &up) += (double)cop_net_link_rate(t, link, p);
    }
    return up > 0.0 ? down / up : 0.0;
}

static void print_pressure(const cop_topo *t, const cop_link_cfg *link, FILE *out)
{
    double most = 0.0, least = 0.0;
    uint32_t where = COP_NONE, hosts;
    for (uint32_t s = 0; s < t->n_switches; s++) {
        double v = pressure(t, link, s, &hosts);
        if (hosts == 0 || v <= 0.0)
            continue;
        least = where == COP_NONE || v < least ? v : least;
        if (where == COP_NONE || v > most) {
            most = v;
            where = s;
        }
    }
    if (where == COP_NONE)
        return;
    char name[128];
    fprintf(out, "# oversubscription: hosts of a switch have %.3g times what its other links carry",
            most);
    if (least < most)
        fprintf(out, " at %s, %.3g where it is least",
                cop_topo_switch_name(t, where, name, sizeof(name)), least);
    fprintf(out, "%s\n", most > 1.001 ? "" : " (none)");
}

/* Follow one pair and count the ports between switches that it crosses. */
static void follow(const cop_route *r, uint32_t sw, uint32_t dst, uint64_t weight, uint64_t *pairs)
{
    const cop_topo *t = r->topo;
    cop_cand cand[64];
    cop_hop hop = {.sw = sw, .in_port = COP_PORT_NONE, .dst = dst, .mid = COP_NONE};
    for (uint32_t steps = 0; steps < t->n_switches; steps++) {
        hop.sw = sw;
        if (r->ops->route(r, &hop, NULL, cand) == 0)
            return;
        uint32_t p = cop_topo_switch_port(t, sw, cand[0].port), to = t->port[p].to;
        if (to == COP_NONE || cop_topo_is_host_port(t, to))
            return;
        pairs[p] += weight;
        hop.in_port = t->port[to].local;
        sw = t->port[to].owner;
    }
}

/* The link between switches that takes longest for its pairs, and how much longer than the mean: pairs over rate. */
static void print_busiest(const cop_topo *t, const cop_link_cfg *link, const uint64_t *pairs,
                          bool sampled, FILE *out)
{
    double most = 0.0, sum = 0.0;
    uint64_t n = 0, idle = 0;
    uint32_t where = 0;
    uint64_t slowest = UINT64_MAX, fastest = 0;
    for (uint32_t p = 0; p < t->host_port0; p++) {
        if (t->port[p].to == COP_NONE || cop_topo_is_host_port(t, t->port[p].to))
            continue;
        uint64_t bps = cop_net_link_rate(t, link, p);
        double load = (double)pairs[p] / (double)bps;
        slowest = bps < slowest ? bps : slowest;
        fastest = bps > fastest ? bps : fastest;
        n++;
        sum += load;
        idle += pairs[p] == 0;
        if (load > most) {
            most = load;
            where = p;
        }
    }
    char name[128];
    if (n > 0 && sum > 0.0)
        fprintf(out,
                "# balance: the busiest link between switches has %.3g times the mean of all "
                "pairs of hosts%s (%s); %" PRIu64 " of %" PRIu64 " have none%s\n",
                most * (double)n / sum, slowest < fastest ? " for its rate" : "",
                cop_topo_port_name(t, where, name, sizeof(name)), idle, n,
                sampled ? " (a sample of the destinations)" : "");
}

static void print_balance(const cop_route *r, const cop_link_cfg *link, FILE *out)
{
    const cop_topo *t = r->topo;
    bool one_way =
        r->facts.single || (r->facts.hosts_alike && r->facts.in_order && r->ops->mid == NULL);
    if (!one_way || t->n_switches < 2 || r->facts.max_cand != 1)
        return;
    uint64_t *pairs = cop_alloc_array(t->n_ports, sizeof(*pairs));
    uint32_t *hosts = cop_alloc_array(t->n_switches, sizeof(*hosts));
    for (uint32_t h = 0; h < t->n_hosts; h++)
        hosts[cop_topo_entry_switch(t, h)]++;
    uint64_t leaves = 0;
    for (uint32_t s = 0; s < t->n_switches; s++)
        leaves += hosts[s] > 0;
    uint64_t step = leaves * t->n_hosts * 8 / MAX_STEPS + 1;
    for (uint32_t d = 0; d < t->n_hosts; d += (uint32_t)step)
        for (uint32_t s = 0; s < t->n_switches; s++)
            if (hosts[s] > 0)
                follow(r, s, d, hosts[s], pairs);
    print_busiest(t, link, pairs, step > 1, out);
    cop_free(pairs);
    cop_free(hosts);
}

void cop_print_fabric(const cop_route *r, const cop_link_cfg *link, const cop_units_cfg *units,
                      FILE *out)
{
    print_rates(r->topo, link, units, out);
    print_pressure(r->topo, link, out);
    print_balance(r, link, out);
}
