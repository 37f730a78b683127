"""Problems written in Python."""

import enum
import pickle
import typing

import pytest

import soloist
from common import Bounded, Knapsack, Tour, timeless


@pytest.mark.parametrize("method", ["auto", "sampling", "uct", "sp-mcts", "nmcs", "nrpa", "beam-nrpa", "anneal"])
def test_methods_find_the_optimum(method):
    knapsack = soloist.solve(Knapsack(), method=method, playouts=3000, seed=1)
    assert knapsack.score == Knapsack().optimum()
    tour = soloist.solve(Tour(), method=method, playouts=3000, seed=1)
    assert tour.score == pytest.approx(Tour().optimum(), rel=1e-12)
    assert (tour.sense, tour.problem, tour.method, tour.instance) == ("minimize", "Tour", method, "")


@pytest.mark.parametrize("method", ["dfs", "bfs", "best-first", "cabs"])
def test_systematic_searches_prove_the_optimum(method):
    result = soloist.solve(Bounded(), method=method, time=60)
    assert (result.score, result.optimal, result.bound) == (Knapsack().optimum(), True, Knapsack().optimum())
    assert result.stop in ("exhausted", "bound") and result.gap == 0


def test_a_result_agrees_with_itself():
    problem = Knapsack()
    result = soloist.solve(problem, method="nrpa", playouts=500, seed=3, keep=4)
    state = problem.root()
    for move in result.moves:
        assert move in problem.moves(state)
        state = problem.apply(state, move)
    assert state == result.solution and problem.score(state) == result.score
    assert result.playouts == 500 and result.seconds > 0 and result.seed == 3 and result.threads == 1
    assert result.history[-1].score == result.score
    assert [event.score for event in result.history] == sorted(event.score for event in result.history)
    assert result.parameters["level"] >= 1 and result.rollout == "random"
    assert 1 <= len(result.others) <= 3 and all(other.score <= result.score for other in result.others)
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.to_dict()["moves"] == result.moves


def test_equal_seeds_give_equal_runs():
    run = lambda seed: soloist.solve(Tour(), method="nrpa", playouts=300, seed=seed, level=2)
    assert timeless(run(5).to_dict()) == timeless(run(5).to_dict())
    assert run(5).history != run(6).history


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


class Place(typing.NamedTuple):
    row: int
    name: str


KINDS = [True, False, "a", "b", b"x", None, 1.5, (1, ("n", 2.0)), 2**80, -(2**63), 2**62 + 1, Colour.RED, Place(1, "k")]


class Kinds(soloist.Problem):
    """Play every kind of move once; the score counts those played in the order of the list."""

    def root(self):
        return ()

    def moves(self, state):
        return [move for at, move in enumerate(KINDS) if at not in state]

    def apply(self, state, move):
        at = [at for at, kind in enumerate(KINDS) if type(kind) is type(move) and kind == move]
        assert len(at) == 1, move
        return state + (at[0],)

    def score(self, state):
        return sum(a < b for a, b in zip(state, state[1:]))


def test_moves_of_one_problem_leave_those_of_another_as_they_are():
    class Strange(int):
        pass

    class Others(soloist.Problem):
        def root(self):
            return ()

        def moves(self, state):
            return [Strange(1), Strange(2)] if len(state) < 3 else []

        def apply(self, state, move):
            assert type(move) is Strange
            return state + (move,)

        def score(self, state):
            return sum(state)

    setting = dict(method="sampling", playouts=30, seed=1)
    for _ in range(2):
        assert {type(move) for move in soloist.solve(Others(), **setting).moves} == {Strange}
        assert Colour.RED in [move for move in soloist.solve(Kinds(), **setting).moves if type(move) is Colour]


def test_moves_of_every_kind_come_back_as_they_were():
    result = soloist.solve(Kinds(), method="nrpa", playouts=2000, seed=1)
    assert len(result.moves) == len(KINDS)
    assert {(type(move), move) for move in result.moves} == {(type(move), move) for move in KINDS}
    soloist.check(Kinds())
    session = soloist.Session(Kinds(), method="uct", seed=2)
    session.advance(playouts=50)
    again = soloist.Session.restore(session.save(), Kinds())
    assert again.best == session.best
    assert all(type(a) is type(b) for a, b in zip(again.best.moves, session.best.moves))
    assert again.advance(playouts=50) == session.advance(playouts=50) and again.best == session.best


