/* Raw bytes of a file or of memory, and what they are when unpacked (gzip). Private to source.c. */
#ifndef COP_APP_BYTES_H
#define COP_APP_BYTES_H

#include "base/err.h"
#include "base/mem.h"

#include <stdio.h>

struct z_stream_s;

typedef struct cop_bytes {
    const char *name;
    FILE *file; /* NULL: from memory */
    const uint8_t *memory;
    size_t left; /* of memory */
    uint8_t *raw; /* heap: a piece of the file */
    size_t at, n; /* in raw */
    uint64_t before; /* bytes of the file in front of raw[0] */
    bool begun, zipped, member; /* member: one of the parts of a gzip file is being unpacked */
    bool bad; /* what comes next is damaged */
    struct z_stream_s *z; /* heap */
    cop_deferred open;
    cop_err *err;
} cop_bytes;

/* Open the file, or `len` bytes in memory if `memory` is not NULL. What goes wrong later is told to err. */
int cop_bytes_open(cop_bytes *b, const char *path, const void *memory, size_t len, cop_err *err);
void cop_bytes_close(cop_bytes *b);
/* Up to n bytes; 0: the end; -1: a fault, of which err has been told. */
int64_t cop_bytes_read(cop_bytes *b, void *to, size_t n);

#endif
