/* What all commands share: help, messages about the command line, facts about the terminal. */
#include "cli.h"

#include "base/opt.h"
#include "base/text.h"
#include "exp/plugins.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define EXIT_STATUSES                                                                              \
    "  0 all well\n"                                                                               \
    "  1 a check of `reproduce` failed\n"                                                          \
    "  2 bad usage or input, or output not writable\n"                                             \
    "  3 the simulation ended in a state you must see: deadlock, loss, starved flows,\n"           \
    "    stuck jobs, broken invariant; in a sweep also: a run without a result\n"                  \
    "  130 stopped by Ctrl-C, several runs at once also by SIGTERM; what had ended is\n"           \
    "      stored\n"

#define MAX_NAMES 32

const cop_command *cop_command_find(const char *name)
{
    for (size_t i = 0; cop_commands[i] != NULL; i++)
        if (strcmp(cop_commands[i]->name, name) == 0)
            return cop_commands[i];
    return NULL;
}

void cop_cli_help(const cop_command *c, FILE *out)
{
    cop_arena arena = {0};
    cop_wrap_lines(out,
                   cop_arena_printf(&arena, "usage: coppice %s\n\n%s\nExit status\n" EXIT_STATUSES,
                                    c->usage, c->help));
    cop_arena_free(&arena);
}

void cop_cli_overview(FILE *out)
{
    fputs("coppice " COP_VERSION ": simulates congestion management in lossless networks\n\n"
          "usage: coppice COMMAND [options]\n\nCommands\n",
          out);
    cop_arena arena = {0};
    for (size_t i = 0; cop_commands[i] != NULL; i++) {
        const char *help = cop_commands[i]->help;
        cop_wrap_item(out, cop_arena_printf(&arena, "  %s", cop_commands[i]->name), 13,
                      cop_arena_printf(&arena, "%.*s", (int)strcspn(help, "\n"), help));
    }
    cop_arena_free(&arena);
    cop_wrap_lines(
        out,
        "\n`coppice COMMAND --help` explains one command; `coppice --version` prints the version.\n"
        "\nExamples\n"
        "  coppice list topologies                 what networks there are\n"
        "  coppice list topologies torus           the options of one of them\n"
        "  coppice check fabric.yaml               is the file right, what will be simulated\n"
        "  coppice run fabric.yaml                 simulate, print tables and a plot\n"
        "  coppice run fabric.yaml --set switch.buffer=\"32 KiB\" --seed 2 --db results.db\n"
        "\nExit status\n" EXIT_STATUSES);
}

int cop_cli_unknown_command(const char *name)
{
    const char *names[MAX_NAMES];
    size_t n = 0;
    char shown[48];
    for (; n < MAX_NAMES && cop_commands[n] != NULL; n++)
        names[n] = cop_commands[n]->name;
    cop_excerpt(name, shown, sizeof(shown));
    const char *const options[] = {"--help", "--version"};
    bool option = name[0] == '-';
    const char *near = option ? cop_nearest(name, options, 2) : cop_nearest(name, names, n);
    const char *what = option ? "option" : "command";
    if (near != NULL)
        fprintf(stderr, "coppice: unknown %s `%s`; did you mean `%s`?\n", what, shown, near);
    else
        fprintf(stderr, "coppice: unknown %s `%s`; `coppice --help` lists the commands\n", what,
                shown);
    return COP_EXIT_INPUT;
}

int cop_cli_bad_option(const cop_command *c, const struct option *longs, int got, char **argv)
{
    const char *text = argv[optind - 1];
    const char *names[MAX_NAMES];
    char word[48], shown[60];
    size_t n = 0;
    for (; n < MAX_NAMES && longs[n].name != NULL; n++)
        names[n] = longs[n].name;
    cop_excerpt(text, shown, sizeof(shown));
    if (got == ':')
        return cop_cli_usage(c, "option `%s` needs a value; `coppice %s --help` explains", shown,
                             c->name);
    if (strncmp(text, "--", 2) != 0)
        return cop_cli_usage(c, "unknown option `-%c`; `coppice %s --help` lists the options",
                             optopt, c->name);
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(text + 2, "="), text + 2);
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, names[i]) == 0)
            return cop_cli_usage(c, "option `--%s` takes no value; leave `=...` out", word);
    const char *near = cop_nearest(word, names, n);
    if (near != NULL)
        return cop_cli_usage(c, "unknown option `--%s`; did you mean `--%s`?", word, near);
    return cop_cli_usage(c, "unknown option `--%s`; `coppice %s --help` lists the options", word,
                         c->name);
}

int cop_cli_usage(const cop_command *c, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    (void)cop_plain(text);
    fprintf(stderr, "coppice %s: %s\n", c->name, text);
    return COP_EXIT_INPUT;
}

int cop_cli_faults(const cop_err *err)
{
    unsigned lines = 1;
    for (const char *s = err->text; *s != '\0'; s++)
        lines += *s == '\n';
    fprintf(stderr, "%s\n", err->text);
    if (err->faults > lines)
        fprintf(stderr, "... and %u more\n", err->faults - lines);
    return COP_EXIT_INPUT;
}

int cop_cli_plugin(cop_plugin_set *set, const char *file)
{
    cop_err err = {0};
    return cop_plugins_load(set, file, &err) == 0 ? COP_EXIT_OK : cop_cli_faults(&err);
}

bool cop_cli_is_terminal(FILE *out)
{
    return isatty(fileno(out)) == 1;
}

cop_style cop_cli_style(FILE *out)
{
    cop_style style = {.colour = false, .width = 80};
    if (!cop_cli_is_terminal(out))
        return style;
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    style.colour =
        (no_colour == NULL || no_colour[0] == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        style.width = size.ws_col < 200 ? size.ws_col : 200;
    return style;
}
