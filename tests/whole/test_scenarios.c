/* Random scenarios: every combination of topology, routing, queueing, flow control, switch, end
 * node and traffic that the configuration can express must run without losing anything.
 *
 * Each scenario follows from its number alone (draw.h). The simulator itself accounts for every packet,
 * byte and credit and for the order of packets; here its results are compared with each other. Input
 * that is refused must be refused with a remedy, and most scenarios must run. Every member of the
 * program's own lists, from which is drawn (draw.h), must have run.
 * A failure prints the number and the configuration. COPPICE_ROUNDS multiplies the number of
 * scenarios, COPPICE_COUNTS=1 prints how many each member has had, COPPICE_REFUSED=1 what was refused.
 * Run from the top of the source tree, where examples/ is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc/cc_list.h"
#include "draw.h"
#include "host/host_list.h"
#include "named.h"
#include "queue/queue_list.h"
#include "route/route.h"
#include "scenario.h"
#include "topo/topo.h"

#define SCENARIOS 2600u
#define ENOUGH 15u /* runs of each plug-in */

/* -- checks -- */

static bool complain(const draw *d, const char *what, double a, double b)
{
    print_error("scenario %u: %s: %.17g, %.17g\n", d->number, what, a, b);
    return false;
}

static bool equal(const draw *d, const char *what, uint64_t a, uint64_t b)
{
    return a == b || complain(d, what, (double)a, (double)b);
}

/* Both sides count the same packet-times except at the edges: a packet inside at the end is in the
 * integral only, for at most the whole span; of one that was inside at the beginning the other side
 * also counts the time before. */
static bool little_holds(const draw *d, const cop_result *r)
{
    const cop_series *inside = series_if_any(r, "network/packets");
    if (d->drain || (r->warmup > 0 && r->sample * 50 > d->duration_ns * COP_NS))
        return true; /* the last bin may reach into the draining; the first ones past the warm-up */
    double span = (double)(d->duration_ns - d->warmup_ns) * 1e3;
    uint32_t first = (uint32_t)(r->warmup / r->sample);
    double at_start = first > 0 ? inside->v[first - 1] + 2.0 : 0.0,
           at_end = inside->v[inside->n - 1];
    double a = r->little_mean_in_network, b = r->little_rate_times_latency;
    double slack = at_end + at_start * (double)r->transit->max / span + 0.01 * a + 1.0;
    return fabs(a - b) <= slack || complain(d, "Little's law", a, b);
}

static bool streams_agree(const draw *d, const cop_result *r)
{
    uint64_t packets = 0, bytes = 0, received = 0, flow_packets = 0, flow_bytes = 0, delivered = 0;
    bool ok = true;
    for (uint32_t s = 0; s < r->n_streams; s++) {
        const cop_stream_result *st = &r->stream[s];
        packets += st->packets;
        delivered += st->delivered_bytes;
        if (st->delivered_bytes > st->sent_bytes)
            ok = complain(d, "a stream delivers more than it sends", (double)st->sent_bytes,
                          (double)st->delivered_bytes);
        if (d->drain)
            ok &= equal(d, "a drained stream's bytes sent, delivered", st->sent_bytes,
                        st->delivered_bytes);
    }
    for (uint32_t h = 0; h < r->n_nodes; h++)
        received += r->node[h].received_bytes;
    for (uint32_t f = 0; f < r->n_flows; f++) {
        flow_packets += r->flow[f].packets;
        flow_bytes += r->flow[f].bytes;
    }
    bytes =
        (uint64_t)llround(r->throughput_total_gbps * (double)(d->duration_ns - d->warmup_ns) / 8);
    ok &= equal(d, "packets of streams, in the histogram", packets, r->latency->count);
    ok &= equal(d, "packets of streams, flows", packets, flow_packets);
    ok &= equal(d, "bytes received by hosts, of flows", received, flow_bytes);
    ok &= equal(d, "bytes received by hosts, in the throughput", received, bytes);
    /* A host may be in the middle of a packet at the end; with wormhole switching, of one in each lane. */
    uint64_t middle = (uint64_t)r->n_nodes * d->mtu * (d->worm ? COP_MAX_VL : 1);
    if (!d->drain && d->warmup_ns == 0 && (received < delivered || received > delivered + middle))
        ok =
            complain(d, "bytes received by hosts, of streams", (double)received, (double)delivered);
    return ok;
}

