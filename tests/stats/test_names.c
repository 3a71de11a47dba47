/* Names of results: docs/RESULTS.md, `coppice run --json` and the table `scalar` have the same, neither
 * more nor less. The document is read as it stands; a few runs have between them every name. */
#include "program.h"

#include <ctype.h>
#include <jansson.h>

#define MAX_NAMES 4096u

typedef struct names {
    char *v[MAX_NAMES];
    size_t n;
    cop_arena arena;
} names;

static void add(names *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i], name) == 0)
            return;
    assert_true(l->n < MAX_NAMES);
    l->v[l->n++] = cop_arena_strdup(&l->arena, name);
}

/* -- the document -- */

/* The part of the document from one heading or text to another. */
static char *part(const char *doc, const char *from, const char *to, cop_arena *arena)
{
    const char *a = strstr(doc, from), *b = a ? strstr(a + strlen(from), to) : NULL;
    if (a == NULL || b == NULL)
        fail_msg("docs/RESULTS.md has no `%s` before `%s`", from, to);
    char *text = cop_arena_strdup(arena, a);
    text[b - a] = '\0';
    return text;
}

/* `mean` after latency_ns.count as `.mean`: the last part that begins so is replaced. */
static const char *expand(const char *before, const char *text, cop_arena *arena)
{
    const char *last = strchr("._/", text[0]) ? strrchr(before, text[0]) : NULL;
    if (strchr("._/", text[0]) && last == NULL)
        fail_msg("docs/RESULTS.md: `%s` continues nothing", text);
    return last ? cop_arena_printf(arena, "%.*s%s", (int)(last - before), before, text) : text;
}

/* Names between backticks, up to `end`. */
static void read_names(names *l, const char *text, const char *end)
{
    const char *before = "";
    for (const char *a = strchr(text, '`'); a && a < end; a = strchr(a, '`')) {
        const char *b = strchr(a + 1, '`');
        before =
            expand(before, cop_arena_printf(&l->arena, "%.*s", (int)(b - a - 1), a + 1), &l->arena);
        add(l, before);
        a = b + 1;
    }
}

/* The first column of all tables in the text; with `key`, the second one of the row that has it. */
static void read_tables(names *l, const char *text, const char *key)
{
    for (const char *row = strstr(text, "\n| `"); row; row = strstr(row + 1, "\n| `")) {
        const char *first = row + 3, *second = strstr(first, " | "), *end = strchr(first, '\n');
        if (key == NULL)
            read_names(l, first, second);
        else if (strncmp(first + 1, key, strlen(key)) == 0 && first[1 + strlen(key)] == '`')
            read_names(l, second, end);
    }
}

/* Words in capitals stand for anything: ENTRY, PORT, SRC. */
static bool fits(const char *pattern, const char *name)
{
    if (isupper((unsigned char)pattern[0])) {
        while (isupper((unsigned char)*pattern))
            pattern++;
        for (; *name; name++)
            if (fits(pattern, name + 1))
                return true;
        return false;
    }
    return *pattern == *name && (*pattern == '\0' || fits(pattern + 1, name + 1));
}

static void same(const char *what, const names *documented, const names *found)
{
    for (size_t i = 0; i < documented->n; i++) {
        bool there = false;
        for (size_t k = 0; k < found->n && !there; k++)
            there = fits(documented->v[i], found->v[k]);
        if (!there)
            fail_msg("docs/RESULTS.md names `%s`, %s has none", documented->v[i], what);
    }
    for (size_t k = 0; k < found->n; k++) {
        bool there = false;
        for (size_t i = 0; i < documented->n && !there; i++)
            there = fits(documented->v[i], found->v[k]);
        if (!there)
            fail_msg("%s has `%s`, docs/RESULTS.md does not name it", what, found->v[k]);
    }
}

/* -- the runs -- */

#define HOT                                                                                        \
    "topology: {kind: single, hosts: 6}\n"                                                         \
    "traffic:\n"                                                                                   \
    "  - {name: hot, from: [0-3], pattern: fixed, to: 5}\n"                                        \
    "  - {name: calm, from: [4], pattern: uniform, arrival: poisson, load: 90 %, patience: 1 "     \
    "us}\n"

#define TORUS(route, cc)                                                                           \
    "units: {flit: 4 B, cycle: 1 ns}\n"                                                            \
    "run: {duration: 6000 cycles}\n"                                                               \
    "topology: {kind: torus, radix: [4, 4]}\n"                                                     \
    "routing: {kind: " route "}\n"                                                                 \
    "link: {rate: 1 flit/cycle, delay: 1 cycle}\n"                                                 \
    "switch: {pipeline: 2 cycles, buffer: 64 flits, lanes: 3}\n"                                   \
    "queueing: {kind: 1q}\n"                                                                       \
    "nic: {mtu: 16 flits}\n"                                                                       \
    "cc: {kind: " cc "}\n"                                                                         \
    "traffic: [{pattern: uniform, arrival: bernoulli, load: 100 %, message: 16 flits}]\n"

