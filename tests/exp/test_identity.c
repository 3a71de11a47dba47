/* The number by which a run is found again: what changes it and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "exp/config.h"
#include "route/route_cfg.h"
#include "topo/topo_cfg.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Answers of the authors of FNV-1a, 64 bits. */
static void hash_known_answers(void **state)
{
    (void)state;
    assert_true(cop_hash_bytes(COP_HASH_START, "", 0) == 0xcbf29ce484222325u);
    assert_true(cop_hash_bytes(COP_HASH_START, "a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(cop_hash_bytes(COP_HASH_START, "foobar", 6) == 0x85944171f73967e8u);
    uint64_t pieces = cop_hash_bytes(COP_HASH_START, "foo", 3);
    assert_true(cop_hash_bytes(pieces, "bar", 3) == 0x85944171f73967e8u);
}

typedef struct place {
    char dir[64], net[96];
    cop_config c;
} place;

static void put(const char *path, const char *data, size_t len)
{
    cop_err err = {0};
    if (cop_file_write(path, data, len, &err) != 0)
        fail_msg("%s", err.text);
}

static int enter(void **state)
{
    place *p = cop_alloc(sizeof(*p));
    cop_err err = {0};
    strcpy(p->dir, "/tmp/cop_identity_XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->net, sizeof(p->net), "%s/f.net", p->dir);
    char file[96];
    snprintf(file, sizeof(file), "%s/run.yaml", p->dir);
    const char *text = "run: {seed: 7}\ntopology: {kind: file, path: f.net}\n"
                       "routing: {kind: table, path: f.lft}\n"
                       "traffic: [{from: [0], to: 1, pattern: fixed}]\n";
    if (cop_config_load(&p->c, file, text, NULL, 0, &err) != 0)
        fail_msg("%s", err.text);
    *state = p;
    return 0;
}

static int leave(void **state)
{
    place *p = *state;
    cop_config_free(&p->c);
    remove(p->net);
    int rc = rmdir(p->dir);
    cop_free(p);
    return rc;
}

/* Longer than a piece of the reader, with every byte there is. */
static void hash_of_a_file(void **state)
{
    const place *p = *state;
    static char data[200001];
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 7 + i / 256);
    put(p->net, data, sizeof(data));
    uint64_t hash = COP_HASH_START;
    assert_true(cop_hash_file(&hash, p->net));
    assert_true(hash == cop_hash_bytes(COP_HASH_START, data, sizeof(data)));
    assert_false(cop_hash_file(&hash, p->dir));
    assert_false(cop_hash_file(&hash, "no/such/file"));
}

static void hash_ignores_name_and_seed_only(void **state)
{
    cop_config *c = &((place *)*state)->c;
    uint64_t hash = cop_config_hash(c);
    c->run.seed = 99;
    c->name = "other";
    c->title = "another";
    assert_true(cop_config_hash(c) == hash);
    c->sw.buffer_bytes++;
    assert_true(cop_config_hash(c) != hash);
    c->sw.buffer_bytes--;
    c->traffic[0].to = "2";
    assert_true(cop_config_hash(c) != hash);
}

static void hash_looks_into_files(void **state)
{
    place *p = *state;
    uint64_t absent = cop_config_hash(&p->c);
    put(p->net, "one", 3);
    uint64_t one = cop_config_hash(&p->c);
    assert_true(one != absent);
    assert_true(cop_config_hash(&p->c) == one);
    put(p->net, "two", 3);
    uint64_t two = cop_config_hash(&p->c);
    assert_true(two != one && two != absent);
    put(p->net, "one", 3);
    assert_true(cop_config_hash(&p->c) == one);
    /* What is in one file does not count as what is in the other. */
    cop_file_cfg *net = p->c.topo_cfg;
    cop_table_cfg *table = p->c.route_cfg;
    const char *swapped = net->path;
    net->path = table->path;
    table->path = swapped;
    assert_true(cop_config_hash(&p->c) != one);
    /* The printed configuration has names, so that it can be run. */
    assert_non_null(strstr(cop_config_print(&p->c), "f.net"));
}

/* Hashing leaves to the run what only one can read. */
static void hash_does_not_empty_pipes(void **state)
{
    place *p = *state;
    assert_int_equal(mkfifo(p->net, 0600), 0);
    int fd = open(p->net, O_RDWR | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "text", 4), 4);
    uint64_t hash = cop_config_hash(&p->c);
    assert_true(cop_config_hash(&p->c) == hash);
    char left[8];
    assert_int_equal(read(fd, left, sizeof(left)), 4);
    close(fd);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_known_answers),      IN_PLACE(hash_of_a_file),
        IN_PLACE(hash_ignores_name_and_seed_only), IN_PLACE(hash_looks_into_files),
        IN_PLACE(hash_does_not_empty_pipes),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
