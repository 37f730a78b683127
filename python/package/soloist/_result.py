"""What runs return."""

from __future__ import annotations

import json
import operator
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Union

from . import _arguments, _soloist

if TYPE_CHECKING:
    from ._instance import Instance

#: What asks a run to end: an event, such as ``threading.Event``, or a function that returns something true.
Stop = Union[threading.Event, Callable[[], object]]


@dataclass(frozen=True)
class Improvement:
    """A better solution, found during a run."""

    #: The score; None for an infeasible solution.
    score: float | None
    #: The degree of infeasibility; None for a feasible solution.
    violation: float | None
    #: Playouts of its stream when it was found.
    playouts: int
    #: The stream, which is a thread, that found it.
    stream: int = 0
    #: Seconds of the run when it was found; they are not compared, because no run repeats them.
    seconds: float | None = field(default=None, compare=False)
    #: The moves of a solution of a Python problem, for ``on_improve``.
    moves: list[Any] | None = field(default=None, repr=False)
    #: The solution of a shipped problem, for ``on_improve``.
    solution: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class Progress:
    """How far a run is, for ``on_progress``."""

    #: Seconds so far.
    seconds: float
    #: Playouts so far.
    playouts: int
    #: Nodes so far.
    nodes: int
    #: The best score; None when no feasible solution is known.
    score: float | None
    #: The degree of infeasibility of the best solution; None when it is feasible or no solution was found.
    violation: float | None
    #: A number that no solution beats, as far as it is known; None: unknown.
    bound: float | None


@dataclass(frozen=True)
class Solution:
    """A finished solution."""

    #: The score; None for an infeasible solution.
    score: float | None
    #: The degree of infeasibility; None for a feasible solution.
    violation: float | None
    #: The moves from the root on.
    moves: list[Any]
    #: The finished state of a Python problem; the answer in the problem's own terms for a shipped one.
    solution: Any = field(repr=False)
    #: What the score consists of, by name; empty where the problem does not say it.
    parts: dict[str, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Verified:
    """What an independent check found."""

    #: The recomputed score.
    score: float
    #: One line: what was verified.
    summary: str


@dataclass(frozen=True)
class Result:
    """The result of a run.

    >>> result = soloist.solve("knapsack", "weak:20x1000:1", playouts=2000, seed=1)
    >>> result.score, result.stop, result.playouts
    (5095.0, 'exhausted', 4)
    """

    #: The best score; None when no feasible solution was found.
    score: float | None
    #: The degree of infeasibility of the best solution; None when it is feasible or no solution was found.
    violation: float | None
    #: The moves of the best solution; None when no solution was finished.
    moves: list[Any] | None = field(repr=False)
    #: The finished state of a Python problem; the answer in the problem's own terms for a shipped one.
    solution: Any = field(repr=False)
    #: Whether ``score`` is proven optimal.
    optimal: bool
    #: Whether it is proven that no solution is feasible; ``violation`` is not proven to be the least then.
    infeasible: bool
    #: A number that no solution beats; None: unknown.
    bound: float | None
    #: ``|score - bound| / |score|``; None where one of them is unknown.
    gap: float | None
    #: Playouts of all streams; for systematic searches, solutions scored.
    playouts: int
    #: Nodes of search trees; for systematic searches, states visited.
    nodes: int
    #: Wall-clock time, before and after a resume.
    seconds: float
    #: Why the run ended: time, playouts, nodes, target, stall, exhausted, bound, completed or interrupted.
    stop: str
    #: The improvements over the run.
    history: list[Improvement] = field(repr=False)
    #: The name of the method.
    method: str
    #: All parameters of the method.
    parameters: dict[str, Any] = field(repr=False)
    #: The playout policy.
    rollout: str
    #: The seed.
    seed: int
    #: The number of streams.
    threads: int
    #: ``"maximize"`` or ``"minimize"``.
    sense: str
    #: The next best different solutions, with ``keep``.
    others: list[Solution] = field(repr=False)
    #: What the method has decided and why, a line each.
    remarks: list[str] = field(repr=False)
    #: The problem: its name, or that of its class.
    problem: str
    #: The name of the instance; empty for a Python problem.
    instance: str
    #: The rules in force.
    options: dict[str, str] = field(repr=False)
    #: Why the last checkpoint could not be written; None: it could.
    unsaved: str | None = field(repr=False)
    #: ``mean_depth`` and ``deepest`` of the nodes of a tree, in moves; None for a method without a tree.
    tree: dict[str, float] | None = field(default=None, repr=False)
    #: The two numbers that the score stands for, the one that counts first in front; None: it is one number.
    pair: list[float] | None = field(default=None, repr=False)
    #: The number of moves that every solution had to begin with: ``optimal``, ``infeasible`` and ``bound`` speak of such
    #: solutions alone.
    prefix: int = field(default=0, repr=False)
    #: What the score of the best solution consists of, by name, such as ``{"vehicles": 19.0, "distance": 1650.8}``;
    #: empty where the problem does not say it.
    parts: dict[str, float] = field(default_factory=dict, repr=False)

    #: The instance that was solved, which draws the solution; copies of the result are without it.
    _instance: ClassVar[Instance | None] = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_instance"}

    def _repr_html_(self) -> str:
        from ._draw import page

        return page(self)

    def _repr_svg_(self) -> str:
        from ._draw import drawing, history_svg

        return drawing(self) or history_svg(self)

    def plot(self, ax: Any = None, *, x: str = "playouts") -> Any:
        """Draws the best score over the run by matplotlib, and returns the axes.

        Args:
            ax: the axes to draw into, such as those of another result. Default: new ones.
            x: ``"playouts"``, on a logarithmic scale, or ``"seconds"``.
        """
        from ._draw import plot

        return plot(self, ax, x)

    def to_dict(self) -> dict[str, Any]:
        """Returns the object that ``soloist solve --json`` prints. The state of a Python problem is left out."""
        fields = {"format": _soloist.FORMAT, **{name: getattr(self, name) for name in _TASK + _ENDING}}
        fields["feasible"] = self.score is not None
        fields["moves"] = self.moves
        if self.instance:
            fields["solution"] = self.solution
        if self.others:
            keys = ("score", "moves", "solution") if self.instance else ("score", "moves")
            fields["others"] = [
                {**{key: getattr(other, key) for key in keys}, **({"parts": other.parts} if other.parts else {})}
                for other in self.others
            ]
        fields["history"] = [
            {name: getattr(event, name) for name in _EVENT if name != "violation" or event.violation is not None}
            for event in self.history
        ]
        for name in ("tree", "pair"):
            if getattr(self, name) is not None:
                fields[name] = getattr(self, name)
        if self.parts:
            fields["parts"] = self.parts
        if self.remarks:
            fields["remarks"] = self.remarks
        fields["version"] = _soloist.VERSION
        return fields

    def to_json(self) -> str:
        """Returns the JSON that ``soloist check`` and ``start=`` read."""
        return json.dumps(self.to_dict(), default=_plain)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json() + "\n")


