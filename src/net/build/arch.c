/* Choice of the switch architecture: the arbiter (each output, or a matching) and the target of a
 * granted packet (the wire, or an output buffer). */
#include "net/build/build_plan.h"
#include "net/worm/worm.h"

#define CIOQ_OUTPUT_BYTES 100000

/* Of an output buffer; 0: there are none. */
static uint64_t output_bytes(const cop_switch_cfg *cfg)
{
    static const uint64_t usual[] = {[COP_ARCH_IB] = 0, [COP_ARCH_CIOQ] = CIOQ_OUTPUT_BYTES};
    if (cfg->architecture == COP_ARCH_IQ)
        return 0;
    return cfg->output_buffer_bytes == COP_OPT_OPEN ? usual[cfg->architecture]
                                                    : cfg->output_buffer_bytes;
}

void cop_arch_choose(cop_net *net)
{
    static const cop_arch_ops *const table[2][2] = {{&cop_arch_ib, &cop_arch_ib_buffered},
                                                    {&cop_arch_iq, &cop_arch_cioq}};
    net->info.output_bytes = net->output_bytes = output_bytes(net->sw_cfg);
    net->arch = table[net->sw_cfg->architecture != COP_ARCH_IB][net->output_bytes > 0];
    if (net->sw_cfg->switching == COP_SWITCHING_WORM)
        net->arch = &cop_arch_worm;
}
