/* Hints to the cache: prefetches of what will be accessed next (room ahead has most of them). */
#ifndef COP_NET_FETCH_H
#define COP_NET_FETCH_H

#include "net/net.h"

/* A hint that `line` is needed soon. gcc takes a function that does nothing but prefetch for one
 * without effect and drops the calls of it; the empty asm statement counts as an effect. */
static inline __attribute__((always_inline)) void cop_fetch(const void *line)
{
    __builtin_prefetch(line, 0, 2); /* the nearest cache takes few at a time and drops the rest */
    __asm__ volatile("");
}

/* Where the requests for an output begin; computed, as its pointer may not be in the cache yet. */
static inline const char *cop_ahead_requests(const cop_net *net, uint32_t port)
{
    const char *first = (const char *)net->out[0].lane;
    return first + port * (size_t)((const char *)net->out[1].lane - first);
}

/* A return to sender `from` will be stored soon. */
static inline void cop_ahead_give(const cop_net *net, uint32_t from)
{
    __builtin_prefetch(&net->out[from].ring, 1);
    __builtin_prefetch(&net->first_return[(size_t)from * COP_RING_FIRST], 1);
}

#endif
