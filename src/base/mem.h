/* Memory: the only file that calls malloc. Two shapes:
 *   arena  - grows by chunks, freed as a whole: configuration, topology, the built network;
 *   vec    - one growable array, for what is counted only at run time.
 * Running out of memory ends the process with one clear line (a simulation cannot go on). */
#ifndef COP_MEM_H
#define COP_MEM_H

#include "base/base.h"

typedef struct cop_chunk cop_chunk;
typedef struct cop_arena {
    cop_chunk *chunks; /* newest first; owned */
    size_t used, size; /* of the newest chunk */
    size_t total; /* bytes handed out */
} cop_arena;

/* Zeroed memory, aligned to 64 bytes when at least that large, else to 16. Never NULL. */
void *cop_arena_alloc(cop_arena *a, size_t bytes);
char *cop_arena_strdup(cop_arena *a, const char *text);
char *cop_arena_printf(cop_arena *a, const char *fmt, ...) COP_PRINTF(2, 3);
void cop_arena_free(cop_arena *a);
#define COP_NEW_ARRAY(arena, type, n) ((type *)cop_arena_array((arena), (size_t)(n), sizeof(type)))

/* Heap memory outside an arena. Never NULL (0 bytes give a valid pointer). */
void *cop_alloc(size_t bytes); /* zeroed */
void *cop_realloc(void *p, size_t bytes);
void cop_free(void *p);

/* The same for n items of `size` bytes. Every size that is a product goes through these: one that
 * does not fit in a size_t is as bad as no memory, and never wraps round to a small block. */
void *cop_alloc_array(size_t n, size_t size); /* zeroed */
void *cop_realloc_array(void *p, size_t n, size_t size);
void *cop_arena_array(cop_arena *a, size_t n, size_t size);

/* Make room for at least `need` elements in a growable array; doubles. */
void *cop_grow(void *items, size_t *capacity, size_t need, size_t item_bytes);

#endif
