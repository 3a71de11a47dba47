"""Small faults in the text of C and Lua files, for tools/mutants.py.

Role     finds all places of a file where a fault of a classic kind fits. A fault replaces one piece
         of text by another with as many line ends, so that line numbers stay.
Kinds    relation    < <= > >= == != to the neighbour        condition  if (x) to if (!(x)), !x to x
         arithmetic  + -, * /, % /, += -=, ++ --             constant   n to n + 1, true to false
         logic       && ||                                   operand    one of && and || dropped
         bits        & |, << >>, &= |=, <<= >>=              minmax     cop_min64, cop_max64
         deleted     a call, an assignment, x++              returned   a returned value
Text     comments, strings, preprocessor lines, COP_ASSERT and COP_CHECK are blanked before the
         search and so never touched; one exception: the number with which the default of an option
         table starts. Spaces tell a binary from a unary operator: the code is formatted.
Left out calls that only release memory (the sanitizers of `make check` find what leaks), functions
         that only fetch into the cache (PREFETCH), `{0}`, numbers in the sizes of arrays, declared or
         allocated (one more changes nothing), what luaL_error returns: it never does, values of
         enumerators and long hexadecimal numbers, which mix hashes: any others would do. A returned int
         is an error code: the fault loses it; other numbers grow by one.
Order    of a seed: lines by a hash of seed, file and text, then faults of a line likewise. A change
         elsewhere in the file moves nothing.
"""
import hashlib
import re
from collections import namedtuple

# `text`[start:end] becomes `new`; `line` counts from 1.
Fault = namedtuple("Fault", "file line kind start end new")

PAIRS = {
    "relation": "< <=  <= <  > >=  >= >  == !=  != ==",
    "arithmetic": "+ -  - +  * /  / *  % /  += -=  -= +=  *= /=  /= *=  ++ --  -- ++",
    "logic": "&& ||  || &&",
    "bits": "& |  | &  << >>  >> <<  &= |=  |= &=  <<= >>=  >>= <<=",
    "constant": "true false  false true",
    "minmax": "cop_min64 cop_max64  cop_max64 cop_min64  fmin fmax  fmax fmin",
}
LUA_PAIRS = {
    "relation": "< <=  <= <  > >=  >= >  == ~=  ~= ==",
    "arithmetic": "+ -  - +  * /  / *  % /",
    "logic": "and or  or and",
    "constant": "true false  false true",
    "minmax": "min max  max min",
}
SPACED = set("+ - * / % & | < >".split())
KEYWORDS = set("return if for while switch case default break continue goto do else struct enum union typedef"
               " static const extern sizeof".split())

C_HIDDEN = re.compile(r"""(?P<blank>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:/\*.*?\*/|\\\n|[^\n])*)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')""", re.S | re.M | re.X)
LUA_HIDDEN = re.compile(r"""(?P<blank>--\[\[.*?\]\]|--[^\n]*)
    |(?P<text>\[\[.*?\]\]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""", re.S | re.X)
CHECKS = re.compile(r"\b(?:COP_ASSERT|COP_CHECK|_Static_assert|static_assert)\s*\(")
TOKEN = re.compile(r"""[A-Za-z_]\w*|(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[uUlLfF]*|<<=|>>=|->|\+\+|--
    |<<|>>|[<>=!~]=|&&|\|\||[-+*/%&|^]=|\.\.\.?|\S""", re.X)
