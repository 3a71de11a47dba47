/* Builds what a run needs: topology -> routing (and its dependency check) -> traffic -> network. */
#include "exp/world.h"
#include "exp/world_hosts.h"
#include "exp/world_levels.h"

#include <string.h>

/* Steps of the dependency check: enough to follow every pair of a 648-host tree and a 512-node
 * torus; larger networks are sampled, which the report says. */
#define CDG_BUDGET ((uint64_t)1 << 26)

/* Put "file:line:column: " before messages of parts that do not know the file. */
static int located(const cop_config *c, const char *option, const cop_err *inner, cop_err *err)
{
    char where[512];
    cop_config_where(c, option, where, sizeof(where));
    return cop_err_add(err, inner->code, "%s: %s", where, inner->text);
}

/* The same; a message that begins with part, name and one of its options has the place of that option:
 * `routing qcn-switch: lf 0 ...`. */
static int located_option(const cop_config *c, const char *section, const char *name,
                          const cop_opt *opts, const cop_err *inner, cop_err *err)
{
    char option[128], before[128];
    int n = snprintf(before, sizeof(before), "%s %s: ", section, name);
    snprintf(option, sizeof(option), "%s", section);
    if (n > 0 && strncmp(inner->text, before, (size_t)n) == 0) {
        const char *word = inner->text + n;
        size_t length = strcspn(word, " ");
        for (const cop_opt *o = opts; o != NULL && o->name != NULL; o++)
            if (strlen(o->name) == length && strncmp(o->name, word, length) == 0)
                snprintf(option, sizeof(option), "%s.%s", section, o->name);
    }
    return located(c, option, inner, err);
}

static const char *option_where(const void *ctx, const char *option, char *buf, size_t size)
{
    return cop_config_where(ctx, option, buf, size);
}

static const char *entry_where(const void *ctx, size_t entry, const char *option, char *buf,
                               size_t size)
{
    char path[96];
    snprintf(path, sizeof(path), "traffic[%zu].%s", entry, option);
    return cop_config_where(ctx, path, buf, size);
}

static int build_topology(cop_world *w, cop_config *c, cop_err *err)
{
    cop_err inner = {0};
    if (c->topo->build(&w->topo, c->topo_cfg, &inner) == 0)
        return 0;
    /* A topology file names itself in its messages. */
    if (strcmp(c->topo->name, "file") == 0)
        return cop_err_add(err, inner.code, "%s", inner.text);
    return located_option(c, "topology", c->topo->name, c->topo->opts, &inner, err);
}

/* Where switch.lanes is not given: the lanes of links between switches, or of host links if these
 * have more, if that is enough for the routing; else the number that the routing needs or wants.
 * The routing is told at once, because it may use all of them. */
static int init_route(cop_world *w, const cop_config *c, cop_err *err)
{
    const cop_switch_cfg *sw = &c->sw;
    uint32_t most =
        (uint32_t)(sw->trunk_lanes > sw->global_lanes ? sw->trunk_lanes : sw->global_lanes);
    uint32_t lanes = (uint32_t)sw->lanes;
    int rc = cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, lanes, err);
    if (rc == 0 && most == 0 && sw->host_lanes > (int64_t)w->route.lanes)
        most = (uint32_t)sw->host_lanes;
    if (rc == 0 && lanes == 0 && most > 0 && most >= w->route.facts.vls && most != w->route.lanes) {
        cop_route_fini(&w->route);
        rc = cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, most, err);
    }
    /* Lanes from nic.control_vl on carry control packets, if those below are enough for data. */
    int64_t data = c->nic.control_vl, have = rc == 0 ? w->route.lanes : 0;
    bool fewer = (lanes > 0 || w->route.facts.auto_lanes > 0) && data < have;
    bool more = lanes == 0 && most == 0 && data > have;
    if (rc == 0 && data > 0 && data >= w->route.facts.vls && (fewer || more)) {
        cop_route_fini(&w->route);
        rc = cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, (uint32_t)data, err);
        w->route.lanes = (uint32_t)(fewer ? have : data);
        w->route.data_lanes = (uint32_t)data;
    }
    return rc;
}

