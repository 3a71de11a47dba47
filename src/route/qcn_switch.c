/* QCN-Switch: non-minimal adaptive routing on dragonflies, driven by congestion notifications.
 *
 * Rule     every output to another switch has a probability P, at first 100 %. A packet that may
 *          choose draws N from 1 to 100 and takes the non-minimal path if N > P of the minimal
 *          path's first port.
 * Less     a notification for a host of this switch ends here: it lowers P of the port it came in
 *          by, or, made here, of the port whose queue was long (`lowers: minimal`: of the first
 *          port on the minimal path of the sampled packet, whichever path it takes). With feedback
 *          F, 0 to 63: P x (1 - Lf F).
 * Compare  (`compare`) the port's last F is stored first; with M, the mean of the last F over the
 *          switch's outputs to other switches: F < M - th1: P + PI;  F > M + th2: P x (1 - Lf (F -
 *          M));  else as it is.
 * Source processing (`source_processing`) a notification of this switch to a host elsewhere also
 *          lowers P of the output that the packet waits for; by comparison, too, unless
 *          `own_plain`.
 * More     each `packets` packets of data that leave by a port without a notification: P + PI; and
 *          its last F is multiplied by `decay`. Every notification restarts the count. (`counts:
 *          entry`: only packets that had the choice and followed a minimal entry over the port,
 *          section 5.3.1; section 3.1.2 counts all that it sends.)
 * Ends     notifications of ports that face a host are ignored: there is no other path, so they go
 *          on to the source, which slows down if it reacts (proposed in section 6).
 * Yields   (`yields`, ours) a notification for a host of this switch whose packet blocked others
 *          (on a detour, on a link between groups behind a packet on its minimal path) ends here,
 *          and raises P of that packet's minimal first port:
 *          P + (100 - P) Lf F (`switch_over`: to 100). The detour is as full, with packets for
 *          which it is the shortest path. It does not restart the count. If it came in by that port
 *          it is treated as any other: both paths begin there. Not with `progressive`: another
 *          switch may have chosen the detour.
 * Fixed    (`switch_over`) P is set to 0 by a notification and to 100 by the count: table entries
 *          that are switched over, for comparison.
 * Needs    a congestion control that makes notifications: cc.kind qcn, which it brings if none is
 *          given.
 * Source   Benito, Vallejo, Beivide, Izu, 3.1 to 3.3; M-qcnsw, M-qcnsw-fb, M-qcnsw-src. */
#include "route/dragonfly_choice.h"

#include <stdio.h>

#define FEEDBACK_MOST 63.0
/* Defaults. */
#define LF 0.015625
#define PI 1.0
#define TH1 0.0
#define TH2 30.0
#define NO_DECAY 1.0
#define LEAST_STEP 1e-3 /* of a fall by the largest feedback (share), and of a rise (per cent) */
#define PACKETS 100
#define PACKETS_TEXT "100"
#define NEVER 0

enum lowers { QUEUE, MINIMAL };
enum counts { PORT, ENTRY };
static const char *const counts_names[] = {"port", "entry", NULL};
static const char *const never_word[] = {"never", "0", NULL};
static const char *const lowers_names[] = {"queue", "minimal", NULL};

typedef struct qcn_switch_cfg {
    cop_choice_cfg choice;
    bool compare, source_processing, own_plain, switch_over, yields;
    int lowers; /* enum lowers */
    int counts; /* enum counts */
    double lf, pi, th1, th2, decay;
    int64_t packets;
} qcn_switch_cfg;

typedef struct port_state {
    double p; /* per cent */
    double last; /* feedback */
    uint32_t sent; /* packets since the last notification or rise */
    uint32_t changes; /* of p, up and down */
} port_state;

static port_state *state_of(const cop_route_view *view, uint32_t port)
{
    return view->can->port(view->ctx, port);
}

static const cop_dragonfly *map_of(const cop_route *r)
{
    return &((const cop_choice *)r->state)->map;
}

static void change(port_state *s, double p)
{
    s->changes += p != s->p;
    s->p = p;
}

