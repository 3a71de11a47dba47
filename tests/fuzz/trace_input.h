/* Bytes into the reader of traces. Whatever they are, it must answer with a program that has no cycle within a
 * rank and a send for each receive, or with one error message. Shared by the fuzzers of the formats. */
#ifndef COP_FUZZ_TRACE_INPUT_H
#define COP_FUZZ_TRACE_INPUT_H

#include "app/read.h"
#include "app/waits.h"

#include <string.h>

/* `name` and the bytes of `head`, which stand before the others, choose the format. */
static inline int fuzz_trace(const char *name, const uint8_t *head, size_t before,
                             const uint8_t *data, size_t size)
{
    cop_graph g;
    cop_err err = {0};
    cop_read_cfg cfg;
    cop_read_notes notes;
    uint8_t *all = cop_alloc(before + size);
    if (before > 0)
        memcpy(all, head, before);
    if (size > 0)
        memcpy(all + before, data, size);
    cop_read_defaults(&cfg);
    int rc = cop_read_bytes(&g, name, all, before + size, &cfg, &notes, &err);
    COP_CHECK((rc == 0) == (err.faults == 0) && err.faults <= 1);
    if (rc == 0) {
        uint64_t ops = 0;
        for (uint32_t r = 0; r < g.n_ranks; r++)
            ops += g.n_of[r];
        COP_CHECK(ops == g.n_ops && g.op[g.n_ops].edge0 == g.n_edges);
        for (size_t i = 0; i < g.n_edges; i++)
            COP_CHECK((g.edge[i] & ~COP_EDGE_START) < g.n_ops);
        for (uint64_t eager = 0;;
             eager = UINT64_MAX) { /* what works with no eager message works with all */
            cop_waits w;
            int stuck = cop_graph_check_waits(&g, eager, &w, &err);
            COP_CHECK((stuck != 0) == (err.faults > 0) && (w.stuck > 0) == (w.text[0] != '\0'));
            COP_CHECK(stuck == 0 || w.unordered == 0);
            if (stuck != 0 || eager > 0)
                break;
        }
        cop_graph_free(&g);
    } else {
        COP_CHECK(err.code == COP_E_INPUT && strchr(err.text, ';') != NULL &&
                  strchr(err.text, '\n') == NULL);
    }
    cop_free(all);
    return 0;
}

#endif
