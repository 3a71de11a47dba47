#!/usr/bin/env python3
"""A rich database for the tests of `coppice report`: plain runs, and experiments of every kind.

The runs come from `coppice run`; the experiments are made up, with texts that try to break out of
the page. usage: tests/web/fixture.py COPPICE DB [--large]
"""
import itertools
import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile

from film import film

HOSTILE = "</script><script>document.title='broken out'</script><img src=x onerror=\"document.title='broken out'\">"

TORUS = """
name: torus
title: A torus of 4 x 4 switches
run: {duration: 100 us, warmup: 20 us, sample: 5 us}
topology: {kind: torus, radix: [4, 4], hosts: 1}
link: {rate: 10 Gbit/s}
traffic: [{name: all, pattern: tornado}]
"""
DRAGONFLY = """
name: dragonfly
title: A dragonfly
run: {duration: 100 us, warmup: 20 us, sample: 5 us}
topology: {kind: dragonfly, p: 2, a: 4, h: 2}
link: {rate: 10 Gbit/s}
traffic: [{name: all, pattern: uniform}]
"""
JOBS = """
name: jobs
title: Two jobs
run: {duration: 10 ms, until: jobs}
topology: {kind: rail-tree, pods: 2, servers: 4, rails: 2, spines: 2}
traffic:
  - {name: train, collective: all-reduce-ring, message: 64 KiB, repeat: 2, think: 20 us, from: 0-7, overhead: 1 us}
  - {name: shuffle, collective: all-to-all-pairwise, message: 16 KiB, from: 8-15, overhead: 1 us}
"""


counter = itertools.count(1)


def insert(db, table, **row):
    columns = ", ".join('"%s"' % c for c in row)
    marks = ", ".join("?" for _ in row)
    db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", list(row.values()))


def figure(db, experiment, position, **spec):
    spec.setdefault("experiment", experiment)
    insert(db, "figure", experiment=experiment, scale="full", name=spec["name"], position=position,
           spec=json.dumps(spec))


def verdict(db, id, experiment, paper, where, metric, expected, tolerance, state, measured="", explain="",
            items=None, kind="printed"):
    insert(db, "verdict", id=id, experiment=experiment, scale="full", paper=paper, place=where, metric=metric,
           kind=kind, expected=expected, tolerance=tolerance, state=state, measured=measured, explain=explain,
           items=json.dumps(items or []), position=next(counter))


def flows(t):
    """Four flows that start one after the other and share a link, as in a paper of 2011."""
    n = sum(t >= s for s in (1, 2, 3))
    return [13.1 / max(1, n) if t >= s else 0.0 for s in (0.2, 1, 2, 3)]


