/* What the network remembers twice agrees at any instant: sums with what they sum, flags with the lists
 * they speak of, credits with capacities. Busy networks of every kind are looked at a few hundred times
 * while they run; a sample comes when the arbitrations of its instant are done. */
#include "net_fixture.h"

#include "host/simple.h"
#include "net/cable/cable.h"
#include "net/cable/fc_state.h"
#include "net/switch/request.h"
#include "net/switch/switch.h"

#include <string.h>

#define AGREE(a, b, ...)                                                                           \
    do {                                                                                           \
        uint64_t have_ = (uint64_t)(a), want_ = (uint64_t)(b);                                     \
        if (have_ != want_) {                                                                      \
            char place_[128];                                                                      \
            fail_msg("%s at %.3f us, %s: %" PRIu64 ", not %" PRIu64, w->what,                      \
                     (double)w->net.now / 1e6, scn_text(place_, sizeof(place_), __VA_ARGS__),      \
                     have_, want_);                                                                \
        }                                                                                          \
    } while (0)

typedef struct found { /* by walking all lists */
    uint64_t packets, control, sends;
    uint32_t waiting[512]; /* [port] bytes for this output */
    uint32_t ready[LAB_HOSTS], held[LAB_HOSTS]; /* [stream] */
} found;

/* Length of a list of packets; bytes are added up. */
static uint64_t walk(const cop_net *net, uint32_t head, uint64_t *bytes, uint64_t *blocks,
                     uint32_t *last)
{
    uint64_t n = 0;
    *last = COP_NONE;
    for (uint32_t h = head; h != COP_NONE; h = net->pkt[h].next, n++) {
        *bytes += net->pkt[h].bytes;
        *blocks += cop_blocks(net->pkt[h].bytes);
        *last = h;
    }
    return n;
}

/* -- switch inputs: queues, requests, fills -- */

static bool in_slot(const cop_net *net, uint32_t slot_last, uint32_t node)
{
    uint32_t n = slot_last;
    if (n == COP_NONE)
        return false;
    do {
        n = net->node[n].next;
        if (n == node)
            return true;
    } while (n != slot_last);
    return false;
}

static void check_requests(const net_lab *w, uint32_t q)
{
    const cop_net *net = &w->net;
    const cop_queue *queue = &net->queue[q];
    const cop_in *in = &net->in[net->queue_port[q]];
    if (net->per_output) {
        uint32_t own = q - in->queue0, port = in->port0 + own / net->lanes, vl = own % net->lanes;
        bool bit = cop_request_mask(net, port, vl)[in->local / 64] >> (in->local % 64) & 1;
        AGREE(bit, queue->posted, "request of queue %u", q);
        return;
    }
    unsigned requests = 0;
    for (uint32_t k = 0; k < net->max_cand; k++) {
        uint32_t node = q * net->max_cand + k;
        const cop_node *n = &net->node[node];
        if (n->next == COP_NONE)
            continue;
        requests = k + 1;
        uint32_t slot = net->slot[cop_slot_of(net, n->port, n->vl, in->local)];
        AGREE(in_slot(net, slot, node), !n->waiting, "node of queue %u in its slot", q);
        if (!n->waiting)
            AGREE(cop_request_mask(net, n->port, n->vl)[in->local / 64] >> (in->local % 64) & 1, 1,
                  "request of queue %u", q);
    }
    AGREE(requests, queue->posted, "requests of queue %u", q);
    AGREE(queue->posted && queue->stopped, 0, "queue %u is stopped and asks", q);
}

static void check_queues(const net_lab *w, found *f)
{
    const cop_net *net = &w->net;
    for (uint32_t q = 0; q < net->n_queues; q++) {
        const cop_queue *queue = &net->queue[q];
        const cop_in *in = &net->in[net->queue_port[q]];
        uint64_t bytes = 0, blocks = 0;
        uint32_t last;
        f->packets += walk(net, queue->head, &bytes, &blocks, &last);
        AGREE(queue->bytes, bytes, "bytes of queue %u", q);
        if (queue->head != COP_NONE)
            AGREE(queue->tail, last, "tail of queue %u", q);
        AGREE(queue->posted && queue->head == COP_NONE, 0, "empty queue %u asks", q);
        for (uint32_t h = queue->head; h != COP_NONE; h = net->pkt[h].next)
            f->waiting[in->port0 + net->pkt[h].out] += net->pkt[h].bytes;
        check_requests(w, q);
    }
}

