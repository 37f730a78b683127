"""Runs that are advanced slice by slice."""

from __future__ import annotations

import dataclasses
import datetime
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from . import _arguments, _soloist
from ._instance import Instance
from ._problem import Rules, parts_of
from ._result import Improvement, Progress, Result, Solution, Stop, as_moves, as_text, own_result, own_solution, shipped_result
from ._run import RestoreKeywords, SessionKeywords, keywords
from ._solve import Asked

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Resumed(RestoreKeywords, total=False):
    resume: Any


class Session:
    """A run that lives: it is advanced by slices, given solutions from outside, saved and restored.

    The keywords are those of :func:`solve`, a ``prefix`` and a ``start`` that is only begun among them; limits describe
    the whole run, for methods that plan ahead, and do not end it. A session stays in its process: ``save`` it to
    continue elsewhere.

    >>> session = soloist.Session("knapsack", "weak:20x1000:1", method="nrpa", seed=1)
    >>> session.advance(playouts=500)
    'playouts'
    >>> saved = session.save()
    >>> session.advance(playouts=500)
    'playouts'
    >>> again = soloist.Session.restore(saved, "knapsack", "weak:20x1000:1")
    >>> again.advance(playouts=500)
    'playouts'
    >>> again.best == session.best, again.playouts
    (True, 1000)
    """

    _session: _soloist.OwnSession | _soloist.ShippedSession
    _instance: Instance
    _parts: Callable[[Any], dict[str, float]] | None

    @keywords(SessionKeywords)
    def __init__(
        self,
        problem: Rules | Instance | str,
        instance: str | os.PathLike[str] | None = None,
        /,
        **given: Unpack[SessionKeywords],
    ) -> None:
        self._begin(Asked(problem, instance, given, SessionKeywords))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session stays in its process: send what save() returns, and restore it there")

    def _begin(self, asked: Asked) -> None:
        self._stop: str | None = None
        self._asked = asked
        # It may hold a large save.
        request, asked.request = asked.request, {}
        if isinstance(asked.target, Instance):
            self._instance = asked.target
            self._session = asked.target._shipped.session(request)
        else:
            self._parts = parts_of(asked.target)
            self._session = _soloist.OwnSession(asked.functions, request)

    @classmethod
    @keywords(RestoreKeywords)
    def restore(
        cls,
        saved: bytes | str | os.PathLike[str],
        problem: Rules | Instance | str,
        instance: str | os.PathLike[str] | None = None,
        /,
        **given: Unpack[RestoreKeywords],
    ) -> Session:
        """Continues a run from the bytes of :meth:`save` or a checkpoint file; the problem must be the same.

        The limits describe the whole run, as in the constructor; ``prefix`` is that of the run. Other keywords choose the
        rules of a problem that ships.
        """
        session = cls.__new__(cls)
        session._begin(Asked(problem, instance, {"resume": saved, **given}, _Resumed))
        session._stop = session._session.stop()
        return session

    def advance(
        self,
        *,
        playouts: int | float | None = None,
        time: float | datetime.timedelta | None = None,
        nodes: int | float | None = None,
        target: float | None = None,
        stall: int | float | None = None,
        on_improve: Callable[[Improvement], Any] | None = None,
        on_progress: Callable[[Progress], Any] | None = None,
        stop: Stop | None = None,
    ) -> str:
        """Runs until the slice is used up, or the run ends by itself, and returns why it stopped.

        Count budgets add up: two slices of 500 playouts are one of 1000. Ctrl-C and
        ``stop`` end the slice with "interrupted"; callbacks are those of :func:`solve`.
        """
        calls = self._asked.wrapped(on_improve, on_progress, stop)
        slice = {"playouts": playouts, "time": time, "nodes": nodes, "target": target, "stall": stall}
        if all(value is None for value in slice.values()):
            raise TypeError("advance: give a limit, such as playouts=1000 or time=1.0")
        request = {**_arguments.EMPTY, **_arguments.limits(**slice), "calls": calls}
        self._stop = self._session.advance(request)
        return self._stop

    def offer(self, solution: Any) -> float | None:
        """Gives the run a solution from outside and returns its score; None: it is infeasible.

        The solution is what :attr:`best` or a result holds, or the moves; for a problem that ships, a text in its own
        format or a path object instead of the moves.
        The run keeps it as incumbent if it is better, and the search uses it in its own way.
        """
        if isinstance(self._session, _soloist.OwnSession):
            moves = as_moves(solution)
            return self._session.offer(self._asked.behind.start(moves) if self._asked.behind else moves)[0]
        return self._session.offer(as_text(solution))[0]

    def save(self) -> bytes:
        """Returns the whole run as bytes, for :meth:`restore` in this or another process."""
        return self._session.save()

    @property
    def best(self) -> Solution | None:
        """The best solution so far."""
        if isinstance(self._session, _soloist.OwnSession):
            best = self._session.best()
            if best is None:
                return None
            found = own_solution(best, self._parts)
            return dataclasses.replace(found, moves=self._asked.behind.before(found.moves)) if self._asked.behind else found
        result = self.result
        if result.moves is None:
            return None
        return Solution(result.score, result.violation, result.moves, result.solution, result.parts)

    @property
    def result(self) -> Result:
        """What the run has yielded so far; for problems that ship, verified."""
        if isinstance(self._session, _soloist.OwnSession):
            return self._asked.whole(own_result(self._session.report(), self._parts))
        return shipped_result(self._session.report(), None, self._instance)

    @property
    def playouts(self) -> int:
        """Playouts so far."""
        return self._session.effort()[0]

    @property
    def nodes(self) -> int:
        """Nodes so far."""
        return self._session.effort()[1]

    @property
    def seconds(self) -> float:
        """Time spent in slices so far, those before a restore included."""
        return self._session.effort()[2]

    @property
    def done(self) -> bool:
        """Whether nothing is left to do.

        Everything was examined, the best solution is proven, or the method has ended by itself.
        """
        return self._stop is not None and _soloist.is_final(self._stop)

    def __repr__(self) -> str:
        return f"<soloist.Session after {self.playouts} playouts>"
