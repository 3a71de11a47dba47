/* A result for people: the network, throughput and its shares, queues, and curves over time. */
#include "base/opt.h"
#include "base/text.h"
#include "plot.h"
#include "show_int.h"
#include "wrap.h"

#include <inttypes.h>
#include <string.h>

#define MAX_FLOW_ROWS 40
#define HOT_LINKS 5
#define MAX_CURVES 8
#define MAX_LATE 4
#define THROUGHPUT "throughput/"
#define COLUMNS COP_SHOW_COLUMNS
#define CONTINUED "\n               " /* a line of the summary goes on */

void cop_put_padded(FILE *out, const char *text, size_t width)
{
    size_t n = cop_columns(text);
    fprintf(out, "%s%*s", text, n < width ? (int)(width - n) : 0, "");
}

void cop_put_name(FILE *out, const char *text, size_t width)
{
    bool wide = cop_columns(text) > width;
    if (wide)
        fprintf(out, "  %s\n", text);
    fputs("  ", out);
    cop_put_padded(out, wide ? "" : text, width);
}

static void show_latency(const cop_sheet *s)
{
    const cop_hist *h = s->r->latency;
    char mean[24], p50[24], p99[24], max[24];
    if (h == NULL || h->count == 0) {
        fputs("  latency      no packet was delivered after the warm-up\n", s->out);
        return;
    }
    int n = fprintf(s->out, "  latency      mean %s, p50 %s, p99 %s",
                    cop_short_time(s->units, cop_hist_mean(h), mean, sizeof(mean)),
                    cop_short_time(s->units, cop_hist_quantile(h, 0.50), p50, sizeof(p50)),
                    cop_short_time(s->units, cop_hist_quantile(h, 0.99), p99, sizeof(p99)));
    cop_short_time(s->units, (double)h->max, max, sizeof(max));
    bool fits = (size_t)n + strlen(", max ") + strlen(max) <= COLUMNS;
    fprintf(s->out, ",%smax %s\n", fits ? " " : CONTINUED, max);
}

/* A time with all its digits. */
static const char *full_time(const cop_sheet *s, cop_time t, char *buf, size_t size)
{
    return s->units->cycle_ps > 0 ? cop_short_time(s->units, (double)t, buf, size)
                                  : cop_print_time(t, buf, size);
}

/* Entries that never send: their time begins when the run is over. */
static void show_silence(const cop_sheet *s, const cop_config *c)
{
    size_t late = 0;
    if (c->n_traffic == 0)
        fputs("  traffic      none; add a `traffic` list to the file\n", s->out);
    for (size_t i = 0; i < c->n_traffic; i++) {
        const cop_traffic_cfg *t = &c->traffic[i];
        uint64_t begin = t->active.n ? cop_max64(t->start_ps, t->active.v[0]) : t->start_ps;
        char when[40], end[40];
        if (begin < c->run.duration_ps || late++ >= MAX_LATE)
            continue;
        fprintf(s->out, "  traffic      `%s` sends nothing: it begins at %s, the run ends at %s\n",
                t->name[0] ? cop_plain_copy(s->arena, t->name)
                           : cop_arena_printf(s->arena, "traffic%zu", i),
                full_time(s, begin, when, sizeof(when)),
                full_time(s, c->run.duration_ps, end, sizeof(end)));
    }
    if (late > MAX_LATE)
        fprintf(s->out, "  traffic      %zu more begin after the end of the run\n",
                late - MAX_LATE);
    if (c->n_traffic > 0 && s->r->n_streams == 0 && late == 0)
        fputs("  traffic      no entry has a host that sends\n", s->out);
}

static double scalar(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    return 0.0;
}

/* The network is saturated: sources wait, ever longer, or give up (patience). */
static void show_saturated(const cop_sheet *s)
{
    const cop_result *r = s->r;
    double given_up = scalar(r, "messages_given_up");
    char waiting[24];
    cop_short_bytes(s->units, scalar(r, "waiting_at_sources_bytes"), waiting, sizeof(waiting));
    if (given_up > 0)
        fprintf(s->out, ": SATURATED;" CONTINUED "sources gave up %.0f messages, %s wait there",
                given_up, waiting);
    else
        fprintf(s->out,
                ": SATURATED, not steady;" CONTINUED
                "%s wait at the sources, and latencies grow with the run",
                waiting);
}

