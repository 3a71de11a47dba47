/* Validation of a routing with state, or one that leaves deadlocks to recovery: its conditions are
 * possible, and what it needs is there. */
#include "net/build/build_check.h"

#include "net/routing/routing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Upper bound of the bytes that wait for a port or are behind it: full buffers of all inputs of its
 * switch and of the output, and one full lane behind it. Notifications that the switch itself makes
 * are in no buffer; doubling the sum is more than they ever need. */
static uint64_t most_load(const cop_net *net, const cop_net_parts *pt)
{
    const cop_netinfo *info = &net->info;
    uint64_t waits = sum(info->all_inputs.port, info->output.port);
    if (net->cc_facts.notifies)
        waits = sum(waits, waits);
    return info->tells_used ? sum(waits, cop_max64(info->any_input.lane, pt->nic->buffer_bytes))
                            : waits;
}

/* An option counts more packets than any port will send in this run. */
static int check_count(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    const struct cop_count_bar *count = &pt->route->facts.count;
    double most = cop_most_packets(&net->info);
    char where[256], option[64];
    if (count->option == NULL || most == 0.0 || count->packets <= count->usual ||
        (double)count->packets <= most)
        return 0;
    snprintf(option, sizeof(option), "routing.%s", count->option);
    return cop_err_add(err, COP_E_INPUT,
                       "%s: %s %" PRId64 " is never reached: no port has more than %.0f packets in "
                       "this run; give less, or make run.duration longer",
                       cop_build_at(pt, option, where, sizeof(where)), option, count->packets,
                       floor(most));
}

int cop_build_check_routing(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    uint64_t most = most_load(net, pt);
    char where[256], option[64], have[32], can[32];
    for (unsigned i = 0; i < COP_ROUTE_BARS; i++) {
        const struct cop_bar *bar = &pt->route->facts.bar[i];
        if (bar->option == NULL || bar->bytes < most)
            continue;
        snprintf(option, sizeof(option), "routing.%s", bar->option);
        return cop_err_add(err, COP_E_INPUT,
                           "%s: %s is never passed: %s must wait for a port, and a switch has "
                           "room for %s; make it smaller",
                           cop_build_at(pt, option, where, sizeof(where)), option,
                           cop_print_bytes(bar->bytes, have, sizeof(have)),
                           cop_print_bytes(most, can, sizeof(can)));
    }
    return check_count(net, pt, err);
}

int cop_build_check_words(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    const cop_route *r = pt->route;
    uint32_t most = net->cc_facts.most_word;
    for (unsigned i = 0; i < COP_ROUTE_BARS; i++) {
        if (r->facts.word[i].option == NULL || most > r->facts.word[i].above)
            continue;
        char where[256], option[64];
        snprintf(option, sizeof(option), "routing.%s", r->facts.word[i].option);
        return cop_err_add(err, COP_E_INPUT,
                           "%s: %s is never passed: a feedback above %.4g would do, and with these "
                           "queues cc %s tells %u at most; make it smaller, or the set point of cc",
                           cop_build_at(pt, option, where, sizeof(where)), option,
                           r->facts.word[i].above, pt->cc->name, most);
    }
    return 0;
}

int cop_build_check_recovery(const cop_net *net, const cop_net_parts *pt, cop_err *err)
{
    char where[256];
    const char *option = NULL, *why = "", *remedy = "";
    for (uint32_t sw = 0; sw < pt->topo->n_switches; sw++)
        if (cop_recover_exit(pt->topo, sw) == COP_PORT_NONE) {
            option = "topology";
            why = "a host at every switch to absorb packets";
            remedy = "give every switch a host, or use routing adaptive-cube";
        }
    if (net->sectioned) {
        option = "queueing";
        why = "buffers that all destinations share";
        remedy = "use queueing 1q or voqsw, or routing adaptive-cube";
    } else if (pt->queue->runtime.on_head) {
        option = "queueing";
        why = "packets that stay in their queue";
        remedy = "use queueing 1q or voqsw, or routing adaptive-cube";
    } else if (pt->fc->kind != COP_FC_CREDIT && pt->fc->kind != COP_FC_IB) {
        option = "flow_control";
        why = "credits";
        remedy = "set flow_control.kind to credit or ib, or use routing adaptive-cube";
    }
    if (option == NULL)
        return 0;
    return cop_err_add(err, COP_E_INPUT, "%s: deadlock recovery of routing %s needs %s; %s",
                       cop_build_at(pt, option, where, sizeof(where)), pt->route->ops->name, why,
                       remedy);
}
