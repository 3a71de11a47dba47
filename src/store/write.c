/* Writes one result into the tables.
 *
 * In:  a result with its meta data, and a handle open for writing.
 * Out: the id of the new run; all its rows or none (one transaction).
 * Every main number is also a row of `scalar` under the name `coppice run --json` prints, so that
 * one query form serves built-in values and the extras of plug-ins. Not a number and "no sample"
 * become NULL. Flows and histogram bins without a packet are left out.
 */
#include "store/store_int.h"

#include <endian.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* One prepared INSERT. The first fault sticks; later calls then do nothing. */
typedef struct rows {
    cop_store *s;
    cop_err *err;
    sqlite3_stmt *st;
    int next; /* column to bind next */
    int first; /* column a row starts with; those before it are bound once */
    int result; /* 0 or the fault */
} rows;

static void settle(rows *w, int rc)
{
    if (w->result == 0 && rc != SQLITE_OK)
        w->result = cop_store_fault(w->s, w->err);
}

static rows rows_open(cop_store *s, const char *sql, cop_err *err)
{
    rows w = {.s = s, .err = err, .next = 1, .first = 1};
    settle(&w, sqlite3_prepare_v2(s->db, sql, -1, &w.st, NULL));
    return w;
}

static void put_int(rows *w, int64_t v)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_int64(w->st, w->next++, v));
}

static void put_real(rows *w, double v)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_double(w->st, w->next++, v));
}

/* SQLite's integers have a sign: a count beyond them is kept as a rounded real. */
static void put_count(rows *w, uint64_t v)
{
    if (v <= INT64_MAX)
        put_int(w, (int64_t)v);
    else
        put_real(w, (double)v);
}

static void put_null(rows *w)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_null(w->st, w->next++));
}

/* The text must live until rows_end. */
static void put_text(rows *w, const char *text)
{
    const char *t = text ? text : "";
    if (w->result == 0)
        settle(w, sqlite3_bind_text64(w->st, w->next++, t, strlen(t), SQLITE_STATIC, SQLITE_UTF8));
}

static void put_text_or_null(rows *w, const char *text)
{
    if (text)
        put_text(w, text);
    else
        put_null(w);
}

static void put_blob(rows *w, const void *data, uint64_t bytes)
{
    if (w->result == 0)
        settle(w, sqlite3_bind_blob64(w->st, w->next++, data, bytes, SQLITE_STATIC));
}

static void put_time(rows *w, cop_time t)
{
    put_real(w, (double)t / 1000.0);
}

static void row_end(rows *w)
{
    if (w->result != 0)
        return;
    int rc = sqlite3_step(w->st);
    settle(w, rc == SQLITE_DONE ? SQLITE_OK : rc);
    (void)sqlite3_reset(w->st);
    w->next = w->first;
}

static int rows_close(rows *w)
{
    sqlite3_finalize(w->st);
    return w->result;
}

/* Rows that all belong to one run: its id stays bound to the first column. */
static rows rows_of_run(cop_store *s, int64_t run, const char *sql, cop_err *err)
{
    rows w = rows_open(s, sql, err);
    put_int(&w, run);
    w.first = 2;
    return w;
}

const char *cop_store_outcome_name(enum cop_outcome o)
{
    switch (o) {
    case COP_OUTCOME_OK:
        return "ok";
    case COP_OUTCOME_DEADLOCK:
        return "deadlock";
    case COP_OUTCOME_LOSS:
        return "loss";
    case COP_OUTCOME_BROKEN:
        break;
    }
    return "broken";
}

static int write_run(cop_store *s, const cop_store_meta *meta, const cop_result *r, int64_t *run,
                     cop_err *err)
{
    char config_hash[17], run_hash[17];
    snprintf(config_hash, sizeof(config_hash), "%016" PRIx64, meta->config_hash);
    snprintf(run_hash, sizeof(run_hash), "%016" PRIx64, r->run_hash);
    rows w = rows_open(s,
                       "INSERT INTO run (name, title, version, command, config, config_hash, seed,"
                       " run_hash, outcome, detail, started_at, sim_time_ns, warmup_ns, sample_ns,"
                       " hosts, switches, cpu_seconds, build_seconds, peak_rss_bytes, events,"
                       " packet_hops, stored_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                       " strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                       err);
    put_text(&w, meta->name);
    put_text(&w, meta->title);
    put_text(&w, meta->version);
    put_text(&w, meta->command);
    put_text(&w, meta->config_text);
    put_text(&w, config_hash);
    put_int(&w, meta->seed);
    put_text(&w, run_hash);
    put_text(&w, cop_store_outcome_name(r->outcome));
    put_text_or_null(&w, r->detail);
    put_text_or_null(&w, meta->started_at);
    put_time(&w, r->sim_time);
    put_time(&w, r->warmup);
    put_time(&w, r->sample);
    put_int(&w, r->n_hosts);
    put_int(&w, r->n_switches);
    put_real(&w, r->cpu_seconds);
    put_real(&w, r->build_seconds);
    put_count(&w, r->peak_rss_bytes);
    put_count(&w, r->events);
    put_count(&w, r->packet_hops);
    row_end(&w);
    *run = sqlite3_last_insert_rowid(s->db);
    return rows_close(&w);
}

