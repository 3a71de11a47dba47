/* Do forwarding tables lead from every switch with hosts to every host?
 *
 * In: lft[switch * n_hosts + host], UINT16_MAX where there is no entry; entries name ports with
 * cables. Each destination is followed from all switches, and no switch twice: work is switches x
 * hosts. */
#include "route/route_cfg.h"

#include <string.h>

typedef struct tables {
    const cop_topo *t;
    const uint16_t *lft;
    const char *name;
    cop_err *err;
} tables;

/* Report why the entries for dst do not lead there: `what` is the fault at switch sw. */
static int bad_path(const tables *rd, uint32_t sw, uint32_t dst, const char *what)
{
    char s[128], h[128];
    return cop_err_add(
        rd->err, COP_E_INPUT,
        "%s: host %s is not reached: switch %s %s; the tables must lead to every host", rd->name,
        cop_topo_host_name(rd->t, dst, h, sizeof(h)), cop_topo_switch_name(rd->t, sw, s, sizeof(s)),
        what);
}

/* Follow the entries for dst from sw. state[]: 0 not seen, 1 on this walk, 2 leads to dst. */
static int follow(const tables *rd, uint32_t sw, uint32_t dst, uint8_t *state, uint32_t *path)
{
    const cop_topo *t = rd->t;
    uint32_t n = 0;
    while (state[sw] != 2) {
        uint16_t local = rd->lft[(size_t)sw * t->n_hosts + dst];
        if (local == UINT16_MAX)
            return bad_path(rd, sw, dst,
                            t->host_lid != NULL && t->host_lid[dst] != 0
                                ? "has no entry for it"
                                : "has no entry that names it, and its LID is unknown");
        if (state[sw] == 1)
            return bad_path(rd, sw, dst, "gets its packets back, in a circle");
        state[sw] = 1;
        path[n++] = sw;
        uint32_t to = t->port[cop_topo_switch_port(t, sw, local)].to;
        if (to == cop_topo_host_port(t, dst))
            break;
        if (cop_topo_is_host_port(t, to))
            return bad_path(rd, sw, dst, "sends its packets to another host");
        sw = t->port[to].owner;
    }
    while (n > 0)
        state[path[--n]] = 2;
    return 0;
}

int cop_lft_check(const cop_topo *t, const uint16_t *lft, const char *name, cop_err *err)
{
    const tables all = {.t = t, .lft = lft, .name = name, .err = err}, *rd = &all;
    uint8_t *state = cop_alloc(t->n_switches);
    uint32_t *path = cop_alloc_array(t->n_switches, sizeof(*path));
    int rc = 0;
    for (uint32_t dst = 0; dst < t->n_hosts && rc == 0; dst++) {
        memset(state, 0, t->n_switches);
        for (uint32_t src = 0; src < t->n_hosts && rc == 0; src++)
            rc = follow(rd, cop_topo_entry_switch(t, src), dst, state, path);
    }
    cop_free(state);
    cop_free(path);
    return rc;
}
