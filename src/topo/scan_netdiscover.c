/* Lines of an ibnetdiscover topology file into records.
 *
 * Role: the grammar, and only the grammar. Accepted lines:
 *   # comment                      and blank lines, which end a record
 *   vendid= devid= sysimgguid=     ignored
 *   switchguid= caguid= rtguid=    GUID of the next record
 *   Switch N "id"  # "name" base port 0 lid L lmc 0
 *   Ca N "id"      # "name"        also Hca, and Rt: a router ends the subnet as a host does
 *   [port](guid) "peer"[port](guid)  # lid L lmc 0 "name" lid L 4xEDR
 *   Chassis ..  Hostname: ..       ignored (printed when nodes are grouped)
 *   ibwarn: ..                     ignored (messages of the tools)
 * GUIDs, comments and the [ext n] of grouped output may be missing.
 * Invariants: every port line belongs to a node and 1 <= port <= ports of it; all sizes are bounded
 * before anything is allocated for them; work is linear in the length of the text.
 * "???" is a speed that the fabric did not report.
 * Source: ibnetdiscover(8), and the net files of ibsim. */
#include "topo/file_scan.h"

#include "base/mem.h"
#include "topo/topo.h"

#include <ctype.h>
#include <string.h>

static const char *const ignored_keys[] = {"vendid", "devid", "sysimgguid"};
static const char *const guid_keys[] = {"switchguid", "caguid", "rtguid"};

/* Content of a comment. `before` and `after` refer to the quoted name. */
typedef struct remark {
    cop_span name, before, after;
    bool named;
} remark;

typedef struct pending { /* attributes wait for their record */
    uint64_t guid;
    uint32_t line; /* of the first attribute; 0 = none */
} pending;

static bool take_quoted(cop_cursor *c, cop_span *out)
{
    if (!cop_scan_take(c, "\""))
        return false;
    const char *close = memchr(c->p, '"', (size_t)(c->end - c->p));
    if (close == NULL || close == c->p)
        return false;
    *out = (cop_span){c->p, (size_t)(close - c->p)};
    c->p = close + 1;
    return true;
}

/* "(2c903003000c1)"; absent is fine, half of one is not. */
static bool take_port_guid(cop_cursor *c, uint64_t *guid)
{
    cop_scan_skip(c);
    if (!cop_scan_take(c, "("))
        return true;
    cop_scan_take(c, "0x");
    return cop_scan_number(c, 16, guid) && cop_scan_take(c, ")");
}

/* "[12]", perhaps followed by "[ext 3]", the number on the outside of a chassis. */
static bool take_port(cop_cursor *c, uint64_t *port)
{
    uint64_t outside;
    if (!cop_scan_take(c, "[") || !cop_scan_number(c, 10, port) || !cop_scan_take(c, "]"))
        return false;
    return !cop_scan_take(c, "[ext ") ||
           (cop_scan_number(c, 10, &outside) && cop_scan_take(c, "]"));
}

/* The rest of a line: nothing, or a comment. False if it is neither. A name may contain quotes, so
 * it reaches from the first to the last one. */
static bool take_remark(cop_scan *s, uint32_t line, cop_cursor *c, remark *r)
{
    cop_scan_skip(c);
    *r = (remark){.before = {c->p, 0}, .after = {c->p, 0}};
    if (c->p == c->end)
        return true;
    if (!cop_scan_take(c, "#"))
        return false;
    cop_span all = {c->p, (size_t)(c->end - c->p)};
    const char *open = memchr(all.at, '"', all.n);
    if (open == NULL) {
        r->before = r->after = all;
        return true;
    }
    const char *close = memrchr(all.at, '"', all.n);
    r->named = close > open;
    if (!r->named)
        cop_scan_fault(s, line, "the name in the comment is not finished; must end with \"");
    r->before = (cop_span){all.at, (size_t)(open - all.at)};
    r->after = (cop_span){close + 1, (size_t)(c->end - close - 1)};
    if (r->named)
        r->name = (cop_span){open + 1, (size_t)(close - open - 1)};
    return true;
}

