/* The live view's server.
 *
 * Threads   One serves (libwebsockets' loop), one simulates. Between them is one slot per kind of message:
 *           the network, the newest frame, the end, each for two panes. The simulation replaces what is in a slot and goes
 *           on; a browser gets what is there when it can take it, so a slow one skips frames and a
 *           vanished one costs nothing. What is under way to a browser is one message.
 * Waits     The simulation waits only while a browser that is connected has asked for a pause, or for time
 *           between frames. When the last browser is gone it goes on. If it was told to (--live=paused) it
 *           waits for the first browser, too.
 * Safety    127.0.0.1 only; a secret of 128 bits in the address; Host must be this server's address, and
 *           Origin too, so no other page and no renamed host gets in; everything else is 404. There are no
 *           files to ask for. At most MOST_CLIENTS browsers, messages from them are short and few words.
 * Messages  to the browser: live_feed.c; from it {"do": "pause" | "run" | "step" | "delay" | "seek" | "open" | "close",
 *           "value": N, "run": N, "pane": 0 or 1}. delay: ms between frames; seek: the number of a
 *           frame of that run, when it is over; open: a stored run. Wishes wait in a short list; a
 *           browser without an answer repeats its wish. */
#include "live_int.h"

#include "cli.h"
#include "report/report.h"

#include <jansson.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define MOST_CLIENTS 8
#define MOST_BYTES_IN 256
#define MAX_DESCRIPTORS 32 /* of the server: connections alone cannot use up those of the run */
#define SECRET_BYTES 16 /* two digits each in cop_live.secret */

typedef struct session {
    uint64_t sent[COP_LIVE_SLOTS];
    bool page; /* the page's body is to be written */
    bool there; /* it counts as a browser; one that was refused is closed, too */
} session;

double cop_live_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* -- messages -- */

static void drop(cop_live_message *m)
{
    if (m != NULL && --m->users == 0) {
        cop_free(m->data);
        cop_free(m);
    }
}

unsigned char *cop_live_room(size_t bytes)
{
    unsigned char *room = cop_alloc(LWS_PRE + bytes);
    return room + LWS_PRE;
}

void cop_live_publish(cop_live *l, enum cop_live_slot slot, unsigned char *data, size_t bytes)
{
    cop_live_message *m = cop_alloc(sizeof(*m));
    *m = (cop_live_message){.users = 1, .bytes = bytes, .data = data - LWS_PRE};
    pthread_mutex_lock(&l->lock);
    drop(l->slot[slot]);
    l->slot[slot] = m;
    l->version[slot]++;
    pthread_mutex_unlock(&l->lock);
    lws_cancel_service(l->context);
}

/* -- who may -- */

static bool same(const char *a, const char *b)
{
    size_t n = strlen(b);
    unsigned char differ = strlen(a) != n;
    for (size_t i = 0; differ == 0 && i < n; i++)
        differ |= (unsigned char)(a[i] ^ b[i]);
    return differ == 0;
}

/* All characters are looked at, whatever differs first. */
static bool has_secret(const cop_live *l, const char *path, const char *rest)
{
    size_t n = 2 * SECRET_BYTES;
    if (strlen(path) != 1 + n + strlen(rest) || path[0] != '/')
        return false;
    unsigned char differ = 0;
    for (size_t i = 0; i < n; i++)
        differ |= (unsigned char)(path[1 + i] ^ l->secret[i]);
    return differ == 0 && strcmp(path + 1 + n, rest) == 0;
}

static bool header_is(struct lws *wsi, enum lws_token_indexes token, const char *prefix,
                      const cop_live *l)
{
    char got[96], want[96];
    if (lws_hdr_copy(wsi, got, sizeof(got), token) <= 0)
        return false;
    snprintf(want, sizeof(want), "%s127.0.0.1:%d", prefix, l->port);
    return same(got, want);
}

static bool may_connect(struct lws *wsi, const cop_live *l)
{
    char path[128];
    return header_is(wsi, WSI_TOKEN_HOST, "", l) &&
           header_is(wsi, WSI_TOKEN_ORIGIN, "http://", l) &&
           lws_hdr_copy(wsi, path, sizeof(path), WSI_TOKEN_GET_URI) > 0 &&
           has_secret(l, path, "/ws") && l->clients < MOST_CLIENTS;
}

/* -- the page -- */

static int put_header(struct lws *wsi, const char *name, const char *value, unsigned char **p,
                      unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), p, end);
}