/* Windows cut packets where they will: no rate is above the link's. */
static bool rates_hold(const draw *d, const cop_result *r)
{
    bool ok = true;
    double most = d->own_rates ? HUGE_VAL : d->link_gbps * (1.0 + 1e-12);
    for (uint32_t p = 0; p < r->n_ports; p++)
        if (r->port[p].utilisation > 1.0)
            ok = complain(d, "utilisation, most", r->port[p].utilisation, 1.0);
    for (uint32_t h = 0; h < r->n_nodes; h++)
        if (r->node[h].received_gbps > most || r->node[h].sent_gbps > most)
            ok = complain(d, "a host receives, sends", r->node[h].received_gbps,
                          r->node[h].sent_gbps);
    for (uint32_t s = 0; s < r->n_streams; s++)
        if (r->stream[s].dst != COP_NONE && r->stream[s].gbps > most)
            ok = complain(d, "a stream, its link", r->stream[s].gbps, d->link_gbps);
    const cop_series *total = series_if_any(r, "network/throughput");
    for (uint32_t b = 0; b < total->n; b++)
        if (total->v[b] > most * r->n_nodes)
            ok = complain(d, "a bin, all links", total->v[b], d->link_gbps * (double)r->n_nodes);
    return ok;
}

/* What a scheme took for a congestion tree it gives back when the tree is gone. */
static bool nothing_kept(const draw *d, const cop_result *r)
{
    bool ok = true;
    for (uint32_t i = 0; d->drain && i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, "isolation/queues_used.at_end") == 0 ||
            strcmp(r->scalar[i].name, "isolation/lines.at_end") == 0 ||
            strcmp(r->scalar[i].name, "isolation/ports_without_queue.at_end") == 0)
            ok &= equal(d, r->scalar[i].name, (uint64_t)r->scalar[i].value, 0);
    return ok;
}

/* Notifications are packets too: each of them arrives. */
static bool notifications_arrive(const draw *d, const cop_result *r)
{
    double made = scalar_or(r, "notifications", 0.0), heard = scalar_or(r, "becn", 0.0);
    if (cop_cc_find(d->cc)->immediate)
        heard -= scalar_or(r, "told_at_once", 0.0);
    return heard <= made && (!d->drain || heard == made)
               ? true
               : complain(d, "notifications, heard", made, heard);
}

/* A job that has ended has done everything, and its critical path accounts for all of its time; none is
 * stuck for a reason of its own. */
static bool jobs_hold(const draw *d, const cop_result *r)
{
    bool ok = equal(d, "jobs", r->n_jobs, d->jobs);
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        const cop_job_result *j = &r->job[i];
        ok &= equal(d, "ended, all done", j->end != COP_NEVER, j->left == 0);
        if (j->end != COP_NEVER)
            ok &= equal(d, "time of a job, its critical path", j->end - j->start,
                        j->path_compute + j->path_overhead + j->path_network + j->path_wait);
    }
    for (uint32_t i = 0; i < r->n_ranks; i++) {
        cop_time end = r->job[r->rank[i].job].end;
        if (end != COP_NEVER && r->rank[i].end > end)
            ok = complain(d, "a rank ends after its job", (double)r->rank[i].end, (double)end);
    }
    return ok;
}

static bool result_holds(const draw *d, const cop_result *r)
{
    if (r->outcome != COP_OUTCOME_OK) {
        print_error("scenario %u: %s\n", d->number, r->detail);
        return false;
    }
    bool ok = equal(d, "packets lost", r->packets_lost, 0);
    ok &= equal(d, "packets injected, delivered or in flight", r->packets_injected,
                r->packets_delivered + r->packets_in_flight);
    if (d->drain) {
        ok &= equal(d, "packets in flight after draining", r->packets_in_flight, 0);
        ok &= equal(d, "bytes injected, delivered", r->bytes_injected, r->bytes_delivered);
    }
    if (strcmp(d->cc, "ibcc") != 0) /* its BECNs may ride on acknowledgements */
        ok &= notifications_arrive(d, r);
    return streams_agree(d, r) && rates_hold(d, r) && little_holds(d, r) && nothing_kept(d, r) &&
           jobs_hold(d, r) && ok;
}

