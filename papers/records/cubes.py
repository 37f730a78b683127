#!/usr/bin/env python3
"""Attempts at long snakes and coils, one after the other, kept in cubes.csv.

    python3 cubes.py run [--seconds 30] [--only REGEX] [--soloist PROGRAM] [--arguments="--method learned"] [--below=90]
    python3 cubes.py check      every kept solution, by the definition of snakes and coils alone
    python3 cubes.py table      the lengths, in Markdown

`run` makes one attempt at each open cell, with the default method or the arguments given: seed 1 at first, then 2, and
so on. An attempt begins at the solution that is kept (`--start`), unless the arguments ask for symmetric coils alone.
With `--below` it begins with so many edges of the kept snake of the same spread, one dimension below; with a negative
number they are those from its other end. A result is kept if `soloist check` and the definition accept it and it is
longer. A run that is interrupted loses the attempt that it was at; the same call makes the next ones.
"""

import json
import re
import shlex
import sys
import tempfile
from pathlib import Path

import kept

HERE = Path(__file__).resolve().parent
KEPT = HERE / "cubes.csv"
FIELDS = ["kind", "cell", "length", "attempts", "seconds", "seed", "after", "arguments", "transitions"]
# The cells that exhaustive search has not settled: dimensions for each spread.
OPEN = {2: range(8, 14), 3: range(9, 14), 4: range(10, 14), 5: range(11, 14), 6: range(13, 14)}
# T. Cazenave and S. Edelkamp, "High-diversity Monte-Carlo tree search", 2016, tables 2 and 3: the best known lengths.
KNOWN = {
    "snake": {"d8k2": 98, "d9k2": 190, "d10k2": 370, "d11k2": 707, "d12k2": 1302, "d13k2": 2520,
              "d9k3": 63, "d10k3": 103, "d11k3": 157, "d12k3": 286, "d13k3": 493,
              "d10k4": 47, "d11k4": 68, "d12k4": 104, "d13k4": 181,
              "d11k5": 39, "d12k5": 56, "d13k5": 79, "d13k6": 47},
    "coil": {"d8k2": 96, "d9k2": 188, "d10k2": 358, "d11k2": 668, "d12k2": 1276, "d13k2": 2468,
             "d9k3": 64, "d10k3": 102, "d11k3": 160, "d12k3": 288, "d13k3": 494,
             "d10k4": 46, "d11k4": 70, "d12k4": 102, "d13k4": 182,
             "d11k5": 40, "d12k5": 60, "d13k5": 80, "d13k6": 50},
}
# Later ones of spread 2: T. E. Ace, doi:10.5281/zenodo.17538015, 2025, and arXiv:2607.15270, 2026.
LATER = {
    "snake": {"d9k2": 191, "d10k2": 379, "d11k2": 746, "d12k2": 1476, "d13k2": 2924},
    "coil": {"d9k2": 192, "d10k2": 374, "d11k2": 732, "d12k2": 1466},
}


def cells():
    """All open cells, the small cubes first."""
    all_of = [(d, k) for k, dimensions in OPEN.items() for d in dimensions]
    return [(kind, f"d{d}k{k}") for d, k in sorted(all_of) for kind in ("snake", "coil")]


def read():
    return kept.read(KEPT, ("kind", "cell"))


def write(rows):
    kept.write(KEPT, FIELDS, (rows[cell] for cell in cells() if cell in rows))


def violation(kind, cell, transitions):
    """What is wrong with a solution, by the definition; None: nothing.

    Two vertices of a path that are j edges apart differ in at least min(k, j) bits; in a cycle the shorter way counts.
    """
    d, k = map(int, re.fullmatch(r"d(\d+)k(\d+)", cell).groups())
    nodes = [0]
    for bit in transitions:
        if not 0 <= bit < d:
            return f"bit {bit} in dimension {d}"
        nodes.append(nodes[-1] ^ 1 << bit)
    if kind == "coil" and nodes.pop() != 0:
        return "the cycle does not close"
    count = len(nodes)
    for i in range(count):
        for j in range(i + 1, count):
            edges = j - i if kind == "snake" else min(j - i, count - (j - i))
            if (nodes[i] ^ nodes[j]).bit_count() < min(k, edges):
                return f"vertices {i} and {j}"
    return None


