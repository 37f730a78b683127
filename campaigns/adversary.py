"""Looks for false claims: python3 campaigns/adversary.py [--claims N] [--seed S] [--jobs J] [--only PART].

Small instances, most of them with many ties, are searched under random methods, settings, memory, streams and cuts, and
what the searches claim is compared with what is known without them. The parts:

- commands: instances in files, `soloist solve` with prefixes, starts, limits, checkpoints; brute force (bruteforce.py);
- instances: the same in one process (`campaign claims`), some hundred claims a second;
- trees: random trees with promises of all kinds, and with keys that look alike until all of their bits are compared
  (`campaign trees`); their optima come with them;
- collisions: instances of the problems in which hashes of different states are equal (collisions.py);
- metamorphic: pairs of instances whose optima are tied by a rule (metamorphic.py);
- python, expressions: compiled against interpreted classes, and accepted texts printed back. A module of campaigns/
  does it where there is one, see `OTHERS`.

A finding is: a proof of a score that is not the optimum, a proof that nothing is feasible where something is, a score
better than the optimum, a bound that the optimum beats, a panic, a checkpoint of its own that a run refuses, or a
result that fails its verification.
"""

import argparse
import importlib.util
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bruteforce import PROBLEMS
from claims import (
    EXACT, OFTEN, SOLOIST, Server, Tally, compare, draw_run, draw_settings, exact_run, is_worse, judge, read_methods,
)
from collisions import CRAFTED
from metamorphic import PAIRS

# The part of the claims that each part makes.
PARTS = {"commands": 0.05, "instances": 0.4, "trees": 0.35, "collisions": 0.05, "metamorphic": 0.15}
# Parts that other modules make: `compare(draw)` of such a module draws a case, and returns how many comparisons it made
# and a list of lines, what is wrong.
OTHERS = {"python": "compiled", "expressions": "printed"}
# After so many false claims a part ends.
ENOUGH = 20


class Known:
    """The optimum of an instance, behind some moves as well."""

    def __init__(self, name, text):
        self.best, self.text, self.known = PROBLEMS[name]["best"], text, {}

    def __call__(self, moves=None):
        moves = [tuple(move) if isinstance(move, list) else move for move in moves or []]
        if tuple(moves) not in self.known:
            self.known[tuple(moves)] = self.best(self.text, moves) if moves else self.best(self.text)
        return self.known[tuple(moves)]


def draw_limits(draw, best):
    """Limits and choices that are not the method's."""
    limits = {}
    if draw.random() < 0.15:
        limits["stall"] = draw.choice([5, 50, 500])
    if draw.random() < 0.15 and best is not None:
        # Some are reached, some never.
        limits["target"] = best + draw.choice([0, 0, -1, 1, 5])
    if draw.random() < 0.2:
        limits["keep"] = draw.randrange(2, 6)
    if draw.random() < 0.2:
        limits["start"] = draw.randrange(100)
    if draw.random() < 0.2:
        limits["proof"] = draw.choice([0.05, 0.5, 1])
    return limits


