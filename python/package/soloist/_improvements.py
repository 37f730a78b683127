"""The improvements of a run as an iterator."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _arguments
from ._problem import Rules, functions
from ._instance import Instance
from ._result import Improvement, Result, calls
from ._run import ImprovementsKeywords, keywords, split
from ._solve import solve, target_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Seconds between two looks at signals while nothing is found.
_PULSE = 0.2


class _Run:
    """A run on a thread of its own, and what it has found. The thread knows this object alone."""

    def __init__(self, arguments: dict[str, Any], target: Any, stop: Callable[[], object] | None) -> None:
        self.found: queue.SimpleQueue[Improvement | None] = queue.SimpleQueue()
        self.ended = threading.Event()
        self.result: Result | None = None
        self.error: BaseException | None = None
        self._asked = stop
        self._target = target
        self._arguments = arguments
        self.thread = threading.Thread(target=self._work, name="soloist.improvements", daemon=True)

    def _wants_stop(self) -> bool:
        return self.ended.is_set() or (self._asked is not None and bool(self._asked()))

    def _work(self) -> None:
        try:
            self.result = solve(
                self._target, on_improve=self.found.put, stop=self._wants_stop, progress=False, **self._arguments
            )
        except BaseException as error:
            self.error = error
        finally:
            self.found.put(None)

    def end(self) -> None:
        self.ended.set()
        if self.thread.ident is not None and self.thread is not threading.current_thread():
            self.thread.join()


class Improvements:
    """The improvements of a run, one after the other; :func:`improvements` makes it.

    A ``for`` loop over it, and ``with``, end the run when they are left. After that ``result`` is there.
    """

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._is_over = False

    def __iter__(self) -> Iterator[Improvement]:
        # A generator belongs to the loop alone, so that `break` drops it and thereby ends the run.
        return self._each()

    def _each(self) -> Iterator[Improvement]:
        try:
            while True:
                try:
                    better = next(self)
                except StopIteration:
                    return
                yield better
        finally:
            self._run.end()

    def __next__(self) -> Improvement:
        run = self._run
        if self._is_over or run.ended.is_set():
            raise StopIteration
        try:
            if run.thread.ident is None:
                run.thread.start()
            better = self._wait()
        except BaseException:
            run.end()
            raise
        if better is not None:
            return better
        self._is_over = True
        run.end()
        if run.error is not None:
            raise run.error
        raise StopIteration

    def _wait(self) -> Improvement | None:
        while True:
            try:
                return self._run.found.get(timeout=_PULSE)
            except queue.Empty:
                pass

    @property
    def result(self) -> Result:
        """The result of the run, once it has ended. Raises what the run has raised, if it has."""
        run = self._run
        if run.error is not None:
            raise run.error
        if run.result is None:
            raise RuntimeError("the run has not ended: leave the loop, or close() it")
        return run.result

    def close(self) -> None:
        """Ends the run, and returns when its thread has gone."""
        self._run.end()

    def __enter__(self) -> Improvements:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        run = getattr(self, "_run", None)
        if run is not None:
            run.end()

    def __repr__(self) -> str:
        run = self._run
        state = "not begun" if run.thread.ident is None else "at work" if run.thread.is_alive() else "ended"
        return f"<soloist.Improvements {state}>"


@keywords(ImprovementsKeywords)
def improvements(
    problem: Rules | Instance | str,
    instance: str | os.PathLike[str] | None = None,
    /,
    **given: Unpack[ImprovementsKeywords],
) -> Improvements:
    """Solves a problem and yields each better solution when it is found.

    The arguments are those of :func:`solve`. The run begins with the first step of the loop, on a thread of its own,
    and continues while the body of the loop works. Leaving the loop ends the run and waits for its thread. Exceptions
    of the problem's functions and callbacks, which that thread calls, come out of the loop, after the improvements
    before them; so do complaints about settings of the method.

    >>> run = soloist.improvements("knapsack", "weak:20x1000:1", method="sampling", seed=1)
    >>> for better in run:
    ...     if better.score >= 4500:
    ...         break
    >>> run.result.stop, run.result.score >= 4500
    ('interrupted', True)
    """
    arguments, others = split(given, ImprovementsKeywords)
    found, settings = target_of(problem, instance, _arguments.settings(arguments.pop("params", None), others))
    if not isinstance(found, Instance):
        functions(found)
    asked = calls(None, arguments.get("on_progress"), arguments.pop("stop", None))["stop"]
    # What is wrong with numbers and files is said here, and not in the loop.
    later = ("start", "prefix", "on_progress")
    _arguments.request(settings, **{name: value for name, value in arguments.items() if name not in later})
    return Improvements(_Run({**arguments, "params": settings}, found, asked))
