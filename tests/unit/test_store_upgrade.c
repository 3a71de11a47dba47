/* Result files of an earlier version, and the outcomes that a file may have. */
#include "store_fixture.h"

/* What version 2 made: its tables knew no `starved`. */
static void make_older(const char *path)
{
    cop_err err = {0};
    cop_store *s = must_open(path, true);
    assert_int_equal(
        cop_store_exec(s,
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
    const char *detail;
    cop_arena arena = {0};
    assert_int_equal(cop_store_load_outcome(a, id, &outcome, &arena, &detail, &err), 1);
    assert_int_equal(outcome, COP_OUTCOME_STARVED);
    cop_arena_free(&arena);
    assert_int_equal(cop_store_exec(a, "UPDATE run SET outcome = 'else'", &err), -COP_E_IO);
    assert_int_equal(ask(a, "SELECT count(*) FROM pragma_integrity_check"
                            " WHERE integrity_check = 'ok'"),
                     1);
    assert_int_equal(ask(a, "SELECT count(*) FROM run"), 2);
    assert_int_equal(ask(a, "SELECT count(*) FROM job"), 0);
    assert_int_equal(ask(a, "SELECT sql LIKE '%job_slice%' FROM sqlite_master"
                            " WHERE name = 'run_deleted'"),
                     1);
    cop_store_close(a);
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
                                       IN_PLACE(outcomes_have_names)};
    return cmocka_run_group_tests_name("store_upgrade", tests, NULL, NULL);
}
