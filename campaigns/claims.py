"""What the parts of the adversary share: methods and settings, what is wrong with a result, counts, and the process
that runs searches (`campaign claims`, `campaign trees`), many in one process.
"""

import json
import os
import re
import subprocess
import threading
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOLOIST = os.environ.get("SOLOIST", str(ROOT / "target" / "release" / "soloist"))
CAMPAIGN = os.environ.get("SOLOIST_CAMPAIGN", str(ROOT / "target" / "release" / "campaign"))

# How often a method is drawn: those that prove most often first.
OFTEN = {"dfs": 6, "bfs": 4, "best-first": 4, "ida-star": 4, "iterative-broadening": 4, "cabs": 6, "beam": 4,
         "uct": 6, "uct-best": 5, "bmcts": 3, "auto": 4}
# How often findings of one kind are shown that are no false claims.
SHOWN = 3
# Searches that prove, for instances where only these tell anything.
EXACT = ["dfs", "bfs", "best-first", "ida-star", "iterative-broadening", "cabs"]


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
    if row["name"] == "methods":
        return ",".join(draw.sample([*EXACT, "beam", "nmcs", "anneal"], draw.randrange(1, 4)))
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


def draw_run(draw, names, tables, most=4):
    """A run of any method with any settings, whole or in parts."""
    method = draw.choices(names, [OFTEN.get(name, 1) for name in names])[0]
    return {
        "method": method, "set": draw_settings(draw, tables[method], most), "seed": draw.randrange(1000),
        "threads": draw.choice([1, 1, 1, 2, 3]), "playouts": draw.choice([50, 500, 5000]),
        "nodes": draw.choice([200, 20_000]), "memory": draw.choice([1 << 16, 1 << 20, 1 << 30]),
        "milliseconds": 200,
        "cuts": [draw.randrange(1, 200) for _ in range(draw.choice([0, 0, 1, 3]))],
    }


def exact_run(draw, tables, methods=EXACT):
    """A run that proves if the instance is small enough."""
    run = draw_run(draw, methods, tables, most=draw.choice([0, 0, 2]))
    return {**run, "playouts": 10**9, "nodes": 200_000, "memory": 1 << 28, "milliseconds": 500, "cuts": run["cuts"][:1]}


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
        self.by_part = Counter()
        self.refused = 0
        self.findings = Counter()
        self.false_claims = Counter()

    def note(self, part, family, claimed):
        with self.lock:
            self.runs[family] += 1
            self.claims[family] += claimed
            self.by_part[part] += claimed

    def refuse(self):
        with self.lock:
            self.refused += 1

    def wrong(self, part, kind, what):
        """Notes a finding: a false claim of this part (`kind` is empty), or something else, shown a few times."""
        with self.lock:
            self.findings[kind or "false claim"] += 1
            self.false_claims[part] += not kind
            if not kind or self.findings[kind] <= SHOWN:
                print(f"adversary: {part}: {what}", flush=True)


class Server:
    """A process that answers a line of runs with a line of results."""

    def __init__(self, name):
        self.name, self.child = name, None

    def ask(self, question):
        """The results of the runs; a string if the process has ended."""
        if self.child is None:
            self.child = subprocess.Popen([CAMPAIGN, self.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          stderr=subprocess.PIPE, text=True)
        try:
            self.child.stdin.write(json.dumps(question) + "\n")
            self.child.stdin.flush()
            answer = self.child.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)
        said = self.child.stderr.read().strip()[-400:]
        self.child.wait()
        self.child = None
        return f"the process ended: {said}"

    def close(self):
        if self.child is not None:
            self.child.communicate()


def compare(tally, part, family, server, question, best, smaller):
    """Asks for runs and compares what they say with the optimum: `best(result)` returns it."""
    results = server.ask(question)
    if isinstance(results, str):
        tally.wrong(part, "a process that ended", f"{family}: {results}: {json.dumps(question)}")
        return []
    for run, result in zip(question["runs"], results, strict=True):
        where = json.dumps({**question, "runs": [run]})
        if "refused" in result:
            tally.refuse()
        elif "error" in result:
            tally.wrong(part, result["error"][:80], f"{family}: {result['error']}: {where}")
        else:
            tally.note(part, family, bool(result["optimal"] or result["infeasible"]))
            for wrong in judge(result, best(result), smaller):
                tally.wrong(part, "", f"{family}: {wrong}: {where}")
    return results
