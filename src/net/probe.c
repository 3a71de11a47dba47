/* The per-(source, destination) table of a run with run.flows: open addressing, doubling. */
#include "net/probe.h"

static size_t slot_of(const cop_flow_probe *v, size_t mask, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    size_t i = (size_t)(h >> 20) & mask;
    while (v[i].key != 0 && v[i].key != key)
        i = (i + 1) & mask;
    return i;
}

static void grow(cop_probe *pr)
{
    size_t mask = pr->flow_mask * 2 + 1;
    cop_flow_probe *bigger = cop_alloc_array(mask + 1, sizeof(*bigger));
    for (size_t i = 0; i <= pr->flow_mask; i++)
        if (pr->flow[i].key != 0)
            bigger[slot_of(bigger, mask, pr->flow[i].key)] = pr->flow[i];
    cop_free(pr->flow);
    pr->flow = bigger;
    pr->flow_mask = mask;
}

bool cop_probe_flow(cop_probe *pr, uint32_t src, uint32_t dst, uint32_t seq, uint32_t bytes,
                    bool count)
{
    if (pr->flow_n * 2 > pr->flow_mask)
        grow(pr);
    uint64_t key = ((uint64_t)src << 32 | dst) + 1;
    cop_flow_probe *f = &pr->flow[slot_of(pr->flow, pr->flow_mask, key)];
    bool first = f->key == 0, in_order = first || seq > f->last_seq;
    if (first) {
        f->key = key;
        pr->flow_n++;
    }
    if (in_order)
        f->last_seq = seq;
    else
        f->misordered++;
    if (count) {
        f->packets++;
        f->bytes += bytes;
    }
    return in_order;
}

void cop_probe_fini(cop_probe *pr)
{
    cop_free(pr->flow);
    pr->flow = NULL;
}
