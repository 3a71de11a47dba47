/* What cannot be simulated is refused, with the words that help, just beyond the bound; just inside it
 * is accepted. Combinations of sections, and the checks of queueing schemes and congestion controls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cc/ibcc.h"
#include "scenario.h"

#include <string.h>

static const char base[] = "run: {duration: 10 ns}\n"
                           "topology: {kind: chain, hosts: [2, 2]}\n"
                           "switch: {buffer: 64 KiB}\n"
                           "nic: {mtu: 2048 B, overhead: 0 B}\n"
                           "traffic: [{from: [0], pattern: fixed, to: 1}]\n";

enum { MOST_SET = 5 };

typedef struct bound {
    const char *always[MOST_SET]; /* with this, ... */
    const char *good; /* ... this is accepted, NULL: that alone is ... */
    const char *bad; /* ... and this is not, */
    const char *says; /* in these words */
} bound;

static int try(const char *const *set, size_t n, cop_err *err)
{
    cop_result r;
    int rc = scn_run(base, set, n, &r, err);
    if (rc == 0)
        cop_result_free(&r);
    return rc;
}

static void check(const bound *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *set[MOST_SET + 1];
        size_t k = 0;
        for (; k < MOST_SET && b[i].always[k] != NULL; k++)
            set[k] = b[i].always[k];
        set[k] = b[i].good;
        cop_err err = {0};
        if (try(set, k + (b[i].good != NULL), &err) != 0)
            fail_msg("%.80s is refused: %s", b[i].good ? b[i].good : set[0], err.text);
        set[k] = b[i].bad;
        err = (cop_err){0};
        if (try(set, k + 1, &err) != -COP_E_INPUT)
            fail_msg("%.80s is accepted", b[i].bad);
        if (strstr(err.text, b[i].says) == NULL)
            fail_msg("%.80s: `%s` does not say `%s`", b[i].bad, err.text, b[i].says);
        if (strchr(err.text, '\n') != NULL || strchr(err.text, ';') == NULL)
            fail_msg("%.80s: `%s` is more than a line, or has no remedy", b[i].bad, err.text);
    }
}

/* Options that would change nothing beside the others. */
static void options_without_effect(void **state)
{
    (void)state;
    static const bound b[] = {
        {{"switch.output_buffer=16 KiB"},
         "switch.architecture=cioq",
         "switch.architecture=iq",
         "switch.output_buffer=16 KiB: iq has no output buffers; use switch.architecture cioq or "
         "ib, or leave out switch.output_buffer"},
        {{"switch.architecture=iq"}, "switch.output_buffer=0", "switch.output_buffer=4 KiB", "iq"},
        {{"switch.architecture=ib", "switch.output_shared=yes"},
         "switch.output_buffer=16 KiB",
         "switch.output_buffer=0",
         "there are no output buffers; give switch.output_buffer a size, or leave out "
         "switch.output_shared"},
        {{"switch.output_shared=yes"},
         "switch.architecture=cioq",
         "switch.architecture=iq",
         "use switch.architecture cioq, or ib with switch.output_buffer, or leave out"},
        {{"switch.architecture=cioq", "switch.output_reserve=4 KiB"},
         "switch.output_shared=yes",
         "switch.output_shared=no",
         "set switch.output_shared to yes, or leave out switch.output_reserve"},
        {{"switch.reserve=4 KiB"},
         "switch.shared_lanes=yes",
         "switch.shared_lanes=no",
         "set switch.shared_lanes to yes, or leave out switch.reserve"},
        {{"switch.architecture=ib"},
         "switch.speedup=2",
         "switch.speedup=3",
         "leave out switch.speedup"},
        {{"switch.speedup=3"},
         "switch.output_buffer=16 KiB",
         "switch.architecture=iq",
         "use switch.architecture cioq, or ib with switch.output_buffer, or leave out "
         "switch.speedup"},
    };
    check(b, COP_LEN(b));
}

