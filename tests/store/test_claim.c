/* Claims on runs: one holder at a time, freed by whatever ends it, no file left behind. Two handles
 * in one process stand for two programs: the locks belong to the open file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "store/claim.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct place {
    char dir[64], db[96], companion[128], link[96], flag[96];
} place;

static int enter(void **state)
{
    place *p = cop_alloc(sizeof(*p));
    strcpy(p->dir, "/tmp/cop_claim_XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->db, sizeof(p->db), "%s/r.db", p->dir);
    snprintf(p->companion, sizeof(p->companion), "%s-claims", p->db);
    snprintf(p->link, sizeof(p->link), "%s/l.db", p->dir);
    snprintf(p->flag, sizeof(p->flag), "%s/flag", p->dir);
    int fd = open(p->db, O_WRONLY | O_CREAT, 0640);
    assert_true(fd >= 0);
    close(fd);
    *state = p;
    return 0;
}

static int leave(void **state)
{
    place *p = *state;
    remove(p->db);
    int rc = rmdir(p->dir); /* fails if anything is left */
    cop_free(p);
    return rc;
}

static void one_holder(void **state)
{
    const place *p = *state;
    cop_claims *a = cop_claims_open(p->db), *b = cop_claims_open(p->db);
    assert_true(a != NULL && b != NULL);
    assert_true(cop_claim_take(a, 7, 1));
    assert_true(cop_claim_take(a, 7, 1)); /* one's own */
    assert_false(cop_claim_take(b, 7, 1));
    /* Neither the seed nor the configuration alone. */
    assert_true(cop_claim_take(b, 7, 2));
    assert_true(cop_claim_take(b, 8, 1));
    assert_false(cop_claim_take(a, 7, 2));
    cop_claim_drop(a, 7, 1);
    assert_true(cop_claim_take(b, 7, 1));
    assert_false(cop_claim_take(a, 7, 1));
    cop_claims_close(b); /* with all it had */
    assert_true(cop_claim_take(a, 7, 1));
    assert_true(cop_claim_take(a, 7, 2));
    assert_true(cop_claim_take(a, UINT64_MAX, INT64_MIN));
    cop_claims_close(a);
}

static void the_last_one_removes_the_file(void **state)
{
    const place *p = *state;
    struct stat st;
    cop_claims *a = cop_claims_open(p->db), *b = cop_claims_open(p->db);
    assert_int_equal(stat(p->companion, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640); /* as the database */
    cop_claims_close(a);
    assert_int_equal(access(p->companion, F_OK), 0);
    a = cop_claims_open(p->db);
    assert_true(cop_claim_take(b, 1, 1));
    assert_false(cop_claim_take(a, 1, 1));
    cop_claims_close(b);
    cop_claims_close(a);
    assert_int_equal(access(p->companion, F_OK), -1);
    /* One that was removed by hand: the next pair has a file of its own, and keeps it. */
    a = cop_claims_open(p->db);
    assert_int_equal(unlink(p->companion), 0);
    b = cop_claims_open(p->db);
    cop_claims_close(a);
    assert_int_equal(access(p->companion, F_OK), 0);
    cop_claims_close(b);
    assert_int_equal(access(p->companion, F_OK), -1);
}

static void links_lead_to_the_same_claims(void **state)
{
    const place *p = *state;
    assert_int_equal(symlink("r.db", p->link), 0);
    cop_claims *a = cop_claims_open(p->db), *b = cop_claims_open(p->link);
    assert_true(cop_claim_take(a, 3, 3));
    assert_false(cop_claim_take(b, 3, 3));
    cop_claims_close(a);
    cop_claims_close(b);
    assert_int_equal(unlink(p->link), 0);
}

static void nothing_to_claim_from(void **state)
{
    const place *p = *state;
    assert_null(cop_claims_open("/no/such/r.db"));
    assert_int_equal(mkdir(p->companion, 0755), 0); /* no file can be there */
    assert_null(cop_claims_open(p->db));
    assert_int_equal(rmdir(p->companion), 0);
    assert_true(cop_claim_take(NULL, 1, 1));
    cop_claim_drop(NULL, 1, 1);
    cop_claims_close(NULL);
}

/* A process that takes a claim and has a worker, which inherits it. Both sleep. */
static pid_t holder(const place *p, pid_t *worker)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cop_claims *c = cop_claims_open(p->db);
        bool taken = cop_claim_take(c, 5, 5);
        pid_t second = fork();
        alarm(3600);
        if (second != 0 && (!taken || write(ends[1], &second, sizeof(second)) < 0))
            _exit(1);
        pause();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], worker, sizeof(*worker)), sizeof(*worker));
    close(ends[0]);
    return child;
}

static void killed_holders_hold_nothing(void **state)
{
    pid_t worker, child = holder(*state, &worker);
    cop_claims *c = cop_claims_open(((const place *)*state)->db);
    assert_false(cop_claim_take(c, 5, 5));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(cop_claim_take(c, 5, 5)); /* its worker may still be storing the run */
    assert_int_equal(kill(worker, SIGKILL), 0);
    bool taken = false;
    for (int i = 0; i < 60000 && !taken; i++) {
        usleep(10000);
        taken = cop_claim_take(c, 5, 5);
    }
    assert_true(taken);
    cop_claims_close(c);
}

/* A newcomer opens the file while the last one is about to remove it, and a third makes a new one. */
static void newcomers_do_not_claim_in_removed_files(void **state)
{
    const place *p = *state;
    struct flock alone = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    int fd = open(p->companion, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &alone), 0);
    pid_t newcomer = fork();
    assert_true(newcomer >= 0);
    if (newcomer == 0) {
        close(fd);
        alarm(3600);
        cop_claims *c = cop_claims_open(p->db); /* waits */
        _exit(c != NULL && !cop_claim_take(c, 5, 5) ? 0 : 1);
    }
    usleep(200000);
    assert_int_equal(unlink(p->companion), 0);
    cop_claims *third = cop_claims_open(p->db);
    assert_true(cop_claim_take(third, 5, 5));
    close(fd);
    int status;
    assert_int_equal(waitpid(newcomer, &status, 0), newcomer);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cop_claims_close(third);
}

/* Who comes and goes all the time: the file is made and removed, and still only one holds. */
static int come_and_go(const place *p)
{
    for (int i = 0; i < 300; i++) {
        cop_claims *c = cop_claims_open(p->db);
        while (!cop_claim_take(c, 9, 9))
            usleep(50);
        int fd = open(p->flag, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (c == NULL || fd < 0 || unlink(p->flag) != 0)
            return 1; /* another process was inside */
        close(fd);
        cop_claims_close(c);
    }
    return 0;
}

static void many_come_and_go(void **state)
{
    pid_t child[4];
    for (size_t i = 0; i < COP_LEN(child); i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            alarm(3600);
            _exit(come_and_go(*state));
        }
    }
    for (size_t i = 0; i < COP_LEN(child); i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLACE(one_holder),
        IN_PLACE(the_last_one_removes_the_file),
        IN_PLACE(links_lead_to_the_same_claims),
        IN_PLACE(nothing_to_claim_from),
        IN_PLACE(killed_holders_hold_nothing),
        IN_PLACE(newcomers_do_not_claim_in_removed_files),
        IN_PLACE(many_come_and_go),
    };
    return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
