"""Scores as functions of problems give them: numbers, degrees of infeasibility, pairs of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Infeasible(Exception):
    """What ``score`` returns or raises for a finished state that breaks constraints: ``Infeasible(degree)``, with a degree
    above 0; less is better.

    >>> import soloist
    >>> soloist.Infeasible(2.5).degree
    2.5
    """

    def __init__(self, degree: float = 1.0) -> None:
        degree = float(degree)
        if not degree > 0:
            raise ValueError(
                f"degree: expected a number above 0, got {degree:g}; a solution that breaks nothing has a score"
            )
        super().__init__(degree)

    @property
    def degree(self) -> float:
        """By how much constraints are broken."""
        degree: float = self.args[0]
        return degree

    def __repr__(self) -> str:
        return f"Infeasible({self.degree})"

    def __str__(self) -> str:
        return f"infeasible by {self.degree:g}"

    def __eq__(self, other: object) -> bool:
        return self.degree == other.degree if isinstance(other, Infeasible) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.degree)


Infeasible.__module__ = "soloist"


def scored(function: Callable[[Any], Any], state: Any) -> tuple[float | None, float | None]:
    """Returns what a function ``score`` says of a finished state: the score, or None and the degree of infeasibility."""
    try:
        found = function(state)
    except Infeasible as raised:
        found = raised
    if isinstance(found, tuple) and len(found) == 2:
        hard, found = abs(float(found[0])), found[1]
        if hard > 0:
            return None, hard
    return (None, found.degree) if isinstance(found, Infeasible) else (float(found), None)