PREFETCH = re.compile(r"^PREFETCH \w+\(", re.M)
DECLARED_ARRAY = re.compile(r"^\s*(?:\w+ )+\**\w+(?:\[[^\]]*\])+(?:, \**\w+(?:\[[^\]]*\])*)*(?: =|;|,)")
ANY_VALUE = re.compile(r"^\s*[A-Z][A-Z0-9_]* = \d+$|\b0x[\da-fA-F]{9,}u?$")
HEADER = re.compile(r"^((?:\w+[ ]+)+\**)(\w+)\([^;{}]*\)\s*\{", re.M)
OPTION = re.compile(r'COP_OPT_\w+, +[\w()]+, +"(?P<n>\d+)')
ALLOCATED = re.compile(r"\b(?:COP_NEW_ARRAY|cop_alloc_array)\(")
RELEASE = re.compile(r"(?:cop_)?free\(|json_decref\(|\w+_(?:free|fini)\(")
OPENING, CLOSING = "([{", ")]}"


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def closing(text, at):
    """Where the bracket at `at` is closed; -1 if it is not."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in OPENING) - (text[i] in CLOSING)
        if depth == 0:
            return i
    return -1


def masked(text, lua):
    """The text with all that must not be touched hidden, every character in its place."""
    hidden = LUA_HIDDEN if lua else C_HIDDEN
    out = hidden.sub(lambda m: blank(m[0]) if m["blank"] else re.sub(r"[^\n]", '"', m[0]), text)
    for m in CHECKS.finditer(out):
        end = closing(out, m.end() - 1) + 1
        out = out[:m.start()] + blank(out[m.start():end]) + out[end:]
    for m in PREFETCH.finditer(out):
        end = closing(out, out.index("{", m.end())) + 1
        out = out[:m.start()] + blank(out[m.start():end]) + out[end:]
    return out


def next_number(number):
    """The number as written, one more; 1e6 becomes 2e6."""
    m = re.fullmatch(r"(0[xX][\da-fA-F]+|\d+)([.eEuUlLfF].*)?", number)
    digits, rest = m[1], m[2] or ""
    return (hex(int(digits, 16) + 1) if digits[:2] in ("0x", "0X") else str(int(digits) + 1)) + rest


def neighbours(pairs):
    words = {k: v.split() for k, v in pairs.items()}
    return {a: (kind, b) for kind, w in words.items() for a, b in zip(w[::2], w[1::2])}


def token_faults(code, lua):
    swap = neighbours(LUA_PAIRS if lua else PAIRS)
    sizes = {i for m in ALLOCATED.finditer(code) for i in range(m.end(), closing(code, m.end() - 1))}
    for m in TOKEN.finditer(code):
        token, a, b = m[0], m.start(), m.end()
        around = code[a - 1:a] + code[b:b + 1]
        if token[0].isdigit():
            begin = code.rfind("\n", 0, a) + 1
            array = DECLARED_ARRAY.match(code[begin:code.find("\n", a)])
            size = a in sizes or array and begin + array.end() > a or ANY_VALUE.search(code[begin:b])
            if around != "{}" and not size and not re.search(r"\w : $", code[begin:a]):
                yield "constant", a, b, next_number(token)
        elif token in swap and (token not in SPACED or not around.strip()):
            if token in ("min", "max") and code[a - 5:a] != "math.":
                continue
            yield swap[token][0], a, b, swap[token][1]
        elif token == "!" or token == "not":
            yield "condition", a, b, "" if token == "!" else "   "


def condition_faults(code, lua):
    if lua:
        for m in re.finditer(r"\bif ([^\n]+?) then\b", code):
            yield "condition", m.start(1), m.end(1), ("not (", ")")
        return
    for m in re.finditer(r"\b(?:if|while) \(", code):
        a, b = m.end(), closing(code, m.end() - 1)
        simple = not re.search(r"&&|\|\|", code[a:b]) and re.search(r"[=!]=|^!", code[a:b])
        if b > a and not simple:
            yield "condition", a, b, ("!(", ")")


def reach(code, at, brackets, stops):
    """Where the operand that starts at `at` ends, and what stops it."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in brackets[0]) - (code[i] in brackets[1])
        stop = stops.match(code, i)
        if depth < 0 or depth == 0 and stop:
            return i, stop[0] if stop and depth == 0 else ""
    return len(code), ""


def operand_faults(code, lua):
    """a || b to a, and to b."""
    if lua:
        return
    back = code[::-1]
    for m in re.finditer(r"&&|\|\|", code):
        tighter = r"\|\||" if m[0] == "||" else r"&&|\|\||"
        end, _ = reach(code, m.end(), (OPENING, CLOSING), re.compile(tighter + r"[;,?:]"))
        yield "operand", m.start(), end, re.sub(r"[^\n]", "", code[m.start():end])
        before = re.compile(tighter + r"[;,?:]|\bnruter\b|(?<!=)=(?![=<>!])")
        begin, stop = reach(back, len(code) - m.start(), (CLOSING, OPENING), before)
        begin = len(code) - begin
        begin += len(code[begin:]) - len(code[begin:].lstrip())
        if stop != m[0]:
            yield "operand", begin, m.end(), re.sub(r"[^\n]", "", code[begin:m.end()])


