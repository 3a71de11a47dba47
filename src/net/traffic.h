/* What the network needs of the traffic: streams of messages. One stream is one generator at one
 * host, and the unit for which delivered bytes are counted (a flow F1, the uniform part of host 7,
 * ...). An entry that is switched on and off has one stream per host and period of activity.
 *
 * Arrivals are lazy: nothing is scheduled or stored per message. A stream stores only when its next
 * message is generated (t_next); the NIC takes the message when it can send it, however late.
 * Source queues are therefore unbounded, unless the entry has a patience, and cost no memory.
 * Latency counts from generation. */
#ifndef COP_NET_TRAFFIC_H
#define COP_NET_TRAFFIC_H

#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "net/app.h"
#include "topo/topo.h"

typedef struct cop_msg {
    cop_time t_gen;
    uint32_t dst; /* host */
    uint32_t bytes; /* payload to deliver, > 0 */
    uint32_t id; /* of an application's message, which its packets carry; COP_NONE: none */
    uint8_t sl; /* service level */
} cop_msg;

/* Node classes of pattern `forest` (Gran et al.). */
enum cop_role {
    COP_ROLE_NONE, /* not a source of a forest */
    COP_ROLE_V, /* victim: uniform traffic */
    COP_ROLE_C, /* contributor: all traffic to its subset's hotspot */
    COP_ROLE_B, /* both: share p to the hotspot, the rest uniform */
};

/* Which part of its host's traffic a stream is. */
enum cop_part {
    COP_PART_WHOLE, /* all that the entry sends from this host */
    COP_PART_HOTSPOT, /* forest: what goes to the subset's hotspot */
    COP_PART_UNIFORM, /* forest: what goes anywhere */
};

typedef struct cop_stream {
    cop_time
        t_next; /* generation time of the next message; saturated: its start; COP_NEVER: none */
    cop_time t_stop; /* no message is generated at or after this time */
    uint32_t host; /* the sender */
    uint32_t entry; /* which entry of the configuration made it */
    uint32_t fixed_dst; /* the only destination; COP_NONE: drawn per message */
    uint32_t n_sent; /* messages taken so far */
    bool steady; /* successive messages go to the same destination, but for moves of a hotspot */
    bool saturated; /* always has a message while t_next <= now < t_stop */
    uint8_t sl;
    uint8_t part; /* enum cop_part */
    /* private to traffic/ */
    uint8_t dest, gen; /* how destinations and times are drawn */
    bool drawn; /* one of two streams that share the messages of one process by draw */
    uint8_t low; /* 1 in the low phase of a wave, the silence between bursts */
    uint32_t aux; /* place in a list of destinations, subset of a forest */
    uint32_t rate[2]; /* index into the table of rates: high, low */
    cop_time t_phase; /* end of the present phase */
    uint64_t rem; /* fraction of t_next below a picosecond, over the rate's divisor */
    uint64_t rng_arrival; /* counters of its random streams */
    uint64_t rng_dest, rng_size;
} cop_stream;

_Static_assert(sizeof(cop_stream) <= 96, "two streams per host must stay small");

/* What a stream of an exchange has measured after the warm-up. Latency: time a rank takes for a
 * step over the messages it sends in it. */
typedef struct cop_exchange_stat {
    uint64_t steps, bytes; /* of the messages */
    uint64_t sum_ps, min_ps, max_ps; /* latency */
    double min_mbytes_s, max_mbytes_s; /* message over latency, in 10^6 byte/s */
} cop_exchange_stat;

typedef struct cop_traffic {
    cop_arena arena;
    const cop_topo *topo;
    uint64_t seed;
    uint32_t n_streams, n_entries;
    cop_stream *stream; /* grouped by host, then by entry, part and time */
    uint32_t *host_stream0; /* [n_hosts + 1] first stream of a host */
    const char **entry_name; /* [n_entries] */
    uint8_t *role; /* [n_hosts] enum cop_role; the last forest that names a host decides */
    uint32_t n_hotspots; /* most hotspots at one time: room that cop_traffic_hotspots needs */
    uint32_t *woken; /* streams that the last arrival started; NULL: there are no exchanges */
    uint32_t n_woken;
    cop_app *app; /* applications; NULL: there are none. Owned */
    bool gives_up; /* some entry has a patience */
    uint64_t n_given_up; /* messages that were never taken */
    uint64_t taken_bytes; /* of the messages that were */
    void *model; /* private to traffic/ */
} cop_traffic;

