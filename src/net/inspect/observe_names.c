/* Items of run.observe: the hosts, switches, ports and lanes that they name, and what is observed
 * of a port. */
#include "net/inspect/observe_int.h"

#include "base/opt.h"

#include <stdio.h>
#include <string.h>

#define VALUES_MOST (1u << 27) /* of all series together: a gigabyte */

int cop_observe_fault(const cop_observing *p, const char *what)
{
    char shown[80];
    return cop_err_add(p->err, COP_E_INPUT, "run.observe: `%s`: %s",
                       cop_excerpt(p->item, shown, sizeof(shown)), what);
}

int cop_observe_no_switch(const cop_observing *p)
{
    char says[64];
    snprintf(says, sizeof(says), "no such switch; there are s0 to s%u",
             p->net->topo->n_switches - 1);
    return cop_observe_fault(p, says);
}

int cop_observe_add(cop_observing *p, cop_observation o)
{
    cop_net *net = p->net;
    if (net->n_observe >= VALUES_MOST / (net->probe.n_bins + 1))
        return cop_observe_fault(p, "these are more than 134 million values; observe less, or set "
                                    "run.sample to more");
    o.v = COP_NEW_ARRAY(&net->arena, double, net->probe.n_bins);
    if (o.name == NULL)
        o.name = cop_arena_strdup(&net->arena, p->item);
    net->observe =
        cop_grow(net->observe, &p->cap, (size_t)net->n_observe + 1, sizeof(cop_observation));
    net->observe[net->n_observe++] = o;
    return 0;
}

/* Is it this name, blanks aside? Items are read without blanks; names of real hosts have some. */
static bool is_name(const char *text, const char *name)
{
    for (; *name != '\0'; name++)
        if (*name != ' ' && *name != '\t' && *text++ != *name)
            return false;
    return *text == '\0';
}

/* A whole number, or COP_NONE. */
static uint32_t number(const char *text)
{
    int64_t value;
    if (cop_parse_int(text, &value, NULL) != 0 || value < 0 || value >= COP_NONE)
        return COP_NONE;
    return (uint32_t)value;
}

uint32_t cop_observe_host(const cop_topo *t, const char *text)
{
    char name[128];
    for (uint32_t h = 0; h < t->n_hosts; h++)
        if (is_name(text, cop_topo_host_name(t, h, name, sizeof(name))))
            return h;
    uint32_t h = number(text);
    return h < t->n_hosts ? h : COP_NONE;
}

uint32_t cop_observe_switch(const cop_topo *t, const char *text)
{
    char name[128];
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        if (is_name(text, cop_topo_switch_name(t, sw, name, sizeof(name))))
            return sw;
    return COP_NONE;
}

/* A switch port by its name, or by the host at its other end. */
static uint32_t find_port(const cop_topo *t, const char *text, bool input)
{
    char name[128];
    for (uint32_t p = 0; p < t->host_port0; p++)
        if (is_name(text, cop_topo_port_name(t, p, name, sizeof(name))))
            return p;
    for (uint32_t h = 0; h < t->n_hosts; h++)
        if (is_name(text, cop_topo_host_name(t, h, name, sizeof(name))))
            return input ? t->port[t->host_port0 + h].to : cop_topo_exit_port(t, h);
    return COP_NONE;
}

bool cop_observe_suffix(char *text, uint32_t limit, uint32_t *value)
{
    char *at = strrchr(text, '@');
    if (at == NULL)
        return true;
    *at = '\0';
    *value = number(at + 1);
    return *value < limit;
}

int cop_observe_voq(cop_observing *p, char *target)
{
    const cop_topo *t = p->net->topo;
    uint32_t vl = COP_NONE;
    if (!cop_observe_suffix(target, p->net->lanes, &vl))
        return cop_observe_fault(p, "no such lane; lanes count from 0");
    char *to = strchr(target, '>');
    if (to == NULL)
        return cop_observe_fault(
            p, "name an input and an output, such as `voq/s1.2>s1.4` or `voq/h2>h5`");
    *to++ = '\0';
    uint32_t in = find_port(t, target, true), out = find_port(t, to, false);
    if (in != COP_NONE && out == COP_NONE && number(to) < cop_topo_ports_of(t, t->port[in].owner))
        out = cop_topo_switch_port(t, t->port[in].owner, number(to));
    if (in == COP_NONE || out == COP_NONE)
        return cop_observe_fault(
            p, "no such port; write `s1.4` (switch 1, port 4) or the host cabled to it");
    if (t->port[in].owner != t->port[out].owner)
        return cop_observe_fault(
            p, "input and output are ports of different switches; choose one switch");
    return cop_observe_add(
        p,
        (cop_observation){.kind = COP_OBSERVE_VOQ, .unit = "bytes", .a = in, .b = out, .vl = vl});
}

