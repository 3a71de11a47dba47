/* Turns that the outputs of a matching switch (iq, cioq) owe to inputs.
 *
 * Why      an input that reads one packet at a time is often busy when its turn at an output comes. The
 *          turn goes to another input. If the two become free at different instants again and again
 *          they never meet, and the queue starves.
 * Rule     a turn that passed an input because it was busy is a debt of the output. An input with a
 *          debt of COP_TURN_OWED or more goes first when it is free, out of turn, and the debt falls.
 *          At COP_TURN_WAIT the output stays free when the turn comes to that input, until its
 *          transfer is over, and the input accepts such an output before others. So in the long run
 *          every input gets its turns, whatever the phases; small debts change nothing.
 *          A queue that runs empty forgets the debt: it has missed nothing.
 * Turns    round robin: the requesting inputs from the position on. age, random: the one input that
 *          would win if all were free.
 * Not for  queueing schemes that order their queues: sw_iq.c counts packets for those. */
#ifndef COP_NET_TURN_H
#define COP_NET_TURN_H

#include "net/input.h"
#include "net/net.h"

#define COP_TURN_OWED 8
#define COP_TURN_WAIT 16

typedef struct cop_turns {
    uint8_t *debt; /* [slot] per (output, lane, input), at most COP_TURN_WAIT */
    uint16_t *owed; /* [n_ports] debts of COP_TURN_OWED and more */
} cop_turns;

void cop_turns_init(cop_turns *t, cop_net *net);

/* The input whose turn it is on lane vl, free or not; COP_NONE if there is none. */
uint32_t cop_turn_holder(cop_net *net, uint32_t port, uint32_t vl);
/* Is the debt to the picked input so large that the output waits for it? */
bool cop_turn_overdue(const cop_turns *t, const cop_net *net, uint32_t port, const cop_pick *pick);
/* Must output `port` stay free for the input whose turn it is on lane vl? `free` are free inputs. */
bool cop_turn_waits(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl,
                    const uint64_t *free);
/* Of the free inputs that request lane vl, those that are owed a turn; false if there are none. */
bool cop_turn_owed(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl,
                   const uint64_t *free, uint64_t *owed);
/* A turn of lane vl, position `first`, went to input `winner` (COP_NONE: to another lane); inputs
 * that are not in `free` have missed it. */
void cop_turn_missed(const cop_turns *t, cop_net *net, uint32_t port, uint32_t vl, uint32_t first,
                     uint32_t winner, const uint64_t *free);
/* An input was served out of turn, or (`forget`) has nothing left to send. */
void cop_turn_paid(const cop_turns *t, cop_net *net, const cop_pick *pick, uint32_t port,
                   bool forget);

#endif
