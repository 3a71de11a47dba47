/* GOAL, binary: what LogGOPSim's and ATLAHS' txt2bin write, in the byte order of the machine.
 *
 *   u64 4223, u32 ranks, u8 highest CPU, u8 highest NIC, per rank u64 start and u64 end, counted from behind
 *   the 4223; then the ranks, one behind the other: u32 nodes, u32 roots, the roots' numbers, the nodes, and
 *   an appendix of u32 that holds who depends on each node.
 *   A node, 39 bytes without gaps: u32 how many it depends on, u8 type (1 send, 2 recv, 3 calc), u32 peer,
 *   u64 size, u32 tag, u8 CPU, u8 NIC, u32 count and u32 place in the appendix of those that wait for its
 *   end, and the same of those that wait for its start.
 *
 * Checked  everything: places, numbers, and that each node has as many dependencies as it says. Nothing is
 *          allocated for a count before its bytes are there. */
#include "app/source.h"

#include <string.h>

#define NODE_BYTES 39u

typedef struct node_lists {
    uint32_t count[2], place[2]; /* end, start */
    uint32_t need;
} node_lists;

typedef struct bin {
    cop_source *s;
    cop_graph *g;
    const cop_read_cfg *cfg;
    uint32_t rank;
    node_lists *list; /* of the rank's nodes; heap */
    size_t list_cap;
    uint32_t *appendix; /* heap */
    size_t appendix_cap;
} bin;

static int cut_short(cop_source *s)
{
    return s->failed ? -COP_E_INPUT
                     : cop_source_fault_at(s, s->offset,
                                           "the file is cut short here; get the whole file");
}

static uint32_t u32_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return v;
}

static int read_node(bin *b, uint32_t number)
{
    uint8_t raw[NODE_BYTES];
    uint64_t size, at = b->s->offset;
    if (!cop_source_get(b->s, raw, sizeof(raw)))
        return cut_short(b->s);
    memcpy(&size, raw + 9, sizeof(size));
    cop_op op = {.size = size,
                 .peer = u32_at(raw + 5),
                 .tag = u32_at(raw + 17),
                 .cpu = raw[21],
                 .nic = raw[22],
                 .line = number,
                 .collective = COP_NONE};
    uint64_t most = UINT64_C(10000000000000000) / b->cfg->calc_unit_ps;
    switch (raw[4]) {
    case 1:
    case 2:
        op.kind = raw[4] == 1 ? COP_OP_SEND : COP_OP_RECV;
        if (op.peer >= b->g->n_ranks && (raw[4] == 1 || op.peer != COP_ANY))
            return cop_source_fault_at(b->s, at,
                                       "node %" PRIu32 " of rank %" PRIu32 " names rank %" PRIu32
                                       "; the file has %" PRIu32,
                                       number, b->rank, op.peer, b->g->n_ranks);
        if (size > COP_MESSAGE_MAX_BYTES)
            return cop_source_fault_at(b->s, at,
                                       "a message of %" PRIu64 " bytes; give at most "
                                       "4294967280",
                                       size);
        break;
    case 3:
        op.kind = COP_OP_CALC;
        op.peer = 0;
        if (size > most)
            return cop_source_fault_at(b->s, at, "calc %" PRIu64 "; give at most %" PRIu64, size,
                                       most);
        op.size *= b->cfg->calc_unit_ps;
        break;
    default:
        return cop_source_fault_at(b->s, at + 4,
                                   "node of type %u; give 1 (send), 2 (recv) or 3 (calc)", raw[4]);
    }
    if (b->g->n_ops >= COP_GRAPH_MAX_OPS)
        return cop_source_fault_at(b->s, at, "more than %u operations; use a shorter trace",
                                   COP_GRAPH_MAX_OPS);
    (void)cop_graph_add(b->g, &op);
    b->list = cop_grow(b->list, &b->list_cap, (size_t)number + 1, sizeof(*b->list));
    b->list[number] = (node_lists){.need = u32_at(raw),
                                   .count = {u32_at(raw + 23), u32_at(raw + 31)},
                                   .place = {u32_at(raw + 27), u32_at(raw + 35)}};
    return 0;
}

