/* The validation folder: every check of the ledger with expected, measured and verdict, from a database.
 *
 * README.md has the counts and how to read the rest, PAPER.md the checks of one paper. Each file ends
 * with a seal: fingerprints of what it was made from (ledger, experiments, golden runs) and of its own
 * text; that of README.md has one of all pages, too. A test compares them, so that a stale, edited or
 * missing file does not go unnoticed. */
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

#define COP_VALIDATION_README "README.md"

typedef struct cop_validation_page {
    const char *name; /* README.md, gran1.md */
    const char *text;
} cop_validation_page;

/* All files, sealed, those of the papers first; in the arena. `studies` may hold a check at both scales:
 * both are shown. Returns how many. */
size_t cop_validation_pages(const cop_ledger *l, const cop_study_record *studies, size_t n,
                            const cop_validation_inputs *in, const cop_validation_cost *cost,
                            cop_arena *arena, cop_validation_page **pages);
/* The same from a folder that has been written, README.md last. */
int cop_validation_read(const char *dir, cop_arena *arena, cop_validation_page **pages, size_t *n,
                        cop_err *err);
/* Write each of them to the folder, which is made if it is not there. */
int cop_validation_write(const char *dir, const cop_validation_page *pages, size_t n, cop_err *err);

/* Take the cost that a written README.md states, where it counts more runs than the database. */
void cop_validation_keep_cost(const char *text, cop_validation_cost *c);

/* Is the text unedited, and made from these inputs? 0, or -COP_E_INPUT with one line in err for each
 * page that is not; README.md comes last and must be of the same writing as the others. */
int cop_validation_check(const cop_validation_page *pages, size_t n,
                         const cop_validation_inputs *in, cop_err *err);

/* Text with its seal at the end; `pages`: fingerprint of the pages, 0 for one of them. */
const char *cop_validation_seal(const char *text, const cop_validation_inputs *in, uint64_t pages,
                                cop_arena *arena);
/* Of the pages' names and texts, in any order. */
uint64_t cop_validation_hash(const cop_validation_page *pages, size_t n);

/* The verdict on a check at a scale: a judged one if there is any, else one that waits; NULL. */
const cop_study_verdict *cop_study_find_verdict(const cop_study_record *studies, size_t n,
                                                const char *id, bool full);

#endif
