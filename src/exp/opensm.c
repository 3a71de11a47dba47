/* A run file as options of OpenSM. Without a congestion control of InfiniBand the defaults for the
 * network are written, as advice. A network that is not InfiniBand gets none. */
#include "exp/opensm.h"

#include "base/opt.h"
#include "cc/cc_list.h"
#include "cc/opensm.h"
#include "exp/run.h"

#include <string.h>

typedef struct job {
    const void *cfg;
    FILE *out;
} job;

static void look(void *ctx, const struct cop_net *net)
{
    const job *j = ctx;
    cop_opensm_write(net, j->cfg, j->out);
}

int cop_opensm_export(cop_config *c, FILE *out, cop_err *err)
{
    const cop_cc_ops *ibcc = cop_cc_find("ibcc");
    job j = {.cfg = c->cc_cfg, .out = out};
    char where[512];
    if (c->fc.kind == COP_FC_ONOFF)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: flow_control.kind on-off (PFC) is Ethernet, and OpenSM configures "
                           "InfiniBand; leave --opensm out, or set flow_control.kind to ib",
                           cop_config_where(c, "flow_control.kind", where, sizeof(where)));
    if (c->cc != ibcc) {
        void *defaults = cop_arena_alloc(&c->arena, ibcc->cfg_size);
        cop_opt_defaults(ibcc->opts, defaults, &c->arena);
        j.cfg = defaults;
        fprintf(out,
                "# the run file has cc.kind %s; these are the defaults of ibcc for its network: "
                "try them with --set cc.kind=ibcc\n",
                c->cc->name);
    }
    return cop_look_network(c, look, &j, err);
}

int cop_opensm_import(const char *name, const char *text, size_t len, FILE *out, cop_err *err)
{
    return cop_opensm_read(name, text, len, out, err);
}
