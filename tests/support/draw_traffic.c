/* The traffic of a random scenario: entries with a pattern and arrivals, or an exchange of messages
 * that wait for each other; sizes, times and service levels. The first entry is never an
 * exchange and has no start or stop, so that there is traffic in all of the run. */
#include <string.h>

#include "draw_int.h"

static void put_list(draw *d, uint32_t to)
{
    draw_put(d, ", to_list: [%u, %u, %u]", to, (to + 1) % d->hosts, (to + 2) % d->hosts);
    PUT_NAME(d, ", to_order: %s", "round-robin", "random", "by-source");
}

static void put_forest(draw *d)
{
    PUT_NUMBER(d, ", hotspots: %u", 1, 2);
    PUT_NUMBER(d, ", b_share: %u %%", 0, 99);
    PUT_NUMBER(d, ", lifetime: %u us", 0, 7);
    PUT_NAME(d, ", mix: %s", "drawn", "even");
}

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
    bool among_all = strstr("uniform hotspot hot-region forest", kind) != NULL;
    if (among_all && below(d, 4) == 0)
        draw_put(d, ", self: yes");
    if (strcmp(kind, "fixed") == 0)
        draw_put(d, ", to: %u, except: [%u]", to, to);
    else if (strcmp(kind, "all-to-one") == 0 || strcmp(kind, "hotspot") == 0)
        draw_put(d, ", to: %u", to);
    else if (strcmp(kind, "list") == 0)
        put_list(d, to);
    else if (strcmp(kind, "group-adversarial") == 0)
        PUT_NUMBER(d, ", group_size: 1, offset: %u", 1, d->hosts - 1);
    else if (strcmp(kind, "hot-region") == 0)
        draw_put(d, ", region: 40 %%");
    else if (strcmp(kind, "forest") == 0)
        put_forest(d);
}

static void put_arrival(draw *d)
{
    uint32_t load = between(d, 1, 99);
    switch (below(d, 7)) {
    case 0:
        draw_put(d, ", arrival: constant, load: %u %%", load);
        PUT_NAME(d, ", phase: %s", "together", "random");
        break;
    case 1:
        draw_put(d, ", arrival: bernoulli, load: %u %%", load);
        if (below(d, 2)) /* shorter than the shortest message */
            PUT_NUMBER(d, ", slot: %u ps", 1, 80);
        break;
    case 2:
        draw_put(d, ", arrival: poisson, load: %u %%", load);
        break;
    case 3:
        draw_put(d, ", arrival: pulses, load: %u %%", load);
        PUT_NUMBER(d, ", high_time: %u ns", 100, 5000);
        PUT_NUMBER(d, ", low_time: %u ns", 100, 5000);
        PUT_NAME(d, ", pulse_arrival: %s", "bernoulli", "constant", "poisson");
        break;
    case 4:
        draw_put(d, ", arrival: on-off, load: %u %%", load);
        PUT_NUMBER(d, ", on_mean: %u ns", 100, 5000);
        PUT_NAME(d, ", bursts: %s", "exponential", "pareto");
        PUT_NUMBER(d, ", off_mean: %u ns", 100, 5000);
        break;
    default:
        draw_put(d, ", arrival: saturated");
        return;
    }
    if (below(d, 4) == 0)
        PUT_NUMBER(d, ", patience: %u ns", 1, 5000);
}

/* Messages that wait for each other, among all or some of the hosts. */
static void put_exchange(draw *d)
{
    static const char *const kinds[] = {"ping-pong",   "all-pairs",      "natural-ring",
                                        "random-ring", "grid-transpose", "all-to-all"};
    const char *kind = kinds[below(d, d->hosts == 5 ? 4 : 6)]; /* 5 hosts make no grid */
    draw_put(d, ", exchange: %s, think: %u ns", kind, maybe(d, 0, 499));
}

static void put_sizes(draw *d)
{
    switch (below(d, 5)) {
    case 0:
        draw_put(d, ", size_distribution: uniform");
        PUT_NUMBER(d, ", size_min: %u B", 1, 100);
        PUT_NUMBER(d, ", size_max: %u B", 100, 5000);
        break;
    case 1:
        draw_put(d, ", size_distribution: bimodal, size_small: 64 B");
        PUT_NUMBER(d, ", size_large: %u B", 1000, 9000);
        break;
    case 2:
        draw_put(d, ", size_distribution: list, weights: [3, 2, 1]");
        PUT_NUMBER(d, ", sizes: [%u", 1, 100);
        PUT_NUMBER(d, ", %u, 3000]", 100, 1000);
        break;
    default:
        PUT_NUMBER(d, ", message: %u B", 1, 8000);
    }
}

/* When an entry that is not the first is there. */
static void put_times(draw *d, bool exchange)
{
    if (below(d, 2)) {
        PUT_NUMBER(d, ", start: %u ns", 0, 4999);
        draw_put(d, ", stop: %" PRIu64 " ns", 5000 + below(d, 2) * d->duration_ns);
    } else if (!exchange && below(d, 3) == 0) {
        PUT_NUMBER(d, ", active: [1 us, 3 us, 4500 ns, %u ns]", 5000, 20000);
    }
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
            PUT_NUMBER(d, ", share: %u %%", 30, 100);
        put_sizes(d);
        if (i > 0)
            put_times(d, exchange);
        if (below(d, 4) == 0)
            PUT_NUMBER(d, ", sl: %u", 0, 15);
        draw_put(d, "}\n");
    }
}
