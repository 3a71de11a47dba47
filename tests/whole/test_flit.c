/* The packet-level simulator against the flit-level reference.
 *
 * Role     random small networks, switches, buffers and packets; both simulators get the same list of
 *          messages, and every message must be delivered in the same picosecond.
 * Bound    none is needed: where both describe the same machine the difference is zero. That covers
 *          cut-through and store-and-forward, links of different rates, header, pipeline and credit
 *          delays, slow sinks, blocking by credit, one queue or one per output, read port per output
 *          (ib) or one to four per input with iSLIP (iq), crossbars with output buffers (cioq, ib), shared by
 *          lanes or not, turns that inputs
 *          miss, fixed lanes (vftree), and deadlocks on a ring.
 * Not      what the reference has not is left out on purpose: routings that change lanes, matching with
 *          fewer iterations than ports (the reference repeats it every tick), lanes together with
 *          matching, and hosts that send on more than one lane (its hosts keep one order).
 * Parts    flit_trial.h draws the networks and messages, flitref.h is the reference. COPPICE_ROUNDS
 *          multiplies the number of networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flit_trial.h"
#include "scenario.h"

#define NETWORKS 300u
#define CROWDED 60u

/* The crossbar of each switch: `speedup` times its fastest link. */
static cop_time *cross_times(const trial *x, cop_arena *arena, const cop_time *flit)
{
    const cop_topo *t = &x->topo;
    cop_time *cross = COP_NEW_ARRAY(arena, cop_time, t->n_switches);
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        cop_time fastest = COP_NEVER;
        for (uint32_t p = t->sw_port0[sw]; p < t->sw_port0[sw + 1]; p++)
            if (t->port[p].to != COP_NONE)
                fastest = cop_min64(fastest, flit[p]);
        cross[sw] = fastest / x->speedup;
    }
    return cross;
}

static int run_reference(trial *x, const uint16_t *lft, fr_counts *counts)
{
    const cop_topo *t = &x->topo;
    cop_arena arena = {0};
    cop_time *flit = COP_NEW_ARRAY(&arena, cop_time, t->n_ports);
    cop_time *delay = COP_NEW_ARRAY(&arena, cop_time, t->n_ports);
    cop_time *sink = COP_NEW_ARRAY(&arena, cop_time, t->n_hosts);
    for (uint32_t p = 0; p < t->n_ports; p++) {
        flit[p] = FLIT_PS * x->slow[t->port[p].link_class];
        delay[p] = TICK * x->delay[t->port[p].link_class];
    }
    for (uint32_t h = 0; h < t->n_hosts; h++)
        sink[h] = FLIT_PS * x->sink_slow;
    fr_cfg cfg = {.tick_ps = TICK,
                  .flit_bytes = FLIT,
                  .flit_ps = flit,
                  .delay_ps = delay,
                  .sink_flit_ps = x->sink_slow ? sink : NULL,
                  .pipeline_ps = x->pipeline * TICK,
                  .credit_ps = x->credit * TICK,
                  .header_bytes = x->header,
                  .buffer_bytes = x->buffer_flits * FLIT,
                  .sink_buffer_bytes = x->sink_flits * FLIT,
                  .lanes = x->lanes,
                  .store_and_forward = x->saf,
                  .queueing = x->queueing,
                  .read = x->iq ? FR_READ_PER_INPUT : FR_READ_PER_OUTPUT,
                  .iterations = 16,
                  .reads = x->reads,
                  .cross_flit_ps = x->output_flits ? cross_times(x, &arena, flit) : NULL,
                  .output_bytes = x->output_flits * FLIT,
                  .output_reserve = x->output_reserve * FLIT,
                  .lft = lft};
    int outcome = flitref_run(t, &cfg, x->pkt, x->n_pkts, 10 * COP_MS, counts);
    cop_arena_free(&arena);
    return outcome;
}

static const cop_stream_result *stream_of(const cop_result *r, uint32_t entry)
{
    char name[16];
    snprintf(name, sizeof(name), "m%u", entry);
    for (uint32_t s = 0; s < r->n_streams; s++)
        if (strcmp(r->stream[s].entry, name) == 0)
            return &r->stream[s];
    return NULL;
}

/* Sum of the latencies of a message's packets in both; false if they differ. A simulation that
 * ended in a deadlock stopped early: it counts for what was delivered until then. */
static bool same_message(const trial *x, const message *m, const fr_packet *pkt,
                         const cop_result *r)
{
    const cop_stream_result *s = stream_of(r, m->entry);
    cop_time expected = 0;
    uint64_t packets = 0;
    assert_non_null(s);
    for (uint32_t k = 0; k < m->packets; k++)
        if (pkt[k].t_deliver <= r->sim_time) {
            expected += pkt[k].t_deliver - m->t;
            packets++;
        }
    cop_time found = (cop_time)llround(s->latency_mean_ns * 1e3 * (double)s->packets);
    if (packets == s->packets && found == expected)
        return true;
    print_error("network %u: message %u, host %u to %u at %" PRIu64 " ps: %" PRIu64
                " packets, %" PRIu64 " ps; reference %" PRIu64 " packets, %" PRIu64 " ps\n",
                x->number, m->entry, m->src, m->dst, m->t, s->packets, found, packets, expected);
    return false;
}

