// MPI_Init to MPI_Finalize: state, time, switches.
//
// Time: what passes between two calls is computation; what passes inside a call is not recorded, because the simulator shall
// say how long it takes. The clock is the CPU time of the process, so that ranks that share a core do not count each other's
// work. What reading it takes is subtracted. After a test that found nothing, a gap below poll_ns is waiting, not work, and is left out.
// Threads: calls must come one at a time. MPI_THREAD_MULTIPLE is lowered to MPI_THREAD_SERIALIZED, which the program can see;
// calls that overlap all the same end the recording.
#include "wrap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

struct rec_state rec;

static uint64_t now_ns(void)
{
    static const clockid_t clocks[] = {CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID,
                                       CLOCK_MONOTONIC};
    struct timespec t;
    clock_gettime(clocks[rec.options.clock], &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void rec_warn(enum rec_warning which, const char *what)
{
    bool own = which == REC_WARN_CUT || which == REC_WARN_THREADS;
    if (!(rec.warned & which) && (own || rec.rank == 0))
        fprintf(stderr, "coppice-mpi: rank %d: %s\n", rec.rank, what);
    rec.warned |= which;
}

bool rec_on(void)
{
    return rec.region && rec.control && !rec.to.cut;
}

bool rec_enter(void)
{
    if (!rec.ready)
        return false;
    if (atomic_exchange(&rec.inside, true)) {
        if (!pthread_equal(rec.owner, pthread_self()) && !rec.clash) {
            rec.clash = rec.to.cut = rec.partial = true;
            rec_warn(REC_WARN_THREADS,
                     "two threads are in MPI calls at once; the recording ends here");
        }
        return false; // a call that the library makes inside another
    }
    rec.owner = pthread_self();
    rec.calls++;
    if (rec_on()) {
        uint64_t now = now_ns(), since = rec.left_ns + rec.own_ns,
                 gap = now > since ? now - since : 0;
        if (!rec.polled || gap >= rec.options.poll_ns)
            rec.calc_ns += gap;
    }
    rec.polled = false;
    return true;
}

int rec_leave(int rc)
{
    if (rec.to.cut && !rec.partial && !rec.clash) {
        rec.partial = true;
        rec_warn(REC_WARN_CUT, rec.to.spool.fault
                                   ? strerror(rec.to.spool.fault)
                                   : "the limit of operations is reached (COPPICE_MPI_LIMIT)");
    }
    rec.left_ns = now_ns();
    atomic_store(&rec.inside, false);
    return rc;
}

static void turn(bool *which, bool on)
{
    if (*which == on)
        return;
    *which = on;
    rec.calc_ns = 0;
}

// Whether this call is the last one of a place.
static bool here(struct rec_place *p, const char *name, uint64_t bytes)
{
    if (p->at == p->steps || strcasecmp(p->step[p->at].name, name) != 0 ||
        (p->step[p->at].bytes >= 0 && (uint64_t)p->step[p->at].bytes != bytes) ||
        ++p->seen < p->step[p->at].nth)
        return false;
    p->seen = 0;
    return ++p->at == p->steps;
}

static void region_ends(void)
{
    turn(&rec.region, false);
    rec_write(rec.next++);
    if (rec.next == rec.options.regions && rec.options.quit) {
        rec.ready = false;
        PMPI_Finalize();
        exit(0);
    }
}

// The call that ends a region may begin the next one.
static void look(const char *name, uint64_t bytes)
{
    struct rec_region *r = rec.options.region;
    if (rec.region && here(&r[rec.next].to, name, bytes))
        region_ends();
    if (!rec.region && rec.next < rec.options.regions && here(&r[rec.next].from, name, bytes))
        turn(&rec.region, true);
}

void rec_world_call(const char *name, uint64_t bytes)
{
    rec.world_calls++;
    if (rec.log) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        fprintf(rec.log, "%llu %s %llu %llu %.6f\n", (unsigned long long)rec.world_calls, name,
                (unsigned long long)bytes, (unsigned long long)rec.to.ops,
                (double)t.tv_sec + (double)t.tv_nsec * 1e-9);
    }
    if (rec.options.regions)
        look(name, bytes);
}

// All ranks have the same environment, and all end.
static void refuse(const char *why)
{
    if (rec.rank == 0)
        fprintf(stderr, "coppice-mpi: %s\n", why);
    PMPI_Finalize();
    exit(2);
}

// Early, not after hours: can all files be written?
static int try_files(char *path, size_t room)
{
    struct rec_options *o = &rec.options;
    for (int i = o->regions ? 0 : -1; i < o->regions; i++) {
        if (!rec_file_of(i, path, room))
            return ENAMETOOLONG;
        FILE *f = fopen(path, "w");
        if (!f)
            return errno;
        fclose(f);
    }
    snprintf(path, room, "%s", o->log ? o->log : "");
    return o->log && !(rec.log = fopen(o->log, "w")) ? errno : 0;
}

static void open_files(void)
{
    char why[4608], path[4096] = "";
    int fault = 0, worst = 0;
    if (rec.rank == 0)
        fault = try_files(path, sizeof path);
    PMPI_Bcast(&fault, 1, MPI_INT, 0, rec.world);
    snprintf(why, sizeof why, "%s: %s", path, strerror(fault));
    if (fault)
        refuse(why);
    fault = rec_spool_open(&rec.to.spool, rec.options.folder);
    PMPI_Allreduce(&fault, &worst, 1, MPI_INT, MPI_MAX, rec.world);
    snprintf(why, sizeof why, "no file for the records in TMPDIR=%.3000s: %s", rec.options.folder,
             strerror(worst));
    if (worst)
        refuse(why);
}

// The cost of two readings of the clock, which is not the program's: the shortest of many.
static uint64_t own_ns(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t begin = now_ns(), gap = now_ns() - begin;
        least = gap < least ? gap : least;
    }
    return least;
}