def test_optional_functions_are_used():
    asked = set()

    class Full(Bounded):
        def code(self, state, move):
            asked.add("code")
            return (state[0], move)

        def bias(self, state, move):
            asked.add("bias")
            return 0.5 * move

        def key(self, state):
            asked.add("key")
            return state

        def potential(self, state):
            asked.add("potential")
            return state[2]

        def candidates(self, state):
            asked.add("candidates")
            return self.moves(state)

        def playout(self, state, rng):
            asked.add("playout")
            moves = []
            while legal := self.moves(state):
                moves.append(rng.choice(legal))
                state = self.apply(state, moves[-1])
            return moves

        def identity(self, state, move):
            asked.add("identity")
            return 2 * state[0] + move

        def find(self, state, identity):
            asked.add("find")
            at, move = divmod(identity, 2)
            if at < state[0] or at >= len(self.ITEMS):
                return None
            return soloist.BLOCKED if at > state[0] else move if move in self.moves(state) else None

    problem = Full()
    advice = soloist.check(problem)
    assert set(advice.missing) == {"link", "suggest", "difference"} and advice.walks == 20
    assert advice.next is None or advice.next.name in advice.missing
    assert f"solutions are {advice.kind}" in str(advice)
    for method, playouts in (("gnrpa", 500), ("beam", 500), ("anneal", 2000)):
        assert soloist.solve(problem, method=method, playouts=playouts, time=20, seed=1).score == problem.optimum()
    for rollout in ("playout", "candidates", "random"):
        result = soloist.solve(problem, method="sampling", playouts=500, rollout=rollout, seed=1)
        assert (result.rollout, result.playouts) == (rollout, 500)
    assert soloist.solve(problem, method="sampling", playouts=5).rollout == "playout"
    names = {"code", "bias", "key", "potential", "candidates", "playout", "identity", "find"}
    assert asked == names


def test_infeasible_solutions():
    class Never(Knapsack):
        def score(self, state):
            return soloist.Infeasible(10 - state[2] % 10)

    result = soloist.solve(Never(), method="sampling", playouts=500, seed=1)
    assert (result.score, result.violation, result.to_dict()["feasible"]) == (None, 1.0, False)
    assert soloist.Infeasible(1) == soloist.Infeasible(1.0) and repr(soloist.Infeasible(2)) == "Infeasible(2.0)"
    for degree in (-1, 0, float("nan")):
        with pytest.raises(ValueError, match="degree: expected a number above 0, got .*; a solution that breaks nothing has"):
            soloist.Infeasible(degree)


def test_targets_and_improvements():
    seen = []
    best = Knapsack().optimum()
    result = soloist.solve(Knapsack(), method="sampling", target=best, seed=1, on_improve=seen.append)
    assert (result.stop, result.score, seen[-1].score, seen[-1].moves) == ("target", best, best, result.moves)
    assert [event.playouts for event in seen] == [event.playouts for event in result.history]


def test_starts():
    problem = Knapsack()
    best = soloist.solve(problem, method="sampling", playouts=2000, seed=1)
    for start in (best, best.moves, best.others or best.moves):
        result = soloist.solve(problem, method="sampling", playouts=1, seed=9, start=start)
        assert result.score == best.score
    # Lists stand for tuples, as JSON writes them.
    tour = soloist.solve(Tour(), method="nrpa", playouts=500)
    again = soloist.solve(Tour(), method="sampling", playouts=1, start=[list(city) for city in tour.moves])
    assert again.moves == tour.moves
    with pytest.raises(ValueError, match="move 1, 7, is not legal"):
        soloist.solve(problem, playouts=1, start=[0, 7])
    # A solution that is only begun is played to its end.
    begun = soloist.solve(problem, method="sampling", playouts=1, start=[0])
    assert len(begun.moves) == len(best.moves) and begun.score is not None
