/* The values of a check that has many, on the terminal: one line each. */
#ifndef COP_VERDICT_ITEMS_H
#define COP_VERDICT_ITEMS_H

#include "base/base.h"
#include "store/study.h"

#include <stdio.h>

/* Lines of at most `width` columns, 60 or more: what, its value, where it may be, and if it is not there. */
void cop_verdict_items_show(FILE *out, const cop_study_verdict *v, unsigned width, cop_arena *a);

#endif
