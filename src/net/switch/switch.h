/* Room `switch`: a packet waits in an input, is routed, asks for an output, is granted it, and leaves.
 *
 * Files      input.c a packet comes, and goes;  input_head.c heads of queues and their requests;  input_route.c the routing
 *            is asked;  request.c, pick.c who asks for an output, and who is next;  sw_ib.c each output decides;
 *            sw_iq.c, iq_match.c, turn.c all outputs of a switch decide together;  obuf.c output buffers.
 * Arrive     cop_input_receive.
 * Leave      cop_input_grant takes it out of its input; cop_arch_ops.transfer puts it on the cable or into the output
 *            buffer, and cop_obuf_tx from there on the cable. left.h tells who wants to know.
 * Calls      cable, routing (what it is asked and told, and heads that wait for too long), record.
 * Called by  the loop; worm, services, ahead; deadlock and inspect look at queues and requests. */
#ifndef COP_NET_SWITCH_H
#define COP_NET_SWITCH_H

#include "net/switch/arch.h"
#include "net/switch/input.h"

#endif
