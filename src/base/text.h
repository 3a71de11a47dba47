/* Text from outside, made harmless: a terminal executes control characters, and reorders text
 * between direction marks. Names, titles and explanations come from files, so all code that prints
 * them uses these functions. */
#ifndef COP_TEXT_H
#define COP_TEXT_H

#include "base/mem.h"

/* Is this code point (COP_NONE: bytes that are not UTF-8) shown as it is, without another
 * effect? */
bool cop_is_plain(uint32_t c);
/* Replace control characters by spaces, and marks of direction, invisible tags and bytes that are
 * not UTF-8 by question marks, in place; the text never grows. Returns its length. */
size_t cop_plain(char *text);
/* The same, but line breaks stay. */
size_t cop_plain_lines(char *text);
/* The text itself if it is harmless, or such a copy. NULL is "". */
const char *cop_plain_copy(cop_arena *a, const char *text);
/* Columns that it takes in a terminal: characters, not bytes. */
size_t cop_columns(const char *text);

#endif
