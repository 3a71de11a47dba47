/* Tracing of chosen packets. Costs one predictable branch per step when off. */
#include "net/watch.h"
#include "net/flow/flow.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LINE 100 /* columns of a line, at most */
#define INDENT 16 /* column where the description begins */

typedef struct place { /* state of a watched packet */
    uint32_t in, out; /* input that it waits at, output that it waits for; COP_NONE: it does not
                         wait */
    uint32_t wire; /* port whose wire it is on, or COP_NONE */
} place;

struct cop_watch {
    FILE *out; /* NULL: no lines */
    cop_packet_fn fn; /* NULL: no listener */
    void *ctx;
    uint64_t lines_left;
    uint64_t src, dst; /* COP_NONE: any */
    uint64_t from, count; /* packet numbers of a source */
    place *place; /* by packet; heap */
    size_t cap;
    uint32_t *waits; /* [n_ports] watched packets that wait there */
    bool *sends; /* [n_hosts] has traffic to watched hosts, as far as its destinations are fixed */
};

static int parse_part(struct cop_watch *w, char *part, cop_err *err)
{
    static const char right[] = "write src=HOST,dst=HOST,from=N,count=N, any part may be left out";
    char *value = strchr(part, '='), *end;
    if (value == NULL)
        return cop_err_add(err, COP_E_INPUT, "--watch: `%s` has no value; %s", part, right);
    *value++ = '\0';
    uint64_t n = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0')
        return cop_err_add(err, COP_E_INPUT, "--watch: `%s` is not a number; %s", value, right);
    if (strcmp(part, "src") == 0)
        w->src = n;
    else if (strcmp(part, "dst") == 0)
        w->dst = n;
    else if (strcmp(part, "from") == 0)
        w->from = n;
    else if (strcmp(part, "count") == 0)
        w->count = n;
    else
        return cop_err_add(err, COP_E_INPUT, "--watch: unknown part `%s`; %s", part, right);
    return 0;
}

/* Destinations that are drawn can be any but the host itself. */
static bool sends_there(const cop_net *net, const struct cop_watch *w, uint32_t host)
{
    const cop_traffic *tr = net->traffic;
    for (uint32_t s = tr->host_stream0[host]; s < tr->host_stream0[host + 1]; s++) {
        uint32_t dst = tr->stream[s].fixed_dst;
        if (w->dst == COP_NONE || w->dst == dst || (dst == COP_NONE && w->dst != host))
            return true;
    }
    return false;
}

int cop_watch_init(cop_net *net, const char *spec, FILE *out, uint64_t max_lines, cop_err *err)
{
    struct cop_watch *w = COP_NEW_ARRAY(&net->arena, struct cop_watch, 1);
    *w = (struct cop_watch){
        .out = out, .lines_left = max_lines, .src = COP_NONE, .dst = COP_NONE, .count = UINT64_MAX};
    char *copy = cop_arena_strdup(&net->arena, spec), *rest = copy, *part;
    while ((part = strtok_r(rest, ",", &rest)) != NULL) {
        int rc = parse_part(w, part, err);
        if (rc)
            return rc;
    }
    uint64_t hosts = net->info.n_hosts;
    if ((w->src != COP_NONE && w->src >= hosts) || (w->dst != COP_NONE && w->dst >= hosts))
        return cop_err_add(err, COP_E_INPUT, "--watch: no such host; the last host is %" PRIu64,
                           hosts - 1);
    if (w->count == 0)
        return cop_err_add(err, COP_E_INPUT, "--watch: count=0 watches nothing; give at least 1");
    w->waits = COP_NEW_ARRAY(&net->arena, uint32_t, net->topo->n_ports);
    w->sends = COP_NEW_ARRAY(&net->arena, bool, hosts);
    for (uint32_t h = 0; h < hosts; h++)
        w->sends[h] = (w->src == COP_NONE || w->src == h) && sends_there(net, w, h);
    net->watch = w;
    return 0;
}

