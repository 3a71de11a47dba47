/* What the files of switch inputs share: input.c, input_head.c, input_route.c. Private to them. */
#ifndef COP_NET_INPUT_INT_H
#define COP_NET_INPUT_INT_H

#include "net/cable/cable.h"
#include "net/switch/input.h"
#include "net/switch/left.h"
#include "net/switch/request.h"

/* -- input_route.c -- */

/* All candidates of packet p at input `in`, best first; updates the packet's routing state. */
unsigned cop_input_ask(cop_net *net, const cop_in *in, cop_pkt *p, cop_cand *cand);
/* Choose among the outputs again, without the packet's own bytes at its first choice. */
unsigned cop_input_ask_again(cop_net *net, uint32_t in_port, cop_pkt *p, cop_cand *cand);
/* Packet p at input `in_port` waits for another output from now on. */
void cop_input_recount(cop_net *net, uint32_t in_port, cop_pkt *p, uint16_t local, uint8_t vl);
/* Tell the congestion control, in layouts with separate counters: all but one queue per output. */
void cop_input_tell_counted(cop_net *net, uint32_t in_port, const cop_pkt *p, bool came);

/* Tell the congestion control that packet p has come to, or left, those that wait for its output
 * `out`, in queue q. */
static inline void cop_input_tell_fill(cop_net *net, uint32_t in_port, uint32_t q, uint32_t out,
                                       const cop_pkt *p, bool came)
{
    if (!net->per_output) {
        cop_input_tell_counted(net, in_port, p, came);
        return;
    }
    uint32_t after = net->queue[q].bytes, before = came ? after - p->bytes : after + p->bytes;
    cop_cc_at(net, net->out[out].sw)->at_switch.on_fill(net, in_port, out, before, after, p);
}

/* -- input_head.c -- */

/* Let the head of q, in a layout with request lists, request its outputs, now or when it may.
 * `known`: n candidates that the routing has just returned for that head; n 0: call it. */
void cop_input_offer(cop_net *net, uint32_t q, const cop_cand *known, unsigned n);
/* The scheme rechecks a head whose requests are with the arbiters. Not part of cop_input_head,
 * which is called per packet. */
void cop_input_reconsider(cop_net *net, uint32_t q);

/* One head more or less of switch `sw` that the congestion control does not admit. */
void cop_input_count_held(cop_net *net, uint32_t sw, bool more);

/* -- queues -- */

/* Queue q has a new head. */
static inline void cop_input_new_head(cop_net *net, uint32_t q)
{
    if (COP_UNLIKELY(net->queue[q].head_is & COP_HEAD_HELD))
        cop_input_count_held(net, net->in[net->queue_port[q]].sw, false);
    net->queue[q].head_is = 0;
}

static inline void cop_input_append(cop_net *net, uint32_t q, uint32_t h)
{
    cop_queue *queue = &net->queue[q];
    cop_pkt *p = &net->pkt[h];
    p->next = COP_NONE;
    if (queue->head == COP_NONE)
        queue->head = h;
    else
        net->pkt[queue->tail].next = h;
    queue->tail = h;
    queue->bytes += p->bytes;
}

static inline uint32_t cop_input_pop(cop_net *net, uint32_t q)
{
    cop_queue *queue = &net->queue[q];
    uint32_t h = queue->head;
    queue->head = net->pkt[h].next;
    queue->bytes -= net->pkt[h].bytes;
    return h;
}

/* -- requests -- */

/* When a head may start on output `port` that is faster than its input, so that it does not run
 * dry. A packet that the switch has made is there as a whole, perhaps before it could have come
 * in. */
static inline cop_time cop_input_no_underrun(const cop_net *net, const cop_in *in, uint32_t port,
                                             const cop_pkt *p)
{
    const cop_out *out = &net->out[port];
    if (net->obuf || out->pace >= in->pace)
        return 0; /* an output buffer takes bytes in at the pace at which they come */
    uint32_t piece = p->bytes < net->piece_bytes ? p->bytes : net->piece_bytes;
    cop_time takes = cop_wire_time(out->pace, piece);
    return p->t_tail > takes ? p->t_tail - takes : 0;
}

/* Packet p requests lane vl of output `port`. A lane that is blocked for a large packet may still
 * take a smaller one. */
static inline void cop_input_requested(cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p)
{
    cop_out *out = &net->out[port];
    if (out->vl_blocked >> vl & 1) {
        if (cop_blocks(p->bytes) >= net->out[port].lane[vl].need)
            return;
        cop_fc_open(out, 1u << vl);
    }
    net->arch->kick(net, port);
}

#endif
