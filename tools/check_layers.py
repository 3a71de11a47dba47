#!/usr/bin/env python3
"""Which folder may include what. Fails on any other edge.

Layers, from the bottom up (an arrow means "may include"):

  base    -> nothing of ours, no library
  des     -> base
  topo    -> base
  route   -> base, topo
  net     -> base, des, topo/topo.h, route/route.h; never a plug-in. Its folders are rooms, with arrows
             one way (ROOMS); what all share and what plug-ins include lies in net/ itself
  host    -> base, net and its rooms flow, cable, switch, worm: the end nodes, of which net knows
             net/host.h alone
  app     -> base, net/app.h, net/traffic.h: programs whose ranks send; the only folder that knows
             protobuf-c
  traffic -> also app/job.h, app/read.h, app/coll.h
  queue, cc, traffic (plug-ins) -> base and their own interface in net/; never each other
  stats   -> base, net (reads the network when the run is over)
  tree    -> base, net/look.h, topo/topo.h, stats/result.h: congestion trees, found by looking
  store   -> base, stats/result.h; the only folder that knows SQLite
  report  -> base, what the store reads (store/store.h, study.h, browse.h); JSON
  exp     -> all of the above, by their public headers; the only folder that knows YAML
  study   -> base, exp, store: many runs from one file; the only folder that knows Lua
  apps    -> base, exp, study, report, what results are made of (stats/result.h, store/store.h); JSON
  include -> nothing of ours: coppice.h stands alone
  examples-> coppice.h only

A folder's private headers are those not named here: only the folder itself may include them.
Further rules: headers include each other without cycles and have a guard; memory comes from
base/mem.c alone; nothing below apps/ prints, but for the two messages that end the process.

With --objects BUILD it also looks at the object files below BUILD/obj/src (tools/object_graph.py): folders
of src/ must not need each other in a circle, and object files only as CIRCLES lists. That list may shrink,
never grow; a circle that is gone must be taken off it.

With objects it compares the picture of ARCHITECTURE.md with includes and names; --draw puts the right one there.

usage: tools/check_layers.py [ROOT] [--objects BUILD [--draw]]
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
import object_graph  # noqa: E402

# Rooms of the machine, src/net/*, from the bottom up: rooms that each may need, by includes and by names.
# What lies in net/ itself, the structs and the interfaces of plug-ins, all share.
ROOMS = {
    "config": [],
    "flow": [],
    "record": ["flow"],
    "cable": ["record"],
    "routing": ["cable", "flow", "record"],
    "switch": ["cable", "routing", "record"],
    "worm": ["cable", "switch", "flow", "record"],
    "services": ["cable", "routing", "switch", "flow", "record"],
    "ahead": ["cable", "routing", "switch"],
    "deadlock": ["cable", "switch", "worm", "services", "flow"],
    "inspect": ["cable", "routing", "switch", "worm", "config", "flow", "record"],
    "build": ["cable", "routing", "switch", "worm", "services", "deadlock", "inspect", "config", "flow", "record"],
    "run": ["cable", "routing", "switch", "worm", "services", "ahead", "deadlock", "inspect", "flow"],
}
MACHINE = ["base/", "des/evq.h", "topo/topo.h", "route/route.h", "net/"]

# A room's header has its name and is its contract: nothing else of it is included from outside, but for
# hints to the cache, book-keeping and construction, which must know where state lies.
INSIDE = {
    "worm": ["net/switch/request.h"],
    "ahead": ["net/cable/fc_state.h", "net/switch/request.h", "net/switch/sw_iq.h"],
    "deadlock": ["net/switch/request.h"],
    "inspect": ["net/cable/fc_state.h"],
    "build": ["net/cable/fc_state.h"],
}


def contracts(rooms):
    return [f"net/{room}/{room}.h" for room in rooms]


# folder -> headers of other folders it may include ("x/" = all of folder x)
ALLOWED = {
    "src/base": [],
    "src/des": ["base/"],
    "src/topo": ["base/"],
    "src/route": ["base/", "topo/topo.h"],
    "src/net": MACHINE,
    **{f"src/net/{room}": MACHINE + contracts(needs) + INSIDE.get(room, []) for room, needs in ROOMS.items()},
    "src/host": MACHINE + contracts(["flow", "cable", "switch", "worm"]),
    "src/queue": ["base/", "net/queue.h", "net/view.h", "net/pkt.h"],
    "src/cc": ["base/", "net/cc.h", "net/view.h", "net/pkt.h"],
    "src/app": ["base/", "net/app.h", "net/traffic.h"],
    "src/traffic": ["base/", "net/traffic.h", "topo/topo.h", "app/job.h", "app/read.h",
                    "app/coll.h"],
    "src/stats": ["base/", "net/net.h", "app/job.h"],
    "src/tree": ["base/", "net/look.h", "topo/topo.h", "stats/result.h"],
    "src/store": ["base/", "stats/result.h"],
    "src/report": ["base/", "stats/result.h", "store/store.h", "store/study.h", "store/browse.h"],
    "src/exp": ["base/", "topo/topo.h", "route/route.h", "route/flow_table.h", "route/levels.h", "route/dragonfly_choice.h", "net/net.h", "net/net_cfg.h", "net/cc.h", "net/queue.h",
                "net/watch.h", "net/step.h", "tree/tree.h", "tree/now.h", "queue/queue_list.h", "cc/cc_list.h", "cc/opensm.h", "host/host_list.h", "traffic/traffic_cfg.h",
                "stats/result.h", "stats/collect.h", "store/store.h", "coppice.h"],
    "src/study": ["base/", "exp/", "stats/result.h", "store/store.h", "store/claim.h",
                  "store/study.h"],
    # `coppice bench` also measures the event queue by itself.
    "apps/cli": ["base/", "exp/", "study/", "stats/result.h", "store/store.h", "store/study.h",
                 "report/report.h", "net/step.h", "tree/now.h", "app/read.h", "app/graph.h", "app/waits.h",
                 "des/evq.h"],
    "include": [],
    "examples": ["coppice.h"],
}

# library header -> folders that may include it
LIBRARIES = {
    "sqlite3.h": ["src/store"],
    "zlib.h": ["src/app", "src/store"],
    "chakra.pb-c.h": ["src/app"],
    "yaml.h": ["src/exp"],
    "lua.h": ["src/study"],
    "lauxlib.h": ["src/study"],
    "lualib.h": ["src/study"],
    "jansson.h": ["apps/cli", "src/study", "src/report"],
    "pthread.h": ["src/des", "src/exp", "apps/cli"],
    "libwebsockets.h": ["apps/cli"],
}

# Object files that need each other, by folder: one line is one circle.
CIRCLES = """
app/coll app/coll_gather app/coll_reduce app/coll_tree
app/graph app/graph_check
app/job app/message app/rank
base/err base/mem base/opt_text base/text
base/opt base/opt_list
cc/fern_detect cc/fern_source cc/fern_words
cc/ibcc_auto cc/ibcc_own cc/ibcc_params cc/ibcc_preset
exp/api exp/api_result
exp/plugins exp/sections
host/hca host/hca_inject
host/simple host/simple_take
queue/iso_hooks queue/iso_line
report/observed report/ports report/rank_slices report/ranks report/runs
store/store store/upgrade
study/eval study/lets study/lua_block study/lua_mean study/lua_run
study/evaluate study/figure study/figure_curves study/figure_ranking study/figure_value
study/order study/prices study/sandbox
study/read study/read_checks study/read_once study/read_vary
topo/file_scan topo/scan_linkinfo topo/scan_netdiscover
traffic/app traffic/arrival traffic/arrival_check traffic/exchange traffic/forest traffic/hosts traffic/pattern traffic/place traffic/size traffic/traffic
tree/census tree/find tree/waiting tree/watch
"""

ALLOCATES = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|asprintf)\s*\(")
PRINTS = re.compile(r"(?<![\w])(printf|puts|putchar|perror|vprintf)\s*\(|\bstd(err|out)\b")
PRINTERS = {"src/base/err.c", "src/base/mem.c"}  # cop_panic, out of memory


def folder_of(path):
    folder = os.path.dirname(path)
    return folder if folder.split("/")[0] in ("src", "apps") else path.split("/")[0]


def strip_comments_and_strings(text):
    keep_lines = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r"/\*.*?\*/", keep_lines, text, flags=re.S)
    text = re.sub(r"//[^\n]*", keep_lines, text)
    return re.sub(r'"(\\.|[^"\\\n])*"', keep_lines, text)


def sources(root):
    for top in ("src", "apps", "include", "examples"):
        for where, dirs, names in sorted(os.walk(os.path.join(root, top))):
            dirs.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), root)


def resolve(path, name, files):
    """The file an include names, or None for what is not ours."""
    for candidate in (os.path.join(os.path.dirname(path), name), "src/" + name, "include/" + name):
        if candidate in files:
            return candidate
    return None


def check_include(path, line, name, quoted, files, complain):
    folder = folder_of(path)
    if folder == "examples" and name == "coppice.h":
        return None
    target = resolve(path, name, files) if quoted else None
    if target is None:
        if quoted:
            complain(path, line, f"`{name}` is not in the tree")
        owners = LIBRARIES.get(name)
        if owners and folder not in owners:
            complain(path, line, f"<{name}> belongs to {', '.join(owners)}")
        return None
    other = folder_of(target)
    if other == folder:
        return target
    short = target.split("/", 1)[1]
    allowed = ALLOWED.get(folder)
    if allowed is None:
        complain(path, line, f"folder {folder} has no rule; add one to tools/check_layers.py")
    elif short not in allowed and os.path.dirname(short) + "/" not in allowed:
        complain(path, line, f"{folder} may not include {short}")
    return target


def check_text(path, text, complain):
    code = strip_comments_and_strings(text)
    in_library = path.startswith("src/")
    for number, line in enumerate(code.split("\n"), 1):
        found = ALLOCATES.search(line)
        if found and path != "src/base/mem.c" and not path.startswith("examples"):
            complain(path, number, f"{found.group(1)}; memory comes from base/mem.h")
        if in_library and path not in PRINTERS and PRINTS.search(line):
            complain(path, number, "prints; only apps/ may")
    if path.endswith(".h") and not re.search(r"#ifndef (\w+)\n#define \1\n", text):
        complain(path, 1, "header without an include guard")


def find_cycle(graph):
    """A cycle of headers as a list of paths, or None."""
    state, trail = {}, []

    def visit(node):
        if state.get(node) == 2:
            return None
        if state.get(node) == 1:
            return trail[trail.index(node):] + [node]
        state[node] = 1
        trail.append(node)
        for following in graph.get(node, []):
            cycle = visit(following)
            if cycle:
                return cycle
        trail.pop()
        state[node] = 2
        return None

    for start in sorted(graph):
        cycle = visit(start)
        if cycle:
            return cycle
    return None


def check_objects(root, build):
    """Faults of what is linked, and the graph of objects."""
    object_graph.self_test()
    try:
        graph = object_graph.read(root, build)
    except FileNotFoundError as missing:
        return [f"{missing}: no such object; run `make` first"], {}
    allowed = [set(line.split()) for line in CIRCLES.strip().split("\n")]
    faults = object_graph.faults_of(graph, allowed)
    for room, needs in object_graph.rooms_of(graph).items():
        own = ROOMS.get(room[len("net/"):]) if room.startswith("net/") else None
        for other, edges in needs.items():
            if own is not None and other.startswith("net/") and other[len("net/"):] not in own:
                faults.append("src/%s needs %s of src/%s, and its room may not (ROOMS)"
                              % (edges[0][0], edges[0][2], edges[0][1]))
    return faults, graph


PICTURE = "ARCHITECTURE.md"
BEGIN, END = "<!-- drawn by tools/check_layers.py --draw -->\n```mermaid\n", "```\n<!-- end of drawing -->"


def house(includes, graph):
    """folder -> folders it needs, by includes or by names; src/ is left out of their names."""
    needs = {}
    pairs = [(folder_of(path), folder_of(target)) for path, target in includes]
    if graph:
        pairs += [("src/" + room, "src/" + other) for room, others in object_graph.rooms_of(graph).items()
                  for other in others]
    for folder, other in pairs:
        folder, other = (f[len("src/"):] if f.startswith("src/") else f for f in (folder, other))
        needs.setdefault(folder, set())
        needs.setdefault(other, set())
        if folder != other:
            needs[folder].add(other)
    for alone in ("include", "examples"):  # who implements an interface, and who uses it, is no layer
        needs.pop(alone, None)
        for others in needs.values():
            others.discard(alone)
    return needs


def check_picture(root, needs, renew):
    """Faults of the picture; with `renew` it is put right."""
    path = os.path.join(root, PICTURE)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        return [f"{PICTURE}: no place for the picture, between `{BEGIN.split(chr(10))[0]}` and its end"]
    before, rest = text.split(BEGIN)
    shown, after = rest.split(END)
    right = object_graph.draw(needs)
    if shown == right:
        return []
    if not renew:
        return [f"{PICTURE}: the picture is not what the code says; run tools/check_layers.py --objects BUILD --draw"]
    with open(path, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + right + END + after)
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(__file__), ".."))
    parser.add_argument("--objects", metavar="BUILD")
    parser.add_argument("--draw", action="store_true")
    args = parser.parse_args()
    root = args.root
    files = set(sources(root))
    faults, graph, includes = [], {}, []

    def complain(path, line, what):
        faults.append(f"{path}:{line}: {what}")

    for path in sorted(files):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            text = f.read()
        for number, line in enumerate(text.split("\n"), 1):
            m = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
            if m:
                target = check_include(path, number, m.group(2), m.group(1) == '"', files, complain)
                includes.append((path, target))
                if target and path.endswith(".h"):
                    graph.setdefault(path, []).append(target)
        check_text(path, text, complain)
    cycle = find_cycle(graph)
    if cycle:
        faults.append("headers include each other: " + " -> ".join(cycle))
    objects = {}
    if args.objects:
        found, objects = check_objects(root, args.objects)
        faults += found
    if objects and not faults:
        faults += check_picture(root, house([i for i in includes if i[1]], objects), args.draw)
    for fault in faults:
        print(fault)
    print(f"{len(files)} files, {len(includes)} includes, {len(objects)} objects, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
