/* No memory at any point of a run through the library: the linker puts these functions between
 * base/mem.c and the C library (see the Makefile), and the n-th allocation fails, for every n. The
 * call must say so, nothing may leak, no file may stay open, and what follows must be as usual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <coppice.h>

#include <dirent.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_MEMORY "out of memory; use a smaller network or a machine with more memory"

static long countdown; /* allocations until one fails; 0: none does */
static bool for_good; /* then all later ones fail too */
static long live; /* blocks taken and not given back */

static bool fails(void)
{
    if (countdown < 0)
        return true;
    if (countdown == 0 || --countdown > 0)
        return false;
    countdown = for_good ? -1 : 0;
    return true;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void __wrap_free(void *p);

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    assert_non_null(p);
    return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

/* -- what a program does with the library -- */

typedef struct story {
    const char *file; /* or the text below */
    const char *text;
    const char *set[4];
    long most; /* allocations to fail one by one; beyond that every fiftieth part */
} story;

static const story stories[] = {
    {.text = "run: {duration: 4 us, warmup: 1 us, flows: yes}\n"
             "topology: {kind: chain, hosts: [2, 2]}\n"
             "traffic:\n"
             "  - {name: F1, from: [0, 1], pattern: fixed, to: 3}\n"
             "  - {name: F2, from: [2], arrival: poisson, load: 30 %}\n",
     .set = {"traffic.F1.from=[0]", "switch.buffer=8 KiB"},
     .most = 100000},
    {.file = "tests/golden/26-file-table.yaml", .set = {"run.duration=2 us"}, .most = 400},
    {.file = "tests/golden/40-fbicm.yaml",
     .set = {"run.duration=2 us", "run.warmup=0"},
     .most = 60},
    {.file = "tests/golden/30-ibcc-fat-tree.yaml", .set = {"run.duration=2 us", "run.warmup=0"}},
    {.file = "tests/golden/36-exchange-pairs.yaml", .set = {"run.duration=5 us", "run.warmup=0"}},
    {.file = "tests/golden/20-dragonfly-min.yaml", .set = {"run.duration=2 us", "run.warmup=0"}},
    {.file = "tests/golden/10-cioq-speedup.yaml", .set = {"run.duration=2 us", "run.warmup=0"}},
};

static size_t open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;
    while (d != NULL && readdir(d) != NULL)
        n++;
    if (d != NULL)
        closedir(d);
    return n;
}

static void assert_no_memory(const coppice_config *c)
{
    assert_int_equal(coppice_fault(c), COPPICE_NO_MEMORY);
    assert_string_equal(coppice_error(c), NO_MEMORY);
    assert_null(coppice_text(c));
}

/* Check, run and store. The hash; 0 if it could not be done, and then why is asserted. */
static uint64_t tell(const story *s, const char *db)
{
    uint64_t hash = 0;
    coppice_result *r = NULL;
    coppice_config *c = s->file ? coppice_open(s->file) : coppice_open_text("story.yaml", s->text);
    if (c == NULL)
        return 0;
    bool good = true;
    for (size_t i = 0; i < 4 && s->set[i] != NULL; i++)
        good = coppice_set(c, s->set[i]) == 0 && good;
    good = coppice_check(c) == 0 && good;
    if (!good)
        assert_no_memory(c);
    if (good) {
        r = coppice_run(c);
        if (r == NULL)
            assert_no_memory(c);
    }
    if (r != NULL && db != NULL && coppice_store(r, db) < 0) {
        assert_int_equal(coppice_store_fault(r), COPPICE_NO_MEMORY);
        assert_string_equal(coppice_store_error(r), NO_MEMORY);
    } else if (r != NULL) {
        hash = coppice_hash(r);
    }
    coppice_close(c);
    coppice_free(r);
    return hash;
}

static char db[64];

static void remove_db(void)
{
    char path[80];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s%s", db, (const char *[]){"", "-wal", "-shm"}[i]);
        (void)unlink(path);
    }
}

static void fail_everywhere(const story *s)
{
    uint64_t normal = tell(s, db), failed = 0;
    long before = live;
    size_t files = open_files();
    assert_true(normal != 0);
    for (long n = 1;; n += n < s->most ? 1 : 1 + n / 50) {
        countdown = n;
        uint64_t hash = tell(s, db);
        bool reached = countdown <= 0;
        countdown = 0;
        if (live != before || open_files() != files)
            fail_msg("allocation %ld: %ld blocks and %zu files are left over", n, live - before,
                     open_files() - files);
        if (!reached) {
            assert_true(hash == normal);
            break;
        }
        assert_int_equal(hash, 0);
        failed++;
    }
    assert_true(tell(s, db) == normal);
    assert_true(failed > 20);
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    for_good = false;
    for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++)
        fail_everywhere(&stories[i]);
    remove_db();
}

static void all_allocations_fail_from_some_point_on(void **state)
{
    (void)state;
    for_good = true;
    fail_everywhere(&stories[0]);
    remove_db();
}

