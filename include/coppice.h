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
 *            Every pointer that comes out of a handle belongs to that handle. A result does not need
 *            its configuration any more; close them in any order. NULL may be closed and freed.
 * Threads    There is no global state. Different handles may be used by different threads at the
 *            same time; one handle by one thread at a time, not always the same.
 * Results    The same configuration and seed give the same coppice_hash on any machine.
 * Memory     No memory left is a fault like any other: the call says so (NULL or -1, COPPICE_NO_MEMORY)
 *            and has released what it had taken; the program goes on. A handle that was given to the
 *            call can be used again or closed.
 * Locale     Numbers have a decimal point, in what is read and in what is written, whatever locale the
 *            program has set. A progress function runs in the caller's locale, plug-ins in that of C.
 * Output     Nothing is printed, and the process is not ended, but for one case: a broken invariant,
 *            which is a fault of coppice, or a number past the last of an array, which is one of the
 *            caller, is said in one line on standard error, and abort() called.
 *
 * Compile with `cc program.c $(pkg-config --cflags --libs coppice)`. To link libcoppice.a instead:
 * `$(pkg-config --static --libs coppice | sed s/-lcoppice/-l:libcoppice.a/)`. */
#ifndef COPPICE_H
#define COPPICE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define COPPICE_API __attribute__((visibility("default")))
#else
#define COPPICE_API
#endif

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
    COPPICE_BROKEN = 3, /* an invariant does not hold: a fault of coppice */
    COPPICE_STARVED = 5, /* messages wait for a congestion control that will never let them go */
    COPPICE_STUCK = 6 /* a job waits for a message that will never come */
};

/* Why a call did not do what was asked. */
enum coppice_fault {
    COPPICE_NO_FAULT = 0,
    COPPICE_BAD_INPUT = 2, /* the configuration, or a file that it names */
    COPPICE_BAD_FILE = 4, /* a file that cannot be read or written */
    COPPICE_NO_MEMORY = 5,
    COPPICE_STOPPED = 6 /* by the caller's own progress function */
};

/* "0.1.0" */
COPPICE_API const char *coppice_version(void);

/* -- configurations -- */

/* A run file. It is read when the configuration is checked or run, not before. NULL only if there is
 * no memory. */
COPPICE_API coppice_config *coppice_open(const char *file);
/* The text of a run file, which is copied. `name` stands for the file in messages, and its
 * directory is where relative paths begin. NULL only if there is no memory. */
COPPICE_API coppice_config *coppice_open_text(const char *name, const char *text);
COPPICE_API void coppice_close(coppice_config *c);

/* Change one option, as `coppice run --set` does: "switch.buffer=32 KiB", "traffic.F1.to=3". The
 * text is copied. Whether it makes sense shows in the next check or run. 0; or -1 if there is no
 * memory: then later checks and runs of this handle fail too, so that no run without the option is
 * taken for one with it. */
COPPICE_API int coppice_set(coppice_config *c, const char *assignment);

/* Mechanisms of your own, beside those that `coppice list` names: a table as exp/plugin.h makes it
 * (COPPICE_PLUGINS; its cflags are those of the pkg-config module coppice-plugin), or a shared object that has
 * one. Configurations of this handle can then say their names: "cc.kind=aimd". 0, or -1 with coppice_error,
 * and nothing is added. A table must live as long as the handle and the results of its runs; a shared object
 * stays loaded until the process ends, and its code has all rights of the process. */
struct coppice_plugins;
COPPICE_API int coppice_plug(coppice_config *c, const struct coppice_plugins *plugins);
COPPICE_API int coppice_plug_file(coppice_config *c, const char *file);

/* Read the configuration and build its network, without simulating. 0, or -1 with coppice_error. */
COPPICE_API int coppice_check(coppice_config *c);
/* The effective configuration after the last check or run that was good, as YAML with all defaults
 * and units; NULL if there was none. Lives until the next check, run or close. */
COPPICE_API const char *coppice_text(const coppice_config *c);
/* What was wrong with the last set, check or run, one fault per line, "file:line:column: what is
 * wrong; what would be right". Empty if nothing was. Lives until the next of them or close. */
COPPICE_API const char *coppice_error(const coppice_config *c);
/* The same as a number; of several faults, that of the first. */
COPPICE_API enum coppice_fault coppice_fault(const coppice_config *c);

/* How far a run is: simulated time, the configured duration (with run.drain a run goes on beyond it),
 * packets over links so far. Return 0 to go on; anything else stops the run, and coppice_run returns
 * NULL with COPPICE_STOPPED. Must return: no longjmp, no C++ exception. It may use other handles. */
