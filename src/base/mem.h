/* Memory: the only file that calls malloc. Two shapes:
 *   arena  - grows by chunks, freed as a whole: configuration, topology, the built network;
 *   vec    - one growable array, for numbers that are known only at run time.
 * Running out of memory ends the process with one clear line (a simulation cannot go on), unless a
 * guard is set: then everything made under it is released, and the guard's caller gets an error. */
#ifndef COP_MEM_H
#define COP_MEM_H

#include "base/base.h"

#define COP_NO_MEMORY "out of memory; use a smaller network or a machine with more memory"

typedef struct cop_chunk cop_chunk;
typedef struct cop_arena {
    cop_chunk *chunks; /* newest first; owned */
    size_t used, size; /* of the newest chunk */
    size_t clean; /* bytes that are zeroed: unused memory is never touched */
    size_t total; /* bytes handed out */
} cop_arena;

COP_OUTSIDE_BEGIN
/* Zeroed memory, aligned to 64 bytes when at least that large, else to 16. Never NULL. */
void *cop_arena_alloc(cop_arena *a, size_t bytes);
char *cop_arena_strdup(cop_arena *a, const char *text);
char *cop_arena_printf(cop_arena *a, const char *fmt, ...) COP_PRINTF(2, 3);
void cop_arena_free(cop_arena *a);
#define COP_NEW_ARRAY(arena, type, n) ((type *)cop_arena_array((arena), (size_t)(n), sizeof(type)))

/* Heap memory outside an arena, aligned as there if it has 1 KiB or more. Never NULL (0 bytes give
 * a valid pointer). */
void *cop_alloc(size_t bytes); /* zeroed */
void *cop_realloc(void *p, size_t bytes);
void cop_free(void *p); /* only what came from here */
/* Free memory that a library allocated: realpath, open_memstream, json_dumps. */
void cop_free_foreign(void *p);
/* Allocator for a library that cannot report lack of memory: the program ends with the usual
 * line. */
void *cop_alloc_foreign(size_t bytes);

/* The same for n items of `size` bytes. Every size that is a product goes through these: one that
 * does not fit in a size_t is treated as lack of memory, and never wraps to a small block. */
void *cop_alloc_array(size_t n, size_t size); /* zeroed */
void *cop_realloc_array(void *p, size_t n, size_t size);
void *cop_arena_array(cop_arena *a, size_t n, size_t size);

/* A number of items that is a product of two others; the same holds for it. */
size_t cop_product(size_t a, size_t b);
COP_OUTSIDE_END

/* Memory of the machine in bytes; SIZE_MAX if unknown. */
size_t cop_machine_bytes(void);

/* Make room for at least `need` elements in a growable array; doubles. */
void *cop_grow(void *items, size_t *capacity, size_t need, size_t item_bytes);

/* Call work(ctx). true: it returned, and what it made is as if no guard had been there. false:
 * there was no memory; it was left at that point, every block that it made and had not freed is
 * released, and what it deferred has been closed. So nothing that outlives a failure may point to
 * memory that `work` allocates, before it returns. Guards nest. */
bool cop_mem_guard(void (*work)(void *ctx), void *ctx);

/* A resource to close when a guard is left for lack of memory: a file, a parser, a database. Calls
 * close(arg), newest first. *d lives as long as the resource, and cop_mem_forget removes it when
 * the resource is closed as usual. Without a guard both do nothing. close must not allocate. */
typedef struct cop_deferred {
    struct cop_deferred *next, **at; /* at NULL: not deferred */
    void (*close)(void *arg);
    void *arg;
} cop_deferred;
void cop_mem_defer(cop_deferred *d, void (*close)(void *arg), void *arg);
void cop_mem_forget(cop_deferred *d);

/* For callers that find that a library had no memory. */
_Noreturn void cop_out_of_memory(void);

#endif
