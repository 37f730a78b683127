#!/usr/bin/env python3
"""What two and four threads reach with the playouts of one, on the problems of users.

    python3 comparisons/users/threads.py --methods anneal,nrpa --seconds 1 --seeds 1,2 [--half design]

One thread runs for the seconds; its playouts are the budget of all runs, each of T threads making a T-th of them. So two
threads are compared as with half the wall time, whatever the machine has. Prints a Markdown table: the mean difference to
one thread in percent, 100 at most (negative: the threads are ahead), and how often they are better, worse and level.
"""
import argparse
import json
import subprocess
from collections import defaultdict

from run import program, problems

THREADS = (1, 2, 4)
LIMIT = 60


def run(problem, variant, method, budget, seed):
    """The result of one run. None: it failed, or has not ended."""
    try:
        command = [*program(problem), variant, method, budget, str(seed)]
        made = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    return None if made.returncode else json.loads(made.stdout.splitlines()[-1])


def ranked(result, sense):
    """A number that is smaller for better results: infeasible ones are behind all others."""
    if result["score"] is None:
        return 1, result["violation"] if result["violation"] is not None else float("inf")
    return 0, result["score"] if sense == "minimize" else -result["score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="anneal,nrpa,auto")
    parser.add_argument("--seconds", default="1")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--half", default="design", choices=["design", "held"])
    arguments = parser.parse_args()
    print("| method | threads | problems | better | worse | level | mean | median |\n|---|---:|---:|---:|---:|---:|---:|---:|")
    names = {name: sense for name, (half, sense) in problems().items() if half == arguments.half}
    for method in arguments.methods.split(","):
        counts, gaps = defaultdict(lambda: [0, 0, 0]), defaultdict(lambda: defaultdict(list))
        for name, sense in names.items():
            if name.endswith(".py"):
                continue
            for variant in ("four", "full"):
                planned = run(name, variant, method, arguments.seconds, 1)
                if not planned or planned["stop"] == "optimal" or planned["playouts"] < 100:
                    continue
                for seed in arguments.seeds.split(","):
                    setting = lambda threads: method if threads == 1 else f"{method}(threads={threads})"
                    budget = f"{planned['playouts']}p"
                    results = {threads: run(name, variant, setting(threads), budget, seed) for threads in THREADS}
                    if None in results.values():
                        continue
                    one = ranked(results[1], sense)
                    for threads in THREADS[1:]:
                        many = ranked(results[threads], sense)
                        counts[threads][0 if many < one else 1 if many > one else 2] += 1
                        if many[0] == one[0] == 0 and one[1]:
                            gap = 100 * (many[1] - one[1]) / abs(one[1])
                            gaps[threads][name].append(max(-100, min(100, gap)))
        for threads in THREADS[1:]:
            means = sorted(sum(all) / len(all) for all in gaps[threads].values())
            mean, median = (sum(means) / len(means), means[len(means) // 2]) if means else (0, 0)
            better, worse, level = counts[threads]
            print(f"| {method} | {threads} | {len(means)} | {better} | {worse} | {level} | {mean:+.2f} % | {median:+.2f} % |", flush=True)


if __name__ == "__main__":
    main()
