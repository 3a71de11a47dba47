/* coppice version */
#include "cli.h"

static int version_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("coppice " COP_VERSION);
    return COP_EXIT_OK;
}

const cop_command cop_cmd_version = {
    .name = "version", .usage = "version", .help = "print the version\n", .run = version_run};
