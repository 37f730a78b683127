"""Problems whose functions numba compiles."""

import math
import pickle
import random

import pytest

import soloist
from common import timeless

pytest.importorskip("numba")


class Plain(soloist.Problem):
    """A knapsack with a bound and codes."""

    ITEMS = [(12, 4), (2, 2), (1, 1), (10, 4), (4, 2), (7, 3), (9, 5), (3, 1)]

    def __init__(self, capacity=10):
        self.capacity = capacity

    def root(self):
        return (0, 0, 0)

    def moves(self, state):
        at, weight, _ = state
        if at == len(self.ITEMS):
            return []
        return (0, 1) if weight + self.ITEMS[at][1] <= self.capacity else [0]

    def apply(self, state, take):
        at, weight, value = state
        if take:
            return (at + 1, weight + self.ITEMS[at][1], value + self.ITEMS[at][0])
        return (at + 1, weight, value)

    def code(self, state, take):
        return 2 * state[0] + take

    def bound(self, state):
        total = float(state[2])
        for item in range(state[0], len(self.ITEMS)):
            total += self.ITEMS[item][0]
        return total

    def key(self, state):
        return (state[0] * 1000 + state[1]) * 1000 + state[2]

    def score(self, state):
        return state[2]


@soloist.compiled
class Fast(Plain):
    """The same."""


@soloist.compiled
class Tour(soloist.Problem):
    """The shortest tour from 0 that ends at an odd city; floats, nested tuples and infeasible solutions."""

    sense = "minimize"

    def __init__(self, count, seed):
        draw = random.Random(seed)
        self.count = count
        self.place = [(draw.random(), draw.random()) for _ in range(count)]

    def root(self):
        return ((0, 1), 0.0)

    def moves(self, state):
        (at, seen), _ = state
        return [city for city in range(self.count) if not (seen >> city) & 1]

    def apply(self, state, city):
        (at, seen), length = state
        step = math.hypot(self.place[at][0] - self.place[city][0], self.place[at][1] - self.place[city][1])
        return ((city, seen | (1 << city)), length + step)

    def score(self, state):
        if state[0][0] % 2 == 0:
            return soloist.Infeasible(state[0][0] + 0.5)
        return state[1]


METHODS = ["sampling", "nrpa", "uct", "anneal", "beam", "dfs", "auto"]


@pytest.mark.parametrize("method", METHODS)
def test_compiled_runs_are_those_of_python(method):
    runs = [soloist.solve(problem, method=method, playouts=300, nodes=10_000, seed=3) for problem in (Plain(), Fast())]
    plain, fast = (timeless(run.to_dict()) for run in runs)
    assert {**fast, "problem": plain["problem"]} == plain
    assert (runs[1].moves, runs[1].solution) == (runs[0].moves, runs[0].solution)


def test_floats_and_infeasible_solutions():
    plain = type("Tour", (Tour,), {soloist._numba.MARK: False})
    runs = [soloist.solve(kind(8, 1), method="nrpa", playouts=400, seed=1) for kind in (plain, Tour)]
    assert runs[0].moves == runs[1].moves and runs[0].score == pytest.approx(runs[1].score, rel=1e-12)
    result = soloist.solve(Tour(3, 2), method="dfs")
    assert result.moves == [2, 1] and result.optimal
    # City 2 is the only one: the tour ends at an even city.
    lonely = Tour(3, 2)
    lonely.count = 1
    assert soloist.solve(lonely, method="sampling", playouts=5).violation == 0.5


def test_callbacks_starts_limits_and_checkpoints(tmp_path):
    problem, seen = Fast(), []
    result = soloist.solve(problem, playouts=500, seed=1, on_improve=lambda one: seen.append((one.score, one.moves)))
    assert seen[-1] == (result.score, result.moves)
    again = soloist.solve(problem, method="anneal", playouts=10, seed=1, start=result)
    assert again.score >= result.score
    with pytest.raises(ValueError, match="start: move 0, 7, is not legal"):
        soloist.solve(problem, playouts=10, start=[7])
    file = tmp_path / "run.ckpt"
    first = soloist.solve(problem, method="nrpa", playouts=200, seed=2, checkpoint=file)
    resumed = soloist.solve(problem, resume=file, playouts=400)
    assert resumed.score >= first.score and resumed.playouts == 400
    assert soloist.solve(problem, method="sampling", playouts=100, threads=2, seed=1).playouts == 100
    with pytest.raises(ZeroDivisionError):
        soloist.solve(problem, playouts=1000, on_improve=lambda one: 1 / 0)


