/* A run file in OpenSM's words. Where it has no congestion control of InfiniBand, the guidelines for its network
 * are written: that is advice. */
#include "exp/opensm.h"

#include "base/opt.h"
#include "cc/cc_list.h"
#include "cc/opensm.h"
#include "exp/run.h"

#include <string.h>

typedef struct job {
    const void *cfg;
    bool advice;
    FILE *out;
} job;

static void look(void *ctx, const struct cop_net *net)
{
    const job *j = ctx;
    (j->advice ? cop_opensm_advise : cop_opensm_write)(net, j->cfg, j->out);
}

int cop_opensm_export(cop_config *c, FILE *out, cop_err *err)
{
    const cop_cc_ops *ibcc = cop_cc_find("ibcc");
    job j = {.cfg = c->cc_cfg, .advice = c->cc != ibcc, .out = out};
    if (j.advice) {
        void *defaults = cop_arena_alloc(&c->arena, ibcc->cfg_size);
        cop_opt_defaults(ibcc->opts, defaults, &c->arena);
        j.cfg = defaults;
        fprintf(out, "# the run file has cc.kind %s; these are guidelines for its network\n",
                c->cc->name);
    }
    return cop_look_network(c, look, &j, err);
}

int cop_opensm_import(const char *name, const char *text, size_t len, FILE *out, cop_err *err)
{
    return cop_opensm_read(name, text, len, out, err);
}
