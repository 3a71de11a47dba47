/* The plan that build.c carries out. Private to the construction of networks. */
#ifndef COP_NET_BUILD_PLAN_H
#define COP_NET_BUILD_PLAN_H

#include "net/net.h"

/* Parts of the network, and what plug-ins may know about it. */
void cop_plan_describe(cop_net *net, const cop_net_parts *pt);
/* Which switch architecture (arch.c): sets net->arch and net->output_bytes. */
void cop_arch_choose(cop_net *net);
/* Short cuts that the data path may take. */
void cop_plan_lay_out(cop_net *net, const cop_net_parts *pt);

#endif
