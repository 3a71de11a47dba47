/* Switch inputs: heads of queues, in layouts with request lists.
 *
 * Role     the head of a queue requests the outputs that the routing gives it. Before that the
 *          queueing scheme may move it to another queue or stop it, and the congestion control may
 *          not admit it.
 * Pinned   where the routing gives a choice and the scheme has queues for packets of one output
 *          (layout.pinned), a head is routed before the scheme's on_head, and keeps its first
 *          choice if it is put into such a queue.
 * Rules    A head makes requests when the queue has been read to the end of the previous packet,
 *          and not before it could start without running dry. Adaptive routings choose when it
 *          becomes the head, by the loads of that instant. `posted` of a queue counts the
 *          candidates whose requests are with the arbiters.
 * Events   COP_EV_HEAD for a queue whose head must wait for one of these times.
 * Layouts with one queue per (input, output, lane) have no lists; their heads are in input.c. */
#include "net/routing/routing.h"
#include "net/switch/input_int.h"

void cop_input_count_held(cop_net *net, uint32_t sw, bool more)
{
    net->held[sw] += more ? 1 : -1u;
    if (net->held[sw] != more) /* neither the first that is stopped nor the last that is admitted */
        return;
    for (uint32_t p = net->topo->sw_port0[sw]; p < net->topo->sw_port0[sw + 1]; p++)
        if (more)
            net->out[p].waits |= COP_WAIT_ADMIT;
        else
            cop_fc_no_wait(&net->out[p], COP_WAIT_ADMIT);
}

/* Does the congestion control not admit the head of q? Then returns to the outputs of its switch
 * wake it. */
static __attribute__((noinline)) bool held(cop_net *net, uint32_t in_port, uint32_t q,
                                           const cop_pkt *p)
{
    const cop_in *in = &net->in[in_port];
    cop_queue *queue = &net->queue[q];
    if (net->cc->at_switch.on_route && !(queue->head_is & COP_HEAD_TOLD)) {
        queue->head_is |= COP_HEAD_TOLD;
        cop_cc_at(net, in->sw)->at_switch.on_route(net, in_port, p);
    }
    if (net->cc->at_switch.admit == NULL || (p->flags & COP_PKT_CONTROL) ||
        in->from < net->host_port0)
        return false;
    bool was = queue->head_is & COP_HEAD_HELD;
    bool hold = !cop_cc_at(net, in->sw)->at_switch.admit(net, in_port, p);
    if (hold == was)
        return hold;
    queue->head_is ^= COP_HEAD_HELD;
    cop_input_count_held(net, in->sw, hold);
    for (uint32_t i = 0; hold && i < cop_topo_ports_of(net->topo, in->sw); i++)
        if (net->out[in->port0 + i].to != COP_NONE) {
            cop_fc_settle(net, in->port0 + i); /* only later returns wake it */
            cop_fc_arm(net, in->port0 + i);
        }
    return hold;
}

#ifndef NDEBUG
/* The routing would return now what it returned when the packet came. */
static void check_known(cop_net *net, uint32_t in_port, cop_pkt *p, const cop_cand *cand,
                        unsigned n)
{
    if (n == 0)
        return;
    cop_cand again[COP_MAX_CAND];
    COP_ASSERT(cop_input_ask_again(net, in_port, p, again) == n);
    for (unsigned k = 0; k < n; k++)
        COP_ASSERT(again[k].port == cand[k].port && again[k].vl == cand[k].vl);
}
#else
static void check_known(cop_net *net, uint32_t in_port, cop_pkt *p, const cop_cand *cand,
                        unsigned n)
{
    (void)net, (void)in_port, (void)p, (void)cand, (void)n;
}
#endif

/* A packet that was routed early is not routed again at the head, unless on_fill counts its
 * choice. */
static bool stays_routed(const cop_net *net, const cop_in *in)
{
    return cop_input_asked_early(net, in) && net->cc->at_switch.on_fill == NULL;
}

