/* run.observe.
 *
 * Role     turns the items of the option into observations; observe_sample.c takes their values.
 * Items    queue/PORT        bytes that wait for an output port, in all inputs (and its buffer)
 *          voq/IN>OUT        bytes that wait in one input of a switch for one of its outputs
 *          received/HOST     Gbit/s that a host takes in during each bin; received/all: every host
 *          injected/HOST     Gbit/s of data that a host sends into the network during each bin;
 *                            injected/all; injected/s0-3: switches by number, the mean of their
 *                            hosts
 *          sent/PORT         Gbit/s of all that leaves by an output port during each bin
 *          notices/PORT      notifications that the switch made about this output during each bin
 *          notices/all       how many each switch made about each output for each host: no series,
 *                            scalars
 *          VALUE/PORT        a value that the congestion control or the routing shows of an output
 *                            port
 *          VALUE/FLOW        ... of a flow
 *          PORT   as in results, s1.4; a host's name stands for the switch port it is cabled to.
 *                 s0-3.4-7, switches and ports by number, stands for a series of each (not with
 *                 voq).
 *                 `@2` behind it chooses lane 2; otherwise all lanes (VALUE: lane 0).
 *          OUT    a PORT, or a number alone: local port of the same switch.
 *          FLOW   SRC>DST with hosts by name or number, and `@3` for service level 3; or the name
 *                 of a traffic entry: one series for each of its streams that has one
 *                 destination. */
#include "net/inspect/observe_int.h"

#include "base/opt.h"
#include "net/inspect/inspect.h"
#include "net/routing/routing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEM_TEXT 200

/* All streams with one destination of the entry of this name. */
static int add_entry(cop_observing *p, const char *kind, const char *name, unsigned which,
                     const char *unit)
{
    const cop_traffic *tr = p->net->traffic;
    uint32_t first = p->net->n_observe, total = 0;
    bool known = false; /* a stream without traffic in this run has no series */
    for (uint32_t e = 0; e < tr->n_entries; e++)
        known |= strcmp(tr->entry_name[e], name) == 0;
    bool sends = false;
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        bool same = strcmp(tr->entry_name[tr->stream[s].entry], name) == 0;
        sends |= same;
        total += same && tr->stream[s].fixed_dst != COP_NONE;
    }
    for (uint32_t s = 0; s < tr->n_streams; s++) {
        const cop_stream *st = &tr->stream[s];
        if (st->fixed_dst == COP_NONE || strcmp(tr->entry_name[st->entry], name) != 0)
            continue;
        cop_observation o = {.kind = COP_OBSERVE_CC_FLOW, .unit = unit, .which = which};
        o.a = st->host, o.b = st->fixed_dst, o.sl = st->sl;
        bool twin = false; /* periods of activity are streams of one flow */
        for (uint32_t i = first; i < p->net->n_observe; i++)
            twin |= p->net->observe[i].a == o.a && p->net->observe[i].b == o.b;
        if (total > 1)
            o.name = cop_arena_printf(&p->net->arena, "%s/%s/%u", kind, name, st->host);
        int rc = twin ? 0 : cop_observe_add(p, o);
        if (rc != 0)
            return rc;
    }
    if (sends && total == 0) {
        char text[240];
        snprintf(text, sizeof(text),
                 "its streams have many destinations; name one flow, such as `%.40s/h3>h7` (any "
                 "destination will do where a source has one state for all)",
                 kind);
        return cop_observe_fault(p, text);
    }
    return known ? 0
                 : cop_observe_fault(
                       p, "a flow is shown, and there is none of this name; write `SRC>DST`, such "
                          "as `h3>h7`, or the name of a traffic entry");
}

static int add_flow(cop_observing *p, const char *kind, char *target, unsigned which,
                    const char *unit)
{
    char *to = strchr(target, '>');
    uint32_t sl = 0;
    if (to == NULL)
        return add_entry(p, kind, target, which, unit);
    if (!cop_observe_suffix(target, 16, &sl))
        return cop_observe_fault(p, "no such service level; they count from 0 to 15");
    *to++ = '\0';
    uint32_t src = cop_observe_host(p->net->topo, target), dst = cop_observe_host(p->net->topo, to);
    if (src == COP_NONE || dst == COP_NONE)
        return cop_observe_fault(p, "no such host; write names such as `h3`, or numbers from 0");
    cop_observation o = {.kind = COP_OBSERVE_CC_FLOW, .unit = unit, .which = which};
    o.a = src, o.b = dst, o.sl = (uint8_t)sl;
    return cop_observe_add(p, o);
}

