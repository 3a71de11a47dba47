/* Forwarding tables from text: both forms of dump, hosts found by LID, GUID or name, each fault. */
#include "route/route_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two leaves with two hosts each, one spine. Switch ports: 1, 2 hosts, 3 spine, 4 free. The two
 * places marked %s take " lid <n>" or nothing. */
static const char net_form[] = "switchguid=0xa0(a0)\n"
                               "Switch 4 \"S-00a0\" # \"leaf0\" base port 0 lid 1 lmc 0\n"
                               "[1] \"H-0010\"[1](11) # \"node0 HCA-1\"%s 4xEDR\n"
                               "[2] \"H-0020\"[1](21) # \"node1 HCA-1\"%s 4xEDR\n"
                               "[3] \"S-00c0\"[1] # \"spine\" lid 3 4xEDR\n"
                               "\n"
                               "switchguid=0xb0(b0)\n"
                               "Switch 4 \"S-00b0\" # \"leaf1\" base port 0 lid 2 lmc 0\n"
                               "[1] \"H-0030\"[1](31) # \"node2 HCA-1\"%s 4xEDR\n"
                               "[2] \"H-0040\"[1](41) # \"node3 HCA-1\"%s 4xEDR\n"
                               "[3] \"S-00c0\"[2] # \"spine\" lid 3 4xEDR\n"
                               "\n"
                               "switchguid=0xc0(c0)\n"
                               "Switch 2 \"S-00c0\" # \"spine\" base port 0 lid 3 lmc 0\n"
                               "[1] \"S-00a0\"[3] # \"leaf0\" lid 1 4xEDR\n"
                               "[2] \"S-00b0\"[3] # \"leaf1\" lid 2 4xEDR\n"
                               "\n"
                               "caguid=0x10\nCa 1 \"H-0010\" # \"node0 HCA-1\"\n[1](11) "
                               "\"S-00a0\"[1] # \"leaf0\" lid 1 4xEDR\n\n"
                               "caguid=0x20\nCa 1 \"H-0020\" # \"node1 HCA-1\"\n[1](21) "
                               "\"S-00a0\"[2] # \"leaf0\" lid 1 4xEDR\n\n"
                               "caguid=0x30\nCa 1 \"H-0030\" # \"node2 HCA-1\"\n[1](31) "
                               "\"S-00b0\"[1] # \"leaf1\" lid 2 4xEDR\n\n"
                               "caguid=0x40\nCa 1 \"H-0040\" # \"node3 HCA-1\"\n[1](41) "
                               "\"S-00b0\"[2] # \"leaf1\" lid 2 4xEDR\n\n";

#define LEAF0 "Unicast lids [0-13] of switch Lid 1 guid 0x00000000000000a0 ('leaf0'):\n"
#define LEAF1 "Unicast lids [0-13] of switch Lid 2 guid 0x00000000000000b0 ('leaf1'):\n"
#define SPINE "Unicast lids [0-13] of switch Lid 3 guid 0x00000000000000c0 ('spine'):\n"
#define NODE0 " # Channel Adapter portguid 0x0000000000000011: 'node0 HCA-1'\n"
#define NODE1 " # Channel Adapter portguid 0x0000000000000021: 'node1 HCA-1'\n"
#define NODE2 " # Channel Adapter portguid 0x0000000000000031: 'node2 HCA-1'\n"
#define NODE3 " # Channel Adapter portguid 0x0000000000000041: 'node3 HCA-1'\n"
#define END "13 lids dumped\n"

static const char leaf0_text[] =
    LEAF0 "0x0001 000 # Switch portguid 0x00000000000000a0: 'leaf0'\n"
          "0x0002 003 # Switch portguid 0x00000000000000b0: 'leaf1'\n"
          "0x000a 001" NODE0 "0x000b 002" NODE1 "0x000c 003" NODE2 "0x000d 003" NODE3 END;
static const char leaf1_text[] =
    LEAF1 "0x000a 003" NODE0 "0x000b 003" NODE1 "0x000c 001" NODE2 "0x000d 002" NODE3 END;
static const char spine_text[] =
    SPINE "0x000a 001" NODE0 "0x000b 001" NODE1 "0x000c 002" NODE2 "0x000d 002" NODE3 END;

/* Local ports, one row per switch. */
static const uint16_t expected[] = {0, 1, 2, 2, /* leaf0 */
                                    2, 2, 0, 1, /* leaf1 */
                                    0, 0, 1, 1 /* spine */};

