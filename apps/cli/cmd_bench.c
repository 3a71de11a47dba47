/* coppice bench: how fast, how big. Fixed cases, each in a process of its own so that its peak
 * memory is its own. CPU time on a shared machine is noisy: the best of a few runs counts, the bare
 * cost of the event queue is printed for comparison between machines, and instructions per
 * packet-hop (valgrind's callgrind, where installed) do not depend on the load of the machine at
 * all. */
#include "bench_cases.h"
#include "cli.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct option long_options[] = {{"json", no_argument, NULL, 'j'},
                                             {"case", required_argument, NULL, 'c'},
                                             {"span", required_argument, NULL, 's'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* Run a case in a child; the numbers come back through a pipe. */
static bool run_apart(const cop_bench_case *c, cop_bench_numbers *best)
{
    for (unsigned i = 0; i < c->repeats; i++) {
        int ends[2];
        cop_bench_numbers n;
        fflush(NULL);
        if (pipe(ends) != 0)
            return false;
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            bool ok = cop_bench_measure(c, NULL, &n) &&
                      write(ends[1], &n, sizeof(n)) == (ssize_t)sizeof(n);
            _exit(ok ? 0 : 1);
        }
        close(ends[1]);
        bool got = child > 0 && read(ends[0], &n, sizeof(n)) == (ssize_t)sizeof(n);
        close(ends[0]);
        int status = 1;
        if (child > 0)
            waitpid(child, &status, 0);
        if (!got || status != 0)
            return false;
        if (i == 0 || n.hops_per_second > best->hops_per_second)
            *best = n;
    }
    return true;
}

/* Instructions and hops of one run under callgrind; false if it cannot be counted. */
static bool count_instructions(const char *name, const char *span, double *instructions,
                               double *hops)
{
    char self[512], command[1024], line[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    snprintf(command, sizeof(command),
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' bench --case %s --span "
             "'%s' 2>&1",
             self, name, span);
    FILE *out = popen(command, "r");
    if (out == NULL)
        return false;
    *instructions = *hops = 0.0;
    while (fgets(line, sizeof(line), out) != NULL) {
        const char *collected = strstr(line, "Collected :");
        if (collected != NULL)
            *instructions = strtod(collected + strlen("Collected :"), NULL);
        else if (strncmp(line, "hops ", 5) == 0)
            *hops = strtod(line + 5, NULL);
    }
    return pclose(out) == 0 && *instructions > 0.0 && *hops > 0.0;
}

/* The difference of a long and a short run leaves out building and ending. */
static double instructions_per_hop(const cop_bench_case *c)
{
    double i0, h0, i1, h1;
    if (!c->count_instructions || !count_instructions(c->name, c->brief, &i0, &h0) ||
        !count_instructions(c->name, c->longer, &i1, &h1) || h1 <= h0)
        return -1.0;
    return (i1 - i0) / (h1 - h0);
}

static json_t *number_or_null(double v)
{
    return v < 0.0 ? json_null() : json_real(v);
}

static json_t *as_json(const cop_bench_case *c, const cop_bench_numbers *n, double instructions)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(c->name));
    json_object_set_new(o, "packet_hops_per_cpu_second", number_or_null(n->hops_per_second));
    json_object_set_new(o, "events_per_packet_hop", number_or_null(n->events_per_hop));
    json_object_set_new(o, "instructions_per_packet_hop", number_or_null(instructions));
    json_object_set_new(o, "peak_rss_bytes", json_integer((json_int_t)n->peak_rss_bytes));
    json_object_set_new(o, "build_seconds", json_real(n->build_seconds));
    json_object_set_new(o, "hosts", json_integer((json_int_t)n->hosts));
    return o;
}

static void print_row(const cop_bench_case *c, const cop_bench_numbers *n, double instructions)
{
    char instr[32] = "-", peak[32];
    if (instructions >= 0.0)
        snprintf(instr, sizeof(instr), "%.0f", instructions);
    snprintf(peak, sizeof(peak), "%.0f MiB", (double)n->peak_rss_bytes / 1048576.0);
    printf("  %-24s %8llu %14.2f %12.2f %14s %10s %9.2f s\n", c->name, (unsigned long long)n->hosts,
           n->hops_per_second / 1e6, n->events_per_hop, instr, peak, n->build_seconds);
    fflush(stdout);
}