typedef int (*coppice_progress_fn)(void *ctx, double now_ns, double end_ns, uint64_t packet_hops);
/* Call fn(ctx, ...) during every run of this configuration; NULL for none. It is called by the thread
 * that called coppice_run: at every sample (run.sample; by default a hundredth of the run), and
 * between samples about every million events, a fraction of a second. It is not called while the
 * network is being built. Results do not depend on it. */
COPPICE_API void coppice_progress(coppice_config *c, coppice_progress_fn fn, void *ctx);

/* Simulate. NULL if the configuration is not good, there is no memory or the progress function wanted
 * to stop; see coppice_error and coppice_fault. A configuration can be run any number of times. */
COPPICE_API coppice_result *coppice_run(coppice_config *c);

/* -- results -- */

COPPICE_API void coppice_free(coppice_result *r);
COPPICE_API enum coppice_outcome coppice_outcome(const coppice_result *r);
/* The explanation when the outcome is not COPPICE_OK, for instance the ports of a deadlock; else
 * empty. */
COPPICE_API const char *coppice_detail(const coppice_result *r);
/* A number for everything that happened: equal hashes mean equal runs. */
COPPICE_API uint64_t coppice_hash(const coppice_result *r);

/* Single numbers, by the names of docs/RESULTS.md: "packets_delivered", "throughput_gbps",
 * "latency_ns.p99", ... NaN if there is no such number or it has no value. */
COPPICE_API double coppice_scalar(const coppice_result *r, const char *name);
/* All of them: number i has a name and a unit; NULL past the last. */
COPPICE_API const char *coppice_scalar_name(const coppice_result *r, size_t i);
COPPICE_API const char *coppice_scalar_unit(const coppice_result *r, size_t i);

/* Numbers over time: "network/throughput", "throughput/F1", ... Value i covers the time from i to
 * i + 1 times coppice_sample_ns. NULL if there is no such series; *n is then 0. `n` may be NULL. */
COPPICE_API const double *coppice_series(const coppice_result *r, const char *name, size_t *n);
/* All of them: series i has a name and a unit; NULL past the last. */
COPPICE_API const char *coppice_series_name(const coppice_result *r, size_t i);
COPPICE_API const char *coppice_series_unit(const coppice_result *r, size_t i);
COPPICE_API double coppice_sample_ns(const coppice_result *r);

/* Streams: one generator at one host. `i` counts from 0. */
COPPICE_API size_t coppice_stream_count(const coppice_result *r);
/* The first stream of the traffic entry of this name, -1 if there is none. */
COPPICE_API int64_t coppice_stream_find(const coppice_result *r, const char *entry);
COPPICE_API const char *coppice_stream_entry(const coppice_result *r, size_t i);
COPPICE_API int64_t coppice_stream_host(const coppice_result *r, size_t i);
/* -1 if destinations change from message to message. */
COPPICE_API int64_t coppice_stream_dst(const coppice_result *r, size_t i);
/* Payload delivered, and mean latency from generation, after the warm-up. */
COPPICE_API double coppice_stream_gbps(const coppice_result *r, size_t i);
COPPICE_API double coppice_stream_latency_ns(const coppice_result *r, size_t i);
/* Payload of the whole run. */
COPPICE_API uint64_t coppice_stream_sent_bytes(const coppice_result *r, size_t i);
COPPICE_API uint64_t coppice_stream_delivered_bytes(const coppice_result *r, size_t i);

/* Ports: one directed link, after the warm-up. `i` counts from 0, over ports with a cable. */
COPPICE_API size_t coppice_port_count(const coppice_result *r);
/* The port of this name, -1 if there is none. */
COPPICE_API int64_t coppice_port_find(const coppice_result *r, const char *name);
/* "s3.5" is port 5 of switch 3, "h12" a host; or the names of a topology file. */
COPPICE_API const char *coppice_port_name(const coppice_result *r, size_t i);
/* The port at the other end, which it sends to. */
COPPICE_API const char *coppice_port_to(const coppice_result *r, size_t i);
/* Share of the time in which the link was busy, 0 to 1. */
COPPICE_API double coppice_port_utilisation(const coppice_result *r, size_t i);
/* Bytes that waited for this port, at the samples: their mean, and the most. */
COPPICE_API double coppice_port_mean_queue_bytes(const coppice_result *r, size_t i);
COPPICE_API uint64_t coppice_port_max_queue_bytes(const coppice_result *r, size_t i);

/* Add the result to an SQLite file, which is made if need be; docs/RESULTS.md explains its tables.
 * The number of the run, or -1 with coppice_store_error. */
COPPICE_API int64_t coppice_store(coppice_result *r, const char *db);
/* What was wrong with the last store; empty if nothing was. Lives until the next store or free. */
COPPICE_API const char *coppice_store_error(const coppice_result *r);
COPPICE_API enum coppice_fault coppice_store_fault(const coppice_result *r);

#ifdef __cplusplus
}
#endif

#endif
