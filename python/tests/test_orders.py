"""Problems that decide about named things: links between them and suggested edits."""

import random

import pytest

import soloist
from common import Knapsack


class Route(soloist.Problem):
    """The shortest path through all places, from any one to any other."""

    sense = "minimize"

    def __init__(self, size=12, seed=1):
        draw = random.Random(seed)
        points = [(draw.randrange(1000), draw.randrange(1000)) for _ in range(size)]
        self.ways = [[abs(a - c) + abs(b - d) for c, d in points] for a, b in points]

    def root(self):
        return ()

    def moves(self, order):
        return [place for place in range(len(self.ways)) if place not in order]

    def apply(self, order, place):
        return order + (place,)

    def score(self, order):
        return sum(self.ways[a][b] for a, b in zip(order, order[1:]))

    def identity(self, order, place):
        return place

    def find(self, order, place):
        return place if place in self.moves(order) else None


class Linked(Route):
    def link(self, before, behind):
        return 0 if before is None or behind is None else self.ways[before][behind]


class Suggested(Route):
    def suggest(self, moves):
        """Takes the end of the longest way elsewhere."""
        if len(moves) < 3:
            return []
        worst = max(range(1, len(moves)), key=lambda at: self.ways[moves[at - 1]][moves[at]])
        return [(worst, at) for at in range(len(moves)) if at != worst]


def best(problem, **setting):
    return soloist.solve(problem, method="anneal", seed=2, **setting)


def test_links_and_suggestions_are_known():
    linked, suggested = soloist.check(Linked()), soloist.check(Suggested())
    assert "link" in linked.supplied and "suggest" in linked.missing
    assert "suggest" in suggested.supplied and "link" in suggested.missing
    assert "link" in soloist.check(Knapsack()).missing
    # Functions that classes in Python cannot have are not asked for.
    assert not {"neighborhood", "searches"} & set(linked.missing)


@pytest.mark.parametrize("kind", [Linked, Suggested])
def test_annealing_calls_them(kind):
    calls = []

    class Counted(kind):
        pass

    name = "link" if kind is Linked else "suggest"

    def counted(self, *arguments):
        calls.append(arguments)
        return getattr(kind, name)(self, *arguments)

    setattr(Counted, name, counted)
    result = best(Counted(), playouts=500)
    assert calls and sorted(result.moves) == list(range(12))
    assert result.score == Route().score(tuple(result.moves))
    if kind is Linked:
        assert (None, None) not in calls and any(before is None for before, _ in calls)
    else:
        assert all(sorted(moves) == list(range(12)) for (moves,) in calls)


def test_links_make_the_same_effort_worth_more():
    def games(problem):
        applied = 0
        apply = problem.apply

        def count(order, place):
            nonlocal applied
            applied += 1
            return apply(order, place)

        problem.apply = count
        found = best(problem, nodes=20_000)
        return found.score, applied

    (plain, _), (linked, _) = games(Route(30)), games(Linked(30))
    assert linked <= plain


def test_none_says_that_there_are_no_links():
    class Unlinked(Route):
        def link(self, before, behind):
            return None

    assert "link" in soloist.check(Unlinked()).missing
    assert best(Unlinked(), playouts=300).moves == best(Route(), playouts=300).moves


@pytest.mark.parametrize(
    "name, value, kind, message",
    [
        ("link", "far", TypeError, "link must return a number or None, it returned str"),
        ("link", float("nan"), ValueError, "link returned nan"),
        ("suggest", None, TypeError, "suggest must return a list of pairs of places"),
        ("suggest", [3], TypeError, "suggest must return a list of pairs of places"),
        ("suggest", [(0, 12)], ValueError, r"suggest returned \(0, 12\): the places of 12 moves are 0 to 11"),
        ("suggest", [(-1, 2)], ValueError, r"suggest returned \(-1, 2\)"),
    ],
)
def test_wrong_answers(name, value, kind, message):
    problem = type("Wrong", (Route,), {name: lambda self, *_: value})()
    with pytest.raises(kind, match=message):
        best(problem, playouts=500)
    with pytest.raises(kind, match=message):
        soloist.check(problem)


def test_wrong_links_and_edits_are_found():
    class Wrong(Linked):
        def link(self, before, behind):
            return 1 + super().link(before, behind) ** 2

    with pytest.raises(soloist.BrokenPromise, match="the links are .* and the score is"):
        soloist.check(Wrong())

    class Still(Route):
        def suggest(self, moves):
            return [(1, 1)]

    with pytest.raises(soloist.BrokenPromise, match="a suggested edit does not name two places"):
        soloist.check(Still())


def test_they_belong_to_identities():
    for name in ("link", "suggest"):
        problem = type("Alone", (Knapsack,), {name: lambda self, *_: None})()
        with pytest.raises(TypeError, match=f"Alone: `{name}` belongs to `identity` and `find`, which are missing"):
            soloist.solve(problem, playouts=5)


def test_exceptions_in_them_are_raised():
    class Raising(Linked):
        def link(self, before, behind):
            raise LookupError("no map")

    with pytest.raises(LookupError, match="no map"):
        best(Raising(), playouts=500)
