/* GOAL, text: the language of LogGOPSim and ATLAHS. docs/TRACES.md has the grammar.
 *
 * Strict   one item per line; every rank has one block; labels are letters, digits and underscores, each
 *          given once in its block and before it is used.
 * Speed    10 million operations with as many dependencies take a few seconds: a line is read once, and
 *          labels of the present rank stand in one hash. */
#include "app/source.h"

#include <string.h>

#define FEW_SLOTS 256

typedef struct label {
    uint64_t hash; /* 0: free */
    uint32_t text, length; /* in the pool */
    uint32_t op;
} label;

typedef struct goal {
    cop_source *s;
    cop_graph *g;
    const cop_read_cfg *cfg;
    label *slot; /* heap; of the present rank */
    size_t mask, n_labels;
    char *pool; /* heap; their texts */
    size_t pool_n, pool_cap;
    bool *seen; /* [n_ranks] heap */
    uint32_t rank;
} goal;

/* -- labels -- */

static bool is_label(const char *w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = w[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(c >= '0' && c <= '9'))
            return false;
    }
    return n > 0;
}

static uint64_t hash_of(const char *w, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)w[i]) * 0x100000001b3u;
    h ^= h >> 29;
    return h * 0x9E3779B97F4A7C15u | 1;
}

static label *slot_of(const goal *r, uint64_t hash, const char *w, size_t n)
{
    size_t i = (size_t)(hash >> 20) & r->mask;
    while (r->slot[i].hash != 0) {
        const label *l = &r->slot[i];
        if (l->hash == hash && l->length == n && memcmp(r->pool + l->text, w, n) == 0)
            break;
        i = (i + 1) & r->mask;
    }
    return &r->slot[i];
}

static void forget_labels(goal *r)
{
    r->n_labels = r->pool_n = 0;
    if (r->mask > FEW_SLOTS - 1) { /* a large rank must not make all others slow */
        cop_free(r->slot);
        r->mask = FEW_SLOTS - 1;
        r->slot = cop_alloc_array(FEW_SLOTS, sizeof(label));
    } else {
        memset(r->slot, 0, FEW_SLOTS * sizeof(label));
    }
}

static void more_slots(goal *r)
{
    label *old = r->slot;
    size_t n = r->mask + 1;
    r->mask = 2 * n - 1;
    r->slot = cop_alloc_array(2 * n, sizeof(label));
    for (size_t i = 0; i < n; i++)
        if (old[i].hash != 0)
            *slot_of(r, old[i].hash, r->pool + old[i].text, old[i].length) = old[i];
    cop_free(old);
}

static int define(goal *r, const char *w, size_t n, uint32_t op)
{
    if (!is_label(w, n))
        return cop_source_fault(r->s, "`%.*s` is no label; use letters, digits and _",
                                (int)(n < 60 ? n : 60), w);
    if (2 * (r->n_labels + 1) > r->mask)
        more_slots(r);
    uint64_t hash = hash_of(w, n);
    label *l = slot_of(r, hash, w, n);
    if (l->hash != 0)
        return cop_source_fault(r->s,
                                "label `%.*s` is that of line %" PRIu32 " already; choose another",
                                (int)(n < 60 ? n : 60), w, r->g->op[l->op].line);
    if (r->pool_n + n > UINT32_MAX)
        return cop_source_fault(r->s, "labels of a rank are longer than 4 GiB; use shorter ones");
    r->pool = cop_grow(r->pool, &r->pool_cap, r->pool_n + n, 1);
    memcpy(r->pool + r->pool_n, w, n);
    *l = (label){hash, (uint32_t)r->pool_n, (uint32_t)n, op};
    r->pool_n += n;
    r->n_labels++;
    return 0;
}

static int find(goal *r, const char *w, size_t n, uint32_t *op)
{
    const label *l = slot_of(r, hash_of(w, n), w, n);
    if (l->hash == 0)
        return cop_source_fault(
            r->s, "label `%.*s` is not defined in this rank yet; define it on an earlier line",
            (int)(n < 60 ? n : 60), w);
    *op = l->op;
    return 0;
}

/* -- operations -- */

