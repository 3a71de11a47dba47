/* A lone message through buffers that hold few packets, to the picosecond: when each packet may start,
 * and when the room it takes is free again. Over links i = 0 ... n - 1, packets k = 0, 1, ... of L bytes:
 *
 *   start(k, i)   the latest of: may request (header and pipeline behind link i - 1); the wire is free;
 *                 on a faster wire, tail in - L c_i; room: left(k - N_i, i) + d_i + processing, where
 *                 N_i packets fit into the buffer behind link i
 *   left(k, i)    its tail leaves the buffer behind link i: start(k, i + 1) + L c_(i+1), or taken in
 *   buffered      (cioq, or ib with output buffers) it first crosses, from x: may request; the one before has crossed; room: packet
 *                 k - M has left on the wire. left(k, i) = max(x + L c_x, tail in), and the wire starts
 *                 no earlier than x and that - L c. */
#include "latency_fixture.h"

#define PACKETS 9
#define LINKS 8

typedef struct rooms {
    uint64_t first, between, last, output; /* packets that fit */
    uint64_t processing_ns;
    double speedup; /* with output buffers */
} rooms;

static const char *const switches[] = {"ib", "iq", "cioq", "ib buffered"};

static bool buffered(const machine *m)
{
    return strcmp(m->architecture, "cioq") == 0 || strcmp(m->architecture, "ib buffered") == 0;
}

static uint64_t fastest_of(const machine *m, char a, char b)
{
    return max_of(rate_of(m, a), rate_of(m, b));
}

static void by_hand(const machine *m, const rooms *r, const char *path, uint64_t *done)
{
    uint64_t start[PACKETS][LINKS] = {{0}}, left[PACKETS][LINKS] = {{0}};
    uint64_t n = strlen(path), bytes = m->mtu, crossed[PACKETS][LINKS] = {{0}};
    bool crosses = buffered(m);
    for (uint64_t k = 0; k < PACKETS; k++)
        for (uint64_t i = 0; i < n; i++) {
            uint64_t wire = time_of(bytes, rate_of(m, path[i])), s = 0;
            uint64_t fits = i + 1 == n ? r->last : i == 0 ? r->first : r->between;
            if (i > 0) {
                uint64_t before = time_of(bytes, rate_of(m, path[i - 1]));
                uint64_t head = start[k][i - 1] + delay_of(m, path[i - 1]), tail = head + before;
                uint64_t seen = m->saf || bytes < m->header ? bytes : m->header;
                s = head + time_of(seen, rate_of(m, path[i - 1])) + 1000 * m->pipeline_ns;
                if (crosses) {
                    uint64_t cross =
                        time_of(bytes, fastest_of(m, path[i - 1], path[i])) / (uint64_t)r->speedup;
                    s = max_of(s, k > 0 ? crossed[k - 1][i] : 0);
                    if (k >= r->output)
                        s = max_of(s, start[k - r->output][i] + wire);
                    crossed[k][i] = max_of(s + cross, tail);
                    s = max_of(s, crossed[k][i] > wire ? crossed[k][i] - wire : 0);
                    left[k][i - 1] = crossed[k][i];
                } else if (tail > wire && rate_of(m, path[i]) > rate_of(m, path[i - 1])) {
                    s = max_of(s, tail - wire);
                }
            }
            if (k > 0)
                s = max_of(s, start[k - 1][i] + wire);
            /* What this waits for lies behind; it is known, as packets before have gone all the way. */
            if (k >= fits)
                s = max_of(s, left[k - fits][i] + delay_of(m, path[i]) + 1000 * r->processing_ns);
            start[k][i] = s;
            if (i > 0 && !crosses)
                left[k][i - 1] = s + wire;
            if (i + 1 == n) {
                uint64_t head = s + delay_of(m, path[i]), end = head + wire;
                if (m->receive_gbps)
                    end = max_of(end, max_of(head, k > 0 ? done[k - 1] : 0) +
                                          time_of(bytes, m->receive_gbps));
                left[k][i] = done[k] = end;
            }
        }
}

