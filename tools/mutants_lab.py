"""Builds and tests for tools/mutants.py.

Role     Lab: the two builds, the tests, how long each takes and which lines it runs, learnt once and
         kept until the test or the sources change. Bench: the place of one worker, where a fault is
         compiled, linked and tested.
Builds   BUILD/plain: -O1 with assertions, tests linked to one shared library; a fault replaces an object or
         a few and links the library anew, the tests find it by LD_LIBRARY_PATH. BUILD/cover: the same
         with gcov; tools/mutants_exit.c makes processes that end by _exit write what they ran.
Headers  all objects that include one are compiled, tests only when their turn comes.
Safety   the source tree is never written: a worker has a copy of src and tests and links to the
         rest. A test is a group of processes of its own, with limits, and is ended as a whole.
"""
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time

import mutants_faults as faults

LUA_TESTS = re.compile("metrics|study|claims|setups|validation|sweep")
PATIENCE, TIMES = 10, 5
stopping, guard = threading.Event(), threading.Lock()


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def digest(paths):
    return hashlib.sha256("\0".join(p + "\0" + read(p) for p in paths).encode()).hexdigest()[:16]


def run(words, limit, log, **how):
    """Status of a program and the seconds it took; None if it took more than `limit`."""
    start, pause = time.monotonic(), 0.005
    with guard:
        if stopping.is_set():
            raise KeyboardInterrupt
        p = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **how)
    late, folder = False, ""
    while os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        late = time.monotonic() - start > limit
        if late or stopping.is_set():
            try:
                folder = os.readlink(f"/proc/{p.pid}/cwd")
            except OSError:
                pass  # it has just ended
            break
        time.sleep(pause)
        pause = min(0.05, pause * 1.2)
    os.killpg(p.pid, signal.SIGKILL)  # it, or what it left behind; not waited for yet, so the number is its own
    status = p.wait()
    if folder.startswith("/tmp/cop"):
        shutil.rmtree(folder, ignore_errors=True)
        for left in glob.glob(glob.escape(folder) + "*.*"):
            os.remove(left)
    if stopping.is_set():
        raise KeyboardInterrupt
    return (None if late else status), time.monotonic() - start


def in_threads(n, work):
    """Run `work(k)` in n threads; Ctrl-C and faults of one of them end all."""
    trouble = []

    def body(k):
        try:
            work(k)
        except BaseException as e:
            trouble.append(e)
            stopping.set()
    threads = [threading.Thread(target=body, args=(k,)) for k in range(n)]
    for t in threads:
        t.start()
    try:
        while any(t.is_alive() for t in threads):
            time.sleep(0.1)
    except KeyboardInterrupt:
        stopping.set()
        trouble.insert(0, KeyboardInterrupt())
    for t in threads:
        t.join()
    if trouble:
        raise trouble[0]


def same_file(a, b):
    with open(a, "rb") as x, open(b, "rb") as y:
        return x.read() == y.read()


# Says only that something changed; stands between library and malloc; installs what was built before.
LEFT_OUT = ("test_hash", "test_oom", "test_install")


