/* Congestion control for cut-through k-ary n-cubes by Fernandez and Garcia, shared by its files.
 *
 *   fern_detect.c  switches: buffers in use per lane, history of routed headers, the culprit,
 *                  messages
 *   fern_source.c  sources: the delay before each new message
 *   fern_values.c  values for `auto`, and validation
 *   fern_one.c     approach 1;  fern_two.c  approach 2;  fern_local.c the detecting node slows down
 *                  its hosts
 *
 * What the paper leaves open, and our choice: buffers are counted in the lanes of inputs that
 * switches feed, not in the injection queue of the node; a message counts until its tail has left.
 * The history is of routed headers (the paper also mentions received and sent ones), one per
 * switch. Of sources that are equally frequent the one of the most recent header is taken, buffered
 * ones being more recent than routed ones; in approach 2 it can be the culprit that the lane
 * remembers (`ties: kept`). */
#ifndef COP_CC_FERN_H
#define COP_CC_FERN_H

#include "cc/cc_all.h"

enum fern_notify { FERN_INSTANT, FERN_PACKETS, FERN_AMONG_DATA, FERN_NEVER };
enum fern_growth { FERN_LINEAR, FERN_GEOMETRIC };
enum fern_restore { FERN_BY_STEPS, FERN_BY_HALVES, FERN_BY_LOGARITHM };
enum fern_detector { FERN_PRESENT, FERN_MEAN, FERN_LASTING };
enum fern_culprits { FERN_OF_SWITCH, FERN_OF_LANE };
enum fern_ties { FERN_RECENT, FERN_KEPT };
enum fern_word { FERN_CONGESTION = 1, FERN_NO_CONGESTION = 2 }; /* content of a message */

typedef struct fern_cfg {
    int64_t every; /* approach 1: routings between two checks of a switch for congestion */
    int64_t threshold; /* with more buffers of a lane in use it is congested; 0: auto */
    int detector; /* enum fern_detector: what is compared with it */
    uint64_t period_ps; /* of mean and lasting; 0: auto */
    int64_t hysteresis; /* buffers from there down to the lower threshold */
    int64_t history; /* headers */
    int notify; /* enum fern_notify */
    uint64_t step_ps; /* of the delay; 0: auto */
    int restore; /* enum fern_restore */
    int64_t limit; /* steps */
    uint64_t timeout_ps; /* approach 1; 0: auto */
    int culprits; /* approach 1: enum fern_culprits */
    int64_t messages; /* approach 2: m */
    int growth; /* approach 2: enum fern_growth */
    int ties; /* approach 2: enum fern_ties */
    int64_t detections; /* approach 2: in a row, with another culprit, after which that one is
                           notified */
} fern_cfg;

typedef struct fern_lane { /* of a switch input */
    cop_time until; /* the message that left last occupies its buffer until then */
    cop_header culprit; /* approach 2: receiver of the last message of congestion */
    uint32_t waiting; /* messages that have not begun to leave */
    uint32_t others; /* approach 2: detections in a row with another culprit */
    cop_time above; /* lasting: since when more than the threshold are in use, if so */
    cop_time window, changed; /* mean: begin of its period; time of the last count */
    uint64_t area; /* mean: buffers x time in this period */
    uint64_t mean; /* in FERN_ONE, of the last complete period */
    bool congested;
    bool blames; /* culprit is set */
} fern_lane;

typedef struct fern_net {
    fern_cfg cfg; /* resolved: no `auto` is left */
    fern_lane *lane; /* [n_ports * lanes] of switch inputs */
    cop_header *history; /* [n_switches * cfg->history] a ring for each */
    uint32_t *routed; /* [n_switches] headers so far */
    uint32_t *counted; /* [n_switches] since the last check */
    uint32_t lanes;
    uint64_t checks, found, changes, told, cleared; /* counters */
    uint64_t came; /* messages that came as packets, and their total time */
    cop_time lag_ps;
} fern_net;

