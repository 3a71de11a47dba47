/* Blocks and guards.
 *
 * Every block has a header that links it into the guard it was made under; without a guard, and
 * once a guard has ended well, it is in no list and any thread may free it. When memory runs out
 * under a guard, the blocks of its list are released. An older block stays outside, also when it is
 * made larger. The data of all but small blocks begin at a cache line, so that items of the size of
 * a line each occupy one. */
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Chunks double from the first to the last size: most arenas stay small, and thousands are made. */
#define FIRST_CHUNK_BYTES ((size_t)1 << 14)
#define CHUNK_BYTES ((size_t)1 << 23)
#define CLEAN_BYTES ((size_t)1 << 13) /* zeroed ahead of what is used */
#define LINE ((size_t)64)
#define HUGE_PAGE ((size_t)2 << 20) /* the usual size */
#define ASK_BYTES ((size_t)1 << 30)
#define SMALL_BYTES ((size_t)1 << 10) /* smaller blocks are not aligned to a line */

typedef struct block { /* right before its data */
    _Alignas(16) struct block *next;
    struct block **at; /* what points here; NULL: in no list */
    size_t bytes; /* of data */
    size_t lead; /* from what malloc gave to the data */
} block;

struct cop_chunk {
    block head; /* first: a chunk is a block */
    cop_chunk *next;
};

typedef struct guard {
    jmp_buf back;
    struct guard *outer;
    block *blocks;
    cop_deferred *deferred; /* newest first */
} guard;

/* The one global that changes. Whether a failed allocation may return depends on the library call
 * that runs in this thread; as an argument it would be in every function that allocates. It decides
 * only where a failure goes. */
static _Thread_local guard *current;

/* What malloc gave. */
static void *raw_of(block *b)
{
    return (char *)(b + 1) - b->lead;
}

static void link_block(block *b)
{
    if (current == NULL)
        return;
    b->next = current->blocks;
    b->at = &current->blocks;
    if (b->next != NULL)
        b->next->at = &b->next;
    current->blocks = b;
}

static void unlink_block(block *b)
{
    if (b->at == NULL)
        return;
    *b->at = b->next;
    if (b->next != NULL)
        b->next->at = b->at;
}

void cop_mem_defer(cop_deferred *d, void (*close)(void *arg), void *arg)
{
    *d = (cop_deferred){.close = close, .arg = arg};
    if (current == NULL)
        return;
    d->next = current->deferred;
    d->at = &current->deferred;
    if (d->next != NULL)
        d->next->at = &d->next;
    current->deferred = d;
}

void cop_mem_forget(cop_deferred *d)
{
    if (d->at == NULL)
        return;
    *d->at = d->next;
    if (d->next != NULL)
        d->next->at = d->at;
    d->at = NULL;
}

_Noreturn void cop_out_of_memory(void)
{
    guard *g = current;
    if (g == NULL) {
        fputs("coppice: " COP_NO_MEMORY "\n", stderr);
        exit(2);
    }
    while (g->deferred != NULL) {
        cop_deferred *d = g->deferred;
        cop_mem_forget(d);
        d->close(d->arg);
    }
    while (g->blocks != NULL) {
        block *b = g->blocks;
        g->blocks = b->next;
        free(raw_of(b));
    }
    current = g->outer;
    longjmp(g->back, 1);
}

bool cop_mem_guard(void (*work)(void *ctx), void *ctx)
{
    guard g = {.outer = current};
    if (setjmp(g.back) != 0)
        return false;
    current = &g;
    work(ctx);
    COP_CHECK(g.deferred == NULL);
    for (block *b = g.blocks; b != NULL; b = b->next)
        b->at = NULL;
    current = g.outer;
    return true;
}

size_t cop_product(size_t a, size_t b)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        cop_out_of_memory();
    return r;
}

static size_t sum(size_t a, size_t b)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r))
        cop_out_of_memory();
    return r;
}

size_t cop_machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
}

/* Systems promise more memory than they have and kill the process that uses it. A block that is
 * larger than the memory of the machine always ends so; smaller ones are not checked. */
static bool is_absurd(size_t bytes)
{
    return bytes >= ASK_BYTES && bytes >= cop_machine_bytes();
}

static void *must(void *p)
{
    if (p == NULL)
        cop_out_of_memory();
    return p;
}

/* How many bytes stand before the data in a block at `raw`. */
static size_t lead_in(const char *raw)
{
    uintptr_t end = (uintptr_t)raw + sizeof(block);
    return sizeof(block) + (LINE - end % LINE) % LINE;
}

/* The most bytes before the data. */
static size_t lead_of_size(size_t bytes)
{
    return sizeof(block) + (bytes < SMALL_BYTES ? 0 : LINE);
}

