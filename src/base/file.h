/* Reading a whole file. */
#ifndef COP_FILE_H
#define COP_FILE_H

#include "base/err.h"

/* All bytes of the file at `path`, at most max_bytes. On success *text is to be freed with
 * cop_free; on failure it is NULL and err says what to do. */
int cop_file_read(const char *path, size_t max_bytes, char **text, size_t *len, cop_err *err);

#endif