typedef struct fern_source {
    cop_time sent; /* end of the last message */
    cop_time since; /* approach 1: last congestion message or timeout */
    uint32_t steps; /* of the delay */
    uint32_t from, back; /* restore: steps when it began, and how often it was done since */
    uint32_t count; /* approach 2: messages since the delay has changed */
    uint32_t heard; /* messages of congestion received */
    cop_time made; /* approach 2: when the switch made the latest message received */
    bool rising; /* approach 2: no message of no congestion since */
    bool inside; /* a message has begun and not ended */
} fern_source;

/* -- fern_detect.c -- */
#define FERN_VOTES 128 /* most headers of a vote */

#define FERN_ONE 64u /* one buffer, as a level */
void fern_facts(const void *config, const cop_netinfo *info, cop_cc_facts *facts);
#define FERN_NOTICE 8u /* bytes: destination, content, number (ours: the paper gives no length) */
void fern_start(struct cop_net *net);
void fern_count_in(struct cop_net *net, uint32_t in, uint32_t out, cop_pkt *p); /* on_enqueue */
void fern_count_out(struct cop_net *net, uint32_t in, uint32_t vl, const cop_pkt *p, cop_time t);
/* Packet p is routed at the switch of input `in`: into the history. Is a check due? */
bool fern_routed(struct cop_net *net, uint32_t in, const cop_pkt *p);
fern_lane *fern_lane_of(struct cop_net *net, uint32_t in, uint32_t vl);
static inline const fern_cfg *fern_cfg_of(struct cop_net *net)
{
    return &((const fern_net *)cop_net_cc_net(net))->cfg;
}
/* Buffers in use. */
static inline uint32_t fern_used(const fern_lane *l, cop_time now)
{
    return l->waiting + (l->until > now);
}
/* A message comes to the lane, or leaves it and occupies its buffer until t. */
void fern_lane_in(const fern_cfg *cfg, fern_lane *l, cop_time now);
void fern_lane_out(const fern_cfg *cfg, fern_lane *l, cop_time now, cop_time t);
/* Level of the lane as the detector measures it, in FERN_ONE. */
uint64_t fern_level(const fern_cfg *cfg, fern_lane *l, cop_time now);
static inline bool fern_above(const fern_cfg *cfg, uint64_t level)
{
    return level > (uint64_t)cfg->threshold * FERN_ONE;
}
/* The lower threshold, at least 1. */
static inline uint32_t fern_lower(const fern_cfg *cfg)
{
    return (uint32_t)(cfg->hysteresis < cfg->threshold ? cfg->threshold - cfg->hysteresis : 1);
}
/* Approach 1: is the lane congested at this level of the detector? */
bool fern_verdict(const fern_cfg *cfg, fern_lane *l, uint64_t level);
/* The most frequent source of the switch's history and of the buffered messages: in lane vl of
 * input `in`, or in all congested lanes of the switch (vl COP_NONE). False: there is no header. */
bool fern_vote(struct cop_net *net, uint32_t in, uint32_t vl, cop_header *culprit);
/* Of n headers, oldest first; `kept` if it is as frequent (NULL: none is preferred). */
uint32_t fern_most_frequent(const cop_header *list, uint32_t n, const cop_header *kept);
/* Approach 1: packet p is routed. If a check is due and finds congestion, `tell` is called for each
 * congested lane of the switch, or once with vl COP_NONE (`culprits: switch`). */
typedef void fern_teller(struct cop_net *net, uint32_t in, uint32_t vl);
void fern_look(struct cop_net *net, uint32_t in, const cop_pkt *p, fern_teller *tell);
/* A message from the switch of `in` to the source of a packet, about lane vl of `in`; COP_NONE:
 * about the switch. */
void fern_tell(struct cop_net *net, uint32_t in, uint32_t vl, const cop_header *to,
               enum fern_word word);
double fern_port_value(struct cop_net *net, uint32_t port, uint32_t vl, unsigned which);
double fern_counter(struct cop_net *net, unsigned which);
/* A message has come as packet p. */
void fern_came(struct cop_net *net, const cop_pkt *p);
extern const cop_value fern_port_values[], fern_counters[];

