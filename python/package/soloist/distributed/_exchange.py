"""Which solutions the streams of a run give each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from .. import _arguments
from .._better import rank
from .._result import Solution


@dataclass(frozen=True)
class Groups:
    """Streams exchange their best solution within groups.

    Streams 0 to ``size - 1`` are the first group, and so on. After ``every`` slices each stream of a group is offered
    the best solution of the group. The best of a whole run with one group is ``exchange="best"``.
    """

    #: Streams of a group.
    size: int
    #: Slices between two exchanges.
    every: int = 1

    def __post_init__(self) -> None:
        _arguments.count("Groups: size", self.size)
        _arguments.count("Groups: every", self.every)


#: What ``exchange=`` accepts. A function gets the number of slices that each stream has made, and the best solution of
#: each stream (None: it has none), and returns what streams are offered.
Exchange = Union[
    Literal["none", "best"], Groups, Callable[[int, Sequence[Union[Solution, None]]], Mapping[int, Any]]
]


def checked(exchange: Any, streams: int) -> Groups | Callable[..., Any] | None:
    """Returns groups, a function, or None for no exchange."""
    if exchange is None or exchange == "none":
        return None
    if exchange == "best":
        return Groups(streams)
    if isinstance(exchange, Groups):
        return exchange
    if callable(exchange):
        function: Callable[..., Any] = exchange
        return function
    raise ValueError(f'exchange: expected "none", "best", Groups or a function, got {_arguments.shown(exchange)}')


def best_of(solutions: Sequence[Solution | None], is_minimize: bool) -> Solution | None:
    """Returns the best solution; of equal ones the first."""
    best: Solution | None = None
    for solution in solutions:
        if rank(solution, is_minimize) > rank(best, is_minimize):
            best = solution
    return best
