/* Silent, windy or moving: from records to results.
 *
 * Rules   Paper IV: branches of a silent tree grow and shrink along the same paths; those of a windy one
 *         change their paths because the nodes that send to the hotspot change; a moving tree is one that
 *         disappears while another one, with the same contributors, appears elsewhere.
 *         similarity           of two samples: links in both over links in either (Jaccard)
 *         overlap              links in both over links of the smaller: 1 as long as a tree only grows or
 *                              only shrinks
 *         contributor_overlap  the same of the contributors
 *         each a mean over all pairs of samples that lie a quarter of the tree's samples apart and have the
 *         same root. Fewer than 4 samples: unjudged. Else moving if the root has changed;
 *         windy if an overlap is below WINDY; silent.
 *         A tree Y is tree X moved if X had been there when Y began, or two samples before, and is gone
 *         while Y is still there; and at least half of the hosts that are contributors in half of the
 *         samples of X or Y are so in both.
 * Source  gran4 III, M-trees, gran4-13, gran4-14. */
#include "tree/tree_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WINDY 0.8
#define LEAST_SAMPLES 4

typedef struct judge {
    cop_tree_watch *w;
    cop_result *r;
    uint32_t *from; /* [records] record that moved here, or COP_NONE */
    uint32_t *into; /* [records] record that it moved to, or COP_NONE */
    uint32_t *order; /* [records] that end a chain, heaviest first */
    double *weight; /* [records] of the chain that ends here */
    uint32_t *kept0; /* [records + 1] first of kept_list */
    uint32_t *kept_list; /* kept, by record, in order of time */
} judge;

/* -- trees that moved -- */

static bool main_contributor(const tree_record *r, uint32_t host)
{
    return 2u * r->hosts[host] >= cop_min64(r->counts, UINT16_MAX);
}

static double kinship(const cop_tree_watch *w, const tree_record *x, const tree_record *y)
{
    uint32_t both = 0, either = 0;
    for (uint32_t h = 0; h < w->topo->n_hosts; h++) {
        bool a = main_contributor(x, h), b = main_contributor(y, h);
        both += a && b;
        either += a || b;
    }
    return either ? (double)both / either : 0.0;
}

static bool may_follow(const cop_tree_watch *w, const tree_record *x, const tree_record *y)
{
    return x->root != y->root && x->begin < y->begin && x->end < y->end &&
           x->end + PATIENCE * w->cfg.period >= y->begin && x->samples > 1 && y->samples > 1;
}

static void link_moves(judge *j)
{
    const cop_tree_watch *w = j->w;
    for (size_t y = 0; y < w->n_records; y++) { /* records are in order of their beginning */
        double best = 0.5;
        for (size_t x = 0; x < y; x++) {
            if (j->into[x] != COP_NONE || !may_follow(w, &w->record[x], &w->record[y]))
                continue;
            double k = kinship(w, &w->record[x], &w->record[y]);
            if (k >= best && (k > best || j->from[y] == COP_NONE)) {
                best = k;
                j->from[y] = (uint32_t)x;
            }
        }
        if (j->from[y] != COP_NONE)
            j->into[j->from[y]] = (uint32_t)y;
    }
}

/* -- how alike samples are -- */

/* Of two sorted sets. */
static uint32_t common(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m)
{
    uint32_t both = 0;
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        both += a[i] == b[k];
        uint32_t x = a[i], y = b[k];
        i += x <= y;
        k += y <= x;
    }
    return both;
}

/* Ports in both; each is in a tree once. */
static uint32_t common_ports(cop_tree_watch *w, const tree_kept *a, const tree_kept *b)
{
    uint32_t both = 0;
    w->tree_no++;
    for (uint32_t i = 0; i < a->n_members; i++)
        w->port_mark[a->member[i].port] = w->tree_no;
    for (uint32_t i = 0; i < b->n_members; i++)
        both += w->port_mark[b->member[i].port] == w->tree_no;
    return both;
}

typedef struct likeness {
    double similarity, overlap, sources;
    uint32_t n, n_sources;
} likeness;

static void compare(cop_tree_watch *w, const tree_kept *a, const tree_kept *b, likeness *l)
{
    uint32_t n = a->n_members, m = b->n_members;
    if (n > 0 && m > 0) {
        uint32_t both = common_ports(w, a, b);
        l->similarity += (double)both / (n + m - both);
        l->overlap += (double)both / (n < m ? n : m);
        l->n++;
    }
    n = a->n_contributors;
    m = b->n_contributors;
    if (n > 0 && m > 0) {
        l->sources += (double)common(a->contributor, n, b->contributor, m) / (n < m ? n : m);
        l->n_sources++;
    }
}

/* Samples of the chain that ends at `record`, in order; returns how many. */
static uint32_t chain_samples(const judge *j, uint32_t record, uint32_t *list)
{
    uint32_t n = 0;
    if (j->from[record] != COP_NONE)
        n = chain_samples(j, j->from[record], list);
    for (uint32_t i = j->kept0[record]; i < j->kept0[record + 1]; i++)
        list[n++] = j->kept_list[i];
    return n;
}

