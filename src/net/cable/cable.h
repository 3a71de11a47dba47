/* Room `cable`: a packet leaves a port, crosses a wire, comes to the next input; room there is
 * taken and given back.
 *
 * Files      wire.c times of packets on wires;  vlarb.c the next lane;  fc.c credits, fc_onoff.c
 *            PAUSE, fc_acknack.c refusals;  link.h shared by all senders;  mail.h messages to a
 *            neighbour.
 * Arrive     cop_wire_take, cop_fc_accepts: the loop hands the packet on to the switch or host at
 *            that end.
 * Leave      cop_link_transfer or cop_link_inject: takes the credit, and the wire has the packet.
 * Back       cop_fc_give at the receiver; cop_fc_came at the sender, if cop_out.waits is set.
 * Calls      record. It knows no switch, host or worm: it reaches them only by two function
 *            pointers (net->inject, net->section_open) and cop_out.waits.
 * Called by  all rooms that send or receive. State of the flow controls (fc_state.h) is private;
 *            only book-keeping, construction and hints to the cache read it. */
#ifndef COP_NET_CABLE_H
#define COP_NET_CABLE_H

#include "net/cable/fc.h"
#include "net/cable/link.h"
#include "net/cable/mail.h"
#include "net/cable/vlarb.h"
#include "net/cable/wire.h"

#endif
