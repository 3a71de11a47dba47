// Options, from environment variables named COPPICE_MPI_*; README.md describes them.
#include "wrap.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *get(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

struct reading {
    char *fault;
    size_t room;
    bool ok;
};

static void refuse(struct reading *r, const char *name, const char *value, const char *right)
{
    if (r->ok)
        snprintf(r->fault, r->room, "%s=%s: %s", name, value, right);
    r->ok = false;
}

static void number(struct reading *r, const char *name, uint64_t *to)
{
    const char *v = get(name);
    if (!v)
        return;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(v, &end, 10);
    if (!isdigit((unsigned char)*v) || *end || errno)
        refuse(r, name, v, "a whole number, at least 0, is needed");
    *to = n;
}

static void yes_no(struct reading *r, const char *name, bool *to)
{
    const char *v = get(name);
    if (!v)
        return;
    if (strcmp(v, "0") != 0 && strcmp(v, "1") != 0)
        refuse(r, name, v, "0 or 1 is needed");
    *to = *v == '1';
}

// NAME#N or NAME/BYTES#N, and more of them after commas, up to `end`.
static bool read_place(struct rec_place *to, const char *v, const char *end)
{
    while (to->steps < REC_STEPS) {
        size_t n = strcspn(v, "/#");
        char *after;
        if (!n || n >= sizeof to->step->name || v + n >= end)
            return false;
        memcpy(to->step[to->steps].name, v, n);
        to->step[to->steps].bytes = -1;
        v += n;
        errno = 0;
        if (*v == '/') {
            to->step[to->steps].bytes = strtoll(v + 1, &after, 10);
            if (!isdigit((unsigned char)v[1]) || *after != '#' || errno)
                return false;
            v = after;
        }
        to->step[to->steps].nth = strtoull(v + 1, &after, 10);
        if (!isdigit((unsigned char)v[1]) || errno || !to->step[to->steps++].nth || after > end)
            return false;
        if (after == end)
            return true;
        if (*after != ',')
            return false;
        v = after + 1;
    }
    return false;
}

// NAME=PLACE..PLACE; the second place may be missing.
static bool read_region(struct rec_region *to, const char *v, const char *end)
{
    const char *is = memchr(v, '=', (size_t)(end - v));
    if (!is || is == v || (size_t)(is - v) >= sizeof to->name || memchr(v, '/', (size_t)(is - v)))
        return false;
    memcpy(to->name, v, (size_t)(is - v));
    const char *dots = memmem(is, (size_t)(end - is), "..", 2);
    if (!dots || !read_place(&to->from, is + 1, dots))
        return false;
    return dots + 2 == end || read_place(&to->to, dots + 2, end);
}

static void regions(struct reading *r, struct rec_options *o)
{
    static const char right[] =
        "NAME=PLACE..PLACE is needed, more after `;`; a PLACE is CALL#N or CALL/BYTES#N, such as "
        "Barrier#12 or Bcast/256#3, the N-th of these calls on MPI_COMM_WORLD";
    const char *v = get("COPPICE_MPI_REGIONS");
    while (v && r->ok) {
        const char *end = v + strcspn(v, ";");
        bool last = !*end;
        if (o->regions == REC_REGIONS || !read_region(&o->region[o->regions++], v, end))
            refuse(r, "COPPICE_MPI_REGIONS", v, right);
        else if (!last && !o->region[o->regions - 1].to.steps)
            refuse(r, "COPPICE_MPI_REGIONS", v, "only the last region may have no end");
        v = last ? NULL : end + 1;
    }
    if (r->ok && o->regions > 1 && !strchr(o->out, '%'))
        refuse(r, "COPPICE_MPI_OUT", o->out, "a % is needed, for the name of the region");
}

bool rec_options_read(struct rec_options *o, char *fault, size_t room)
{
    struct reading r = {fault, room, true};
    memset(o, 0, sizeof *o);
    o->out = get("COPPICE_MPI_OUT");
    o->log = get("COPPICE_MPI_LOG");
    o->folder = get("TMPDIR") ? get("TMPDIR") : "/tmp";
    o->scale = 1;
    o->limit = 10000000;
    o->min_bytes = 1;
    o->poll_ns = 1000;
    o->min_calc_ns = 100;
    if (!o->out)
        o->out = "trace.goal";
    const char *v = get("COPPICE_MPI_SCALE");
    if (v) {
        char *end;
        o->scale = strtod(v, &end);
        if (end == v || *end || !isfinite(o->scale) || o->scale < 0 || o->scale > 1e9)
            refuse(&r, "COPPICE_MPI_SCALE", v, "a factor of 0 to 1e9 is needed");
    }
    v = get("COPPICE_MPI_CLOCK");
    if (v && strcmp(v, "thread") == 0)
        o->clock = REC_THREAD;
    else if (v && strcmp(v, "wall") == 0)
        o->clock = REC_WALL;
    else if (v && strcmp(v, "cpu") != 0)
        refuse(&r, "COPPICE_MPI_CLOCK", v, "cpu, thread or wall is needed");
    v = get("COPPICE_MPI_ANY");
    if (v && strcmp(v, "keep") == 0)
        o->keep_any = true;
    else if (v && strcmp(v, "resolve") != 0)
        refuse(&r, "COPPICE_MPI_ANY", v, "resolve or keep is needed");
    number(&r, "COPPICE_MPI_LIMIT", &o->limit);
    number(&r, "COPPICE_MPI_MIN_BYTES", &o->min_bytes);
    number(&r, "COPPICE_MPI_POLL_NS", &o->poll_ns);
    number(&r, "COPPICE_MPI_MIN_CALC_NS", &o->min_calc_ns);
    yes_no(&r, "COPPICE_MPI_NOTES", &o->notes);
    yes_no(&r, "COPPICE_MPI_QUIT", &o->quit);
    regions(&r, o);
    if (o->quit && (!o->regions || !o->region[o->regions - 1].to.steps))
        refuse(&r, "COPPICE_MPI_QUIT", "1", "COPPICE_MPI_REGIONS must say where to end");
    return r.ok;
}
