#!/usr/bin/env python3
"""What a second thread gains: rates of one thread, of two threads, and of two processes, which share nothing.

    python3 comparisons/threads.py --data DATA [--seconds 5] [--rounds 2]        # a quiet machine with two cores

Needs `cargo build --release -p soloist-cli`. Prints a Markdown table; rates are playouts (or what the method counts
instead) a second, the best of the rounds.
"""
import argparse
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUNS = [
    ("samegame", "samegame/standard/js01.txt", ["nrpa"]),
    ("samegame", "samegame/standard/js01.txt", ["anneal"]),
    ("samegame", "samegame/standard/js01.txt", []),
    ("samegame", "samegame/standard/js01.txt", ["sampling"]),
    ("snake", "d8k2", ["nrpa"]),
    ("knapsack", "knapsack/knapPI_3_1000_1000_1.kp", ["uct"]),
    ("vrptw", "solomon/r101.txt", []),
    ("horner", "horner/res_7_4.txt", ["anneal"]),
]


def start(problem, instance, method, seconds, threads, seed):
    command = [ROOT / "target/release/soloist", "solve", problem, instance, "--time", str(seconds), "--seed", str(seed)]
    command += ["--threads", str(threads), "--json", "--quiet", *(["--method", *method] if method else [])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def rate(processes):
    results = [json.loads(process.communicate()[0]) for process in processes]
    return sum(result["playouts"] / result["seconds"] for result in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    print("| run | one thread | two threads | gain | two processes |\n|---|---:|---:|---:|---:|")
    for problem, file, method in RUNS:
        source = arguments.data / file if "/" in file else file
        def made(threads, seeds):
            run = lambda: rate([start(problem, source, method, arguments.seconds, threads, seed) for seed in seeds])
            return max(run() for _ in range(arguments.rounds))

        one, two, apart = made(1, [1]), made(2, [1]), made(1, [1, 2])
        name = method[0] if method else "default"
        print(f"| {problem} {Path(file).stem} `{name}` | {one:,.0f} | {two:,.0f} | {two / one:.2f} | {apart / one:.2f} |")


if __name__ == "__main__":
    main()
