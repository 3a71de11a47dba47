/* coppice report: a database as a page, as CSV files, or as a table in the terminal. */
#include "cli.h"
#include "report/report.h"

#include <string.h>

static const struct option long_options[] = {{"output", required_argument, NULL, 'o'},
                                             {"csv", required_argument, NULL, 'c'},
                                             {"text", no_argument, NULL, 't'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

typedef struct request {
    const char *db, *page, *csv; /* page "-": standard output */
    bool text;
} request;

/* 0: go on; else the exit status plus one. */
static int read_request(int argc, char **argv, request *q)
{
    optind = 1;
    for (int o; (o = getopt_long(argc, argv, ":o:c:th", long_options, NULL)) != -1;) {
        switch (o) {
        case 'o':
            q->page = optarg;
            break;
        case 'c':
            q->csv = optarg;
            break;
        case 't':
            q->text = true;
            break;
        case 'h':
            cop_cli_help(&cop_cmd_report, stdout);
            return COP_EXIT_OK + 1;
        default:
            return cop_cli_bad_option(&cop_cmd_report, long_options, o, argv) + 1;
        }
    }
    if (argc - optind != 1)
        return cop_cli_usage(&cop_cmd_report, argc > optind
                                                  ? "give one database, not several"
                                                  : "no database given; `coppice run FILE --db "
                                                    "results.db` makes one") +
               1;
    q->db = argv[optind];
    if (q->page == NULL && q->csv == NULL && !q->text)
        q->page = "report.html";
    if (q->text && q->page != NULL && strcmp(q->page, "-") == 0)
        return cop_cli_usage(&cop_cmd_report,
                             "--text and `-o -` both want standard output; leave one out") +
               1;
    return 0;
}

/* What was written, on standard error: standard output may be the page. */
static void say(const cop_report *r, const char *where)
{
    cop_report_size n = cop_report_count(r);
    fprintf(stderr, "%s: ", where);
    if (n.experiments > 0)
        fprintf(stderr, "%zu experiment%s, %zu checks (%zu failed), ", n.experiments,
                n.experiments == 1 ? "" : "s", n.checks, n.failed);
    if (n.runs > 0)
        fprintf(stderr, "%zu run%s, ", n.runs, n.runs == 1 ? "" : "s");
    fprintf(stderr, "%zu figure%s\n", n.figures, n.figures == 1 ? "" : "s");
}

static int write_all(const cop_report *r, const request *q, cop_err *err)
{
    if (q->page != NULL && strcmp(q->page, "-") == 0) {
        cop_report_html(r, stdout); /* main() looks at the stream's error flag */
    } else if (q->page != NULL) {
        int rc = cop_report_save_html(r, q->page, err);
        if (rc != 0)
            return rc;
        say(r, q->page);
    }
    if (q->csv != NULL) {
        int rc = cop_report_save_csv(r, q->csv, err);
        if (rc != 0)
            return rc;
        say(r, q->csv);
    }
    if (q->text) {
        cop_style style = cop_cli_style(stdout);
        cop_report_text(r, stdout, style.colour, style.width);
    }
    return 0;
}

static int cmd_report(int argc, char **argv)
{
    request q = {0};
    int ended = read_request(argc, argv, &q);
    if (ended != 0)
        return ended - 1;
    cop_err err = {0};
    cop_report *r = NULL;
    int rc = cop_report_read(&r, q.db, COP_VERSION, &err);
    if (rc == 0)
        rc = write_all(r, &q, &err);
    cop_report_free(r);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

const cop_command cop_cmd_report = {
    .name = "report",
    .usage = "report DB [-o FILE] [--csv DIR] [--text]",
    .help = "Show what a database holds: checks, figures, runs.\n"
            "\n"
            "  -o, --output FILE  one HTML page that needs nothing else (default report.html);\n"
            "                     `-`: to standard output\n"
            "  -c, --csv DIR      verdicts.csv and one file per figure\n"
            "  -t, --text         a table on standard output\n"
            "\n"
            "Examples:\n"
            "  coppice run examples/two-switch.yaml --db results.db\n"
            "  coppice report results.db -o report.html\n"
            "  coppice report results.db --text\n",
    .run = cmd_report,
};