static void check_fills(const net_lab *w)
{
    const cop_net *net = &w->net;
    if (net->fill == NULL)
        return;
    uint64_t *want = cop_alloc_array(net->slot0[net->topo->n_switches], sizeof(*want));
    for (uint32_t q = 0; q < net->n_queues; q++) {
        const cop_in *in = &net->in[net->queue_port[q]];
        for (uint32_t h = net->queue[q].head; h != COP_NONE; h = net->pkt[h].next) {
            const cop_pkt *p = &net->pkt[h];
            size_t slot = cop_slot_of(net, in->port0 + p->out, p->out_vl, in->local);
            want[slot] += p->bytes;
        }
    }
    for (uint32_t p = 0; p < net->host_port0; p++)
        for (uint32_t vl = 0; vl < net->lanes; vl++)
            for (uint32_t i = 0; i < cop_topo_ports_of(net->topo, net->out[p].sw); i++) {
                size_t slot = cop_slot_of(net, p, vl, i);
                AGREE(net->fill[slot], want[slot], "fill of output %u from input %u", p, i);
            }
    cop_free(want);
}

/* -- outputs -- */

static void check_outputs(const net_lab *w, found *f)
{
    const cop_net *net = &w->net;
    for (uint32_t p = 0; p < net->host_port0; p++) {
        const cop_out *out = &net->out[p];
        for (uint32_t vl = 0; net->obuf && out->to != COP_NONE && vl < net->lanes; vl++) {
            uint64_t bytes = 0, blocks = 0;
            uint32_t last;
            f->packets += walk(net, cop_obuf_first(net, p, vl), &bytes, &blocks, &last);
            f->waiting[p] += (uint32_t)bytes;
            AGREE(cop_obuf_held(net, p, vl), blocks, "room of output %u", p);
        }
        if (net->obuf)
            AGREE(cop_obuf_adds_up(net, p), true, "room of output %u", p);
        AGREE(out->waiting, f->waiting[p], "bytes that wait for output %u", p);
        for (uint32_t vl = 0; vl < net->lanes; vl++) {
            uint64_t any = 0;
            for (uint32_t i = 0; i < net->words; i++)
                any |= cop_request_mask(net, p, vl)[i];
            AGREE(out->vl_ready >> vl & 1, any != 0, "lane %u of output %u is asked for", vl, p);
        }
        /* An idle output of this architecture has served all inputs that could send. */
        if (net->arch == &cop_arch_ib && !net->fc->replay && out->busy_until <= net->now)
            AGREE(out->vl_ready & ~out->vl_blocked, 0, "output %u could send", p);
    }
}

/* -- links: credits, returns -- */

static void check_links(const net_lab *w)
{
    const cop_net *net = &w->net;
    bool counts = net->fc_cfg->kind == COP_FC_CREDIT || net->fc_cfg->kind == COP_FC_IB;
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_out *out = &net->out[p];
        const cop_ring *r = &out->ring;
        if (out->to == COP_NONE)
            continue;
        for (uint32_t i = r->at; i != r->end && i + 1 != r->end; i++)
            AGREE(r->v[i & r->mask].t <= r->v[(i + 1) & r->mask].t, 1, "returns to port %u", p);
        uint32_t shared = 0;
        for (uint32_t s = 0; counts && s < net->sections; s++) {
            const cop_section *sec = &out->section[s];
            if (net->shared_free)
                shared += sec->used > sec->credit ? sec->used - sec->credit : 0;
            else
                AGREE(sec->credit + sec->used, sec->capacity, "credits of port %u.%u", p, s);
        }
        if (net->shared_free)
            AGREE(net->shared_free[p] + shared,
                  out->section[0].capacity - net->lanes * out->section[0].credit,
                  "shared part behind port %u", p);
        bool plain = counts && !net->sectioned && !(net->obuf && out->sw != COP_NONE);
        for (uint32_t vl = 0; plain && vl < net->lanes; vl++)
            if (out->vl_blocked >> vl & 1)
                AGREE(cop_fc_fits(net, p, vl, out->lane[vl].need), 0, "blocked lane %u of port %u",
                      vl, p);
    }
}

