/* Congestion control in OpenSM's words: options of an opensm.conf, those that mean something else than one thinks,
 * and a table that comes back as it went. */
#include "cc/opensm.h"
#include "exp/opensm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define SWITCHES                                                                                   \
    "congestion_control TRUE\ncc_sw_cong_setting_control_map 0x15\n"                               \
    "cc_sw_cong_setting_victim_mask 0x1E\ncc_sw_cong_setting_threshold 0x0F\n"                     \
    "cc_sw_cong_setting_packet_size 8\ncc_sw_cong_setting_marking_rate 3\n"
#define HOSTS                                                                                      \
    "cc_ca_cong_setting_control_map 0x0003\ncc_ca_cong_setting_ccti_timer 0 0x96\n"                \
    "cc_ca_cong_setting_ccti_increase 0 1\ncc_ca_cong_setting_trigger_threshold 0 2\n"
#define TABLE "cc_cct 0:0,0:1,1:8,3:16383\n"

static int read_conf(const char *conf, char **text, cop_err *err)
{
    size_t size;
    *err = (cop_err){0};
    FILE *out = open_memstream(text, &size);
    int rc = cop_opensm_read("o.conf", conf, strlen(conf), out, err);
    fclose(out);
    return rc;
}

static void expect(const char *conf, const char *part)
{
    char *text;
    cop_err err;
    if (read_conf(conf, &text, &err) != 0)
        fail_msg("%s", err.text);
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", text, part);
    cop_free_foreign(text);
}