def statement_end(code, at):
    """The `;` that ends the statement at `at`; -1 if brackets are closed before it."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] == ";" and depth == 0:
            return i
        depth += (code[i] in OPENING) - (code[i] in CLOSING)
        if depth < 0:
            return -1
    return -1


def without_brackets(text):
    before = None
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}", lambda m: "@" * len(m[0]), text)
    return text


def deletable(statement):
    """Calls, assignments and counting, but no declarations."""
    bare = without_brackets(statement)
    if RELEASE.match(statement) or bare.split(None, 1)[0] in KEYWORDS:
        return False
    return bool(re.fullmatch(r"\w[\w.>@-]*@|\+*-*\w[\w.>@-]*?(\+\+|--)", bare)
                or re.match(r"[*]{0,2}\w[\w.>@-]*?\s*(?:[-+*/%&|^]|<<|>>)?=[^=]", bare + " "))


def statement_faults(code, lua):
    if lua:
        for m in re.finditer(r"^ +([\w.]+(?:\[[^\]\n]+\])? = [^\n]*[^\s,({=+*/-])[ ]*$", code, re.M):
            bare = without_brackets(m[1])
            if not re.search(r"[][(){}]|\b(?:and|or|function|then|end)\b", bare):
                yield "deleted", m.start(1), m.end(1), ""
        return
    for m in re.finditer(r"^[ \t]+(?=[\w*+-])", code, re.M):
        before = code[:m.start()].rstrip()
        if before[-1:] not in tuple(";{}):") and not re.search(r"\b(?:else|do)$", before[-5:]):
            continue
        end = statement_end(code, m.end())
        if end > 0 and deletable(code[m.end():end].strip()):
            yield "deleted", m.end(), end, re.sub(r"[^\n]", "", code[m.end():end])


def returned_faults(code, lua):
    if lua:
        return
    headers = [(m.start(), m[1]) for m in HEADER.finditer(code)]
    for m in re.finditer(r"\breturn ", code):
        end = statement_end(code, m.end())
        made_by = [h[1] for h in headers if h[0] < m.start()]
        if end < 0 or not made_by or re.fullmatch(r"true|false|\d+|NULL|luaL_error\(.*", code[m.end():end], re.S):
            continue
        if "*" in made_by[-1]:
            yield "returned", m.end(), end, "NULL" + re.sub(r"[^\n]", "", code[m.end():end])
        elif "bool" in made_by[-1].split():
            yield "returned", m.end(), end, ("!(", ")")
        elif "int" in made_by[-1].split():
            yield "returned", m.end(), end, ("0 * (", ")")
        else:
            yield "returned", m.end(), end, ("(", ") + 1")


def faults_of(file, text):
    """All faults of a file, in the order of the text."""
    lua = file.endswith(".lua")
    code = masked(text, lua)
    found = []
    for finder in (token_faults, condition_faults, operand_faults, statement_faults, returned_faults):
        found += finder(code, lua)
    if not lua:
        for m in OPTION.finditer(text):
            found.append(("constant", m.start("n"), m.end("n"), next_number(m["n"])))
    faults = []
    for kind, a, b, new in sorted(found, key=lambda f: (f[1], f[2], str(f[3]))):
        if isinstance(new, tuple):
            new = new[0] + text[a:b] + new[1]
        faults.append(Fault(file, text.count("\n", 0, a) + 1, kind, a, b, new))
    return faults


def changed(text, fault):
    return text[:fault.start] + fault.new + text[fault.end:]


def statement_lines(text, fault):
    """First and last line of the statement around a fault, and of the fault itself."""
    code = masked(text, fault.file.endswith(".lua"))
    before = max(code.rfind(c, 0, fault.start) for c in ";{}") + 1
    before += len(code[before:]) - len(code[before:].lstrip())
    after = min((i for i in (code.find(c, fault.end) for c in ";{}") if i >= 0), default=len(code))
    line = lambda at: text.count("\n", 0, at) + 1
    return line(min(before, fault.start)), line(after), line(fault.start), line(fault.end)


def rank(*parts):
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


def in_order(texts, seed, per_line=1):
    """Faults of {file: text} in the order of the seed, at most `per_line` of each line (0: all)."""
    lines = []
    for file, text in sorted(texts.items()):
        rows, seen, by_line = text.split("\n"), {}, {}
        for f in faults_of(file, text):
            by_line.setdefault(f.line, []).append(f)
        for at in sorted(by_line):
            row = rows[at - 1].strip()
            seen[row] = seen.get(row, 0) + 1
            key = rank(seed, file, row, seen[row])
            start = sum(len(r) + 1 for r in rows[:at - 1])
            group = sorted(by_line[at], key=lambda f: rank(key, f.kind, f.new, f.start - start))
            lines.append((key, group[:per_line or None]))
    return [f for _, group in sorted(lines) for f in group]


SAMPLE = '''/* a + b == c; */
#define TWICE(x) ((x) + (x))
static const char *const name[] = {"a + 1", NULL};
static bool f(cop_net *net, uint32_t n)
{
    COP_ASSERT(n > 0 && n < 7);
    char text[64] = {0}, *copy = cop_alloc_array(64, 2);
    if (n <= 3 || net->busy)
        n = 4; // n + 5
    put(net, "x == %d\\n", n + 1);
    net->at -= n * 2;
    for (uint32_t i = 0; i < n; i++)
        n |= 1u << i;
    *net->far = cop_min64(n & 6,
                          n);
    return !n;
}
PREFETCH fetch(cop_net *net, uint32_t n)
{
    if (n + 1 < net->n)
        __builtin_prefetch(&net->at[n + 1]);
}
const cop_opt opts[] = {{"a", COP_OPT_INT, N(a), "20 ns", 1, 1e9, NULL, "help 3 + 4"}};
'''
EXPECTED = '''8 relation n < 3|8 logic n <= 3 && net->busy|8 operand if (n <= 3 )|8 operand if ( net->busy)
8 condition if (!(n <= 3 || net->busy))|9 constant n = 5;
10 arithmetic n - 1);|10 constant n + 2);|10 deleted ;|11 arithmetic net->at += n|11 arithmetic n / 2;|11 deleted ;
11 constant n * 3;|12 relation i <= n|12 constant i = 1;|12 arithmetic i--)|13 bits n &= 1u|13 bits 1u >> i
13 constant 2u <<|13 deleted ;|14 minmax cop_max64(|14 bits n | 6|14 constant n & 7|14 deleted
16 condition return n;|16 returned return !(!n);
23 constant "21 ns"|23 constant , 2, 1e9|23 constant 1, 2e9'''
LUA_SAMPLE = '''-- if a == b then
local x = "a == b"
function f(list)
   if #list == 0 then error("n + 1", 0) end
   x = x + 1
   return math.min(x, 2) and not x
end
'''
LUA_EXPECTED = '''4 relation #list ~= 0|4 condition if not (#list == 0) then|5 arithmetic x - 1|5 constant + 2|5 deleted
6 minmax math.max(|6 logic or not|6 constant 3)|4 constant == 1|4 constant , 1)'''


def self_test():
    for file, text, expected in (("a.c", SAMPLE, EXPECTED), ("a.lua", LUA_SAMPLE, LUA_EXPECTED)):
        faults = faults_of(file, text)
        shown = [(f.line, f.kind, changed(text, f).split("\n")[f.line - 1]) for f in faults]
        wanted = [re.match(r"(\d+) (\w+) ?(.*)", e).groups() for e in re.split(r"[|\n](?=\d+ [a-z])", expected)]
        for line, kind, piece in wanted:
            assert any((int(line), kind) == s[:2] and piece in s[2] for s in shown), (line, kind, piece, shown)
        for f in faults:
            assert changed(text, f).count("\n") == text.count("\n"), f
            assert changed(text, f) != text, f
        hidden = {1, 2, 3, 6, 7, *range(18, 23)} if file == "a.c" else {1, 2}
        assert not hidden & {f.line for f in faults}, shown
        drawn = in_order({file: text}, 1)
        assert drawn == in_order({file: text}, 1) and drawn != in_order({file: text}, 2)
        assert len({f.line for f in drawn}) == len(drawn)
        # A line more above changes where faults are, not which.
        moved = in_order({file: "\n" + text}, 1)
        assert [(f.line + 1, f.new) for f in drawn] == [(f.line, f.new) for f in moved]
    first = faults_of("a.c", SAMPLE)
    call = next(f for f in first if f.line == 14 and f.kind == "deleted")
    assert statement_lines(SAMPLE, call) == (14, 15, 14, 15)
    print("mutants: self-test ok")
