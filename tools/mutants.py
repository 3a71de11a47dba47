#!/usr/bin/env python3
"""How many small faults the tests notice: `make mutants`.

Role     puts one small fault at a time into a copy of the sources (tools/mutants_faults.py), runs the
         tests that execute its line, cheapest first, and stops at the first that fails. What no test
         notices is a hole in the tests, or code that does not matter.
Found    a test fails, crashes, or takes more than 10 s and 5 times as long as usual.
Draw     N faults by SEED, spread over the folders by lines of code, at least 5 for each; lines
         first, then one fault of the line. ONLY=net,cc: these folders. FILE=src/net/switch/obuf.c: all
         faults of a file, or N. AT=src/net/switch/obuf.c:82: all that start on that line; several with
         commas. A fault that does not compile, or leaves the machine code at -O2 as it is (headers:
         at -O1), is drawn again.
Tests    all but test_hash, which only says that something changed, and two that need another link
         (LEFT_OUT of mutants_lab.py); test_report_page, which needs a browser, for src/report alone.
         Coverage comes from a build of its own; a table has no lines that run, so all tests meet its
         faults; those of Lua meet tests of studies and metrics.
Kept     in BUILD: `results`, a line for each fault, by content of the file, place and text. What was
         found stays found. A survivor meets only tests that are new or changed since. So a second
         call goes on where the first stopped, and AGAIN=1 repeats the last draw after new tests.
         `survivors` lists them with the tests they met.
Exit     0; 1 if MIN is given and fewer per cent were found; 130 after Ctrl-C.

Called by the Makefile, which makes both builds first. usage: tools/mutants.py --self-test
"""
import argparse
import fcntl
import glob
import json
import os
import resource
import signal
import sys
import threading

sys.dont_write_bytecode = True
import mutants_faults as faults  # noqa: E402
from mutants_lab import Bench, Lab, guard, in_threads, read, stopping  # noqa: E402

FOLDERS = ("net", "host", "cc", "queue", "route", "traffic", "stats", "study", "study/metrics")
LEAST = 5
REJECTED = {"broken": "do not compile", "same": "change nothing"}


class Draw:
    """Which faults are tried: a queue for each folder, from which rejected ones are replaced."""

    def __init__(self, how):
        self.texts, self.queues, self.wake, self.busy = {}, [], threading.Condition(), 0
        if how["at"] or how["file"]:
            places = [p.rpartition(":") for p in how["at"].replace(",", " ").split()]
            files = {p[0] for p in places} | set(how["file"].replace(",", " ").split())
            self.texts = {f: read(f) for f in files}
            all_of = faults.in_order(self.texts, how["seed"], per_line=0)
            if how["at"]:
                wanted = {(p[0], int(p[2])) for p in places}
                all_of = sorted((f for f in all_of if (f.file, f.line) in wanted), key=lambda f: f[:2] + f[3:])
            self.add(all_of, int(how["n"] or len(all_of)))
            return
        folders = how["only"].replace(",", " ").split() or FOLDERS
        by_folder = [self.read_folder(f) for f in folders]
        sizes = [sum(t.count("\n") for t in texts.values()) for texts in by_folder]
        for texts, quota in zip(by_folder, shares(sizes, int(how["n"] or 100))):
            self.add(faults.in_order(texts, how["seed"]), quota)

    def read_folder(self, folder):
        texts = {f: read(f) for f in sorted(glob.glob(f"src/{folder}/**/*.[ch]", recursive=True) + glob.glob(f"src/{folder}/*.lua"))}
        if not texts:
            sys.exit(f"mutants: there are no sources in src/{folder}")
        self.texts.update(texts)
        return texts

    def add(self, some, quota):
        self.queues.append({"faults": some, "quota": quota, "next": 0, "taken": 0})

    def total(self):
        return sum(min(q["quota"], q["taken"] + len(q["faults"]) - q["next"]) for q in self.queues)

    def take(self):
        """The next fault and its queue; None when all is done."""
        with self.wake:
            while True:
                for q in self.queues:
                    if q["taken"] < q["quota"] and q["next"] < len(q["faults"]):
                        q["taken"], q["next"], self.busy = q["taken"] + 1, q["next"] + 1, self.busy + 1
                        return q["faults"][q["next"] - 1], q
                if self.busy == 0 or stopping.is_set():
                    return None
                self.wake.wait(0.5)

    def done(self, queue, rejected):
        with self.wake:
            queue["taken"] -= rejected
            self.busy -= 1
            self.wake.notify_all()


def shares(sizes, n):
    """n spread by size; each has LEAST if there are enough."""
    least = min(LEAST, n // len(sizes))
    rest = n - least * len(sizes)
    exact = [rest * s / sum(sizes) for s in sizes]
    out = [least + int(e) for e in exact]
    for i in sorted(range(len(sizes)), key=lambda i: int(exact[i]) - exact[i])[:n - sum(out)]:
        out[i] += 1
    return out


class Notes:
    """The file `results`: what is known of each fault, one line each; the last one counts."""

    def __init__(self, build):
        self.path, self.of = f"{build}/results", {}
        if os.path.exists(self.path):
            for line in read(self.path).splitlines():
                try:
                    note = json.loads(line)
                except ValueError:
                    continue  # written while it was stopped
                self.of[note["key"]] = note

    def add(self, note):
        self.of[note["key"]] = note
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps(note) + "\n")


