"""Scores that are pairs, and degrees of infeasibility that are raised."""

import itertools

import pytest

import soloist
from soloist.distributed._verify import verified


class Shifts(soloist.Problem):
    """Six days on or off: at least two on, never three in a row; as few as possible, late ones cost more."""

    sense = "minimize"

    def root(self):
        return ()

    def moves(self, days):
        return [0, 1] if len(days) < 6 else []

    def apply(self, days, on):
        return days + (on,)

    def hard(self, days):
        return max(0, 2 - sum(days)) + sum(all(days[at : at + 3]) for at in range(4))

    def soft(self, days):
        return sum(on * (7 - at) for at, on in enumerate(days))

    def score(self, days):
        return self.hard(days), self.soft(days)


class Returned(Shifts):
    def score(self, days):
        return soloist.Infeasible(self.hard(days)) if self.hard(days) else self.soft(days)


class Raised(Shifts):
    def score(self, days):
        if self.hard(days):
            raise soloist.Infeasible(self.hard(days))
        return self.soft(days)


class Never(Shifts):
    """Hard scores as other libraries have them: below 0."""

    def score(self, days):
        return -1 - self.hard(days), self.soft(days)


@pytest.mark.parametrize("method", ["sampling", "nrpa", "anneal", "uct", "beam", "dfs", "auto"])
def test_pairs_and_raised_degrees_are_what_returned_ones_are(method):
    runs = [soloist.solve(kind(), method=method, playouts=150, nodes=10_000, seed=3, keep=3) for kind in (Returned, Shifts, Raised)]
    one, *others = [(run.score, run.violation, run.moves, run.optimal, run.playouts) for run in runs]
    assert all(other == one for other in others)


def test_the_best_pair_is_that_of_all_solutions():
    all_days = [days for days in itertools.product([0, 1], repeat=6)]
    hard, soft = min((Shifts().hard(days), Shifts().soft(days)) for days in all_days)
    result = soloist.solve(Shifts(), method="dfs", time=20)
    assert (hard, soft) == (0, 5) and (result.score, result.violation, result.optimal) == (soft, None, True)
    never = soloist.solve(Never(), method="dfs", time=20)
    assert (never.score, never.violation, never.infeasible) == (None, 1.0, True)


def test_every_way_knows_them():
    for kind in (Shifts, Raised):
        assert 0 < soloist.check(kind()).infeasible < 20
        session = soloist.Session(kind(), method="sampling", seed=1)
        session.advance(playouts=100)
        assert session.best.score == 5
        assert verified(kind(), session.best).score == 5
        assert soloist.bench({"days": kind()}, ["sampling"], playouts=50, seeds=1, progress=False).runs[0]["score"] is not None
    error = soloist.Infeasible(2)
    assert str(error) == "infeasible by 2" and isinstance(error, Exception)


def test_what_else_is_raised_stays_an_error():
    class Wrong(Shifts):
        def apply(self, days, on):
            raise soloist.Infeasible(3)

    with pytest.raises(soloist.Infeasible) as caught:
        soloist.solve(Wrong(), playouts=5)
    assert caught.value.degree == 3


def test_draws_follow_from_what_is_known():
    dice = [soloist.draw(6, "dice", 1, step) for step in range(600)]
    assert dice == [soloist.draw(6, "dice", 1, step) for step in range(600)]
    assert all(70 < dice.count(face) < 130 for face in range(6))
    assert dice != [soloist.draw(6, "dice", 2, step) for step in range(600)]
    # The same in every process and release.
    assert dice[:8] == FIRST
    with pytest.raises(ValueError, match="draw: expected a count of 1 or more, got 0"):
        soloist.draw(0, 1)
    with pytest.raises(TypeError):
        soloist.draw(3, object())


FIRST = [2, 1, 1, 5, 4, 4, 3, 4]
