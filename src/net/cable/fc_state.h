/* State of the flow controls beyond the sender's sections. Private to net/fc*.c, account.c. */
#ifndef COP_NET_FC_STATE_H
#define COP_NET_FC_STATE_H

#include "net/cable/fc.h"

#define COP_IB_LOST 0x80000000u /* in cop_return.blocks: this credit message does not arrive */
#define COP_ONOFF_GO UINT32_MAX /* on/off: section.credit while the sender may go; else 0 */
#define COP_NACK 0x80000000u /* in cop_return.blocks: negative acknowledgement */

/* on/off and ack/nack: the receiver's view of its own buffer. State that is read when a packet
 * comes in is stored together, a line per port and one per few sections: in large networks each
 * line is a cache miss. */
typedef struct cop_hold { /* one section */
    uint64_t bytes; /* in the buffer */
    uint64_t capacity : 63; /* at most */
    uint64_t paused : 1; /* on/off: the sender was sent a stop */
} cop_hold;
_Static_assert(sizeof(cop_hold) == 16, "four sections are a cache line");

typedef struct cop_inbuf { /* the buffer of one port */
    _Alignas(64) cop_ring freed; /* bytes that will be free at given times (cop_return.blocks) */
    cop_time release_at; /* pending COP_EV_RELEASE */
    uint64_t xoff, xon; /* on/off: thresholds on free bytes */
    uint32_t n_paused; /* sections */
} cop_inbuf;
_Static_assert(sizeof(cop_inbuf) == 64, "an input buffer is one cache line");

struct cop_fc_state {
    /* ib */
    uint32_t *behind; /* [port * section] blocks freed but not yet known to the sender */
    uint64_t *draws; /* [port] random numbers used */
    /* on/off and ack/nack */
    cop_inbuf *inbuf; /* [port] */
    cop_hold *hold; /* [port * section] */
    /* ack/nack */
    uint8_t *replayed; /* [port] its last packet was sent again */
    uint8_t *recovering; /* [port * section] no new packet until all that were sent are accepted */
    uint32_t *expect; /* [port * section] refused packet that must come next */
    uint32_t *nacked_head, *nacked_tail; /* [port] refused, the sender is not notified yet */
    uint32_t *replay_head, *replay_tail; /* [port] to be sent again */
};

/* Apply space that has become free by now, in a port whose sections are `hold`. */
static inline void cop_fc_apply_freed(cop_inbuf *b, cop_hold *hold, cop_time now)
{
    while (cop_ring_due(&b->freed, now)) {
        cop_return ret = cop_ring_pop(&b->freed);
        hold[ret.section].bytes -= ret.blocks;
    }
    if (b->freed.at == b->freed.end)
        b->freed.at = b->freed.end = 0; /* begin again in the first line */
}

#endif
