/* Results do not change by accident: every configuration of tests/golden gives the run hash and the
 * counts of golden.txt, with either event queue, in this build with its assertions; and, by
 * tools/golden.sh, in builds of other compilers and optimisation levels. Together the
 * configurations use every plug-in and every choice there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exp/run.h"
#include "exp/sections.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/golden"
#define MAX_RUNS 192

typedef struct expected {
    char name[64], hash[20], outcome[16];
    uint64_t injected, delivered, hops;
    bool seen;
} expected;

static size_t read_expected(expected *e)
{
    FILE *f = fopen(FOLDER "/golden.txt", "r");
    if (f == NULL) {
        print_error(FOLDER "/golden.txt is missing; run tools/golden.sh --update\n");
        fail();
    }
    char line[256];
    size_t n = 0;
    while (fgets(line, sizeof(line), f) != NULL) {
        if (line[0] == '#')
            continue;
        assert_true(n < MAX_RUNS);
        e[n] = (expected){.seen = false};
        assert_int_equal(sscanf(line, "%63s %19s %15s %" SCNu64 " %" SCNu64 " %" SCNu64, e[n].name,
                                e[n].hash, e[n].outcome, &e[n].injected, &e[n].delivered,
                                &e[n].hops),
                         6);
        n++;
    }
    fclose(f);
    assert_true(n >= 25);
    return n;
}

static void load(cop_config *c, const char *name, const char *set)
{
    char path[200];
    cop_err err = {0};
    cop_override o = {.text = set};
    snprintf(path, sizeof(path), FOLDER "/%s.yaml", name);
    if (cop_config_load(c, path, NULL, &o, 1, &err) != 0) {
        print_error("%s\n", err.text);
        fail();
    }
}

static unsigned differs(const expected *e, const char *set)
{
    static const char *const outcomes[] = {"ok", "deadlock", "loss", "broken"};
    cop_config c;
    cop_result r;
    cop_err err = {0};
    char hash[20];
    load(&c, e->name, set);
    if (cop_run(&c, NULL, &r, &err) != 0) {
        print_error("%s\n", err.text);
        cop_config_free(&c);
        return 1;
    }
    snprintf(hash, sizeof(hash), "%016" PRIx64, r.run_hash);
    bool same = strcmp(hash, e->hash) == 0 && r.packets_injected == e->injected &&
                r.packets_delivered == e->delivered && r.packet_hops == e->hops &&
                strcmp(outcomes[r.outcome], e->outcome) == 0;
    if (!same)
        print_error("%s with %s: %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 ", expected %s %s %" PRIu64
                    " %" PRIu64 " %" PRIu64 "\n",
                    e->name, set, hash, outcomes[r.outcome], r.packets_injected,
                    r.packets_delivered, r.packet_hops, e->hash, e->outcome, e->injected,
                    e->delivered, e->hops);
    assert_int_equal(r.packets_lost, 0);
    assert_int_equal(r.packets_injected, r.packets_delivered + r.packets_in_flight);
    cop_result_free(&r);
    cop_config_free(&c);
    return !same;
}

static void check_all(const char *set)
{
    expected *e = cop_alloc(MAX_RUNS * sizeof(*e));
    size_t n = read_expected(e);
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += differs(&e[i], set);
    cop_free(e);
    assert_int_equal(wrong, 0);
}

static void test_ring(void **state)
{
    (void)state;
    check_all("run.event_queue=ring");
}

static void test_heap(void **state)
{
    (void)state;
    check_all("run.event_queue=heap");
}

/* How results are sampled must not change them. (The run that deadlocks ends when it is found.) */
static void test_sampling_changes_nothing(void **state)
{
    (void)state;
    expected *e = cop_alloc(MAX_RUNS * sizeof(*e));
    size_t n = read_expected(e);
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(e[i].outcome, "ok") == 0)
            wrong += differs(&e[i], "run.sample=777 ns");
    cop_free(e);
    assert_int_equal(wrong, 0);
}

static void test_every_file_has_its_line(void **state)
{
    (void)state;
    expected *e = cop_alloc(MAX_RUNS * sizeof(*e));
    size_t n = read_expected(e), files = 0;
    DIR *d = opendir(FOLDER);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        char *dot = strstr(entry->d_name, ".yaml");
        if (dot == NULL)
            continue;
        *dot = '\0';
        files++;
        size_t i = 0;
        while (i < n && strcmp(e[i].name, entry->d_name) != 0)
            i++;
        if (i == n) {
            print_error("%s is not in golden.txt; run tools/golden.sh --update\n", entry->d_name);
            fail();
        }
    }
    closedir(d);
    assert_int_equal(files, n);
    cop_free(e);
}

