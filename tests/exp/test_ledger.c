/* The ledger of published claims: complete, consistent, and refused with place and remedy when not. */
#include "exp/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_counts(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        unsigned kind[COP_CLAIM_KINDS];
    } want[] = {{"gran0", {7, 2, 11, 8}},  {"gran1", {11, 5, 16, 3}},  {"gran2", {14, 7, 15, 3}},
                {"gran3", {30, 6, 16, 5}}, {"gran4", {34, 12, 12, 8}}, {"gran5", {4, 10, 21, 3}},
                {"gran6", {23, 4, 24, 6}}, {"fern", {3, 2, 24, 3}},    {"qcn", {23, 9, 52, 5}},
                {"pfis", {3, 9, 8, 4}}};
    cop_ledger l;
    cop_err err = {0};
    if (cop_ledger_load(&l, "claims", &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(l.n_papers, COP_LEN(want));
    size_t all = 0;
    for (size_t p = 0; p < l.n_papers; p++) {
        unsigned kind[COP_CLAIM_KINDS] = {0};
        for (size_t i = 0; i < l.paper[p].n_claims; i++)
            kind[l.paper[p].claim[i].kind]++;
        assert_string_equal(l.paper[p].key, want[p].key);
        assert_memory_equal(kind, want[p].kind, sizeof(kind));
        all += l.paper[p].n_claims;
    }
    assert_int_equal(all, 465);
    cop_ledger_free(&l);
}

/* Constants of the chip model are recorded; everything else waits for its experiment. */
static void test_states(void **state)
{
    (void)state;
    cop_ledger l;
    cop_err err = {0};
    assert_int_equal(cop_ledger_load(&l, "claims", &err), 0);
    for (size_t p = 0; p < l.n_papers; p++)
        for (size_t i = 0; i < l.paper[p].n_claims; i++) {
            const cop_claim *c = &l.paper[p].claim[i];
            bool constant = strcmp(c->id, "gran6s-6") == 0 || strcmp(c->id, "gran6s-7") == 0;
            assert_int_equal(cop_claim_judge(c), constant ? COP_CLAIM_RECORDED : COP_CLAIM_NOT_RUN);
            assert_true(strlen(c->metric) > 5 && strlen(c->expected) > 0 &&
                        strlen(c->tolerance) > 0);
        }
    cop_ledger_free(&l);
}

/* Bounds of the tolerance go before those of the paper: qcn-64 has a lower one in `expected` only,
 * qcn-36 and gran1-14 wider ones; qcn-9 has bounds in `expected` alone. */
static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        double low, high;
    } want[] = {{"qcn-6", -INFINITY, 0.50},
                {"qcn-64", -INFINITY, 5.0},
                {"qcn-36", -INFINITY, 0.02},
                {"gran1-14", 8.1, 11.066},
                {"qcn-9", 0.5078125, 1.0}};
    cop_ledger l;
    cop_err err = {0};
    assert_int_equal(cop_ledger_load(&l, "claims", &err), 0);
    for (size_t i = 0; i < COP_LEN(want); i++) {
        const cop_claim *c = cop_ledger_find(&l, want[i].id, NULL);
        assert_non_null(c);
        const cop_band *b = cop_claim_band(c, "");
        assert_non_null(b);
        assert_true(b->low == want[i].low && b->high == want[i].high);
    }
    cop_ledger_free(&l);
}

static void write_paper(const char *dir, const char *key, const char *checks)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.yaml", dir, key);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "paper: %s\ntitle: t\nsource: s\nchecks:\n%s", key, checks);
    fclose(f);
}

#define CHECK(id, more)                                                                            \
    "  - {id: " id ", where: w, setup: s, experiment: e, metric: m, " more ", needs: [none]}\n"
#define GOOD "kind: order, expected: {value: 1}, tolerance: exact"

