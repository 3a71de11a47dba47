/* The traffic of a random scenario: entries with a pattern and arrivals, or an exchange of messages
 * that wait for each other; sizes, times and service levels. The first entry is never an
 * exchange and has no start or stop, so that there is traffic in all of the run. */
#include <string.h>

#include "draw_int.h"

static void put_pattern(draw *d, bool first)
{
    const char *kind =
        ONE_OF(d, "uniform", "uniform", "fixed", "all-to-one", "list", "hotspot", "hot-region",
               "group-adversarial", "random-permutation", "bit-reversal", "bit-complement",
               "perfect-shuffle", "transpose", "tornado", "neighbour", "forest");
    uint32_t to = below(d, d->hosts);
    /* Bit permutations are for some numbers of hosts only. */
    bool bits = strstr("bit-reversal bit-complement perfect-shuffle transpose", kind) != NULL;
    if (bits && d->hosts != 16 && d->hosts != 4)
        kind = "uniform";
    /* A later entry may not get a packet through in time. */
    d->random |= first && (strcmp(kind, "uniform") == 0 || strcmp(kind, "hotspot") == 0);
    draw_put(d, ", pattern: %s", kind);
    if (strcmp(kind, "fixed") == 0)
        draw_put(d, ", to: %u, except: [%u]", to, to);
    else if (strcmp(kind, "all-to-one") == 0 || strcmp(kind, "hotspot") == 0)
        draw_put(d, ", to: %u", to);
    else if (strcmp(kind, "list") == 0)
        draw_put(d, ", to_list: [%u, %u, %u], to_order: %s", to, (to + 1) % d->hosts,
                 (to + 2) % d->hosts, ONE_OF(d, "round-robin", "random", "by-source"));
    else if (strcmp(kind, "group-adversarial") == 0)
        draw_put(d, ", group_size: 1, offset: %u", between(d, 1, d->hosts - 1));
    else if (strcmp(kind, "hot-region") == 0)
        draw_put(d, ", region: 40 %%");
    else if (strcmp(kind, "forest") == 0)
        draw_put(d, ", hotspots: %u, b_share: %u %%, lifetime: %u us, mix: %s", between(d, 1, 2),
                 below(d, 100), below(d, 8), ONE_OF(d, "drawn", "even"));
}

static void put_arrival(draw *d)
{
    uint32_t load = between(d, 1, 99);
    switch (below(d, 7)) {
    case 0:
        draw_put(d, ", arrival: constant, load: %u %%, phase: %s", load,
                 ONE_OF(d, "together", "random"));
        break;
    case 1:
        draw_put(d, ", arrival: bernoulli, load: %u %%", load);
        break;
    case 2:
        draw_put(d, ", arrival: poisson, load: %u %%", load);
        break;
    case 3:
        draw_put(d, ", arrival: pulses, load: %u %%, high_time: %u ns, low_time: %u ns", load,
                 between(d, 100, 5000), between(d, 100, 5000));
        draw_put(d, ", pulse_arrival: %s", ONE_OF(d, "bernoulli", "constant", "poisson"));
        break;
    case 4:
        draw_put(d, ", arrival: on-off, load: %u %%, on_mean: %u ns, off_mean: %u ns", load,
                 between(d, 100, 5000), between(d, 100, 5000));
        break;
    default:
        draw_put(d, ", arrival: saturated");
        return;
    }
    if (below(d, 4) == 0)
        draw_put(d, ", patience: %u ns", between(d, 1, 5000));
}

/* Messages that wait for each other, among all or some of the hosts. */
static void put_exchange(draw *d)
{
    static const char *const kinds[] = {"ping-pong",   "all-pairs",      "natural-ring",
                                        "random-ring", "grid-transpose", "all-to-all"};
    const char *kind = kinds[below(d, d->hosts == 5 ? 4 : 6)]; /* 5 hosts make no grid */
    draw_put(d, ", exchange: %s, think: %u ns", kind, below(d, 2) * below(d, 500));
}

void draw_traffic(draw *d)
{
    uint32_t n = between(d, 1, 3);
    draw_put(d, "traffic:\n");
    for (uint32_t i = 0; i < n; i++) {
        draw_put(d, "  - {name: e%u", i);
        bool exchange = i > 0 && below(d, 4) == 0;
        if (exchange) {
            put_exchange(d);
        } else {
            put_pattern(d, i == 0);
            put_arrival(d);
        }
        if (!exchange && below(d, 3) == 0)
            draw_put(d, ", share: %u %%", between(d, 30, 100));
        switch (below(d, 5)) {
        case 0:
            draw_put(d, ", size_distribution: uniform, size_min: %u B, size_max: %u B",
                     between(d, 1, 100), between(d, 100, 5000));
            break;
        case 1:
            draw_put(d, ", size_distribution: bimodal, size_small: 64 B, size_large: %u B",
                     between(d, 1000, 9000));
            break;
        case 2:
            draw_put(d, ", size_distribution: list, sizes: [%u, %u, 3000], weights: [3, 2, 1]",
                     between(d, 1, 100), between(d, 100, 1000));
            break;
        default:
            draw_put(d, ", message: %u B", between(d, 1, 8000));
        }
        if (i > 0 && below(d, 2))
            draw_put(d, ", start: %u ns, stop: %" PRIu64 " ns", below(d, 5000),
                     5000 + below(d, 2) * d->duration_ns);
        else if (i > 0 && !exchange && below(d, 3) == 0)
            draw_put(d, ", active: [1 us, 3 us, 4500 ns, %u ns]", between(d, 5000, 20000));
        if (below(d, 4) == 0)
            draw_put(d, ", sl: %u", below(d, 16));
        draw_put(d, "}\n");
    }
}
