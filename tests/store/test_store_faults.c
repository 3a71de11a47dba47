/* The result database: faults of path, file and disk, several programs, sudden death. */
#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { NOBODY = 65534 };

/* One line: "path: what; what would be right". */
static bool is_one_line(const cop_err *e, const char *path, const char *what)
{
    bool ok = e->faults == 1 && e->code == COP_E_IO && strchr(e->text, '\n') == NULL &&
              strncmp(e->text, path, strlen(path)) == 0 &&
              strncmp(e->text + strlen(path), ": ", 2) == 0 && strstr(e->text, what) != NULL &&
              strstr(e->text, "; ") != NULL;
    if (!ok)
        print_error("expected \"%s: ...%s...; ...\", got \"%s\"\n", path, what, e->text);
    return ok;
}

static void assert_refused(const char *path, bool write, const char *what)
{
    cop_store *s;
    cop_err err = {0};
    assert_int_equal(cop_store_open(&s, path, write, &err), -COP_E_IO);
    assert_null(s);
    assert_true(is_one_line(&err, path, what));
}

/* Run fn(place) in a child process; its return value. */
static int in_child(int (*fn)(const place *), const place *p)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(fn(p));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void bad_paths_are_named(void **state)
{
    const place *p = *state;
    char path[200];
    cop_err err = {0};
    cop_store *s;
    assert_refused(p->dir, true, "is a folder; give the name of a file");
    assert_refused(p->dir, false, "is a folder");
    assert_refused(p->db, false, "No such file");
    snprintf(path, sizeof(path), "%s/none/x.db", p->dir);
    assert_refused(path, true, "make it first");
    assert_refused("/dev/null", true, "is not a plain file");
    assert_int_equal(cop_store_open(&s, "", true, &err), -COP_E_IO);
    assert_non_null(strstr(err.text, "no database file is named; give one"));
    assert_int_equal(access(p->db, F_OK), -1);
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, bytes), (ssize_t)bytes);
    close(fd);
}

/* Change a stored file: overwrite `bytes` at `at` with a mark, or cut it if bytes is 0. */
static void harm(const char *path, off_t at, size_t bytes, char mark)
{
    if (bytes == 0) {
        assert_int_equal(truncate(path, at), 0);
        return;
    }
    char *junk = cop_alloc(bytes);
    memset(junk, mark, bytes);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, junk, bytes, at), (ssize_t)bytes);
    close(fd);
    cop_free(junk);
}