def decide(lab, bench, notes, fault, text):
    """The note of one fault, from the file or by trying it; and whether it was tried now."""
    key = faults.rank(text, fault.file, fault.line, fault.start, fault.new)
    old = notes.of.get(key, {})
    if old.get("verdict") in ("found", *REJECTED):
        return old, False
    met = old.get("met", {})
    tests = lab.tests_for(fault, text)
    new = [t for t in tests if met.get(t) != lab.hashes[t]]
    if old.get("verdict") == ("survived" if tests else "not executed") and not new:
        return old, False
    verdict, by = bench.judge(fault, text, new)
    if verdict == "survived" and not tests:
        verdict = "not executed"
    before, after = text.split("\n"), faults.changed(text, fault).split("\n")
    differ = [i for i in range(len(before)) if before[i] != after[i]]
    note = {"key": key, "file": fault.file, "line": fault.line, "kind": fault.kind, "verdict": verdict, "by": by,
            "before": [before[i].strip() for i in differ], "after": [after[i].strip() for i in differ],
            "met": {**met, **{t: lab.hashes[t] for t in tests}} if verdict == "survived" else {}}
    with guard:
        notes.add(note)
    return note, True


def try_all(lab, draw, notes):
    results, rejected = [], dict.fromkeys(REJECTED, 0)

    def work(number):
        bench = Bench(lab, number)
        while (job := draw.take()) is not None:
            fault, queue = job
            note, tried = decide(lab, bench, notes, fault, draw.texts[fault.file])
            draw.done(queue, note["verdict"] in REJECTED)
            with guard:
                if note["verdict"] in REJECTED:
                    rejected[note["verdict"]] += 1
                    continue
                results.append(note)
                said = "found by " + note["by"] if note["verdict"] == "found" else note["verdict"].upper()
                place = f"{note['file'][4:]}:{note['line']}"
                print(f"{len(results):4d}/{draw.total():<4d} {place:28s} {note['kind']:10s} {said}"
                      + ("" if tried else " (known)"), flush=True)
    try:
        in_threads(lab.jobs, work)
        stopped = False
    except KeyboardInterrupt:
        stopped = True
    return results, rejected, stopped


def folder_of(note):
    return os.path.dirname(note["file"])[4:]


def show_survivor(note):
    lines = [f"{note['file']}:{note['line']}  {note['kind']}, "
             + (f"met {len(note['met'])} tests" if note["verdict"] == "survived" else note["verdict"])]
    for sign, side in (("-", note["before"]), ("+", note["after"])):
        lines += [f"  {sign} {line}" for line in side if line or sign == "-"]
    return lines


def summary(results, rejected, build):
    folders = sorted({folder_of(n) for n in results}, key=lambda f: FOLDERS.index(f) if f in FOLDERS else 99)
    print(f"\n{'folder':14s} {'faults':>7s} {'found':>7s} {'not executed':>13s} {'share':>7s}")
    for folder in folders:
        own = [n["verdict"] for n in results if folder_of(n) == folder]
        found = own.count("found")
        print(f"{folder:14s} {len(own):7d} {found:7d} {own.count('not executed'):13d} {100 * found / len(own):5.0f} %")
    left = [n for n in results if n["verdict"] != "found"]
    left.sort(key=lambda n: (folders.index(folder_of(n)), n["file"], n["line"]))
    with open(f"{build}/survivors", "w", encoding="utf-8") as f:
        for n in left:
            f.write("\n".join([*show_survivor(n), *[f"    {t}" for t in sorted(n["met"])], ""]) + "\n")
    if left:
        print("\nnot found:\n" + "\n".join(line for n in left for line in show_survivor(n)))
    again = ", ".join(f"{n} {REJECTED[v]}" for v, n in rejected.items() if n)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{used.ru_utime / 60 + used.ru_stime / 60:.1f} CPU minutes" + (f"; not counted: {again}" if again else ""))
    found = len(results) - len(left)
    share = 100 * found / len(results) if results else 100
    print(f"{found} of {len(results)} faults found ({share:.0f} %)")
    return share


def main():
    p = argparse.ArgumentParser(description="how many small faults the tests notice; see `make mutants`")
    p.add_argument("--self-test", action="store_true")
    for name in "build jobs n seed only file at min again".split():
        p.add_argument("--" + name, default="")
    args = vars(p.parse_args())
    if args["self_test"]:
        faults.self_test()
        assert shares([100, 10, 10], 50) == [34, 8, 8] and sum(shares([7, 1, 1, 3], 11)) == 11
        return 0
    build = args["build"]
    lock = open(f"{build}/lock", "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"mutants: another process uses {build}; give another BUILD")
    how = {k: args[k] for k in ("n", "only", "file", "at")} | {"seed": args["seed"] or "1"}
    try:
        if args["again"]:
            how = json.loads(read(f"{build}/last"))
        draw = Draw(how)
    except (OSError, ValueError) as e:
        sys.exit(f"mutants: {e}")
    with open(f"{build}/last", "w", encoding="utf-8") as f:
        json.dump(how, f)
    lab = Lab(build, int(args["jobs"]))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        lab.learn()
    except KeyboardInterrupt:
        return 130
    results, rejected, stopped = try_all(lab, draw, Notes(build))
    share = summary(results, rejected, build)
    return 130 if stopped else int(bool(args["min"]) and share < float(args["min"]))


if __name__ == "__main__":
    sys.exit(main())
