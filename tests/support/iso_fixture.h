/* A small network with isolation, for the unit tests of its rules. */
#ifndef COP_ISO_FIXTURE_H
#define COP_ISO_FIXTURE_H

#include "net_fixture.h"

#include "net/flow/flow.h"
#include "net/switch/switch.h"
#include "queue/iso.h"

/* Host 0 at switch 0, hosts 1 and 2 at switch 1; the ports of a switch are numbered hosts first. */
static const char chain[] =
    "run: {duration: 10 us}\n"
    "topology: {kind: chain, hosts: [1, 2]}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {architecture: iq, buffer: 64 KiB, lanes: 2}\n"
    "nic: {mtu: 1000 B, overhead: 24 B}\n"
    "queueing: {kind: fbicm, queues: 3, destinations: 2, detect: 5, stop: 9,"
    " go: 3, high: 6, low: 2, guard: 4}\n"
    "traffic: [{from: [0], pattern: fixed, to: 1}]\n";
#define PACKET 1024u
#define SET(...)                                                                                   \
    ((const char *const[]){__VA_ARGS__}),                                                          \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

static inline iso_rules *rules(net_lab *w)
{
    return cop_net_queue_common(&w->net);
}

/* The input of switch 1 that is fed by switch 0. */
static inline uint32_t trunk_input(const net_lab *w)
{
    return cop_topo_switch_port(&w->topo, 1, 2);
}

/* -- packets that come to an input, and messages from the next switch -- */

static inline void come(net_lab *w, uint32_t port, uint32_t dst, uint32_t vl, uint16_t flags)
{
    cop_net *net = &w->net;
    uint32_t h = cop_pkt_new(net);
    net->pkt[h] = (cop_pkt){.next = COP_NONE,
                            .bytes = PACKET,
                            .dst = dst,
                            .vl = (uint8_t)vl,
                            .flags = flags,
                            .mid = COP_NONE};
    cop_input_receive(net, port, h);
}

static inline void several(net_lab *w, uint32_t port, uint32_t dst, unsigned n)
{
    while (n-- > 0)
        come(w, port, dst, 0, 0);
}

/* Packets in each queue of an input, as digits: three special ones, two normal ones (a lane each), two for
 * control packets. */
static inline void expect_queues(net_lab *w, uint32_t port, const char *want)
{
    char have[16] = "";
    for (uint32_t q = 0; q < 7; q++)
        have[q] = (char)('0' + cop_net_queue_bytes(&w->net, port, q) / PACKET);
    assert_string_equal(have, want);
}

static inline iso_line *line_at(net_lab *w, uint32_t port, uint32_t i)
{
    return iso_in_line(rules(w), cop_net_queue_state(&w->net, port), i);
}

static inline uint64_t counter(const net_lab *w, unsigned which)
{
    return w->net.counter[which];
}

static inline uint32_t first_input(const net_lab *w)
{
    return cop_topo_switch_port(&w->topo, 0, 0);
}

static inline uint32_t trunk(const net_lab *w)
{
    return cop_topo_switch_port(&w->topo, 0, 1);
}

static inline void tell(net_lab *w, unsigned kind, uint32_t line, uint32_t value)
{
    iso_on_control(&w->net, trunk(w), iso_message(kind, line, value));
}

static inline void tell_line(net_lab *w, uint32_t line, uint8_t hops, uint32_t dst, uint32_t vl)
{
    iso_line l = {.hops = hops, .out_vl = (uint8_t)vl};
    iso_on_control(&w->net, trunk(w), iso_allocate(line, &l));
    tell(w, ISO_MSG_ADD, line, iso_entry(dst, vl));
}

#endif
