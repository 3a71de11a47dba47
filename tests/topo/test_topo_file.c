/* The reader of ibnetdiscover files: a whole sample, hand-written fabrics, and every refusal with
 * its line. Run from the top of the source tree, where examples/ is. */
#include "base/file.h"
#include "exp/run.h"
#include "topo/topo.h"
#include "topo/topo_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE "examples/fabric16.net"

static void parse(cop_topo *t, const char *text)
{
    *t = (cop_topo){0};
    cop_err err = {0};
    if (cop_topo_parse_text(t, "net", text, strlen(text), &err) != 0)
        fail_msg("%s", err.text);
}

static void refuse(const char *text, const char *why)
{
    cop_topo t = {0};
    cop_err err = {0};
    assert_int_equal(cop_topo_parse_text(&t, "net", text, strlen(text), &err), -COP_E_INPUT);
    if (strstr(err.text, why) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", err.text, why);
    assert_non_null(strchr(err.text, ';'));
    cop_topo_free(&t);
}

static void sample(void **state)
{
    (void)state;
    cop_topo t = {0};
    cop_err err = {0};
    cop_file_cfg cfg = {SAMPLE};
    if (cop_topo_find("file")->build(&t, &cfg, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.n_hosts, 16);
    assert_int_equal(t.n_switches, 6);
    assert_string_equal(t.kind, "file");
    assert_int_equal(t.n_speeds, 2);
    assert_true(t.speed[1] == 100000000000);
    cop_topo_facts f;
    cop_topo_measure(&t, 0, &f);
    assert_int_equal(f.cables, 32);
    assert_int_equal(f.switch_cables, 16);
    assert_int_equal(f.max_ports, 8);
    assert_int_equal(f.diameter, 3);
    assert_true(f.mean_switches == (3 * 1 + 12 * 3) / 15.0);
    char buf[64];
    for (uint32_t h = 0; h < 16; h++) {
        char want[64];
        snprintf(want, sizeof(want), "oak%02u mlx5_0", h + 1);
        assert_string_equal(cop_topo_host_name(&t, h, buf, sizeof(buf)), want);
        assert_int_equal(t.host_lid[h], 7 + h);
        assert_true(t.host_guid[h] == 0xc0ffee00300011 + 0x10 * (uint64_t)h);
        assert_int_equal(cop_topo_entry_switch(&t, h), h / 4);
        assert_int_equal(t.port[cop_topo_exit_port(&t, h)].local, h % 4);
    }
    assert_string_equal(cop_topo_switch_name(&t, 4, buf, sizeof(buf)), "spine1");
    assert_int_equal(t.switch_lid[4], 5);
    assert_true(t.switch_guid[4] == 0xc0ffee00200010);
    assert_string_equal(cop_topo_port_name(&t, cop_topo_switch_port(&t, 4, 2), buf, sizeof(buf)),
                        "spine1.3");
    for (uint32_t p = 0; p < t.n_ports; p++) {
        assert_int_equal(t.port[p].rate_rank, 1);
        bool host = cop_topo_is_host_port(&t, p) || cop_topo_is_host_port(&t, t.port[p].to);
        assert_int_equal(t.port[p].link_class, host ? COP_LINK_HOST : COP_LINK_TRUNK);
    }
    cop_topo_free(&t);
}

/* As ibsim takes it: no addresses, cables given by one end, records in any order. */
static void one_sided(void **state)
{
    (void)state;
    cop_topo t;
    parse(&t, "Hca 2 \"b\"\n"
              "[2] \"sw2\"[4]\n"
              "\n"
              "Ca 1 \"a\"\n"
              "\n"
              "Switch 8 \"sw1\"\n"
              "[1] \"a\"[1]\n"
              "[8] \"sw2\"[1]\r\n"
              "Switch 4 \"sw2\"");
    assert_int_equal(t.n_hosts, 2);
    assert_int_equal(t.n_switches, 2);
    assert_int_equal(t.n_speeds, 1);
    assert_null(t.host_lid);
    assert_null(t.switch_lid);
    assert_true(t.host_guid[0] == 0);
    assert_string_equal(t.host_name[0], "b");
    assert_string_equal(t.host_name[1], "a");
    assert_int_equal(cop_topo_exit_port(&t, 0), cop_topo_switch_port(&t, 1, 3));
    assert_int_equal(cop_topo_exit_port(&t, 1), cop_topo_switch_port(&t, 0, 0));
    assert_int_equal(t.port[cop_topo_switch_port(&t, 0, 7)].to, cop_topo_switch_port(&t, 1, 0));
    for (uint32_t p = 0; p < t.n_ports; p++)
        assert_int_equal(t.port[p].rate_rank, 0);
    cop_topo_free(&t);
}

/* Two cabled ports make two hosts; an idle Ca and an idle port make none. */
static void many_ports(void **state)
{
    (void)state;
    cop_topo t;
    parse(&t, "caguid=0x10\n"
              "Ca 3 \"H-1\" # \"node \"one\"\"\n"
              "[3] \"S-1\"[1] # lid 30 lmc 0 \"sw\" lid 2 12xQDR\n"
              "[1] \"S-1\"[2] # lid 10 lmc 0 \"sw\" lid 2 1xSDR\n"
              "\n"
              "Ca 1 \"H-idle\"\n"
              "\n"
              "Chassis 1 (guid 0x5)\n"
              "\n"
              "Switch 3 \"S-0002c90200100030\" # \"\" enhanced port 0 lid 2 lmc 0\n"
              "\n"
              "Switch 5 \"S-1\" # \"sw\" base port 0 lid 3 lmc 0\n"
              "# inside a record\n"
              "[4][ext 9] \"R-9\"[1][ext 2](0xabc) # \"way out\" lid 7 4x???\n"
              "\n"
              "Rt 1 \"R-9\" # \"way out\"\n");
    assert_int_equal(t.n_hosts, 3);
    assert_string_equal(t.host_name[0], "node \"one\"/1");
    assert_string_equal(t.host_name[1], "node \"one\"/3");
    assert_string_equal(t.host_name[2], "way out");
    assert_int_equal(t.host_lid[0], 10);
    assert_int_equal(t.host_lid[1], 30);
    assert_int_equal(t.host_lid[2], 7);
    assert_true(t.host_guid[0] == 0x11 && t.host_guid[1] == 0x13 && t.host_guid[2] == 0xabc);
    assert_true(t.switch_guid[0] == 0x2c90200100030);
    assert_string_equal(t.switch_name[0], "S-0002c90200100030");
    assert_int_equal(t.switch_lid[0], 2);
    assert_true(t.speed[t.port[cop_topo_host_port(&t, 1)].rate_rank] == 96000000000);
    assert_true(t.speed[t.port[cop_topo_exit_port(&t, 0)].rate_rank] == 2000000000);
    assert_int_equal(t.port[cop_topo_host_port(&t, 2)].rate_rank, 0);
    cop_topo_free(&t);
}

static void speeds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t mbps;
    } want[] = {{"1xSDR", 2000},    {"4xSDR", 8000},   {"4xDDR", 16000},  {"4xQDR", 32000},
                {"4xFDR10", 40000}, {"4xFDR", 54560},  {"4xEDR", 100000}, {"4xHDR", 200000},
                {"4xNDR", 400000},  {"12xDDR", 48000}, {"8xQDR", 64000},  {"2xHDR", 100000},
                {"??SDR", 0},       {"4x???", 0},      {"", 0},           {"4xXDR", 800000}};
    for (size_t i = 0; i < COP_LEN(want); i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "Switch 2 \"s\"\n[1] \"h\"[1] # \"4xFOO lid 99999\" lid 5 %s\n\nCa 1 \"h\"\n"
                 "[1] \"s\"[1] # lid 6 lmc 0\n",
                 want[i].text);
        cop_topo t;
        parse(&t, text);
        assert_true(t.speed[t.port[0].rate_rank] == want[i].mbps * 1000000);
        assert_int_equal(t.port[t.host_port0].rate_rank, t.port[0].rate_rank);
        assert_int_equal(t.host_lid[0], 6); /* the Ca knows better */
        cop_topo_free(&t);
    }
}

