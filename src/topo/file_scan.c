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
 * GUIDs, comments and the [ext n] of grouped output may be missing.
 * Invariants: every port line belongs to a node and 1 <= port <= ports of it; all sizes are bounded
 * before anything is allocated for them; work is linear in the length of the text.
 * Rates: data rate per lane after line coding. SDR, DDR and QDR lose a fifth to 8b/10b, so 4xDDR is
 * 16 Gbit/s. "???" stands for a speed that the fabric did not report. */
#include "topo/file_scan.h"

#include "base/mem.h"
#include "topo/topo.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MEGA ((uint64_t)1000000)

static const struct {
    const char *name;
    uint64_t lane_bps;
} speeds[] = {{"SDR", 2000 * MEGA},    {"DDR", 4000 * MEGA},   {"QDR", 8000 * MEGA},
              {"FDR10", 10000 * MEGA}, {"FDR", 13640 * MEGA},  {"EDR", 25000 * MEGA},
              {"HDR", 50000 * MEGA},   {"NDR", 100000 * MEGA}, {"XDR", 200000 * MEGA}};
static const char *const ignored_keys[] = {"vendid", "devid", "sysimgguid"};
static const char *const guid_keys[] = {"switchguid", "caguid", "rtguid"};

typedef struct cursor {
    const char *p, *end;
} cursor;

/* What a comment tells. `before` and `after` refer to the quoted name. */
typedef struct remark {
    cop_span name, before, after;
    bool named;
} remark;

typedef struct pending { /* attributes wait for their record */
    uint64_t guid;
    uint32_t line; /* of the first attribute; 0 = none */
} pending;

void cop_scan_fault(cop_scan *s, uint32_t line, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    s->faults++;
    cop_err_add(s->err, COP_E_INPUT, "%s:%u: %s", s->file, line, text);
}

const char *cop_span_show(cop_span span, char *buf, size_t size)
{
    size_t n = span.n < size - 1 ? span.n : size - 1;
    for (size_t i = 0; i < n; i++)
        buf[i] = iscntrl((unsigned char)span.at[i]) ? '?' : span.at[i];
    buf[n] = '\0';
    return buf;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(cursor *c)
{
    while (c->p < c->end && blank(*c->p))
        c->p++;
}

static bool take(cursor *c, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* Digits of base 10 or 16; false if there are none or the value does not fit. */
static bool take_number(cursor *c, unsigned base, uint64_t *value)
{
    const char *start = c->p;
    uint64_t v = 0;
    for (; c->p < c->end && isxdigit((unsigned char)*c->p); c->p++) {
        unsigned digit = isdigit((unsigned char)*c->p)
                             ? (unsigned)(*c->p - '0')
                             : (unsigned)(tolower((unsigned char)*c->p) - 'a') + 10;
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) || __builtin_add_overflow(v, digit, &v))
            return false;
    }
    *value = v;
    return c->p > start;
}

static bool take_quoted(cursor *c, cop_span *out)
{
    if (!take(c, "\""))
        return false;
    const char *close = memchr(c->p, '"', (size_t)(c->end - c->p));
    if (close == NULL || close == c->p)
        return false;
    *out = (cop_span){c->p, (size_t)(close - c->p)};
    c->p = close + 1;
    return true;
}

/* "(2c903003000c1)"; absent is fine, half of one is not. */
static bool take_port_guid(cursor *c, uint64_t *guid)
{
    skip_blanks(c);
    if (!take(c, "("))
        return true;
    take(c, "0x");
    return take_number(c, 16, guid) && take(c, ")");
}

/* "[12]", perhaps followed by "[ext 3]", the number on the outside of a chassis. */
static bool take_port(cursor *c, uint64_t *port)
{
    uint64_t outside;
    if (!take(c, "[") || !take_number(c, 10, port) || !take(c, "]"))
        return false;
    return !take(c, "[ext ") || (take_number(c, 10, &outside) && take(c, "]"));
}

/* The rest of a line: nothing, or a comment. False if it is neither. A name may contain quotes, so
 * it reaches from the first to the last one. */
