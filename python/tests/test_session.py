"""Runs that live: slices, saves, exchanges, interrupts."""

import json
import os
import pickle
import signal
import threading
import time

import pytest

import soloist
from common import Bounded, Knapsack, Tour, timeless

SPEC = "weak:30x1000:1"
TARGETS = [(Knapsack(),), (Tour(),), ("knapsack", SPEC), ("samegame", "random:6x6x3:1")]
IDS = ["knapsack-class", "tour-class", "knapsack", "samegame"]


def plain(result):
    """A result without its time."""
    return timeless(json.loads(result.to_json()))


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
@pytest.mark.parametrize("method", ["nrpa", "uct", "nmcs", "anneal", "auto"])
def test_slices_and_saves_are_one_run(target, method):
    whole = soloist.solve(*target, method=method, playouts=900, seed=4)
    sliced = soloist.Session(*target, method=method, playouts=900, seed=4)
    for _ in range(3):
        sliced.advance(playouts=300)
    assert plain(sliced.result) == plain(whole)
    saved = soloist.Session(*target, method=method, playouts=900, seed=4)
    for _ in range(3):
        saved.advance(playouts=300)
        saved = soloist.Session.restore(saved.save(), *target, playouts=900)
    assert plain(saved.result) == plain(whole)
    assert saved.playouts == whole.playouts and saved.nodes == whole.nodes and saved.seconds > 0


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_checkpoints_resume(target, tmp_path):
    file = tmp_path / "run.ckpt"
    whole = soloist.solve(*target, method="nrpa", playouts=800, seed=2)
    soloist.solve(*target, method="nrpa", playouts=400, seed=2, checkpoint=file)
    rest = soloist.solve(*target, playouts=800, resume=file, checkpoint=file)
    assert plain(rest) == plain(whole) and rest.unsaved is None
    with pytest.raises(soloist.CheckpointError, match="another instance"):
        soloist.solve(Bounded() if len(target) > 1 else Tour() if target is TARGETS[0] else Knapsack(), resume=file)
    broken = file.read_bytes()[:-3]
    with pytest.raises(soloist.CheckpointError, match="truncated"):
        soloist.Session.restore(broken, *target)


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_sessions_exchange_solutions(target):
    giver = soloist.solve(*target, method="nrpa", playouts=1000, seed=1)
    taker = soloist.Session(*target, method="sampling", seed=5)
    assert taker.best is None and taker.result.score is None and not taker.done
    assert taker.offer(giver) == giver.score
    assert taker.best.score == giver.score and taker.playouts == 0
    if len(target) == 1:
        assert taker.offer(giver.moves) == giver.score
        with pytest.raises(ValueError, match="not legal"):
            taker.offer([99])
        with pytest.raises(TypeError, match="expected a result or a list of moves"):
            taker.offer(3)
    else:
        with pytest.raises(soloist.InvalidSolution):
            taker.offer("nonsense [")
    seen = []
    assert taker.advance(playouts=10, on_improve=seen.append) == "playouts"
    assert all(event.score is not None for event in seen)


def test_what_can_be_sent_to_another_process():
    instance = soloist.load("samegame", "random:6x6x3:1", penalty="none")
    again = pickle.loads(pickle.dumps(instance))
    assert (again.name, again.options) == (instance.name, instance.options)
    with pytest.raises(TypeError, match="a session stays in its process"):
        pickle.dumps(soloist.Session(instance))


def test_sessions_end():
    session = soloist.Session(Bounded(), method="dfs")
    assert session.advance(nodes=3) == "nodes" and not session.done
    assert session.advance(time=60) in ("exhausted", "bound") and session.done
    assert session.result.optimal
    with pytest.raises(TypeError, match="advance: give a limit"):
        session.advance()
    assert "playouts>" in repr(session)


def test_exceptions_end_a_session():
    calls = 0

    class Failing(Knapsack):
        def apply(self, state, move):
            nonlocal calls
            calls += 1
            if calls == 5000:
                raise LookupError("no such item")
            return super().apply(state, move)

    session = soloist.Session(Failing(), method="sampling")
    session.advance(playouts=50)
    saved, best = session.save(), session.best
    with pytest.raises(LookupError, match="no such item"):
        session.advance(playouts=5000)
    with pytest.raises(RuntimeError, match="an exception has ended this session"):
        session.advance(playouts=1)
    assert soloist.Session.restore(saved, Failing()).best == best


