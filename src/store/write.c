/* Writes one result into the tables.
 *
 * In:  a result with its meta data, and a handle open for writing.
 * Out: the id of the new run; all its cop_rows or none (one transaction).
 * Every main number is also a row of `scalar` under the name `coppice run --json` prints, so that
 * one query form serves built-in values and the extras of plug-ins. Not a number and "no sample"
 * become NULL. Flows and histogram bins without a packet are left out.
 */
#include "store/rows.h"
#include "store/store_int.h"

#include <endian.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int write_run(cop_store *s, const cop_store_meta *meta, const cop_result *r, int64_t *run,
                     cop_err *err)
{
    char config_hash[17], run_hash[17];
    snprintf(config_hash, sizeof(config_hash), "%016" PRIx64, meta->config_hash);
    snprintf(run_hash, sizeof(run_hash), "%016" PRIx64, r->run_hash);
    cop_rows w = cop_rows_open(
        s,
        "INSERT INTO run (name, title, version, model, command, config, config_hash, seed,"
        " run_hash, outcome, detail, started_at, sim_time_ns, warmup_ns, sample_ns,"
        " hosts, switches, cpu_seconds, build_seconds, peak_rss_bytes, events,"
        " packet_hops, stored_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
        " strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
        err);
    cop_put_text(&w, meta->name);
    cop_put_text(&w, meta->title);
    cop_put_text(&w, meta->version);
    cop_put_text(&w, meta->model);
    cop_put_text(&w, meta->command);
    cop_put_text(&w, meta->config_text);
    cop_put_text(&w, config_hash);
    cop_put_int(&w, meta->seed);
    cop_put_text(&w, run_hash);
    cop_put_text(&w, cop_outcome_name((int)r->outcome));
    cop_put_text_or_null(&w, r->detail);
    cop_put_text_or_null(&w, meta->started_at);
    cop_put_time(&w, r->sim_time);
    cop_put_time(&w, r->warmup);
    cop_put_time(&w, r->sample);
    cop_put_int(&w, r->n_hosts);
    cop_put_int(&w, r->n_switches);
    cop_put_real(&w, r->cpu_seconds);
    cop_put_real(&w, r->build_seconds);
    cop_put_count(&w, r->peak_rss_bytes);
    cop_put_count(&w, r->events);
    cop_put_count(&w, r->packet_hops);
    cop_row_end(&w);
    *run = sqlite3_last_insert_rowid(s->db);
    return cop_rows_close(&w);
}

static void scalar(cop_rows *w, const char *name, const char *unit, double value)
{
    cop_put_text(w, name);
    cop_put_text(w, unit);
    cop_put_real(w, value);
    cop_row_end(w);
}

static void scalar_of_hist(cop_rows *w, const char *prefix, const char *part, double ps, bool any)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.%s", prefix, part);
    scalar(w, name, "ns", any ? ps / 1000.0 : NAN);
}

static void scalars_of_hist(cop_rows *w, const char *prefix, const cop_hist *h)
{
    bool any = h != NULL && h->count > 0;
    char name[64];
    snprintf(name, sizeof(name), "%s.count", prefix);
    scalar(w, name, "packets", any ? (double)h->count : 0.0);
    scalar_of_hist(w, prefix, "mean", any ? cop_hist_mean(h) : 0.0, any);
    scalar_of_hist(w, prefix, "min", any ? (double)h->min : 0.0, any);
    scalar_of_hist(w, prefix, "p50", any ? cop_hist_quantile(h, 0.5) : 0.0, any);
    scalar_of_hist(w, prefix, "p99", any ? cop_hist_quantile(h, 0.99) : 0.0, any);
    scalar_of_hist(w, prefix, "max", any ? (double)h->max : 0.0, any);
}

