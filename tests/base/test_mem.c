/* Memory: sizes that do not fit, and what happens when there is none left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HALF (SIZE_MAX / 2 + 1) /* times 2 is 0 in a size_t */

static void wrap_alloc(void)
{
    cop_alloc_array(HALF, 2);
}

static void wrap_alloc_to_small(void)
{
    cop_alloc_array(HALF + 8, 2); /* 16 bytes, were it to wrap */
}

/* What a child has when it ends is not lost, for those who look for leaks. */
static cop_arena a;
static void *volatile kept;

static void wrap_realloc(void)
{
    kept = cop_alloc(8);
    cop_realloc_array(kept, HALF, 2);
}

static void wrap_arena(void)
{
    COP_NEW_ARRAY(&a, uint64_t, SIZE_MAX / 8 + 1);
}

static void wrap_arena_sum(void)
{
    cop_arena_alloc(&a, 16);
    cop_arena_alloc(&a, SIZE_MAX - 8); /* with what is used already: less than a chunk */
}

static void wrap_arena_rounding(void)
{
    cop_arena_alloc(&a, SIZE_MAX - 62); /* the next multiple of 64 is 0 */
}

static void wrap_negative(void)
{
    int64_t rows = -1;
    COP_NEW_ARRAY(&a, uint64_t, rows);
}

static void wrap_grow_product(void)
{
    size_t capacity = 0;
    cop_grow(NULL, &capacity, SIZE_MAX / 8, 16);
}

static void wrap_grow_doubling(void)
{
    size_t capacity = 0;
    cop_grow(NULL, &capacity, SIZE_MAX, 1); /* no power of two is as large */
}

/* More than the machine has: systems that promise it all the same kill who uses it. */
static void ask_for_too_much(void)
{
    cop_arena_alloc(&a, (size_t)1 << 46);
}

static void ask_heap_for_too_much(void)
{
    cop_alloc((size_t)1 << 46);
}