/* Take the next message of stream s at time now (>= t_next): fills *m, draws the following t_next.
 * m->t_gen is the old t_next, or `now` for a saturated stream, whose t_next stays its start.
 * t_next becomes COP_NEVER when nothing follows. Messages beyond the entry's patience are skipped,
 * but never the last one up to now. Touches stream s only. m->dst is the stream's host only if the
 * entry asks for it: then the packet goes to the first switch and back. */
void cop_traffic_take(cop_traffic *tr, uint32_t s, cop_time now, cop_msg *m);

/* `bytes` of the message that stream s sent last are delivered at time t, now or later. Returns how
 * many streams may now send, because the message is complete: tr->woken[], with their t_next. May
 * be called for any stream, if tr->woken is not NULL. */
uint32_t cop_traffic_arrived(cop_traffic *tr, uint32_t s, uint32_t bytes, cop_time t);

/* NULL: stream s belongs to no exchange. */
const cop_exchange_stat *cop_traffic_exchange_stat(const cop_traffic *tr, uint32_t s);
/* Does the entry's exchange send each message back? The stream of the way back has the same hosts,
 * exchanged. */
bool cop_traffic_exchange_returns(const cop_traffic *tr, uint32_t entry);
/* Rounds that every rank of the entry's exchange has finished after the warm-up. */
uint32_t cop_traffic_exchange_rounds(const cop_traffic *tr, uint32_t entry);
/* From the start of the entry's exchange to the end of its last finished step. */
cop_time cop_traffic_exchange_elapsed(const cop_traffic *tr, uint32_t entry);

/* Streams of the entry's exchange that have messages left to send, or one in flight; 0 also where
 * it has no last message. */
uint32_t cop_traffic_exchange_unfinished(const cop_traffic *tr, uint32_t entry);

/* Length of the shortest packet, if messages are cut into packets of `mtu` payload bytes; 1:
 * unknown. */
uint32_t cop_traffic_least_packet(const cop_traffic *tr, uint32_t mtu);
/* Length of the longest packet. */
uint32_t cop_traffic_most_packet(const cop_traffic *tr, uint32_t mtu);

/* Does the stream generate at a rate that does not depend on the network, without a last
 * message? */
bool cop_traffic_has_rate(const cop_traffic *tr, uint32_t s);
/* Payload bytes that such a stream offers in an interval, on average. */
double cop_traffic_offered(const cop_traffic *tr, uint32_t s, cop_time from, cop_time to);
/* Payload bytes of messages that were generated and not taken, on average. */
double cop_traffic_waiting(const cop_traffic *tr, uint32_t s, cop_time now);

/* Rates in bit/s: of the fastest link of a host; what each host can send and take, by its link and
 * its injection and reception limits. */
typedef struct cop_host_rates {
    uint64_t bps;
    const uint64_t *sends, *takes; /* [n_hosts] */
} cop_host_rates;

/* The most hosts that send to one host, of those that are offered more than they take; 0: none is.
 * Hosts that choose among all others are counted only at one that is slower than others; what an
 * exchange or an application will send is not. A host that takes less than rates->bps counts each
 * of its senders as so many more. of_source[n_hosts], zeroed, or NULL: likewise of those that this
 * host sends to, itself included, by the rate that it sends; 0: it sends to none. */
uint32_t cop_traffic_senders(const cop_traffic *tr, const cop_host_rates *rates,
                             uint32_t *of_source);

/* How many streams are of exchanges and applications. only[n_hosts]: 1 where a host has such
 * streams alone. */
uint32_t cop_traffic_jobs(const cop_traffic *tr, uint8_t *only);

/* The hotspots of all forests that are on at time t, subset by subset, into list[n_hotspots];
 * returns how many there are. */
uint32_t cop_traffic_hotspots(const cop_traffic *tr, cop_time t, uint32_t *list);

#endif
