/* On/off and ack/nack flow control on one link, to the picosecond: a switch sends a message to a host
 * that takes it in slowly into a small buffer. The reference below does what docs/MODEL.md says, event by
 * event, for this link alone; all packets have the same size, and lengths of time are such that no two
 * things that depend on each other happen at once. */
#include "latency_fixture.h"

#define PACKETS 24
#define BYTES 1000u

typedef struct setup {
    uint64_t gbps, receive_gbps, delay_ns, processing_ns;
    uint64_t capacity; /* bytes, of the host's buffer */
    uint64_t xoff, xon; /* bytes; 0: computed */
    bool onoff; /* else ack/nack */
} setup;

typedef struct reply { /* on its way to the sender */
    uint64_t t;
    bool no; /* stop, or refused */
    unsigned packet;
} reply;

typedef struct link {
    const setup *s;
    uint64_t now, wire_free, sink_free, held;
    uint64_t handled[PACKETS], head[64 * PACKETS], done[PACKETS];
    unsigned sent[64 * PACKETS], n_sent, n_seen; /* in order: which packet */
    unsigned next, n_done, n_freed; /* new packet; taken in; those whose room is free again */
    reply back[64 * PACKETS];
    unsigned n_back, n_heard;
    unsigned replay[64 * PACKETS], n_replay, n_replayed, window, resent;
    unsigned accepted[PACKETS];
    int expect; /* refused packet that must come next, or -1 */
    bool stopped, told, recovering;
} link;

static void answer(link *l, unsigned packet, bool no)
{
    l->back[l->n_back++] = (reply){
        .t = l->now + 1000 * (l->s->delay_ns + l->s->processing_ns), .no = no, .packet = packet};
}

static void take_in(link *l, unsigned packet)
{
    uint64_t tail = l->now + time_of(BYTES, l->s->gbps);
    uint64_t end = max_of(l->now, l->sink_free) + time_of(BYTES, l->s->receive_gbps);
    l->held += BYTES;
    l->sink_free = l->done[l->n_done] = max_of(tail, end);
    l->accepted[l->n_done++] = packet;
}

static void arrive(link *l, unsigned packet)
{
    const setup *s = l->s;
    if (s->onoff) {
        take_in(l, packet);
        if (!l->told && s->capacity - l->held < s->xoff) {
            l->told = true;
            answer(l, packet, true);
        }
    } else if ((l->expect >= 0 && l->expect != (int)packet) || l->held + BYTES > s->capacity) {
        if (l->expect < 0)
            l->expect = (int)packet;
        answer(l, packet, true);
    } else {
        l->expect = -1;
        take_in(l, packet);
        answer(l, packet, false);
    }
}

static void freed(link *l)
{
    l->held -= BYTES;
    if (l->s->onoff && l->told && l->s->capacity - l->held > l->s->xon) {
        l->told = false;
        answer(l, 0, false);
    }
}

static void hear(link *l, const reply *r)
{
    if (l->s->onoff) {
        l->stopped = r->no;
    } else if (r->no) {
        l->recovering = true;
        l->replay[l->n_replay++] = r->packet;
    } else if (--l->window == 0) {
        l->recovering = false;
    }
}

/* Send what may go, if the wire is free. */
static void try_send(link *l)
{
    unsigned packet;
    uint64_t blocks = (BYTES + 63) / 64;
    if (l->wire_free > l->now)
        return;
    if (l->n_replayed < l->n_replay) {
        packet = l->replay[l->n_replayed++];
        l->resent++;
    } else if (l->next < PACKETS && l->handled[l->next] <= l->now && !l->stopped &&
               !l->recovering && (l->s->onoff || (l->window + 1) * blocks <= l->s->capacity / 64)) {
        packet = l->next++;
        l->window++;
    } else {
        return;
    }
    l->wire_free = l->now + time_of(BYTES, l->s->gbps);
    l->sent[l->n_sent] = packet;
    l->head[l->n_sent++] = l->now + 1000 * l->s->delay_ns;
    assert_true(l->n_sent < COP_LEN(l->sent));
}

static uint64_t later(uint64_t soonest, uint64_t t, uint64_t now)
{
    return t > now && t < soonest ? t : soonest;
}

static void run_reference(link *l)
{
    while (l->n_freed < PACKETS) {
        uint64_t t = UINT64_MAX;
        t = later(t, l->wire_free, l->now);
        for (unsigned k = l->next; k < PACKETS; k++)
            t = later(t, l->handled[k], l->now);
        for (unsigned k = l->n_seen; k < l->n_sent; k++)
            t = later(t, l->head[k], l->now);
        for (unsigned k = l->n_freed; k < l->n_done; k++)
            t = later(t, l->done[k], l->now);
        for (unsigned k = l->n_heard; k < l->n_back; k++)
            t = later(t, l->back[k].t, l->now);
        assert_true(t != UINT64_MAX);
        l->now = t;
        while (l->n_freed < l->n_done && l->done[l->n_freed] == t)
            l->n_freed++, freed(l);
        while (l->n_heard < l->n_back && l->back[l->n_heard].t == t)
            hear(l, &l->back[l->n_heard++]);
        while (l->n_seen < l->n_sent && l->head[l->n_seen] == t)
            arrive(l, l->sent[l->n_seen++]);
        try_send(l);
    }
}