static void judge_kind(const judge *j, uint32_t record, cop_tree_result *t)
{
    uint32_t *list = cop_alloc_array(j->w->n_kept, sizeof(*list));
    uint32_t n = chain_samples(j, record, list), lag = n / 4 ? n / 4 : 1;
    likeness l = {0};
    for (uint32_t i = 0; i + lag < n && n >= LEAST_SAMPLES; i++) {
        const tree_kept *a = &j->w->kept[list[i]], *b = &j->w->kept[list[i + lag]];
        if (a->record == b->record)
            compare(j->w, a, b, &l);
    }
    cop_free(list);
    t->similarity = l.n ? l.similarity / l.n : NAN;
    t->overlap = l.n ? l.overlap / l.n : NAN;
    t->contributor_overlap = l.n_sources ? l.sources / l.n_sources : NAN;
    t->kind = n < LEAST_SAMPLES                                      ? COP_TREE_UNJUDGED
              : t->n_roots > 1                                       ? COP_TREE_MOVING
              : t->overlap < WINDY || t->contributor_overlap < WINDY ? COP_TREE_WINDY
                                                                     : COP_TREE_SILENT;
}

/* -- results -- */

static uint32_t chain_length(const judge *j, uint32_t record)
{
    uint32_t n = 0;
    for (; record != COP_NONE; record = j->from[record])
        n++;
    return n;
}

static uint32_t count_hosts(const judge *j, uint32_t record)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < j->w->topo->n_hosts; h++) {
        bool any = false;
        for (uint32_t i = record; i != COP_NONE && !any; i = j->from[i])
            any = j->w->record[i].hosts[h] > 0;
        n += any;
    }
    return n;
}

static void add_tree(judge *j, uint32_t record)
{
    cop_tree_watch *w = j->w;
    cop_tree_result *t = &j->r->tree[j->r->n_trees++];
    tree_flows victims = {0};
    double bytes = 0.0, wanted = 0.0, delivered = 0.0;
    *t = (cop_tree_result){.n_roots = chain_length(j, record), .begin = COP_NEVER};
    t->root = COP_NEW_ARRAY(&j->r->arena, cop_tree_root, t->n_roots);
    uint32_t at = t->n_roots;
    for (uint32_t i = record; i != COP_NONE; i = j->from[i]) {
        const tree_record *x = &w->record[i];
        t->root[--at] =
            (cop_tree_root){.port = w->index[x->root], .begin = x->begin, .end = x->end};
        t->begin = cop_min64(t->begin, x->begin);
        t->end = cop_max64(t->end, x->end);
        t->samples += x->samples;
        t->counted |= x->counts > 0;
        t->links = x->links > t->links ? x->links : t->links;
        t->depth = x->depth > t->depth ? x->depth : t->depth;
        t->bytes_max = cop_max64(t->bytes_max, x->bytes_max);
        bytes += x->bytes_sum;
        wanted += x->wanted;
        delivered += x->delivered;
        cop_tree_flows_join(&victims, &x->victims);
    }
    t->bytes_mean = bytes / t->samples;
    t->contributors = count_hosts(j, record);
    t->victims = victims.n;
    t->loss = wanted > 0.0 ? 1.0 - delivered / wanted : NAN;
    cop_tree_flows_free(&victims);
    judge_kind(j, record, t);
}

static void *copy(cop_arena *a, const void *from, size_t n, size_t size)
{
    void *to = cop_arena_array(a, n, size);
    if (n > 0)
        memcpy(to, from, n * size);
    return to;
}

static void add_tree_frames(judge *j, uint32_t record, uint32_t tree)
{
    cop_tree_watch *w = j->w;
    cop_result *r = j->r;
    uint32_t *list = cop_alloc_array(w->n_kept, sizeof(*list));
    uint32_t n = chain_samples(j, record, list), last = COP_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const tree_kept *k = &w->kept[list[i]];
        if (last != COP_NONE && k->frame <= last) /* both roots were seen: the older one counts */
            continue;
        last = k->frame;
        r->tree_frame[r->n_tree_frames++] = (cop_tree_frame){
            .tree = tree,
            .frame = k->frame,
            .root = k->root,
            .links = k->links,
            .bytes = k->bytes,
            .n_members = k->n_members,
            .n_contributors = k->n_contributors,
            .n_victims = k->n_victims,
            .counted = k->counted,
            .member = copy(&r->arena, k->member, k->n_members, sizeof(*k->member)),
            .contributor = copy(&r->arena, k->contributor, k->n_contributors, sizeof(uint32_t)),
            .victim = copy(&r->arena, k->victim, k->n_victims, 2 * sizeof(uint32_t))};
    }
    cop_free(list);
}