static uint32_t most_of(uint32_t a, int64_t b)
{
    return b > (int64_t)a ? (uint32_t)b : a;
}

/* Separate lanes of notifications follow the lanes of data, whose number does not change. */
static int add_own_lanes(cop_world *w, cop_config *c, cop_err *err)
{
    char where[512];
    if (w->nic.control_vl >= 0 || !cop_cc_facts_of(c->cc, c->cc_cfg, NULL).own_lanes)
        return 0;
    uint32_t all = w->lanes + w->route.facts.control_vls;
    if (all > COP_MAX_VL)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: cc %s takes %u lanes of its own behind the %u of data, a link has "
                           "at most %d; give data fewer lanes, or say in nic.control_vl which "
                           "lanes its messages share with data",
                           cop_config_where(c, "switch.lanes", where, sizeof(where)), c->cc->name,
                           w->route.facts.control_vls, w->lanes, COP_MAX_VL);
    w->nic.control_vl = w->lanes;
    w->route.data_lanes = w->lanes;
    w->route.lanes = w->lanes = all;
    return 0;
}

static int build_route(cop_world *w, cop_config *c, cop_err *err)
{
    cop_err inner = {0};
    int rc = init_route(w, c, &inner);
    if (rc)
        return strcmp(c->route->name, "table") == 0
                   ? cop_err_add(err, inner.code, "%s", inner.text)
                   : located_option(c, "routing", c->route->name, c->route->opts, &inner, err);
    uint32_t uses;
    rc = cop_world_init_levels(w, c, &uses, &inner);
    if (rc)
        return located(c, c->sw.port_sl2vl.n > 0 ? "switch.port_sl2vl" : "switch.sl2vl", &inner,
                       err);
    if (c->sw.host_lanes > 0 && c->sw.host_lanes < (int64_t)w->route.facts.host_lanes)
        w->route.facts.host_lanes = (uint32_t)c->sw.host_lanes;
    w->lanes = w->route.lanes;
    if (!c->sw.lanes) {
        w->lanes = most_of(w->lanes, c->queue->lanes ? c->queue->lanes(c->queue_cfg) : 0);
        w->lanes = most_of(w->lanes, c->sw.host_lanes);
        if (c->nic.control_vl >= (int64_t)w->lanes) /* those below are all that data can use */
            w->route.data_lanes = w->lanes;
        if (c->nic.control_vl >= 0)
            w->lanes = most_of(w->lanes, c->nic.control_vl + w->route.facts.control_vls);
    }
    char where[512];
    if (w->lanes > COP_MAX_VL)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: control packets from lane %" PRId64 " on would need %u lanes with "
                           "routing %s, a link has at most %d; choose a lane up to %u",
                           cop_config_where(c, "nic.control_vl", where, sizeof(where)),
                           c->nic.control_vl, w->lanes, c->route->name, COP_MAX_VL,
                           COP_MAX_VL - w->route.facts.control_vls);
    w->route.lanes = w->lanes;
    rc = add_own_lanes(w, c, err);
    if (rc == 0)
        cop_world_attach_levels(w, c, uses);
    return rc;
}

static const char *cycle_text(cop_world *w, cop_arena *arena)
{
    char *text = cop_arena_strdup(arena, "");
    for (uint32_t i = 0; i < w->cdg.cycle_len && i < 12; i++) {
        char name[64];
        text = cop_arena_printf(arena, "%s%s/vl%u -> ", text,
                                cop_topo_port_name(&w->topo, w->cdg.cycle[i], name, sizeof(name)),
                                w->cdg.cycle_vl[i]);
    }
    return cop_arena_printf(arena, "%s%s", text, w->cdg.cycle_len > 12 ? "..." : "(again)");
}

