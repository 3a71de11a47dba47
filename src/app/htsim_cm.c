/* Connection matrices of htsim.
 *
 *   Nodes N
 *   Connections M
 *   Triggers T                       (if there are any)
 *   SRC->DST [id I] [start PS] size BYTES [trigger X] [send_done_trigger X] [recv_done_trigger X] [prio P]
 *   trigger id X oneshot | multishot | barrier COUNT
 * Lines that begin with # are comments. Every node is a rank; a connection is a message, sent `start`
 * picoseconds after the job's start or when its trigger is pulled.
 *
 * Triggers are local: what pulls one and what it starts must be at the same node, as nothing acts at a
 * distance. One that several connections pull must be a barrier that waits for all of them. */
#include "app/source.h"

#include <stdlib.h>
#include <string.h>

typedef struct connection {
    uint32_t src, dst, line;
    uint64_t size, start;
    uint32_t trigger, send_done, recv_done; /* 0: none */
    uint32_t send_op, recv_op;
} connection;

typedef struct trigger {
    uint32_t id, line, count; /* count: of a barrier, else 0 */
    uint32_t pulled; /* by so many connections */
    uint32_t node; /* where it is pulled; COP_NONE: nowhere */
    uint32_t gate; /* operation that is done when it fires */
} trigger;

typedef struct matrix {
    cop_source *s;
    uint64_t nodes, connections, triggers;
    connection *con; /* heap */
    size_t n_con, con_cap;
    trigger *trig; /* heap; sorted by id */
    size_t n_trig, trig_cap;
} matrix;

static bool number_after(char **p, uint64_t max, uint64_t *v)
{
    size_t n;
    char *w = cop_word(p, &n);
    return cop_whole(w, n, max, v);
}

static int read_connection(matrix *m, char *line)
{
    static const char *const names[] = {
        "id",   "start",   "size", "trigger", "send_done_trigger", "recv_done_trigger",
        "prio", "priority"};
    uint64_t v[COP_LEN(names)] = {0}, src, dst;
    bool given[COP_LEN(names)] = {false};
    size_t n;
    char *p = line, *w = cop_word(&p, &n), *arrow = memmem(w, n, "->", 2);
    if (arrow == NULL || !cop_whole(w, (size_t)(arrow - w), m->nodes - 1, &src) ||
        !cop_whole(arrow + 2, n - (size_t)(arrow + 2 - w), m->nodes - 1, &dst))
        return cop_source_fault(m->s, "`%.*s`; give SRC->DST, two nodes from 0 to %" PRIu64,
                                (int)(n < 60 ? n : 60), w, m->nodes - 1);
    while (*p != '\0') {
        w = cop_word(&p, &n);
        size_t i = 0;
        while (i < COP_LEN(names) && !cop_is_word(w, n, names[i]))
            i++;
        if (i == COP_LEN(names))
            return cop_source_fault(m->s,
                                    "unknown field `%.*s`; use id, start, size, trigger, "
                                    "send_done_trigger, recv_done_trigger or prio",
                                    (int)(n < 60 ? n : 60), w);
        uint64_t most = i == 1   ? UINT64_C(10000000000000000)
                        : i == 2 ? COP_MESSAGE_MAX_BYTES
                                 : COP_NONE - 1;
        if (given[i] || !number_after(&p, most, &v[i]))
            return cop_source_fault(
                m->s,
                "`%s` has no number that fits, or is there twice; give it once, from 0 to %" PRIu64,
                names[i], most);
        given[i] = true;
    }
    if (!given[2] || v[2] == 0)
        return cop_source_fault(m->s, "a connection without an end; give its `size` in bytes");
    if (given[1] && v[3] != 0)
        return cop_source_fault(m->s, "both `start` and `trigger`; give one of them");
    m->con = cop_grow(m->con, &m->con_cap, m->n_con + 1, sizeof(*m->con));
    m->con[m->n_con++] = (connection){.src = (uint32_t)src,
                                      .dst = (uint32_t)dst,
                                      .line = m->s->line,
                                      .size = v[2],
                                      .start = v[1],
                                      .trigger = (uint32_t)v[3],
                                      .send_done = (uint32_t)v[4],
                                      .recv_done = (uint32_t)v[5]};
    return 0;
}