static void combinations(void **state)
{
    (void)state;
    static const bound b[] = {
        {{"queueing.kind=voqnet"},
         "switch.architecture=iq",
         "switch.architecture=cioq",
         "use switch.architecture iq, or ib without"},
        {{"switch.read_ports=2"},
         "switch.architecture=iq",
         "switch.architecture=ib",
         "use switch.architecture iq or cioq, or leave out"},
        {{"queueing.kind=voqnet"}, NULL, "switch.output_buffer=16 KiB", "iq, or ib without"},
        {{"switch.shared_lanes=yes"}, NULL, "queueing.kind=voqnet", "leave out shared_lanes"},
        {{"switch.shared_lanes=yes"},
         "flow_control.kind=credit",
         "flow_control.kind=ib",
         "need flow_control.kind credit"},
        {{"flow_control.kind=on-off", "link={rate: 8 Gbit/s, delay: 100 ns}",
          "switch={buffer: 64 KiB, pipeline: 36 ns, header: 64 B}"},
         /* W = 2 * 100 + 64 + 36 ns at a byte per ns, one more, and a packet */
         "flow_control.xoff=2349 B",
         "flow_control.xoff=2348 B",
         "at least 2349 B"},
        {{"flow_control={kind: on-off, xoff: 6000 B}"},
         "flow_control.xon=6000 B",
         "flow_control.xon=5999 B",
         "both are free space: give at least as much"},
        {{"flow_control={kind: on-off, xoff: 6000 B, xon: 8000 B}"},
         "switch.buffer=8064 B",
         "switch.buffer=8000 B",
         "cannot hold the head-room"},
        {{"flow_control.loss=1 %"},
         "flow_control.kind=ib",
         "flow_control.kind=credit",
         "set flow_control.kind to ib, or leave out flow_control.loss"},
        {{"flow_control.unsafe=yes"},
         "flow_control.kind=on-off",
         "flow_control.kind=credit",
         "set flow_control.kind to on-off, or leave out flow_control.unsafe"},
    };
    check(b, COP_LEN(b));
}

static void queueing_schemes(void **state)
{
    (void)state;
    static const bound b[] = {
        {{"queueing.kind=fbicm", "switch.architecture=iq", "queueing.stop=9"},
         "queueing.go=8",
         "queueing.go=9",
         "queueing.go 9 must be below queueing.stop 9"},
        {{"queueing.kind=recn", "switch.architecture=iq", "queueing.stop=9"},
         "queueing.go=8",
         "queueing.go=9",
         "queueing.go 9 must be below"},
        {{"queueing.kind=fbicm", "switch.architecture=iq", "queueing.high=5"},
         "queueing.low=4",
         "queueing.low=5",
         "queueing.low 5 must be below queueing.high 5"},
        {{"queueing.kind=recn", "switch.architecture=iq", "queueing.high=5"},
         "queueing.low=4",
         "queueing.low=5",
         "queueing.low 5 must be below"},
        {{"queueing.kind=hfdi", "queueing.high=5"},
         "queueing.low=4",
         "queueing.low=5",
         "queueing.low 5 must be below"},
        /* 4 GiB - 1 are the most; packets of 1 MiB. */
        {{"queueing={kind: hfdi, low: 1}", "nic.mtu=1 MiB", "switch.buffer=8 MiB"},
         "queueing.high=4095",
         "queueing.high=4096",
         "4 GiB or more"},
        {{"queueing={kind: fbicm, stop: 100}", "nic.mtu=1 MiB", "switch.buffer=8 MiB"},
         "queueing.detect=4095",
         "queueing.detect=4096",
         "4 GiB or more"},
        {{"queueing={kind: fbicm}", "nic.mtu=1 MiB", "switch.buffer=8 MiB"},
         "queueing.stop=4095",
         "queueing.stop=4096",
         "4 GiB or more"},
        {{"queueing.kind=hfdi", "topology={kind: kary-ntree, k: 2, n: 2}"},
         NULL,
         "routing.kind=adaptive-tree",
         "choose a deterministic one"},
        {{"queueing.kind=recn", "topology={kind: torus, radix: [3, 3]}", "switch.architecture=iq"},
         "queueing.kind=fbicm",
         "queueing.detect=5",
         "use fbicm, or another routing"},
        {{"queueing.kind=vftree", "switch.lanes=2"},
         "queueing.lanes=2",
         "queueing.lanes=3",
         "raise switch.lanes"},
    };
    check(b, COP_LEN(b));
}