static void refuse(const char *checks, const char *place, const char *what)
{
    static const char *const keys[] = {"gran0", "gran1", "gran2", "gran3", "gran4",
                                       "gran5", "gran6", "fern",  "qcn",   "pfis"};
    char dir[] = "/tmp/coppice-ledger-XXXXXX", good[256], path[512];
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < COP_LEN(keys); i++) {
        snprintf(good, sizeof(good), CHECK("%s-1", GOOD), keys[i]);
        write_paper(dir, keys[i], i == 2 ? checks : good);
    }
    cop_ledger l;
    cop_err err = {0};
    int rc = cop_ledger_load(&l, dir, &err);
    for (size_t i = 0; i < COP_LEN(keys); i++) {
        snprintf(path, sizeof(path), "%s/%s.yaml", dir, keys[i]);
        unlink(path);
    }
    rmdir(dir);
    if (what == NULL) {
        assert_int_equal(rc, 0);
        cop_ledger_free(&l);
        return;
    }
    assert_int_equal(rc, -COP_E_INPUT);
    if (strstr(err.text, place) == NULL || strstr(err.text, what) == NULL)
        fail_msg("expected `%s` and `%s` in: %s", place, what, err.text);
}

static void test_faults(void **state)
{
    (void)state;
    refuse(CHECK("gran2-1", GOOD), NULL, NULL);
    refuse(CHECK("gran2-1", GOOD) CHECK("gran2-1", GOOD), "gran2.yaml:6", "twice");
    refuse(CHECK("gran3-1", GOOD), "gran2.yaml:5", "paper's key");
    refuse(CHECK("gran2-1", "kind: odd, expected: {value: 1}, tolerance: exact"), "gran2.yaml:5",
           "kind");
    refuse(CHECK("gran2-1", "kind: order, expected: {valeu: 1}, tolerance: exact"), "gran2.yaml:5",
           "key");
    refuse(CHECK("gran2-1", "kind: order, expected: {value: 1}"), "gran2.yaml:5",
           "`tolerance` is missing");
    refuse("  - just text\n", "gran2.yaml:5", "not a map");
    refuse(CHECK("gran2-1", GOOD ", bound: ours"), NULL, NULL);
    refuse(CHECK("gran2-1", GOOD ", bound: theirs"), "gran2.yaml:5", "ours, or left out");
    refuse(CHECK("gran2-1", GOOD ", bound: [ours]"), "gran2.yaml:5", "ours, or left out");
    refuse(CHECK("gran2-1", "kind: order, expected: {value: 1}, tolerance: shown, bound: ours"),
           "gran2.yaml:5", "no bound");
}

static void expect_band(const char *tolerance, double value, double low, double high)
{
    double l = 0, h = 0;
    assert_int_equal(cop_band_around(value, tolerance, &l, &h), 0);
    assert_true(fabs(l - low) < 1e-12 && fabs(h - high) < 1e-12);
}

static void test_tolerances(void **state)
{
    (void)state;
    double l, h;
    expect_band("4 %", 13, 12.48, 13.52);
    expect_band("4 %", -13, -13.52, -12.48);
    expect_band("0.5", 13, 12.5, 13.5);
    expect_band("exact", 2, 2 - 2e-6, 2 + 2e-6);
    expect_band("exact", 0, 0, 0);
    static const char *const bad[] = {"", "sign", "-4 %", "-1", "nan", "4 percent"};
    for (size_t i = 0; i < COP_LEN(bad); i++)
        assert_int_equal(cop_band_around(1, bad[i], &l, &h), -1);
    assert_int_equal(cop_band_around(1, NULL, &l, &h), -1);
}

/* Load a ledger whose gran2 has one check with this expectation; the caller frees it. */
static const cop_claim *one_claim(cop_ledger *l, const char *more)
{
    static const char *const keys[] = {"gran0", "gran1", "gran2", "gran3", "gran4",
                                       "gran5", "gran6", "fern",  "qcn",   "pfis"};
    char dir[] = "/tmp/coppice-ledger-XXXXXX", check[512], path[512];
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < COP_LEN(keys); i++) {
        snprintf(check, sizeof(check),
                 "  - {id: %s-1, where: w, setup: s, experiment: e, metric: m, kind: order, %s, "
                 "needs: [none]}\n",
                 keys[i], more);
        write_paper(dir, keys[i], check);
    }
    cop_err err = {0};
    if (cop_ledger_load(l, dir, &err) != 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COP_LEN(keys); i++) {
        snprintf(path, sizeof(path), "%s/%s.yaml", dir, keys[i]);
        unlink(path);
    }
    rmdir(dir);
    return cop_ledger_find(l, "gran2-1", NULL);
}

