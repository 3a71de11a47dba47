/* Calls from queueing schemes into the network: about the node whose hook runs, and its queues.
 *
 * Schemes of the tree call so often that only builds with assertions check that rule; schemes from
 * outside have other names for the same calls (net/queue.h), which always check it. */
#include "net/cable/cable.h"
#include "net/services/services.h"
#include "net/switch/switch.h"
#include "net/watch.h"

const void *cop_net_queue_cfg(const cop_net *net)
{
    return net->queue_cfg;
}

/* Schemes of the tree are checked by builds with assertions, those from outside always. */
static inline void scheme_is_here(const cop_net *net, uint32_t port)
{
#ifndef NDEBUG
    cop_scheme_looks_at(net, port);
#else
    (void)net, (void)port;
#endif
}

static inline uint32_t queue_here(const cop_net *net, uint32_t port, uint32_t q)
{
    scheme_is_here(net, port);
#ifndef NDEBUG
    return cop_net_queue_of_port(net, port, q);
#else
    return net->in[port].queue0 + q;
#endif
}

void *cop_net_queue_state(cop_net *net, uint32_t port)
{
    scheme_is_here(net, port);
    return net->queue_state + (size_t)port * net->queue_port_bytes;
}

void *cop_net_queue_common(cop_net *net)
{
    return net->queue_common;
}

uint32_t cop_net_queue_bytes(const cop_net *net, uint32_t port, uint32_t q)
{
    return net->queue[queue_here(net, port, q)].bytes;
}

const cop_pkt *cop_net_queue_first(const cop_net *net, uint32_t port, uint32_t q)
{
    uint32_t h = net->queue[queue_here(net, port, q)].head;
    return h == COP_NONE ? NULL : &net->pkt[h];
}

const cop_pkt *cop_net_queue_next(const cop_net *net, const cop_pkt *p)
{
    return p->next == COP_NONE ? NULL : &net->pkt[p->next];
}

void cop_net_queue_recheck(cop_net *net, uint32_t port, uint32_t q)
{
    uint32_t n = queue_here(net, port, q);
    if (net->in[port].sw == COP_NONE) {
        net->host_ops->recheck(net, port, n);
        return;
    }
    if (!net->queue[n].posted)
        return; /* it is empty, stopped, or will be called for when its time comes */
    cop_input_withdraw(net, n);
    cop_input_head(net, n);
}

void cop_net_queue_recheck_after(cop_net *net, uint32_t port, uint32_t q, uint32_t after)
{
    uint32_t n = queue_here(net, port, q);
    if (net->in[port].sw == COP_NONE) { /* one output: no other has picked here */
        net->host_ops->recheck(net, port, n);
        return;
    }
    if (!net->queue[n].posted)
        return;
    net->queue[n].again = 1;
    cop_time left = cop_net_read_until(net, queue_here(net, port, after));
    cop_net_push(net, cop_max64(left, net->now + 1), COP_EV_HEAD, n);
}

void cop_net_queue_stop(cop_net *net, uint32_t port, uint32_t q, bool stop)
{
    uint32_t n = queue_here(net, port, q);
    if (net->in[port].sw == COP_NONE) {
        net->host_ops->stop(net, port, n, stop);
        return;
    }
    net->queue[n].stopped = stop;
    if (stop)
        cop_input_withdraw(net, n);
    else
        cop_input_head(net, n);
}

void cop_net_queue_send(cop_net *net, uint32_t port, uint64_t body)
{
    scheme_is_here(net, port);
    uint32_t to = net->in[port].from;
    if (net->out[to].sw == COP_NONE && net->queue_ops->runtime.hold == NULL)
        return; /* the neighbour is an end node, which takes no part in this scheme */
    if (net->control == NULL)
        net->control = COP_NEW_ARRAY(&net->arena, cop_mail, net->topo->n_ports);
    cop_time t = net->now + net->out[to].delay_ps;
    if (COP_UNLIKELY(net->watch != NULL))
        cop_watch_message(net, port, body, false);
    if (cop_mail_put(&net->control[to], t, body))
        cop_net_push(net, t, COP_EV_CONTROL, to);
}

bool cop_net_watched(const cop_net *net)
{
    return net->watch != NULL;
}

void cop_net_cc_says(cop_net *net, uint32_t port, const char *text)
{
    cop_watch_port(net, port, "%s", text);
}

void cop_net_queue_says(cop_net *net, uint32_t port, const char *text)
{
    cop_watch_port(net, port, "%s", text);
}

void cop_net_queue_release(cop_net *net, uint32_t port)
{
    scheme_is_here(net, port);
    net->host_ops->release(net, port - net->host_port0);
}

void cop_net_queue_root(cop_net *net, uint32_t port, bool more)
{
    scheme_is_here(net, port);
    if (COP_UNLIKELY(net->roots == NULL))
        cop_misused("queueing", net->queue_ops->name,
                    "it finds roots; set finds_roots in its table");
    COP_ASSERT(more || net->roots[port] > 0);
    net->roots[port] = (uint16_t)(net->roots[port] + (more ? 1 : -1));
    if (net->cc->at_switch.on_root)
        cop_cc_at(net, net->out[port].sw)->at_switch.on_root(net, port, net->roots[port]);
}

/* -- from outside -- */

void *cop_outside_queue_state(cop_net *net, uint32_t port)
{
    cop_scheme_looks_at(net, port);
    return cop_net_queue_state(net, port);
}

/* Queue q of a port; ends the program if the scheme may not read it. */
static uint32_t looked_at(const cop_net *net, uint32_t port, uint32_t q)
{
    cop_scheme_looks_at(net, port);
    (void)cop_net_queue_of_port(net, port, q);
    return q;
}

uint32_t cop_outside_queue_bytes(const cop_net *net, uint32_t port, uint32_t q)
{
    return cop_net_queue_bytes(net, port, looked_at(net, port, q));
}

const cop_pkt *cop_outside_queue_first(const cop_net *net, uint32_t port, uint32_t q)
{
    return cop_net_queue_first(net, port, looked_at(net, port, q));
}

void cop_outside_queue_recheck(cop_net *net, uint32_t port, uint32_t q)
{
    cop_net_queue_recheck(net, port, looked_at(net, port, q));
}

void cop_outside_queue_recheck_after(cop_net *net, uint32_t port, uint32_t q, uint32_t after)
{
    cop_net_queue_recheck_after(net, port, looked_at(net, port, q), looked_at(net, port, after));
}

void cop_outside_queue_stop(cop_net *net, uint32_t port, uint32_t q, bool stop)
{
    cop_net_queue_stop(net, port, looked_at(net, port, q), stop);
}

void cop_outside_queue_send(cop_net *net, uint32_t port, uint64_t message)
{
    cop_scheme_looks_at(net, port);
    cop_net_queue_send(net, port, message);
}

void cop_outside_queue_release(cop_net *net, uint32_t port)
{
    cop_scheme_looks_at(net, port);
    if (port < net->host_port0)
        cop_misused("queueing", net->queue_ops->name, "only hosts hold messages; release theirs");
    cop_net_queue_release(net, port);
}

void cop_outside_queue_root(cop_net *net, uint32_t port, bool more)
{
    cop_scheme_looks_at(net, port);
    if (net->roots == NULL)
        cop_misused("queueing", net->queue_ops->name,
                    "it finds roots; set finds_roots in its table");
    cop_net_queue_root(net, port, more);
}
