/* The public interface while a run goes on, and the ports of its result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <coppice.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Two hosts overload the third. */
static const char text[] = "run: {duration: 100 us, warmup: 20 us, sample: 5 us}\n"
                           "topology: {kind: chain, hosts: [2, 1]}\n"
                           "link: {rate: 10 Gbit/s, delay: 20 ns}\n"
                           "switch: {buffer: 8 KiB}\n"
                           "traffic: [{name: all, from: [0, 1], pattern: fixed, to: 2}]\n";

typedef struct watcher {
    unsigned calls, stop_at; /* 0: never */
    double last_ns, end_ns;
    uint64_t hops;
    const char *also; /* run this text at the first call */
    uint64_t also_hash;
} watcher;

static uint64_t hash_of(const char *yaml)
{
    coppice_config *c = coppice_open_text("test.yaml", yaml);
    coppice_result *r = coppice_run(c);
    assert_non_null(r);
    uint64_t hash = coppice_hash(r);
    coppice_close(c);
    coppice_free(r);
    return hash;
}

static int watch(void *ctx, double now_ns, double end_ns, uint64_t packet_hops)
{
    watcher *w = ctx;
    assert_true(now_ns >= w->last_ns);
    assert_true(packet_hops >= w->hops);
    w->last_ns = now_ns;
    w->end_ns = end_ns;
    w->hops = packet_hops;
    w->calls++;
    if (w->also != NULL && w->calls == 1)
        w->also_hash = hash_of(w->also);
    return w->calls == w->stop_at ? 7 : 0;
}

static void test_progress(void **state)
{
    (void)state;
    watcher w = {.also = "run: {duration: 10 us}\ntopology: {kind: single, hosts: 4}\n"
                         "traffic: [{pattern: uniform}]\n"};
    coppice_config *c = coppice_open_text("test.yaml", text);
    coppice_progress(c, watch, &w);
    coppice_result *r = coppice_run(c);
    assert_non_null(r);
    assert_int_equal(coppice_fault(c), COPPICE_NO_FAULT);
    assert_int_equal(w.calls, 20); /* too few events for a call between samples */
    assert_true(w.last_ns == 1e5 && w.end_ns == 1e5);
    assert_true((double)w.hops == coppice_scalar(r, "packet_hops"));
    /* Looking changes nothing, and neither does a run inside the call. */
    assert_true(coppice_hash(r) == hash_of(text));
    assert_true(w.also_hash == hash_of(w.also));
    coppice_free(r);
    coppice_progress(c, NULL, NULL);
    r = coppice_run(c);
    assert_int_equal(w.calls, 20);
    coppice_free(r);
    coppice_close(c);
}

static void test_cancel(void **state)
{
    (void)state;
    watcher w = {.stop_at = 3};
    coppice_config *c = coppice_open_text("test.yaml", text);
    coppice_progress(c, watch, &w);
    assert_null(coppice_run(c));
    assert_int_equal(w.calls, 3);
    assert_int_equal(coppice_fault(c), COPPICE_STOPPED);
    assert_string_equal(coppice_error(c), "stopped after 15.000 us of 100.000 us, as asked");
    /* The handle is as good as before; a check does not ask. */
    assert_int_equal(coppice_check(c), 0);
    assert_int_equal(w.calls, 3);
    w = (watcher){0};
    coppice_result *r = coppice_run(c);
    assert_non_null(r);
    assert_true(coppice_hash(r) == hash_of(text));
    coppice_free(r);
    coppice_set(c, "run.duration=nothing");
    assert_null(coppice_run(c));
    assert_int_equal(coppice_fault(c), COPPICE_BAD_INPUT);
    coppice_close(c);
    c = coppice_open("no/such/file.yaml");
    assert_null(coppice_run(c));
    assert_int_equal(coppice_fault(c), COPPICE_BAD_FILE);
    coppice_close(c);
}

