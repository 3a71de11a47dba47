/* What figures of a run are drawn in: µs, KiB and Gbit/s, or the cycles and flits of its run file. The database has SI units
 * and, as scalars, what a cycle and a flit are (docs/RESULTS.md). */
#include "report/runs.h"

#include <string.h>

static int find_units(void *user, const cop_cell *cells, size_t n)
{
    cop_drawing *d = user;
    const char *name = cop_report_column(cells, n, "name").text;
    double v = cop_report_column(cells, n, "value").real;
    if (v > 0.0 && strcmp(name, "units.cycle_ns") == 0)
        d->cycle_ns = v;
    else if (v > 0.0 && strcmp(name, "units.flit_bytes") == 0)
        d->flit_bytes = v;
    return 0;
}

int cop_report_read_units(cop_drawing *d)
{
    return cop_store_browse(d->store, COP_BROWSE_SCALAR, d->id, find_units, d, d->err);
}

double cop_report_latency(const cop_drawing *d, double ns)
{
    return ns / (d->cycle_ns > 0.0 ? d->cycle_ns : 1e3);
}

const char *cop_report_latency_unit(const cop_drawing *d)
{
    return d->cycle_ns > 0.0 ? "cycles" : "µs";
}

double cop_report_queue(const cop_drawing *d, double bytes)
{
    return bytes / (d->flit_bytes > 0.0 ? d->flit_bytes : 1024.0);
}

const char *cop_report_queue_unit(const cop_drawing *d)
{
    return d->flit_bytes > 0.0 ? "flits" : "KiB";
}

bool cop_report_in_flits(const cop_drawing *d)
{
    return d->cycle_ns > 0.0 && d->flit_bytes > 0.0;
}

double cop_report_rate(const cop_drawing *d, double gbps)
{
    return cop_report_in_flits(d) ? gbps * d->cycle_ns / 8.0 / d->flit_bytes : gbps;
}
