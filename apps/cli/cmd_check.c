/* coppice check FILE.yaml: checks a file and prints facts of its network. Simulates nothing. */
#include "base/file.h"
#include "cli.h"
#include "exp/opensm.h"
#include "exp/plugins.h"
#include "exp/run.h"
#include "wrap.h"

#include <string.h>

static const struct option long_options[] = {
    {"set", required_argument, NULL, 's'}, {"table", required_argument, NULL, 't'},
    {"opensm", no_argument, NULL, 'o'},    {"plugin", required_argument, NULL, 'p'},
    {"help", no_argument, NULL, 'h'},      {NULL, 0, NULL, 0}};

/* Facts as comments, so that the whole output is a configuration again. */
static void print_comments(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        cop_wrap_comment(out, text, n);
        text += n + (text[n] == '\n');
    }
}

/* `sw`: print the forwarding table of this switch instead; NULL: none. */
static int check_file(const char *file, const cop_plugin_set *more, const cop_override *set,
                      size_t n_set, const char *sw)
{
    cop_config c;
    cop_err err = {0};
    if (cop_config_load_with(&c, more, file, NULL, set, n_set, &err) != 0)
        return cop_cli_faults(&err);
    char *facts = NULL;
    size_t size = 0;
    FILE *report = cop_text_open(&facts, &size);
    int rc = sw ? cop_check_table(&c, sw, report, &err) : cop_check_network(&c, report, &err);
    cop_text_close(report, &facts);
    int status = COP_EXIT_OK;
    if (rc != 0) {
        status = cop_cli_faults(&err);
    } else if (sw) {
        cop_wrap_yaml(stdout, facts);
    } else {
        cop_wrap_yaml(stdout, cop_config_print_units(&c));
        print_comments(stdout, facts);
    }
    cop_free_foreign(facts);
    cop_config_free(&c);
    return status;
}

/* Show what was written to memory if all went well, else only the faults. */
static int show(int rc, char *text, const cop_err *err)
{
    if (rc == 0)
        cop_wrap_comments(stdout, text);
    cop_free_foreign(text);
    return rc == 0 ? COP_EXIT_OK : cop_cli_faults(err);
}

/* A run file becomes lines of an opensm.conf; one of these becomes a section of a run file. */
static int translate(const char *file, const cop_plugin_set *more, const cop_override *set,
                     size_t n_set)
{
    cop_config c;
    cop_err err = {0};
    char *text = NULL, *in = NULL;
    size_t size = 0, len = 0, n = strlen(file);
    bool conf = n > 5 && strcmp(file + n - 5, ".conf") == 0;
    int rc = conf ? cop_file_read(file, 1 << 24, &in, &len, &err)
                  : cop_config_load_with(&c, more, file, NULL, set, n_set, &err);
    if (rc != 0) {
        cop_free(in);
        return cop_cli_faults(&err);
    }
    FILE *out = cop_text_open(&text, &size);
    rc = conf ? cop_opensm_import(file, in, len, out, &err) : cop_opensm_export(&c, out, &err);
    cop_text_close(out, &text);
    cop_free(in);
    if (!conf)
        cop_config_free(&c);
    return show(rc, text, &err);
}

static int check_run(int argc, char **argv)
{
    cop_override *set = NULL;
    size_t n_set = 0, capacity = 0;
    const char *sw = NULL;
    cop_plugin_set plugins = {0};
    int got, status = COP_EXIT_OK;
    bool help = false, opensm = false;
    while (status == COP_EXIT_OK && !help &&
           (got = getopt_long(argc, argv, ":s:t:op:h", long_options, NULL)) != -1) {
        if (got == 's') {
            set = cop_grow(set, &capacity, n_set + 1, sizeof(*set));
            set[n_set++] = (cop_override){.text = optarg, .here = true};
        } else if (got == 't') {
            sw = optarg;
        } else if (got == 'o') {
            opensm = true;
        } else if (got == 'p') {
            status = cop_cli_plugin(&plugins, optarg);
        } else if (got == 'h') {
            help = true;
        } else {
            status = cop_cli_bad_option(&cop_cmd_check, long_options, got, argv);
        }
    }
    if (help)
        cop_cli_help(&cop_cmd_check, stdout);
    else if (status == COP_EXIT_OK && optind + 1 != argc)
        status = cop_cli_usage(&cop_cmd_check,
                               "%s; give one YAML file (`coppice check --help` explains)",
                               optind < argc ? "more than one file" : "no file");
    else if (status == COP_EXIT_OK && opensm && sw != NULL)
        status = cop_cli_usage(&cop_cmd_check,
                               "--opensm and --table print different things; give one of them");
    else if (status == COP_EXIT_OK)
        status = opensm ? translate(argv[optind], &plugins, set, n_set)
                        : check_file(argv[optind], &plugins, set, n_set, sw);
    cop_plugins_free(&plugins);
    cop_free(set);
    return status;
}

const cop_command cop_cmd_check = {
    .name = "check",
    .usage =
        "check FILE.yaml [--set key.path=value]... [--table SWITCH] [--opensm] [--plugin FILE]",
    .help =
        "validate a configuration and print what it means; simulate nothing\n"
        "\n"
        "Prints the effective configuration with units and all defaults, as YAML that can be run\n"
        "again, followed by facts of the network as comments; in cycles and flits if the file has\n"
        "`units`. Traffic entries show only what differs from the defaults. Faults go to standard "
        "error, one line each:\n"
        "  file:line:column: what is wrong; what would be right\n"
        "\n"
        "Options\n"
        "  -s, --set KEY.PATH=VALUE  change one option first, as in `coppice run`\n"
        "  -t, --table SWITCH        print the forwarding table of this switch (s5), as YAML:\n"
        "                            match, priority, condition and action of each entry\n"
        "  -o, --opensm              print the congestion control (cc.kind ibcc) as lines of an "
        "opensm.conf,\n"
        "                            with the reason of each; without one, guidelines for the "
        "network.\n"
        "                            FILE.conf: the other way round, an opensm.conf becomes a "
        "section cc\n" COP_CLI_PLUGIN_HELP "  -h, --help                this text\n"
        "\n"
        "Examples\n"
        "  coppice check fabric.yaml --opensm > cc.conf\n"
        "  coppice check /etc/opensm/opensm.conf --opensm >> fabric.yaml\n"
        "  coppice check fabric.yaml\n"
        "  coppice check fabric.yaml --set topology.k=8 > larger.yaml\n"
        "  coppice check dragonfly.yaml --set routing.kind=qcn-switch --table s0\n",
    .run = check_run};
