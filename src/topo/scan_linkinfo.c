/* Lines of iblinkinfo into records.
 *
 * Role: the grammar, and peers by LID. Accepted lines:
 *   Switch: 0x<guid> name:         a record (or `Switch 0x<guid> name:`); the name may have colons
 *   CA: name:                      a record; also Router, which ends the subnet as a host does
 *     [0x<guid>] lid port[ext] ==( 4X 25.78125 Gbps Active/ LinkUp)==> lid port[ext] "name" (..)
 *     .. ==( Down/ Polling)==> [  ] "" ( )     a port without a cable, also `"Port not available"`
 *   blank lines, # comments, ibwarn: ..        ignored
 * CA port lines begin with the GUID of the port. A switch has one LID, every port of a CA its own.
 * Ports of a node: up to the highest number with a line; iblinkinfo prints the ports that are down,
 * too. Width and speed of a link are those it runs at; possible ones (`Could be 4X`) are ignored.
 * Invariants: those of scan_netdiscover.c; peer_node of every link is set, or its fault reported.
 * Not read: `iblinkinfo -l`, in which switches and CAs have one form, and output of a part of the
 * fabric (--switches-only), as hosts then have no record.
 * Source: iblinkinfo(8) of infiniband-diags. */
#include "topo/file_scan.h"

#include "base/mem.h"
#include "topo/topo.h"

#include <ctype.h>
#include <string.h>

#define MOST_PORTS 254 /* of an InfiniBand node */
#define LIDS 65536

/* Gbit/s of a lane before line coding, as a whole number, and the name of the speed. */
static const struct {
    uint64_t gbps;
    const char *name;
} lanes[] = {{2, "SDR"},  {5, "DDR"},  {10, "QDR"},  {14, "FDR"},  {25, "EDR"},  {26, "EDR"},
             {50, "HDR"}, {53, "HDR"}, {100, "NDR"}, {106, "NDR"}, {200, "XDR"}, {212, "XDR"}};

static void add_node(cop_scan *s, uint32_t line, cop_cursor c, bool is_switch, uint64_t guid)
{
    cop_scan_skip(&c);
    while (c.end > c.p && isspace((unsigned char)c.end[-1]))
        c.end--;
    c.end -= c.end > c.p && c.end[-1] == ':';
    cop_scan_node n = {.line = line, .is_switch = is_switch, .guid = guid};
    n.id = n.name = (cop_span){c.p, (size_t)(c.end - c.p)};
    if (n.name.n == 0)
        n.id = n.name = (cop_span){"?", 1};
    s->node = cop_grow(s->node, &s->node_cap, s->n_nodes + 1, sizeof(n));
    s->node[s->n_nodes++] = n;
}

/* "Switch: 0x1 name:", "CA: name:"; false: the line is something else. */
static bool scan_header(cop_scan *s, uint32_t line, cop_cursor c)
{
    if (cop_scan_take(&c, "CA: ") || cop_scan_take(&c, "Router: ")) {
        add_node(s, line, c, false, 0);
        return true;
    }
    uint64_t guid = 0;
    if (!cop_scan_take(&c, "Switch: 0x") && !cop_scan_take(&c, "Switch 0x"))
        return false;
    if (!cop_scan_number(&c, 16, &guid))
        cop_scan_fault(s, line, "bad GUID; must be at most 16 hexadecimal digits after 0x");
    add_node(s, line, c, true, guid);
    return true;
}

/* " 12 3[ ]": LID and number of a port; the number in brackets is that printed on the chassis. */
static bool take_place(cop_cursor *c, uint64_t *lid, uint64_t *port)
{
    cop_scan_skip(c);
    if (!cop_scan_number(c, 10, lid))
        return false;
    cop_scan_skip(c);
    if (!cop_scan_number(c, 10, port) || !cop_scan_take(c, "["))
        return false;
    const char *close = memchr(c->p, ']', (size_t)(c->end - c->p));
    if (close == NULL)
        return false;
    c->p = close + 1;
    return true;
}

