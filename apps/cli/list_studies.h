/* Two lists for those who write studies. Return the exit status. */
#ifndef COP_LIST_STUDIES_H
#define COP_LIST_STUDIES_H

#include <stdbool.h>

int cop_list_metrics(bool json);
int cop_list_experiments(bool json);

#endif