/* What waits at a sender has said so (cop_out.waits), nothing else has, and the next return wakes it. */
static void check_waits(const net_lab *w)
{
    const cop_net *net = &w->net;
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        const cop_out *out = &net->out[p];
        const cop_ring *r = &out->ring;
        const uint32_t *nacked = net->fc_state->nacked_head;
        bool host = out->sw == COP_NONE, room = !host && net->obuf && !net->credit_first;
        uint8_t want = 0,
                known = COP_WAIT_LANES | COP_WAIT_SECTION | COP_WAIT_REFUSAL | COP_WAIT_ADMIT;
        if (out->to == COP_NONE)
            continue;
        if (out->vl_blocked && !room)
            want |= COP_WAIT_LANES;
        if (net->section_waiters && net->section_waiters[p] > 0)
            want |= COP_WAIT_SECTION;
        if (nacked && nacked[p] != COP_NONE)
            want |= COP_WAIT_REFUSAL;
        if (net->held && !host && net->held[out->sw] > 0)
            want |= COP_WAIT_ADMIT;
        AGREE(out->waits & known, want, "what waits at port %u", p);
        AGREE((out->waits & COP_WAIT_BUFFER) && !(room && cop_obuf_lanes(net, p)), 0,
              "a lane of output buffer %u", p);
        AGREE((out->waits & COP_WAIT_SHORT) && room, 0, "credit for inputs of port %u", p);
        AGREE((out->waits & COP_WAIT_ROOM) && !room, 0, "room for inputs of port %u", p);
        if ((out->waits & COP_WAIT_CREDIT) && r->at != r->end)
            AGREE(out->credit_at <= r->v[r->at & r->mask].t, 1, "port %u is woken", p);
    }
}

/* -- end nodes -- */

static uint32_t count_sends(const cop_net *net, found *f, uint32_t head, bool ready, uint32_t *last)
{
    uint32_t n = 0;
    *last = COP_NONE;
    for (uint32_t s = head; s != COP_NONE; s = net->send[s].next, n++) {
        f->held[net->send[s].stream]++;
        f->ready[net->send[s].stream] += ready;
        *last = s;
    }
    f->sends += n;
    return n;
}

static void check_flows(const net_lab *w, found *f)
{
    const cop_net *net = &w->net;
    uint64_t throttled = 0, in_heaps = 0;
    for (uint32_t sl = 0; !net->flow_hash && sl < COP_MAX_SL; sl++)
        for (uint32_t i = 0; net->flow[sl] && i < net->info.n_hosts * net->info.n_hosts; i++) {
            const cop_flow *flow = cop_flow_at(net, sl << COP_FLOW_BITS | i);
            uint32_t last;
            if (net->flow_is_sl && i >= net->info.n_hosts)
                break;
            if (!flow->known)
                continue;
            uint32_t n = count_sends(net, f, flow->head, false, &last);
            throttled += flow->throttled;
            AGREE(flow->throttled && n == 0, 0, "flow %u holds nothing", i);
            if (n > 0)
                AGREE(flow->tail, last, "last message of flow %u", i);
        }
    for (uint32_t h = 0; h < net->info.n_hosts; h++) {
        const cop_nic *nic = &net->nic[h];
        in_heaps += nic->throttled_n;
        for (uint32_t i = 0; i < nic->throttled_n; i++) {
            const cop_flow *a = cop_flow_at(net, nic->throttled[i]),
                           *up = cop_flow_at(net, nic->throttled[i ? (i - 1) / 2 : 0]);
            AGREE(a->src, h, "flow in the heap of a host");
            AGREE(a->throttled, 1, "flow in the heap of host %u", h);
            AGREE(up->t_ok <= a->t_ok, 1, "order of the heap of host %u", h);
        }
    }
    AGREE(in_heaps, throttled, "flows held back");
}

