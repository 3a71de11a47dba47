/* The run files of published set-ups, experiments/setups: every set-up of the ledger has one, every
 * file is valid and runs, and without congestion control those with a closed form give it. Run from
 * the top of the source tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exp/ledger.h"
#include "exp/run.h"
#include "named.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "experiments/setups"
#define MAX_FILES 256
#define MAX_SET 8

typedef struct files {
    char name[MAX_FILES][64]; /* without .yaml */
    size_t n;
} files;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list_files(files *f)
{
    DIR *d = opendir(FOLDER);
    assert_non_null(d);
    f->n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        const char *dot = strstr(e->d_name, ".yaml");
        if (dot == NULL)
            continue;
        assert_true(f->n < MAX_FILES && dot - e->d_name < 64);
        snprintf(f->name[f->n++], 64, "%.*s", (int)(dot - e->d_name), e->d_name);
    }
    closedir(d);
    qsort(f->name, f->n, sizeof(f->name[0]), by_name);
    assert_true(f->n >= 53);
}

static bool has_file(const files *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->name[i], name) == 0)
            return true;
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Networks of thousands of hosts take seconds to check; their small relatives say as much about the
 * file. */
static size_t make_small(const char *name, cop_override *set)
{
    size_t n = 0;
    if (begins(name, "qcn") || begins(name, "df")) {
        set[n++] = (cop_override){.text = "topology.p=2"};
        set[n++] = (cop_override){.text = "topology.a=4"};
        set[n++] = (cop_override){.text = "topology.h=2"};
    } else if (begins(name, "fern")) {
        set[n++] = (cop_override){.text = "topology.radix=[4, 4, 4]"};
    } else if (begins(name, "x-qcn-rules")) {
        set[n++] = (cop_override){.text = "cc.every=100"}; /* so that a short run has samples */
    } else if (begins(name, "x-qcn")) {
        set[n++] = (cop_override){.text = "cc.period=5 us"}; /* likewise */
    }
    return n;
}

static void load(cop_config *c, const char *name, const cop_override *set, size_t n)
{
    char path[160];
    cop_err err = {0};
    snprintf(path, sizeof(path), FOLDER "/%s.yaml", name);
    if (cop_config_load(c, path, NULL, set, n, &err) != 0) {
        print_error("%s\n", err.text);
        fail();
    }
}

static void test_every_setup_has_a_file(void **state)
{
    (void)state;
    cop_ledger l;
    cop_err err = {0};
    files *f = cop_alloc(sizeof(*f));
    unsigned missing = 0, known = 0;
    list_files(f);
    assert_int_equal(cop_ledger_load(&l, "claims", &err), 0);
    for (size_t p = 0; p < l.n_papers; p++) {
        for (size_t i = 0; i < l.paper[p].n_claims; i++) {
            char word[64];
            int used = 0;
            for (const char *s = l.paper[p].claim[i].setup; sscanf(s, "%63s%n", word, &used) == 1;
                 s += used) {
                if (!begins(word, "S-"))
                    continue;
                for (char *ch = word; *ch; ch++)
                    *ch = (char)tolower((unsigned char)*ch);
                known++;
                if (!has_file(f, word + 2)) {
                    print_error("%s: " FOLDER "/%s.yaml is missing\n", l.paper[p].claim[i].id,
                                word + 2);
                    missing++;
                }
            }
        }
    }
    assert_true(known > 200);
    assert_int_equal(missing, 0);
    cop_ledger_free(&l);
    cop_free(f);
}

