/* The program as its users meet it: $COPPICE (default build/coppice) runs in an empty folder of its
 * own. What it prints is caught beside that folder, so that the folder holds what it wrote to files
 * and nothing else. Texts live until the folder is emptied for the next test. */
#ifndef COP_TEST_PROGRAM_H
#define COP_TEST_PROGRAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define PROG_MAX_WORDS 24
#define PROG_SECOND "-2"

/* How to start it; what is zero is as usual. */
typedef struct prog_how {
    const char *input; /* standard input; NULL: nothing to read */
    const char *tag; /* PROG_SECOND for one that runs beside another: apart from its output */
    size_t max_file_bytes; /* as if the disk were full beyond that; 0: no limit */
} prog_how;

typedef struct prog_answer {
    int status; /* exit status; minus the signal that ended it */
    const char *out, *err;
} prog_answer;

/* Set-up and teardown of a group of tests: find the program, make the folder and go there; leave and
 * remove it. */
int prog_enter(void **state);
int prog_leave(void **state);
void prog_empty_folder(void);
const char *prog_folder(void);

/* `words` end with NULL. */
pid_t prog_start(prog_how how, const char *const *words);
prog_answer prog_wait(prog_how how, pid_t child);
/* What one that still runs has written to standard error so far. */
const char *prog_said(prog_how how);
/* Where standard output goes instead: the descriptor is closed here. */
prog_answer prog_run_into(int out, const char *const *words);

#define PROG_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define PROG_START(...) prog_start((prog_how){0}, PROG_WORDS(__VA_ARGS__))
#define PROG_WAIT(child) prog_wait((prog_how){0}, (child))
#define PROG_RUN(...) PROG_WAIT(PROG_START(__VA_ARGS__))

const char *prog_slurp(const char *path);
void prog_write(const char *path, const char *text);
/* How many files the folder holds. */
size_t prog_files(void);
size_t prog_lines(const char *text);

/* The first column of the first row that the database answers; "" if there is none. */
const char *prog_ask(const char *db, const char *sql);

#define PROG_EXPECT(cond, a, ...)                                                                  \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n  does not hold: %s\n  status %d\n  err: %s\n", #cond, (a).status,      \
                        (a).err);                                                                  \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

#endif
