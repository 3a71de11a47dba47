/* Readers of GOAL and of htsim's matrices: what they make of good files, and one clear line for every kind of bad one. */
#include "read_fixture.h"

static void goal_refused(const char *text, const char *what)
{
    refuse("t", text, strlen(text), what);
}

#define TWO "num_ranks 2\nrank 1 {\n}\nrank 0 {\n"

static void test_goal_faults(void **state)
{
    (void)state;
    goal_refused("", "t:1: the file is empty; begin with `num_ranks N`");
    goal_refused("hello\n", "t:1: is not GOAL");
    goal_refused("num_ranks 0\n", "t:1: num_ranks `0`; give one number from 1 to 1048576");
    goal_refused("num_ranks 99999999999999999999\n", "num_ranks");
    goal_refused("num_ranks 2 3\n", "num_ranks `2`");
    goal_refused("num_ranks 2\nrank 2 {\n}\n", "t:2: rank `2 {`; give one from 0 to 1");
    goal_refused("num_ranks 1\ncalc 5\n", "t:2: `calc` outside of a rank");
    goal_refused("num_ranks 1\nrank 0\n{\n}\n", "t:2: no `{` ends this line; write `rank 0 {`");
    goal_refused("num_ranks 2\nrank 0 {\n}\n", "rank 1 has no block");
    goal_refused("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", "t:4: rank 0 has a block already");
    goal_refused("num_ranks 1\nrank 0 {\ncalc 5\n", "the file ends inside rank 0; it is cut short");
    goal_refused("num_ranks 1 /* and\nno end", "t:2: the file ends inside a comment");
    goal_refused(TWO "l1: send 8 to 1\n}\n", "t:5: size `8`; give bytes");
    goal_refused(TWO "l1: send 8b from 1\n}\n", "t:5: `from` where `to` should be");
    goal_refused(TWO "l1: send 8b to 7\n}\n", "t:5: rank `7`; give one from 0 to 1");
    goal_refused(TWO "l1: send 8b to -1\n}\n", "t:5: rank `-1`; give one from 0 to 1");
    goal_refused(TWO "l1: recv 8b from 1 cpu 1 tag 2\n}\n", "t:5: `tag` is not expected here");
    goal_refused(TWO "l1: recv 8b from 1 colour 2\n}\n", "`colour` is not expected here");
    goal_refused(TWO "l1: recv 8b from 1 cpu 256\n}\n",
                 "cpu `256`; give a whole number from 0 to 255");
    goal_refused(TWO "l1: send 8b to 1 tag -1\n}\n", "tag `-1`; give a whole number");
    goal_refused(TWO "l1: send 4294967281b to 1\n}\n", "give bytes from 0 to 4294967280");
    goal_refused(TWO "l1: calc -5\n}\n", "t:5: calc `-5`");
    goal_refused(TWO "l1: calc 99999999999999\n}\n",
                 "calc `99999999999999`; give a whole number from 0 to "
                 "10000000000000");
    goal_refused(TWO "l1: calc 5 nic 1\n}\n", "after a time only `cpu C` may follow");
    goal_refused(TWO "l1: jump 5\n}\n", "t:5: `jump` is no operation");
    goal_refused(TWO "l-1: calc 5\n}\n", "`l-1` is no label");
    goal_refused(TWO "a b: calc 5\n}\n", "more than one word before `:`");
    goal_refused(TWO "l1: calc 5\nl1: calc 6\n}\n", "t:6: label `l1` is that of line 5 already");
    goal_refused(TWO "l1: calc 5\nl1 requires l2\n}\n",
                 "t:6: label `l2` is not defined in this rank yet");
    goal_refused(TWO "l1: calc 5\nl1 requires l1\n}\n", "t:6: `l1` waits for itself");
    goal_refused(TWO "l1: calc 5\nl1 needs l1\n}\n", "t:6: this is no operation and no dependency");
    goal_refused(TWO "a: calc 5\nb: calc 5\nb requires a\na irequires b\n}\n",
                 "waits for itself, by way "
                 "of line");
    goal_refused(TWO "recv 8b from 1 tag 4\n}\n",
                 "t:5: rank 0: receive from rank 1, tag 4: no send of another rank is left for it");
    goal_refused(TWO "recv 8b from -1\n}\n", "t:5: rank 0: receive from any rank, tag 0: no send");
    goal_refused(
        TWO "send 8b to 1\n}\n",
        "t:5: rank 0: send of 8 bytes to rank 1, tag 0: no receive of another rank is left");
    refuse("t", "num_ranks 1\nrank 0 {\nca\0lc 5\n}\n", 31, "t:3: has a byte 0");
    char *longest = malloc(6000);
    memset(longest, 'x', 6000);
    refuse("t", longest, 6000, "t:1: is longer than 4095 characters");
    free(longest);
}

