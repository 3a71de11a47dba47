/* Role: how long messages are. Checks the options of the size distribution, beyond the ranges of
 * single values that traffic_opts.c states, and draws each message's payload; all sizes are whole
 * bytes.
 * Output: e->mean_q16, the mean size as bytes with 16 binary digits after the point: what the
 * arrival processes use to turn a rate into a time between messages. */
#include "traffic/traffic_priv.h"

static int check_list(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    const cop_ints *s = &cfg->sizes, *w = &cfg->weights;
    if (s->n == 0)
        return traffic_fault(b, "sizes",
                             "`size_distribution` list needs `sizes` in bytes; give them, such as "
                             "`sizes: [64, 4096]`");
    if (w->n != 0 && w->n != s->n) {
        return traffic_fault(
            b, "weights", "%zu `weights` for %zu `sizes`; give one for each, or none", w->n, s->n);
    }
    e->size = COP_NEW_ARRAY(&b->tr->arena, uint32_t, s->n);
    e->size_sum = COP_NEW_ARRAY(&b->tr->arena, uint32_t, s->n);
    uint64_t total = 0;
    traffic_u128 bytes = 0;
    for (size_t i = 0; i < s->n; i++) {
        int64_t weight = w->n > 0 ? w->v[i] : 1;
        if (total + (uint64_t)weight > UINT32_MAX)
            return traffic_fault(b, "weights",
                                 "`weights` must be below 2^32 in sum; make them smaller");
        total += (uint64_t)weight;
        bytes += (traffic_u128)(uint64_t)s->v[i] * (uint64_t)weight;
        e->size[i] = (uint32_t)s->v[i];
        e->size_sum[i] = (uint32_t)total;
    }
    if (total == 0)
        return traffic_fault(b, "weights", "all `weights` are 0; one at least must be positive");
    e->n_sizes = (uint32_t)s->n;
    e->mean_q16 = (uint64_t)((bytes << 16) / total);
    return 0;
}

int traffic_size_check(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    e->size_kind = cfg->size_kind;
    switch (cfg->size_kind) {
    case COP_SIZE_FIXED:
        e->size_min = (uint32_t)cfg->message_bytes;
        e->mean_q16 = cfg->message_bytes << 16;
        return 0;
    case COP_SIZE_UNIFORM:
        if (cfg->size_min_bytes > cfg->size_max_bytes) {
            return traffic_fault(b, "size_min",
                                 "`size_min` %" PRIu64 " B is above `size_max` %" PRIu64
                                 " B; exchange them",
                                 cfg->size_min_bytes, cfg->size_max_bytes);
        }
        e->size_min = (uint32_t)cfg->size_min_bytes;
        e->size_span = (uint32_t)(cfg->size_max_bytes - cfg->size_min_bytes) + 1;
        e->mean_q16 = (cfg->size_min_bytes + cfg->size_max_bytes) << 15;
        return 0;
    case COP_SIZE_BIMODAL:
        e->size_small = (uint32_t)cfg->size_small_bytes;
        e->size_large = (uint32_t)cfg->size_large_bytes;
        e->small_bits = traffic_share_bits(cfg->small_share);
        e->mean_q16 = (uint64_t)(((double)e->size_small * cfg->small_share +
                                  (double)e->size_large * (1.0 - cfg->small_share)) *
                                     65536.0 +
                                 0.5);
        return 0;
    default:
        return check_list(b, cfg, e);
    }
}

static uint32_t draw_list(const traffic_entry *e, uint32_t x)
{
    uint32_t low = 0, high = e->n_sizes - 1;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (x < e->size_sum[mid])
            high = mid;
        else
            low = mid + 1;
    }
    return e->size[low];
}

uint32_t traffic_size_draw(const traffic_entry *e, cop_stream *s)
{
    if (e->size_kind == COP_SIZE_FIXED)
        return e->size_min;
    cop_rng r = traffic_rng(e, s, COP_RNG_SIZE, s->rng_size++);
    switch (e->size_kind) {
    case COP_SIZE_UNIFORM:
        return e->size_min + cop_rng_below(&r, e->size_span);
    case COP_SIZE_BIMODAL:
        return traffic_share_hit(e->small_bits, cop_rng_u64(&r)) ? e->size_small : e->size_large;
    default:
        return draw_list(e, cop_rng_below(&r, e->size_sum[e->n_sizes - 1]));
    }
}

/* Shortest packet of messages of `bytes`: the last one, if they have several. */
static uint32_t last_packet(uint32_t bytes, uint32_t mtu)
{
    return bytes % mtu > 0 ? bytes % mtu : mtu;
}

uint32_t cop_traffic_most_packet(const cop_traffic *tr, uint32_t mtu)
{
    const traffic_model *m = tr->model;
    uint64_t most = 0;
    if (tr->app != NULL || tr->n_entries == 0)
        return mtu;
    for (uint32_t i = 0; i < tr->n_entries; i++) {
        const traffic_entry *e = &m->entry[i];
        bool known = e->size_kind == COP_SIZE_FIXED && e->exchange == NULL;
        most = cop_max64(most, known ? e->size_min : mtu);
    }
    return most < mtu ? (uint32_t)most : mtu;
}

uint32_t cop_traffic_least_packet(const cop_traffic *tr, uint32_t mtu)
{
    const traffic_model *m = tr->model;
    uint32_t least = mtu;
    if (tr->app != NULL || tr->n_entries == 0)
        return 1;
    for (uint32_t i = 0; i < tr->n_entries; i++) {
        const traffic_entry *e = &m->entry[i];
        if (e->size_kind != COP_SIZE_FIXED || e->exchange != NULL)
            return 1;
        uint32_t last = last_packet(e->size_min, mtu);
        least = last < least ? last : least;
    }
    return least;
}
