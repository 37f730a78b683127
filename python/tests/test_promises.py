"""False results are errors: states that share parts, playouts against the rules, games without end, rounded scores."""

import itertools
import os
import pickle
import signal
import threading
import time

import pytest

import soloist
from common import Bounded, Knapsack


class Bits(soloist.Problem):
    """As many ones as possible in eight bits."""

    def root(self):
        return ()

    def moves(self, state):
        return [0, 1] if len(state) < 8 else []

    def apply(self, state, move):
        return state + (move,)

    def score(self, state):
        return sum(state)


class SharedList(Bits):
    """A new tuple around the same list."""

    def root(self):
        return ([],)

    def moves(self, state):
        return [0, 1] if len(state[0]) < 8 else []

    def apply(self, state, move):
        state[0].append(move)
        return (state[0],)

    def score(self, state):
        return sum(state[0])


class SharedInside(SharedList):
    """A shallow copy of a dict with a list inside."""

    def root(self):
        return {"bits": []}

    def moves(self, state):
        return [0, 1] if len(state["bits"]) < 8 else []

    def apply(self, state, move):
        new = dict(state)
        new["bits"].append(move)
        return new

    def score(self, state):
        return sum(state["bits"])


class Board:
    """Without a comparison of its own."""

    def __init__(self, cells):
        self.cells = cells


class SharedObject(SharedList):
    def root(self):
        return Board([])

    def moves(self, state):
        return [0, 1] if len(state.cells) < 8 else []

    def apply(self, state, move):
        state.cells.append(move)
        return Board(state.cells)

    def score(self, state):
        return sum(state.cells)


class SharedAside(Bits):
    """The length is right, the values are shared: every line ends, with the score of all others."""

    def root(self):
        return (0, [])

    def moves(self, state):
        return [0, 1] if state[0] < 8 else []

    def apply(self, state, move):
        state[1].append(move)
        return (state[0] + 1, state[1])

    def score(self, state):
        return sum(state[1])


SHARED = [SharedList, SharedInside, SharedObject, SharedAside]


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("method", ["auto", "dfs", "cabs", "beam", "uct", "uct-best"])
def test_shared_states_give_no_result(kind, method):
    limit = dict(time=20) if method in ("dfs", "cabs", "beam") else dict(playouts=500)
    with pytest.raises(soloist.BrokenPromise, match="changes it .apply changes|lead elsewhere when they are played again|fails when"):
        soloist.solve(kind(), method=method, seed=1, **limit)


@pytest.mark.parametrize("kind", SHARED)
def test_sessions_hand_out_nothing_of_shared_states(kind):
    session = soloist.Session(kind(), method="uct", seed=1)
    with pytest.raises(soloist.BrokenPromise, match="played again") as caught:
        session.advance(playouts=100)
    assert isinstance(caught.value.moves, list)
    for what in (lambda: session.best, lambda: session.result, session.save, lambda: session.advance(playouts=1)):
        with pytest.raises(RuntimeError, match="an exception has ended this session"):
            what()
    # What callbacks are given was played again as well.
    seen, problem = [], kind()
    try:
        soloist.Session(kind(), method="uct", seed=1).advance(playouts=100, on_improve=seen.append)
    except soloist.BrokenPromise as error:
        assert isinstance(error.moves, list)
    for event in seen:
        state = problem.root()
        for move in event.moves:
            assert move in problem.moves(state)
            state = problem.apply(state, move)
        assert not problem.moves(state) and problem.score(state) == event.score


@pytest.mark.parametrize(
    "kind, place", [(SharedList, "list at state.0."), (SharedInside, "list at state.'bits'."), (SharedObject, "state.cells")]
)
def test_check_finds_shared_states(kind, place):
    with pytest.raises(soloist.BrokenPromise, match=f"apply changed its argument: return a new state .*{place}"):
        soloist.check(kind())


def test_check_accepts_states_that_cache():
    class Lazy:
        def __init__(self, bits):
            self.bits = bits

        @property
        def sum(self):
            if not hasattr(self, "known"):
                self.known = sum(self.bits)
            return self.known

    class Caching(Bits):
        def root(self):
            return Lazy([])

        def moves(self, state):
            return [0, 1] if len(state.bits) < 8 else []

        def apply(self, state, move):
            assert state.sum >= 0
            return Lazy(state.bits + [move])

        def score(self, state):
            return state.sum

        def bound(self, state):
            return state.sum + 8 - len(state.bits)

    soloist.check(Caching())
    assert soloist.solve(Caching(), method="dfs", time=20).score == 8


