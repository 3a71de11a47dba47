#include "base/err.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void cop_panic(const char *file, int line, const char *what)
{
    fprintf(stderr, "coppice: internal error at %s:%d: %s does not hold\n", file, line, what);
    abort();
}

void cop_misused(const char *family, const char *name, const char *what)
{
    fprintf(stderr, "coppice: %s %s: %s (docs/ADDING.md)\n", family, name, what);
    abort();
}

int cop_err_addv(cop_err *err, int code, const char *fmt, va_list ap)
{
    if (err == NULL)
        return -code;
    if (err->code == COP_OK)
        err->code = code;
    err->faults++;
    size_t room = sizeof(err->text) - err->used;
    if (err->used > 0 && room <= 2)
        return -code; /* counted, but there is no room for another line */
    if (err->used > 0) {
        err->text[err->used++] = '\n';
        room--;
    }
    /* Messages quote what is wrong, and end in a terminal. */
    if (vsnprintf(err->text + err->used, room, fmt, ap) > 0)
        err->used += cop_plain_lines(err->text + err->used);
    return -code;
}

int cop_err_add(cop_err *err, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int rc = cop_err_addv(err, code, fmt, ap);
    va_end(ap);
    return rc;
}
