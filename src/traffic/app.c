/* Role: make a job of an entry with `trace` or `collective`: its program, where its ranks are (place.c), its streams.
 * Each rank has one stream per NIC. */
#include "app/coll.h"
#include "app/job.h"
#include "app/read.h"
#include "traffic/traffic_priv.h"

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
    rc = traffic_place_ranks(b, cfg, e, g.n_ranks, host);
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
