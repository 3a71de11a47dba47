/* Families of names. Plug-ins describe themselves; traffic and flow control are options with a list
 * of words, whose lines stand here (a name without a line shows that of its option). */
#include "families.h"

#include <stdio.h>
#include <string.h>

typedef struct line {
    const char *name, *summary, *source;
} line;

#define TOWLES "Dally and Towles, Principles and Practices of Interconnection Networks, 2004"

static const line pattern_lines[] = {
    {"uniform", "each message to any other host, all equally likely", TOWLES ", 3.2"},
    {"fixed", "each sender to the one host `to`", "flows of the congestion control papers"},
    {"all-to-one", "all senders but `to` itself send to host `to` (incast)",
     "many-to-one hot spot"},
    {"list", "to the hosts of `to_list`, in turn, at random or by source", "scenario files"},
    {"hotspot", "a share of the messages to host `to`, the rest uniform",
     "Pfister and Norton 1985"},
    {"hot-region", "a share of the messages to the first hosts, the rest uniform",
     "dragonfly studies"},
    {"group-adversarial", "each group to a group at a fixed distance", "dragonfly studies (ADV+i)"},
    {"random-permutation", "each host to one other host, drawn by the seed", TOWLES ", 3.2"},
    {"bit-reversal", "to the host whose number has the bits in reverse", TOWLES ", 3.2"},
    {"bit-complement", "to the host whose number has every bit inverted", TOWLES ", 3.2"},
    {"perfect-shuffle", "to the host whose number is rotated left by one bit", TOWLES ", 3.2"},
    {"transpose", "to the host whose number has its halves exchanged", TOWLES ", 3.2"},
    {"tornado", "almost half way round", TOWLES ", 3.2"},
    {"neighbour", "to the next host", TOWLES ", 3.2"},
    {"forest", "congestion trees with contributors, victims and moving hot spots",
     "Gran et al., IPDPS 2012"},
};

static const line arrival_lines[] = {
    {"saturated", "always a message waiting", "closed-loop senders"},
    {"constant", "messages at equal distance", "constant bit rate"},
    {"bernoulli", "a message in each slot with a fixed chance", TOWLES ", 23.2"},
    {"poisson", "exponential distance between messages", TOWLES ", 23.2"},
    {"pulses", "square wave between two rates", "transient experiments"},
    {"on-off", "random bursts of constant rate, exponential or Pareto (self-similar)",
     TOWLES ", 23.2"},
};

#define HPCC "HPC Challenge benchmark, bandwidth and latency test"

static const line exchange_lines[] = {
    {"ping-pong", "pairs of hosts send a message to and fro", HPCC},
    {"all-pairs", "ping-pong of every pair, one pair at a time", HPCC},
    {"natural-ring", "to both neighbours by host number, then wait for all four messages", HPCC},
    {"random-ring", "the same on a ring drawn by the seed", HPCC},
    {"grid-transpose", "to the transposed place in the grid of hosts", "HPC Challenge, PTRANS"},
    {"all-to-all", "to each other host in turn", "pairwise exchange of MPI_Alltoall"},
};

#define THAKUR "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication, 2005"
#define RING "Patarasuk, Yuan, Bandwidth Optimal All-reduce, 2009"
#define BRUCK "Bruck et al., Efficient Algorithms for All-to-All Communications, 1997"

static const line collective_lines[] = {
    {"all-reduce-ring", "reduce-scatter and all-gather round a ring", RING},
    {"all-reduce-doubling", "exchange of the whole vector with partners at distances 1, 2, 4, ...",
     THAKUR},
    {"all-reduce-rabenseifner", "reduce-scatter by halving, all-gather by doubling", THAKUR},
    {"all-reduce-tree", "binomial reduce, binomial broadcast", THAKUR},
    {"reduce-scatter-ring", "parts round a ring, added up on the way", RING},
    {"reduce-scatter-halving", "halves of the vector, with partners at distances n/2, n/4, ..., 1",
     THAKUR},
    {"reduce-scatter-pairwise", "each part straight to its owner, in turn", THAKUR},
    {"all-gather-ring", "parts round a ring", RING},
    {"all-gather-bruck", "all parts so far to the ranks at distances 1, 2, 4, ...", BRUCK},
    {"all-gather-doubling", "with partners at distances 1, 2, 4, ...; Bruck's beyond powers of two",
     THAKUR},
    {"all-to-all-pairwise", "with one partner after the other", THAKUR},
    {"all-to-all-bruck", "blocks move by distances 1, 2, 4, ..., the bits of their way", BRUCK},
    {"all-to-all-linear", "all messages at once, by distance", THAKUR},
    {"broadcast-binomial", "binomial tree", THAKUR},
    {"broadcast-scatter", "parts down a tree, then round a ring", "Barnett et al., 1994"},
    {"reduce-binomial", "binomial tree, added up on the way", THAKUR},
    {"gather-linear", "all to the root", THAKUR},
    {"scatter-linear", "the root to all", THAKUR},
    {"barrier", "dissemination", "Hensgen, Finkel, Manber, Two Algorithms for Barriers, 1988"},
};

