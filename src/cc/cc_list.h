/* The congestion controls known to the program, by name. */
#ifndef COP_CC_LIST_H
#define COP_CC_LIST_H

#include "net/cc.h"

extern const cop_cc_ops *const cop_ccs[]; /* NULL at the end */
const cop_cc_ops *cop_cc_find(const char *name);

#endif
