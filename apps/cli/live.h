/* A run in the browser while it goes on, or stored ones, played.
 *
 * The server listens on the loopback address only, under an address with a secret in it that is printed
 * once. It has one page and one WebSocket and knows no files. */
#ifndef COP_LIVE_H
#define COP_LIVE_H

#include "exp/run.h"

#include <stdio.h>

typedef struct cop_live cop_live;

/* 0, or an exit status with one line said. Prints the address on `say`. `wait`: the run pauses at its first
 * frame until a browser tells it to go on, or has gone away again. */
int cop_live_start(cop_live **l, const char *title, bool wait, FILE *say);
/* Fit cop_run_hooks.ports and .trees; ctx is a cop_live. The second one waits while a browser that is there
 * wants a pause, and never for any other reason. */
void cop_live_ports(void *ctx, const cop_run_ports *p);
void cop_live_trees(void *ctx, const cop_tree_now *now);

/* A run that is over, with all its frames. */
typedef struct cop_live_film {
    int64_t run; /* number of a stored one; else 0 */
    const cop_run_ports *ports; /* of a stored one; else NULL: browsers have been told */
    const cop_result *result; /* ports, times of frames, trees and their members */
    /* What is in a frame, and who takes part in the trees of it (tree_frame of result, a copy): 1, or a fault. */
    int (*frame)(void *ctx, uint32_t number, cop_frame *f, cop_arena *arena, cop_err *err);
    int (*parts)(void *ctx, cop_tree_frame *f, cop_arena *arena, cop_err *err);
    void *ctx;
} cop_live_film;

/* Films that browsers can ask for. */
typedef struct cop_live_films {
    /* That of a run, 0: of the first to be shown. The pane, 0 or 1, is where it is wanted: what that pane had
     * before may be forgotten. NULL: there is none, or a fault was added. */
    const cop_live_film *(*open)(void *ctx, int64_t run, unsigned pane, cop_err *err);
    struct json_t *runs; /* [{id, name, title, config}] to choose from, or NULL */
    void *ctx;
} cop_live_films;
#define COP_LIVE_PANES 2

/* Serve frames to browsers until the user closes the view (page or Ctrl-C). 0 or a fault. */
int cop_live_play(cop_live *l, const cop_live_films *films, cop_err *err);
void cop_live_close(cop_live *l); /* NULL: nothing */

#endif
