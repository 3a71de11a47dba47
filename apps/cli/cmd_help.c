/* coppice help [COMMAND] */
#include "cli.h"

#include <string.h>

static int help_run(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cop_cli_overview(stdout);
        return COP_EXIT_OK;
    }
    const cop_command *c = cop_command_find(argv[1]);
    if (c == NULL)
        return cop_cli_unknown_command(argv[1]);
    cop_cli_help(c, stdout);
    return COP_EXIT_OK;
}

const cop_command cop_cmd_help = {.name = "help",
                                  .usage = "help [COMMAND]",
                                  .help = "explain a command, or list them all\n",
                                  .run = help_run};
