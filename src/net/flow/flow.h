/* Room `flow`: pools of packets and messages, the table of flows, and events of applications.
 *
 * Files      flow.c pools of packets and messages, flows;  carry.c state of a congestion control at
 *            destinations, bytes attached to packets (carry.h);  app.c ranks of applications.
 * Calls      no other room; end nodes and applications through their tables.
 * Called by  end nodes and all rooms that make, end or name a packet. */
#ifndef COP_NET_FLOW_H
#define COP_NET_FLOW_H

#include "net/net.h"

/* app.c: ranks of applications. */
void cop_net_start_apps(cop_net *net);
void cop_net_act(cop_net *net, uint32_t rank); /* COP_EV_APP */
/* Carry out the wishes of an application. */
void cop_net_wishes(cop_net *net, const cop_app_wish *wish);
/* Packet h belongs to this message of an application (COP_NONE: to none). */
void cop_net_label(cop_net *net, uint32_t h, uint32_t msg);
/* The last flit of packet h leaves its host at t (wormhole; else cop_host_launch reports it). */
void cop_net_left(cop_net *net, uint32_t host, uint32_t h, cop_time t);
/* Jobs that can never finish set net->stop and net->why. */
void cop_net_stuck(cop_net *net);

/* flow.c: pools of packets and of messages in progress */
uint32_t cop_pkt_new(cop_net *net);
void cop_pkt_free(cop_net *net, uint32_t handle);
uint32_t cop_send_new(cop_net *net);
void cop_send_free(cop_net *net, uint32_t s);

/* flow.c: number of flow (src, dst, sl), made if new. */
uint32_t cop_flow_of(cop_net *net, uint32_t src, uint32_t dst, uint8_t sl);
/* The same, COP_NONE if there is none yet. */
uint32_t cop_flow_find(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl);
/* Places in a table of all pairs, known and unknown flows. */
uint64_t cop_flow_places(const cop_net *net);
void cop_flow_init(cop_net *net);
void cop_flow_fini(cop_net *net);

#endif