static void test_goal_text(void **state)
{
    (void)state;
    static const char text[] =
        "/* head */ num_ranks 2\n\nrank 1 {\n  x : recv 8b from 0 tag -1 cpu 2 nic 3\n"
        "y:calc 4\ny irequires x\n}\nrank 0 {\r\nsend 8b to 1 tag 4294967294\r\n}\n";
    cop_graph g;
    cop_err err;
    assert_int_equal(read_it(&g, "t", text, strlen(text), &err), 0);
    assert_int_equal(g.n_ranks, 2);
    assert_int_equal(g.n_ops, 3);
    assert_true(g.op0[1] == 0 && g.n_of[1] == 2 && g.op0[0] == 2 && g.n_of[0] == 1);
    assert_true(g.op[0].tag == COP_ANY && g.op[0].cpu == 2 && g.op[0].nic == 3 &&
                g.op[0].line == 4);
    assert_true(g.op[1].kind == COP_OP_CALC && g.op[1].size == 4000 && g.op[1].need == 1);
    assert_true(g.n_edges == 1 && g.edge[0] == (1 | COP_EDGE_START));
    assert_true(g.n_cpus == 3 && g.n_nics == 4);
    assert_int_equal(cop_graph_rank_of(&g, 0), 1);
    assert_int_equal(cop_graph_rank_of(&g, 1), 1);
    assert_int_equal(cop_graph_rank_of(&g, 2), 0);
    cop_graph_free(&g);
}

/* -- binary -- */

static void put_node(bytes *b, uint32_t need, uint8_t type, uint32_t peer, uint64_t size,
                     uint32_t deps, uint32_t place, uint32_t starts, uint32_t start_place)
{
    uint8_t cpu_nic[2] = {1, 0};
    put32(b, need);
    put(b, &type, 1);
    put32(b, peer);
    put64(b, size);
    put32(b, 5);
    put(b, cpu_nic, 2);
    put32(b, deps);
    put32(b, place);
    put32(b, starts);
    put32(b, start_place);
}

/* calc -> send (end), send ~> calc (start) at rank 0; recv at rank 1. */
static void small_file(bytes *b)
{
    uint8_t highest[2] = {1, 0};
    b->n = 0;
    put64(b, 4223);
    put32(b, 2);
    put(b, highest, 2);
    uint64_t start = 4 + 2 + 32, first = 8 + 4 + 3 * 39 + 8, second = 8 + 4 + 39;
    put64(b, start);
    put64(b, start + first);
    put64(b, start + first);
    put64(b, start + first + second);
    put32(b, 3);
    put32(b, 1);
    put32(b, 0);
    put_node(b, 0, 3, 0, 100, 1, 0, 0, 999);
    put_node(b, 1, 1, 1, 64, 0, 0, 1, 1);
    put_node(b, 1, 3, 0, 7, 0, 0, 0, 0);
    put32(b, 1);
    put32(b, 2);
    put32(b, 1);
    put32(b, 1);
    put32(b, 0);
    put_node(b, 0, 2, UINT32_MAX, 64, 0, 0, 0, 0);
}

