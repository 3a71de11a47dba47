/* Coppice as a library: do larger buffers help a victim of congestion?
 *
 *   cc embed.c $(pkg-config --cflags --libs coppice) -o embed && ./embed */
#include <coppice.h>
#include <stdio.h>

static const char two_switches[] = "run: {duration: 2 ms, warmup: 500 us}\n"
                                   "topology: {kind: chain, hosts: [3, 4]}\n"
                                   "link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}\n"
                                   "traffic:\n"
                                   "  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}\n"
                                   "  - {name: victim, from: [0], pattern: fixed, to: 3}\n";

int main(void)
{
    static const char *const buffers[] = {"8 KiB", "32 KiB", "128 KiB"};
    int status = 0;
    for (size_t i = 0; i < 3; i++) {
        char assignment[64];
        coppice_config *c = coppice_open_text("two-switches", two_switches);
        snprintf(assignment, sizeof(assignment), "switch.buffer=%s", buffers[i]);
        coppice_set(c, assignment);
        coppice_result *r = coppice_run(c);
        if (r == NULL) {
            fprintf(stderr, "%s\n", coppice_error(c));
            status = 1;
        } else {
            size_t victim = (size_t)coppice_stream_find(r, "victim");
            printf("buffer %7s: victim %.2f Gbit/s, mean latency %.1f us\n", buffers[i],
                   coppice_stream_gbps(r, victim), coppice_stream_latency_ns(r, victim) / 1e3);
        }
        coppice_free(r);
        coppice_close(c);
    }
    return status;
}
