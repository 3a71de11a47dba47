/* A result for people: what was simulated, how much arrived, who got which share, where it queued,
 * and how it went over time. */
#include "show.h"
#include "base/opt.h"
#include "base/text.h"
#include "plot.h"

#include <string.h>

#define MAX_FLOW_ROWS 40
#define HOT_LINKS 5
#define MAX_OF_FAMILY 6
#define MAX_CURVES 8
#define MAX_LATE 4
#define MAX_COLLECTIVES 8
#define BAR 24
#define THROUGHPUT "throughput/"

static const char *const time_units[] = {"ps", "ns", "us", "ms", "s"};

/* A duration with three significant digits. */
static const char *short_time(double ps, char *buf, size_t size)
{
    size_t i = 0;
    for (; i + 1 < COP_LEN(time_units) && ps >= 999.5; i++)
        ps /= 1000;
    snprintf(buf, size, "%.3g %s", ps, time_units[i]);
    return buf;
}

static const char *short_bytes(double bytes, char *buf, size_t size)
{
    if (bytes < 1024)
        snprintf(buf, size, "%.0f B", bytes);
    else if (bytes < 1048576)
        snprintf(buf, size, "%.1f KiB", bytes / 1024);
    else
        snprintf(buf, size, "%.1f MiB", bytes / 1048576);
    return buf;
}

/* 1234567 as "1 234 567". */
static const char *grouped(uint64_t v, char *buf, size_t size)
{
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);
    size_t used = 0;
    for (int i = 0; i < n && used + 2 < size; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            buf[used++] = ' ';
        buf[used++] = digits[i];
    }
    buf[used] = '\0';
    return buf;
}

/* Padded on the right; columns count, not bytes. */
static void put_padded(FILE *out, const char *text, size_t width)
{
    size_t n = cop_columns(text);
    fprintf(out, "%s%*s", text, n < width ? (int)(width - n) : 0, "");
}

/* `length` cells filled to `share`. */
static void print_bar(FILE *out, double share, unsigned length, bool colour)
{
    unsigned filled = share > 0 ? (unsigned)(share * length + 0.5) : 0;
    filled = filled < length ? filled : length;
    for (unsigned i = 0; i < length; i++)
        fputs(i >= filled ? " " : colour ? "\u2588" : "#", out);
}

static void show_latency(FILE *out, const cop_hist *h)
{
    char mean[24], p50[24], p99[24], max[24];
    if (h == NULL || h->count == 0) {
        fputs("  latency      no packet was delivered after the warm-up\n", out);
        return;
    }
    fprintf(out, "  latency      mean %s, p50 %s, p99 %s, max %s\n",
            short_time(cop_hist_mean(h), mean, sizeof(mean)),
            short_time(cop_hist_quantile(h, 0.50), p50, sizeof(p50)),
            short_time(cop_hist_quantile(h, 0.99), p99, sizeof(p99)),
            short_time((double)h->max, max, sizeof(max)));
}

/* Entries that never send: their time begins when the run is over. */
static void show_silence(FILE *out, const cop_config *c, const cop_result *r, cop_arena *arena)
{
    size_t late = 0;
    if (c->n_traffic == 0)
        fputs("  traffic      none; add a `traffic` list to the file\n", out);
    for (size_t i = 0; i < c->n_traffic; i++) {
        const cop_traffic_cfg *t = &c->traffic[i];
        uint64_t begin = t->active.n ? cop_max64(t->start_ps, t->active.v[0]) : t->start_ps;
        char when[40], end[40];
        if (begin < c->run.duration_ps || late++ >= MAX_LATE)
            continue;
        fprintf(out, "  traffic      `%s` sends nothing: it begins at %s, the run ends at %s\n",
                t->name[0] ? cop_plain_copy(arena, t->name)
                           : cop_arena_printf(arena, "traffic%zu", i),
                cop_print_time(begin, when, sizeof(when)),
                cop_print_time(c->run.duration_ps, end, sizeof(end)));
    }
    if (late > MAX_LATE)
        fprintf(out, "  traffic      %zu more begin after the end of the run\n", late - MAX_LATE);
    if (c->n_traffic > 0 && r->n_streams == 0 && late == 0)
        fputs("  traffic      no entry has a host that sends\n", out);
}

static double scalar(const cop_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0)
            return r->scalar[i].value;
    return 0.0;
}

