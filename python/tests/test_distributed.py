"""`soloist.distributed` on processes and threads."""

import concurrent.futures
import pickle
import subprocess
import sys
import threading
import time

import pytest

import soloist
from remote import Bounded, Deadly, Hung, Knapsack, Poison, Sack, Strict, Tour, Trip, Wrong, lone
from soloist.distributed import (
    FolderInUse,
    Groups,
    NoWorkers,
    Processes,
    SliceLost,
    improvements,
    resume,
    solve,
)

COUNTS = {"playouts": 100}


@pytest.fixture
def threads():
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        yield pool


def signature(run):
    """Returns what a run with counts repeats."""
    streams = [(one.index, one.seed, one.score, one.violation, one.playouts, one.nodes, one.slices) for one in run.streams]
    return run.score, run.violation, run.moves, run.playouts, streams


def is_legal(problem, run):
    state = problem.root()
    for move in run.moves:
        assert move in problem.moves(state)
        state = problem.apply(state, move)
    assert not list(problem.moves(state))
    assert run.solution == state
    return problem.score(state)


@pytest.mark.parametrize("problem", [Sack(), Trip()], ids=["largest", "shortest"])
@pytest.mark.parametrize("method", ["nrpa", "uct", "anneal"])
def test_streams_are_lone_sessions(threads, problem, method):
    run = solve(problem, executor=threads, streams=3, method=method, seed=4, slice=COUNTS, playouts=1000)
    assert [stream.playouts for stream in run.streams] == [334, 333, 333]
    for stream in run.streams:
        alone = lone(problem, stream.playouts, method=method, seed=4 + stream.index)
        assert (stream.score, stream.playouts, stream.nodes) == (alone.best.score, alone.playouts, alone.nodes)
    scores = [stream.score for stream in run.streams]
    assert run.score == (min if isinstance(problem, Trip) else max)(scores)
    assert is_legal(problem, run) == run.score
    assert (run.stop, run.playouts, run.threads) == ("playouts", 1000, 3)


def test_processes_and_threads_give_the_same_run(threads):
    arguments = {"streams": 4, "method": "nrpa", "seed": 1, "slice": COUNTS, "playouts": 1200}
    here = solve(Trip(), executor=threads, **arguments)
    with Processes(2) as pool:
        there = solve(Trip(), executor=pool, **arguments)
    assert signature(here) == signature(there)
    assert all(":" in worker for stream in there.streams for worker in stream.workers)


@pytest.mark.parametrize("exchange", ["best", Groups(2), Groups(2, every=2), "function"])
def test_exchange_with_counts_repeats(exchange, tmp_path):
    calls = []

    def ring(round, bests):
        calls.append(round)
        return {index: bests[index - 1] for index in range(len(bests))}

    runs = []
    for workers in (1, 3):
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            runs.append(
                solve(
                    "samegame", "random:8x8x4:3", executor=pool, streams=4, method="anneal", seed=1, slice=COUNTS,
                    playouts=1600, exchange=ring if exchange == "function" else exchange,
                )  # fmt: skip
            )
    assert signature(runs[0]) == signature(runs[1])
    if exchange == "function":
        assert calls == [1, 2, 3] * 2
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        alone = solve("samegame", "random:8x8x4:3", executor=pool, streams=4, method="anneal", seed=1, slice=COUNTS,
                      playouts=1600)  # fmt: skip
    # The exchange does something: some stream ends elsewhere than on its own.
    assert [one.score for one in alone.streams] != [one.score for one in runs[0].streams]
    if exchange == "best":
        # All but the last slice's finds were handed around.
        assert min(one.score for one in runs[0].streams) >= sorted(one.score for one in alone.streams)[0]


@pytest.mark.parametrize("method", ["nrpa", "uct"])
def test_deaths_change_nothing(tmp_path, method):
    arguments = {"streams": 4, "method": method, "seed": 2, "slice": {"playouts": 200}, "playouts": 2400}
    bests = []
    with Processes(3) as pool:
        run = solve(Deadly(tmp_path, 6), executor=pool, retries=6, on_improve=bests.append, **arguments)
    assert len(list(tmp_path.iterdir())) == 6
    assert run.lost.slices == sum(stream.repeated for stream in run.streams) == 6
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        undisturbed = solve(Sack(), executor=pool, **arguments)
    assert signature(run) == signature(undisturbed)
    scores = [better.score for better in bests]
    assert scores == sorted(set(scores)) and scores[-1] == run.score == is_legal(Sack(), run)