static void bench_holds(json_t *list)
{
    static const size_t pending[] = {1000, 10000, 100000};
    if (list == NULL)
        printf("\n  bare event queue (pop the first, push one)   bucket ring       heap\n");
    for (size_t i = 0; i < COP_LEN(pending); i++) {
        double ring = cop_bench_hold(false, pending[i]), heap = cop_bench_hold(true, pending[i]);
        if (list == NULL) {
            printf("  %10zu pending events %23.0f ns %7.0f ns\n", pending[i], ring, heap);
        } else {
            json_t *o = json_object();
            json_object_set_new(o, "name", json_sprintf("event-queue-%zu", pending[i]));
            json_object_set_new(o, "ring_ns", json_real(ring));
            json_object_set_new(o, "heap_ns", json_real(heap));
            json_object_set_new(o, "packet_hops_per_cpu_second", json_null());
            json_object_set_new(o, "events_per_packet_hop", json_null());
            json_object_set_new(o, "instructions_per_packet_hop", json_null());
            json_object_set_new(o, "peak_rss_bytes", json_null());
            json_array_append_new(list, o);
        }
    }
}

static int bench_all(bool json)
{
    json_t *list = json ? json_array() : NULL;
    if (!json)
        printf("  %-24s %8s %14s %12s %14s %10s %11s\n", "case", "hosts", "M hops/CPU-s",
               "events/hop", "instr./hop", "memory", "build");
    for (size_t i = 0; i < cop_bench_n_cases; i++) {
        const cop_bench_case *c = &cop_bench_cases[i];
        cop_bench_numbers n = {0};
        if (!run_apart(c, &n)) {
            fprintf(stderr, "coppice bench: case %s failed\n", c->name);
            json_decref(list);
            return COP_EXIT_RESULT;
        }
        double instructions = instructions_per_hop(c);
        if (json)
            json_array_append_new(list, as_json(c, &n, instructions));
        else
            print_row(c, &n, instructions);
    }
    bench_holds(list);
    if (json) {
        json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(list);
    }
    return COP_EXIT_OK;
}

static int bench_one(const char *name, const char *span)
{
    for (size_t i = 0; i < cop_bench_n_cases; i++) {
        cop_bench_numbers n;
        if (strcmp(cop_bench_cases[i].name, name) != 0)
            continue;
        if (!cop_bench_measure(&cop_bench_cases[i], span, &n))
            return COP_EXIT_RESULT;
        printf("hops %.0f\n", n.hops);
        return COP_EXIT_OK;
    }
    return cop_cli_usage(&cop_cmd_bench, "no case `%s`; the table of `coppice bench` names them",
                         name);
}

static int bench_run(int argc, char **argv)
{
    bool json = false;
    const char *one = NULL, *span = NULL;
    int got;
    while ((got = getopt_long(argc, argv, ":jc:s:h", long_options, NULL)) != -1) {
        if (got == 'h') {
            cop_cli_help(&cop_cmd_bench, stdout);
            return COP_EXIT_OK;
        }
        if (got == 'j')
            json = true;
        else if (got == 's')
            span = optarg;
        else if (got == 'c')
            one = optarg;
        else
            return cop_cli_bad_option(&cop_cmd_bench, long_options, got, argv);
    }
    if (optind < argc)
        return cop_cli_usage(&cop_cmd_bench, "`%s` is too much; bench takes only options",
                             argv[optind]);
    return one ? bench_one(one, span) : bench_all(json);
}

const cop_command cop_cmd_bench = {
    .name = "bench",
    .usage = "bench [--json]",
    .help =
        "measure speed and memory on fixed cases\n"
        "\n"
        "For each case: packet-hops per CPU second (a hop is one packet over one link), events "
        "per\n"
        "hop, instructions per hop where valgrind is installed, peak memory, time to build. Then "
        "the\n"
        "bare cost of the event queue, to compare machines.\n"
        "\n"
        "  --json        a list of objects instead of a table\n"
        "  --case NAME   run one case once and print its hops (for instruction counters)\n"
        "  --span TIME   with --case: simulated time, so that the difference of two runs counts\n",
    .run = bench_run};