/* What arrives; beside it what was offered, where sources have a rate of their own. */
static void show_throughput(FILE *out, const cop_result *r)
{
    double offered = scalar(r, "offered_gbps"), senders = scalar(r, "senders");
    fprintf(out, "  throughput   %.2f Gbit/s in all", r->throughput_total_gbps);
    if (senders > 0 && senders < r->n_hosts)
        fprintf(out, ", %.3f per sender (%.0f of %u hosts send)",
                r->throughput_total_gbps / senders, senders, r->n_hosts);
    else
        fprintf(out, ", %.3f per host", r->throughput_gbps);
    fputc('\n', out);
    if (offered <= 0)
        return;
    char waiting[24];
    fprintf(out, "  offered      %.2f Gbit/s, accepted %.2f", offered, scalar(r, "accepted_gbps"));
    if (scalar(r, "saturated") > 0)
        fprintf(out,
                ": SATURATED, not steady; %s wait at the sources,\n"
                "               and latencies grow with the length of the run",
                short_bytes(scalar(r, "waiting_at_sources_bytes"), waiting, sizeof(waiting)));
    fputc('\n', out);
}

/* The same in flits and cycles, where the run file has them. */
static void show_units(FILE *out, const cop_config *c, const cop_result *r)
{
    if (c->units.cycle_ps == 0)
        return;
    fputs("  in cycles    ", out);
    if (c->units.flit_bytes > 0) {
        fprintf(out, "%.4f flit/cycle/node", scalar(r, "throughput_flits"));
        if (scalar(r, "offered_flits") > 0)
            fprintf(out, " (offered %.4f, accepted %.4f)", scalar(r, "offered_flits"),
                    scalar(r, "accepted_flits"));
        fputs("; ", out);
    }
    fprintf(out, "latency mean %.1f, p50 %.0f, p99 %.0f, max %.0f cycles\n",
            scalar(r, "latency_cycles.mean"), scalar(r, "latency_cycles.p50"),
            scalar(r, "latency_cycles.p99"), scalar(r, "latency_cycles.max"));
}

/* Exchanges that the run cut off. */
static void show_unfinished(FILE *out, const cop_result *r, cop_arena *arena)
{
    static const char head[] = "exchange/", tail[] = "/unfinished";
    for (uint32_t i = 0; i < r->n_scalars; i++) {
        const char *name = r->scalar[i].name, *end = strstr(name, tail);
        if (strncmp(name, head, strlen(head)) != 0 || end == NULL || end[strlen(tail)] != '\0' ||
            r->scalar[i].value == 0)
            continue;
        name += strlen(head);
        fprintf(out,
                "  exchange     `%s` is NOT FINISHED: %.0f streams had messages left at the end of "
                "the run;\n"
                "               `elapsed` is not its duration. Make run.duration longer\n",
                cop_plain_copy(arena, cop_arena_printf(arena, "%.*s", (int)(end - name), name)),
                r->scalar[i].value);
    }
}

static void show_summary(FILE *out, const cop_config *c, const cop_result *r, cop_arena *arena)
{
    char a[40], b[40], d[40], e[40];
    static const char *const outcome[] = {
        [COP_OUTCOME_DEADLOCK] =
            "DEADLOCK: the figures below are those of a network that stands still",
        [COP_OUTCOME_LOSS] = "LOSS: the figures below are those of a run that was stopped",
        [COP_OUTCOME_BROKEN] = "BROKEN: the figures below are those of a run that was stopped",
        [COP_OUTCOME_FAILED] = "FAILED: there is no result",
        [COP_OUTCOME_STARVED] = "STARVED: the congestion control holds messages back for ever",
        [COP_OUTCOME_STUCK] = "STUCK: a job waits for a message that will never come"};
    fprintf(out, "%s%s%s\n", cop_plain_copy(arena, c->name), c->title[0] ? ": " : "",
            cop_plain_copy(arena, c->title));
    if (r->outcome != COP_OUTCOME_OK)
        fprintf(out, "  outcome      %s\n", outcome[r->outcome]);
    show_silence(out, c, r, arena);
    fprintf(out, "  network      %u host%s, %u switch%s: %s, routing %s, queueing %s, cc %s\n",
            r->n_hosts, r->n_hosts == 1 ? "" : "s", r->n_switches, r->n_switches == 1 ? "" : "es",
            c->topo->name, c->route->name, c->queue->name, c->cc->name);
    fprintf(out, "  simulated    %s, of which %s warm-up\n",
            cop_print_time(r->sim_time, a, sizeof(a)), cop_print_time(r->warmup, b, sizeof(b)));
    fprintf(out, "  packets      %s injected, %s delivered, %s in flight, %s lost\n",
            grouped(r->packets_injected, a, sizeof(a)), grouped(r->packets_delivered, b, sizeof(b)),
            grouped(r->packets_in_flight, d, sizeof(d)), grouped(r->packets_lost, e, sizeof(e)));
    show_throughput(out, r);
    show_latency(out, r->latency);
    show_units(out, c, r);
    show_unfinished(out, r, arena);
    fprintf(out, "  work         %s events, %s packet-hops\n", grouped(r->events, a, sizeof(a)),
            grouped(r->packet_hops, b, sizeof(b)));
    double rate = r->cpu_seconds > 0 ? (double)r->packet_hops / r->cpu_seconds / 1e6 : 0;
    fprintf(out, "  speed        %.2f M packet-hops per CPU second; %.2f s CPU, %s memory\n", rate,
            r->cpu_seconds, short_bytes((double)r->peak_rss_bytes, a, sizeof(a)));
    fprintf(out, "  run hash     %016" PRIx64 "\n", r->run_hash);
}