static void congestion_controls(void **state)
{
    (void)state;
    static const bound b[] = {
        {{"cc.kind=ith"}, "queueing.kind=hfdi", "queueing.kind=voqsw", "use queueing.kind hfdi"},
        {{"cc.kind=ib-ith"}, "queueing.kind=hfdi", "queueing.kind=1q", "use queueing.kind hfdi"},
        {{"cc.kind=ccfit", "switch.architecture=iq"},
         "queueing.kind=fbicm",
         "queueing.kind=recn",
         "set queueing.kind fbicm"},
        {{"cc.kind=ecocc"}, "queueing.kind=hfdi", "queueing.kind=fbicm", "set queueing.kind hfdi"},
        {{"cc.kind=ibcc"},
         "cc.port_threshold=[1, 2, 15]",
         "cc.port_threshold=[1, 2, 16]",
         "value 16; at most 15"},
        {{"cc.kind=ibcc"},
         "cc.port_threshold=[0, 0, 1, 1, 2, 1]",
         "cc.port_threshold=[0, 0, 1, 2, 0, 1]",
         "switch 2 has no port 0"},
        {{"cc.kind=ibcc"},
         "cc.port_threshold=[0, 2, 1]",
         "cc.port_threshold=[0, 3, 1]",
         "switch 0 has no port 3"},
        {{"cc.kind=ibcc"}, NULL, "cc.port_threshold=[0, 0, 1, 1]", "has 4 numbers"},
        {{"cc.kind=ibcc"},
         "cc.port_victim_mask=[1, 2, 1]",
         "cc.port_victim_mask=[1, 2, 2]",
         "value 2; at most 1"},
        {{"cc.kind=ibcc"},
         "cc.cct_encoded='0:0, 3:16383'",
         "cc.cct_encoded='0:0, 4:1'",
         "is not a list of shift:multiplier"},
        {{"cc.kind=ibcc"},
         "cc.cct_encoded='0:0,1:2'",
         "cc.cct_encoded='0:0, 3:16384'",
         "is not a list of shift:multiplier"},
        {{"cc.kind=ibcc"},
         "cc.cct_encoded='[0:0, 1:2]'",
         "cc.cct_encoded='0:0; 1:2'",
         "is not a list of shift:multiplier"},
        {{"cc.kind=ibcc"}, "cc.cct_encoded='3:0'", "cc.cct_encoded='0:1'", "entry 0"},
        {{"cc.kind=ibcc"}, "cc.cct_times=[0 ns, 5 ns]", "cc.cct_times=[1 ns, 5 ns]", "entry 0"},
        {{"cc.kind=ibcc", "cc.cct_times=[0 ns, 5 ns]"},
         NULL,
         "cc.cct_encoded='0:0'",
         "are two tables"},
        {{"cc.kind=ibcc"},
         "cc={kind: ibcc, cct_shape: times, cct_times: [0 ns]}",
         "cc.cct_shape=times",
         "give cc.cct_times"},
        {{"cc.kind=ibcc"},
         "cc={kind: ibcc, cct_shape: encoded, cct_encoded: '0:0'}",
         "cc.cct_shape=encoded",
         "give cc.cct_encoded"},
        {{"cc.kind=ibcc"},
         "cc.cs_return_delay='2:5'",
         "cc.cs_return_delay='2:5, 1:1'",
         "is not shift:multiplier"},
        {{"cc.kind=ibcc"}, NULL, "cc.cs_return_delay='5'", "is not shift:multiplier"},
        {{"cc.kind=ibcc", "cc.ccti_timer=1 us"}, NULL, "cc.ccti_timer_units=3", "leave one out"},
        {{"cc.kind=ibcc", "cc.threshold_bytes=1000 B"},
         NULL,
         "cc.threshold_share=50 %",
         "keep one of them"},
        {{"cc.kind=ibcc", "cc.threshold_bytes=1000 B"},
         NULL,
         "cc.threshold_mtus=2",
         "keep one of them"},
        {{"cc.kind=ibcc", "nic.ack=message"}, "cc.becn=next-ack", "cc.becn='next'", "next-ack"},
        {{"cc.kind=ibcc", "cc.level=qp"}, "cc.becn=ack", "cc.becn=next-ack", "set nic.ack"},
        {{"cc.kind=ibcc", "nic.ack=message", "cc.becn=next-ack"},
         "cc.level=qp",
         "cc.level=sl",
         "set cc.level to qp"},
        {{"cc.kind=ibcc", "cc.cct_entries=200"},
         "cc.ccti_limit=199",
         "cc.ccti_limit=200",
         "at most 199"},
        {{"cc.kind=ibcc", "cc.ccti_limit=50"},
         "cc.ccti_min=50",
         "cc.ccti_min=51",
         "is above ccti_limit 50"},
    };
    check(b, COP_LEN(b));
}

