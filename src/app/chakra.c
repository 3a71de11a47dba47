/* Chakra execution traces (MLCommons; ASTRA-sim): one file per rank.
 *
 * Files    NAME.0.et names the set; NAME.1.et and so on follow, as far as there are files. A gap in
 *          the numbers is refused. Another name is the trace of the only rank.
 * Form     messages of protobuf, each behind its length as a varint: first the metadata, then nodes.
 * Nodes    computations take their duration, on CPU 0 if is_cpu_op, else on CPU 1 (the accelerator); sends,
 *          receives and collectives use CPU 2, for their overhead. All data and control dependencies hold. Loads and
 *          stores of memory count as computations. Nodes of other types take no time; notes say how many.
 * Groups   a collective is one of all ranks that have one with the same pg_name; the k-th of each belong
 *          together, and must agree in type and size. Its algorithm is that of cop_read_cfg.
 * Attributes of whole numbers are accepted in every form that the schema has. */
#include "app/chakra.h"
#include "app/coll.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- groups -- */

static int disagree(chakra_reader *r, uint32_t rank, const chakra_group *g, uint32_t nth)
{
    return cop_err_add(r->s->err, COP_E_INPUT,
                       "%s: collective %" PRIu32 " of group `%.60s` is another one at rank %" PRIu32
                       " than at rank %" PRIu32 "; ranks of a group must have the same ones",
                       r->g->name, nth + 1, g->name, rank, g->member[0]);
}

static int find_groups(chakra_reader *r)
{
    uint32_t total = 0;
    for (size_t k = 0; k < r->n_groups; k++) {
        chakra_group *g = &r->group[k];
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
    const chakra_node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Where a node's operations begin and end: a gate in front of it, if it has several dependencies and
 * operations. */
static int add_collective(chakra_reader *r, uint32_t rank, chakra_node *x, uint32_t gate)
{
    chakra_group *g = &r->group[x->group];
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
                  .tag = CHAKRA_COLL_TAG + (g->first + x->nth) % (CHAKRA_COLL_TAG - 1),
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

static int add_node(chakra_reader *r, uint32_t rank, chakra_node *x, uint32_t *gate)
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

static int add_rank(chakra_reader *r, uint32_t rank)
{
    chakra_trace *t = &r->rank[rank];
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
            chakra_node key = {.id = t->dep[t->node[i].dep0 + k]};
            const chakra_node *to = bsearch(&key, t->node, t->n, sizeof(key), by_id);
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

static void write_notes(const chakra_reader *r)
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

static chakra_trace *new_rank(chakra_reader *r)
{
    r->rank = cop_grow(r->rank, &r->rank_cap, (size_t)r->n_ranks + 1, sizeof(*r->rank));
    r->rank[r->n_ranks] = (chakra_trace){0};
    return &r->rank[r->n_ranks++];
}

/* The rank whose file is called NAME.rank.et, compressed or not, or COP_NONE; `stem` is "NAME." of n bytes. */
static uint32_t rank_of(const char *name, const char *stem, size_t n)
{
    char *end;
    if (strncmp(name, stem, n) != 0 || name[n] < '0' || name[n] > '9')
        return COP_NONE;
    unsigned long rank = strtoul(name + n, &end, 10);
    bool ends = strcmp(end, ".et") == 0 || strcmp(end, ".et.gz") == 0;
    return ends && rank < COP_GRAPH_MAX_RANKS ? (uint32_t)rank : COP_NONE;
}

/* Is there a file of a higher rank in the folder? Then the set has a hole. */
static int check_whole(const chakra_reader *r, const char *path, const char *end)
{
    size_t n = strlen(path) - strlen(end) - 1;
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    cop_arena names = {0};
    const char *folder = slash ? cop_arena_printf(&names, "%.*s", (int)(stem - path), path) : ".";
    DIR *dir = opendir(folder);
    uint32_t highest = 0;
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        uint32_t rank = rank_of(e->d_name, stem, n - (size_t)(stem - path));
        if (rank != COP_NONE && rank > highest)
            highest = rank;
    }
    if (dir != NULL)
        closedir(dir);
    cop_arena_free(&names);
    if (highest < r->n_ranks)
        return 0;
    return cop_err_add(r->s->err, COP_E_INPUT,
                       "%s: the file of rank %" PRIu32 ", `%.*s%" PRIu32
                       "%s`, is missing, though there is "
                       "one of rank %" PRIu32 "; put it there, or read a set of its own",
                       path, r->n_ranks, (int)n, path, r->n_ranks, end, highest);
}

/* The files that follow NAME.0.et; `end` is ".et" or ".et.gz". */
static int read_others(chakra_reader *r, const char *path, const char *end)
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
            rc = chakra_read_file(r, &s, new_rank(r));
            r->notes->bytes += s.offset;
            r->s = first;
            cop_source_close(&s);
        }
        cop_arena_free(&names);
        if (!there)
            break;
    }
    return rc ? rc : check_whole(r, path, end);
}

int cop_read_chakra(cop_graph *g, const char *path, cop_source *first, const cop_read_cfg *cfg,
                    cop_read_notes *notes)
{
    chakra_reader r = {.g = g, .cfg = cfg, .notes = notes, .s = first};
    size_t n = strlen(path);
    const char *end = n > 3 && strcmp(path + n - 3, ".gz") == 0 ? ".et.gz" : ".et";
    const char *digit = path + n - strlen(end) - 1;
    int rc = chakra_read_file(&r, first, new_rank(&r));
    if (rc == 0 && first->from_file && n > strlen(end) + 1 && digit[0] == '0' &&
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
