/* coppice run FILE.yaml: simulate one configuration, show the result, store it if asked. */
#include "base/opt.h"
#include "base/text.h"
#include "cli.h"
#include "exp/plugins.h"
#include "exp/run.h"
#include "live.h"
#include "progress.h"
#include "show.h"
#include "store/store.h"
#include "timeline.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct request {
    const char *file, *db, *watch, *timeline;
    bool json, quiet, help, live, wait;
    cop_override *set; /* owned */
    size_t n_set, set_capacity;
    cop_plugin_set plugins; /* from outside */
    char seed[64]; /* "run.seed=N"; empty: not given */
} request;

static const struct option long_options[] = {{"set", required_argument, NULL, 's'},
                                             {"seed", required_argument, NULL, 'S'},
                                             {"db", required_argument, NULL, 'd'},
                                             {"json", no_argument, NULL, 'j'},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"watch", required_argument, NULL, 'w'},
                                             {"timeline", required_argument, NULL, 't'},
                                             {"live", optional_argument, NULL, 'L'},
                                             {"plugin", required_argument, NULL, 'p'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static void add_override(request *q, const char *text)
{
    q->set = cop_grow(q->set, &q->set_capacity, q->n_set + 1, sizeof(*q->set));
    q->set[q->n_set++] = (cop_override){.text = text, .here = true};
}

static int parse(request *q, int argc, char **argv)
{
    int got;
    int64_t seed;
    while ((got = getopt_long(argc, argv, ":s:d:jqw:p:h", long_options, NULL)) != -1) {
        switch (got) {
        case 's':
            add_override(q, optarg);
            break;
        case 'S':
            if (cop_parse_int(optarg, &seed, NULL) != 0 || seed < 0)
                return cop_cli_usage(&cop_cmd_run,
                                     "--seed `%s` is not a seed; give an integer from 0", optarg);
            snprintf(q->seed, sizeof(q->seed), "run.seed=%" PRId64, seed);
            break;
        case 'd':
            q->db = optarg;
            break;
        case 'j':
            q->json = true;
            break;
        case 'q':
            q->quiet = true;
            break;
        case 'w':
            q->watch = optarg;
            break;
        case 't':
            q->timeline = optarg;
            break;
        case 'p':
            if (cop_cli_plugin(&q->plugins, optarg) != COP_EXIT_OK)
                return COP_EXIT_INPUT;
            break;
        case 'L':
            q->live = true;
            q->wait = optarg != NULL;
            if (optarg != NULL && strcmp(optarg, "paused") != 0)
                return cop_cli_usage(
                    &cop_cmd_run, "--live=`%s` is not known; give --live or --live=paused", optarg);
            break;
        case 'h':
            q->help = true;
            return COP_EXIT_OK;
        default:
            return cop_cli_bad_option(&cop_cmd_run, long_options, got, argv);
        }
    }
    if (optind + 1 != argc)
        return cop_cli_usage(&cop_cmd_run, "%s; give one YAML file (`coppice run --help` explains)",
                             optind < argc ? "more than one file" : "no file");
    q->file = argv[optind];
    if (q->live || q->timeline != NULL)
        add_override(q, "run.trees=yes");
    if (q->seed[0] != '\0')
        add_override(q, q->seed);
    return COP_EXIT_OK;
}

/* Can the database be written? Asked before the simulation, which may take hours. A file that does
 * not exist yet is not made now: bad input must leave nothing behind. */
static int check_db(const char *path)
{
    if (access(path, F_OK) == 0) {
        cop_store *s = NULL;
        cop_err err = {0};
        if (cop_store_open(&s, path, true, &err) != 0)
            return cop_cli_faults(&err);
        cop_store_close(s);
        return COP_EXIT_OK;
    }
    char directory[4096];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    if (access(directory[0] ? directory : "/", W_OK) == 0)
        return COP_EXIT_OK;
    fprintf(stderr, "%s: cannot be written: %s; give --db a file in a writable directory\n", path,
            strerror(errno));
    return COP_EXIT_INPUT;
}

static int store(const request *q, cop_config *c, uint64_t hash, const cop_result *r,
                 const char *command, const char *started_at)
{
    cop_err err = {0};
    int64_t id = 0;
    cop_store_meta meta = {.name = c->name,
                           .title = c->title,
                           .config_text = cop_config_print(c),
                           .version = COP_VERSION,
                           .model = cop_model_id(),
                           .behaviour = cop_behaviour_id(),
                           .command = command,
                           .started_at = started_at,
                           .seed = c->run.seed,
                           .config_hash = hash};
    if (cop_store_run(q->db, &meta, r, &id, &err) != 0)
        return cop_cli_faults(&err);
    if (!q->quiet)
        fprintf(stderr, "stored as run %" PRId64 " in %s\n", id, q->db);
    return COP_EXIT_OK;
}

/* Where the run goes besides its result. */
typedef struct views {
    cop_timeline timeline;
    cop_live *live;
} views;

static int open_views(const request *q, const cop_config *c, views *v, cop_run_hooks *hooks)
{
    int status = COP_EXIT_OK;
    if (q->timeline != NULL) {
        status = cop_timeline_open(&v->timeline, q->timeline);
        hooks->packet = cop_timeline_packet;
        hooks->packet_ctx = &v->timeline;
        if (q->watch == NULL) { /* some packets of each source, for the timeline only */
            hooks->watch = "count=20";
            hooks->watch_out = NULL;
        }
    }
    if (status == COP_EXIT_OK && q->live) {
        status = cop_live_start(&v->live, c->name, q->wait, stderr);
        hooks->ports = cop_live_ports;
        hooks->trees = cop_live_trees;
        hooks->trees_ctx = v->live;
    }
    return status;
}

/* Frames of the run are still in its result. */
static int film_frame(void *ctx, uint32_t number, cop_frame *f, cop_arena *arena, cop_err *err)
{
    (void)arena;
    (void)err;
    *f = ((const cop_result *)ctx)->frame[number];
    return 1;
}

/* There is not a census at every sample: the last one holds. */
static int film_parts(void *ctx, cop_tree_frame *f, cop_arena *arena, cop_err *err)
{
    const cop_result *r = ctx;
    (void)arena;
    (void)err;
    for (uint32_t k = 0; k < r->n_tree_frames && !f->counted; k++) {
        const cop_tree_frame *o = &r->tree_frame[k];
        if (o->tree != f->tree || o->frame > f->frame || !o->counted)
            continue;
        f->contributor = o->contributor;
        f->n_contributors = o->n_contributors;
        f->victim = o->victim;
        f->n_victims = o->n_victims;
    }
    f->counted = true;
    return 1;
}

static const cop_live_film *only_film(void *ctx, int64_t run, unsigned pane, cop_err *err)
{
    (void)pane;
    (void)err;
    return run == 0 ? ctx : NULL;
}

static int close_views(const request *q, views *v, const cop_result *r)
{
    int status = COP_EXIT_OK;
    if (v->timeline.out != NULL)
        status = cop_timeline_close(&v->timeline, q->timeline, r);
    if (v->live != NULL) {
        cop_err err = {0};
        cop_live_film film = {
            .result = r, .frame = film_frame, .parts = film_parts, .ctx = (void *)(uintptr_t)r};
        cop_live_films films = {.open = only_film, .ctx = &film};
        fflush(stdout);
        if (cop_live_play(v->live, &films, &err) != 0)
            status = cop_cli_faults(&err);
        cop_live_close(v->live);
    }
    return status;
}

static int simulate(const request *q, cop_config *c, const char *command)
{
    char started_at[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(started_at, sizeof(started_at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    cop_progress progress;
    cop_progress_start(&progress, stderr, q->quiet);
    cop_run_hooks hooks = {.watch = q->watch,
                           .watch_out = stderr,
                           .progress = q->quiet ? NULL : cop_progress_step,
                           .progress_ctx = &progress};
    cop_err err = {0};
    cop_result result = {0};
    /* Hash the files now: they may have changed when a long run has ended. */
    uint64_t hash = q->db != NULL ? cop_config_hash(c) : 0;
    views v = {0};
    int status = open_views(q, c, &v, &hooks);
    if (status != COP_EXIT_OK)
        return status;
    int rc = cop_run(c, &hooks, &result, &err);
    cop_progress_end(&progress);
    if (rc != 0) {
        cop_live_close(v.live);
        if (v.timeline.out != NULL)
            (void)cop_timeline_close(&v.timeline, q->timeline, NULL);
        return cop_cli_faults(&err);
    }
    if (q->json)
        cop_show_json(stdout, c, &result); /* main() reports what could not be written */
    else
        cop_show_result(stdout, c, &result, cop_cli_style(stdout));
    if (q->db != NULL)
        status = store(q, c, hash, &result, command, started_at);
    if (result.outcome != COP_OUTCOME_OK) {
        fflush(stdout);
        char *detail = cop_arena_strdup(&result.arena, result.detail ? result.detail : "");
        (void)cop_plain_lines(detail); /* a deadlock names ports, one cycle per line */
        fprintf(stderr, "coppice: %s\n",
                detail[0] ? detail : cop_outcome_name((int)result.outcome));
        status = status == COP_EXIT_OK ? COP_EXIT_RESULT : status;
    }
    if (q->watch != NULL && ferror(stderr)) { /* perhaps this line comes through */
        clearerr(stderr);
        fputs(
            "--watch: standard error could not be written, a part of the trace is missing; is the "
            "disk full?\n",
            stderr);
        status = COP_EXIT_INPUT;
    }
    int shown = close_views(q, &v, &result);
    cop_result_free(&result);
    return status == COP_EXIT_OK ? shown : status;
}

/* What the user typed, for the database. getopt may have reordered the words. */
static char *command_text(int argc, char **argv)
{
    size_t size = sizeof("coppice");
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = cop_alloc(size);
    char *end = stpcpy(text, "coppice");
    for (int i = 0; i < argc; i++) {
        *end++ = ' ';
        end = stpcpy(end, argv[i]);
    }
    return text;
}

static int run_run(int argc, char **argv)
{
    request q = {0};
    cop_config c = {0};
    cop_err err = {0};
    char *command = command_text(argc, argv);
    int status = parse(&q, argc, argv);
    if (q.help) {
        cop_cli_help(&cop_cmd_run, stdout);
    } else if (status == COP_EXIT_OK) {
        if (cop_config_load_with(&c, &q.plugins, q.file, NULL, q.set, q.n_set, &err) != 0)
            status = cop_cli_faults(&err);
        else if (q.db != NULL)
            status = check_db(q.db);
        if (status == COP_EXIT_OK)
            status = simulate(&q, &c, command);
        cop_config_free(&c);
    }
    cop_free(q.set);
    cop_plugins_free(&q.plugins);
    cop_free(command);
    return status;
}

const cop_command cop_cmd_run = {
    .name = "run",
    .usage =
        "run FILE.yaml [--set key.path=value]... [--seed N] [--db FILE] [--json] [--quiet]\n"
        "                   [--watch SPEC] [--timeline FILE] [--live[=paused]] [--plugin FILE]",
    .help =
        "simulate one configuration and show the result\n"
        "\n"
        "FILE.yaml holds the configuration; `-` reads it from standard input. `coppice list` "
        "names\n"
        "what can stand in it, docs/CONFIG.md explains every option.\n"
        "\n"
        "Options\n"
        "  -s, --set KEY.PATH=VALUE  change one option: switch.buffer=\"64 KiB\", cc.kind=none,\n"
        "                            traffic.0.rate=\"5 Gbit/s\", traffic.F1.from=\"[0, 2-7]\"; "
        "may be\n"
        "                            given several times. A new `kind` drops the options that the\n"
        "                            file gave to the old one.\n"
        "      --seed N              the same as --set run.seed=N\n"
        "  -d, --db FILE             store the result in this SQLite file (made if need be)\n"
        "  -j, --json                print one JSON object instead of tables\n"
        "  -q, --quiet               no progress on standard error\n"
        "  -w, --watch SPEC          print every step of chosen packets on standard error:\n"
        "                            src=3,dst=7,from=12,count=5 (any part may be left out), of\n"
        "                            what answers them, and marks, stops and pauses at ports at\n"
        "                            which they wait\n"
        "      --timeline FILE       write packets (of --watch, else 20 of each host), queues and\n"
        "                            congestion trees for Perfetto (ui.perfetto.dev)\n"
        "      --live[=paused]       show the run in a browser on this machine while it goes on, "
        "and\n"
        "                            all of it afterwards, until it is closed. paused: wait at "
        "the\n"
        "                            beginning until the page says `Go on`\n" COP_CLI_PLUGIN_HELP
        "  -h, --help                this text\n"
        "\n"
        "Results go to standard output; progress, traces and faults to standard error.\n"
        "\n"
        "Examples\n"
        "  coppice run fabric.yaml\n"
        "  coppice run fabric.yaml --set cc.kind=none --seed 2 --json > none-2.json\n"
        "  coppice run fabric.yaml --quiet --db results.db > summary.txt\n",
    .run = run_run};
