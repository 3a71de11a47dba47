/* Mechanisms from outside: the example of docs/ADDING.md does what it says, given in memory and as a shared
 * object; a bad one is refused with one line, and nothing of it stays. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#include "../../examples/aimd.c"
#include "base/opt.h"
#include "coppice.h"
#include "exp/plugins.h"

#include <limits.h>
#include <sqlite3.h>

static const char two_switches[] = "run: {duration: 20 ms, warmup: 5 ms}\n"
                                   "topology: {kind: chain, hosts: [3, 4]}\n"
                                   "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                                   "traffic:\n"
                                   "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                                   "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";

static char root[PATH_MAX];

static int enter(void **state)
{
    return getcwd(root, sizeof(root)) == NULL ? -1 : prog_enter(state);
}

static int fresh(void **state)
{
    (void)state;
    prog_empty_folder();
    return 0;
}

/* -- in memory -- */

static double victim_gbps(const coppice_plugins *plugins, const char *kind)
{
    char set[60];
    coppice_config *c = coppice_open_text("two", two_switches);
    if (plugins != NULL && coppice_plug(c, plugins) != 0)
        fail_msg("%s", coppice_error(c));
    snprintf(set, sizeof(set), "cc.kind=%s", kind);
    assert_int_equal(coppice_set(c, set), 0);
    coppice_result *r = coppice_run(c);
    if (r == NULL)
        fail_msg("%s", coppice_error(c));
    double gbps = coppice_stream_gbps(r, (size_t)coppice_stream_find(r, "victim"));
    assert_int_equal(coppice_outcome(r), COPPICE_OK);
    char kept[40];
    snprintf(kept, sizeof(kept), "kind: %s\n", kind);
    assert_non_null(strstr(coppice_text(c), kept));
    coppice_close(c);
    coppice_free(r);
    return gbps;
}

static void test_in_memory(void **state)
{
    (void)state;
    assert_true(victim_gbps(NULL, "none") < 3.5);
    assert_true(victim_gbps(&coppice_plugin_table, "none") < 3.5);
    assert_true(victim_gbps(&coppice_plugin_table, "aimd") > 9.5);
}

/* What is added to one handle is not there in another. */
static void test_of_one_handle(void **state)
{
    (void)state;
    coppice_config *a = coppice_open_text("a", two_switches);
    coppice_config *b = coppice_open_text("b", two_switches);
    assert_int_equal(coppice_plug(a, &coppice_plugin_table), 0);
    assert_int_equal(coppice_set(a, "cc.kind=aimd") | coppice_set(b, "cc.kind=aimd"), 0);
    assert_int_equal(coppice_check(a), 0);
    assert_int_equal(coppice_check(b), -1);
    assert_non_null(strstr(coppice_error(b), "unknown kind of cc `aimd`"));
    /* Its own check refuses, as one of ours would. */
    coppice_set(a, "cc.least=20 Gbit/s");
    assert_int_equal(coppice_check(a), -1);
    assert_non_null(strstr(coppice_error(a), "least is not below the links of hosts"));
    coppice_close(a);
    coppice_close(b);
}

/* -- all families -- */

static int ring_build(cop_topo *t, const void *cfg, cop_err *err)
{
    (void)cfg;
    static const uint32_t ports[] = {3, 3, 3};
    cop_topo_begin(t, 3, 3, ports);
    for (uint32_t s = 0; s < 3; s++) {
        cop_topo_cable(t, cop_topo_switch_port(t, s, 1), cop_topo_switch_port(t, (s + 1) % 3, 2),
                       COP_LINK_TRUNK);
        cop_topo_cable(t, cop_topo_switch_port(t, s, 0), cop_topo_host_port(t, s), COP_LINK_HOST);
    }
    return cop_topo_finish(t, err);
}

static int short_setup(cop_route *r, const void *cfg, cop_err *err)
{
    (void)cfg, (void)err;
    r->facts.memoryless = true;
    return 0;
}

