#!/usr/bin/env python3
"""Writes generated instances of the examples' problem classes, the same ones on every machine.

    python3 comparisons/classes.py FOLDER

Five instances of each class: FOLDER/CLASS-NAME.txt, in the format that the example CLASS reads.
Generators: max-cut G(n, p) with weights of 1 and -1; multidimensional knapsacks as P. C. Chu and J. E. Beasley, Journal of
Heuristics 4, 1998; weighted tardiness as the OR-Library; layouts with lengths 1 to 15 and flows 1 to 10 at density 1/2;
colourings of G(n, 1/2).
"""
import random
import sys
from pathlib import Path


def maxcut(draw, count, part):
    edges = [(a, b) for b in range(1, count + 1) for a in range(1, b) if draw.random() < part]
    lines = [f"{a} {b} {draw.choice((-1, 1))}" for a, b in edges]
    return [f"{count} {len(edges)}", *lines]


def multiknapsack(draw, items, resources, tightness):
    uses = [[draw.randint(1, 1000) for _ in range(items)] for _ in range(resources)]
    values = [sum(row[item] for row in uses) // resources + draw.randint(0, 500) for item in range(items)]
    capacities = [int(tightness * sum(row)) for row in uses]
    return [f"{items} {resources} 0", *(" ".join(map(str, row)) for row in [values, *uses, capacities])]


def tardiness(draw, jobs, factor, width):
    times = [draw.randint(1, 100) for _ in range(jobs)]
    weights = [draw.randint(1, 10) for _ in range(jobs)]
    total = sum(times)
    low, high = int(total * (1 - factor - width / 2)), int(total * (1 - factor + width / 2))
    due = [max(0, draw.randint(low, high)) for _ in range(jobs)]
    return [str(jobs), *(" ".join(map(str, row)) for row in (times, weights, due))]


def layout(draw, count):
    flows = [[0] * count for _ in range(count)]
    for a in range(count):
        for b in range(a):
            flows[a][b] = flows[b][a] = draw.randint(1, 10) if draw.random() < 0.5 else 0
    lengths = [draw.randint(1, 15) for _ in range(count)]
    return [str(count), *(" ".join(map(str, row)) for row in [lengths, *flows])]


def colouring(draw, count, part):
    edges = [(a, b) for b in range(1, count + 1) for a in range(1, b) if draw.random() < part]
    return [f"p edge {count} {len(edges)}", *(f"e {a} {b}" for a, b in edges)]


CLASSES = {
    "maxcut": (maxcut, {"100": (100, 0.2), "200a": (200, 0.1), "200b": (200, 0.1), "400": (400, 0.05), "800": (800, 0.02)}),
    "multiknapsack": (
        multiknapsack,
        {"100x5": (100, 5, 0.5), "100x10": (100, 10, 0.25), "250x5": (250, 5, 0.5), "250x10": (250, 10, 0.5),
         "500x10": (500, 10, 0.25)},
    ),
    "tardiness": (
        tardiness,
        {"40": (40, 0.6, 0.6), "100a": (100, 0.8, 0.4), "100b": (100, 0.6, 0.8), "100c": (100, 0.4, 0.6),
         "200": (200, 0.6, 0.6)},
    ),
    "layout": (layout, {"20": (20,), "30": (30,), "40a": (40,), "40b": (40,), "60": (60,)}),
    "colouring": (colouring, {"50": (50, 0.5), "70": (70, 0.5), "100": (100, 0.5), "125": (125, 0.5), "150": (150, 0.3)}),
}


#: Classes where larger scores are better.
LARGER = ("maxcut", "multiknapsack")


def write(folder):
    """Writes all instances; returns for each name the example, the file and the sense (1: larger is better)."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for kind, (generate, instances) in CLASSES.items():
        for name, arguments in instances.items():
            lines = generate(random.Random(f"{kind}-{name}"), *arguments)
            file = folder / f"{kind}-{name}.txt"
            file.write_text("\n".join(lines) + "\n")
            found[f"{kind}-{name}"] = (kind, str(file), 1 if kind in LARGER else -1)
    return found


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__))
