/* The traffic of a random scenario: entries with a pattern and arrivals, an exchange of messages
 * that wait for each other, or a job; sizes, times and service levels. The first entry is never an
 * exchange or a job and has no start or stop, so that there is traffic in all of the run. */
#include <string.h>

#include "app/coll.h"
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
        draw_put(d, ", region: 40 %%, region_place: %s", ONE_OF(d, "first", "spread"));
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

/* A collective of the program's own list, or the trace of the golden runs; where its ranks are and what
 * messages cost them. */
static void put_job(draw *d)
{
    if (below(d, 6) == 0) {
        PUT_NAME(d, ", trace: tests/golden/ping.goal, bytes_scale: %s", "1", "0.01", "0.3");
    } else {
        draw_put(d, ", collective: %s", cop_collective_names[between(d, 1, COP_COLL_KINDS - 1)]);
        PUT_NUMBER(d, ", message: %u B", 1, 20000);
        PUT_NUMBER(d, ", repeat: %u", 1, 3);
        PUT_NUMBER(d, ", root: %u", 0, 1);
        draw_put(d, ", think: %u ns", maybe(d, 0, 499));
        if (below(d, 3) == 0)
            PUT_NUMBER(d, ", reduce_rate: %u Gbit/s", 1, 100);
    }
    PUT_NAME(d, ", placement: %s", "linear", "random", "spread", "groups");
    if (below(d, 4) == 0)
        PUT_NUMBER(d, ", ranks_per_host: %u", 1, 3);
    if (below(d, 4) == 0)
        draw_put(d, ", nics: 2");
    draw_put(d, ", overhead: %u ns", maybe(d, 0, 300));
    draw_put(d, ", overhead_per_byte: %u ps", maybe(d, 0, 100));
    draw_put(d, ", gap: %u ns", maybe(d, 0, 300));
    draw_put(d, ", gap_per_byte: %u ps", maybe(d, 0, 200));
    PUT_NAME(d, ", eager: %s", "unlimited", "1 B", "500 B", "3000 B");
    PUT_NUMBER(d, ", request: %u B", 1, 200);
    draw_put(d, ", local_latency: %u ns", maybe(d, 0, 300));
    PUT_NAME(d, ", compute_scale: %s", "0", "1", "2.5");
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

/* When an entry that is not the first is there; exchanges and jobs begin once. */
static void put_times(draw *d, bool once)
{
    if (below(d, 2)) {
        PUT_NUMBER(d, ", start: %u ns", 0, 4999);
        draw_put(d, ", stop: %" PRIu64 " ns", 5000 + below(d, 2) * d->duration_ns);
    } else if (!once && below(d, 3) == 0) {
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
        bool job = i > 0 && !exchange && below(d, 3) == 0;
        d->jobs += job;
        if (exchange) {
            put_exchange(d);
        } else if (job) {
            put_job(d);
        } else {
            put_pattern(d, i == 0);
            put_arrival(d);
        }
        if (!exchange && below(d, 3) == 0)
            PUT_NUMBER(d, ", share: %u %%", 30, 100);
        if (!job)
            put_sizes(d);
        if (i > 0)
            put_times(d, exchange || job);
        if (below(d, 4) == 0)
            PUT_NUMBER(d, ", sl: %u", 0, 15);
        draw_put(d, "}\n");
    }
}
