/* From configuration to results: topology -> routing (and its dependency check) -> traffic -> network
 * -> run -> results. The only place where all parts meet. */
#include "exp/run.h"

#include "exp/facts.h"
#include "net/net.h"
#include "net/watch.h"
#include "route/flow_table.h"
#include "stats/collect.h"
#include "tree/tree.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Steps of the dependency check: enough to follow every pair of a 648-host tree and a 512-node
 * torus; larger networks are sampled, which the report says. */
#define CDG_BUDGET ((uint64_t)1 << 26)

typedef struct world {
    cop_topo topo;
    cop_route route;
    cop_traffic traffic;
    cop_net net;
    uint64_t *inject_bps;
    uint32_t lanes;
    cop_cdg_result cdg;
    cop_tree_watch *trees; /* NULL: not asked for */
} world;

static double cpu_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Put "file:line:column: " before messages of parts that do not know the file. */
static int located(const cop_config *c, const char *option, const cop_err *inner, cop_err *err)
{
    char where[512];
    cop_config_where(c, option, where, sizeof(where));
    return cop_err_add(err, inner->code, "%s: %s", where, inner->text);
}

static const char *option_where(const void *ctx, const char *option, char *buf, size_t size)
{
    return cop_config_where(ctx, option, buf, size);
}

static const char *entry_where(const void *ctx, size_t entry, const char *option, char *buf,
                               size_t size)
{
    char path[96];
    snprintf(path, sizeof(path), "traffic[%zu].%s", entry, option);
    return cop_config_where(ctx, path, buf, size);
}

static int build_topology(world *w, cop_config *c, cop_err *err)
{
    cop_err inner = {0};
    if (c->topo->build(&w->topo, c->topo_cfg, &inner) == 0)
        return 0;
    /* A topology file names itself in its messages. */
    if (strcmp(c->topo->name, "file") == 0)
        return cop_err_add(err, inner.code, "%s", inner.text);
    return located(c, "topology", &inner, err);
}

/* Where switch.lanes is not given: as many lanes as the routing needs, or as links between switches shall
 * have, if that is more. It may use them all, so it is told at once. */
static int init_route(world *w, const cop_config *c, cop_err *err)
{
    const cop_switch_cfg *sw = &c->sw;
    uint32_t most =
        (uint32_t)(sw->trunk_lanes > sw->global_lanes ? sw->trunk_lanes : sw->global_lanes);
    uint32_t lanes = (uint32_t)sw->lanes;
    int rc = cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, lanes, err);
    if (rc == 0 && lanes == 0 && most > w->route.vls) {
        cop_route_fini(&w->route);
        rc = cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, most, err);
    }
    /* Lanes from nic.control_vl on are those of control packets, if data can do without them. */
    int64_t data = c->nic.control_vl;
    if (rc == 0 && data > 0 && data >= w->route.vls && data < lanes) {
        cop_route_fini(&w->route);
        rc = cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, (uint32_t)data, err);
        w->route.lanes = lanes;
    }
    return rc;
}

static uint32_t most_of(uint32_t a, int64_t b)
{
    return b > (int64_t)a ? (uint32_t)b : a;
}

static int build_route(world *w, cop_config *c, cop_err *err)
{
    cop_err inner = {0};
    int rc = init_route(w, c, &inner);
    if (rc)
        return strcmp(c->route->name, "table") == 0 ? cop_err_add(err, inner.code, "%s", inner.text)
                                                    : located(c, "routing", &inner, err);
    w->lanes = w->route.lanes;
    if (!c->sw.lanes) {
        w->lanes = most_of(w->lanes, c->queue->lanes ? c->queue->lanes(c->queue_cfg) : 0);
        w->lanes = most_of(w->lanes, c->sw.host_lanes);
        if (c->nic.control_vl >= 0)
            w->lanes = most_of(w->lanes, c->nic.control_vl + w->route.control_vls);
    }
    w->route.lanes = w->lanes;
    return 0;
}

