/* The program as its users meet it: $COPPICE (default build/coppice) is run in an empty folder of
 * its own, and exit status, standard output, standard error and the files left behind are looked
 * at. These are the contract others' scripts depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- running the program -- */

typedef struct sandbox {
    char program[4096];
    char dir[64]; /* the program's folder; inputs of the test lie in it */
    char capture[96], errors[96];
} sandbox;

typedef struct answer {
    int status; /* -1: killed by a signal */
    char *out, *err;
} answer;

static char *slurp(const char *path)
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
    return text;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void redirect(int fd, const char *path, int flags)
{
    int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(99);
    close(file);
}

#define MAX_WORDS 24

static answer run_words(const sandbox *b, const char *input, const char *const *words)
{
    char *argv[MAX_WORDS + 2] = {(char *)(uintptr_t) "coppice"};
    for (size_t i = 0; words[i] != NULL; i++) {
        assert_true(i < MAX_WORDS);
        argv[i + 1] = (char *)(uintptr_t)words[i];
    }
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect(0, input ? input : "/dev/null", O_RDONLY);
        redirect(1, b->capture, O_WRONLY | O_CREAT | O_TRUNC);
        redirect(2, b->errors, O_WRONLY | O_CREAT | O_TRUNC);
        alarm(60);
        execv(b->program, argv);
        _exit(98);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    answer a = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
    if (a.status == 98)
        print_error("%s cannot be run; build it first or set COPPICE\n", b->program);
    a.out = slurp(b->capture);
    a.err = slurp(b->errors);
    return a;
}

#define RUN(b, ...) run_words((b), NULL, (const char *const[]){__VA_ARGS__, NULL})

static void answer_free(answer *a)
{
    cop_free(a->out);
    cop_free(a->err);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

#define EXPECT(cond, a, ...)                                                                       \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n  does not hold: %s\n  status %d\n  err: %s\n", #cond, (a)->status,     \
                        (a)->err);                                                                 \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* How many files the folder holds. */
static size_t files_in(const char *dir)
{
    DIR *d = opendir(dir);
    assert_non_null(d);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

/* -- inputs -- */

static const char good[] =
    "name: good\n"
    "run: {duration: 50 us, warmup: 10 us}\n"
    "topology: {kind: chain, hosts: [2, 2]}\n"
    "traffic:\n"
    "  - {name: F1, from: [0], pattern: fixed, to: 3}\n"
    "  - {name: F2, from: [1], pattern: fixed, to: 2, arrival: poisson, load: 30 %}\n";

/* A ring that can deadlock when it is told to do without datelines. */
static const char ring[] = "run: {duration: 200 us, sample: 5 us}\n"
                           "topology: {kind: torus, radix: [6], hosts: 1}\n"
                           "routing: {kind: dor}\n"
                           "switch: {buffer: 2 KiB}\n"
                           "traffic: [{pattern: tornado}]\n";

static int setup(void **state)
{
    sandbox *b = cop_alloc(sizeof(*b));
    const char *program = getenv("COPPICE");
    if (realpath(program ? program : "build/coppice", b->program) == NULL) {
        print_error("%s is missing; build it first or set COPPICE\n", program ? program : "");
        return -1;
    }
    strcpy(b->dir, "/tmp/coppice-cli-XXXXXX");
    if (mkdtemp(b->dir) == NULL || chdir(b->dir) != 0)
        return -1;
    snprintf(b->capture, sizeof(b->capture), "%s.out", b->dir);
    snprintf(b->errors, sizeof(b->errors), "%s.err", b->dir);
    *state = b;
    return 0;
}

static void empty_folder(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove(path);
    }
    if (d != NULL)
        closedir(d);
}

/* Every test begins with good.yaml alone. */
static int fresh(void **state)
{
    const sandbox *b = *state;
    empty_folder(b->dir);
    write_file("good.yaml", good);
    return 0;
}

