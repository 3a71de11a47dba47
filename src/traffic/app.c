/* Role: make a job of an entry with `trace` or `collective`: its program, where its ranks are, its streams.
 * Rules: the hosts of `from`, in the order of their numbers (rail-tree: server by server), are seats: `nics` neighbours each, for
 *   `ranks_per_host` ranks. Ranks fill seats in the order that `placement` says:
 *     linear   as they are
 *     random   drawn by the seed
 *     spread   one of each group in turn
 *     groups   group after group, the order of groups drawn by the seed
 *     file     as `placement_file` says: a line per rank with its host, or `nics` of them
 *   A group is `group_size` hosts: a group of the dragonfly, else the hosts of one switch.
 * Each rank has one stream per NIC. */
#include "app/coll.h"
#include "app/job.h"
#include "app/read.h"
#include "base/file.h"
#include "traffic/traffic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLACEMENT_BYTES ((size_t)1 << 28)
#define MAX_GENERATED (UINT64_C(1) << 28) /* operations of a generated program */

bool traffic_is_app(const cop_traffic_cfg *cfg)
{
    return cfg->trace[0] != '\0' || cfg->collective != COP_COLL_NONE;
}

static int check(traffic_build *b, const cop_traffic_cfg *cfg)
{
    if (cfg->trace[0] != '\0' && cfg->collective != COP_COLL_NONE)
        return traffic_fault(b, "collective",
                             "an entry has a `trace` or a `collective`; remove one");
    if (cfg->pattern != COP_PATTERN_UNIFORM)
        return traffic_fault(b, "pattern", "a job knows who sends to whom; remove `pattern`");
    if (cfg->arrival != COP_ARRIVAL_SATURATED)
        return traffic_fault(b, "arrival", "a job knows when to send; remove `arrival`");
    if (cfg->exchange != COP_EXCHANGE_NONE)
        return traffic_fault(b, "exchange",
                             "an entry is a job or an `exchange`; use an entry for each");
    if (cfg->collective != COP_COLL_NONE && cfg->bytes_scale != 1.0)
        return traffic_fault(b, "bytes_scale", "a collective has `message`; remove `bytes_scale`");
    if (cfg->active.n > 0)
        return traffic_fault(b, "active", "a job begins once; use `start`");
    if (cfg->patience_ps != 0)
        return traffic_fault(b, "patience", "a job gives nothing up; remove `patience`");
    if ((cfg->placement == COP_PLACE_FILE) != (cfg->placement_file[0] != '\0'))
        return traffic_fault(b, "placement",
                             "`placement: file` and `placement_file` belong "
                             "together; give both or none");
    return 0;
}

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

static int read_places(traffic_build *b, const cop_traffic_cfg *cfg, uint32_t n_ranks,
                       uint32_t *host)
{
    char *text;
    size_t len, at = 0;
    uint64_t want = (uint64_t)n_ranks * (uint64_t)cfg->nics, got = 0;
    unsigned line = 1;
    cop_err inner = {0};
    if (cop_file_read(cfg->placement_file, MAX_PLACEMENT_BYTES, &text, &len, &inner) != 0)
        return cop_err_add(b->err, inner.code, "%s", inner.text);
    int rc = 0;
    while (at < len && rc == 0) {
        char word[64];
        size_t n = 0;
        while (at < len && text[at] != '\0' && strchr(" \t\r\n,", text[at]) != NULL)
            line += text[at++] == '\n';
        if (at < len && text[at] == '#') {
            while (at < len && text[at] != '\n')
                at++;
            continue;
        }
        while (at + n < len && (text[at + n] == '\0' || strchr(" \t\r\n,", text[at + n]) == NULL))
            n++;
        if (n == 0)
            continue;
        snprintf(word, sizeof(word), "%.*s", (int)(n < 60 ? n : 60), text + at);
        at += n;
        uint32_t h = traffic_named_host(b->topo, word);
        int64_t number;
        if (h == COP_NONE && cop_parse_int(word, &number, NULL) == 0 && number >= 0 &&
            number < b->topo->n_hosts)
            h = (uint32_t)number;
        char shown[64];
        if (h == COP_NONE)
            rc = cop_err_add(b->err, COP_E_INPUT, "%s:%u: host `%s`; give one from 0 to %u",
                             cfg->placement_file, line, cop_excerpt(word, shown, sizeof(shown)),
                             b->topo->n_hosts - 1);
        else if (got == want)
            rc = cop_err_add(b->err, COP_E_INPUT,
                             "%s:%u: more hosts than the %u ranks need; remove some",
                             cfg->placement_file, line, n_ranks);
        else
            host[got++] = h;
    }
    if (rc == 0 && got < want)
        rc = cop_err_add(b->err, COP_E_INPUT,
                         "%s:%u: has %" PRIu64 " hosts; give %" PRIu64 ", %" PRIu64
                         " for each of the %u ranks",
                         cfg->placement_file, line, got, want, (uint64_t)cfg->nics, n_ranks);
    cop_free(text);
    return rc;
}

