/* Local limits of injection, shared by lopez.c, dril.c, alo.c and u_channels.c: a switch lets a
 * message of its own hosts into the network only if enough of its output lanes are free. They use
 * no remote state and send no messages.
 *
 * The published mechanisms are for wormhole switching, where a lane is free if it is allocated to
 * no message: with wormhole switching this is `free: room`. With cut-through a lane is free if
 * there is room for a message behind it (`room`, ours), or if all that was sent on it has left the
 * buffer (`empty`, closer to the papers; known where credits are counted). */
#ifndef COP_CC_LIMIT_H
#define COP_CC_LIMIT_H

#include "cc/cc_all.h"

enum limit_free { LIMIT_ROOM, LIMIT_EMPTY };

typedef struct limit_cfg {
    int free; /* enum limit_free; first member of all of them */
} limit_cfg;

typedef struct limit_net {
    uint64_t asked, held; /* counters */
} limit_net;

extern const char *const limit_free_names[];
#define LIMIT_FREE                                                                                 \
    "free", COP_OPT_ENUM, offsetof(limit_cfg, free), "room", 0, 0, limit_free_names,               \
        "a lane is free if a message has room behind it (ours; wormhole: if none holds it), or "   \
        "if "                                                                                      \
        "nothing "                                                                                 \
        "sent on it is "                                                                           \
        "left there"

bool limit_is_free(struct cop_net *net, uint32_t port, uint32_t vl, const cop_pkt *p);
/* Lanes to other switches of the switch of input `in`, and how many of them are not free. */
uint32_t limit_busy(struct cop_net *net, uint32_t in, const cop_pkt *p, uint32_t *all);
/* `free: empty` needs a flow control that counts used blocks. */
int limit_check(const void *config, const cop_netinfo *info, cop_err *err);
/* Counts a decision, and returns it. */
bool limit_answer(struct cop_net *net, bool admits);

extern const cop_value limit_counters[];
double limit_counter(struct cop_net *net, unsigned which);
bool limit_rested(struct cop_net *net, char *buf, size_t size);

#endif