def fairness(db):
    name = "gran1-fig7"
    insert(db, "experiment", name=name, scale="full", title="Three flows into one port, and a victim beside them",
           paper="gran1",
           about="Seven hosts on two switches. Flows F2, F3 and F4 start one after the other and all go to one host; "
           "F1 shares the trunk with them but goes elsewhere.\n\nWithout congestion control the victim loses as much "
           "as those who cause the trouble. With it, it should get back nearly everything.",
           choices=json.dumps([
               {"what": "Link rate", "value": "20 Gbit/s", "why": "The paper names 4x DDR but not the coding; 8b/10b "
                "leaves 16 Gbit/s, of which a host of that age reaches 13."},
               {"what": "Buffer per lane", "value": "32 KiB", "why": "Not printed. The smallest size that keeps a "
                "link of 2 m busy is 4 KiB; results do not change from 16 KiB on."}]),
           config=open("examples/two-switch.yaml").read(), command="coppice reproduce gran1-fig7 --db results.db",
           seeds=5, runs=20, failed=0, updated_at="2026-03-01T12:00:00Z", inputs="")
    verdict(db, "gran1-1", name, "gran1", "sec 6.1, fig 7a", "Gbit/s of F1, and of F2 once it runs, before F3 begins; "
            "CC off", "13", "4 %", "pass", "13.1 ± 0.05",
            items=[{"what": "F1", "value": 13.12, "ci": 0.048, "low": 12.48, "high": 13.52, "pass": True},
                   {"what": "F2", "value": 13.08, "ci": 0.051, "low": 12.48, "high": 13.52, "pass": True}])
    verdict(db, "gran1-2", name, "gran1", "fig 7a and 7c", "Gbit/s of F1, of F2 and of F3 while these three run; CC "
            "off", "6.5", "5 %", "fail", "4.37",
            "The paper's switch shares the trunk by input port, ours by flow. With shares by port the value is 6.4; "
            "the printed text does not say which the hardware does.",
            items=[{"what": f"F{i}", "value": 4.37 + i / 100, "ci": None, "low": 6.175, "high": 6.825, "pass": False}
                   for i in (1, 2, 3)])
    verdict(db, "gran1-10", name, "gran1", "fig 7d", "victim gets more than the contributors; CC on", "F1 > F2",
            "order", "pass", "12.9 > 4.4", kind="order",
            items=[{"what": f"seed {s}", "value": 8.1 + s / 10, "ci": None, "low": 0, "high": None, "pass": True}
                   for s in range(6)] +
                  [{"what": "least", "value": 0.4, "ci": 0.6, "least": -0.1, "most": 0.9, "low": 0, "high": None,
                    "pass": True, "narrow": True},
                   {"what": "mean", "value": 8.4, "ci": 0.1, "low": None, "high": None, "pass": None}])
    verdict(db, "gran1-11", name, "gran1", "table 1", "CCTI timer", "150", "exact", "recorded", kind="printed")
    ts = [i * 0.04 + 0.02 for i in range(100)]
    series = [{"name": f"F{k + 1}", "points": [[t, flows(t)[k] + 0.12 * math.sin(7 * t + k)] for t in ts],
               "ci": [0.25 + 0.05 * math.sin(t) for t in ts] if k == 0 else None, "dash": False} for k in range(4)]
    figure(db, name, 1, name="off", title="Throughput without congestion control", kind="time",
           note="Mean of five seeds; the shade around F1 is its 95 % confidence interval.",
           checks=["gran1-1", "gran1-2", "nowhere"],
           x={"label": "time", "unit": "ms", "log": False}, y={"label": "throughput", "unit": "Gbit/s", "log": False},
           series=series, expected=[{"name": "F1", "from": 0.2, "to": 1.0, "value": 13, "low": 12.48, "high": 13.52},
                                    {"name": "F2", "from": 2, "to": 3, "value": 6.5, "low": 6.175, "high": 6.825},
                                    {"name": "sum", "from": None, "to": None, "value": None, "low": None, "high": 14}])
    loads = [1, 2, 4, 8, 16, 32, 64]
    figure(db, name, 2, name="threshold", title="Latency over the marking threshold", kind="line", checks=["gran1-10"],
           x={"label": "threshold", "unit": "KiB", "log": True}, y={"label": "latency", "unit": "µs", "log": True},
           series=[{"name": "victim", "points": [[x, 4 + 30 / x] for x in loads], "ci": [0.4 + 3 / x for x in loads],
                    "dash": False},
                   {"name": "contributors", "points": [[x, 40 + 3 * x] for x in loads], "ci": None, "dash": True}],
           expected=[{"name": "victim", "points": [[x, 4.3 + 29 / x] for x in loads[::2]], "tolerance": 0.2}])
    figure(db, name, 3, name="saturation", title="Latency over load", kind="line",
           x={"label": "load", "unit": "%"}, y={"label": "latency", "unit": "ns"}, seeds=[1, 2],
           missing=[{"why": "run `load 0.9` deadlock", "count": 3, "where": ["by one at 90"]}],
           series=[{"name": "by four", "points": [[x, 500 + 400 / (110 - x)] for x in range(10, 91, 10)], "ci": None,
                    "seeds": [[1, 2]] * 9},
                   {"name": "by one", "points": [[x, 520 + 40 / max(0.5, 55 - x) + (x >= 60) * 31 * (x - 20)] for x in range(10, 81, 10)],
                    "ci": [10] * 5 + [200] * 3, "unsteady": [5, 6, 7], "seeds": [[1, 2]] * 8},
                   {"name": "by two", "points": [[x, 510 + 40 / max(0.5, 75 - x) + (x >= 80) * 22 * (x - 40)] for x in range(10, 91, 10)],
                    "ci": None, "unsteady": [7, 8], "seeds": [[1, 2]] * 9}])


