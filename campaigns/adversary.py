"""Compares claims of optimality with brute force: python3 campaigns/adversary.py [--claims N] [--seed S] [--jobs J].

Small random instances of each problem, with many ties, are solved by `soloist` under random methods, settings, memory,
streams and cuts. Their optima come from bruteforce.py. So do those of random trees, on which `campaign trees` runs the
engine in its own process.

A finding is: a proof of a score that is not the optimum, a proof that nothing is feasible where something is, a score
better than the optimum, a bound that the optimum beats, a panic, or a result that fails its verification.
"""

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bruteforce import PROBLEMS

ROOT = Path(__file__).resolve().parent.parent
SOLOIST = os.environ.get("SOLOIST", str(ROOT / "target" / "release" / "soloist"))
CAMPAIGN = os.environ.get("SOLOIST_CAMPAIGN", str(ROOT / "target" / "release" / "campaign"))

# How often a method is drawn: those that prove most often first.
OFTEN = {"dfs": 6, "bfs": 4, "best-first": 4, "lds": 6, "ida-star": 4, "iterative-broadening": 4, "cabs": 6, "beam": 4,
         "uct": 6, "uct-best": 5, "nmcts": 6, "bmcts": 3, "auto": 4}


def read_methods():
    methods = json.loads(subprocess.run([SOLOIST, "methods", "--json"], capture_output=True, text=True).stdout)
    # Searches of one problem's own are run by `pairs.py`.
    names = [method["name"] for method in methods if "problems" not in method]
    tables = {}
    for name in names:
        shown = subprocess.run([SOLOIST, "methods", name, "--json"], capture_output=True, text=True).stdout
        tables[name] = json.loads(shown)["parameters"]
    return names, tables


def draw_value(draw, row):
    """A value in the range of a parameter, small ones more often; `None` where the range is not understood."""
    kind = row["range"]
    if kind == "true or false":
        return draw.choice(["true", "false"])
    if kind.startswith("one of "):
        return draw.choice(kind[len("one of ") :].split())
    found = re.match(r"a (whole )?number from (\S+)(?: to (\S+))?", kind)
    if not found:
        return None
    least = float(found[2])
    most = float(found[3].rstrip(",")) if found[3] else 1e6
    if draw.random() < 0.1:
        value = least
    else:
        value = least + min(most - least, 10 ** draw.uniform(-2, 3))
    return str(int(value)) if found[1] else repr(value)


def draw_settings(draw, table, most=4):
    """Some parameters with random values."""
    settings = {}
    for row in draw.sample(table, min(len(table), draw.randrange(most + 1))):
        value = draw_value(draw, row)
        if value is not None:
            settings[row["name"]] = value
    return settings


def is_worse(smaller, a, b):
    """Whether score `a` is worse than `b` by more than rounding."""
    return (a - b if smaller else b - a) > 1e-9 * max(1, abs(a), abs(b))


def judge(result, best, smaller):
    """What is wrong with a result; `best` is the optimum, or `None` if nothing is feasible."""
    score = result["score"] if result["feasible"] else None
    wrong = []
    if score is not None:
        if best is None:
            wrong.append(f"a solution of {score} where nothing is feasible")
        elif is_worse(smaller, best, score):
            wrong.append(f"a score of {score}, better than the optimum {best}")
        elif result["optimal"] and is_worse(smaller, score, best):
            wrong.append(f"{score} is claimed to be optimal, the optimum is {best}")
    elif (result["optimal"] or result.get("infeasible")) and best is not None:
        wrong.append(f"infeasibility is claimed, the optimum is {best}")
    bound = result.get("bound")
    if bound is not None and best is not None and is_worse(smaller, bound, best):
        wrong.append(f"the bound {bound} is beaten by the optimum {best}")
    return wrong


class Tally:
    """Counts what was compared, and keeps the findings."""

    def __init__(self):
        self.lock = threading.Lock()
        self.runs = Counter()
        self.claims = Counter()
        self.refused = 0
        self.findings = []

    def note(self, family, claimed):
        with self.lock:
            self.runs[family] += 1
            self.claims[family] += claimed

    def refuse(self):
        with self.lock:
            self.refused += 1

    def wrong(self, what):
        with self.lock:
            self.findings.append(what)
            print(f"adversary: {what}", flush=True)


