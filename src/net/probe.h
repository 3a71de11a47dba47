/* What the network measures while it runs: plain counters, filled where packets are injected,
 * sent and delivered. stats/ turns them into results after the run.
 *
 * Bytes belong to the time in which they are sent or taken in, evenly from a packet's first to its
 * last one. A packet that lies across the end of a bin, or of the measured time, counts there with
 * the part inside, so that no rate of any window is above that of the link. The last bin ends with
 * the measured time, and is shorter where that is no multiple of `sample`. Packets and latencies
 * belong to the instant of delivery. */
#ifndef COP_NET_PROBE_H
#define COP_NET_PROBE_H

#include "base/hist.h"
#include "base/mem.h"

typedef struct cop_stream_probe {
    uint64_t sent_bytes, delivered_bytes; /* payload, whole run */
    uint64_t bytes; /* taken in after the warm-up */
    uint64_t packets; /* delivered after the warm-up */
    uint64_t latency_ps; /* sum over those packets, from generation */
    uint64_t fecns, becns; /* whole run: marked packets delivered, notifications received */
} cop_stream_probe;

typedef struct cop_host_probe { /* payload after the warm-up */
    uint64_t sent_bytes, received_bytes;
} cop_host_probe;

typedef struct cop_port_probe { /* after the warm-up: busy time; queue depth at samples */
    cop_time busy_ps;
    uint64_t sent_before; /* bytes on the wire during the warm-up */
    uint64_t queue_sum;
    uint64_t queue_max;
    uint64_t samples;
    uint64_t marked; /* packets that got FECN here, whole run */
    uint64_t told; /* notifications that its switch made about it, whole run */
} cop_port_probe;

typedef struct cop_bin { /* one bin of the network-wide time series */
    uint64_t injected, delivered; /* packets */
    uint64_t latency_ps; /* sum over the delivered */
} cop_bin;

typedef struct cop_birth { /* one bin of the series by time of origin, run.births */
    uint64_t packets, misrouted; /* delivered; of these, by a non-minimal path */
    uint64_t latency_ps;
} cop_birth;

/* One pair: (source, destination) of run.flows, or (port, addressed host) of run.observe
 * notices/all, which only counts. */
typedef struct cop_flow_probe {
    uint64_t key; /* first << 32 | second, plus 1; 0 = empty slot */
    uint64_t packets, bytes; /* delivered, taken in after the warm-up; notices: made, whole run */
    uint32_t last_seq; /* of the last delivered packet */
    uint32_t misordered; /* packets that came after a later one */
} cop_flow_probe;

typedef struct cop_pairs { /* open addressing, heap */
    cop_flow_probe *v; /* NULL if off */
    size_t mask, n;
} cop_pairs;

typedef struct cop_observation { /* one series of run.observe (observe.c) */
    const char *name, *unit; /* of the series */
    int kind; /* private to observe.c */
    uint32_t a, b; /* ports or hosts */
    uint32_t vl; /* COP_NONE: all lanes */
    uint8_t sl;
    unsigned which; /* index into the values of the congestion control */
    uint64_t seen; /* a counter's value at the end of the last bin */
    double *v; /* [n_bins] */
} cop_observation;

typedef struct cop_probe {
    cop_time warmup, sample, end;
    /* A packet that starts less than `sure_sent` after the warm-up has left its host before the
     * end; one that is done at most `sure_span` after `sure_from` was taken in all after the
     * warm-up, and before the end. Most packets are such, and need no exact computation. */
    cop_time sure_sent, sure_from, sure_span;
    uint32_t n_bins, n_series;
    uint32_t n_whole; /* bins of full length, or 0 if hosts are observed: deliveries in others are
                         computed exactly */
    uint32_t n_observed; /* bins that have their values of run.observe */
    cop_time counted; /* when the run is over: no bin contains bytes of later times */
    cop_stream_probe *stream;
    cop_host_probe *host;
    cop_port_probe *port;
    cop_bin *bin; /* [n_bins] */
    bool ways; /* births, or the routing has non-minimal paths: every packet is recorded */
    cop_birth *birth; /* [n_bins]; NULL: off */
    uint64_t misrouted; /* packets delivered after the warm-up by a non-minimal path; routings that
                           choose */
    uint64_t *series; /* [n_series * n_bins] payload taken in, in parts of a byte */
    uint32_t *series_of; /* [n_streams] row in `series` */
    double **received; /* [n_hosts] parts of a byte per bin (run.observe), which are whole numbers;
                          NULL: of no host, of this host */
    cop_hist *latency, *transit;
    unsigned __int128 area; /* packets in the network x time, from the warm-up to the end */
    cop_pairs flow; /* run.flows */
    cop_pairs notice; /* notices/all */
} cop_probe;

/* Parts of a byte, so that bins share a packet exactly: at the usual rates a picosecond brings a
 * whole number of them (10 Gbit/s: 100). */
#define COP_BYTE_PARTS 80000u
/* Gbit/s of so many parts in so many picoseconds. One division of whole numbers, so that rounding
 * never lifts a value above the rate. */
static inline double cop_parts_gbps(double parts, double ps)
{
    return parts / (ps * (COP_BYTE_PARTS / 8000.0));
}

/* The part of a bin that the run has covered, when it is over; 0: the bin is empty. */
static inline cop_time cop_probe_covered(const cop_probe *pr, uint32_t bin)
{
    cop_time from = bin * pr->sample;
    return pr->counted > from ? cop_min64(pr->counted - from, pr->sample) : pr->sample;
}

/* The measured time; no packet takes longer than `longest` to be sent or taken in. */
void cop_probe_window(cop_probe *pr, cop_time warmup, cop_time end, cop_time longest);
/* Part of `payload`, which passes evenly from `from` to `to`, that passes in the measured time,
 * rounded down to whole bytes. */
__attribute__((cold)) uint32_t cop_probe_part(const cop_probe *pr, uint32_t payload, cop_time from,
                                              cop_time to);

/* Host `host` takes in `payload` of a stream from `from` to `to`: added to all bins between,
 * without bytes after `until` or after the measured time. */
__attribute__((cold)) void cop_probe_spread(cop_probe *pr, uint32_t stream, uint32_t host,
                                            uint32_t payload, cop_time from, cop_time to,
                                            cop_time until);

/* Count what a pair has exchanged: `bytes` of a packet and, if it counts, the packet; returns false
 * if it overtook an earlier one of its flow. */
bool cop_probe_flow(cop_probe *pr, uint32_t src, uint32_t dst, uint32_t seq, uint32_t bytes,
                    bool count);
/* A switch has made a notification about its port `port` for `host`. */
void cop_probe_notice(cop_probe *pr, uint32_t port, uint32_t host);
void cop_pairs_start(cop_pairs *t);
void cop_probe_fini(cop_probe *pr);

#endif
