/* A result for people (tables and a plot) and for programs (JSON). */
#ifndef COP_SHOW_H
#define COP_SHOW_H

#include "cli.h"
#include "exp/config.h"
#include "stats/result.h"

void cop_show_result(FILE *out, const cop_config *c, const cop_result *r, cop_style style);
/* One JSON object and a newline. 0, or -COP_E_IO if it could not be written. */
int cop_show_json(FILE *out, cop_config *c, const cop_result *r);

#endif
