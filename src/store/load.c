/* A stored run as the result it was: scalars, series, streams, nodes, ports, flows.
 *
 * In:  an open handle and the id of a run. Out: a cop_result in its own arena.
 * A file may have been edited by hand: sizes are checked, text is copied, nothing is believed. */
#include "store/store_int.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct loader {
    cop_store *s;
    int64_t run_id;
    cop_result *r;
    cop_err *err;
} loader;

typedef void (*row_fn)(loader *l, sqlite3_stmt *st, uint32_t i);

static const char *copy(loader *l, sqlite3_stmt *st, int column)
{
    return cop_arena_strdup(&l->r->arena, cop_store_text(st, column));
}

static uint32_t number(sqlite3_stmt *st, int column)
{
    int64_t v = sqlite3_column_int64(st, column);
    return sqlite3_column_type(st, column) == SQLITE_NULL || v < 0 || v > UINT32_MAX ? COP_NONE
                                                                                     : (uint32_t)v;
}

static sqlite3_stmt *ask(loader *l, const char *sql)
{
    sqlite3_stmt *st = cop_store_prepare(l->s, sql, l->err);
    if (st != NULL)
        (void)sqlite3_bind_int64(st, 1, l->run_id);
    return st;
}

/* How many rows the run has in a table. */
static int64_t count_rows(loader *l, const char *table)
{
    const char *sql =
        cop_arena_printf(&l->r->arena, "SELECT count(*) FROM %s WHERE run_id = ?", table);
    sqlite3_stmt *st = ask(l, sql);
    int64_t n = st != NULL && cop_store_step(l->s, st, l->err) > 0 ? sqlite3_column_int64(st, 0)
                                                                   : -COP_E_IO;
    sqlite3_finalize(st);
    return n;
}