static void add_frames(const cop_tree_watch *w, cop_result *r)
{
    size_t n = w->cfg.film ? w->n_index : 0;
    r->film = w->cfg.film;
    r->n_frames = (uint32_t)w->n_frames;
    r->frame = COP_NEW_ARRAY(&r->arena, cop_frame, w->n_frames);
    for (size_t i = 0; i < w->n_frames; i++) {
        const cop_frame *f = &w->frame[i];
        r->frame[i] = (cop_frame){.t = f->t,
                                  .span = f->span,
                                  .waiting = copy(&r->arena, f->waiting, n, sizeof(uint32_t)),
                                  .blocked = copy(&r->arena, f->blocked, n, 1),
                                  .use = copy(&r->arena, f->use, n, 1),
                                  .flow = copy(&r->arena, f->flow, f->n_flow, sizeof(uint32_t)),
                                  .n_flow = f->n_flow};
    }
}

static void sort_kept(judge *j)
{
    const cop_tree_watch *w = j->w;
    for (size_t i = 0; i < w->n_kept; i++)
        j->kept0[w->kept[i].record + 1]++;
    for (size_t i = 0; i < w->n_records; i++)
        j->kept0[i + 1] += j->kept0[i];
    uint32_t *at = copy(&j->r->arena, j->kept0, w->n_records + 1, sizeof(*at));
    for (size_t i = 0; i < w->n_kept; i++)
        j->kept_list[at[w->kept[i].record]++] = (uint32_t)i;
}

/* Heaviest first; of equals the older one. */
static uint32_t sort_chains(judge *j)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->w->n_records; i++) {
        if (j->into[i] != COP_NONE)
            continue;
        for (uint32_t x = i; x != COP_NONE; x = j->from[x])
            j->weight[i] += j->w->record[x].weight;
        uint32_t at = n++;
        for (; at > 0 && j->weight[j->order[at - 1]] < j->weight[i]; at--)
            j->order[at] = j->order[at - 1];
        j->order[at] = i;
    }
    return n;
}

static void add_scalars(cop_result *r)
{
    double links = 0, victims = 0, bytes = 0, kinds[4] = {0};
    for (uint32_t i = 0; i < r->n_trees; i++) {
        const cop_tree_result *t = &r->tree[i];
        links = t->links > links ? t->links : links;
        victims = (double)t->victims > victims ? (double)t->victims : victims;
        bytes = (double)t->bytes_max > bytes ? (double)t->bytes_max : bytes;
        kinds[t->kind]++;
    }
    const cop_scalar more[] = {{"trees.count", "trees", r->n_trees},
                               {"trees.silent", "trees", kinds[COP_TREE_SILENT]},
                               {"trees.windy", "trees", kinds[COP_TREE_WINDY]},
                               {"trees.moving", "trees", kinds[COP_TREE_MOVING]},
                               {"trees.unjudged", "trees", kinds[COP_TREE_UNJUDGED]},
                               {"trees.dropped", "trees", (double)r->trees_dropped},
                               {"trees.links_max", "links", links},
                               {"trees.victims_max", "flows", victims},
                               {"trees.bytes_max", "bytes", bytes}};
    cop_scalar *all = COP_NEW_ARRAY(&r->arena, cop_scalar, r->n_scalars + COP_LEN(more));
    if (r->n_scalars > 0)
        memcpy(all, r->scalar, r->n_scalars * sizeof(*all));
    memcpy(all + r->n_scalars, more, sizeof(more));
    r->scalar = all;
    r->n_scalars += (uint32_t)COP_LEN(more);
}

void cop_tree_finish(cop_tree_watch *w, cop_result *r)
{
    size_t n = w->n_records;
    cop_arena *a = &r->arena;
    judge j = {.w = w,
               .r = r,
               .from = COP_NEW_ARRAY(a, uint32_t, n),
               .into = COP_NEW_ARRAY(a, uint32_t, n),
               .order = COP_NEW_ARRAY(a, uint32_t, n),
               .weight = COP_NEW_ARRAY(a, double, n),
               .kept0 = COP_NEW_ARRAY(a, uint32_t, n + 1),
               .kept_list = COP_NEW_ARRAY(a, uint32_t, w->n_kept)};
    memset(j.from, 0xff, n * sizeof(*j.from));
    memset(j.into, 0xff, n * sizeof(*j.into));
    link_moves(&j);
    sort_kept(&j);
    uint32_t trees = sort_chains(&j);
    r->trees_asked = true;
    r->trees_dropped = w->dropped;
    r->tree = COP_NEW_ARRAY(a, cop_tree_result, trees);
    r->tree_frame = COP_NEW_ARRAY(a, cop_tree_frame, w->n_kept);
    for (uint32_t i = 0; i < trees; i++) {
        add_tree(&j, j.order[i]);
        add_tree_frames(&j, j.order[i], i);
    }
    add_frames(w, r);
    add_scalars(r);
}