static int read_trigger(matrix *m, char *line)
{
    size_t n;
    uint64_t id = 0, count = 0;
    char *p = line, *w = cop_word(&p, &n);
    w = cop_word(&p, &n);
    bool good = cop_is_word(w, n, "id") && number_after(&p, COP_NONE - 1, &id) && id > 0;
    w = cop_word(&p, &n);
    bool barrier = cop_is_word(w, n, "barrier");
    if (good && barrier) {
        char *q = p;
        w = cop_word(&q, &n);
        if (cop_is_word(w, n, "count"))
            p = q;
        good = number_after(&p, COP_NONE - 1, &count) && count > 0;
    } else if (!cop_is_word(w, n, "oneshot") && !cop_is_word(w, n, "multishot")) {
        good = false;
    }
    if (!good || *p != '\0')
        return cop_source_fault(m->s, "this is no trigger; write `trigger id X oneshot`, "
                                      "`multishot` or `barrier COUNT`, X from 1 on");
    m->trig = cop_grow(m->trig, &m->trig_cap, m->n_trig + 1, sizeof(*m->trig));
    m->trig[m->n_trig++] = (trigger){.id = (uint32_t)id,
                                     .line = m->s->line,
                                     .count = (uint32_t)count,
                                     .node = COP_NONE,
                                     .gate = COP_NONE};
    return 0;
}

static int read_line(matrix *m, char *line)
{
    size_t n;
    char *p = line, *w = cop_word(&p, &n);
    const struct {
        const char *name;
        uint64_t *value, max;
    } counts[] = {{"Nodes", &m->nodes, COP_GRAPH_MAX_RANKS},
                  {"Connections", &m->connections, COP_GRAPH_MAX_OPS / 4},
                  {"Triggers", &m->triggers, COP_GRAPH_MAX_OPS / 4}};
    if (w[0] == '#')
        return 0;
    for (size_t i = 0; i < COP_LEN(counts); i++)
        if (cop_is_word(w, n, counts[i].name)) {
            if (!number_after(&p, counts[i].max, counts[i].value) || *p != '\0')
                return cop_source_fault(m->s,
                                        "%s has no number that fits; give one from 0 to %" PRIu64,
                                        counts[i].name, counts[i].max);
            return 0;
        }
    if (m->nodes == 0)
        return cop_source_fault(m->s, "`Nodes N` must come first; N at least 1");
    if (cop_is_word(w, n, "trigger"))
        return read_trigger(m, line);
    return read_connection(m, line);
}

