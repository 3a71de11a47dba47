/* The same tree at the next sample.
 *
 * Rule   A tree is the one that had its root at this port at the last sample, or at one of the two before.
 *        Whether a tree is one whose root has moved is decided at the end (judge.c).
 * State  A record for each tree; what it was at each sample is kept for the result, members and flows as
 *        long as there is room (MOST_KEPT). Records of trees that are gone are bounded: when there are
 *        too many the lightest (bytes x time) are dropped, and counted. */
#include "tree/tree_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- sets of flows -- */

static size_t slot_of(const tree_flows *f, uint64_t key)
{
    size_t i = (size_t)(key * 0x9E3779B97F4A7C15u >> 32) & f->mask; /* of source and destination */
    while (f->key[i] != 0 && f->key[i] != key + 1)
        i = (i + 1) & f->mask;
    return i;
}

void cop_tree_flows_add(tree_flows *f, uint64_t key)
{
    if (f->n * 2 >= f->mask) {
        tree_flows more = {.mask = f->mask ? f->mask * 2 + 1 : 63};
        more.key = cop_alloc_array(more.mask + 1, sizeof(*more.key));
        for (size_t i = 0; f->key != NULL && i <= f->mask; i++)
            if (f->key[i] != 0)
                more.key[slot_of(&more, f->key[i] - 1)] = f->key[i];
        more.n = f->n;
        cop_free(f->key);
        *f = more;
    }
    size_t i = slot_of(f, key);
    f->n += f->key[i] == 0;
    f->key[i] = key + 1;
}

void cop_tree_flows_join(tree_flows *into, const tree_flows *other)
{
    for (size_t i = 0; other->key != NULL && i <= other->mask; i++)
        if (other->key[i] != 0)
            cop_tree_flows_add(into, other->key[i] - 1);
}

void cop_tree_flows_free(tree_flows *f)
{
    cop_free(f->key);
    *f = (tree_flows){0};
}

/* -- records -- */

static void free_record(tree_record *r)
{
    cop_free(r->hosts);
    cop_free(r->streams);
    cop_tree_flows_free(&r->victims);
}

static int heavier(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* The weight below which records of trees that are gone are dropped: half of MOST_RECORDS remain. */
static double least_weight(const cop_tree_watch *w, size_t gone)
{
    double *weight = cop_alloc_array(gone, sizeof(*weight));
    size_t n = 0;
    for (size_t i = 0; i < w->n_records; i++)
        if (!w->record[i].live)
            weight[n++] = w->record[i].weight;
    qsort(weight, n, sizeof(*weight), heavier);
    double least = weight[MOST_RECORDS / 2];
    cop_free(weight);
    return least;
}

static void drop_kept(cop_tree_watch *w, const uint32_t *to)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_kept; i++) {
        tree_kept *k = &w->kept[i];
        k->record = to[k->record];
        if (k->record == COP_NONE) {
            w->kept_words -=
                4 * (uint64_t)k->n_members + k->n_contributors + 2 * (uint64_t)k->n_victims;
            cop_free(k->member);
            cop_free(k->contributor);
            cop_free(k->victim);
        } else {
            w->kept[n++] = *k;
        }
    }
    w->n_kept = n;
}

static void drop_light(cop_tree_watch *w)
{
    size_t gone = 0, n = 0;
    for (size_t i = 0; i < w->n_records; i++)
        gone += !w->record[i].live;
    if (gone < MOST_RECORDS)
        return;
    double least = least_weight(w, gone);
    uint32_t *to = cop_alloc_array(w->n_records, sizeof(*to));
    for (size_t i = 0; i < w->n_records; i++) {
        tree_record *r = &w->record[i];
        bool keep = r->live || r->weight > least;
        to[i] = keep ? (uint32_t)n : COP_NONE;
        if (keep)
            w->record[n++] = *r;
        else
            free_record(r);
        w->dropped += !keep;
    }
    w->n_records = n;
    drop_kept(w, to);
    for (uint32_t p = 0; p < w->topo->n_ports; p++)
        if (w->record_of[p] != COP_NONE)
            w->record_of[p] = to[w->record_of[p]];
    cop_free(to);
}