#define DRAGONFLY "topology={kind: dragonfly, p: 2, a: 4, h: 2}"
#define QCN "cc={kind: qcn, react: no}"
#define SHARED_OUTPUTS "switch={architecture: cioq, output_buffer: 100 kB, output_shared: yes}"

static void dragonflies(void **state)
{
    (void)state;
    static const bound b[] = {
        {{DRAGONFLY},
         "topology.groups=9",
         "topology.groups=10",
         "groups is 10; must be 1 to 9, or most"},
        {{DRAGONFLY, "routing.kind=dragonfly-min"},
         "switch.lanes=2",
         "switch.lanes=1",
         "set switch.lanes to auto or at least 2"},
        {{DRAGONFLY, "routing.kind=dragonfly-valiant"},
         "switch.lanes=4",
         "switch.lanes=3",
         "set switch.lanes to auto or at least 4"},
        {{DRAGONFLY, "routing={kind: dragonfly-valiant, to: group}"},
         "switch.lanes=3",
         "switch.lanes=2",
         "set switch.lanes to auto or at least 3"},
        {{DRAGONFLY, "routing.kind=ugal"}, "switch.lanes=3", "switch.lanes=2", "at least 3"},
        {{DRAGONFLY, "routing.kind=piggyback"}, "switch.lanes=3", "switch.lanes=2", "at least 3"},
        {{DRAGONFLY, "routing.kind=pause"}, "switch.lanes=3", "switch.lanes=2", "at least 3"},
        {{DRAGONFLY, "routing.kind=piggyback"},
         "routing.factor=1.9",
         "routing.factor=2.1",
         "of 2 global links none has more than 2 times their mean; make factor smaller"},
        {{"topology={kind: dragonfly, p: 2, a: 1, h: 3, groups: 3}", "routing.kind=piggyback"},
         "routing.factor=1.9",
         "routing.factor=2.1", /* one port has no cable */
         "of 2 global links none has more"},
        {{DRAGONFLY, "routing.kind=piggyback"}, /* 7 + 2 buffers of 3 lanes */
         "routing.margin=1727 KiB",
         "routing.margin=1728 KiB",
         "routing.margin is never passed"},
        {{DRAGONFLY, "routing.kind=ugal"},
         "routing.threshold=6911 KiB",
         "routing.threshold=6912 KiB",
         "routing.threshold is never passed"},
        {{DRAGONFLY, QCN, "routing.kind=qcn-switch"},
         "switch.lanes=3",
         "switch.lanes=2",
         "at least 3"},
        {{DRAGONFLY, "routing.kind=dragonfly-valiant"},
         "nic.control_vl=12",
         "nic.control_vl=13",
         "a link has at most 16; choose a lane up to 12"},
        {{DRAGONFLY, SHARED_OUTPUTS, QCN, "cc={kind: qcn, react: no, w: 0, qeq: 80 kB}"},
         "routing={kind: qcn-switch, th2: 1, th1: 10}",
         "routing={kind: qcn-switch, th2: 1, th1: 12}",
         "routing.th1 is never passed"},
        {{DRAGONFLY, "cc.kind=qcn"},
         "cc.period=1 ns",
         "cc={kind: qcn, period: 1 ns, every: 7}",
         "every counts packets"},
        {{"topology={kind: dragonfly, p: 2, a: 1, h: 3, groups: 3}",
          QCN, /* one port has no cable */
          "routing.kind=qcn-switch"},
         "routing.th2=31",
         "routing.th2=32",
         "of 2 ports"},
        /* F is (Q - Qeq) / Qeq of 63, and must be above 37.5: Qeq below 99968 / (1 + 37.5 / 63). */
        {{DRAGONFLY, SHARED_OUTPUTS, QCN, "cc.w=0", "routing.kind=qcn-switch"},
         "cc.qeq=62600 B",
         "cc.qeq=62700 B",
         "routing.th2 is never passed: a feedback above 37.5 would do"},
        {{DRAGONFLY, SHARED_OUTPUTS, QCN, "cc.w=0", "routing={kind: qcn-switch, compare: no}"},
         "cc.qeq=99 kB",
         "cc.qeq=99968 B",
         "qeq 99968 B is not below what the sampled queue can hold, 99968 B"},
        {{DRAGONFLY, "routing={kind: ugal, progressive: yes}"},
         "switch.lanes=4",
         "switch.lanes=3",
         "at least 4"},
        {{DRAGONFLY, "routing.kind=ugal"},
         "switch.global_lanes=2",
         "switch.global_lanes=1",
         "give switch.global_lanes at least 2"},
        {{DRAGONFLY, "routing.kind=ugal"},
         "switch.trunk_lanes=3",
         "switch.trunk_lanes=2",
         "give switch.trunk_lanes at least 3"},
        {{DRAGONFLY, QCN, "routing.kind=qcn-switch", "nic.control_vl=3"},
         "switch.lanes=5",
         "switch.lanes=4",
         "need 5 lanes"},
        {{DRAGONFLY, QCN, "routing.kind=qcn-switch", "nic.control_vl=3"},
         "switch.lanes=5",
         "switch.lanes=3",
         "nic.control_vl 3 does not exist"},
        {{DRAGONFLY, QCN, "routing.kind=qcn-switch", "nic.control_vl=3", "switch.lanes=5"},
         "switch.global_lanes=4",
         "switch.global_lanes=3",
         "links with switch.global_lanes have 3"},
        {{DRAGONFLY, "routing.kind=qcn-switch"}, QCN, "cc.kind=none", "set cc.kind qcn"},
        {{DRAGONFLY, "routing.kind=qcn-switch"}, QCN, "cc.kind=ibcc", "set cc.kind qcn"},
        /* the mean of 5 ports is at least a fifth of 63, and at most 63 less a fifth of 62 */
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, th2: 50.3}",
         "routing={kind: qcn-switch, th2: 50.5}",
         "give less than 50.4"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, th1: 49.5}",
         "routing={kind: qcn-switch, th1: 49.7}",
         "give less than 49.6"},
        /* how to do what is not done */
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, th1: 0, th2: 30, decay: 1, own_plain: no, compare: no}",
         "routing={kind: qcn-switch, th1: 0, th2: 29, decay: 1, own_plain: no, compare: no}",
         "th2 does nothing without comparison"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, decay: 0.5}",
         "routing={kind: qcn-switch, decay: 0.5, compare: no}",
         "decay does nothing without comparison; set compare to yes, or leave it out"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, own_plain: yes, source_processing: yes}",
         "routing={kind: qcn-switch, own_plain: yes, source_processing: yes, compare: no}",
         "own_plain does nothing without comparison"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, own_plain: yes, source_processing: yes}",
         "routing={kind: qcn-switch, own_plain: yes}",
         "own_plain does nothing without source_processing"},
        {{DRAGONFLY},
         "cc={kind: qcn, host_share: 50 %}",
         "cc={kind: qcn, host_share: 50 %, react: no}",
         "set ports to all or react to yes, or leave it out"},
        {{DRAGONFLY},
         "cc={kind: qcn, host_every: 10, react: no, ports: all}",
         "cc={kind: qcn, host_every: 10, ports: transit}",
         "host_every is for ports that face a host, which are not sampled"},
        {{"link.rate=10 Gbit/s"},
         "cc={kind: qcn, min_rate: 9999 Mbit/s}",
         "cc={kind: qcn, min_rate: 10 Gbit/s}",
         "min_rate 10 Gbit/s is not below the links of hosts, 10 Gbit/s"},
        {{"link.rate=10 Gbit/s"},
         "cc={kind: qcn, min_rate: 10 Gbit/s, react: no}",
         "cc={kind: qcn, min_rate: 10 Gbit/s}",
         "or set react to no"},
        {{QCN, "topology={kind: dragonfly, p: 2, a: 1, h: 1}"},
         "routing={kind: qcn-switch, compare: no}",
         "routing={kind: qcn-switch}",
         "one port to other switches"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, lf: 0.001}",
         "routing={kind: qcn-switch, lf: 0}",
         "use dragonfly-min"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, lf: 0, switch_over: yes}",
         "routing={kind: qcn-switch, lf: 0}",
         "lf 0 lowers no probability"},
        /* what is set for links that the network does not have is not looked at */
        {{"topology={kind: torus, radix: [4, 4]}"},
         "switch.global_buffer=1 KiB",
         "switch.trunk_buffer=1 KiB",
         "too small"},
        {{"topology={kind: torus, radix: [4, 4]}", "switch.host_buffer=16 KiB",
          "switch.trunk_buffer=16 KiB", "switch.buffer=1 KiB"},
         "nic.buffer=16 KiB",
         "nic.mtu=2 KiB",
         "too small"},
        {{DRAGONFLY, QCN},
         "routing={kind: qcn-switch, switch_over: yes, counts: entry}",
         "routing={kind: qcn-switch, compare: no, counts: entry}",
         "set counts to port"},
        {{DRAGONFLY, "cc.kind=qcn"},
         "routing={kind: qcn-switch, lf: 1e-6}",
         "routing={kind: qcn-switch, lf: 1e-19}",
         "lf 1e-19 lowers no probability"},
        {{"topology={kind: dragonfly, p: 1, a: 1, h: 64, groups: 2}", "routing.kind=piggyback"},
         NULL,
         "topology.h=65",
         "use ugal"},
        {{DRAGONFLY, "flow_control.kind=on-off", "link={rate: 40 Gbit/s, global_delay: 400 ns}"},
         "switch.global_buffer=16 KiB",
         "switch.global_buffer=4 KiB",
         "cannot hold the head-room"},
    };
    check(b, COP_LEN(b));
}