static void build(cop_topo *t, bool lids)
{
    char text[4096];
    snprintf(text, sizeof(text), net_form, lids ? " lid 10" : "", lids ? " lid 11" : "",
             lids ? " lid 12" : "", lids ? " lid 13" : "");
    *t = (cop_topo){0};
    cop_err err = {0};
    if (cop_topo_parse_text(t, "net", text, strlen(text), &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(t->n_hosts, 4);
    assert_true((t->host_lid != NULL) == lids);
}

static void accept(const cop_topo *t, const char *text)
{
    uint16_t lft[12];
    cop_err err = {0};
    if (cop_lft_parse_text(t, lft, "f", text, strlen(text), &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(err.faults, 0);
    assert_memory_equal(lft, expected, sizeof(lft));
}

static void refuse(const cop_topo *t, const char *text, const char *place, const char *why)
{
    uint16_t lft[12];
    cop_err err = {0};
    assert_int_equal(cop_lft_parse_text(t, lft, "f", text, strlen(text), &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    if (strncmp(err.text, place, strlen(place)) != 0 || strstr(err.text, why) == NULL ||
        strchr(err.text, ';') == NULL)
        fail_msg("\"%s\" is not at %s or lacks \"%s\" or advice", err.text, place, why);
}

/* All three tables, `a` instead of the first leaf's. */
static const char *with(const char *a, char *buf, size_t size)
{
    snprintf(buf, size, "%s%s%s", a, leaf1_text, spine_text);
    return buf;
}

static void test_opensm_form(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096];
    build(&t, true);
    accept(&t, with(leaf0_text, buf, sizeof(buf)));
    buf[strlen(buf) - 1] = '\0'; /* no end of the last line */
    accept(&t, buf);
    /* A line may be longer than what is read of it. */
    char first[2048];
    snprintf(first, sizeof(first),
             LEAF0 "0x000a 001 # %0900d\n0x000b 002\n0x000c 003\n"
                   "0x000d 003\n" END,
             0);
    accept(&t, with(first, buf, sizeof(buf)));
    /* Comments are not needed when the LIDs are known; CR LF and blank lines do no harm. */
    accept(&t, with(LEAF0 "\r\n0x000a 001\r\n0x000b 002\n# remark\n0x000c 003 # unknown node and "
                          "type\n0x000d 003\n" END,
                    buf, sizeof(buf)));
    cop_topo_free(&t);
}

static void test_dump_lfts_form(void **state)
{
    (void)state;
    static const char text[] =
        "Unicast lids [0x0-0xd] of switch DR path slid 0; dlid 0; 0,1 guid 0x00a0 (leaf0):\n"
        "  Lid  Out   Destination\n"
        "       Port     Info \n"
        "0x0001 000 : (Switch portguid 0x00000000000000a0: 'leaf0')\n"
        "0x000a 001 : (Channel Adapter portguid 0x0000000000000011: 'node0 HCA-1')\n"
        "0x000b 002 : (Channel Adapter portguid 0x0000000000000021: 'node1 HCA-1')\n"
        "0x000c 003 : (Channel Adapter portguid 0x0000000000000031: 'node2 HCA-1')\n"
        "0x000d 003 : (Channel Adapter portguid 0x0000000000000041: 'node3 HCA-1')\n";
    cop_topo t;
    char first[2048], buf[4096];
    build(&t, true);
    snprintf(first, sizeof(first),
             "ibwarn: [7] attached\n%s5 valid lids dumped \n*** WARNING ***: a remark\n", text);
    accept(&t, with(first, buf, sizeof(buf)));
    snprintf(first, sizeof(first), "%s6 valid lids dumped \n", text);
    refuse(&t, with(first, buf, sizeof(buf)), "f:9:", "has 5 entries, this line says 6");
    cop_topo_free(&t);
}

/* A host with LMC 1 has two LIDs; the topology knows the first. The paths of the others are not
 * used, whatever port they lead to. */
static void test_further_lids_of_a_host_are_skipped(void **state)
{
    (void)state;
    static const char lmc1[] = LEAF0 "0x000a 001" NODE0 "0x0014 003" NODE0 "0x000b 002" NODE1
                                     "0x0015 003" NODE1 "0x000c 003" NODE2 "0x000d 003" NODE3 END;
    cop_topo t;
    char buf[4096];
    build(&t, true);
    accept(&t, with(lmc1, buf, sizeof(buf)));
    /* By name too, where the GUID is of another port. */
    accept(&t,
           with(LEAF0 "0x0014 003 # Channel Adapter portguid 0x0000000000000091: 'node0 HCA-1'\n"
                      "0x000a 001\n0x000b 002\n0x000c 003\n0x000d 003\n" END,
                buf, sizeof(buf)));
    cop_topo_free(&t);
}

static void test_without_lids(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096];
    build(&t, false);
    accept(&t, with(leaf0_text, buf, sizeof(buf))); /* by port GUID */
    /* By name: a GUID the topology does not have. */
    static const char named[] =
        LEAF0 "0x000a 001 # Channel Adapter portguid 0x0000000000000091: 'node0 HCA-1'\n"
              "0x000b 002" NODE1 "0x000c 003" NODE2 "0x000d 003" NODE3 END;
    accept(&t, with(named, buf, sizeof(buf)));
    /* Neither: the host cannot be found. */
    static const char bare[] =
        LEAF0 "0x000a 001\n0x000b 002\n0x000c 003\n0x000d 003\n" END
              "Unicast lids of switch guid 0xb0\n" END "Unicast lids of switch guid 0xc0\n" END;
    refuse(&t, bare, "f: host node0 HCA-1 is not reached: switch leaf0", "LID is unknown");
    cop_topo_free(&t);
}

#define FDBS(guid)                                                                                 \
    "dump_ucast_routes: Switch 0x00000000000000" guid "\nLID    : Port : Hops : Optimal\n"
#define FDBS_REST                                                                                  \
    FDBS("b0")                                                                                     \
    "0x000A : 003  : 03   : yes\n0x000B : 003  : 03   : yes\n"                                     \
    "0x000C : 001  : 01   : yes\n0x000D : 002  : 01   : yes\n" FDBS(                               \
        "c0") "0x000A : 001  : 02   : yes\n0x000B : 001  : 02   : No 2 hop path possible via "     \
              "port 2!\n"                                                                          \
              "0x000C : 002  : 02   : yes\n0x000D : 002  : 02   : yes\n"

/* Hosts by LID alone, holes, no end of a table. */
static void test_fdbs_form(void **state)
{
    (void)state;
    cop_topo t;
    build(&t, true);
    accept(&t, FDBS("a0") "0x0001 : 000  : 00   : yes\n0x0002 : 003  : 02   : yes\n"
                          "0x0009 : UNREACHABLE\n0x000A : 001  : 01   : yes\n"
                          "0x000B : 002  : 01   : yes\n0x000C : 003  : 03   : yes\n"
                          "0x000D : 003  : 03   : yes\n" FDBS_REST);
    refuse(&t, FDBS("a0") "0x000A : UNREACHABLE\n" FDBS_REST,
           "f: host node0 HCA-1 is not reached: switch leaf0", "has no entry");
    refuse(&t, FDBS("a0") "0x000A : 005  : 01   : yes\n" FDBS_REST,
           "f:3:", "port 5 of switch leaf0 for host node0 HCA-1 is out of range");
    refuse(&t, FDBS("a0") "0x000A : many\n" FDBS_REST, "f:3:", "must be `0x<lid> : <port> : ...`");
    refuse(&t, FDBS("a0") FDBS("a0"), "f:3:", "second table of switch leaf0");
    refuse(&t, FDBS("77") FDBS_REST, "f:1:", "unknown switch with GUID 0x0000000000000077");
    refuse(&t, "dump_ucast_routes: Switch 0x\n",
           "f:1:", "has no GUID; the line must contain `Switch 0x");
    refuse(&t, FDBS("a0"), "f: switch leaf1", "is missing");
    refuse(&t,
           FDBS("a0") "22 lids dumped\n"
                      "0x000A : 001  : 01   : yes\n",
           "f:4:", "outside a table");
    refuse(&t, LEAF0 "0x000a : 001\n" END, "f:2:", "must be `0x<lid> <port> # ...`");
    refuse(&t, LEAF0 FDBS_REST, "f:2:", "truncated");
    cop_topo_free(&t);
    build(&t, false);
    refuse(&t, FDBS("a0") "0x000A : 001  : 01   : yes\n" FDBS_REST,
           "f: host node0 HCA-1 is not reached: switch leaf0", "its LID is unknown");
    cop_topo_free(&t);
}

#define STRANGER " # Channel Adapter portguid 0x0000000000000091: 'elsewhere HCA-1'\n"

/* A GUID that the topology does not have names no host, not even the first: neither where the LID
 * is known, nor where it is not. A GUID of 0 and a host without one do not match either. */
static void test_unknown_guids_name_nobody(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096];
    build(&t, true);
    accept(&t, with(LEAF0 "0x000a 001" STRANGER "0x000b 002" STRANGER "0x000c 003" STRANGER
                          "0x000d 003" STRANGER END,
                    buf, sizeof(buf)));
    accept(&t, with(LEAF0 "0x0014 003" STRANGER "0x000a 001\n0x000b 002\n0x000c 003\n0x000d "
                          "003\n" END,
                    buf, sizeof(buf)));
    cop_topo_free(&t);
    build(&t, false);
    accept(&t, with(LEAF0 "0x0014 003" STRANGER "0x000a 001" NODE0 "0x000b 002" NODE1
                          "0x000c 003" NODE2 "0x000d 003" NODE3 END,
                    buf, sizeof(buf)));
    /* All by name, among them the last host; a name is whole: not its beginning, not with more behind. */
    static const char named[] =
        LEAF0 "0x000a 001 # Channel Adapter portguid 0x0091: 'node0 HCA-1'\n"
              "0x000b 002 # Channel Adapter portguid 0x0092: 'node1 HCA-1'\n"
              "0x000c 003 # Channel Adapter portguid 0x0093: 'node2 HCA-1'\n"
              "0x000d 003 # Channel Adapter: 'node3 HCA-1'\n"
              "0x000e 003 # Channel Adapter: 'node1 HCA'\n"
              "0x000f 003 # Channel Adapter: 'node1 HCA-12'\n"
              "0x0010 003 # Channel Adapter: ''\n"
              "0x0011 003 # Channel Adapter: '\n" END;
    accept(&t, with(named, buf, sizeof(buf)));
    t.host_guid[2] = 0;
    accept(&t, with(named, buf, sizeof(buf)));
    t.host_guid = NULL;
    accept(&t, with(named, buf, sizeof(buf)));
    t.host_name = NULL;
    refuse(&t, with(named, buf, sizeof(buf)), "f: host h0 is not reached: switch leaf0",
           "LID is unknown");
    cop_topo_free(&t);
}

static void test_bad_lines(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096];
    build(&t, true);
    refuse(&t, with(LEAF0 "0x000a 001\n", buf, sizeof(buf)), "f:3:", "from line 1 is truncated");
    refuse(&t, LEAF0 "0x000a 001\n", "f:2:", "truncated");
    refuse(&t, "Unicast lids of switch guid 0x77 ('x'):\n" END,
           "f:1:", "unknown switch with GUID 0x0000000000000077");
    refuse(&t, "Unicast lids of switch ('x'):\n" END, "f:1:", "has no GUID");
    refuse(&t, with(LEAF0 "0x000a 005\n" END, buf, sizeof(buf)),
           "f:2:", "port 5 of switch leaf0 for host node0 HCA-1 is out of range; must be 1 to 4");
    refuse(&t, with(LEAF0 "0x000a 000\n" END, buf, sizeof(buf)), "f:2:", "out of range");
    refuse(&t, with(LEAF0 "0x000a 004\n" END, buf, sizeof(buf)), "f:2:", "has no cable");
    refuse(&t, with(LEAF0 "0x000a 001\n0x000a 001\n" END, buf, sizeof(buf)),
           "f:3:", "second entry");
    refuse(&t, with(LEAF0 END LEAF0 END, buf, sizeof(buf)), "f:3:", "second table of switch leaf0");
    refuse(&t, with(LEAF0 "0x000a\n" END, buf, sizeof(buf)), "f:2:", "is no entry");
    refuse(&t, with(LEAF0 "0x1000a 001\n" END, buf, sizeof(buf)), "f:2:", "is no entry");
    refuse(&t, with(LEAF0 "0x10000 001\n" END, buf, sizeof(buf)), "f:2:", "is no entry");
    refuse(&t, with(LEAF0 "0xffff 001\n" END, buf, sizeof(buf)), "f: host node0 HCA-1",
           "is not reached"); /* the largest LID: of no host, but a line like others */
    refuse(&t, with(LEAF0 "0x 001\n" END, buf, sizeof(buf)), "f:2:", "is no entry");
    refuse(&t, with(LEAF0 "0x000a 1x\n" END, buf, sizeof(buf)), "f:2:", "is no entry");
    refuse(&t, "0x000a 001\n", "f:1:", "outside a table");
    refuse(&t, END, "f:1:", "outside a table");
    refuse(&t, "hello\n", "f:1:", "not understood");
    refuse(&t, "17 apples\n", "f:1:", "not understood");
    refuse(&t, "lids dumped\n", "f:1:", "not understood");
    refuse(&t, with(LEAF0 "0x000a 001" NODE2 END, buf, sizeof(buf)),
           "f:2:", "LID 10 is host node2 HCA-1 here but node0 HCA-1 in the topology");
    cop_topo_free(&t);
}

static void test_bad_tables(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096];
    build(&t, true);
    refuse(&t, "", "f: switch leaf0", "is missing");
    snprintf(buf, sizeof(buf), "%s%s", leaf0_text, leaf1_text);
    refuse(&t, buf, "f: switch spine (GUID 0x00000000000000c0)", "is missing");
    refuse(&t, with(LEAF0 "0x000a 001\n0x000b 002\n0x000c 003\n" END, buf, sizeof(buf)),
           "f: host node3 HCA-1 is not reached: switch leaf0", "has no entry");
    refuse(&t, with(LEAF0 "0x000a 001\n0x000b 001\n0x000c 003\n0x000d 003\n" END, buf, sizeof(buf)),
           "f: host node1 HCA-1 is not reached: switch leaf0", "to another host");
    refuse(&t, with(LEAF0 "0x000a 003\n0x000b 002\n0x000c 003\n0x000d 003\n" END, buf, sizeof(buf)),
           "f: host node0 HCA-1 is not reached: switch leaf0", "circle");
    cop_topo_free(&t);
}

/* Two hosts of the topology have one LID: their entries would be ambiguous. LID 0 is none. */
static void test_lids_must_differ(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096];
    build(&t, true);
    t.host_lid[3] = 11;
    refuse(&t, with(leaf0_text, buf, sizeof(buf)), "topology: hosts node1 HCA-1 and node3 HCA-1",
           "both have LID 11");
    t.host_lid[3] = t.host_lid[0] = 0; /* these two by GUID */
    accept(&t, with(leaf0_text, buf, sizeof(buf)));
    cop_topo_free(&t);
}

