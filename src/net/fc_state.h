/* State of the flow controls beyond the sender's sections. Private to net/fc*.c, account.c. */
#ifndef COP_NET_FC_STATE_H
#define COP_NET_FC_STATE_H

#include "net/net.h"

#define COP_IB_LOST 0x80000000u /* in cop_return.blocks: this credit message does not arrive */
#define COP_NACK 0x80000000u /* in cop_return.blocks: negative acknowledgement */

struct cop_fc_state {
    /* ib */
    uint32_t *behind; /* [port * section] blocks freed but not yet known to the sender */
    uint64_t *draws; /* [port] random numbers used */
    /* on/off and ack/nack: the receiver's view of its own buffer */
    uint64_t *held; /* [port * section] bytes in the buffer */
    cop_ring *freed; /* [port] bytes that will be free at given times (cop_return.blocks) */
    uint64_t *capacity; /* [port * section] bytes */
    cop_time *release_at; /* [port] pending COP_EV_RELEASE */
    /* on/off */
    uint8_t *paused; /* [port * section] receiver has told the sender to stop */
    uint64_t *xoff, *xon; /* [port] thresholds on free bytes */
    /* ack/nack */
    uint8_t *replayed; /* [port] its last packet was sent again */
    uint8_t *recovering; /* [port * section] nothing new until all that was sent is accepted */
    uint32_t *expect; /* [port * section] refused packet that must come next */
    uint32_t *nacked_head, *nacked_tail; /* [port] refused, the sender does not know yet */
    uint32_t *replay_head, *replay_tail; /* [port] to be sent again */
};

#endif
