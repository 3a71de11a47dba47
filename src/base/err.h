/* Errors of input, files or the disk: a code and one line of text per fault. The function that
 * detects a fault writes the message; only apps/ prints it. */
#ifndef COP_ERR_H
#define COP_ERR_H

#include "base/base.h"

#include <stdarg.h>

/* Returned negated by functions that can fail; 0 is success. */
enum cop_code {
    COP_OK = 0,
    COP_E_INPUT = 2, /* bad configuration, topology, table, command line */
    COP_E_IO = 4, /* a file cannot be read or written */
    COP_E_MEMORY = 5, /* the network does not fit in memory */
    COP_E_STOPPED = 6, /* the user stopped it */
};

typedef struct cop_err {
    int code; /* the first fault's code, COP_OK if none */
    unsigned faults; /* number of faults added, including those that no longer fitted */
    size_t used; /* bytes of `text` in use */
    char text[4096]; /* one fault per line, no trailing newline */
} cop_err;

COP_OUTSIDE_BEGIN
/* Add one fault; returns -code so that callers can `return cop_err_add(...)`. `err` may be NULL. */
int cop_err_add(cop_err *err, int code, const char *fmt, ...) COP_PRINTF(3, 4);
int cop_err_addv(cop_err *err, int code, const char *fmt, va_list ap);
COP_OUTSIDE_END

#endif
