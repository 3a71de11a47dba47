/* A result as one JSON object. Its keys are a contract: others' scripts read them. */
#include "build_info.h"
#include "exp/run.h"
#include "show.h"

#include <jansson.h>
#include <math.h>

/* JSON has no NaN. */
static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *count(uint64_t v)
{
    return json_integer((json_int_t)v);
}

static json_t *string(const char *s)
{
    json_t *j = s ? json_string(s) : NULL;
    return j ? j : json_null();
}

static json_t *latency_object(const cop_hist *h)
{
    json_t *o = json_object();
    bool any = h != NULL && h->count > 0;
    json_object_set_new(o, "count", count(any ? h->count : 0));
    json_object_set_new(o, "mean", real(any ? cop_hist_mean(h) / 1e3 : NAN));
    json_object_set_new(o, "min", real(any ? (double)h->min / 1e3 : NAN));
    json_object_set_new(o, "p50", real(any ? cop_hist_quantile(h, 0.50) / 1e3 : NAN));
    json_object_set_new(o, "p99", real(any ? cop_hist_quantile(h, 0.99) / 1e3 : NAN));
    json_object_set_new(o, "max", real(any ? (double)h->max / 1e3 : NAN));
    return o;
}

static json_t *stream_list(const cop_result *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const cop_stream_result *s = &r->stream[i];
        json_t *o = json_object();
        json_object_set_new(o, "entry", string(s->entry));
        json_object_set_new(o, "host", count(s->host));
        json_object_set_new(o, "dst", s->dst == COP_NONE ? json_null() : count(s->dst));
        json_object_set_new(o, "gbps", real(s->gbps));
        json_object_set_new(o, "latency_mean_ns", real(s->packets ? s->latency_mean_ns : NAN));
        json_object_set_new(o, "packets", count(s->packets));
        json_object_set_new(o, "sent_bytes", count(s->sent_bytes));
        json_object_set_new(o, "delivered_bytes", count(s->delivered_bytes));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *node_list(const cop_result *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        const cop_node_result *n = &r->node[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", string(n->name));
        json_object_set_new(o, "sent_gbps", real(n->sent_gbps));
        json_object_set_new(o, "received_gbps", real(n->received_gbps));
        json_object_set_new(o, "sent_bytes", count(n->sent_bytes));
        json_object_set_new(o, "received_bytes", count(n->received_bytes));
        json_object_set_new(o, "role", string(n->role));
        json_object_set_new(o, "hotspot", real(n->hotspot));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *scalar_object(const cop_result *r)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < r->n_scalars; i++)
        json_object_set_new(o, r->scalar[i].name, real(r->scalar[i].value));
    return o;
}

static json_t *series_list(const cop_result *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->n_series; i++) {
        const cop_series *s = &r->series[i];
        json_t *o = json_object(), *values = json_array();
        for (uint32_t k = 0; k < s->n; k++)
            json_array_append_new(values, real(s->v[k]));
        json_object_set_new(o, "name", string(s->name));
        json_object_set_new(o, "unit", string(s->unit));
        json_object_set_new(o, "sample_ns", real((double)r->sample / 1e3));
        json_object_set_new(o, "values", values);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *port_text(const cop_result *r, uint32_t port, bool to)
{
    return string(port < r->n_ports ? (to ? r->port[port].to : r->port[port].name) : NULL);
}

static json_t *root_list(const cop_result *r, const cop_tree_result *t)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->n_roots; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "port", count(t->root[i].port));
        json_object_set_new(o, "name", port_text(r, t->root[i].port, false));
        json_object_set_new(o, "to", port_text(r, t->root[i].port, true));
        json_object_set_new(o, "begin_ns", real((double)t->root[i].begin / 1e3));
        json_object_set_new(o, "end_ns", real((double)t->root[i].end / 1e3));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *tree_list(const cop_result *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->n_trees; i++) {
        const cop_tree_result *t = &r->tree[i];
        uint32_t root = t->root[t->n_roots - 1].port;
        json_t *o = json_object();
        json_object_set_new(o, "tree", count(i + 1));
        json_object_set_new(o, "root_port", count(root));
        json_object_set_new(o, "root", port_text(r, root, false));
        json_object_set_new(o, "root_to", port_text(r, root, true));
        json_object_set_new(o, "begin_ns", real((double)t->begin / 1e3));
        json_object_set_new(o, "end_ns", real((double)t->end / 1e3));
        json_object_set_new(o, "samples", count(t->samples));
        json_object_set_new(o, "links", count(t->links));
        json_object_set_new(o, "depth", count(t->depth));
        json_object_set_new(o, "contributors", t->counted ? count(t->contributors) : json_null());
        json_object_set_new(o, "victims", t->counted ? count(t->victims) : json_null());
        json_object_set_new(o, "loss", real(t->loss));
        json_object_set_new(o, "bytes_mean", real(t->bytes_mean));
        json_object_set_new(o, "bytes_max", count(t->bytes_max));
        json_object_set_new(o, "similarity", real(t->similarity));
        json_object_set_new(o, "overlap", real(t->overlap));
        json_object_set_new(o, "contributor_overlap", real(t->contributor_overlap));
        json_object_set_new(o, "moves", count(t->n_roots - 1));
        json_object_set_new(o, "kind", string(cop_tree_kind_name((int)t->kind)));
        json_object_set_new(o, "roots", root_list(r, t));
        json_array_append_new(list, o);
    }
    return list;
}

