#!/usr/bin/env python3
"""Puts the verdicts of docs/validation back into a result database.

All experiments at both scales take ten CPU hours. After a change of one of them, run that one and
write docs/validation again. Its files hold what the others gave:

    git stash                                             # experiments as they were when docs/validation was written
    for s in quick full; do coppice reproduce --all --judge --scale $s --db all.db; done     # every check, not run
    tools/verdicts.py docs/validation all.db              # now with the verdicts of the files
    git stash pop
    coppice reproduce CHANGED --scale quick --db all.db   # what changed is run; likewise at full scale
    coppice reproduce --any-build --db all.db --validation docs/validation

Only what the files say comes back: texts and verdicts, no runs, so reports of such a database have no figures.
Verdicts of experiments that were edited since are not taken (their fingerprint differs), as ever.
"""
import glob
import json
import re
import sqlite3
import sys

SCALES = ("quick", "full")


def cells(line):
    """The cells of a row of a Markdown table, as they were before they were escaped."""
    found = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    return [c.strip().replace("\\|", "|").replace("&lt;", "<").replace("&gt;", ">") for c in found]


def verdicts(row):
    """{scale: (state, measured, narrow)} of a row: check, where, what, expected, tolerance, quick, full, verdict."""
    measured = {"quick": row[5], "full": row[5] if row[6] == "=" else row[6]}
    said = row[7]
    if said.startswith("quick "):
        quick, full = said.split("; full ")
        said = {"quick": quick[len("quick "):], "full": full}
    elif said.endswith((", quick", ", full")):
        said, scale = said.rsplit(", ", 1)
        said = {scale: said}
    else:
        said = {s: said for s in SCALES if measured[s]}
    return {s: (t.split(",")[0].strip("*"), measured[s], "narrow" in t or "(narrow" in measured[s]) for s, t in said.items()}


def joined(text):
    """Lines of the text; those that go on with an item or a paragraph stand in one with it."""
    lines = []
    for line in text.splitlines():
        goes_on = lines and lines[-1] and not lines[-1].startswith(("#", "|", "<")) and line and \
            not line.startswith(("#", "|", "<", "* "))
        if goes_on:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def read(text):
    """{check: {scale: verdict}}, {(check, state): explanation}, {(paper, scale): models} of one page."""
    checks, reasons, models, paper, state = {}, {}, {}, None, "fail"
    for line in joined(text):
        if line.startswith("# "):
            paper = line[2:]
        elif line.startswith("| ") and line.count("|") >= 9 and re.match(r"\| [a-z0-9]+-", line):
            row = cells(line)
            checks[row[0]] = verdicts(row)
        elif m := re.match(r"\* ([a-z0-9-]+): (.*)", line):
            reasons[m[1], state] = m[2]
        elif line in ("Why checks fail:", "Notes on checks that pass:"):
            state = "fail" if line.startswith("Why") else "pass"
        elif m := re.match(r"(Quick|Full) scale, at least in part, with an earlier behaviour: ([0-9a-f, ]+)\.", line):
            models[paper, m[1].lower()] = m[2]
    return checks, reasons, models


def read_folder(folder):
    """The same of all its pages."""
    checks, reasons, models = {}, {}, {}
    for name in sorted(glob.glob(f"{folder}/*.md")):
        with open(name, encoding="utf-8") as f:
            for whole, part in zip((checks, reasons, models), read(f.read())):
                whole.update(part)
    return checks, reasons, models


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    checks, reasons, models = read_folder(sys.argv[1])
    if not checks:
        sys.exit(f"{sys.argv[1]}: no row of a check; the folder that `make reproduce` writes is wanted")
    db = sqlite3.connect(sys.argv[2])
    restored, homeless, old = 0, [], set()
    for check, by_scale in checks.items():
        for scale, (state, measured, narrow) in by_scale.items():
            if state == "not-run":
                continue
            place = db.execute("SELECT experiment, state FROM verdict WHERE id = ? AND scale = ? ORDER BY experiment",
                               (check, scale)).fetchall()
            if not place:
                homeless.append(f"{check} ({scale})")
                continue
            if place[0][1] != "not-run":
                continue  # judged meanwhile, or needs no run
            db.execute("UPDATE verdict SET state = ?, measured = ?, explain = ?, items = ?"
                       " WHERE id = ? AND scale = ? AND experiment = ?",
                       (state, measured, reasons.get((check, state), ""), json.dumps([{"narrow": narrow}]), check, scale,
                        place[0][0]))
            old.add((place[0][0], scale))
            restored += 1
    for (paper, scale), model in models.items():  # several: which experiment had which the page does not say
        for name in sorted(n for n, of in old if of == scale):
            db.execute("UPDATE experiment SET inputs = substr(inputs, 1, 17) || ? WHERE name = ? AND paper = ? AND scale = ?",
                       (model, name, paper, scale))
    db.commit()
    print(f"{restored} verdicts restored")
    if homeless:
        sys.exit("no experiment has: " + ", ".join(homeless))


if __name__ == "__main__":
    main()
