/* Shared by runs.c and ports.c: the figures of one run while they are drawn. Private to src/report. */
#ifndef COP_REPORT_RUNS_H
#define COP_REPORT_RUNS_H

#include "base/mem.h"
#include "report/report_int.h"

typedef struct cop_drawing {
    cop_store *store;
    json_t *run, *figures; /* borrowed */
    int64_t id;
    double sample_ns; /* of every series */
    double ns_per_unit; /* of the time axis */
    const char *time_unit;
    double cycle_ns, flit_bytes; /* `units` of the run file; 0: not given */
    cop_arena arena;
    cop_err *err;
} cop_drawing;

json_t *cop_report_axis(const char *label, const char *unit, bool log);
json_t *cop_report_time_axis(const cop_drawing *d);
/* A stored series as a curve, each value times `scale`; neighbours are averaged if there are more than one can see. */
int cop_report_add_series(cop_drawing *d, json_t *curves, const char *series, const char *name,
                          double scale);
/* A new figure of the run. */
json_t *cop_report_figure(cop_drawing *d, const char *name, const char *title, const char *kind);

typedef struct cop_report_port {
    const char *name, *to;
    double use, queue, most; /* queue: mean; bytes */
} cop_report_port;

typedef struct cop_report_ports {
    cop_report_port *port; /* heap */
    size_t n, cap;
    cop_drawing *d;
} cop_report_ports;

/* units.c: the cycle and the flit of the run. */
int cop_report_read_units(cop_drawing *d);
/* Latencies: ns to the unit they are drawn in, and its name: µs, or cycles. Queues: KiB, or flits. Rates: Gbit/s, or flits
 * per cycle; of a figure in which values are those of one node flits per cycle and node. */
double cop_report_latency(const cop_drawing *d, double ns);
const char *cop_report_latency_unit(const cop_drawing *d);
double cop_report_queue(const cop_drawing *d, double bytes);
const char *cop_report_queue_unit(const cop_drawing *d);
bool cop_report_in_flits(const cop_drawing *d);
double cop_report_rate(const cop_drawing *d, double gbps);

/* observed.c: births, and what `run.observe` and the queueing scheme stored. */
int cop_report_draw_observed(cop_drawing *d);

/* ports.c: read all ports of the run; the busiest links or the longest queues; the network. */
int cop_report_read_ports(cop_report_ports *l);
void cop_report_draw_bars(cop_drawing *d, const cop_report_ports *l, bool queues);
int cop_report_draw_network(cop_drawing *d, const cop_report_ports *l);
/* Nodes, links, frames and trees as members of the figure f. */
int cop_report_fill_network(cop_drawing *d, const cop_report_ports *l, const char *config,
                            json_t *f);
/* ranks.c: jobs, collectives and the timeline of ranks; nothing if the run had no application. */
int cop_report_draw_ranks(cop_drawing *d);
/* frames.c: what changes over time, if the run stored it. */
int cop_report_add_frames(cop_drawing *d, json_t *f);

#endif
