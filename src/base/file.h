/* Reading and writing whole files. */
#ifndef COP_FILE_H
#define COP_FILE_H

#include "base/err.h"

#include <stdio.h>

/* Text in memory, grown as it is written; lack of memory ends the program as elsewhere. After
 * fclose the caller owns the text, and frees it by cop_free_foreign. */
FILE *cop_text_open(char **text, size_t *len);
void cop_text_close(FILE *f, char *const *text);

/* Adds an error if opening `path` could wait for ever: a named pipe, which may have no writer. */
int cop_file_check(const char *path, cop_err *err);

/* All bytes of the file at `path`, at most max_bytes. On success *text is to be freed with
 * cop_free; on failure it is NULL and err says what to do. */
int cop_file_read(const char *path, size_t max_bytes, char **text, size_t *len, cop_err *err);

/* Replace the file at `path` as a whole: readers see the old or the new text, a full disk leaves
 * the old one. */
int cop_file_write(const char *path, const char *text, size_t len, cop_err *err);

/* A 64-bit hash of bytes that come in pieces (FNV-1a): begin with the start value. */
#define COP_HASH_START 0xcbf29ce484222325u
uint64_t cop_hash_bytes(uint64_t hash, const void *bytes, size_t len);
/* The same over the contents of a file. False if it cannot be read. */
bool cop_hash_file(uint64_t *hash, const char *path);

#endif
