/* Congestion trees: found at samples of a run, followed from sample to sample, told apart. What a tree
 * is: docs/MODEL.md, "Congestion trees". Sees the network through net/look.h alone. */
#ifndef COP_TREE_H
#define COP_TREE_H

#include "net/look.h"
#include "stats/result.h"
#include "topo/topo.h"
#include "tree/now.h"

typedef struct cop_tree_watch cop_tree_watch;

typedef struct cop_tree_cfg {
    cop_time period; /* of samples */
    cop_time most; /* the period doubles up to this whenever 100 of them have passed; 0: it stays */
    bool thrifty; /* leave out samples that cost too much beside the events so far */
    uint64_t threshold_bytes; /* a root has so many waiting at least; 0: half an input buffer */
    cop_time duration;
    bool film; /* keep frames, to be played; else only when they were */
} cop_tree_cfg;

cop_tree_watch *cop_tree_new(const cop_topo *topo, const struct cop_net *net,
                             const cop_tree_cfg *cfg);
/* Fits cop_observer.look; ctx is the watch. The first look is due at cop_tree_first. */
cop_time cop_tree_look(void *ctx, const struct cop_net *net, cop_time now);
cop_time cop_tree_first(const cop_tree_watch *w);
/* Called after each sample; may be NULL. In `tree` of the frames stands the number of the tree in order
 * of appearance. */
void cop_tree_tell(cop_tree_watch *w, void (*fn)(void *ctx, const cop_tree_now *now), void *ctx);
/* What was found, into the lists of r that are about trees. */
void cop_tree_finish(cop_tree_watch *w, cop_result *r);
void cop_tree_free(cop_tree_watch *w);

/* How many bytes frames of so many samples take. */
uint64_t cop_tree_frame_bytes(const cop_topo *topo, uint64_t samples);

#endif