static uint16_t find_lid(cop_scan *s, uint32_t line, cop_span where)
{
    cop_cursor c = {where.at, where.at + where.n};
    cop_span word;
    while (cop_scan_word(&c, &word)) {
        uint64_t lid;
        if (!cop_span_is(word, "lid"))
            continue;
        cop_scan_skip(&c);
        if (cop_scan_number(&c, 10, &lid) && lid <= UINT16_MAX)
            return (uint16_t)lid;
        cop_scan_fault(s, line, "\"lid\" without a good number; must be 0 to 65535");
        return 0;
    }
    return 0;
}

static uint64_t rate_of(cop_span word)
{
    cop_cursor c = {word.at, word.at + word.n};
    uint64_t width;
    if (!cop_scan_number(&c, 10, &width) || !cop_scan_take(&c, "x"))
        return 0;
    if (!cop_scan_is_width(width))
        return 0;
    return width * cop_scan_lane_bps((cop_span){c.p, (size_t)(c.end - c.p)});
}

static uint64_t find_rate(cop_scan *s, uint32_t line, cop_span where)
{
    cop_cursor c = {where.at, where.at + where.n};
    cop_span word;
    while (cop_scan_word(&c, &word)) {
        cop_cursor w = {word.at, word.at + word.n};
        uint64_t width, rate;
        if (!cop_scan_number(&w, 10, &width) || !cop_scan_take(&w, "x") ||
            memchr(word.at, '?', word.n) != NULL)
            continue;
        rate = rate_of(word);
        if (rate != 0)
            return rate;
        char shown[32];
        cop_scan_fault(s, line,
                       "unknown link speed %s; must be 1x, 2x, 4x, 8x or 12x and SDR, DDR, QDR, "
                       "FDR10, FDR, EDR, HDR, NDR or XDR, as 4xEDR",
                       cop_span_show(word, shown, sizeof(shown)));
        return 0;
    }
    return 0;
}

/* An id such as S-0002c90200100030 carries the GUID. */
static uint64_t guid_of_id(cop_span id)
{
    uint64_t guid = 0;
    cop_cursor c = {id.at + 2, id.at + id.n};
    bool good = id.n == 18 && id.at[1] == '-' && cop_scan_number(&c, 16, &guid) && c.p == c.end;
    return good ? guid : 0;
}

static void scan_node(cop_scan *s, uint32_t line, cop_cursor *c, bool is_switch, uint64_t guid)
{
    cop_scan_node n = {.line = line, .is_switch = is_switch, .slot0 = (uint32_t)s->n_slots};
    uint64_t ports = 0;
    cop_scan_skip(c);
    bool good = cop_scan_number(c, 10, &ports);
    cop_scan_skip(c);
    remark r;
    if (!good || !take_quoted(c, &n.id) || !take_remark(s, line, c, &r)) {
        cop_scan_fault(s, line,
                       "record is not complete; must be: %s <ports> \"<id>\"  # \"<name>\"",
                       is_switch ? "Switch" : "Ca");
        return;
    }
    if (ports < 1 || ports > COP_MAX_PORTS) {
        cop_scan_fault(s, line, "node with %" PRIu64 " ports; must be 1 to %u", ports,
                       COP_MAX_PORTS);
        return;
    }
    if (s->n_slots + ports > COP_MAX_NET_PORTS) {
        cop_scan_fault(s, line, "too many ports in the file; all nodes together at most %u",
                       COP_MAX_NET_PORTS);
        return;
    }
    n.ports = (uint32_t)ports;
    n.name = r.name;
    n.lid = is_switch ? find_lid(s, line, r.after) : 0;
    n.guid = guid != 0 ? guid : guid_of_id(n.id);
    s->n_slots += ports;
    s->node = cop_grow(s->node, &s->node_cap, s->n_nodes + 1, sizeof(n));
    s->node[s->n_nodes++] = n;
}

