#!/usr/bin/env python3
"""Tests of the recorder. usage: run.py BUILD [NAME...]

Collectives are expanded without MPI and checked for what each rank must hear of. Programs (*.c beside this file) are run under
mpirun and their traces compared with the lists of calls written in their first comment; where there is no mpirun they are
skipped, and the last line says so."""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import goal_check  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
ONLY = sys.argv[2:]
MPIRUN = shutil.which("mpirun")


class Failed(Exception):
    pass


def want(truth, what):
    if not truth:
        raise Failed(what)


def checked(path, rendezvous=None):
    """The graph of a file that has nothing wrong, and its run."""
    try:
        graph = goal_check.Graph(path)
    except goal_check.Bad as bad:
        raise Failed(str(bad)) from None
    run = goal_check.Run(graph, rendezvous)
    faults = run.report()
    want(not faults, "; ".join(faults[:3]))
    return graph, run


# -- collectives, without MPI --


def heard(graph, run):
    """For each rank the ranks whose first operation comes before its last one."""
    n = len(graph.kind)
    at_start, at_end = [0] * n, [0] * n
    ends, starts, first = [[] for _ in range(n)], [[] for _ in range(n)], {}
    for waits, needs in ((ends, graph.needs_end), (starts, graph.needs_start)):
        for op, afters in needs.items():
            for after in afters:
                waits[after].append(op)
    for op in range(n):
        first.setdefault(graph.rank[op], op)
    for op, ended in run.order:
        if ended:
            at_end[op] = at_start[op] | (at_start[run.match[op]] if op in run.match else 0)
            continue
        at_start[op] = 1 << graph.rank[op] if op == first[graph.rank[op]] else 0
        for b in ends[op]:
            at_start[op] |= at_end[b]
        for b in starts[op]:
            at_start[op] |= at_start[b]
    last = {graph.rank[op]: op for op in range(n)}
    return [at_end[last[r]] for r in range(graph.ranks)]


def expand(folder, name, ranks, root, size):
    path = os.path.join(folder, "x.goal")
    with open(path, "w") as out:
        subprocess.run([f"{BUILD}/recorder/expand", name, str(ranks), str(root), str(size)], stdout=out, check=True)
    return checked(path) + (checked(path, rendezvous=0)[1],)


def pieces(size, ranks, k):
    return size // ranks + (1 if k < size % ranks else 0)


def collective(folder, name, ranks, root, size):
    graph, run, _ = expand(folder, name, ranks, root, size)
    about = f"{name} of {size} bytes among {ranks}, root {root}"
    sent = [0] * ranks
    got = [0] * ranks
    for i, kind in enumerate(graph.kind):
        if kind == goal_check.SEND:
            sent[graph.rank[i]] += graph.size[i]
        if kind == goal_check.RECV:
            got[graph.rank[i]] += graph.size[i]
    know = heard(graph, run)
    everybody = (1 << ranks) - 1
    counts = [size * (i % 3) for i in range(ranks)]
    for r in range(ranks):
        own = 1 << r
        must = {
            "barrier": everybody, "allreduce": everybody, "allgather": everybody, "alltoall": everybody,
            "bcast": own | 1 << root, "scatter": own | 1 << root, "reduce": everybody if r == root else own,
            "gather": everybody if r == root else own, "scan": (1 << (r + 1)) - 1,
            "gatherv": own | (sum(1 << i for i in range(ranks) if counts[i]) if r == root else 0),
            "scatterv": own | (1 << root if counts[r] else 0),
            "allgatherv": everybody, "reduce_scatter": everybody if counts[r] else own,
            "alltoallv": own | sum(1 << i for i in range(ranks) if (i + r) % 3),
        }[name]
        want(know[r] & must == must, f"{about}: rank {r} does not wait for all that it needs")
    need = {  # bytes that must leave or reach a rank at least
        "allgather": lambda r: (ranks - 1) * size, "alltoall": lambda r: (ranks - 1) * size,
        "allgatherv": lambda r: sum(counts) - counts[r], "gather": lambda r: (ranks - 1) * size if r == root else 0,
        "gatherv": lambda r: sum(counts) - counts[r] if r == root else 0,
        "scatter": lambda r: size if r != root else 0, "scatterv": lambda r: counts[r] if r != root else 0,
        "bcast": lambda r: size if r != root else 0,
        "reduce_scatter": lambda r: (ranks - 1) * counts[r],
        "alltoallv": lambda r: sum(size * ((i + r) % 3) for i in range(ranks) if i != r),
    }.get(name)
    for r in range(ranks):
        want(need is None or got[r] >= need(r), f"{about}: rank {r} receives {got[r]}, needs {need and need(r)}")
    total = {  # and in all exactly
        "barrier": 0, "reduce": (ranks - 1) * size, "allgather": ranks * (ranks - 1) * size,
        "allgatherv": (ranks - 1) * sum(counts), "reduce_scatter": (ranks - 1) * sum(counts),
        "gatherv": sum(counts) - counts[root], "scatterv": sum(counts) - counts[root],
        "alltoallv": sum(size * ((i + r) % 3) for i in range(ranks) for r in range(ranks) if i != r),
    }.get(name)
    if name == "bcast" and size < 512 << 10:
        total = (ranks - 1) * size
    if name == "alltoall" and size > 200:
        total = ranks * (ranks - 1) * size
    if name == "allreduce" and size >= 10000:
        total = 2 * (ranks - 1) * size
    want(total is None or sum(sent) == total, f"{about}: {sum(sent)} bytes in all, not {total}")
    return sum(k == goal_check.SEND for k in graph.kind)