/* The queueing scheme chooses the lane: with two, vftree puts what goes to host 1 on lane 1. */
static void compare_on(const setup *s, const char *queueing)
{
    char yaml[1024], limits[64] = "";
    const uint64_t pipeline = 100000, header = 64;
    setup own = *s;
    /* T_off: what can start in W, and a packet; T_on: one packet more. */
    uint64_t window = 2000 * s->delay_ns + 1000 * s->processing_ns;
    if (s->xoff)
        scn_text(limits, sizeof(limits), ", xoff: %d B, xon: %d B", (int)s->xoff, (int)s->xon);
    else
        own.xoff = window * s->gbps / 8000 + 1 + BYTES, own.xon = own.xoff + BYTES;
    link l = {.s = &own, .expect = -1};
    for (unsigned k = 0; k < PACKETS; k++)
        l.handled[k] =
            k * time_of(BYTES, s->gbps) + 1000 * s->delay_ns + time_of(header, s->gbps) + pipeline;
    run_reference(&l);
    scn_text(yaml, sizeof(yaml),
             "run: {duration: 1 ms, sample: 1 ms}\n"
             "topology: {kind: single, hosts: 2}\n"
             "link: {rate: %d Gbit/s, delay: %d ns}\n"
             "switch: {buffer: 1 MiB, pipeline: 100 ns, header: 64 B}\n"
             "queueing: {%s}\n"
             "flow_control: {kind: %s, delay: %d ns%s}\n"
             "nic: {mtu: %d B, buffer: %d B, receive_rate: %d Gbit/s}\n"
             "traffic: [{from: [0], pattern: fixed, to: 1, message: %d B, messages: 1}]\n",
             (int)s->gbps, (int)s->delay_ns, queueing, s->onoff ? "on-off" : "ack-nack",
             (int)s->processing_ns, limits, (int)BYTES, (int)s->capacity, (int)s->receive_gbps,
             (int)(PACKETS * BYTES));
    cop_result r;
    scn_run(yaml, NULL, 0, &r, NULL);
    uint64_t sum = 0, resent = 0;
    for (uint32_t i = 0; i < r.n_scalars; i++)
        if (strcmp(r.scalar[i].name, "retransmissions") == 0)
            resent = (uint64_t)r.scalar[i].value;
    for (unsigned k = 0; k < PACKETS; k++) {
        assert_int_equal(l.accepted[k], k);
        sum += l.done[k];
    }
    assert_int_equal(r.outcome, COP_OUTCOME_OK);
    assert_int_equal(r.packets_delivered, PACKETS);
    if (r.latency->min != l.done[0] || r.latency->max != l.done[PACKETS - 1] ||
        r.latency->sum_lo != sum || resent != l.resent)
        fail_msg("%s%" PRIu64 " to %" PRIu64 " ps, sum %" PRIu64 ", %d again; expected %" PRIu64
                 " to %" PRIu64 ", sum %" PRIu64 ", %u again",
                 yaml, r.latency->min, r.latency->max, r.latency->sum_lo, (int)resent, l.done[0],
                 l.done[PACKETS - 1], sum, l.resent);
    assert_int_equal(r.packet_hops, 2 * PACKETS + l.resent);
    assert_true(s->onoff ? l.n_back > 2 : l.resent > 2);
    cop_result_free(&r);
}

static void compare(const setup *s)
{
    compare_on(s, "kind: voqsw");
    compare_on(s, "kind: vftree, lanes: 2");
}

static void stop_and_go(void **state)
{
    (void)state;
    static const setup cases[] = {
        {10, 4, 37, 0, 6016, 0, 0, true},       {10, 3, 211, 13, 8000, 0, 0, true},
        {10, 7, 503, 91, 6400, 0, 0, true},     {25, 6, 37, 5, 5056, 0, 0, true},
        {10, 3, 37, 7, 9984, 3000, 3000, true}, {10, 3, 37, 7, 9984, 3000, 7000, true},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++)
        compare(&cases[i]);
}

static void refused_and_sent_again(void **state)
{
    (void)state;
    static const setup cases[] = {
        {10, 4, 37, 0, 3008, 0, 0, false},   {10, 3, 211, 13, 4032, 0, 0, false},
        {10, 7, 503, 91, 3072, 0, 0, false}, {25, 6, 37, 5, 2048, 0, 0, false},
        {10, 1, 37, 7, 1024, 0, 0, false},   {10, 3, 1037, 7, 9984, 0, 0, false},
    };
    for (size_t i = 0; i < COP_LEN(cases); i++)
        compare(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stop_and_go),
        cmocka_unit_test(refused_and_sent_again),
    };
    return cmocka_run_group_tests_name("one_link", tests, NULL, NULL);
}
