/* Role: turn the options `from`, `except` and `share` of an entry into its list of sources.
 * Input: text of comma-separated items, in [ ] or not: `all`; `rest` (hosts that no earlier entry
 *   uses); the name of a host or of an earlier entry (its sources); a number; a range a-b; a range with a step
 *   a-b:s. `share` then keeps the nearest whole number of hosts, picked by the seed.
 * Output: e->src, ascending and without repeats; never empty.
 * Invariant: which hosts are picked depends on seed, entry number and the candidates only. */
#include "traffic/traffic_priv.h"

#include <stdio.h>
#include <string.h>

#define ITEM_SIZE 256

typedef struct host_range {
    uint32_t first, last, step;
} host_range;

/* Digits only, at most 9 of them. */
static bool read_number(const char **p, uint32_t *v)
{
    const char *s = *p;
    uint32_t n = 0, digits = 0;
    for (; *s >= '0' && *s <= '9' && digits < 9; s++, digits++)
        n = n * 10 + (uint32_t)(*s - '0');
    if (digits == 0)
        return false;
    *p = s;
    *v = n;
    return true;
}

static bool read_range(const char *item, host_range *r)
{
    const char *p = item;
    if (!read_number(&p, &r->first))
        return false;
    r->last = r->first;
    r->step = 1;
    if (*p == '-') {
        p++;
        if (!read_number(&p, &r->last))
            return false;
        if (*p == ':') {
            p++;
            if (!read_number(&p, &r->step))
                return false;
        }
    }
    return *p == '\0' && r->step > 0 && r->first <= r->last;
}

static const traffic_entry *earlier_entry(const traffic_build *b, const char *name)
{
    for (uint32_t i = 0; i < b->at; i++) {
        if (strcmp(b->tr->entry_name[i], name) == 0)
            return &b->entry[i];
    }
    return NULL;
}

uint32_t traffic_numbered_host(const cop_topo *t, const char *text)
{
    uint32_t h;
    return read_number(&text, &h) && *text == '\0' && h < t->n_hosts ? h : COP_NONE;
}

uint32_t traffic_named_host(const cop_topo *t, const char *name)
{
    if (t->host_name == NULL)
        return name[0] == 'h' ? traffic_numbered_host(t, name + 1) : COP_NONE;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        if (strcmp(t->host_name[h], name) == 0)
            return h;
    }
    return COP_NONE;
}

static int mark_item(traffic_build *b, const char *option, const char *item, uint8_t *mark,
                     uint8_t value)
{
    uint32_t n = b->topo->n_hosts;
    host_range r;
    if (strcmp(item, "all") == 0) {
        memset(mark, value, n);
        return 0;
    }
    if (strcmp(item, "rest") == 0) {
        for (uint32_t h = 0; h < n; h++) {
            if (!b->used[h])
                mark[h] = value;
        }
        return 0;
    }
    uint32_t named = traffic_named_host(b->topo, item);
    const traffic_entry *e = earlier_entry(b, item);
    if (named != COP_NONE && (e == NULL || b->topo->host_name != NULL)) {
        mark[named] = value;
        return 0;
    }
    if (e != NULL) {
        for (uint32_t i = 0; i < e->n_src; i++)
            mark[e->src[i]] = value;
        return 0;
    }
    if (!read_range(item, &r)) {
        return traffic_fault(b, option,
                             "`%s` has \"%s\"; write all, rest, the name of an earlier entry, or "
                             "host numbers such as 3, 0-7 or 0-62:2",
                             option, item);
    }
    if (r.last >= n) {
        return traffic_fault(b, option, "`%s` names host %u; give hosts from 0 to %u", option,
                             r.last, n - 1);
    }
    for (uint32_t h = r.first; h <= r.last; h += r.step)
        mark[h] = value;
    return 0;
}

/* The next item of a list; false behind the last. */
static bool next_item(const char **p, char *item)
{
    *p += strspn(*p, " \t[],");
    size_t len = strcspn(*p, "],"), used = len;
    while (used > 0 && ((*p)[used - 1] == ' ' || (*p)[used - 1] == '\t'))
        used--;
    snprintf(item, ITEM_SIZE, "%.*s", (int)used, *p);
    *p += len;
    return len > 0;
}

static int mark_text(traffic_build *b, const char *option, const char *text, uint8_t *mark,
                     uint8_t value)
{
    char item[ITEM_SIZE];
    int rc = 0;
    while (next_item(&text, item))
        if (mark_item(b, option, item, mark, value) != 0)
            rc = -COP_E_INPUT;
    return rc;
}

int cop_host_set(const cop_topo *t, const char *text, uint8_t *mark, cop_err *err)
{
    char item[ITEM_SIZE];
    while (next_item(&text, item)) {
        uint32_t named = traffic_named_host(t, item);
        host_range r = {.first = named, .last = named, .step = 1};
        if (strcmp(item, "all") == 0)
            r = (host_range){.last = t->n_hosts - 1, .step = 1};
        else if (named == COP_NONE && !read_range(item, &r))
            return cop_err_add(
                err, COP_E_INPUT,
                "there is no host `%s`; write all, a name, or numbers such as 3, 0-7 "
                "or 0-62:2",
                item);
        if (r.last >= t->n_hosts)
            return cop_err_add(err, COP_E_INPUT, "there is no host %u; give hosts from 0 to %u",
                               r.last, t->n_hosts - 1);
        for (uint32_t h = r.first; h <= r.last; h += r.step)
            mark[h] = 1;
    }
    return 0;
}

/* Keep k of the n hosts in list, each set of k equally likely. */
static void pick(traffic_entry *e, uint32_t k, uint8_t *mark)
{
    cop_rng r = cop_rng_make(e->seed, COP_RNG_PLACE, PLACE_SHARE);
    memset(mark, 0, e->n_hosts);
    for (uint32_t i = 0; i < k; i++) {
        uint32_t j = i + cop_rng_below(&r, e->n_src - i), h = e->src[j];
        e->src[j] = e->src[i];
        e->src[i] = h;
        mark[h] = 1;
    }
}

static void collect(traffic_entry *e, const uint8_t *mark)
{
    e->n_src = 0;
    for (uint32_t h = 0; h < e->n_hosts; h++) {
        if (mark[h])
            e->src[e->n_src++] = h;
    }
}

int traffic_sources(traffic_build *b, const cop_traffic_cfg *cfg, traffic_entry *e)
{
    uint32_t n = b->topo->n_hosts;
    uint8_t *mark = cop_alloc(n);
    e->src = COP_NEW_ARRAY(&b->tr->arena, uint32_t, n);
    int rc = mark_text(b, "from", cfg->from, mark, 1);
    if (mark_text(b, "except", cfg->except, mark, 0) != 0)
        rc = -COP_E_INPUT;
    collect(e, mark);
    if (rc == 0 && e->n_src == 0)
        rc = traffic_fault(
            b, "from",
            "no host is left to send, `from` minus `except` is empty; change one of them");
    uint32_t k = traffic_share_of(cfg->share, e->n_src);
    if (rc == 0 && k == 0) {
        rc = traffic_fault(b, "share",
                           "`share` of %u hosts is less than half a host; take a larger share",
                           e->n_src);
    }
    if (rc == 0 && k < e->n_src) {
        pick(e, k, mark);
        collect(e, mark);
    }
    for (uint32_t i = 0; i < e->n_src; i++)
        b->used[e->src[i]] = 1;
    cop_free(mark);
    return rc;
}
