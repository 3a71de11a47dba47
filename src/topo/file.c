/* Topologies from a file: output of ibnetdiscover, which ibsim reads, or of iblinkinfo.
 *
 * Role: look up the peers of the records that a reader found (file_scan.h), prove that the two ends
 * of every cable agree, and build the graph.
 * Numbering: switches in the order of their records; hosts in the order of the Ca records and,
 * inside one, of its cabled ports: each cabled Ca port is a host, ports without a cable are none.
 * Local port of a switch = port in the file - 1. A host is named after its Ca, with "/port" if the
 * Ca has more than one cabled port. Addresses: the Ca's record overrides its switch's. The GUID of
 * a host is that of its port; if only the Ca's is known, Ca GUID + port, as in ibsim. A LID of 0 is
 * none; a table without any LID is left out. A cable given by one end only is accepted. If both
 * ends state a speed it must be the same; a cable without any has rate rank 0, the configured rate.
 * Cost: n log n in the nodes, linear in the text otherwise, for any text. Missing GUIDs or LIDs are
 * no fault: only routing `table` needs them. */
#include "base/file.h"
#include "topo/build.h"
#include "topo/file_scan.h"
#include "topo/topo_cfg.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry { /* of the index of names */
    cop_span id;
    uint32_t node;
} entry;

typedef struct wiring {
    cop_scan scan;
    entry *index; /* [n_nodes], by id */
    uint32_t *said; /* [n_slots] link of the port's own line, or COP_NONE */
    uint32_t *heard; /* [n_slots] link of the peer's line, or COP_NONE */
    uint32_t *port; /* [n_slots] port number in the topology, or COP_NONE */
} wiring;

