/* The public interface (include/coppice.h) on top of config, run and store.
 *
 * Role     opaque handles, copies of what the caller gives, no printing.
 * State    a configuration keeps its text and its overrides and is loaded anew by each check and
 *          run, because an override can repair or break what the file says. A result keeps what the
 *          database wants to know about its configuration.
 * Names    of single numbers are those of the table `scalar`; tests compare both. */
#include "coppice.h"

#include "exp/run.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

#ifndef COP_VERSION
#define COP_VERSION "0.1.0"
#endif

struct coppice_config {
    cop_arena arena; /* owns file, text and the overrides' text */
    const char *file, *text; /* text NULL: the file is read */
    cop_override *set; /* heap */
    size_t n_set, cap_set;
    char *effective; /* heap; NULL: no good check or run yet */
    cop_err err; /* of the last check or run */
};

struct coppice_result {
    cop_result r;
    cop_arena arena; /* owns the strings of `meta`, and `scalar` */
    cop_store_meta meta;
    cop_scalar *scalar;
    size_t n_scalars;
    cop_err err; /* of the last store */
};

_Static_assert((int)COPPICE_OK == (int)COP_OUTCOME_OK &&
                   (int)COPPICE_DEADLOCK == (int)COP_OUTCOME_DEADLOCK &&
                   (int)COPPICE_LOSS == (int)COP_OUTCOME_LOSS &&
                   (int)COPPICE_BROKEN == (int)COP_OUTCOME_BROKEN,
               "outcomes have the same numbers inside and outside");

const char *coppice_version(void)
{
    return COP_VERSION;
}

/* -- configurations -- */

static coppice_config *open_config(const char *file, const char *text)
{
    coppice_config *c = cop_alloc(sizeof(*c));
    c->file = cop_arena_strdup(&c->arena, file);
    c->text = text ? cop_arena_strdup(&c->arena, text) : NULL;
    return c;
}

coppice_config *coppice_open(const char *file)
{
    return open_config(file, NULL);
}

coppice_config *coppice_open_text(const char *name, const char *text)
{
    return open_config(name, text);
}

void coppice_close(coppice_config *c)
{
    if (c == NULL)
        return;
    cop_free(c->set);
    cop_free(c->effective);
    cop_arena_free(&c->arena);
    cop_free(c);
}

void coppice_set(coppice_config *c, const char *assignment)
{
    c->set = cop_grow(c->set, &c->cap_set, c->n_set + 1, sizeof(*c->set));
    c->set[c->n_set++].text = cop_arena_strdup(&c->arena, assignment);
}

/* Load into *loaded and keep the effective text for the caller. */
static int load(coppice_config *c, cop_config *loaded)
{
    c->err = (cop_err){0};
    int rc = cop_config_load(loaded, c->file, c->text, c->set, c->n_set, &c->err);
    if (rc != 0)
        return rc;
    const char *text = cop_config_print(loaded);
    cop_free(c->effective);
    c->effective = cop_alloc(strlen(text) + 1);
    strcpy(c->effective, text);
    return 0;
}

/* After a fault there is no effective text: it would be that of a network that cannot be built. */
static int unload(coppice_config *c, cop_config *loaded, int rc)
{
    if (rc != 0) {
        cop_free(c->effective);
        c->effective = NULL;
    }
    cop_config_free(loaded);
    return rc == 0 ? 0 : -1;
}

int coppice_check(coppice_config *c)
{
    cop_config loaded = {0};
    int rc = load(c, &loaded);
    if (rc == 0) {
        char *facts = NULL; /* for people; `coppice check` prints them */
        size_t size = 0;
        FILE *report = open_memstream(&facts, &size);
        COP_CHECK(report != NULL);
        rc = cop_check_network(&loaded, report, &c->err);
        fclose(report);
        cop_free(facts);
    }
    return unload(c, &loaded, rc);
}

const char *coppice_text(const coppice_config *c)
{
    return c->effective;
}

const char *coppice_error(const coppice_config *c)
{
    return c->err.text;
}

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

static void collect_scalars(coppice_result *p)
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

/* -- runs -- */

static void remember_config(coppice_result *p, cop_config *loaded, uint64_t hash)
{
    p->meta = (cop_store_meta){.name = cop_arena_strdup(&p->arena, loaded->name),
                               .title = cop_arena_strdup(&p->arena, loaded->title),
                               .config_text = cop_arena_strdup(&p->arena, cop_config_print(loaded)),
                               .version = COP_VERSION,
                               .model = cop_model_id(),
                               .seed = loaded->run.seed,
                               .config_hash = hash};
}

coppice_result *coppice_run(coppice_config *c)
{
    cop_config loaded = {0};
    coppice_result *p = NULL;
    uint64_t hash = 0;
    int rc = load(c, &loaded);
    if (rc == 0) {
        p = cop_alloc(sizeof(*p));
        hash = cop_config_hash(&loaded); /* of files as they are now, not when the run has ended */
        rc = cop_run(&loaded, NULL, &p->r, &c->err);
    }
    if (rc == 0) {
        remember_config(p, &loaded, hash);
        collect_scalars(p);
    } else {
        cop_free(p);
        p = NULL;
    }
    unload(c, &loaded, rc);
    return p;
}

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

/* A number past the last is a fault of the caller that must not go unnoticed. */
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

/* -- storing -- */

int64_t coppice_store(coppice_result *p, const char *db)
{
    int64_t id = 0;
    p->err = (cop_err){0};
    return cop_store_run(db, &p->meta, &p->r, &id, &p->err) == 0 ? id : -1;
}

const char *coppice_store_error(const coppice_result *p)
{
    return p->err.text;
}
