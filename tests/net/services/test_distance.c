/* Nothing acts at a distance: a plug-in that asks about another node than that whose hook it is, or wakes a flow
 * there, ends the program. With a control and a queueing scheme made for the test. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exp/plugin.h" /* its schemes are from outside */
#include "scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum asks { OWN, NEXT_SWITCH, FROM_HOST };
enum question { WAITING, CREDIT, STATE, ROOTS, CC_QUESTIONS };
enum { LANES_MOST = 100 };
enum query { BYTES, FIRST, PORT_STATE, SEND, STOP, ROOT, QUERIES, QUEUE_1, RELEASE, SELECTED };

typedef struct curious { /* the plug-in's configuration */
    enum asks asks;
    int question;
    uint64_t asked;
} curious;

static curious *the_same(const void *cfg)
{
    union {
        const void *in;
        curious *out;
    } u = {.in = cfg};
    return u.out;
}

/* Runs two switches with a host each: ports 0 and 1 are those of the first, 2 and 3 of the second, 4 and 5 those of hosts.
 * How the child ends: 0, or the signal. */
static int ends_acked(const cop_cc_ops *cc, const cop_queue_ops *queue, const cop_route_ops *route,
                      curious x, const char *ack)
{
    int status = 0;
    char yaml[256];
    snprintf(yaml, sizeof(yaml),
             "run: {duration: 10 us}\ntopology: {kind: chain, hosts: [1, 1]}\n"
             "queueing: {kind: 1q}\nnic: {ack: %s}\n"
             "traffic:\n  - {from: [0], pattern: fixed, to: 1}\n",
             ack);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cop_config c;
        cop_result r;
        cop_err err = {0};
        if (freopen("/dev/null", "w", stderr) == NULL ||
            cop_config_load(&c, "test.yaml", yaml, NULL, 0, &err) != 0)
            _exit(2);
        if (cc != NULL) {
            c.cc = cc;
            c.cc_cfg = &x;
        }
        if (queue != NULL) {
            c.queue = queue;
            c.queue_cfg = &x;
        }
        if (route != NULL) {
            c.route = route;
            c.route_cfg = &x;
        }
        _exit(cop_run(&c, NULL, &r, &err) == 0 && x.asked > 0 ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static int ends_with(const cop_cc_ops *cc, const cop_queue_ops *queue, const cop_route_ops *route,
                     curious x)
{
    return ends_acked(cc, queue, route, x, "packet");
}

static int ends(const cop_cc_ops *cc, const cop_queue_ops *queue, curious x)
{
    return ends_with(cc, queue, NULL, x);
}

/* -- a control that asks -- */

static void ask(struct cop_net *net, uint32_t port, const cop_pkt *p)
{
    switch (the_same(cop_net_cc_cfg(net))->question) {
    case WAITING:
        cop_net_waiting_bytes(net, port);
        break;
    case CREDIT:
        cop_net_has_credit(net, port, p);
        break;
    case STATE:
        cop_net_cc_port(net, port);
        break;
    default:
        cop_net_roots(net, port);
        break;
    }
}

static void curious_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    curious *c = the_same(cop_net_cc_cfg(net));
    if (c->asks != FROM_HOST)
        ask(net, c->asks == OWN ? port : (port + 2) % 4, p);
    c->asked++;
}

static uint16_t curious_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)host;
    if (the_same(cop_net_cc_cfg(net))->asks == FROM_HOST)
        ask(net, 3, p);
    return 0;
}

static void test_a_control_asks_its_own_switch_only(void **state)
{
    (void)state;
    static const cop_cc_ops asking = {.name = "asking",
                                      .port_size = 8,
                                      .at_switch.on_dequeue = curious_dequeue,
                                      .at_destination.on_deliver = curious_deliver};
    for (int q = WAITING; q < CC_QUESTIONS; q++) {
        assert_int_equal(ends(&asking, NULL, (curious){.asks = OWN, .question = q}), 0);
        assert_int_equal(ends(&asking, NULL, (curious){.asks = NEXT_SWITCH, .question = q}),
                         SIGABRT);
        assert_int_equal(ends(&asking, NULL, (curious){.asks = FROM_HOST, .question = q}), SIGABRT);
    }
}