static const char *cycle_text(world *w, cop_arena *arena)
{
    char *text = cop_arena_strdup(arena, "");
    for (uint32_t i = 0; i < w->cdg.cycle_len && i < 12; i++) {
        char name[64];
        text = cop_arena_printf(arena, "%s%s/vl%u -> ", text,
                                cop_topo_port_name(&w->topo, w->cdg.cycle[i], name, sizeof(name)),
                                w->cdg.cycle_vl[i]);
    }
    return cop_arena_printf(arena, "%s%s", text, w->cdg.cycle_len > 12 ? "..." : "(again)");
}

static int check_routing(world *w, cop_config *c, cop_err *err)
{
    char where[512], src[64], dst[64];
    if ((uint64_t)w->topo.n_ports * w->lanes >= UINT32_MAX)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: %u ports with %u lanes are more channels than fit; use fewer lanes "
                           "or a smaller network",
                           cop_config_where(c, "topology", where, sizeof(where)), w->topo.n_ports,
                           w->lanes);
    cop_cdg_check(&w->route, CDG_BUDGET, &w->cdg);
    cop_config_where(c, "routing", where, sizeof(where));
    if (w->cdg.unreachable)
        return cop_err_add(
            err, COP_E_INPUT, "%s: routing %s does not get from %s to %s; repair the tables", where,
            c->route->name, cop_topo_host_name(&w->topo, w->cdg.bad_src, src, sizeof(src)),
            cop_topo_host_name(&w->topo, w->cdg.bad_dst, dst, sizeof(dst)));
    if (!w->cdg.acyclic && !c->run.allow_deadlock && w->route.patience_ps == 0)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: routing %s has a cycle of channel dependencies and can deadlock: %s; choose "
            "another routing, or set run.allow_deadlock to see it happen",
            where, c->route->name, cycle_text(w, &c->arena));
    return 0;
}

/* No packet may want a lane that its link does not have. */
static int check_classes(world *w, cop_config *c, cop_err *err)
{
    const struct {
        const char *option;
        int64_t lanes;
    } all[COP_LINK_CLASSES] = {[COP_LINK_HOST] = {"switch.host_lanes", c->sw.host_lanes},
                               [COP_LINK_TRUNK] = {"switch.trunk_lanes", c->sw.trunk_lanes},
                               [COP_LINK_GLOBAL] = {"switch.global_lanes", c->sw.global_lanes}};
    char where[512], port[64];
    int rc = 0;
    for (unsigned i = 0; i < COP_LINK_CLASSES; i++)
        if (all[i].lanes != 0 && w->cdg.lanes[i] > (uint64_t)all[i].lanes)
            rc = cop_err_add(err, COP_E_INPUT,
                             "%s: routing %s uses lane %u at %s; give %s at least %u",
                             cop_config_where(c, all[i].option, where, sizeof(where)),
                             c->route->name, w->cdg.lanes[i] - 1,
                             cop_topo_port_name(&w->topo, w->cdg.lane_port[i], port, sizeof(port)),
                             all[i].option, w->cdg.lanes[i]);
    return rc;
}

static int build_traffic(world *w, cop_config *c, cop_err *err)
{
    w->inject_bps = COP_NEW_ARRAY(&c->arena, uint64_t, w->topo.n_hosts);
    for (uint32_t h = 0; h < w->topo.n_hosts; h++) {
        uint64_t link = cop_net_link_rate(&w->topo, &c->link, cop_topo_host_port(&w->topo, h));
        uint64_t limit = c->nic.inject_rate_bps;
        w->inject_bps[h] = limit && limit < link ? limit : link;
    }
    cop_traffic_ctx ctx = {.seed = (uint64_t)c->run.seed,
                           .inject_bps = w->inject_bps,
                           .mtu_bytes = c->nic.mtu_bytes,
                           .duration_ps = c->run.duration_ps,
                           .warmup_ps = c->run.warmup_ps,
                           .where = entry_where,
                           .where_ctx = c};
    int rc = cop_traffic_build(&w->traffic, &w->topo, c->traffic, c->n_traffic, &ctx, err);
    if (rc == 0 && c->run.until == COP_UNTIL_JOBS && w->traffic.app == NULL) {
        char where[512];
        rc = cop_err_add(
            err, COP_E_INPUT,
            "%s: there is no job to wait for; give an entry a `trace` or a `collective`, "
            "or remove `until`",
            cop_config_where(c, "run.until", where, sizeof(where)));
    }
    return rc;
}