static const char *const runs[] = {
    "run: {duration: 300 us, trees: yes}\ncc: {kind: ibcc, threshold: 15}\n" HOT,
    "run: {duration: 300 us}\nqueueing: {kind: fbicm}\nswitch: {architecture: iq}\n"
    "cc: {kind: ccfit}\n" HOT,
    "run: {duration: 300 us}\ntopology: {kind: single, hosts: 6}\n"
    "traffic:\n"
    "  - {name: ring, exchange: natural-ring}\n"
    "  - {name: trees, pattern: forest, hotspots: 1}\n",
    "run: {duration: 80 us, births: generation, observe: notices/all}\n"
    "topology: {kind: dragonfly, p: 2, a: 4, h: 2}\n"
    "link: {rate: 40 Gbit/s, delay: 40 ns}\n"
    "routing: {kind: qcn-switch, packets: 10}\n"
    "cc: {kind: qcn, react: no, w: 0, every: 5}\n"
    "switch: {architecture: cioq, speedup: 2, buffer: 12 kB, output_buffer: 12 kB, lanes: 6}\n"
    "nic: {mtu: 1000 B, control_vl: 4}\n"
    "traffic: [{pattern: group-adversarial, group_size: 8, offset: 1, load: 90 %, "
    "arrival: poisson}]\n",
    "run: {duration: 300 us}\ntopology: {kind: single, hosts: 6}\n"
    "traffic: [{name: job, collective: all-reduce-ring, message: 60 kB}]\n",
    TORUS("true-adaptive, timeout: 300 cycles", "fern-1, notify: instant"),
    TORUS("adaptive-cube", "alo"),
    TORUS("adaptive-cube", "smai"),
    TORUS("adaptive-cube", "self-tuned"),
};

static void add_json(names *main, names *extra, json_t *j)
{
    const char *key, *inner;
    json_t *v, *w;
    json_object_foreach(j, key, v)
    {
        if (strcmp(key, "scalars") != 0 && json_is_object(v)) {
            json_object_foreach(v, inner, w)
                add(main, cop_arena_printf(&main->arena, "%s.%s", key, inner));
            continue;
        }
        add(main, key);
        if (strcmp(key, "scalars") == 0)
            json_object_foreach(v, inner, w) add(extra, inner);
    }
}

static void add_items(names *l, const json_t *j, const char *list)
{
    const char *key;
    json_t *v;
    json_object_foreach(json_array_get(json_object_get(j, list), 0), key, v) add(l, key);
}

static void test_names(void **state)
{
    const char *doc = *state;
    names scalars = {0}, extras = {0}, keys = {0}; /* of the document */
    names json = {0}, json_extras = {0}, stored = {0};
    static const char *const lists[] = {"streams", "nodes", "series"};
    names item[COP_LEN(lists)] = {{.n = 0}}, said[COP_LEN(lists)] = {{.n = 0}};
    cop_arena a = {0};
    read_tables(&scalars, part(doc, "### scalar", "The parts of the network add", &a), NULL);
    read_tables(&extras, part(doc, "The parts of the network add", "### The others", &a), NULL);
    const char *about_json = part(doc, "## JSON", "## Views", &a);
    read_tables(&keys, about_json, NULL);
    assert_true(scalars.n > 20 && extras.n > 30 && keys.n > 8);
    for (size_t i = 0; i < COP_LEN(runs); i++) {
        prog_empty_folder();
        prog_write("run.yaml", runs[i]);
        prog_answer p = PROG_RUN("run", "run.yaml", "--quiet", "--json", "--db", "r.db");
        PROG_EXPECT(p.status == 0, p, "run %zu", i);
        json_t *j = json_loads(p.out, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(j);
        add_json(&json, &json_extras, j);
        for (size_t k = 0; k < COP_LEN(lists); k++)
            add_items(&item[k], j, lists[k]);
        json_decref(j);
        char *all = cop_arena_strdup(
            &a, prog_ask("r.db", "SELECT group_concat(name, char(10)) FROM scalar"));
        for (char *name = strtok(all, "\n"); name; name = strtok(NULL, "\n"))
            add(&stored, name);
    }
    for (size_t i = 0; i < scalars.n; i++)
        add(&keys, scalars.v[i]);
    same("--json", &keys, &json);
    same("`scalars` of --json", &extras, &json_extras);
    for (size_t i = 0; i < extras.n; i++)
        add(&scalars, extras.v[i]);
    same("the table `scalar`", &scalars, &stored);
    for (size_t k = 0; k < COP_LEN(lists); k++) {
        read_tables(&said[k], about_json, lists[k]);
        same(lists[k], &said[k], &item[k]);
        cop_arena_free(&said[k].arena);
        cop_arena_free(&item[k].arena);
    }
    names *const used[] = {&scalars, &extras, &keys, &json, &json_extras, &stored};
    for (size_t i = 0; i < COP_LEN(used); i++)
        cop_arena_free(&used[i]->arena);
    cop_arena_free(&a);
}

/* Read while we are still at the top of the source tree. */
static int enter(void **state)
{
    FILE *f = fopen("docs/RESULTS.md", "r");
    if (f == NULL)
        fail_msg("docs/RESULTS.md cannot be read; run the tests from the top folder");
    char *doc = cop_alloc(1 << 20);
    doc[fread(doc, 1, (1 << 20) - 1, f)] = '\0';
    fclose(f);
    int rc = prog_enter(state);
    *state = doc;
    return rc;
}

static int leave(void **state)
{
    cop_free(*state);
    return prog_leave(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests_name("names", tests, enter, leave);
}