static int write_scalars(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO scalar VALUES (?,?,?,?)", err);
    scalar(&w, "packets_injected", "packets", (double)r->packets_injected);
    scalar(&w, "packets_delivered", "packets", (double)r->packets_delivered);
    scalar(&w, "packets_in_flight", "packets", (double)r->packets_in_flight);
    scalar(&w, "packets_lost", "packets", (double)r->packets_lost);
    scalar(&w, "bytes_injected", "bytes", (double)r->bytes_injected);
    scalar(&w, "bytes_delivered", "bytes", (double)r->bytes_delivered);
    scalar(&w, "credits_missing", "credits", (double)r->credits_missing);
    scalar(&w, "throughput_gbps", "Gbit/s", r->throughput_gbps);
    scalar(&w, "throughput_total_gbps", "Gbit/s", r->throughput_total_gbps);
    scalars_of_hist(&w, "latency_ns", r->latency);
    scalars_of_hist(&w, "transit_ns", r->transit);
    scalar(&w, "little.mean_in_network", "packets", r->little_mean_in_network);
    scalar(&w, "little.rate_times_latency", "packets", r->little_rate_times_latency);
    scalar(&w, "sim_time_ns", "ns", (double)r->sim_time / 1000.0);
    scalar(&w, "events", "events", (double)r->events);
    scalar(&w, "packet_hops", "packets", (double)r->packet_hops);
    scalar(&w, "cpu_seconds", "s", r->cpu_seconds);
    scalar(&w, "build_seconds", "s", r->build_seconds);
    scalar(&w, "packet_hops_per_cpu_second", "1/s",
           r->cpu_seconds > 0.0 ? (double)r->packet_hops / r->cpu_seconds : NAN);
    scalar(&w, "peak_rss_bytes", "bytes", (double)r->peak_rss_bytes);
    for (uint32_t i = 0; i < r->n_scalars; i++)
        scalar(&w, r->scalar[i].name, r->scalar[i].unit, r->scalar[i].value);
    return cop_rows_close(&w);
}

static int write_series(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO series VALUES (?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_series; i++) {
        const cop_series *in = &r->series[i];
        uint64_t *data = cop_alloc_array(in->n, sizeof(*data));
        for (uint32_t k = 0; k < in->n; k++) {
            memcpy(&data[k], &in->v[k], sizeof(*data));
            data[k] = htole64(data[k]);
        }
        cop_put_text(&w, in->name);
        cop_put_text(&w, in->unit);
        cop_put_time(&w, r->sample);
        cop_put_int(&w, in->n);
        cop_put_blob(&w, data, in->n * sizeof(*data));
        cop_row_end(&w);
        cop_free(data);
    }
    return cop_rows_close(&w);
}