static int build_network(world *w, cop_config *c, cop_err *err)
{
    cop_net_parts parts = {.topo = &w->topo,
                           .route = &w->route,
                           .traffic = &w->traffic,
                           .run = &c->run,
                           .link = &c->link,
                           .sw = &c->sw,
                           .fc = &c->fc,
                           .nic = &c->nic,
                           .queue = c->queue,
                           .cc = c->cc,
                           .host = c->host,
                           .queue_cfg = c->queue_cfg,
                           .cc_cfg = c->cc_cfg,
                           .host_cfg = c->host_cfg,
                           .lanes = w->lanes,
                           .where = option_where,
                           .where_ctx = c};
    return cop_net_init(&w->net, &parts, err);
}

static int build_world(world *w, cop_config *c, cop_err *err)
{
    int rc = build_topology(w, c, err);
    if (rc == 0)
        rc = build_route(w, c, err);
    if (rc == 0)
        rc = check_routing(w, c, err);
    if (rc == 0)
        rc = check_classes(w, c, err);
    if (rc == 0)
        rc = build_traffic(w, c, err);
    if (rc == 0)
        rc = build_network(w, c, err);
    return rc;
}

/* Frames of all samples may take so much memory. */
#define MAX_FRAME_BYTES ((uint64_t)1 << 29)

/* Ports without a cable are in no result. */
static void tell_ports(world *w, cop_config *c, const cop_run_hooks *o)
{
    const cop_topo *t = &w->topo;
    const char **name = COP_NEW_ARRAY(&c->arena, const char *, t->n_ports);
    const char **to = COP_NEW_ARRAY(&c->arena, const char *, t->n_ports);
    const char **host = COP_NEW_ARRAY(&c->arena, const char *, t->n_hosts);
    char buf[128];
    cop_run_ports p = {.n_hosts = t->n_hosts,
                       .n_switches = t->n_switches,
                       .name = name,
                       .to = to,
                       .host = host,
                       .topology = c->topo->name,
                       .duration = c->run.duration_ps};
    for (uint32_t h = 0; h < t->n_hosts; h++)
        host[h] = cop_arena_strdup(&c->arena, cop_topo_host_name(t, h, buf, sizeof(buf)));
    for (uint32_t i = 0; i < t->n_ports; i++) {
        if (t->port[i].to == COP_NONE)
            continue;
        name[p.n_ports] = cop_arena_strdup(&c->arena, cop_topo_port_name(t, i, buf, sizeof(buf)));
        to[p.n_ports++] =
            cop_arena_strdup(&c->arena, cop_topo_port_name(t, t->port[i].to, buf, sizeof(buf)));
    }
    o->ports(o->trees_ctx, &p);
}

