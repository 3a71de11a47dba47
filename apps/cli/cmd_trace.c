/* coppice trace FILE: checks a program and prints facts of it. Simulates nothing. */
#include "app/read.h"
#include "app/waits.h"
#include "base/opt.h"
#include "base/text.h"
#include "cli.h"

#include <string.h>

static const struct option long_options[] = {{"calc-unit", required_argument, NULL, 'u'},
                                             {"eager", required_argument, NULL, 'e'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

typedef struct summary {
    uint64_t ops[COP_OP_RECV + 1], bytes, largest, wild;
    uint64_t compute_ps, most_compute_ps; /* of all ranks, of one */
    uint64_t most_ops; /* of one rank */
    uint64_t chain_ps; /* longest chain of computation inside a rank, messages taken to be free */
} summary;

/* The longest chain of a rank's computations; an operation may stand before what it depends on. */
static uint64_t chain(const cop_graph *g, uint32_t rank)
{
    uint32_t n = g->n_of[rank], first = g->op0[rank], done = 0, ready = 0;
    uint32_t *need = cop_alloc_array(n, sizeof(*need)), *todo = cop_alloc_array(n, sizeof(*todo));
    uint64_t *from = cop_alloc_array(n, sizeof(*from)), longest = 0;
    for (uint32_t i = 0; i < n; i++) {
        need[i] = g->op[first + i].need;
        if (need[i] == 0)
            todo[ready++] = i;
    }
    while (done < ready) {
        uint32_t i = todo[done++];
        const cop_op *op = &g->op[first + i];
        bool timed = op->kind == COP_OP_CALC || op->kind == COP_OP_WAIT;
        uint64_t end = from[i] + (timed ? op->size : 0);
        longest = end > longest ? end : longest;
        for (uint32_t e = op->edge0; e < op[1].edge0; e++) {
            uint32_t to = (g->edge[e] & ~COP_EDGE_START) - first;
            uint64_t t = g->edge[e] & COP_EDGE_START ? from[i] : end;
            from[to] = t > from[to] ? t : from[to];
            if (--need[to] == 0)
                todo[ready++] = to;
        }
    }
    cop_free(need);
    cop_free(todo);
    cop_free(from);
    return longest;
}

static void summarise(const cop_graph *g, summary *s)
{
    for (uint32_t r = 0; r < g->n_ranks; r++) {
        uint64_t compute = 0, longest = chain(g, r);
        for (uint32_t i = g->op0[r]; i < g->op0[r] + g->n_of[r]; i++) {
            const cop_op *op = &g->op[i];
            s->ops[op->kind]++;
            compute += op->kind == COP_OP_CALC ? op->size : 0;
            s->wild += op->kind == COP_OP_RECV && (op->peer == COP_ANY || op->tag == COP_ANY);
            if (op->kind == COP_OP_SEND) {
                s->bytes += op->size;
                s->largest = op->size > s->largest ? op->size : s->largest;
            }
        }
        s->compute_ps += compute;
        s->most_compute_ps = compute > s->most_compute_ps ? compute : s->most_compute_ps;
        s->most_ops = g->n_of[r] > s->most_ops ? g->n_of[r] : s->most_ops;
        s->chain_ps = longest > s->chain_ps ? longest : s->chain_ps;
    }
}

/* What is known of ranks that wait for each other. `limit`: messages up to it were taken to be eager. */
static void print_waits(const cop_graph *g, uint64_t limit, const cop_waits *w)
{
    char size[40];
    cop_waits none;
    cop_err err = {0};
    if (w->stuck > 0)
        printf("  waits         perhaps for ever, by the order of messages: %s\n", w->text);
    else if (limit == UINT64_MAX)
        printf("  waits         no rank for ever, if all messages are eager\n");
    else
        printf("  waits         no rank for ever, if messages up to %s are eager\n",
               cop_print_bytes(limit, size, sizeof(size)));
    if (w->stuck == 0 && limit > 0) {
        int rc = cop_graph_check_waits(g, 0, &none, &err);
        if (none.stuck > 0)
            printf("  if none is    %sfor ever: %s\n", rc == 0 ? "perhaps " : "", none.text);
        else
            printf("  if none is    no rank for ever either\n");
    }
    if (w->any > 0)
        printf("  not checked   what %" PRIu64
               " receives of any sender or tag take from each other "
               "and from others\n",
               w->any);
    if (w->both > 0)
        printf("  not checked   whether all receives with any find a message at %" PRIu64
               " ranks that have some of any sender and others of any tag\n",
               w->both);
    if (w->unordered > 0)
        printf("  not checked   other orders of %" PRIu64
               " messages or receives, which depend on times\n",
               w->unordered);
}

static void print(const cop_graph *g, const cop_read_notes *notes, uint64_t limit,
                  const cop_waits *w)
{
    summary s = {0};
    char a[40], b[40];
    cop_arena arena = {0};
    summarise(g, &s);
    printf("%s\n", cop_plain_copy(&arena, g->name));
    printf("  format        %s\n", notes->format);
    printf("  ranks         %" PRIu32 ", of up to %" PRIu32 " CPU%s and %" PRIu32 " NIC%s\n",
           g->n_ranks, g->n_cpus, g->n_cpus == 1 ? "" : "s", g->n_nics, g->n_nics == 1 ? "" : "s");
    printf("  operations    %" PRIu32 ", at most %" PRIu64 " of a rank; %zu dependencies\n",
           g->n_ops, s.most_ops, g->n_edges);
    printf("  messages      %" PRIu64 ", %s in all, the largest %s\n", s.ops[COP_OP_SEND],
           cop_print_bytes(s.bytes, a, sizeof(a)), cop_print_bytes(s.largest, b, sizeof(b)));
    if (s.wild > 0)
        printf("  receives      %" PRIu64 " of any sender or tag\n", s.wild);
    printf("  computation   %s in all, at most %s of a rank\n",
           cop_print_time(s.compute_ps, a, sizeof(a)),
           cop_print_time(s.most_compute_ps, b, sizeof(b)));
    printf("  at least      %s by the longest chain within a rank\n",
           cop_print_time(s.chain_ps, a, sizeof(a)));
    print_waits(g, limit, w);
    if (g->n_collectives > 0)
        printf("  collectives   %zu\n", g->n_collectives);
    for (const char *p = notes->text; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        printf("  note          %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    cop_arena_free(&arena);
}

static int trace_file(const char *file, const cop_read_cfg *cfg, uint64_t limit)
{
    cop_graph g;
    cop_read_notes notes;
    cop_waits waits;
    cop_err err = {0};
    if (cop_read_program(&g, file, cfg, &notes, &err) != 0)
        return cop_cli_faults(&err);
    int rc = cop_graph_check_waits(&g, limit, &waits, &err);
    if (rc == 0)
        print(&g, &notes, limit, &waits);
    cop_graph_free(&g);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

static int trace_run(int argc, char **argv)
{
    cop_read_cfg cfg;
    cop_err err = {0};
    uint64_t limit = UINT64_MAX;
    int got, status = COP_EXIT_OK;
    bool help = false;
    cop_read_defaults(&cfg);
    while (status == COP_EXIT_OK && !help &&
           (got = getopt_long(argc, argv, ":u:e:h", long_options, NULL)) != -1) {
        if (got == 'h')
            help = true;
        else if (got == 'e' && strcmp(optarg, "unlimited") != 0 &&
                 (cop_parse_bytes(optarg, &limit, &err) != 0))
            status = cop_cli_usage(
                &cop_cmd_trace, "--eager %s; give a size such as `16 KiB`, or `unlimited`", optarg);
        else if (got == 'e')
            continue;
        else if (got != 'u')
            status = cop_cli_bad_option(&cop_cmd_trace, long_options, got, argv);
        else if (cop_parse_time(optarg, &cfg.calc_unit_ps, &err) != 0 || cfg.calc_unit_ps == 0 ||
                 cfg.calc_unit_ps > COP_SECOND)
            status =
                cop_cli_usage(&cop_cmd_trace, "--calc-unit %s; give a time such as `1 ns`", optarg);
    }
    if (help)
        cop_cli_help(&cop_cmd_trace, stdout);
    else if (status == COP_EXIT_OK && optind + 1 != argc)
        status =
            cop_cli_usage(&cop_cmd_trace, "%s; give one trace (`coppice trace --help` explains)",
                          optind < argc ? "more than one file" : "no file");
    else if (status == COP_EXIT_OK)
        status = trace_file(argv[optind], &cfg, limit);
    return status;
}

const cop_command cop_cmd_trace = {
    .name = "trace",
    .usage = "trace FILE [--calc-unit TIME] [--eager SIZE]",
    .help =
        "check the trace of an application and say what is in it; simulate nothing\n"
        "\n"
        "Reads GOAL (text and binary), Chakra execution traces (NAME.0.et stands for all ranks) "
        "and\n"
        "connection matrices of htsim, compressed with gzip or not; docs/TRACES.md describes "
        "them.\n"
        "Faults go to standard error, one line each: file, line, node or byte, what is wrong, and\n"
        "what would be right. A trace without faults has no cycle within a rank, a message for "
        "each\n"
        "receive, and no ranks that wait for each other for ever if all messages are eager; the\n"
        "answer also says whether they would if none is, and what could not be checked.\n"
        "\n"
        "Options\n"
        "  -u, --calc-unit TIME  what one unit of a GOAL file's `calc` takes; default 1 ns\n"
        "  -e, --eager SIZE      longer messages wait for their receives, as with `eager` of a "
        "job;\n"
        "                        default unlimited: none does\n"
        "  -h, --help            this text\n"
        "\n"
        "Examples\n"
        "  coppice trace fft.goal.gz\n"
        "  coppice trace llama.0.et\n",
    .run = trace_run};
