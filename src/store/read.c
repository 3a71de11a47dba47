/* Reads stored runs back.
 *
 * In:  an open handle, a run id, a name. Out: plain values, or "not there", or a fault.
 * A file may have been edited by hand, so sizes and indices in it are checked, never believed.
 */
#include "store/store_int.h"

#include <endian.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sqlite3_stmt *cop_store_prepare(cop_store *s, const char *sql, cop_err *err)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        (void)cop_store_fault(s, err);
    return st;
}

/* 1: a row, 0: no more rows, negative: a fault. */
int cop_store_step(cop_store *s, sqlite3_stmt *st, cop_err *err)
{
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        return 1;
    return rc == SQLITE_DONE ? 0 : cop_store_fault(s, err);
}

static int inconsistent(const cop_store *s, int64_t run_id, const char *what, cop_err *err)
{
    return cop_err_add(err, COP_E_IO,
                       "%s: %s of run %" PRId64 " has been changed and makes no sense; delete that "
                       "run and simulate it again",
                       s->path, what, run_id);
}

static const char *text_or_null(sqlite3_stmt *st, int column)
{
    return (const char *)sqlite3_column_text(st, column);
}

const char *cop_store_text(sqlite3_stmt *st, int column)
{
    const char *t = text_or_null(st, column);
    return t ? t : "";
}

double cop_store_real(sqlite3_stmt *st, int column)
{
    return sqlite3_column_type(st, column) == SQLITE_NULL ? NAN : sqlite3_column_double(st, column);
}

uint64_t cop_store_count(sqlite3_stmt *st, int column)
{
    int64_t v = sqlite3_column_int64(st, column);
    return v < 0 ? 0 : (uint64_t)v;
}

uint32_t cop_store_number(sqlite3_stmt *st, int column)
{
    int64_t v = sqlite3_column_int64(st, column);
    return sqlite3_column_type(st, column) == SQLITE_NULL || v < 0 || v > UINT32_MAX ? COP_NONE
                                                                                     : (uint32_t)v;
}

cop_time cop_store_ps(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps >= 1.0 && ps < 0x1p63 ? (cop_time)ps : 0;
}

/* A statement about one named thing of one run. */
static sqlite3_stmt *prepare_named(cop_store *s, const char *sql, int64_t run_id, const char *name,
                                   cop_err *err)
{
    sqlite3_stmt *st = cop_store_prepare(s, sql, err);
    if (st == NULL)
        return NULL;
    (void)sqlite3_bind_int64(st, 1, run_id);
    (void)sqlite3_bind_text(st, 2, name, -1, SQLITE_STATIC);
    return st;
}

int64_t cop_store_find_run(cop_store *s, uint64_t config_hash, int64_t seed, const char *model,
                           cop_err *err)
{
    char hash[17];
    sqlite3_stmt *st = cop_store_prepare(
        s,
        "SELECT max(id) FROM run WHERE config_hash = ? AND seed = ? AND model = ifnull(?, model)",
        err);
    if (st == NULL)
        return -COP_E_IO;
    snprintf(hash, sizeof(hash), "%016" PRIx64, config_hash);
    (void)sqlite3_bind_text(st, 1, hash, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(st, 2, seed);
    if (model != NULL)
        (void)sqlite3_bind_text(st, 3, model, -1, SQLITE_STATIC);
    int64_t rc = cop_store_step(s, st, err);
    if (rc > 0)
        rc = sqlite3_column_int64(st, 0); /* NULL, no such run, reads as 0 */
    sqlite3_finalize(st);
    return rc;
}

int cop_store_scalar(cop_store *s, int64_t run_id, const char *name, double *value, cop_err *err)
{
    sqlite3_stmt *st = prepare_named(s, "SELECT value FROM scalar WHERE run_id = ? AND name = ?",
                                     run_id, name, err);
    if (st == NULL)
        return -COP_E_IO;
    int rc = cop_store_step(s, st, err);
    if (rc > 0)
        *value = cop_store_real(st, 0);
    sqlite3_finalize(st);
    return rc;
}

int cop_store_fill_series(cop_store *s, sqlite3_stmt *st, int64_t run_id, cop_series *out,
                          cop_arena *arena, cop_err *err)
{
    uint64_t n = cop_store_count(st, 2), bytes = (uint64_t)sqlite3_column_bytes(st, 3);
    if (n > UINT32_MAX || bytes != n * sizeof(double))
        return inconsistent(s, run_id, "a series", err);
    const char *data = sqlite3_column_blob(st, 3);
    out->name = cop_arena_strdup(arena, cop_store_text(st, 0));
    out->unit = cop_arena_strdup(arena, cop_store_text(st, 1));
    out->n = (uint32_t)n;
    out->v = COP_NEW_ARRAY(arena, double, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, data + i * sizeof(bits), sizeof(bits));
        bits = le64toh(bits);
        memcpy(&out->v[i], &bits, sizeof(bits));
    }
    return 1;
}