static void notifying(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    the_same(cop_net_cc_cfg(net))->asked++;
    if (!(p->flags & COP_PKT_CONTROL))
        cop_net_notify(net, port, p, 1, COP_NOTICE_PLAIN);
}

static void far_lane(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    (void)p;
    the_same(cop_net_cc_cfg(net))->asked++;
    (void)cop_net_lane_bytes(net, port, the_same(cop_net_cc_cfg(net))->question == LANES_MOST);
}

static void notifies(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts)
{
    (void)cfg;
    (void)info;
    facts->notifies = true;
}

static void asks_lanes(const void *cfg, const cop_netinfo *info, cop_cc_facts *facts)
{
    (void)cfg;
    (void)info;
    facts->asks_lanes = true;
}

/* What the table must say before a hook may. */
static void test_a_control_says_what_it_does(void **state)
{
    (void)state;
    cop_cc_ops ops = {.name = "says", .at_switch.on_dequeue = notifying};
    assert_int_equal(ends(&ops, NULL, (curious){.asks = OWN}), SIGABRT);
    ops.facts = notifies;
    assert_int_equal(ends(&ops, NULL, (curious){.asks = OWN}), 0);
    ops = (cop_cc_ops){.name = "says", .at_switch.on_dequeue = far_lane};
    assert_int_equal(ends(&ops, NULL, (curious){.asks = OWN}), SIGABRT);
    ops.facts = asks_lanes;
    assert_int_equal(ends(&ops, NULL, (curious){.asks = OWN}), 0);
    assert_int_equal(ends(&ops, NULL, (curious){.question = LANES_MOST}),
                     SIGABRT); /* of one lane */
    ops = (cop_cc_ops){.name = "says", .at_switch.on_dequeue = curious_dequeue}; /* no port_size */
    assert_int_equal(ends(&ops, NULL, (curious){.question = STATE}), SIGABRT);
}

/* -- a control that wakes -- */

/* What all may reach: the flow of host 0, which sends. */
typedef struct waker_net {
    void *flow;
} waker_net;

static cop_time waker_next_send(struct cop_net *net, void *flow, cop_time now)
{
    ((waker_net *)cop_net_cc_net(net))->flow = flow;
    return now;
}

static void wake(struct cop_net *net, enum asks from)
{
    curious *c = the_same(cop_net_cc_cfg(net));
    if (c->asks != from)
        return;
    c->asked++;
    cop_net_cc_wake(net, ((waker_net *)cop_net_cc_net(net))->flow);
}

static void waker_control(struct cop_net *net, void *flow, const cop_pkt *p)
{
    (void)flow, (void)p;
    wake(net, OWN);
}

static void waker_dequeue(struct cop_net *net, uint32_t port, cop_pkt *p)
{
    (void)port, (void)p;
    wake(net, NEXT_SWITCH);
}

static uint16_t waker_deliver(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)p;
    if (host == 1)
        wake(net, FROM_HOST);
    return 0;
}

static void test_a_control_wakes_flows_of_its_own_host_only(void **state)
{
    (void)state;
    cop_cc_ops waker = {.name = "waker",
                        .flow_size = 8,
                        .net_size = sizeof(waker_net),
                        .at_source.next_send = waker_next_send,
                        .at_source.on_control = waker_control,
                        .at_switch.on_dequeue = waker_dequeue,
                        .at_destination.on_deliver = waker_deliver};
    assert_int_equal(ends(&waker, NULL, (curious){.asks = OWN}), 0);
    assert_int_equal(ends(&waker, NULL, (curious){.asks = NEXT_SWITCH}), SIGABRT);
    assert_int_equal(ends(&waker, NULL, (curious){.asks = FROM_HOST}), SIGABRT);
    waker.immediate = "a clause of a paper that wants it so";
    assert_int_equal(ends(&waker, NULL, (curious){.asks = NEXT_SWITCH}), 0);
}