static void test_every_file_is_valid(void **state)
{
    (void)state;
    files *f = cop_alloc(sizeof(*f));
    list_files(f);
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    for (size_t i = 0; i < f->n; i++) {
        cop_config c;
        cop_override set[MAX_SET];
        cop_err err = {0};
        load(&c, f->name[i], set, make_small(f->name[i], set));
        assert_string_equal(c.name, f->name[i]);
        /* Published set-ups leave the mechanism to the experiment; x- are bases of single rules. */
        if (strncmp(f->name[i], "x-", 2) != 0)
            assert_string_equal(c.cc->name, "none");
        if (cop_check_network(&c, out, &err) != 0) {
            print_error("%s\n", err.text);
            fail();
        }
        cop_config_free(&c);
    }
    fclose(out);
    cop_free(f);
}

static void run(const char *name, const char *const *extra, cop_result *r)
{
    cop_config c;
    cop_override set[16];
    cop_err err = {0};
    size_t n = make_small(name, set);
    for (; extra != NULL && *extra != NULL; extra++)
        set[n++] = (cop_override){.text = *extra};
    load(&c, name, set, n);
    if (cop_run(&c, NULL, r, &err) != 0) {
        print_error("%s\n", err.text);
        fail();
    }
    cop_config_free(&c);
}

static void test_every_file_runs(void **state)
{
    (void)state;
    static const char *const brief[] = {"run.duration=10 us", "run.warmup=0", "run.sample=1 us",
                                        NULL};
    files *f = cop_alloc(sizeof(*f));
    list_files(f);
    for (size_t i = 0; i < f->n; i++) {
        cop_result r;
        run(f->name[i], brief, &r);
        /* The sink of x-gran0-onoff is slow on purpose: 8 ms for a packet. */
        bool slow = strcmp(f->name[i], "x-gran0-onoff") == 0;
        if (r.outcome != COP_OUTCOME_OK || r.packets_delivered == 0)
            print_error("%s: outcome %d, %" PRIu64 " packets\n", f->name[i], (int)r.outcome,
                        r.packets_delivered);
        assert_int_equal(r.outcome, COP_OUTCOME_OK);
        assert_true(slow ? r.packets_injected > 0 : r.packets_delivered > 0);
        cop_result_free(&r);
    }
    cop_free(f);
}

/* -- what theory says -- */

typedef struct flow {
    const char *entry;
    double gbps; /* mean of its streams */
} flow;

typedef struct closed_form {
    const char *name, *set[MAX_SET];
    flow flow[6];
} closed_form;

/* Per cent: packets do not divide the measured time. */
#define TOLERANCE 0.5

static const closed_form forms[] = {
    {"gran0-a",
     {NULL},
     {{"E1-E4", 10. / 3}, {"E2-E5", 10. / 3}, {"E6-E5", 10. / 3}, {"E7-E5", 10. / 3}}},
    {"gran0-a", {"queueing.kind=voqnet"}, {{"E1-E4", 10}, {"E2-E5", 10. / 3}}},
    {"2sw7", {NULL}, {{"F1", 13.1 / 6}, {"F2", 13.1 / 6}, {"F3", 13.1 / 6}, {"F4", 13.1 / 3}}},
    {"gran1-sc1",
     {"run.duration=30 ms", "run.warmup=10 ms", "traffic.F2.start=0", "traffic.F3.start=0"},
     {{"F1", 13.1 / 2}, {"F2", 13.1 / 2}, {"F3", 13.1 / 2}}},
    {"gran1-sc1",
     {"run.duration=30 ms", "run.warmup=10 ms", "traffic.F2.start=0", "traffic.F3.start=0",
      "traffic.F4.start=0"},
     {{"F1", 13.1 / 4}, {"F2", 13.1 / 4}, {"F3", 13.1 / 4}, {"F4", 13.1 / 2}}},
    {"gran1-sc2",
     {"run.duration=30 ms", "run.warmup=10 ms", "traffic.F2.start=0", "traffic.F3.start=0"},
     {{"F1", 32. / 3}, {"F2", 32. / 3}, {"F3", 32. / 3}}},
    {"1sw7",
     {"run.duration=30 ms", "run.warmup=10 ms", "traffic.H2.start=0", "traffic.H3.start=0",
      "traffic.H6.start=0", "traffic.H7.start=0"},
     {{"H1", 13}, {"H2", 3.25}, {"H3", 3.25}, {"H6", 3.25}, {"H7", 3.25}}},
    {"4a3t", {NULL}, {{"near", 4}, {"middle", 0.25}, {"far", 16. / 768}}},
    {"gran3-pkt", {NULL}, {{"F1", 13.1 / 6}, {"F5", 13.1 / 3}}},
    {"gran3-pkt", {"nic.mtu=256 B"}, {{"F1", 13.1 / 6}, {"F5", 13.1 / 3}}},
    {"gran5-case1", {"run.duration=4 ms", "run.warmup=2500 us"}, {{"F0", 20}, {"F1", 20}}},
    {"gran5-case1",
     {"run.duration=6 ms", "run.warmup=4500 us"},
     {{"F0", 10}, {"F1", 10}, {"F2", 10}}},
    {"gran5-case1",
     {"run.warmup=7 ms"},
     {{"F0", 10. / 3}, {"F1", 10. / 3}, {"F2", 10. / 3}, {"F5", 20. / 3}, {"F6", 20. / 3}}},
    {"gran5-case2",
     {"run.warmup=7 ms"},
     {{"F4", 10}, {"F0", 5}, {"F1", 5}, {"F2", 2.5}, {"F3", 2.5}}},
    {"gran6-f1",
     {NULL},
     {{"A-X", 10. / 3}, {"B-X", 10. / 3}, {"D-X", 10. / 3}, {"C-Z", 10. / 3}, {"E-Y", 10. / 3}}},
};