static bool compare(trial *x, int outcome, const fr_counts *counts, const cop_result *r)
{
    bool stuck = outcome == FR_DEADLOCK;
    bool same = r->outcome == (stuck ? COP_OUTCOME_DEADLOCK : COP_OUTCOME_OK);
    if (outcome == FR_UNFINISHED || (stuck && !x->deadlocks) || !same)
        print_error("network %u: outcome %d, reference %d: %s\n", x->number, (int)r->outcome,
                    outcome, r->detail ? r->detail : "");
    same = same && outcome != FR_UNFINISHED && (!stuck || x->deadlocks);
    if (!stuck && r->packet_hops != counts->packet_hops) {
        print_error("network %u: %" PRIu64 " packet hops, reference %" PRIu64 "\n", x->number,
                    r->packet_hops, counts->packet_hops);
        same = false;
    }
    /* Of a network that stands still the reference does not wait for later messages. */
    cop_time last = stuck ? counts->t_end : COP_NEVER;
    const fr_packet *pkt = x->pkt;
    for (uint32_t i = 0, shown = 0; i < x->n && shown < 5; pkt += x->msg[i++].packets)
        if (x->msg[i].t <= last && !same_message(x, &x->msg[i], pkt, r)) {
            same = false;
            shown++;
        }
    return same;
}

/* Build topology and tables once more from the same configuration, for the reference. */
static bool run_both(trial *x, bool *stuck, uint64_t *kept_idle)
{
    cop_config c;
    cop_route route;
    cop_result r;
    cop_err err = {0};
    fr_counts counts;
    trial_draw_machine(x);
    size_t head = x->used;
    trial_write(x, "  - {from: [0], pattern: fixed, to: 1}\n");
    if (cop_config_load(&c, "flit.yaml", x->yaml, NULL, 0, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    assert_int_equal(c.topo->build(&x->topo, c.topo_cfg, &err), 0);
    assert_int_equal(cop_route_init(&route, c.route, &x->topo, c.route_cfg, 0, &err), 0);
    assert_non_null(route.lft);
    x->used = head;
    trial_draw_messages(x);
    int outcome = run_reference(x, route.lft, &counts);
    if (scn_run(x->yaml, NULL, 0, &r, &err) != 0)
        fail_msg("network %u: %s\n%s", x->number, err.text, x->yaml);
    bool same = compare(x, outcome, &counts, &r);
    *stuck = outcome == FR_DEADLOCK;
    *kept_idle = counts.kept_idle;
    cop_result_free(&r);
    cop_route_fini(&route);
    cop_topo_free(&x->topo);
    cop_config_free(&c);
    cop_free(x->pkt);
    return same;
}

typedef struct tally {
    uint32_t stuck, could_stick, kept_idle, differ;
} tally;

static tally run_trials(uint32_t n, uint32_t stream, bool crowded)
{
    tally all = {0};
    for (uint32_t i = 0; i < n; i++) {
        bool deadlock = false;
        uint64_t kept_idle = 0;
        trial *x = cop_alloc(sizeof(*x));
        x->number = i;
        x->crowded = crowded;
        x->rng = cop_rng_make(i, COP_RNG_TEST, stream);
        if (!run_both(x, &deadlock, &kept_idle) && ++all.differ <= 3)
            print_error("%s\n", x->yaml);
        all.stuck += deadlock;
        all.could_stick += x->deadlocks;
        all.kept_idle += kept_idle > 0;
        cop_free(x->yaml);
        cop_free(x);
    }
    return all;
}

static void test_same_times(void **state)
{
    (void)state;
    uint32_t n = NETWORKS * scn_rounds();
    tally all = run_trials(n, 1, false);
    print_message("%u networks, %u of %u rings deadlocked, %u differ\n", n, all.stuck,
                  all.could_stick, all.differ);
    assert_int_equal(all.differ, 0);
    /* Both ends of a ring's fate must have been compared. */
    assert_true(all.stuck > 0 && all.stuck < all.could_stick);
}

/* Matching when everything waits: turns that inputs miss, and outputs that stay idle for them. */
static void test_same_turns(void **state)
{
    (void)state;
    uint32_t n = CROWDED * scn_rounds();
    tally all = run_trials(n, 2, true);
    print_message("%u crowded networks, outputs stayed idle in %u, %u differ\n", n, all.kept_idle,
                  all.differ);
    assert_int_equal(all.differ, 0);
    assert_true(all.kept_idle > n / 20); /* or the rule was not compared */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_times),
                                       cmocka_unit_test(test_same_turns)};
    return cmocka_run_group_tests_name("flit", tests, NULL, NULL);
}