def solve(arguments):
    return subprocess.run([SOLOIST, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def one_command(tally, seed, names, tables, folder):
    """Draws an instance and compares some runs on it."""
    draw = random.Random(seed)
    problem = draw.choice(list(PROBLEMS))
    make, optimum, smaller = PROBLEMS[problem]
    text = make(draw)
    best = optimum(text)
    path = folder / f"{seed}.txt"
    path.write_text(text)
    checkpoint = folder / f"{seed}.ckpt"
    for _ in range(6):
        method = draw.choices(names, [OFTEN.get(name, 1) for name in names])[0]
        settings = draw_settings(draw, tables[method])
        base = ["solve", problem, path, "--method", method, "--json", "--quiet", "--seed", draw.randrange(1000),
                "--threads", draw.choice([1, 1, 1, 2, 3]), "--memory", draw.choice(["64KiB", "1MiB", "64MiB", "2GiB"])]
        for name, value in settings.items():
            base += ["--set", f"{name}={value}"]
        before = []
        limits = ["--playouts", draw.choice([300, 3000]), "--nodes", draw.choice([3000, 30_000]), "--time", "5s"]
        if draw.random() < 0.3:
            save = ["--checkpoint", checkpoint, "--checkpoint-every", draw.choice(["1ms", "1h"])]
            part = ["--playouts", draw.randrange(1, 100), "--nodes", draw.randrange(1, 2000), "--time", "5s"]
            before = [base + part + save]
            first = solve(before[0])
            if first.returncode in (0, 3) and checkpoint.exists():
                base = ["solve", problem, path, "--json", "--quiet", "--resume", checkpoint]
        done = solve(base + limits)
        checkpoint.unlink(missing_ok=True)
        words = " && ".join(" ".join(map(str, call)) for call in [*before, base + limits])
        if done.returncode == 2 or done.returncode == 1 and "MiB are allowed" in done.stderr:
            tally.refuse()
            continue
        if done.returncode not in (0, 3):
            tally.wrong(f"{words}: exit code {done.returncode}: {done.stderr.strip()[:300]}: {text!r}")
            continue
        result = json.loads(done.stdout)
        tally.note(problem, bool(result["optimal"] or result.get("infeasible")))
        for wrong in judge(result, best, smaller):
            tally.wrong(f"{words}: {wrong}: {text!r}")
    path.unlink()


def draw_tree(draw):
    """A random tree as a table: children of each node, costs of edges, scores of leaves, and what the problem knows.

    All that it says of itself is true: the bounds are optimistic, and equal nodes have equal keys.
    """
    smaller, shared = draw.random() < 0.5, draw.random() < 0.5
    infeasible, spread = draw.choice([0, 0, 0.2, 0.7, 1]), draw.choice([1, 5, 1000])
    dear = draw.choice([0, 2, spread])
    pick = min if smaller else max
    layers = []
    # The lowest layer first: all nodes of a layer are there before one above refers to them.
    for height in range(draw.randrange(1, 7)):
        layer = []
        for _ in range(draw.randrange(1, 4) if height else draw.randrange(1, 8)):
            if height == 0 or draw.random() < 0.1:
                feasible = draw.random() >= infeasible
                value = draw.randrange(-spread, spread + 1) if feasible else draw.randrange(1, spread + 1)
                node = {"children": [], "costs": [], "value": value, "feasible": feasible}
                node["best"] = value if feasible else None
            else:
                below = [child for older in layers[-2:] for child in older] if shared else layers[-1]
                children = [draw.choice(below) for _ in range(draw.randrange(1, 5))]
                costs = [draw.randrange(-dear, dear + 1) for _ in children]
                found = [cost + child["best"] for cost, child in zip(costs, children) if child["best"] is not None]
                node = {"children": children, "costs": costs, "value": 0, "feasible": True}
                node["best"] = pick(found) if found else None
            layer.append(node)
        layers.append(layer)
    nodes = [layers[-1][0], *(node for layer in reversed(layers[:-1]) for node in layer)]
    places = {id(node): at for at, node in enumerate(nodes)}
    slack, worst = draw.choice([0, 0, 1, spread]), 10 * spread + 10
    table = []
    for node in nodes:
        best = node["best"] if node["best"] is not None else (worst if smaller else -worst)
        off = draw.randrange(slack + 1)
        table.append({
            **node, "children": [places[id(child)] for child in node["children"]],
            "bound": best - off if smaller else best + off, "bias": draw.randrange(3),
            # Where the rollout stops looking: it says that another game from here is useless.
            "spent": draw.random() < 0.3, "candidates": draw.randrange(1, 3),
        })
    return {
        "smaller": smaller, "nodes": table, "has_bound": draw.random() < 0.6, "has_key": draw.random() < 0.5,
        "has_future": draw.random() < 0.3, "has_bias": draw.random() < 0.5, "has_potential": draw.random() < 0.3,
        "rollout": draw.choice(["random", "random", "spent", "spent", "selective", "greedy"]),
    }


def trees(tally, seed, names, tables, count):
    """Sends random trees to `campaign trees`, a line each, and compares what it returns."""
    draw = random.Random(seed)
    child = subprocess.Popen([CAMPAIGN, "trees"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    for _ in range(count):
        tree = draw_tree(draw)
        runs = []
        for _ in range(8):
            method = draw.choices(names, [OFTEN.get(name, 1) for name in names])[0]
            runs.append({
                "method": method, "set": draw_settings(draw, tables[method]), "seed": draw.randrange(1000),
                "threads": draw.choice([1, 1, 1, 2, 3]), "playouts": draw.choice([50, 500, 5000]),
                "nodes": draw.choice([200, 20_000]), "memory": draw.choice([1 << 16, 1 << 20, 1 << 30]),
                "cuts": [draw.randrange(1, 200) for _ in range(draw.choice([0, 0, 1, 3]))],
            })
        line = json.dumps({"tree": tree, "runs": runs})
        try:
            child.stdin.write(line + "\n")
            child.stdin.flush()
            answer = child.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            tally.wrong(f"trees: the process ended: {child.stderr.read().strip()[:400]}: {line}")
            return
        best = tree["nodes"][0]["best"]
        for run, result in zip(runs, json.loads(answer), strict=True):
            if "refused" in result:
                tally.refuse()
            elif "error" in result:
                tally.wrong(f"trees: {result['error']}: {json.dumps({'tree': tree, 'runs': [run]})}")
            else:
                tally.note("trees", bool(result["optimal"] or result["infeasible"]))
                for wrong in judge(result, best, tree["smaller"]):
                    tally.wrong(f"trees: {wrong}: {json.dumps({'tree': tree, 'runs': [run]})}")
    child.stdin.close()
    child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=100_000, help="claims of optimality to compare (default: 100000)")
    parser.add_argument("--minutes", type=float, default=600, help="ends earlier after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    parser.add_argument("--only", choices=["commands", "trees"], help="one half of the campaign")
    arguments = parser.parse_args()
    names, tables = read_methods()
    tally = Tally()
    start = time.monotonic()
    end = start + 60 * arguments.minutes
    seeds = itertools.count(arguments.seed * 1_000_000_000)
    halves = [arguments.only] if arguments.only else ["commands", "trees"]
    share = arguments.claims / len(halves)

    def is_over(half):
        with tally.lock:
            made = tally.claims["trees"] if half == "trees" else sum(tally.claims.values()) - tally.claims["trees"]
        return made >= share or time.monotonic() >= end or len(tally.findings) >= 50

    with tempfile.TemporaryDirectory(prefix="soloist-adversary-") as name, ThreadPoolExecutor(arguments.jobs) as pool:
        folder = Path(name)
        work = {
            "commands": lambda seed: one_command(tally, seed, names, tables, folder),
            "trees": lambda seed: trees(tally, seed, names, tables, 20),
        }

        def worker(half, own):
            while not is_over(half):
                with tally.lock:
                    seed = next(seeds)
                work[half](seed)

        # Each half with all jobs, one after the other: trees are cheap, commands are not.
        for half in halves:
            for future in [pool.submit(worker, half, own) for own in range(arguments.jobs)]:
                future.result()
    counts = ", ".join(f"{family} {tally.claims[family]} of {runs}" for family, runs in sorted(tally.runs.items()))
    seconds = time.monotonic() - start
    used = os.times()
    processor = used.user + used.system + used.children_user + used.children_system
    print(
        f"adversary: {sum(tally.claims.values())} claims of {sum(tally.runs.values())} runs compared ({counts}), "
        f"{tally.refused} settings refused; {len(tally.findings)} findings "
        f"(seed {arguments.seed}, {seconds:.0f} s, {processor:.0f} processor seconds)",
        flush=True,
    )
    return 1 if tally.findings or not tally.runs else 0


if __name__ == "__main__":
    sys.exit(main())
