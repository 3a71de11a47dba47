#include "cc/cc_all.h"

#include <string.h>

const cop_cc_ops *const cop_ccs[] = {
    &cop_cc_none,       &cop_cc_pace,       &cop_cc_ibcc,  &cop_cc_qcn,      &cop_cc_ith,
    &cop_cc_ib_ith,     &cop_cc_ccfit,      &cop_cc_ecocc, &cop_cc_fern_one, &cop_cc_fern_two,
    &cop_cc_fern_local, &cop_cc_lopez,      &cop_cc_dril,  &cop_cc_alo,      &cop_cc_u_channels,
    &cop_cc_smai,       &cop_cc_self_tuned, NULL};

const cop_cc_ops *cop_cc_find(const char *name)
{
    for (size_t i = 0; cop_ccs[i]; i++)
        if (strcmp(cop_ccs[i]->name, name) == 0)
            return cop_ccs[i];
    return NULL;
}
