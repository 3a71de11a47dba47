/* Small messages that travel along a link and arrive in order: a box at the receiving port. */
#ifndef COP_NET_MAIL_H
#define COP_NET_MAIL_H

#include "base/mem.h"

typedef struct cop_mail_item {
    cop_time t; /* of arrival; never before the one that was put in earlier */
    uint64_t body;
} cop_mail_item;

typedef struct cop_mail {
    cop_mail_item *v; /* oldest first; heap */
    size_t cap;
    uint32_t at, n;
} cop_mail;

/* True if it is the only one in flight: the caller must push an event for time t. */
static inline bool cop_mail_put(cop_mail *m, cop_time t, uint64_t body)
{
    if (m->at > 0 && m->at == m->n)
        m->at = m->n = 0;
    m->v = cop_grow(m->v, &m->cap, m->n + 1u, sizeof(cop_mail_item));
    m->v[m->n++] = (cop_mail_item){.t = t, .body = body};
    return m->n - m->at == 1;
}

/* The next message that has arrived, if there is one. */
static inline bool cop_mail_take(cop_mail *m, cop_time now, uint64_t *body)
{
    if (m->at == m->n || m->v[m->at].t > now)
        return false;
    *body = m->v[m->at++].body;
    return true;
}

/* When the next one arrives; COP_NEVER: none is in flight. */
static inline cop_time cop_mail_next(const cop_mail *m)
{
    return m->at < m->n ? m->v[m->at].t : COP_NEVER;
}

#endif