/* Make room for a table's rows, call fn for each. */
static int load_rows(loader *l, const char *table, const char *columns, const char *order,
                     size_t item_bytes, void **items, uint32_t *n, row_fn fn)
{
    int64_t rows = count_rows(l, table);
    if (rows < 0)
        return -COP_E_IO;
    *items = cop_arena_array(&l->r->arena, (size_t)rows + 1, item_bytes);
    sqlite3_stmt *st =
        ask(l, cop_arena_printf(&l->r->arena, "SELECT %s FROM %s WHERE run_id = ? ORDER BY %s",
                                columns, table, order));
    if (st == NULL)
        return -COP_E_IO;
    int rc = 0;
    for (*n = 0; *n < rows && (rc = cop_store_step(l->s, st, l->err)) > 0; (*n)++)
        fn(l, st, *n);
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

static void load_scalar(loader *l, sqlite3_stmt *st, uint32_t i)
{
    l->r->scalar[i] = (cop_scalar){
        .name = copy(l, st, 0), .unit = copy(l, st, 1), .value = cop_store_real(st, 2)};
}

static void load_stream(loader *l, sqlite3_stmt *st, uint32_t i)
{
    l->r->stream[i] = (cop_stream_result){.entry = copy(l, st, 0),
                                          .host = number(st, 1),
                                          .dst = number(st, 2),
                                          .sent_bytes = cop_store_count(st, 3),
                                          .delivered_bytes = cop_store_count(st, 4),
                                          .gbps = cop_store_real(st, 5),
                                          .latency_mean_ns = cop_store_real(st, 6),
                                          .packets = cop_store_count(st, 7)};
}

static void load_node(loader *l, sqlite3_stmt *st, uint32_t i)
{
    l->r->node[i] = (cop_node_result){.name = copy(l, st, 0),
                                      .sent_bytes = cop_store_count(st, 1),
                                      .received_bytes = cop_store_count(st, 2),
                                      .sent_gbps = cop_store_real(st, 3),
                                      .received_gbps = cop_store_real(st, 4),
                                      .role = copy(l, st, 5),
                                      .hotspot = cop_store_real(st, 6)};
}

static void load_port(loader *l, sqlite3_stmt *st, uint32_t i)
{
    l->r->port[i] = (cop_port_result){.name = copy(l, st, 0),
                                      .to = copy(l, st, 1),
                                      .utilisation = cop_store_real(st, 2),
                                      .mean_queue_bytes = cop_store_real(st, 3),
                                      .max_queue_bytes = cop_store_count(st, 4)};
}

static void load_flow(loader *l, sqlite3_stmt *st, uint32_t i)
{
    l->r->flow[i] = (cop_flow_result){.src = number(st, 0),
                                      .dst = number(st, 1),
                                      .packets = cop_store_count(st, 2),
                                      .bytes = cop_store_count(st, 3)};
}

static int load_series(loader *l)
{
    int64_t rows = count_rows(l, "series");
    if (rows < 0)
        return -COP_E_IO;
    cop_result *r = l->r;
    r->series = COP_NEW_ARRAY(&r->arena, cop_series, rows);
    sqlite3_stmt *st = ask(l, "SELECT name, unit, n, data FROM series WHERE run_id = ?"
                              " ORDER BY name");
    if (st == NULL)
        return -COP_E_IO;
    int rc = 0;
    while (r->n_series < rows && (rc = cop_store_step(l->s, st, l->err)) > 0) {
        rc = cop_store_fill_series(l->s, st, l->run_id, &r->series[r->n_series++], &r->arena,
                                   l->err);
        if (rc < 0)
            break;
    }
    sqlite3_finalize(st);
    return rc < 0 ? rc : 0;
}

static cop_time picoseconds(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps >= 1.0 && ps < 0x1p63 ? (cop_time)ps : 0;
}

/* 1 if there is such a run. */
static int load_run(loader *l)
{
    sqlite3_stmt *st = ask(l, "SELECT outcome, detail, sim_time_ns, warmup_ns, sample_ns, hosts,"
                              " switches, cpu_seconds, build_seconds, peak_rss_bytes, events,"
                              " packet_hops, run_hash FROM run WHERE id = ?");
    if (st == NULL)
        return -COP_E_IO;
    int rc = cop_store_step(l->s, st, l->err);
    cop_result *r = l->r;
    if (rc > 0) {
        r->outcome = cop_outcome_of(cop_store_text(st, 0));
        r->detail = sqlite3_column_type(st, 1) == SQLITE_NULL ? NULL : copy(l, st, 1);
        r->sim_time = picoseconds(cop_store_real(st, 2));
        r->warmup = picoseconds(cop_store_real(st, 3));
        r->sample = picoseconds(cop_store_real(st, 4));
        r->n_hosts = number(st, 5);
        r->n_switches = number(st, 6);
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
    loader l = {.s = s, .run_id = run_id, .r = r, .err = err};
    int rc = load_run(&l);
    if (rc <= 0)
        return rc;
    rc = load_rows(&l, "scalar", "name, unit, value", "name", sizeof(*r->scalar),
                   (void **)&r->scalar, &r->n_scalars, load_scalar);
    if (rc == 0)
        rc = load_series(&l);
    if (rc == 0)
        rc = load_rows(&l, "stream",
                       "entry, host, dst, sent_bytes, delivered_bytes, gbps, latency_mean_ns,"
                       " packets",
                       "stream", sizeof(*r->stream), (void **)&r->stream, &r->n_streams,
                       load_stream);
    if (rc == 0)
        rc = load_rows(&l, "node",
                       "name, sent_bytes, received_bytes, sent_gbps, received_gbps, role, hotspot",
                       "node", sizeof(*r->node), (void **)&r->node, &r->n_nodes, load_node);
    if (rc == 0)
        rc = load_rows(&l, "port", "name, to_name, utilisation, mean_queue_bytes, max_queue_bytes",
                       "port", sizeof(*r->port), (void **)&r->port, &r->n_ports, load_port);
    if (rc == 0)
        rc = load_rows(&l, "flow", "src, dst, packets, bytes", "src, dst", sizeof(*r->flow),
                       (void **)&r->flow, &r->n_flows, load_flow);
    if (rc == 0)
        rc = cop_store_load_trees(s, run_id, r, err);
    if (rc == 0)
        return 1;
    cop_arena_free(&r->arena);
    return rc;
}
