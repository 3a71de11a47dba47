/* Progress of a run. Looks at the clock of the machine, but nothing it finds there goes back into
 * the simulation. */
#include "progress.h"
#include "cli.h"

#include <string.h>
#include <time.h>

#define REFRESH_SECONDS 0.1
#define PATIENCE_SECONDS 1.0
#define MAX_BAR 60

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void cop_progress_start(cop_progress *p, FILE *out, bool quiet)
{
    *p = (cop_progress){.out = quiet ? NULL : out, .width = 80};
    p->started = p->last = seconds();
    p->terminal = cop_cli_is_terminal(out);
    if (p->terminal)
        p->width = cop_cli_style(out).width;
}

/* "3.2 M packet-hops/s, 12 s left" */
static void describe(char *buf, size_t size, double share, double elapsed, uint64_t packet_hops)
{
    double rate = elapsed > 0 ? (double)packet_hops / elapsed / 1e6 : 0;
    double left = share > 0 ? elapsed / share - elapsed : 0;
    if (left >= 5940)
        snprintf(buf, size, "%.1f M packet-hops/s, %.1f h left", rate, left / 3600);
    else if (left >= 99)
        snprintf(buf, size, "%.1f M packet-hops/s, %.0f min left", rate, left / 60);
    else
        snprintf(buf, size, "%.1f M packet-hops/s, %.0f s left", rate, left);
}

static void draw_bar(cop_progress *p, double share, const char *text)
{
    size_t taken = strlen(text) + 12;
    size_t room = p->width > taken ? p->width - taken : 0;
    size_t length = room < MAX_BAR ? room : MAX_BAR;
    size_t filled = (size_t)((double)length * share);
    char bar[MAX_BAR + 1];
    memset(bar, '.', length);
    memset(bar, '#', filled);
    bar[length] = '\0';
    fprintf(p->out, "\r[%s] %3.0f %%  %s\033[K", bar, share * 100, text);
    fflush(p->out);
    p->shown = true;
}

static void step(cop_progress *p, cop_time now, cop_time end, uint64_t packet_hops)
{
    if (p->out == NULL || end == 0)
        return;
    double share = now >= end ? 1.0 : (double)now / (double)end;
    double t = seconds();
    char text[80];
    if (p->terminal) {
        if (t - p->last < REFRESH_SECONDS)
            return;
        p->last = t;
        describe(text, sizeof(text), share, t - p->started, packet_hops);
        draw_bar(p, share, text);
        return;
    }
    unsigned quarter = (unsigned)(share * 4);
    if (quarter > p->quarter) {
        p->quarter = quarter;
        if (t - p->started < PATIENCE_SECONDS)
            return; /* too short for lines of progress */
        describe(text, sizeof(text), share, t - p->started, packet_hops);
        fprintf(p->out, "%u %%  %s\n", quarter * 25, text);
    }
}

bool cop_progress_step(void *ctx, cop_time now, cop_time end, uint64_t packet_hops)
{
    step(ctx, now, end, packet_hops);
    return false;
}

void cop_progress_end(cop_progress *p)
{
    if (p->out != NULL && p->shown)
        fputs("\r\033[K", p->out);
}
