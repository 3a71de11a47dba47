/* What a matching will touch, fetched in time. See ahead.c.
 *
 * Role     hints only. Three stages, each when the lines of the one before have come: what is known of the
 *          outputs that somebody wants; the queue and the buffer of the input that has its turn there, as
 *          far as one can tell without matching; the packet at the head of that queue.  */
#include "net/arch.h"
#include "net/fc_state.h"
#include "net/sw_iq.h"

static void fetch_outputs(const cop_net *net, uint32_t port)
{
    __builtin_prefetch(&net->out[port]);
    __builtin_prefetch(&net->out[port].waiting);
    __builtin_prefetch(&net->out[0].lane[(size_t)port * net->lanes]);
    __builtin_prefetch(&net->out[0].request[(size_t)port * net->lanes * net->words]);
    cop_obuf_prefetch(net, port);
    if (net->lane_waiting)
        __builtin_prefetch(&net->lane_waiting[(size_t)port * net->lanes]);
}

static void fetch_turn(const cop_net *net, uint32_t port, bool packet)
{
    const cop_out *out = &net->out[port];
    if (out->vl_ready == 0)
        return;
    uint32_t vl = (uint32_t)__builtin_ctz(out->vl_ready);
    uint64_t all = out->request[vl], later = all & ~(uint64_t)0 << (out->lane[vl].rr % 64);
    uint32_t in = out->port0 + (uint32_t)__builtin_ctzll(later ? later : all);
    const cop_queue *q = &net->queue[net->in[in].queue0 + out->local * net->lanes + vl];
    const cop_inbuf *b = net->fc_state->inbuf ? &net->fc_state->inbuf[in] : NULL;
    if (!packet) {
        __builtin_prefetch(q);
        if (b)
            __builtin_prefetch(b);
        return;
    }
    if (q->head != COP_NONE)
        __builtin_prefetch(&net->pkt[q->head]);
    if (b)
        __builtin_prefetch(&b->freed.v[b->freed.end & b->freed.mask]);
}

void cop_iq_prefetch(const cop_net *net, uint32_t sw, unsigned stage)
{
    const uint64_t *wanted = &net->iq->wanted[(size_t)sw * net->words];
    uint32_t port0 = net->topo->sw_port0[sw], end = net->topo->sw_port0[sw + 1];
    for (uint32_t p = port0; stage == 0 && p < end; p += 64 / sizeof(cop_time)) {
        __builtin_prefetch(&net->iq->in_until[p]);
        __builtin_prefetch(&net->iq->out_until[p]);
    }
    for (uint32_t w = 0; w < net->words; w++)
        for (uint64_t bits = wanted[w]; bits; bits &= bits - 1) {
            uint32_t port = port0 + w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (stage == 0)
                fetch_outputs(net, port);
            else if (net->quick_pick)
                fetch_turn(net, port, stage == 2);
        }
}
