/* Chakra execution traces (MLCommons; ASTRA-sim): one file per rank.
 *
 * Files    NAME.0.et names the set; NAME.1.et and so on follow, as far as there are files. Another name is
 *          the trace of the only rank.
 * Form     messages of protobuf, each behind its length as a varint: first the metadata, then nodes.
 * Nodes    computations take their duration, on CPU 0 if is_cpu_op, else on CPU 1 (the accelerator); sends,
 *          receives and collectives use CPU 2, for their overhead. All data and control dependencies hold. Loads and
 *          stores of memory count as computations. Nodes of other types take no time; notes say how many.
 * Groups   a collective is one of all ranks that have one with the same pg_name; the k-th of each belong
 *          together, and must agree in type and size. Its algorithm is that of cop_read_cfg.
 * Attributes of whole numbers are accepted in every form that the schema has. */
#include "app/coll.h"
#include "app/source.h"
#include "chakra.pb-c.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MESSAGE (1u << 26)
#define COLL_TAG 0x80000000u /* tags of collectives begin here */

enum { T_METADATA = 1, T_LOAD, T_STORE, T_COMP, T_SEND, T_RECV, T_COLL, T_LAST = 10 };
enum { CPU_HOST, CPU_ACCELERATOR, CPU_NETWORK };

typedef struct node {
    uint64_t id, size; /* size: bytes, or microseconds */
    uint32_t peer, tag;
    uint32_t dep0, n_deps; /* in deps[] */
    uint32_t group, nth; /* collective: of its group's, on this rank */
    uint32_t op; /* the last of its operations */
    uint8_t type, coll_type, cpu;
} node;

typedef struct group {
    char *name;
    uint32_t n_members, *member; /* ranks */
    uint32_t length; /* collectives of each */
    uint32_t first; /* number of its first collective */
    uint64_t *size; /* [length] as the first member has it */
    uint8_t *type;
} group;

typedef struct trace { /* of one rank */
    node *node; /* heap */
    size_t n, cap;
    uint64_t *dep; /* heap */
    size_t n_deps, dep_cap;
    uint32_t *count; /* [n_groups] collectives so far; heap */
    size_t n_count, count_cap;
} trace;

typedef struct reader {
    cop_graph *g;
    const cop_read_cfg *cfg;
    cop_read_notes *notes;
    cop_source *s;
    trace *rank; /* heap */
    uint32_t n_ranks;
    size_t rank_cap;
    group *group; /* heap */
    size_t n_groups, group_cap;
    uint64_t odd[T_LAST + 2], untimed; /* nodes by type; computations without a duration */
} reader;

/* -- protobuf -- */

static void *take(void *unused, size_t size)
{
    (void)unused;
    return cop_alloc(size);
}

static void give(void *unused, void *p)
{
    (void)unused;
    cop_free(p);
}

static ProtobufCAllocator allocator(void)
{
    return (ProtobufCAllocator){.alloc = take, .free = give};
}

/* The length of the next message. False: the file ends here. */
static int read_length(cop_source *s, uint64_t *length, bool *end)
{
    uint8_t b;
    *length = 0;
    *end = false;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (!cop_source_byte(s, &b)) {
            *end = shift == 0 && !s->failed;
            return *end ? 0
                        : cop_source_fault_at(s, s->offset,
                                              "the file is cut short here; get the whole file");
        }
        *length |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return 0;
    }
    return cop_source_fault_at(s, s->offset, "no length of a message; is this a Chakra trace?");
}

static bool whole(const Chakra__Attribute *a, int64_t *v)
{
    switch (a->value_case) {
    case CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
        *v = a->int32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
        *v = a->int64_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
        *v = a->uint32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
        *v = a->uint64_val <= INT64_MAX ? (int64_t)a->uint64_val : INT64_MAX;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
        *v = a->sint32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
        *v = a->sint64_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
        *v = a->fixed32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
        *v = a->fixed64_val <= INT64_MAX ? (int64_t)a->fixed64_val : INT64_MAX;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
        *v = a->sfixed32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
        *v = a->sfixed64_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_BOOL_VAL:
        *v = a->bool_val;
        return true;
    default:
        return false;
    }
}

/* The whole number `name` of a node; -1: it has none, or one that is no whole number from 0 on. */
static int64_t attribute(const Chakra__Node *n, const char *name)
{
    int64_t v = -1;
    for (size_t i = 0; i < n->n_attr; i++)
        if (strcmp(n->attr[i]->name, name) == 0 && (!whole(n->attr[i], &v) || v < 0))
            return -1;
    return v;
}

