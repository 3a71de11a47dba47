#!/usr/bin/env python3
"""Check GOAL text: grammar, every send with its receive of the same length, no waiting in a circle.

usage: goal_check.py [--rendezvous BYTES] FILE...      (.gz and .xz are unpacked)

The graph is run without time: an operation begins when what it waits for has happened; a send ends at once, or, from BYTES on,
when its receive has begun; a receive ends when its send has begun. Messages from one rank to another with one tag are met in
order. What cannot end is listed with what it waits for. Prints one line of facts per file; exit status 1 if anything is wrong,
2 if a file cannot be read."""
import argparse
import gzip
import lzma
import re
import sys
from collections import defaultdict, deque

CALC, SEND, RECV = 0, 1, 2
OPERATION = re.compile(
    r"(?:([A-Za-z_]\w*):\s*)?(?:(send|recv)\s+(\d+)b\s+(to|from)\s+(-?\d+)(?:\s+tag\s+(-?\d+))?(?:\s+cpu\s+(\d+))?"
    r"(?:\s+nic\s+(\d+))?|calc\s+(\d+)(?:\s+cpu\s+(\d+))?)$")
DEPENDENCY = re.compile(r"([A-Za-z_]\w*)\s+(i?requires)\s+([A-Za-z_]\w*)$")


class Bad(Exception):
    pass


def opened(path):
    kind = {"gz": gzip.open, "xz": lzma.open}.get(path.rsplit(".", 1)[-1], open)
    return kind(path, "rt", encoding="ascii")


class Graph:
    """Operations of all ranks in one list; rank r owns first[r] .. first[r + 1]."""

    def __init__(self, path):
        self.kind, self.peer, self.size, self.tag, self.line, self.rank = [], [], [], [], [], []
        self.needs_end, self.needs_start = defaultdict(list), defaultdict(list)  # operation -> those that wait for it
        self.missing = []  # how many things an operation still waits for
        self.ranks = None
        self.read(path)

    def read(self, path):
        rank, labels, seen, comment = None, {}, set(), False
        with opened(path) as lines:
            for number, text in enumerate(lines, 1):
                if "/*" in text or comment:
                    text, comment = self.uncomment(text, comment)
                text = text.split("//")[0].strip()
                if not text:
                    continue
                try:
                    if self.ranks is None:
                        m = re.match(r"num_ranks\s+(\d+)$", text)
                        if not m or int(m[1]) < 1:
                            raise Bad("`num_ranks N` must come first")
                        self.ranks = int(m[1])
                    elif rank is None:
                        m = re.match(r"rank\s+(\d+)\s*\{$", text)
                        if not m or int(m[1]) >= self.ranks or int(m[1]) in seen:
                            raise Bad(f"`rank R {{` is needed, each R below {self.ranks} once")
                        rank, labels = int(m[1]), {}
                        seen.add(rank)
                    elif text == "}":
                        rank = None
                    else:
                        self.item(rank, labels, text, number)
                except Bad as bad:
                    raise Bad(f"{path}:{number}: {bad}") from None
        if self.ranks is None or rank is not None or len(seen) != self.ranks:
            raise Bad(f"{path}: ends early: {len(seen)} of {self.ranks or 0} ranks, last block {'open' if rank is not None else 'closed'}")

    @staticmethod
    def uncomment(text, inside):
        out = ""
        while text:
            if inside:
                end = text.find("*/")
                if end < 0:
                    return out, True
                text, inside = text[end + 2:], False
            else:
                begin = text.find("/*")
                if begin < 0:
                    return out + text, False
                out, text, inside = out + text[:begin], text[begin + 2:], True
        return out, inside

    def item(self, rank, labels, text, number):
        m = OPERATION.match(text)
        if m:
            op = len(self.kind)
            label, verb, size, way, peer, tag = m[1], m[2], m[3], m[4], m[5], m[6]
            if label:
                if label in labels:
                    raise Bad(f"label {label} is there twice")
                labels[label] = op
            if verb:
                if (verb == "send") != (way == "to"):
                    raise Bad("`send ... to` or `recv ... from` is needed")
                peer, tag = int(peer), int(tag or 0)
                if not (-1 if verb == "recv" else 0) <= peer < self.ranks:
                    raise Bad(f"rank {peer} is out of range 0 .. {self.ranks - 1}")
                if tag < -1 or tag >= 1 << 31 or (verb == "send" and tag < 0):
                    raise Bad(f"tag {tag} is out of range")
            self.kind.append(CALC if not verb else SEND if verb == "send" else RECV)
            self.peer.append(peer if verb else 0)
            self.size.append(int(size if verb else m[9]))
            self.tag.append(tag if verb else 0)
            self.line.append(number)
            self.rank.append(rank)
            self.missing.append(0)
            return
        m = DEPENDENCY.match(text)
        if not m:
            raise Bad(f"neither an operation nor a dependency: {text[:60]}")
        for label in (m[1], m[3]):
            if label not in labels:
                raise Bad(f"label {label} is used before it is defined")
        after, before = labels[m[1]], labels[m[3]]
        (self.needs_end if m[2] == "requires" else self.needs_start)[before].append(after)
        self.missing[after] += 1