/* The outputs that head p may request. */
static inline unsigned choices_of(cop_net *net, uint32_t in_port, cop_pkt *p, cop_cand *cand)
{
    if (net->max_cand > 1 || (net->route->facts.at_head && !stays_routed(net, &net->in[in_port])))
        return cop_input_ask_again(net, in_port, p, cand);
    cand[0] = (cop_cand){.port = p->out, .vl = p->out_vl};
    return 1;
}

/* The head of q requests its outputs: the `known` ones, or if n is 0 those that the routing
 * gives. */
static __attribute__((noinline)) void post_candidates(cop_net *net, uint32_t in_port, uint32_t q,
                                                      cop_pkt *p, const cop_cand *known, unsigned n)
{
    cop_cand own[COP_MAX_CAND];
    const cop_in *in = &net->in[in_port];
    const cop_cand *cand = own;
    if (COP_UNLIKELY(net->head_hooks) && held(net, in_port, q, p))
        return;
    if (n > 0)
        cand = known;
    else
        n = choices_of(net, in_port, p, own);
    cop_time later = COP_NEVER;
    cop_asker asker = cop_asker_of(in);
    for (unsigned k = 0; k < n; k++) {
        uint32_t port = in->port0 + cand[k].port;
        cop_time ready = net->multi_rate ? cop_input_no_underrun(net, in, port, p) : 0;
        if (ready > net->now) {
            later = cop_min64(later, ready);
            continue;
        }
        net->queue[q].posted = (uint8_t)(k + 1);
        cop_node_put(net, q * net->max_cand + k, &asker, port, cand[k].vl);
        cop_input_requested(net, port, cand[k].vl, p);
    }
    if (later != COP_NEVER && !net->queue[q].posted)
        cop_net_push(net, later, COP_EV_HEAD, q);
    if (COP_UNLIKELY(net->recover != NULL))
        cop_recover_wait(net, q);
}

/* The same for a head with one known output and no condition (plain_head): most heads. */
static inline __attribute__((always_inline, flatten)) void post_one(cop_net *net, const cop_in *in,
                                                                    uint32_t q, const cop_pkt *p)
{
    uint32_t port = in->port0 + p->out, vl = p->out_vl;
    cop_asker asker = cop_asker_of(in);
    net->queue[q].posted = 1;
    cop_node_put(net, q, &asker, port, vl);
    cop_input_requested(net, port, vl, p);
}

/* Where the routing gives a choice: into which queue does the scheme put the head p of q? Decided
 * by its first choice at present loads, `known` or computed here; a packet in a pinned queue keeps
 * its output. True if it stays in q: it then requests the candidates that the scheme saw, as a
 * second call of the routing may draw others. */
static __attribute__((noinline)) bool sort_pinned(cop_net *net, uint32_t in_port, uint32_t q,
                                                  cop_pkt *p, const cop_cand *known, unsigned n,
                                                  uint32_t *move)
{
    uint32_t queue0 = net->in[in_port].queue0;
    cop_cand own[COP_MAX_CAND];
    bool pinned = q - queue0 < net->pinned;
    if (pinned) {
        own[0] = (cop_cand){.port = p->out, .vl = p->out_vl};
        known = own;
        n = 1;
    } else if (n == 0) {
        n = choices_of(net, in_port, p, own);
        known = own;
    } else {
        check_known(net, in_port, p, known, n);
    }
    *move = queue0 + cop_scheme_at(net, in_port)->runtime.on_head(net, in_port, q - queue0, p);
    COP_ASSERT(*move == q || !pinned);
    if (*move != q)
        return false;
    if (!net->queue[q].stopped)
        post_candidates(net, in_port, q, p, known, n);
    return true;
}

