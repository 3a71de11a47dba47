#include "host/host_list.h"

#include <string.h>

const cop_host_ops *const cop_hosts[] = {&cop_host_simple, &cop_host_hca, NULL};

const cop_host_ops *cop_host_find(const char *name)
{
    for (size_t i = 0; cop_hosts[i]; i++)
        if (strcmp(cop_hosts[i]->name, name) == 0)
            return cop_hosts[i];
    return NULL;
}
