"""Which object file needs which, as the linker sees it: for tools/check_layers.py.

An object needs another one when it refers to a name that the other defines. What a compiler has inlined
needs none; what a header defines belongs to the including file, and includes have other rules.
A room is a folder of src/ with objects in it. The picture of ARCHITECTURE.md is drawn here, too.
"""
import os
import subprocess

CODE = (".c", ".S")


def sources(root):
    """Everything below src/ that becomes an object, as "net/wire"."""
    found = []
    for where, dirs, names in os.walk(os.path.join(root, "src")):
        dirs.sort()
        for name in sorted(names):
            if name.endswith(CODE):
                path = os.path.relpath(os.path.join(where, name), os.path.join(root, "src"))
                found.append(os.path.splitext(path)[0])
    return sorted(found)


def read_symbols(paths):
    """path -> (names it defines, names it refers to)."""
    out = subprocess.run(["nm", "-A", "-P", "-g", *paths], capture_output=True, text=True, check=True).stdout
    symbols = {path: (set(), set()) for path in paths}
    for line in out.splitlines():
        where, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        defined, needed = symbols[where.split("[")[0]]
        (needed if kind in "Uvw" else defined).add(name)
    return symbols


def graph_of(symbols):
    """unit -> {unit it needs: names}, from unit -> (defined, needed)."""
    owner = {name: unit for unit, (defined, _) in symbols.items() for name in defined}
    graph = {unit: {} for unit in symbols}
    for unit, (_, needed) in symbols.items():
        for name in needed:
            other = owner.get(name)
            if other is not None and other != unit:
                graph[unit].setdefault(other, set()).add(name)
    return graph


def read(root, build):
    """The graph of a build's objects. Raises FileNotFoundError for a source without an object."""
    units = sources(root)
    paths = {unit: os.path.join(build, "obj", "src", unit + ".o") for unit in units}
    for path in paths.values():
        if not os.path.exists(path):
            raise FileNotFoundError(path)
    symbols = read_symbols(list(paths.values()))
    return graph_of({unit: symbols[path] for unit, path in paths.items()})


def room_of(unit):
    return os.path.dirname(unit)


def rooms_of(graph):
    """room -> {room it needs: [(unit, unit, name), ...]}"""
    rooms = {room_of(unit): {} for unit in graph}
    for unit, needs in graph.items():
        for other, names in needs.items():
            if room_of(other) != room_of(unit):
                edges = rooms[room_of(unit)].setdefault(room_of(other), [])
                edges.extend((unit, other, name) for name in sorted(names))
    return rooms


def circles(graph):
    """Largest sets of more than one node that all reach each other (Tarjan), in order."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in number:
            continue
        work = [(start, iter(sorted(graph[start])))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    circle = set()
                    while node not in circle:
                        circle.add(stack.pop())
                    on_stack -= circle
                    if len(circle) > 1:
                        found.append(circle)
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(sorted(graph[following]))))
            elif following in on_stack:
                low[node] = min(low[node], number[following])
    return sorted(found, key=lambda c: sorted(c))


def faults_of(graph, allowed):
    """What is wrong with a graph where only the circles in `allowed` (sets of units) may be."""
    faults = []
    rooms = rooms_of(graph)
    for circle in circles(rooms):
        faults.append("rooms need each other: " + ", ".join(sorted(circle)))
        for room in sorted(circle):
            for other in sorted(set(rooms[room]) & circle):
                unit, needs, name = rooms[room][other][0]
                faults.append(f"  src/{unit} needs {name} of src/{needs}")
    found = circles(graph)
    for circle in found:
        if circle not in allowed:
            faults.append("object files need each other: " + " ".join(sorted(circle)))
    for circle in allowed:
        if circle not in found:
            faults.append("no circle any more; take it off the list of check_layers.py: "
                          + " ".join(sorted(circle)))
    return faults


def reduce(graph):
    """The same reachability with as few arrows as possible, of a graph without circles: node -> nodes."""
    reached = {}

    def reach(node):
        if node not in reached:
            reached[node] = set().union(*({n} | reach(n) for n in graph[node]))
        return reached[node]

    return {node: {n for n in needs if not any(n in reach(other) for other in needs if other != n)}
            for node, needs in graph.items()}


def draw(graph):
    """A picture of folders in Mermaid's language; those below a folder stand in a box of its name."""
    few = reduce(graph)
    name = lambda node: node.replace("/", "_")
    boxes = sorted({os.path.dirname(node) for node in graph} & set(graph))
    lines = ["flowchart TD"]
    for box in boxes:
        inside = sorted(node for node in graph if os.path.dirname(node) == box)
        lines += [f'    subgraph {name(box)}_rooms["{box}"]']
        lines += [f'        {name(box)}["{box}: structs and interfaces"]']
        lines += [f'        {name(node)}["{os.path.basename(node)}"]' for node in inside]
        lines += ["    end"]
    lines += [f'    {name(node)}["{node}"]' for node in sorted(graph)
              if node not in boxes and os.path.dirname(node) not in boxes]
    lines += [f"    {name(node)} --> {name(other)}" for node in sorted(few) for other in sorted(few[node])]
    return "\n".join(lines) + "\n"


def self_test():
    """A circle of rooms, one of objects, one that is gone: each is found, and nothing else."""
    symbols = {
        "a/low": ({"low"}, set()),
        "a/top": ({"top"}, {"low", "printf"}),
        "b/one": ({"one"}, {"two", "low"}),
        "b/two": ({"two"}, {"one"}),
    }
    good = graph_of(symbols)
    assert good["a/top"] == {"a/low": {"low"}} and rooms_of(good)["a"] == {}
    assert faults_of(good, [{"b/one", "b/two"}]) == []
    assert len(faults_of(good, [])) == 1
    assert len(faults_of(good, [{"b/one", "b/two"}, {"a/low", "a/top"}])) == 1
    some = {"x": {"y", "x/z"}, "y": {"x/z"}, "x/z": set()}
    assert reduce(some) == {"x": {"y"}, "y": {"x/z"}, "x/z": set()}
    assert "    x --> y\n" in draw(some) and "x --> x_z" not in draw(some)
    symbols["a/low"] = ({"low"}, {"two"})
    bad = faults_of(graph_of(symbols), [{"b/one", "b/two"}])
    assert any("rooms need each other: a, b" in f for f in bad)
    assert any("src/a/low needs two of src/b/two" in f for f in bad)