static const char *host_name(const cop_result *r, uint32_t host, char *buf, size_t size,
                             cop_arena *arena)
{
    if (host == COP_NONE)
        return "any";
    if (host < r->n_nodes && r->node[host].name != NULL)
        return cop_plain_copy(arena, r->node[host].name);
    snprintf(buf, size, "h%u", host);
    return buf;
}

static void show_streams(FILE *out, const cop_result *r, bool colour, cop_arena *arena)
{
    double most = 0;
    int width = 8;
    for (uint32_t i = 0; i < r->n_streams; i++) {
        int length = (int)cop_columns(r->stream[i].entry);
        width = length > width ? length : width;
        most = r->stream[i].gbps > most ? r->stream[i].gbps : most;
    }
    fprintf(out, "\n  %-*s %-23s %9s  %-*s %10s\n", width, "flow", "from -> to", "Gbit/s", BAR,
            "share", "latency");
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const cop_stream_result *s = &r->stream[i];
        char from[24], to[24], path[64], latency[24];
        snprintf(path, sizeof(path), "%s -> %s", host_name(r, s->host, from, sizeof(from), arena),
                 host_name(r, s->dst, to, sizeof(to), arena));
        fputs("  ", out);
        put_padded(out, cop_plain_copy(arena, s->entry), (size_t)width);
        fputc(' ', out);
        put_padded(out, path, 23);
        fprintf(out, " %9.3f  ", s->gbps);
        print_bar(out, most > 0 ? s->gbps / most : 0, BAR, colour);
        short_time(s->latency_mean_ns * 1e3, latency, sizeof(latency));
        fprintf(out, " %10s\n", s->packets ? latency : "-");
    }
}

