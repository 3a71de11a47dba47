/* Room `config`: what the configuration says of a link: rate, delay, lanes, and the buffer behind
 * it.
 *
 * Files      net_cfg.c the option tables (net/net_cfg.h);  links.c options of a class of links, and
 *            of single hosts.
 * Calls      nothing.
 * Called by  build; inspect, which reports the size of buffers. */
#ifndef COP_NET_CONFIG_H
#define COP_NET_CONFIG_H

#include "net/net.h"

cop_time cop_link_delay(const cop_topo *t, const cop_link_cfg *cfg, uint32_t port);
/* Lanes of links of a class (enum cop_link_class) in a network of so many. */
uint32_t cop_class_lanes(const cop_switch_cfg *sw, unsigned link_class, uint32_t lanes);
/* The buffer that `port` sends to, in bytes per section; with shared lanes in all. */
uint64_t cop_link_buffer(const cop_net *net, uint32_t port);
/* Sections with a private buffer there; with shared lanes 1. */
uint32_t cop_link_sections(const cop_net *net, uint32_t port);
void cop_build_sections(cop_net *net);

#endif