static int teardown(void **state)
{
    sandbox *b = *state;
    empty_folder(b->dir);
    int rc = chdir("/") | rmdir(b->dir);
    remove(b->capture);
    remove(b->errors);
    cop_free(b);
    return rc;
}

/* -- help -- */

static void check_help(const sandbox *b, const char *command)
{
    char usage[64];
    answer a = RUN(b, command, "--help"), h = RUN(b, "help", command);
    snprintf(usage, sizeof(usage), "usage: coppice %s", command);
    EXPECT(a.status == 0, &a, "coppice %s --help", command);
    EXPECT(a.err[0] == '\0', &a, "coppice %s --help", command);
    EXPECT(strstr(a.out, strcmp(command, "help") ? usage : "usage: coppice") != NULL, &a,
           "coppice %s --help", command);
    EXPECT(strstr(a.out, "Exit status") != NULL, &a, "coppice %s --help", command);
    EXPECT(h.status == 0 && strstr(h.out, usage) != NULL, &h, "coppice help %s", command);
    answer_free(&a);
    answer_free(&h);
}

static void test_help_of_every_command(void **state)
{
    const sandbox *b = *state;
    answer a = RUN(b, "--help"), bare = run_words(b, NULL, (const char *const[]){NULL});
    assert_int_equal(a.status, 0);
    assert_string_equal(a.err, "");
    /* Without a command: the same text, but as an error. */
    assert_int_equal(bare.status, 2);
    assert_string_equal(bare.out, "");
    assert_string_equal(bare.err, a.out);
    char *line = strstr(a.out, "Commands\n");
    assert_non_null(line);
    size_t n = 0;
    for (line = strchr(line, '\n') + 1; strncmp(line, "  ", 2) == 0; n++) {
        char command[32];
        assert_int_equal(sscanf(line, "%31s", command), 1);
        check_help(b, command);
        line = strchr(line, '\n') + 1;
    }
    assert_true(n >= 5);
    answer_free(&a);
    answer_free(&bare);
    a = RUN(b, "--version");
    assert_int_equal(a.status, 0);
    assert_int_equal(strncmp(a.out, "coppice ", 8), 0);
    assert_int_equal(count_lines(a.out), 1);
    answer_free(&a);
}

/* -- run -- */

static json_t *run_json(const sandbox *b, const char *file, const char *set)
{
    answer a = RUN(b, "run", file, "--json", "--quiet", "--set", set);
    EXPECT(a.status == 0, &a, "coppice run %s --set %s", file, set);
    assert_string_equal(a.err, "");
    assert_int_equal(count_lines(a.out), 1);
    json_t *j = json_loads(a.out, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(j));
    answer_free(&a);
    return j;
}

static json_int_t whole(const json_t *j, const char *key)
{
    json_t *v = json_object_get(j, key);
    if (!json_is_integer(v)) {
        print_error("`%s` is missing or not an integer\n", key);
        fail();
    }
    return json_integer_value(v);
}

static double number(const json_t *j, const char *key)
{
    json_t *v = json_object_get(j, key);
    if (!json_is_number(v)) {
        print_error("`%s` is missing or not a number\n", key);
        fail();
    }
    return json_number_value(v);
}

