/* Edge set and cycle search for the channel dependency graph.
 * Depth-first search with an explicit stack: graphs have millions of edges and long chains. The
 * same insertions in the same order give the same cycle. */
#include "route/cdg_graph.h"

#include <string.h>

#define FIRST_SIZE ((size_t)1 << 12)

void cop_edges_init(cop_edges *e)
{
    *e = (cop_edges){.slot = cop_alloc_array(FIRST_SIZE, sizeof(uint64_t)), .size = FIRST_SIZE};
}

void cop_edges_free(cop_edges *e)
{
    cop_free(e->slot);
    *e = (cop_edges){0};
}

/* The slot of `key`, or the empty one where it belongs. */
static uint64_t *find_slot(uint64_t *slot, size_t size, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 20) & (size - 1);
    while (slot[i] != 0 && slot[i] != key)
        i = (i + 1) & (size - 1);
    return &slot[i];
}

static void grow(cop_edges *e)
{
    size_t size = e->size * 2;
    uint64_t *slot = cop_alloc_array(size, sizeof(*slot));
    for (size_t i = 0; i < e->size; i++)
        if (e->slot[i] != 0)
            *find_slot(slot, size, e->slot[i]) = e->slot[i];
    cop_free(e->slot);
    e->slot = slot;
    e->size = size;
}

void cop_edges_add(cop_edges *e, uint32_t from, uint32_t to)
{
    uint64_t key = ((uint64_t)from << 32 | to) + 1;
    uint64_t *s = find_slot(e->slot, e->size, key);
    if (*s == key)
        return;
    *s = key;
    if (++e->n > e->size / 2)
        grow(e);
}

/* Successor lists: those of node v are to[first[v] .. first[v+1]-1]. */
static void list_edges(const cop_edges *e, uint32_t n_nodes, size_t *first, uint32_t *to)
{
    for (size_t i = 0; i < e->size; i++)
        if (e->slot[i] != 0)
            first[((e->slot[i] - 1) >> 32) + 2]++;
    for (uint32_t v = 0; v < n_nodes; v++)
        first[v + 2] += first[v + 1];
    for (size_t i = 0; i < e->size; i++)
        if (e->slot[i] != 0)
            to[first[((e->slot[i] - 1) >> 32) + 1]++] = (uint32_t)(e->slot[i] - 1);
}

enum colour { NEW, ON_STACK, DONE };

typedef struct dfs {
    size_t *first, *next; /* next[v]: edge of v to follow next */
    uint32_t *to, *stack;
    uint8_t *colour;
} dfs;

/* Search from v; returns the stack height with a cycle on top, from position *base, or 0. */
static uint32_t search(dfs *d, uint32_t v, uint32_t *base)
{
    uint32_t height = 0;
    d->stack[height++] = v;
    d->colour[v] = ON_STACK;
    while (height > 0) {
        uint32_t top = d->stack[height - 1];
        if (d->next[top] == d->first[top + 1]) {
            d->colour[top] = DONE;
            height--;
            continue;
        }
        uint32_t w = d->to[d->next[top]++];
        if (d->colour[w] == NEW) {
            d->colour[w] = ON_STACK;
            d->stack[height++] = w;
        } else if (d->colour[w] == ON_STACK) {
            uint32_t i = height - 1;
            while (d->stack[i] != w)
                i--;
            *base = i;
            return height;
        }
    }
    return 0;
}

uint32_t cop_edges_cycle(const cop_edges *e, uint32_t n_nodes, uint32_t **cycle)
{
    dfs d = {.first = cop_alloc_array((size_t)n_nodes + 2, sizeof(size_t)),
             .next = cop_alloc_array((size_t)n_nodes + 1, sizeof(size_t)),
             .to = cop_alloc_array(e->n, sizeof(uint32_t)),
             .stack = cop_alloc_array(n_nodes, sizeof(uint32_t)),
             .colour = cop_alloc(n_nodes)};
    list_edges(e, n_nodes, d.first, d.to);
    memcpy(d.next, d.first, n_nodes * sizeof(*d.next));
    uint32_t height = 0, base = 0;
    for (uint32_t v = 0; v < n_nodes && height == 0; v++)
        if (d.colour[v] == NEW)
            height = search(&d, v, &base);
    *cycle = NULL;
    if (height > 0) {
        *cycle = cop_alloc_array(height - base, sizeof(uint32_t));
        memcpy(*cycle, d.stack + base, (height - base) * sizeof(uint32_t));
    }
    cop_free(d.first);
    cop_free(d.next);
    cop_free(d.to);
    cop_free(d.stack);
    cop_free(d.colour);
    return height - base;
}
