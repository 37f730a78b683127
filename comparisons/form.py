#!/usr/bin/env python3
"""Operations, time and speed of `soloist simplify` beside FORM's O1 to O4, on the same expressions.

    comparisons/form.py [FILE|FOLDER|SPEC]...

Expressions are files as `soloist generate horner res:7,4` writes them (one polynomial a file, one term a line), folders
of such `*.txt`, or specs; default: res:7,4 and res:7,5. Both programs run one after the other with one thread; FORM reads
the expression from an include file, so that its time holds reading, as that of soloist does. Seconds are processor time
of the whole program (user and system), so that other programs on the machine count little.

- operations: of the output, by FORM's rule, as each program states them.
- ratio: soloist's operations to the fewest of FORM's.
- evaluations/s: orders scored a processor second. Of FORM: the orders scored (1000 unless --evaluations says otherwise) to
  the seconds by which O3 and O4 exceed O2, which has the same greedy phase and no search. Of soloist: as many steps of
  annealing to the seconds by which `solve` takes longer for them than for one; much of an order is remembered from
  others.

FORM is the Debian package `form`. Without it nothing is compared: a line says so, and the exit code is 0. FORM is run as a
program of its own; nothing of it is part of this project.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

LEVELS = ["O1", "O2", "O3", "O4"]
# Differences of seconds below this tell nothing.
SHORTEST = 0.01


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("expressions", nargs="*", metavar="FILE|FOLDER|SPEC", help="default: res:7,4 res:7,5")
    parser.add_argument("--soloist", help="the program; default: target/release/soloist, else the one on the PATH")
    parser.add_argument("--form", default="form", help="the program (default: form)")
    parser.add_argument("--levels", default=",".join(LEVELS), help="of FORM, separated by commas (default: all four)")
    parser.add_argument("--evaluations", type=int, default=1000, help="orders that O3 and O4 score (default: 1000)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run (default: 600)")
    parser.add_argument("--simplify", default="", help="further arguments of `soloist simplify`, as one string")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    args = parser.parse_args()
    levels = args.levels.split(",")
    if unknown := [level for level in levels if level not in LEVELS]:
        parser.error(f"no level {unknown[0]}, expected {', '.join(LEVELS)}")
    form = shutil.which(args.form)
    if form is None:
        print(f"skipped: {args.form} is absent (Debian: apt-get install form)")
        return
    soloist = args.soloist or find_soloist()
    if soloist is None:
        sys.exit("error: no soloist: run `cargo build --release` first or name it by --soloist")
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for path in expressions(args.expressions or ["res:7,4", "res:7,5"], soloist, folder):
            for row in compare(path, form, levels, soloist, args, folder):
                rows.append(row)
                if sys.stderr.isatty():
                    print(" ".join(row), file=sys.stderr)
        show(rows, args.markdown)


def find_soloist():
    root = pathlib.Path(__file__).resolve().parent.parent
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    built = target / "release" / "soloist"
    return str(built) if built.exists() else shutil.which("soloist")


def expressions(names, soloist, folder):
    """Paths of all expressions; specs are generated into `folder`."""
    for name in names:
        path = pathlib.Path(name)
        if path.is_dir():
            yield from sorted(path.glob("*.txt"))
        elif path.exists():
            yield path
        elif ":" in name:
            path = pathlib.Path(folder) / (re.sub(r"\W", "_", name) + ".txt")
            subprocess.run([soloist, "generate", "horner", name, "--output", path], check=True)
            yield path
        else:
            sys.exit(f"error: {name}: no file, folder or spec")


def compare(path, form, levels, soloist, args, folder):
    """The rows of one expression."""
    source = path.read_text()
    terms = sum(1 for line in source.splitlines() if line.strip())
    found = {}
    for level in levels:
        found[level] = run_form(form, source, level, args, folder)
    best = min((operations for operations, _ in found.values() if operations), default=None)
    base = found.get("O2", (None, None))[1]
    for level, (operations, seconds) in found.items():
        rate = None
        if level in ("O3", "O4") and seconds and base is not None and seconds - base > SHORTEST:
            rate = args.evaluations / (seconds - base)
        yield [path.stem, str(terms), f"FORM {level}", *cells(operations, seconds, None, rate)]
    operations, seconds, rate = run_soloist(soloist, path, args)
    yield [path.stem, str(terms), "soloist", *cells(operations, seconds, best, rate)]


def cells(operations, seconds, best, rate):
    return [
        str(operations or "-"),
        f"{seconds:.2f}" if seconds is not None else "-",
        f"{operations / best:.3f}" if operations and best else "",
        f"{rate:,.0f}" if rate else "",
    ]


def timed(command, timeout, cwd=None):
    """The texts that a command wrote and its processor seconds; None if it takes too long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd)
    except subprocess.TimeoutExpired:
        return None, None, None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout, done.stderr, seconds


def run_form(form, source, level, args, folder):
    """Operations and seconds of FORM."""
    folder = pathlib.Path(folder)
    symbols = sorted(set(re.findall(r"[A-Za-z][A-Za-z0-9]*", source)))
    settings = {
        "O3": f",MCTSNumExpand={args.evaluations}",
        "O4": f",saIter={args.evaluations}",
    }.get(level, "")
    (folder / "expression.h").write_text(source)
    program = folder / "optimize.frm"
    program.write_text(
        "#-\nOff Statistics;\n"
        + "".join(f"Symbol {symbol};\n" for symbol in symbols)
        + "ExtraSymbols,array,w;\nLocal F =\n#include expression.h\n;\n"
        + f"Format {level},stats=on{settings};\nPrint F;\n.end\n"
    )
    stdout, _, seconds = timed([form, "-q", program.name], args.timeout, cwd=folder)
    if stdout is None:
        return None, None
    counts = re.search(r"STATS: optimized .*: (\d+)", stdout)
    if counts is None:
        sys.exit(f"error: FORM states no operations: {stdout[-500:]}")
    return int(counts.group(1)), seconds


def run_soloist(soloist, path, args):
    """Operations, seconds and orders scored a second of soloist."""
    command = [soloist, "simplify", path, "--emit", "json", "--threads", "1", *args.simplify.split()]
    _, stderr, seconds = timed(command, args.timeout)
    if stderr is None:
        return None, None, None
    operations = re.search(r"(\d+) in the code", stderr)
    if operations is None:
        sys.exit(f"error: soloist states no operations: {stderr[-500:]}")
    search = [soloist, "solve", "horner", path, "--method", "anneal", "--quiet", "--json", "--playouts"]
    spent = [timed([*search, str(count)], args.timeout)[2] for count in (1, 1 + args.evaluations)]
    rate = None
    if None not in spent and spent[1] - spent[0] > SHORTEST:
        rate = args.evaluations / (spent[1] - spent[0])
    return int(operations.group(1)), seconds, rate


def show(rows, markdown):
    head = ["expression", "terms", "program", "operations", "seconds", "ratio", "evaluations/s"]
    if markdown:
        print("| " + " | ".join(head) + " |")
        print("|---|---:|---|---:|---:|---:|---:|")
        for row in rows:
            print("| " + " | ".join(row) + " |")
        return
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    for row in [head, *rows]:
        texts = [cell.ljust(width) if at in (0, 2) else cell.rjust(width) for at, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(texts).rstrip())


if __name__ == "__main__":
    main()