def test_collectives(folder):
    names = ["barrier", "bcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv", "allgather",
             "allgatherv", "alltoall", "alltoallv", "reduce_scatter", "scan"]
    for name in names:
        for ranks in [1, 2, 3, 4, 5, 7, 8, 13, 16]:
            for root in {0, ranks // 2, ranks - 1} if name in ("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv") else {0}:
                for size in [1, 12345, 700001] if name != "barrier" else [0]:
                    collective(folder, name, ranks, root, size)


def test_collective_counts(folder):
    """Messages of the algorithms that are named in collective.c."""
    want(collective(folder, "barrier", 8, 0, 0) == 8 * 3, "dissemination: log2(8) rounds")
    want(collective(folder, "barrier", 9, 0, 0) == 9 * 4, "dissemination: 4 rounds for 9")
    want(collective(folder, "bcast", 13, 2, 8) == 12, "a tree has 12 edges")
    want(collective(folder, "bcast", 8, 0, 1 << 20) == 7 + 8 * 7, "scatter by a tree, then a ring")
    want(collective(folder, "allreduce", 8, 0, 8) == 8 * 3, "recursive doubling")
    want(collective(folder, "allreduce", 11, 0, 8) == 8 * 3 + 2 * 3, "3 members beyond 8 hand over and hear")
    want(collective(folder, "allreduce", 8, 0, 80000) == 8 * 14, "a ring, twice round")
    want(collective(folder, "allgather", 8, 0, 8) == 8 * 3, "Bruck")
    want(collective(folder, "allgather", 8, 0, 1 << 20) == 8 * 7, "a ring")
    want(collective(folder, "alltoall", 16, 0, 8) == 16 * 4, "Bruck")
    want(collective(folder, "alltoall", 16, 0, 8192) == 16 * 15, "pairwise")
    want(collective(folder, "scan", 8, 0, 8) == 7 + 6 + 4, "2^k ahead")


def test_plain(folder):
    # looking for leaks takes half a minute where other processes give their turns away
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    done = subprocess.run([f"{BUILD}/recorder/plain"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    want(done.returncode == 0, done.stdout)


def test_traces(folder):
    """Those that are shipped can run, also where long messages wait for their receives, and README.md says the truth of them."""
    traces = os.path.join(HERE, "..", "..", "traces")
    rows = {}
    for line in open(os.path.join(traces, "README.md")):
        cells = [c.strip().strip("`").replace(" ", "") for c in line.strip().strip("|").split("|")]
        if len(cells) > 5 and cells[0].startswith("hpcc"):
            rows[cells[0] + ".goal.gz"] = [int(c) for c in cells[1:6]]
    files = sorted(f for f in os.listdir(traces) if f.endswith(".goal.gz"))
    want(files and sorted(rows) == files, f"README.md has {sorted(rows)}, the folder {files}")
    want(sum(os.path.getsize(os.path.join(traces, f)) for f in files) < 1 << 20, "all together below 1 MiB")
    for name in files:
        graph, _ = checked(os.path.join(traces, name))
        checked(os.path.join(traces, name), rendezvous=65536)
        is_so = [graph.ranks] + [graph.kind.count(k) for k in (goal_check.SEND, goal_check.CALC)]
        is_so.append(sum(s for s, k in zip(graph.size, graph.kind) if k == goal_check.SEND))
        is_so.append(sum(s for s, k in zip(graph.size, graph.kind) if k == goal_check.CALC) // 1000)
        want(rows[name] == is_so, f"{name}: README.md says {rows[name]}, it is {is_so}")


def test_checker(folder):
    """The checker finds what it is for."""
    def verdict(text, rendezvous=None):
        path = os.path.join(folder, "bad.goal")
        with open(path, "w") as out:
            out.write(text)
        try:
            return "; ".join(goal_check.Run(goal_check.Graph(path), rendezvous).report())
        except goal_check.Bad as bad:
            return str(bad)

    two = "num_ranks 2\nrank 0 {\n%s\n}\nrank 1 {\n%s\n}\n"
    want(verdict(two % ("a: send 4b to 1 tag 3", "recv 4b from 0 tag 3")) == "", "a message that arrives")
    want(verdict(two % ("a: send 4b to 1 tag 3", "b: recv 4b from -1 tag -1")) == "", "from anybody")
    want(verdict("/* x */ num_ranks 1 // y\nrank 0 { \na: calc 5 cpu 1\n}\n") == "", "comments")
    want("nobody receives" in verdict(two % ("send 4b to 1", "calc 1")), "a send alone")
    want("nobody sends" in verdict(two % ("send 4b to 1 tag 1", "recv 4b from 0 tag 2")), "another tag")
    want("sends 4" in verdict(two % ("send 4b to 1", "recv 5b from 0")), "another length")
    head_on = two % ("a: send 9b to 1\nb: recv 9b from 1\nb requires a", "a: send 9b to 0\nb: recv 9b from 0\nb requires a")
    want(verdict(head_on) == "" and "never begin" in verdict(head_on, 9), "head-on sends need buffers")
    circle = two % ("a: recv 1b from 1\nb: send 1b to 1\nb requires a", "a: recv 1b from 0\nb: send 1b to 0\nb requires a")
    want("never begin" in verdict(circle), "a circle over two ranks")
    want("never begin" in verdict(two % ("a: calc 1\nb: calc 1\na requires b\nb requires a", "calc 1")), "a circle in one")
    want(":3: " in verdict(two % ("send 4b to 2", "calc 1")), "a rank that is not there")
    want(":4: " in verdict(two % ("a: calc 1\na requires b", "calc 1")), "a label that is not there")
    want(":4: " in verdict(two % ("a: calc 1\na: calc 1", "calc 1")), "a label twice")
    want("ends early" in verdict("num_ranks 2\nrank 0 {\ncalc 1\n}\n"), "a rank is missing")
    want(":3: " in verdict(two % ("send 4 to 1", "calc 1")), "a length without b")


# -- programs under mpirun --


def compiled(folder, source):
    program = os.path.join(folder, source[:-2])
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-Wall", *os.environ["MPI_CFLAGS"].split(),
                    os.path.join(HERE, source), *os.environ["MPI_LIBS"].split(), "-lpthread", "-o", program], check=True)
    return program


def record(folder, program, ranks, *arguments, status=0, **options):
    """Runs it and returns the path of the trace and what was said."""
    out = os.path.join(folder, "trace.goal")
    if os.path.exists(out):
        os.remove(out)
    env = dict(os.environ, COPPICE_MPI_OUT=out, TMPDIR=folder, OMPI_MCA_mpi_yield_when_idle="1",
               OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               OMPI_MCA_btl_vader_single_copy_mechanism="none")
    for name, value in options.items():
        env["COPPICE_MPI_" + name.upper()] = str(value)
    done = subprocess.run([MPIRUN, "-np", str(ranks), f"{BUILD}/coppice-mpi", program, *map(str, arguments)], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    want((done.returncode == 0) == (status == 0), f"mpirun ended with {done.returncode}:\n{done.stdout}")
    return out, done.stdout


def blocks(path):
    """Lines of each rank, without comments and head."""
    ranks, text = {}, None
    for line in open(path):
        line = line.split("//")[0].strip()
        m = re.match(r"rank (\d+) {", line)
        if m:
            text = ranks.setdefault(int(m[1]), [])
        elif line == "}":
            text = None
        elif line and text is not None:
            text.append(line)
    return ranks


def expected(source):
    """From the first comment of the program: lines of the form `R: LINE`, R a rank."""
    ranks = {}
    for line in open(os.path.join(HERE, source)):
        if not line.startswith("//"):
            break
        m = re.match(r"//\s+(\d+)\| (.*)", line)
        if m:
            ranks.setdefault(int(m[1]), []).append(m[2].strip())
    return ranks


def known(folder, source, ranks, **options):
    """Whole trace, without computation, line by line."""
    path, said = record(folder, compiled(folder, source), ranks, **dict({"scale": 0}, **options))
    got, right = blocks(path), expected(source)
    for rank in range(ranks):
        for i in range(max(len(got[rank]), len(right.get(rank, [])))):
            a = got[rank][i] if i < len(got[rank]) else "nothing"
            b = right[rank][i] if i < len(right[rank]) else "nothing"
            want(a == b, f"{source}, rank {rank}, line {i + 1}: `{a}`, not `{b}`")
    checked(path)
    return path, said


def mpi_blocking(folder):
    known(folder, "blocking.c", 3)


def mpi_nonblocking(folder):
    known(folder, "nonblocking.c", 2)


def mpi_persistent(folder):
    known(folder, "persistent.c", 2)


def mpi_probing(folder):
    known(folder, "probing.c", 2)


def mpi_communicators(folder):
    known(folder, "communicators.c", 4)


def mpi_inter(folder):
    """Members of other groups by their ranks in MPI_COMM_WORLD."""
    path, _ = record(folder, compiled(folder, "inter.c"), 4, scale=0)
    graph, run = checked(path)
    found = sorted((graph.size[s], graph.rank[s], graph.rank[r]) for r, s in run.match.items() if 10 <= graph.size[s] < 16)
    # the merged order is 2, 3, 0, 1: a binomial tree from 2
    want(found == [(10, 0, 2), (11, 1, 3), (14, 0, 1), (14, 2, 0), (14, 2, 3), (15, 3, 0)], f"messages {found}")


def mpi_tags(folder):
    """Tags near the highest one, in several communicators."""
    path, _ = record(folder, compiled(folder, "tags.c"), 3, scale=0)
    graph, run = checked(path)
    for recv, send in run.match.items():  # the program sends 100 * communicator + tag's number bytes
        want(graph.size[recv] == graph.size[send], "a message of another tag was met")
    want(len(run.match) == 3 * 3 * 4, f"{len(run.match)} messages, not 36")
    want(max(graph.tag) < 1 << 31 and len(set(graph.tag)) >= 12, "tags are kept apart")


def mpi_computation(folder):
    """Rank 0 works for 60 ms of CPU time, rank 1 sleeps; times are those of the clock, times the scale."""
    program = compiled(folder, "computation.c")
    def works(**options):
        path, _ = record(folder, program, 2, **options)
        return [sum(int(x.split()[-1]) for x in b if ": calc" in x) for b in (blocks(path)[0], blocks(path)[1])]
    work, sleep = works()
    want(55e6 < work < 120e6 and sleep < 30e6, f"CPU time {work} and {sleep} ns")
    work, sleep = works(clock="thread")
    want(55e6 < work < 120e6 and sleep < 30e6, f"CPU time of the thread {work} and {sleep} ns")
    work, sleep = works(clock="wall")
    want(work > 55e6 and sleep > 55e6, f"wall-clock time {work} and {sleep} ns")
    work, sleep = works(scale=0.001)
    want(55e3 < work < 120e3, f"a thousandth of CPU time: {work} ns")
    want(works(scale=0) == [0, 0], "no computation at all")


def mpi_overlap(folder):
    """Computation between a receive and its wait does not wait for the message; that after it does."""
    path, _ = record(folder, compiled(folder, "overlap.c"), 2)
    lines = blocks(path)[1]
    recv = next(x.split(":")[0] for x in lines if ": recv" in x)
    works = [x.split(":")[0] for x in lines if ": calc" in x and int(x.split()[-1]) > 5e6]
    want(len(works) == 2, f"two pieces of work, not {len(works)}")
    want(f"{works[0]} requires {recv}" not in lines and f"{works[1]} requires {recv}" in lines, "\n".join(lines))


def mpi_random(folder):
    """Random programs: each send has its receive, and no ranks wait for each other in a circle."""
    program = compiled(folder, "random.c")
    for seed in range(int(os.environ.get("COPPICE_ROUNDS", "1")) * 8):
        ranks = random.Random(seed).choice([1, 2, 3, 4, 5, 7, 8])
        path, _ = record(folder, program, ranks, seed, 60)
        graph, run = checked(path)
        want(ranks == 1 or len(run.match) > 60, "the program sends")
        path, said = record(folder, program, ranks, seed, 60, any="keep", notes=1)
        checked(path)
        path, said = record(folder, program, ranks, seed, 60, limit=97)
        graph, run = checked(path)
        want(all(graph.rank.count(r) <= 97 for r in range(ranks)), "the limit holds")
        want(ranks == 1 or "limit of operations" in said, "and is said")


def mpi_regions(folder):
    """MPI_Pcontrol, and places among the collectives of MPI_COMM_WORLD."""
    program = compiled(folder, "regions.c")
    def sizes(**options):
        path, said = record(folder, program, 2, scale=0, **options)
        graph, _ = checked(path)
        return [graph.size[i] for i, k in enumerate(graph.kind) if k == goal_check.SEND and graph.size[i] >= 100], said
    want(sizes()[0] == [101, 103, 104], f"MPI_Pcontrol(0) hides 102: {sizes()[0]}")
    want(sizes(regions="x=Barrier#2..")[0] == [103, 104], "from the second barrier on")
    want(sizes(regions="x=Barrier#1..bcast/12#1")[0] == [103], "up to the first bcast of 12 bytes")
    want(sizes(regions="x=Barrier#1,Bcast#1..Barrier#1")[0] == [104], "a place after another")
    found, said = sizes(regions="x=Barrier#1..Bcast/12#1", quit=1)
    want(found == [103] and "the end" not in said, "and no further")
    want("the end" in sizes()[1], "the program says when it ends")
    want("x did not begin" in record(folder, program, 2, regions="x=Barrier#9..")[1], "a place that does not come")
    record(folder, program, 2, scale=0, regions="a=Barrier#2..Bcast#1;b=Bcast#1..", out=os.path.join(folder, "r-%.goal"))
    for name, right in (("a", [103]), ("b", [104])):
        graph, _ = checked(os.path.join(folder, f"r-{name}.goal"))
        found = [graph.size[i] for i, k in enumerate(graph.kind) if k == goal_check.SEND and graph.size[i] >= 100]
        want(found == right, f"region {name}: {found}")
    log = os.path.join(folder, "calls.txt")
    sizes(log=log)
    want([x.split()[1:3] for x in open(log)] == [["Barrier", "0"], ["Barrier", "0"], ["Bcast", "12"], ["Barrier", "0"]],
         "the list of calls")


def mpi_threads(folder):
    program = compiled(folder, "threads.c")
    path, said = record(folder, program, 2, "level")
    want("provided 2" in said and "MPI_THREAD_SERIALIZED" in said, f"MPI_THREAD_MULTIPLE is lowered: {said}")
    checked(path)


def mpi_pending(folder):
    """What the program has under way on MPI_COMM_WORLD where a trace is written meets none of the recorder's messages."""
    program = compiled(folder, "pending.c")
    path, said = record(folder, program, 4, regions="x=Barrier#1..Barrier#1")
    want(said.count("right") == 4, f"the program gets its own messages: {said}")
    graph, _ = checked(path)
    sizes = [graph.size[i] for i, k in enumerate(graph.kind) if k == goal_check.SEND]
    want(sizes.count(40) == 3 and sizes.count(24) == 6, f"sends of the region, a probe is a receive: {sizes}")
    want(8 not in sizes, f"what is sent behind the region is not in it: {sizes}")


def mpi_ends(folder):
    """However a program ends, the recorder does not keep it from ending, and says if there is no trace."""
    program = compiled(folder, "ends.c")
    _, said = record(folder, program, 3, "abort", status=1)
    want("no trace" in said, f"MPI_Abort: {said}")
    record(folder, program, 3, "exit", status=1)
    path, _ = record(folder, program, 3, "return", status=1)
    want(os.path.getsize(path) == 0, "no MPI_Finalize, no trace")
    path, said = record(folder, program, 3, "thread")
    want("two threads are in MPI calls at once" in said, f"a call under way at the end: {said}")
    checked(path)
    path, _ = record(folder, program, 3, "finalize")
    checked(path)


def mpi_many(folder):
    """Far more ranks than cores."""
    path, said = record(folder, compiled(folder, "ends.c"), 48, "finalize")
    graph, _ = checked(path)
    want(graph.ranks == 48 and "48 ranks" in said, f"48 ranks: {said}")


def mpi_unseen(folder):
    _, said = record(folder, compiled(folder, "unseen.c"), 2)
    want("one-sided" in said and "neighbourhood" in said, f"what is not recorded is said: {said}")
    want(said.count("one-sided") == 1, "once")


def mpi_options(folder):
    program = compiled(folder, "blocking.c")
    for name, value, right in [("scale", "x", "factor"), ("scale", "-1", "factor"), ("clock", "sun", "cpu, thread or wall"),
                               ("limit", "-3", "whole number"), ("regions", "x=Barrier..", "PLACE"), ("regions", "Barrier#1..", "PLACE"),
                               ("regions", "x=Barrier#0..", "PLACE"), ("regions", "x=Bcast/x#1..", "PLACE"),
                               ("regions", "x=Barrier#1", "PLACE"), ("regions", "x=Barrier#1..;y=Barrier#1..", "no end"),
                               ("regions", "x=Barrier#1..Barrier#1;y=Barrier#1..", "a % is needed"), ("any", "some", "resolve or keep"), ("notes", "yes", "0 or 1"),
                               ("quit", "1", "COPPICE_MPI_REGIONS"), ("out", "/nowhere/x.goal", "No such file")]:
        _, said = record(folder, program, 3, status=2, **{name: value})
        want(right in said, f"{name}={value}: {said}")
        want(sum("coppice-mpi:" in line for line in said.splitlines()) == 1, f"{name}={value} in one line: {said}")


def main():
    tests = {n: f for n, f in globals().items() if n.startswith(("test_", "mpi_")) and callable(f)}
    passed = failed = skipped = 0
    can = MPIRUN and os.path.exists(f"{BUILD}/lib/libcoppice-mpi.so") and os.environ.get("MPI_LIBS")
    for name, test in tests.items():
        if ONLY and name not in ONLY:
            continue
        if name.startswith("mpi_") and not can:
            skipped += 1
            continue
        begin = time.time()
        with tempfile.TemporaryDirectory(prefix="coppice-mpi-") as folder:
            try:
                test(folder)
                passed += 1
                print(f"  {name:24} ok      {time.time() - begin:5.1f} s", flush=True)
            except (Failed, subprocess.SubprocessError, KeyError) as fault:
                failed += 1
                print(f"  {name:24} FAILED  {fault}", flush=True)
    if skipped:
        print(f"  {skipped} tests SKIPPED: they need mpirun and MPI's headers (libopenmpi-dev, openmpi-bin)")
    print(f"recorder: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
