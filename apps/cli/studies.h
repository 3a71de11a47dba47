/* Shared by `sweep` and `reproduce`: read studies, run them with a progress bar, judge, show. */
#ifndef COP_STUDIES_H
#define COP_STUDIES_H

#include "cli.h"
#include "store/study.h"
#include "study/pool.h"
#include "study/study.h"

/* A set of studies with their plans. Zero-initialise. */
typedef struct cop_studies {
    cop_arena arena; /* owns names and the records of cop_studies_finish */
    const struct cop_plugin_set *plugins; /* from outside, for all of them; or NULL */
    cop_study *study;
    cop_plan *plan;
    cop_study_record *record;
    size_t n, capacity;
} cop_studies;

/* A folder of the project by name: beside the program's folder (a build in the source tree), or as
 * installed. */
const char *cop_find_data(const char *name, char *buf, size_t size);

/* Read one file, plan it and rehearse its expressions. Faults are added to err. */
int cop_studies_add(cop_studies *all, const char *file, const char *scale, const cop_ledger *ledger,
                    cop_err *err);
void cop_studies_free(cop_studies *all);

typedef struct cop_studies_opts {
    const char *db;
    /* What to type to make a study again, in the arena. */
    const char *(*command_of)(void *ctx, const cop_study *s, cop_arena *arena);
    void *command_ctx;
    unsigned jobs;
    bool quiet, any_model, retry;
    bool only_judge; /* simulate nothing: judge what the database holds */
} cop_studies_opts;

/* Simulate what is missing, then judge every study and store verdicts and figures. Returns the exit
 * status: 0 also if checks fail. */
int cop_studies_run(cop_studies *all, const cop_studies_opts *o);

/* Tables of verdicts and of runs without result, for people. */
void cop_studies_show(FILE *out, const cop_studies *all, cop_style style);

#endif
