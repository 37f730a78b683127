"""Playouts per processor second by the kind of moves and states: 30 decisions between two moves, by `sampling`.

    python python/benches/kinds.py [PLAYOUTS]
"""

import importlib.util
import sys
import time

import soloist

STEPS = 30


def problem(make_move, root, depth, after):
    """A problem with this kind of moves and states; `depth` is the number of moves that have led to a state."""
    both = [make_move(0), make_move(1)]

    class Binary(soloist.Problem):
        def root(self):
            return root()

        def moves(self, state):
            return both if depth(state) < STEPS else []

        def apply(self, state, move):
            return after(state, move)

        def score(self, state):
            return depth(state)

    return Binary()


NUMBER = (lambda: 0, lambda state: state, lambda state, move: state + 1)
MOVES = {"int": int, "str": str, "float": float, "tuple": lambda number: (number, 0)}
STATES = {
    "an int": NUMBER,
    "a pair of ints": (lambda: (0, 0), lambda state: state[0], lambda state, move: (state[0] + 1, state[1])),
    "a tuple of all moves": (lambda: (), len, lambda state, move: (*state, move)),
    "a list of all moves": (lambda: [], len, lambda state, move: [*state, move]),
}


def main():
    playouts = int(float(sys.argv[1])) if len(sys.argv) > 1 else 20_000
    if importlib.util.find_spec("numpy"):
        import numpy

        def after(state, move):
            copy = state.copy()
            copy[-1] += 1
            return copy

        MOVES["numpy.int64"] = numpy.int64
        STATES["a numpy array"] = (lambda: numpy.zeros(STEPS, dtype=int), lambda state: int(state[-1]), after)
    rows = [(f"{name} moves, the state is an int", (make, *NUMBER)) for name, make in MOVES.items()]
    rows += [(f"int moves, the state is {name}", (int, *parts)) for name, parts in STATES.items()]
    for name, parts in rows:
        best = 0.0
        for _ in range(2):
            begin = time.process_time()
            soloist.solve(problem(*parts), method="sampling", playouts=playouts, seed=1, progress=False)
            best = max(best, playouts / (time.process_time() - begin))
        print(f"{name:48} {best:9,.0f} playouts/s")


if __name__ == "__main__":
    main()