static int compare_ids(cop_span a, cop_span b)
{
    int c = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
    return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

static int compare_entries(const void *va, const void *vb)
{
    const entry *a = va, *b = vb;
    int c = compare_ids(a->id, b->id);
    return c != 0 ? c : (a->node > b->node) - (a->node < b->node);
}

static void index_nodes(wiring *w)
{
    cop_scan *s = &w->scan;
    if (s->by_lid)
        return;
    w->index = cop_alloc_array(s->n_nodes, sizeof(*w->index));
    for (size_t i = 0; i < s->n_nodes; i++)
        w->index[i] = (entry){s->node[i].id, (uint32_t)i};
    qsort(w->index, s->n_nodes, sizeof(*w->index), compare_entries);
    for (size_t i = 1; i < s->n_nodes; i++) {
        char id[80];
        const cop_scan_node *a = &s->node[w->index[i - 1].node], *b = &s->node[w->index[i].node];
        if (compare_ids(a->id, b->id) == 0)
            cop_scan_fault(s, b->line,
                           "second record of \"%s\", the other is in line %u; ids must differ",
                           cop_span_show(a->id, id, sizeof(id)), a->line);
    }
}

static const cop_scan_node *find_node(const wiring *w, cop_span id)
{
    size_t low = 0, high = w->scan.n_nodes;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int c = compare_ids(w->index[mid].id, id);
        if (c == 0)
            return &w->scan.node[w->index[mid].node];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static uint32_t own_slot(const cop_scan *s, const cop_scan_link *l)
{
    return s->node[l->node].slot0 + l->port - 1;
}

/* Set peer_slot, or report why it cannot be. */
static void find_peer(wiring *w, cop_scan_link *l)
{
    cop_scan *s = &w->scan;
    const cop_scan_node *own = &s->node[l->node], *peer = NULL;
    char id[80];
    if (!s->by_lid)
        peer = find_node(w, l->peer);
    else if (l->peer_node != COP_NONE)
        peer = &s->node[l->peer_node];
    else
        return; /* reported */
    cop_span_show(l->peer, id, sizeof(id));
    if (peer == NULL)
        cop_scan_fault(s, l->line, "peer \"%s\" has no record; must be the id of a Switch or Ca",
                       id);
    else if (l->peer_port > peer->ports)
        cop_scan_fault(s, l->line, "peer port %u of \"%s\"; must be 1 to %u, see line %u",
                       l->peer_port, id, peer->ports, peer->line);
    else if (!own->is_switch && !peer->is_switch)
        cop_scan_fault(s, l->line, "peer \"%s\" is a Ca too; a Ca must be cabled to a switch", id);
    else if (peer == own && l->peer_port == l->port)
        cop_scan_fault(s, l->line, "port %u is cabled to itself; must have another port as peer",
                       l->port);
    else
        l->peer_slot = peer->slot0 + l->peer_port - 1;
}

/* Does the other end agree? `said` is complete by now. */
static void check_back(wiring *w, uint32_t i)
{
    cop_scan *s = &w->scan;
    const cop_scan_link *l = &s->link[i];
    if (l->peer_slot == COP_NONE)
        return;
    char id[80], other_id[80];
    cop_span_show(l->peer, id, sizeof(id));
    uint32_t back = w->said[l->peer_slot];
    if (back == COP_NONE) {
        uint32_t before = w->heard[l->peer_slot];
        if (before != COP_NONE)
            cop_scan_fault(s, l->line,
                           "second cable to port %u of \"%s\", the other is in line %u; a port has "
                           "one peer",
                           l->peer_port, id, s->link[before].line);
    } else if (s->link[back].peer_slot == COP_NONE) {
        return; /* reported */
    } else if (s->link[back].peer_slot != own_slot(s, l)) {
        cop_scan_fault(s, l->line,
                       "port %u of \"%s\" does not point back, line %u says its peer is port %u of "
                       "\"%s\"; both ends must name each other",
                       l->peer_port, id, s->link[back].line, s->link[back].peer_port,
                       cop_span_show(s->link[back].peer, other_id, sizeof(other_id)));
    } else if (l->rate_bps && s->link[back].rate_bps && l->rate_bps != s->link[back].rate_bps) {
        if (back < i)
            cop_scan_fault(s, l->line,
                           "speed differs from that of the other end in line %u; both ends of a "
                           "cable must have the same",
                           s->link[back].line);
    }
    w->heard[l->peer_slot] = i;
}

static int connect_all(wiring *w)
{
    cop_scan *s = &w->scan;
    w->said = cop_alloc_array(s->n_slots, sizeof(*w->said));
    w->heard = cop_alloc_array(s->n_slots, sizeof(*w->heard));
    for (uint64_t i = 0; i < s->n_slots; i++)
        w->said[i] = w->heard[i] = COP_NONE;
    for (uint32_t i = 0; i < s->n_links; i++) {
        cop_scan_link *l = &s->link[i];
        uint32_t *said = &w->said[own_slot(s, l)];
        if (*said != COP_NONE) {
            cop_scan_fault(s, l->line,
                           "second line for port %u, the other is line %u; a port has one peer",
                           l->port, s->link[*said].line);
            continue;
        }
        *said = i;
        find_peer(w, l);
    }
    for (uint32_t i = 0; i < s->n_links; i++)
        check_back(w, i);
    return s->faults ? -COP_E_INPUT : 0;
}

static char *keep_name(cop_topo *t, const cop_scan_node *n, uint32_t port)
{
    cop_span from = n->name.n > 0 ? n->name : n->id;
    char *text = cop_arena_alloc(&t->arena, from.n + 1);
    cop_span_show(from, text, from.n + 1);
    return port == 0 ? text : cop_arena_printf(&t->arena, "%s/%u", text, port);
}

static bool cabled(const wiring *w, uint32_t slot)
{
    return w->said[slot] != COP_NONE || w->heard[slot] != COP_NONE;
}

static uint32_t cabled_ports(const wiring *w, const cop_scan_node *n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->ports; i++)
        count += cabled(w, n->slot0 + i);
    return count;
}

/* Count hosts and switches and create the ports. */
static int begin_graph(cop_topo *t, wiring *w)
{
    cop_scan *s = &w->scan;
    uint64_t hosts = 0, ports = 0;
    uint32_t switches = 0;
    uint32_t *sizes = cop_alloc_array(s->n_nodes, sizeof(*sizes));
    for (size_t i = 0; i < s->n_nodes; i++) {
        cop_scan_node *n = &s->node[i];
        if (n->is_switch) {
            ports += n->ports;
            n->number = switches;
            sizes[switches++] = n->ports;
        } else {
            hosts += cabled_ports(w, n);
        }
    }
    int rc = 0;
    if (hosts == 0)
        rc = cop_err_add(s->err, COP_E_INPUT,
                         "%s: no host; at least one Ca must be cabled to a switch", s->file);
    else
        rc = cop_topo_check_size(cop_topo_file.name, hosts, ports, 0, s->err);
    if (rc == 0)
        cop_topo_begin(t, (uint32_t)hosts, switches, sizes);
    cop_free(sizes);
    return rc;
}

static void fill_host(cop_topo *t, const wiring *w, const cop_scan_node *n, uint32_t port,
                      uint32_t host, bool alone)
{
    uint32_t slot = n->slot0 + port - 1, said = w->said[slot], heard = w->heard[slot];
    uint16_t lid = said != COP_NONE ? w->scan.link[said].lid : 0;
    uint64_t guid = said != COP_NONE ? w->scan.link[said].guid : 0;
    if (heard != COP_NONE) {
        lid = lid != 0 ? lid : w->scan.link[heard].peer_lid;
        guid = guid != 0 ? guid : w->scan.link[heard].peer_guid;
    }
    if (guid == 0 && n->guid != 0)
        guid = n->guid + port;
    t->host_name[host] = keep_name(t, n, alone ? 0 : port);
    t->host_lid[host] = lid;
    t->host_guid[host] = guid;
}

static bool any_lid(const uint16_t *lid, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (lid[i] != 0)
            return true;
    return false;
}

/* Names, addresses, and the topology's port number of every slot. */
static void fill_nodes(cop_topo *t, wiring *w)
{
    const cop_scan *s = &w->scan;
    t->host_name = COP_NEW_ARRAY(&t->arena, char *, t->n_hosts);
    t->switch_name = COP_NEW_ARRAY(&t->arena, char *, t->n_switches);
    t->host_lid = COP_NEW_ARRAY(&t->arena, uint16_t, t->n_hosts);
    t->switch_lid = COP_NEW_ARRAY(&t->arena, uint16_t, t->n_switches);
    t->host_guid = COP_NEW_ARRAY(&t->arena, uint64_t, t->n_hosts);
    t->switch_guid = COP_NEW_ARRAY(&t->arena, uint64_t, t->n_switches);
    w->port = cop_alloc_array(s->n_slots, sizeof(*w->port));
    uint32_t host = 0;
    for (size_t i = 0; i < s->n_nodes; i++) {
        const cop_scan_node *n = &s->node[i];
        if (n->is_switch) {
            t->switch_name[n->number] = keep_name(t, n, 0);
            t->switch_lid[n->number] = n->lid;
            t->switch_guid[n->number] = n->guid;
        }
        bool alone = n->is_switch || cabled_ports(w, n) == 1;
        for (uint32_t p = 0; p < n->ports; p++) {
            uint32_t slot = n->slot0 + p;
            if (n->is_switch) {
                w->port[slot] = cop_topo_switch_port(t, n->number, p);
                continue;
            }
            w->port[slot] = COP_NONE;
            if (cabled(w, slot)) {
                fill_host(t, w, n, p + 1, host, alone);
                w->port[slot] = cop_topo_host_port(t, host++);
            }
        }
    }
    if (!any_lid(t->host_lid, t->n_hosts))
        t->host_lid = NULL;
    if (!any_lid(t->switch_lid, t->n_switches))
        t->switch_lid = NULL;
}

/* Widths and speeds make few combinations, so a search over the known ranks is short. */
static uint8_t rank_of(cop_topo *t, uint64_t rate_bps)
{
    if (rate_bps == 0)
        return 0;
    for (uint32_t r = 1; r < t->n_speeds; r++)
        if (t->speed[r] == rate_bps)
            return (uint8_t)r;
    COP_CHECK(t->n_speeds < COP_LEN(t->speed));
    t->speed[t->n_speeds] = rate_bps;
    return (uint8_t)t->n_speeds++;
}

static void lay_cables(cop_topo *t, const wiring *w)
{
    const cop_scan *s = &w->scan;
    for (uint32_t i = 0; i < s->n_links; i++) {
        const cop_scan_link *l = &s->link[i];
        uint32_t back = w->said[l->peer_slot];
        if (back < i) /* already cabled from the other end; COP_NONE is not below i */
            continue;
        uint32_t a = w->port[own_slot(s, l)], b = w->port[l->peer_slot];
        bool host = cop_topo_is_host_port(t, a) || cop_topo_is_host_port(t, b);
        cop_topo_cable(t, a, b, host ? COP_LINK_HOST : COP_LINK_TRUNK);
        uint64_t rate = l->rate_bps;
        if (rate == 0 && back != COP_NONE)
            rate = s->link[back].rate_bps;
        t->port[a].rate_rank = t->port[b].rate_rank = rank_of(t, rate);
    }
}

static int build_graph(cop_topo *t, wiring *w)
{
    int rc = begin_graph(t, w);
    if (rc != 0)
        return rc;
    t->kind = cop_topo_file.name;
    fill_nodes(t, w);
    lay_cables(t, w);
    cop_err faults = {0};
    rc = cop_topo_finish(t, &faults);
    if (rc != 0)
        cop_err_add(w->scan.err, -rc, "%s: %s", w->scan.file, faults.text);
    return rc;
}

int cop_topo_parse_text(cop_topo *t, const char *name, const char *text, size_t len, cop_err *err)
{
    wiring w = {.scan = {.file = name, .err = err}};
    int rc = cop_scan_text(&w.scan, len > 0 ? text : "", len);
    if (rc == 0) {
        index_nodes(&w);
        rc = w.scan.faults ? -COP_E_INPUT : connect_all(&w);
    }
    cop_scan_report(&w.scan);
    if (rc == 0)
        rc = build_graph(t, &w);
    cop_free(w.index);
    cop_free(w.said);
    cop_free(w.heard);
    cop_free(w.port);
    cop_scan_fini(&w.scan);
    return rc;
}

/* A fabric of 100,000 hosts prints about 30 MB. */
#define MAX_FILE_BYTES ((size_t)1 << 30)

static int build_file(cop_topo *t, const void *config, cop_err *err)
{
    const char *path = ((const cop_file_cfg *)config)->path;
    if (path == NULL || path[0] == '\0')
        return cop_err_add(
            err, COP_E_INPUT,
            "topology file: path is empty; must name what ibnetdiscover or iblinkinfo wrote");
    char *text;
    size_t len;
    int rc = cop_file_read(path, MAX_FILE_BYTES, &text, &len, err);
    if (rc == 0)
        rc = cop_topo_parse_text(t, path, text, len, err);
    cop_free(text);
    return rc;
}

static const cop_opt file_opts[] = {
    {"path", COP_OPT_STRING, offsetof(cop_file_cfg, path), NULL, 0, 0, NULL,
     "file with the output of ibnetdiscover or iblinkinfo, or for ibsim"},
    {0}};

const cop_topo_ops cop_topo_file = {
    .name = "file",
    .summary = "a real fabric, from the text that ibnetdiscover or iblinkinfo prints",
    .source = "ibnetdiscover(8), iblinkinfo(8) of infiniband-diags; net files of ibsim",
    .opts = file_opts,
    .cfg_size = sizeof(cop_file_cfg),
    .build = build_file};
