/* coppice version: versions and fingerprints, to report faults and to repeat runs. */
#include "build_info.h"
#include "cli.h"
#include "exp/plugins.h"
#include "exp/run.h"
#include "store/store.h"
#include "study/eval.h"

#include <jansson.h>
#include <string.h>

#if defined(__clang__)
#define COMPILER "" /* its version begins with its name */
#else
#define COMPILER "gcc "
#endif

static bool option(const char *name)
{
    return strstr(cop_build_options, name) != NULL;
}

static void print_version(void)
{
#ifdef NDEBUG
    bool assertions = false;
#else
    bool assertions = true;
#endif
    puts("coppice " COP_VERSION);
    printf("commit     %s\n", cop_build_commit);
    printf("model      %s\n", cop_model_id());
    printf("behaviour  %s\n", cop_behaviour_id());
    printf("compiler   %s\n", COMPILER __VERSION__);
    printf("options    %s\n", cop_build_options);
    printf("features   %s, %s, %s\n", option("-flto") ? "lto" : "no lto",
           assertions ? "assertions" : "no assertions",
           option("-fsanitize=") ? "sanitizers" : "no sanitizers");
    printf("plug-ins   interface %u\n", cop_plugins_version());
    printf("libraries  SQLite %s, %s, jansson %s, libyaml %s\n", cop_store_library(),
           cop_eval_library(), JANSSON_VERSION, cop_config_library());
}

static int version_run(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        cop_cli_help(&cop_cmd_version, stdout);
    else if (argc > 1)
        return cop_cli_usage(&cop_cmd_version, "`%s` is too much; version takes no arguments",
                             argv[1]);
    else
        print_version();
    return COP_EXIT_OK;
}

const cop_command cop_cmd_version = {
    .name = "version",
    .usage = "version",
    .help = "print the version, and what the program was built from\n"
            "\n"
            "commit: of the git checkout, `+changes` if files differed from it, `unknown` without "
            "one.\n"
            "model: fingerprint of the code that decides results; equal ones give equal results.\n"
            "behaviour: fingerprint of the golden runs and their values (tests/golden).\n"
            "plug-ins: version of the interface that mechanisms from outside are compiled for.\n",
    .run = version_run};
