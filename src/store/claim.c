/* Claims on runs: locks on single bytes of a companion of the result file. See claim.h.
 *
 * A run's byte is a hash of its configuration and seed; two runs that meet in one byte only wait for
 * each other. Byte 0 is locked, shared, by all that have the companion open. The last one removes
 * the file: an exclusive lock of byte 0 shows that there is no other. A program that opened it just
 * before finds that its name means another file, or none, and opens again.
 * The locks belong to the open file (F_OFD_SETLK), not to the process: workers inherit them, and
 * SQLite, which locks by process, is not disturbed since the file is another one.
 * Source: fcntl(2), "Open file description locks". */
#include "store/claim.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PRESENCE 0 /* the byte that all have locked who have the file open */
#define MAX_TRIES 100

struct cop_claims {
    cop_arena arena;
    const char *path;
    int fd;
};

static int lock(int fd, int command, short type, off_t byte)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int rc;
    do
        rc = fcntl(fd, command, &l);
    while (rc != 0 && errno == EINTR);
    return rc;
}

static bool still_there(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

/* Open the companion and lock PRESENCE, shared; -1 if that fails. */
static int enter(const char *path, mode_t mode)
{
    for (int i = 0; i < MAX_TRIES; i++) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode);
        if (fd < 0)
            return -1;
        (void)fchmod(fd, mode); /* who may write the results may claim runs, whatever the umask */
        bool locked = lock(fd, F_OFD_SETLKW, F_RDLCK, PRESENCE) == 0;
        if (locked && still_there(fd, path))
            return fd;
        close(fd);
        if (!locked)
            return -1;
    }
    return -1;
}

cop_claims *cop_claims_open(const char *db_path)
{
    /* One file has one companion, whichever link leads to it. */
    char *real = realpath(db_path, NULL);
    struct stat st;
    if (real == NULL || stat(real, &st) != 0) {
        cop_free_foreign(real);
        return NULL;
    }
    cop_claims *c = cop_alloc(sizeof(*c));
    c->path = cop_arena_printf(&c->arena, "%s-claims", real);
    cop_free_foreign(real);
    c->fd = enter(c->path, st.st_mode & 0666);
    if (c->fd >= 0)
        return c;
    cop_arena_free(&c->arena);
    cop_free(c);
    return NULL;
}

void cop_claims_close(cop_claims *c)
{
    if (c == NULL)
        return;
    /* Not from shared to exclusive: two that close at once would each wait for the other to let go. */
    (void)lock(c->fd, F_OFD_SETLK, F_UNLCK, PRESENCE);
    if (lock(c->fd, F_OFD_SETLK, F_WRLCK, PRESENCE) == 0 && still_there(c->fd, c->path))
        (void)unlink(c->path);
    close(c->fd);
    cop_arena_free(&c->arena);
    cop_free(c);
}

static off_t byte_of(uint64_t config_hash, int64_t seed)
{
    uint64_t run[2] = {config_hash, (uint64_t)seed};
    uint64_t hash = cop_hash_bytes(COP_HASH_START, run, sizeof(run));
    return (off_t)(hash >> 2) + PRESENCE + 1; /* file offsets have 63 bits */
}

bool cop_claim_take(cop_claims *c, uint64_t config_hash, int64_t seed)
{
    return c == NULL || lock(c->fd, F_OFD_SETLK, F_WRLCK, byte_of(config_hash, seed)) == 0 ||
           (errno != EAGAIN && errno != EACCES);
}

void cop_claim_drop(cop_claims *c, uint64_t config_hash, int64_t seed)
{
    if (c != NULL)
        (void)lock(c->fd, F_OFD_SETLK, F_UNLCK, byte_of(config_hash, seed));
}
