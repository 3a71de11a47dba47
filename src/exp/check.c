/* What a configuration means, without a run: facts of the network, the table of a switch, the network itself. */
#include "base/text.h"
#include "exp/facts.h"
#include "exp/world.h"
#include "route/flow_table.h"
#include "route/levels.h"

#include <string.h>

/* Options of `run` that have no effect. */
static void warn_of_samples(const cop_config *c, FILE *report)
{
    const cop_run_cfg *run = &c->run;
    char sample[32], duration[32];
    cop_units_print(&c->units, COP_OPT_TIME, run->duration_ps, duration, sizeof(duration));
    if (run->sample_ps > run->duration_ps)
        fprintf(
            report,
            "# warning: run.sample, %s, is longer than the run, %s: series have one value; make "
            "it shorter, or leave it out\n",
            cop_units_print(&c->units, COP_OPT_TIME, run->sample_ps, sample, sizeof(sample)),
            duration);
    if (run->trees && run->tree_sample_ps > run->duration_ps)
        fprintf(
            report,
            "# warning: run.tree_sample, %s, is longer than the run, %s: no congestion tree is "
            "found; make it shorter, or leave it out\n",
            cop_units_print(&c->units, COP_OPT_TIME, run->tree_sample_ps, sample, sizeof(sample)),
            duration);
    if (run->births != COP_BIRTHS_NONE && !run->drain)
        fprintf(report,
                "# warning: run.births counts packets when they are delivered: the slow ones "
                "of the last samples are missing, so that these look faster than they are; "
                "set run.drain to yes, or do not look at the last samples\n");
}

/* The lanes that service levels choose. */
static void print_levels(const cop_route *r, FILE *report)
{
    const char *before = "# first lanes of service levels:";
    for (uint32_t levels = r->levels ? r->levels->used : 0; levels != 0; levels &= levels - 1) {
        uint32_t level = (uint32_t)__builtin_ctz(levels);
        fprintf(report, "%s level %u lane %u", before, level, cop_levels_first(r, level));
        before = ",";
    }
    if (r->levels)
        fprintf(report, "%s\n", r->levels->port ? "; and others at some ports" : "");
}

/* ibnetdiscover prints hosts in the order in which it met them, often the last cable first. */
static void print_numbers(const cop_topo *t, FILE *report)
{
    char first[80], last[80];
    if (strcmp(t->kind, "file") != 0)
        return;
    cop_topo_host_name(t, 0, first, sizeof(first));
    cop_topo_host_name(t, t->n_hosts - 1, last, sizeof(last));
    cop_plain(first);
    cop_plain(last);
    fprintf(report, "# hosts have the numbers of their order in the file: 0 is %s, %u is %s\n",
            first, t->n_hosts - 1, last);
}