static int send_head(struct lws *wsi, const cop_live *l, session *s)
{
    unsigned char buf[LWS_PRE + 2048], *p = buf + LWS_PRE, *end = buf + sizeof(buf) - 1;
    char policy[256];
    snprintf(
        policy, sizeof(policy),
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "connect-src ws://127.0.0.1:%d; img-src data: blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        l->port);
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", l->page_bytes,
                                    &p, end) ||
        put_header(wsi, "content-security-policy:", policy, &p, end) ||
        put_header(wsi, "referrer-policy:", "no-referrer", &p, end) ||
        put_header(wsi, "x-content-type-options:", "nosniff", &p, end) ||
        put_header(wsi, "cache-control:", "no-store", &p, end) ||
        lws_finalize_write_http_header(wsi, buf + LWS_PRE, &p, end))
        return 1;
    s->page = true;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_page(struct lws *wsi, const cop_live *l, session *s)
{
    size_t n = l->page_bytes;
    if (!s->page)
        return 0;
    s->page = false;
    unsigned char *buf = cop_alloc(LWS_PRE + n);
    memcpy(buf + LWS_PRE, l->page, n);
    int rc = lws_write(wsi, buf + LWS_PRE, n, LWS_WRITE_HTTP_FINAL);
    cop_free(buf);
    return rc < 0 || lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int answer_http(struct lws *wsi, cop_live *l, session *s, const char *path)
{
    if (header_is(wsi, WSI_TOKEN_HOST, "", l) && has_secret(l, path, "/"))
        return send_head(wsi, l, s);
    lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL);
    return -1;
}

/* -- the WebSocket -- */

/* The oldest kind of news that this browser has not got. */
static int send_news(struct lws *wsi, cop_live *l, session *s)
{
    cop_live_message *m = NULL;
    bool more = false, binary = false;
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < COP_LIVE_SLOTS; i++) {
        if (s->sent[i] == l->version[i])
            continue;
        more = m != NULL;
        if (m == NULL) {
            m = l->slot[i];
            m->users++;
            binary = i >= COP_LIVE_FRAME && i < COP_LIVE_END;
            s->sent[i] = l->version[i];
        }
    }
    pthread_mutex_unlock(&l->lock);
    if (m == NULL)
        return 0;
    /* The library masks nothing and writes only before the data, but two browsers must not share that. */
    unsigned char *copy = cop_alloc(LWS_PRE + m->bytes);
    memcpy(copy + LWS_PRE, m->data + LWS_PRE, m->bytes);
    int rc = lws_write(wsi, copy + LWS_PRE, m->bytes, binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    cop_free(copy);
    pthread_mutex_lock(&l->lock);
    drop(m);
    pthread_mutex_unlock(&l->lock);
    if (more)
        lws_callback_on_writable(wsi);
    return rc < 0 ? -1 : 0;
}

/* Under the lock. */
static void note_wish(cop_live *l, const cop_live_wish *w)
{
    for (size_t i = 0; i < l->n_wishes; i++) {
        const cop_live_wish *o = &l->wish[i];
        if (o->open == w->open && o->run == w->run && o->frame == w->frame && o->pane == w->pane)
            return;
    }
    if (l->n_wishes == COP_LIVE_WISHES)
        memmove(l->wish, l->wish + 1, --l->n_wishes * sizeof(*l->wish));
    l->wish[l->n_wishes++] = *w;
}

static void obey(cop_live *l, const char *text, size_t bytes)
{
    json_t *o = bytes <= MOST_BYTES_IN ? json_loadb(text, bytes, 0, NULL) : NULL;
    const char *what = json_string_value(json_object_get(o, "do"));
    json_int_t value = json_integer_value(json_object_get(o, "value"));
    cop_live_wish wish = {.run = json_integer_value(json_object_get(o, "run")),
                          .pane = json_integer_value(json_object_get(o, "pane")) == 1};
    what = what ? what : "";
    pthread_mutex_lock(&l->lock);
    if (strcmp(what, "pause") == 0)
        l->paused = true;
    else if (strcmp(what, "run") == 0)
        l->paused = false;
    else if (strcmp(what, "step") == 0)
        l->paused = true, l->steps = 1;
    else if (strcmp(what, "delay") == 0 && value >= 0 && value <= 10000)
        l->delay_ms = (unsigned)value;
    else if (strcmp(what, "seek") == 0 && value >= 0 && wish.run >= 0)
        wish.frame = (size_t)value, note_wish(l, &wish);
    else if (strcmp(what, "open") == 0 && wish.run > 0)
        wish.open = true, note_wish(l, &wish);
    else if (strcmp(what, "close") == 0)
        l->closing = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    json_decref(o);
}

