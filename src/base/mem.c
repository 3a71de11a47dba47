#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Chunks double from the first to the last size: most arenas stay small, and thousands are made. */
#define FIRST_CHUNK_BYTES ((size_t)1 << 14)
#define CHUNK_BYTES ((size_t)1 << 20)
#define LINE ((size_t)64)
#define ASK_BYTES ((size_t)1 << 30)

struct cop_chunk {
    cop_chunk *next;
    char *base;
};

static _Noreturn void out_of_memory(void)
{
    fputs("coppice: out of memory; use a smaller network or a machine with more memory\n", stderr);
    exit(2);
}

static size_t product(size_t a, size_t b)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        out_of_memory();
    return r;
}

/* Systems promise more memory than they have and kill whoever uses it. A block that is larger than
 * the machine can only end so; smaller ones are not worth the question. */
static bool is_absurd(size_t bytes)
{
    if (bytes < ASK_BYTES)
        return false;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 && bytes / (size_t)page >= (size_t)pages;
}

static void *must(void *p)
{
    if (p == NULL)
        out_of_memory();
    return p;
}

void *cop_alloc(size_t bytes)
{
    return must(is_absurd(bytes) ? NULL : calloc(1, bytes ? bytes : 1));
}

void *cop_realloc(void *p, size_t bytes)
{
    return must(is_absurd(bytes) ? NULL : realloc(p, bytes ? bytes : 1));
}

void *cop_alloc_array(size_t n, size_t size)
{
    return cop_alloc(product(n, size));
}

void *cop_realloc_array(void *p, size_t n, size_t size)
{
    return cop_realloc(p, product(n, size));
}

void cop_free(void *p)
{
    free(p);
}

void *cop_grow(void *items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (need <= *capacity)
        return items;
    size_t cap = *capacity ? *capacity : 8;
    while (cap < need)
        cap = product(cap, 2);
    items = cop_realloc_array(items, cap, item_bytes);
    *capacity = cap;
    return items;
}

static void arena_add_chunk(cop_arena *a, size_t bytes)
{
    cop_chunk *c = cop_alloc(sizeof(*c));
    size_t usual = a->size == 0 ? FIRST_CHUNK_BYTES : 2 * a->size;
    usual = usual > CHUNK_BYTES ? CHUNK_BYTES : usual;
    size_t size = bytes > usual ? product(bytes / LINE + (bytes % LINE != 0), LINE) : usual;
    c->base = must(is_absurd(size) ? NULL : aligned_alloc(LINE, size));
    /* Large arrays are walked at random: fewer TLB misses with huge pages. A hint, may fail. */
    if (size >= ((size_t)4 << 20))
        (void)madvise(c->base, size, MADV_HUGEPAGE);
    memset(c->base, 0, size);
    c->next = a->chunks;
    a->chunks = c;
    a->used = 0;
    a->size = size;
}

void *cop_arena_alloc(cop_arena *a, size_t bytes)
{
    size_t align = bytes >= LINE ? LINE : 16;
    size_t at = (a->used + align - 1) / align * align;
    if (a->chunks == NULL || at > a->size || bytes > a->size - at) {
        arena_add_chunk(a, bytes);
        at = 0;
    }
    a->used = at + bytes;
    a->total += bytes;
    return a->chunks->base + at;
}

void *cop_arena_array(cop_arena *a, size_t n, size_t size)
{
    return cop_arena_alloc(a, product(n, size));
}

char *cop_arena_strdup(cop_arena *a, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(cop_arena_alloc(a, n), text, n);
}

char *cop_arena_printf(cop_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    char none[1];
    int n = vsnprintf(none, sizeof(none), fmt, ap);
    va_end(ap);
    COP_CHECK(n >= 0);
    char *text = cop_arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void cop_arena_free(cop_arena *a)
{
    for (cop_chunk *c = a->chunks; c != NULL;) {
        cop_chunk *next = c->next;
        free(c->base);
        free(c);
        c = next;
    }
    *a = (cop_arena){0};
}