static const line flow_control_lines[] = {
    {"credit", "relative credits per lane in 64-byte blocks", TOWLES ", 13.3"},
    {"ib", "InfiniBand's absolute credit limit (FCTBS, FCCL), repairs lost updates",
     "InfiniBand Architecture Specification, Volume 1, 7.9"},
    {"on-off", "PAUSE per priority with head-room (PFC)", "IEEE 802.1Qbb; " TOWLES ", 13.3"},
    {"ack-nack", "send, drop when full, resend", TOWLES ", 13.3"},
};

static cop_plugin described(const cop_opt *o, size_t i, const line *lines, size_t n,
                            const cop_opt *table)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(lines[k].name, o->names[i]) == 0)
            return (cop_plugin){.name = lines[k].name,
                                .summary = lines[k].summary,
                                .source = lines[k].source,
                                .opts = table};
    return (cop_plugin){.name = o->names[i], .summary = o->help, .source = "", .opts = table};
}

static size_t count_names(const cop_opt *o)
{
    size_t n = 0;
    while (o->names[n] != NULL)
        n++;
    return n;
}

/* Patterns, then arrivals, then exchanges. */
static bool traffic_at(const cop_family *f, const struct cop_plugin_set *more, size_t i,
                       cop_plugin *item)
{
    (void)f, (void)more;
    const cop_opt *pattern = cop_opt_find(cop_traffic_opts, "pattern");
    const cop_opt *arrival = cop_opt_find(cop_traffic_opts, "arrival");
    const cop_opt *exchange = cop_opt_find(cop_traffic_opts, "exchange");
    size_t n = count_names(pattern), m = n + count_names(arrival);
    if (i < n)
        *item = described(pattern, i, pattern_lines, COP_LEN(pattern_lines), cop_traffic_opts);
    else if (i < m)
        *item = described(arrival, i - n, arrival_lines, COP_LEN(arrival_lines), cop_traffic_opts);
    else if (i - m + 1 < count_names(exchange)) /* without `none` */
        *item = described(exchange, i - m + 1, exchange_lines, COP_LEN(exchange_lines),
                          cop_traffic_opts);
    else
        return false;
    return true;
}

static bool collective_at(const cop_family *f, const struct cop_plugin_set *more, size_t i,
                          cop_plugin *item)
{
    (void)f, (void)more;
    const cop_opt *kind = cop_opt_find(cop_traffic_opts, "collective");
    if (i + 1 >= count_names(kind)) /* without `none` */
        return false;
    *item = described(kind, i + 1, collective_lines, COP_LEN(collective_lines), cop_traffic_opts);
    return true;
}

static bool flow_control_at(const cop_family *f, const struct cop_plugin_set *more, size_t i,
                            cop_plugin *item)
{
    (void)f, (void)more;
    const cop_opt *kind = cop_opt_find(cop_fc_opts, "kind");
    if (i >= count_names(kind))
        return false;
    *item = described(kind, i, flow_control_lines, COP_LEN(flow_control_lines), cop_fc_opts);
    return true;
}

/* Sections of a run file whose options are always the same. */
static bool section_at(const cop_family *f, const struct cop_plugin_set *more, size_t i,
                       cop_plugin *item)
{
    (void)f, (void)more;
    for (const cop_section *s = cop_sections; s->name != NULL; s++) {
        if (s->opts == NULL || i-- > 0)
            continue;
        *item = (cop_plugin){.name = s->name, .summary = s->help, .source = "", .opts = s->opts};
        return true;
    }
    return false;
}

static bool plugin_at(const cop_family *f, const struct cop_plugin_set *more, size_t i,
                      cop_plugin *item)
{
    return cop_plugin_at(cop_section_find(f->section), more, i, item);
}

