"""Every wrong argument and every wrong problem is one clear message."""

import datetime

import pytest

import soloist
from common import Bounded, Knapsack

SPEC = "weak:20x1000:1"


def bare(**functions):
    """A problem of which some functions are replaced."""
    return type("Bare", (Knapsack,), functions)()


ARGUMENTS = [
    (dict(method="magic"), ValueError, "no method `magic` ..soloist methods --all. lists them"),
    (dict(method="nrpq"), ValueError, "no method `nrpq`, did you mean `nrpa`."),
    (dict(playouts=5, method="nrpa", levle=2), TypeError, "no setting `levle`, did you mean `level`."),
    (dict(method=3), TypeError, "method: expected a str, got 3"),
    (dict(playouts=0), ValueError, "playouts: expected a whole number from 1"),
    (dict(playouts="many"), TypeError, "playouts: expected a whole number, got 'many'"),
    (dict(playouts=True), TypeError, "playouts: expected a whole number, got True"),
    (dict(playouts=1.5), ValueError, "playouts: expected a whole number, got 1.5"),
    (dict(time=-1), ValueError, "time: expected seconds above 0, got -1"),
    (dict(time="1s"), TypeError, "time: expected a number, got '1s'"),
    (dict(time=float("inf")), ValueError, "time: expected a finite number"),
    (dict(time=1e30), ValueError, "time: expected seconds from 0 to"),
    (dict(target="best"), TypeError, "target: expected a number"),
    (dict(seed=-1), ValueError, "seed: expected a whole number from 0 to 18446744073709551615, got -1"),
    (dict(playouts=5, memory=0), ValueError, "memory: expected a whole number from 1"),
    (dict(playouts=5, keep=0), ValueError, "keep: expected a whole number from 1"),
    (dict(playouts=5, threads=0), ValueError, "threads: expected a whole number from 1"),
    (dict(playouts=5, depth=3), TypeError, "no setting `depth` .*parameters of"),
    (dict(playouts=5, method="nrpa", level=99), ValueError, "nrpa: parameter `level`: expected a whole number from 1 to 12"),
    (dict(playouts=5, method="nrpa", level=object()), TypeError, "level: expected a number, a bool, a str or a list"),
    (dict(playouts=5, method="nrpa", params=3), TypeError, "params: expected a dict, got 3"),
    (dict(playouts=5, method="nrpa", params={"level": 1}, level=2), TypeError, "params and a keyword both give `level`"),
    (dict(playouts=5, rollout="greedier"), ValueError, "no rollout.* `greedier`"),
    (dict(playouts=5, on_improve=3), TypeError, "on_improve: expected a function, got 3"),
    (dict(playouts=5, resume=3), TypeError, "resume: expected bytes or the path of a checkpoint, got 3"),
    (dict(playouts=5, resume=b"nothing"), soloist.CheckpointError, "not a Soloist checkpoint"),
    (dict(playouts=5, resume=b"nothing", seed=2), ValueError, "seed: the run to resume has its own setting"),
    (dict(playouts=5, resume="no/such/file"), FileNotFoundError, "no/such/file"),
    (dict(playouts=5, checkpoint="no/such/dir/file"), FileNotFoundError, "cannot write checkpoint"),
    (dict(playouts=5, method="dfs"), ValueError, "dfs: it may finish no solution for very long"),
    (dict(nodes=5, method="sampling"), ValueError, "sampling: it may count no nodes"),
]


@pytest.mark.parametrize("target", [(Knapsack(),), ("knapsack", SPEC)], ids=["own", "shipped"])
@pytest.mark.parametrize("arguments, kind, message", ARGUMENTS, ids=[str(one[0]) for one in ARGUMENTS])
def test_wrong_arguments(target, arguments, kind, message):
    with pytest.raises(kind, match=message) as caught:
        soloist.solve(*target, **arguments)
    assert "\n" not in str(caught.value) and type(caught.value) is kind


def test_times_as_timedelta():
    assert soloist.solve(Knapsack(), time=datetime.timedelta(milliseconds=50)).stop in ("time", "exhausted")


