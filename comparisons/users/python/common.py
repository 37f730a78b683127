"""What the problems in Python share: a clock, annealing for solutions by hand, and the command line.

    python3 NAME.py list                                   name, half, sense, variants
    python3 NAME.py run VARIANT METHOD SECONDS SEED        one line of JSON, as `users run` prints it
    python3 NAME.py check                                  both variants keep their promises, the solution by hand is legal
"""
import json
import math
import random
import sys
import time
from pathlib import Path

import soloist


class Clock:
    """A limited time."""

    def __init__(self, seconds):
        self.start, self.seconds = time.perf_counter(), seconds

    def part(self):
        return (time.perf_counter() - self.start) / self.seconds


def anneal(clock, draw, start, hot, cold, cost, edit):
    """Anneals a solution that `edit` returns a changed copy of; returns the best one met."""
    now = best = start
    value = least = cost(start)
    while (part := clock.part()) < 1:
        temperature = hot * (cold / hot) ** part
        other = edit(now, draw)
        change = cost(other) - value
        if change <= 0 or draw.random() < math.exp(-change / temperature):
            now, value = other, value + change
            if value < least:
                best, least = now, value
    return best


def play(problem, line):
    """The score of a game; an error if a move is not legal, or the game is not over after the last one."""
    state = problem.root()
    for at, move in enumerate(line):
        if move not in problem.moves(state):
            raise ValueError(f"move {at}, {move}, is not legal")
        state = problem.apply(state, move)
    if len(problem.moves(state)):
        raise ValueError(f"the game is not over after {len(line)} moves")
    return problem.score(state)


def method(text):
    """Reads a method as the entries of `auto` are written: a preset, and settings in parentheses if any."""
    name, _, settings = text.partition("(")
    return name, dict(setting.split("=", 1) for setting in settings.rstrip(")").split())


def run(four, full, hand, variant, text, seconds, seed):
    problem = {"four": four, "full": full}[variant]()
    row = {"variant": variant, "method": text, "seed": seed, "violation": None, "playouts": 0, "stop": "time", "remarks": []}
    if text == "hand":
        score = play(problem, hand(problem, Clock(seconds), random.Random(seed)))
        is_feasible = not isinstance(score, soloist.Infeasible)
        row |= {"score": float(score) if is_feasible else None, "violation": None if is_feasible else score.degree}
    else:
        name, settings = method(text)
        result = soloist.solve(problem, method=name, params=settings, time=seconds, seed=seed)
        row |= {"score": result.score, "violation": result.violation, "playouts": result.playouts}
        row |= {"stop": "optimal" if result.optimal else result.stop, "remarks": list(result.remarks)}
    return row | {"cpu": time.process_time()}


def main(four, full, hand, half):
    name = Path(sys.argv[0]).name
    match sys.argv[1:]:
        case ["list"]:
            print(f"{name:18} {half:7} {getattr(full, 'sense', 'maximize'):9} four full")
        case ["run", variant, text, seconds, seed]:
            print(json.dumps({"problem": name} | run(four, full, hand, variant, text, float(seconds), int(seed))))
        case ["check"]:
            soloist.check(four(), walks=5)
            soloist.check(full(), walks=5)
            print(name, "by hand:", play(full(), hand(full(), Clock(0.5), random.Random(1))))
        case _:
            sys.exit(__doc__)
