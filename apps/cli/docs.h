/* docs/CONFIG.md, generated from the option tables. */
#ifndef COP_DOCS_H
#define COP_DOCS_H

#include <stdio.h>

void cop_docs_config(FILE *out);

#endif
