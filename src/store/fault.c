/* Words for everything that can go wrong with a database file.
 *
 * In:  a path not opened yet, or a handle whose last call failed.
 * Out: one line "path: what is wrong; what would be right" in err, code COP_E_IO.
 * The path is looked at first because SQLite says "unable to open database file" to a missing
 * folder, a folder in the place of a file and a lack of rights alike. Nothing here changes a file.
 */
#include "store/store_int.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder part of path, into buf; "." if there is none. */
static const char *folder_of(const char *path, char *buf, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ".";
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    if (n >= size)
        n = size - 1;
    memcpy(buf, path, n);
    buf[n] = '\0';
    return buf;
}

static int check_new_file(const char *path, cop_err *err)
{
    char buf[1024];
    const char *dir = folder_of(path, buf, sizeof(buf));
    struct stat st;
    if (stat(dir, &st) != 0)
        return cop_err_add(err, COP_E_IO, "%s: cannot enter folder %s (%s); make it first", path,
                           dir, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return cop_err_add(err, COP_E_IO, "%s: %s is not a folder; give a file in a folder", path,
                           dir);
    if (access(dir, W_OK | X_OK) != 0)
        return cop_err_add(err, COP_E_IO,
                           "%s: folder %s cannot be written (%s); give a file in a folder you may "
                           "write",
                           path, dir, strerror(errno));
    return 0;
}

int cop_store_check_path(const char *path, bool write, cop_err *err)
{
    struct stat st;
    if (path == NULL || path[0] == '\0')
        return cop_err_add(err, COP_E_IO, "no database file is named; give one, like results.db");
    if (stat(path, &st) != 0) {
        if (errno == ENOENT && write)
            return check_new_file(path, err);
        return cop_err_add(err, COP_E_IO,
                           "%s: %s; give a database written by `coppice run --db FILE`", path,
                           strerror(errno));
    }
    if (S_ISDIR(st.st_mode))
        return cop_err_add(err, COP_E_IO, "%s: is a folder; give the name of a file in it", path);
    if (!S_ISREG(st.st_mode))
        return cop_err_add(err, COP_E_IO, "%s: is not a plain file; give the name of a file", path);
    if (access(path, write ? R_OK | W_OK : R_OK) != 0)
        return cop_err_add(err, COP_E_IO, "%s: cannot be %s (%s); give a file you may %s", path,
                           write ? "written" : "read", strerror(errno), write ? "write" : "read");
    /* The journal lies beside the file: a writable file in a locked folder does not do. */
    return write ? check_new_file(path, err) : 0;
}

/* SQLite does not always keep the system's reason; errno then still has it. */
static bool is_disk_full(int code, int system_errno)
{
    if ((code & 0xff) == SQLITE_FULL)
        return true;
    int why = system_errno ? system_errno : errno;
    return (code & 0xff) == SQLITE_IOERR && (why == ENOSPC || why == EFBIG || why == EDQUOT);
}

/* A reader needs to write too: the index of a write-ahead log that a writer left or still uses. */
static int readonly_fault(const cop_store *s, cop_err *err)
{
    if (s->write)
        return cop_err_add(err, COP_E_IO,
                           "%s: cannot be written (%s); give a file and folder you may write",
                           s->path, sqlite3_errmsg(s->db));
    return cop_err_add(err, COP_E_IO,
                       "%s: is open for reading only, or its folder is (%s); copy it with its -wal "
                       "file to a folder you may write",
                       s->path, sqlite3_errmsg(s->db));
}

static int io_fault(const cop_store *s, int system_errno, cop_err *err)
{
    const char *why = system_errno ? strerror(system_errno) : sqlite3_errmsg(s->db);
    return cop_err_add(err, COP_E_IO,
                       "%s: the file or its journal cannot be read or written (%s); check the disk "
                       "and your rights in its folder",
                       s->path, why);
}

int cop_store_fault(const cop_store *s, cop_err *err)
{
    int code = sqlite3_extended_errcode(s->db), system_errno = sqlite3_system_errno(s->db);
    const char *path = s->path, *why = sqlite3_errmsg(s->db);
    if (is_disk_full(code, system_errno))
        return cop_err_add(
            err, COP_E_IO,
            "%s: no room left on the disk; what was stored before is there, the rest "
            "is not. Free some space or give a file on another disk",
            path);
    if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
        return cop_err_add(err, COP_E_MEMORY, COP_NO_MEMORY);
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return cop_err_add(err, COP_E_IO,
                           "%s: another program kept it locked for %g s; wait for that program or "
                           "give another file",
                           path, s->busy_ms / 1000.0);
    case SQLITE_NOTADB:
        return cop_err_add(err, COP_E_IO,
                           "%s: is not an SQLite database; give a file written by coppice or a new "
                           "name",
                           path);
    case SQLITE_CORRUPT:
        return cop_err_add(err, COP_E_IO,
                           "%s: the database is damaged (%s); give a new name, and save what is "
                           "left with the .recover command of sqlite3",
                           path, why);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return readonly_fault(s, err);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
        return io_fault(s, system_errno, err);
    case SQLITE_CONSTRAINT:
        return cop_err_add(
            err, COP_E_IO,
            "%s: the result contradicts the tables (%s), nothing was stored; this is "
            "a fault of coppice, please report it",
            path, why);
    default:
        return cop_err_add(err, COP_E_IO,
                           "%s: SQLite reports %s; give a file written by coppice or a new name",
                           path, why);
    }
}