static double mean_gbps(const cop_result *r, const char *entry)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_streams; i++) {
        if (strcmp(r->stream[i].entry, entry) == 0) {
            sum += r->stream[i].gbps;
            n++;
        }
    }
    assert_true(n > 0);
    return sum / n;
}

static void test_closed_forms(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < COP_LEN(forms); i++) {
        cop_result r;
        run(forms[i].name, forms[i].set, &r);
        for (const flow *f = forms[i].flow; f->entry != NULL; f++) {
            double is = mean_gbps(&r, f->entry);
            if (fabs(is - f->gbps) > TOLERANCE / 100 * f->gbps) {
                print_error("%s: %s has %.4f Gbit/s, expected %.4f\n", forms[i].name, f->entry, is,
                            f->gbps);
                wrong++;
            }
        }
        cop_result_free(&r);
    }
    assert_int_equal(wrong, 0);
}

/* gran3-hpcc without the hot spot: 1.686 us of software, three links, two switches. */
static void test_ping_pong(void **state)
{
    (void)state;
    static const char *const calm[] = {"traffic.F2.stop=1 ps", "traffic.F3.stop=1 ps",
                                       "traffic.F4.stop=1 ps", "traffic.F5.stop=1 ps",
                                       "run.duration=40 ms",   NULL};
    cop_result r;
    run("gran3-hpcc", calm, &r);
    /* 8 B: 0.5 ns per byte on host links, 0.25 ns on the trunk; the sink's 13.1 Gbit/s take 8 / 13.1
     * ns per byte from the head's arrival on. */
    double us = 1.686 + (3 * 20 + 2 * 100 + 8 * (0.5 + 0.25 + 8 / 13.1)) / 1e3;
    assert_true(fabs(scalar(&r, "exchange/latency/latency_avg") - us) < 1e-5);
    double mbytes = scalar(&r, "exchange/bandwidth/bandwidth_avg");
    assert_true(mbytes > 1620 && mbytes < 1625); /* 13 Gbit/s are 1625 MB/s */
    cop_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_setup_has_a_file),
        cmocka_unit_test(test_every_file_is_valid),
        cmocka_unit_test(test_every_file_runs),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_ping_pong),
    };
    return cmocka_run_group_tests_name("setups", tests, NULL, NULL);
}
