/* Files that hold programs: their formats, and how to read one into a graph.
 *
 *   goal        GOAL, text (goal_text.c)
 *   goal-bin    GOAL, binary (goal_bin.c)
 *   chakra      Chakra execution traces, one file per rank: NAME.0.et, NAME.1.et, ... (chakra.c)
 *   htsim       connection matrices of htsim (htsim_cm.c)
 * All may be compressed with gzip. docs/TRACES.md describes what is accepted. */
#ifndef COP_APP_READ_H
#define COP_APP_READ_H

#include "app/graph.h"

/* How a file is to be understood. */
typedef struct cop_read_cfg {
    uint64_t calc_unit_ps; /* GOAL: what one unit of `calc` takes */
    int all_reduce, reduce_scatter, all_gather, all_to_all,
        broadcast; /* Chakra: enum cop_collective
                                                                          of its collectives */
} cop_read_cfg;
void cop_read_defaults(cop_read_cfg *cfg);

/* Results of a reader besides the graph. */
typedef struct cop_read_notes {
    const char *format;
    uint64_t bytes; /* uncompressed */
    char text[1024]; /* what was not understood and left out, one line each; "": nothing */
} cop_read_notes;

/* Read the file at `path` into *g, checked and finished. On failure *g holds nothing. */
int cop_read_program(cop_graph *g, const char *path, const cop_read_cfg *cfg, cop_read_notes *notes,
                     cop_err *err);
/* The same of bytes in memory, for one file; `name` stands for it in messages. A Chakra trace is then
 * that of the only rank. */
int cop_read_bytes(cop_graph *g, const char *name, const void *bytes, size_t len,
                   const cop_read_cfg *cfg, cop_read_notes *notes, cop_err *err);

#endif