/* -- fern_values.c -- */
/* The configuration with a value for each `auto`. */
fern_cfg fern_resolve(const fern_cfg *cfg, const cop_netinfo *info);
/* Can the threshold be exceeded at all? */
int fern_check_config(const void *config, const cop_netinfo *info, cop_err *err);
void fern_explain(const void *config, const cop_netinfo *info, FILE *out);
/* -- fern_words.c -- */
void fern_tell_words(struct cop_net *net, uint32_t port, const cop_pkt *p, const char **what,
                     char *buf, size_t size);
/* For --watch: result of a check of lane vl of `in`, and the notified source. */
void fern_says_told(struct cop_net *net, uint32_t in, uint32_t vl, const cop_header *to,
                    enum fern_word word);
/* For --watch: reaction of source `f` at `host` to an immediate message. */
void fern_says_heard(struct cop_net *net, uint32_t host, const fern_source *f, enum fern_word word);
/* For --watch: a message of `host` has left, and the next waits. */
void fern_says_delay(struct cop_net *net, uint32_t host, const fern_source *f);
bool fern_rested(struct cop_net *net, char *buf, size_t size);

/* -- fern_source.c -- */
/* Steps that are left of `from` when it was restored `times` times. */
uint32_t fern_left(const fern_cfg *cfg, uint32_t from, uint32_t times);
cop_time fern_delay(const fern_cfg *cfg, uint32_t steps);
/* Approach 1: applies the timeouts that have ended by `now`. */
void fern_settle(const fern_cfg *cfg, fern_source *f, cop_time now);
/* A message has reached the source, at once (fern_tell) or as a packet (on_control). */
void fern_hear_one(const fern_cfg *cfg, fern_source *f, cop_time now);
void fern_hear_two(fern_source *f, enum fern_word word, cop_time made);
/* Approach 2: the source has injected a message. */
void fern_injected(const fern_cfg *cfg, fern_source *f);
cop_time fern_next_one(const fern_cfg *cfg, fern_source *f, cop_time now);
/* A packet was sent: did it end a message? */
bool fern_sent(struct cop_net *net, fern_source *f, const cop_pkt *p);
double fern_flow_value(struct cop_net *net, const void *flow, uint32_t src, unsigned which);
extern const cop_value fern_flow_values[];
/* Shared by approach 1 and fern-local, which differ in the notified sources. */
cop_time fern_one_next_send(struct cop_net *net, void *flow, cop_time now);
void fern_one_on_send(struct cop_net *net, void *flow, const cop_pkt *p);
void fern_one_on_control(struct cop_net *net, void *flow, const cop_pkt *p);

/* -- options; each table lists those of its congestion control -- */
#define FERN_AT(field) offsetof(fern_cfg, field)
extern const char *const fern_notify_names[], *const fern_growth_names[];
extern const char *const fern_culprit_names[], *const fern_tie_names[];
extern const char *const fern_auto_names[], *const fern_detector_names[];
extern const char *const fern_restore_names[];
#define FERN_EVERY_DEFAULT 16 /* R: default of the option */
#define FERN_EVERY                                                                                 \
    "every", COP_OPT_INT, FERN_AT(every), "16", 1, 1e9, NULL,                                      \
        "routings of a switch between two looks at its buffers (R)"
#define FERN_THRESHOLD                                                                             \
    "threshold", COP_OPT_INT, FERN_AT(threshold), "auto", 1, 1e6, fern_auto_names,                 \
        "buffers of a lane in use above which there is congestion; auto: seven eighths of the "    \
        "messages that a lane has room for, 2 of 3 (ours)"
#define FERN_DETECTOR                                                                              \
    "detector", COP_OPT_ENUM, FERN_AT(detector), "present", 0, 0, fern_detector_names,             \
        "what is compared with the threshold (section 3.1): the buffers in use at a look; their "  \
        "mean over the last `period` that is over, as Jain's, whose threshold is 1; or the "       \
        "buffers in use, if they were above it for a whole `period`"
#define FERN_PERIOD                                                                                \
    "period", COP_OPT_TIME, FERN_AT(period_ps), "auto", 1, 1e12, fern_auto_names,                  \
        "of detector mean and lasting; auto: the time of 8 messages on a host's link (ours)"
