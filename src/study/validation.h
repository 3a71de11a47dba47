/* VALIDATION.md: every check of the ledger with expected, measured and verdict, from a database.
 *
 * The file ends with a seal: fingerprints of what it was made from (ledger, experiments, golden runs)
 * and of its own text. A test compares them, so that a stale or edited file does not go unnoticed. */
#ifndef COP_STUDY_VALIDATION_H
#define COP_STUDY_VALIDATION_H

#include "exp/ledger.h"
#include "store/study.h"

#include <stdio.h>

/* Where the inputs are. */
typedef struct cop_validation_inputs {
    const char *claims, *experiments, *golden; /* folders */
} cop_validation_inputs;

/* What it took, on the machine that wrote the file. */
typedef struct cop_validation_cost {
    uint64_t runs[2]; /* behind the verdicts: at quick scale, at full scale */
    double cpu_seconds[2]; /* of these */
    double half_second; /* CPU seconds for half a simulated second of the 648-host forest with
                           congestion control; NaN if it was not run */
} cop_validation_cost;

/* Fingerprint of all files in these folders, in order of name. */
uint64_t cop_validation_fingerprint(const cop_validation_inputs *in);

/* The whole text, sealed; in the arena. `studies` may hold a check at both scales: both are shown. */
const char *cop_validation_text(const cop_ledger *l, const cop_study_record *studies, size_t n,
                                const cop_validation_inputs *in, const cop_validation_cost *cost,
                                cop_arena *arena);

/* Take the cost that a written table states, where it counts more runs than the database. */
void cop_validation_keep_cost(const char *text, cop_validation_cost *c);

/* Is `text` unedited, and made from these inputs? 0, or -COP_E_INPUT with one line in err. */
int cop_validation_check(const char *name, const char *text, const cop_validation_inputs *in,
                         cop_err *err);

/* The verdict on a check at a scale: a judged one if there is any, else one that waits; NULL. */
const cop_study_verdict *cop_study_find_verdict(const cop_study_record *studies, size_t n,
                                                const char *id, bool full);

#endif
