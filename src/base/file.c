#include "base/file.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cop_file_read(const char *path, size_t max_bytes, char **text, size_t *len, cop_err *err)
{
    FILE *f = fopen(path, "rb");
    *text = NULL;
    *len = 0;
    if (f == NULL)
        return cop_err_add(err, COP_E_IO,
                           "%s: cannot be opened, %s; give the path of a readable file", path,
                           strerror(errno));
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
    fclose(f);
    if (rc) {
        cop_free(buf);
        return rc;
    }
    *text = buf;
    *len = n;
    return 0;
}

static int write_all(FILE *f, const char *text, size_t len)
{
    bool good = fwrite(text, 1, len, f) == len && fflush(f) == 0 && fsync(fileno(f)) == 0;
    int why = errno;
    good &= fclose(f) == 0;
    errno = why;
    return good ? 0 : -1;
}

int cop_file_write(const char *path, const char *text, size_t len, cop_err *err)
{
    cop_arena a = {0};
    const char *temporary = cop_arena_printf(&a, "%s.%d.tmp", path, (int)getpid());
    FILE *f = fopen(temporary, "wb");
    int rc = f == NULL ? -1 : write_all(f, text, len);
    if (rc == 0)
        rc = rename(temporary, path);
    if (rc != 0) {
        rc = cop_err_add(err, COP_E_IO,
                         "%s: cannot be written, %s; give a file in a writable "
                         "directory with room",
                         path, strerror(errno));
        if (f != NULL)
            (void)remove(temporary);
    }
    cop_arena_free(&a);
    return rc;
}