/* What it takes to make the result again. */
static void add_origin(json_t *o, cop_config *c)
{
    json_object_set_new(o, "version", string(COP_VERSION));
    json_object_set_new(o, "commit", string(cop_build_commit));
    json_object_set_new(o, "model", string(cop_model_id()));
    json_object_set_new(o, "name", string(c->name));
    json_object_set_new(o, "seed", json_integer(c->run.seed));
    json_object_set_new(o, "configuration", string(cop_config_print(c)));
}

static json_t *little_object(const cop_result *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "mean_in_network", real(r->little_mean_in_network));
    json_object_set_new(o, "rate_times_latency", real(r->little_rate_times_latency));
    return o;
}

static void add_numbers(json_t *o, const cop_result *r)
{
    double rate = r->cpu_seconds > 0 ? (double)r->packet_hops / r->cpu_seconds : 0;
    json_object_set_new(o, "packets_injected", count(r->packets_injected));
    json_object_set_new(o, "packets_delivered", count(r->packets_delivered));
    json_object_set_new(o, "packets_in_flight", count(r->packets_in_flight));
    json_object_set_new(o, "packets_lost", count(r->packets_lost));
    json_object_set_new(o, "bytes_injected", count(r->bytes_injected));
    json_object_set_new(o, "bytes_delivered", count(r->bytes_delivered));
    json_object_set_new(o, "credits_missing", count(r->credits_missing));
    json_object_set_new(o, "throughput_gbps", real(r->throughput_gbps));
    json_object_set_new(o, "throughput_total_gbps", real(r->throughput_total_gbps));
    json_object_set_new(o, "latency_ns", latency_object(r->latency));
    json_object_set_new(o, "transit_ns", latency_object(r->transit));
    json_object_set_new(o, "little", little_object(r));
    json_object_set_new(o, "sim_time_ns", real((double)r->sim_time / 1e3));
    json_object_set_new(o, "events", count(r->events));
    json_object_set_new(o, "packet_hops", count(r->packet_hops));
    json_object_set_new(o, "cpu_seconds", real(r->cpu_seconds));
    json_object_set_new(o, "build_seconds", real(r->build_seconds));
    json_object_set_new(o, "packet_hops_per_cpu_second", real(rate));
    json_object_set_new(o, "peak_rss_bytes", count(r->peak_rss_bytes));
}

int cop_show_json(FILE *out, cop_config *c, const cop_result *r)
{
    char hash[24];
    snprintf(hash, sizeof(hash), "%016" PRIx64, r->run_hash);
    json_t *o = json_object();
    add_origin(o, c);
    json_object_set_new(o, "outcome", string(cop_outcome_name((int)r->outcome)));
    json_object_set_new(o, "detail", string(r->detail));
    add_numbers(o, r);
    json_object_set_new(o, "run_hash", string(hash));
    json_object_set_new(o, "scalars", scalar_object(r));
    json_object_set_new(o, "streams", stream_list(r));
    json_object_set_new(o, "nodes", node_list(r));
    json_object_set_new(o, "series", series_list(r));
    json_t *rested = json_array();
    for (uint32_t i = 0; i < r->n_rested; i++)
        json_array_append_new(rested, string(r->rested[i]));
    json_object_set_new(o, "rested", rested);
    if (r->trees_asked) {
        json_object_set_new(o, "frames", count(r->n_frames));
        json_object_set_new(o, "trees", tree_list(r));
    }
    int rc = json_dumpf(o, out, 0) == 0 && fputc('\n', out) != EOF ? 0 : -COP_E_IO;
    json_decref(o);
    return rc;
}