/* In a ring of three all switches are neighbours. */
static unsigned short_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                            cop_cand *cand)
{
    (void)r, (void)view;
    uint32_t port = hop->dst == hop->sw ? 0 : hop->dst == (hop->sw + 1) % 3 ? 1 : 2;
    cand[0] = (cop_cand){.port = (uint16_t)port};
    return 1;
}

static void one_layout(const void *cfg, const cop_netinfo *info, uint32_t ports,
                       cop_queue_layout *l)
{
    (void)cfg, (void)ports;
    l->queues = info->lanes;
}

static uint32_t one_select(const void *cfg, const cop_netinfo *info, const cop_pkt *p)
{
    (void)cfg, (void)info;
    return p->vl;
}

static const cop_topo_ops ring3 = {
    .name = "ring3", .summary = "three switches", .source = "test", .build = ring_build};
static const cop_route_ops short3 = {.name = "short3",
                                     .summary = "to the neighbour",
                                     .source = "test",
                                     .in_order = true,
                                     .setup = short_setup,
                                     .route = short_route};
static const cop_queue_ops one = {.name = "one",
                                  .summary = "a queue per lane",
                                  .source = "test",
                                  .layout = one_layout,
                                  .select = one_select};

static void test_every_family(void **state)
{
    (void)state;
    const coppice_plugins all = {.interface = COP_INTERFACE,
                                 COP_TOPOLOGIES(&ring3),
                                 COP_ROUTINGS(&short3),
                                 COP_QUEUEINGS(&one),
                                 COP_CCS(&aimd)};
    coppice_config *c = coppice_open_text(
        "ring",
        "run: {duration: 100 us}\ntopology: {kind: ring3}\nrouting: {kind: short3}\n"
        "queueing: {kind: one}\ncc: {kind: aimd}\ntraffic: [{arrival: poisson, load: 50 %}]\n");
    assert_int_equal(coppice_plug(c, &all), 0);
    coppice_result *r = coppice_run(c);
    if (r == NULL)
        fail_msg("%s", coppice_error(c));
    assert_int_equal(coppice_outcome(r), COPPICE_OK);
    assert_true(coppice_scalar(r, "packets_delivered") > 100);
    coppice_free(r);
    coppice_close(c);
}

/* A routing that asks for the load of local port 0 plus `away`; a switch has three. */
static uint32_t away;

static unsigned far_route(const cop_route *r, cop_hop *hop, const cop_route_view *view,
                          cop_cand *cand)
{
    if (view != NULL) /* else the dependency check asks */
        (void)view->load(view->ctx, away, 0);
    return short_route(r, hop, view, cand);
}

