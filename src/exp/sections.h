/* The sections of a run file, as data: loading, printing, `coppice list` and docs/CONFIG.md all
 * walk this one table. Sections without a plug-in fill a struct inside cop_config; sections with
 * plug-ins have a `kind` that chooses one, and its own options. */
#ifndef COP_SECTIONS_H
#define COP_SECTIONS_H

#include "base/value.h"
#include "exp/config.h"

typedef struct cop_plugin {
    const char *name, *summary, *source;
    const cop_opt *opts; /* NULL or empty: none */
    size_t cfg_size;
    const void *ops; /* cop_topo_ops, cop_route_ops, ... */
    const char *note; /* what else a reader must know; NULL: nothing */
    bool in_cycles; /* times among the defaults follow units.cycle */
    uint64_t print; /* of one from outside: a number for what it is made of; 0: one of ours */
    const cop_value *flow_values, *port_values; /* that run.observe shows; NULL: none */
    const cop_brought *brings; /* values of other sections (base/opt.h); NULL: none */
} cop_plugin;

struct cop_plugin_set; /* exp/plugins.h */

typedef struct cop_section {
    const char *name; /* key in the file */
    const char *family; /* name for `coppice list`; NULL: no plug-ins */
    const char *help; /* one line */
    const cop_opt *opts; /* NULL: the plug-in's */
    size_t cfg_offset; /* in cop_config: the struct, or the pointer to the plug-in's */
    size_t ops_offset; /* in cop_config: pointer to the plug-in's ops */
    /* Our plug-in number i; false past the last. NULL: the section has none. See cop_plugin_at. */
    bool (*plugin)(size_t i, cop_plugin *p);
    const char *default_kind; /* NULL: `kind` is required */
} cop_section;

extern const cop_section cop_sections[]; /* in file order; ends with a NULL name */
extern const cop_opt cop_root_opts[]; /* `name` and `title`, fields of cop_config */

/* Kind `auto` of section routing. */
#define COP_ROUTING_AUTO "auto"
/* The routing `auto` means on a topology of this name. */
const char *cop_routing_for(const char *topology);

/* Does this option name a file that is read when the network is built? Such a name is made absolute,
 * and the contents of the file are part of what a run is. */
bool cop_opt_names_file(const cop_opt *o);
const cop_section *cop_section_find(const char *name);
/* Plug-in number i of a section: ours, then those of `more` from outside, which may be NULL; false past the last. */
bool cop_plugin_at(const cop_section *s, const struct cop_plugin_set *more, size_t i,
                   cop_plugin *p);
bool cop_plugin_find(const cop_section *s, const struct cop_plugin_set *more, const char *name,
                     cop_plugin *p);
/* All names of a section's plug-ins; returns how many, at most `max`. */
size_t cop_plugin_names(const cop_section *s, const struct cop_plugin_set *more, const char **names,
                        size_t max);

#endif
