/* Bytes into the readers of traces, and what they must answer. */
#ifndef COP_READ_FIXTURE_H
#define COP_READ_FIXTURE_H

#include "app/read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline int read_it(cop_graph *g, const char *name, const void *bytes, size_t len,
                          cop_err *err)
{
    cop_read_cfg cfg;
    cop_read_notes notes;
    cop_read_defaults(&cfg);
    *err = (cop_err){0};
    return cop_read_bytes(g, name, bytes, len, &cfg, &notes, err);
}

static inline void refuse(const char *name, const void *bytes, size_t len, const char *what)
{
    cop_graph g;
    cop_err err;
    int rc = read_it(&g, name, bytes, len, &err);
    if (rc == 0 || strstr(err.text, what) == NULL)
        print_error("%s, expected: %s\n", rc == 0 ? "no fault" : err.text, what);
    assert_int_equal(rc, -COP_E_INPUT);
    assert_int_equal(err.faults, 1);
    assert_non_null(strstr(err.text, what));
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(g.n_ops, 0);
}

typedef struct bytes {
    uint8_t v[4096];
    size_t n;
} bytes;

static inline void put(bytes *b, const void *p, size_t n)
{
    memcpy(b->v + b->n, p, n);
    b->n += n;
}

static inline void put32(bytes *b, uint32_t v)
{
    put(b, &v, sizeof(v));
}

static inline void put64(bytes *b, uint64_t v)
{
    put(b, &v, sizeof(v));
}

#endif
