#!/usr/bin/env python3
"""Operations, generation and run time of `soloist simplify` beside FORM and `sympy.cse`: the table of horner.md.

    comparisons/horner.py [SPEC|FILE]... [--json FILE] [--markdown]

Without arguments it takes the inputs of the page: specs of `soloist generate horner`, multiplied out. FORM (Debian
package `form`) optimises them by O1 to O4 with its defaults, several outputs by brackets. `sympy.cse` takes inputs of at
most --cse terms. All programs get the same file and one thread.

- operations: recounted here from the code of each program, by one rule: one for each + or - between two terms and for
  each *; a power costs floor(log2 n) + (ones of n) - 1; a fraction is one number. The factors that mark outputs in FORM
  are left out.
- seconds: processor time of the whole program, that of FORM's level with the fewest operations.
- ns: a call of the code, gcc -O2 with aligned functions, the best of interleaved rounds by the processor's clock. Powers are products, as
  FORM's `pow` would cost more. The values of all codes must agree.

Needs gcc. Without FORM or SymPy their columns are empty.
"""

import argparse
import ctypes
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

SPECS = """
det:3 det:4 det:5 det:6 permanent:4 permanent:5 permanent:6 symdet:4 symdet:5 symdet:6 toeplitz:5 toeplitz:6 toeplitz:7
circulant:5 circulant:6 circulant:7 vandermonde:4 vandermonde:5 vandermonde:6 cayley:4 cayley:5 cayley:6
disc:4 disc:5 disc:6 disc:7 trees:4 trees:5 trees:6 symanzik:2 symanzik:3 symanzik:4 kinematics:3 kinematics:4 kinematics:5
mass:2 mass:3 element:2 element:3 trace:6 trace:8 trace:10 power:4 power:6 elementary:6 elementary:10 cyclic:5 cyclic:7
katsura:4 katsura:8 harmonics:4 harmonics:7 kinetics:5 kinetics:8 stiffness:2 stiffness:3 lagrange:2 lagrange:3
res:3,3 res:4,3 res:5,3 res:4,4 res:5,4 res:7,4 random:6x60x5:1 random:12x300x6:2 random:12x1500x8:3
""".split()
LEVELS = ["O1", "O2", "O3", "O4"]
ROUNDS = 15
POINTS = 16


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("inputs", nargs="*", metavar="SPEC|FILE")
    parser.add_argument("--soloist", help="the program; default: target/release/soloist, else the one on the PATH")
    parser.add_argument("--cse", type=int, default=800, help="the most terms that sympy.cse gets (default: 800)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run (default: 300)")
    parser.add_argument("--json", help="append a line for each input to this file; inputs that it holds are not run again")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[1]
    built = root / "target" / "release" / "soloist"
    args.soloist = args.soloist or (str(built) if built.exists() else shutil.which("soloist"))
    if args.soloist is None:
        sys.exit("error: no soloist: run `cargo build --release` first or name it by --soloist")
    args.form = shutil.which("form")
    rows, known = [], {}
    if args.json and os.path.exists(args.json):
        known = {row["input"]: row for row in map(json.loads, open(args.json))}
    for name in args.inputs or SPECS:
        row = known.get(name)
        if row is None:
            with tempfile.TemporaryDirectory() as folder:
                row = compare(name, pathlib.Path(folder), args)
            if args.json:
                with open(args.json, "a") as out:
                    out.write(json.dumps(row) + "\n")
        rows.append(row)
        print(line(row), file=sys.stderr, flush=True)
    show(rows, args.markdown)


