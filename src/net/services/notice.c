/* Notifications that switches make.
 *
 * Role     a congestion control that finds a queue too long notifies the source of a packet there
 *          (cop_net_notify): a packet of nic.control_bytes, flags COP_PKT_CNP and COP_PKT_BECN,
 *          which carries one word, travels from that switch to the source and takes bandwidth,
 *          buffers and credits as any other. Routings with the hook receive it at every switch and
 *          may keep it.
 * Timing   it is made switch.pipeline after the finding. It then competes for outputs as packets
 *          that come in by the port do, but waits in private memory of the switch: in a queue for
 *          notifications about that port, or, where a queue is of one output and lane, among those
 *          that wait for the same. So it blocks only packets that request the same channel, and
 *          occupies none itself: it adds no dependency between channels.
 * Naming   src is the destination of the packet that it concerns, so that the source finds the
 *          flow; seq counts at the switch, from 2^31 on.
 * Source   IEEE 802.1Qau; M-qcn-cp, G-qcn-12. */
#include "net/services/services.h"

#include "net/flow/flow.h"
#include "net/routing/routing.h"
#include "net/switch/switch.h"
#include "net/watch.h"

#include <stdio.h>
#include <string.h>

#define FIRST_SEQ (1u << 31)

typedef struct finding { /* to be sent */
    cop_time t;
    uint32_t port, src, dst, stream, word;
    uint8_t sl;
    uint8_t marks; /* enum cop_notice_mark */
    bool watched; /* about a watched packet */
} finding;

struct cop_notices {
    finding *v; /* of this switch, oldest first; heap */
    size_t cap;
    uint32_t at, n;
    uint32_t made;
};

void cop_notice_init(cop_net *net)
{
    if (net->cc_facts.notifies)
        net->notices = COP_NEW_ARRAY(&net->arena, struct cop_notices, net->info.n_switches);
    net->listens = net->route->ops->on_notice != NULL;
}

void cop_notice_fini(cop_net *net)
{
    for (uint32_t sw = 0; net->notices && sw < net->info.n_switches; sw++)
        cop_free(net->notices[sw].v);
}

static void find(cop_net *net, uint32_t port, const cop_header *of, uint32_t word, unsigned marks,
                 bool watched)
{
    const cop_in *in = &net->in[port];
    if (COP_UNLIKELY(net->notices == NULL))
        cop_misused("cc", net->cc->name, "it sends notifications; set notifies in its facts");
    struct cop_notices *list = &net->notices[in->sw];
    if (list->at > list->n / 2) { /* amortised: as many findings are moved as were sent */
        list->n -= list->at;
        memmove(list->v, list->v + list->at, list->n * sizeof(*list->v));
        list->at = 0;
    }
    list->v = cop_grow(list->v, &list->cap, list->n + 1u, sizeof(finding));
    list->v[list->n++] = (finding){.t = net->now + cop_max64(in->pipeline_ps, 1),
                                   .port = port,
                                   .src = of->dst,
                                   .dst = of->src,
                                   .stream = of->stream,
                                   .word = word,
                                   .marks = (uint8_t)marks,
                                   .watched = watched,
                                   .sl = of->sl};
    if (list->n - list->at == 1)
        cop_net_push(net, list->v[list->at].t, COP_EV_NOTICE, in->sw);
}

void cop_net_notify(cop_net *net, uint32_t port, const cop_pkt *p, uint32_t word, unsigned marks)
{
    COP_ASSERT(!(p->flags & COP_PKT_CONTROL));
    cop_header of = cop_header_of(p);
    find(net, port, &of, word, marks, p->flags & COP_PKT_WATCH);
}

void cop_net_notify_source(cop_net *net, uint32_t port, const cop_header *of, uint32_t word)
{
    find(net, port, of, word, COP_NOTICE_PLAIN, cop_watch_source(net, of->src));
}

static void make(cop_net *net, struct cop_notices *list, const finding *f)
{
    uint32_t h = cop_pkt_new(net);
    int64_t lane = net->nic_cfg->control_vl;
    cop_pkt p = {.next = COP_NONE,
                 .stream = f->stream,
                 .src = f->src,
                 .dst = f->dst,
                 .bytes = (uint32_t)net->nic_cfg->control_bytes,
                 .seq = FIRST_SEQ | list->made++,
                 .t_gen = net->now,
                 .t_inj = net->now,
                 .t_tail = net->now,
                 .mid = COP_NONE,
                 .cc = f->word,
                 .vl = lane > 0 ? (uint8_t)lane : 0,
                 .sl = f->sl,
                 .flags = COP_PKT_CNP | COP_PKT_BECN | COP_PKT_OWN};
    if (f->marks & COP_NOTICE_END)
        p.flags |= COP_PKT_END;
    if (f->marks & COP_NOTICE_CONTESTED)
        p.flags |= COP_PKT_CONTESTED;
    if (f->watched)
        p.flags |= COP_PKT_WATCH;
    net->pkt[h] = p;
    net->total.cnps++;
    cop_probe_notice(&net->probe, f->port, f->dst);
    if (COP_UNLIKELY(f->watched))
        cop_watch_step(net, COP_WATCH_MADE, f->port, &net->pkt[h]);
    if (cop_routing_notice(net, f->port, &net->pkt[h], true)) {
        cop_routing_heard(net, &p);
        if (COP_UNLIKELY(f->watched))
            cop_watch_step(net, COP_WATCH_KEPT, f->port, &net->pkt[h]);
        cop_pkt_free(net, h);
        return;
    }
    net->total.injected++;
    net->total.injected_bytes += p.bytes;
    cop_input_made(net, f->port, h);
}

void cop_notice_make(cop_net *net, uint32_t sw)
{
    struct cop_notices *list = &net->notices[sw];
    while (list->at < list->n && list->v[list->at].t <= net->now) {
        finding f = list->v[list->at++];
        make(net, list, &f);
    }
    if (list->at < list->n)
        cop_net_push(net, list->v[list->at].t, COP_EV_NOTICE, sw);
}

void cop_notice_tell(cop_net *net)
{
    uint64_t n = 0;
    uint32_t first = COP_NONE;
    for (uint32_t q = 0; net->notices && q < net->n_queues; q++)
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next)
            if (net->pkt[h].flags & COP_PKT_OWN) {
                if (n++ == 0)
                    first = net->in[net->queue_port[q]].port0 + net->pkt[h].out;
            }
    size_t used = strlen(net->why);
    char name[64];
    if (n > 0)
        snprintf(net->why + used, sizeof(net->why) - used,
                 "\n  %" PRIu64 " %s in the switches that made them, the first for %s", n,
                 n == 1 ? "notification waits" : "notifications wait",
                 cop_topo_port_name(net->topo, first, name, sizeof(name)));
}