static void notifications(void **state)
{
    (void)state;
    static const bound b[] = {
        {{"cc.kind=qcn"}, /* what waits in three inputs */
         "cc.qeq=196607 B",
         "cc.qeq=192 KiB",
         "make it smaller"},
        {{"cc={kind: qcn, queue: class, w: 0}", "switch.lanes=2"}, /* one lane of three inputs */
         "cc.qeq=190 KiB",
         "cc.qeq=192 KiB",
         "make it smaller"},
        {{"cc.kind=qcn", "switch.output_buffer=16 KiB"},
         "cc.qeq=16383 B",
         "cc.qeq=16 KiB",
         "make it smaller"},
        {{"cc={kind: qcn, sample: input, qeq: 20 kB, react: no}"},
         "switch.trunk_buffer=20032 B",
         "switch.trunk_buffer=20031 B",
         "make it smaller"},
        {{"cc={kind: qcn, sample: input, qeq: 20 kB, react: no}", DRAGONFLY,
          "switch.trunk_buffer=4 KiB"},
         "switch.global_buffer=10048 B", /* two lanes of whole blocks */
         "switch.global_buffer=10047 B",
         "make it smaller"},
        {{"cc={kind: qcn, queue: class, w: 0}", "switch.output_buffer=16 KiB"},
         "cc.qeq=16254 B",
         "cc.qeq=16256 B",
         "no feedback is 1 or more; make it smaller"},
        {{"cc={kind: qcn, queue: class, w: 0, sample: input}"},
         "cc.qeq=65019 B",
         "cc.qeq=65500 B",
         "no feedback is 1 or more; make it smaller"},
        {{"cc={kind: qcn, queue: port, w: 0}", "switch.output_buffer=16 KiB", "switch.lanes=2"},
         "cc.qeq=32000 B", /* of two lanes there may be twice as much */
         "cc.qeq=32768 B",
         "make it smaller"},
        {{"cc.kind=qcn", "run.duration=1 ms", "link.rate=10 Gbit/s"},
         "cc.every=610", /* packets of 2 KiB */
         "cc.every=611",
         "samples nothing: no port has more than 610.4 packets in this run; give less"},
        {{"cc.kind=qcn", "run.duration=100 us", "link.rate=10 Gbit/s"},
         "cc.share=1 %",
         "cc.share=1e-5 %",
         "are to be expected from all ports in this run; give more"},
        {{"cc.kind=qcn"}, "cc.gd=1e-6", "cc.gd=1e-19", "gd 1e-19 lowers no rate"},
        {{"cc.kind=qcn"}, "cc.share=0.1 %", "cc.share=0", "use cc.kind none"},
        {{"cc.kind=qcn"}, "cc={kind: qcn, gd: 0, react: no}", "cc.gd=0", "set react to no"},
        {{"cc.kind=fern-1", "switch.buffer=65536 B"},
         "cc.threshold=31", /* packets of 2 KiB */
         "cc.threshold=32",
         "threshold 32 is never exceeded: a lane has room for 32 packets; make it smaller"},
        {{"cc.kind=fern-2"}, "cc.threshold=2", "cc.threshold=1", "make the difference 2 or more"},
        {{"topology={kind: torus, radix: [4, 4]}", "routing.kind=true-adaptive",
          "cc={kind: fern-1, notify: packets}", "nic.control_vl=3"},
         "switch.lanes=4",
         "switch.lanes=6",
         "and the other 2 of switch.lanes nobody; set nic.control_vl to 5, or switch.lanes to 4"},
        {{"cc={kind: fern-2, hysteresis: 1}"},
         "cc.threshold=3",
         "cc.threshold=2",
         "congestion would never end"},
        {{"cc.kind=fern-2", "switch.buffer=65536 B"},
         "cc.threshold=none",
         "cc.threshold=1000000",
         "make it smaller or switch.buffer larger, or set it to none"},
    };
    check(b, COP_LEN(b));
}

