"""Sessions in callbacks and forks, cycles of objects, the end of the interpreter."""

import concurrent.futures
import copy
import dataclasses
import enum
import gc
import json
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref

import pytest

import soloist
from common import Knapsack

SPEC = "weak:20x1000:1"
TARGETS = [(Knapsack(),), ("knapsack", SPEC)]
IDS = ["own", "shipped"]
BUSY = "the session is at work: one call at a time"


@pytest.mark.parametrize("target", TARGETS, ids=IDS)
@pytest.mark.parametrize("what", ["playouts", "best", "result", "save", "advance"])
def test_a_session_is_refused_to_its_own_callback(target, what):
    session = soloist.Session(*target, method="sampling")
    errors = []

    def disturb(improvement):
        try:
            session.advance(playouts=1) if what == "advance" else getattr(session, what)() if what == "save" else getattr(
                session, what
            )
        except RuntimeError as error:
            errors.append(str(error))

    assert session.advance(playouts=50, on_improve=disturb) == "playouts"
    assert errors and set(errors) == {BUSY}
    assert session.playouts == 50


SCRIPT = """
import sys, threading, time
import soloist

class Bits(soloist.Problem):
    def root(self): return ()
    def moves(self, state): return [0, 1] if len(state) < 60 else []
    def apply(self, state, move): return state + (move,)
    def score(self, state): return sum(state)

def work(begun):
    begun.set()
    for _ in range(1000):
        {call}

threads, flags = [], []
for _ in range(2):
    flags.append(threading.Event())
    threads.append(threading.Thread(target=work, args=(flags[-1],), daemon={daemon}))
    threads[-1].start()
for flag in flags:
    flag.wait()
time.sleep({pause})
print("end", flush=True)
"""
CALLS = {
    "own": "soloist.solve(Bits(), time=60)",
    "session": "soloist.Session(Bits(), method='nrpa').advance(time=60)",
    "check": "soloist.check(Bits(), walks=100_000)",
    "shipped": "soloist.solve('knapsack', 'weak:20x1000:1', method='sampling', time=60, on_improve=print)",
}


