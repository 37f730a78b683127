"""Faults of clusters: each ends in one clear line, nothing that was found is lost, and one bad stream ends no run."""

import concurrent.futures
import dataclasses
import errno
import fcntl
import json
import os
import threading
import time
import warnings

import pytest

import soloist
from common import Bounded
from remote import Sack
from soloist.distributed import NoWorkers, SliceLost, resume, solve
from soloist.distributed import _folder, _slice

RUN = {"streams": 2, "method": "sampling", "slice": {"playouts": 100}, "playouts": 600, "progress": False}


class Pool:
    """An executor that does not say how many slices it makes at a time."""

    def __init__(self, workers=1):
        self.pool = concurrent.futures.ThreadPoolExecutor(workers)

    def submit(self, function, *arguments):
        return self.pool.submit(function, *arguments)


class Job:
    """What some executors return: no callbacks, no way to give it up, no sign that it has begun."""

    def __init__(self, future):
        self.future = future

    def done(self):
        return self.future.done()

    def result(self):
        return self.future.result()


class Jobs(Pool):
    def submit(self, function, *arguments):
        return Job(super().submit(function, *arguments))


class Slow(Sack):
    def score(self, state):
        time.sleep(0.002)
        return super().score(state)


@pytest.mark.parametrize("kind", [Pool, Jobs])
def test_waiting_in_a_queue_is_not_hanging(kind):
    # All slices are queued behind one worker: the last ones wait much longer than one slice may take.
    run = solve(
        Slow(), executor=kind(), streams=12, method="sampling", slice={"playouts": 10}, playouts=240, timeout=2.0, retries=0,
        progress=False,
    )  # fmt: skip
    assert (run.playouts, run.lost.slices, run.stop) == (240, 0, "playouts")


def test_workers_say_how_many_slices_are_handed_out():
    busy, most, lock = [0], [0], threading.Lock()

    class Counting(Jobs):
        def submit(self, function, *arguments):
            with lock:
                busy[0] += 1
                most[0] = max(most[0], busy[0])

            def made(*arguments):
                try:
                    return function(*arguments)
                finally:
                    with lock:
                        busy[0] -= 1

            return super().submit(made, *arguments)

    run = solve(Sack(), executor=Counting(4), workers=2, **{**RUN, "streams": 6})
    assert run.playouts == 600 and most[0] <= 2
    with pytest.raises(ValueError, match="workers: expected a whole number from 1"):
        solve(Sack(), executor=Pool(), workers=0, **RUN)


def test_jobs_without_an_answer_are_refused():
    class Odd(Pool):
        def submit(self, function, *arguments):
            return 3

    with pytest.raises(TypeError, match=r"executor: its jobs need done\(\) and result\(\), as futures have; submit returned 3"):
        solve(Sack(), executor=Odd(), **{**RUN, "streams": 1})


class Hanging(Pool):
    """Answers a number of slices and takes the others for ever."""

    def __init__(self, answers):
        super().__init__()
        self.answers = answers

    def submit(self, function, *arguments):
        self.answers -= 1
        return super().submit(function, *arguments) if self.answers >= 0 else concurrent.futures.Future()


def test_a_queue_that_nobody_serves_ends_the_run_after_the_timeout():
    with pytest.raises((NoWorkers, SliceLost), match="no answer for 1 s") as caught:
        solve(Sack(), executor=Hanging(3), timeout=1, retries=1, **RUN)
    assert caught.value.run.playouts == 300 and caught.value.run.score is not None


class Rounding(Sack):
    """Sums as another machine rounds them, in all threads but the one of the driver."""

    def score(self, state):
        other = threading.current_thread() is not threading.main_thread()
        return state[2] * (1.1 + (2.3e-16 if other else 0.0))


def test_one_bit_of_difference_between_machines_is_none():
    seen = []
    run = solve(Rounding(), executor=concurrent.futures.ThreadPoolExecutor(1), on_improve=seen.append, **RUN)
    assert run.playouts == 600 and run.score == Rounding().score(run.solution)
    # The same solution with the last bit of a worker is no improvement.
    assert len({tuple(one.moves) for one in seen}) == len(seen) == len(run.history)


