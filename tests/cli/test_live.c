/* The live view as a browser, a stranger and a careless browser meet it; the timeline as Perfetto does. */
#include "program.h"

#include <arpa/inet.h>
#include <endian.h>
#include <jansson.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

static const char yaml[] = "run: {duration: 40 ms, tree_sample: 20 us}\n"
                           "topology: {kind: chain, hosts: [3, 4]}\n"
                           "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                           "traffic:\n"
                           "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                           "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";

static int fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    prog_write("two.yaml", yaml);
    return 0;
}

typedef struct place {
    int port;
    char secret[33];
} place;

static void nap(void)
{
    struct timespec t = {.tv_nsec = 20000000};
    nanosleep(&t, NULL);
}

static place find_place(void)
{
    place p = {0};
    for (int i = 0; i < 30000; i++) {
        const char *at = strstr(prog_said((prog_how){0}), "http://127.0.0.1:");
        if (at != NULL && sscanf(at, "http://127.0.0.1:%d/%32[0-9a-f]/\n", &p.port, p.secret) == 2)
            return p;
        nap();
    }
    fail_msg("no address was printed");
    return p;
}

static int dial(int port, const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval patience = {.tv_sec = 600};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    inet_pton(AF_INET, address, &to.sin_addr);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(s, (struct sockaddr *)&to, sizeof(to)) == 0)
        return s;
    close(s);
    return -1;
}

/* Status of the answer to a request; 0: the line was closed. */
static int status_of(int s)
{
    char got[64] = "";
    ssize_t n = recv(s, got, sizeof(got) - 1, 0);
    int status = 0;
    if (n > 0)
        (void)sscanf(got, "HTTP/1.1 %d", &status);
    return status;
}

static int get(const place *p, const char *path, const char *host)
{
    char text[512];
    int s = dial(p->port, "127.0.0.1");
    assert_true(s >= 0);
    int n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host);
    assert_int_equal(send(s, text, (size_t)n, 0), n);
    int status = status_of(s);
    close(s);
    return status;
}

