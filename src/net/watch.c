/* Tracing of chosen packets. Costs one predictable branch per step when nobody looks. */
#include "net/watch.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct cop_watch {
    FILE *out; /* NULL: no lines */
    cop_packet_fn fn; /* NULL: nobody else */
    void *ctx;
    uint64_t lines_left;
    uint64_t src, dst; /* COP_NONE: any */
    uint64_t from, count; /* packet numbers of a source */
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
    net->watch = w;
    return 0;
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

static void tell(cop_net *net, enum cop_watch_step step, uint32_t port, const cop_pkt *p)
{
    char name[64], next[64];
    bool queued = step == COP_WATCH_QUEUE;
    uint32_t out = queued ? cop_topo_switch_port(net->topo, net->in[port].sw, p->out) : 0;
    cop_packet_step s = {.step = step,
                         .t = net->now,
                         .done = p->t_tail,
                         .port = cop_topo_port_name(net->topo, port, name, sizeof(name)),
                         .next =
                             queued ? cop_topo_port_name(net->topo, out, next, sizeof(next)) : NULL,
                         .at_host = port >= net->host_port0,
                         .src = p->src,
                         .dst = p->dst,
                         .seq = p->seq,
                         .bytes = p->bytes,
                         .vl = p->vl};
    net->watch->fn(net->watch->ctx, &s);
}

void cop_watch_step(cop_net *net, enum cop_watch_step step, uint32_t port, const cop_pkt *p)
{
    static const char *const what[] = {"injected at", "sent by", "queued at", "delivered to"};
    struct cop_watch *w = net->watch;
    char name[64], next[64];
    if (w != NULL && w->fn != NULL)
        tell(net, step, port, p);
    if (w == NULL || w->lines_left == 0 || w->out == NULL)
        return;
    if (--w->lines_left == 0) {
        fputs("the trace ends here; raise run.watch_limit to see more\n", w->out);
        return;
    }
    fprintf(w->out, "%14.3f ns  packet %u:%u  %u -> %u  %5u B  vl %u  %s %s",
            (double)net->now / 1e3, p->src, p->seq, p->src, p->dst, p->bytes, p->vl, what[step],
            plain_name(net, port, name, sizeof(name)));
    if (step == COP_WATCH_QUEUE)
        fprintf(w->out, " for %s, %u B wait there",
                plain_name(net, cop_topo_switch_port(net->topo, net->in[port].sw, p->out), next,
                           sizeof(next)),
                net->out[cop_topo_switch_port(net->topo, net->in[port].sw, p->out)].waiting);
    else if (step == COP_WATCH_SEND && net->worm == NULL) /* where a tail leaves when it can */
        fprintf(w->out, ", tail at %s at %.3f ns",
                plain_name(net, net->out[port].to, next, sizeof(next)), (double)p->t_tail / 1e3);
    else if (step == COP_WATCH_DELIVER)
        fprintf(w->out, ", complete at %.3f ns, latency %.3f ns", (double)p->t_tail / 1e3,
                (double)(p->t_tail - p->t_gen) / 1e3);
    fputc('\n', w->out);
}
