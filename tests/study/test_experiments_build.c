/* The published experiments, experiments: the network of every run can be built as it is written. A study whose run is
 * refused says so only when it is run, which may be hours after the rule that refuses it came in. Quick scale, and
 * of the seeds the first, as no rule asks for it. Run from the top of the source tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exp/ledger.h"
#include "exp/run.h"
#include "study/study.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "experiments"

/* Built already: runs that differ in seed, length or load alone share much, but not the hash, so that only
 * equal ones are left out. */
typedef struct seen {
    uint64_t *hash;
    size_t n, cap;
} seen;

static bool is_new(seen *s, uint64_t hash)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->hash[i] == hash)
            return false;
    s->hash = cop_grow(s->hash, &s->cap, s->n + 1, sizeof(*s->hash));
    s->hash[s->n++] = hash;
    return true;
}

static void look(void *ctx, const struct cop_net *net)
{
    (void)net;
    ++*(size_t *)ctx;
}

static size_t build_point(const cop_study *s, const cop_point *p)
{
    cop_override *set = cop_alloc_array(p->n_set, sizeof(*set));
    for (size_t i = 0; i < p->n_set; i++)
        set[i].text = p->set[i];
    cop_config c;
    cop_err err = {0};
    size_t built = 0;
    if (cop_config_load_with(&c, s->plugins, p->base, NULL, set, p->n_set, &err) != 0)
        fail_msg("%s: %s: %s", s->name, p->label, err.text);
    if (cop_look_network(&c, look, &built, &err) != 0)
        print_error("%s: run `%s` cannot be built: %s\n", s->name, p->label, err.text);
    cop_config_free(&c);
    cop_free(set);
    return built;
}

static size_t build_study(const char *file, const cop_ledger *ledger, seen *hashes)
{
    cop_study s;
    cop_plan plan;
    cop_err err = {0};
    size_t built = 0;
    if (cop_study_load(&s, file, "quick", ledger, &err) != 0 || cop_plan_make(&plan, &s, &err) != 0)
        fail_msg("%s: %s", file, err.text);
    for (size_t i = 0; i < plan.per_seed; i++)
        if (is_new(hashes, plan.point[i].config_hash))
            built += build_point(&s, &plan.point[i]);
    cop_study_free(&s);
    return built;
}

static void every_run_can_be_built(void **state)
{
    (void)state;
    DIR *d = opendir(FOLDER);
    seen hashes = {0};
    cop_ledger ledger;
    cop_err err = {0};
    size_t studies = 0, built = 0;
    assert_non_null(d);
    assert_int_equal(cop_ledger_load(&ledger, "claims", &err), 0);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char file[512];
        const char *dot = strrchr(e->d_name, '.');
        if (dot == NULL || strcmp(dot, ".yaml") != 0)
            continue;
        snprintf(file, sizeof(file), FOLDER "/%s", e->d_name);
        built += build_study(file, &ledger, &hashes);
        studies++;
    }
    closedir(d);
    cop_ledger_free(&ledger);
    assert_true(studies > 100 && built > 1000);
    assert_int_equal(built, hashes.n);
    cop_free(hashes.hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_run_can_be_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
