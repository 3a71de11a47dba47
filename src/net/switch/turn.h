/* Turns that the outputs of a matching switch (iq, cioq) owe to inputs.
 *
 * Why      an input with one or few read ports is often busy when its turn at an output comes. The
 *          turn goes to another input. If the two become free at different instants again and again
 *          they never meet, and the queue starves.
 * Rule     an output counts the turns in a row that passed an input because it was busy. At
 *          COP_TURN_WAIT the input is overdue: when the turn comes to it again, the output stays
 *          free until its transfer is over, and the input accepts that output before others. Once
 *          they have met without waiting (`calm` times in a row), or the queue has run empty,
 *          counting begins anew. So an input that misses all turns gets each of them from then on,
 *          and few misses change nothing.
 * Turns    round robin: the requesting inputs from the position on. Others: the one input that
 *          would win if all were free. */
#ifndef COP_NET_TURN_H
#define COP_NET_TURN_H

#include "net/net.h"
#include "net/switch/input.h"

#define COP_TURN_WAIT 32 /* 8 costs 2 % of saturation with one iteration, 32 costs 0.2 % at most */
/* `calm` where the scheme orders queues: neighbours stop and restart special queues, so that input
 * and output sometimes meet by chance. With 6 or fewer such a queue loses up to three quarters of
 * its share to a busy one beside it, with 7 to 32 it loses none. Without an order it is not needed,
 * and saturated switches of 64 ports would carry less than 0.97. */
#define COP_TURN_CALM 16

/* Overdue inputs of an output; usually 0, tested inline. */
typedef struct cop_turn_port {
    uint16_t overdue; /* inputs that are overdue there, on all lanes */
    uint16_t behind; /* inputs that have missed a turn there, on all lanes */
    bool waited; /* the output has stayed free for the next input */
} cop_turn_port;

typedef struct cop_turns {
    /* [slot] per (output, lane, input): turns missed in a row; overdue: COP_TURN_WAIT, plus what is
     * missing of `calm` beyond 1. */
    uint8_t *missed;
    uint8_t calm;
    cop_turn_port *port; /* [n_ports] */
} cop_turns;

void cop_turns_init(cop_turns *t, cop_net *net);

bool cop_turn_overdue_slow(const cop_turns *t, const cop_net *net, uint32_t port,
                           const cop_pick *pick);
bool cop_turn_waits_slow(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl,
                         const uint64_t *free);
void cop_turn_served_slow(const cop_turns *t, cop_net *net, uint32_t port, const cop_pick *pick,
                          bool empty);

/* Is the picked input overdue at output `port`? */
static inline bool cop_turn_overdue(const cop_turns *t, const cop_net *net, uint32_t port,
                                    const cop_pick *pick)
{
    return COP_UNLIKELY(t->port[port].overdue) && cop_turn_overdue_slow(t, net, port, pick);
}

/* Must output `port` stay free for the input whose turn it is on lane vl? `free` are free
 * inputs. */
static inline bool cop_turn_waits(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl,
                                  const uint64_t *free)
{
    return COP_UNLIKELY(t->port[port].overdue) && cop_turn_waits_slow(t, net, port, vl, free);
}

/* A turn of lane vl, position `first`, went to input `winner` (COP_NONE: to another lane);
 * requesting inputs that are not in `free` have missed it. */
void cop_turn_missed(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl, uint32_t first,
                     uint32_t winner, const uint64_t *free);

/* The picked packet went; `empty`: its queue has no other. */
static inline void cop_turn_served(const cop_turns *t, cop_net *net, uint32_t port,
                                   const cop_pick *pick, bool empty)
{
    if (COP_UNLIKELY(t->port[port].behind)) /* else no turns were missed */
        cop_turn_served_slow(t, net, port, pick, empty);
}

#endif
