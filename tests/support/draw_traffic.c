/* The traffic of a random scenario: entries with a pattern and arrivals, an exchange of messages
 * that wait for each other, or a job; sizes, times and service levels. The first entry is never an
 * exchange or a job and has no start or stop, so that there is traffic in all of the run.
 *
 * Patterns, arrivals, exchanges and distributions of sizes are drawn from the names of their options: a new one takes
 * part at once, alone, or with what a function here gives it. What the program refuses in the network of the scenario (bit
 * permutations are for some numbers of hosts only) is drawn again. */
#include <stdio.h>
#include <string.h>

#include "app/coll.h"
#include "draw_int.h"

static const char *const word_options[DRAW_WORDS] = {"pattern", "arrival", "exchange",
                                                     "size_distribution"};

static const char *const *names_of(const char *option)
{
    return cop_opt_find(cop_traffic_opts, option)->names;
}

const char *draw_word_option(unsigned option)
{
    return word_options[option];
}

const char *const *draw_words(unsigned option)
{
    return names_of(word_options[option]);
}

/* One of the names of an option that is not a mechanism of its own. */
static void put_choice(draw *d, const char *option)
{
    const char *const *names = names_of(option);
    draw_put(d, ", %s: %s", option, names[below(d, draw_count(names))]);
}

static const char *nowhere(const void *ctx, size_t entry, const char *option, char *buf,
                           size_t size)
{
    (void)ctx, (void)entry, (void)option;
    snprintf(buf, size, "draw.yaml");
    return buf;
}

/* Does the program take an entry with these options, and no others, in the network that was drawn? */
static bool accepted(const draw *d, const char *options)
{
    char text[DRAW_ROW];
    cop_config c;
    cop_topo t;
    cop_traffic tr;
    cop_err err = {0};
    snprintf(text, sizeof(text), "traffic: [{name: e%s}]\n", options);
    if (!draw_load(d, text, &c, &t, &err))
        return false;
    uint64_t *bps = cop_alloc_array(t.n_hosts, sizeof(*bps));
    for (uint32_t h = 0; h < t.n_hosts; h++)
        bps[h] = (uint64_t)d->link_gbps * 1000000000;
    cop_traffic_ctx ctx = {.seed = d->number,
                           .inject_bps = bps,
                           .mtu_bytes = d->mtu,
                           .duration_ps = d->duration_ns * COP_NS,
                           .where = nowhere};
    bool good = cop_traffic_build(&tr, &t, c.traffic, c.n_traffic, &ctx, &err) == 0;
    if (good)
        cop_traffic_free(&tr);
    cop_free(bps);
    cop_topo_free(&t);
    cop_config_free(&c);
    return good;
}

/* A name of one of these options, from number `first` on, and what `more` adds to it; again if the program refuses that,
 * at last nothing. Returns the name, or NULL. */
static const char *put_word(draw *d, unsigned option, uint32_t first,
                            void (*more)(draw *d, const char *name))
{
    const char *const *names = draw_words(option);
    size_t used = d->used;
    for (uint32_t turn = 0; turn < 20; turn++) {
        uint32_t i = between(d, first, draw_count(names) - 1);
        if (below(d, 8) == 0)
            i = first; /* more of the usual one */
        draw_put(d, ", %s: %s", word_options[option], names[i]);
        more(d, names[i]);
        if (accepted(d, d->text + used)) {
            d->words[option] |= UINT64_C(1) << i;
            return names[i];
        }
        d->used = used;
        d->text[used] = '\0';
    }
    return NULL;
}

static void put_list(draw *d, uint32_t to)
{
    draw_put(d, ", to_list: [%u, %u, %u]", to, (to + 1) % d->hosts, (to + 2) % d->hosts);
    put_choice(d, "to_order");
}

static void put_forest(draw *d)
{
    PUT_NUMBER(d, ", hotspots: %u", 1, 2);
    PUT_NUMBER(d, ", b_share: %u %%", 0, 99);
    PUT_NUMBER(d, ", lifetime: %u us", 0, 7);
    put_choice(d, "mix");
}

static void add_to_pattern(draw *d, const char *kind)
{
    uint32_t to = below(d, d->hosts);
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
    else if (strcmp(kind, "hot-region") == 0) {
        draw_put(d, ", region: 40 %%");
        put_choice(d, "region_place");
    } else if (strcmp(kind, "forest") == 0)
        put_forest(d);
}

static void put_pattern(draw *d, bool first)
{
    const char *kind = put_word(d, DRAW_PATTERN, 0, add_to_pattern);
    bool drawn = kind == NULL || strcmp(kind, "uniform") == 0 || strcmp(kind, "hotspot") == 0;
    d->random |= first && drawn; /* a later entry may not get a packet through in time */
}

static void add_to_arrival(draw *d, const char *kind)
{
    if (strcmp(kind, "saturated") == 0)
        return;
    PUT_NUMBER(d, ", load: %u %%", 1, 99);
    if (strcmp(kind, "constant") == 0) {
        put_choice(d, "phase");
    } else if (strcmp(kind, "bernoulli") == 0 && below(d, 2)) {
        PUT_NUMBER(d, ", slot: %u ps", 1, 80); /* shorter than the shortest message */
    } else if (strcmp(kind, "pulses") == 0) {
        PUT_NUMBER(d, ", high_time: %u ns", 100, 5000);
        PUT_NUMBER(d, ", low_time: %u ns", 100, 5000);
        put_choice(d, "pulse_arrival");
    } else if (strcmp(kind, "on-off") == 0) {
        PUT_NUMBER(d, ", on_mean: %u ns", 100, 5000);
        put_choice(d, "bursts");
        PUT_NUMBER(d, ", off_mean: %u ns", 100, 5000);
    }
    if (below(d, 4) == 0)
        PUT_NUMBER(d, ", patience: %u ns", 1, 5000);
}

/* Messages that wait for each other, among all or some of the hosts. */
static void add_to_exchange(draw *d, const char *kind)
{
    (void)kind;
    draw_put(d, ", think: %u ns", maybe(d, 0, 499));
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

static void add_to_sizes(draw *d, const char *kind)
{
    if (strcmp(kind, "fixed") == 0) {
        PUT_NUMBER(d, ", message: %u B", 1, 8000);
    } else if (strcmp(kind, "uniform") == 0) {
        PUT_NUMBER(d, ", size_min: %u B", 1, 100);
        PUT_NUMBER(d, ", size_max: %u B", 100, 5000);
    } else if (strcmp(kind, "bimodal") == 0) {
        PUT_NUMBER(d, ", size_small: 64 B, size_large: %u B", 1000, 9000);
    } else if (strcmp(kind, "list") == 0) {
        draw_put(d, ", weights: [3, 2, 1]");
        PUT_NUMBER(d, ", sizes: [%u", 1, 100);
        PUT_NUMBER(d, ", %u, 3000]", 100, 1000);
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
            put_word(d, DRAW_EXCHANGE, 1, add_to_exchange); /* the first one is `none` */
        } else if (job) {
            put_job(d);
        } else {
            put_pattern(d, i == 0);
            put_word(d, DRAW_ARRIVAL, 0, add_to_arrival);
        }
        if (!exchange && below(d, 3) == 0)
            PUT_NUMBER(d, ", share: %u %%", 30, 100);
        if (!job)
            put_word(d, DRAW_SIZE, 0, add_to_sizes);
        if (i > 0)
            put_times(d, exchange || job);
        if (below(d, 4) == 0)
            PUT_NUMBER(d, ", sl: %u", 0, 15);
        draw_put(d, "}\n");
    }
}
