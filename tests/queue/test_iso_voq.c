/* Isolation on switches with a queue per output (hfdi), packet by packet: lines of the outputs' own queues, what
 * they list and tell, special queues only where a neighbour asked for one; and the same with `local`. */
#include "iso_fixture.h"

#include "net/flow/flow.h"
#include "net/switch/switch.h"

/* Host 0 at switch 0, host 1 at switch 1, hosts 2 to 4 at switch 2. Ports of a switch: hosts, left, right. */
static const char three[] =
    "run: {duration: 10 us}\n"
    "topology: {kind: chain, hosts: [1, 1, 3]}\n"
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
    "switch: {buffer: 64 KiB, lanes: 2}\n"
    "nic: {mtu: 1000 B, overhead: 24 B, ack: packet}\n"
    "queueing: {kind: hfdi, local: no, queues: 2, destinations: 2, high: 4, low: 2}\n"
    "traffic: [{from: [0], pattern: fixed, to: 1}]\n";

enum { SPECIAL = 2, LANES = 2, MAX_PORTS = 4 };

/* The input of switch 1 from switch 0; its output 2 leads to switch 2. */
static uint32_t middle(const net_lab *w)
{
    return cop_topo_switch_port(&w->topo, 1, 1);
}

static uint32_t queue_of(uint32_t out, uint32_t vl)
{
    return SPECIAL + out * LANES + vl;
}

static void voq_come(net_lab *w, uint32_t port, uint32_t dst, uint32_t vl, uint16_t flags,
                     unsigned n)
{
    while (n-- > 0) {
        uint32_t h = cop_pkt_new(&w->net);
        w->net.pkt[h] = (cop_pkt){.next = COP_NONE,
                                  .bytes = PACKET,
                                  .dst = dst,
                                  .vl = (uint8_t)vl,
                                  .flags = flags,
                                  .mid = COP_NONE};
        cop_input_receive(&w->net, port, h);
    }
}

static uint32_t waiting(net_lab *w, uint32_t port, uint32_t q)
{
    return cop_net_queue_bytes(&w->net, port, q) / PACKET;
}

static iso_line *line(net_lab *w, uint32_t port, uint32_t i)
{
    return iso_in_line(rules(w), cop_net_queue_state(&w->net, port), i);
}

static void a_queue_for_each_output(void **state)
{
    (void)state;
    net_lab *w = lab_build(three, NULL, 0);
    uint32_t in = middle(w);
    voq_come(w, in, 1, 0, 0, 1);
    voq_come(w, in, 1, 1, 0, 2);
    voq_come(w, in, 2, 0, 0, 3);
    voq_come(w, in, 4, 1, 0, 4);
    voq_come(w, in, 3, 1, COP_PKT_ACK, 2);
    assert_int_equal(waiting(w, in, queue_of(0, 0)), 1);
    assert_int_equal(waiting(w, in, queue_of(0, 1)), 2);
    assert_int_equal(waiting(w, in, queue_of(2, 0)), 3);
    assert_int_equal(waiting(w, in, queue_of(2, 1)), 4);
    /* Control packets have as many of their own, behind those of the largest switch. */
    assert_int_equal(waiting(w, in, queue_of(MAX_PORTS + 2, 1)), 2);
    assert_int_equal(w->net.counter[ISO_ROOTS], 0); /* four are not above four */
    lab_free(w);
}

/* Above `high` the queue of an output is a root: it keeps its packets, lists whom they are for, tells at once,
 * and stops who goes on. */
static void the_line_of_an_output(void **state)
{
    (void)state;
    static const char *const root_stop = "queueing.root_stop=yes";
    net_lab *w = lab_build(three, &root_stop, 1);
    uint32_t in = middle(w), q = queue_of(2, 1), out = cop_topo_switch_port(&w->topo, 1, 2);
    voq_come(w, in, 3, 1, 0, 4);
    voq_come(w, in, 4, 0, 0, 4); /* the other lane has a queue and a count of its own */
    assert_false(line(w, in, q)->used);
    voq_come(w, in, 2, 1, 0, 1);
    iso_line *l = line(w, in, q);
    assert_true(l->used && l->root && l->hot && l->propagated && !l->sent_stop);
    assert_int_equal(l->out, 2);
    assert_int_equal(l->out_vl, 1);
    assert_int_equal(l->next, ISO_NO_LINE);
    assert_int_equal(l->hops, 1);
    assert_int_equal(l->root_port, out);
    assert_int_equal(l->n_dst, 2);
    assert_int_equal(l->dst[0], iso_entry(3, 1));
    assert_int_equal(l->dst[1], iso_entry(2, 1));
    assert_int_equal(w->net.roots[out], 1);
    assert_int_equal(waiting(w, in, q), 5);
    assert_int_equal(w->net.counter[ISO_ROOTS], 1);
    assert_int_equal(w->net.counter[ISO_SENT_ALLOCATE], 1);
    assert_int_equal(w->net.counter[ISO_TAKEN], 0);
    assert_int_equal(w->net.counter[ISO_MOVED], 0);
    assert_int_equal(w->net.counter[ISO_DOUBTFUL], 0);
    assert_int_equal(w->net.level[ISO_LINES], 1);
    voq_come(w, in, 4, 1, 0, 1); /* the list is full; it waits here like the others */
    assert_int_equal(l->n_dst, 2);
    assert_int_equal(waiting(w, in, q), 6);
    assert_true(l->sent_stop);
    assert_int_equal(w->net.counter[ISO_SENT_STOP], 1);
    voq_come(w, in, 4, 1, 0, 1);
    assert_int_equal(w->net.counter[ISO_SENT_STOP], 1);
    assert_int_equal(w->net.counter[ISO_ROOTS], 1);
    lab_free(w);
}

