/* Messages and receives find each other.
 *
 * Rules    a message takes the receive that was posted first among those that fit, a receive the message
 *          that came first among those that fit. A receive fits if sender and tag are equal or `any`.
 * State    exact receives, and messages that nobody has taken, in lists by (rank, sender, tag), found by a
 *          hash; a key has receives or messages, never both. A rank's receives with `any` stand in one list
 *          in the order of posting, its messages in another one in the order of arrival: only receives with
 *          `any` are searched for, and search, one by one. */
#include "app/run.h"

#include <string.h>

#define FIRST_SLOTS 1024u

static size_t home_of(const cop_app *a, uint32_t rank, uint32_t from, uint32_t tag)
{
    uint64_t key = ((uint64_t)rank << 32 | from) * 0x9E3779B97F4A7C15u;
    key = (key ^ (uint64_t)tag * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u;
    return (size_t)(key >> 24) & a->posted_mask;
}

static size_t slot_of(const cop_app *a, uint32_t rank, uint32_t from, uint32_t tag)
{
    size_t i = home_of(a, rank, from, tag);
    while (a->posted[i].used &&
           (a->posted[i].rank != rank || a->posted[i].from != from || a->posted[i].tag != tag))
        i = (i + 1) & a->posted_mask;
    return i;
}

void cop_match_init(cop_app *a)
{
    a->posted = cop_alloc_array(FIRST_SLOTS, sizeof(*a->posted));
    a->posted_mask = FIRST_SLOTS - 1;
}

static void grow(cop_app *a)
{
    cop_posted *old = a->posted;
    size_t n = a->posted_mask + 1;
    a->posted = cop_alloc_array(2 * n, sizeof(*a->posted));
    a->posted_mask = 2 * n - 1;
    for (size_t i = 0; i < n; i++)
        if (old[i].used)
            a->posted[slot_of(a, old[i].rank, old[i].from, old[i].tag)] = old[i];
    cop_free(old);
}

/* The list of a key, made if it is not there. */
static cop_posted *list_for(cop_app *a, uint32_t rank, uint32_t from, uint32_t tag, bool letters)
{
    if (2 * (a->posted_n + 1) > a->posted_mask)
        grow(a);
    cop_posted *p = &a->posted[slot_of(a, rank, from, tag)];
    if (!p->used) {
        *p = (cop_posted){rank, from, tag, COP_NONE, COP_NONE, true, letters};
        a->posted_n++;
    }
    COP_ASSERT(p->letters == letters);
    return p;
}

/* The list is empty: free its slot, and move up what stands behind. */
static void drop(cop_app *a, size_t hole)
{
    a->posted_n--;
    for (size_t i = (hole + 1) & a->posted_mask; a->posted[i].used; i = (i + 1) & a->posted_mask) {
        const cop_posted *p = &a->posted[i];
        size_t home = home_of(a, p->rank, p->from, p->tag);
        if (((i - home) & a->posted_mask) >= ((i - hole) & a->posted_mask)) {
            a->posted[hole] = *p;
            hole = i;
        }
    }
    a->posted[hole].used = false;
}

/* -- receives -- */

static bool fits(const cop_op *op, uint32_t from, uint32_t tag)
{
    return (op->peer == COP_ANY || op->peer == from) && (op->tag == COP_ANY || op->tag == tag);
}

/* The first receive with `any` that fits; *before: the one in front of it. */
static uint32_t find_wild(const cop_app *a, uint32_t rank, uint32_t from, uint32_t tag,
                          uint32_t *before)
{
    const cop_job *j = cop_job_of(a, rank);
    *before = COP_NONE;
    for (uint32_t op = a->rank[rank].wild_head; op != COP_NONE; op = j->state[op].need) {
        if (fits(&j->graph.op[op], from - j->rank0, tag))
            return op;
        *before = op;
    }
    return COP_NONE;
}

/* Posted earlier; at the same instant: given earlier. */
static bool earlier(const cop_job *j, uint32_t x, uint32_t y)
{
    cop_time tx = j->state[x].start, ty = j->state[y].start;
    return tx != ty ? tx < ty : x < y;
}

uint32_t cop_match_receive(cop_app *a, uint32_t rank, uint32_t from, uint32_t tag)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    size_t i = slot_of(a, rank, from, tag);
    cop_posted *p = &a->posted[i];
    uint32_t exact = p->used && !p->letters ? p->head : COP_NONE, before = COP_NONE;
    uint32_t wild = r->wild > 0 ? find_wild(a, rank, from, tag, &before) : COP_NONE;
    if (wild != COP_NONE && (exact == COP_NONE || earlier(j, wild, exact))) {
        uint32_t next = j->state[wild].need;
        if (before == COP_NONE)
            r->wild_head = next;
        else
            j->state[before].need = next;
        if (r->wild_tail == wild)
            r->wild_tail = before;
        r->wild--;
        return wild;
    }
    if (exact == COP_NONE)
        return COP_NONE;
    p->head = j->state[exact].need;
    if (p->head == COP_NONE)
        drop(a, i);
    return exact;
}

