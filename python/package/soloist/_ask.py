"""Ask and tell: scores that come from elsewhere, several at a time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from . import _arguments
from ._better import better
from ._infeasible import scored
from ._problem import functions
from ._result import Solution
from ._session import Session

#: Seconds between two looks at signals while no candidate is there.
_PULSE = 0.2
#: Slices of a stream, after each of which it is given the best solution of all.
_SLICES = 8

#: The functions whose first argument is a state, and those of them that return one.
_OF_STATES = (
    "moves", "code", "bias", "bound", "potential", "key", "future", "resources", "identity", "find", "candidates",
    "playout", "difference",
)  # fmt: skip


class _Ended(Exception):
    """Nobody will tell the score any more."""


class Candidate:
    """A solution that waits for its score."""

    def __init__(self, moves: list[Any], solution: Any, run: Asking) -> None:
        self._run = run
        #: Its moves.
        self.moves = moves
        #: The finished state.
        self.solution = solution
        self._answer: tuple[float | None, float | None] | None = None
        self._told = threading.Event()

    def tell(self, score: Any) -> None:
        """Says the score: what ``score`` of a problem returns. From any thread, once."""
        if self._answer is not None:
            raise RuntimeError("the score of this candidate was told before")
        self._answer = scored(lambda _: score, None)
        self._told.set()

    def fail(self, error: BaseException) -> None:
        """Says that there is no score: the loop over the candidates ends, and raises this error. From any thread."""
        if not isinstance(error, BaseException):
            raise TypeError(f"fail takes an exception, got {type(error).__name__}")
        if self._answer is not None:
            raise RuntimeError("the score of this candidate was told before")
        self._run._failed(error)

    def __repr__(self) -> str:
        return f"Candidate(moves={_arguments.shown(self.moves)})"


class _Node:
    """A state and the way to it."""

    __slots__ = ("before", "move", "state")

    def __init__(self, state: Any, before: _Node | None = None, move: Any = None) -> None:
        self.state, self.before, self.move = state, before, move

    def moves(self) -> list[Any]:
        found, node = [], self
        while node.before is not None:
            found.append(node.move)
            node = node.before
        return found[::-1]


class _Stream:
    """A problem whose score is asked for; one search works with it."""

    def __init__(self, run: Asking) -> None:
        self._run = run
        found = run._functions
        self.sense = "minimize" if found["minimize"] else "maximize"
        self.reference, self.complete, self.state_bytes = (found[name] for name in ("reference", "complete", "state_bytes"))
        for name in _OF_STATES:
            if found[name] is not None:
                setattr(self, name, self._unwrapped(found[name]))
        for name in ("link", "suggest", "edit"):
            if found[name] is not None:
                setattr(self, name, found[name])
        self.is_live = False

    @staticmethod
    def _unwrapped(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda node, *arguments: function(node.state, *arguments)

    def root(self) -> _Node:
        return _Node(self._run._functions["root"]())

    def apply(self, node: _Node, move: Any) -> _Node:
        return _Node(self._run._functions["apply"](node.state, move), node, move)

    def score(self, node: _Node) -> Any:
        if not self.is_live:
            # The games by which a session knows its problem need no scores.
            return 0.0
        value, violation = self._run._asked(node)
        return (0, value) if violation is None else (violation, 0)


class Asking:
    """The candidates of a run, one after the other; :func:`ask` makes it. Leaving the loop ends the run."""

    def __init__(self, problem: Any, in_flight: int, playouts: int, settings: dict[str, Any]) -> None:
        self._functions = functions(problem, is_scored=False)
        self._settings, self._playouts = settings, playouts
        self._streams = in_flight
        self._waiting: queue.SimpleQueue[Candidate | None] = queue.SimpleQueue()
        self._known: dict[tuple[Any, ...], Candidate] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._error: BaseException | None = None
        #: The best solution that was told; None: none yet.
        self.best: Solution | None = None
        #: How many scores were told.
        self.told = 0

    def __iter__(self) -> Iterator[Candidate]:
        threads = [threading.Thread(target=self._search, args=(at,), daemon=True) for at in range(self._streams)]
        for thread in threads:
            thread.start()
        running = len(threads)
        try:
            while running and self._error is None:
                try:
                    candidate = self._waiting.get(timeout=_PULSE)
                except queue.Empty:
                    continue
                if candidate is None:
                    running -= 1
                elif self._error is None:
                    yield candidate
        finally:
            self._is_over.set()
            for thread in threads:
                thread.join()
        if self._error is not None:
            raise self._error

    def _asked(self, node: _Node) -> tuple[float | None, float | None]:
        """Returns the score of a solution, which is asked for once."""
        moves = node.moves()
        with self._lock:
            candidate = self._known.get(tuple(moves))
            is_new = candidate is None
            if candidate is None:
                candidate = self._known[tuple(moves)] = Candidate(moves, node.state, self)
        if is_new:
            self._waiting.put(candidate)
        while not candidate._told.wait(_PULSE):
            if self._is_over.is_set():
                raise _Ended
        assert candidate._answer is not None
        if is_new:
            self._note(candidate, *candidate._answer)
        return candidate._answer

    def _failed(self, error: BaseException) -> None:
        """Ends all searches; the loop raises the first error."""
        with self._lock:
            self._error = self._error or error
        self._is_over.set()
        # The loop looks at once.
        self._waiting.put(None)

    def _note(self, candidate: Candidate, score: float | None, violation: float | None) -> None:
        solution = Solution(score, violation, candidate.moves, candidate.solution)
        with self._lock:
            self.told += 1
            if better(solution, self.best, "minimize" if self._functions["minimize"] else "maximize"):
                self.best = solution

    def _search(self, index: int) -> None:
        """One of the searches, on a thread of its own: it waits while its candidate is evaluated."""
        try:
            share = self._playouts // self._streams + (index < self._playouts % self._streams)
            stream: Any = _Stream(self)
            settings = {**self._settings, "seed": self._settings.get("seed", 0) + index}
            session = Session(stream, playouts=share, **settings)
            stream.is_live = True
            for part in range(_SLICES):
                playouts = share * (part + 1) // _SLICES - share * part // _SLICES
                if playouts and session.advance(playouts=playouts) != "playouts":
                    break
                best = self.best
                if self._streams > 1 and best is not None:
                    session.offer(best.moves)
        except _Ended:
            pass
        except BaseException as error:
            self._failed(error)
        finally:
            self._waiting.put(None)


def ask(problem: Any, *, playouts: int | float, in_flight: int = 1, seed: int = 0, **settings: Any) -> Asking:
    """Asks for the scores of solutions, for evaluations of 10 ms and more that are made elsewhere.

    It yields each :class:`Candidate` whose score is needed, up to ``in_flight`` of them before the first one is told. The
    problem needs no ``score``. As many searches work side by side, with the seeds from ``seed`` on; each waits while its
    candidate is evaluated, and is given the best solution of all now and then. Equal solutions are asked for once. With
    ``in_flight=1`` the run repeats; with more, it depends on the order in which scores are told.

    Args:
        problem: an object with the functions of :class:`Problem`.
        playouts: solutions of all searches together; at most as many are asked for, and some more for what a method
            looks at before its first playout.
        in_flight: candidates that wait for their scores at a time, up to 1024.
        seed: the seed of the first search.
        **settings: the method and its parameters, as for :class:`Session`, without ``start``.

    Where a score cannot be found, :meth:`Candidate.fail` ends the run, and the loop raises its error.

    >>> class Bits(soloist.Problem):
    ...     def root(self): return ()
    ...     def moves(self, bits): return [0, 1] if len(bits) < 8 else []
    ...     def apply(self, bits, bit): return bits + (bit,)
    >>> run = soloist.ask(Bits(), method="anneal", playouts=100, in_flight=2)
    >>> for candidate in run:
    ...     candidate.tell(sum(candidate.solution))        # here, or from a thread that waits for a machine
    >>> run.best.score
    8.0
    """
    count = _arguments.count("in_flight", in_flight, most=1024)
    most = _arguments.count("playouts", playouts)
    if settings.get("start") is not None:
        raise ValueError("start: ask begins without a known solution, because nobody has told its score")
    return Asking(problem, min(count, most), most, {**settings, "seed": _arguments.seed("seed", seed)})
