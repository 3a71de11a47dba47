/* A run file's congestion control as options of OpenSM. */
#ifndef COP_EXP_OPENSM_H
#define COP_EXP_OPENSM_H

#include "exp/config.h"

#include <stdio.h>

/* Builds the network, simulates nothing. See cc/opensm.h. */
int cop_opensm_export(cop_config *c, FILE *out, cop_err *err);
/* The other way round: text of an opensm.conf into a section of a run file. */
int cop_opensm_import(const char *name, const char *text, size_t len, FILE *out, cop_err *err);

#endif