def parameters(db):
    name = "gran3-fig4"
    insert(db, "experiment", name=name, scale="full", title="Which parameters suit which traffic", paper="gran3",
           about="A sweep over the two parameters that matter most.", choices=json.dumps(
               {"G-12": "The mark rate is taken as 0, every packet, as the text implies."}),
           config="topology:\n  kind: fat-tree\n", command="coppice reproduce gran3-fig4", seeds=1, runs=54,
           failed=2, updated_at="2026-03-02T08:30:00Z", inputs="")
    for i in range(1, 7):
        verdict(db, f"gran3-{i}", name, "gran3", f"fig 4, bar {i}", "relative throughput of the victims", f"{0.9 + i / 100:.2f}",
                "5 %", "pass" if i != 4 else "fail", f"{0.91 + i / 100:.3f}",
                "The optimum lies one step further right than in the paper." if i == 4 else "")
    cells = [[x, y, 60 + 35 * math.exp(-((x - 5) ** 2 + (y - 3) ** 2) / 9)] for x in range(9) for y in range(6)]
    figure(db, name, 1, name="surface", title="Throughput over both parameters", kind="heatmap", checks=["gran3-4"],
           x={"label": "CCTI increase", "unit": ""}, y={"label": "timer", "unit": "µs"},
           z={"label": "throughput", "unit": "%"}, xs=[1, 2, 4, 8, 16, 32, 64, 128, 256], ys=[10, 20, 50, 100, 150, 200],
           cells=cells, unsteady=[3, 4, 5])
    figure(db, name, 2, name="patterns", title="Throughput by traffic pattern", kind="bar",
           y={"label": "throughput", "unit": "%"}, categories=["uniform", "hot spot", "moving", "windy"],
           series=[{"name": "CC off", "values": [88, 31, 45, 52], "ci": [1.2, 3.1, 2.2, 1.9], "unsteady": [1, 3]},
                   {"name": "CC on", "values": [86, 79, 66, 71], "ci": [1.1, 1.4, 3.0, 2.5]},
                   {"name": "<b>ideal</b>", "values": [90, 90, 90, 90], "ci": None}], stack=False,
           expected=[{"category": "hot spot", "series": "CC on", "value": 80, "low": 76, "high": 84},
                     {"category": "moving", "series": None, "value": 70, "low": 65, "high": 75}])
    figure(db, name, 3, name="where", title="Where packets wait", kind="bar", stack=True,
           y={"label": "share of time", "unit": "%"}, categories=["host", "leaf", "spine", "root"],
           series=[{"name": n, "values": v, "ci": None} for n, v in
                   (("queue", [10, 40, 20, 5]), ("arbitration", [5, 10, 10, 5]), ("wire", [20, 20, 20, 20]))], expected=[])
    figure(db, name, 4, name="table", title="The same in numbers", kind="table",
           columns=["pattern", "CC off", "CC on", "gain"], rows=[["uniform", 88.1234, 86, -2.1], ["hot spot", 31, 79, 48],
                                                                   ["=HYPERLINK(\"x\")", None, 12345678, 0.00012], ["-1.5", "+x", "x;y", "@x\\ry"]])
    cell = lambda v, ci: {"v": v, "ci": ci, "seeds": [v - ci / 2, v + ci / 2] if v is not None and ci else []}
    figure(db, name, 7, name="ranking", title="Mechanisms in order", kind="ranking", rank=0, rows="mechanism", seeds=[1, 2],
           columns=[{"name": "score", "unit": "", "better": "high", "log": False},
                    {"name": "recovery", "unit": "us", "better": "low", "log": True}],
           tabs=[{"name": n, "rows": [
               {"name": "isolation", "group": "queueing", "rank": 1, "tied": False, "cells": [cell(0.95 - k / 50, 0.01), cell(20.0, 4.0)]},
               {"name": HOSTILE, "group": "control", "rank": 1, "tied": True, "cells": [cell(0.94 - k / 50, 0.02), cell(900.0, 40.0)]},
               {"name": "none", "group": "", "rank": 3, "tied": False, "cells": [cell(0.31, None), cell(1000.0, None)]},
               {"name": "=odd", "group": "", "rank": None, "tied": False, "why": "needs another network", "cells": [cell(None, None), cell(None, None)]},
           ]} for k, n in enumerate(("fat tree", "torus"))])
    nodes = [{"name": f"h{i}", "kind": "host"} for i in range(12)] + [{"name": f"s{i}", "kind": "switch"} for i in range(5)]
    links = []
    for h in range(12):
        links += [{"from": f"h{h}", "to": f"s{h // 4}", "use": (h % 5) / 5, "queue": 0},
                  {"from": f"s{h // 4}", "to": f"h{h}", "use": 1.0 if h == 3 else 0.2, "queue": 90000 if h == 3 else 0}]
    for leaf in range(3):
        for spine in (3, 4):
            links += [{"from": f"s{leaf}", "to": f"s{spine}", "use": 0.5 * leaf / 2, "queue": 2000 * leaf},
                      {"from": f"s{spine}", "to": f"s{leaf}", "use": 0.9 if leaf == 0 else 0.3, "queue": 40000 if leaf == 0 else 10}]
    figure(db, name, 5, name="net", title="The congestion tree", kind="network", nodes=nodes, links=links)
    for i in range(6):
        insert(db, "point", position=i, experiment=name, scale="full", label=f"increase {i}", axes=json.dumps({"increase": 2 ** i, "timer": 150}),
               seed=1, run_id=100000 + i, outcome="ok" if i != 2 else "deadlock")


