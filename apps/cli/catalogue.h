/* All experiments that come with coppice, their checks, and the checks without an experiment. */
#ifndef COP_CATALOGUE_H
#define COP_CATALOGUE_H

#include "exp/ledger.h"
#include "store/study.h"

typedef struct cop_catalogue_entry {
    const char *file, *name, *paper;
    const char *inputs; /* fingerprint, as stored with its results */
    const char **check; /* ids */
    size_t n_checks;
    bool wanted;
} cop_catalogue_entry;

typedef struct cop_catalogue {
    cop_arena arena; /* owns everything below */
    cop_catalogue_entry *entry;
    size_t n;
} cop_catalogue;

/* Read the experiments of a folder. Files with faults are left out and their faults go to
 * `spoiled`; a folder without experiments is a fault of `err`. */
int cop_catalogue_load(cop_catalogue *c, const char *dir, const char *scale, const cop_ledger *l,
                       cop_err *spoiled, cop_err *err);
void cop_catalogue_free(cop_catalogue *c);

/* Mark what these names pick: experiments, papers, checks. Returns the first name that picks
 * nothing, NULL if all do. */
const char *cop_catalogue_pick(cop_catalogue *c, char **names, int n);

/* A study for each paper with the checks that no experiment produces, so that reports count them
 * too. In the arena; `list` has room for l->n_papers. Returns how many there are. */
size_t cop_catalogue_waiting(cop_catalogue *c, const cop_ledger *l, const char *scale,
                             cop_study_record *list);
/* Does a stored study come from the files as they are now, and if quick, from this model? Full scale takes
 * hours; what an earlier model found then is kept, and docs/validation names it; with `any_model` also
 * what it found at quick scale. */
bool cop_catalogue_current(const cop_catalogue *c, const cop_study_record *r, bool any_model);

#endif