def attempt(options, kind, cell, row):
    """Makes one attempt at a cell and returns its row."""
    seed = int(row["attempts"]) + 1 if row else 1
    arguments = ["--time", str(options.seconds), "--seed", str(seed), *shlex.split(options.arguments)]
    with tempfile.TemporaryDirectory() as folder:
        # The moves of symmetric coils are others: such a search cannot start from a solution.
        instance = begun(cell, options.below, folder) if options.below else cell
        if row and not options.below and "symmetry=" not in options.arguments:
            start = Path(folder) / "start.json"
            solution = {"transitions": [int(bit) for bit in row["transitions"].split()]}
            start.write_text(json.dumps({"solution": nodes_of(kind, solution)}))
            arguments += ["--start", str(start)]
        found = kept.solved(options.soloist, kind, instance, arguments, folder)
    length, transitions = int(found["score"]), found["solution"]["transitions"]
    wrong = violation(kind, cell, transitions)
    if wrong or length != len(transitions):
        sys.exit(f"{kind} {cell}, seed {seed}: {wrong or 'another length'}")
    if row and length <= int(row["length"]):
        return {**row, "attempts": seed}
    flips = " ".join(map(str, transitions))
    below = f" below={options.below}" if options.below else ""
    extra = options.arguments + below
    new = (kind, cell, length, seed, options.seconds, seed, kept.after(found), extra.strip(), flips)
    return dict(zip(FIELDS, new))


def begun(cell, edges, folder):
    """Writes an instance whose paths begin with edges of the kept snake one dimension below; returns its path."""
    d, k = map(int, re.fullmatch(r"d(\d+)k(\d+)", cell).groups())
    below = read().get(("snake", f"d{d - 1}k{k}"))
    if not below:
        sys.exit(f"{cell}: no snake of d{d - 1}k{k} is kept")
    flips = below["transitions"].split()
    names = {}
    first = (flips if edges > 0 else flips[::-1])[: abs(edges)]
    path = Path(folder) / "begun.txt"
    path.write_text(f"{cell}\ntransitions\n{' '.join(str(names.setdefault(flip, len(names))) for flip in first)}\n")
    return path


def nodes_of(kind, solution):
    """A solution with its vertices."""
    nodes = [0]
    for bit in solution["transitions"]:
        nodes.append(nodes[-1] ^ 1 << bit)
    return {**solution, "kind": kind, "nodes": nodes[:-1] if kind == "coil" else nodes}


def run(options):
    for kind, cell in cells():
        if not re.search(options.only, f"{kind} {cell}"):
            continue
        row = attempt(options, kind, cell, read().get((kind, cell)))
        # Another process may have kept other cells meanwhile.
        write(read() | {(kind, cell): row})
        print(kind, cell, row["length"], "best known", best(kind, cell), flush=True)


def best(kind, cell):
    return LATER[kind].get(cell, KNOWN[kind][cell])


def check(_):
    rows = read()
    for (kind, cell), row in rows.items():
        transitions = [int(bit) for bit in row["transitions"].split()]
        wrong = violation(kind, cell, transitions)
        if wrong or len(transitions) != int(row["length"]):
            sys.exit(f"{kind} {cell}: {wrong or 'another length'}")
    print(len(rows), "solutions keep the rule")


def table(_):
    rows = read()
    print("| cell | snake | 2016 | later | coil | 2016 | later |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for cell in dict.fromkeys(cell for _, cell in cells()):
        line = [cell]
        for kind in ("snake", "coil"):
            row = rows.get((kind, cell))
            length = row["length"] if row else ""
            ahead = bool(row) and int(length) > best(kind, cell)
            line += [f"**{length}**" if ahead else length, str(KNOWN[kind][cell]), str(LATER[kind].get(cell, ""))]
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    kept.call(__doc__, {"run": run, "check": check, "table": table}, 30, arguments="", below=0)
