/* Applications as traffic: building jobs (used by traffic/) and their results (used by stats/). */
#ifndef COP_APP_JOB_H
#define COP_APP_JOB_H

#include "app/graph.h"
#include "net/app.h"

struct cop_stream;
struct cop_msg;

typedef struct cop_job_cfg {
    cop_time start; /* its first operations begin */
    cop_time stop; /* nothing is handed to the network from then on */
    uint64_t overhead_ps, overhead_byte_ps; /* o, O: of the CPU, per message and per byte */
    uint64_t gap_ps, gap_byte_ps; /* g, G: of the NIC */
    uint64_t eager_bytes; /* S: longer messages are announced first */
    uint32_t request_bytes; /* of the announcement, and of the answer to it */
    cop_time local_ps; /* between ranks of one host: latency */
    uint64_t local_byte_ps; /* and time per byte */
    double compute_scale; /* of all computation */
    uint32_t nics; /* hosts per rank */
    uint8_t sl;
} cop_job_cfg;

/* Where the time of a rank went. */
typedef struct cop_rank_times {
    cop_time end; /* its last operation; COP_NEVER: not finished */
    cop_time compute, overhead; /* of its CPUs, added up */
    cop_time busy; /* some CPU at work */
    uint64_t sends, receives, bytes_sent, bytes_received;
} cop_rank_times;

typedef struct cop_job_times {
    uint64_t messages, bytes; /* delivered; without requests and grants */
    cop_time network_sum, network_max; /* from the hand-over to the last byte */
} cop_job_times;

/* The critical path of a job. */
typedef struct cop_path_step {
    uint32_t rank, op;
    cop_time from, to;
    cop_time compute, overhead, network, wait; /* add up to `to` - `from` */
} cop_path_step;
typedef struct cop_path {
    cop_path_step *step; /* from the end to the beginning; heap */
    size_t n, cap;
    cop_time compute, overhead, network, wait;
} cop_path;

cop_app *cop_app_new(void);
void cop_app_free(cop_app *a);

/* Add a job: takes the graph over. host[rank * nics + nic]. Returns the job's number. */
uint32_t cop_app_add(cop_app *a, cop_graph *g, const char *name, const cop_job_cfg *cfg,
                     const uint32_t *host);
/* Streams have their final places: outbox `box` is stream number `number` of them. */
void cop_app_attach(cop_app *a, struct cop_stream *stream, uint32_t box, uint32_t number);
/* The outboxes of a job: one stream each. */
uint32_t cop_app_boxes(const cop_app *a, uint32_t job, uint32_t *first);
uint32_t cop_app_box_host(const cop_app *a, uint32_t box);
/* The next message of an outbox: called by traffic/ when the NIC takes it. */
void cop_app_take(cop_app *a, uint32_t box, cop_time now, struct cop_msg *m);

/* Results of a job. */
uint32_t cop_app_jobs(const cop_app *a);
uint32_t cop_app_total_ranks(const cop_app *a);
const cop_graph *cop_app_graph(const cop_app *a, uint32_t job);
const char *cop_app_job_name(const cop_app *a, uint32_t job);
const cop_job_cfg *cop_app_job_cfg(const cop_app *a, uint32_t job);
cop_time cop_app_job_end(const cop_app *a, uint32_t job); /* COP_NEVER: not finished */
uint64_t cop_app_job_left(const cop_app *a, uint32_t job);
bool cop_app_job_stuck(const cop_app *a, uint32_t job);
const cop_job_times *cop_app_job_times(const cop_app *a, uint32_t job);
const cop_rank_times *cop_app_rank_times(const cop_app *a, uint32_t job, uint32_t rank);
uint32_t cop_app_rank_host(const cop_app *a, uint32_t job, uint32_t rank, uint32_t nic);
/* Times of an operation; COP_NEVER: not yet. */
void cop_app_op_times(const cop_app *a, uint32_t job, uint32_t op, cop_time *start, cop_time *end);
cop_time cop_app_op_overhead(const cop_app *a, uint32_t job, uint32_t op);
/* "rank 3 waits for ..." of the first rank that has not finished; "" if all have. */
const char *cop_app_waits(const cop_app *a, uint32_t job, char *buf, size_t size);
/* path.c */
void cop_app_path(const cop_app *a, uint32_t job, cop_path *p);
void cop_path_free(cop_path *p);

#endif