/* `tag T`, `cpu C`, `nic K`, in this order, each once at most. */
static int read_options(goal *r, char *p, cop_op *op)
{
    static const char *const names[] = {"tag", "cpu", "nic"};
    size_t next = 0, n;
    bool calc = op->kind == COP_OP_CALC;
    while (*p != '\0') {
        char *w = cop_word(&p, &n);
        size_t i = next;
        while (i < COP_LEN(names) && !cop_is_word(w, n, names[i]))
            i++;
        if (i == COP_LEN(names) || (calc && i != 1))
            return cop_source_fault(r->s, "`%.*s` is not expected here; %s", (int)(n < 60 ? n : 60),
                                    w,
                                    calc ? "after a time only `cpu C` may follow"
                                         : "only `tag T`, `cpu C` and `nic K` may follow, in this "
                                           "order");
        next = i + 1;
        uint64_t v = 0;
        w = cop_word(&p, &n);
        if (i == 0 && cop_is_word(w, n, "-1") && op->kind == COP_OP_RECV)
            v = COP_ANY;
        else if (!cop_whole(w, n, i == 0 ? COP_ANY - 1 : 255, &v))
            return cop_source_fault(r->s, "%s `%.*s`; give a whole number from 0 to %s", names[i],
                                    (int)(n < 60 ? n : 60), w,
                                    i > 0                     ? "255"
                                    : op->kind == COP_OP_RECV ? "4294967294, or -1 for any"
                                                              : "4294967294");
        if (i == 0)
            op->tag = (uint32_t)v;
        else if (i == 1)
            op->cpu = (uint8_t)v;
        else
            op->nic = (uint8_t)v;
    }
    return 0;
}

static int read_calc(goal *r, char *p, cop_op *op)
{
    size_t n;
    char *w = cop_word(&p, &n);
    uint64_t most = UINT64_C(10000000000000000) / r->cfg->calc_unit_ps;
    op->kind = COP_OP_CALC;
    if (!cop_whole(w, n, most, &op->size))
        return cop_source_fault(r->s, "calc `%.*s`; give a whole number from 0 to %" PRIu64,
                                (int)(n < 60 ? n : 60), w, most);
    op->size *= r->cfg->calc_unit_ps;
    return read_options(r, p, op);
}

static int read_message(goal *r, char *p, bool send, cop_op *op)
{
    size_t n;
    char *w = cop_word(&p, &n);
    op->kind = send ? COP_OP_SEND : COP_OP_RECV;
    if (n < 2 || w[n - 1] != 'b' || !cop_whole(w, n - 1, COP_MESSAGE_MAX_BYTES, &op->size))
        return cop_source_fault(
            r->s, "size `%.*s`; give bytes from 0 to 4294967280 with a b behind, such as 4096b",
            (int)(n < 60 ? n : 60), w);
    w = cop_word(&p, &n);
    if (!cop_is_word(w, n, send ? "to" : "from"))
        return cop_source_fault(r->s, "`%.*s` where `%s` should be; write `%s`",
                                (int)(n < 60 ? n : 60), w, send ? "to" : "from",
                                send ? "send 8b to 1" : "recv 8b from 1");
    w = cop_word(&p, &n);
    uint64_t peer = 0;
    if (!send && cop_is_word(w, n, "-1"))
        peer = COP_ANY;
    else if (!cop_whole(w, n, r->g->n_ranks - 1, &peer))
        return cop_source_fault(r->s, "rank `%.*s`; give one from 0 to %" PRIu32 "%s",
                                (int)(n < 60 ? n : 60), w, r->g->n_ranks - 1,
                                send ? "" : ", or -1 for any");
    op->peer = (uint32_t)peer;
    return read_options(r, p, op);
}

static int read_requires(goal *r, char *line)
{
    size_t n_then, n_how, n_first;
    char *p = line, *then = cop_word(&p, &n_then), *how = cop_word(&p, &n_how),
         *first = cop_word(&p, &n_first);
    uint32_t a, b;
    bool at_start = cop_is_word(how, n_how, "irequires");
    if ((!at_start && !cop_is_word(how, n_how, "requires")) || *p != '\0' || n_first == 0)
        return cop_source_fault(
            r->s, "this is no operation and no dependency; write `label: send 8b to 1`, `label: "
                  "recv 8b from 0`, `label: calc 100` or `label requires label`");
    if (find(r, then, n_then, &a) != 0 || find(r, first, n_first, &b) != 0)
        return -COP_E_INPUT;
    if (a == b)
        return cop_source_fault(r->s, "`%.*s` waits for itself; name another label",
                                (int)(n_then < 60 ? n_then : 60), then);
    cop_graph_edge(r->g, b, a, at_start);
    return 0;
}

