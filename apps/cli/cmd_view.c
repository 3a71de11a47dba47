/* coppice view RESULTS.db: play stored runs in the browser, as `run --live` shows one that goes on; the page chooses
 * among them, and shows two side by side. */
#include "base/opt.h"
#include "cli.h"
#include "live.h"
#include "report/report.h"
#include "store/store.h"

#include <jansson.h>
#include <string.h>

#define MAX_RUNS 200 /* to choose from */

static const struct option long_options[] = {
    {"run", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

typedef struct request {
    const char *file;
    int64_t run; /* 0: the newest with frames */
    bool help;
} request;

static int parse(request *q, int argc, char **argv)
{
    int got;
    while ((got = getopt_long(argc, argv, ":r:h", long_options, NULL)) != -1) {
        switch (got) {
        case 'r':
            if (cop_parse_int(optarg, &q->run, NULL) != 0 || q->run <= 0)
                return cop_cli_usage(&cop_cmd_view,
                                     "--run `%s` is not the number of a run; give one from 1",
                                     optarg);
            break;
        case 'h':
            q->help = true;
            return COP_EXIT_OK;
        default:
            return cop_cli_bad_option(&cop_cmd_view, long_options, got, argv);
        }
    }
    if (optind + 1 != argc)
        return cop_cli_usage(&cop_cmd_view,
                             "%s; give one result file (`coppice view --help` explains)",
                             optind < argc ? "more than one file" : "no file");
    q->file = argv[optind];
    return COP_EXIT_OK;
}

typedef struct shown { /* what one pane has */
    cop_store *store;
    int64_t run; /* 0: nothing */
    cop_result result;
    cop_run_ports ports;
    const char **name; /* of its ports, their far ends, and hosts */
    char topology[32];
    cop_live_film film;
} shown;

typedef struct view {
    cop_store *store;
    int64_t first; /* run to begin with */
    json_t *runs; /* newest first */
    char title[128]; /* of the first */
    shown pane[COP_LIVE_PANES];
    cop_live *live;
} view;

static json_t *text(const char *s)
{
    json_t *o = json_string(s);
    return o ? o : json_string("?");
}

/* Runs with frames, newest first, as many as a list can show. */
static int list_run(void *user, const cop_store_entry *e)
{
    view *v = user;
    cop_err unused = {0};
    if (cop_store_has_frames(v->store, e->id, &unused) <= 0)
        return 0;
    if (e->id == v->first)
        snprintf(v->title, sizeof(v->title), "%s", e->title[0] ? e->title : e->name);
    json_array_insert_new(v->runs, 0,
                          json_pack("{sI,so,so,so}", "id", (json_int_t)e->id, "name", text(e->name),
                                    "title", text(e->title), "config", text(e->config_text)));
    if (json_array_size(v->runs) > MAX_RUNS)
        json_array_remove(v->runs, MAX_RUNS);
    return 0;
}

static int film_frame(void *ctx, uint32_t number, cop_frame *f, cop_arena *arena, cop_err *err)
{
    const shown *p = ctx;
    return cop_store_frame(p->store, p->run, number, p->result.n_ports, f, arena, err);
}

static int film_parts(void *ctx, cop_tree_frame *f, cop_arena *arena, cop_err *err)
{
    const shown *p = ctx;
    int rc = cop_store_tree_parts(p->store, p->run, f, arena, err);
    return rc < 0 ? rc : 1;
}

static void forget(shown *p)
{
    cop_arena_free(&p->result.arena);
    cop_free(p->name);
    *p = (shown){.store = p->store};
}

static void name_ports(shown *p)
{
    const cop_result *r = &p->result;
    size_t all = 2 * (size_t)r->n_ports + r->n_nodes;
    p->name = cop_alloc_array(all + 1, sizeof(*p->name));
    const char **to = p->name + r->n_ports, **host = to + r->n_ports;
    for (uint32_t i = 0; i < r->n_ports; i++) {
        p->name[i] = r->port[i].name;
        to[i] = r->port[i].to;
    }
    for (uint32_t i = 0; i < r->n_nodes; i++)
        host[i] = r->node[i].name;
    p->ports = (cop_run_ports){.n_ports = r->n_ports,
                               .n_hosts = r->n_nodes,
                               .n_switches = r->n_switches,
                               .name = p->name,
                               .to = to,
                               .host = host,
                               .topology = p->topology,
                               .duration = r->sim_time};
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, "units.cycle_ns") == 0)
            p->ports.units.cycle_ps = (uint64_t)(r->scalar[i].value * 1e3 + 0.5);
        else if (strcmp(r->scalar[i].name, "units.flit_bytes") == 0)
            p->ports.units.flit_bytes = (uint64_t)r->scalar[i].value;
}

