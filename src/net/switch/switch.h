/* Room `switch`: a packet waits in an input, is routed, requests an output, is granted it, and
 * leaves.
 *
 * Files      input.c packets enter and leave;  input_head.c heads of queues and their requests;
 *            input_route.c calls of the routing;  request.c, pick.c requests of an output, and the
 *            next grant;  sw_ib.c each output arbitrates;  sw_iq.c, iq_match.c, turn.c the outputs
 *            and inputs of a switch are matched;  obuf.c output buffers.
 * Arrive     cop_input_receive.
 * Leave      cop_input_grant takes it out of its input; cop_arch_ops.transfer puts it on the cable
 *            or into the output buffer, and cop_obuf_tx from there on the cable. left.h calls the
 *            hooks.
 * Calls      cable, routing (its view and hooks, and heads that wait for too long), record.
 * Called by  the loop; worm, services, ahead; deadlock and inspect read queues and requests. */
#ifndef COP_NET_SWITCH_H
#define COP_NET_SWITCH_H

#include "net/switch/arch.h"
#include "net/switch/input.h"

#endif
