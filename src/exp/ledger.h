/* The ledger of published claims: what the papers say, check by check, as data (claims/PAPER.yaml).
 * The program decides the state of each check; no person writes it down. */
#ifndef COP_LEDGER_H
#define COP_LEDGER_H

#include "base/err.h"
#include "base/mem.h"

enum cop_claim_kind {
    COP_CLAIM_PRINTED, /* a number printed in the source */
    COP_CLAIM_DERIVED, /* follows from the source's set-up by theory */
    COP_CLAIM_ORDER, /* an ordering, inequality or sign */
    COP_CLAIM_SHAPE, /* a shape over time or load */
    COP_CLAIM_KINDS
};

enum cop_claim_state {
    COP_CLAIM_PASS,
    COP_CLAIM_FAIL,
    COP_CLAIM_NOT_RUN, /* no experiment has produced it yet */
    COP_CLAIM_RECORDED, /* not judged: a constant that no simulation produces, or `shown` */
    COP_CLAIM_STATES
};

/* What one measured number must lie in. */
typedef struct cop_band {
    const char *name; /* of the number, in claims with several; "" for all of them */
    double value; /* expected; NaN: only bounds are given */
    double low, high; /* inclusive; -INFINITY, INFINITY where open */
} cop_band;

typedef struct cop_claim {
    const char *id, *where, *setup, *experiment, *metric;
    enum cop_claim_kind kind;
    const char *expected, *tolerance; /* as text, for people; says so if the bound is ours */
    const char *needs, *note; /* mechanisms; NULL: no note */
    const char *subject; /* `metric` in a few words, for a row of a table that has one value; "" */
    const char *unit; /* of the values that the ledger expects; "" */
    cop_band *band; /* what can be judged by numbers alone; relations are judged by experiments */
    size_t n_bands;
    bool record; /* a constant to be recorded, not simulated */
    bool shown; /* measured and shown, not judged: the source gives no measure for it */
} cop_claim;

typedef struct cop_paper {
    const char *key, *title, *source;
    const char *note; /* what a reader of all its verdicts should know; NULL: nothing */
    cop_claim *claim;
    size_t n_claims;
} cop_paper;

typedef struct cop_ledger {
    cop_arena arena; /* owns everything below */
    cop_paper *paper;
    size_t n_papers;
} cop_ledger;

/* Read all papers from the folder `dir`. All faults found are in err, each with file and line. */
int cop_ledger_load(cop_ledger *l, const char *dir, cop_err *err);
void cop_ledger_free(cop_ledger *l);

/* NULL if there is none. *paper may be NULL. */
const cop_claim *cop_ledger_find(const cop_ledger *l, const char *id, const cop_paper **paper);
/* The band for a number of this name, NULL if the claim does not give one. */
const cop_band *cop_claim_band(const cop_claim *c, const char *name);
/* Bounds from an expected value and a tolerance: "4 %" of it, "0.5" to each side, "exact". 0 or -1.
 */
int cop_band_around(double value, const char *tolerance, double *low, double *high);

enum cop_claim_state cop_claim_judge(const cop_claim *c);
const char *cop_claim_kind_name(enum cop_claim_kind k);
const char *cop_claim_state_name(enum cop_claim_state s);

#endif
