#!/usr/bin/env python3
"""Keeps what `soloist reproduce` has made: the report, its figure, and the runs without solutions.

    python3 papers/reproduce/keep.py MADE papers/reproduce/ID
    python3 papers/reproduce/keep.py --add MADE papers/reproduce/ID      # more rows or boards of the same report
    soloist reproduce ID --report-only --data DATA --out papers/reproduce/ID      # the report again, from what is kept

MADE is the folder of `--out`. The runs keep what a report reads: label, instance, seed, budget, score, feasibility, playouts,
the shape of the tree, seconds, and, where settings were chosen, those that were.
"""
import argparse
import json
import shutil
from pathlib import Path

FIELDS = ["label", "problem", "instance", "sense", "method", "seed", "threads", "budget", "score", "feasible", "playouts"]
FIELDS += ["nodes", "tree", "seconds", "stop", "verified", "parts"]
# Settings that an experiment chooses.
CHOSEN = ["beam_limit", "beam_width", "c"]


def place(run):
    return (run["label"], run["instance"], run["seed"])


def kept(run, has_chosen):
    small = {field: run[field] for field in FIELDS if run.get(field) is not None}
    if has_chosen:
        small["parameters"] = {name: run["parameters"][name] for name in CHOSEN if name in run.get("parameters", {})}
    return small


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--add", action="store_true", help="keep the report and the other runs of FOLDER too")
    parser.add_argument("made", type=Path, metavar="MADE")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if not (arguments.made / "report.json").is_file():
        parser.error(f"{arguments.made}: no report.json")
    if arguments.add and not (arguments.folder / "runs.jsonl").is_file():
        parser.error(f"{arguments.folder}: no runs.jsonl to add to")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in [] if arguments.add else ["report.md", "report.json", "figure.svg"]:
        if (arguments.made / name).is_file():
            shutil.copyfile(arguments.made / name, arguments.folder / name)
    has_chosen = (arguments.made / "tuning.jsonl").is_file()
    for name in ["runs.jsonl", "tuning.jsonl"] if has_chosen else ["runs.jsonl"]:
        lines = (arguments.made / name).read_text().splitlines()
        runs = [kept(json.loads(line), has_chosen) for line in lines]
        if arguments.add:
            new = {place(run) for run in runs}
            old = map(json.loads, (arguments.folder / name).read_text().splitlines())
            runs = [run for run in old if place(run) not in new] + runs
        temporary = arguments.folder / f"{name}.tmp"
        temporary.write_text("".join(json.dumps(run, separators=(",", ":")) + "\n" for run in runs))
        temporary.replace(arguments.folder / name)


if __name__ == "__main__":
    main()