static void test_bands(void **state)
{
    (void)state;
    cop_ledger l;
    const cop_claim *c =
        one_claim(&l, "expected: {values: {F1: 10, F2: 20}}, tolerance: {F1: 1, F2: 10 %}");
    assert_int_equal(c->n_bands, 2);
    assert_true(cop_claim_band(c, "F1")->high == 11.0 && cop_claim_band(c, "F2")->low == 18.0);
    assert_null(cop_claim_band(c, "F3"));
    cop_ledger_free(&l);
    c = one_claim(&l, "expected: {min: 0.9}, tolerance: as stated");
    assert_true(c->band[0].low == 0.9 && c->band[0].high == INFINITY && isnan(c->band[0].value));
    assert_ptr_equal(cop_claim_band(c, "anything"), &c->band[0]);
    cop_ledger_free(&l);
    /* Relations have no band; neither have expectations of a form that makes no sense. */
    static const char *const none[] = {"expected: {relation: a over b}, tolerance: sign",
                                       "expected: {value: [1, 2]}, tolerance: exact",
                                       "expected: {value: 1}, tolerance: [1]",
                                       "expected: {values: [1, 2]}, tolerance: exact",
                                       "expected: {min: {a: 1}}, tolerance: exact",
                                       "expected: {value: 1}, tolerance: {min: [1], max: {}}"};
    for (size_t i = 0; i < COP_LEN(none); i++) {
        c = one_claim(&l, none[i]);
        assert_int_equal(c->n_bands, 0);
        cop_ledger_free(&l);
    }
}

/* What is shown has no band, whatever it says of values; a bound of our own is told from the rest. */
static void test_shown_and_ours(void **state)
{
    (void)state;
    static const char *const expected[] = {"{value: 1}", "{values: {a: 1, b: 2}}", "{min: 2}",
                                           "{relation: a over b}"};
    cop_ledger l;
    for (size_t i = 0; i < COP_LEN(expected); i++) {
        char more[128];
        snprintf(more, sizeof(more), "expected: %s, tolerance: shown", expected[i]);
        const cop_claim *c = one_claim(&l, more);
        assert_true(c->shown && c->n_bands == 0);
        assert_int_equal(cop_claim_judge(c), COP_CLAIM_NOT_RUN); /* until it is measured */
        cop_ledger_free(&l);
    }
    const cop_claim *c = one_claim(&l, "expected: {min: 3}, tolerance: {min: 3}, bound: ours");
    assert_false(c->shown);
    assert_true(c->n_bands == 1 && c->band[0].low == 3.0);
    assert_string_equal(c->tolerance, "min 3 (ours)");
    cop_ledger_free(&l);
    c = one_claim(&l, "expected: {values: {a: 1, b: 2}}, tolerance: {a: 5 %, b: shown}");
    assert_false(c->shown);
    assert_true(c->n_bands == 1 && cop_claim_band(c, "b") == NULL); /* of some, not of all */
    cop_ledger_free(&l);
}

/* The ledger in the tree: a band never excludes the value it is made for. */
static void test_all_bands(void **state)
{
    (void)state;
    cop_ledger l;
    cop_err err = {0};
    size_t n = 0;
    assert_int_equal(cop_ledger_load(&l, "claims", &err), 0);
    for (size_t p = 0; p < l.n_papers; p++)
        for (size_t i = 0; i < l.paper[p].n_claims; i++)
            for (size_t k = 0; k < l.paper[p].claim[i].n_bands; k++, n++) {
                const cop_band *b = &l.paper[p].claim[i].band[k];
                if (!(b->low <= b->high) || b->value < b->low || b->value > b->high)
                    fail_msg("%s: %g is not in %g to %g", l.paper[p].claim[i].id, b->value, b->low,
                             b->high);
            }
    assert_true(n > 200);
    cop_ledger_free(&l);
}

static void test_missing_folder(void **state)
{
    (void)state;
    cop_ledger l;
    cop_err err = {0};
    assert_int_equal(cop_ledger_load(&l, "no/such/folder", &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "no/such/folder/gran0.yaml"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_states),        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_tolerances),    cmocka_unit_test(test_bands),
        cmocka_unit_test(test_all_bands),     cmocka_unit_test(test_shown_and_ours),
        cmocka_unit_test(test_missing_folder)};
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
