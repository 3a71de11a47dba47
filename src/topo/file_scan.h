/* First step of reading a topology file: text into records. Names still point into the text, peers
 * are not looked up yet. Private to file.c and file_scan.c. */
#ifndef COP_FILE_SCAN_H
#define COP_FILE_SCAN_H

#include "base/err.h"

#define COP_SCAN_FAULTS 20 /* reading stops here: what follows is mostly a consequence */

typedef struct cop_span { /* a piece of the text, not terminated */
    const char *at;
    size_t n;
} cop_span;

typedef struct cop_scan_node {
    cop_span id, name; /* name: from the comment, empty if none */
    bool is_switch;
    uint16_t lid; /* switches; 0 = unknown */
    uint32_t ports; /* as declared */
    uint32_t line;
    uint32_t slot0; /* number of its first port, counting the ports of all nodes in file order */
    uint32_t number; /* switches: number in the topology; set by file.c */
    uint64_t guid; /* 0 = unknown */
} cop_scan_node;

typedef struct cop_scan_link { /* one port line: what one end says */
    cop_span peer;
    uint32_t node, port, peer_port; /* ports from 1 */
    uint32_t line;
    uint32_t peer_slot; /* set by file.c; COP_NONE if the peer is wrong */
    uint16_t lid, peer_lid; /* 0 = unknown */
    uint64_t guid, peer_guid; /* of the ports; 0 = unknown */
    uint64_t rate_bps; /* 0 = not stated */
} cop_scan_link;

typedef struct cop_scan {
    const char *file;
    cop_err *err;
    unsigned faults;
    cop_scan_node *node; /* owned */
    cop_scan_link *link; /* owned */
    size_t n_nodes, node_cap, n_links, link_cap;
    uint64_t n_slots;
} cop_scan;

/* Fills node[] and link[]; returns 0 or -COP_E_INPUT. cop_scan_fini is due in both cases. */
int cop_scan_text(cop_scan *s, const char *text, size_t len);
void cop_scan_fini(cop_scan *s);

/* Report a fault of one line as "file:line: ...". */
void cop_scan_fault(cop_scan *s, uint32_t line, const char *fmt, ...) COP_PRINTF(3, 4);
/* Copy for a message: long pieces are cut, control characters become '?'. */
const char *cop_span_show(cop_span span, char *buf, size_t size);

#endif
