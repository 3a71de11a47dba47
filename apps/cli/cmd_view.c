/* coppice view RESULTS.db: play a stored run in the browser, as `run --live` shows one that goes on. */
#include "base/opt.h"
#include "cli.h"
#include "live.h"
#include "store/store.h"

#include <string.h>
#include <time.h>

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

static void tell_ports(cop_live *l, const cop_result *r)
{
    const char **name = cop_alloc_array(2 * ((size_t)r->n_ports + 1), sizeof(*name));
    const char **to = name + r->n_ports;
    for (uint32_t i = 0; i < r->n_ports; i++) {
        name[i] = r->port[i].name;
        to[i] = r->port[i].to;
    }
    cop_run_ports p = {.n_ports = r->n_ports,
                       .n_hosts = r->n_hosts,
                       .n_switches = r->n_switches,
                       .name = name,
                       .to = to,
                       .duration = r->sim_time};
    cop_live_ports(l, &p);
    cop_free(name);
}

/* Frames one after the other; a browser may ask for another one. After the last it waits. */
static int play(cop_store *s, int64_t run, cop_result *r, cop_live *l)
{
    cop_tree_frame *trees = cop_alloc_array((size_t)r->n_tree_frames + 1, sizeof(*trees));
    cop_err err = {0};
    int rc = 1;
    for (size_t i = 0; rc > 0 && cop_live_open(l);) {
        cop_arena arena = {0};
        cop_frame f;
        if (i < r->n_frames)
            rc = cop_store_frame(s, run, (uint32_t)i, r->n_ports, &f, &arena, &err);
        if (i < r->n_frames && rc > 0) {
            cop_tree_now now = {
                .frame = &f, .tree = trees, .n_ports = r->n_ports, .number = (uint32_t)i};
            for (uint32_t k = 0; k < r->n_tree_frames; k++)
                if (r->tree_frame[k].frame == i) {
                    trees[now.n_trees] = r->tree_frame[k];
                    trees[now.n_trees++].tree++;
                }
            cop_live_trees(l, &now);
        }
        cop_arena_free(&arena);
        struct timespec gap = {.tv_nsec = 50000000};
        nanosleep(&gap, NULL);
        size_t wanted = cop_live_wanted(l);
        i = wanted < r->n_frames ? wanted : i < r->n_frames ? i + 1 : i;
    }
    cop_free(trees);
    return rc < 0 ? cop_cli_faults(&err) : COP_EXIT_OK;
}

static int show(const request *q)
{
    cop_store *s = NULL;
    cop_err err = {0};
    cop_result r = {0};
    cop_live *l = NULL;
    if (cop_store_open(&s, q->file, false, &err) != 0)
        return cop_cli_faults(&err);
    int64_t run = q->run ? q->run : cop_store_newest_frames(s, &err);
    int rc = run > 0 ? cop_store_load(s, run, &r, &err) : (int)run;
    if (rc == 0 || (rc > 0 && r.n_frames == 0))
        rc = cop_err_add(
            &err, COP_E_INPUT,
            "%s: %s; store one with `coppice run FILE --set run.trees=yes --db %s`", q->file,
            q->run ? "there is no such run, or it has no pictures" : "no run has pictures to play",
            q->file);
    int status = rc < 0 ? cop_cli_faults(&err) : cop_live_start(&l, q->file, stderr);
    if (status == COP_EXIT_OK) {
        tell_ports(l, &r);
        status = play(s, run, &r, l);
        cop_live_close(l);
    }
    cop_arena_free(&r.arena);
    cop_store_close(s);
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