static void assert_unchanged_refusal(const char *path, const char *what)
{
    size_t before, after;
    char *a = read_file(path, &before);
    assert_refused(path, true, what);
    assert_refused(path, false, what);
    char *b = read_file(path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(a, b, before);
    cop_free(a);
    cop_free(b);
}

static void other_files_are_left_alone(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    write_file(p->db, "hello, world\n", 13);
    assert_unchanged_refusal(p->db, "is not an SQLite database");
    unlink(p->db);
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    harm(p->db, 60, 4, 0x01); /* user_version in the header of the file */
    assert_unchanged_refusal(p->db, "was written by a newer coppice (schema 16843009, ");
    harm(p->db, 60, 4, 0x00);
    assert_unchanged_refusal(p->db, "written by an older coppice");
    harm(p->db, 68, 4, 0x02); /* application_id */
    assert_unchanged_refusal(p->db, "is a database of another program");
    harm(p->db, 68, 4, 0x00); /* no name, but tables: not ours to fill */
    assert_unchanged_refusal(p->db, "is a database of another program");
}

/* A view could answer for ever, a trigger do anything when something is written. */
static void objects_of_strangers_are_refused(void **state)
{
    const place *p = *state;
    static const char *const harm_by[] = {
        "CREATE TRIGGER mine AFTER INSERT ON run BEGIN DELETE FROM run; END",
        "DROP TRIGGER run_deleted; CREATE TRIGGER run_deleted AFTER DELETE ON run BEGIN"
        " DELETE FROM meta; END",
        "DROP VIEW summary; DROP VIEW entry; DROP VIEW distribution; ALTER TABLE figure RENAME TO"
        " other; CREATE VIEW Figure AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1"
        " FROM c) SELECT other.* FROM other, c",
        "DROP VIEW entry; CREATE VIEW Entry AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT"
        " x + 1 FROM c) SELECT stream.* FROM stream, c",
        "ALTER TABLE scalar ADD COLUMN more AS (length(hex(zeroblob(500000000))))",
    };
    for (size_t i = 0; i < COP_LEN(harm_by); i++) {
        cop_err err = {0};
        cop_store *s = NULL;
        unlink(p->db);
        assert_int_equal(store_small(p->db, NULL, &err), 0);
        assert_int_equal(cop_store_open(&s, p->db, true, &err), 0);
        if (cop_store_exec(s, harm_by[i], &err) != 0)
            fail_msg("%s", err.text);
        cop_store_close(s);
        assert_unchanged_refusal(p->db, "not coppice's");
    }
    /* Own views and tables beside ours are welcome. */
    cop_err err = {0};
    cop_store *s = NULL;
    unlink(p->db);
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    assert_int_equal(cop_store_open(&s, p->db, true, &err), 0);
    assert_int_equal(cop_store_exec(s, "CREATE TABLE notes (x); CREATE VIEW v AS SELECT 1", &err),
                     0);
    cop_store_close(s);
    assert_int_equal(store_small(p->db, NULL, &err), 0);
}

static void empty_file_counts_as_new(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    write_file(p->db, "", 0);
    assert_refused(p->db, false, "is empty");
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    assert_runs(p->db, 1);
}

/* Harm every page in turn: a fault is one line, and nothing crashes. Damage that no statement meets
 * goes unnoticed; damage of the pages every statement needs does not. */
static void damage_is_reported(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    size_t bytes, found = 0;
    char *good = read_file(p->db, &bytes);
    for (off_t at = 0; at < (off_t)bytes; at += 4096) {
        write_file(p->db, good, bytes);
        harm(p->db, at, 4096, (char)0xee);
        cop_err e = {0};
        if (store_small(p->db, NULL, &e) != 0) {
            assert_true(is_one_line(&e, p->db, at == 0 ? "not an SQLite" : "damaged"));
            found++;
        }
        unlink(p->wal);
        unlink(p->shm);
    }
    assert_true(found >= 4);
    write_file(p->db, good, bytes);
    harm(p->db, 4096 * 2, 0, 0);
    cop_err e = {0};
    assert_int_equal(store_small(p->db, NULL, &e), -COP_E_IO);
    assert_true(is_one_line(&e, p->db, "damaged"));
    cop_free(good);
}

static void edited_values_are_not_believed(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *s = must_open(p->db, true);
    cop_store_exec(s, "UPDATE series SET n = 4294967297; UPDATE hist SET bin = 99999 + bin", &err);
    assert_int_equal(err.faults, 0);
    cop_arena a = {0};
    cop_series series;
    assert_int_equal(cop_store_series(s, 1, "throughput/F1", &series, &a, &err), -COP_E_IO);
    assert_true(is_one_line(&err, p->db, "a series of run 1 has been changed"));
    cop_hist *h = cop_alloc(sizeof(*h));
    cop_err again = {0};
    assert_int_equal(cop_store_hist(s, 1, "latency", h, &again), -COP_E_IO);
    assert_true(is_one_line(&again, p->db, "a histogram of run 1"));
    cop_free(h);
    cop_arena_free(&a);
    cop_store_close(s);
}

static void names_must_differ(void **state)
{
    const place *p = *state;
    cop_result r = make_result(2, 2);
    r.scalar[0].name = "throughput_gbps";
    cop_err err = {0};
    assert_int_equal(cop_store_run(p->db, &META, &r, NULL, &err), -COP_E_IO);
    assert_true(is_one_line(&err, p->db, "scalar.name"));
    cop_arena_free(&r.arena);
    assert_runs(p->db, 0);
}

static void reader_cannot_write(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *s = must_open(p->db, false);
    cop_result r = {0};
    assert_int_equal(cop_store_add(s, &META, &r, NULL, &err), -COP_E_IO);
    assert_true(is_one_line(&err, p->db, "is open for reading only"));
    cop_store_close(s);
    assert_runs(p->db, 1);
}

static bool become_nobody(void)
{
    return getuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

/* In a folder without write permission: nothing new, nothing changed, reading works. */
static int use_locked_folder(const place *p)
{
    cop_err e = {0}, f = {0}, g = {0};
    char fresh[200];
    cop_store *s;
    double v = 0.0;
    if (!become_nobody())
        return 77;
    snprintf(fresh, sizeof(fresh), "%s/new.db", p->dir);
    if (store_small(fresh, NULL, &e) != -COP_E_IO || !is_one_line(&e, fresh, "cannot be written"))
        return 1;
    if (store_small(p->db, NULL, &f) != -COP_E_IO || !is_one_line(&f, p->db, "cannot be written"))
        return 2;
    if (cop_store_open(&s, p->db, false, &g) != 0)
        return 3;
    int rc = cop_store_scalar(s, 1, "throughput_gbps", &v, &g);
    cop_store_close(s);
    return rc == 1 && v == 12.75 ? 0 : 4;
}

static void locked_folder_can_be_read_only(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    assert_int_equal(chmod(p->db, 0666), 0); /* the file alone may be written */
    assert_int_equal(chmod(p->dir, 0555), 0);
    int rc = in_child(use_locked_folder, p);
    chmod(p->dir, 0755);
    if (rc == 77)
        skip(); /* root without the right to become another user */
    assert_int_equal(rc, 0);
    assert_runs(p->db, 1);
}

static int fill_disk(const place *p)
{
    struct stat st;
    signal(SIGXFSZ, SIG_IGN);
    rlim_t limit = stat(p->db, &st) == 0 ? (rlim_t)st.st_size + 8192 : 20000;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
    cop_result r = make_result(20000, 16);
    cop_err e = {0};
    int64_t id = -5;
    if (cop_store_run(p->db, &META, &r, &id, &e) != -COP_E_IO)
        return 1;
    return is_one_line(&e, p->db, "no room left on the disk; what was stored before is there") &&
                   id == -5
               ? 0
               : 2;
}

static void full_disk_loses_nothing(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(in_child(fill_disk, p), 0); /* not even room for the tables */
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    assert_int_equal(in_child(fill_disk, p), 0);
    assert_runs(p->db, 1);
    cop_store *s = must_open(p->db, true);
    cop_store_exec(s, "PRAGMA max_page_count = 60", &err);
    cop_result r = make_result(20000, 16);
    assert_int_equal(cop_store_add(s, &META, &r, NULL, &err), -COP_E_IO);
    assert_true(is_one_line(&err, p->db, "no room left"));
    /* The handle goes on working once there is room. */
    cop_store_exec(s, "PRAGMA max_page_count = 100000", NULL);
    assert_int_equal(cop_store_add(s, &META, &r, NULL, NULL), 0);
    cop_store_close(s);
    cop_arena_free(&r.arena);
    assert_runs(p->db, 2);
}

static void lock_is_waited_for_then_named(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    cop_store *holder = must_open(p->db, true), *s = must_open(p->db, true);
    assert_int_equal(holder->busy_ms, 10000);
    cop_store_patience(s, 50);
    cop_result r = {0};
    assert_int_equal(cop_store_begin(holder, &err), 0);
    assert_int_equal(cop_store_add(s, &META, &r, NULL, &err), -COP_E_IO);
    assert_true(is_one_line(&err, p->db, "another program kept it locked for 0.05 s"));
    double v;
    assert_int_equal(cop_store_scalar(s, 1, "events", &v, NULL), 1); /* readers do not wait */
    cop_store_rollback(holder);
    cop_store_close(holder);
    cop_store_close(s);
    assert_runs(p->db, 1);
}

static int store_five(const place *p)
{
    for (int i = 0; i < 5; i++) {
        cop_err e = {0};
        if (store_small(p->db, NULL, &e) != 0) {
            print_error("%s\n", e.text);
            return 1;
        }
    }
    return 0;
}

static void programs_store_at_the_same_time(void **state)
{
    const place *p = *state;
    pid_t pid[4];
    for (int i = 0; i < 4; i++) {
        pid[i] = fork();
        assert_true(pid[i] >= 0);
        if (pid[i] == 0)
            _exit(store_five(p)); /* they also race to create the file */
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_runs(p->db, 20);
}

/* Store a run, then stand still in the middle of the next one, its rows partly on the disk. */
static void store_one_and_half(const place *p, int ready)
{
    cop_store *s;
    int64_t id;
    cop_result r = make_result(20000, 16);
    if (cop_store_open(&s, p->db, true, NULL) != 0 ||
        cop_store_add(s, &META, &r, NULL, NULL) != 0 ||
        cop_store_exec(s, "PRAGMA cache_size = 10", NULL) != 0 || cop_store_begin(s, NULL) != 0 ||
        cop_store_write_rows(s, &META, &r, &id, NULL) != 0 || write(ready, "r", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void sudden_death_loses_only_the_open_run(void **state)
{
    const place *p = *state;
    cop_err err = {0};
    assert_int_equal(store_small(p->db, NULL, &err), 0);
    int fd[2];
    char c = 0;
    assert_int_equal(pipe(fd), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(fd[0]);
        store_one_and_half(p, fd[1]);
    }
    close(fd[1]);
    assert_int_equal(read(fd[0], &c, 1), 1);
    close(fd[0]);
    struct stat st;
    assert_int_equal(stat(p->wal, &st), 0);
    assert_true(st.st_size > 1000000); /* half a run is on the disk */
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_runs(p->db, 2);
    int64_t id = 0;
    assert_int_equal(store_small(p->db, &id, &err), 0);
    assert_int_equal(id, 3);
    assert_runs(p->db, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(bad_paths_are_named),
        IN_PLACE(other_files_are_left_alone),
        IN_PLACE(objects_of_strangers_are_refused),
        IN_PLACE(empty_file_counts_as_new),
        IN_PLACE(damage_is_reported),
        IN_PLACE(edited_values_are_not_believed),
        IN_PLACE(names_must_differ),
        IN_PLACE(reader_cannot_write),
        IN_PLACE(locked_folder_can_be_read_only),
        IN_PLACE(full_disk_loses_nothing),
        IN_PLACE(lock_is_waited_for_then_named),
        IN_PLACE(programs_store_at_the_same_time),
        IN_PLACE(sudden_death_loses_only_the_open_run),
    };
    return cmocka_run_group_tests_name("store_faults", tests, NULL, NULL);
}
