/* Turns that inputs miss (net/switch/turn.h), step by step on one output of a switch that stands still: who
 * counts as passed, when an input is overdue, and when counting begins anew. */
#include "net_fixture.h"

#include "net/flow/flow.h"
#include "net/switch/request.h"
#include "net/switch/turn.h"

#include <string.h>

#define HOSTS 130 /* three words of inputs */
#define PORT 2
#define WORDS 3

typedef struct bench {
    net_lab *w;
    cop_turns t;
    uint64_t free[WORDS];
} bench;

static void bench_init(bench *b, const char *scheme)
{
    static const char one[] = "run: {duration: 10 us}\n"
                              "topology: {kind: single, hosts: 130}\n"
                              "switch: {architecture: iq, lanes: 2}\n"
                              "traffic: [{from: [0], pattern: fixed, to: 1}]\n";
    const char *set[] = {scheme};
    *b = (bench){.w = lab_build(one, set, 1)};
    cop_turns_init(&b->t, &b->w->net);
    assert_int_equal(b->w->net.words, WORDS);
}

static void ask(bench *b, uint32_t input)
{
    cop_request_set(&b->w->net, PORT, 1, input);
}

static void set_free(bench *b, uint32_t input, bool is)
{
    uint64_t bit = (uint64_t)1 << (input % 64);
    b->free[input / 64] = is ? b->free[input / 64] | bit : b->free[input / 64] & ~bit;
}

static uint8_t missed(const bench *b, uint32_t input)
{
    return b->t.missed[cop_slot_of(&b->w->net, PORT, 1, input)];
}

static void passed(bench *b, uint32_t first, uint32_t winner)
{
    cop_turn_missed(&b->t, &b->w->net, PORT, 1, first, winner, b->free);
}

static void served(bench *b, uint32_t input, bool waited, bool empty)
{
    cop_pick pick = {.in = input, .vl = 1};
    b->t.port[PORT].waited = waited;
    cop_turn_served(&b->t, &b->w->net, PORT, &pick, empty);
    assert_false(b->t.port[PORT].waited);
}

static bool overdue(const bench *b, uint32_t input)
{
    cop_pick pick = {.in = input, .vl = 1};
    return cop_turn_overdue(&b->t, &b->w->net, PORT, &pick);
}

/* Those from the position up to the winner that ask and are busy, also round the end and beyond the
 * first 64 inputs; no others. */
static void who_is_passed(void **state)
{
    (void)state;
    static const uint32_t asking[] = {0, 3, 5, 62, 63, 64, 65, 69, 127, 128, 129};
    static const uint32_t firsts[] = {0, 3, 63, 64, 65, 127, 128, 129, HOSTS};
    for (size_t f = 0; f < COP_LEN(firsts); f++)
        for (uint32_t winner = 0; winner < HOSTS; winner += 1 + winner % 9) {
            uint32_t first = firsts[f];
            bench b;
            bench_init(&b, "queueing.kind=voqsw");
            for (size_t i = 0; i < COP_LEN(asking); i++)
                ask(&b, asking[i]);
            ask(&b, winner);
            set_free(&b, winner, true);
            set_free(&b, 5, true);
            passed(&b, first, winner);
            for (uint32_t i = 0; i < HOSTS; i++) {
                bool asks = i == winner;
                for (size_t k = 0; k < COP_LEN(asking); k++)
                    asks |= i == asking[k];
                bool between =
                    first <= winner ? i >= first && i < winner : i >= first || i < winner;
                assert_int_equal(missed(&b, i), asks && between && i != 5 && i != winner);
            }
            lab_free(b.w);
        }
}

/* 32 turns in a row make an input overdue; a turn that it gets before begins anew. */
static void overdue_after_32(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, "queueing.kind=voqsw");
    ask(&b, 4);
    ask(&b, 65);
    set_free(&b, 65, true);
    for (int i = 0; i < 31; i++)
        passed(&b, 0, 65);
    assert_int_equal(missed(&b, 4), 31);
    assert_true(!overdue(&b, 4) && b.t.port[PORT].overdue == 0);
    served(&b, 4, false, false);
    assert_int_equal(missed(&b, 4), 0);
    for (int i = 0; i < 40; i++) {
        passed(&b, 0, 65);
        assert_int_equal(overdue(&b, 4), i >= 31);
        assert_int_equal(b.t.port[PORT].overdue, i >= 31);
    }
    assert_int_equal(missed(&b, 4), 32);
    assert_false(overdue(&b, 65));
    /* It was waited for: it stays overdue. Met without waiting: it begins anew. */
    served(&b, 4, true, false);
    assert_true(overdue(&b, 4) && b.t.port[PORT].overdue == 1);
    served(&b, 4, false, false);
    assert_true(!overdue(&b, 4) && b.t.port[PORT].overdue == 0 && missed(&b, 4) == 0);
    for (int i = 0; i < 32; i++)
        passed(&b, 0, 65);
    served(&b, 4, true, true); /* the queue has run empty */
    assert_true(!overdue(&b, 4) && b.t.port[PORT].overdue == 0 && missed(&b, 4) == 0);
    lab_free(b.w);
}

