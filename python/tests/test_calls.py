"""Fewer calls: `step` in place of `apply` and `moves`, and `edit`, a neighbourhood of a class."""

import itertools

import pytest

import soloist
from common import Knapsack


class Stepped(Knapsack):
    """A knapsack that answers both questions at once."""

    def step(self, state, move):
        after = self.apply(state, move)
        return after, self.moves(after)


class Lazy(Stepped):
    def step(self, state, move):
        after, moves = super().step(state, move)
        return after, (move for move in moves)


@pytest.mark.parametrize("method", ["sampling", "nrpa", "uct", "anneal", "beam", "dfs", "auto"])
@pytest.mark.parametrize("kind", [Stepped, Lazy])
def test_steps_are_moves_and_apply(method, kind):
    one, two = (soloist.solve(made(), method=method, playouts=200, nodes=3000, seed=5) for made in (Knapsack, kind))
    assert (one.score, one.moves, one.playouts, one.nodes) == (two.score, two.moves, two.playouts, two.nodes)
    assert soloist.check(kind()).walks == 20


def test_steps_ask_less():
    asked = []

    class Counted(Stepped):
        def moves(self, state):
            asked.append(state)
            return super().moves(state)

        def step(self, state, move):
            after = self.apply(state, move)
            return after, Knapsack.moves(self, after)

    problem = Counted()
    soloist.solve(problem, method="sampling", playouts=300, seed=1)
    # The root of each game, and what the first checked games ask.
    assert sum(state != problem.root() for state in asked) < 300


def test_wrong_steps_are_found():
    class OtherState(Stepped):
        def step(self, state, move):
            after, moves = super().step(state, move)
            return (*after[:-1], after[-1] + 1), moves

    class OtherMoves(Stepped):
        def step(self, state, move):
            after, moves = super().step(state, move)
            return after, list(moves)[::-1]

    class NoPair(Stepped):
        def step(self, state, move):
            return self.apply(state, move)

    class SetOfMoves(Stepped):
        def step(self, state, move):
            after, moves = super().step(state, move)
            return after, frozenset(moves)

    class NoState(Stepped):
        def step(self, state, move):
            return None, []

    class SameState(Stepped):
        def step(self, state, move):
            return state, self.moves(state)

    class Endless(Stepped):
        def step(self, state, move):
            after, moves = super().step(state, move)
            return after, itertools.count()

    for problem, error, what in (
        (SetOfMoves(), TypeError, "step must return moves in a fixed order, such as a list, it returned frozenset"),
        (NoState(), TypeError, "step must return the next state, it returned None"),
        (SameState(), soloist.BrokenPromise, "step returned the state that it was given"),
    ):
        with pytest.raises(error, match=what):
            soloist.Session(problem, method="sampling").advance(playouts=5)
    with pytest.raises(TypeError, match="step must return moves in a fixed order"):
        soloist.check(SetOfMoves())
    with pytest.raises(soloist.BrokenPromise, match="step has listed 5000000 moves: does it end"):
        soloist.check(Endless())
    assert soloist.solve(Endless(), method="sampling", time=0.05).stop == "time"
    with pytest.raises(soloist.BrokenPromise, match="step returned another state than apply for the move"):
        soloist.check(OtherState())
    with pytest.raises(soloist.BrokenPromise, match="step returned the moves .*, and moves .*, after the move"):
        soloist.check(OtherMoves())
    with pytest.raises(TypeError, match="step must return a pair of the next state and its moves, it returned tuple"):
        soloist.solve(NoPair(), playouts=5)


class Line(soloist.Problem):
    """Put numbers into an order in which neighbours differ little; edits turn a part around."""

    sense = "minimize"

    def __init__(self, numbers=(7, 1, 9, 4, 3, 8, 2, 6, 5, 0), larger_is_better=False):
        self.numbers = numbers
        self.sign = 1
        if larger_is_better:
            self.sense, self.sign = "maximize", -1

    def root(self):
        return ()

    def moves(self, order):
        return [number for number in self.numbers if number not in order]

    def apply(self, order, number):
        return order + (number,)

    def score(self, order):
        return self.sign * sum(abs(a - b) for a, b in itertools.pairwise(order))

    def edit(self, moves, rng):
        a, b = sorted(rng.sample(range(len(moves) + 1), 2))
        if b - a < 2:
            return None
        around = lambda order: sum(abs(order[at - 1] - order[at]) for at in (a, b) if 0 < at < len(order))
        new = [*moves[:a], *moves[a:b][::-1], *moves[b:]]
        return self.sign * (around(new) - around(moves)), new


@pytest.mark.parametrize("larger", [False, True])
def test_own_edits_are_what_anneal_makes(larger):
    problem = Line(larger_is_better=larger)
    assert soloist.check(problem).walks == 20
    result = soloist.solve(problem, method="anneal", playouts=3000, seed=1)
    assert result.score == (-9 if larger else 9) and sorted(result.moves) == list(range(10))
    again = soloist.solve(problem, method="anneal", playouts=3000, seed=1)
    assert again.moves == result.moves


def test_runs_with_own_edits_continue():
    one = soloist.Session(Line(), method="anneal", seed=3)
    one.advance(playouts=40)
    two = soloist.Session.restore(one.save(), Line())
    one.advance(playouts=200), two.advance(playouts=200)
    assert one.best == two.best and one.playouts == two.playouts


def test_a_prefix_leaves_edits_out():
    result = soloist.solve(Line(), method="anneal", playouts=300, seed=1, prefix=[0, 9])
    assert result.moves[:2] == [0, 9] and result.score == 17


def test_wrong_edits_are_found():
    class WrongChange(Line):
        def edit(self, moves, rng):
            found = super().edit(moves, rng)
            return found and (found[0] - 1, found[1])

    class WrongMoves(Line):
        def edit(self, moves, rng):
            found = super().edit(moves, rng)
            return found and (found[0], found[1][:-1])

    class InPlace(Line):
        def edit(self, moves, rng):
            found = super().edit(moves, rng)
            moves.reverse()
            return found

    class Given(Line):
        def edit(self, moves, rng):
            return 0, moves

    with pytest.raises(soloist.BrokenPromise):
        soloist.check(WrongChange())
    with pytest.raises(soloist.BrokenPromise):
        soloist.check(WrongMoves())
    with pytest.raises(soloist.BrokenPromise, match="edit changed the moves that it was given"):
        soloist.check(InPlace())
    with pytest.raises(ValueError, match="edit returned the moves that it was given"):
        soloist.solve(Given(), method="anneal", playouts=100)
