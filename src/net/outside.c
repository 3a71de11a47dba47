/* What queueing schemes from outside may ask, as control.c answers it, but looked at: of the node whose hook runs, and of
 * queues that it has. Our own schemes ask so often that only builds with assertions look (control.c); net/queue.h
 * gives the names to whoever includes exp/plugin.h. */
#include "net/control.h"
#include "net/net.h"

void *cop_outside_queue_state(cop_net *net, uint32_t port)
{
    cop_scheme_looks_at(net, port);
    return cop_net_queue_state(net, port);
}

/* Queue q of a port, if the scheme may ask about it. */
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
