"""The iterator of improvements: its order, its end, its exceptions."""

import gc
import os
import signal
import subprocess
import sys
import threading

import pytest

import soloist
from common import Bounded, Knapsack, Tour

SPEC = "weak:20x1000:1"
TARGETS = [(Knapsack(),), ("knapsack", SPEC), (soloist.load("knapsack", SPEC),)]
IDS = ["own", "shipped", "instance"]


def threads():
    return [one for one in threading.enumerate() if one.name == "soloist.improvements"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    gc.collect()
    assert threads() == []


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_all_improvements_of_a_run(target):
    setting = dict(method="nrpa", level=2, playouts=400, seed=3)
    seen = []
    result = soloist.solve(*target, on_improve=seen.append, **setting)
    run = soloist.improvements(*target, **setting)
    assert threads() == [] and "not begun" in repr(run)
    assert list(run) == seen and len(seen) > 1
    assert (run.result.score, run.result.moves, run.result.stop) == (result.score, result.moves, "playouts")
    assert list(run) == [] and "ended" in repr(run)


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_break_ends_the_run(target):
    run = soloist.improvements(*target, method="sampling", time=600)
    for better in run:
        assert better.score is not None and threads()
        break
    assert threads() == []
    assert run.result.stop == "interrupted" and run.result.score >= better.score
    for better in soloist.improvements(*target, method="sampling", time=600):
        break
    assert threads() == []


def test_an_iterator_that_is_dropped_or_closed():
    run = soloist.improvements(Knapsack(), method="sampling", time=600)
    first = next(run)
    with pytest.raises(RuntimeError, match="the run has not ended: leave the loop, or close"):
        run.result
    run.close()
    assert threads() == [] and run.result.score >= first.score
    with pytest.raises(StopIteration):
        next(run)
    run = soloist.improvements(Knapsack(), method="sampling", time=600)
    next(run)
    del run
    gc.collect()
    assert threads() == []
    with soloist.improvements(Knapsack(), method="sampling", time=600) as run:
        next(run)
    assert threads() == [] and run.result.stop == "interrupted"
    # One that was never begun has no thread to end.
    soloist.improvements(Knapsack(), time=600).close()


def test_exceptions_in_the_body_end_the_run():
    with pytest.raises(ZeroDivisionError):
        for _ in soloist.improvements(Knapsack(), method="sampling", time=600):
            1 / 0
    gc.collect()
    assert threads() == []


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_ctrl_c_ends_the_loop_and_keeps_the_best(target):
    run = soloist.improvements(*target, method="sampling", time=600)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for better in run:
            pass
    timer.join()
    assert threads() == [] and (run.result.stop, run.result.score) == ("interrupted", better.score)


def test_the_interpreter_ends_while_a_loop_is_suspended():
    script = """
import soloist
class Bits(soloist.Problem):
    def root(self): return ()
    def moves(self, state): return [0, 1] if len(state) < 60 else []
    def apply(self, state, move): return state + (move,)
    def score(self, state): return sum(state)
run = soloist.improvements(Bits(), method="sampling", time=600)
other = iter(soloist.improvements("knapsack", "weak:20x1000:1", method="sampling", time=600))
print(next(run).score is not None, next(other).score is not None)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True True\n", "")


def test_exceptions_of_the_problem_come_out_of_the_iterator():
    class Broken(Knapsack):
        games = 0

        def score(self, state):
            self.games += 1
            # Behind the games that are checked before the run.
            if self.games > 300:
                raise LookupError("no score any more")
            return super().score(state)

    run = soloist.improvements(Broken(), method="sampling", time=600)
    seen = []
    with pytest.raises(LookupError, match="no score any more") as caught:
        for better in run:
            seen.append(better.score)
    assert seen and seen == sorted(seen)
    assert "score" in [entry.name for entry in caught.traceback]
    with pytest.raises(LookupError):
        run.result

    def report(progress):
        raise OSError("no more paper")

    with pytest.raises(OSError, match="no more paper"):
        list(soloist.improvements(Knapsack(), method="sampling", time=600, on_progress=report))


def test_wrong_arguments_are_errors_at_once():
    for arguments, kind, message in [
        (dict(playouts=0), ValueError, "playouts: expected a whole number from 1"),
        (dict(method="nrpq"), ValueError, "did you mean `nrpa`"),
        (dict(stop=3), TypeError, "stop: expected a function"),
    ]:
        with pytest.raises(kind, match=message):
            soloist.improvements(Knapsack(), **arguments)
    with pytest.raises(TypeError, match="is no problem: it needs the functions"):
        soloist.improvements(object())
    with pytest.raises(TypeError, match="no setting `levle`, did you mean `level`"):
        next(soloist.improvements(Knapsack(), method="nrpa", levle=2))


def test_stop_and_proofs_end_the_iteration():
    event = threading.Event()
    run = soloist.improvements(Knapsack(), method="sampling", time=600, stop=event)
    for _ in run:
        event.set()
    assert run.result.stop == "interrupted"
    run = soloist.improvements(Bounded(), method="cabs", time=60)
    *_, last = run
    assert run.result.optimal and last.score == run.result.score == Knapsack().optimum()


def test_scores_fall_where_less_is_better():
    scores = [better.score for better in soloist.improvements(Tour(), method="sampling", playouts=500)]
    assert scores == sorted(scores, reverse=True) and len(scores) > 1