def test_killed_workers_are_replaced():
    ends = threading.Event()
    with Processes(2) as pool:

        def murder():
            while not ends.wait(0.15):
                for pid in pool.pids[:1]:
                    subprocess.run(["kill", "-9", str(pid)], check=False)

        murderer = threading.Thread(target=murder)
        murderer.start()
        try:
            run = solve(
                "samegame", "random:10x10x4:3", executor=pool, streams=4, method="nrpa", seed=1,
                slice={"playouts": 1000}, playouts=40_000, retries=1000,
            )  # fmt: skip
        finally:
            ends.set()
            murderer.join()
    assert run.playouts == 40_000 and run.lost.slices > 0
    for stream in run.streams:
        alone = soloist.Session("samegame", "random:10x10x4:3", method="nrpa", seed=1 + stream.index, playouts=10_000)
        alone.advance(playouts=10_000)
        assert alone.best.score == stream.score


def test_a_poison_slice_ends_the_run(tmp_path):
    with Processes(2) as pool, pytest.raises(SliceLost, match="slice 1: lost 3 times, at last by WorkerDied"):
        solve(Poison(), executor=pool, streams=2, slice=COUNTS, playouts=400, retries=2, folder=tmp_path / "run")
    # The folder is valid: with the right problem the run goes on.
    run = resume(tmp_path / "run", problem=Sack(), executor=lambda: concurrent.futures.ThreadPoolExecutor(2))
    assert run.playouts == 400


def test_a_hung_slice_is_made_again(tmp_path):
    arguments = {"streams": 3, "method": "nrpa", "seed": 1, "slice": COUNTS, "playouts": 600}
    with Processes(2) as pool:
        run = solve(Hung(tmp_path, 2), executor=pool, timeout=3, **arguments)
        assert len(pool.pids) <= 2
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert signature(run) == signature(solve(Sack(), executor=pool, **arguments))
    assert run.lost.slices == 2 and run.lost.seconds >= 6


def test_slices_that_always_hang_end_the_run(tmp_path):
    with Processes(1) as pool, pytest.raises((SliceLost, NoWorkers), match="no answer for 1 s"):
        solve(Hung(tmp_path, 99), executor=pool, streams=1, slice=COUNTS, playouts=100, timeout=1, retries=1)


class Deaf(concurrent.futures.Executor):
    """Takes everything and answers nothing."""

    def submit(self, *arguments, **keywords):
        return concurrent.futures.Future()


class Empty(Deaf):
    """Has no worker, and says so."""

    num_workers = 0


@pytest.mark.parametrize("executor", [Deaf(), Empty()])
def test_without_workers_the_run_ends(executor, tmp_path):
    with pytest.raises(NoWorkers):
        solve(Sack(), executor=executor, streams=2, slice=COUNTS, playouts=400, timeout=0.5, retries=1,
              folder=tmp_path / "run")  # fmt: skip
    with Processes(1) as pool:
        assert resume(tmp_path / "run", executor=pool, timeout=60).playouts == 400


def test_an_executor_of_the_user_that_breaks(tmp_path):
    context = __import__("multiprocessing").get_context("forkserver")
    arguments = {"streams": 2, "method": "nrpa", "seed": 2, "slice": {"playouts": 200}, "playouts": 800}
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool, pytest.raises(NoWorkers, match="broken"):
        solve(Deadly(tmp_path, 1), executor=pool, folder=tmp_path / "run", **arguments)
    for mark in tmp_path.glob("death-*"):
        mark.unlink()
    # A function makes a new one.
    run = resume(tmp_path / "run", executor=lambda: concurrent.futures.ProcessPoolExecutor(2, mp_context=context))
    assert run.playouts == 800 and run.lost.slices >= 2
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert signature(run) == signature(solve(Sack(), executor=pool, **arguments))


