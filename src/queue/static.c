/* Static queueing schemes: the queue of a packet depends on its addresses alone.
 *
 * 1q      M-q-1q      one FIFO per input and lane.
 * voqsw   M-q-voqsw   one queue per output port of the switch (and lane: the requested one, or,
 *                     where packets have a choice, the one they came on); the buffer is shared.
 * voqnet  M-q-voqnet  one private buffer section per destination of the network, with separate
 *                     credits: no head-of-line blocking of any order, at the price of memory.
 * dbbm    M-q-dbbm    destination modulo the number of queues (G-gran0-2).
 * damq    M-q-damq    as voqsw: its queues have no fixed size either (G-gran0-5).
 * obqa    M-q-obqa    output port modulo the number of queues (G-gran0-2).
 * vftree  M-vftree    destinations of a leaf switch spread over the lanes; one queue per output and
 *                     lane inside (G-gran0-2: lane = index of the destination in its leaf mod
 *                     lanes). */
#include "base/opt.h"
#include "queue/queue_list.h"

static void oneq_layout(const void *cfg, const cop_netinfo *info, uint32_t ports,
                        cop_queue_layout *l)
{
    (void)cfg, (void)ports;
    *l = (cop_queue_layout){.queues = info->lanes};
}

static uint32_t oneq_select(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg, (void)info;
    return p->vl;
}

static const cop_opt no_opts[] = {{0}};

static const cop_queue_ops oneq = {.name = "1q",
                                   .summary = "one FIFO per input and lane",
                                   .source = "Gran thesis 2.3.1; Papers V, VI",
                                   .opts = no_opts,
                                   .per_lane = true,
                                   .layout = oneq_layout,
                                   .select = oneq_select};

static void voqsw_layout(const void *cfg, const cop_netinfo *info, uint32_t ports,
                         cop_queue_layout *l)
{
    (void)cfg;
    *l = (cop_queue_layout){.queues = ports * info->lanes, .per_output = true};
}

/* On one path all packets of a queue wait for the same output and lane. Where packets have a choice
 * that lane is only the first they request; a packet on an escape lane must not wait behind one
 * that came on another lane and waits for other lanes, as cycle-free lanes would then depend on
 * lanes with cycles. */
static uint32_t voqsw_select(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg;
    return p->out * info->lanes + (info->one_path ? p->out_vl : p->vl);
}

static const cop_queue_ops voqsw = {
    .name = "voqsw",
    .summary = "one queue per output port of the switch, shared buffer",
    .source = "Gran thesis 2.3.1; InfiniBand switches of Papers I-IV",
    .opts = no_opts,
    .layout = voqsw_layout,
    .select = voqsw_select};

static const cop_queue_ops damq = {
    .name = "damq",
    .summary = "one queue per output port, sizes dynamic (here the same as voqsw)",
    .source = "Tamir and Frazier, named in Gran thesis 2.3.1, Papers V and VI",
    .opts = no_opts,
    .layout = voqsw_layout,
    .select = voqsw_select};

static void voqnet_layout(const void *cfg, const cop_netinfo *info, uint32_t ports,
                          cop_queue_layout *l)
{
    (void)cfg, (void)ports;
    uint32_t n = info->n_hosts * info->lanes;
    *l = (cop_queue_layout){.queues = n, .sections = n};
}

static uint32_t voqnet_select(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg;
    return p->dst * info->lanes + p->vl;
}

static uint32_t voqnet_section(const void *cfg, const cop_netinfo *info, const cop_pkt *p,
                               uint32_t vl)
{
    (void)cfg;
    return p->dst * info->lanes + vl;
}

static const cop_queue_ops voqnet = {.name = "voqnet",
                                     .summary = "one private buffer per destination of the network",
                                     .source = "Gran thesis 2.3.1; Papers V, VI",
                                     .opts = no_opts,
                                     .layout = voqnet_layout,
                                     .select = voqnet_select,
                                     .section = voqnet_section};