static void test_json_has_the_agreed_keys(void **state)
{
    json_t *j = run_json(*state, "good.yaml", "run.seed=1");
    assert_int_equal(whole(j, "packets_lost"), 0);
    assert_true(whole(j, "packets_delivered") > 20);
    assert_int_equal(whole(j, "packets_injected"),
                     whole(j, "packets_delivered") + whole(j, "packets_in_flight"));
    assert_true(whole(j, "events") > 0);
    assert_true(whole(j, "packet_hops") >= 3 * whole(j, "packets_delivered"));
    assert_true(whole(j, "peak_rss_bytes") > 1000000);
    assert_true(number(j, "throughput_gbps") > 0.0);
    /* The mean is per end node: four of them. */
    assert_float_equal(number(j, "throughput_total_gbps"), (4 * number(j, "throughput_gbps")),
                       1e-3);
    assert_float_equal(number(j, "sim_time_ns"), 50000.0, 1e-3);
    assert_true(number(j, "cpu_seconds") >= 0.0);
    assert_true(number(j, "packet_hops_per_cpu_second") >= 0.0);
    const json_t *latency = json_object_get(j, "latency_ns");
    assert_true(number(latency, "mean") > 0.0);
    assert_true(number(latency, "p50") <= number(latency, "p99"));
    assert_true(number(latency, "p99") <= number(latency, "max"));
    assert_true(number(latency, "mean") <= number(latency, "max"));
    const char *hash = json_string_value(json_object_get(j, "run_hash"));
    assert_non_null(hash);
    assert_int_equal(strlen(hash), 16);
    assert_int_equal(strspn(hash, "0123456789abcdef"), 16);
    json_decref(j);
}

static void test_same_seed_same_result(void **state)
{
    static const char *const sets[] = {"run.seed=1", "run.event_queue=heap", "run.seed=2"};
    json_t *j[3];
    for (size_t i = 0; i < 3; i++)
        j[i] = run_json(*state, "good.yaml", sets[i]);
    const char *hash = json_string_value(json_object_get(j[0], "run_hash"));
    assert_string_equal(hash, json_string_value(json_object_get(j[1], "run_hash")));
    assert_string_not_equal(hash, json_string_value(json_object_get(j[2], "run_hash")));
    answer a = RUN(*state, "run", "good.yaml", "--json", "--quiet", "--seed", "2");
    assert_non_null(strstr(a.out, json_string_value(json_object_get(j[2], "run_hash"))));
    answer_free(&a);
    for (size_t i = 0; i < 3; i++)
        json_decref(j[i]);
}

static void test_tables_for_people(void **state)
{
    const sandbox *b = *state;
    answer a = RUN(b, "run", "good.yaml");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "throughput"));
    assert_non_null(strstr(a.out, "F1"));
    assert_null(strchr(a.out, '\033')); /* not a terminal: no colours */
    assert_string_equal(a.err, ""); /* over within a second: no progress */
    answer_free(&a);
    a = RUN(b, "run", "good.yaml", "--quiet");
    assert_string_equal(a.err, "");
    answer_free(&a);
    /* From standard input. */
    a = run_words(b, "good.yaml", (const char *const[]){"run", "-", "-q", "--json", NULL});
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.out, "\"run_hash\""));
    answer_free(&a);
}

static void test_deadlock_is_status_3(void **state)
{
    const sandbox *b = *state;
    write_file("ring.yaml", ring);
    answer a = RUN(b, "run", "ring.yaml", "-q", "--json");
    EXPECT(a.status == 0, &a, "a ring with datelines");
    answer_free(&a);
    /* Refused as long as nobody asks for it. */
    a = RUN(b, "run", "ring.yaml", "-q", "--set", "routing.datelines=no");
    EXPECT(a.status == 2 && count_lines(a.err) == 1, &a, "a ring without datelines");
    EXPECT(strstr(a.err, "run.allow_deadlock") != NULL, &a, "a ring without datelines");
    EXPECT(a.out[0] == '\0', &a, "a ring without datelines");
    answer_free(&a);
    a = RUN(b, "run", "ring.yaml", "-q", "--json", "--set", "routing.datelines=no", "--set",
            "run.allow_deadlock=yes");
    EXPECT(a.status == 3, &a, "a deadlock");
    EXPECT(strstr(a.err, "cycle of waiting ports") != NULL, &a, "a deadlock");
    json_t *j = json_loads(a.out, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(j, "outcome")), "deadlock");
    assert_true(whole(j, "packets_in_flight") > 0);
    assert_int_equal(whole(j, "packets_lost"), 0);
    json_decref(j);
    answer_free(&a);
}

/* -- bad input -- */

typedef struct fault {
    const char *what;
    const char *yaml; /* written to bad.yaml; NULL: good.yaml is used */
    const char *place; /* the line begins with it */
    const char *says; /* and says this */
    const char *extra[6]; /* further words on the command line */
} fault;

