/* The network of a run as a figure: nodes, and for each direction of a link its use and queue.
 * In: a result, NULL for none. Out: `nodes` and `links` of docs/RESULTS.md. Time grows with the number
 * of ports. */
#include "study/evaluate.h"

#include <math.h>
#include <string.h>

typedef struct drawing {
    json_t *hosts; /* name -> true */
    json_t *number; /* name -> place in nodes */
    json_t *nodes;
    cop_arena *arena;
} drawing;

/* Place of the node that a port belongs to: "s2.5" is one of s2's; a host has one port, named as
 * itself. */
static json_int_t owner(drawing *d, const char *port)
{
    bool host = json_object_get(d->hosts, port) != NULL;
    const char *dot = host ? NULL : strrchr(port, '.');
    const char *name = dot ? cop_arena_printf(d->arena, "%.*s", (int)(dot - port), port) : port;
    json_t *known = json_object_get(d->number, name);
    if (known != NULL)
        return json_integer_value(known);
    json_int_t at = (json_int_t)json_array_size(d->nodes);
    json_object_set_new(d->number, name, json_integer(at));
    json_array_append_new(d->nodes,
                          json_pack("{s:s, s:s}", "name", name, "kind", host ? "host" : "switch"));
    return at;
}

void cop_figure_network(const cop_result *r, json_t *o, cop_arena *arena)
{
    drawing d = {json_object(), json_object(), json_array(), arena};
    json_t *links = json_array();
    for (uint32_t i = 0; r != NULL && i < r->n_nodes; i++)
        json_object_set_new(d.hosts, r->node[i].name, json_true());
    for (uint32_t i = 0; r != NULL && i < r->n_ports; i++) {
        const cop_port_result *q = &r->port[i];
        json_int_t from = owner(&d, q->name), to = owner(&d, q->to);
        json_array_append_new(links,
                              json_pack("[I, I, o, o]", from, to, cop_real_or_null(q->utilisation),
                                        cop_real_or_null(q->mean_queue_bytes)));
    }
    json_decref(d.hosts);
    json_decref(d.number);
    json_object_set_new(o, "nodes", d.nodes);
    json_object_set_new(o, "links", links);
}