/* How a child ends that runs it: 0, or the signal. */
static int far_ends(uint32_t port)
{
    static const cop_route_ops far3 = {.name = "far3",
                                       .summary = "asks",
                                       .source = "test",
                                       .in_order = true,
                                       .setup = short_setup,
                                       .route = far_route};
    const coppice_plugins all = {
        .interface = COP_INTERFACE, COP_TOPOLOGIES(&ring3), COP_ROUTINGS(&far3)};
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        away = port;
        coppice_config *c = coppice_open_text(
            "far", "run: {duration: 10 us}\ntopology: {kind: ring3}\n"
                   "routing: {kind: far3}\ntraffic: [{arrival: poisson, load: 50 %}]\n");
        if (freopen("/dev/null", "w", stderr) == NULL || coppice_plug(c, &all) != 0)
            _exit(2);
        _exit(coppice_run(c) != NULL ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_a_routing_asks_its_own_switch_only(void **state)
{
    (void)state;
    assert_int_equal(far_ends(2), 0);
    assert_int_equal(far_ends(3), SIGABRT);
}

/* -- refused -- */

static void refused(const coppice_plugins *table, const char *why)
{
    cop_plugin_set set = {0};
    cop_err err = {0};
    assert_int_equal(cop_plugins_add(&set, table, &err), -COP_E_INPUT);
    if (err.faults != 1 || strstr(err.text, why) == NULL)
        fail_msg("`%s` does not say `%s`", err.text, why);
    assert_int_equal(set.n, 0);
    cop_plugins_free(&set);
}

#define REFUSED(why, ...) refused(&(coppice_plugins){.interface = COP_INTERFACE, __VA_ARGS__}, why)

static void test_bad_tables(void **state)
{
    (void)state;
    coppice_plugins other = coppice_plugin_table;
    other.interface[0]++;
    refused(&other, "made for version 3 of the plug-in interface, and this is version 2");
    refused(&(coppice_plugins){.interface = COP_INTERFACE}, "has no plug-ins");
    cop_cc_ops cc = aimd;
    cc.name = "ibcc";
    REFUSED("cc `ibcc` is there already", COP_CCS(&cc));
    REFUSED("cc `aimd` is there already", COP_CCS(&aimd, &aimd));
    static const char *const names[] = {NULL, "", "Aimd", "a b", "9", "a\nb", "a/b"};
    for (size_t i = 0; i < COP_LEN(names); i++) {
        cc.name = names[i];
        REFUSED("is no name of a kind", COP_CCS(&cc));
    }
    cc = aimd;
    cc.summary = NULL;
    REFUSED("no summary", COP_CCS(&cc));
    cc = aimd;
    cc.flow_size = 0;
    REFUSED("has no `flow_size`", COP_CCS(&cc));
    cc = aimd;
    cc.cfg_size = 8;
    REFUSED("has an option `least` that lies behind the end of cfg_size", COP_CCS(&cc));
    cop_opt opts[] = {{"x", COP_OPT_INT, 0, "1", 0, 0, NULL, NULL}, {0}};
    cc = aimd;
    cc.opts = opts;
    REFUSED("without name or help", COP_CCS(&cc));
    opts[0].help = "text";
    opts[0].type = COP_OPT_ENUM;
    REFUSED("has an option `x` that is of words, and has none", COP_CCS(&cc));
    opts[0] = (cop_opt){"x", COP_OPT_BYTES, 0, "20 kbit", 0, 1e9, NULL, "text"};
    REFUSED("has an option `x` that does not take its default `20 kbit`", COP_CCS(&cc));
    opts[0].type = (enum cop_opt_type)77;
    REFUSED("unknown type", COP_CCS(&cc));
    static const cop_value shown[] = {{"x", ""}, {NULL, NULL}};
    cc = aimd;
    cc.shown.port_values = shown;
    REFUSED("has no `port_value`", COP_CCS(&cc));
    cop_route_ops route = short3;
    route.port_values = shown;
    REFUSED("has no `port_value`", COP_ROUTINGS(&route));
    route = short3;
    route.route = NULL;
    REFUSED("routing `short3` has no `route`", COP_ROUTINGS(&route));
    route = short3;
    route.name = "auto";
    REFUSED("is there already", COP_ROUTINGS(&route));
    cop_queue_ops queue = one;
    queue.select = NULL;
    REFUSED("queueing `one` has no `select`", COP_QUEUEINGS(&queue));
    cop_topo_ops topo = ring3;
    topo.build = NULL;
    REFUSED("topology `ring3` has no `build`", COP_TOPOLOGIES(&topo));
    /* One bad, all refused. */
    REFUSED("has no `build`", COP_CCS(&aimd), COP_TOPOLOGIES(&topo));
}

static void test_too_many(void **state)
{
    (void)state;
    cop_plugin_set set = {0};
    cop_err err = {0};
    char name[COP_MAX_OUTSIDE + 1][8];
    for (size_t i = 0; i <= COP_MAX_OUTSIDE; i++) {
        cop_cc_ops cc = aimd;
        snprintf(name[i], sizeof(name[i]), "c%zu", i);
        cc.name = name[i];
        coppice_plugins table = {.interface = COP_INTERFACE, COP_CCS(&cc)};
        assert_int_equal(cop_plugins_add(&set, &table, &err),
                         i < COP_MAX_OUTSIDE ? 0 : -COP_E_INPUT);
    }
    assert_int_equal(set.n, COP_MAX_OUTSIDE);
    assert_non_null(strstr(err.text, "one too many"));
    cop_plugins_free(&set);
}

/* -- shared objects, with the program -- */

static void compile(const char *source, const char *object, const char *flags)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof(command), "cc -shared -fPIC -std=c11 %s -I'%s/src' %s -o %s", flags,
             root, source, object);
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static prog_answer run(const char *const *words)
{
    return prog_wait((prog_how){0}, prog_start((prog_how){0}, words));
}
#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void must_say(prog_answer a, int status, const char *out, const char *err)
{
    if (a.status != status || strstr(a.out, out) == NULL || strstr(a.err, err) == NULL)
        fail_msg("status %d, expected %d with `%s` `%s`:\n%s%s", a.status, status, out, err, a.out,
                 a.err);
}

/* examples/NAME.c to NAME.so. */
static void compile_example(const char *name)
{
    char source[PATH_MAX + 40], object[40];
    snprintf(source, sizeof(source), "'%s/examples/%s.c'", root, name);
    snprintf(object, sizeof(object), "%s.so", name);
    compile(source, object, "-O1");
}

static void test_program(void **state)
{
    (void)state;
    write_file("two.yaml", two_switches);
    compile_example("aimd");
    must_say(RUN("run", "two.yaml", "--plugin", "./aimd.so", "--set", "cc.kind=aimd", "--quiet"), 0,
             "victim   h0 -> h3                    10.000", "");
    must_say(RUN("check", "two.yaml", "-p", "aimd.so", "--set", "cc.kind=aimd"), 0, "kind: aimd",
             "");
    must_say(RUN("list", "cc", "aimd", "-p", "aimd.so"), 0, "won back per period", "");
    must_say(RUN("run", "two.yaml", "--set", "cc.kind=aimd"), 2, "", "unknown kind of cc `aimd`");
    must_say(RUN("list", "cc", "-p", "aimd.so", "-p", "./aimd.so"), 2, "", "is given twice");
}

/* A window: the congestion tree does not reach the victim, which has its rate. */
static void test_window(void **state)
{
    (void)state;
    write_file("two.yaml", two_switches);
    compile_example("window");
    must_say(RUN("run", "two.yaml", "-p", "./window.so", "--set", "cc.kind=window", "--quiet"), 2,
             "", "cc window needs acknowledgements; set nic.ack to packet");
    must_say(RUN("run", "two.yaml", "-p", "./window.so", "--set", "cc.kind=window", "--set",
                 "nic.ack=packet", "--quiet"),
             0, "victim   h0 -> h3                    10.000", "");
}

/* A limit of injection: with none of its lanes in use a message enters, so everything arrives. */
static void test_limit(void **state)
{
    (void)state;
    write_file("torus.yaml",
               "run: {duration: 20 us, drain: yes}\ntopology: {kind: torus, radix: [4, 4]}\n"
               "queueing: {kind: 1q}\nrouting: {kind: true-adaptive}\n"
               "traffic: [{pattern: uniform, arrival: poisson, load: 60 %, stop: 15 us}]\n");
    compile_example("few_lanes");
    const char *const lanes[] = {"cc={kind: few-lanes, lanes: 0}",
                                 "cc={kind: few-lanes, lanes: 4}"};
    for (size_t i = 0; i < COP_LEN(lanes); i++)
        must_say(RUN("run", "torus.yaml", "-p", "./few_lanes.so", "--set", lanes[i], "--quiet"), 0,
                 " 0 in flight, 0 lost", "");
}

/* A routing that uses what dragonflies have in common. */
static void test_dragonfly_routing(void **state)
{
    (void)state;
    char file[PATH_MAX + 40];
    snprintf(file, sizeof(file), "%s/examples/dragonfly.yaml", root);
    compile_example("emptier");
    prog_answer a =
        RUN("run", file, "-p", "./emptier.so", "--set", "routing.kind=emptier", "--set",
            "cc.kind=none", "--set", "run.duration=60 us", "--set", "run.warmup=20 us", "--quiet");
    must_say(a, 0, "routing emptier", "");
    assert_non_null(strstr(a.out, "packets_misrouted"));
    must_say(RUN("check", file, "-p", "./emptier.so", "--set", "routing.kind=emptier", "--set",
                 "cc.kind=none", "--table", "s0"),
             0, "q(10) <= q(other) + margin", "");
}

static int count(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open("r.db", &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* A sweep says in the database how each run is repeated, and takes results of the same code only. */
static void test_sweep(void **state)
{
    (void)state;
    char source[PATH_MAX + 40];
    snprintf(source, sizeof(source), "'%s/examples/aimd.c'", root);
    write_file("two.yaml", two_switches);
    write_file("study.yaml", "experiment: mine\ntitle: mine\nbase: two.yaml\n"
                             "set: {run.duration: 1 ms, run.warmup: 0}\n"
                             "runs:\n  - name: a\n    vary: {cc: {none: {cc.kind: none}, aimd: "
                             "{cc.kind: aimd}}}\n");
    compile_example("aimd");
    must_say(RUN("sweep", "study.yaml", "-p", "aimd.so", "--db", "r.db", "-q"), 0, "2 runs in r.db",
             "");
    must_say(RUN("sweep", "study.yaml", "--db", "r.db", "-q"), 2, "", "unknown kind of cc `aimd`");
    assert_int_equal(
        count("SELECT count(*) FROM run WHERE command LIKE '%--plugin ''/%aimd.so''%'"), 2);
    /* Other code under the same name: only its own run is made again. */
    compile(source, "aimd.so", "-O2 -Daimd_next_send=other");
    must_say(RUN("sweep", "study.yaml", "-p", "aimd.so", "--db", "r.db", "-q"), 0, "2 runs in r.db",
             "");
    assert_int_equal(count("SELECT count(*) FROM run"), 3);
}

static void test_bad_files(void **state)
{
    (void)state;
    write_file("text.so", "no shared object\n");
    must_say(RUN("list", "-p", "text.so"), 2, "", "text.so: cannot be loaded");
    must_say(RUN("list", "-p", "none.so"), 2, "", "none.so: cannot be read");
    must_say(RUN("list", "-p", "."), 2, "", ".: cannot be read");
    write_file("empty.c", "int nothing;\n");
    compile("empty.c", "empty.so", "");
    must_say(RUN("list", "-p", "empty.so"), 2, "", "empty.so: has no plug-ins");
    write_file("needs.c",
               "#include <exp/plugin.h>\nvoid nobody(void);\n"
               "static int b(cop_topo *t, const void *c, cop_err *e)\n"
               "{ (void)t, (void)c, (void)e; nobody(); return 0; }\n"
               "static const cop_topo_ops o = {.name = \"o\", .summary = \"\", .source = "
               "\"\", .build = b};\nCOPPICE_PLUGINS(COP_TOPOLOGIES(&o));\n");
    compile("needs.c", "needs.so", "");
    must_say(RUN("list", "-p", "needs.so"), 2, "", "undefined symbol: nobody");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_of_one_handle),
        cmocka_unit_test(test_every_family),
        cmocka_unit_test(test_a_routing_asks_its_own_switch_only),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test_setup(test_program, fresh),
        cmocka_unit_test_setup(test_window, fresh),
        cmocka_unit_test_setup(test_limit, fresh),
        cmocka_unit_test_setup(test_dragonfly_routing, fresh),
        cmocka_unit_test_setup(test_sweep, fresh),
        cmocka_unit_test_setup(test_bad_files, fresh),
    };
    return cmocka_run_group_tests_name("outside", tests, enter, prog_leave);
}