static int by_id(const void *a, const void *b)
{
    const trigger *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static trigger *find_trigger(const matrix *m, uint32_t id)
{
    trigger key = {.id = id};
    return m->n_trig > 0 ? bsearch(&key, m->trig, m->n_trig, sizeof(key), by_id) : NULL;
}

static int fault_at(matrix *m, uint32_t line, const char *what, uint32_t id)
{
    m->s->line = line;
    return cop_source_fault(m->s, "trigger %" PRIu32 " %s", id, what);
}

static int pull(matrix *m, const connection *c, uint32_t id, uint32_t node)
{
    trigger *t = find_trigger(m, id);
    if (t == NULL)
        return fault_at(m, c->line, "is not defined; add a line `trigger id ...`", id);
    if (t->node != COP_NONE && t->node != node)
        return fault_at(m, c->line, "is pulled at several nodes; pull it at one", id);
    t->node = node;
    t->pulled++;
    return 0;
}

static int check_triggers(matrix *m)
{
    int rc = 0;
    if (m->n_trig > 0)
        qsort(m->trig, m->n_trig, sizeof(*m->trig), by_id);
    for (size_t i = 1; i < m->n_trig && rc == 0; i++)
        if (m->trig[i].id == m->trig[i - 1].id)
            rc = fault_at(m, m->trig[i].line, "is defined twice; number it anew", m->trig[i].id);
    for (size_t i = 0; i < m->n_con && rc == 0; i++) {
        const connection *c = &m->con[i];
        if (c->send_done != 0)
            rc = pull(m, c, c->send_done, c->src);
        if (c->recv_done != 0 && rc == 0)
            rc = pull(m, c, c->recv_done, c->dst);
    }
    for (size_t i = 0; i < m->n_trig && rc == 0; i++) {
        const trigger *t = &m->trig[i];
        uint32_t want = t->count > 0 ? t->count : 1;
        if (t->pulled != want && t->pulled > 0)
            rc = fault_at(m, t->line,
                          "is not pulled as often as it needs; use a barrier that "
                          "counts all that pull it",
                          t->id);
    }
    for (size_t i = 0; i < m->n_con && rc == 0; i++) {
        const connection *c = &m->con[i];
        const trigger *t = c->trigger != 0 ? find_trigger(m, c->trigger) : NULL;
        if (c->trigger != 0 && (t == NULL || t->node != c->src))
            rc =
                fault_at(m, c->line,
                         t == NULL ? "is not defined; add a line `trigger id ...`"
                         : t->node == COP_NONE
                             ? "is never pulled; let a connection pull it"
                             : "is pulled at another node, and nothing acts at a distance; pull it "
                               "where the connection begins",
                         c->trigger);
    }
    return rc;
}

/* The operations of one node: receives, gates of triggers, then sends. */
static void add_node(matrix *m, cop_graph *g, uint32_t node, const uint32_t *by_src, uint32_t n_src,
                     const uint32_t *by_dst, uint32_t n_dst)
{
    cop_graph_rank(g, node);
    for (uint32_t i = 0; i < n_dst; i++) {
        connection *c = &m->con[by_dst[i]];
        c->recv_op = cop_graph_add(g, &(cop_op){.kind = COP_OP_RECV,
                                                .size = c->size,
                                                .peer = c->src,
                                                .tag = by_dst[i],
                                                .line = c->line,
                                                .collective = COP_NONE});
    }
    for (uint32_t i = 0; i < n_src; i++) {
        connection *c = &m->con[by_src[i]];
        uint32_t before = COP_NONE;
        cop_op wait = {
            .kind = COP_OP_WAIT, .size = c->start, .line = c->line, .collective = COP_NONE};
        if (c->trigger != 0) {
            trigger *t = find_trigger(m, c->trigger);
            if (t->gate == COP_NONE)
                t->gate = cop_graph_add(g, &wait);
            before = t->gate;
        } else if (c->start > 0) {
            before = cop_graph_add(g, &wait);
        }
        c->send_op = cop_graph_add(g, &(cop_op){.kind = COP_OP_SEND,
                                                .size = c->size,
                                                .peer = c->dst,
                                                .tag = by_src[i],
                                                .line = c->line,
                                                .collective = COP_NONE});
        if (before != COP_NONE)
            cop_graph_edge(g, before, c->send_op, false);
    }
}

static uint32_t *sorted_by(const matrix *m, bool by_src, uint32_t *first)
{
    uint32_t *list = cop_alloc_array(m->n_con, sizeof(*list));
    for (size_t i = 0; i < m->n_con; i++)
        first[(by_src ? m->con[i].src : m->con[i].dst) + 1]++;
    for (uint64_t k = 0; k < m->nodes; k++)
        first[k + 1] += first[k];
    uint32_t *next = cop_alloc_array(m->nodes, sizeof(*next));
    memcpy(next, first, m->nodes * sizeof(*next));
    for (size_t i = 0; i < m->n_con; i++)
        list[next[by_src ? m->con[i].src : m->con[i].dst]++] = (uint32_t)i;
    cop_free(next);
    return list;
}

static void build(matrix *m, cop_graph *g)
{
    uint32_t *src0 = cop_alloc_array(m->nodes + 1, sizeof(*src0));
    uint32_t *dst0 = cop_alloc_array(m->nodes + 1, sizeof(*dst0));
    uint32_t *by_src = sorted_by(m, true, src0), *by_dst = sorted_by(m, false, dst0);
    cop_graph_init(g, m->s->name, "line", (uint32_t)m->nodes);
    for (uint32_t k = 0; k < m->nodes; k++)
        add_node(m, g, k, by_src + src0[k], src0[k + 1] - src0[k], by_dst + dst0[k],
                 dst0[k + 1] - dst0[k]);
    for (size_t i = 0; i < m->n_con; i++) {
        const connection *c = &m->con[i];
        const trigger *sent = c->send_done ? find_trigger(m, c->send_done) : NULL;
        const trigger *got = c->recv_done ? find_trigger(m, c->recv_done) : NULL;
        if (sent != NULL && sent->gate != COP_NONE)
            cop_graph_edge(g, c->send_op, sent->gate, false);
        if (got != NULL && got->gate != COP_NONE)
            cop_graph_edge(g, c->recv_op, got->gate, false);
    }
    cop_free(src0);
    cop_free(dst0);
    cop_free(by_src);
    cop_free(by_dst);
}

int cop_read_htsim(cop_graph *g, cop_source *s)
{
    matrix m = {.s = s};
    char *line;
    int rc = 0;
    while (rc == 0 && (line = cop_source_line(s)) != NULL)
        rc = read_line(&m, line);
    if (rc == 0 && s->failed)
        rc = -COP_E_INPUT;
    if (rc == 0 && m.n_con != m.connections)
        rc = cop_source_fault(s,
                              "the file has %zu connections and says %" PRIu64
                              "; it is cut short, or the number is wrong",
                              m.n_con, m.connections);
    if (rc == 0 && m.n_trig != m.triggers)
        rc = cop_source_fault(s,
                              "the file has %zu triggers and says %" PRIu64
                              "; it is cut short, or the number is wrong",
                              m.n_trig, m.triggers);
    if (rc == 0)
        rc = check_triggers(&m);
    if (rc == 0)
        build(&m, g);
    cop_free(m.con);
    cop_free(m.trig);
    return rc;
}
