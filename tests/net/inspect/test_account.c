/* The account at the end of a run notices what is not there: a run is disturbed at its very end, one
 * number at a time, and must come out as broken, with the place. Undisturbed it is in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/cable/fc_state.h"
#include "net/flow/flow.h"
#include "net/net.h"
#include "net/switch/switch.h"
#include "scenario.h"

typedef struct trouble {
    cop_net *net;
    void (*make)(cop_net *net);
} trouble;

static void remember(struct cop_net *net)
{
    union {
        const void *in;
        trouble *out;
    } u = {.in = cop_net_cc_cfg(net)};
    u.out->net = net;
}

static const cop_cc_ops noting = {.name = "noting", .start = remember};

/* The only sample is the last event of the run. */
static bool at_the_end(void *ctx, cop_time now, cop_time end, uint64_t hops)
{
    trouble *t = ctx;
    (void)now, (void)end, (void)hops;
    if (t->make != NULL)
        t->make(t->net);
    return false;
}

/* Three hosts of switch 0 overload host 3 at switch 1: its buffers are full at the end. */
static const char busy[] = "run: {duration: 50 us, sample: 50 us}\n"
                           "topology: {kind: chain, hosts: [3, 2]}\n"
                           "link: {rate: 10 Gbit/s, delay: 70 ns}\n"
                           "switch: {buffer: 16 KiB}\n"
                           "nic: {mtu: 2 KiB, overhead: 0 B}\n"
                           "traffic: [{from: [0-2], pattern: fixed, to: 3},"
                           " {from: [4], pattern: fixed, to: 3}]\n";

static void expect(const char *set, void (*make)(cop_net *), const char *detail, uint64_t missing)
{
    cop_config c;
    cop_result r;
    cop_err err = {0};
    trouble t = {.make = make};
    cop_override o = {.text = set};
    assert_int_equal(cop_config_load(&c, "test.yaml", busy, &o, 1, &err), 0);
    c.cc = &noting;
    c.cc_cfg = &t;
    cop_run_hooks hooks = {.progress = at_the_end, .progress_ctx = &t};
    assert_int_equal(cop_run(&c, &hooks, &r, &err), 0);
    assert_int_equal(r.outcome, detail ? COP_OUTCOME_BROKEN : COP_OUTCOME_OK);
    if (detail != NULL && strstr(r.detail, detail) == NULL) {
        print_error("`%s` does not say `%s`\n", r.detail, detail);
        fail();
    }
    assert_int_equal(r.credits_missing, missing);
    cop_result_free(&r);
    cop_config_free(&c);
}

/* The port of switch 0 that leads to switch 1: its fourth. */
static uint32_t trunk(const cop_net *net)
{
    return cop_topo_switch_port(net->topo, 0, 3);
}

static void packet_too_many(cop_net *net)
{
    net->total.injected++;
}

static void packet_delivered_twice(cop_net *net)
{
    net->total.delivered++;
}

static void pool_leaks(cop_net *net)
{
    (void)cop_pkt_new(net);
}

static void queue_loses_its_head(cop_net *net)
{
    for (uint32_t q = 0; q < net->n_queues; q++)
        if (net->queue[q].head != COP_NONE) {
            net->queue[q].head = net->pkt[net->queue[q].head].next;
            return;
        }
    fail();
}

static void credit_out_twice(cop_net *net)
{
    net->out[trunk(net)].section[0].used += 3;
}

/* The sum is right, but three of the blocks that are out are nowhere. */
static void credit_moved(cop_net *net)
{
    net->out[trunk(net)].section[0].used += 3;
    net->out[trunk(net)].section[0].credit -= 3;
}

static void credit_from_nowhere(cop_net *net)
{
    net->out[trunk(net)].section[0].credit += 1;
}

static void bytes_from_nowhere(cop_net *net)
{
    net->fc_state->hold[(size_t)net->out[trunk(net)].to * net->sections].bytes += 1;
}

static void buffer_too_small(cop_net *net)
{
    size_t i = (size_t)net->out[trunk(net)].to * net->sections;
    assert_true(net->fc_state->hold[i].bytes > 0);
    net->fc_state->hold[i].capacity = (net->fc_state->hold[i].bytes - 1) & INT64_MAX;
}

static void packet_grows_in_an_output_buffer(cop_net *net)
{
    uint32_t h = cop_obuf_first(net, trunk(net), 0);
    assert_true(h != COP_NONE);
    net->pkt[h].bytes += COP_BLOCK_BYTES;
}

/* As much as there is may be there. */
static void buffer_just_full(cop_net *net)
{
    size_t i = (size_t)net->out[trunk(net)].to * net->sections;
    net->fc_state->hold[i].capacity = net->fc_state->hold[i].bytes & INT64_MAX;
}

static void nothing_is_missing(void **state)
{
    (void)state;
    static const char *const kinds[] = {"flow_control.kind=credit", "flow_control.kind=ib",
                                        "flow_control.kind=on-off", "flow_control.kind=ack-nack",
                                        "switch.architecture=cioq", "switch.output_buffer=4 KiB",
                                        "queueing.kind=voqnet"};
    for (size_t i = 0; i < COP_LEN(kinds); i++)
        expect(kinds[i], NULL, NULL, 0);
}

static void packets(void **state)
{
    (void)state;
    static const char *const kinds[] = {"flow_control.kind=credit", "flow_control.kind=on-off"};
    for (size_t i = 0; i < COP_LEN(kinds); i++) {
        expect(kinds[i], packet_too_many, "packets are in flight, ", 0);
        expect(kinds[i], packet_delivered_twice, "packets are in flight, ", 0);
        expect(kinds[i], pool_leaks, "the pool holds ", 0);
    }
    /* 2 KiB are 32 blocks of a buffer that are missing. */
    expect("flow_control.kind=credit", queue_loses_its_head, " were found", 32);
}

static void credits(void **state)
{
    (void)state;
    expect("flow_control.kind=credit", credit_out_twice, "credits of s0.3 section 0: ", 3);
    expect("switch.buffer=64 KiB", credit_moved, " are accounted for", 3);
    expect("flow_control.kind=credit", credit_from_nowhere, " of 256 blocks", 0);
    expect("flow_control.kind=ib", credit_out_twice, "credits of s0.3 section 0: ", 3);
}

static void buffers(void **state)
{
    (void)state;
    expect("flow_control.kind=on-off", bytes_from_nowhere, " bytes counted, ", 0);
    expect("flow_control.kind=on-off", buffer_too_small, "section 0 overflowed", 0);
    expect("flow_control.kind=on-off", buffer_just_full, NULL, 0);
    expect("switch={architecture: cioq, buffer: 16 KiB}", packet_grows_in_an_output_buffer,
           "output buffer of port 3 does not add up", 0);
    expect("switch={output_buffer: 8 KiB, buffer: 16 KiB}", packet_grows_in_an_output_buffer,
           "output buffer of port 3 does not add up", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_missing),
                                       cmocka_unit_test(packets), cmocka_unit_test(credits),
                                       cmocka_unit_test(buffers)};
    return cmocka_run_group_tests_name("account", tests, NULL, NULL);
}