def test_threads_are_refused_for_sessions_of_python_problems():
    with pytest.raises(ValueError, match="threads: a session of a problem written in Python runs on one thread.*solve"):
        soloist.Session(Knapsack(), threads=2)
    for name, value in (("start", [0]), ("prefix", [0]), ("checkpoint", "run.ckpt")):
        with pytest.raises(ValueError, match=f"{name}: a problem in Python that runs in 2 processes takes none"):
            soloist.solve(Knapsack(), playouts=10, threads=2, **{name: value})


PROBLEMS = [
    (Knapsack, TypeError, "got the class Knapsack: make an object of it"),
    (3, TypeError, "int is no problem: it needs the functions root, moves, apply and score; `root` is missing"),
    (soloist.Problem(), TypeError, "Problem is no problem"),
    (bare(score=5), TypeError, "`score` of Bare must be a function"),
    (bare(sense="up"), ValueError, "sense of Bare: expected \"maximize\" or \"minimize\", got 'up'"),
    (bare(reference="low"), TypeError, "reference of Bare: expected a number, got 'low'"),
    (bare(find=lambda self, state, what: None), TypeError, "`identity` and `find` belong together"),
    (bare(resources=lambda self, state: []), TypeError, "`resources` belongs to `future`"),
    (bare(root=lambda self: None), TypeError, "root must return a state, it returned None"),
    (bare(moves=lambda self, state: None), TypeError, "moves must return the moves as a list .* it returned None"),
    (bare(moves=lambda self, state: {1, 2}), TypeError, "moves must return moves in a fixed order, .* returned set"),
    (bare(moves=lambda self, state: [object()]), TypeError, "moves: expected an int, .* got object"),
    (bare(apply=lambda self, state, move: None), TypeError, "apply must return the next state, it returned None"),
    (bare(apply=lambda self, state, move: state), ValueError, "apply returned the state that it was given"),
    (bare(score=lambda self, state: None), TypeError, "score must return a number, soloist.Infeasible or a pair .hard, soft., it returned None"),
    (bare(score=lambda self, state: "9"), TypeError, "score must return a number, soloist.Infeasible or a pair .hard, soft., it returned str"),
    (bare(score=lambda self, state: float("nan")), ValueError, "score returned nan"),
    (bare(bound=lambda self, state: "9"), TypeError, "bound must return a number or None, it returned str"),
    (bare(code=lambda self, state, move: object()), TypeError, "code: expected an int, .* got object"),
    (bare(key=lambda self, state: {}), TypeError, "key: expected an int, .* got dict"),
    (bare(future=lambda self, state: 3), TypeError, "future must return a pair of a key and the score so far"),
    (bare(playout=lambda self, state, rng: 5), TypeError, "playout must return the moves as a list"),
    (bare(bound=lambda self, state: 3), soloist.BrokenPromise, "the bound 3 is beaten by"),
]


@pytest.mark.parametrize("problem, kind, message", PROBLEMS, ids=[one[2][:40] for one in PROBLEMS])
def test_wrong_problems(problem, kind, message):
    with pytest.raises(kind, match=message):
        for method in ("nrpa", "uct", "beam"):
            soloist.solve(problem, method=method, playouts=200, time=20, seed=1)


class Count(Knapsack):
    """A state that is changed in place."""

    def root(self):
        return [0, 0, 0]

    def apply(self, state, move):
        state[:] = super().apply(state, move)
        return list(state)


PROMISES = [
    (Count(), "apply changed its argument: return a new state"),
    (bare(bound=lambda self, state: 3), "the bound 3 is beaten by"),
    (bare(key=lambda self, state: 1), "."),
    (bare(score=lambda self, state: float("inf")), "a score is not finite"),
    (bare(candidates=lambda self, state: []), "."),
    (bare(playout=lambda self, state, rng: [0]), "."),
    (bare(bias=lambda self, state, move: float("inf")), "a bias is not finite"),
]


@pytest.mark.parametrize("problem, message", PROMISES, ids=[str(at) for at in range(len(PROMISES))])
def test_broken_promises(problem, message):
    with pytest.raises(soloist.BrokenPromise, match=message) as caught:
        soloist.check(problem)
    assert isinstance(caught.value.moves, list) and isinstance(caught.value, ValueError)


