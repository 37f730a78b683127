#!/usr/bin/env python3
"""`auto` beside CABS, LNBS, CABS of the crate rpid and CP-SAT on twelve problem classes: runs the programs, verifies solutions, prints didp.md's tables.

    python3 comparisons/general.py install                  didppy and OR-Tools from PyPI into target/peers
    python3 comparisons/didp.py run --seconds 5             all that is not in the log yet
    python3 comparisons/didp.py run --only pickup --programs auto,cabs
    python3 comparisons/didp.py check                       tiny instances: optima of rpid and of didppy's CABS
    python3 comparisons/didp.py table                       Markdown of all that was run

Needs `cargo build --release -p soloist --examples`; the script builds comparisons/rpid. Seconds are processor seconds of the search where a C compiler is
found, one thread, one process at a time. Every solution is valued again by didp_classes.py from the instance and the
moves; a run whose value differs from what its program says is an error. Runs are appended to target/didp.jsonl, and
those that are there are not repeated.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import didp_classes
import general

LOG = Path(os.environ.get("DIDP_LOG", general.ROOT / "target/didp.jsonl"))
#: The programs, and their seeds in the order of the runs. CABS draws nothing.
PROGRAMS = {"auto": (1, 2, 3), "four": (1, 2, 3), "cabs": (1,), "lnbs": (1, 2, 3), "cp-sat": (1, 2, 3)}
PROGRAMS |= {"cp-sat-turns": (1,), "rpid": (1,)}
NAMES = {"four": "`auto`, four functions", "auto": "`auto`", "cabs": "CABS", "lnbs": "LNBS", "cp-sat": "CP-SAT"}
NAMES |= {"cp-sat-turns": "CP-SAT, `interleave_search`", "rpid": "rpid"}


def ours(kind, file, seconds, seed, four, env):
    program = general.BIN / "examples" / didp_classes.EXAMPLE.get(kind, kind)
    command = [program, file, "auto", str(seconds), str(seed), *(["four"] if four else [])]
    done, used = general.run(command, seconds, env)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr.strip()}")
    head, *lines = done.stdout.splitlines()
    if head.startswith("no solution"):
        return {"value": None, "proven": False, "used": used}
    value, rest = head.split(" (", 1)
    moves = json.loads(rest.split(": ", 1)[1])
    first = next((float(line.split()[-2]) for line in lines if line.startswith("first ")), None)
    return {"value": float(value), "proven": rest.startswith("optimal"), "first": first, "moves": moves, "used": used, "remarks": lines}


def didp(name, kind, text, seconds, seed):
    import didp_cabs
    import didppy as dp

    model, decode = didp_cabs.model(dp, kind, text)
    # Costs are sums, or the largest of the steps.
    operator = dp.FOperator.Max if kind in didp_classes.LARGEST_STEP else dp.FOperator.Plus
    limits = {"f_operator": operator, "time_limit": seconds, "quiet": True}
    begin = time.process_time()
    search = dp.CABS(model, threads=1, **limits) if name == "cabs" else dp.LNBS(model, threads=1, seed=seed, **limits)
    first = best = None
    while True:
        solution, ended = search.search_next()
        if solution.transitions or solution.cost is not None:
            first = time.process_time() - begin if first is None else first
            best = solution
        if ended:
            break
    moves = decode([step.name for step in best.transitions]) if best else None
    # The values of layouts are without their constant, so that the verifier's value counts.
    claim = best.cost if best and kind != "layout" else None
    return {"value": claim, "proven": bool(solution.is_optimal), "first": first, "moves": moves}


def cp_sat(kind, text, seconds, seed, turns):
    import didp_cpsat
    from ortools.sat.python import cp_model

    model, decode = didp_cpsat.model(cp_model, kind, text)

    class First(cp_model.CpSolverSolutionCallback):
        seconds = None

        def on_solution_callback(self):
            if self.seconds is None:
                self.seconds = time.process_time() - begin

    solver, first = cp_model.CpSolver(), First()
    solver.parameters.num_workers = 1
    # The one worker takes turns at the searches that several would make.
    solver.parameters.interleave_search = turns
    solver.parameters.random_seed = seed
    solver.parameters.max_time_in_seconds = seconds
    begin = time.process_time()
    status = solver.solve(model, first)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"value": None, "proven": False, "first": None, "moves": None}
    # The objective of layouts is twice the cost; that of the others is the value, by the verifier.
    claim = round(solver.objective_value) if kind != "layout" else solver.objective_value / 2
    proven = status == cp_model.OPTIMAL
    return {"value": claim, "proven": proven, "first": first.seconds, "moves": decode(solver.value)}


def peer(name, kind, file, seconds, seed, env):
    python = general.VENV / "bin/python"
    if not python.exists():
        sys.exit(f"{name} is absent: `general.py install` installs it from PyPI")
    command = [python, __file__, "peer", name, kind, file, str(seconds), str(seed)]
    done, used = general.run(command, seconds, env)
    if done.returncode != 0:
        sys.exit(f"{name} on {file}: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout.splitlines()[-1]), used=used)


def rpid(kind, file, seconds, env):
    done, used = general.run([general.rpid(), kind, file, str(seconds)], seconds, env)
    if done.returncode != 0:
        sys.exit(f"rpid on {file}: {done.stderr.strip().splitlines()[-1:]}")
    return dict(json.loads(done.stdout), used=used)


def verified(name, instance, kind, text, result):
    """Puts the verifier's value in the place of the program's, which must be the same."""
    moves = result.pop("moves", None)
    if moves is None:
        return result
    try:
        value = didp_classes.value(kind, text, moves)
    except AssertionError as error:
        sys.exit(f"{name} on {instance}: no solution: {error}; {moves}")
    claim = result["value"]
    # Variables of CP-SAT may leave slack, so that the solution is better than the objective says.
    slack = didp_classes.sense(kind) * (value - claim) if claim is not None else 0
    if slack < -1e-6 or slack > 1e-6 and not name.startswith("cp-sat"):
        sys.exit(f"{name} on {instance}: says {claim}, is {value}; {moves}")
    return result | {"value": value}


def records():
    return [json.loads(line) for line in LOG.read_text().splitlines()] if LOG.exists() else []


def run(asked):
    env = general.environment()
    wanted = asked.programs.split(",") if asked.programs else list(PROGRAMS)
    kinds = asked.only.split(",") if asked.only else list(didp_classes.CLASSES)
    for given, known in ((wanted, PROGRAMS), (kinds, didp_classes.CLASSES)):
        for name in given:
            if name not in known:
                sys.exit(f"didp.py: {name} is none of {', '.join(known)}")
    found = didp_classes.write(general.ROOT / "target/didp")
    ready = {(r["instance"], r["program"], r["seed"], r["seconds"]) for r in records()}
    # One seed of everything first, then the others of what is compared.
    jobs = [(program, seed) for seed in (1, 2, 3) for program in wanted if seed in PROGRAMS[program]]
    for round_ in (1, 2, 3):
        for instance, (kind, file) in found.items():
            for program, seed in jobs:
                if seed != round_ or kind not in kinds or (instance, program, seed, asked.seconds) in ready:
                    continue
                if program in ("auto", "four"):
                    result = ours(kind, file, asked.seconds, seed, program == "four", env)
                elif program == "rpid":
                    result = rpid(kind, file, asked.seconds, env)
                else:
                    result = peer(program, kind, file, asked.seconds, seed, env)
                result = verified(program, instance, kind, file.read_text(), result)
                record = {"instance": instance, "program": program, "seed": seed, "seconds": asked.seconds, **result}
                with LOG.open("a") as log:
                    log.write(json.dumps(record) + "\n")
                shown = [record.get(name) for name in ("value", "proven", "first", "used")]
                print(instance, program, seed, *shown, flush=True)


#: Arguments of the generators for instances that both programs solve in a moment.
TINY = {
    "maxcut": (12, 0.5), "multiknapsack": (12, 3, 0.5), "tardiness": (8, 0.6, 0.6), "layout": (8,), "stacks": (9, 9, 4),
    "sweep": (9, 0.3), "balancing": (9, "bimodal", 0.3), "packing": (didp_classes.triplets, 12), "pickup": (4, 6),
    "orienteering": (9, "rc", 2400, 600), "clique": (14, 0.6), "talent": (9, 6),
}


def check():
    """Compares the optima that rpid and CABS of didppy prove on tiny instances, three of each class."""
    env, folder = general.environment(), general.ROOT / "target/didp-tiny"
    folder.mkdir(parents=True, exist_ok=True)
    for kind, arguments in TINY.items():
        for seed in (1, 2, 3):
            file = folder / f"{kind}-{seed}.txt"
            text = "\n".join(didp_classes.CLASSES[kind][0](random.Random(f"{kind}-tiny-{seed}"), *arguments)) + "\n"
            file.write_text(text)
            results = {"rpid": rpid(kind, file, 10, env), "cabs": peer("cabs", kind, file, 10, 1, env)}
            values = {name: verified(name, file.stem, kind, text, result) for name, result in results.items()}
            found = {name: (result["value"], result["proven"]) for name, result in values.items()}
            print(file.stem, found, flush=True)
            if found["rpid"] != found["cabs"] or not found["rpid"][1]:
                sys.exit(f"{file.stem}: rpid and CABS differ, or one proves nothing")


def main():
    if sys.argv[1:2] == ["peer"]:
        name, kind, file, seconds, seed = sys.argv[2:]
        text = Path(file).read_text()
        solve = (lambda *rest: cp_sat(*rest, name == "cp-sat-turns")) if name.startswith("cp-sat") else (lambda *rest: didp(name, *rest))
        print(json.dumps(solve(kind, text, float(seconds), int(seed))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("--seconds", type=float, default=5.0)
    runs.add_argument("--only", help="classes, separated by commas")
    runs.add_argument("--programs", help="of " + ", ".join(PROGRAMS))
    commands.add_parser("table")
    commands.add_parser("check")
    asked = parser.parse_args()
    if asked.command == "run":
        run(asked)
    elif asked.command == "check":
        check()
    else:
        import didp_table

        didp_table.table(records(), PROGRAMS, NAMES)


if __name__ == "__main__":
    main()
