/* Mechanisms from outside: what a source file includes that is no part of Coppice and brings a topology, a
 * routing, a queueing scheme or a congestion control of its own.
 *
 *   #include <exp/plugin.h>
 *   static const cop_cc_ops aimd = {.name = "aimd", ...};
 *   COPPICE_PLUGINS(COP_CCS(&aimd));
 *
 *   cc -shared -fPIC -O2 $(pkg-config --cflags coppice-plugin) aimd.c -o aimd.so
 *   coppice run fabric.yaml --plugin ./aimd.so --set cc.kind=aimd
 *
 * A program with the library inside gives the same table to coppice_plug(). The contracts are those of our
 * own mechanisms: net/cc.h, route/route.h (on dragonflies route/dragonfly_choice.h), net/queue.h, topo/topo.h; docs/ADDING.md explains them. End nodes
 * (net/host.h) are part of the machine and cannot be given from outside. */
#ifndef COP_EXP_PLUGIN_H
#define COP_EXP_PLUGIN_H

#include "base/fixp.h"
#include "base/opt.h"
#include "base/rng.h"
#include "net/cc.h"
#include "net/queue.h"
#include "route/dragonfly_choice.h"
#include "route/route.h"
#include "topo/topo.h"

/* Version of the interface of plug-ins; `coppice version` prints it. It is raised with every change that
 * a plug-in must follow. 2: hooks by role (at_switch, at_source, at_destination, runtime), and `facts` apart from state. */
#define COPPICE_PLUGIN_API 2

/* Must be equal in plug-in and program: the version, and sizes that compiler options change. */
#define COP_INTERFACE                                                                              \
    {                                                                                              \
        COPPICE_PLUGIN_API, sizeof(cop_cc_ops), sizeof(cop_route_ops), sizeof(cop_queue_ops),      \
            sizeof(cop_topo_ops), sizeof(cop_pkt), sizeof(cop_netinfo), sizeof(cop_route),         \
            sizeof(cop_opt), sizeof(cop_err), sizeof(cop_topo), sizeof(cop_choice),                \
            sizeof(cop_ways)                                                                       \
    }
#define COP_INTERFACE_NUMBERS 13

/* Each family: a list that ends with NULL, or NULL. */
typedef struct coppice_plugins {
    uint32_t interface[COP_INTERFACE_NUMBERS];
    const cop_cc_ops *const *cc;
    const cop_route_ops *const *routing;
    const cop_queue_ops *const *queueing;
    const cop_topo_ops *const *topology;
} coppice_plugins;

#define COP_CCS(...)                                                                               \
    .cc = (const cop_cc_ops *const[])                                                              \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define COP_ROUTINGS(...)                                                                          \
    .routing = (const cop_route_ops *const[])                                                      \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define COP_QUEUEINGS(...)                                                                         \
    .queueing = (const cop_queue_ops *const[])                                                     \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define COP_TOPOLOGIES(...)                                                                        \
    .topology = (const cop_topo_ops *const[])                                                      \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* The one name that a shared object must have. */
#define COP_PLUGINS_SYMBOL "coppice_plugin_table"
#define COPPICE_PLUGINS(...)                                                                       \
    extern const coppice_plugins coppice_plugin_table;                                             \
    __attribute__((visibility("default")))                                                         \
    const coppice_plugins coppice_plugin_table = {.interface = COP_INTERFACE, __VA_ARGS__}

#endif
