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
    assert result.optimal and result.moves[0] == 0 and result.prefix == 1


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


@pytest.mark.parametrize("method", ["nrpa", "uct", "dfs", "auto"])
def test_sessions_begin_with_the_prefix_and_are_saved(method):
    prefix, seen = [0, 1, 1], []
    session = soloist.Session(Bounded(), method=method, seed=1, prefix=prefix, keep=3)
    session.advance(playouts=20, on_improve=seen.append)
    again = soloist.Session.restore(session.save(), Bounded(), prefix=prefix)
    for one in (session, again):
        one.advance(playouts=200)
        found = [one.best, one.result, *one.result.others]
        assert all(solution.moves[:3] == prefix and len(solution.moves) == 8 for solution in found + seen)
        assert Bounded().score(one.best.solution) == one.best.score == one.result.score
    assert again.best == session.best and again.playouts == session.playouts
    alone = soloist.solve(Bounded(), method=method, seed=1, prefix=prefix, playouts=session.playouts, nodes=10_000)
    assert alone.score == session.best.score
    with pytest.raises(soloist.CheckpointError, match="another"):
        soloist.Session.restore(session.save(), Bounded(), prefix=[1])
    with pytest.raises(soloist.CheckpointError, match="another"):
        soloist.Session.restore(session.save(), Bounded())


def test_sessions_take_solutions_behind_their_prefix():
    best = soloist.solve(Bounded(), method="dfs")
    prefix = best.moves[:2]
    session = soloist.Session(Bounded(), method="sampling", seed=3, prefix=prefix)
    assert session.offer(best) == best.score
    session.advance(playouts=1)
    assert session.best.moves == best.moves
    with pytest.raises(ValueError, match="start: it does not begin"):
        session.offer([1 - best.moves[0], *best.moves[1:]])
    with pytest.raises(ValueError, match="prefix: move 0, 2, is not legal"):
        soloist.Session(Bounded(), prefix=[2])


def test_sessions_finish_a_start_that_is_only_begun():
    full = soloist.solve(Bounded(), method="dfs")
    for given in (full.moves[:4], full.moves[:1]):
        session = soloist.Session(Bounded(), method="sampling", seed=2, start=given, prefix=full.moves[:2])
        session.advance(playouts=1)
        assert session.best.moves[:2] == full.moves[:2] and len(session.best.moves) == 8
    session = soloist.Session(Bounded(), method="sampling", seed=2, start=full)
    session.advance(playouts=1)
    assert session.best.score == full.score


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


@pytest.mark.parametrize("spec", [("knapsack", "weak:20x1000:1"), ("samegame", "random:6x6x3:1"), ("stacking", "random:3x9:1")])
def test_shipped_problems_finish_a_start_that_is_only_begun(spec):
    full = soloist.solve(*spec, method="nrpa", level=2, playouts=500, seed=1)
    begun = {"moves": full.moves[: len(full.moves) // 2]}
    for run in (
        lambda: soloist.solve(*spec, method="sampling", playouts=1, seed=2, keep=2, start=begun),
        lambda: advanced(soloist.Session(*spec, method="sampling", seed=2, keep=2, start=begun)),
    ):
        result = run()
        kept = [result.moves, *(other.moves for other in result.others)]
        assert any(moves[: len(begun["moves"])] == begun["moves"] for moves in kept)
        assert run().moves == result.moves


def advanced(session):
    session.advance(playouts=1)
    return session.result


@pytest.mark.parametrize("spec", [("knapsack", "weak:20x1000:1"), ("samegame", "random:6x6x3:1"), ("stacking", "random:3x9:1")])
def test_solutions_of_shipped_problems_begin_with_the_prefix(spec):
    prefix = soloist.solve(*spec, method="sampling", playouts=1, seed=5).moves[:3]
    seen = []
    options = dict(method="nrpa", level=2, seed=1, prefix=prefix, keep=3)
    result = soloist.solve(*spec, playouts=300, on_improve=seen.append, **options)
    assert result.prefix == 3
    assert seen and all(one.moves[:3] == prefix for one in [result, *result.others])
    session = soloist.Session(*spec, **options)
    session.advance(playouts=100)
    again = soloist.Session.restore(session.save(), *spec)
    again.advance(playouts=200)
    assert again.best.moves == result.moves
    # By default `auto` takes the place of a method that makes whole solutions.
    default = soloist.solve(*spec, playouts=100, nodes=2000, prefix=prefix)
    assert default.moves[:3] == prefix
    kept = soloist.solve(*spec, method="sampling", playouts=1, start={"moves": prefix[:1]}, prefix=prefix)
    assert kept.moves[:3] == prefix


def test_a_proof_of_a_shipped_problem_holds_behind_the_prefix():
    whole = soloist.solve("knapsack", "weak:20x1000:1", method="dfs")
    taken = soloist.solve("knapsack", "weak:20x1000:1", method="sampling", playouts=1, seed=1).moves[:1]
    result = soloist.solve("knapsack", "weak:20x1000:1", method="dfs", prefix=taken)
    assert result.optimal and result.moves[:1] == taken and result.prefix == 1 and result.score <= whole.score


def test_wrong_prefixes_of_shipped_problems():
    with pytest.raises(ValueError, match="prefix: move 0, 99, is not legal"):
        soloist.solve("knapsack", "weak:20x1000:1", playouts=5, prefix=[99])
    with pytest.raises(ValueError, match="with a prefix another method is needed"):
        prefix = soloist.solve("stacking", "random:3x9:1", method="sampling", playouts=1).moves[:1]
        soloist.solve("stacking", "random:3x9:1", method="ranks", nodes=100, prefix=prefix)
