/* A small network with isolation, for the unit tests of its rules. */
#ifndef COP_ISO_FIXTURE_H
#define COP_ISO_FIXTURE_H

#include "net_fixture.h"

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

#endif