/* -- a control that answers -- */

static uint16_t answering(struct cop_net *net, uint32_t host, const cop_pkt *p)
{
    (void)host, (void)p;
    curious *c = the_same(cop_net_cc_cfg(net));
    c->asked++;
    return (uint16_t)c->question;
}

/* An answer is a packet of some kind: its own, or the acknowledgement that goes back anyway. */
static void test_an_answer_is_a_packet(void **state)
{
    (void)state;
    static const cop_cc_ops cc = {.name = "answering", .at_destination.on_deliver = answering};
    static const struct {
        int flags;
        const char *ack;
        int ends;
    } all[] = {{COP_PKT_BECN, "none", SIGABRT},
               {COP_PKT_BECN, "packet", 0}, /* on the acknowledgement */
               {COP_PKT_BECN | COP_PKT_CNP, "none", 0},
               {COP_PKT_BECN | COP_PKT_ACK, "none", 0},
               {0, "none", 0}};
    for (size_t i = 0; i < COP_LEN(all); i++)
        assert_int_equal(
            ends_acked(&cc, NULL, NULL, (curious){.question = all[i].flags}, all[i].ack),
            all[i].ends);
}

/* -- a queueing scheme -- */

static void one_queue(const void *cfg, const cop_netinfo *info, uint32_t ports, cop_queue_layout *l)
{
    (void)cfg, (void)info, (void)ports;
    *l = (cop_queue_layout){.queues = 1};
}

static uint32_t the_only_one(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)info, (void)p;
    return ((const curious *)cfg)->question == SELECTED ? 5 : 0;
}

static void query(struct cop_net *net, uint32_t port, int what)
{
    switch (what) {
    case BYTES:
        cop_net_queue_bytes(net, port, 0);
        break;
    case FIRST:
        cop_net_queue_first(net, port, 0);
        break;
    case PORT_STATE:
        cop_net_queue_state(net, port);
        break;
    case SEND:
        cop_net_queue_send(net, port, 0);
        break;
    case STOP:
        cop_net_queue_stop(net, port, 0, false);
        break;
    case QUEUE_1:
        cop_net_queue_bytes(net, port, 1);
        break;
    case RELEASE:
        cop_net_queue_release(net, port);
        break;
    case SELECTED:
        break;
    default:
        cop_net_queue_root(net, port, true);
        break;
    }
}

static void curious_enqueue(struct cop_net *net, uint32_t port, uint32_t q, const cop_pkt *p)
{
    (void)q, (void)p;
    curious *c = the_same(cop_net_queue_cfg(net));
    query(net, c->asks == OWN ? port : (port + 2) % 4, c->question);
    c->asked++;
}

static void hear(struct cop_net *net, uint32_t port, uint64_t message)
{
    (void)net, (void)port, (void)message;
}

static void test_a_scheme_looks_at_its_own_node_only(void **state)
{
    (void)state;
    static const cop_queue_ops scheme = {.name = "curious",
                                         .layout = one_queue,
                                         .select = the_only_one,
                                         .runtime.port_size = 8,
                                         .runtime.finds_roots = true,
                                         .runtime.on_enqueue = curious_enqueue,
                                         .runtime.on_control = hear};
    for (int q = BYTES; q < QUERIES; q++) {
        assert_int_equal(ends(NULL, &scheme, (curious){.asks = OWN, .question = q}), 0);
        assert_int_equal(ends(NULL, &scheme, (curious){.asks = NEXT_SWITCH, .question = q}),
                         SIGABRT);
    }
    /* Queues that the port has not, messages that a switch does not hold, roots that it has not said it finds. */
    for (int q = QUEUE_1; q <= SELECTED; q++)
        assert_int_equal(ends(NULL, &scheme, (curious){.asks = OWN, .question = q}), SIGABRT);
    cop_queue_ops rootless = scheme;
    rootless.runtime.finds_roots = false;
    assert_int_equal(ends(NULL, &rootless, (curious){.asks = OWN, .question = ROOT}), SIGABRT);
}

