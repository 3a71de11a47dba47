/* Traffic entries for people: a row each, and its sources that starve. */
#include "base/text.h"
#include "show_int.h"

#include <string.h>

#define MAX_NAMED 4
/* Packets of a source, on average, after the warm-up; with fewer the measured time is too short. */
#define ENOUGH_PACKETS 10

const char *cop_host_label(const cop_result *r, uint32_t host, char *buf, size_t size,
                           cop_arena *arena)
{
    if (host == COP_NONE)
        return "any";
    if (host < r->n_nodes && r->node[host].name != NULL)
        return cop_plain_copy(arena, r->node[host].name);
    snprintf(buf, size, "h%u", host);
    return buf;
}

/* Rates are a few hundred Gbit/s or less than a flit in a cycle. */
int cop_rate_digits(const cop_sheet *s)
{
    return cop_rates_in_flits(s->units) ? 4 : 3;
}

/* Of the n streams of the entry of stream `first`, which have so many packets together, those that starve. */
static void show_starving(const cop_sheet *s, uint32_t first, uint32_t n, uint64_t packets)
{
    const cop_result *r = s->r;
    uint32_t starving = 0;
    char named[160] = "";
    for (uint32_t i = first; packets / n >= ENOUGH_PACKETS && i < r->n_streams; i++) {
        const cop_stream_result *one = &r->stream[i];
        if (!one->starves || strcmp(one->entry, r->stream[first].entry) != 0)
            continue;
        char buf[24];
        size_t at = strlen(named);
        if (starving++ < MAX_NAMED)
            snprintf(named + at, sizeof(named) - at, "%s%s", at > 0 ? ", " : "",
                     cop_host_label(r, one->host, buf, sizeof(buf), s->arena));
    }
    if (starving > 0)
        fprintf(s->out, "    STARVING: %u of %u get nothing through: %s%s\n", starving, n, named,
                starving > MAX_NAMED ? ", ..." : "");
}

/* One row per traffic entry; the streams of an entry have its name. */
void cop_show_entries(const cop_sheet *s)
{
    const cop_result *r = s->r;
    fprintf(s->out, "\n  %-20s %7s %15s %9s %9s %12s\n", "traffic", "streams",
            cop_arena_printf(s->arena, "mean %s", cop_rate_unit(s->units)), "min", "max",
            "latency");
    bool *done = cop_alloc_array(r->n_streams, sizeof(*done));
    for (uint32_t i = 0; i < r->n_streams; i++) {
        if (done[i])
            continue;
        const char *entry = r->stream[i].entry;
        double sum = 0, min = r->stream[i].gbps, max = 0, latency = 0;
        uint64_t packets = 0;
        uint32_t n = 0;
        for (uint32_t k = i; k < r->n_streams; k++) {
            const cop_stream_result *one = &r->stream[k];
            if (done[k] || (one->entry != entry && strcmp(one->entry, entry) != 0))
                continue;
            done[k] = true;
            n++;
            sum += one->gbps;
            min = one->gbps < min ? one->gbps : min;
            max = one->gbps > max ? one->gbps : max;
            latency += one->latency_mean_ns * (double)one->packets;
            packets += one->packets;
        }
        char text[24] = "-";
        if (packets > 0)
            cop_short_time(s->units, latency / (double)packets * 1e3, text, sizeof(text));
        int digits = cop_rate_digits(s);
        cop_put_name(s->out, cop_plain_copy(s->arena, entry), 20);
        fprintf(s->out, " %7u %15.*f %9.*f %9.*f %12s\n", n, digits, cop_rate_of(s->units, sum / n),
                digits, cop_rate_of(s->units, min), digits, cop_rate_of(s->units, max), text);
        show_starving(s, i, n, packets);
    }
    cop_free(done);
}