void cop_match_keep_receive(cop_app *a, uint32_t rank, uint32_t op)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    const cop_op *o = &j->graph.op[op];
    uint32_t *head = &r->wild_head, *tail = &r->wild_tail;
    if (o->peer != COP_ANY && o->tag != COP_ANY) {
        cop_posted *p = list_for(a, rank, j->rank0 + o->peer, o->tag, false);
        head = &p->head;
        tail = &p->tail;
    } else {
        r->wild++;
    }
    j->state[op].need = COP_NONE;
    if (*head == COP_NONE)
        *head = op;
    else
        j->state[*tail].need = op;
    *tail = op;
}

/* -- messages -- */

void cop_match_keep_letter(cop_app *a, uint32_t rank, uint32_t l)
{
    cop_rank *r = &a->rank[rank];
    cop_letter *m = &a->letter[l];
    cop_posted *p = list_for(a, rank, m->from, m->tag, true);
    m->next_same = m->next = COP_NONE;
    m->prev_early = r->early_tail;
    if (p->head == COP_NONE)
        p->head = l;
    else
        a->letter[p->tail].next_same = l;
    p->tail = l;
    if (r->early_head == COP_NONE)
        r->early_head = l;
    else
        a->letter[r->early_tail].next = l;
    r->early_tail = l;
}

/* The first message of its key leaves both lists. */
static void take_letter(cop_app *a, uint32_t rank, uint32_t l)
{
    cop_rank *r = &a->rank[rank];
    const cop_letter *m = &a->letter[l];
    size_t i = slot_of(a, rank, m->from, m->tag);
    COP_ASSERT(a->posted[i].used && a->posted[i].head == l);
    a->posted[i].head = m->next_same;
    if (m->next_same == COP_NONE)
        drop(a, i);
    if (m->prev_early == COP_NONE)
        r->early_head = m->next;
    else
        a->letter[m->prev_early].next = m->next;
    if (m->next == COP_NONE)
        r->early_tail = m->prev_early;
    else
        a->letter[m->next].prev_early = m->prev_early;
}

uint32_t cop_match_letter(cop_app *a, uint32_t rank, const cop_op *op)
{
    const cop_job *j = cop_job_of(a, rank);
    uint32_t l = COP_NONE;
    if (op->peer != COP_ANY && op->tag != COP_ANY) {
        const cop_posted *p = &a->posted[slot_of(a, rank, j->rank0 + op->peer, op->tag)];
        l = p->used && p->letters ? p->head : COP_NONE;
    } else {
        for (l = a->rank[rank].early_head; l != COP_NONE; l = a->letter[l].next)
            if (fits(op, a->letter[l].from - j->rank0, a->letter[l].tag))
                break;
    }
    if (l != COP_NONE)
        take_letter(a, rank, l);
    return l;
}
