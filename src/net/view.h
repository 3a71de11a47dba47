/* What plug-ins may know about the network they run in: plain facts, no pointers into the model. */
#ifndef COP_NET_VIEW_H
#define COP_NET_VIEW_H

#include "base/base.h"
#include "topo/topo.h"

typedef struct cop_netinfo {
    const cop_topo *topo;
    uint32_t n_hosts, n_switches;
    uint32_t lanes; /* virtual lanes per link */
    uint32_t mtu_bytes; /* longest packet on the wire */
    uint64_t buffer_bytes;
    uint64_t seed;
} cop_netinfo;

#endif
