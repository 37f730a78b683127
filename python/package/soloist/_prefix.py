"""Runs that begin with moves that are decided, and solutions to start from that are not finished."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import Any

from . import _arguments
from ._result import Improvement, Result, as_moves

#: The most moves of a solution that is finished here.
LONGEST = 1_000_000


def followed(functions: dict[str, Any], moves: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Plays moves from the root as far as they are legal; returns the state and the problem's own moves."""
    state, played = functions["root"](), []
    for move in moves:
        own = next((legal for legal in functions["moves"](state) if _same(move, legal)), _NONE)
        if own is _NONE:
            break
        state = functions["apply"](state, own)
        played.append(own)
    return state, played


_NONE = object()


def _same(move: Any, legal: Any) -> bool:
    """Whether a move from outside has the value of a legal one; JSON makes lists of tuples."""
    if isinstance(move, list) and isinstance(legal, tuple):
        return len(move) == len(legal) and all(_same(*pair) for pair in zip(move, legal))
    return isinstance(move, bool) == isinstance(legal, bool) and bool(move == legal)


class Prefix:
    """The moves that a run begins with."""

    def __init__(self, functions: dict[str, Any], moves: Any) -> None:
        given = as_moves(moves)
        self.state, self.moves = followed(functions, given)
        if len(self.moves) < len(given):
            place = len(self.moves)
            raise ValueError(f"prefix: move {place}, {_arguments.shown(given[place])}, is not legal")

    def begun(self, moves: list[Any]) -> list[Any]:
        """Returns a solution to start from that ends within the prefix as far as the prefix goes."""
        is_part = len(moves) < len(self.moves) and all(_same(*pair) for pair in zip(moves, self.moves))
        return list(self.moves) if is_part else moves

    def start(self, moves: list[Any]) -> list[Any]:
        """Returns what follows behind the prefix in a solution to start from."""
        if len(moves) < len(self.moves) or not all(_same(*pair) for pair in zip(moves, self.moves)):
            raise ValueError("start: it does not begin with the moves of `prefix`")
        return moves[len(self.moves) :]

    def placed(self, functions: dict[str, Any]) -> dict[str, Any]:
        """Returns the functions that are given places in a solution; the run counts them from behind the prefix."""
        count = len(self.moves)

        def shifted(function: Callable[..., Any]) -> Callable[..., Any]:
            return lambda state, place, old, new: function(state, count + place, old, new)

        names = [name for name in ("difference", "apply_exchange") if functions[name] is not None]
        # The function `edit` knows whole solutions alone.
        return {"edit": None} | {name: shifted(functions[name]) for name in names}

    def before(self, moves: Sequence[Any]) -> list[Any]:
        """Returns the moves of a whole solution."""
        return [*self.moves, *moves]

    def with_prefix(self, on_improve: Callable[[Improvement], Any] | None) -> Callable[[Improvement], Any] | None:
        """Returns the callback that gets whole solutions."""
        if on_improve is None:
            return None
        return lambda found: on_improve(dataclasses.replace(found, moves=self.before(found.moves or [])))

    def whole(self, result: Result) -> Result:
        """Returns a result with the moves of whole solutions."""
        result = dataclasses.replace(result, prefix=len(self.moves))
        if result.moves is None:
            return result
        others = [dataclasses.replace(one, moves=self.before(one.moves)) for one in result.others]
        return dataclasses.replace(result, moves=self.before(result.moves), others=others)


def completed(functions: dict[str, Any], moves: list[Any], seed: int) -> list[Any]:
    """Returns a solution to start from; one that is not finished is continued by random moves."""
    state, played = followed(functions, moves)
    if len(played) < len(moves):
        # The compiled part says which move is not legal.
        return moves
    draw, whole = random.Random(seed), list(moves)
    while legal := list(functions["moves"](state)):
        if len(whole) >= LONGEST:
            raise ValueError(f"start: not finished after {LONGEST} moves")
        whole.append(draw.choice(legal))
        state = functions["apply"](state, whole[-1])
    return whole
