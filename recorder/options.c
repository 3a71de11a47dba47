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

// NAME#N or NAME/BYTES#N
static void place(struct reading *r, const char *name, struct rec_place *to)
{
    static const char right[] =
        "NAME#N or NAME/BYTES#N is needed, such as Barrier#12 or Bcast/256#3: the N-th "
        "of these calls on MPI_COMM_WORLD, from 1";
    const char *v = get(name);
    to->bytes = -1;
    if (!v)
        return;
    size_t n = strcspn(v, "/#");
    const char *p = v + n;
    char *end;
    if (!n || n >= sizeof to->name || !*p) {
        refuse(r, name, v, right);
        return;
    }
    memcpy(to->name, v, n);
    to->name[n] = 0;
    errno = 0;
    if (*p == '/') {
        to->bytes = strtoll(p + 1, &end, 10);
        if (!isdigit((unsigned char)p[1]) || *end != '#' || errno) {
            refuse(r, name, v, right);
            return;
        }
        p = end;
    }
    to->nth = strtoull(p + 1, &end, 10);
    if (!isdigit((unsigned char)p[1]) || *end || errno || !to->nth)
        refuse(r, name, v, right);
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
    yes_no(&r, "COPPICE_MPI_NOTES", &o->notes);
    yes_no(&r, "COPPICE_MPI_QUIT", &o->quit);
    place(&r, "COPPICE_MPI_FROM", &o->from);
    place(&r, "COPPICE_MPI_TO", &o->to);
    if (o->quit && !o->to.nth)
        refuse(&r, "COPPICE_MPI_QUIT", "1", "COPPICE_MPI_TO must say where to end");
    return r.ok;
}