/* -- a routing that does what it has not said it would -- */

enum {
    NOTHING,
    LANES,
    TELLS,
    KEEPS,
    KEEPS_ONE,
    ELSEWHERE,
    LANE_9,
    VISITS,
    TWO_WAYS,
    NO_WAY,
    PORT_9,
    ANSWERS
};

/* Port 0 of each switch leads to its host, port 1 to the other switch. */
static unsigned there(const cop_route *r, cop_hop *hop, const cop_route_view *view, cop_cand *cand)
{
    const curious *c = r->cfg;
    *cand = (cop_cand){.port = hop->dst == hop->sw ? 0 : 1};
    if (view == NULL) /* the dependency check sees nothing of it */
        return 1;
    switch (c->question) {
    case LANES:
        (void)view->can->lane_load(view->ctx, cand->port, 0);
        return 1;
    case TELLS:
        view->can->tell(view->ctx, 1, 7);
        return 1;
    case KEEPS:
        (void)view->can->port(view->ctx, 1);
        return 1;
    case KEEPS_ONE:
        (void)view->can->own(view->ctx);
        return 1;
    case ELSEWHERE:
        (void)view->load(view->ctx, 2, 0);
        return 1;
    case LANE_9:
        (void)view->load(view->ctx, 1, 9);
        return 1;
    case VISITS:
        hop->mid = 1;
        return 1;
    case TWO_WAYS:
        cand[1] = cand[0];
        return 2;
    case NO_WAY:
        return 0;
    case PORT_9:
        cand->port = 9;
        return 1;
    default:
        return 1;
    }
}

static int there_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg, (void)err;
    r->facts.max_cand = 1;
    return 0;
}

static void count_sends(const cop_route *r, uint32_t sw, const cop_route_view *view, uint32_t port)
{
    (void)sw, (void)view, (void)port;
    the_same(r->cfg)->asked++;
}

static void count_messages(const cop_route *r, uint32_t sw, const cop_route_view *view,
                           uint32_t port, uint64_t body)
{
    (void)view;
    assert_true(sw < 2 && port == 1 && body == 7);
    the_same(r->cfg)->asked++;
}

static void test_a_routing_says_what_it_asks_for(void **state)
{
    (void)state;
    cop_route_ops ops = {.name = "there",
                         .setup = there_setup,
                         .route = there,
                         .on_send = count_sends}; /* without state of its own */
    for (int q = NOTHING; q < ANSWERS; q++)
        assert_int_equal(ends_with(NULL, NULL, &ops, (curious){.question = q}),
                         q == NOTHING ? 0 : SIGABRT);
    ops.asks_lanes = true;
    assert_int_equal(ends_with(NULL, NULL, &ops, (curious){.question = LANES}), 0);
    ops.on_send = NULL;
    ops.on_message = count_messages;
    assert_int_equal(ends_with(NULL, NULL, &ops, (curious){.question = TELLS}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_control_asks_its_own_switch_only),
        cmocka_unit_test(test_a_control_says_what_it_does),
        cmocka_unit_test(test_a_control_wakes_flows_of_its_own_host_only),
        cmocka_unit_test(test_an_answer_is_a_packet),
        cmocka_unit_test(test_a_scheme_looks_at_its_own_node_only),
        cmocka_unit_test(test_a_routing_says_what_it_asks_for)};
    return cmocka_run_group_tests_name("distance", tests, NULL, NULL);
}