def hostile(db):
    name = "hostile " + HOSTILE
    insert(db, "experiment", name=name, scale="full", title=HOSTILE, paper="<i>p</i>", about=HOSTILE + " & \u2028 {{title}}",
           choices=json.dumps([HOSTILE, {"<b>": HOSTILE}]), config=HOSTILE, command=HOSTILE, seeds=1, runs=1,
           failed=0, updated_at="2026-01-01T00:00:00Z", inputs="")
    verdict(db, "x-<1>", name, "<i>p</i>", HOSTILE, HOSTILE, HOSTILE, HOSTILE, "fail", HOSTILE, HOSTILE,
            [{"what": HOSTILE, "value": 1, "ci": None, "low": None, "high": None, "pass": False}])
    figure(db, name, 1, name="f", title=HOSTILE, kind="line", note=HOSTILE, checks=[HOSTILE], x={"label": HOSTILE, "unit": "<u>"},
           y={"label": HOSTILE, "unit": "&amp;"}, series=[{"name": HOSTILE, "points": [[0, 1], [1, 2]], "ci": None}],
           expected=[{"name": HOSTILE, "from": None, "to": None, "value": 1.5, "low": 1, "high": 2}])
    figure(db, name, 2, name="g", title="nodes", kind="network", nodes=[{"name": HOSTILE, "kind": "switch"}, {"name": "h", "kind": "host"}],
           links=[{"from": HOSTILE, "to": "h", "use": 0.5, "queue": 1}])


def not_run(db, n):
    insert(db, "experiment", name="qcn-fig3", scale="full", title="Not run yet", paper="qcn", about="", choices="[]", config="",
           command="coppice reproduce qcn-fig3", seeds=0, runs=0, failed=0, updated_at="2026-01-01T00:00:00Z", inputs="")
    for i in range(n):
        verdict(db, f"qcn-{i + 1}", "qcn-fig3", "qcn", f"fig {i % 9}", "rate of the reaction point", "10", "5 %", "not-run")


def main():
    coppice, path = sys.argv[1], sys.argv[2]
    large = "--large" in sys.argv
    # The trees of this page are made up (film.py).
    run = lambda *a: subprocess.run([coppice, "run", *a, "--set", "run.trees=no", "--quiet", "--db", path], check=True, stdout=subprocess.DEVNULL)
    run("examples/two-switch.yaml")
    run("examples/hotspot-648.yaml", "--set", "run.duration=%s" % ("6 ms" if large else "900 us"),
        "--set", "run.warmup=100 us", "--set", "run.sample=10 us")
    for text in (TORUS, DRAGONFLY, JOBS):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as f:
            f.write(text)
        run(f.name)
        os.unlink(f.name)
    run("examples/two-switch.yaml", "--set", "queueing.kind=voqnet")
    db = sqlite3.connect(path)
    film(db, 1, 24, 1, False)
    film(db, 2, 24, 2, True)
    film(db, 6, 24, 1, True, counted=False)
    fairness(db)
    parameters(db)
    hostile(db)
    not_run(db, 400 if large else 12)
    db.commit()


if __name__ == "__main__":
    main()
