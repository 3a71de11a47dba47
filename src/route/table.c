/* The routing `table`: forwarding tables read from a file (lft.c has the format).
 * One path per (switch, destination), lane 0. The dependency check finds whether the tables can
 * deadlock. */
#include "base/file.h"
#include "route/route_cfg.h"
#include "route/spread.h"

/* Tables of 3,500 hosts take 200 MB. */
#define MAX_FILE_BYTES ((size_t)4 << 30)

static int table_setup(cop_route *r, const void *config, cop_err *err)
{
    const cop_table_cfg *cfg = config;
    if (cfg->path == NULL || cfg->path[0] == '\0')
        return cop_err_add(err, COP_E_INPUT,
                           "routing table: path is empty; must name a file like opensm-lfts.dump");
    const cop_topo *t = r->topo;
    r->facts.single = r->facts.memoryless = true;
    r->lft = COP_NEW_ARRAY(&r->arena, uint16_t, cop_product(t->n_switches, t->n_hosts));
    char *text = NULL;
    size_t len = 0;
    int rc = cop_file_read(cfg->path, MAX_FILE_BYTES, &text, &len, err);
    if (rc == 0)
        rc = cop_lft_parse_text(t, r->lft, cfg->path, text, len, err);
    cop_free(text);
    return rc;
}

static const cop_opt table_opts[] = {
    {"path", COP_OPT_STRING, offsetof(cop_table_cfg, path), NULL, 0, 0, NULL,
     "file with the forwarding tables: opensm-lfts.dump, opensm.fdbs or the output of dump_lfts"},
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
