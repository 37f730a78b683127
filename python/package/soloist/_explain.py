"""Why an instance has no solution."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass
from typing import Any

from . import _arguments, _soloist
from ._instance import Instance
from ._prefix import Prefix
from ._problem import Rules, functions
from ._result import as_text
from ._solve import target_of


@dataclass(frozen=True)
class Explanation:
    """What is known about the constraints of an instance.

    >>> found = soloist.explain("vrptw", "random:12:7", vehicles=1)
    >>> found.verdict, found.least, found.conflict[-1]
    ('conflict', True, 'at most 1 vehicle')
    """

    #: ``"feasible"``: a solution satisfies all constraints; ``"conflict"``: some cannot hold together, which is proven;
    #: ``"unknown"``: neither was found in time.
    verdict: str
    #: The names of constraints that cannot hold together, or the moves that cannot all stay; no move where there is no
    #: feasible solution, whatever is decided.
    conflict: list[str]
    #: Whether there is a solution without any one of them, so that none can be left out.
    least: bool
    #: How many constraints the problem names, or how many moves were given.
    constraints: int
    #: How many sets of constraints or moves were examined.
    tests: int
    #: What was examined: ``"constraints"`` or ``"decisions"``.
    kind: str = "constraints"

    def __str__(self) -> str:
        if self.verdict != "conflict":
            return f"{self.verdict}: {self.constraints} {self.kind}"
        head = f"{len(self.conflict)} of {self.constraints} {self.kind} cannot hold together"
        return "\n".join([head] + [f"  {name}" for name in self.conflict])


def explain(
    problem: Rules | Instance | str,
    instance: str | os.PathLike[str] | None = None,
    /,
    *,
    prefix: Any = None,
    time: float | datetime.timedelta = 10.0,
    seed: int = 0,
    **options: Any,
) -> Explanation:
    """Looks for the smallest set of named constraints that cannot hold together.

    Constraints are left out, first many at a time, as long as the rest is proven to have no solution. Of the problems
    that ship, ``vrptw``, ``tsptw`` and ``rich-vrp`` name constraints; a class names them by ``constraints`` and
    ``relaxed``.

    With ``prefix``, all constraints hold, and moves are left out instead: the conflict is a smallest set of these moves
    that no feasible solution has at the same steps. The moves of all other steps are free then. Every problem can be
    asked that.

    Args:
        problem: a problem, an instance, or the name of a problem that ships.
        instance: a file or a spec of a problem that ships.
        prefix: moves of a game from its beginning, as ``solve`` takes them.
        time: seconds at most.
        seed: of all random draws.
        **options: the rules of a problem that ships.

    Raises ValueError where the problem names no constraints, and where a move of ``prefix`` is not legal.

    >>> class Clauses(soloist.Problem):
    ...     '''Truth values of three variables; a clause is a set of numbers, negative ones for "false".'''
    ...     def __init__(self, clauses):
    ...         self.clauses = clauses
    ...     def root(self):
    ...         return ()
    ...     def moves(self, chosen):
    ...         return [len(chosen) + 1, -len(chosen) - 1] if len(chosen) < 3 else []
    ...     def apply(self, chosen, literal):
    ...         return chosen + (literal,)
    ...     def score(self, chosen):
    ...         broken = sum(not clause & set(chosen) for clause in self.clauses)
    ...         return soloist.Infeasible(broken) if broken else 1
    ...     def constraints(self):
    ...         return [str(sorted(clause)) for clause in self.clauses]
    ...     def relaxed(self, kept):
    ...         return Clauses([self.clauses[place] for place in kept])
    >>> soloist.explain(Clauses([{1, 2}, {-1}, {3}, {-2, 1}])).conflict
    ['[1, 2]', '[-1]', '[-2, 1]']
    >>> print(soloist.explain(Clauses([{1, 2}, {3}, {-2, 1}]), prefix=[-1, 2, 3]))
    1 of 3 decisions cannot hold together
      move 0: -1
    """
    target, settings = target_of(problem, instance, _arguments.settings(None, options))
    if settings:
        raise TypeError(f"explain: no option `{next(iter(settings))}`")
    seconds = _arguments.seconds("time", time)
    count = _arguments.count("seed", seed, least=0, most=2**64 - 1)
    if isinstance(target, Instance):
        found = target._shipped.explain(seconds, count, None if prefix is None else as_text(prefix))
    else:
        own = functions(target)
        found = _soloist.explain_own(own, seconds, count, None if prefix is None else Prefix(own, prefix).moves)
    made = Explanation(*found, "constraints" if prefix is None else "decisions")
    if made.verdict == "unnamed":
        if prefix is not None:
            raise ValueError("prefix: it has no move")
        name = target.problem if isinstance(target, Instance) else type(target).__name__
        raise ValueError(f"{name} names no constraints")
    return made