#define SINGLE "topology: {kind: single, hosts: 4}\n"
#define TRAFFIC "traffic: [{pattern: uniform}]\n"

/* Every fault is one line: place, what is wrong; what would be right. */
static const fault faults[] = {
    {"unknown section", SINGLE "swich: {lanes: 2}\n" TRAFFIC, "bad.yaml:2:1: ", "`switch`", {0}},
    {"unknown key", SINGLE "switch: {bufer: 64 KiB}\n" TRAFFIC, "bad.yaml:2:10: ", "`buffer`", {0}},
    {"unknown kind", "topology: {kind: singel}\n" TRAFFIC, "bad.yaml:1:18: ", "`single`", {0}},
    {"impossible topology",
     "topology: {kind: fat-tree, ports: 7}\n" TRAFFIC,
     "bad.yaml:1:",
     "ports is 7",
     {0}},
    {"too many hosts",
     "topology: {kind: single, hosts: 100000}\n" TRAFFIC,
     "bad.yaml:1:33: ",
     "1 .. 512",
     {0}},
    {"zero rate", SINGLE "link: {rate: 0}\n" TRAFFIC, "bad.yaml:2:14: ", "1 Mbit/s", {0}},
    {"no unit", SINGLE "link: {rate: 10}\n" TRAFFIC, "bad.yaml:2:14: ", "unit", {0}},
    {"buffer smaller than a packet",
     SINGLE "switch: {buffer: 1 KiB}\n" TRAFFIC,
     "bad.yaml:2:18: ",
     "2 KiB",
     {0}},
    {"head-room too small",
     SINGLE "flow_control: {kind: on-off, xoff: 1 KiB}\n" TRAFFIC,
     "bad.yaml:2:",
     "at least",
     {0}},
    {"buffer without room for the head-room",
     SINGLE "flow_control: {kind: on-off}\nswitch: {buffer: 2 KiB}\n" TRAFFIC,
     "bad.yaml:",
     "head-room",
     {0}},
    {"lane without weight",
     SINGLE "switch: {lanes: 2, vl_arbitration: ib, vl_low: [0, 1]}\n" TRAFFIC,
     "bad.yaml:2:",
     "lane 1",
     {0}},
    {"host that does not exist",
     SINGLE "traffic:\n  - {pattern: fixed, to: 9}\n",
     "bad.yaml:3:",
     "last host is 3",
     {0}},
    {"warm-up longer than the run",
     "run: {duration: 1 us, warmup: 2 us}\n" SINGLE TRAFFIC,
     "bad.yaml:1:",
     "run.duration",
     {0}},
    {"not YAML", "topology: {kind: single\n" TRAFFIC, "bad.yaml:", "not YAML", {0}},
    {"truncated", "topology: {kind: sin", "bad.yaml:", "not YAML", {0}},
    {"empty", "", "bad.yaml: ", "topology", {0}},
    {"binary", "\001\002\377", "bad.yaml:1:1: ", "UTF-8", {0}},
    {"topology file that is not there",
     "topology: {kind: file, path: nowhere.net}\n" TRAFFIC,
     "",
     "nowhere.net",
     {0}},
    {"table that is not there",
     SINGLE "routing: {kind: table, path: nowhere.lft}\n" TRAFFIC,
     "",
     "nowhere.lft",
     {0}},
    {"--set without value", NULL, "--set run: ", "key.path=value", {"--set", "run"}},
    {"--set of nothing", NULL, "--set =1: ", ";", {"--set", "=1"}},
    {"--set in no section", NULL, "--set swich.lanes=2: ", "`switch`", {"--set", "swich.lanes=2"}},
    {"--set of no option", NULL, "--set switch.lane=2: ", "`lanes`", {"--set", "switch.lane=2"}},
    {"--set out of range", NULL, "--set switch.lanes=99: ", "16", {"--set", "switch.lanes=99"}},
    {"--set of no entry", NULL, "--set traffic.7.to=1: ", ";", {"--set", "traffic.7.to=1"}},
    {"bad seed", NULL, "coppice run: ", "integer", {"--seed", "-1"}},
    {"unknown option", NULL, "coppice run: ", "`--json`", {"--jsno"}},
    {"option without value", NULL, "coppice run: ", "needs a value", {"--set"}},
    {"value for a flag", NULL, "coppice run: ", "takes no value", {"--json=1"}},
    {"two files", NULL, "coppice run: ", "one YAML file", {"other.yaml"}},
    {"bad --watch", NULL, "--watch: ", "src=HOST", {"--watch", "src"}},
    {"--db in no folder", NULL, "nowhere/x.db: ", "writable", {"--db", "nowhere/x.db"}},
    {"--db a folder", NULL, ".: ", "file", {"--db", "."}},
};

