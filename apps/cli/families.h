/* What `coppice list` lists: families of names with one line each, from the plug-in registries and
 * the option tables. */
#ifndef COP_FAMILIES_H
#define COP_FAMILIES_H

#include "exp/sections.h"

typedef struct cop_family {
    const char *name; /* "topologies" */
    const char *section; /* "topology" */
    const char *help;
    /* Item number i, those of `more` from outside last; false past the last. */
    bool (*at)(const struct cop_family *f, const struct cop_plugin_set *more, size_t i,
               cop_plugin *item);
} cop_family;

#define COP_FAMILY_SECTIONS "sections"

extern const cop_family cop_families[]; /* ends with a NULL name */
const cop_family *cop_family_find(const char *name);

/* What run.observe shows of it: "`delay/FLOW` (ns), `buffers/PORT` (messages)"; NULL: nothing. */
const char *cop_family_observed(const cop_plugin *p, char *text, size_t size);
/* A file of ours in which a member of this section is at work, with what it needs beside it; NULL: none. */
const char *cop_family_example(const char *section, const char *name);

/* What a plug-in sets in other sections where the file leaves them open, in text; NULL: nothing. */
const char *cop_family_brings(const cop_plugin *p, char *text, size_t size);

#endif
