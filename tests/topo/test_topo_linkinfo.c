/* The reader of iblinkinfo: the same fabric as from ibnetdiscover, each form of a line, every refusal with its
 * line, and one answer for a fault that many lines have. */
#include "topo/topo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define UP(width_and_speed) " ==( " width_and_speed " Active/  LinkUp)==>  "
#define DOWN " ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
#define EDR UP("4X      25.78125 Gbps")

/* Two leaves with two cables between them; elm has two ports, the second port of ash is down. */
static const char fabric[] = //
    "CA: ash mlx5_0:\n"
    "      0x0000000000003001      5    1[  ]" EDR "     3    1[  ] \"leaf b\" ( )\n"
    "      0x0000000000003002      0    2[  ]" DOWN //
    "Switch: 0x0000000000000b00 leaf b:\n"
    "           3    1[  ]" EDR
    "     5    1[  ] \"ash mlx5_0\" (Could be 12X Could be 53.125 Gbps)\n"
    "           3    2[  ]" DOWN //
    "           3    3[ 9]" UP(
        "4X          10.0 Gbps") "    2    4[ 8] \"leaf a: west:\" ( )\n"
                                 "           3    4[  ]" UP(
                                     "4X          10.0 Gbps") "    2    5[  ] \"leaf a: west:\" ( "
                                                              ")\n"
                                                              "           3    6[  ] ==( 4X "
                                                              "25.78125 Gbps Initialize/  "
                                                              "LinkUp)==>      \"Port not "
                                                              "available\"\n"
                                                              "Switch: 0x0000000000000a00 leaf a: "
                                                              "west::\n"
                                                              "           2    1[  ]" EDR
                                                              "     1    1[  ] \"elm mlx5_0\" ( )\n"
                                                              "           2    2[  ]" EDR
                                                              "     6    2[  ] \"elm mlx5_0\" ( )\n"
                                                              "           2    4[  ]" UP(
                                                                  "4X          10.0 Gbps") "    3  "
                                                                                           "  3[  "
                                                                                           "] "
                                                                                           "\"leaf "
                                                                                           "b\" ( "
                                                                                           ")\n"
                                                                                           "       "
                                                                                           "    2  "
                                                                                           "  5[  "
                                                                                           "]" UP(
                                                                                               "4X "
                                                                                               "   "
                                                                                               "   "
                                                                                               "   "
                                                                                               "10."
                                                                                               "0 "
                                                                                               "Gbp"
                                                                                               "s") "    3    4[  ] \"leaf b\" ( )\n"
                                                                                                    "           2    8[  ]" DOWN //
                                                                                                    "CA: elm mlx5_0:\n"
                                                                                                    "      0x0000000000001001      1    1[  ]" EDR
                                                                                                    "     2    1[  ] \"leaf a: west:\" ( )\n"
                                                                                                    "      0x0000000000001002      6    2[  ]" EDR
                                                                                                    "     2    2[  ] \"leaf a: west:\" ( )\n";

static const char same[] = "Ca 2 \"H-3000\" # \"ash mlx5_0\"\n"
                           "[1](3001) \"S-b\"[1] # lid 5 lmc 0 \"leaf b\" lid 3 4xEDR\n"
                           "\n"
                           "switchguid=0xb00\n"
                           "Switch 6 \"S-b\" # \"leaf b\" base port 0 lid 3 lmc 0\n"
                           "[1] \"H-3000\"[1](3001) # \"ash mlx5_0\" lid 5 4xEDR\n"
                           "[3] \"S-a\"[4] # \"leaf a: west:\" lid 2 4xQDR\n"
                           "[4] \"S-a\"[5] # \"leaf a: west:\" lid 2 4xQDR\n"
                           "\n"
                           "switchguid=0xa00\n"
                           "Switch 8 \"S-a\" # \"leaf a: west:\" base port 0 lid 2 lmc 0\n"
                           "\n"
                           "Ca 2 \"H-1000\" # \"elm mlx5_0\"\n"
                           "[1](1001) \"S-a\"[1] # lid 1 lmc 0 \"leaf a: west:\" lid 2 4xEDR\n"
                           "[2](1002) \"S-a\"[2] # lid 6 lmc 0 \"leaf a: west:\" lid 2 4xEDR\n";

static void parse(cop_topo *t, const char *text)
{
    *t = (cop_topo){0};
    cop_err err = {0};
    if (cop_topo_parse_text(t, "links", text, strlen(text), &err) != 0)
        fail_msg("%s", err.text);
}

