/* Sweeps in a folder of their own, with three files: base.yaml, a study of twelve short runs in
 * many.yaml, and one in endless.yaml whose three runs are long enough to be caught at work. */
#ifndef COP_TEST_SWEEP_H
#define COP_TEST_SWEEP_H

#include "program.h"

/* Everything that came out, in the order of the study. */
#define SWEEP_HASHES                                                                               \
    "SELECT group_concat(h, ' ') FROM (SELECT p.label || p.seed || r.run_hash || r.outcome AS h"   \
    " FROM point p JOIN run r ON r.id = p.run_id ORDER BY p.position)"

/* Set-up of the group, and of each test. */
int sweep_enter(void **state);
int sweep_fresh(void **state);
#define SWEEP_TEST(test) cmocka_unit_test_setup(test, sweep_fresh)

/* This status, and standard error says this. */
void sweep_expect(prog_answer got, int status, const char *what);
/* So many runs, nothing repeated, nothing half written. */
void sweep_assert_sound(const char *db, const char *runs);

void sweep_nap(long milliseconds);
/* How many workers a sweep has now; at most eight are counted. */
size_t sweep_workers(pid_t parent);
/* Wait until the sweep has n workers. */
void sweep_wait_for_workers(pid_t parent, pid_t *worker, size_t n);
/* Wait until a sweep says this. */
void sweep_wait_for_words(prog_how how, const char *words);
/* Workers whose parent has died are gone, or go at once. */
void sweep_assert_no_orphans(void);

#endif
