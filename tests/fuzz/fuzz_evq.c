/* Operations on the event queue from a fuzzer: ring and heap must pop the same keys. */
#include "base/mem.h"
#include "des/evq.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Twins may come once or twice: skip what equals the last one. */
static bool pop(cop_evq *q, cop_time until, cop_ev *last, bool *any)
{
    cop_ev ev = {0};
    do {
        if (!cop_evq_pop(q, until, &ev))
            return false;
    } while (*any && ev.t == last->t && ev.id == last->id);
    *last = ev;
    *any = true;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cop_evq ring, heap;
    cop_ev last_ring = {0}, last_heap = {0};
    bool any_ring = false, any_heap = false;
    if (size < 2)
        return 0;
    cop_evq_init(&ring, false, (cop_time)1 << (data[0] % 40), (cop_time)1 << (data[1] % 40));
    cop_evq_init(&heap, true, 0, 0);
    for (size_t i = 2; i + 3 <= size; i += 3) {
        cop_time step = (cop_time)data[i + 1] << (data[i] >> 3);
        if (data[i] & 1) { /* several pushes of one instant, or one */
            for (uint32_t k = 0; k <= (data[i] & 2 ? 40u : 0u); k++) {
                cop_ev ev = {last_ring.t + step,
                             cop_ev_id((enum cop_ev_kind)(data[i + 2] % COP_EV_KINDS),
                                       data[i + 2] + k * (data[i] & 4 ? 1u : 100000u)),
                             0};
                if (any_ring && !cop_ev_before(last_ring, ev))
                    continue;
                cop_evq_push(&ring, ev.t, ev.id);
                cop_evq_push(&heap, ev.t, ev.id);
            }
        } else {
            bool a = pop(&ring, last_ring.t + step, &last_ring, &any_ring);
            bool b = pop(&heap, last_heap.t + step, &last_heap, &any_heap);
            COP_CHECK(a == b && last_ring.t == last_heap.t && last_ring.id == last_heap.id);
        }
    }
    bool a, b;
    do {
        a = pop(&ring, COP_NEVER, &last_ring, &any_ring);
        b = pop(&heap, COP_NEVER, &last_heap, &any_heap);
        COP_CHECK(a == b && last_ring.t == last_heap.t && last_ring.id == last_heap.id);
    } while (a);
    COP_CHECK(cop_evq_empty(&ring) && cop_evq_empty(&heap));
    cop_evq_fini(&ring);
    cop_evq_fini(&heap);
    return 0;
}
