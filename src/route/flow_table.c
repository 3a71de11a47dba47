/* Forwarding tables with priorities and conditions. See flow_table.h. */
#include "route/flow_table.h"

#include "base/text.h"

#include <string.h>

static bool goes_on(const cop_flow_entry *a, const cop_flow_entry *b)
{
    return a->dst_last + 1 == b->dst_first && a->in_first == b->in_first &&
           a->in_last == b->in_last && a->priority == b->priority &&
           a->conditional == b->conditional && a->out == b->out && a->visit == b->visit;
}

void cop_flow_add(cop_flow_table *t, cop_flow_entry e)
{
    if (t->n > 0 && goes_on(&t->entry[t->n - 1], &e)) {
        t->entry[t->n - 1].dst_last = e.dst_last;
        return;
    }
    t->entry = cop_grow(t->entry, &t->capacity, t->n + 1, sizeof(e));
    t->entry[t->n++] = e;
}

void cop_flow_free(cop_flow_table *t)
{
    cop_free(t->entry);
    *t = (cop_flow_table){0};
}

static bool matches(const cop_flow_entry *e, uint16_t in, uint32_t dst)
{
    return in >= e->in_first && in <= e->in_last && dst >= e->dst_first && dst <= e->dst_last;
}

/* Entries of priority `want` that match: their number, and number i of them. */
static uint32_t count(const cop_flow_table *t, uint16_t in, uint32_t dst, unsigned want, uint32_t i,
                      const cop_flow_entry **at)
{
    uint32_t n = 0;
    for (size_t k = 0; k < t->n; k++)
        if (t->entry[k].priority == want && matches(&t->entry[k], in, dst) && n++ == i)
            *at = &t->entry[k];
    return n;
}

const cop_flow_entry *cop_flow_pick(const cop_flow_table *t, uint16_t in, uint32_t dst,
                                    bool (*holds)(void *ctx, const cop_flow_entry *e),
                                    uint32_t (*draw)(void *ctx, uint32_t n), void *ctx)
{
    const cop_flow_entry *last = NULL;
    for (unsigned want = UINT8_MAX; want > 0; want--) {
        const cop_flow_entry *e = NULL;
        uint32_t n = count(t, in, dst, want, 0, &e);
        if (n == 0)
            continue;
        if (n > 1 && draw)
            count(t, in, dst, want, draw(ctx, n), &e);
        if (!e->conditional || holds(ctx, e))
            return e;
        last = last ? last : e;
    }
    return last;
}

bool cop_flow_table_of(const cop_route *r, uint32_t sw, cop_flow_table *t)
{
    *t = (cop_flow_table){0};
    if (r->ops->table) {
        r->ops->table(r, sw, t);
        return true;
    }
    if (!r->facts.single)
        return false;
    uint16_t last_in = (uint16_t)(cop_topo_ports_of(r->topo, sw) - 1);
    for (uint32_t dst = 0; dst < r->topo->n_hosts; dst++) {
        cop_cand cand = {.port = 0};
        if (r->lft) {
            cand.port = r->lft[(size_t)sw * r->topo->n_hosts + dst];
        } else {
            cop_hop hop = {.sw = sw, .in_port = COP_PORT_NONE, .dst = dst, .mid = COP_NONE};
            r->ops->route(r, &hop, NULL, &cand);
        }
        if (cand.port <= last_in) /* a table may have no entry */
            cop_flow_add(t, (cop_flow_entry){.in_last = last_in,
                                             .dst_first = dst,
                                             .dst_last = dst,
                                             .priority = COP_FLOW_HIGH,
                                             .out = cand.port,
                                             .visit = COP_NONE});
    }
    return true;
}

/* The condition, with the port in place of #. */
static void print_condition(const char *text, uint32_t port, FILE *out)
{
    fputs(", if: \"", out);
    for (; *text != '\0'; text++)
        if (*text == '#')
            fprintf(out, "%u", port);
        else
            fputc(*text, out);
    fputc('"', out);
}

void cop_flow_print(const cop_route *r, const cop_flow_table *t, const char *switch_name, FILE *out)
{
    char name[128]; /* it may be from outside */
    snprintf(name, sizeof(name), "%s", switch_name);
    cop_plain(name);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            *c = '?';
    fprintf(out,
            "# Of the entries that match, those of the highest priority count; if their condition "
            "fails, those of\n# the next lower one; if there are none, the condition is ignored. "
            "Of equals one is drawn.\n"
            "switch: \"%s\"\nrouting: %s\nentries: # in: input ports; to: hosts, from and to; out: "
            "output port; visit: group on the way\n",
            name, r->ops->name);
    for (size_t i = 0; i < t->n; i++) {
        const cop_flow_entry *e = &t->entry[i];
        fprintf(out, "  - {priority: %u, in: [%u, %u], to: [%u, %u]", e->priority, e->in_first,
                e->in_last, e->dst_first, e->dst_last);
        if (e->conditional)
            print_condition(r->ops->condition, e->out, out);
        fprintf(out, ", out: %u", e->out);
        if (e->visit != COP_NONE)
            fprintf(out, ", visit: %u", e->visit);
        fputs("}\n", out);
    }
}