typedef struct dbbm_cfg {
    int64_t queues;
} dbbm_cfg;

static const cop_opt dbbm_opts[] = {{"queues", COP_OPT_INT, offsetof(dbbm_cfg, queues), "8", 1,
                                     1024, NULL,
                                     "queues per input and lane; queue = destination mod queues"},
                                    {0}};

static void dbbm_layout(const void *cfg, const cop_netinfo *info, uint32_t ports,
                        cop_queue_layout *l)
{
    (void)ports;
    const dbbm_cfg *c = cfg;
    *l = (cop_queue_layout){.queues = (uint32_t)c->queues * info->lanes};
}

static uint32_t dbbm_select(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    const dbbm_cfg *c = cfg;
    return p->dst % (uint32_t)c->queues * info->lanes + p->vl;
}

static const cop_queue_ops dbbm = {.name = "dbbm",
                                   .summary = "a few queues, chosen by destination modulo",
                                   .source =
                                       "Nachiondo et al., named in Gran thesis 2.3.1 and Paper V",
                                   .opts = dbbm_opts,
                                   .cfg_size = sizeof(dbbm_cfg),
                                   .layout = dbbm_layout,
                                   .select = dbbm_select};

/* As dbbm, by the output instead of the destination. */
static uint32_t obqa_select(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    const dbbm_cfg *c = cfg;
    return p->out % (uint32_t)c->queues * info->lanes + p->vl;
}

static const cop_opt obqa_opts[] = {{"queues", COP_OPT_INT, offsetof(dbbm_cfg, queues), "4", 1,
                                     1024, NULL,
                                     "queues per input and lane; queue = output port mod queues"},
                                    {0}};

static const cop_queue_ops obqa = {.name = "obqa",
                                   .summary = "a few queues, chosen by output port modulo",
                                   .source = "Escudero-Sahuquillo et al., named in Papers V and VI",
                                   .opts = obqa_opts,
                                   .cfg_size = sizeof(dbbm_cfg),
                                   .layout = dbbm_layout,
                                   .select = obqa_select};

typedef struct vftree_cfg {
    int64_t lanes;
} vftree_cfg;

static const cop_opt vftree_opts[] = {{"lanes", COP_OPT_INT, offsetof(vftree_cfg, lanes), "4", 1,
                                       COP_MAX_VL, NULL,
                                       "virtual lanes over which destinations are spread"},
                                      {0}};

static uint32_t vftree_lanes(const void *cfg)
{
    return (uint32_t)((const vftree_cfg *)cfg)->lanes;
}

static uint8_t vftree_inject(const void *cfg, const cop_netinfo *info, uint32_t src, uint32_t dst,
                             uint8_t vl)
{
    (void)src, (void)vl;
    uint32_t port = cop_topo_exit_port(info->topo, dst);
    return (uint8_t)(info->topo->port[port].local % vftree_lanes(cfg));
}

static int vftree_check(const void *cfg, const cop_netinfo *info, cop_err *err)
{
    if (info->lanes < vftree_lanes(cfg))
        return cop_err_add(err, COP_E_INPUT,
                           "queueing.lanes %u exceed switch.lanes %u; raise switch.lanes",
                           vftree_lanes(cfg), info->lanes);
    return 0;
}

static const cop_queue_ops vftree = {.name = "vftree",
                                     .summary =
                                         "destinations of each leaf spread over virtual lanes",
                                     .source = "Guay et al., named in Gran thesis 2.3.1",
                                     .opts = vftree_opts,
                                     .cfg_size = sizeof(vftree_cfg),
                                     .check = vftree_check,
                                     .layout = voqsw_layout,
                                     .select = voqsw_select,
                                     .inject_vl = vftree_inject,
                                     .lanes = vftree_lanes};

const cop_queue_ops *const cop_queueings[] = {
    &oneq,   &voqsw,           &damq,           &voqnet,         &dbbm, &obqa,
    &vftree, &cop_queue_fbicm, &cop_queue_recn, &cop_queue_hfdi, NULL};
