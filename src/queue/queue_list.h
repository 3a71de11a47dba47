/* The queueing schemes known to the program, by name. */
#ifndef COP_QUEUE_LIST_H
#define COP_QUEUE_LIST_H

#include "net/queue.h"

extern const cop_queue_ops cop_queue_fbicm, cop_queue_recn; /* fbicm.c */
extern const cop_queue_ops cop_queue_hfdi; /* hfdi.c */
extern const cop_queue_ops *const cop_queueings[]; /* NULL at the end */
const cop_queue_ops *cop_queue_find(const char *name);

#endif