def _plain(value: Any) -> Any:
    """Returns what JSON has in the place of a value of another library."""
    try:
        return operator.index(value)
    except TypeError:
        pass
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).hex()}
    for name in ("item", "tolist"):
        function = getattr(value, name, None)
        if callable(function) and (name == "tolist" or getattr(value, "shape", None) == ()):
            return function()
    return str(value)


_TASK = ("problem", "instance", "options", "sense", "method", "parameters", "rollout", "seed", "threads")
_ENDING = ("score", "violation", "optimal", "infeasible", "bound", "gap", "playouts", "nodes", "seconds", "stop")
_EVENT = ("playouts", "score", "stream", "violation", "seconds")


def _float(value: Any) -> float | None:
    return None if value is None else float(value)


def _events(history: list[dict[str, Any]]) -> list[Improvement]:
    return [
        Improvement(
            _float(event["score"]),
            _float(event.get("violation")),
            event["playouts"],
            event["stream"],
            _float(event.get("seconds")),
        )
        for event in history
    ]


def _fields(found: dict[str, Any]) -> dict[str, Any]:
    """Returns what JSON says about a run."""
    fields = {name: found[name] for name in _TASK + _ENDING}
    for name in ("score", "violation", "bound", "gap", "seconds"):
        fields[name] = _float(fields[name])
    fields["tree"] = found.get("tree")
    fields["pair"] = found.get("pair")
    return fields


def _parts(found: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in found.get("parts", {}).items()}


def own_solution(found: tuple[Any, Any, Any, Any], parts: Callable[[Any], dict[str, float]] | None) -> Solution:
    """Makes a solution of a Python problem; `parts` says what the score of a finished state consists of."""
    score, violation, moves, end = found
    return Solution(score, violation, moves, end, {} if parts is None else parts(end))