static const cop_value *find_value(const cop_value *list, const char *name)
{
    for (; list != NULL && list->name != NULL; list++)
        if (strcmp(list->name, name) == 0)
            return list;
    return NULL;
}

static int unknown_kind(const cop_observing *p)
{
    char text[340];
    size_t used =
        (size_t)snprintf(text, sizeof(text),
                         "unknown; write queue/..., voq/..., received/..., injected/..., sent/..., "
                         "notices/...");
    const cop_value *lists[] = {p->net->cc->shown.flow_values, p->net->cc->shown.port_values,
                                p->net->route->ops->port_values};
    for (size_t i = 0; i < COP_LEN(lists); i++)
        for (const cop_value *v = lists[i]; v && v->name && used + 40 < sizeof(text); v++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, ", %s/...", v->name);
    return cop_observe_fault(p, text);
}

static int add_item(cop_observing *p, char *text)
{
    const cop_cc_ops *cc = p->net->cc;
    char *target = strchr(text, '/');
    if (target == NULL)
        return unknown_kind(p);
    *target++ = '\0';
    const cop_value *flow = find_value(cc->shown.flow_values, text);
    const cop_value *port = find_value(cc->shown.port_values, text);
    const cop_route_ops *route = p->net->route->ops;
    const cop_value *way = find_value(route->port_values, text);
    if (strcmp(text, "voq") == 0)
        return cop_observe_voq(p, target);
    if (strcmp(text, "received") == 0)
        return cop_observe_received(p, target);
    if (strcmp(text, "injected") == 0)
        return cop_observe_injected(p, target);
    if (strcmp(text, "sent") == 0)
        return cop_observe_sent(p, target);
    if (strcmp(text, "notices") == 0)
        return cop_observe_notices(p, target);
    if (strcmp(text, "queue") == 0)
        return cop_observe_ports(p, target, COP_OBSERVE_QUEUE, 0, "bytes");
    if (flow != NULL)
        return add_flow(p, text, target, (unsigned)(flow - cc->shown.flow_values), flow->unit);
    if (port != NULL)
        return cop_observe_ports(p, target, COP_OBSERVE_CC_PORT,
                                 (unsigned)(port - cc->shown.port_values), port->unit);
    if (way != NULL)
        return cop_observe_ports(p, target, COP_OBSERVE_ROUTE_PORT,
                                 (unsigned)(way - route->port_values), way->unit);
    return unknown_kind(p);
}

/* By name; equal names in the order of the option. */
static int by_name(const void *a, const void *b)
{
    const cop_observation *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Drop repeated items: a result has one series per name. */
static void drop_repeats(cop_net *net)
{
    uint32_t n = net->n_observe, kept = 0;
    if (n < 2)
        return;
    cop_observation **list = cop_alloc(cop_product(n, sizeof(*list)));
    for (uint32_t i = 0; i < n; i++)
        list[i] = &net->observe[i];
    qsort(list, n, sizeof(*list), by_name);
    for (uint32_t i = n; i-- > 1;)
        if (strcmp(list[i]->name, list[i - 1]->name) == 0)
            list[i]->v = NULL;
    cop_free(list);
    for (uint32_t i = 0; i < n; i++)
        if (net->observe[i].v != NULL)
            net->observe[kept++] = net->observe[i];
    net->n_observe = kept;
}

int cop_observe_init(cop_net *net, const char *text, cop_err *err)
{
    cop_observing p = {.net = net, .err = err};
    int rc = 0;
    bool more = text != NULL && strcmp(text, "none") != 0 && text[strspn(text, " \t")] != '\0';
    for (const char *s = text; more && rc == 0;) {
        size_t n = strcspn(s, ",");
        char item[ITEM_TEXT], copy[ITEM_TEXT];
        size_t used = 0;
        for (size_t i = 0; i < n && used + 1 < sizeof(item); i++)
            if (s[i] != ' ' && s[i] != '\t')
                item[used++] = s[i];
        item[used] = '\0';
        memcpy(copy, item, sizeof(copy));
        p.item = used > 0 ? item : ",";
        rc = used > 0 ? add_item(&p, copy)
                      : cop_observe_fault(
                            &p, "nothing stands on one side of it; write an item there, or leave "
                                "it out");
        more = s[n] == ',';
        s += n + more;
    }
    if (rc == 0)
        drop_repeats(net);
    return rc;
}
