/* What a run answers about the graph of its switches that is too long a way for Lua.
 *
 * In:  the table of ports of a result: "s2.5" belongs to switch s2, a host's port has the host's name.
 * Out: r:farthest_switches(), links between the two switches with hosts that are farthest apart.
 * Rules  breadth first from all switches with hosts, 64 at a time: a bit per start, and a switch is
 *        looked at once per level for all starts whose front it belongs to. Kept per run of the study.
 * Cost   is charged per link, so that a huge network ends the expression by its limit of steps.
 *        All memory is Lua's: a charge may raise an error. */
#include "study/lua_int.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64
#define LINKS_PER_STEP 8

typedef struct name {
    const char *text;
    size_t n;
} name;

typedef struct fabric {
    const cop_result *r;
    name *host; /* [n_hosts] sorted */
    name *sw; /* [n] sorted */
    uint32_t n_hosts, n;
    uint32_t *of_port; /* [r->n_ports] its switch; COP_NONE: a host's */
    bool *leaf; /* [n] has hosts */
    uint32_t *first, *to; /* links of switch i: to[first[i] .. first[i + 1]) */
} fabric;

static void *room(lua_State *L, size_t n, size_t size)
{
    void *p = lua_newuserdatauv(L, cop_product(n + 1, size), 0);
    memset(p, 0, cop_product(n + 1, size));
    return p;
}

static int by_name(const void *a, const void *b)
{
    const name *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

static uint32_t find(const name *list, uint32_t n, name want)
{
    const name *found = n ? bsearch(&want, list, n, sizeof(want), by_name) : NULL;
    return found ? (uint32_t)(found - list) : COP_NONE;
}

static name whole(const char *text)
{
    return (name){text, strlen(text)};
}

/* "s2.5" -> "s2"; n is 0 if it is no port of a switch. */
static name switch_of(const char *port)
{
    const char *dot = strrchr(port, '.');
    if (dot == NULL || dot[1] == '\0' || dot[1 + strspn(dot + 1, "0123456789")] != '\0')
        return (name){port, 0};
    return (name){port, (size_t)(dot - port)};
}

static void find_switches(lua_State *L, fabric *f)
{
    const cop_result *r = f->r;
    f->host = room(L, r->n_nodes, sizeof(*f->host));
    for (uint32_t i = 0; i < r->n_nodes; i++)
        f->host[f->n_hosts++] = whole(r->node[i].name);
    qsort(f->host, f->n_hosts, sizeof(*f->host), by_name);
    f->sw = room(L, r->n_ports, sizeof(*f->sw));
    uint32_t n = 0;
    for (uint32_t p = 0; p < r->n_ports; p++) {
        name s = switch_of(r->port[p].name);
        if (s.n > 0 && (n == 0 || by_name(&s, &f->sw[n - 1]) != 0) &&
            find(f->host, f->n_hosts, whole(r->port[p].name)) == COP_NONE)
            f->sw[n++] = s;
    }
    qsort(f->sw, n, sizeof(*f->sw), by_name);
    for (uint32_t i = 0; i < n; i++)
        if (f->n == 0 || by_name(&f->sw[i], &f->sw[f->n - 1]) != 0)
            f->sw[f->n++] = f->sw[i];
}

static void find_links(lua_State *L, fabric *f)
{
    const cop_result *r = f->r;
    uint32_t *end = room(L, r->n_ports, sizeof(*end)); /* the other switch; COP_NONE: none */
    f->of_port = room(L, r->n_ports, sizeof(*f->of_port));
    f->leaf = room(L, f->n, sizeof(*f->leaf));
    f->first = room(L, (size_t)f->n + 1, sizeof(*f->first));
    f->to = room(L, r->n_ports, sizeof(*f->to));
    for (uint32_t p = 0; p < r->n_ports; p++) {
        const char *from = r->port[p].name, *to = r->port[p].to;
        bool host = find(f->host, f->n_hosts, whole(from)) != COP_NONE;
        uint32_t s = host ? COP_NONE : find(f->sw, f->n, switch_of(from));
        f->of_port[p] = s;
        end[p] = COP_NONE;
        if (s == COP_NONE)
            continue;
        if (find(f->host, f->n_hosts, whole(to)) != COP_NONE)
            f->leaf[s] = true;
        else
            end[p] = find(f->sw, f->n, switch_of(to));
        if (end[p] != COP_NONE)
            f->first[s + 1]++;
    }
    for (uint32_t s = 0; s < f->n; s++)
        f->first[s + 1] += f->first[s];
    uint32_t *at = room(L, f->n, sizeof(*at));
    for (uint32_t p = 0; p < r->n_ports; p++)
        if (f->of_port[p] != COP_NONE && end[p] != COP_NONE)
            f->to[f->first[f->of_port[p]] + at[f->of_port[p]]++] = end[p];
}

/* The fronts of up to 64 starts. */
typedef struct wave {
    uint64_t *seen, *now, *next; /* [n] a bit per start */
    uint32_t *front, *reached; /* [n] switches with bits in now, in next */
    uint32_t n_front;
} wave;

/* One link farther. Is a switch with hosts reached? */
static bool step(lua_State *L, const fabric *f, wave *w)
{
    uint32_t n = 0;
    uint64_t links = 0;
    for (uint32_t i = 0; i < w->n_front; i++) {
        uint32_t s = w->front[i];
        for (uint32_t k = f->first[s]; k < f->first[s + 1]; k++) {
            uint32_t t = f->to[k];
            uint64_t news = w->now[s] & ~w->seen[t];
            if (news == 0)
                continue;
            if (w->next[t] == 0)
                w->reached[n++] = t;
            w->next[t] |= news;
        }
        links += f->first[s + 1] - f->first[s] + 1;
        w->now[s] = 0;
    }
    bool leaf = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = w->reached[i];
        w->seen[t] |= w->next[t];
        w->now[t] = w->next[t];
        w->next[t] = 0;
        w->front[i] = t;
        leaf |= f->leaf[t];
    }
    w->n_front = n;
    cop_sandbox_charge(L, links / LINKS_PER_STEP + 1);
    return leaf;
}

static double farthest(lua_State *L, const fabric *f)
{
    wave w = {.seen = room(L, f->n, sizeof(*w.seen)),
              .now = room(L, f->n, sizeof(*w.now)),
              .next = room(L, f->n, sizeof(*w.next)),
              .front = room(L, f->n, sizeof(*w.front)),
              .reached = room(L, f->n, sizeof(*w.reached))};
    uint32_t most = 0;
    for (uint32_t s = 0; s < f->n;) {
        uint64_t all = 0;
        memset(w.seen, 0, f->n * sizeof(*w.seen));
        w.n_front = 0;
        for (unsigned bit = 0; s < f->n && bit < BATCH; s++)
            if (f->leaf[s]) {
                w.seen[s] = w.now[s] = (uint64_t)1 << bit++;
                all |= w.seen[s];
                w.front[w.n_front++] = s;
            }
        for (uint32_t far = 1; w.n_front > 0; far++)
            if (step(L, f, &w) && far > most)
                most = far;
        for (uint32_t t = 0; t < f->n; t++)
            if (f->leaf[t] && w.seen[t] != all)
                return HUGE_VAL;
    }
    return most;
}

double cop_lua_diameter(lua_State *L, const cop_result *r)
{
    fabric f = {.r = r};
    luaL_checkstack(L, 16, "too many values");
    cop_sandbox_charge(L, (uint64_t)r->n_ports + r->n_nodes);
    find_switches(L, &f);
    find_links(L, &f);
    return farthest(L, &f);
}