/* A table of 65536 entries is accepted, one more is not. */
static void longest_table(void **state)
{
    (void)state;
    enum { MOST = 65536 };
    static cop_time times[MOST + 1];
    static char text[4 * MOST + 8];
    const cop_netinfo info = {.n_hosts = 4, .mtu_bytes = 2048, .buffer_bytes = 65536};
    for (size_t n = MOST; n <= MOST + 1; n++)
        for (int encoded = 0; encoded < 2; encoded++) {
            cop_arena arena = {0};
            cop_err err = {0};
            ibcc_cfg cfg = {0};
            cop_opt_defaults(ibcc_opts, &cfg, &arena);
            for (size_t i = 0; i < n; i++)
                memcpy(text + 4 * i, "0:0,", 5);
            if (encoded)
                cfg.cct_encoded = text;
            else
                cfg.cct_times = (cop_times){.v = times, .n = n};
            assert_int_equal(ibcc_check(&cfg, &info, &err), n == MOST ? 0 : -COP_E_INPUT);
            assert_int_equal(strstr(err.text, "at most 65536 entries") != NULL, n > MOST);
            cop_arena_free(&arena);
        }
}

/* Wormhole switching: flits need a FIFO per lane, credits of their own, and nothing that holds whole packets. */
static void flits(void **state)
{
    (void)state;
#define WORM "switch.switching=wormhole"
    static const bound b[] = {
        {{WORM}, "queueing.kind=1q", "queueing.kind=voqsw", "set queueing.kind to 1q"},
        {{WORM, "queueing.kind=1q"},
         "switch.architecture=ib",
         "switch.architecture=iq",
         "is there for ib only; set switch.architecture to ib"},
        {{WORM, "queueing.kind=1q"},
         "switch.output_buffer=0",
         "switch.output_buffer=16 KiB",
         "has no output buffers; leave out switch.output_buffer"},
        {{WORM, "queueing.kind=1q"},
         "flow_control.kind=credit",
         "flow_control.kind=ack-nack",
         "set flow_control.kind to credit"},
        {{WORM, "queueing.kind=1q"},
         "switch.shared_lanes=no",
         "switch.shared_lanes=yes",
         "leave out switch.shared_lanes"},
        {{WORM, "queueing.kind=1q", "switch.flit=32 B"},
         "switch.header=32 B",
         "switch.header=33 B",
         "make switch.header at most switch.flit"},
        {{WORM, "queueing.kind=1q", "switch.flit=64 B"},
         "switch.buffer=64 B",
         "switch.buffer=63 B",
         "needs room for one flit"},
        {{WORM, "queueing.kind=1q"}, "cc.kind=pace", "cc.kind=ibcc", "use cut-through"},
        {{WORM, "queueing.kind=1q"}, "cc.kind=none", "cc.kind=qcn", "use cut-through"},
        {{WORM, "queueing.kind=1q", "topology={kind: kary-ntree, k: 2, n: 2}",
          "routing.kind=adaptive-tree"},
         "switch.reuse=empty",
         "switch.reuse=tail",
         "set switch.reuse to empty"},
        {{"queueing.kind=1q", "switch.flit=32 B", "switch.header=32 B"},
         WORM,
         "switch.switching=cut-through",
         "only wormhole switching has flits; set switch.switching to wormhole, or leave out"},
        {{"queueing.kind=1q", "switch.reuse=tail"},
         WORM,
         "switch.switching=store-and-forward",
         "set switch.switching to wormhole, or leave out switch.reuse"},
    };
    check(b, COP_LEN(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations),     cmocka_unit_test(options_without_effect),
        cmocka_unit_test(queueing_schemes), cmocka_unit_test(congestion_controls),
        cmocka_unit_test(dragonflies),      cmocka_unit_test(notifications),
        cmocka_unit_test(longest_table),    cmocka_unit_test(flits),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