static void rise(const qcn_switch_cfg *cfg, port_state *s)
{
    double p = s->p + cfg->pi;
    change(s, cfg->switch_over || p > 100.0 ? 100.0 : p);
}

/* One more packet without a notification. */
static void count(const qcn_switch_cfg *cfg, port_state *s)
{
    if (cfg->packets == NEVER || ++s->sent < cfg->packets)
        return;
    s->sent = 0;
    s->last *= cfg->decay;
    rise(cfg, s);
}

/* N was drawn; 0: P is 100 %, no draw. */
static void say_choice(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                       const cop_route_view *view, unsigned n)
{
    char why[80];
    double p = state_of(view, w->minimal.port)->p;
    bool other = (double)n > p;
    if (n == 0)
        snprintf(why, sizeof(why), "P of the minimal port is 100 %%");
    else
        snprintf(why, sizeof(why), "drew N %u, P of the minimal port is %.4g %%", n, p);
    cop_choice_says(r, hop, w, view, other, why);
}

static bool qcn_rule(const cop_route *r, const cop_hop *hop, const cop_ways *w,
                     const cop_route_view *view)
{
    const qcn_switch_cfg *cfg = r->cfg;
    port_state *s = state_of(view, w->minimal.port);
    unsigned n = s->p < 100.0 ? 1 + (unsigned)cop_rng_below(view->rng, 100) : 0;
    bool other = (double)n > s->p;
    if (COP_UNLIKELY(cop_choice_watched(view)))
        say_choice(r, hop, w, view, n);
    if (!other && cfg->counts == ENTRY && w->for_good)
        count(cfg, s);
    return other;
}

static void fall(const qcn_switch_cfg *cfg, port_state *s, double feedback)
{
    double factor = 1.0 - cfg->lf * feedback;
    change(s, cfg->switch_over || factor < 0.0 ? 0.0 : s->p * factor);
}

static double mean_feedback(const cop_route *r, uint32_t sw, const cop_route_view *view)
{
    const cop_dragonfly *d = map_of(r);
    uint32_t ports = cop_topo_ports_of(r->topo, sw);
    double sum = 0.0;
    uint32_t cables = 0;
    for (uint32_t p = d->p; p < ports; p++)
        if (r->topo->port[cop_topo_switch_port(r->topo, sw, p)].to != COP_NONE) {
            sum += state_of(view, p)->last;
            cables++;
        }
    return sum / cables;
}

static void apply(const cop_route *r, uint32_t sw, const cop_route_view *view, const cop_notice *n,
                  bool plain)
{
    const qcn_switch_cfg *cfg = r->cfg;
    port_state *s = state_of(view, n->port);
    double f = n->word;
    s->sent = 0;
    s->last = f;
    if (!cfg->compare || plain) {
        fall(cfg, s, f);
        return;
    }
    double mean = mean_feedback(r, sw, view);
    if (f < mean - cfg->th1)
        rise(cfg, s);
    else if (f > mean + cfg->th2)
        fall(cfg, s, f - mean);
}

/* Port by which the sampled packet would leave on its minimal path; inside the group it had no
 * choice. */
static uint32_t minimal_port(const cop_dragonfly *d, uint32_t sw, const cop_notice *n)
{
    uint32_t target = cop_dragonfly_switch_of(d, n->about), group = cop_dragonfly_group(d, target);
    cop_hop hop = {.sw = sw, .in_port = COP_PORT_NONE, .dst = n->about};
    return group == cop_dragonfly_group(d, sw) ? n->port
                                               : cop_dragonfly_leave(d, &hop, group, 0, 0).port;
}

/* For --watch: P of `port` after a notification. */
static void say_heard(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port,
                      double before)
{
    char name[64], text[160];
    double p = state_of(view, port)->p;
    cop_topo_port_name(r->topo, cop_topo_switch_port(r->topo, sw, port), name, sizeof(name));
    snprintf(text, sizeof(text), "P of %s %s %.4g %%", name,
             p > before   ? "rises to"
             : p < before ? "falls to"
                          : "stays at",
             p);
    view->can->says(view->ctx, port, text);
}

