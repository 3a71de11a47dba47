// Requests under way: a hash table from MPI's handle to the recorded operation.
//
// Rules: one handle may stand for several requests, because libraries answer sends that were done at once with one common
// request. Then the oldest is the one that ends.
#include "wrap.h"
#include <stdlib.h>
#include <string.h>

static struct {
    struct rec_request **slot; // heads of lists: the oldest of each handle
    size_t slots, used; // a power of two; entries
    struct rec_request *spare;
} table;

uint64_t rec_request_key(MPI_Request r)
{
    uint64_t key = 0;
    _Static_assert(sizeof r <= sizeof key, "a request is a pointer or an integer");
    memcpy(&key, &r, sizeof r);
    return key;
}

static size_t slot_of(uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (table.slots - 1);
}

static void insert(struct rec_request *r)
{
    struct rec_request **p = &table.slot[slot_of(r->key)];
    r->next = *p;
    *p = r;
}

static void grow(void)
{
    struct rec_request **old = table.slot;
    size_t n = table.slots;
    table.slots = n ? 2 * n : 1024;
    table.slot = rec_realloc(NULL, table.slots, sizeof *table.slot);
    memset(table.slot, 0, table.slots * sizeof *table.slot);
    for (size_t i = 0; i < n; i++)
        for (struct rec_request *r = old[i], *next; r; r = next) {
            next = r->next;
            insert(r);
        }
    free(old);
}

struct rec_request *rec_request_add(MPI_Request request, struct rec_comm *c)
{
    if (table.used == table.slots)
        grow();
    struct rec_request *r = table.spare;
    if (r)
        table.spare = r->next;
    else
        r = rec_realloc(NULL, 1, sizeof *r);
    memset(r, 0, sizeof *r);
    r->key = rec_request_key(request);
    r->active = true;
    r->comm = c;
    if (c)
        c->refs++;
    table.used++;
    struct rec_request *oldest = rec_request_find(r->key);
    if (oldest) {
        oldest->youngest->younger = r;
        oldest->youngest = r;
    } else {
        r->youngest = r;
        insert(r);
    }
    return r;
}

struct rec_request *rec_request_find(uint64_t key)
{
    if (!table.used)
        return NULL;
    struct rec_request *r = table.slot[slot_of(key)];
    while (r && r->key != key)
        r = r->next;
    return r;
}

void rec_request_remove(struct rec_request *r)
{
    struct rec_request **p = &table.slot[slot_of(r->key)];
    while (*p != r)
        p = &(*p)->next;
    if (r->younger) {
        r->younger->youngest = r->youngest;
        r->younger->next = r->next;
        *p = r->younger;
    } else {
        *p = r->next;
    }
    rec_comm_release(r->comm);
    r->next = table.spare;
    table.spare = r;
    table.used--;
}

void rec_request_each(void (*visit)(struct rec_request *))
{
    for (size_t i = 0; i < table.slots; i++)
        for (struct rec_request *r = table.slot[i]; r; r = r->next)
            for (struct rec_request *same = r; same; same = same->younger)
                visit(same);
}

bool rec_requests_none(void)
{
    return !table.used;
}
