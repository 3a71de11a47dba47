/* InfiniBand's congestion control in OpenSM's words: the cc_* options of an opensm.conf. */
#ifndef COP_CC_OPENSM_H
#define COP_CC_OPENSM_H

#include "base/err.h"

#include <stdio.h>

struct cop_net;

/* Text of an opensm.conf into a section `cc:` of a run file, written to `out`, with remarks on
 * unexpected behaviour of OpenSM. `name` is the file's name in messages. */
int cop_opensm_read(const char *name, const char *text, size_t len, FILE *out, cop_err *err);

/* Options that equal `cfg` (of cc.kind ibcc) on this network, each with its reason, and settings
 * that OpenSM has no option for. */
void cop_opensm_write(const struct cop_net *net, const void *cfg, FILE *out);

#endif
