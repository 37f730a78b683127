"""What used to be silent, or to name a wrong cause: names that nobody reads, proofs without a check, exceptions without moves."""

import itertools
import pickle
import random
import time
import warnings

import pytest

import soloist
from common import Knapsack


class Bits(soloist.Problem):
    """As many ones as possible in eight bits."""

    count = 8

    def root(self):
        return ()

    def moves(self, state):
        return [0, 1] if len(state) < self.count else []

    def apply(self, state, move):
        return state + (move,)

    def score(self, state):
        return sum(state)


def bare(**functions):
    return type("Bare", (Bits,), functions)()


# Names that nobody reads.


@pytest.mark.parametrize(
    "given",
    [{"minimize": True}, {"minimise": True}, {"maximize": False}, {"maximise": False}, {"direction": "minimize"}],
    ids=str,
)
def test_another_direction_is_refused(given):
    for call in (soloist.check, soloist.solve, lambda problem: soloist.Session(problem)):
        with pytest.raises(TypeError, match=f'Bare: nobody reads `{next(iter(given))} = .*write sense = "minimize"'):
            call(bare(**given))
    # In the object as well.
    problem = Bits()
    problem.__dict__.update(given)
    with pytest.raises(TypeError, match='write sense = "minimize"'):
        soloist.solve(problem, playouts=1)