/* What is wrong with the program's answer to a fault; NULL: nothing. */
static const char *judge(const answer *a, const fault *f, bool wrote)
{
    return a->status != 2                                     ? "the status is not 2"
           : count_lines(a->err) != 1                         ? "it is not one line"
           : strncmp(a->err, f->place, strlen(f->place)) != 0 ? "it names another place"
           : strchr(a->err, ';') == NULL                      ? "it has no remedy"
           : strstr(a->err, f->says) == NULL                  ? "it says something else"
           : a->out[0] != '\0'                                ? "there is output"
           : wrote                                            ? "files were written"
                                                              : NULL;
}

static unsigned check_fault(const sandbox *b, const fault *f, const char *command, const char *file)
{
    const char *words[MAX_WORDS] = {command, file};
    size_t n = 2, before = files_in(".");
    for (size_t i = 0; i < COP_LEN(f->extra) && f->extra[i] != NULL; i++)
        words[n++] = f->extra[i];
    answer a = run_words(b, NULL, words);
    const char *wrong = judge(&a, f, files_in(".") != before);
    if (wrong != NULL)
        print_error("coppice %s, %s: %s\n  expected `%s... %s ...`\n  status %d: %s", command,
                    f->what, wrong, f->place, f->says, a.status, a.err);
    answer_free(&a);
    return wrong != NULL;
}

static void test_bad_input(void **state)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < COP_LEN(faults); i++) {
        const fault *f = &faults[i];
        if (f->yaml != NULL)
            write_file("bad.yaml", f->yaml);
        wrong += check_fault(*state, f, "run", f->yaml ? "bad.yaml" : "good.yaml");
        if (f->yaml != NULL) /* `check` finds the same */
            wrong += check_fault(*state, f, "check", "bad.yaml");
    }
    assert_int_equal(wrong, 0);
}

static void expect_one_line(answer a, const char *place, const char *says)
{
    EXPECT(a.status == 2, &a, "%s", says);
    EXPECT(count_lines(a.err) == 1, &a, "%s", says);
    EXPECT(strncmp(a.err, place, strlen(place)) == 0, &a, "%s", says);
    EXPECT(strstr(a.err, says) != NULL && strchr(a.err, ';') != NULL, &a, "%s", says);
    EXPECT(a.out[0] == '\0', &a, "%s", says);
    answer_free(&a);
}

static void test_bad_commands_and_files(void **state)
{
    const sandbox *b = *state;
    expect_one_line(RUN(b, "rnu", "good.yaml"), "coppice: ", "did you mean `run`");
    expect_one_line(RUN(b, "xyzzy"), "coppice: ", "--help");
    expect_one_line(RUN(b, "--hlep"), "coppice: ", "`--help`");
    expect_one_line(RUN(b, "help", "rnu"), "coppice: ", "`run`");
    expect_one_line(RUN(b, "run"), "coppice run: ", "no file");
    expect_one_line(RUN(b, "check"), "coppice check: ", "no file");
    expect_one_line(RUN(b, "run", "nowhere.yaml"), "nowhere.yaml: ", "No such file");
    expect_one_line(RUN(b, "check", "nowhere.yaml"), "nowhere.yaml: ", "No such file");
    expect_one_line(RUN(b, "run", "."), ".: ", "directory");
    expect_one_line(RUN(b, "list", "topology-s"), "coppice list: ", "topologies");
    expect_one_line(RUN(b, "list", "cc", "nnoe"), "coppice list: ", "`none`");
    expect_one_line(RUN(b, "list", "--jsno"), "coppice list: ", "`--json`");
    assert_int_equal(files_in("."), 1);
}