void *cop_alloc(size_t bytes)
{
    size_t size = sum(bytes, lead_of_size(bytes));
    char *raw = must(is_absurd(size) ? NULL : calloc(1, size));
    size_t lead = bytes < SMALL_BYTES ? sizeof(block) : lead_in(raw);
    block *b = (block *)(void *)(raw + lead) - 1;
    *b = (block){.bytes = bytes, .lead = lead};
    link_block(b);
    return b + 1;
}

void *cop_realloc(void *p, size_t bytes)
{
    if (p == NULL)
        return cop_alloc(bytes);
    block head = ((block *)p)[-1];
    size_t most = lead_of_size(bytes), size = sum(bytes, head.lead > most ? head.lead : most);
    char *raw = must(is_absurd(size) ? NULL : realloc((char *)p - head.lead, size));
    size_t lead = bytes < SMALL_BYTES ? head.lead : lead_in(raw);
    if (lead != head.lead)
        memmove(raw + lead, raw + head.lead, head.bytes < bytes ? head.bytes : bytes);
    block *b = (block *)(void *)(raw + lead) - 1;
    *b = head;
    b->bytes = bytes;
    b->lead = lead;
    if (b->at != NULL) { /* it may have moved */
        *b->at = b;
        if (b->next != NULL)
            b->next->at = &b->next;
    }
    return b + 1;
}

void cop_free(void *p)
{
    if (p == NULL)
        return;
    block *b = (block *)p - 1;
    unlink_block(b);
    free(raw_of(b));
}

void cop_free_foreign(void *p)
{
    free(p);
}

void *cop_alloc_foreign(size_t bytes)
{
    void *p = malloc(bytes);
    if (p == NULL)
        cop_out_of_memory();
    return p;
}

void *cop_alloc_array(size_t n, size_t size)
{
    return cop_alloc(cop_product(n, size));
}

void *cop_realloc_array(void *p, size_t n, size_t size)
{
    return cop_realloc(p, cop_product(n, size));
}

void *cop_grow(void *items, size_t *capacity, size_t need, size_t item_bytes)
{
    if (need <= *capacity)
        return items;
    size_t cap = *capacity ? *capacity : 8;
    while (cap < need)
        cap = cop_product(cap, 2);
    items = cop_realloc_array(items, cap, item_bytes);
    *capacity = cap;
    /* Large arrays are walked at random: fewer TLB misses with huge pages. A hint, may fail. */
    char *first = (char *)items + (HUGE_PAGE - (uintptr_t)items % HUGE_PAGE) % HUGE_PAGE;
    char *end = (char *)items + cap * item_bytes;
    if (end - first >= (ptrdiff_t)HUGE_PAGE)
        (void)madvise(first, (size_t)(end - first) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return items;
}

/* The header of a chunk takes a line, so that what follows is aligned to one. */
_Static_assert(sizeof(cop_chunk) <= LINE, "the header of a chunk fits in a line");

static char *base_of(cop_chunk *c)
{
    return (char *)c + LINE;
}

static void arena_add_chunk(cop_arena *a, size_t bytes)
{
    size_t usual = a->size == 0 ? FIRST_CHUNK_BYTES : 2 * a->size;
    usual = usual > CHUNK_BYTES ? CHUNK_BYTES : usual;
    size_t size = bytes > usual ? cop_product(bytes / LINE + (bytes % LINE != 0), LINE) : usual;
    bool large = size >= HUGE_PAGE;
    size_t whole = sum(size, LINE), page = large ? HUGE_PAGE : LINE;
    if (whole % page !=
        0) /* the C standard wants a multiple of the alignment; the added bytes stay unused */
        whole = sum(whole, page - whole % page);
    cop_chunk *c = must(is_absurd(whole) ? NULL : aligned_alloc(page, whole));
    if (large) /* as in cop_grow */
        (void)madvise(c, whole, MADV_HUGEPAGE);
    memset(c, 0, LINE);
    c->head.lead = sizeof(block);
    link_block(&c->head);
    c->next = a->chunks;
    a->chunks = c;
    a->used = a->clean = 0;
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
    if (a->used > a->clean) {
        size_t end = a->used + CLEAN_BYTES;
        end = end < a->used || end > a->size ? a->size : end;
        memset(base_of(a->chunks) + a->clean, 0, end - a->clean);
        a->clean = end;
    }
    a->total += bytes;
    return base_of(a->chunks) + at;
}

void *cop_arena_array(cop_arena *a, size_t n, size_t size)
{
    return cop_arena_alloc(a, cop_product(n, size));
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
        unlink_block(&c->head);
        free(c);
        c = next;
    }
    *a = (cop_arena){0};
}
