"""The work of a worker: one slice of one stream, a function of what it is given."""

from __future__ import annotations

import collections
import os
import pickle
import socket
import threading
import time
import traceback
import uuid
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from .. import _soloist
from .._instance import Instance
from .._problem import functions
from .._result import Result, Solution
from .._session import Session

#: Saves above this many bytes travel by the shared folder, if there is one.
LARGE = 8 << 20

#: The problems that this process has unpickled last, by the hash of their bytes.
_PROBLEMS: collections.OrderedDict[str, Any] = collections.OrderedDict()
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Task:
    """One slice: everything that it depends on."""

    #: The pickled problem, and its hash.
    problem: bytes = field(repr=False)
    digest: str
    #: The arguments of a new session.
    setup: dict[str, Any]
    #: The limits of the stream, for methods that plan ahead.
    limits: dict[str, Any]
    #: The run so far, as bytes or as a file of the folder; None: it begins.
    saved: bytes | str | None = field(repr=False)
    #: A solution from another stream.
    offer: Solution | None = field(repr=False)
    #: The limits of the slice.
    slice: dict[str, Any]
    #: When the whole run ends, in seconds since 1970.
    deadline: float | None
    #: Where large saves go, and a word that its file `run.json` holds.
    folder: str | None
    token: str
    #: The start of the name of a file for the save.
    name: str
    #: Checked games of a problem in Python before the slice, and seconds for them; None: another slice plays them.
    checks: tuple[int, float] | None = None
    #: The version of the package in the driver.
    version: str = ""


@dataclass(frozen=True)
class Slice:
    """What a slice has yielded."""

    saved: bytes | str = field(repr=False)
    size: int
    best: Solution | None
    others: list[Solution] = field(repr=False)
    playouts: int
    nodes: int
    #: The stream's playouts when its best solution was found.
    found: int
    bound: float | None
    optimal: bool
    infeasible: bool
    stop: str
    done: bool
    #: What `Result` says about the run.
    about: dict[str, Any] = field(repr=False)
    seconds: float
    cpu_seconds: float
    worker: str
    #: The version of the package in the worker.
    version: str = ""


@dataclass(frozen=True)
class Other:
    """The worker has another version of the package."""

    worker: str
    version: str


@dataclass(frozen=True)
class Failed:
    """An exception of the problem, with the text of its traceback."""

    error: bytes | None
    shown: str
    traceback: str


@dataclass(frozen=True)
class Unseen:
    """The save is in a folder that this worker does not see."""


@dataclass(frozen=True)
class Late:
    """The run was over before the slice began."""


def worker_name() -> str:
    """Returns the host and the process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _problem(data: bytes, digest: str) -> Any:
    """Returns the problem; unpickled once for each process."""
    with _LOCK:
        if digest in _PROBLEMS:
            _PROBLEMS.move_to_end(digest)
            return _PROBLEMS[digest]
    problem = pickle.loads(data)
    with _LOCK:
        _PROBLEMS[digest] = problem
        while len(_PROBLEMS) > 4:
            _PROBLEMS.popitem(last=False)
    return problem


def _is_shared(task: Task) -> bool:
    """Whether this process sees the folder of the driver, and not another one of that name."""
    if task.folder is None:
        return False
    try:
        return task.token in (Path(task.folder) / "run.json").read_text(encoding="utf-8")
    except OSError:
        return False


def write(path: Path, data: bytes) -> None:
    """Writes a file that is whole under its name."""
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with open(unfinished, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _store(task: Task, saved: bytes) -> bytes | str:
    """Returns the save, or the name of the file that holds it if it is large."""
    if len(saved) <= LARGE or not _is_shared(task):
        return saved
    name = f"{task.name}-{uuid.uuid4().hex[:8]}.ckpt"
    try:
        write(Path(str(task.folder)) / name, saved)
    except OSError:
        # A full disk costs time on the network, and no work.
        return saved
    return name


def _advance(task: Task) -> Slice | Late | Unseen:
    slice = dict(task.slice)
    if task.deadline is not None:
        left = task.deadline - time.time()
        if left <= 0:
            return Late()
        slice["time"] = min(slice.get("time") or left, left)
    begin, cpu = time.perf_counter(), time.process_time()
    problem = _problem(task.problem, task.digest)
    if task.checks is not None and not isinstance(problem, Instance):
        # Not in the driver, which must outlive what the functions do.
        _soloist.first_games(functions(problem), *task.checks)
    if task.saved is None:
        session = Session(problem, **task.setup, **task.limits)
    else:
        if isinstance(task.saved, str) and not _is_shared(task):
            return Unseen()
        saved = task.saved if isinstance(task.saved, bytes) else (Path(str(task.folder)) / task.saved).read_bytes()
        session = Session.restore(saved, problem, **task.limits)
    if task.offer is not None:
        session.offer(task.offer)
    session.advance(**slice)
    result = session.result
    saved = session.save()
    # The driver makes the finished state again when it verifies the moves.
    is_shipped = isinstance(problem, Instance)
    best = _light(result, is_shipped)
    return Slice(
        saved=_store(task, saved),
        size=len(saved),
        best=best,
        others=[_light(other, is_shipped) or other for other in result.others],
        playouts=result.playouts,
        nodes=result.nodes,
        found=result.history[-1].playouts if result.history else 0,
        bound=result.bound,
        optimal=result.optimal,
        infeasible=result.infeasible,
        stop=result.stop,
        done=session.done,
        about={name: getattr(result, name) for name in ABOUT},
        seconds=time.perf_counter() - begin,
        cpu_seconds=time.process_time() - cpu,
        worker=worker_name(),
        version=_soloist.VERSION,
    )


#: What the result of the whole run repeats of those of its streams.
ABOUT = ("method", "parameters", "rollout", "sense", "problem", "instance", "options", "remarks", "tree", "pair")


def _light(found: Result | Solution, is_shipped: bool) -> Solution | None:
    if found.moves is None:
        return None
    return Solution(found.score, found.violation, found.moves, found.solution if is_shipped else None)


def run_slice(task: Task) -> Slice | Failed | Late | Unseen | Other:
    """Makes a slice. Exceptions of the problem are part of the answer: others are those of the machinery."""
    # A task of another version may lack fields, and have others.
    if getattr(task, "version", "") != _soloist.VERSION or any(not hasattr(task, one.name) for one in fields(Task)):
        return Other(worker_name(), _soloist.VERSION)
    try:
        return _advance(task)
    except Exception as error:
        shown = f"{type(error).__name__}: {error}"
        try:
            data = pickle.dumps(error)
            pickle.loads(data)
        except Exception:
            data = None
        return Failed(data, shown, traceback.format_exc())
