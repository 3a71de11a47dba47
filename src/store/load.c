/* A stored run as the result it was: scalars, series, streams, nodes, ports, flows.
 *
 * In:  an open handle and the id of a run. Out: a cop_result in its own arena.
 * A file may have been edited by hand: sizes are checked, text is copied, nothing is believed. */
#include "store/table.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static int load_scalar(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_scalar *)item = (cop_scalar){.name = cop_table_text(t, st, 0),
                                       .unit = cop_table_text(t, st, 1),
                                       .value = cop_store_real(st, 2)};
    return 0;
}

static int load_stream(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_stream_result *)item = (cop_stream_result){.entry = cop_table_text(t, st, 0),
                                                     .host = cop_store_number(st, 1),
                                                     .dst = cop_store_number(st, 2),
                                                     .sent_bytes = cop_store_count(st, 3),
                                                     .delivered_bytes = cop_store_count(st, 4),
                                                     .gbps = cop_store_real(st, 5),
                                                     .latency_mean_ns = cop_store_real(st, 6),
                                                     .packets = cop_store_count(st, 7)};
    return 0;
}

static int load_node(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_node_result *)item = (cop_node_result){.name = cop_table_text(t, st, 0),
                                                 .sent_bytes = cop_store_count(st, 1),
                                                 .received_bytes = cop_store_count(st, 2),
                                                 .sent_gbps = cop_store_real(st, 3),
                                                 .received_gbps = cop_store_real(st, 4),
                                                 .role = cop_table_text(t, st, 5),
                                                 .hotspot = cop_store_real(st, 6)};
    return 0;
}

static int load_port(const cop_table *t, sqlite3_stmt *st, void *item)
{
    *(cop_port_result *)item = (cop_port_result){.name = cop_table_text(t, st, 0),
                                                 .to = cop_table_text(t, st, 1),
                                                 .utilisation = cop_store_real(st, 2),
                                                 .mean_queue_bytes = cop_store_real(st, 3),
                                                 .max_queue_bytes = cop_store_count(st, 4)};
    return 0;
}

static int load_flow(const cop_table *t, sqlite3_stmt *st, void *item)
{
    (void)t;
    *(cop_flow_result *)item = (cop_flow_result){.src = cop_store_number(st, 0),
                                                 .dst = cop_store_number(st, 1),
                                                 .packets = cop_store_count(st, 2),
                                                 .bytes = cop_store_count(st, 3)};
    return 0;
}

static int load_series(const cop_table *t, sqlite3_stmt *st, void *item)
{
    return cop_store_fill_series(t->s, st, t->run, item, t->arena, t->err);
}

/* 1 if there is such a run. */
static int load_run(const cop_table *t, cop_result *r)
{
    sqlite3_stmt *st =
        cop_store_prepare(t->s,
                          "SELECT outcome, detail, sim_time_ns, warmup_ns, sample_ns, hosts,"
                          " switches, cpu_seconds, build_seconds, peak_rss_bytes, events,"
                          " packet_hops, run_hash FROM run WHERE id = ?",
                          t->err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, t->run);
    int rc = cop_store_step(t->s, st, t->err);
    if (rc > 0) {
        r->outcome = cop_outcome_of(cop_store_text(st, 0));
        r->detail = sqlite3_column_type(st, 1) == SQLITE_NULL ? NULL : cop_table_text(t, st, 1);
        r->sim_time = cop_store_ps(cop_store_real(st, 2));
        r->warmup = cop_store_ps(cop_store_real(st, 3));
        r->sample = cop_store_ps(cop_store_real(st, 4));
        r->n_hosts = cop_store_number(st, 5);
        r->n_switches = cop_store_number(st, 6);
        r->cpu_seconds = cop_store_real(st, 7);
        r->build_seconds = cop_store_real(st, 8);
        r->peak_rss_bytes = cop_store_count(st, 9);
        r->events = cop_store_count(st, 10);
        r->packet_hops = cop_store_count(st, 11);
        r->run_hash = strtoull(cop_store_text(st, 12), NULL, 16);
    }
    sqlite3_finalize(st);
    return rc;
}

int cop_store_load_outcome(cop_store *s, int64_t run_id, enum cop_outcome *outcome,
                           cop_arena *arena, const char **detail, const char **behaviour,
                           cop_err *err)
{
    sqlite3_stmt *st = cop_store_prepare(
        s,
        "SELECT outcome, detail, ifnull((SELECT value FROM meta WHERE key = 'behaviour of ' || "
        "model), model) FROM run WHERE id = ?",
        err);
    if (st == NULL)
        return -COP_E_IO;
    (void)sqlite3_bind_int64(st, 1, run_id);
    int rc = cop_store_step(s, st, err);
    if (rc > 0) {
        const char *text = cop_store_text(st, 1);
        *outcome = cop_outcome_of(cop_store_text(st, 0));
        *detail =
            text[0] == '\0' ? "" : cop_arena_printf(arena, "%.*s", (int)strcspn(text, "\n"), text);
        *behaviour = cop_arena_strdup(arena, cop_store_text(st, 2));
    }
    sqlite3_finalize(st);
    return rc;
}

int cop_store_load(cop_store *s, int64_t run_id, cop_result *r, cop_err *err)
{
    *r = (cop_result){0};
    cop_table t = {.s = s, .arena = &r->arena, .err = err, .run = run_id};
    int rc = load_run(&t, r);
    if (rc <= 0)
        return rc;
    r->scalar = cop_table_load(&t, "scalar", "name, unit, value", "name", sizeof(*r->scalar),
                               &r->n_scalars, load_scalar);
    r->series = cop_table_load(&t, "series", "name, unit, n, data", "name", sizeof(*r->series),
                               &r->n_series, load_series);
    r->stream = cop_table_load(
        &t, "stream",
        "entry, host, dst, sent_bytes, delivered_bytes, gbps, latency_mean_ns, packets", "stream",
        sizeof(*r->stream), &r->n_streams, load_stream);
    r->node = cop_table_load(
        &t, "node", "name, sent_bytes, received_bytes, sent_gbps, received_gbps, role, hotspot",
        "node", sizeof(*r->node), &r->n_nodes, load_node);
    r->port =
        cop_table_load(&t, "port", "name, to_name, utilisation, mean_queue_bytes, max_queue_bytes",
                       "port", sizeof(*r->port), &r->n_ports, load_port);
    r->flow = cop_table_load(&t, "flow", "src, dst, packets, bytes", "src, dst", sizeof(*r->flow),
                             &r->n_flows, load_flow);
    cop_store_load_trees(&t, r);
    if (t.rc == 0)
        return 1;
    cop_arena_free(&r->arena);
    return t.rc;
}
