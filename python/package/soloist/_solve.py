"""Runs that continue until a limit is reached."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _arguments, _soloist
from ._instance import Instance, _load
from ._numba import compiled_of, finished
from ._prefix import Prefix, completed
from ._problem import Rules, functions, parts_of
from ._progress import Display, Shown, shown
from ._result import Improvement, Progress, Result, Stop, as_start, calls, own_result, shipped_result

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Parameters


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


def solve(
    problem: Rules | Instance | str,
    instance: str | os.PathLike[str] | None = None,
    /,
    *,
    method: str | None = None,
    seed: int | None = None,
    time: float | datetime.timedelta | None = None,
    playouts: int | float | None = None,
    nodes: int | float | None = None,
    target: float | None = None,
    stall: int | float | None = None,
    memory: int | float | None = None,
    max_moves: int | float | None = None,
    params: Mapping[str, Any] | None = None,
    rollout: str | None = None,
    threads: int | None = None,
    keep: int = 1,
    start: Any = None,
    prefix: Any = None,
    on_improve: Callable[[Improvement], Any] | None = None,
    on_progress: Callable[[Progress], Any] | None = None,
    stop: Stop | None = None,
    progress: Shown = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    resume: bytes | str | os.PathLike[str] | None = None,
    **parameters: Unpack[Parameters],
) -> Result:
    """Searches for the best solution of a problem until a limit is reached.

    ``problem`` is an object with the functions of :class:`Problem`, the name of a problem that ships (with a file or a
    spec as ``instance``), or an :class:`Instance`. Without any limit the run ends after the
    default time of ``soloist solve``.

    A run with a limit of playouts or nodes gives the same result on every machine; a limit of time does not.
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
        threads: independent streams, one thread each; 1 for Python problems that are not :func:`compiled`.
        keep: how many of the best different solutions are kept.
        start: a solution to start from: a result, or the moves; a Python problem finishes it by random moves where it
            is only begun. For a problem that ships, a text in its own format or a path object instead of the moves.
        prefix: moves that every solution begins with, of a Python problem. The moves of the result include them; bounds
            and proofs are those of the rest.
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
    target_, settings = target_of(problem, instance, _arguments.settings(params, parameters))
    is_shipped = isinstance(target_, Instance)
    bound = {} if is_shipped else functions(target_)
    machine = None if is_shipped else compiled_of(target_)
    behind, begun = None, as_start(start, is_shipped)
    if prefix is not None:
        if is_shipped:
            raise TypeError("prefix: of problems that are written in Python only")
        behind = Prefix(bound, prefix)
        on_improve = behind.with_prefix(on_improve)
    if isinstance(begun, list):
        begun = completed(bound, begun, _arguments.count("seed", seed or 0, least=0, most=2**64 - 1))
        begun = behind.start(begun) if behind else begun
    if behind is not None:
        bound["root"] = lambda: behind.state
    request = _arguments.request(
        method=method,
        parameters=settings,
        rollout=rollout,
        seed=seed,
        threads=threads,
        keep=keep,
        start=begun,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
        time=time,
        playouts=playouts,
        nodes=nodes,
        target=target,
        stall=stall,
        memory=memory,
        max_moves=max_moves,
        calls=calls(on_improve, on_progress, stop),
    )
    display = Display(shown(progress), request)
    if display.to is not None:

        def report(state: Progress) -> None:
            display.update(state)
            if on_progress is not None:
                on_progress(state)

        request["calls"] = calls(on_improve, report, stop)
    try:
        if isinstance(target_, Instance):
            return shipped_result(*target_._shipped.solve(request), target_)
        if machine is None:
            result = own_result(_soloist.solve_own(bound, request), parts_of(target_))
        else:
            end = finished(target_, machine.name, behind.moves if behind else [])
            result = own_result(_soloist.solve_compiled(machine.spec(behind), request, end), parts_of(target_))
        return behind.whole(result) if behind else result
    finally:
        display.close()
