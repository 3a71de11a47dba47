/* Forwarding tables of a real fabric, as OpenSM (opensm-lfts.dump, opensm.fdbs) and dump_lfts print
 * them.
 *
 * Input: text with one block per switch,
 *     Unicast lids [0-22] of switch Lid 2 guid 0x0002c90200100000 ('leaf00'):
 *     0x0001 001 # Channel Adapter portguid 0x0002c90300300001: 'node001 HCA-1'
 *     22 lids dumped
 * or, from dump_lfts, with a directed route in the first line, two lines of column titles, entries
 *     0x0001 005 : (Channel Adapter portguid 0x0002c90300300001: 'node001 HCA-1')
 * and `22 valid lids dumped`. OpenSM's number is its highest LID, only dump_lfts counts entries.
 * opensm.fdbs has no such line, and no names:
 *     dump_ucast_routes: Switch 0x0002c90200100000
 *     LID    : Port : Hops : Optimal
 *     0x0001 : 001  : 01   : yes
 *     0x0005 : UNREACHABLE
 * Switches are found by GUID. Hosts are found by LID; a host whose LID the topology does not know,
 * by the port GUID or else the name in the entry. Entries of switches and of further LIDs of a host
 * (LMC > 0) are not needed and skipped. Port n of the file is local port n - 1.
 * Output: lft[switch * n_hosts + host], UINT16_MAX where there is no entry and none is needed.
 * Invariant on success: from every switch with hosts the tables lead to every host (lft_check.c).
 * Reading stops at the first fault. Source: osm_dump.c's and dump_lfts' output, opensm(8) `-U`. */
#include "route/route_cfg.h"
#include "route/spread.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 512
#define LIDS 65536
#define NO_HOST (COP_NONE - 1) /* a LID that is not of a host */

typedef struct reader {
    const cop_topo *t;
    uint16_t *lft;
    const char *name;
    cop_err *err;
    unsigned line;
    uint32_t sw; /* whose block is open, COP_NONE = none */
    unsigned sw_line, entries;
    bool open_ended; /* fdbs: the next table or the end of the file ends this one */
    uint32_t *host_of_lid; /* [LIDS] host, NO_HOST, or COP_NONE = not looked up yet */
    bool *compared; /* [LIDS] the GUID in the entry was compared with the topology */
    bool *have; /* [switch] */
} reader;

static const char *show_switch(const reader *rd, uint32_t sw, char *buf, size_t size)
{
    return cop_topo_switch_name(rd->t, sw, buf, size);
}

/* The text before the GUID in the first line of a table. */
static const char lfts_guid[] = "guid 0x", fdbs_guid[] = "Switch 0x";

static int truncated(const reader *rd)
{
    char sw[128];
    return cop_err_add(rd->err, COP_E_INPUT,
                       "%s:%u: the table of switch %s from line %u is truncated; it must end with "
                       "`<n> lids dumped`",
                       rd->name, rd->line, show_switch(rd, rd->sw, sw, sizeof(sw)), rd->sw_line);
}

/* The number after `word` in the line, or 0. */
static uint64_t hex_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at ? strtoull(at + strlen(word), NULL, 16) : 0;
}

static int read_header(reader *rd, const char *line, const char *before_guid)
{
    if (rd->sw != COP_NONE && !rd->open_ended)
        return truncated(rd);
    uint64_t guid = hex_after(line, before_guid);
    if (guid == 0)
        return cop_err_add(rd->err, COP_E_INPUT,
                           "%s:%u: the switch has no GUID; the line must contain `%s...`", rd->name,
                           rd->line, before_guid);
    uint32_t sw = 0;
    while (sw < rd->t->n_switches && rd->t->switch_guid[sw] != guid)
        sw++;
    if (sw == rd->t->n_switches)
        return cop_err_add(rd->err, COP_E_INPUT,
                           "%s:%u: unknown switch with GUID 0x%016" PRIx64
                           "; tables and topology must be of one fabric",
                           rd->name, rd->line, guid);
    char name[128];
    if (rd->have[sw])
        return cop_err_add(rd->err, COP_E_INPUT,
                           "%s:%u: second table of switch %s; each switch has one", rd->name,
                           rd->line, show_switch(rd, sw, name, sizeof(name)));
    rd->have[sw] = true;
    rd->open_ended = before_guid == fdbs_guid;
    rd->sw = sw;
    rd->sw_line = rd->line;
    rd->entries = 0;
    return 0;
}

static uint32_t host_with_guid(const cop_topo *t, uint64_t guid)
{
    for (uint32_t h = 0; t->host_guid != NULL && guid != 0 && h < t->n_hosts; h++)
        if (t->host_guid[h] == guid)
            return h;
    return COP_NONE;
}

