/* Bytes into the reader of forwarding tables. Whatever they are, it must answer with tables that
 * lead every packet home, or with one error message. The topology knows the LID of one host only,
 * so that hosts are also looked up by GUID and name. */
#include "route/route_cfg.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LEAVES = 2, HOSTS = 4, SWITCHES = 3, PORTS = 4 };

static void build(cop_topo *t)
{
    static const uint32_t ports[SWITCHES] = {PORTS, PORTS, PORTS};
    cop_topo_begin(t, HOSTS, SWITCHES, ports);
    for (uint32_t h = 0; h < HOSTS; h++)
        cop_topo_cable(t, cop_topo_host_port(t, h), cop_topo_switch_port(t, h / 2, h % 2),
                       COP_LINK_HOST);
    for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
        cop_topo_cable(t, cop_topo_switch_port(t, leaf, 2), cop_topo_switch_port(t, 2, leaf),
                       COP_LINK_TRUNK);
    t->host_lid = COP_NEW_ARRAY(&t->arena, uint16_t, HOSTS);
    t->host_lid[0] = 10;
    t->host_guid = COP_NEW_ARRAY(&t->arena, uint64_t, HOSTS);
    t->host_name = COP_NEW_ARRAY(&t->arena, char *, HOSTS);
    t->switch_guid = COP_NEW_ARRAY(&t->arena, uint64_t, SWITCHES);
    for (uint32_t h = 0; h < HOSTS; h++) {
        t->host_guid[h] = 0x11 + 0x10 * h;
        t->host_name[h] = cop_arena_printf(&t->arena, "node%u", h);
    }
    for (uint32_t s = 0; s < SWITCHES; s++)
        t->switch_guid[s] = 0xa0 + 0x10 * s;
    COP_CHECK(cop_topo_finish(t, NULL) == 0);
}

static void check_tables(const cop_topo *t, const uint16_t *lft)
{
    for (uint32_t src = 0; src < HOSTS; src++)
        for (uint32_t dst = 0; dst < HOSTS; dst++) {
            uint32_t at = t->port[cop_topo_host_port(t, src)].to;
            for (uint32_t hops = 0; !cop_topo_is_host_port(t, at); hops++) {
                uint32_t sw = t->port[at].owner, local = lft[sw * HOSTS + dst];
                COP_CHECK(hops < SWITCHES && local < PORTS);
                at = t->port[cop_topo_switch_port(t, sw, local)].to;
                COP_CHECK(at != COP_NONE);
            }
            COP_CHECK(at == cop_topo_host_port(t, dst));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cop_topo t = {0};
    cop_err err = {0};
    uint16_t lft[SWITCHES * HOSTS];
    build(&t);
    int rc = cop_lft_parse_text(&t, lft, "fuzz", (const char *)data, size, &err);
    COP_CHECK((rc == 0) == (err.faults == 0));
    if (rc == 0)
        check_tables(&t, lft);
    else
        COP_CHECK(err.code == COP_E_INPUT && strchr(err.text, ';') != NULL);
    cop_topo_free(&t);
    return 0;
}