class Campaign:
    """The parts, each of which makes a batch of comparisons from a seed."""

    def __init__(self, tally, folder):
        self.tally, self.folder = tally, folder
        self.names, self.tables = read_methods()

    def commands(self, draw, _):
        """Draws an instance and compares some runs of the command on it."""
        name = draw.choice(list(PROBLEMS))
        problem, options, smaller = (PROBLEMS[name][part] for part in ("problem", "options", "smaller"))
        text = PROBLEMS[name]["draw"](draw)
        known = Known(name, text)
        own = f"{os.getpid()}-{draw.randrange(10**12)}"
        rules = [part for option in options.items() for part in ("--set", "=".join(option))]
        path, checkpoint, moves = (self.folder / f"{own}.{end}" for end in ("txt", "ckpt", "json"))
        path.write_text(text)
        for _ in range(6):
            method = draw.choices(self.names, [OFTEN.get(name, 1) for name in self.names])[0]
            base = ["solve", problem, path, "--method", method, "--json", "--quiet", *rules]
            base += ["--seed", draw.randrange(1000), "--threads", draw.choice([1, 1, 1, 2, 3])]
            base += ["--memory", draw.choice(["64KiB", "1MiB", "64MiB", "2GiB"])]
            for setting, value in draw_settings(draw, self.tables[method]).items():
                base += ["--set", f"{setting}={value}"]
            begun = None
            limits = draw_limits(draw, known())
            if "start" in limits or PROBLEMS[name]["prefixed"] and draw.random() < 0.2:
                game = solve(["solve", problem, path, "--method", "sampling", "--playouts", 1, "--json", "--quiet",
                              "--seed", draw.randrange(100), *rules])
                played, feasible = (json.loads(game.stdout)[name] for name in ("moves", "feasible"))
                if "start" in limits:
                    # A start that breaks a rule is refused.
                    if feasible:
                        moves.write_text(game.stdout)
                        base += ["--start", moves]
                elif played:
                    begun = played[: draw.randrange(1, len(played) + 1)]
                    moves.write_text(json.dumps(begun))
                    base += ["--prefix", moves]
            for limit in ("keep", "stall", "target"):
                base += [f"--{limit}={limits[limit]}"] if limit in limits else []
            base += ["--until", time.time() + 2] if draw.random() < 0.1 else []
            before = []
            ends = ["--playouts", draw.choice([300, 3000]), "--nodes", draw.choice([3000, 30_000]), "--time", "5s"]
            if draw.random() < 0.3:
                save = ["--checkpoint", checkpoint, "--checkpoint-every", draw.choice(["1ms", "1h"])]
                part = ["--playouts", draw.randrange(1, 100), "--nodes", draw.randrange(1, 2000), "--time", "5s"]
                before = [base + part + save]
                first = solve(before[0])
                if first.returncode in (0, 3) and checkpoint.exists():
                    base = ["solve", problem, path, "--json", "--quiet", "--resume", checkpoint, *rules]
            done = solve(base + ends)
            checkpoint.unlink(missing_ok=True)
            words = " && ".join(" ".join(map(str, call)) for call in [*before, base + ends])
            words += f": prefix {json.dumps(begun)}" if begun else ""
            if done.returncode == 2 or done.returncode == 1 and "MiB are allowed" in done.stderr:
                self.tally.refuse()
                continue
            if done.returncode not in (0, 3):
                said = done.stderr.strip()[:300]
                kind = re.sub(r"\S*\.(ckpt|json|txt)\S*", "FILE", said)[:80]
                self.tally.wrong("commands", kind, f"{words}: exit code {done.returncode}: {said}: {text!r}")
                continue
            result = json.loads(done.stdout)
            self.tally.note("commands", name, bool(result["optimal"] or result.get("infeasible")))
            for wrong in judge(result, known(begun), smaller):
                self.tally.wrong("commands", "", f"{words}: {wrong}: {text!r}")
        for file in (path, moves):
            file.unlink(missing_ok=True)

    def instances(self, draw, servers):
        """The same in one process, many instances in a row."""
        for _ in range(10):
            name = draw.choice(list(PROBLEMS))
            problem, options, smaller = (PROBLEMS[name][part] for part in ("problem", "options", "smaller"))
            text = PROBLEMS[name]["draw"](draw)
            known = Known(name, text)
            runs = []
            for _ in range(8):
                run = {**draw_run(draw, self.names, self.tables), **draw_limits(draw, known())}
                if PROBLEMS[name]["prefixed"] and draw.random() < 0.25:
                    run["prefix"] = [draw.randrange(100), draw.randrange(1, 6)]
                    run.pop("start", None)
                runs.append(run)
            question = {"problem": problem, "text": text, "options": options, "runs": runs}
            best = lambda result: known(result["prefix"])
            compare(self.tally, "instances", name, servers["claims"], question, best, smaller)

    def trees(self, draw, servers):
        """Random trees, whose optima are known from their making."""
        for _ in range(20):
            tree = draw_tree(draw)
            runs = [draw_run(draw, self.names, self.tables) for _ in range(8)]
            best = tree["nodes"][0]["best"]
            question = {"tree": tree, "runs": runs}
            compare(self.tally, "trees", "trees", servers["trees"], question, lambda _: best, tree["smaller"])

    def collisions(self, draw, servers):
        """All exact methods with their own settings, and others, on instances that were made to collide."""
        for _ in range(4):
            problem = draw.choice(list(CRAFTED))
            make, options, smaller = CRAFTED[problem]
            text, best = make(draw)
            runs = [{**exact_run(draw, self.tables, [method]), "set": {}} for method in [*EXACT, "beam", "auto"]]
            uct = {**exact_run(draw, self.tables, ["uct"]), "set": {"transpositions": "true"}, "playouts": 3000}
            runs += [uct, *(draw_run(draw, self.names, self.tables) for _ in range(4))]
            question = {"problem": problem, "text": text, "options": options, "runs": runs}
            name = f"crafted {problem}"
            compare(self.tally, "collisions", name, servers["claims"], question, lambda _: best, smaller)

    def metamorphic(self, draw, servers):
        """A claim about the first instance of a pair, then claims about both that have to agree with it."""
        for _ in range(10):
            problem = draw.choice(list(PAIRS))
            make, options, smaller = PAIRS[problem]
            kind, text, other, rule = make(draw)
            asked, name, server = {"problem": problem, "options": options}, f"pair {problem}", servers["claims"]
            proofs = []
            first = {**asked, "text": text, "runs": [exact_run(draw, self.tables) for _ in range(3)]}
            answers = server.ask(first)
            if isinstance(answers, str):
                self.tally.wrong("metamorphic", "a process that ended", f"{problem}: {answers}: {json.dumps(first)}")
                continue
            for result in answers:
                if result.get("optimal") or result.get("infeasible"):
                    proofs.append(result["score"] if result["feasible"] else None)
            if not proofs:
                self.tally.note("metamorphic", f"{problem} {kind}", False)
                continue
            # What the first run has proven: the others confirm it or contradict.
            again = {**asked, "text": text, "runs": [exact_run(draw, self.tables) for _ in range(2)]}
            compare(self.tally, "metamorphic", name, server, again, lambda _: proofs[0], smaller)
            for proof in proofs[1:]:
                self.tally.note("metamorphic", name, True)
                if (proof is None) != (proofs[0] is None) or proof is not None and (
                    is_worse(smaller, proof, proofs[0]) or is_worse(smaller, proofs[0], proof)
                ):
                    self.tally.wrong("metamorphic", "", f"{problem}: proofs {proofs}: {json.dumps(first)}")
            second = {**asked, "text": other, "runs": [exact_run(draw, self.tables) for _ in range(4)]}
            findings = self.tally.false_claims["metamorphic"]
            compare(self.tally, "metamorphic", name, server, second, lambda _: rule(proofs[0]), smaller)
            if self.tally.false_claims["metamorphic"] > findings:
                print(f"adversary: {problem}, {kind}: the first instance: {text!r}", flush=True)

    def other(self, part, draw):
        """A case of another module."""
        compared, wrong = importlib.import_module(OTHERS[part]).compare(draw)
        for _ in range(compared):
            self.tally.note(part, part, True)
        for line in wrong:
            self.tally.wrong(part, "", line)