static int write_streams(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO stream VALUES (?,?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const cop_stream_result *in = &r->stream[i];
        cop_put_int(&w, i);
        cop_put_text(&w, in->entry);
        cop_put_int(&w, in->host);
        if (in->dst == COP_NONE)
            cop_put_null(&w);
        else
            cop_put_int(&w, in->dst);
        cop_put_count(&w, in->sent_bytes);
        cop_put_count(&w, in->delivered_bytes);
        cop_put_real(&w, in->gbps);
        cop_put_real(&w, in->packets > 0 ? in->latency_mean_ns : NAN);
        cop_put_count(&w, in->packets);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_nodes(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO node VALUES (?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        const cop_node_result *in = &r->node[i];
        cop_put_int(&w, i);
        cop_put_text(&w, in->name);
        cop_put_count(&w, in->sent_bytes);
        cop_put_count(&w, in->received_bytes);
        cop_put_real(&w, in->sent_gbps);
        cop_put_real(&w, in->received_gbps);
        cop_put_text(&w, in->role);
        cop_put_real(&w, in->hotspot);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_ports(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO port VALUES (?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_ports; i++) {
        const cop_port_result *in = &r->port[i];
        cop_put_int(&w, i);
        cop_put_text(&w, in->name);
        cop_put_text(&w, in->to);
        cop_put_real(&w, in->utilisation);
        cop_put_real(&w, in->mean_queue_bytes);
        cop_put_count(&w, in->max_queue_bytes);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_flows(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO flow VALUES (?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_flows; i++) {
        const cop_flow_result *in = &r->flow[i];
        if (in->packets == 0 && in->bytes == 0)
            continue;
        cop_put_int(&w, in->src);
        cop_put_int(&w, in->dst);
        cop_put_count(&w, in->packets);
        cop_put_count(&w, in->bytes);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

static int write_hist(cop_store *s, int64_t run, const char *name, const cop_hist *h, cop_err *err)
{
    cop_rows w = cop_rows_of_run(s, run, "INSERT INTO hist VALUES (?,?,?,?,?,?)", err);
    for (uint32_t b = 0; h != NULL && b < COP_HIST_BINS; b++) {
        if (h->bin[b] == 0)
            continue;
        cop_put_text(&w, name);
        cop_put_int(&w, b);
        cop_put_time(&w, cop_hist_bin_low(b));
        /* The bins tile the axis: each ends where the next begins. */
        cop_put_real(&w, ((double)cop_hist_bin_high(b) + 1.0) / 1000.0);
        cop_put_count(&w, h->bin[b]);
        cop_row_end(&w);
    }
    return cop_rows_close(&w);
}

/* What the model of this run does, once for all its runs. */
static int write_behaviour(cop_store *s, const cop_store_meta *meta, cop_err *err)
{
    if (meta->behaviour == NULL)
        return 0;
    sqlite3_stmt *st =
        cop_store_prepare(s, "INSERT OR REPLACE INTO meta VALUES ('behaviour of ' || ?, ?)", err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_text(st, 1, meta->model, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(st, 2, meta->behaviour, -1, SQLITE_STATIC);
    int rc = cop_store_step(s, st, err);
    sqlite3_finalize(st);
    return rc;
}

int cop_store_write_rows(cop_store *s, const cop_store_meta *meta, const cop_result *r,
                         int64_t *run_id, cop_err *err)
{
    int rc = write_run(s, meta, r, run_id, err);
    if (rc == 0)
        rc = write_behaviour(s, meta, err);
    if (rc == 0)
        rc = write_scalars(s, *run_id, r, err);
    if (rc == 0)
        rc = write_series(s, *run_id, r, err);
    if (rc == 0)
        rc = write_streams(s, *run_id, r, err);
    if (rc == 0)
        rc = write_nodes(s, *run_id, r, err);
    if (rc == 0)
        rc = write_ports(s, *run_id, r, err);
    if (rc == 0)
        rc = write_flows(s, *run_id, r, err);
    if (rc == 0)
        rc = write_hist(s, *run_id, "latency", r->latency, err);
    if (rc == 0)
        rc = write_hist(s, *run_id, "transit", r->transit, err);
    if (rc == 0)
        rc = cop_store_write_trees(s, *run_id, r, err);
    if (rc == 0)
        rc = cop_store_write_jobs(s, *run_id, r, err);
    return rc;
}

int cop_store_add(cop_store *s, const cop_store_meta *meta, const cop_result *r, int64_t *run_id,
                  cop_err *err)
{
    int64_t id = 0;
    int rc = cop_store_begin(s, err);
    if (rc != 0)
        return rc;
    rc = cop_store_write_rows(s, meta, r, &id, err);
    if (rc == 0)
        rc = cop_store_commit(s, err);
    if (rc != 0)
        cop_store_rollback(s);
    else if (run_id != NULL)
        *run_id = id;
    return rc;
}

int cop_store_run(const char *db_path, const cop_store_meta *meta, const cop_result *r,
                  int64_t *run_id, cop_err *err)
{
    cop_store *s;
    int rc = cop_store_open(&s, db_path, true, err);
    if (rc != 0)
        return rc;
    rc = cop_store_add(s, meta, r, run_id, err);
    cop_store_close(s);
    return rc;
}