/* Several faults: one line each, in one go. */
static void test_all_faults_at_once(void **state)
{
    const sandbox *b = *state;
    write_file("bad.yaml", SINGLE "switch: {bufer: 1 KiB, lanes: 99}\nlink: {rate: 10}\n" TRAFFIC);
    answer a = RUN(b, "run", "bad.yaml");
    EXPECT(a.status == 2, &a, "three faults");
    EXPECT(count_lines(a.err) == 3, &a, "three faults");
    static const char *const places[] = {"bad.yaml:2:10: ", "bad.yaml:2:31: ", "bad.yaml:3:14: "};
    for (size_t i = 0; i < COP_LEN(places); i++)
        EXPECT(strstr(a.err, places[i]) != NULL, &a, "%s", places[i]);
    answer_free(&a);
}

/* -- a fabric of the user's own -- */

#define HOST(sw, port, guid)                                                                       \
    "caguid=0x" guid "\nCa 1 \"H-" guid "\" # \"node" guid " HCA-1\"\n[1](" guid ") \"S-" sw       \
    "\"[" port "] # \"leaf\" lid 1 4xEDR\n\n"
static const char fabric[] =
    "switchguid=0xa0(a0)\nSwitch 3 \"S-a0\" # \"leaf0\" base port 0 lid 1 lmc 0\n"
    "[1] \"H-10\"[1](10) # \"node10 HCA-1\" lid 10 4xEDR\n"
    "[2] \"H-11\"[1](11) # \"node11 HCA-1\" lid 11 4xEDR\n"
    "[3] \"S-b0\"[3] # \"leaf1\" lid 2 4xEDR\n\n"
    "switchguid=0xb0(b0)\nSwitch 3 \"S-b0\" # \"leaf1\" base port 0 lid 2 lmc 0\n"
    "[1] \"H-12\"[1](12) # \"node12 HCA-1\" lid 12 4xEDR\n"
    "[2] \"H-13\"[1](13) # \"node13 HCA-1\" lid 13 4xEDR\n"
    "[3] \"S-a0\"[3] # \"leaf0\" lid 1 4xEDR\n\n" HOST("a0", "1", "10") HOST("a0", "2", "11")
        HOST("b0", "1", "12") HOST("b0", "2", "13");

#define TABLE0 "Unicast lids [0-13] of switch Lid 1 guid 0x00000000000000a0 ('leaf0'):\n"
#define TABLE1 "Unicast lids [0-13] of switch Lid 2 guid 0x00000000000000b0 ('leaf1'):\n"
#define END(n) #n " lids dumped\n"
#define ROUTES0 TABLE0 "0x000a 001\n0x000b 002\n0x000c 003\n0x000d 003\n" END(4)
#define ROUTES1 TABLE1 "0x000a 003\n0x000b 003\n0x000c 001\n0x000d 002\n" END(4)

static const char on_fabric[] = "run: {duration: 20 us}\n"
                                "topology: {kind: file, path: fabric.net}\n"
                                "routing: {kind: table, path: fabric.lft}\n" TRAFFIC;