static const char *text_attribute(const Chakra__Node *n, const char *name)
{
    for (size_t i = 0; i < n->n_attr; i++)
        if (strcmp(n->attr[i]->name, name) == 0 &&
            n->attr[i]->value_case == CHAKRA__ATTRIBUTE__VALUE_STRING_VAL)
            return n->attr[i]->string_val;
    return "";
}

/* -- nodes -- */

static uint32_t group_of(reader *r, const char *name)
{
    for (size_t i = 0; i < r->n_groups; i++)
        if (strcmp(r->group[i].name, name) == 0)
            return (uint32_t)i;
    r->group = cop_grow(r->group, &r->group_cap, r->n_groups + 1, sizeof(*r->group));
    size_t length = strlen(name) + 1;
    r->group[r->n_groups] = (group){.name = cop_alloc(length)};
    memcpy(r->group[r->n_groups].name, name, length);
    return (uint32_t)r->n_groups++;
}

static int missing(reader *r, uint64_t at, const Chakra__Node *n, const char *what)
{
    return cop_source_fault_at(
        r->s, at, "node %" PRIu64 " has no whole number `%s` that fits; add it", n->id, what);
}

static int read_message(reader *r, uint64_t at, const Chakra__Node *n, node *x)
{
    int64_t size = attribute(n, "comm_size"), tag = attribute(n, "comm_tag");
    int64_t peer = attribute(n, n->type == T_SEND ? "comm_dst" : "comm_src");
    if (size < 0 || (uint64_t)size > COP_MESSAGE_MAX_BYTES)
        return missing(r, at, n, "comm_size");
    if (peer < 0 || peer >= COP_GRAPH_MAX_RANKS)
        return missing(r, at, n, n->type == T_SEND ? "comm_dst" : "comm_src");
    x->size = (uint64_t)size;
    x->peer = (uint32_t)peer;
    x->tag = tag < 0 ? 0 : (uint32_t)((uint64_t)tag % COLL_TAG);
    return 0;
}

static int read_collective(reader *r, uint64_t at, const Chakra__Node *n, trace *t, node *x)
{
    int64_t size = attribute(n, "comm_size"), type = attribute(n, "comm_type");
    int64_t root = attribute(n, "root_rank");
    if (type < 0 || type > 9)
        return missing(r, at, n, "comm_type");
    if (size < 0 && type != 9)
        return missing(r, at, n, "comm_size");
    if (size > INT64_C(1) << 40)
        return missing(r, at, n, "comm_size");
    x->coll_type = (uint8_t)type;
    x->size = size < 0 ? 0 : (uint64_t)size;
    x->peer = root < 0 ? 0 : (uint32_t)(root % COP_GRAPH_MAX_RANKS);
    x->group = group_of(r, text_attribute(n, "pg_name"));
    if (x->group >= t->n_count) {
        t->count = cop_grow(t->count, &t->count_cap, (size_t)x->group + 1, sizeof(*t->count));
        for (; t->n_count <= x->group; t->n_count++)
            t->count[t->n_count] = 0;
    }
    x->nth = t->count[x->group]++;
    return 0;
}

static int keep(reader *r, uint64_t at, const Chakra__Node *n, trace *t)
{
    node x = {.id = n->id, .type = (uint8_t)n->type, .dep0 = (uint32_t)t->n_deps, .op = COP_NONE};
    int rc = 0;
    if (n->type < 1 || n->type > T_LAST)
        return cop_source_fault_at(r->s, at, "node %" PRIu64 " of type %d; give 1 to %d", n->id,
                                   n->type, T_LAST);
    r->odd[n->type]++;
    int64_t host = attribute(n, "is_cpu_op");
    x.cpu = host > 0 ? CPU_HOST : CPU_ACCELERATOR;
    if (n->type == T_SEND || n->type == T_RECV) {
        rc = read_message(r, at, n, &x);
    } else if (n->type == T_COLL) {
        rc = read_collective(r, at, n, t, &x);
    } else if (n->type == T_COMP || n->type == T_LOAD || n->type == T_STORE) {
        x.size = n->duration_micros;
        r->untimed += x.size == 0;
        if (x.size > UINT64_C(10000000000))
            rc = cop_source_fault_at(
                r->s, at, "node %" PRIu64 " takes %" PRIu64 " us; give at most 10000000000", n->id,
                x.size);
    }
    if (rc != 0)
        return rc;
    size_t n_deps = n->n_ctrl_deps + n->n_data_deps;
    if (t->n_deps + n_deps >= COP_NONE || t->n >= COP_GRAPH_MAX_OPS)
        return cop_source_fault_at(r->s, at, "too many nodes or dependencies; use a shorter trace");
    t->dep = cop_grow(t->dep, &t->dep_cap, t->n_deps + n_deps, sizeof(*t->dep));
    for (size_t i = 0; i < n->n_ctrl_deps; i++)
        t->dep[t->n_deps++] = n->ctrl_deps[i];
    for (size_t i = 0; i < n->n_data_deps; i++)
        t->dep[t->n_deps++] = n->data_deps[i];
    x.n_deps = (uint32_t)n_deps;
    t->node = cop_grow(t->node, &t->cap, t->n + 1, sizeof(*t->node));
    t->node[t->n++] = x;
    return 0;
}