static int watch_trees(world *w, cop_config *c, const cop_run_hooks *hooks, cop_err *err)
{
    char where[512];
    uint64_t duration = c->run.duration_ps, period = c->run.tree_sample_ps;
    bool automatic = period == 0;
    period = automatic ? cop_max64(4, duration / 100) : period;
    while (cop_tree_frame_bytes(&w->topo, duration / period) > MAX_FRAME_BYTES) {
        if (!automatic)
            return cop_err_add(err, COP_E_INPUT,
                               "%s: run.tree_sample makes %" PRIu64
                               " pictures of %u ports, which is too much to "
                               "keep; make it larger, or leave it out",
                               cop_config_where(c, "run.tree_sample", where, sizeof(where)),
                               duration / period, w->topo.n_ports);
        period *= 2;
    }
    cop_tree_cfg cfg = {.period = period,
                        .thrifty = automatic,
                        .threshold_bytes = c->run.tree_threshold_bytes,
                        .duration = duration};
    w->trees = cop_tree_new(&w->topo, &w->net, &cfg);
    cop_observer o = {.first = cop_tree_first(w->trees), .look = cop_tree_look, .ctx = w->trees};
    cop_net_observe(&w->net, &o);
    if (hooks->ports)
        tell_ports(w, c, hooks);
    if (hooks->trees)
        cop_tree_tell(w->trees, hooks->trees, hooks->trees_ctx);
    return 0;
}

static void free_world(world *w)
{
    cop_tree_free(w->trees);
    if (w->net.topo)
        cop_net_fini(&w->net);
    cop_traffic_free(&w->traffic);
    if (w->route.ops)
        cop_route_fini(&w->route);
    cop_cdg_free(&w->cdg);
    cop_topo_free(&w->topo);
    cop_free(w);
}

/* The main results in flits and cycles, if the run file says what these are. */
static void add_units(const cop_units_cfg *u, cop_result *r)
{
    if (u->cycle_ps == 0)
        return;
    cop_scalar *all = COP_NEW_ARRAY(&r->arena, cop_scalar, (size_t)r->n_scalars + 3);
    memcpy(all, r->scalar, r->n_scalars * sizeof(*all));
    double cycle = (double)u->cycle_ps;
    if (u->flit_bytes > 0) /* Gbit/s are bits per 1000 ps */
        all[r->n_scalars++] =
            (cop_scalar){"throughput_flits", "flit/cycle/node",
                         r->throughput_gbps * cycle / 8000.0 / (double)u->flit_bytes};
    all[r->n_scalars++] =
        (cop_scalar){"latency_cycles.mean", "cycles", cop_hist_mean(r->latency) / cycle};
    all[r->n_scalars++] =
        (cop_scalar){"transit_cycles.mean", "cycles", cop_hist_mean(r->transit) / cycle};
    r->scalar = all;
}

