/* Which format a file has, and reading it: see read.h. */
#include "app/coll.h"
#include "app/source.h"

#include <string.h>

#define GOAL_BIN_COOKIE 4223u

void cop_read_defaults(cop_read_cfg *cfg)
{
    *cfg = (cop_read_cfg){.calc_unit_ps = COP_NS};
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The first word of a text, behind white space and comments. */
static bool first_word_is(const char *head, size_t n, const char *word)
{
    size_t i = 0, m = strlen(word);
    while (i < n) {
        if (head[i] == ' ' || (head[i] >= '\t' && head[i] <= '\r')) {
            i++;
        } else if (head[i] == '/' && i + 1 < n && head[i + 1] == '/') {
            while (i < n && head[i] != '\n')
                i++;
        } else if (head[i] == '/' && i + 1 < n && head[i + 1] == '*') {
            const char *end = memmem(head + i + 2, n - i - 2, "*/", 2);
            i = end != NULL ? (size_t)(end - head) + 2 : n;
        } else {
            break;
        }
    }
    return n - i >= m && memcmp(head + i, word, m) == 0;
}

static int read_source(cop_graph *g, const char *path, cop_source *s, const cop_read_cfg *cfg,
                       cop_read_notes *notes)
{
    char head[4096];
    uint64_t cookie = 0;
    size_t n = cop_source_peek(s, head, sizeof(head));
    if (s->failed)
        return -COP_E_INPUT;
    if (n >= sizeof(cookie))
        memcpy(&cookie, head, sizeof(cookie));
    if (cookie == GOAL_BIN_COOKIE) {
        notes->format = "GOAL, binary";
        return cop_read_goal_bin(g, s, cfg);
    }
    if (ends_with(path, ".et") || ends_with(path, ".et.gz")) {
        notes->format = "Chakra execution trace";
        return cop_read_chakra(g, path, s, cfg, notes);
    }
    if (first_word_is(head, n, "Nodes")) {
        notes->format = "htsim connection matrix";
        return cop_read_htsim(g, s);
    }
    notes->format = "GOAL, text";
    return cop_read_goal_text(g, s, cfg);
}

static int read_all(cop_graph *g, const char *path, const void *bytes, size_t len,
                    const cop_read_cfg *cfg, cop_read_notes *notes, cop_err *err)
{
    cop_source s;
    cop_read_notes none;
    if (notes == NULL)
        notes = &none;
    *notes = (cop_read_notes){.format = "unknown"};
    *g = (cop_graph){0};
    int rc = cop_source_open(&s, path, bytes, len, err);
    if (rc != 0)
        return rc;
    rc = read_source(g, path, &s, cfg, notes);
    notes->bytes += s.offset;
    if (rc == 0 && s.failed)
        rc = -COP_E_INPUT;
    cop_source_close(&s);
    if (rc == 0)
        rc = cop_graph_finish(g, err);
    if (rc != 0)
        cop_graph_free(g);
    return rc;
}

int cop_read_program(cop_graph *g, const char *path, const cop_read_cfg *cfg, cop_read_notes *notes,
                     cop_err *err)
{
    return read_all(g, path, NULL, 0, cfg, notes, err);
}

int cop_read_bytes(cop_graph *g, const char *name, const void *bytes, size_t len,
                   const cop_read_cfg *cfg, cop_read_notes *notes, cop_err *err)
{
    return read_all(g, name, bytes != NULL ? bytes : "", len, cfg, notes, err);
}
