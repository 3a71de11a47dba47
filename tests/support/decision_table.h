/* Decisions of the dragonfly routings that choose, by the printed forwarding table of a switch, read as a reader would:
 * of the entries that match those of the highest priority; if their condition, taken word by word, fails, those of the next
 * lower one; if there are none the condition is ignored; of equals one is drawn. */
#ifndef COP_DECISION_TABLE_H
#define COP_DECISION_TABLE_H

#include "decision_rule.h"

/* One entry of the text; false: it is none. */
static inline bool read_line(const char *text, line *l)
{
    int at = 0;
    *l = (line){.visit = COP_NONE};
    if (sscanf(text, " - {priority: %u, in: [%u, %u], to: [%u, %u], %n", &l->priority, &l->in[0],
               &l->in[1], &l->to[0], &l->to[1], &at) != 5)
        return false;
    text += at;
    at = 0;
    if (sscanf(text, "if: \"%79[^\"]\", %n", l->condition, &at) == 1)
        text += at;
    assert_true(sscanf(text, "out: %u, visit: %u", &l->out, &l->visit) >= 1);
    return true;
}

/* What `coppice check --table` prints of a switch. */
static inline const line *table_of(world *w, uint32_t sw)
{
    if (w->table[sw])
        return w->table[sw];
    cop_flow_table t;
    char *text = NULL;
    size_t size = 0, n = 0;
    assert_true(cop_flow_table_of(&w->r, sw, &t));
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cop_flow_print(&w->r, &t, "s", out);
    fclose(out);
    w->table[sw] = calloc(t.n + 1, sizeof(line));
    assert_non_null(w->table[sw]);
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (n <= t.n && read_line(at, &w->table[sw][n]))
            n++;
    assert_int_equal(n, t.n);
    w->table[sw][n] = (line){.priority = 0};
    cop_flow_free(&t);
    free(text);
    return w->table[sw];
}

/* Entry number i of those of a priority that match a packet; NULL: past the last. */
static inline const line *matching(world *w, uint32_t sw, uint32_t in, uint32_t dst,
                                   uint32_t priority, uint32_t i)
{
    for (const line *l = table_of(w, sw); l->priority > 0; l++)
        if (l->priority == priority && in >= l->in[0] && in <= l->in[1] && dst >= l->to[0] &&
            dst <= l->to[1] && i-- == 0)
            return l;
    return NULL;
}

static inline const line *minimal_line(world *w, uint32_t sw, uint32_t in, uint32_t dst)
{
    const line *l = matching(w, sw, in, dst, COP_FLOW_HIGH, 0);
    assert_non_null(l);
    assert_null(matching(w, sw, in, dst, COP_FLOW_HIGH, 1));
    return l;
}

/* Links of the minimal way, as the tables on it say; and the global link, which is flagged or not. */
static inline uint32_t follow(world *w, uint32_t sw, uint32_t in, uint32_t dst, uint32_t *gate,
                              uint32_t *global)
{
    uint32_t links = 0;
    for (; sw != dst / w->d.p; links++) {
        uint32_t out = minimal_line(w, sw, in, dst)->out;
        assert_true(out >= w->d.p && links < 3);
        if (out >= first_global(&w->d)) {
            *gate = sw;
            *global = out;
        }
        in = far_port(&w->d, sw, out);
        sw = behind(&w->d, sw, out);
    }
    return links;
}

/* Links from the entry's output on: perhaps to the switch with the link to the group, by that link, and minimally from
 * there. */
static inline uint32_t follow_around(world *w, uint32_t sw, uint32_t dst, const line *l)
{
    uint32_t links = 1, gate, global, hosts = w->d.a * w->d.p, at = behind(&w->d, sw, l->out);
    if (at / w->d.a != l->visit) { /* as to the host of that group which has the same place */
        const line *next =
            minimal_line(w, at, far_port(&w->d, sw, l->out), l->visit * hosts + dst % hosts);
        assert_true(next->out >= first_global(&w->d));
        at = behind(&w->d, at, next->out);
        links++;
    }
    return links + follow(w, at, first_global(&w->d), dst, &gate, &global);
}

static inline void must_read(const char **text, const char *word)
{
    if (strncmp(*text, word, strlen(word)) != 0)
        fail_msg("`%s` where `%s` should be", *text, word);
    *text += strlen(word);
}

/* The condition, word by word; `other`: the entry that counts if it fails. */
static inline bool holds(world *w, const packet *k, const line *l, const line *other, uint32_t n,
                         seen *met)
{
    const char *text = l->condition;
    uint32_t port, gate = 0, global = 0, links = follow(w, k->sw, k->in, k->dst, &gate, &global);
    int used = 0;
    bool flag = false;
    if (*text == '\0')
        return true;
    if (sscanf(text, "open(%u)", &port) == 1)
        return !w->at[k->sw].shut[port][first_lane(w, k, port)];
    if (sscanf(text, "N <= P(%u)", &port) == 1)
        return n <= w->at[k->sw].p[port];
    if (text[0] == 'n') {
        must_read(&text, "not flagged, ");
        flag = flagged(w, gate, global, met);
    }
    assert_int_equal(sscanf(text, "q(%u) H %n", &port, &used), 1);
    text += used;
    must_read(&text, "<= q(other) H(other) + threshold");
    return !flag && load_at(w, k->sw, port, first_lane(w, k, port)) * links <=
                        load_at(w, k->sw, other->out, first_lane(w, k, other->out)) *
                                follow_around(w, k->sw, k->dst, other) +
                            w->rule->threshold;
}

/* The entry that a packet follows. Other ways stand beside minimal ones to other groups alone, and have no condition. */
static inline const line *by_table(world *w, const packet *k, seen *met)
{
    const line *minimal = matching(w, k->sw, k->in, k->dst, COP_FLOW_HIGH, 0);
    uint32_t equals = 0;
    assert_non_null(minimal);
    assert_int_equal(minimal->condition[0] != '\0', k->dst / w->d.p / w->d.a != k->sw / w->d.a);
    while (matching(w, k->sw, k->in, k->dst, COP_FLOW_LOW, equals))
        equals++;
    if (equals == 0) {
        met->without_entry += minimal->condition[0] != '\0';
        return minimal;
    }
    cop_rng rng = draws_of(w, k);
    uint32_t i = w->via == VIA_OWN && from_host(w, k) ? 0 : cop_rng_below(&rng, equals);
    const line *other = matching(w, k->sw, k->in, k->dst, COP_FLOW_LOW, i);
    assert_string_equal(other->condition, "");
    return holds(w, k, minimal, other, 1 + cop_rng_below(&rng, 100), met) ? minimal : other;
}

#endif
