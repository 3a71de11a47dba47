/* Private to live.c (the server) and live_feed.c (its messages). */
#ifndef COP_LIVE_INT_H
#define COP_LIVE_INT_H

#include "live.h"

#include <pthread.h>

/* Of the second pane the next one. */
enum cop_live_slot {
    COP_LIVE_NETWORK,
    COP_LIVE_FRAME = COP_LIVE_NETWORK + COP_LIVE_PANES,
    COP_LIVE_END = COP_LIVE_FRAME + COP_LIVE_PANES,
    COP_LIVE_SLOTS = COP_LIVE_END + COP_LIVE_PANES
};

typedef struct cop_live_wish { /* of a browser */
    bool open; /* the whole run, else one frame of it */
    int64_t run;
    size_t frame;
    unsigned pane;
} cop_live_wish;
#define COP_LIVE_WISHES 16

typedef struct cop_live_message { /* behind bytes that the library writes to */
    unsigned users;
    size_t bytes;
    unsigned char *data;
} cop_live_message;

struct cop_live {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct lws_context *context;
    char secret[33], *title;
    int port;
    char *page; /* of stdio */
    size_t page_bytes;
    /* under the lock */
    cop_live_message *slot[COP_LIVE_SLOTS];
    uint64_t version[COP_LIVE_SLOTS];
    unsigned clients;
    bool paused, closing;
    bool expecting; /* the run waits for the first browser */
    unsigned steps, delay_ms;
    cop_live_wish wish[COP_LIVE_WISHES]; /* oldest first; when there are too many it is dropped */
    size_t n_wishes;
    /* of the simulation */
    double last_ms; /* when the last frame was told */
};

double cop_live_ms(void); /* a clock that never goes back */
/* Room for a message; then it is put into a slot, which takes it over. Frames are binary, the others text. */
unsigned char *cop_live_room(size_t bytes);
void cop_live_publish(cop_live *l, enum cop_live_slot slot, unsigned char *data, size_t bytes);
/* Does a browser want to see every frame, and has it paused the run? */
bool cop_live_asked(cop_live *l, bool *paused);
/* While a browser that is there wants it. */
void cop_live_hold(cop_live *l);
/* Waits until a browser wants something; false: the view was closed. */
bool cop_live_wanted(cop_live *l, cop_live_wish *wish);

#endif
