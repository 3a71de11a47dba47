/* Reading the items of run.observe. Private to observe*.c. */
#ifndef COP_NET_OBSERVE_INT_H
#define COP_NET_OBSERVE_INT_H

#include "net/inspect/inspect.h"

typedef struct cop_observing {
    cop_net *net;
    cop_err *err;
    const char *item;
    size_t cap;
} cop_observing;

/* observe_names.c */
int cop_observe_fault(const cop_observing *p, const char *what);
int cop_observe_no_switch(const cop_observing *p);
int cop_observe_add(cop_observing *p, cop_observation o);
/* A host by its name or number; COP_NONE: there is none. */
uint32_t cop_observe_host(const cop_topo *t, const char *text);
/* A switch by its name. */
uint32_t cop_observe_switch(const cop_topo *t, const char *text);
/* Parses "3" or "3-7", returns the rest of the text; NULL: it is neither. */
const char *cop_observe_range(const char *text, uint32_t *first, uint32_t *last);
/* Cut "@3" off; false if what follows is no number below `limit`. */
bool cop_observe_suffix(char *text, uint32_t limit, uint32_t *value);
/* Parses the text behind `voq/`. */
int cop_observe_voq(cop_observing *p, char *target);
/* One observation for each port that the target names, which may have a lane. */
int cop_observe_ports(cop_observing *p, char *target, int kind, unsigned which, const char *unit);

/* observe_rates.c: parses the text behind `received/` and so on. */
int cop_observe_received(cop_observing *p, const char *target);
int cop_observe_injected(cop_observing *p, const char *target);
int cop_observe_sent(cop_observing *p, char *target);
int cop_observe_notices(cop_observing *p, char *target);

#endif