def solve(arguments):
    return subprocess.run([SOLOIST, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def draw_tree(draw):
    """A random tree as a table: children of each node, costs of edges, scores of leaves, and what the problem knows.

    All that it says of itself is true: the bounds are optimistic, and only equal nodes have equal keys.
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
        "smaller": smaller, "nodes": table, "has_bound": draw.random() < 0.6, "has_key": draw.random() < 0.6,
        "has_future": draw.random() < 0.3, "has_bias": draw.random() < 0.5, "has_potential": draw.random() < 0.3,
        "rollout": draw.choice(["random", "random", "spent", "spent", "selective", "greedy"]),
        "keys": draw.choice(["hashed", "numbers", "heap", {"few": 1}, {"few": 4}]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=100_000, help="claims of optimality to compare (default: 100000)")
    parser.add_argument("--minutes", type=float, default=600, help="ends earlier after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    parser.add_argument("--only", choices=[*PARTS, *OTHERS], help="one part of the campaign")
    arguments = parser.parse_args()
    start = time.monotonic()
    end = start + 60 * arguments.minutes
    parts = {arguments.only: 1.0} if arguments.only else PARTS
    tally = Tally()

    def is_over(part):
        with tally.lock:
            made, wrong = tally.by_part[part], tally.false_claims[part]
        return made >= arguments.claims * parts[part] or time.monotonic() >= end or wrong >= ENOUGH

    with tempfile.TemporaryDirectory(prefix="soloist-adversary-") as name, ThreadPoolExecutor(arguments.jobs) as pool:
        campaign = Campaign(tally, Path(name))

        def worker(part, own):
            servers = {name: Server(name) for name in ("claims", "trees")}
            # Each worker has its own batches, whichever is faster.
            for batch in itertools.count(own, arguments.jobs):
                if is_over(part):
                    break
                draw = random.Random(f"{arguments.seed}/{part}/{batch}")
                if part in OTHERS:
                    campaign.other(part, draw)
                else:
                    getattr(campaign, part)(draw, servers)
            for server in servers.values():
                server.close()

        # Each part with all jobs, one after the other.
        for part in parts:
            if part in OTHERS and importlib.util.find_spec(OTHERS[part]) is None:
                sys.exit(f"there is no campaigns/{OTHERS[part]}.py")
            for future in [pool.submit(worker, part, own) for own in range(arguments.jobs)]:
                future.result()
    counts = ", ".join(f"{family} {tally.claims[family]} of {runs}" for family, runs in sorted(tally.runs.items()))
    made = ", ".join(f"{part} {claims}" for part, claims in tally.by_part.items())
    wrong = ", ".join(f"{count} x {kind}" for kind, count in tally.findings.items())
    seconds = time.monotonic() - start
    used = os.times()
    processor = used.user + used.system + used.children_user + used.children_system
    print(
        f"adversary: {sum(tally.claims.values())} claims of {sum(tally.runs.values())} runs compared: {made} "
        f"({counts}), "
        f"{tally.refused} settings refused; {sum(tally.findings.values())} findings{wrong and ': ' + wrong} "
        f"(seed {arguments.seed}, {seconds:.0f} s, {processor:.0f} processor seconds)",
        flush=True,
    )
    return 1 if tally.findings or not tally.runs else 0


if __name__ == "__main__":
    sys.exit(main())
