/* A window of packets under way, which follows the round-trip time: a congestion control from outside.
 *
 *   cc -shared -fPIC -O2 $(pkg-config --cflags coppice-plugin) window.c -o window.so
 *   coppice run two-switch.yaml --plugin ./window.so --set cc.kind=window --set nic.ack=packet
 *
 * In the source tree the flags are -Isrc. docs/ADDING.md explains what is special.
 *
 * Role     a source has at most `packets` of each flow under way, fewer if their round trip takes longer than `target`.
 * State    per flow: packets under way, window in 2^-20 of a packet. On a packet: when it was sent.
 * Rules    acknowledgement in time: window + 1 / window;  late: window x 7/8, at least one packet.
 * Needs    nic.ack: packet. */
#include <exp/plugin.h>

#define PARTS ((uint64_t)1 << 20)

typedef struct window_cfg {
    int64_t packets;
    uint64_t target_ps;
} window_cfg;

typedef struct window_flow {
    uint32_t under_way;
    uint64_t parts; /* of the window; 0: nothing has been sent yet */
} window_flow;

static const cop_opt window_opts[] = {
    {"packets", COP_OPT_INT, offsetof(window_cfg, packets), "64", 1, 65536, NULL, "largest window"},
    {"target", COP_OPT_TIME, offsetof(window_cfg, target_ps), "20 us", 1000, 1e12, NULL,
     "a longer round trip closes the window"},
    {0}};

static int window_check(const void *cfg, const cop_netinfo *info, cop_err *err)
{
    (void)cfg;
    if (!info->acks_packets)
        return cop_err_add(err, COP_E_INPUT,
                           "cc window needs acknowledgements; set nic.ack to packet");
    return 0;
}

static cop_time window_next_send(struct cop_net *net, void *flow, cop_time now)
{
    (void)net;
    const window_flow *f = flow;
    return f->under_way == 0 || (f->under_way + 1) * PARTS <= f->parts ? now : COP_NEVER;
}

static void window_on_send(struct cop_net *net, void *flow, const cop_pkt *p)
{
    window_flow *f = flow;
    if (f->parts == 0)
        f->parts = (uint64_t)((const window_cfg *)cop_net_cc_cfg(net))->packets * PARTS;
    f->under_way++;
    *(cop_time *)cop_net_attached(net, p) = cop_net_now(net);
}

static void window_on_answer(struct cop_net *net, const cop_pkt *p, cop_pkt *answer)
{
    *(cop_time *)cop_net_attached(net, answer) = *(const cop_time *)cop_net_attached(net, p);
}

static void window_on_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    const window_cfg *cfg = cop_net_cc_cfg(net);
    window_flow *f = flow;
    uint64_t most = (uint64_t)cfg->packets * PARTS;
    cop_time took = cop_net_now(net) - *(const cop_time *)cop_net_attached(net, p);
    f->under_way--;
    f->parts =
        took > cfg->target_ps ? f->parts - f->parts / 8 : f->parts + PARTS * PARTS / f->parts;
    f->parts = f->parts < PARTS ? PARTS : f->parts > most ? most : f->parts;
    cop_net_cc_wake(net, flow);
}

static const cop_cc_ops window = {.name = "window",
                                  .summary =
                                      "bounds what is under way of a flow, by its round trip",
                                  .source = "example of docs/ADDING.md",
                                  .opts = window_opts,
                                  .cfg_size = sizeof(window_cfg),
                                  .flow_size = sizeof(window_flow),
                                  .attached_size = sizeof(cop_time),
                                  .check = window_check,
                                  .at_source = {.next_send = window_next_send,
                                                .on_send = window_on_send,
                                                .on_control = window_on_control},
                                  .at_destination = {.on_answer = window_on_answer}};

COPPICE_PLUGINS(COP_CCS(&window));
