/* Studies in a result file: an experiment with the runs behind it, its verdicts and its figures.
 *
 * The rows of one experiment and scale are replaced together, in one transaction. Text belongs to
 * the caller when writing, and to the store until the callback returns when reading. */
#ifndef COP_STORE_STUDY_H
#define COP_STORE_STUDY_H

#include "store/store.h"

typedef struct cop_study_point {
    const char *label; /* "on, timer 150" */
    const char *axes; /* JSON: {"run": "on", "timer": "150"} */
    int64_t seed, run_id; /* run_id 0: there is none */
    const char *outcome; /* of the run, or "missing" */
    const char *detail; /* why it has no result, one line; "" */
} cop_study_point;

typedef struct cop_study_verdict {
    const char *id, *paper, *place, *metric, *kind;
    const char *expected, *tolerance; /* as text, for people */
    const char *state; /* pass, fail, not-run, recorded */
    const char *measured; /* as text, for people */
    const char *explain; /* why it fails, what was tried; "" */
    const char
        *items; /* JSON: [{"what","subject","unit","rule","own","value","ci","least","most","low",
                   "high","pass","narrow"}] */
} cop_study_verdict;

typedef struct cop_study_figure {
    const char *name, *spec; /* spec: JSON, docs/RESULTS.md */
} cop_study_figure;

typedef struct cop_study_record {
    const char *name, *scale, *title, *paper, *about;
    const char *choices; /* JSON: [{"what","why"}] */
    const char *config; /* the effective configuration of its first run */
    const char *command; /* what makes it again */
    const char *
        inputs; /* fingerprints of the files it was made from and, after a space, of the behaviour */
    const char *updated_at; /* reading only */
    int64_t seeds, runs, failed;
    cop_study_point *point;
    cop_study_verdict *verdict;
    cop_study_figure *figure;
    size_t n_points, n_verdicts, n_figures; /* when reading: filled too, all in the arena */
} cop_study_record;

int cop_store_put_study(cop_store *s, const cop_study_record *r, cop_err *err);

/* All studies of the file in order of name and scale, with everything in them, in the arena. */
int cop_store_studies(cop_store *s, cop_arena *arena, cop_study_record **list, size_t *n,
                      cop_err *err);

#endif
