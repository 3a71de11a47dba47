/* The reader of Chakra execution traces: what it makes of good files, and one clear line for every kind of bad one. */
#include "scenario.h"

#include "read_fixture.h"

static void varint(bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        uint8_t c = (uint8_t)(v | 0x80);
        put(b, &c, 1);
    }
    uint8_t c = (uint8_t)v;
    put(b, &c, 1);
}

static void number_field(bytes *b, uint32_t field, uint64_t v)
{
    varint(b, (uint64_t)field << 3);
    varint(b, v);
}

static void bytes_field(bytes *b, uint32_t field, const void *p, size_t n)
{
    varint(b, (uint64_t)field << 3 | 2);
    varint(b, n);
    put(b, p, n);
}

/* An attribute whose whole number stands in this field of the schema: 15 and 17 are zigzag, 19 and 21 fixed. */
static void attribute(bytes *node, const char *name, uint32_t field, uint64_t v)
{
    bytes a = {.n = 0};
    bytes_field(&a, 1, name, strlen(name));
    if (field == 29) {
        bytes_field(&a, 29, "pg", 2);
    } else if (field == 19) {
        varint(&a, 19 << 3 | 5);
        put32(&a, (uint32_t)v);
    } else if (field == 21) {
        varint(&a, 21 << 3 | 1);
        put64(&a, v);
    } else {
        number_field(&a, field, field == 15 || field == 17 ? v * 2 : v);
    }
    bytes_field(node, 10, a.v, a.n);
}

static void node_head(bytes *n, uint64_t id, uint64_t type, uint64_t dep)
{
    n->n = 0;
    number_field(n, 1, id);
    number_field(n, 3, type);
    if (dep > 0)
        number_field(n, 5, dep);
}

static void message(bytes *b, const bytes *n)
{
    varint(b, n->n);
    put(b, n->v, n->n);
}

static void test_chakra(void **state)
{
    (void)state;
    static const uint32_t fields[] = {7, 9, 11, 13, 15, 17, 19, 21};
    cop_graph g;
    cop_err err;
    for (size_t i = 0; i < COP_LEN(fields); i++) {
        bytes b = {.n = 0}, n = {.n = 0};
        bytes_field(&n, 1, "0.0.4", 5);
        message(&b, &n);
        node_head(&n, 10, 4, 0); /* computation of 3 us on the host */
        number_field(&n, 7, 3);
        attribute(&n, "is_cpu_op", 27, 1);
        message(&b, &n);
        node_head(&n, 11, 5, 10);
        attribute(&n, "comm_size", fields[i], 4096);
        attribute(&n, "comm_dst", fields[i], 0);
        attribute(&n, "comm_tag", fields[i], 3);
        message(&b, &n);
        node_head(&n, 12, 6, 0);
        attribute(&n, "comm_size", fields[i], 4096);
        attribute(&n, "comm_src", fields[i], 0);
        attribute(&n, "comm_tag", fields[i], 3);
        message(&b, &n);
        node_head(&n, 13, 7, 12);
        attribute(&n, "comm_size", fields[i], 64);
        attribute(&n, "comm_type", fields[i], 0);
        attribute(&n, "pg_name", 29, 0);
        message(&b, &n);
        assert_int_equal(read_it(&g, "x.et", b.v, b.n, &err), 0);
        assert_int_equal(g.n_ranks, 1);
        assert_true(g.op[0].kind == COP_OP_CALC && g.op[0].size == 3 * COP_US && g.op[0].cpu == 0);
        assert_true(g.op[1].kind == COP_OP_SEND && g.op[1].size == 4096 && g.op[1].tag == 3);
        assert_true(g.op[1].need == 1 && g.op[2].kind == COP_OP_RECV);
        assert_int_equal(g.n_collectives, 1);
        assert_string_equal(g.collective[0], "pg#1");
        cop_graph_free(&g);
        refuse("x.et", b.v, b.n - 1, "the file is cut short here");
    }
}

