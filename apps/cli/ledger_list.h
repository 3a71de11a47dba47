/* The ledger of published claims on the terminal and as JSON. */
#ifndef COP_LEDGER_LIST_H
#define COP_LEDGER_LIST_H

#include "exp/ledger.h"
#include "store/study.h"

/* Verdicts that a database holds; n may be 0. Where a check was judged at both scales, full counts.
 */
typedef struct cop_verdicts {
    const cop_study_record *study;
    size_t n;
} cop_verdicts;

const cop_study_verdict *cop_verdict_find(const cop_verdicts *all, const char *id);
enum cop_claim_state cop_verdict_state(const cop_verdicts *all, const cop_claim *c);

/* Is there a study of that name, or a check? */
bool cop_verdicts_have(const cop_verdicts *v, const char *name);

/* Counts by paper; or the checks that the names pick: papers, experiments, checks. Checks that experiments have of
 * their own as far as the database has them. */
void cop_ledger_list(const cop_ledger *l, const cop_verdicts *v, char **names, int n);
/* And checks that experiments have of their own, with `paper` null. */
void cop_ledger_json(const cop_ledger *l, const cop_verdicts *v, char **names, int n);
bool cop_claim_wanted(const cop_claim *c, const cop_paper *p, char **names, int n);

#endif