void cop_watch_fini(cop_net *net)
{
    if (net->watch != NULL)
        cop_free(net->watch->place);
}

bool cop_watch_wants(const cop_net *net, const cop_pkt *p)
{
    const struct cop_watch *w = net->watch;
    return (w->src == COP_NONE || w->src == p->src) && (w->dst == COP_NONE || w->dst == p->dst) &&
           p->seq >= w->from && p->seq - w->from < w->count;
}

/* Names come from files, and the trace goes to a terminal. */
static const char *plain_name(const cop_net *net, uint32_t port, char *buf, size_t size)
{
    char name[64];
    return cop_excerpt(cop_topo_port_name(net->topo, port, name, sizeof(name)), buf, size);
}

void cop_watch_tell(cop_net *net, cop_packet_fn fn, void *ctx)
{
    net->watch->fn = fn;
    net->watch->ctx = ctx;
}

/* -- kind, content and steps of a packet -- */

static place *place_of(const cop_net *net, const cop_pkt *p)
{
    struct cop_watch *w = net->watch;
    size_t h = (size_t)(p - net->pkt), before = w->cap;
    w->place = cop_grow(w->place, &w->cap, h + 1, sizeof(*w->place));
    if (w->cap > before)
        memset(w->place + before, 0xff, (w->cap - before) * sizeof(*w->place));
    return &w->place[h];
}

static const char *doing(const cop_net *net, const place *at, char *buf, size_t size)
{
    char a[64], b[64];
    if (at->wire != COP_NONE)
        snprintf(buf, size, "on the wire from %s", plain_name(net, at->wire, a, sizeof(a)));
    else if (at->in != COP_NONE)
        snprintf(buf, size, "waits at %s for %s", plain_name(net, at->in, a, sizeof(a)),
                 plain_name(net, at->out, b, sizeof(b)));
    else
        return NULL;
    return buf;
}

static void move(const cop_net *net, place *at, place to)
{
    uint32_t *waits = net->watch->waits;
    if (at->in != COP_NONE) {
        waits[at->in]--;
        waits[at->out] -= at->in != at->out;
    }
    if (to.in != COP_NONE) {
        waits[to.in]++;
        waits[to.out] += to.in != to.out;
    }
    *at = to;
}

static void step_to(const cop_net *net, enum cop_watch_step step, uint32_t port, const cop_pkt *p)
{
    static const place nowhere = {COP_NONE, COP_NONE, COP_NONE};
    place *at = place_of(net, p);
    if (step == COP_WATCH_QUEUE) {
        uint32_t out = cop_topo_switch_port(net->topo, net->in[port].sw, p->out);
        move(net, at, (place){.in = port, .out = out, .wire = COP_NONE});
    } else if (step == COP_WATCH_SEND) {
        move(net, at, (place){.in = COP_NONE, .out = COP_NONE, .wire = port});
    } else if (step == COP_WATCH_DELIVER || step == COP_WATCH_KEPT) {
        move(net, at, nowhere);
    }
}

/* Kind of p, and into `note` its content, or why output `port` has marked it. */
static const char *meaning(cop_net *net, enum cop_watch_step step, uint32_t port, const cop_pkt *p,
                           char *note, size_t size)
{
    const char *what = "packet";
    bool control = p->flags & COP_PKT_CONTROL;
    if (p->flags & COP_PKT_ACK)
        what = p->flags & COP_PKT_BECN ? "ack with BECN" : "ack";
    else if (control)
        what = "BECN";
    note[0] = '\0';
    if (net->cc->shown.tell != NULL && (step == COP_WATCH_MARK || (p->flags & COP_PKT_BECN)))
        net->cc->shown.tell(net, port, p, &what, note, size);
    return what;
}

