/* A network built from a configuration, with its parts within reach: for tests that look inside, at the
 * start, at samples or after the run. */
#ifndef COP_NET_FIXTURE_H
#define COP_NET_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/outcome.h"
#include "exp/config.h"
#include "net/net.h"
#include "scenario.h"

#define LAB_HOSTS 256

typedef struct net_lab {
    cop_config c;
    cop_topo topo;
    cop_route route;
    cop_traffic traffic;
    uint64_t inject_bps[LAB_HOSTS];
    cop_net net;
    const char *what; /* for messages */
    uint32_t looks;
} net_lab;

static inline const char *lab_where(const void *ctx, size_t entry, const char *option, char *buf,
                                    size_t size)
{
    (void)ctx, (void)entry;
    return scn_text(buf, size, "test:%s", option);
}

static inline void lab_must(int rc, const cop_err *err)
{
    if (rc != 0)
        fail_msg("%s", err->text);
}

static inline net_lab *lab_build(const char *yaml, const char *const *set, size_t n)
{
    net_lab *w = cop_alloc(sizeof(*w));
    cop_err err = {0};
    cop_override o[16];
    assert_true(n <= COP_LEN(o));
    for (size_t i = 0; i < n; i++)
        o[i] = (cop_override){.text = set[i]};
    cop_config *c = &w->c;
    lab_must(cop_config_load(c, "test.yaml", yaml, o, n, &err), &err);
    lab_must(c->topo->build(&w->topo, c->topo_cfg, &err), &err);
    assert_true(w->topo.n_hosts <= LAB_HOSTS);
    lab_must(
        cop_route_init(&w->route, c->route, &w->topo, c->route_cfg, (uint32_t)c->sw.lanes, &err),
        &err);
    uint32_t lanes = c->queue->lanes ? c->queue->lanes(c->queue_cfg) : 0;
    lanes = w->route.facts.vls > lanes ? w->route.facts.vls : lanes;
    w->route.lanes = lanes = c->sw.lanes ? (uint32_t)c->sw.lanes : lanes;
    for (uint32_t h = 0; h < w->topo.n_hosts; h++)
        w->inject_bps[h] = cop_net_link_rate(&w->topo, &c->link, cop_topo_host_port(&w->topo, h));
    cop_traffic_ctx ctx = {.seed = (uint64_t)c->run.seed,
                           .inject_bps = w->inject_bps,
                           .mtu_bytes = c->nic.mtu_bytes,
                           .duration_ps = c->run.duration_ps,
                           .where = lab_where};
    lab_must(cop_traffic_build(&w->traffic, &w->topo, c->traffic, c->n_traffic, &ctx, &err), &err);
    cop_net_parts parts = {.topo = &w->topo,
                           .route = &w->route,
                           .traffic = &w->traffic,
                           .run = &c->run,
                           .link = &c->link,
                           .sw = &c->sw,
                           .fc = &c->fc,
                           .nic = &c->nic,
                           .queue = c->queue,
                           .cc = c->cc,
                           .host = c->host,
                           .queue_cfg = c->queue_cfg,
                           .cc_cfg = c->cc_cfg,
                           .host_cfg = c->host_cfg,
                           .lanes = lanes};
    lab_must(cop_net_init(&w->net, &parts, &err), &err);
    return w;
}

static inline void lab_free(net_lab *w)
{
    cop_net_fini(&w->net);
    cop_traffic_free(&w->traffic);
    cop_route_fini(&w->route);
    cop_topo_free(&w->topo);
    cop_config_free(&w->c);
    cop_free(w);
}

#endif
