/* Was the network settled while it was measured, or did packets pile up in it?
 *
 * In:  packets injected and delivered in each sample (probe), bytes offered and accepted after the warm-up.
 * Out: by how many packets the network was fuller in the last quarter of the measured time than in the second.
 *
 * Large buffers can hide saturation for longer than most runs last: nothing waits at the sources. A
 * network is not settled if less than 95 % of what is offered arrives, and there are more packets
 * in it at every sample of the last quarter than at any of the second, by more than 2 % of what is
 * offered from quarter to quarter, and by more than chance explains. The links fill in the first
 * quarter, or the network is not settled. In a settled one the number of packets fluctuates: with
 * random messages by its root, more with messages of several packets; two quarters that are short
 * beside the latency differ by a part of that. */
#include "net/net.h"
#include "stats/collect.h"

#include <math.h>

/* Packets of a message, on average; 1 if there was none. */
static double message_packets(const cop_net *net, double packet)
{
    const cop_traffic *tr = net->traffic;
    uint64_t taken = 0;
    for (uint32_t s = 0; s < tr->n_streams; s++)
        taken += tr->stream[s].n_sent;
    return taken > 0 ? fmax(1.0, (double)tr->taken_bytes / (double)taken / packet) : 1.0;
}

double cop_piled_up(const cop_net *net, double offered, double accepted)
{
    const cop_probe *pr = &net->probe;
    cop_time end = cop_min64(net->now, pr->end);
    if (accepted >= 0.95 * offered || end <= pr->warmup || net->total.injected == 0)
        return 0.0;
    cop_time span = end - pr->warmup, first = pr->warmup + span / 4, second = pr->warmup + span / 2,
             third = end - span / 4;
    uint64_t inside = 0, most = 0, least = UINT64_MAX;
    bool seen = false;
    for (uint32_t b = 0; b < pr->n_bins && (cop_time)b * pr->sample < end; b++) {
        cop_time at = cop_min64((b + 1) * pr->sample, end);
        inside += pr->bin[b].injected - pr->bin[b].delivered;
        if (at > first && at <= second) {
            most = inside > most ? inside : most;
            seen = true;
        } else if (at > third) {
            least = cop_min64(inside, least);
        }
    }
    if (!seen || least <= most)
        return 0.0;
    double more = (double)(least - most);
    double packet = (double)net->total.injected_bytes / (double)net->total.injected;
    /* Packets that piled up earlier are no noise: its bound is what is offered in between. */
    double between = offered / 2.0 / packet, moving = fmin((double)most, between);
    bool chance = more <= 4.0 * sqrt(moving * message_packets(net, packet));
    return !chance && more > 0.02 * between ? more : 0.0;
}
