"""The functions of :mod:`soloist.distributed`."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import pickle
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union

from .. import _arguments, _soloist
from .._bench import address
from .._improvements import Improvements, _Run as _Thread
from .._instance import Instance
from .._keywords import Parameters
from .._lint import warn
from .._problem import Rules, functions
from .._progress import Display, Shown, shown
from .._report import Server
from .._result import Improvement, Stop
from .._run import Limits, MethodName, keywords, split
from .._solve import target_of
from ._driver import Calls, Driver, Plan, new_token
from ._events import Events
from ._exchange import Exchange, checked
from ._executors import Workers
from ._folder import Folder
from ._run import Run, StreamProgress

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: One setting for all streams, or a list: stream ``i`` gets entry ``i`` modulo its length.
Method = Union[MethodName, None, Sequence[Union[MethodName, None]]]
Params = Union[Mapping[str, Any], None, Sequence[Union[Mapping[str, Any], None]]]


class ImprovementsKeywords(Limits, Parameters, total=False):
    """The keywords of :func:`improvements`."""

    executor: Any
    workers: int | None
    streams: int
    method: Method
    seed: int | None
    params: Params
    rollout: str | None | Sequence[str | None]
    slice: float | datetime.timedelta | Mapping[str, Any]
    keep: int
    exchange: Exchange
    folder: str | os.PathLike[str] | None
    retries: int
    timeout: float | datetime.timedelta | None
    serve: int | str | None
    on_progress: Callable[[StreamProgress], Any] | None
    stop: Stop | None


class SolveKeywords(ImprovementsKeywords, total=False):
    """The keywords of :func:`solve`."""

    on_improve: Callable[[Improvement], Any] | None
    progress: Shown


class ResumeKeywords(TypedDict, total=False):
    """The keywords of :func:`resume`: limits of the whole run, which replace those that it has."""

    time: float | datetime.timedelta | None
    playouts: int | float | None
    nodes: int | float | None
    target: float | None
    stall: int | float | None


#: The defaults that are not None.
_DEFAULTS: dict[str, Any] = {"streams": 8, "slice": 10.0, "keep": 1, "exchange": "none", "retries": 5}


def _setups(streams: int, method: Method, params: Params, rollout: Any, seed: Any) -> list[dict[str, Any]]:
    """Returns what each stream runs."""
    first = 0 if seed is None else _arguments.count("seed", seed, least=0, most=2**64 - 1)

    def entry(name: str, value: Any, index: int) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        if not value:
            raise ValueError(f"{name}: expected at least one entry")
        return value[index % len(value)]

    setups = []
    for index in range(streams):
        setup = {
            "method": entry("method", method, index),
            "params": entry("params", params, index),
            "rollout": entry("rollout", rollout, index),
            "seed": (first + index) % 2**64,
        }
        settings = _arguments.settings(setup["params"], {})
        _arguments.request(method=setup["method"], parameters=settings, rollout=setup["rollout"])
        setups.append(setup)
    return setups


def _workers(workers: Any) -> int | None:
    return None if workers is None else _arguments.count("workers", workers, most=1_000_000)


def _slice(slice: Any) -> dict[str, Any]:
    """Returns the limits of a slice."""
    if not isinstance(slice, Mapping):
        return {"time": _arguments.seconds("slice", slice)}
    unknown = [name for name in slice if name not in ("time", "playouts", "nodes")]
    if unknown or not slice:
        got = f"`{unknown[0]}`" if unknown else "{}"
        raise ValueError(f"slice: expected seconds, or a dict with playouts, nodes or time, got {got}")
    if len(slice) > 1 and "time" in slice:
        raise ValueError("slice: give counts or a time; with both, no run repeats")
    return {name: limit for name, limit in _arguments.limits(**slice).items() if limit is not None}


def _calls(on_improve: Any, on_progress: Any, stop: Any, serve: Any = None) -> Calls:
    return Calls(
        _arguments.callback("on_improve", on_improve),
        _arguments.callback("on_progress", on_progress),
        _arguments.callback("stop", getattr(stop, "is_set", stop)),
        serve=None if serve is None else address(serve),
    )


def _drive(driver: Driver, calls: Calls, progress: Shown) -> Run:
    calls.display = Display(progress, driver.plan.limits)
    try:
        return _watched(driver, calls)
    finally:
        calls.display.close()


def _title(driver: Driver) -> str:
    problem, count = driver.problem, len(driver.streams)
    name = f"{problem.problem} {problem.name}" if isinstance(problem, Instance) else type(problem).__name__
    return f"{name}, {count} streams"


def _watched(driver: Driver, calls: Calls) -> Run:
    """Runs to the end, with a live page if one is asked for, and with events if there is a folder for them."""
    folder, place = driver.folder, calls.serve
    if folder is None and place is None:
        return driver.run(calls)
    limits = {**driver.plan.limits, **driver.plan.memory}
    try:
        events = Events(None if folder is None else folder.path / "events", driver.problem, driver.streams, limits)
        with contextlib.ExitStack() as stack:
            stack.callback(events.close)
            if place is not None:
                server = stack.enter_context(Server(events.files, _title(driver), place))
                if sys.stderr is not None:
                    print(f"live view: {server.url}", file=sys.stderr)
            driver.events = events
            return driver.run(calls)
    finally:
        # Also where the page could not be served.
        if folder is not None:
            folder.close()


def _started(problem: Any, instance: Any, given: Mapping[str, Any], kind: type) -> tuple[Driver, Calls, Shown]:
    """Checks the keywords of a run; returns its driver, and what is called and shown."""
    arguments, options = split(given, kind)
    calls = _calls(*(arguments.pop(name, None) for name in ("on_improve", "on_progress", "stop", "serve")))
    display = shown(arguments.pop("progress", None))
    limits = _arguments.limits(**{name: arguments.pop(name, None) for name in Limits.__annotations__})
    memory = {name: limits.pop(name) for name in ("memory", "max_moves")}
    return _driver(problem, instance, {**_DEFAULTS, **arguments}, options, limits, memory), calls, display


def _driver(
    problem: Any,
    instance: Any,
    arguments: Mapping[str, Any],
    options: Mapping[str, Any],
    limits: dict[str, Any],
    memory: dict[str, Any],
) -> Driver:
    """Makes the driver of a run."""
    count = _arguments.count("streams", arguments["streams"], most=1_000_000)
    target, settings = target_of(problem, instance, _arguments.settings(None, options, arguments.get("method")))
    if not isinstance(target, Instance):
        warn(functions(target)["unread"])
    method, params, rollout, folder = (arguments.get(name) for name in ("method", "params", "rollout", "folder"))
    if settings:
        if not isinstance(params, (Mapping, type(None))):
            raise TypeError("params: a list of settings leaves no place for keywords")
        params = {**(params or {}), **settings}
    timeout = arguments.get("timeout")
    if all(limits[name] is None for name in ("time", "playouts", "nodes", "target", "stall")):
        limits["time"] = float(_soloist.DEFAULT_SECONDS)
    plan = Plan(
        setups=_setups(count, method, params, rollout, arguments.get("seed")),
        slice=_slice(arguments["slice"]),
        exchange=checked(arguments["exchange"], count),
        keep=_arguments.count("keep", arguments["keep"], most=100_000),
        limits=limits,
        memory={name: limit for name, limit in memory.items() if limit is not None},
        retries=_arguments.count("retries", arguments["retries"], least=0),
        timeout=None if timeout is None else _arguments.seconds("timeout", timeout),
    )
    token = new_token()
    place = None if folder is None else Folder(_arguments.path("folder", folder))
    try:
        if place is not None and place.is_used:
            raise FileExistsError(f"{place.path}: holds a run: continue it with soloist.distributed.resume, or remove it")
        workers = Workers(arguments.get("executor"), count, _workers(arguments.get("workers")))
        data = workers.dumps(target)
        if place is not None:
            is_function = plan.exchange is not None and callable(plan.exchange)
            setup = {**plan.__dict__, "exchange": "a function" if is_function else plan.exchange, "token": token}
            about = {
                "problem": target.problem if isinstance(target, Instance) else type(target).__name__,
                "instance": target.name if isinstance(target, Instance) else "",
                "streams": plan.setups,
                "slice": plan.slice,
                "limits": plan.limits,
                "exchange": str(setup["exchange"]),
                "token": token,
            }
            place.begin(about, setup, data)
        return Driver(target, data, plan, workers, place, token)
    except BaseException:
        if place is not None:
            place.close()
        raise


@keywords(SolveKeywords, _DEFAULTS)
def solve(
    problem: Rules | Instance | str,
    instance: str | os.PathLike[str] | None = None,
    /,
    **given: Unpack[SolveKeywords],
) -> Run:
    """Searches by many workers until a limit is reached.

    With slices of counts and no exchange each stream makes exactly what a :class:`soloist.Session` of its seed makes,
    for any number of workers, deaths and drivers; with an exchange the whole run repeats, and groups of streams wait for
    each other. With slices of seconds no stream waits, and the only promise is that the best solution never
    worsens.

    Raises the exceptions of the problem's functions as they were, with the traceback of the worker as their cause;
    :class:`NoWorkers` where no worker is left, and :class:`SliceLost` where a slice ends its workers again and again.
    The folder can be resumed after each of them. Ctrl-C ends the run: its result has the best solution of the
    complete slices, and ``stop == "interrupted"``.

    Args:
        problem: an object that can be pickled, or the name of a problem that ships, or an :class:`soloist.Instance`.
            Contents of files travel along.
        instance: a file or a spec, for a problem that ships.
        executor: anything with the ``submit`` of ``concurrent.futures``, such as ``mpi4py.futures.MPIPoolExecutor``; a
            client of Dask; a function that makes an executor, which is called again when it is broken. Default:
            :class:`Processes`, one for each core.
        workers: how many slices the executor makes at a time; needed where it does not say so itself and nothing else
            should be queued there. Default: what the executor says, or all streams are handed to its queue.
        streams: independent searches, with the seeds ``seed`` to ``seed + streams - 1``. More than workers is fine.
        method: the name of a method; a list is dealt out to the streams in turn, as are lists of ``params`` and
            ``rollout``.
        seed: the seed of the first stream, 0 by default.
        params: parameters of the method by name.
        rollout: the playout policy, by name.
        slice: seconds, or a dict such as ``{"playouts": 100_000}``.
        time: seconds of the whole run.
        playouts: playouts of the whole run, divided among the streams beforehand.
        nodes: nodes of the whole run, divided in the same way.
        target: stop at the first solution with this score or a better one.
        stall: stop after this many playouts of all streams without improvement, as far as slices are complete.
        memory: bytes for search trees and lists of states of one stream, 2 GiB by default.
        max_moves: moves of a game, a million by default.
        keep: how many of the best different solutions are kept.
        exchange: ``"none"``; ``"best"``, the best of all after each slice; :class:`Groups`; or a function of the number
            of slices and the best solutions of all streams that returns a dict from streams to solutions.
        folder: where the state of the run is kept, for :func:`resume`. Saves above 8 MiB travel through it if the
            workers see it. Its files ``events/*.jsonl`` are what ``soloist serve`` and :func:`soloist.serve` show.
        retries: how often one slice is made again after a death or a hang.
        timeout: seconds after which a slice that has not come back hangs, and seconds without any worker after which
            the run ends. Default: ten times the longest slice and a minute, and a minute without a worker.
        serve: a port of this machine, or an address, on which a live page shows the streams and the best of all.
        on_improve: called in the driver with an :class:`soloist.Improvement` for each better solution.
        on_progress: called with a :class:`StreamProgress` up to five times a second.
        stop: ends the run as Ctrl-C does: an event, or a function that returns something true.
        progress: as for :func:`soloist.solve`.
        **options: parameters of the method, and options of a problem that ships.
    """
    return _drive(*_started(problem, instance, given, SolveKeywords))


@keywords(ResumeKeywords)
def resume(
    folder: str | os.PathLike[str],
    *,
    executor: Any = None,
    workers: int | None = None,
    problem: Rules | Instance | None = None,
    exchange: Callable[..., Any] | None = None,
    retries: int | None = None,
    timeout: float | datetime.timedelta | None = None,
    on_improve: Callable[[Improvement], Any] | None = None,
    on_progress: Callable[[StreamProgress], Any] | None = None,
    stop: Stop | None = None,
    progress: Shown = None,
    serve: int | str | None = None,
    **limits: Unpack[ResumeKeywords],
) -> Run:
    """Continues a run after the last complete slice of each stream.

    Limits that are given replace those of the run; they count all of it. Other arguments are those of :func:`solve`.
    The folder holds pickled objects: resume only folders that you trust as much as a program.

    Args:
        folder: the folder of the run. Raises :class:`FolderInUse` while another driver works with it.
        problem: the problem, where the one of the folder can no longer be unpickled.
        exchange: the function of the run, if it had one, because the folder does not hold it.
    """
    calls, display = _calls(on_improve, on_progress, stop, serve), shown(progress)
    for name in limits:
        if name not in ResumeKeywords.__annotations__:
            raise _arguments.unknown(name)
    asked = _arguments.limits(**limits)
    path = _arguments.path("folder", folder)
    if not path.is_dir():
        raise FileNotFoundError(f"{path}: no run to resume, the folder is missing")
    place = Folder(path)
    try:
        _, setup, data = place.read()
        token = setup.pop("token")
        plan = Plan(**setup)
        plan.limits = {**plan.limits, **{name: limit for name, limit in asked.items() if limit is not None}}
        if plan.exchange == "a function":
            if exchange is None:
                raise ValueError("exchange: the run had a function, give it again")
            plan.exchange = _arguments.callback("exchange", exchange)
        elif exchange is not None:
            raise ValueError("exchange: the run has its own setting; leave it out")
        if retries is not None:
            plan.retries = _arguments.count("retries", retries, least=0)
        if timeout is not None:
            plan.timeout = _arguments.seconds("timeout", timeout)
        pool = Workers(executor, len(plan.setups), _workers(workers))
        if problem is None:
            try:
                problem = pickle.loads(data)
            except Exception as error:
                raise ValueError(
                    f"{path}: the problem cannot be unpickled, give problem=: {type(error).__name__}: {error}"
                ) from error
        else:
            data = pool.dumps(problem)
        driver = Driver(problem, data, plan, pool, place, token)
        driver.restore()
    except BaseException:
        place.close()
        raise
    return _drive(driver, calls, display)


class _Driven(_Thread):
    """A distributed run on a thread of its own."""

    def __init__(self, driver: Driver, calls: Calls) -> None:
        super().__init__({}, None, calls.stop)
        self._driver = driver
        self._calls = dataclasses.replace(calls, on_improve=self.found.put, stop=self._wants_stop)
        self.thread = threading.Thread(target=self._work, name="soloist.distributed", daemon=True)

    def _work(self) -> None:
        try:
            self.result = _watched(self._driver, self._calls)
        except BaseException as error:
            self.error = error
        finally:
            self.found.put(None)


@keywords(ImprovementsKeywords, _DEFAULTS)
def improvements(
    problem: Rules | Instance | str,
    instance: str | os.PathLike[str] | None = None,
    /,
    **given: Unpack[ImprovementsKeywords],
) -> Improvements:
    """Searches as :func:`solve` does and yields each better solution when its slice arrives.

    Leaving the loop ends the run; ``result`` is then its :class:`Run`.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> run = improvements("knapsack", "weak:20x1000:1", executor=lambda: ThreadPoolExecutor(2), streams=2,
    ...                    slice={"playouts": 100}, method="sampling", seed=1)
    >>> for better in run:
    ...     if better.score >= 4400:
    ...         break
    >>> run.result.stop, run.result.score >= 4400
    ('interrupted', True)
    """
    driver, calls, _ = _started(problem, instance, given, ImprovementsKeywords)
    return Improvements(_Driven(driver, calls))
