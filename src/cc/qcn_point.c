/* QCN congestion points.
 *
 * Where    outputs, or inputs; those that face a host only if sources react, or `ports: all`:
 *          routing cannot help there (Benito et al., 3.3.1).
 * When     every `every` packets of data that leave an output, or that come in (`period`: at the
 *          first one after so much time, so that a blocked port is sampled as often as others):
 *          with Q the bytes in the output's buffer (without one: that wait for it in all inputs),
 *          or in the input buffer, of all lanes (`queue: class`: of the packet's lane alone, from
 *          which packets are then also counted and drawn: a point for each priority, as in the
 *          standard). An output's buffer counts blocks of 64 bytes and control packets, too; an
 *          input, data.
 *            Fb = -((Q - Qeq) + w (Q - Qold)),   Qold: Q when the last notification was made.
 *          Fb < 0 is congestion; |Fb| is quantised to 0..63, 63 from Qeq (1 + 2 w) on, to the
 *          nearest.
 * Roots    `busy`: an output notifies only if its wire was busy for that share of the time since
 *          its last sample. Ours, for networks where congested hosts must be distinguished from
 *          congested paths; the standard has no such rule.
 * Ends     a notification of a queue that leads to a host is marked, as there is no other path: at
 *          outputs always, at inputs (of the packet that is drawn) if sources react. Else switches
 *          of the paper adapt to every one that inputs make.
 * Contested  if the routing requests it: a notification of an output to another group about a
 *            packet on a detour is marked if the previous packet of data, of any lane, was on its
 *            minimal path: then the detour blocks packets for which the link is the shortest.
 * Who      a share of congested samples sends a notification: at an output to the source of the
 *          packet that leaves, at an input to that of a packet drawn from the buffer.
 * Cost     at an input a sample that may find congestion walks the packets of the buffer, once or
 *          twice, per `every` packets that come in, so `every: 1` is expensive. Others take a step
 *          for each queue of the input.
 * Source   IEEE 802.1Qau 30.2.1; M-qcn-cp, M-qcnsw-in, M-qcnsw-out, G-qcn-10. */
#include "base/rng.h"
#include "cc/qcn.h"

#define PIECE_BYTES 65536u /* their time on the wire gives its rate */

uint32_t qcn_feedback(const qcn_cfg *cfg, uint64_t qeq, uint64_t q, uint64_t old)
{
    double fb = ((double)q - (double)qeq) + cfg->w * ((double)q - (double)old);
    double most = (double)qeq * (1.0 + 2.0 * cfg->w);
    if (fb <= 0.0)
        return 0;
    return fb >= most ? QCN_FEEDBACK_MOST : (uint32_t)(fb / most * QCN_FEEDBACK_MOST + 0.5);
}

static cop_rng draw(const struct cop_net *net, uint32_t port, uint32_t vl, qcn_port *s)
{
    cop_rng rng = cop_rng_make(cop_net_info(net)->seed, COP_RNG_MARK, port);
    rng.counter = ((uint64_t)vl << 48) + ((uint64_t)s->draws++ << 2);
    return rng;
}

static qcn_port *point_of(struct cop_net *net, uint32_t port, uint32_t vl)
{
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    return (qcn_port *)cop_net_cc_port(net, port) + (cfg->queue == QCN_OF_CLASS ? vl : 0);
}

/* Does this sample send a notification? */
static bool tells(const qcn_cfg *cfg, bool end, qcn_port *s, cop_rng *rng)
{
    double share = end && cfg->host_share > 0.0 ? cfg->host_share : cfg->share;
    if (!cfg->regular)
        return cop_rng_unit(rng) < share;
    s->due += share;
    if (s->due < 1.0)
        return false;
    s->due -= 1.0;
    return true;
}

/* A sample of q bytes at a congestion point: the feedback to send, 0: none. */
static uint32_t sample(struct cop_net *net, uint32_t port, qcn_port *s, uint64_t q, cop_rng *rng)
{
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    qcn_net *all = cop_net_cc_net(net);
    uint32_t fb = qcn_feedback(cfg, all->qeq, q, s->old);
    all->samples++;
    if (fb == 0)
        return 0;
    all->over++;
    if (!tells(cfg, cop_net_faces_host(net, port), s, rng))
        return 0;
    all->told++;
    s->old = q;
    return fb;
}

static bool sampled(const struct cop_net *net, const qcn_cfg *cfg, uint32_t port)
{
    return qcn_samples_hosts(cfg) || !cop_net_faces_host(net, port);
}

static bool due(const struct cop_net *net, const qcn_cfg *cfg, uint32_t port, qcn_port *s,
                const cop_pkt *p)
{
    if (p->flags & COP_PKT_CONTROL)
        return false;
    if (cfg->period_ps > 0) {
        if (cop_net_now(net) < s->next)
            return false;
        s->next = cop_net_now(net) + cfg->period_ps;
        return true;
    }
    int64_t every =
        cfg->host_every > 0 && cop_net_faces_host(net, port) ? cfg->host_every : cfg->every;
    if (++s->packets < every)
        return false;
    s->packets = 0;
    return true;
}

