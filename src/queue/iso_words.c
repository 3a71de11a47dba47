/* Isolation of congested flows in words: messages to the neighbour, changes of a line, and why a
 * run had none. */
#include "base/opt.h"
#include "queue/iso.h"

#include <stdio.h>

static const char *port_name(struct cop_net *net, uint32_t port, char *buf, size_t size)
{
    return cop_topo_port_name(cop_net_info(net)->topo, port, buf, size);
}

void iso_message_tell(struct cop_net *net, uint32_t port, uint64_t m, char *buf, size_t size)
{
    static const char *const what[] = {[ISO_MSG_ALLOCATE] = "allocate",
                                       [ISO_MSG_ADD] = "add to",
                                       [ISO_MSG_STOP] = "stop",
                                       [ISO_MSG_GO] = "go",
                                       [ISO_MSG_DEALLOCATE] = "deallocate"};
    uint32_t kind = (uint32_t)(m >> 60), line = m >> 32 & 0xffff, value = (uint32_t)m;
    const iso_rules *r = cop_net_queue_common(net);
    char root[64];
    (void)port;
    int n = snprintf(buf, size, "%s line %u", what[kind], line);
    buf += n, size -= (size_t)n;
    if (kind == ISO_MSG_ALLOCATE && r->by_path)
        snprintf(buf, size, ": root %s, %u links away", port_name(net, value, root, sizeof(root)),
                 (unsigned)(m >> 48 & 0xff));
    else if (kind == ISO_MSG_ALLOCATE)
        snprintf(buf, size, ": root %u links away", (unsigned)(m >> 48 & 0xff));
    else if (kind == ISO_MSG_ADD)
        snprintf(buf, size, ": host %u", value & ISO_DST_MASK);
}

void iso_line_told(struct cop_net *net, uint32_t port, const iso_line *l, const char *what)
{
    char text[160], out[64];
    const iso_rules *r = cop_net_queue_common(net);
    const iso_line *first = iso_in_line(r, cop_net_queue_state(net, port), 0);
    uint32_t line = (uint32_t)(((const char *)l - (const char *)first) / (ptrdiff_t)r->line_bytes);
    snprintf(text, sizeof(text), "line %u for %s lane %u: %s", line,
             port_name(net, iso_output(net, port, l->out), out, sizeof(out)), l->out_vl, what);
    cop_net_queue_says(net, port, text);
}

bool iso_rested(struct cop_net *net, char *buf, size_t size)
{
    const iso_rules *r = cop_net_queue_common(net);
    const uint64_t *n = cop_net_queue_counter(net);
    char level[32], most[128];
    if (n[ISO_ROOTS] > 0 || n[ISO_TAKEN] > 0)
        return false;
    snprintf(
        buf, size,
        "no root was found: no queue was above the detection level of %s; most that waited for "
        "an output at a sample, in all inputs: %s",
        cop_print_bytes(r->detect, level, sizeof(level)),
        cop_net_most_waiting(net, most, sizeof(most)));
    return true;
}