/* -- coverage -- */

typedef struct usage {
    const char *name; /* "switch.architecture.iq" */
    bool used;
} usage;

typedef struct usages {
    cop_arena arena;
    usage *v;
    size_t n, cap;
} usages;

static usage *usage_of(usages *u, const char *name)
{
    for (size_t i = 0; i < u->n; i++)
        if (strcmp(u->v[i].name, name) == 0)
            return &u->v[i];
    u->v = cop_grow(u->v, &u->cap, u->n + 1, sizeof(usage));
    u->v[u->n] = (usage){.name = cop_arena_strdup(&u->arena, name)};
    return &u->v[u->n++];
}

/* Every value of every choice in the table; `cfg` NULL: list them, else: tick off its values. */
static void walk_choices(usages *u, const char *where, const cop_opt *table, const void *cfg)
{
    for (const cop_opt *o = table; o != NULL && o->type != COP_OPT_END; o++) {
        int chosen = -1;
        if (o->type != COP_OPT_ENUM)
            continue;
        if (cfg != NULL)
            memcpy(&chosen, (const char *)cfg + o->offset, sizeof(chosen));
        for (int i = 0; o->names[i] != NULL; i++) {
            char name[160];
            snprintf(name, sizeof(name), "%s.%s.%s", where, o->name, o->names[i]);
            usage *x = usage_of(u, name);
            x->used = x->used || i == chosen;
        }
    }
}

static void walk_section(usages *u, const cop_section *s, const cop_config *c)
{
    if (s->plugin == NULL) {
        if (strcmp(s->name, "run") != 0)
            walk_choices(u, s->name, s->opts, c ? (const char *)c + s->cfg_offset : NULL);
        return;
    }
    cop_plugin p;
    const void *ops = NULL, *cfg = NULL;
    if (c != NULL) {
        memcpy(&ops, (const char *)c + s->ops_offset, sizeof(ops));
        memcpy(&cfg, (const char *)c + s->cfg_offset, sizeof(cfg));
    }
    for (size_t i = 0; s->plugin(i, &p); i++) {
        char name[96];
        snprintf(name, sizeof(name), "%s.%s", s->name, p.name);
        usage *x = usage_of(u, name);
        x->used = x->used || p.ops == ops;
        walk_choices(u, name, p.opts, p.ops == ops ? cfg : NULL);
    }
}

static void test_every_mechanism_has_a_run(void **state)
{
    (void)state;
    usages u = {.n = 0};
    expected *e = cop_alloc(MAX_RUNS * sizeof(*e));
    size_t n = read_expected(e), missing = 0;
    for (const cop_section *s = cop_sections; s->name != NULL; s++)
        walk_section(&u, s, NULL);
    walk_choices(&u, "traffic", cop_traffic_opts, NULL);
    assert_true(u.n > 80);
    for (size_t i = 0; i < n; i++) {
        cop_config c;
        load(&c, e[i].name, "run.event_queue=ring");
        for (const cop_section *s = cop_sections; s->name != NULL; s++)
            walk_section(&u, s, &c);
        for (size_t k = 0; k < c.n_traffic; k++)
            walk_choices(&u, "traffic", cop_traffic_opts, &c.traffic[k]);
        cop_config_free(&c);
    }
    for (size_t i = 0; i < u.n; i++)
        if (!u.v[i].used) {
            print_error("no configuration in " FOLDER " uses %s; add it to one\n", u.v[i].name);
            missing++;
        }
    assert_int_equal(missing, 0);
    cop_arena_free(&u.arena);
    cop_free(u.v);
    cop_free(e);
}

/* -- other compilers -- */

static void test_other_builds(void **state)
{
    (void)state;
    char command[600], dir[400];
    const char *program = getenv("COPPICE");
    if (program == NULL)
        skip(); /* run by hand: the folder to build in is not known */
    snprintf(dir, sizeof(dir), "%s", program);
    char *slash = strrchr(dir, '/');
    assert_non_null(slash);
    *slash = '\0';
    snprintf(command, sizeof(command), "tools/golden.sh --quick '%s'", dir);
    fflush(NULL);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_sampling_changes_nothing),
        cmocka_unit_test(test_every_file_has_its_line),
        cmocka_unit_test(test_every_mechanism_has_a_run),
        cmocka_unit_test(test_other_builds),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
