"""Playouts per processor second of a knapsack of 40 items as a Python class, and by numba if it is installed.

    python python/benches/knapsack.py [PLAYOUTS]
"""

import importlib.util

import random
import sys
import time

import soloist


class Knapsack(soloist.Problem):
    """Each item is taken (1) or left (0), one after the other."""

    def __init__(self, count, seed):
        rng = random.Random(seed)
        self.values = [rng.randrange(1, 1000) for _ in range(count)]
        self.weights = [rng.randrange(1, 1000) for _ in range(count)]
        self.capacity = sum(self.weights) // 2
        self.count = count

    def root(self):
        return (0, 0, 0)

    def moves(self, state):
        at, weight, _ = state
        if at == self.count:
            return ()
        return (0, 1) if weight + self.weights[at] <= self.capacity else (0,)

    def apply(self, state, take):
        at, weight, value = state
        if take:
            return (at + 1, weight + self.weights[at], value + self.values[at])
        return (at + 1, weight, value)

    def code(self, state, take):
        return 2 * state[0] + take

    def score(self, state):
        return state[2]


@soloist.compiled
class Compiled(Knapsack):
    """The same, as machine code."""


def alone(problem, playouts, seed):
    """The same random playouts without Soloist, for comparison."""
    rng = random.Random(seed)
    best = 0
    for _ in range(playouts):
        state = problem.root()
        while moves := problem.moves(state):
            state = problem.apply(state, moves[int(rng.random() * len(moves))])
        best = max(best, problem.score(state))
    return best


def main():
    playouts = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    problem = Knapsack(40, 1)
    kinds = [(problem, "")]
    if importlib.util.find_spec("numba"):
        machine = Compiled(40, 1)
        begin = time.process_time()
        soloist.solve(machine, playouts=1)
        print(f"compiled in {time.process_time() - begin:.1f} s")
        kinds.append((machine, ", compiled"))
    for method in ("sampling", "nrpa", "uct", "anneal"):
        for target, what in kinds:
            begin = time.process_time()
            result = soloist.solve(target, method=method, playouts=playouts, seed=1)
            spent = time.process_time() - begin
            print(f"{method + what:20} {playouts / spent:10,.0f} playouts/s, score {result.score:.0f}")
    begin = time.process_time()
    best = alone(problem, playouts, 1)
    spent = time.process_time() - begin
    print(f"{'a loop':20} {playouts / spent:10,.0f} playouts/s, score {best}")


if __name__ == "__main__":
    main()
