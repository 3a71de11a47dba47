/* The command line: one sub-command is one file and one entry of the table in main.c. */
#ifndef COP_CLI_H
#define COP_CLI_H

#include "base/err.h"

#include <getopt.h>
#include <stdio.h>

#ifndef COP_VERSION
#define COP_VERSION "0.1.0"
#endif

/* Exit status; scripts depend on it. */
enum cop_exit {
    COP_EXIT_OK = 0,
    COP_EXIT_CHECK = 1, /* a check of `reproduce` failed */
    COP_EXIT_INPUT = 2, /* bad usage or input, or output that cannot be written */
    COP_EXIT_RESULT = 3, /* the simulation ended in a state the user must see */
    COP_EXIT_STOPPED = 130, /* Ctrl-C, as shells count it */
};

typedef struct cop_command {
    const char *name;
    const char *usage; /* synopsis without "coppice " */
    const char *help; /* first line: what it does; then options and examples */
    int (*run)(int argc, char **argv); /* argv[0] is the command; returns the exit status */
} cop_command;

extern const cop_command *const cop_commands[]; /* NULL at the end */
extern const cop_command cop_cmd_run, cop_cmd_check, cop_cmd_list, cop_cmd_bench, cop_cmd_reproduce,
    cop_cmd_sweep, cop_cmd_prune, cop_cmd_report, cop_cmd_view, cop_cmd_trace, cop_cmd_version,
    cop_cmd_help;

const cop_command *cop_command_find(const char *name);
/* Usage and help of one command. */
void cop_cli_help(const cop_command *c, FILE *out);
/* The whole program: commands, exit statuses, examples. */
void cop_cli_overview(FILE *out);
/* "unknown command `rnu`; did you mean `run`?" */
int cop_cli_unknown_command(const char *name);
/* One line for what getopt_long refused (it returned `got`: '?' or ':'); returns the exit status.
 * Commands call getopt_long with opterr 0 and an option string that begins with ':'. */
int cop_cli_bad_option(const cop_command *c, const struct option *longs, int got, char **argv);
/* One line "coppice COMMAND: what" on stderr; returns the exit status for bad usage. */
int cop_cli_usage(const cop_command *c, const char *fmt, ...) COP_PRINTF(2, 3);
/* All faults on stderr, one per line; returns the exit status. */
int cop_cli_faults(const cop_err *err);

struct cop_plugin_set;
/* --plugin FILE: add the mechanisms of a shared object; returns the exit status. */
int cop_cli_plugin(struct cop_plugin_set *set, const char *file);
#define COP_CLI_PLUGIN_HELP                                                                        \
    "  -p, --plugin FILE         add mechanisms of your own from a shared object, whose code "     \
    "runs as\n"                                                                                    \
    "                            part of the program (docs/ADDING.md)\n"

/* How to draw on a stream. */
typedef struct cop_style {
    bool colour; /* a terminal, and NO_COLOR is unset; also block characters instead of letters */
    unsigned width; /* columns */
} cop_style;
cop_style cop_cli_style(FILE *out);
bool cop_cli_is_terminal(FILE *out);

#endif
