/* What no congestion control can do is refused: options, thresholds and tables of IB CC, QCN and the throttling of
 * tori. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bounds.h"
#include "cc/ibcc.h"

#include <string.h>

static void congestion_controls(void **state)
{
    (void)state;
    static const bound b[] = {
        {{"cc.kind=ith"}, "queueing.kind=hfdi", "queueing.kind=voqsw", "or set it to hfdi"},
        {{"cc.kind=ib-ith"}, "queueing.kind=hfdi", "queueing.kind=1q", "or set it to hfdi"},
        {{"cc.kind=ccfit", "switch.architecture=iq"},
         "queueing.kind=fbicm",
         "queueing.kind=recn",
         "or set it to fbicm"},
        {{"cc.kind=ecocc"}, "queueing.kind=hfdi", "queueing.kind=fbicm", "or set it to hfdi"},
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
    check_bounds(b, COP_LEN(b));
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
        {{"cc={kind: qcn, sample: input, qeq: 20 kB, react: no}",
          "topology={kind: dragonfly, p: 2, a: 4, h: 2}", "switch.trunk_buffer=4 KiB"},
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
        /* No delay at all once was what 0 said; it is not what auto says. */
        {{"cc.kind=ecocc"}, "cc.longest=1 ps", "cc.longest=0", "`0` is out of range"},
        {{"cc.kind=qcn"}, "cc.share=0.1 %", "cc.share=0", "use cc.kind none"},
        {{"cc.kind=qcn"}, "cc.react=no", "cc.gd=0", "leave it out and set react to no"},
        {{"cc.kind=qcn"},
         "cc={kind: qcn, gd: 0.01}",
         "cc={kind: qcn, gd: 0.01, react: no}",
         "gd is for sources that limit their rate; set react to yes, or leave it out"},
        {{"cc.kind=qcn", "cc.react=no"},
         "cc.limit=flow", /* as it is without */
         "cc.limit=host",
         "limit is for sources that limit their rate"},
        {{"cc.kind=qcn", "cc.react=no"},
         "cc.min_rate=10 Mbit/s",
         "cc.min_rate=11 Mbit/s",
         "min_rate is for sources"},
        {{"link.rate=10 Gbit/s"},
         "cc={kind: qcn, min_rate: 9999 Mbit/s}",
         "cc={kind: qcn, min_rate: 10 Gbit/s}",
         "min_rate 10 Gbit/s is not below the links of hosts, 10 Gbit/s"},
        {{"link.rate=10 Gbit/s"},
         "cc={kind: qcn, react: no}",
         "cc={kind: qcn, min_rate: 10 Gbit/s}",
         "or leave it out and set react to no"},
        {{"cc.kind=fern-1", "switch.buffer=65536 B"},
         "cc.threshold=31", /* packets of 2 KiB */
         "cc.threshold=32",
         "threshold 32 is never exceeded: a lane has room for 32 packets; make it smaller"},
        {{"cc.kind=fern-1", "run.duration=1 us", "link.rate=16 Gbit/s", "nic.mtu=2 KiB"},
         "cc.every=16", /* not more seldom than the default */
         "cc.every=17",
         "every 17 looks at nothing: no switch routes more than 2.93"},
        {{"cc.kind=fern-2"}, "cc.threshold=2", "cc.threshold=1", "make the difference 2 or more"},
        {{"topology={kind: torus, radix: [4, 4]}", "routing.kind=true-adaptive",
          "cc={kind: fern-1, notify: packets}", "nic.control_vl=3"},
         "switch.lanes=5",
         "switch.lanes=7",
         "and 2 of switch.lanes are unused; set nic.control_vl to 5, or switch.lanes to 5"},
        {{"cc={kind: fern-2, hysteresis: 1}"},
         "cc.threshold=3",
         "cc.threshold=2",
         "congestion would never end"},
        {{"cc.kind=fern-2", "switch.buffer=65536 B"},
         "cc.threshold=auto",
         "cc.threshold=1000000",
         "make it smaller or switch.buffer larger, or set notify to never"},
    };
    check_bounds(b, COP_LEN(b));
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
            cfg.preset = IBCC_TESTBED;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(congestion_controls),
        cmocka_unit_test(notifications),
        cmocka_unit_test(longest_table),
    };
    return cmocka_run_group_tests_name("refusals of controls", tests, NULL, NULL);
}
