"""The one place in Python that compares solutions."""

from __future__ import annotations

from typing import Any, Literal

from . import _arguments


def rank(solution: Any, is_minimize: bool) -> tuple[int, float]:
    """Returns a number pair that is larger for a better solution.

    Behind the feasible solutions come the infeasible ones by their degree, and behind all ``None``.
    """
    if solution is None:
        return (0, 0.0)
    if isinstance(solution, (int, float)) and not isinstance(solution, bool):
        score, violation = solution, None
    else:
        score, violation = solution.score, solution.violation
    if score is not None:
        return (2, -float(score) if is_minimize else float(score))
    return (0, 0.0) if violation is None else (1, -float(violation))


def better(a: Any, b: Any, sense: Literal["maximize", "minimize", "max", "min"] = "maximize") -> bool:
    """Returns whether ``a`` is better than ``b``: strictly, so that equal solutions are not.

    Each is a :class:`Solution`, a :class:`Result`, an :class:`Improvement`, a score, or None for no solution at all.
    A feasible solution beats an infeasible one, of two infeasible ones the smaller violation wins, and each of them
    beats None.

    >>> soloist.better(3.0, 5.0, "minimize"), soloist.better(5.0, 5.0), soloist.better(1.0, None)
    (True, False, True)
    """
    if sense not in ("maximize", "minimize", "max", "min"):
        raise ValueError(f'sense: expected "maximize" or "minimize", got {_arguments.shown(sense)}')
    is_minimize = sense in ("minimize", "min")
    return rank(a, is_minimize) > rank(b, is_minimize)
