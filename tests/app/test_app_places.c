/* Ranks are where `placement_file` says: hosts by number, by the name that the program prints, and by the names of a
 * real fabric; and what is wrong in such a file is said with its line. */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TREE "{kind: kary-ntree, k: 2, n: 3}"
#define FABRIC "{kind: file, path: examples/fabric16.net}"

static int place(cop_result *r, const char *topology, const char *text, unsigned nics, cop_err *err)
{
    char path[] = "/tmp/cop-places-XXXXXX", yaml[512];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    snprintf(yaml, sizeof(yaml),
             "run: {duration: 1 ms, until: jobs}\ntopology: %s\ntraffic: [{name: j, collective: "
             "barrier, ranks: 4, nics: %u, placement: file, placement_file: %s}]\n",
             topology, nics, path);
    int rc = scn_run(yaml, NULL, 0, r, err);
    unlink(path);
    return rc;
}

static void placed(const char *topology, const char *text, const uint32_t host[4])
{
    cop_result r;
    cop_err err = {0};
    if (place(&r, topology, text, 1, &err) != 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(r.rank[i].host, host[i]);
    cop_result_free(&r);
}

static void test_numbers_and_names(void **state)
{
    (void)state;
    placed(TREE, "# a comment, h9\n7\nh0 h3\n5", (uint32_t[]){7, 0, 3, 5});
    placed(TREE, "\"h1\",2,h6 # end\n,h1\n", (uint32_t[]){1, 2, 6, 1});
}

/* Names of a file, which hold spaces, in quotes; numbers work beside them. */
static void test_names_of_a_fabric(void **state)
{
    (void)state;
    placed(FABRIC, "\"oak03 mlx5_0\"\n2\n\"oak16 mlx5_0\"\n\"oak01 mlx5_0\"\n",
           (uint32_t[]){2, 2, 15, 0});
}

static void refused(const char *topology, const char *text, const char *what)
{
    cop_result r;
    cop_err err = {0};
    assert_int_equal(place(&r, topology, text, 1, &err), -COP_E_INPUT);
    if (strstr(err.text, what) == NULL)
        fail_msg("%s\ninstead of %s", err.text, what);
    assert_int_equal(err.faults, 1);
}

static void test_faults(void **state)
{
    (void)state;
    refused(TREE, "h0\nh1\nh8\nh2\n",
            ":3: host `h8`; give a number from 0 to 7, or a name such as \"h0\"");
    refused(TREE, "h0 h1 2 8", ":1: host `8`; give");
    refused(TREE, "h0 h1 2 -1", ":1: host `-1`; give");
    refused(TREE, "h0 h1 2 h", ":1: host `h`; give");
    refused(TREE, "h0\n#\nh1\n2\nh03x", ":5: host `h03x`; give");
    refused(TREE, "0\n1\n2\n", "has 3 hosts; give 4, 1 for each of the 4 ranks");
    refused(TREE, "0 1 2 3\n4\n", ":2: more hosts than the 4 ranks need");
    refused(TREE, "0 1 2 \"h3\n", ":1: host `h3`; give");
    refused(
        FABRIC, "h0\n",
        ":1: host `h0`; give a number from 0 to 15, or a name such as \"oak01 mlx5_0\", in quotes");
    refused(FABRIC, "oak01 mlx5_0\n", ":1: host `oak01`; give");
    char text[2000];
    memset(text, 'h', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    refused(TREE, text, ":1: host `hhhh");
}

/* The names are those of `to` and `from` too; an earlier entry of such a name comes first, as it always did. */
static void test_names_elsewhere(void **state)
{
    (void)state;
    cop_result r;
    scn_run("run: {duration: 100 us}\ntopology: " TREE "\ntraffic:\n"
            "  - {name: h5, from: [h1, 2], pattern: fixed, to: h6}\n"
            "  - {name: b, from: [h5], pattern: fixed, to: h7}\n",
            NULL, 0, &r, NULL);
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    for (uint32_t h = 0; h < 8; h++) {
        assert_int_equal(r.node[h].sent_bytes > 0, h == 1 || h == 2);
        assert_int_equal(r.node[h].received_bytes > 0, h == 6 || h == 7);
    }
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_names),
        cmocka_unit_test(test_names_of_a_fabric),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_names_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