static void refuse(const char *conf, const char *why)
{
    char *text;
    cop_err err;
    assert_int_equal(read_conf(conf, &text, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    if (strncmp(err.text, why, strlen(why)) != 0 || strchr(err.text, ';') == NULL)
        fail_msg("\"%s\" does not begin with \"%s\" or lacks advice", err.text, why);
    cop_free_foreign(text);
}

static void reads(void **state)
{
    (void)state;
    const char conf[] = "# a remark\nrouting_engine ftree\n" SWITCHES HOSTS TABLE;
    expect(conf, "  threshold: 15\n  packet_size: 8\n  marking_rate: 3\n  victim_mask: hosts # the "
                 "mask names");
    expect(conf, "  level: qp\n  ccti_timer_units: 150 #");
    expect(conf, "  ccti_increase: 1\n  trigger_threshold: 2\n  ccti_min: 0\n  ccti_limit: 3 #");
    expect(conf, "  cct_encoded: \"0:0,0:1,1:8,3:16383\"\n  sl_ccti: [1, -1, 0, -1, 0] #");
    expect(conf, "# service level 1 has another trigger_threshold; this is that of level 0\n");
    expect(SWITCHES HOSTS TABLE "cc_ca_cong_setting_control_map 0x0031\n"
                                "cc_ca_cong_setting_ccti_timer 5 99\n"
                                "cc_ca_cong_setting_ccti_increase 5 7\n"
                                "cc_ca_cong_setting_ccti_min 5 2\n"
                                "cc_ca_cong_setting_ccti_increase 9 7\n",
           "  sl_ccti: [4, -1, 0, -1, 0, 5, 99, 7, -1, 2] #");
    refuse(SWITCHES HOSTS TABLE "cc_ca_cong_setting_ccti_increase 1 7\n",
           "o.conf: cc_ca_cong_setting_ccti_timer is 0");
    refuse(SWITCHES HOSTS TABLE "cc_ca_cong_setting_ccti_min 1 4\n",
           "o.conf: cc_ca_cong_setting_ccti_min is not an entry of cc_cct");
    expect(SWITCHES HOSTS TABLE "cc_ca_cong_setting_port_control 1\n", "  level: sl\n");
    expect(SWITCHES HOSTS TABLE "cc_sw_cong_setting_control_map 4\n",
           "  marking_rate: 0 # bit 4 of the control map is not set\n  victim_mask: none # bit 0");
    expect(SWITCHES HOSTS TABLE "cc_sw_cong_setting_victim_mask 0xfffffffffe\r\n",
           "victim_mask: all\n");
    expect(SWITCHES HOSTS TABLE
           "cc_sw_cong_setting_control_map 0x1f\ncc_sw_cong_setting_credit_mask 0\n"
           "cc_sw_cong_setting_credit_starvation_threshold 7\n"
           "cc_sw_cong_setting_credit_starvation_return_delay 1:5\n",
           "  credit_mask: none\n  cs_threshold: 7\n  cs_return_delay: \"1:5\"\n");
    expect("congestion_control FALSE\n" TABLE, "cc: {kind: none}");
}

static void pitfalls(void **state)
{
    (void)state;
    refuse("congestion_control yes\n",
           "o.conf:1: congestion_control is neither TRUE nor FALSE, which OpenSM takes");
    refuse(SWITCHES "cc_sw_cong_setting_threshold 0x1F\n",
           "o.conf:7: cc_sw_cong_setting_threshold is not good; must be 0 to 15");
    refuse(SWITCHES HOSTS "cc_cct 1:5\n",
           "o.conf:11: cc_cct has one entry, which OpenSM sends as none at all");
    refuse("cc_cct 0:0,7:99999\n", "o.conf:1: cc_cct is no table; must be shift:multiplier");
    refuse("", "o.conf: has no option of congestion control");
    refuse("\1\2garbage 3\n", "o.conf: has no option of congestion control");
    refuse("cc_cct 0:1,0:2\n", "o.conf:1: cc_cct has a first entry that is not 0:0");
    refuse(SWITCHES HOSTS TABLE "cc_ca_cong_setting_ccti_min 0 200\n",
           "o.conf: cc_ca_cong_setting_ccti_min is not an entry of cc_cct");
    refuse("cc_cct 0:0,x\n", "o.conf:1: cc_cct is no table");
    refuse("cc_ca_cong_setting_ccti_timer 150\n",
           "o.conf:1: cc_ca_cong_setting_ccti_timer needs a service level and a value");
    refuse("cc_ca_cong_setting_ccti_timer 16 150\n",
           "o.conf:1: cc_ca_cong_setting_ccti_timer needs a service level");
    refuse("cc_ca_cong_setting_ccti_increase 0 256\n",
           "o.conf:1: cc_ca_cong_setting_ccti_increase is not good; must be 0 to 255");
    refuse("cc_sw_cong_setting_victim_mask 0xxyz\n",
           "o.conf:1: cc_sw_cong_setting_victim_mask is no mask");
    refuse("cc_sw_cong_setting_credit_starvation_return_delay 5\n",
           "o.conf:1: cc_sw_cong_setting_credit_starvation_return_delay is not shift:multiplier");
    refuse("cc_swich_threshold 3\n", "o.conf:1: cc_swich_threshold is unknown");
    char long_table[2048] = "cc_cct 0:0";
    for (unsigned i = 1; i < 129; i++)
        strcat(long_table, ",1:1");
    refuse(long_table, "o.conf:1: cc_cct has more than 128 entries");
}

/* All of OpenSM's defaults are zero: TRUE alone does nothing. */
static void nothing_happens(void **state)
{
    (void)state;
    refuse("congestion_control TRUE\n", "o.conf: cc_ca_cong_setting_control_map is 0");
    refuse("congestion_control TRUE\n" HOSTS, "o.conf: switches never mark");
    refuse(SWITCHES HOSTS TABLE "cc_sw_cong_setting_control_map 0x11\n",
           "o.conf: switches never mark");
    refuse(SWITCHES HOSTS, "o.conf: there is no cc_cct");
    refuse(SWITCHES HOSTS "cc_cct (null)\n", "o.conf: there is no cc_cct");
    refuse(SWITCHES HOSTS TABLE "cc_ca_cong_setting_ccti_increase 0 0\n",
           "o.conf: cc_ca_cong_setting_ccti_increase is 0");
    refuse(SWITCHES HOSTS TABLE "cc_ca_cong_setting_ccti_timer 0 0\n",
           "o.conf: cc_ca_cong_setting_ccti_timer is 0");
}

static char *write_conf(const char *cc, const char *network)
{
    char yaml[4096], *text;
    size_t size;
    cop_config c;
    cop_err err = {0};
    snprintf(yaml, sizeof(yaml), "%s\ntraffic: [{}]\n%s", network, cc);
    if (cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err) != 0)
        fail_msg("%s", err.text);
    FILE *out = open_memstream(&text, &size);
    if (cop_opensm_export(&c, out, &err) != 0)
        fail_msg("%s", err.text);
    fclose(out);
    cop_config_free(&c);
    return text;
}

#define STAR "topology: {kind: single, hosts: 4}\n"

/* conf -> run file -> conf -> run file: the two run files are the same. */
static void comes_back(void **state)
{
    (void)state;
    char *first, *second;
    cop_err err;
    const char conf[] =
        SWITCHES "cc_ca_cong_setting_control_map 1\ncc_ca_cong_setting_ccti_timer 0 150\n"
                 "cc_ca_cong_setting_ccti_increase 0 2\ncc_ca_cong_setting_ccti_min 0 1\n" TABLE;
    assert_int_equal(read_conf(conf, &first, &err), 0);
    char *back = write_conf(first, STAR);
    assert_non_null(strstr(back, "\ncc_cct 0:0,0:1,1:8,3:16383\n"));
    assert_non_null(strstr(back, "\ncc_sw_cong_setting_victim_mask 0x1e\n"));
    assert_int_equal(read_conf(back, &second, &err), 0);
    assert_string_equal(first, second);
    cop_free_foreign(first);
    cop_free_foreign(second);
    cop_free_foreign(back);
}

/* 2048 bytes at 16 Gbit/s take 1.024 us: delays are shares of that. */
static void tables_of_times(void **state)
{
    (void)state;
    char *t = write_conf(
        "nic: {mtu: 2048 B}\nlink: {rate: 16 Gbit/s}\n"
        "cc: {kind: ibcc, cct_times: [0 ns, 512 ns, 1024 ns, 20480 ns], ccti_limit: 3}\n",
        STAR);
    if (strstr(t, "\ncc_cct 0:0,1:1,0:1,0:20\n") == NULL || strstr(t, "1/21 of its link") == NULL)
        fail_msg("%s", t);
    cop_free_foreign(t);
    t = write_conf("", STAR);
    assert_non_null(strstr(t, "cc.kind none; these are the defaults of ibcc"));
    cop_free_foreign(t);
    /* T 0.1024 us: ten of 100 hosts, and what four times fewer and more would get */
    t = write_conf("nic: {mtu: 2560 B}\nlink: {rate: 200 Gbit/s}\n",
                   "topology: {kind: single, hosts: 100}\n");
    if (strstr(t, "senders per hot spot H = 10: a guess") == NULL ||
        strstr(t, "1/41 of its link") == NULL ||
        strstr(t, "\n#       40: table up to 16.38 us") == NULL ||
        strstr(t, "\n#        2: table up to") == NULL ||
        strstr(t, "cc_sw_cong_setting_threshold 3\n") == NULL)
        fail_msg("%s", t);
    cop_free_foreign(t);
    t = write_conf("cc: {kind: ibcc, port_threshold: [0, 1, 3], ccti_increase: 300}\n", STAR);
    assert_non_null(strstr(t, "CANNOT BE SAID: host_threshold, port_threshold"));
    assert_non_null(strstr(t, "CUT: 300 steps"));
    cop_free_foreign(t);
    t = write_conf("cc: {kind: ibcc, cct_entries: 200}\n",
                   "topology: {kind: chain, hosts: [2, 2]}\n");
    assert_non_null(strstr(t, "CUT: the table has 200 entries"));
    cop_free_foreign(t);
    /* what would do nothing says so */
    t = write_conf("cc: {kind: ibcc, ccti_limit: 0}\n", STAR);
    assert_non_null(strstr(t, "# NO EFFECT: OpenSM sends a table of one entry as none"));
    cop_free_foreign(t);
    t = write_conf("cc: {kind: ibcc, threshold: 0}\n", STAR);
    assert_non_null(strstr(t, "# NO EFFECT: with 0 switches mark nothing"));
    cop_free_foreign(t);
    t = write_conf("cc: {kind: ibcc}\n", STAR);
    assert_null(strstr(t, "NO EFFECT"));
    cop_free_foreign(t);
    /* a delay of a second is the largest multiplier, not what is left of it */
    t = write_conf("cc: {kind: ibcc, cct_times: [0 ns, 1 s], ccti_limit: 1}\n", STAR);
    assert_non_null(strstr(t, "\ncc_cct 0:0,0:16383\n"));
    cop_free_foreign(t);
}

/* PFC is not InfiniBand: no opensm.conf for it. */
static void ethernet(void **state)
{
    (void)state;
    cop_config c;
    cop_err err = {0};
    static const char yaml[] = STAR "flow_control: {kind: on-off}\ntraffic: [{}]\n";
    assert_int_equal(cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err), 0);
    assert_int_equal(cop_opensm_export(&c, stderr, &err), -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_non_null(strstr(err.text, "test.yaml:2:"));
    assert_non_null(strstr(err.text, "flow_control.kind on-off (PFC) is Ethernet"));
    cop_config_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),           cmocka_unit_test(pitfalls),
        cmocka_unit_test(nothing_happens), cmocka_unit_test(comes_back),
        cmocka_unit_test(tables_of_times), cmocka_unit_test(ethernet),
    };
    return cmocka_run_group_tests_name("opensm", tests, NULL, NULL);
}