static void print_facts(cop_world *w, const cop_config *c, FILE *report)
{
    cop_topo_facts facts;
    cop_topo_measure(&w->topo, 256, &facts);
    fprintf(report, "# network: %u hosts, %u switches of up to %u ports, %u cables\n",
            w->topo.n_hosts, w->topo.n_switches, facts.max_ports, facts.cables);
    print_numbers(&w->topo, report);
    fprintf(report, "# paths: at most %u switches, %.2f on average\n", facts.diameter,
            facts.mean_switches);
    fprintf(
        report,
        "# routing: %s, %u virtual lane%s, %" PRIu64 " channels, %" PRIu64 " dependencies, %s%s\n",
        c->route->name, w->lanes, w->lanes == 1 ? "" : "s", w->cdg.channels, w->cdg.dependencies,
        w->route.facts.patience_ps > 0     ? "deadlocks are resolved"
        : w->cdg.acyclic && w->cdg.sampled ? "not checked in full: no cycle"
        : w->cdg.acyclic                   ? "no cycle"
                                           : "CYCLIC: can deadlock",
        w->cdg.sampled && w->route.facts.patience_ps == 0
            ? " in the sample of ways that was followed"
            : "");
    print_levels(&w->route, report);
    char timeout[32], duration[32];
    if (!w->cdg.acyclic && w->route.facts.patience_ps >= c->run.duration_ps)
        fprintf(report,
                "# warning: deadlocks are resolved after %s, and the run ends after %s; make "
                "routing.timeout shorter, or run.duration longer\n",
                cop_units_print(&c->units, COP_OPT_TIME, w->route.facts.patience_ps, timeout,
                                sizeof(timeout)),
                cop_units_print(&c->units, COP_OPT_TIME, c->run.duration_ps, duration,
                                sizeof(duration)));
    if (w->nic.control_vl > c->nic.control_vl)
        fprintf(report,
                "# control packets: of %s, %" PRIu64 " B, on %u lane%s of their own from lane "
                "%" PRId64 " on, before data\n",
                c->cc->name, c->nic.control_bytes, w->route.facts.control_vls,
                w->route.facts.control_vls == 1 ? "" : "s", w->nic.control_vl);
    if (w->route.facts.idle != NULL)
        fprintf(report, "# warning: routing %s: %s\n", c->route->name, w->route.facts.idle);
    const char *few = c->queue->idle ? c->queue->idle(c->queue_cfg, &w->net.info) : NULL;
    if (few != NULL)
        fprintf(report, "# warning: queueing %s: %s\n", c->queue->name, few);
    const char *idle = c->cc->idle ? c->cc->idle(c->cc_cfg, &w->net.info) : NULL;
    if (idle != NULL)
        fprintf(report, "# warning: cc %s: %s\n", c->cc->name, idle);
    if (c->cc->explain != NULL)
        c->cc->explain(c->cc_cfg, &w->net.info, report);
    warn_of_samples(c, report);
    cop_print_fabric(&w->route, &c->link, &c->units, report);
    cop_net_cost cost;
    char ram[32];
    cop_net_port_cost(&w->net, &cost);
    fprintf(report, "# input port: %s of packet memory, %u queues",
            cop_units_print(&c->units, COP_OPT_BYTES, cost.ram_bytes, ram, sizeof(ram)),
            cost.queues);
    if (cost.control.cam_lines)
        fprintf(report, ", %u CAM lines with %" PRIu64 " CAM and %" PRIu64 " SRAM cells",
                cost.control.cam_lines, cost.control.cam_cells, cost.control.sram_cells);
    fprintf(report, "\n# traffic: %u stream%s from %zu entr%s\n", w->traffic.n_streams,
            w->traffic.n_streams == 1 ? "" : "s", c->n_traffic, c->n_traffic == 1 ? "y" : "ies");
}

int cop_check_network(cop_config *c, FILE *report, cop_err *err)
{
    cop_world *w = cop_alloc(sizeof(*w));
    int rc = cop_world_build(w, c, err);
    if (rc == 0 && report != NULL)
        print_facts(w, c, report);
    cop_world_free(w);
    return rc;
}

static uint32_t find_switch(const cop_topo *t, const char *name)
{
    char text[256], number[16];
    for (uint32_t sw = 0; sw < t->n_switches; sw++)
        if (strcmp(cop_topo_switch_name(t, sw, text, sizeof(text)), name) == 0)
            return sw;
    for (uint32_t sw = 0; sw < t->n_switches; sw++) {
        snprintf(number, sizeof(number), "s%u", sw);
        if (strcmp(number, name) == 0)
            return sw;
    }
    return COP_NONE;
}

static int print_table(const cop_world *w, const char *name, FILE *out, cop_err *err)
{
    uint32_t sw = find_switch(&w->topo, name);
    cop_flow_table table;
    if (sw == COP_NONE)
        return cop_err_add(err, COP_E_INPUT,
                           "--table %s: there is no such switch; they are s0 to s%u, or as their "
                           "file names them",
                           name, w->topo.n_switches - 1);
    if (!cop_flow_table_of(&w->route, sw, &table))
        return cop_err_add(err, COP_E_INPUT,
                           "--table %s: routing %s has no table, as where a packet goes depends on "
                           "more than its input and destination; others have, such as "
                           "qcn-switch or minhop",
                           name, w->route.ops->name);
    cop_flow_print(&w->route, &table, name, out);
    cop_flow_free(&table);
    return 0;
}

int cop_check_table(cop_config *c, const char *name, FILE *out, cop_err *err)
{
    cop_world *w = cop_alloc(sizeof(*w));
    int rc = cop_world_build(w, c, err);
    if (rc == 0)
        rc = print_table(w, name, out, err);
    cop_world_free(w);
    return rc;
}

int cop_look_network(cop_config *c, void (*look)(void *ctx, const struct cop_net *net), void *ctx,
                     cop_err *err)
{
    cop_world *w = cop_alloc(sizeof(*w));
    int rc = cop_world_build(w, c, err);
    if (rc == 0)
        look(ctx, &w->net);
    cop_world_free(w);
    return rc;
}
