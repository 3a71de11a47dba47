/* Role: node classes and moving hotspots of a forest of congestion trees.
 * Source: Gran et al., "Exploring the Scope of the InfiniBand Congestion Control Mechanism", IPDPS
 *   2012: V, C and B nodes; silent, windy and moving trees.
 * Inputs: b_share of the sources are B nodes; of the others v_share are V and the rest C nodes, all
 *   at random places. B and C nodes are dealt out to `hotspots` subsets, each class equally to +-1.
 *   Every `lifetime` from the entry's start on, all subsets get new hotspots at the same instant:
 *   distinct hosts out of all, whatever their class.
 *   The parts of a B node come message by message at random (mix: drawn, see arrival.c) or evenly.
 * Outputs: role and subset of each source, the hotspots of every slot of the run, and for each
 *   contributor the slots in which it is its own hotspot. It generates no hotspot traffic then.
 * Simplification: the table of hotspots is made beforehand, up to the end of the run. After that
 * the last slot goes on. */
#include "traffic/traffic_priv.h"

#include <string.h>

#define MAX_TABLE ((uint64_t)1 << 22)

uint32_t traffic_forest_slot(const traffic_forest *f, cop_time t)
{
    if (f->n_slots == 1 || t < f->t0)
        return 0;
    return (uint32_t)cop_min64((t - f->t0) / f->lifetime, f->n_slots - 1);
}

static void deal_roles(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    traffic_forest *f = &e->forest;
    uint32_t n_b = traffic_share_of(cfg->b_share, e->n_src);
    uint32_t n_v = traffic_share_of(cfg->v_share, e->n_src - n_b);
    uint32_t *order = cop_alloc_array(e->n_src, sizeof(*order));
    cop_rng r = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_ROLES);
    cop_rng_permutation(&r, order, e->n_src);
    memset(f->subset, 0xff, e->n_hosts * sizeof(*f->subset));
    /* C follows B without a break, so that subsets are equal to +-1 in each class and in all. */
    for (uint32_t i = 0; i < e->n_src; i++) {
        uint32_t h = e->src[order[i]];
        bool is_b = i < n_b, is_v = i >= e->n_src - n_v;
        f->role[h] = is_b ? COP_ROLE_B : is_v ? COP_ROLE_V : COP_ROLE_C;
        if (!is_v)
            f->subset[h] = i % f->n_hot;
        b->tr->role[h] = f->role[h];
    }
    cop_free(order);
}

static void draw_hotspots(const traffic_entry *e, traffic_forest *f)
{
    cop_rng r = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_HOTSPOTS);
    uint32_t *slot_of =
        cop_alloc_array(e->n_hosts, sizeof(*slot_of)); /* last slot + 1 as a hotspot */
    for (uint32_t slot = 0; slot < f->n_slots; slot++) {
        for (uint32_t k = 0; k < f->n_hot; k++) {
            uint32_t h = cop_rng_below(&r, e->n_hosts);
            while (slot_of[h] == slot + 1)
                h = cop_rng_below(&r, e->n_hosts);
            slot_of[h] = slot + 1;
            f->hot[(size_t)slot * f->n_hot + k] = h;
        }
    }
    cop_free(slot_of);
}

/* Contributors that are their own hotspot: count, then fill. */
static void find_own_slots(traffic_build *b, const traffic_entry *e, traffic_forest *f)
{
    size_t n = (size_t)f->n_slots * f->n_hot;
    uint32_t *first = COP_NEW_ARRAY(&b->tr->arena, uint32_t, e->n_hosts + 1);
    for (size_t i = 0; i < n; i++) {
        if (f->subset[f->hot[i]] == i % f->n_hot)
            first[f->hot[i] + 1]++;
    }
    for (uint32_t h = 0; h < e->n_hosts; h++)
        first[h + 1] += first[h];
    uint32_t *slots = COP_NEW_ARRAY(&b->tr->arena, uint32_t, first[e->n_hosts]);
    uint32_t *next = cop_alloc_array(e->n_hosts, sizeof(*next));
    memcpy(next, first, e->n_hosts * sizeof(*next));
    for (size_t i = 0; i < n; i++) {
        if (f->subset[f->hot[i]] == i % f->n_hot)
            slots[next[f->hot[i]]++] = (uint32_t)(i / f->n_hot);
    }
    cop_free(next);
    f->own_slot0 = first;
    f->own_slot = slots;
}

int traffic_forest_build(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    traffic_forest *f = &e->forest;
    if (cfg->hotspots > (int64_t)e->n_hosts) {
        return traffic_fault(
            b, "hotspots", "%" PRId64 " `hotspots` do not fit into %u hosts; give at most as many",
            cfg->hotspots, e->n_hosts);
    }
    f->t0 = cfg->start_ps;
    f->t_end = cop_min64(cfg->stop_ps, b->ctx->duration_ps);
    f->lifetime = cfg->lifetime_ps;
    f->n_hot = (uint32_t)cfg->hotspots;
    uint64_t slots = 1;
    if (f->lifetime > 0 && f->t_end > f->t0)
        slots = (f->t_end - f->t0 - 1) / f->lifetime + 1;
    if (slots > MAX_TABLE / f->n_hot) {
        return traffic_fault(b, "lifetime",
                             "hotspots move %" PRIu64 " times in the run; choose a `lifetime` with "
                             "at most %" PRIu64 " moves",
                             slots - 1, MAX_TABLE / f->n_hot - 1);
    }
    f->n_slots = (uint32_t)slots;
    f->hot = COP_NEW_ARRAY(&b->tr->arena, uint32_t, cop_product(slots, f->n_hot));
    f->subset = COP_NEW_ARRAY(&b->tr->arena, uint32_t, e->n_hosts);
    f->role = COP_NEW_ARRAY(&b->tr->arena, uint8_t, e->n_hosts);
    b->tr->n_hotspots += f->n_hot;
    deal_roles(b, cfg, e);
    draw_hotspots(e, f);
    find_own_slots(b, e, f);
    return 0;
}

uint32_t cop_traffic_hotspots(const cop_traffic *tr, cop_time t, uint32_t *list)
{
    const traffic_model *m = tr->model;
    uint32_t n = 0;
    for (uint32_t i = 0; i < tr->n_entries; i++) {
        const traffic_forest *f = &m->entry[i].forest;
        if (f->n_hot == 0 || t < f->t0 || t >= f->t_end)
            continue;
        size_t slot = traffic_forest_slot(f, t);
        memcpy(list + n, f->hot + slot * f->n_hot, f->n_hot * sizeof(*list));
        n += f->n_hot;
    }
    return n;
}