/* One line, which begins with `why`. */
static void refuse(const char *text, const char *why)
{
    cop_topo t = {0};
    cop_err err = {0};
    assert_int_equal(cop_topo_parse_text(&t, "links", text, strlen(text), &err), -COP_E_INPUT);
    if (strncmp(err.text, why, strlen(why)) != 0 || strchr(err.text, ';') == NULL)
        fail_msg("\"%s\" does not begin with \"%s\" or lacks advice", err.text, why);
    if (err.faults != 1)
        fail_msg("more than one line: %s", err.text);
    cop_topo_free(&t);
}

static void assert_same(const cop_topo *a, const cop_topo *b)
{
    assert_int_equal(a->n_hosts, b->n_hosts);
    assert_int_equal(a->n_switches, b->n_switches);
    assert_int_equal(a->n_ports, b->n_ports);
    for (uint32_t p = 0; p < a->n_ports; p++) {
        assert_int_equal(a->port[p].to, b->port[p].to);
        assert_true(a->speed[a->port[p].rate_rank] == b->speed[b->port[p].rate_rank]);
    }
    for (uint32_t h = 0; h < a->n_hosts; h++) {
        assert_string_equal(a->host_name[h], b->host_name[h]);
        assert_int_equal(a->host_lid[h], b->host_lid[h]);
        assert_true(a->host_guid[h] == b->host_guid[h]);
    }
    for (uint32_t s = 0; s < a->n_switches; s++) {
        assert_string_equal(a->switch_name[s], b->switch_name[s]);
        assert_int_equal(a->switch_lid[s], b->switch_lid[s]);
        assert_true(a->switch_guid[s] == b->switch_guid[s]);
    }
}

static void equals_ibnetdiscover(void **state)
{
    (void)state;
    cop_topo a, b;
    parse(&a, fabric);
    parse(&b, same);
    assert_same(&a, &b);
    assert_int_equal(a.n_hosts, 3);
    assert_string_equal(a.host_name[1], "elm mlx5_0/1");
    assert_string_equal(a.switch_name[1], "leaf a: west:");
    cop_topo_free(&b);
    /* What tools write to standard error may stand before it, and lines may end as on Windows. */
    char more[8192];
    size_t n = (size_t)sprintf(more, "\nibwarn: [1] mad_rpc_open_port: no umad\n");
    for (const char *p = fabric; *p != '\0'; p++) {
        if (*p == '\n')
            more[n++] = '\r';
        more[n++] = *p;
    }
    more[n] = '\0';
    parse(&b, more);
    assert_same(&a, &b);
    cop_topo_free(&a);
    cop_topo_free(&b);
}

static void speeds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t mbps;
    } want[] = {{"1X           2.5 Gbps", 2000},    {"4X           5.0 Gbps", 16000},
                {"4X          10.0 Gbps", 32000},   {"4X 10.0 Gbps (FDR10)", 40000},
                {"4X       14.0625 Gbps", 54560},   {"2X      25.78125 Gbps", 50000},
                {"4X        53.125 Gbps", 200000},  {"4X        106.25 Gbps", 400000},
                {"4X         212.5 Gbps", 800000},  {"12X 5.0 Gbps", 48000},
                {"undefined (0) undefined (0)", 0}, {"4X No Extended Speed", 0}};
    for (size_t i = 0; i < COP_LEN(want); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "Switch 0x1 s:\n 1 2[  ] ==( %s Active/  LinkUp)==> 7 1[  ] \"h\" ( )\n"
                 "CA: h:\n 0x2 7 1[  ] ==( %s Active/  LinkUp)==> 1 2[  ] \"s\" ( )\n",
                 want[i].text, want[i].text);
        cop_topo t;
        parse(&t, text);
        assert_true(t.speed[t.port[1].rate_rank] == want[i].mbps * 1000000);
        cop_topo_free(&t);
    }
}

#define SWITCH "Switch: 0x1 s:\n 1 2[  ]" EDR " 7 1[  ] \"h\" ( )\n"
#define HOST "CA: h:\n 0x2 7 1[  ]" EDR " 1 2[  ] \"s\" ( )\n"

