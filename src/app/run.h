/* Running programs: jobs, their ranks, and messages between them. Private to app/ and its tests, but for
 * what job.h shows.
 *
 *   rank.c    operations of a rank: dependencies, CPUs, what happens when
 *   message.c messages: eager, or announced first (rendezvous); order; matching with receives (match.c)
 *   job.c     jobs are made, started, and found to be done or stuck
 *   path.c    what the end of a job depended on */
#ifndef COP_APP_RUN_H
#define COP_APP_RUN_H

#include "app/graph.h"
#include "app/job.h"
#include "net/app.h"

/* How an operation came to go on last: by what, and at which end of it. */
enum cop_cause_kind {
    COP_CAUSE_NONE, /* the job began */
    COP_CAUSE_END, /* another operation of its rank has finished: a dependency, or its CPU */
    COP_CAUSE_HANDED, /* a send has handed its message over: it has come, or the CPU is free */
};

typedef struct cop_op_state {
    cop_time start, end; /* COP_NEVER: not yet. A receive starts when it is posted */
    uint32_t need; /* dependencies that are left; then: next in the list it waits in */
    uint32_t cause; /* operation << 2 | enum cop_cause_kind */
} cop_op_state;

/* A send whose end waited for a receive that was posted after the request had come: what that receive had
 * waited for. Apart from the state, as the send itself began because of something else. */
typedef struct cop_late {
    uint32_t op, cause;
} cop_late;

/* What a rank has to do at a time. */
enum cop_todo_kind { COP_TODO_CPU, COP_TODO_WAIT, COP_TODO_MESSAGE, COP_TODO_LEFT };
typedef struct cop_todo {
    cop_time t;
    uint32_t serial; /* those of one instant in the order in which they came up */
    uint32_t id; /* CPU, operation or message */
    uint8_t kind;
} cop_todo;

typedef struct cop_cpu {
    uint32_t op; /* that it runs, or COP_NONE */
    uint32_t head, tail; /* operations that wait for it */
} cop_cpu;

typedef struct cop_outbox { /* of a stream: one NIC of a rank */
    uint32_t head, tail; /* messages */
    uint32_t stream;
    cop_time free_at; /* the next one may be handed over */
} cop_outbox;

typedef struct cop_rank {
    uint32_t job, number;
    uint32_t cpu0, box0; /* first of its CPUs and NICs */
    cop_time wake; /* pending cop_app_act, COP_NEVER: none */
    cop_todo *todo; /* heap by (t, serial) */
    size_t todo_cap;
    uint32_t todo_n, serial;
    uint32_t left; /* operations not yet finished */
    uint32_t wild; /* posted receives with `any` that wait */
    uint32_t wild_head, wild_tail; /* their list */
    uint32_t early_head, early_tail; /* messages that no receive has taken, in order of arrival */
    uint32_t busy; /* CPUs at work */
    bool wished; /* stands in the wishes */
    cop_time busy_since;
    cop_rank_times time;
} cop_rank;

enum cop_letter_kind { COP_LETTER_EAGER, COP_LETTER_REQUEST, COP_LETTER_GRANT, COP_LETTER_DATA };
typedef struct cop_letter { /* a message */
    uint32_t from, to; /* ranks, of all jobs */
    uint32_t op, recv; /* operations; recv: COP_NONE until it is known */
    uint32_t tag, order; /* order: among those of its pair that are to be matched */
    uint32_t left; /* bytes under way */
    uint32_t next; /* in an outbox, in a list of early ones, or free */
    uint32_t next_same, prev_early; /* early: of the same sender and tag; in the rank's list */
    cop_time handed, last; /* handed over; latest arrival of its packets */
    uint8_t kind, nic;
    bool late; /* GRANT, DATA: the receive was posted after the request had come */
    bool gone; /* DATA: its sender knows that it has left */
    uint32_t cause; /* GRANT: and what it had waited for */
} cop_letter;

typedef struct cop_pair { /* sender and receiver; order of messages that are to be matched */
    uint32_t sent, taken;
    uint32_t early; /* messages that came before their turn, by order */
} cop_pair;

typedef struct cop_posted { /* of one (receiver, sender, tag): receives, or messages, that wait */
    uint32_t head, tail; /* operations, or messages if `letters`; COP_NONE: none */
    bool letters;
} cop_posted;

typedef struct cop_job {
    cop_graph graph;
    cop_job_cfg cfg;
    const char *name;
    cop_op_state *state; /* [n_ops] heap */
    cop_posted *posted; /* [graph.n_keys] heap */
    cop_pair *pair; /* [graph.n_pairs] heap */
    cop_late *late; /* heap */
    size_t n_late, late_cap;
    uint32_t rank0; /* its ranks begin here */
    uint32_t *host; /* [n_ranks * nics] */
    uint64_t left; /* operations not yet finished */
    uint64_t pending; /* things to do, and messages under way */
    bool stuck;
    cop_time end; /* when its last operation finished */
    cop_job_times time;
} cop_job;

struct cop_app {
    cop_app_wish wish;
    size_t wish_streams_cap;
    cop_job *job; /* [n_jobs] heap */
    uint32_t n_jobs, jobs_open;
    size_t job_cap;
    cop_rank *rank; /* heap */
    uint32_t n_ranks;
    size_t rank_cap;
    cop_cpu *cpu;
    size_t n_cpus, cpu_cap;
    cop_outbox *box;
    size_t n_boxes, box_cap;
    cop_letter *letter; /* pool */
    size_t letter_cap;
    uint32_t letter_n, letter_free;
    uint32_t *ready; /* operations of the acting rank that may start */
    size_t ready_cap, ready_n, ready_at;
    struct cop_stream *stream; /* of the traffic */
    cop_time now; /* of the rank that acts */
};

/* rank.c */
void cop_rank_todo(cop_app *a, uint32_t rank, cop_time t, enum cop_todo_kind kind, uint32_t id);
/* Operation op of a rank has what it waited for, and wants its CPU. */
void cop_rank_use_cpu(cop_app *a, uint32_t rank, uint32_t op);
void cop_rank_finish(cop_app *a, uint32_t rank, uint32_t op);
cop_time cop_op_overhead(const cop_job *j, const cop_op *op);

/* message.c */
void cop_letter_send(cop_app *a, uint32_t rank, uint32_t op);
void cop_letter_came(cop_app *a, uint32_t rank, uint32_t letter);
void cop_letter_post(cop_app *a, uint32_t rank, uint32_t op);

/* match.c: first come, first served among those that fit. COP_NONE: nothing waits. */
void cop_match_init(cop_job *j);
/* A receive that waits for such a message, taken out of its list. */
uint32_t cop_match_receive(cop_app *a, uint32_t rank, uint32_t letter);
void cop_match_keep_letter(cop_app *a, uint32_t rank, uint32_t letter);
/* A message that has come and fits the receive, taken out. */
uint32_t cop_match_letter(cop_app *a, uint32_t rank, const cop_op *op);
void cop_match_keep_receive(cop_app *a, uint32_t rank, uint32_t op);

/* The stream has, or no longer has, a message: set its t_next. */
void cop_box_show(cop_app *a, cop_outbox *box, cop_time now);
void cop_app_want_stream(cop_app *a, uint32_t stream);
/* The wishes are complete. */
const cop_app_wish *cop_app_wishes(cop_app *a);

static inline cop_job *cop_job_of(const cop_app *a, uint32_t rank)
{
    return &a->job[a->rank[rank].job];
}

#endif
