/* Results in one SQLite file: write a run, find it again, read its numbers back.
 *
 * A run is stored whole or not at all. Several programs may store into one file at the same time.
 * Tables, units and example queries: docs/RESULTS.md. */
#ifndef COP_STORE_H
#define COP_STORE_H

#include "base/err.h"
#include "stats/result.h"

typedef struct cop_store cop_store;

/* Meta data of a run beside its result. Strings may be NULL and are then stored empty. */
typedef struct cop_store_meta {
    const char *name; /* short name of the experiment */
    const char *title; /* one line for people */
    const char *config_text; /* the effective configuration */
    const char *version; /* of coppice */
    const char *model; /* fingerprint of the code that simulates: same fingerprint, same results */
    const char *behaviour; /* fingerprint of what that code does; NULL: not known */
    const char *command; /* what the user typed */
    const char *started_at; /* "2026-01-31T12:00:00Z"; NULL: not known */
    int64_t seed;
    uint64_t config_hash; /* of everything that decides the result, apart from the seed */
} cop_store_meta;

/* One stored run. Text belongs to the store and lives until the callback returns. */
typedef struct cop_store_entry {
    int64_t id, seed;
    uint64_t config_hash, run_hash;
    enum cop_outcome outcome;
    const char *name, *title, *version, *model, *command, *config_text, *stored_at;
    const char *detail, *started_at; /* NULL if there is none */
    double sim_time_ns, warmup_ns, sample_ns;
    uint32_t hosts, switches;
    double cpu_seconds, build_seconds;
    uint64_t peak_rss_bytes, events, packet_hops;
} cop_store_entry;

/* Return 0 to go on, anything else to stop. */
typedef int (*cop_store_run_fn)(void *user, const cop_store_entry *run);

/* Open, store one run, close. run_id may be NULL. 0 or -COP_E_IO with one line in err. */
int cop_store_run(const char *db_path, const cop_store_meta *meta, const cop_result *r,
                  int64_t *run_id, cop_err *err);

/* Open a file. With `write` it is created if need be, and faults of path, disk and file show here,
 * before a long simulation. On a fault *s is NULL. */
int cop_store_open(cop_store **s, const char *path, bool write, cop_err *err);
void cop_store_close(cop_store *s);
/* Version of SQLite. */
const char *cop_store_library(void);
/* How long to wait for other programs that use the file; 10 s at first. */
void cop_store_patience(cop_store *s, int milliseconds);
/* Store one run in one transaction. */
int cop_store_add(cop_store *s, const cop_store_meta *meta, const cop_result *r, int64_t *run_id,
                  cop_err *err);

/* Readers. Return 1 if found, 0 if there is no such thing, -COP_E_IO on a fault. */

/* The newest run of this configuration and seed, by this model (NULL: any): its id, 0 if none,
 * negative on a fault. */
int64_t cop_store_find_run(cop_store *s, uint64_t config_hash, int64_t seed, const char *model,
                           cop_err *err);
/* How it ended, the first line of what it says about that ("" if nothing), and the behaviour of the model that made it,
 * or the model where its behaviour is not known; in the arena. */
int cop_store_load_outcome(cop_store *s, int64_t run_id, enum cop_outcome *outcome,
                           cop_arena *arena, const char **detail, const char **behaviour,
                           cop_err *err);
/* The result of a stored run: all lists, with the main numbers among the scalars, under the names
 * `coppice run --json` prints. Histograms are left out. 1, 0 or a fault. The caller frees r->arena. */
int cop_store_load(cop_store *s, int64_t run_id, cop_result *r, cop_err *err);
/* What is in a frame of the run (r->frame has the times): arrays for n_ports ports, in the arena. */
int cop_store_frame(cop_store *s, int64_t run_id, uint32_t frame, uint32_t n_ports, cop_frame *f,
                    cop_arena *arena, cop_err *err);
/* Contributors and victims of f->tree at f->frame, or when they were looked up last before, in the arena. */
int cop_store_tree_parts(cop_store *s, int64_t run_id, cop_tree_frame *f, cop_arena *arena,
                         cop_err *err);
/* 1 if this run has frames, 0 if not or there is none such; or a fault. */
int cop_store_has_frames(cop_store *s, int64_t run_id, cop_err *err);
/* The newest run that has frames, 0 if none has. */
int64_t cop_store_newest_frames(cop_store *s, cop_err *err);
/* A value stored as "not a number" comes back as NaN. */
int cop_store_scalar(cop_store *s, int64_t run_id, const char *name, double *value, cop_err *err);
int cop_store_series(cop_store *s, int64_t run_id, const char *name, cop_series *series,
                     cop_arena *arena, cop_err *err);
/* `name` is "latency" or "transit"; values in picoseconds. All is exact but the sum, which is
 * rebuilt from the mean. */
int cop_store_hist(cop_store *s, int64_t run_id, const char *name, cop_hist *h, cop_err *err);
/* Every run in order of id. 0, or what the callback stopped with, or -COP_E_IO. */
int cop_store_runs(cop_store *s, cop_store_run_fn fn, void *user, cop_err *err);

/* Was a run with this command made for a study? Those that `coppice run` stores name the file. */
bool cop_store_by_study(const char *command);
/* Remove runs with all that belongs to them, and give their room back (prune.c). Runs that a stored
 * study shows stay. 0 or a fault, after which all are there. */
int cop_store_remove(cop_store *s, const int64_t *id, size_t n, size_t *removed, cop_err *err);

#endif