static void test_fabric_and_its_tables(void **state)
{
    const sandbox *b = *state;
    write_file("fabric.net", fabric);
    write_file("fabric.lft", ROUTES0 ROUTES1);
    write_file("fabric.yaml", on_fabric);
    answer a = RUN(b, "run", "fabric.yaml", "-q", "--json");
    EXPECT(a.status == 0, &a, "a fabric with its tables");
    answer_free(&a);
    /* A host that leaf1 does not reach, a port without a cable, a loop. */
    write_file("fabric.lft", ROUTES0 TABLE1 "0x000a 003\n0x000b 003\n0x000c 001\n" END(3));
    a = RUN(b, "run", "fabric.yaml", "-q");
    EXPECT(a.status == 2 && count_lines(a.err) == 1, &a, "a table that does not reach a host");
    EXPECT(strstr(a.err, "13") != NULL && strchr(a.err, ';') != NULL, &a, "which host");
    answer_free(&a);
    write_file("fabric.lft",
               ROUTES0 TABLE1 "0x000a 003\n0x000b 003\n0x000c 001\n0x000d 003\n" END(4));
    a = RUN(b, "run", "fabric.yaml", "-q");
    EXPECT(a.status == 2 && count_lines(a.err) == 1 && a.out[0] == '\0', &a, "a loop");
    EXPECT(strchr(a.err, ';') != NULL, &a, "a loop");
    answer_free(&a);
    /* Truncated in the middle of a record: at least one line, all with their place. */
    char half[300];
    snprintf(half, sizeof(half), "%.*s", 150, fabric);
    write_file("fabric.net", half);
    a = RUN(b, "run", "fabric.yaml", "-q");
    EXPECT(a.status == 2 && count_lines(a.err) >= 1 && a.out[0] == '\0', &a, "half a file");
    EXPECT(strstr(a.err, "fabric.net:") != NULL && strchr(a.err, ';') != NULL, &a, "half a file");
    answer_free(&a);
}

/* -- database, trace, check -- */

static int count_run(void *user, const cop_store_entry *run)
{
    (void)run;
    ++*(unsigned *)user;
    return 0;
}

static unsigned runs_in(const char *path)
{
    cop_store *s = NULL;
    cop_err err = {0};
    unsigned n = 0;
    assert_int_equal(cop_store_open(&s, path, false, &err), 0);
    assert_int_equal(cop_store_runs(s, count_run, &n, &err), 0);
    cop_store_close(s);
    return n;
}

static void test_database(void **state)
{
    const sandbox *b = *state;
    answer a = RUN(b, "run", "good.yaml", "-q", "--db", "x.db");
    EXPECT(a.status == 0, &a, "--db");
    assert_string_equal(a.err, "");
    answer_free(&a);
    assert_int_equal(runs_in("x.db"), 1);
    a = RUN(b, "run", "good.yaml", "--json", "--seed", "2", "--db", "x.db");
    EXPECT(a.status == 0 && strstr(a.err, "run 2 in x.db") != NULL, &a, "a second run");
    answer_free(&a);
    assert_int_equal(runs_in("x.db"), 2);
    /* Bad input adds no run, and makes no file. */
    a = RUN(b, "run", "good.yaml", "-q", "--set", "link.rate=0", "--db", "x.db");
    assert_int_equal(a.status, 2);
    answer_free(&a);
    assert_int_equal(runs_in("x.db"), 2);
    a = RUN(b, "run", "good.yaml", "-q", "--set", "switch.buffer=1 KiB", "--db", "y.db");
    assert_int_equal(a.status, 2);
    answer_free(&a);
    assert_int_not_equal(access("y.db", F_OK), 0);
    /* What is not a database stays as it was. */
    write_file("notes.txt", "not a database, but somebody's notes of many days\n");
    a = RUN(b, "run", "good.yaml", "-q", "--db", "notes.txt");
    EXPECT(a.status == 2 && count_lines(a.err) == 1, &a, "--db of a text file");
    answer_free(&a);
    char *text = slurp("notes.txt");
    assert_string_equal(text, "not a database, but somebody's notes of many days\n");
    cop_free(text);
    assert_int_equal(files_in("."), 3);
}

