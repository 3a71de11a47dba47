/* Role: where the ranks of a job are.
 * Rules: the hosts of `from`, in the order of their numbers (rail-tree: server by server), are seats: `nics` neighbours each, for
 *   `ranks_per_host` ranks. Ranks fill seats in the order that `placement` says:
 *     linear   as they are
 *     random   drawn by the seed
 *     spread   one of each group in turn
 *     groups   group after group, the order of groups drawn by the seed
 *     file     as `placement_file` says: a line per rank with its host, or `nics` of them
 *   A group is `group_size` hosts: a group of the dragonfly, else the hosts of one switch.
 * File: hosts are words between white space and commas: a number, or a name as the program prints it, in quotes if
 *   it has spaces itself; `#` begins a comment. A file of n words and a network of m hosts take (n + m) log m steps. */
#include "base/file.h"
#include "traffic/traffic_priv.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PLACEMENT_BYTES ((size_t)1 << 28)
#define MAX_WORD 256 /* of a file, with its end */

/* -- seats -- */

typedef struct seats {
    uint32_t n, nics;
    uint32_t *order; /* [n] */
    uint32_t *host; /* [n * nics], seat by seat */
} seats;

static uint32_t group_size(const cop_topo *t, const cop_traffic_cfg *cfg)
{
    if (cfg->group_size > 0)
        return (uint32_t)cfg->group_size;
    if (t->shape.kind == COP_SHAPE_DRAGONFLY)
        return t->shape.u.dragonfly.p * t->shape.u.dragonfly.a;
    if (t->rails > 0)
        return t->rails * t->pod_servers;
    uint32_t n = 1;
    while (n < t->n_hosts && cop_topo_entry_switch(t, n) == cop_topo_entry_switch(t, 0))
        n++;
    return n;
}

typedef struct seat {
    uint32_t seat;
    uint64_t key;
} seat;

static int by_key(const void *a, const void *b)
{
    const seat *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->seat > y->seat) - (x->seat < y->seat);
}

/* Seats of a group in turn (spread), or groups in random order. */
static void order_by_group(const traffic_build *b, const cop_traffic_cfg *cfg,
                           const traffic_entry *e, seats *s)
{
    uint32_t size = group_size(b->topo, cfg), n_groups = b->topo->n_hosts / size + 1;
    uint32_t *count = cop_alloc_array(n_groups, sizeof(*count));
    uint32_t *shuffled = cop_alloc_array(n_groups, sizeof(*shuffled));
    seat *v = cop_alloc_array(s->n, sizeof(*v));
    cop_rng rng = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_RANKS);
    cop_rng_permutation(&rng, shuffled, n_groups);
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t group = s->host[(size_t)i * s->nics] / size;
        v[i].seat = i;
        v[i].key = cfg->placement == COP_PLACE_SPREAD ? (uint64_t)count[group]++ << 32 | group
                                                      : shuffled[group];
    }
    qsort(v, s->n, sizeof(*v), by_key);
    for (uint32_t i = 0; i < s->n; i++)
        s->order[i] = v[i].seat;
    cop_free(count);
    cop_free(shuffled);
    cop_free(v);
}

static void order_seats(const traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                        seats *s)
{
    cop_rng rng = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_RANKS);
    for (uint32_t i = 0; i < s->n; i++)
        s->order[i] = i;
    if (cfg->placement == COP_PLACE_RANDOM)
        cop_rng_permutation(&rng, s->order, s->n);
    else if (cfg->placement == COP_PLACE_SPREAD || cfg->placement == COP_PLACE_GROUPS)
        order_by_group(b, cfg, e, s);
}

/* Hosts seat by seat. */
static void fill_seats(const traffic_build *b, const traffic_entry *e, seats *s)
{
    seat *v = cop_alloc_array(e->n_src, sizeof(*v));
    for (uint32_t i = 0; i < e->n_src; i++)
        v[i] = (seat){e->src[i], cop_topo_server_order(b->topo, e->src[i])};
    if (e->n_src > 0)
        qsort(v, e->n_src, sizeof(*v), by_key);
    for (uint32_t i = 0; i < s->n * s->nics; i++)
        s->host[i] = v[i].seat;
    cop_free(v);
}

/* -- a file of places -- */

