/* Do the ranks of a program wait for each other for ever? Found without time, in linear time and memory. */
#ifndef COP_APP_WAITS_H
#define COP_APP_WAITS_H

#include "app/graph.h"

typedef struct cop_waits {
    uint64_t
        any; /* receives of any sender or tag: what they wait for was taken to be the least they need */
    uint64_t
        both; /* ranks with receives of any sender and others of any tag: whether all find one is not known */
    uint64_t unordered; /* messages and receives whose order among those alike depends on times */
    uint64_t stuck; /* operations that could not finish; then `unordered` is not 0 */
    char text[512]; /* who waits for whom, if stuck */
} cop_waits;

/* Messages above eager_bytes wait for their receives. A cycle of ranks that no run can escape is a fault; one that
 * depends on the order of messages is told in *w. The graph is finished. */
int cop_graph_check_waits(const cop_graph *g, uint64_t eager_bytes, cop_waits *w, cop_err *err);

/* waits_order.c, private: which of two operations of a rank starts first, whatever the times are. */
typedef struct cop_op_order {
    uint32_t *parent, *in, *size; /* [n_ops] */
} cop_op_order;
void cop_op_order_init(cop_op_order *o, const cop_graph *g);
void cop_op_order_free(cop_op_order *o);
/* True: `first` becomes ready before `then`, always. False: not known. Both are of one rank. */
bool cop_op_order_known(const cop_op_order *o, const cop_graph *g, uint32_t first, uint32_t then);

#endif