class Uneven(Sack):
    """Every second worker rounds otherwise."""

    def score(self, state):
        other = threading.current_thread().name.endswith("_1")
        return state[2] * (1.1 + (2.3e-16 if other else 0.0))


def test_runs_move_between_machines_that_round_otherwise():
    # The saves of one worker are restored by the other one.
    assert Uneven().score((0, 0, 83)) == 83 * 1.1 != 83 * (1.1 + 2.3e-16)
    pool = concurrent.futures.ThreadPoolExecutor(2)
    run = solve(Uneven(), executor=pool, exchange="best", **{**RUN, "streams": 3, "method": "nrpa", "playouts": 3000})
    assert run.playouts == 3000 and run.score == Uneven().score(run.solution)


class Lying(Sack):
    def score(self, state):
        other = threading.current_thread() is not threading.main_thread()
        return state[2] * (1.0001 if other else 1.0)


def test_more_than_a_bit_of_difference_is_an_error():
    with pytest.raises(soloist.BrokenPromise, match="a worker's solution: `score` returns .* here, and returned .* in the worker"):
        solve(Lying(), executor=concurrent.futures.ThreadPoolExecutor(1), **RUN)


def test_a_proof_of_another_stream_counts_in_spite_of_the_last_bit():
    class Exact(Bounded):
        def score(self, state):
            other = threading.current_thread() is not threading.main_thread()
            return state[2] * (1.1 + (2.3e-16 if other else 0.0))

        def bound(self, state):
            return 2 * super().bound(state)

    Exact.__qualname__ = "Exact"
    globals()["Exact"] = Exact
    run = solve(Exact(), executor=concurrent.futures.ThreadPoolExecutor(1), streams=1, method="dfs", slice=1.0, time=20, progress=False)
    assert run.optimal and run.score == pytest.approx(1.1 * Bounded().optimum())
    assert any("soloist.check has not examined" in remark for remark in run.remarks)


# Folders.


def begun(folder, **arguments):
    return solve(Sack(), executor=concurrent.futures.ThreadPoolExecutor(1), folder=folder, **{**RUN, **arguments})


def again(folder, **arguments):
    return resume(folder, executor=concurrent.futures.ThreadPoolExecutor(1), progress=False, **arguments)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_no_driver(tmp_path, monkeypatch, number):
    def flock(*arguments):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.warns(RuntimeWarning, match=f"the file system has no locks .{os.strerror(number)}.: a second driver is not"):
        run = begun(tmp_path / "run")
    assert run.playouts == 600 and any("has no locks" in remark for remark in run.remarks)


def test_another_driver_is_refused_as_before(tmp_path):
    folder = _folder.Folder(tmp_path)
    with pytest.raises(soloist.distributed.FolderInUse, match="another driver is at work here, process"):
        _folder.Folder(tmp_path)
    folder.close()
    _folder.Folder(tmp_path).close()


def damaged(name):
    def truncate(path):
        os.truncate(path, 10)

    def flip(path):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 4
        path.write_bytes(data)

    return {"truncate": truncate, "flip": flip, "remove": lambda path: path.unlink()}[name]


@pytest.mark.parametrize("how", ["truncate", "flip", "remove"])
def test_a_damaged_checkpoint_costs_one_stream(tmp_path, how):
    first = begun(tmp_path / "run", seed=3)
    [path] = (tmp_path / "run").glob("stream-1-*.ckpt")
    damaged(how)(path)
    with pytest.warns(RuntimeWarning, match=f"{path.name}: .*; stream 1 begins again with its best solution"):
        run = again(tmp_path / "run", playouts=800)
    assert [stream.playouts for stream in run.streams] == [400, 400] and run.score >= first.score
    assert [stream.score for stream in run.streams][1] >= first.streams[1].score
    assert any(path.name in remark for remark in run.remarks)
    # The other stream is what it would have been.
    alone = soloist.Session(Sack(), method="sampling", seed=3, playouts=400)
    alone.advance(playouts=400)
    assert alone.best.score == run.streams[0].score


