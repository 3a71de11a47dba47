/* What the parts of the flit-level reference share: buffers and links in flitref.c, switches in
 * flitref_switch.c, output buffers in flitref_output.c. Only these include it.
 *
 * One idea carries it: the stay, which is one packet in one input buffer. It begins when the
 * upstream link starts to send the packet, which takes credit for all of it, and ends when that
 * credit is back upstream. So credit is not counted but seen: buffer size minus the bytes of the
 * stays of that buffer and lane. A packet that cuts through has several stays at once. A packet in an
 * output buffer is a stay, too, from the start of its crossing until it has left on the link. */
#ifndef FLITREF_INT_H
#define FLITREF_INT_H

#include "base/mem.h"
#include "flitref.h"

typedef struct fr_stay {
    fr_packet *pkt;
    uint32_t in; /* port that owns the buffer */
    uint32_t out; /* port the packet leaves by; COP_NONE in its destination host */
    uint32_t flits; /* of the whole packet */
    uint32_t sent; /* flits put on the wire towards this buffer */
    uint32_t first; /* flits whose first bit is here */
    uint32_t whole; /* flits whose last bit is here */
    bool leaving; /* an output reads it, or has read it */
    cop_time t_head; /* first bit of the packet here */
    cop_time t_whole; /* output buffers: its last bit will be here */
    cop_time t_join; /* in its queue from then on; COP_NEVER: not known yet */
    cop_time t_left; /* last flit left; COP_NEVER: still here */
    cop_time t_flit[]; /* [flits] when each flit's transmission started */
} fr_stay;

typedef struct fr_port {
    fr_stay **stay; /* its input buffer, in order of arrival */
    size_t n_stays;
    fr_stay *from, *into; /* what its link sends: from NULL: a host's packet; into NULL: idle */
    cop_time t_flit_end;
    /* With output buffers: what it holds, in order; what crosses to it. */
    fr_stay **out_stay;
    size_t n_out_stays;
    fr_stay *cross_from, *cross_into;
    cop_time t_cross_end;
    uint32_t cross_lane; /* pointer of the crossbar's output */
    uint32_t next_lane, next_in[FR_MAX_LANES]; /* pointers of the output */
    uint32_t next_out; /* pointer of the input (iSLIP accept) */
    uint8_t *missed; /* [lane * ports + input] turns in a row that the input missed here */
    bool kept_idle; /* for an input that missed its turns, since the last packet */
    /* Hosts only. */
    size_t next_pkt; /* its packets before this one have been sent */
    fr_stay *serving; /* the packet it takes in, until t_served at least */
    cop_time t_served;
} fr_port;

typedef struct fr_run {
    cop_arena arena;
    const cop_topo *t;
    const fr_cfg *c;
    fr_packet *pkts;
    size_t n;
    fr_port *port; /* [n_ports] */
    cop_time now, t_progress;
    fr_counts *counts;
} fr_run;

/* Is there credit for all of the packet on the link of port `out`? */
bool fr_has_credit(const fr_run *r, uint32_t out, const fr_packet *pkt);

/* Start to send on the idle link of port `out`; `from` is the packet's stay here, NULL in its source. */
void fr_start_packet(fr_run *r, uint32_t out, fr_stay *from, fr_packet *pkt);

/* Output buffers: flits cross, packets that have left make room; is there room for all of the packet; a
 * packet starts to cross; the link of `out` starts a packet of the output buffer if it can. */
void fr_crossbar_ends(fr_run *r, uint32_t out);
void fr_output_frees(fr_run *r, uint32_t out);
bool fr_has_room(const fr_run *r, uint32_t out, const fr_packet *pkt);
void fr_cross_packet(fr_run *r, uint32_t out, fr_stay *from);
void fr_output_sends(fr_run *r, uint32_t out);

/* The starts of one tick at the outputs of a switch, by the two kinds of fr_read. */
void fr_switch_per_output(fr_run *r, uint32_t sw);
void fr_switch_per_input(fr_run *r, uint32_t sw);

#endif