static int check_routing(cop_world *w, cop_config *c, cop_err *err)
{
    char where[512], src[64], dst[64];
    if ((uint64_t)w->topo.n_ports * w->lanes >= UINT32_MAX)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: %u ports with %u lanes are more channels than fit; use fewer lanes "
                           "or a smaller network",
                           cop_config_where(c, "topology", where, sizeof(where)), w->topo.n_ports,
                           w->lanes);
    const cop_cdg_control control = {.hosts = c->nic.ack != COP_ACK_NONE ||
                                              c->cc->at_destination.on_deliver != NULL,
                                     .switches = cop_cc_facts_of(c->cc, c->cc_cfg, NULL).notifies,
                                     .vl = (int)w->nic.control_vl};
    /* Where deadlocks are resolved the result only reports which lanes are used. */
    cop_cdg_check(&w->route, &control, w->route.facts.patience_ps ? CDG_BUDGET / 8 : CDG_BUDGET,
                  &w->cdg);
    cop_config_where(c, "routing", where, sizeof(where));
    if (w->cdg.unreachable)
        return cop_err_add(
            err, COP_E_INPUT, "%s: routing %s does not get from %s to %s; repair the tables", where,
            c->route->name, cop_topo_host_name(&w->topo, w->cdg.bad_src, src, sizeof(src)),
            cop_topo_host_name(&w->topo, w->cdg.bad_dst, dst, sizeof(dst)));
    if (w->cdg.escapes && c->queue->runtime.on_head)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: queueing %s keeps congested packets to one output, and routing %s needs them to "
            "take "
            "its escape lanes instead; choose a routing without, or another queueing.kind",
            where, c->queue->name, c->route->name);
    bool deadlocks = !c->run.allow_deadlock && w->route.facts.patience_ps == 0;
    /* A lane is an escape lane if packets on it continue on escape lanes only. */
    if (w->cdg.escapes && control.vl > 0 && control.vl < (int)w->route.facts.vls &&
        (control.hosts || control.switches) && deadlocks)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: control packets on the lanes of routing %s, which has escape lanes; set "
            "nic.control_vl to -1, or to %u with more lanes",
            cop_config_where(c, "nic.control_vl", where, sizeof(where)), c->route->name,
            w->route.facts.vls);
    if (deadlocks && w->cdg.of_control && w->route.facts.single)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: routing %s has a cycle of channel dependencies between data and "
                           "notifications that switches make, and can deadlock: %s; choose another "
                           "routing or cc, or set run.allow_deadlock to see it happen",
                           where, c->route->name, cycle_text(w, &c->arena));
    if (deadlocks && w->cdg.of_control)
        return cop_err_add(err, COP_E_INPUT,
                           "%s: routing %s has a cycle of channel dependencies between data and "
                           "control packets, which begin on "
                           "lane %d, and can deadlock: %s; choose another nic.control_vl, -1 or %u "
                           "and more, with as many lanes",
                           cop_config_where(c, "nic.control_vl", where, sizeof(where)),
                           c->route->name, control.vl > 0 ? control.vl : 0,
                           cycle_text(w, &c->arena), w->route.facts.vls);
    if (deadlocks && !w->cdg.acyclic)
        return cop_err_add(
            err, COP_E_INPUT,
            "%s: routing %s has a cycle of channel dependencies and can deadlock: %s; choose "
            "another routing, or set run.allow_deadlock to see it happen",
            where, c->route->name, cycle_text(w, &c->arena));
    return 0;
}

/* No packet may need a lane that its link does not have. */
static int check_classes(cop_world *w, cop_config *c, cop_err *err)
{
    const struct {
        const char *option;
        int64_t lanes;
    } all[COP_LINK_CLASSES] = {[COP_LINK_HOST] = {"switch.host_lanes", c->sw.host_lanes},
                               [COP_LINK_TRUNK] = {"switch.trunk_lanes", c->sw.trunk_lanes},
                               [COP_LINK_GLOBAL] = {"switch.global_lanes", c->sw.global_lanes}};
    char where[512], port[64];
    int rc = 0;
    for (unsigned i = 0; i < COP_LINK_CLASSES; i++)
        if (all[i].lanes != 0 && w->cdg.lanes[i] > (uint64_t)all[i].lanes)
            rc = cop_err_add(err, COP_E_INPUT,
                             "%s: routing %s uses lane %u at %s; give %s at least %u",
                             cop_config_where(c, all[i].option, where, sizeof(where)),
                             c->route->name, w->cdg.lanes[i] - 1,
                             cop_topo_port_name(&w->topo, w->cdg.lane_port[i], port, sizeof(port)),
                             all[i].option, w->cdg.lanes[i]);
    return rc;
}

