/* What the network needs of applications: programs whose ranks live on hosts, and send because of
 * what they have computed and received (app/).
 *
 * A rank acts only in cop_app_act, which the network calls at the time that the rank has requested:
 * nothing is done early. A rank is notified of a message when its host has taken in the last
 * packet, and of a message that it sends when the last packet leaves. A call changes another rank
 * only by messages between ranks of one host, which take time as well.
 *
 * After each call the network carries out the returned wishes. */
#ifndef COP_NET_APP_H
#define COP_NET_APP_H

#include "base/base.h"

typedef struct cop_app cop_app; /* app/run.h */

typedef struct cop_app_wish {
    uint32_t n_streams, *stream; /* streams that have a message, from their t_next on */
    uint32_t n_ranks, *rank; /* ranks that request cop_app_act at a new time */
    cop_time *when; /* [n_ranks] */
    bool over; /* every job has ended, finished or not */
} cop_app_wish;

/* The run begins: when does each rank begin? */
const cop_app_wish *cop_app_start(cop_app *a);
/* The time that rank `rank` asked for has come. An earlier wish that it has changed is ignored. */
const cop_app_wish *cop_app_act(cop_app *a, uint32_t rank, cop_time now);
/* `bytes` of message `msg` will have been taken in by its host at time t, now or later. */
const cop_app_wish *cop_app_arrived(cop_app *a, uint32_t msg, uint32_t bytes, cop_time t);
/* The last byte of message `msg` leaves its host at time t; a second time changes nothing. */
const cop_app_wish *cop_app_left(cop_app *a, uint32_t msg, cop_time t);
/* Jobs that can never finish: one line for each, with the ranks that wait and what they wait for,
 * into why[size]. Returns how many there are. */
uint32_t cop_app_stuck(const cop_app *a, char *why, size_t size);

#endif
