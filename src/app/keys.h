/* Numbers for (receiver, sender, tag): each that occurs gets the next one. Private to the checks of graphs. */
#ifndef COP_APP_KEYS_H
#define COP_APP_KEYS_H

#include "app/graph.h"

typedef struct cop_key {
    uint32_t to, from, tag;
} cop_key;

typedef struct cop_keys {
    cop_key *key; /* [n] heap */
    size_t n, cap;
    uint32_t *slot; /* hash of numbers, COP_NONE: free; heap */
    uint64_t mask;
} cop_keys;

static inline uint64_t cop_key_home(uint32_t to, uint32_t from, uint32_t tag)
{
    uint64_t key = ((uint64_t)to << 32 | from) * 0x9E3779B97F4A7C15u;
    return (key ^ (uint64_t)tag * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u >> 24;
}

static inline uint64_t cop_keys_slot(const cop_keys *k, uint32_t to, uint32_t from, uint32_t tag)
{
    uint64_t i = cop_key_home(to, from, tag) & k->mask;
    for (; k->slot[i] != COP_NONE; i = (i + 1) & k->mask) {
        const cop_key *at = &k->key[k->slot[i]];
        if (at->to == to && at->from == from && at->tag == tag)
            break;
    }
    return i;
}

/* COP_NONE: there is none. */
static inline uint32_t cop_keys_find(const cop_keys *k, uint32_t to, uint32_t from, uint32_t tag)
{
    return k->slot == NULL ? COP_NONE : k->slot[cop_keys_slot(k, to, from, tag)];
}

static inline void cop_keys_grow(cop_keys *k)
{
    uint64_t slots = k->slot == NULL ? 1024 : 2 * (k->mask + 1);
    cop_free(k->slot);
    k->slot = cop_alloc_array(slots, sizeof(*k->slot));
    k->mask = slots - 1;
    for (uint64_t i = 0; i < slots; i++)
        k->slot[i] = COP_NONE;
    for (uint32_t i = 0; i < k->n; i++)
        k->slot[cop_keys_slot(k, k->key[i].to, k->key[i].from, k->key[i].tag)] = i;
}

/* Its number; a new one if it is new. */
static inline uint32_t cop_keys_add(cop_keys *k, uint32_t to, uint32_t from, uint32_t tag)
{
    if (k->slot == NULL || 2 * (k->n + 1) > k->mask)
        cop_keys_grow(k);
    uint64_t i = cop_keys_slot(k, to, from, tag);
    if (k->slot[i] == COP_NONE) {
        k->key = cop_grow(k->key, &k->cap, k->n + 1, sizeof(*k->key));
        k->key[k->n] = (cop_key){to, from, tag};
        k->slot[i] = (uint32_t)k->n++;
    }
    return k->slot[i];
}

static inline void cop_keys_free(cop_keys *k)
{
    cop_free(k->key);
    cop_free(k->slot);
    *k = (cop_keys){0};
}

#endif