def test_the_object_stays_usable():
    problem = pickle.loads(pickle.dumps(Fast()))
    soloist.check(problem)
    session = soloist.Session(problem, method="sampling", seed=1)
    session.advance(playouts=10)
    assert session.playouts == 10


class Halves(Fast):
    def apply(self, state, take):
        return (state[0] + 1, state[1], state[2] + take / 2)


class Named(Fast):
    def moves(self, state):
        return self.other(state)

    def other(self, state):
        return [0]


class Biased(Fast):
    def bias(self, state, move):
        return 1.0


class Lists(Fast):
    def root(self):
        return [0, 0, 0]


class Texts(Fast):
    ITEMS = ["a", "b"]


class Strings(Fast):
    def score(self, state):
        return str(state[2]) + "x"


@pytest.mark.parametrize(
    "kind, message",
    [
        (Halves, "`apply` returns Tuple.* each number keeps its type"),
        (Named, "`other` is a method"),
        (Biased, "`bias` cannot be compiled"),
        (Lists, "a compiled state is a number or a tuple of numbers, got list"),
        (Texts, "`ITEMS` is no list of numbers"),
        (type("Partial", (Fast,), {"complete": False}), "`complete` and `reference`"),
    ],
)
def test_what_cannot_be_compiled(kind, message):
    with pytest.raises(TypeError, match=f"{kind.__name__}: {message}"):
        soloist.solve(kind(), playouts=10)



class Different(Fast):
    def score(self, state):
        return state[2] * self.scale

    scale = 1


def test_functions_that_differ_are_found():
    problem = Different()
    assert soloist.solve(problem, playouts=50, seed=1).score > 0
    # The code holds the attributes as they were.
    problem.scale = 2
    with pytest.raises(soloist.BrokenPromise, match="those of Python"):
        soloist.solve(problem, playouts=50, seed=1)


def test_only_classes_are_marked():
    with pytest.raises(TypeError, match="expected a class"):
        soloist.compiled(Plain())


@soloist.compiled
class Forms(soloist.Problem):
    """Moves in all forms that a function returns."""

    def root(self):
        return (0, 3)

    def moves(self, state):
        at, width = state
        double = lambda number: 2 * number  # noqa: E731
        if at == 0:
            return [move for move in range(10) if move % 2 == 0 if move > 2]
        if at == 1:
            return [row * width + column for row in range(2) for column in range(width)]
        if at == 2:
            return [width, 1] if width > 5 else (7, double(width))
        if at == 3:
            found = [5]
            for move in range(2):
                found.append(move)
            return found
        if at == 4:
            width = 9
            return [at for at in range(at)]
        return [] if at > 5 else (4,)

    def apply(self, state, move):
        return (state[0] + 1, state[1] + move % 3)

    def score(self, state):
        return state[1]


def test_moves_of_all_forms_are_those_of_python():
    assert numba_compiled(Forms())._writer is not None
    for method in ("sampling", "dfs", "nrpa"):
        result = soloist.solve(Forms(), method=method, playouts=3000, nodes=20_000, seed=1)
        assert result.score == max(ends(Forms(), Forms().root()))


def test_moves_are_written_without_a_list():
    for problem in (Fast(), Tour(7, 1)):
        assert numba_compiled(problem)._writer is not None


def numba_compiled(problem):
    from soloist._numba import compiled_of

    return compiled_of(problem)


def ends(problem, state):
    moves = list(problem.moves(state))
    return [problem.score(state)] if not moves else [end for move in moves for end in ends(problem, problem.apply(state, move))]