/* One sample as long as the run, which would take minutes: the caller is asked all the same. */
static void test_cancel_within_a_sample(void **state)
{
    (void)state;
    static const char *const kinds[] = {"run.drain=no", "run.drain=yes"};
    for (size_t i = 0; i < 2; i++) {
        watcher w = {.stop_at = 2};
        coppice_config *c = coppice_open_text("test.yaml", text);
        coppice_set(c, "run.duration=100 s");
        coppice_set(c, "run.sample=100 s");
        coppice_set(c, kinds[i]);
        coppice_progress(c, watch, &w);
        assert_null(coppice_run(c));
        assert_int_equal(coppice_fault(c), COPPICE_STOPPED);
        assert_int_equal(w.calls, 2);
        assert_true(w.hops > 10000 && w.hops < 10000000);
        coppice_close(c);
    }
}

/* Steps change nothing, however the samples lie in them. */
static void test_steps_change_nothing(void **state)
{
    (void)state;
    static const char *const sets[] = {"run.sample=150 ms", "run.sample=3333 us", "run.drain=yes"};
    coppice_config *c = coppice_open_text("test.yaml", text);
    coppice_set(c, "run.duration=300 ms"); /* some million events */
    for (size_t i = 0; i < 3; i++) {
        watcher w = {0};
        coppice_set(c, sets[i]);
        coppice_progress(c, NULL, NULL);
        coppice_result *plain = coppice_run(c);
        coppice_progress(c, watch, &w);
        coppice_result *watched = coppice_run(c);
        assert_true(coppice_hash(plain) == coppice_hash(watched));
        for (size_t k = 0; coppice_scalar_name(plain, k) != NULL; k++) {
            const char *name = coppice_scalar_name(plain, k);
            double a = coppice_scalar(plain, name), b = coppice_scalar(watched, name);
            bool timing = strstr(name, "seconds") || strstr(name, "cpu") || strstr(name, "rss");
            if (!timing && a != b && !(isnan(a) && isnan(b)))
                fail_msg("%s differs with %s", name, sets[i]);
        }
        assert_true(w.calls > 2);
        coppice_free(plain);
        coppice_free(watched);
    }
    coppice_close(c);
}

static void test_ports(void **state)
{
    (void)state;
    coppice_config *c = coppice_open_text("test.yaml", text);
    coppice_result *r = coppice_run(c);
    coppice_close(c);
    /* Three host cables and one trunk, both ways. */
    assert_int_equal(coppice_port_count(r), 8);
    assert_int_equal(coppice_port_find(r, "nobody"), -1);
    for (size_t i = 0; i < 8; i++) {
        /* The link back begins where this one ends. */
        int64_t back = coppice_port_find(r, coppice_port_to(r, i));
        assert_true(back >= 0);
        assert_string_equal(coppice_port_to(r, (size_t)back), coppice_port_name(r, i));
        double share = coppice_port_utilisation(r, i);
        assert_true(share >= 0.0 && share <= 1.0);
        assert_true(coppice_port_mean_queue_bytes(r, i) <=
                    (double)coppice_port_max_queue_bytes(r, i));
    }
    /* The trunk is full and packets wait for it; nothing comes back. */
    int64_t host = coppice_port_find(r, "h2");
    assert_true(host >= 0);
    assert_true(coppice_port_utilisation(r, (size_t)host) == 0.0);
    double most = 0.0;
    size_t full = 0;
    for (size_t i = 0; i < 8; i++) {
        full += coppice_port_utilisation(r, i) > 0.99;
        most = fmax(most, coppice_port_mean_queue_bytes(r, i));
    }
    assert_int_equal(full, 2); /* the trunk, and the link to the host behind it */
    assert_true(most > 8000);
    coppice_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_cancel_within_a_sample),
        cmocka_unit_test(test_steps_change_nothing),
        cmocka_unit_test(test_ports),
    };
    return cmocka_run_group_tests_name("api_run", tests, NULL, NULL);
}
