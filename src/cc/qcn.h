/* Quantized congestion notification (IEEE 802.1Qau), shared by its files.
 *
 *   qcn.c           options, the table
 *   qcn_point.c     congestion points: when a switch sends a notification, and its content
 *   qcn_reaction.c  reaction points: how a source slows down and recovers */
#ifndef COP_CC_QCN_H
#define COP_CC_QCN_H

#include "cc/cc_all.h"

enum qcn_sample { QCN_OUTPUT, QCN_INPUT };
enum qcn_ports { QCN_AUTO, QCN_TRANSIT, QCN_ALL };
enum qcn_limit { QCN_FLOW, QCN_HOST };
enum qcn_queue { QCN_OF_PORT, QCN_OF_CLASS };

typedef struct qcn_cfg {
    /* congestion point */
    int sample; /* enum qcn_sample */
    int ports; /* enum qcn_ports */
    int queue; /* enum qcn_queue: whose bytes and packets are counted */
    uint64_t qeq_bytes; /* 0: a fifth of the buffer */
    double w;
    int64_t every; /* packets (CPC) */
    uint64_t period_ps; /* instead of packets; 0: packets */
    double share; /* of congested samples that send a notification */
    int64_t host_every; /* the same two of ports that face a host; 0: as the others */
    double host_share;
    int regular; /* every n-th of them, not at random */
    double busy; /* share of the time since the last sample that the wire was busy, at least */
    /* reaction point */
    bool react;
    int limit; /* enum qcn_limit: to what a rate limit applies */
    double gd;
    uint64_t bytes_limit;
    uint64_t timer_ps;
    int64_t recovery; /* cycles of fast recovery */
    uint64_t ai_bps, hai_bps, min_bps;
} qcn_cfg;

typedef struct qcn_port { /* a congestion point: of an output, or of the input with its number */
    cop_time next; /* period: no sample before */
    uint32_t packets; /* since the last sample */
    uint32_t draws; /* random numbers used; also congested samples */
    uint64_t old; /* bytes, when the last notification was made */
    double due; /* regular: share of a notification that has built up */
} qcn_port;
_Static_assert(sizeof(qcn_port) == 32, "two points are a cache line");

typedef struct qcn_work { /* `busy`: activity of the port of a congestion point */
    cop_time at; /* last sample */
    uint64_t sent; /* bytes until then */
} qcn_work;

typedef struct qcn_net {
    uint64_t qeq;
    qcn_work *work; /* [congestion point]; NULL: `busy` is not set */
    bool *minimal; /* [port] the packet of data that left last was on its minimal path; NULL: not
                      needed */
    uint64_t samples, over, told; /* counters */
} qcn_net;

typedef struct qcn_flow { /* a reaction point */
    double rate, target; /* bytes per picosecond; rate 0: not limited */
    cop_time timer; /* end of this timer cycle */
    int64_t bytes_left; /* of this byte cycle */
    uint32_t byte_stage, time_stage; /* cycles since the last notification */
    uint32_t bytes; /* of the last packet */
    cop_time sent; /* when it started */
} qcn_flow;

#define QCN_FEEDBACK_MOST 63u

void qcn_on_enqueue(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p);
void qcn_on_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p);
/* Are ports that face a host sampled? */
static inline bool qcn_samples_hosts(const qcn_cfg *cfg)
{
    return cfg->ports == QCN_ALL || (cfg->ports == QCN_AUTO && cfg->react);
}
/* The 6 bits of feedback for a queue of q bytes that had `old` at its last notification; 0: no
 * congestion. */
uint32_t qcn_feedback(const qcn_cfg *cfg, uint64_t qeq, uint64_t q, uint64_t old);

cop_time qcn_next_send(struct cop_net *net, void *flow, cop_time now);
void qcn_on_send(struct cop_net *net, void *flow, const cop_pkt *p);
void qcn_on_control(struct cop_net *net, void *flow, const cop_pkt *p);

/* -- qcn_words.c -- */
void qcn_tell(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what, char *buf,
              size_t size);
bool qcn_rested(struct cop_net *net, char *buf, size_t size);

#endif
