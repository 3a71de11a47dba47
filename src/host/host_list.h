/* The kinds of end nodes known to the program, by name. */
#ifndef COP_HOST_LIST_H
#define COP_HOST_LIST_H

#include "net/host.h"

extern const cop_host_ops cop_host_simple, cop_host_hca;
extern const cop_host_ops *const cop_hosts[]; /* NULL at the end */
const cop_host_ops *cop_host_find(const char *name);

#endif