static uint32_t host_with_name(const cop_topo *t, const char *line)
{
    const char *from = strchr(line, '\''), *to = strrchr(line, '\'');
    if (t->host_name == NULL || from == NULL || to == from)
        return COP_NONE;
    size_t n = (size_t)(to - from) - 1;
    for (uint32_t h = 0; h < t->n_hosts; h++)
        if (strncmp(t->host_name[h], from + 1, n) == 0 && t->host_name[h][n] == '\0')
            return h;
    return COP_NONE;
}

static bool lid_known(const cop_topo *t, uint32_t host)
{
    return t->host_lid != NULL && t->host_lid[host] != 0;
}

/* Find the host with this LID; *host is NO_HOST or COP_NONE if none. */
static int find_host(reader *rd, uint32_t lid, const char *line, uint32_t *host)
{
    uint32_t *known = &rd->host_of_lid[lid];
    if (!rd->compared[lid] && strstr(line, "Channel Adapter") != NULL) {
        rd->compared[lid] = true;
        uint32_t named = host_with_guid(rd->t, hex_after(line, "portguid 0x"));
        char a[128], b[128];
        if (*known < NO_HOST && named != COP_NONE && named != *known)
            return cop_err_add(rd->err, COP_E_INPUT,
                               "%s:%u: LID %u is host %s here but %s in the topology; take tables "
                               "and topology at the same time",
                               rd->name, rd->line, lid,
                               cop_topo_host_name(rd->t, named, a, sizeof(a)),
                               cop_topo_host_name(rd->t, *known, b, sizeof(b)));
        if (*known == COP_NONE) {
            if (named == COP_NONE)
                named = host_with_name(rd->t, line);
            *known = named == COP_NONE || lid_known(rd->t, named) ? NO_HOST : named;
        }
    }
    *host = *known;
    return 0;
}

/* A fault of the entry for `host` in the open block; `what` begins after the port. */
static int bad_entry(const reader *rd, uint32_t host, unsigned long port, const char *what)
{
    char sw[128], h[128];
    return cop_err_add(rd->err, COP_E_INPUT, "%s:%u: port %lu of switch %s for host %s %s",
                       rd->name, rd->line, port, show_switch(rd, rd->sw, sw, sizeof(sw)),
                       cop_topo_host_name(rd->t, host, h, sizeof(h)), what);
}

static int store_entry(reader *rd, uint32_t host, unsigned long port)
{
    const cop_topo *t = rd->t;
    uint32_t ports = cop_topo_ports_of(t, rd->sw);
    if (port < 1 || port > ports) {
        char what[64];
        snprintf(what, sizeof(what), "is out of range; must be 1 to %u", ports);
        return bad_entry(rd, host, port, what);
    }
    uint32_t local = (uint32_t)port - 1;
    if (t->port[cop_topo_switch_port(t, rd->sw, local)].to == COP_NONE)
        return bad_entry(rd, host, port, "has no cable; tables and topology must be of one fabric");
    uint16_t *at = &rd->lft[(size_t)rd->sw * t->n_hosts + host];
    if (*at != UINT16_MAX)
        return bad_entry(rd, host, port, "is a second entry; each host has one");
    *at = (uint16_t)local;
    return 0;
}

static int read_entry(reader *rd, const char *line)
{
    char *end, *end2;
    unsigned long lid = strtoul(line, &end, 16);
    bool good = lid < LIDS && isspace((unsigned char)*end);
    if (good && rd->open_ended && strncmp(end, " : ", 3) == 0)
        end += 2;
    bool none = good && rd->open_ended && strncmp(end, " UNREACHABLE", 12) == 0;
    unsigned long port = strtoul(end, &end2, 10);
    if (!none && (!good || end2 == end || (*end2 != '\0' && !isspace((unsigned char)*end2))))
        return cop_err_add(rd->err, COP_E_INPUT, "%s:%u: `%.40s` is no entry; must be `0x<lid> %s`",
                           rd->name, rd->line, line,
                           rd->open_ended ? ": <port> : ..." : "<port> # ...");
    if (rd->sw == COP_NONE)
        return cop_err_add(rd->err, COP_E_INPUT,
                           "%s:%u: entry outside a table; a line `Unicast lids ... guid 0x...` or "
                           "`dump_ucast_routes: Switch 0x...` must come first",
                           rd->name, rd->line);
    rd->entries++;
    if (none)
        return 0;
    uint32_t host = NO_HOST;
    int rc = find_host(rd, (uint32_t)lid, line, &host);
    if (rc != 0 || host >= NO_HOST)
        return rc;
    return store_entry(rd, host, port);
}

