/* Messages of the live view to browsers.
 *
 * network  once, text: {"type": "network", "name", "topology", "switches", "duration" (ns), "cycle_ns", "flit_bytes" (0: the run
 *          file has no such unit), "hosts": [names],
 *          "ports": [[name, to]], "run", "pane"; of stored runs "runs": [{"id", "name", "title", "config"}]}
 * frame    the newest one, binary: u32 length of the head, the head, a JSON text that is padded with blanks to
 *          a multiple of four: {"type": "frame", "run", "frame", "t", "span" (ns), "paused", "ports": n, "flows": k, "trees": [{"tree",
 *          "root", "links", "bytes", "members", "contributors", "victims" (how many follow), "counted"}]};
 *          then n x u32 bytes that wait; of each tree 4 x u32 per member (port, depth, next, bytes), u32 per
 *          contributor, 2 x u32 per victim; then k x u32: whose packets wait where (cop_frame.flow); then n x u8
 *          blocked and n x u8 use, of 255. Little endian.
 * end      text, when the run is over: {"type": "end", "run", "times": [ns], "most": bytes, "trees": [rows of the
 *          table `tree`]}. From now on any frame can be asked for, and trees have the numbers of the result.
 * Cost     During a run frames are made at most every LEAST_GAP_MS, unless a browser asked for
 *          every one of them; without a browser only the last one. */
#include "live_int.h"

#include <endian.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define LEAST_GAP_MS 40

static void publish_text(cop_live *l, unsigned slot, json_t *o)
{
    size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(12);
    size_t bytes = json_dumpb(o, NULL, 0, flags);
    unsigned char *room = cop_live_room(bytes);
    (void)json_dumpb(o, (char *)room, bytes, flags);
    json_decref(o);
    cop_live_publish(l, (enum cop_live_slot)slot, room, bytes);
}

/* Names come from files and may be anything; what is no UTF-8 is left out. */
static json_t *text(const char *s)
{
    json_t *o = json_string(s ? s : "");
    return o ? o : json_string("?");
}

static void publish_network(cop_live *l, const cop_run_ports *p, int64_t run, unsigned pane,
                            json_t *runs)
{
    json_t *ports = json_array(), *hosts = json_array();
    for (uint32_t i = 0; i < p->n_ports; i++)
        json_array_append_new(ports, json_pack("[o,o]", text(p->name[i]), text(p->to[i])));
    for (uint32_t i = 0; i < p->n_hosts; i++)
        json_array_append_new(hosts, text(p->host[i]));
    publish_text(l, COP_LIVE_NETWORK + pane,
                 json_pack("{ss,so,so,si,sf,sf,sf,so,so,sI,si,sO?}", "type", "network", "name",
                           text(l->title), "topology", text(p->topology), "switches",
                           (int)p->n_switches, "duration", (double)p->duration / 1e3, "cycle_ns",
                           (double)p->units.cycle_ps / 1e3, "flit_bytes",
                           (double)p->units.flit_bytes, "hosts", hosts, "ports", ports, "run",
                           (json_int_t)run, "pane", (int)pane, "runs", runs));
}

void cop_live_ports(void *ctx, const cop_run_ports *p)
{
    publish_network(ctx, p, 0, 0, NULL);
}

/* -- frames -- */

static json_t *head_of(const cop_tree_now *n, int64_t run, bool paused)
{
    json_t *trees = json_array();
    for (uint32_t i = 0; i < n->n_trees; i++) {
        const cop_tree_frame *f = &n->tree[i];
        json_array_append_new(
            trees, json_pack("{sI,sI,sI,sI,sI,sI,sI,sb}", "tree", (json_int_t)f->tree, "root",
                             (json_int_t)f->root, "links", (json_int_t)f->links, "bytes",
                             (json_int_t)f->bytes, "members", (json_int_t)f->n_members,
                             "contributors", (json_int_t)f->n_contributors, "victims",
                             (json_int_t)f->n_victims, "counted", f->counted));
    }
    return json_pack("{ss,sI,sI,sf,sf,sb,sI,sI,so}", "type", "frame", "run", (json_int_t)run,
                     "frame", (json_int_t)n->number, "t", (double)n->frame->t / 1e3, "span",
                     (double)n->frame->span / 1e3, "paused", paused, "ports",
                     (json_int_t)n->n_ports, "flows", (json_int_t)n->frame->n_flow, "trees", trees);
}

static unsigned char *put_words(unsigned char *to, const uint32_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t v = htole32(from[i]);
        memcpy(to + 4 * i, &v, 4);
    }
    return to + 4 * n;
}

static unsigned char *put_tree(unsigned char *to, const cop_tree_frame *f)
{
    for (uint32_t i = 0; i < f->n_members; i++) {
        const cop_tree_member *m = &f->member[i];
        to = put_words(to, (const uint32_t[]){m->port, m->depth, m->next, m->bytes}, 4);
    }
    to = put_words(to, f->contributor, f->n_contributors);
    return put_words(to, f->victim, 2 * (size_t)f->n_victims);
}