/* What the congestion control shows of the flow that notification p is for. */
static void values(cop_net *net, const cop_pkt *p, char *buf, size_t size)
{
    const cop_cc_ops *cc = net->cc;
    uint32_t flow = cop_flow_find(net, p->dst, p->src, p->sl);
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned i = 0; flow != COP_NONE && cc->shown.flow_values && cc->shown.flow_values[i].name;
         i++) {
        const void *state = cop_flow_state(net, flow);
        int n =
            snprintf(buf + used, size - used, "%s%s %.6g%s%s", i ? ", " : "",
                     cc->shown.flow_values[i].name, cc->shown.flow_value(net, state, p->dst, i),
                     cc->shown.flow_values[i].unit[0] ? " " : "", cc->shown.flow_values[i].unit);
        used = cop_min64(used + (n > 0 ? (size_t)n : 0), size - 1);
    }
}

/* -- lines -- */

/* May one more line be written? */
static bool line_left(struct cop_watch *w)
{
    if (w->out == NULL || w->lines_left == 0)
        return false;
    if (--w->lines_left > 0)
        return true;
    fputs("the trace ends here; raise run.watch_limit to see more\n", w->out);
    return false;
}

/* One line; longer than LINE, it is broken after a comma or colon if there is one. */
static void put_line(FILE *out, const char *text)
{
    size_t width = LINE, left;
    while ((left = strlen(text)) > width) {
        size_t n = width, comma = width;
        while (n > 0 && text[n] != ' ')
            n--;
        while (comma > width / 2 && (text[comma] != ' ' || strchr(",:", text[comma - 1]) == NULL))
            comma--;
        n = comma > width / 2 ? comma : n;
        if (n == 0) /* a word longer than the line */
            n = strcspn(text, " ");
        if (text[n] == '\0')
            break;
        fprintf(out, "%.*s\n%*s", (int)n, text, INDENT, "");
        text += n + 1;
        width = LINE - INDENT;
    }
    fprintf(out, "%s\n", text);
}

/* The step, after name and place of the packet. */
static void detail(cop_net *net, const cop_packet_step *s, uint32_t port, const cop_pkt *p,
                   char *buf, size_t size)
{
    char next[64];
    buf[0] = '\0';
    if (s->step == COP_WATCH_QUEUE) {
        uint32_t to = cop_topo_switch_port(net->topo, net->in[port].sw, p->out);
        snprintf(buf, size, " for %s, %" PRIu64 " B wait there",
                 plain_name(net, to, next, sizeof(next)), net->out[to].waiting);
    } else if (s->step == COP_WATCH_SEND && net->worm == NULL) { /* where a tail leaves if it can */
        snprintf(buf, size, ", tail at %s at %.3f ns",
                 plain_name(net, net->out[port].to, next, sizeof(next)), (double)p->t_tail / 1e3);
    } else if (s->step == COP_WATCH_DELIVER) {
        snprintf(buf, size, " by %.3f ns, latency %.3f ns%s", (double)p->t_tail / 1e3,
                 (double)(p->t_tail - p->t_gen) / 1e3, p->flags & COP_PKT_FECN ? ", FECN" : "");
    }
}

static void write_line(cop_net *net, const cop_packet_step *s, uint32_t port, const cop_pkt *p)
{
    static const char *const what[] = {
        [COP_WATCH_INJECT] = "injected at",    [COP_WATCH_SEND] = "sent by",
        [COP_WATCH_QUEUE] = "queued at",       [COP_WATCH_DELIVER] = "delivered to",
        [COP_WATCH_MADE] = "made at",          [COP_WATCH_KEPT] = "used and kept at",
        [COP_WATCH_MARK] = "gets FECN from",   [COP_WATCH_HEARD] = "heard by",
        [COP_WATCH_ROUTED] = "gets its way at"};
    char text[800], more[200];
    bool learns = s->step == COP_WATCH_ROUTED && (p->flags & COP_PKT_CONTROL);
    detail(net, s, port, p, more, sizeof(more));
    snprintf(text, sizeof(text), "%11.3f ns  %s %u:%u -> %u %5u B vl %u  %s %s%s%s%s",
             (double)net->now / 1e3, s->kind, p->src, p->seq, p->dst, p->bytes, p->vl,
             learns ? "heard at" : what[s->step], s->port, more, s->note[0] ? ": " : "", s->note);
    put_line(net->watch->out, text);
}