def test_a_damaged_record_costs_one_stream(tmp_path):
    begun(tmp_path / "run")
    path = tmp_path / "run" / "stream-0.pickle"
    damaged("truncate")(path)
    with pytest.warns(RuntimeWarning, match="stream-0.pickle: damaged .*: stream 0 begins again"):
        assert again(tmp_path / "run").playouts == 600
    (tmp_path / "run" / "progress.json").write_text("{")
    with pytest.warns(RuntimeWarning, match="progress.json: damaged"):
        assert again(tmp_path / "run").playouts == 600


class Better(Sack):
    """The class of the folder, changed."""

    def score(self, state):
        return state[2] + 1


def test_a_class_that_has_changed_is_named(tmp_path):
    begun(tmp_path / "run")
    message = "the best solution in the folder of the run: `score` returns .* here, and returned .* when the folder was written: the class"
    with pytest.raises(soloist.BrokenPromise, match=message):
        again(tmp_path / "run", problem=Better(), playouts=800)


def test_a_full_disk_ends_the_run_with_what_was_found(tmp_path, monkeypatch):
    count, real = [0], _folder.write

    def write(path, data):
        count[0] += 1
        if count[0] > 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, data)

    monkeypatch.setattr(_folder, "write", write)
    with pytest.raises(OSError, match="the folder of the run cannot be written .No space left on device.; what it holds") as caught:
        begun(tmp_path / "run", playouts=4000)
    assert caught.value.errno == errno.ENOSPC and str(tmp_path / "run") in str(caught.value)
    assert caught.value.run.playouts > 0 and caught.value.run.moves is not None
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert again(tmp_path / "run").playouts == 4000


# What is lost.


class Dying(Pool):
    """Is broken after some slices."""

    _max_workers = 1

    def __init__(self, slices):
        super().__init__()
        self.slices = slices

    def submit(self, function, *arguments):
        self.slices -= 1
        if self.slices < 0:
            raise concurrent.futures.BrokenExecutor("gone")
        return super().submit(function, *arguments)


def test_what_was_found_is_with_the_exception():
    with pytest.raises(NoWorkers, match="the executor is broken .gone.") as caught:
        solve(Sack(), executor=Dying(4), **RUN)
    run = caught.value.run
    assert run.playouts == 400 and run.stop == "interrupted" and run.score == Sack().score(run.solution)
    assert any("the best solution so far has the score" in note for note in caught.value.__notes__)
    # Nothing was found.
    with pytest.raises(NoWorkers) as caught:
        solve(Sack(), executor=Dying(0), **RUN)
    assert caught.value.run.moves is None


# Versions.


class Older(Pool):
    """Its tasks come from another version of the package, as far as the worker sees."""

    _max_workers = 1

    def __init__(self, change):
        super().__init__()
        self.change = change

    def submit(self, function, task):
        return super().submit(function, self.change(task))


def lacking(task):
    other = object.__new__(type(task))
    other.__dict__.update({name: value for name, value in task.__dict__.items() if name != "deadline"})
    return other


@pytest.mark.parametrize("change", [lacking, lambda task: dataclasses.replace(task, version="0.0.9")])
def test_another_version_is_named(change):
    version = soloist.__version__
    with pytest.raises(RuntimeError, match=f"worker .*:{os.getpid()} has soloist {version}, the driver {version}: both need"):
        solve(Sack(), executor=Older(change), **RUN)


def test_an_answer_of_another_version_is_named(monkeypatch):
    class Answers(Pool):
        _max_workers = 1

        def submit(self, function, task):
            return super().submit(lambda: dataclasses.replace(function(task), version="0.0.9"))

    with pytest.raises(RuntimeError, match=f"has soloist 0.0.9, the driver {soloist.__version__}: both need the same"):
        solve(Sack(), executor=Answers(), **RUN)
    monkeypatch.setattr(_slice._soloist, "VERSION", "0.0.9")
    task = _slice.Task(b"", "", {}, {}, None, None, {}, None, None, "", "", version=soloist.__version__)
    assert _slice.run_slice(task).version == "0.0.9"


def test_descriptions_of_runs_have_the_version(tmp_path):
    begun(tmp_path / "run")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["version"] == soloist.__version__
