/* The routing `table`: forwarding tables read from a file (lft.c has the format).
 * One path per (switch, destination), lane 0. Whether the tables can deadlock is for the dependency
 * check to find. */
#include "route/route_cfg.h"
#include "route/spread.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The whole file; *len bytes, freed by the caller. */
static int read_file(const char *path, char **text, size_t *len, cop_err *err)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return cop_err_add(err, COP_E_IO, "cannot open %s: %s", path, strerror(errno));
    char *buf = NULL;
    size_t n = 0, cap = 0, got;
    do {
        buf = cop_grow(buf, &cap, n + 65536, 1);
        got = fread(buf + n, 1, cap - n, f);
        n += got;
    } while (got > 0);
    int rc = 0;
    if (ferror(f))
        rc = cop_err_add(err, COP_E_IO, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    *text = buf;
    *len = n;
    return rc;
}

static int table_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_table_cfg *cfg = config;
    if (cfg->path == NULL || cfg->path[0] == '\0')
        return cop_err_add(err, COP_E_INPUT,
                           "routing table: path is empty; must name a file like opensm-lfts.dump");
    const cop_topo *t = r->topo;
    r->vls = 1;
    r->max_cand = 1;
    r->single = r->memoryless = true;
    r->lft = COP_NEW_ARRAY(&r->arena, uint16_t, (size_t)t->n_switches * t->n_hosts);
    char *text = NULL;
    size_t len = 0;
    int rc = read_file(cfg->path, &text, &len, err);
    if (rc == 0)
        rc = cop_lft_parse_text(t, r->lft, cfg->path, text, len, err);
    cop_free(text);
    return rc;
}

static const cop_opt table_opts[] = {
    {"path", COP_OPT_STRING, offsetof(cop_table_cfg, path), NULL, 0, 0, NULL,
     "file with the forwarding tables: opensm-lfts.dump or the output of dump_lfts"},
    {0}};

const cop_route_ops cop_route_table = {
    .name = "table",
    .summary = "a real fabric: the forwarding tables OpenSM or dump_lfts wrote",
    .source = "opensm(8), dump_lfts(8)",
    .opts = table_opts,
    .cfg_size = sizeof(cop_table_cfg),
    .in_order = true,
    .setup = table_setup,
    .route = cop_spread_route,
};