def test_good_problems_pass():
    advice = soloist.check(Bounded(), walks=10)
    assert "bound" in advice.supplied and "potential" in advice.missing
    assert "0 of 10 random games end infeasibly" in str(advice)
    assert advice.next is not None and advice.next.name in advice.missing
    assert "write next: " + advice.next.name in str(advice) and "measured gain: " in str(advice)


class Oops(Exception):
    """An exception of a user."""


@pytest.mark.parametrize("name", ["root", "moves", "apply", "score", "code", "bound", "key"])
@pytest.mark.parametrize("method", ["auto", "nrpa", "uct", "beam", "dfs", "anneal", "nmcs"])
def test_exceptions_of_functions_are_raised_as_they_are(name, method):
    oops = Oops("at work")
    calls = 0

    class Failing(Bounded):
        def code(self, state, move):
            return move

        def key(self, state):
            return state

    original = getattr(Failing, name)

    def failing(self, *arguments):
        nonlocal calls
        calls += 1
        if calls > 30:
            raise oops
        return original(self, *arguments)

    setattr(Failing, name, failing)
    try:
        soloist.solve(Failing(), method=method, playouts=5000, time=20, seed=1)
    except Oops as caught:
        assert caught is oops and caught.__traceback__ is not None
        assert calls == 31, "nothing is called after the exception"
    else:
        assert calls <= 30, "every method that asks sees the exception"


def test_exceptions_of_callbacks_are_raised_as_they_are():
    oops = Oops("told")

    def tell(improvement):
        raise oops

    for target in ((Knapsack(),), ("knapsack", SPEC)):
        with pytest.raises(Oops) as caught:
            soloist.solve(*target, method="sampling", playouts=100_000, on_improve=tell)
        assert caught.value is oops


def test_wrong_calls_for_shipped_problems(tmp_path):
    with pytest.raises(ValueError, match="no problem `chess` .known: samegame"):
        soloist.solve("chess", "e4")
    with pytest.raises(TypeError, match="instance: missing"):
        soloist.solve("knapsack")
    with pytest.raises(TypeError, match="instance: expected a path or a spec, got 3"):
        soloist.load("knapsack", 3)
    with pytest.raises(TypeError, match="instance: only problems that ship have instances"):
        soloist.solve(Knapsack(), SPEC)
    with pytest.raises(FileNotFoundError, match="no/such.kp: cannot be read"):
        soloist.load("knapsack", "no/such.kp")
    with pytest.raises(soloist.InstanceError, match="weak:0x0"):
        soloist.load("knapsack", "weak:0x0:1")
    broken = tmp_path / "broken.txt"
    broken.write_text("1 2\n1 x\n")
    with pytest.raises(soloist.InstanceError, match="line 2") as caught:
        soloist.load("samegame", broken)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(ValueError, match="no option of samegame `colour` .known: penalty"):
        soloist.load("samegame", "random:6x6x3:1", colour=3)
    with pytest.raises(ValueError, match="option `penalty` of samegame: expected one of"):
        soloist.solve("samegame", "random:6x6x3:1", penalty="none at all", playouts=1)
    with pytest.raises(ValueError, match="`penalty` is a rule of the instance"):
        soloist.load("samegame", "random:6x6x3:1").solve(penalty="schadd", playouts=1)
    with pytest.raises(soloist.InvalidSolution):
        soloist.verify("knapsack", SPEC, {"items": list(range(20))})
    with pytest.raises(TypeError, match="solution: expected a result"):
        soloist.verify("knapsack", SPEC, 3)


def test_checkpoints_overwrite_nothing(tmp_path):
    file = tmp_path / "run.ckpt"
    file.write_text("hours of work")
    for target in ((Knapsack(),), ("knapsack", SPEC)):
        with pytest.raises(FileExistsError, match="continue it with resume="):
            soloist.solve(*target, playouts=10, checkpoint=file)
    assert file.read_text() == "hours of work"