/* Packets pile up in the network, not at the sources. */
static void show_unsettled(const cop_sheet *s, double more)
{
    char n[40];
    fprintf(s->out,
            ": NOT SETTLED;" CONTINUED "%s packets more in the network than before;" CONTINUED
            "a longer run shows whether it fills",
            cop_grouped((uint64_t)more, n, sizeof(n)));
}

/* Accepted load, and offered load where sources have a rate of their own. In flits and cycles both
 * are per node, as in the literature on tori. */
static void show_throughput(const cop_sheet *s)
{
    const cop_result *r = s->r;
    double offered = scalar(r, "offered_gbps"), senders = scalar(r, "senders");
    double total = cop_rate_of(s->units, r->throughput_total_gbps);
    bool flits = cop_rates_in_flits(s->units);
    fputs("  throughput   ", s->out);
    if (flits)
        fprintf(s->out, "%.4f flit/cycle/node", cop_rate_of(s->units, r->throughput_gbps));
    else
        fprintf(s->out, "%.2f Gbit/s in all", total);
    if (senders > 0 && senders < r->n_hosts)
        fprintf(s->out, ", %.*f per sender (%.0f of %u hosts send)", flits ? 4 : 3, total / senders,
                senders, r->n_hosts);
    else if (!flits)
        fprintf(s->out, ", %.3f per host", r->throughput_gbps);
    fputc('\n', s->out);
    if (offered <= 0)
        return;
    if (flits)
        fprintf(s->out, "  offered      %.4f flit/cycle/node, accepted %.4f",
                scalar(r, "offered_flits"), scalar(r, "accepted_flits"));
    else
        fprintf(s->out, "  offered      %.2f Gbit/s, accepted %.2f", offered,
                scalar(r, "accepted_gbps"));
    if (scalar(r, "saturated") > 0)
        show_saturated(s);
    else if (scalar(r, "packets_piled_up") > 0)
        show_unsettled(s, scalar(r, "packets_piled_up"));
    fputc('\n', s->out);
}

/* Exchanges that the run cut off. */
static void show_unfinished(const cop_sheet *s)
{
    const cop_result *r = s->r;
    static const char head[] = "exchange/", tail[] = "/unfinished";
    for (uint32_t i = 0; i < r->n_scalars; i++) {
        const char *name = r->scalar[i].name, *end = strstr(name, tail);
        if (strncmp(name, head, strlen(head)) != 0 || end == NULL || end[strlen(tail)] != '\0' ||
            r->scalar[i].value == 0)
            continue;
        name += strlen(head);
        fprintf(
            s->out,
            "  exchange     `%s` is NOT FINISHED:" CONTINUED
            "%.0f streams had messages left at the end of the run; `elapsed`" CONTINUED
            "is not its duration. Make run.duration longer\n",
            cop_plain_copy(s->arena, cop_arena_printf(s->arena, "%.*s", (int)(end - name), name)),
            r->scalar[i].value);
    }
}

