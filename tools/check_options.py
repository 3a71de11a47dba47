#!/usr/bin/env python3
"""Options that no experiment, example or test uses: each wants a test of its effect, or to go.

usage: tools/check_options.py docs/CONFIG.md   (as `coppice list --docs` prints it; a test compares both)

An option of a section is used where a file names the section and sets the option; one of a kind (a
topology, a scheme, a control ...) where a file names the kind, too, or another kind of the section that has the
same option, with the same meaning. To set is `name:` or `name=` in a run
file, a study, or a test's text; that a test lists it as known, or draws it at random, is no use.
Prints one line per option without a use, and ends with 1 if there is one.
"""
import pathlib
import re
import sys

NO_USE = ("tests/support/draw", "tests/fuzz/")


def options(path):
    """(section, kind or None, option, meaning) of each line of an option table."""
    section = kind = None
    in_table = False
    for line in open(path, encoding="utf-8"):
        head = re.match(r"(##+) `([\w-]+)`", line)
        if head:
            section, kind = (head[2], None) if head[1] == "##" else (section, head[2])
            in_table = False
        elif line.startswith("#"):
            section = kind = None
        elif re.match(r"\| option \|", line):
            in_table = True
        elif not line.startswith("|"):
            in_table = False
        elif in_table and section:
            row = re.match(r"\| `([\w-]+)` \|.*\| (.*) \|$", line)
            if row:
                yield section, kind, row[1], row[2]


def texts():
    for pattern in ("experiments/**/*.yaml", "examples/**/*", "tests/**/*"):
        for f in sorted(pathlib.Path(".").glob(pattern)):
            if f.is_file() and f.suffix in (".yaml", ".c", ".h", ".py", ".mjs", ".net") and not str(f).startswith(NO_USE):
                yield f.read_text(encoding="utf-8", errors="replace")


def main():
    all_texts = [(set(re.findall(r"[\w-]+", t)), set(re.findall(r"(?<![\w-])([A-Za-z][\w-]*)(?::|=(?!=))", t))) for t in texts()]
    unused, table = [], list(options(sys.argv[1]))
    for section, kind, name, meaning in table:
        names = {k or s for s, k, n, m in table if (s, n, m) == (section, name, meaning)}
        if not any(name in keys and names & words for words, keys in all_texts):
            unused.append(f"{section}{' ' + kind if kind else ''}: `{name}` is set by no experiment, example or test")
    print("\n".join(unused), end="\n" if unused else "")
    return 1 if unused else 0


sys.exit(main())