int cop_store_series(cop_store *s, int64_t run_id, const char *name, cop_series *series,
                     cop_arena *arena, cop_err *err)
{
    sqlite3_stmt *st =
        prepare_named(s, "SELECT name, unit, n, data FROM series WHERE run_id = ? AND name = ?",
                      run_id, name, err);
    if (st == NULL)
        return -COP_E_IO;
    int rc = cop_store_step(s, st, err);
    if (rc > 0)
        rc = cop_store_fill_series(s, st, run_id, series, arena, err);
    sqlite3_finalize(st);
    return rc;
}

static int read_bins(cop_store *s, int64_t run_id, const char *name, cop_hist *h, cop_err *err)
{
    sqlite3_stmt *st = prepare_named(s, "SELECT bin, count FROM hist WHERE run_id = ? AND name = ?",
                                     run_id, name, err);
    if (st == NULL)
        return -COP_E_IO;
    int rc;
    while ((rc = cop_store_step(s, st, err)) > 0) {
        int64_t bin = sqlite3_column_int64(st, 0);
        if (bin < 0 || bin >= COP_HIST_BINS) {
            rc = inconsistent(s, run_id, "a histogram", err);
            break;
        }
        h->bin[bin] = cop_store_count(st, 1);
        h->count += h->bin[bin];
    }
    sqlite3_finalize(st);
    return rc;
}

static int read_moment(cop_store *s, int64_t run_id, const char *hist, const char *part, double *ns,
                       cop_err *err)
{
    char name[128];
    snprintf(name, sizeof(name), "%s_ns.%s", hist, part);
    int rc = cop_store_scalar(s, run_id, name, ns, err);
    return rc != 0 ? rc : inconsistent(s, run_id, "a histogram", err);
}

int cop_store_hist(cop_store *s, int64_t run_id, const char *name, cop_hist *h, cop_err *err)
{
    double min = 0.0, max = 0.0, mean = 0.0;
    memset(h, 0, sizeof(*h));
    int rc = read_bins(s, run_id, name, h, err);
    if (rc < 0 || h->count == 0)
        return rc;
    rc = read_moment(s, run_id, name, "min", &min, err);
    if (rc > 0)
        rc = read_moment(s, run_id, name, "max", &max, err);
    if (rc > 0)
        rc = read_moment(s, run_id, name, "mean", &mean, err);
    if (rc < 0)
        return rc;
    h->min = cop_store_ps(min);
    h->max = cop_store_ps(max);
    double sum = mean * 1000.0 * (double)h->count;
    if (sum >= 0.0 && sum < 0x1p127) {
        unsigned __int128 exact = (unsigned __int128)(sum + 0.5);
        h->sum_lo = (uint64_t)exact;
        h->sum_hi = (uint64_t)(exact >> 64);
    }
    return 1;
}

static void fill_entry(sqlite3_stmt *st, cop_store_entry *e)
{
    e->id = sqlite3_column_int64(st, 0);
    e->name = cop_store_text(st, 1);
    e->title = cop_store_text(st, 2);
    e->version = cop_store_text(st, 3);
    e->command = cop_store_text(st, 4);
    e->config_text = cop_store_text(st, 5);
    e->config_hash = strtoull(cop_store_text(st, 6), NULL, 16);
    e->seed = sqlite3_column_int64(st, 7);
    e->run_hash = strtoull(cop_store_text(st, 8), NULL, 16);
    e->outcome = cop_outcome_of(cop_store_text(st, 9));
    e->detail = text_or_null(st, 10);
    e->started_at = text_or_null(st, 11);
    e->stored_at = cop_store_text(st, 12);
    e->sim_time_ns = cop_store_real(st, 13);
    e->warmup_ns = cop_store_real(st, 14);
    e->sample_ns = cop_store_real(st, 15);
    e->hosts = (uint32_t)cop_store_count(st, 16);
    e->switches = (uint32_t)cop_store_count(st, 17);
    e->cpu_seconds = cop_store_real(st, 18);
    e->build_seconds = cop_store_real(st, 19);
    e->peak_rss_bytes = cop_store_count(st, 20);
    e->events = cop_store_count(st, 21);
    e->packet_hops = cop_store_count(st, 22);
    e->model = cop_store_text(st, 23);
}

int cop_store_runs(cop_store *s, cop_store_run_fn fn, void *user, cop_err *err)
{
    sqlite3_stmt *st = cop_store_prepare(
        s,
        "SELECT id, name, title, version, command, config, config_hash, seed, run_hash, outcome,"
        " detail, started_at, stored_at, sim_time_ns, warmup_ns, sample_ns, hosts, switches,"
        " cpu_seconds, build_seconds, peak_rss_bytes, events, packet_hops, model FROM run"
        " ORDER BY id",
        err);
    if (st == NULL)
        return -COP_E_IO;
    int rc;
    while ((rc = cop_store_step(s, st, err)) > 0) {
        cop_store_entry e;
        fill_entry(st, &e);
        rc = fn(user, &e);
        if (rc != 0)
            break;
    }
    sqlite3_finalize(st);
    return rc;
}
