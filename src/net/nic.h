/* End nodes: they turn messages into packets and take packets in. */
#ifndef COP_NET_NIC_H
#define COP_NET_NIC_H

#include "net/net.h"

/* Schedule every host's first attempt to send. */
void cop_nic_start(cop_net *net);
/* COP_EV_NIC. */
void cop_nic_try(cop_net *net, uint32_t host);
/* Credits came back for the host that owns `port`. */
void cop_nic_credit(cop_net *net, uint32_t port);
/* A packet's head has reached the host that owns `port`. */
void cop_nic_receive(cop_net *net, uint32_t port, uint32_t h);
/* Queue a control packet (flags: ACK and/or CNP, BECN) in answer to packet p, ready at time t. */
void cop_nic_reply(cop_net *net, uint32_t host, const cop_pkt *p, uint16_t flags, cop_time t);
/* Messages that the queueing scheme held back are looked at again. */
void cop_nic_release(cop_net *net, uint32_t host);
/* A flow that waits for its congestion control, however long, is asked again. */
void cop_nic_rouse(cop_net *net, uint32_t flow);
/* Let the host try to send at time t (or earlier, if already planned). */
void cop_nic_wake(cop_net *net, uint32_t host, cop_time t);

/* Flows of the congestion control (flow.c): number of (src, dst, sl), made if new. */
uint32_t cop_flow_of(cop_net *net, uint32_t src, uint32_t dst, uint8_t sl);
/* The same, COP_NONE if there is none yet. */
uint32_t cop_flow_find(const cop_net *net, uint32_t src, uint32_t dst, uint8_t sl);
/* Places in a table of all pairs, known and unknown flows. */
uint64_t cop_flow_places(const cop_net *net);
void cop_flow_init(cop_net *net);
void cop_flow_fini(cop_net *net);

/* Pool of messages in progress. */
uint32_t cop_send_new(cop_net *net);
void cop_send_free(cop_net *net, uint32_t s);

#endif
