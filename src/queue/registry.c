#include "queue/queue_list.h"

#include <string.h>

const cop_queue_ops *cop_queue_find(const char *name)
{
    for (size_t i = 0; cop_queueings[i]; i++)
        if (strcmp(cop_queueings[i]->name, name) == 0)
            return cop_queueings[i];
    return NULL;
}