static int read_item(goal *r, char *line)
{
    size_t n;
    char *p = line, *w = cop_word(&p, &n), *colon = memchr(line, ':', strlen(line));
    const char *name = NULL;
    size_t name_n = 0;
    if (colon != NULL) { /* `label: op`, `label :op` and `label:op` alike */
        name = w;
        name_n = (size_t)(colon - w) < n ? (size_t)(colon - w) : n;
        p = colon + 1;
        w = cop_word(&p, &n);
        if (name + name_n + strspn(name + name_n, " \t") != colon)
            return cop_source_fault(r->s,
                                    "more than one word before `:`; write `label: operation`");
    }
    cop_op op = {.line = r->s->line, .collective = COP_NONE};
    int rc;
    if (cop_is_word(w, n, "calc"))
        rc = read_calc(r, p, &op);
    else if (cop_is_word(w, n, "send") || cop_is_word(w, n, "recv"))
        rc = read_message(r, p, w[0] == 's', &op);
    else if (colon == NULL)
        return read_requires(r, line);
    else
        return cop_source_fault(r->s, "`%.*s` is no operation; write calc, send or recv",
                                (int)(n < 60 ? n : 60), w);
    if (rc != 0)
        return rc;
    if (r->g->n_ops >= COP_GRAPH_MAX_OPS)
        return cop_source_fault(r->s, "more than %u operations; use a shorter trace",
                                COP_GRAPH_MAX_OPS);
    uint32_t i = cop_graph_add(r->g, &op);
    return name != NULL ? define(r, name, name_n, i) : 0;
}

/* -- blocks -- */

static int read_rank(goal *r, char *line)
{
    size_t n;
    uint64_t rank;
    char *p = line, *w = cop_word(&p, &n);
    if (!cop_is_word(w, n, "rank"))
        return cop_source_fault(r->s, "`%.*s` outside of a rank; write `rank 0 {` first",
                                (int)(n < 60 ? n : 60), w);
    size_t digits = strspn(p, "0123456789");
    if (!cop_whole(p, digits, r->g->n_ranks - 1, &rank))
        return cop_source_fault(r->s, "rank `%.20s`; give one from 0 to %" PRIu32, p,
                                r->g->n_ranks - 1);
    p += digits;
    w = cop_word(&p, &n);
    if (!cop_is_word(w, n, "{") || *p != '\0')
        return cop_source_fault(r->s,
                                "no `{` ends this line; write `rank %" PRIu64
                                " {`, and its operations on lines of "
                                "their own",
                                rank);
    if (r->seen[rank])
        return cop_source_fault(r->s, "rank %" PRIu64 " has a block already; join the two", rank);
    r->seen[rank] = true;
    r->rank = (uint32_t)rank;
    cop_graph_rank(r->g, r->rank);
    forget_labels(r);
    return 0;
}

static int read_blocks(goal *r)
{
    bool inside = false;
    char *line;
    int rc = 0;
    while (rc == 0 && (line = cop_source_line(r->s)) != NULL) {
        size_t n;
        char *p = line, *w = cop_word(&p, &n);
        if (inside && cop_is_word(w, n, "}") && *p == '\0')
            inside = false;
        else if (inside)
            rc = read_item(r, line);
        else
            rc = read_rank(r, line), inside = true;
    }
    if (rc != 0 || r->s->failed)
        return -COP_E_INPUT;
    if (inside)
        return cop_source_fault(
            r->s, "the file ends inside rank %" PRIu32 "; it is cut short, or a `}` is missing",
            r->rank);
    for (uint32_t i = 0; i < r->g->n_ranks; i++)
        if (!r->seen[i])
            return cop_source_fault(r->s,
                                    "rank %" PRIu32 " has no block; add `rank %" PRIu32
                                    " {` and `}`, or lower num_ranks",
                                    i, i);
    return 0;
}

int cop_read_goal_text(cop_graph *g, cop_source *s, const cop_read_cfg *cfg)
{
    char *line = cop_source_line(s);
    size_t n;
    uint64_t ranks;
    if (line == NULL)
        return s->failed ? -COP_E_INPUT
                         : cop_source_fault(s, "the file is empty; begin with `num_ranks N`");
    char *w = cop_word(&line, &n);
    if (!cop_is_word(w, n, "num_ranks"))
        return cop_source_fault(s, "is not GOAL; begin with `num_ranks N`");
    w = cop_word(&line, &n);
    if (!cop_whole(w, n, COP_GRAPH_MAX_RANKS, &ranks) || ranks == 0 || *line != '\0')
        return cop_source_fault(s, "num_ranks `%.*s`; give one number from 1 to %u",
                                (int)(n < 60 ? n : 60), w, COP_GRAPH_MAX_RANKS);
    cop_graph_init(g, s->name, "line", (uint32_t)ranks);
    goal r = {.s = s, .g = g, .cfg = cfg, .mask = FEW_SLOTS - 1};
    r.slot = cop_alloc_array(r.mask + 1, sizeof(label));
    r.seen = cop_alloc_array(ranks, sizeof(bool));
    int rc = read_blocks(&r);
    cop_free(r.slot);
    cop_free(r.pool);
    cop_free(r.seen);
    return rc;
}
