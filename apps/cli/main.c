/* coppice: finds the sub-command, runs it, and makes sure that its output was written. */
#include "base/mem.h"
#include "cli.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>

const cop_command *const cop_commands[] = {&cop_cmd_run,
                                           &cop_cmd_check,
                                           &cop_cmd_list,
                                           &cop_cmd_trace,
                                           &cop_cmd_bench,
                                           &cop_cmd_sweep,
                                           &cop_cmd_reproduce,
                                           &cop_cmd_prune,
                                           &cop_cmd_report,
                                           &cop_cmd_view,
                                           &cop_cmd_version,
                                           &cop_cmd_help,
                                           NULL};

/* Why standard output could not be written; 0: it could. The errno of an earlier write is lost:
 * then one line break more, behind output that is cut off anyway, fails again for the same reason.
 * -1: it does not fail. */
static int why_unwritten(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    if (errno == 0 && fputc('\n', stdout) != EOF)
        (void)fflush(stdout);
    return errno != 0 ? errno : -1;
}

/* Output is complete only if all of it was written: a full disk or a closed pipe shows here at the
 * latest. A reader that closes the pipe, such as `head`, needs no message. */
static int finish(int status)
{
    int why = why_unwritten();
    if (why != 0 && why != EPIPE)
        fprintf(stderr, "coppice: cannot write the output to standard output: %s\n",
                why > 0 ? strerror(why) : "a write failed, so that a part is missing");
    return why != 0 ? COP_EXIT_INPUT : status;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cop_cli_overview(stderr);
        return COP_EXIT_INPUT;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        first = "help";
    else if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        first = "version";
    const cop_command *c = cop_command_find(first);
    return c ? c->run(argc - 1, argv + 1) : cop_cli_unknown_command(first);
}

int main(int argc, char **argv)
{
    /* A closed pipe and a limit on files are write errors, not an end by a signal. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    opterr = 0;
    /* Callers do not check whether each value of a document could be made. Set once, before there are threads. */
    json_set_alloc_funcs(cop_alloc_foreign, cop_free_foreign);
    return finish(dispatch(argc, argv));
}