def test_a_direction_that_is_said_may_be_said_twice():
    for given in ({"sense": "minimize", "minimize": True}, {"minimize": False}, {"maximize": True}, {"direction": "maximize"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert soloist.solve(bare(**given), method="dfs", time=10).score == (0 if "sense" in given else 8)


@pytest.mark.parametrize(
    "name, meant",
    [
        ("upper_bound", "bound"),
        ("lower_bound", "bound"),
        ("Bound", "bound"),
        ("bonud", "bound"),
        ("bounds", "bound"),
        ("potencial", "potential"),
        ("heuristic", "potential"),
        ("Key", "key"),
        ("canditates", "candidates"),
        ("diference", "difference"),
    ],
)
def test_functions_that_nobody_reads_are_named(name, meant):
    problem = bare(**{name: lambda self, *arguments: 20})
    line = f"Bare: nobody reads `{name}`: did you mean `{meant}`\\?"
    with pytest.warns(RuntimeWarning, match=line) as seen:
        assert any(name in remark for remark in soloist.check(problem, walks=5).remarks)
    # At the place of the user.
    assert all(one.filename == __file__ for one in seen)
    with pytest.warns(RuntimeWarning, match=line):
        soloist.solve(problem, playouts=10)


def test_helpers_are_nobody_elses_business():
    class Helpers(Bits):
        node = part = constraint = weight = state = step = lambda self, *arguments: 3
        bounds = [1, 2]

        def upper_bound(self, state):
            return 8

        def bound(self, state):
            return self.upper_bound(state)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert soloist.check(Helpers(), walks=5).remarks == []
        soloist.solve(Helpers(), playouts=5)


# Keywords and methods of elsewhere.


@pytest.mark.parametrize(
    "given, message",
    [
        ({"method": "mcts"}, "no method `mcts`, did you mean `uct`"),
        ({"method": "simulated_annealing"}, "no method `simulated_annealing`, did you mean `anneal`"),
        ({"method": "simulated annealing"}, "did you mean `anneal`"),
        ({"method": "genetic"}, "did you mean `anneal`"),
        ({"n_jobs": 4}, "soloist.distributed.solve runs a problem in Python on several cores"),
        ({"workers": 4}, "soloist.distributed.solve"),
        ({"verbose": True}, "the name is `progress`"),
        ({"maximize": False}, "the problem says it: sense"),
        ({"iterations": 10}, "no argument `iterations`: the name is `playouts`"),
        ({"method": "uct", "iterations": 10}, "no argument `iterations`: the name is `playouts`"),
        ({"problem": Bits()}, "problem: give it without a name"),
    ],
    ids=str,
)
def test_names_of_elsewhere(given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        soloist.solve(*(() if "problem" in given else (Bits(),)), playouts=5, **given)


def test_parameters_come_before_names_of_elsewhere():
    assert soloist.solve(Bits(), method="nrpa", iterations=10, playouts=20, seed=1).parameters["iterations"] == 10
    assert soloist.solve("knapsack", "weak:20x1000:1", method="nrpa", iterations=7, playouts=5).parameters["iterations"] == 7


# Games that are checked before a run, and proofs.


class WrongKey(Bits):
    def key(self, state):
        return len(state)


class WrongFuture(Bits):
    """What the last bit is counts, and is forgotten."""

    def score(self, state):
        return sum(a * b for a, b in zip(state, state[1:]))

    def future(self, state):
        return len(state), self.score(state)


class WrongBound(Bits):
    """The first solution of a systematic search scores just what the bound says."""

    sense = "minimize"

    def score(self, state):
        return 8 - sum(state)

    def bound(self, state):
        return 8


@pytest.mark.parametrize("kind", [WrongKey, WrongFuture, WrongBound])
@pytest.mark.parametrize("method", ["beam", "cabs", "dfs", "auto", "bfs"])
def test_wrong_promises_are_found_without_a_call_of_check(kind, method):
    with pytest.raises(soloist.BrokenPromise):
        soloist.solve(kind(), method=method, time=10, seed=1)


def test_a_proof_says_whether_the_problem_was_checked():
    problem = Bits()
    for before in (True, False):
        remarks = soloist.solve(problem, method="dfs", time=10).remarks
        assert any("soloist.check has not examined this problem" in remark for remark in remarks) == before
        soloist.check(problem)
    # Another object may be another problem.
    assert soloist.solve(Bits(), method="dfs", time=10).remarks
    # Without a proof there is nothing to say.
    assert not any("soloist.check" in one for one in soloist.solve(Knapsack(), method="sampling", playouts=5).remarks)


def test_checked_games_are_no_part_of_the_run():
    asked = []

    class Counted(Bits):
        def score(self, state):
            asked.append(state)
            return sum(state)

    result = soloist.solve(Counted(), method="sampling", playouts=50, seed=1)
    assert result.playouts == 50 and len(asked) > 50
    assert result.moves == soloist.solve(Bits(), method="sampling", playouts=50, seed=1).moves


# What is random, or counts.


def shuffled(self, state):
    moves = [0, 1, 2, 3]
    random.shuffle(moves)
    return moves if len(state) < 8 else []


class Counting(Bits):
    calls = 0

    def score(self, state):
        Counting.calls += 1
        return sum(state) + Counting.calls


@pytest.mark.parametrize(
    "problem, message",
    [
        (bare(moves=shuffled), "answers otherwise when it is asked again|the moves were"),
        (bare(apply=lambda self, state, move: state + (move + random.randint(0, 5),)), "random draws(,| and) counters|the score was"),
        (bare(score=lambda self, state: random.random()), "random draws(,| and) counters|the score was"),
        (Counting(), "random draws(,| and) counters|the score was"),
    ],
    ids=["moves", "apply", "score", "counter"],
)
@pytest.mark.parametrize("method", ["sampling", "uct", "dfs"])
def test_randomness_is_named_without_a_call_of_check(problem, message, method):
    with pytest.raises(soloist.BrokenPromise, match=message) as caught:
        soloist.solve(problem, method=method, time=10, seed=1)
    assert "rollout" not in str(caught.value) and "neighborhood" not in str(caught.value)


class Rare(Bits):
    """Nine of ten million random draws pass the checked games; the replay of the best solution does not."""

    calls = 0

    def score(self, state):
        Rare.calls += 1
        return sum(state) + (Rare.calls if Rare.calls > 20_000 else 0)


def test_a_replay_that_fails_names_no_rollout():
    Rare.calls = 0
    with pytest.raises(soloist.BrokenPromise, match="fails when it is played again.*(random draws, counters|score was)") as caught:
        soloist.solve(Rare(), method="sampling", playouts=30_000, seed=1)
    assert "rollout" not in str(caught.value) and "neighborhood" not in str(caught.value)


def test_one_fault_has_one_type():
    problem = bare(apply=lambda self, state, move: state)
    for call in (soloist.check, lambda one: soloist.solve(one, playouts=5)):
        with pytest.raises(soloist.BrokenPromise, match="apply returned the state that it was given"):
            call(problem)


# Exceptions say where.


@pytest.mark.parametrize("method", ["sampling", "nrpa", "uct", "anneal", "dfs"])
@pytest.mark.parametrize("name", ["moves", "apply", "score", "bound"])
def test_exceptions_say_after_which_moves(method, name):
    fatal = (1, 0, 1)

    class Failing(Bits):
        def bound(self, state):
            return 8.0

    original = getattr(Failing, name)

    def failing(self, state, *arguments):
        if state[:3] == fatal and (name != "score" or len(state) == 8):
            raise LookupError("at work")
        return original(self, state, *arguments)

    setattr(Failing, name, failing)
    with pytest.raises(LookupError) as caught:
        soloist.solve(Failing(), method=method, time=10, seed=1)
    [note] = caught.value.__notes__
    assert note.startswith(f"in `{name}`, after the moves [1, 0, 1")


def test_exceptions_in_rare_states_say_after_which_moves():
    class Failing(Bits):
        count = 14

        def score(self, state):
            return 1 / (14 - sum(state))

    for method in ("dfs", "uct", "nrpa", "beam"):
        with pytest.raises(ZeroDivisionError) as caught:
            soloist.solve(Failing(), method=method, time=20, seed=1)
        [note] = caught.value.__notes__
        assert note == f"in `score`, after the moves {[1] * 14}" or note == f"in `score`, for the state {(1,) * 14}"


def test_scores_that_are_no_numbers_are_explained():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError, match="it returned tuple: write .hard, 1000 . first . second."):
        soloist.solve(bare(score=lambda self, state: (0, 1, 2)), playouts=5)
    with pytest.raises(TypeError, match="score must return a number, soloist.Infeasible or a pair .hard, soft., it returned tuple"):
        soloist.solve(bare(score=lambda self, state: (1,)), playouts=5)
    with pytest.raises(TypeError, match="pair .hard, soft., it returned str"):
        soloist.solve(bare(score=lambda self, state: (1, "2")), playouts=5)
    with pytest.raises(ValueError, match="score returned a number of numpy with 8 bits, whose sums wrap: add up in int"):
        soloist.solve(bare(score=lambda self, state: numpy.int8(100)), playouts=5)
    for kind in (numpy.int64, numpy.int32, numpy.float32, numpy.bool_):
        assert soloist.solve(bare(score=lambda self, state: kind(sum(state))), method="dfs", time=10).score >= 1


# Moves.


def test_sets_are_no_moves():
    problem = bare(moves=lambda self, state: [frozenset([0, 8]), frozenset([1, 9])] if len(state) < 3 else [], score=lambda self, state: len(state))
    for call in (soloist.check, lambda one: soloist.solve(one, playouts=5)):
        with pytest.raises(TypeError, match="moves: expected .* got frozenset: use a sorted tuple of its items"):
            call(problem)
    # Codes and keys may be sets.
    soloist.check(bare(key=lambda self, state: (frozenset(enumerate(state)), len(state))), walks=5)


def test_lists_are_moves():
    problem = bare(moves=lambda self, state: [[0, 1], [1, 1]] if len(state) < 3 else [], score=lambda self, state: len(state))
    soloist.check(problem, walks=5)
    result = soloist.solve(problem, playouts=20, seed=1)
    assert soloist.solve(problem, playouts=1, start=result.to_json()).moves[0] in ([0, 1], [1, 1])


def test_moves_that_are_listed_twice_are_named():
    problem = bare(moves=lambda self, state: [0, 1, 1] if len(state) < 4 else [])
    with pytest.warns(RuntimeWarning, match="`moves` lists 1 twice after the moves"):
        assert len(soloist.check(problem).remarks) == 1


def test_orders_of_sets_are_named():
    class Names(soloist.Problem):
        def root(self):
            return frozenset(["alpha", "beta", "gamma", "delta"]), ()

        def moves(self, state):
            return list(state[0])

        def apply(self, state, move):
            return state[0] - {move}, (*state[1], move)

        def score(self, state):
            return len(state[1][0])

    with pytest.warns(RuntimeWarning, match="the order of a set of texts, which differs from process to process"):
        soloist.check(Names())


def test_ends_that_may_be_no_solutions_are_named():
    class DeadEnds(Bits):
        sense = "minimize"

        def moves(self, state):
            return [] if state and state[-1] == 1 else super().moves(state)

        def score(self, state):
            return len(state)

    with pytest.warns(RuntimeWarning, match="games end after 1 to . moves, and the best score, 1,.*is every end a solution"):
        soloist.check(DeadEnds())


def test_a_refused_checkpoint_says_what_may_have_changed():
    session = soloist.Session(Bits(), method="sampling", seed=1)
    session.advance(playouts=10)
    other = bare(score=lambda self, state: 2 * sum(state))
    with pytest.raises(soloist.CheckpointError, match="has the class or its data changed, .* the order of a set of str"):
        soloist.Session.restore(session.save(), other)
    # The last bit of a sum is no other problem.
    near = bare(score=lambda self, state: sum(state) * (1.0 + 2.3e-16))
    assert soloist.Session.restore(session.save(), near).advance(playouts=10) == "playouts"


# Time.


class Slow(Bits):
    def score(self, state):
        time.sleep(0.05)
        return sum(state)


class Many(Bits):
    def moves(self, state):
        return range(200_000) if len(state) < 3 else []


@pytest.mark.parametrize("kind", [Slow, Many])
def test_a_check_ends_in_time_and_says_so(kind):
    with pytest.warns(RuntimeWarning, match=f"{kind.__name__}: 0.3 s were not enough for all checks of 20 games"):
        advice = soloist.check(kind(), time=0.3)
    assert "0.3 s were not enough" in str(advice) and "bound" in advice.missing
    # That is no check.
    problem = kind()
    with pytest.warns(RuntimeWarning):
        soloist.check(problem, time=0.3)
    if kind is Slow:
        assert any("has not examined" in one for one in soloist.solve(problem, method="dfs", time=60, nodes=10**6).remarks)


def test_a_slow_game_is_not_taken_for_one_without_end():
    class Slowest(Bits):
        def apply(self, state, move):
            time.sleep(0.1)
            return state + (move,)

    with pytest.warns(RuntimeWarning) as seen:
        soloist.check(Slowest(), time=0.15)
    assert any("had not ended when the time was over" in str(one.message) for one in seen)


def test_lists_without_end_end_a_check():
    problem = bare(moves=lambda self, state: itertools.count() if len(state) == 4 else [0, 1])
    with pytest.raises(soloist.BrokenPromise, match="moves has listed 5000000 moves: does it end"):
        soloist.check(problem)


def test_notes_survive_the_way_to_another_process():
    error = ValueError("x")
    soloist._lint.noted(error, "in `score`")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["in `score`"]