/* One row per traffic entry; the streams of an entry have its name. */
static void show_entries(FILE *out, const cop_result *r, cop_arena *arena)
{
    fprintf(out, "\n  %-20s %7s %13s %9s %9s %10s\n", "traffic", "streams", "mean Gbit/s", "min",
            "max", "latency");
    bool *done = cop_alloc_array(r->n_streams, sizeof(*done));
    for (uint32_t i = 0; i < r->n_streams; i++) {
        if (done[i])
            continue;
        const char *entry = r->stream[i].entry;
        double sum = 0, min = r->stream[i].gbps, max = 0, latency = 0;
        uint64_t packets = 0;
        uint32_t n = 0;
        for (uint32_t k = i; k < r->n_streams; k++) {
            const cop_stream_result *s = &r->stream[k];
            if (done[k] || (s->entry != entry && strcmp(s->entry, entry) != 0))
                continue;
            done[k] = true;
            n++;
            sum += s->gbps;
            min = s->gbps < min ? s->gbps : min;
            max = s->gbps > max ? s->gbps : max;
            latency += s->latency_mean_ns * (double)s->packets;
            packets += s->packets;
        }
        char text[24] = "-";
        if (packets > 0)
            short_time(latency / (double)packets * 1e3, text, sizeof(text));
        fputs("  ", out);
        put_padded(out, cop_plain_copy(arena, entry), 20);
        fprintf(out, " %7u %13.3f %9.3f %9.3f %10s\n", n, sum / n, min, max, text);
    }
    cop_free(done);
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
static void show_links(FILE *out, const cop_result *r, bool by_queue, cop_arena *arena)
{
    const cop_port_result *top[HOT_LINKS];
    size_t n = first_ports(r, top, by_queue);
    if (n == 0)
        return;
    fprintf(out, "\n  %-36s %12s %12s %12s\n", by_queue ? "fullest ports" : "busiest links", "use",
            "mean queue", "max queue");
    for (size_t i = 0; i < n; i++) {
        char path[80], mean[24], max[24];
        snprintf(path, sizeof(path), "%s -> %s", top[i]->name, top[i]->to ? top[i]->to : "?");
        const char *shown = cop_plain_copy(arena, path);
        fputs("  ", out);
        put_padded(out, shown, 36);
        fprintf(out, " %10.1f %% %12s %12s\n", top[i]->utilisation * 100,
                short_bytes(top[i]->mean_queue_bytes, mean, sizeof(mean)),
                short_bytes((double)top[i]->max_queue_bytes, max, sizeof(max)));
    }
}

/* Scalars up to the last of those that the summary has told. */
static uint32_t told_above(const cop_result *r)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, "saturated") == 0)
            return i + 1;
    return 0;
}

static const char *time_or_dash(cop_time from, cop_time to, char *buf, size_t size)
{
    if (to == COP_NEVER)
        return "-";
    return short_time((double)(to - from), buf, size);
}

/* Jobs: how long each took, and what its end depended on. */
static void show_jobs(FILE *out, const cop_result *r, cop_arena *arena)
{
    if (r->n_jobs == 0)
        return;
    fprintf(out, "\n  %-16s %6s %11s  %s\n", "job", "ranks", "completion",
            "critical path: compute, overhead, network, waiting");
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const cop_job_result *j = &r->job[i];
        char end[24], part[4][24];
        fputs("  ", out);
        put_padded(out, cop_plain_copy(arena, j->name), 16);
        fprintf(out, " %6u %11s  %s, %s, %s, %s in %" PRIu64 " steps\n", j->ranks,
                time_or_dash(j->start, j->end, end, sizeof(end)),
                short_time((double)j->path_compute, part[0], sizeof(part[0])),
                short_time((double)j->path_overhead, part[1], sizeof(part[1])),
                short_time((double)j->path_network, part[2], sizeof(part[2])),
                short_time((double)j->path_wait, part[3], sizeof(part[3])), j->path_steps);
        if (j->end == COP_NEVER)
            fprintf(out, "    %s: %" PRIu64 " of %" PRIu64 " operations are left; %s\n",
                    j->stuck ? "stuck" : "not finished", j->left, j->operations,
                    cop_plain_copy(arena, j->waits));
    }
    uint32_t shown = 0;
    for (uint32_t i = 0; i < r->n_collectives && shown < MAX_COLLECTIVES; i++, shown++) {
        const cop_collective_result *c = &r->collective[i];
        char took[24], at[24];
        fprintf(out, "%s  %-36s %6u ranks %12s, from %s\n", shown == 0 ? "\n" : "",
                cop_arena_printf(arena, "%s: %s", cop_plain_copy(arena, r->job[c->job].name),
                                 cop_plain_copy(arena, c->name)),
                c->ranks, time_or_dash(c->start, c->end, took, sizeof(took)),
                c->start == COP_NEVER ? "-" : short_time((double)c->start, at, sizeof(at)));
    }
    if (shown < r->n_collectives)
        fprintf(out, "  %u more collectives; --db keeps all\n", r->n_collectives - shown);
}

static void show_extra(FILE *out, const char *name, double value, const char *unit)
{
    fprintf(out, "  %-36s %14.6g %s\n", name, value, unit ? unit : "");
}

