/* Which operations become ready before which, whatever the times are: see waits.h.
 *
 * Method   a tree in which every operation hangs on one that it depends on, numbered from the root down, children in the order in
 *          which a rank starts them: those that wait for a start before those that wait for an end. What stands below an
 *          operation is later than it. An operation that has at most one dependency also comes before what stands below its later
 *          siblings, as it is made ready by the same event.
 * Limits   of several dependencies the tree has one, so that an order that others enforce may not be seen. */
#include "app/waits.h"

/* Operations in an order in which each follows what it depends on; parents are the last of these. */
static uint32_t *sorted(cop_op_order *o, const cop_graph *g)
{
    uint32_t *need = cop_alloc_array(g->n_ops, sizeof(*need));
    uint32_t *todo = cop_alloc_array(g->n_ops, sizeof(*todo)), n = 0;
    for (uint32_t i = 0; i < g->n_ops; i++) {
        need[i] = g->op[i].need;
        o->parent[i] = COP_NONE;
        if (need[i] == 0)
            todo[n++] = i;
    }
    for (uint32_t done = 0; done < n; done++) {
        uint32_t i = todo[done];
        for (uint32_t e = g->op[i].edge0; e < g->op[i + 1].edge0; e++) {
            uint32_t to = g->edge[e] & ~COP_EDGE_START;
            o->parent[to] = i;
            if (--need[to] == 0)
                todo[n++] = to;
        }
    }
    COP_CHECK(n == g->n_ops);
    cop_free(need);
    return todo;
}

/* Numbers for the children of an operation, from its own on. */
static void number_children(cop_op_order *o, const cop_graph *g, uint32_t i)
{
    uint32_t next = o->in[i] + 1;
    for (uint32_t start = COP_EDGE_START;; start = 0) {
        for (uint32_t e = g->op[i].edge0; e < g->op[i + 1].edge0; e++) {
            uint32_t to = g->edge[e] & ~COP_EDGE_START;
            if ((g->edge[e] & COP_EDGE_START) != start || o->parent[to] != i ||
                o->in[to] != COP_NONE)
                continue;
            o->in[to] = next;
            next += o->size[to];
        }
        if (start == 0)
            return;
    }
}

void cop_op_order_init(cop_op_order *o, const cop_graph *g)
{
    o->parent = cop_alloc_array(g->n_ops, sizeof(*o->parent));
    o->in = cop_alloc_array(g->n_ops, sizeof(*o->in));
    o->size = cop_alloc_array(g->n_ops, sizeof(*o->size));
    uint32_t *order = sorted(o, g), next = 0;
    for (uint32_t i = 0; i < g->n_ops; i++) {
        o->size[i] = 1;
        o->in[i] = COP_NONE;
    }
    for (uint32_t n = g->n_ops; n > 0; n--)
        if (o->parent[order[n - 1]] != COP_NONE)
            o->size[o->parent[order[n - 1]]] += o->size[order[n - 1]];
    for (uint32_t i = 0; i < g->n_ops; i++)
        if (o->parent[i] == COP_NONE) {
            o->in[i] = next;
            next += o->size[i];
        }
    for (uint32_t n = 0; n < g->n_ops; n++)
        number_children(o, g, order[n]);
    cop_free(order);
}

void cop_op_order_free(cop_op_order *o)
{
    cop_free(o->parent);
    cop_free(o->in);
    cop_free(o->size);
    *o = (cop_op_order){0};
}

bool cop_op_order_known(const cop_op_order *o, const cop_graph *g, uint32_t first, uint32_t then)
{
    uint32_t top = g->op[first].need <= 1 ? o->parent[first] : first;
    return o->in[then] > o->in[first] &&
           (top == COP_NONE || o->in[then] - o->in[top] < o->size[top]);
}
