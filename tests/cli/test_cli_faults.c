/* Bad input and bad luck as users meet them: each fault is one line with its place and a remedy, exit
 * status 2, and nothing is written. */
#include "cli_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

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
    {"absurdly many hosts",
     "topology: {kind: kary-ntree, k: 256, n: 8}\n" TRAFFIC,
     "bad.yaml:1:11: ",
     "at most 16777216",
     {0}},
    {"absurdly many ports",
     "topology: {kind: torus, radix: [65535, 65535, 65535, 65535]}\n" TRAFFIC,
     "bad.yaml:1:",
     "than fit",
     {0}},
    {"absurdly many queues",
     "topology: {kind: fat-tree, ports: 90}\nqueueing: {kind: voqnet}\n"
     "switch: {lanes: 16, buffer: 64 KiB}\n" TRAFFIC,
     "bad.yaml:2:11: ",
     "makes 787320000 queues",
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
    {"threshold of PAUSE where nothing pauses",
     SINGLE "flow_control: {xoff: 8 KiB}\n" TRAFFIC,
     "bad.yaml:2:",
     "set flow_control.kind to on-off, or leave out flow_control.xoff",
     {0}},
    {"empty lanes of which nobody tells",
     SINGLE "flow_control: {kind: on-off}\ncc: {kind: alo, free: empty}\n" TRAFFIC,
     "bad.yaml:3:",
     "set free to room, or flow_control.kind to credit",
     {0}},
    {"samples further apart than the run is long",
     SINGLE "cc: {kind: qcn, period: 100 ms}\nrun: {duration: 1 ms}\n" TRAFFIC,
     "bad.yaml:2:",
     "period 100 ms is longer than the run, 1 ms",
     {0}},
    {"signal that is heard after the run",
     SINGLE "cc: {kind: smai, timeout: 1 ms}\nrun: {duration: 1 ms}\n" TRAFFIC,
     "bad.yaml:2:",
     "no source slows down before 1.000064 ms (timeout and reach, then the end of that period)",
     {0}},
    {"delay that changes after the run",
     SINGLE "cc: {kind: smai, period: 2 ms}\nrun: {duration: 1 ms}\n" TRAFFIC,
     "bad.yaml:2:",
     "no source slows down before 2 ms",
     {0}},
    {"tuning after the run",
     SINGLE "cc: {kind: self-tuned, gather: 1 us, tune: 1000}\nrun: {duration: 1 ms}\n" TRAFFIC,
     "bad.yaml:2:",
     "the threshold does not move before 1 ms",
     {0}},
    {"buffer without room for the head-room",
     SINGLE "flow_control: {kind: on-off}\nswitch: {buffer: 2 KiB}\n" TRAFFIC,
     "bad.yaml:3:",
     "head-room",
     {0}},
    {"threshold of the command line for which a buffer has no room",
     SINGLE "flow_control: {kind: on-off}\nswitch: {buffer: 64 KiB}\n" TRAFFIC,
     "--set flow_control.xoff=200 kB",
     "is free space",
     {"--set", "flow_control.xoff=200 kB"}},
    {"packet of the command line for which buffers of the file have no room",
     SINGLE "switch: {buffer: 64 KiB}\n" TRAFFIC,
     "bad.yaml:2:",
     "for one packet (nic.mtu 200 kB of --set nic.mtu=200 kB, + overhead)",
     {"--set", "nic.mtu=200 kB"}},
    {"buffer too small for a packet of usual size",
     SINGLE "switch: {buffer: 1 KiB}\n" TRAFFIC,
     "bad.yaml:2:",
     "for one packet (nic.mtu 2 KiB, + overhead)",
     {0}},
    {"lane without weight",
     SINGLE "switch: {lanes: 2, vl_arbitration: ib, vl_low: [0, 1]}\n" TRAFFIC,
     "bad.yaml:2:",
     "lane 1",
     {0}},
    {"host that does not exist",
     SINGLE "traffic:\n  - {pattern: fixed, to: 9}\n",
     "bad.yaml:3:",
     "give one from 0 to 3",
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

/* What is wrong with the program's prog_answer to a fault; NULL: nothing. */
static const char *judge(const prog_answer *a, const fault *f, bool wrote)
{
    return a->status != 2                                     ? "the status is not 2"
           : prog_lines(a->err) != 1                          ? "it is not one line"
           : strncmp(a->err, f->place, strlen(f->place)) != 0 ? "it names another place"
           : strchr(a->err, ';') == NULL                      ? "it has no remedy"
           : strstr(a->err, f->says) == NULL                  ? "it says something else"
           : a->out[0] != '\0'                                ? "there is output"
           : wrote                                            ? "files were written"
                                                              : NULL;
}

static unsigned check_fault(const fault *f, const char *command, const char *file)
{
    const char *words[PROG_MAX_WORDS] = {command, file};
    size_t n = 2, before = prog_files();
    for (size_t i = 0; i < COP_LEN(f->extra) && f->extra[i] != NULL; i++)
        words[n++] = f->extra[i];
    prog_answer a = PROG_WAIT(prog_start((prog_how){0}, words));
    const char *wrong = judge(&a, f, prog_files() != before);
    if (wrong != NULL)
        print_error("coppice %s, %s: %s\n  expected `%s... %s ...`\n  status %d: %s", command,
                    f->what, wrong, f->place, f->says, a.status, a.err);
    return wrong != NULL;
}

static void test_bad_input(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < COP_LEN(faults); i++) {
        const fault *f = &faults[i];
        if (f->yaml != NULL)
            prog_write("bad.yaml", f->yaml);
        wrong += check_fault(f, "run", f->yaml ? "bad.yaml" : "good.yaml");
        if (f->yaml != NULL) /* `check` finds the same */
            wrong += check_fault(f, "check", "bad.yaml");
    }
    assert_int_equal(wrong, 0);
}

static void expect_one_line(prog_answer a, const char *place, const char *says)
{
    PROG_EXPECT(a.status == 2, a, "%s", says);
    PROG_EXPECT(prog_lines(a.err) == 1, a, "%s", says);
    PROG_EXPECT(strncmp(a.err, place, strlen(place)) == 0, a, "%s", says);
    PROG_EXPECT(strstr(a.err, says) != NULL && strchr(a.err, ';') != NULL, a, "%s", says);
    PROG_EXPECT(a.out[0] == '\0', a, "%s", says);
}

static void test_bad_commands_and_files(void **state)
{
    (void)state;
    expect_one_line(PROG_RUN("rnu", "good.yaml"), "coppice: ", "did you mean `run`");
    expect_one_line(PROG_RUN("xyzzy"), "coppice: ", "--help");
    expect_one_line(PROG_RUN("--hlep"), "coppice: ", "`--help`");
    expect_one_line(PROG_RUN("help", "rnu"), "coppice: ", "`run`");
    expect_one_line(PROG_RUN("run"), "coppice run: ", "no file");
    expect_one_line(PROG_RUN("check"), "coppice check: ", "no file");
    expect_one_line(PROG_RUN("run", "nowhere.yaml"), "nowhere.yaml: ", "No such file");
    expect_one_line(PROG_RUN("check", "nowhere.yaml"), "nowhere.yaml: ", "No such file");
    expect_one_line(PROG_RUN("check", "good.yaml", "--table", "s99"), "--table s99: ", "s0 to s");
    expect_one_line(PROG_RUN("check", "good.yaml", "--table", "s0", "--opensm"),
                    "coppice check: ", "--opensm and --table");
    expect_one_line(PROG_RUN("run", "."), ".: ", "directory");
    expect_one_line(PROG_RUN("list", "topology-s"), "coppice list: ", "topologies");
    expect_one_line(PROG_RUN("list", "cc", "nnoe"), "coppice list: ", "`none`");
    expect_one_line(PROG_RUN("list", "sections", "swich"), "coppice list: ", "`switch`");
    expect_one_line(PROG_RUN("list", "--jsno"), "coppice list: ", "`--json`");
    expect_one_line(PROG_RUN("list", "experiments", "no such thing"),
                    "coppice list: ", "`no such thing`");
    expect_one_line(PROG_RUN("list", "metrics", "no such thing"),
                    "coppice list: ", "`no such thing`");
    assert_int_equal(prog_files(), 1);
}

/* Several faults: one line each, in one go. */
/* Nothing from a file or the command line reaches the terminal as a command to it. */
static void test_terminal_is_not_obeyed(void **state)
{
    (void)state;
    prog_write("esc.yaml", "name: \"n\\e[31m\"\ntitle: \"t\\e]0;x\\a \\u202e \\u009b31m\"\n"
                           "run: {duration: 20 us, sample: 1 us}\n"
                           "topology: {kind: single, hosts: 3, names: [\"h\\e0\", h1, h2]}\n"
                           "traffic: [{name: \"F\\e[2J\", pattern: uniform}]\n");
    prog_write("esc-study.yaml",
               "experiment: e\ntitle: \"\\e[31m\"\nbase: esc.yaml\n"
               "vary: {\"a\\e\": {\"b\\e[2J\": {}, c: {}}}\n"
               "checks: {\"d\\e\": {of: {of: '1', min: 2}, explain: \"\\e[31m\"}}\n");
    prog_answer all[] = {
        PROG_RUN("run", "esc.yaml", "--db", "e.db", "--watch", "src=0,count=1"),
        PROG_RUN("check", "esc.yaml"),
        PROG_RUN("sweep", "esc-study.yaml", "--db", "e.db"),
        PROG_RUN("report", "e.db", "--text"),
        PROG_RUN("run", "\x1b[31m\xc2\x9b.yaml"),
        PROG_RUN("\x1b[31m"),
        PROG_RUN("run", "esc.yaml", "--set", "\x1b[31m=\xe2\x80\xae"),
        PROG_RUN("reproduce", "\x1b[31m"),
        PROG_RUN("reproduce", "--scale", "\x1b[31m", "x"),
    };
    for (size_t i = 0; i < COP_LEN(all); i++)
        for (int err = 0; err < 2; err++) {
            const char *text = err ? all[i].err : all[i].out;
            if (strchr(text, '\x1b') || strstr(text, "\xc2\x9b") || strstr(text, "\xe2\x80\xae"))
                fail_msg("command %zu prints: %s", i, text);
        }
    assert_int_equal(all[0].status, 0);
    assert_non_null(strstr(all[0].out, "F [2J"));
    assert_non_null(strstr(all[0].err, "injected at h 0"));
    assert_int_equal(all[1].status, 0);
    assert_non_null(strstr(all[2].out, "why:   [31m"));
}

/* What the program says about traffic and names is true. */
static void test_silent_traffic_and_empty_names(void **state)
{
    (void)state;
    prog_write("late.yaml", "run: {duration: 20 us}\n" SINGLE
                            "traffic: [{name: late, pattern: uniform, start: 50 us},"
                            " {name: later, pattern: uniform, active: [60 us, 70 us]}]\n");
    prog_answer a = PROG_RUN("run", "late.yaml", "--quiet");
    assert_int_equal(a.status, 0);
    assert_null(strstr(a.out, "none; add"));
    assert_non_null(
        strstr(a.out, "`late` sends nothing: it begins at 50 us, the run ends at 20 us"));
    assert_non_null(strstr(a.out, "`later` sends nothing: it begins at 60 us"));
    prog_write("none.yaml", "run: {duration: 20 us}\n" SINGLE);
    a = PROG_RUN("run", "none.yaml", "--quiet");
    assert_non_null(strstr(a.out, "traffic      none; add a `traffic` list"));
    expect_one_line(PROG_RUN("reproduce", "", "--judge"), "coppice reproduce: ", "an empty name");
    expect_one_line(PROG_RUN("reproduce", "--list", ""), "coppice reproduce: ", "an empty name");
    expect_one_line(PROG_RUN("reproduce", "--list", "gran9"),
                    "coppice reproduce: ", "no paper, experiment or check is called `gran9`");
}

static void test_all_faults_at_once(void **state)
{
    (void)state;
    prog_write("bad.yaml", SINGLE "switch: {bufer: 1 KiB, lanes: 99}\nlink: {rate: 10}\n" TRAFFIC);
    prog_answer a = PROG_RUN("run", "bad.yaml");
    PROG_EXPECT(a.status == 2, a, "three faults");
    PROG_EXPECT(prog_lines(a.err) == 3, a, "three faults");
    static const char *const places[] = {"bad.yaml:2:10: ", "bad.yaml:2:31: ", "bad.yaml:3:14: "};
    for (size_t i = 0; i < COP_LEN(places); i++)
        PROG_EXPECT(strstr(a.err, places[i]) != NULL, a, "%s", places[i]);
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
    (void)state;
    prog_write("fabric.net", fabric);
    prog_write("fabric.lft", ROUTES0 ROUTES1);
    prog_write("fabric.yaml", on_fabric);
    prog_answer a = PROG_RUN("run", "fabric.yaml", "-q", "--json");
    PROG_EXPECT(a.status == 0, a, "a fabric with its tables");
    /* A host that leaf1 does not reach, a port without a cable, a loop. */
    prog_write("fabric.lft", ROUTES0 TABLE1 "0x000a 003\n0x000b 003\n0x000c 001\n" END(3));
    a = PROG_RUN("run", "fabric.yaml", "-q");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1, a, "a table that does not reach a host");
    PROG_EXPECT(strstr(a.err, "13") != NULL && strchr(a.err, ';') != NULL, a, "which host");
    prog_write("fabric.lft",
               ROUTES0 TABLE1 "0x000a 003\n0x000b 003\n0x000c 001\n0x000d 003\n" END(4));
    a = PROG_RUN("run", "fabric.yaml", "-q");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1 && a.out[0] == '\0', a, "a loop");
    PROG_EXPECT(strchr(a.err, ';') != NULL, a, "a loop");
    /* Truncated in the middle of a record: at least one line, all with their place. */
    char half[300];
    snprintf(half, sizeof(half), "%.*s", 150, fabric);
    prog_write("fabric.net", half);
    a = PROG_RUN("run", "fabric.yaml", "-q");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) >= 1 && a.out[0] == '\0', a, "half a file");
    PROG_EXPECT(strstr(a.err, "fabric.net:") != NULL && strchr(a.err, ';') != NULL, a,
                "half a file");
}

