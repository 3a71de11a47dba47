/* Experiments by what people call them. */
#ifndef COP_FIND_CLAIMS_H
#define COP_FIND_CLAIMS_H

#include "exp/ledger.h"

/* Names of the experiments that fit the words best, at most `max`; owned by the ledger. Returns how
 * many. */
size_t cop_find_experiments(const cop_ledger *l, const char *words, const char **list, size_t max);
/* The key of the paper that the words count ("paper 4", "Paper IV"), and nothing else; NULL: none. */
const char *cop_find_paper(const cop_ledger *l, const char *words);

#endif