def test_exceptions_of_the_problem_are_raised(tmp_path):
    Wrong.games = 0
    with Processes(1) as pool, pytest.raises(LookupError, match="no such item") as caught:
        solve(Wrong(), executor=pool, streams=2, method="sampling", slice=COUNTS, playouts=10_000, folder=tmp_path / "run")
    assert "remote.py" in str(caught.value.__cause__) and "in score" in str(caught.value.__cause__)
    saved = [pickle.loads(path.read_bytes())["playouts"] for path in sorted((tmp_path / "run").glob("stream-*.pickle"))]
    assert len(saved) == 2 and all(count > 0 and count % 100 == 0 for count in saved)
    # What was found before is there, and so is the way to the state that failed.
    assert caught.value.run.playouts == sum(saved) and caught.value.run.moves is not None
    assert any(note.startswith("in `score`, after the moves [") for note in caught.value.__notes__)


def test_a_driver_that_is_killed_is_resumed(tmp_path):
    (tmp_path / "driver.py").write_text("""
import pathlib, sys
import soloist
from soloist import distributed
if __name__ == "__main__":
    folder = pathlib.Path("run")
    if folder.exists() and (folder / "run.json").exists():
        run = distributed.resume(folder, executor=distributed.Processes(2))
    else:
        run = distributed.solve("samegame", "random:10x10x4:5", executor=distributed.Processes(2), streams=4,
            method="nrpa", seed=1, slice={"playouts": 1000}, playouts=60_000, exchange=distributed.Groups(2, every=2),
            folder=folder)
    print(run.score, run.playouts, [stream.score for stream in run.streams], run.moves)
""")
    def saved(what):
        return [pickle.loads(path.read_bytes())[what] for path in (tmp_path / "run").glob("stream-*.pickle")]

    deaths, best = 0, 0.0
    for _ in range(5):
        before = sum(saved("playouts"))
        driver = subprocess.Popen([sys.executable, "driver.py"], cwd=tmp_path, stdout=subprocess.PIPE)
        # It is killed at work, after some slices of its own.
        while driver.poll() is None and sum(saved("playouts")) < before + 3000:
            time.sleep(0.002)
        deaths += driver.poll() is None
        driver.kill()
        driver.communicate()
        found = [best.score for best in saved("best")]
        assert max(found, default=best) >= best
        best = max(found, default=best)
    assert deaths >= 1
    said = subprocess.run([sys.executable, "driver.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True).stdout
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        run = solve("samegame", "random:10x10x4:5", executor=pool, streams=4, method="nrpa", seed=1,
                    slice={"playouts": 1000}, playouts=60_000, exchange=Groups(2, every=2))  # fmt: skip
    assert said == f"{run.score} {run.playouts} {[stream.score for stream in run.streams]} {run.moves}\n"


def test_a_second_driver_is_refused(tmp_path, threads):
    seen = []

    def look(better):
        if not seen:
            for attempt in (lambda: resume(tmp_path / "run"), lambda: solve(Sack(), folder=tmp_path / "run")):
                with pytest.raises(FolderInUse, match="another driver is at work here, process"):
                    attempt()
                seen.append(True)

    solve(Sack(), executor=threads, streams=2, slice=COUNTS, playouts=400, folder=tmp_path / "run", on_improve=look)
    assert seen == [True, True]
    with pytest.raises(FileExistsError, match="holds a run: continue it with soloist.distributed.resume"):
        solve(Sack(), folder=tmp_path / "run")
    run = resume(tmp_path / "run", executor=threads, playouts=800)
    assert run.playouts == 800
    assert [one.playouts for one in run.streams] == [400, 400]


def test_large_saves_travel_by_the_folder(tmp_path, threads, monkeypatch):
    from soloist.distributed import _driver, _slice

    arguments = {"executor": threads, "streams": 2, "method": "uct", "seed": 1, "slice": COUNTS, "playouts": 600}
    small = solve(Sack(), **arguments)
    monkeypatch.setattr(_slice, "LARGE", 100)
    monkeypatch.setattr(_driver, "LARGE", 100)
    run = solve(Sack(), folder=tmp_path / "run", **arguments)
    assert signature(run) == signature(small)
    assert len(list((tmp_path / "run").glob("*.ckpt"))) == 2
    with pytest.warns(RuntimeWarning, match="travel with each slice"):
        assert signature(solve(Sack(), **arguments)) == signature(small)
    assert resume(tmp_path / "run", executor=threads, playouts=1000).playouts == 1000
    # Workers that do not see the folder get the bytes.
    monkeypatch.setattr(_slice, "_is_shared", lambda task: False)
    with pytest.warns(RuntimeWarning):
        assert resume(tmp_path / "run", executor=threads, playouts=1400).playouts == 1400


def test_infeasible_bests(threads):
    run = solve(Strict(), executor=threads, streams=3, method="sampling", slice=COUNTS, playouts=900, exchange="best")
    assert run.score is None and run.violation == 100.5 - Knapsack().optimum()
    assert [stream.score for stream in run.streams] == [None] * 3 and not run.optimal


def test_proofs_and_targets_end_the_run(threads):
    run = solve(Bounded(), executor=threads, streams=3, method="cabs", time=60)
    assert run.optimal and run.score == run.bound == Knapsack().optimum() and run.stop in ("exhausted", "bound")
    run = solve(Tour(), executor=threads, streams=3, method="sampling", target=Tour().optimum() + 1e-9, slice=COUNTS)
    assert run.stop == "target" and run.score == pytest.approx(Tour().optimum())
    run = solve(Sack(), executor=threads, streams=2, method="sampling", stall=300, slice=COUNTS)
    assert run.stop == "stall"
    run = solve(Sack(), executor=threads, streams=2, method="sampling", time=0.5, slice=0.1)
    assert run.stop == "time" and run.seconds < 10 and run.playouts > 0


def test_limits_from_outside(threads):
    event, seen = threading.Event(), []

    def look(state):
        seen.append(state)
        if len(seen) == 2:
            event.set()

    run = solve(Sack(), executor=threads, streams=4, method="nrpa", slice=0.05, time=60, stop=event, on_progress=look)
    assert run.stop == "interrupted" and run.score is not None
    assert [one.index for one in seen[-1].streams] == [0, 1, 2, 3] and seen[-1].playouts <= run.playouts


def test_a_portfolio(threads):
    run = solve(Trip(), executor=threads, streams=4, method=["nrpa", "sampling"], params=[{"level": 2}, None], slice=COUNTS,
                playouts=800)  # fmt: skip
    assert [stream.method for stream in run.streams] == ["nrpa", "sampling"] * 2


def test_contents_of_files_travel(tmp_path, monkeypatch):
    (tmp_path / "board.txt").write_text(soloist.generate("samegame", "random:6x6x3:1"))
    monkeypatch.chdir(tmp_path)
    board = soloist.load("samegame", "board.txt")
    (tmp_path / "board.txt").unlink()
    with Processes(1) as pool:
        run = solve(board, executor=pool, streams=2, method="nrpa", level=2, slice=COUNTS, playouts=400, keep=3)
    assert board.verify(run).score == run.score and len(run.others) == 2
    assert run.score >= run.others[0].score >= run.others[1].score
    assert "<svg" in run._repr_svg_()


def test_improvements_are_an_iterator():
    run = improvements(Sack(), executor=lambda: Processes(1), streams=2, method="sampling", slice=COUNTS, playouts=400)
    scores = [better.score for better in run]
    assert scores == sorted(set(scores)) and run.result.score == scores[-1]
    run = improvements(Sack(), executor=lambda: Processes(1), streams=2, method="sampling", slice=COUNTS, time=600)
    for _ in run:
        break
    assert run.result.stop == "interrupted"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"streams": 0}, "streams: expected a whole number from 1"),
        ({"exchange": "all"}, 'exchange: expected "none", "best", Groups or a function'),
        ({"slice": {"stall": 3}}, "slice: expected seconds, or a dict"),
        ({"slice": {"time": 3, "playouts": 3}}, "slice: give counts or a time"),
        ({"executor": 3}, "executor: expected an executor, a Dask client or a function"),
        ({"method": "nrpaa"}, "nrpa"),
        ({"retries": -1}, "retries: expected a whole number from 0"),
        ({"timeout": 0}, "timeout: expected seconds above 0"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        solve(Sack(), **arguments)


def test_problems_that_do_not_pickle():
    class Local(Knapsack):
        pass

    with pytest.raises(TypeError, match="the problem cannot be sent to workers"):
        solve(Local())


def test_a_script_without_a_guard(tmp_path):
    (tmp_path / "driver.py").write_text("""
import soloist
from soloist.distributed import solve
class Bits(soloist.Problem):
    def root(self): return ()
    def moves(self, bits): return [0, 1] if len(bits) < 10 else []
    def apply(self, bits, bit): return bits + (bit,)
    def score(self, bits): return sum(bits)
solve(Bits(), slice={"playouts": 10}, playouts=80)
""")
    done = subprocess.run([sys.executable, "driver.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and "put the start under `if __name__ == '__main__':`" in done.stderr
    # A worker that ends late writes behind it.
    assert any("NoWorkers" in line for line in done.stderr.splitlines()[-30:]), done.stderr


def test_better():
    infeasible = soloist.Solution(None, 2.0, [], None)
    worse = soloist.Solution(None, 3.0, [], None)
    feasible = soloist.Solution(1.0, None, [], None)
    assert soloist.better(feasible, infeasible) and soloist.better(infeasible, worse) and soloist.better(worse, None)
    assert not soloist.better(infeasible, feasible) and not soloist.better(feasible, feasible)
    assert soloist.better(2, feasible) and soloist.better(0, feasible, "minimize")
    with pytest.raises(ValueError, match="sense"):
        soloist.better(1, 2, "up")


def test_a_wrong_solution_of_a_worker_is_found():
    from soloist.distributed._verify import verified

    with pytest.raises(soloist.BrokenPromise, match="`score` returns"):
        verified(Knapsack(), soloist.Solution(1000.0, None, [0] * 8, None))
    with pytest.raises(soloist.BrokenPromise, match="move 1 is not among"):
        verified(Knapsack(), soloist.Solution(0.0, None, [0, 7], None))
    with pytest.raises(soloist.BrokenPromise, match="moves left"):
        verified(Knapsack(), soloist.Solution(0.0, None, [0], None))
    good = verified(Knapsack(), soloist.Solution(0.0, None, [0] * 8, None))
    assert good.solution == (8, 0, 0)


def test_a_worker_whose_clock_is_ahead(threads, monkeypatch):
    from soloist.distributed import _slice

    class Ahead:
        perf_counter, process_time = time.perf_counter, time.process_time

        @staticmethod
        def time():
            return time.time() + 3600

    monkeypatch.setattr(_slice, "time", Ahead)
    run = solve(Sack(), executor=threads, streams=2, method="nrpa", slice=0.2, time=1.0)
    assert run.stop == "time" and run.playouts > 0 and all(stream.slices < 20 for stream in run.streams)


def test_examples_of_the_guide(tmp_path, monkeypatch):
    import doctest
    import pathlib

    monkeypatch.chdir(tmp_path)
    guide = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "cluster.md"
    text = "\n".join("" if line.startswith("```") else line for line in guide.read_text().splitlines())
    examples = doctest.DocTestParser().get_doctest(text, {}, "cluster.md", str(guide), 0)
    runner = doctest.DocTestRunner()
    runner.run(examples)
    assert runner.failures == 0 and runner.tries > 6


def test_threads_of_a_python_problem_are_processes():
    settings = {"method": "sampling", "playouts": 800, "seed": 4, "keep": 3}
    one = soloist.solve(Sack(), threads=2, **settings)
    assert (one.threads, one.playouts, one.stop, len(one.others)) == (2, 800, "playouts", 2)
    alone = [soloist.Session(Sack(), method="sampling", seed=seed) for seed in (4, 5)]
    for session in alone:
        session.advance(playouts=400)
    assert one.score == max(session.best.score for session in alone)
    again = soloist.solve(Sack(), threads=2, **settings)
    assert (again.score, again.moves) == (one.score, one.moves)
    timed = soloist.solve(Sack(), threads=2, time=1.0, method="sampling")
    assert timed.stop == "time" and timed.playouts > 0