class Run:
    """Runs the graph without time; `order` lists operations as they began (op, False) and ended (op, True)."""

    def __init__(self, graph, rendezvous=None):
        self.g, self.rendezvous = graph, rendezvous
        n = len(graph.kind)
        self.began, self.ended, self.order = bytearray(n), bytearray(n), []
        self.match, self.matched = {}, set()  # receive -> send; sends that were met
        self.sends = defaultdict(deque)  # (to, from, tag) -> begun and unmatched
        self.recvs = defaultdict(deque)  # (at, from, tag), -1 for any
        self.arrived = defaultdict(deque)  # to -> keys in order of beginning, for wildcards
        self.faults = []
        self.ready = deque(i for i in range(n) if graph.missing[i] == 0)
        self.missing = list(graph.missing)
        while self.ready:
            self.begin(self.ready.popleft())

    def begin(self, op):
        g = self.g
        self.began[op] = 1
        self.order.append((op, False))
        self.release(g.needs_start.get(op, ()))
        if g.kind[op] == CALC:
            self.end(op)
        elif g.kind[op] == SEND:
            self.send(op)
        else:
            self.receive(op)

    def late(self, op):
        return self.rendezvous is not None and self.g.size[op] >= self.rendezvous

    def send(self, op):
        g = self.g
        to, source, tag = g.peer[op], g.rank[op], g.tag[op]
        if not self.late(op):
            self.end(op)
        waiting = [q[0] for q in (self.recvs[key] for key in ((to, source, tag), (to, -1, tag), (to, source, -1), (to, -1, -1))
                                  if key in self.recvs) if q]
        if waiting:
            recv = min(waiting)  # the one that was posted first
            self.recvs[(to, g.peer[recv], g.tag[recv])].popleft()
            self.meet(op, recv)
        else:
            self.sends[(to, source, tag)].append(op)
            self.arrived[to].append(op)

    def receive(self, op):
        g = self.g
        at, source, tag = g.rank[op], g.peer[op], g.tag[op]
        if source >= 0 and tag >= 0:
            found = self.sends.get((at, source, tag))
            send = found.popleft() if found else None
        else:
            send = next((s for s in self.arrived[at] if s not in self.matched and source in (-1, g.rank[s]) and
                         tag in (-1, g.tag[s])), None)
            if send is not None:
                self.sends[(at, g.rank[send], g.tag[send])].remove(send)
        if send is None:
            self.recvs[(at, source, tag)].append(op)
        else:
            self.meet(send, op)

    def meet(self, send, recv):
        g = self.g
        self.matched.add(send)
        self.match[recv] = send
        if g.size[send] != g.size[recv]:
            self.faults.append(f"line {g.line[recv]}: rank {g.rank[recv]} receives {g.size[recv]} bytes, "
                               f"line {g.line[send]}: rank {g.rank[send]} sends {g.size[send]}")
        if self.late(send):
            self.end(send)
        self.end(recv)

    def end(self, op):
        self.ended[op] = 1
        self.order.append((op, True))
        self.release(self.g.needs_end.get(op, ()))

    def release(self, ops):
        for op in ops:
            self.missing[op] -= 1
            if self.missing[op] == 0:
                self.ready.append(op)

    def report(self):
        g, faults = self.g, list(self.faults)
        for key, queue in sorted(self.sends.items()):
            for op in queue:
                faults.append(f"line {g.line[op]}: rank {key[1]} sends {g.size[op]} bytes to {key[0]} with tag {key[2]}; "
                              "nobody receives them")
        for key, queue in sorted(self.recvs.items()):
            for op in queue:
                faults.append(f"line {g.line[op]}: rank {key[0]} waits for {g.size[op]} bytes from {key[1]} with tag {key[2]}; "
                              "nobody sends them")
        stuck = [i for i in range(len(g.kind)) if not self.began[i]]
        if stuck:
            faults.append(f"{len(stuck)} operations never begin, the first in line {g.line[stuck[0]]} (rank {g.rank[stuck[0]]})")
        return faults


def facts(g):
    count = [g.kind.count(k) for k in (SEND, RECV, CALC)]
    data = sum(s for s, k in zip(g.size, g.kind) if k == SEND)
    work = sum(s for s, k in zip(g.size, g.kind) if k == CALC)
    return f"{g.ranks} ranks, {count[0]} sends, {count[1]} receives, {count[2]} computations; {data} bytes, {work} ns"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rendezvous", type=int, metavar="BYTES")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    status = 0
    for path in args.files:
        try:
            g = Graph(path)
        except Bad as bad:
            print(bad)
            status = max(status, 1)
            continue
        except (OSError, EOFError, UnicodeDecodeError, lzma.LZMAError) as bad:
            print(f"{path}: {bad}")
            status = 2
            continue
        faults = Run(g, args.rendezvous).report()
        for fault in faults[:20]:
            print(f"{path}: {fault}")
        if len(faults) > 20:
            print(f"{path}: and {len(faults) - 20} more")
        status = max(status, 1 if faults else 0)
        print(f"{path}: {'WRONG' if faults else 'ok'}: {facts(g)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
