/* A packet: one cache line, named by a 32-bit handle into a pool. At any time it has one owner: a
 * list of its NIC, a wire, an input queue, an output buffer, or the sink. */
#ifndef COP_PKT_H
#define COP_PKT_H

#include "base/base.h"

enum cop_pkt_flags {
    COP_PKT_FECN = 1 << 0, /* forward congestion notification: marked by a switch */
    COP_PKT_BECN = 1 << 1, /* backward notification: slows a source down */
    COP_PKT_ACK = 1 << 2, /* acknowledgement */
    COP_PKT_CNP = 1 << 3, /* congestion notification packet */
    COP_PKT_LAST = 1 << 4, /* last packet of its message */
    COP_PKT_WATCH = 1 << 5, /* trace every step */
    COP_PKT_OWN = 1 << 6, /* made by the switch that it is in, and not in its input buffer */
    COP_PKT_END = 1 << 7, /* notification of a queue that leads to a host: there is no other path */
    COP_PKT_CONTESTED = 1 << 8, /* notification about a packet on a detour that blocks others */
};
#define COP_PKT_CONTROL (COP_PKT_ACK | COP_PKT_CNP)

typedef struct cop_pkt {
    uint32_t next; /* following packet in its owner's list */
    uint32_t stream; /* stream of the traffic; of control packets, that of the packet they answer */
    uint32_t src; /* host */
    uint32_t
        seq; /* number among the packets of its source; (src, seq) identifies it, in one load */
    uint32_t dst; /* host */
    uint32_t bytes; /* on the wire */
    cop_time t_gen; /* its message was generated */
    cop_time t_inj; /* first byte left the source */
    cop_time t_tail; /* last byte is in (or will reach) the current buffer */
    uint32_t mid; /* routing: intermediate switch, or COP_NONE */
    uint32_t cc; /* one word for the congestion control */
    uint16_t
        out; /* local output port chosen (first choice) at this switch; on the wire: perhaps of the
                next one */
    uint16_t flags;
    uint8_t vl; /* lane of the current buffer */
    uint8_t out_vl; /* lane chosen for the link behind `out` */
    uint8_t rstate; /* routing's own state */
    uint8_t sl;
} cop_pkt;
_Static_assert(sizeof(cop_pkt) == 64, "a packet is one cache line");

#define COP_BLOCK_BYTES 64 /* unit of credits */
static inline uint32_t cop_blocks(uint32_t bytes)
{
    return (bytes + COP_BLOCK_BYTES - 1) / COP_BLOCK_BYTES;
}

#endif