#define SW "Switch 4 \"s\"\n"
#define CA "\nCa 1 \"h\"\n[1] \"s\"[1]\n"

static void broken_lines(void **state)
{
    (void)state;
    refuse("Switch 4 \"s\n", "net:1: record is not complete; must be: Switch");
    refuse("Switch \"s\"\n", "net:1: record is not complete");
    refuse("Ca 1 \"\"\n", "net:1: record is not complete; must be: Ca");
    refuse("Switch 4 \"s\" junk\n", "net:1: record is not complete");
    refuse("Switch 0 \"s\"\n", "net:1: node with 0 ports; must be 1 to 512");
    refuse("Switch 99999999999999999999 \"s\"\n", "net:1: record is not complete");
    refuse("Switch 513 \"s\"\n", "net:1: node with 513 ports");
    refuse(SW "[1] \"h\"[1" CA, "net:2: port line is not complete");
    refuse(SW "[1] \"h", "net:2: port line is not complete");
    refuse(SW "[1] \"h\"" CA, "net:2: port line is not complete");
    refuse(SW "[1 \"h\"[1]" CA, "net:2: port line is not complete");
    refuse(SW "[1](2c9 \"h\"[1]" CA, "net:2: port line is not complete");
    refuse(SW "[1] \"h\"[1] w=4" CA, "net:2: port line is not complete");
    refuse(SW "[1] \"h\"[1] # \"no" CA, "net:2: the name in the comment is not finished");
    refuse(SW "[1] \"h\"[1] # \"n\" lid 65536 4xEDR" CA, "net:2: \"lid\" without a good number");
    refuse(SW "[1] \"h\"[1] # \"n\" lid 1 4xED" CA, "net:2: unknown link speed 4xED; must be 1x");
    refuse(SW "[1] \"h\"[1] # \"n\" lid 1 3xEDR" CA, "net:2: unknown link speed 3xEDR");
    refuse("[1] \"h\"[1]\n", "net:1: port line outside a record");
    refuse(SW "\n[2] \"h\"[1]\n", "net:3: port line outside a record");
    refuse("caguid=0xxyz\n" SW, "net:1: bad GUID");
    refuse("caguid=0x11112222333344445\n" SW, "net:1: bad GUID");
    refuse("\ncolour=red\n" SW, "net:2: unknown attribute colour; must be vendid");
    refuse("hello\a\n", "net:1: cannot read \"hello?\"; must be a Switch");
    refuse(SW CA "\nvendid=0x1\ncaguid=0x2\n", "net:6: attributes without a record, the file ends");
}

