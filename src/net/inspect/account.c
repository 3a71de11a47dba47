/* Accounting: after every run each packet, byte and credit must be somewhere.
 *
 *   packets   injected = delivered + lost + on wires, in queues, in output buffers, at sinks, with
 *             the link (ack/nack); the pool contains exactly these plus control packets and packets
 *             in injection queues, not yet sent.
 *   credits   for every section of every link: credit + returns in flight + blocks on the wire and
 *             in the buffer = capacity (ack/nack: blocks not acknowledged; on/off: the receiver's
 *             count).
 *   buffers   no section contains more than its capacity.
 * An imbalance is a bug of the simulator: it names the place and ends the run as broken. */
#include "base/outcome.h"
#include "net/cable/cable.h"
#include "net/cable/fc_state.h"
#include "net/inspect/inspect.h"
#include "net/routing/routing.h"
#include "net/switch/switch.h"
#include "net/worm/worm.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct ledger {
    uint64_t packets; /* found in the network */
    uint64_t *on_wire; /* [port * section] blocks on the wire into this input */
    uint64_t *buffered; /* [port * section] blocks queued at this input */
    uint64_t *bytes; /* [port * section] the same in bytes */
} ledger;

static void broken(cop_net *net, const char *fmt, ...)
{
    va_list ap;
    if (net->stop == COP_OUTCOME_BROKEN || net->stop == COP_OUTCOME_LOSS)
        return;
    net->stop = COP_OUTCOME_BROKEN;
    va_start(ap, fmt);
    vsnprintf(net->why, sizeof(net->why), fmt, ap);
    va_end(ap);
}

static size_t slot(const cop_net *net, uint32_t port, const cop_pkt *p)
{
    return (size_t)port * net->sections + cop_net_section_of(net, p, p->vl);
}

static void count_list(cop_net *net, ledger *l, uint32_t head, uint32_t port, uint64_t *blocks)
{
    for (uint32_t h = head; h != COP_NONE; h = net->pkt[h].next) {
        const cop_pkt *p = &net->pkt[h];
        l->packets++;
        if (p->flags & COP_PKT_OWN)
            continue; /* in no buffer that a sender counts */
        if (blocks)
            blocks[slot(net, port, p)] += cop_blocks(p->bytes);
        if (blocks == l->buffered)
            l->bytes[slot(net, port, p)] += p->bytes;
    }
}

/* Wormhole: a packet is where its head is, credits are out for flits. */
static void walk_flits(cop_net *net, ledger *l)
{
    for (uint32_t p = 0; p < net->host_port0; p++)
        count_list(net, l, net->in[p].wire_head, p, NULL);
    l->packets += cop_worm_between(net);
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++)
            l->on_wire[(size_t)p * net->sections + vl] = cop_worm_flits(net, p, vl);
    if (!cop_worm_adds_up(net))
        broken(net, "flits and the packets they belong to do not add up");
}

static void walk(cop_net *net, ledger *l)
{
    const cop_topo *t = net->topo;
    for (uint32_t p = 0; p < t->n_ports; p++) {
        if (!net->worm)
            count_list(net, l, net->in[p].wire_head, p, l->on_wire);
        if (net->fc_state->nacked_head) {
            uint32_t to = net->out[p].to;
            if (to == COP_NONE)
                continue;
            count_list(net, l, net->fc_state->nacked_head[p], to, l->on_wire);
            count_list(net, l, net->fc_state->replay_head[p], to, l->on_wire);
        }
    }
    for (uint32_t q = 0; q < net->n_queues; q++)
        count_list(net, l, net->queue[q].head, net->queue_port[q], net->worm ? NULL : l->buffered);
    if (net->worm)
        walk_flits(net, l);
    for (uint32_t p = 0; net->obuf && p < t->host_port0; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++)
            count_list(net, l, cop_obuf_first(net, p, vl), p, NULL);
    for (uint32_t h = 0; h < net->info.n_hosts; h++) {
        count_list(net, l, net->nic[h].late_head, t->host_port0 + h, NULL);
        if (net->recover)
            count_list(net, l, net->recover->host[h].head, t->host_port0 + h, NULL);
    }
}

static uint64_t returning(const cop_net *net, uint32_t port, uint32_t section)
{
    const cop_ring *r = &net->out[port].ring;
    uint64_t sum = 0;
    for (uint32_t i = r->at; i != r->end; i++) {
        const cop_return *ret = &r->v[i & r->mask];
        bool nack = net->fc_state->nacked_head && (ret->blocks & COP_NACK);
        if (ret->section == section && !nack)
            sum += ret->blocks & ~COP_IB_LOST;
    }
    return sum;
}