def run(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout.split()[-1:] or done.stdout, done.stderr


def test_the_interpreter_ends_while_threads_solve():
    scripts = [
        SCRIPT.format(call=call, daemon=True, pause=0.02 * at) for call in CALLS.values() for at in range(3)
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for code, _, errors in pool.map(run, scripts):
            assert code == 0 and "FATAL" not in errors, errors


def test_the_interpreter_waits_for_threads_that_are_no_daemons():
    call = "soloist.solve(Bits(), playouts=200); break"
    code, out, errors = run(SCRIPT.format(call=call, daemon=False, pause=0))
    assert (code, out, errors) == (0, ["end"], "")


def test_runs_after_the_end_are_refused_to_threads():
    script = SCRIPT.format(call="soloist.solve(Bits(), time=60)", daemon=True, pause=0.05)
    # Registered first, called last: the main thread may still solve.
    first = "import atexit\natexit.register(lambda: print(soloist.solve(Bits(), playouts=50).playouts))\n"
    code, out, _ = run(first + script)
    assert (code, out) == (0, ["50"])


def test_cycles_are_collected():
    class Holder(Knapsack):
        def __init__(self):
            self.session = soloist.Session(self, method="uct")
            self.session.advance(playouts=5)

    class Calls(Knapsack):
        def __init__(self):
            self.seen = []
            self.session = soloist.Session(self, method="sampling")
            self.session.advance(playouts=5, on_improve=self.improved)
            self.result = self.session.result

        def improved(self, improvement):
            self.seen.append((self, improvement))

    for kind in (Holder, Calls):
        problem = kind()
        gone = weakref.ref(problem)
        del problem
        gc.collect()
        assert gone() is None, kind


def test_collections_during_a_run_do_no_harm():
    class Collecting(Knapsack):
        def score(self, state):
            gc.collect()
            return super().score(state)

    session = soloist.Session(Collecting(), method="uct")
    assert session.advance(playouts=20) == "playouts" and session.best.score == session.result.score


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("target", TARGETS, ids=IDS)
def test_a_session_after_a_fork(target):
    session = soloist.Session(*target, method="sampling")
    session.advance(playouts=20)
    saved = session.save()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            try:
                said = str(session.playouts)
            except RuntimeError as error:
                said = str(error)
            again = soloist.Session.restore(saved, *target)
            again.advance(playouts=5)
            os.write(write, json.dumps([said, again.playouts]).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        said, playouts = json.loads(answer.read())
    os.waitpid(child, 0)
    assert playouts == 25
    # A session on a Python problem has no thread, its copy is whole.
    assert said == "20" if len(target) == 1 else "a fork does not take its thread along" in said
    assert session.playouts == 20


def test_an_instance_takes_its_contents_along(tmp_path, monkeypatch):
    file = tmp_path / "board.txt"
    file.write_text(soloist.generate("samegame", "random:6x6x3:1"))
    monkeypatch.chdir(tmp_path)
    instance = soloist.load("samegame", "board.txt", penalty="none")
    sent = pickle.dumps(instance)
    before = instance.solve(method="sampling", playouts=50, seed=1)
    file.write_text(soloist.generate("samegame", "random:6x6x3:2"))
    monkeypatch.chdir("/")
    again = pickle.loads(sent)
    assert (again.name, again.options) == (instance.name, instance.options)
    assert again.solve(method="sampling", playouts=50, seed=1).moves == before.moves
    # And once more, from the copy.
    file.unlink()
    third = pickle.loads(pickle.dumps(copy.deepcopy(again)))
    assert third.solve(method="sampling", playouts=50, seed=1).moves == before.moves
    with pytest.raises(FileNotFoundError):
        soloist.load("samegame", "board.txt")


def test_small_things_that_are_sent():
    one = soloist.Infeasible(2.5)
    for other in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert other == one and hash(other) == hash(one)
    assert len({soloist.Infeasible(0.5), soloist.Infeasible(0.5), one}) == 2


class Wrapped:
    """An integer of another library."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_results_of_moves_of_other_libraries_are_read_again():
    numpy = pytest.importorskip("numpy")

    class Numbers(Knapsack):
        def moves(self, state):
            return [numpy.int64(move) for move in super().moves(state)]

    problem = Numbers()
    result = soloist.solve(problem, method="sampling", playouts=50, seed=1)
    moves = json.loads(result.to_json())["moves"]
    assert moves == [int(move) for move in result.moves]
    assert soloist.solve(problem, method="sampling", playouts=1, start=moves).score >= result.score


def test_bytes_as_moves_survive_json(tmp_path):
    class Words(Knapsack):
        def moves(self, state):
            return [(b"\x00'", str(move)) for move in super().moves(state)]

        def apply(self, state, move):
            return super().apply(state, int(move[1]))

    result = soloist.solve(Words(), method="sampling", playouts=50, seed=1)
    read = json.loads(result.to_json())["moves"]
    assert read[0] == [{"bytes": "0027"}, str(result.moves[0][1])]
    file = tmp_path / "result.json"
    result.save(file)
    for start in (read, result.to_json(), json.loads(result.to_json()), file):
        again = soloist.solve(Words(), method="sampling", playouts=1, start=start)
        assert again.score == result.score and again.moves == result.moves
    with pytest.raises((TypeError, ValueError)):
        soloist.solve(Words(), method="sampling", playouts=1, start=[{"bytes": "xyz"}])


def test_refused_moves_come_with_the_way_out():
    numpy = pytest.importorskip("numpy")
    for move, hint in [
        (enum.Enum("Move", "LEFT RIGHT").LEFT, "got Move: use its `.value`, or derive the class from enum.IntEnum"),
        (dataclasses.make_dataclass("Step", ["x"])(1), "got Step: use a NamedTuple, or a tuple of its fields"),
        (numpy.array([1, 2]), "got ndarray: use its `.item\\(\\)`, or `.tolist\\(\\)` as a tuple"),
        (object(), "got object"),
        (frozenset([1]), "got frozenset: use a sorted tuple of its items"),
        ((1, frozenset([2])), "got frozenset: use a sorted tuple of its items"),
    ]:
        problem = type("Odd", (Knapsack,), {"moves": lambda self, state: [move]})()
        with pytest.raises(TypeError, match=f"^moves: expected an int, .*{hint}"):
            soloist.solve(problem, method="sampling", playouts=5)


def test_numbers_of_numpy_as_parameters():
    numpy = pytest.importorskip("numpy")
    setting = dict(method="uct", seed=1, playouts=30)
    found = soloist.solve(Knapsack(), c=numpy.float32(0.5), transpositions=numpy.bool_(False), **setting)
    assert (found.parameters["c"], found.parameters["transpositions"]) == (0.5, False)


def test_a_blocked_thing_is_one_object_everywhere():
    assert pickle.loads(pickle.dumps(soloist.BLOCKED)) is soloist.BLOCKED and copy.deepcopy(soloist.BLOCKED) is soloist.BLOCKED


def test_large_values_are_cut_in_messages():
    long = object.__new__(type("Long", (), {"__repr__": lambda self: "x" * 10_000}))
    for call in [
        lambda: soloist.solve(Knapsack(), playouts=5, start=long),
        lambda: soloist.load("knapsack", long),
        lambda: soloist.verify("knapsack", SPEC, long),
        lambda: soloist.solve(type("Odd", (Knapsack,), {"sense": long})(), playouts=5),
    ]:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 400


def test_names_that_other_packages_use():
    for name, ours in [("max_time", "time"), ("n_jobs", "threads"), ("timeout", "time"), ("callback", "on_improve")]:
        with pytest.raises(TypeError, match=f"no argument `{name}`: the name is `{ours}`"):
            soloist.solve(Knapsack(), playouts=5, **{name: 1})
    with pytest.raises(TypeError) as caught:
        soloist.solve(Knapsack(), playouts=list(range(100_000)))
    assert len(str(caught.value)) < 300


def test_a_finished_session_that_is_restored_is_done():
    session = soloist.Session(Knapsack(), method="dfs")
    session.advance(time=60)
    assert session.done and soloist.Session.restore(session.save(), Knapsack()).done
