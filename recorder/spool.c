// Records of one rank on disk. One buffer: the records that were appended last, later those that are read.
#include "record.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t size = sizeof(struct rec_record);

int rec_spool_open(struct rec_spool *s, const char *folder)
{
    char path[4096];
    memset(s, 0, sizeof *s);
    s->fd = -1;
    if (snprintf(path, sizeof path, "%s/coppice-mpi-XXXXXX", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    s->fd = mkostemp(path, O_CLOEXEC);
    if (s->fd < 0)
        return errno;
    unlink(path);
    s->buffer = rec_realloc(NULL, REC_SPOOL_RECORDS, size);
    return 0;
}

static bool transfer(struct rec_spool *s, bool write, void *at, size_t bytes, uint64_t offset)
{
    char *p = at;
    while (bytes) {
        ssize_t n =
            write ? pwrite(s->fd, p, bytes, (off_t)offset) : pread(s->fd, p, bytes, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            s->fault = n ? errno : EIO;
            return false;
        }
        p += n;
        bytes -= (size_t)n;
        offset += (size_t)n;
    }
    return true;
}

static bool flush(struct rec_spool *s)
{
    if (!transfer(s, true, s->buffer, s->held * size, s->base * size))
        return false;
    s->base += s->held;
    s->held = 0;
    return true;
}

bool rec_spool_append(struct rec_spool *s, const struct rec_record *r)
{
    if (s->fault || (s->held == REC_SPOOL_RECORDS && !flush(s)))
        return false;
    s->buffer[s->held++] = *r;
    s->count++;
    return true;
}

bool rec_spool_get(struct rec_spool *s, uint64_t at, struct rec_record *r)
{
    if (at < s->base)
        return transfer(s, false, r, size, at * size);
    *r = s->buffer[at - s->base];
    return true;
}

bool rec_spool_patch(struct rec_spool *s, uint64_t at, const struct rec_record *r)
{
    struct rec_record copy = *r;
    if (at < s->base)
        return transfer(s, true, &copy, size, at * size);
    s->buffer[at - s->base] = *r;
    return true;
}

// Records that a full disk refused are lost, and the recording ends there.
void rec_spool_rewind(struct rec_spool *s)
{
    if (!s->reading && (s->fault || !flush(s)))
        s->count = s->base;
    s->reading = true;
    s->base = s->held = s->next = 0;
}

bool rec_spool_next(struct rec_spool *s, struct rec_record *r)
{
    if (s->next == s->count)
        return false;
    if (s->next == s->base + s->held) {
        uint64_t left = s->count - s->next;
        size_t n = left < REC_SPOOL_RECORDS ? (size_t)left : REC_SPOOL_RECORDS;
        if (!transfer(s, false, s->buffer, n * size, s->next * size)) {
            s->count = s->next;
            return false;
        }
        s->base = s->next;
        s->held = n;
    }
    *r = s->buffer[s->next++ - s->base];
    return true;
}

void rec_spool_reset(struct rec_spool *s)
{
    s->count = s->base = s->next = 0;
    s->held = 0;
    s->reading = false;
}

void rec_spool_close(struct rec_spool *s)
{
    if (s->fd >= 0)
        close(s->fd);
    free(s->buffer);
    s->buffer = NULL;
    s->fd = -1;
}
