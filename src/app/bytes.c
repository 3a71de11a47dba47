/* Bytes of a file, unpacked on the way if it is a gzip file: see bytes.h.
 *
 * Rules    a file that begins with 1f 8b is one of gzip: one or more members, each with a check of its contents. All that
 *          can be unpacked is handed out before a fault is told. Zeros may follow the last member, as on tapes.
 * Faults   name the byte of the file as it is on the disk, and what zlib found there. */
#include "app/bytes.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define RAW_BYTES 65536
#define TRAILER 8 /* of a member: crc and length */

static void release(void *arg)
{
    cop_bytes *b = arg;
    if (b->file != NULL)
        (void)fclose(b->file);
    if (b->member)
        (void)inflateEnd(b->z);
    b->file = NULL;
    b->member = false;
}

int cop_bytes_open(cop_bytes *b, const char *path, const void *memory, size_t len, cop_err *err)
{
    struct stat st;
    *b = (cop_bytes){.name = path, .memory = memory, .left = len, .err = err};
    if (memory == NULL && cop_file_check(path, err) != 0)
        return -COP_E_IO;
    if (memory == NULL) {
        errno = 0;
        bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        b->file = folder ? NULL : fopen(path, "rb");
        if (b->file == NULL)
            return cop_err_add(err, COP_E_IO, "%s: cannot be opened, %s; give a readable file",
                               path, folder ? "it is a folder" : strerror(errno ? errno : ENOMEM));
        (void)setvbuf(b->file, NULL, _IONBF, 0);
    }
    cop_mem_defer(&b->open, release, b);
    b->raw = cop_alloc(RAW_BYTES);
    return 0;
}

void cop_bytes_close(cop_bytes *b)
{
    cop_mem_forget(&b->open);
    release(b);
    cop_free(b->raw);
    cop_free(b->z);
    *b = (cop_bytes){0};
}

static uint64_t place(const cop_bytes *b)
{
    return b->before + b->at;
}

/* More raw bytes behind what is left of them; 0: the end, -1: a fault. */
static int64_t more(cop_bytes *b)
{
    memmove(b->raw, b->raw + b->at, b->n - b->at);
    b->before += b->at;
    b->n -= b->at;
    b->at = 0;
    size_t room = RAW_BYTES - b->n, got;
    if (b->file == NULL) {
        got = b->left < room ? b->left : room;
        if (got > 0)
            memcpy(b->raw + b->n, b->memory, got);
        b->memory += got;
        b->left -= got;
    } else {
        errno = 0;
        got = fread(b->raw + b->n, 1, room, b->file);
        if (got == 0 && ferror(b->file)) {
            cop_err_add(b->err, COP_E_INPUT,
                        "%s: byte %" PRIu64 ": cannot be read, %s; give a readable file", b->name,
                        b->before + b->n, strerror(errno ? errno : EIO));
            return -1;
        }
    }
    b->n += got;
    return (int64_t)got;
}

/* -- gzip -- */

static int64_t damaged(cop_bytes *b, uint64_t at, const char *what)
{
    cop_err_add(b->err, COP_E_INPUT,
                "%s: byte %" PRIu64 " of the compressed file: %s; get the whole file anew", b->name,
                at, what);
    return -1;
}

/* zlib has found a fault; the crc and the length stand in the trailer, which it has taken in part. */
static int64_t fault(cop_bytes *b)
{
    const char *why = b->z->msg != NULL ? b->z->msg : "damaged";
    char text[160];
    if (strcmp(why, "incorrect data check") == 0)
        return damaged(b, place(b) - TRAILER / 2,
                       "its check sum (crc) is not that of what it holds; it is damaged");
    if (strcmp(why, "incorrect length check") == 0)
        return damaged(b, place(b) - TRAILER / 2,
                       "its length is not that of what it holds; it is damaged");
    snprintf(text, sizeof(text), "it is damaged here or before (%s)", why);
    return damaged(b, place(b), text);
}

/* Is there another member? 1: yes, and it is begun; 0: no; -1: a fault. */
static int begin_member(cop_bytes *b)
{
    uint64_t end = place(b);
    while (b->n - b->at < 2) {
        int64_t got = more(b);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
    }
    bool is_gzip = b->n - b->at >= 2 && b->raw[b->at] == 0x1f && b->raw[b->at + 1] == 0x8b;
    while (!is_gzip && b->at < b->n) {
        if (b->raw[b->at] != 0)
            return (int)damaged(b, end, "what follows the compressed data is no gzip");
        b->at++;
        if (b->at == b->n && more(b) < 0)
            return -1;
    }
    if (!is_gzip)
        return 0;
    if (b->z == NULL)
        b->z = cop_alloc(sizeof(*b->z));
    memset(b->z, 0, sizeof(*b->z));
    if (inflateInit2(b->z, 15 + 16) != Z_OK)
        cop_out_of_memory();
    b->member = true;
    return 1;
}

static int64_t unpack(cop_bytes *b, uint8_t *to, size_t n)
{
    size_t done = 0;
    if (b->bad)
        return fault(b);
    while (done == 0) {
        if (!b->member) {
            int next = begin_member(b);
            if (next <= 0)
                return next;
        }
        int64_t got = b->at == b->n ? more(b) : 1;
        if (got < 0)
            return -1;
        if (got == 0)
            return damaged(b, place(b), "it ends too early, it is cut short");
        b->z->next_in = b->raw + b->at;
        b->z->avail_in = (uInt)(b->n - b->at);
        b->z->next_out = to;
        b->z->avail_out = (uInt)n;
        int rc = inflate(b->z, Z_NO_FLUSH);
        b->at = b->n - b->z->avail_in;
        done = n - b->z->avail_out;
        if (rc == Z_MEM_ERROR)
            cop_out_of_memory();
        if (rc == Z_STREAM_END) {
            (void)inflateEnd(b->z);
            b->member = false;
        } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
            b->bad = true;
            if (done == 0)
                return fault(b);
        }
    }
    return (int64_t)done;
}

int64_t cop_bytes_read(cop_bytes *b, void *to, size_t n)
{
    if (!b->begun) {
        b->begun = true;
        while (b->n < 2) {
            int64_t got = more(b);
            if (got < 0)
                return -1;
            if (got == 0)
                break;
        }
        b->zipped = b->n >= 2 && b->raw[0] == 0x1f && b->raw[1] == 0x8b;
    }
    if (b->zipped)
        return unpack(b, to, n);
    if (b->at == b->n && more(b) < 0)
        return -1;
    size_t part = b->n - b->at < n ? b->n - b->at : n;
    memcpy(to, b->raw + b->at, part);
    b->at += part;
    return (int64_t)part;
}