static bool take_remark(cop_scan *s, uint32_t line, cursor *c, remark *r)
{
    skip_blanks(c);
    *r = (remark){.before = {c->p, 0}, .after = {c->p, 0}};
    if (c->p == c->end)
        return true;
    if (!take(c, "#"))
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

static bool next_word(cursor *c, cop_span *word)
{
    skip_blanks(c);
    word->at = c->p;
    while (c->p < c->end && !blank(*c->p))
        c->p++;
    word->n = (size_t)(c->p - word->at);
    return word->n > 0;
}

static bool span_is(cop_span s, const char *text)
{
    return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

static uint16_t find_lid(cop_scan *s, uint32_t line, cop_span where)
{
    cursor c = {where.at, where.at + where.n};
    cop_span word;
    while (next_word(&c, &word)) {
        uint64_t lid;
        if (!span_is(word, "lid"))
            continue;
        skip_blanks(&c);
        if (take_number(&c, 10, &lid) && lid <= UINT16_MAX)
            return (uint16_t)lid;
        cop_scan_fault(s, line, "\"lid\" without a good number; must be 0 to 65535");
        return 0;
    }
    return 0;
}

static uint64_t rate_of(cop_span word)
{
    cursor c = {word.at, word.at + word.n};
    uint64_t width;
    if (!take_number(&c, 10, &width) || !take(&c, "x"))
        return 0;
    if (width != 1 && width != 2 && width != 4 && width != 8 && width != 12)
        return 0;
    cop_span speed = {c.p, (size_t)(c.end - c.p)};
    for (size_t i = 0; i < COP_LEN(speeds); i++)
        if (span_is(speed, speeds[i].name))
            return width * speeds[i].lane_bps;
    return 0;
}

static uint64_t find_rate(cop_scan *s, uint32_t line, cop_span where)
{
    cursor c = {where.at, where.at + where.n};
    cop_span word;
    while (next_word(&c, &word)) {
        cursor w = {word.at, word.at + word.n};
        uint64_t width, rate;
        if (!take_number(&w, 10, &width) || !take(&w, "x") || memchr(word.at, '?', word.n) != NULL)
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
    cursor c = {id.at + 2, id.at + id.n};
    bool good = id.n == 18 && id.at[1] == '-' && take_number(&c, 16, &guid) && c.p == c.end;
    return good ? guid : 0;
}

static void scan_node(cop_scan *s, uint32_t line, cursor *c, bool is_switch, uint64_t guid)
{
    cop_scan_node n = {.line = line, .is_switch = is_switch, .slot0 = (uint32_t)s->n_slots};
    uint64_t ports = 0;
    skip_blanks(c);
    bool good = take_number(c, 10, &ports);
    skip_blanks(c);
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

static void scan_link(cop_scan *s, uint32_t line, cursor *c)
{
    cop_scan_link l = {.line = line, .node = (uint32_t)s->n_nodes - 1, .peer_slot = COP_NONE};
    uint64_t port = 0, peer_port = 0;
    remark r;
    bool good = take_port(c, &port) && take_port_guid(c, &l.guid);
    skip_blanks(c);
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

static void scan_attribute(cop_scan *s, uint32_t line, cop_span key, cursor *c, pending *attr)
{
    if (attr->line == 0)
        attr->line = line;
    for (size_t i = 0; i < COP_LEN(ignored_keys); i++)
        if (span_is(key, ignored_keys[i]))
            return;
    for (size_t i = 0; i < COP_LEN(guid_keys); i++) {
        if (!span_is(key, guid_keys[i]))
            continue;
        take(c, "0x");
        if (!take_number(c, 16, &attr->guid))
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
static bool scan_line(cop_scan *s, uint32_t line, cursor c, bool in_record, pending *attr)
{
    skip_blanks(&c);
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
    if (word.n > 0 && take(&c, "=")) {
        scan_attribute(s, line, word, &c, attr);
        return false;
    }
    bool is_switch = span_is(word, "Switch");
    if (is_switch || span_is(word, "Ca") || span_is(word, "Hca") || span_is(word, "Rt")) {
        size_t before = s->n_nodes;
        scan_node(s, line, &c, is_switch, attr->guid);
        *attr = (pending){0};
        return s->n_nodes > before;
    }
    if (span_is(word, "Chassis") || span_is(word, "Hostname"))
        return false;
    char shown[40];
    cop_scan_fault(
        s, line,
        "cannot read \"%s\"; must be a Switch or Ca record, a [port] line, an attribute "
        "such as caguid=0x1 or a # comment",
        cop_span_show((cop_span){word.at, (size_t)(c.end - word.at)}, shown, sizeof(shown)));
    return false;
}

/* Files that administrators have and that say something else: one line tells, not one for each of theirs. */
static const char *other_tool(const char *text, size_t len)
{
    static const struct {
        const char *begins, *says;
    } all[] = {{"CA: ", "this is what iblinkinfo prints"},
               {"Switch: 0x", "this is what iblinkinfo prints"},
               {"Switch 0x", "this is what iblinkinfo prints"},
               {"Unicast lids", "this is a forwarding table, for routing.path"},
               {"osm_ucast_mgr_dump", "this is OpenSM's table of routes (opensm.fdbs)"}};
    size_t skip = 0;
    while (skip < len && isspace((unsigned char)text[skip]))
        skip++;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        size_t n = strlen(all[i].begins);
        if (len - skip >= n && memcmp(text + skip, all[i].begins, n) == 0)
            return all[i].says;
    }
    return NULL;
}

int cop_scan_text(cop_scan *s, const char *text, size_t len)
{
    const char *p = text, *end = text + len;
    uint32_t line = 0;
    bool in_record = false;
    pending attr = {0};
    if (len > UINT32_MAX)
        return cop_err_add(s->err, COP_E_INPUT, "%s: file of %zu bytes; at most 4 GiB", s->file,
                           len);
    const char *other = other_tool(text, len);
    if (other != NULL) {
        cop_scan_fault(s, 1, "%s; write the fabric with `ibnetdiscover > fabric.net`", other);
        return -COP_E_INPUT;
    }
    while (p < end && s->faults < COP_SCAN_FAULTS) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL)
            eol = end;
        in_record = scan_line(s, ++line, (cursor){p, eol}, in_record, &attr);
        p = eol < end ? eol + 1 : end;
    }
    if (attr.line != 0 && p == end)
        cop_scan_fault(s, attr.line,
                       "attributes without a record, the file ends here; a Switch or Ca line must "
                       "follow");
    return s->faults ? -COP_E_INPUT : 0;
}

void cop_scan_fini(cop_scan *s)
{
    cop_free(s->node);
    cop_free(s->link);
    *s = (cop_scan){0};
}