static void contradictions(void **state)
{
    (void)state;
    refuse(SW "[5] \"h\"[1]" CA, "net:2: port 5 of \"s\"; must be 1 to 4");
    refuse(SW "[0] \"h\"[1]" CA, "net:2: port 0 of \"s\"; must be 1 to 4");
    refuse(SW "[1] \"h\"[2]" CA, "net:2: peer port 2 of \"h\"; must be 1 to 1, see line 3");
    refuse(SW "[1] \"h\"[0]" CA, "net:2: peer port 0; must be 1");
    refuse(SW "[2] \"x\"[1]" CA, "net:2: peer \"x\" has no record; must be the id");
    refuse(SW CA "\nCa 1 \"h\"\n", "net:6: second record of \"h\", the other is in line 3");
    refuse(SW "[1] \"h\"[1]\n[1] \"h\"[1]" CA,
           "net:3: second line for port 1, the other is line 2");
    refuse(SW "[2] \"h\"[1]" CA,
           "net:2: port 1 of \"h\" does not point back, line 4 says its peer is port 1 of \"s\"");
    refuse(SW "\nCa 2 \"h\"\n[1] \"s\"[1]\n[2] \"s\"[1]\n",
           "net:5: second cable to port 1 of \"s\", the other is in line 4; a port has one peer");
    refuse(SW "[2] \"s\"[2]" CA, "net:2: port 2 is cabled to itself");
    refuse(SW CA "\nCa 1 \"g\"\n[1] \"h\"[1]\n", "net:7: peer \"h\" is a Ca too");
    refuse(SW "[1] \"h\"[1] # \"n\" 4xEDR\n\nCa 1 \"h\"\n[1] \"s\"[1] # \"s\" 4xHDR\n",
           "net:5: speed differs from that of the other end in line 2");
    refuse("", "net: no host; at least one Ca");
    refuse(SW, "net: no host");
    refuse(SW CA "\nSwitch 2 \"t\"\n\nCa 1 \"g\"\n[1] \"t\"[1]\n",
           "net: no path from host h to host g; all hosts must be in one network");
}

