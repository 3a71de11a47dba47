/* The document in a terminal: a line per experiment and run, then a line per check.
 *
 * Columns are as wide as their longest text. A verdict is a word as well as a colour. Control
 * characters in texts do not reach the terminal.
 */
#include "report/report_int.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define DIM "\x1b[2m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

typedef struct sheet {
    FILE *out;
    cop_arena *arena; /* for texts that are shown otherwise than they are */
    bool colour;
    unsigned width;
    int id_width, name_width; /* of the first column of checks, of experiments */
} sheet;

/* At most `room` columns; an ellipsis tells of the rest. */
static void put_clipped(const sheet *s, const char *text, size_t room)
{
    text = cop_plain_copy(s->arena, text);
    bool cut = cop_columns(text) > room;
    size_t left = cut && room > 0 ? room - 1 : room;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c & 0xc0) != 0x80 && left-- == 0)
            break;
        fputc(c, s->out);
    }
    if (cut && room > 0)
        fputs("…", s->out);
}

/* Padded on the right to `width` columns. */
static void put_padded(const sheet *s, const char *text, int width)
{
    text = cop_plain_copy(s->arena, text);
    size_t n = cop_columns(text), w = (size_t)width;
    put_clipped(s, text, w);
    for (; n < w; n++)
        fputc(' ', s->out);
}

static void style(const sheet *s, const char *code)
{
    if (s->colour)
        fputs(code, s->out);
}

/* -- widths -- */

static int wider(int width, const char *text, int most)
{
    int n = (int)cop_columns(text);
    return n > most ? most : n > width ? n : width;
}

static void measure_check(void *user, const json_t *experiment, const json_t *v)
{
    sheet *s = user;
    (void)experiment;
    s->id_width = wider(s->id_width, cop_report_get(v, "id"), 20);
}

static void measure(sheet *s, const json_t *doc)
{
    size_t i;
    json_t *o;
    s->id_width = 5;
    s->name_width = 10;
    COP_EACH (json_object_get(doc, "experiments"), i, o)
        s->name_width = wider(s->name_width, cop_report_get(o, "name"), 32);
    COP_EACH (json_object_get(doc, "runs"), i, o)
        s->name_width = wider(s->name_width, cop_report_get(o, "name"), 32);
    cop_report_each_verdict(doc, measure_check, s);
}

/* -- experiments -- */

typedef struct tally {
    unsigned all, pass, fail, not_run, recorded;
} tally;

static void count(tally *t, const json_t *v)
{
    const char *state = cop_report_get(v, "state");
    t->all++;
    t->pass += strcmp(state, "pass") == 0;
    t->fail += strcmp(state, "fail") == 0;
    t->not_run += strcmp(state, "not-run") == 0;
    t->recorded += strcmp(state, "recorded") == 0;
}

static void put_counts(const sheet *s, const tally *t)
{
    fprintf(s->out, " %6u ", t->all);
    style(s, t->pass ? GREEN : "");
    fprintf(s->out, "%5u ", t->pass);
    style(s, PLAIN);
    style(s, t->fail ? RED : "");
    fprintf(s->out, "%5u ", t->fail);
    style(s, PLAIN);
    fprintf(s->out, "%8u %9u   ", t->not_run, t->recorded);
}

/* `runs`: the text for a study without checks. */
static void put_tally(const sheet *s, const char *name, const char *scale, const tally *t,
                      json_int_t runs, const char *title)
{
    fputs("  ", s->out);
    put_padded(s, name, s->name_width);
    fputc(' ', s->out);
    put_padded(s, scale, 7);
    if (t->all > 0)
        put_counts(s, t);
    else
        put_padded(s, cop_arena_printf(s->arena, "   none  %" JSON_INTEGER_FORMAT " runs", runs),
                   40);
    int used = s->name_width + 51;
    put_clipped(s, title, (int)s->width > used + 8 ? s->width - (unsigned)used : 8);
    fputc('\n', s->out);
}

static void put_experiments(const sheet *s, const json_t *doc)
{
    size_t i, k;
    json_t *e, *v;
    tally all = {0};
    size_t judged = 0;
    style(s, BOLD);
    fputs("  ", s->out);
    put_padded(s, "experiment", s->name_width);
    fprintf(s->out, " %-7s %6s %5s %5s %8s %9s\n", "scale", "checks", "pass", "fail", "not run",
            "recorded");
    style(s, PLAIN);
    COP_EACH (json_object_get(doc, "experiments"), i, e) {
        tally t = {0};
        COP_EACH (json_object_get(e, "verdicts"), k, v) {
            count(&t, v);
            count(&all, v);
        }
        judged += t.all > 0;
        put_tally(s, cop_report_get(e, "name"), cop_report_get(e, "scale"), &t,
                  json_integer_value(json_object_get(e, "runs")), cop_report_get(e, "title"));
    }
    if (judged > 1)
        put_tally(s, "all", "", &all, 0, "");
}

