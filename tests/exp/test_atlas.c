/* The atlas holds every mechanism there is: each congestion control, each queueing scheme and each routing that
 * does not keep packets in order (those that choose among ways) is a row of experiments/atlas.yaml, belongs to a
 * group and has a stated memory. Run from the top of the source tree. */
#include "cc/cc_list.h"
#include "queue/queue_list.h"
#include "route/route.h"
#include "study_fixture.h"

#define FILE_NAME "experiments/atlas.yaml"
#define JOBS_NAME "experiments/beyond-two-jobs.yaml"

static void load_file(cop_study *s, const char *file, const char *scale)
{
    cop_err err = {0};
    if (cop_study_load(s, file, scale, NULL, &err) != 0)
        fail_msg("%s", err.text);
}

static void load(cop_study *s, const char *scale)
{
    load_file(s, FILE_NAME, scale);
}

/* The rows: values of the axis `mechanism`. */
static const cop_axis *rows_of(const cop_study *s)
{
    const cop_axis *a = cop_study_axis(s, "mechanism");
    assert_non_null(a);
    return a;
}

static bool sets(const cop_axis *rows, const char *what)
{
    for (size_t i = 0; i < rows->n_values; i++)
        for (size_t k = 0; k < rows->value[i].n_set; k++)
            if (strcmp(rows->value[i].set[k], what) == 0)
                return true;
    return false;
}

/* Does a row, or the base of a network, have this kind? */
static void must_have(const cop_axis *rows, const char *family, const char *name, const char *base)
{
    char what[100];
    snprintf(what, sizeof(what), "%s.kind=%s", family, name);
    if (strcmp(name, base) != 0 && !sets(rows, what))
        fail_msg("%s %s is no row of " FILE_NAME
                 "; give it one, and a place in `groups` and `state`",
                 family, name);
}

static void test_every_mechanism_is_a_row(void **state)
{
    (void)state;
    cop_study s;
    load(&s, "quick");
    const cop_axis *rows = rows_of(&s);
    for (size_t i = 0; cop_ccs[i]; i++)
        must_have(rows, "cc", cop_ccs[i]->name, "none");
    for (size_t i = 0; cop_queueings[i]; i++)
        must_have(rows, "queueing", cop_queueings[i]->name, "voqsw");
    for (size_t i = 0; cop_routings[i]; i++)
        if (!cop_routings[i]->in_order)
            must_have(rows, "routing", cop_routings[i]->name, "");
    cop_study_free(&s);
}

static void test_every_row_has_a_group(void **state)
{
    (void)state;
    cop_study s;
    load(&s, "full");
    const cop_axis *rows = rows_of(&s);
    unsigned rankings = 0;
    for (size_t f = 0; f < s.n_figures; f++) {
        if (strcmp(s.figure[f].kind, "ranking") != 0)
            continue;
        rankings++;
        for (size_t i = 0; i < rows->n_values; i++) {
            unsigned found = 0;
            for (size_t g = 0; g < s.figure[f].n_groups; g++)
                for (size_t k = 0; k < s.figure[f].group[g].n_rows; k++)
                    found += strcmp(s.figure[f].group[g].row[k], rows->value[i].label) == 0;
            if (found != 1)
                fail_msg("%s is in %u groups of figure %s", rows->value[i].label, found,
                         s.figure[f].name);
        }
    }
    assert_true(rankings >= 2);
    cop_study_free(&s);
}

/* Every reason is a sentence, and nothing is left out everywhere: each row runs in some network. */
static void test_gaps_have_reasons(void **state)
{
    (void)state;
    cop_study s;
    load(&s, "quick");
    for (size_t b = 0; b < s.n_blocks; b++) {
        const cop_block *block = &s.block[b];
        for (size_t i = 0; i < block->n_gaps; i++)
            assert_true(strlen(block->gap[i].why) > 10);
        size_t network = 0, mechanism = 0;
        while (network < block->n_axes && strcmp(block->axis[network].name, "network") != 0 &&
               strcmp(block->axis[network].name, "fabric") != 0)
            network++;
        while (mechanism < block->n_axes && strcmp(block->axis[mechanism].name, "mechanism") != 0)
            mechanism++;
        if (mechanism == block->n_axes)
            continue;
        assert_true(network < block->n_axes);
        for (uint32_t m = 0; m < block->axis[mechanism].n_values; m++) {
            unsigned runs = 0;
            for (uint32_t n = 0; n < block->axis[network].n_values; n++) {
                uint32_t value[8] = {0};
                value[network] = n;
                value[mechanism] = m;
                runs += cop_block_gap(block, value) == NULL;
            }
            if (runs == 0)
                fail_msg("%s runs nowhere", block->axis[mechanism].value[m].label);
        }
    }
    cop_study_free(&s);
}

static void must_be_alike(const cop_case *row, const cop_case *theirs)
{
    bool alike = strcmp(row->label, theirs->label) == 0 && row->n_set == theirs->n_set;
    for (size_t k = 0; alike && k < row->n_set; k++)
        alike = strcmp(row->set[k], theirs->set[k]) == 0;
    if (!alike)
        fail_msg("where " FILE_NAME " has the mechanism `%s`, " JOBS_NAME " has `%s`, or sets it "
                 "otherwise; give both the same rows in the same order",
                 row->label, theirs->label);
}