PLAYOUTS = {
    "illegal": (lambda self, state, rng: [7] * 8, "7,?( which)? is not legal|`playout` plays an illegal move"),
    "short": (lambda self, state, rng: [1] * (6 - len(state)), "not finished|before the end|stops early|`playout` stops where there are legal moves"),
    "long": (lambda self, state, rng: [1] * (9 - len(state)), "one too many|where the game is finished|the game has ended|`playout` plays an illegal move"),
}


@pytest.mark.parametrize("name", PLAYOUTS)
@pytest.mark.parametrize("method", ["sampling", "uct", "auto", "nmcs", "ms"])
def test_playouts_against_the_rules_end_the_run(name, method):
    playout, message = PLAYOUTS[name]
    problem = type("Cheat", (Bits,), {"playout": playout})()
    if method == "ms":
        session = soloist.Session(problem, method="sampling")
        with pytest.raises(soloist.BrokenPromise, match=message):
            session.advance(playouts=50)
    else:
        with pytest.raises(soloist.BrokenPromise, match=message):
            soloist.solve(problem, method=method, playouts=200, seed=1)
    with pytest.raises(soloist.BrokenPromise, match=message):
        soloist.check(problem)


def test_a_wrong_bound_on_the_way_is_seen():
    class Wrong(Bits):
        def bound(self, state):
            return 8 if len(state) < 3 else 1

    with pytest.raises(soloist.BrokenPromise, match="bound 1 is beaten by|nothing is better than 1,"):
        soloist.solve(Wrong(), method="sampling", playouts=50, seed=1)


class Endless(soloist.Problem):
    def root(self):
        return 0

    def moves(self, state):
        return [0, 1]

    def apply(self, state, move):
        return state + 1

    def score(self, state):
        return state


class Growing(Endless):
    """States are as long as the game, so that a million moves take hours."""

    def root(self):
        return ()

    def apply(self, state, move):
        return (*state, move)

    def score(self, state):
        return len(state)


@pytest.mark.parametrize("method", ["auto", "sampling", "nrpa", "nmcs", "uct", "anneal"])
def test_games_without_end_are_errors(method):
    with pytest.raises(soloist.BrokenPromise, match="a game of 2000 moves has not ended"):
        soloist.solve(Endless(), method=method, playouts=5, max_moves=2000)


def test_games_without_end_in_sessions_and_check():
    with pytest.raises(soloist.BrokenPromise, match="a game of 1000 moves has not ended"):
        soloist.Session(Endless(), method="sampling", max_moves=1000).advance(playouts=5)
    with pytest.raises(soloist.BrokenPromise, match="a game of 1000 moves has not ended: do moves ever end"):
        soloist.check(Endless(), max_moves=1e3)
    with pytest.raises(soloist.BrokenPromise, match=r"has not ended after 1 s and \d+ moves: do moves ever end"):
        soloist.check(Growing(), time=1)
    soloist.solve(Knapsack(), playouts=50, max_moves=8)
    for method in ("dfs", "beam", "ida-star"):
        with pytest.raises(soloist.BrokenPromise, match="a game of 2000 moves has not ended"):
            soloist.solve(Endless(), method=method, time=600, max_moves=2000)
    with pytest.raises(ValueError, match="max_moves: expected a whole number from 1"):
        soloist.solve(Knapsack(), max_moves=0)


class Slow(Endless):
    """A game that would take minutes."""

    def apply(self, state, move):
        time.sleep(0.005)
        return state + 1


class FirstFast(soloist.Problem):
    """Games that begin with 0 are short, the others would take minutes."""

    def root(self):
        return ()

    def moves(self, state):
        return [0, 1] if len(state) < 3 or 1 in state else []

    def apply(self, state, move):
        if 1 in state:
            time.sleep(0.005)
        return state + (move,)

    def score(self, state):
        return len(state)


