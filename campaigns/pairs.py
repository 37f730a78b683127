"""Pairs of a run and the same run in parts: python3 campaigns/pairs.py [--pairs N] [--seed S] [--jobs J] [--pair I].

The one run is undisturbed. The other one writes checkpoints at intervals from one millisecond, is cut into two to four
pieces by signals (SIGINT, SIGTERM, SIGHUP, SIGKILL) or by smaller budgets, and is resumed; each piece draws another
engine of the tile games (SOLOIST_ENGINE). Methods, settings, problems, limits and numbers of streams are drawn at
random. Everything in the result but the seconds has to be the same. Where one of several streams reaches a target or
a proof, the efforts of the others depend on their schedule: playouts, nodes and trees are left out there.

Each pair is drawn by its own number: `--pair I` repeats it. The last line is the summary. The exit code is 1 if
anything is wrong.
"""

import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from blackbox import SOLOIST, call, timeless

# Specs of each problem, from those that are proven at once to those that are not.
INSTANCES = {
    "samegame": ["random:4x4x3:{}", "random:6x6x4:{}", "random:10x10x4:{}"],
    "clickomania": ["random:5x5x3:{}", "random:8x8x4:{}"],
    "bubble-breaker": ["random:4x4x3:{}", "random:8x8x4:{}"],
    "snake": ["d4k2", "d5k2", "d6k3", "d7k3"],
    "coil": ["d4k2", "d5k2", "d6k2"],
    "morpion": ["4D", "5D"],
    "vrptw": ["random:6:{}", "random:20:{}"],
    "rich-vrp": ["pairs:3:{}", "depots:6:{}", "prizes:12:{}"],
    "tsptw": ["random:8x60:{}", "random:20x60:{}"],
    "partition": ["random:12x20:{}", "random:40x40:{}"],
    "stacking": ["random:4x10:{}", "random:5x30:{}", "relocation:4x6:{}"],
    "packing": ["random:2x8:{}", "random:4x30:{}"],
    "horner": ["res:3,2", "res:4,3"],
    "knapsack": ["weak:12x100:{}", "weak:30x100:{}"],
}
METHODS = [
    "sampling", "uct", "uct-best", "sp-mcts", "bmcts", "sa-uct", "nmcs", "nrpa", "gnrpa", "beam-nrpa",
    "hd-nrpa", "beam", "cabs", "dfs", "bfs", "best-first", "iterative-broadening", "ida-star", "anneal", "auto",
]
# Searches of the problems' own, which run on these alone.
OWN = {
    "vrptw": ["sisr"], "rich-vrp": ["sisr"], "tsptw": ["sisr"], "stacking": ["ranks"], "packing": ["refine"],
    "partition": ["k-list", "four-lists"],
}
# Settings that are worth more draws than chance gives them.
OFTEN = {
    "anneal": [["runs=3"], ["local=false"]],
    "auto": [["polish=0.3"], ["first=3000"]],
    "nrpa": [["share=leaf", "level=2"], ["share=islands", "level=3", "iterations=5"]],
    "hd-nrpa": [["share=islands", "level=2", "iterations=12"]],
    "cabs": [["noise=2"]],
    "beam": [["width=20", "prune=true"], ["width=30", "noise=5"]],
}
# These divide their budget: a smaller one would be another run.
PLANNING = ("anneal", "auto")
GOALS = ("target", "bound", "exhausted")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)


def engines():
    """The engines of the tile games that this processor has."""
    probe = ["solve", "samegame", "random:4x4x3:1", "--playouts", "1", "--quiet"]
    names = ("portable", "bmi2", "avx512")
    return [name for name in names if call(*probe, env={**os.environ, "SOLOIST_ENGINE": name}).returncode == 0]


def parameters():
    """The parameters of each method, as `methods NAME --json` lists them."""
    return {name: json.loads(call("methods", name, "--json").stdout)["parameters"] for name in [*METHODS, *sorted(set(sum(OWN.values(), [])))]}


