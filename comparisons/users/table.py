#!/usr/bin/env python3
"""Makes a Markdown table of the results of run.py: `table.py [FILE] [--seconds 5] [--all] [--peers peers.csv]`.

A number is the mean over the seeds. Regret is how far `auto` stays behind the best of the other methods, in percent of
that one's score (as a difference where this is 0); the place is that of `auto` beside the solution by hand and the peer.
Means of infeasible results are left out: `-` stands where a seed has no feasible one.
"""
import argparse
import statistics
from pathlib import Path

import run


def means(rows):
    """The mean score of each (problem, variant, method); None where a run has no feasible result."""
    scores = {}
    for row in rows:
        value = float(row["score"]) if row["score"] else None
        scores.setdefault((row["problem"], row["variant"], row["method"]), []).append(value)
    return {key: None if None in values else statistics.fmean(values) for key, values in scores.items()}


def show(value):
    return "-" if value is None else f"{value:.6g}"


def place(sense, value, others):
    """`1 of 3`, say: a value beside others, better ones first; equal values share a place."""
    sign = -1 if sense == "minimize" else 1
    rank = lambda other: float("-inf") if other is None else sign * other
    better = sum(rank(other) > rank(value) for other in others)
    return f"{1 + better} of {1 + len(others)}" if others else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=run.OUT)
    parser.add_argument("--seconds", default="5")
    parser.add_argument("--all", action="store_true", help="a column for each method")
    parser.add_argument("--peers", type=Path, default=run.HERE / "peers.csv")
    arguments = parser.parse_args()
    known = run.problems()
    is_asked = lambda row: float(row["seconds"]) == float(arguments.seconds)
    found = means(filter(is_asked, run.read(arguments.file)))
    peers = means(filter(is_asked, run.read(arguments.peers)))
    methods = list(dict.fromkeys(method for _, _, method in found if method not in ("auto", "hand")))
    extra = methods if arguments.all else []
    print("| problem | functions | " + "".join(f"{method} | " for method in extra) + "best of own | auto | regret | hand | peer | place |")
    print("|---|---|" + "---:|" * (len(extra) + 5) + "---|")
    for problem, variant in dict.fromkeys((problem, variant) for problem, variant, _ in found):
        sense = known[problem][1]
        own = {method: found[problem, variant, method] for method in methods if (problem, variant, method) in found}
        feasible = {method: value for method, value in own.items() if value is not None}
        if (problem, variant, "auto") not in found:
            continue
        auto = found[problem, variant, "auto"]
        best, regret = "-", ""
        if feasible:
            method = (min if sense == "minimize" else max)(feasible, key=feasible.get)
            value = feasible[method]
            best = f"{show(value)} ({method})"
            if auto is None:
                regret = "infeasible"
            else:
                lost = auto - value if sense == "minimize" else value - auto
                regret = f"{100 * lost / abs(value):+.2f} %" if value else f"{lost:+.6g}"
        beside = [found.get((problem, "full", "hand"))] if (problem, "full", "hand") in found else []
        peer = [value for (name, _, _), value in peers.items() if name == problem]
        cells = [problem, variant] + [show(own.get(method)) for method in extra]
        cells += [best, show(auto), regret, show(beside[0]) if beside else "", show(peer[0]) if peer else ""]
        print("| " + " | ".join(cells + [place(sense, auto, beside + peer)]) + " |")


if __name__ == "__main__":
    main()