static int read_file(reader *r, cop_source *s, trace *t)
{
    ProtobufCAllocator a = allocator();
    uint8_t *buf = NULL;
    size_t cap = 0;
    int rc = 0;
    r->s = s;
    for (bool first = true; rc == 0; first = false) {
        uint64_t length, at = s->offset;
        bool end;
        rc = read_length(s, &length, &end);
        if (rc != 0 || end)
            break;
        if (length > MAX_MESSAGE) {
            rc = cop_source_fault_at(
                s, at, "a message of %" PRIu64 " bytes; is this a Chakra trace?", length);
            break;
        }
        for (uint64_t got = 0; got < length && rc == 0;) { /* what is there, not what is said */
            size_t part =
                length - got < COP_SOURCE_PIECE ? (size_t)(length - got) : COP_SOURCE_PIECE;
            buf = cop_grow(buf, &cap, (size_t)got + part, 1);
            if (!cop_source_get(s, buf + got, part))
                rc = cop_source_fault_at(s, s->offset,
                                         "the file is cut short here; get the whole file");
            got += part;
        }
        if (rc != 0 || first) /* the metadata say nothing that we need */
            continue;
        Chakra__Node *n =
            chakra__node__unpack(&a, (size_t)length, buf != NULL ? buf : (uint8_t *)"");
        if (n == NULL) {
            rc = cop_source_fault_at(s, at, "no node of a Chakra trace; write the file anew");
            break;
        }
        rc = keep(r, at, n, t);
        chakra__node__free_unpacked(n, &a);
    }
    cop_free(buf);
    return rc;
}

/* -- groups -- */

static int disagree(reader *r, uint32_t rank, const group *g, uint32_t nth)
{
    return cop_err_add(r->s->err, COP_E_INPUT,
                       "%s: collective %" PRIu32 " of group `%.60s` is another one at rank %" PRIu32
                       " than at rank %" PRIu32 "; ranks of a group must have the same ones",
                       r->g->name, nth + 1, g->name, rank, g->member[0]);
}

static int find_groups(reader *r)
{
    uint32_t total = 0;
    for (size_t k = 0; k < r->n_groups; k++) {
        group *g = &r->group[k];
        g->member = cop_alloc_array(r->n_ranks, sizeof(uint32_t));
        for (uint32_t i = 0; i < r->n_ranks; i++) {
            uint32_t count = k < r->rank[i].n_count ? r->rank[i].count[k] : 0;
            if (count == 0)
                continue;
            if (g->n_members > 0 && count != g->length)
                return disagree(r, i, g, count < g->length ? count : g->length);
            g->length = count;
            g->member[g->n_members++] = i;
        }
        g->first = total;
        total += g->length;
        g->size = cop_alloc_array(g->length, sizeof(uint64_t));
        g->type = cop_alloc_array(g->length, 1);
        for (uint32_t i = 0; i < g->length; i++) {
            char text[96];
            snprintf(text, sizeof(text), "%.60s#%" PRIu32, g->name[0] ? g->name : "collective",
                     i + 1);
            (void)cop_graph_collective(r->g, text);
        }
    }
    return 0;
}

static enum cop_collective algorithm(const cop_read_cfg *cfg, uint8_t type)
{
    static const uint8_t usual[] = {COP_COLL_ALL_REDUCE_RING,     COP_COLL_REDUCE_BINOMIAL,
                                    COP_COLL_ALL_GATHER_RING,     COP_COLL_GATHER_LINEAR,
                                    COP_COLL_SCATTER_LINEAR,      COP_COLL_BROADCAST_BINOMIAL,
                                    COP_COLL_ALL_TO_ALL_PAIRWISE, COP_COLL_REDUCE_SCATTER_RING,
                                    COP_COLL_REDUCE_SCATTER_RING, COP_COLL_BARRIER};
    int wanted = type == 0   ? cfg->all_reduce
                 : type == 2 ? cfg->all_gather
                 : type == 5 ? cfg->broadcast
                 : type == 6 ? cfg->all_to_all
                 : type == 7 ? cfg->reduce_scatter
                             : COP_COLL_NONE;
    return wanted != COP_COLL_NONE ? (enum cop_collective)wanted : (enum cop_collective)usual[type];
}

