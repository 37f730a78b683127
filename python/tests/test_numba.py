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
    def __init__(self):
        super().__init__()
        self.other = max

    def moves(self, state):
        return [self.other(0, 0)]


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
        (Named, "`other` is callable and no function of the class"),
        (Biased, "`bias` cannot be compiled"),
        (Lists, "a compiled state is a number or a tuple of numbers, got list"),
        (Texts, "`ITEMS` is no list of numbers"),
        (type("Partial", (Fast,), {"complete": False}), "`complete` and `reference`"),
    ],
)
def test_what_cannot_be_compiled(kind, message):
    with pytest.raises(TypeError, match=f"{kind.__name__}: {message}"):
        soloist.solve(kind(), playouts=10)



class Bits(soloist.Problem):
    """Twelve bits; the second number counts those that are set."""

    def root(self):
        return (0, 0)

    def moves(self, state):
        return [0, 1] if state[0] < 12 else []

    def apply(self, state, move):
        return (state[0] + 1, state[1] + move)


@soloist.compiled
class Wide(Bits):
    """One of 2^12 scores needs more than 64 bits: the code wraps, Python does not."""

    sense = "minimize"

    def score(self, state):
        return ((state[1] // 12) << 62) * 4 + 20 - state[1]


def test_functions_that_differ_are_found():
    with pytest.raises(soloist.BrokenPromise, match="the compiled functions score 8.0, those of Python 1.84"):
        soloist.solve(Wide(), method="dfs", time=20)


LIMIT = 10


def allowed(count):
    return count < LIMIT


@soloist.compiled
class Ones(soloist.Problem):
    """As many ones as a limit allows."""

    step = 1

    def __init__(self, most):
        self.most, self.table, self.start = most, [0] * 30, 0

    def root(self):
        return (0, self.start)

    def moves(self, state):
        return [0, 1] if state[0] < 20 and state[1] < self.most and allowed(state[1]) else []

    def apply(self, state, move):
        return (state[0] + self.step, state[1] + move)

    def score(self, state):
        return state[1] + self.table[state[1]]


def proven(problem):
    result = soloist.solve(problem, method="dfs", time=20)
    return result.score, result.optimal


def test_what_was_compiled_in_is_compared_at_each_run(monkeypatch):
    problem = Ones(4)
    assert proven(problem) == (4, True)
    machine = numba_compiled(problem)
    assert numba_compiled(problem) is machine, "nothing has changed"
    problem.most = 8
    assert proven(problem) == (8, True)
    # In place: the list is the same one.
    problem.table[8] = 100
    assert proven(problem) == (108, True)
    # The state that `root` returns needs no new code.
    machine, problem.start = numba_compiled(problem), 5
    assert proven(problem) == (108, True) and numba_compiled(problem) is machine
    problem.start, problem.table[8] = 0, 0
    # Globals of functions that are called, the functions themselves, and attributes of the class.
    problem.most = 30
    assert proven(problem) == (10, True)
    monkeypatch.setitem(globals(), "LIMIT", 12)
    assert proven(problem) == (12, True)
    monkeypatch.setitem(globals(), "allowed", lambda count: count < 3)
    assert proven(problem) == (3, True)
    monkeypatch.undo()
    monkeypatch.setattr(Ones, "score", lambda self, state: 2 * state[1])
    assert proven(problem) == (20, True)
    monkeypatch.setattr(Ones, "step", 5)
    assert proven(problem) == (8, True)


def test_a_change_during_the_run_is_an_error():
    problem = Ones(9)

    def change(better):
        problem.most = 5

    with pytest.raises(soloist.BrokenPromise, match="Ones: attribute `most` has changed during the run"):
        soloist.solve(problem, method="sampling", playouts=5000, seed=1, on_improve=change)


class Count:
    """What nobody can compare: a change may be inside."""


def test_constants_are_compared_by_value():
    import numpy

    from soloist._constants import ById, change, constants_of

    def tokens(**values):
        return constants_of(None, {}, lambda: values)

    one = numpy.arange(6)
    assert change(tokens(a=1, b=[1.5, 2], c=one), tokens(a=1, b=[1.5, 2], c=one.copy())) is None
    for before, now in [(1, 2), (1, 1.0), (0.0, -0.0), ([1, 2], [2, 1]), ((1, 2), [1, 2]), (one, one.reshape(2, 3)), (one, one + 1)]:
        assert change(tokens(a=before), tokens(a=now)) == "attribute `a`"
    unknown = Count()
    assert change(tokens(a=unknown), tokens(a=unknown)) == "attribute `a`"
    known = ById()
    assert known.set(unknown, 3) and known.get(unknown) == 3 and known.get(Count()) is None
    assert not known.set(3, 4)


class Fragile(Bits):
    """One of 2^12 states is to fail."""

    table = [5.0, 1.0]

    def score(self, state):
        return self.table[0]


class FragileScore(Fragile):
    def score(self, state):
        return self.table[state[1] if state[1] == 12 else 0]


class FragileBound(Fragile):
    def bound(self, state):
        return 7.0 + self.table[state[1] if state[1] == 12 else 0]


class FragileMoves(Fragile):
    def moves(self, state):
        return [0, 1] if state[0] < 7 + self.table[state[1] if state[1] == 12 else 0] else []


class FragileApply(Fragile):
    def apply(self, state, move):
        return (state[0] + 1, state[1] + (move if 1.0 / (12 - state[1] - move) > 0 else 0))


FRAGILE = [(FragileScore, IndexError), (FragileBound, IndexError), (FragileMoves, IndexError), (FragileApply, ZeroDivisionError)]


@pytest.mark.parametrize("plain, kind", FRAGILE)
def test_exceptions_end_the_run_with_their_state(plain, kind):
    name = plain.__name__[7:].lower()
    fast = soloist.compiled(type("Fast", (plain,), {}))
    for problem in (plain(), fast()):
        with pytest.raises(kind) as caught:
            soloist.solve(problem, method="dfs", time=20)
        [note] = [note for note in caught.value.__notes__ if note.startswith(f"in `{name}`")]
        assert "(12, 12)" in note or "(11, 11)" in note or "after the moves [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1" in note


@soloist.compiled
class Satisfied(Ones):
    def score(self, state):
        return soloist.Infeasible(self.most - state[1])


def test_a_degree_of_zero_is_refused_in_compiled_code():
    with pytest.raises(ValueError, match="degree: expected a number above 0, got 0") as caught:
        soloist.solve(Satisfied(4), method="dfs", time=20)
    assert caught.value.__notes__


def test_comparisons_end_with_the_exception_of_compiled_code():
    fast = soloist.compiled(type("Fast", (FragileScore,), {}))
    with pytest.raises(IndexError):
        soloist.bench({"one": fast()}, ["dfs"], time=20, seeds=1, progress=False)


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


ROWS = [(1, 3), (2, 5), (4, 4), (3, 9), (5, 7), (1, 1), (6, 8), (2, 2)]
WEIGHTS = [2, 3, 1, 4, 2, 1, 3, 2]


class Shelf(soloist.Problem):
    """Takes rows up to a width: methods that call methods, lists in globals, futures, pairs, counted bits."""

    width = 12

    def root(self):
        return (0, (0, 0), 0)

    def fits(self, used, at):
        return used + self.of_row(at) <= self.width

    @staticmethod
    def of_row(at):
        wide, _ = ROWS[at]
        return wide

    def moves(self, state):
        at, (used, _), _ = state
        if at == len(ROWS):
            return []
        return [0, 1] if self.fits(used, at) else [0]

    def apply(self, state, take):
        at, (used, value), taken = state
        if take:
            return (at + 1, (used + self.of_row(at), value + ROWS[at][1]), taken | 1 << at)
        return (at + 1, (used, value), taken)

    def future(self, state):
        return (state[0], (state[1][0], bin(state[2]).count("1"))), state[1][1] + 0.01 * self.weight(state[2])

    def weight(self, taken):
        total = 0
        for at, weight in enumerate(WEIGHTS):
            if taken >> at & 1:
                total += weight
        return total

    def score(self, state):
        return max(0, bin(state[2]).count("1") - 3), state[1][1] + 0.01 * self.weight(state[2])


class RaisingShelf(Shelf):
    def score(self, state):
        if state[2].bit_count() > 3:
            raise soloist.Infeasible(state[2].bit_count() - 3)
        return state[1][1] + 0.01 * self.weight(state[2])


@pytest.mark.parametrize("plain", [Shelf, RaisingShelf])
@pytest.mark.parametrize("method", ["sampling", "nrpa", "dfs", "cabs", "uct"])
def test_methods_lists_futures_and_pairs_are_compiled(plain, method):
    fast = soloist.compiled(type("FastShelf", (plain,), {}))
    settings = {"method": method, "playouts": 150, "nodes": 5000, "seed": 2}
    if method in ("dfs", "cabs"):
        del settings["playouts"]
    one, two = (soloist.solve(problem, **settings) for problem in (plain(), fast()))
    assert (one.score, one.violation, one.optimal) == (two.score, two.violation, two.optimal)
    if method != "cabs":
        assert (one.moves, one.playouts) == (two.moves, two.playouts)
    if method == "dfs":
        every = [score for score in scores(plain(), plain().root())]
        assert two.optimal and two.score == pytest.approx(max(soft for hard, soft in every if hard == 0))


def scores(problem, state):
    """All scores as pairs, by brute force."""
    moves = list(problem.moves(state))
    if not moves:
        value, violation = soloist._infeasible.scored(problem.score, state)
        return [(violation or 0, value or 0)]
    return [pair for move in moves for pair in scores(problem, problem.apply(state, move))]


def test_a_change_of_a_method_or_of_a_list_is_seen(monkeypatch):
    fast = soloist.compiled(type("FastShelf", (Shelf,), {}))()
    before = soloist.solve(fast, method="dfs", time=20)
    monkeypatch.setitem(globals(), "ROWS", [(1, 1)] * 8)
    after = soloist.solve(fast, method="dfs", time=20)
    assert before.score > after.score == pytest.approx(3.10)
    monkeypatch.setattr(Shelf, "weight", lambda self, taken: 0)
    assert soloist.solve(fast, method="dfs", time=20).score == 3


def test_check_says_what_may_be_compiled():
    assert soloist.check(Shelf()).may_compile and soloist.check(Plain()).may_compile
    assert "@soloist.compiled may run the class as machine code" in str(soloist.check(Plain()))
    class Grows(Plain):
        def apply(self, state, take):
            return (*super().apply(state[:3], take), 0)

        def moves(self, state):
            return super().moves(state[:3])

    for kind in (Fast, Lists, Biased, Grows):
        assert not soloist.check(kind()).may_compile


def test_a_key_of_none_switches_keys_off():
    @soloist.compiled
    class NoKeys(Plain):
        def key(self, state):
            return None

    assert soloist.solve(NoKeys(), method="dfs", time=60).score == soloist.solve(Plain(), method="dfs", time=60).score
