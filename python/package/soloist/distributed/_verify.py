"""Solutions of workers, verified in the driver without the engine."""

from __future__ import annotations

import math
from typing import Any

from .. import _soloist
from .._infeasible import Infeasible, scored
from .._instance import Instance
from .._result import Solution


#: Scores that differ by less are the same: sums differ in the last bit between machines and versions of libraries.
TOLERANCE = 1e-9

#: Where solutions come from, and how a message says so.
WORKER = ("a worker's solution", "in the worker")
FOLDER = ("the best solution in the folder of the run", "when the folder was written: the class or its data have changed")


def _broken(source: tuple[str, str], what: str, moves: list[Any]) -> Exception:
    error = _soloist.BrokenPromise(f"{source[0]}: {what}")
    error.moves = moves
    return error


def close(a: float | None, b: float | None) -> bool:
    """Whether two scores or degrees are the same but for rounding."""
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def verified(problem: Any, solution: Solution, source: tuple[str, str] = WORKER) -> Solution:
    """Returns a solution with its finished state and the score that it has here, or raises what is wrong with it.

    A solution of a Python problem is played from the root; one of a problem that ships is given to its verifier.
    """
    if isinstance(problem, Instance):
        if solution.score is not None:
            found = problem.verify(solution).score
            if not close(found, solution.score):
                raise _soloist.InvalidSolution(f"{source[0]}: its score was {solution.score}, the verifier's is {found}")
        return solution
    state = problem.root()
    for at, move in enumerate(solution.moves):
        legal = list(problem.moves(state))
        if move not in legal:
            since = "" if source is WORKER else f", and was {source[1]}"
            raise _broken(source, f"move {at} is not among those of `moves`{since}", solution.moves[: at + 1])
        # The object of the problem itself: the worker's is a copy.
        state = problem.apply(state, legal[legal.index(move)])
    if next(iter(problem.moves(state)), None) is not None:
        raise _broken(source, "its end has moves left", solution.moves)
    score, violation = scored(problem.score, state)
    if not (close(score, solution.score) and close(violation, solution.violation)):
        claimed = solution.score if solution.score is not None else f"a violation of {solution.violation}"
        raise _broken(source, f"`score` returns {score if violation is None else Infeasible(violation)!r} here, and returned {claimed} {source[1]}", solution.moves)
    return Solution(score, violation, solution.moves, state)