def timed(command, timeout, cwd=None):
    """The texts that a command wrote, and its processor seconds; `None` if it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout, done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name, folder, args):
    """One input by all programs."""
    path = folder / "input.txt"
    if ":" in name:
        subprocess.run([args.soloist, "generate", "horner", name, "--output", path], check=True)
    else:
        path.write_text(pathlib.Path(name).read_text())
    outputs = parsed(path.read_text())
    symbols = sorted({symbol for _, terms in outputs for _, powers in terms for symbol in powers})
    row = {"input": name, "terms": sum(len(terms) for _, terms in outputs), "outputs": len(outputs)}
    row["variables"] = len(symbols)
    codes = {}
    stdout, _, seconds = timed([args.soloist, "simplify", path, "--threads", "1", "--prefix", "t"], args.timeout)
    text = soloist_code(stdout, symbols)
    row["soloist"] = {"operations": count(text), "seconds": seconds}
    stated = int(re.search(r"// (\d+) operations", stdout).group(1))
    assert stated == row["soloist"]["operations"], (name, stated, row["soloist"])
    codes["soloist"] = text
    if args.form:
        best = None
        for level in LEVELS:
            found = form(outputs, symbols, level, folder, args)
            if found is None:
                continue
            text, seconds = found
            row[level] = {"operations": count(text), "seconds": seconds}
            if best is None or row[level]["operations"] < row[best]["operations"]:
                best, codes["form"] = level, text
        row["form"] = {"level": best, **row[best]} if best else None
    if row["terms"] <= args.cse:
        text = cse(outputs, symbols)
        if text is not None:
            codes["cse"] = text
            row["cse"] = {"operations": count(text)}
    for program, ns in measured(codes, symbols, len(outputs), folder).items():
        row[program]["ns"] = ns
    return row


# A system is a list of outputs, each a name and terms; a term is a number as text and the exponents of its symbols.


def parsed(text):
    """The outputs of an expanded text as `soloist generate` writes it."""
    outputs = []
    for statement in text.split(";") if "=" in text else [f"F = {text}"]:
        if not statement.strip():
            continue
        name, right = statement.split("=")
        terms = []
        for sign, product in re.findall(r"([+-]?)([^+-]+)", re.sub(r"\s", "", right)):
            number, powers = "1", {}
            for factor in product.split("*"):
                if factor[0].isdigit():
                    number = factor
                    continue
                base, _, exponent = factor.partition("^")
                powers[base] = powers.get(base, 0) + int(exponent or 1)
            terms.append((("-" if sign == "-" else "") + number, powers))
        outputs.append((name.strip(), terms))
    return outputs


def written(terms):
    """A sum in the notation that FORM and SymPy read."""
    text = ""
    for number, powers in terms:
        size = number.lstrip("-")
        factors = [size] if size != "1" or not powers else []
        factors += [f"{base}^{exponent}" if exponent > 1 else base for base, exponent in powers.items()]
        text += ("-" if number.startswith("-") else "+") + "*".join(factors) + "\n"
    return text


# Code is a list of C statements: `double t3 = x1*t2 + 2.0;`, `y[0] = ...;`, with P(x, 3) for powers.


def soloist_code(text, symbols):
    names = dict(re.findall(r"^// (x\[\d+\]) = (.*)$", text, re.M))
    # Inputs in the order of the names here.
    place = {element: f"x[{symbols.index(name)}]" for element, name in names.items()}
    body = text[text.index("\n{\n") + 3 : text.index("\n}\n")]
    body = re.sub(r"x\[\d+\]", lambda found: place[found.group(0)], body)
    return [statement.strip() for statement in body.splitlines()]


def form(outputs, symbols, level, folder, args):
    """The code of FORM, and its seconds."""
    several = len(outputs) > 1
    marks = [f"yy{at}" for at in range(len(outputs))] if several else []
    # Names of FORM are letters and digits: neutral ones.
    own = {symbol: f"xx{at}" for at, symbol in enumerate(symbols)}
    text = ""
    for at, (_, terms) in enumerate(outputs):
        sum_ = written([(number, {own[base]: power for base, power in powers.items()}) for number, powers in terms])
        text += f"+yy{at}*(\n{sum_})\n" if several else sum_
    (folder / "expression.h").write_text(text)
    program = folder / "optimize.frm"
    program.write_text(
        "#-\nOff Statistics;\n"
        + "".join(f"Symbol {symbol};\n" for symbol in [*own.values(), *marks])
        + "ExtraSymbols,array,w;\nLocal F =\n#include expression.h\n;\n"
        + ("Bracket " + ",".join(marks) + ";\n" if several else "")
        + f"Format C;\nFormat {level};\nPrint F;\n.end\n"
    )
    done = timed([args.form, "-q", program.name], args.timeout, cwd=folder)
    if done is None:
        return None
    statements, seen = [], set()
    for statement in re.sub(r"\s+", "", done[0]).split(";"):
        if "=" not in statement:
            continue
        target, right = statement.split("=", 1)
        right = re.sub(r"xx(\d+)", r"x[\1]", right)
        right = re.sub(r"w\[(\d+)\]", r"w\1", right)
        right = re.sub(r"pow\(([^,]*),(\d+)\)", r"P(\1,\2)", right)
        right = re.sub(r"(?<![\w\[.(,])(\d+)\.?(?![\w\].,)])", r"\1.0", right)
        right = re.sub(r"(\d+)\.0?/(\d+)(?:\.0?)?", r"(\1.0/\2.0)", right)
        if target == "F" and several:
            statements += marked(right, len(outputs))
        elif target == "F":
            statements.append(f"y[0] = {right};")
        else:
            name = re.sub(r"w\[(\d+)\]", r"w\1", target)
            statements.append(f"{'' if name in seen else 'double '}{name} = {right};")
            seen.add(name)
    return statements, done[2]


def marked(right, count_):
    """The statements of the outputs in `yy1*(...) + yy0*w2 - yy3`."""
    found = {at: "" for at in range(count_)}
    term, depth, terms = "", 0, []
    for sign in right:
        if sign in "+-" and depth == 0 and term and term not in "+-":
            terms.append(term)
            term = ""
        depth += (sign == "(") - (sign == ")")
        term += sign
    for term in [*terms, term]:
        sign = "-" if term.startswith("-") else "+"
        factors = re.split(r"\*(?![^()]*\))", term.lstrip("+-"))
        [mark] = [factor for factor in factors if factor.startswith("yy")]
        factors.remove(mark)
        found[int(mark[2:])] += sign + ("*".join(factors) or "1.0")
    return [f"y[{at}] = {text.removeprefix('+') or '0.0'};" for at, text in found.items()]


def cse(outputs, symbols):
    """The code of `sympy.cse`."""
    try:
        import sympy
    except ImportError:
        return None
    known = {name: sympy.Symbol(name) for name in symbols}
    sums = []
    for _, terms in outputs:
        product = [
            sympy.Mul(sympy.Rational(number), *(known[base] ** power for base, power in powers.items()))
            for number, powers in terms
        ]
        sums.append(sympy.Add(*product))
    replacements, reduced = sympy.cse(sums, symbols=sympy.numbered_symbols("t"))
    places = {known[name]: f"x[{at}]" for at, name in enumerate(symbols)}

    def text(value):
        if value in places:
            return places[value]
        if value.is_Symbol:
            return value.name
        if value.is_Rational:
            return f"{value.p}.0" if value.q == 1 else f"({value.p}.0/{value.q}.0)"
        if value.is_Add:
            parts = [text(part) for part in value.args]
            return "(" + "".join(part if part.startswith("-") else "+" + part for part in parts).removeprefix("+") + ")"
        if value.is_Mul:
            number, rest = value.as_coeff_Mul()
            factors = [text(part) for part in sympy.Mul.make_args(rest)]
            if abs(number) != 1:
                factors.insert(0, text(abs(number)))
            return ("-" if number < 0 else "") + "*".join(factors)
        assert value.is_Pow and value.exp.is_Integer and value.exp > 0, value
        return f"P({text(value.base)},{value.exp})"

    lines = [f"double {symbol.name} = {plain(text(value))};" for symbol, value in replacements]
    return lines + [f"y[{at}] = {plain(text(value))};" for at, value in enumerate(reduced)]


def plain(text):
    """A text without parentheses around all of it."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and at + 1 < len(text):
            return text
    return text[1:-1] if text.startswith("(") else text


