/* Limit of busy lanes: a switch lets a message in only if no more than `limit` of its output lanes
 * are busy.
 *
 * Rule     busy lanes of all outputs to other switches <= limit.
 * Source   Lopez, Martinez, Duato, Petrini 1997, as Fernandez and Garcia, section 2 describes it:
 *          the amount of occupied output lanes of the node. The limit must be tuned for each
 *          network; the default is half of the switch's lanes (ours). */
#include "base/opt.h"
#include "cc/limit.h"

typedef struct lopez_cfg {
    limit_cfg common;
    int64_t limit;
} lopez_cfg;

static const cop_opt opts[] = {
    {LIMIT_FREE},
    {"limit", COP_OPT_INT, offsetof(lopez_cfg, limit), "-1", -1, 1e6, NULL,
     "most busy output lanes of a switch with which a message may enter (to be found for each "
     "network and pattern; as many as it has or more: no limit); -1: half of those that it has, "
     "at least 1 (ours)"},
    {0}};

static bool admit(struct cop_net *net, uint32_t in, const cop_pkt *p)
{
    const lopez_cfg *cfg = cop_net_cc_cfg(net);
    uint32_t all, busy = limit_busy(net, in, p, &all);
    int64_t half = all / 2 > 1 ? all / 2 : 1;
    return limit_answer(net, busy <= (cfg->limit >= 0 ? cfg->limit : half));
}

const cop_cc_ops cop_cc_lopez = {
    .name = "lopez",
    .summary = "a message enters only if few output lanes of its switch are busy",
    .source = "Lopez et al. 1997, as Fernandez and Garcia describe it",
    .opts = opts,
    .cfg_size = sizeof(lopez_cfg),
    .net_size = sizeof(limit_net),
    .check = limit_check,
    .at_switch.admit = admit,
    .shown.counters = limit_counters,
    .shown.counter = limit_counter,
    .shown.rested = limit_rested,
};
