/* coppice version */
#include "cli.h"

#include <string.h>

static int version_run(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        cop_cli_help(&cop_cmd_version, stdout);
    else if (argc > 1)
        return cop_cli_usage(&cop_cmd_version, "`%s` is too much; version takes no arguments",
                             argv[1]);
    else
        puts("coppice " COP_VERSION);
    return COP_EXIT_OK;
}

const cop_command cop_cmd_version = {
    .name = "version", .usage = "version", .help = "print the version\n", .run = version_run};
