/* Programs in GOAL text as jobs of a small network, and their results. */
#ifndef COP_APP_FIXTURE_H
#define COP_APP_FIXTURE_H

#include "exchange_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#define ONE_SWITCH                                                                                 \
    "run: {duration: 1 s, until: jobs}\ntopology: {kind: single, hosts: 16}\n"                     \
    "link: {rate: 10 Gbit/s, delay: 20 ns}\n"

/* Write `text` to a file of its own; the name is in path. */
static inline void write_temp(char path[32], const char *text)
{
    snprintf(path, 32, "/tmp/cop-app-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Run GOAL text as job `j` of the 16 hosts of one switch, with further options of the entry (", a: b"). */
static inline int run_goal(cop_result *r, const char *goal, const char *options, cop_err *err)
{
    char path[32], yaml[2048];
    write_temp(path, goal);
    snprintf(yaml, sizeof(yaml), ONE_SWITCH "traffic: [{name: j, trace: %s%s}]\n", path, options);
    int rc = scn_run(yaml, NULL, 0, r, err);
    unlink(path);
    return rc;
}

static inline double job_us(const cop_result *r, uint32_t job)
{
    assert_true(r->job[job].end != COP_NEVER);
    return (double)(r->job[job].end - r->job[job].start) / 1e6;
}

/* The parts of the critical path add up to the time of the job, and steps follow each other. */
static inline void assert_path(const cop_result *r, uint32_t job)
{
    const cop_job_result *j = &r->job[job];
    assert_int_equal(j->path_compute + j->path_overhead + j->path_network + j->path_wait,
                     j->end - j->start);
    cop_time at = j->end;
    uint64_t steps = 0;
    for (uint32_t i = 0; i < r->n_path; i++) {
        const cop_path_result *p = &r->path[i];
        if (p->job != job)
            continue;
        assert_int_equal(p->to, at);
        assert_int_equal(p->compute + p->overhead + p->network + p->wait, p->to - p->from);
        at = p->from;
        steps++;
    }
    assert_int_equal(at, j->start);
    assert_int_equal(steps, j->path_steps);
}

#endif