const cop_family cop_families[] = {
    {"topologies", "topology", "hosts, switches and cables", plugin_at},
    {"routings", "routing", "which output a packet takes", plugin_at},
    {"traffic", "traffic",
     "who sends to whom (patterns), when (arrivals), and closed loops (exchanges)", traffic_at},
    {"collectives", "traffic", "operations of all ranks of a job (docs/TRACES.md)", collective_at},
    {"queueing", "queueing", "how the input buffer of a switch port is organised", plugin_at},
    {"hosts", "host", "where messages wait inside an end node", plugin_at},
    {"cc", "cc", "congestion control at switches and end nodes", plugin_at},
    {"flow-control", "flow_control", "what keeps a buffer from overflowing", flow_control_at},
    {COP_FAMILY_SECTIONS, "", "sections of a run file that have no members, and their options",
     section_at},
    {0}};

const cop_family *cop_family_find(const char *name)
{
    for (const cop_family *f = cop_families; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0 || (f->section[0] != '\0' && strcmp(f->section, name) == 0))
            return f;
    return NULL;
}

/* Set-ups that work, for those that do little or are refused beside the defaults of other sections. */
static const struct {
    const char *section, *name, *file;
} examples[] = {
    {"routing", "ftree", "examples/fabric16.yaml"},
    {"routing", "dor", "examples/torus-study.yaml"},
    {"routing", "adaptive-cube", "examples/torus-study.yaml"},
    {"routing", "true-adaptive", "examples/torus.yaml"},
    {"routing", "dragonfly-min", "examples/dragonfly.yaml"},
    {"routing", "ugal", "examples/dragonfly-study.yaml"},
    {"routing", "piggyback", "examples/dragonfly.yaml"},
    {"routing", "pause", "examples/dragonfly.yaml"},
    {"routing", "qcn-switch", "examples/dragonfly.yaml"},
    {"queueing", "fbicm", "experiments/gran5-fig7.yaml"},
    {"queueing", "hfdi", "experiments/gran6-fig2.yaml"},
    {"cc", "ibcc", "examples/silent-forest-648.yaml"},
    {"cc", "ith", "experiments/gran5-fig7.yaml"},
    {"cc", "ib-ith", "experiments/gran6-fig2.yaml"},
    {"cc", "ccfit", "experiments/gran5-fig7.yaml"},
    {"cc", "ecocc", "experiments/gran6-fig2.yaml"},
    {"cc", "qcn", "examples/dragonfly.yaml"},
    {"cc", "fern-1", "examples/torus.yaml"},
    {"cc", "fern-2", "examples/torus.yaml"},
    {"cc", "fern-local", "experiments/fern-sec3.2.yaml"},
    {"cc", "self-tuned", "examples/torus.yaml"},
    {"cc", "alo", "experiments/fern-sec2.yaml"},
    {"cc", "dril", "experiments/fern-sec2.yaml"},
    {"cc", "u-channels", "experiments/fern-sec2.yaml"},
    {"cc", "lopez", "experiments/fern-sec2.yaml"},
    {"cc", "smai", "experiments/fern-sec2.yaml"},
};

const char *cop_family_example(const char *section, const char *name)
{
    for (size_t i = 0; i < COP_LEN(examples); i++)
        if (strcmp(examples[i].section, section) == 0 && strcmp(examples[i].name, name) == 0)
            return examples[i].file;
    return NULL;
}

static size_t add_values(const cop_value *v, const char *of, char *text, size_t size, size_t used)
{
    for (; v != NULL && v->name != NULL && used < size; v++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s/%s%s%s%s", used ? ", " : "", v->name,
                             of, v->unit[0] ? " (" : "", v->unit, v->unit[0] ? ")" : "");
    return used;
}

const char *cop_family_observed(const cop_plugin *p, char *text, size_t size)
{
    size_t used = add_values(p->flow_values, "FLOW", text, size, 0);
    return add_values(p->port_values, "PORT", text, size, used) > 0 ? text : NULL;
}

const char *cop_family_brings(const cop_plugin *p, char *text, size_t size)
{
    size_t used = 0;
    for (const cop_brought *b = p->brings; b != NULL && b->section != NULL && used < size; b++)
        used += (size_t)snprintf(text + used, size - used, "%s%s.%s %s", used ? ", " : "",
                                 b->section, b->option, b->value);
    return used ? text : NULL;
}