/* A detour blocked others: more packets take the minimal path. True if the notification is of this
 * kind. */
static bool give_way(const cop_route *r, uint32_t sw, const cop_route_view *view,
                     const cop_notice *n)
{
    const qcn_switch_cfg *cfg = r->cfg;
    uint32_t port = minimal_port(map_of(r), sw, n);
    if (port == n->port)
        return false; /* both paths begin there */
    port_state *s = state_of(view, port);
    double share = cfg->lf * n->word;
    double before = s->p;
    change(s, cfg->switch_over || share > 1.0 ? 100.0 : s->p + (100.0 - s->p) * share);
    if (COP_UNLIKELY(cop_choice_watched(view)))
        say_heard(r, sw, view, port, before);
    return true;
}

static bool on_notice(const cop_route *r, uint32_t sw, const cop_route_view *view,
                      const cop_notice *n)
{
    const qcn_switch_cfg *cfg = r->cfg;
    bool mine = cop_dragonfly_switch_of(map_of(r), n->host) == sw,
         transit = n->port >= map_of(r)->p;
    if (n->end || (!mine && !(n->own && cfg->source_processing)))
        return false;
    if (n->contested && mine && give_way(r, sw, view, n))
        return true;
    cop_notice at = *n;
    if (mine && n->own && cfg->lowers == MINIMAL)
        at.port = minimal_port(map_of(r), sw, n);
    double before = state_of(view, at.port)->p;
    if (transit)
        apply(r, sw, view, &at, !mine && cfg->own_plain);
    if (COP_UNLIKELY(transit && cop_choice_watched(view)))
        say_heard(r, sw, view, at.port, before);
    return mine;
}

static void on_send(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port)
{
    (void)sw;
    const qcn_switch_cfg *cfg = r->cfg;
    if (cfg->counts == PORT && port >= map_of(r)->p)
        count(cfg, state_of(view, port));
}

static void prepare(const cop_route *r, uint32_t sw, const cop_route_view *view)
{
    for (uint32_t p = 0; p < cop_topo_ports_of(r->topo, sw); p++)
        state_of(view, p)->p = 100.0;
}

/* Can the thresholds be crossed? Of n ports M is at least F / n, and at most that with 63 at all
 * others. */
static int check_thresholds(cop_route *r, const qcn_switch_cfg *cfg, cop_err *err)
{
    const cop_dragonfly *d = map_of(r);
    double n = d->a - 1.0 + ((const cop_choice *)r->state)->most_global_links,
           below = (FEEDBACK_MOST - 1.0) * (n - 1.0) / n, above = FEEDBACK_MOST * (n - 1.0) / n;
    if (!cfg->compare && cfg->counts == ENTRY)
        return cop_err_add(
            err, COP_E_INPUT,
            "routing %s: an entry with a probability below 1 %% is not followed, so none would "
            "ever be counted to raise it again; set counts to port, or compare to yes",
            r->ops->name);
    if (!cfg->switch_over && 100.0 * (1.0 - cfg->lf * FEEDBACK_MOST) >= 100.0)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: lf %g lowers no probability; give more, or use "
                           "dragonfly-min",
                           r->ops->name, cfg->lf);
    if (!cfg->switch_over && cfg->pi <= 0.0)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: pi 0 raises no probability again; give more, up to 100",
                           r->ops->name);
    if (cfg->compare && n < 2.0)
        return cop_err_add(
            err, COP_E_INPUT,
            "routing %s: a switch has one port to other switches, whose feedback is the "
            "mean; set compare to no",
            r->ops->name);
    if (cfg->compare && cfg->th2 >= above)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: th2 %g is more than any feedback is above the mean of %g "
                           "ports; give less than %.4g",
                           r->ops->name, cfg->th2, n, above);
    if (cfg->compare && cfg->th1 >= below)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: th1 %g is more than any feedback is below the mean of %g "
                           "ports; give less than %.4g",
                           r->ops->name, cfg->th1, n, below);
    if (cfg->compare) { /* F > F / n + th2, and 1 < ((n - 1) F + 1) / n - th1, with F the largest */
        r->facts.word[0] = (struct cop_word_bar){"th2", cfg->th2 * n / (n - 1.0)};
        if (cfg->th1 > 0.0)
            r->facts.word[1] = (struct cop_word_bar){"th1", cfg->th1 * n / (n - 1.0) + 1.0};
    }
    return 0;
}

