#include "program.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct {
    char program[4096], dir[64];
    cop_arena texts;
} here;

static const char *capture(const prog_how *how, const char *which)
{
    return cop_arena_printf(&here.texts, "%s%s.%s", here.dir, how->tag ? how->tag : "", which);
}

static void redirect(int fd, const char *path, int flags)
{
    int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(99);
    close(file);
}

static void execute(const char *const *words)
{
    char *argv[PROG_MAX_WORDS + 2] = {(char *)(uintptr_t) "coppice"};
    for (size_t i = 0; words[i] != NULL && i < PROG_MAX_WORDS; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    /* An endless loop ends by its own time, whatever else the machine does; what sleeps for ever by the clock. */
    struct rlimit cpu = {300, 330};
    (void)setrlimit(RLIMIT_CPU, &cpu);
    alarm(3600);
    execv(here.program, argv);
    _exit(98);
}

pid_t prog_start(prog_how how, const char *const *words)
{
    const char *out = capture(&how, "out"), *err = capture(&how, "err");
    prog_write(err, ""); /* what the one before said is not what this one says */
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {how.max_file_bytes, how.max_file_bytes};
        redirect(0, how.input ? how.input : "/dev/null", O_RDONLY);
        redirect(1, out, O_WRONLY | O_CREAT | O_TRUNC);
        redirect(2, err, O_WRONLY | O_CREAT | O_TRUNC);
        signal(SIGXFSZ, SIG_IGN); /* a full disk is an error, not a signal */
        if (how.max_file_bytes != 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(97);
        execute(words);
    }
    return child;
}

prog_answer prog_wait(prog_how how, pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    prog_answer a = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                     .out = prog_slurp(capture(&how, "out")),
                     .err = prog_slurp(capture(&how, "err"))};
    if (a.status == 98)
        print_error("%s cannot be run; build it first or set COPPICE\n", here.program);
    return a;
}

const char *prog_said(prog_how how)
{
    return prog_slurp(capture(&how, "err"));
}

prog_answer prog_run_into(int out, const char *const *words)
{
    prog_how how = {0};
    const char *err = capture(&how, "err");
    prog_write(capture(&how, "out"), "");
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        redirect(2, err, O_WRONLY | O_CREAT | O_TRUNC);
        dup2(out, 1);
        execute(words);
    }
    close(out);
    return prog_wait(how, child);
}

const char *prog_slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = NULL;
    size_t cap = 0, size = 0;
    for (size_t got = 1; got > 0; size += got) {
        text = cop_grow(text, &cap, size + 4097, 1);
        got = fread(text + size, 1, 4096, f);
    }
    text[size] = '\0';
    fclose(f);
    const char *kept = cop_arena_strdup(&here.texts, text);
    cop_free(text);
    return kept;
}

void prog_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

size_t prog_files(void)
{
    DIR *d = opendir(here.dir);
    assert_non_null(d);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

size_t prog_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

const char *prog_ask(const char *db, const char *sql)
{
    sqlite3 *d;
    sqlite3_stmt *st;
    const char *text = "";
    assert_int_equal(sqlite3_open_v2(db, &d, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    sqlite3_busy_timeout(d, 10000);
    if (sqlite3_prepare_v2(d, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(d));
    if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0) != NULL)
        text = cop_arena_strdup(&here.texts, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    sqlite3_close(d);
    return text;
}

static void empty(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char name[512];
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && remove(name) != 0) {
            empty(name);
            rmdir(name);
        }
    }
    if (d != NULL)
        closedir(d);
}

void prog_empty_folder(void)
{
    chmod(here.dir, 0755);
    empty(here.dir);
    cop_arena_free(&here.texts);
}

const char *prog_folder(void)
{
    return here.dir;
}

int prog_enter(void **state)
{
    const char *name = getenv("COPPICE");
    (void)state;
    if (realpath(name ? name : "build/coppice", here.program) == NULL) {
        print_error("%s is missing; build it first or set COPPICE\n", name ? name : "");
        return -1;
    }
    strcpy(here.dir, "/tmp/cop_program_XXXXXX");
    return mkdtemp(here.dir) == NULL || chdir(here.dir) != 0;
}

int prog_leave(void **state)
{
    static const char *const which[] = {"out", "err"};
    (void)state;
    for (size_t i = 0; i < COP_LEN(which); i++)
        for (const char *tag = ""; tag != NULL; tag = tag[0] == '\0' ? PROG_SECOND : NULL)
            remove(capture(&(prog_how){.tag = tag}, which[i]));
    prog_empty_folder();
    return chdir("/") | rmdir(here.dir);
}
