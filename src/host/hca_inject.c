/* End nodes of kind `hca`: the injection queues and the arbiter towards the link.
 *
 * Role     packets wait in queues that the queueing scheme organises as those of a switch input
 *          with one output: one FIFO, one per destination, a normal one and special ones with CAM
 *          lines.
 * Rules    The head of each queue requests the link unless the scheme has stopped its queue; the
 *          scheme may move a head to another queue first (post-processing). A lane is chosen by VL
 *          arbitration; among the queues of the lane the scheme's order decides, then turns. A head
 *          without credit lets other queues pass, and blocks its own.
 *          The scheme finds no roots of congestion here (on_enqueue is not called): a full queue at
 *          a source means that the source has much to send, not that the network is congested.
 * Source   M-ccfit-ia, M-ecocc-hca: Paper V III-B and III-D, Paper VI 3.2 and 4.1. */
#include "host/hca.h"

static uint64_t *posted_of(const cop_net *net, uint32_t host)
{
    return &cop_hca_of(net)->posted[(size_t)host * cop_hca_of(net)->words];
}

/* -- heads that request the link -- */

static void post(cop_net *net, uint32_t port, uint32_t q)
{
    uint32_t host = port - net->host_port0, local = q - net->in[port].queue0;
    const cop_pkt *p = &net->pkt[net->queue[q].head];
    cop_out *out = &net->out[port];
    net->queue[q].posted = 1;
    posted_of(net, host)[local / 64] |= (uint64_t)1 << local % 64;
    cop_hca_of(net)->posted_n[(size_t)host * net->lanes + p->vl]++;
    out->vl_ready |= 1u << p->vl;
    /* Other heads of its lane may wait for more blocks, or for another section. */
    if (net->sectioned || cop_blocks(p->bytes) < out->lane[p->vl].need)
        cop_fc_open(out, 1u << p->vl);
}

static void withdraw(cop_net *net, uint32_t port, uint32_t q)
{
    uint32_t host = port - net->host_port0, local = q - net->in[port].queue0;
    if (!net->queue[q].posted)
        return;
    uint32_t vl = net->pkt[net->queue[q].head].vl;
    net->queue[q].posted = 0;
    posted_of(net, host)[local / 64] &= ~((uint64_t)1 << local % 64);
    if (--cop_hca_of(net)->posted_n[(size_t)host * net->lanes + vl] == 0)
        net->out[port].vl_ready &= ~(1u << vl);
}

static void append(cop_net *net, uint32_t q, uint32_t h)
{
    cop_queue *queue = &net->queue[q];
    net->pkt[h].next = COP_NONE;
    if (queue->head == COP_NONE)
        queue->head = h;
    else
        net->pkt[queue->tail].next = h;
    queue->tail = h;
    queue->bytes += net->pkt[h].bytes;
}

static uint32_t pop(cop_net *net, uint32_t q)
{
    cop_queue *queue = &net->queue[q];
    uint32_t h = queue->head;
    queue->head = net->pkt[h].next;
    queue->bytes -= net->pkt[h].bytes;
    return h;
}

/* The head of q requests the link, unless the scheme moves it. */
static void offer(cop_net *net, uint32_t port, uint32_t q)
{
    const cop_queue_ops *ops = net->queue_ops;
    uint32_t queue0 = net->in[port].queue0;
    while (net->queue[q].head != COP_NONE && !net->queue[q].posted && !net->queue[q].stopped) {
        cop_pkt *p = &net->pkt[net->queue[q].head];
        uint32_t move =
            ops->runtime.on_head
                ? queue0 + cop_scheme_at(net, port)->runtime.on_head(net, port, q - queue0, p)
                : q;
        if (move == q) {
            if (!net->queue[q].stopped) /* on_head may have stopped it */
                post(net, port, q);
            return;
        }
        bool was_empty = net->queue[move].head == COP_NONE;
        append(net, move, pop(net, q));
        if (was_empty)
            offer(net, port, move);
    }
}

void cop_hca_enqueue(cop_net *net, uint32_t host, uint32_t h)
{
    uint32_t port = cop_host_port(net, host);
    cop_pkt *p = &net->pkt[h];
    p->out = 0;
    p->out_vl = p->vl;
    uint32_t q =
        cop_net_queue_of_port(net, port, net->queue_ops->select(net->queue_cfg, &net->info, p));
    bool was_empty = net->queue[q].head == COP_NONE;
    net->nic[host].unsent++;
    append(net, q, h);
    if (was_empty)
        offer(net, port, q);
}

void cop_hca_stop(cop_net *net, uint32_t port, uint32_t q, bool stop)
{
    net->queue[q].stopped = stop;
    if (stop) {
        withdraw(net, port, q);
    } else {
        offer(net, port, q);
        cop_host_wake(net, port - net->host_port0, net->now);
    }
}