/* `fecn/` of fecn/ENTRY: how much of a counter's name it has in common with others; 0: it stands alone. */
static size_t family_of(const char *name)
{
    const char *slash = strchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

/* Scalars `first` to `end` - 1 are counters of one family, by port or traffic entry. Of many the largest are shown, and what the
 * others add up to. */
static void show_family(FILE *out, const cop_result *r, uint32_t first, uint32_t end,
                        cop_arena *arena)
{
    const cop_scalar *top[MAX_OF_FAMILY] = {NULL}, *s = r->scalar;
    uint32_t n = 0, all = 0;
    double rest = 0.0;
    for (uint32_t i = first; i < end; i++)
        all += s[i].value != 0.0;
    for (uint32_t i = first; i < end; i++) {
        if (s[i].value == 0.0)
            continue;
        uint32_t at = n < MAX_OF_FAMILY ? n++ : MAX_OF_FAMILY;
        if (at == MAX_OF_FAMILY)
            rest += s[i].value > top[at - 1]->value ? top[at - 1]->value : s[i].value;
        for (; at > 0 && all > MAX_OF_FAMILY && s[i].value > top[at - 1]->value; at--)
            if (at < MAX_OF_FAMILY)
                top[at] = top[at - 1];
        if (at < MAX_OF_FAMILY)
            top[at] = &s[i];
    }
    for (uint32_t k = 0; k < n; k++)
        show_extra(out, cop_plain_copy(arena, top[k]->name), top[k]->value, top[k]->unit);
    if (all > n)
        show_extra(out,
                   cop_arena_printf(arena, "%.*s, %u more: together",
                                    (int)family_of(s[first].name) - 1, s[first].name, all - n),
                   rest, s[first].unit);
}

/* Counters of mechanisms, where there is something to tell. */
static void show_extras(FILE *out, const cop_result *r, cop_arena *arena)
{
    bool shown = false;
    for (uint32_t i = told_above(r), end; i < r->n_scalars; i = end) {
        const cop_scalar *s = &r->scalar[i];
        size_t family = family_of(s->name);
        bool any = s->value != 0.0;
        for (end = i + 1;
             family > 0 && end < r->n_scalars && strncmp(r->scalar[end].name, s->name, family) == 0;
             end++)
            any |= r->scalar[end].value != 0.0;
        if (!any || strncmp(s->name, "hardware.", 9) == 0 || /* `coppice check` tells */
            strncmp(s->name, "job/", 4) == 0) /* show_jobs */
            continue;
        if (!shown)
            fputc('\n', out);
        shown = true;
        if (family > 0)
            show_family(out, r, i, end, arena);
        else
            show_extra(out, cop_plain_copy(arena, s->name), s->value, s->unit);
    }
}

/* Throughput of each traffic entry if they are few, else of the network. */
static void show_plot(FILE *out, const cop_result *r, cop_style style)
{
    cop_plot_line lines[MAX_CURVES] = {{0}};
    const char *unit = NULL;
    size_t n = 0, found = 0;
    for (uint32_t i = 0; i < r->n_series; i++) {
        const cop_series *s = &r->series[i];
        if (strncmp(s->name, THROUGHPUT, strlen(THROUGHPUT)) != 0)
            continue;
        if (found++ < MAX_CURVES)
            lines[n++] = (cop_plot_line){s->name + strlen(THROUGHPUT), s->v, s->n};
        unit = s->unit;
    }
    for (uint32_t i = 0; (found == 0 || found > MAX_CURVES) && i < r->n_series; i++) {
        const cop_series *s = &r->series[i];
        if (strcmp(s->name, "network/throughput") == 0) {
            lines[0] = (cop_plot_line){"network", s->v, s->n};
            unit = s->unit;
            n = 1;
            break;
        }
    }
    if (n == 0 || lines[0].n < 2)
        return;
    cop_plot_axes axes = {.title = "throughput over time",
                          .y_unit = unit ? unit : "",
                          .step = r->sample,
                          .width = style.width};
    fputc('\n', out);
    cop_plot(out, lines, n, &axes, style.colour);
}

void cop_show_result(FILE *out, const cop_config *c, const cop_result *r, cop_style style)
{
    cop_arena arena = {0}; /* for names with something in them that a terminal would obey */
    show_summary(out, c, r, &arena);
    if (r->n_streams > 0 && r->n_streams <= MAX_FLOW_ROWS)
        show_streams(out, r, style.colour, &arena);
    else if (r->n_streams > 0)
        show_entries(out, r, &arena);
    show_jobs(out, r, &arena);
    show_links(out, r, true, &arena);
    show_links(out, r, false, &arena);
    show_extras(out, r, &arena);
    show_plot(out, r, style);
    cop_show_trees(out, r, &arena);
    cop_arena_free(&arena);
}