/* Was the wire busy enough since the last sample? A port that is blocked by flow control has a long
 * queue, too, but is no root: it waits for another port's congestion, and that port sends
 * notifications. */
static bool worked(struct cop_net *net, uint32_t port, uint32_t vl)
{
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    const qcn_net *all = cop_net_cc_net(net);
    if (all->work == NULL)
        return true;
    bool lane = cfg->queue == QCN_OF_CLASS;
    qcn_work *w = &all->work[lane ? (size_t)port * cop_net_info(net)->lanes + vl : port];
    cop_time span = cop_net_now(net) - w->at;
    double bytes = (double)(cop_net_sent_bytes(net, port) - w->sent);
    double full = (double)span / (double)cop_net_wire_time(net, port, PIECE_BYTES) * PIECE_BYTES;
    w->at = cop_net_now(net);
    w->sent = cop_net_sent_bytes(net, port);
    return bytes >= cfg->busy * full;
}

/* Does data packet p, which leaves, block others? Yes if it is on a detour, the output leads to
 * another group, and the previous packet there was on its minimal path: as often as the link is
 * full of such. */
static bool contested(struct cop_net *net, uint32_t port, const cop_pkt *p)
{
    const qcn_net *all = cop_net_cc_net(net);
    if (all->minimal == NULL || (p->flags & COP_PKT_CONTROL) ||
        cop_net_info(net)->topo->port[port].link_class != COP_LINK_GLOBAL)
        return false;
    bool before = all->minimal[port], around = p->mid != COP_NONE;
    all->minimal[port] = !around;
    return before && around;
}

void qcn_on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    if (cfg->sample != QCN_OUTPUT || !sampled(net, cfg, port))
        return;
    bool in_the_way = contested(net, port, p);
    qcn_port *s = point_of(net, port, p->out_vl);
    if (!due(net, cfg, port, s, p))
        return;
    bool lane = cfg->queue == QCN_OF_CLASS;
    uint64_t q =
        lane ? cop_net_output_lane_bytes(net, port, p->out_vl) : cop_net_output_bytes(net, port);
    cop_rng rng = draw(net, port, lane ? p->out_vl : 0, s);
    bool root = worked(net, port, p->out_vl);
    uint32_t fb = sample(net, port, s, root ? q : 0, &rng);
    if (fb > 0)
        cop_net_notify(net, port, p, fb,
                       (cop_net_faces_host(net, port) ? COP_NOTICE_END : 0u) |
                           (in_the_way ? COP_NOTICE_CONTESTED : 0u));
}

static bool counts(const qcn_cfg *cfg, const cop_pkt *p, uint32_t vl)
{
    return !(p->flags & COP_PKT_CONTROL) && (cfg->queue == QCN_OF_PORT || p->vl == vl);
}

/* Number of data packets in input `in` (on lane vl, with `queue: class`), and their bytes. */
static uint32_t standing(const struct cop_net *net, const qcn_cfg *cfg, uint32_t in, uint32_t vl,
                         uint64_t *bytes)
{
    uint32_t n = 0;
    cop_input_walk w;
    *bytes = 0;
    for (const cop_pkt *p = cop_net_input_first(net, in, &w); p; p = cop_net_input_next(net, &w))
        if (counts(cfg, p, vl)) {
            *bytes += p->bytes;
            n++;
        }
    return n;
}

void qcn_on_enqueue(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p)
{
    (void)out;
    const qcn_cfg *cfg = cop_net_cc_cfg(net);
    if (cfg->sample != QCN_INPUT || !sampled(net, cfg, in))
        return;
    uint32_t vl = p->vl;
    qcn_port *s = point_of(net, in, vl);
    if (!due(net, cfg, in, s, p))
        return;
    /* The whole input is an upper bound of the count, and most samples find no congestion. */
    const qcn_net *all = cop_net_cc_net(net);
    uint64_t bytes = cop_net_input_bytes(net, in);
    uint32_t n = 0;
    if (qcn_feedback(cfg, all->qeq, bytes, s->old) > 0)
        n = standing(net, cfg, in, vl, &bytes);
    cop_input_walk w;
    cop_rng rng = draw(net, in, cfg->queue == QCN_OF_CLASS ? vl : 0, s);
    uint32_t fb = sample(net, in, s, bytes, &rng), victim = fb > 0 ? cop_rng_below(&rng, n) : 0;
    for (const cop_pkt *v = fb > 0 ? cop_net_input_first(net, in, &w) : NULL; v;
         v = cop_net_input_next(net, &w))
        if (counts(cfg, v, vl) && victim-- == 0) {
            uint32_t waits_for = cop_net_out_port(net, in, v);
            bool end = cfg->react && cop_net_faces_host(net, waits_for);
            cop_net_notify(net, waits_for, v, fb, end ? COP_NOTICE_END : COP_NOTICE_PLAIN);
            return;
        }
}