static void test_watch_prints_every_step(void **state)
{
    const sandbox *b = *state;
    answer a = RUN(b, "run", "good.yaml", "-q", "--json", "--watch", "src=0,from=2,count=1");
    static const char *const steps[] = {"injected at h0", "sent by h0",    "queued at s0.",
                                        "sent by s0.",    "queued at s1.", "sent by s1.",
                                        "delivered to h3"};
    assert_int_equal(a.status, 0);
    assert_int_equal(count_lines(a.err), COP_LEN(steps));
    const char *line = a.err;
    for (size_t i = 0; i < COP_LEN(steps); i++, line = strchr(line, '\n') + 1) {
        const char *step = strstr(line, steps[i]);
        EXPECT(step != NULL && step < strchr(line, '\n'), &a, "step %zu: %s", i, steps[i]);
        EXPECT(strstr(line, "packet 0:2  0 -> 3") != NULL, &a, "step %zu", i);
    }
    assert_non_null(strstr(a.out, "\"run_hash\"")); /* results apart from the trace */
    answer_free(&a);
}

static void test_check_prints_what_loads_again(void **state)
{
    const sandbox *b = *state;
    answer a = RUN(b, "check", "good.yaml", "--set", "switch.buffer=32 KiB");
    EXPECT(a.status == 0, &a, "check");
    assert_string_equal(a.err, "");
    assert_non_null(strstr(a.out, "32 KiB"));
    assert_non_null(strstr(a.out, "# network: 4 hosts, 2 switches"));
    write_file("again.yaml", a.out);
    answer second = RUN(b, "check", "again.yaml");
    EXPECT(second.status == 0, &second, "check of what check printed");
    assert_string_equal(a.out, second.out);
    answer_free(&a);
    answer_free(&second);
    json_t *first = run_json(b, "good.yaml", "switch.buffer=32 KiB");
    json_t *again = run_json(b, "again.yaml", "run.seed=1");
    assert_string_equal(json_string_value(json_object_get(first, "run_hash")),
                        json_string_value(json_object_get(again, "run_hash")));
    json_decref(first);
    json_decref(again);
}

/* -- output that cannot be written -- */

static void expect_write_error(const sandbox *b, int out, const char *what)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        redirect(2, b->errors, O_WRONLY | O_CREAT | O_TRUNC);
        dup2(out, 1);
        execl(b->program, "coppice", "run", "good.yaml", "-q", (char *)NULL);
        _exit(98);
    }
    close(out);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    answer a = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .err = slurp(b->errors)};
    EXPECT(a.status == 2 && count_lines(a.err) == 1, &a, "%s", what);
    EXPECT(strstr(a.err, "cannot write the output") != NULL, &a, "%s", what);
    cop_free(a.err);
}

static void test_closed_pipe_and_full_disk(void **state)
{
    int ends[2], full = open("/dev/full", O_WRONLY);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    expect_write_error(*state, ends[1], "a closed pipe");
    if (full >= 0)
        expect_write_error(*state, full, "a full disk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_help_of_every_command, fresh),
        cmocka_unit_test_setup(test_json_has_the_agreed_keys, fresh),
        cmocka_unit_test_setup(test_same_seed_same_result, fresh),
        cmocka_unit_test_setup(test_tables_for_people, fresh),
        cmocka_unit_test_setup(test_deadlock_is_status_3, fresh),
        cmocka_unit_test_setup(test_bad_input, fresh),
        cmocka_unit_test_setup(test_bad_commands_and_files, fresh),
        cmocka_unit_test_setup(test_all_faults_at_once, fresh),
        cmocka_unit_test_setup(test_fabric_and_its_tables, fresh),
        cmocka_unit_test_setup(test_database, fresh),
        cmocka_unit_test_setup(test_watch_prints_every_step, fresh),
        cmocka_unit_test_setup(test_check_prints_what_loads_again, fresh),
        cmocka_unit_test_setup(test_closed_pipe_and_full_disk, fresh),
    };
    return cmocka_run_group_tests_name("cli", tests, setup, teardown);
}
