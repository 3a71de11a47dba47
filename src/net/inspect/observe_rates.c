/* Items of run.observe that accumulate during a bin: bytes that hosts take in and send, bytes that
 * outputs send, notifications. See observe.c.
 *
 * A packet counts when it begins to be sent, in the bin of that time and as a whole; what is
 * received counts by the byte, in all bins in which the host takes it in. */
#include "net/inspect/observe_int.h"

#include <stdio.h>
#include <string.h>

/* Added when packets are taken in, not at samples: parts of a byte, until cop_observe_finish. */
static int add_received_by(cop_observing *p, uint32_t host)
{
    cop_probe *pr = &p->net->probe;
    char name[128];
    cop_observation o = {.kind = COP_OBSERVE_RECEIVED, .unit = "Gbit/s", .a = host};
    cop_topo_host_name(p->net->topo, host, name, sizeof(name));
    o.name = cop_arena_printf(&p->net->arena, "received/%s", name);
    pr->n_whole = 0;
    if (pr->received == NULL)
        pr->received = COP_NEW_ARRAY(&p->net->arena, double *, p->net->topo->n_hosts);
    if (pr->received[host] != NULL)
        return 0; /* named twice */
    int rc = cop_observe_add(p, o);
    if (rc != 0)
        return rc;
    pr->received[host] = p->net->observe[p->net->n_observe - 1].v;
    return 0;
}

int cop_observe_received(cop_observing *p, const char *target)
{
    uint32_t n = p->net->topo->n_hosts, host = cop_observe_host(p->net->topo, target);
    if (host != COP_NONE)
        return add_received_by(p, host);
    if (strcmp(target, "all") != 0)
        return cop_observe_fault(
            p, "no such host; write a name such as `h3`, a number from 0, or `all`");
    int rc = 0;
    for (host = 0; host < n && rc == 0; host++)
        rc = add_received_by(p, host);
    return rc;
}

static int add_injected_by(cop_observing *p, int kind, uint32_t which)
{
    const cop_topo *t = p->net->topo;
    char name[128];
    cop_observation o = {.kind = kind, .unit = "Gbit/s", .a = which};
    if (kind == COP_OBSERVE_INJECTED)
        cop_topo_host_name(t, which, name, sizeof(name));
    else
        cop_topo_switch_name(t, which, name, sizeof(name));
    o.name = cop_arena_printf(&p->net->arena, "injected/%s", name);
    return cop_observe_add(p, o);
}

static bool has_host(const cop_topo *t, uint32_t sw)
{
    bool has = false;
    for (uint32_t port = t->sw_port0[sw]; port < t->sw_port0[sw + 1]; port++)
        has |= t->port[port].from != COP_NONE && cop_topo_is_host_port(t, t->port[port].from);
    return has;
}

/* Switches by number; of several those that have hosts. */
static int add_injected_at(cop_observing *p, const char *target)
{
    const cop_topo *t = p->net->topo;
    uint32_t first = COP_NONE, last = COP_NONE, named = cop_observe_switch(t, target);
    if (named != COP_NONE)
        return has_host(t, named) ? add_injected_by(p, COP_OBSERVE_INJECTED_AT, named)
                                  : cop_observe_fault(p, "no host is cabled to it");
    const char *end = target[0] == 's' ? cop_observe_range(target + 1, &first, &last) : NULL;
    if (end == NULL || *end != '\0')
        return cop_observe_fault(p, "no such host; write a name such as `h3`, a number from 0, "
                                    "`all`, or switches by number, such as `s0-11`");
    if (last >= t->n_switches)
        return cop_observe_no_switch(p);
    uint32_t found = 0;
    int rc = 0;
    for (uint32_t sw = first; sw <= last && rc == 0; sw++)
        if (has_host(t, sw)) {
            found++;
            rc = add_injected_by(p, COP_OBSERVE_INJECTED_AT, sw);
        }
    return rc != 0 || found > 0 ? rc : cop_observe_fault(p, "no host is cabled to it");
}

int cop_observe_injected(cop_observing *p, const char *target)
{
    const cop_topo *t = p->net->topo;
    uint32_t host = cop_observe_host(t, target);
    if (host != COP_NONE)
        return add_injected_by(p, COP_OBSERVE_INJECTED, host);
    if (strcmp(target, "all") != 0)
        return add_injected_at(p, target);
    int rc = 0;
    for (host = 0; host < t->n_hosts && rc == 0; host++)
        rc = add_injected_by(p, COP_OBSERVE_INJECTED, host);
    return rc;
}

int cop_observe_sent(cop_observing *p, char *target)
{
    if (strchr(target, '@') != NULL)
        return cop_observe_fault(p, "what is sent is counted on all lanes together; leave `@` out");
    return cop_observe_ports(p, target, COP_OBSERVE_SENT, 0, "Gbit/s");
}

int cop_observe_notices(cop_observing *p, char *target)
{
    cop_net *net = p->net;
    if (!net->cc_facts.notifies)
        return cop_observe_fault(
            p, "switches make no notifications with this cc.kind; use qcn, or leave it out");
    if (strchr(target, '@') != NULL)
        return cop_observe_fault(p, "notifications are about all lanes of a port; leave `@` out");
    if (strcmp(target, "all") != 0)
        return cop_observe_ports(p, target, COP_OBSERVE_NOTICES, 0, "packets");
    if (net->probe.notice.v == NULL)
        cop_pairs_start(&net->probe.notice);
    return 0;
}
