/* Bytes of a file, compressed or not, piece by piece; lines of text of it. Private to the readers. */
#ifndef COP_APP_SOURCE_H
#define COP_APP_SOURCE_H

#include "app/bytes.h"
#include "app/read.h"

#include <stdio.h>

#define COP_SOURCE_PIECE 65536
#define COP_SOURCE_LINE 4096 /* longest line of text, with its end */

typedef struct cop_source {
    const char *name;
    cop_bytes bytes;
    bool from_file; /* not from memory */
    uint64_t offset; /* of piece[at], uncompressed */
    uint8_t *piece; /* heap */
    size_t at, n;
    bool ended, failed;
    /* lines */
    uint32_t line; /* number of the last one, from 1 */
    bool in_comment;
    char *text; /* heap */
    cop_err *err;
} cop_source;

/* Open the file, or bytes in memory if not NULL. What goes wrong later is told to err. */
int cop_source_open(cop_source *s, const char *path, const void *bytes, size_t len, cop_err *err);
void cop_source_close(cop_source *s);
/* More bytes into the empty piece; false at the end, or after a fault (then s->failed). */
bool cop_source_fill(cop_source *s);
/* Pass over what is left, so that a check at the end of the file is met; false: it has a fault, or there are more than
 * 64 KiB (then !s->failed). */
bool cop_source_end(cop_source *s);
/* Exactly n bytes into *to; false if there are fewer. */
bool cop_source_get(cop_source *s, void *to, size_t n);
static inline bool cop_source_byte(cop_source *s, uint8_t *b)
{
    if (COP_UNLIKELY(s->at == s->n) && !cop_source_fill(s))
        return false;
    s->offset++;
    *b = s->piece[s->at++];
    return true;
}
/* The first bytes of the file, without taking them; how many there are, at most n. */
size_t cop_source_peek(cop_source *s, void *to, size_t n);
/* The next line that holds more than white space and comments, without these; NULL at the end or after
 * a fault (then s->failed). Ends with \0. */
char *cop_source_line(cop_source *s);
/* One fault at the present line, or byte. */
int cop_source_fault(cop_source *s, const char *fmt, ...) COP_PRINTF(2, 3);
int cop_source_fault_at(cop_source *s, uint64_t offset, const char *fmt, ...) COP_PRINTF(3, 4);

/* Words of a line: *text moves past white space, the word and the white space after it. */
char *cop_word(char **text, size_t *length);
static inline bool cop_is_word(const char *word, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (word[i] != what[i] || what[i] == '\0')
            return false;
    return what[n] == '\0';
}
/* Decimal digits alone, not more than max. */
bool cop_whole(const char *word, size_t n, uint64_t max, uint64_t *value);

/* The readers: fill *g, which is empty and unfinished; the caller finishes or frees it. */
int cop_read_goal_text(cop_graph *g, cop_source *s, const cop_read_cfg *cfg);
int cop_read_goal_bin(cop_graph *g, cop_source *s, const cop_read_cfg *cfg);
int cop_read_htsim(cop_graph *g, cop_source *s);
int cop_read_chakra(cop_graph *g, const char *path, cop_source *first, const cop_read_cfg *cfg,
                    cop_read_notes *notes);

#endif
