/* Coppice as a library: open a configuration, run it, read the results.
 *
 *   coppice_config *c = coppice_open("fabric.yaml");
 *   coppice_set(c, "switch.buffer=32 KiB");
 *   coppice_result *r = coppice_run(c);
 *   if (r == NULL)
 *       fputs(coppice_error(c), stderr);
 *   else
 *       printf("%g Gbit/s\n", coppice_scalar(r, "throughput_gbps"));
 *   coppice_free(r);
 *   coppice_close(c);
 *
 * Ownership  Who opens closes: coppice_open* with coppice_close, coppice_run with coppice_free.
 *            Every pointer that comes out of a handle belongs to that handle. A result does not need its
 *            configuration any more; close them in any order. NULL may be closed and freed.
 * Threads    There is no global state. Different handles may be used by different threads at the
 *            same time; one handle by one thread at a time.
 * Results    The same configuration and seed give the same coppice_hash on any machine.
 * Output     Nothing is printed. Two things end the process with one line on standard error: no
 *            memory left, and a broken invariant, which is a fault of coppice.
 *
 * Compile with `cc program.c $(pkg-config --cflags --libs --static coppice)`. */
#ifndef COPPICE_H
#define COPPICE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coppice_config coppice_config;
typedef struct coppice_result coppice_result;

/* How a simulation ended. Anything but OK is a result all the same, and can be read and stored. */
enum coppice_outcome {
    COPPICE_OK = 0,
    COPPICE_DEADLOCK = 1, /* packets wait for each other in a cycle */
    COPPICE_LOSS = 2, /* a buffer overflowed; only with flow_control.unsafe */
    COPPICE_BROKEN = 3 /* an invariant does not hold: a fault of coppice */
};

/* "0.1.0" */
const char *coppice_version(void);

/* -- configurations -- */

/* A run file. It is read when the configuration is checked or run, not before. Never NULL. */
coppice_config *coppice_open(const char *file);
/* The text of a run file, which is copied. `name` stands for the file in messages, and its
 * directory is where relative paths begin. Never NULL. */
coppice_config *coppice_open_text(const char *name, const char *text);
void coppice_close(coppice_config *c);

/* Change one option, as `coppice run --set` does: "switch.buffer=32 KiB", "traffic.F1.to=3". The
 * text is copied. Whether it makes sense shows in the next check or run. */
void coppice_set(coppice_config *c, const char *assignment);

/* Read the configuration and build its network, without simulating. 0, or -1 with coppice_error. */
int coppice_check(coppice_config *c);
/* The effective configuration after the last check or run that was good, as YAML with all defaults
 * and units; NULL if there was none. Lives until the next check, run or close. */
const char *coppice_text(const coppice_config *c);
/* What was wrong with the last check or run, one fault per line, "file:line:column: what is wrong;
 * what would be right". Empty if nothing was. Lives until the next check, run or close. */
const char *coppice_error(const coppice_config *c);

/* Simulate. NULL if the configuration is not good; see coppice_error. A configuration can be run
 * any number of times. */
coppice_result *coppice_run(coppice_config *c);

/* -- results -- */

void coppice_free(coppice_result *r);
enum coppice_outcome coppice_outcome(const coppice_result *r);
/* The explanation when the outcome is not COPPICE_OK, for instance the ports of a deadlock; else
 * empty. */
const char *coppice_detail(const coppice_result *r);
/* A number for everything that happened: equal hashes mean equal runs. */
uint64_t coppice_hash(const coppice_result *r);

/* Single numbers, by the names of docs/RESULTS.md: "packets_delivered", "throughput_gbps",
 * "latency_ns.p99", ... NaN if there is no such number or it has no value. */
double coppice_scalar(const coppice_result *r, const char *name);
/* All of them: number i has a name and a unit; NULL past the last. */
const char *coppice_scalar_name(const coppice_result *r, size_t i);
const char *coppice_scalar_unit(const coppice_result *r, size_t i);

/* Numbers over time: "network/throughput", "throughput/F1", ... Value i covers the time from i to
 * i + 1 times coppice_sample_ns. NULL if there is no such series; *n is then 0. `n` may be NULL. */
const double *coppice_series(const coppice_result *r, const char *name, size_t *n);
/* All of them: series i has a name and a unit; NULL past the last. */
const char *coppice_series_name(const coppice_result *r, size_t i);
const char *coppice_series_unit(const coppice_result *r, size_t i);
double coppice_sample_ns(const coppice_result *r);

/* Streams: one generator at one host. `i` counts from 0. */
size_t coppice_stream_count(const coppice_result *r);
/* The first stream of the traffic entry of this name, -1 if there is none. */
int64_t coppice_stream_find(const coppice_result *r, const char *entry);
const char *coppice_stream_entry(const coppice_result *r, size_t i);
int64_t coppice_stream_host(const coppice_result *r, size_t i);
/* -1 if destinations change from message to message. */
int64_t coppice_stream_dst(const coppice_result *r, size_t i);
/* Payload delivered, and mean latency from generation, after the warm-up. */
double coppice_stream_gbps(const coppice_result *r, size_t i);
double coppice_stream_latency_ns(const coppice_result *r, size_t i);
/* Payload of the whole run. */
uint64_t coppice_stream_sent_bytes(const coppice_result *r, size_t i);
uint64_t coppice_stream_delivered_bytes(const coppice_result *r, size_t i);

/* Add the result to an SQLite file, which is made if need be; docs/RESULTS.md explains its tables.
 * The number of the run, or -1 with coppice_store_error. */
int64_t coppice_store(coppice_result *r, const char *db);
/* What was wrong with the last store; empty if nothing was. Lives until the next store or free. */
const char *coppice_store_error(const coppice_result *r);

#ifdef __cplusplus
}
#endif

#endif