static void scalar(rows *w, const char *name, const char *unit, double value)
{
    put_text(w, name);
    put_text(w, unit);
    put_real(w, value);
    row_end(w);
}

static void scalar_of_hist(rows *w, const char *prefix, const char *part, double ps, bool any)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.%s", prefix, part);
    scalar(w, name, "ns", any ? ps / 1000.0 : NAN);
}

static void scalars_of_hist(rows *w, const char *prefix, const cop_hist *h)
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
    rows w = rows_of_run(s, run, "INSERT INTO scalar VALUES (?,?,?,?)", err);
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
    return rows_close(&w);
}

static int write_series(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    rows w = rows_of_run(s, run, "INSERT INTO series VALUES (?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_series; i++) {
        const cop_series *in = &r->series[i];
        uint64_t *data = cop_alloc(in->n * sizeof(*data));
        for (uint32_t k = 0; k < in->n; k++) {
            memcpy(&data[k], &in->v[k], sizeof(*data));
            data[k] = htole64(data[k]);
        }
        put_text(&w, in->name);
        put_text(&w, in->unit);
        put_time(&w, r->sample);
        put_int(&w, in->n);
        put_blob(&w, data, in->n * sizeof(*data));
        row_end(&w);
        cop_free(data);
    }
    return rows_close(&w);
}

static int write_streams(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    rows w = rows_of_run(s, run, "INSERT INTO stream VALUES (?,?,?,?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const cop_stream_result *in = &r->stream[i];
        put_int(&w, i);
        put_text(&w, in->entry);
        put_int(&w, in->host);
        if (in->dst == COP_NONE)
            put_null(&w);
        else
            put_int(&w, in->dst);
        put_count(&w, in->sent_bytes);
        put_count(&w, in->delivered_bytes);
        put_real(&w, in->gbps);
        put_real(&w, in->packets > 0 ? in->latency_mean_ns : NAN);
        put_count(&w, in->packets);
        row_end(&w);
    }
    return rows_close(&w);
}

static int write_nodes(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    rows w = rows_of_run(s, run, "INSERT INTO node VALUES (?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        const cop_node_result *in = &r->node[i];
        put_int(&w, i);
        put_text(&w, in->name);
        put_count(&w, in->sent_bytes);
        put_count(&w, in->received_bytes);
        put_real(&w, in->sent_gbps);
        put_real(&w, in->received_gbps);
        row_end(&w);
    }
    return rows_close(&w);
}

static int write_ports(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    rows w = rows_of_run(s, run, "INSERT INTO port VALUES (?,?,?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_ports; i++) {
        const cop_port_result *in = &r->port[i];
        put_int(&w, i);
        put_text(&w, in->name);
        put_text(&w, in->to);
        put_real(&w, in->utilisation);
        put_real(&w, in->mean_queue_bytes);
        put_count(&w, in->max_queue_bytes);
        row_end(&w);
    }
    return rows_close(&w);
}

static int write_flows(cop_store *s, int64_t run, const cop_result *r, cop_err *err)
{
    rows w = rows_of_run(s, run, "INSERT INTO flow VALUES (?,?,?,?,?)", err);
    for (uint32_t i = 0; i < r->n_flows; i++) {
        const cop_flow_result *in = &r->flow[i];
        if (in->packets == 0 && in->bytes == 0)
            continue;
        put_int(&w, in->src);
        put_int(&w, in->dst);
        put_count(&w, in->packets);
        put_count(&w, in->bytes);
        row_end(&w);
    }
    return rows_close(&w);
}

static int write_hist(cop_store *s, int64_t run, const char *name, const cop_hist *h, cop_err *err)
{
    rows w = rows_of_run(s, run, "INSERT INTO hist VALUES (?,?,?,?,?,?)", err);
    for (uint32_t b = 0; h != NULL && b < COP_HIST_BINS; b++) {
        if (h->bin[b] == 0)
            continue;
        put_text(&w, name);
        put_int(&w, b);
        put_time(&w, cop_hist_bin_low(b));
        /* The bins tile the axis: each ends where the next begins. */
        put_real(&w, ((double)cop_hist_bin_high(b) + 1.0) / 1000.0);
        put_count(&w, h->bin[b]);
        row_end(&w);
    }
    return rows_close(&w);
}

int cop_store_write_rows(cop_store *s, const cop_store_meta *meta, const cop_result *r,
                         int64_t *run_id, cop_err *err)
{
    int rc = write_run(s, meta, r, run_id, err);
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
