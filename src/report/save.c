/* Files that appear whole or not at all.
 *
 * Written under another name in the same folder, then renamed. What is no plain file (a pipe, a
 * terminal, /dev/null) is written straight.
 */
#include "report/report_int.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path, int why, cop_err *err)
{
    return cop_err_add(err, COP_E_IO,
                       "%s: cannot be written (%s); give a file in a folder you may write", path,
                       why ? strerror(why) : "write error");
}

/* 0, or the reason as errno; the stream is closed. */
static int fill(FILE *f, cop_report_write_fn write, const void *what)
{
    errno = 0;
    write(what, f);
    int why = fflush(f) != 0 || ferror(f) ? (errno ? errno : EIO) : 0;
    if (fclose(f) != 0 && why == 0)
        why = errno ? errno : EIO;
    return why;
}

static int save_beside(const char *path, mode_t mode, cop_report_write_fn write, const void *what)
{
    size_t size = strlen(path) + 16;
    char *temp = cop_alloc(size);
    snprintf(temp, size, "%s.XXXXXX", path);
    int fd = mkstemp(temp), why = fd < 0 ? errno : 0;
    if (why == 0) {
        FILE *f = fdopen(fd, "w");
        COP_CHECK(f != NULL);
        why = fill(f, write, what);
        if (why == 0 && (chmod(temp, mode) != 0 || rename(temp, path) != 0))
            why = errno;
        if (why != 0)
            (void)unlink(temp);
    }
    cop_free(temp);
    return why;
}

int cop_report_save(const char *path, cop_report_write_fn write, const void *what, cop_err *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (path[0] == '\0')
        return cop_err_add(err, COP_E_IO, "no file is named; give one, like report.html");
    if (exists && S_ISDIR(st.st_mode))
        return cop_err_add(err, COP_E_IO, "%s: is a folder; give the name of a file in it", path);
    int why;
    if (exists && !S_ISREG(st.st_mode)) {
        FILE *f = fopen(path, "w");
        why = f ? fill(f, write, what) : errno;
    } else if (exists && access(path, W_OK) != 0) {
        why = errno; /* a rename would get round the owner's wish */
    } else {
        mode_t mask = umask(022);
        umask(mask);
        why = save_beside(path, exists ? st.st_mode & 07777 : 0666 & ~mask, write, what);
    }
    return why ? cannot_write(path, why, err) : 0;
}
