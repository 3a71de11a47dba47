/* A set of plug-ins from outside, passed to cop_config_load_with. There is no global list: the
 * caller passes the set to each call that needs it. */
#ifndef COP_EXP_PLUGINS_H
#define COP_EXP_PLUGINS_H

#include "exp/sections.h"

#define COP_MAX_OUTSIDE 64

/* Version of the interface that plug-ins are compiled for. */
unsigned cop_plugins_version(void);

struct coppice_plugins;

typedef struct cop_outside {
    const char *section; /* of the run file */
    const char *file; /* where it came from, absolute; NULL: from memory */
    cop_plugin plugin;
} cop_outside;

typedef struct cop_plugin_set {
    cop_arena arena; /* owns file names */
    cop_outside item[COP_MAX_OUTSIDE]; /* in place: nothing to lose when memory runs out */
    size_t n;
} cop_plugin_set;

/* Add what a table brings (exp/plugin.h), or nothing of it if there is a fault: one for another version, a
 * mechanism without what its family requires, a name that is taken. The table must outlive the set. */
int cop_plugins_add(cop_plugin_set *set, const struct coppice_plugins *table, cop_err *err);
/* Add what a shared object brings. Its code runs with all rights of this process, and stays loaded until the
 * process ends, because results may point into it. */
int cop_plugins_load(cop_plugin_set *set, const char *file, cop_err *err);
void cop_plugins_free(cop_plugin_set *set);

/* What to add to a command that shall have them too: " --plugin FILE" for each file, in the arena. */
const char *cop_plugins_words(const cop_plugin_set *set, cop_arena *arena);
/* Number i of those for one section; false past the last. */
bool cop_plugins_at(const cop_plugin_set *set, const char *section, size_t i, cop_plugin *p);

#endif
