/* What build.c asks before it builds. Private to the construction of networks. */
#ifndef COP_NET_BUILD_CHECK_H
#define COP_NET_BUILD_CHECK_H

#include "net/net.h"

/* "file:line:column" of an option such as "switch.buffer", for messages. */
const char *cop_build_at(const cop_net_parts *pt, const char *option, char *buf, size_t size);
uint32_t cop_build_most_ports(const cop_topo *t); /* of a switch */
int cop_build_check(const cop_net *net, const cop_net_parts *pt, cop_err *err);

/* Parts of it. Can what the routing waits for be? Can what switches tell pass its bar (after the checks of the
 * plug-ins)? */
int cop_build_check_routing(const cop_net *net, const cop_net_parts *pt, cop_err *err);
int cop_build_check_words(const cop_net *net, const cop_net_parts *pt, cop_err *err);
/* Does all else go with recovery from deadlocks, or with wormhole switching? */
int cop_build_check_recovery(const cop_net *net, const cop_net_parts *pt, cop_err *err);
int cop_build_check_worm(const cop_net *net, const cop_net_parts *pt, cop_err *err);

#endif
