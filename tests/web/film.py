"""Frames and congestion trees for a stored run, made up along its real ports: a tree grows from the fullest
port that faces a host to the hosts, and is cut back. For tests of the player only; docs/RESULTS.md has the
tables. A file of a version that has no such tables gets them."""
import math
import struct
import zlib

TABLES = """
CREATE TABLE IF NOT EXISTS frame (run_id INTEGER, frame INTEGER, time_ns REAL, span_ns REAL, data BLOB, PRIMARY KEY (run_id, frame));
CREATE TABLE IF NOT EXISTS tree (run_id INTEGER, tree INTEGER, root_port INTEGER, root TEXT, root_to TEXT, begin_ns REAL, end_ns REAL,
  samples INTEGER, links INTEGER, depth INTEGER, contributors INTEGER, victims INTEGER, loss REAL, bytes_mean REAL, bytes_max REAL,
  similarity REAL, overlap REAL, contributor_overlap REAL, moves INTEGER, kind TEXT, PRIMARY KEY (run_id, tree));
CREATE TABLE IF NOT EXISTS tree_frame (run_id INTEGER, tree INTEGER, frame INTEGER, root_port INTEGER, links INTEGER, bytes INTEGER,
  members BLOB, contributors BLOB, victims BLOB, PRIMARY KEY (run_id, tree, frame));
"""


def owner(port, hosts):
    return port if port in hosts else port.rsplit(".", 1)[0]


def grow(ports, hosts, root, narrow):
    """Members of the whole tree, root first: port, depth, next."""
    members, edge = [(root, 0, 0xFFFFFFFF)], [root]
    seen = {root}
    into = {}
    for i, (_, name, to) in enumerate(ports):
        into.setdefault(owner(to, hosts), []).append(i)
    depth = 0
    while edge and depth < 4:
        depth += 1
        following = []
        for parent in edge:
            here = owner(ports[parent][1], hosts)
            for i in into.get(here, [])[:: narrow if depth == 2 else 1]:
                if i not in seen and ports[i][2] != ports[parent][1] and not (depth == 1 and ports[i][1] in hosts):
                    seen.add(i)
                    members.append((i, depth, parent))
                    following.append(i)
        edge = [i for i in following if ports[i][1] not in hosts]
    return members


def set_free(ports, hosts, members, target):
    """Takes the last link of a host out of the tree: a victim whose own link is free. Returns its flow."""
    last = [m for m in members if ports[m[0]][1] in hosts][-1]
    members.remove(last)
    near = owner(next(name for _, name, to in ports if to == target), hosts)
    beside = [to for _, name, to in ports if to in hosts and to != target and owner(name, hosts) == near]
    return (hosts[ports[last[0]][1]], hosts[beside[0]])


def film(db, run_id, frames, trees, shrinks, counted=True):
    db.executescript(TABLES)
    ports = db.execute("SELECT port, name, to_name FROM port WHERE run_id = ? ORDER BY port", (run_id,)).fetchall()
    queue = dict(db.execute("SELECT port, mean_queue_bytes FROM port WHERE run_id = ?", (run_id,)))
    use = dict(db.execute("SELECT port, utilisation FROM port WHERE run_id = ?", (run_id,)))
    hosts = {name: node for node, name in db.execute("SELECT node, name FROM node WHERE run_id = ?", (run_id,))}
    (end,) = db.execute("SELECT sim_time_ns FROM run WHERE id = ?", (run_id,)).fetchone()
    roots = sorted((i for i, p in enumerate(ports) if p[2] in hosts), key=lambda i: -queue[ports[i][0]])[:trees]
    whole = [grow(ports, hosts, r, 6 if len(ports) > 200 else 1) for r in roots]
    free = [set_free(ports, hosts, members, ports[r][2]) for r, members in zip(roots, whole)]
    for f in range(frames):
        share = (f + 1) / frames
        size = math.sin(math.pi * min(1, share * (1 if shrinks else 0.5))) if shrinks else min(1, share * 2)
        waiting, blocked = [0] * len(ports), [0] * len(ports)
        for t, members in enumerate(whole):
            shown = [m for m in members if m[1] <= max(0, round(size * 4))]
            data = b""
            for port, depth, following in shown:
                held = int(60000 * size / (1 + depth) * (0.4 + (port * 7919 % 13) / 13))
                waiting[port], blocked[port] = waiting[port] + held, 0 if depth == 0 else int(255 * size)
                data += struct.pack("<4I", port, depth, following, held)
            senders = [hosts[ports[m[0]][1]] for m in shown if ports[m[0]][1] in hosts]
            target = hosts[ports[roots[t]][2]]
            flows = [v for k, h in enumerate(senders) if k % 5 == 0 for v in (h, (target + 7) % len(hosts))] + list(free[t])
            parts = [zlib.compress(struct.pack("<%dI" % len(v), *v)) if f % 3 == 0 and counted else None for v in ([h for k, h in enumerate(senders) if k % 5], flows)]
            db.execute("INSERT INTO tree_frame VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (run_id, t + 1, f, roots[t], len(shown), 1000, zlib.compress(data), *parts))
        wire = [int(255 * min(1, use[p[0]] * (0.6 + 0.4 * share))) for p in ports]
        data = struct.pack("<%dI" % len(ports), *waiting) + bytes(blocked) + bytes(wire)
        data += bytes(-len(data) % 4)
        for r in roots:
            data += struct.pack("<9I", r, 5, 2, 1, hosts[ports[r][2]], 40000, 2, hosts[ports[r][2]], 20000)
        db.execute("INSERT INTO frame VALUES (?, ?, ?, ?, ?)", (run_id, f, end * share, end / frames, zlib.compress(data)))
    for t, members in enumerate(whole):
        n = sum(ports[m[0]][1] in hosts for m in members)
        db.execute("INSERT INTO tree VALUES (" + ", ".join("?" * 20) + ")", (run_id, t + 1, roots[t], ports[roots[t]][1], ports[roots[t]][2], 0, end, frames,
                   len(members), 3, n * 4 // 5 if counted else None, n // 5 + 1 if counted else None, 0.81 if counted else None, 1e6, 3e6, 0.97, 1.0, 1.0, 0,
                   "silent" if counted else "unjudged"))