#define FERN_RESTORE                                                                               \
    "restore", COP_OPT_ENUM, FERN_AT(restore), "linear", 0, 0, fern_restore_names,                 \
        "how the number of steps returns to 0 (section 3.5): by one each time; by half each time " \
        "(geometric); or as the logarithm of how often: much at first, then less, to 0 when "      \
        "linear is there (ours: the paper names it without a rule)"
#define FERN_HYSTERESIS                                                                            \
    "hysteresis", COP_OPT_INT, FERN_AT(hysteresis), "0", 0, 1e6, NULL,                             \
        "buffers between that threshold and a lower one at which congestion is over; 0: one for "  \
        "both"
#define FERN_HISTORY                                                                               \
    "history", COP_OPT_INT, FERN_AT(history), "4", 0, 64, NULL,                                    \
        "headers of recently routed messages that a switch keeps"
#define FERN_CULPRITS                                                                              \
    "culprits", COP_OPT_ENUM, FERN_AT(culprits), "lane", 0, 0, fern_culprit_names,                 \
        "whom a look that finds congestion tells: one source for all congested lanes of the "      \
        "switch, or one for each of these lanes"
#define FERN_NOTIFY                                                                                \
    "notify", COP_OPT_ENUM, FERN_AT(notify), "instant", 0, 0, fern_notify_names,                   \
        "how a source is told: at once, without a message, as the paper simulates; by packets on " \
        "lanes of their own behind those of data and before them, as it intends; or by packets "   \
        "of nic.control_bytes among data, where they come late; never: buffers are counted, "      \
        "nothing is told"
#define FERN_STEP                                                                                  \
    "step", COP_OPT_TIME, FERN_AT(step_ps), "auto", 1, 1e12, fern_auto_names,                      \
        "of the delay before each new message; auto: the time of 2 messages on a host's link, as " \
        "the paper's 32 cycles are of 16 flits"
#define FERN_LIMIT                                                                                 \
    "limit", COP_OPT_INT, FERN_AT(limit), "1024", 1, 65536, NULL, "most steps of the delay (ours)"
#define FERN_TIMEOUT                                                                               \
    "timeout", COP_OPT_TIME, FERN_AT(timeout_ps), "auto", 1, 1e12, fern_auto_names,                \
        "so long without a message of congestion takes away one step; auto: 2 steps, as the "      \
        "paper's 64 cycles are, and no less than a mean round trip without load"
#define FERN_MESSAGES                                                                              \
    "messages", COP_OPT_INT, FERN_AT(messages), "1", 1, 1e6, NULL,                                 \
        "messages that a source injects between two steps of its delay (m)"
#define FERN_GROWTH                                                                                \
    "growth", COP_OPT_ENUM, FERN_AT(growth), "linear", 0, 0, fern_growth_names,                    \
        "the delay grows by a step each time, or doubles (up to 2^20 steps), and shrinks likewise"

#define FERN_TIES                                                                                  \
    "ties", COP_OPT_ENUM, FERN_AT(ties), "recent", 0, 0, fern_tie_names,                           \
        "of sources that are equally frequent: the one of the most recent header, or the one "     \
        "that was told before, if it is among them"

#define FERN_DETECTIONS                                                                            \
    "detections", COP_OPT_INT, FERN_AT(detections), "16", 1, 1e6, NULL,                            \
        "detections in a row with another culprit after which a lane tells that one instead "      \
        "(section 5: several; the number is ours)"

/* Common part of their tables. */
#define FERN_PARTS                                                                                 \
    .immediate = FERN_CLAUSE, .cfg_size = sizeof(fern_cfg), .flow_size = sizeof(fern_source),      \
    .net_size = sizeof(fern_net), .facts = fern_facts, .explain = fern_explain,                    \
    .start = fern_start,                                                                           \
    .shown = {.flow_values = fern_flow_values,                                                     \
              .flow_value = fern_flow_value,                                                       \
              .port_values = fern_port_values,                                                     \
              .port_value = fern_port_value,                                                       \
              .counters = fern_counters,                                                           \
              .counter = fern_counter,                                                             \
              .tell = fern_tell_words,                                                             \
              .rested = fern_rested}

#define FERN_CLAUSE                                                                                \
    "section 4: the chosen source receives that information instantaneously, an upper bound "      \
    "(notify: instant)"

#endif