/* Trees of a drawn network: every member leads to the root, nothing is counted twice. */
static bool trees_hold(const draw *d, const cop_result *r)
{
    bool ok = r->trees_asked || complain(d, "trees were asked for", 0, 0);
    for (uint32_t i = 0; i < r->n_tree_frames; i++) {
        const cop_tree_frame *f = &r->tree_frame[i];
        ok &= f->frame < r->n_frames && f->tree < r->n_trees && f->links > 1;
        ok &= f->n_members > 0 && f->member[0].port == f->root && f->member[0].depth == 0;
        for (uint32_t k = 1; k < f->n_members; k++) {
            uint32_t next = 0;
            while (next < k && f->member[next].port != f->member[k].next)
                next++;
            ok &= next < k && f->member[next].depth < f->member[k].depth;
            for (uint32_t j = 0; j < k; j++)
                ok &= f->member[j].port != f->member[k].port;
        }
        for (uint32_t k = 1; k < f->n_contributors; k++)
            ok &= f->contributor[k - 1] < f->contributor[k] && f->contributor[k] < d->hosts;
    }
    for (uint32_t i = 0; i < r->n_trees; i++) {
        const cop_tree_result *t = &r->tree[i];
        ok &= t->begin < t->end && t->end <= d->duration_ns * COP_NS && t->samples > 0;
        ok &= t->contributors <= d->hosts && !(t->loss < 0.0) && !(t->loss > 1.0);
        ok &= !(t->similarity > t->overlap) && !(t->overlap > 1.0);
    }
    return ok || complain(d, "trees do not add up", r->n_trees, r->n_tree_frames);
}

/* The same scenario again: same bits, whatever the event queue and with samples of trees; another
 * seed, another run. */
static bool repeats(const draw *d, const cop_result *first)
{
    static const char *const again[] = {"run.event_queue=heap"};
    static const char *const looked_at[] = {"run.trees=yes"};
    static const char *const other[] = {"run.seed=123456"};
    cop_result r;
    if (d->number % 2 == 0) {
        bool heap = d->number % 4 == 0;
        scn_run(d->text, heap ? again : looked_at, 1, &r, NULL);
        bool same = heap || trees_hold(d, &r);
        same &= equal(d, "run hash", first->run_hash, r.run_hash) &&
                equal(d, "packet hops", first->packet_hops, r.packet_hops);
        cop_result_free(&r);
        return same;
    }
    if (d->number % 4 == 3 || !d->random || first->packets_delivered < 50)
        return true;
    cop_err err = {0};
    if (scn_run(d->text, other, 1, &r, &err) != 0)
        return err.code == COP_E_INPUT; /* other hosts were drawn, and they have no traffic */
    bool differs = r.run_hash != first->run_hash || complain(d, "hash does not see the seed", 0, 0);
    cop_result_free(&r);
    return differs;
}

/* How many scenarios of each kind have run, not counting refused ones. */
typedef struct tally {
    uint32_t topology[64], routing[64], queueing[64], cc[64], arbitration[64], host[64];
    uint32_t word[DRAW_WORDS][64]; /* patterns, arrivals, ... of traffic */
    uint32_t stopped, notified; /* isolation sent a stop; sources were throttled by marks */
    uint32_t ib_buffered, shared; /* output buffers of ib; those that lanes share */
    uint32_t worms; /* wormhole switching */
    uint32_t jobs_done; /* jobs that ended in time */
    uint32_t reads; /* more than one read port, fewer than outputs */
    bool final; /* there will be no more: say what lacks */
} tally;

static void count_run(tally *t, const draw *d, const cop_result *r)
{
    t->stopped += scalar_or(r, "isolation.sent_stop", 0.0) > 0;
    t->notified += draw_isolates(d) && scalar_or(r, "becn", 0.0) > 0;
    t->ib_buffered += d->output_buffers && strcmp(d->arch, "ib") == 0;
    t->shared += d->output_shared;
    t->reads += d->read_ports > 1;
    t->worms += d->worm;
    for (uint32_t i = 0; i < r->n_jobs; i++)
        t->jobs_done += r->job[i].end != COP_NEVER;
    for (size_t i = 0; cop_topologies[i]; i++)
        t->topology[i] += strcmp(cop_topologies[i]->name, d->network) == 0;
    for (unsigned k = 0; k < DRAW_WORDS; k++)
        for (size_t i = 0; draw_words(k)[i]; i++)
            t->word[k][i] += d->words[k] >> i & 1;
    for (size_t i = 0; cop_routings[i]; i++)
        t->routing[i] += strcmp(cop_routings[i]->name, d->routing) == 0;
    for (size_t i = 0; cop_queueings[i]; i++)
        t->queueing[i] += strcmp(cop_queueings[i]->name, d->queueing) == 0;
    for (size_t i = 0; cop_ccs[i]; i++)
        t->cc[i] += strcmp(cop_ccs[i]->name, d->cc) == 0;
    for (size_t i = 0; cop_hosts[i]; i++)
        t->host[i] += strcmp(cop_hosts[i]->name, d->host) == 0;
    for (size_t i = 0; draw_arbitrations()[i]; i++)
        t->arbitration[i] += strcmp(draw_arbitrations()[i], d->arbitration) == 0;
}

