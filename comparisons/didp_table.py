"""The tables of didp.md from the runs of didp.py."""
import statistics
import sys

import didp_classes


def mean_gap(sense, best, values):
    """How far the mean is behind the best in percent; None where a run found nothing."""
    if not values or None in values:
        return None
    return 100 * sense * (best - statistics.mean(values)) / abs(best) + 0.0 if best else 0.0


def text(number):
    return "none" if number is None else f"{number:.2f}"


def table(records, programs, names):
    order = ["four", "auto", "cabs", "rpid", "lnbs", "cp-sat", "cp-sat-turns"]
    programs = [program for program in order if any(r["program"] == program for r in records)]
    cells = {}
    for record in records:
        cells.setdefault((record["instance"], record["program"]), []).append(record)
    gaps = {program: {} for program in programs}
    means, lost = {}, {}
    print("| instance | best |" + "".join(f" {names[program]} | gap % |" for program in programs))
    print("|---|---:|" + "---:|---:|" * len(programs))
    for kind, (_, instances) in didp_classes.CLASSES.items():
        sense = didp_classes.sense(kind)
        for name in instances:
            instance = f"{kind}-{name}"
            runs = {program: cells.get((instance, program), []) for program in programs}
            found = [r["value"] for rows in runs.values() for r in rows if r["value"] is not None]
            if not found:
                continue
            best = max([*found, didp_classes.KNOWN.get(instance, found[0])], key=lambda value: sense * value)
            for program, rows in runs.items():
                wrong = [r["value"] for r in rows if r["proven"] and r["value"] != best]
                if wrong:
                    sys.exit(f"{instance}: {program} proves {wrong[0]}, and the best is {best}")
            row = f"| {instance} | {best:.10g} |"
            for program, rows in runs.items():
                values = [r["value"] for r in rows]
                gap = mean_gap(sense, best, values) if rows else None
                proven = sum(r["proven"] for r in rows)
                mark = " P" if rows and proven == len(rows) else f" P {proven}/{len(rows)}" if proven else ""
                means[instance, program] = statistics.mean(values) if rows and None not in values else None
                if rows:
                    gaps[program].setdefault(kind, []).append(gap)
                    shown = f"{means[instance, program]:.7g}" if means[instance, program] is not None else "none"
                    row += f" {shown}{mark} | {text(gap)} |"
                else:
                    row += " | |"
            print(row)
            own = means[instance, "auto"]
            for program in programs:
                other = means[instance, program]
                if program == "auto" or own is None or not runs[program]:
                    continue
                ahead = 1 if other is None else (sense * (own - other) > 1e-9) - (sense * (own - other) < -1e-9)
                lost.setdefault(program, {1: [], 0: [], -1: []})[ahead].append(instance)
    print("\n| mean gap % |" + "".join(f" {names[program]} |" for program in programs))
    print("|---|" + "---:|" * len(programs))
    for kind in didp_classes.CLASSES:
        if any(gaps[program].get(kind) for program in programs):
            print(f"| {kind} |" + "".join(f" {by_class(gaps[program].get(kind, []))} |" for program in programs))
    every = {program: [gap for rows in gaps[program].values() for gap in rows] for program in programs}
    print("| all |" + "".join(f" {by_class(every[program])} |" for program in programs))
    firsts = {p: [r["first"] for r in records if r["program"] == p and r.get("first") is not None] for p in programs}
    print("| seconds to the first solution, median |" + "".join(f" {statistics.median(firsts[p]):.3f} |" for p in programs))
    print("| and the longest |" + "".join(f" {max(firsts[p]):.3f} |" for p in programs))
    proofs = {program: [r["proven"] for r in records if r["program"] == program] for program in programs}
    print("| runs with a proof |" + "".join(f" {sum(proofs[p])} of {len(proofs[p])} |" for p in programs))
    print("| seeds |" + "".join(f" {seeds(records, program)} |" for program in programs))
    print("\n| `auto` against | ahead | level | behind | behind on |\n|---|---:|---:|---:|---|")
    for program, counts in lost.items():
        behind = ", ".join(counts[-1])
        print(f"| {names[program]} | {len(counts[1])} | {len(counts[0])} | {len(counts[-1])} | {behind} |")


def seeds(records, program):
    """How many instances were run with each number of seeds."""
    counts = {}
    for instance in {r["instance"] for r in records if r["program"] == program}:
        number = sum((r["instance"], r["program"]) == (instance, program) for r in records)
        counts[number] = counts.get(number, 0) + 1
    return ", ".join(f"{number} on {count}" for number, count in sorted(counts.items(), reverse=True))


def by_class(gaps):
    found = [gap for gap in gaps if gap is not None]
    if not found:
        return "none" if gaps else ""
    missing = f" ({len(gaps) - len(found)} without a solution)" if len(found) < len(gaps) else ""
    return f"{statistics.mean(found):.2f}{missing}"
