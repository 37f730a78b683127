#!/usr/bin/env python3
"""Overrun of --time and peak of memory under --memory, for methods on large instances of every domain.

`campaigns/limits.py short` takes some minutes, `campaigns/limits.py long` runs every method on every instance. Prints a table and exits
with 1 where a run takes more than 0.5 s or 10 % longer than its time, or more than 1.5 times its memory beside what the
instance needs (measured by a run of `sampling` that ends after one playout or the time).

Times are those of a machine that does nothing else. With --busy they are times of the processor instead, which other work
on the machine does not lengthen: runs have one stream, so that these are no longer than the times of the clock.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOLOIST = os.environ.get("SOLOIST", str(ROOT / "target/release/soloist"))
MIB = 1 << 20

# The largest instances that are accepted, or those that took longest or most.
INSTANCES = [
    ("samegame", "random:15x15x5:7"),
    ("snake", "d13k7"),
    ("coil", "d13k7"),
    ("knapsack", "random:1000000x9007:7"),
    ("partition", "random:50x70:7"),
    ("partition", "random:50x78:7"),
    ("partition", "random:300x300:7"),
    ("partition", "random:4096x4096:7"),
    ("stacking", "relocation:1000x10:7"),
    ("stacking", "random:100x10000:7"),
    ("packing", "random:8x400:7"),
    ("packing", "circles:100x100000:7"),
    ("vrptw", "random:4000:7"),
    ("tsptw", "random:800x60:7"),
    ("horner", "res:7,5"),
    ("morpion", "5D"),
]
# Methods with settings that ask for much.
HUNGRY = [
    ("sampling", []),
    ("uct", []),
    ("nmcs", []),
    ("nrpa", []),
    ("anneal", []),
    ("beam", ["width=100000"]),
    ("cabs", []),
    ("dfs", []),
    ("best-first", []),
    ("ida-star", []),
    ("auto", []),
]
# Steps and playouts that are asked to work for ever.
LONG = [
    ("vrptw", "random:20:7", ["--method", "sampling", "--rollout", "refined:1000000000"]),
    ("packing", "random:5x80:7", ["--method", "refine", "--set", "round=1000000000"]),
]
SHORT = {"partition", "stacking", "packing", "vrptw"}


def measured(arguments, limit):
    """Runs a call in a process of its own, so that its peak and processor time are known. Returns a dict."""
    script = Path(__file__).resolve()
    done = subprocess.run(
        [sys.executable, script, "--one", json.dumps([arguments, limit])], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)


def one(text):
    """Makes one call. TERM would only ask: a call that lasts too long is killed."""
    arguments, patience = json.loads(text)
    start = time.monotonic()
    child = subprocess.Popen([SOLOIST, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    killed = False
    try:
        _, error = child.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        killed = True
        child.kill()
        _, error = child.communicate()
    seconds = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = {
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024 / MIB,
        "code": child.returncode,
        "killed": killed,
        "error": error.strip()[:300],
    }
    print(json.dumps(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", nargs="?", choices=["short", "long"], default="short")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--time", type=float, default=1.0, help="the limit of time, in seconds")
    parser.add_argument("--memory", type=int, default=64, help="the limit of memory, in MiB")
    parser.add_argument("--busy", action="store_true", help="judge times by those of the processor")
    arguments = parser.parse_args()
    if arguments.one:
        return one(arguments.one)
    if not os.access(SOLOIST, os.X_OK):
        sys.exit(f"{SOLOIST} is missing: cargo build --release, or name another one in SOLOIST")
    limits = ["--time", f"{arguments.time}s", "--memory", f"{arguments.memory}MiB", "--quiet", "--json"]
    allowed = arguments.time + max(0.5, arguments.time / 10)
    patience = 20 * allowed * (10 if arguments.busy else 1)
    failed = 0

    def report(what, run, idle):
        nonlocal failed
        seconds = run["processor"] if arguments.busy else run["seconds"]
        # A search that has no room for its states says so in one line.
        refused = run["code"] == 1 and "needs at least" in run["error"]
        fine = not run["killed"] and run["code"] in (0, 3) or refused
        fine &= seconds <= allowed and run["peak"] <= 1.5 * arguments.memory + idle and "panicked" not in run["error"]
        failed += not fine
        state = "refused" if refused else "ok" if fine else f"FAILED (exit {run['code']}: {run['error']})"
        print(f"| {what} | {seconds:.2f} s | {run['peak']:.0f} MiB | {idle:.0f} MiB | {state} |", flush=True)

    print("| run | time | peak | without the run (instance) | |\n|---|---:|---:|---:|---|")
    instances = [pair for pair in INSTANCES if arguments.form == "long" or pair[0] in SHORT]
    for domain, instance in instances:
        idle = measured(["solve", domain, instance, "--method", "sampling", "--playouts", "1", *limits], patience)["peak"]
        for method, settings in HUNGRY:
            call = ["solve", domain, instance, "--method", method, *limits]
            call += [part for setting in settings for part in ("--set", setting)]
            report(" ".join([domain, instance, method, *settings]), measured(call, patience), idle)
        report(f"{domain} {instance}", measured(["solve", domain, instance, *limits], patience), idle)
    for domain, instance, more in LONG:
        report(" ".join([domain, instance, *more]), measured(["solve", domain, instance, *more, *limits], patience), 16)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