static int build_traffic(cop_world *w, cop_config *c, cop_err *err)
{
    w->inject_bps = COP_NEW_ARRAY(&c->arena, uint64_t, w->topo.n_hosts);
    for (uint32_t h = 0; h < w->topo.n_hosts; h++) {
        uint64_t link = cop_net_link_rate(&w->topo, &c->link, cop_topo_host_port(&w->topo, h));
        uint64_t limit = cop_nic_inject_bps(&c->nic, h);
        w->inject_bps[h] = limit && limit < link ? limit : link;
    }
    cop_traffic_ctx ctx = {.seed = (uint64_t)c->run.seed,
                           .inject_bps = w->inject_bps,
                           .mtu_bytes = c->nic.mtu_bytes,
                           .duration_ps = c->run.duration_ps,
                           .warmup_ps = c->run.warmup_ps,
                           .where = entry_where,
                           .where_ctx = c};
    int rc = cop_traffic_build(&w->traffic, &w->topo, c->traffic, c->n_traffic, &ctx, err);
    if (rc == 0 && c->run.until == COP_UNTIL_JOBS && w->traffic.app == NULL) {
        char where[512];
        rc = cop_err_add(
            err, COP_E_INPUT,
            "%s: there is no job to wait for; give an entry a `trace` or a `collective`, "
            "or remove `until`",
            cop_config_where(c, "run.until", where, sizeof(where)));
    }
    return rc;
}

static cop_net_parts parts_of(cop_world *w, cop_config *c)
{
    return (cop_net_parts){.topo = &w->topo,
                           .route = &w->route,
                           .traffic = &w->traffic,
                           .run = &c->run,
                           .link = &c->link,
                           .sw = &c->sw,
                           .fc = &c->fc,
                           .nic = &w->nic,
                           .queue = c->queue,
                           .queue_is_ours = cop_queue_find(c->queue->name) == c->queue,
                           .cc = c->cc,
                           .host = c->host,
                           .queue_cfg = c->queue_cfg,
                           .cc_cfg = c->cc_cfg,
                           .host_cfg = c->host_cfg,
                           .lanes = w->lanes,
                           .where = option_where,
                           .where_ctx = c};
}

static int build_network(cop_world *w, cop_config *c, cop_err *err)
{
    cop_net_parts parts = parts_of(w, c);
    return cop_net_init(&w->net, &parts, err);
}

/* Networks that cannot be built are refused before routing, and again when the lanes are known,
 * before the dependency check: both take minutes in such networks. */
static int check_size(cop_world *w, cop_config *c, cop_err *err)
{
    cop_net_parts parts = parts_of(w, c);
    parts.lanes = most_of(parts.lanes, c->sw.lanes);
    return cop_net_check_size(&parts, err);
}

int cop_world_build(cop_world *w, cop_config *c, cop_err *err)
{
    int rc = build_topology(w, c, err);
    if (rc == 0)
        rc = cop_world_hosts(w, c, err);
    w->nic = c->nic;
    if (rc == 0)
        rc = check_size(w, c, err);
    if (rc == 0)
        rc = build_route(w, c, err);
    if (rc == 0)
        rc = check_size(w, c, err);
    if (rc == 0)
        rc = check_routing(w, c, err);
    if (rc == 0)
        rc = check_classes(w, c, err);
    if (rc == 0)
        rc = build_traffic(w, c, err);
    if (rc == 0)
        rc = build_network(w, c, err);
    return rc;
}

void cop_world_free(cop_world *w)
{
    cop_tree_free(w->trees);
    if (w->net.topo)
        cop_net_fini(&w->net);
    cop_traffic_free(&w->traffic);
    if (w->route.ops)
        cop_route_fini(&w->route);
    cop_cdg_free(&w->cdg);
    cop_topo_free(&w->topo);
    cop_free(w);
}
