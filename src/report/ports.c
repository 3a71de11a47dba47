/* Figures of the ports of a run: the busiest links, the longest queues, the network with the use of
 * every link. In: the table of ports. Out: figures in the form of docs/REPORT.md. */
#include "base/opt.h"
#include "report/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BARS = 12, MAX_LINKS = 200000 };

static int add_port(void *user, const cop_cell *cells, size_t n)
{
    cop_report_ports *l = user;
    cop_arena *a = &l->d->arena;
    l->port = cop_grow(l->port, &l->cap, l->n + 1, sizeof(*l->port));
    l->port[l->n++] =
        (cop_report_port){.name = cop_arena_strdup(a, cop_report_column(cells, n, "name").text),
                          .to = cop_arena_strdup(a, cop_report_column(cells, n, "to_name").text),
                          .use = cop_report_column(cells, n, "utilisation").real,
                          .queue = cop_report_column(cells, n, "mean_queue_bytes").real,
                          .most = cop_report_column(cells, n, "max_queue_bytes").real};
    return 0;
}

int cop_report_read_ports(cop_report_ports *l)
{
    return cop_store_browse(l->d->store, COP_BROWSE_PORT, l->d->id, add_port, l, l->d->err);
}

static int by_use(const void *a, const void *b)
{
    const cop_report_port *x = *(const cop_report_port *const *)a,
                          *y = *(const cop_report_port *const *)b;
    if (x->use != y->use)
        return x->use < y->use ? 1 : -1;
    return x->queue != y->queue ? (x->queue < y->queue ? 1 : -1) : strverscmp(x->name, y->name);
}

static int by_queue(const void *a, const void *b)
{
    const cop_report_port *x = *(const cop_report_port *const *)a,
                          *y = *(const cop_report_port *const *)b;
    return x->queue != y->queue ? (x->queue < y->queue ? 1 : -1) : by_use(a, b);
}

void cop_report_draw_bars(cop_drawing *d, const cop_report_ports *l, bool queues)
{
    const cop_report_port **order = cop_alloc_array(l->n, sizeof(*order));
    for (size_t i = 0; i < l->n; i++)
        order[i] = &l->port[i];
    qsort(order, l->n, sizeof(*order), queues ? by_queue : by_use);
    json_t *names = json_array(), *values = json_array();
    for (size_t i = 0; i < l->n && i < MAX_BARS; i++) {
        double v = queues ? cop_report_queue(d, order[i]->queue) : 100.0 * order[i]->use;
        if (!(v > 0.0))
            break;
        json_array_append_new(names, cop_report_string(cop_arena_printf(
                                         &d->arena, "%s → %s", order[i]->name, order[i]->to)));
        json_array_append_new(values, cop_report_real(v));
    }
    cop_free(order);
    if (json_array_size(names) > 0) {
        json_t *f = cop_report_figure(d, queues ? "queues" : "links",
                                      queues ? "Longest queues (mean)" : "Busiest links", "bar");
        const char *what = queues ? "mean queue" : "utilisation";
        json_object_set_new(f, "y",
                            cop_report_axis(what, queues ? cop_report_queue_unit(d) : "%", false));
        json_object_set(f, "categories", names);
        json_object_set_new(f, "series", json_pack("[{s:s, s:O}]", "name", what, "values", values));
    }
    json_decref(names);
    json_decref(values);
}

typedef struct network {
    json_t *hosts; /* name -> its number */
    json_t *numbers; /* name -> its place in nodes */
    json_t *nodes;
} network;

static int add_host(void *user, const cop_cell *cells, size_t n)
{
    json_object_set_new_nocheck(user, cop_report_column(cells, n, "name").text,
                                json_integer(cop_report_column(cells, n, "node").i));
    return 0;
}

