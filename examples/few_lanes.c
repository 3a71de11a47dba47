/* A limit of injection from outside: a new message waits while many of the lanes that it could take are in use.
 *
 *   cc -shared -fPIC -O2 $(pkg-config --cflags coppice-plugin) few_lanes.c -o few_lanes.so
 *   coppice run torus.yaml --plugin ./few_lanes.so --set cc.kind=few-lanes
 *
 * In the source tree the flags are -Isrc. A relative of src/cc/lopez.c and its neighbours.
 *
 * Role     asked each time a message is about to enter the network, and again when credit comes back.
 * State    none.
 * Rule     it enters if at most `lanes` of the lanes that lead nearer to its destination are in use; always if all
 *          of them are empty, so that nothing waits for ever. */
#include <exp/plugin.h>

typedef struct few_cfg {
    int64_t lanes;
} few_cfg;

static const cop_opt few_opts[] = {{"lanes", COP_OPT_INT, offsetof(few_cfg, lanes), "2", 0, 1e6,
                                    NULL, "useful lanes in use, at most, as a message enters"},
                                   {0}};

static bool few_admit(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    const few_cfg *cfg = cop_net_cc_cfg(net);
    cop_channel useful[COP_MAX_CAND];
    unsigned n = cop_net_channels(net, in, p, useful);
    int64_t used = 0;
    for (unsigned i = 0; i < n; i++)
        used += !cop_net_lane_empty(net, useful[i].port, useful[i].vl, p);
    return used <= cfg->lanes;
}

static const cop_cc_ops few_lanes = {
    .name = "few-lanes",
    .summary = "a message enters while few of its lanes are in use",
    .source = "an example",
    .opts = few_opts,
    .cfg_size = sizeof(few_cfg),
    .at_switch.admit = few_admit,
};

COPPICE_PLUGINS(COP_CCS(&few_lanes));