static void test_goal_binary(void **state)
{
    (void)state;
    bytes b;
    cop_graph g;
    cop_err err;
    small_file(&b);
    assert_int_equal(read_it(&g, "t", b.v, b.n, &err), 0);
    assert_int_equal(g.n_ops, 4);
    assert_true(g.op[0].kind == COP_OP_CALC && g.op[0].size == 100000 && g.op[0].cpu == 1);
    assert_true(g.op[1].kind == COP_OP_SEND && g.op[1].peer == 1 && g.op[1].tag == 5);
    assert_true(g.op[3].kind == COP_OP_RECV && g.op[3].peer == COP_ANY);
    assert_true(g.edge[0] == 1 && g.edge[1] == (2 | COP_EDGE_START));
    cop_graph_free(&g);
    for (size_t n = 8; n < b.n; n++) { /* cut short anywhere */
        cop_err e;
        assert_int_equal(read_it(&g, "t", b.v, n, &e), -COP_E_INPUT);
        assert_int_equal(e.faults, 1);
    }
    refuse("t", b.v, b.n - 1, "the file is cut short here");
    size_t node = 8 + 4 + 2 + 32 + 12;
    b.v[node + 4] = 9;
    refuse("t", b.v, b.n, "t: byte 62: node of type 9; give 1 (send), 2 (recv) or 3 (calc)");
    small_file(&b);
    b.v[node + 39 + 5] = 8;
    refuse("t", b.v, b.n, "node 1 of rank 0 names rank 8; the file has 2");
    small_file(&b);
    b.v[node] = 3;
    refuse("t", b.v, b.n, "node 0 of rank 0 says it has 3 dependencies and has 0");
    small_file(&b);
    b.v[node + 23] = 5;
    refuse("t", b.v, b.n, "node 0 of rank 0 has dependants beyond the end of the rank");
    small_file(&b);
    b.v[node + 3 * 39] = 7;
    refuse("t", b.v, b.n, "node 0 of rank 0 has node 7 as a dependant");
    small_file(&b);
    b.v[8 + 4 + 2] = 1;
    refuse("t", b.v, b.n, "rank 0 should begin at 38");
    small_file(&b);
    b.v[8] = 0;
    refuse("t", b.v, b.n, "0 ranks; give 1 to 1048576");
}

/* -- htsim -- */

static void cm_refused(const char *text, const char *what)
{
    refuse("t", text, strlen(text), what);
}

static void test_htsim(void **state)
{
    (void)state;
    static const char text[] =
        "Nodes 3\nConnections 3\nTriggers 1\n0->1 id 1 start 1000 size 5000 "
        "recv_done_trigger 4\n2->1 id 2 start 0 size 10 recv_done_trigger 4\n"
        "1->2 id 3 trigger 4 size 3000 prio 2\ntrigger id 4 barrier 2\n# end\n";
    cop_graph g;
    cop_err err;
    assert_int_equal(read_it(&g, "t", text, strlen(text), &err), 0);
    assert_int_equal(g.n_ranks, 3);
    assert_int_equal(g.n_ops, 8); /* 3 sends, 3 receives, a delay, a gate */
    assert_int_equal(g.n_edges, 4);
    cop_graph_free(&g);
    cm_refused("Nodes 2\nConnections 1\n", "the file has 0 connections and says 1");
    cm_refused("Nodes 2\nConnections 1\n0->2 size 5\n",
               "t:3: `0->2`; give SRC->DST, two nodes from 0 to 1");
    cm_refused("Nodes 2\nConnections 1\n0->1 start 5\n", "t:3: a connection without an end");
    cm_refused("Nodes 2\nConnections 1\n0->1 size 5 colour 3\n", "t:3: unknown field `colour`");
    cm_refused("Nodes 2\nConnections 1\n0->1 size 5 size 3\n",
               "t:3: `size` has no number that fits, or is there twice");
    cm_refused("Nodes 2\nConnections 1\n0->1 size 5 trigger 3\n", "t:3: trigger 3 is not defined");
    cm_refused(
        "Nodes 3\nConnections 2\nTriggers 1\n0->1 size 5 recv_done_trigger 1\n0->2 size 5 trigger "
        "1\ntrigger id 1 oneshot\n",
        "t:5: trigger 1 is pulled at another node, and nothing acts at a distance");
    cm_refused("Nodes 3\nConnections 1\nTriggers 1\n0->1 size 5 trigger 1\ntrigger id 1 oneshot\n",
               "t:4: trigger 1 is never pulled");
    cm_refused("Nodes 3\nConnections 2\nTriggers 1\n0->1 size 5 recv_done_trigger 1\n2->1 size 5 "
               "recv_done_trigger 1\ntrigger id 1 oneshot\n",
               "t:6: trigger 1 is not pulled as often as it needs");
    cm_refused("Nodes 3\nConnections 0\nTriggers 1\ntrigger id 1 maybe\n",
               "t:4: this is no trigger; write `trigger id X");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goal_text),
        cmocka_unit_test(test_goal_faults),
        cmocka_unit_test(test_goal_binary),
        cmocka_unit_test(test_htsim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