static void begin(void)
{
    char why[512];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rec.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &rec.ranks);
    PMPI_Comm_dup(MPI_COMM_WORLD, &rec.world);
    if (!rec_options_read(&rec.options, why, sizeof why))
        refuse(why);
    open_files();
    rec_comms_begin();
    rec.to.limit = rec.options.limit;
    rec.control = true;
    rec.region = !rec.options.regions;
    rec.own_ns = own_ns();
    rec.ready = true;
    rec.left_ns = now_ns();
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS)
        begin();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int most = required > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : required;
    int rc = PMPI_Init_thread(argc, argv, most, provided);
    if (rc != MPI_SUCCESS)
        return rc;
    if (*provided > MPI_THREAD_SERIALIZED)
        *provided = MPI_THREAD_SERIALIZED;
    begin();
    if (required > MPI_THREAD_SERIALIZED && rec.rank == 0)
        fprintf(stderr, "coppice-mpi: the program asked for MPI_THREAD_MULTIPLE and is given "
                        "MPI_THREAD_SERIALIZED: calls are recorded one at a time\n");
    return rc;
}

// All ranks must write together: one that does not, because another of its threads is in a call, would keep the others waiting.
int MPI_Finalize(void)
{
    if (rec_enter() || rec.ready) { // for the computation since the last call
        struct rec_options *o = &rec.options;
        if (!o->regions)
            rec_write(-1);
        else if (rec.region)
            rec_write(rec.next++);
        if (rec.rank == 0 && rec.next < o->regions)
            fprintf(stderr, "coppice-mpi: region %s did not begin\n", o->region[rec.next].name);
        rec.ready = false;
        rec_spool_close(&rec.to.spool);
        if (rec.log)
            fclose(rec.log);
        PMPI_Comm_free(&rec.world);
    }
    return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code)
{
    if (rec.ready)
        fprintf(stderr, "coppice-mpi: rank %d calls MPI_Abort: no trace is written\n", rec.rank);
    return PMPI_Abort(comm, code);
}

// 0: off; 1 and more: on. Nothing may be under way between ranks where they switch.
int MPI_Pcontrol(const int level, ...)
{
    if (rec_enter()) {
        turn(&rec.control, level > 0);
        rec.partial = true;
        rec_leave(MPI_SUCCESS);
    }
    return MPI_SUCCESS;
}
