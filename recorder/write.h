// The parts of writing a trace.
#ifndef COPPICE_WRITE_H
#define COPPICE_WRITE_H
#include "record.h"

struct rec_cut;
// Collective over MPI_COMM_WORLD.
struct rec_cut *rec_cut_new(struct rec_spool *s, const struct rec_tags *tags, int ranks);
bool rec_cut_keep(void *state, const struct rec_record *r, int64_t tag);
void rec_cut_free(struct rec_cut *c);

// Numbers for all tags, the same on all ranks. False: there are more than GOAL can tell apart.
bool rec_tags_agree(struct rec_tags *t, struct rec_spool *s);
void rec_tags_free(struct rec_tags *t);
#endif