/* The page is whole, and may load nothing and connect to this server only. */
static void check_page(const place *p, const char *path, const char *host)
{
    static char got[1 << 20];
    size_t n = 0;
    int s = dial(p->port, "127.0.0.1");
    assert_true(s >= 0);
    int asked = snprintf(got, sizeof(got), "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host);
    assert_int_equal(send(s, got, (size_t)asked, 0), asked);
    while (n < sizeof(got) - 1 && strstr(got, "</html>") == NULL) {
        ssize_t more = recv(s, got + n, sizeof(got) - 1 - n, 0);
        assert_true(more > 0);
        n += (size_t)more;
        got[n] = '\0';
    }
    close(s);
    char policy[128];
    snprintf(policy, sizeof(policy), "connect-src ws://%s;", host);
    assert_non_null(strstr(got, "default-src 'none'"));
    assert_non_null(strstr(got, policy));
    assert_non_null(strstr(got, "frame-ancestors 'none'"));
    assert_null(strstr(got, "{{")); /* no gap is left */
}

/* Asks for the WebSocket; the line, with the first byte behind the head next, or -1. */
static int open_socket(const place *p, const char *secret, const char *host, const char *origin)
{
    char text[768], last[4] = "";
    int s = dial(p->port, "127.0.0.1");
    assert_true(s >= 0);
    int n =
        snprintf(text, sizeof(text),
                 "GET /%s/ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Protocol: coppice\r\n%s%s\r\n\r\n",
                 secret, host, origin ? "Origin: " : "X-Nothing: 1", origin ? origin : "");
    assert_int_equal(send(s, text, (size_t)n, 0), n);
    int status = 0;
    char head[16] = "";
    for (size_t i = 0; memcmp(last, "\r\n\r\n", 4) != 0; i++) {
        memmove(last, last + 1, 3);
        if (recv(s, &last[3], 1, 0) != 1)
            break;
        if (i < sizeof(head) - 1)
            head[i] = last[3];
    }
    if (sscanf(head, "HTTP/1.1 %d", &status) == 1 && status == 101)
        return s;
    close(s);
    return -1;
}

static void take(int s, void *to, size_t n)
{
    for (size_t got = 0; got < n;) {
        ssize_t more = recv(s, (char *)to + got, n - got, 0);
        assert_true(more > 0);
        got += (size_t)more;
    }
}

/* What follows the head of a frame is as much as the head says. */
static void check_size(const json_t *head, uint64_t bytes)
{
    const json_t *trees = json_object_get(head, "trees");
    uint64_t want = 6 * (uint64_t)json_integer_value(json_object_get(head, "ports")) +
                    4 * (uint64_t)json_integer_value(json_object_get(head, "flows"));
    for (size_t i = 0; i < json_array_size(trees); i++) {
        const json_t *t = json_array_get(trees, i);
        want += 16 * (uint64_t)json_integer_value(json_object_get(t, "members"));
        want += 4 * (uint64_t)json_integer_value(json_object_get(t, "contributors"));
        want += 8 * (uint64_t)json_integer_value(json_object_get(t, "victims"));
    }
    assert_int_equal(bytes, want);
}

static json_t *next_message(int s)
{
    unsigned char head[2], length[8];
    take(s, head, 2);
    bool binary = head[0] == 0x82;
    assert_true(binary || head[0] == 0x81); /* whole */
    uint64_t n = head[1];
    size_t bytes = n == 126 ? 2 : n == 127 ? 8 : 0;
    take(s, length, bytes);
    for (size_t i = 0; i < bytes; i++)
        n = (i == 0 ? 0 : n << 8) | length[i];
    assert_true(n < 1000000);
    char *text = cop_alloc(n + 1);
    take(s, text, n);
    uint32_t ahead = 0;
    if (binary)
        memcpy(&ahead, text, sizeof(ahead));
    json_t *o = json_loadb(binary ? text + 4 : text, binary ? le32toh(ahead) : n, 0, NULL);
    assert_non_null(o);
    if (binary)
        check_size(o, n - 4 - le32toh(ahead));
    cop_free(text);
    return o;
}

static json_int_t next_frame(int s)
{
    for (;;) {
        json_t *o = next_message(s);
        bool frame = strcmp(json_string_value(json_object_get(o, "type")), "frame") == 0;
        json_int_t number = json_integer_value(json_object_get(o, "frame"));
        json_decref(o);
        if (frame)
            return number;
    }
}

/* The mask is zeros: allowed, and simple. */
static void say(int s, const char *text)
{
    unsigned char all[128] = {0x81, (unsigned char)(0x80 | strlen(text))};
    memcpy(all + 6, text, strlen(text));
    assert_int_equal(send(s, all, 6 + strlen(text), MSG_NOSIGNAL), (ssize_t)(6 + strlen(text)));
}

/* A line that is dropped with something unread takes what was said last with it: read to the end. */
static void ask_to_close(int s)
{
    char rest[4096];
    say(s, "{\"do\":\"close\"}");
    while (recv(s, rest, sizeof(rest), 0) > 0)
        ;
    close(s);
}

/* Only the address that was printed, as it was printed, from a page that it served. */
static void test_strangers(void **state)
{
    (void)state;
    pid_t child = PROG_START("run", "two.yaml", "--quiet", "--live");
    place p = find_place();
    char own[64], origin[80], path[64], deep[96];
    snprintf(own, sizeof(own), "127.0.0.1:%d", p.port);
    snprintf(origin, sizeof(origin), "http://%s", own);
    snprintf(path, sizeof(path), "/%s/", p.secret);
    snprintf(deep, sizeof(deep), "/%s/../../../etc/passwd", p.secret);
    assert_int_equal(get(&p, path, own), 200);
    check_page(&p, path, own);
    assert_true(dial(p.port, "127.0.0.2") < 0); /* nor any other address of this machine */
    assert_int_equal(get(&p, "/", own), 404);
    assert_int_equal(get(&p, "/two.yaml", own), 404);
    assert_int_equal(get(&p, deep, own), 404);
    assert_int_equal(get(&p, path, "evil.example"), 404);
    assert_int_equal(get(&p, path, "localhost"), 404);
    static const char wrong[] = "00000000000000000000000000000000";
    assert_int_equal(open_socket(&p, wrong, own, origin), -1);
    assert_int_equal(open_socket(&p, p.secret, own, "http://evil.example"), -1);
    assert_int_equal(open_socket(&p, p.secret, own, "null"), -1);
    assert_int_equal(open_socket(&p, p.secret, own, NULL), -1);
    assert_int_equal(open_socket(&p, p.secret, "evil.example", origin), -1);
    int s = open_socket(&p, p.secret, own, origin);
    assert_true(s >= 0);
    say(s, "no JSON");
    say(s, "{\"do\":\"delay\",\"value\":-5}");
    ask_to_close(s);
    prog_answer a = PROG_WAIT(child);
    assert_int_equal(a.status, 0);
    const char *tree = strstr(a.out, "tree 1: root s1.1 -> h4, since ");
    PROG_EXPECT(tree != NULL, a, "a tree that is still there");
    double since, until; /* each with its unit */
    assert_int_equal(
        sscanf(strstr(tree, "since "), "since %lf us, still there at %lf", &since, &until) == 2 ||
            sscanf(strstr(tree, "since "), "since %lf ms, still there at %lf", &since, &until) == 2,
        1);
    assert_true(since < until);
}

/* Step, pause, go on; a browser that vanishes during a pause, and one that reads nothing, stop no
 * other. The run waits for its first browser, so nothing here is a race. */
static void test_pause(void **state)
{
    (void)state;
    pid_t child = PROG_START("run", "two.yaml", "--quiet", "--live=paused");
    place p = find_place();
    char own[64], origin[80];
    snprintf(own, sizeof(own), "127.0.0.1:%d", p.port);
    snprintf(origin, sizeof(origin), "http://%s", own);
    int deaf = open_socket(&p, p.secret, own, origin);
    int s = open_socket(&p, p.secret, own, origin);
    assert_true(deaf >= 0 && s >= 0);
    json_t *network = next_message(s);
    assert_string_equal(json_string_value(json_object_get(network, "type")), "network");
    assert_int_equal(json_array_size(json_object_get(network, "hosts")), 7);
    assert_int_equal(json_array_size(json_object_get(network, "ports")), 16);
    assert_string_equal(json_string_value(json_object_get(network, "topology")), "chain");
    json_decref(network);
    assert_int_equal(next_frame(s), 0);
    for (json_int_t k = 1; k < 20; k++) {
        say(s, "{\"do\":\"step\"}");
        assert_int_equal(next_frame(s), k);
    }
    say(s, "{\"do\":\"delay\",\"value\":10000}"); /* it will not get far */
    say(s, "{\"do\":\"run\"}");
    say(s, "{\"do\":\"pause\"}");
    say(s, "{\"do\":\"step\"}");
    json_int_t at = next_frame(s);
    assert_in_range(at, 20, 21);
    close(s); /* still paused; the deaf one holds it no longer than it is there */
    close(deaf);
    int again = open_socket(&p, p.secret, own, origin);
    assert_true(again >= 0);
    for (;;) { /* until the end of the run */
        json_t *o = next_message(again);
        bool end = strcmp(json_string_value(json_object_get(o, "type")), "end") == 0;
        if (end) {
            assert_int_equal(json_array_size(json_object_get(o, "times")), 2000);
            assert_int_equal(json_array_size(json_object_get(o, "trees")), 1);
        }
        json_decref(o);
        if (end)
            break;
    }
    say(again, "{\"do\":\"seek\",\"value\":99999}"); /* there is no such frame */
    say(again, "{\"do\":\"seek\",\"value\":7}");
    while (next_frame(again) != 7) /* it was a moment of the run that is over */
        ;
    ask_to_close(again);
    assert_int_equal(PROG_WAIT(child).status, 0);
    prog_answer a = PROG_RUN("run", "two.yaml", "--live=soon");
    assert_int_equal(a.status, 2);
    assert_non_null(strstr(a.err, "give --live or --live=paused"));
}

/* A stored run is played the same way; what has no pictures is refused in one line. */
static void test_view(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "two.yaml", "--quiet", "--db", "r.db");
    assert_int_equal(a.status, 0);
    a = PROG_RUN("view", "r.db");
    assert_int_equal(a.status, 2);
    assert_non_null(strstr(a.err, "no run has pictures to play; store one with"));
    a = PROG_RUN("view");
    assert_int_equal(a.status, 2);
    a = PROG_RUN("view", "two.yaml");
    assert_int_equal(a.status, 2);
    a = PROG_RUN("run", "two.yaml", "--quiet", "--db", "r.db", "--set", "run.trees=yes", "--set",
                 "run.duration=1 ms");
    assert_int_equal(a.status, 0);
    pid_t child = PROG_START("view", "r.db");
    place p = find_place();
    char own[64], origin[80];
    snprintf(own, sizeof(own), "127.0.0.1:%d", p.port);
    snprintf(origin, sizeof(origin), "http://%s", own);
    int s = open_socket(&p, p.secret, own, origin);
    assert_true(s >= 0);
    say(s, "{\"do\":\"seek\",\"value\":40}");
    assert_int_equal(next_frame(s), 40);
    say(s, "{\"do\":\"seek\",\"value\":7}");
    assert_int_equal(next_frame(s), 7);
    ask_to_close(s);
    assert_int_equal(PROG_WAIT(child).status, 0);
    a = PROG_RUN("view", "r.db", "--run", "1");
    assert_int_equal(a.status, 2);
    assert_non_null(strstr(a.err, "there is no such run, or it has no pictures"));
}