static void count_clients(cop_live *l, int more)
{
    pthread_mutex_lock(&l->lock);
    l->clients += (unsigned)more;
    l->expecting = false;
    if (l->clients == 0) { /* without a browser a pause would never end */
        l->paused = false;
        l->delay_ms = 0;
    }
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static int serve(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t bytes)
{
    struct lws_context *context = lws_get_context(wsi);
    cop_live *l = context ? lws_context_user(context) : NULL;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer_http(wsi, l, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page(wsi, l, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_connect(wsi, l) ? 0 : 1;
    case LWS_CALLBACK_ESTABLISHED:
        *(session *)user = (session){.there = true};
        count_clients(l, 1);
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        if (((session *)user)->there)
            count_clients(l, -1);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_news(wsi, l, user);
    case LWS_CALLBACK_RECEIVE:
        if (lws_is_first_fragment(wsi) && lws_is_final_fragment(wsi))
            obey(l, in, bytes);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        if (l != NULL)
            lws_callback_on_writable_all_protocol(l->context, lws_get_protocol(wsi));
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {"coppice", serve, sizeof(session), MOST_BYTES_IN, 0, NULL, 0}, {NULL, NULL, 0, 0, 0, NULL, 0}};

static void *loop(void *arg)
{
    cop_live *l = arg;
    bool go_on = true;
    while (go_on) {
        lws_service(l->context, 0);
        pthread_mutex_lock(&l->lock);
        go_on = !l->closing;
        pthread_mutex_unlock(&l->lock);
    }
    return NULL;
}

/* -- starting and ending -- */

static bool make_secret(cop_live *l)
{
    unsigned char bytes[SECRET_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return false;
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(l->secret + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static bool make_page(cop_live *l)
{
    FILE *out = open_memstream(&l->page, &l->page_bytes);
    if (out == NULL)
        return false;
    cop_report_live_page(out);
    return fclose(out) == 0;
}

static void release(cop_live *l)
{
    if (l->context != NULL)
        lws_context_destroy(l->context);
    for (int i = 0; i < COP_LIVE_SLOTS; i++)
        drop(l->slot[i]);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->changed);
    cop_free(l->title);
    cop_free_foreign(l->page);
    cop_free(l);
}

int cop_live_start(cop_live **out, const char *title, bool wait, FILE *say)
{
    cop_live *l = cop_alloc(sizeof(*l));
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    l->title = cop_alloc(strlen(title) + 1);
    strcpy(l->title, title);
    l->paused = l->expecting = wait;
    bool ok = make_page(l);
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {.port = 0,
                                             .iface = "127.0.0.1",
                                             .options = LWS_SERVER_OPTION_DISABLE_IPV6,
                                             .protocols = protocols,
                                             .user = l,
                                             .vhost_name = "coppice",
                                             .fd_limit_per_thread = MAX_DESCRIPTORS,
                                             .timeout_secs = 10,
                                             .gid = -1,
                                             .uid = -1};
    ok = ok && make_secret(l) && (l->context = lws_create_context(&info)) != NULL;
    if (ok) {
        l->port = lws_get_vhost_listen_port(lws_get_vhost_by_name(l->context, "coppice"));
        ok = l->port > 0 && pthread_create(&l->thread, NULL, loop, l) == 0;
    }
    if (!ok) {
        fputs("coppice: no server on 127.0.0.1 could be started; is the loopback address there?\n",
              stderr);
        release(l);
        return COP_EXIT_INPUT;
    }
    fprintf(say, "look at http://127.0.0.1:%d/%s/\n", l->port, l->secret);
    fflush(say);
    *out = l;
    return COP_EXIT_OK;
}

void cop_live_close(cop_live *l)
{
    if (l == NULL)
        return;
    pthread_mutex_lock(&l->lock);
    l->closing = true;
    pthread_mutex_unlock(&l->lock);
    lws_cancel_service(l->context);
    pthread_join(l->thread, NULL);
    release(l);
}

bool cop_live_wanted(cop_live *l, cop_live_wish *wish)
{
    pthread_mutex_lock(&l->lock);
    while (!l->closing && l->n_wishes == 0)
        pthread_cond_wait(&l->changed, &l->lock);
    bool go_on = !l->closing;
    if (go_on) {
        *wish = l->wish[0];
        memmove(l->wish, l->wish + 1, --l->n_wishes * sizeof(*l->wish));
    }
    pthread_mutex_unlock(&l->lock);
    return go_on;
}

bool cop_live_asked(cop_live *l, bool *paused)
{
    pthread_mutex_lock(&l->lock);
    bool asked = (l->clients > 0 || l->expecting) && (l->paused || l->delay_ms > 0);
    *paused = l->paused;
    pthread_mutex_unlock(&l->lock);
    return asked;
}

void cop_live_hold(cop_live *l)
{
    double begin = cop_live_ms();
    pthread_mutex_lock(&l->lock);
    while ((l->clients > 0 || l->expecting) && !l->closing &&
           (l->paused ? l->steps == 0 : cop_live_ms() - begin < l->delay_ms)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&l->changed, &l->lock, &until);
    }
    l->steps = 0;
    pthread_mutex_unlock(&l->lock);
}
