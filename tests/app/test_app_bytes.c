/* Traces compressed with gzip: read as they are, in one member or several; and damage of every kind is said in one line, with
 * the byte of the file where it is. */
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
#include <zlib.h>

#define N_OPS 20000
#define ROOM (1u << 20)

typedef struct packed {
    uint8_t v[ROOM];
    size_t n;
} packed;

/* A member of gzip, behind what is there. */
static void pack(packed *p, const char *text, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = p->v + p->n;
    z.avail_out = (uInt)(ROOM - p->n);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    p->n = ROOM - z.avail_out;
    deflateEnd(&z);
}

static char *program(size_t *len)
{
    char *text = malloc(ROOM);
    size_t n = (size_t)snprintf(text, ROOM, "num_ranks 1\nrank 0 {\n");
    for (int i = 0; i < N_OPS; i++)
        n += (size_t)snprintf(text + n, ROOM - n, "l%d: calc %d\n", i, i * 7919 % 10007);
    *len = n + (size_t)snprintf(text + n, ROOM - n, "}\n");
    return text;
}

static packed *whole(void)
{
    size_t len;
    char *text = program(&len);
    packed *p = calloc(1, sizeof(*p));
    pack(p, text, len);
    free(text);
    return p;
}

/* From memory, and from a file: the same answer. NULL: it is right. */
static void expect(const packed *p, const char *fault)
{
    char path[] = "/tmp/cop-bytes-XXXXXX";
    cop_read_cfg cfg;
    cop_read_defaults(&cfg);
    int file = mkstemp(path);
    assert_int_equal(write(file, p->v, p->n), (ssize_t)p->n);
    close(file);
    for (int from_file = 0; from_file < 2; from_file++) {
        cop_graph g;
        cop_err err = {0};
        int rc = from_file ? cop_read_program(&g, path, &cfg, NULL, &err)
                           : cop_read_bytes(&g, path, p->v, p->n, &cfg, NULL, &err);
        if (fault == NULL) {
            if (rc != 0)
                fail_msg("%s", err.text);
            assert_int_equal(g.n_ops, N_OPS);
            cop_graph_free(&g);
            continue;
        }
        assert_int_equal(rc, -COP_E_INPUT);
        assert_int_equal(err.faults, 1);
        char line[300];
        snprintf(line, sizeof(line), "%s: %s", path, fault);
        if (strstr(err.text, line) == NULL)
            fail_msg("%s\ninstead of %s", err.text, line);
    }
    unlink(path);
}

static void test_whole(void **state)
{
    (void)state;
    packed *p = whole();
    expect(p, NULL);
    memset(p->v + p->n, 0, 100000); /* zeros behind the end, as on tapes */
    p->n += 100000;
    expect(p, NULL);
    free(p);
}

static void test_members(void **state)
{
    (void)state;
    size_t len;
    char *text = program(&len);
    packed *p = calloc(1, sizeof(*p));
    pack(p, text, 1000);
    pack(p, "", 0);
    pack(p, text + 1000, len - 1000);
    expect(p, NULL);
    char what[100];
    packed *first = calloc(1, sizeof(*first));
    pack(first, text, 1000);
    p->v[first->n - 8] ^= 1; /* the crc of the first member */
    snprintf(what, sizeof(what), "byte %zu of the compressed file: its check sum (crc)",
             first->n - 8);
    expect(p, what);
    free(first);
    free(p);
    free(text);
}

/* The crc and the length stand in the last 8 bytes; everything before them is right. */
static void test_check_sums(void **state)
{
    (void)state;
    char what[200];
    for (size_t i = 1; i <= 8; i++) {
        packed *p = whole();
        p->v[p->n - i] ^= 0x10;
        if (i > 4)
            snprintf(what, sizeof(what),
                     "byte %zu of the compressed file: its check sum (crc) is not that of what it "
                     "holds; it is damaged; get the whole file anew",
                     p->n - 8);
        else
            snprintf(what, sizeof(what),
                     "byte %zu of the compressed file: its length is not that of what it holds",
                     p->n - 4);
        expect(p, what);
        free(p);
    }
}

static void test_cut_short(void **state)
{
    (void)state;
    char what[100];
    packed *p = whole();
    size_t all = p->n, at[] = {2, 9, 10, 1000, 65536, all - 9, all - 8, all - 5, all - 1};
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        p->n = at[i];
        snprintf(what, sizeof(what), "byte %zu of the compressed file: it ends too early", at[i]);
        expect(p, what);
    }
    free(p);
}

static void test_other_damage(void **state)
{
    (void)state;
    char what[100];
    packed *p = whole();
    snprintf(what, sizeof(what),
             "byte %zu of the compressed file: what follows the compressed data", p->n);
    memcpy(p->v + p->n, "more", 4);
    p->n += 4;
    expect(p, what);
    free(p);
    p = whole();
    p->v[10] = 0xff; /* no such kind of block */
    expect(p, "byte ");
    p->v[2] = 9; /* no such method */
    expect(
        p,
        "byte 4 of the compressed file: it is damaged here or before (unknown compression method)");
    free(p);
}

/* A binary file ends where its last rank does: a damaged crc behind it is met all the same. */
static void test_binary(void **state)
{
    (void)state;
    cop_graph g;
    cop_err err = {0};
    cop_read_cfg cfg;
    cop_read_defaults(&cfg);
    FILE *f = fopen("tests/fuzz/corpus/goalbin/ping", "rb"); /* without its first 8 bytes */
    uint8_t raw[4096] = {0x7f, 0x10};
    assert_non_null(f);
    size_t n = 8 + fread(raw + 8, 1, sizeof(raw) - 8, f);
    fclose(f);
    packed *p = calloc(1, sizeof(*p));
    pack(p, (char *)raw, n);
    assert_int_equal(cop_read_bytes(&g, "t", p->v, p->n, &cfg, NULL, &err), 0);
    cop_graph_free(&g);
    p->v[p->n - 8] ^= 1;
    assert_int_equal(cop_read_bytes(&g, "t", p->v, p->n, &cfg, NULL, &err), -COP_E_INPUT);
    assert_non_null(strstr(err.text, "its check sum (crc)"));
    free(p);
}

static void test_no_file(void **state)
{
    (void)state;
    cop_graph g;
    cop_err err = {0};
    cop_read_cfg cfg;
    cop_read_defaults(&cfg);
    assert_int_equal(cop_read_program(&g, "/nowhere/x", &cfg, NULL, &err), -COP_E_IO);
    assert_int_equal(cop_read_program(&g, "/tmp", &cfg, NULL, &err), -COP_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_members),
        cmocka_unit_test(test_check_sums),   cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_other_damage), cmocka_unit_test(test_binary),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
