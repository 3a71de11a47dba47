#!/usr/bin/env python3
"""Documents: width, links, words.

* A line has at most 100 characters, in a code block 120. Rows of tables, and lines that are one word
  or link too long to break, may be longer.
* A relative link leads to a file or folder that is there, and its #part to a heading of that file.
* Machine parts have names: `nobody`, `somebody` and `whoever` are not among them.

Generated documents are not read, and may be missing where a link leads to them: `make reproduce`
writes the verdicts, `make docs` the options.

usage: tools/check_docs.py [ROOT | --self-test]
"""
import os
import re
import sys

WIDTH, CODE_WIDTH = 100, 120
GENERATED = ("docs/CONFIG.md", "docs/validation/")
SKIPPED = {".git", "build", "node_modules"}
BANNED = re.compile(r"\b(nobody|somebody|whoever)\b", re.I)
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"`[^`]*`")


def anchor(heading):
    """The name that a heading has in links."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def lines_of(text):
    """(number, line, is it code) of each line; marks of a block count as code."""
    fence = False
    for number, line in enumerate(text.split("\n"), 1):
        mark = line.lstrip().startswith("```")
        yield number, line, fence or mark
        fence ^= mark


def anchors(text):
    names, seen = set(), {}
    for _, line, code in lines_of(text):
        if not code and re.match(r"#{1,6} ", line):
            name = anchor(line.lstrip("#"))
            seen[name] = seen.get(name, -1) + 1
            names.add(name if seen[name] == 0 else f"{name}-{seen[name]}")
    return names


def breakable(line):
    """Could it be broken before column 100? Indents and marks of lists are no places to break."""
    text = re.sub(r"^\s*([*+-]|\d+\.)?\s*", "", line)
    return " " in CODE.sub("x", text)


def is_generated(path):
    return any(path == g or path.startswith(g) and g.endswith("/") for g in GENERATED)


def faults_of(path, text, exists, read):
    """`exists` and `read` answer for paths from the root."""
    faults = []
    for number, line, code in lines_of(text):
        width = CODE_WIDTH if code else WIDTH
        if len(line) > width and not line.startswith("|") and (code or breakable(line)):
            faults.append((number, f"{len(line)} characters, at most {width}"))
        if code:
            continue
        plain = CODE.sub("", line)
        for word in BANNED.findall(plain):
            faults.append((number, f"`{word}`: name the part, or say `no ...`"))
        for target in LINK.findall(plain):
            if re.match(r"[a-z]+:", target):
                continue
            where, _, part = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), where)) if where else path
            if is_generated(to):
                continue
            if not exists(to):
                faults.append((number, f"link to {target}: there is no {to}"))
            elif part and to.endswith(".md") and part not in anchors(read(to)):
                faults.append((number, f"link to {target}: {to} has no heading of that name"))
    return faults


SELF_TEST = {
    "a.md": "# A `b` and c\n\nsee [b](d/b.md#two-words) and [here](#a-b-and-c), [web](https://x.y/z)\n"
            "[verdicts](docs/validation/README.md)\n| " + "x " * 60 + "|\n```\nnobody\n" + "x " * 55 + "\n```\n"
            "`nobody` is a word\n* https://" + "x" * 100 + "\n",
    "d/b.md": "# Two words\n\nNobody waits\n" + "x " * 51 + "\n```\n" + "x " * 61 + "\n```\n"
              "[a](../a.md#c) [no](no.md)\n",
}


def self_test():
    found = {path: [n for n, _ in faults_of(path, text, SELF_TEST.__contains__, SELF_TEST.get)]
             for path, text in SELF_TEST.items()}
    want = {"a.md": [], "d/b.md": [3, 4, 6, 8, 8]}
    if found != want:
        print(f"self-test: {found}, expected {want}")
    return found == want


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    read = lambda path: open(os.path.join(root, path), encoding="utf-8").read()
    exists = lambda path: os.path.exists(os.path.join(root, path))
    documents, faults = [], []
    for where, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED and not f.startswith("."))
        documents += [os.path.relpath(os.path.join(where, n), root) for n in sorted(names) if n.endswith(".md")]
    for path in documents:
        if not is_generated(path):
            faults += [f"{path}:{number}: {fault}" for number, fault in
                       faults_of(path, read(path), exists, read)]
    for fault in faults:
        print(fault)
    print(f"{len(documents)} documents, {len(faults)} faults")
    return 1 if faults or not self_test() else 0


if __name__ == "__main__":
    sys.exit(main())
