/* Every congestion control of this folder, one line each. */
#ifndef COP_CC_ALL_H
#define COP_CC_ALL_H

#include "cc/cc_list.h"

extern const cop_cc_ops cop_cc_none; /* none.c */
extern const cop_cc_ops cop_cc_pace; /* pace.c */
extern const cop_cc_ops cop_cc_ibcc; /* ibcc.c */
extern const cop_cc_ops cop_cc_qcn; /* qcn.c */
extern const cop_cc_ops cop_cc_fern_one, cop_cc_fern_two, cop_cc_fern_local; /* fern.h */
extern const cop_cc_ops cop_cc_lopez, cop_cc_dril, cop_cc_alo, cop_cc_u_channels; /* limit.h */
extern const cop_cc_ops cop_cc_smai; /* smai.c */
extern const cop_cc_ops cop_cc_self_tuned; /* self_tuned.c */
extern const cop_cc_ops cop_cc_ith, cop_cc_ib_ith, cop_cc_ccfit, cop_cc_ecocc; /* throttle.c */

/* Facts of congestion controls whose flow is a source: all that a host sends on a service level. */
void cop_cc_per_source(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts);

#endif