/* 1, 0 if there is no such run or it has no frames, or a fault. */
static int load(shown *p, int64_t run, const char *config, cop_err *err)
{
    size_t n = 0;
    forget(p);
    int rc = cop_store_load(p->store, run, &p->result, err);
    if (rc <= 0 || p->result.n_frames == 0) {
        forget(p);
        return rc < 0 ? rc : 0;
    }
    const char *kind = cop_report_topology(config, &n);
    snprintf(p->topology, sizeof(p->topology), "%.*s", (int)n, kind ? kind : "");
    name_ports(p);
    p->run = run;
    p->film = (cop_live_film){.run = run,
                              .ports = &p->ports,
                              .result = &p->result,
                              .frame = film_frame,
                              .parts = film_parts,
                              .ctx = p};
    return 1;
}

static const cop_live_film *open_run(void *ctx, int64_t run, unsigned pane, cop_err *err)
{
    view *v = ctx;
    shown *p = &v->pane[pane];
    const char *config = "";
    run = run ? run : v->first;
    for (size_t i = 0; i < json_array_size(v->runs); i++) {
        json_t *o = json_array_get(v->runs, i);
        if (json_integer_value(json_object_get(o, "id")) == run)
            config = json_string_value(json_object_get(o, "config"));
    }
    if (p->run != run && load(p, run, config, err) <= 0)
        return NULL;
    return &p->film;
}

static int play(view *v)
{
    cop_err err = {0};
    cop_live_films films = {.open = open_run, .runs = v->runs, .ctx = v};
    int status = cop_live_start(&v->live, v->title, false, stderr);
    if (status != COP_EXIT_OK)
        return status;
    int rc = cop_live_play(v->live, &films, &err);
    cop_live_close(v->live);
    return rc < 0 ? cop_cli_faults(&err) : COP_EXIT_OK;
}

static int show(const request *q)
{
    view v = {.runs = json_array()};
    cop_err err = {0};
    if (cop_store_open(&v.store, q->file, false, &err) != 0) {
        json_decref(v.runs);
        return cop_cli_faults(&err);
    }
    for (unsigned i = 0; i < COP_LIVE_PANES; i++)
        v.pane[i].store = v.store;
    v.first = q->run ? q->run : cop_store_newest_frames(v.store, &err);
    int rc = v.first > 0 ? cop_store_runs(v.store, list_run, &v, &err) : (int)v.first;
    if (rc >= 0)
        rc = v.first > 0 ? cop_store_has_frames(v.store, v.first, &err) : 0;
    if (rc == 0)
        rc = cop_err_add(
            &err, COP_E_INPUT,
            "%s: %s; store one with `coppice run FILE --set run.trees=yes --db %s`", q->file,
            q->run ? "there is no such run, or it has no pictures" : "no run has pictures to play",
            q->file);
    int status = rc < 0 ? cop_cli_faults(&err) : play(&v);
    for (unsigned i = 0; i < COP_LIVE_PANES; i++)
        forget(&v.pane[i]);
    json_decref(v.runs);
    cop_store_close(v.store);
    return status;
}

static int run_view(int argc, char **argv)
{
    request q = {0};
    int status = parse(&q, argc, argv);
    if (q.help)
        cop_cli_help(&cop_cmd_view, stdout);
    else if (status == COP_EXIT_OK)
        status = show(&q);
    return status;
}

const cop_command cop_cmd_view = {
    .name = "view",
    .usage = "view RESULTS.db [--run N]",
    .help = "play stored runs in a browser on this machine\n"
            "\n"
            "Runs must have been stored with run.trees; the page chooses among them, and shows two "
            "of them\n"
            "side by side on one clock. The address that is printed works on this machine only, "
            "and only\n"
            "as it is printed. It ends with `close` on the page or Ctrl-C.\n"
            "\n"
            "Options\n"
            "  -r, --run N  begin with this run; else with the newest that has pictures\n"
            "  -h, --help   this text\n"
            "\n"
            "Examples\n"
            "  coppice run fabric.yaml --set run.trees=yes --db results.db && coppice view "
            "results.db\n",
    .run = run_view};