static void check_hosts(const net_lab *w, found *f)
{
    const cop_net *net = &w->net;
    for (uint32_t h = 0; h < net->info.n_hosts; h++) {
        const cop_nic *nic = &net->nic[h];
        const cop_simple_host *sh = &cop_simple_of(net)->host[h];
        uint32_t ready = 0, last, lanes = 0;
        uint64_t bytes = 0, blocks = 0;
        for (uint32_t vl = 0; vl < net->lanes; vl++) {
            const cop_simple_lane *l = cop_simple_lane_of(net, h, vl);
            uint32_t n = count_sends(net, f, l->head, true, &last);
            ready += n;
            lanes |= (uint32_t)(n > 0) << vl;
            if (n > 0)
                AGREE(l->tail, last, "tail of host %u lane %u", h, vl);
        }
        AGREE(sh->ready_n, ready, "ready messages of host %u", h);
        AGREE(net->out[net->host_port0 + h].vl_ready, lanes, "ready lanes of host %u", h);
        AGREE(lanes & ~sh->lanes_used, 0, "used lanes of host %u", h);
        count_sends(net, f, sh->held_head, false, &last);
        if (sh->held_head != COP_NONE)
            AGREE(sh->held_tail, last, "last held message of host %u", h);
        f->packets += walk(net, nic->late_head, &bytes, &blocks, &last);
        f->control += walk(net, nic->control_head, &bytes, &blocks, &last);
        if (nic->control_head != COP_NONE)
            AGREE(nic->control_tail, last, "last acknowledgement of host %u", h);
        f->control += walk(net, nic->notice_head, &bytes, &blocks, &last);
        if (nic->notice_head != COP_NONE)
            AGREE(nic->notice_tail, last, "last notification of host %u", h);
    }
    if (net->cc->flow_size)
        check_flows(w, f);
    for (uint32_t s = 0; s < net->traffic->n_streams; s++) {
        AGREE(cop_simple_of(net)->ready[s], f->ready[s], "ready messages of stream %u", s);
        AGREE(cop_simple_of(net)->here[s], f->held[s], "messages of stream %u at its host", s);
    }
}

/* -- all of it -- */

static void check_pools(const net_lab *w, found *f)
{
    const cop_net *net = &w->net;
    uint64_t bytes = 0, blocks = 0, free_sends = 0;
    uint32_t last;
    for (uint32_t p = 0; p < net->topo->n_ports; p++) {
        f->packets += walk(net, net->in[p].wire_head, &bytes, &blocks, &last);
        if (net->in[p].wire_head != COP_NONE)
            AGREE(net->in[p].wire_tail, last, "tail of the wire to port %u", p);
        if (net->fc_state->nacked_head) {
            f->packets += walk(net, net->fc_state->nacked_head[p], &bytes, &blocks, &last);
            f->packets += walk(net, net->fc_state->replay_head[p], &bytes, &blocks, &last);
        }
    }
    AGREE(cop_net_in_flight(net), f->packets, "packets");
    AGREE(net->pkt_n - walk(net, net->pkt_free, &bytes, &blocks, &last), f->packets + f->control,
          "packets of the pool");
    for (uint32_t s = net->send_free; s != COP_NONE; s = net->send[s].next)
        free_sends++;
    AGREE(net->send_n - free_sends, f->sends, "messages of the pool");
}

static bool look(void *ctx, cop_time now, cop_time end, uint64_t hops)
{
    net_lab *w = ctx;
    found f = {0};
    w->looks++;
    (void)now, (void)end, (void)hops;
    assert_true(w->net.host_port0 <= COP_LEN(f.waiting));
    assert_true(w->net.traffic->n_streams <= COP_LEN(f.held));
    check_queues(w, &f);
    check_fills(w);
    check_outputs(w, &f);
    check_links(w);
    check_waits(w);
    check_hosts(w, &f);
    check_pools(w, &f);
    return false;
}

/* Four hosts send to one, as much as they can; all send everywhere, messages of several packets. */
#define BUSY                                                                                       \
    "link: {rate: 10 Gbit/s, delay: 70 ns}\n"                                                      \
    "switch: {buffer: 16 KiB}\n"                                                                   \
    "nic: {mtu: 2 KiB, ack: message}\n"                                                            \
    "traffic:\n"                                                                                   \
    "  - {name: hot, from: [1-4], pattern: fixed, to: 0, message: 3000 B}\n"                       \
    "  - {name: rest, from: all, pattern: uniform, arrival: poisson, load: 40 %, message: 5000 "   \
    "B,\n"                                                                                         \
    "     sl: 1}\n"