static void check_sender(cop_net *net, const ledger *l, uint32_t port, uint32_t s)
{
    size_t mine = (size_t)port * net->sections + s,
           theirs = (size_t)net->out[port].to * net->sections + s;
    const cop_section *sec = &net->section[mine];
    uint64_t under_way = returning(net, port, s) + l->on_wire[theirs];
    if (!net->fc_state->nacked_head)
        under_way += l->buffered[theirs];
    if (net->fc_state->behind)
        under_way += net->fc_state->behind[mine];
    bool whole = net->shared_free || sec->credit + sec->used == sec->capacity;
    if (sec->used == under_way && whole)
        return;
    char name[64];
    cop_topo_port_name(net->topo, port, name, sizeof(name));
    net->total.credits_missing +=
        sec->used > under_way ? sec->used - under_way : under_way - sec->used;
    if (sec->used != under_way)
        broken(net, "credits of %s section %u: %u blocks are out, %" PRIu64 " are accounted for",
               name, s, sec->used, under_way);
    if (!whole)
        broken(net, "credits of %s section %u: %u + %u of %u blocks", name, s, sec->credit,
               sec->used, sec->capacity);
}

static void check_receiver(cop_net *net, const ledger *l, uint32_t port, uint32_t s)
{
    const struct cop_fc_state *st = net->fc_state;
    size_t i = (size_t)port * net->sections + s;
    uint64_t leaving = 0;
    const cop_ring *freed = &st->inbuf[port].freed;
    for (uint32_t k = freed->at; k != freed->end; k++) {
        const cop_return *ret = &freed->v[k & freed->mask];
        leaving += ret->section == s ? ret->blocks : 0;
    }
    if (st->hold[i].bytes == l->bytes[i] + leaving && st->hold[i].bytes <= st->hold[i].capacity)
        return;
    char name[64];
    cop_topo_port_name(net->topo, port, name, sizeof(name));
    if (st->hold[i].bytes != l->bytes[i] + leaving)
        broken(net, "buffer of %s section %u: %" PRIu64 " bytes counted, %" PRIu64 " found", name,
               s, st->hold[i].bytes, l->bytes[i] + leaving);
    if (st->hold[i].bytes > st->hold[i].capacity)
        broken(net, "buffer of %s section %u overflowed", name, s);
}

static void check_output_buffers(cop_net *net)
{
    for (uint32_t p = 0; net->obuf && p < net->host_port0; p++)
        if (!cop_obuf_adds_up(net, p))
            broken(net, "output buffer of port %u does not add up", p);
}

void cop_net_account(cop_net *net)
{
    if (net->stop == COP_OUTCOME_LOSS)
        return;
    size_t sections = (size_t)net->topo->n_ports * net->sections;
    ledger l = {.on_wire = cop_alloc_array(sections, sizeof(uint64_t)),
                .buffered = cop_alloc_array(sections, sizeof(uint64_t)),
                .bytes = cop_alloc_array(sections, sizeof(uint64_t))};
    walk(net, &l);
    uint64_t in_flight = cop_net_in_flight(net), unsent = 0;
    for (uint32_t h = 0; h < net->info.n_hosts; h++) {
        unsent += net->nic[h].unsent;
        for (uint32_t c = net->nic[h].control_head; c != COP_NONE; c = net->pkt[c].next)
            unsent++;
        for (uint32_t c = net->nic[h].notice_head; c != COP_NONE; c = net->pkt[c].next)
            unsent++;
    }
    if (l.packets != in_flight)
        broken(net, "%" PRIu64 " packets are in flight, %" PRIu64 " were found", in_flight,
               l.packets);
    uint64_t live = net->pkt_n;
    for (uint32_t h = net->pkt_free; h != COP_NONE; h = net->pkt[h].next)
        live--;
    if (live != in_flight + unsent)
        broken(net, "the pool holds %" PRIu64 " packets, %" PRIu64 " are in use", live,
               in_flight + unsent);
    for (uint32_t p = 0; p < net->topo->n_ports; p++)
        for (uint32_t s = 0; s < net->sections; s++) {
            if (net->out[p].to != COP_NONE && net->fc != &cop_fc_onoff)
                check_sender(net, &l, p, s);
            if (net->in[p].from != COP_NONE && net->fc_state->hold)
                check_receiver(net, &l, p, s);
        }
    check_output_buffers(net);
    cop_free(l.on_wire);
    cop_free(l.buffered);
    cop_free(l.bytes);
}