static void collect(world *w, const cop_units_cfg *units, double build_seconds, double cpu_seconds,
                    cop_result *result)
{
    struct rusage usage;
    cop_collect(&w->net, result);
    add_units(units, result);
    if (w->trees != NULL)
        cop_tree_finish(w->trees, result);
    getrusage(RUSAGE_SELF, &usage);
    result->build_seconds = build_seconds;
    result->cpu_seconds = cpu_seconds;
    result->peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

int cop_run(cop_config *c, const cop_run_hooks *o, cop_result *result, cop_err *err)
{
    static const cop_run_hooks quiet = {0};
    world *w = cop_alloc(sizeof(*w));
    double start = cpu_now();
    *result = (cop_result){0};
    if (o == NULL)
        o = &quiet;
    int rc = build_world(w, c, err);
    if (rc == 0 && o->watch)
        rc = cop_watch_init(&w->net, o->watch, o->watch_out, c->run.watch_limit, err);
    if (rc == 0 && o->watch && o->packet)
        cop_watch_tell(&w->net, o->packet, o->packet_ctx);
    if (rc == 0 && c->run.trees)
        rc = watch_trees(w, c, o, err);
    if (rc == 0) {
        double built = cpu_now();
        cop_net_run(&w->net, o->progress, o->progress_ctx);
        double done = cpu_now();
        if (w->net.stop == COP_OUTCOME_FAILED)
            rc = cop_err_add(err, COP_E_STOPPED, "stopped after %.3f us of %.3f us, as asked",
                             (double)w->net.now / 1e6, (double)c->run.duration_ps / 1e6);
        else
            collect(w, &c->units, built - start, done - built, result);
    }
    free_world(w);
    return rc;
}

static void print_facts(world *w, const cop_config *c, FILE *report)
{
    cop_topo_facts facts;
    cop_topo_measure(&w->topo, 256, &facts);
    fprintf(report, "# network: %u hosts, %u switches of up to %u ports, %u cables\n",
            w->topo.n_hosts, w->topo.n_switches, facts.max_ports, facts.cables);
    fprintf(report, "# paths: at most %u switches, %.2f on average\n", facts.diameter,
            facts.mean_switches);
    fprintf(
        report,
        "# routing: %s, %u virtual lane%s, %" PRIu64 " channels, %" PRIu64 " dependencies, %s%s\n",
        c->route->name, w->lanes, w->lanes == 1 ? "" : "s", w->cdg.channels, w->cdg.dependencies,
        w->cdg.acyclic             ? "no cycle"
        : w->route.patience_ps > 0 ? "cyclic: deadlocks are resolved"
                                   : "CYCLIC: can deadlock",
        w->cdg.sampled ? " (checked for a sample of the destinations)" : "");
    cop_print_fabric(&w->route, &c->link, report);
    cop_net_cost cost;
    char ram[32];
    cop_net_port_cost(&w->net, &cost);
    fprintf(report, "# input port: %s of packet memory, %u queues",
            cop_print_bytes(cost.ram_bytes, ram, sizeof(ram)), cost.queues);
    if (cost.control.cam_lines)
        fprintf(report, ", %u CAM lines with %" PRIu64 " CAM and %" PRIu64 " SRAM cells",
                cost.control.cam_lines, cost.control.cam_cells, cost.control.sram_cells);
    fprintf(report, "\n# traffic: %u streams from %zu entries\n", w->traffic.n_streams,
            c->n_traffic);
}

int cop_check_network(cop_config *c, FILE *report, cop_err *err)
{
    world *w = cop_alloc(sizeof(*w));
    int rc = build_world(w, c, err);
    if (rc == 0 && report != NULL)
        print_facts(w, c, report);
    free_world(w);
    return rc;
}

static uint32_t find_switch(const cop_topo *t, const char *name)
{
    char text[64];
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        if (strcmp(cop_topo_switch_name(t, sw, text, sizeof(text)), name) == 0)
            return sw;
    return COP_NONE;
}

static int print_table(const world *w, const char *name, FILE *out, cop_err *err)
{
    uint32_t sw = find_switch(&w->topo, name);
    cop_flow_table table;
    if (sw == COP_NONE)
        return cop_err_add(err, COP_E_INPUT,
                           "--table %s: there is no such switch; they are s0 to s%u, or as their "
                           "file names them",
                           name, w->topo.n_switches - 1);
    if (!cop_flow_table_of(&w->route, sw, &table))
        return cop_err_add(err, COP_E_INPUT,
                           "--table %s: routing %s has no table, as where a packet goes depends on "
                           "more than its input and destination; others have, such as "
                           "qcn-switch or minhop",
                           name, w->route.ops->name);
    cop_flow_print(&w->route, &table, name, out);
    cop_flow_free(&table);
    return 0;
}

int cop_check_table(cop_config *c, const char *name, FILE *out, cop_err *err)
{
    world *w = cop_alloc(sizeof(*w));
    int rc = build_world(w, c, err);
    if (rc == 0)
        rc = print_table(w, name, out, err);
    free_world(w);
    return rc;
}

int cop_look_network(cop_config *c, void (*look)(void *ctx, const struct cop_net *net), void *ctx,
                     cop_err *err)
{
    world *w = cop_alloc(sizeof(*w));
    int rc = build_world(w, c, err);
    if (rc == 0)
        look(ctx, &w->net);
    free_world(w);
    return rc;
}

void cop_result_free(cop_result *r)
{
    cop_arena_free(&r->arena);
}
