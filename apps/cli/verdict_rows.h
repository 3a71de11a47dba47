/* Verdicts on the terminal, a row for each value:
 *
 *   hot spots receive, control on | paper 13.28 | here 13.55 ± 0.01 Gbit/s | pass
 *
 * A check of one value is a row; one of several has a line with its id above. Columns are as wide as
 * their widest cell; a subject that is too long goes on below, or above the other columns. Under a row
 * that fails, that other seeds could turn, or that is far from the paper's value stands what it must be. */
#ifndef COP_VERDICT_ROWS_H
#define COP_VERDICT_ROWS_H

#include "cli.h"
#include "store/study.h"

#include <stdio.h>

/* All verdicts of an experiment, in columns. */
void cop_verdict_rows_show(FILE *out, const cop_study_verdict *v, size_t n, cop_style style);

/* Only the rows of one check, without its id; false if a database has its text alone. */
bool cop_verdict_rows_of(FILE *out, const cop_study_verdict *v, cop_style style);

#endif
