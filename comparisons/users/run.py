#!/usr/bin/env python3
"""Runs problems of users by several methods, one after the other, and appends the results to a CSV file.

    python3 comparisons/users/run.py --seconds 0.5,5,30 --seeds 1,2,3       the half for design
    python3 comparisons/users/run.py --half held --seconds 5                the other half: for final tables alone
    python3 comparisons/users/run.py --problems roster,golfers.py --methods auto,anneal,hand --variants full

Needs `cargo build --release -p soloist-users`, and the Python package for the problems in `python/`, whose names end in
`.py`. Rows that the file has are skipped. Seconds are processor seconds, by ../cpuclock.c where there is a C compiler.
"""
import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from general import environment  # noqa: E402

ROOT = HERE.parents[1]
BIN = Path(os.environ.get("SOLOIST_BIN", ROOT / "target/release")) / "users"
OUT = ROOT / "target/users.csv"
METHODS = "auto,anneal,ils,nrpa,beam,cabs,uct,sampling,hand"
KEY = ["problem", "variant", "method", "seconds", "seed"]
FIELDS = KEY + ["score", "violation", "cpu", "playouts", "stop", "remarks"]


def program(problem):
    """The command that runs a problem, without the arguments after its name."""
    return [sys.executable, str(HERE / "python" / problem), "run"] if problem.endswith(".py") else [str(BIN), "run", problem]


def problems():
    """All problems: the half and the sense of each."""
    commands = [[str(BIN), "list"]]
    if importlib.util.find_spec("soloist"):
        files = sorted((HERE / "python").glob("*.py"))
        commands += [[sys.executable, str(path), "list"] for path in files if path.stem != "common"]
    else:
        print("without the problems in Python: there is no package soloist", file=sys.stderr)
    found = {}
    for command in commands:
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            print(f"{' '.join(command)}: {made.stderr.strip()[-200:]}", file=sys.stderr)
        for line in made.stdout.splitlines():
            name, half, sense, *_ = line.split()
            found[name] = (half, sense)
    return found


def read(path):
    """The rows of a CSV file, none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def run(key, env):
    """The row of one run. A run that fails has its error as `stop`."""
    row = dict(zip(KEY, key))
    words = [row["variant"], row["method"], row["seconds"], row["seed"]]
    try:
        limit = 60 + 20 * float(row["seconds"])
        made = subprocess.run(program(row["problem"]) + words, capture_output=True, text=True, env=env, timeout=limit)
        if made.returncode:
            return row | {"stop": " ".join(made.stderr.split())[-300:]}
        result = json.loads(made.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return row | {"stop": "error: does not end"}
    result["remarks"] = " | ".join(result["remarks"])
    return row | {name: result[name] for name in FIELDS if name not in KEY}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", help="names separated by commas; default: those of the half")
    parser.add_argument("--half", default="design", choices=["design", "held", "all"])
    parser.add_argument("--variants", default="four,full")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--seconds", default="5")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    known = problems()
    names = arguments.problems.split(",") if arguments.problems else [
        name for name, (half, _) in known.items() if arguments.half in ("all", half)
    ]
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"no problem {', '.join(unknown)}")
    done = {tuple(row[name] for name in KEY) for row in read(arguments.out)}
    env = environment()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    is_new = not arguments.out.exists()
    with arguments.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if is_new:
            writer.writeheader()
        for seconds in arguments.seconds.split(","):
            for problem in names:
                for method in arguments.methods.split(","):
                    # A solution by hand knows the whole problem.
                    for variant in ["full"] if method == "hand" else arguments.variants.split(","):
                        for seed in arguments.seeds.split(","):
                            key = (problem, variant, method, seconds, seed)
                            if key not in done:
                                row = run(key, env)
                                writer.writerow(row)
                                file.flush()
                                print(*key, row.get("score"), row["stop"])


if __name__ == "__main__":
    main()