static void test_routing(void **state)
{
    (void)state;
    cop_topo t;
    char buf[4096], path[] = "/tmp/coppice_lft_XXXXXX";
    build(&t, true);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    with(leaf0_text, buf, sizeof(buf));
    assert_int_equal(write(fd, buf, strlen(buf)), (ssize_t)strlen(buf));
    close(fd);
    cop_route r;
    cop_err err = {0};
    cop_table_cfg cfg = {path};
    assert_int_equal(cop_route_init(&r, cop_route_find("table"), &t, &cfg, 1, &err), 0);
    assert_true(r.facts.single && r.facts.memoryless && r.ops->in_order);
    assert_int_equal(r.facts.vls, 1);
    assert_int_equal(r.facts.max_cand, 1);
    assert_memory_equal(r.lft, expected, sizeof(expected));
    cop_hop hop = {.sw = 1, .dst = 3, .mid = COP_NONE};
    cop_cand cand;
    assert_int_equal(r.ops->route(&r, &hop, NULL, &cand), 1);
    assert_int_equal(cand.port, 1);
    cop_cdg_result c;
    cop_cdg_check(&r, NULL, 0, &c);
    assert_true(c.acyclic && !c.unreachable);
    cop_cdg_free(&c);
    cop_route_fini(&r);
    unlink(path);
    assert_int_equal(cop_route_init(&r, cop_route_find("table"), &t, &cfg, 1, &err), -COP_E_IO);
    assert_non_null(strstr(err.text, path));
    err = (cop_err){0};
    assert_int_equal(cop_route_init(&r, cop_route_find("table"), &t, NULL, 1, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "path is empty"));
    t.switch_guid = NULL;
    uint16_t lft[12];
    err = (cop_err){0};
    assert_int_equal(cop_lft_parse_text(&t, lft, "f", "", 0, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "no GUIDs"));
    cop_topo_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opensm_form),
        cmocka_unit_test(test_dump_lfts_form),
        cmocka_unit_test(test_fdbs_form),
        cmocka_unit_test(test_without_lids),
        cmocka_unit_test(test_further_lids_of_a_host_are_skipped),
        cmocka_unit_test(test_unknown_guids_name_nobody),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_lids_must_differ),
        cmocka_unit_test(test_routing),
    };
    return cmocka_run_group_tests_name("lft", tests, NULL, NULL);
}
