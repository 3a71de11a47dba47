#!/usr/bin/env python3
"""Two draws of random numbers in one expression, with nothing that orders them.

C leaves open which argument of a call, which operand and which item of an initialiser is evaluated
first: gcc on x86 takes arguments from the last to the first, clang and gcc on ARM the other way. If
two of them draw from one random stream, a program gives other numbers with another compiler, and no
compiler warns. This looks at the text of all C files: a draw is a call of a function that gets a
pointer to a cop_rng, or to a struct that holds one, and may write through it.

usage: tools/check_order.py [ROOT | --self-test]
"""
import os
import re
import sys

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|&&|\|\||->|[-+*/%&|^<>=!]=|<<|>>|\S")
SEQUENCED = {"&&", "||", "?", ":"}
CONTROL = {"if", "while", "for", "switch"}
CLOSING = {"(": ")", "[": "]", "{": "}"}


def code_of(text):
    """Without comments, texts and preprocessor lines; lines keep their numbers."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])+\'', blank, text)
    return re.sub(r"^[ \t]*#(.*\\\n)*.*", blank, text, flags=re.M)


def tokens_of(code):
    line, at = 1, 0
    for m in TOKEN.finditer(code):
        line += code.count("\n", at, m.start())
        at = m.start()
        yield m.group(0), line


def drawers(codes):
    """Names of the functions, and macros, that draw."""
    holders = {"cop_rng"}
    for code in codes:
        for m in re.finditer(r"typedef struct \w* ?\{([^{}]*)\}\s*(\w+);", code):
            if re.search(r"\bcop_rng \w+;", m.group(1)):
                holders.add(m.group(2))
    param = r"(?<!const )\b(?:" + "|".join(sorted(holders)) + r") \*\w+"
    names = {"ONE_OF", "PICK"}
    for code in codes:
        for m in re.finditer(r"\b(\w+)\(([^(){};]*)\)\s*[{;]", code):
            if re.search(param, m.group(2)):
                names.add(m.group(1))
    return names


class Reader:
    """Goes through the statements of a file; `faults` are the lines with draws in no order."""

    def __init__(self, tokens, names):
        self.tokens, self.names, self.faults = list(tokens), names, []
        self.at = 0

    def peek(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def group(self, opening, is_call):
        """Behind an opening bracket, to its end: does it draw? Items between commas have no order, but
        in plain parentheses, where a comma is an operator."""
        line, drawing, comma_orders = self.tokens[self.at - 1][1], 0, opening == "(" and not is_call
        while self.peek() is not None:
            drawing += self.expression({",", ";", CLOSING[opening]})
            end = self.peek()
            self.at += 1
            if end not in (",", ";"):
                break
        if drawing > 1 and not comma_orders:
            self.faults.append(line)
        return drawing > 0

    def expression(self, ends):
        """Up to one of `ends`, which is left: does it draw?"""
        drawing, any_draw, before = 0, False, None
        start = self.tokens[self.at][1] if self.at < len(self.tokens) else 0
        while self.peek() is not None and self.peek() not in ends:
            token, self.at = self.peek(), self.at + 1
            if token in SEQUENCED:
                any_draw, drawing = any_draw or drawing > 0, 0
            elif token in CLOSING:
                is_call = token == "(" and before is not None and (before[0].isalpha() or before[0] in "_)]")
                named = is_call and before in self.names
                drawing += self.group(token, is_call) or named
                if drawing > 1:
                    self.faults.append(start)
                    drawing = 1
            elif token in CLOSING.values():
                break  # a bracket too many: not C, leave it
            before = token
        return any_draw or drawing > 0

    def statements(self):
        """Blocks need no attention: their braces end statements. A brace after `=`, `(`, `,` or `return`
        begins an initialiser, and is seen by expression()."""
        while self.peek() is not None:
            token = self.peek()
            if token in ("{", "}", ";", ",", "else", "do", ")", "]"):
                self.at += 1
            elif token in CONTROL:
                self.at += 2
                while self.peek() is not None:
                    self.expression({";", ")"})
                    self.at += 1
                    if self.tokens[self.at - 1][0] == ")":
                        break
            else:
                self.simple()

    def simple(self):
        """A declaration, an expression, or the head of a function. A comma outside of brackets separates
        declarations or is an operator: both have an order."""
        has_value = self.peek() == "return"
        self.at += has_value
        while self.peek() is not None and self.peek() not in (";", ",", "}"):
            if self.peek() == "{" and not has_value:
                return
            mark = self.at
            self.expression({";", ",", "}"} if has_value else {";", ",", "}", "{"})
            has_value |= "=" in (t for t, _ in self.tokens[mark:self.at])
            if self.at == mark:
                self.at += 1


def faults_of(code, names):
    reader = Reader(tokens_of(code), names)
    reader.statements()
    return sorted(set(reader.faults))


SELF_TEST = """
typedef struct source { int n; cop_rng rng; } source;
uint32_t below(source *s, uint32_t n);
uint32_t look(const source *s, uint32_t n);
void fine(source *s)
{
    uint32_t a = below(s, 2), b = below(s, 3) ? below(s, 4) : 0;
    if (below(s, 2) && below(s, 3))
        put(a, below(s, below(s, 4)), look(s, 3));
    for (a = below(s, 1); a < below(s, 2); a += below(s, 3))
        v[a] = below(s, 9);
    pair x = {.a = below(s, 2), .b = look(s, 1)};
    return (below(s, 1), below(s, 2));
}
void wrong(source *s)
{
    put(below(s, 1), below(s, 2));
    a = below(s, 1) * below(s, 2);
    pair x = {.a = below(s, 1), .b = below(s, 2)};
    put(a, 1 + (below(s, 1) >> below(s, 2)));
    v[below(s, 1)] = below(s, 2);
    if (below(s, 1) == below(s, 2))
        a = 1;
    return (pair){below(s, 1), below(s, 2)};
}
"""


def self_test():
    first = SELF_TEST.count("\n", 0, SELF_TEST.index("void wrong")) + 3
    want = [first + i for i in (0, 1, 2, 3, 4, 5, 7)]
    code = code_of(SELF_TEST)
    found = faults_of(code, drawers([code]))
    if found != want:
        print(f"self-test: lines {found}, expected {want}")
    return found == want


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    codes = {}
    for top in ("src", "apps", "tests"):
        for where, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as f:
                        codes[os.path.relpath(path, root)] = code_of(f.read())
    names = drawers(codes.values())
    faults = [f"{path}:{line}: draws in no order; one draw per expression"
              for path in sorted(codes) for line in faults_of(codes[path], names)]
    for fault in faults:
        print(fault)
    print(f"{len(codes)} files, {len(names)} functions that draw, {len(faults)} faults")
    return 1 if faults or not self_test() else 0


if __name__ == "__main__":
    sys.exit(main())
