/* Result files of an earlier version, and the outcomes that a file may have. */
#include "store_fixture.h"

#include <math.h>
#include <zlib.h>

/* What version 2 made: its tables knew no `starved`, and there were none of trees. */
static void make_older(const char *path)
{
    cop_err err = {0};
    cop_store *s = must_open(path, true);
    assert_int_equal(
        cop_store_exec(s,
                       "DROP TABLE tree; DROP TABLE tree_root; DROP TABLE tree_frame;"
                       "DROP TABLE frame; DROP TRIGGER run_deleted_trees;"
                       "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql,"
                       " ', ''starved'', ''stuck''', '') WHERE name = 'run'; PRAGMA writable_schema"
                       " = OFF; DROP TABLE job; DROP TABLE job_rank; DROP TABLE job_collective;"
                       " DROP TABLE job_path; DROP TABLE job_slice; DROP TRIGGER run_deleted;"
                       "UPDATE meta SET value = '2' WHERE key = 'schema_version';"
                       "PRAGMA user_version = 2",
                       &err),
        0);
    assert_int_equal(cop_store_exec(s, cop_store_old_trigger, &err), 0);
    cop_store_close(s);
}

/* A file of version 2 is read as it is; the first program that writes to it brings it up to date. */
static void older_files_are_brought_up_to_date(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    make_older(p->db);
    cop_store *s = must_open(p->db, false);
    assert_int_equal(ask(s, "SELECT sql LIKE '%starved%' FROM sqlite_master WHERE name = 'run'"),
                     0);
    assert_int_equal(ask(s, "PRAGMA user_version"), 2);
    assert_false(cop_store_has_trees(s));
    cop_result old;
    assert_int_equal(cop_store_load(s, 1, &old, &err), 1);
    assert_false(old.trees_asked);
    cop_arena_free(&old.arena);
    cop_store_close(s);
    cop_result r = {.outcome = COP_OUTCOME_STARVED, .detail = "one waits"};
    int64_t id = 0;
    if (cop_store_run(p->db, &META, &r, &id, &err) != 0)
        fail_msg("%s", err.text);
    cop_store *a = must_open(p->db, true);
    assert_int_equal(ask(a, "PRAGMA user_version"), COP_STORE_SCHEMA_VERSION);
    assert_int_equal(ask(a, "SELECT value FROM meta WHERE key = 'schema_version'"),
                     COP_STORE_SCHEMA_VERSION);
    assert_int_equal(ask(a, "SELECT count(*) FROM run WHERE outcome = 'starved'"), 1);
    enum cop_outcome outcome;
    const char *detail, *model;
    cop_arena arena = {0};
    assert_int_equal(cop_store_load_outcome(a, id, &outcome, &arena, &detail, &model, &err), 1);
    assert_string_equal(model, ""); /* META names none */
    assert_int_equal(outcome, COP_OUTCOME_STARVED);
    cop_arena_free(&arena);
    assert_int_equal(cop_store_exec(a, "UPDATE run SET outcome = 'else'", &err), -COP_E_IO);
    assert_int_equal(ask(a, "SELECT count(*) FROM pragma_integrity_check"
                            " WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(ask(a, "SELECT count(*) FROM run"), 2);
    assert_true(cop_store_has_trees(a));
    assert_int_equal(ask(a,
                         "SELECT count(*) FROM sqlite_master WHERE name = 'run_deleted_trees' AND"
                         " sql LIKE '%tree_frame%'"),
                     1);
    assert_int_equal(ask(a, "SELECT count(*) FROM job"), 0);
    assert_int_equal(ask(a, "SELECT sql LIKE '%job_slice%' FROM sqlite_master"
                            " WHERE name = 'run_deleted'"),
                     1);
    cop_store_close(a);
}

static cop_result with_trees(void)
{
    static cop_port_result port[] = {{"s0.0", "h0", 1, 2, 3}, {"h0", "s0.0", 1, 2, 3}};
    static cop_tree_root root[] = {{1, 100, 200}, {0, 150, 400}};
    static cop_tree_member member[] = {{0, 0, COP_NONE, 7000}, {1, 1, 0, 0}};
    static uint32_t waiting[] = {5, 70000}, hosts[] = {3, 9}, flows[] = {1, 2, 3, 4};
    static uint8_t blocked[] = {0, 255}, use[] = {128, 1};
    static uint32_t flow[] = {1, 9, 2, 3, 4, 60000, 5, 6, 10000};
    static cop_frame frame[] = {{200, 200, waiting, blocked, use, flow, COP_LEN(flow)}};
    static cop_tree_frame seen[] = {
        {0, 0, 0, 2, 7000, 2, 2, 2, true, member, hosts, flows},
        {1, 0, 1, 9, 60, 0, 0, 0, false, NULL, NULL, NULL}, /* members were not kept */
    };
    static cop_tree_result tree[2];
    tree[0] = (cop_tree_result){2, root, 100, 400,  5,    2,   1,    true,           2,
                                2, 0.5,  10,  7000, 0.25, 0.5, 0.75, COP_TREE_MOVING};
    tree[1] = (cop_tree_result){
        1, root, 100, 400, 1, 9, 1, false, 0, 0, NAN, 10, 60, NAN, NAN, NAN, COP_TREE_UNJUDGED};
    return (cop_result){.n_ports = 2,
                        .port = port,
                        .trees_asked = true,
                        .film = true,
                        .n_frames = 1,
                        .frame = frame,
                        .n_trees = 2,
                        .tree = tree,
                        .n_tree_frames = 2,
                        .tree_frame = seen};
}

/* What a stranger put in the place of a frame: packed, so many ports, or flows that cannot be. */
static void refuse_frames(cop_store *s, int64_t id)
{
    static const uint32_t bad[][6] = {
        {0, 0, 0, 2, 0, 0}, /* the port is none of 2 */
        {0, 0, 0, 1, 0, 4}, /* more than were ever named */
        {0, 0, 0, 1, 0, 1}, /* and nothing follows */
    };
    cop_err err = {0};
    for (size_t i = 0; i <= COP_LEN(bad) + 1; i++) {
        unsigned char packed[256];
        char sql[700] = "UPDATE frame SET data = x'";
        uLongf n = sizeof(packed);
        static const uint8_t zeros[40000];
        bool flows = i < COP_LEN(bad);
        assert_int_equal(compress(packed, &n, flows ? (const Bytef *)bad[i] : zeros,
                                  flows               ? sizeof(bad[i])
                                  : i == COP_LEN(bad) ? 11
                                                      : sizeof(zeros)),
                         Z_OK);
        for (uLongf k = 0; k < n; k++)
            sprintf(sql + strlen(sql), "%02x", packed[k]);
        strcat(sql, "'");
        assert_int_equal(cop_store_exec(s, "BEGIN", &err), 0);
        assert_int_equal(cop_store_exec(s, sql, &err), 0);
        cop_frame f = {0};
        cop_arena arena = {0};
        cop_err fault = {0};
        assert_int_equal(cop_store_frame(s, id, 0, 2, &f, &arena, &fault), -COP_E_IO);
        assert_non_null(strstr(fault.text, "it was edited"));
        cop_arena_free(&arena);
        assert_int_equal(cop_store_exec(s, "ROLLBACK", &err), 0);
    }
}

/* Trees come back as they were; what a stranger put in their place is refused, not believed. */
static void trees_come_back(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    int64_t id = 0;
    cop_result in = with_trees(), out;
    assert_int_equal(cop_store_run(p->db, &META, &in, &id, &err), 0);
    cop_store *s = must_open(p->db, true);
    assert_int_equal(cop_store_load(s, id, &out, &err), 1);
    assert_true(out.trees_asked);
    assert_int_equal(out.n_trees, 2);
    assert_int_equal(out.tree[0].n_roots, 2);
    assert_int_equal(out.tree[0].root[1].end, 400);
    assert_int_equal(out.tree[0].kind, COP_TREE_MOVING);
    assert_int_equal(out.tree[1].kind, COP_TREE_UNJUDGED);
    assert_true(out.tree[0].counted && out.tree[0].contributors == 2 && out.tree[0].victims == 2);
    assert_false(out.tree[1].counted); /* unknown, not none */
    assert_int_equal(ask(s, "SELECT count(*) FROM tree WHERE contributors IS NULL AND"
                            " victims IS NULL"),
                     1);
    assert_true(out.tree[0].loss == 0.5 && isnan(out.tree[1].loss));
    assert_int_equal(out.tree_frame[0].n_members, 2);
    assert_memory_equal(out.tree_frame[0].member, in.tree_frame[0].member,
                        2 * sizeof(cop_tree_member));
    assert_int_equal(out.tree_frame[1].n_members, 0);
    assert_int_equal(out.tree_frame[1].links, 9);
    cop_frame frame = {0};
    assert_int_equal(cop_store_frame(s, id, 0, 2, &frame, &out.arena, &err), 1);
    assert_int_equal(frame.waiting[1], 70000);
    assert_int_equal(frame.n_flow, in.frame[0].n_flow);
    assert_memory_equal(frame.flow, in.frame[0].flow, frame.n_flow * sizeof(*frame.flow));
    assert_memory_equal(frame.use, in.frame[0].use, 2);
    cop_arena_free(&out.arena);
    refuse_frames(s, id);
    assert_int_equal(ask(s, "SELECT count(*) FROM tree_frame WHERE victims IS NULL"), 1);
    static const char *const edits[] = {
        "UPDATE tree_frame SET members = x'00112233445566'",
        "UPDATE tree_frame SET links = 4000000000",
        "UPDATE tree_frame SET links = 1 WHERE links = 2",
    };
    for (size_t i = 0; i < COP_LEN(edits); i++) {
        assert_int_equal(cop_store_exec(s, "BEGIN", &err), 0);
        assert_int_equal(cop_store_exec(s, edits[i], &err), 0);
        cop_err fault = {0};
        assert_int_equal(cop_store_load(s, id, &out, &fault), -COP_E_IO);
        assert_non_null(strstr(fault.text, "it was edited"));
        assert_int_equal(cop_store_exec(s, "ROLLBACK", &err), 0);
    }
    assert_int_equal(cop_store_exec(s, "DELETE FROM run", &err), 0);
    assert_int_equal(ask(s, "SELECT (SELECT count(*) FROM tree) + (SELECT count(*) FROM frame) +"
                            " (SELECT count(*) FROM tree_frame) +"
                            " (SELECT count(*) FROM tree_root)"),
                     0);
    cop_store_close(s);
}

/* Trees of a run that keeps no frames come back, and are marked as looked for. */
static void trees_without_frames(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    int64_t id = 0;
    cop_scalar count = {"trees.count", "trees", 2};
    cop_result in = with_trees(), out;
    in.film = false;
    in.scalar = &count;
    in.n_scalars = 1;
    assert_int_equal(cop_store_run(p->db, &META, &in, &id, &err), 0);
    cop_store *s = must_open(p->db, false);
    assert_int_equal(ask(s, "SELECT (SELECT count(*) FROM frame) + (SELECT count(*) FROM"
                            " tree_frame)"),
                     0);
    assert_int_equal(ask(s, "SELECT count(*) FROM tree"), 2);
    assert_int_equal(cop_store_load(s, id, &out, &err), 1);
    assert_true(out.trees_asked && !out.film);
    assert_int_equal(out.n_trees, 2);
    assert_int_equal(out.tree[0].n_roots, 2);
    assert_int_equal(cop_store_newest_frames(s, &err), 0);
    cop_arena_free(&out.arena);
    cop_store_close(s);
}

/* Who took part in a tree had to be known in the first files with trees: the next program that writes to such a
 * file may say that it is not. */
static void unknown_parts_fit_older_files(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    int64_t id = 0;
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *s = must_open(p->db, true);
    assert_int_equal(
        cop_store_exec(
            s,
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(replace("
            "sql, ' contributors INTEGER,', ' contributors INTEGER NOT NULL,'),"
            " ' victims INTEGER,', ' victims INTEGER NOT NULL,') WHERE name = 'tree';"
            "PRAGMA writable_schema = OFF",
            &err),
        0);
    cop_store_close(s);
    cop_result in = with_trees();
    if (cop_store_run(p->db, &META, &in, &id, &err) != 0)
        fail_msg("%s", err.text);
    s = must_open(p->db, true);
    assert_int_equal(ask(s, "SELECT count(*) FROM tree WHERE contributors IS NULL"), 1);
    assert_int_equal(ask(s, "PRAGMA user_version"), COP_STORE_SCHEMA_VERSION);
    assert_int_equal(ask(s, "SELECT count(*) FROM pragma_integrity_check"
                            " WHERE integrity_check = 'ok'"),
                     1);
    cop_store_close(s);
}

/* Every outcome is stored under its own name and comes back. */
static void outcomes_have_names(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    int n = 0;
    for (; cop_outcome_name(n) != NULL; n++) {
        cop_result r = {.outcome = (enum cop_outcome)n, .detail = "why"};
        assert_int_equal(cop_outcome_of(cop_outcome_name(n)), n);
        assert_int_equal(cop_store_run(p->db, &META, &r, NULL, &err), 0);
    }
    assert_int_equal(n, COP_OUTCOME_STUCK + 1);
    assert_null(cop_outcome_name(-1));
    assert_int_equal(cop_outcome_of("else"), COP_OUTCOME_BROKEN);
    cop_store *s = must_open(p->db, false);
    assert_int_equal(ask(s, "SELECT count(DISTINCT outcome) FROM run"), n);
    cop_store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_PLACE(older_files_are_brought_up_to_date),
                                       IN_PLACE(trees_come_back), IN_PLACE(trees_without_frames),
                                       IN_PLACE(unknown_parts_fit_older_files),
                                       IN_PLACE(outcomes_have_names)};
    return cmocka_run_group_tests_name("store_upgrade", tests, NULL, NULL);
}
