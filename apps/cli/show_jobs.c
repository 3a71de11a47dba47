/* Jobs and their collectives, for people. */
#include "base/text.h"
#include "show_int.h"

#define MAX_COLLECTIVES 8

static const char *time_or_dash(const cop_sheet *s, cop_time from, cop_time to, char *buf,
                                size_t size)
{
    if (to == COP_NEVER)
        return "-";
    return cop_short_time(s->units, (double)(to - from), buf, size);
}

void cop_show_jobs(const cop_sheet *s)
{
    const cop_result *r = s->r;
    cop_arena *arena = s->arena;
    FILE *out = s->out;
    if (r->n_jobs == 0)
        return;
    fprintf(out, "\n%39scritical path:\n  %-16s %6s %11s  %s\n", "", "job", "ranks", "completion",
            "compute, overhead, network, waiting");
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const cop_job_result *j = &r->job[i];
        char end[24], part[4][24];
        cop_put_name(out, cop_plain_copy(arena, j->name), 16);
        fprintf(out, " %6u %11s  %s, %s, %s, %s in %" PRIu64 " steps\n", j->ranks,
                time_or_dash(s, j->start, j->end, end, sizeof(end)),
                cop_short_time(s->units, (double)j->path_compute, part[0], sizeof(part[0])),
                cop_short_time(s->units, (double)j->path_overhead, part[1], sizeof(part[1])),
                cop_short_time(s->units, (double)j->path_network, part[2], sizeof(part[2])),
                cop_short_time(s->units, (double)j->path_wait, part[3], sizeof(part[3])),
                j->path_steps);
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
                c->ranks, time_or_dash(s, c->start, c->end, took, sizeof(took)),
                c->start == COP_NEVER ? "-"
                                      : cop_short_time(s->units, (double)c->start, at, sizeof(at)));
    }
    if (shown < r->n_collectives)
        fprintf(out, "  %u more collectives; --db keeps all\n", r->n_collectives - shown);
}
