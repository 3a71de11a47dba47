/* Validation before build.c builds. Private to the construction of networks. */
#ifndef COP_NET_BUILD_CHECK_H
#define COP_NET_BUILD_CHECK_H

#include "net/net.h"

/* "file:line:column" of an option such as "switch.buffer", for messages. */
const char *cop_build_at(const cop_net_parts *pt, const char *option, char *buf, size_t size);
uint32_t cop_build_most_ports(const cop_topo *t); /* of a switch */
int cop_build_check(const cop_net *net, const cop_net_parts *pt, cop_err *err);

/* Parts of it. Are the routing's conditions possible? Can notifications pass its threshold (after
 * the validation by plug-ins)? */
int cop_build_check_routing(const cop_net *net, const cop_net_parts *pt, cop_err *err);
int cop_build_check_words(const cop_net *net, const cop_net_parts *pt, cop_err *err);
/* Can the other options be combined with recovery from deadlocks, or with wormhole switching? */
int cop_build_check_recovery(const cop_net *net, const cop_net_parts *pt, cop_err *err);
int cop_build_check_worm(const cop_net *net, const cop_net_parts *pt, cop_err *err);

#endif