static uint32_t new_record(cop_tree_watch *w, uint32_t root, cop_time begin)
{
    w->record = cop_grow(w->record, &w->cap_records, w->n_records + 1, sizeof(*w->record));
    uint32_t i = (uint32_t)w->n_records++;
    w->record[i] = (tree_record){.live = true,
                                 .root = root,
                                 .number = ++w->next_number,
                                 .begin = begin,
                                 .hosts = cop_alloc_array(w->topo->n_hosts, sizeof(uint16_t)),
                                 .streams = cop_alloc_array(w->stream_words, sizeof(uint64_t))};
    w->record_of[root] = i;
    return i;
}

void cop_tree_identify(cop_tree_watch *w, cop_time begin)
{
    drop_light(w);
    for (size_t i = 0; i < w->n_found; i++) {
        uint32_t root = w->found[i].root;
        w->found[i].record =
            w->record_of[root] != COP_NONE ? w->record_of[root] : new_record(w, root, begin);
    }
}

/* -- what it is at this sample -- */

/* Ports instead of channels, each once: the member of least depth. */
static uint32_t to_ports(cop_tree_watch *w, const tree_found *t, cop_tree_member *m)
{
    uint32_t n = 0;
    w->tree_no++;
    for (uint32_t i = 0; i < t->n; i++) {
        const tree_channel *c = &w->channel[t->first + i];
        uint32_t port = c->channel / w->lanes;
        if (w->port_mark[port] == w->tree_no)
            continue;
        w->port_mark[port] = w->tree_no;
        m[n++] =
            (cop_tree_member){.port = w->index[port],
                              .depth = c->depth,
                              .next = c->next == COP_NONE ? COP_NONE : w->index[c->next / w->lanes],
                              .bytes = c->bytes};
    }
    return n;
}

static void keep_flows(cop_tree_watch *w, const tree_found *t, tree_kept *k)
{
    k->n_contributors = t->n_contributors;
    k->n_victims = t->n_victims < MOST_FLOWS ? t->n_victims : MOST_FLOWS;
    k->contributor = cop_alloc_array(k->n_contributors, sizeof(uint32_t));
    k->victim = cop_alloc_array(k->n_victims, 2 * sizeof(uint32_t));
    if (k->n_contributors > 0)
        memcpy(k->contributor, w->host_list + t->contributor0,
               k->n_contributors * sizeof(uint32_t));
    for (uint32_t i = 0; i < k->n_victims; i++) {
        uint64_t flow = w->flow_list[t->victim0 + i];
        k->victim[2 * i] = (uint32_t)(flow >> 32);
        k->victim[2 * i + 1] = (uint32_t)flow;
    }
}

static tree_kept *keep(cop_tree_watch *w, const tree_found *t)
{
    w->kept = cop_grow(w->kept, &w->cap_kept, w->n_kept + 1, sizeof(*w->kept));
    tree_kept *k = &w->kept[w->n_kept++];
    *k = (tree_kept){.record = t->record,
                     .frame = (uint32_t)w->n_frames - 1,
                     .root = w->index[t->root],
                     .bytes = t->bytes};
    k->member = cop_alloc_array(t->n, sizeof(*k->member));
    k->links = k->n_members = to_ports(w, t, k->member);
    w->spent += 20 * (uint64_t)t->n + 5 * (uint64_t)t->n_victims;
    if (w->kept_words < MOST_KEPT && t->counted) {
        keep_flows(w, t, k);
        k->counted = true;
    }
    w->kept_words += 4 * (uint64_t)k->n_members + k->n_contributors + 2 * (uint64_t)k->n_victims;
    return k;
}