/* The dependants of all nodes of the rank; `first` is its first operation. */
static int add_edges(bin *b, uint32_t first, uint32_t nodes, uint64_t n_appendix)
{
    for (uint32_t i = 0; i < nodes; i++)
        for (uint32_t k = 0; k < 2; k++) {
            const node_lists *l = &b->list[i];
            if ((uint64_t)l->place[k] + l->count[k] > n_appendix && l->count[k] > 0)
                return cop_source_fault_at(b->s, b->s->offset,
                                           "node %" PRIu32 " of rank %" PRIu32
                                           " has dependants beyond the end of the rank; write the "
                                           "file anew",
                                           i, b->rank);
            for (uint32_t e = 0; e < l->count[k]; e++) {
                uint32_t to = b->appendix[l->place[k] + e];
                if (to >= nodes || to == i)
                    return cop_source_fault_at(b->s, b->s->offset,
                                               "node %" PRIu32 " of rank %" PRIu32
                                               " has node %" PRIu32 " as a dependant; give another "
                                               "one of the %" PRIu32 " nodes",
                                               i, b->rank, to, nodes);
                cop_graph_edge(b->g, first + i, first + to, k == 1);
            }
        }
    for (uint32_t i = 0; i < nodes; i++)
        if (b->g->op[first + i].need != b->list[i].need)
            return cop_source_fault_at(b->s, b->s->offset,
                                       "node %" PRIu32 " of rank %" PRIu32 " says it has %" PRIu32
                                       " dependencies and has %" PRIu32 "; write the file anew",
                                       i, b->rank, b->list[i].need, b->g->op[first + i].need);
    return 0;
}

static int read_rank(bin *b, uint64_t start, uint64_t end)
{
    uint32_t head[2], skipped;
    uint64_t at = b->s->offset - 8;
    if (start != at || end < start + sizeof(head))
        return cop_source_fault_at(
            b->s, b->s->offset,
            "rank %" PRIu32 " should begin at %" PRIu64 " and end behind, and "
            "the table says %" PRIu64 " and %" PRIu64 "; write the file anew",
            b->rank, at, start, end);
    if (!cop_source_get(b->s, head, sizeof(head)))
        return cut_short(b->s);
    uint64_t room = end - start - sizeof(head), roots = (uint64_t)head[1] * 4;
    uint64_t nodes = (uint64_t)head[0] * NODE_BYTES;
    if (roots + nodes > room || (room - roots - nodes) % 4 != 0)
        return cop_source_fault_at(b->s, b->s->offset,
                                   "%" PRIu32 " nodes and %" PRIu32 " roots do not fit into rank "
                                   "%" PRIu32 "; write the file anew",
                                   head[0], head[1], b->rank);
    for (uint32_t i = 0; i < head[1]; i++)
        if (!cop_source_get(b->s, &skipped, sizeof(skipped)))
            return cut_short(b->s);
    uint32_t first = b->g->n_ops;
    cop_graph_rank(b->g, b->rank);
    for (uint32_t i = 0; i < head[0]; i++)
        if (read_node(b, i) != 0)
            return -COP_E_INPUT;
    uint64_t n_appendix = (room - roots - nodes) / 4;
    for (uint64_t i = 0; i < n_appendix; i++) {
        b->appendix = cop_grow(b->appendix, &b->appendix_cap, (size_t)i + 1, sizeof(uint32_t));
        if (!cop_source_get(b->s, &b->appendix[i], sizeof(uint32_t)))
            return cut_short(b->s);
    }
    return add_edges(b, first, head[0], n_appendix);
}

int cop_read_goal_bin(cop_graph *g, cop_source *s, const cop_read_cfg *cfg)
{
    uint64_t cookie, (*table)[2] = NULL;
    uint32_t ranks;
    uint8_t highest[2];
    size_t cap = 0;
    if (!cop_source_get(s, &cookie, sizeof(cookie)) || !cop_source_get(s, &ranks, sizeof(ranks)) ||
        !cop_source_get(s, highest, sizeof(highest)))
        return cut_short(s);
    if (ranks == 0 || ranks > COP_GRAPH_MAX_RANKS)
        return cop_source_fault_at(s, 8, "%" PRIu32 " ranks; give 1 to %u", ranks,
                                   COP_GRAPH_MAX_RANKS);
    int rc = 0;
    for (uint32_t i = 0; i < ranks && rc == 0; i++) {
        table = cop_grow(table, &cap, (size_t)i + 1, sizeof(*table));
        if (!cop_source_get(s, table[i], sizeof(*table)))
            rc = cut_short(s);
    }
    bin b = {.s = s, .g = g, .cfg = cfg};
    if (rc == 0)
        cop_graph_init(g, s->name, "node", ranks);
    for (; b.rank < ranks && rc == 0; b.rank++)
        rc = read_rank(&b, table[b.rank][0], table[b.rank][1]);
    cop_free(table);
    cop_free(b.list);
    cop_free(b.appendix);
    if (rc == 0 && !cop_source_end(s))
        rc = s->failed ? -COP_E_INPUT
                       : cop_source_fault_at(s, s->offset,
                                             "the file goes on after its last rank; write it anew");
    return rc;
}