class Lab:
    """The two builds, the tests and what is known of them."""

    def __init__(self, build, jobs):
        self.build, self.jobs = build, jobs
        self.plain, self.cover = os.path.abspath(f"{build}/plain"), os.path.abspath(f"{build}/cover")
        for place in (self.plain, self.cover):
            for name in ("claims", "experiments", "tests/golden"):  # the program looks for them beside its folder
                if not os.path.islink(f"{place}/{name}"):
                    os.symlink(os.path.abspath(name), f"{place}/{name}")
        env = os.environ
        self.compiler = [env["MUTANT_CC"], *shlex.split(env["MUTANT_FLAGS"]), "-w"]
        self.opt, self.libs = env["MUTANT_OPT"].split(), env["MUTANT_LIBS"].split()
        self.metrics = env["MUTANT_METRICS"].split()
        self.programs = {os.path.basename(p): p for p in sorted(
            os.path.splitext(p)[0].replace("tests/", f"{self.plain}/tests/", 1)
            for p in glob.glob("tests/*/test_*.c") + glob.glob("tests/net/*/test_*.c"))}
        for name in LEFT_OUT:
            del self.programs[name]
        self.depends = {}
        for d in glob.glob(f"{self.plain}/obj/**/*.d", recursive=True):
            words = read(d).replace("\\\n", " ").split(":")[1].split()
            if os.path.exists(words[0]):  # an object whose source has gone belongs to an earlier build
                self.depends[os.path.relpath(d[:-1] + "o", f"{self.plain}/obj")] = set(words)
        self.objects = [o for o in self.depends if o.startswith("src/")] + \
            ["gen/model_id.o", "gen/metrics_lua.o", "src/report/assets.o"]
        support = sorted(glob.glob("tests/support/*.c"))
        self.hashes = {n: digest(sorted(f for f in self.depends[self.object_of(n)] if f.startswith("tests/")) + support)
                       for n in self.programs}
        self.known, self.lines, self.seconds = {}, {}, {}

    def object_of(self, test):
        return "tests/" + os.path.relpath(self.programs[test], f"{self.plain}/tests") + ".o"

    def start_test(self, test, program, build, limit, log, cwd=None, **env):
        """`build` is where the library and the program `coppice` are."""
        words = [] if test == "test_report_page" else ["prlimit", f"--data={4 << 30}", f"--fsize={1 << 30}", "--core=0"]
        env = dict(os.environ, LD_LIBRARY_PATH=build, COPPICE=f"{build}/coppice", **env)
        return run([*words, program], limit, log, env=env, cwd=cwd)

    def learn(self):
        """Time of each test and the lines it runs, kept until the test or the sources change."""
        os.makedirs(f"{self.build}/tests", exist_ok=True)
        sources = digest(sorted(glob.glob("src/**/*.[ch]", recursive=True) + glob.glob("apps/*/*.[ch]") + self.metrics))
        stale = []
        for test in self.programs:
            try:
                note = json.loads(read(f"{self.build}/tests/{test}.json"))
            except (OSError, ValueError):
                note = {}
            if note.get("key") == sources + self.hashes[test]:
                self.take(test, note)
            else:
                stale.append(test)
        if stale:
            print(f"mutants: times and coverage of {len(stale)} tests", flush=True)
        in_threads(self.jobs, lambda _: self.learn_some(stale, sources))

    def learn_some(self, stale, sources):
        while True:
            with guard:
                test = stale.pop(0) if stale else None
            if test is None:
                return
            note = self.learn_one(test)
            note["key"] = sources + self.hashes[test]
            if not note["passes"]:
                print(f"mutants: {test} fails without any fault and is left out; see {self.build}/tests/{test}.log")
                continue
            with open(f"{self.build}/tests/{test}.json", "w", encoding="utf-8") as f:
                json.dump(note, f)
            self.take(test, note)

    def take(self, test, note):
        with guard:
            self.seconds[test] = note["seconds"]
            self.lines[test] = {f: int(v, 16) for f, v in note["runs"].items()}
            for f, v in note["known"].items():
                self.known[f] = self.known.get(f, 0) | int(v, 16)

    def learn_one(self, test):
        with open(f"{self.build}/tests/{test}.log", "w", encoding="utf-8") as log:
            status, seconds = self.start_test(test, self.programs[test], self.plain, 800, log)
            data = os.path.abspath(f"{self.build}/tests/{test}.data")
            shutil.rmtree(data, ignore_errors=True)
            self.start_test(test, self.programs[test].replace(self.plain, self.cover), self.cover, 1600,
                            log, GCOV_PREFIX=data, GCOV_PREFIX_STRIP=str(len(self.cover.split("/")) - 1))
        notes = glob.glob(f"{data}/obj/**/*.gcda", recursive=True)
        for n in notes:
            os.link(os.path.join(self.cover, os.path.relpath(n, data))[:-2] + "no", n[:-2] + "no")
        text = subprocess.run(["gcov", "--json-format", "--stdout", *notes], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False).stdout if notes else b""
        runs, known = {}, {}
        for part in text.splitlines():
            for file in json.loads(part)["files"]:
                for line in file["lines"] if file["file"].startswith("src/") else ():
                    bit = 1 << line["line_number"]
                    known[file["file"]] = known.get(file["file"], 0) | bit
                    if line["count"]:
                        runs[file["file"]] = runs.get(file["file"], 0) | bit
        shutil.rmtree(data, ignore_errors=True)
        as_text = lambda masks: {f: hex(m) for f, m in masks.items()}
        return {"passes": status == 0, "seconds": seconds, "runs": as_text(runs), "known": as_text(known)}

    def tests_for(self, fault, text):
        """Names of the tests that execute the fault, cheapest first."""
        some = [t for t in self.seconds if t != "test_report_page" or fault.file.startswith("src/report/")]
        some.sort(key=self.seconds.get)
        if fault.file.endswith(".lua"):
            return [t for t in some if LUA_TESTS.search(t)]
        begin, end, first, last = faults.statement_lines(text, fault)
        for a, b in ((first, last), (begin, end)):
            mask = (1 << b + 1) - (1 << a)
            if self.known.get(fault.file, 0) & mask:
                return [t for t in some if self.lines[t].get(fault.file, 0) & mask]
        # A table: its readers may be in other files.
        return sorted(some, key=lambda t: fault.file not in self.lines[t])