def value(draw, parameter):
    """A value of a parameter, from the words that say what is allowed."""
    words, default = parameter["range"], parameter["default"]
    if words == "true or false":
        return draw.choice(["true", "false"])
    if words.startswith("one of "):
        return draw.choice(words.removeprefix("one of ").split())
    limits = re.match(r"a (whole )?number from (\S+) to ([^\s,]+)", words)
    if not limits:
        return None
    whole, low, high = limits[1], float(limits[2]), float(limits[3])
    if not isinstance(default, (int, float)):
        return None
    number = draw.choice([default * 2 ** draw.uniform(-2, 2), draw.randrange(6), draw.random()])
    number = min(max(number, low), high)
    return int(number) if whole else round(number, 4)


class Pair:
    """A pair, drawn by its number."""

    def __init__(self, seed, number, tables, engines):
        self.draw = draw = random.Random(f"{seed}/{number}")
        self.number, self.engines = number, engines
        self.problem = draw.choice(list(INSTANCES))
        self.instance = draw.choice(INSTANCES[self.problem]).format(draw.randrange(1000))
        self.method = draw.choice(METHODS + OWN.get(self.problem, []))
        self.threads = draw.choice([1, 3])
        settings = list(draw.choice(OFTEN.get(self.method, [[]]))) if draw.random() < 0.5 else []
        if draw.random() < 0.5:
            for parameter in draw.sample(tables[self.method], min(draw.randrange(1, 4), len(tables[self.method]))):
                drawn = value(draw, parameter)
                if drawn is not None:
                    settings.append(f"{parameter['name']}={drawn}")
        self.start = ["--method", self.method, "--seed", draw.randrange(10_000), "--threads", self.threads]
        self.start += [part for setting in settings for part in ("--set", setting)]
        self.start += ["--keep", draw.randrange(2, 6)] if draw.random() < 0.3 else []
        self.playouts = round(10 ** draw.uniform(1.5, 4))
        self.nodes = round(10 ** draw.uniform(2.5, 4.7))
        self.others = ["--stall", round(self.playouts / draw.uniform(2, 10)) + 1] if draw.random() < 0.15 else []
        self.others += ["--memory", draw.choice(["1MiB", "8MiB"])] if draw.random() < 0.1 else []
        self.aims = draw.random() < 0.3

    def counts(self, part=1.0):
        return ["--playouts", round(self.playouts * part) + 1, "--nodes", round(self.nodes * part) + 1]

    def words(self):
        return " ".join(map(str, ["solve", self.problem, self.instance, *self.start, *self.counts(), *self.others]))

    def environment(self):
        return {**os.environ, "SOLOIST_ENGINE": self.draw.choice(self.engines)}

    def undisturbed(self):
        """The result of the run without parts, and its seconds. A target is drawn from the scores on its way."""
        base = ["solve", self.problem, self.instance, *self.start, *self.counts(), "--quiet", "--json", "--time", "3s"]
        for aims in (False, True):
            begun = time.monotonic()
            try:
                done = call(*base, *self.others, env=self.environment())
            except subprocess.TimeoutExpired:
                # Time limits that do not hold are the matter of another campaign.
                return {"stop": "time"}, 60
            seconds = time.monotonic() - begun
            if done.returncode not in (0, 3):
                return None, done
            result = json.loads(done.stdout)
            scores = [event["score"] for event in result.get("history", []) if isinstance(event["score"], (int, float))]
            if aims or not self.aims or not result["feasible"] or not scores or self.target_is_odd(scores):
                return result, seconds
            self.others += ["--target", repr(self.draw.choice(scores))]
        return result, seconds

    def target_is_odd(self, scores):
        """Whether the score that people see is not the one that is searched on."""
        return any(abs(score) > 1e15 for score in scores)

    def piece(self, folder, limits, cut):
        """Runs one piece, resumed if there is a checkpoint, and cuts it with a signal after some seconds."""
        draw, file = self.draw, folder / "run.ckpt"
        every = draw.choice(["1ms", "1ms", "2ms", "5ms", "20ms", "100ms"])
        arguments = ["solve", self.problem, self.instance, "--quiet", "--json", *limits, *self.others]
        arguments += ["--checkpoint", file, "--checkpoint-every", every]
        arguments += ["--resume", file] if file.exists() else self.start
        arguments += ["--events", folder / "events.jsonl"] if draw.random() < 0.2 else []
        child = subprocess.Popen(
            [SOLOIST, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=self.environment(), preexec_fn=heard,
        )
        try:
            out, error = child.communicate(timeout=cut[1] if cut else 120)
        except subprocess.TimeoutExpired:
            child.send_signal(cut[0] if cut else signal.SIGKILL)
            try:
                out, error = child.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                child.kill()
                _, error = child.communicate()
                return None, "", f"deaf to signal {cut[0].name}: {error}"
        return child.returncode, out, error

    def parts(self, folder, seconds):
        """The result of the run in pieces, how many there were, or what went wrong."""
        draw = self.draw
        pieces = draw.randrange(1, 4)
        for at in range(pieces):
            by_signal = self.method in PLANNING or draw.random() < 0.7
            limits = ["--time", "60s", *self.counts()]
            if by_signal:
                cut = (draw.choice(SIGNALS), draw.uniform(0.01, 0.03 + 1.2 * seconds))
            else:
                cut = None
                limits = ["--time", "60s", *self.counts((at + draw.random()) / pieces)]
            code, _, error = self.piece(folder, limits, cut)
            # A signal before the handler is installed kills.
            killed = cut is not None and code == -cut[0]
            if code not in (0, 3, 130) and not killed:
                return None, f"piece {at + 1}: exit {code}: {error.strip()[:300]}"
        code, out, error = self.piece(folder, ["--time", "60s", *self.counts()], None)
        if code not in (0, 3):
            return None, f"the last piece: exit {code}: {error.strip()[:300]}"
        return json.loads(out), pieces + 1

    def compare(self):
        """What happened: a kind, a number of pieces, and what is wrong."""
        whole, seconds = self.undisturbed()
        if whole is None:
            # A method that has no room for its states says so in one line.
            is_refused = seconds.returncode == 2 or "needs at least" in seconds.stderr
            return ("refused", 0, None) if is_refused else ("broken", 0, seconds.stderr.strip()[:300])
        if whole["stop"] == "time":
            return "too long", 0, None
        with tempfile.TemporaryDirectory(prefix="soloist-pairs-") as folder:
            parts, pieces = self.parts(Path(folder), seconds)
        if parts is None:
            return "broken", 0, pieces
        if parts["stop"] == "time":
            return "too long", 0, None
        whole, parts = timeless(whole), timeless(parts)
        if self.threads > 1 and whole["stop"] in GOALS:
            for result in (whole, parts):
                for effort in ("playouts", "nodes", "tree"):
                    result.pop(effort, None)
        others = sorted(key for key in {*whole, *parts} if whole.get(key) != parts.get(key))
        shown = {key: (whole.get(key), parts.get(key)) for key in others if key in ("score", "stop", "bound", "nodes")}
        wrong = f"other {', '.join(others)} {shown}" if others else None
        return f"{self.threads} stream{'s' * (self.threads > 1)}", pieces, wrong


def heard():
    """A signal that a job in the background inherits as ignored stays so: these are heard."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--pair", type=int, help="repeat this pair alone")
    arguments = parser.parse_args()
    if not os.access(SOLOIST, os.X_OK):
        sys.exit(f"{SOLOIST} is missing: cargo build --release, or name another one in SOLOIST")
    begun, tables, kinds = time.monotonic(), parameters(), engines()
    counts, findings, pieces, number = {}, 0, 0, 0

    def run(number):
        pair = Pair(arguments.seed, number, tables, kinds)
        return pair, pair.compare()

    # Runs that are refused or too long are no pairs: others take their places.
    with ThreadPoolExecutor(arguments.jobs) as pool:
        while (compared := sum(counts.get(kind, 0) for kind in ("1 stream", "3 streams"))) < arguments.pairs:
            batch = range(number, number + min(64, arguments.pairs - compared))
            batch = [arguments.pair] if arguments.pair is not None else batch
            for pair, (kind, parts, wrong) in pool.map(run, batch):
                counts[kind] = counts.get(kind, 0) + 1
                pieces += parts
                if wrong:
                    findings += 1
                    print(f"pairs: {pair.number}: {wrong}: {pair.words()}", flush=True)
            number += len(batch)
            print(f"pairs: {number} drawn, {findings} findings", file=sys.stderr, flush=True)
            if arguments.pair is not None:
                break
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(
        f"pairs: {shown}; {pieces} pieces, engines {' '.join(kinds)}; {findings} findings (seed {arguments.seed}, "
        f"{time.monotonic() - begun:.0f} s, {usage.ru_utime + usage.ru_stime:.0f} processor seconds)"
    )
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