static void several_faults(void **state)
{
    (void)state;
    cop_topo t = {0};
    cop_err err = {0};
    const char two[] = SW "[9] \"h\"[1]\n[2] \"h\"\n" CA;
    assert_int_equal(cop_topo_parse_text(&t, "net", two, strlen(two), &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 2);
    assert_non_null(strstr(err.text, "net:2: port 9 of"));
    assert_non_null(strstr(err.text, "\nnet:3: port line is not complete"));
    char many[4000];
    memset(many, 'x', sizeof(many));
    for (size_t i = 1; i < sizeof(many); i += 2)
        many[i] = '\n';
    err = (cop_err){0};
    assert_int_equal(cop_topo_parse_text(&t, "net", many, sizeof(many), &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_non_null(strstr(err.text, "net:1: cannot read \"x\"; must be"));
    assert_non_null(strstr(err.text, " (1999 more lines like this)"));
    cop_topo_free(&t);
}

/* A file that ends too early never crashes the reader; up to its last record it is refused, because
 * a switch names a Ca that is not there. */
static void truncated(void **state)
{
    (void)state;
    FILE *f = fopen(SAMPLE, "rb");
    assert_non_null(f);
    char text[16384];
    size_t len = fread(text, 1, sizeof(text), f);
    fclose(f);
    assert_true(len > 1000 && len < sizeof(text));
    text[len] = '\0';
    size_t last = 0;
    for (const char *p = text; (p = strstr(p, "\nCa")) != NULL; p++)
        last = (size_t)(p - text);
    assert_true(last > len / 2);
    for (size_t cut = 0; cut < len; cut++) {
        cop_topo t = {0};
        cop_err err = {0};
        char *copy = cop_alloc(cut); /* its own block, so that reading past the end is noticed */
        memcpy(copy, text, cut);
        int rc = cop_topo_parse_text(&t, "cut", copy, cut, &err);
        assert_true((rc == 0) == (err.faults == 0));
        if (cut <= last)
            assert_int_equal(rc, -COP_E_INPUT);
        cop_free(copy);
        cop_topo_free(&t);
    }
}

/* 22,500 nodes in mixed order: time must not grow with their square. */
static void large(void **state)
{
    (void)state;
    const uint32_t switches = 2500, per = 8;
    size_t cap = 0, len = 0;
    char *text = NULL;
    for (uint32_t i = 0; i < switches; i++) {
        text = cop_grow(text, &cap, len + 4096, 1);
        uint32_t s = i * 7919 % switches;
        len += (size_t)sprintf(text + len, "Switch 16 \"s%u\"\n", s);
        for (uint32_t h = 0; h < per; h++)
            len += (size_t)sprintf(text + len, "[%u] \"h%u\"[1] # \"n\" lid 1 4xHDR\n", h + 1,
                                   s * per + h);
        if (s + 1 < switches)
            len += (size_t)sprintf(text + len, "[9] \"s%u\"[10]\n", s + 1);
        for (uint32_t h = 0; h < per; h++)
            len += (size_t)sprintf(text + len, "Ca 1 \"h%u\"\n", s * per + h);
    }
    cop_topo t = {0};
    cop_err err = {0};
    if (cop_topo_parse_text(&t, "large", text, len, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.n_hosts, switches * per);
    cop_topo_facts f;
    cop_topo_measure(&t, 3, &f);
    assert_int_equal(f.switch_cables, switches - 1);
    cop_free(text);
    cop_topo_free(&t);
}

static void unreadable(void **state)
{
    (void)state;
    cop_topo t = {0};
    cop_err err = {0};
    const cop_topo_ops *ops = cop_topo_find("file");
    cop_file_cfg missing = {"no/such.net"}, folder = {"."}, empty = {""};
    assert_int_equal(ops->build(&t, &missing, &err), -COP_E_IO);
    assert_non_null(strstr(err.text, "no/such.net: cannot be opened, No such file"));
    assert_int_equal(ops->build(&t, &folder, &err), -COP_E_IO);
    assert_int_equal(ops->build(&t, &empty, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "path is empty"));
    cop_topo_free(&t);
}

/* Who numbers hosts in a run file must know which of the fabric's they are. */
static void test_check_says_who_is_who(void **state)
{
    (void)state;
    static const char yaml[] = "topology: {kind: file, path: examples/fabric16.net}\n"
                               "traffic: [{pattern: uniform}]\n";
    cop_config c;
    cop_err err = {0};
    char *text;
    size_t size;
    assert_int_equal(cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err), 0);
    FILE *report = cop_text_open(&text, &size);
    assert_int_equal(cop_check_network(&c, report, &err), 0);
    cop_text_close(report, &text);
    assert_non_null(strstr(text, "\n# hosts have the numbers of their order in the file: "
                                 "0 is oak01 mlx5_0, 15 is oak16 mlx5_0\n"));
    cop_free_foreign(text);
    cop_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_says_who_is_who),
        cmocka_unit_test(sample),
        cmocka_unit_test(one_sided),
        cmocka_unit_test(many_ports),
        cmocka_unit_test(speeds),
        cmocka_unit_test(broken_lines),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(several_faults),
        cmocka_unit_test(truncated),
        cmocka_unit_test(large),
        cmocka_unit_test(unreadable),
    };
    return cmocka_run_group_tests_name("topo_file", tests, NULL, NULL);
}
