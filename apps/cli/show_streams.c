/* The table of flows: who sends where, how much arrives, as a number and as a bar, and how late. */
#include "base/text.h"
#include "show_int.h"

#include <string.h>

#define BAR 20
#define LEAST_BAR 5

/* `length` cells filled to `share`. */
static void print_bar(FILE *out, double share, unsigned length, bool colour)
{
    unsigned filled = share > 0 ? (unsigned)(share * length + 0.5) : 0;
    filled = filled < length ? filled : length;
    for (unsigned i = 0; i < length; i++)
        fputs(i >= filled ? " " : colour ? "\u2588" : "#", out);
}

/* Columns of the table of flows: the bar gives way to long names of hosts and entries; an entry whose name is longer still has a
 * line of its own. */
typedef struct flow_columns {
    size_t entry, path, bar;
} flow_columns;

static const char *path_of(const cop_sheet *s, const cop_stream_result *one)
{
    char from[24], to[24];
    return cop_arena_printf(s->arena, "%s -> %s",
                            cop_host_label(s->r, one->host, from, sizeof(from), s->arena),
                            cop_host_label(s->r, one->dst, to, sizeof(to), s->arena));
}

static flow_columns measure_flows(const cop_sheet *s)
{
    flow_columns c = {8, 23, BAR};
    for (uint32_t i = 0; i < s->r->n_streams; i++) {
        size_t entry = cop_columns(s->r->stream[i].entry);
        size_t path = cop_columns(path_of(s, &s->r->stream[i]));
        c.entry = entry > c.entry ? entry : c.entry;
        c.path = path > c.path ? path : c.path;
    }
    size_t room = COP_SHOW_COLUMNS -
                  strlen("  "
                         " "
                         " 1234567890  "
                         " 123456789012") -
                  c.path;
    size_t most = room > 8 + LEAST_BAR ? room - LEAST_BAR : 8;
    c.entry = c.entry < most ? c.entry : most;
    c.bar = room > c.entry + LEAST_BAR ? room - c.entry : LEAST_BAR;
    c.bar = c.bar < BAR ? c.bar : BAR;
    return c;
}

void cop_show_streams(const cop_sheet *s)
{
    const cop_result *r = s->r;
    flow_columns c = measure_flows(s);
    double most = 0;
    for (uint32_t i = 0; i < r->n_streams; i++)
        most = r->stream[i].gbps > most ? r->stream[i].gbps : most;
    fprintf(s->out, "\n  %-*s %-*s %10s  %-*s %12s\n", (int)c.entry, "flow", (int)c.path,
            "from -> to", cop_rate_unit(s->units), (int)c.bar, "share", "latency");
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const cop_stream_result *one = &r->stream[i];
        char latency[24];
        cop_put_name(s->out, cop_plain_copy(s->arena, one->entry), c.entry);
        fputc(' ', s->out);
        cop_put_padded(s->out, path_of(s, one), c.path);
        fprintf(s->out, " %10.*f  ", cop_rate_digits(s), cop_rate_of(s->units, one->gbps));
        print_bar(s->out, most > 0 ? one->gbps / most : 0, (unsigned)c.bar, s->style.colour);
        cop_short_time(s->units, one->latency_mean_ns * 1e3, latency, sizeof(latency));
        fprintf(s->out, " %12s\n", one->packets ? latency : "-");
    }
}