static void scan_link(cop_scan *s, uint32_t line, cop_cursor *c)
{
    cop_scan_link l = {.line = line, .node = (uint32_t)s->n_nodes - 1, .peer_slot = COP_NONE};
    uint64_t port = 0, peer_port = 0;
    remark r;
    bool good = take_port(c, &port) && take_port_guid(c, &l.guid);
    cop_scan_skip(c);
    good = good && take_quoted(c, &l.peer) && take_port(c, &peer_port) &&
           take_port_guid(c, &l.peer_guid);
    if (!good || !take_remark(s, line, c, &r)) {
        cop_scan_fault(
            s, line, "port line is not complete; must be: [port] \"<peer>\"[peer port]  # comment");
        return;
    }
    const cop_scan_node *n = &s->node[l.node];
    if (port < 1 || port > n->ports) {
        char id[80];
        cop_scan_fault(s, line, "port %" PRIu64 " of \"%s\"; must be 1 to %u", port,
                       cop_span_show(n->id, id, sizeof(id)), n->ports);
        return;
    }
    if (peer_port < 1 || peer_port > COP_MAX_PORTS) {
        cop_scan_fault(s, line, "peer port %" PRIu64 "; must be 1 to %u", peer_port, COP_MAX_PORTS);
        return;
    }
    l.port = (uint32_t)port;
    l.peer_port = (uint32_t)peer_port;
    if (r.named)
        l.peer_lid = find_lid(s, line, r.after);
    if (!n->is_switch)
        l.lid = find_lid(s, line, r.before);
    l.rate_bps = find_rate(s, line, r.after);
    s->link = cop_grow(s->link, &s->link_cap, s->n_links + 1, sizeof(l));
    s->link[s->n_links++] = l;
}

static void scan_attribute(cop_scan *s, uint32_t line, cop_span key, cop_cursor *c, pending *attr)
{
    if (attr->line == 0)
        attr->line = line;
    for (size_t i = 0; i < COP_LEN(ignored_keys); i++)
        if (cop_span_is(key, ignored_keys[i]))
            return;
    for (size_t i = 0; i < COP_LEN(guid_keys); i++) {
        if (!cop_span_is(key, guid_keys[i]))
            continue;
        cop_scan_take(c, "0x");
        if (!cop_scan_number(c, 16, &attr->guid))
            cop_scan_fault(s, line, "bad GUID; must be at most 16 hexadecimal digits after 0x");
        return;
    }
    char shown[40];
    cop_scan_fault(s, line,
                   "unknown attribute %s; must be vendid, devid, sysimgguid, switchguid, caguid or "
                   "rtguid",
                   cop_span_show(key, shown, sizeof(shown)));
}

/* One line; returns whether port lines may follow. */
static bool scan_line(cop_scan *s, uint32_t line, cop_cursor c, bool in_record, pending *attr)
{
    cop_scan_skip(&c);
    if (c.p == c.end)
        return false;
    if (*c.p == '#')
        return in_record;
    if (*c.p == '[') {
        if (in_record)
            scan_link(s, line, &c);
        else
            cop_scan_fault(s, line, "port line outside a record; must follow a Switch or Ca line");
        return in_record;
    }
    cop_span word = {c.p, 0};
    while (c.p < c.end && isalpha((unsigned char)*c.p))
        c.p++;
    word.n = (size_t)(c.p - word.at);
    if (word.n > 0 && cop_scan_take(&c, "=")) {
        scan_attribute(s, line, word, &c, attr);
        return false;
    }
    bool is_switch = cop_span_is(word, "Switch");
    if (is_switch || cop_span_is(word, "Ca") || cop_span_is(word, "Hca") ||
        cop_span_is(word, "Rt")) {
        size_t before = s->n_nodes;
        scan_node(s, line, &c, is_switch, attr->guid);
        *attr = (pending){0};
        return s->n_nodes > before;
    }
    if (cop_span_is(word, "Chassis") || cop_span_is(word, "Hostname"))
        return false;
    if (cop_span_is(word, "ibwarn"))
        return in_record;
    char shown[40];
    cop_scan_fault(
        s, line,
        "cannot read \"%s\"; must be a Switch or Ca record, a [port] line, an attribute "
        "such as caguid=0x1 or a # comment",
        cop_span_show((cop_span){word.at, (size_t)(c.end - word.at)}, shown, sizeof(shown)));
    return false;
}

void cop_scan_netdiscover(cop_scan *s, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    uint32_t line = 0;
    bool in_record = false;
    pending attr = {0};
    cop_cursor c;
    while (cop_scan_line(&p, end, &c))
        in_record = scan_line(s, ++line, c, in_record, &attr);
    if (attr.line != 0)
        cop_scan_fault(s, attr.line,
                       "attributes without a record, the file ends here; a Switch or Ca line must "
                       "follow");
}
