/* The public interface to results (include/coppice.h): numbers, series, streams, ports, storing.
 *
 * Names    of single numbers are those of the table `scalar`; tests compare both.
 * Bounds   a number past the last is a fault of the caller that must not go unnoticed. */
#include "exp/api_int.h"

#include <math.h>
#include <string.h>

/* -- single numbers -- */

static void add_scalar(coppice_result *p, const char *name, const char *unit, double value)
{
    p->scalar[p->n_scalars++] = (cop_scalar){.name = name, .unit = unit, .value = value};
}

static void add_times(coppice_result *p, const char *prefix, const cop_hist *h)
{
    const struct {
        const char *part;
        double ps;
    } all[] = {{"mean", cop_hist_mean(h)},
               {"min", (double)h->min},
               {"p50", cop_hist_quantile(h, 0.5)},
               {"p99", cop_hist_quantile(h, 0.99)},
               {"max", (double)h->max}};
    add_scalar(p, cop_arena_printf(&p->arena, "%s.count", prefix), "packets", (double)h->count);
    for (size_t i = 0; i < COP_LEN(all); i++)
        add_scalar(p, cop_arena_printf(&p->arena, "%s.%s", prefix, all[i].part), "ns",
                   h->count ? all[i].ps / 1e3 : NAN);
}

#define MAIN_SCALARS 30 /* room for those below; the extras of plug-ins follow */

void cop_api_scalars(coppice_result *p)
{
    const cop_result *r = &p->r;
    p->scalar = COP_NEW_ARRAY(&p->arena, cop_scalar, MAIN_SCALARS + r->n_scalars);
    add_scalar(p, "packets_injected", "packets", (double)r->packets_injected);
    add_scalar(p, "packets_delivered", "packets", (double)r->packets_delivered);
    add_scalar(p, "packets_in_flight", "packets", (double)r->packets_in_flight);
    add_scalar(p, "packets_lost", "packets", (double)r->packets_lost);
    add_scalar(p, "bytes_injected", "bytes", (double)r->bytes_injected);
    add_scalar(p, "bytes_delivered", "bytes", (double)r->bytes_delivered);
    add_scalar(p, "credits_missing", "credits", (double)r->credits_missing);
    add_scalar(p, "throughput_gbps", "Gbit/s", r->throughput_gbps);
    add_scalar(p, "throughput_total_gbps", "Gbit/s", r->throughput_total_gbps);
    add_times(p, "latency_ns", r->latency);
    add_times(p, "transit_ns", r->transit);
    add_scalar(p, "little.mean_in_network", "packets", r->little_mean_in_network);
    add_scalar(p, "little.rate_times_latency", "packets", r->little_rate_times_latency);
    add_scalar(p, "sim_time_ns", "ns", (double)r->sim_time / 1e3);
    add_scalar(p, "events", "events", (double)r->events);
    add_scalar(p, "packet_hops", "packets", (double)r->packet_hops);
    add_scalar(p, "cpu_seconds", "s", r->cpu_seconds);
    add_scalar(p, "build_seconds", "s", r->build_seconds);
    add_scalar(p, "packet_hops_per_cpu_second", "1/s",
               r->cpu_seconds > 0.0 ? (double)r->packet_hops / r->cpu_seconds : NAN);
    add_scalar(p, "peak_rss_bytes", "bytes", (double)r->peak_rss_bytes);
    COP_CHECK(p->n_scalars <= MAIN_SCALARS);
    for (uint32_t i = 0; i < r->n_scalars; i++)
        add_scalar(p, r->scalar[i].name, r->scalar[i].unit, r->scalar[i].value);
}

double coppice_scalar(const coppice_result *p, const char *name)
{
    for (size_t i = 0; i < p->n_scalars; i++)
        if (strcmp(p->scalar[i].name, name) == 0)
            return p->scalar[i].value;
    return NAN;
}

const char *coppice_scalar_name(const coppice_result *p, size_t i)
{
    return i < p->n_scalars ? p->scalar[i].name : NULL;
}

const char *coppice_scalar_unit(const coppice_result *p, size_t i)
{
    return i < p->n_scalars ? p->scalar[i].unit : NULL;
}

/* -- the result -- */

void coppice_free(coppice_result *p)
{
    if (p == NULL)
        return;
    cop_result_free(&p->r);
    cop_arena_free(&p->arena);
    cop_free(p);
}

enum coppice_outcome coppice_outcome(const coppice_result *p)
{
    return (enum coppice_outcome)p->r.outcome;
}

const char *coppice_detail(const coppice_result *p)
{
    return p->r.detail ? p->r.detail : "";
}