static void refusals(void **state)
{
    (void)state;
    refuse(SWITCH HOST "rubbish\n",
           "links:5: cannot read \"rubbish\"; must be a line of iblinkinfo");
    refuse(
        SWITCH HOST "rubbish\nmore\n\nand more\n",
        "links:5: cannot read \"rubbish\"; must be a line of iblinkinfo: Switch: or CA:, or <lid> "
        "<port>[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> <lid> <port>[ ] \"<name>\" (2 more "
        "lines "
        "like this)");
    refuse(SWITCH, "links:2: peer \"h\" with LID 7 has no record; must be the whole output");
    refuse(HOST "CA: g:\n 0x3 7 1[  ]" DOWN "CA: g:\n 0x3 7 1[  ]" EDR
                " 1 3[  ] \"s\" ( )\n" SWITCH,
           "links:6: LID 7 is that of the node in line 1, too; LIDs must differ");
    refuse(SWITCH " 9 3[  ]" DOWN HOST, "links:3: LID 9, but 1 in other lines of this switch");
    refuse(SWITCH " 1 3[  ]" EDR " 0 1[  ] \"g\" ( )\n" HOST,
           "links:3: peer has LID 0 and port 1; must be 1 to 65535 and 1 to 254");
    refuse(SWITCH " 1 3[  ]" EDR " 7\n" HOST, "links:3: port line is not complete; must end with");
    refuse(SWITCH " 1 3[  ]" EDR " 7 1[  ] \"h\n" HOST, "links:3: port line is not complete");
    refuse(SWITCH " 1 255[  ]" DOWN HOST, "links:3: port 255 with LID 1; must be 1 to 254");
    refuse(SWITCH " 1 2[  ]" EDR " 7 1[  ] \"h\" ( )\n" HOST, "links:3: second line for port 2");
    refuse(SWITCH " 1 3[  ]" EDR " 7 1[  ] \"h\" ( )\n" HOST,
           "links:3: port 1 of \"h\" does not point back, line 5 says its peer is port 2 of \"s\"");
    refuse(SWITCH "CA: h:\n 0x2 7 1[  ]" UP("1X 2.5 Gbps") " 1 2[  ] \"s\" ( )\n",
           "links:4: speed differs from that of the other end in line 2");
    refuse(SWITCH "CA: h:\n 0x2 7 1[  ]" UP("3X 2.5 Gbps") " 1 2[  ] \"s\" ( )\n",
           "links:4: unknown link speed in \" 3X 2.5 Gbps");
    refuse(SWITCH "CA: h:\n 0x2 7 1[  ]" UP("4X 7.5 Gbps") " 1 2[  ] \"s\" ( )\n",
           "links:4: unknown link speed in \" 4X 7.5 Gbps");
    refuse(HOST "CA: g:\n 0x3 8 1[  ]" EDR " 7 1[  ] \"h\" ( )\n" SWITCH,
           "links:4: peer \"h\" is a Ca too");
    refuse("Switch: 0xnumber s:\n", "links:1: bad GUID");
    refuse("Switch: 0x1 s:\n 1 2[  ]" DOWN, "links: no host; at least one Ca");
    refuse("0x0001 \"  h\"   7 1[  ]" EDR " 0x1 1 2[  ] \"s\" ( )\n",
           "links:1: this looks like `iblinkinfo -l`");
}

/* A file that ends too early, or has a wrong byte, never crashes the reader. */
static void damaged(void **state)
{
    (void)state;
    size_t len = strlen(fabric);
    for (size_t cut = 0; cut < len; cut++) {
        cop_topo t = {0};
        cop_err err = {0};
        char *copy = cop_alloc(cut);
        memcpy(copy, fabric, cut);
        int rc = cop_topo_parse_text(&t, "cut", copy, cut, &err);
        assert_true((rc == 0) == (err.faults == 0));
        cop_free(copy);
        cop_topo_free(&t);
    }
    char *copy = cop_alloc(len);
    for (size_t i = 0; i < len; i++) {
        cop_topo t = {0};
        cop_err err = {0};
        memcpy(copy, fabric, len);
        copy[i] = (char)(copy[i] ^ 0x15);
        int rc = cop_topo_parse_text(&t, "bad", copy, len, &err);
        assert_true((rc == 0) == (err.faults == 0));
        cop_topo_free(&t);
    }
    cop_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_ibnetdiscover),
        cmocka_unit_test(speeds),
        cmocka_unit_test(refusals),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests_name("topo_linkinfo", tests, NULL, NULL);
}
