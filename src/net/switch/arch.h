/* The switch architectures, and what they share. */
#ifndef COP_NET_ARCH_H
#define COP_NET_ARCH_H

#include "net/net.h"

extern const cop_arch_ops cop_arch_ib, cop_arch_ib_buffered, cop_arch_iq, cop_arch_cioq;

void cop_iq_init(cop_net *net);
void cop_obuf_init(cop_net *net);
/* When an input has a free read port; in the past: it has one. */
cop_time cop_iq_input_free(const cop_net *net, uint32_t port);
/* A packet will soon wait here. */
void cop_obuf_prefetch(const cop_net *net, uint32_t port);
void cop_obuf_prefetch_packet(const cop_net *net, uint32_t port);
void cop_obuf_prefetch_tail(const cop_net *net, uint32_t port, uint32_t vl);
/* COP_EV_TX: the output buffer of `port` may send. */
void cop_obuf_tx(cop_net *net, uint32_t port);
/* An input waits for room in the output buffer: it is woken when the packet on the wire has
 * left. */
void cop_obuf_wait(cop_net *net, uint32_t port);
/* Members of cop_arch_ops for architectures with output buffers. */
bool cop_obuf_room(const cop_net *net, uint32_t port, uint32_t vl, uint32_t blocks);
cop_time cop_obuf_transfer(cop_net *net, uint32_t port, uint32_t vl, uint32_t h);
void cop_obuf_credit(cop_net *net, uint32_t port);
/* Earliest time at which the crossbar's output in front of `port` may take another packet. */
cop_time cop_obuf_xbar_free(const cop_net *net, uint32_t port);
/* Crossbar's round robin over the lanes in `ready`. */
uint32_t cop_obuf_pick_lane(const cop_net *net, uint32_t port, uint32_t ready);
/* Lanes with packets in the buffer. */
uint32_t cop_obuf_lanes(const cop_net *net, uint32_t port);
/* Will there ever be room for so many blocks of lane vl, if all leave but packets of the lanes in
 * `stuck`? */
bool cop_obuf_room_ever(const cop_net *net, uint32_t port, uint32_t vl, uint32_t blocks,
                        uint32_t stuck);
/* For accounting: packets that wait in the buffer of (port, lane), from the oldest on; the blocks
 * they have taken, without those of the packet that is leaving; do packets and room of a port
 * agree? */
uint32_t cop_obuf_first(const cop_net *net, uint32_t port, uint32_t vl);
uint32_t cop_obuf_held(const cop_net *net, uint32_t port, uint32_t vl);
bool cop_obuf_adds_up(const cop_net *net, uint32_t port);

#endif