void cop_input_offer(cop_net *net, uint32_t q, const cop_cand *known, unsigned n)
{
    const cop_node *first = cop_net_first_node(net, q);
    uint32_t in_port = first->in;
    const cop_in *in = &net->in[in_port];
    const cop_queue_ops *ops = net->queue_ops;
    while (net->queue[q].head != COP_NONE && !net->queue[q].posted) {
        if (net->queue[q].stopped)
            return;
        if (first->read > net->now) {
            cop_net_push(net, first->read, COP_EV_HEAD, q);
            return;
        }
        cop_pkt *p = &net->pkt[net->queue[q].head];
        uint32_t move = q;
        if (ops->runtime.on_head && !(p->flags & COP_PKT_OWN)) { /* which have a private queue */
            if (COP_UNLIKELY(net->pinned)) {
                if (sort_pinned(net, in_port, q, p, known, n, &move))
                    return;
            } else {
                move =
                    in->queue0 +
                    cop_scheme_at(net, in_port)->runtime.on_head(net, in_port, q - in->queue0, p);
            }
        }
        if (move == q) {
            if (net->queue[q].stopped) /* on_head may have stopped it */
                return;
            if (COP_LIKELY(net->plain_head)) {
                post_one(net, in, q, p);
            } else {
                check_known(net, in_port, p, known, n);
                post_candidates(net, in_port, q, p, known, n);
            }
            return;
        }
        bool was_empty = net->queue[move].head == COP_NONE;
        cop_input_new_head(net, q);
        cop_input_append(net, move, cop_input_pop(net, q));
        n = 0;
        if (was_empty)
            cop_input_offer(net, move, NULL, 0);
    }
}

void cop_input_admit(cop_net *net, uint32_t sw)
{
    uint32_t port0 = cop_topo_switch_port(net->topo, sw, 0);
    for (uint32_t i = port0; i < port0 + cop_topo_ports_of(net->topo, sw); i++) {
        if (net->in[i].from < net->host_port0 || net->in[i].from == COP_NONE)
            continue;
        uint32_t end = cop_net_queue_end(net, i); /* only control packets follow, which are always
                                                     admitted */
        for (uint32_t q = net->in[i].queue0; q < end; q++)
            if (net->queue[q].head_is & COP_HEAD_HELD)
                cop_input_offer(net, q, NULL, 0);
    }
}

__attribute__((noinline)) void cop_input_reconsider(cop_net *net, uint32_t q)
{
    net->queue[q].again = 0;
    if (net->queue[q].head == COP_NONE)
        return;
    cop_input_withdraw(net, q);
    cop_input_offer(net, q, NULL, 0);
}

void cop_input_withdraw(cop_net *net, uint32_t q)
{
    COP_CHECK(!net->per_output); /* only layouts with request lists can stop single queues */
    cop_asker asker = cop_asker_of(&net->in[cop_net_first_node(net, q)->in]);
    uint32_t first = q * net->max_cand, end = first + net->queue[q].posted;
    for (uint32_t node = first; node < end; node++)
        cop_node_take(net, node, &asker);
    net->queue[q].posted = 0;
}

/* The head of queue q requests lane vl of local output port `local` instead of its present
 * requests. */
static void divert(cop_net *net, uint32_t q, uint16_t local, uint8_t vl)
{
    uint32_t in_port = net->queue_port[q];
    const cop_in *in = &net->in[in_port];
    cop_pkt *p = &net->pkt[net->queue[q].head];
    cop_input_withdraw(net, q);
    cop_input_recount(net, in_port, p, local, vl);
    net->queue[q].posted = 1;
    cop_asker asker = cop_asker_of(in);
    cop_node_put(net, q * net->max_cand, &asker, in->port0 + local, vl);
    cop_input_requested(net, in->port0 + local, vl, p);
}

__attribute__((noinline)) void cop_input_patience(cop_net *net, uint32_t q)
{
    if (cop_recover_gives_up(net, q))
        divert(net, q, net->recover->exit[net->in[net->queue_port[q]].sw], 0);
}

void cop_input_wake_section(cop_net *net, uint32_t port, uint32_t section)
{
    uint32_t *last = &net->section[(size_t)port * net->sections + section].wait;
    while (*last != COP_NONE) {
        uint32_t node = net->node[*last].next;
        uint32_t vl = net->node[node].vl;
        cop_node_remove(net, node);
        cop_node_add(net, node, port, vl);
    }
}