static void test_chakra_faults(void **state)
{
    (void)state;
    bytes b = {.n = 0}, n = {.n = 0};
    message(&b, &n);
    size_t head = b.n;
    node_head(&n, 10, 5, 0);
    message(&b, &n);
    refuse("x.et", b.v, b.n, "node 10 has no whole number `comm_size` that fits");
    b.n = head;
    node_head(&n, 10, 4, 99);
    message(&b, &n);
    refuse("x.et", b.v, b.n, "node 10 of rank 0 depends on node 99, which is not there");
    b.n = head;
    node_head(&n, 10, 77, 0);
    message(&b, &n);
    refuse("x.et", b.v, b.n, "node 10 of type 77; give 1 to 10");
    b.n = head;
    node_head(&n, 10, 4, 0);
    message(&b, &n);
    message(&b, &n);
    refuse("x.et", b.v, b.n, "rank 0 has two nodes 10");
    b.n = head;
    node_head(&n, 10, 5, 0);
    attribute(&n, "comm_size", 7, 8);
    attribute(&n, "comm_dst", 7, 4);
    message(&b, &n);
    refuse("x.et", b.v, b.n, "node 10 of rank 0 names rank 4; there are files of 1 ranks");
    b.n = head;
    put(&b, "\x03\xff\xff\xff", 4);
    refuse("x.et", b.v, b.n, "no node of a Chakra trace");
    refuse("x.et", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, "no length of a message");
}

static void write_rank(const char *folder, const char *name, const bytes *b)
{
    char path[128];
    FILE *f = fopen(scn_text(path, sizeof(path), "%s/%s", folder, name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->v, 1, b->n, f), b->n);
    fclose(f);
}

/* A set with a hole is not the set of a smaller job. */
static void test_a_rank_is_missing(void **state)
{
    (void)state;
    static const char *const later[] = {"step.3.et", "step.3.et.gz", "step.15.et"};
    static const char *const others[] = {"step.et", "other.7.et", "step.x.et", "step.7.etx",
                                         "step.-2.et"};
    char folder[] = "/tmp/coppice-chakra-XXXXXX", path[128], missing[200];
    bytes b = {.n = 0}, n = {.n = 0};
    cop_read_cfg cfg;
    cop_read_notes notes;
    cop_graph g;
    message(&b, &n);
    node_head(&n, 10, 4, 0);
    message(&b, &n);
    assert_non_null(mkdtemp(folder));
    cop_read_defaults(&cfg);
    write_rank(folder, "step.0.et", &b);
    write_rank(folder, "step.1.et", &b);
    for (size_t i = 0; i < COP_LEN(others); i++)
        write_rank(folder, others[i], &b);
    scn_text(path, sizeof(path), "%s/step.0.et", folder);
    cop_err none = {0};
    assert_int_equal(cop_read_program(&g, path, &cfg, &notes, &none), 0);
    assert_int_equal(g.n_ranks, 2);
    cop_graph_free(&g);
    for (size_t i = 0; i < COP_LEN(later); i++) {
        cop_err err = {0};
        write_rank(folder, later[i], &b);
        assert_int_equal(cop_read_program(&g, path, &cfg, &notes, &err), -COP_E_INPUT);
        scn_text(missing, sizeof(missing), "the file of rank 2, `%s/step.2.et`, is missing",
                 folder);
        assert_non_null(strstr(err.text, missing));
        assert_null(strchr(err.text, '\n'));
        char gone[128];
        assert_int_equal(unlink(scn_text(gone, sizeof(gone), "%s/%s", folder, later[i])), 0);
    }
    char command[128];
    assert_int_equal(system(scn_text(command, sizeof(command), "rm -r %s", folder)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chakra),
        cmocka_unit_test(test_chakra_faults),
        cmocka_unit_test(test_a_rank_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