class Bench:
    """A worker's place: a copy of the sources, the objects of one fault, the library made of them."""

    def __init__(self, lab, number):
        self.lab, self.dir = lab, os.path.abspath(f"{lab.build}/worker-{number}")
        self.bin = f"{self.dir}/tree/bin"
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.bin)
        os.link(f"{lab.plain}/coppice", f"{self.bin}/coppice")
        for name in os.listdir("."):
            if name in ("src", "tests"):
                shutil.copytree(name, f"{self.dir}/tree/{name}")
            elif not name.startswith(".") and name != lab.build.split("/")[0]:
                os.symlink(os.path.abspath(name), f"{self.dir}/tree/{name}")
        if not self.link([self.object(o) for o in lab.objects], f"{self.bin}/libcoppice-test.so", "-shared"):
            raise RuntimeError(f"the library cannot be linked without any fault; see {self.dir}/log")

    def compile(self, source, out, options, tree=True):
        os.makedirs(os.path.dirname(out), exist_ok=True)
        with open(f"{self.dir}/log", "w", encoding="utf-8") as log:
            status, _ = run([*self.lab.compiler, *options, "-c", source, "-o", out], 120, log,
                            cwd=f"{self.dir}/tree" if tree else None)
        return status == 0

    def link(self, objects, out, *options):
        with open(f"{self.dir}/log", "w", encoding="utf-8") as log:
            status, _ = run([self.lab.compiler[0], *objects, *options, *self.lab.libs, "-o", out], 120, log)
        return status == 0

    def changes_nothing(self, file):
        """The same machine code; None if it does not compile."""
        options = ["-O2", "-DNDEBUG", "-g0"]
        before = os.path.abspath(f"{self.lab.build}/before/{digest([file])}.o")
        if not os.path.exists(before):
            self.compile(file, f"{self.dir}/before.o", options, tree=False)
            os.makedirs(os.path.dirname(before), exist_ok=True)
            os.replace(f"{self.dir}/before.o", before)
        if not self.compile(file, f"{self.dir}/after.o", options):
            return None
        return same_file(before, f"{self.dir}/after.o")

    def make(self, fault):
        """Compile what the fault touches and link the library. A reason to draw again, or None."""
        lab, obj = self.lab, f"{self.dir}/obj"
        shutil.rmtree(obj, ignore_errors=True)
        if fault.file.endswith(".lua"):
            with open(f"{self.dir}/metrics_lua.c", "w", encoding="utf-8") as f:
                f.write('#include "study/lua_int.h"\nconst char cop_metrics_lua[] =\n')
                for m in lab.metrics:
                    for line in read(f"{self.dir}/tree/{m}").splitlines():
                        f.write('"' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"\n')
                f.write(";\n")
            touched = ["gen/metrics_lua.o"]
            made = self.compile(f"{self.dir}/metrics_lua.c", f"{obj}/{touched[0]}", lab.opt)
        else:
            if fault.file.endswith(".c"):
                same = self.changes_nothing(fault.file)
                if same is not False:
                    return "same" if same else "broken"
            touched = [o for o, needs in lab.depends.items() if fault.file in needs and not o.startswith("tests/")]
            made = all(self.compile(o[:-1] + "c", f"{obj}/{o}", lab.opt) for o in touched)
            if made and fault.file.endswith(".h") and touched and all(
                    same_file(f"{obj}/{o}", f"{lab.plain}/obj/{o}") for o in touched):
                return "same"
        if not made or not self.link([self.object(o) for o in lab.objects], f"{self.bin}/libcoppice-test.so", "-shared"):
            return "broken"
        os.remove(f"{self.bin}/coppice")
        if any(o.startswith("apps/") for o in touched):
            program = [o for o in lab.depends if o.startswith("apps/")] + ["gen/build_info.o"]
            if not self.link([self.object(o) for o in program], f"{self.bin}/coppice", f"-L{self.bin}", "-lcoppice-test"):
                raise RuntimeError(f"the program cannot be linked; see {self.dir}/log")
        else:
            os.link(f"{lab.plain}/coppice", f"{self.bin}/coppice")
        return None

    def object(self, name):
        own = f"{self.dir}/obj/{name}"
        return own if os.path.exists(own) else f"{self.lab.plain}/obj/{name}"

    def test_program(self, test, fault):
        """Inline functions of a header are also in the tests: compile them again, but only to run them."""
        lab = self.lab
        if not fault.file.endswith(".h"):
            return lab.programs[test]
        wanted = [o for o in lab.depends if o.startswith("tests/support/")] + [lab.object_of(test)]
        touched = [o for o in wanted if fault.file in lab.depends[o]]
        if not touched:
            return lab.programs[test]
        for o in touched:
            if not os.path.exists(f"{self.dir}/obj/{o}"):
                self.compile(o[:-1] + "c", f"{self.dir}/obj/{o}", lab.opt)
        self.link([self.object(o) for o in wanted], f"{self.dir}/test", f"-L{self.bin}", "-lcoppice-test", "-lcmocka")
        return f"{self.dir}/test"

    def judge(self, fault, text, tests):
        """(verdict, the test that found it)."""
        copy = f"{self.dir}/tree/{fault.file}"
        with open(copy, "w", encoding="utf-8") as f:
            f.write(faults.changed(text, fault))
        try:
            verdict = self.make(fault)
            if verdict:
                return verdict, ""
            for test in tests:
                program = self.test_program(test, fault)
                with open(f"{self.dir}/log", "w", encoding="utf-8") as log:
                    limit = max(PATIENCE, TIMES * self.lab.seconds[test])
                    status, _ = self.lab.start_test(test, program, self.bin, limit, log, cwd=f"{self.dir}/tree")
                if status != 0:
                    return "found", test + (" (time)" if status is None else "")
            return "survived", ""
        finally:
            with open(copy, "w", encoding="utf-8") as f:
                f.write(text)
