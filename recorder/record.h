// What is recorded of one rank, without MPI: operations with dependencies, written to a spool file.
//
// Role: the wrappers (wrap_*.c) tell what the program did; this part numbers operations, chains them and
// keeps them on disk until MPI_Finalize writes GOAL text (text.c).
// Rules: operations of a rank are numbered from 1. An operation waits for what its cursor says: it
// `requires` what was waited for since the cursor's last operation, and it `irequires` the last operation
// if that one was only started (a non-blocking send), so that the order of posting is kept.
// State: one buffer of records per rank; all else is on disk, so memory does not grow with the run.
// A receive is patched when it completes: only then source, tag and length are known.
#ifndef COPPICE_RECORD_H
#define COPPICE_RECORD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum rec_kind {
    REC_CALC = 1, // value: nanoseconds
    REC_SEND, // value: bytes
    REC_RECV, // value: bytes
    REC_REQUIRES, // value: an earlier operation, on which the operation before waits
    REC_IREQUIRES, // the same, but only for its start
    REC_NOTE, // a collective begins; value: bytes, peer: ranks, tag: which
};

enum rec_flag {
    REC_COLLECTIVE = 1, // tag is a number of a collective, not of the program
    REC_ANY = 2, // posted for any source
};

struct rec_record {
    uint8_t kind, flags;
    uint16_t spare;
    int32_t peer; // rank in MPI_COMM_WORLD
    int32_t tag;
    uint32_t context; // of the communicator
    uint64_t value;
};

// An operation: its number (0: none), and where its record is.
struct rec_ref {
    uint64_t op, at;
};

// -- spool.c: records on disk, appended, patched, read back --

enum { REC_SPOOL_RECORDS = 1 << 15 };

struct rec_spool {
    int fd;
    int fault; // errno of the first failure; appending is over then
    bool reading;
    uint64_t count; // records appended
    uint64_t base; // first record in buffer
    size_t held; // records in buffer
    uint64_t next; // reading: the next record
    struct rec_record *buffer; // REC_SPOOL_RECORDS of them
};

// 0, or an errno. The file has no name: nothing stays behind when the program is killed.
int rec_spool_open(struct rec_spool *s, const char *folder);
// False if it could not be written; then the spool keeps what it had.
bool rec_spool_append(struct rec_spool *s, const struct rec_record *r);
bool rec_spool_get(struct rec_spool *s, uint64_t at, struct rec_record *r);
bool rec_spool_patch(struct rec_spool *s, uint64_t at, const struct rec_record *r);
// Read all from the beginning; nothing may be appended afterwards.
void rec_spool_rewind(struct rec_spool *s);
bool rec_spool_next(struct rec_spool *s, struct rec_record *r);
// Forget all records; a fault stays.
void rec_spool_reset(struct rec_spool *s);
void rec_spool_close(struct rec_spool *s);

// -- record.c: cursors --

// A sequence of operations: the program's own, or that of a collective that goes on beside it.
struct rec_cursor {
    uint64_t last; // operation that was emitted last, 0 for none
    bool last_wanted; // last is a computation: it must end, not only begin, before the next one
    uint64_t *wanted; // operations that must end before the next one
    size_t wanteds, room;
};

struct recording {
    struct rec_spool spool;
    uint64_t ops, limit; // emitted; at most (0: any number)
    bool cut; // the limit or a full disk has ended it
    struct rec_cursor main;
};

// A null reference if the recording has ended.
struct rec_ref rec_emit(struct recording *r, struct rec_cursor *c, struct rec_record what);
void rec_note(struct recording *r, int which, uint64_t bytes, int ranks);
// The next operation of the cursor waits for the end of this one.
void rec_want(struct rec_cursor *c, uint64_t op);
void rec_cursor_copy(struct rec_cursor *to, const struct rec_cursor *from);
void rec_cursor_free(struct rec_cursor *c);
// As realloc, but never without memory: says so and ends the program.
void *rec_realloc(void *p, size_t n, size_t size);

// -- collective.c: what a collective operation sends and receives --

enum rec_collective {
    REC_BARRIER,
    REC_BCAST,
    REC_REDUCE,
    REC_ALLREDUCE,
    REC_GATHER,
    REC_GATHERV,
    REC_SCATTER,
    REC_SCATTERV,
    REC_ALLGATHER,
    REC_ALLGATHERV,
    REC_ALLTOALL,
    REC_ALLTOALLV,
    REC_REDUCE_SCATTER,
    REC_SCAN,
    REC_COLLECTIVES,
};

// One member's view of a collective operation.
struct rec_team {
    struct recording *to;
    struct rec_cursor *cursor;
    int size, me;
    const int *world; // rank in MPI_COMM_WORLD of each member
    uint32_t context;
    int32_t number; // of the collective in its communicator
};

const char *rec_collective_name(int which);
// root: of a rooted one. bytes: of the whole vector (bcast, reduce, allreduce, scan) or of one member's block
// (gather, scatter, allgather, alltoall; and the own block of gatherv and scatterv). out, in: bytes per member: of
// allgatherv and reduce_scatter (out), at the root of gatherv and scatterv (out), to and from each of alltoallv.
struct rec_sizes {
    int root;
    uint64_t bytes;
    const uint64_t *out, *in;
};
void rec_expand(const struct rec_team *t, enum rec_collective which, const struct rec_sizes *s);

// -- text.c: GOAL --

// Tags of the program and numbers of collectives, of all communicators, in one range:
// context * (tags + numbers) + tag, or + tags + number % numbers.
struct rec_tags {
    uint32_t contexts, tags, numbers;
    const int32_t *known; // sorted, if the program's tags are written as positions in here
    size_t knowns;
};
int64_t rec_tag(const struct rec_tags *t, const struct rec_record *r);
// False if contexts, tags and numbers do not fit below 2^31.
bool rec_tags_fit(const struct rec_tags *t);

struct rec_text {
    const struct rec_tags *tags;
    bool keep_any, notes;
    uint64_t min_bytes;
    // Whether the n-th message (from 0) with this peer and tag is kept; null: all are.
    bool (*keep)(void *state, const struct rec_record *r, int64_t tag);
    void *state;
    uint64_t sends, recvs, calcs, dropped, sent_bytes, calc_ns; // counted
};
// The next lines of text, at most `room` bytes (at least 256); 0 at the end.
size_t rec_text_next(struct rec_text *t, struct rec_spool *s, uint64_t *op, char *to, size_t room);
#endif