uint64_t coppice_hash(const coppice_result *p)
{
    return p->r.run_hash;
}

/* -- series -- */

const double *coppice_series(const coppice_result *p, const char *name, size_t *n)
{
    if (n != NULL)
        *n = 0;
    for (uint32_t i = 0; i < p->r.n_series; i++) {
        if (strcmp(p->r.series[i].name, name) != 0)
            continue;
        if (n != NULL)
            *n = p->r.series[i].n;
        return p->r.series[i].v;
    }
    return NULL;
}

const char *coppice_series_name(const coppice_result *p, size_t i)
{
    return i < p->r.n_series ? p->r.series[i].name : NULL;
}

const char *coppice_series_unit(const coppice_result *p, size_t i)
{
    return i < p->r.n_series ? p->r.series[i].unit : NULL;
}

double coppice_sample_ns(const coppice_result *p)
{
    return (double)p->r.sample / 1e3;
}

/* -- streams -- */

static const cop_stream_result *stream_at(const coppice_result *p, size_t i)
{
    COP_CHECK(i < p->r.n_streams);
    return &p->r.stream[i];
}

size_t coppice_stream_count(const coppice_result *p)
{
    return p->r.n_streams;
}

int64_t coppice_stream_find(const coppice_result *p, const char *entry)
{
    for (uint32_t i = 0; i < p->r.n_streams; i++)
        if (strcmp(p->r.stream[i].entry, entry) == 0)
            return (int64_t)i;
    return -1;
}

const char *coppice_stream_entry(const coppice_result *p, size_t i)
{
    return stream_at(p, i)->entry;
}

int64_t coppice_stream_host(const coppice_result *p, size_t i)
{
    return (int64_t)stream_at(p, i)->host;
}

int64_t coppice_stream_dst(const coppice_result *p, size_t i)
{
    uint32_t dst = stream_at(p, i)->dst;
    return dst == COP_NONE ? -1 : (int64_t)dst;
}

double coppice_stream_gbps(const coppice_result *p, size_t i)
{
    return stream_at(p, i)->gbps;
}

double coppice_stream_latency_ns(const coppice_result *p, size_t i)
{
    return stream_at(p, i)->latency_mean_ns;
}

uint64_t coppice_stream_sent_bytes(const coppice_result *p, size_t i)
{
    return stream_at(p, i)->sent_bytes;
}

uint64_t coppice_stream_delivered_bytes(const coppice_result *p, size_t i)
{
    return stream_at(p, i)->delivered_bytes;
}

/* -- ports -- */

static const cop_port_result *port_at(const coppice_result *p, size_t i)
{
    COP_CHECK(i < p->r.n_ports);
    return &p->r.port[i];
}

size_t coppice_port_count(const coppice_result *p)
{
    return p->r.n_ports;
}

int64_t coppice_port_find(const coppice_result *p, const char *name)
{
    for (uint32_t i = 0; i < p->r.n_ports; i++)
        if (strcmp(p->r.port[i].name, name) == 0)
            return (int64_t)i;
    return -1;
}

const char *coppice_port_name(const coppice_result *p, size_t i)
{
    return port_at(p, i)->name;
}

const char *coppice_port_to(const coppice_result *p, size_t i)
{
    return port_at(p, i)->to;
}

double coppice_port_utilisation(const coppice_result *p, size_t i)
{
    return port_at(p, i)->utilisation;
}

double coppice_port_mean_queue_bytes(const coppice_result *p, size_t i)
{
    return port_at(p, i)->mean_queue_bytes;
}

uint64_t coppice_port_max_queue_bytes(const coppice_result *p, size_t i)
{
    return port_at(p, i)->max_queue_bytes;
}

/* -- storing -- */

typedef struct storing {
    coppice_result *p;
    const char *db;
    int64_t id;
    int rc;
} storing;

static void store(void *ctx)
{
    storing *s = ctx;
    s->rc = cop_store_run(s->db, &s->p->meta, &s->p->r, &s->id, &s->p->err);
}

int64_t coppice_store(coppice_result *p, const char *db)
{
    storing s = {.p = p, .db = db};
    p->err = (cop_err){0};
    if (!cop_api_guard(store, &s)) {
        cop_api_no_memory(&p->err);
        return -1;
    }
    return s.rc == 0 ? s.id : -1;
}

const char *coppice_store_error(const coppice_result *p)
{
    return p->err.text;
}

enum coppice_fault coppice_store_fault(const coppice_result *p)
{
    return (enum coppice_fault)p->err.code;
}
