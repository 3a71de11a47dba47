#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_PIECE_BYTES 65536

static void close_file(void *f)
{
    (void)fclose(f);
}

FILE *cop_text_open(char **text, size_t *len)
{
    *text = NULL;
    FILE *f = open_memstream(text, len);
    if (f == NULL)
        cop_out_of_memory();
    return f;
}

void cop_text_close(FILE *f, char *const *text)
{
    bool lost = ferror(f) != 0;
    if (fclose(f) != 0 || lost || *text == NULL)
        cop_out_of_memory();
}

/* /dev/stdin, and pipes that shells make of `<(...)`, have a writer. */
static bool waits_for_ever(const char *path)
{
    struct stat st;
    return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 &&
           stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

int cop_file_check(const char *path, cop_err *err)
{
    if (!waits_for_ever(path))
        return 0;
    return cop_err_add(err, COP_E_IO,
                       "%s: is a pipe, which may never be written to; give a file, or /dev/stdin",
                       path);
}

int cop_file_read(const char *path, size_t max_bytes, char **text, size_t *len, cop_err *err)
{
    *text = NULL;
    *len = 0;
    if (cop_file_check(path, err) != 0)
        return -COP_E_IO;
    FILE *f = fopen(path, "rb");
    if (f == NULL && errno == ENOMEM)
        cop_out_of_memory();
    if (f == NULL)
        return cop_err_add(err, COP_E_IO,
                           "%s: cannot be opened, %s; give the path of a readable file", path,
                           strerror(errno));
    cop_deferred open;
    cop_mem_defer(&open, close_file, f);
    char *buf = NULL;
    size_t n = 0, cap = 0, got;
    do {
        buf = cop_grow(buf, &cap, n + 65536, 1);
        got = fread(buf + n, 1, cap - n, f);
        n += got;
    } while (got > 0 && n <= max_bytes);
    int rc = 0;
    if (ferror(f))
        rc = cop_err_add(err, COP_E_IO, "%s: cannot be read, %s; give the path of a readable file",
                         path, strerror(errno));
    else if (n > max_bytes)
        rc = cop_err_add(err, COP_E_INPUT, "%s: longer than %zu bytes; is it the right file?", path,
                         max_bytes);
    cop_mem_forget(&open);
    fclose(f);
    if (rc) {
        cop_free(buf);
        return rc;
    }
    *text = buf;
    *len = n;
    return 0;
}

static int write_all(FILE *f, const char *text, size_t len, bool sync)
{
    errno = 0;
    bool good =
        fwrite(text, 1, len, f) == len && fflush(f) == 0 && (!sync || fsync(fileno(f)) == 0);
    int why = errno;
    good &= fclose(f) == 0;
    errno = why ? why : EIO;
    return good ? 0 : -1;
}

static int cannot_write(const char *path, cop_err *err)
{
    return cop_err_add(err, COP_E_IO,
                       "%s: cannot be written (%s); give a file in a folder you may write", path,
                       strerror(errno));
}

/* Write beside the file and rename: it keeps its mode, a new one gets the usual. */
static int replace(const char *target, mode_t mode, const char *text, size_t len)
{
    cop_arena a = {0};
    char *temporary = cop_arena_printf(&a, "%s.XXXXXX", target);
    int fd = mkstemp(temporary), rc = -1;
    if (fd >= 0) {
        rc = write_all(fdopen(fd, "wb"), text, len, true);
        if (rc == 0)
            rc = chmod(temporary, mode) == 0 ? rename(temporary, target) : -1;
        int why = errno;
        if (rc != 0)
            (void)remove(temporary);
        errno = why;
    }
    cop_arena_free(&a);
    return rc;
}

int cop_file_write(const char *path, const char *text, size_t len, cop_err *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (path[0] == '\0')
        return cop_err_add(err, COP_E_IO, "no file is named; give one");
    if (exists && S_ISDIR(st.st_mode))
        return cop_err_add(err, COP_E_IO, "%s: is a folder; give the name of a file in it", path);
    if (exists && !S_ISREG(st.st_mode)) { /* a pipe or device is written to, not replaced */
        FILE *f = fopen(path, "wb");
        return f && write_all(f, text, len, false) == 0 ? 0 : cannot_write(path, err);
    }
    if (exists && access(path, W_OK) != 0) /* a rename would ignore the missing permission */
        return cannot_write(path, err);
    mode_t mask = umask(022);
    umask(mask);
    char *real = realpath(path, NULL); /* a link stays a link */
    int rc = replace(real ? real : path, exists ? st.st_mode & 07777 : 0666 & ~mask, text, len);
    if (rc != 0)
        rc = cannot_write(path, err);
    cop_free_foreign(real);
    return rc;
}

uint64_t cop_hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

bool cop_hash_file(uint64_t *hash, const char *path)
{
    char *buf = cop_alloc(HASH_PIECE_BYTES); /* before the file: nothing is open if it fails */
    FILE *f = waits_for_ever(path) ? NULL : fopen(path, "rb");
    if (f == NULL) {
        cop_free(buf);
        return false;
    }
    size_t got;
    while ((got = fread(buf, 1, HASH_PIECE_BYTES, f)) > 0)
        *hash = cop_hash_bytes(*hash, buf, got);
    bool whole = !ferror(f);
    fclose(f);
    cop_free(buf);
    return whole;
}
