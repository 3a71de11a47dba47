/* The documents that people type from: every command of a block that begins with ```console runs, in order, in one
 * folder per document, ends with status 0 and prints each line that the document shows below it, in that order. */
#include "program.h"

#include <limits.h>
#include <sys/wait.h>

static char root[PATH_MAX];

/* Read while we are at the top of the source tree. */
static struct {
    const char *path;
    size_t
        least; /* commands that there are at least: a block whose mark is misspelt must not go unnoticed */
    char *text;
} documents[] = {{"README.md", 3, NULL},
                 {"docs/TUTORIAL.md", 7, NULL},
                 {"docs/GUIDE.md", 8, NULL},
                 {"docs/ADDING.md", 6, NULL}};

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f == NULL)
        fail_msg("%s cannot be read; run the tests from the top folder", path);
    char *text = cop_alloc(1 << 18);
    text[fread(text, 1, (1 << 18) - 1, f)] = '\0';
    fclose(f);
    return text;
}

static int enter(void **state)
{
    if (getcwd(root, sizeof(root)) == NULL)
        return -1;
    for (size_t i = 0; i < COP_LEN(documents); i++)
        documents[i].text = read_all(documents[i].path);
    return prog_enter(state);
}

static int leave(void **state)
{
    for (size_t i = 0; i < COP_LEN(documents); i++)
        cop_free(documents[i].text);
    return prog_leave(state);
}

/* The folder as the documents see it: the program in build, the examples, the headers of plug-ins. */
static void lay_out(void)
{
    const char *program = getenv("COPPICE");
    char command[5 * PATH_MAX];
    if (program == NULL)
        program = "build/coppice";
    snprintf(command, sizeof(command),
             "mkdir build && ln -s %s%s%s build/coppice && ln -s %s/src src && cp -r %s/examples .",
             program[0] == '/' ? "" : root, program[0] == '/' ? "" : "/", program, root, root);
    prog_empty_folder();
    assert_int_equal(system(command), 0);
}

/* What a command prints, standard error included. */
static char *output_of(const char *command, const char *where)
{
    char whole[PATH_MAX];
    int length = snprintf(whole, sizeof(whole), "{ %s; } 2>&1", command);
    assert_true(length > 0 && (size_t)length < sizeof(whole));
    FILE *f = popen(whole, "r");
    assert_non_null(f);
    char *text = NULL;
    size_t cap = 0, size = 0;
    for (size_t got = 1; got > 0; size += got) {
        text = cop_grow(text, &cap, size + 4097, 1);
        got = fread(text + size, 1, 4096, f);
    }
    text[size] = '\0';
    int status = pclose(f);
    if (status != 0)
        fail_msg("%s: `%s` ends with %d:\n%s", where, command,
                 WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text);
    return text;
}

/* Where `text` goes on behind its first line that is `line`, but for blanks and CR at its end; NULL: there is none. */
static const char *behind_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        size_t bare = n;
        while (bare > 0 && strchr(" \r", text[bare - 1]) != NULL)
            bare--;
        if (bare == length && memcmp(text, line, length) == 0)
            return text + n;
        text += n + (text[n] == '\n');
    }
    return NULL;
}

/* One block, from behind its mark to its end, which becomes a zero. How many commands it has. */
static size_t run_block(char *block, const char *where)
{
    size_t commands = 0;
    char *printed = NULL;
    const char *at = NULL;
    for (char *goes_on = strstr(block, "\\\n"); goes_on != NULL; goes_on = strstr(goes_on, "\\\n"))
        memset(goes_on, ' ', 2); /* a command of two lines */
    for (char *line = strtok(block, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "$ ", 2) == 0) {
            cop_free(printed);
            at = printed = output_of(line + 2, where);
            commands++;
            continue;
        }
        if (at == NULL)
            fail_msg("%s: `%s` stands before any command", where, line);
        const char *next = behind_line(at, line);
        if (next == NULL)
            fail_msg("%s shows a line that is not printed:\n%s\nIt is:\n%s", where, line, at);
        at = next;
    }
    cop_free(printed);
    return commands;
}

static void test_commands_print_what_is_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COP_LEN(documents); i++) {
        size_t commands = 0;
        char *at = documents[i].text;
        lay_out();
        while ((at = strstr(at, "\n```console\n")) != NULL) {
            char *block = at + strlen("\n```console\n"), *end = strstr(block, "\n```");
            assert_non_null(end);
            *end = '\0';
            commands += run_block(block, documents[i].path);
            at = end + 1;
        }
        if (commands < documents[i].least)
            fail_msg("%s has %zu commands, at least %zu are expected", documents[i].path, commands,
                     documents[i].least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands_print_what_is_shown)};
    return cmocka_run_group_tests_name("documents", tests, enter, leave);
}