def test_a_busy_session_is_refused_to_other_threads():
    errors = []
    session = None

    def disturb():
        try:
            session.best
        except RuntimeError as error:
            errors.append(str(error))

    class Slow(Knapsack):
        def score(self, state):
            if not errors:
                thread = threading.Thread(target=disturb)
                thread.start()
                thread.join()
            return super().score(state)

    session = soloist.Session(Slow(), method="sampling")
    errors.append("not yet")
    session.advance(playouts=1)
    errors.clear()
    session.advance(playouts=5)
    assert errors == ["the session is at work: one call at a time"]


def ctrl_c():
    """Returns a function that presses Ctrl-C a moment after its first call."""
    timers = []

    def press(*_):
        if not timers:
            timers.append(threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    return press


@pytest.mark.parametrize("target", TARGETS[:3], ids=IDS[:3])
def test_ctrl_c_returns_the_incumbent(target):
    result = soloist.solve(*target, method="sampling", time=600, seed=1, on_improve=ctrl_c())
    assert result.stop == "interrupted" and result.score is not None
    session = soloist.Session(*target, method="sampling", seed=1)
    assert session.advance(time=600, on_improve=ctrl_c()) == "interrupted"
    before = session.playouts
    # The session is whole: it was asked to end between two steps.
    assert before > 0 and session.advance(playouts=10) == "playouts" and session.playouts == before + 10


def test_a_second_ctrl_c_ends_a_function_that_hangs():
    calls = []

    class Hanging(Knapsack):
        def score(self, state):
            calls.append(state)
            ctrl_c()()
            while True:
                time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        soloist.solve(Hanging(), method="sampling", time=600)
    assert len(calls) == 2 and calls[0] == calls[1]


def test_handlers_of_other_signals_run():
    def ring(number, frame):
        raise TimeoutError("rung")

    old = signal.signal(signal.SIGALRM, ring)
    try:
        for target in TARGETS[:3]:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(TimeoutError, match="rung"):
                soloist.solve(*target, method="sampling", time=60)
    finally:
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("target", TARGETS[:3], ids=IDS[:3])
def test_other_threads_run_meanwhile(target):
    began, seen = threading.Event(), []

    def press_when_begun():
        began.wait()
        seen.append(True)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press_when_begun)
    thread.start()
    # Only the other thread can end this run.
    result = soloist.solve(*target, method="sampling", time=600, on_improve=lambda event: began.set())
    thread.join()
    assert seen and result.stop == "interrupted"


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_another_thread_or_a_function_ends_a_run(target):
    event, reports = threading.Event(), []

    def report(progress):
        reports.append(progress)
        event.set()

    # Without the event these runs would not end.
    result = soloist.solve(*target, method="sampling", time=600, on_progress=report, stop=event)
    assert result.stop == "interrupted" and result.playouts >= reports[0].playouts > 0
    first = reports[0]
    assert first.seconds > 0 and first.nodes == 0 and first.score is not None and first.violation is None
    session = soloist.Session(*target, method="sampling")
    count = iter(range(100))
    assert session.advance(time=600, stop=lambda: next(count) >= 3) == "interrupted"
    # The flag is that of one slice.
    before = session.playouts
    assert session.advance(playouts=10) == "playouts" and session.playouts == before + 10
    assert soloist.solve(*target, method="sampling", playouts=10, stop=lambda: False).stop == "playouts"


@pytest.mark.parametrize("target", [TARGETS[0], TARGETS[2]], ids=[IDS[0], IDS[2]])
@pytest.mark.parametrize("name", ["on_progress", "stop"])
def test_exceptions_of_callbacks_are_raised(target, name):
    def fail(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        soloist.solve(*target, method="sampling", time=600, **{name: fail})
    with pytest.raises(KeyError, match="mine"):
        soloist.Session(*target, method="sampling").advance(time=600, **{name: fail})
    with pytest.raises(TypeError, match=f"{name}: expected a function, got 3"):
        soloist.solve(*target, playouts=5, **{name: 3})
