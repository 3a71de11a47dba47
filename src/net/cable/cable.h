/* Room `cable`: a packet leaves a port, crosses a wire, comes to the next input; room there is taken and given back.
 *
 * Files      wire.c times of packets on wires;  vlarb.c whose lane is next;  fc.c credits, fc_onoff.c PAUSE,
 *            fc_acknack.c refusals;  link.h what every sender does;  mail.h messages to a neighbour.
 * Arrive     cop_wire_take, cop_fc_accepts: the loop hands the packet on to the switch or host at that end.
 * Leave      cop_link_transfer or cop_link_inject: takes the credit, and the wire has the packet.
 * Back       cop_fc_give at the receiver; cop_fc_came at the sender, if cop_out.waits says that something waits.
 * Calls      record. It knows no switch, host or worm: two function pointers (net->inject, net->section_open) and
 *            cop_out.waits are all that leads back to them.
 * Called by  all who send or receive. State of the flow controls (fc_state.h) is its own; only book-keeping, construction
 *            and hints to the cache look at it. */
#ifndef COP_NET_CABLE_H
#define COP_NET_CABLE_H

#include "net/cable/fc.h"
#include "net/cable/link.h"
#include "net/cable/mail.h"
#include "net/cable/vlarb.h"
#include "net/cable/wire.h"

#endif
