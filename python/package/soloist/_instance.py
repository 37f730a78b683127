"""The problems that ship."""

from __future__ import annotations

import json
import os
import pathlib
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _arguments, _soloist
from ._result import Result, Solution, Verified, as_text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._run import SolveKeywords


@dataclass(frozen=True)
class ProblemInfo:
    """A problem that ships."""

    #: What ``solve`` and ``load`` accept.
    name: str
    #: One line: what is to be done.
    summary: str
    #: What the score counts.
    score: str
    #: What an instance file holds and which specs exist.
    instance: str
    #: A spec that works as it stands, or a file name.
    example: str
    #: Choices of rules: the values of each, the default first.
    options: dict[str, list[str]]
    #: One line of help for each option.
    help: dict[str, str]


def problems() -> dict[str, ProblemInfo]:
    """Returns the problems that ship, by name.

    >>> list(soloist.problems())[:3]
    ['samegame', 'clickomania', 'bubble-breaker']
    >>> soloist.problems()["knapsack"].example
    'random:100x1000:7'
    """
    return {
        row[0]: ProblemInfo(
            *row[:5],
            options={name: values for name, values, _ in row[5]},
            help={name: help for name, _, help in row[5]},
        )
        for row in _soloist.problems()
    }


def generate(problem: str, spec: str) -> str:
    """Returns the instance that a spec describes, in the problem's file format.

    >>> soloist.generate("samegame", "random:2x3x2:7").splitlines()[-1]
    '1 2 1'
    """
    return _soloist.generate(_arguments.text("problem", problem), _arguments.text("spec", spec))


class Instance:
    """An instance of a problem that ships; :func:`load` makes it."""

    def __init__(self, shipped: _soloist.Shipped, source: str) -> None:
        self._shipped = shipped
        self._source = source

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process loads the instance again: from its spec, or from what its file held."""
        return _load, (self.problem, self._source, self.options, self._shipped.contents)

    def __repr__(self) -> str:
        return f"<soloist.Instance {self.problem} {self.name}>"

    @property
    def problem(self) -> str:
        """The name of the problem."""
        return self._shipped.problem

    @property
    def name(self) -> str:
        """The name of the instance."""
        return self._shipped.name

    @property
    def description(self) -> str:
        """One line: sizes and rules in force."""
        return self._shipped.description

    @property
    def options(self) -> dict[str, str]:
        """The rules in force."""
        return self._shipped.options

    @property
    def sense(self) -> str:
        """``"maximize"`` or ``"minimize"``."""
        return self._shipped.sense

    @property
    def bound(self) -> float | None:
        """The problem's bound on the scores of all solutions; None: it has none."""
        return self._shipped.bound

    @property
    def method(self) -> str:
        """The method that runs by default."""
        return self._shipped.default[0]

    @property
    def rollouts(self) -> dict[str, str]:
        """The playout policies with a line of help each."""
        return dict(self._shipped.rollouts)

    def solve(self, **given: Unpack[SolveKeywords]) -> Result:
        """Runs a search; the keywords are those of :func:`soloist.solve`.

        >>> board = soloist.load("samegame", "random:6x6x3:1")
        >>> board.solve(method="nrpa", level=2, playouts=2000, seed=1).score
        1084.0
        """
        from ._solve import solve

        return solve(self, **given)

    def verify(self, solution: Any) -> Verified:
        """Verifies a solution by code that shares nothing with the searches.

        The solution is a result, its ``solution``, a text in the problem's own format or a path object. Raises
        :class:`InvalidSolution` with one line that says what is wrong and where.
        """
        return Verified(*self._shipped.check(as_text(solution)))

    def text(self, solution: Any) -> str:
        """Returns a solution as text to read and follow."""
        return self._shipped.text(json.dumps(_inner(solution)))

    def svg(self, solution: Any) -> str:
        """Returns a solution as a drawing."""
        return self._shipped.svg(json.dumps(_inner(solution)))


def _inner(solution: Any) -> Any:
    return solution.solution if isinstance(solution, (Result, Solution)) else solution


def load(
    problem: str,
    instance: str | os.PathLike[str] | None = None,
    *,
    text: str | bytes | None = None,
    data: Any = None,
    name: str | None = None,
    **options: Any,
) -> Instance:
    """Loads an instance of a problem that ships; ``options`` choose its rules.

    Args:
        problem: the name of the problem.
        instance: a file or a spec.
        text: in the place of ``instance``: what a file would hold.
        data: in the place of ``instance``: the instance as lists or arrays of numpy. knapsack: a dict with ``capacity``
            and ``items``, rows of value and weight; partition: the numbers; samegame, clickomania and bubble-breaker:
            the rows of the board, the top one first; tsptw: a dict with the matrix ``distances`` and ``windows``, rows of
            opening and closing, the depot first; vrptw: a dict with ``capacity``, ``demands``, ``windows`` and
            either ``points`` or ``distances``, with ``vehicles`` (as many as customers) and ``service`` (0) if need be,
            the depot first; stacking: the stacks of a block relocation, each from the bottom up.
        name: what the instance made of ``text`` or ``data`` is called; by default ``data-`` and a checksum.

    >>> board = soloist.load("samegame", "random:6x6x3:1")
    >>> board.name, board.method, board.options["penalty"]
    ('random:6x6x3:1', 'anneal', 'schadd')
    >>> sack = soloist.load("knapsack", data={"capacity": 10, "items": [(12, 4), (10, 4), (7, 3)]}, name="sack")
    >>> sack.solve(playouts=100, seed=1).score
    22.0
    """
    rules = {name: _arguments.setting(name, value) for name, value in options.items()}
    given = [what for what, value in (("instance", instance), ("text", text), ("data", data)) if value is not None]
    if len(given) != 1:
        both = f", not {' and '.join(given)}" if given else ""
        raise TypeError(f"load: give a file or a spec, text= or data={both}")
    if instance is not None:
        if name is not None:
            raise TypeError("name: only instances made of text= or data= are named")
        return _load(problem, instance, rules)
    if data is not None:
        from ._data import written

        text = written(_arguments.text("problem", problem), data)
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"text: expected a str or bytes, got {_arguments.shown(text)}")
    contents = text.encode() if isinstance(text, str) else text
    name = f"data-{zlib.crc32(contents):08x}" if name is None else _arguments.text("name", name)
    if not name or ":" in name or "\0" in name:
        raise ValueError(f"name: expected a name without `:`, as specs have it, got {name!r}")
    return _load(problem, name, rules, [(pathlib.PurePath(name), contents)])


def _load(
    problem: Any, instance: Any, rules: dict[str, str], contents: list[tuple[os.PathLike[str], bytes]] | None = None
) -> Instance:
    if not isinstance(instance, (str, os.PathLike)):
        raise TypeError(f"instance: expected a path or a spec, got {_arguments.shown(instance)}")
    source = os.fspath(instance)
    return Instance(_soloist.Shipped(_arguments.text("problem", problem), source, rules, contents or None), source)


def verify(problem: str, instance: str | os.PathLike[str], solution: Any, **options: Any) -> Verified:
    """Verifies a solution of an instance by code that shares nothing with the searches.

    >>> result = soloist.solve("partition", "random:10x20:7", playouts=500, seed=1)
    >>> soloist.verify("partition", "random:10x20:7", result).score == result.score
    True
    """
    return load(problem, instance, **options).verify(solution)