/* -- checks -- */

static void put_label(const sheet *s, const char *label, const char *text)
{
    if (text[0] == '\0')
        return;
    fprintf(s->out, "  %*s  %-9s ", s->id_width, "", label);
    put_clipped(s, text,
                s->width > (unsigned)s->id_width + 30 ? s->width - (unsigned)s->id_width - 15 : 30);
    fputc('\n', s->out);
}

/* A number or a text. */
static const char *shown(const json_t *v, char *buf, size_t size)
{
    if (json_is_string(v))
        return json_string_value(v);
    buf[0] = '\0';
    if (json_is_number(v))
        snprintf(buf, size, "%.6g", json_number_value(v));
    return buf;
}

static void put_check(void *user, const json_t *experiment, const json_t *v)
{
    const sheet *s = user;
    char buf[64];
    const char *state = cop_report_get(v, "state");
    bool fail = strcmp(state, "fail") == 0, pass = strcmp(state, "pass") == 0;
    (void)experiment;
    fputs("  ", s->out);
    put_padded(s, cop_report_get(v, "id"), s->id_width);
    fputs("  ", s->out);
    style(s, fail ? RED : pass ? GREEN : DIM);
    put_padded(s, state, 9);
    fputc(' ', s->out);
    style(s, PLAIN);
    bool narrow = cop_report_get(v, "narrow")[0] != '\0';
    unsigned room =
        s->width > (unsigned)s->id_width + 30 ? s->width - (unsigned)s->id_width - 15 : 30;
    fputs(narrow ? "narrow: " : "", s->out);
    put_clipped(s, cop_report_get(v, "metric"), narrow ? room - 8 : room);
    fputc('\n', s->out);
    style(s, DIM);
    put_label(s, "expected", shown(json_object_get(v, "expected"), buf, sizeof(buf)));
    style(s, PLAIN);
    put_label(s, "measured", shown(json_object_get(v, "measured"), buf, sizeof(buf)));
    if (cop_report_get(v, "explain")[0] != '\0')
        put_label(s, fail ? "because" : "note", cop_report_get(v, "explain"));
}

/* The numbers of studies of one's own; those of papers are in their checks. */
static void put_figures(const sheet *s, const json_t *doc)
{
    size_t i, k;
    json_t *e, *f;
    COP_EACH (json_object_get(doc, "experiments"), i, e)
        COP_EACH (json_object_get(e, "figures"), k, f)
            if (cop_report_get(e, "paper")[0] == '\0')
                cop_report_figure_text(f, s->out, s->width);
}

/* The scalar of a run; -1: it has none. */
static double scalar_of(const json_t *run, const char *name)
{
    size_t k;
    json_t *row;
    COP_EACH (json_object_get(run, "scalars"), k, row) {
        const char *is = json_string_value(json_array_get(row, 0));
        if (is != NULL && strcmp(is, name) == 0)
            return json_number_value(json_array_get(row, 2));
    }
    return -1.0;
}

/* Does the scalar `name` end in `/tail` and belong to a job? */
static bool of_job(const char *name, const char *tail)
{
    size_t n = name ? strlen(name) : 0, m = strlen(tail);
    return n > m + 5 && strncmp(name, "job/", 4) == 0 && strcmp(name + n - m, tail) == 0;
}

/* The longest completion of the jobs of a run, in us; -1: it has none that ended. */
static double completion_of(const json_t *run, bool *unfinished)
{
    size_t k;
    json_t *row;
    double longest = -1.0;
    *unfinished = false;
    COP_EACH (json_object_get(run, "scalars"), k, row) {
        const char *name = json_string_value(json_array_get(row, 0));
        double value = json_number_value(json_array_get(row, 2));
        if (of_job(name, "/completion") && value > longest)
            longest = value;
        *unfinished |= of_job(name, "/finished") && value <= 0.0;
    }
    return longest;
}

/* The cycle in ns if all runs that have figures say what a cycle and a flit are, and the same; else 0. Rates are of a node, in
 * these, then. */
static double shared_cycle(const json_t *runs)
{
    size_t i;
    json_t *r;
    double cycle = 0.0, flit = 0.0;
    COP_EACH (runs, i, r) {
        double c = scalar_of(r, "units.cycle_ns"), f = scalar_of(r, "units.flit_bytes");
        if (json_object_get(r, "scalars") == NULL)
            continue;
        if (c <= 0.0 || f <= 0.0 || (cycle > 0.0 && (c != cycle || f != flit)))
            return 0.0;
        cycle = c;
        flit = f;
    }
    return cycle;
}

