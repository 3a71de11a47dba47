/* Congestion trees for people: one of them is one sentence, broken at commas to fit the terminal. */
#include "base/text.h"
#include "show_int.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define MAX_TREES 8
#define WIDTH 80

typedef struct sentence {
    FILE *out;
    size_t column;
} sentence;

/* A part of the sentence; it begins a line of its own if this one would get too long. */
static void put(sentence *s, const char *fmt, ...) COP_PRINTF(2, 3);
static void put(sentence *s, const char *fmt, ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    size_t n = cop_columns(text);
    if (s->column > 0 && s->column + n + 1 >= WIDTH) {
        fputs("\n     ", s->out);
        s->column = 5;
    }
    fprintf(s->out, "%s%s", s->column > 0 ? " " : "", text);
    s->column += n + 1;
}

static const char *port_name(const cop_result *r, uint32_t port, cop_arena *arena)
{
    if (port >= r->n_ports)
        return "?";
    return cop_plain_copy(arena, cop_arena_printf(arena, "%.40s -> %.40s", r->port[port].name,
                                                  r->port[port].to ? r->port[port].to : "?"));
}

static void show_tree(const cop_sheet *sheet, uint32_t i)
{
    const cop_result *r = sheet->r;
    const cop_tree_result *t = &r->tree[i];
    uint64_t cycle = sheet->units->cycle_ps;
    bool ms = (double)t->end >= 1e9;
    const char *unit = cycle > 0 ? "cycles" : ms ? "ms" : "us";
    double scale = cycle > 0 ? (double)cycle
                   : ms      ? 1e9
                             : 1e6,
           begin = (double)t->begin / scale, end = (double)t->end / scale;
    int digits = cycle > 0 ? 0 : 2;
    sentence s = {.out = sheet->out};
    put(&s, "tree %u: root %s,", i + 1, port_name(r, t->root[t->n_roots - 1].port, sheet->arena));
    /* A tree at the last sample has no known end. */
    if (r->n_frames > 0 && t->end >= r->frame[r->n_frames - 1].t)
        put(&s, "since %.*f %s, still there at %.*f %s,", digits, begin, unit, digits, end, unit);
    else
        put(&s, "%.*f to %.*f %s,", digits, begin, digits, end, unit);
    put(&s, "%u links,", t->links);
    if (t->counted)
        put(&s, "%u contributor%s,", t->contributors, t->contributors == 1 ? "" : "s");
    if (!t->counted)
        put(&s, "contributors and victims not counted,");
    else if (t->victims == 0)
        put(&s, "no victims,");
    else if (isnan(t->loss))
        put(&s, "%" PRIu64 " victim%s,", t->victims, t->victims == 1 ? "" : "s");
    else
        put(&s, "%" PRIu64 " victim%s %.0f %%,", t->victims, t->victims == 1 ? " loses" : "s lose",
            100.0 * t->loss);
    if (t->kind == COP_TREE_UNJUDGED)
        put(&s, "seen at %u sample%s: too few to judge (4; run.tree_sample)", t->samples,
            t->samples == 1 ? "" : "s");
    else if (t->n_roots > 1)
        put(&s, "%s: %u roots", cop_tree_kind_name((int)t->kind), t->n_roots);
    else
        put(&s, "%s", cop_tree_kind_name((int)t->kind));
    fputc('\n', sheet->out);
}

void cop_show_trees(const cop_sheet *sheet)
{
    const cop_result *r = sheet->r;
    FILE *out = sheet->out;
    uint32_t shown = 0, unjudged = 0;
    if (!r->trees_asked)
        return;
    fputc('\n', out);
    if (r->n_frames == 0) {
        fputs("congestion trees: the run was too short to look for them; see run.tree_sample\n",
              out);
        return;
    }
    for (uint32_t i = 0; i < r->n_trees; i++) {
        unjudged += r->tree[i].kind == COP_TREE_UNJUDGED;
        if (shown == MAX_TREES || (r->tree[i].kind == COP_TREE_UNJUDGED && i > 0))
            continue;
        show_tree(sheet, i);
        shown++;
    }
    if (r->n_trees == 0)
        fputs("no congestion tree was seen: ", out);
    else if (r->n_trees > shown)
        fprintf(out, "and %u more tree%s, %u of them seen at fewer than 4 samples; ",
                r->n_trees - shown, r->n_trees - shown == 1 ? "" : "s",
                unjudged - (r->tree[0].kind == COP_TREE_UNJUDGED));
    if (r->n_trees == 0 || r->n_trees > shown)
        fprintf(out, "%u sample%s\n", r->n_frames, r->n_frames == 1 ? "" : "s");
}
