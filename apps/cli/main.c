/* coppice: finds the sub-command, runs it, and makes sure that its output was written. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

const cop_command *const cop_commands[] = {&cop_cmd_run,       &cop_cmd_check,  &cop_cmd_list,
                                           &cop_cmd_trace,     &cop_cmd_bench,  &cop_cmd_sweep,
                                           &cop_cmd_reproduce, &cop_cmd_report, &cop_cmd_view,
                                           &cop_cmd_version,   &cop_cmd_help,   NULL};

/* Output is only good if all of it arrived: a full disk or a closed pipe shows here at the latest.
 */
static int finish(int status)
{
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed) {
        fprintf(stderr, "coppice: cannot write the output: %s\n",
                errno ? strerror(errno) : "write error");
        return COP_EXIT_INPUT;
    }
    return status;
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
    /* A closed pipe and a limit on files are write errors with a message, not a silent end. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    opterr = 0;
    return finish(dispatch(argc, argv));
}