static void show_summary(const cop_sheet *s, const cop_config *c)
{
    static const cop_units_cfg si = {0};
    const cop_result *r = s->r;
    FILE *out = s->out;
    char a[40], b[40], d[40], e[40];
    static const char *const outcome[] = {
        [COP_OUTCOME_DEADLOCK] = "DEADLOCK: the figures are those of a network that stands still",
        [COP_OUTCOME_LOSS] = "LOSS: the figures below are those of a run that was stopped",
        [COP_OUTCOME_BROKEN] = "BROKEN: the figures below are those of a run that was stopped",
        [COP_OUTCOME_FAILED] = "FAILED: there is no result",
        [COP_OUTCOME_STARVED] =
            "STARVED: the congestion control holds messages back for ever, or for longer "
            "than is simulated",
        [COP_OUTCOME_STUCK] = "STUCK: a job waits for a message that will never come"};
    cop_wrap_item(out,
                  cop_arena_printf(s->arena, "%s%s", cop_plain_copy(s->arena, c->name),
                                   c->title[0] ? ":" : ""),
                  2, cop_plain_copy(s->arena, c->title));
    if (r->outcome != COP_OUTCOME_OK)
        fprintf(out, "  outcome      %s\n", outcome[r->outcome]);
    show_silence(s, c);
    fprintf(out,
            "  network      %u host%s, %u switch%s: %s" CONTINUED
            "routing %s, queueing %s, cc %s\n",
            r->n_hosts, r->n_hosts == 1 ? "" : "s", r->n_switches, r->n_switches == 1 ? "" : "es",
            c->topo->name, c->route->name, c->queue->name, c->cc->name);
    fprintf(out, "  simulated    %s, of which %s warm-up\n",
            full_time(s, r->sim_time, a, sizeof(a)), full_time(s, r->warmup, b, sizeof(b)));
    fprintf(out, "  packets      %s injected, %s delivered, %s in flight, %s lost\n",
            cop_grouped(r->packets_injected, a, sizeof(a)),
            cop_grouped(r->packets_delivered, b, sizeof(b)),
            cop_grouped(r->packets_in_flight, d, sizeof(d)),
            cop_grouped(r->packets_lost, e, sizeof(e)));
    show_throughput(s);
    show_latency(s);
    show_unfinished(s);
    fprintf(out, "  work         %s events, %s packet-hops\n", cop_grouped(r->events, a, sizeof(a)),
            cop_grouped(r->packet_hops, b, sizeof(b)));
    double rate = r->cpu_seconds > 0 ? (double)r->packet_hops / r->cpu_seconds / 1e6 : 0;
    fprintf(out, "  speed        %.2f M packet-hops per CPU second; %.2f s CPU, %s memory\n", rate,
            r->cpu_seconds, cop_short_bytes(&si, (double)r->peak_rss_bytes, a, sizeof(a)));
    fprintf(out, "  run hash     %016" PRIx64 "\n", r->run_hash);
}

static bool busier(const cop_port_result *a, const cop_port_result *b)
{
    if (a->utilisation > b->utilisation || a->utilisation < b->utilisation)
        return a->utilisation > b->utilisation;
    return a->mean_queue_bytes > b->mean_queue_bytes;
}

static bool fuller(const cop_port_result *a, const cop_port_result *b)
{
    if (a->mean_queue_bytes > b->mean_queue_bytes || a->mean_queue_bytes < b->mean_queue_bytes)
        return a->mean_queue_bytes > b->mean_queue_bytes;
    return a->utilisation > b->utilisation;
}

/* The first ports in an order; those with nothing to tell are left out. */
static size_t first_ports(const cop_result *r, const cop_port_result **top, bool by_queue)
{
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_ports; i++) {
        const cop_port_result *p = &r->port[i];
        if (!((by_queue ? p->mean_queue_bytes : p->utilisation) > 0))
            continue;
        size_t at = n;
        while (at > 0 && (by_queue ? fuller(p, top[at - 1]) : busier(p, top[at - 1])))
            at--;
        if (at == HOT_LINKS)
            continue;
        n = n < HOT_LINKS ? n + 1 : n;
        memmove(&top[at + 1], &top[at], (n - at - 1) * sizeof(top[0]));
        top[at] = p;
    }
    return n;
}

/* A port that waits for credit is idle and full: congestion shows in queues, not in use. */
static void show_links(const cop_sheet *s, bool by_queue)
{
    const cop_port_result *top[HOT_LINKS];
    size_t n = first_ports(s->r, top, by_queue);
    if (n == 0)
        return;
    fprintf(s->out, "\n  %-36s %12s %12s %12s\n", by_queue ? "fullest ports" : "busiest links",
            "use", "mean queue", "max queue");
    for (size_t i = 0; i < n; i++) {
        char path[80], mean[24], max[24];
        snprintf(path, sizeof(path), "%s -> %s", top[i]->name, top[i]->to ? top[i]->to : "?");
        const char *shown = cop_plain_copy(s->arena, path);
        fputs("  ", s->out);
        cop_put_padded(s->out, shown, 36);
        fprintf(s->out, " %10.1f %% %12s %12s\n", top[i]->utilisation * 100,
                cop_short_bytes(s->units, top[i]->mean_queue_bytes, mean, sizeof(mean)),
                cop_short_bytes(s->units, (double)top[i]->max_queue_bytes, max, sizeof(max)));
    }
}