typedef struct named {
    const char *name;
    uint32_t host;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

typedef struct places {
    const char *file;
    const char *text;
    size_t len, at;
    unsigned line;
    const cop_topo *topo;
    named *index; /* names of hosts in order; NULL: they have none of their own */
} places;

static void index_names(places *p)
{
    if (p->topo->host_name == NULL)
        return;
    p->index = cop_alloc_array(p->topo->n_hosts, sizeof(*p->index));
    for (uint32_t h = 0; h < p->topo->n_hosts; h++)
        p->index[h] = (named){p->topo->host_name[h], h};
    qsort(p->index, p->topo->n_hosts, sizeof(*p->index), by_name);
}

static bool separates(char c)
{
    return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

/* The next word, cut to its size; false at the end. *whole: it was not cut, and its quotes are closed. */
static bool next_word(places *p, char *word, bool *whole)
{
    for (; p->at < p->len; p->at++) {
        if (p->text[p->at] == '#')
            while (p->at + 1 < p->len && p->text[p->at + 1] != '\n')
                p->at++;
        else if (!separates(p->text[p->at]))
            break;
        p->line += p->text[p->at] == '\n';
    }
    if (p->at == p->len)
        return false;
    bool quoted = p->text[p->at] == '"';
    size_t from = p->at += quoted, n;
    while (p->at < p->len &&
           (quoted ? p->text[p->at] != '"' && p->text[p->at] != '\n' : !separates(p->text[p->at])))
        p->at++;
    n = p->at - from;
    *whole = n < MAX_WORD && memchr(p->text + from, '\0', n) == NULL;
    if (quoted) {
        *whole = *whole && p->at < p->len && p->text[p->at] == '"';
        p->at += p->at < p->len && p->text[p->at] == '"';
    }
    n = n < MAX_WORD ? n : MAX_WORD - 1;
    memcpy(word, p->text + from, n);
    word[n] = '\0';
    return true;
}

static uint32_t host_of(const places *p, const char *word)
{
    if (p->index == NULL) {
        uint32_t h = traffic_named_host(p->topo, word);
        return h != COP_NONE ? h : traffic_numbered_host(p->topo, word);
    }
    named key = {.name = word};
    const named *found = bsearch(&key, p->index, p->topo->n_hosts, sizeof(key), by_name);
    return found != NULL ? found->host : traffic_numbered_host(p->topo, word);
}

static int read_places(traffic_build *b, const cop_traffic_cfg *cfg, uint32_t n_ranks,
                       uint32_t *host)
{
    char *text, word[MAX_WORD], shown[64], name[64];
    uint64_t want = (uint64_t)n_ranks * (uint64_t)cfg->nics, got = 0;
    bool whole;
    places p = {.file = cfg->placement_file, .line = 1, .topo = b->topo};
    cop_err inner = {0};
    if (cop_file_read(p.file, MAX_PLACEMENT_BYTES, &text, &p.len, &inner) != 0)
        return cop_err_add(b->err, inner.code, "%s", inner.text);
    p.text = text;
    index_names(&p);
    int rc = 0;
    while (rc == 0 && next_word(&p, word, &whole)) {
        uint32_t h = whole ? host_of(&p, word) : COP_NONE;
        if (h == COP_NONE)
            rc = cop_err_add(b->err, COP_E_INPUT,
                             "%s:%u: host `%s`; give a number from 0 to %u, or a name such as "
                             "\"%s\", in quotes if it has spaces",
                             p.file, p.line, cop_excerpt(word, shown, sizeof(shown)),
                             b->topo->n_hosts - 1,
                             cop_topo_host_name(b->topo, 0, name, sizeof(name)));
        else if (got == want)
            rc = cop_err_add(b->err, COP_E_INPUT,
                             "%s:%u: more hosts than the %u ranks need; remove some", p.file,
                             p.line, n_ranks);
        else
            host[got++] = h;
    }
    if (rc == 0 && got < want)
        rc = cop_err_add(b->err, COP_E_INPUT,
                         "%s:%u: has %" PRIu64 " hosts; give %" PRIu64 ", %" PRIu64
                         " for each of the %u ranks",
                         p.file, p.line, got, want, (uint64_t)cfg->nics, n_ranks);
    cop_free(p.index);
    cop_free(text);
    return rc;
}

int traffic_place_ranks(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                        uint32_t n_ranks, uint32_t *host)
{
    uint32_t nics = (uint32_t)cfg->nics, per_seat = (uint32_t)cfg->ranks_per_host;
    if (cfg->placement == COP_PLACE_FILE)
        return read_places(b, cfg, n_ranks, host);
    seats s = {.n = e->n_src / nics, .nics = nics};
    uint64_t room = (uint64_t)s.n * per_seat;
    if (room < n_ranks)
        return traffic_fault(b, "from",
                             "%u ranks need %u hosts, and `from` has %u; add hosts, raise "
                             "`ranks_per_host` or lower `nics`",
                             n_ranks, (n_ranks + per_seat - 1) / per_seat * nics, e->n_src);
    if (b->topo->rails > 0 && b->topo->rails % nics != 0)
        return traffic_fault(b, "nics",
                             "%u NICs of a rank do not divide the %u of a server; give a "
                             "divisor",
                             nics, b->topo->rails);
    s.order = cop_alloc_array(s.n, sizeof(*s.order));
    s.host = cop_alloc_array(cop_product(s.n, nics), sizeof(*s.host));
    fill_seats(b, e, &s);
    order_seats(b, cfg, e, &s);
    for (uint32_t r = 0; r < n_ranks; r++)
        for (uint32_t i = 0; i < nics; i++)
            host[(size_t)r * nics + i] = s.host[(size_t)s.order[r / per_seat] * nics + i];
    cop_free(s.order);
    cop_free(s.host);
    return 0;
}