/* How many slices of this name that have begun in that packet have not ended. */
static int still_open(const json_t *events, size_t upto, const char *id, const char *name)
{
    int open = 0;
    for (size_t i = 0; i < upto; i++) {
        const json_t *e = json_array_get(events, i);
        const char *phase = json_string_value(json_object_get(e, "ph"));
        const char *of = json_string_value(json_object_get(e, "id"));
        if (of == NULL || strcmp(of, id) != 0 ||
            strcmp(json_string_value(json_object_get(e, "name")), name) != 0)
            continue;
        open += phase[0] == 'b' ? 1 : phase[0] == 'e' ? -1 : 0;
    }
    return open;
}

/* What ends has begun by the same name: also where notifications and marks are watched, messages of a scheme, and wormhole
 * switching, which has no queues. */
static void test_timeline_names(void **state)
{
    (void)state;
    static const char *const more[] = {"cc.kind=ibcc", "queueing.kind=fbicm", "nic.ack=packet",
                                       "flow_control.kind=on-off", "routing.kind=updn"};
    for (size_t k = 0; k < COP_LEN(more); k++) {
        prog_answer a =
            PROG_RUN("run", "two.yaml", "--quiet", "--set", "run.duration=400 us", "--timeline",
                     "t.json", "--watch", "src=1,from=30,count=3", "--set", more[k]);
        assert_int_equal(a.status, 0);
        json_t *o = json_load_file("t.json", 0, NULL), *events = json_object_get(o, "traceEvents");
        size_t ends = 0;
        for (size_t i = 0; i < json_array_size(events); i++) {
            const json_t *e = json_array_get(events, i);
            const char *name = json_string_value(json_object_get(e, "name"));
            if (strcmp(json_string_value(json_object_get(e, "ph")), "e") != 0)
                continue;
            ends++;
            const char *id = json_string_value(json_object_get(e, "id"));
            if (still_open(events, i, id, name) != 1)
                fail_msg("%s: `%s` of packet %s ends and has not begun", more[k], name, id);
            assert_int_equal(still_open(events, json_array_size(events), id, name), 0);
        }
        assert_true(ends >= 18);
        json_decref(o);
    }
}

