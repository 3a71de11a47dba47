/* Fernandez and Garcia: values that follow from the network, where the configuration says `auto`.
 *
 * The paper's values are for messages of 16 flits, a flit per cycle, in a torus whose mean round
 * trip is shorter than four messages: a step of 32 cycles, a timeout of 64, a threshold of 2. The
 * same in messages:
 * Step       time of 2 messages on a host's link.
 * Timeout    2 steps, and no less than a mean round trip without load (tori, meshes and
 *            hypercubes): the effect of a step must reach the source before the next.
 * Threshold  7/8 of the messages that a lane of a switch input has room for, and 2 less than it has
 *            (2 of 3): the tail of the previous message has just left when a head is routed, so
 *            that checks seldom find a lane full. In a lane with room for many some wait at full
 *            load, too, and a threshold of 2 then costs up to a third of uniform traffic (measured,
 *            8 x 8 torus).
 * Period     8 messages (ours).
 * `every` and `history` count routings and headers, which do not depend on rates or lengths: as
 * printed.
 * Source     Fernandez and Garcia, section 4. */
#include "cc/fern.h"

#include "base/opt.h"

#include <inttypes.h>
#include <stdio.h>

const char *const fern_auto_names[] = {"auto", NULL};

/* Time of the longest packet of data on a host's link. */
static uint64_t message_time(const cop_netinfo *info)
{
    return info->most_bytes * UINT64_C(8000000000000) / info->host_bps;
}

/* Half as far as the farthest switch, there and back; 0: not known. */
static uint64_t round_trip(const cop_netinfo *info)
{
    if (info->topo->shape.kind != COP_SHAPE_CUBE)
        return 0;
    const cop_cube_shape *s = &info->topo->shape.u.cube;
    uint64_t hops = 0;
    for (uint32_t i = 0; i < s->dims; i++)
        hops += s->wrap[i] ? s->radix[i] / 2 : s->radix[i] - 1;
    return hops * info->hop_ps;
}

/* Messages that a lane of an input has room for, if they have so many bytes. */
static uint64_t room_for(const cop_netinfo *info, uint32_t bytes)
{
    /* With private buffers each destination or flow has one. */
    uint64_t buffers = info->sections > info->lanes ? info->sections / info->lanes : 1;
    uint64_t unit = info->block_bytes, one = (bytes + unit - 1) / unit;
    return info->transit_bytes / unit / (one ? one : 1) * buffers;
}

fern_cfg fern_resolve(const fern_cfg *cfg, const cop_netinfo *info)
{
    fern_cfg r = *cfg;
    uint64_t message = cop_max64(message_time(info), 1);
    uint64_t room = room_for(info, info->most_bytes);
    uint64_t threshold = room < 4 ? room - (room > 1) : room < 16 ? room - 2 : room * 7 / 8;
    if (r.threshold == 0)
        r.threshold = (int64_t)cop_max64(threshold, 1);
    if (r.step_ps == 0)
        r.step_ps = 2 * message;
    if (r.timeout_ps == 0)
        r.timeout_ps = cop_max64(2 * r.step_ps, round_trip(info));
    if (r.period_ps == 0)
        r.period_ps = 8 * message;
    return r;
}

int fern_check_config(const void *config, const cop_netinfo *info, cop_err *err)
{
    const fern_cfg cfg = fern_resolve(config, info);
    uint64_t most = room_for(info, info->least_bytes);
    /* Routings of a switch in the whole run, at most. */
    double routings = (double)info->duration_ps / 8e12 * (double)info->fastest_bps *
                      info->max_ports / (info->least_bytes ? info->least_bytes : 1);
    if (cfg.every > FERN_EVERY_DEFAULT && (double)cfg.every > routings)
        return cop_err_add(err, COP_E_INPUT,
                           "every %" PRId64 " looks at nothing: no switch routes more than %.4g "
                           "messages in this run; give less",
                           cfg.every, routings);
    if ((uint64_t)cfg.threshold < most)
        return 0;
    return cop_err_add(err, COP_E_INPUT,
                       "threshold %" PRId64 " is never exceeded: a lane has room for %" PRIu64
                       " packets; make it smaller or switch.buffer larger, or set notify to never",
                       cfg.threshold, most);
}

void fern_explain(const void *config, const cop_netinfo *info, FILE *out)
{
    const fern_cfg *given = config, cfg = fern_resolve(config, info);
    char step[32], timeout[32];
    fprintf(out,
            "# cc fern: threshold %" PRId64 "%s of the %" PRIu64
            " messages of %u B that a lane holds; step %s%s",
            cfg.threshold, given->threshold ? "" : " (auto)", room_for(info, info->most_bytes),
            info->most_bytes, cop_print_time(cfg.step_ps, step, sizeof(step)),
            given->step_ps ? "" : " (auto: the time of 2 messages)");
    if (cfg.messages == 0)
        fprintf(out, "; timeout %s%s", cop_print_time(cfg.timeout_ps, timeout, sizeof(timeout)),
                given->timeout_ps                  ? ""
                : cfg.timeout_ps > 2 * cfg.step_ps ? " (auto: a mean round trip)"
                                                   : " (auto: 2 steps)");
    fputc('\n', out);
}