/* A set that was lost must not lead to a run without it. */
static void a_lost_option_is_not_forgotten(void **state)
{
    (void)state;
    for_good = false;
    coppice_config *c = coppice_open_text("story.yaml", stories[0].text);
    countdown = 1;
    assert_int_equal(coppice_set(c, "run.seed=2"), -1);
    countdown = 0;
    assert_no_memory(c);
    assert_null(coppice_run(c));
    assert_no_memory(c);
    assert_int_equal(coppice_check(c), -1);
    coppice_close(c);
}

/* -- SQLite's own memory -- */

static sqlite3_mem_methods usual;
static long sqlite_countdown;

static bool sqlite_fails(void)
{
    return sqlite_countdown > 0 && --sqlite_countdown == 0;
}

static void *sqlite_malloc(int bytes)
{
    return sqlite_fails() ? NULL : usual.xMalloc(bytes);
}

static void *sqlite_realloc(void *p, int bytes)
{
    return sqlite_fails() ? NULL : usual.xRealloc(p, bytes);
}

static void sqlite_without_memory_is_a_fault(void **state)
{
    (void)state;
    coppice_config *c = coppice_open_text("story.yaml", stories[0].text);
    coppice_result *r = coppice_run(c);
    assert_non_null(r);
    assert_int_equal(coppice_store(r, db), 1);
    sqlite3_int64 before = sqlite3_memory_used();
    size_t files = open_files();
    int64_t stored = 1, refused = 0;
    for (long n = 1;; n += 1 + n / 60) {
        sqlite_countdown = n;
        int64_t id = coppice_store(r, db);
        bool reached = sqlite_countdown == 0;
        sqlite_countdown = 0;
        if (id > 0) { /* SQLite can do without some of it */
            assert_int_equal(id, ++stored);
        } else {
            assert_int_equal(coppice_store_fault(r), COPPICE_NO_MEMORY);
            assert_string_equal(coppice_store_error(r), NO_MEMORY);
            refused++;
        }
        assert_int_equal(open_files(), files);
        assert_int_equal(sqlite3_memory_used(), before);
        if (!reached)
            break;
    }
    assert_true(refused > 20);
    assert_int_equal(coppice_store(r, db), stored + 1);
    coppice_free(r);
    coppice_close(c);
    remove_db();
}

/* -- libyaml's own memory -- */

#ifndef __SANITIZE_ADDRESS__ /* which has a malloc of its own */
static long malloc_countdown; /* our objects call calloc, so this is libyaml, and stdio */

void *__libc_malloc(size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return malloc_countdown > 0 && --malloc_countdown == 0 ? NULL : __libc_malloc(size);
}

static const char anchored[] = "run: {duration: 4 us}\n"
                               "topology: &t {kind: chain, hosts: &n [2, 2]}\n"
                               "traffic: [&f {name: F1, pattern: fixed, to: 3}]\n";

/* What is wrong with a check whose n-th malloc fails; *reached: it came so far. */
static enum coppice_fault check_without(long n, bool *reached)
{
    coppice_config *c = coppice_open_text("story.yaml", anchored);
    assert_int_equal(coppice_set(c, "traffic.F1.from=[0, \"1\"]"), 0);
    malloc_countdown = n;
    int rc = coppice_check(c);
    *reached = malloc_countdown == 0;
    malloc_countdown = 0;
    enum coppice_fault fault = coppice_fault(c);
    assert_int_equal(rc, fault == COPPICE_NO_FAULT ? 0 : -1);
    coppice_close(c);
    return fault;
}

static void libyaml_without_memory_is_a_fault(void **state)
{
    (void)state;
    bool reached = true;
    assert_int_equal(check_without(0, &reached), COPPICE_NO_FAULT);
    long refused = 0;
    reached = true;
    for (long n = 1; reached; n++) {
        size_t before = mallinfo2().uordblks;
        enum coppice_fault fault = check_without(n, &reached);
        if (reached && fault != COPPICE_NO_MEMORY)
            fail_msg("malloc %ld: fault %d", n, (int)fault);
        refused += reached;
        if (mallinfo2().uordblks > before + 100)
            fail_msg("malloc %ld: %zu bytes are left over", n, mallinfo2().uordblks - before);
    }
    assert_true(refused > 100);
}
#endif

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
    sqlite3_mem_methods ours = usual;
    ours.xMalloc = sqlite_malloc;
    ours.xRealloc = sqlite_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
    snprintf(db, sizeof(db), "/tmp/coppice-oom-%ld.db", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(all_allocations_fail_from_some_point_on),
        cmocka_unit_test(a_lost_option_is_not_forgotten),
        cmocka_unit_test(sqlite_without_memory_is_a_fault),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(libyaml_without_memory_is_a_fault),
#endif
    };
    return cmocka_run_group_tests_name("oom", tests, NULL, NULL);
}