static const char tree[] = "run: {duration: 120 us, warmup: 30 us, sample: 613 ns}\n"
                           "topology: {kind: kary-ntree, k: 3, n: 2}\n" BUSY;
static const char torus[] = "run: {duration: 120 us, warmup: 30 us, sample: 613 ns}\n"
                            "topology: {kind: torus, radix: [3, 3]}\n" BUSY;

static void each(const char *yaml, const char *const (*sets)[4], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char what[256] = "";
        size_t k = 0;
        for (; k < 4 && sets[i][k] != NULL; k++) {
            strcat(what, sets[i][k]);
            strcat(what, " ");
        }
        net_lab *w = lab_build(yaml, sets[i], k);
        w->what = what;
        cop_net_run(&w->net, look, w);
        if (w->net.stop != COP_OUTCOME_OK)
            fail_msg("%s: %s", what, w->net.why);
        assert_true(w->net.total.delivered > 200 && w->looks > 190);
        lab_free(w);
    }
}

static void queueing_schemes(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"queueing.kind=1q"},
        {"queueing.kind=voqsw"},
        {"queueing.kind=voqnet", "switch.buffer=4 KiB"},
        {"queueing.kind=dbbm"},
        {"queueing.kind=fbicm", "switch.architecture=iq"},
        {"queueing.kind=recn", "switch.architecture=cioq"},
        {"queueing.kind=hfdi", "switch.buffer=32 KiB"},
        {"routing.kind=adaptive-tree", "queueing.kind=1q"},
        {"routing.kind=adaptive-tree", "queueing.kind=1q", "cc.kind=ibcc"},
    };
    each(tree, sets, COP_LEN(sets));
}

static void switches_and_flow_controls(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"switch.architecture=iq", "switch.iterations=2", "queueing.kind=1q"},
        {"switch.architecture=iq", "switch.read_ports=3", "routing.kind=adaptive-cube"},
        {"switch.architecture=cioq", "switch.read_ports=2", "queueing.kind=dbbm"},
        {"switch.architecture=cioq", "switch.speedup=1.5", "switch.output_buffer=6 KiB"},
        {"switch.architecture=ib", "switch.speedup=1", "switch.output_buffer=2 KiB"},
        {"switch.output_buffer=4 KiB", "queueing.kind=1q", "routing.kind=adaptive-cube"},
        {"switch.output_buffer=12 KiB", "switch.output_shared=yes", "routing.kind=adaptive-cube"},
        {"switch.architecture=cioq", "switch.output_buffer=20 KiB", "switch.output_shared=yes",
         "switch.lanes=4"},
        {"flow_control.kind=ib", "flow_control.loss=10 %", "queueing.kind=voqsw"},
        {"flow_control.kind=on-off", "switch.architecture=iq"},
        {"flow_control.kind=ack-nack"},
        {"switch.shared_lanes=yes", "switch.buffer=24 KiB"},
        {"queueing.kind=voqnet", "switch.architecture=iq", "switch.buffer=4 KiB"},
        {"nic.receive_rate=7 Gbit/s", "link.trunk_rate=25 Gbit/s", "switch.arbitration=age"},
        {"cc={kind: lopez, limit: 0}", "queueing.kind=1q"}, /* heads that are not admitted */
    };
    each(torus, sets, COP_LEN(sets));
}

static void congestion_controls(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"cc.kind=pace", "cc.rate=2 Gbit/s"},
        {"cc.kind=pace", "cc.rate=1 Gbit/s", "nic.order=round-robin"},
        {"cc.kind=ibcc", "cc.threshold=15", "queueing.kind=1q"},
        {"cc.kind=ibcc", "cc.level=sl", "queueing.kind=voqsw"},
        {"cc.kind=ibcc", "queueing.kind=dbbm", "switch.output_buffer=5 KiB"},
        {"cc.kind=ecocc", "queueing.kind=hfdi", "switch.buffer=32 KiB"},
        {"cc.kind=ccfit", "queueing.kind=fbicm", "switch.architecture=iq"},
    };
    each(tree, sets, COP_LEN(sets));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queueing_schemes),
        cmocka_unit_test(switches_and_flow_controls),
        cmocka_unit_test(congestion_controls),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
