"""Runs that begin with decided moves, and solutions to start from that are not finished."""

import pytest

import soloist
from common import Bounded, Knapsack, Tour


@pytest.mark.parametrize("method", ["sampling", "nrpa", "dfs", "anneal", "auto"])
def test_solutions_begin_with_the_prefix(method):
    seen = []
    prefix = [0, 1, 1]
    result = soloist.solve(
        Bounded(), method=method, playouts=300, nodes=10_000, seed=1, prefix=prefix, keep=3, on_improve=seen.append
    )
    problem = Knapsack()
    optimum = max(
        problem.score(state)
        for state in finished(problem, problem.apply(problem.apply(problem.apply(problem.root(), 0), 1), 1))
    )
    assert result.score == optimum < Knapsack().optimum()
    for moves in [result.moves, *(one.moves for one in result.others), *(one.moves for one in seen)]:
        assert moves[:3] == prefix and len(moves) == len(Knapsack.ITEMS)
    # The score is that of the whole solution.
    state = problem.root()
    for move in result.moves:
        state = problem.apply(state, move)
    assert problem.score(state) == result.score


def finished(problem, state):
    moves = problem.moves(state)
    if not moves:
        return [state]
    return [end for move in moves for end in finished(problem, problem.apply(state, move))]


def test_a_proof_holds_behind_the_prefix():
    result = soloist.solve(Bounded(), method="dfs", prefix=[0])
    assert result.optimal and result.moves[0] == 0


def test_other_moves_and_minimizing():
    first = Tour.CITIES[3]
    result = soloist.solve(Tour(), method="dfs", prefix=[first])
    assert result.optimal and result.moves[0] == first
    tour = Tour()
    ends = finished(tour, tour.apply(tour.root(), first))
    assert result.score == pytest.approx(min(tour.score(end) for end in ends)) and len(ends) == 24


def test_starts_that_are_only_begun_and_starts_behind_a_prefix():
    full = soloist.solve(Knapsack(), method="nrpa", playouts=300, seed=1)
    again = soloist.solve(Knapsack(), method="sampling", playouts=1, start=full.moves[:4], seed=2)
    assert len(again.moves) == len(Knapsack.ITEMS)
    kept = soloist.solve(Knapsack(), method="sampling", playouts=1, start=full, prefix=full.moves[:2])
    assert kept.score == full.score and kept.moves == full.moves
    with pytest.raises(ValueError, match="start: it does not begin"):
        soloist.solve(Knapsack(), playouts=1, start=full, prefix=[1 - full.moves[0]])
    for better in soloist.improvements(Knapsack(), playouts=50, prefix=[0, 0], seed=1):
        assert better.moves[:2] == [0, 0]


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        (dict(prefix=[2]), ValueError, "prefix: move 0, 2, is not legal"),
        (dict(prefix=[0] * 99), ValueError, "prefix: move 8, 0, is not legal"),
        (dict(start=[0, 5]), ValueError, "start.*: move 1, 5, is not legal"),
        (dict(prefix=3), TypeError, "a list of moves"),
    ],
)
def test_wrong_prefixes(arguments, kind, message):
    with pytest.raises(kind, match=message):
        soloist.solve(Knapsack(), playouts=5, **arguments)


def test_shipped_problems_have_none():
    with pytest.raises(TypeError, match="prefix: of problems that are written in Python only"):
        soloist.solve("knapsack", "weak:20x1000:1", playouts=5, prefix=[1])