/* Values of a series in Gbit/s; in flits and cycles per node: of `hosts` of them. */
static cop_plot_line line_of(const cop_sheet *s, const cop_series *from, const char *name,
                             uint32_t hosts)
{
    cop_plot_line line = {name, from->v, from->n};
    if (!cop_rates_in_flits(s->units) || hosts == 0)
        return line;
    double *v = COP_NEW_ARRAY(s->arena, double, from->n);
    for (uint32_t i = 0; i < from->n; i++)
        v[i] = cop_rate_of(s->units, from->v[i]) / hosts;
    line.y = v;
    return line;
}

/* How many streams a series is the sum of: those of a traffic entry, or one, which has a name of its own. */
static uint32_t streams_in(const cop_result *r, const char *series)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_streams; i++)
        n += strcmp(r->stream[i].entry, series) == 0;
    return n > 0 ? n : 1;
}

/* Throughput of each traffic entry if they are few, else of the network. */
static void show_plot(const cop_sheet *s)
{
    const cop_result *r = s->r;
    cop_plot_line lines[MAX_CURVES] = {{0}};
    size_t n = 0, found = 0;
    for (uint32_t i = 0; i < r->n_series; i++) {
        const cop_series *one = &r->series[i];
        if (strncmp(one->name, THROUGHPUT, strlen(THROUGHPUT)) != 0)
            continue;
        const char *name = one->name + strlen(THROUGHPUT);
        if (found++ < MAX_CURVES)
            lines[n++] = line_of(s, one, name, streams_in(r, name));
    }
    for (uint32_t i = 0; (found == 0 || found > MAX_CURVES) && i < r->n_series; i++) {
        if (strcmp(r->series[i].name, "network/throughput") == 0) {
            lines[0] = line_of(s, &r->series[i], "network", r->n_hosts);
            n = 1;
            break;
        }
    }
    if (n == 0 || lines[0].n < 2)
        return;
    cop_plot_axes axes = {.title = "throughput over time",
                          .y_unit = cop_rates_in_flits(s->units) ? "flit/cycle/node" : "Gbit/s",
                          .step = r->sample,
                          .cycle = s->units->cycle_ps,
                          .width = s->style.width};
    fputc('\n', s->out);
    cop_plot(s->out, lines, n, &axes, s->style.colour);
}

/* Tells where the series of run.observe are, which have no table. */
static void show_observed(const cop_sheet *s, const char *asked)
{
    uint32_t n = 0;
    for (uint32_t i = 0; asked != NULL && i < s->r->n_series; i++) {
        const char *name = s->r->series[i].name;
        char kind[40];
        snprintf(kind, sizeof(kind), "%.*s/", (int)strcspn(name, "/"), name);
        n += strstr(asked, kind) != NULL;
    }
    if (n > 0)
        fprintf(s->out,
                "\nobserved: %" PRIu32
                " series; --json prints them, with --db FILE they are kept\n",
                n);
}

/* Mechanisms that were asked for and did nothing. */
static void show_rested(const cop_sheet *s)
{
    if (s->r->n_rested > 0)
        fputc('\n', s->out);
    for (uint32_t i = 0; i < s->r->n_rested; i++)
        cop_wrap_item(s->out, "did nothing:", 2, cop_plain_copy(s->arena, s->r->rested[i]));
}

void cop_show_result(FILE *out, const cop_config *c, const cop_result *r, cop_style style)
{
    cop_arena arena = {0};
    cop_sheet s = {.out = out, .r = r, .units = &c->units, .arena = &arena, .style = style};
    show_summary(&s, c);
    if (r->n_streams > 0 && r->n_streams <= MAX_FLOW_ROWS)
        cop_show_streams(&s);
    else if (r->n_streams > 0)
        cop_show_entries(&s);
    cop_show_jobs(&s);
    show_links(&s, true);
    show_links(&s, false);
    cop_show_counters(&s);
    show_plot(&s);
    show_observed(&s, c->run.observe);
    cop_show_trees(&s);
    show_rested(&s);
    cop_arena_free(&arena);
}
