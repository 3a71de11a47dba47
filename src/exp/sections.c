/* The sections of a run file. To add a section: a struct in cop_config and a line here. */
#include "exp/sections.h"

#include "exp/plugins.h"

#include <string.h>

/* The five families are different types with the same leading members. */
#define PLUGIN_AT(function, table)                                                                 \
    static bool function(size_t i, cop_plugin *p)                                                  \
    {                                                                                              \
        if ((table)[i] == NULL)                                                                    \
            return false;                                                                          \
        *p = (cop_plugin){(table)[i]->name,                                                        \
                          (table)[i]->summary,                                                     \
                          (table)[i]->source,                                                      \
                          (table)[i]->opts,                                                        \
                          (table)[i]->cfg_size,                                                    \
                          (table)[i],                                                              \
                          NULL,                                                                    \
                          false,                                                                   \
                          0,                                                                       \
                          NULL,                                                                    \
                          NULL,                                                                    \
                          NULL};                                                                   \
        return true;                                                                               \
    }
PLUGIN_AT(topology_at, cop_topologies)
PLUGIN_AT(plain_routing_at, cop_routings)
PLUGIN_AT(queueing_at, cop_queueings)
PLUGIN_AT(plain_cc_at, cop_ccs)

static bool cc_at(size_t i, cop_plugin *p)
{
    if (!plain_cc_at(i, p))
        return false;
    p->note = cop_ccs[i]->immediate ? cop_ccs[i]->immediate : cop_ccs[i]->side_band;
    p->in_cycles = cop_ccs[i]->in_cycles;
    p->brings = cop_ccs[i]->brings;
    p->flow_values = cop_ccs[i]->shown.flow_values;
    p->port_values = cop_ccs[i]->shown.port_values;
    return true;
}

static bool routing_at(size_t i, cop_plugin *p)
{
    if (!plain_routing_at(i, p))
        return false;
    p->in_cycles = cop_routings[i]->in_cycles;
    p->brings = cop_routings[i]->brings;
    p->port_values = cop_routings[i]->port_values;
    return true;
}
PLUGIN_AT(host_at, cop_hosts)

#define C(field) offsetof(cop_config, field)
const cop_section cop_sections[] = {
    {"units", NULL, "flits and cycles, where a network is described in them", cop_units_opts,
     C(units), 0, NULL, NULL},
    {"run", NULL, "how long to simulate and what to record", cop_run_opts, C(run), 0, NULL, NULL},
    {"topology", "topologies", "hosts, switches and cables", NULL, C(topo_cfg), C(topo),
     topology_at, NULL},
    {"link", NULL, "rates and delays of the cables", cop_link_opts, C(link), 0, NULL, NULL},
    {"switch", NULL, "the switch model", cop_switch_opts, C(sw), 0, NULL, NULL},
    {"queueing", "queueing", "how the input buffer of a switch port is organised", NULL,
     C(queue_cfg), C(queue), queueing_at, "voqsw"},
    {"routing", "routings", "which output a packet takes", NULL, C(route_cfg), C(route), routing_at,
     COP_ROUTING_AUTO},
    {"flow_control", NULL, "what keeps a buffer from overflowing", cop_fc_opts, C(fc), 0, NULL,
     NULL},
    {"cc", "cc", "congestion control at switches and end nodes", NULL, C(cc_cfg), C(cc), cc_at,
     "none"},
    {"nic", NULL, "rates, packets and answers of the end nodes", cop_nic_opts, C(nic), 0, NULL,
     NULL},
    {"host", "hosts", "where messages wait inside an end node", NULL, C(host_cfg), C(host), host_at,
     "simple"},
    {0}};

const cop_opt cop_root_opts[] = {
    {"name", COP_OPT_STRING, C(name), "", 0, 0, NULL,
     "short name of the run; default: the file's name without `.yaml`"},
    {"title", COP_OPT_STRING, C(title), "", 0, 0, NULL, "one line for people"},
    {0}};

/* Topology, routing that `auto` stands for. Others: minhop. */
static const char *const auto_routing[][2] = {
    {"fat-tree", "dmodk"},
    {"kary-ntree", "dmodk"},
    {"xgft", "dmodk"},
    {"rail-tree", "dmodk"},
    {"torus", "dor"},
    {"mesh", "dor"},
    {"hypercube", "dor"},
    {"dragonfly", "dragonfly-min"},
    {"omega", "destination-tag"},
    {"butterfly", "destination-tag"},
    {"file", "updn"},
};

const char *cop_routing_for(const char *topology)
{
    for (size_t i = 0; i < COP_LEN(auto_routing); i++)
        if (strcmp(auto_routing[i][0], topology) == 0)
            return auto_routing[i][1];
    return "minhop";
}

bool cop_opt_names_file(const cop_opt *o)
{
    static const char *const names[] = {"path", "trace", "placement_file"};
    for (size_t i = 0; i < COP_LEN(names) && o->type == COP_OPT_STRING; i++)
        if (strcmp(o->name, names[i]) == 0)
            return true;
    return false;
}

const cop_section *cop_section_find(const char *name)
{
    for (const cop_section *s = cop_sections; s->name != NULL; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    return NULL;
}

bool cop_plugin_at(const cop_section *s, const cop_plugin_set *more, size_t i, cop_plugin *p)
{
    size_t ours = 0;
    while (ours <= i && s->plugin(ours, p))
        ours++;
    return ours > i || (more != NULL && cop_plugins_at(more, s->name, i - ours, p));
}

bool cop_plugin_find(const cop_section *s, const cop_plugin_set *more, const char *name,
                     cop_plugin *p)
{
    for (size_t i = 0; cop_plugin_at(s, more, i, p); i++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

size_t cop_plugin_names(const cop_section *s, const cop_plugin_set *more, const char **names,
                        size_t max)
{
    cop_plugin p;
    size_t n = 0;
    while (n < max && cop_plugin_at(s, more, n, &p))
        names[n++] = p.name;
    return n;
}