void cop_hca_recheck(cop_net *net, uint32_t port, uint32_t q)
{
    if (!net->queue[q].posted)
        return; /* it is empty or stopped */
    withdraw(net, port, q);
    offer(net, port, q);
    cop_host_wake(net, port - net->host_port0, net->now);
}

/* -- the arbiter -- */

/* May the flow of packet p send now? If not, an attempt is pushed for its turn. */
static bool its_turn(cop_net *net, cop_hca_host *hh, const cop_pkt *p)
{
    if (cop_hca_cfg_of(net)->throttle != COP_HCA_AT_INJECTION || !net->cc->at_source.next_send)
        return true;
    uint32_t flow = cop_flow_of(net, p->src, p->dst, p->sl);
    cop_time t =
        cop_cc_at_host(net, p->src)->at_source.next_send(net, cop_flow_state(net, flow), net->now);
    if (t <= net->now)
        return true;
    hh->turn = cop_min64(hh->turn, t);
    hh->asleep |= t == COP_NEVER;
    return false;
}

/* The queue of lane vl whose head goes next; COP_NONE, and the least number of blocks that one of
 * them lacks (0: none lacks any), if none can. Does one of them wait for its turn? */
static uint32_t choose(cop_net *net, uint32_t host, uint32_t vl, uint32_t *need, bool *waits)
{
    const cop_hca *hca = cop_hca_of(net);
    cop_hca_host *hh = &hca->host[host];
    uint32_t port = cop_host_port(net, host), queue0 = net->in[port].queue0, best = COP_NONE;
    uint64_t best_key = UINT64_MAX;
    const uint64_t *posted = posted_of(net, host);
    *need = 0;
    *waits = false;
    /* The word of the first queue to examine is visited twice: its upper part first, its lower
     * last. */
    for (uint32_t i = 0; i <= hca->words; i++) {
        uint32_t word = (hh->rr / 64 + i) % hca->words;
        uint64_t upper = ~(uint64_t)0 << hh->rr % 64, left = posted[word];
        if (i == 0)
            left &= upper;
        else if (i == hca->words)
            left &= ~upper;
        for (; left; left &= left - 1) {
            uint32_t local = word * 64 + (uint32_t)__builtin_ctzll(left), q = queue0 + local;
            const cop_pkt *p = &net->pkt[net->queue[q].head];
            uint32_t blocks = cop_blocks(p->bytes);
            if (p->vl != vl)
                continue;
            if (!its_turn(net, hh, p)) {
                *waits = true;
                continue;
            }
            if (!cop_fc_fits(net, port, cop_net_section_of(net, p, vl), blocks)) {
                *need = *need == 0 || blocks < *need ? blocks : *need;
                continue;
            }
            if (!net->queue_ops->runtime.order)
                return q;
            uint64_t key = cop_scheme_at(net, port)->runtime.order(net, port, local, p);
            if (key < best_key) {
                best = q;
                best_key = key;
            }
        }
    }
    return best;
}

static void send(cop_net *net, uint32_t host, uint32_t q)
{
    cop_hca *hca = cop_hca_of(net);
    uint32_t port = cop_host_port(net, host), local = q - net->in[port].queue0;
    withdraw(net, port, q);
    uint32_t h = pop(net, q);
    cop_pkt *p = &net->pkt[h];
    uint32_t dst = p->dst;
    hca->host[host].rr = (local + 1) % hca->queues;
    hca->room[(size_t)host * net->sections + cop_net_section_of(net, p, p->vl)] +=
        cop_blocks(p->bytes);
    net->nic[host].unsent--;
    p->t_inj = net->now;
    cop_host_launch(net, host, h);
    if (cop_hca_cfg_of(net)->throttle == COP_HCA_AT_INJECTION && net->cc->at_source.on_send)
        cop_cc_at_host(net, host)->at_source.on_send(
            net, cop_flow_state(net, cop_flow_of(net, host, dst, p->sl)), p);
    if (net->queue_ops->runtime.on_dequeue)
        cop_scheme_at(net, port)->runtime.on_dequeue(net, port, local, p);
    offer(net, port, q);
    cop_hca_made_room(net, host, dst);
}

bool cop_hca_send(cop_net *net, uint32_t host)
{
    uint32_t port = cop_host_port(net, host), tried = 0, ready, need;
    bool waits;
    cop_out *out = &net->out[port];
    cop_hca_of(net)->host[host].turn = COP_NEVER;
    cop_hca_of(net)->host[host].asleep = false;
    while ((ready = out->vl_ready & ~out->vl_blocked & ~tried)) {
        uint32_t vl = cop_vlarb_pick(net, port, ready);
        uint32_t q = choose(net, host, vl, &need, &waits);
        if (q != COP_NONE) {
            send(net, host, q);
            return true;
        }
        tried |= 1u << vl;
        if (need > 0 && waits) { /* when its turn comes it may fit where others do not */
            cop_fc_wait(net, port, COP_WAIT_SHORT);
        } else if (need > 0) {
            cop_fc_block(net, port, vl, need, COP_WAIT_LANES);
        }
    }
    return false;
}
