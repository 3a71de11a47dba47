/* coppice view RESULTS.db: play a stored run in the browser, as `run --live` shows one that goes on. */
#include "base/opt.h"
#include "cli.h"
#include "live.h"
#include "report/report.h"
#include "store/store.h"

#include <string.h>

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

/* What is to be shown: a stored run. */
typedef struct shown {
    cop_store *store;
    int64_t run;
    cop_result result;
    char name[128], topology[32];
} shown;

static int note_run(void *user, const cop_store_entry *e)
{
    shown *v = user;
    size_t n = 0;
    if (e->id != v->run)
        return 0;
    const char *kind = cop_report_topology(e->config_text, &n);
    snprintf(v->topology, sizeof(v->topology), "%.*s", (int)n, kind ? kind : "");
    snprintf(v->name, sizeof(v->name), "%s", e->title[0] ? e->title : e->name);
    return 1;
}

static void tell_ports(cop_live *l, const shown *v)
{
    const cop_result *r = &v->result;
    size_t all = 2 * (size_t)r->n_ports + r->n_nodes;
    const char **name = cop_alloc_array(all + 1, sizeof(*name));
    const char **to = name + r->n_ports, **host = to + r->n_ports;
    for (uint32_t i = 0; i < r->n_ports; i++) {
        name[i] = r->port[i].name;
        to[i] = r->port[i].to;
    }
    for (uint32_t i = 0; i < r->n_nodes; i++)
        host[i] = r->node[i].name;
    cop_run_ports p = {.n_ports = r->n_ports,
                       .n_hosts = r->n_nodes,
                       .n_switches = r->n_switches,
                       .name = name,
                       .to = to,
                       .host = host,
                       .topology = v->topology,
                       .duration = r->sim_time};
    cop_live_ports(l, &p);
    cop_free(name);
}

static int film_frame(void *ctx, uint32_t number, cop_frame *f, cop_arena *arena, cop_err *err)
{
    const shown *v = ctx;
    return cop_store_frame(v->store, v->run, number, v->result.n_ports, f, arena, err);
}

static int film_parts(void *ctx, cop_tree_frame *f, cop_arena *arena, cop_err *err)
{
    const shown *v = ctx;
    int rc = cop_store_tree_parts(v->store, v->run, f, arena, err);
    return rc < 0 ? rc : 1;
}

static int play(shown *v)
{
    cop_err err = {0};
    cop_live *l = NULL;
    cop_live_film film = {.result = &v->result, .frame = film_frame, .parts = film_parts, .ctx = v};
    int rc = cop_store_runs(v->store, note_run, v, &err);
    if (rc < 0)
        return cop_cli_faults(&err);
    int status = cop_live_start(&l, v->name, false, stderr);
    if (status != COP_EXIT_OK)
        return status;
    tell_ports(l, v);
    rc = cop_live_play(l, &film, &err);
    cop_live_close(l);
    return rc < 0 ? cop_cli_faults(&err) : COP_EXIT_OK;
}

static int show(const request *q)
{
    shown v = {0};
    cop_err err = {0};
    if (cop_store_open(&v.store, q->file, false, &err) != 0)
        return cop_cli_faults(&err);
    v.run = q->run ? q->run : cop_store_newest_frames(v.store, &err);
    int rc = v.run > 0 ? cop_store_load(v.store, v.run, &v.result, &err) : (int)v.run;
    if (rc == 0 || (rc > 0 && v.result.n_frames == 0))
        rc = cop_err_add(
            &err, COP_E_INPUT,
            "%s: %s; store one with `coppice run FILE --set run.trees=yes --db %s`", q->file,
            q->run ? "there is no such run, or it has no pictures" : "no run has pictures to play",
            q->file);
    int status = rc < 0 ? cop_cli_faults(&err) : play(&v);
    cop_arena_free(&v.result.arena);
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
    .help =
        "play a stored run in a browser on this machine\n"
        "\n"
        "The run must have been stored with run.trees. The address that is printed works on this\n"
        "machine only, and only as it is printed. It ends with `close` on the page or Ctrl-C.\n"
        "\n"
        "Options\n"
        "  -r, --run N  this run; else the newest that has pictures\n"
        "  -h, --help   this text\n"
        "\n"
        "Examples\n"
        "  coppice run fabric.yaml --set run.trees=yes --db results.db && coppice view "
        "results.db\n",
    .run = run_view};
