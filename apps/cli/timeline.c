/* The run as a trace that Perfetto opens: Trace Event format, one JSON object, times in microseconds.
 *
 * Packets  process 1: an asynchronous slice per watched packet, from its injection until it is taken in,
 *          and inside slices for each wire that it is on and each queue that it waits in; instants for marks, and for
 *          what its source does. What answers it is a packet, too. What ends has the name that it began with.
 * Ports    process 2: a counter per port for which something ever waited, one value per frame.
 * Trees    process 3: a row per tree with a slice for each place of its root; counters of its links and
 *          bytes.
 * Messages process 4: what happens at ports while a watched packet waits there.
 * Format   "Trace Event Format", the documented JSON that Perfetto's legacy importer reads. */
#include "timeline.h"
#include "cli.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_STEPS 2000000

static double micro(cop_time t)
{
    return (double)t / 1e6;
}

/* Takes the event over. */
static void put(cop_timeline *t, json_t *event)
{
    if (event == NULL)
        return;
    fputs(t->any ? ",\n" : "\n", t->out);
    t->any = true;
    (void)json_dumpf(event, t->out, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(event);
}

static void name_process(cop_timeline *t, int pid, const char *name)
{
    put(t, json_pack("{ss,ss,si,s{ss}}", "name", "process_name", "ph", "M", "pid", pid, "args",
                     "name", name));
}

/* Opening a FIFO would wait for a reader, which may never come. Devices are written to as they are. */
static bool is_no_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode))
        return false;
    fprintf(stderr, "%s: is no regular file; give --timeline a file\n", path);
    return true;
}

int cop_timeline_open(cop_timeline *t, const char *path)
{
    if (is_no_file(path))
        return COP_EXIT_INPUT;
    *t = (cop_timeline){.out = fopen(path, "w"), .steps_left = MOST_STEPS};
    if (t->out == NULL) {
        fprintf(stderr, "%s: cannot be written: %s; give --timeline a file that can\n", path,
                strerror(errno));
        return COP_EXIT_INPUT;
    }
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", t->out);
    name_process(t, 1, "packets");
    name_process(t, 2, "bytes waiting for ports");
    name_process(t, 3, "congestion trees");
    name_process(t, 4, "messages between neighbours");
    return COP_EXIT_OK;
}

/* -- packets -- */

static void put_async(cop_timeline *t, const char *phase, const cop_packet_step *s, cop_time at,
                      const char *name)
{
    char id[48];
    snprintf(id, sizeof(id), "%u:%u", s->src, s->seq);
    put(t,
        json_pack("{ss,ss,ss,ss,si,si,sf,s{ss}}", "cat", "packet", "name", name, "ph", phase, "id",
                  id, "pid", 1, "tid", (int)s->src, "ts", micro(at), "args", "says", s->note));
}

/* What is no part of a packet's way: marks, what was heard, what happens at a port meanwhile. */
static void put_instant(cop_timeline *t, const cop_packet_step *s)
{
    char name[400];
    const char *what = s->step == COP_WATCH_MARK    ? "FECN"
                       : s->step == COP_WATCH_HEARD ? "heard"
                                                    : s->port;
    snprintf(name, sizeof(name), "%s: %.300s", what, s->note);
    if (s->step != COP_WATCH_PORT)
        put_async(t, "n", s, s->t, name);
    else
        put(t, json_pack("{ss,ss,ss,si,si,sf}", "name", name, "ph", "i", "s", "p", "pid", 4, "tid",
                         0, "ts", micro(s->t)));
}

void cop_timeline_packet(void *ctx, const cop_packet_step *s)
{
    cop_timeline *t = ctx;
    char whole[128];
    if (t->steps_left == 0)
        return;
    t->steps_left--;
    snprintf(whole, sizeof(whole), "%s %u:%u, %u to %u, %u B", s->kind, s->src, s->seq, s->src,
             s->dst, s->bytes);
    bool begins = s->step == COP_WATCH_INJECT || s->step == COP_WATCH_MADE;
    bool ends = s->step == COP_WATCH_DELIVER || s->step == COP_WATCH_KEPT;
    if (s->step == COP_WATCH_MARK || s->step == COP_WATCH_HEARD || s->step == COP_WATCH_PORT) {
        put_instant(t, s);
        return;
    }
    cop_time at = s->step == COP_WATCH_DELIVER ? s->done : s->t;
    if (begins)
        put_async(t, "b", s, at, whole);
    if (s->was != NULL)
        put_async(t, "e", s, at, s->was);
    if (s->is != NULL)
        put_async(t, "b", s, at, s->is);
    if (ends)
        put_async(t, "e", s, at, whole);
}

