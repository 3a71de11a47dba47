/* Distances: breadth-first search and the facts that follow from it.
 *
 * Role: counts and path lengths of a finished topology, for checks and claims.
 * Conventions: a path is measured in the switches it crosses, so two hosts of one switch are 1
 * apart. Shortest paths of the graph; a routing may take longer ones. The mean is over ordered
 * pairs of different hosts. Sums are integers, so the result does not depend on the order of
 * summation. */
#include "topo/topo.h"

#include "topo/walk.h"

void cop_walk_init(cop_walk *w, const cop_topo *t)
{
    w->dist = cop_alloc_array(t->n_switches, sizeof(*w->dist));
    w->queue = cop_alloc_array(t->n_switches, sizeof(*w->queue));
    w->reached = 0;
}

void cop_walk_fini(cop_walk *w)
{
    cop_free(w->dist);
    cop_free(w->queue);
    *w = (cop_walk){0};
}

void cop_walk_from(cop_walk *w, const cop_topo *t, uint32_t start)
{
    for (uint32_t s = 0; s < t->n_switches; s++)
        w->dist[s] = COP_NONE;
    w->dist[start] = 0;
    w->queue[0] = start;
    w->reached = 1;
    for (uint32_t i = 0; i < w->reached; i++) {
        uint32_t s = w->queue[i];
        for (uint32_t p = t->sw_port0[s]; p < t->sw_port0[s + 1]; p++) {
            uint32_t to = t->port[p].to;
            if (to >= t->host_port0) /* a host, or COP_NONE */
                continue;
            uint32_t next = t->port[to].owner;
            if (w->dist[next] != COP_NONE)
                continue;
            w->dist[next] = w->dist[s] + 1;
            w->queue[w->reached++] = next;
        }
    }
}

static void count_cables(const cop_topo *t, cop_topo_facts *facts)
{
    for (uint32_t p = 0; p < t->n_ports; p++) {
        uint32_t to = t->port[p].to;
        if (to == COP_NONE || (to < p && t->port[to].to == p))
            continue; /* none, or the second direction of a cable that was counted */
        facts->cables++;
        if (!cop_topo_is_host_port(t, p) && !cop_topo_is_host_port(t, to))
            facts->switch_cables++;
    }
    for (uint32_t s = 0; s < t->n_switches; s++)
        if (cop_topo_ports_of(t, s) > facts->max_ports)
            facts->max_ports = cop_topo_ports_of(t, s);
}

/* Hosts by the switch they send to, as lists, and the number of hosts that each switch sends to. */
typedef struct ends {
    uint32_t *first, *next; /* per switch, per host; COP_NONE ends a list */
    uint32_t *exits; /* per switch */
    uint32_t *source; /* switches with a list, ascending */
    uint32_t n_sources;
} ends;

static void ends_init(ends *e, const cop_topo *t)
{
    e->first = cop_alloc_array(t->n_switches, sizeof(*e->first));
    e->next = cop_alloc_array(t->n_hosts, sizeof(*e->next));
    e->exits = cop_alloc_array(t->n_switches, sizeof(*e->exits));
    e->source = cop_alloc_array(t->n_switches, sizeof(*e->source));
    e->n_sources = 0;
    for (uint32_t s = 0; s < t->n_switches; s++)
        e->first[s] = COP_NONE;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        uint32_t sw = cop_topo_entry_switch(t, h);
        e->next[h] = e->first[sw];
        e->first[sw] = h;
        e->exits[t->port[cop_topo_exit_port(t, h)].owner]++;
    }
    for (uint32_t s = 0; s < t->n_switches; s++)
        if (e->first[s] != COP_NONE)
            e->source[e->n_sources++] = s;
}

static void ends_fini(ends *e)
{
    cop_free(e->first);
    cop_free(e->next);
    cop_free(e->exits);
    cop_free(e->source);
}

void cop_topo_measure(const cop_topo *t, uint32_t max_sources, cop_topo_facts *facts)
{
    *facts = (cop_topo_facts){0};
    count_cables(t, facts);
    ends e;
    ends_init(&e, t);
    cop_walk w;
    cop_walk_init(&w, t);
    uint32_t n = e.n_sources;
    if (max_sources != 0 && max_sources < n)
        n = max_sources;
    uint64_t sum = 0, pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t start = e.source[(uint64_t)i * e.n_sources / n];
        cop_walk_from(&w, t, start);
        uint64_t to_all = 0, ends_here = 0;
        for (uint32_t k = 0; k < w.reached; k++) {
            uint32_t s = w.queue[k];
            if (e.exits[s] == 0)
                continue;
            to_all += (uint64_t)e.exits[s] * (w.dist[s] + 1);
            ends_here += e.exits[s];
            if (w.dist[s] + 1 > facts->diameter)
                facts->diameter = w.dist[s] + 1;
        }
        for (uint32_t h = e.first[start]; h != COP_NONE; h = e.next[h]) {
            sum += to_all - (w.dist[t->port[cop_topo_exit_port(t, h)].owner] + 1);
            pairs += ends_here - 1;
        }
    }
    facts->mean_switches = pairs ? (double)sum / (double)pairs : 0.0;
    cop_walk_fini(&w);
    ends_fini(&e);
}
