/* A configuration: YAML read once into typed structs. Every value was checked against its option
 * table; what depends on several sections is checked when the network is built. */
#ifndef COP_CONFIG_H
#define COP_CONFIG_H

#include "cc/cc_list.h"
#include "exp/units.h"
#include "host/host_list.h"
#include "net/net_cfg.h"
#include "queue/queue_list.h"
#include "route/route.h"
#include "topo/topo.h"
#include "traffic/traffic_cfg.h"

typedef struct cop_config {
    cop_arena arena; /* owns everything below */
    const char *file;
    const char *name, *title;
    cop_units_cfg units;
    cop_run_cfg run;
    cop_link_cfg link;
    cop_switch_cfg sw;
    cop_fc_cfg fc;
    cop_nic_cfg nic;
    const cop_topo_ops *topo;
    const cop_route_ops *route;
    const cop_queue_ops *queue;
    const cop_cc_ops *cc;
    const cop_host_ops *host;
    void *topo_cfg, *route_cfg, *queue_cfg, *cc_cfg, *host_cfg;
    cop_traffic_cfg *traffic; /* entries */
    size_t n_traffic;
    cop_host_own *own; /* entries of section hosts */
    size_t n_own;
    const struct cop_plugin_set *more; /* plug-ins from outside that it was read with; or NULL */
    void *marks; /* where each option was given, for messages; private to config.c */
} cop_config;

/* One `--set key.path=value`. */
typedef struct cop_override {
    const char *text;
    bool here; /* paths in it are relative to the working folder, not to the file's */
} cop_override;

/* Read FILE ("-": standard input), or `text` if not NULL (then `file` is only its name in
 * messages), apply overrides. err collects as many faults as possible. On failure nothing has to be
 * freed; freeing is harmless. */
int cop_config_load(cop_config *c, const char *file, const char *text, const cop_override *set,
                    size_t n_set, cop_err *err);
/* The same with plug-ins from outside (exp/plugins.h), which must live as long as the configuration and all
 * that is made with it. */
int cop_config_load_with(cop_config *c, const struct cop_plugin_set *more, const char *file,
                         const char *text, const cop_override *set, size_t n_set, cop_err *err);
void cop_config_free(cop_config *c);

/* "file:line:column" of an option such as "topology.k" or "traffic[1].rate"; of its section or the
 * file if the option was not given. */
const char *cop_config_where(const cop_config *c, const char *path, char *buf, size_t size);

/* The effective configuration with units, as YAML that loads to the same structs. In the arena.
 * Traffic entries show only what differs from the defaults. */
const char *cop_config_print(cop_config *c);
/* The same for people: in the cycles and flits of the section `units`, if it is given; lists stay as they are. */
const char *cop_config_print_units(cop_config *c);
/* A hash of everything that decides the result except the seed, with the present contents of the
 * files that the configuration names. */
uint64_t cop_config_hash(cop_config *c);
/* Version of libyaml. */
const char *cop_config_library(void);

#endif
