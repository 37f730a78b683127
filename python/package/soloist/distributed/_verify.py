"""Solutions of workers, verified in the driver without the engine."""

from __future__ import annotations

import math
from typing import Any

from .. import _soloist
from .._instance import Instance
from .._result import Solution


def _broken(what: str, moves: list[Any]) -> Exception:
    error = _soloist.BrokenPromise(f"a worker's solution: {what}")
    error.moves = moves
    return error


def verified(problem: Any, solution: Solution) -> Solution:
    """Returns a solution with its finished state, or raises what is wrong with it.

    A solution of a Python problem is played from the root; one of a problem that ships is given to its verifier.
    """
    if isinstance(problem, Instance):
        if solution.score is not None:
            found = problem.verify(solution).score
            if not math.isclose(found, solution.score, rel_tol=1e-9, abs_tol=1e-9):
                raise _soloist.InvalidSolution(f"a worker's score is {solution.score}, the verifier's {found}")
        return solution
    state = problem.root()
    for at, move in enumerate(solution.moves):
        legal = list(problem.moves(state))
        if move not in legal:
            raise _broken(f"move {at} is not among those of `moves`", solution.moves[: at + 1])
        # The object of the problem itself: the worker's is a copy.
        state = problem.apply(state, legal[legal.index(move)])
    if next(iter(problem.moves(state)), None) is not None:
        raise _broken("its end has moves left", solution.moves)
    found = problem.score(state)
    if isinstance(found, _soloist.Infeasible):
        is_same = solution.score is None and solution.violation == found.degree
    else:
        is_same = solution.score is not None and float(found) == solution.score
    if not is_same:
        claimed = solution.score if solution.score is not None else f"a violation of {solution.violation}"
        raise _broken(f"`score` returns {found!r} here, and returned {claimed} in the worker", solution.moves)
    return Solution(solution.score, solution.violation, solution.moves, state)