/* Refuse steps so small that no run is long enough for them. */
static const char *too_small(const qcn_switch_cfg *cfg)
{
    if (cfg->switch_over)
        return NULL;
    if (cfg->lf * FEEDBACK_MOST < LEAST_STEP)
        return "with lf so small a thousand notifications of the largest feedback lower a "
               "probability by less than two thirds, so that nearly all packets go minimal";
    if (cfg->pi < LEAST_STEP)
        return "with pi so small a probability that has fallen needs 100000 rises to come back";
    return NULL;
}

/* Refuse options of a mechanism that is off, unless they have their defaults. */
static int check_idle(const cop_route *r, const qcn_switch_cfg *cfg, cop_err *err)
{
    if (cfg->yields && cfg->choice.progressive)
        return cop_err_add(
            err, COP_E_INPUT,
            "routing %s: yields is for packets that choose at their first switch; set "
            "progressive to no, or leave yields out",
            r->ops->name);
    const char *idle = cfg->th1 != TH1          ? "th1"
                       : cfg->th2 != TH2        ? "th2"
                       : cfg->decay != NO_DECAY ? "decay"
                       : cfg->own_plain         ? "own_plain"
                                                : NULL;
    const char *unused = cfg->lf != LF ? "lf" : cfg->pi != PI ? "pi" : NULL;
    if (cfg->switch_over && unused != NULL)
        return cop_err_add(
            err, COP_E_INPUT,
            "routing %s: %s says by how much a probability changes, and with "
            "switch_over it is all or nothing; set switch_over to no, or leave %s out",
            r->ops->name, unused, unused);
    if (!cfg->compare && idle != NULL)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: %s does nothing without comparison; set compare to yes, or "
                           "leave it out",
                           r->ops->name, idle);
    if (cfg->own_plain && !cfg->source_processing)
        return cop_err_add(err, COP_E_INPUT,
                           "routing %s: own_plain does nothing without source_processing; set that "
                           "to yes, or leave it out",
                           r->ops->name);
    return 0;
}

static int qcn_switch_setup(cop_route *r, const void *cfg, cop_err *err)
{
    cop_choice *c = COP_NEW_ARRAY(&r->arena, cop_choice, 1);
    c->no_links = true;
    r->facts.port_size = sizeof(port_state);
    r->facts.count =
        (struct cop_count_bar){"packets", ((const qcn_switch_cfg *)cfg)->packets, PACKETS};
    r->facts.asks_own = ((const qcn_switch_cfg *)cfg)->lowers == MINIMAL;
    r->facts.asks_contested = ((const qcn_switch_cfg *)cfg)->yields;
    int rc = cop_choice_setup(r, c, &((const qcn_switch_cfg *)cfg)->choice, err);
    rc = rc ? rc : check_idle(r, cfg, err);
    if (r->facts.idle == NULL)
        r->facts.idle = too_small(cfg);
    return rc ? rc : check_thresholds(r, cfg, err);
}

static unsigned qcn_switch_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                                 cop_cand *cand)
{
    return cop_choice_route(r, hop, view, cand, qcn_rule);
}

static const char *rested(const cop_route *r, const void *state)
{
    (void)r;
    return ((const port_state *)state)->changes == 0 ? "P stayed at 100 % at all ports" : NULL;
}

static double port_value(const cop_route *r, const void *state, unsigned which)
{
    (void)r;
    const port_state *s = state;
    return which == 0 ? s->p : which == 1 ? s->last : s->changes;
}