static void publish_frame(cop_live *l, const cop_tree_now *n, int64_t run, unsigned pane,
                          bool paused)
{
    json_t *head = head_of(n, run, paused);
    size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(12);
    size_t bytes = json_dumpb(head, NULL, 0, flags), padded = (bytes + 3) / 4 * 4;
    size_t words = n->frame->n_flow;
    for (uint32_t i = 0; i < n->n_trees; i++)
        words += 4 * (size_t)n->tree[i].n_members + n->tree[i].n_contributors +
                 2 * (size_t)n->tree[i].n_victims;
    size_t all = 4 + padded + 4 * words + 6 * (size_t)n->n_ports;
    unsigned char *room = cop_live_room(all), *at = room;
    at = put_words(at, &(const uint32_t){(uint32_t)padded}, 1);
    memset(at, ' ', padded);
    (void)json_dumpb(head, (char *)at, bytes, flags);
    at = put_words(at + padded, n->frame->waiting, n->n_ports);
    for (uint32_t i = 0; i < n->n_trees; i++)
        at = put_tree(at, &n->tree[i]);
    at = put_words(at, n->frame->flow, n->frame->n_flow);
    memcpy(at, n->frame->blocked, n->n_ports);
    memcpy(at + n->n_ports, n->frame->use, n->n_ports);
    json_decref(head);
    cop_live_publish(l, (enum cop_live_slot)(COP_LIVE_FRAME + pane), room, all);
}

void cop_live_trees(void *ctx, const cop_tree_now *now)
{
    cop_live *l = ctx;
    double t = cop_live_ms();
    bool paused;
    if (cop_live_asked(l, &paused) || l->last_ms == 0 || t - l->last_ms >= LEAST_GAP_MS) {
        l->last_ms = t;
        publish_frame(l, now, 0, 0, paused);
    }
    cop_live_hold(l);
}

/* -- a run that is over -- */

static json_t *real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *tree_row(const cop_result *r, uint32_t i)
{
    const cop_tree_result *t = &r->tree[i];
    uint32_t port = t->root[t->n_roots - 1].port;
    bool known = port < r->n_ports;
    return json_pack(
        "{sI,sI,so,so,sf,sf,sI,sI,so,so,so,sf,ss}", "tree", (json_int_t)i + 1, "root_port",
        (json_int_t)port, "root", text(known ? r->port[port].name : "?"), "root_to",
        text(known ? r->port[port].to : "?"), "begin_ns", (double)t->begin / 1e3, "end_ns",
        (double)t->end / 1e3, "samples", (json_int_t)t->samples, "links", (json_int_t)t->links,
        "contributors", t->counted ? json_integer(t->contributors) : json_null(), "victims",
        t->counted ? json_integer((json_int_t)t->victims) : json_null(), "loss", real(t->loss),
        "bytes_max", (double)t->bytes_max, "kind", cop_tree_kind_name((int)t->kind));
}

static void publish_end(cop_live *l, const cop_live_film *film, unsigned pane)
{
    const cop_result *r = film->result;
    json_t *times = json_array(), *trees = json_array();
    uint64_t most = 1;
    for (uint32_t i = 0; i < r->n_frames; i++)
        json_array_append_new(times, json_real((double)r->frame[i].t / 1e3));
    for (uint32_t i = 0; i < r->n_trees; i++)
        json_array_append_new(trees, tree_row(r, i));
    for (uint32_t i = 0; i < r->n_ports; i++)
        most = cop_max64(most, r->port[i].max_queue_bytes);
    publish_text(l, COP_LIVE_END + pane,
                 json_pack("{ss,sI,so,sf,so}", "type", "end", "run", (json_int_t)film->run, "times",
                           times, "most", (double)most, "trees", trees));
}

/* Trees of a frame, numbered from 1; `list` has room for all. */
static int trees_of(const cop_live_film *film, uint32_t number, cop_tree_frame *list, uint32_t *n,
                    cop_arena *arena, cop_err *err)
{
    const cop_result *r = film->result;
    int rc = 1;
    *n = 0;
    for (uint32_t k = 0; rc > 0 && k < r->n_tree_frames; k++) {
        if (r->tree_frame[k].frame != number)
            continue;
        list[*n] = r->tree_frame[k];
        rc = film->parts(film->ctx, &list[*n], arena, err);
        list[(*n)++].tree++;
    }
    return rc;
}

static int show(cop_live *l, const cop_live_film *film, uint32_t number, unsigned pane,
                cop_err *err)
{
    cop_arena arena = {0};
    cop_frame f;
    cop_tree_now now = {.frame = &f, .n_ports = film->result->n_ports, .number = number};
    cop_tree_frame *list = cop_alloc_array((size_t)film->result->n_tree_frames + 1, sizeof(*list));
    now.tree = list;
    int rc = film->frame(film->ctx, number, &f, &arena, err);
    if (rc > 0)
        rc = trees_of(film, number, list, &now.n_trees, &arena, err);
    if (rc > 0)
        publish_frame(l, &now, film->run, pane, false);
    cop_arena_free(&arena);
    cop_free(list);
    return rc < 0 ? rc : 0;
}

static void present(cop_live *l, const cop_live_films *films, const cop_live_film *film,
                    unsigned pane)
{
    if (film->ports != NULL)
        publish_network(l, film->ports, film->run, pane, films->runs);
    publish_end(l, film, pane);
}

int cop_live_play(cop_live *l, const cop_live_films *films, cop_err *err)
{
    const cop_live_film *film = films->open(films->ctx, 0, 0, err);
    int rc = film == NULL ? -COP_E_INPUT : 0;
    if (film != NULL)
        present(l, films, film, 0);
    cop_live_wish wish;
    while (rc == 0 && cop_live_wanted(l, &wish)) {
        film = films->open(films->ctx, wish.run, wish.pane, err);
        if (film == NULL)
            rc = err->faults > 0 ? -err->code : 0;
        else if (wish.open)
            present(l, films, film, wish.pane);
        else if (wish.frame < film->result->n_frames)
            rc = show(l, film, (uint32_t)wish.frame, wish.pane, err);
    }
    return rc;
}