/* -- the graph -- */

static int by_id(const void *a, const void *b)
{
    const node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Where a node's operations begin and end: a gate in front of it, if it has several dependencies and
 * operations. */
static int add_collective(reader *r, uint32_t rank, node *x, uint32_t gate)
{
    group *g = &r->group[x->group];
    uint32_t me = 0;
    while (g->member[me] != rank)
        me++;
    if (me == 0) {
        g->size[x->nth] = x->size;
        g->type[x->nth] = x->coll_type;
    } else if (g->size[x->nth] != x->size || g->type[x->nth] != x->coll_type) {
        return disagree(r, rank, g, x->nth);
    }
    cop_coll_cfg size = {
        .kind = algorithm(r->cfg, x->coll_type), .ranks = g->n_members, .repeat = 1};
    if (r->g->n_ops + cop_coll_operations(&size) / g->n_members + 8 >= COP_GRAPH_MAX_OPS)
        return cop_err_add(r->s->err, COP_E_INPUT,
                           "%s: more than %u operations; use a shorter trace", r->g->name,
                           COP_GRAPH_MAX_OPS);
    cop_coll c = {.g = r->g,
                  .n = g->n_members,
                  .me = me,
                  .rank = g->member,
                  .bytes = x->size,
                  .root = x->peer < g->n_members ? x->peer : 0,
                  .tag = COLL_TAG + (g->first + x->nth) % (COLL_TAG - 1),
                  .collective = g->first + x->nth,
                  .line = (uint32_t)x->id,
                  .cpu = CPU_NETWORK};
    c.before = cop_grow(c.before, &c.before_cap, 1, sizeof(uint32_t));
    c.before[0] = gate;
    c.n_before = 1;
    cop_coll_add(&c, size.kind);
    x->op = c.before[0];
    if (c.n_before > 1) {
        x->op = cop_graph_add(r->g, &(cop_op){.kind = COP_OP_WAIT,
                                              .line = (uint32_t)x->id,
                                              .collective = g->first + x->nth});
        for (size_t i = 0; i < c.n_before; i++)
            cop_graph_edge(r->g, c.before[i], x->op, false);
    }
    cop_coll_free(&c);
    return 0;
}

static int add_node(reader *r, uint32_t rank, node *x, uint32_t *gate)
{
    cop_op op = {.line = (uint32_t)x->id, .collective = COP_NONE, .kind = COP_OP_WAIT};
    if (x->type == T_SEND || x->type == T_RECV) {
        op.kind = x->type == T_SEND ? COP_OP_SEND : COP_OP_RECV;
        op.size = x->size;
        op.peer = x->peer;
        op.tag = x->tag;
        op.cpu = CPU_NETWORK;
        if (x->peer >= r->n_ranks)
            return cop_err_add(r->s->err, COP_E_INPUT,
                               "%s: node %" PRIu64 " of rank %" PRIu32 " names rank %" PRIu32
                               "; there are files of %" PRIu32 " ranks",
                               r->g->name, x->id, rank, x->peer, r->n_ranks);
    } else if (x->type == T_COMP || x->type == T_LOAD || x->type == T_STORE) {
        op.kind = COP_OP_CALC;
        op.size = x->size * COP_US;
        op.cpu = x->cpu;
    }
    if (r->g->n_ops + 1 >= COP_GRAPH_MAX_OPS)
        return cop_err_add(r->s->err, COP_E_INPUT,
                           "%s: more than %u operations; use a shorter trace", r->g->name,
                           COP_GRAPH_MAX_OPS);
    *gate = x->op = cop_graph_add(r->g, &op);
    return x->type == T_COLL ? add_collective(r, rank, x, *gate) : 0;
}

static int add_rank(reader *r, uint32_t rank)
{
    trace *t = &r->rank[rank];
    uint32_t *gate = cop_alloc_array(t->n, sizeof(*gate));
    int rc = 0;
    cop_graph_rank(r->g, rank);
    if (t->n > 0)
        qsort(t->node, t->n, sizeof(*t->node), by_id);
    for (size_t i = 1; i < t->n && rc == 0; i++)
        if (t->node[i].id == t->node[i - 1].id)
            rc = cop_err_add(r->s->err, COP_E_INPUT,
                             "%s: rank %" PRIu32 " has two nodes %" PRIu64 "; number them anew",
                             r->g->name, rank, t->node[i].id);
    for (size_t i = 0; i < t->n && rc == 0; i++)
        rc = add_node(r, rank, &t->node[i], &gate[i]);
    for (size_t i = 0; i < t->n && rc == 0; i++)
        for (uint32_t k = 0; k < t->node[i].n_deps && rc == 0; k++) {
            node key = {.id = t->dep[t->node[i].dep0 + k]};
            const node *to = bsearch(&key, t->node, t->n, sizeof(key), by_id);
            if (to == NULL || to == &t->node[i])
                rc = cop_err_add(r->s->err, COP_E_INPUT,
                                 "%s: node %" PRIu64 " of rank %" PRIu32 " depends on node %" PRIu64
                                 "%s; write the trace anew",
                                 r->g->name, t->node[i].id, rank, key.id,
                                 to == NULL ? ", which is not there" : ", itself");
            else
                cop_graph_edge(r->g, to->op, gate[i], false);
        }
    cop_free(gate);
    cop_free(t->node);
    cop_free(t->dep);
    t->node = NULL;
    t->dep = NULL;
    return rc;
}

/* -- files -- */

static void write_notes(const reader *r)
{
    size_t used = 0, size = sizeof(r->notes->text);
    char *text = r->notes->text;
    uint64_t others = r->odd[8] + r->odd[9] + r->odd[10], memory = r->odd[T_LOAD] + r->odd[T_STORE];
    if (others > 0)
        used += (size_t)snprintf(
            text, size, "%" PRIu64 " nodes of storage, batches or checkpoints take no time\n",
            others);
    if (memory > 0)
        used += (size_t)snprintf(text + used, size - used,
                                 "%" PRIu64 " loads and stores of memory count as computation\n",
                                 memory);
    if (r->untimed > 0)
        snprintf(text + used, size - used,
                 "%" PRIu64 " computations have no duration and take no time\n", r->untimed);
}

static trace *new_rank(reader *r)
{
    r->rank = cop_grow(r->rank, &r->rank_cap, (size_t)r->n_ranks + 1, sizeof(*r->rank));
    r->rank[r->n_ranks] = (trace){0};
    return &r->rank[r->n_ranks++];
}

/* The files that follow NAME.0.et; `end` is ".et" or ".et.gz". */
static int read_others(reader *r, const char *path, const char *end)
{
    size_t stem = strlen(path) - strlen(end) - 1; /* without the 0 */
    int rc = 0;
    for (uint32_t i = 1; i < COP_GRAPH_MAX_RANKS && rc == 0; i++) {
        cop_arena names = {0};
        cop_source s;
        const char *name = cop_arena_printf(&names, "%.*s%" PRIu32 "%s", (int)stem, path, i, end);
        bool there = access(name, F_OK) == 0;
        if (there)
            rc = cop_source_open(&s, name, NULL, 0, r->s->err);
        if (there && rc == 0) {
            cop_source *first = r->s;
            rc = read_file(r, &s, new_rank(r));
            r->notes->bytes += s.offset;
            r->s = first;
            cop_source_close(&s);
        }
        cop_arena_free(&names);
        if (!there)
            break;
    }
    return rc;
}

int cop_read_chakra(cop_graph *g, const char *path, cop_source *first, const cop_read_cfg *cfg,
                    cop_read_notes *notes)
{
    reader r = {.g = g, .cfg = cfg, .notes = notes, .s = first};
    size_t n = strlen(path);
    const char *end = n > 3 && strcmp(path + n - 3, ".gz") == 0 ? ".et.gz" : ".et";
    const char *digit = path + n - strlen(end) - 1;
    int rc = read_file(&r, first, new_rank(&r));
    if (rc == 0 && first->gz != NULL && n > strlen(end) + 1 && digit[0] == '0' &&
        (digit[-1] == '.' || digit[-1] == '/'))
        rc = read_others(&r, path, end);
    r.s = first;
    if (rc == 0) {
        cop_graph_init(g, path, "node", r.n_ranks);
        rc = find_groups(&r);
    }
    for (uint32_t i = 0; i < r.n_ranks && rc == 0; i++)
        rc = add_rank(&r, i);
    write_notes(&r);
    for (uint32_t i = 0; i < r.n_ranks; i++) {
        cop_free(r.rank[i].node);
        cop_free(r.rank[i].dep);
        cop_free(r.rank[i].count);
    }
    for (size_t i = 0; i < r.n_groups; i++) {
        cop_free(r.group[i].name);
        cop_free(r.group[i].member);
        cop_free(r.group[i].size);
        cop_free(r.group[i].type);
    }
    cop_free(r.rank);
    cop_free(r.group);
    return rc;
}