/* " 4X 25.78125 Gbps Active/ LinkUp)": bit/s, 0 if the file does not give it. */
static uint64_t rate_of(cop_scan *s, uint32_t line, cop_cursor c)
{
    uint64_t width, whole, part;
    cop_span speed = {"", 0};
    cop_cursor all = c;
    cop_scan_skip(&c);
    if (!cop_scan_number(&c, 10, &width))
        return 0;
    bool good = cop_scan_take(&c, "X");
    cop_scan_skip(&c);
    if (good && !cop_scan_number(&c, 10, &whole))
        return 0;
    good = good && (!cop_scan_take(&c, ".") || cop_scan_number(&c, 10, &part));
    for (size_t i = 0; good && i < COP_LEN(lanes); i++)
        if (lanes[i].gbps == whole)
            speed = (cop_span){lanes[i].name, strlen(lanes[i].name)};
    if (memmem(c.p, (size_t)(c.end - c.p), "(FDR10)", 7) != NULL)
        speed = (cop_span){"FDR10", 5};
    uint64_t rate = good && cop_scan_is_width(width) ? width * cop_scan_lane_bps(speed) : 0;
    char shown[40];
    if (rate == 0)
        cop_scan_fault(
            s, line,
            "unknown link speed in \"%s\"; must be 1X, 2X, 4X, 8X or 12X and 2.5, 5.0, 10.0, "
            "14.0625, 25.78125, 53.125, 106.25 or 212.5 Gbps",
            cop_span_show((cop_span){all.p, (size_t)(all.end - all.p)}, shown, sizeof(shown)));
    return rate;
}

/* Parse the peer of the port, the part behind "==>". False: none, or a fault. */
static bool scan_peer(cop_scan *s, uint32_t line, cop_cursor c, cop_scan_link *l)
{
    cop_scan_skip(&c);
    if (cop_scan_take(&c, "[") || cop_scan_take(&c, "\""))
        return false; /* [  ] "" ( ), "Port not available" */
    uint64_t lid, port;
    bool good = take_place(&c, &lid, &port);
    size_t left = (size_t)(c.end - c.p);
    const char *open = memchr(c.p, '"', left), *close = memrchr(c.p, '"', left);
    if (!good || open == NULL || close == open) {
        cop_scan_fault(
            s, line,
            "port line is not complete; must end with: ==> <lid> <port>[ ] \"<name>\" ( )");
        return false;
    }
    if (lid < 1 || lid >= LIDS || port < 1 || port > MOST_PORTS) {
        cop_scan_fault(s, line,
                       "peer has LID %" PRIu64 " and port %" PRIu64
                       "; must be 1 to 65535 and 1 to %u, which a subnet manager gives",
                       lid, port, MOST_PORTS);
        return false;
    }
    l->peer = (cop_span){open + 1, (size_t)(close - open - 1)};
    l->peer_lid = (uint16_t)lid;
    l->peer_port = (uint32_t)port;
    return true;
}

