#!/usr/bin/env python3
"""Compiled against interpreted Python classes: random small problems, exact methods, claims against a brute force.

    target/python/bin/python campaigns/compiled.py [--claims N] [--seed N] [--minutes M]

Needs the package with numba, as `python/check` installs it. A problem is solved by each exact method, as it is and as
`soloist.compiled` makes it: an optimum, an infeasible problem and a bound must be those of the enumeration of all games
by the functions of Python, which uses nothing of the engine; also of the games that begin with some moves. Then an
attribute or a global of the module is changed, and all is done again on the same object. Some problems fail in rare states, by an index, a division or a helper: an exhaustive run
must then end with the exception of Python. Exit code 1 if anything was wrong.
"""

import argparse
import importlib.util
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path

import soloist

EXACT = ["dfs", "bfs", "best-first", "iterative-broadening", "ida-star", "beam", "cabs", "auto"]
#: Methods that visit every state of a problem without bound and keys.
EXHAUSTIVE = ["dfs", "bfs", "beam"]

SACK = '''
class Case(soloist.Problem):
    def __init__(self, draw):
        self.items = [(draw.randrange(30), draw.randrange(1, 12)) for _ in range(draw.randrange(4, 9))]
        self.cap = draw.randrange(5, 40)
    def vary(self, draw):
        if draw.random() < 0.5: self.cap = draw.randrange(5, 40)
        else: self.items[draw.randrange(len(self.items))] = (draw.randrange(30), draw.randrange(1, 12))
    def root(self): return (0, 0, 0)
    def moves(self, state):
        if state[0] == len(self.items): return []
        return [0, 1] if state[1] + self.items[state[0]][1] <= self.cap else [0]
    def apply(self, state, take):
        if take: return (state[0] + 1, state[1] + self.items[state[0]][1], state[2] + self.items[state[0]][0])
        return (state[0] + 1, state[1], state[2])
    def score(self, state): return state[2]
'''
SACK_BOUND = '''
    def bound(self, state):
        total = float(state[2])
        for at in range(state[0], len(self.items)): total += self.items[at][0]
        return total
    def key(self, state): return (state[0] * 1000 + state[1]) * 10000 + state[2]
'''

WALK = '''
SALT = 3
def mix(value, move): return (value * 7 + move * SALT + 1) % 23
class Case(soloist.Problem):
    sense = {sense!r}
    def __init__(self, draw):
        self.table = [draw.randrange(-20, 20) for _ in range(23)]
        self.steps, self.width, self.bad = draw.randrange(3, 8), draw.randrange(2, 4), draw.randrange(2, 9)
    def vary(self, draw):
        global SALT
        kind = draw.randrange(3)
        if kind == 0: self.bad = draw.randrange(2, 9)
        elif kind == 1: self.table[draw.randrange(23)] += draw.randrange(-30, 30)
        else: SALT = draw.randrange(1, 9)
    def root(self): return (0, 1)
    def moves(self, state):
        if state[0] == self.steps: return []
        return [move for move in range(self.width) if (state[1] + move) % 5 != 0]
    def apply(self, state, move): return (state[0] + 1, mix(state[1], move))
    def score(self, state):
        if state[1] % self.bad == 0: return soloist.Infeasible(1.0 + state[1])
        return self.table[state[1]]
'''
WALK_KEY = '''
    def key(self, state): return state[0] * 100 + state[1]
'''

TOUR = '''
class Case(soloist.Problem):
    sense = "minimize"
    def __init__(self, draw):
        self.count = draw.randrange(3, 7)
        self.ways = numpy.array([[draw.random() * 10 for _ in range(8)] for _ in range(8)])
        self.limit = 10.0 * draw.random() + 15.0
    def vary(self, draw):
        if draw.random() < 0.5: self.ways[draw.randrange(8), draw.randrange(8)] = draw.random() * 10
        else: self.limit = 10.0 * draw.random() + 15.0
    def root(self): return ((0, 1), 0.0)
    def moves(self, state): return [city for city in range(self.count) if not (state[0][1] >> city) & 1]
    def apply(self, state, city): return ((city, state[0][1] | (1 << city)), state[1] + self.ways[state[0][0], city])
    def score(self, state):
        if state[1] > self.limit: return soloist.Infeasible(state[1] - self.limit)
        return state[1]
'''
TOUR_BOUND = '''
    def bound(self, state): return state[1]
'''

FAULT = '''
def deep(table, at): return table[at]
class Case(soloist.Problem):
    def __init__(self, draw):
        self.table = [draw.randrange(9) for _ in range(draw.randrange(9, 20))]
        self.steps, self.root_value, self.kind = draw.randrange(4, 8), draw.randrange(9), draw.randrange(4)
    def vary(self, draw): self.kind = draw.randrange(4)
    def root(self): return (0, self.root_value)
    def moves(self, state): return [0, 1, 2] if state[0] < self.steps else []
    def apply(self, state, move): return (state[0] + 1, (state[1] * 5 + move * 3) % 21)
    def score(self, state):
        if self.kind == 0: return self.table[state[1]]
        if self.kind == 1: return 60.0 / (state[1] - 20)
        if self.kind == 2: return deep(self.table, state[1])
        if state[1] == 20: return soloist.Infeasible(0)
        return state[1]
'''