const char *cop_observe_range(const char *text, uint32_t *first, uint32_t *last)
{
    char digits[2][16] = {"", ""};
    size_t n = strspn(text, "0123456789"), more = 0;
    if (text[n] == '-')
        more = strspn(text + n + 1, "0123456789");
    if (n >= sizeof(digits[0]) || more >= sizeof(digits[1]) || (text[n] == '-' && more == 0))
        return NULL;
    memcpy(digits[0], text, n);
    memcpy(digits[1], more ? text + n + 1 : text, more ? more : n);
    *first = number(digits[0]), *last = number(digits[1]);
    return *first <= *last && *last != COP_NONE ? text + n + (more ? more + 1 : 0) : NULL;
}

/* An observation of port o.a. */
static int add_port(cop_observing *p, cop_observation o)
{
    const cop_net *net = p->net;
    const cop_route_ops *route = net->route->ops;
    char name[128], text[240];
    if (o.kind != COP_OBSERVE_ROUTE_PORT || route->shows == NULL ||
        route->shows(net->route, net->out[o.a].sw, net->out[o.a].local))
        return cop_observe_add(p, o);
    snprintf(
        text, sizeof(text),
        "routing %s keeps no such value of %s, as it never chooses there; name ports that lead "
        "to other switches",
        route->name, cop_topo_port_name(net->topo, o.a, name, sizeof(name)));
    return cop_observe_fault(p, text);
}

/* Ports of switches by number, `s0-3.4-7`: one series each, with the name the port has. */
static int add_ports(cop_observing *p, const char *text, cop_observation o)
{
    const cop_topo *t = p->net->topo;
    uint32_t sw0, sw1, first, last;
    const char *dot = text[0] == 's' ? cop_observe_range(text + 1, &sw0, &sw1) : NULL;
    const char *end = dot != NULL && *dot == '.' ? cop_observe_range(dot + 1, &first, &last) : NULL;
    if (end == NULL || *end != '\0')
        return cop_observe_fault(
            p, "no such port; write `s1.4` (switch 1, port 4), `s0-3.4-7` or the host "
               "cabled to it");
    for (uint32_t sw = sw0; sw <= sw1; sw++) {
        if (sw >= t->n_switches || last >= cop_topo_ports_of(t, sw)) {
            char says[120];
            if (sw >= t->n_switches)
                return cop_observe_no_switch(p);
            snprintf(says, sizeof(says), "no such port; those of s%u are 0 to %u", sw,
                     cop_topo_ports_of(t, sw) - 1);
            return cop_observe_fault(p, says);
        }
        for (uint32_t local = first; local <= last; local++) {
            char name[128], lane[16] = "";
            o.a = cop_topo_switch_port(t, sw, local);
            if (o.vl != COP_NONE)
                snprintf(lane, sizeof(lane), "@%u", o.vl);
            cop_topo_port_name(t, o.a, name, sizeof(name));
            o.name = cop_arena_printf(&p->net->arena, "%.*s/%s%s", (int)strcspn(p->item, "/"),
                                      p->item, name, lane);
            int rc = add_port(p, o);
            if (rc != 0)
                return rc;
        }
    }
    return 0;
}

int cop_observe_ports(cop_observing *p, char *target, int kind, unsigned which, const char *unit)
{
    cop_observation o = {.kind = kind, .unit = unit, .vl = COP_NONE, .which = which};
    if (!cop_observe_suffix(target, p->net->lanes, &o.vl))
        return cop_observe_fault(p, "no such lane; lanes count from 0");
    o.a = find_port(p->net->topo, target, false);
    return o.a == COP_NONE ? add_ports(p, target, o) : add_port(p, o);
}
