/* What the network measures while it runs: plain counters, filled where packets are injected,
 * sent and delivered. stats/ turns them into results after the run. */
#ifndef COP_NET_PROBE_H
#define COP_NET_PROBE_H

#include "base/hist.h"
#include "base/mem.h"

typedef struct cop_stream_probe {
    uint64_t sent_bytes, delivered_bytes; /* payload, whole run */
    uint64_t bytes, packets; /* delivered after the warm-up */
    uint64_t latency_ps; /* sum over those packets, from generation */
    uint64_t fecns, becns; /* whole run: marked packets delivered, notifications heard */
} cop_stream_probe;

typedef struct cop_host_probe { /* payload after the warm-up */
    uint64_t sent_bytes, received_bytes;
} cop_host_probe;

typedef struct cop_port_probe { /* after the warm-up: busy time; queue depth at samples */
    cop_time busy_ps;
    uint64_t sent_before; /* bytes on the wire during the warm-up */
    uint64_t queue_sum;
    uint32_t queue_max;
    uint32_t samples;
    uint64_t marked; /* packets that got FECN here, whole run */
} cop_port_probe;

typedef struct cop_bin { /* one bin of the network-wide time series */
    uint64_t injected, delivered; /* packets */
    uint64_t latency_ps; /* sum over the delivered */
} cop_bin;

typedef struct cop_flow_probe { /* one (source, destination) pair, run.flows */
    uint64_t key; /* src << 32 | dst, plus 1; 0 = empty slot */
    uint64_t packets, bytes; /* delivered after the warm-up */
    uint32_t last_seq; /* of the last delivered packet */
    uint32_t misordered; /* packets that came after a later one */
} cop_flow_probe;

typedef struct cop_observation { /* one series of run.observe (observe.c) */
    const char *name, *unit; /* of the series */
    int kind; /* private to observe.c */
    uint32_t a, b; /* ports or hosts */
    uint32_t vl; /* COP_NONE: all lanes */
    uint8_t sl;
    unsigned which; /* of the congestion control's values */
    double *v; /* [n_bins] */
} cop_observation;

typedef struct cop_probe {
    cop_time warmup, sample, end;
    cop_time span; /* end - warmup */
    uint32_t n_bins, n_series;
    cop_stream_probe *stream;
    cop_host_probe *host;
    cop_port_probe *port;
    cop_bin *bin; /* [n_bins] */
    uint64_t *series; /* [n_series * n_bins] payload bytes delivered */
    uint32_t *series_of; /* [n_streams] row in `series` */
    double **received; /* [n_hosts] Gbit/s per bin (run.observe); NULL: of no host, of this host */
    cop_hist *latency, *transit;
    unsigned __int128 area; /* packets in the network x time, from the warm-up to the end */
    /* run.flows */
    cop_flow_probe *flow; /* open addressing, heap; NULL if off */
    size_t flow_mask, flow_n;
} cop_probe;

/* Does time t count in means, tables and histograms? */
static inline bool cop_probe_counts(const cop_probe *pr, cop_time t)
{
    return t - pr->warmup < pr->span;
}

/* Count a delivered pair; returns false if the packet overtook an earlier one of its flow. */
bool cop_probe_flow(cop_probe *pr, uint32_t src, uint32_t dst, uint32_t seq, uint32_t bytes,
                    bool count);
void cop_probe_fini(cop_probe *pr);

#endif
