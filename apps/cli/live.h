/* A run in the browser while it goes on, or a stored one, played.
 *
 * The server listens on the loopback address only, under an address with a secret in it that is printed
 * once. It has one page and one WebSocket and knows no files. */
#ifndef COP_LIVE_H
#define COP_LIVE_H

#include "exp/run.h"

#include <stdio.h>

typedef struct cop_live cop_live;

/* 0, or an exit status with one line said. Prints the address on `say`. */
int cop_live_start(cop_live **l, const char *title, FILE *say);
/* Fit cop_run_hooks.ports and .trees; ctx is a cop_live. The second one waits while a browser that is there
 * wants a pause, and never for any other reason. */
void cop_live_ports(void *ctx, const cop_run_ports *p);
void cop_live_trees(void *ctx, const cop_tree_now *now);
/* The run is over: browsers are told. */
void cop_live_end(cop_live *l);
/* Frame that a browser wants to see next, of a run that is played; SIZE_MAX: none asked. */
size_t cop_live_wanted(cop_live *l);
/* Nobody has closed it yet. */
bool cop_live_open(cop_live *l);
/* Until somebody closes it, from the page or with Ctrl-C; then it is freed. */
void cop_live_wait(cop_live *l);
void cop_live_close(cop_live *l); /* NULL: nothing */

#endif