def own_result(found: dict[str, Any], parts: Callable[[Any], dict[str, float]] | None) -> Result:
    """Makes the result of a run on a Python problem; `parts` says what the score of a finished state consists of."""
    solutions = [own_solution(solution, parts) for solution in found["solutions"]]
    record = json.loads(found["record"])
    fields = _fields(record)
    best = solutions[0] if solutions else None
    return Result(
        moves=best.moves if best else None,
        solution=best.solution if best else None,
        history=_events(record["history"]),
        others=solutions[1:],
        remarks=found["remarks"],
        unsaved=found["unsaved"],
        parts=best.parts if best else {},
        **fields,
    )


def shipped_result(text: str, unsaved: str | None, instance: Instance) -> Result:
    """Makes the result of a run on a shipped problem."""
    found = json.loads(text)
    others = [
        Solution(_float(one["score"]), None, one["moves"], one["solution"], _parts(one))
        for one in found.get("others", [])
    ]
    result = Result(
        moves=found["moves"],
        solution=found["solution"],
        history=_events(found["history"]),
        others=others,
        remarks=found.get("remarks", []),
        unsaved=unsaved,
        parts=_parts(found),
        prefix=found.get("prefix", 0),
        **_fields(found),
    )
    object.__setattr__(result, "_instance", instance)
    return result


def teller(on_improve: Callable[[Improvement], Any] | None) -> Callable[..., None] | None:
    """Wraps a callback for the compiled part."""
    if on_improve is None:
        return None

    def tell(score: Any, violation: Any, playouts: int, stream: int, seconds: float, moves: Any, solution: Any) -> None:
        solution = None if solution is None else json.loads(solution)
        on_improve(Improvement(score, violation, playouts, stream, seconds, moves, solution))

    return tell


def calls(
    on_improve: Callable[[Improvement], Any] | None,
    on_progress: Callable[[Progress], Any] | None,
    stop: Stop | None,
) -> dict[str, Any]:
    """Checks and wraps the callbacks of a run for the compiled part."""
    _arguments.callback("on_improve", on_improve)
    _arguments.callback("on_progress", on_progress)

    def report(*fields: Any) -> None:
        if on_progress is not None:
            on_progress(Progress(*fields))

    return {
        "on_improve": teller(on_improve),
        "on_progress": None if on_progress is None else report,
        "stop": _arguments.callback("stop", getattr(stop, "is_set", stop)),
    }


def as_text(solution: Any) -> str:
    """Returns a solution as the text that a shipped problem reads."""
    if isinstance(solution, Result):
        return solution.to_json()
    if isinstance(solution, Solution):
        return json.dumps({"moves": solution.moves, "solution": solution.solution})
    if isinstance(solution, os.PathLike):
        with open(solution, encoding="utf-8") as file:
            return file.read()
    if isinstance(solution, str):
        return solution
    if isinstance(solution, (dict, list, tuple)):
        return json.dumps(solution)
    shown = _arguments.shown(solution)
    raise TypeError(f"solution: expected a result, a dict, a list, a text or a path object, got {shown}")


def as_moves(solution: Any) -> list[Any]:
    """Returns the moves of a solution of a Python problem, also of the JSON of a result as text, dict or file."""
    moves = solution.moves if isinstance(solution, (Result, Solution, Improvement)) else solution
    if isinstance(moves, (os.PathLike, str)):
        try:
            moves = json.loads(as_text(moves))
        except json.JSONDecodeError:
            moves = None
    if isinstance(moves, dict):
        moves = moves.get("moves")
    if moves is None or isinstance(moves, (str, bytes, dict)):
        raise TypeError(f"expected a result or a list of moves, got {_arguments.shown(solution)}")
    try:
        return [_read(move) for move in moves]
    except TypeError:
        raise TypeError(f"expected a result or a list of moves, got {_arguments.shown(solution)}") from None


def _read(move: Any) -> Any:
    """Returns a move of JSON as it was: bytes are written as an object."""
    if isinstance(move, dict) and list(move) == ["bytes"] and isinstance(move["bytes"], str):
        try:
            return bytes.fromhex(move["bytes"])
        except ValueError:
            return move
    return [_read(part) for part in move] if type(move) is list else move


def as_start(solution: Any, is_shipped: bool) -> str | list[Any] | None:
    """Returns a solution as the problem reads it: a text for one that ships, otherwise the moves; None stays None."""
    if solution is None:
        return None
    return as_text(solution) if is_shipped else as_moves(solution)