static void put_runs(const sheet *s, const json_t *runs)
{
    size_t i;
    json_t *r;
    double cycle_ns = shared_cycle(runs);
    bool flits = cycle_ns > 0.0, jobs = false, unfinished;
    COP_EACH (runs, i, r) {
        double completion = completion_of(r, &unfinished);
        jobs |= completion >= 0.0 || unfinished;
    }
    style(s, BOLD);
    fprintf(s->out, "  %5s  ", "run");
    put_padded(s, "name", s->name_width);
    fprintf(s->out, " %-8s %6s %8s %12s %*s%s\n", "outcome", "hosts", flits ? "cycles" : "ms",
            flits ? "flit/cycle" : "Gbit/s", flits ? 14 : 15,
            flits ? "latency cycles" : "latency µs", /* µ has two bytes */
            !jobs   ? ""
            : flits ? "  job cycles"
                    : "      job µs");
    style(s, PLAIN);
    COP_EACH (runs, i, r) {
        bool drawn = json_object_get(r, "scalars") != NULL;
        double rate = scalar_of(r, flits ? "throughput_flits" : "throughput_total_gbps");
        double latency = scalar_of(r, flits ? "latency_cycles.mean" : "latency_ns.mean");
        double ns = json_number_value(json_object_get(r, "sim_time_ns"));
        fprintf(s->out, "  %5" JSON_INTEGER_FORMAT "  ",
                json_integer_value(json_object_get(r, "id")));
        put_padded(s, cop_report_get(r, "name"), s->name_width);
        fputc(' ', s->out);
        double completion = completion_of(r, &unfinished);
        const char *outcome = cop_report_get(r, "outcome");
        put_padded(s, unfinished && strcmp(outcome, "ok") == 0 ? "job open" : outcome, 8);
        fprintf(s->out, " %6" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(r, "hosts")));
        if (flits && drawn)
            fprintf(s->out, " %8.0f %12.4f %14.1f", ns / cycle_ns, rate, latency);
        else if (drawn)
            fprintf(s->out, " %8.3g %12.4g %14.4g", ns / 1e6, rate > 0.0 ? rate : 0.0,
                    latency > 0.0 ? latency / 1e3 : 0.0);
        else
            fprintf(s->out, " %8.*g", flits ? 8 : 3, ns / (flits ? cycle_ns : 1e6));
        if (jobs && completion >= 0.0)
            fprintf(s->out, flits ? " %11.0f" : " %11.5g",
                    flits ? completion * 1e3 / cycle_ns : completion);
        else if (jobs && drawn)
            fprintf(s->out, " %11s", "-");
        fputc('\n', s->out);
    }
}

void cop_report_text(const cop_report *r, FILE *out, bool colour, unsigned width)
{
    cop_arena arena = {0};
    sheet s = {.out = out, .arena = &arena, .colour = colour, .width = width};
    const json_t *runs = json_object_get(r->doc, "runs");
    cop_report_size size = cop_report_count(r);
    measure(&s, r->doc);
    if (size.experiments > 0) {
        put_experiments(&s, r->doc);
        fputc('\n', out);
        cop_report_each_verdict(r->doc, put_check, &s);
        put_figures(&s, r->doc);
    }
    if (size.experiments > 0 && json_array_size(runs) > 0)
        fputc('\n', out);
    if (json_array_size(runs) > 0)
        put_runs(&s, runs);
    json_int_t left = json_integer_value(json_object_get(r->doc, "left_over"));
    if (left > 0)
        fprintf(out,
                "\n  %" JSON_INTEGER_FORMAT
                " more run%s of earlier states of these studies; `coppice prune` removes %s\n",
                left, left == 1 ? "" : "s", left == 1 ? "it" : "them");
    cop_arena_free(&arena);
}

cop_report_size cop_report_count(const cop_report *r)
{
    size_t i, k;
    json_t *o, *v;
    cop_report_size n = {.experiments = json_array_size(json_object_get(r->doc, "experiments")),
                         .runs = json_array_size(json_object_get(r->doc, "runs"))};
    COP_EACH (json_object_get(r->doc, "experiments"), i, o) {
        n.checks += json_array_size(json_object_get(o, "verdicts"));
        n.figures += json_array_size(json_object_get(o, "figures"));
        COP_EACH (json_object_get(o, "verdicts"), k, v)
            n.failed += strcmp(cop_report_get(v, "state"), "fail") == 0;
    }
    COP_EACH (json_object_get(r->doc, "runs"), i, o)
        n.figures += json_array_size(json_object_get(o, "figures"));
    return n;
}
