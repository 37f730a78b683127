#!/usr/bin/env python3
"""What 1 to 256 workers gain by exchanging solutions, by counted work in one process; and what the exchange costs.

    python3 campaigns/scale.py quality [--out scale.json]     some ten minutes of processor time
    python3 campaigns/scale.py costs
    python3 campaigns/scale.py table scale.json
    python3 campaigns/scale.py figure scale.json scale.svg

comparisons/scale.json has the rows that the guide shows, docs/images/scale.svg is their figure.

Each worker is a session that makes the same number of playouts in ten slices, whatever the number of workers. After each
slice (or each third) it is offered what its policy says. No clock has a part in it: the same call gives the same table on
every machine. The package must be installed.
"""

import argparse
import json
import sys
import tempfile
import time

import soloist
from soloist import distributed

SLICES = 10
WORKERS = (1, 4, 16, 64, 256)
POLICIES = {
    "none": None,
    "best": (None, 1),
    "groups of 8": (8, 1),
    "groups of 8, every 3": (8, 3),
}


class JobShop(soloist.Problem):
    """The shortest makespan of jobs whose operations pass the machines in their own orders."""

    sense = "minimize"

    def __init__(self, jobs, machines, seed):
        state = seed * 2 + 1

        def number(most):
            nonlocal state
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            return (state >> 33) % most

        self.machines = machines
        self.jobs = []
        for _ in range(jobs):
            order = list(range(machines))
            for at in range(machines - 1, 0, -1):
                to = number(at + 1)
                order[at], order[to] = order[to], order[at]
            self.jobs.append([(machine, 1 + number(99)) for machine in order])

    def root(self):
        return ((0,) * len(self.jobs), (0,) * len(self.jobs), (0,) * self.machines)

    def moves(self, state):
        return [job for job, at in enumerate(state[0]) if at < self.machines]

    def apply(self, state, job):
        done, ready, free = map(list, state)
        machine, length = self.jobs[job][done[job]]
        ready[job] = free[machine] = max(ready[job], free[machine]) + length
        done[job] += 1
        return tuple(done), tuple(ready), tuple(free)

    def score(self, state):
        return max(state[1])

    def code(self, state, job):
        return (job, state[0][job])

    def identity(self, state, job):
        return job * self.machines + state[0][job]

    def find(self, state, identity):
        job, at = divmod(identity, self.machines)
        return job if state[0][job] == at else (soloist.BLOCKED if state[0][job] < at else None)


def spec(problem, *names):
    return [(problem, name) for name in names]


BOARDS = spec("samegame", "random:15x15x5:7", "random:15x15x5:8")
#: Name, instances, method, playouts of a worker, the most workers.
STUDIES = (
    ("SameGame, nrpa", BOARDS, "nrpa", 1000, 256),
    ("SameGame, uct", BOARDS, "uct", 2000, 256),
    ("SameGame, anneal", BOARDS, "anneal", 4000, 256),
    ("VRPTW, anneal", spec("vrptw", "random:100:7", "random:100:8"), "anneal", 3000, 256),
    ("job shop 10x5, nrpa", [(JobShop(10, 5, 1), None), (JobShop(10, 5, 2), None)], "nrpa", 300, 64),
)


def session(problem, spec, method, seed, playouts):
    arguments = (problem,) if spec is None else (problem, spec)
    return soloist.Session(*arguments, method=method, seed=seed, playouts=playouts)


def sense(problem, spec):
    return getattr(problem, "sense", None) or soloist.load(problem, spec).sense