static void expect(const machine *m, const rooms *r, const char *network, uint32_t to,
                   const char *path)
{
    uint64_t done[PACKETS] = {0}, sum = 0;
    char yaml[2048], limit[64] = "", output[64] = "";
    cop_result result;
    by_hand(m, r, path, done);
    for (size_t k = 0; k < PACKETS; k++)
        sum += done[k];
    if (m->receive_gbps)
        scn_text(limit, sizeof(limit), ", receive_rate: %d Gbit/s", (int)m->receive_gbps);
    if (buffered(m))
        scn_text(output, sizeof(output), ", speedup: %d, output_buffer: %d B", (int)r->speedup,
                 (int)(r->output * m->mtu));
    scn_text(
        yaml, sizeof(yaml),
        "run: {duration: 1 ms, sample: 1 ms, drain: yes}\n"
        "%s\n"
        "link: {host_rate: %d Gbit/s, trunk_rate: %d Gbit/s, host_delay: %d ns,\n"
        "       trunk_delay: %d ns}\n"
        "switch: {architecture: %s, switching: %s, pipeline: %d ns, header: %d B, buffer: %d B,\n"
        "         host_buffer: %d B%s}\n"
        "queueing: {kind: %s}\n"
        "flow_control: {kind: %s, delay: %d ns}\n"
        "nic: {mtu: %d B, buffer: %d B%s}\n"
        "traffic: [{from: [0], pattern: fixed, to: %u, message: %d B, messages: 1}]\n",
        network, (int)m->host_gbps, (int)m->trunk_gbps, (int)m->host_ns, (int)m->trunk_ns,
        m->architecture[1] == 'b' ? "ib" : m->architecture,
        m->saf ? "store-and-forward" : "cut-through", (int)m->pipeline_ns, (int)m->header,
        (int)(r->between * m->mtu), (int)(r->first * m->mtu), output, m->queueing, m->flow_control,
        (int)r->processing_ns, (int)m->mtu, (int)(r->last * m->mtu), limit, to,
        (int)(PACKETS * m->mtu));
    scn_run(yaml, NULL, 0, &result, NULL);
    assert_int_equal(result.outcome, COP_OUTCOME_OK);
    assert_int_equal(result.latency->count, PACKETS);
    if (result.latency->min != done[0] || result.latency->max != done[PACKETS - 1] ||
        result.latency->sum_lo != sum)
        fail_msg("%s: %" PRIu64 " to %" PRIu64 " ps, sum %" PRIu64 ", expected %" PRIu64
                 " to %" PRIu64 ", sum %" PRIu64,
                 yaml, result.latency->min, result.latency->max, result.latency->sum_lo, done[0],
                 done[PACKETS - 1], sum);
    cop_result_free(&result);
}

static const rooms sizes[] = {
    {1, 1, 1, 1, 0, 1},  {1, 1, 1, 1, 37, 2}, {2, 1, 3, 1, 5, 2},   {1, 3, 1, 2, 0, 4},
    {3, 2, 1, 1, 70, 1}, {2, 2, 2, 3, 11, 2}, {1, 4, 2, 2, 300, 2},
};

/* One switch, and two with a trunk that is as fast, faster or slower. */
static void every_switch(void **state)
{
    (void)state;
    static const uint64_t trunks[] = {20, 80, 10};
    for (size_t a = 0; a < COP_LEN(switches); a++)
        for (size_t i = 0; i < COP_LEN(sizes); i++)
            for (int saf = 0; saf < 2; saf++) {
                machine m = usual;
                m.host_gbps = 20;
                m.host_ns = 90;
                m.trunk_ns = 400;
                m.architecture = switches[a];
                m.saf = saf;
                m.queueing = i % 2 ? "1q" : "voqsw";
                expect(&m, &sizes[i], "topology: {kind: single, hosts: 2}", 1, "hh");
                for (size_t t = 0; t < COP_LEN(trunks); t++) {
                    m.trunk_gbps = trunks[t];
                    expect(&m, &sizes[i], "topology: {kind: chain, hosts: [1, 0, 1]}", 1, "htth");
                }
            }
}

/* Credits in relative or absolute terms, private to a destination or not: all the same for one flow.
 * Sinks that are slower than their link give room back later. */
static void every_credit(void **state)
{
    (void)state;
    static const char *const queueings[] = {"1q", "voqsw", "voqnet", "dbbm", "vftree"};
    static const char *const controls[] = {"credit", "ib"};
    for (size_t q = 0; q < COP_LEN(queueings); q++)
        for (size_t f = 0; f < COP_LEN(controls); f++)
            for (size_t i = 0; i < COP_LEN(sizes); i++) {
                machine m = usual;
                m.host_gbps = m.trunk_gbps = 40;
                m.receive_gbps = i % 2 ? 8 : 0;
                m.architecture = switches[(q + f + i) % (q == 2 ? 2 : 4)]; /* voqnet: no buffers */
                m.queueing = queueings[q];
                m.flow_control = controls[f];
                expect(&m, &sizes[i], "topology: {kind: chain, hosts: [1, 1]}", 1, "hth");
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_switch),
        cmocka_unit_test(every_credit),
    };
    return cmocka_run_group_tests_name("latency_room", tests, NULL, NULL);
}
