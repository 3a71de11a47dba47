/* What cannot be simulated is refused: combinations of sections, and the checks of switches and queueing schemes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bounds.h"

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
        {{"switch.architecture=ib", "switch.output_credit=crossbar"},
         "switch.output_buffer=16 KiB",
         "switch.output_buffer=0",
         "there are no output buffers; give switch.output_buffer a size, or leave out "
         "switch.output_credit"},
        {{"switch.architecture=cioq", "switch.output_credit=crossbar"},
         "flow_control.kind=ib",
         "flow_control.kind=on-off",
         "use flow_control.kind credit or ib, and lanes with buffers of their own, or leave out"},
        {{"switch.architecture=cioq", "switch.output_credit=crossbar"},
         "switch.shared_lanes=no",
         "switch.shared_lanes=yes",
         "only credit that a lane has for itself can be taken ahead"},
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
    check_bounds(b, COP_LEN(b));
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
        {{"switch.buffer=8064 B", "flow_control.kind=on-off"},
         "flow_control.xoff=6015 B",
         "flow_control.xoff=6016 B",
         "are free, and it has 8064 B in all; give at most 6015 B, or make switch.buffer larger"},
        {{"flow_control={kind: on-off, xoff: 6000 B, xon: 8000 B}"},
         "switch.buffer=8064 B",
         "switch.buffer=8000 B",
         "flow_control.xon 8000 B is free space: senders that wait go on when more than 8000 B of "
         "the buffer of "},
        {{"flow_control.loss=1 %"},
         "flow_control.kind=ib",
         "flow_control.kind=credit",
         "set flow_control.kind to ib, or leave out flow_control.loss"},
        {{"flow_control.unsafe=yes"},
         "flow_control.kind=on-off",
         "flow_control.kind=credit",
         "set flow_control.kind to on-off, or leave out flow_control.unsafe"},
    };
    check_bounds(b, COP_LEN(b));
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
        {{"queueing.kind=hfdi", "topology={kind: torus, radix: [3, 3]}"},
         NULL,
         "routing.kind=adaptive-cube",
         "choose a routing without"},
        {{"queueing.kind=recn", "topology={kind: torus, radix: [3, 3]}", "switch.architecture=iq"},
         "queueing.kind=fbicm",
         "queueing.detect=5",
         "use fbicm, or another routing"},
        {{"topology={kind: torus, radix: [4, 4]}", "routing.kind=true-adaptive", "switch.lanes=4"},
         "routing.host_lanes=4",
         "routing.host_lanes=5",
         "give at most that, or leave it out to use all"},
        {{"queueing.kind=vftree", "switch.lanes=2"},
         "queueing.lanes=2",
         "queueing.lanes=3",
         "raise switch.lanes"},
    };
    check_bounds(b, COP_LEN(b));
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
        {{"queueing.kind=1q", "switch.allocation=4 ns"},
         WORM,
         "switch.switching=cut-through",
         "set switch.switching to wormhole, or leave out switch.allocation"},
        {{"topology={kind: mesh, radix: [4, 4]}", "routing.kind=dor"},
         "routing.crossing=change",
         "routing.crossing=keep",
         "no ring has a dateline here"},
        {{WORM, "queueing.kind=1q", "topology={kind: torus, radix: [4, 4]}",
          "routing={kind: dor, choice: free}",
          "switch={switching: wormhole, lanes: 2, reuse: tail}"},
         "routing.datelines=yes",
         "routing.datelines=no",
         "can deadlock"},
    };
    check_bounds(b, COP_LEN(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations),
        cmocka_unit_test(options_without_effect),
        cmocka_unit_test(queueing_schemes),
        cmocka_unit_test(flits),
    };
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