HEAD = "import numpy\nimport soloist\n"


def made(draw, folder, number):
    """Returns the source of a problem, and whether it may fail."""
    kind = draw.randrange(7)
    if kind < 2:
        text = SACK + (SACK_BOUND if draw.random() < 0.5 else "")
    elif kind < 4:
        text = WALK.format(sense=draw.choice(["maximize", "minimize"])) + (WALK_KEY if draw.random() < 0.5 else "")
    elif kind < 5:
        text = TOUR + (TOUR_BOUND if draw.random() < 0.5 else "")
    else:
        text = FAULT
    path = Path(folder) / f"case_{number}.py"
    path.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.Case, kind >= 5


def ends(problem, state):
    """Scores of all games by the functions of Python."""
    moves = list(problem.moves(state))
    if not moves:
        yield problem.score(state)
    for move in moves:
        yield from ends(problem, problem.apply(state, move))


def begun(problem, draw):
    """Returns some random moves from the root."""
    state, moves = problem.root(), []
    for _ in range(draw.randrange(1, 3)):
        legal = list(problem.moves(state))
        if not legal:
            break
        moves.append(draw.choice(legal))
        state = problem.apply(state, moves[-1])
    return moves


def enumerated(problem, prefix):
    """Returns the optimum, None where nothing is feasible, or the exception of a state."""
    try:
        state = problem.root()
        for move in prefix:
            state = problem.apply(state, move)
        scores = [float(score) for score in ends(problem, state) if not isinstance(score, soloist.Infeasible)]
    except Exception as error:
        return error
    best = min if problem.sense == "minimize" else max
    return best(scores) if scores else None


class Campaign:
    def __init__(self):
        self.claims, self.proofs, self.faults, self.wrong = 0, 0, 0, 0

    def fail(self, problem, method, what):
        self.wrong += 1
        print(f"WRONG {type(problem).__name__} {vars(problem)} {method}: {what}", file=sys.stderr)

    def one(self, problem, method, right, seed, prefix):
        self.claims += 1
        fails = isinstance(right, Exception)
        try:
            found = soloist.solve(problem, method=method, time=20, seed=seed, prefix=prefix or None)
        except Exception as error:
            self.faults += 1
            if not fails or type(error) is not type(right):
                self.fail(problem, method, f"{type(error).__name__}: {error}, expected {right!r}")
            return
        if fails:
            if found.optimal or found.infeasible or method in EXHAUSTIVE:
                self.fail(problem, method, f"{found} where a state raises {right!r}")
            return
        self.proofs += found.optimal or found.infeasible
        near = right is not None and found.score is not None and abs(found.score - right) <= 1e-9 * max(1.0, abs(right))
        if found.optimal and not near or found.infeasible and right is not None:
            self.fail(problem, method, f"{found}, enumerated {right}")
        if found.bound is not None and right is not None:
            beyond = found.bound - right if problem.sense == "minimize" else right - found.bound
            if beyond > 1e-9 * max(1.0, abs(right)):
                self.fail(problem, method, f"bound {found.bound}, enumerated {right}")
        if method in EXHAUSTIVE and not (found.optimal or found.infeasible):
            self.fail(problem, method, f"no proof of a small problem: {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--claims", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    draw, campaign, end, number = random.Random(arguments.seed), Campaign(), time.monotonic() + 60 * arguments.minutes, 0
    with tempfile.TemporaryDirectory() as folder:
        while campaign.claims < arguments.claims and time.monotonic() < end:
            number += 1
            if number % 10 == 0:
                print(f"{number} problems, {campaign.claims} runs, {campaign.wrong} wrong", file=sys.stderr, flush=True)
            case, _ = made(draw, folder, number)
            fast = soloist.compiled(type("Fast", (case,), {"__module__": case.__module__}))
            seed = draw.randrange(1 << 30)
            pair = [case(random.Random(seed)), fast(random.Random(seed))]
            for turn in range(3):
                if turn:
                    # The same draws: both objects change alike. A global is that of the module of both.
                    seed = draw.randrange(1 << 30)
                    for problem in pair:
                        problem.vary(random.Random(seed))
                for prefix in ([], begun(pair[0], draw), begun(pair[0], draw)):
                    right = enumerated(pair[0], prefix)
                    for method in EXACT:
                        for problem in pair:
                            campaign.one(problem, method, right, seed % 1000, prefix)
    print(
        f"{number} problems, {campaign.claims} runs, {campaign.proofs} proofs, {campaign.faults} ended by an exception, "
        f"{campaign.wrong} wrong"
    )
    return 1 if campaign.wrong or campaign.claims < arguments.claims else 0


if __name__ == "__main__":
    sys.exit(main())