def count(statements):
    """The operations of code."""
    operations = 0
    for statement in statements:
        right = statement.split("=", 1)[1]
        for power in re.findall(r"P\([^()]*,(\d+)\)", right):
            operations += int(power).bit_length() - 1 + bin(int(power)).count("1") - 1
        right = re.sub(r"P\(([^()]*),\d+\)", r"(\1)", right).replace(" ", "")
        while re.search(r"\(\d+\.\d*/\d+\.\d*\)", right):
            right = re.sub(r"\(\d+\.\d*/\d+\.\d*\)", "1.0", right)
        operations += right.count("*") + len(re.findall(r"(?<=[\w\]).])[+-]", right))
    return operations


def measured(codes, symbols, outputs, folder):
    """The ns of a call of each code."""
    source = "#include <time.h>\n#define P(x, n) power((x), n)\n"
    source += "static inline __attribute__((always_inline)) double power(double x, int n)\n"
    source += "{\n    double r = 1.0;\n    int any = 0;\n    for (; n; n >>= 1, x = n ? x*x : x)\n"
    source += "        if (n & 1) r = any ? r*x : x, any = 1;\n    return r;\n}\n"
    for name, statements in codes.items():
        body = "\n    ".join(statements)
        source += f"__attribute__((noinline)) void {name}(const double *restrict x, double *restrict y)\n{{\n    {body}\n}}\n"
        source += f"double time_{name}(double *x, double *y, long n)\n{{\n    struct timespec a, b;\n    "
        source += "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);\n    for (long i = 0; i < n; i++) {\n        "
        source += f"{name}(x + {len(symbols)}*(i % {POINTS}), y);\n    }}\n    "
        source += "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);\n    "
        source += "return (b.tv_sec - a.tv_sec)*1e9 + (b.tv_nsec - a.tv_nsec);\n}\n"
    (folder / "codes.c").write_text(source)
    library = folder / "codes.so"
    # Without an alignment, the place of a function in the file costs as much as two operations.
    flags = ["-O2", "-falign-functions=64", "-shared", "-fPIC", "-o", library, folder / "codes.c"]
    done = subprocess.run(["gcc", *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: gcc: {done.stderr[:2000]}")
    loaded = ctypes.CDLL(str(library))
    rng = random.Random(1)
    values = [rng.uniform(0.5, 1.5) for _ in range(POINTS * len(symbols))]
    results, best = {}, {}
    for name in codes:
        x, y = (ctypes.c_double * len(values))(*values), (ctypes.c_double * outputs)()
        getattr(loaded, name)(x, y)
        results[name] = list(y)
        getattr(loaded, f"time_{name}").restype = ctypes.c_double
        best[name] = math.inf
    first = results["soloist"]
    size = max(map(abs, first))
    for name, found in results.items():
        for a, b in zip(first, found, strict=True):
            assert abs(a - b) <= 1e-6 * (size + 1), f"{name}: {a} is {b}"
    for turn in range(ROUNDS):
        for name in codes:
            x, y = (ctypes.c_double * len(values))(*values), (ctypes.c_double * outputs)()
            timer = getattr(loaded, f"time_{name}")
            calls = 2_000 if turn == 0 else max(10, min(1_000_000, int(4e6 / best[name])))
            best[name] = min(best[name], timer(x, y, ctypes.c_long(calls)) / calls)
    return best


def mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratio(row, key, other="form"):
    own, theirs = row["soloist"].get(key), (row.get(other) or {}).get(key)
    return own / theirs if own and theirs else None


def cells(row):
    def operations(name):
        return str((row.get(name) or {}).get("operations", "-"))

    def ns(name):
        found = (row.get(name) or {}).get("ns")
        return "-" if found is None else f"{found:.3g}" if found < 1000 else f"{found:.0f}"

    by = ratio(row, "operations")
    seconds = [f"{row[name]['seconds']:.2f}" if row.get(name) else "-" for name in ("soloist", "form")]
    sizes = f"{row['terms']}/{row['outputs']}/{row['variables']}"
    texts = [row["input"], sizes, *(operations(level) for level in LEVELS), operations("cse"), operations("soloist")]
    texts += [f"{by:.3f}" if by else "-", "/".join(seconds), "/".join(ns(name) for name in ("form", "soloist", "cse"))]
    by = ratio(row, "ns")
    return [*texts, f"{by:.2f}" if by else "-"]


def line(row):
    return "  ".join(cells(row))


def show(rows, markdown):
    head = ["input", "terms/outputs/variables", *LEVELS, "cse", "soloist", "ratio", "s soloist/FORM", "ns FORM/soloist/cse"]
    head.append("ratio")
    if markdown:
        print("| " + " | ".join(head) + " |")
        print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print(("| " + " | ".join(cells(row)) + " |") if markdown else line(row))
    print()
    for key, other in (("operations", "form"), ("ns", "form"), ("operations", "cse"), ("ns", "cse")):
        found = [(value, row["input"]) for row in rows if (value := ratio(row, key, other))]
        if found:
            worst = sorted(found, reverse=True)[:5]
            texts = ", ".join(f"{name} {value:.3f}" for value, name in worst)
            average = mean([value for value, _ in found])
            print(f"- {key} to {other}: geometric mean {average:.3f} of {len(found)} inputs; worst {texts}")
    slow = [row for row in rows if row.get("form") and row["form"]["seconds"] > 1]
    fast = [row for row in rows if row.get("form") and row["form"]["seconds"] <= 1]
    for what, part in (("more than", slow), ("at most", fast)):
        values = [(row["soloist"]["seconds"] / row["form"]["seconds"], row) for row in part if row["form"]["seconds"] > 0]
        if part:
            longest = max(part, key=lambda row: row["soloist"]["seconds"])
            text = f"- seconds where FORM needs {what} 1 s: {len(part)} inputs"
            if what == "more than":
                worst = max(values, key=lambda pair: pair[0])
                text += f", geometric mean of the ratios {mean([value for value, _ in values]):.3f}, worst {worst[0]:.2f} ({worst[1]['input']})"
            print(text + f"; longest {longest['soloist']['seconds']:.2f} s ({longest['input']})")


if __name__ == "__main__":
    main()