/* -- ports and trees, when the run is over -- */

static void put_port(cop_timeline *t, const cop_result *r, uint32_t port)
{
    uint32_t last = 0;
    char name[192];
    snprintf(name, sizeof(name), "%.80s to %.80s", r->port[port].name, r->port[port].to);
    for (uint32_t i = 0; i < r->n_frames; i++) {
        uint32_t now = r->frame[i].waiting[port];
        if (now == last)
            continue;
        put(t, json_pack("{ss,ss,si,sf,s{sI}}", "name", name, "ph", "C", "pid", 2, "ts",
                         micro(r->frame[i].t), "args", "bytes", (json_int_t)now));
        last = now;
    }
}

static void put_tree(cop_timeline *t, const cop_result *r, uint32_t number)
{
    const cop_tree_result *tree = &r->tree[number];
    char name[192];
    snprintf(name, sizeof(name), "tree %u, %s", number + 1, cop_tree_kind_name((int)tree->kind));
    put(t, json_pack("{ss,ss,si,si,s{ss}}", "name", "thread_name", "ph", "M", "pid", 3, "tid",
                     (int)number + 1, "args", "name", name));
    for (uint32_t i = 0; i < tree->n_roots; i++) {
        const cop_tree_root *root = &tree->root[i];
        const cop_port_result *p = root->port < r->n_ports ? &r->port[root->port] : NULL;
        cop_time end =
            i + 1 < tree->n_roots ? cop_min64(root->end, tree->root[i + 1].begin) : root->end;
        snprintf(name, sizeof(name), "root %.80s to %.80s", p ? p->name : "?", p ? p->to : "?");
        put(t, json_pack("{ss,ss,si,si,sf,sf,s{sI,so,so,so}}", "name", name, "ph", "X", "pid", 3,
                         "tid", (int)number + 1, "ts", micro(root->begin), "dur",
                         micro(end > root->begin ? end - root->begin : 0), "args", "links",
                         (json_int_t)tree->links, "contributors",
                         tree->counted ? json_integer(tree->contributors) : json_null(), "victims",
                         tree->counted ? json_integer((json_int_t)tree->victims) : json_null(),
                         "loss", isfinite(tree->loss) ? json_real(tree->loss) : json_null()));
    }
    snprintf(name, sizeof(name), "tree %u", number + 1);
    for (uint32_t i = 0; i < r->n_tree_frames; i++) {
        const cop_tree_frame *f = &r->tree_frame[i];
        if (f->tree == number && f->frame < r->n_frames)
            put(t, json_pack("{ss,ss,si,sf,s{sI,sI}}", "name", name, "ph", "C", "pid", 3, "ts",
                             micro(r->frame[f->frame].t), "args", "links", (json_int_t)f->links,
                             "bytes", (json_int_t)f->bytes));
    }
}

int cop_timeline_close(cop_timeline *t, const char *path, const cop_result *r)
{
    for (uint32_t p = 0; r != NULL && p < r->n_ports; p++)
        put_port(t, r, p);
    for (uint32_t i = 0; r != NULL && i < r->n_trees; i++)
        put_tree(t, r, i);
    fputs("\n]}\n", t->out);
    errno = 0;
    bool bad = fflush(t->out) != 0 || ferror(t->out) != 0;
    int why = errno; /* 0: that of an earlier write is not known any more */
    if (fclose(t->out) == 0 && !bad)
        return COP_EXIT_OK;
    why = why ? why : errno;
    fprintf(stderr, "%s: could not be written: %s; is the disk full?\n", path,
            why ? strerror(why) : "a write failed, so that a part is missing");
    return COP_EXIT_INPUT;
}
