/* Two lists for those who write studies; with `word` (may be NULL) only what has it in its name, paper or text, whatever
 * the case. Return the exit status. */
#ifndef COP_LIST_STUDIES_H
#define COP_LIST_STUDIES_H

#include <stdbool.h>

int cop_list_metrics(const char *word, bool json);
int cop_list_experiments(const char *word, bool json);

#endif