/* Run fn in a child; what it said on standard error, and its status. */
static int in_child(void (*fn)(void), char *said, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        fn();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while (used + 1 < size && (got = read(ends[0], said + used, size - 1 - used)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void sizes_that_do_not_fit_end_the_process(void **state)
{
    (void)state;
    void (*const all[])(void) = {wrap_alloc,       wrap_alloc_to_small,  wrap_realloc,
                                 wrap_arena,       wrap_arena_sum,       wrap_arena_rounding,
                                 wrap_negative,    wrap_grow_product,    wrap_grow_doubling,
                                 ask_for_too_much, ask_heap_for_too_much};
    for (size_t i = 0; i < COP_LEN(all); i++) {
        char said[400];
        int status = in_child(all[i], said, sizeof(said));
        if (status != 2)
            fail_msg("case %zu ended with %d", i, status);
        assert_string_equal(
            said, "coppice: out of memory; use a smaller network or a machine with more memory\n");
    }
}

/* -- guards -- */

typedef struct scene {
    char *before, *kept; /* made before the guard; made under it */
    cop_arena arena;
    cop_deferred open[3];
    char closed[8]; /* which were closed, in order */
    bool inner;
} scene;

static scene *stage; /* what the closing functions write to */

static void close_a(void *arg)
{
    strcat(stage->closed, arg);
}

static void fill(scene *s)
{
    s->before = cop_realloc(s->before, 1 << 20); /* moves, and stays outside */
    s->kept = cop_alloc(100);
    cop_free(cop_alloc(50));
    s->kept = cop_realloc(s->kept, 1 << 20); /* moves, and stays inside */
    strcpy(s->kept, "kept");
    for (int i = 0; i < 100; i++)
        cop_arena_alloc(&s->arena, 5000);
    cop_free(cop_alloc(60));
    cop_mem_defer(&s->open[0], close_a, "a");
    cop_mem_defer(&s->open[1], close_a, "b");
    cop_mem_defer(&s->open[2], close_a, "c");
    cop_mem_forget(&s->open[1]);
}

static void goes_well(void *ctx)
{
    scene *s = ctx;
    fill(s);
    cop_mem_forget(&s->open[0]);
    cop_mem_forget(&s->open[2]);
}

static void runs_out(void *ctx)
{
    scene *s = ctx;
    fill(s);
    cop_alloc_array(HALF, 2);
}

static void nests(void *ctx)
{
    scene *s = ctx;
    char *own = cop_alloc(10);
    s->inner = cop_mem_guard(runs_out, s);
    s->arena = (cop_arena){0};
    strcpy(own, "still"); /* the inner guard released only its own */
    cop_free(own);
    cop_out_of_memory();
}

/* ASan sees to it that nothing leaks and nothing is freed twice. */
static void a_guard_keeps_or_releases_all(void **state)
{
    (void)state;
    scene s = {.before = cop_alloc(8)};
    stage = &s;
    strcpy(s.before, "before");
    assert_true(cop_mem_guard(goes_well, &s));
    assert_string_equal(s.closed, "");
    assert_string_equal(s.kept, "kept");
    cop_free(s.kept);
    cop_arena_free(&s.arena);
    assert_false(cop_mem_guard(runs_out, &s));
    assert_string_equal(s.closed, "ca"); /* newest first, without what was taken back */
    assert_string_equal(s.before, "before");
    s.arena = (cop_arena){0};
    s.inner = true;
    assert_false(cop_mem_guard(nests, &s));
    assert_false(s.inner);
    assert_string_equal(s.closed, "caca");
    cop_free(s.before);
    /* Without a guard nothing is noted. */
    cop_mem_defer(&s.open[0], close_a, "x");
    cop_mem_forget(&s.open[0]);
    assert_string_equal(s.closed, "caca");
}

static void *free_it(void *p)
{
    cop_free(p);
    return NULL;
}

static void make_in_guard(void *ctx)
{
    char **p = ctx;
    *p = cop_alloc(100);
    cop_free(cop_alloc(1));
}

/* Memory of a guard has no owner when it has ended, also in a thread with its own guard. */
static void other_threads_may_free(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        char *p = NULL;
        pthread_t thread;
        assert_true(cop_mem_guard(make_in_guard, &p));
        assert_int_equal(pthread_create(&thread, NULL, free_it, p), 0);
        pthread_join(thread, NULL);
    }
}

/* Blocks of 1 KiB and more begin with a cache line, however they came to be as large; what is in them stays as sizes
 * change, up and down, past that size and back. */
static void larger_blocks_begin_with_a_line(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, 1023, 1024, 700, 5000, 1024, 16, 3u << 20, 4096, 9u << 20, 1};
    unsigned char *block[24], *first = cop_alloc(sizes[0]);
    memset(first, 0x5a, sizes[0]);
    for (size_t i = 0; i < COP_LEN(block);
         i++) { /* so that they do not all come from the same place */
        block[i] = cop_alloc(1000 + 16 * i);
        assert_true(1000 + 16 * i < 1024 || (uintptr_t)block[i] % 64 == 0);
        for (size_t k = 0; k < 1000 + 16 * i; k++)
            assert_int_equal(block[i][k], 0);
    }
    for (size_t i = 1; i < COP_LEN(sizes); i++) {
        first = cop_realloc(first, sizes[i]);
        assert_true(sizes[i] < 1024 || (uintptr_t)first % 64 == 0);
        size_t same = sizes[i] < sizes[i - 1] ? sizes[i] : sizes[i - 1];
        for (size_t k = 0; k < same; k++)
            assert_int_equal(first[k], 0x5a);
        memset(first, 0x5a, sizes[i]);
        cop_free(block[i]);
    }
    cop_free(first);
    cop_free(block[0]);
    for (size_t i = COP_LEN(sizes); i < COP_LEN(block); i++)
        cop_free(block[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_do_not_fit_end_the_process),
        cmocka_unit_test(a_guard_keeps_or_releases_all),
        cmocka_unit_test(other_threads_may_free),
        cmocka_unit_test(larger_blocks_begin_with_a_line),
    };
    return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