/* -- output that cannot be written -- */

/* One line, which says what and why, and status 2, whatever was to be written and how. */
static void expect_write_error(const char *why, const char *const *words, const char *what)
{
    int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    prog_answer a = prog_run_into(full, words);
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1, a, "%s", what);
    PROG_EXPECT(strstr(a.err, why) != NULL && strstr(a.err, strerror(ENOSPC)) != NULL, a, "%s",
                what);
}

static void test_closed_pipe_and_full_disk(void **state)
{
    (void)state;
    static const char stdout_is_full[] = "cannot write the output to standard output: ";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    prog_answer a = prog_run_into(ends[1], PROG_WORDS("run", "good.yaml", "-q"));
    PROG_EXPECT(a.status == 2 && a.err[0] == '\0', a, "a closed pipe ends it, and says nothing");
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    a = prog_run_into(ends[1], PROG_WORDS("run", "good.yaml", "-q", "--json"));
    PROG_EXPECT(a.status == 2 && a.err[0] == '\0', a, "nor does JSON");
    if (access("/dev/full", W_OK) != 0)
        return;
    expect_write_error(stdout_is_full, PROG_WORDS("run", "good.yaml", "-q"), "run");
    expect_write_error(stdout_is_full, PROG_WORDS("run", "good.yaml", "-q", "--json"),
                       "run --json, whose writer ends with its first write that fails");
    expect_write_error(stdout_is_full, PROG_WORDS("list"), "list");
    expect_write_error(stdout_is_full, PROG_WORDS("list", "--json"), "list --json");
    expect_write_error(stdout_is_full, PROG_WORDS("check", "good.yaml"), "check");
    expect_write_error(stdout_is_full, PROG_WORDS("bench", "--help"), "help");
    a = PROG_RUN("run", "good.yaml", "-q", "--timeline", "/dev/full");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1 && strstr(a.err, "/dev/full: ") != NULL &&
                    strstr(a.err, strerror(ENOSPC)) != NULL,
                a, "a timeline");
    assert_int_equal(PROG_RUN("run", "good.yaml", "-q", "--db", "good.db").status, 0);
    a = PROG_RUN("report", "good.db", "-o", "/dev/full");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1 && strstr(a.err, "/dev/full: ") != NULL &&
                    strstr(a.err, strerror(ENOSPC)) != NULL,
                a, "a report");
    expect_write_error(stdout_is_full, PROG_WORDS("report", "good.db", "--text"), "report --text");
    expect_write_error(stdout_is_full, PROG_WORDS("report", "good.db", "-o", "-"), "report -o -");
}

