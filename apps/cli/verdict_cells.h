/* Cells of the row of a measured value: subject, value of the paper, measured value, verdict. */
#ifndef COP_VERDICT_CELLS_H
#define COP_VERDICT_CELLS_H

#include "base/mem.h"
#include "store/study.h"

#include <jansson.h>

typedef struct cop_verdict_cells {
    const char *subject; /* "" if the value has no name */
    const char *paper; /* "paper 13.28", "theory ≥ 0.9", "asked 0 to 3" */
    const char *here; /* "here 13.55 ± 0.01 Gbit/s"; "" if there is none */
    const char *verdict; /* "pass", "FAIL, narrow", "not run", "recorded", "shown" */
    const char *below; /* what it must be and what seeds gave, where that matters; "" */
    const char *note; /* why there is no number, or why it does not count; "" */
} cop_verdict_cells;

/* Of one value, an element of the verdict's `items`; in the arena. */
cop_verdict_cells cop_verdict_cells_of(const cop_study_verdict *v, const json_t *item, bool alone,
                                       cop_arena *a);
/* The verdict on the whole check, in the words of a row. */
const char *cop_verdict_word(const cop_study_verdict *v);

#endif