/* Only special queues send stop, unless the queue of an output is to send it too. */
static void an_output_sends_no_stop(void **state)
{
    (void)state;
    net_lab *w = lab_build(three, NULL, 0);
    voq_come(w, middle(w), 3, 1, 0, 9);
    assert_true(line(w, middle(w), queue_of(2, 1))->propagated);
    assert_int_equal(w->net.counter[ISO_SENT_STOP], 0);
    lab_free(w);
}

/* What a neighbour told of takes a special queue, out of the middle of a queue that is itself a root. */
static void told_of_by_the_next_switch(void **state)
{
    (void)state;
    net_lab *w = lab_build(three, NULL, 0);
    uint32_t in = middle(w), q = queue_of(2, 0), out = cop_topo_switch_port(&w->topo, 1, 2);
    voq_come(w, in, 3, 0, 0, 5);
    assert_true(line(w, in, q)->hot);
    const iso_line far = {.hops = 1};
    iso_on_control(&w->net, out, iso_allocate(1, &far));
    iso_on_control(&w->net, out, iso_message(ISO_MSG_ADD, 1, iso_entry(3, 0)));
    assert_int_equal(waiting(w, in, 0), 5);
    assert_int_equal(waiting(w, in, q), 0);
    assert_int_equal(w->net.counter[ISO_MOVED], 5);
    /* The output's own queue is empty, so it is no root any more, and whom it had told hears of it. */
    assert_false(line(w, in, q)->used);
    assert_int_equal(w->net.roots[out], 0);
    assert_int_equal(w->net.counter[ISO_SENT_DEALLOCATE], 1);
    iso_line *l = line(w, in, 0);
    assert_true(l->used && !l->root && l->next == 1 && l->hops == 2 && l->propagated);
    assert_int_equal(w->net.counter[ISO_SENT_ALLOCATE], 2);
    voq_come(w, in, 2, 0, 0, 1);
    assert_int_equal(waiting(w, in, q), 1); /* another destination */
    /* Given up: there is no root at this queue, whose packets only pass. */
    iso_on_control(&w->net, out, iso_message(ISO_MSG_DEALLOCATE, 1, 0));
    assert_true(l->used && !l->root && l->next == ISO_NO_LINE);
    assert_int_equal(w->net.counter[ISO_ROOTS], 1);
    lab_free(w);
}

/* `local`: the root's own switch gives a special queue, too, and the packets move there. */
static void local_roots(void **state)
{
    (void)state;
    net_lab *w = lab_build(three, SET("queueing.local=yes"));
    uint32_t in = middle(w), q = queue_of(2, 0);
    assert_false(rules(w)->own_lines);
    assert_int_equal(rules(w)->lines, SPECIAL);
    voq_come(w, in, 3, 0, 0, 5);
    assert_int_equal(waiting(w, in, 0), 5);
    assert_int_equal(waiting(w, in, q), 0);
    assert_true(line(w, in, 0)->root && line(w, in, 0)->hot && line(w, in, 0)->propagated);
    assert_int_equal(w->net.counter[ISO_TAKEN], 1);
    assert_int_equal(w->net.counter[ISO_ROOTS], 1);
    voq_come(w, in, 3, 0, 0, 1);
    assert_true(line(w, in, 0)->sent_stop);
    voq_come(w, in, 4, 0, 0, 1); /* a second destination of the root, then no room for a third */
    voq_come(w, in, 2, 0, 0, 1);
    assert_int_equal(waiting(w, in, 0), 7);
    assert_int_equal(waiting(w, in, q), 1);
    lab_free(w);
}

/* Without special queues the switch finds roots, and notifies no other. */
static void only_roots(void **state)
{
    (void)state;
    net_lab *w = lab_build(three, SET("queueing.queues=0"));
    uint32_t in = middle(w), out = cop_topo_switch_port(&w->topo, 1, 2);
    voq_come(w, in, 3, 0, 0, 9);
    assert_int_equal(w->net.roots[out], 1);
    assert_int_equal(w->net.counter[ISO_ROOTS], 1);
    assert_int_equal(w->net.counter[ISO_SENT_ALLOCATE], 0);
    assert_int_equal(w->net.counter[ISO_SENT_STOP], 0);
    assert_int_equal(w->net.level[ISO_FREE], 0);
    lab_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_for_each_output),
        cmocka_unit_test(the_line_of_an_output),
        cmocka_unit_test(an_output_sends_no_stop),
        cmocka_unit_test(told_of_by_the_next_switch),
        cmocka_unit_test(local_roots),
        cmocka_unit_test(only_roots),
    };
    return cmocka_run_group_tests_name("iso_voq", tests, NULL, NULL);
}
