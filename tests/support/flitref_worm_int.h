/* What the files of the flit-level reference of wormhole switching share; the rules are in flitref_worm.h.
 *
 * One idea: the place, a flit in a buffer. It begins when the flit is started on the link before, and
 * ends when its credit is back there. Credit is not counted but seen. */
#ifndef FLITREF_WORM_INT_H
#define FLITREF_WORM_INT_H

#include "flitref_worm.h"

#include "base/mem.h"

typedef struct frw_place {
    uint32_t pkt, flit;
    cop_time t_head, t_tail; /* first and last bit are here */
    cop_time t_left; /* last bit has left; COP_NEVER: not known */
    bool started; /* on its way out */
    cop_time t_asked; /* of a head: its request is known from then on */
    bool late; /* and it had to wait for that after it was routed */
    bool routed; /* of a head: it counts for its first way */
    bool placed; /* of a head: it has a lane, and asks for none */
    unsigned n_ways;
    frw_way way[FRW_MAX_WAYS];
} frw_place;

typedef struct frw_buffer { /* of one lane of an input, in order of arrival */
    frw_place *place;
    uint32_t n;
} frw_buffer;

typedef struct frw_port {
    cop_time busy_until;
    uint32_t next_lane, next_in[FR_MAX_LANES];
    uint32_t owner[FR_MAX_LANES]; /* packet that the lane belongs to, or COP_NONE */
    cop_time first[FR_MAX_LANES]; /* whose first flit may go from then on */
    uint32_t
        from[FR_MAX_LANES]; /* input port that this packet comes from; hosts: flits sent so far */
    /* hosts */
    size_t next_pkt; /* not yet taken */
    uint32_t *queue[FR_MAX_LANES], at[FR_MAX_LANES], end[FR_MAX_LANES]; /* taken, by lane */
    cop_time served; /* the sink has taken in all until then */
    /* outputs of switches */
    uint64_t waiting; /* bytes of packets whose first way leads here */
} frw_port;

typedef struct frw_run {
    cop_arena arena;
    const cop_topo *t;
    const frw_cfg *c;
    fr_packet *pkts;
    size_t n;
    frw_port *port;
    frw_buffer *buffer; /* [n_ports * lanes] */
    cop_time now, t_progress;
    uint64_t places; /* in use */
    uint32_t *seq; /* [n] of a packet among those of its host */
    uint32_t *sent; /* [n_hosts] packets that a host has begun */
    fr_counts *counts;
} frw_run;

static inline frw_buffer *frw_buffer_of(const frw_run *r, uint32_t in, uint32_t lane)
{
    return &r->buffer[in * r->c->lanes + lane];
}

static inline uint32_t frw_flits_of(const frw_run *r, uint32_t pkt)
{
    return (r->pkts[pkt].bytes + r->c->flit_bytes - 1) / r->c->flit_bytes;
}

static inline uint32_t frw_bytes_of(const frw_run *r, uint32_t pkt, uint32_t flit)
{
    uint32_t left = r->pkts[pkt].bytes - flit * r->c->flit_bytes;
    return left < r->c->flit_bytes ? left : r->c->flit_bytes;
}

static inline cop_time frw_time_of(const frw_run *r, cop_time flit_ps, uint32_t bytes)
{
    cop_time t = flit_ps * bytes / r->c->flit_bytes;
    COP_CHECK(t % r->c->tick_ps == 0 && t * r->c->flit_bytes == flit_ps * bytes);
    return t;
}

static inline bool frw_is_host(const frw_run *r, uint32_t p)
{
    return cop_topo_is_host_port(r->t, p);
}

static inline uint32_t frw_size_of(const frw_run *r, uint32_t in)
{
    return frw_is_host(r, in) ? r->c->sink_places : r->c->places;
}

static inline bool frw_has_credit(const frw_run *r, uint32_t out, uint32_t lane)
{
    uint32_t in = r->t->port[out].to;
    return frw_buffer_of(r, in, lane)->n < frw_size_of(r, in);
}

static inline bool frw_has_room(const frw_run *r, uint32_t out, uint32_t lane)
{
    const frw_buffer *b = frw_buffer_of(r, r->t->port[out].to, lane);
    return r->c->whole ? b->n == 0 : frw_has_credit(r, out, lane);
}

/* Start a flit on the link of `out`; `f` is its place in the buffer before, NULL at its source. */
void frw_start(frw_run *r, uint32_t out, uint32_t lane, uint32_t pkt, uint32_t flit, frw_place *f);
/* Heads at the inputs of all switches are routed and ask. */
void frw_heads(frw_run *r);
void frw_output_sends(frw_run *r, uint32_t sw, uint32_t out);

#endif