def run(problem, spec, method, playouts, workers, policy, direction):
    """Returns the best solution of each worker at the end."""
    sessions = [session(problem, spec, method, seed, playouts) for seed in range(workers)]
    for slice in range(1, SLICES + 1):
        for one in sessions:
            one.advance(playouts=playouts // SLICES)
        if policy is None or slice == SLICES or slice % policy[1]:
            continue
        bests = [one.best for one in sessions]
        size = policy[0] or workers
        for first in range(0, workers, size):
            best = None
            for solution in bests[first : first + size]:
                if soloist.better(solution, best, direction):
                    best = solution
            for index in range(first, min(first + size, workers)):
                if soloist.better(best, bests[index], direction):
                    sessions[index].offer(best)
    return [one.best for one in sessions]


def top(bests, direction):
    best = None
    for solution in bests:
        if soloist.better(solution, best, direction):
            best = solution
    return best


def quality(out):
    rows = []
    for name, instances, method, playouts, most in STUDIES:
        begin = time.process_time()
        for problem, spec_ in instances:
            direction = sense(problem, spec_)
            lone = run(problem, spec_, method, playouts, most, None, direction)
            for workers in (count for count in WORKERS if count <= most):
                # Without exchange the first workers of many are the workers of a smaller run: all blocks of them count.
                blocks = [lone[at : at + workers] for at in range(0, most, workers)]
                scores = [top(block, direction).score for block in blocks]
                found = {"none": [score for score in scores if score is not None]}
                for policy, rule in POLICIES.items():
                    if rule is not None and workers > 1 and (rule[0] is None or workers > rule[0]):
                        best = top(run(problem, spec_, method, playouts, workers, rule, direction), direction)
                        found[policy] = [best.score]
                for policy, values in found.items():
                    rows.append({"study": name, "instance": str(spec_ or type(problem).__name__), "policy": policy,
                                 "workers": workers, "runs": len(values), "score": sum(values) / len(values)})  # fmt: skip
            alone = session(problem, spec_, method, 0, playouts * 16)
            alone.advance(playouts=playouts * 16)
            rows.append({"study": name, "instance": str(spec_ or type(problem).__name__), "policy": "16 times the work",
                         "workers": 1, "runs": 1, "score": alone.best.score})  # fmt: skip
        print(f"{name}: {time.process_time() - begin:.0f} s of processor time", file=sys.stderr, flush=True)
        with open(out, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=0)
    table(rows)


def means(rows):
    """Returns the means over the instances by study, policy and workers."""
    found = {}
    for row in rows:
        found.setdefault((row["study"], row["policy"], row["workers"]), []).append(row["score"])
    return {key: sum(values) / len(values) for key, values in found.items()}


def number(study, value):
    if value is None:
        return ""
    if study.startswith("VRPTW"):
        # A mean over runs with different numbers of vehicles has no distance of its own.
        return f"{value / 1e6:.2f} vehicles" if value % 1e6 > 1e4 else f"{value // 1e6:.0f} / {value % 1e6:.0f}"
    return f"{value:.0f}"


def table(rows):
    found = means(rows)
    for study in dict.fromkeys(row["study"] for row in rows):
        print(f"\n| {study} | " + " | ".join(f"K={count}" for count in WORKERS) + " |")
        print("|---|" + "---:|" * len(WORKERS))
        for policy in POLICIES:
            cells = [number(study, found.get((study, policy, count))) for count in WORKERS]
            print(f"| {policy} | " + " | ".join(cells) + " |")
        print(f"| one worker with 16 times the work | {number(study, found[study, '16 times the work', 1])} |" + " |" * 4)


def figure(source, target):
    """Draws the means as small charts."""
    rows = json.load(open(source, encoding="utf-8"))
    found = means(rows)
    studies = list(dict.fromkeys(row["study"] for row in rows))
    colors = dict(zip(POLICIES, ("#666", "#c33", "#27c", "#2a5")))
    width, height, gap = 250, 190, 70
    parts = []
    for at, study in enumerate(studies):
        left, up = 60 + at % 3 * (width + gap), 40 + at // 3 * (height + gap)
        points = {policy: [(count, found[study, policy, count]) for count in WORKERS if (study, policy, count) in found]
                  for policy in POLICIES}  # fmt: skip
        values = [value for line in points.values() for _, value in line]
        low, high = min(values), max(values)
        parts.append(f'<text x="{left}" y="{up - 12}" font-weight="bold">{study}</text>')
        parts.append(f'<rect x="{left}" y="{up}" width="{width}" height="{height}" fill="none" stroke="#999"/>')
        for value in (low, high):
            y = up + height - (value - low) / (high - low) * height
            parts.append(f'<text x="{left - 5}" y="{y + 4:.0f}" text-anchor="end">{number(study, value)}</text>')
        for count in WORKERS:
            x = left + WORKERS.index(count) * width / (len(WORKERS) - 1)
            parts.append(f'<text x="{x:.0f}" y="{up + height + 15}" text-anchor="middle">{count}</text>')
        for policy, line in points.items():
            places = " ".join(
                f"{left + WORKERS.index(count) * width / (len(WORKERS) - 1):.1f},"
                f"{up + height - (value - low) / (high - low) * height:.1f}"
                for count, value in line
            )
            parts.append(f'<polyline points="{places}" fill="none" stroke="{colors[policy]}" stroke-width="2"/>')
    x, y = 60 + 2 * (width + gap), 40 + height + gap
    for at, (policy, color) in enumerate(colors.items()):
        parts.append(f'<path d="M{x} {y + 20 + 22 * at}h30" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 38}" y="{y + 24 + 22 * at}">{policy}</text>')
    parts.append(f'<text x="{x}" y="{y + 130}">x: workers; y: mean best score</text>')
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{60 + 3 * (width + gap)}" height="{2 * (height + gap) + 40}" '
                   'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>\n'
                   + "\n".join(parts) + "\n</svg>\n")  # fmt: skip