static int place(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
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

/* -- programs -- */

static int generate(traffic_build *b, const cop_traffic_cfg *cfg, const traffic_entry *e,
                    cop_graph *g)
{
    uint64_t room = (uint64_t)(e->n_src / (uint32_t)cfg->nics) * (uint64_t)cfg->ranks_per_host;
    uint64_t ranks = cfg->ranks > 0 ? (uint64_t)cfg->ranks : room;
    if (ranks == 0 || ranks > COP_GRAPH_MAX_RANKS)
        return traffic_fault(b, "ranks", "%" PRIu64 " ranks; give 1 to %u", ranks,
                             COP_GRAPH_MAX_RANKS);
    if ((uint64_t)cfg->root >= ranks)
        return traffic_fault(b, "root", "root %" PRId64 " of %" PRIu64 " ranks; give 0 to %" PRIu64,
                             cfg->root, ranks, ranks - 1);
    cop_coll_cfg coll = {.kind = (enum cop_collective)cfg->collective,
                         .ranks = (uint32_t)ranks,
                         .repeat = (uint32_t)cfg->repeat,
                         .root = (uint32_t)cfg->root,
                         .bytes = cfg->message_bytes,
                         .compute_ps = cfg->think_ps,
                         .reduce_bps = cfg->reduce_rate_bps};
    uint64_t ops = cop_coll_operations(&coll);
    if (ops > MAX_GENERATED || ops * sizeof(cop_op) * 2 > cop_machine_bytes())
        return traffic_fault(b, "collective",
                             "this would be %" PRIu64 " operations or more, which do not fit; use "
                             "fewer ranks or repetitions, or another algorithm",
                             ops);
    return cop_coll_program(g, &coll, b->err);
}

/* Messages of another size: both ends of one are rounded alike. */
static int scale_bytes(traffic_build *b, double scale, cop_graph *g)
{
    for (uint32_t i = 0; i < g->n_ops && scale != 1.0; i++) {
        cop_op *op = &g->op[i];
        if ((op->kind != COP_OP_SEND && op->kind != COP_OP_RECV) || op->size == 0)
            continue;
        double bytes = (double)op->size * scale + 0.5;
        if (bytes >= (double)COP_MESSAGE_MAX_BYTES)
            return traffic_fault(b, "bytes_scale",
                                 "a message of %" PRIu64 " bytes would have more than %" PRIu64
                                 "; give a smaller factor",
                                 op->size, COP_MESSAGE_MAX_BYTES);
        op->size = bytes < 1.0 ? 1 : (uint64_t)bytes;
    }
    return 0;
}

static int load(traffic_build *b, const cop_traffic_cfg *cfg, cop_graph *g)
{
    cop_read_cfg how;
    cop_read_defaults(&how);
    how.calc_unit_ps = cfg->calc_unit_ps;
    if (cop_read_program(g, cfg->trace, &how, NULL, b->err) != 0)
        return -COP_E_INPUT;
    if (cfg->ranks > 0 && (uint64_t)cfg->ranks != g->n_ranks) {
        uint32_t has = g->n_ranks;
        cop_graph_free(g);
        return traffic_fault(b, "ranks", "the trace has %u ranks; remove `ranks`", has);
    }
    if (scale_bytes(b, cfg->bytes_scale, g) != 0) {
        cop_graph_free(g);
        return -COP_E_INPUT;
    }
    return 0;
}

static void add_streams(traffic_build *b, const cop_traffic_cfg *cfg, uint32_t job)
{
    cop_app *a = b->tr->app;
    uint32_t first, n = cop_app_boxes(a, job, &first);
    uint32_t nics = (uint32_t)cfg->nics;
    for (uint32_t i = 0; i < n; i++) {
        cop_stream s = {.host = cop_app_rank_host(a, job, i / nics, i % nics),
                        .entry = b->at,
                        .fixed_dst = COP_NONE,
                        .sl = (uint8_t)cfg->sl,
                        .part = COP_PART_WHOLE,
                        .dest = DEST_FIXED,
                        .gen = GEN_APP,
                        .aux = first + i,
                        .t_next = COP_NEVER,
                        .t_stop = cop_min64(cfg->stop_ps, b->ctx->duration_ps),
                        .t_phase = COP_NEVER};
        b->stream = cop_grow(b->stream, &b->cap_streams, b->n_streams + 1, sizeof(s));
        b->stream[b->n_streams++] = s;
    }
}

static uint64_t per_byte(uint64_t bps)
{
    return bps == 0 ? 0 : (8 * COP_SECOND + bps / 2) / bps;
}

int traffic_app_build(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    cop_graph g = {0};
    if (check(b, cfg) != 0)
        return -COP_E_INPUT;
    int rc = cfg->trace[0] != '\0' ? load(b, cfg, &g) : generate(b, cfg, e, &g);
    if (rc != 0)
        return rc;
    if (b->tr->app == NULL)
        b->tr->app = cop_app_new();
    uint64_t total = (uint64_t)cop_app_total_ranks(b->tr->app) + g.n_ranks;
    if (total >= (1u << 28) || (uint64_t)g.n_ranks * (uint64_t)cfg->nics >= (1u << 28)) {
        cop_graph_free(&g);
        return traffic_fault(b, "ranks", "%" PRIu64 " ranks in all; use fewer", total);
    }
    uint32_t *host = cop_alloc_array(cop_product(g.n_ranks, (size_t)cfg->nics), sizeof(*host));
    rc = place(b, cfg, e, g.n_ranks, host);
    if (rc == 0) {
        cop_job_cfg job = {.start = cfg->start_ps,
                           .stop = cfg->stop_ps,
                           .overhead_ps = cfg->overhead_ps,
                           .overhead_byte_ps = cfg->overhead_byte_ps,
                           .gap_ps = cfg->gap_ps,
                           .gap_byte_ps = cfg->gap_byte_ps,
                           .eager_bytes = cfg->eager_bytes == 0 ? UINT64_MAX : cfg->eager_bytes,
                           .request_bytes = (uint32_t)cfg->request_bytes,
                           .local_ps = cfg->local_latency_ps,
                           .local_byte_ps = per_byte(cfg->local_rate_bps),
                           .compute_scale = cfg->compute_scale,
                           .nics = (uint32_t)cfg->nics,
                           .sl = (uint8_t)cfg->sl};
        add_streams(b, cfg, cop_app_add(b->tr->app, &g, b->tr->entry_name[b->at], &job, host));
    } else {
        cop_graph_free(&g);
    }
    cop_free(host);
    return rc;
}

void traffic_app_start(traffic_build *b)
{
    cop_traffic *tr = b->tr;
    for (uint32_t s = 0; s < tr->n_streams && tr->app != NULL; s++)
        if (tr->stream[s].gen == GEN_APP)
            cop_app_attach(tr->app, tr->stream, tr->stream[s].aux, s);
}