/* What a trace or a timeline cannot be written to: a disk that is full after the result's few lines, a pipe that no
 * program reads. */
static void test_traces_that_cannot_be_written(void **state)
{
    (void)state;
    prog_how how = {.max_file_bytes = 20000};
    prog_answer a =
        prog_wait(how, prog_start(how, PROG_WORDS("run", "good.yaml", "-q", "--watch", "src=0",
                                                  "--set", "run.watch_limit=1000")));
    PROG_EXPECT(a.status == 2 && strstr(a.out, "delivered") != NULL, a, "--watch on a full disk");
    how.max_file_bytes = 0;
    a = prog_wait(how, prog_start(how, PROG_WORDS("run", "good.yaml", "-q", "--watch", "src=0")));
    PROG_EXPECT(a.status == 0, a, "--watch on one with room");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    a = PROG_RUN("run", "good.yaml", "-q", "--timeline", "fifo");
    PROG_EXPECT(a.status == 2 && prog_lines(a.err) == 1 &&
                    strstr(a.err, "fifo: is no regular file; ") != NULL,
                a, "a timeline into a FIFO");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_bad_input, fresh),
        cmocka_unit_test_setup(test_bad_commands_and_files, fresh),
        cmocka_unit_test_setup(test_terminal_is_not_obeyed, fresh),
        cmocka_unit_test_setup(test_silent_traffic_and_empty_names, fresh),
        cmocka_unit_test_setup(test_all_faults_at_once, fresh),
        cmocka_unit_test_setup(test_fabric_and_its_tables, fresh),
        cmocka_unit_test_setup(test_closed_pipe_and_full_disk, fresh),
        cmocka_unit_test_setup(test_traces_that_cannot_be_written, fresh),
    };
    return cmocka_run_group_tests_name("cli_faults", tests, prog_enter, prog_leave);
}