@pytest.mark.parametrize("method", ["auto", "sampling", "nrpa", "nmcs", "uct", "anneal", "dfs", "beam"])
def test_time_binds_inside_a_game_without_end(method, tmp_path):
    # `auto` walks a few games before it begins.
    for problem in (Endless(), Slow())[: 1 if method == "auto" else 2]:
        result = soloist.solve(problem, method=method, time=0.05, max_moves=2**62)
        assert (result.stop, result.score, result.optimal) == ("time", None, False)
    # The checkpoint is the one before that game.
    result = soloist.solve(Endless(), method=method, time=0.05, max_moves=2**62, checkpoint=tmp_path / "run")
    assert "inside a step" in result.unsaved
    assert soloist.Session.restore(tmp_path / "run", Endless()).playouts == 0


def test_time_binds_where_a_function_lists_without_end():
    class Listing(Bits):
        def moves(self, state):
            return itertools.count() if len(state) == 4 else super().moves(state)

    assert soloist.solve(Listing(), method="sampling", time=0.05).stop == "time"


def test_time_binds_inside_a_game():
    result = soloist.solve(Slow(), method="sampling", time=0.1)
    assert (result.stop, result.score, result.optimal) == ("time", None, False)
    # What was known before stays.
    result = soloist.solve(FirstFast(), method="sampling", time=0.1, start=[0, 0, 0])
    assert (result.stop, result.score, result.moves, result.optimal) == ("time", 3, [0, 0, 0], False)


def test_one_ctrl_c_binds_inside_a_game():
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = soloist.solve(Slow(), method="sampling", time=600)
    assert (result.stop, result.score) == ("interrupted", None)


def test_numbers_that_a_float_cannot_hold():
    def bare(value):
        return type("Large", (Knapsack,), {"score": lambda self, state: value + state[2]})()

    assert soloist.solve(bare(2**53 - 100), method="sampling", playouts=100).score > 2**53 - 100
    assert soloist.solve(bare(2.0**60), method="sampling", playouts=10).score == 2.0**60
    with pytest.raises(ValueError, match="score returned an int above 2..53 that a float cannot hold"):
        soloist.solve(bare(2**60 + 1), method="dfs", time=20)
    with pytest.raises(ValueError, match="score returned an int that is too large for a float"):
        soloist.solve(bare(10**400), method="sampling", playouts=10)


def test_what_changes_when_asked_twice_is_said_in_plain_words():
    class Moody(Bits):
        count = 0

        def moves(self, state):
            Moody.count += 1
            return ([0, 1] if Moody.count % 2 else [1, 0]) if len(state) < 8 else []

    with pytest.raises(soloist.BrokenPromise, match="moves returned .0, 1. and then .1, 0. for the same state"):
        soloist.check(Moody())

    class Noisy(Bits):
        count = 0

        def score(self, state):
            Noisy.count += 1
            return Noisy.count

    with pytest.raises(soloist.BrokenPromise, match="score returned two different values"):
        soloist.check(Noisy())


def test_candidates_are_checked():
    for candidates, message in [
        (lambda self, state: [5], "candidates returned 5, which is not legal"),
        (lambda self, state: [], "candidates returned nothing where moves are legal"),
    ]:
        with pytest.raises(soloist.BrokenPromise, match=message):
            soloist.check(type("Wrong", (Bits,), {"candidates": candidates})())


def test_good_problems_stay_good():
    for problem in (Bits(), Knapsack(), Bounded()):
        soloist.check(problem, walks=5)
        assert soloist.solve(problem, method="dfs", time=20).optimal
    assert pickle.loads(pickle.dumps(soloist.BLOCKED)) is soloist.BLOCKED


def test_states_that_change_now_and_then_are_no_proof():
    class Sometimes(soloist.Problem):
        """Each fifth call of apply changes the state that it is given."""

        def __init__(self):
            self.calls = 0

        def root(self):
            return ([],)

        def moves(self, state):
            return [0, 1] if len(state[0]) < 4 else []

        def apply(self, state, move):
            self.calls += 1
            new = (state[0] + [move],)
            if self.calls % 5 == 0:
                state[0].append(move)
            return new

        def score(self, state):
            return -sum(state[0])

    for method in ("dfs", "uct", "beam"):
        try:
            result = soloist.solve(Sometimes(), method=method, playouts=500, nodes=2000, seed=1)
        except soloist.BrokenPromise:
            continue
        assert not result.optimal, method
