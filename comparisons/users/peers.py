#!/usr/bin/env python3
"""Solves problems of users by CP-SAT of OR-Tools with one worker, and appends the results to peers.csv.

    target/peers/bin/python comparisons/users/peers.py --seconds 5 [--problems roster,qubo]

The models are the short ones that its guides show. `comparisons/general.py install` installs OR-Tools into target/peers.
"""
import argparse
import ast
import csv
import itertools
import os
import subprocess
import sys
import time

import run
from ortools.sat.python import cp_model


def roster(model, data):
    wish, disliked, work = data
    nurses, days, cover = 16, 28, {1: 4, 2: 3, 3: 3}
    cell = {(n, d, s): model.new_bool_var("") for n in range(nurses) for d in range(days) for s in range(4)}
    cost = []

    def penalty(price, size, *terms):
        """Pays for what the sum of the terms is above 0."""
        excess = model.new_int_var(0, size, "")
        model.add(excess >= sum(terms))
        cost.append(price * excess)

    for n in range(nurses):
        is_off = [cell[n, d, 0] for d in range(days)]
        for d in range(days):
            model.add_exactly_one(cell[n, d, s] for s in range(4))
            cost += [wish[n * days + d] * (1 - is_off[d]), cell[n, d, disliked[n]]]
            if d and d + 1 < days:
                penalty(1, 1, is_off[d], -is_off[d - 1], -is_off[d + 1])
            if d:
                penalty(100, 1, cell[n, d - 1, 3], cell[n, d, 1], cell[n, d, 2], -1)
            if d >= 6:
                penalty(100, 1, 1, *(-is_off[e] for e in range(d - 6, d + 1)))
        away = model.new_int_var(0, days, "")
        model.add_abs_equality(away, days - sum(is_off) - work[n])
        cost.append(5 * away)
    for d, (s, count) in itertools.product(range(days), cover.items()):
        penalty(30, count, count, *(-cell[n, d, s] for n in range(nurses)))
    model.minimize(sum(cost))


def colouring(model, neighbors):
    most = 24
    color = {(v, c): model.new_bool_var("") for v in range(len(neighbors)) for c in range(most)}
    used = [model.new_bool_var("") for _ in range(most)]
    for v, around in enumerate(neighbors):
        model.add_exactly_one(color[v, c] for c in range(most))
        for other, c in itertools.product(around, range(most)):
            if v < other:
                model.add_bool_or(~color[v, c], ~color[other, c])
        for c in range(most):
            model.add_implication(color[v, c], used[c])
    for c in range(1, most):
        model.add_implication(used[c], used[c - 1])
    model.minimize(sum(used))


def qubo(model, weights):
    bits = [model.new_bool_var("") for _ in weights]
    terms = [weights[a][a] * bit for a, bit in enumerate(bits)]
    for a, b in itertools.combinations(range(len(bits)), 2):
        both = model.new_bool_var("")
        model.add_implication(both, bits[a])
        model.add_implication(both, bits[b])
        model.add_bool_or(both, ~bits[a], ~bits[b])
        terms.append(weights[a][b] * both)
    model.maximize(sum(terms))


def cover(model, sets):
    """The fewest sets of bits that cover all bits."""
    chosen = [model.new_bool_var("") for _ in sets]
    for bit in range(max(sets).bit_length()):
        model.add_bool_or(take for take, bits in zip(chosen, sets) if bits >> bit & 1)
    model.minimize(sum(chosen))


def golomb(model, _):
    marks = [0] + [model.new_int_var(1, 127, "") for _ in range(10)]
    for a, b in itertools.pairwise(marks):
        model.add(a < b)
    model.add_all_different(b - a for a, b in itertools.combinations(marks, 2))
    model.minimize(marks[-1])


MODELS = {"colouring": colouring, "covering": cover, "dominating": cover, "golomb": golomb, "qubo": qubo, "roster": roster}


def solve(problem, data, seconds):
    begin = time.process_time()
    model = cp_model.CpModel()
    MODELS[problem](model, data)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # Making the model counts.
    solver.parameters.max_time_in_seconds = max(0.01, seconds - (time.process_time() - begin))
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    score = solver.objective_value if found else ""
    return {"score": score, "cpu": time.process_time() - begin, "stop": solver.status_name(status).lower()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default=",".join(MODELS))
    parser.add_argument("--seconds", default="5")
    arguments = parser.parse_args()
    env = run.environment()
    if env.get("LD_PRELOAD") != os.environ.get("LD_PRELOAD"):
        # The same program again, with the clock of processor time.
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    path = run.HERE / "peers.csv"
    done = {(row["problem"], row["seconds"]) for row in run.read(path)}
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, run.FIELDS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for seconds, problem in itertools.product(arguments.seconds.split(","), arguments.problems.split(",")):
            if (problem, seconds) not in done:
                text = subprocess.run([run.BIN, "data", problem], check=True, capture_output=True, text=True).stdout.strip()
                row = {"problem": problem, "variant": "full", "method": "cp-sat", "seconds": seconds, "seed": 1}
                writer.writerow(row | solve(problem, ast.literal_eval(text or "None"), float(seconds)))
                file.flush()


if __name__ == "__main__":
    main()