static bool shows(const cop_route *r, uint32_t sw, uint32_t port)
{
    return port >= map_of(r)->p &&
           r->topo->port[cop_topo_switch_port(r->topo, sw, port)].to != COP_NONE;
}

static const cop_value values[] = {
    {"p_min", "%"}, {"feedback", ""}, {"changes", "changes"}, {NULL, NULL}};

#define AT(member) offsetof(qcn_switch_cfg, member)
static const cop_opt qcn_switch_opts[] = {
    COP_CHOICE_OPTS(qcn_switch_cfg, "own-port"),
    {"compare", COP_OPT_BOOL, AT(compare), "yes", 0, 0, NULL,
     "compare a notification with the mean of the switch's ports (feedback comparison)"},
    {"source_processing", COP_OPT_BOOL, AT(source_processing), "no", 0, 0, NULL,
     "a switch heeds the notifications that it makes itself, too; for sampling at inputs"},
    {"own_plain", COP_OPT_BOOL, AT(own_plain), "no", 0, 0, NULL,
     "and lowers the probability without comparison"},
    {"lf", COP_OPT_REAL, AT(lf), "0.015625", 0, 1, NULL,
     "a notification with feedback F lowers the probability by the share lf F (Lf)"},
    {"pi", COP_OPT_REAL, AT(pi), "1", 0, 100, NULL, "rise of the probability, per cent (PI)"},
    {"packets", COP_OPT_INT, AT(packets), PACKETS_TEXT, 1, 1e9, never_word,
     "packets without a notification after which it rises (PCl)"},
    {"counts", COP_OPT_ENUM, AT(counts), "port", 0, 0, counts_names,
     "which of them: all that leave by the port (FOGSim), or those that had a choice and followed "
     "a "
     "minimal entry over it"},
    {"th1", COP_OPT_REAL, AT(th1), "0", 0, 63, NULL,
     "comparison: so far below the mean it rises (Th1)"},
    {"th2", COP_OPT_REAL, AT(th2), "30", 0, 63, NULL, "comparison: so far above it falls (Th2)"},
    {"decay", COP_OPT_REAL, AT(decay), "1", 0, 1, NULL,
     "factor of a port's last feedback with each rise; 1: it is kept"},
    {"lowers", COP_OPT_ENUM, AT(lowers), "queue", 0, 0, lowers_names,
     "what a notification lowers that a switch makes for a host of its own: the port whose queue "
     "is "
     "long, or the minimal port of the packet (FOGSim)"},
    {"yields", COP_OPT_BOOL, AT(yields), "no", 0, 0, NULL,
     "packets sent around that meet a link between groups full of packets on their minimal way "
     "raise the probability of their own minimal port: for traffic that fills all links into a "
     "group; with sampling at outputs"},
    {"switch_over", COP_OPT_BOOL, AT(switch_over), "no", 0, 0, NULL,
     "no probabilities: a notification switches a port over to non-minimal, the count back"},
    {0}};

/* Section 4.1: notifications with w = 0, to which sources do not react. */
static const cop_brought brings[] = {
    {"cc", "kind", "qcn", false}, {"cc", "react", "no", true}, {"cc", "w", "0", true}, {0}};

const cop_route_ops cop_route_qcn_switch = {
    .name = "qcn-switch",
    .summary =
        "dragonfly: minimal with a probability per port, which notifications lower; where cc "
        "has no kind it is qcn, with react no and w 0",
    .brings = brings,
    .source = "Benito et al.; M-qcnsw",
    .opts = qcn_switch_opts,
    .cfg_size = sizeof(qcn_switch_cfg),
    .setup = qcn_switch_setup,
    .route = qcn_switch_route,
    .mid = cop_choice_mid,
    .table = cop_choice_table,
    .condition = "N <= P(#)",
    .prepare = prepare,
    .on_send = on_send,
    .on_notice = on_notice,
    .port_values = values,
    .port_value = port_value,
    .rested = rested,
    .shows = shows,
};
