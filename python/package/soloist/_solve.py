"""Runs that continue until a limit is reached."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _arguments, _soloist
from ._instance import Instance, _load
from ._lint import warn
from ._numba import compiled_of, finished
from ._prefix import Prefix, completed
from ._problem import Rules, functions, parts_of, was_checked
from ._progress import Display, shown
from ._result import Progress, Result, as_start, calls, own_result, shipped_result
from ._run import SolveKeywords, keywords, split

if TYPE_CHECKING:
    from typing_extensions import Unpack


def target_of(problem: Any, instance: Any, given: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """Returns an instance or a Python problem, and the settings that are not options of it."""
    if not isinstance(problem, str):
        if instance is not None:
            raise TypeError("instance: only problems that ship have instances; give the name of one as `problem`")
        if isinstance(problem, Instance):
            for name in given:
                if name in problem.options:
                    raise ValueError(f"`{name}` is a rule of the instance: give it to soloist.load")
        return problem, given
    if instance is None:
        raise TypeError(f"instance: missing; give a file or a spec of {problem}, see soloist.problems()")
    options = set(_soloist.option_names(problem))
    rules = {name: value for name, value in given.items() if name in options}
    return _load(problem, instance, rules), {name: value for name, value in given.items() if name not in options}


class Asked:
    """What the keywords of a call ask for: a problem, and the request of its run."""

    def __init__(self, problem: Any, instance: Any, given: Mapping[str, Any], kind: type) -> None:
        arguments, others = split(given, kind)
        settings = _arguments.settings(arguments.pop("params", None), others, arguments.get("method"))
        self.target, settings = target_of(problem, instance, settings)
        is_shipped = isinstance(self.target, Instance)
        self.functions = {} if is_shipped else functions(self.target)
        warn(self.functions.get("unread", []))
        prefix, start = arguments.pop("prefix", None), as_start(arguments.pop("start", None), is_shipped)
        self.behind = behind = None if prefix is None or is_shipped else Prefix(self.functions, prefix)
        if isinstance(start, list):
            seed = arguments.get("seed")
            start = start if behind is None else behind.begun(start)
            start = completed(self.functions, start, 0 if seed is None else _arguments.seed("seed", seed))
            start = start if behind is None else behind.start(start)
        if behind is not None:
            state = behind.state
            self.functions["root"] = lambda: state
            self.functions |= behind.placed(self.functions)
        called = {name: arguments.pop(name, None) for name in ("on_improve", "on_progress", "stop")}
        self.calls = self.wrapped(**called)
        before = as_start(prefix, True) if is_shipped else None
        self.request = _arguments.request(settings, start=start, prefix=before, calls=self.calls, **arguments)

    def wrapped(self, on_improve: Any = None, on_progress: Any = None, stop: Any = None) -> dict[str, Any]:
        """Returns callbacks for the compiled part; that for improvements gets whole solutions."""
        _arguments.callback("on_improve", on_improve)
        return calls(self.behind.with_prefix(on_improve) if self.behind else on_improve, on_progress, stop)

    def whole(self, result: Result) -> Result:
        """Returns a result with the moves of whole solutions, and says of a proof what it stands on."""
        if (result.optimal or result.infeasible) and not was_checked(self.target):
            result = dataclasses.replace(result, remarks=[*result.remarks, UNCHECKED])
        return self.behind.whole(result) if self.behind else result


#: What a result says of a proof that relies on functions which nobody has checked.
UNCHECKED = (
    "proven for the functions as they are: some games were checked, and soloist.check has not examined this problem"
)


def checks_of(limits: Mapping[str, Any]) -> tuple[int, float]:
    """Games that are checked before a run of a problem in Python, and seconds for them: a hundredth of what the run may
    take, and five games at most."""
    time, playouts = limits.get("time"), limits.get("playouts")
    games = 5 if playouts is None else min(5, max(1, playouts // 100))
    return games, 0.1 if time is None else min(0.01 * time, 1.0)


#: Slices of a stream; the seconds of one at least and at most.
_SLICES, _SHORTEST, _LONGEST = 8, 0.25, 10.0


def _in_processes(problem: Any, threads: int, given: Mapping[str, Any]) -> Result:
    """Runs independent streams of a problem in Python, each in a process of its own."""
    from .distributed import solve as distributed

    for name in ("start", "prefix", "checkpoint", "resume"):
        if given.get(name) is not None:
            raise ValueError(f"{name}: a problem in Python that runs in {threads} processes takes none; threads=1 does")
    left_out = ("threads", "start", "prefix", "checkpoint", "checkpoint_every", "resume")
    settings = {name: value for name, value in given.items() if name not in left_out}
    limits: dict[str, Any] = {name: given.get(name) for name in ("time", "playouts", "nodes")}
    counts = {name: limits[name] for name in ("playouts", "nodes") if limits[name] is not None}
    time = limits["time"]
    slice: Any = {name: -(-int(count) // (threads * _SLICES)) for name, count in counts.items()}
    if time is not None or not counts:
        seconds = float(_soloist.DEFAULT_SECONDS) if time is None else _arguments.seconds("time", time)
        slice = min(max(seconds / _SLICES, _SHORTEST), _LONGEST)
    return distributed(problem, streams=threads, workers=threads, slice=slice, **settings)


@keywords(SolveKeywords)
def solve(
    problem: Rules | Instance | str,
    instance: str | os.PathLike[str] | None = None,
    /,
    **given: Unpack[SolveKeywords],
) -> Result:
    """Searches for the best solution of a problem until a limit is reached.

    ``problem`` is an object with the functions of :class:`Problem`, the name of a problem that ships (with a file or a
    spec as ``instance``), or an :class:`Instance`. Without any limit the run ends after the
    default time of ``soloist solve``.

    A run with a limit of playouts or nodes gives the same result on every machine; a limit of time does not.
    A problem in Python is checked on five games first, as :func:`check` does it, or on fewer within a hundredth of the time
    or the playouts; a proof about one that :func:`check` has never passed says so in ``remarks``.

    Ctrl-C ends the run: its result has the best solution so far and ``stop == "interrupted"``. An exception in a
    function of the problem or in a callback ends the run as well, and is raised.

    Args:
        problem: what is to be solved.
        instance: a file or a spec, for a problem that ships.
        method: the name of a method, see :func:`methods`. Default: the one that suits the instance; ``"auto"``, which
            races several methods, for a Python problem.
        seed: the seed of all random draws, 0 by default.
        time: seconds.
        playouts: solutions that are completed; for systematic searches, solutions scored.
        nodes: nodes of a search tree; for systematic searches, states visited; for nested searches and annealing,
            moves played.
        target: stop at the first solution with this score or a better one.
        stall: stop after this many playouts without improvement.
        memory: bytes for search trees and lists of states, 2 GiB by default.
        max_moves: moves of a game, a million by default; a longer one ends the run with :class:`BrokenPromise`.
        params: parameters of the method, and options of a problem that ships, by name.
        rollout: the playout policy, by name.
        threads: independent streams, one thread each; for Python problems that are not :func:`compiled` one process
            each: as with :mod:`multiprocessing`, the object is pickled, and a script needs
            ``if __name__ == "__main__":``.
        keep: how many of the best different solutions are kept.
        start: a solution to start from: a result, its JSON (text, dict or a path object), or the moves. One that is only
            begun is finished by random moves. For a problem that ships, also a text in its own format.
        prefix: moves that every solution begins with, as :attr:`Result.moves` shows them. The moves of the result
            include them; bounds and proofs speak of such solutions alone. Methods of a problem that ships make whole
            solutions and are refused.
        on_improve: called with an :class:`Improvement` for each better solution.
        on_progress: called with a :class:`Progress` up to five times a second.
        stop: ends the run as Ctrl-C does: an event such as ``threading.Event``, or a function that returns something
            true. Asked some fifty times a second; between two games for a Python problem.
        progress: ``"line"`` (or True) or ``"bar"`` shows on stderr, or in the cell of a notebook, how far the run is;
            False shows nothing. Default: runs of more than a second show a line on a terminal and a bar in a notebook,
            from the main thread.
        checkpoint: a file to which the run is written again and again.
        checkpoint_every: seconds between two checkpoints.
        resume: a checkpoint to continue, a file or the bytes of :meth:`Session.save`. Limits count the whole run.
        **parameters: as ``params``, for names that are no argument of this function.

    >>> result = soloist.solve("samegame", "random:6x6x3:1", method="nrpa", level=2, playouts=2000, seed=1)
    >>> result.score, result.solution["cleared"]
    (1084.0, True)
    """
    progress, on_progress = shown(given.pop("progress", None)), given.get("on_progress")
    asked = Asked(problem, instance, given, SolveKeywords)
    target, request, behind = asked.target, asked.request, asked.behind
    display = Display(progress, request)
    if display.to is not None:

        def report(state: Progress) -> None:
            display.update(state)
            if on_progress is not None:
                on_progress(state)

        request["calls"] = {**asked.calls, "on_progress": calls(None, report, None)["on_progress"]}
    try:
        if isinstance(target, Instance):
            return shipped_result(*target._shipped.solve(request), target)
        checks = checks_of(request)
        machine = compiled_of(target)
        if machine is None and request["threads"] > 1:
            _soloist.first_games(asked.functions, *checks)
            return asked.whole(_in_processes(target, request["threads"], given))
        if machine is None:
            request["checks"] = checks
            return asked.whole(own_result(_soloist.solve_own(asked.functions, request), parts_of(target)))
        _soloist.first_games(asked.functions, *checks)
        end = finished(target, machine.name, behind.moves if behind else [])
        try:
            found = _soloist.solve_compiled(machine.spec(target, behind), request, end)
        except _soloist.BrokenPromise as error:
            machine.stayed(target, error)
            raise
        machine.stayed(target)
        return asked.whole(own_result(found, parts_of(target)))
    finally:
        display.close()
