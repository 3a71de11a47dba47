/* Messages and receives find each other.
 *
 * Rules    a message takes the receive that was posted first among those that fit, a receive the message
 *          that came first among those that fit. A receive fits if sender and tag are equal or `any`.
 * State    exact receives and unmatched messages, in lists by (receiver, sender, tag), whose number
 *          each operation has; a list has receives or messages, never both. A rank's receives with
 *          `any` are in one list in the order of posting, its messages in another one in the order
 *          of arrival: only receives with `any` need a linear search. */
#include "app/run.h"

#include <string.h>

void cop_match_init(cop_job *j)
{
    j->posted = cop_alloc_array(j->graph.n_keys, sizeof(*j->posted));
    j->pair = cop_alloc_array(j->graph.n_pairs, sizeof(*j->pair));
    for (uint32_t k = 0; k < j->graph.n_keys; k++)
        j->posted[k].head = COP_NONE;
    for (uint32_t p = 0; p < j->graph.n_pairs; p++)
        j->pair[p].early = COP_NONE;
}

/* The list of messages like this one. */
static cop_posted *list_of(const cop_job *j, const cop_letter *m)
{
    return &j->posted[j->graph.op[m->op].key];
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

uint32_t cop_match_receive(cop_app *a, uint32_t rank, uint32_t l)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    const cop_letter *m = &a->letter[l];
    cop_posted *p = list_of(j, m);
    uint32_t exact = p->letters ? COP_NONE : p->head, before = COP_NONE;
    uint32_t wild = r->wild > 0 ? find_wild(a, rank, m->from, m->tag, &before) : COP_NONE;
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
    return exact;
}

void cop_match_keep_receive(cop_app *a, uint32_t rank, uint32_t op)
{
    cop_rank *r = &a->rank[rank];
    cop_job *j = &a->job[r->job];
    const cop_op *o = &j->graph.op[op];
    uint32_t *head = &r->wild_head, *tail = &r->wild_tail;
    if (o->key != COP_NONE) {
        cop_posted *p = &j->posted[o->key];
        COP_ASSERT(p->head == COP_NONE || !p->letters);
        p->letters = false;
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
    cop_posted *p = list_of(&a->job[r->job], m);
    COP_ASSERT(p->head == COP_NONE || p->letters);
    p->letters = true;
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
    cop_posted *p = list_of(&a->job[r->job], m);
    COP_ASSERT(p->letters && p->head == l);
    p->head = m->next_same;
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
    if (op->key != COP_NONE) {
        const cop_posted *p = &j->posted[op->key];
        l = p->letters ? p->head : COP_NONE;
    } else {
        for (l = a->rank[rank].early_head; l != COP_NONE; l = a->letter[l].next)
            if (fits(op, a->letter[l].from - j->rank0, a->letter[l].tag))
                break;
    }
    if (l != COP_NONE)
        take_letter(a, rank, l);
    return l;
}
