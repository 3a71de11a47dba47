/* From configuration to results: build (world.h), run, collect. */
#include "exp/run.h"

#include "exp/world.h"
#include "net/watch.h"
#include "stats/collect.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double cpu_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Ports without a cable are in no result. */
static void tell_ports(cop_world *w, cop_config *c, const cop_run_hooks *o)
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
                       .duration = c->run.duration_ps,
                       .units = c->units};
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

/* Frames of all samples may take so much memory. */
#define MAX_FRAME_BYTES ((uint64_t)1 << 29)
/* Of a run that ends with its jobs: first period of samples, and most of them, as it doubles up to 10^16 ps / 100. */
#define SHORTEST_PS ((cop_time)1000000)
#define MOST_SAMPLES 1500

static int watch_trees(cop_world *w, cop_config *c, const cop_run_hooks *hooks, cop_err *err)
{
    char where[512];
    uint64_t duration = c->run.duration_ps, period = c->run.tree_sample_ps;
    bool automatic = period == 0;
    period = automatic ? cop_max64(4, duration / 100) : period;
    bool film = c->run.trees == COP_TREES_YES;
    while (film && cop_tree_frame_bytes(&w->topo, duration / period) > MAX_FRAME_BYTES) {
        if (!automatic)
            return cop_err_add(err, COP_E_INPUT,
                               "%s: run.tree_sample makes %" PRIu64
                               " pictures of %u ports, which is too much to "
                               "keep; make it larger, or leave it out",
                               cop_config_where(c, "run.tree_sample", where, sizeof(where)),
                               duration / period, w->topo.n_ports);
        period *= 2;
    }
    cop_time most = 0; /* jobs may end long before `duration` does */
    if (automatic && c->run.until == COP_UNTIL_JOBS && period > SHORTEST_PS &&
        (!film || cop_tree_frame_bytes(&w->topo, MOST_SAMPLES) <= MAX_FRAME_BYTES))
        for (most = period; period / 2 >= SHORTEST_PS;)
            period /= 2;
    cop_tree_cfg cfg = {.period = period,
                        .most = most,
                        .thrifty = automatic || !film,
                        .film = film,
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

static double scalar_of(const cop_result *r, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    return -1.0;
}

static uint32_t add_cycles(const cop_hist *h, const char *const name[4], double cycle,
                           cop_scalar *all, uint32_t n)
{
    all[n++] = (cop_scalar){name[0], "cycles", cop_hist_mean(h) / cycle};
    all[n++] = (cop_scalar){name[1], "cycles", cop_hist_quantile(h, 0.50) / cycle};
    all[n++] = (cop_scalar){name[2], "cycles", cop_hist_quantile(h, 0.99) / cycle};
    all[n++] = (cop_scalar){name[3], "cycles", h->count ? (double)h->max / cycle : 0.0};
    return n;
}

/* The results of the whole network in flits and cycles, if the run file says what these are. */
static void add_units(const cop_units_cfg *u, cop_result *r)
{
    static const char *const latency[] = {"latency_cycles.mean", "latency_cycles.p50",
                                          "latency_cycles.p99", "latency_cycles.max"};
    static const char *const transit[] = {"transit_cycles.mean", "transit_cycles.p50",
                                          "transit_cycles.p99", "transit_cycles.max"};
    static const char *const rates[][2] = {{"offered_gbps", "offered_flits"},
                                           {"accepted_gbps", "accepted_flits"}};
    if (u->cycle_ps == 0)
        return;
    uint32_t n = r->n_scalars;
    cop_scalar *all = COP_NEW_ARRAY(&r->arena, cop_scalar, (size_t)n + 13);
    memcpy(all, r->scalar, n * sizeof(*all));
    double cycle = (double)u->cycle_ps;
    all[n++] = (cop_scalar){"units.cycle_ns", "ns", cycle / 1e3};
    if (u->flit_bytes > 0) {
        all[n++] = (cop_scalar){"units.flit_bytes", "bytes", (double)u->flit_bytes};
        double flits = cop_units_flits_per_cycle(u);
        all[n++] = (cop_scalar){"throughput_flits", "flit/cycle/node", r->throughput_gbps * flits};
        for (size_t i = 0; i < COP_LEN(rates); i++) {
            double gbps = scalar_of(r, r->n_scalars, rates[i][0]);
            if (gbps >= 0.0 && r->n_hosts > 0)
                all[n++] = (cop_scalar){rates[i][1], "flit/cycle/node", gbps * flits / r->n_hosts};
        }
    }
    n = add_cycles(r->latency, latency, cycle, all, n);
    n = add_cycles(r->transit, transit, cycle, all, n);
    r->scalar = all;
    r->n_scalars = n;
}

static void collect(cop_world *w, const cop_units_cfg *units, double build_seconds,
                    double cpu_seconds, cop_result *result)
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
    cop_world *w = cop_alloc(sizeof(*w));
    double start = cpu_now();
    *result = (cop_result){0};
    if (o == NULL)
        o = &quiet;
    int rc = cop_world_build(w, c, err);
    if (rc == 0 && o->watch)
        rc = cop_watch_init(&w->net, o->watch, o->watch_out, c->run.watch_limit, err);
    if (rc == 0 && o->watch && o->packet)
        cop_watch_tell(&w->net, o->packet, o->packet_ctx);
    if (rc == 0 &&
        (c->run.trees == COP_TREES_YES || (c->run.trees == COP_TREES_AUTO && !o->only_asked)))
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
    cop_world_free(w);
    return rc;
}

void cop_result_free(cop_result *r)
{
    cop_arena_free(&r->arena);
}
