/* Shared by the readers of topology files: detection of the form of a file, pieces of text, rates
 * of links, and faults.
 *
 * Faults: a damaged file has the same fault in many lines. Each kind of fault is reported in one
 * line: the first place, and the number of others.
 * Rates: data rate per lane after line coding. SDR, DDR and QDR lose a fifth to 8b/10b, so 4xDDR is
 * 16 Gbit/s. */
#include "topo/file_scan.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MEGA ((uint64_t)1000000)

static const struct {
    const char *name;
    uint64_t lane_bps;
} speeds[] = {{"SDR", 2000 * MEGA},    {"DDR", 4000 * MEGA},   {"QDR", 8000 * MEGA},
              {"FDR10", 10000 * MEGA}, {"FDR", 13640 * MEGA},  {"EDR", 25000 * MEGA},
              {"HDR", 50000 * MEGA},   {"NDR", 100000 * MEGA}, {"XDR", 200000 * MEGA}};

uint64_t cop_scan_lane_bps(cop_span name)
{
    for (size_t i = 0; i < COP_LEN(speeds); i++)
        if (cop_span_is(name, speeds[i].name))
            return speeds[i].lane_bps;
    return 0;
}

bool cop_scan_is_width(uint64_t lanes)
{
    return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12;
}

/* The kind of a fault is the format string of its message. */
void cop_scan_fault(cop_scan *s, uint32_t line, const char *fmt, ...)
{
    char text[512];
    size_t i = 0;
    s->faults++;
    while (i < s->n_kinds && strcmp(s->kind[i].fmt, fmt) != 0)
        i++;
    if (i < s->n_kinds) {
        s->kind[i].more++;
        return;
    }
    if (i == COP_LEN(s->kind))
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    s->kind[s->n_kinds++] =
        (cop_scan_kind){.fmt = fmt, .line = line, .text = cop_arena_strdup(&s->arena, text)};
}

int cop_scan_report(cop_scan *s)
{
    for (size_t i = 0; i < s->n_kinds; i++) {
        const cop_scan_kind *k = &s->kind[i];
        char more[48] = "";
        if (k->more > 0)
            snprintf(more, sizeof(more), " (%u more line%s like this)", k->more,
                     k->more == 1 ? "" : "s");
        cop_err_add(s->err, COP_E_INPUT, "%s:%u: %s%s", s->file, k->line, k->text, more);
    }
    return s->faults ? -COP_E_INPUT : 0;
}

const char *cop_span_show(cop_span span, char *buf, size_t size)
{
    size_t n = span.n < size - 1 ? span.n : size - 1;
    for (size_t i = 0; i < n; i++)
        buf[i] = iscntrl((unsigned char)span.at[i]) ? '?' : span.at[i];
    buf[n] = '\0';
    return buf;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void cop_scan_skip(cop_cursor *c)
{
    while (c->p < c->end && blank(*c->p))
        c->p++;
}

bool cop_scan_take(cop_cursor *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* Digits of base 10 or 16; false if there are none or the value does not fit. */
bool cop_scan_number(cop_cursor *c, unsigned base, uint64_t *value)
{
    const char *start = c->p;
    uint64_t v = 0;
    for (; c->p < c->end && isxdigit((unsigned char)*c->p); c->p++) {
        unsigned digit = isdigit((unsigned char)*c->p)
                             ? (unsigned)(*c->p - '0')
                             : (unsigned)(tolower((unsigned char)*c->p) - 'a') + 10;
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, digit, &v))
            return false;
    }
    *value = v;
    return c->p > start;
}

bool cop_scan_word(cop_cursor *c, cop_span *word)
{
    cop_scan_skip(c);
    word->at = c->p;
    while (c->p < c->end && !blank(*c->p))
        c->p++;
    word->n = (size_t)(c->p - word->at);
    return word->n > 0;
}

bool cop_span_is(cop_span s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

/* The tool that wrote a file, by its first words. `says`: the message if it is no topology. */
typedef struct form {
    const char *begins;
    void (*scan)(cop_scan *s, const char *text, size_t len);
    const char *says;
} form;

static const form forms[] = {
    {"CA: ", cop_scan_linkinfo, NULL},
    {"Router: ", cop_scan_linkinfo, NULL},
    {"Switch: 0x", cop_scan_linkinfo, NULL},
    {"Switch 0x", cop_scan_linkinfo, NULL},
    {"0x", NULL, "this looks like `iblinkinfo -l`, which does not say what is a switch"},
    {"Unicast lids", NULL, "this is a forwarding table, for routing.path"},
    {"dump_ucast_routes:", NULL, "this is a forwarding table (opensm.fdbs), for routing.path"},
    {"osm_ucast_mgr_dump", NULL, "this is a forwarding table (opensm.fdbs), for routing.path"},
    {"{ SW", NULL, "this is opensm-subnet.lst"},
    {"{ CA", NULL, "this is opensm-subnet.lst"},
};

/* Blank lines and messages of the tools come before the first words. */
static size_t preface(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        cop_cursor c = {text + at, text + len};
        if (cop_scan_take(&c, "ibwarn:")) {
            const char *end = memchr(c.p, '\n', (size_t)(c.end - c.p));
            at = end ? (size_t)(end - text) + 1 : len;
        } else if (isspace((unsigned char)text[at])) {
            at++;
        } else {
            break;
        }
    }
    return at;
}

int cop_scan_text(cop_scan *s, const char *text, size_t len)
{
    if (len > UINT32_MAX)
        return cop_err_add(s->err, COP_E_INPUT, "%s: file of %zu bytes; at most 4 GiB", s->file,
                           len);
    size_t at = preface(text, len);
    for (size_t i = 0; i < COP_LEN(forms); i++) {
        cop_cursor c = {text + at, text + len};
        if (!cop_scan_take(&c, forms[i].begins))
            continue;
        if (forms[i].scan != NULL)
            forms[i].scan(s, text, len);
        else
            cop_scan_fault(s, 1, "%s; write the fabric with `ibnetdiscover > fabric.net`",
                           forms[i].says);
        return s->faults ? -COP_E_INPUT : 0;
    }
    cop_scan_netdiscover(s, text, len);
    return s->faults ? -COP_E_INPUT : 0;
}

bool cop_scan_line(const char **p, const char *end, cop_cursor *line)
{
    if (*p >= end)
        return false;
    const char *eol = memchr(*p, '\n', (size_t)(end - *p));
    *line = (cop_cursor){*p, eol ? eol : end};
    *p = eol ? eol + 1 : end;
    return true;
}

void cop_scan_fini(cop_scan *s)
{
    cop_arena_free(&s->arena);
    cop_free(s->node);
    cop_free(s->link);
    *s = (cop_scan){0};
}