static int read_end(reader *rd, const char *line)
{
    char *end;
    unsigned long n = strtoul(line, &end, 10);
    bool counted = strstr(end, "valid lids dumped") != NULL;
    if (rd->sw == COP_NONE)
        return cop_err_add(rd->err, COP_E_INPUT,
                           "%s:%u: `lids dumped` outside a table; a line `Unicast lids ...` must "
                           "come first",
                           rd->name, rd->line);
    if (counted && n != rd->entries)
        return cop_err_add(rd->err, COP_E_INPUT,
                           "%s:%u: the table has %u entries, this line says %lu; the file is "
                           "damaged",
                           rd->name, rd->line, rd->entries, n);
    rd->sw = COP_NONE;
    return 0;
}

static int read_line(reader *rd, const char *line)
{
    if (strncmp(line, "Unicast lids", 12) == 0)
        return read_header(rd, line, lfts_guid);
    if (strstr(line, ": Switch 0x") != NULL)
        return read_header(rd, line, fdbs_guid);
    if (rd->open_ended && strncmp(line, "LID ", 4) == 0)
        return 0; /* column titles */
    if (strncmp(line, "0x", 2) == 0)
        return read_entry(rd, line);
    if (isdigit((unsigned char)line[0]) && strstr(line, "lids dumped") != NULL)
        return read_end(rd, line);
    if (line[0] == '\0' || line[0] == '#' || isspace((unsigned char)line[0]))
        return 0; /* blank, comment, column titles */
    if (strncmp(line, "*** ", 4) == 0 || strncmp(line, "ibwarn:", 7) == 0)
        return 0; /* remarks of the tools themselves */
    return cop_err_add(rd->err, COP_E_INPUT,
                       "%s:%u: `%.40s` not understood; must be a table of opensm-lfts.dump, "
                       "opensm.fdbs or dump_lfts",
                       rd->name, rd->line, line);
}

static int check_tables(const reader *rd)
{
    const cop_topo *t = rd->t;
    char sw[128];
    for (uint32_t s = 0; s < t->n_switches; s++)
        if (!rd->have[s])
            return cop_err_add(rd->err, COP_E_INPUT,
                               "%s: switch %s (GUID 0x%016" PRIx64
                               ") is missing; every switch needs a table",
                               rd->name, show_switch(rd, s, sw, sizeof(sw)), t->switch_guid[s]);
    return cop_lft_check(t, rd->lft, rd->name, rd->err);
}

static int map_lids(reader *rd)
{
    const cop_topo *t = rd->t;
    for (uint32_t i = 0; i < LIDS; i++)
        rd->host_of_lid[i] = COP_NONE;
    for (uint32_t h = 0; h < t->n_hosts; h++) {
        if (!lid_known(t, h))
            continue;
        uint32_t *at = &rd->host_of_lid[t->host_lid[h]];
        char a[128], b[128];
        if (*at != COP_NONE)
            return cop_err_add(rd->err, COP_E_INPUT,
                               "topology: hosts %s and %s both have LID %u; LIDs must differ",
                               cop_topo_host_name(t, *at, a, sizeof(a)),
                               cop_topo_host_name(t, h, b, sizeof(b)), t->host_lid[h]);
        *at = h;
    }
    return 0;
}

static int read_text(reader *rd, const char *text, size_t len)
{
    char line[LINE_MAX_BYTES];
    int rc = 0;
    for (size_t at = 0; at < len && rc == 0;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        size_t kept = n < sizeof(line) ? n : sizeof(line) - 1;
        memcpy(line, text + at, kept);
        line[kept] = '\0';
        if (kept > 0 && line[kept - 1] == '\r')
            line[kept - 1] = '\0';
        rd->line++;
        rc = read_line(rd, line);
        at += n + 1;
    }
    if (rc == 0 && rd->sw != COP_NONE && !rd->open_ended)
        rc = truncated(rd);
    return rc;
}

int cop_lft_parse_text(const cop_topo *t, uint16_t *lft, const char *name, const char *text,
                       size_t len, cop_err *err)
{
    if (t->switch_guid == NULL)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: the topology has no GUIDs to match tables with; read the topology "
                           "from a file",
                           name);
    reader rd = {.t = t,
                 .lft = lft,
                 .name = name,
                 .err = err,
                 .sw = COP_NONE,
                 .host_of_lid = cop_alloc_array(LIDS, sizeof(uint32_t)),
                 .compared = cop_alloc_array(LIDS, sizeof(bool)),
                 .have = cop_alloc_array(t->n_switches, sizeof(bool))};
    memset(lft, 0xff, (size_t)t->n_switches * t->n_hosts * sizeof(*lft));
    int rc = map_lids(&rd);
    if (rc == 0)
        rc = read_text(&rd, text, len);
    if (rc == 0)
        rc = check_tables(&rd);
    cop_free(rd.host_of_lid);
    cop_free(rd.compared);
    cop_free(rd.have);
    return rc;
}