/* What the streams of its victims wanted and got since the last frame. */
static void count_loss(cop_tree_watch *w, const struct cop_net *net, tree_record *r, cop_time now,
                       cop_time span)
{
    for (uint32_t i = 0; i < w->stream_words; i++)
        for (uint64_t left = r->streams[i]; left; left &= left - 1) {
            uint32_t s = i * 64 + (uint32_t)__builtin_ctzll(left);
            cop_stream_look l = cop_look_stream(net, s, now);
            w->spent += 40;
            if (isnan(l.wanted_bps))
                continue;
            double wanted = l.wanted_bps * (double)span / (8.0 * (double)COP_SECOND);
            double got = (double)(l.delivered - w->delivered[s]);
            r->wanted += wanted;
            r->delivered += got < wanted ? got : wanted;
        }
}

static void note(cop_tree_watch *w, const struct cop_net *net, const tree_found *t, cop_time now,
                 cop_time span)
{
    tree_kept *k = keep(w, t);
    tree_record *r = &w->record[t->record];
    uint32_t depth = w->channel[t->first + t->n - 1].depth;
    r->samples++;
    r->counts += t->counted;
    r->end = now;
    r->missed = 0;
    r->links = k->links > r->links ? k->links : r->links;
    r->depth = depth > r->depth ? depth : r->depth;
    r->bytes_max = cop_max64(r->bytes_max, t->bytes);
    r->bytes_sum += (double)t->bytes;
    r->weight += (double)t->bytes * (double)span;
    for (uint32_t i = 0; i < t->n_contributors; i++) {
        uint16_t *seen = &r->hosts[w->host_list[t->contributor0 + i]];
        *seen = (uint16_t)(*seen + (*seen < UINT16_MAX));
    }
    for (uint32_t i = 0; i < t->n_victims; i++)
        cop_tree_flows_add(&r->victims, w->flow_list[t->victim0 + i]);
    w->spent += 6 * (uint64_t)t->n_contributors + 90 * (uint64_t)t->n_victims;
    count_loss(w, net, r, now, span);
}

static void tell(cop_tree_watch *w, size_t first)
{
    size_t n = w->n_kept - first;
    w->told = cop_grow(w->told, &w->cap_told, n + 1, sizeof(*w->told));
    for (size_t i = 0; i < n; i++) {
        const tree_kept *k = &w->kept[first + i];
        w->told[i] = (cop_tree_frame){.tree = w->record[k->record].number,
                                      .frame = k->frame,
                                      .root = k->root,
                                      .links = k->links,
                                      .bytes = k->bytes,
                                      .n_members = k->n_members,
                                      .n_contributors = k->n_contributors,
                                      .n_victims = k->n_victims,
                                      .counted = k->counted,
                                      .member = k->member,
                                      .contributor = k->contributor,
                                      .victim = k->victim};
    }
    cop_tree_now now = {.frame = &w->frame[w->n_frames - 1],
                        .tree = w->told,
                        .n_trees = (uint32_t)n,
                        .n_ports = w->n_index,
                        .number = (uint32_t)w->n_frames - 1};
    w->tell(w->tell_ctx, &now);
}

void cop_tree_follow(cop_tree_watch *w, const struct cop_net *net, cop_time now, cop_time span)
{
    size_t first = w->n_kept;
    for (size_t i = 0; i < w->n_records; i++)
        w->record[i].missed += w->record[i].live;
    for (size_t i = 0; i < w->n_found; i++)
        note(w, net, &w->found[i], now, span);
    for (size_t i = 0; i < w->n_records; i++) {
        tree_record *r = &w->record[i];
        if (r->live && r->missed > PATIENCE) {
            r->live = false;
            w->record_of[r->root] = COP_NONE;
        }
    }
    for (uint32_t s = 0; s < w->n_streams; s++)
        w->delivered[s] = cop_look_delivered(net, s);
    w->spent += 4 * (uint64_t)w->n_streams + 4 * w->n_records;
    if (w->tell != NULL)
        tell(w, first);
    if (w->kept_words > MOST_KEPT) /* members of what comes now are too many to keep */
        for (size_t i = first; i < w->n_kept; i++) {
            w->kept_words -= 4 * (uint64_t)w->kept[i].n_members;
            w->kept[i].n_members = 0;
        }
}