static void step(cop_net *net, enum cop_watch_step what, uint32_t port, const cop_pkt *p,
                 const char *text)
{
    struct cop_watch *w = net->watch;
    char name[64], was[160], is[160], note[256];
    if (w == NULL)
        return;
    cop_packet_step s = {.step = what,
                         .t = net->now,
                         .done = p->t_tail,
                         .port = plain_name(net, port, name, sizeof(name)),
                         .kind = meaning(net, what, port, p, note, sizeof(note)),
                         .was = doing(net, place_of(net, p), was, sizeof(was)),
                         .src = p->src,
                         .dst = p->dst,
                         .seq = p->seq,
                         .bytes = p->bytes,
                         .vl = p->vl};
    step_to(net, what, port, p);
    s.is = doing(net, place_of(net, p), is, sizeof(is));
    if (what == COP_WATCH_HEARD)
        values(net, p, note, sizeof(note));
    else if (what != COP_WATCH_INJECT && what != COP_WATCH_MADE && what != COP_WATCH_MARK)
        note[0] = '\0'; /* it was written when the packet was made */
    s.note = text != NULL ? text : note;
    if (w->fn != NULL)
        w->fn(w->ctx, &s);
    if (line_left(w))
        write_line(net, &s, port, p);
}

void cop_watch_step(cop_net *net, enum cop_watch_step what, uint32_t port, const cop_pkt *p)
{
    step(net, what, port, p, NULL);
}

void cop_watch_routed(cop_net *net, uint32_t port, const cop_pkt *p, const char *text)
{
    step(net, COP_WATCH_ROUTED, port, p, text);
}

/* -- ports at which watched packets wait -- */

bool cop_watch_port_counts(const cop_net *net, uint32_t port)
{
    const struct cop_watch *w = net->watch;
    if (w->waits[port] > 0 || port < net->host_port0)
        return w->waits[port] > 0;
    return cop_watch_source(net, port - net->host_port0);
}

bool cop_watch_source(const cop_net *net, uint32_t host)
{
    const struct cop_watch *w = net->watch;
    if (w == NULL || !w->sends[host])
        return false;
    uint32_t next = net->nic[host].seq;
    return next < w->from || next - w->from < w->count;
}

static void port_line(cop_net *net, uint32_t port, const char *text)
{
    struct cop_watch *w = net->watch;
    char name[64];
    cop_packet_step s = {.step = COP_WATCH_PORT,
                         .t = net->now,
                         .port = plain_name(net, port, name, sizeof(name)),
                         .kind = "port",
                         .note = text};
    if (w->fn != NULL)
        w->fn(w->ctx, &s);
    char line[400];
    snprintf(line, sizeof(line), "%11.3f ns  at %s: %s", (double)net->now / 1e3, s.port, text);
    if (line_left(w))
        put_line(w->out, line);
}

void cop_watch_port(cop_net *net, uint32_t port, const char *fmt, ...)
{
    char text[256];
    va_list args;
    uint32_t from = net->in[port].from;
    if (net->watch == NULL || (!cop_watch_port_counts(net, port) &&
                               (from == COP_NONE || !cop_watch_port_counts(net, from))))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    port_line(net, port, text);
}

void cop_watch_message(cop_net *net, uint32_t port, uint64_t message, bool heard)
{
    char says[160] = "", other[64], text[256];
    uint32_t to = heard ? net->out[port].to : net->in[port].from;
    if (net->queue_ops->runtime.tell == NULL ||
        (!cop_watch_port_counts(net, port) && !cop_watch_port_counts(net, to)))
        return;
    net->queue_ops->runtime.tell(net, port, message, says, sizeof(says));
    snprintf(text, sizeof(text), "%s %s: %s", heard ? "heard from" : "told to",
             plain_name(net, to, other, sizeof(other)), says);
    port_line(net, port, text);
}