static void scan_port(cop_scan *s, uint32_t line, cop_cursor c)
{
    cop_scan_link l = {.line = line, .peer_slot = COP_NONE, .peer_node = COP_NONE};
    uint64_t lid = 0, port = 0;
    cop_scan_skip(&c);
    bool good = !cop_scan_take(&c, "0x") || cop_scan_number(&c, 16, &l.guid);
    good = good && take_place(&c, &lid, &port);
    cop_scan_skip(&c);
    good = good && cop_scan_take(&c, "==(");
    const char *arrow = good ? memmem(c.p, (size_t)(c.end - c.p), "==>", 3) : NULL;
    if (arrow == NULL) {
        char shown[40];
        cop_scan_fault(s, line,
                       "cannot read \"%s\"; must be a line of iblinkinfo: Switch: or CA:, or "
                       "<lid> <port>[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> <lid> <port>[ ] "
                       "\"<name>\"",
                       cop_span_show((cop_span){c.p, (size_t)(c.end - c.p)}, shown, sizeof(shown)));
        return;
    }
    if (s->n_nodes == 0) {
        cop_scan_fault(s, line, "port line outside a record; must follow a Switch: or CA: line");
        return;
    }
    cop_scan_node *n = &s->node[s->n_nodes - 1];
    l.node = (uint32_t)s->n_nodes - 1;
    if (port < 1 || port > MOST_PORTS || lid >= LIDS) {
        cop_scan_fault(s, line,
                       "port %" PRIu64 " with LID %" PRIu64 "; must be 1 to %u and below 65536",
                       port, lid, MOST_PORTS);
        return;
    }
    l.port = (uint32_t)port;
    n->ports = l.port > n->ports ? l.port : n->ports;
    l.lid = (uint16_t)lid;
    if (n->is_switch && n->lid != 0 && lid != 0 && n->lid != l.lid)
        cop_scan_fault(s, line,
                       "LID %u, but %u in other lines of this switch; a switch has one LID", l.lid,
                       n->lid);
    if (n->is_switch && n->lid == 0)
        n->lid = l.lid;
    cop_cursor link = {c.p, arrow}, rest = {arrow + 3, c.end};
    if (memmem(link.p, (size_t)(link.end - link.p), "Down/", 5) != NULL ||
        !scan_peer(s, line, rest, &l))
        return;
    l.rate_bps = rate_of(s, line, link);
    s->link = cop_grow(s->link, &s->link_cap, s->n_links + 1, sizeof(l));
    s->link[s->n_links++] = l;
}

static void claim_lid(cop_scan *s, uint32_t *node_of, uint16_t lid, uint32_t node, uint32_t line)
{
    if (lid == 0)
        return;
    if (node_of[lid] == COP_NONE)
        node_of[lid] = node;
    else if (node_of[lid] != node)
        cop_scan_fault(s, line, "LID %u is that of the node in line %u, too; LIDs must differ", lid,
                       s->node[node_of[lid]].line);
}

/* Find the peers; the numbers of ports and all LIDs are known by now. */
static void find_peers(cop_scan *s)
{
    uint32_t *node_of = cop_alloc_array(LIDS, sizeof(*node_of));
    for (uint32_t i = 0; i < LIDS; i++)
        node_of[i] = COP_NONE;
    for (size_t i = 0; i < s->n_nodes; i++) {
        cop_scan_node *n = &s->node[i];
        n->slot0 = (uint32_t)s->n_slots;
        s->n_slots += n->ports;
        if (n->is_switch)
            claim_lid(s, node_of, n->lid, (uint32_t)i, n->line);
    }
    for (size_t i = 0; i < s->n_links; i++)
        if (!s->node[s->link[i].node].is_switch)
            claim_lid(s, node_of, s->link[i].lid, s->link[i].node, s->link[i].line);
    for (size_t i = 0; i < s->n_links; i++) {
        cop_scan_link *l = &s->link[i];
        char name[80];
        l->peer_node = node_of[l->peer_lid];
        if (l->peer_node == COP_NONE)
            cop_scan_fault(s, l->line,
                           "peer \"%s\" with LID %u has no record; must be the whole output of "
                           "iblinkinfo, of switches and CAs",
                           cop_span_show(l->peer, name, sizeof(name)), l->peer_lid);
    }
    if (s->n_slots > COP_MAX_NET_PORTS)
        cop_scan_fault(s, 1, "too many ports in the file; all nodes together at most %u",
                       COP_MAX_NET_PORTS);
    cop_free(node_of);
}

void cop_scan_linkinfo(cop_scan *s, const char *text, size_t len)
{
    const char *p = text;
    uint32_t line = 0;
    cop_cursor c;
    s->by_lid = true;
    while (cop_scan_line(&p, text + len, &c)) {
        cop_cursor first = c;
        line++;
        cop_scan_skip(&first);
        if (first.p == first.end || *first.p == '#' || cop_scan_take(&first, "ibwarn:") ||
            scan_header(s, line, c))
            continue;
        scan_port(s, line, c);
    }
    find_peers(s);
}