def costs():
    """Measures what a slice costs the driver and the worker, and extrapolates to many workers."""
    measured = []
    for with_folder in (False, True):
        # The slices are made by another process, so that the time of this one is the driver's alone.
        with tempfile.TemporaryDirectory() as name, distributed.Processes(2) as pool:
            begin = time.process_time()
            run = distributed.solve("samegame", "random:15x15x5:7", executor=pool, streams=8, method="nrpa",
                                    slice={"playouts": 20}, playouts=16_000, progress=False,
                                    folder=f"{name}/run" if with_folder else None)  # fmt: skip
            made = sum(stream.slices for stream in run.streams)
            measured.append((time.process_time() - begin) / made)
    print(f"driver: {1e3 * measured[0]:.2f} ms of processor time a slice, {1e3 * measured[1]:.2f} ms with a folder")
    print("\n| method, after 10 s | save, KiB | restore and save, ms of processor time | of a slice of 10 s |\n|---|---:|---:|---:|")
    sizes = {}
    for problem, spec_, method in (
        ("samegame", "random:15x15x5:7", "nrpa"),
        ("samegame", "random:15x15x5:7", "anneal"),
        ("samegame", "random:15x15x5:7", "uct"),
        ("vrptw", "random:100:7", "anneal"),
    ):
        one = soloist.Session(problem, spec_, method=method, seed=1, time=60)
        one.advance(time=10)
        begin = time.process_time()
        saved = one.save()
        soloist.Session.restore(saved, problem, spec_)
        took = time.process_time() - begin
        sizes[f"{problem} {method}"] = len(saved)
        print(f"| {problem} {method} | {len(saved) / 1024:.0f} | {1e3 * took:.0f} | {took / 10:.2%} |")
    print("\n| workers | slices a second | driver busy | with a folder |" + "".join(f" {name}, MB/s |" for name in sizes))
    print("|---:|---:|---:|---:|" + "---:|" * len(sizes))
    for workers in (100, 1000, 10_000):
        rate = workers / 10
        traffic = "".join(f" {2 * size * rate / 1e6:.1f} |" for size in sizes.values())
        print(f"| {workers} | {rate:.0f} | {rate * measured[0]:.0%} | {rate * measured[1]:.0%} |{traffic}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "costs", "table", "figure"))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--out", default="scale.json")
    args = parser.parse_args()
    if args.what == "quality":
        quality(args.out)
    elif args.what == "costs":
        costs()
    elif args.what == "table":
        table(json.load(open(args.files[0], encoding="utf-8")))
    else:
        figure(*args.files)


if __name__ == "__main__":
    main()