static bool enough(const tally *t, const char *name, uint32_t runs)
{
    if (t->final && getenv("COPPICE_COUNTS"))
        print_message("%s: %u scenarios\n", name, runs);
    if (runs >= ENOUGH)
        return true;
    if (t->final)
        print_error("%s: only %u scenarios\n", name, runs);
    return false;
}

/* Names of traffic; that an entry is no exchange is not drawn. */
static bool words_have_run(const tally *t)
{
    bool ok = true;
    char name[80];
    for (unsigned k = 0; k < DRAW_WORDS; k++)
        for (size_t i = k == DRAW_EXCHANGE ? 1 : 0; draw_words(k)[i]; i++) {
            scn_text(name, sizeof(name), "%s %s", draw_word_option(k), draw_words(k)[i]);
            ok &= enough(t, name, t->word[k][i]);
        }
    return ok;
}

static bool all_have_run(const tally *t)
{
    bool ok = enough(t, "stop and go", t->stopped) && enough(t, "hybrids", t->notified) &&
              enough(t, "ib with output buffers", t->ib_buffered) &&
              enough(t, "shared output buffers", t->shared) && enough(t, "read ports", t->reads) &&
              enough(t, "wormhole", t->worms / 10) && enough(t, "jobs", t->jobs_done / 5);
    ok &= words_have_run(t);
    for (size_t i = 0; cop_topologies[i]; i++)
        ok &= enough(t, cop_topologies[i]->name, t->topology[i]);
    for (size_t i = 0; cop_routings[i]; i++)
        ok &= enough(t, cop_routings[i]->name, t->routing[i]);
    for (size_t i = 0; cop_queueings[i]; i++)
        ok &= enough(t, cop_queueings[i]->name, t->queueing[i]);
    for (size_t i = 0; cop_ccs[i]; i++)
        ok &= enough(t, cop_ccs[i]->name, t->cc[i]);
    for (size_t i = 0; cop_hosts[i]; i++)
        ok &= enough(t, cop_hosts[i]->name, t->host[i]);
    for (size_t i = 0; draw_arbitrations()[i]; i++)
        ok &= enough(t, draw_arbitrations()[i], t->arbitration[i]);
    if (t->final)
        print_message(
            "%u with stop and go, %u with isolation and notifications, %u jobs that ended\n",
            t->stopped, t->notified, t->jobs_done);
    return ok;
}

static void test_random(void **state)
{
    (void)state;
    uint32_t n = SCENARIOS * scn_rounds(), made = 0, refused = 0, failed = 0;
    uint64_t hops = 0;
    tally ran = {0};
    draw *d = cop_alloc(sizeof(*d));
    /* Each new plug-in takes its share from the others; then it takes a few more scenarios. */
    for (uint32_t i = 0; i < n || (i < 2 * n && !all_have_run(&ran)); i++) {
        cop_result r;
        cop_err err = {0};
        draw_scenario(d, i);
        int rc = scn_run(d->text, NULL, 0, &r, &err);
        bool ok;
        if (rc != 0) {
            refused++;
            /* A remedy follows the semicolon. */
            ok = rc == -COP_E_INPUT && strchr(err.text, ';') != NULL;
            if (!ok || getenv("COPPICE_REFUSED"))
                print_error("scenario %u refused: %s\n", i, err.text);
        } else {
            ok = result_holds(d, &r) && repeats(d, &r);
            hops += r.packet_hops;
            count_run(&ran, d, &r);
            cop_result_free(&r);
        }
        if (!ok && ++failed <= 5)
            fprintf(stderr, "%s\n", d->text);
        made = i + 1;
    }
    cop_free(d);
    ran.final = true;
    print_message("%u scenarios, %u refused, %u failed, %" PRIu64 " packet hops\n", made, refused,
                  failed, hops);
    assert_int_equal(failed, 0);
    assert_true(refused * 10 <= made * 3);
    assert_true(all_have_run(&ran));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests_name("scenarios", tests, NULL, NULL);
}
