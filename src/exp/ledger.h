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
    COP_CLAIM_RECORDED, /* a constant that no simulation produces */
    COP_CLAIM_STATES
};

typedef struct cop_claim {
    const char *id, *where, *setup, *experiment, *metric;
    enum cop_claim_kind kind;
    const char *expected, *tolerance; /* as text, for people */
    const char *needs, *note; /* mechanisms; NULL: no note */
    bool record; /* a constant to be recorded, not simulated */
} cop_claim;

typedef struct cop_paper {
    const char *key, *title, *source;
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

enum cop_claim_state cop_claim_judge(const cop_claim *c);
const char *cop_claim_kind_name(enum cop_claim_kind k);
const char *cop_claim_state_name(enum cop_claim_state s);

#endif