/* The node a port belongs to. A host has one port, named like the host; "s1.4" is one of s1's. */
static json_int_t node_number(cop_drawing *d, network *w, const char *port_name)
{
    const json_t *number = json_object_get(w->hosts, port_name);
    bool host = number != NULL;
    const char *dot = strrchr(port_name, '.'), *name = port_name;
    if (!host && dot != NULL)
        name = cop_arena_printf(&d->arena, "%.*s", (int)(dot - port_name), port_name);
    json_t *known = json_object_get(w->numbers, name);
    if (known != NULL)
        return json_integer_value(known);
    json_int_t i = (json_int_t)json_array_size(w->nodes);
    json_object_set_new_nocheck(w->numbers, name, json_integer(i));
    json_t *node = json_object();
    json_object_set_new(node, "name", cop_report_string(name));
    json_object_set_new(node, "kind", json_string(host ? "host" : "switch"));
    if (host)
        json_object_set_new(node, "number", json_integer(json_integer_value(number)));
    json_array_append_new(w->nodes, node);
    return i;
}

/* "s1.4" -> 4; of a host null: it has one port. */
static json_t *own_number(const network *w, const char *port_name)
{
    const char *dot = strrchr(port_name, '.');
    int64_t v;
    if (dot == NULL || json_object_get(w->hosts, port_name) != NULL ||
        cop_parse_int(dot + 1, &v, NULL) != 0)
        return json_null();
    return json_integer(v);
}

const char *cop_report_topology(const char *config, size_t *length)
{
    static const char head[] = "topology:\n  kind: ";
    const char *at = config ? strstr(config, head) : NULL;
    if (at == NULL)
        return NULL;
    at += strlen(head);
    *length = strcspn(at, "\n");
    return at;
}

static json_t *topology(const char *config)
{
    size_t n;
    const char *kind = cop_report_topology(config, &n);
    return kind ? json_pack("{s:s%}", "kind", kind, n) : json_null();
}

int cop_report_fill_network(cop_drawing *d, const cop_report_ports *l, const char *config,
                            json_t *f)
{
    network w = {json_object(), json_object(), json_array()};
    json_t *links = json_array();
    int rc = cop_store_browse(d->store, COP_BROWSE_NODE, d->id, add_host, w.hosts, d->err);
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        const cop_report_port *p = &l->port[i];
        json_int_t from = node_number(d, &w, p->name), to = node_number(d, &w, p->to);
        json_t *link = json_pack("[I, I]", from, to);
        json_array_append_new(link, cop_report_real(round(p->use * 1e4) / 1e4));
        json_array_append_new(link, cop_report_real(round(p->queue)));
        json_array_append_new(link, cop_report_real(p->most));
        json_array_append_new(link, own_number(&w, p->name));
        json_array_append_new(link, own_number(&w, p->to));
        json_array_append_new(links, link);
    }
    json_object_set_new(f, "nodes", w.nodes);
    json_object_set_new(f, "links", links);
    json_object_set_new(f, "topology", topology(config));
    if (d->cycle_ns > 0.0)
        json_object_set_new(f, "cycle_ns", cop_report_real(d->cycle_ns));
    if (d->flit_bytes > 0.0)
        json_object_set_new(f, "flit_bytes", cop_report_real(d->flit_bytes));
    json_decref(w.numbers);
    json_decref(w.hosts);
    return rc == 0 ? cop_report_add_frames(d, f) : rc;
}

int cop_report_draw_network(cop_drawing *d, const cop_report_ports *l)
{
    if (l->n == 0 || l->n > MAX_LINKS)
        return 0;
    json_t *f = cop_report_figure(d, "network", "The network", "network");
    return cop_report_fill_network(d, l, cop_report_get(d->run, "config"), f);
}

int cop_report_run_network(cop_store *s, int64_t id, const char *config, json_t *f, cop_err *err)
{
    cop_drawing d = {.store = s, .id = id, .err = err};
    cop_report_ports ports = {.d = &d};
    int rc = cop_report_read_units(&d);
    if (rc == 0)
        rc = cop_report_read_ports(&ports);
    if (rc == 0 && ports.n > 0 && ports.n <= MAX_LINKS)
        rc = cop_report_fill_network(&d, &ports, config, f);
    cop_free(ports.port);
    cop_arena_free(&d.arena);
    return rc;
}