/* Every slice that begins ends, inside its packet; ports and trees are there. */
static void test_timeline(void **state)
{
    (void)state;
    prog_answer a = PROG_RUN("run", "two.yaml", "--quiet", "--set", "run.duration=1 ms",
                             "--timeline", "t.json", "--watch", "src=0,count=3");
    assert_int_equal(a.status, 0);
    json_t *o = json_load_file("t.json", 0, NULL), *events = json_object_get(o, "traceEvents");
    assert_true(json_is_array(events));
    int open = 0, slices = 0, counters = 0, trees = 0;
    double last = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        const char *phase = json_string_value(json_object_get(e, "ph"));
        double t = json_number_value(json_object_get(e, "ts"));
        if (phase[0] == 'b' || phase[0] == 'e') {
            open += phase[0] == 'b' ? 1 : -1;
            assert_true(open >= 0 && t >= 0);
            last = t > last ? t : last;
        }
        slices += phase[0] == 'b';
        counters += phase[0] == 'C' && json_integer_value(json_object_get(e, "pid")) == 2;
        trees += phase[0] == 'X';
    }
    /* three packets: itself, three wires, two queues */
    assert_int_equal(open, 0);
    assert_int_equal(slices, 3 * 6);
    assert_true(counters > 0 && trees == 1 && last < 1000);
    json_decref(o);
    a = PROG_RUN("run", "two.yaml", "--quiet", "--timeline", "no/such/t.json");
    assert_int_equal(a.status, 2);
    assert_non_null(strstr(a.err, "no/such/t.json: cannot be written"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_strangers, fresh), cmocka_unit_test_setup(test_pause, fresh),
        cmocka_unit_test_setup(test_view, fresh), cmocka_unit_test_setup(test_timeline, fresh),
        cmocka_unit_test_setup(test_timeline_names, fresh)};
    return cmocka_run_group_tests_name("live", tests, prog_enter, prog_leave);
}
