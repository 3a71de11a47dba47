// Shared by the wrappers of MPI calls. A wrapper: enter, call PMPI_*, record, leave.
//
//   int MPI_Send(...)
//   {
//       if (!rec_enter())                        // not recording here: nested, before MPI_Init, after the end
//           return PMPI_Send(...);
//       int rc = PMPI_Send(...);
//       if (rc == MPI_SUCCESS) ...
//       return rec_leave(rc);
//   }
// State: MPI is one per process, and so is `rec`: the one place with changing global state.
#ifndef COPPICE_WRAP_H
#define COPPICE_WRAP_H
#include "record.h"
#include <pthread.h>
#include <stdatomic.h>
#pragma GCC visibility push(default) // our MPI_* are what the library is for
#include <mpi.h>
#pragma GCC visibility pop

// -- options.c --

enum rec_clock { REC_CPU, REC_THREAD, REC_WALL };

// A place among the collectives of MPI_COMM_WORLD: NAME#N or NAME/BYTES#N, the N-th of these calls; several, separated by commas,
// are counted one after the other.
enum { REC_STEPS = 8, REC_REGIONS = 32 };
struct rec_place {
    struct {
        char name[32];
        int64_t bytes; // of this rank; -1: any
        uint64_t nth;
    } step[REC_STEPS];
    int steps, at; // at: the one that is looked for
    uint64_t seen;
};

// Recorded from a place on, up to another (or the end), into a file of its own.
struct rec_region {
    char name[64];
    struct rec_place from, to;
};

struct rec_options {
    const char *out, *log, *folder;
    double scale;
    enum rec_clock clock;
    uint64_t limit, min_bytes, poll_ns, min_calc_ns;
    bool keep_any, notes, quit;
    struct rec_region region[REC_REGIONS]; // in order of time
    int regions;
};
// False, and one line in `fault`, if the environment says something that cannot be.
bool rec_options_read(struct rec_options *o, char *fault, size_t room);

// -- comms.c: communicators --

// Shared by the communicator (as an attribute) and the requests that wait on it.
struct rec_comm {
    int refs;
    uint32_t context; // no two communicators with the same pair of members have the same
    int size, me; // me: -1 in an intercommunicator
    int *world; // ranks in MPI_COMM_WORLD of those that can be sent to; -1: not in it
    int32_t number; // of the next collective
    bool inter, is_world;
};
void rec_comms_begin(void);
// Null if the communicator is not known to us; says so once.
struct rec_comm *rec_comm_of(MPI_Comm comm);
// Collective over the new communicator.
void rec_comm_adopt(MPI_Comm comm);
void rec_comm_release(struct rec_comm *c);

// -- requests.c --

enum rec_request_kind { REC_REQ_SEND, REC_REQ_RECV, REC_REQ_DONE };

struct rec_request {
    uint64_t key;
    struct rec_request *next; // in the table; free ones
    struct rec_request *younger; // with the same handle
    struct rec_request *youngest; // of these; kept by the oldest
    enum rec_request_kind kind;
    bool persistent, active;
    bool probed; // the receive was emitted when a probe found its message
    struct rec_ref ref;
    struct rec_record record; // as it was emitted, or shall be when a persistent one starts
    struct rec_comm *comm;
};
uint64_t rec_request_key(MPI_Request r);
struct rec_request *rec_request_add(MPI_Request r, struct rec_comm *c);
// The oldest one: libraries give one handle to all requests that were done at once.
struct rec_request *rec_request_find(uint64_t key);
// The oldest of its handle.
void rec_request_remove(struct rec_request *r);
void rec_request_each(void (*visit)(struct rec_request *));
bool rec_requests_none(void);

// -- begin.c: the state, time and switches --

struct rec_state {
    bool ready; // between MPI_Init and MPI_Finalize, and recording was wanted
    atomic_bool inside;
    pthread_t owner;
    int rank, ranks;
    MPI_Comm world; // of the recorder alone
    struct rec_options options;
    struct recording to;
    bool region, control; // inside a region; MPI_Pcontrol says so
    int next; // region that is recorded, or will be
    bool partial; // not all was recorded: messages may lack their other end
    bool polled; // since the last call nothing but a test that found nothing
    bool clash;
    uint64_t left_ns, calc_ns; // when the last call ended; computation not yet written
    uint64_t own_ns; // between two readings of the clock
    uint64_t calls, world_calls;
    FILE *file, *log; // of rank 0
    unsigned warned;
};
extern struct rec_state rec;

bool rec_enter(void);
int rec_leave(int rc);
bool rec_on(void);
enum rec_warning {
    REC_WARN_COMM = 1,
    REC_WARN_WINDOW = 2,
    REC_WARN_NEIGHBOUR = 4,
    REC_WARN_INTER = 8,
    REC_WARN_SPAWN = 16,
    REC_WARN_THREADS = 32,
    REC_WARN_CUT = 64,
};
// One line on standard error, once per kind and rank 0 only, except for what only this rank knows.
void rec_warn(enum rec_warning which, const char *what);
// A collective is called on MPI_COMM_WORLD: count it, list it, begin or end the region here.
void rec_world_call(const char *name, uint64_t bytes);

// -- point.c: messages --

// The computation since the last operation becomes one.
void rec_computed(void);
uint64_t rec_bytes(int count, MPI_Datatype type);
// Send or receive, started only. A null reference for MPI_PROC_NULL and when nothing is recorded.
struct rec_ref rec_message(uint8_t kind, struct rec_comm *c, int peer, int tag, uint64_t bytes,
                           struct rec_record *kept);
// A blocking receive that has ended with this status, unless a probe has recorded it.
struct rec_ref rec_received(struct rec_comm *c, int posted_source, const MPI_Status *status);
struct rec_record rec_record_of(uint8_t kind, struct rec_comm *c, int peer, int tag,
                                uint64_t bytes);
uint64_t rec_status_bytes(const MPI_Status *status);
// A message that a probe found: recorded now, received later.
struct rec_ref rec_probe_take(uint32_t context, int source, int tag, struct rec_record *found);
void rec_probe_forget(void);
void rec_probe_add(struct rec_ref ref, const struct rec_record *r, uint64_t message);
struct rec_ref rec_probe_take_message(uint64_t message, struct rec_record *found);
bool rec_probe_known(uint32_t context, int source, int tag);
// The request has ended; status as MPI gave it.
void rec_ended(uint64_t key, const MPI_Status *status);
// Requests as they were before the call, because it may set them to null.
uint64_t *rec_keys(int n, const MPI_Request *r);
MPI_Status *rec_statuses(int n);

// -- collect.c: collectives --

void rec_collective(MPI_Comm comm, enum rec_collective which, const char *name,
                    const struct rec_sizes *s);
void rec_collective_begin(MPI_Comm comm, enum rec_collective which, const char *name,
                          const struct rec_sizes *s, MPI_Request request);
uint64_t *rec_counts(int n, const int *counts, MPI_Datatype type, int which);
uint64_t *rec_counts_of(int n, const int *counts, const MPI_Datatype *types, int which);
uint64_t *rec_same(int n, uint64_t bytes);
int rec_comm_size(MPI_Comm comm);
bool rec_is_root(MPI_Comm comm, int root);

// -- write.c: the end --

// Writes what was recorded as the trace of a region (-1: of all) and forgets it. Collective over MPI_COMM_WORLD.
void rec_write(int region);
// The file of a region; false if the name is too long.
bool rec_file_of(int region, char *path, size_t room);
#endif
