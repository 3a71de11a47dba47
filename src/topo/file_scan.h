/* First step of reading a topology file: text into records. Names still point into the text; file.c
 * looks peers up if the file gives names; they are known if it gives LIDs. Private to file.c,
 * file_scan.c and the readers scan_*.c, one for each form of file. */
#ifndef COP_FILE_SCAN_H
#define COP_FILE_SCAN_H

#include "base/err.h"
#include "base/mem.h"

typedef struct cop_span { /* a piece of the text, not terminated */
    const char *at;
    size_t n;
} cop_span;

typedef struct cop_cursor { /* the rest of a line */
    const char *p, *end;
} cop_cursor;

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

typedef struct cop_scan_link { /* one port line: the data of one end */
    cop_span peer; /* its id, or its name where `by_lid` */
    uint32_t node, port, peer_port; /* ports from 1 */
    uint32_t peer_node; /* where `by_lid`; COP_NONE: unknown, and reported */
    uint32_t line;
    uint32_t peer_slot; /* set by file.c; COP_NONE if the peer is wrong */
    uint16_t lid, peer_lid; /* 0 = unknown */
    uint64_t guid, peer_guid; /* of the ports; 0 = unknown */
    uint64_t rate_bps; /* 0 = not stated */
} cop_scan_link;

typedef struct cop_scan_kind { /* a kind of fault */
    const char *fmt;
    uint32_t line; /* of the first */
    unsigned more; /* further ones */
    char *text; /* of the first */
} cop_scan_kind;

typedef struct cop_scan {
    const char *file;
    cop_err *err;
    cop_arena arena; /* texts of faults */
    unsigned faults;
    cop_scan_kind kind[24]; /* further ones are only counted */
    size_t n_kinds;
    bool by_lid; /* nodes are identified by LIDs: ids are names and may be equal */
    cop_scan_node *node; /* owned */
    cop_scan_link *link; /* owned */
    size_t n_nodes, node_cap, n_links, link_cap;
    uint64_t n_slots;
} cop_scan;

/* Fills node[] and link[]; returns 0 or -COP_E_INPUT. cop_scan_fini is due in both cases. */
int cop_scan_text(cop_scan *s, const char *text, size_t len);
void cop_scan_fini(cop_scan *s);

/* A fault of one line: "file:line: ...". */
void cop_scan_fault(cop_scan *s, uint32_t line, const char *fmt, ...) COP_PRINTF(3, 4);
/* Report the faults to s->err, one line for each kind; returns 0 or -COP_E_INPUT. */
int cop_scan_report(cop_scan *s);

/* The readers. */
void cop_scan_netdiscover(cop_scan *s, const char *text, size_t len); /* scan_netdiscover.c */
void cop_scan_linkinfo(cop_scan *s, const char *text, size_t len); /* scan_linkinfo.c */

/* Pieces of text. Each moves the cursor past the text that it has read. */
bool cop_scan_line(const char **p, const char *end, cop_cursor *line);
void cop_scan_skip(cop_cursor *c); /* blanks */
bool cop_scan_take(cop_cursor *c, const char *word);
/* Digits of base 10 or 16; false if there are none or the value does not fit. */
bool cop_scan_number(cop_cursor *c, unsigned base, uint64_t *value);
bool cop_scan_word(cop_cursor *c, cop_span *word);
bool cop_span_is(cop_span s, const char *text);
/* Bit/s of one lane of a link of this speed ("EDR"), or 0. */
uint64_t cop_scan_lane_bps(cop_span speed);
bool cop_scan_is_width(uint64_t lanes);
/* Copy for a message: long pieces are cut, control characters become '?'. */
const char *cop_span_show(cop_span span, char *buf, size_t size);

#endif
