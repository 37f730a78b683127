#!/usr/bin/env python3
"""Writes the table of README.md from the reports beside it.

    python3 papers/reproduce/table.py            # rows of every report.json, the counts and the hours
    python3 papers/reproduce/table.py --check    # exit 1 if README.md says something else

A folder inside that of an experiment is a report of some of its rows at another scale; of two reports of a claim the one
at the larger scale counts. Experiments keep their order in README.md. Hours are processor hours. Reports of runs on a busy
machine have the hours of the machine's clock; their processor hours stand in hours.csv.
"""
import csv
import json
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
README = HERE / "README.md"
OUTCOMES = ["confirmed", "not confirmed", "differs", "not testable here", "not tested"]


def probability(p):
    if p is None:
        return "-"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def remark(test):
    """What a test says beside its p."""
    reached = re.search(r"reached on (\d+) of (\d+) instances", test)
    if reached:
        return f" ({reached[1]} of {reached[2]})"
    part = re.search(r" in (\d+) of (\d+) runs$", test)
    return f" ({part[1]} of {part[2]})" if part else ""


def tested(report):
    """The claims of a report that its runs are about."""
    return [claim for claim in report["claims"] if claim["outcome"] != "not tested" or not report.get("missing")]


def rows(reports):
    """The rows of an experiment, one for each claim of the paper, from its reports by folder."""
    best = {}
    for folder, report in reports.items():
        for claim in tested(report):
            if claim["claim"] not in best or report["scale"] > best[claim["claim"]][1]["scale"]:
                best[claim["claim"]] = (folder, report, claim)
    for folder, report, claim in best.values():
        name = report["experiment"]
        text = f"**{claim['outcome']}**"
        signs = re.search(r"sign test, (\d+) to (\d+)", claim["test"])
        p = probability(claim["p"])
        if signs:
            text += f" (sign test, {signs[1]} to {signs[2]})"
        own = claim["published"]
        n = str(claim["pairs"])
        if report["instances"] == 1 and len(report["seeds"]) > 1 and claim["pairs"] > 1:
            n += " seeds"
        yield [
            f"[{name}]({folder}/report.md)",
            f"{report['scale']:g}",
            claim["claim"] + remark(claim["test"]),
            text,
            n,
            p,
            f"{probability(own['p'])} ({own['pairs']})" if own else "-",
        ]


def main():
    lines = README.read_text().split("\n")
    head = next(at for at, line in enumerate(lines) if line.startswith("| experiment | scale |"))
    end = head + 2
    while lines[end].startswith("|"):
        end += 1
    names = [re.match(r"\| \[([^\]]+)\]", line)[1] for line in lines[head + 2 : end]]
    reports = {}
    for path in sorted(HERE.glob("*/report.json")) + sorted(HERE.glob("*/*/report.json")):
        folder = path.parent.relative_to(HERE).as_posix()
        reports.setdefault(folder.split("/")[0], {})[folder] = json.loads(path.read_text())
    new = []
    for name in sorted(reports, key=lambda name: (names.index(name) if name in names else len(names), name)):
        new += ["| " + " | ".join(cells) + " |" for cells in rows(reports[name])]
    counts = {outcome: sum(f"**{outcome}**" in row for row in new) for outcome in OUTCOMES}
    measured = {line["experiment"]: float(line["processor_hours"]) for line in csv.DictReader((HERE / "hours.csv").open())}
    hours = sum(measured.get(folder, report["hours"]) for made in reports.values() for folder, report in made.items())
    summary = (
        f"Of {len(new)} claims {counts['confirmed']} are confirmed, {counts['not confirmed']} are not confirmed, "
        f"{counts['differs']} differ, and {counts['not testable here']} are not testable with these runs. "
        f"The runs took {hours:.1f} processor hours."
    )
    lines[head + 2 : end] = new
    at = next(at for at, line in enumerate(lines) if line.startswith("Of ") and " claims " in line)
    stop = at
    while lines[stop]:
        stop += 1
    lines[at:stop] = textwrap.wrap(summary, 118)
    text = "\n".join(lines)
    print(summary)
    if "--check" in sys.argv[1:]:
        sys.exit(int(text != README.read_text()))
    temporary = README.with_suffix(".tmp")
    temporary.write_text(text)
    temporary.replace(README)


if __name__ == "__main__":
    main()
