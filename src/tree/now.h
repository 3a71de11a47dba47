/* Congestion trees at the last sample, for the live view. */
#ifndef COP_TREE_NOW_H
#define COP_TREE_NOW_H

#include "stats/result.h"

/* Valid until the next sample. */
typedef struct cop_tree_now {
    const cop_frame *frame;
    const cop_tree_frame *tree; /* `tree` of them: number in order of appearance */
    uint32_t n_trees, n_ports;
    uint32_t number; /* of the frame, from 0 */
} cop_tree_now;

#endif