/* The study of two jobs beside storage traffic has the rows of the atlas, set alike and left out alike, so that the two share their
 * runs; and the atlas ranks them. */
static void test_two_jobs(void **state)
{
    (void)state;
    cop_study s, jobs;
    load(&s, "quick");
    load_file(&jobs, JOBS_NAME, "quick");
    const cop_axis *rows = rows_of(&s), *theirs = rows_of(&jobs);
    for (size_t i = 0; i < rows->n_values && i < theirs->n_values; i++)
        must_be_alike(&rows->value[i], &theirs->value[i]);
    if (rows->n_values != theirs->n_values)
        fail_msg("%s has %zu mechanisms, %s %zu; give both the same rows in the same order",
                 FILE_NAME, rows->n_values, JOBS_NAME, theirs->n_values);
    const cop_block *here = NULL, *there = NULL;
    for (size_t b = 0; b < s.n_blocks; b++)
        if (strcmp(s.block[b].name, "jobs") == 0)
            here = &s.block[b];
    for (size_t b = 0; b < jobs.n_blocks; b++)
        if (strcmp(jobs.block[b].name, "r") == 0)
            there = &jobs.block[b];
    assert_true(here != NULL && there != NULL && here->n_axes == 2 && there->n_axes == 2);
    for (uint32_t n = 0; n < 3; n++)
        for (uint32_t m = 0; m < rows->n_values; m++) {
            uint32_t value[8] = {n, m};
            assert_string_equal(here->axis[0].value[n].label, there->axis[0].value[n].label);
            assert_true((cop_block_gap(here, value) == NULL) ==
                        (cop_block_gap(there, value) == NULL));
        }
    unsigned rankings = 0;
    for (size_t f = 0; f < s.n_figures; f++)
        rankings +=
            strcmp(s.figure[f].name, "jobs") == 0 && strcmp(s.figure[f].kind, "ranking") == 0;
    assert_int_equal(rankings, 1);
    cop_study_free(&s);
    cop_study_free(&jobs);
}

/* Does a row set this kind, alone or with options? */
static bool has_kind(const cop_axis *rows, const char *family, const char *name)
{
    static const char *const forms[] = {"%s.kind=%s", "%s={kind: %s}", "%s={kind: %s,"};
    for (size_t i = 0; i < rows->n_values; i++)
        for (size_t k = 0; k < rows->value[i].n_set; k++)
            for (size_t f = 0; f < COP_LEN(forms); f++) {
                char what[100];
                const char *set = rows->value[i].set[k];
                int n = snprintf(what, sizeof(what), forms[f], family, name);
                if (f == 2 ? strncmp(set, what, (size_t)n) == 0 : strcmp(set, what) == 0)
                    return true;
            }
    return false;
}

/* The study of pulses on the torus has every congestion control and every queueing scheme, or the reason why not. */
static void test_torus_pulses(void **state)
{
    (void)state;
    cop_study s;
    load_file(&s, "experiments/beyond-torus-pulses.yaml", "quick");
    const cop_axis *rows = rows_of(&s);
    for (size_t i = 0; cop_ccs[i]; i++)
        if (strcmp(cop_ccs[i]->name, "none") != 0 && !has_kind(rows, "cc", cop_ccs[i]->name))
            fail_msg("cc %s is no row of beyond-torus-pulses", cop_ccs[i]->name);
    for (size_t i = 0; cop_queueings[i]; i++)
        if (strcmp(cop_queueings[i]->name, "1q") != 0 &&
            !has_kind(rows, "queueing", cop_queueings[i]->name))
            fail_msg("queueing %s is no row of beyond-torus-pulses", cop_queueings[i]->name);
    assert_int_equal(s.n_seeds, 5);
    assert_true(s.n_blocks == 1 && s.block[0].n_gaps > 0);
    for (size_t i = 0; i < s.block[0].n_gaps; i++)
        assert_true(strlen(s.block[0].gap[i].why) > 10);
    cop_study_free(&s);
}

/* All configurations are possible at both scales, and all expressions right: each row has a memory. */
static void test_it_can_be_run(void **state)
{
    static const char *const scales[] = {"quick", "full"};
    (void)state;
    for (size_t i = 0; i < COP_LEN(scales); i++) {
        cop_study s;
        cop_plan plan;
        cop_err err = {0};
        load(&s, scales[i]);
        s.n_seeds = 1;
        if (cop_plan_make(&plan, &s, &err) != 0 || cop_study_rehearse(&plan, &err) != 0)
            fail_msg("%s: %s", scales[i], err.text);
        cop_study_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mechanism_is_a_row),
        cmocka_unit_test(test_every_row_has_a_group),
        cmocka_unit_test(test_gaps_have_reasons),
        cmocka_unit_test(test_two_jobs),
        cmocka_unit_test(test_torus_pulses),
        cmocka_unit_test(test_it_can_be_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