/* With ordered queues they have to meet 16 times in a row. */
static void calm_with_ordered_queues(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, "queueing.kind=fbicm");
    ask(&b, 4);
    set_free(&b, 9, true);
    ask(&b, 9);
    for (int i = 0; i < 32; i++)
        passed(&b, 0, 9);
    assert_true(overdue(&b, 4));
    for (int i = 0; i < 15; i++) {
        served(&b, 4, false, false);
        assert_true(overdue(&b, 4));
    }
    served(&b, 4, true, false); /* once more by waiting: all 16 again */
    for (int i = 0; i < 16; i++) {
        assert_int_equal(b.t.port[PORT].overdue, 1);
        served(&b, 4, false, false);
    }
    assert_true(!overdue(&b, 4) && b.t.port[PORT].overdue == 0 && missed(&b, 4) == 0);
    for (int i = 0; i < 32; i++)
        passed(&b, 0, 9);
    served(&b, 4, false, true);
    assert_int_equal(b.t.port[PORT].overdue, 0);
    lab_free(b.w);
}

/* A turn of a lane that went to another lane: only the input whose turn it was has missed it. */
static void another_lane_won(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, "queueing.kind=voqsw");
    ask(&b, 4);
    ask(&b, 8);
    passed(&b, 5, COP_NONE);
    assert_true(missed(&b, 8) == 1 && missed(&b, 4) == 0);
    passed(&b, 9, COP_NONE); /* round the end */
    assert_true(missed(&b, 8) == 1 && missed(&b, 4) == 1);
    set_free(&b, 4, true); /* it was free, and did not miss it by being busy */
    passed(&b, 0, COP_NONE);
    assert_int_equal(missed(&b, 4), 1);
    ask(&b, 129);
    passed(&b, 9, COP_NONE);
    assert_int_equal(missed(&b, 129), 1);
    ask(&b, 70);
    passed(&b, 9, COP_NONE);
    passed(&b, 71, COP_NONE);
    passed(&b, 129, COP_NONE);
    assert_true(missed(&b, 70) == 1 && missed(&b, 129) == 3 && missed(&b, 8) == 1);
    set_free(&b, 4, false);
    passed(&b, HOSTS, COP_NONE);
    assert_int_equal(missed(&b, 4), 2);
    lab_free(b.w);
}

/* The output stays free for an overdue input that is busy, when it has the turn and its packet fits. */
static void waits_for_the_overdue(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, "queueing.kind=voqsw");
    cop_net *net = &b.w->net;
    uint32_t h = cop_pkt_new(net);
    net->pkt[h] = (cop_pkt){.next = COP_NONE, .bytes = 2048, .dst = PORT, .out = PORT, .out_vl = 1};
    ask(&b, 4);
    ask(&b, 65);
    for (uint32_t input = 4; input <= 65; input += 61) {
        cop_queue *q = &net->queue[net->in[input].queue0 + PORT * 2 + 1];
        q->head = q->tail = h;
    }
    assert_false(cop_turn_waits(&b.t, net, PORT, 1, b.free)); /* no input is overdue */
    set_free(&b, 65, true);
    for (int i = 0; i < 32; i++)
        passed(&b, 0, 65);
    net->out[PORT].lane[1].rr = 4;
    assert_true(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    assert_true(b.t.port[PORT].waited);
    b.t.port[PORT].waited = false;
    net->out[PORT].lane[1].rr = 5; /* the turn is with 65 */
    assert_false(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    set_free(&b, 65, false); /* busy, but not overdue */
    assert_false(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    net->out[PORT].lane[1].rr = 66; /* round the end: 4 again */
    assert_true(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    b.t.port[PORT].waited = false;
    set_free(&b, 4, true);
    assert_false(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    set_free(&b, 4, false);
    net->out[PORT].section[1].credit = 31; /* 2048 bytes are 32 blocks */
    assert_false(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    net->out[PORT].section[1].credit = 32;
    assert_true(cop_turn_waits(&b.t, net, PORT, 1, b.free));
    lab_free(b.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_passed),
        cmocka_unit_test(overdue_after_32),
        cmocka_unit_test(calm_with_ordered_queues),
        cmocka_unit_test(another_lane_won),
        cmocka_unit_test(waits_for_the_overdue),
    };
    return cmocka_run_group_tests_name("turn", tests, NULL, NULL);
}
